//! The semantic framework of privacy definitions, as a checker for tiny settings (survey PM-36).
//!
//! A semantic definition is a set of sensitive predicates, a set of adversaries (distributions over possible inputs that
//! do not depend on the actual one), and a comparison of what an adversary believed before and after. Here all three
//! are lists, and the mechanism is a matrix of P(output | world); every combination is looked at.
//!
//! # Guarantee
//! Exact, up to rounding, for the worlds, predicates and adversaries that are given; it says nothing of others.

use crate::matrix::MOST_ENTRIES;
use crate::{PerturbError, PerturbationMatrix};

/// Something that holds in some worlds.
pub type Predicate<'a, W> = dyn Fn(&W) -> bool + 'a;

/// What is asked about, and by whom.
pub struct Setting<'a, W> {
    /// The possible inputs.
    pub worlds: &'a [W],
    /// What each world is published as.
    pub mechanism: &'a PerturbationMatrix,
    /// What is sensitive.
    pub predicates: &'a [&'a Predicate<'a, W>],
    /// What adversaries believe: weights of the worlds, which need not sum to 1.
    pub adversaries: &'a [Vec<f64>],
}

/// An adversary's belief in a predicate before and after an output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// The predicate.
    pub predicate: usize,
    /// The adversary.
    pub adversary: usize,
    /// The output that is seen.
    pub output: usize,
    /// Its probability before.
    pub prior: f64,
    /// Its probability after.
    pub posterior: f64,
}

impl<W> Setting<'_, W> {
    /// What every adversary comes to believe of every predicate for every output that can occur to him.
    ///
    /// # Errors
    /// When there is not one row of the mechanism and one weight of each adversary per world, a weight is negative or no
    /// finite number, or an adversary believes in no world.
    pub fn beliefs(&self) -> Result<Vec<Belief>, PerturbError> {
        let worlds = self.worlds.len();
        crate::matrix::check_length("rows of the mechanism", self.mechanism.inputs(), worlds)?;
        let mut beliefs = Vec::new();
        for (adversary, weights) in self.adversaries.iter().enumerate() {
            crate::matrix::check_length("weights of an adversary", weights.len(), worlds)?;
            let all: f64 = weights.iter().sum();
            if weights.iter().any(|weight| weight.is_nan() || *weight < 0.0)
                || !(all > 0.0 && all.is_finite())
            {
                return Err(PerturbError::Parameter {
                    name: "the weights of an adversary",
                    accepted: "finite numbers from 0 on, not all 0",
                });
            }
            for (predicate, holds) in self.predicates.iter().enumerate() {
                let holds: Vec<bool> = self.worlds.iter().map(holds).collect();
                let sum = |values: &mut dyn Iterator<Item = f64>| {
                    values.zip(&holds).fold((0.0, 0.0), |(with, all), (value, &holds)| {
                        (with + if holds { value } else { 0.0 }, all + value)
                    })
                };
                let (with, all) = sum(&mut weights.iter().copied());
                let prior = with / all;
                for output in 0..self.mechanism.outputs() {
                    let rows = self.mechanism.rows().map(|row| row.get(output).copied().unwrap_or(0.0));
                    let (with, all) = sum(&mut rows.zip(weights).map(|(p, weight)| p * weight));
                    if all > 0.0 {
                        beliefs.push(Belief { predicate, adversary, output, prior, posterior: with / all });
                    }
                }
            }
        }
        Ok(beliefs)
    }

    /// The beliefs that the definition calls a breach.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs).
    pub fn breaches(&self, is_breach: impl Fn(Belief) -> bool) -> Result<Vec<Belief>, PerturbError> {
        Ok(self.beliefs()?.into_iter().filter(|belief| is_breach(*belief)).collect())
    }
}

