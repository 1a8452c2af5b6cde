//! Where originals may be: spread evenly within an interval, or at a single number.

use super::{Cells, Kernel};
use crate::{Grid, Noise};

/// The most multiples of a unit that have masses of their own; where there are more, intervals tell as much.
const MOST_MULTIPLES: f64 = 128.0;

/// Where originals may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// Evenly from one number to another.
    Within(f64, f64),
    /// At one number.
    At(f64),
}

impl Place {
    /// How likely it makes a value; of a single number, and of values that were rounded, all values of the cell around it.
    pub fn likelihood(self, value: f64, noise: Noise, kernel: Kernel, cells: Cells) -> f64 {
        match self {
            // The value is the original, brought to the start of its interval.
            Self::Within(low, high) if noise.is_none() => f64::from(low <= value && value < high),
            Self::Within(low, high) if cells.steps.is_some() => {
                let wide = if kernel == Kernel::Midpoint { 0.0 } else { high - low };
                noise.mean_between(value - 0.5 * (low + high), (wide, cells.width))
            }
            // Over an interval that is this narrow the density does not change, and its integral would be all rounding.
            Self::Within(low, high) if kernel == Kernel::Midpoint || high - low < 1e-6 * noise.width() => {
                noise.density(value - 0.5 * (low + high))
            }
            Self::Within(low, high) => noise.between(value - high, value - low) / (high - low),
            Self::At(number) => noise.mean_between(value - number, (0.0, cells.width)),
        }
    }
}

/// The multiples of a unit within a grid, each with the interval that it is in; `None` where there is no unit or no noise,
/// or there are too many or too few.
pub(super) fn multiples(grid: &Grid, unit: Option<f64>, noise: Noise) -> Option<Vec<(f64, usize)>> {
    let unit = unit.filter(|own| own.is_finite() && *own > 0.0 && !noise.is_none())?;
    let (low, high) = (*grid.edges().first()?, *grid.edges().last()?);
    let (first, last) = ((low / unit - 1e-9).ceil(), (high / unit + 1e-9).floor());
    if !(last > first && last - first < MOST_MULTIPLES) {
        return None;
    }
    let count = (last - first) as usize;
    // A multiple that is an edge but for rounding belongs where the edge does.
    let interval = |number: f64| {
        let near = |own: usize| {
            grid.edges().get(own + 1).is_some_and(|edge| (edge - number).abs() <= 1e-9 * unit)
                && own + 1 < grid.len()
        };
        let own = grid.interval_of(number.clamp(low, high))?;
        Some(if near(own) { own + 1 } else { own })
    };
    (0..=count)
        .map(|at| {
            let number = (first + at as f64) * unit;
            Some((number, interval(number)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_lie_in_their_intervals() {
        let noise = Noise::Gaussian { deviation: 1.0 };
        let grid = Grid::even(0.0, 6.0, 3).unwrap();
        let found = multiples(&grid, Some(1.0), noise).unwrap();
        assert_eq!(found.iter().map(|own| own.1).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2, 2]);
        // Tenths are no binary fractions, and yet each edge begins its interval.
        let grid = Grid::even(0.0, 0.9, 3).unwrap();
        let found = multiples(&grid, Some(0.1), noise).unwrap();
        assert_eq!(found.iter().map(|own| own.1).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(multiples(&grid, Some(0.001), noise), None);
        assert_eq!(multiples(&grid, Some(5.0), noise), None);
        assert_eq!(multiples(&grid, Some(0.1), Noise::NONE), None);
        assert_eq!(multiples(&grid, Some(f64::NAN), noise), None);
    }
}
