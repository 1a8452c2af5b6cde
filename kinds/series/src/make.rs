//! From a job to a draft: the history is read, people are grouped, every group shows one range or label per column.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use privet_data::hierarchy::build;
use privet_data::io::{ReadOptions, read};
use privet_data::{Column, Generalization, Hierarchy, Kind, Progress, Table};
use privet_history::{Entry, Group, Grouped, History, Recorded, Survivors, Tuple, m_invariant};
use privet_kind::{Fault, JobFile, KindError, Outcome, OwnerFiles};
use privet_release::{Draft, Promised, Randomness};

use crate::job::{self, Body, SeriesSection};

/// The history among the owner's files.
pub const HISTORY: &str = "history.json";
/// The published rows.
pub const DATA: &str = "data.csv";
/// Counterfeits per group.
pub const COUNTERFEITS: &str = "counterfeits.csv";

/// The rows of a job.
pub struct Rows {
    pub section: SeriesSection,
    pub table: Table,
}

impl Rows {
    pub fn read(file: &JobFile, progress: &dyn Progress) -> Result<Self, KindError> {
        let (input, section) = job::read(file)?;
        let mut columns: Vec<String> = section.columns.keys().cloned().collect();
        columns.extend([section.person.clone(), section.sensitive.clone()]);
        let options =
            ReadOptions { columns: Some(columns), formulas: input.formulas, ..ReadOptions::default() };
        let mut table = read(&file.resolve(&input.path), &options, progress)?.table;
        table.columns.iter_mut().for_each(Column::in_one_form);
        let own = Self { section, table };
        for name in [&own.section.person, &own.section.sensitive] {
            let column = own.column(name)?;
            let empty = column.codes.iter().filter(|&&code| column.domain.is_missing(code)).count();
            if empty > 0 {
                return Err(KindError::key(
                    "series",
                    format!("needs `{name}` in every row, and {empty} rows have none"),
                ));
            }
        }
        Ok(own)
    }

    fn column(&self, name: &str) -> Result<&Column, KindError> {
        let missing =
            || KindError::key("series", format!("names the column `{name}`, which the file does not have"));
        self.table.column(name).ok_or_else(missing)
    }

    /// Everybody, ordered by the quasi columns.
    pub fn tuples(&self) -> Result<Vec<Tuple>, KindError> {
        let quasi: Vec<&Column> =
            self.section.columns.keys().map(|name| self.column(name)).collect::<Result<_, _>>()?;
        let (person, sensitive) = (self.column(&self.section.person)?, self.column(&self.section.sensitive)?);
        let mut order: Vec<usize> = (0..self.table.rows).collect();
        order.sort_by_cached_key(|&row| quasi.iter().map(|column| column.codes[row]).collect::<Vec<u32>>());
        let mut place = vec![0; self.table.rows];
        order.into_iter().zip(0..).for_each(|(row, own)| place[row] = own);
        let text = |column: &Column, row: usize| column.domain.text(column.codes[row]).to_owned();
        let tuple =
            |row: usize| Tuple { person: text(person, row), value: text(sensitive, row), place: place[row] };
        Ok((0..self.table.rows).map(tuple).collect())
    }
}

pub fn make(file: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
    let rows = Rows::read(file, progress)?;
    let tuples = rows.tuples()?;
    let mut history = history(file)?;
    let before = survivors(&history);
    let m = rows.section.m;
    let grouped = m_invariant(&tuples, &before, m)
        .map_err(|error| KindError::new(Fault::Refused, error.to_string()))?;
    if grouped.groups.is_empty() {
        return Err(KindError::refused(
            "no release was written: nobody can be published with so few different values",
        ));
    }
    let labels = labels(file, &rows, &grouped)?;
    let (data, counts) = files(&rows, &tuples, &grouped, &labels);
    for (name, text) in [(DATA, data), (COUNTERFEITS, counts)] {
        let mut out = draft.create(name)?;
        out.write_all(text.as_bytes()).map_err(|error| KindError::io(Path::new(name), &error))?;
        out.finish()?;
    }
    let counterfeits: usize = grouped.groups.iter().map(|group| group.counterfeits.len()).sum();
    let published: usize = grouped.groups.iter().map(|group| group.people.len()).sum();
    let people: Survivors = grouped
        .groups
        .iter()
        .flat_map(|group| &group.people)
        .map(|&at| (tuples[at].person.clone(), grouped.signatures[&tuples[at].person].clone()))
        .collect();
    let recorded = Recorded::Signatures { people: people.clone(), counterfeits: counterfeits as u64 };
    // The same people in the same groups are the same release, made again.
    let is_again = history.releases.last().is_some_and(|last| last.recorded == recorded);
    let number = history.releases.len() as u64 + u64::from(!is_again);
    let body = Body {
        columns: rows.section.columns.keys().cloned().collect(),
        sensitive: rows.section.sensitive,
        release: number,
        rows: (published + counterfeits) as u64,
        groups: grouped.groups.len() as u64,
        counterfeits: counterfeits as u64,
        waiting: grouped.waiting.len() as u64,
    };
    let known = people.keys().filter(|person| before.contains_key(*person)).count();
    if !is_again {
        history.releases.push(Entry {
            release: format!("release {number}"),
            kind: "series".to_owned(),
            recorded,
        });
    }
    history.is_about(&file.resolve(&job::read(file)?.0.path));
    let summary = vec![
        ("Release of the series".to_owned(), body.release.to_string()),
        (
            "People".to_owned(),
            format!("{published}, of whom {known} were published before; {} wait", body.waiting),
        ),
        ("Groups".to_owned(), format!("{}, each of at least {m} different values", body.groups)),
        ("Counterfeits".to_owned(), counterfeits.to_string()),
    ];
    let promises = vec![
        Promised::new("m-invariance").with("m", m as u64),
        Promised::new("counterfeits").with("most", counterfeits as u64),
    ];
    let body = serde_json::to_value(&body).map_err(|error| KindError::bad_input(error.to_string()))?;
    let owner = OwnerFiles::default().with(HISTORY, history.to_json().into_bytes());
    Ok(Outcome { body, promises, randomness: Randomness::None, owner, summary })
}

