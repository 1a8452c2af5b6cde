//! Duncan and Lambert's uncertainty about a person (survey PM-04).
//!
//! U_t(D*) = min_δ ∫ L_t(δ, x) p_t(x|D*) dx, the least expected loss of who must say what x is for target t. With
//! squared loss the best δ is the posterior mean, and U is the posterior variance; with the loss −log p_t(x|D*) it is
//! the entropy. Worst-case risk 1/min_t U_t; the criterion is min_t U_t ≥ θ.
//!
//! Some values of a class may be missing: the person is there, and what they have is not told. Each may be any value, so
//! that a class has a range of uncertainties; [`least_entropy`] and [`least_variance`] are the lower ends, since a doubt
//! that may not be there protects nobody.
//!
//! # Guarantee
//! Posteriors are lists of values with weights, which are divided by their sum. Entropy is in bits, as in the
//! survey's examples. A target about whom nothing is in doubt gives an infinite risk. Whatever missing values are, the
//! uncertainty is not below what is told.

/// What is in doubt about those of whom the least is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncertainty {
    /// The first target with the least uncertainty, counted from 0.
    pub target: usize,
    /// The least uncertainty.
    pub least: f64,
}

/// Why a posterior is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UncertaintyError {
    /// As many values as weights are needed.
    #[error("there are {values} values, but {weights} weights")]
    Length {
        /// The values.
        values: usize,
        /// The weights.
        weights: usize,
    },
    /// Weights that give no probabilities.
    #[error("weights must be finite, none below 0, and some above")]
    Weights,
    /// A value that is no number.
    #[error("value {place} is no finite number, although its weight is above 0")]
    Value {
        /// The value, counted from 0.
        place: usize,
    },
}

impl Uncertainty {
    /// Of targets with these uncertainties; `None` when there is no target. What is no number counts as no doubt at
    /// all.
    pub fn of(uncertainties: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut least: Option<Self> = None;
        for (target, own) in uncertainties.into_iter().enumerate() {
            // Zero has no sign here: one over it is infinite, and not below everything.
            let own = own.max(0.0) + 0.0;
            if least.is_none_or(|other| own < other.least) {
                least = Some(Self { target, least: own });
            }
        }
        least
    }

    /// The worst-case risk: one over the least uncertainty.
    pub fn worst_case_risk(&self) -> f64 {
        1.0 / self.least
    }

    /// Whether the criterion holds: the least uncertainty reaches the threshold.
    pub fn reaches(&self, threshold: f64) -> bool {
        self.least >= threshold
    }
}

/// The entropy of a posterior with these weights, in bits.
///
/// # Errors
/// When the weights are not finite, one is below 0, or none is above.
pub fn posterior_entropy(weights: &[f64]) -> Result<f64, UncertaintyError> {
    let sum = sum_of(weights)?;
    let bits = |&weight: &f64| {
        let share = weight / sum;
        if share > 0.0 { -share * share.log2() } else { 0.0 }
    };
    Ok(weights.iter().map(bits).sum::<f64>().max(0.0) + 0.0)
}

/// The variance of a posterior of these values with these weights.
///
/// # Errors
/// When there are not as many values as weights, the weights are not finite, one is below 0 or none is above, or a
/// value with weight is not finite.
pub fn posterior_variance(values: &[f64], weights: &[f64]) -> Result<f64, UncertaintyError> {
    if values.len() != weights.len() {
        return Err(UncertaintyError::Length { values: values.len(), weights: weights.len() });
    }
    let sum = sum_of(weights)?;
    let likely = || values.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
    if let Some(place) = (0..values.len()).find(|&i| weights[i] > 0.0 && !values[i].is_finite()) {
        return Err(UncertaintyError::Value { place });
    }
    let mean: f64 = likely().map(|(value, weight)| value * (weight / sum)).sum();
    // Around the mean, so that nothing cancels.
    Ok(likely().map(|(value, weight)| (value - mean) * (value - mean) * (weight / sum)).sum())
}

/// The least entropy, in bits, that a posterior with these weights may have when `missing` of further weight may go to any
/// values: all of it to the likeliest one. (Entropy is Schur-concave, and no other way to add the weight gives a list that
/// majorizes this one.)
///
/// # Errors
/// When the weights are not finite, one is below 0 or none is above, or the missing weight is not finite or below 0.
pub fn least_entropy(weights: &[f64], missing: f64) -> Result<f64, UncertaintyError> {
    sum_of(weights)?;
    let mut weights = weights.to_vec();
    if let Some(likeliest) = weights.iter_mut().max_by(|a, b| a.total_cmp(b)) {
        *likeliest += checked(missing)?;
    }
    posterior_entropy(&weights)
}

/// The least variance that a posterior of these values with these weights may have when `missing` of further weight may go
/// to any numbers: all of it to the mean.
///
/// # Errors
/// As [`posterior_variance`], or when the missing weight is not finite or below 0.
pub fn least_variance(values: &[f64], weights: &[f64], missing: f64) -> Result<f64, UncertaintyError> {
    let told = sum_of(weights)?;
    Ok(posterior_variance(values, weights)? * (told / (told + checked(missing)?)))
}

fn checked(missing: f64) -> Result<f64, UncertaintyError> {
    if missing >= 0.0 && missing.is_finite() { Ok(missing) } else { Err(UncertaintyError::Weights) }
}

