//! Marginals that agree with each other, through noisy Fourier coefficients (survey ME-30; Barak et al. 2007).
//!
//! Attributes are coded in bits. The marginal on a set of bits α is determined by the coefficients f_β = Σ_x
//! (−1)^⟨β,x⟩·n_x of all β ⪯ α, so only those get noise: whole numbers, each changing by at most 1 when a record is
//! added or removed, and by 2 when one is replaced. With |A| coefficients the sensitivity is c·|A| or 2c·|A|. The
//! survey's normalisation by 2^(−d/2) cancels out and would need roots; it is left out, the noise is the same.
//!
//! Guarantee: the coefficients are private at the declared cost; all that follows uses nothing else. The linear
//! program (floating point; it sees noisy numbers only) finds a table without negative cells whose coefficients are
//! as close as possible in the largest deviation, and rounding to whole numbers keeps its total to the nearest whole
//! number. All marginals come from that one table, so they are non-negative, whole and consistent. The program has
//! one unknown per combination of declared values, as the survey says: at most 4096.

use good_lp::{Expression, Solution, SolverModel, constraint, microlp, variable, variables};

use crate::budget::{Loss, Privacy};
use crate::people::{Neighbours, People};
use crate::{Accuracy, DpError, Noise};

const MOST_BITS: u32 = 12;
const MOST_COEFFICIENTS: usize = 512;

/// The marginals that are asked for.
#[derive(Debug, Clone)]
pub struct FourierMarginals {
    attributes: Attributes,
    people: People,
    /// The sets of bits whose coefficients are needed, in rising order; the empty set, the total, is the first.
    masks: Vec<u32>,
}

/// How attributes are coded in bits.
#[derive(Debug, Clone)]
struct Attributes {
    sizes: Vec<u32>,
    /// Per attribute the position of its lowest bit, and its number of bits.
    places: Vec<(u32, u32)>,
    bits: u32,
}

impl Attributes {
    fn new(sizes: &[u32]) -> Result<Self, DpError> {
        let mut bits = 0;
        let mut places = Vec::new();
        for &size in sizes {
            if size == 0 {
                return Err(DpError::parameter("the number of values of an attribute", "1 or more"));
            }
            let width = u32::BITS - (size - 1).leading_zeros();
            places.push((bits, width));
            bits += width;
            if bits > MOST_BITS {
                return Err(DpError::TooLarge {
                    what: "the number of bits of all attributes",
                    most: MOST_BITS.into(),
                });
            }
        }
        Ok(Self { sizes: sizes.to_vec(), places, bits })
    }

    fn mask(&self, attributes: &[usize]) -> Result<u32, DpError> {
        attributes.iter().try_fold(0, |mask, &attribute| {
            let &(place, width) = self
                .places
                .get(attribute)
                .ok_or(DpError::Declaration("marginals over declared attributes"))?;
            Ok(mask | ((1 << width) - 1) << place)
        })
    }

    fn value(&self, cell: u32, attribute: usize) -> u32 {
        let (place, width) = self.places[attribute]; // why: callers check the attribute with `mask`
        cell >> place & ((1 << width) - 1)
    }

    /// The combinations of bits that stand for declared values.
    fn cells(&self) -> Vec<u32> {
        let declared = |cell: &u32| (0..self.sizes.len()).all(|a| self.value(*cell, a) < self.sizes[a]);
        (0..1u32 << self.bits).filter(declared).collect()
    }

    /// Where the marginal cell of a cell is, the last attribute varying fastest.
    fn place(&self, cell: u32, attributes: &[usize]) -> usize {
        attributes.iter().fold(0, |place, &a| place * self.sizes[a] as usize + self.value(cell, a) as usize)
    }

    fn marginal_size(&self, attributes: &[usize]) -> usize {
        attributes.iter().map(|&a| self.sizes[a] as usize).product()
    }
}

fn sign(mask: u32, cell: u32) -> i64 {
    if (mask & cell).count_ones().is_multiple_of(2) { 1 } else { -1 }
}

impl FourierMarginals {
    /// Marginals over attributes with these numbers of declared values; each marginal is a list of attributes.
    pub fn new(people: People, sizes: &[u32], marginals: &[&[usize]]) -> Result<Self, DpError> {
        let attributes = Attributes::new(sizes)?;
        let wanted: Vec<u32> = marginals.iter().map(|m| attributes.mask(m)).collect::<Result<_, _>>()?;
        let needed = |mask: &u32| *mask == 0 || wanted.iter().any(|w| mask & !w == 0);
        let masks: Vec<u32> = (0..1u32 << attributes.bits).filter(needed).collect();
        if masks.len() > MOST_COEFFICIENTS {
            return Err(DpError::TooLarge {
                what: "the number of coefficients",
                most: MOST_COEFFICIENTS as u64,
            });
        }
        Ok(Self { attributes, people, masks })
    }

