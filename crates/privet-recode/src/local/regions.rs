//! Groups and what they show, to look up which of them cover a record.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};

use super::specialize::loss;
use crate::lattice::{Problem, Quasi};

/// A group with what it shows.
pub(super) struct Group {
    /// In ascending order; none once the group is gone.
    pub records: Vec<u32>,
    /// Per column the level of the node that is shown; one above the top for anything.
    pub levels: Vec<u8>,
    /// Loss of each record, summed over columns.
    pub loss: f64,
    /// When it last changed.
    pub changed: u64,
}

impl Group {
    pub fn new(problem: &Problem<'_>, records: Vec<u32>) -> Self {
        let (levels, loss) = loss(problem, &records);
        Self { records, levels, loss, changed: 1 }
    }

    /// Whether it shows what a record would show at its levels.
    pub fn covers(&self, problem: &Problem<'_>, record: u32) -> bool {
        let Some(&first) = self.records.first() else { return false };
        problem.quasi.iter().zip(&self.levels).all(|(quasi, &level)| {
            let node = |record: u32| {
                let level = quasi.generalization.levels.get(usize::from(level))?;
                Some(level.node_of_code[quasi.codes[record as usize] as usize])
            };
            node(first) == node(record)
        })
    }

    pub fn total(&self) -> f64 {
        self.records.len() as f64 * self.loss
    }
}

/// Where a record would lose less, and how much it would lose there.
#[derive(Clone, Copy)]
pub(super) struct Offer {
    pub group: u32,
    pub loss: f64,
}

/// What is known of the offers to a record from groups that did not change.
#[derive(Clone, Copy)]
pub(super) enum Known {
    /// Nothing.
    Nothing,
    /// The best of them, if there is one.
    Best(Option<Offer>),
}

/// Signs of what records show: per column and level, by code, a number that is as good as random. The sign of a choice of
/// levels is all of its columns' taken together, so it costs one step per column and no look at nodes.
pub(super) struct Signs(Vec<Vec<Vec<u64>>>);

impl Signs {
    pub fn new(problem: &Problem<'_>) -> Self {
        let column = |(number, quasi): (usize, &Quasi<'_>)| {
            let levels = quasi.generalization.levels.iter().enumerate();
            let sign =
                |level: usize, node: u32| mix((number as u64) << 48 ^ (level as u64) << 40 ^ u64::from(node));
            let of_level = levels.map(|(number, level)| {
                level.node_of_code.iter().map(|&node| sign(number, node)).collect::<Vec<u64>>()
            });
            // One above the top, where everything is one.
            let anything = vec![
                sign(quasi.generalization.levels.len(), 0);
                quasi.generalization.levels[0].node_of_code.len()
            ];
            of_level.chain([anything]).collect()
        };
        Self(problem.quasi.iter().enumerate().map(column).collect())
    }

    pub fn of(&self, problem: &Problem<'_>, levels: &[u8], record: u32) -> u64 {
        let columns = self.0.iter().zip(&problem.quasi).zip(levels);
        columns.fold(0, |sign, ((signs, quasi), &level)| {
            sign ^ signs[level as usize][quasi.codes[record as usize] as usize]
        })
    }
}

/// The finalizer of SplitMix64.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// So many choices of levels, those that lose least, are looked at for each record: all of them would take time that
/// grows with the square of a large table, and a move to a group that shows little gains little.
const MOST_CHOICES: usize = 128;

/// What the groups show, to look up which of them cover a record.
pub(super) struct Regions {
    /// The choices of levels that occur, with the least loss of a group there, from the least.
    choices: Vec<(f64, Vec<u8>)>,
    /// Those of groups that changed lately.
    fresh: Vec<(f64, Vec<u8>)>,
    /// Per sign of what is shown a group that shows it.
    group_of: HashMap<u64, u32>,
}

impl Regions {
    /// What groups show; those that changed at `since` or later are fresh.
    pub fn new(problem: &Problem<'_>, signs: &Signs, groups: &[Group], since: u64) -> Self {
        let mut least: BTreeMap<&[u8], (f64, bool)> = BTreeMap::new();
        let mut group_of = HashMap::with_capacity(groups.len());
        for (number, group) in groups.iter().enumerate() {
            let Some(&first) = group.records.first() else { continue };
            let (loss, fresh) = least.entry(&group.levels).or_insert((group.loss, false));
            *loss = loss.min(group.loss);
            *fresh |= group.changed >= since;
            group_of.entry(signs.of(problem, &group.levels, first)).or_insert(number as u32);
        }
        let list = |only_fresh: bool| {
            let wanted = least.iter().filter(|(_, (_, fresh))| *fresh || !only_fresh);
            let mut choices: Vec<(f64, Vec<u8>)> =
                wanted.map(|(levels, (loss, _))| (*loss, levels.to_vec())).collect();
            choices.sort_by(|a, b| a.0.total_cmp(&b.0));
            choices.truncate(MOST_CHOICES);
            choices
        };
        Self { choices: list(false), fresh: list(true), group_of }
    }

    /// The group that covers a record and in which it loses least, when that is less than `below`. With an offer that
    /// still stands only fresh groups are looked at.
    pub fn best(
        &self,
        problem: &Problem<'_>,
        signs: &Signs,
        groups: &[Group],
        record: u32,
        below: f64,
        known: Known,
    ) -> Option<Offer> {
        let (mut best, choices) = match known {
            Known::Nothing => (None, &self.choices),
            Known::Best(offer) => (offer, &self.fresh),
        };
        for (least, levels) in choices {
            let bar = best.map_or(below, |offer| offer.loss);
            if *least >= bar {
                break;
            }
            let Some(&number) = self.group_of.get(&signs.of(problem, levels, record)) else { continue };
            let group = &groups[number as usize];
            // Equal signs are next to certain, and no more: the group itself tells.
            if group.loss < bar && group.levels == *levels && group.covers(problem, record) {
                best = Some(Offer { group: number, loss: group.loss });
            }
        }
        best
    }
}
