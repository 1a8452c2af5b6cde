//! Questions to a release of counts: its tables as [`Counts`] (survey US-14).

use std::path::Path;

use foldhash::HashMap;
use privet_data::{Cells, Column, Domain, Progress, Table};
use privet_measure::answer::{Answer, AnswerColumn, AnswerSource, CountedTable, Counts, Question};
use privet_release::PublishedError;
use privet_release::counts::{CountsColumn, CountsManifest, CountsTable, Form, TOTAL};
use privet_release::manifest::Recoding;

use privet_microdata::answer::columns::Labelled;
use privet_microdata::answer::{AskError, Knowledge, Owing, notes};

use crate::attack::read_table;

/// Answers a question from a folder of counts, and says what the answer owes to reading labels.
pub(crate) fn answer(
    folder: &Path,
    manifest: &CountsManifest,
    question: &Question,
    job: Option<&Path>,
    progress: &dyn Progress,
) -> Result<(Answer, Vec<String>), AskError> {
    if manifest.tables.iter().any(|table| table.changed.is_some()) {
        return Err(AskError::Published(PublishedError::Other {
            folder: folder.to_owned(),
            problem: "its counts were changed, so that answers from them would have no bounds; read the totals that were kept off \
                      the table",
        }));
    }
    let mut claims: Vec<&CountsColumn> = Vec::new();
    for claim in manifest.tables.iter().flat_map(|table| &table.columns) {
        if !claims.iter().any(|own| own.name == claim.name) {
            claims.push(claim);
        }
    }
    let knowledge = match job {
        Some(path) => Knowledge::read(path, &|name| claims.iter().any(|own| own.name == name))?,
        None => Knowledge::default(),
    };
    let mut tables: Vec<(&CountsTable, Table)> = Vec::new();
    for table in &manifest.tables {
        tables.push((table, read_table(folder, manifest, table, progress)?));
    }
    let mut owing = Owing::new();
    let columns: Vec<AnswerColumn> = claims
        .iter()
        .map(|claim| column(claim, manifest, &tables, &knowledge, question, &mut owing))
        .collect();
    let label_of: Vec<HashMap<&str, u32>> =
        columns.iter().map(|own| own.labels.iter().map(|label| &**label).zip(0..).collect()).collect();
    let mut counted = Vec::new();
    for (claim, table) in &tables {
        let places: Vec<usize> = claim
            .columns
            .iter()
            .filter_map(|own| claims.iter().position(|other| other.name == own.name))
            .collect();
        let has_totals = claim.form == Form::Totals;
        let wrong =
            |problem| AskError::Published(PublishedError::Other { folder: folder.to_owned(), problem });
        // Labels once for each code, not for each record.
        let labels: Vec<Vec<Option<u32>>> = places
            .iter()
            .zip(&table.columns)
            .map(|(&place, own)| {
                let of = |text: &str| match has_totals && text == TOTAL {
                    true => None,
                    false => label_of.get(place).and_then(|labels| labels.get(text)).copied(),
                };
                own.domain.texts().iter().map(|text| of(text)).collect()
            })
            .collect();
        let mut cells: HashMap<Vec<Option<u32>>, Option<u64>> = HashMap::default();
        for row in 0..table.rows {
            let label = |(own, labels): (&Column, &Vec<Option<u32>>)| {
                own.codes.get(row).and_then(|&code| labels.get(code as usize).copied().flatten())
            };
            let key: Vec<Option<u32>> = table.columns.iter().zip(&labels).map(label).collect();
            let count = match claim.form {
                Form::Microdata => Some(1),
                _ => match table.columns.last().and_then(|own| Some(own.domain.text(*own.codes.get(row)?))) {
                    Some("") if has_totals => None,
                    Some(text) => Some(
                        text.parse::<u64>().map_err(|_| wrong("a table has something else than counts"))?,
                    ),
                    None => return Err(wrong("a table has no counts")),
                },
            };
            match (cells.get_mut(&key), count) {
                (Some(Some(own)), Some(count)) => *own = own.saturating_add(count),
                (Some(_), _) => return Err(wrong("a table has a cell twice")),
                (None, count) => {
                    cells.insert(key, count);
                }
            }
        }
        let mut cells: Vec<(Vec<Option<u32>>, Option<u64>)> = cells.into_iter().collect();
        cells.sort_unstable();
        counted.push(CountedTable { columns: places, cells, has_totals });
    }
    let answer = Counts::new(columns, manifest.data.records, counted)?.answer(question)?;
    Ok((answer, notes(&owing, question)))
}

/// A column with the labels of all tables.
fn column(
    claim: &CountsColumn,
    manifest: &CountsManifest,
    tables: &[(&CountsTable, Table)],
    knowledge: &Knowledge,
    question: &Question,
    owing: &mut Owing,
) -> AnswerColumn {
    let mut texts: Vec<Box<str>> = Vec::new();
    for (own, table) in tables {
        if let Some(place) = own.columns.iter().position(|other| other.name == claim.name)
            && let Some(column) = table.columns.get(place)
        {
            let is_label = |text: &str| own.form != Form::Totals || text != TOTAL;
            texts.extend(column.domain.texts().iter().filter(|text| is_label(text)).cloned());
        }
    }
    texts.sort_unstable();
    texts.dedup();
    let (domain, _) = Domain::canonical(texts, |text| match &manifest.data.missing {
        Some(markers) => markers.iter().any(|own| own == text),
        None => text.is_empty(),
    });
    let column = Column { name: claim.name.clone(), codes: Vec::new(), domain, cells: Cells::Plain };
    // Of a column that is no quasi column the values themselves are counted.
    let recoding = claim.level.map(|level| Recoding {
        level: Some(level),
        nodes: None,
        height: claim.height.unwrap_or(level),
        leaves: 0,
        labels_per_level: Vec::new(),
        reading: claim.reading,
        loss: 0.0,
        weight: 1.0,
    });
    let alike = claim.alike.as_ref();
    let labelled = Labelled { column: &column, recoding: recoding.as_ref(), alike, knowledge, question };
    let read = labelled.read();
    owing.extend(labelled.owes(&read).map(|own| (claim.name.clone(), own)));
    read
}