fn sum_of(weights: &[f64]) -> Result<f64, UncertaintyError> {
    let sum: f64 = weights.iter().sum();
    let fits = weights.iter().all(|&weight| weight >= 0.0) && sum > 0.0 && sum.is_finite();
    if fits { Ok(sum) } else { Err(UncertaintyError::Weights) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entropies(classes: &[&[f64]]) -> Vec<f64> {
        classes.iter().map(|class| posterior_entropy(class).unwrap()).collect()
    }

    #[test]
    fn the_classes_of_the_survey() {
        // Survey FX-1.2: 1.0, 1.5 and 0 bits; a homogeneous class leaves no doubt.
        let found = entropies(&[&[2.0, 2.0], &[1.0, 2.0, 1.0], &[4.0]]);
        assert_eq!(found, [1.0, 1.5, 0.0]);
        let worst = Uncertainty::of(found).unwrap();
        assert_eq!((worst.target, worst.worst_case_risk()), (2, f64::INFINITY));
        assert!(!worst.reaches(0.1) && worst.reaches(0.0));
        // Survey FX-1.3: 2, 1.5 and 0.8113 bits.
        let found = entropies(&[&[1.0; 4], &[1.0, 1.0, 2.0], &[3.0, 1.0]]);
        assert_eq!(&found[..2], [2.0, 1.5]);
        let worst = Uncertainty::of(found).unwrap();
        assert!((worst.least - 0.8113).abs() < 5e-5 && worst.target == 2);
        assert!((worst.worst_case_risk() - 1.0 / 0.811_278_124_459_132_8).abs() < 1e-12);
        assert!(worst.reaches(0.8) && !worst.reaches(0.82));
    }

    #[test]
    fn the_variance_is_the_least_squared_loss() {
        let (values, weights) = ([1.0, 4.0, 6.0], [1.0, 2.0, 1.0]);
        let found = posterior_variance(&values, &weights).unwrap();
        assert_eq!(found, (2.75f64.powi(2) + 2.0 * 0.25f64.powi(2) + 2.25f64.powi(2)) / 4.0);
        let loss = |guess: f64| {
            values.iter().zip(&weights).map(|(x, w)| (x - guess) * (x - guess) * w / 4.0).sum::<f64>()
        };
        assert!((0..700).all(|step| loss(f64::from(step) / 100.0) >= found - 1e-12));
        // A large offset changes nothing.
        let far: Vec<f64> = values.iter().map(|value| value + 1e9).collect();
        assert!((posterior_variance(&far, &weights).unwrap() - found).abs() < 1e-6);
        assert_eq!(posterior_variance(&[5.0], &[2.0]), Ok(0.0));
        assert_eq!(posterior_variance(&[5.0, f64::NAN], &[2.0, 0.0]), Ok(0.0));
    }

    /// Nineteen with the flu and one of whom nothing is told: it may be the flu as well.
    #[test]
    fn missing_values_add_no_doubt() {
        assert_eq!(least_entropy(&[19.0], 1.0), Ok(0.0));
        assert_eq!(least_variance(&[120.0], &[19.0], 1.0), Ok(0.0));
        // 2, 1 and one more: 3 : 1.
        assert!((least_entropy(&[1.0, 2.0], 1.0).unwrap() - 0.811_278_124_459_132_8).abs() < 1e-12);
        // 1 and 3 with two more at 2: squares of 1 each, over four.
        assert_eq!(least_variance(&[1.0, 3.0], &[1.0, 1.0], 2.0), Ok(0.5));
        assert!(least_entropy(&[1.0], -1.0).is_err() && least_variance(&[1.0], &[1.0], f64::NAN).is_err());
        // Without a value that is told there is nobody to speak of.
        assert!(least_entropy(&[], 3.0).is_err());
    }

    proptest! {
        /// Against all ways to fill in what is missing, by values that occur and one that does not.
        #[test]
        fn no_way_to_fill_in_leaves_less(counts in prop::collection::vec(1u32..6, 1..4), missing in 0usize..4) {
            let weights: Vec<f64> = counts.iter().copied().map(f64::from).collect();
            let values: Vec<f64> = (0..weights.len()).map(|place| (place * place) as f64).collect();
            let entropy = least_entropy(&weights, missing as f64).unwrap();
            let variance = least_variance(&values, &weights, missing as f64).unwrap();
            let choices = weights.len() + 1;
            let mut reached = f64::INFINITY;
            for way in 0..choices.pow(missing as u32) {
                let (mut filled, mut numbers) = (weights.clone(), values.clone());
                filled.push(0.0);
                numbers.push(7.5);
                (0..missing).for_each(|one| filled[way / choices.pow(one as u32) % choices] += 1.0);
                let own = posterior_entropy(&filled).unwrap();
                prop_assert!(own >= entropy - 1e-12);
                prop_assert!(posterior_variance(&numbers, &filled).unwrap() >= variance - 1e-12);
                reached = reached.min(own);
            }
            prop_assert!((reached - entropy).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_no_posterior_is_refused() {
        for weights in [&[][..], &[0.0], &[-1.0, 2.0], &[f64::NAN], &[f64::INFINITY, 1.0]] {
            assert_eq!(posterior_entropy(weights), Err(UncertaintyError::Weights));
        }
        assert_eq!(posterior_variance(&[1.0], &[]), Err(UncertaintyError::Length { values: 1, weights: 0 }));
        assert_eq!(
            posterior_variance(&[1.0, f64::NAN], &[1.0, 1.0]),
            Err(UncertaintyError::Value { place: 1 })
        );
        assert_eq!(Uncertainty::of([]), None);
        assert_eq!(Uncertainty::of([1.0, f64::NAN]), Some(Uncertainty { target: 1, least: 0.0 }));
    }
}
