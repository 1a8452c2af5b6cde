//! Decimals as whole numbers of a unit, and declared bounds that values are clamped to.
//!
//! The unit is 10^−decimals, chosen by whoever declares the column and never from the data: looking at the data for
//! its precision or its range would tell about single records. Guarantee: every record, whatever it holds, becomes
//! one whole number within the bounds, by itself alone, so a person's influence is what the bounds say.

use dashu::integer::IBig;
use dashu::rational::RBig;

use crate::DpError;
use crate::budget::parse;

const LARGEST: i64 = 1 << 61;

/// A fixed-point grid: multiples of 10^−decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    decimals: u32,
}

impl Grid {
    /// Whole numbers.
    pub const INTEGERS: Grid = Grid { decimals: 0 };

    /// This many digits after the decimal point, at most 15.
    pub fn new(decimals: u32) -> Result<Self, DpError> {
        if decimals > 15 {
            return Err(DpError::parameter("the number of decimals", "0 to 15"));
        }
        Ok(Self { decimals })
    }

    /// The number of digits after the decimal point.
    pub fn decimals(self) -> u32 {
        self.decimals
    }

    /// How many units make 1.
    pub fn units_per_one(self) -> i64 {
        10i64.pow(self.decimals)
    }

    /// The number that so many units are.
    pub fn number(self, units: i128) -> f64 {
        units as f64 / self.units_per_one() as f64
    }

    /// The same as an exact fraction.
    pub fn fraction(self, units: i128) -> RBig {
        RBig::from(IBig::from(units)) / RBig::from(self.units_per_one())
    }

    fn units(self, text: &str) -> Option<i64> {
        let (sign, digits) = text.trim().strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let value = parse(digits)? * RBig::from(self.units_per_one());
        if !value.is_int() {
            return None;
        }
        let units = i64::try_from(value.numerator().clone()).ok()?;
        (units <= LARGEST).then_some(sign * units)
    }
}

/// Declared bounds of a column, in units of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    grid: Grid,
    lower: i64,
    upper: i64,
}

impl Bounds {
    /// From decimal text, both multiples of the unit, such as `0` and `99.95`.
    pub fn parse(lower: &str, upper: &str, grid: Grid) -> Result<Self, DpError> {
        let units = |text| {
            grid.units(text).ok_or_else(|| {
                DpError::parameter(
                    "a bound",
                    "a decimal number that is a multiple of the grid's unit, below 2^61 units",
                )
            })
        };
        Self::from_units(units(lower)?, units(upper)?, grid)
    }

    /// Whole numbers from `lower` to `upper`.
    pub fn integers(lower: i64, upper: i64) -> Result<Self, DpError> {
        Self::from_units(lower, upper, Grid::INTEGERS)
    }

    /// From numbers of units.
    pub fn from_units(lower: i64, upper: i64, grid: Grid) -> Result<Self, DpError> {
        if lower > upper || lower < -LARGEST || upper > LARGEST {
            return Err(DpError::parameter(
                "the pair of bounds",
                "a lower one, then an upper one not below it, within 2^61 units",
            ));
        }
        Ok(Self { grid, lower, upper })
    }

    /// The grid.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The lower bound in units.
    pub fn lower(&self) -> i64 {
        self.lower
    }

    /// The upper bound in units.
    pub fn upper(&self) -> i64 {
        self.upper
    }

    /// Upper minus lower, in units.
    pub fn width(&self) -> u128 {
        self.upper.abs_diff(self.lower).into()
    }

    /// A number of units, moved to the nearest bound when it is outside.
    pub fn clamp(&self, units: i64) -> i64 {
        units.clamp(self.lower, self.upper)
    }

    /// A number, rounded to the nearest unit and moved to the nearest bound when it is outside. What is not a number
    /// becomes the lower bound: refusing it would tell that some record holds it.
    pub fn clamp_number(&self, value: f64) -> i64 {
        let units = value * self.grid.units_per_one() as f64;
        if units.is_nan() { self.lower } else { self.clamp(units.round() as i64) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamping_is_total() {
        let bounds = Bounds::parse("-0.5", "99.95", Grid::new(2).unwrap()).unwrap();
        assert_eq!((bounds.lower(), bounds.upper(), bounds.width()), (-50, 9995, 10045));
        let clamped = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.234, 1e300, -1e300, 0.1 + 0.2];
        assert_eq!(clamped.map(|v| bounds.clamp_number(v)), [-50, 9995, -50, 123, 9995, -50, 30]);
        assert_eq!(bounds.grid().number(123), 1.23);
    }

    #[test]
    fn bad_bounds_are_refused() {
        let cents = Grid::new(2).unwrap();
        for (lower, upper) in
            [("1", "0"), ("0.001", "1"), ("x", "1"), ("0", "inf"), ("0", "1e200"), ("--1", "1")]
        {
            assert!(Bounds::parse(lower, upper, cents).is_err(), "{lower} {upper}");
        }
        assert!(Grid::new(16).is_err());
        assert!(Bounds::integers(i64::MIN, 0).is_err());
        assert_eq!(Bounds::integers(3, 3).unwrap().width(), 0);
    }
}
