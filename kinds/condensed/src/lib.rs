//! Condensed records as a kind of release: synthetic records that have the means and covariances of groups of at least k records
//! (papers T-AL7, survey ME-16).
//!
//! Guarantee: every published record was drawn from the size, the means and the covariances of a group of at least k records of one
//! class, and of nothing else. It is not differential privacy: whoever knows all other records of a group learns the last.
//!
//! ```
//! use privet_kind::Kind;
//!
//! let ids: Vec<&str> = privet_condensed::CondensedKind.attacks().iter().map(|attack| attack.info().id).collect();
//! assert_eq!(ids, ["condensed-inference", "condensed-reproduction"]);
//! ```
#![forbid(unsafe_code)]

mod inference;
mod moments;
mod records;
mod reproduction;

use std::io::Write;
use std::path::{Path, PathBuf};

use privet_data::Progress;
use privet_kind::page::{Cell, Table as PageTable};
use privet_kind::{
    Assessment, Attack, Block, Fault, JobFile, Kind, KindError, Measure, Original, Outcome, OwnerFiles,
    PageSection, Release, Section, Views,
};
use privet_recode::condense::{Condensation, CondenseError, Condensed, Records};
use privet_release::{Draft, Promised, Randomness, ReleaseFolder};
use serde::{Deserialize, Serialize};

pub use records::{NumberTable, OriginalRecords, PublishedRecords};

/// The published records.
const RECORDS: &str = "records.csv";
/// Per group how many records it stands for, and how many were drawn from it.
const GROUPS: &str = "groups.csv";

/// The kind.
pub struct CondensedKind;

/// The `[input]` section.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Input {
    pub path: PathBuf,
    /// The columns to publish; all but the class when left out.
    #[serde(default)]
    pub columns: Option<Vec<String>>,
    /// A column of labels; each class is condensed by itself.
    #[serde(default)]
    pub class: Option<String>,
}

/// What only this kind states in the manifest.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Body {
    /// The columns of numbers.
    pub columns: Vec<String>,
    /// The column of classes.
    pub class: Option<String>,
    /// How groups were found.
    pub grouping: String,
    /// Records of classes with fewer than k records, which are not published.
    pub withheld: u64,
}

