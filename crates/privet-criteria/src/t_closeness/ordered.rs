//! The earth mover's distance along an order (survey PM-26, papers I.2 closed forms): values i and j are
//! |i − j| / (m − 1) apart, so the distance is Σ_i |Σ_{j<=i} (p_j − q_j)| / (m − 1).
//!
//! m is the number of distinct values of the input, ranked by the natural order of the column or by a given one.

use super::{Distance, most_kept};
use crate::Histogram;
use crate::bound::Bound;
use privet_data::Kind;

/// Earth mover's distance along the order of the values.
pub(crate) struct Ordered {
    /// The codes that the input holds, from lowest to highest.
    order: Vec<u32>,
    /// Per place in the order the share of the input up to it.
    cumulative: Vec<f64>,
    name: String,
}

impl Ordered {
    pub fn new(order: &[String], bound: &Bound<'_>) -> Result<Self, String> {
        let counts = bound.column.counts;
        let (codes, name): (Vec<u32>, &str) = if order.is_empty() {
            let name = match bound.column.domain.kind() {
                Kind::Integer | Kind::Decimal => "earth mover's distance along the order of the numbers",
                Kind::Date => "earth mover's distance along the order of the dates",
                // Two values are as far apart in either order.
                Kind::Boolean => "earth mover's distance between two values",
                Kind::Text => {
                    return Err(format!(
                        "column {} holds texts, whose order is not known; name all its values from lowest to highest in \
                         order = [...], or, if they are numbers but for a few texts, declare those as missing in [input]",
                        bound.column.name
                    ));
                }
            };
            ((0..counts.len() as u32).collect(), name)
        } else {
            let codes: Vec<u32> =
                bound.codes(order.iter().map(String::as_str)).into_iter().flatten().collect();
            let mut places = vec![0u32; counts.len()];
            codes.iter().for_each(|&code| places[code as usize] += 1);
            let twice = places.iter().filter(|&&places| places > 1).count();
            if twice > 0 {
                return Err(format!("order names {twice} values more than once; each may be named once"));
            }
            let absent =
                places.iter().zip(counts).filter(|&(&places, &count)| places == 0 && count > 0).count();
            if absent > 0 {
                return Err(format!(
                    "order leaves out {absent} of {} values of column {}; it must name every value, from lowest to \
                     highest",
                    bound.distinct(),
                    bound.column.name
                ));
            }
            (codes, "earth mover's distance along the given order")
        };
        // Codes begin with missing values, so that these lie below the lowest value unless an order is given.
        let has_missing =
            (counts.iter().take(bound.column.domain.missing() as usize)).any(|&count| count > 0);
        let below = if has_missing && order.is_empty() { ", missing values below the lowest" } else { "" };
        let name = format!("{name}{below}");
        let order: Vec<u32> = codes.into_iter().filter(|&code| counts[code as usize] > 0).collect();
        let total = bound.total().max(1) as f64;
        let mut sum = 0;
        let mut up_to = |&code: &u32| {
            sum += counts[code as usize];
            sum as f64 / total
        };
        let cumulative = order.iter().map(&mut up_to).collect();
        Ok(Self { order, cumulative, name })
    }

    /// How many steps lie between the lowest and the highest value.
    fn steps(&self) -> f64 {
        self.order.len().saturating_sub(1).max(1) as f64
    }
}

impl Distance for Ordered {
    fn distance(&self, histogram: &Histogram<'_>) -> f64 {
        let each = 1.0 / histogram.total as f64;
        let (mut sum, mut distance) = (0u64, 0.0);
        for (&code, &share) in self.order.iter().zip(&self.cumulative) {
            sum += u64::from(histogram.counts[code as usize]);
            distance += (sum as f64 * each - share).abs();
        }
        distance / self.steps()
    }

    /// The distance is the mean over all cuts of the order in two of the variational distance of the halves.
    fn most_kept(&self, histogram: &Histogram<'_>, t: f64) -> u64 {
        let mut sum = 0u64;
        let mut parts = Vec::with_capacity(2 * self.order.len());
        for (&code, &share) in
            self.order.iter().zip(&self.cumulative).take(self.order.len().saturating_sub(1))
        {
            sum += u64::from(histogram.counts[code as usize]);
            parts.push((sum as f64, share));
            parts.push(((histogram.total - sum) as f64, 1.0 - share));
        }
        most_kept(histogram.total, t, self.steps(), &parts.into_iter())
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

#[cfg(test)]
mod tests {
    use crate::t_closeness::tests::{closeness, distance};
    use crate::testing::{build_one, column};
    use serde_json::json;

    const SALARIES: [&str; 9] = ["3", "4", "5", "6", "7", "8", "9", "10", "11"];

    #[test]
    fn papers_fx_t7_the_salaries_of_li_et_al() {
        let sensitive = column(&SALARIES, &[1; 9]);
        let low = distance(closeness("ordered", 0.1), &sensitive, &[1, 1, 1, 0, 0, 0, 0, 0, 0]);
        let spread = distance(closeness("ordered", 0.1), &sensitive, &[0, 0, 0, 1, 0, 1, 0, 0, 1]);
        assert!((low - 0.375).abs() < 1e-12 && (spread - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn missing_values_stand_below_the_lowest_and_the_promise_says_so() {
        let sensitive = column(&["?", "3", "4"], &[1, 1, 1]);
        let plain = build_one(closeness("ordered", 0.4), &sensitive).err();
        assert!(plain.is_none());
        let with = sensitive.with_missing(1);
        let own = build_one(closeness("ordered", 0.4), &with).unwrap();
        assert!(
            own.promise().contains("order of the numbers, missing values below the lowest"),
            "{}",
            own.promise()
        );
        // All of the class is missing: 1/3 by one step and 1/3 by two, of two steps.
        assert!((distance(closeness("ordered", 0.1), &with, &[3, 0, 0]) - 0.5).abs() < 1e-12);
        let none = column(&["?", "3", "4"], &[0, 1, 1]).with_missing(1);
        assert!(!build_one(closeness("ordered", 0.4), &none).unwrap().promise().contains("missing"));
    }

    #[test]
    fn a_given_order_counts_and_must_be_whole() {
        let sensitive = column(&["high", "low", "middle"], &[1, 1, 1]);
        let with = |order: &[&str]| {
            let mut requirement = closeness("ordered", 0.1);
            requirement["order"] = json!(order);
            requirement
        };
        // All of the class is low: the given order moves 1/3 by one step and 1/3 by two, of two steps.
        let given = distance(with(&["low", "middle", "high"]), &sensitive, &[0, 3, 0]);
        assert!((given - 0.5).abs() < 1e-12);
        let other = distance(with(&["high", "low", "middle"]), &sensitive, &[0, 3, 0]);
        assert!((other - 1.0 / 3.0).abs() < 1e-12, "here low is in the middle");
        let none = build_one(closeness("ordered", 0.1), &sensitive).err().unwrap().problem;
        assert!(none.contains("whose order is not known"), "{none}");
        let problem = |order: &[&str]| build_one(with(order), &sensitive).err().unwrap().problem;
        assert!(problem(&["low", "middle"]).contains("leaves out 1 of 3"));
        assert!(problem(&["low", "middle", "high", "low"]).contains("more than once"));
        assert!(build_one(with(&["lowest", "low", "middle", "high"]), &sensitive).is_ok());
    }
}
