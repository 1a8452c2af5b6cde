//! From the files of a job to people: whose rows are whose, which rows lead where, and fitted hierarchies.

use std::path::PathBuf;

use foldhash::HashMap;
use privet_data::hierarchy::build;
use privet_data::io::{ReadOptions, read};
use privet_data::{Generalization, Hierarchy, Progress, Table};
use privet_kind::{JobFile, KindError};

use crate::body::Role;
use crate::job::{Job, Orphans, TableSection};

/// What a job reads.
pub struct Loaded {
    /// The names of people.
    pub persons: Vec<Box<str>>,
    /// The tables, in the order of the job.
    pub tables: Vec<LoadedTable>,
    /// Per person the household.
    pub household_of: Option<Vec<u32>>,
    /// The table with one row for each person.
    pub person_table: Option<usize>,
    /// Rows that were dropped, as their person or parent is missing.
    pub orphans: u64,
}

/// A table of a job.
pub struct LoadedTable {
    /// What the job says of it.
    pub section: TableSection,
    /// Its columns.
    pub table: Table,
    /// Per row the person.
    pub person_of: Vec<u32>,
    /// Per row whether it is published, as far as its own table goes.
    pub kept: Vec<bool>,
    /// Columns that lead to rows of other tables: the column, the table, and per row the row there.
    pub parents: Vec<(String, usize, Vec<Option<u32>>)>,
    /// Positions of quasi columns, with their hierarchies.
    pub quasi: Vec<(usize, Generalization)>,
}

impl LoadedTable {
    /// Positions of the columns with this role.
    pub fn with(&self, role: Role) -> impl Iterator<Item = usize> {
        let is = move |at: &usize| {
            self.section.columns.get(&self.table.columns[*at].name).is_some_and(|own| own.role == role)
        };
        (0..self.table.columns.len()).filter(is)
    }

    /// The text of a cell.
    pub fn text(&self, column: usize, row: usize) -> &str {
        let column = &self.table.columns[column];
        column.domain.text(column.codes[row])
    }
}

/// The files that a job names.
pub fn inputs(job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
    Ok(Job::read(job)?.tables.iter().map(|table| job.resolve(&table.path)).collect())
}

/// Reads the tables of a job.
pub fn load(file: &JobFile, job: &Job, progress: &dyn Progress) -> Result<Loaded, KindError> {
    let mut names: HashMap<Box<str>, u32> = HashMap::default();
    let mut persons: Vec<Box<str>> = Vec::new();
    let mut tables = Vec::new();
    let drop_orphans = job.people.orphans == Orphans::Drop;
    let person_table = job.person_table();
    // People are those of the table of people, where there is one.
    let order = person_table.into_iter().chain((0..job.tables.len()).filter(|at| Some(*at) != person_table));
    for at in order {
        let section = &job.tables[at];
        let table = read_table(file, job, section, Some(at) == person_table, progress)?;
        let table_key = format!("tables.{}", section.name);
        let column = table.column(&section.person).ok_or_else(|| missing(&table_key, &section.person))?;
        let empty = column.codes.iter().filter(|&&code| column.domain.is_missing(code)).count();
        let mut kept = vec![true; table.rows];
        let mut orphans = 0_u64;
        if empty > 0 && !drop_orphans {
            return Err(refuse_orphans(&section.name, empty, "name no person"));
        }
        let is_closed = person_table.is_some_and(|own| own != at);
        let person_of_code: Vec<Option<u32>> = (0..column.domain.len() as u32)
            .map(|code| {
                let name = column.domain.text(code);
                match names.get(name) {
                    _ if column.domain.is_missing(code) => None,
                    Some(&person) => Some(person),
                    None if is_closed => None,
                    None => {
                        let person = persons.len() as u32;
                        names.insert(name.into(), person);
                        persons.push(name.into());
                        Some(person)
                    }
                }
            })
            .collect();
        let mut person_of = Vec::with_capacity(table.rows);
        for (row, &code) in column.codes.iter().enumerate() {
            let person = person_of_code[code as usize];
            if person.is_none() {
                kept[row] = false;
                orphans += 1;
            }
            // Rows of nobody are never looked at.
            person_of.push(person.unwrap_or(0));
        }
        if orphans > 0 && !drop_orphans {
            return Err(refuse_orphans(
                &section.name,
                orphans as usize,
                "are about people who are not in the table of people",
            ));
        }
        let quasi = fit(file, section, &table, &table_key)?;
        tables.push((
            at,
            LoadedTable { section: section.clone(), table, person_of, kept, parents: Vec::new(), quasi },
        ));
    }
    tables.sort_by_key(|own| own.0);
    let mut tables: Vec<LoadedTable> = tables.into_iter().map(|own| own.1).collect();
    if persons.is_empty() {
        return Err(KindError::key("tables", "hold no row about anybody"));
    }
    connect(&mut tables, drop_orphans)?;
    check_dates(&tables)?;
    let household_of = match person_table {
        Some(at) => of_people(job, &tables[at], persons.len())?,
        None => None,
    };
    let gone = |table: &LoadedTable| table.kept.iter().filter(|kept| !**kept).count() as u64;
    let orphans = tables.iter().map(gone).sum();
    Ok(Loaded { persons, tables, household_of, person_table, orphans })
}