impl Kind for CondensedKind {
    fn id(&self) -> &'static str {
        "condensed"
    }

    fn title(&self) -> &'static str {
        "Condensed records"
    }

    fn sections(&self) -> &'static [Section] {
        &[Section {
            name: "condensed",
            keys: &[
                ("k", "The fewest records in a group, at least 2."),
                ("grouping", "How groups are found: nearest, mdav, v-mdav or mondrian."),
                ("alpha", "Synthetic records per record."),
                ("gamma", "How readily a group of v-mdav grows."),
                ("recentre", "Whether the mean of the records of a group is exactly the mean of the group."),
                ("standardize", "Whether each column is measured in units of its standard deviation."),
                ("seed", "The same seed gives the same records; it must stay secret."),
            ],
        }]
    }

    fn attacks(&self) -> &'static [&'static dyn Attack] {
        &[&inference::Inference, &reproduction::Reproduction]
    }

    fn measures(&self) -> &'static [&'static dyn Measure] {
        &[&moments::Moments, &moments::Correlations]
    }

    fn inputs(&self, job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
        Ok(vec![job.resolve(&job.required::<Input>("input")?.path)])
    }

    fn make(&self, job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
        let input: Input = job.required("input")?;
        let mut options: Condensation = job.section("condensed")?;
        options.check().map_err(failure)?;
        options.seed = Some(options.random_seed().map_err(failure)?);
        let table = NumberTable::read(&job.resolve(&input.path), &input, progress)?;
        let records = Records { dimension: table.names.len(), values: &table.values };
        let classes = table.class.as_ref().map(|_| table.classes.as_slice());
        let found = options.condense(&records, classes, progress).map_err(failure)?;
        if found.is_empty() {
            return Err(KindError::refused(
                "no synthetic record was drawn; a larger `condensed.alpha` draws more",
            ));
        }
        write(&found, &table, draft)?;
        let promised =
            Promised::new("condensed").with("k", options.k).reaching(found.smallest_group() as f64);
        let body = Body {
            columns: table.names.clone(),
            class: table.class.clone(),
            grouping: options.grouping.word().to_owned(),
            withheld: found.withheld,
        };
        let summary = [
            ("records read", table.len().to_string()),
            ("records published", found.len().to_string()),
            ("groups", found.groups.len().to_string()),
            ("smallest group", found.smallest_group().to_string()),
            ("records withheld", found.withheld.to_string()),
        ];
        Ok(Outcome {
            body: serde_json::to_value(body)
                .map_err(|_| KindError::bad_input("the manifest cannot be written"))?,
            promises: vec![promised],
            randomness: Randomness::Seeded,
            summary: summary.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            ..Outcome::default()
        })
    }

    fn open(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Box<dyn Release>, KindError> {
        let body: Body = folder.envelope().body()?;
        let table = folder.table(RECORDS, &records::named(), progress)?;
        let published = NumberTable::of(&table, &body.columns, body.class.as_deref())
            .map_err(|problem| folder.malformed(RECORDS, problem))?;
        let groups = folder.table(GROUPS, &records::named(), progress)?;
        Ok(Box::new(PublishedRecords { table: published, groups: groups.rows as u64, body }))
    }

    fn original(
        &self,
        job: &JobFile,
        _: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError> {
        let input: Input = job.required("input")?;
        Ok(Box::new(OriginalRecords {
            table: NumberTable::read(&job.resolve(&input.path), &input, progress)?,
        }))
    }
}

/// Writes the records of all groups, each number with as many digits as its column has, and what each group stands for.
fn write(found: &Condensed, table: &NumberTable, draft: &Draft) -> Result<(), KindError> {
    let io = |name: &'static str| move |error| KindError::io(Path::new(name), &error);
    let mut file = draft.create(RECORDS)?;
    let names: Vec<String> = table.names.iter().chain(&table.class).map(|name| quoted(name)).collect();
    writeln!(file, "{}", names.join(",")).map_err(io(RECORDS))?;
    for group in &found.groups {
        for record in group.records.chunks_exact(table.names.len()) {
            let mut cells: Vec<String> = record
                .iter()
                .zip(&table.decimals)
                .map(|(value, &decimals)| unsigned(format!("{value:.decimals$}")))
                .collect();
            cells.extend(
                group.class.filter(|_| table.class.is_some()).map(|class| quoted(table.label(class))),
            );
            writeln!(file, "{}", cells.join(",")).map_err(io(RECORDS))?;
        }
    }
    file.finish()?;
    let mut file = draft.create(GROUPS)?;
    writeln!(file, "records,drawn").map_err(io(GROUPS))?;
    for group in &found.groups {
        let drawn = group.records.len() / table.names.len().max(1);
        writeln!(file, "{},{drawn}", group.statistics.records()).map_err(io(GROUPS))?;
    }
    file.finish()?;
    Ok(())
}

/// Without the sign of a zero, which tells from which side it was rounded.
fn unsigned(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        _ => text,
    }
}

fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Whose turn it is.
fn failure(error: CondenseError) -> KindError {
    let fault = match &error {
        CondenseError::TooFew { .. } => Fault::Refused,
        CondenseError::NoSeed => Fault::Resources,
        CondenseError::Cancelled(_) => Fault::Stopped,
        CondenseError::Parameter { .. } => {
            return KindError::bad_input(format!("[condensed]: {error}"));
        }
        _ => Fault::BadInput,
    };
    KindError::new(fault, error.to_string())
}

impl Release for PublishedRecords {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }

    fn heading(&self) -> (String, String) {
        let line = format!("{} synthetic records of {} groups", self.table.len(), self.groups);
        ("Report on condensed records".to_owned(), line)
    }

    fn sections(&self, _: &Assessment) -> Vec<PageSection> {
        let rows = self.table.names.iter().enumerate().map(|(column, name)| {
            let (mean, deviation) = self.table.moments(column);
            vec![Cell::from(name.clone()), Cell::from(number(mean)), Cell::from(number(deviation))]
        });
        let table = PageTable {
            caption: "Columns of the published records".to_owned(),
            columns: ["column", "mean", "standard deviation"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        };
        let mut blocks = vec![
            Block::text(format!(
                "No published record is that of a person. The records of each group were drawn from its size, its means and its \
                 covariances; groups were found by `{}`. Values may lie outside of what people have.",
                self.body.grouping
            )),
            Block::Table(table),
        ];
        if self.body.withheld > 0 {
            blocks.push(Block::text(format!(
                "{} records of classes that are too small were left out.",
                self.body.withheld
            )));
        }
        vec![PageSection::new("records", "Records", blocks)]
    }
}

/// A number with four significant digits or so.
fn number(value: f64) -> String {
    let digits = if value.abs() >= 1000.0 { 0 } else { 3 };
    format!("{value:.digits$}")
}

impl Original for OriginalRecords {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }
}
