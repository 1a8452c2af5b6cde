//! Joint cells of published counts, and between which bounds a weighted sum of them lies.
//!
//! The cells satisfy sums with known totals and are not negative; some are known. What is most and least is the optimum of
//! a linear program where there are few unknown cells, and otherwise bounded by sums that cut all cells into parts, or by a
//! maximum flow where there are two views. Every way is sound for fractional tables, so for tables of counts too.
//!
//! Bounds are hard although the program is solved in floating point. Its dual is solved, and what comes out is taken for a
//! certificate, right or not: for any prices y of the sums r, with caps u on the cells, w·x = y·r + (w − Aᵀy)·x is at most
//! y·r + Σ max(0, w − Aᵀy)·u. Wrong prices only loosen that. What rounding can do to its evaluation is added; where all
//! weights are whole, so is what a table of counts has, and the bound is rounded inwards.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};
use good_lp::{Expression, Solution, SolverModel, microlp, variable, variables};

use super::AnswerError;
use super::flow::most_served;

/// Beyond so many unknown cells no linear program is solved.
pub const MOST_UNKNOWN: usize = 1500;

/// What is known of a joint cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Count(u64),
    Hidden,
}

/// Joint cells.
#[derive(Debug, Clone, Default)]
pub(super) struct Joint {
    /// The columns, by their positions.
    pub columns: Vec<usize>,
    /// Cell by cell a label for each column.
    pub labels: Vec<u32>,
    pub known: Vec<Known>,
    /// What is to be expected in each cell.
    pub expected: Vec<f64>,
    /// Cells, and what they add up to.
    pub sums: Vec<(Vec<usize>, u64)>,
    /// Runs of sums that cut all cells into parts: the cells of a view.
    pub partitions: Vec<Range<usize>>,
    /// With two views the places of the columns that both have.
    pub shared: Vec<usize>,
}

impl Joint {
    pub fn cells(&self) -> usize {
        self.known.len()
    }

    pub fn labels(&self, cell: usize) -> &[u32] {
        let width = self.columns.len();
        self.labels.get(cell * width..(cell + 1) * width).unwrap_or_default()
    }

    /// What is left of each sum for its hidden cells; sums without one are left out.
    fn residuals(&self) -> Result<Vec<(Vec<usize>, f64)>, AnswerError> {
        let mut left = Vec::new();
        for (cells, total) in &self.sums {
            let mut known = 0u64;
            let mut hidden = Vec::new();
            for &cell in cells {
                match self.known.get(cell) {
                    Some(Known::Count(count)) => known = known.saturating_add(*count),
                    _ => hidden.push(cell),
                }
            }
            let rest = total.checked_sub(known).ok_or(AnswerError::Inconsistent)?;
            match hidden.is_empty() {
                true if rest > 0 => return Err(AnswerError::Inconsistent),
                true => {}
                false => left.push((hidden, rest as f64)),
            }
        }
        Ok(left)
    }

    /// Fits hidden cells to what is left of the published sums, starting from equal ones.
    pub fn fit_hidden(&mut self) -> Result<(), AnswerError> {
        let residuals = self.residuals()?;
        let start = |known: &Known| match known {
            Known::Count(count) => *count as f64,
            Known::Hidden => 1.0,
        };
        self.expected = self.known.iter().map(start).collect();
        for _ in 0..1000 {
            let mut moved = 0f64;
            for (cells, rest) in &residuals {
                let sum: f64 = cells.iter().map(|&cell| self.expected[cell]).sum(); // why: cells of this table
                if sum > 0.0 {
                    let factor = rest / sum;
                    moved = moved.max((rest - sum).abs());
                    cells.iter().for_each(|&cell| self.expected[cell] *= factor); // why: as above
                }
            }
            if moved < 1e-9 {
                break;
            }
        }
        Ok(())
    }

