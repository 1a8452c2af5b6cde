//! Singling out, linkability, inference and the closest record, from a release of any kind beside its original: published
//! cells become what they stand for, column by column.
//!
//! # Guarantee
//! A column counts when the release and the original have it by name. Labels of a release stand for the values that its
//! manifest, the hierarchy of the job, or anyone's reading gives them; cells of a table that is no release of ours are values,
//! or ranges where they are written as such. Records stand for the person whose they are only where that is known.

use privet_attack::Knowledge;
use privet_attack::three_risks::{Asked, Beside, Column, Label, OwnRecords, Value};
use privet_data::io::{ReadOptions, read};
use privet_data::{Domain, Kind, Progress, Table};
use privet_release::Published;
use privet_release::published::{Meaning, Reading, coverage};

use super::original::{JobAt, count, recoding};
use super::people::spelled_as_in_the_data;
use crate::error::{JobError, RunError};

/// A release beside its original, ready to be attacked.
pub struct Sides<'a> {
    beside: Beside<'a>,
    sensitive: Vec<usize>,
    knowledge: &'a Knowledge,
    of_groups: bool,
}

/// Where everything comes from.
pub struct Given<'a> {
    /// What is published.
    pub release: &'a Published,
    /// The original.
    pub original: &'a Table,
    /// What tells hierarchies.
    pub job: Option<JobAt<'a>>,
    /// What the adversary knows.
    pub knowledge: &'a Knowledge,
    /// Cells that stand for a missing value.
    pub missing: Vec<String>,
    /// Which records came from whose, where that is known.
    pub own: Option<&'a OwnRecords<'a>>,
}

impl<'a> Sides<'a> {
    /// Puts both side by side, and the control.
    pub fn new(given: Given<'a>, progress: &dyn Progress) -> Result<Self, RunError> {
        let Given { release, original, job, knowledge, missing, own } = given;
        let control = match &knowledge.control {
            None => None,
            Some(file) => {
                // Whatever stands for it in the data, a blank is not known.
                let blank = missing.iter().all(|own| !own.is_empty()).then(String::new);
                let missing = missing.into_iter().chain(blank).collect();
                let options = ReadOptions { missing, ..ReadOptions::default() };
                let mut table = read(&knowledge.resolve(&file.path), &options, progress)?.table;
                spelled_as_in_the_data(&mut table, file, job, options)?;
                Some((table, file))
            }
        };
        let mut columns = Vec::new();
        for (at, published) in release.table.columns.iter().enumerate() {
            let Some(own) = original.column(&published.name) else { continue };
            let theirs = control.as_ref().and_then(|(table, file)| {
                table
                    .column(file.columns.get(&published.name).map_or(published.name.as_str(), String::as_str))
            });
            let (values, codes, others) = together(own, theirs);
            let counts = count(&codes, values.len());
            let hierarchy = match job.filter(|_| release.manifest.is_some()) {
                Some(job) => job.hierarchy(&published.name, &values, &counts)?,
                None => None,
            };
            let meaning = Meaning { hierarchy: hierarchy.as_ref(), recoding: recoding(release, at) };
            let of_values = release.manifest.is_none();
            columns.push(Column {
                name: published.name.clone(),
                labels: labels(&published.domain, &values, meaning, of_values),
                published: published.codes.clone(),
                values: (0..values.len() as u32).map(|code| value(&values, code)).collect(),
                original: codes,
                control: others,
            });
        }
        let sensitive = release.sensitive.iter();
        let sensitive =
            sensitive.filter_map(|own| columns.iter().position(|column| column.name == own.name)).collect();
        let beside = Beside {
            columns,
            records: release.table.rows,
            people: original.rows,
            strangers: control.as_ref().map(|(table, _)| table.rows),
            own,
        };
        if let Some(unknown) = knowledge.risks.columns().find(|own| beside.places([own.as_str()]).is_empty())
        {
            return Err(JobError::new(format!(
                "`[risks]` of the knowledge file names {unknown}, which the release and the original have not both"
            ))
            .into());
        }
        // Swapped and synthetic records come without the manifest of a generalized release.
        Ok(Self { beside, sensitive, knowledge, of_groups: release.manifest.is_some() })
    }

    /// What is asked of both.
    pub fn asked(&self, seed: u64, by_name: bool) -> Asked<'_> {
        let of_groups = self.of_groups;
        Asked {
            beside: &self.beside,
            risks: &self.knowledge.risks,
            sensitive: &self.sensitive,
            seed,
            by_name,
            of_groups,
        }
    }
}

