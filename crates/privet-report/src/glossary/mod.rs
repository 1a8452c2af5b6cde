//! What each number and each word means, in one sentence for a person who is no statistician.
//!
//! The metrics are those of the survey, section 4. Attacks, the numbers of privacy models, and the words of the pages
//! stand in files of their own.

mod chance;
mod counts;
mod models;
mod private;
mod used;
mod words;

pub(crate) use chance::CHANCE;
pub(crate) use counts::write as write_of_counts;
pub(crate) use private::PRIVATE;
pub(crate) use used::write as write_used;
pub(crate) use words::{
    BUCKET, CLASS, REQUIRED, REQUIRED_OF_BUCKETS, RISK, RISK_OF_BUCKET, WORST, WORST_BUCKET, Word, words,
};

use crate::form::FormWords;

/// What the part of a page is called that explains its words.
pub(crate) const WORDS: &str = "Words used here";

/// A metric or an attack explained.
pub(crate) struct Explained {
    /// What people call it.
    pub title: &'static str,
    /// What it says, with its range and direction.
    pub meaning: &'static str,
}

/// Explains an attack by its word in files.
pub(crate) fn attack(word: &str) -> Option<Explained> {
    privet_attack::attack_info(word).map(|own| Explained { title: own.title, meaning: own.sentence })
}

/// Explains a metric by its word in the manifest.
pub(crate) fn metric(word: &str, form: &FormWords) -> Option<Explained> {
    let (title, meaning) = match word {
        "loss" => (
            "Loss",
            "How much detail the identifying columns lost on average: 0 means nothing was coarsened, 1 means every \
             value was hidden; a suppressed record counts as fully hidden.",
        ),
        "height" => (
            "Generalization height",
            "How many steps up their hierarchies all identifying columns were moved together: 0 means no column was \
             coarsened.",
        ),
        "precision" => (
            "Loss of precision",
            "How far up their hierarchies the columns were moved on average, as a share of the way to the top: 0 means \
             not at all, 1 means all the way; it is one minus what the literature calls precision.",
        ),
        "discernibility" => (
            "Discernibility",
            form.either(
"How many pairs of records a reader can no longer tell apart, each record being paired with itself too, and \
             a suppressed record with every record of the input: smaller is better.",
"How many pairs of records a reader can no longer tell apart by their sensitive values, each record being paired with itself too, and \
             a suppressed record with every record of the input: smaller is better.",
),
        ),
        "sse-sst" => (
            "Spread within groups (SSE/SST)",
            "How much of the spread of the identifying columns of numbers lies within groups, and so can no longer be seen: \
             0 means none of it, 1 means all. Each column is measured by its standard deviation, and columns that are no \
             numbers do not count.",
        ),
        "average-class-size" => (
            "Average class size",
            form.either(
"How many published records look alike on average: the closer to the smallest size that was promised, the \
             less was hidden beyond need.",
"How many published records share a bucket on average: the closer to the smallest size that was promised, the \
             less was hidden beyond need.",
),
        ),
        "ambiguity" => (
            "Ambiguity",
            "How many different original combinations of the identifying values could stand behind a published record \
             on average: 1 means that the combination is published exactly.",
        ),
        "non-uniform-entropy" => (
            "Non-uniform entropy",
            "How many yes-or-no questions, on average, a reader would need answered to get one original value back \
             from its published label: 0 means that the values are published exactly.",
        ),
        "kullback-leibler" => (
            "Kullback–Leibler divergence",
            "How far the picture that a reader can rebuild from the release is from the original distribution of the \
             identifying columns: 0 means that both are the same; it has no upper limit.",
        ),
        "suppressed-cells" => {
            ("Suppressed cells", "How many cells of the identifying columns were replaced by *.")
        }
        "classification" => (
            "Classification penalty",
            form.either(
"The share of records that are suppressed, or whose value in the column to be predicted differs from the \
             majority of the records that look like them: 0 means that prediction suffers nothing.",
"The share of records that are suppressed, or whose value in the column to be predicted differs from the \
             majority of the records of their bucket: 0 means that prediction suffers nothing.",
),
        ),
        _ => return None,
    };
    Some(Explained { title, meaning })
}

#[cfg(test)]
mod tests {
    use privet_release::manifest::Form;

    use super::*;

    #[test]
    fn every_metric_is_one_sentence() {
        let words = privet_measure::Metric::ALL.map(privet_measure::Metric::word);
        for (word, form) in
            words.into_iter().flat_map(|word| [(word, Form::Generalized), (word, Form::Bucketized)])
        {
            let explained =
                metric(word, FormWords::of(form)).unwrap_or_else(|| panic!("{word} is not explained"));
            assert!(!explained.title.is_empty());
            assert_eq!(explained.meaning.matches(". ").count(), 0, "{word}");
            assert!(explained.meaning.ends_with('.'), "{word}");
        }
        assert!(metric("unheard-of", FormWords::of(Form::Bucketized)).is_none());
    }
}
