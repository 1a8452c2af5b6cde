//! Records that were swapped or made, whoever did it: those of `privet randomize`, and tables of synthetic records that are no
//! release.
//!
//! # Guarantee
//! Whose a record is counts as known only where a release of ours says that its records stand in the order of the original.
//! Attacks that look for a person's record are not made on others, and not counted as failed.

use privet_data::io::{ReadOptions, read};
use privet_data::{Equality, Progress, Role, Table};
use privet_release::{Published, PublishedRecords};
use privet_report::{Assessment, NotMade};

use super::original::{Given, JobAt, Original};
use super::people::name_in_original;
use super::perturbed::Source;
use super::{AttackOptions, known, records};
use crate::adversary::AdversarySection;
use crate::error::{JobError, RunError};
use privet_attack::ids;

/// Without being asked for, people are linked to such records up to so many, in a few seconds.
const DEFAULT_RECORDS: u64 = 100_000;
/// What is made on more of them: whose records come out again.
const QUICK: &str = ids::REPRODUCTION;
/// Why no record of a person is looked for among records that are nobody's.
const SYNTHETIC: &str = "every record is synthetic and nobody's, so there is no record of a person to be found; `reproduction` tells \
                         whose values come out again";
const BY_OTHERS: &str = "nothing says whose each record is, so that nobody can tell whether the person's is found; `reproduction`, \
                         `linkability`, `inference` and, with [control], `closest-record` and `membership` tell whose values come near";

/// Tables of records that need not be anybody's.
pub(super) struct MadeRecords<'a> {
    /// All copies, with the same columns.
    pub tables: &'a [Table],
    /// Per column its name, and its role as a word.
    pub columns: Vec<(&'a str, &'a str)>,
    /// The columns whose values were changed.
    pub changed: Vec<&'a str>,
    /// Whether records stand in the order of the original, one for each of its records.
    pub in_order: bool,
    /// What stands for a missing value.
    pub missing: Vec<String>,
    /// What tells hierarchies of sensitive columns.
    pub job: Option<JobAt<'a>>,
    /// Why no record of a person is looked for, where they do not stand in order.
    pub nobody: &'static str,
}

impl<'a> MadeRecords<'a> {
    /// Those of a release.
    pub fn of(published: &'a PublishedRecords) -> Self {
        let columns = &published.manifest.model.columns;
        Self {
            tables: &published.tables,
            columns: columns.iter().map(|own| (own.name.as_str(), own.role.as_str())).collect(),
            changed: published.changed(),
            in_order: published.is_in_order(),
            missing: published.manifest.model.missing.clone(),
            job: None,
            nobody: SYNTHETIC,
        }
    }
}

/// Leaves out what takes its time on many records, where nobody asked for it, and tells what that is.
pub(super) fn without_being_asked(options: &mut AttackOptions, made: &MadeRecords<'_>) -> Vec<NotMade> {
    let rows: u64 = made.tables.iter().map(|own| own.rows as u64).sum();
    if options.attacks.is_some() || options.knowledge.is_some() || rows <= DEFAULT_RECORDS {
        return Vec::new();
    }
    options.attacks = Some(vec![QUICK.to_owned()]);
    let why = format!("it was not asked for, and takes its time on more than {DEFAULT_RECORDS} records");
    let others = records::ATTACKS.into_iter().filter(|word| *word != QUICK);
    others.map(|word| NotMade::new(word, why.clone())).collect()
}

/// Attacks a table of synthetic records that is no release, with the roles that a job gives its columns.
pub fn attack(options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    let wrong = |problem: &str| RunError::from(JobError::new(problem).at(&options.release));
    AdversarySection::of_flags(options).check_flags_of_numbers()?;
    records::check_words(options)?;
    let knowledge = records::knowledge(options, true)?;
    if options.report.is_some() {
        return Err(wrong("is a table and no release folder, and has no report"));
    }
    let job_path = options.job.clone().or_else(|| knowledge.job.as_ref().map(|path| knowledge.resolve(path)));
    let original = options.original.as_deref();
    let given = original.map(|path| Given::new(path, job_path.as_deref(), &options.settings)).transpose()?;
    let job_file = given.as_ref().and_then(|own| own.job_file.as_deref()).or(job_path.as_deref());
    known::check_job(&knowledge, job_file).map_err(|error| match &options.knowledge {
        Some(path) => JobError::new(format!("`job`: {error}")).at(path),
        None => error,
    })?;
    if job_file.is_none() {
        return Err(wrong(
            "is a table and no release folder; synthetic records are attacked with a job (--job, or as --original) that \
             says which of its columns are quasi and which are sensitive",
        ));
    }
    let Some((given, job)) = given.as_ref().and_then(|own| Some((own, own.job()?))) else {
        return Err(wrong(
            "is a table and no release folder, and its records are nobody's: only the table that they were made from tells \
             whose they come near; give it as --original",
        ));
    };
    let table = published(options, &given.options.missing, job, progress)?;
    let roles = |name: &str| match job.job.columns.get(name).map(|own| own.role) {
        Some(Role::Quasi) => "quasi",
        Some(Role::Sensitive) => "sensitive",
        _ => "insensitive",
    };
    let columns: Vec<(&str, &str)> =
        table.columns.iter().map(|own| (own.name.as_str(), roles(&own.name))).collect();
    let with_role = |role: &str| (0..columns.len()).filter(|&at| columns[at].1 == role).collect(); // why: a position of them
    let release = Published::of_table(table.clone(), with_role("quasi"), with_role("sensitive"), progress)?;
    let name: Vec<&str> = knowledge.people.as_ref().and_then(name_in_original).into_iter().collect();
    let read_as = given.options_for(&release);
    let original = Original::read(&given.path, &read_as, Some(job), &release, &name, progress)?;
    let made = MadeRecords {
        tables: std::slice::from_ref(&table),
        changed: columns.iter().map(|own| own.0).collect(),
        columns,
        in_order: false,
        missing: given.options.missing.clone(),
        job: Some(job),
        nobody: BY_OTHERS,
    };
    records::assess(options, &knowledge, &made, Source::Table(&original.table, &given.path), progress)
}

/// The table, its values as they stand; values that are protected are the same however they are written.
fn published(
    options: &AttackOptions,
    missing: &[String],
    job: JobAt<'_>,
    progress: &dyn Progress,
) -> Result<Table, RunError> {
    let mut equality_of = job.job.options(job.base)?.equality_of;
    equality_of.retain(|name, _| job.job.columns.get(name).is_some_and(|own| own.role == Role::Sensitive));
    let reading = ReadOptions {
        missing: missing.to_vec(),
        equality_of,
        equality: Equality::EXACT,
        ..ReadOptions::default()
    };
    Ok(read(&options.release, &reading, progress)?.table)
}
