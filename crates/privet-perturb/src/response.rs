//! Randomized response to a question with the answers yes and no (survey ME-19, ME-20, US-07, TH-13, TH-14).
//!
//! Warner: tell the truth with probability p, lie otherwise. Innocuous question: tell the truth with probability p, else
//! what a coin says that shows yes with a given bias. Both are two numbers, P(yes | yes) and P(yes | no), and everything
//! else follows from these.
//!
//! # Guarantee
//! A respondent's answer changes anyone's odds about her truth by a factor of at most [`Response::gamma`]; the coins
//! are exact (see [`Coins::chance`]). The estimate is unbiased and may lie outside of [0, 1]; the interval is Wilson's
//! for the share of yes, carried over, so that it is meaningful for few answers as well. Its coverage is about its
//! level, not guaranteed to be above it. Differs from the print: the variance is stated for respondents who are drawn
//! from a population, and also for respondents whose truths are fixed, where it is smaller.

use crate::error::check_probability;
use crate::normal::two_sided_quantile;
use crate::{Coins, Drawn, PerturbError};

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Answers", into = "Answers")]
pub struct Response {
    if_yes: f64,
    if_no: f64,
}

/// A response as it is written down.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Answers {
    yes_if_yes: f64,
    yes_if_no: f64,
}

impl TryFrom<Answers> for Response {
    type Error = PerturbError;

    fn try_from(answers: Answers) -> Result<Self, PerturbError> {
        Response::new(answers.yes_if_yes, answers.yes_if_no)
    }
}

impl From<Response> for Answers {
    fn from(response: Response) -> Self {
        Answers { yes_if_yes: response.if_yes, yes_if_no: response.if_no }
    }
}

/// What answers say of the share of those whose truth is yes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResponseEstimate {
    response: Response,
    yes: u64,
    answers: u64,
}

impl Response {
    /// Yes is said with these probabilities when the truth is yes and when it is no.
    ///
    /// # Errors
    /// When one is no probability.
    pub fn new(if_yes: f64, if_no: f64) -> Result<Self, PerturbError> {
        check_probability("the probability of yes when the truth is yes", if_yes)?;
        check_probability("the probability of yes when the truth is no", if_no)?;
        Ok(Self { if_yes, if_no })
    }

    /// Warner's: the truth with probability `truth`, else a lie.
    ///
    /// # Errors
    /// When `truth` is no probability.
    pub fn warner(truth: f64) -> Result<Self, PerturbError> {
        check_probability("the probability of telling the truth", truth)?;
        Self::new(truth, 1.0 - truth)
    }

    /// The truth with probability `truth`, else the answer to an innocuous question, which is yes with probability
    /// `yes`.
    ///
    /// # Errors
    /// When one is no probability.
    pub fn innocuous(truth: f64, yes: f64) -> Result<Self, PerturbError> {
        check_probability("the probability of telling the truth", truth)?;
        check_probability("the probability of yes to the innocuous question", yes)?;
        let coin = yes * (1.0 - truth);
        // Rounding must not make more than certainty of it.
        Self::new((truth + coin).min(1.0), coin)
    }

    /// The probability of yes when the truth is yes.
    pub fn yes_if_yes(self) -> f64 {
        self.if_yes
    }

    /// The probability of yes when the truth is no.
    pub fn yes_if_no(self) -> f64 {
        self.if_no
    }

    /// One answer.
    ///
    /// # Errors
    /// When the source of randomness fails.
    pub fn answer<C: Coins + ?Sized>(self, truth: bool, coins: &mut C) -> Result<bool, PerturbError> {
        coins.chance(if truth { self.if_yes } else { self.if_no })
    }

    /// The answers of many.
    ///
    /// # Errors
    /// When the source of randomness fails.
    pub fn randomize<C: Coins + ?Sized>(
        self,
        truths: &[bool],
        coins: &mut C,
    ) -> Result<Drawn<Vec<bool>>, PerturbError> {
        let value = truths.iter().map(|&truth| self.answer(truth, coins)).collect::<Result<_, _>>()?;
        Ok(Drawn { value, source: coins.source() })
    }