    /// At least the sum of the cells with the first weights, at most that with the second; the first are never above the
    /// second. `None` where a weight is not finite.
    pub fn bounds(
        &self,
        least: &[f64],
        most: &[f64],
        by_program: bool,
    ) -> Result<(Option<f64>, Option<f64>), AnswerError> {
        let residuals = self.residuals()?;
        let side = |weights: &[f64], sign: f64| -> Option<f64> {
            let (mut constant, mut size) = (0.0, 0.0);
            let mut free = Vec::new();
            for (cell, (&weight, known)) in weights.iter().zip(&self.known).enumerate() {
                match known {
                    Known::Count(0) => {}
                    _ if !weight.is_finite() => return None,
                    Known::Count(count) => {
                        constant += weight * *count as f64;
                        size += (weight * *count as f64).abs();
                    }
                    Known::Hidden => free.push((cell, weight * sign)),
                }
            }
            let bound = self.most(&free, &residuals, by_program)?;
            // What adding up so many terms can be off by, once and again for what they are made of.
            let slack = (self.cells() + 4) as f64 * f64::EPSILON * (size + bound.abs());
            let is_whole = weights.iter().all(|weight| !weight.is_finite() || weight.fract() == 0.0);
            let own = sign * constant + bound + slack;
            // Beyond 2^52 every number is whole.
            let own = if is_whole && slack < 0.5 { own.floor() } else { own };
            // A zero without a sign.
            Some(sign * own + 0.0)
        };
        let is_binary = |weights: &[f64]| weights.iter().all(|&weight| weight == 0.0 || weight == 1.0);
        let (mut low, mut high) = (side(least, -1.0), side(most, 1.0));
        let hidden = self.known.iter().filter(|known| **known == Known::Hidden).count();
        if hidden > MOST_UNKNOWN && self.partitions.len() == 2 && is_binary(least) && is_binary(most) {
            let (flow_low, flow_high) = self.by_flow(least, most);
            low = low.map(|low| low.max(flow_low));
            high = high.map(|high| high.min(flow_high));
        }
        Ok((low, high))
    }

    /// The most that a weighted sum of hidden cells can be; `None` when there is no bound.
    fn most(&self, free: &[(usize, f64)], residuals: &[(Vec<usize>, f64)], by_program: bool) -> Option<f64> {
        if free.is_empty() {
            return Some(0.0);
        }
        let by_program = by_program && free.len() <= MOST_UNKNOWN;
        let caps = self.caps(residuals);
        let simple = self.by_parts(free, &caps);
        match by_program.then(|| certified(free, residuals, &caps)).flatten() {
            Some(found) => Some(simple.map_or(found, |simple| simple.min(found))),
            None => simple,
        }
    }

    /// A hidden cell is at most what is left of any sum that it is in.
    fn caps(&self, residuals: &[(Vec<usize>, f64)]) -> Vec<f64> {
        let mut most = vec![f64::INFINITY; self.cells()];
        for (cells, rest) in residuals {
            for &cell in cells {
                most[cell] = most[cell].min(*rest); // why: cells of this table
            }
        }
        most
    }

    /// Hidden cells are at most their caps; the cells of a view together are at most their counts.
    fn by_parts(&self, free: &[(usize, f64)], most: &[f64]) -> Option<f64> {
        let mut best: f64 =
            free.iter().map(|&(cell, weight)| if weight > 0.0 { weight * most[cell] } else { 0.0 }).sum(); // why: as above
        let mut weight_of = vec![0.0; self.cells()];
        free.iter().for_each(|&(cell, weight)| weight_of[cell] = weight); // why: as above
        for partition in &self.partitions {
            let sums = self.sums.get(partition.clone()).unwrap_or_default();
            let of = |(cells, total): &(Vec<usize>, u64)| {
                let largest = cells.iter().map(|&cell| weight_of[cell]).fold(f64::NEG_INFINITY, f64::max); // why: as above
                largest * *total as f64
            };
            best = best.min(sums.iter().map(of).sum());
        }
        best.is_finite().then_some(best)
    }

