//! Geo-indistinguishability (Andrés, Bordenabe, Chatzikokolakis and Palamidessi 2013) by exact planar Laplace noise on a
//! grid, and optimal remapping.
//!
//! Guarantee. For any two positions on the grid at distance d, every output is at most e^(ε·d) times as likely from the one
//! as from the other. Positions are first rounded to the grid, so for positions off the grid d is at most their distance
//! plus √2 times the grid's step. Noise has P(z) ∝ e^(−ε'·s(z)) over *all* grid vectors z, where s(z) is the length of z
//! rounded up to 2^−40 and ε' = ε/(1 + 2^−40): two grid positions are at least 1 apart, so the rounding costs at most that
//! factor. Everything is drawn exactly from whole numbers of the operating system: no floating point, no cut-off tail.
//!
//! It is drawn by rejection: a vector with two independent discrete Laplace coordinates of rate a ≤ ε'/√2 is accepted with
//! probability e^(−(ε'·s(z) − a·|z|₁)), and the exponent is never negative because |z|₁ ≤ √2·|z|. About four of five
//! proposals are accepted.
//!
//! A person with m published positions has m times the loss (`loss`). Remapping uses no data about people and costs nothing.

use dashu::integer::{IBig, UBig};
use privet_data::Progress;
use privet_dp::{Epsilon, Loss, Rational, samplers};

use crate::TraceError;
use crate::point::{LARGEST_COORDINATE, Position};

/// How many bits after the point lengths are rounded to.
const BITS: usize = 40;

/// Planar Laplace noise on a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanarLaplace {
    /// The step of the grid in centimetres.
    step: i32,
    /// The rate for each step, after the factor for rounding lengths.
    rate: Rational,
    /// The rate of each coordinate of a proposal.
    proposal: Rational,
    /// The level that was promised: epsilon over this many metres.
    epsilon: Epsilon,
    radius: Rational,
}

impl PlanarLaplace {
    /// Noise that makes positions within `radius` metres of each other `epsilon`-indistinguishable, on a grid with a step
    /// in centimetres.
    ///
    /// # Errors
    /// When the radius or the step is not above 0.
    pub fn new(epsilon: Epsilon, radius: u32, step: u32) -> Result<Self, TraceError> {
        let is_step = step > 0 && i64::from(step) <= i64::from(LARGEST_COORDINATE);
        if radius == 0 || !is_step {
            return Err(TraceError::parameter(
                "radius",
                "a whole number of metres above 0, with a grid step above 0",
            ));
        }
        let one = Rational::from(1);
        let slack = &one + &one / Rational::from(UBig::ONE << BITS);
        // Per step: epsilon / (radius · 100 / step).
        let per_step = epsilon.value() * Rational::from(step) / Rational::from(u64::from(radius) * 100);
        let rate = per_step / slack;
        // 0.707106 is below 1/√2.
        let below = Rational::from_parts(IBig::from(707_106), UBig::from(1_000_000u32));
        let proposal = short_below(&(&rate * below))?;
        Ok(Self { step: step as i32, rate, proposal, epsilon, radius: Rational::from(radius) })
    }

    /// What is promised for one position: its epsilon, and the metres that it is for.
    pub fn level(&self) -> (&Epsilon, f64) {
        (&self.epsilon, self.radius.to_f64().value())
    }

    /// What publishing so many positions of one person costs, for the radius that is protected.
    ///
    /// # Errors
    /// When the loss is out of range.
    pub fn loss(&self, positions: u64) -> Result<Loss, TraceError> {
        let epsilon = self.epsilon.value() * Rational::from(positions);
        Ok(Loss::new(epsilon, Rational::from(0))?)
    }

    /// The mean length of the noise in metres, 2/ε for the continuous law.
    pub fn mean_noise(&self) -> f64 {
        2.0 * self.radius.to_f64().value() / self.epsilon.value().to_f64().value()
    }

    /// A position with noise. What leaves the plane is put onto its edge, which costs nothing.
    ///
    /// # Errors
    /// When the operating system gives no randomness.
    pub fn add(&self, at: Position) -> Result<Position, TraceError> {
        let (dx, dy) = self.draw()?;
        let on_grid = |own: i32, noise: &IBig| {
            let cell = (i64::from(own) + i64::from(self.step) / 2).div_euclid(self.step.into());
            let moved = (IBig::from(cell) + noise) * IBig::from(self.step);
            let largest = IBig::from(LARGEST_COORDINATE);
            // Within the range of 32 bits after this.
            i32::try_from(moved.clamp(-&largest, largest)).unwrap_or_default()
        };
        Ok(Position { x: on_grid(at.x, &dx), y: on_grid(at.y, &dy) })
    }

