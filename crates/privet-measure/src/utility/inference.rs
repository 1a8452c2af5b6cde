//! Whether an analyst would conclude the same from the release (survey UM-26, UM-27, UM-30, UM-31).
//!
//! Fitted parameters and answers to queries come in as plain numbers; how they were fitted or asked is not known here.
//! UM-30 and UM-31 are statements about a mechanism, over its randomness. What is checked here is the share among given
//! answers, an estimate of the probability from as many draws as there are answers: it can show that a promise does
//! not hold, not prove that it does.

use super::{UtilityError, same_length};

/// 1.96: the standard errors to either side that hold 95 % of a normal distribution.
pub const NORMAL_95: f64 = 1.959_963_984_540_054;

/// A fitted parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Its value.
    pub value: f64,
    /// Its standard error, at least 0.
    pub standard_error: f64,
}

/// From a number to another, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How many of how many are as they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Those that are.
    pub kept: usize,
    /// All that were looked at.
    pub of: usize,
}

impl Kept {
    /// The share of them; `None` when there was nothing to look at.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.kept as f64 / self.of as f64)
    }

    /// Whether the share of those that are not is at most this. True when there was nothing to look at.
    pub fn fails_at_most(self, share: f64) -> bool {
        self.of == 0 || self.of.saturating_sub(self.kept) as f64 / self.of as f64 <= share
    }
}

impl Estimate {
    /// The confidence interval that reaches so many standard errors to either side ([`NORMAL_95`] for 95 %).
    pub fn interval(self, standard_errors: f64) -> Interval {
        let reach = (standard_errors * self.standard_error).abs();
        Interval { low: self.value - reach, high: self.value + reach }
    }
}

impl Interval {
    /// Whether a number is in it.
    pub fn contains(self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    fn is_finite(self) -> bool {
        (self.high - self.low).is_finite() && self.low <= self.high
    }
}

/// How many parameters, fitted to the release, fall into the confidence interval of the original's (UM-26).
///
/// # Errors
/// When there are not as many released as original parameters.
pub fn analytical_validity(
    original: &[Estimate],
    released: &[f64],
    standard_errors: f64,
) -> Result<Kept, UtilityError> {
    same_length("released parameters", released.len(), original.len())?;
    let is_kept = |(own, value): &(&Estimate, &f64)| own.interval(standard_errors).contains(**value);
    Ok(Kept { kept: original.iter().zip(released).filter(is_kept).count(), of: original.len() })
}

/// J = ½(o/|original| + o/|released|), o being the length of the intersection (UM-27): 1 for equal intervals, 0 for
/// disjoint ones. An interval without length lies in the other one entirely or not at all.
///
/// # Errors
/// When an interval is not from a finite number to one at least as large.
pub fn interval_overlap(original: Interval, released: Interval) -> Result<f64, UtilityError> {
    if !original.is_finite() || !released.is_finite() {
        let accepted = "from a finite number to one at least as large";
        return Err(UtilityError::Parameter { what: "an interval", accepted });
    }
    let (low, high) = (original.low.max(released.low), original.high.min(released.high));
    if low > high {
        return Ok(0.0);
    }
    let share = |own: Interval| {
        let length = own.high - own.low;
        if length > 0.0 { (high - low) / length } else { 1.0 }
    };
    Ok((share(original) + share(released)) / 2.0)
}

/// The mean of J over pairs of intervals; `None` when there is none.
///
/// # Errors
/// When there are not as many released as original intervals, or one is no interval.
pub fn mean_interval_overlap(
    original: &[Interval],
    released: &[Interval],
) -> Result<Option<f64>, UtilityError> {
    same_length("released intervals", released.len(), original.len())?;
    let overlaps: Result<Vec<f64>, _> =
        original.iter().zip(released).map(|(&own, &other)| interval_overlap(own, other)).collect();
    let overlaps = overlaps?;
    Ok((!overlaps.is_empty()).then(|| overlaps.iter().sum::<f64>() / overlaps.len() as f64))
}

/// The answer to a query from the original and from the release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryAnswer {
    /// From the original.
    pub truth: f64,
    /// From the release.
    pub released: f64,
    /// How many records the query is about.
    pub records: u64,
}

/// Of the queries about at least `records` records, how many are answered with |f − f'| < max(ε, ε·|f|) (UM-30). The
/// release is (n,ε,δ)-reconstructible on these queries when [`Kept::fails_at_most`] δ.
///
/// # Errors
/// When ε is not above 0.
pub fn reconstructible(answers: &[QueryAnswer], records: u64, epsilon: f64) -> Result<Kept, UtilityError> {
    if epsilon.is_nan() || epsilon <= 0.0 {
        return Err(UtilityError::Parameter { what: "epsilon", accepted: "above 0" });
    }
    let asked = answers.iter().filter(|own| own.records >= records);
    let is_near =
        |own: &&QueryAnswer| (own.truth - own.released).abs() < epsilon.max(epsilon * own.truth.abs());
    Ok(Kept { kept: asked.clone().filter(is_near).count(), of: asked.count() })
}

