//! When two texts of a column are one value, as a job says it and its hierarchies imply it, and what whoever runs the job should
//! know of how values were written.
//!
//! Guarantee: a promise counts values, not ways to write them. Columns of numbers and dates are compared by value unless the job
//! or a hierarchy of masks says that their digits are codes. Texts are compared without the blanks at their ends unless the job
//! says otherwise; texts that differ by letter case, by blanks within, or as numbers among other texts are told, since nobody
//! but the owner knows whether they are one value. No message holds a value.

use std::collections::BTreeMap;
use std::path::Path;

use privet_data::hierarchy::build;
use privet_data::io::ReadOptions;
use privet_data::{Column, Comparison, Domain, Equality, Kind, Role};

use crate::codes::{is_of_codes, masks};
use crate::error::JobError;
use crate::job::{Compare, Input, Job};

impl Input {
    /// When two texts of a column are one value, where its section says nothing else.
    pub fn equality(&self) -> Equality {
        let plain = Equality::default();
        Equality {
            trim: self.trim.unwrap_or(plain.trim),
            fold_case: self.fold_case.unwrap_or(plain.fold_case),
            ..plain
        }
    }
}

impl Job {
    /// How to read the input, for all columns. `base` is the folder of the job file, where hierarchies lie.
    ///
    /// # Errors
    /// When a value is not one of those accepted.
    pub fn options(&self, base: &Path) -> Result<ReadOptions, JobError> {
        let options = self.input.options()?;
        let of = |name: &String| (name.clone(), self.equality(name, base));
        let equality_of = self.columns.keys().map(of).filter(|own| own.1 != options.equality).collect();
        Ok(ReadOptions { equality_of, ..options })
    }

    /// When two texts of a column are one value.
    fn equality(&self, name: &str, base: &Path) -> Equality {
        let all = self.input.equality();
        let Some(column) = self.columns.get(name) else { return all };
        let of_codes = || {
            column.hierarchy.as_ref().is_some_and(|spec| {
                // Hierarchies that are written down tell without values; what is wrong with one is told by whoever fits it.
                let nothing = Domain::from_sorted(Vec::new(), 0, Kind::Text);
                is_of_codes(spec, || build(spec, base, &nothing, &[]).is_ok_and(|own| masks(&own)))
            })
        };
        let compare = match (column.compare, column.role) {
            (Some(Compare::Value), _) => Comparison::Value,
            (Some(Compare::Text), _) => Comparison::Text,
            // Numbers of people and records are names.
            (None, Role::Identifier) => Comparison::Text,
            (None, _) if of_codes() => Comparison::Text,
            (None, _) => Comparison::Kind,
        };
        Equality {
            compare,
            trim: column.trim.unwrap_or(all.trim),
            fold_case: column.fold_case.unwrap_or(all.fold_case),
        }
    }
}

/// Refuses keys in columns that they do nothing for.
pub fn check(job: &Job) -> Result<(), JobError> {
    for (name, column) in &job.columns {
        if column.role == Role::Identifier && (column.compare.is_some() || column.fold_case.is_some()) {
            let key =
                format!("columns.{name}.{}", if column.compare.is_some() { "compare" } else { "fold-case" });
            return Err(JobError::key(key, "does nothing for an identifier, which is not published"));
        }
    }
    Ok(())
}

/// What a manifest says of columns whose values are not compared as columns of their kind are.
pub fn told(columns: &[Column], job: &Job, base: &Path) -> BTreeMap<String, Equality> {
    let of = |column: &Column| {
        let own = job.equality(&column.name, base);
        // Texts are compared as texts.
        let is_plain = own.compare == Comparison::Text && column.domain.kind() == Kind::Text;
        (
            column.name.clone(),
            Equality { compare: if is_plain { Comparison::Kind } else { own.compare }, ..own },
        )
    };
    columns.iter().map(of).filter(|own| own.1 != Equality::default()).collect()
}

/// What whoever runs the job should know of how the values of columns that are protected were written.
pub fn written(job: &Job, columns: &[Column]) -> Vec<String> {
    let protects = |column: &&Column| {
        matches!(job.columns.get(&column.name).map(|own| own.role), Some(Role::Quasi | Role::Sensitive))
    };
    columns
        .iter()
        .filter(protects)
        .flat_map(|column| [in_several_forms(column), look_alike(column)])
        .flatten()
        .collect()
}

/// Values that were written in several ways and are published in one.
fn in_several_forms(column: &Column) -> Option<String> {
    let values = column.values_in_several_forms();
    (values > 0).then(|| {
        format!(
            "{}: {} written in more than one way (such as 100 and 100.0, or with blanks) and counted and published as one. If \
             they are codes, whose texts differ, set compare = \"text\" for the column",
            column.name,
            if values == 1 { "1 value is".to_owned() } else { format!("{values} values are") },
        )
    })
}

/// Texts that are counted as different values, and perhaps are not.
fn look_alike(column: &Column) -> Option<String> {
    let values = column.domain.look_alikes();
    (values > 0).then(|| {
        format!(
            "{}: {values} texts that are counted as different values differ from another only by letter case, by blanks, by how letters \
             are encoded, as 100 does from 100.0 or 1,000 from 1000, or by the offset of a time. If they mean the same, set fold-case = \
             true or compare = \"value\" for the column, or correct the data: promises about it count them apart",
            column.name
        )
    })
}
