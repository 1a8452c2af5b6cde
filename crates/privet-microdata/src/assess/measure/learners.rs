//! What classifiers learn from a release (survey US-10, US-11, UM-34), and whether an analyst would read the same off a
//! logistic regression (UM-26, UM-27).

use privet_attack::Note;
use privet_data::{Column, Progress, Table};
use privet_measure::classify::{
    Classifier, DecisionTree, NaiveBayes, Training, TrainingColumn, TreeOptions, accuracy,
};
use privet_measure::learn::{Coefficient, LogisticOptions, LogisticRegression, Reading, Scale, Term};
use privet_measure::utility::{
    Classes, Estimate, NORMAL_95, UtilityError, analytical_validity, mean_interval_overlap,
};
use privet_release::Published;
use privet_release::published::SensitiveColumn;
use privet_report::{Figure, Learner, Utility};

use super::super::original::translate;
use super::protocol::{Split, picked};
use super::{Beside, figure, spread_out};
use crate::error::{JobError, RunError};

/// What is wrong with a column that is to be predicted, and where it stands in the original.
pub fn predicted(beside: &Beside<'_>, flag: &str, name: &str) -> Result<usize, JobError> {
    let (original, release) = (beside.original, beside.release);
    let wrong = |problem: &str| JobError::new(format!("{flag} names {name}, {problem}"));
    let position = original.table.position(name).ok_or_else(|| wrong("which the original has not"))?;
    if release.quasi.iter().any(|&at| release.table.columns[at].name == name) {
        return Err(wrong("which is an identifying column of the release; name another"));
    }
    if release.table.position(name).is_none() && in_buckets(release, name).is_none() {
        return Err(wrong("which is not published; name another"));
    }
    Ok(position)
}

/// A column of which buckets tell how often each value occurs in them, and not who has it.
pub fn in_buckets<'a>(release: &'a Published, name: &str) -> Option<&'a SensitiveColumn> {
    release.sensitive.iter().find(|own| own.name == name && own.codes.is_none())
}

/// What is said where a column is learned from buckets.
pub const OF_BUCKETS: &str = "Learned from buckets: whoever is in one has each of its values in the share that it has there, those of people who are \
     tested included.";

/// What classes records have, as far as a release tells.
pub struct Told {
    /// Which of the records that are learned from; one for each class that a record may have.
    places: Vec<usize>,
    classes: Vec<u32>,
    /// How likely it has it.
    chances: Vec<f64>,
}

impl Told {
    /// One class for each record.
    pub fn each(classes: Vec<u32>) -> Self {
        Self { places: (0..classes.len()).collect(), chances: vec![1.0; classes.len()], classes }
    }

    /// Shares of a bucket, for everybody in it (survey US-13). `code_of` are the codes of its values in the original.
    fn of_buckets(
        split: &Split<'_>,
        release: &Published,
        column: &SensitiveColumn,
        code_of: &[Option<u32>],
    ) -> Self {
        let mut told = Self { places: Vec::new(), classes: Vec::new(), chances: Vec::new() };
        for (place, &published) in split.published.iter().enumerate() {
            let cells = column.histograms.of(release.group_of[published]);
            let all: u64 = cells.iter().map(|cell| cell.1).sum();
            for &(value, count) in cells.iter().filter(|cell| cell.1 > 0) {
                if let Some(class) = code_of[value as usize] {
                    told.places.push(place);
                    told.classes.push(class);
                    told.chances.push(count as f64 / all as f64);
                }
            }
        }
        told
    }
}

/// Classifiers that learn from the release, tested on raw records.
pub fn learners(
    beside: &Beside<'_>,
    class: &str,
    apart: Option<&Table>,
    utility: &mut Utility,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let (original, release) = (beside.original, beside.release);
    let position = predicted(beside, "--class", class)?;
    let own = &original.table.columns[position];
    let labels = &own.codes;
    let groups = spread_out(beside, &beside.groups_of(class));
    let classes = Classes::new(&groups, beside.mask())?;
    utility.figures.extend(figure(
        "classification",
        "Classification metric (CM)",
        classes.classification_penalty(labels)?,
        true,
        "The share of records that are left out or have another class than most of their group.",
    ));
    utility.figures.extend(figure(
        "class-entropy",
        "Bits of the class that remain unknown",
        classes.class_entropy(labels)?,
        false,
        "How many yes-or-no questions remain about the class when the group is known.",
    ));
    let split = Split::new(beside, class, apart)?;
    utility.protocol = Some(split.protocol.clone());
    utility.notes.extend(split.note().map(Note::of_original));
    if split.is_empty() {
        utility.not_learned(NOTHING_TO_LEARN);
        return Ok(());
    }
    if let Some(column) = in_buckets(release, class) {
        utility.remark(OF_BUCKETS);
        let code_of = translate(&column.domain, &own.domain);
        let told = Told::of_buckets(&split, release, column, &code_of);
        return train(&split, own, &told, utility, progress);
    }
    // What is learned from the release is what it says, even where that is not true.
    let said = release.table.column(class);
    let code_of = said.map(|column| translate(&column.domain, &own.domain)).unwrap_or_default();
    let of_release = |&published: &usize| {
        said.and_then(|column| code_of[column.codes[published] as usize])
            .unwrap_or(labels[original.record_of[published] as usize])
    };
    let said = Told::each(split.published.iter().map(of_release).collect());
    train(&split, own, &said, utility, progress)
}

