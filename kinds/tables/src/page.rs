//! The sections of a page about tables: what was published, how much each person contributes, who is alike.

use privet_kind::page::{Axis, Cell, Chart, Series, Style, Table};
use privet_kind::{Block, PageSection};

use crate::body::Body;
use crate::people::People;

/// Longer charts are cut; the last bar holds the rest.
const MOST_BARS: usize = 40;

pub fn sections(body: &Body, people: &People) -> Vec<PageSection> {
    let rows = body.tables.iter().map(|table| {
        vec![
            Cell::from(table.name.clone()),
            Cell::from(table.input_rows),
            Cell::from(table.rows),
            Cell::from(table.most_rows),
            Cell::from(table.references.values().cloned().collect::<Vec<_>>().join(", ")),
        ]
    });
    let tables = Table {
        caption: "The tables".to_owned(),
        columns: ["table", "rows before", "rows published", "most rows of a person", "refers to"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
    };
    let columns = body.tables.iter().flat_map(|table| {
        table.columns.iter().map(|own| {
            let level = match (own.level, own.height) {
                (Some(level), Some(height)) => format!("level {level} of {height}"),
                _ => String::new(),
            };
            vec![
                Cell::from(table.name.clone()),
                Cell::from(own.name.clone()),
                Cell::from(own.role.word()),
                Cell::from(level),
            ]
        })
    });
    let columns = Table {
        caption: "What was done to each column".to_owned(),
        columns: ["table", "column", "role", "generalized to"].map(str::to_owned).to_vec(),
        rows: columns.collect(),
    };
    let who = match (body.linked, &body.household) {
        (true, Some(_)) => {
            "The rows of a person stand under one pseudonym in all tables, and so do the members of a household. Two people are alike when \
             all their rows show the same, in every table, and their households do as well. Pseudonyms were made with a key that belongs to \
             this release alone."
        }
        (true, None) => {
            "The rows of a person stand under one pseudonym in all tables. Two people are alike when all their rows show the same, in every \
             table. Pseudonyms were made with a key that belongs to this release alone."
        }
        (false, _) => {
            "Nothing tells which rows are of one person. Every combination of known values is that of enough people; how many exactly cannot \
             be counted in the published file, only bounded by its rows and the most rows of a person."
        }
    };
    let others = body.input_persons - body.persons.min(body.input_persons);
    let mut blocks = vec![
        Block::text(format!(
            "{} of {} people are published; {others} were suppressed with all their rows, or had none left.",
            body.persons, body.input_persons
        )),
        Block::text(who),
        Block::Table(tables),
        Block::Table(columns),
    ];
    blocks.push(Block::Chart(sizes(people)));
    let mut sections = vec![PageSection::new("tables", "What was published", blocks)];
    if body.linked {
        let charts = body
            .tables
            .iter()
            .zip(&people.rows)
            .map(|(table, rows)| Block::Chart(contribution(&table.name, rows)));
        sections.push(PageSection::new("contribution", "Rows of each person", charts.collect()).folded());
    }
    sections
}

fn sizes(people: &People) -> Chart {
    let mut by_size = std::collections::BTreeMap::<u64, u64>::new();
    people
        .sizes()
        .into_iter()
        .filter(|&size| size > 0)
        .for_each(|size| *by_size.entry(size).or_default() += size);
    bars("People by the size of their class", "people who look the same", by_size.into_iter().collect())
}

fn contribution(name: &str, rows: &[u32]) -> Chart {
    let mut by_rows = std::collections::BTreeMap::<u64, u64>::new();
    rows.iter().for_each(|&own| *by_rows.entry(u64::from(own)).or_default() += 1);
    bars(&format!("People by their number of rows in {name}"), "rows", by_rows.into_iter().collect())
}

fn bars(caption: &str, x: &str, mut points: Vec<(u64, u64)>) -> Chart {
    if points.len() > MOST_BARS {
        let rest: u64 = points[MOST_BARS - 1..].iter().map(|own| own.1).sum();
        points.truncate(MOST_BARS);
        points[MOST_BARS - 1].1 = rest;
    }
    let points = points.into_iter().map(|(x, y)| (x as f64, y as f64)).collect();
    Chart {
        caption: caption.to_owned(),
        x: Axis::linear(x),
        y: Axis::linear("people"),
        style: Style::Bars,
        series: vec![Series { name: "people".to_owned(), points }],
    }
}
