//! Reading what a model is learned from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_data::hierarchy::{self, HierarchySpec};
use privet_data::io::ReadOptions;
use privet_data::{Generalization, Progress, Table};
use privet_kind::{JobFile, KindError};
use privet_mine::cluster::Points;
use privet_mine::rules::Transactions;
use privet_mine::{Examples, Visibility};

use crate::error::told;
use crate::job::{self, ClusterSettings, Input, Settings};
use crate::view::{OriginalModel, PublishedModel};

/// The files that a job reads.
pub(crate) fn files(job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
    let input = job::input(job)?;
    let file = |spec: &HierarchySpec| match spec {
        HierarchySpec::File(path) => Some(job.resolve(path)),
        _ => None,
    };
    let mut files = vec![job.resolve(&input.path)];
    files.extend(input.hierarchies.values().filter_map(file));
    Ok(files)
}

/// The records of a job.
pub(crate) fn read(job: &JobFile, progress: &dyn Progress) -> Result<OriginalModel, KindError> {
    let input = job::input(job)?;
    match job::settings(job)? {
        Settings::Tree(_) => Ok(OriginalModel::Tree(examples(job, &input, progress)?)),
        Settings::Clusters(settings) => {
            Ok(OriginalModel::Clusters(points(job, &input, &settings, progress)?))
        }
        Settings::Rules(_) => {
            let (transactions, labels) = transactions(&job.resolve(&input.path), &input)?;
            Ok(OriginalModel::Rules(transactions, labels))
        }
        Settings::Given(_) => Ok(OriginalModel::Elsewhere),
    }
}

/// The model of a job that was learned elsewhere.
pub(crate) fn given(job: &JobFile) -> Result<PublishedModel, KindError> {
    let input = job::input(job)?;
    let columns = !input.public.is_empty() || !input.private.is_empty() || input.class.is_some();
    if columns || !input.hierarchies.is_empty() || input.separator.is_some() {
        return Err(KindError::key("input", "takes `path` alone for a model that was learned elsewhere"));
    }
    let path = job.resolve(&input.path);
    let bytes = privet_data::io::read_plain(&path, privet_data::io::input_limit())
        .map_err(|error| KindError::io(&path, &error))?;
    PublishedModel::read(&bytes).map_err(|error| error.at(&path))
}

fn table(job: &JobFile, input: &Input, progress: &dyn Progress) -> Result<Table, KindError> {
    let mut columns: Vec<String> = input.public.iter().chain(&input.private).cloned().collect();
    if columns.is_empty() {
        return Err(KindError::key("input.public", "and `input.private` name no column; a model needs one"));
    }
    columns.extend(input.class.clone());
    let options = ReadOptions { columns: Some(columns), ..ReadOptions::default() };
    Ok(privet_data::io::read(&job.resolve(&input.path), &options, progress)?.table)
}

fn examples(job: &JobFile, input: &Input, progress: &dyn Progress) -> Result<Examples, KindError> {
    let class = input.class.as_deref().ok_or_else(|| {
        KindError::key("input.class", "is missing; a tree needs the column that it predicts")
    })?;
    let table = table(job, input, progress)?;
    let mut hierarchies: Vec<(&str, Generalization)> = Vec::new();
    for (name, spec) in &input.hierarchies {
        let key = || format!("input.hierarchies.{name}");
        let column = table.column(name);
        let column = column.ok_or_else(|| KindError::key(key(), "is of no column that is used"))?;
        let mut counts = vec![0u64; column.domain.len()];
        column.codes.iter().for_each(|&code| counts[code as usize] += 1);
        let base = job.path().parent().unwrap_or(Path::new(""));
        let built = hierarchy::build(spec, base, &column.domain, &counts)
            .and_then(|own| own.bind(&column.domain))
            .map_err(|error| KindError::key(key(), format!("cannot be used: {error}")))?;
        hierarchies.push((name, built));
    }
    let hierarchies: Vec<(&str, &Generalization)> =
        hierarchies.iter().map(|(name, own)| (*name, own)).collect();
    Examples::from_table(&table, &attributes(input), (class, input.class_visibility), &hierarchies)
        .map_err(told)
}

fn attributes(input: &Input) -> Vec<(&str, Visibility)> {
    let public = input.public.iter().map(|name| (name.as_str(), Visibility::Public));
    let private = input.private.iter().map(|name| (name.as_str(), Visibility::Private));
    public.chain(private).collect()
}

fn points(
    job: &JobFile,
    input: &Input,
    settings: &ClusterSettings,
    progress: &dyn Progress,
) -> Result<Points, KindError> {
    if input.class.is_some() || !input.hierarchies.is_empty() {
        return Err(KindError::key("input.class", "and `input.hierarchies` are for trees, not for clusters"));
    }
    let table = table(job, input, progress)?;
    let ranges: Vec<(&str, f64, f64)> =
        settings.ranges.iter().map(|(name, &(low, high))| (name.as_str(), low, high)).collect();
    if let Some((name, ..)) = ranges.iter().find(|(name, ..)| table.column(name).is_none()) {
        return Err(KindError::key(format!("model.ranges.{name}"), "is of no column that is used"));
    }
    Points::from_table(&table, &attributes(input), settings.metric, &ranges).map_err(told)
}

/// Transactions of a text: one per line, items between blanks or separators; items are numbered in the order of their labels.
fn transactions(path: &Path, input: &Input) -> Result<(Transactions, Vec<String>), KindError> {
    let unused = !input.public.is_empty() || !input.private.is_empty() || input.class.is_some();
    if unused || !input.hierarchies.is_empty() {
        return Err(KindError::key(
            "input.public",
            "and other columns are for tables; rules read transactions",
        ));
    }
    let bytes = privet_data::io::read_plain(path, privet_data::io::input_limit())
        .map_err(|error| KindError::io(path, &error))?;
    let text =
        String::from_utf8(bytes).map_err(|_| KindError::bad_input("the file is not UTF-8").at(path))?;
    baskets(&text, input.separator).map_err(|error| error.at(path))
}

/// Baskets of a text, and the labels of their items.
pub(crate) fn baskets(text: &str, separator: Option<char>) -> Result<(Transactions, Vec<String>), KindError> {
    let items = |line: &'_ str| -> Vec<String> {
        let cut: Vec<&str> = match separator {
            Some(separator) => line.split(separator).map(str::trim).collect(),
            None => line.split_whitespace().collect(),
        };
        cut.into_iter().filter(|item| !item.is_empty()).map(str::to_owned).collect()
    };
    let rows: Vec<Vec<String>> = text.lines().map(items).filter(|row| !row.is_empty()).collect();
    if rows.is_empty() {
        return Err(KindError::bad_input("the file holds no transaction"));
    }
    let mut numbers: BTreeMap<&str, u32> = rows.iter().flatten().map(|item| (item.as_str(), 0)).collect();
    for (place, number) in numbers.values_mut().enumerate() {
        *number = place as u32;
    }
    let coded = rows.iter().map(|row| row.iter().map(|item| numbers[item.as_str()]).collect());
    let transactions = Transactions::new(coded.collect::<Vec<Vec<u32>>>());
    Ok((transactions, numbers.into_keys().map(str::to_owned).collect()))
}
