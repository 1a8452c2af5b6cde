//! What the number of each privacy model says, in one sentence for a person who is no statistician (survey, section 2).

use privet_criteria::Requirement;

use super::Word;
use crate::form::FormWords;

/// The number of the models that bound what somebody comes to know.
const CHANCE: Word = (
    "Chance (3D privacy and its kin)",
    "How sure of a person’s sensitive value somebody can become who knows a stated number of facts, whichever facts help most.",
);

/// The number of a model and what it says.
pub(crate) fn number_of(requirement: &Requirement, form: &FormWords) -> Word {
    match requirement {
        Requirement::PSensitivity { .. } => (
            "p, k and α (p-sensitive k-anonymity)",
            form.either(
"Records that look alike are at least k and have at least p different sensitive values, or categories of \
             them, and with α the values weigh at least that much together.",
"The records of a bucket are at least k and have at least p different sensitive values, or categories of \
             them, and with α the values weigh at least that much together.",
),
        ),
        Requirement::AlphaK { .. } => (
            "α and k ((α,k)-anonymity)",
            form.either(
"Records that look alike are at least k, and no protected value makes up more than the share α of them.",
"The records of a bucket are at least k, and no protected value makes up more than the share α of them.",
),
        ),
        Requirement::KAnonymity { .. } => (
            "k (k-anonymity)",
            form.either(
"How many published records look alike at least: a person cannot be told from k\u{a0}−\u{a0}1 others.",
"How many published records share a bucket at least: a sensitive value is mixed with k\u{a0}−\u{a0}1 others.",
),
        ),
        Requirement::KMap { .. } => (
            "k (k-map)",
            "How many people of the whole population, in the table or not, fit a published record at least.",
        ),
        Requirement::ProximityDiversity { .. } => (
            "ℓ, width and balance (proximity-aware diversity)",
            form.either(
"The sensitive numbers of records that look alike are spread over at least ℓ ranges: width says how far apart \
             two numbers must lie to count as different, balance how evenly they must be spread.",
"The sensitive numbers of the records of a bucket are spread over at least ℓ ranges: width says how far apart \
             two numbers must lie to count as different, balance how evenly they must be spread.",
),
        ),
        Requirement::LDiversity { .. } | Requirement::ConceptDiversity { .. } => (
            "ℓ and c (ℓ-diversity)",
            form.either(
"How many sensitive values are well represented among records that look alike, so that ℓ\u{a0}−\u{a0}1 of them must be \
             ruled out to be sure; where there is a c, it bounds how much more frequent the most frequent one may be.",
"How many sensitive values are well represented among the records of a bucket, so that ℓ\u{a0}−\u{a0}1 of them must be \
             ruled out to be sure; where there is a c, it bounds how much more frequent the most frequent one may be.",
),
        ),
        Requirement::TCloseness { .. } => (
            "t (t-closeness)",
            form.either(
"How far the sensitive values of records that look alike may be distributed differently from those of the \
             whole table: 0 means that finding a person’s group tells nothing new.",
"How far the sensitive values of the records of a bucket may be distributed differently from those of the \
             whole table: 0 means that finding a person’s group tells nothing new.",
),
        ),
        Requirement::DeltaPresence { .. } => (
            "δ (δ-presence)",
            "How sure one can be at most, or must be at least, that a given person is in the table.",
        ),
        Requirement::DeltaDisclosure { .. } => (
            "δ (δ-disclosure privacy)",
            form.either(
"How much more or less frequent than in the whole table a sensitive value may be among records that look \
             alike, on a logarithmic scale: 0 means equally frequent.",
"How much more or less frequent than in the whole table a sensitive value may be among the records of a \
             bucket, on a logarithmic scale: 0 means equally frequent.",
),
        ),
        Requirement::BetaLikeness { .. } => (
            "β (β-likeness)",
            form.either(
"By how much at most a sensitive value may be more frequent among records that look alike than in the whole \
             table: 1 means twice as frequent.",
"By how much at most a sensitive value may be more frequent among the records of a bucket than in the whole \
             table: 1 means twice as frequent.",
),
        ),
        Requirement::ThreeD { .. } | Requirement::CKSafety { .. } => CHANCE,
    }
}

#[cfg(test)]
mod tests {
    use privet_release::manifest::Form;

    use super::*;

    #[test]
    fn every_number_is_one_sentence() {
        let column = || Some("d".to_owned());
        let population = || "people.csv".into();
        for requirement in [
            Requirement::KAnonymity { k: 2 },
            Requirement::KMap { k: 2, population: population() },
            Requirement::DeltaPresence { min: 0.0, max: 0.5, population: population() },
            Requirement::DeltaDisclosure { delta: 1.0, column: column() },
            Requirement::CKSafety { c: 0.5, k: 1, column: column() },
        ] {
            for form in [Form::Generalized, Form::Bucketized] {
                let (word, meaning) = number_of(&requirement, FormWords::of(form));
                assert!(meaning.ends_with('.') && !meaning.contains(". "), "{word}");
            }
        }
    }
}
