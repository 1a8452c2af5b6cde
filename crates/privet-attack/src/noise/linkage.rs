//! Finding the people behind noisy records (survey AT-17; Spruill 1983, Paass 1988).
//!
//! The adversary has a file of people with the original values and takes for each published record the nearest person.
//! Distance is counted in the noise: d² = (y − x)ᵀ Σ_v⁻¹ (y − x), which for normal noise puts the likeliest person
//! first. Against noise that is correlated as the data are the same distance works, with Σ_v = d·Σ_x known from the
//! published factor.
//!
//! # Guarantee
//! Where all noise is normal, the person who is taken is exactly the one that comparing with everybody gives, the first in
//! the file among equals. Of even noise, noise that is multiplied, and categories that became others by a known law the
//! density itself is used (`densities.rs`), so it is the likeliest person. `confidence` is the probability that the link is right, given that the person is in the file
//! and anybody there is as likely beforehand: everybody is weighed, and it is too small by a millionth at most, never too
//! large. A link that is too far for the noise (once in 10,000 or less) has confidence 0: the adversary sees that the person
//! is not in the file.
//!
//! With much noise everybody has to be looked at for each record. Of many records then some are judged, drawn at random, each
//! against everybody; rates are of these, and their intervals say what that leaves open.
//!
//! Departure: columns without noise would outweigh everything. They count as if their noise had a millionth of the
//! deviation of the column.

use nalgebra::DMatrix;
use privet_data::Random;
use privet_perturb::{Law, covariance};
use rayon::prelude::*;
use serde::Serialize;

use super::categories::PerturbedCategories;
use super::densities::Densities;
use super::nearest::{Neighbours, Tree};
use super::records::{NoiseAttackError, NoiseShape, Records, check_length};
use super::spectral::eigen;
use crate::rate::Rate;

/// The person that is taken to be behind a record.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Link {
    /// The person, by place in the adversary's file.
    pub person: u32,
    /// The distance, in deviations of the noise.
    pub distance: f64,
    /// How sure the adversary is.
    pub confidence: f64,
}

/// Links between published records and a file of people.
pub struct Linkage {
    /// `None` where nothing tells anybody apart.
    tree: Option<Tree>,
    /// The published records, in deviations of the noise.
    queries: Vec<f64>,
    /// Of each that is judged the nearest, where all noise is normal.
    nearest: Vec<Neighbours>,
    /// Per person the place in the tree.
    place_of: Vec<u32>,
    densities: Densities,
    /// The records that are judged.
    judged: Vec<u32>,
    /// A squared distance that the noise goes beyond once in 10,000.
    most: f64,
    people: usize,
    records: usize,
}

/// Records times people that are judged, where the nearest are the likeliest and most people need not be looked at, and where
/// all may have to be; but at least so many records.
const PAIRS: (usize, usize) = (20_000_000_000, 1_000_000_000);
const LEAST_JUDGED: usize = 1_000;
/// Of these the part that is judged in a few seconds, and at least so many records.
const QUICK: (f64, usize) = (0.02, 100);

/// All who were left out because they are too far weigh at most this much beside the likeliest.
const LEFT_OUT: f64 = 1e-6;

/// Below 1 in this many nobody asks how unsure the adversary is.
const UNSURE: f64 = 1000.0;

/// The likeliest person so far, and how much all weigh beside.
#[derive(Clone, Copy)]
struct Likeliest {
    /// The logarithm of its density.
    logarithm: f64,
    /// The person, and their place in the tree.
    who: (u32, u32),
    /// Its squared distance.
    far: f64,
    /// The sum of all densities, that of the likeliest being 1.
    sum: f64,
}

impl Default for Likeliest {
    fn default() -> Self {
        Self { logarithm: f64::NEG_INFINITY, who: (u32::MAX, u32::MAX), far: f64::INFINITY, sum: 0.0 }
    }
}

impl Likeliest {
    /// Whether it weighs anything: beyond this nothing is added to a sum of at least 1, whoever comes.
    fn may_add(&self, logarithm: f64) -> bool {
        logarithm >= self.logarithm - 60.0 && logarithm > f64::NEG_INFINITY
    }

