//! The cuts that a sample suggests, tried on all records: which part takes each, and which cuts must be undone.

use super::judge::{Counts, Rule};
use super::tree::Node;

/// The cuts of a sample, and what they make of all records.
pub(super) struct Router<'n> {
    nodes: &'n [Node],
    above: Vec<usize>,
    below: Vec<Vec<usize>>,
    /// Per node the records that stay at it, until all is settled: then those of a part.
    pub rows: Vec<usize>,
    pub counts: Vec<Counts>,
    /// Whether a node is a part of its own or below one, once all is settled.
    pub is_part: Vec<bool>,
}

impl<'n> Router<'n> {
    pub fn new(nodes: &'n [Node], rule: &Rule<'_>) -> Self {
        let (mut above, mut below) = (vec![0; nodes.len()], vec![Vec::new(); nodes.len()]);
        let mut open: Vec<(usize, u32)> = Vec::new();
        for (number, node) in nodes.iter().enumerate() {
            if let Some((parent, to_come)) = open.last_mut() {
                above[number] = *parent;
                below[*parent].push(number);
                *to_come -= 1;
            }
            open.push((number, node.parts));
            while let Some(&(_, 0)) = open.last() {
                open.pop();
            }
        }
        let counts = nodes.iter().map(|_| rule.counts()).collect();
        Self { nodes, above, below, rows: vec![0; nodes.len()], counts, is_part: vec![false; nodes.len()] }
    }

    /// Where a record with these places ends: at a part, or at a cut of which no part takes it.
    pub fn route(&self, place: impl Fn(usize) -> u32) -> usize {
        let mut at = 0;
        while let Some(&first) = self.below[at].first() {
            let place = place(self.nodes[first].entry.column as usize);
            let takes = |&&part: &&usize| {
                let entry = self.nodes[part].entry;
                entry.first <= place && place <= entry.last
            };
            match self.below[at].iter().find(takes) {
                Some(&part) => at = part,
                None => break,
            }
        }
        at
    }

    /// Undoes cuts that are not allowed, from the last to the first. Gives back per node the part that it belongs to.
    pub fn settle(&mut self, rule: &Rule<'_>) -> Vec<usize> {
        let mut safe = vec![false; self.nodes.len()];
        // Parts come after what they are parts of.
        for node in (0..self.nodes.len()).rev() {
            let missed = self.rows[node] > 0;
            let allowed =
                !self.below[node].is_empty() && !missed && self.below[node].iter().all(|&part| safe[part]);
            for part in std::mem::take(&mut self.below[node]) {
                self.rows[node] += self.rows[part];
                let (before, from) = self.counts.split_at_mut(part);
                before[node].merge(&from[0]);
            }
            self.is_part[node] = !allowed;
            safe[node] = allowed || rule.holds(self.rows[node] as u64, &self.counts[node]);
        }
        let mut part_of_node: Vec<usize> = (0..self.nodes.len()).collect();
        for node in 1..self.nodes.len() {
            let above = part_of_node[self.above[node]];
            if self.is_part[above] {
                part_of_node[node] = above;
            }
        }
        part_of_node
    }
}
