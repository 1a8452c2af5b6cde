//! Basic 3D privacy (survey PM-13), value by value and pair of classes by pair of classes.

use super::{Judged, Reach, TOLERANCE, Worst};
use crate::verify::table::{Histogram, Released};

/// What the adversary knows.
#[derive(Clone, Copy)]
pub(super) struct Knows {
    /// Values that the person does not have.
    pub not: u32,
    /// Values of so many other people.
    pub others: u32,
    /// People who would give the person away if they had the same value.
    pub family: u32,
}

/// No value of any person is as likely as c, whatever the adversary picks to know.
pub(super) fn judge(knows: Knows, c: f64, column: usize, released: &Released) -> Result<Judged, String> {
    if !(c > 0.0 && c <= 1.0) {
        return Err("c must be above 0 and at most 1".to_owned());
    }
    let histograms = released.histograms(column);
    let texts = released.table.columns[column].texts.len();
    // Per value the two classes in which a family most surely has it, so that one of them is another class.
    let mut families: Vec<[(f64, usize); 2]> = vec![[(f64::INFINITY, usize::MAX); 2]; texts];
    for (class, histogram) in histograms.iter().enumerate() {
        let people = size(histogram);
        for (&value, &having) in histogram {
            let spared = nobody(knows.family, people, having);
            let best = &mut families[value as usize];
            if spared < best[0].0 {
                *best = [(spared, class), best[0]];
            } else if spared < best[1].0 {
                best[1] = (spared, class);
            }
        }
    }
    let classes = histograms.iter().enumerate().map(|(class, histogram)| {
        let breach = histogram.keys().map(|&value| {
            let elsewhere = families[value as usize].iter().find(|(_, other)| *other != class);
            let elsewhere = elsewhere.map_or(1.0, |&(spared, _)| spared.min(1.0));
            chance(knows, histogram, value, elsewhere)
        });
        let breach = breach.fold(0.0, f64::max);
        Reach::exactly(breach, breach < c - TOLERANCE)
    });
    Ok(Judged::new(Worst::Largest, classes.collect()))
}

fn size(histogram: &Histogram) -> u64 {
    histogram.values().sum()
}

/// The largest chance that somebody of a class has a value: the family in the same class, or where it spares the value
/// with the chance `elsewhere`.
fn chance(knows: Knows, histogram: &Histogram, value: u32, elsewhere: f64) -> f64 {
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