    fn add(&mut self, logarithm: f64, who: (u32, u32), far: f64) {
        if !self.may_add(logarithm) {
            return;
        }
        // Among equals the nearer one, and then the first.
        let is_first = logarithm == self.logarithm && (far, who.0) < (self.far, self.who.0);
        if logarithm > self.logarithm || is_first {
            self.sum *= (self.logarithm - logarithm).exp();
            *self = Self { logarithm, who, far, ..*self };
        }
        self.sum += (logarithm - self.logarithm).exp();
    }
}

/// How well links hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LinkageScore {
    /// Records whose likeliest person is the right one, of those that were judged.
    pub right: Rate,
    /// What choosing people at random would give.
    pub chance: f64,
    /// Records of which the adversary is at least this sure.
    pub confidence: f64,
    /// Those records.
    pub exposed: Rate,
    /// Of those, the ones with the right person.
    pub right_when_sure: Rate,
    /// The same, of all records: the people who are found.
    pub found: Rate,
    /// Records that would look like a sure link if their person were not in the file: each is wrong.
    pub control: Rate,
}

/// Links each published record to the likeliest person. `laws` tells of each column its noise, whose variances `noise`
/// has, and to which step it is rounded, 0 for none; where it is shorter or empty the noise is normal. `categories` are
/// columns beside them, of the same records and people. `seed` draws the records that are judged where there are many.
///
/// # Errors
/// When there is nobody in the file, the columns differ, or the shape of the noise does not fit them. For noise that
/// is proportional to the covariance, two published records are needed.
pub fn link(
    published: Records<'_>,
    people: Records<'_>,
    noise: &NoiseShape,
    laws: &[(Law, f64)],
    categories: &[PerturbedCategories],
    seed: u64,
) -> Result<Linkage, NoiseAttackError> {
    let pairs = published.len() as f64 * people.len() as f64;
    let work = Work { pairs, records: published.len(), quick: false };
    link_part(published, people, noise, laws, categories, seed, work)
}

/// How much there is to judge: records and people of one part are all that can belong together, and of each part the same
/// share of the records is judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    /// Records times people, of all parts.
    pub pairs: f64,
    /// The records of all parts.
    pub records: usize,
    /// Whether there are only a few seconds.
    pub quick: bool,
}

/// The same for one part of the records and the people that alone can be behind them.
pub(super) fn link_part(
    published: Records<'_>,
    people: Records<'_>,
    noise: &NoiseShape,
    laws: &[(Law, f64)],
    categories: &[PerturbedCategories],
    seed: u64,
    work: Work,
) -> Result<Linkage, NoiseAttackError> {
    check_length("columns in the file of people", people.width(), published.width())?;
    if people.is_empty() {
        return Err(NoiseAttackError::Length { what: "people", found: 0, expected: 1 });
    }
    for (what, found) in [("the number of people", people.len()), ("the number of records", published.len())]
    {
        if found >= u32::MAX as usize {
            let most = u32::MAX as usize - 1;
            return Err(NoiseAttackError::TooLarge { what, found, most });
        }
    }
    let mut map = turned(whitening(published, people, noise)?, people)?;
    // Where only categories tell people apart, all of them stand at one place.
    if map.nrows() == 0 && !categories.is_empty() {
        map = DMatrix::zeros(1, published.width());
    }
    let mut laws = laws.to_vec();
    laws.resize(published.width(), (Law::Keep, 0.0));
    let variances: Vec<f64> = match noise {
        NoiseShape::Independent(variances) => variances.clone(),
        NoiseShape::Proportional(_) => vec![0.0; published.width()],
        NoiseShape::Mixed { own, .. } => own.iter().map(|own| own.unwrap_or(0.0)).collect(),
        NoiseShape::Known(covariance) => covariance.diagonal().iter().copied().collect(),
    };
    let densities = Densities::new(&laws, &variances, published, people, categories)?;
    let means = people.means();
    let width = map.nrows();
    let mut links = Linkage {
        tree: None,
        queries: Vec::new(),
        nearest: Vec::new(),
        place_of: Vec::new(),
        judged: judged(published.len(), work, densities.is_empty(), seed),
        densities,
        most: 0.0,
        people: people.len(),
        records: published.len(),
    };
    if width > 0 {
        let tree = Tree::new(&mapped(people, &map, &means)?, width);
        links.queries = mapped(published, &map, &means)?;
        // Where densities are needed everybody is looked at anyhow.
        if links.densities.is_empty() {
            let queries: Vec<f64> =
                links.judged.iter().flat_map(|&own| record(&links.queries, width, own)).copied().collect();
            links.nearest = tree.nearest(&queries);
        }
        links.place_of = vec![0; people.len()];
        for (&person, place) in tree.numbers().iter().zip(0..) {
            if let Some(own) = links.place_of.get_mut(person as usize) {
                *own = place;
            }
        }
        links.densities.order(tree.numbers());
        (links.tree, links.most) = (Some(tree), far(width));
    }
    Ok(links)
}

