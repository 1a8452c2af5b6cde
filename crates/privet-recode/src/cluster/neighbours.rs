//! Who is near and who is far: the order that all searches for neighbours share, and the questions that
//! microaggregation asks of the records that have no group yet.
//!
//! Among records at the same distance the one with the lowest number comes first, near or far. So the order has no
//! ties, and whoever answers, by a scan or by a tree, with any number of threads, names the same records.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A record at a squared distance. Nearer is less; among equals the lower number is less.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub distance: f64,
    pub record: u32,
}

impl Near {
    /// Whether it is farther than another; among equals the lower number is farther.
    pub fn is_farther(&self, than: &Near) -> bool {
        self.distance > than.distance || (self.distance == than.distance && self.record < than.record)
    }

    /// The farther of two that may be missing.
    pub fn farther(a: Option<Near>, b: Option<Near>) -> Option<Near> {
        match (a, b) {
            (Some(a), Some(b)) => Some(if b.is_farther(&a) { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

impl Eq for Near {}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.record.cmp(&other.record))
    }
}

/// The nearest of all records that were offered.
#[derive(Debug, Default)]
pub(crate) struct Nearest {
    most: usize,
    heap: BinaryHeap<Near>,
}

impl Nearest {
    /// Forgets what it holds; from now on it keeps this many.
    pub fn keep(&mut self, most: usize) {
        self.most = most;
        self.heap.clear();
    }

    /// Whether one at this distance with at least this number would be kept.
    pub fn wants(&self, near: Near) -> bool {
        self.heap.len() < self.most || self.heap.peek().is_some_and(|worst| near < *worst)
    }

    /// Keeps a record if it is among the nearest so far.
    pub fn offer(&mut self, near: Near) {
        if self.heap.len() < self.most {
            self.heap.push(near);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && near < *worst
        {
            *worst = near;
        }
    }

    /// Hands over what it holds, the nearest first.
    pub fn drain_sorted(&mut self, into: &mut Vec<Near>) {
        into.clear();
        into.extend(self.heap.drain());
        into.sort_unstable();
    }
}

/// The records that have no group yet.
pub(crate) trait Unassigned {
    /// How many there are.
    fn len(&self) -> usize;
    /// The farthest from their centroid.
    fn farthest_from_centroid(&mut self) -> Option<u32>;
    /// The farthest from a record, which need not be one of them.
    fn farthest_from(&mut self, record: u32) -> Option<u32>;
    /// So many of the nearest to a record, with itself if it is one of them; the nearest first.
    fn nearest(&mut self, record: u32, most: usize, into: &mut Vec<Near>);
    /// Takes one of them out.
    fn remove(&mut self, record: u32);
}

/// Where records lie, and where the middle of several of them is.
pub(crate) trait Geometry: Sync {
    /// A centroid.
    type Center: Send + Sync;
    /// The number of records.
    fn rows(&self) -> usize;
    /// The centroid of records.
    fn center(&self, records: &[u32]) -> Self::Center;
    /// The squared distance of two centroids.
    fn between(&self, a: &Self::Center, b: &Self::Center) -> f64;
    /// The squared distance of a record from a centroid.
    fn to_center(&self, center: &Self::Center, record: u32) -> f64;
    /// Their sum of squared distances from their own middle (thesis Eq 5.1).
    fn spread(&self, records: &[u32]) -> f64;
}
