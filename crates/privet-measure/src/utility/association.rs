//! How strongly pairs of columns are associated, before and after (survey UM-15).
//!
//! From χ² of the contingency table of two columns: Cramér's V = √(χ²/(n·min(r−1, c−1))) and Pearson's C = √(χ²/(χ²+n)).
//! In a release, labels are the categories. Both are 0 when the columns are independent, and V is 1 when one of them
//! determines the other; C stays below 1. A column with a single category is associated with nothing: 0.

use rayon::prelude::*;

use super::UtilityError;
use super::grouping::{NONE, group};

/// How strongly two columns are associated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Association {
    /// The statistic of independence.
    pub chi_squared: f64,
    /// Cramér's V.
    pub cramer_v: f64,
    /// Pearson's contingency coefficient C.
    pub pearson_c: f64,
}

/// A pair of columns, before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairAssociation {
    /// The columns, counted from 0; the smaller first.
    pub columns: (usize, usize),
    /// In the original.
    pub before: Association,
    /// In the release.
    pub after: Association,
}

/// The association of two columns.
///
/// # Errors
/// When they differ in length.
pub fn association(a: &[u32], b: &[u32]) -> Result<Association, UtilityError> {
    of_numbered(&Numbered::new(a, None)?, &Numbered::new(b, None)?)
}

/// Every pair of columns before and after. `suppressed` marks records that the release does not show.
///
/// # Errors
/// When the two tables have not as many columns, or columns differ in length.
pub fn associations(
    original: &[&[u32]],
    published: &[&[u32]],
    suppressed: Option<&[bool]>,
) -> Result<Vec<PairAssociation>, UtilityError> {
    super::same_length("published columns", published.len(), original.len())?;
    let number = |columns: &[&[u32]], mask| -> Result<Vec<Numbered>, UtilityError> {
        columns.par_iter().map(|column| Numbered::new(column, mask)).collect()
    };
    let (before, after) = (number(original, None)?, number(published, suppressed)?);
    let pairs: Vec<(usize, usize)> =
        (0..original.len()).flat_map(|a| (a + 1..original.len()).map(move |b| (a, b))).collect();
    pairs
        .into_par_iter()
        .map(|columns| {
            let (a, b) = columns;
            Ok(PairAssociation {
                columns,
                before: of_numbered(&before[a], &before[b])?,
                after: of_numbered(&after[a], &after[b])?,
            })
        })
        .collect()
}

/// Mean over pairs of the absolute difference of Cramér's V, and of Pearson's C; `None` when there is no pair.
pub fn mean_association_difference(pairs: &[PairAssociation]) -> Option<(f64, f64)> {
    let mean = |of: fn(&Association) -> f64| {
        pairs.iter().map(|pair| (of(&pair.before) - of(&pair.after)).abs()).sum::<f64>() / pairs.len() as f64
    };
    (!pairs.is_empty()).then(|| (mean(|own| own.cramer_v), mean(|own| own.pearson_c)))
}

/// A column's categories, without the records that are left out.
struct Numbered {
    of: Vec<u32>,
    sizes: Vec<u64>,
}

impl Numbered {
    fn new(column: &[u32], left_out: Option<&[bool]>) -> Result<Self, UtilityError> {
        let groups = group(&[column], column.len(), left_out)?;
        Ok(Self { of: groups.of.into_iter().filter(|&own| own != NONE).collect(), sizes: groups.sizes })
    }
}