/// One of the records.
fn record(queries: &[f64], width: usize, number: u32) -> &[f64] {
    let from = number as usize * width;
    queries.get(from..from + width).unwrap_or(&[])
}

/// The records that are judged, ascending: all, or as many as time allows.
fn judged(records: usize, work: Work, by_distance: bool, seed: u64) -> Vec<u32> {
    let (part, least) = if work.quick { QUICK } else { (1.0, LEAST_JUDGED) };
    let pairs = part * if by_distance { PAIRS.0 } else { PAIRS.1 } as f64;
    let share = (pairs / work.pairs.max(1.0)).max(least as f64 / work.records.max(1) as f64);
    if share >= 1.0 {
        return (0..records as u32).collect();
    }
    let count = ((records as f64 * share).round() as usize).clamp(1, records.max(1));
    let mut drawn: Vec<u32> = (0..records as u32).collect();
    Random::stream(seed, 17).shuffle(&mut drawn);
    drawn.truncate(count);
    drawn.sort_unstable();
    drawn
}

impl Linkage {
    /// For each record that is judged the likeliest person.
    pub fn links(&self) -> Vec<Link> {
        (0..self.judged.len()).into_par_iter().map(|at| self.of(at, u32::MAX).0).collect()
    }

    /// The records that are judged: all, or as many as time allows.
    pub fn judged(&self) -> &[u32] {
        &self.judged
    }

    /// The likeliest of all people, and of all but one, behind a record by its place among those that are judged.
    fn of(&self, at: usize, without: u32) -> (Link, Link) {
        let nobody = Link { person: u32::MAX, distance: f64::INFINITY, confidence: 0.0 };
        let Some((tree, width)) = self.tree.as_ref().map(|tree| (tree, tree.width())) else {
            // Nothing tells anybody apart: the first is as near as any.
            let first = |person: u32, left: usize| match left {
                0 => nobody,
                _ => Link { person, distance: 0.0, confidence: 1.0 / left as f64 },
            };
            let left = self.people - usize::from((without as usize) < self.people);
            return (first(0, self.people), first(u32::from(without == 0), left));
        };
        let Some(&own) = self.judged.get(at) else { return (nobody, nobody) };
        let query = record(&self.queries, width, own);
        let link = match self.nearest.get(at) {
            Some(near) => {
                let of = |without| self.by_distance(near, tree, query, without);
                [of(None), of(Some(without))]
            }
            None => self.by_density(own as usize, tree, query, without),
        };
        let [all, others] = link.map(|own| own.unwrap_or(nobody));
        (all, others)
    }

    /// Where all noise is normal the nearest is the likeliest.
    fn by_distance(
        &self,
        near: &Neighbours,
        tree: &Tree,
        query: &[f64],
        without: Option<u32>,
    ) -> Option<Link> {
        let mut near = near.iter().filter(|own| Some(own.1) != without);
        let &(first, person) = near.next()?;
        let mut link = Link { person, distance: first.sqrt(), confidence: 0.0 };
        if first > self.most {
            return Some(link);
        }
        let mut weight = 0.0;
        let without = without.and_then(|person| self.place_of.get(person as usize)).copied();
        let left_out = tree.within(query, first + self.reach(), &mut |(far, place)| {
            if Some(place) != without {
                weight += ((first - far) / 2.0).exp();
            }
            weight <= UNSURE
        });
        link.confidence = 1.0 / (f64::max(weight, 1.0) + if left_out { LEFT_OUT } else { 0.0 });
        Some(link)
    }

