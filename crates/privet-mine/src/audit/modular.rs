//! The row space of answered sums modulo the prime 2³¹ − 1, for many people.
//!
//! # Why this is exact where it must be
//! Every answered question is independent of the earlier ones modulo p, or was *proven* to follow from them over the rationals. So the
//! rank modulo p is the rank over the rationals, and some minor of full rank is no multiple of p. Then the reduced echelon form over
//! the rationals has no denominator that p divides, and reducing it modulo p gives the echelon form kept here. A unit vector that lies in
//! the rational row space therefore lies in this one: what would determine somebody is always seen. What p cannot tell apart is
//! denied, which is safe, and depends on the questions only. Adding a question that is independent modulo p keeps this so.
//!
//! # How it is fast
//! A unit vector e_i lies in a row space exactly when every null vector is zero at i. Two random null vectors are kept; a new question changes
//! each of them by a multiple of one basis vector of the null space, in as many steps as there are people. A place where
//! both become zero is denied: always for a determined person, and otherwise with probability below 10⁻¹⁴. Only an answered
//! question costs an elimination.
//!
//! Growth: people per decision; answered sums × the other people per answer.

mod state;

use privet_data::Random;
use rayon::prelude::*;

use super::exact::Effect;

/// The Mersenne prime 2³¹ − 1.
const P: u32 = (1 << 31) - 1;

/// Answered sums up to which proofs that a question follows are kept.
const PROVEN: usize = 4096;

/// Answered sums whose elimination is put off and then done together, in one pass over all rows. The pass is spread over the answers
/// that follow, so that no single one waits for all of it.
const BLOCK: usize = 24;

/// A row that marks a column without pivot.
const NONE: u32 = u32::MAX;

pub(super) struct Modular {
    people: usize,
    /// Per column its row, if it is a pivot, or its position among the free columns.
    row_of: Vec<u32>,
    position: Vec<u32>,
    /// Columns without pivot when rows were last brought up to date; pivots of what is put off are still among them.
    free: Vec<u32>,
    /// Per row its pivot and its values in these columns, from which what was put off is yet to be taken.
    pivots: Vec<u32>,
    rows: Vec<Vec<u32>>,
    put_off: Vec<PutOff>,
    /// What was put off before, and is being done.
    under_way: UnderWay,
    /// Random null vectors.
    nulls: [Vec<u32>; 2],
    steps: Vec<Step>,
    queries: Vec<Vec<u32>>,
}

/// An elimination that was put off: its column, how much of it each earlier row loses, and its values.
struct PutOff {
    at: usize,
    factors: Vec<u32>,
    values: Vec<u32>,
}

/// Eliminations that are done row by row.
#[derive(Default)]
struct UnderWay {
    block: Vec<PutOff>,
    /// Rows that have them.
    done: usize,
    /// Rows that were there when they were begun; later ones came with them.
    rows: usize,
}

/// How a row came about: what a question was divided by, and how much of it the earlier rows lost.
struct Step {
    inverse: u32,
    factors: Vec<u32>,
}

/// What deciding found out about a question that is independent.
pub(super) struct Independent {
    /// The position of a free column in which the rest of the question is not zero.
    at: usize,
    /// The null vectors as they would become.
    nulls: [Vec<u32>; 2],
}

pub(super) struct Found {
    pub effect: Effect,
    pub independent: Option<Independent>,
}

impl Modular {
    pub fn new(people: usize, seed: u64) -> Self {
        let mut generator = Random::new(seed);
        let mut random = || (0..people).map(|_| generator.below(P as usize - 1) as u32 + 1).collect();
        let nulls = [random(), random()];
        Self {
            people,
            row_of: vec![NONE; people],
            position: (0..people as u32).collect(),
            free: (0..people as u32).collect(),
            pivots: Vec::new(),
            rows: Vec::new(),
            put_off: Vec::new(),
            under_way: UnderWay::default(),
            nulls,
            steps: Vec::new(),
            queries: Vec::new(),
        }
    }

