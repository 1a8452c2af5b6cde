//! How well a workload of somebody's own is answered: per figure the truth, the answer of the release and its bounds, and what
//! they are off by together (survey UM-18's relative error, UM-30's share of answers that are near enough).
//!
//! UM-30 lets an answer be off by ε whatever the truth is, which suits counts. Averages may be small numbers, so near enough is
//! here what is off by no more than a share of the truth itself.

use serde::Serialize;

use crate::answer::Estimate;

/// What an answer may be off by, as a share of the truth, to count as near.
pub const NEAR: f64 = 0.1;
/// Bounds and truths are added up in different orders; what rounding makes of that breaks no bound.
const ROUNDING: f64 = 1e-9;

/// A figure of the original beside what a release says of it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Compared {
    /// The original's; absent for an average of nothing.
    pub truth: Option<f64>,
    /// What the release lets expect; absent where it does not say.
    pub expected: Option<f64>,
    /// By the release it is not less; absent where there is no bound.
    pub at_least: Option<f64>,
    /// By the release it is not more; absent where there is no bound.
    pub at_most: Option<f64>,
    /// |truth − expected|.
    pub absolute_error: Option<f64>,
    /// |truth − expected|/|truth|; absent where the truth is 0, to which nothing is relative.
    pub relative_error: Option<f64>,
    /// Whether the truth lies within the bounds; absent where there is none.
    pub within_bounds: Option<bool>,
}

impl Compared {
    /// Compares a truth with what a release says.
    pub fn new(truth: Option<f64>, told: &Estimate) -> Self {
        let Estimate { expected, at_least, at_most, .. } = *told;
        let absolute_error = truth.zip(expected).map(|(truth, expected)| (truth - expected).abs());
        let relative_error = truth
            .zip(absolute_error)
            .filter(|(truth, _)| *truth != 0.0)
            .map(|(truth, error)| error / truth.abs());
        let within_bounds = truth.filter(|_| at_least.is_some() || at_most.is_some()).map(|truth| {
            let slack = |bound: f64| ROUNDING * bound.abs().max(truth.abs());
            at_least.is_none_or(|least| truth >= least - slack(least))
                && at_most.is_none_or(|most| truth <= most + slack(most))
        });
        Self { truth, expected, at_least, at_most, absolute_error, relative_error, within_bounds }
    }

    /// Whether it is off by no more than a tenth of the truth; of a truth of 0, by nothing.
    pub fn is_near(&self) -> Option<bool> {
        Some(self.absolute_error? <= NEAR * self.truth?.abs())
    }
}

/// What the figures of a workload are off by together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct WorkloadErrors {
    /// Figures that were asked for.
    pub figures: u64,
    /// Those that have a truth and an expectation.
    pub compared: u64,
    /// Those of them with a relative error: whose truth is not 0.
    pub relative: u64,
    /// The mean of the relative errors.
    pub mean_relative_error: Option<f64>,
    /// Their median: of an even number of them the mean of the two in the middle.
    pub median_relative_error: Option<f64>,
    /// How many of those compared are off by no more than a tenth of the truth.
    pub within_tenth: u64,
    /// Figures that have a truth and a bound.
    pub bounded: u64,
    /// How many of these have their truth within the bounds.
    pub within_bounds: u64,
}

impl WorkloadErrors {
    /// Puts figures together.
    pub fn of<'a>(all: impl IntoIterator<Item = &'a Compared>) -> Self {
        let mut own = Self::default();
        let mut errors: Vec<f64> = Vec::new();
        for compared in all {
            own.figures += 1;
            own.compared += u64::from(compared.absolute_error.is_some());
            own.within_tenth += u64::from(compared.is_near() == Some(true));
            own.bounded += u64::from(compared.within_bounds.is_some());
            own.within_bounds += u64::from(compared.within_bounds == Some(true));
            errors.extend(compared.relative_error);
        }
        errors.sort_by(f64::total_cmp);
        own.relative = errors.len() as u64;
        own.mean_relative_error =
            (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64);
        own.median_relative_error = match errors.len() {
            0 => None,
            odd if odd % 2 == 1 => errors.get(odd / 2).copied(),
            even => errors.get(even / 2 - 1).zip(errors.get(even / 2)).map(|(a, b)| (a + b) / 2.0),
        };
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(expected: Option<f64>, at_least: Option<f64>, at_most: Option<f64>) -> Estimate {
        Estimate { expected, at_least, at_most, ..Estimate::default() }
    }

    fn compared(truth: f64, expected: f64, at_least: f64, at_most: f64) -> Compared {
        Compared::new(Some(truth), &told(Some(expected), Some(at_least), Some(at_most)))
    }

    /// By hand: relative errors 0.1, 0.5, 0.25 and, of the negative sum, 0.05; sorted 0.05, 0.1, 0.25, 0.5, so the mean is
    /// 0.9/4 and the median 0.35/2. Near are the first, the fourth, and the truth of 0 that is told as 0 (survey UM-18, UM-30).
    #[test]
    fn errors_of_a_workload_by_hand() {
        let all = [
            compared(10.0, 11.0, 8.0, 12.0),
            compared(4.0, 6.0, 5.0, 7.0),
            compared(8.0, 6.0, 0.0, 8.0),
            compared(-20.0, -21.0, -30.0, 0.0),
            compared(0.0, 0.0, 0.0, 3.0),
            compared(0.0, 2.0, 0.0, 3.0),
        ];
        assert_eq!(all[5].relative_error, None);
        assert_eq!(all[5].absolute_error, Some(2.0));
        assert_eq!(all[1].within_bounds, Some(false));
        let own = WorkloadErrors::of(&all);
        assert_eq!((own.figures, own.compared, own.relative), (6, 6, 4));
        assert!((own.mean_relative_error.unwrap() - 0.225).abs() < 1e-12);
        assert!((own.median_relative_error.unwrap() - 0.175).abs() < 1e-12);
        assert_eq!((own.within_tenth, own.bounded, own.within_bounds), (3, 6, 5));
        // Without the last relative error the one in the middle of three is 0.25.
        let median = WorkloadErrors::of(&all[..3]).median_relative_error;
        assert!((median.unwrap() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_told_is_not_compared() {
        let nothing = Compared::new(None, &told(Some(3.0), Some(1.0), Some(4.0)));
        assert_eq!((nothing.absolute_error, nothing.within_bounds, nothing.is_near()), (None, None, None));
        let open = Compared::new(Some(2.0), &told(None, None, None));
        assert_eq!((open.relative_error, open.within_bounds), (None, None));
        let half = Compared::new(Some(2.0), &told(None, Some(2.5), None));
        assert_eq!(half.within_bounds, Some(false));
        // A sum in another order.
        let rounded = Compared::new(Some(0.3), &told(Some(0.3), Some(0.1 + 0.2), Some(0.1 + 0.2)));
        assert_eq!(rounded.within_bounds, Some(true));
        let own = WorkloadErrors::of(&[nothing, open, half]);
        assert_eq!((own.figures, own.compared, own.bounded, own.within_bounds), (3, 0, 1, 0));
        assert_eq!((own.mean_relative_error, own.median_relative_error), (None, None));
        assert_eq!(WorkloadErrors::of(&[]), WorkloadErrors::default());
    }
}