    /// Positions with independent noise each.
    ///
    /// # Errors
    /// As [`add`](Self::add), and when the person asked to stop.
    pub fn add_to_all(
        &self,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Vec<Position>, TraceError> {
        use rayon::prelude::*;
        let part = |chunk: &[Position]| {
            progress.check()?;
            chunk.iter().map(|&at| self.add(at)).collect::<Result<Vec<_>, TraceError>>()
        };
        let parts: Vec<Vec<Position>> = positions.par_chunks(256).map(part).collect::<Result<_, _>>()?;
        Ok(parts.concat())
    }

    /// One noise vector in steps of the grid.
    fn draw(&self) -> Result<(IBig, IBig), TraceError> {
        let scale = Rational::from(1) / &self.proposal;
        loop {
            let (x, y) = (samplers::discrete_laplace(&scale)?, samplers::discrete_laplace(&scale)?);
            let sum = magnitude(&x) + magnitude(&y);
            let squared = magnitude(&x) * magnitude(&x) + magnitude(&y) * magnitude(&y);
            let exponent = &self.rate * length_up(&squared) - &self.proposal * Rational::from(sum);
            if happens(&exponent)? {
                return Ok((x, y));
            }
        }
    }
}

fn magnitude(value: &IBig) -> UBig {
    value.clone().into_parts().1
}

/// A fraction below another that numbers of 32 bits can tell, where that is close enough.
fn short_below(value: &Rational) -> Result<Rational, TraceError> {
    let scaled = value * Rational::from(1u64 << 31);
    let floor = scaled.floor();
    if floor > IBig::ZERO && floor < IBig::from(1u64 << 40) {
        return Ok(Rational::from(floor) / Rational::from(1u64 << 31));
    }
    match *value > Rational::from(0) {
        true => Ok(value.clone()),
        false => Err(TraceError::parameter("epsilon", "above 0")),
    }
}

/// The root of a whole number, rounded up to a multiple of 2^−40.
fn length_up(squared: &UBig) -> Rational {
    use dashu::base::SquareRoot;
    let shifted: UBig = squared << (2 * BITS);
    let root = SquareRoot::sqrt(&shifted);
    let root = if &root * &root == shifted { root } else { root + UBig::ONE };
    Rational::from(root) / Rational::from(UBig::ONE << BITS)
}

/// True with probability e^(−exponent), exactly: a discrete Laplace number with scale 1/exponent that is not negative is
/// above 0 with just this probability.
fn happens(exponent: &Rational) -> Result<bool, TraceError> {
    if *exponent <= Rational::from(0) {
        return Ok(true);
    }
    let scale = Rational::from(1) / exponent;
    loop {
        let drawn = samplers::discrete_laplace(&scale)?;
        if drawn >= IBig::ZERO {
            return Ok(drawn > IBig::ZERO);
        }
    }
}

/// Optimal remapping (Chatzikokolakis, ElSalamouny and Palamidessi 2017): the place that is the best guess of where a noisy
/// position came from, given how many people are where. The guess minimizes the expected squared distance, or is the most
/// likely place. The prior must come from public data, such as a census.
#[derive(Debug, Clone)]
pub struct Prior {
    places: Vec<(Position, f64)>,
}

impl Prior {
    /// A prior: how many people are where.
    ///
    /// # Errors
    /// When there are no places, or a weight is not a number above 0.
    pub fn new(places: Vec<(Position, f64)>) -> Result<Self, TraceError> {
        if places.is_empty() {
            return Err(TraceError::Empty { what: "places of a prior" });
        }
        if places.iter().any(|own| !(own.1 > 0.0 && own.1.is_finite())) {
            return Err(TraceError::parameter("prior", "weights above 0"));
        }
        Ok(Self { places })
    }

    /// All positions remapped.
    ///
    /// # Errors
    /// When the person asked to stop.
    pub fn remap_all(
        &self,
        noisy: &[Position],
        noise: &PlanarLaplace,
        progress: &dyn Progress,
    ) -> Result<Vec<Position>, TraceError> {
        use rayon::prelude::*;
        let part = |chunk: &[Position]| {
            progress.check()?;
            Ok(chunk.iter().map(|&own| self.remap(own, noise)).collect::<Vec<_>>())
        };
        let parts: Vec<Vec<Position>> = noisy.par_chunks(256).map(part).collect::<Result<_, TraceError>>()?;
        Ok(parts.concat())
    }

