//! How much two columns tell about each other (thesis 1.10, Definitions 4.1 and 4.2).
//!
//! The thesis calls 2H(A,B) - H(A) - H(B) the "mutual information measure"; its name in the literature is the
//! *variation of information*. It is small where columns depend on each other and large where they do not.
//! Definition 4.2 does not say how its matrix is normalized; the printed numbers are those of a division by the
//! sum of the upper triangle. (The thesis' example swaps H(A|B) and H(B|A), defect 2; only their sum matters.)
//!
//! # Guarantee
//! The variation of information is a metric on columns up to renaming of values: never negative, exactly 0 if
//! and only if the values of both columns correspond one to one, symmetric, and it keeps the triangle inequality
//! up to rounding. Every sum runs over sorted counts, so results depend neither on the order of the records nor
//! on the number of threads. Time is linear in the records.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use privet_data::{Cancelled, Progress};
use rayon::prelude::*;

/// Joint counts of up to so many pairs of values are kept in one table.
const DIRECT: usize = 1 << 16;

/// The entropy of a column in bits; 0 without records.
///
/// ```
/// use privet_recode::purpose::entropy;
/// assert_eq!(entropy(&[0, 0, 1, 1]), 1.0);
/// assert_eq!(entropy(&[7, 7, 7]), 0.0);
/// ```
pub fn entropy(codes: &[u32]) -> f64 {
    Column::new(codes).entropy
}

/// The entropy in bits of two columns taken together. They have one code per record; should one be longer, the
/// rest of it is left out.
pub fn joint_entropy(a: &[u32], b: &[u32]) -> f64 {
    let rows = a.len().min(b.len());
    joint(&Column::new(&a[..rows]), &Column::new(&b[..rows]))
}

/// The variation of information of two columns in bits: 2H(A,B) - H(A) - H(B) (Definition 4.1). Columns are taken
/// as by [`joint_entropy`].
pub fn variation_of_information(a: &[u32], b: &[u32]) -> f64 {
    let rows = a.len().min(b.len());
    variation(&Column::new(&a[..rows]), &Column::new(&b[..rows]))
}

/// The variation of information of every pair of columns (Definition 4.2): symmetric, 0 on the diagonal.
#[derive(Debug, Clone, PartialEq)]
pub struct IndependencyMatrix {
    size: usize,
    values: Vec<f64>,
}

impl IndependencyMatrix {
    /// Compares all pairs of columns.
    ///
    /// # Errors
    /// When the person asked to stop.
    pub fn new(columns: &[&[u32]], progress: &dyn Progress) -> Result<Self, Cancelled> {
        let size = columns.len();
        let pairs: Vec<(usize, usize)> = (0..size).flat_map(|i| (i + 1..size).map(move |j| (i, j))).collect();
        let found = compare(columns, &pairs, progress)?;
        let mut values = vec![0.0; size * size];
        for (&(i, j), value) in pairs.iter().zip(found) {
            values[i * size + j] = value;
            values[j * size + i] = value;
        }
        Ok(Self { size, values })
    }

    /// The number of columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The entries of one row; empty for a column that there is not.
    pub fn row(&self, column: usize) -> &[f64] {
        self.values.chunks_exact(self.size.max(1)).nth(column).unwrap_or_default()
    }

    /// Divided by the sum of the upper triangle, so that the entries of all pairs sum to 1; as it is when all
    /// are 0.
    #[must_use]
    pub fn normalized(&self) -> Self {
        let total: f64 = (0..self.size).flat_map(|i| &self.row(i)[i + 1..]).sum();
        let by = if total > 0.0 { total } else { 1.0 };
        Self { size: self.size, values: self.values.iter().map(|value| value / by).collect() }
    }
}

/// The variation of information of each column and the next.
///
/// # Errors
/// When the person asked to stop.
pub fn between_neighbours(columns: &[&[u32]], progress: &dyn Progress) -> Result<Vec<f64>, Cancelled> {
    let pairs: Vec<(usize, usize)> = (1..columns.len()).map(|i| (i - 1, i)).collect();
    compare(columns, &pairs, progress)
}

