//! Supports of sets of items from randomized sets (survey ME-22, US-09): in how many originals all of the items were.
//!
//! # Guarantee
//! Supports are unbiased and may be negative; the interval is that of the normal distribution, good for many records. A
//! set of more items than any original can have had has the support 0, exactly. Errors grow fast with the number of items.

use privet_data::Column;
use privet_perturb::{Estimated, PerturbError, Population, estimate_counts};
use serde::Serialize;

use super::Class;
use crate::error::{JobError, RunError};
use crate::randomize::items::ReadyItems;

/// The most items of a set that is asked for; beyond, errors have no meaning.
const MOST_ASKED: usize = 20;

/// Estimated supports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemsEstimate {
    /// Those that were asked for; else each item by itself.
    pub sets: Vec<SetEstimate>,
}

/// An estimated support.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetEstimate {
    /// The items.
    pub items: Vec<String>,
    /// How many published sets hold all of them.
    pub published: u64,
    /// How many originals did; unbiased, perhaps negative.
    pub support: f64,
    /// The support as a share of the records.
    pub share: f64,
    /// How far off the support typically is.
    pub standard_error: f64,
    /// An interval that covers the truth with about 95 %: from.
    pub low: f64,
    /// To.
    pub high: f64,
}

/// Estimates supports in a class; `asked` are texts of items, each item by itself when there is none. Returns the
/// records too.
pub(super) fn estimate(
    column: &Column,
    law: &ReadyItems,
    class: &Class,
    asked: &[String],
    population: Population,
) -> Result<(u64, ItemsEstimate), RunError> {
    let failed = |source| RunError::Perturb { column: column.name.clone(), source };
    let domain = &column.domain;
    let mut of_code = Vec::with_capacity(domain.len());
    for code in 0..domain.len() as u32 {
        let cell = if domain.is_missing(code) { "" } else { domain.text(code) };
        of_code.push(law.published(cell).ok_or_else(|| {
            JobError::new(format!(
                "`{}` holds an item that its published law cannot give; `privet verify` tells more",
                column.name
            ))
        })?);
    }
    // Sets that are alike are counted once.
    let mut times = vec![0u64; of_code.len()];
    let codes = class.of(&column.codes);
    for &code in &codes {
        if let Some(times) = times.get_mut(code as usize) {
            *times += 1;
        }
    }
    let records = codes.len() as u64;
    let mut sets = Vec::new();
    if asked.is_empty() {
        let mut held = vec![0u64; law.values.len()];
        for (set, &times) in of_code.iter().zip(&times) {
            for &item in set {
                if let Some(held) = held.get_mut(item as usize) {
                    *held += times;
                }
            }
        }
        let transition = law.law.transition(1).map_err(failed)?;
        for (item, &published) in law.values.iter().zip(&held) {
            let own = estimate_counts(&transition, &[records - published, published], population);
            let own = own.and_then(|own| own.count(1)).map_err(failed)?;
            sets.push(told(vec![item.clone()], published, own, records).map_err(failed)?);
        }
    }
    for text in asked {
        let items = parse(text, law, &column.name)?;
        let mut observed = vec![0u64; items.len() + 1];
        for (set, &times) in of_code.iter().zip(&times) {
            let held = items.iter().filter(|item| set.binary_search(item).is_ok()).count();
            if let Some(count) = observed.get_mut(held) {
                *count += times;
            }
        }
        let published = observed.last().copied().unwrap_or(0);
        let own = match items.len() > law.law.size() {
            true => Estimated { value: 0.0, variance: 0.0, few: 0.0 },
            false => {
                let transition = law.law.transition(items.len()).map_err(failed)?;
                let own = estimate_counts(&transition, &observed, population);
                own.and_then(|own| own.count(items.len())).map_err(failed)?
            }
        };
        let names = items.iter().filter_map(|&item| law.values.get(item as usize).cloned()).collect();
        sets.push(told(names, published, own, records).map_err(failed)?);
    }
    Ok((records, ItemsEstimate { sets }))
}