/// What was published before.
fn history(file: &JobFile) -> Result<History, KindError> {
    let Some(home) = file.output()?.home else { return Ok(History::default()) };
    let path = file.resolve(&home).join(HISTORY);
    History::read(&path).map_err(|error| KindError::bad_input(error.to_string()).at(&path))
}

/// Of everybody who was ever published the values of the group, which are those of every release.
pub fn survivors(history: &History) -> Survivors {
    let mut all = Survivors::new();
    for entry in &history.releases {
        if let Recorded::Signatures { people, .. } = &entry.recorded {
            all.extend(people.iter().map(|(person, own)| (person.clone(), own.clone())));
        }
    }
    all
}

/// Per quasi column and group its label.
fn labels(file: &JobFile, rows: &Rows, grouped: &Grouped) -> Result<Vec<Vec<String>>, KindError> {
    let base = file.resolve(Path::new(""));
    let mut all = Vec::new();
    for (name, section) in &rows.section.columns {
        let column = rows.column(name)?;
        let failed = |error: privet_data::HierarchyError| {
            KindError::key(format!("series.columns.{name}.hierarchy"), error.to_string())
        };
        let mut counts = vec![0_u64; column.domain.len()];
        column.codes.iter().for_each(|&code| counts[code as usize] += 1);
        let generalization = match &section.hierarchy {
            Some(spec) => Some(build(spec, &base, &column.domain, &counts).map_err(failed)?),
            None if matches!(column.domain.kind(), Kind::Integer | Kind::Decimal) => None,
            None => Some(Hierarchy::flat(&column.domain)),
        };
        let generalization =
            generalization.map(|own| own.bind(&column.domain)).transpose().map_err(failed)?;
        let label = |group: &Group| {
            let codes: Vec<u32> = group.people.iter().map(|&row| column.codes[row]).collect();
            match &generalization {
                Some(own) => lowest(own, &codes),
                None => range(column, &codes),
            }
        };
        all.push(grouped.groups.iter().map(label).collect());
    }
    Ok(all)
}

/// The label of the lowest level at which all values are one.
fn lowest(generalization: &Generalization, codes: &[u32]) -> String {
    let one = |level: &&privet_data::GeneralizedLevel| {
        codes.iter().all(|&code| level.node_of_code[code as usize] == level.node_of_code[codes[0] as usize])
    };
    generalization.levels.iter().find(one).map_or_else(
        || "*".to_owned(),
        |level| level.labels[level.node_of_code[codes[0] as usize] as usize].to_string(),
    )
}

/// The range of numbers, which are in the order of their codes; `*` where one is missing.
fn range(column: &Column, codes: &[u32]) -> String {
    let (least, most) = (codes.iter().min().copied().unwrap_or(0), codes.iter().max().copied().unwrap_or(0));
    match () {
        () if column.domain.is_missing(least) => "*".to_owned(),
        () if least == most => column.domain.text(least).to_owned(),
        () => format!("[{}, {}]", column.domain.text(least), column.domain.text(most)),
    }
}

/// The published rows, and the counterfeits of each group. Within a group rows stand in the order of their values, so that nothing tells a
/// counterfeit from a person.
fn files(rows: &Rows, tuples: &[Tuple], grouped: &Grouped, labels: &[Vec<String>]) -> (String, String) {
    let mut data = String::from("group");
    for name in rows.section.columns.keys().chain([&rows.section.sensitive]) {
        data.push(',');
        push_cell(&mut data, name);
    }
    data.push('\n');
    let mut counts = String::from("group,counterfeits\n");
    // Groups are numbered in the order of what they show, and not in that in which they were formed.
    let mut shown: BTreeMap<(Vec<&str>, Vec<&str>), Vec<usize>> = BTreeMap::new();
    for (at, group) in grouped.groups.iter().enumerate() {
        let mut values: Vec<&str> = group.people.iter().map(|&row| tuples[row].value.as_str()).collect();
        values.extend(group.counterfeits.iter().map(String::as_str));
        values.sort_unstable();
        let labels = labels.iter().map(|column| column[at].as_str()).collect();
        shown.entry((labels, values)).or_default().push(at);
    }
    let mut number = 0;
    for ((labels, values), groups) in shown {
        for at in groups {
            number += 1;
            for value in &values {
                data.push_str(&number.to_string());
                for text in labels.iter().chain([value]) {
                    data.push(',');
                    push_cell(&mut data, text);
                }
                data.push('\n');
            }
            let counterfeits = grouped.groups[at].counterfeits.len();
            if counterfeits > 0 {
                counts.push_str(&format!("{number},{counterfeits}\n"));
            }
        }
    }
    (data, counts)
}

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
