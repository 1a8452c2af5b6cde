//! Independent people of whom it is open where they stand, or whether they are in the data at all (survey AT-11 where labels overlap or
//! the list holds others).
//!
//! A world gives people of the list records of their own, as the list goes with the release (`room.rs`), and the records that are left
//! to others; it is as probable as the priors of its people's values make it together. People are placed one after the other, and ways
//! are told apart only by how many records of each value are left, and in buckets also how many that look alike: a permanent, hard in
//! general, and little work for groups of some ten people.
//!
//! # Guarantee
//! A belief that is given is that of going through all worlds in which the person is in the data, but for rounding. Where there are too
//! many ways to tell apart, none is given.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt};
use privet_release::published::Histograms;

use crate::room::Room;

/// Groups that share people, and everybody who may stand there.
pub(super) struct Connected<'a> {
    pub kinds: Vec<Kind<'a>>,
    /// Per place that is one of several looks of its group how many records look so.
    pub looks: &'a HashMap<u32, u64>,
    pub histograms: &'a Histograms,
    /// How probable values are for people of whom nothing is believed.
    pub by_chance: &'a [f64],
}

/// People of whom the same is believed, and whom the same records fit.
#[derive(Clone)]
pub(super) struct Kind<'a> {
    /// Where they may stand, by the number of the place and its group.
    pub places: Vec<(u32, u32)>,
    /// Per value how probable it is for them.
    pub prior: &'a [f64],
    pub people: usize,
    /// Whether they are in the data, however the list goes with it.
    pub is_present: bool,
}

/// What values weigh, ascending.
pub(super) type Weights = Vec<(u32, f64)>;

/// Why worlds were not weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unplaced {
    /// In no world what is believed is true.
    Nowhere,
    /// There are too many.
    TooMany,
}

/// Per kind what values weigh for somebody who is in the data, which is nothing where nobody of the kind can be.
pub(super) type Placed = Result<Vec<Weights>, Unplaced>;

/// How many are left of something, as a part of a state.
#[derive(Clone, Copy)]
struct Slot {
    at: u32,
    bits: u32,
}

impl Slot {
    fn one(self) -> u128 {
        1 << self.at
    }

    fn left(self, state: u128) -> u64 {
        (state >> self.at) as u64 & ((1 << self.bits) - 1)
    }
}

/// A record that somebody may have: of this look, with this value.
struct Chance {
    look: Option<Slot>,
    cell: Slot,
    value: u32,
    prior: f64,
}

/// Where everything stands in a state.
#[derive(Default)]
struct Layout {
    bits: u32,
    /// The state in which nobody has a record, and how many records there are.
    whole: u128,
    records: u64,
    /// Per group its values, and the looks that are told apart.
    cells: BTreeMap<u32, Vec<(u32, Slot)>>,
    looks: HashMap<u32, Slot>,
    /// Groups of several looks.
    dealt_out: BTreeSet<u32>,
}

impl Layout {
    /// `None` where a state cannot hold it all.
    fn new(connected: &Connected<'_>) -> Option<Self> {
        let mut layout = Self::default();
        for (place, group) in connected.kinds.iter().flat_map(|kind| &kind.places) {
            if !layout.cells.contains_key(group) {
                let mut own = Vec::new();
                for &(value, count) in connected.histograms.of(*group) {
                    own.push((value, layout.slot(count)?));
                    layout.records += count;
                }
                layout.cells.insert(*group, own);
            }
            if let Some(&size) = connected.looks.get(place)
                && !layout.looks.contains_key(place)
            {
                let slot = layout.slot(size)?;
                layout.looks.insert(*place, slot);
                layout.dealt_out.insert(*group);
            }
        }
        Some(layout)
    }

    fn slot(&mut self, count: u64) -> Option<Slot> {
        let bits = u64::BITS - count.leading_zeros();
        let slot = Slot { at: self.bits, bits };
        self.bits += bits;
        if self.bits > u128::BITS {
            return None;
        }
        self.whole |= u128::from(count) << slot.at;
        Some(slot)
    }

    /// The records that people of a kind may have.
    fn chances(&self, kind: &Kind<'_>) -> Vec<Chance> {
        let mut all = Vec::new();
        for (place, group) in &kind.places {
            let look = self.looks.get(place).copied();
            for &(value, cell) in self.cells.get(group).into_iter().flatten() {
                let prior = kind.prior.get(value as usize).copied().unwrap_or(0.0);
                if prior > 0.0 {
                    all.push(Chance { look, cell, value, prior });
                }
            }
        }
        all
    }

    /// What it weighs that all records that are left are those of others.
    fn of_others(&self, connected: &Connected<'_>, state: u128) -> f64 {
        let by_chance = |value: u32| connected.by_chance.get(value as usize).copied().unwrap_or(0.0);
        let mut weight = 1.0;
        for (group, cells) in &self.cells {
            let mut left = 0;
            for &(value, cell) in cells {
                let own = cell.left(state);
                weight *= by_chance(value).powi(own as i32);
                left += own;
            }
            // Their values can be dealt out to what they look like in so many ways; where all look alike, that is counted already.
            if self.dealt_out.contains(group) {
                weight *= (1..=left).map(|own| own as f64).product::<f64>();
            }
        }
        weight
    }
}

