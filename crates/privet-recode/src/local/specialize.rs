//! Top-down specialization of groups: all records start in one group at the top of every hierarchy, and groups are
//! divided along one column at a time, one level down (thesis 2.7, and Wong et al. for several columns).
//!
//! A part that is safe becomes a group of its own. The records of the other parts stay behind together; when they are
//! not safe, they get records back from parts that can spare some, or whole parts. So every group is safe at every
//! moment if the first one is. What stays behind is looked at again along other columns.

use rayon::prelude::*;

use crate::jury::Jury;
use crate::lattice::Problem;

/// Which column a group is divided along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The one in which most records go down a level; the one with fewest parts among equals (Wong et al.).
    MostRecords,
    /// The one in which the records that go down lose least afterwards (survey UM-04).
    LeastLoss,
    /// The same, but in small groups the one that loses least in the end, when all is divided further.
    LeastLossInTheEnd,
}

/// Divides groups.
pub(crate) struct Specializer<'p, 'a> {
    problem: &'p Problem<'a>,
    choice: Choice,
}

/// Groups of more records than this are divided by several threads.
const LARGE: usize = 4096;

/// In groups of up to so many records every column is tried to the end.
const SMALL: usize = 64;

/// A group on its way down.
struct Node {
    /// In ascending order.
    records: Vec<u32>,
    /// Per column the lowest level at which all records are one.
    levels: Vec<usize>,
}

/// What a thread needs to look at one group after the other.
struct Desk<'a> {
    jury: Jury<'a>,
    /// Per node of a level how many records; all 0 between uses.
    counts: Vec<u32>,
    present: Vec<u32>,
}

impl<'p, 'a> Specializer<'p, 'a> {
    pub fn new(problem: &'p Problem<'a>, choice: Choice) -> Self {
        Self { problem, choice }
    }

    /// Divides records, which are safe together and in ascending order, as far as that goes. Groups come in an order
    /// that does not depend on the number of threads.
    pub fn divide(&self, records: Vec<u32>) -> Vec<Vec<u32>> {
        let mut groups = Vec::new();
        if !records.is_empty() {
            let levels = self.problem.quasi.iter().map(|quasi| quasi.generalization.levels.len()).collect();
            self.grow(Node { records, levels }, &mut self.desk(), &mut groups);
        }
        groups
    }

    /// Divides records unless that loses more than leaving them together.
    pub fn divide_better(&self, records: Vec<u32>) -> Vec<Vec<u32>> {
        let total = |records: &[u32]| loss(self.problem, records).1 * records.len() as f64;
        let whole = total(&records);
        let parts = self.divide(records.clone());
        match parts.iter().map(|part| total(part)).sum::<f64>() < whole {
            true => parts,
            false => vec![records],
        }
    }

