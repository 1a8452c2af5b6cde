//! The words of a page that depend on the form of the records: what is shared is a class, whose records look alike, or a bucket,
//! whose records need not.

use privet_release::manifest::Form;

use crate::glossary::{
    BUCKET, CLASS, REQUIRED, REQUIRED_OF_BUCKETS, RISK, RISK_OF_BUCKET, WORST, WORST_BUCKET, Word,
};
use crate::sections::{COARSENED, LOOK_ALIKE};
use crate::text::{count, counted};

/// The words for a form.
pub(crate) struct FormWords {
    group: &'static str,
    groups: &'static str,
    /// The smallest group, as a figure.
    pub smallest: &'static str,
    /// The worst group, as the heading of a column of numbers.
    pub worst: &'static str,
    /// The headings of sections that other forms call otherwise.
    pub headings: &'static [(&'static str, &'static str)],
    /// Who shares a value where a group has only one.
    pub sharers: &'static str,
    /// What is published of the identifying columns, where nothing of it can be drawn.
    pub identifying: Option<&'static str>,
    /// What the release does not hide.
    pub limit: Option<&'static str>,
    /// What the risk by the size of a group is.
    pub risk_of_size: &'static str,
    /// What the risks of single records are, where that is not plain.
    pub risk_of_records: Option<&'static str>,
    /// What the search did instead of choosing levels, where the form alone tells it.
    pub instead: Option<&'static str>,
    /// What a group is, for the glossary.
    pub glossary: &'static [Word; 2],
    /// The risk, for the glossary.
    pub risk: Word,
    /// The worst group, for the glossary.
    pub worst_of_glossary: Word,
    /// What was required and reached, for the glossary.
    pub required: Word,
    /// How a sentence begins that is about the records of one group.
    pub among: &'static str,
    /// The records of one group, at the beginning of a sentence.
    pub members: &'static str,
    /// Knowledge of the group that a person is in, at the beginning of a sentence.
    pub knowing: &'static str,
    /// What records of one group share, before and after the number of others; and where there need be none.
    shared: (&'static str, &'static str),
    either: fn(&'static str, &'static str) -> &'static str,
}

const GENERALIZED: FormWords = FormWords {
    group: "class",
    groups: "classes",
    smallest: "Smallest class",
    worst: "#Worst class",
    headings: &[],
    sharers: "records that look alike",
    identifying: None,
    limit: None,
    risk_of_size: "<p>Whoever knows that a person is in the table, and knows all identifying values, picks the right record with a \
         chance of one divided by the size of its class. This is the risk below; whoever knows less has less chance.</p>\n",
    risk_of_records: None,
    instead: None,
    glossary: &CLASS,
    risk: RISK,
    worst_of_glossary: WORST,
    required: REQUIRED,
    among: "Among records that look alike",
    members: "Records that look alike",
    knowing: "Knowing which records a person is among",
    shared: (
        "Every published record looks like at least",
        "A published record need not look like any other.",
    ),
    either: |of_classes, _| of_classes,
};

const BUCKETIZED: FormWords = FormWords {
    group: "bucket",
    groups: "buckets",
    smallest: "Smallest bucket",
    worst: "#Worst bucket",
    headings: &[
        (LOOK_ALIKE, "How large buckets are"),
        (COARSENED, "How the identifying columns are published"),
    ],
    sharers: "the records of a bucket",
    identifying: Some(
        "<p>These columns are published as they are, each record with the number of its bucket. The sensitive values \
             stand in tables of their own, counted by bucket: the release does not say whose they are. What can still be guessed stands under <a \
             href=\"#attacks\">attacks</a>.</p>\n",
    ),
    limit: Some(
        "Who is in the table is not hidden: the identifying columns are published as they are, so whoever knows \
             them finds the record and its bucket. Whoever also knows how such tables come about, or what goes together \
             in other buckets, can guess better than the counts of one bucket say (the deFinetti attack).",
    ),
    risk_of_size: "<p>A class is a bucket here. Whoever has found a person’s record picks the right line of the bucket’s sensitive \
         values with a chance of one divided by the size of the bucket. This is the risk below.</p>\n",
    risk_of_records: Some(
        "<p>Buckets publish identifying values as they are. The chances here are those of finding a person’s record, which \
             buckets do not hide; they hide which of its bucket’s sensitive values is that record’s, and the risk further below \
             is about that.</p>\n",
    ),
    instead: Some("it put records into buckets"),
    glossary: &BUCKET,
    risk: RISK_OF_BUCKET,
    worst_of_glossary: WORST_BUCKET,
    required: REQUIRED_OF_BUCKETS,
    among: "Among the records of a bucket",
    members: "The records of a bucket",
    knowing: "Knowing which bucket a person is in",
    shared: ("Every published record shares its bucket with at least", "A bucket may hold a single record."),
    either: |_, of_buckets| of_buckets,
};

impl FormWords {
    /// Those of a form.
    pub fn of(form: Form) -> &'static Self {
        match form {
            Form::Generalized => &GENERALIZED,
            Form::Bucketized => &BUCKETIZED,
        }
    }

    /// A number of groups.
    pub fn counted(&self, many: u64) -> String {
        counted(many, self.group, self.groups)
    }

    /// Of a sentence about classes and the same about buckets the one that is true of this form.
    pub fn either(&self, of_classes: &'static str, of_buckets: &'static str) -> &'static str {
        (self.either)(of_classes, of_buckets)
    }

    /// With how many others a record shares its group, where groups have at least k records.
    pub fn shared_by(&self, k: u64) -> String {
        let (shared, alone) = self.shared;
        match k {
            0 | 1 => alone.to_owned(),
            2 => format!("{shared} 1 other."),
            k => format!("{shared} {} others.", count(k - 1)),
        }
    }

    /// The heading of a section where this form has one of its own.
    pub fn heading(&self, title: &str) -> Option<&'static str> {
        self.headings.iter().find(|(of, _)| *of == title).map(|(_, own)| *own)
    }
}
