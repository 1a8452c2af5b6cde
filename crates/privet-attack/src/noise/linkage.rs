//! Finding the people behind noisy records (survey AT-17; Spruill 1983, Paass 1988).
//!
//! The adversary has a file of people with the original values and takes for each published record the nearest person.
//! Distance is counted in the noise: d² = (y − x)ᵀ Σ_v⁻¹ (y − x), which for normal noise puts the likeliest person
//! first. Against noise that is correlated as the data are the same distance works, with Σ_v = d·Σ_x known from the
//! published factor.
//!
//! # Guarantee
//! The nearest person is exactly the one that comparing with everybody gives, the first in the file among equals. For
//! normal noise, and when the person is in the file, the true probability that a link is right is at most its
//! `confidence`: only the two likeliest people are weighed. For uniform noise, people within its bounds are equally
//! likely and the confidence is a rule of thumb. A link that is too far for the noise (once in 10,000 or less) has
//! confidence 0: the adversary sees that the person is not in the file.
//!
//! Departure: columns without noise would outweigh everything. They count as if their noise had a millionth of the
//! deviation of the column.

use nalgebra::DMatrix;
use privet_perturb::covariance;
use rayon::prelude::*;
use serde::Serialize;

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
#[derive(Debug, Clone)]
pub struct Linkage {
    nearest: Vec<Neighbours>,
    /// A squared distance that the noise goes beyond once in 10,000.
    most: f64,
    people: usize,
}

/// How well links hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LinkageScore {
    /// Records whose nearest person is the right one.
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

/// Links each published record to the nearest person.
///
/// # Errors
/// When there is nobody in the file, the columns differ, or the shape of the noise does not fit them. For noise that
/// is proportional to the covariance, two published records are needed.
pub fn link(
    published: Records<'_>,
    people: Records<'_>,
    noise: &NoiseShape,
) -> Result<Linkage, NoiseAttackError> {
    check_length("columns in the file of people", people.width(), published.width())?;
    if people.is_empty() {
        return Err(NoiseAttackError::Length { what: "people", found: 0, expected: 1 });
    }
    if people.len() >= u32::MAX as usize {
        let (found, most) = (people.len(), u32::MAX as usize - 1);
        return Err(NoiseAttackError::TooLarge { what: "the number of people", found, most });
    }
    let map = turned(whitening(published, people, noise)?, people)?;
    let means = people.means();
    let width = map.nrows();
    if width == 0 {
        // Nothing tells anybody apart: the first is as near as any.
        let nobody = (f64::INFINITY, u32::MAX);
        let mut first = [nobody; super::nearest::NEAREST];
        first.iter_mut().zip(0..people.len() as u32).for_each(|(own, person)| *own = (0.0, person));
        return Ok(Linkage { nearest: vec![first; published.len()], most: 0.0, people: people.len() });
    }
    let tree = Tree::new(&mapped(people, &map, &means)?, width);
    let nearest = tree.nearest(&mapped(published, &map, &means)?);
    Ok(Linkage { nearest, most: far(width), people: people.len() })
}

impl Linkage {
    /// For each published record the nearest person.
    pub fn links(&self) -> Vec<Link> {
        self.nearest.iter().map(|near| self.of(near.map(|own| own.0), near[0].1)).collect() // why: an array of three
    }

    fn of(&self, [first, second, _]: [f64; 3], person: u32) -> Link {
        let confidence = match first > self.most {
            true => 0.0,
            false => 1.0 / (1.0 + (-(second - first) / 2.0).exp()),
        };
        Link { person, distance: first.sqrt(), confidence }
    }

