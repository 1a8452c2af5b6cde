//! Diversity of a numeric sensitive column that close values do not add to (survey PM-25).
//!
//! *Ranges*: going up from the smallest value, a range takes every value within `width` of its lowest, and
//! the next begins at the first value beyond. At least l ranges must occur; this is the largest number of
//! values that are pairwise more than `width` apart. With `balance`, only ranges with a share of at least
//! balance/l of the class count. *Neighbourhood*: at most 1/l of a class within `width` of any of its values
//! ((epsilon,m)-anonymity, Li, Tao and Xiao). Missing values make no range, and are near each other only.
//!
//! Ranges without balance are absorbing. The other forms promise nothing under merging: a class can fill
//! the gaps of another, or make its shares small. Knowledge of the form "more than x" is not covered.

use crate::bound::{Bound, Grouping, check_positive, check_whole};
use crate::keep::TOLERANCE;
use crate::{Better, Class, Criterion, Histogram, Merging, ProximityKind};
use privet_data::Kind;

/// Diversity by distance.
pub(crate) struct Proximity {
    kind: ProximityKind,
    l: f64,
    width: f64,
    balance: f64,
    /// Per code its number; `None` for a missing value.
    numbers: Vec<Option<f64>>,
    position: usize,
    column: String,
}

impl Proximity {
    pub fn new(
        kind: ProximityKind,
        l: f64,
        width: f64,
        balance: f64,
        bound: &Bound<'_>,
    ) -> Result<Self, String> {
        let column = bound.column.name;
        let domain = bound.column.domain;
        if !matches!(domain.kind(), Kind::Integer | Kind::Decimal | Kind::Date) {
            return Err(format!("column {column} must hold numbers or dates"));
        }
        if !(width.is_finite() && width >= 0.0) {
            return Err(format!("width = {width} must be a number of at least 0"));
        }
        if !(0.0..=1.0).contains(&balance) {
            return Err(format!("balance = {balance} must be from 0 to 1"));
        }
        match kind {
            ProximityKind::Ranges => {
                check_whole("l", l)?;
            }
            ProximityKind::Neighbourhood => {
                check_positive("l", l)?;
                if l < 1.0 {
                    return Err(format!("l = {l} must be a number of at least 1"));
                }
                if balance != 0.0 {
                    return Err("balance belongs to kind ranges; leave it out".into());
                }
            }
        }
        let numbers = (0..domain.len() as u32).map(|code| domain.number(code)).collect();
        let this = Self { kind, l, width, balance, numbers, position: bound.position, column: bound.name() };
        let points = (0..).zip(bound.column.counts).filter(|&(_, &count)| count > 0);
        let most = this.ranges(&this.sorted(points.map(|(code, &count)| (code, count)))).len();
        if l > most as f64 {
            return Err(format!(
                "l = {l} but the values of column {column} fall into {most} ranges of width {width}; l may be at most \
                 {most}"
            ));
        }
        Ok(this)
    }

    fn points(&self, histogram: &Histogram<'_>) -> Vec<(f64, u64)> {
        let count = |&code: &u32| (code, u64::from(histogram.counts[code as usize]));
        self.sorted(histogram.present.iter().map(count))
    }

    /// The values of a class as (number, records), ascending. Missing values stand apart at the end when
    /// neighbourhoods are asked for; they make no range.
    fn sorted(&self, values: impl Iterator<Item = (u32, u64)>) -> Vec<(f64, u64)> {
        let mut missing = 0;
        let mut points = Vec::new();
        for (code, count) in values {
            match self.numbers[code as usize] {
                Some(number) => points.push((number, count)),
                None => missing += count,
            }
        }
        points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        if missing > 0 && self.kind == ProximityKind::Neighbourhood {
            points.push((f64::INFINITY, missing));
        }
        points
    }

