//! Synthetic records from noisy tables by one and by two columns that form a tree (MST: McKenna, Miklau and Sheldon 2021, the winner of the
//! NIST contest of 2018; beside survey ME-46).
//!
//! Guarantee: the records are private at the declared cost as a whole. A third of it goes to all tables by one column, a third to the choice of
//! d − 1 pairs, and a third to their tables. The tables of a third are one vector, in which one person changes each table as a
//! histogram: with Gaussian noise for a concentrated loss, with Laplace noise for a pure epsilon. An (epsilon, delta) is answered with
//! the concentrated loss that is proved to imply it. A pair is chosen by the largest noisy distance between its table and what its two columns would
//! give if they were independent; the distance is a whole number that one person moves by no more than the table, and Laplace noise of twice that over
//! epsilon on each makes the choice epsilon-private (report noisy maximum), which costs epsilon²/2. Everything else looks at noisy tables alone.
//!
//! Departures from the paper: choices are by noisy maximum and not by the exponential mechanism, which is exact on whole numbers; the
//! model is a tree, so it is fitted by proportional fitting and read off edge by edge, and no graphical-model library is needed.

use dashu::integer::IBig;
use dashu::rational::RBig;

use crate::bits::{Bits, System};
use crate::budget::{Loss, Privacy, Rho};
use crate::people::People;
use crate::samplers::{discrete_laplace, saturating_i128};
use crate::{DpError, Histogram, Noise};

/// The most columns.
const MOST_COLUMNS: usize = 64;
/// The most cells of the table of a pair.
const MOST_CELLS: u64 = 1 << 22;
/// Values whose noisy count is below so many standard deviations are one value where pairs are looked at.
const RARE: f64 = 3.0;
/// Rounds of proportional fitting.
const ROUNDS: usize = 30;

/// A table whose columns have so many declared values, and what its synthetic records cost.
#[derive(Debug)]
pub struct MarginalTree {
    sizes: Vec<u32>,
    ones: Noise,
    pairs: Noise,
    /// The noise of each distance when a pair is chosen.
    choice: RBig,
    loss: Loss,
}

/// What was drawn and how.
#[derive(Debug)]
pub struct TreeRecords {
    /// Per column the code of each record.
    pub columns: Vec<Vec<u32>>,
    /// The pairs of columns whose tables were looked at.
    pub pairs: Vec<(usize, usize)>,
    /// The noisy number of records of the table.
    pub total: u64,
}

impl MarginalTree {
    /// Records for people, of columns with these numbers of declared values, at this cost.
    pub fn new(people: People, sizes: &[u32], privacy: &Privacy) -> Result<Self, DpError> {
        if sizes.len() < 2 || sizes.len() > MOST_COLUMNS || sizes.contains(&0) {
            return Err(DpError::parameter("the columns", "2 to 64, each with at least one declared value"));
        }
        let mut largest: Vec<u64> = sizes.iter().map(|&size| size.into()).collect();
        largest.sort_unstable_by(|a, b| b.cmp(a));
        if largest.iter().take(2).product::<u64>() > MOST_CELLS {
            return Err(DpError::TooLarge {
                what: "the number of cells of a pair of columns",
                most: MOST_CELLS,
            });
        }
        let columns = sizes.len() as u64;
        let own = Histogram { people, cells: 0 };
        let (sum, squared) = (own.sensitivity(), own.squared());
        let (ones, pairs, choice) = match privacy {
            Privacy::Pure(epsilon) => {
                let share = epsilon.split(3)?;
                let noise = |tables: u64| Noise::laplace(sum * u128::from(tables), &share);
                (noise(columns), noise(columns - 1), share.split(columns - 1)?)
            }
            Privacy::Approximate(..) | Privacy::Concentrated(_) => {
                let rho = match privacy {
                    Privacy::Concentrated(rho) => rho.clone(),
                    Privacy::Approximate(epsilon, delta) => Rho::within(epsilon, delta)?,
                    _ => {
                        return Err(DpError::parameter(
                            "the form of privacy",
                            "a pure, approximate or concentrated one",
                        ));
                    }
                };
                let share = rho.split(3)?;
                let noise = |tables: u64| Noise::concentrated(squared * u128::from(tables), &share);
                (noise(columns), noise(columns - 1), share.split(columns - 1)?.pure_epsilon()?)
            }
            Privacy::Probabilistic(..) => {
                return Err(DpError::parameter(
                    "the form of privacy",
                    "a pure, approximate or concentrated one",
                ));
            }
        };
        let choice = RBig::from(2 * IBig::from(sum)) / choice.value();
        Ok(Self { sizes: sizes.to_vec(), ones, pairs, choice, loss: privacy.loss() })
    }

