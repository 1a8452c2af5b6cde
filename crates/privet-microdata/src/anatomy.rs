//! Anatomy in a job (survey ME-13): buckets of different sensitive values, or those that a column of the input gives.
//!
//! A column that gives the buckets is taken out of the table before anything else looks at it; the number of the bucket is
//! published in its place. Whoever knows the column of a person knows the bucket, and the other way round.

use std::collections::BTreeMap;

use privet_data::{Progress, Role, Table};
use privet_recode::algorithm::{Algorithm, AlgorithmInfo, Publish, Selected, read};
use privet_recode::groups::Groups;
use privet_recode::lattice::{Problem, SearchError};
use privet_release::manifest::Anatomy;
use serde::Deserialize;

use crate::error::JobError;
use crate::job::Column;
use crate::search::by_the_job;

/// The `[search.anatomy]` section.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnatomySection {
    /// How many different sensitive values every bucket holds at least; from the promises when left out.
    pub l: Option<u64>,
    /// The seed; from the operating system when left out. Whoever knows it may tell values apart within a bucket.
    pub seed: Option<u64>,
    /// A column that is not published and says who is in which bucket, in place of buckets of different values.
    pub buckets_from: Option<String>,
    /// With `buckets-from`: merge buckets that do not keep a promise with others, instead of refusing them.
    pub merge: bool,
}

impl Algorithm for AnatomySection {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    /// Buckets may be given by a column, which a problem does not have.
    fn search(&self, _: &Problem<'_>, _: &dyn Progress) -> Result<Selected, SearchError> {
        by_the_job(&Self::INFO)
    }
}

impl AnatomySection {
    /// What it is; what it guarantees depends on the buckets (`guarantee_of`).
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "anatomy",
        summary: "Buckets of different sensitive values.",
        guarantees: &[
            "The promises hold in every bucket. Quasi columns are published as they are: who is in the table can be told.",
        ],
        judges_together: false,
        needs_monotone: false,
        publishes: Some(Publish::Buckets),
        read: read::<Self>,
    };

    /// Refuses keys that do not go together, or a column that would be published.
    pub fn check_columns(&self, columns: &BTreeMap<String, Column>) -> Result<(), JobError> {
        let wrong = |key: &str, problem: &str| Err(JobError::key(format!("search.anatomy.{key}"), problem));
        if self.l.is_some_and(|l| l < 2) {
            return wrong("l", "must be at least 2: a bucket of one record tells its value");
        }
        let Some(name) = &self.buckets_from else {
            return match self.merge {
                true => wrong(
                    "merge",
                    "goes with buckets-from only; other buckets are merged anyway. Leave it out",
                ),
                false => Ok(()),
            };
        };
        let unused = "does not go with buckets-from, which says who is in which bucket; leave it out";
        if self.l.is_some() {
            return wrong("l", &format!("{unused}, and promise l-diversity in [privacy]"));
        }
        if self.seed.is_some() {
            return wrong("seed", unused);
        }
        match columns.get(name).map(|column| column.role) {
            None | Some(Role::Identifier) => Ok(()),
            Some(role) => wrong(
                "buckets-from",
                &format!(
                    "names {name}, whose role is \"{}\": the number of the bucket is published in its place, so it must \
                     not be published itself. Give it role = \"identifier\", or no [columns] section",
                    role.word()
                ),
            ),
        }
    }
}

/// Takes the column that says who is in which bucket out of the table, so that nothing else sees it.
pub fn take_buckets(table: &mut Table, name: &str) -> Result<Groups, JobError> {
    let position = table.position(name);
    let Some(column) = position.map(|position| table.columns.remove(position)) else {
        return Err(JobError::key(
            "search.anatomy.buckets-from",
            "names a column that the input does not have",
        ));
    };
    match column.codes.iter().filter(|&&code| column.domain.is_missing(code)).count() {
        0 => Ok(Groups::numbered(&column.codes)),
        missing => Err(JobError::key(
            "search.anatomy.buckets-from",
            format!(
                "names a column that says nothing of {missing} records: its value is missing there. Fill it in, with a value \
                 of their own if they are to share a bucket, or take these records out of the input"
            ),
        )),
    }
}

/// What Anatomy guarantees of buckets that came about like this.
pub fn guarantee_of(told: &Anatomy) -> String {
    let more = match told.l {
        Some(l) if l > 1 => format!(
            "No value of the first sensitive column is in more than 1/{l} of a bucket, so the bucket alone makes none of these \
             likelier than that."
        ),
        Some(_) => "They ask for no number of different values in a bucket.".to_owned(),
        None => "Buckets were given, not searched for. In a sensitive column that no promise is about, no bucket holds one \
                 value alone, unless the table does."
            .to_owned(),
    };
    format!(
        "The promises hold in every bucket. {more} Quasi columns are published as they are: who is in the table can be told."
    )
}