    /// The likeliest by the density, and its share of all: of all people, and of all but one.
    fn by_density(&self, record: usize, tree: &Tree, query: &[f64], without: u32) -> [Option<Link>; 2] {
        let mut likeliest = [Likeliest::default(); 2];
        let [all, others] = &mut likeliest;
        let reach = self.most + self.densities.slack() + self.reach();
        let without = self.place_of.get(without as usize).copied().unwrap_or(u32::MAX);
        let left_out = tree.within(query, reach, &mut |(far, place)| {
            let own = self.densities.instead(record, place) - far / 2.0;
            if all.may_add(own) || others.may_add(own) {
                let Some(&person) = tree.numbers().get(place as usize) else { return true };
                all.add(own, (person, place), far);
                if place != without {
                    others.add(own, (person, place), far);
                }
            }
            true
        });
        likeliest.map(|own| {
            let Likeliest { who: (person, place), far, sum, .. } = own;
            (person != u32::MAX).then(|| {
                let squared = (far + self.densities.squares(record, place)).max(0.0);
                let weight = f64::max(sum, 1.0) + if left_out { LEFT_OUT } else { 0.0 };
                let confidence = if squared > self.most { 0.0 } else { 1.0 / weight };
                Link { person, distance: far.sqrt(), confidence }
            })
        })
    }

    /// How much larger than that of the likeliest a squared distance must be for all beyond it to weigh nothing.
    fn reach(&self) -> f64 {
        2.0 * (self.people as f64 / LEFT_OUT).ln()
    }

    /// Scores the links. `person_of` tells of each record whose it is, by place in the file.
    ///
    /// # Errors
    /// When there is not one person for each record, or the confidence is not from 0 to 1.
    pub fn score(&self, person_of: &[u32], confidence: f64) -> Result<LinkageScore, NoiseAttackError> {
        check_length("people behind the records", person_of.len(), self.records)?;
        if !(0.0..=1.0).contains(&confidence) {
            return Err(NoiseAttackError::Parameter { name: "the confidence", accepted: "from 0 to 1" });
        }
        let counts = self.judged.par_iter().enumerate().map(|(at, &record)| {
            let truth = person_of.get(record as usize).copied().unwrap_or(u32::MAX);
            let (link, absent) = self.of(at, truth);
            let (is_right, is_sure) = (link.person == truth, link.confidence >= confidence);
            [is_right, is_sure, is_right && is_sure, absent.confidence >= confidence].map(u64::from)
        });
        let add = |a: [u64; 4], b: [u64; 4]| std::array::from_fn(|at| a[at] + b[at]); // why: both have four
        let [right, sure, both, absent] = counts.reduce(|| [0; 4], add);
        let records = self.judged.len() as u64;
        Ok(LinkageScore {
            right: Rate::new(right, records),
            chance: 1.0 / self.people as f64,
            confidence,
            exposed: Rate::new(sure, records),
            right_when_sure: Rate::new(both, sure),
            found: Rate::new(both, records),
            control: Rate::new(absent, records),
        })
    }
}

/// About the 0.9999 quantile of χ² with this many degrees, by the cube of Wilson and Hilferty.
fn far(degrees: usize) -> f64 {
    const Z9999: f64 = 3.719_016_485_455_68;
    let part = 2.0 / (9.0 * degrees as f64);
    degrees as f64 * (1.0 - part + Z9999 * part.sqrt()).powi(3)
}

