//! A release of counts (survey ME-14, ME-02) as the referee sees it.
//!
//! Views are judged one by one through the definitions of the promises, then together: that they agree in what they
//! share, and what they prove about combinations of values (`joint.rs`). Tables with totals are judged by what an
//! outsider can compute about each hidden cell (`cube.rs`).

mod changed;
mod cube;
mod grids;
mod joint;
mod linear;
mod network;
mod views;

use std::collections::BTreeSet;
use std::path::Path;

use super::outcome::{Check, Verdict};
use super::table::{self, Table, Written};
use super::{VerifyError, VerifyOptions, structure, trust, unreadable, values};
use crate::CountsManifest;
use crate::counts::{COUNT, ChangeWay, CountsTable, Form};

/// Checks a release folder of this kind.
pub(super) fn verify(
    folder: &Path,
    bytes: &[u8],
    options: VerifyOptions<'_>,
) -> Result<Verdict, VerifyError> {
    let progress = options.progress;
    let manifest = match CountsManifest::parse(bytes) {
        Ok(manifest) => manifest,
        Err(error) => return unreadable(error),
    };
    let files: Vec<&str> = manifest.tables.iter().map(|table| table.file.as_str()).collect();
    let mut checks = vec![structure::seal(bytes, &manifest.seal)];
    checks.extend(structure::files(folder, &manifest.files, &files, progress)?);
    let intact = checks.iter().all(|check| check.ok);
    let problems = outline(&manifest);
    let is_sound = problems.is_empty();
    checks.push(Check::of("tables", "what the manifest says of them fits together", &problems));
    if !is_sound {
        return Ok(Verdict::early(checks));
    }
    let data = &manifest.data;
    let written =
        Written { format: &data.format, delimiter: data.delimiter, encoding: data.encoding.as_deref() };
    let mut tables = Vec::new();
    for claim in &manifest.tables {
        let name = format!("table {}", claim.file);
        let mut table = match table::read_file(folder, written, &claim.file, |_, _| true, intact, progress)? {
            Ok(table) => table,
            Err(problem) => {
                checks.push(Check::failed(name, problem));
                continue;
            }
        };
        match columns(claim, &table) {
            None => {
                let well = format!("{} lines, with the columns that the manifest says", table.rows);
                checks.push(Check::passed(name, well));
                if manifest.together.is_some() {
                    values::unite_counted(&mut table, claim, data);
                }
                tables.push(table);
            }
            Some(problem) => checks.push(Check::failed(name, problem)),
        }
    }
    // Without all tables nothing can be said of what they tell together.
    if tables.len() == manifest.tables.len() {
        checks.push(grids::check(&manifest, &tables));
        match &manifest.together {
            Some(together) => checks.extend(views::check(&manifest, together, tables, progress)?),
            None => {
                for (claim, table) in manifest.tables.iter().zip(&tables) {
                    match &claim.changed {
                        Some(own) => checks.extend(changed::check(claim, own, table, data.records)),
                        None => checks.extend(cube::check(claim, table, data.records, progress)?),
                    }
                }
            }
        }
    }
    if manifest.randomness == "fixed-seed" {
        let well = "the seed was fixed: whoever knows or guesses it can draw the same counts again";
        checks.push(Check::passed("randomness", well));
    }
    Ok(Verdict { checks, on_trust: trust::of_counts(&manifest, options.pages.is_some()) })
}

/// Whether the counts of a table were drawn.
pub(super) fn is_drawn(table: &CountsTable) -> bool {
    matches!(table.changed.as_ref().map(|own| &own.way), Some(ChangeWay::Resample { .. }))
}

/// What of the manifest cannot be, whatever the tables hold.
fn outline(manifest: &CountsManifest) -> Vec<String> {
    let mut problems = Vec::new();
    let tables = &manifest.tables;
    if tables.is_empty() {
        problems.push("the manifest names no table".to_owned());
    }
    let with_totals = tables.iter().filter(|table| table.form == Form::Totals).count();
    if with_totals > 0 && with_totals < tables.len() {
        problems
            .push("views and tables with totals stand in one release; nothing is known of both".to_owned());
    }
    if manifest.together.is_some() != (with_totals < tables.len()) {
        problems.push("views are told together, and nothing else is".to_owned());
    }
    let sources: &[&str] =
        if tables.iter().any(is_drawn) { &["operating-system", "fixed-seed"] } else { &["none"] };
    let shown = &manifest.shown;
    if !(shown.columns.is_empty() && shown.pictures.is_empty() && shown.boxes.is_none()) {
        problems.push("drawings are shown that a release of counts does not have".to_owned());
    }
    if !sources.contains(&manifest.randomness.as_str()) {
        problems.push("it does not say where randomness came from".to_owned());
    }
    let mut files = BTreeSet::new();
    for (number, table) in tables.iter().enumerate() {
        let at = format!("table {}", number + 1);
        if !files.insert(&table.file) {
            problems.push(format!("{at}: its file is that of another table"));
        }
        problems.extend(table_outline(table).into_iter().map(|problem| format!("{at}: {problem}")));
        if lacks_a_common_promise(table, tables) {
            problems.push(format!("{at}: it lacks a promise that is made of all views"));
        }
        for column in &table.columns {
            if manifest.data.removed_columns.contains(&column.name) {
                problems.push(format!("{at}: a column that was removed is in it"));
            }
            for other in tables[..number].iter().flat_map(|other| &other.columns) {
                if other.name != column.name {
                    continue;
                }
                if table.form == Form::Totals {
                    problems.push(format!(
                        "{at}: it shares a column with another, so that they tell more together"
                    ));
                } else if (&other.role, other.level, other.height)
                    != (&column.role, column.level, column.height)
                {
                    problems.push(format!("{at}: a column has another role or level than in another view"));
                }
            }
        }
    }
    problems
}

