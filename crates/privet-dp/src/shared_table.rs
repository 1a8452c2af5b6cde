//! One table of counts by every combination of keys, of which smaller tables are sums.
//!
//! Guarantee: noise on every cell once pays for all tables, because a person is in one cell; a table's noise is that of a sum of draws.
//! [`SharedTable::consistent`] makes the cells whole and none of them negative, with the noisy total (0 where that is negative): the nearest such
//! cells in sum of squares, rounded by largest remainders. It looks at noisy numbers alone.

use crate::Noise;

/// The sizes of a table, the last column varying fastest.
#[derive(Debug, Clone)]
pub struct SharedTable(Vec<usize>);

impl SharedTable {
    /// A table whose columns have so many keys.
    pub fn new(sizes: &[u32]) -> Self {
        Self(sizes.iter().map(|&size| size as usize).collect())
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.0.iter().product()
    }

    /// The number of records in each cell; those with a code beyond the sizes are nowhere.
    pub fn count(&self, columns: &[&[u32]]) -> Vec<u64> {
        let mut counts = vec![0; self.cells()];
        for row in 0..columns.first().map_or(0, |column| column.len()) {
            let place = columns.iter().zip(&self.0).try_fold(0, |place, (column, &size)| {
                let code = column[row] as usize; // why: all columns are equally long
                (code < size).then_some(place * size + code)
            });
            if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
                *count += 1;
            }
        }
        counts
    }

    /// The sums of cells by some columns, given by their positions in rising order.
    pub fn marginal(&self, cells: &[i64], set: &[usize]) -> Vec<i64> {
        let of_set = |at: &usize| self.0.get(*at).copied().unwrap_or(1);
        let mut sums = vec![0i64; set.iter().map(of_set).product()];
        for (cell, &count) in cells.iter().enumerate() {
            let (mut rest, mut place, mut step) = (cell, 0, 1);
            for (at, &size) in self.0.iter().enumerate().rev() {
                let code = rest % size;
                rest /= size;
                if set.contains(&at) {
                    place += code * step;
                    step *= size;
                }
            }
            sums[place] = sums[place].saturating_add(count); // why: below the product of the sizes of the set
        }
        sums
    }

    /// How far off a sum of noisy cells is with 95 %, in the table by some columns.
    pub fn half_width_95(&self, set: &[usize], noise: &Noise) -> f64 {
        let summed: u64 = self
            .0
            .iter()
            .enumerate()
            .filter(|(at, _)| !set.contains(at))
            .map(|(_, &size)| size as u64)
            .product();
        noise.half_width_95_of_mean(summed) * summed as f64
    }

    /// Whole cells, none of them negative, near the noisy ones.
    pub fn consistent(noisy: &[i64]) -> Vec<i64> {
        let total = noisy.iter().map(|&own| i128::from(own)).sum::<i128>().max(0);
        let mut falling: Vec<i64> = noisy.to_vec();
        falling.sort_unstable_by(|a, b| b.cmp(a));
        // The nearest cells are the noisy ones less one number, cut off at 0, that leaves the total.
        let (mut sum, mut less) = (0i128, 0.0);
        for (place, &own) in falling.iter().enumerate() {
            sum += i128::from(own);
            let next = (sum - total) as f64 / (place + 1) as f64;
            if place > 0 && own as f64 - next <= 0.0 {
                break;
            }
            less = next;
        }
        let near: Vec<f64> = noisy.iter().map(|&own| (own as f64 - less).max(0.0)).collect();
        let mut whole: Vec<i64> = near.iter().map(|own| own.floor() as i64).collect();
        let missing = total - whole.iter().map(|&own| i128::from(own)).sum::<i128>();
        let mut order: Vec<usize> = (0..near.len()).collect();
        let rest = |place: usize| near[place].fract(); // why: places of cells
        order.sort_by(|&a, &b| rest(b).total_cmp(&rest(a)));
        for &place in order.iter().take(usize::try_from(missing.max(0)).unwrap_or(0)) {
            whole[place] += 1; // why: places of cells
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 5, −3, 2, 0 sum to 4; less 1.5 for the two that stay, 3.5 and 0.5, of which one is rounded up.
    #[test]
    fn cells_are_whole_and_not_negative() {
        let whole = SharedTable::consistent(&[5, -3, 2, 0]);
        assert_eq!((whole.iter().sum::<i64>(), whole.iter().min()), (4, Some(&0)));
        assert!(whole[0] >= 3 && whole[1] == 0 && whole[3] == 0);
        assert_eq!(SharedTable::consistent(&[4, 0, 9]), [4, 0, 9]);
        assert_eq!(SharedTable::consistent(&[-4, 1]), [0, 0]);
        assert!(SharedTable::consistent(&[]).is_empty());
    }

    #[test]
    fn tables_are_sums_of_cells() {
        let table = SharedTable::new(&[2, 3]);
        let counts = table.count(&[&[0, 1, 1, 0, 5], &[2, 0, 0, 2, 1]]);
        assert_eq!(counts, [0, 0, 2, 2, 0, 0]);
        let cells: Vec<i64> = counts.iter().map(|&own| own as i64).collect();
        assert_eq!(table.marginal(&cells, &[0]), [2, 2]);
        assert_eq!(table.marginal(&cells, &[1]), [2, 0, 2]);
        assert_eq!(table.marginal(&cells, &[]), [4]);
        assert_eq!(table.marginal(&cells, &[0, 1]), cells);
    }
}
