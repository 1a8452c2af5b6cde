//! The point farthest from a centroid that moves a little at a time.
//!
//! All over the surface of a cloud points are nearly as far from its centroid as the farthest one, so boxes rule out
//! little. But the centroid hardly moves from one question to the next: a point that was at distance d when it was
//! last looked at is now at most at d plus the way that the centroid has gone since. A heap is ordered by that
//! bound, which is d less the whole way gone until then, a number that does not change; only points whose bound
//! reaches the farthest one so far are looked at again. Points at the same place are one entry, and the lowest
//! number among them speaks for all.
//!
//! # Guarantee
//! The answer is that of a scan, ties included: bounds are raised by more than any rounding error.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use foldhash::{HashMap, HashMapExt};

use super::neighbours::Near;
use super::points::{Points, distance};

/// Rounding errors of distances and sums are smaller than this share of them: some ten operations on each of at most
/// sixteen coordinates, at 1.2e-16 each.
const ROUNDING: f64 = 1e-13;

/// A place, with its distance when it was last looked at less the way that the centroid had gone until then.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    key: f64,
    place: u32,
}

impl Eq for Bound {}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Bound {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key).then(other.place.cmp(&self.place))
    }
}

/// The points by place.
#[derive(Debug)]
pub(crate) struct Outermost<'a> {
    points: &'a Points,
    // Per place where its records begin, in their order; the first ones may be gone.
    next: Vec<u32>,
    ends: Vec<u32>,
    records: Vec<u32>,
    heap: BinaryHeap<Bound>,
    centroid: Vec<f64>,
    gone: f64,
    looked_at: Vec<Bound>,
}

impl<'a> Outermost<'a> {
    /// Those of the points that are left, in their order.
    pub fn new(points: &'a Points, left: &[u32], centroid: &[f64]) -> Self {
        let mut number: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut bits: Vec<u64> = Vec::new();
        let mut sizes: Vec<u32> = Vec::new();
        let places: Vec<u32> = left
            .iter()
            .map(|&record| {
                bits.clear();
                bits.extend(points.row(record).iter().map(|value| value.to_bits()));
                let place = match number.get(&bits) {
                    Some(&place) => place,
                    None => {
                        number.insert(bits.clone(), sizes.len() as u32);
                        sizes.push(0);
                        sizes.len() as u32 - 1
                    }
                };
                sizes[place as usize] += 1;
                place
            })
            .collect();
        let mut end = 0;
        let next: Vec<u32> = sizes
            .iter()
            .map(|&size| {
                end += size;
                end - size
            })
            .collect();
        let mut ends = next.clone();
        let mut records = vec![0; left.len()];
        for (&record, &place) in left.iter().zip(&places) {
            records[ends[place as usize] as usize] = record;
            ends[place as usize] += 1;
        }
        let key = |&first: &u32| distance(centroid, points.row(records[first as usize])).sqrt();
        let keys = next.iter().map(|first| key(first) * (1.0 + ROUNDING)).enumerate();
        let heap = keys.map(|(place, key)| Bound { key, place: place as u32 }).collect();
        let centroid = centroid.to_vec();
        Self { points, next, ends, records, heap, centroid, gone: 0.0, looked_at: Vec::new() }
    }

    /// The farthest of those that are still there.
    pub fn farthest(&mut self, centroid: &[f64], is_there: impl Fn(u32) -> bool) -> Option<u32> {
        let step = distance(centroid, &self.centroid).sqrt();
        self.gone = (self.gone + step) * (1.0 + ROUNDING);
        self.centroid.copy_from_slice(centroid);
        let mut best: Option<Near> = None;
        while let Some(&Bound { key, place }) = self.heap.peek() {
            let reach = key + self.gone + (key.abs() + self.gone) * ROUNDING;
            if best.is_some_and(|best| reach < best.distance.sqrt()) {
                break;
            }
            self.heap.pop();
            let next = &mut self.next[place as usize];
            let records = &self.records[*next as usize..self.ends[place as usize] as usize];
            // A place without records is never asked about again.
            let Some(first) = records.iter().position(|&record| is_there(record)) else { continue };
            *next += first as u32;
            let record = records[first];
            let near = Near { distance: distance(centroid, self.points.row(record)), record };
            best = Near::farther(best, Some(near));
            let far = near.distance.sqrt();
            self.looked_at.push(Bound { key: far - self.gone + (far + self.gone) * ROUNDING, place });
        }
        self.heap.extend(self.looked_at.drain(..));
        best.map(|best| best.record)
    }
}
