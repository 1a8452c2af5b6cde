//! A toy kind of release: the values of one column with their counts, of which small ones are left out. Copy it for a new kind.
//!
//! ```
//! use privet_kind::Kind;
//! assert_eq!(privet_sample::Sample.id(), "sample");
//! ```
#![forbid(unsafe_code)]

use std::io::Write;
use std::path::{Path, PathBuf};

use privet_data::io::ReadOptions;
use privet_data::{Progress, Table};
use privet_kind::page::{Cell, Table as PageTable};
use privet_kind::{
    Assessment, Attack, AttackInfo, Block, Figure, Finding, JobFile, Kind, KindError, Knowledge, Measure,
    MeasureInfo, Original, Outcome, OwnerFiles, PageSection, Reason, Release, Section, Share, Standing,
    Unmade, Views,
};
use privet_release::{Draft, Promised, ReleaseFolder};
use serde::Deserialize;

/// The kind.
pub struct Sample;

/// The values of a column with their counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Each value with how many people have it.
    pub counts: Vec<(String, u64)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Input {
    path: PathBuf,
    column: String,
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Settings {
    least: u64,
}

impl Kind for Sample {
    fn id(&self) -> &'static str {
        "sample"
    }

    fn title(&self) -> &'static str {
        "Tally"
    }

    fn sections(&self) -> &'static [Section] {
        &[Section { name: "sample", keys: &[("least", "The smallest count that is published.")] }]
    }

    fn attacks(&self) -> &'static [&'static dyn Attack] {
        &[&SmallCounts]
    }

    fn measures(&self) -> &'static [&'static dyn Measure] {
        &[&Kept]
    }

    fn inputs(&self, job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
        Ok(vec![job.resolve(&job.required::<Input>("input")?.path)])
    }

    fn make(&self, job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
        let Settings { least } = job.section("sample")?;
        let tally = read(job, progress)?;
        let mut file = draft.create("tally.csv")?;
        let io = |error| KindError::io(Path::new("tally.csv"), &error);
        writeln!(file, "value,people").map_err(io)?;
        for (value, count) in tally.counts.iter().filter(|(_, count)| *count >= least) {
            writeln!(file, "\"{}\",{count}", value.replace('"', "\"\"")).map_err(io)?;
        }
        file.finish()?;
        let promises = vec![Promised::new("least-count").with("least", least)];
        Ok(Outcome { body: serde_json::json!({}), promises, ..Outcome::default() })
    }

    fn open(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Box<dyn Release>, KindError> {
        let table = folder.table("tally.csv", &named(), progress)?;
        let (Some(values), Some(people)) = (table.column("value"), table.column("people")) else {
            return Err(folder.malformed("tally.csv", "the columns `value` and `people` are missing").into());
        };
        let row = |at: usize| {
            let count = people.domain.text(people.codes[at]).parse().ok()?;
            Some((values.domain.text(values.codes[at]).to_owned(), count))
        };
        let counts: Option<_> = (0..table.rows).map(row).collect();
        let counts = counts.ok_or_else(|| folder.malformed("tally.csv", "a count is not a whole number"))?;
        Ok(Box::new(Tally { counts }))
    }

    fn original(
        &self,
        job: &JobFile,
        _: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError> {
        Ok(Box::new(read(job, progress)?))
    }
}

/// Columns are found by their names, so the first line has them.
fn named() -> ReadOptions {
    ReadOptions { header: Some(true), ..ReadOptions::default() }
}

/// The counts of all values of the column that a job names.
fn read(job: &JobFile, progress: &dyn Progress) -> Result<Tally, KindError> {
    let input: Input = job.required("input")?;
    let table: Table = privet_data::io::read(&job.resolve(&input.path), &named(), progress)?.table;
    let column = table
        .column(&input.column)
        .ok_or_else(|| KindError::key("input.column", "names a column that the table does not have"))?;
    let mut counts = vec![0_u64; column.domain.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    let texts = column.domain.texts().iter().map(|text| text.to_string());
    Ok(Tally { counts: texts.zip(counts).filter(|(_, count)| *count > 0).collect() })
}

impl Release for Tally {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }

    fn heading(&self) -> (String, String) {
        ("Report on counts".to_owned(), format!("{} values", self.counts.len()))
    }

    fn sections(&self, _: &Assessment) -> Vec<PageSection> {
        let rows =
            self.counts.iter().map(|(value, count)| vec![Cell::from(value.clone()), Cell::from(*count)]);
        let table = PageTable {
            caption: "How many people have each value".to_owned(),
            columns: vec!["value".to_owned(), "people".to_owned()],
            rows: rows.collect(),
        };
        vec![PageSection::new("values", "Values", vec![Block::Table(table)])]
    }
}

impl Original for Tally {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }
}

/// A count of one is a person.
struct SmallCounts;

impl Attack for SmallCounts {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "small-counts",
            title: "Small counts",
            sentence: "The adversary knows that a count of one is one person.",
            needs: &[],
            standing: Standing::Gate,
            source: "survey PM-01",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        _: Option<Views<'_>>,
        _: &Knowledge,
        _: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let tally = release.get::<Tally>().ok_or(Reason::Nothing { what: "table of counts".to_owned() })?;
        let alone = tally.counts.iter().filter(|(_, count)| *count == 1).count() as u64;
        let all = tally.counts.iter().map(|(_, count)| count).sum();
        Ok(vec![Finding::new(self.info(), Share::new(alone, all))])
    }
}

/// How many people are still counted.
struct Kept;

impl Measure for Kept {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo { id: "kept", title: "People counted", sentence: "How many people are still counted." }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let all = |views: Views<'_>| {
            views.get::<Tally>().map(|own| own.counts.iter().map(|(_, n)| *n as f64).sum())
        };
        let [Some(before), Some(after)] = [all(original), all(release)] else {
            return Err(Reason::Nothing { what: "table of counts".to_owned() }.into());
        };
        Ok(vec![Figure::compared(self.info(), "people counted", before, after)])
    }
}