    /// What a question would do to the row space.
    pub fn effect(&self, query: &[u32]) -> Found {
        let Some((at, rest)) = self.witness(query) else {
            let effect = if self.is_proven(query) { Effect::Follows } else { Effect::Unproven };
            return Found { effect, independent: None };
        };
        let inverse = inverse(rest);
        let column_values: Vec<u32> = (0..self.rows.len()).map(|row| self.entry(row, at)).collect();
        let changed = |null: &Vec<u32>| {
            let sum = query.iter().map(|&person| u64::from(null[person as usize])).sum::<u64>();
            // z − (q·z / q·b) b, for the basis vector b = e_j − Σ M[m][j] e_pivot(m) of the free column j.
            let factor = multiplied((sum % u64::from(P)) as u32, inverse);
            let mut own = null.clone();
            let column = self.free[at] as usize;
            own[column] = subtracted(own[column], factor);
            for (&entry, &pivot) in column_values.iter().zip(&self.pivots) {
                let pivot = pivot as usize;
                own[pivot] = added(own[pivot], multiplied(factor, entry));
            }
            own
        };
        let nulls = [changed(&self.nulls[0]), changed(&self.nulls[1])];
        let is_zero = nulls[0].iter().zip(&nulls[1]).any(|(&a, &b)| a == 0 && b == 0);
        let effect = if is_zero { Effect::Determines } else { Effect::Extends };
        Found { effect, independent: Some(Independent { at, nulls }) }
    }

    /// What is yet to be taken from a row.
    fn missing(&self, row: usize) -> impl Iterator<Item = &PutOff> {
        let before = if row < self.under_way.done { &[][..] } else { &self.under_way.block[..] };
        before.iter().chain(&self.put_off)
    }

    /// A value of a row as it would be with nothing put off.
    fn entry(&self, row: usize, at: usize) -> u32 {
        let mut own = self.rows[row][at];
        for later in self.missing(row) {
            if let Some(&factor) = later.factors.get(row) {
                own = subtracted(own, multiplied(factor, later.values[at]));
            }
        }
        own
    }

    /// Adds an answered question that is independent.
    pub fn add(&mut self, query: &[u32], found: Independent) {
        let mut rest = self.reduced(query);
        let at = found.at;
        let scale = inverse(rest[at]);
        rest.iter_mut().for_each(|own| *own = multiplied(*own, scale));
        rest[at] = 0;
        let factors: Vec<u32> = (0..self.rows.len()).map(|row| self.entry(row, at)).collect();
        let column = self.free[at];
        self.row_of[column as usize] = self.rows.len() as u32;
        self.pivots.push(column);
        self.rows.push(rest.clone());
        self.nulls = found.nulls;
        if self.steps.len() < PROVEN {
            self.steps.push(Step { inverse: scale, factors: factors.clone() });
            self.queries.push(query.to_vec());
        }
        self.put_off.push(PutOff { at, factors, values: rest });
        self.catch_up(self.under_way.rows.div_ceil(BLOCK - 1));
        if self.put_off.len() == BLOCK {
            // Done already: the pace is that of the block.
            self.catch_up(self.under_way.rows);
            self.under_way =
                UnderWay { block: std::mem::take(&mut self.put_off), done: 0, rows: self.rows.len() };
        }
    }

    /// Does what was put off for so many more rows; after the last one takes the columns away that have become pivots.
    fn catch_up(&mut self, rows: usize) {
        let UnderWay { block, done, rows: all } = &mut self.under_way;
        if block.is_empty() {
            return;
        }
        let (first, end) = (*done, (*done + rows).min(*all));
        let put_off = &*block;
        self.rows[first..end].par_iter_mut().enumerate().for_each(|(place, values)| {
            let row = first + place;
            let lost: Vec<(u64, &[u32])> = put_off
                .iter()
                .filter_map(|own| Some((*own.factors.get(row)?, &own.values[..])))
                .filter(|&(factor, _)| factor != 0)
                .map(|(factor, values)| (u64::from(P - factor), values))
                .collect();
            // Three products of 62 bits and a number fit into 64 bits.
            let mut triples = lost.chunks_exact(3);
            for triple in &mut triples {
                let [(a, x), (b, y), (c, z)] = [triple[0], triple[1], triple[2]];
                let others = x.iter().zip(y).zip(z);
                for (own, ((&x, &y), &z)) in values.iter_mut().zip(others) {
                    let sum = u64::from(*own) + a * u64::from(x) + b * u64::from(y) + c * u64::from(z);
                    *own = folded((sum & u64::from(P)) + (sum >> 31));
                }
            }
            for &(factor, new) in triples.remainder() {
                for (own, &new) in values.iter_mut().zip(new) {
                    *own = folded(u64::from(*own) + factor * u64::from(new));
                }
            }
        });
        *done = end;
        if end == *all {
            self.take_away();
        }
    }

    /// Takes the columns away that became pivots with what was done.
    fn take_away(&mut self) {
        let mut gone: Vec<usize> =
            std::mem::take(&mut self.under_way).block.into_iter().map(|own| own.at).collect();
        gone.sort_unstable_by(|a, b| b.cmp(a));
        self.rows.par_iter_mut().for_each(|values| {
            for &at in &gone {
                values.swap_remove(at);
            }
        });
        for &at in &gone {
            let last = self.free.len() - 1;
            for later in &mut self.put_off {
                later.values.swap_remove(at);
                later.at = if later.at == last { at } else { later.at };
            }
            self.free.swap_remove(at);
            if let Some(&moved) = self.free.get(at) {
                self.position[moved as usize] = at as u32;
            }
        }
    }