/// W with WᵀW = Σ_v⁻¹. It has fewer rows than columns where there is neither noise nor anything to tell apart.
fn whitening(
    published: Records<'_>,
    people: Records<'_>,
    noise: &NoiseShape,
) -> Result<DMatrix<f64>, NoiseAttackError> {
    let width = published.width();
    match noise {
        NoiseShape::Independent(_) => {
            let variances = noise.covariance(&DMatrix::zeros(width, width))?.diagonal();
            let spreads = match people.len() {
                1 => DMatrix::zeros(width, width),
                _ => covariance(people.values(), width)?,
            };
            let rows: Vec<(usize, f64)> = variances
                .iter()
                .zip(spreads.diagonal().iter())
                .map(|(noise, spread)| if *noise > 0.0 { noise.sqrt() } else { 1e-6 * spread.sqrt() })
                .enumerate()
                .filter(|(_, deviation)| *deviation > 0.0)
                .collect();
            let mut map = DMatrix::zeros(rows.len(), width);
            for (row, &(column, deviation)) in rows.iter().enumerate() {
                map[(row, column)] = 1.0 / deviation; // why: rows and columns of this matrix
            }
            Ok(map)
        }
        NoiseShape::Proportional(_) | NoiseShape::Mixed { .. } | NoiseShape::Known(_) => {
            let seen = match noise {
                NoiseShape::Known(_) => DMatrix::zeros(width, width),
                _ => covariance(published.values(), width)?,
            };
            let mut covariance = noise.covariance(&seen)?;
            let exact: Vec<usize> = match noise {
                NoiseShape::Mixed { own, .. } => {
                    (0..width).filter(|&column| own.get(column) == Some(&Some(0.0))).collect()
                }
                NoiseShape::Known(_) => (0..width).filter(|&own| covariance[(own, own)] == 0.0).collect(), // why: width × width
                _ => Vec::new(),
            };
            if !exact.is_empty() {
                let spreads = match people.len() {
                    1 => DMatrix::zeros(width, width),
                    _ => privet_perturb::covariance(people.values(), width)?,
                };
                for column in exact {
                    covariance[(column, column)] = 1e-12 * spreads[(column, column)]; // why: both are width × width
                }
            }
            let scales: Vec<f64> = covariance.diagonal().iter().map(|variance| variance.sqrt()).collect();
            let inverse = |a: usize| scales.get(a).filter(|own| **own > 0.0).map_or(0.0, |own| 1.0 / own);
            let axes =
                eigen(DMatrix::from_fn(width, width, |a, b| covariance[(a, b)] * inverse(a) * inverse(b)))?; // why: width × width
            let kept = axes.values.iter().filter(|value| **value > 1e-9).count();
            Ok(DMatrix::from_fn(kept, width, |axis, column| {
                axes.vectors[(column, axis)] / axes.values[axis].sqrt() * inverse(column) // why: kept ≤ width
            }))
        }
    }
}

/// Turned so that the first axis is the one along which people differ most: distances stay, and cells become thin.
fn turned(map: DMatrix<f64>, people: Records<'_>) -> Result<DMatrix<f64>, NoiseAttackError> {
    if map.nrows() < 2 || people.len() < 2 {
        return Ok(map);
    }
    let spread = covariance(people.values(), people.width())?;
    let axes = eigen(&map * spread * map.transpose())?;
    Ok(axes.vectors.transpose() * map)
}

/// M(x − μ) for every record.
fn mapped(records: Records<'_>, map: &DMatrix<f64>, means: &[f64]) -> Result<Vec<f64>, NoiseAttackError> {
    let (from, to) = (records.width(), map.nrows());
    let rows: Vec<f64> = map.transpose().iter().copied().collect();
    let mut out = vec![0.0; records.len() * to];
    out.par_chunks_exact_mut(to).zip(records.values().par_chunks_exact(from)).with_min_len(512).for_each(
        |(out, record)| {
            for (out, weights) in out.iter_mut().zip(rows.chunks_exact(from)) {
                let centred = record.iter().zip(means).map(|(value, mean)| value - mean);
                *out = weights.iter().zip(centred).map(|(weight, own)| weight * own).sum();
            }
        },
    );
    // Squares of distances must stay numbers.
    if out.iter().all(|value| value.abs() <= 1e150) {
        Ok(out)
    } else {
        Err(NoiseAttackError::Parameter {
            name: "the deviation of the noise",
            accepted: "above a 1e-150th of the values, or 0",
        })
    }
}

#[cfg(test)]
mod tests;