/// States with the records that are left in them, and the share of what leads there.
type States = Vec<(u128, u64, f64)>;

impl Connected<'_> {
    /// Weighs all worlds in which the list goes with the release in this way, in at most so many steps; tells how many it took.
    pub fn weigh(&self, room: Room, most: usize) -> (Placed, usize) {
        let Some(layout) = Layout::new(self) else { return (Err(Unplaced::TooMany), 0) };
        let chances: Vec<Vec<Chance>> = self.kinds.iter().map(|kind| layout.chances(kind)).collect();
        // Everybody by the number of their kind, and how many still come after them.
        let order: Vec<usize> = (0..)
            .zip(&self.kinds)
            .flat_map(|(number, kind)| std::iter::repeat_n(number, kind.people))
            .collect();
        // Where the list is all there is, those who come must take all that is left.
        let is_idle = |left: u64, still: usize| room == Room::Filled && left > still as u64;
        // From a state to those after somebody was placed.
        let each = |kind: usize,
                    still: usize,
                    state: u128,
                    left: u64,
                    step: &mut dyn FnMut(u128, u64, f64, Option<u32>)| {
            if room != Room::ForAll && !self.kinds[kind].is_present && !is_idle(left, still) {
                step(state, left, 1.0, None);
            }
            for own in &chances[kind] {
                let looks = own.look.map_or(1, |look| look.left(state));
                let weight = own.prior * (looks * own.cell.left(state)) as f64;
                if weight > 0.0 && !is_idle(left - 1, still) {
                    let look = own.look.map_or(0, Slot::one);
                    step(state - own.cell.one() - look, left - 1, weight, Some(own.value));
                }
            }
        };
        let mut layers: Vec<States> = vec![vec![(layout.whole, layout.records, 1.0)]];
        let mut steps = 0;
        for (at, &kind) in order.iter().enumerate() {
            let still = order.len() - at - 1;
            let mut number_of: HashMap<u128, usize> = HashMap::new();
            let mut next: States = Vec::new();
            for &(state, left, share) in &layers[at] {
                each(kind, still, state, left, &mut |state, left, weight, _| {
                    steps += 1;
                    let number = *number_of.entry(state).or_insert(next.len());
                    if number == next.len() {
                        next.push((state, left, 0.0));
                    }
                    next[number].2 += share * weight;
                });
                if steps > most {
                    return (Err(Unplaced::TooMany), steps);
                }
            }
            rescale(next.iter_mut().map(|own| &mut own.2));
            layers.push(next);
        }
        // Backwards: how much what comes after a state weighs.
        let ends = layers.pop().unwrap_or_default(); // why: there is the first layer
        let mut ahead: HashMap<u128, f64> = ends
            .iter()
            .map(|&(state, left, _)| match room {
                Room::Filled => (state, f64::from(u8::from(left == 0))),
                Room::ForAll | Room::Uncertain => (state, layout.of_others(self, state)),
            })
            .collect();
        rescale(ahead.values_mut());
        let mut found = vec![Vec::new(); self.kinds.len()];
        for (at, &kind) in order.iter().enumerate().rev() {
            let mut of_value: BTreeMap<u32, f64> = BTreeMap::new();
            let mut before = HashMap::with_capacity(layers[at].len());
            for &(state, left, share) in &layers[at] {
                let mut all = 0.0;
                each(kind, order.len() - at - 1, state, left, &mut |after, _, weight, value| {
                    let own = weight * ahead.get(&after).copied().unwrap_or(0.0);
                    all += own;
                    if let Some(value) = value {
                        *of_value.entry(value).or_default() += share * own;
                    }
                });
                before.insert(state, all);
            }
            // All of a kind are believed the same.
            if at == 0 || order[at - 1] != kind {
                let all: f64 = of_value.values().sum();
                found[kind] =
                    of_value.into_iter().filter(|_| all > 0.0).map(|own| (own.0, own.1 / all)).collect();
            }
            rescale(before.values_mut());
            ahead = before;
        }
        match ahead.values().any(|own| *own > 0.0) {
            true => (Ok(found), steps),
            false => (Err(Unplaced::Nowhere), steps),
        }
    }
}

/// Scales weights so that the largest is 1: only how they compare matters.
fn rescale<'w>(weights: impl ExactSizeIterator<Item = &'w mut f64>) {
    let weights: Vec<&mut f64> = weights.collect();
    let most = weights.iter().fold(0.0, |most: f64, own| most.max(**own));
    if most > 0.0 {
        weights.into_iter().for_each(|own| *own /= most);
    }
}