    /// The records in each range.
    fn ranges(&self, points: &[(f64, u64)]) -> Vec<u64> {
        let mut ranges: Vec<u64> = Vec::new();
        let mut lowest = f64::NAN;
        for &(number, count) in points {
            match ranges.last_mut() {
                Some(range) if number == lowest || number - lowest <= self.width => *range += count,
                _ => {
                    lowest = number;
                    ranges.push(count);
                }
            }
        }
        ranges
    }

    /// How many ranges have the share that balance asks for.
    fn balanced_ranges(&self, histogram: &Histogram<'_>) -> u64 {
        let least = (self.balance / self.l) * (1.0 - TOLERANCE) * histogram.total as f64;
        self.ranges(&self.points(histogram)).into_iter().filter(|&records| records as f64 >= least).count()
            as u64
    }

    /// The most records within the width of a value of the class.
    fn crowd(&self, histogram: &Histogram<'_>) -> u64 {
        let points = self.points(histogram);
        let near = |a: f64, b: f64| a == b || b - a <= self.width;
        let (mut low, mut high, mut inside, mut most) = (0, 0, 0, 0);
        for &(number, _) in &points {
            while high < points.len() && near(number, points[high].0) {
                inside += points[high].1;
                high += 1;
            }
            while !near(points[low].0, number) {
                inside -= points[low].1;
                low += 1;
            }
            most = most.max(inside);
        }
        most
    }
}

