//! Singling out (WP216; Cohen and Nissim 2020): a predicate that holds for exactly one person of the data.
//!
//! The adversary looks for predicates that hold for one published record and bets that they hold for one person. Predicates
//! of one column are values that occur once, and the least and the largest numbers; predicates of several columns are made of a
//! random record and random columns: at least or at most its number, whichever is the rarer end, or one of the values that its
//! label stands for.
//!
//! Departures from the program of Giomi and others: people who are equal in every column are not made one first, so that who
//! is alike another is not singled out; rates are of the predicates that were found, not of those that were asked for; a
//! control of another size is not fitted by one curve (`super::weights`).

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use privet_data::Random;
use rayon::prelude::*;

use super::weights::singled_out_of;
use super::{Beside, Column, Compared, Effort, Label, Tried, Value};
use crate::rate::Rate;

/// How often a predicate is tried to be found, for each that is wanted.
const ATTEMPTS: usize = 30;

/// Predicates that are tried before those that were found are counted.
const BATCH: usize = 512;

/// What is asked of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Test {
    /// It is at least this number, by its bits.
    AtLeast(u64),
    /// It is at most this number, by its bits.
    AtMost(u64),
    /// A label may stand for it, by its code.
    Like(u32),
    /// No such label.
    Unlike(u32),
}

/// A predicate: what is asked of columns, by their places.
type Predicate = Vec<(usize, Test)>;

impl Test {
    fn of_number(self, from: f64, to: f64) -> Option<bool> {
        match self {
            Self::AtLeast(bits) => Some(to >= f64::from_bits(bits)),
            Self::AtMost(bits) => Some(from <= f64::from_bits(bits)),
            Self::Like(_) | Self::Unlike(_) => None,
        }
    }

    /// Whether a value has it.
    fn takes_value(self, column: &Column, code: u32) -> bool {
        if let Value::Number(number) = column.value(code)
            && let Some(takes) = self.of_number(number, number)
        {
            return takes;
        }
        match self {
            Self::Like(label) => stands_for(column, label, code),
            Self::Unlike(label) => !stands_for(column, label, code),
            Self::AtLeast(_) | Self::AtMost(_) => false,
        }
    }

    /// Whether a value that a label stands for may have it.
    fn takes_label(self, column: &Column, label: u32) -> bool {
        if let Label::Between(from, to) = column.label(label)
            && let Some(takes) = self.of_number(*from, *to)
        {
            return takes;
        }
        match self {
            Self::Like(own) => own == label || overlap(column.label(own), column.label(label)),
            Self::Unlike(own) => own != label,
            Self::AtLeast(_) | Self::AtMost(_) => matches!(column.label(label), Label::Anything),
        }
    }
}

fn stands_for(column: &Column, label: u32, code: u32) -> bool {
    match (column.label(label), column.value(code)) {
        (Label::Missing, value) => value == Value::Missing,
        (Label::Between(from, to), Value::Number(number)) => (*from..=*to).contains(&number),
        (Label::Values(all), _) => all.binary_search(&code).is_ok(),
        (Label::Anything, _) => true,
        (Label::Between(..), _) => false,
    }
}

fn overlap(one: &Label, other: &Label) -> bool {
    match (one, other) {
        (Label::Anything, _) | (_, Label::Anything) => true,
        (Label::Missing, Label::Missing) => true,
        (Label::Between(from, to), Label::Between(low, high)) => from <= high && low <= to,
        (Label::Values(one), Label::Values(other)) => one.iter().any(|own| other.binary_search(own).is_ok()),
        _ => false,
    }
}