    /// What the records cost.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The noise of tables by one column, and by two.
    pub fn noises(&self) -> [&Noise; 2] {
        [&self.ones, &self.pairs]
    }

    /// So many records like those of a table that is given by columns of codes; with `None` about as many as the table has. Records with a code
    /// beyond the declared values count nowhere.
    pub fn release(&self, columns: &[&[u32]], records: Option<u64>) -> Result<TreeRecords, DpError> {
        let rows = columns.first().map_or(0, |column| column.len());
        if columns.len() != self.sizes.len() || columns.iter().any(|column| column.len() != rows) {
            return Err(DpError::Declaration("one column for each size, all of the same length"));
        }
        let is_declared =
            |row: &usize| columns.iter().zip(&self.sizes).all(|(column, &size)| column[*row] < size); // why: all have as many rows
        let rows: Vec<usize> = (0..rows).filter(is_declared).collect();
        let ones = self.ones(columns, &rows)?;
        let deviation = self.ones.accuracy().standard_deviation;
        let merged: Vec<Merged> = ones.iter().map(|own| Merged::new(own, RARE * deviation)).collect();
        let sums = ones.iter().map(|own| own.iter().map(|&count| count as f64).sum::<f64>());
        let total = (sums.sum::<f64>() / ones.len() as f64).round().max(0.0);
        let marginals: Vec<Vec<f64>> = merged.iter().map(|own| projected(&own.counts, total)).collect();
        let codes: Vec<Vec<u32>> = columns
            .iter()
            .zip(&merged)
            .map(|(column, merged)| rows.iter().map(|&row| merged.cell_of[column[row] as usize]).collect()) // why: rows are declared
            .collect();
        let tree = self.chosen(&codes, &marginals, total)?;
        let mut tables = Vec::with_capacity(tree.len());
        for &(a, b) in &tree {
            let exact = joint(&codes[a], &codes[b], marginals[a].len(), marginals[b].len()); // why: pairs are of columns
            let noisy: Vec<f64> =
                self.pairs.add_to_all(&exact)?.into_iter().map(|count| count as f64).collect();
            tables.push(fitted(projected(&noisy, total), &marginals[a], &marginals[b])); // why: as above
        }
        let drawn = records.unwrap_or(total as u64);
        let cells = draw(&tree, &tables, &marginals, drawn)?;
        let mut bits = Bits::system();
        let columns: Result<Vec<Vec<u32>>, DpError> = cells
            .iter()
            .zip(&merged)
            .map(|(cells, merged)| cells.iter().map(|&cell| merged.value(cell, &mut bits)).collect())
            .collect();
        Ok(TreeRecords { columns: columns?, pairs: tree, total: total as u64 })
    }

    /// The noisy table of each column.
    fn ones(&self, columns: &[&[u32]], rows: &[usize]) -> Result<Vec<Vec<i64>>, DpError> {
        let table = |(column, &size): (&&[u32], &u32)| {
            let mut counts = vec![0u64; size as usize];
            rows.iter().for_each(|&row| counts[column[row] as usize] += 1); // why: rows are declared
            self.ones.add_to_all(&counts)
        };
        columns.iter().zip(&self.sizes).map(table).collect()
    }

    /// The pairs that form a tree, each chosen among those that join two parts of it.
    fn chosen(
        &self,
        codes: &[Vec<u32>],
        marginals: &[Vec<f64>],
        total: f64,
    ) -> Result<Vec<(usize, usize)>, DpError> {
        let width = codes.len();
        let mut distances = Vec::new();
        for (a, b) in (0..width).flat_map(|a| (a + 1..width).map(move |b| (a, b))) {
            let (own, other) = (&marginals[a], &marginals[b]); // why: one for each column
            let exact = joint(&codes[a], &codes[b], own.len(), other.len()); // why: as above
            let expected = |cell: usize| {
                let product = own[cell / other.len()] * other[cell % other.len()]; // why: cells are those of both
                if total > 0.0 { (product / total).round() as i128 } else { 0 }
            };
            let off = |(cell, &count): (usize, &u64)| (i128::from(count) - expected(cell)).abs();
            distances.push((a, b, exact.iter().enumerate().map(off).sum::<i128>()));
        }
        let mut part: Vec<usize> = (0..width).collect();
        let mut tree = Vec::with_capacity(width - 1);
        while tree.len() + 1 < width {
            let mut best: Option<(i128, usize, usize)> = None;
            for &(a, b, distance) in distances.iter().filter(|own| part[own.0] != part[own.1]) {
                let noisy = saturating_i128(&(discrete_laplace(&self.choice)? + IBig::from(distance)));
                if best.is_none_or(|own| noisy > own.0) {
                    best = Some((noisy, a, b));
                }
            }
            let Some((_, a, b)) = best else { break };
            let (from, to) = (part[b], part[a]); // why: one for each column
            part.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
            tree.push((a, b));
        }
        Ok(tree)
    }
}

