//! A local recoding optimizer: from a safe grouping to one in which nothing can be improved by a small step.
//!
//! It starts from groups that are safe (see [`Start`]) and takes steps that each lower the loss (survey UM-04), until none is left:
//!
//! - a group is *divided* along a column, as the top-down search does;
//! - a record *moves* to a group that shows less and covers it already, so that nobody else loses anything;
//! - a group is *dissolved* when all its records find such groups and lose less there together;
//! - two groups that lie near each other are *put together and divided anew*.
//!
//! # Guarantee
//! Every group is safe at every moment: a step that would leave a group unsafe is not taken. Each step lowers the
//! total, so it ends; at the end none of the steps that are looked at lowers it. Looked at are, for a record, the groups
//! whose levels lose least, and for a group a few neighbours: all pairs would take time that grows with the square. The result does not depend on the number of threads.

use std::collections::BTreeMap;

use privet_data::Progress;
use rayon::prelude::*;
use serde::Deserialize;

use super::regions::{Group, Known, Offer, Regions, Signs};
use super::specialize::{Choice, Specializer};
use super::{Found, numbered, prepare};
use crate::algorithm::{Algorithm, AlgorithmInfo, Publish, Selected, read};
use crate::jury::Jury;
use crate::lattice::{self, Options, Problem, SearchError};
use crate::partition::{Mondrian, Workload};

/// Local recoding that moves records until nothing gets better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LocalRecoding {
    /// The groups to start from.
    pub start: Start,
}

/// The groups that a local recoding starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Those of a top-down division that loses least at each step.
    #[default]
    TopDown,
    /// The classes of the best full-domain generalization; suppressed records are one group.
    FullDomain,
    /// Those of Mondrian.
    Mondrian,
}

const ALGORITHM: &str = "local-recoding";

/// A step must lower the total by more than what sums of losses may be wrong by.
const LEAST_GAIN: f64 = 1e-9;

impl LocalRecoding {
    /// Looks for groups.
    ///
    /// # Errors
    /// When a criterion cannot be judged group by group, not even all records together are safe, or the person
    /// stopped it.
    pub fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Found, SearchError> {
        let records = prepare(problem, ALGORITHM)?;
        let specializer = Specializer::new(problem, Choice::LeastLossInTheEnd);
        progress.stage("forming the first groups", None);
        let first = match self.start {
            Start::TopDown => specializer.divide(records),
            Start::FullDomain => full_domain(problem, progress)?,
            Start::Mondrian => mondrian(problem, progress)?,
        };
        progress.check()?;
        // Groups of a top-down division are divided already.
        let first = match self.start {
            Start::TopDown => first,
            Start::FullDomain | Start::Mondrian => {
                first.into_par_iter().flat_map_iter(|records| specializer.divide_better(records)).collect()
            }
        };
        let mut optimizer = Optimizer::new(problem, specializer, first);
        optimizer.run(progress)?;
        let groups: Vec<Vec<u32>> = optimizer.groups.into_iter().map(|group| group.records).collect();
        Ok(Found { groups: numbered(problem.rows, &groups), moves: optimizer.moves })
    }
}

/// The classes of the best full-domain generalization. What it suppresses joins to one group; when that is not safe,
/// the smallest classes join it until it is.
fn full_domain(problem: &Problem<'_>, progress: &dyn Progress) -> Result<Vec<Vec<u32>>, SearchError> {
    let found = match lattice::optimal(problem, Options::default(), progress) {
        // Groups may show `*` where no level of a hierarchy does.
        Err(SearchError::NoSafeNode { .. }) => return Ok(vec![(0..problem.rows as u32).collect()]),
        found => found?,
    };
    let partition = lattice::partition(problem, &problem.at(&found.levels));
    let mut groups = vec![Vec::new(); partition.rows.len()];
    for (record, &class) in partition.class_of.iter().enumerate() {
        groups[class as usize].push(record as u32);
    }
    let mut left = Vec::new();
    for (group, &kept) in groups.iter_mut().zip(&partition.kept) {
        if !kept {
            left.append(group);
        }
    }
    groups.retain(|group| !group.is_empty());
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut jury = Jury::new(problem);
    while !left.is_empty() && !jury.holds_for(&left) {
        let Some(group) = groups.pop() else { break };
        left.extend(group);
    }
    left.sort_unstable();
    groups.extend((!left.is_empty()).then_some(left));
    Ok(groups)
}

fn mondrian(problem: &Problem<'_>, progress: &dyn Progress) -> Result<Vec<Vec<u32>>, SearchError> {
    let groups = Mondrian::default().search(problem, &Workload::default(), progress)?.groups;
    let (starts, records) = groups.members();
    Ok(starts.windows(2).map(|bounds| records[bounds[0] as usize..bounds[1] as usize].to_vec()).collect())
}

