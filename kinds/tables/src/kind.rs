//! Tables on the seam: what a job says, how a release is made, opened, attacked, measured and shown.

use std::path::PathBuf;

use privet_data::io::ReadOptions;
use privet_data::{Equality, Progress};
use privet_kind::{
    Assessment, Attack, Demo, JobFile, Kind, KindError, Measure, Original, Outcome, OwnerFiles, PageSection,
    Release, Section, Views,
};
use privet_release::{Draft, ReleaseFolder};

use crate::body::{Body, PublishedTable, Role};
use crate::job::{self, Job};
use crate::people::{People, Rows};
use crate::{adopt, attacks, demo, load, make, measures, page};

/// The kind `tables`.
pub struct Tables;

impl Kind for Tables {
    fn id(&self) -> &'static str {
        "tables"
    }

    fn title(&self) -> &'static str {
        "Several tables"
    }

    fn sections(&self) -> &'static [Section] {
        job::SECTIONS
    }

    fn attacks(&self) -> &'static [&'static dyn Attack] {
        attacks::ALL
    }

    fn measures(&self) -> &'static [&'static dyn Measure] {
        measures::ALL
    }

    fn inputs(&self, job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
        load::inputs(job)
    }

    fn make(&self, job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
        make::make(job, draft, progress)
    }

    fn open(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Box<dyn Release>, KindError> {
        let body: Body = folder.envelope().body()?;
        let mut tables: Vec<Rows> = Vec::new();
        for told in &body.tables {
            // What is published stands as it is: no two texts are one.
            let options = ReadOptions { equality: Equality::EXACT, ..ReadOptions::default() }.exactly();
            let table = folder.table(&told.file, &options, progress)?;
            let names = told.columns.iter().map(|own| &own.name).chain(&told.person);
            let mut rows = Rows::new();
            for name in names {
                let column = table.column(name);
                let column = column
                    .ok_or_else(|| folder.malformed(&told.file, format!("the column `{name}` is missing")))?;
                let texts = column.codes.iter().map(|&code| column.domain.text(code).into()).collect();
                rows.insert(name.clone(), texts);
            }
            tables.push(rows);
        }
        let people = People::of(&body, &tables);
        Ok(Box::new(Opened { people, body }))
    }

    fn original(
        &self,
        file: &JobFile,
        _: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError> {
        let job = Job::read(file)?;
        let body = form(&job);
        let rows = make::original(file, &body, progress)?;
        Ok(Box::new(OriginalPeople(People::of(&body, &rows))))
    }

    fn adopt(&self, job: &JobFile) -> Result<Option<JobFile>, KindError> {
        adopt::adopt(job)
    }

    fn demo(&self) -> Option<Demo> {
        Some(demo::demo())
    }
}

/// The form that the tables of a job have in a release, without what only a release can tell.
fn form(job: &Job) -> Body {
    let person_table = job.person_table();
    let tables = job.tables.iter().enumerate().map(|(at, table)| {
        let column = |(name, role): (&String, Role)| crate::PublishedColumn {
            name: name.clone(),
            role,
            level: None,
            height: None,
        };
        let mut columns: Vec<_> = table.columns.iter().map(|(name, own)| column((name, own.role))).collect();
        if Some(at) == person_table {
            columns.extend(job.people.household.as_ref().map(|name| column((name, Role::Household))));
            columns.extend(job.people.weight.as_ref().map(|name| column((name, Role::Weight))));
        }
        PublishedTable {
            name: table.name.clone(),
            file: format!("{}.csv", table.name),
            // The original tells whose rows are whose, whatever is published.
            person: Some(table.person.clone()),
            key: None,
            references: Default::default(),
            most_rows: 0,
            input_rows: 0,
            rows: 0,
            columns,
        }
    });
    Body {
        input_persons: 0,
        persons: 0,
        linked: true,
        household: job.people.household.clone(),
        weight: job.people.weight.clone(),
        tables: tables.collect(),
    }
}

/// A release that was opened.
struct Opened {
    people: People,
    body: Body,
}

impl Release for Opened {
    fn views(&self) -> Views<'_> {
        Views::of(&self.people).and(&self.body)
    }

    fn heading(&self) -> (String, String) {
        let title = "Report on tables about the same people".to_owned();
        (title, format!("{} people in {} tables", self.body.persons, self.body.tables.len()))
    }

    fn sections(&self, _: &Assessment) -> Vec<PageSection> {
        page::sections(&self.body, &self.people)
    }
}

/// The people of the original.
struct OriginalPeople(People);

impl Original for OriginalPeople {
    fn views(&self) -> Views<'_> {
        Views::of(&self.0)
    }
}
