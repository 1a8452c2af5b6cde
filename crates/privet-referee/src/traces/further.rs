//! Promises about what is only partly published: further criteria of cells, and the confusion of those who change pseudonyms.

use std::collections::{BTreeMap, BTreeSet};

use privet_data::Progress;
use privet_release::verify::{GroupedValues, judge_grouped_values};
use privet_release::{Check, OpenError, Promised};
use serde_json::Value;

use super::{Found, number, whole};

/// The further criteria that a method asks for.
pub(super) fn criteria(method: &Value) -> BTreeSet<&str> {
    let asked = method.get("criteria").and_then(Value::as_object);
    asked.into_iter().flatten().map(|own| own.0.as_str()).collect()
}

/// The further criteria that are promised.
pub(super) fn promised(promises: &[Promised]) -> BTreeSet<&str> {
    let further = promises.iter().filter(|own| own.id == "criterion");
    further.filter_map(|own| own.parameters.get("requirement")?.get("criterion")?.as_str()).collect()
}

/// The records of visits with the values of each: those with the same visits are a group.
pub(super) fn criterion(
    records: &[(Vec<(String, String)>, Option<u32>)],
    values: &[String],
    promised: &Promised,
    progress: &dyn Progress,
) -> Result<Check, OpenError> {
    const NAME: &str = "criterion";
    let (Some(requirement), Some(column), Some(given)) =
        (promised.parameters.get("requirement"), promised.word("column"), promised.whole("records"))
    else {
        return Ok(Check::failed(NAME, "the promise lacks its requirement, column or number of records"));
    };
    let mut number_of: BTreeMap<&[(String, String)], u32> = BTreeMap::new();
    let mut published =
        GroupedValues { column: column.to_owned(), groups: Vec::new(), values: Vec::new(), given };
    for (visits, value) in records {
        let next = number_of.len() as u32;
        published.groups.push(*number_of.entry(visits).or_insert(next));
        let Some(text) = value.and_then(|own| values.get(own as usize)) else {
            return Ok(Check::failed(NAME, "the file has no sensitive values"));
        };
        published.values.push(text.clone());
    }
    let check = judge_grouped_values(requirement, &published, progress).map_err(|_| OpenError::Cancelled)?;
    match promised.reached {
        Some(_) => Ok(Check::failed(NAME, "the manifest states a number that this promise does not have")),
        None => Ok(check),
    }
}

/// AP-18: how sure an adversary is of a true successor. Who changed is not published, so the number is the publisher's.
pub(super) fn confusion(promised: &Promised) -> Result<Found, String> {
    let (tau, reached) = (number(promised, "tau")?, number(promised, "reached")?);
    let changes = whole(promised, "changes")?;
    if !(0.0..=1.0).contains(&reached) || reached > tau + 1e-9 {
        return Err("the manifest states a larger posterior than it promises".to_owned());
    }
    let how = match promised.parameters.get("exact").and_then(Value::as_bool) {
        Some(true) => "computed exactly",
        Some(false) => "approximate for groups of more than 10 people",
        None => return Err("the promise does not state exact".to_owned()),
    };
    let detail = format!(
        "of {changes} changes of pseudonym the surest is told with a posterior of {reached:.3} ({how}); who changed is not published, so \
         this is the publisher's word"
    );
    Ok(Found { detail, reached: None, bounded: true })
}
