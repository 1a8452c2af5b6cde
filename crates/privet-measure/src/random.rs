//! What simulations in tests draw.

use privet_data::Random;

/// A number of the standard normal distribution (Box and Muller).
pub(crate) fn normal(random: &mut Random) -> f64 {
    let (radius, angle) = (1.0 - random.unit(), random.unit());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}
