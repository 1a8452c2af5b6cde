//! Estimates from several synthetic copies (survey ME-38, ME-39, US-17).
//!
//! # Guarantee
//! Copies that are drawn from a posterior, by trees or by regressions, have a rule by which their estimates are combined
//! (`privet_measure::combine`): that of Raghunathan, Reiter and Rubin when every record is new, that of Reiter when who
//! is who stays. Others have none: they keep statistics by construction, and vary between copies less than a posterior
//! would. The rules hold for large samples and right models, and take no account of values that were missing in the
//! original (the nested rules that the survey names are not made). With all records new, T is a difference: copies of no
//! more records than the original has leave it so uncertain that intervals are far too wide or have no ends; several
//! times as many records make them about as narrow as those of the original. Tests draw samples, synthesize, and count how often
//! the intervals hold the truth.

use privet_measure::combine::{CombineError, Combined, Rule, combine};

use super::{Frame, Synthetic};

/// Why copies give no estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EstimateError {
    /// The method draws from no posterior.
    #[error("copies of this method are no draws of a posterior; estimate from trees or regressions")]
    NoRule,
    /// The estimates do not combine.
    #[error(transparent)]
    Combine(#[from] CombineError),
}

impl Synthetic {
    /// The rule by which estimates from the copies are combined; `None` when the method has none.
    pub fn rule(&self) -> Option<Rule> {
        if !self.posterior {
            return None;
        }
        Some(match self.size {
            Some(size) => Rule::FullySynthetic { size },
            None => Rule::PartiallySynthetic,
        })
    }

    /// Combines what an analysis of each copy says: an estimate and its variance.
    ///
    /// # Errors
    /// When the method has no rule, there is one copy only, or an analysis gives no number.
    pub fn estimate(&self, analysis: impl Fn(&Frame) -> (f64, f64)) -> Result<Combined, EstimateError> {
        let rule = self.rule().ok_or(EstimateError::NoRule)?;
        let (estimates, variances): (Vec<f64>, Vec<f64>) = self.copies.iter().map(analysis).unzip();
        Ok(combine(&estimates, &variances, rule)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Cart, Column, Method, Plan, Regression, synthesize};
    use crate::testing::{assert_mean, moments};
    use crate::{Coins, SeededCoins};

    /// The mean of a column and its variance.
    fn mean_of(column: usize) -> impl Fn(&Frame) -> (f64, f64) {
        move |frame| {
            let Column::Numeric(values) = &frame.columns()[column] else { unreachable!() };
            let (mean, variance) = moments(values);
            (mean, variance / values.len() as f64)
        }
    }

    /// y = 5 + x + noise with x around 1 and a category that moves x: the mean of y is 6.
    fn sample(n: usize, coins: &mut SeededCoins) -> Frame {
        let (mut x, mut c, mut y) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..n {
            let code = coins.below(2).unwrap() as u32;
            let own = 0.5 + f64::from(code) + coins.normal().unwrap();
            y.push(5.0 + own + coins.normal().unwrap());
            x.push(own);
            c.push(code);
        }
        let category = Column::Categorical { codes: c, categories: 2 };
        Frame::new(vec![category, Column::Numeric(x), Column::Numeric(y)]).unwrap()
    }

    /// Draws samples, synthesizes each, and compares with the truth, twice: intervals of level 0.9 hold the mean at that
    /// rate, and the variance T is on average the squared error of the estimate. The second is there because the first
    /// forgives copies that vary too little: few degrees of freedom, and the correction of a negative T, widen intervals.
    /// False alarm: 1e-6 for both, if coverage and variance are the nominal ones.
    fn tells_the_truth(plan: &Plan, times: usize, n: usize) {
        let mut coins = SeededCoins::new(38);
        let (mut held, mut differences) = (0, Vec::with_capacity(times));
        for _ in 0..times {
            let frame = sample(n, &mut coins);
            let found = synthesize(&frame, plan, &mut coins).unwrap().estimate(mean_of(2)).unwrap();
            // An interval without ends holds everything.
            held += usize::from(found.interval(0.9).is_none_or(|(low, high)| low <= 6.0 && 6.0 <= high));
            // Without the correction, which is there for single tables and not for the average.
            let m = plan.copies as f64;
            let uncorrected = (1.0 + 1.0 / m) * found.between - found.within;
            let variance = if found.corrected { uncorrected } else { found.variance };
            differences.push(variance - (found.estimate - 6.0).powi(2));
        }
        assert_mean(held as f64 / times as f64, 0.9, (0.09 / times as f64).sqrt(), 2);
        let (mean, variance) = moments(&differences);
        assert_mean(mean, 0.0, (variance / times as f64).sqrt(), 2);
    }

    #[test]
    fn regressions_tell_the_truth() {
        let (times, n) = (400, 60);
        let method = || Method::Regression(Regression::default());
        tells_the_truth(&Plan::full(5 * n, method()).copies(10).round(false), times, n);
        tells_the_truth(&Plan::partial(vec![1, 2], method()).copies(5).round(false), times, n);
    }

    #[test]
    fn trees_tell_the_truth() {
        let (times, n) = (300, 150);
        for smooth in [false, true] {
            let method = || Method::Cart(Cart { smooth, ..Cart::default() });
            tells_the_truth(&Plan::full(5 * n, method()).copies(10).round(false), times, n);
            tells_the_truth(&Plan::partial(vec![2], method()).copies(5).round(false), times, n);
        }
    }

    #[test]
    fn what_has_no_rule_gives_no_estimate() {
        let frame = sample(30, &mut SeededCoins::new(1));
        let coins = &mut SeededCoins::new(2);
        let made = synthesize(&frame, &Plan::partial(vec![2], Method::Sufficiency), coins).unwrap();
        assert_eq!(made.rule(), None);
        assert_eq!(made.estimate(mean_of(2)), Err(EstimateError::NoRule));
        let plan = Plan::full(60, Method::Cart(Cart::default()));
        let made = synthesize(&frame, &plan, coins).unwrap();
        assert_eq!(made.rule(), Some(Rule::FullySynthetic { size: 2.0 }));
        let made = synthesize(&frame, &plan.copies(1), coins).unwrap();
        assert!(matches!(
            made.estimate(mean_of(2)),
            Err(EstimateError::Combine(CombineError::TooFew { found: 1 }))
        ));
    }
}
