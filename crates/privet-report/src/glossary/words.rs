//! The words and numbers of a page: only those that the page at hand uses.

use privet_release::Manifest;

use crate::form::FormWords;

use super::models::number_of;

/// A word and what it means.
pub(crate) type Word = (&'static str, &'static str);

pub(super) const ALWAYS: [Word; 4] = [
    ("Record", "One line of the table; in this report it stands for one person."),
    (
        "Identifying column (quasi-identifier)",
        "A column that says nobody’s name but that an outsider may know or find out, such as age, sex or postal code, \
         and that in combination with others can single a person out.",
    ),
    ("Sensitive column", "A column that a person would not want to be tied to her, such as a diagnosis."),
    (
        "Insensitive column",
        "A column that the publisher judged to be neither identifying nor sensitive; it is published unchanged.",
    ),
];

pub(crate) const CLASS: [Word; 2] = [
    (
        "Class",
        "All published records that have the same values in all identifying columns, so that nobody can tell them \
         apart by these columns.",
    ),
    (
        "Smallest, mean and largest class",
        "The fewest, the average and the most records that look alike; nobody is hidden among fewer people than the \
         smallest class has.",
    ),
];

pub(crate) const BUCKET: [Word; 2] = [
    (
        "Bucket",
        "A group of records whose sensitive values are published together, apart from the records, so that nobody can \
         read off whose is whose; the records of a bucket need not look alike, and where this page speaks of a class, it means a \
         bucket.",
    ),
    (
        "Smallest, mean and largest bucket",
        "The fewest, the average and the most records of a bucket; nobody’s sensitive value is mixed with fewer than the \
         smallest has.",
    ),
];

const LEVEL: [Word; 2] = [
    ("Generalization", "Replacing a value by a coarser one that is still true, such as the age 34 by 30–39."),
    (
        "Hierarchy, level, label",
        "The steps by which a column can be made coarser: level 0 is the original value, each higher level has fewer \
         labels, and at the top level all values usually share one.",
    ),
];

const MIXED: Word = (
    "Labels of mixed levels",
    "Some values of the column were made coarser than others, each only as far as was needed.",
);
const RANGE: Word = (
    "Range",
    "Neighbouring values were replaced by the span from the lowest to the highest of them, such as 31–37.",
);
const GROUP: Word = (
    "Group",
    "Records that are near each other were put together, and each shows the same label or value for all of them.",
);
const MEAN: Word = (
    "Mean, median, most frequent value of a group",
    "One value that stands for all records of a group; nobody in the group need have it.",
);
const CELLS: Word = (
    "Cell replaced by *",
    "Single values of a record were left out, while the other values of the record are published as they were.",
);