struct Optimizer<'p, 'a> {
    problem: &'p Problem<'a>,
    specializer: Specializer<'p, 'a>,
    jury: Jury<'a>,
    groups: Vec<Group>,
    group_of: Vec<u32>,
    moves: u64,
    signs: Signs,
    /// Per record the group that covers it and shows most, as of when they were last looked at.
    offers: Vec<Option<Offer>>,
    offered: u64,
    /// Per column and code its place in an order in which values under one node stand together.
    ranks: Vec<Vec<u32>>,
    clock: u64,
    tried: Vec<u64>,
}

/// Neighbours on either side that are looked at in each order, and how many of the nearest are tried.
const WINDOW: usize = 3;
const NEAREST: usize = 4;

impl<'p, 'a> Optimizer<'p, 'a> {
    fn new(problem: &'p Problem<'a>, specializer: Specializer<'p, 'a>, first: Vec<Vec<u32>>) -> Self {
        let groups = first.into_par_iter().map(|records| Group::new(problem, records)).collect();
        let group_of = vec![0; problem.rows];
        let mut optimizer = Self {
            problem,
            specializer,
            jury: Jury::new(problem),
            groups,
            group_of,
            moves: 0,
            signs: Signs::new(problem),
            offers: vec![None; problem.rows],
            offered: 0,
            ranks: ranks(problem),
            clock: 1,
            tried: Vec::new(),
        };
        for group in 0..optimizer.groups.len() {
            optimizer.note(group);
        }
        optimizer
    }

    fn note(&mut self, group: usize) {
        for &record in &self.groups[group].records {
            self.group_of[record as usize] = group as u32;
        }
    }

    fn run(&mut self, progress: &dyn Progress) -> Result<(), SearchError> {
        progress.stage("moving records to groups that show more", None);
        loop {
            self.relocate_all(progress)?;
            let mut better = false;
            while self.regroup() {
                better = true;
                progress.check()?;
                progress.at(self.moves);
            }
            if !better {
                return Ok(());
            }
        }
    }

    /// Dissolves groups and moves records to groups that cover them, until that gets nothing better.
    fn relocate_all(&mut self, progress: &dyn Progress) -> Result<(), SearchError> {
        loop {
            progress.check()?;
            self.update_offers();
            let mut changed = self.dissolve();
            changed.extend(self.relocate());
            if changed.is_empty() {
                return Ok(());
            }
            changed.sort_unstable();
            changed.dedup();
            changed.into_iter().for_each(|group| self.divide(group));
            progress.at(self.moves);
        }
    }

    /// Divides a group when that lowers the total.
    fn divide(&mut self, group: usize) {
        let whole = &self.groups[group];
        if whole.records.len() < 2 || whole.loss <= LEAST_GAIN {
            return;
        }
        let parts = self.specializer.divide(whole.records.clone());
        if parts.len() < 2 {
            return;
        }
        let parts: Vec<Group> = parts.into_iter().map(|records| Group::new(self.problem, records)).collect();
        if parts.iter().map(Group::total).sum::<f64>() >= whole.total() - LEAST_GAIN {
            return;
        }
        self.replace(group, parts);
    }

    /// Per record the group that covers it and shows most, when that is more than its own shows.
    fn update_offers(&mut self) {
        let since = self.offered;
        let regions = Regions::new(self.problem, &self.signs, &self.groups, since);
        let records = self.group_of.par_iter().zip(&self.offers).enumerate();
        self.offers = records
            .map(|(record, (&group, &offer))| {
                let own = &self.groups[group as usize];
                let stands = own.changed < since
                    && offer.is_none_or(|offer| {
                        let target = &self.groups[offer.group as usize];
                        target.changed < since && !target.records.is_empty()
                    });
                let known = if stands { Known::Best(offer) } else { Known::Nothing };
                let below = own.loss - LEAST_GAIN;
                regions.best(self.problem, &self.signs, &self.groups, record as u32, below, known)
            })
            .collect();
        self.clock += 1;
        self.offered = self.clock;
    }

    /// Dissolves groups whose records are better off elsewhere. Gives the groups that changed.
    fn dissolve(&mut self) -> Vec<usize> {
        let mut changed = Vec::new();
        let mut is_target = vec![false; self.groups.len()];
        for group in 0..self.groups.len() {
            let records = &self.groups[group].records;
            // A group that others were just sent to must stay; its own records may leave one by one.
            if records.is_empty() || is_target[group] {
                continue;
            }
            let mut after = 0.0;
            let all = records.iter().all(|&record| {
                let offer = self.offers[record as usize];
                after += offer.map_or(0.0, |offer| offer.loss);
                offer.is_some_and(|offer| !self.groups[offer.group as usize].records.is_empty())
            });
            if !all || after >= self.groups[group].total() - LEAST_GAIN {
                continue;
            }
            let records = records.clone();
            let mut sent: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for &record in &records {
                if let Some(offer) = self.offers[record as usize] {
                    sent.entry(offer.group).or_default().push(record);
                }
            }
            if !sent.iter().all(|(&target, records)| self.stays_safe_with(target as usize, records)) {
                continue;
            }
            for (target, records) in sent {
                is_target[target as usize] = true;
                self.moves += records.len() as u64;
                self.add(target as usize, &records);
                changed.push(target as usize);
            }
            self.groups[group].records.clear();
        }
        changed
    }

