//! Noise calibrated to a sensitivity: Laplace for epsilon, Gaussian for (epsilon, delta) (survey ME-28, ME-29,
//! TH-16).
//!
//! Guarantee. Laplace: whole numbers whose vector changes by at most S in sum of absolute values between neighbours,
//! plus independent discrete Laplace noise of scale S/epsilon, are epsilon-private; the ratio of probabilities is at
//! most e^(S/scale) pointwise. Gaussian: normal noise rounded to whole numbers (`normal.rs`) or discrete Gaussian noise,
//! whose sigma per Euclidean sensitivity is proved in `analytic.rs` or `gaussian.rs`, rounded up: for (epsilon, delta) whichever has the smaller
//! deviation, so nearly always the former; for concentrated losses and the probabilistic form the latter. The print adds real noise to real values; fractions on a machine are not real numbers,
//! so values are whole numbers of a grid's unit here.

use dashu::integer::IBig;
use dashu::rational::RBig;

use crate::budget::{Epsilon, Loss, Privacy, Rho};
use crate::samplers::{self, saturating_i128};
use crate::{DpError, analytic, exact, gaussian, laplace_sum, normal};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Laplace,
    /// A discrete Gaussian.
    Gaussian,
    /// A normal number, rounded.
    Normal,
}

/// Noise that is ready to be added, and what adding it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Noise {
    shape: Shape,
    scale: RBig,
    loss: Loss,
    /// What it hides: a sum of absolute changes, or of squared ones.
    sensitivity: u128,
    /// The scale that the other calibration of Gaussian noise would have, where there is one.
    instead: Option<RBig>,
}

/// How far off an answer is expected to be. Known before anything is spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// The standard deviation of the noise.
    pub standard_deviation: f64,
    /// With a probability of at least 95 %, the answer is off by this much at most.
    pub half_width_95: f64,
}

impl Accuracy {
    /// The same in numbers of which `units` make 1.
    pub fn per(self, units: f64) -> Self {
        Self {
            standard_deviation: self.standard_deviation / units,
            half_width_95: self.half_width_95 / units,
        }
    }
}

impl std::fmt::Display for Noise {
    /// The law, with its scale to four digits.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (law, word) = match self.shape {
            Shape::Laplace => ("Laplace", "scale"),
            Shape::Gaussian => ("Gaussian", "sigma"),
            Shape::Normal => {
                return write!(f, "rounded Gaussian, sigma {}", four_digits(self.scale.to_f64().value()));
            }
        };
        write!(f, "discrete {law}, {word} {}", four_digits(self.scale.to_f64().value()))
    }
}

