//! Bayes-optimal belief (survey PM-06, Theorem 2.1; Machanavajjhala et al.): what somebody believes who knows the true
//! joint distribution f(q, s) of quasi-identifier and sensitive value, and that a person with q is in a class.
//!
//! Before: α = f(s | q). After: β(s) ∝ n(s) · f(s | q) / f(s | q*), where n(s) counts s in the class and f(s | q*) is over
//! all q' that generalize into it.
//!
//! What it guarantees: the formula, exact up to rounding; tests compare it with Bayes' rule over all tables (TH-01).
//! Departure: the print divides by f(s, q) in α (survey ERR-5); here α is the conditional that is meant.

use super::ReasonerError;

/// What is believed before and after a release.
#[derive(Debug, Clone, PartialEq)]
pub struct BayesOptimal {
    /// Per value the chance before.
    pub prior: Vec<f64>,
    /// Per value the chance after.
    pub posterior: Vec<f64>,
}

/// How far belief moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surprise {
    /// The largest |α − β|.
    pub difference: f64,
    /// The largest β / α over values with α above 0.
    pub ratio: f64,
}

impl BayesOptimal {
    /// How far the release moves belief.
    pub fn surprise(&self) -> Surprise {
        let pairs = || self.prior.iter().zip(&self.posterior);
        Surprise {
            difference: pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max),
            ratio: pairs().filter(|(a, _)| **a > 0.0).map(|(a, b)| b / a).fold(0.0, f64::max),
        }
    }
}

/// The chances of each value given one of these quasi-identifiers, from the joint distribution: per quasi-identifier a
/// row with a chance for each value, up to a factor. With one quasi-identifier this is f(s | q), with all of a class
/// f(s | q*).
///
/// # Errors
/// When a number is negative or not finite, rows differ in length, or nothing has any chance.
pub fn conditional<'a>(rows: impl IntoIterator<Item = &'a [f64]>) -> Result<Vec<f64>, ReasonerError> {
    let fault = |problem| ReasonerError::Parameter { name: "distribution", problem };
    let mut sums: Vec<f64> = Vec::new();
    for (number, row) in rows.into_iter().enumerate() {
        if number == 0 {
            sums = vec![0.0; row.len()];
        }
        if row.len() != sums.len() {
            return Err(fault("must have one chance for each value in every row"));
        }
        if row.iter().any(|chance| !(chance.is_finite() && *chance >= 0.0)) {
            return Err(fault("must consist of numbers of at least 0"));
        }
        sums.iter_mut().zip(row).for_each(|(sum, chance)| *sum += chance);
    }
    let total: f64 = sums.iter().sum();
    if !(total > 0.0 && total.is_finite()) {
        return Err(fault("must give some value a chance above 0"));
    }
    sums.iter_mut().for_each(|sum| *sum /= total);
    Ok(sums)
}

/// What is believed about a person with q in a class with these counts. `given_q` is f(s | q), `given_class` f(s | q*).
///
/// # Errors
/// When the lists differ in length, a number is out of range, a value occurs that f(s | q*) says cannot, or no value
/// of the class is possible for the person.
pub fn bayes_optimal(
    counts: &[u64],
    given_q: &[f64],
    given_class: &[f64],
) -> Result<BayesOptimal, ReasonerError> {
    let fault = |problem| ReasonerError::Parameter { name: "distribution", problem };
    if counts.len() != given_q.len() || counts.len() != given_class.len() {
        return Err(fault("must have one chance for each value"));
    }
    let prior = conditional([given_q])?;
    let class = conditional([given_class])?;
    let mut posterior = vec![0.0; counts.len()];
    for (value, &count) in counts.iter().enumerate() {
        if count > 0 && class[value] == 0.0 {
            return Err(fault("must give every value of the class a chance above 0"));
        }
        if count > 0 {
            posterior[value] = count as f64 * prior[value] / class[value];
        }
    }
    let sum: f64 = posterior.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(fault("must give some value of the class a chance above 0 for the person"));
    }
    posterior.iter_mut().for_each(|chance| *chance /= sum);
    Ok(BayesOptimal { prior, posterior })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// survey PM-06: (1/20, 19/20).
    #[test]
    fn survey_pm06_golden() {
        let found = bayes_optimal(&[2, 2], &[0.05, 0.95], &[0.5, 0.5]).unwrap();
        assert!((found.posterior[0] - 0.05).abs() < 1e-12 && (found.posterior[1] - 0.95).abs() < 1e-12);
        assert!(found.surprise().difference < 1e-12 && (found.surprise().ratio - 1.0).abs() < 1e-12);
        // When f(s | q) is f(s | q*), belief is the share in the class.
        let found = bayes_optimal(&[3, 1, 0], &[0.2, 0.3, 0.5], &[0.2, 0.3, 0.5]).unwrap();
        assert!((found.posterior[0] - 0.75).abs() < 1e-12 && found.posterior[2] == 0.0);
        assert!((found.surprise().ratio - 3.75).abs() < 1e-12);
    }

    #[test]
    fn faults() {
        assert!(bayes_optimal(&[1], &[1.0, 0.0], &[1.0]).is_err());
        assert!(bayes_optimal(&[1, 1], &[1.0, 0.0], &[1.0, 0.0]).is_err());
        assert!(bayes_optimal(&[0, 1], &[1.0, 0.0], &[0.5, 0.5]).is_err());
        assert!(bayes_optimal(&[], &[], &[]).is_err());
        for bad in [f64::NAN, -1.0, f64::INFINITY] {
            assert!(bayes_optimal(&[1, 1], &[bad, 1.0], &[0.5, 0.5]).is_err());
        }
        assert!(conditional([&[1.0][..], &[1.0, 2.0]]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// survey TH-01: Bayes' rule over all tables. The person has q; the others of the class are drawn from f, and
        /// are in the class; what is seen is how often each value occurs.
        #[test]
        fn survey_th01_equals_all_tables(
            f in prop::collection::vec(prop::collection::vec(0.05f64..1.0, 3), 2),
            values in prop::collection::vec(0usize..3, 1..5),
        ) {
            let mut counts = [0u64; 3];
            values.iter().for_each(|&value| counts[value] += 1);
            // Draws of (q', s') for everybody else, as numbers in base 6.
            let others = values.len() as u32 - 1;
            let mut with = [0.0; 3];
            for (own, with) in with.iter_mut().enumerate() {
                for draw in 0..6usize.pow(others) {
                    let (mut seen, mut weight, mut rest) = ([0u64; 3], f[0][own], draw);
                    seen[own] += 1;
                    for _ in 0..others {
                        seen[rest % 3] += 1;
                        weight *= f[rest % 6 / 3][rest % 3];
                        rest /= 6;
                    }
                    if seen == counts {
                        *with += weight;
                    }
                }
            }
            let all: f64 = with.iter().sum();
            let given_q = conditional([&f[0][..]]).unwrap();
            let given_class = conditional(f.iter().map(Vec::as_slice)).unwrap();
            let found = bayes_optimal(&counts, &given_q, &given_class).unwrap();
            for (found, with) in found.posterior.iter().zip(with) {
                prop_assert!((found - with / all).abs() < 1e-9);
            }
        }
    }
}