    /// How many coefficients get noise.
    pub fn coefficients(&self) -> usize {
        self.masks.len()
    }

    /// The noise that each coefficient needs.
    pub fn noise(&self, privacy: &Privacy) -> Result<Noise, DpError> {
        let (sum, squared) = self.sensitivity();
        Noise::of(privacy, sum, squared)
    }

    /// The most that one person can change the coefficients: in sum, and in sum of squares.
    fn sensitivity(&self) -> (u128, u128) {
        let (each, count) = (u128::from(self.people.contributions()), self.masks.len() as u128);
        let each = match self.people.neighbours() {
            Neighbours::AddRemove => each,
            Neighbours::ReplaceOne => 2 * each,
        };
        (each * count, each * each * count)
    }

    /// How far off a cell of a marginal on these attributes is expected to be before the linear program: the mean of
    /// its 2^bits coefficients with their signs.
    pub fn accuracy(&self, attributes: &[usize], noise: &Noise) -> Result<Accuracy, DpError> {
        let count = 1u64 << self.attributes.mask(attributes)?.count_ones();
        let standard_deviation = noise.accuracy().standard_deviation / (count as f64).sqrt();
        Ok(Accuracy { standard_deviation, half_width_95: noise.half_width_95_of_mean(count) })
    }

    /// The number of combinations of bits that attributes with these numbers of values are coded in; at most 4096 can
    /// be worked with.
    pub fn combinations(sizes: &[u32]) -> u128 {
        let bits: u32 = sizes.iter().map(|&size| u32::BITS - size.saturating_sub(1).leading_zeros()).sum();
        1u128.checked_shl(bits).unwrap_or(u128::MAX)
    }

    /// The noisy coefficients of a table given by columns of codes. Records with undeclared codes count nowhere.
    pub fn release(&self, columns: &[&[u32]], noise: &Noise) -> Result<NoisyCoefficients, DpError> {
        let attributes = &self.attributes;
        if columns.len() != attributes.sizes.len()
            || columns.windows(2).any(|pair| pair[0].len() != pair[1].len())
        {
            return Err(DpError::Declaration("one column per attribute, all of the same length"));
        }
        let (sum, squared) = self.sensitivity();
        noise.must_hide(sum, squared)?;
        let rows = columns.first().map_or(0, |column| column.len());
        let mut counts = vec![0i64; 1 << attributes.bits];
        for row in 0..rows {
            let coded = columns.iter().enumerate().try_fold(0u32, |cell, (a, column)| {
                let code = column[row]; // why: all columns have as many rows, and one each per attribute
                (code < attributes.sizes[a]).then(|| cell | code << attributes.places[a].0)
            });
            if let Some(cell) = coded {
                counts[cell as usize] += 1; // why: a declared code fits into the bits of its attribute
            }
        }
        transform(&mut counts);
        let noisy = |&mask: &u32| Ok((mask, noise.add(counts[mask as usize].into())?));
        let values = self.masks.iter().map(noisy).collect::<Result<_, DpError>>()?;
        Ok(NoisyCoefficients { attributes: attributes.clone(), values, loss: noise.loss().clone() })
    }
}

/// The Walsh–Hadamard transform in place.
fn transform(counts: &mut [i64]) {
    let mut half = 1;
    while half < counts.len() {
        for block in counts.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            low.iter_mut().zip(high).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b));
        }
        half *= 2;
    }
}

/// What was published of a table: private, and all that the rest is made from.
#[derive(Debug, Clone)]
pub struct NoisyCoefficients {
    attributes: Attributes,
    values: Vec<(u32, i128)>,
    loss: Loss,
}

