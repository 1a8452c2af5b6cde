//! A series on the seam.

use std::path::PathBuf;

use privet_data::Progress;
use privet_data::io::ReadOptions;
use privet_history::History;
use privet_kind::page::{Cell, Table as PageTable};
use privet_kind::{
    Assessment, Attack, Block, Demo, Figure, JobFile, Kind, KindError, Measure, MeasureInfo, Original,
    Outcome, OwnerFiles, PageSection, Reason, Release, Section, Unmade, Views,
};
use privet_release::{Draft, ReleaseFolder};

use crate::attack::Intersection;
use crate::job::{self, Body};
use crate::make::{DATA, HISTORY, Rows, make};

/// The kind `series`.
pub struct Series;

impl Kind for Series {
    fn id(&self) -> &'static str {
        "series"
    }

    fn title(&self) -> &'static str {
        "Releases over time"
    }

    fn sections(&self) -> &'static [Section] {
        job::SECTIONS
    }

    fn attacks(&self) -> &'static [&'static dyn Attack] {
        &[&Intersection]
    }

    fn measures(&self) -> &'static [&'static dyn Measure] {
        &[&Published]
    }

    fn inputs(&self, job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
        Ok(vec![job.resolve(&job::read(job)?.0.path)])
    }

    fn make(&self, job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
        make(job, draft, progress)
    }

    fn open(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Box<dyn Release>, KindError> {
        let body: Body = folder.envelope().body()?;
        let table = folder.table(DATA, &ReadOptions::default(), progress)?;
        if table.rows as u64 != body.rows {
            return Err(folder.malformed(DATA, "does not have as many rows as the manifest states").into());
        }
        Ok(Box::new(Opened(body)))
    }

    fn original(
        &self,
        job: &JobFile,
        owner: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError> {
        let rows = Rows::read(job, progress)?;
        let history = match owner.get(HISTORY) {
            Some(bytes) => {
                History::parse(bytes).map_err(|error| KindError::bad_input(format!("{HISTORY} {error}")))?
            }
            None => History::default(),
        };
        Ok(Box::new(People { rows: rows.table.rows as u64, history }))
    }

    fn demo(&self) -> Option<Demo> {
        Some(crate::demo::demo())
    }
}

struct Opened(Body);

impl Release for Opened {
    fn views(&self) -> Views<'_> {
        Views::of(&self.0)
    }

    fn heading(&self) -> (String, String) {
        (
            "Report on a release of a series".to_owned(),
            format!("Release {}, {} rows", self.0.release, self.0.rows),
        )
    }

    fn sections(&self, _: &Assessment) -> Vec<PageSection> {
        let Body { release, rows, groups, counterfeits, waiting, .. } = &self.0;
        let row = |name: &str, number: u64| vec![Cell::from(name), Cell::from(number)];
        let table = PageTable {
            caption: "The release".to_owned(),
            columns: vec!["what".to_owned(), "number".to_owned()],
            rows: vec![
                row("release of the series", *release),
                row("rows", *rows),
                row("groups", *groups),
                row("counterfeits among the rows", *counterfeits),
                row("people who wait for a later release", *waiting),
            ],
        };
        let text = "Rows of a group show the same ranges and labels, and all their sensitive values are different. Whoever is in several \
                    releases is in groups of the same values in all of them, so that the releases together tell no more than one. Where a \
                    value was missing for that, a counterfeit stands in: a row that belongs to nobody. How many there are is told per \
                    group, so that counts can be corrected; which they are is not.";
        vec![PageSection::new("series", "What was published", vec![Block::text(text), Block::Table(table)])]
    }
}

struct People {
    rows: u64,
    history: History,
}

impl Original for People {
    fn views(&self) -> Views<'_> {
        Views::of(&self.history).and(&self.rows)
    }
}

/// How many people are published, and how many rows belong to nobody.
struct Published;

impl Measure for Published {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "published",
            title: "Rows",
            sentence: "How many people are published, and which share of the rows belongs to nobody.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (Some(body), Some(before)) = (release.get::<Body>(), original.get::<u64>()) else {
            return Err(Reason::Nothing { what: "row".to_owned() }.into());
        };
        let people = body.rows - body.counterfeits.min(body.rows);
        Ok(vec![
            Figure::compared(self.info(), "people", *before as f64, people as f64),
            Figure::single(self.info(), "counterfeits", body.counterfeits as f64 / body.rows.max(1) as f64)
                .as_share(),
        ])
    }
}
