//! The risk of small counts in published tables of counts (survey PM-01).
//!
//! The risk is the smallest count of a contingency table or of any marginal that is published with it; the rule is to
//! publish when every count reaches a threshold.
//!
//! # Guarantee
//! Tells what is printed, not what follows from it: large marginals can imply small cells of the joint table (survey
//! AT-06), and no look at the counts alone sees that.
//!
//! An empty cell shows nobody, but it shows that nobody is there. The text does not say whether it is a small count;
//! [`Zeros`] does.

/// Whether a cell with nobody in it is a small count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zeros {
    /// It is, as the text has it: the smallest of all counts.
    #[default]
    Count,
    /// It is not: cells that cannot be anything but empty are no risk.
    Ignore,
}

/// A count in one of several published tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallCount {
    /// The table, counted from 0.
    pub table: usize,
    /// The cell in it, counted from 0.
    pub cell: usize,
    /// How many are in it.
    pub count: u64,
}

/// Why a marginal cannot be formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// The table does not have as many cells as its columns give.
    #[error("the table has {found} cells, but its columns give another number")]
    Cells {
        /// Cells that were given.
        found: usize,
    },
    /// A column that the table does not have, or one twice.
    #[error("column {column} is not in the table, or is named twice")]
    Column {
        /// The column, counted from 0.
        column: usize,
    },
    /// The sum of counts is too large.
    #[error("the counts add up to more than 64 bits can hold")]
    Overflow,
}

/// The smallest of all published counts, the first among equals; `None` when there is no count.
pub fn smallest_count(tables: &[&[u64]], zeros: Zeros) -> Option<SmallCount> {
    all(tables, zeros).min_by_key(|small| small.count)
}

/// The published counts that are below a threshold. The rule of PM-01 holds when there is none.
pub fn small_counts(tables: &[&[u64]], threshold: u64, zeros: Zeros) -> Vec<SmallCount> {
    all(tables, zeros).filter(|small| small.count < threshold).collect()
}

fn all<'a>(tables: &'a [&'a [u64]], zeros: Zeros) -> impl Iterator<Item = SmallCount> + 'a {
    let of = |(table, counts): (usize, &'a &'a [u64])| {
        counts.iter().enumerate().map(move |(cell, &count)| SmallCount { table, cell, count })
    };
    tables.iter().enumerate().flat_map(of).filter(move |small| zeros == Zeros::Count || small.count > 0)
}

/// The marginal of a table of counts over the columns `keep`, in their order. Cells are in the order in which the
/// last column changes first; column c has `domains[c]` values.
///
/// # Errors
/// When the number of cells is not the product of the domains, a column is unknown or twice in `keep`, or a sum does
/// not fit 64 bits.
pub fn marginal(counts: &[u64], domains: &[usize], keep: &[usize]) -> Result<Vec<u64>, CountError> {
    let cells = domains.iter().try_fold(1usize, |product, &domain| product.checked_mul(domain));
    if cells != Some(counts.len()) {
        return Err(CountError::Cells { found: counts.len() });
    }
    for (place, &column) in keep.iter().enumerate() {
        if column >= domains.len() || keep[..place].contains(&column) {
            return Err(CountError::Column { column });
        }
    }
    let mut strides = vec![0; domains.len()];
    let mut size = 1usize;
    for &column in keep.iter().rev() {
        strides[column] = size;
        size = size.checked_mul(domains[column]).ok_or(CountError::Cells { found: counts.len() })?;
    }
    // Only of an empty table can a marginal be larger than the table, and then of any size.
    if size > counts.len().max(1 << 24) {
        return Err(CountError::Cells { found: counts.len() });
    }
    let mut margin = vec![0u64; size];
    let mut digits = vec![0usize; domains.len()];
    let mut at = 0usize;
    for &count in counts {
        margin[at] = margin[at].checked_add(count).ok_or(CountError::Overflow)?;
        for column in (0..domains.len()).rev() {
            digits[column] += 1;
            at += strides[column];
            if digits[column] < domains[column] {
                break;
            }
            at -= strides[column] * digits[column];
            digits[column] = 0;
        }
    }
    Ok(margin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_marginals_of_the_survey() {
        // Survey PM-01 on FX-1.6: (gender, nationality) with F, M × Russian, Japanese, Korean, American, Chinese,
        // Indian, and (gender, condition) with HD, VI, Flu, Cancer.
        let (nationality, condition) = ([1, 1, 1, 1, 0, 0, 0, 1, 0, 4, 2, 1], [1, 1, 1, 1, 2, 1, 1, 4]);
        let tables = [&nationality[..], &condition[..]];
        assert_eq!(smallest_count(&tables, Zeros::Ignore), Some(SmallCount { table: 0, cell: 0, count: 1 }));
        assert_eq!(smallest_count(&tables, Zeros::Count), Some(SmallCount { table: 0, cell: 4, count: 0 }));
        assert_eq!(small_counts(&tables, 2, Zeros::Ignore).len(), 6 + 6);
        assert_eq!(small_counts(&tables, 2, Zeros::Count).len(), 16);
        // Both have the same marginal by gender: safe at a threshold of four.
        let gender = marginal(&nationality, &[2, 6], &[0]).unwrap();
        assert_eq!(gender, [4, 8]);
        assert_eq!(marginal(&condition, &[2, 4], &[0]).unwrap(), gender);
        assert!(small_counts(&[&gender], 4, Zeros::Count).is_empty());
        assert_eq!(small_counts(&[&gender], 5, Zeros::Count), [SmallCount { table: 0, cell: 0, count: 4 }]);
    }

    #[test]
    fn edges() {
        assert_eq!(smallest_count(&[], Zeros::Count), None);
        assert_eq!(smallest_count(&[&[0]], Zeros::Ignore), None);
        assert_eq!(marginal(&[3], &[], &[]), Ok(vec![3]));
        assert_eq!(marginal(&[], &[0, 2], &[1]), Ok(vec![0, 0]));
        assert_eq!(marginal(&[], &[0, 2], &[0]), Ok(vec![]));
        assert_eq!(marginal(&[1, 2], &[3], &[0]), Err(CountError::Cells { found: 2 }));
        assert_eq!(marginal(&[1, 2], &[2], &[1]), Err(CountError::Column { column: 1 }));
        assert_eq!(marginal(&[1, 2], &[2], &[0, 0]), Err(CountError::Column { column: 0 }));
        assert_eq!(marginal(&[u64::MAX, 1], &[2], &[]), Err(CountError::Overflow));
        assert!(marginal(&[], &[usize::MAX, usize::MAX, 0], &[0, 1]).is_err());
        assert!(marginal(&[], &[usize::MAX, 0], &[0]).is_err());
    }

    proptest! {
        #[test]
        fn margins_of_margins_are_margins(counts in prop::collection::vec(0u64..50, 24)) {
            let domains = [2, 3, 4];
            let pair = marginal(&counts, &domains, &[2, 0]).unwrap();
            for third in 0..4 {
                for first in 0..2 {
                    let sum: u64 = (0..3).map(|second| counts[(first * 3 + second) * 4 + third]).sum();
                    prop_assert_eq!(pair[third * 2 + first], sum);
                }
            }
            prop_assert_eq!(marginal(&pair, &[4, 2], &[1]).unwrap(), marginal(&counts, &domains, &[0]).unwrap());
        }
    }
}