fn told(
    items: Vec<String>,
    published: u64,
    own: Estimated,
    records: u64,
) -> Result<SetEstimate, PerturbError> {
    let (low, high) = own.interval(0.95)?;
    Ok(SetEstimate {
        items,
        published,
        support: own.value,
        share: if records == 0 { 0.0 } else { own.value / records as f64 },
        standard_error: own.variance.max(0.0).sqrt(),
        low,
        high,
    })
}

/// The items of a text: between the column's separator where it has one, else between commas.
fn parse(text: &str, law: &ReadyItems, name: &str) -> Result<Vec<u32>, JobError> {
    let separator = if text.contains(&law.separator) { law.separator.as_str() } else { "," };
    let mut items = Vec::new();
    for item in text.split(separator).map(str::trim) {
        let code = law.code(item).ok_or_else(|| {
            JobError::new(format!(
                "--itemset names an item that `{name}` has not; give declared items between commas or `{}`",
                law.separator
            ))
        })?;
        if items.contains(&code) {
            return Err(JobError::new("--itemset names an item twice"));
        }
        items.push(code);
    }
    if items.len() > MOST_ASKED {
        return Err(JobError::new(format!("--itemset takes at most {MOST_ASKED} items")));
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::{Cells, Domain};
    use privet_perturb::{SeededCoins, SelectASize};
    use privet_release::perturbed::{Amplification, Items, SELECT_A_SIZE};

    /// survey US-09: sets of different sizes, filled, randomized and estimated; 20 000 of them. Errors of six standard
    /// errors have a chance of 2e-9 each; the seed is fixed.
    #[test]
    fn supports_are_recovered() {
        let law = SelectASize::keeping(0.7, 3, 8, 0.1).unwrap();
        let own = Items {
            mechanism: SELECT_A_SIZE.into(),
            values: ["a", "b", "c", "d", "e"].map(String::from).to_vec(),
            domain: "declared".into(),
            separator: ";".into(),
            size: 3,
            keep: law.keep().to_vec(),
            add: 0.1,
            protects: Amplification { gamma: None, beliefs: vec![] },
        };
        let ready = ReadyItems::new(&own).unwrap();
        let mut coins = SeededCoins::new(11);
        // {}, {a}, {a,b}, {a,b,c} in turn: a in 3/4, a and b in 1/2, a, b and c in 1/4, d in none.
        let texts: Vec<Box<str>> = (0..20_000usize)
            .map(|row| ready.draw(&[0, 1, 2][..row % 4], &mut coins).unwrap().into())
            .collect();
        let mut distinct = texts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let (domain, code_of) = Domain::canonical(distinct.clone(), str::is_empty);
        let codes = texts.iter().map(|text| code_of[distinct.binary_search(text).unwrap()]).collect();
        let column = Column { name: "basket".into(), codes, domain, cells: Cells::Plain };
        let asked = ["a,b", "a;b;c", "d", "a,b,c,d"].map(String::from);
        let (records, found) = estimate(&column, &ready, &Class::all(), &asked, Population::Fixed).unwrap();
        assert_eq!(records, 20_000);
        for (own, truth) in found.sets.iter().zip([10_000.0, 5_000.0, 0.0, 0.0]) {
            assert!((own.support - truth).abs() <= 6.0 * own.standard_error, "{own:?} {truth}");
        }
        assert_eq!(found.sets[3].standard_error, 0.0);
        let (_, single) = estimate(&column, &ready, &Class::all(), &[], Population::Fixed).unwrap();
        assert_eq!(single.sets.len(), 5);
        assert!((single.sets[0].support - 15_000.0).abs() <= 6.0 * single.sets[0].standard_error);
        let wrong = |text: &str| {
            estimate(&column, &ready, &Class::all(), &[text.to_owned()], Population::Fixed).is_err()
        };
        assert!(wrong("x") && wrong("a,a") && wrong(""));
    }
}
