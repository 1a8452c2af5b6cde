//! The summary of all buckets of a partition with which 3D privacy is checked again when one bucket is cut (survey
//! ME-10): only the values of that bucket are looked at.

use std::collections::BTreeSet;

use super::{Facts, Skyline};

/// Per value and point the worst that any bucket, or pair of buckets, does. A bucket can be taken out and replaced by
/// its parts without looking at the others.
#[derive(Debug, Clone)]
pub struct GlobalMaxima {
    skyline: Skyline,
    slots: Vec<Slot>,
}

/// The buckets in which one value occurs, by what they say of it at one point.
#[derive(Debug, Clone, Default)]
struct Slot {
    own: BTreeSet<(u64, u32)>,
    alone: BTreeSet<(u64, u32)>,
    family: BTreeSet<(u64, u32)>,
}

impl Slot {
    /// The largest chance of the value over all buckets and pairs of buckets.
    fn chance(&self) -> f64 {
        let least =
            |set: &BTreeSet<(u64, u32)>| set.first().map_or(f64::INFINITY, |&(bits, _)| f64::from_bits(bits));
        let mut odds = least(&self.own).min(least(&self.alone));
        // Two buckets of each kind suffice: the best of one kind and the best other bucket of the other.
        for &(alone, bucket) in self.alone.iter().take(2) {
            for &(family, other) in self.family.iter().take(2) {
                if bucket != other {
                    odds = odds.min(f64::from_bits(alone) * f64::from_bits(family));
                }
            }
        }
        1.0 / (1.0 + odds)
    }

    /// The order of the bits is the order of numbers that are not negative.
    fn insert(&mut self, facts: &Facts, bucket: u32) {
        self.own.insert((facts.own.to_bits(), bucket));
        self.alone.insert((facts.alone.to_bits(), bucket));
        self.family.insert((facts.family.to_bits(), bucket));
    }

    fn remove(&mut self, facts: &Facts, bucket: u32) {
        self.own.remove(&(facts.own.to_bits(), bucket));
        self.alone.remove(&(facts.alone.to_bits(), bucket));
        self.family.remove(&(facts.family.to_bits(), bucket));
    }
}

impl GlobalMaxima {
    /// The summary of no bucket, for a column of so many values.
    pub fn new(skyline: impl Into<Skyline>, values: usize) -> Self {
        let skyline = skyline.into();
        Self { slots: vec![Slot::default(); values * skyline.width()], skyline }
    }

    /// Adds a bucket: each of its values, once, with its count.
    pub fn insert(&mut self, bucket: u32, counts: &[(u32, u32)]) {
        let slots = &mut self.slots;
        self.skyline.facts(counts.iter().copied(), |facts| slots[facts.slot].insert(&facts, bucket));
    }

    /// Takes a bucket out again.
    pub fn remove(&mut self, bucket: u32, counts: &[(u32, u32)]) {
        let slots = &mut self.slots;
        self.skyline.facts(counts.iter().copied(), |facts| slots[facts.slot].remove(&facts, bucket));
    }

    fn reached_at(&self, slot: usize) -> f64 {
        self.skyline.measure_at(slot, self.slots[slot].chance())
    }

    /// What all buckets together [reach](Skyline).
    pub fn reached(&self) -> f64 {
        (0..self.slots.len()).map(|slot| self.reached_at(slot)).fold(0.0, f64::max)
    }

    /// Whether all is safe.
    pub fn is_safe(&self) -> bool {
        self.skyline.accepts(self.reached())
    }

    /// Replaces a bucket of a safe table by its parts, when the table stays safe; otherwise leaves all as it was.
    /// Only the values of that bucket are looked at.
    pub fn replace_if_safe(&mut self, whole: (u32, &[(u32, u32)]), parts: &[(u32, &[(u32, u32)])]) -> bool {
        self.remove(whole.0, whole.1);
        for (bucket, counts) in parts {
            self.insert(*bucket, counts);
        }
        let occurring = whole.1.iter().filter(|(_, count)| *count > 0);
        let safe = occurring
            .flat_map(|&(value, _)| self.skyline.slots_of(value))
            .all(|slot| self.skyline.accepts(self.reached_at(slot)));
        if !safe {
            for (bucket, counts) in parts {
                self.remove(*bucket, counts);
            }
            self.insert(whole.0, whole.1);
        }
        safe
    }
}
