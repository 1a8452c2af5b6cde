//! How identifying attributes are when somebody knows B of them (papers, chapter 20, exercises 14 to 16), and why many
//! attributes cannot be hidden (the curse of dimensionality).
//!
//! A person is looked up by B known values; what matters is how many records are left. Averaged over subsets of B
//! columns, the share of people with a single record left grows with B. Beside it stands the estimate of exercises 14
//! and 15: were all R values of every column equally likely and columns independent, somebody else would match with a
//! probability of at most n/R^B. Real columns are neither, so the measured share stays behind it.

use serde::{Deserialize, Serialize};

use privet_data::Random;

use crate::Rate;
use crate::link::{LinkError, Links, People, Released, check, link};

/// The records that known values leave: (shared column, value) pairs. Pairs about columns that there are not are
/// passed over. Records in ascending order.
pub fn remaining(released: &Released<'_>, known: &[(usize, u32)]) -> Vec<u32> {
    let agrees = |record: usize, column: usize, value: u32| match (
        released.labels.get(column),
        released.coverage.get(column),
    ) {
        (Some(labels), Some(coverage)) => {
            labels.get(record).is_some_and(|&label| coverage.contains(label, value))
        }
        _ => true,
    };
    (0..released.groups.len())
        .filter(|&record| known.iter().all(|&(column, value)| agrees(record, column, value)))
        .map(|record| record as u32)
        .collect()
}

/// The probability that one of n others has the same known values by chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Chance {
    /// n divided by the number of combinations: the bound of exercises 14 and 15; at most 1.
    pub bound: f64,
    /// 1 − (1 − 1/combinations)^n.
    pub exact: f64,
}

/// The probability that one of n records matches known values of columns with these numbers of equally likely values.
/// Columns with less than one value count as having one.
pub fn chance_of_a_match(records: u64, values: &[f64]) -> Chance {
    let at_least_one = |values: f64| if values >= 1.0 { values } else { 1.0 };
    let one = values.iter().map(|&values| 1.0 / at_least_one(values)).product::<f64>();
    let n = records as f64;
    let exact = if one < 1.0 { -(n * (-one).ln_1p()).exp_m1() } else { f64::from(u8::from(records > 0)) };
    Chance { bound: (n * one).min(1.0), exact }
}

/// The share of the whole space that a box has whose sides are these fractions of their columns (chapter 20's argument:
/// half of every column is a thousandth of the space with ten columns and a millionth with twenty).
pub fn volume_fraction(fractions: &[f64]) -> f64 {
    fractions.iter().product()
}

/// Which subsets of columns are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subsets {
    /// All subsets of a size when they are no more than this; otherwise so many, chosen at random.
    pub most: usize,
    /// The seed of the choice.
    pub seed: u64,
}

/// What knowing B attributes gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knowing {
    /// B.
    pub attributes: usize,
    /// How many subsets of columns were tried, and whether these are all.
    pub subsets: (usize, bool),
    /// People left with a single record, of people times subsets. The interval takes all of these for independent.
    pub unique: Rate,
    /// The mean number of records left.
    pub remaining: f64,
    /// The mean over subsets of the estimate, from the number of labels that occur in each column.
    pub chance: Chance,
}

/// The effect of knowing B attributes, for each B from 1 to the number of shared columns.
///
/// # Errors
/// When columns do not correspond, or there are too many candidates.
pub fn by_attributes_known(
    released: &Released<'_>,
    people: &People<'_>,
    subsets: Subsets,
) -> Result<Vec<Knowing>, LinkError> {
    let columns = released.labels.len();
    let occurring: Vec<f64> = released
        .labels
        .iter()
        .map(|labels| {
            let mut labels = labels.to_vec();
            labels.sort_unstable();
            labels.dedup();
            labels.len() as f64
        })
        .collect();
    check(released, people)?;
    (1..=columns)
        .map(|attributes| {
            let (tried, all) = choose(columns, attributes, subsets);
            let (mut unique, mut left) = (0, 0.0);
            let mut chance = Chance { bound: 0.0, exact: 0.0 };
            for subset in &tried {
                let links = link_by(released, people, subset)?;
                for (tuple, people) in links.people_per_tuple().into_iter().enumerate() {
                    let records = links.records(tuple as u32);
                    unique += if records == 1 { people } else { 0 };
                    left += records as f64 * people as f64;
                }
                let values: Vec<f64> = subset.iter().map(|&c| occurring[c]).collect();
                let of_subset = chance_of_a_match(released.groups.len() as u64, &values);
                chance.bound += of_subset.bound / tried.len() as f64;
                chance.exact += of_subset.exact / tried.len() as f64;
            }
            let of = people.count as u64 * tried.len() as u64;
            Ok(Knowing {
                attributes,
                subsets: (tried.len(), all),
                unique: Rate::new(unique, of),
                remaining: if of == 0 { 0.0 } else { left / of as f64 },
                chance,
            })
        })
        .collect()
}

