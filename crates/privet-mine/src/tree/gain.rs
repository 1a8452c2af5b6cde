//! What a split gains, and the best cut of a number.

use serde::{Deserialize, Serialize};

/// How impure a node is, and so what a split gains: the impurity of the node less that of its children by their shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gain {
    /// Entropy of the class in bits.
    #[default]
    Information,
    /// The chance that two records differ in their class.
    Gini,
}

/// Gains closer than this are one: what differs is rounding.
const GRAIN: f64 = 1e-11;

impl Gain {
    /// The impurity of a node times its number of records.
    fn impurity(self, counts: &[u32]) -> f64 {
        let rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if rows == 0 {
            return 0.0;
        }
        let rows = rows as f64;
        match self {
            Gain::Information => {
                let own =
                    |&count: &u32| if count == 0 { 0.0 } else { f64::from(count) * f64::from(count).log2() };
                rows * rows.log2() - counts.iter().map(own).sum::<f64>()
            }
            Gain::Gini => rows - counts.iter().map(|&count| f64::from(count).powi(2)).sum::<f64>() / rows,
        }
    }

    /// What a split into groups gains per record of the node.
    pub fn of(self, total: &[u32], groups: &[u32]) -> f64 {
        let classes = total.len();
        let rows: u64 = total.iter().map(|&count| u64::from(count)).sum();
        let after: f64 = groups.chunks_exact(classes).map(|group| self.impurity(group)).sum();
        (self.impurity(total) - after) / rows.max(1) as f64
    }
}

/// A gain as a number that can be ordered; 0 is none.
pub(super) fn rank(gain: f64) -> u64 {
    (gain / GRAIN).round().max(0.0) as u64
}

/// How often each code that occurs comes with each class, codes ascending.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    pub codes: Vec<u32>,
    pub counts: Vec<u32>,
}

impl Histogram {
    pub fn of(rows: &[u32], codes: &[u32], size: usize, class_of: &[u32], classes: usize) -> Self {
        if size * classes > 4 * rows.len() + 256 {
            return Self::sorted(rows, codes, class_of, classes);
        }
        let mut all = vec![0u32; size * classes];
        for &row in rows {
            all[codes[row as usize] as usize * classes + class_of[row as usize] as usize] += 1;
        }
        let (mut found, mut counts) = (Vec::new(), Vec::new());
        for (code, own) in all.chunks_exact(classes).enumerate() {
            if own.iter().any(|&count| count > 0) {
                found.push(code as u32);
                counts.extend_from_slice(own);
            }
        }
        Self { codes: found, counts }
    }

    /// Few records with many possible codes: sorted instead of counted.
    fn sorted(rows: &[u32], codes: &[u32], class_of: &[u32], classes: usize) -> Self {
        let pair = |&row: &u32| (codes[row as usize], class_of[row as usize]);
        let mut pairs: Vec<(u32, u32)> = rows.iter().map(pair).collect();
        pairs.sort_unstable();
        let mut own = Self::default();
        for (code, class) in pairs {
            if own.codes.last() != Some(&code) {
                own.codes.push(code);
                own.counts.resize(own.codes.len() * classes, 0);
            }
            let last = own.counts.len() - classes;
            own.counts[last + class as usize] += 1;
        }
        own
    }

    /// The counts summed over the nodes of a level.
    pub fn grouped(&self, classes: usize, nodes: usize, node_of: impl Fn(u32) -> u32) -> Vec<u32> {
        let mut groups = vec![0u32; nodes * classes];
        for (&code, own) in self.codes.iter().zip(self.counts.chunks_exact(classes)) {
            let first = node_of(code) as usize * classes;
            for (sum, count) in groups[first..first + classes].iter_mut().zip(own) {
                *sum += count;
            }
        }
        groups
    }

    /// The cut with the largest gain among those that are allowed, as the last code below it. Cuts are told apart by position.
    pub fn best_cut(
        &self,
        gain: Gain,
        total: &[u32],
        mut allowed: impl FnMut(usize) -> bool,
    ) -> Option<(u64, u32, f64)> {
        let classes = total.len();
        let mut groups = vec![0u32; 2 * classes];
        groups[classes..].copy_from_slice(total);
        let mut best: Option<(u64, u32, f64)> = None;
        let last = self.codes.len().saturating_sub(1);
        for (place, own) in self.counts.chunks_exact(classes).enumerate().take(last) {
            for (class, &count) in own.iter().enumerate() {
                groups[class] += count;
                groups[classes + class] -= count;
            }
            if !allowed(place) {
                continue;
            }
            let gained = gain.of(total, &groups);
            let ranked = rank(gained);
            if ranked > 0 && best.is_none_or(|(most, ..)| ranked > most) {
                best = Some((ranked, self.codes[place], gained));
            }
        }
        best
    }
}

/// The plainest number t with `low ≤ t < high`: as few digits as will do.
pub(super) fn plain_between(low: f64, high: f64) -> f64 {
    for digits in -12i32..=15 {
        let step = 10f64.powi(-digits);
        let number = (low / step).ceil() * step;
        // Steps below one are no binary numbers: read the decimal instead.
        let number = match digits > 0 {
            true => format!("{number:.*}", digits as usize).parse().unwrap_or(low),
            false => number,
        };
        if low <= number && number < high {
            return number;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gains of FX-F1 and FX-F2 in bits.
    #[test]
    fn gains_are_those_of_the_fixtures() {
        let close = |gain: f64, printed: f64| assert!((gain - printed).abs() < 5e-5, "{gain} {printed}");
        close(Gain::Information.of(&[6, 6], &[4, 2, 2, 4]), 0.0817);
        close(Gain::Information.of(&[4, 2], &[3, 0, 1, 2]), 0.4591);
        close(Gain::Information.of(&[2, 4], &[0, 3, 2, 1]), 0.4591);
        close(Gain::Information.of(&[2, 1], &[1, 0, 1, 1]), 0.2516);
        close(Gain::Gini.of(&[6, 6], &[4, 2, 2, 4]), 0.5 - 4.0 / 9.0);
    }

    #[test]
    fn sorted_and_counted_histograms_are_equal() {
        let rows: Vec<u32> = (0..50).collect();
        let codes: Vec<u32> = rows.iter().map(|row| row * 7 % 13).collect();
        let classes: Vec<u32> = rows.iter().map(|row| row % 3).collect();
        let counted = Histogram::of(&rows, &codes, 13, &classes, 3);
        let sorted = Histogram::sorted(&rows, &codes, &classes, 3);
        assert_eq!((counted.codes, counted.counts), (sorted.codes, sorted.counts));
    }

    #[test]
    fn cuts_are_plain_numbers() {
        for (low, high, plain) in [
            (36.0, 37.0, 36.0),
            (36.0, 41.0, 40.0),
            (0.1234, 0.2, 0.13),
            (-7.5, -7.4, -7.5),
            (95.0, 250.0, 100.0),
        ] {
            assert_eq!(plain_between(low, high), plain, "{low} {high}");
        }
        let (low, high) = (1.0, 1.0 + f64::EPSILON);
        assert!((low..high).contains(&plain_between(low, high)));
    }
}