fn read_table(
    file: &JobFile,
    job: &Job,
    section: &TableSection,
    is_of_people: bool,
    progress: &dyn Progress,
) -> Result<Table, KindError> {
    let mut columns: Vec<String> = section.columns.keys().cloned().collect();
    columns.push(section.person.clone());
    columns.extend(section.key.clone().filter(|key| *key != section.person));
    columns.extend(section.references.keys().cloned());
    if is_of_people {
        columns.extend(job.people.household.iter().chain(&job.people.weight).cloned());
    }
    let path = file.resolve(&section.path);
    let options =
        ReadOptions { columns: Some(columns), formulas: section.formulas, ..ReadOptions::default() };
    let mut table = read(&path, &options, progress)?.table;
    for column in &mut table.columns {
        // Equal values have one text, or rows would be told apart by how a value was typed.
        if section
            .columns
            .get(&column.name)
            .is_some_and(|own| matches!(own.role, Role::Quasi | Role::Sensitive))
        {
            column.in_one_form();
        }
    }
    Ok(table)
}

fn missing(table: &str, column: &str) -> KindError {
    KindError::key(table, format!("names the column `{column}`, which its file does not have"))
}

fn refuse_orphans(table: &str, rows: usize, what: &str) -> KindError {
    KindError::bad_input(format!(
        "table `{table}`: {rows} rows {what}; correct them, or set orphans = \"drop\" in [people] to leave them out"
    ))
}

fn fit(
    file: &JobFile,
    section: &TableSection,
    table: &Table,
    table_key: &str,
) -> Result<Vec<(usize, Generalization)>, KindError> {
    let mut quasi = Vec::new();
    for (name, column) in section.columns.iter().filter(|(_, column)| column.role == Role::Quasi) {
        let position = table.position(name).ok_or_else(|| missing(table_key, name))?;
        let own = &table.columns[position];
        let mut counts = vec![0_u64; own.domain.len()];
        own.codes.iter().for_each(|&code| counts[code as usize] += 1);
        let failed = |error: privet_data::HierarchyError| {
            KindError::key(format!("{table_key}.columns.{name}.hierarchy"), error.to_string())
        };
        let base = file.resolve(std::path::Path::new(""));
        let hierarchy = match &column.hierarchy {
            Some(spec) => build(spec, &base, &own.domain, &counts).map_err(failed)?,
            None => Hierarchy::flat(&own.domain),
        };
        quasi.push((position, hierarchy.bind(&own.domain).map_err(failed)?));
    }
    Ok(quasi)
}

