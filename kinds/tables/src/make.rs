//! From a job to a draft: people in classes, pseudonyms, shifted dates, one file per table.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use privet_data::Progress;
use privet_kind::{JobFile, KindError, Outcome, OwnerFiles};
use privet_release::{Draft, Promised, Randomness};

use crate::body::{Body, PublishedColumn, PublishedTable, Role};
use crate::criteria::Criteria;
use crate::job::Job;
use crate::load::{Loaded, LoadedTable, load};
use crate::pseudonym::{KEY_FILE, ReleaseKey, shifted};
use crate::search::{Chosen, search};

/// What pseudonyms of people are made of, whatever table they stand in.
pub const PERSON: &str = " person";
const HOUSEHOLD: &str = " household";

pub fn make(file: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
    let job = Job::read(file)?;
    let loaded = load(file, &job, progress)?;
    let privacy = job.privacy;
    let criteria = Criteria { k: privacy.k_anonymity, l: privacy.l_diversity, t: privacy.t_closeness };
    let chosen = search(&loaded, criteria, job.people.linked, job.people.suppress_at_most, progress)?;
    let key = ReleaseKey::draw()?;
    let body = body(&job, &loaded, &chosen);
    for (at, table) in body.tables.iter().enumerate() {
        let text = Writer { job: &job, loaded: &loaded, chosen: &chosen, key: &key }.table(at, table)?;
        let mut file = draft.create(&table.file)?;
        file.write_all(text.as_bytes()).map_err(|error| KindError::io(Path::new(&table.file), &error))?;
        file.finish()?;
        progress.check()?;
    }
    let promises = promises(&job, &chosen);
    let mut owner = OwnerFiles::default().with(KEY_FILE, key.text().into_bytes());
    if job.people.linked {
        owner = owner.with("people.csv", who_is_who(&loaded, &chosen, &key).into_bytes());
    }
    let published: u64 = body.tables.iter().map(|table| table.rows).sum();
    let read: u64 = body.tables.iter().map(|table| table.input_rows).sum();
    let levels: Vec<String> = body
        .tables
        .iter()
        .flat_map(|table| table.with(Role::Quasi).map(move |own| (table, own)))
        .filter_map(|(table, own)| {
            Some(format!("{}.{} {} of {}", table.name, own.name, own.level?, own.height?))
        })
        .collect();
    let how = match chosen.is_best {
        true => format!("{}; no choice of levels loses less", levels.join(", ")),
        false => format!("{}; no single column can go lower", levels.join(", ")),
    };
    let summary = vec![
        (
            "People".to_owned(),
            format!("{} of {} ({} suppressed)", body.persons, body.input_persons, chosen.suppressed),
        ),
        ("Rows".to_owned(), format!("{published} of {read} in {} tables", body.tables.len())),
        ("Rows without a person or parent, left out".to_owned(), loaded.orphans.to_string()),
        ("Levels".to_owned(), how),
        ("Choices looked at".to_owned(), chosen.looked_at.to_string()),
        ("Smallest class".to_owned(), format!("{} people", chosen.smallest)),
    ];
    let body = serde_json::to_value(&body).map_err(|error| KindError::bad_input(error.to_string()))?;
    Ok(Outcome { body, promises, randomness: Randomness::System, owner, summary })
}

fn promises(job: &Job, chosen: &Chosen) -> Vec<Promised> {
    let units = match (job.people.linked, &job.people.household) {
        (_, Some(_)) => "households",
        (true, None) => "people",
        (false, None) => "people-of-rows",
    };
    let mut promises = vec![
        Promised::new("k-anonymity")
            .with("k", job.privacy.k_anonymity)
            .with("units", units)
            .reaching(chosen.smallest as f64),
    ];
    if let Some(l) = job.privacy.l_diversity {
        promises.push(Promised::new("l-diversity").with("l", l));
    }
    if let Some(t) = job.privacy.t_closeness {
        promises.push(Promised::new("t-closeness").with("t", t));
    }
    if job.people.linked {
        promises.push(Promised::new("keys"));
    }
    promises
}

