//! Tables joined on the person key, and one line for each person instead of the records.
//!
//! Guarantee: every record that comes out belongs to one person, and hangs on the records of that person alone, in whichever tables they
//! are. So somebody who comes or goes, with all records in all tables, changes what comes out by the records of one person, and the limits on
//! records per person hold for what comes out. A join on any other column, and a subquery by any other, is refused: one person's record
//! could then change those of many.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use privet_data::io::{ReadError, ReadErrorKind, ReadOptions, read};
use privet_data::{Column, Progress, Table};
use privet_measure::answer::{
    JoinedTable, Origin, PerPerson, PersonFigure, PrivateQuestion, cell_number, column_of, joined, taken,
};

use super::declared::{Declared, problem};
use super::error::QueryError;

/// The most records that a join may make.
const MOST_RECORDS: usize = 1 << 27;

/// Where the records of a plan come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sources {
    joins: Vec<(JoinedTable, PathBuf)>,
    per_person: Option<PerPerson>,
    /// The column that tells whose record it is.
    person: String,
    /// The most records of a person that are of use.
    most: Option<u32>,
}

impl Sources {
    /// Those of a question, where both joins and subqueries are by the person's column.
    pub fn new(
        question: &PrivateQuestion,
        declared: &Declared<'_>,
        person: Option<&str>,
        records: u32,
    ) -> Result<Self, QueryError> {
        let Origin { joins, per_person } = &question.origin;
        if question.origin.is_plain() {
            return Ok(Self::default());
        }
        let person = person.ok_or_else(|| {
            problem(
                "a join or a subquery needs the column that tells whose record it is, by which it must be made: --per-person COLUMN, or \
                 `per-person` in [query]",
            )
        })?;
        if let Some(other) = joins.iter().find(|own| own.own != person) {
            return Err(problem(format!(
                "the join with `{}` is not by `{person}`, the column that tells whose record it is; one person's record could then change \
                 those of many",
                other.table
            )));
        }
        if per_person.as_ref().is_some_and(|own| own.person != person) {
            return Err(problem(format!(
                "the subquery is not grouped by `{person}`, the column that tells whose record it is; a line of it could then be about several \
                 people"
            )));
        }
        let named = |own: &JoinedTable| Ok((own.clone(), declared.table(&own.table)?));
        Ok(Self {
            joins: joins.iter().map(named).collect::<Result<_, QueryError>>()?,
            per_person: per_person.clone(),
            person: person.to_owned(),
            // A subquery looks at all records of a person, and makes one line of them.
            most: per_person.is_none().then_some(records),
        })
    }

    /// Whether the table is asked about as it stands.
    pub fn is_plain(&self) -> bool {
        self.joins.is_empty() && self.per_person.is_none()
    }

    /// The names of the tables that are joined.
    pub fn joined(&self) -> Vec<&str> {
        self.joins.iter().map(|own| own.0.table.as_str()).collect()
    }

    /// Whether there is one line for each person.
    pub fn is_per_person(&self) -> bool {
        self.per_person.is_some()
    }

