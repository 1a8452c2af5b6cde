//! How strongly columns go together, before and after (survey UM-15).
//!
//! In a release, labels are the categories. Columns of numbers and dates with many different values are cut into ranges that
//! hold about as many records of the original each, and a label counts in the range of the mean of its values: with one
//! category for each value, everything would go together with them. What is left out is told.
//!
//! All columns that are published are compared, those that are neither identifying nor sensitive too. Buckets tell which
//! sensitive values their people have and not who has which; there the counts to be expected are compared with the original.
//!
//! The survey's Cramér's V and Pearson's C are figures of the whole table. Pair by pair the bias-corrected V is shown: that
//! of two columns which have nothing to do with each other is about 0 however many values they have.

use std::collections::BTreeMap;

use privet_data::Table;
use privet_measure::utility::{
    Buckets, PairAssociation, UtilityError, association, association_in_buckets, associations,
    mean_association_difference,
};
use privet_report::{PairUtility, Utility};

use super::numbers::{Numbers, is_numeric, numbers_of};
use super::{Beside, figure, spread_out};
use crate::error::RunError;

/// Columns of other values than numbers are compared when they have at most so many.
const MOST_VALUES: usize = 1000;
/// Columns of numbers and dates with more values than this are cut into ranges.
const MOST_NUMBERS: usize = 100;
/// So many.
const RANGES: usize = 20;

/// A column, in categories.
struct Categories {
    name: String,
    before: Vec<u32>,
    after: Vec<u32>,
}

/// A column of which it is told how many of each bucket have a value.
struct Counted {
    name: String,
    before: Vec<u32>,
    after: Vec<Vec<(u32, u64)>>,
}

/// Compares all pairs of columns.
pub fn pairs(beside: &Beside<'_>, utility: &mut Utility) -> Result<(), RunError> {
    let (original, release) = (beside.original, beside.release);
    let mut columns = Vec::new();
    let (mut cut, mut left_out): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut add = |name: &str, position: usize, after: Vec<u32>, numbers: Option<Numbers>| {
        let column = &original.table.columns[position];
        let name = name.to_owned();
        match numbers {
            Some(own) if column.domain.len() > MOST_NUMBERS => {
                cut.push(name.clone());
                let (before, after) = ranges(&own);
                columns.push(Categories { name, before, after });
            }
            _ if column.domain.len() > MOST_VALUES => left_out.push(name),
            _ => columns.push(Categories { name, before: column.codes.clone(), after }),
        }
    };
    for (quasi, &at) in release.quasi.iter().enumerate() {
        let position = original.quasi[quasi].position;
        let name = &release.table.columns[at].name;
        add(name, position, beside.labels[quasi].clone(), beside.numbers(quasi));
    }
    let mut others = beside.other_numbers();
    let bucket = release.manifest.as_ref().and_then(|manifest| {
        let own = manifest.data.columns.iter().find(|column| column.role == "bucket")?;
        Some(own.name.as_str())
    });
    for (at, own) in release.table.columns.iter().enumerate() {
        if release.quasi.contains(&at) || Some(own.name.as_str()) == bucket {
            continue;
        }
        let Some(position) = original.table.position(&own.name) else { continue };
        let numbers = others.iter().position(|other| other.name == own.name).map(|at| others.swap_remove(at));
        add(&own.name, position, spread_out(beside, &own.codes), numbers);
    }
    let counted = in_buckets(beside, &mut cut, &mut left_out);
    associated(&columns, &counted, beside, utility)?;
    told(&cut, &left_out, utility);
    Ok(())
}

/// Sensitive columns of which values are counted per bucket.
fn in_buckets(beside: &Beside<'_>, cut: &mut Vec<String>, left_out: &mut Vec<String>) -> Vec<Counted> {
    let (original, release) = (beside.original, beside.release);
    let mut counted = Vec::new();
    for (own, &position) in release.sensitive.iter().zip(&original.sensitive) {
        if own.codes.is_some() {
            continue;
        }
        let column = &original.table.columns[position];
        let name = own.name.clone();
        let is_number = is_numeric(column.domain.kind()) && !original.is_code(&own.name);
        let histogram = |of: &dyn Fn(u32) -> u32| -> Vec<Vec<(u32, u64)>> {
            let group = |group: u32| {
                let mut values = BTreeMap::new();
                for &(code, count) in own.histograms.of(group) {
                    *values.entry(of(code)).or_insert(0) += count;
                }
                values.into_iter().collect()
            };
            (0..release.groups.len() as u32).map(group).collect()
        };
        if is_number && column.domain.len() > MOST_NUMBERS {
            let number = numbers_of(&column.domain);
            let before = column.codes.iter().map(|&code| number[code as usize]).collect();
            let after = numbers_of(&own.domain);
            let numbers = Numbers::new(&name, column.domain.kind(), before, after);
            // Per record before, and per code of the release after.
            let (before, range_of) = ranges(&numbers);
            cut.push(name.clone());
            let after = histogram(&|code| range_of.get(code as usize).copied().unwrap_or(0));
            counted.push(Counted { name, before, after });
        } else if column.domain.len() > MOST_VALUES {
            left_out.push(name);
        } else {
            counted.push(Counted { name, before: column.codes.clone(), after: histogram(&|code| code) });
        }
    }
    counted
}

/// A column of records, counted per bucket.
fn per_bucket(beside: &Beside<'_>, categories: &[u32]) -> Vec<Vec<(u32, u64)>> {
    let mut buckets: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); beside.release.groups.len()];
    for (&bucket, &record) in beside.release.group_of.iter().zip(&beside.original.record_of) {
        *buckets[bucket as usize].entry(categories[record as usize]).or_default() += 1;
    }
    buckets.into_iter().map(|own| own.into_iter().collect()).collect()
}