/// Values of a column of which rare ones are one cell.
struct Merged {
    /// Per value its cell.
    cell_of: Vec<u32>,
    /// Per cell its noisy count.
    counts: Vec<f64>,
    /// Per cell its values with their noisy counts, none below 1.
    values: Vec<Vec<(u32, u64)>>,
}

impl Merged {
    fn new(noisy: &[i64], least: f64) -> Self {
        let is_rare = |count: i64| (count as f64) < least;
        let merges = noisy.iter().filter(|count| is_rare(**count)).count() > 1;
        let mut own = Self { cell_of: vec![0; noisy.len()], counts: Vec::new(), values: Vec::new() };
        let mut rest = None;
        for (value, &count) in noisy.iter().enumerate() {
            let is_rest = merges && is_rare(count);
            let cell = match (is_rest, rest) {
                (true, Some(cell)) => cell,
                _ => {
                    own.counts.push(0.0);
                    own.values.push(Vec::new());
                    own.counts.len() - 1
                }
            };
            if is_rest {
                rest = Some(cell);
            }
            own.cell_of[value] = cell as u32; // why: one for each value
            own.counts[cell] += count as f64; // why: the cell was made above
            own.values[cell].push((value as u32, u64::try_from(count).unwrap_or(0).max(1))); // why: as above
        }
        own
    }

    /// One of the values of a cell, as often as their noisy counts say.
    fn value(&self, cell: u32, bits: &mut Bits<System>) -> Result<u32, DpError> {
        let values = self.values.get(cell as usize).map_or(&[][..], Vec::as_slice);
        if let [(only, _)] = values {
            return Ok(*only);
        }
        let mut place = bits.below(values.iter().map(|own| own.1).sum())?;
        for &(value, count) in values {
            if place < count {
                return Ok(value);
            }
            place -= count;
        }
        Ok(0)
    }
}

/// How many records have each pair of codes.
fn joint(a: &[u32], b: &[u32], rows: usize, columns: usize) -> Vec<u64> {
    let mut counts = vec![0u64; rows * columns];
    a.iter().zip(b).for_each(|(&a, &b)| counts[a as usize * columns + b as usize] += 1); // why: codes are below both
    counts
}

/// The nearest numbers, none of them negative, with this sum.
fn projected(values: &[f64], total: f64) -> Vec<f64> {
    let mut falling = values.to_vec();
    falling.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut less) = (0.0, 0.0);
    for (place, &own) in falling.iter().enumerate() {
        sum += own;
        let next = (sum - total) / (place + 1) as f64;
        if place > 0 && own - next <= 0.0 {
            break;
        }
        less = next;
    }
    values.iter().map(|own| (own - less).max(0.0)).collect()
}

/// A table made to agree with the counts of its rows and columns, by proportional fitting; a little of their product keeps every row with records.
fn fitted(mut table: Vec<f64>, rows: &[f64], columns: &[f64]) -> Vec<f64> {
    let total: f64 = rows.iter().sum();
    if total <= 0.0 {
        return table;
    }
    let width = columns.len();
    for (cell, own) in table.iter_mut().enumerate() {
        *own += 1e-9 * rows[cell / width] * columns[cell % width] / total; // why: cells are those of both
    }
    for _ in 0..ROUNDS {
        for (own, &target) in table.chunks_mut(width).zip(rows) {
            let sum: f64 = own.iter().sum();
            let factor = if sum > 0.0 { target / sum } else { 0.0 };
            own.iter_mut().for_each(|cell| *cell *= factor);
        }
        for (at, &target) in columns.iter().enumerate() {
            let sum: f64 = table.iter().skip(at).step_by(width).sum();
            let factor = if sum > 0.0 { target / sum } else { 0.0 };
            table.iter_mut().skip(at).step_by(width).for_each(|cell| *cell *= factor);
        }
    }
    table
}

