//! The method `synthetic`: values are drawn from a model of the table (survey ME-38 to ME-45).
//!
//! Numbers and dates are numbers to the model, anything else is categories, and so are numbers whose `values` are
//! declared. In full, every published column of every record is made; in part, the chosen columns are, and the others
//! are published as they are.
//!
//! # Guarantee
//! The copies are those of [`synthesize`] and the manifest repeats what it tells of them. Made dates are rounded to
//! days, so models that keep statistics exactly keep them of dates up to that rounding. There is no formal privacy:
//! categories are those of the input, and the shares in the manifest say how often a made value is one of the originals.

use std::collections::{BTreeMap, HashMap};

use privet_data::{Cells, Column, Domain, Kind, Progress, Table, date_of};
use privet_perturb::Coins;
use privet_perturb::synthetic::{
    Cart, Column as Made, ColumnModel, Frame, FranconiStander, LatinHypercube, MISSING, MaximumEntropy,
    Method, Model, Plan, Regression, Scope, Synthetic, SyntheticError, TreeModel, synthesize,
};
use privet_release::perturbed::{Change, CombinationRule, MISSING_BEFORE, Synthesis, SyntheticColumn};

use super::RandomizeJob;
use super::publish;
use super::section::{ModelWord, ScopeWord};
use super::swap::{is_numeric, with_codes};
use crate::error::{JobError, RunError};

/// Copies when the job does not say how many.
const COPIES: usize = 5;

/// Makes synthetic tables. `file` names the file of a copy, counted from 1.
pub(super) fn synthetic(
    table: &Table,
    job: &RandomizeJob,
    coins: &mut dyn Coins,
    file: impl Fn(usize) -> String,
    progress: &dyn Progress,
) -> Result<publish::Made, RunError> {
    let section = &job.randomize;
    let word = section.model.unwrap_or(ModelWord::Cart);
    let scope = section.scope.unwrap_or(ScopeWord::Partial);
    progress.stage("learning the model", None);
    let failed = |source| failed(table, source);
    let declared = |column: &Column| job.columns.get(&column.name).is_some_and(|own| own.values.is_some());
    let is_number: Vec<bool> =
        table.columns.iter().map(|own| is_numeric(own.domain.kind()) && !declared(own)).collect();
    for column in &table.columns {
        check_declared(column, job)?;
    }
    let frame = table.columns.iter().zip(&is_number).map(|(own, &number)| to_model(own, number));
    let frame = Frame::new(frame.collect()).map_err(failed)?;
    let named: Vec<usize> =
        section.columns.iter().flatten().filter_map(|name| table.position(name)).collect();
    let chosen = chosen(table, job)?;
    let plan = Plan {
        scope: match scope {
            ScopeWord::Full => Scope::Full { records: section.records.unwrap_or(table.rows), order: named },
            ScopeWord::Partial => Scope::Partial { columns: named, records: chosen.clone() },
        },
        method: method(word, table, job),
        copies: section.copies.unwrap_or(if word.is_fixed() { 1 } else { COPIES }),
        round: true,
    };
    progress.check()?;
    let mut made = synthesize(&frame, &plan, coins).map_err(failed)?;
    drop(frame);
    progress.check()?;
    let copies = std::mem::take(&mut made.copies);
    let mut tables = Vec::with_capacity(copies.len());
    for copy in copies {
        progress.check()?;
        tables.push(to_table(table, copy, &made.models));
    }
    if scope == ScopeWord::Partial {
        let all: Vec<u32> = (0..table.rows as u32).collect();
        let replaced = chosen.as_ref().map_or(&all[..], |own| &own[..]);
        for model in &made.models {
            if tables.iter().any(|copy| is_original(table, copy, model.column, replaced)) {
                let name = table.columns.get(model.column).map_or("", |own| own.name.as_str());
                return Err(JobError::key(
                    "randomize.columns",
                    format!(
                        "names {name}, and every value that was made for it is the one that it replaces: the columns that stay, or \
                         too few records, determine it. Replace more columns or records, or use another model"
                    ),
                )
                .into());
            }
        }
    }
    let synthesis = Synthesis {
        model: word.word().to_owned(),
        scope: if scope == ScopeWord::Full { "full" } else { "partial" }.to_owned(),
        copies: (1..=tables.len()).map(file).collect(),
        only: chosen.is_some().then(|| only_of(job)),
        replaced: chosen.map(|own| own.len() as u64),
        columns: columns(table, &made, &is_number),
        copied_records: made.statistics.copied_records,
        rule: made.rule().and_then(rule),
    };
    Ok(publish::Made { tables, missing: BTreeMap::new(), change: Change::Synthetic(synthesis) })
}