/// Compares all pairs of columns of an original with a release whose values are values, with records of its own. `numbers`
/// are the columns of numbers, `others` those that are not compared.
pub fn of_tables(
    original: &Table,
    release: &Table,
    numbers: &[Numbers],
    others: &[&str],
    utility: &mut Utility,
) -> Result<(), RunError> {
    let mut columns = Vec::new();
    let (mut cut, mut left_out): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for theirs in release.columns.iter().filter(|own| !others.contains(&own.name.as_str())) {
        let Some(own) = original.column(&theirs.name) else { continue };
        let name = own.name.clone();
        let most = own.domain.len().max(theirs.domain.len());
        match numbers.iter().find(|other| other.name == name) {
            Some(own) if most > MOST_NUMBERS => {
                cut.push(name.clone());
                let (before, after) = ranges(own);
                columns.push(Categories { name, before, after });
            }
            _ if most > MOST_VALUES => left_out.push(name),
            _ => columns.push(Categories { name, before: own.codes.clone(), after: theirs.codes.clone() }),
        }
    }
    let pairs = compared(&columns, None)?;
    tell(&columns.iter().map(|own| own.name.as_str()).collect::<Vec<_>>(), &pairs, utility);
    told(&cut, &left_out, utility);
    Ok(())
}

/// Which columns were cut into ranges or left out.
fn told(cut: &[String], left_out: &[String], utility: &mut Utility) {
    if !cut.is_empty() {
        utility.remark(format!(
            "For pairs of columns, {} cut into {RANGES} ranges with about as many records each.",
            listed(cut)
        ));
    }
    if !left_out.is_empty() {
        utility.remark(format!(
            "For pairs of columns, {} left out: more than {MOST_VALUES} different values without an order go together \
             with almost everything.",
            listed(left_out)
        ));
    }
}

fn compared(columns: &[Categories], mask: Option<&[bool]>) -> Result<Vec<PairAssociation>, UtilityError> {
    let before: Vec<&[u32]> = columns.iter().map(|own| own.before.as_slice()).collect();
    let after: Vec<&[u32]> = columns.iter().map(|own| own.after.as_slice()).collect();
    associations(&before, &after, mask)
}

/// All pairs, those with columns that are counted per bucket among them.
fn associated(
    columns: &[Categories],
    counted: &[Counted],
    beside: &Beside<'_>,
    utility: &mut Utility,
) -> Result<(), RunError> {
    let mut pairs = compared(columns, beside.mask())?;
    if !counted.is_empty() {
        let of_records: Vec<Vec<Vec<(u32, u64)>>> =
            columns.iter().map(|own| per_bucket(beside, &own.after)).collect();
        let before: Vec<&[u32]> = columns
            .iter()
            .map(|own| &own.before)
            .chain(counted.iter().map(|own| &own.before))
            .map(Vec::as_slice)
            .collect();
        let after: Vec<&Buckets> =
            of_records.iter().chain(counted.iter().map(|own| &own.after)).map(Vec::as_slice).collect();
        for second in columns.len()..before.len() {
            for first in 0..second {
                pairs.push(PairAssociation {
                    columns: (first, second),
                    before: association(before[first], before[second])?,
                    after: association_in_buckets(after[first], after[second])?,
                });
            }
        }
    }
    let names = columns.iter().map(|own| &own.name).chain(counted.iter().map(|own| &own.name));
    tell(&names.map(String::as_str).collect::<Vec<_>>(), &pairs, utility);
    Ok(())
}

/// Figures of all pairs together, and each pair.
fn tell(names: &[&str], pairs: &[PairAssociation], utility: &mut Utility) {
    if let Some(change) = mean_association_difference(pairs) {
        let figures = [
            figure(
                "cramer-v",
                "Change of Cramér's V",
                change.cramer_v,
                false,
                "How far the strength with which two columns go together (0 to 1) is from what the release says, on average.",
            ),
            figure(
                "cramer-v-corrected",
                "Change of Cramér's V, corrected",
                change.corrected_v,
                false,
                "The same without what chance adds to it where columns have many values.",
            ),
            figure(
                "pearson-c",
                "Change of Pearson's C",
                change.pearson_c,
                false,
                "The same with another measure of strength, not corrected.",
            ),
        ];
        utility.figures.extend(figures.into_iter().flatten());
    }
    let of = |pair: &PairAssociation| PairUtility {
        a: names[pair.columns.0].to_owned(),
        b: names[pair.columns.1].to_owned(),
        before: pair.before.corrected_v,
        after: pair.after.corrected_v,
    };
    utility.pairs = pairs.iter().map(of).collect();
}

/// `a was`, `a and b were`.
fn listed(names: &[String]) -> String {
    match names {
        [one] => format!("{one} was"),
        [first @ .., last] => format!("{} and {last} were", first.join(", ")),
        [] => String::new(),
    }
}

/// The ranges in which numbers lie, before and after; numbers that are missing are a category of their own.
fn ranges(own: &Numbers) -> (Vec<u32>, Vec<u32>) {
    let bounds = own.bounds(RANGES);
    let range = |number: &f64| match number.is_finite() {
        true => bounds.partition_point(|bound| bound <= number) as u32 + 1,
        false => 0,
    };
    (own.before.iter().map(range).collect(), own.after.iter().map(range).collect())
}