/// Predicates of one column; `None` when there are no people, or no predicate holds for one record.
pub fn univariate(beside: &Beside<'_>, effort: Effort) -> Option<Tried> {
    let mut found: Vec<Predicate> = Vec::new();
    for (at, column) in beside.columns.iter().enumerate() {
        let mut counts = vec![0u64; column.labels.len()];
        for &label in &column.published {
            if let Some(count) = counts.get_mut(label as usize) {
                *count += 1;
            }
        }
        let once = (0u32..).zip(&counts).filter(|own| *own.1 == 1).map(|own| Test::Like(own.0));
        let ends = |pick: fn(f64, f64) -> f64, worst: f64, of: fn(&Label) -> f64| {
            let occurring = column.labels.iter().zip(&counts).filter(|own| *own.1 > 0);
            let numbers = occurring.filter(|own| matches!(own.0, Label::Between(..))).map(|own| of(own.0));
            Some(numbers.fold(worst, pick)).filter(|own| own.is_finite())
        };
        let largest =
            ends(
                f64::max,
                f64::NEG_INFINITY,
                |own| if let Label::Between(low, _) = own { *low } else { 0.0 },
            );
        let least =
            ends(f64::min, f64::INFINITY, |own| if let Label::Between(_, high) = own { *high } else { 0.0 });
        found.extend(once.map(|test| vec![(at, test)]));
        found.extend(largest.map(|own| vec![(at, Test::AtLeast(own.to_bits()))]));
        found.extend(least.map(|own| vec![(at, Test::AtMost(own.to_bits()))]));
    }
    let mut order: Vec<u32> = (0..found.len() as u32).collect();
    Random::stream(effort.seed, 51).shuffle(&mut order);
    let found: Vec<Predicate> = order.iter().filter_map(|&own| found.get(own as usize).cloned()).collect();
    let alone: Vec<Predicate> =
        found.into_par_iter().filter(|own| holds_for_one_record(beside, own)).collect();
    tried(beside, alone.into_iter().take(effort.attacks).collect(), 1, effort)
}

/// Predicates of so many columns; `None` when there are no people, or no predicate holds for one record.
pub fn multivariate(beside: &Beside<'_>, columns: usize, effort: Effort) -> Option<Tried> {
    let width = columns.clamp(1, beside.columns.len().max(1));
    if beside.records == 0 || beside.columns.is_empty() {
        return None;
    }
    let middles: Vec<f64> = beside.columns.iter().map(median).collect();
    let mut random = Random::stream(effort.seed, 52);
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut attempts = 0;
    while found.len() < effort.attacks && attempts < ATTEMPTS * effort.attacks {
        let made: Vec<Predicate> = (0..BATCH)
            .map(|_| {
                let record = random.below(beside.records);
                let mut places: Vec<u32> = (0..beside.columns.len() as u32).collect();
                random.shuffle(&mut places);
                places.truncate(width);
                places.sort_unstable();
                let test = |&place: &u32| {
                    let column = beside.columns.get(place as usize)?;
                    let label = *column.published.get(record)?;
                    let test = match (column.label(label), middles.get(place as usize)) {
                        (Label::Between(from, to), Some(middle)) if from == to && from > middle => {
                            Test::AtLeast(from.to_bits())
                        }
                        (Label::Between(from, to), _) if from == to => Test::AtMost(to.to_bits()),
                        _ => Test::Like(label),
                    };
                    Some((place as usize, test))
                };
                places.iter().filter_map(test).collect()
            })
            .collect();
        attempts += BATCH;
        let alone: Vec<bool> = made.par_iter().map(|own| holds_for_one_record(beside, own)).collect();
        for (own, _) in made.into_iter().zip(alone).filter(|own| own.1) {
            if found.len() < effort.attacks && seen.insert(own.clone()) {
                found.push(own);
            }
        }
    }
    tried(beside, found, width, effort)
}