/// Of several classes what remains unknown of all of them, summed (UM-16).
pub fn all_classes(figures: &[Figure], classes: usize) -> Option<Figure> {
    let each: Vec<f64> =
        figures.iter().filter(|own| own.key == "class-entropy").map(|own| own.value).collect();
    if classes < 2 || each.len() != classes {
        return None;
    }
    figure(
        "class-entropy-sum",
        "Bits of all classes that remain unknown",
        each.iter().sum(),
        false,
        "How many yes-or-no questions remain about the classes when the group is known, summed over them.",
    )
}

/// Trains every classifier twice and tests it. `own` is the class in the original; `said` is what the release says it is, per
/// published record that is learned from, in codes of the original.
pub fn train(
    split: &Split<'_>,
    own: &Column,
    said: &Told,
    utility: &mut Utility,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let (class, labels) = (own.name.as_str(), &own.codes);
    let told = {
        let column = split.test_column(class)?;
        let code_of = translate(&column.domain, &own.domain);
        let of = |&record: &usize| code_of[column.codes[record] as usize];
        split.test_records().iter().map(of).collect::<Vec<Option<u32>>>()
    };
    let of = |columns: &[TrainingColumn], records: Vec<u32>| {
        Training::new(columns.to_vec(), records)
            .map_err(|error| RunError::from(JobError::new(error.to_string())))
    };
    let truth: Vec<u32> = split.originals.iter().map(|&record| labels[record]).collect();
    let of_told = |columns: &[TrainingColumn]| {
        let columns = columns.iter().map(|own| picked(own, &said.places)).collect();
        Training::weighed(columns, said.classes.clone(), said.chances.clone())
            .map_err(|error| RunError::from(JobError::new(error.to_string())))
    };
    let from_release = of_told(&split.released)?;
    let from_raw = of(&split.raw, truth.clone())?;
    let mut count = vec![0u64; own.domain.len()];
    for &record in &split.originals {
        count[labels[record] as usize] += 1;
    }
    let most = (0..count.len()).max_by_key(|&code| count[code]).unwrap_or(0) as u32;
    let guessed = told.iter().filter(|own| **own == Some(most)).count() as u64;
    let all = told.len() as u64;
    let rate = |classifier: &dyn Classifier, tested: &[Vec<Option<u32>>]| {
        let share = accuracy(classifier, tested, &told).unwrap_or(0.0);
        privet_attack::Rate::new((share * all as f64).round() as u64, all)
    };
    let tested =
        |name: &str, raw: &dyn Classifier, released: &dyn Classifier, on: &[Vec<Option<u32>>]| Learner {
            name: name.to_owned(),
            class: class.to_owned(),
            baseline: privet_attack::Rate::new(guessed, all),
            raw: rate(raw, on),
            released: rate(released, on),
        };
    let learner = |name: &str, raw: &dyn Classifier, released: &dyn Classifier| {
        tested(name, raw, released, &split.tested)
    };
    progress.stage("learning", None);
    utility.learners.push(learner(
        "naive Bayes",
        &NaiveBayes::by_ranges(&from_raw, 1.0),
        &NaiveBayes::by_ranges(&from_release, 1.0),
    ));
    progress.check()?;
    let tree = |training: &Training| DecisionTree::train(training, TreeOptions::default());
    utility.learners.push(learner("decision tree", &tree(&from_raw), &tree(&from_release)));
    progress.check()?;
    let scales: Vec<Scale> = split.features.iter().map(Scale::of).collect();
    let (from_release, from_raw) =
        (of_told(&split.coarsened(&split.released))?, of(&split.coarsened(&split.raw), truth)?);
    let logistic = |training: &Training| {
        LogisticRegression::train(training, &scales, Reading::Mean, LogisticOptions::default())
    };
    match (logistic(&from_raw), logistic(&from_release)) {
        (Ok(raw), Ok(released)) => {
            utility.learners.push(tested("logistic regression", &raw, &released, &split.coarsely_tested()));
            let pairs = raw.classes().iter().flat_map(|&class| {
                let theirs = released.coefficients(class);
                raw.coefficients(class).iter().map(move |own| (own, of_term(theirs, own.term)))
            });
            utility.figures.extend(kept(
                ["logistic-validity", "logistic-overlap"],
                "logistic regression",
                pairs,
            )?);
        }
        (Err(why), _) | (_, Err(why)) => {
            utility.not_learned(format!("Logistic regression was not trained: {why}."));
        }
    }
    Ok(())
}