fn compare(
    columns: &[&[u32]],
    pairs: &[(usize, usize)],
    progress: &dyn Progress,
) -> Result<Vec<f64>, Cancelled> {
    progress.stage("comparing columns", Some(pairs.len() as u64));
    let rows = columns.iter().map(|codes| codes.len()).min().unwrap_or(0);
    let counted: Vec<Column<'_>> = columns.par_iter().map(|codes| Column::new(&codes[..rows])).collect();
    let done = AtomicU64::new(0);
    pairs
        .par_iter()
        .map(|&(i, j)| {
            progress.check()?;
            let value = variation(&counted[i], &counted[j]);
            progress.at(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(value)
        })
        .collect()
}

/// A column with how often each of its codes occurs.
struct Column<'a> {
    codes: Cow<'a, [u32]>,
    counts: Vec<u64>,
    entropy: f64,
}

impl<'a> Column<'a> {
    fn new(codes: &'a [u32]) -> Self {
        let largest = |codes: &[u32]| codes.iter().max().map_or(0, |&code| code as usize + 1);
        // Codes far beyond the number of records would make tables of nothing.
        let codes = if largest(codes) > codes.len().saturating_mul(4).saturating_add(1024) {
            Cow::Owned(renumber(codes))
        } else {
            Cow::Borrowed(codes)
        };
        let mut counts = vec![0u64; largest(&codes)];
        for &code in &*codes {
            counts[code as usize] += 1;
        }
        let entropy = bits(counts.clone());
        Self { codes, counts, entropy }
    }
}

/// The same column with the codes that occur numbered from 0.
fn renumber(codes: &[u32]) -> Vec<u32> {
    let mut distinct = codes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    codes.iter().map(|code| distinct.partition_point(|other| other < code) as u32).collect()
}

/// The entropy of a distribution given by counts. Equal counts are taken together: the same counts in another
/// order have the same entropy to the last bit, so that columns that say the same are at distance 0 exactly.
fn bits(mut counts: Vec<u64>) -> f64 {
    counts.retain(|&count| count > 0);
    counts.sort_unstable();
    let total = counts.iter().sum::<u64>() as f64;
    counts
        .chunk_by(|a, b| a == b)
        .map(|run| run.len() as f64 * (run[0] as f64 / total) * (total / run[0] as f64).log2())
        .sum()
}

fn variation(a: &Column<'_>, b: &Column<'_>) -> f64 {
    (2.0 * joint(a, b) - (a.entropy + b.entropy)).max(0.0)
}