    /// The probability of a yes when this share of the truths is yes.
    pub fn yes(self, share: f64) -> f64 {
        share * self.if_yes + (1.0 - share) * self.if_no
    }

    /// How much of the truth a yes tells: P(yes | yes) − P(yes | no).
    fn slope(self) -> f64 {
        self.if_yes - self.if_no
    }

    /// What `yes` among so many answers say.
    ///
    /// # Errors
    /// When there is no answer, there are more yes than answers, or the answers do not depend on the truth.
    pub fn estimate(self, yes: u64, answers: u64) -> Result<ResponseEstimate, PerturbError> {
        if answers == 0 {
            return Err(PerturbError::Empty { what: "answer" });
        }
        if yes > answers {
            return Err(PerturbError::Parameter {
                name: "the number of yes",
                accepted: "at most that of the answers",
            });
        }
        if self.slope() == 0.0 {
            return Err(PerturbError::Singular);
        }
        Ok(ResponseEstimate { response: self, yes, answers })
    }

    /// The variance of the estimate from so many answers, when respondents are drawn from a population with this share:
    /// λ(1−λ)/(n·slope²) with λ = P(yes). Infinite when the answers do not depend on the truth or there are none.
    pub fn variance(self, share: f64, answers: u64) -> f64 {
        let yes = self.yes(share);
        yes * (1.0 - yes) / (answers as f64 * self.slope() * self.slope())
    }

    /// The variance of the estimate when the truths are fixed and only the coins are random.
    pub fn variance_of_coins(self, share: f64, answers: u64) -> f64 {
        let coin = |yes: f64| yes * (1.0 - yes);
        (share * coin(self.if_yes) + (1.0 - share) * coin(self.if_no))
            / (answers as f64 * self.slope() * self.slope())
    }

    /// The most by which an answer changes the odds of a truth; infinite when an answer excludes one.
    pub fn gamma(self) -> f64 {
        let ratio = |a: f64, b: f64| if a == b { 1.0 } else { a.max(b) / a.min(b) };
        ratio(self.if_yes, self.if_no).max(ratio(1.0 - self.if_yes, 1.0 - self.if_no))
    }

    /// Warner's is (α,β)-private for probabilities from ½ up to, and without, this one.
    ///
    /// # Errors
    /// When not 0 < α < β < 1.
    pub fn warner_bound(alpha: f64, beta: f64) -> Result<f64, PerturbError> {
        let gamma = crate::amplification::odds_bound(alpha, beta)?;
        Ok(gamma / (1.0 + gamma))
    }

    /// With an innocuous question whose answer is yes with probability `yes` the response is (α,β)-private for
    /// probabilities of the truth up to, and without, this one.
    ///
    /// # Errors
    /// When not 0 < α < β < 1, or `yes` is no probability.
    pub fn innocuous_bound(yes: f64, alpha: f64, beta: f64) -> Result<f64, PerturbError> {
        check_probability("the probability of yes to the innocuous question", yes)?;
        let gamma = crate::amplification::odds_bound(alpha, beta)?;
        // γ = 1 + p/((1−p)·min(yes, 1−yes)).
        let odds = yes.min(1.0 - yes) * (gamma - 1.0);
        Ok(odds / (1.0 + odds))
    }
}

impl ResponseEstimate {
    /// The unbiased estimate; it can be below 0 or above 1.
    pub fn share(self) -> f64 {
        (self.yes as f64 / self.answers as f64 - self.response.if_no) / self.response.slope()
    }

    /// The estimate, moved into [0, 1]; no longer unbiased.
    pub fn clipped(self) -> f64 {
        self.share().clamp(0.0, 1.0)
    }

    /// An unbiased estimate of the variance; infinite for a single answer.
    pub fn variance(self) -> f64 {
        let (n, slope) = (self.answers as f64, self.response.slope());
        let yes = self.yes as f64 / n;
        if self.answers > 1 { yes * (1.0 - yes) / ((n - 1.0) * slope * slope) } else { f64::INFINITY }
    }