impl NoisyCoefficients {
    /// What they cost.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The unbiased marginal on some attributes, with fractions and negative cells; it must have been asked for, or
    /// be a part of one that was.
    pub fn marginal(&self, attributes: &[usize]) -> Result<Vec<f64>, DpError> {
        let mask = self.attributes.mask(attributes)?;
        let parts: Vec<_> = self.values.iter().filter(|(part, _)| part & !mask == 0).collect();
        if parts.len() != 1 << mask.count_ones() {
            return Err(DpError::Declaration("a marginal that was asked for"));
        }
        let mut marginal = vec![0.0; self.attributes.marginal_size(attributes)];
        for cell in self.attributes.cells().into_iter().filter(|cell| cell & !mask == 0) {
            let sum: i128 = parts.iter().map(|(part, value)| i128::from(sign(*part, cell)) * value).sum();
            marginal[self.attributes.place(cell, attributes)] = sum as f64 / parts.len() as f64;
        }
        Ok(marginal)
    }

    /// The table of whole numbers, none of them negative, that comes closest.
    pub fn consistent_table(&self) -> Result<ConsistentTable, DpError> {
        let cells = self.attributes.cells();
        let mut unknowns = variables!();
        let worst = unknowns.add(variable().min(0.0));
        let counts: Vec<_> = cells.iter().map(|_| unknowns.add(variable().min(0.0))).collect();
        let mut model = unknowns.minimise(worst).using(microlp);
        for &(mask, value) in &self.values {
            let mut sum = Expression::with_capacity(cells.len() + 1);
            cells.iter().zip(&counts).for_each(|(&cell, &count)| sum.add_mul(sign(mask, cell) as f64, count));
            model.add_constraint(constraint!(sum.clone() - worst <= value as f64));
            model.add_constraint(constraint!(sum + worst >= value as f64));
        }
        let solution = model.solve().map_err(|_| DpError::NoTable)?;
        let real: Vec<f64> = counts.iter().map(|&count| solution.value(count).max(0.0)).collect();
        if real.iter().any(|count| !count.is_finite()) {
            return Err(DpError::NoTable);
        }
        Ok(ConsistentTable { attributes: self.attributes.clone(), counts: rounded(&real), cells })
    }
}

/// Whole numbers with the total to the nearest whole number: rounded down, and the largest fractions up.
fn rounded(real: &[f64]) -> Vec<u64> {
    let mut whole: Vec<u64> = real.iter().map(|count| count.floor() as u64).collect();
    let missing = real.iter().map(|count| count.fract()).sum::<f64>().round() as usize;
    let mut order: Vec<usize> = (0..real.len()).collect();
    order.sort_by(|&a, &b| real[b].fract().total_cmp(&real[a].fract()).then(a.cmp(&b)));
    order.iter().take(missing).for_each(|&cell| whole[cell] += 1);
    whole
}

/// A table of whole, non-negative counts made from noisy coefficients.
#[derive(Debug, Clone)]
pub struct ConsistentTable {
    attributes: Attributes,
    cells: Vec<u32>,
    counts: Vec<u64>,
}

