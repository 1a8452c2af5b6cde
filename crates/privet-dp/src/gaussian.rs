//! How much Gaussian noise (epsilon, delta) needs (survey ME-29 names the noise and gives no calibration).
//!
//! Noise of variance S2²/(2·rho) has concentrated loss rho, also for vectors on a grid, and losses add up over
//! questions that depend on each other. It is (epsilon, delta)-private for every order α > 1 with delta ≥
//! e^((α−1)(αρ−epsilon))·(1−1/α)^α/(α−1) (Canonne, Kamath and Steinke 2020, corollary 13). Guarantee: the search for
//! a good rho and α is in floating point, but what it finds counts only after the inequality has been proved for
//! these two fractions with `exact.rs`; otherwise the textbook's rho + 2√(rho·ln(1/delta)) = epsilon (Bun and Steinke
//! 2016) decides, bounded in the same way.

use dashu::rational::RBig;

use crate::exact;

/// The variance per squared sensitivity for which the loss exceeds epsilon with a probability of delta at most (PM-28),
/// rounded up. `None` when delta is 0 or below e^−4000.
///
/// For a change D of length S and noise z of sigma v·S the loss is (2⟨z,D⟩ + S²)/(2v²S²), and ⟨z,D⟩ exceeds t with
/// probability e^(−t²/(2v²S⁴)) at most: discrete Gaussian noise has no larger moments than the continuous one. So
/// v·epsilon − 1/(2v) ≥ √(2·ln(1/delta)) suffices, which is the textbook's condition for the other form.
pub(crate) fn variance_of_loss(epsilon: &RBig, delta: &RBig) -> Option<RBig> {
    if *delta <= RBig::ZERO {
        return None;
    }
    let log = exact::ln_upper(&(RBig::ONE / delta))?;
    Some(textbook(epsilon, &log))
}

/// Rounded up.
fn textbook(epsilon: &RBig, log: &RBig) -> RBig {
    let roots = exact::sqrt_upper(&(log + epsilon)) + exact::sqrt_upper(log);
    let half = roots / epsilon;
    &half * &half / RBig::from(2)
}

/// The variance per squared sensitivity, 1/(2·rho), rounded up. `None` when delta is 0 or below e^−4000.
pub(crate) fn variance(epsilon: &RBig, delta: &RBig) -> Option<RBig> {
    if *delta <= RBig::ZERO {
        return None;
    }
    let log = exact::ln_upper(&(RBig::ONE / delta))?;
    let textbook = textbook(epsilon, &log);
    let found = search(epsilon.to_f64().value(), log.to_f64().value()).and_then(|(rho, order)| {
        let (rho, order) = (RBig::try_from(rho).ok()?, RBig::try_from(order).ok()?);
        proved(epsilon, &log, &rho, &order)?.then(|| RBig::ONE / (RBig::from(2) * rho))
    });
    Some(found.map_or(textbook.clone(), |found| found.min(textbook)))
}

/// An epsilon for which a concentrated loss of rho is (epsilon, delta)-private, rounded up: the least that is proved by the same
/// inequality, or the textbook's. `None` when delta is 0 or below e^−4000.
pub(crate) fn epsilon_of(rho: &RBig, delta: &RBig) -> Option<RBig> {
    if *delta <= RBig::ZERO || *rho <= RBig::ZERO {
        return None;
    }
    let log = exact::ln_upper(&(RBig::ONE / delta))?;
    let textbook = rho + RBig::from(2) * exact::sqrt_upper(&(rho * &log));
    let (rate, need) = (rho.to_f64().value(), log.to_f64().value());
    let of = |a: f64| a * rate + (need - (a - 1.0).ln() - a * (a / (a - 1.0)).ln()) / (a - 1.0);
    let orders = (0..800).map(|i| 1.0 + ((0.002 * 1.025f64.powi(i)) * 4096.0).ceil() / 4096.0);
    let best = orders.map(|a| (of(a), a)).filter(|own| own.0 > 0.0).min_by(|x, y| x.0.total_cmp(&y.0));
    // A hundred-thousandth more leaves room for what floating point gets wrong.
    let found = best.and_then(|(epsilon, order)| {
        let (epsilon, order) = (RBig::try_from(epsilon * 1.00001).ok()?, RBig::try_from(order).ok()?);
        proved(&epsilon, &log, rho, &order)?.then_some(epsilon)
    });
    Some(found.map_or(textbook.clone(), |found| found.min(textbook)))
}

