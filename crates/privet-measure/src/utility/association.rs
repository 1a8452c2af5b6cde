//! How strongly pairs of columns are associated, before and after (survey UM-15).
//!
//! From χ² of the contingency table of two columns: Cramér's V = √(χ²/(n·min(r−1, c−1))) and Pearson's C = √(χ²/(χ²+n)).
//! In a release, labels are the categories. Both are 0 when the columns are independent, and V is 1 when one of them
//! determines the other; C stays below 1. A column with a single category is associated with nothing: 0.
//!
//! Of a sample, χ² is about (r−1)(c−1) by chance alone, so V of independent columns grows with their categories. Bergsma's
//! correction (A bias-correction for Cramér's V and Tschuprow's T, 2013; not in the survey) takes that away: with φ² = χ²/n,
//! φ̃² = max(0, φ² − (r−1)(c−1)/(n−1)) and r̃ = r − (r−1)²/(n−1), c̃ alike, Ṽ = √(φ̃²/min(r̃−1, c̃−1)). Its φ̃² has, before it is cut
//! at 0, mean 0 when the columns are independent and their counts are given.
//!
//! Buckets tell which values their people have and not who has which. What an analyst has is the table of expected counts,
//! Σ over buckets of n_b(x) n_b(y) / n_b, every way to deal out the values of a bucket being as likely: how strongly columns
//! go together in that table is what the release says of it ([`association_in_buckets`]).

use foldhash::HashMap;
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
    /// Cramér's V with Bergsma's correction, from 0 to 1.
    pub corrected_v: f64,
    /// Pearson's contingency coefficient C.
    pub pearson_c: f64,
}

/// By how much associations differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssociationDifference {
    /// In Cramér's V.
    pub cramer_v: f64,
    /// In the corrected one.
    pub corrected_v: f64,
    /// In Pearson's C.
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

/// Per bucket the values in it, each once, with how many of its records have them.
pub type Buckets = [Vec<(u32, u64)>];

