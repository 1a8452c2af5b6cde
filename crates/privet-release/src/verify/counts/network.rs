//! Unknown flows in a network with known ones: the least and the most that each can be, in whole numbers.
//!
//! A table of one or two columns with its totals is such a network: from all records to rows, from rows to columns, and
//! back. Some flow that fits is found first; how far one arc can then go up or down is how much more can flow around it
//! (Ford and Fulkerson). Both ends are reached by flows of whole numbers.

use std::collections::VecDeque;

/// A network. Arcs come in pairs: arc `i ^ 1` is arc `i` backwards.
pub(super) struct Network {
    arcs_of: Vec<Vec<usize>>,
    head: Vec<usize>,
    /// How much more can flow along an arc.
    room: Vec<u64>,
    /// What known flows leave at each node.
    surplus: Vec<i128>,
    most: u64,
}

impl Network {
    /// A network of so many nodes in which no flow is above `most`.
    pub fn new(nodes: usize, most: u64) -> Self {
        let arcs_of = vec![Vec::new(); nodes];
        Self { arcs_of, head: Vec::new(), room: Vec::new(), surplus: vec![0; nodes], most }
    }

    /// A flow that is known.
    pub fn known(&mut self, from: usize, to: usize, flow: u64) {
        self.surplus[from] -= i128::from(flow);
        self.surplus[to] += i128::from(flow);
    }

    /// A flow that is not known; returns its number.
    pub fn unknown(&mut self, from: usize, to: usize) -> usize {
        self.arc(from, to, self.most)
    }

    fn arc(&mut self, from: usize, to: usize, room: u64) -> usize {
        let number = self.head.len();
        self.arcs_of[from].push(number);
        self.arcs_of[to].push(number + 1);
        self.head.extend([to, from]);
        self.room.extend([room, 0]);
        number
    }

    /// Finds flows that fit; false when there are none.
    pub fn fill(&mut self) -> bool {
        let nodes = self.arcs_of.len();
        self.arcs_of.extend([Vec::new(), Vec::new()]);
        let (source, sink) = (nodes, nodes + 1);
        let mut needed = 0u64;
        for node in 0..nodes {
            let Ok(amount) = u64::try_from(self.surplus[node].unsigned_abs()) else { return false };
            match self.surplus[node] > 0 {
                true => {
                    let Some(sum) = needed.checked_add(amount) else { return false };
                    needed = sum;
                    self.arc(source, node, amount);
                }
                false => {
                    self.arc(node, sink, amount);
                }
            }
        }
        let filled = self.push(source, sink, None) == needed && self.surplus.iter().sum::<i128>() == 0;
        // What stands at the added nodes is as it must be; no flow around an arc may change it.
        for arc in std::mem::take(&mut self.arcs_of[source])
            .into_iter()
            .chain(std::mem::take(&mut self.arcs_of[sink]))
        {
            self.room[arc] = 0;
            self.room[arc ^ 1] = 0;
        }
        filled
    }

    /// The least and the most that an unknown flow can be, once the network is filled.
    pub fn range(&mut self, arc: usize) -> (u64, u64) {
        let (from, to) = (self.head[arc ^ 1], self.head[arc]);
        let flow = self.room[arc ^ 1];
        let before = self.room.clone();
        let up = self.push(to, from, Some(arc));
        self.room.clone_from(&before);
        let down = self.push(from, to, Some(arc));
        self.room = before;
        (flow.saturating_sub(down), flow.saturating_add(up).min(self.most))
    }

    /// Pushes as much as can flow between two nodes along shortest ways, without an arc.
    fn push(&mut self, from: usize, to: usize, without: Option<usize>) -> u64 {
        let mut pushed = 0u64;
        let mut came_by = vec![usize::MAX; self.arcs_of.len()];
        loop {
            came_by.fill(usize::MAX);
            let mut waiting = VecDeque::from([from]);
            while let Some(node) = waiting.pop_front() {
                for &arc in &self.arcs_of[node] {
                    let next = self.head[arc];
                    if self.room[arc] > 0
                        && without.is_none_or(|other| other != arc & !1)
                        && next != from
                        && came_by[next] == usize::MAX
                    {
                        came_by[next] = arc;
                        waiting.push_back(next);
                    }
                }
                if came_by[to] != usize::MAX {
                    break;
                }
            }
            if came_by[to] == usize::MAX {
                return pushed;
            }
            let way = |node: usize| (node != from).then(|| came_by[node]);
            let mut least = u64::MAX;
            let mut node = to;
            while let Some(arc) = way(node) {
                least = least.min(self.room[arc]);
                node = self.head[arc ^ 1];
            }
            let mut node = to;
            while let Some(arc) = way(node) {
                self.room[arc] -= least;
                self.room[arc ^ 1] = self.room[arc ^ 1].saturating_add(least);
                node = self.head[arc ^ 1];
            }
            pushed = pushed.saturating_add(least);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows and two columns with all totals known, and nothing else: one number is free.
    #[test]
    fn a_square() {
        let mut network = Network::new(6, 66);
        let (all, rows, columns, end) = (0, [1, 2], [3, 4], 5);
        for (row, sum) in rows.into_iter().zip([21, 45]) {
            network.known(all, row, sum);
        }
        for (column, sum) in columns.into_iter().zip([35, 31]) {
            network.known(column, end, sum);
        }
        network.known(end, all, 66);
        let arcs: Vec<usize> = rows
            .iter()
            .flat_map(|&row| columns.map(|column| (row, column)))
            .map(|(a, b)| network.unknown(a, b))
            .collect();
        assert!(network.fill());
        let found: Vec<(u64, u64)> = arcs.into_iter().map(|arc| network.range(arc)).collect();
        assert_eq!(found, [(0, 21), (0, 21), (14, 35), (10, 31)]);
    }

    #[test]
    fn contradictions_are_seen() {
        let mut network = Network::new(2, 9);
        network.known(0, 1, 5);
        network.known(1, 0, 4);
        assert!(!network.fill());
        let mut network = Network::new(2, 9);
        network.known(1, 0, 9);
        network.known(0, 1, 4);
        let arc = network.unknown(0, 1);
        assert!(network.fill());
        assert_eq!(network.range(arc), (5, 5));
    }
}