const LOSS: Word = (
    "Loss of detail",
    "How much detail was given up, from 0 for nothing to 1 for everything; the weight of a column says how much it counts \
     in the average over columns.",
);
const SUPPRESSION: Word = (
    "Suppression",
    "Leaving a record out of the release because it could not be protected otherwise; the search may leave out no more \
     than a share that was set beforehand.",
);
pub(crate) const RISK: Word = (
    "Risk of a record",
    "One divided by the size of its class: the chance to pick the right record for somebody who knows that a person is in \
     the table and knows all identifying values; the highest is that of the smallest class, the mean is the share of \
     people expected to be picked rightly.",
);
pub(crate) const RISK_OF_BUCKET: Word = (
    "Risk of a record",
    "One divided by the size of its bucket: the chance to pick the right line of sensitive values for somebody who has \
     found a person’s record, which a release of this kind does not hide.",
);
pub(crate) const REQUIRED: Word = (
    "Required, reached",
    "The bound that was set, and what the class that comes closest to breaking it has, rounded to the cautious side.",
);
pub(crate) const REQUIRED_OF_BUCKETS: Word = (
    "Required, reached",
    "The bound that was set, and what the bucket that comes closest to breaking it has, rounded to the cautious side.",
);
pub(crate) const WORST: Word = (
    "Worst class",
    "The class that comes closest to breaking a promise, told by its size and by the place of its first record in the \
     published table; what is reached there is reached everywhere.",
);
pub(crate) const WORST_BUCKET: Word = (
    "Worst bucket",
    "The bucket that comes closest to breaking a promise, told by its size and by the place of its first record in the \
     published table; what is reached there is reached everywhere.",
);
const LATTICE: Word = (
    "Candidate, lattice",
    "A candidate is one choice of a level for every identifying column; the lattice is the set of all of them.",
);
const CANDIDATE: Word = (
    "Candidate",
    "One way in which the table could have been published; those examined are those that the search looked at.",
);
const BOUND: Word = (
    "What is known of the best",
    "A number that no safe candidate of those searched can go below, so that it tells how much better another choice could \
     have been at most.",
);
const PURPOSE: Word = (
    "Trust, degree, priority",
    "How far the requester is trusted from 0 to 1, how much anonymization follows from it, and how much detail of each \
     column the purpose needs.",
);
const SAMPLE: Word = (
    "Sample",
    "Only some records of the original table were drawn by chance and used, so that nobody is known to be among them.",
);
const P_SAFE: Word = (
    "p-safe, originals",
    "An original is one way in which the sensitive values can belong to the people of the table; a search is p-safe when the promises \
     hold also for somebody who knows how it searches and goes through all originals for which it would have published the same.",
);
pub(super) const FILES: [Word; 2] = [
    (
        "SHA-256",
        "A fingerprint of a file: if a single character of the file changes, its fingerprint changes.",
    ),
    ("Bytes", "The size of a file, about one byte for each letter or digit."),
];

/// The words for attacks.
pub(crate) const ATTACKS: [Word; 8] = [
    (
        "Adversary",
        "Somebody who has the release and the stated knowledge, and wants to learn about people in the table.",
    ),
    (
        "Exposed",
        "The share of people about whom the adversary comes to believe something with the confidence that counts as \
         success, rightly or wrongly.",
    ),
    (
        "How sure the adversary is",
        "The chance that the adversary gives to the best guess about a person, from 0 to 100 %, with what is published and \
         assumed to be known.",
    ),
    (
        "Records that may be a person’s",
        "The published records that fit what the adversary knows about a person; where one is left, the person is found.",
    ),
    ("Right", "Of the people who are exposed, the share about whom what the adversary believes is true."),
    (
        "Risk of an attack",
        "The share of all people who are exposed and about whom the adversary is right; where the truth is not known, the \
         adversary is taken to be right.",
    ),
    (
        "What statistics alone would tell (control)",
        "How often the same attack succeeds against people whose own records the release does not hold: the nearer to \
         it the attack comes, the less the release itself is to blame.",
    ),
    (
        "95 % interval",
        "What chance allows the true rate to be: computed in this way, such an interval covers the true rate in 95 of \
         100 cases; drawn as a thin line with ends.",
    ),
];

/// The forms in which a page uses the words for attacks.
pub(super) const ATTACK_FORMS: [&[&str]; 7] = [
    &["dversary"],
    &["xposed"],
    &["how sure", "How sure"],
    &["may be theirs", "may be a person", "may be the person", "fit what"],
    &["adversary is right", "rightly"],
    &["Risk:", "as the risk", "Worst attack"],
    &["tatistics alone", "no control", "o control is told", "Its control"],
];

