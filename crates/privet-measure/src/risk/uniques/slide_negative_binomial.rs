//! Population uniques in the slide negative binomial model (Chen and Keller-McNulty, 1998).
//!
//! K classes have sizes F = 1 + X with X negative binomial: P(X = x) = C(x+r−1, x) p^r q^x, q = 1−p, so that
//! K·p^r people are expected to be unique. The estimator is derived here, by moments:
//!
//! A sample takes each person with probability π. Of the class's first person B ~ Bernoulli(π) are taken; of X a
//! number Y, and a thinned negative binomial is negative binomial again, with the same r and A = p/(p+qπ) in place of
//! p. So f = B + Y, and with m = E(Y) = r(1−A)/A and T = P(Y = 0) = A^r:
//!
//! 1. n = K·E(f) = K(π + m), so K = n/(π+m);
//! 2. u = K·P(f ≥ 1) = K(1 − (1−π)T), so T = (1 − u/K)/(1−π);
//! 3. n_1 = K·P(f = 1) = K·T·((1−π)·mA + π), because P(Y = 1) = r(1−A)T = mA·T.
//!
//! Given m, (1) and (2) give K and T; T = A^r means ln T = m·A ln A/(1−A), which falls from 0 to −m as A goes from 0
//! to 1, so bisection finds A when e^−m < T < 1; what is left is one equation, (3), in m, and m lies between π(n/u −
//! 1), where T = 1, and n/u − π, where T = 0. The interval is looked through for changes of sign, each is bisected,
//! and of several solutions that is taken whose expected n_2 is nearest to the sample's.
//!
//! Departure: the model is commonly fitted with an estimate of K by itself first; the moments give all three
//! parameters at once and agree with n, u and n_1 exactly.
//!
//! # Guarantee
//! The parameters found reproduce n, u and n_1. When none do, as for sizes that vary less than Poisson's, an error
//! says so.

use super::{Frequencies, UniquesError, limited, without_model};

/// The estimate of the slide negative binomial model of the number of people who are alone in their class.
///
/// # Errors
/// When the sampling fraction is not above 0 and at most 1, when no two records are alike, or when no parameters
/// agree with the sample.
pub fn slide_negative_binomial(sample: &Frequencies, fraction: f64) -> Result<f64, UniquesError> {
    if let Some(known) = without_model(sample, fraction)? {
        return Ok(known);
    }
    if sample.classes() == sample.records() {
        return Err(UniquesError::AllUnique);
    }
    let moments = Moments {
        n: sample.records() as f64,
        u: sample.classes() as f64,
        n_1: sample.of_size(1) as f64,
        fraction,
    };
    let wanted = sample.of_size(2) as f64;
    let away = |fit: &Fit| (fit.pairs - wanted).abs();
    let solutions = moments.solutions();
    let best = solutions.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
    best.map(|fit| limited(fit.uniques, sample, fraction)).ok_or(UniquesError::NoSolution)
}

struct Moments {
    n: f64,
    u: f64,
    n_1: f64,
    fraction: f64,
}

/// What the first two moments leave for a value of m.
struct Fit {
    /// By how much the expected n_1 is above that of the sample.
    residual: f64,
    /// The expected population uniques.
    uniques: f64,
    /// The expected n_2.
    pairs: f64,
}

impl Moments {
    fn solutions(&self) -> Vec<Fit> {
        let mean = self.n / self.u;
        let (low, high) = (self.fraction * (mean - 1.0), mean - self.fraction);
        // Close together near both ends, where solutions of small and of large fractions are.
        let at = |place: f64| low + (high - low) / (1.0 + (-place).exp());
        let mut found = Vec::new();
        let mut last: Option<(f64, f64)> = None;
        for step in 0..=960 {
            let place = (f64::from(step) - 480.0) / 30.0;
            let here = self.fit(at(place)).map(|fit| (place, fit.residual));
            if let (Some((before, was)), Some((place, is))) = (last, here)
                && (was <= 0.0) != (is <= 0.0)
            {
                found.extend(self.bisect(before, place, was <= 0.0, at));
            }
            last = here;
        }
        found
    }

    fn bisect(&self, mut low: f64, mut high: f64, rises: bool, at: impl Fn(f64) -> f64) -> Option<Fit> {
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            match (self.fit(at(middle))?.residual <= 0.0) == rises {
                true => low = middle,
                false => high = middle,
            }
        }
        self.fit(at(0.5 * (low + high))).filter(|fit| fit.residual.abs() <= 1e-6 * self.n_1.max(1.0))
    }

    fn fit(&self, m: f64) -> Option<Fit> {
        let pi = self.fraction;
        let classes = self.n / (pi + m);
        let none = (1.0 - self.u / classes) / (1.0 - pi);
        if !(m > 0.0 && none > (-m).exp() && none < 1.0) {
            return None;
        }
        // A ln A/(1−A) = ln T/m.
        let target = none.ln() / m;
        let (mut low, mut high) = (0.0f64, 1.0f64);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            match middle * middle.ln() / (1.0 - middle) > target {
                true => low = middle,
                false => high = middle,
            }
        }
        let a = 0.5 * (low + high);
        if !(a > 0.0 && a < 1.0) {
            return None;
        }
        let r = m * a / (1.0 - a);
        let p = a * pi / (1.0 - a + a * pi);
        let one = r * (1.0 - a);
        let two = one * (r + 1.0) * (1.0 - a) / 2.0;
        Some(Fit {
            residual: classes * none * ((1.0 - pi) * one + pi) - self.n_1,
            uniques: classes * (r * p.ln()).exp(),
            pairs: classes * none * ((1.0 - pi) * two + pi * one),
        })
    }
}