/// Scores predicates by the original, and beside random ones of as many columns.
fn tried(beside: &Beside<'_>, found: Vec<Predicate>, width: usize, effort: Effort) -> Option<Tried> {
    if found.is_empty() || beside.people == 0 {
        return None;
    }
    let singles_out = |all: &[Predicate]| {
        let hits = all
            .par_iter()
            .filter(|own| people_of(beside, own, beside.people, 2, |own| Some(&own.original)) == 1);
        Rate::new(hits.count() as u64, all.len() as u64)
    };
    let baseline = singles_out(&at_random(beside, found.len(), width, effort.seed));
    let used: Vec<usize> = {
        let mut used: Vec<usize> = found.iter().flatten().map(|own| own.0).collect();
        used.sort_unstable();
        used.dedup();
        used
    };
    let control = beside.strangers_with(&used).map(|strangers| {
        let count = |own: &Predicate| people_of(beside, own, strangers, u64::MAX, |own| own.control.as_ref());
        let counts: Vec<u64> = found.par_iter().map(count).collect();
        (Compared::Strangers, singled_out_of(&counts, strangers, beside.people))
    });
    Some(Tried { attack: singles_out(&found), baseline, control })
}

/// Predicates of random columns, values and comparisons.
fn at_random(beside: &Beside<'_>, count: usize, width: usize, seed: u64) -> Vec<Predicate> {
    let mut random = Random::stream(seed, 53);
    let mut occurring: HashMap<usize, Vec<u32>> = HashMap::new();
    let mut predicate = || {
        let mut places: Vec<u32> = (0..beside.columns.len() as u32).collect();
        random.shuffle(&mut places);
        let mut made = Vec::new();
        for &place in places.iter().take(width) {
            let Some(column) = beside.columns.get(place as usize) else { continue };
            let labels = occurring.entry(place as usize).or_insert_with(|| {
                let mut labels = column.published.clone();
                labels.sort_unstable();
                labels.dedup();
                labels
            });
            let Some(&label) = labels.get(random.below(labels.len().max(1))) else { continue };
            let test = match (column.label(label), random.below(3)) {
                (Label::Between(from, _), 0) => Test::AtLeast(from.to_bits()),
                (Label::Between(_, to), 1) => Test::AtMost(to.to_bits()),
                (_, own) => {
                    if own == 2 && random.chance(0.5) {
                        Test::Unlike(label)
                    } else {
                        Test::Like(label)
                    }
                }
            };
            made.push((place as usize, test));
        }
        made
    };
    (0..count).map(|_| predicate()).collect()
}

/// Whether a predicate may hold for one published record and no other.
fn holds_for_one_record(beside: &Beside<'_>, predicate: &Predicate) -> bool {
    let mut tests: Vec<(&Column, Test)> =
        predicate.iter().filter_map(|(at, test)| Some((beside.columns.get(*at)?, *test))).collect();
    // Most records fail the first test: text before numbers, which half of the records may pass.
    tests.sort_by_key(|own| !matches!(own.1, Test::Like(_)));
    let takes = |record: usize| {
        tests.iter().all(|(column, test)| {
            column.published.get(record).is_some_and(|&label| test.takes_label(column, label))
        })
    };
    (0..beside.records).filter(|&record| takes(record)).take(2).count() == 1
}

/// For how many people a predicate holds, up to so many.
fn people_of<'b>(
    beside: &'b Beside<'_>,
    predicate: &Predicate,
    people: usize,
    most: u64,
    codes: impl Fn(&'b Column) -> Option<&'b Vec<u32>>,
) -> u64 {
    let tests: Vec<(&Column, &[u32], Test)> = predicate
        .iter()
        .filter_map(|(at, test)| {
            let column = beside.columns.get(*at)?;
            Some((column, codes(column)?.as_slice(), *test))
        })
        .collect();
    let takes = |person: usize| {
        tests.iter().all(|(column, codes, test)| {
            codes.get(person).is_some_and(|&code| test.takes_value(column, code))
        })
    };
    (0..people).filter(|&person| takes(person)).take(most.min(usize::MAX as u64) as usize).count() as u64
}

/// The median of the published numbers of a column.
fn median(column: &Column) -> f64 {
    let numbers = column.published.iter().filter_map(|&label| match column.label(label) {
        Label::Between(from, to) if from == to => Some(*from),
        _ => None,
    });
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