/// The association of two columns in the counts to be expected where of each bucket it is only told how many have a value.
///
/// # Errors
/// When the columns have not as many buckets, or a bucket not as many records in both.
pub fn association_in_buckets(a: &Buckets, b: &Buckets) -> Result<Association, UtilityError> {
    super::same_length("buckets", b.len(), a.len())?;
    let margin = |column: &Buckets| {
        let mut sizes: HashMap<u32, u64> = HashMap::default();
        column.iter().flatten().for_each(|&(value, count)| *sizes.entry(value).or_default() += count);
        sizes.retain(|_, count| *count > 0);
        sizes
    };
    let (of_a, of_b) = (margin(a), margin(b));
    let mut expected: HashMap<(u32, u32), f64> = HashMap::default();
    let mut n = 0u64;
    for (a, b) in a.iter().zip(b) {
        let size: u64 = a.iter().map(|own| own.1).sum();
        super::same_length(
            "records of a bucket",
            b.iter().map(|own| own.1).sum::<u64>() as usize,
            size as usize,
        )?;
        n += size;
        for &(x, in_a) in a.iter().filter(|own| own.1 > 0) {
            for &(y, in_b) in b.iter().filter(|own| own.1 > 0) {
                *expected.entry((x, y)).or_default() += in_a as f64 * (in_b as f64 / size as f64);
            }
        }
    }
    let mut cells: Vec<((u32, u32), f64)> = expected.into_iter().collect();
    // In an order of their own, so that the sum is always the same.
    cells.sort_unstable_by_key(|own| own.0);
    let size = |sizes: &HashMap<u32, u64>, value: u32| sizes.get(&value).map_or(1.0, |&count| count as f64);
    let sum: f64 =
        cells.iter().map(|&((x, y), count)| (count / size(&of_a, x)) * (count / size(&of_b, y))).sum();
    Ok(of_squares(sum, of_a.len(), of_b.len(), n as f64))
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

/// Mean over pairs of the absolute difference of each measure; `None` when there is no pair.
pub fn mean_association_difference(pairs: &[PairAssociation]) -> Option<AssociationDifference> {
    let mean = |of: fn(&Association) -> f64| {
        pairs.iter().map(|pair| (of(&pair.before) - of(&pair.after)).abs()).sum::<f64>() / pairs.len() as f64
    };
    (!pairs.is_empty()).then(|| AssociationDifference {
        cramer_v: mean(|own| own.cramer_v),
        corrected_v: mean(|own| own.corrected_v),
        pearson_c: mean(|own| own.pearson_c),
    })
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
    Ok(of_squares(sum, a.sizes.len(), b.sizes.len(), a.of.len() as f64))
}

/// From Σ o²/(r·c) over the cells of a table with so many rows and columns and n records.
fn of_squares(sum: f64, rows: usize, columns: usize, n: f64) -> Association {
    let degrees = rows.min(columns).saturating_sub(1) as f64;
    if degrees == 0.0 {
        return Association { chi_squared: 0.0, cramer_v: 0.0, corrected_v: 0.0, pearson_c: 0.0 };
    }
    let share = (sum - 1.0).clamp(0.0, degrees);
    Association {
        chi_squared: share * n,
        cramer_v: (share / degrees).sqrt(),
        corrected_v: corrected(share, rows as f64, columns as f64, n),
        pearson_c: (share / (share + 1.0)).sqrt(),
    }
}

/// Bergsma's V from φ², the numbers of categories and the records.
fn corrected(share: f64, rows: f64, columns: f64, n: f64) -> f64 {
    if n <= 1.0 {
        return 0.0;
    }
    let by_chance = (rows - 1.0) * (columns - 1.0) / (n - 1.0);
    let shrunk = |categories: f64| categories - (categories - 1.0).powi(2) / (n - 1.0);
    let most = shrunk(rows).min(shrunk(columns)) - 1.0;
    let above = share - by_chance;
    // What rounding alone makes is nothing; its root would be a thousand times as large as it. And with as many categories as
    // records nothing is left to be told.
    let rounding = 1e-12 * (1.0 + share + by_chance);
    if above <= rounding || most <= 1e-12 { 0.0 } else { (above / most).sqrt().min(1.0) }
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

    /// 40 10 / 10 40: φ² = 0.36, less 1/99; r̃ = c̃ = 2 − 1/99, so V² = (0.36 − 1/99)/(98/99) = (35.64 − 1)/98.
    #[test]
    fn corrected_by_hand() {
        let mut columns = (Vec::new(), Vec::new());
        for (a, b, count) in [(0, 0, 40), (0, 1, 10), (1, 0, 10), (1, 1, 40)] {
            columns.0.extend(vec![a; count]);
            columns.1.extend(vec![b; count]);
        }
        let own = association(&columns.0, &columns.1).unwrap();
        near(own.cramer_v, 0.6);
        near(own.corrected_v, (34.64f64 / 98.0).sqrt());
        // Two columns of 2 and 731 categories with χ² = 741 at 730 degrees of freedom: V says 0.19, and it is chance.
        let share: f64 = 741.0 / 20_000.0;
        assert!(share.sqrt() > 0.19 && corrected(share, 2.0, 731.0, 20_000.0) < 0.03);
        assert_eq!(corrected(0.5, 2.0, 2.0, 1.0), 0.0);
        assert_eq!(corrected(1.0, 2.0, 9.0, 9.0), 0.0);
    }

    /// Independent columns: the mean of φ² − (r−1)(c−1)/(n−1) over 400 draws is 0 up to five standard errors (a false alarm in
    /// two million), and V itself is far from it.
    #[test]
    fn chance_adds_nothing_to_the_corrected_one() {
        let (n, r, c) = (200, 5u64, 20u64);
        let mut state = 7u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % below) as u32
        };
        let (mut excess, mut plain): (Vec<f64>, f64) = (Vec::new(), 0.0);
        for _ in 0..400 {
            let a: Vec<u32> = (0..n).map(|_| draw(r)).collect();
            let b: Vec<u32> = (0..n).map(|_| draw(c)).collect();
            let own = association(&a, &b).unwrap();
            let degrees = (r as f64 - 1.0) * (c as f64 - 1.0);
            excess.push(own.chi_squared / n as f64 - degrees / (n as f64 - 1.0));
            plain += own.cramer_v / 400.0;
        }
        let mean = excess.iter().sum::<f64>() / 400.0;
        let deviation = (excess.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 399.0).sqrt();
        assert!(mean.abs() < 5.0 * deviation / 20.0, "{mean} {deviation}");
        assert!(plain > 0.25, "{plain}");
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
        let change = mean_association_difference(&pairs).unwrap();
        near(change.cramer_v, 1.0 / 3.0);
        near(change.pearson_c, 0.5f64.sqrt() / 3.0);
        // Without the second and third record, `a` and `c` say the same.
        let mask = [false, true, true, false];
        near(associations(&[&a, &c], &[&a, &c], Some(&mask)).unwrap()[0].after.cramer_v, 1.0);
        assert_eq!(mean_association_difference(&[]), None);
        assert!(associations(&[&a], &[], None).is_err());
        assert!(associations(&[&a, &b], &[&a, &[1]], None).is_err());
    }

    #[test]
    fn buckets_hide_what_goes_with_what() {
        // Four people, the first column tells the second; two buckets with one of each, or of two alike.
        let (mixed, apart) = ([vec![(0, 1), (1, 1)], vec![(0, 1), (1, 1)]], [vec![(0, 2)], vec![(1, 2)]]);
        let found = association_in_buckets(&mixed, &mixed).unwrap();
        assert_eq!((found.chi_squared, found.cramer_v), (0.0, 0.0));
        let found = association_in_buckets(&apart, &apart).unwrap();
        assert_eq!((found.chi_squared, found.cramer_v), (4.0, 1.0));
        // Buckets of three, two of which are alike: by hand 5/3 and 4/3 are expected where 3/2 would be by chance.
        let (x, y) =
            ([vec![(0, 2), (1, 1)], vec![(0, 1), (1, 2)]], [vec![(7, 2), (9, 1)], vec![(7, 1), (9, 2)]]);
        let found = association_in_buckets(&x, &y).unwrap();
        near(found.chi_squared, 4.0 * (5.0 / 3.0 - 1.5f64).powi(2) / 1.5);
        assert!(association_in_buckets(&x, &apart).is_err() && association_in_buckets(&x, &y[..1]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Buckets of one record are records.
        #[test]
        fn buckets_of_one_hide_nothing(pairs in prop::collection::vec((0u32..4, 0u32..3), 1..40)) {
            let alone = |side: fn(&(u32, u32)) -> u32| -> Vec<Vec<(u32, u64)>> {
                pairs.iter().map(|own| vec![(side(own), 1)]).collect()
            };
            let (a, b): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
            let (found, expected) =
                (association_in_buckets(&alone(|own| own.0), &alone(|own| own.1)).unwrap(), association(&a, &b).unwrap());
            prop_assert!((found.chi_squared - expected.chi_squared).abs() < 1e-9);
            // Squares, because a root magnifies what two orders of adding up differ by.
            prop_assert!((found.corrected_v.powi(2) - expected.corrected_v.powi(2)).abs() < 1e-9);
        }

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
            prop_assert!((0.0..=1.0).contains(&own.cramer_v) && (0.0..=1.0).contains(&own.corrected_v) && (0.0..1.0).contains(&own.pearson_c));
        }
    }
}