    /// A free column in which what is left of the question is not zero, and its value.
    fn witness(&self, query: &[u32]) -> Option<(usize, u32)> {
        let pivots: Vec<u32> =
            query.iter().map(|&person| self.row_of[person as usize]).filter(|&row| row != NONE).collect();
        let value = |at: usize, own: bool| {
            let sum: u64 = pivots.iter().map(|&row| u64::from(self.entry(row as usize, at))).sum();
            subtracted(u32::from(own), (sum % u64::from(P)) as u32)
        };
        // A few columns of people who are asked about, which rarely vanish, before the whole.
        let asked = query.iter().filter(|&&person| self.row_of[person as usize] == NONE).take(4);
        for &person in asked {
            let at = self.position[person as usize] as usize;
            let value = value(at, true);
            if value != 0 {
                return Some((at, value));
            }
        }
        let rest = self.reduced(query);
        rest.iter().position(|&own| own != 0).map(|at| (at, rest[at]))
    }

    /// What is left of a question in the free columns.
    fn reduced(&self, query: &[u32]) -> Vec<u32> {
        let pivots: Vec<usize> = query
            .iter()
            .map(|&person| self.row_of[person as usize])
            .filter(|&row| row != NONE)
            .map(|row| row as usize)
            .collect();
        let sum = |rows: &[usize]| {
            let mut sums = vec![0u64; self.free.len()];
            for &row in rows {
                sums.iter_mut().zip(&self.rows[row]).for_each(|(sum, &own)| *sum += u64::from(own));
            }
            sums
        };
        let sums = match pivots.len() * self.free.len() > 1 << 16 {
            false => sum(&pivots),
            true => pivots.par_chunks(pivots.len().div_ceil(rayon::current_num_threads())).map(sum).reduce(
                || vec![0; self.free.len()],
                |mut a, b| {
                    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
                    a
                },
            ),
        };
        let mut rest: Vec<u32> =
            sums.into_iter().map(|sum| subtracted(0, (sum % u64::from(P)) as u32)).collect();
        let before = self.under_way.block.iter().map(|own| (own, self.under_way.done));
        for (later, first) in before.chain(self.put_off.iter().map(|own| (own, 0))) {
            let rows = pivots.iter().filter(|&&row| row >= first);
            let lost = rows.filter_map(|&row| later.factors.get(row)).map(|&own| u64::from(own));
            let factor = lost.sum::<u64>() % u64::from(P);
            if factor != 0 {
                for (own, &value) in rest.iter_mut().zip(&later.values) {
                    *own = folded(u64::from(*own) + factor * u64::from(value));
                }
            }
        }
        for &person in query.iter().filter(|&&person| self.row_of[person as usize] == NONE) {
            let own = &mut rest[self.position[person as usize] as usize];
            *own = added(*own, 1);
        }
        for later in self.under_way.block.iter().chain(&self.put_off) {
            rest[later.at] = 0;
        }
        rest
    }

    /// Whether the question is proven to be a rational combination of answered ones: the combination modulo p, its coefficients as small fractions, and
    /// the sum multiplied out over the integers.
    fn is_proven(&self, query: &[u32]) -> bool {
        if self.steps.len() < self.rows.len() {
            return false;
        }
        let Some((coefficients, common)) = self.combination(query).and_then(|own| fractions(&own)) else {
            return false;
        };
        let mut sums = vec![0i128; self.people];
        for (coefficient, asked) in coefficients.iter().zip(&self.queries).filter(|(own, _)| **own != 0) {
            asked.iter().for_each(|&person| sums[person as usize] += coefficient);
        }
        query.iter().for_each(|&person| sums[person as usize] -= common);
        sums.iter().all(|&sum| sum == 0)
    }

    /// The coefficients of the answered questions modulo p, from the last row back to the first.
    fn combination(&self, query: &[u32]) -> Option<Vec<u32>> {
        let mut of_row = vec![0u32; self.rows.len()];
        for &person in query {
            let row = self.row_of[person as usize];
            if row != NONE {
                of_row[row as usize] = 1;
            }
        }
        let mut coefficients = vec![0u32; self.rows.len()];
        for at in (0..self.rows.len()).rev() {
            let step = &self.steps[at];
            // Every term is below 2³², and there are at most as many as proofs are kept of.
            let folded_once = |(&own, &factor): (&u32, &u32)| {
                let product = u64::from(own) * u64::from(factor);
                (product & u64::from(P)) + (product >> 31)
            };
            let lost: u64 = of_row[..at].iter().zip(&step.factors).map(folded_once).sum();
            let sum = subtracted(of_row[at], (lost % u64::from(P)) as u32);
            let coefficient = multiplied(sum, step.inverse);
            coefficients[at] = coefficient;
            if coefficient == 0 {
                continue;
            }
            for &person in &self.queries[at] {
                let row = self.row_of[person as usize] as usize;
                if row < at {
                    of_row[row] = subtracted(of_row[row], coefficient);
                }
            }
        }
        Some(coefficients)
    }
}