fn rule(rule: privet_measure::combine::Rule) -> Option<CombinationRule> {
    use privet_measure::combine::Rule;
    match rule {
        Rule::FullySynthetic { size } => {
            Some(CombinationRule { rule: "fully-synthetic".to_owned(), size: Some(size) })
        }
        Rule::PartiallySynthetic => {
            Some(CombinationRule { rule: "partially-synthetic".to_owned(), size: None })
        }
        Rule::Imputed => None,
    }
}

/// Which values choose the records that are replaced.
fn only_of(job: &RandomizeJob) -> BTreeMap<String, Vec<String>> {
    let texts = |values: &Vec<super::ValueText>| values.iter().map(super::ValueText::text).collect();
    job.randomize.only.iter().flatten().map(|(name, values)| (name.clone(), texts(values))).collect()
}

/// The records that are replaced, where not all are.
fn chosen(table: &Table, job: &RandomizeJob) -> Result<Option<Vec<u32>>, JobError> {
    if job.randomize.only.is_none() {
        return Ok(None);
    }
    let mut is_chosen = vec![true; table.rows];
    for (name, values) in only_of(job) {
        let Some(column) = table.column(&name) else { continue };
        let domain = &column.domain;
        let meets: Vec<bool> =
            domain.texts().iter().map(|text| values.iter().any(|value| **value == **text)).collect();
        for (chosen, &code) in is_chosen.iter_mut().zip(&column.codes) {
            *chosen &= meets.get(code as usize).copied().unwrap_or(false) && !domain.is_missing(code);
        }
    }
    let records: Vec<u32> =
        (0..).zip(&is_chosen).filter(|(_, own)| **own).map(|(record, _)| record).collect();
    if records.is_empty() {
        return Err(JobError::key(
            "randomize.only",
            "chooses no record, so that the table would be published as it is; leave it out, or name values that occur",
        ));
    }
    Ok(Some(records))
}

fn method(word: ModelWord, table: &Table, job: &RandomizeJob) -> Method {
    let cart = Cart::default();
    let margins = job.randomize.margins.iter().flatten();
    let places = |names: &Vec<String>| names.iter().filter_map(|name| table.position(name)).collect();
    match word {
        ModelWord::Cart => {
            Method::Cart(Cart { min_leaf: job.randomize.min_leaf.unwrap_or(cart.min_leaf), ..cart })
        }
        ModelWord::Regression => {
            let (section, usual) = (&job.randomize, Regression::default());
            Method::Regression(Regression {
                rounds: section.rounds.unwrap_or(usual.rounds),
                cycles: section.cycles.unwrap_or(usual.cycles),
                within_range: section.within_range.unwrap_or(usual.within_range),
            })
        }
        ModelWord::Sufficiency => Method::Sufficiency,
        ModelWord::Moments => Method::Moments,
        ModelWord::FranconiStander => Method::FranconiStander(FranconiStander::default()),
        ModelWord::LatinHypercube => Method::LatinHypercube(LatinHypercube::default()),
        ModelWord::MaximumEntropy => {
            Method::MaximumEntropy(MaximumEntropy { margins: margins.map(places).collect() })
        }
    }
}

/// Columns are counted from 0 where something is wrong; people know them by name.
fn failed(table: &Table, source: SyntheticError) -> RunError {
    let column = match source {
        SyntheticError::Length { column, .. }
        | SyntheticError::Code { column, .. }
        | SyntheticError::Number { column, .. }
        | SyntheticError::Categories { column, .. }
        | SyntheticError::Missing { column, .. }
        | SyntheticError::TooFew { column, .. }
        | SyntheticError::Determined { column, .. } => Some(column),
        _ => None,
    };
    let own = column.and_then(|column| Some((column, &table.columns.get(column)?.name)));
    let message = match own {
        Some((column, name)) => {
            source.to_string().replacen(&format!("column {column} "), &format!("column {name} "), 1)
        }
        None => source.to_string(),
    };
    RunError::Synthetic { message, source }
}

