//! Tables of counts with all their totals, small counts hidden (survey ME-02) or changed (`change.rs`).

use privet_data::Progress;
use privet_recode::bucket::{CellState, CountTable};
use privet_recode::lattice::Codes;
use privet_release::counts::{ChangedCells, CountsColumn, CountsTable, Form, HiddenCells, TOTAL};

use super::change;
use super::{Content, Contents, CountTableSection, TableMethod};
use crate::alike;
use crate::error::{JobError, RunError};
use crate::job::Job;
use crate::load::Loaded;

/// Counts, and hides what is small and what would give it away.
pub(super) fn protect(job: &Job, loaded: &Loaded, progress: &dyn Progress) -> Result<Contents, RunError> {
    let mut tables = Vec::new();
    for (number, section) in job.count_tables.iter().enumerate() {
        tables.push(table(number, section, loaded, progress)?);
    }
    Ok(Contents { tables, together: None })
}

/// A column at its level: labels that occur, and per record which.
struct Leveled {
    labels: Vec<Box<str>>,
    codes: Vec<u32>,
    claim: CountsColumn,
}

fn table(
    number: usize,
    section: &CountTableSection,
    loaded: &Loaded,
    progress: &dyn Progress,
) -> Result<Content, RunError> {
    let columns: Vec<Leveled> =
        section.columns.iter().map(|name| column(number, section, loaded, name)).collect::<Result<_, _>>()?;
    let codes: Vec<Codes<'_>> =
        columns.iter().map(|column| Codes { codes: &column.codes, values: column.labels.len() }).collect();
    let counted = CountTable::new(loaded.input.table.rows, &codes)?;
    if section.method != TableMethod::Suppress {
        let (made, changed) = change::change(number, section, &counted, progress)?;
        let published = (0..made.cells()).map(|cell| Some(made.count(cell))).collect();
        return Ok(content(&columns, &counted, published, None, Some(changed)));
    }
    let found = section.rule().protect(&counted, progress)?;
    let mut published: Vec<Option<u64>> = (0..counted.cells())
        .map(|cell| (found.states[cell] == CellState::Published).then(|| counted.count(cell)))
        .collect();
    if section.columns.len() > 2 {
        // In two columns every hidden cell is needed. Beyond, the program over whole numbers may miss that one is not;
        // when it follows from the others anyway, hiding it helps nobody.
        for (cell, interval) in found.intervals(progress)? {
            if interval.high == Some(interval.low) {
                published[cell] = Some(counted.count(cell));
            }
        }
    }
    let protection = section.protection();
    let suppression = HiddenCells {
        threshold: section.threshold,
        lower: protection.lower,
        upper: protection.upper,
        hidden: published.iter().filter(|count| count.is_none()).count() as u64,
    };
    Ok(content(&columns, &counted, published, Some(suppression), None))
}

/// What is published of a table.
fn content(
    columns: &[Leveled],
    counted: &CountTable,
    published: Vec<Option<u64>>,
    suppression: Option<HiddenCells>,
    changed: Option<ChangedCells>,
) -> Content {
    let places: Vec<Vec<Option<u32>>> = (0..counted.cells()).map(|cell| counted.codes(cell)).collect();
    let lines = columns.iter().enumerate().map(|(at, column)| {
        let total = column.labels.len() as u32;
        let codes = places.iter().map(|place| place[at].unwrap_or(total)).collect();
        let mut labels = column.labels.clone();
        labels.push(TOTAL.into());
        (labels, codes)
    });
    Content {
        columns: lines.collect(),
        claim: CountsTable {
            file: String::new(),
            form: Form::Totals,
            columns: columns.iter().map(|column| column.claim.clone()).collect(),
            cells: counted.cells() as u64,
            classes: None,
            promises: Vec::new(),
            own_promises: Vec::new(),
            suppression,
            changed,
        },
        counts: Some(published),
    }
}

fn column(
    number: usize,
    section: &CountTableSection,
    loaded: &Loaded,
    name: &str,
) -> Result<Leveled, JobError> {
    let is = |position: usize| loaded.input.table.columns[position].name == name;
    let (labels, codes, level, alike): (Vec<Box<str>>, Vec<u32>, _, _) = if let Some(quasi) =
        loaded.quasi.iter().find(|quasi| is(quasi.position))
    {
        let level = section.levels.get(name).copied().unwrap_or(0);
        let height = quasi.generalization.height();
        let Some(generalized) = quasi.generalization.levels.get(level) else {
            let problem =
                format!("of table {} name level {level} of {name}, whose top level is {height}", number + 1);
            return Err(JobError::key("count-tables.levels", problem));
        };
        let codes = quasi.codes(&loaded.input.table.columns[quasi.position]).iter();
        let nodes = codes.map(|&code| generalized.node_of_code[code as usize]).collect();
        let domain = &loaded.input.table.columns[quasi.position].domain;
        let alike = alike::behind(domain, quasi.reading, quasi.hides_missing);
        let labels = quasi.generalization.labels_per_level();
        (generalized.labels.to_vec(), nodes, Some((level, height, quasi.reading, labels)), alike)
    } else {
        let Some(sensitive) = loaded.sensitive.iter().find(|sensitive| is(sensitive.position)) else {
            let problem = format!("of table {} name {name}, which is not in the input", number + 1);
            return Err(JobError::key("count-tables.columns", problem));
        };
        let column = &loaded.input.table.columns[sensitive.position];
        (column.domain.texts().to_vec(), column.codes.clone(), None, alike::plain(&column.domain))
    };
    // Labels that occur, in their order.
    let mut new_code = vec![None; labels.len()];
    codes.iter().for_each(|&code| new_code[code as usize] = Some(0));
    let mut occurring = Vec::new();
    for (new, label) in new_code.iter_mut().zip(labels).filter(|(new, _)| new.is_some()) {
        *new = Some(occurring.len() as u32);
        occurring.push(label);
    }
    if occurring.iter().any(|label| **label == *TOTAL) {
        let problem = format!(
            "of table {} name {name}, which has a value \"{TOTAL}\"; totals are called so. Rename it in the input, or set \
             its role to \"identifier\"",
            number + 1
        );
        return Err(JobError::key("count-tables.columns", problem));
    }
    let claim = CountsColumn {
        name: name.to_owned(),
        role: if level.is_some() { "quasi" } else { "sensitive" }.to_owned(),
        level: level.as_ref().map(|own| own.0),
        height: level.as_ref().map(|own| own.1),
        labels: occurring.len() as u64,
        reading: level.as_ref().map(|own| own.2),
        labels_per_level: level.map(|own| own.3),
        alike: Some(alike),
    };
    let codes = codes.iter().filter_map(|&code| new_code[code as usize]).collect();
    Ok(Leveled { labels: occurring, codes, claim })
}
