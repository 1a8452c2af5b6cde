//! Which points are nearest to a person whose one private number is unknown: the exact lower envelope of lines over its range
//! (papers II.2, span computation).
//!
//! The squared distance to a point with private coordinate t and public distance c is (c + t²) − 2tb + b²; b² is common to all, so the
//! nearest points are the lines on the lower envelope. Ties go to the lower point, so a point may be nearest at a single number
//! only: breakpoints are compared as fractions and such touching lines are looked at.

use std::cmp::Ordering;

/// A point as a line: its private coordinate, its public distance squared, and its number for ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    pub at: i64,
    pub height: i64,
    pub site: u32,
}

impl Line {
    /// Below 2^52: positions are at most 2^20, and there are fewer than 2^11 axes.
    fn offset(&self) -> i64 {
        self.height + self.at * self.at
    }

    /// Where two lines meet, the first one further left.
    pub fn meets(&self, right: &Line) -> Fraction {
        Fraction(right.offset() - self.offset(), 2 * (right.at - self.at))
    }

    /// The value at a fraction, times its denominator.
    fn value(&self, place: Fraction) -> i128 {
        i128::from(self.offset()) * i128::from(place.1) - 2 * i128::from(self.at) * i128::from(place.0)
    }
}

/// A fraction with a positive denominator; both parts are below 2^53.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fraction(i64, i64);

impl Fraction {
    /// The nearest number of the machine.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }

    /// Both quotients are off by less than 2^-52 of themselves; only nearer ones are multiplied out.
    fn cmp(self, other: Fraction) -> Ordering {
        let (a, b) = (self.as_f64(), other.as_f64());
        if (a - b).abs() > (a.abs() + b.abs()) * 1e-15 {
            return if a < b { Ordering::Less } else { Ordering::Greater };
        }
        (i128::from(self.0) * i128::from(other.1)).cmp(&(i128::from(other.0) * i128::from(self.1)))
    }
}

/// Appends the sites that are nearest for some number from 0 to `last`, in ascending order. Lines come by ascending coordinate.
pub(crate) fn nearest_sites(lines: &[Line], last: i64, out: &mut Vec<u32>) {
    let (hull, touching) = lower_envelope(lines);
    let (low, high) = (Fraction(0, 1), Fraction(last, 1));
    let first = out.len();
    for (place, line) in hull.iter().enumerate() {
        let from = place.checked_sub(1).map_or(low, |left| hull[left].meets(line));
        let to = hull.get(place + 1).map_or(high, |right| line.meets(right));
        let starts_inside = from.cmp(high) == Ordering::Less && to.cmp(low) == Ordering::Greater;
        if starts_inside && from.cmp(to) == Ordering::Less {
            out.push(line.site);
        }
        // The breakpoint to the right belongs to the lowest site of those that meet there.
        let is_inside = to.cmp(low) != Ordering::Less && to.cmp(high) != Ordering::Greater;
        if let (Some(right), true) = (hull.get(place + 1), is_inside) {
            let value = line.value(to);
            let between = touching.iter().filter(|own| line.at <= own.at && own.at <= right.at);
            let tied = between.filter(|own| own.value(to) == value).map(|own| own.site);
            out.push(tied.chain([line.site, right.site]).min().unwrap_or(line.site));
        }
    }
    out[first..].sort_unstable();
    let mut kept = first;
    for place in first..out.len() {
        if place == first || out[place] != out[kept - 1] {
            out[kept] = out[place];
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// The lines of the envelope from left to right, and those that were left out although they may touch a corner of it.
pub(super) fn lower_envelope(lines: &[Line]) -> (Vec<Line>, Vec<Line>) {
    let (mut hull, mut touching): (Vec<Line>, Vec<Line>) = (Vec::new(), Vec::new());
    for &line in lines {
        if let Some(&top) = hull.last()
            && top.at == line.at
        {
            // Parallel: the lower one, or the lower site of equal lines.
            if (top.height, top.site) <= (line.height, line.site) {
                continue;
            }
            hull.pop();
        }
        while let [.., left, middle] = hull[..] {
            match left.meets(&line).cmp(left.meets(&middle)) {
                Ordering::Greater => break,
                Ordering::Equal => touching.push(middle),
                Ordering::Less => {}
            }
            hull.pop();
        }
        hull.push(line);
    }
    (hull, touching)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The nearest site at every breakpoint of two lines, between neighbouring ones, and at the ends.
    fn by_hand(lines: &[Line], last: i64) -> Vec<u32> {
        let mut places = vec![Fraction(0, 1), Fraction(last, 1)];
        for (place, a) in lines.iter().enumerate() {
            for b in lines[..place].iter().filter(|b| b.at != a.at) {
                let (left, right) = if a.at < b.at { (a, b) } else { (b, a) };
                places.push(left.meets(right));
            }
        }
        places.retain(|place| place.0 >= 0 && place.0 <= last * place.1);
        places.sort_by(|a, b| a.cmp(*b));
        let between = |pair: &[Fraction]| {
            Fraction(pair[0].0 * pair[1].1 + pair[1].0 * pair[0].1, 2 * pair[0].1 * pair[1].1)
        };
        let middles: Vec<Fraction> = places.windows(2).map(between).collect();
        let winner = |&place: &Fraction| lines.iter().map(|own| (own.value(place), own.site)).min();
        let winners: BTreeSet<u32> =
            places.iter().chain(&middles).filter_map(winner).map(|(_, site)| site).collect();
        winners.into_iter().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Few heights and coordinates, so that lines often meet in one point, at the ends too.
        #[test]
        fn envelopes_are_those_by_hand(own in prop::collection::vec((0i64..7, 0i64..10), 1..9), last in 1i64..7) {
            let mut lines: Vec<Line> = own.iter().enumerate()
                .map(|(site, &(at, height))| Line { at: at.min(last), height, site: site as u32 }).collect();
            lines.sort_by_key(|line| (line.at, line.height, line.site));
            let mut found = Vec::new();
            nearest_sites(&lines, last, &mut found);
            prop_assert_eq!(found, by_hand(&lines, last));
        }
    }
}
