//! The rating scale, and which ratings are within epsilon of each other.
//!
//! A rating is a *tick*: its number on the scale, from 0. Everything hot works on ticks. The thesis writes scales as
//! {1..r} (1.11); half stars and scales from 0 are read in the same way. A null beside a rating is `r` apart (Eq 6.1), with
//! r the maximum of the declared scale, never the largest rating that occurs (register, defect 24).

use serde::{Deserialize, Serialize};

use crate::RatingsError;

/// The tick that stands for a null in dense rows.
pub const NULL: u8 = u8::MAX;

/// A scale of ratings: the lowest, the highest and the step between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "Ends", try_from = "Ends")]
pub struct Scale {
    low: f64,
    step: f64,
    levels: u8,
}

#[derive(Serialize, Deserialize)]
struct Ends {
    low: f64,
    high: f64,
    step: f64,
}

impl From<Scale> for Ends {
    fn from(scale: Scale) -> Self {
        Self { low: scale.low, high: scale.high(), step: scale.step }
    }
}

impl TryFrom<Ends> for Scale {
    type Error = RatingsError;
    fn try_from(ends: Ends) -> Result<Self, RatingsError> {
        Self::new(ends.low, ends.high, ends.step)
    }
}

/// How far an epsilon reaches on a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The largest difference of two ticks that is within epsilon.
    pub ticks: u8,
    /// Whether a null beside a rating is within epsilon; then everything is.
    pub everything: bool,
}

impl Reach {
    /// Whether two ticks, either of which may be [`NULL`], are within epsilon (Eq 6.1).
    #[inline]
    pub fn joins(self, a: u8, b: u8) -> bool {
        match (a == NULL, b == NULL) {
            (true, true) => true,
            (false, false) => a.abs_diff(b) <= self.ticks,
            _ => self.everything,
        }
    }
}

impl Scale {
    /// A scale from `low` to `high`.
    ///
    /// ```
    /// use privet_ratings::Scale;
    /// let stars = Scale::new(0.5, 5.0, 0.5)?;
    /// assert_eq!((stars.levels(), stars.tick(3.5), stars.tick(3.7)), (10, Some(6), None));
    /// # Ok::<(), privet_ratings::RatingsError>(())
    /// ```
    ///
    /// # Errors
    /// When the ends are not finite or not in order, the step is not positive or does not lead from one end to the other,
    /// or there are fewer than 2 or more than 254 ratings.
    pub fn new(low: f64, high: f64, step: f64) -> Result<Self, RatingsError> {
        let accepted =
            "a low end, a higher end and a step that leads from one to the other in 1 to 253 steps";
        let wrong = RatingsError::Parameter { key: "scale", accepted };
        let steps = (high - low) / step;
        let fits =
            low.is_finite() && high.is_finite() && step > 0.0 && (1.0..=253.0).contains(&steps.round());
        match fits && (steps - steps.round()).abs() < 1e-6 {
            true => Ok(Self { low, step, levels: steps.round() as u8 + 1 }),
            false => Err(wrong),
        }
    }