/// What knowing B attributes of a person leaves, over the subsets of B columns that are tried.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Singled {
    /// In which share of them a single record is left.
    pub alone: f64,
    /// In which share of them it is not the person's own; none where that is not known.
    pub wrong: f64,
    /// The mean number of records left.
    pub remaining: f64,
}

/// The effect of knowing B attributes, person by person. `is_own` tells of a person and a subset of columns whether the
/// person's own record is among those that are left, where that is known.
///
/// # Errors
/// When columns do not correspond, or there are too many candidates.
pub fn singled_out(
    released: &Released<'_>,
    people: &People<'_>,
    attributes: usize,
    subsets: Subsets,
    is_own: impl Fn(usize, &[usize]) -> Option<bool>,
) -> Result<Vec<Singled>, LinkError> {
    check(released, people)?;
    let (tried, _) = choose(released.labels.len(), attributes.min(released.labels.len()), subsets);
    let share = 1.0 / tried.len() as f64;
    let mut found = vec![Singled::default(); people.count];
    for subset in &tried {
        let links = link_by(released, people, subset)?;
        for (person, (&tuple, own)) in links.tuple_of_person().iter().zip(&mut found).enumerate() {
            let records = links.records(tuple);
            own.remaining += records as f64 * share;
            if records == 1 {
                own.alone += share;
                own.wrong += if is_own(person, subset) == Some(false) { share } else { 0.0 };
            }
        }
    }
    Ok(found)
}

/// Who may be what by some of the columns.
fn link_by(released: &Released<'_>, people: &People<'_>, subset: &[usize]) -> Result<Links, LinkError> {
    let part = Released {
        labels: subset.iter().map(|&c| released.labels[c]).collect(),
        coverage: subset.iter().map(|&c| released.coverage[c]).collect(),
        // Which group is of no interest: one for all keeps the result small.
        groups: &vec![0; released.groups.len()],
    };
    let values = subset.iter().map(|&c| people.values[c]).collect();
    link(&part, &People { values, count: people.count })
}

/// Subsets of a size, each in ascending order; and whether these are all.
fn choose(columns: usize, size: usize, subsets: Subsets) -> (Vec<Vec<usize>>, bool) {
    let most = subsets.most.max(1);
    // Exact as long as it matters: every step is a number of subsets, and it ends beyond the limit.
    let mut count = 1u128;
    for i in 0..size.min(columns - size) as u128 {
        count = count * (columns as u128 - i) / (i + 1);
        if count > most as u128 {
            break;
        }
    }
    if count <= most as u128 {
        let mut all = vec![(0..size).collect::<Vec<usize>>()];
        while let Some(next) = all.last().and_then(|last| successor(last, columns)) {
            all.push(next);
        }
        return (all, true);
    }
    let mut random = Random::stream(subsets.seed, size as u64);
    let mut tried: Vec<Vec<usize>> = Vec::with_capacity(most);
    // Among more subsets than are wanted, a random one is new often enough: at worst the last of all is waited for.
    while tried.len() < most {
        let mut order: Vec<usize> = (0..columns).collect();
        for i in 0..size {
            order.swap(i, i + random.below(columns - i));
        }
        let mut subset = order[..size].to_vec();
        subset.sort_unstable();
        if let Err(place) = tried.binary_search(&subset) {
            tried.insert(place, subset);
        }
    }
    (tried, false)
}

/// The next subset of the same size in lexicographic order.
fn successor(subset: &[usize], columns: usize) -> Option<Vec<usize>> {
    let size = subset.len();
    let at = (0..size).rev().find(|&i| subset[i] < columns - size + i)?;
    let mut next = subset.to_vec();
    next[at] += 1;
    for i in at + 1..size {
        next[i] = next[i - 1] + 1;
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_subsets_or_different_ones() {
        let (all, complete) = choose(5, 3, Subsets { most: 10, seed: 1 });
        assert!(complete && all.len() == 10 && all.is_sorted());
        let (some, complete) = choose(5, 3, Subsets { most: 9, seed: 1 });
        assert!(!complete && some.len() == 9 && some.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(choose(200, 100, Subsets { most: 3, seed: 1 }).0.len(), 3);
        assert_eq!(choose(3, 3, Subsets { most: 0, seed: 1 }), (vec![vec![0, 1, 2]], true));
    }
}
