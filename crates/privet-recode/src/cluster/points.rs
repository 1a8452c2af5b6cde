//! Records that are points: rows of numbers, one after the other.
//!
//! Everything that compares distances computes them by `distance` or by the same operations in the same order.
//! Floating-point numbers therefore never make two ways of searching disagree.

use super::neighbours::{Geometry, Near, Nearest, Unassigned};

/// Points of the same width, row after row.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    rows: usize,
    width: usize,
    values: Vec<f64>,
}

impl Points {
    /// So many points from their coordinates, row after row; their width is what is there for each. A coordinate
    /// that is not finite counts as 0, and one beyond ±1e100 as that, so that squares stay finite.
    pub fn new(rows: usize, mut values: Vec<f64>) -> Self {
        let width = values.len() / rows.max(1);
        values.truncate(rows * width);
        for value in &mut values {
            *value = if value.is_finite() { value.clamp(-1e100, 1e100) } else { 0.0 };
        }
        Self { rows, width, values }
    }

    /// How many there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many coordinates each has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The coordinates of one of them.
    pub fn row(&self, record: u32) -> &[f64] {
        let begin = record as usize * self.width;
        &self.values[begin..begin + self.width]
    }
}

/// The squared Euclidean distance, summed from the first coordinate to the last.
#[inline]
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}

impl Geometry for Points {
    type Center = Vec<f64>;

    fn rows(&self) -> usize {
        self.rows
    }

    fn center(&self, records: &[u32]) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        for &record in records {
            add(&mut sums, self.row(record));
        }
        sums.iter_mut().for_each(|sum| *sum /= records.len().max(1) as f64);
        sums
    }

    fn between(&self, a: &Vec<f64>, b: &Vec<f64>) -> f64 {
        distance(a, b)
    }

    fn to_center(&self, center: &Vec<f64>, record: u32) -> f64 {
        distance(center, self.row(record))
    }

    fn spread(&self, records: &[u32]) -> f64 {
        let center = self.center(records);
        records.iter().map(|&record| distance(&center, self.row(record))).sum()
    }
}

fn add(sums: &mut [f64], row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
}

/// The centroid of the points that are left, while one after the other is taken out.
///
/// What is taken out is subtracted from the sums, and whenever half of the points are gone the sums are made anew,
/// in the order of the records, so that rounding errors do not pile up.
#[derive(Debug)]
pub(crate) struct Remaining<'a> {
    points: &'a Points,
    here: Vec<bool>,
    sums: Vec<f64>,
    count: usize,
    renew_at: usize,
}

impl<'a> Remaining<'a> {
    pub fn new(points: &'a Points) -> Self {
        let mut all =
            Self { points, here: vec![true; points.rows], sums: Vec::new(), count: points.rows, renew_at: 0 };
        all.renew();
        all
    }

    fn renew(&mut self) {
        self.sums = vec![0.0; self.points.width];
        for record in self.records() {
            add(&mut self.sums, self.points.row(record));
        }
        self.renew_at = self.count / 2;
    }

    /// Those that are left, in their order.
    pub fn records(&self) -> Vec<u32> {
        (0..self.points.rows as u32).filter(|&record| self.here[record as usize]).collect()
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Takes one out. Says whether the sums were made anew: half of the points are gone.
    pub fn remove(&mut self, record: u32) -> bool {
        self.here[record as usize] = false;
        self.count -= 1;
        let row = self.points.row(record);
        self.sums.iter_mut().zip(row).for_each(|(sum, value)| *sum -= value);
        let renew = self.count <= self.renew_at;
        if renew {
            self.renew();
        }
        renew
    }

    /// The centroid.
    pub fn centroid(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| sum / self.count.max(1) as f64).collect()
    }

    /// Whether one is left.
    pub fn has(&self, record: u32) -> bool {
        self.here[record as usize]
    }
}

/// Answers by looking at every point that is left: quadratic in the points over a whole run.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    remaining: Remaining<'a>,
    points: &'a Points,
    // Those that are left, in any order, with their coordinates.
    records: Vec<u32>,
    values: Vec<f64>,
    place: Vec<u32>,
    nearest: Nearest,
}

impl<'a> Scan<'a> {
    pub fn new(points: &'a Points) -> Self {
        let records: Vec<u32> = (0..points.rows as u32).collect();
        Self {
            remaining: Remaining::new(points),
            points,
            place: records.clone(),
            records,
            values: points.values.clone(),
            nearest: Nearest::default(),
        }
    }

    fn distances<'s>(&'s self, from: &'s [f64]) -> impl Iterator<Item = Near> + 's {
        let width = self.points.width;
        self.records.iter().enumerate().map(move |(i, &record)| Near {
            distance: distance(from, &self.values[i * width..(i + 1) * width]),
            record,
        })
    }

    fn farthest(&self, from: &[f64]) -> Option<u32> {
        let mut distances = self.distances(from);
        let first = distances.next()?;
        Some(distances.fold(first, |best, near| if near.is_farther(&best) { near } else { best }).record)
    }
}

impl Unassigned for Scan<'_> {
    fn len(&self) -> usize {
        self.remaining.len()
    }

    fn farthest_from_centroid(&mut self) -> Option<u32> {
        self.farthest(&self.remaining.centroid())
    }

    fn farthest_from(&mut self, record: u32) -> Option<u32> {
        self.farthest(self.points.row(record))
    }

    fn nearest(&mut self, record: u32, most: usize, into: &mut Vec<Near>) {
        let mut nearest = std::mem::take(&mut self.nearest);
        nearest.keep(most);
        self.distances(self.points.row(record)).for_each(|near| nearest.offer(near));
        nearest.drain_sorted(into);
        self.nearest = nearest;
    }

    fn remove(&mut self, record: u32) {
        let width = self.points.width;
        let place = self.place[record as usize] as usize;
        let last = self.records.len() - 1;
        self.records.swap_remove(place);
        self.values.copy_within(last * width.., place * width);
        self.values.truncate(last * width);
        if place < last {
            self.place[self.records[place] as usize] = place as u32;
        }
        self.remaining.remove(record);
    }
}