/// Cells of so many records, edge by edge from the first column on.
fn draw(
    tree: &[(usize, usize)],
    tables: &[Vec<f64>],
    marginals: &[Vec<f64>],
    records: u64,
) -> Result<Vec<Vec<u32>>, DpError> {
    let mut bits = Bits::system();
    let rows = usize::try_from(records).unwrap_or(usize::MAX);
    let mut columns: Vec<Option<Vec<u32>>> = vec![None; marginals.len()];
    let all: Vec<usize> = (0..rows).collect();
    let mut first = vec![0; rows];
    spread(&all, &marginals[0], &mut first, &mut bits)?; // why: there are two columns or more
    columns[0] = Some(first); // why: as above
    let mut left: Vec<usize> = (0..tree.len()).collect();
    while let Some(place) =
        left.iter().position(|&edge| columns[tree[edge].0].is_some() != columns[tree[edge].1].is_some())
    {
        // why: edges are of columns
        let edge = left.swap_remove(place);
        let ((a, b), table) = (tree[edge], &tables[edge]); // why: one table for each edge
        let is_down = columns[a].is_some(); // why: as above
        let (parent, child) = if is_down { (a, b) } else { (b, a) };
        let width = marginals[b].len(); // why: as above
        let Some(values) = columns[parent].clone() else { continue };
        let mut of_value: Vec<Vec<usize>> = vec![Vec::new(); marginals[parent].len()];
        values.iter().enumerate().for_each(|(row, &value)| of_value[value as usize].push(row)); // why: values are cells of the parent
        let mut drawn = vec![0; rows];
        for (value, rows) in of_value.iter().enumerate() {
            let weights: Vec<f64> = match is_down {
                true => table.chunks(width).nth(value).map_or_else(Vec::new, <[f64]>::to_vec),
                false => table.iter().skip(value).step_by(width).copied().collect(),
            };
            let weights = if weights.iter().sum::<f64>() > 0.0 { weights } else { marginals[child].clone() };
            spread(rows, &weights, &mut drawn, &mut bits)?;
        }
        columns[child] = Some(drawn);
    }
    Ok(columns.into_iter().map(Option::unwrap_or_default).collect())
}