/// How many counting queries on a table of so many records are answered with an error of at most ρ√n (UM-31). The
/// release is (ρ,ε)-useful on these queries when [`Kept::fails_at_most`] ε.
///
/// # Errors
/// When ρ is negative or not a number.
pub fn useful(answers: &[QueryAnswer], table_records: u64, rho: f64) -> Result<Kept, UtilityError> {
    if rho.is_nan() || rho < 0.0 {
        return Err(UtilityError::Parameter { what: "rho", accepted: "at least 0" });
    }
    let allowed = rho * (table_records as f64).sqrt();
    let is_near = |own: &&QueryAnswer| (own.truth - own.released).abs() <= allowed;
    Ok(Kept { kept: answers.iter().filter(is_near).count(), of: answers.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { low, high }
    }

    #[test]
    fn overlap_by_hand() {
        let own = interval(0.0, 4.0);
        assert_eq!(interval_overlap(own, own), Ok(1.0));
        assert_eq!(interval_overlap(own, interval(5.0, 6.0)), Ok(0.0));
        // One unit of four, and all of one.
        assert_eq!(interval_overlap(own, interval(1.0, 2.0)), Ok(0.625));
        assert_eq!(interval_overlap(own, interval(3.0, 5.0)), Ok(0.375));
        assert_eq!(interval_overlap(own, interval(4.0, 8.0)), Ok(0.0));
        let point = interval(1.0, 1.0);
        assert_eq!((interval_overlap(own, point), interval_overlap(point, point)), (Ok(0.5), Ok(1.0)));
        assert_eq!(interval_overlap(point, interval(2.0, 2.0)), Ok(0.0));
        for bad in [interval(1.0, 0.0), interval(f64::NAN, 1.0), interval(0.0, f64::INFINITY)] {
            assert!(interval_overlap(own, bad).is_err() && interval_overlap(bad, own).is_err());
        }
        let both = mean_interval_overlap(&[own, own], &[own, interval(9.0, 9.5)]);
        assert_eq!(both, Ok(Some(0.5)));
        assert_eq!(mean_interval_overlap(&[], &[]), Ok(None));
        assert!(mean_interval_overlap(&[own], &[]).is_err());
    }

    #[test]
    fn parameters_in_their_intervals() {
        let fitted = |value| Estimate { value, standard_error: 0.5 };
        let original = [fitted(1.0), fitted(-3.0), fitted(0.0)];
        // 1.96 standard errors are 0.98.
        let kept = analytical_validity(&original, &[1.97, -4.0, f64::NAN], NORMAL_95).unwrap();
        assert_eq!((kept, kept.share()), (Kept { kept: 1, of: 3 }, Some(1.0 / 3.0)));
        assert!(analytical_validity(&original, &[1.0], NORMAL_95).is_err());
        assert_eq!(analytical_validity(&[], &[], NORMAL_95).unwrap().share(), None);
        let unknown = Estimate { value: 1.0, standard_error: f64::NAN };
        assert_eq!(analytical_validity(&[unknown], &[1.0], NORMAL_95).unwrap().kept, 0);
    }

    #[test]
    fn promises_about_answers() {
        let answer = |truth, released, records| QueryAnswer { truth, released, records };
        let answers =
            [answer(100.0, 109.0, 50), answer(0.5, 0.59, 50), answer(0.5, 0.625, 50), answer(1.0, 9.0, 5)];
        // The third misses by as much as is not allowed any more; the fourth is about too few.
        let kept = reconstructible(&answers, 10, 0.125).unwrap();
        assert_eq!(kept.of, 3);
        assert!(kept.fails_at_most(0.34) && !kept.fails_at_most(0.3));
        // 8 = ρ√n with ρ = 0.8 and n = 100: the first misses by 9.
        assert_eq!(useful(&answers, 100, 0.8), Ok(Kept { kept: 3, of: 4 }));
        assert_eq!(useful(&[answer(f64::NAN, 1.0, 1)], 100, 9.0), Ok(Kept { kept: 0, of: 1 }));
        assert!(
            reconstructible(&answers, 0, 0.0).is_err() && reconstructible(&answers, 0, f64::NAN).is_err()
        );
        assert!(useful(&answers, 0, -1.0).is_err() && useful(&answers, 0, f64::NAN).is_err());
        assert!(reconstructible(&[], 0, 1.0).unwrap().fails_at_most(0.0));
    }
}