    /// Two views: for each combination of what they share, cells of the one are served by cells of the other.
    fn by_flow(&self, least: &[f64], most: &[f64]) -> (f64, f64) {
        let [first, second] = &self.partitions[..] else { return (0.0, f64::INFINITY) };
        // Per joint cell which cell of either view it is in.
        let mut of = vec![(0usize, 0usize); self.cells()];
        for (number, (cells, _)) in self.sums.get(first.clone()).unwrap_or_default().iter().enumerate() {
            cells.iter().for_each(|&cell| of[cell].0 = number); // why: cells of this table
        }
        for (number, (cells, _)) in self.sums.get(second.clone()).unwrap_or_default().iter().enumerate() {
            cells.iter().for_each(|&cell| of[cell].1 = number); // why: as above
        }
        let mut slices: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
        for cell in 0..self.cells() {
            let labels = self.labels(cell);
            let key = self.shared.iter().filter_map(|&place| labels.get(place).copied()).collect();
            slices.entry(key).or_default().push(cell);
        }
        let count =
            |range: &Range<usize>, number: usize| self.sums.get(range.start + number).map_or(0, |own| own.1);
        let (mut low, mut high) = (0u64, 0u64);
        for cells in slices.values() {
            let numbered = |side: fn(&(usize, usize)) -> usize| -> (Vec<usize>, HashMap<usize, usize>) {
                let mut numbers: Vec<usize> = cells.iter().map(|&cell| side(&of[cell])).collect(); // why: as above
                numbers.sort_unstable();
                numbers.dedup();
                let place = numbers.iter().enumerate().map(|(place, &number)| (number, place)).collect();
                (numbers, place)
            };
            let ((rows, row_of), (columns, column_of)) = (numbered(|own| own.0), numbered(|own| own.1));
            let width = columns.len();
            let mut table = vec![(false, false); rows.len() * width];
            for &cell in cells {
                let (a, b) = of[cell]; // why: as above
                if let (Some(row), Some(column)) = (row_of.get(&a), column_of.get(&b)) {
                    table[row * width + column] = (least[cell] > 0.0, most[cell] > 0.0); // why: numbered above
                }
            }
            let records: Vec<u64> = rows.iter().map(|&number| count(first, number)).collect();
            let values: Vec<u64> = columns.iter().map(|&number| count(second, number)).collect();
            let total: u64 = records.iter().sum();
            high += most_served(&records, &values, |row, column| table[row * width + column].1); // why: as above
            let spared = most_served(&records, &values, |row, column| !table[row * width + column].0); // why: as above
            low += total.saturating_sub(spared);
        }
        (low as f64, high as f64)
    }
}

/// A bound on the most that a weighted sum of cells can be under sums of them and caps on them, from prices that solve the
/// dual program; `None` when there are none. It holds whatever the solver made of the prices.
fn certified(free: &[(usize, f64)], residuals: &[(Vec<usize>, f64)], caps: &[f64]) -> Option<f64> {
    let largest = free.iter().map(|(_, weight)| weight.abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return Some(0.0);
    }
    // Prices of two ways to cut a table never differ by more than a weight for each sum. Any box would give a bound; without
    // one the solver may run in circles.
    let reach = largest * (residuals.len() + 1) as f64;
    let mut unknowns = variables!();
    let prices: Vec<good_lp::Variable> =
        residuals.iter().map(|_| unknowns.add(variable().min(-reach).max(reach))).collect();
    let mut sums_of: HashMap<usize, Vec<usize>> = HashMap::with_capacity(free.len());
    let mut cost = Expression::with_capacity(prices.len());
    for (number, ((cells, rest), &price)) in residuals.iter().zip(&prices).enumerate() {
        cost.add_mul(*rest, price);
        cells.iter().for_each(|&cell| sums_of.entry(cell).or_default().push(number));
    }
    let mut model = unknowns.minimise(cost).using(microlp);
    for (cell, weight) in free {
        let mut paid = Expression::with_capacity(4);
        for &number in sums_of.get(cell)? {
            paid.add_mul(1.0, prices.get(number)?);
        }
        model.add_constraint(paid.geq(*weight));
    }
    let solution = model.solve().ok()?;
    let price: Vec<f64> = prices.iter().map(|&price| solution.value(price)).collect();
    let mut bound = 0.0;
    let mut size = 0.0;
    for ((_, rest), price) in residuals.iter().zip(&price) {
        bound += price * rest;
        size += (price * rest).abs();
    }
    for (cell, weight) in free {
        let (mut paid, mut largest) = (0.0, weight.abs());
        let numbers = sums_of.get(cell)?;
        for &number in numbers {
            paid += price.get(number)?;
            largest = f64::max(largest, price.get(number)?.abs());
        }
        let cap = caps.get(*cell).copied()?;
        // What the prices fall short of, and what adding them up may hide.
        let short = (weight - paid).max(0.0) + (numbers.len() + 2) as f64 * f64::EPSILON * largest;
        bound += short * cap;
        size += short * cap;
    }
    bound += (residuals.len() + free.len() + 4) as f64 * f64::EPSILON * size;
    bound.is_finite().then_some(bound)
}

#[cfg(test)]
mod tests;