/// Finds the rows that references lead to.
fn connect(tables: &mut [LoadedTable], drop_orphans: bool) -> Result<(), KindError> {
    let mut rows_of: Vec<Option<HashMap<String, u32>>> = Vec::new();
    for table in tables.iter() {
        rows_of.push(match &table.section.key {
            None => None,
            Some(key) => Some(rows_by_key(table, key)?),
        });
    }
    for at in 0..tables.len() {
        let mut parents = Vec::new();
        let mut lost = Vec::new();
        for (column, name) in &tables[at].section.references {
            let table = &tables[at];
            let position = table.table.position(column);
            let position =
                position.ok_or_else(|| missing(&format!("tables.{}", table.section.name), column))?;
            let parent = tables.iter().position(|own| own.section.name == *name);
            let (Some(parent), own) = (parent, &table.table.columns[position]) else {
                return Err(KindError::key(format!("tables.references.{column}"), "names no table"));
            };
            let rows = rows_of[parent].as_ref();
            let row_of_code: Vec<Option<u32>> = (0..own.domain.len() as u32)
                .map(|code| rows.and_then(|rows| rows.get(own.domain.text(code)).copied()))
                .collect();
            let mut without = 0;
            let mut of_others = 0;
            let leads: Vec<Option<u32>> = own.codes.iter().map(|&code| row_of_code[code as usize]).collect();
            for (row, lead) in leads.iter().enumerate().filter(|(row, _)| table.kept[*row]) {
                match lead {
                    None if own.domain.is_missing(own.codes[row]) => {}
                    None => {
                        without += 1;
                        lost.push(row);
                    }
                    Some(to) if tables[parent].person_of[*to as usize] != table.person_of[row] => {
                        of_others += 1;
                    }
                    Some(_) => {}
                }
            }
            if of_others > 0 {
                let problem = format!(
                    "table `{}`: {of_others} rows refer, by `{column}`, to rows about other people; such tables cannot be published by person",
                    table.section.name
                );
                return Err(KindError::bad_input(problem));
            }
            if without > 0 && !drop_orphans {
                let what = format!("refer, by `{column}`, to rows of `{name}` that do not exist");
                return Err(refuse_orphans(&table.section.name, without, &what));
            }
            parents.push((column.clone(), parent, leads));
        }
        lost.into_iter().for_each(|row| tables[at].kept[row] = false);
        tables[at].parents = parents;
    }
    Ok(())
}

fn rows_by_key(table: &LoadedTable, key: &str) -> Result<HashMap<String, u32>, KindError> {
    let name = &table.section.name;
    let position = table.table.position(key).ok_or_else(|| missing(&format!("tables.{name}"), key))?;
    let mut rows = HashMap::default();
    let mut twice = 0;
    for row in (0..table.table.rows).filter(|&row| table.kept[row]) {
        twice += usize::from(rows.insert(table.text(position, row).to_owned(), row as u32).is_some());
    }
    match twice {
        0 => Ok(rows),
        rows => Err(KindError::bad_input(format!(
            "table `{name}`: {rows} rows have a `{key}` that another row has as well; a key names one row"
        ))),
    }
}

/// What is to be shifted must be days.
fn check_dates(tables: &[LoadedTable]) -> Result<(), KindError> {
    for table in tables {
        for at in table.with(Role::Date) {
            let column = &table.table.columns[at];
            let is_day = |code: &u32| privet_data::Kind::Date.number(column.domain.text(*code)).is_some();
            let others =
                (column.domain.missing()..column.domain.len() as u32).filter(|code| !is_day(code)).count();
            if others > 0 {
                let problem = format!(
                    "holds {others} values that are no days such as 2024-01-31; nothing else can be shifted"
                );
                return Err(KindError::key(
                    format!("tables.{}.columns.{}", table.section.name, column.name),
                    problem,
                ));
            }
        }
    }
    Ok(())
}

/// Households; weights are checked, and published as they stand.
fn of_people(job: &Job, table: &LoadedTable, persons: usize) -> Result<Option<Vec<u32>>, KindError> {
    let column = |name: &String| {
        table.table.position(name).ok_or_else(|| missing(&format!("tables.{}", table.section.name), name))
    };
    let rows = || (0..table.table.rows).filter(|&row| table.kept[row]);
    let household_of = match &job.people.household {
        None => None,
        Some(name) => {
            let own = &table.table.columns[column(name)?];
            let unknown = rows().filter(|&row| own.domain.is_missing(own.codes[row])).count();
            if unknown > 0 {
                return Err(KindError::key("people.household", format!("is missing in {unknown} rows")));
            }
            let mut of = vec![0; persons];
            rows().for_each(|row| of[table.person_of[row] as usize] = own.codes[row]);
            Some(of)
        }
    };
    if let Some(name) = &job.people.weight {
        let own = &table.table.columns[column(name)?];
        let is_weight =
            |row: &usize| own.domain.number(own.codes[*row]).is_some_and(|own| own.is_finite() && own > 0.0);
        let bad = rows().filter(|row| !is_weight(row)).count();
        if bad > 0 {
            return Err(KindError::key("people.weight", format!("is no number above 0 in {bad} rows")));
        }
    }
    Ok(household_of)
}