    /// Scores the links. `person_of` tells of each record whose it is, by place in the file.
    ///
    /// # Errors
    /// When there is not one person for each record, or the confidence is not from 0 to 1.
    pub fn score(&self, person_of: &[u32], confidence: f64) -> Result<LinkageScore, NoiseAttackError> {
        check_length("people behind the records", person_of.len(), self.nearest.len())?;
        if !(0.0..=1.0).contains(&confidence) {
            return Err(NoiseAttackError::Parameter { name: "the confidence", accepted: "from 0 to 1" });
        }
        let (mut right, mut sure, mut both, mut absent) = (0, 0, 0, 0);
        for (near, &truth) in self.nearest.iter().zip(person_of) {
            let link = self.of(near.map(|own| own.0), near[0].1); // why: an array of three
            let is_right = link.person == truth;
            let is_sure = link.confidence >= confidence;
            right += u64::from(is_right);
            sure += u64::from(is_sure);
            both += u64::from(is_right && is_sure);
            let mut others = [f64::INFINITY; 3];
            let without = near.iter().filter(|own| own.1 != truth);
            others.iter_mut().zip(without).for_each(|(place, own)| *place = own.0);
            absent += u64::from(self.of(others, u32::MAX).confidence >= confidence);
        }
        let records = self.nearest.len() as u64;
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
        NoiseShape::Proportional(_) | NoiseShape::Mixed { .. } => {
            let mut covariance = noise.covariance(&covariance(published.values(), width)?)?;
            if let NoiseShape::Mixed { own, .. } = noise {
                let spreads = match people.len() {
                    1 => DMatrix::zeros(width, width),
                    _ => privet_perturb::covariance(people.values(), width)?,
                };
                for column in (0..width).filter(|&column| own.get(column) == Some(&Some(0.0))) {
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
mod tests {
    use super::*;
    use privet_perturb::{Coins, SeededCoins, correlated_noise};
    use proptest::prelude::*;

    fn normals(count: usize, scale: f64, coins: &mut SeededCoins) -> Vec<f64> {
        (0..count).map(|_| scale * coins.normal().unwrap()).collect()
    }

    fn add(a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    }

    fn attack(people: &[f64], published: &[f64], width: usize, noise: &NoiseShape) -> LinkageScore {
        let (published, people) =
            (Records::new(published, width).unwrap(), Records::new(people, width).unwrap());
        let own: Vec<u32> = (0..published.len() as u32).collect();
        link(published, people, noise).unwrap().score(&own, 0.9).unwrap()
    }

    /// survey AT-17: too little noise protects nobody; with noise as large as the data most links are wrong.
    #[test]
    fn little_noise_is_linked_and_much_is_not() {
        let mut coins = SeededCoins::new(17);
        let (n, width) = (3000, 6);
        let people = normals(n * width, 10.0, &mut coins);
        let weak = attack(
            &people,
            &add(&people, &normals(n * width, 1.0, &mut coins)),
            width,
            &NoiseShape::Independent(vec![1.0; width]),
        );
        assert!(weak.right.low > 0.97 && weak.exposed.low > 0.9, "{weak:?}");
        assert!(weak.right_when_sure.low > 0.98 && weak.control.high < 0.2, "{weak:?}");
        let strong = attack(
            &people,
            &add(&people, &normals(n * width, 20.0, &mut coins)),
            width,
            &NoiseShape::Independent(vec![400.0; width]),
        );
        assert!(strong.right.high < 0.05 && strong.exposed.high < 0.02, "{strong:?}");
        assert_eq!(strong.chance, 1.0 / 3000.0);
    }

    /// Columns with less noise count more: the second column, drowned in noise, must not confuse.
    #[test]
    fn distance_is_counted_in_the_noise() {
        let mut coins = SeededCoins::new(18);
        let people: Vec<f64> = (0..500).flat_map(|i| [f64::from(i), coins.normal().unwrap()]).collect();
        let published: Vec<f64> = people
            .chunks_exact(2)
            .flat_map(|own| {
                [own[0] + 0.1 * coins.normal().unwrap(), own[1] + 1000.0 * coins.normal().unwrap()]
            })
            .collect();
        let aware = attack(&people, &published, 2, &NoiseShape::Independent(vec![0.01, 1e6]));
        let naive = attack(&people, &published, 2, &NoiseShape::Independent(vec![1e6, 1e6]));
        assert_eq!(aware.right.rate, 1.0);
        assert!(naive.right.rate < 1.0 && naive.exposed.hits == 0, "{naive:?}");
        // A column without noise tells everybody who differs in it.
        let told = attack(&people, &published, 2, &NoiseShape::Independent(vec![0.01, 0.0]));
        assert!(told.exposed.hits == 0, "a model that is wrong shows: {told:?}");
    }

    /// survey ME-24 against AT-17: noise that is correlated as the data are is matched with its own covariance.
    #[test]
    fn correlated_noise_is_linked_too() {
        let mut coins = SeededCoins::new(19);
        let people: Vec<f64> = (0..1000)
            .flat_map(|_| {
                let common = 100.0 * coins.normal().unwrap();
                [common + coins.normal().unwrap(), common + coins.normal().unwrap(), coins.normal().unwrap()]
            })
            .collect();
        let published = correlated_noise(&people, 3, 0.0004, &mut coins).unwrap().value;
        let found = attack(&people, &published, 3, &NoiseShape::Proportional(0.0004));
        assert!(found.right.low > 0.9, "{found:?}");
        let published = correlated_noise(&people, 3, 1.0, &mut coins).unwrap().value;
        let found = attack(&people, &published, 3, &NoiseShape::Proportional(1.0));
        assert!(found.right.high < 0.1, "{found:?}");
    }

    /// Claims hold: of links believed with 0.9 at least 0.9 would be right if only two people were possible; with
    /// thousands the confidence is an upper bound. And the quantile of χ² is near the tabled ones, for one column too high.
    #[test]
    fn confidence_and_reach() {
        for (degrees, table) in [(1, 15.137), (2, 18.421), (5, 25.745), (10, 35.564), (50, 93.167)] {
            let found = far(degrees);
            assert!((found / table - 1.0).abs() < 0.08, "{degrees}: {found}");
        }
        let mut coins = SeededCoins::new(20);
        // Two people one deviation apart: P(right) = Φ(1/2).
        let people = [0.0, 1.0];
        let published: Vec<f64> = (0..4000).map(|i| f64::from(i % 2) + coins.normal().unwrap()).collect();
        let linkage = link(
            Records::new(&published, 1).unwrap(),
            Records::new(&people, 1).unwrap(),
            &NoiseShape::Independent(vec![1.0]),
        )
        .unwrap();
        let truth: Vec<u32> = (0..4000).map(|i| i % 2).collect();
        let score = linkage.score(&truth, 0.5).unwrap();
        assert!((score.right.rate - 0.691_46).abs() < 0.04, "{score:?}");
        let claimed: f64 = linkage.links().iter().map(|link| link.confidence).sum::<f64>() / 4000.0;
        assert!((claimed - score.right.rate).abs() < 0.04, "{claimed} {score:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// The nearest person is the one of the definition, up to rounding.
        #[test]
        fn the_nearest_by_definition(
            people in prop::collection::vec((-9i32..9, -9i32..9), 1..80),
            published in prop::collection::vec((-99i32..99, -99i32..99), 0..30),
            (a, b) in (1u32..30, 1u32..30),
        ) {
            let people: Vec<f64> = people.iter().flat_map(|own| [f64::from(own.0), f64::from(own.1)]).collect();
            let published: Vec<f64> =
                published.iter().flat_map(|own| [f64::from(own.0) / 10.0, f64::from(own.1) / 10.0]).collect();
            let variances = [f64::from(a) / 10.0, f64::from(b) / 10.0];
            let links = link(
                Records::new(&published, 2).unwrap(),
                Records::new(&people, 2).unwrap(),
                &NoiseShape::Independent(variances.to_vec()),
            ).unwrap().links();
            prop_assert_eq!(links.len(), published.len() / 2);
            for (link, own) in links.iter().zip(published.chunks_exact(2)) {
                let distance = |person: &[f64]| {
                    ((own[0] - person[0]).powi(2) / variances[0] + (own[1] - person[1]).powi(2) / variances[1]).sqrt()
                };
                let least = people.chunks_exact(2).map(distance).fold(f64::INFINITY, f64::min);
                prop_assert!((link.distance - least).abs() < 1e-9);
                prop_assert!((distance(&people[link.person as usize * 2..][..2]) - least).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn edges() {
        let none = Records::new(&[], 1).unwrap();
        let one = Records::new(&[5.0], 1).unwrap();
        let noise = NoiseShape::Independent(vec![1.0]);
        assert!(link(one, none, &noise).is_err());
        assert!(link(one, one, &NoiseShape::Independent(vec![])).is_err());
        assert!(link(one, one, &NoiseShape::Independent(vec![f64::NAN])).is_err());
        assert!(link(one, one, &NoiseShape::Proportional(1.0)).is_err());
        assert!(link(Records::new(&[1.0, 2.0], 2).unwrap(), one, &noise).is_err());
        let nothing = link(none, one, &noise).unwrap();
        assert!(nothing.links().is_empty() && nothing.score(&[], 0.9).unwrap().right.of == 0);
        let found = link(one, one, &noise).unwrap();
        assert_eq!(found.links(), [Link { person: 0, distance: 0.0, confidence: 1.0 }]);
        assert!(found.score(&[0, 1], 0.9).is_err() && found.score(&[0], 1.5).is_err());
        // The only person is absent: nobody is believed in.
        assert_eq!(found.score(&[0], 0.9).unwrap().control.hits, 0);
        // Noise that is nothing beside the values.
        let wide = Records::new(&[1e100, -1e100], 1).unwrap();
        for tiny in [1e-320, 1e-200] {
            assert!(link(wide, wide, &NoiseShape::Independent(vec![tiny])).is_err());
            assert!(link(wide, one, &NoiseShape::Independent(vec![tiny])).is_err());
        }
        assert!(link(wide, wide, &NoiseShape::Independent(vec![0.0])).is_ok());
        // Without noise or difference nobody is told from anybody.
        let same = Records::new(&[5.0, 5.0, 5.0], 1).unwrap();
        let found = link(same, same, &NoiseShape::Independent(vec![0.0])).unwrap();
        assert!(found.links().iter().all(|link| link.person == 0 && link.confidence == 0.5));
        let found = link(same, same, &NoiseShape::Proportional(0.5)).unwrap();
        assert_eq!(found.score(&[0, 1, 2], 0.9).unwrap().right.hits, 1);
    }
}
