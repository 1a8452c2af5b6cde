//! A column before and after, thinned to what can be drawn.
//!
//! # Guarantee
//! Thinned once, where every value is known, and it is told how: neighbours of an ordered column are joined, of others the
//! rarest get no bar. No share is lost: bars and rest together are all records. Values are not named.

use serde::Serialize;

use crate::Figure;

/// More bars than this are no picture.
const MOST_BARS: usize = 32;

/// A column before and after.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ColumnUtility {
    /// Its name.
    pub name: String,
    /// `quasi`, `sensitive` or `insensitive`.
    pub role: String,
    /// Per bar the share of records before: in natural order where values have one, or else from the most frequent on.
    pub before: Vec<f64>,
    /// The same in the release.
    pub after: Vec<f64>,
    /// Whether the values have an order: numbers or dates.
    pub is_ordered: bool,
    /// How many values stand behind a bar at most: one, or more that are neighbours. None where a bar is a range of numbers,
    /// cut so that all hold about as many records of the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values_per_bar: Option<u64>,
    /// The rarest values, which have no bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<RestOfValues>,
    /// Figures: distances between the two, means, variances.
    pub figures: Vec<Figure>,
}

/// Values that have no bar.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RestOfValues {
    /// How many.
    pub values: u64,
    /// Their share of records before.
    pub before: f64,
    /// The same in the release.
    pub after: f64,
}

impl ColumnUtility {
    /// From the shares of all values, before and after.
    #[must_use]
    pub fn of_values(name: &str, role: &str, mut shares: Vec<(f64, f64)>, is_ordered: bool) -> Self {
        let sum =
            |part: &[(f64, f64)]| part.iter().fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        let mut rest = None;
        let mut run = 1;
        if is_ordered {
            run = shares.len().div_ceil(MOST_BARS).max(1);
            shares = shares.chunks(run).map(sum).collect();
        } else {
            // Stable, so that equally frequent ones stand as they do in other copies.
            shares.sort_by(|a, b| b.0.total_cmp(&a.0));
            if let Some(others) = shares.get(MOST_BARS..).filter(|others| !others.is_empty()) {
                let (before, after) = sum(others);
                rest = Some(RestOfValues { values: others.len() as u64, before, after });
            }
            shares.truncate(MOST_BARS);
        }
        let values_per_bar = Some(run as u64);
        Self { rest, values_per_bar, ..Self::of_bars(name, role, shares, is_ordered) }
    }

    /// From the shares of ranges of numbers.
    #[must_use]
    pub fn of_ranges(name: &str, role: &str, shares: Vec<(f64, f64)>) -> Self {
        Self::of_bars(name, role, shares, true)
    }

    fn of_bars(name: &str, role: &str, shares: Vec<(f64, f64)>, is_ordered: bool) -> Self {
        let (before, after) = shares.into_iter().unzip();
        Self { name: name.to_owned(), role: role.to_owned(), before, after, is_ordered, ..Self::default() }
    }

    /// With figures about it.
    #[must_use]
    pub fn with(self, figures: Vec<Figure>) -> Self {
        Self { figures, ..self }
    }

    /// Half the sum of the differences between before and after: what was measured over single values, or else over bars,
    /// where all values have one of their own. None where neither can be said.
    #[must_use]
    pub fn total_variation(&self) -> Option<f64> {
        let measured = self.figures.iter().find(|own| own.key == "total-variation").map(|own| own.value);
        let is_whole = self.values_per_bar.is_none_or(|values| values == 1) && self.rest.is_none();
        measured.filter(|far| far.is_finite()).or_else(|| {
            let far = self.bars().map(|(before, after)| (before - after).abs()).sum::<f64>() / 2.0;
            (is_whole && far.is_finite() && self.bars().next().is_some()).then_some(far)
        })
    }

    /// The shares of each bar.
    pub(crate) fn bars(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let at = |all: &[f64], bar: usize| all.get(bar).copied().unwrap_or(0.0);
        (0..self.before.len().max(self.after.len()))
            .map(move |bar| (at(&self.before, bar), at(&self.after, bar)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_half_the_sum_of_differences() {
        let far = |shares: &[(f64, f64)]| {
            ColumnUtility::of_values("a", "quasi", shares.to_vec(), true).total_variation()
        };
        assert_eq!(far(&[(0.5, 0.25), (0.5, 0.75)]), Some(0.25));
        assert_eq!(far(&[(1.0, 0.0), (0.0, 1.0)]), Some(1.0));
        assert_eq!(far(&[]), None);
        assert_eq!(far(&[(f64::NAN, 1.0)]), None);
        // Joined bars hide differences.
        assert_eq!(far(&[(0.01, 0.01); 100]), None);
        let measured = Figure {
            key: "total-variation",
            name: String::new(),
            column: None,
            value: 0.3,
            says: String::new(),
            is_share: false,
            is_estimate: false,
        };
        let column =
            ColumnUtility::of_values("a", "quasi", vec![(0.01, 0.01); 100], true).with(vec![measured]);
        assert_eq!(column.total_variation(), Some(0.3));
    }

    /// Values are counted, not bars: of 200 values without an order 168 have no bar, and 14,569 in order make bars of 456.
    #[test]
    fn many_values_are_thinned_once() {
        // The most frequent value stands last, and has 6 of 205 records.
        let mut shares = vec![(1.0 / 205.0, 1.0 / 200.0); 199];
        shares.push((6.0 / 205.0, 1.0 / 200.0));
        let column = ColumnUtility::of_values("town", "quasi", shares, false);
        assert_eq!((column.before.len(), column.values_per_bar), (32, Some(1)));
        assert!((column.before[0] - 6.0 / 205.0).abs() < 1e-12);
        let rest = column.rest.unwrap();
        assert_eq!(rest.values, 168);
        assert!((rest.before - 168.0 / 205.0).abs() < 1e-9 && (rest.after - 168.0 / 200.0).abs() < 1e-9);

        let dates = vec![(1.0 / 14_569.0, 1.0 / 14_569.0); 14_569];
        let column = ColumnUtility::of_values("birth_date", "quasi", dates, true);
        assert_eq!((column.before.len(), column.values_per_bar, column.rest), (32, Some(456), None));
        for all in [&column.before, &column.after] {
            assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        // As many as there are bars are drawn one by one.
        for is_ordered in [false, true] {
            let column = ColumnUtility::of_values("a", "quasi", vec![(1.0 / 32.0, 0.0); 32], is_ordered);
            assert_eq!((column.before.len(), column.values_per_bar, column.rest), (32, Some(1), None));
        }
    }
}