/// A number above 0 to four digits, or all of those before the point.
fn four_digits(value: f64) -> String {
    let decimals = if value >= 1.0 { (3.0 - value.log10().floor()).max(0.0) as usize } else { 4 };
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl Noise {
    /// Laplace noise for a sum of absolute changes of at most `sensitivity`.
    pub fn laplace(sensitivity: u128, epsilon: &Epsilon) -> Self {
        let scale = RBig::from(IBig::from(sensitivity)) / epsilon.value();
        Self {
            shape: Shape::Laplace,
            scale,
            loss: Privacy::Pure(epsilon.clone()).loss(),
            sensitivity,
            instead: None,
        }
    }

    /// Gaussian noise for a sum of squared changes of at most `squared_sensitivity`: of the deviation that the analytic bound asks for,
    /// rounded to whole numbers, or discrete and by concentrated losses where that is less.
    pub fn gaussian(
        squared_sensitivity: u128,
        epsilon: &Epsilon,
        delta: &crate::Delta,
    ) -> Result<Self, DpError> {
        let variance = gaussian::variance(epsilon.value(), delta.value());
        let discrete = Self::of_variance(variance, squared_sensitivity, epsilon, delta)?;
        let Some(deviation) = analytic::deviation(epsilon.value(), delta.value()) else {
            return Ok(discrete);
        };
        let scale = finely(&(deviation * exact::sqrt_upper(&RBig::from(IBig::from(squared_sensitivity)))));
        // Rounding adds the variance of a number that lies evenly in a unit.
        let square = |own: &RBig| own * own;
        if square(&scale) + RBig::ONE / RBig::from(12) >= square(&discrete.scale) {
            return Ok(discrete);
        }
        Ok(Self { shape: Shape::Normal, scale, instead: Some(discrete.scale.clone()), ..discrete })
    }

    /// Why Gaussian noise has the deviation that it has, where there was a choice.
    pub fn calibration(&self) -> Option<String> {
        let instead = self.instead.as_ref()?.to_f64().value();
        let own = self.scale.to_f64().value();
        Some(format!(
            "Gaussian noise has the least sigma that its epsilon and delta allow ({}, by the analytic bound of Balle and Wang); by concentrated losses \
             it would be {} ({:.1} % more)",
            four_digits(own),
            four_digits(instead),
            100.0 * (instead / own - 1.0)
        ))
    }

    /// The same for the probabilistic form (PM-28), which needs a little more of it.
    pub fn probabilistic(
        squared_sensitivity: u128,
        epsilon: &Epsilon,
        delta: &crate::Delta,
    ) -> Result<Self, DpError> {
        let variance = gaussian::variance_of_loss(epsilon.value(), delta.value());
        Self::of_variance(variance, squared_sensitivity, epsilon, delta)
    }

    fn of_variance(
        variance: Option<RBig>,
        squared_sensitivity: u128,
        epsilon: &Epsilon,
        delta: &crate::Delta,
    ) -> Result<Self, DpError> {
        let variance = variance
            .ok_or_else(|| DpError::parameter("delta", "above 0 for Gaussian noise, such as 1e-6"))?;
        let sigma = exact::sqrt_upper(&(variance * RBig::from(IBig::from(squared_sensitivity))));
        let scale = upwards(&sigma);
        let loss = Privacy::Approximate(epsilon.clone(), delta.clone()).loss();
        Ok(Self { shape: Shape::Gaussian, scale, loss, sensitivity: squared_sensitivity, instead: None })
    }

    /// Laplace or Gaussian noise, whichever the form of privacy asks for.
    pub(crate) fn of(privacy: &Privacy, sensitivity: u128, squared: u128) -> Result<Self, DpError> {
        match privacy {
            Privacy::Pure(epsilon) => Ok(Self::laplace(sensitivity, epsilon)),
            Privacy::Approximate(epsilon, delta) => Self::gaussian(squared, epsilon, delta),
            Privacy::Probabilistic(epsilon, delta) => Self::probabilistic(squared, epsilon, delta),
            Privacy::Concentrated(rho) => Ok(Self::concentrated(squared, rho)),
        }
    }

    /// Gaussian noise of a concentrated loss: a variance of squared/(2·rho) (Canonne, Kamath and Steinke 2020, theorem 4).
    pub fn concentrated(squared_sensitivity: u128, rho: &Rho) -> Self {
        let variance = RBig::from(IBig::from(squared_sensitivity)) / (RBig::from(2) * rho.value());
        let scale = upwards(&exact::sqrt_upper(&variance));
        let loss = Privacy::Concentrated(rho.clone()).loss();
        Self { shape: Shape::Gaussian, scale, loss, sensitivity: squared_sensitivity, instead: None }
    }

    /// The same noise for one of so many figures about the same people, which together cost what this noise would cost alone,
    /// whatever their sensitivities: Gaussian noise √figures times as large, because concentrated losses add up (Bun and
    /// Steinke 2016) and normal noise on several numbers is that on one of which the squares of sensitivities in deviations are summed (Dong,
    /// Roth and Su 2022, also where later questions depend on earlier answers), and Laplace noise as many times as large as there are figures.
    #[must_use]
    pub fn as_one_of(self, figures: u64) -> Self {
        let figures = RBig::from(figures.max(1));
        let root = |own: &RBig| exact::sqrt_upper(&(own * own * &figures));
        let instead = match figures == RBig::ONE {
            true => self.instead.clone(),
            false => self.instead.as_ref().map(root),
        };
        let scale = match self.shape {
            _ if figures == RBig::ONE => self.scale,
            Shape::Laplace => self.scale * &figures,
            Shape::Gaussian => upwards(&root(&self.scale)),
            Shape::Normal => finely(&root(&self.scale)),
        };
        Self { scale, instead, ..self }
    }

    /// Refuses noise that was made for a question with a smaller sensitivity than this one.
    pub(crate) fn must_hide(&self, sensitivity: u128, squared: u128) -> Result<(), DpError> {
        let needed = match self.shape {
            Shape::Laplace => sensitivity,
            Shape::Gaussian | Shape::Normal => squared,
        };
        if self.sensitivity < needed {
            return Err(DpError::parameter("the noise", "noise made for this question, by its own `noise`"));
        }
        Ok(())
    }

    /// What adding it costs.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The scale of Laplace, or the sigma of Gaussian noise.
    pub fn scale(&self) -> &RBig {
        &self.scale
    }

    /// The change that it hides, in units: of Laplace noise the sum of absolute changes, of Gaussian noise the root of the
    /// sum of squared ones.
    pub fn sensitivity(&self) -> f64 {
        match self.shape {
            Shape::Laplace => self.sensitivity as f64,
            Shape::Gaussian | Shape::Normal => (self.sensitivity as f64).sqrt(),
        }
    }

    /// A whole number with noise.
    pub fn add(&self, value: i128) -> Result<i128, DpError> {
        let noise = match self.shape {
            Shape::Laplace => samplers::discrete_laplace(&self.scale)?,
            Shape::Gaussian => samplers::discrete_gaussian(&self.scale)?,
            Shape::Normal => normal::draw(&self.scale)?,
        };
        Ok(saturating_i128(&(noise + IBig::from(value))))
    }

    /// Counts with independent noise each.
    pub fn add_to_all(&self, counts: &[u64]) -> Result<Vec<i64>, DpError> {
        match self.shape {
            Shape::Laplace => samplers::add_discrete_laplace(&self.scale, counts),
            Shape::Gaussian => samplers::add_discrete_gaussian(&self.scale, counts),
            Shape::Normal => normal::add_to_all(&self.scale, counts),
        }
    }

    /// So many draws of a share of this noise: the shares of `of` parties add up to one draw of it. Laplace noise alone can be shared out.
    pub fn shares(&self, draws: usize, of: u32) -> Result<Vec<i64>, DpError> {
        match self.shape {
            Shape::Laplace => samplers::discrete_laplace_shares(&self.scale, draws, of),
            Shape::Gaussian | Shape::Normal => {
                Err(DpError::parameter("shared noise", "discrete Laplace noise"))
            }
        }
    }

    /// Whether the law is a Gaussian; otherwise it is a Laplace distribution.
    pub fn is_gaussian(&self) -> bool {
        self.shape != Shape::Laplace
    }

    /// Whether it is normal noise that is rounded to whole numbers, which carries it up to a half farther.
    pub(crate) fn is_rounded(&self) -> bool {
        self.shape == Shape::Normal
    }

    /// With a probability of at least 95 %, the mean of so many independent draws, with whatever signs, is off by this
    /// much at most, in units.
    ///
    /// Their sum is a whole number, so a whole width is looked for, by the law of the sum itself: that of Laplace draws in
    /// `laplace_sum.rs`; that of discrete Gaussian ones is a discrete Gaussian but for less than 1 in 10 000 from a sigma
    /// of 2 on (their characteristic functions differ by less than e^(−π²σ²) or so each), with tails no heavier than a
    /// continuous one's. Where the scale is so small that numbers between whole ones make these wide, and for sums of more
    /// draws, it is Chernoff's bound, or Chebyshev's where that is smaller. A discrete Gaussian has no more than
    /// e^(σ²λ²/2) as its moment generating function (Canonne, Kamath and Steinke 2020).
    pub fn half_width_95_of_mean(&self, draws: u64) -> f64 {
        let (scale, one) = (self.scale.to_f64().value(), self.accuracy());
        if draws <= 1 || scale <= 0.0 {
            return one.half_width_95;
        }
        let draws = draws as f64;
        let odds = 40f64.ln(); // two tails of 2.5 % each
        let chebyshev = one.standard_deviation * (20.0 / draws).sqrt();
        let chernoff = match self.shape {
            // Normal numbers, each moved by half a unit at most.
            Shape::Normal => normal_beyond(0.05) * scale / draws.sqrt() + 0.5,
            Shape::Gaussian => scale * (2.0 * odds / draws).sqrt(),
            Shape::Laplace => {
                let a = (-1.0 / scale).exp();
                let bound = |step: u32| {
                    let rate = f64::from(step) / (256.0 * scale);
                    let growth =
                        2.0 * (-a).ln_1p() - (-a * rate.exp()).ln_1p() - (-a * (-rate).exp()).ln_1p();
                    (odds + draws * growth) / (rate * draws)
                };
                (1..256).map(bound).filter(|bound| bound.is_finite()).fold(f64::INFINITY, f64::min)
            }
        };
        // The last bits of a product must not decide between two whole numbers.
        let bound = (chernoff.min(chebyshev) * draws * (1.0 + 1e-9)).floor();
        let own = match self.shape {
            Shape::Laplace => laplace_sum::half_width_95(draws as u64).map(|half| half * scale),
            // What the law differs by is taken off the 5 %.
            Shape::Gaussian if scale >= 2.0 => Some(normal_beyond(0.0499) * scale * draws.sqrt()),
            // What rounding adds is as good as independent from a sigma of 2 on: of its characteristic function e^(−2π²σ²) is left.
            Shape::Normal if scale >= 2.0 => {
                Some(normal_beyond(0.0499) * (scale * scale + 1.0 / 12.0).sqrt() * draws.sqrt())
            }
            Shape::Gaussian | Shape::Normal => None,
        };
        let own = own.map_or(f64::INFINITY, |own| (own * (1.0 + 1e-9)).ceil());
        own.min(bound) / draws
    }

    /// What a whole number weighs under Gaussian noise: relative to 0, or, of rounded normal noise, its probability.
    fn weight(&self, z: u32, sigma: f64) -> f64 {
        let z = f64::from(z);
        match self.shape {
            Shape::Normal => analytic::above((z - 0.5) / sigma) - analytic::above((z + 0.5) / sigma),
            _ => (-z.powi(2) / (2.0 * sigma * sigma)).exp(),
        }
    }

    /// How far off an answer is expected to be, in units.
    pub fn accuracy(&self) -> Accuracy {
        let scale = self.scale.to_f64().value();
        let half_width_95 = self.half_width_95_of_all(1);
        let standard_deviation = match self.shape {
            _ if scale <= 0.0 => 0.0,
            // −expm1 keeps 1 − a accurate for large scales.
            Shape::Laplace => (2.0 * (-1.0 / scale).exp()).sqrt() / -(-1.0 / scale).exp_m1(),
            Shape::Gaussian if scale > 50.0 => scale,
            Shape::Normal if scale > 2.0 => (scale * scale + 1.0 / 12.0).sqrt(),
            Shape::Gaussian | Shape::Normal => {
                let weighed = |z: u32| (self.weight(z, scale), f64::from(z).powi(2));
                let (norm, squares) = (1..1000)
                    .map(weighed)
                    .fold((self.weight(0, scale), 0.0), |(norm, squares), (own, square)| {
                        (norm + 2.0 * own, squares + 2.0 * own * square)
                    });
                (squares / norm).sqrt()
            }
        };
        Accuracy { standard_deviation, half_width_95 }
    }

    /// With a probability of at least 95 %, all of so many answers are off by this much at most, in units, so also those
    /// that are picked out because they are large: each is off by more with a probability of 5 % divided by their number
    /// (union bound). Where one only is asked for, this is the width of [`Noise::accuracy`].
    pub fn half_width_95_of_all(&self, answers: u64) -> f64 {
        let scale = self.scale.to_f64().value();
        if scale <= 0.0 {
            return 0.0;
        }
        let beyond = 0.05 / answers.max(1) as f64;
        match self.shape {
            Shape::Laplace => {
                // P(|z| > t) = 2·a^(t+1)/(1+a).
                let a = (-1.0 / scale).exp();
                (scale * (2.0 / (beyond * (1.0 + a))).ln() - 1.0).ceil().max(0.0)
            }
            // Beyond t lies no more than of a continuous Gaussian: the weights from t+1 on sum to at most the integral
            // from t on, and all of them to at least σ√(2π).
            Shape::Gaussian if scale > 50.0 => (normal_beyond(beyond) * scale).ceil(),
            // It is beyond t where the normal number is beyond t + ½.
            Shape::Normal => (normal_beyond(beyond) * scale - 0.5).ceil().max(0.0),
            Shape::Gaussian => {
                let norm = 1.0 + (1..1000).map(|z| 2.0 * self.weight(z, scale)).sum::<f64>();
                let mut within = 1.0;
                let mut half_width = 0;
                while within < (1.0 - beyond) * norm && half_width < 1000 {
                    half_width += 1;
                    within += 2.0 * self.weight(half_width, scale);
                }
                half_width.into()
            }
        }
    }
}

/// A sigma rounded up by less than a part in 2^40.
fn finely(sigma: &RBig) -> RBig {
    let real = sigma.to_f64().value();
    // why: of a number beyond 2^41 whole ones are fine enough
    let digits = (41.0 - real.log2().floor()).clamp(0.0, 1000.0) as usize;
    let units = RBig::from(IBig::ONE << digits);
    RBig::from((sigma * &units).ceil()) / units
}

/// A sigma rounded up; a denominator of 2^10 keeps the sampler's numbers short.
fn upwards(sigma: &RBig) -> RBig {
    RBig::from((sigma * RBig::from(1024)).ceil()) / RBig::from(1024)
}

/// A z beyond which, to both sides, a normal number lies with at most this probability: 1.96 for 0.05. Wider by less than a
/// thousandth than it need be, by Sampford's bound (1953) of the tail, φ(z)·4/(3z + √(z² + 8)).
fn normal_beyond(probability: f64) -> f64 {
    let tails = |z: f64| {
        let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
        2.0 * density * 4.0 / (3.0 * z + (z * z + 8.0).sqrt())
    };
    // The tails of 40 are below what a floating-point number can be.
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if tails(middle) > probability { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of n draws stays within its bound in 95 % of cases and is not far from it: 4000 means each, whose share
    /// has a standard deviation of 0.35 %; six of them are 2.1 %.
    #[test]
    fn the_mean_of_draws_keeps_its_bound() {
        let laws = [
            Noise::laplace(3, &"0.5".parse().unwrap()),
            Noise::laplace(1, &"2".parse().unwrap()),
            Noise::gaussian(4, &"1".parse().unwrap(), &"1e-6".parse().unwrap()).unwrap(),
        ];
        for noise in laws {
            for draws in [2usize, 8, 32] {
                let bound = noise.half_width_95_of_mean(draws as u64);
                let all = noise.add_to_all(&vec![0; draws * 4000]).unwrap();
                let within = all
                    .chunks(draws)
                    .filter(|own| (own.iter().sum::<i64>() as f64 / draws as f64).abs() <= bound);
                let within = within.count() as f64 / 4000.0;
                assert!(within >= 0.95 - 0.021, "{noise} {draws}: {within}");
                let deviation = noise.accuracy().standard_deviation / (draws as f64).sqrt();
                assert!(bound <= 4.48 * deviation, "{noise} {draws}: {bound}, {deviation}");
            }
            assert_eq!(noise.half_width_95_of_mean(1), noise.accuracy().half_width_95);
        }
        assert_eq!(Noise::laplace(0, &"1".parse().unwrap()).half_width_95_of_mean(5), 0.0);
    }

    /// The widths of means are those of their law: about 1.96 deviations for many draws, and not the bounds of Chernoff
    /// (2.7) or Chebyshev (4.5).
    #[test]
    fn the_mean_of_many_draws_is_nearly_normal() {
        let delta = "1e-6".parse().unwrap();
        let laws =
            [Noise::laplace(600, &epsilon("0.5")), Noise::gaussian(400, &epsilon("1"), &delta).unwrap()];
        for noise in laws {
            for (draws, most) in [(2u64, 2.08), (16, 2.0), (1024, 1.97)] {
                let deviation = noise.accuracy().standard_deviation / (draws as f64).sqrt();
                let widths = noise.half_width_95_of_mean(draws) / deviation;
                assert!((1.95..most).contains(&widths), "{noise} {draws}: {widths}");
            }
        }
        // Where there is next to no noise, the width is that of none.
        assert_eq!(Noise::laplace(1, &epsilon("1000")).half_width_95_of_mean(4), 0.0);
    }

    /// Several figures at once cost what one would: the sum of rho = S²/(2σ²) is that of one, and of Laplace S/scale.
    #[test]
    fn one_of_several_figures_costs_its_part() {
        let delta = "1e-6".parse().unwrap();
        for figures in [1u64, 2, 7, 1000] {
            let one = Noise::gaussian(9, &epsilon("1"), &delta).unwrap();
            let each = one.clone().as_one_of(figures);
            let squares = |own: &Noise| own.scale() * own.scale();
            assert!(squares(&each) >= squares(&one) * RBig::from(figures));
            assert!(
                each.scale().to_f64().value()
                    <= one.scale().to_f64().value() * (figures as f64).sqrt() + 0.002
            );
            assert_eq!(each.sensitivity(), one.sensitivity());
            let laplace = Noise::laplace(3, &epsilon("0.5")).as_one_of(figures);
            assert_eq!(laplace.scale(), &RBig::from(6 * figures));
        }
    }

    fn epsilon(text: &str) -> Epsilon {
        text.parse().unwrap()
    }

    /// survey TH-16: the ratio is at most e^epsilon pointwise, and reaches it.
    #[test]
    fn laplace_ratio_is_bounded_pointwise() {
        let noise = Noise::laplace(3, &epsilon("0.5"));
        assert_eq!(noise.scale(), &RBig::from(6));
        let a = (-1.0 / 6.0f64).exp();
        let p = |z: i32| (1.0 - a) / (1.0 + a) * a.powi(z.abs());
        let worst = (-50..50).map(|y| p(y) / p(y - 3)).fold(0.0, f64::max);
        assert!((worst - 0.5f64.exp()).abs() < 1e-12);
    }

    /// ME-29 [X]: delta of the discrete Gaussian, summed exactly, stays below what was asked.
    #[test]
    fn gaussian_delta_holds_by_summation() {
        for (e, d, shift) in [("1", "1e-5", 1i64), ("0.3", "1e-3", 2), ("4", "1e-9", 1), ("0.1", "0.01", 3)] {
            let delta: crate::Delta = d.parse().unwrap();
            let noise = Noise::gaussian((shift * shift) as u128, &epsilon(e), &delta).unwrap();
            let factor = epsilon(e).value().to_f64().value().exp();
            assert!(noise.is_rounded() && noise.calibration().is_some());
            let spent = |sigma: f64| -> f64 {
                let weight = |z: i64| {
                    analytic::above((z as f64 - 0.5) / sigma) - analytic::above((z as f64 + 0.5) / sigma)
                };
                // Only above: below, one of two differences of numbers near 1 would be lost.
                let reach = (30.0 * sigma) as i64;
                (0..=reach).map(|z| (weight(z) - factor * weight(z + shift)).max(0.0)).sum()
            };
            let (sigma, asked) = (noise.scale().to_f64().value(), delta.value().to_f64().value());
            assert!(spent(sigma) <= asked, "{e} {d}: {}", spent(sigma));
            assert!(spent(sigma / 1.05) > asked, "far too much noise for {e} {d}: {}", spent(sigma / 1.3));
        }
        assert!(Noise::gaussian(1, &epsilon("1"), &"0".parse().unwrap()).is_err());
    }

    #[test]
    fn laws_are_told_with_their_scale() {
        assert_eq!(Noise::laplace(1, &epsilon("0.3")).to_string(), "discrete Laplace, scale 3.333");
        assert_eq!(Noise::laplace(300_000, &epsilon("2")).to_string(), "discrete Laplace, scale 150000");
        assert_eq!(Noise::laplace(1, &epsilon("1000")).to_string(), "discrete Laplace, scale 0.001");
        let gaussian = Noise::gaussian(1, &epsilon("1"), &"1e-6".parse().unwrap()).unwrap();
        assert!(gaussian.to_string().starts_with("rounded Gaussian, sigma 4.225"), "{gaussian}");
    }

    /// The width for m answers together, against the sum of the law: beyond it lies at most 0.05/m, and beyond one unit less
    /// more than that (for the large Gaussian, beyond a thousandth and two units less).
    #[test]
    fn the_width_of_several_is_that_of_the_law() {
        let laws = [
            (Noise::laplace(1, &epsilon("1")), 0.0),
            (Noise::laplace(7, &epsilon("0.1")), 0.0),
            (Noise::concentrated(1, &"0.03".parse().unwrap()), 0.0),
            (Noise::concentrated(400, &"0.03".parse().unwrap()), 0.001),
            (Noise::gaussian(1, &epsilon("1"), &"1e-6".parse().unwrap()).unwrap(), 0.001),
            (Noise::gaussian(400, &epsilon("1"), &"1e-6".parse().unwrap()).unwrap(), 0.001),
        ];
        for (noise, slack) in laws {
            let scale = noise.scale().to_f64().value();
            assert_eq!(slack > 0.0, noise.is_rounded() || noise.is_gaussian() && scale > 50.0);
            let weight = |z: u32| match noise.shape {
                Shape::Laplace => (-f64::from(z) / scale).exp(),
                Shape::Gaussian | Shape::Normal => noise.weight(z, scale),
            };
            let all = weight(0) + 2.0 * (1..4000).map(weight).sum::<f64>();
            let beyond = |half: f64| 2.0 * (half as u32 + 1..4000).map(weight).sum::<f64>() / all;
            for answers in [1, 2, 12, 1000, 1 << 20] {
                let (half, allowed) = (noise.half_width_95_of_all(answers), 0.05 / answers as f64);
                assert!(beyond(half) <= allowed * (1.0 + 1e-9), "{noise} {answers}: {half}");
                let less = if slack > 0.0 { (half * (1.0 - slack)).floor() - 2.0 } else { half - 1.0 };
                assert!(less < 0.0 || beyond(less) > allowed, "{noise} {answers}: {half} is too wide");
            }
            assert_eq!(noise.half_width_95_of_all(1), noise.accuracy().half_width_95);
        }
        assert_eq!(Noise::laplace(0, &epsilon("1")).half_width_95_of_all(9), 0.0);
        // The quantiles of the normal distribution are 1.959964 and 5.451310.
        let of = |z: f64, exact: f64| z >= exact && z < exact * 1.001;
        assert!(of(normal_beyond(0.05), 1.959_963) && of(normal_beyond(5e-8), 5.451_310));
    }

    #[test]
    fn accuracy_is_that_of_the_draws() {
        for noise in [
            Noise::laplace(1, &epsilon("1")),
            Noise::laplace(5, &epsilon("0.25")),
            Noise::gaussian(1, &epsilon("1"), &"1e-3".parse().unwrap()).unwrap(),
        ] {
            let accuracy = noise.accuracy();
            let draws = noise.add_to_all(&[0; 20_000]).unwrap();
            let variance = draws.iter().map(|&z| (z * z) as f64).sum::<f64>() / 20_000.0;
            // The variance of a squared Laplace draw is 20 scale^4: 8 standard deviations are 12.7 %.
            assert!((variance / accuracy.standard_deviation.powi(2) - 1.0).abs() < 0.13);
            let within = draws.iter().filter(|&&z| z.abs() as f64 <= accuracy.half_width_95).count();
            // 95 % of 20,000 with a standard deviation of 31: six of them below, and no more than one cell above.
            assert!((18_800..19_960).contains(&within), "{within}");
        }
        let none = Noise::laplace(0, &epsilon("1"));
        assert_eq!(none.add(7).unwrap(), 7);
        assert_eq!(none.accuracy().half_width_95, 0.0);
        assert!(Noise::laplace(u128::MAX, &epsilon("0.001")).add(i128::MAX).is_ok());
    }
}