    /// Moves single records to groups that show more. Gives the groups that changed.
    fn relocate(&mut self) -> Vec<usize> {
        let mut wishes: Vec<(f64, u32, Offer)> = Vec::new();
        for (record, offer) in self.offers.iter().enumerate() {
            let own = &self.groups[self.group_of[record] as usize];
            if let Some(offer) = offer.filter(|offer| offer.group != self.group_of[record]) {
                wishes.push((own.loss - offer.loss, record as u32, offer));
            }
        }
        wishes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut changed = Vec::new();
        // A group that somebody left may show more now, and no longer cover those who wished to join it.
        let mut is_left = vec![false; self.groups.len()];
        for (_, record, offer) in wishes {
            let (from, to) = (self.group_of[record as usize] as usize, offer.group as usize);
            let gain = self.groups[from].loss - self.groups[to].loss;
            if gain <= LEAST_GAIN || self.groups[to].records.is_empty() || is_left[to] {
                continue;
            }
            let source = &self.groups[from].records;
            let without: Vec<u32> = source.iter().copied().filter(|&other| other != record).collect();
            if !self.jury.holds_for(&without) || !self.stays_safe_with(to, &[record]) {
                continue;
            }
            self.groups[from] = Group { changed: self.clock, ..Group::new(self.problem, without) };
            is_left[from] = true;
            self.add(to, &[record]);
            self.moves += 1;
            changed.extend([from, to]);
        }
        changed
    }

    /// Puts pairs of groups that lie near each other together and divides them anew. Tells whether any got better.
    fn regroup(&mut self) -> bool {
        let near = self.neighbours();
        self.tried.resize(self.groups.len(), 0);
        let (groups, tried) = (&self.groups, &self.tried);
        // The best partner of each group, and what the two become.
        let mut better: Vec<(f64, usize, usize, Vec<Group>)> = near
            .par_iter()
            .enumerate()
            .filter_map(|(group, near)| {
                let own = &groups[group];
                let mut best: Option<(f64, usize, usize, Vec<Group>)> = None;
                for &other in near {
                    let partner = &groups[other as usize];
                    // A pair of which neither changed since it was last looked at is as good as it was.
                    if own.changed.max(partner.changed) < tried[group] {
                        continue;
                    }
                    let mut records = [&own.records[..], &partner.records].concat();
                    records.sort_unstable();
                    let before = own.total() + partner.total();
                    let parts: Vec<Group> = self
                        .specializer
                        .divide(records)
                        .into_iter()
                        .map(|records| Group::new(self.problem, records))
                        .collect();
                    let gain = before - parts.iter().map(Group::total).sum::<f64>();
                    if gain > best.as_ref().map_or(LEAST_GAIN, |best| best.0) {
                        best = Some((gain, group, other as usize, parts));
                    }
                }
                best
            })
            .collect();
        better.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        self.clock += 1;
        self.tried = vec![self.clock; self.groups.len()];
        let mut is_taken = vec![false; self.groups.len()];
        let mut any = false;
        for (_, group, other, parts) in better {
            if is_taken[group] || is_taken[other] {
                // What was not taken is looked at again.
                self.tried[group] = 0;
                continue;
            }
            (is_taken[group], is_taken[other]) = (true, true);
            any = true;
            self.groups[other].records.clear();
            self.replace(group, parts);
        }
        any
    }

    /// Puts parts in the place of a group.
    fn replace(&mut self, group: usize, parts: Vec<Group>) {
        for (number, mut part) in parts.into_iter().enumerate() {
            part.changed = self.clock;
            let place = if number == 0 { group } else { self.groups.len() };
            match number {
                0 => self.groups[group] = part,
                _ => self.groups.push(part),
            }
            self.note(place);
        }
    }

