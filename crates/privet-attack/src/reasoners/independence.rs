//! Independent people (survey AT-11): everybody's value follows a known prior by itself, and the release only says
//! which values the people of a group have between them.
//!
//! A world of a group is as likely as the product of its people's priors. What somebody is believed to have sums over
//! all worlds of the group: a ratio of permanents, hard in general. Here people are given values one after the other,
//! and only how many of each value are used up is kept: Π (count + 1) states, few for groups of some ten people.
//!
//! What it guarantees: exact up to rounding. What is believed of a group does not depend on any other group.

use privet_data::Progress;

use super::{Reasoner, ReasonerError, View};
use crate::worlds::{Beliefs, Bucket, WorldsError};

/// Independent people with a known prior.
#[derive(Debug, Clone, Copy)]
pub struct Independence<F> {
    /// How likely somebody is to have a value, up to a factor for each person.
    pub prior: F,
    /// How many states may be kept for a group.
    pub states_at_most: usize,
}

impl<F: Fn(u32, u32) -> f64> Reasoner for Independence<F> {
    fn name(&self) -> &'static str {
        crate::ids::INDEPENDENCE
    }

    fn beliefs(&self, view: &View<'_>, progress: &dyn Progress) -> Result<Beliefs, ReasonerError> {
        view.check()?;
        progress.stage("Independent people", Some(view.groups.len() as u64));
        let mut beliefs = Beliefs::default();
        for (number, group) in view.groups.iter().enumerate() {
            progress.check()?;
            self.group(group, &mut beliefs)?;
            progress.at(number as u64 + 1);
        }
        Ok(beliefs)
    }
}

impl<F: Fn(u32, u32) -> f64> Independence<F> {
    fn group(&self, group: &Bucket, beliefs: &mut Beliefs) -> Result<(), ReasonerError> {
        let values = group.counts();
        let people = group.people.len();
        // The states are numbers in mixed radix: how many of each value are used up.
        let needed = values.iter().fold(1u128, |n, &(_, count)| n.saturating_mul(u128::from(count) + 1));
        let most = self.states_at_most.min(1 << 28) as u128;
        if needed > most {
            return Err(ReasonerError::TooLarge { what: "a group", needed, most });
        }
        let states = needed as usize;
        let mut place = Vec::with_capacity(values.len());
        let mut next = 1usize;
        for &(_, count) in &values {
            place.push(next);
            next *= count as usize + 1;
        }
        let used =
            |state: usize, value: usize| (state / place[value]) as u64 % (u64::from(values[value].1) + 1);
        let weights = self.weights(group, &values)?;
        let weight = |person: usize, value: usize| weights[person * values.len() + value];

        // States with the same number of people, one after the other.
        let mut layers: Vec<Vec<usize>> = vec![Vec::new(); people + 1];
        for state in 0..states {
            let people: u64 = (0..values.len()).map(|value| used(state, value)).sum();
            layers[people as usize].push(state);
        }
        // Chances to get to a state and from it to the end; those of a layer up to a common factor.
        let (mut before, mut after) = (vec![0.0f64; states], vec![0.0f64; states]);
        before[0] = 1.0;
        after[states - 1] = 1.0;
        for person in 0..people {
            for &state in &layers[person + 1] {
                let from = (0..values.len()).filter(|&value| used(state, value) > 0);
                before[state] = from.map(|value| before[state - place[value]] * weight(person, value)).sum();
            }
            rescale(&mut before, &layers[person + 1])?;
        }
        for person in (0..people).rev() {
            for &state in &layers[person] {
                let to = (0..values.len()).filter(|&value| used(state, value) < u64::from(values[value].1));
                after[state] = to.map(|value| after[state + place[value]] * weight(person, value)).sum();
            }
            rescale(&mut after, &layers[person])?;
        }
        for (person, &number) in group.people.iter().enumerate() {
            let mut chances = vec![0.0; values.len()];
            for &state in &layers[person] {
                for (value, chance) in chances.iter_mut().enumerate() {
                    if used(state, value) < u64::from(values[value].1) {
                        *chance += before[state] * weight(person, value) * after[state + place[value]];
                    }
                }
            }
            let sum: f64 = chances.iter().sum();
            let own = values.iter().zip(&chances).map(|(&(value, _), chance)| (value, chance / sum));
            let own = beliefs.add(own);
            beliefs.about(number, own);
        }
        Ok(())
    }