/// The words of the owner's page.
pub(super) const OWNER: [Word; 8] = [
    (
        "Accepted risk",
        "The largest share of people that the owner accepts to be exposed rightly by an attack, as the job file says.",
    ),
    (
        "Before, after",
        "The shares of records that have each value in the original, and as a reader of the release would estimate them.",
    ),
    (
        "Total variation distance",
        "The share of records that would have to change their value to turn one distribution into the other: 0 means that \
         both are the same, 1 that they have nothing in common.",
    ),
    (
        "Cramér’s V",
        "How strongly two columns go together, from 0 for not at all to 1 for one telling the other; pair by pair it is \
         corrected for what chance adds where columns have many values (Bergsma’s correction).",
    ),
    (
        "Guessing, trained on raw, trained on released",
        "The shares of unseen people whose class is told rightly by always naming the most frequent one, by a classifier \
         that learned from the original, and by one that learned from the release.",
    ),
    (
        "Relative error of a query",
        "By how much an answer from the release differs from the true one, as a share of the true one; the median is the \
         error that half of the queries stay below.",
    ),
    (
        "Loss and risk of a candidate",
        "The detail that a version gives up, suppressed records counting fully (exact for the published version, estimated \
         for others from what records lose on average), and the mean risk of its records, which is \
         the number of its classes divided by the number of its records.",
    ),
    (
        "Front",
        "The safe candidates that no other safe one beats in both loss and risk: whoever wants less of the one must accept \
         more of the other.",
    ),
];

/// The words that the page of this release uses.
pub(crate) fn words(manifest: &Manifest, has_attacks: bool, is_owners: bool) -> Vec<Word> {
    let form = FormWords::of(manifest.kind);
    let mut all: Vec<Word> = ALWAYS.to_vec();
    all.extend(form.glossary);
    all.push(form.risk);
    let recodings = || manifest.data.columns.iter().filter_map(|column| column.recoding.as_ref());
    let has = |kinds: &[&str]| {
        recodings().any(|r| r.nodes.as_ref().is_some_and(|nodes| kinds.contains(&nodes.kind.as_str())))
    };
    let has_levels = !manifest.kind.shows_identities()
        && (recodings().any(|recoding| recoding.level.is_some()) || has(&["cut", "group-nodes"]));
    if has_levels {
        all.extend(LEVEL);
    }
    let kinds: [(&[&str], Word); 5] = [
        (&["cut", "group-nodes"], MIXED),
        (&["ranges", "group-ranges"], RANGE),
        (&["group-nodes", "group-ranges", "means", "medians", "modes"], GROUP),
        (&["means", "medians", "modes"], MEAN),
        (&["cells"], CELLS),
    ];
    all.extend(kinds.into_iter().filter(|(kinds, _)| has(kinds)).map(|(_, word)| word));
    all.extend([SUPPRESSION, form.required]);
    for promise in &manifest.promises {
        let word = number_of(&promise.requirement, form);
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all.extend([form.worst_of_glossary, LOSS]);
    all.push(if manifest.search.lattice_nodes.is_some() { LATTICE } else { CANDIDATE });
    if manifest.search.bound.is_some() {
        all.push(BOUND);
    }
    if manifest.search.purpose.is_some() {
        all.push(PURPOSE);
    }
    if manifest.search.p_safe.is_some() {
        all.push(P_SAFE);
    }
    if manifest.data.sample.is_some() {
        all.push(SAMPLE);
    }
    if has_attacks {
        all.extend(ATTACKS);
    }
    if is_owners {
        all.extend(OWNER);
    }
    all.extend(FILES);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_one_sentence() {
        let single = [
            MIXED,
            RANGE,
            GROUP,
            MEAN,
            CELLS,
            LOSS,
            SUPPRESSION,
            RISK,
            RISK_OF_BUCKET,
            REQUIRED,
            WORST,
            WORST_BUCKET,
            LATTICE,
            CANDIDATE,
            BOUND,
            PURPOSE,
            P_SAFE,
            SAMPLE,
        ];
        let lists = [&ALWAYS[..], &CLASS, &BUCKET, &LEVEL, &FILES, &ATTACKS, &OWNER, &single];
        for (word, meaning) in lists.into_iter().flatten() {
            assert!(meaning.ends_with('.') && !meaning.contains(". "), "{word}");
        }
    }
}