/// The mechanism that publishes each world as this output.
///
/// # Errors
/// When there is no world, or there are too many.
pub fn deterministic<W>(
    worlds: &[W],
    outputs: usize,
    output: impl Fn(&W) -> usize,
) -> Result<PerturbationMatrix, PerturbError> {
    let size = worlds.len().saturating_mul(outputs);
    if size > MOST_ENTRIES {
        let what = "worlds times outputs";
        return Err(PerturbError::TooLarge { what, found: size, most: MOST_ENTRIES });
    }
    let mut entries = vec![0.0; size];
    for (record, (world, row)) in worlds.iter().zip(entries.chunks_mut(outputs.max(1))).enumerate() {
        *row.get_mut(output(world)).ok_or(PerturbError::Code { record, domain: outputs })? = 1.0;
    }
    PerturbationMatrix::new(outputs, entries)
}

/// The adversary who holds all worlds with a property for equally likely, and no other for possible.
pub fn knowing<W>(worlds: &[W], property: impl Fn(&W) -> bool) -> Vec<f64> {
    worlds.iter().map(|world| f64::from(property(world))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amplification;
    use crate::perfect::{Query, independent_prior, is_perfectly_private};
    use crate::testing::assert_near;

    /// All different orders of four values.
    fn orders(values: [u8; 4]) -> Vec<[u8; 4]> {
        let mut found = Vec::new();
        for code in 0..256u32 {
            let places = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3];
            let order = places.map(|place| values[place as usize]);
            if (0..4).all(|place| places.contains(&place)) && !found.contains(&order) {
                found.push(order);
            }
        }
        found
    }

    fn worst(worlds: &[[u8; 4]], adversaries: &[Vec<f64>]) -> f64 {
        let mechanism = deterministic(worlds, 1, |_| 0).unwrap();
        let has: Vec<Box<Predicate<'_, [u8; 4]>>> = (0..4usize)
            .flat_map(|person| {
                (0..4u8).map(move |value| Box::new(move |world: &[u8; 4]| world[person] == value) as _)
            })
            .collect();
        let predicates: Vec<&Predicate<'_, [u8; 4]>> = has.iter().map(|own| &**own).collect();
        let setting = Setting { worlds, mechanism: &mechanism, predicates: &predicates, adversaries };
        setting.beliefs().unwrap().iter().map(|belief| belief.posterior).fold(0.0, f64::max)
    }

    /// survey PM-13, on the bucket {Ca, Flu, HD, HD}: without knowledge 1/2, with one negation or one other's value 2/3.
    #[test]
    fn diversity() {
        let worlds = orders([0, 1, 2, 2]);
        assert_eq!(worlds.len(), 12);
        let uniform = vec![knowing(&worlds, |_| true)];
        assert_near(worst(&worlds, &uniform), 0.5, 1e-12);
        // One negation about the target, who is person 0 by symmetry: about another it would tell less or as much.
        let negations: Vec<_> = (0..3u8).map(|value| knowing(&worlds, |world| world[0] != value)).collect();
        assert_near(worst(&worlds, &negations), 2.0 / 3.0, 1e-12);
        // The value of another person; the predicate about that person herself is not asked.
        let known: Vec<_> = (0..3u8).map(|value| knowing(&worlds, |world| world[1] == value)).collect();
        let mechanism = deterministic(&worlds, 1, |_| 0).unwrap();
        let predicates: [&Predicate<'_, [u8; 4]>; 3] = [&|w| w[0] == 0, &|w| w[0] == 1, &|w| w[0] == 2];
        let setting =
            Setting { worlds: &worlds, mechanism: &mechanism, predicates: &predicates, adversaries: &known };
        let most = setting.beliefs().unwrap().iter().map(|belief| belief.posterior).fold(0.0, f64::max);
        assert_near(most, 2.0 / 3.0, 1e-12);
    }

    /// k-anonymity: who is which record, in a class of 4; certainty needs three records to be known.
    #[test]
    fn k_anonymity() {
        let worlds = orders([0, 1, 2, 3]);
        let mechanism = deterministic(&worlds, 1, |_| 0).unwrap();
        let predicates: [&Predicate<'_, [u8; 4]>; 4] =
            [&|w| w[0] == 0, &|w| w[0] == 1, &|w| w[0] == 2, &|w| w[0] == 3];
        for (known, exposed) in [(0, false), (1, false), (2, false), (3, true)] {
            let adversary = knowing(&worlds, |world| (1..=known).all(|person| world[person] == person as u8));
            let setting = Setting {
                worlds: &worlds,
                mechanism: &mechanism,
                predicates: &predicates,
                adversaries: &[adversary],
            };
            let breaches = setting.breaches(|belief| belief.posterior > 1.0 - 1e-12).unwrap();
            assert_eq!(!breaches.is_empty(), exposed);
        }
    }

    /// (α,β)-privacy and the ratio of a randomized response, against γ.
    #[test]
    fn randomized_response() {
        let worlds = [false, true];
        let predicates: [&Predicate<'_, bool>; 2] = [&|yes| *yes, &|yes| !*yes];
        let adversaries = [vec![0.9, 0.1], vec![0.1, 0.9], vec![0.999_999, 0.000_001]];
        for keep in [0.6, 0.75, 0.89, 0.91, 0.99] {
            let mechanism = PerturbationMatrix::keeping(keep, 2).unwrap();
            let setting = Setting {
                worlds: &worlds,
                mechanism: &mechanism,
                predicates: &predicates,
                adversaries: &adversaries,
            };
            let is_breach = |belief: Belief| belief.prior <= 0.1 + 1e-12 && belief.posterior >= 0.5;
            let found = !setting.breaches(is_breach).unwrap().is_empty();
            assert_eq!(found, amplification::breach(&mechanism, 0.1, 0.5).unwrap().is_some());
            // A ratio of posterior to prior is at most γ, and near it for a rare predicate.
            let ratios = setting.beliefs().unwrap();
            let most = ratios.iter().map(|belief| belief.posterior / belief.prior).fold(0.0, f64::max);
            let gamma = amplification::gamma(&mechanism);
            assert!(most <= gamma + 1e-9 && most > gamma * 0.999);
        }
    }

    /// Perfect privacy: beliefs do not move, exactly when no tuple is critical for both.
    #[test]
    fn perfect_privacy() {
        let worlds: Vec<u32> = (0..8).collect();
        let secret = Query::new(3, |table| u64::from(table & 1)).unwrap();
        for mask in 0..8u32 {
            let view = Query::new(3, |table| u64::from((table & mask).count_ones())).unwrap();
            let mechanism = deterministic(&worlds, 4, |&table| view.answer(table).unwrap() as usize).unwrap();
            let holds = |table: &u32| secret.answer(*table) == Some(1);
            let setting = Setting {
                worlds: &worlds,
                mechanism: &mechanism,
                predicates: &[&holds],
                adversaries: &[independent_prior(&[0.3, 0.5, 0.9]).unwrap()],
            };
            let moved = setting.breaches(|belief| (belief.posterior - belief.prior).abs() > 1e-9).unwrap();
            assert_eq!(moved.is_empty(), is_perfectly_private(&secret, &view).unwrap());
        }
    }

    #[test]
    fn edges() {
        let mechanism = PerturbationMatrix::keeping(0.7, 2).unwrap();
        let check = |worlds: &[u8], adversary: Vec<f64>| {
            let adversaries = [adversary];
            Setting { worlds, mechanism: &mechanism, predicates: &[&|_| true], adversaries: &adversaries }
                .beliefs()
        };
        assert_eq!(check(&[0, 1], vec![1.0, 0.0]).unwrap().len(), 2);
        assert!(check(&[0], vec![1.0]).is_err() && check(&[0, 1], vec![1.0]).is_err());
        for bad in [[0.0, 0.0], [-1.0, 2.0], [f64::NAN, 1.0], [f64::INFINITY, 1.0]] {
            assert!(check(&[0, 1], bad.to_vec()).is_err());
        }
        assert!(deterministic(&[0u8; 0], 2, |_| 0).is_err() && deterministic(&[1u8], 0, |_| 0).is_err());
        assert!(deterministic(&[1u8], 2, |_| 2).is_err());
    }
}