/// The values of both columns in one domain, and the codes of each in it.
fn together(
    own: &privet_data::Column,
    theirs: Option<&privet_data::Column>,
) -> (Domain, Vec<u32>, Option<Vec<u32>>) {
    let Some(theirs) = theirs else { return (own.domain.clone(), own.codes.clone(), None) };
    let mut texts: Vec<Box<str>> = own.domain.texts().to_vec();
    let known: std::collections::HashMap<&str, u32> =
        own.domain.texts().iter().zip(0..).map(|(text, code)| (&**text, code)).collect();
    let mut place = Vec::with_capacity(theirs.domain.len());
    for text in theirs.domain.texts() {
        place.push(known.get(&**text).copied().unwrap_or_else(|| {
            texts.push(text.clone());
            texts.len() as u32 - 1
        }));
    }
    let missing: std::collections::HashSet<Box<str>> = [&own.domain, &theirs.domain]
        .into_iter()
        .flat_map(|domain| domain.texts().iter().take(domain.missing() as usize).cloned())
        .collect();
    let (domain, code_of) = Domain::canonical(texts, |text| missing.contains(text));
    let code = |place: u32| code_of.get(place as usize).copied().unwrap_or(0);
    let codes = own.codes.iter().map(|&own| code(own)).collect();
    let of_theirs = |own: &u32| place.get(*own as usize).map_or(0, |&place| code(place));
    (domain, codes, Some(theirs.codes.iter().map(of_theirs).collect()))
}

/// Numbers and days as such.
fn numeric(kind: Kind) -> Option<Kind> {
    match kind {
        Kind::Integer | Kind::Decimal => Some(Kind::Decimal),
        Kind::Date => Some(Kind::Date),
        Kind::Boolean | Kind::Text => None,
    }
}

fn value(values: &Domain, code: u32) -> Value {
    if values.is_missing(code) {
        return Value::Missing;
    }
    let number = numeric(values.kind()).and_then(|kind| kind.number(values.text(code)));
    number.map_or(Value::Text, Value::Number)
}

/// What published labels stand for.
fn labels(labels: &Domain, values: &Domain, meaning: Meaning<'_>, of_values: bool) -> Vec<Label> {
    let kind = numeric(values.kind());
    // Of a table that is no release of ours a text is that text and no other.
    let covers = (!of_values).then(|| coverage(labels, values, meaning));
    let is_point = meaning.recoding.and_then(|own| own.nodes.as_ref()).is_some_and(|own| own.kind == "modes");
    let of = |code: u32| -> Label {
        let text = labels.text(code);
        if labels.is_missing(code) {
            return Label::Missing;
        }
        if let Some(kind) = kind {
            if let Some(number) = kind.number(text) {
                return Label::Between(number, number);
            }
            match Reading::of(text, kind) {
                Some(Reading::Between { from, to, .. }) => return Label::Between(from, to),
                Some(Reading::Everything) => return Label::Anything,
                Some(Reading::Mask(_)) | None => {}
            }
        }
        let covered = match &covers {
            Some(covers) if !is_point => covers.of(code).to_vec(),
            _ => match (values.code_of(text), Reading::of(text, Kind::Text)) {
                (Some(own), _) => vec![own],
                (None, Some(Reading::Everything)) => return Label::Anything,
                (None, Some(reading)) => (values.missing()..values.len() as u32)
                    .filter(|&own| reading.takes(values, own, Kind::Text))
                    .collect(),
                (None, None) => Vec::new(),
            },
        };
        if covered.len() == values.len() && values.len() > 1 {
            return Label::Anything;
        }
        match kind {
            None => Label::Values(covered),
            Some(kind) => {
                let numbers = covered.iter().filter_map(|&own| kind.number(values.text(own)));
                let (from, to) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |own, number| {
                    (own.0.min(number), own.1.max(number))
                });
                if from <= to { Label::Between(from, to) } else { Label::Values(covered) }
            }
        }
    };
    (0..labels.len() as u32).map(of).collect()
}

/// Refuses what goes beyond a table of records.
pub fn not_of_buckets(release: &Published) -> Option<&'static str> {
    release.separates_values().then_some(
        "buckets publish identifying columns as they are and sensitive ones apart, so that no record is nearest in both",
    )
}

/// Reads the marks of missing values that the job or the release gives.
pub fn missing_of(release: &Published, job: Option<JobAt<'_>>) -> Result<Vec<String>, RunError> {
    Ok(match job {
        Some(job) => job.job.input.options()?.missing,
        None => super::original::told_missing(release).unwrap_or_else(|| vec![String::new()]),
    })
}

/// Per record of the original the published records that came from it.
pub fn inverted(record_of: &[u32], people: usize) -> Vec<Option<u32>> {
    let mut own = vec![None; people];
    for (published, &person) in (0u32..).zip(record_of) {
        if let Some(slot) = own.get_mut(person as usize) {
            *slot = Some(published);
        }
    }
    own
}