/// The coefficient of the same term.
pub fn of_term(coefficients: &[Coefficient], term: Term) -> Option<&Coefficient> {
    coefficients.iter().find(|own| own.term == term)
}

/// Whether the coefficients of a model say the same (UM-26, UM-27). Those that the original does not determine are left out;
/// those that only the release does not determine any more are what it lost, and count as missed.
pub fn kept<'a>(
    keys: [&'static str; 2],
    model: &str,
    pairs: impl Iterator<Item = (&'a Coefficient, Option<&'a Coefficient>)>,
) -> Result<Vec<Figure>, UtilityError> {
    let estimate = |own: &Coefficient| {
        let standard_error = own.standard_error.filter(|error| error.is_finite())?;
        own.estimate.is_finite().then_some(Estimate { value: own.estimate, standard_error })
    };
    let pairs: Vec<(Estimate, Option<Estimate>)> =
        pairs.filter_map(|(raw, released)| Some((estimate(raw)?, released.and_then(&estimate)))).collect();
    conclusions(keys, model, &pairs)
}

/// What is said where a column to predict is named and there is nothing to predict it by, or nobody to test on.
pub const NOTHING_TO_LEARN: &str = "Nothing was learned: no record to learn from or to test on is left that has the column to predict, or no \
     other column tells it.";

/// How many of the original's estimates have one from the release in their interval, and how far intervals overlap. What the
/// release does not tell is in no interval and overlaps with none.
pub fn conclusions(
    keys: [&'static str; 2],
    of: &str,
    pairs: &[(Estimate, Option<Estimate>)],
) -> Result<Vec<Figure>, UtilityError> {
    // An estimate whose interval is wider than numbers reach says nothing.
    let is_told = |own: &Estimate| {
        let interval = own.interval(NORMAL_95);
        (interval.high - interval.low).is_finite()
    };
    let all = pairs.iter().filter(|own| is_told(&own.0)).count();
    let told: Vec<(Estimate, Estimate)> = pairs
        .iter()
        .filter_map(|&(own, released)| Some((own, released?)))
        .filter(|own| is_told(&own.0) && is_told(&own.1))
        .collect();
    if all == 0 {
        return Ok(Vec::new());
    }
    let originals: Vec<Estimate> = told.iter().map(|own| own.0).collect();
    let values: Vec<f64> = told.iter().map(|own| own.1.value).collect();
    let intervals = |side: fn(&(Estimate, Estimate)) -> Estimate| -> Vec<_> {
        told.iter().map(|own| side(own).interval(NORMAL_95)).collect()
    };
    let kept = analytical_validity(&originals, &values, NORMAL_95)?.kept;
    let overlap = mean_interval_overlap(&intervals(|own| own.0), &intervals(|own| own.1))?.unwrap_or(0.0);
    let lost = match all - told.len() {
        0 => String::new(),
        1 => " Missed is also one that the release does not tell any more.".to_owned(),
        lost => format!(" Missed are also the {lost} that the release does not tell any more."),
    };
    let figures = [
        figure(
            keys[0],
            &format!("Analytical validity, {of}"),
            kept as f64 / all as f64,
            true,
            &match all {
                1 => format!(
                    "Whether the one from the release lies in the 95 % interval of the original's only estimate: all or nothing.{lost}"
                ),
                all => format!(
                    "The share of the original's {all} estimates in whose 95 % interval lies the one from the release.{lost}"
                ),
            },
        ),
        figure(
            keys[1],
            &format!("Overlap of intervals, {of}"),
            overlap * told.len() as f64 / all as f64,
            true,
            &format!(
                "How far the 95 % intervals from the release and from the original overlap, on average: all for equal ones.{}",
                if lost.is_empty() {
                    ""
                } else {
                    " What the release does not tell any more overlaps with nothing."
                }
            ),
        ),
    ];
    Ok(figures.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Survey UM-26, UM-27: what a release lost is missed, not left out.
    #[test]
    fn what_a_release_lost_counts_as_missed() {
        let coefficients = |own: [(f64, Option<f64>); 3]| {
            let terms = [Term::Intercept, Term::Number { column: 0 }, Term::Number { column: 1 }];
            let of = |((estimate, standard_error), term)| Coefficient { term, estimate, standard_error };
            own.into_iter().zip(terms).map(of).collect::<Vec<_>>()
        };
        let raw = coefficients([(1.0, Some(0.5)), (2.0, Some(0.5)), (3.0, None)]);
        let released = coefficients([(1.0, Some(0.5)), (0.0, None), (3.0, Some(1.0))]);
        let found = |released: &[Coefficient]| {
            let pairs = raw.iter().map(|own| (own, of_term(released, own.term)));
            kept(["validity", "overlap"], "model", pairs)
                .unwrap()
                .iter()
                .map(|own| own.value)
                .collect::<Vec<_>>()
        };
        // Two that the original determines, one of which the release has.
        assert_eq!(found(&released), [0.5, 0.5]);
        assert_eq!(found(&[]), [0.0, 0.0]);
        assert_eq!(found(&raw), [1.0, 1.0]);
    }
}