/// Whether another view keeps a promise of all views that this one could break and does not make: neither as one of all,
/// nor in another form as its own.
fn lacks_a_common_promise(table: &CountsTable, tables: &[CountsTable]) -> bool {
    let is_own = |table: &CountsTable, place: usize| table.own_promises.contains(&place);
    let common = tables.iter().flat_map(|other| {
        other
            .promises
            .iter()
            .enumerate()
            .filter(|&(place, _)| !is_own(other, place))
            .map(|(_, promise)| promise)
    });
    common.map(|promise| &promise.requirement).any(|common| {
        let bears = |name: &str| table.columns.iter().any(|column| column.name == name);
        let made = || {
            table.promises.iter().enumerate().any(|(place, promise)| {
                let made = &promise.requirement;
                made == common
                    || (is_own(table, place)
                        && made.key() == common.key()
                        && made.column() == common.column())
            })
        };
        common.column().is_none_or(bears) && !made()
    })
}

fn table_outline(table: &CountsTable) -> Vec<&'static str> {
    let mut problems = Vec::new();
    if table.columns.is_empty() {
        problems.push("it has no column");
    }
    let mut names = BTreeSet::new();
    for column in &table.columns {
        if !names.insert(&column.name) {
            problems.push("it has a column twice");
        }
        if table.form != Form::Microdata && column.name == COUNT {
            problems.push("a column has the name of the column of counts");
        }
        let are_levels = |height: usize, labels: &[u64]| {
            labels.len() == height + 1 && labels.windows(2).all(|pair| pair[0] >= pair[1])
        };
        let is_leveled = match (column.level, column.height, &column.labels_per_level) {
            (Some(level), Some(height), Some(labels)) => {
                level <= height && column.role == "quasi" && are_levels(height, labels)
            }
            (None, None, None) => column.role == "sensitive",
            _ => false,
        };
        if !is_leveled {
            problems.push("a column must be quasi, at a level of its hierarchy, or sensitive, and at none");
        }
    }
    let is_view = table.form != Form::Totals;
    let is_protected = table.suppression.is_some() != table.changed.is_some();
    let is_both = table.suppression.is_some() && table.changed.is_some();
    if is_view != table.classes.is_some() || is_view == is_protected || is_both {
        problems.push("a view has classes, a table with totals has hidden or changed cells");
    }
    if let Some(own) = &table.changed {
        problems.extend(changed::outline(table, own));
    }
    if is_view == table.promises.is_empty() {
        problems.push("a view promises something, a table with totals hides small counts");
    }
    if !table.own_promises.is_sorted_by(|a, b| a < b)
        || table.own_promises.last().is_some_and(|&last| last >= table.promises.len())
    {
        problems.push("it says of promises that it does not make that they are its own");
    }
    if let Some(hidden) = &table.suppression
        && (hidden.threshold < 2 || hidden.lower == 0 || hidden.upper == 0)
    {
        problems.push("its threshold must be at least 2 and its protection at least 1 both ways");
    }
    problems
}

/// What is wrong with the names of the columns.
fn columns(claim: &CountsTable, table: &Table) -> Option<String> {
    let counted = (claim.form != Form::Microdata).then_some(COUNT);
    let wanted = claim.columns.iter().map(|column| column.name.as_str()).chain(counted);
    (!wanted.eq(table.names.iter().map(String::as_str)))
        .then(|| "it has other columns than the manifest says".to_owned())
}

/// What is wrong with the number of labels of the columns.
fn labels(claim: &CountsTable, found: impl Iterator<Item = u64>) -> Vec<String> {
    let differing =
        claim.columns.iter().zip(found).enumerate().filter(|(_, (column, found))| column.labels != *found);
    let said = |(number, (column, found)): (usize, (&crate::counts::CountsColumn, u64))| {
        format!("column {} has {found} different labels, the manifest says {}", number + 1, column.labels)
    };
    let mut problems: Vec<String> = differing.map(said).collect();
    // Every record of the input is counted, so every label of the level is there.
    for (number, column) in claim.columns.iter().enumerate() {
        let of_level = column.level.zip(column.labels_per_level.as_ref());
        if of_level.is_some_and(|(level, labels)| labels.get(level) != Some(&column.labels)) {
            problems.push(format!("column {}: its level has another number of labels", number + 1));
        }
    }
    problems
}