/// The entropy of two columns of the same length.
fn joint(a: &Column<'_>, b: &Column<'_>) -> f64 {
    let width = b.counts.len();
    let cells = a.counts.len().saturating_mul(width);
    if cells <= DIRECT {
        let mut counts = vec![0u64; cells];
        for (&x, &y) in a.codes.iter().zip(&*b.codes) {
            counts[x as usize * width + y as usize] += 1;
        }
        return bits(counts);
    }
    // The codes of b, ordered by those of a; then what stands under one code of a is counted in a row that is
    // emptied while it is read.
    let mut next: Vec<usize> = Vec::with_capacity(a.counts.len());
    let mut start = 0;
    for &count in &a.counts {
        next.push(start);
        start += count as usize;
    }
    let mut ordered = vec![0u32; a.codes.len()];
    for (&x, &y) in a.codes.iter().zip(&*b.codes) {
        let place = &mut next[x as usize];
        ordered[*place] = y;
        *place += 1;
    }
    let mut row = vec![0u64; width];
    let mut counts = Vec::new();
    let mut start = 0;
    for end in next {
        for &y in &ordered[start..end] {
            row[y as usize] += 1;
        }
        for &y in &ordered[start..end] {
            let count = std::mem::take(&mut row[y as usize]);
            if count > 0 {
                counts.push(count);
            }
        }
        start = end;
    }
    bits(counts)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use privet_data::Silent;
    use proptest::prelude::*;

    use super::*;

    /// Straight from the definition.
    fn by_hash(a: &[u32], b: &[u32]) -> f64 {
        let mut counts: HashMap<(u32, u32), f64> = HashMap::new();
        a.iter().zip(b).for_each(|(&x, &y)| *counts.entry((x, y)).or_default() += 1.0);
        let n = a.len() as f64;
        counts.values().map(|count| -(count / n) * (count / n).log2()).sum()
    }

    fn columns(values: u32) -> impl Strategy<Value = Vec<Vec<u32>>> {
        (1usize..200)
            .prop_flat_map(move |rows| prop::collection::vec(prop::collection::vec(0..values, rows), 3))
    }

    fn check(columns: &[Vec<u32>]) -> Result<(), TestCaseError> {
        let [a, b, c] = columns else { return Ok(()) };
        let vi = variation_of_information;
        prop_assert!((joint_entropy(a, b) - by_hash(a, b)).abs() < 1e-9);
        prop_assert!((entropy(a) - by_hash(a, a)).abs() < 1e-9);
        prop_assert_eq!(vi(a, b), vi(b, a));
        prop_assert_eq!(vi(a, a), 0.0);
        prop_assert!(vi(a, c) <= vi(a, b) + vi(b, c) + 1e-9, "triangle");
        prop_assert!(vi(a, b) <= entropy(a) + entropy(b) + 1e-9);
        // Renamed values in another order of records.
        let renamed: Vec<u32> = a.iter().map(|code| u32::MAX - 3 * code).collect();
        prop_assert_eq!(vi(a, &renamed), 0.0);
        prop_assert_eq!(entropy(a), entropy(&renamed.iter().rev().copied().collect::<Vec<_>>()));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Thesis Proposition 4.1 and Theorem 4.1, on tables of joint counts.
        #[test]
        fn a_metric_over_few_values(columns in columns(5)) {
            check(&columns)?;
        }

        /// The same where joint counts are gathered row by row.
        #[test]
        fn a_metric_over_many_values(columns in columns(900)) {
            check(&columns)?;
        }

        /// A column that another one determines is as far from it as their entropies differ.
        #[test]
        fn a_determined_column(columns in columns(700)) {
            let coarse: Vec<u32> = columns[0].iter().map(|code| code / 7).collect();
            let expected = entropy(&columns[0]) - entropy(&coarse);
            prop_assert!((variation_of_information(&columns[0], &coarse) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn both_ways_of_counting_are_taken() {
        let many: Vec<u32> = (0..2000).map(|row| row * 7 % 500).collect();
        let other: Vec<u32> = (0..2000).map(|row| row * row % 499).collect();
        const { assert!(500 * 499 > DIRECT) };
        assert!((joint_entropy(&many, &other) - by_hash(&many, &other)).abs() < 1e-9);
    }

    #[test]
    fn nothing_to_compare() {
        assert_eq!(entropy(&[]), 0.0);
        assert_eq!(variation_of_information(&[], &[]), 0.0);
        assert_eq!(variation_of_information(&[u32::MAX], &[0]), 0.0);
        // The shorter column decides.
        assert_eq!(variation_of_information(&[0, 1, 1], &[0, 1]), 0.0);
        let none = IndependencyMatrix::new(&[], &Silent).unwrap();
        assert_eq!((none.size(), none.row(0)), (0, &[][..]));
        assert_eq!(none.normalized(), none);
        let equal = IndependencyMatrix::new(&[&[0, 1], &[1, 0]], &Silent).unwrap();
        assert_eq!(equal.normalized(), equal);
        assert_eq!(between_neighbours(&[], &Silent), Ok(Vec::new()));
        assert_eq!(between_neighbours(&[&[1]], &Silent), Ok(Vec::new()));
    }
}
