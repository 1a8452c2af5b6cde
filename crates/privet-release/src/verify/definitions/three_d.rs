//! 3D privacy (survey PM-13, PM-14), point by point, value by value and pair of classes by pair of classes.

use std::collections::BTreeMap;

use super::{Judged, Reach, TOLERANCE, Worst};
use crate::verify::table::{Histogram, Released};

/// What the adversary knows, and what it must not lead to.
#[derive(Clone, Copy)]
pub(super) struct Point {
    /// Values that the person does not have.
    not: u32,
    /// Values of so many other people.
    others: u32,
    /// People who would give the person away if they had the same value.
    family: u32,
    /// The chance that must not be reached.
    c: f64,
}

impl Point {
    pub fn new(not: u32, others: u32, family: u32, c: f64) -> Self {
        Self { not, others, family, c }
    }
}

/// Points for every value, and values with a point of their own in their place.
pub(super) struct Skyline<'a> {
    pub points: Vec<Point>,
    pub own: BTreeMap<&'a str, Point>,
}

impl Skyline<'_> {
    /// No value of any person is as likely as its c, whatever the adversary picks to know. With several points a class
    /// reaches the largest share of what is allowed; with one, the chance itself.
    pub fn judge(&self, column: usize, released: &Released) -> Result<Judged, String> {
        let all: Vec<Point> = self.points.iter().chain(self.own.values()).copied().collect();
        if all.is_empty() {
            return Err("it names no point".to_owned());
        }
        if !all.iter().all(|point| point.c > 0.0 && point.c <= 1.0) {
            return Err("c must be above 0 and at most 1".to_owned());
        }
        let histograms = released.histograms(column);
        let texts = &released.table.columns[column].texts;
        // Per value the classes in which it occurs.
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); texts.len()];
        for (class, histogram) in histograms.iter().enumerate() {
            histogram.keys().for_each(|&value| places[value as usize].push(class));
        }
        let mut reaches = vec![(0.0f64, true); histograms.len()];
        for ((value, text), places) in (0u32..).zip(texts).zip(&places) {
            let own = self.own.get(&**text).copied();
            for point in own.as_slice().iter().chain(self.points.iter().filter(|_| own.is_none())) {
                for (class, chance) in chances(point, value, places, &histograms) {
                    let (reach, holds) = &mut reaches[class];
                    *reach = reach.max(if all.len() == 1 { chance } else { chance / point.c });
                    *holds &= chance < point.c - TOLERANCE;
                }
            }
        }
        let classes = reaches.into_iter().map(|(reach, holds)| Reach::exactly(reach, holds)).collect();
        Ok(Judged::new(Worst::Largest, classes))
    }
}

/// Per class in which a value occurs the largest chance of it.
fn chances(point: &Point, value: u32, places: &[usize], histograms: &[Histogram]) -> Vec<(usize, f64)> {
    let spared = places.iter().map(|&class| {
        let having = histograms[class].get(&value).copied().unwrap_or(0);
        (class, nobody(point.family, size(&histograms[class]), having))
    });
    let spared: Vec<(usize, f64)> = spared.collect();
    // The class in which a family most surely has the value, and the same without that class.
    let least = |but: Option<usize>| {
        let others = spared.iter().filter(move |(class, _)| Some(*class) != but);
        others.copied().min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let first = least(None);
    let second = least(first.map(|(class, _)| class));
    let here = |&(class, _): &(usize, f64)| {
        let elsewhere = if first.is_some_and(|(best, _)| best == class) { second } else { first };
        let elsewhere = elsewhere.map_or(1.0, |(_, spared)| spared.min(1.0));
        (class, chance(point, &histograms[class], value, elsewhere))
    };
    spared.iter().map(here).collect()
}

fn size(histogram: &Histogram) -> u64 {
    histogram.values().sum()
}

/// The largest chance that somebody of a class has a value: the family in the same class, or where it spares the value
/// with the chance `elsewhere`.
fn chance(knows: &Point, histogram: &Histogram, value: u32, elsewhere: f64) -> f64 {
    let own = histogram.get(&value).copied().unwrap_or(0);
    let mut others: Vec<u64> =
        histogram.iter().filter(|(v, _)| **v != value).map(|(_, &count)| count).collect();
    others.sort_unstable_by(|a, b| b.cmp(a));
    let left: u64 = others.iter().skip(knows.not as usize).sum();
    let left = left.saturating_sub(u64::from(knows.others));
    if left == 0 {
        return 1.0;
    }
    let inside = nobody(knows.family, size(histogram) - u64::from(knows.others) - 1, own);
    own as f64 / (own as f64 + left as f64 * inside.min(elsewhere).min(1.0))
}

/// The chance that none of so many of `people` has what `having` of them have.
fn nobody(family: u32, people: u64, having: u64) -> f64 {
    (0..u64::from(family).min(people))
        .map(|i| people.saturating_sub(having + i) as f64 / (people - i) as f64)
        .product()
}
