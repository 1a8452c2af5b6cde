//! What the public page may say of an attack.
//!
//! Rates that were scored by the original, and controls, stay with the owner ([`Finding::without_truth`]). Of the notes those
//! are told that a reader could have written: what the attack was made on, what was gone through, who is not counted. A page
//! without them would claim more than was done.
//!
//! # Guarantee
//! Only notes that are listed here are told. One that is worded in another way is kept back, never told by mistake.

use privet_attack::Finding;

/// How notes begin, or what they hold, that rest on the release and on what the adversary is assumed to know alone.
const OF_THE_RELEASE: &[&str] = &[
    // What it was made on.
    "It was made on a random sample",
    "Made on a random sample",
    "It was not made on",
    "People who were asked about, drawn at random",
    "This is about the server, not about the release",
    "Pairs compared:",
    // What was gone through.
    "All worlds were gone through",
    "There are too many worlds to go through",
    "records the walks disagree",
    "worlds were gone through;",
    "worlds drawn at random,",
    "so that all worlds lead to this release",
    "worlds of the groups that are spoken of",
    "ways to place them were weighed",
    "The adversary knows who is in each class",
    "Buckets show the quasi columns as they are",
    "Only labels are known of the people in a class",
    "leaves hardly any room within the release",
    // Who is not counted.
    "Not counted:",
    "Not counted as exposed:",
    "they do not count",
    "none of them counts as exposed",
    "so that nobody of them counts",
    "People who are left out, because the knowledge itself says",
    "count by their frequencies alone",
    "it is not used, because they may stand in several groups",
    "People of whom another release is not used",
    "and count by the mixture of these",
    "which exclude nobody: each person was linked to",
    "exclude nobody: each person was linked to the nearest",
    // What is assumed, and what the release alone shows.
    "Whoever stands alone is found by these columns",
    "The table of people has insensitive columns too",
    "The table of people has sensitive columns that are known",
    "People of whom something is believed beforehand",
    "People of whom something is known beforehand",
    "Statements that are known:",
    "Denied values that nobody is published with",
    "Releases put together:",
    "Releases that are not used",
    "Views put together:",
    "Said to be of other tables",
    "The worst that any statements about the whole table would tell",
    "The surest that anybody could be",
    "To bound this, promise",
    "worlds and all such knowledge of them were gone through besides",
    "to learn that a value is missing counts like any other",
    "The fewest values that are left for anybody",
];

/// What notes hold that rest on the original, whatever else they say.
const OF_THE_ORIGINAL: &[&str] =
    &["the person's own", "is right for", "would be right", "who are in the data", "not in the data"];

/// A sentence that is added to a note and rests on the original.
const LOTS: &str = " Drawing lots among these";

/// A finding as its readers may see it.
pub(super) fn told(finding: &Finding) -> Finding {
    let notes = finding.notes.iter().map(|note| note.split(LOTS).next().unwrap_or_default());
    let notes = notes.filter(|note| is_of_the_release(note)).map(str::to_owned).collect();
    Finding { notes, ..finding.without_truth() }
}

fn is_of_the_release(note: &str) -> bool {
    let has = |all: &[&str]| all.iter().any(|part| note.contains(part));
    has(OF_THE_RELEASE) && !has(OF_THE_ORIGINAL)
}

#[cfg(test)]
mod tests {
    use privet_attack::{Rate, Unit};

    use super::*;

    fn finding(notes: &[&str]) -> Finding {
        Finding {
            attack: "definetti",
            column: None,
            assumed: String::new(),
            success: String::new(),
            unit: Unit::People,
            exposed: Rate::new(3, 10),
            right: Some(Rate::new(2, 3)),
            control: Some(Rate::new(1, 10)),
            control_group: Some("others".to_owned()),
            baseline: None,
            risk: 0.2,
            not_counted: None,
            histogram: Vec::new(),
            histogram_of: "",
            notes: notes.iter().map(|&own| own.to_owned()).collect(),
        }
    }

    /// Sentences as the attacks write them.
    #[test]
    fn notes_that_rest_on_the_original_stay_at_home() {
        let told = told(&finding(&[
            "The best guess is right for 71 % of the records; for 40 % by frequencies within the group alone.",
            "It was made on a random sample of the groups, with 500 of 9000 records: on all of them it would take too long.",
            "There are too many worlds to go through: twelve walks through them were averaged.",
            "Of 12 records the walks disagree, by a standard error of more than 5 %.",
            "Not counted as exposed: 3 more of whom one seems to be as sure, but only within the error of the walks.",
            "The nearest group is the person's own for 4 of 9.",
            "People of the list who are not in the data, and are not counted: 8; of 2 of them the adversary would be sure, and wrong.",
            "For 5 people several records, or for a record several people, fit equally well: nobody is told apart, and none of \
             them counts as exposed. Drawing lots among these would be right for 1.5 of them.",
            "This release alone exposes 3 %.",
            "Telling who is in the data from who is not: area under the curve 0.700 (0.5 is guessing), advantage 0.300.",
            "There is no control: a table of people who are not in the data ([control]) would be one.",
        ]));
        let expected = [
            "It was made on a random sample",
            "There are too many worlds",
            "Of 12 records the walks",
            "Not counted as exposed: 3",
            "For 5 people several records",
        ];
        assert_eq!(told.notes.len(), expected.len(), "{:?}", told.notes);
        assert!(
            told.notes.iter().zip(expected).all(|(own, begins)| own.starts_with(begins)),
            "{:?}",
            told.notes
        );
        assert!(!told.notes.iter().any(|own| own.contains("lots")));
        assert_eq!((told.right, told.control, told.risk), (None, None, 0.3));
    }
}
