//! What a release says about who is in it: delta-presence (survey PM-23) and k-map.
//!
//! Both look at the people of a population table that generalize into a class. The chance that one of them
//! is in the table is the records of the class by its people. A class with records and no people contradicts
//! that the population contains the table, and fails.

use crate::keep::{TOLERANCE, whole_records};
use crate::{Better, Class, Criterion, Grouping, Merging};

/// The chance of being in the table lies between two bounds.
pub(crate) struct DeltaPresence {
    min: f64,
    max: f64,
}

impl DeltaPresence {
    pub fn new(min: f64, max: f64) -> Result<Self, String> {
        if !(0.0..=1.0).contains(&min) {
            return Err(format!("min = {min} must be from 0 to 1"));
        }
        if !(max > 0.0 && max <= 1.0) {
            return Err(format!("max = {max} must be above 0 and at most 1"));
        }
        if min > max {
            return Err(format!("min = {min} is above max = {max}; min may be at most max"));
        }
        Ok(Self { min, max })
    }
}

impl Criterion for DeltaPresence {
    fn key(&self) -> &'static str {
        "delta-presence"
    }

    fn counts_population(&self) -> bool {
        true
    }

    fn promise_of(&self, _: Grouping) -> String {
        let Self { min, max } = self;
        if *min > 0.0 {
            format!(
                "Whoever knows the population table can tell of none of its people that they are in the release with a \
                 chance below {min} or above {max}."
            )
        } else {
            format!(
                "Whoever knows the population table can tell of none of its people that they are in the release with a \
                 chance above {max}."
            )
        }
    }

    /// The ratio of a union lies between the ratios of its parts.
    fn merging(&self) -> Merging {
        Merging::Closed
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        if class.population == 0 {
            return class.rows == 0;
        }
        let (rows, people) = (class.rows as f64, class.population as f64);
        rows <= (self.max + TOLERANCE) * people && rows >= (self.min - TOLERANCE) * people
    }

    /// People without records have the chance 0, and with a lower bound that is too little.
    fn judges_absence(&self) -> bool {
        self.min > 0.0
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        match (class.rows, class.population) {
            (0, _) => 0.0,
            (_, 0) => f64::INFINITY,
            (rows, people) => rows as f64 / people as f64,
        }
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        if self.holds(class) {
            return 0;
        }
        let people = class.population as f64;
        if (class.rows as f64) < (self.min - TOLERANCE) * people {
            // Fewer records make it worse, and people left without records are judged too.
            return class.rows;
        }
        class.rows.saturating_sub(whole_records((self.max + 2.0 * TOLERANCE) * people)).max(1)
    }
}

/// Every class matches at least k people of the population.
pub(crate) struct KMap {
    k: u64,
}

impl KMap {
    pub fn new(k: u64) -> Result<Self, String> {
        if k == 0 {
            return Err("k must be a whole number of at least 1".to_owned());
        }
        Ok(Self { k })
    }
}

impl Criterion for KMap {
    fn key(&self) -> &'static str {
        "k-map"
    }

    fn counts_population(&self) -> bool {
        true
    }

    fn promise_of(&self, _: Grouping) -> String {
        format!(
            "The quasi-identifiers of every published record fit at least k = {} people of the population table.",
            self.k
        )
    }

    fn merging(&self) -> Merging {
        Merging::Absorbing
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        class.population >= self.k
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        class.population as f64
    }

    fn better(&self) -> Better {
        Better::Higher
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(rows: u64, population: u64) -> Class<'static> {
        Class { rows, population, histograms: &[] }
    }

    #[test]
    fn survey_pm23_records_by_people() {
        let criterion = DeltaPresence::new(0.1, 0.2).unwrap();
        assert!(criterion.holds(&class(1, 5)) && criterion.holds(&class(1, 10)), "bounds are inclusive");
        assert!(!criterion.holds(&class(2, 5)) && !criterion.holds(&class(1, 11)));
        assert!(!criterion.holds(&class(0, 5)), "people without records have the chance 0");
        assert!(criterion.judges_absence());
        assert_eq!(criterion.reached(&class(2, 8)), 0.25);
    }

    #[test]
    fn survey_pm23_without_a_lower_bound_absence_is_fine() {
        let criterion = DeltaPresence::new(0.0, 0.5).unwrap();
        assert!(criterion.holds(&class(0, 5)) && !criterion.judges_absence());
        assert!(!criterion.holds(&class(1, 0)), "a record that is nobody's");
        assert!(!DeltaPresence::new(0.0, 1.0).unwrap().holds(&class(6, 5)), "more records than people");
        assert_eq!(criterion.least_suppression(&class(5, 6)), 2);
        assert_eq!(criterion.least_suppression(&class(5, 0)), 5);
    }

    #[test]
    fn bounds_are_checked() {
        for (min, max) in [(-0.1, 0.5), (0.6, 0.5), (0.0, 0.0), (0.0, 1.1), (f64::NAN, 0.5), (0.0, f64::NAN)]
        {
            assert!(DeltaPresence::new(min, max).is_err());
        }
    }

    #[test]
    fn k_map_counts_people() {
        let criterion = KMap::new(5).unwrap();
        assert!(
            criterion.holds(&class(1, 5)) && !criterion.holds(&class(7, 4)) && !criterion.holds(&class(9, 0))
        );
        assert_eq!(criterion.least_suppression(&class(7, 4)), 7);
        assert!(KMap::new(0).is_err());
    }
}