impl Criterion for Proximity {
    fn key(&self) -> &'static str {
        "proximity-diversity"
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        let every = grouping.every();
        let Self { l, width, balance, column, .. } = self;
        match self.kind {
            ProximityKind::Ranges if *balance > 0.0 => format!(
                "{every} holds values of {column} from at least {l} ranges of width {width}, each with at least a \
                 share of {} of the group.",
                balance / l
            ),
            ProximityKind::Ranges => format!(
                "{every} holds at least {l} values of {column} that are pairwise more than {width} apart."
            ),
            ProximityKind::Neighbourhood => format!(
                "{}, at most 1 in {l} records lies \
                 within {width} of any value of {column} in the group.",
                grouping.in_every()
            ),
        }
    }

    fn merging(&self) -> Merging {
        match self.kind {
            ProximityKind::Ranges if self.balance == 0.0 => Merging::Absorbing,
            _ => Merging::Arbitrary,
        }
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let histogram = &class.histograms[self.position];
        match self.kind {
            ProximityKind::Ranges => self.balanced_ranges(histogram) as f64 >= self.l,
            ProximityKind::Neighbourhood => {
                self.crowd(histogram) as f64 * self.l <= histogram.total as f64 * (1.0 + TOLERANCE)
            }
        }
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        let histogram = &class.histograms[self.position];
        match self.kind {
            ProximityKind::Ranges => self.balanced_ranges(histogram) as f64,
            ProximityKind::Neighbourhood => histogram.total as f64 / self.crowd(histogram).max(1) as f64,
        }
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    /// A class that satisfies any of the forms has l ranges: a range lies in the neighbourhood of its lowest
    /// value. So a class with fewer has no part that can ever satisfy them.
    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        let ranges = self.ranges(&self.points(&class.histograms[self.position])).len();
        if (ranges as f64) < self.l * (1.0 - TOLERANCE) { class.rows } else { 0 }
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Column, build_one, column, holds, reached};
    use crate::{Criterion, Merging};
    use serde_json::json;

    fn proximity(kind: &str, l: f64, width: f64, balance: f64, sensitive: &Column) -> Box<dyn Criterion> {
        let requirement = json!({
            "criterion": "proximity-diversity", "kind": kind, "l": l, "width": width, "balance": balance,
        });
        build_one(requirement, sensitive).unwrap()
    }

    #[test]
    fn survey_pm25_the_salaries_around_100_000() {
        let sensitive = column(&["99000", "100000", "101000", "150000", "200000"], &[1; 5]);
        let class = [1, 1, 1, 0, 0];
        assert!(holds(&*build_one(json!({"criterion": "l-diversity", "l": 3}), &sensitive).unwrap(), &class));
        for width in [2000.0, 2001.0, 10_000.0] {
            assert!(!holds(&*proximity("ranges", 3.0, width, 0.0, &sensitive), &class));
        }
        assert!(holds(&*proximity("ranges", 3.0, 500.0, 0.0, &sensitive), &class));
        assert!(holds(&*proximity("ranges", 3.0, 10_000.0, 0.0, &sensitive), &[0, 1, 0, 1, 1]));
        assert_eq!(reached(&*proximity("ranges", 2.0, 1000.0, 0.0, &sensitive), &class), 2.0);
        assert_eq!(reached(&*proximity("neighbourhood", 2.0, 1000.0, 0.0, &sensitive), &class), 1.0);
        assert_eq!(reached(&*proximity("neighbourhood", 2.0, 999.0, 0.0, &sensitive), &class), 3.0);
    }

    #[test]
    fn balance_asks_for_shares() {
        let sensitive = column(&["0", "10", "20"], &[9, 9, 9]);
        let balanced = proximity("ranges", 2.0, 1.0, 1.0, &sensitive);
        assert!(holds(&*balanced, &[3, 3, 0]) && !holds(&*balanced, &[4, 2, 0]));
        assert!(holds(&*proximity("ranges", 2.0, 1.0, 0.5, &sensitive), &[4, 2, 0]));
    }

    #[test]
    fn balanced_ranges_and_neighbourhoods_are_not_closed_under_merging() {
        let sensitive = column(&["0", "10", "20", "30"], &[9; 4]);
        let balanced = proximity("ranges", 2.0, 1.0, 1.0, &sensitive);
        assert!(holds(&*balanced, &[1, 1, 0, 0]) && holds(&*balanced, &[0, 0, 1, 1]));
        assert!(!holds(&*balanced, &[1, 1, 1, 1]), "four quarters are not two halves");
        assert_eq!(balanced.merging(), Merging::Arbitrary);

        let sensitive = column(&["0", "1", "2", "10"], &[9; 4]);
        let near = proximity("neighbourhood", 2.0, 1.0, 0.0, &sensitive);
        assert!(holds(&*near, &[1, 0, 1, 0]) && holds(&*near, &[0, 1, 0, 1]));
        assert!(!holds(&*near, &[1, 1, 1, 1]), "three of four lie within 1 of the value 1");
        assert_eq!(near.merging(), Merging::Arbitrary);
    }

    #[test]
    fn missing_values_make_no_range_and_are_near_each_other() {
        let sensitive = column(&["?", "0", "10"], &[9; 3]).with_missing(1);
        assert_eq!(reached(&*proximity("ranges", 1.0, 1.0, 0.0, &sensitive), &[5, 1, 1]), 2.0);
        assert_eq!(reached(&*proximity("neighbourhood", 1.0, 1.0, 0.0, &sensitive), &[2, 1, 1]), 2.0);
    }

    #[test]
    fn parameters_are_checked() {
        let problem = |l: f64, width: f64, sensitive: &Column| {
            let requirement = json!({"criterion": "proximity-diversity", "l": l, "width": width});
            build_one(requirement, sensitive).err().unwrap().problem
        };
        let numbers = column(&["0", "10", "20"], &[1; 3]);
        assert!(problem(2.0, 1.0, &column(&["a", "b"], &[1; 2])).contains("numbers or dates"));
        assert!(problem(4.0, 1.0, &numbers).contains("l may be at most 3"));
        assert!(problem(2.5, 1.0, &numbers).contains("whole number"));
        assert!(problem(2.0, -1.0, &numbers).contains("width"));
        assert!(problem(2.0, 15.0, &column(&["0", "10"], &[1; 2])).contains("l may be at most 1"));
    }
}