fn body(job: &Job, loaded: &Loaded, chosen: &Chosen) -> Body {
    let tables = loaded.tables.iter().enumerate().map(|(at, table)| {
        let mut columns: Vec<PublishedColumn> = Vec::new();
        for (name, own) in &table.section.columns {
            let place =
                table.quasi.iter().position(|(position, _)| table.table.columns[*position].name == *name);
            columns.push(PublishedColumn {
                name: name.clone(),
                role: own.role,
                level: place.map(|place| chosen.levels[at][place] as u64),
                height: place.map(|place| table.quasi[place].1.height() as u64),
            });
        }
        if Some(at) == loaded.person_table {
            let named = [(&job.people.household, Role::Household), (&job.people.weight, Role::Weight)];
            columns.extend(named.into_iter().filter_map(|(name, role)| {
                Some(PublishedColumn { name: name.clone()?, role, level: None, height: None })
            }));
        }
        let kept = &chosen.kept[at];
        let mut of_person = vec![0_u64; loaded.persons.len()];
        (0..kept.len())
            .filter(|&row| kept[row])
            .for_each(|row| of_person[table.person_of[row] as usize] += 1);
        let linked = job.people.linked;
        PublishedTable {
            name: table.section.name.clone(),
            file: format!("{}.csv", table.section.name),
            person: linked.then(|| table.section.person.clone()),
            key: table.section.key.clone().filter(|_| linked),
            references: table.section.references.clone(),
            most_rows: of_person.into_iter().max().unwrap_or(0),
            input_rows: table.table.rows as u64,
            rows: kept.iter().filter(|kept| **kept).count() as u64,
            columns,
        }
    });
    Body {
        input_persons: loaded.persons.len() as u64,
        persons: chosen.there.iter().filter(|there| **there).count() as u64,
        linked: job.people.linked,
        household: job.people.household.clone(),
        weight: job.people.weight.clone(),
        tables: tables.collect(),
    }
}

/// Who is published under which pseudonym, for the owner.
fn who_is_who(loaded: &Loaded, chosen: &Chosen, key: &ReleaseKey) -> String {
    let mut text = String::from("person,pseudonym\n");
    for (name, _) in loaded.persons.iter().zip(&chosen.there).filter(|(_, there)| **there) {
        push_cell(&mut text, name);
        text.push(',');
        text.push_str(&key.pseudonym(PERSON, name));
        text.push('\n');
    }
    text
}

struct Writer<'a> {
    job: &'a Job,
    loaded: &'a Loaded,
    chosen: &'a Chosen,
    key: &'a ReleaseKey,
}