    /// The scale of whole numbers from `low` to `high`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn whole(low: i32, high: i32) -> Result<Self, RatingsError> {
        Self::new(f64::from(low), f64::from(high), 1.0)
    }

    /// The narrowest scale of usual steps that holds all these ratings.
    pub fn holding(mut ratings: Vec<f64>) -> Option<Self> {
        ratings.sort_by(f64::total_cmp);
        ratings.dedup();
        let (low, high) = (*ratings.first()?, *ratings.last()?);
        if low == high {
            return Self::new(low, low + 1.0, 1.0).ok();
        }
        [1.0, 0.5, 0.25, 0.2, 0.1, 0.05, 0.01]
            .into_iter()
            .filter_map(|step| Self::new(low, high, step).ok())
            .find(|scale| ratings.iter().all(|&rating| scale.tick(rating).is_some()))
    }

    /// The lowest rating.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The highest rating: `r`.
    pub fn high(self) -> f64 {
        self.value(self.levels - 1)
    }

    /// The distance between two neighbouring ratings.
    pub fn step(self) -> f64 {
        self.step
    }

    /// How many ratings there are.
    pub fn levels(self) -> u8 {
        self.levels
    }

    /// The tick of a rating, if it is one.
    pub fn tick(self, rating: f64) -> Option<u8> {
        let place = (rating - self.low) / self.step;
        let tick = place.round();
        ((place - tick).abs() < 1e-6 && tick >= 0.0 && tick < f64::from(self.levels)).then_some(tick as u8)
    }

    /// The rating with a tick.
    pub fn value(self, tick: u8) -> f64 {
        // Rounded, so that 0.1 + 2 * 0.1 is written as 0.3.
        ((self.low + f64::from(tick) * self.step) * 1e9).round() / 1e9
    }

    /// The rating with a tick as text.
    pub fn text(self, tick: u8) -> String {
        self.value(tick).to_string()
    }

    /// How far a null is from a rating: the maximum of the scale (Eq 6.1), or its length where that is more.
    pub fn null_distance(self) -> f64 {
        self.high().max(self.high() - self.low)
    }

    /// How far an epsilon, in units of ratings, reaches.
    ///
    /// # Errors
    /// When epsilon is negative or not finite.
    pub fn reach(self, epsilon: f64) -> Result<Reach, RatingsError> {
        if !(epsilon.is_finite() && epsilon >= 0.0) {
            return Err(RatingsError::Parameter { key: "epsilon", accepted: "a number from 0 on" });
        }
        let ticks = (epsilon / self.step + 1e-9).floor().min(f64::from(self.levels - 1));
        Ok(Reach { ticks: ticks as u8, everything: epsilon >= self.null_distance() - 1e-9 })
    }

    /// The epsilons that differ on this scale, ascending: 0, one step, … the length of the scale, and `r`.
    pub fn epsilons(self) -> Vec<f64> {
        let mut all: Vec<f64> = (0..self.levels).map(|ticks| f64::from(ticks) * self.step).collect();
        if let Some(&last) = all.last()
            && last < self.null_distance()
        {
            all.push(self.null_distance());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_and_ratings_are_inverse() {
        for scale in [Scale::whole(1, 6), Scale::new(0.5, 5.0, 0.5), Scale::new(0.1, 0.7, 0.1)] {
            let scale = scale.unwrap();
            for tick in 0..scale.levels() {
                assert_eq!(scale.tick(scale.value(tick)), Some(tick));
            }
            assert_eq!(scale.tick(scale.high() + scale.step()), None);
            assert_eq!(scale.tick(scale.low() - scale.step()), None);
            assert_eq!(scale.tick(f64::NAN), None);
        }
        assert_eq!(Scale::new(0.1, 0.7, 0.1).unwrap().text(2), "0.3");
    }

    #[test]
    fn scales_that_are_none_are_refused() {
        for (low, high, step) in
            [(1.0, 1.0, 1.0), (5.0, 1.0, 1.0), (1.0, 5.0, 0.3), (0.0, 1000.0, 1.0), (1.0, 5.0, 0.0)]
        {
            assert!(Scale::new(low, high, step).is_err(), "{low} {high} {step}");
        }
        assert!(Scale::new(f64::NAN, 5.0, 1.0).is_err());
    }

    /// 1.11: with epsilon from r on everything is proximate; below, a null and a rating are not.
    #[test]
    fn a_null_is_r_apart() {
        let scale = Scale::whole(1, 6).unwrap();
        assert!(!scale.reach(5.9).unwrap().joins(NULL, 3));
        assert!(scale.reach(6.0).unwrap().joins(NULL, 3));
        assert!(scale.reach(0.0).unwrap().joins(NULL, NULL));
        assert_eq!(scale.reach(4.5).unwrap().ticks, 4);
        assert_eq!(scale.epsilons(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(scale.reach(-1.0).is_err() && scale.reach(f64::NAN).is_err());
        let halves = Scale::new(0.5, 5.0, 0.5).unwrap();
        assert_eq!(halves.reach(1.0).unwrap().ticks, 2);
        assert_eq!(halves.epsilons().len(), 11);
    }
}
