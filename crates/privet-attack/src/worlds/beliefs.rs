//! What an adversary believes about everybody: per person a distribution over the values of the bucket.
//!
//! Values that are impossible for somebody may be left out or have chance 0. People about whom the same is
//! believed share one distribution, so that beliefs about a large table are small.

use foldhash::{HashMap, HashMapExt};

use crate::Rate;

/// So many standard errors below what was drawn lies what counts: with twelve walks it is wrong about one in a thousand of those
/// who are at the edge.
pub const CERTAIN: f64 = 4.0;

/// Beliefs about the sensitive value of people.
#[derive(Debug, Clone, Default)]
pub struct Beliefs {
    /// The distributions one after the other: values in ascending order, with their chances.
    entries: Vec<(u32, f64)>,
    /// Per entry its standard error; empty when the beliefs are exact.
    errors: Vec<f64>,
    /// Where each distribution ends.
    ends: Vec<usize>,
    of_person: HashMap<u32, u32>,
    people: Vec<u32>,
}

/// That somebody has a value with some chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// Who.
    pub person: u32,
    /// The code of the value.
    pub value: u32,
    /// With which chance.
    pub chance: f64,
}

impl Beliefs {
    pub(crate) fn with_capacity(people: usize) -> Self {
        Self {
            of_person: HashMap::with_capacity(people),
            people: Vec::with_capacity(people),
            ..Self::default()
        }
    }

    /// Adds a distribution, values ascending; gives its number.
    pub(crate) fn add(&mut self, entries: impl IntoIterator<Item = (u32, f64)>) -> u32 {
        self.entries.extend(entries);
        self.ends.push(self.entries.len());
        (self.ends.len() - 1) as u32
    }

    /// Adds a distribution with the standard error of each entry. Beliefs have errors throughout or not at all.
    pub(crate) fn add_estimated(&mut self, entries: impl IntoIterator<Item = (u32, f64, f64)>) -> u32 {
        for (value, chance, error) in entries {
            self.entries.push((value, chance));
            self.errors.push(error);
        }
        self.ends.push(self.entries.len());
        (self.ends.len() - 1) as u32
    }

    /// Says that this is believed about somebody.
    pub(crate) fn about(&mut self, person: u32, distribution: u32) {
        if self.of_person.insert(person, distribution).is_none() {
            self.people.push(person);
        }
    }

    fn range(&self, person: u32) -> std::ops::Range<usize> {
        match self.of_person.get(&person) {
            Some(&which) => {
                let which = which as usize;
                let begin = if which == 0 { 0 } else { self.ends[which - 1] };
                begin..self.ends[which]
            }
            None => 0..0,
        }
    }

    /// Everybody about whom something is believed, in the order of the buckets.
    pub fn people(&self) -> &[u32] {
        &self.people
    }

    /// What is believed about somebody: values in ascending order and their chances. Empty for a stranger.
    pub fn of(&self, person: u32) -> &[(u32, f64)] {
        &self.entries[self.range(person)]
    }

    /// The chance that somebody has a value.
    pub fn chance(&self, person: u32, value: u32) -> f64 {
        let entries = self.of(person);
        entries.binary_search_by_key(&value, |&(value, _)| value).map_or(0.0, |at| entries[at].1)
    }

    /// The standard error of that chance: 0 for exact beliefs, infinite where sampling tells nothing about it.
    pub fn standard_error(&self, person: u32, value: u32) -> f64 {
        let range = self.range(person);
        let found = self.of(person).binary_search_by_key(&value, |&(value, _)| value);
        found.ok().and_then(|at| self.errors.get(range.start + at)).copied().unwrap_or(0.0)
    }

    /// The largest standard error of all; 0 for exact beliefs.
    pub fn largest_error(&self) -> f64 {
        self.errors.iter().copied().fold(0.0, f64::max)
    }

    /// The likeliest value of somebody, and its chance; of equally likely ones the lowest code.
    pub fn most_likely(&self, person: u32) -> Option<(u32, f64)> {
        self.of(person).iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// How sure of a value of somebody one is at least: the chance, less [`CERTAIN`] standard errors.
    pub fn least(&self, person: u32, value: u32) -> f64 {
        // Infinite errors tell nothing.
        (self.chance(person, value) - CERTAIN * self.standard_error(person, value)).max(0.0)
    }

    /// Everybody of whose likeliest value one is at least so sure, whatever was drawn; the surest first. A chance that misses
    /// it by less than 1e-12 counts.
    pub fn exposed(&self, at_least: f64) -> Vec<Belief> {
        let mut exposed = self.likely(at_least);
        exposed.retain(|own| self.least(own.person, own.value) >= at_least - 1e-12);
        exposed
    }

    /// Everybody whose likeliest value seems to have at least this chance, the surest first: some of them by the errors of a
    /// sample alone.
    pub fn likely(&self, at_least: f64) -> Vec<Belief> {
        let likely = self.people.iter().filter_map(|&person| {
            let (value, chance) = self.most_likely(person)?;
            (chance >= at_least - 1e-12).then_some(Belief { person, value, chance })
        });
        let mut exposed: Vec<Belief> = likely.collect();
        exposed.sort_by(|a, b| b.chance.total_cmp(&a.chance).then(a.person.cmp(&b.person)));
        exposed
    }

    /// How many of these beliefs are right: for the owner of the original, who knows everybody's value.
    pub fn score(beliefs: &[Belief], truth: impl Fn(u32) -> Option<u32>) -> Rate {
        let right = beliefs.iter().filter(|belief| truth(belief.person) == Some(belief.value));
        Rate::new(right.count() as u64, beliefs.len() as u64)
    }

    /// How often the likeliest value of a person is the true one.
    pub fn accuracy(&self, truth: impl Fn(u32) -> Option<u32>) -> Rate {
        Self::score(&self.likely(0.0), truth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn believes_what_it_was_told() {
        let mut beliefs = Beliefs::default();
        let even = beliefs.add([(1, 0.5), (4, 0.5)]);
        let sure = beliefs.add([(4, 1.0)]);
        beliefs.about(7, even);
        beliefs.about(3, sure);
        assert_eq!((beliefs.chance(7, 4), beliefs.chance(7, 2), beliefs.chance(9, 4)), (0.5, 0.0, 0.0));
        assert_eq!((beliefs.most_likely(7), beliefs.most_likely(9)), (Some((1, 0.5)), None));
        assert_eq!(beliefs.exposed(0.9), [Belief { person: 3, value: 4, chance: 1.0 }]);
        assert_eq!((beliefs.people(), beliefs.largest_error()), (&[7, 3][..], 0.0));
        // What was drawn counts less its errors.
        let mut drawn = Beliefs::default();
        let near = drawn.add_estimated([(0, 0.95, 0.02), (1, 0.05, 0.02)]);
        let close = drawn.add_estimated([(0, 0.95, 0.01), (1, 0.05, 0.01)]);
        drawn.about(1, near);
        drawn.about(2, close);
        assert_eq!(
            (drawn.likely(0.9).len(), drawn.exposed(0.9)[0].person, drawn.exposed(0.9).len()),
            (2, 2, 1)
        );
        let rate = beliefs.accuracy(|person| (person == 3).then_some(4));
        assert_eq!((rate.hits, rate.of), (1, 2));
    }
}