    fn desk(&self) -> Desk<'a> {
        let levels = self.problem.quasi.iter().flat_map(|quasi| &quasi.generalization.levels);
        let most = levels.map(|level| level.labels.len()).max().unwrap_or(0);
        Desk { jury: Jury::new(self.problem), counts: vec![0; most], present: Vec::new() }
    }

    fn grow(&self, mut node: Node, desk: &mut Desk<'a>, groups: &mut Vec<Vec<u32>>) {
        // Columns along which all parts had to come back, so that nothing was divided.
        let mut in_vain: Vec<usize> = Vec::new();
        loop {
            self.tighten(&mut node);
            let Some(column) = self.choose(&node, &in_vain, desk) else { break };
            let (parts, rest) = self.divide_along(&node, column, desk);
            if parts.is_empty() {
                in_vain.push(column);
                continue;
            }
            in_vain.clear();
            let levels = &node.levels;
            let below = |records| Node { records, levels: levels.clone() };
            if node.records.len() > LARGE {
                let grown: Vec<Vec<Vec<u32>>> = parts
                    .into_par_iter()
                    .map(|records| {
                        let mut groups = Vec::new();
                        self.grow(below(records), &mut self.desk(), &mut groups);
                        groups
                    })
                    .collect();
                groups.extend(grown.into_iter().flatten());
            } else {
                parts.into_iter().for_each(|records| self.grow(below(records), desk, groups));
            }
            if rest.is_empty() {
                return;
            }
            node.records = rest;
        }
        groups.push(node.records);
    }

    /// The node of a record at a level; above the top everything is one.
    fn node(&self, column: usize, level: usize, record: u32) -> u32 {
        let quasi = &self.problem.quasi[column];
        quasi.generalization.levels[level].node_of_code[quasi.codes[record as usize] as usize]
    }

    fn tighten(&self, node: &mut Node) {
        let Some((&first, others)) = node.records.split_first() else { return };
        for (column, level) in node.levels.iter_mut().enumerate() {
            while *level > 0 {
                let shared = self.node(column, *level - 1, first);
                if others.iter().any(|&record| self.node(column, *level - 1, record) != shared) {
                    break;
                }
                *level -= 1;
            }
        }
    }

    /// The column to divide along, when some part of some column is safe.
    fn choose(&self, node: &Node, in_vain: &[usize], desk: &mut Desk<'a>) -> Option<usize> {
        let columns =
            (0..node.levels.len()).filter(|column| node.levels[*column] > 0 && !in_vain.contains(column));
        let to_the_end = self.choice == Choice::LeastLossInTheEnd && node.records.len() <= SMALL;
        let mut best: Option<(usize, (f64, i64))> = None;
        for column in columns {
            let score = self.score(node, column, desk);
            let Some(score) =
                (if to_the_end && score.is_some() { self.in_the_end(node, column, desk) } else { score })
            else {
                continue;
            };
            if best.is_none_or(|(_, so_far)| score > so_far) {
                best = Some((column, score));
            }
        }
        best.map(|(column, _)| column)
    }

    /// How good it is to divide along a column, when it is possible at all.
    fn score(&self, node: &Node, column: usize, desk: &mut Desk<'a>) -> Option<(f64, i64)> {
        let level = node.levels[column] - 1;
        let safe: Vec<(u32, u64)> = if desk.jury.only_counts() {
            self.count(node, column, level, desk);
            let enough = |&node: &u32| desk.jury.enough(u64::from(desk.counts[node as usize]));
            let sizes = desk.present.iter().filter(|node| enough(node));
            let sizes = sizes.map(|&node| (node, u64::from(desk.counts[node as usize]))).collect();
            desk.forget();
            sizes
        } else {
            let parts = self.parts(node, column, level, desk);
            let safe = parts.into_iter().filter(|(_, records)| desk.jury.holds_for(records));
            safe.map(|(node, records)| (node, records.len() as u64)).collect()
        };
        if safe.is_empty() {
            return None;
        }
        let down: u64 = safe.iter().map(|(_, rows)| rows).sum();
        match self.choice {
            Choice::MostRecords => Some((down as f64, -(safe.len() as i64))),
            Choice::LeastLoss | Choice::LeastLossInTheEnd => {
                let quasi = &self.problem.quasi[column];
                let loss = |leaves: u32| quasi.weight * quasi.generalization.node_loss(leaves);
                let above = loss(self.covered(node, column));
                let below = &quasi.generalization.levels[level].leaves;
                let gain = |&(part, rows): &(u32, u64)| rows as f64 * (above - loss(below[part as usize]));
                let gains: Vec<f64> = safe.iter().map(gain).collect();
                let total: f64 = gains.iter().sum();
                // What stays behind may have to be joined by others, or even by a whole part.
                let rest = node.records.len() as u64 - down;
                let lost = if rest == 0 || (desk.jury.only_counts() && desk.jury.enough(rest)) {
                    0.0
                } else {
                    gains.iter().copied().fold(f64::INFINITY, f64::min).min(total / down as f64 * rest as f64)
                };
                Some((total - lost, -(safe.len() as i64)))
            }
        }
    }

    /// How little is lost in the end when a group is divided along a column first.
    fn in_the_end(&self, node: &Node, column: usize, desk: &mut Desk<'a>) -> Option<(f64, i64)> {
        let (parts, rest) = self.divide_along(node, column, desk);
        if parts.is_empty() {
            return None;
        }
        let onwards = Self { problem: self.problem, choice: Choice::LeastLoss };
        let mut groups = Vec::new();
        for records in parts.into_iter().chain((!rest.is_empty()).then_some(rest)) {
            onwards.grow(Node { records, levels: node.levels.clone() }, desk, &mut groups);
        }
        let lost: f64 =
            groups.iter().map(|records| loss(self.problem, records).1 * records.len() as f64).sum();
        Some((-lost, -(groups.len() as i64)))
    }

    /// Leaves that a group covers in a column.
    fn covered(&self, node: &Node, column: usize) -> u32 {
        let generalization = self.problem.quasi[column].generalization;
        match generalization.levels.get(node.levels[column]) {
            Some(level) => level.leaves[self.node(column, node.levels[column], node.records[0]) as usize],
            None => generalization.leaves,
        }
    }

    fn count(&self, node: &Node, column: usize, level: usize, desk: &mut Desk<'a>) {
        for &record in &node.records {
            let part = self.node(column, level, record);
            if desk.counts[part as usize] == 0 {
                desk.present.push(part);
            }
            desk.counts[part as usize] += 1;
        }
    }

    /// The records of each part, by ascending node.
    fn parts(&self, node: &Node, column: usize, level: usize, desk: &mut Desk<'a>) -> Vec<(u32, Vec<u32>)> {
        self.count(node, column, level, desk);
        desk.present.sort_unstable();
        let mut parts: Vec<(u32, Vec<u32>)> = Vec::with_capacity(desk.present.len());
        for (place, &part) in desk.present.iter().enumerate() {
            parts.push((part, Vec::with_capacity(desk.counts[part as usize] as usize)));
            desk.counts[part as usize] = place as u32;
        }
        for &record in &node.records {
            let place = desk.counts[self.node(column, level, record) as usize];
            parts[place as usize].1.push(record);
        }
        desk.forget();
        parts
    }

    /// Divides a group along a column: the safe parts, and what stays behind.
    fn divide_along(&self, node: &Node, column: usize, desk: &mut Desk<'a>) -> (Vec<Vec<u32>>, Vec<u32>) {
        let parts = self.parts(node, column, node.levels[column] - 1, desk);
        let (mut safe, mut rest) = (Vec::new(), Vec::new());
        for (_, records) in parts {
            if desk.jury.holds_for(&records) {
                safe.push(records);
            } else {
                rest.extend(records);
            }
        }
        if !rest.is_empty() && !desk.jury.holds_for(&rest) && !self.pull_up(&mut safe, &mut rest, desk) {
            // Whole parts come back, the smallest first; in the end all records are together, which is safe.
            safe.sort_by_key(|records| std::cmp::Reverse(records.len()));
            while !desk.jury.holds_for(&rest) {
                let Some(records) = safe.pop() else { break };
                rest.extend(records);
            }
            safe.sort_unstable_by_key(|records| records[0]);
        }
        rest.sort_unstable();
        (safe, rest)
    }

    /// Makes what stays behind safe with records of parts that stay safe without them, the last records first.
    /// Leaves everything as it was when that is not possible.
    fn pull_up(&self, safe: &mut [Vec<u32>], rest: &mut Vec<u32>, desk: &mut Desk<'a>) -> bool {
        /// So many single records are worth pulling; beyond that a whole part may as well come back.
        const MOST: usize = 64;
        let mut pulled: Vec<(usize, u32)> = Vec::new();
        while pulled.len() < MOST {
            // Records with the same sensitive values are worth the same, so the last of each kind is enough.
            let mut candidates: Vec<(u32, usize, usize)> = Vec::new();
            for (part, records) in safe.iter().enumerate() {
                let mut seen: Vec<Vec<u32>> = Vec::new();
                for (place, &record) in records.iter().enumerate().rev() {
                    let kind: Vec<u32> = match desk.jury.only_counts() {
                        true => Vec::new(),
                        false => self.problem.sensitive.iter().map(|s| s.codes[record as usize]).collect(),
                    };
                    if !seen.contains(&kind) {
                        candidates.push((record, part, place));
                        seen.push(kind);
                    }
                    if desk.jury.only_counts() || seen.len() >= MOST {
                        break;
                    }
                }
            }
            candidates.sort_unstable_by_key(|&(record, ..)| std::cmp::Reverse(record));
            let mut spare = None;
            let mut done = false;
            for &(record, part, place) in &candidates {
                let taken = safe[part].remove(place);
                let stays = desk.jury.holds_for(&safe[part]);
                if stays {
                    rest.push(record);
                    done = desk.jury.holds_for(rest);
                    rest.pop();
                    spare = spare.or(Some((part, place)));
                }
                safe[part].insert(place, taken);
                if done {
                    spare = Some((part, place));
                    break;
                }
            }
            let Some((part, place)) = spare else { break };
            let record = safe[part].remove(place);
            rest.push(record);
            pulled.push((part, record));
            if done {
                return true;
            }
        }
        for (part, record) in pulled {
            rest.retain(|&other| other != record);
            let place = safe[part].partition_point(|&other| other < record);
            safe[part].insert(place, record);
        }
        false
    }
}

impl Desk<'_> {
    fn forget(&mut self) {
        for node in self.present.drain(..) {
            self.counts[node as usize] = 0;
        }
    }
}

/// Per column the lowest level at which records are one, one above the top when there is none; and the loss of each of
/// them, summed over columns.
pub(crate) fn loss(problem: &Problem<'_>, records: &[u32]) -> (Vec<u8>, f64) {
    let (mut levels, mut loss) = (Vec::with_capacity(problem.quasi.len()), 0.0);
    for quasi in &problem.quasi {
        let all = &quasi.generalization.levels;
        let mut level = 0;
        if let Some((&first, others)) = records.split_first() {
            let first = quasi.codes[first as usize] as usize;
            for &record in others {
                let code = quasi.codes[record as usize] as usize;
                while level < all.len() && all[level].node_of_code[code] != all[level].node_of_code[first] {
                    level += 1;
                }
            }
            let leaves = all.get(level).map_or(quasi.generalization.leaves, |shown| {
                shown.leaves[shown.node_of_code[first] as usize]
            });
            loss += quasi.weight * quasi.generalization.node_loss(leaves);
        }
        levels.push(level as u8);
    }
    (levels, loss)
}