    /// Per person and value its prior, at most 1.
    fn weights(&self, group: &Bucket, values: &[(u32, u32)]) -> Result<Vec<f64>, ReasonerError> {
        let mut weights = Vec::with_capacity(group.people.len() * values.len());
        for &person in &group.people {
            let begin = weights.len();
            weights.extend(values.iter().map(|&(value, _)| (self.prior)(person, value)));
            let own = &mut weights[begin..];
            if own.iter().any(|weight| !(weight.is_finite() && *weight >= 0.0)) {
                return Err(ReasonerError::Parameter {
                    name: "prior",
                    problem: "must give numbers of at least 0",
                });
            }
            let most = own.iter().copied().fold(0.0, f64::max);
            if most == 0.0 {
                return Err(WorldsError::Conflict.into());
            }
            own.iter_mut().for_each(|weight| *weight /= most);
        }
        Ok(weights)
    }
}

/// Scales a layer so that its largest chance is 1. When all are 0, no world fits the prior.
fn rescale(chances: &mut [f64], layer: &[usize]) -> Result<(), ReasonerError> {
    let most = layer.iter().map(|&state| chances[state]).fold(0.0, f64::max);
    if most == 0.0 {
        return Err(WorldsError::Conflict.into());
    }
    layer.iter().for_each(|&state| chances[state] /= most);
    Ok(())
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::*;
    use crate::worlds::Worlds;

    fn believe(group: Bucket, prior: impl Fn(u32, u32) -> f64) -> Result<Beliefs, ReasonerError> {
        let view = View { qi: &[], qi_domains: &[], groups: &[group] };
        Independence { prior, states_at_most: 10_000 }.beliefs(&view, &Silent)
    }

    /// survey AT-03, PM-06 golden: heart disease is rare among Japanese. Cary (2) is one, of the others nothing is known.
    #[test]
    fn survey_at03_prior() {
        let group = Bucket { people: vec![0, 1, 2, 3], values: vec![0, 0, 1, 1] };
        let prior = |person: u32, value: u32| if person == 2 { [0.05, 0.95][value as usize] } else { 0.5 };
        let beliefs = believe(group, prior).unwrap();
        assert!((beliefs.chance(2, 0) - 0.05).abs() < 1e-12 && (beliefs.chance(2, 1) - 0.95).abs() < 1e-12);
    }

    #[test]
    fn faults() {
        let group = || Bucket { people: vec![0, 1], values: vec![0, 1] };
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(believe(group(), |_, _| bad), Err(ReasonerError::Parameter { .. })));
        }
        assert_eq!(believe(group(), |_, _| 0.0).unwrap_err(), WorldsError::Conflict.into());
        let both_first = |_: u32, value: u32| if value == 0 { 1.0 } else { 0.0 };
        assert_eq!(believe(group(), both_first).unwrap_err(), WorldsError::Conflict.into());
        let large = Bucket { people: (0..20).collect(), values: (0..20).collect() };
        assert!(matches!(believe(large, |_, _| 1.0), Err(ReasonerError::TooLarge { .. })));
        assert!(believe(Bucket::default(), |_, _| 1.0).unwrap().people().is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The sum over all worlds, each as likely as the product of its priors.
        #[test]
        fn equals_all_worlds(
            values in prop::collection::vec(0u32..4, 1..7),
            priors in prop::collection::vec(0.0f64..1.0, 28),
        ) {
            let prior = |person: u32, value: u32| priors[(person * 4 + value) as usize] + 1e-3;
            let group = Bucket { people: (0..values.len() as u32).collect(), values };
            let mut worlds = Worlds::new(std::slice::from_ref(&group), 10_000).unwrap();
            let mut with = vec![[0.0; 4]; group.people.len()];
            let mut all = 0.0;
            while let Some(world) = worlds.advance() {
                let weight: f64 = (0..).zip(world).map(|(person, &value)| prior(person, value)).product();
                all += weight;
                world.iter().zip(&mut with).for_each(|(&value, with)| with[value as usize] += weight);
            }
            let beliefs = believe(group.clone(), prior).unwrap();
            for &person in &group.people {
                for value in 0..4 {
                    let expected = with[person as usize][value as usize] / all;
                    prop_assert!((beliefs.chance(person, value) - expected).abs() < 1e-9);
                }
            }
        }
    }
}