/// Whether (α−1)(epsilon−αρ) + α·ln(α/(α−1)) + ln(α−1) ≥ ln(1/delta), with every term rounded down.
fn proved(epsilon: &RBig, log: &RBig, rho: &RBig, order: &RBig) -> Option<bool> {
    let before = order - RBig::ONE;
    if before <= RBig::ZERO || *rho <= RBig::ZERO {
        return None;
    }
    let last = if before >= RBig::ONE {
        exact::ln_lower(&before)?
    } else {
        -exact::ln_upper(&(RBig::ONE / &before))?
    };
    let middle = order * exact::ln_lower(&(order / &before))?;
    Some(&before * (epsilon - order * rho) + middle + last >= *log)
}

/// A large rho and its order, a little below the best, on coarse fractions.
fn search(epsilon: f64, log: f64) -> Option<(f64, f64)> {
    let orders: Vec<f64> =
        (0..400).map(|i| 1.0 + ((0.002 * 1.045f64.powi(i)) * 4096.0).ceil() / 4096.0).collect();
    let best = |rho: f64| {
        let gain = |a: f64| (a - 1.0) * (epsilon - a * rho) + a * (a / (a - 1.0)).ln() + (a - 1.0).ln();
        orders.iter().map(|&a| (gain(a), a)).max_by(|x, y| x.0.total_cmp(&y.0))
    };
    let start = ((log + epsilon).sqrt() - log.sqrt()).powi(2);
    let (mut low, mut high) = (start * 0.5, start * 64.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if best(middle)?.0 >= log { low = middle } else { high = middle }
    }
    // A thousandth less leaves room for what floating point gets wrong.
    let rho = low * 0.999;
    Some((rho, best(rho)?.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::parse;

    /// Less noise than the textbook's, never more, and none of it without a proof.
    #[test]
    fn better_than_the_textbook() {
        for (epsilon, delta) in
            [("1", "1e-6"), ("0.1", "1e-3"), ("8", "1e-9"), ("0.001", "0.2"), ("1000", "1e-300")]
        {
            let (e, d) = (parse(epsilon).unwrap(), parse(delta).unwrap());
            let log = exact::ln_upper(&(RBig::ONE / &d)).unwrap();
            let (l, f) = (log.to_f64().value(), e.to_f64().value());
            let textbook = 0.5 / ((l + f).sqrt() - l.sqrt()).powi(2);
            let found = variance(&e, &d).unwrap().to_f64().value();
            assert!(
                found <= textbook * (1.0 + 1e-9) && found > textbook / 64.0,
                "{epsilon} {delta}: {found} {textbook}"
            );
        }
        assert!(variance(&RBig::ONE, &RBig::ZERO).is_none());
        let one = variance(&RBig::ONE, &parse("1e-6").unwrap()).unwrap().to_f64().value().sqrt();
        // The analytic Gaussian mechanism needs 4.2248 here.
        assert!((4.22..4.7).contains(&one), "{one}");
    }

    /// survey PM-28: the probability of outputs whose ratio exceeds e^epsilon, summed over the discrete Gaussian, is at most
    /// delta; with the smaller noise of the other form it is more.
    #[test]
    fn the_loss_exceeds_epsilon_rarely() {
        for (epsilon, delta) in [("1", "1e-3"), ("0.3", "1e-2"), ("3", "1e-6"), ("0.5", "0.2")] {
            let (e, d) = (parse(epsilon).unwrap(), parse(delta).unwrap());
            let beyond = |variance: &RBig, change: f64| {
                let variance = variance.to_f64().value() * change * change;
                let weight = |z: f64| (-z * z / (2.0 * variance)).exp();
                let (mut sum, mut all) = (0.0, 0.0);
                for z in -4000..=4000 {
                    let z = f64::from(z);
                    all += weight(z);
                    let loss = ((z + change).powi(2) - z * z) / (2.0 * variance);
                    sum += if loss > e.to_f64().value() { weight(z) } else { 0.0 };
                }
                sum / all
            };
            let (own, other) = (variance_of_loss(&e, &d).unwrap(), variance(&e, &d).unwrap());
            for change in [1.0, 5.0] {
                assert!(beyond(&own, change) <= d.to_f64().value(), "{epsilon} {delta}");
            }
            assert!(own >= other);
        }
        assert!(variance_of_loss(&RBig::ONE, &RBig::ZERO).is_none());
    }

    /// A false claim is not proved.
    #[test]
    fn too_large_a_rho_is_refused() {
        let (epsilon, delta) = (RBig::ONE, parse("1e-6").unwrap());
        let log = exact::ln_upper(&(RBig::ONE / &delta)).unwrap();
        let rho = RBig::ONE / (RBig::from(2) * variance(&epsilon, &delta).unwrap());
        for order in 2..60 {
            assert_eq!(
                proved(&epsilon, &log, &(&rho * parse("1.1").unwrap()), &RBig::from(order)),
                Some(false)
            );
        }
        assert!(proved(&epsilon, &log, &rho, &RBig::ONE).is_none());
    }
}
