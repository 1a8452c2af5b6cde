//! Two histograms over the same values, before and after (survey UM-09, UM-10, UM-13, UM-14 for one column or any other
//! list of cells).
//!
//! Counts are divided by their sum, so the two need not be of as many records.

use super::UtilityError;

/// Two distributions over the same values.
#[derive(Debug, Clone, PartialEq)]
pub struct Histograms {
    before: Vec<f64>,
    after: Vec<f64>,
}

impl Histograms {
    /// From counts or shares.
    ///
    /// # Errors
    /// When there are not equally many, one is negative or not finite, or a sum is not above 0 or too large.
    pub fn new(before: &[f64], after: &[f64]) -> Result<Self, UtilityError> {
        super::same_length("cells of the second histogram", after.len(), before.len())?;
        Ok(Self { before: shares(before)?, after: shares(after)? })
    }

    /// The shares before.
    pub fn before(&self) -> &[f64] {
        &self.before
    }

    /// The shares after.
    pub fn after(&self) -> &[f64] {
        &self.after
    }

    fn pairs(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.before.iter().copied().zip(self.after.iter().copied())
    }

    /// Kullback-Leibler divergence of before from after, in nats (UM-09): infinite when after has nothing where before
    /// has something.
    pub fn kullback_leibler(&self) -> f64 {
        let terms = self.pairs().filter(|own| own.0 > 0.0).map(|(p, q)| p * (p.ln() - q.ln()));
        terms.sum::<f64>().max(0.0)
    }

    /// ln of how many times likelier so many records are under before than under after, when their shares are those of
    /// before (UM-10).
    pub fn log_likelihood_ratio(&self, records: u64) -> f64 {
        if records == 0 { 0.0 } else { records as f64 * self.kullback_leibler() }
    }

    /// (Σ|p − q|^order)^(1/order) (UM-13); the largest difference when the order is infinite.
    ///
    /// # Errors
    /// When the order is below 1 or not a number.
    pub fn norm(&self, order: f64) -> Result<f64, UtilityError> {
        if order.is_nan() || order < 1.0 {
            return Err(UtilityError::Parameter { what: "the order of a norm", accepted: "at least 1" });
        }
        if order.is_infinite() {
            return Ok(self.largest_difference());
        }
        Ok(self.pairs().map(|(p, q)| (p - q).abs().powf(order)).sum::<f64>().powf(1.0 / order))
    }

    /// Half of Σ|p − q|: the largest difference in the probability of any event (UM-13).
    pub fn total_variation(&self) -> f64 {
        self.pairs().map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0
    }

    /// max|p − q| (UM-13).
    pub fn largest_difference(&self) -> f64 {
        self.pairs().map(|(p, q)| (p - q).abs()).fold(0.0, f64::max)
    }

    /// √(Σ(√p − √q)²/2) (UM-14).
    pub fn hellinger(&self) -> f64 {
        let sum: f64 = self.pairs().map(|(p, q)| (p.sqrt() - q.sqrt()).powi(2)).sum();
        (sum / 2.0).clamp(0.0, 1.0).sqrt()
    }
}

fn shares(weights: &[f64]) -> Result<Vec<f64>, UtilityError> {
    let sum: f64 = weights.iter().sum();
    if weights.iter().any(|&weight| !weight.is_finite() || weight < 0.0) || !sum.is_finite() || sum <= 0.0 {
        let accepted = "numbers of at least 0 with a finite sum above 0";
        return Err(UtilityError::Parameter { what: "the cells of a histogram", accepted });
    }
    Ok(weights.iter().map(|weight| weight / sum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Survey FX-2.4: classes with Flu 400 and Ca 200 against the overall (2/3, 1/3).
    #[test]
    fn distance_of_a_class_to_the_whole() {
        let of = |class: &[f64]| Histograms::new(class, &[1200.0, 600.0]).unwrap();
        assert!((of(&[400.0, 0.0]).total_variation() - 1.0 / 3.0).abs() < 1e-12);
        assert!((of(&[0.0, 200.0]).total_variation() - 2.0 / 3.0).abs() < 1e-12);
        let same = of(&[400.0, 200.0]);
        assert_eq!((same.total_variation(), same.kullback_leibler(), same.hellinger()), (0.0, 0.0, 0.0));
        assert!((of(&[400.0, 0.0]).kullback_leibler() - 1.5f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn nothing_in_common() {
        let apart = Histograms::new(&[1.0, 0.0], &[0.0, 5.0]).unwrap();
        assert_eq!(apart.kullback_leibler(), f64::INFINITY);
        assert_eq!((apart.hellinger(), apart.total_variation(), apart.largest_difference()), (1.0, 1.0, 1.0));
        assert_eq!((apart.norm(1.0), apart.norm(f64::INFINITY)), (Ok(2.0), Ok(1.0)));
        assert!((apart.norm(2.0).unwrap() - 2f64.sqrt()).abs() < 1e-12);
        assert_eq!((apart.log_likelihood_ratio(0), apart.log_likelihood_ratio(1)), (0.0, f64::INFINITY));
        assert!(apart.norm(0.5).is_err() && apart.norm(f64::NAN).is_err());
    }

    #[test]
    fn no_histograms() {
        for bad in [&[0.0, 0.0][..], &[1.0, -1.0], &[f64::NAN, 1.0], &[f64::MAX, f64::MAX], &[1.0]] {
            assert!(Histograms::new(bad, &[1.0, 1.0]).is_err());
        }
        assert!(Histograms::new(&[], &[]).is_err());
    }
}