    /// Where a noisy position most likely came from on average. Takes time in proportion to the number of places.
    pub fn remap(&self, noisy: Position, noise: &PlanarLaplace) -> Position {
        let rate = noise.epsilon.value().to_f64().value() / noise.radius.to_f64().value();
        // The largest exponent is taken out, so that far positions have some weight.
        let exponent = |place: &(Position, f64)| place.1.ln() - rate * place.0.distance(noisy);
        let largest = self.places.iter().map(exponent).fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut x, mut y) = (0.0, 0.0, 0.0);
        for place in &self.places {
            let weight = (exponent(place) - largest).exp();
            let (px, py) = place.0.metres();
            sum += weight;
            x += weight * px;
            y += weight * py;
        }
        Position::from_metres(x / sum, y / sum).unwrap_or(noisy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    fn noise(epsilon: &str, radius: u32, step: u32) -> PlanarLaplace {
        PlanarLaplace::new(epsilon.parse().unwrap(), radius, step).unwrap()
    }

    /// The law itself: with epsilon 1 over a step, the share of each vector near 0 against e^(−|z|) / Σ e^(−|z|). A
    /// correct sampler fails in fewer than one of 10^6 runs (six standard deviations, 25 comparisons).
    #[test]
    fn the_law_is_planar_laplace() {
        let noise = noise("1", 1, 100);
        let runs = 20_000;
        let mut seen = std::collections::HashMap::new();
        for at in noise.add_to_all(&vec![Position { x: 700, y: -300 }; runs], &Silent).unwrap() {
            *seen.entry(((at.x - 700) / 100, (at.y + 300) / 100)).or_insert(0u32) += 1;
        }
        let weight = |x: i32, y: i32| (-f64::from(x * x + y * y).sqrt()).exp();
        let total: f64 = (-60..=60).flat_map(|x| (-60..=60).map(move |y| weight(x, y))).sum();
        for x in -2..=2 {
            for y in -2..=2 {
                let p = weight(x, y) / total;
                let count = f64::from(seen.get(&(x, y)).copied().unwrap_or_default());
                let deviation = (runs as f64 * p * (1.0 - p)).sqrt();
                assert!((count - runs as f64 * p).abs() < 6.0 * deviation, "{x},{y}: {count}");
            }
        }
    }

    /// The noise is 2/ε long on average: ln 4 over 200 m is 288.5 m. Six standard deviations of the mean (σ = √2/ε), so a
    /// correct sampler fails in fewer than one of 10^8 runs.
    #[test]
    fn the_mean_noise_is_2_over_epsilon() {
        let noise = noise("1.3862943", 200, 1000);
        assert!((noise.mean_noise() - 288.54).abs() < 0.01);
        let runs = 4000;
        let home = Position { x: 0, y: 0 };
        let all = noise.add_to_all(&vec![home; runs], &Silent).unwrap();
        let mean = all.iter().map(|own| own.distance(home)).sum::<f64>() / runs as f64;
        let deviation = 2f64.sqrt() * 144.27 / (runs as f64).sqrt();
        assert!((mean - 288.54).abs() < 6.0 * deviation, "{mean}");
    }

    #[test]
    fn lengths_are_rounded_up_and_proposals_never_exceed() {
        let two = length_up(&UBig::from(2u8));
        assert!(&two * &two >= Rational::from(2));
        assert!((two.to_f64().value() - 2f64.sqrt()).abs() < 1e-11);
        assert_eq!(length_up(&UBig::from(9u8)), Rational::from(3));
        let noise = noise("0.5", 100, 100);
        for (x, y) in [(0u32, 0u32), (1, 0), (1, 1), (3, 4), (1000, 1000), (7, 100_000)] {
            let squared = UBig::from(x) * UBig::from(x) + UBig::from(y) * UBig::from(y);
            let exponent = &noise.rate * length_up(&squared) - &noise.proposal * Rational::from(x + y);
            assert!(exponent >= Rational::from(0), "{x},{y}");
        }
    }

    #[test]
    fn positions_of_one_person_add_up() {
        let noise = noise("0.25", 100, 100);
        assert_eq!(noise.loss(8).unwrap().epsilon(), &Rational::from(2));
        assert!(PlanarLaplace::new("1".parse().unwrap(), 0, 1).is_err());
        assert!(PlanarLaplace::new("1".parse().unwrap(), 1, 0).is_err());
    }

    #[test]
    fn remapping_moves_to_where_people_are() {
        let noise = noise("1", 1000, 100);
        let (town, lake) = (Position { x: 0, y: 0 }, Position { x: 100_000, y: 0 });
        let prior = Prior::new(vec![(town, 1e6), (lake, 1.0)]).unwrap();
        let guess = prior.remap(Position { x: 60_000, y: 0 }, &noise);
        assert!(guess.distance(town) < 20.0);
        assert!(Prior::new(vec![]).is_err() && Prior::new(vec![(town, f64::NAN)]).is_err());
    }
}