    /// Per group some others that lie near it: its neighbours when groups are sorted by their first record, with each
    /// column in turn as the last.
    fn neighbours(&self) -> Vec<Vec<u32>> {
        let alive: Vec<u32> = (0..self.groups.len() as u32)
            .filter(|&group| !self.groups[group as usize].records.is_empty())
            .collect();
        let width = self.problem.quasi.len();
        let mut keys: Vec<u32> = vec![0; self.groups.len() * width];
        for &group in &alive {
            let record = self.groups[group as usize].records[0] as usize;
            for (column, quasi) in self.problem.quasi.iter().enumerate() {
                keys[group as usize * width + column] = self.ranks[column][quasi.codes[record] as usize];
            }
        }
        let key = |group: u32| &keys[group as usize * width..(group as usize + 1) * width];
        let orders: Vec<Vec<u32>> = (1..=width)
            .into_par_iter()
            .map(|from| {
                let mut order = alive.clone();
                order.sort_unstable_by(|&a, &b| {
                    let ((a_last, a_first), (b_last, b_first)) =
                        (key(a).split_at(from), key(b).split_at(from));
                    a_first.cmp(b_first).then_with(|| a_last.cmp(b_last)).then(a.cmp(&b))
                });
                order
            })
            .collect();
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); self.groups.len()];
        for order in &orders {
            for (place, &group) in order.iter().enumerate() {
                if self.groups[group as usize].loss <= LEAST_GAIN {
                    continue;
                }
                let around = &order[place.saturating_sub(WINDOW)..order.len().min(place + WINDOW + 1)];
                near[group as usize].extend(around.iter().filter(|&&other| other != group));
            }
        }
        near.par_iter_mut().enumerate().for_each(|(group, near)| {
            let own = &self.groups[group];
            // Pairs of which neither changed since they were last looked at are as good as they were.
            let tried = self.tried.get(group).copied().unwrap_or(0);
            if own.changed < tried && near.iter().all(|&other| self.groups[other as usize].changed < tried) {
                near.clear();
                return;
            }
            near.sort_unstable();
            near.dedup();
            let mut costs: Vec<(f64, u32)> = near
                .iter()
                .map(|&other| {
                    let partner = &self.groups[other as usize];
                    (self.together(own, partner) - own.loss.max(partner.loss), other)
                })
                .collect();
            costs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            costs.truncate(NEAREST);
            *near = costs.into_iter().map(|(_, other)| other).collect();
        });
        near
    }

    /// Loss of each record of two groups if they were one.
    fn together(&self, a: &Group, b: &Group) -> f64 {
        let mut loss = 0.0;
        for (column, quasi) in self.problem.quasi.iter().enumerate() {
            let all = &quasi.generalization.levels;
            let (first, second) =
                (quasi.codes[a.records[0] as usize] as usize, quasi.codes[b.records[0] as usize] as usize);
            let mut level = usize::from(a.levels[column].max(b.levels[column]));
            while level < all.len() && all[level].node_of_code[first] != all[level].node_of_code[second] {
                level += 1;
            }
            let leaves = all.get(level).map_or(quasi.generalization.leaves, |shown| {
                shown.leaves[shown.node_of_code[first] as usize]
            });
            loss += quasi.weight * quasi.generalization.node_loss(leaves);
        }
        loss
    }

    fn stays_safe_with(&mut self, group: usize, records: &[u32]) -> bool {
        let own = &self.groups[group].records;
        if self.jury.only_counts() {
            return self.jury.enough((own.len() + records.len()) as u64);
        }
        let together: Vec<u32> = own.iter().chain(records).copied().collect();
        self.jury.holds_for(&together)
    }

    /// Adds records that a group covers.
    fn add(&mut self, group: usize, records: &[u32]) {
        self.groups[group].changed = self.clock;
        for &record in records {
            let own = &mut self.groups[group].records;
            own.insert(own.partition_point(|&other| other < record), record);
            self.group_of[record as usize] = group as u32;
        }
    }
}

/// Per column and code its place in an order in which values under one node stand together.
fn ranks(problem: &Problem<'_>) -> Vec<Vec<u32>> {
    let rank = |quasi: &lattice::Quasi<'_>| {
        let levels = &quasi.generalization.levels;
        let mut codes: Vec<u32> = (0..levels[0].node_of_code.len() as u32).collect();
        codes.sort_by_key(|&code| {
            levels.iter().rev().map(|level| level.node_of_code[code as usize]).collect::<Vec<u32>>()
        });
        let mut ranks = vec![0; codes.len()];
        codes.iter().zip(0..).for_each(|(&code, place)| ranks[code as usize] = place);
        ranks
    };
    problem.quasi.par_iter().map(rank).collect()
}

impl LocalRecoding {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "local-recoding",
        summary: "Local recoding that moves records until nothing gets better.",
        guarantees: &[
            "The promises hold in every group. Groups were improved until no step that the optimizer looks at (moving a record, dividing or dissolving a group, dividing two neighbours anew) lowered the loss.",
        ],
        judges_together: false,
        needs_monotone: false,
        publishes: Some(Publish::Nodes),
        read: read::<LocalRecoding>,
    };
}

impl Algorithm for LocalRecoding {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn depends_on_order(&self) -> bool {
        true
    }

    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError> {
        Ok(Selected::Groups(self.search(problem, progress)?.groups))
    }
}
