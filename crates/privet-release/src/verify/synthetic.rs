//! A release of synthetic records as the referee sees it (survey ME-38 to ME-45).
//!
//! From the release alone it can be checked that all copies are there, with the records and columns that are said, that
//! made numbers and dates are ones of the decimals that are said, that columns which were not made are the same in all
//! copies, and that the rule by which estimates are combined is the one of its model. How often a value is one of the
//! originals is the publisher's word. Synthetic records promise no formal privacy, and the verdict says so.

use std::collections::BTreeSet;
use std::path::Path;

use privet_data::{Kind, Progress};

use super::VerifyError;
use super::outcome::{Check, NO_PROMISE};
use super::perturbed::{are_named, read, shape};
use super::table::Table;
use crate::perturbed::{MODELS, PerturbedManifest, Synthesis, SyntheticColumn};

/// The most copies.
const MOST_COPIES: usize = 1000;

/// What is checked of synthetic records.
pub(super) fn verify(
    folder: &Path,
    manifest: &PerturbedManifest,
    own: &Synthesis,
    intact: bool,
    progress: &dyn Progress,
) -> Result<Vec<Check>, VerifyError> {
    let well = format!(
        "{} columns made in {} copies; how often a value is one of the originals is the publisher's word",
        own.columns.len(),
        own.copies.len()
    );
    let problems = description(manifest, own);
    let described = problems.is_empty();
    let mut checks = vec![Check::of("synthesis", well, &problems)];
    if described {
        let mut first = None;
        for (number, file) in own.copies.iter().enumerate() {
            progress.check()?;
            let name = format!("copy {}", number + 1);
            let table = match read(folder, &manifest.data, file, intact, progress)? {
                Ok(table) => table,
                Err(problem) => {
                    checks.push(Check::failed(name, problem));
                    continue;
                }
            };
            let mut problems = shape(manifest, &table);
            if are_named(manifest, &table) {
                problems.extend(values(manifest, own, &table));
                problems.extend(first.as_ref().and_then(|first| differs(own, first, &table)));
                problems.extend(replaced(own, first.as_ref().unwrap_or(&table), &table));
            }
            checks.push(Check::of(&name, format!("{file}: {} records", table.rows), &problems));
            if first.is_none() {
                first = Some(table);
            }
        }
    }
    let said = match own.scope.as_str() {
        "full" => "none is promised: records stand for nobody, and their model was learned from everybody",
        _ => {
            "none is promised: records stand for the people they stood for, with the columns that were not made"
        }
    };
    checks.push(Check::passed(NO_PROMISE, said));
    Ok(checks)
}

/// What of the description cannot be, whatever the tables hold.
fn description(manifest: &PerturbedManifest, own: &Synthesis) -> Vec<String> {
    let mut problems = Vec::new();
    if !MODELS.contains(&own.model.as_str()) || !["full", "partial"].contains(&own.scope.as_str()) {
        problems.push("it was made by a model or in a scope that this version does not know".to_owned());
    }
    let full = own.scope == "full";
    let published: BTreeSet<&str> = manifest.model.columns.iter().map(|own| own.name.as_str()).collect();
    let made: BTreeSet<&str> = own.columns.iter().map(|own| own.name.as_str()).collect();
    let are_columns = !made.is_empty() && made.len() == own.columns.len() && made.is_subset(&published);
    if !are_columns || (full && made.len() != published.len()) {
        problems
            .push("made columns must be published ones, each once, and all of them in full scope".to_owned());
    }
    let format = &manifest.data.format;
    let is_named = |(number, file): (usize, &String)| *file == format!("data-{}.{format}", number + 1);
    if own.copies.is_empty()
        || own.copies.len() > MOST_COPIES
        || !own.copies.iter().enumerate().all(is_named)
        || own.copies.first() != Some(&manifest.data.file)
    {
        problems.push("its copies are not numbered files of one format, from 1 to at most 1000".to_owned());
    }
    if !manifest.data.missing.is_empty() {
        problems.push("it counts missing values, which differ between copies".to_owned());
    }
    let is_only = own.only.as_ref().is_none_or(|only| {
        !full
            && !only.is_empty()
            && only.keys().all(|name| published.contains(name.as_str()) && !made.contains(name.as_str()))
    });
    if !is_only || own.only.is_some() != own.replaced.is_some() {
        problems.push("it says which records were replaced by columns that do not tell".to_owned());
    }
    let rule = own.rule.as_ref();
    let size = rule.and_then(|rule| rule.size);
    let is_size = match own.has_rule() {
        Some("fully-synthetic") => size.is_some_and(|size| size > 0.0 && size.is_finite()),
        _ => size.is_none(),
    };
    if rule.map(|rule| rule.rule.as_str()) != own.has_rule() || !is_size {
        problems.push("it names another rule of combination than its model and scope have".to_owned());
    }
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    let mut shares = is_share(own.copied_records);
    for column in &own.columns {
        shares &= [Some(column.by_chance), Some(column.of_one_record), column.equal]
            .into_iter()
            .flatten()
            .all(is_share);
        shares &= column.equal.is_some() != full;
        if !["number", "date", "category"].contains(&column.kind.as_str())
            || (column.decimals.is_some() && column.kind == "category")
        {
            problems.push("a column is of a kind that this version does not know".to_owned());
        }
    }
    if !shares {
        problems.push("a share is none, or is missing".to_owned());
    }
    problems
}