    /// An interval that covers the share with about the given probability, within [0, 1].
    ///
    /// # Errors
    /// When the level is not between 0 and 1.
    pub fn interval(self, level: f64) -> Result<(f64, f64), PerturbError> {
        let z = two_sided_quantile(level);
        if z.is_nan() {
            return Err(PerturbError::Parameter { name: "the level", accepted: "above 0 and below 1" });
        }
        let n = self.answers as f64;
        let yes = self.yes as f64 / n;
        let square = z * z / n;
        let middle = (yes + square / 2.0) / (1.0 + square);
        let reach = (yes * (1.0 - yes) * square + square * square / 4.0).sqrt() / (1.0 + square);
        let carry = |yes: f64| ((yes - self.response.if_no) / self.response.slope()).clamp(0.0, 1.0);
        let (a, b) = (carry(middle - reach), carry(middle + reach));
        Ok((a.min(b), a.max(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_mean, assert_near, assert_variance, moments};
    use crate::{SeededCoins, Source};

    /// survey ME-19, ME-20, PM-16.
    #[test]
    fn printed_numbers() {
        let warner = Response::warner(0.75).unwrap();
        assert_near(warner.estimate(40, 100).unwrap().share(), 0.30, 1e-12);
        assert_near(warner.gamma(), 3.0, 1e-12);
        assert_near(Response::warner_bound(0.1, 0.5).unwrap(), 0.9, 1e-12);
        let innocuous = Response::innocuous(0.75, 0.5).unwrap();
        assert_near(innocuous.estimate(40, 100).unwrap().share(), 0.366_666_666_667, 1e-11);
        assert_near(innocuous.gamma(), 7.0, 1e-12);
    }

    /// survey TH-13: with a fair coin the innocuous question has less variance than Warner's above p = 1/3, more below.
    #[test]
    fn the_variances_cross_at_one_third() {
        for share in [0.0, 0.05, 0.3, 0.5, 0.9, 1.0] {
            for p in [0.05, 0.2, 0.33, 0.34, 0.45, 0.6, 0.9] {
                let warner = Response::warner(p).unwrap().variance(share, 100);
                let innocuous = Response::innocuous(p, 0.5).unwrap().variance(share, 100);
                assert_eq!(innocuous < warner, p > 1.0 / 3.0, "{share} {p}");
            }
            let at = 1.0 / 3.0;
            let warner = Response::warner(at).unwrap().variance(share, 100);
            assert_near(Response::innocuous(at, 0.5).unwrap().variance(share, 100), warner, 1e-9);
        }
    }

    /// survey TH-14: just below the bound nothing is breached, at the bound it is.
    #[test]
    fn the_bound_is_the_bound() {
        for (alpha, beta) in [(0.1, 0.5), (0.01, 0.3), (0.4, 0.41), (0.2, 0.9)] {
            let most = crate::amplification::odds_bound(alpha, beta).unwrap();
            let bound = Response::warner_bound(alpha, beta).unwrap();
            assert_near(Response::warner(bound).unwrap().gamma(), most, 1e-9 * most);
            assert!(Response::warner(bound - 1e-6).unwrap().gamma() < most);
            for yes in [0.5, 0.2, 0.9] {
                let bound = Response::innocuous_bound(yes, alpha, beta).unwrap();
                assert_near(Response::innocuous(bound, yes).unwrap().gamma(), most, 1e-9 * most);
            }
            assert_eq!(Response::innocuous_bound(0.0, alpha, beta), Ok(0.0));
        }
        assert!(Response::warner_bound(0.5, 0.5).is_err() && Response::warner_bound(0.0, 0.5).is_err());
        assert!(Response::warner_bound(0.1, 1.0).is_err() && Response::warner_bound(f64::NAN, 0.5).is_err());
    }

    /// Bias and both variances, for both responses. False alarm: 1e-6 for all together.
    #[test]
    fn estimates_are_unbiased_and_vary_as_said() {
        let (runs, answers) = (3000, 200usize);
        for (seed, response) in
            [(1, Response::warner(0.8).unwrap()), (2, Response::innocuous(0.6, 0.3).unwrap())]
        {
            let mut coins = SeededCoins::new(seed);
            let fixed: Vec<bool> = (0..answers).map(|i| i % 4 == 0).collect();
            let (mut drawn, mut of_coins, mut variances) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..runs {
                let truths: Vec<bool> = (0..answers).map(|_| coins.chance(0.25).unwrap()).collect();
                for (truths, out) in [(&truths, &mut drawn), (&fixed, &mut of_coins)] {
                    let said = response.randomize(truths, &mut coins).unwrap();
                    assert_eq!(said.source, Source::Seeded);
                    let yes = said.value.iter().filter(|&&yes| yes).count() as u64;
                    let estimate = response.estimate(yes, answers as u64).unwrap();
                    out.push(estimate.share());
                    variances.push(estimate.variance());
                }
            }
            let n = answers as u64;
            for (found, variance) in
                [(&drawn, response.variance(0.25, n)), (&of_coins, response.variance_of_coins(0.25, n))]
            {
                let (mean, _) = moments(found);
                assert_mean(mean, 0.25, (variance / f64::from(runs)).sqrt(), 8);
                assert_variance(found, variance, 8);
            }
            // The estimate of the variance is right on average, with truths that are drawn.
            let own: Vec<f64> = variances.iter().step_by(2).copied().collect();
            let (mean, spread) = moments(&own);
            assert_mean(mean, response.variance(0.25, n), (spread / f64::from(runs)).sqrt(), 8);
        }
    }

    /// The coverage, computed exactly from the binomial distribution.
    #[test]
    fn intervals_cover_as_often_as_they_say() {
        for response in [Response::warner(0.75).unwrap(), Response::innocuous(0.5, 0.5).unwrap()] {
            for (share, answers) in [(0.3, 200u32), (0.1, 1000), (0.5, 50)] {
                let yes = response.yes(share);
                let n = f64::from(answers);
                // P(0), then P(k+1) = P(k)·(n−k)/(k+1)·λ/(1−λ), in logarithms so that the first is not lost.
                let mut log = n * (1.0 - yes).ln();
                let mut covered = 0.0;
                for k in 0..=answers {
                    let estimate = response.estimate(u64::from(k), u64::from(answers)).unwrap();
                    let (low, high) = estimate.interval(0.95).unwrap();
                    if (low..=high).contains(&share) {
                        covered += log.exp();
                    }
                    log += ((n - f64::from(k)) / f64::from(k + 1) * yes / (1.0 - yes)).ln();
                }
                assert!((0.935..0.965).contains(&covered), "{share} {answers}: {covered}");
            }
        }
    }

    #[test]
    fn edges() {
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Response::warner(bad).is_err() && Response::innocuous(0.5, bad).is_err());
        }
        let warner = Response::warner(0.75).unwrap();
        assert_eq!(warner.estimate(0, 0), Err(PerturbError::Empty { what: "answer" }));
        assert!(warner.estimate(2, 1).is_err());
        assert_eq!(Response::warner(0.5).unwrap().estimate(1, 2), Err(PerturbError::Singular));
        assert_eq!(Response::warner(0.5).unwrap().gamma(), 1.0);
        assert_eq!(Response::warner(1.0).unwrap().gamma(), f64::INFINITY);
        // Who always says yes tells nothing.
        assert_eq!(Response::new(1.0, 1.0).unwrap().gamma(), 1.0);
        let one = warner.estimate(1, 1).unwrap();
        assert_eq!((one.share(), one.clipped(), one.variance()), (1.5, 1.0, f64::INFINITY));
        assert!(one.interval(1.0).is_err() && one.interval(f64::NAN).is_err());
        // A response that says yes less often when the truth is yes works as well.
        let (low, high) = Response::warner(0.1).unwrap().estimate(30, 100).unwrap().interval(0.9).unwrap();
        assert!(low < 0.75 && 0.75 < high);
        let written = serde_json::to_string(&warner).unwrap();
        assert_eq!(written, r#"{"yes-if-yes":0.75,"yes-if-no":0.25}"#);
        assert_eq!(serde_json::from_str::<Response>(&written).unwrap(), warner);
        assert!(serde_json::from_str::<Response>(r#"{"yes-if-yes":1.5,"yes-if-no":0.25}"#).is_err());
    }
}