fn of_numbered(a: &Numbered, b: &Numbered) -> Result<Association, UtilityError> {
    let pairs = group(&[&a.of, &b.of], a.of.len(), None)?;
    let n = a.of.len() as f64;
    let degrees = a.sizes.len().min(b.sizes.len()).saturating_sub(1) as f64;
    if degrees == 0.0 {
        return Ok(Association { chi_squared: 0.0, cramer_v: 0.0, pearson_c: 0.0 });
    }
    // χ²/n = Σ o²/(r·c) − 1: empty cells add nothing, so the table need not be written down.
    let sum: f64 = pairs
        .first
        .iter()
        .zip(&pairs.sizes)
        .map(|(&row, &count)| {
            let (r, c) = (a.sizes[a.of[row] as usize] as f64, b.sizes[b.of[row] as usize] as f64);
            (count as f64 / r) * (count as f64 / c)
        })
        .sum();
    let share = (sum - 1.0).clamp(0.0, degrees);
    Ok(Association {
        chi_squared: share * n,
        cramer_v: (share / degrees).sqrt(),
        pearson_c: (share / (share + 1.0)).sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn two_by_two_by_hand() {
        // 10 20 / 30 40: χ² = n(ad − bc)²/(row and column sums) = 100·200²/(30·70·40·60).
        let mut columns = (Vec::new(), Vec::new());
        for (a, b, count) in [(0, 0, 10), (0, 1, 20), (1, 0, 30), (1, 1, 40)] {
            columns.0.extend(vec![a; count]);
            columns.1.extend(vec![b; count]);
        }
        let own = association(&columns.0, &columns.1).unwrap();
        let chi_squared = 100.0 * 200.0 * 200.0 / (30.0 * 70.0 * 40.0 * 60.0);
        near(own.chi_squared, chi_squared);
        near(own.cramer_v, (chi_squared / 100.0).sqrt());
        near(own.pearson_c, (chi_squared / (chi_squared + 100.0)).sqrt());
    }

    #[test]
    fn one_determines_the_other() {
        let (value, group) = ([0, 1, 2, 3], [0, 0, 1, 1]);
        let own = association(&value, &group).unwrap();
        near(own.cramer_v, 1.0);
        near(own.pearson_c, 0.5f64.sqrt());
        assert_eq!(association(&value, &[7; 4]).unwrap().cramer_v, 0.0);
        assert_eq!(association(&[], &[]).unwrap().chi_squared, 0.0);
        assert!(association(&value, &[1]).is_err());
    }

    #[test]
    fn before_and_after() {
        let (a, b, c) = ([0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]);
        let pairs = associations(&[&a, &b, &c], &[&a, &[0; 4], &c], None).unwrap();
        assert_eq!(pairs.iter().map(|p| p.columns).collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
        near(pairs[0].before.cramer_v - pairs[0].after.cramer_v, 1.0);
        let (v, c_difference) = mean_association_difference(&pairs).unwrap();
        near(v, 1.0 / 3.0);
        near(c_difference, 0.5f64.sqrt() / 3.0);
        // Without the second and third record, `a` and `c` say the same.
        let mask = [false, true, true, false];
        near(associations(&[&a, &c], &[&a, &c], Some(&mask)).unwrap()[0].after.cramer_v, 1.0);
        assert_eq!(mean_association_difference(&[]), None);
        assert!(associations(&[&a], &[], None).is_err());
        assert!(associations(&[&a, &b], &[&a, &[1]], None).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Against the definition: Σ (observed − expected)²/expected over the whole table.
        #[test]
        fn chi_squared_of_the_whole_table(records in prop::collection::vec((0u32..4, 0u32..3), 1..40)) {
            let (a, b): (Vec<u32>, Vec<u32>) = records.iter().copied().unzip();
            let n = records.len() as f64;
            let mut expected = 0.0;
            for x in 0..4 {
                for y in 0..3 {
                    let row = a.iter().filter(|&&own| own == x).count() as f64;
                    let column = b.iter().filter(|&&own| own == y).count() as f64;
                    let cell = records.iter().filter(|&&own| own == (x, y)).count() as f64;
                    if row > 0.0 && column > 0.0 {
                        expected += (cell - row * column / n).powi(2) / (row * column / n);
                    }
                }
            }
            let own = association(&a, &b).unwrap();
            prop_assert!((own.chi_squared - expected).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&own.cramer_v) && (0.0..1.0).contains(&own.pearson_c));
        }
    }
}