/// Gives each of these records one of the cells, as often as the weights say: whole parts for certain, the rest by systematic sampling, and
/// which record gets which is left to chance.
fn spread(
    rows: &[usize],
    weights: &[f64],
    values: &mut [u32],
    bits: &mut Bits<System>,
) -> Result<(), DpError> {
    let total: f64 = weights.iter().sum();
    if rows.is_empty() || weights.is_empty() {
        return Ok(());
    }
    let each = |weight: f64| if total > 0.0 { weight / total } else { 1.0 / weights.len() as f64 };
    let start = bits.below(1 << 53)? as f64 / (1u64 << 53) as f64;
    let mut shuffled = rows.to_vec();
    for last in (1..shuffled.len()).rev() {
        shuffled.swap(last, bits.below(last as u64 + 1)? as usize);
    }
    let (mut reached, mut given) = (0.0, 0usize);
    for (cell, &weight) in weights.iter().enumerate() {
        reached += each(weight) * rows.len() as f64;
        let until = ((reached + start).floor() as usize).min(rows.len());
        let until = if cell + 1 == weights.len() { rows.len() } else { until };
        for &row in shuffled.get(given..until).unwrap_or_default() {
            values[row] = cell as u32; // why: rows are those of the values
        }
        given = given.max(until);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Neighbours;
    use crate::budget::Epsilon;

    /// Which pure epsilon one choice costs.
    fn epsilon_of_choice(tree: &MarginalTree, sensitivity: u128) -> Epsilon {
        Epsilon::new(RBig::from(2 * IBig::from(sensitivity)) / &tree.choice).unwrap()
    }

    fn one() -> People {
        People::one_record_each(Neighbours::AddRemove)
    }

    /// By hand: epsilon 3 and four columns: 1 for four tables, 1 for three choices, 1 for three tables of pairs.
    #[test]
    fn the_cost_is_shared_in_thirds() {
        let tree = MarginalTree::new(one(), &[2, 3, 4, 5], &Privacy::Pure("3".parse().unwrap())).unwrap();
        let [ones, pairs] = tree.noises();
        assert_eq!((ones.scale(), pairs.scale()), (&RBig::from(4), &RBig::from(3)));
        assert_eq!(epsilon_of_choice(&tree, 1), "1/3".parse().unwrap());
        // rho 0.3: 0.1 for four tables, so a variance of 4/0.2; choices of 0.1/3 each.
        let rho = Privacy::Concentrated("0.3".parse().unwrap());
        let tree = MarginalTree::new(one(), &[2, 3, 4, 5], &rho).unwrap();
        let deviation = tree.noises()[0].scale().to_f64().value();
        assert!((deviation * deviation - 20.0).abs() < 0.02, "{deviation}");
        assert!(
            Rho::of_pure(&epsilon_of_choice(&tree, 1)).unwrap()
                <= "0.1".parse::<Rho>().unwrap().split(3).unwrap()
        );
        assert_eq!(tree.loss().to_string(), "rho 0.3");
        assert!(
            MarginalTree::new(one(), &[2], &rho).is_err()
                && MarginalTree::new(one(), &[5000, 5000], &rho).is_err()
        );
    }

    /// One person moves the distance that pairs are chosen by no further than the table, by brute force.
    #[test]
    fn a_person_moves_distances_by_one() {
        let marginals = [vec![3.4f64, 2.6], vec![1.0, 5.0]];
        let distance = |records: &[(u32, u32)]| -> i64 {
            let (a, b): (Vec<u32>, Vec<u32>) = records.iter().copied().unzip();
            let exact = joint(&a, &b, 2, 2);
            let expected =
                |cell: usize| (marginals[0][cell / 2] * marginals[1][cell % 2] / 6.0).round() as i64;
            exact.iter().enumerate().map(|(cell, &own)| (own as i64 - expected(cell)).abs()).sum()
        };
        let values = [(0, 0), (0, 1), (1, 0), (1, 1)];
        for code in 0..64usize {
            let table = [values[code % 4], values[code / 4 % 4], values[code / 16]];
            for more in values {
                let with = [&table[..], &[more]].concat();
                assert!((distance(&table) - distance(&with)).abs() <= 1);
            }
        }
    }

    /// A chain of columns, each nearly a copy of the one before: the tree is the chain, and pairs come back.
    #[test]
    fn a_chain_is_found_and_its_pairs_come_back() {
        let rows = 6000usize;
        let a: Vec<u32> = (0..rows).map(|row| (row % 3) as u32).collect();
        let b: Vec<u32> = (0..rows).map(|row| if row % 10 == 0 { 0 } else { a[row] }).collect();
        let c: Vec<u32> = (0..rows).map(|row| if row % 7 == 0 { 2 } else { b[row] }).collect();
        let d: Vec<u32> = (0..rows).map(|row| (row / 3 % 2) as u32).collect();
        let columns: [&[u32]; 4] = [&a, &b, &c, &d];
        for privacy in [
            Privacy::Pure("30".parse().unwrap()),
            Privacy::Concentrated("10".parse().unwrap()),
            Privacy::Approximate("10".parse().unwrap(), "1e-6".parse().unwrap()),
        ] {
            let tree = MarginalTree::new(one(), &[3, 3, 3, 2], &privacy).unwrap();
            let drawn = tree.release(&columns, None).unwrap();
            assert!(drawn.pairs.contains(&(0, 1)) && drawn.pairs.contains(&(1, 2)), "{:?}", drawn.pairs);
            assert!(drawn.total.abs_diff(rows as u64) < 60 && drawn.columns[0].len() == drawn.total as usize);
            for (x, y, sizes) in [(0, 1, (3, 3)), (1, 2, (3, 3)), (0, 2, (3, 3))] {
                let exact = joint(columns[x], columns[y], sizes.0, sizes.1);
                let found = joint(&drawn.columns[x], &drawn.columns[y], sizes.0, sizes.1);
                for (own, other) in exact.iter().zip(&found) {
                    assert!(own.abs_diff(*other) < 150, "{x} {y}: {exact:?} {found:?}");
                }
            }
            assert_eq!(tree.release(&columns, Some(17)).unwrap().columns[3].len(), 17);
        }
    }

    #[test]
    fn rare_values_are_one_cell_and_come_back() {
        let merged = Merged::new(&[50, 2, -3, 40, 1], 10.0);
        assert_eq!(
            (merged.cell_of.as_slice(), merged.counts.as_slice()),
            (&[0, 1, 1, 2, 1][..], &[50.0, 0.0, 40.0][..])
        );
        let mut bits = Bits::system();
        let mut seen: Vec<u32> = (0..200).map(|_| merged.value(1, &mut bits).unwrap()).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [1, 2, 4]);
        let nothing = MarginalTree::new(one(), &[2, 2], &Privacy::Pure("1".parse().unwrap())).unwrap();
        assert!(nothing.release(&[&[], &[]], Some(5)).unwrap().columns[1].len() == 5);
        assert!(nothing.release(&[&[0]], None).is_err());
        assert_eq!(projected(&[5.0, -3.0, 2.0], 4.0), [3.5, 0.0, 0.5]);
    }
}
