//! Records recoded by the spans of a tree (papers F-AL6): groups of records that agree on all public columns have k records, and are the
//! spans of the model, people by class.

use std::collections::BTreeMap;

use privet_data::Progress;
use privet_data::io::ReadOptions;
use privet_release::{Check, OpenError, Promised, ReleaseFolder};
use serde_json::Value;

use super::{RECORDS, Spans};

const NAME: &str = "recoded records";

/// The names of the public attributes, and the class with its values.
fn columns(value: &Value) -> Option<(Vec<&str>, &str, Vec<&str>)> {
    let schema = &value["model"]["model"]["schema"];
    let public = schema["attributes"].as_array()?.iter().filter(|own| own["visibility"] == "public");
    let public = public.map(|own| own["name"].as_str()).collect::<Option<Vec<_>>>()?;
    let class = &schema["class"];
    let values = class["values"].as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
    (class["visibility"] == "private").then_some((public, class["name"].as_str()?, values))
}

pub(super) fn check(
    folder: &ReleaseFolder,
    promised: &Promised,
    spans: &Spans,
    value: &Value,
    progress: &dyn Progress,
) -> Result<Check, OpenError> {
    let failed = |problem: &str| Ok(Check::failed(NAME, problem));
    let Some((public, class, values)) = columns(value) else {
        return failed("the model is no tree with a private class");
    };
    let Some(k) = promised.whole("k").filter(|&k| k > 0) else { return failed("k is missing or 0") };
    let table = folder.table(RECORDS, &ReadOptions::default().exactly(), progress)?;
    let mut found = Vec::new();
    for name in public.iter().chain([&class]) {
        match table.column(name) {
            Some(column) => found.push(column),
            None => return failed("a column of the model is missing"),
        }
    }
    let (class, public) = (found[found.len() - 1], &found[..found.len() - 1]);
    let place_of: Vec<Option<usize>> = (0..class.domain.len() as u32)
        .map(|code| values.iter().position(|own| *own == class.domain.text(code)))
        .collect();
    let mut groups: BTreeMap<Vec<u32>, Vec<u64>> = BTreeMap::new();
    for row in 0..table.rows {
        let key = public.iter().map(|own| own.codes[row]).collect();
        let Some(place) = place_of[class.codes[row] as usize] else {
            return failed("a record has a class that the model does not have");
        };
        groups.entry(key).or_insert_with(|| vec![0; values.len()])[place] += 1;
    }
    let least = groups.values().map(|own| own.iter().sum::<u64>()).min().unwrap_or(0);
    if least < k {
        return Ok(Check::failed(
            NAME,
            format!("{least} records agree on all public columns, fewer than {k}"),
        ));
    }
    if promised.reached != Some(least as f64) {
        return failed("the smallest group that is stated is not that of the records");
    }
    let sorted = |mut own: Vec<Vec<u64>>| {
        own.sort_unstable();
        own
    };
    let of_model = spans.spans.iter().filter(|span| span.records > 0).filter_map(|span| span.classes.clone());
    match sorted(groups.into_values().collect()) == sorted(of_model.collect()) {
        true => {
            Ok(Check::passed(NAME, format!("the groups are the spans; the smallest has {least} records")))
        }
        false => failed("the groups of records are not the spans of the model"),
    }
}