/// Values outside of those that are declared are a mistake of the data or of the job.
fn check_declared(column: &Column, job: &RandomizeJob) -> Result<(), JobError> {
    let Some(values) = job.columns.get(&column.name).and_then(|own| own.values.as_ref()) else {
        return Ok(());
    };
    let values: std::collections::BTreeSet<String> = values.iter().map(super::ValueText::text).collect();
    let domain = &column.domain;
    let is_outside = |code: u32| !domain.is_missing(code) && !values.contains(domain.text(code));
    match (0..domain.len() as u32).any(is_outside) {
        true => Err(JobError::key(
            format!("columns.{}.values", column.name),
            "leaves out values that the column has; declare all",
        )),
        false => Ok(()),
    }
}

/// A column as the model sees it.
fn to_model(column: &Column, number: bool) -> Made {
    let domain = &column.domain;
    if number {
        let of_code: Vec<f64> =
            (0..domain.len() as u32).map(|code| domain.number(code).unwrap_or(f64::NAN)).collect();
        let values = column.codes.iter().map(|&code| of_code.get(code as usize).copied().unwrap_or(f64::NAN));
        return Made::Numeric(values.collect());
    }
    let missing = domain.missing();
    let codes = column.codes.iter().map(|&code| code.checked_sub(missing).unwrap_or(MISSING)).collect();
    Made::Categorical { codes, categories: domain.len() - missing as usize }
}

/// A copy as it is published.
fn to_table(original: &Table, copy: Frame, models: &[ColumnModel]) -> Table {
    let rows = copy.records();
    let mut columns = Vec::with_capacity(original.columns.len());
    for (place, (column, made)) in original.columns.iter().zip(copy.into_columns()).enumerate() {
        let model = models.iter().find(|model| model.column == place);
        columns.push(match (model, made) {
            (None, _) => column.clone(),
            (Some(model), Made::Numeric(values)) => numbers(column, &values, model.decimals),
            (Some(_), Made::Categorical { codes, .. }) => {
                let missing = column.domain.missing();
                let code = |code: u32| if code == MISSING { 0 } else { code + missing };
                with_codes(column, codes.into_iter().map(code).collect())
            }
        });
    }
    Table { columns, rows }
}

/// A column of made numbers or dates.
fn numbers(column: &Column, values: &[f64], decimals: Option<u8>) -> Column {
    let domain = &column.domain;
    let dates = domain.kind() == Kind::Date;
    // The first marker stands for all that are missing.
    let marker = (domain.missing() > 0).then(|| domain.text(0));
    let mut texts: Vec<Box<str>> = marker.into_iter().map(Box::from).collect();
    let mut place_of_text: HashMap<String, u32> = HashMap::new();
    let mut place_of_value: HashMap<u64, u32> = HashMap::new();
    let places: Vec<u32> = values
        .iter()
        .map(|&value| match value.is_nan() {
            true => 0,
            // -0 + 0 is +0, which has no sign in print.
            false => *place_of_value.entry((value + 0.0).to_bits()).or_insert_with(|| {
                let text = text(value + 0.0, dates, decimals);
                *place_of_text.entry(text).or_insert_with_key(|text| {
                    texts.push(text.as_str().into());
                    texts.len() as u32 - 1
                })
            }),
        })
        .collect();
    let (domain, code_of) = Domain::canonical(texts, |text| marker == Some(text));
    let codes = places.iter().map(|&place| code_of.get(place as usize).copied().unwrap_or(0)).collect();
    Column { name: column.name.clone(), codes, domain, cells: Cells::Plain }
}

fn text(value: f64, dates: bool, decimals: Option<u8>) -> String {
    match (dates, decimals) {
        // The days of the years 1 to 9999.
        (true, _) => date_of(value.round().clamp(-719_162.0, 2_932_896.0) as i64),
        (false, Some(decimals)) => format!("{value:.*}", usize::from(decimals)),
        (false, None) => value.to_string(),
    }
}

