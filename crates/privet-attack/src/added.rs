//! What a release adds to a risk: how often an attack succeeds on the people in the data, beside how often it does on people
//! who are not (Giomi and others, A unified framework for quantifying privacy risk in synthetic data, 2023).
//!
//! What succeeds on anybody tells what is true in general, such as that most managers are married. What is left of those on
//! whom it would fail otherwise, (attack − control)/(1 − control), is what being in the data costs.

use crate::rate::Rate;

/// A risk that a release adds, and the interval that covers it with a confidence of about 95 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Added {
    /// The share of people whom the attack would miss without their record, and reaches with it; at least 0.
    pub risk: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Added {
    /// (attack − control)/(1 − control). The interval takes the distances of both rates from the ends of theirs for errors that
    /// do not depend on each other, and passes them on to first order.
    #[must_use]
    pub fn of(attack: &Rate, control: &Rate) -> Self {
        let left = 1.0 - control.rate;
        if left <= 0.0 {
            // The attack succeeds on everybody: nothing can be added.
            return Self { risk: 0.0, low: 0.0, high: 0.0 };
        }
        let risk = (attack.rate - control.rate) / left;
        let of_control = (1.0 - attack.rate) / (left * left);
        let error = |of_attack: f64, other: f64| (of_attack / left).hypot(other * of_control);
        let low = risk - error(attack.rate - attack.low, control.high - control.rate);
        let high = risk + error(attack.high - attack.rate, control.rate - control.low);
        let share = |own: f64| own.clamp(0.0, 1.0);
        Self { risk: share(risk), low: share(low), high: share(high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Random;

    #[test]
    fn of_those_whom_it_would_miss() {
        let added = Added::of(&Rate::new(900, 1000), &Rate::new(500, 1000));
        assert!((added.risk - 0.8).abs() < 1e-12 && added.low > 0.75 && added.high < 0.85, "{added:?}");
        let none = Added::of(&Rate::new(705, 1000), &Rate::new(704, 1000));
        assert!(none.risk < 0.01 && none.low == 0.0 && none.high > 0.05, "{none:?}");
        let fewer = Added::of(&Rate::new(100, 1000), &Rate::new(300, 1000));
        assert_eq!((fewer.risk, fewer.low, fewer.high), (0.0, 0.0, 0.0));
        let all = Added::of(&Rate::new(10, 10), &Rate::new(10, 10));
        assert_eq!(all, Added { risk: 0.0, low: 0.0, high: 0.0 });
        let everybody = Added::of(&Rate::new(1000, 1000), &Rate::new(0, 1000));
        assert!(everybody.risk == 1.0 && everybody.low > 0.99, "{everybody:?}");
    }

    /// The interval covers in at least 93 % of 2000 draws of 500 attacks and 400 controls; fewer than that would happen with
    /// probability below 1e-4 if it covered in 95 %.
    #[test]
    fn the_interval_covers() {
        for (attack, control) in [(0.8, 0.7), (0.3, 0.05), (0.5, 0.5), (0.98, 0.6)] {
            let truth = (attack - control) / (1.0 - control);
            let mut random = Random::new(7);
            let mut draw =
                |share: f64, of: u64| Rate::new((0..of).filter(|_| random.chance(share)).count() as u64, of);
            let covered = (0..2000).filter(|_| {
                let added = Added::of(&draw(attack, 500), &draw(control, 400));
                (added.low..=added.high).contains(&f64::max(truth, 0.0))
            });
            let covered = covered.count();
            assert!(covered >= 1860, "{attack} {control}: {covered}");
        }
    }
}
