//! A job on a cluster as a simulation of events: parts are given to machines as these become free, their tuples are shuffled, the driver
//! searches, and the parts are written in the same way.
//!
//! What it assumes: keys are spread evenly, so a part of m records has about d·(1 − (1 − 1/d)^m) of the d distinct tuples; a machine is
//! slower or faster than the others by up to a tenth, by its number; all machines send and receive at the rate of their network, and the
//! driver receives the merged tuples over one.

use std::collections::BinaryHeap;

/// What a machine does in a second.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    /// Records that it reads and groups.
    pub group: f64,
    /// Tuples that it merges.
    pub merge: f64,
    /// Records that it reads, looks up and writes.
    pub write: f64,
    /// Bytes that it sends or receives.
    pub network: f64,
    /// Distinct tuples that the driver takes in and searches.
    pub search: f64,
    /// Seconds between two tasks: the scheduler is asked, and answers.
    pub latency: f64,
}

impl Default for Machine {
    /// The rates of the guide: one core, and a network of 10 Gbit/s.
    fn default() -> Self {
        Self { group: 2e6, merge: 5e6, write: 1e6, network: 1.25e9, search: 1e5, latency: 0.1 }
    }
}

/// A table.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Its records.
    pub records: u64,
    /// Its distinct tuples.
    pub tuples: u64,
    /// The columns that records are grouped by.
    pub columns: u64,
}

/// The table of the guide.
pub const TABLE: Table = Table { records: 100_000_000, tuples: 2_000_000, columns: 10 };

/// Machines of the guide, and per number of them the figures of a row: what is shuffled in MB, the seconds of each step and of all, and
/// how many times faster that is than one machine.
pub fn rows() -> Vec<(u64, Vec<String>, Simulated)> {
    let machine = Machine::default();
    let one = simulate(&TABLE, &machine, 1, 1).seconds();
    let row = |machines: u64| {
        let own = simulate(&TABLE, &machine, machines, 1);
        let seconds = [own.group, own.shuffle, own.search, own.write, own.seconds(), one / own.seconds()];
        let figures = std::iter::once(format!("{:.0}", own.shuffled / 1e6));
        (machines, figures.chain(seconds.map(|own| format!("{own:.1}"))).collect(), own)
    };
    [1, 2, 4, 16, 64].map(row).into()
}

/// What a job takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simulated {
    /// Bytes that go from machine to machine, those to the driver included.
    pub shuffled: f64,
    /// Seconds until the last part is grouped.
    pub group: f64,
    /// Seconds until the driver has all tuples.
    pub shuffle: f64,
    /// Seconds of the search.
    pub search: f64,
    /// Seconds until the last part is written.
    pub write: f64,
}

impl Simulated {
    /// The critical path.
    pub fn seconds(&self) -> f64 {
        self.group + self.shuffle + self.search + self.write
    }
}

/// When a machine is free, the earliest first.
#[derive(Debug, PartialEq)]
struct Free(f64, u64);

impl Eq for Free {}

impl Ord for Free {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Free {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// How fast a machine is beside the others.
fn speed(machine: u64) -> f64 {
    0.9 + 0.2 * ((machine * 7) % 11) as f64 / 10.0
}

/// Gives parts of so many seconds each to machines as these become free; tells when the last one is done.
fn rounds(parts: u64, machines: u64, seconds: f64, latency: f64) -> f64 {
    let mut free: BinaryHeap<Free> = (0..machines).map(|own| Free(0.0, own)).collect();
    let mut last = 0.0f64;
    for _ in 0..parts {
        let Some(Free(at, machine)) = free.pop() else { break };
        let done = at + latency + seconds / speed(machine);
        last = last.max(done);
        free.push(Free(done, machine));
    }
    last
}

/// Simulates a job on so many machines, each of which gets about so many parts.
pub fn simulate(table: &Table, machine: &Machine, machines: u64, parts_per_machine: u64) -> Simulated {
    let parts = machines * parts_per_machine;
    let (records, tuples) = (table.records as f64, table.tuples as f64);
    let each = records / parts as f64;
    let distinct = tuples * (1.0 - (1.0 - 1.0 / tuples).powf(each));
    let bytes = (4 * table.columns + 12) as f64;
    let sent = parts as f64 * distinct * bytes;
    // A machine keeps its own share of what it grouped.
    let between = sent * (1.0 - 1.0 / machines as f64);
    let merged = parts as f64 * distinct / machines as f64 / machine.merge;
    let exchanged = between / machines as f64 / machine.network;
    let to_driver = tuples * bytes / machine.network;
    Simulated {
        shuffled: between + tuples * bytes,
        group: rounds(parts, machines, each / machine.group, machine.latency),
        shuffle: exchanged + merged + to_driver,
        search: tuples / machine.search,
        write: rounds(parts, machines, each / machine.write, machine.latency),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Table = Table { records: 1_000_000, tuples: 1_000, columns: 4 };

    #[test]
    fn the_guide_has_these_figures() {
        let guide = std::fs::read_to_string(crate::workspace::root().join("docs/guide/engine.md")).unwrap();
        for (machines, figures, _) in rows() {
            let line = format!("| {machines} | {} |", figures.join(" | "));
            assert!(guide.contains(&line), "{line}");
        }
    }

    #[test]
    fn one_machine_takes_the_sum_of_its_work() {
        let machine = Machine { latency: 0.0, ..Machine::default() };
        let own = simulate(&SMALL, &machine, 1, 1);
        let speed = speed(0);
        assert!((own.group - 1e6 / machine.group / speed).abs() < 1e-9);
        assert!((own.write - 1e6 / machine.write / speed).abs() < 1e-9);
        // Nothing goes from machine to machine; the driver gets each tuple once.
        assert!((own.shuffled - 1_000.0 * 28.0).abs() < 1e-6);
    }

    /// No machine does two parts while another waits: the end is within one part of the even share.
    #[test]
    fn parts_are_given_to_whoever_is_free() {
        for (parts, machines) in [(1, 1), (7, 3), (64, 16), (100, 7)] {
            let end = rounds(parts, machines, 1.0, 0.0);
            let rate: f64 = (0..machines).map(speed).sum();
            let even = parts as f64 / rate;
            assert!(even <= end + 1e-9 && end <= even + 1.0 / 0.9 + 1e-9, "{parts} {machines}: {even} {end}");
        }
    }

    #[test]
    fn the_search_does_not_become_shorter() {
        let [one, many] = [1, 64].map(|machines| simulate(&SMALL, &Machine::default(), machines, 1));
        assert_eq!(one.search, many.search);
        assert!(many.shuffled > one.shuffled && many.write < one.write);
        // No part has more tuples than records, nor than there are.
        let most = 64.0 * 1_000.0 * 28.0 + 1_000.0 * 28.0;
        assert!(many.shuffled <= most);
    }
}