/// Whether a made column is the original one in all records that were replaced, up to rounding of numbers. One that has the
/// same value everywhere cannot be anything else.
fn is_original(table: &Table, copy: &Table, column: usize, replaced: &[u32]) -> bool {
    let (Some(then), Some(now)) = (table.columns.get(column), copy.columns.get(column)) else { return false };
    let text = |own: &Column, record: u32| -> Option<String> {
        Some(own.domain.text(*own.codes.get(record as usize)?).to_owned())
    };
    let number = |text: &str| text.parse::<f64>().ok();
    let is_same = |&record: &u32| match (text(then, record), text(now, record)) {
        (Some(a), Some(b)) => match (number(&a), number(&b)) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            _ => a == b,
        },
        _ => false,
    };
    let codes = |own: &u32| then.codes.get(*own as usize).copied();
    let first = replaced.first().and_then(codes);
    let varies = then.codes.iter().any(|code| Some(*code) != first);
    varies && !replaced.is_empty() && replaced.iter().all(is_same)
}

/// What is told of the columns that were made.
fn columns(table: &Table, made: &Synthetic, is_number: &[bool]) -> Vec<SyntheticColumn> {
    let mut columns = Vec::with_capacity(made.models.len());
    for model in &made.models {
        let own = made.statistics.columns.iter().find(|own| own.column == model.column);
        let (Some(column), Some(own)) = (table.columns.get(model.column), own) else { continue };
        let dates = column.domain.kind() == Kind::Date;
        let kind = match is_number.get(model.column) {
            Some(true) if dates => "date",
            Some(true) => "number",
            _ => "category",
        };
        let (made_by, mut figures) = told(&model.model);
        let gone = column.codes.iter().filter(|&&code| column.domain.is_missing(code)).count();
        if gone > 0 {
            figures.push((MISSING_BEFORE, gone as f64 / column.codes.len() as f64));
        }
        columns.push(SyntheticColumn {
            name: column.name.clone(),
            kind: kind.to_owned(),
            made_by: made_by.to_owned(),
            figures: figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            decimals: model.decimals.filter(|_| kind == "number"),
            equal: own.equal,
            by_chance: own.by_chance,
            of_one_record: own.of_one_record,
        });
    }
    columns
}

/// What a column was made by, and what is told of that.
fn told(model: &Model) -> (&'static str, Vec<(&'static str, f64)>) {
    let tree = |own: &TreeModel| {
        vec![
            ("leaves", own.leaves as f64),
            ("smallest-leaf", own.smallest_leaf as f64),
            ("depth", own.depth as f64),
            ("records-in-leaves-of-one-value", own.one_valued),
        ]
    };
    match model {
        Model::Tree { presence, values } => {
            let mut figures = values.as_ref().map(tree).unwrap_or_default();
            figures.extend(presence.as_ref().map(|own| ("leaves-for-missing", own.leaves as f64)));
            ("tree", figures)
        }
        Model::Regression(own) => (
            "regression",
            vec![
                ("features", own.features as f64),
                ("features-left-out", own.left_out as f64),
                ("categories", own.outcomes as f64),
                ("records", own.records as f64),
            ],
        ),
        Model::Sufficiency { features, left_out } => {
            ("sufficiency", vec![("features", *features as f64), ("features-left-out", *left_out as f64)])
        }
        Model::FranconiStander { tail_records, features } => (
            "franconi-stander",
            vec![("records-of-each-tail", *tail_records as f64), ("features", *features as f64)],
        ),
        Model::Moments => ("moments", Vec::new()),
        Model::LatinHypercube { rank_correlation_off, .. } => {
            ("latin-hypercube", vec![("rank-correlation-off", *rank_correlation_off)])
        }
        Model::MaximumEntropy { margins, cells, off } => (
            "maximum-entropy",
            // How far the law is from the margins; the tables that are drawn from it have them in expectation only.
            vec![("margins", *margins as f64), ("cells", *cells as f64), ("margins-off", *off)],
        ),
    }
}
