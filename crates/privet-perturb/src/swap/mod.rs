//! Data swapping: values change places between records, so that statistics of the table stay exactly what they were
//! (survey ME-33 to ME-35).
//!
//! | swapped by | what stays exactly |
//! | --- | --- |
//! | [`rank_swap`], [`rank_swap_codes`], [`rank_swap_columns`]: neighbours in the order of a column | the distribution of each column |
//! | [`swap_margin`]: records that agree on the rest of a set of columns | the joint distribution of that set |
//! | [`swap_order`]: sets of records with equal statistics | every joint distribution of up to t columns |
//! | [`nearest_pairs`] and [`swap_pairs`]: the nearest record | the distribution of each column, and nearly what varies with what is compared |
//!
//! None of them is a formal guarantee of privacy (the text says so itself): a record that was not moved is published as
//! it is. What is returned therefore says how much was moved.

mod dalenius_reiss;
mod margin;
mod matching;
mod rank;
mod takemura;

pub use dalenius_reiss::{OrderSwapped, Search, swap_order};
pub use margin::{MarginSwapped, same_margins, swap_margin};
pub use rank::{RankSwapped, rank_swap, rank_swap_codes, rank_swap_columns};
pub use takemura::{
    Compared, Matching, PairSwapped, Pairs, Values, generalize_pairs, nearest_pairs, swap_pairs,
};

use crate::{Coins, PerturbError};

/// Why values cannot be swapped. No message holds a value of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SwapError {
    /// A parameter, a length or the source of randomness.
    #[error(transparent)]
    Perturb(#[from] PerturbError),
    /// It is proven that nothing can be swapped.
    #[error(
        "no other table has the same joint counts of {order} columns, so nothing can be swapped: keep those of fewer columns"
    )]
    NoOtherTable {
        /// How many columns the margins that must stay have.
        order: usize,
    },
    /// The search ended without a swap, which does not prove that there is none.
    #[error(
        "no swap was found that keeps the joint counts of {order} columns: keep those of fewer columns, or give coarser codes"
    )]
    NoSwapFound {
        /// How many columns the margins that must stay have.
        order: usize,
    },
    /// Records that agree on all but one of the kept columns agree on that one too.
    #[error("no two records agree on all kept columns but one and differ in that one: keep fewer columns")]
    NothingDiffers,
    /// A check of the result failed: this is a mistake of the program.
    #[error(
        "the swapped table does not keep its margins; this is a mistake of the program, nothing is returned"
    )]
    NotKept,
}

/// Puts a slice into an even random order (Fisher and Yates).
pub(crate) fn shuffle<T, C: Coins + ?Sized>(values: &mut [T], coins: &mut C) -> Result<(), PerturbError> {
    for i in (1..values.len()).rev() {
        values.swap(i, coins.below(i as u64 + 1)? as usize);
    }
    Ok(())
}

/// Refuses columns of different lengths, and more records than codes can number; gives the number of records.
fn check_columns(columns: &[&[u32]]) -> Result<usize, PerturbError> {
    let records = columns.first().map_or(0, |column| column.len());
    for column in columns {
        check_records(column.len(), records)?;
    }
    Ok(records)
}

fn check_records(found: usize, expected: usize) -> Result<(), PerturbError> {
    /// The most records: they are numbered by 32 bits.
    const MOST_RECORDS: usize = 1 << 31;
    if found != expected {
        return Err(PerturbError::Length { what: "values of a column", found, expected });
    }
    if found > MOST_RECORDS {
        return Err(PerturbError::TooLarge { what: "the number of records", found, most: MOST_RECORDS });
    }
    Ok(())
}

fn check_share(share: f64) -> Result<(), PerturbError> {
    if share > 0.0 && share <= 1.0 {
        Ok(())
    } else {
        Err(PerturbError::Parameter {
            name: "the share of records to swap",
            accepted: "above 0 and at most 1",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::SeededCoins;
    use crate::testing::assert_mean;

    /// All six orders of three are as likely. False alarm: 1e-6 for all 6.
    #[test]
    fn orders_are_drawn_evenly() {
        let mut coins = SeededCoins::new(3);
        let runs = 30_000;
        let mut found: BTreeMap<[u8; 3], u32> = BTreeMap::new();
        for _ in 0..runs {
            let mut own = [0, 1, 2];
            shuffle(&mut own, &mut coins).unwrap();
            *found.entry(own).or_default() += 1;
        }
        assert_eq!(found.len(), 6);
        for count in found.values() {
            let (p, n) = (1.0 / 6.0, f64::from(runs));
            assert_mean(f64::from(*count) / n, p, (p * (1.0 - p) / n).sqrt(), 6);
        }
    }
}