    /// The columns of the files, of which the question needs these columns of what comes out.
    pub fn needed(&self, outer: Vec<String>) -> Vec<String> {
        let mut columns = match &self.per_person {
            None => outer,
            Some(own) => {
                let mut columns: Vec<String> =
                    own.columns.iter().filter_map(|(_, figure)| figure.column().map(str::to_owned)).collect();
                own.filter.for_each_test(&mut |test| columns.push(test.column.clone()));
                columns
            }
        };
        if !self.is_plain() {
            columns.push(self.person.clone());
        }
        columns.extend(self.joins.iter().map(|(join, _)| join.other.clone()));
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The names of what is asked of a subquery: nothing else can be.
    fn told(&self) -> Option<Vec<&str>> {
        let own = self.per_person.as_ref()?;
        Some(own.columns.iter().map(|own| own.0.as_str()).chain([self.person.as_str()]).collect())
    }

    /// Refuses columns that a subquery does not have.
    pub fn must_tell(&self, outer: &[String]) -> Result<(), QueryError> {
        let Some(told) = self.told() else { return Ok(()) };
        match outer.iter().find(|column| !told.contains(&column.as_str())) {
            Some(column) => Err(problem(format!(
                "the subquery has no column `{column}`; what stands outside can use only {}",
                told.join(", ")
            ))),
            None => Ok(()),
        }
    }

    /// For people: what was done before anything was asked.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.joins.is_empty() {
            let tables: Vec<String> = self.joins.iter().map(|own| format!("`{}`", own.0.table)).collect();
            let person = &self.person;
            remarks.push(format!(
                "Joined with {} by `{person}`: the answer hides all records of a person in all of these tables together. Budgets of other accounts \
                 about the same people add up with this one.",
                tables.join(" and ")
            ));
        }
        if self.per_person.is_some() {
            remarks.push(format!(
                "The subquery makes one line of all records of a person, told by `{}`, so one person changes one line, however many records there are.",
                self.person
            ));
        }
        remarks
    }

    /// Joins the tables, and makes the lines.
    pub fn made(
        &self,
        mut table: Table,
        needed: &[String],
        progress: &dyn Progress,
    ) -> Result<Table, QueryError> {
        for (join, path) in &self.joins {
            // Which of the columns that are needed this table has is known once it is read.
            let mut input = read(path, &ReadOptions::default().exactly(), progress)?;
            input.table.columns.retain(|column| needed.contains(&column.name));
            if !input.names.contains(&join.other) {
                return Err(unknown(path, &join.other, input.names));
            }
            let both = |column: &&Column| {
                column.name != join.other && table.columns.iter().any(|own| own.name == column.name)
            };
            if let Some(column) = input.table.columns.iter().find(both) {
                return Err(problem(format!(
                    "`{}` is a column of both tables, and it is not known which is meant; rename one of them",
                    column.name
                )));
            }
            let key = (join.own.as_str(), join.other.as_str());
            table = joined(&table, &input.table, key, join.keeps_all, (self.most, MOST_RECORDS)).ok_or_else(
                || problem("the join makes more than 134,217,728 records; join smaller tables"),
            )?;
            progress.check()?;
        }
        match &self.per_person {
            Some(own) => Ok(lines(own, &table)),
            None => Ok(table),
        }
    }
}

/// The error of a file without a column.
pub(super) fn unknown(path: &Path, name: &str, names: Vec<String>) -> QueryError {
    let kind = ReadErrorKind::UnknownColumn { name: name.to_owned(), names };
    ReadError { path: Some(path.to_owned()), kind }.into()
}

/// One line for each person with a record that is meant.
fn lines(own: &PerPerson, table: &Table) -> Table {
    let Some(person) = table.column(&own.person) else { return Table::default() };
    let meant = taken(&own.filter, table);
    let mut line_of: HashMap<u32, usize> = HashMap::new();
    let mut records: Vec<(u32, Vec<usize>)> = Vec::new();
    for (row, (&code, meant)) in person.codes.iter().zip(meant).enumerate() {
        if !meant || person.domain.is_missing(code) {
            continue;
        }
        let line = *line_of.entry(code).or_insert_with(|| {
            records.push((code, Vec::new()));
            records.len() - 1
        });
        records[line].1.push(row); // why: the line was made above
    }
    let names: Vec<Option<&str>> = records.iter().map(|(code, _)| Some(person.domain.text(*code))).collect();
    let mut columns = vec![column_of(&own.person, &names)];
    for (name, figure) in &own.columns {
        let column = figure.column().and_then(|name| table.column(name));
        let told: Vec<Option<String>> = records.iter().map(|(_, rows)| told(figure, column, rows)).collect();
        let cells: Vec<Option<&str>> = told.iter().map(Option::as_deref).collect();
        columns.push(column_of(name, &cells));
    }
    Table { rows: records.len(), columns }
}

/// What a figure is over the records of one person.
fn told(figure: &PersonFigure, column: Option<&Column>, rows: &[usize]) -> Option<String> {
    let Some(column) = column else { return figure.of(rows.len(), &[], &[]) };
    let codes = rows.iter().map(|&row| column.codes[row]); // why: one code per record
    let known: Vec<u32> = codes.filter(|&code| !column.domain.is_missing(code)).collect();
    let numbers: Vec<f64> = known.iter().filter_map(|&code| cell_number(column.domain.text(code))).collect();
    figure.of(rows.len(), &known, &numbers)
}