/// Made values that cannot be ones of their column.
fn values(manifest: &PerturbedManifest, own: &Synthesis, table: &Table) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, column) in own.columns.iter().enumerate() {
        let place = table.names.iter().position(|name| *name == column.name);
        let Some(found) = place.and_then(|place| table.columns.get(place)) else { continue };
        let is_wrong = |text: &String| !manifest.model.missing.contains(text) && !is_of_kind(text, column);
        let wrong: Vec<bool> = found.texts.iter().map(is_wrong).collect();
        let at = found.codes.iter().position(|code| wrong.get(*code as usize).copied().unwrap_or(true));
        if let Some(record) = at {
            problems.push(format!(
                "made column {}, record {}: the value is none of its kind",
                number + 1,
                record + 1
            ));
        }
    }
    problems
}

fn is_of_kind(text: &str, column: &SyntheticColumn) -> bool {
    let kind = match column.kind.as_str() {
        "number" => Kind::Decimal,
        "date" => Kind::Date,
        _ => return true,
    };
    let decimals = text.split_once('.').map_or(0, |(_, behind)| behind.len());
    kind.number(text).is_some_and(f64::is_finite)
        && column.decimals.is_none_or(|most| decimals <= usize::from(most))
}

/// Where only some records were replaced: whether they are as many as is said, and the others are the same in all copies.
fn replaced(own: &Synthesis, first: &Table, table: &Table) -> Option<String> {
    let only = own.only.as_ref()?;
    let column = |table: &Table, name: &str| table.names.iter().position(|own| own == name);
    let mut is_chosen = vec![true; table.rows];
    for (name, values) in only {
        let found = table.columns.get(column(table, name)?)?;
        for (chosen, &code) in is_chosen.iter_mut().zip(&found.codes) {
            *chosen &= found.texts.get(code as usize).is_some_and(|text| values.contains(text));
        }
    }
    if own.replaced != Some(is_chosen.iter().filter(|chosen| **chosen).count() as u64) {
        return Some("it has another number of records that were to be replaced than is said".to_owned());
    }
    for made in &own.columns {
        let (a, b) =
            (first.columns.get(column(first, &made.name)?)?, table.columns.get(column(table, &made.name)?)?);
        let text = |of: &super::table::Column, record: usize| {
            of.codes.get(record).and_then(|&code| of.texts.get(code as usize)).cloned()
        };
        let changed =
            (0..table.rows).find(|&record| !is_chosen[record] && text(a, record) != text(b, record)); // why: one flag per record
        if let Some(record) = changed {
            return Some(format!(
                "record {} was not to be replaced, and is another than in the first copy",
                record + 1
            ));
        }
    }
    None
}

/// A column that was not made and is not what it is in the first copy.
fn differs(own: &Synthesis, first: &Table, table: &Table) -> Option<String> {
    let both = first.columns.iter().zip(&table.columns).zip(&table.names).enumerate();
    let mut kept = both.filter(|(_, (_, name))| !own.columns.iter().any(|column| column.name == **name));
    // Texts are numbered as they appear, so equal columns have equal numbers.
    let (number, _) = kept.find(|(_, ((a, b), _))| a.texts != b.texts || a.codes != b.codes)?;
    Some(format!("column {} was not made, and is another than in the first copy", number + 1))
}