impl ConsistentTable {
    /// The sum of all cells.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The marginal on some attributes, the last of them varying fastest. Any set is consistent with any other, but only
    /// those asked for are close to the data.
    pub fn marginal(&self, attributes: &[usize]) -> Result<Vec<u64>, DpError> {
        self.attributes.mask(attributes)?;
        let mut marginal = vec![0; self.attributes.marginal_size(attributes)];
        for (&cell, &count) in self.cells.iter().zip(&self.counts) {
            marginal[self.attributes.place(cell, attributes)] += count;
        }
        Ok(marginal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu::rational::RBig;

    fn people(neighbours: Neighbours) -> People {
        People::one_record_each(neighbours)
    }

    fn pure(text: &str) -> Privacy {
        Privacy::Pure(text.parse().unwrap())
    }

    /// survey ME-30 [X]: noise 2|A|/epsilon on coefficients that are 2^(d/2) times the survey's; closure of {0,1}, {1,2}.
    #[test]
    fn closure_and_noise() {
        let marginals =
            FourierMarginals::new(people(Neighbours::ReplaceOne), &[2, 2, 2], &[&[0, 1], &[1, 2]]).unwrap();
        // {}, {0}, {1}, {2}, {0,1}, {1,2}
        assert_eq!(marginals.coefficients(), 6);
        assert_eq!(marginals.noise(&pure("0.5")).unwrap().scale(), &RBig::from(24));
    }

    /// Every coefficient moves by at most 1 when a record comes, and by at most 2 when one is replaced: brute force.
    #[test]
    fn sensitivity_by_brute_force() {
        for from in 0..8usize {
            let mut one = vec![0i64; 8];
            one[from] = 1;
            transform(&mut one);
            assert!(one.iter().all(|f| f.abs() == 1));
            for mask in 0..8u32 {
                assert_eq!(one[mask as usize], sign(mask, from as u32));
            }
        }
    }

    fn columns() -> Vec<Vec<u32>> {
        // 60 records over sizes 2, 3, 2 and three with codes that were not declared.
        let mut columns = vec![Vec::new(); 3];
        for i in 0..60u32 {
            [i % 2, i * 7 % 3, (i / 5) % 2]
                .into_iter()
                .enumerate()
                .for_each(|(a, code)| columns[a].push(code));
        }
        [[2, 0, 0], [0, 3, 0], [0, 0, 9]].iter().for_each(|r| (0..3).for_each(|a| columns[a].push(r[a])));
        columns
    }

    fn exact(columns: &[Vec<u32>], a: usize, b: usize, size: u32) -> Vec<u64> {
        let mut counts = vec![0; 6];
        (0..60).for_each(|row| counts[(columns[a][row] * size + columns[b][row]) as usize] += 1);
        counts
    }

    #[test]
    fn without_noise_the_marginals_come_back() {
        let columns = columns();
        let slices: Vec<&[u32]> = columns.iter().map(|c| &c[..]).collect();
        let marginals =
            FourierMarginals::new(people(Neighbours::AddRemove), &[2, 3, 2], &[&[0, 1], &[2, 1]]).unwrap();
        // Sensitivity below 20 and epsilon 1000: a draw other than 0 has probability below 2e^−50 each.
        let noisy = marginals.release(&slices, &marginals.noise(&pure("1000")).unwrap()).unwrap();
        let table = noisy.consistent_table().unwrap();
        assert_eq!(table.marginal(&[0, 1]).unwrap(), exact(&columns, 0, 1, 3));
        assert_eq!(table.marginal(&[1, 2]).unwrap(), exact(&columns, 1, 2, 2));
        let real: Vec<u64> = noisy.marginal(&[0, 1]).unwrap().iter().map(|x| x.round() as u64).collect();
        assert_eq!(real, exact(&columns, 0, 1, 3));
        assert_eq!(table.total(), 60);
        assert!(noisy.marginal(&[0, 2]).is_err());
    }

    #[test]
    fn with_noise_they_agree_and_are_not_negative() {
        let columns = columns();
        let slices: Vec<&[u32]> = columns.iter().map(|c| &c[..]).collect();
        let marginals =
            FourierMarginals::new(people(Neighbours::ReplaceOne), &[2, 3, 2], &[&[0, 1], &[1, 2]]).unwrap();
        for _ in 0..5 {
            let noisy = marginals.release(&slices, &marginals.noise(&pure("0.5")).unwrap()).unwrap();
            let table = noisy.consistent_table().unwrap();
            let (ab, bc) = (table.marginal(&[0, 1]).unwrap(), table.marginal(&[1, 2]).unwrap());
            for b in 0..3 {
                assert_eq!(ab[b] + ab[3 + b], bc[2 * b] + bc[2 * b + 1]);
            }
            assert_eq!(ab.iter().sum::<u64>(), table.total());
        }
    }

    #[test]
    fn edges() {
        let all = people(Neighbours::AddRemove);
        assert!(FourierMarginals::new(all, &[2; 13], &[]).is_err());
        assert!(FourierMarginals::new(all, &[0], &[]).is_err());
        assert!(FourierMarginals::new(all, &[2], &[&[1]]).is_err());
        assert!(FourierMarginals::new(all, &[2; 10], &[&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]).is_err());
        let none = FourierMarginals::new(all, &[], &[]).unwrap();
        let noise = none.noise(&pure("1000")).unwrap();
        let table = none.release(&[], &noise).unwrap().consistent_table().unwrap();
        assert_eq!(table.marginal(&[]).unwrap(), [0]);
        let constant = FourierMarginals::new(all, &[1, 2], &[&[0, 1]]).unwrap();
        assert!(constant.release(&[&[], &[]], &noise).is_err(), "noise for fewer coefficients");
        let noise = constant.noise(&pure("1000")).unwrap();
        assert!(constant.release(&[&[0]], &noise).is_err());
        let empty = constant.release(&[&[], &[]], &noise).unwrap().consistent_table().unwrap();
        assert!(empty.marginal(&[0, 1]).unwrap().len() == 2 && empty.total() < 20);
        assert_eq!(rounded(&[0.5, 0.25, 0.25, 2.0]), [1, 0, 0, 2]);
    }
}