impl Writer<'_> {
    /// A table as it is published. The people stand in the order of their pseudonyms, which is no order of theirs; rows that are not linked in
    /// the order of what they show.
    fn table(&self, at: usize, told: &PublishedTable) -> Result<String, KindError> {
        let table = &self.loaded.tables[at];
        let pseudonyms: Vec<String> = match &told.person {
            Some(_) => self.loaded.persons.iter().map(|name| self.key.pseudonym(PERSON, name)).collect(),
            None => Vec::new(),
        };
        let mut rows: Vec<usize> = (0..table.table.rows).filter(|&row| self.chosen.kept[at][row]).collect();
        if told.person.is_some() {
            rows.sort_by(|&a, &b| {
                let of = |row: usize| &pseudonyms[table.person_of[row] as usize];
                of(a).cmp(of(b))
            });
        }
        let mut columns: Vec<(&str, Cells<'_>)> = Vec::new();
        if let Some(person) = &told.person {
            columns.push((person, Cells::Person(&pseudonyms)));
        }
        if let Some(key) = told.key.as_ref().filter(|key| Some(*key) != told.person.as_ref()) {
            columns.push((key, Cells::Pseudonym(self.texts(table, key, &told.name))));
        }
        for (column, parent) in &told.references {
            columns.push((column, Cells::Pseudonym(self.texts(table, column, self.space(parent)))));
        }
        for own in &told.columns {
            columns.push((&own.name, self.cells(at, table, own)?));
        }
        let mut lines: Vec<String> = Vec::with_capacity(rows.len());
        for row in rows {
            let mut line = String::new();
            for (place, (name, cells)) in columns.iter().enumerate() {
                if place > 0 {
                    line.push(',');
                }
                let position = table.table.position(name);
                let code = position.map_or(0, |position| table.table.columns[position].codes[row]) as usize;
                let person = table.person_of[row] as usize;
                match cells {
                    Cells::Person(of) => line.push_str(&of[person]),
                    Cells::Pseudonym(of_code) | Cells::Labels(of_code) => {
                        push_cell(&mut line, &of_code[code]);
                    }
                    Cells::Plain => {
                        push_cell(&mut line, position.map_or("", |position| table.text(position, row)));
                    }
                    Cells::Days(days) => {
                        let text = position.map_or("", |position| table.text(position, row));
                        line.push_str(&shifted(text, days[person]).unwrap_or_default());
                    }
                }
            }
            line.push('\n');
            lines.push(line);
        }
        if told.person.is_none() {
            lines.sort_unstable();
        }
        let mut text = String::new();
        for (place, (name, _)) in columns.iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            push_cell(&mut text, name);
        }
        text.push('\n');
        lines.iter().for_each(|line| text.push_str(line));
        Ok(text)
    }

    /// What names the rows of a table: people in the table of people.
    fn space<'a>(&self, table: &'a str) -> &'a str {
        let of_people = self.loaded.person_table.map(|at| self.loaded.tables[at].section.name.as_str());
        if of_people == Some(table) { PERSON } else { table }
    }

    /// Per code the pseudonym; nothing for what is missing.
    fn texts(&self, table: &LoadedTable, column: &str, space: &str) -> Vec<String> {
        let Some(column) = table.table.column(column) else { return Vec::new() };
        let of = |code: u32| match column.domain.is_missing(code) {
            true => String::new(),
            false => self.key.pseudonym(space, column.domain.text(code)),
        };
        (0..column.domain.len() as u32).map(of).collect()
    }

    fn cells(&self, at: usize, table: &LoadedTable, own: &PublishedColumn) -> Result<Cells<'_>, KindError> {
        Ok(match own.role {
            Role::Quasi => {
                let place = table
                    .quasi
                    .iter()
                    .position(|(position, _)| table.table.columns[*position].name == own.name);
                let place = place.ok_or_else(|| KindError::bad_input("a quasi column lost its hierarchy"))?;
                let level = &table.quasi[place].1.levels[self.chosen.levels[at][place]];
                Cells::Labels(
                    level.node_of_code.iter().map(|&node| level.labels[node as usize].to_string()).collect(),
                )
            }
            Role::Household => Cells::Pseudonym(self.texts(table, &own.name, HOUSEHOLD)),
            Role::Date => {
                let most = self.job.people.shift_dates;
                Cells::Days(self.loaded.persons.iter().map(|name| self.key.days(name, most)).collect())
            }
            Role::Sensitive | Role::Insensitive | Role::Weight => Cells::Plain,
        })
    }
}

/// What the cells of a column show.
enum Cells<'a> {
    /// The pseudonym of each person.
    Person(&'a [String]),
    /// Per code a pseudonym.
    Pseudonym(Vec<String>),
    /// Per code a label.
    Labels(Vec<String>),
    /// What stands there.
    Plain,
    /// A day, so many days later for each person.
    Days(Vec<i64>),
}

/// A cell of a CSV file, in quotation marks where it needs them.
fn push_cell(line: &mut String, text: &str) {
    match text.contains(['"', ',', '\n', '\r']) {
        false => line.push_str(text),
        true => {
            line.push('"');
            line.push_str(&text.replace('"', "\"\""));
            line.push('"');
        }
    }
}

/// The original as rows by column, in the form of a release; names stand in place of pseudonyms.
pub fn original(
    file: &JobFile,
    body: &Body,
    progress: &dyn Progress,
) -> Result<Vec<BTreeMap<String, Vec<Box<str>>>>, KindError> {
    let job = Job::read(file)?;
    let loaded = load(file, &job, progress)?;
    let of = |(table, told): (&LoadedTable, &PublishedTable)| {
        let names = told.columns.iter().map(|own| &own.name).chain(&told.person);
        let rows: Vec<usize> = (0..table.table.rows).filter(|&row| table.kept[row]).collect();
        let column = |name: &String| {
            let position = table.table.position(name)?;
            Some((name.clone(), rows.iter().map(|&row| table.text(position, row).into()).collect()))
        };
        names.filter_map(column).collect()
    };
    Ok(loaded.tables.iter().zip(&body.tables).map(of).collect())
}
