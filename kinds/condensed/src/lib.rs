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
//! assert!(ids.contains(&"condensed-reproduction"));
//! ```
#![forbid(unsafe_code)]

mod answer;
mod class;
mod closest;
mod columns;
pub mod condense;
mod digits;
mod inference;
mod moments;
mod nearest;
mod records;
mod reproduction;
mod stream;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::condense::{CondenseError, Condensed, Records};
use privet_data::Progress;
use privet_kind::page::{Cell, Table as PageTable};
use privet_kind::{
    Assessment, Attack, Block, Fault, JobFile, Kind, KindError, Measure, NoAnswer, Original, Outcome,
    OwnerFiles, PageSection, Question, Release, ReleaseAnswer, Section, Views,
};
use privet_release::{Draft, Promised, Randomness, ReleaseFolder};
use serde::{Deserialize, Serialize};

pub use crate::condense::Grouping;
use digits::{Precision, number_text};
pub use records::{NumberTable, OriginalRecords, PublishedRecords};
pub use stream::{Lines, StreamReport, condense_stream};

/// How records are condensed: the `[condensed]` section.
pub use crate::condense::Condensation;

/// The published records.
const RECORDS: &str = "records.csv";
/// Per group how many records it stands for, and how many were drawn from it.
const GROUPS: &str = "groups.csv";

/// The kind.
pub struct CondensedKind;

/// The `[input]` section.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Input {
    /// The table.
    pub path: PathBuf,
    /// The columns to publish; all but the class when left out.
    #[serde(default)]
    pub columns: Option<Vec<String>>,
    /// A column of labels; each class is condensed by itself.
    #[serde(default)]
    pub class: Option<String>,
    /// A column that names the group of each record; it is not published.
    #[serde(default)]
    pub groups_from: Option<String>,
    /// The delimiter of a CSV; detected when left out.
    #[serde(default)]
    pub delimiter: Option<char>,
}

/// The `[records]` section: how records are published.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct RecordsSection {
    /// Digits behind the point; as many as each column has when left out.
    decimals: Option<u8>,
}

/// The most digits behind the point that may be asked for.
const MOST_DECIMALS: u8 = 17;

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
        const CONDENSED: Section = Section {
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
        };
        const RECORDS: Section = Section {
            name: "records",
            keys: &[(
                "decimals",
                "Digits behind the point, at most 17; as many as each column has when left out.",
            )],
        };
        &[CONDENSED, RECORDS]
    }

    fn attacks(&self) -> &'static [&'static dyn Attack] {
        &[&inference::Inference, &class::ClassInference, &reproduction::Reproduction, &closest::ClosestRecord]
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
        let decimals = job.section::<RecordsSection>("records")?.decimals;
        if decimals.is_some_and(|own| own > MOST_DECIMALS) {
            return Err(KindError::key("records.decimals", "must be at most 17"));
        }
        if input.groups_from.is_some() && options.grouping != Grouping::default() {
            let problem = "goes without `input.groups-from`, which says who belongs together";
            return Err(KindError::key("condensed.grouping", problem));
        }
        let original = records::Original::read(&job.resolve(&input.path), &input, progress)?;
        let table = &original.table;
        let records = Records { dimension: table.names.len(), values: &table.values };
        let classes = table.class.as_ref().map(|_| table.classes.as_slice());
        let found = match &original.groups {
            Some(groups) => options.condense_groups(&records, groups, classes, progress),
            None => options.condense(&records, classes, progress),
        };
        let found = found.map_err(failure)?;
        if found.is_empty() {
            return Err(nothing_drawn());
        }
        write(&found, table, decimals, draft)?;
        let promised =
            Promised::new("condensed").with("k", options.k).reaching(found.smallest_group() as f64);
        let body = Body {
            columns: table.names.clone(),
            class: table.class.clone(),
            grouping: original.groups.map_or_else(|| options.grouping.word(), |_| "given").to_owned(),
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
        let table = folder.table(RECORDS, &records::published(), progress)?;
        let published = NumberTable::published(&table, &body)
            .map_err(|problem| folder.malformed(RECORDS, problem.to_string()))?;
        let groups = folder.table(GROUPS, &records::published(), progress)?;
        Ok(Box::new(PublishedRecords { table: published, groups: groups.rows as u64, file: table, body }))
    }

    fn original(
        &self,
        job: &JobFile,
        _: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError> {
        let input: Input = job.required("input")?;
        Ok(Box::new(OriginalRecords {
            table: records::Original::read(&job.resolve(&input.path), &input, progress)?.table,
        }))
    }
}

/// Writes the records of all groups, each number with as many digits as its column has unless others are asked for, and what each
/// group stands for.
fn write(
    found: &Condensed,
    table: &NumberTable,
    decimals: Option<u8>,
    draft: &Draft,
) -> Result<(), KindError> {
    let io = |name: &'static str| move |error| KindError::io(Path::new(name), &error);
    let precision: Vec<Precision> =
        table.decimals.iter().map(|&seen| Precision::Decimals(decimals.map_or(seen, usize::from))).collect();
    let mut file = draft.create(RECORDS)?;
    let names: Vec<String> = table.header().into_iter().map(quoted).collect();
    writeln!(file, "{}", names.join(",")).map_err(io(RECORDS))?;
    for group in &found.groups {
        let class = table.class.as_ref().and(group.class).map(|class| quoted(table.label(class)));
        for record in group.records.chunks_exact(table.names.len()) {
            let numbers = record.iter().zip(&precision);
            let mut cells: Vec<String> =
                numbers.map(|(&value, &precision)| number_text(value, precision)).collect();
            if let Some(class) = &class {
                cells.insert(table.before_class, class.clone());
            }
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

fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// What went wrong, told to the person who can act.
pub fn failure(error: CondenseError) -> KindError {
    let fault = match &error {
        CondenseError::Parameter { key, problem } => {
            return KindError::key(format!("condensed.{key}"), problem);
        }
        CondenseError::TooFew { .. } => Fault::Refused,
        CondenseError::NoSeed => Fault::Resources,
        CondenseError::Cancelled(_) => Fault::Stopped,
        _ => Fault::BadInput,
    };
    KindError::new(fault, error.to_string())
}

/// Fewer records than a group needs.
pub(crate) fn too_few(records: u64, k: u64) -> KindError {
    failure(CondenseError::TooFew { records, k })
}

pub(crate) fn nothing_drawn() -> KindError {
    KindError::refused("no synthetic record was drawn; a larger `condensed.alpha` draws more")
}

impl Release for PublishedRecords {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }

    fn answer(&self, question: &Question) -> Result<ReleaseAnswer, NoAnswer> {
        answer::answer(self, question)
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