/// Fractions as whole numbers over one denominator.
fn fractions(own: &[u32]) -> Option<(Vec<i128>, i128)> {
    let pairs: Option<Vec<(i64, i64)>> = own.iter().map(|&value| fraction(value)).collect();
    let pairs = pairs?;
    let mut common: i64 = 1;
    for &(_, denominator) in &pairs {
        common = common.checked_mul(denominator / divisor(common, denominator))?;
    }
    let common = i128::from(common);
    let whole = pairs.into_iter().map(|(a, b)| i128::from(a) * (common / i128::from(b))).collect();
    Some((whole, common))
}

fn divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// The fraction a/b with |a|, b below √(p/2) that is this number modulo p (Wang's rational reconstruction).
fn fraction(value: u32) -> Option<(i64, i64)> {
    let most = 32_767;
    let (mut old, mut new) = (i64::from(P), i64::from(value));
    let (mut before, mut after) = (0i64, 1i64);
    while new > most {
        let quotient = old / new;
        (old, new) = (new, old - quotient * new);
        (before, after) = (after, before - quotient * after);
    }
    let fits = after != 0 && after.abs() <= most;
    fits.then(|| if after < 0 { (-new, -after) } else { (new, after) })
}

/// A number below p · 2³¹ + 1 modulo p, without division.
fn folded(value: u64) -> u32 {
    let once = (value & u64::from(P)) as u32 + (value >> 31) as u32;
    once.min(once.wrapping_sub(P))
}

fn multiplied(a: u32, b: u32) -> u32 {
    folded(u64::from(a) * u64::from(b))
}

fn added(a: u32, b: u32) -> u32 {
    folded(u64::from(a) + u64::from(b))
}

fn subtracted(a: u32, b: u32) -> u32 {
    folded(u64::from(a) + u64::from(P - b))
}

/// The inverse by Fermat's theorem.
fn inverse(value: u32) -> u32 {
    let (mut power, mut base, mut exponent) = (1, value, P - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = multiplied(power, base);
        }
        base = multiplied(base, base);
        exponent >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::exact::Rational;
    use super::*;

    /// Long enough that eliminations are put off and caught up with several times: decisions are those over the rationals.
    #[test]
    fn decisions_are_those_over_the_rationals() {
        let people = 70;
        for size in [3, 12] {
            let mut random = Random::new(5);
            let (mut modular, mut exact) = (Modular::new(people, 1), Rational::new(people));
            let (mut denied, mut follow) = (0, 0);
            for _ in 0..110 {
                let mut query: Vec<u32> = (0..size).map(|_| random.below(people) as u32).collect();
                query.sort_unstable();
                query.dedup();
                let found = modular.effect(&query);
                assert_eq!(found.effect, exact.effect(&query));
                match (found.effect, found.independent) {
                    (Effect::Extends, Some(independent)) => {
                        modular.add(&query, independent);
                        exact.add(&query);
                    }
                    (Effect::Follows, _) => follow += 1,
                    _ => denied += 1,
                }
            }
            assert!(modular.rows.len() > 2 * BLOCK && denied + follow > 0);
        }
    }

    proptest! {
        #[test]
        fn arithmetic_is_modular(a in 0..P, b in 0..P) {
            let p = u64::from(P);
            prop_assert_eq!(u64::from(multiplied(a, b)), u64::from(a) * u64::from(b) % p);
            prop_assert_eq!(u64::from(added(a, b)), (u64::from(a) + u64::from(b)) % p);
            prop_assert_eq!(u64::from(subtracted(a, b)), (u64::from(a) + p - u64::from(b)) % p);
            let most = u64::from(P) + u64::from(P) * u64::from(P);
            prop_assert_eq!(u64::from(folded(most)), most % p);
            if a > 0 {
                prop_assert_eq!(multiplied(a, inverse(a)), 1);
            }
        }

        #[test]
        fn small_fractions_are_found(a in -200i64..200, b in 1i64..200) {
            let p = i64::from(P);
            let value = multiplied(a.rem_euclid(p) as u32, inverse(b as u32));
            let (top, bottom) = fraction(value).unwrap();
            prop_assert_eq!(top * b, a * bottom);
        }
    }
}
