//! How strongly columns go together, before and after (survey UM-15).
//!
//! In a release, labels are the categories. Columns of numbers and dates with many different values are cut into ranges that
//! hold about as many records of the original each, and a label counts in the range of the mean of its values: with one
//! category for each value, everything would go together with them. What is left out is told.
//!
//! The survey's Cramér's V and Pearson's C are figures of the whole table. Pair by pair the bias-corrected V is shown: that
//! of two columns which have nothing to do with each other is about 0 however many values they have.

use privet_data::Table;
use privet_measure::utility::{PairAssociation, associations, mean_association_difference};
use privet_report::{PairUtility, Utility};

use super::numbers::Numbers;
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

/// Compares all pairs of columns.
pub(super) fn pairs(beside: &Beside<'_>, utility: &mut Utility) -> Result<(), RunError> {
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
    for (own, &position) in release.sensitive.iter().zip(&original.sensitive) {
        // Buckets count these apart: whose they are is not known.
        let Some(codes) = &own.codes else { continue };
        let numbers = others.iter().position(|other| other.name == own.name).map(|at| others.swap_remove(at));
        add(&own.name, position, spread_out(beside, codes), numbers);
    }
    associated(&columns, beside.mask(), utility)?;
    told(&cut, &left_out, utility);
    Ok(())
}

/// Compares all pairs of columns of an original with a release whose values are values, with records of its own. `numbers`
/// are the columns of numbers.
pub(super) fn of_tables(
    original: &Table,
    release: &Table,
    numbers: &[Numbers],
    utility: &mut Utility,
) -> Result<(), RunError> {
    let mut columns = Vec::new();
    let (mut cut, mut left_out): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for theirs in &release.columns {
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
    associated(&columns, None, utility)?;
    told(&cut, &left_out, utility);
    Ok(())
}

/// Which columns were cut into ranges or left out.
fn told(cut: &[String], left_out: &[String], utility: &mut Utility) {
    if !cut.is_empty() {
        utility.notes.push(format!(
            "For pairs of columns, {} cut into {RANGES} ranges with about as many records each.",
            listed(cut)
        ));
    }
    if !left_out.is_empty() {
        utility.notes.push(format!(
            "For pairs of columns, {} left out: more than {MOST_VALUES} different values without an order go together \
             with almost everything.",
            listed(left_out)
        ));
    }
}

fn associated(columns: &[Categories], mask: Option<&[bool]>, utility: &mut Utility) -> Result<(), RunError> {
    let before: Vec<&[u32]> = columns.iter().map(|own| own.before.as_slice()).collect();
    let after: Vec<&[u32]> = columns.iter().map(|own| own.after.as_slice()).collect();
    let pairs = associations(&before, &after, mask)?;
    if let Some(change) = mean_association_difference(&pairs) {
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
        a: columns[pair.columns.0].name.clone(),
        b: columns[pair.columns.1].name.clone(),
        before: pair.before.corrected_v,
        after: pair.after.corrected_v,
    };
    utility.pairs = pairs.iter().map(of).collect();
    Ok(())
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
