//! Linear and logistic regression from noisy sums of products (sufficient statistics: Vu and Slavković 2009; the ridge: Wang 2018; the
//! logistic loss by its second-order expansion, the functional mechanism: Zhang and others 2012).
//!
//! Guarantee: the coefficients are private at the declared cost, because they are computed from one noisy vector alone: the sums over records of
//! all products of two explaining numbers, and of each with the explained one. Every number is moved into its declared bounds and becomes a whole
//! number from −1000 to 1000 of half their width, by itself alone, so each product of one record is at most 10^6; with m products and c records of
//! a person the vector changes by c·m·10^6 in sum, and by c²·m·10^12 in sum of squares (twice and four times that where a person is replaced).
//!
//! The ridge that is added keeps noise from turning the sums over: about the largest eigenvalue that noise alone has, less what the smallest
//! noisy eigenvalue is above it. It draws coefficients towards 0 where there are few records.

use crate::budget::{Loss, Privacy};
use crate::people::{Neighbours, People};
use crate::{Bounds, DpError, Noise};

/// Whole numbers per half width of the bounds.
const UNITS: i64 = 1000;
/// The most explaining columns.
const MOST: usize = 32;

/// What is explained.
#[derive(Debug, Clone, Copy)]
pub enum Explained {
    /// A number within bounds, by a line.
    Number(Bounds),
    /// Whether something holds, by the log odds.
    Holds,
}

/// A regression that is ready to be made.
#[derive(Debug)]
pub struct Regression {
    explained: Explained,
    explaining: Vec<Bounds>,
    noise: Noise,
    loss: Loss,
}

/// One record: what is explained, as a number of units or as 1 or 0, and the explaining numbers in units.
#[derive(Debug, Clone)]
pub struct Observation {
    /// What is explained.
    pub explained: i64,
    /// The explaining numbers, one for each column.
    pub explaining: Vec<i64>,
}

/// Coefficients in the columns' own units.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    /// The constant.
    pub constant: f64,
    /// The slope of each column.
    pub slopes: Vec<f64>,
    /// The ridge that was added, as a share of the noisy number of records.
    pub ridge: f64,
}

impl Regression {
    /// On so many columns with declared bounds, at this cost.
    pub fn new(
        people: People,
        explained: Explained,
        explaining: &[Bounds],
        privacy: &Privacy,
    ) -> Result<Self, DpError> {
        let widths = explaining.iter().chain(match &explained {
            Explained::Number(bounds) => Some(bounds),
            Explained::Holds => None,
        });
        if explaining.is_empty() || explaining.len() > MOST || widths.clone().any(|own| own.width() == 0) {
            return Err(DpError::parameter(
                "the columns of a regression",
                "1 to 32, each with bounds that leave a choice",
            ));
        }
        let products = products(explaining.len()) as u128;
        let (largest, records) = ((UNITS * UNITS) as u128, u128::from(people.contributions()));
        let times = match people.neighbours() {
            Neighbours::AddRemove => 1,
            Neighbours::ReplaceOne => 2,
        };
        let one = times * records * largest;
        let noise = Noise::of(privacy, one * products, one * one * products)?;
        Ok(Self { explained, explaining: explaining.to_vec(), noise, loss: privacy.loss() })
    }

    /// What it costs.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The noise of each sum of products, in millionths of the largest product of a record.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// The coefficients.
    pub fn release(&self, records: impl IntoIterator<Item = Observation>) -> Result<Coefficients, DpError> {
        let width = self.explaining.len() + 1;
        let mut sums = vec![0i128; products(width - 1)];
        for record in records {
            if record.explaining.len() + 1 != width {
                return Err(DpError::Declaration("one number for each explaining column"));
            }
            let scaled = record
                .explaining
                .iter()
                .zip(&self.explaining)
                .map(|(&units, bounds)| scaled_to(units, bounds));
            let numbers: Vec<i64> = std::iter::once(UNITS).chain(scaled).collect();
            let explained = match &self.explained {
                Explained::Number(bounds) => scaled_to(record.explained, bounds),
                Explained::Holds => {
                    if record.explained > 0 {
                        UNITS
                    } else {
                        -UNITS
                    }
                }
            };
            let pairs = (0..width).flat_map(|a| (a..width).map(move |b| (a, b)));
            let all =
                pairs.map(|(a, b)| numbers[a] * numbers[b]).chain(numbers.iter().map(|own| own * explained)); // why: one number for each
            sums.iter_mut().zip(all).for_each(|(sum, product)| *sum += i128::from(product));
        }
        let one = (UNITS * UNITS) as f64;
        let noisy = sums.into_iter().map(|sum| Ok(self.noise.add(sum)? as f64 / one));
        let noisy = noisy.collect::<Result<Vec<f64>, DpError>>()?;
        Ok(self.solved(&noisy))
    }

    /// From the noisy sums, in units of the largest product.
    fn solved(&self, noisy: &[f64]) -> Coefficients {
        let width = self.explaining.len() + 1;
        let (squares, products) = noisy.split_at(noisy.len() - width);
        let mut matrix = vec![vec![0.0; width]; width];
        let pairs = (0..width).flat_map(|a| (a..width).map(move |b| (a, b)));
        for ((a, b), &value) in pairs.zip(squares) {
            matrix[a][b] = value; // why: pairs are below the width
            matrix[b][a] = value; // why: as above
        }
        let (values, vectors) = eigen(matrix);
        let deviation = self.noise.accuracy().standard_deviation / (UNITS * UNITS) as f64;
        let floor = 2.0 * deviation * (width as f64).sqrt();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let ridge = (floor - least).max(0.0);
        let mut weights = vec![0.0; width];
        for (value, vector) in values.iter().zip(&vectors) {
            let along: f64 = vector.iter().zip(products).map(|(a, b)| a * b).sum();
            let scale = value + ridge;
            if scale > 0.0 {
                weights.iter_mut().zip(vector).for_each(|(weight, own)| *weight += along / scale * own);
            }
        }
        // The expansion of the logistic loss at 0 is −t·w/2 + w²/8, so its minimum is twice that of the squares.
        let (middle, half) = match &self.explained {
            Explained::Number(bounds) => ends(bounds),
            Explained::Holds => (0.0, 2.0),
        };
        let (mut constant, mut slopes) = (weights.first().map_or(0.0, |own| own * half) + middle, Vec::new());
        for (weight, bounds) in weights.iter().skip(1).zip(&self.explaining) {
            let (center, reach) = ends(bounds);
            let slope = weight * half / reach;
            constant -= slope * center;
            slopes.push(slope);
        }
        Coefficients { constant, slopes, ridge: ridge / squares.first().map_or(1.0, |own| own.max(1.0)) }
    }
}

/// The number of products of so many columns and a constant with each other, and with what is explained.
fn products(columns: usize) -> usize {
    (columns + 1) * (columns + 2) / 2 + columns + 1
}

/// The middle of bounds and half of their width, in the column's own unit.
fn ends(bounds: &Bounds) -> (f64, f64) {
    let number = |units: i128| bounds.grid().number(units);
    let (lower, upper) = (i128::from(bounds.lower()), i128::from(bounds.upper()));
    (number(lower + upper) / 2.0, number(upper - lower) / 2.0)
}

/// A number of units as a whole number from −1000 to 1000: the nearest one, by whole numbers alone.
fn scaled_to(units: i64, bounds: &Bounds) -> i64 {
    let above = i128::from(bounds.clamp(units)) - i128::from(bounds.lower());
    let width = (bounds.width() as i128).max(1);
    ((2 * i128::from(UNITS) * above + width / 2) / width) as i64 - UNITS
}

/// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations.
fn eigen(mut matrix: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let width = matrix.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..width).map(|a| (0..width).map(|b| f64::from(u8::from(a == b))).collect()).collect();
    for _ in 0..60 {
        let pairs = || (0..width).flat_map(|a| (a + 1..width).map(move |b| (a, b)));
        let off: f64 = pairs().map(|(a, b)| matrix[a][b].powi(2)).sum(); // why: pairs are below the width
        if off.sqrt() < 1e-12 * (1.0 + matrix.iter().enumerate().map(|(at, row)| row[at].abs()).sum::<f64>())
        {
            // why: the matrix is square
            break;
        }
        for (a, b) in pairs() {
            let own = matrix[a][b]; // why: as above, and so below
            if own == 0.0 {
                continue;
            }
            let theta = (matrix[b][b] - matrix[a][a]) / (2.0 * own);
            let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let tangent = if theta == 0.0 { 1.0 } else { tangent };
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let sine = tangent * cosine;
            for row in &mut matrix {
                let (x, y) = (row[a], row[b]);
                (row[a], row[b]) = (cosine * x - sine * y, sine * x + cosine * y);
            }
            for at in 0..width {
                let (x, y) = (matrix[a][at], matrix[b][at]);
                (matrix[a][at], matrix[b][at]) = (cosine * x - sine * y, sine * x + cosine * y);
                let (x, y) = (vectors[a][at], vectors[b][at]);
                (vectors[a][at], vectors[b][at]) = (cosine * x - sine * y, sine * x + cosine * y);
            }
        }
    }
    (matrix.iter().enumerate().map(|(at, row)| row[at]).collect(), vectors) // why: the matrix is square
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> People {
        People::one_record_each(Neighbours::AddRemove)
    }

    /// By hand: the eigenvalues of [[2, 1], [1, 2]] are 1 and 3, and those of diag(4, −1, 0) stand there.
    #[test]
    fn eigenvalues_by_hand() {
        let (mut values, vectors) = eigen(vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        let product: f64 = vectors[0].iter().zip(&vectors[1]).map(|(a, b)| a * b).sum();
        values.sort_by(f64::total_cmp);
        assert!((values[0] - 1.0).abs() < 1e-12 && (values[1] - 3.0).abs() < 1e-12 && product.abs() < 1e-12);
        let (values, _) = eigen(vec![vec![4.0, 0.0, 0.0], vec![0.0, -1.0, 0.0], vec![0.0, 0.0, 0.0]]);
        assert_eq!(values, [4.0, -1.0, 0.0]);
    }

    /// y = 3 + 2a − 0.5b, exactly; with a large budget it comes back, and with a small one the ridge keeps it finite.
    #[test]
    fn a_line_comes_back() {
        let bounds = [Bounds::integers(0, 10).unwrap(), Bounds::integers(-20, 20).unwrap()];
        let explained = Explained::Number(Bounds::integers(-20, 40).unwrap());
        let records = || {
            (0..4000i64).map(|row| {
                let (a, b) = (row % 11, row % 41 - 20);
                Observation { explained: 3 + 2 * a - b / 2, explaining: vec![a, b / 2 * 2] }
            })
        };
        for privacy in [Privacy::Pure("500".parse().unwrap()), Privacy::Concentrated("900".parse().unwrap())]
        {
            let found =
                Regression::new(one(), explained, &bounds, &privacy).unwrap().release(records()).unwrap();
            assert!((found.constant - 3.0).abs() < 0.1, "{found:?}");
            assert!(
                (found.slopes[0] - 2.0).abs() < 0.02 && (found.slopes[1] + 0.5).abs() < 0.02,
                "{found:?}"
            );
        }
        let little =
            Regression::new(one(), explained, &bounds, &Privacy::Pure("0.001".parse().unwrap())).unwrap();
        let found = little.release(records()).unwrap();
        assert!(found.slopes.iter().all(|own| own.is_finite()) && found.ridge > 0.0);
        assert!(little.release([Observation { explained: 1, explaining: vec![1] }]).is_err());
    }

    #[test]
    fn what_holds_is_told_apart() {
        let bounds = [Bounds::integers(0, 100).unwrap()];
        let privacy = Privacy::Pure("100".parse().unwrap());
        let regression = Regression::new(one(), Explained::Holds, &bounds, &privacy).unwrap();
        let records = (0..5000i64).map(|row| {
            let age = row % 101;
            Observation { explained: i64::from(age > 60), explaining: vec![age] }
        });
        let found = regression.release(records).unwrap();
        let turn = -found.constant / found.slopes[0];
        assert!(found.slopes[0] > 0.0 && (50.0..70.0).contains(&turn), "{found:?}");
    }

    /// One record changes the vector by no more than the noise is made for, by brute force over the corners.
    #[test]
    fn sensitivities_hold() {
        let bounds = [Bounds::integers(-7, 3).unwrap(), Bounds::integers(0, 1).unwrap()];
        let regression =
            Regression::new(one(), Explained::Holds, &bounds, &Privacy::Pure("1".parse().unwrap())).unwrap();
        // 6 products of three numbers, and three with what is explained.
        assert_eq!(products(2), 9);
        assert_eq!(regression.noise().sensitivity(), 9e6);
        for units in [-100, -7, -3, 0, 3, 50] {
            assert!(scaled_to(units, &bounds[0]).abs() <= UNITS);
        }
        assert_eq!(
            (scaled_to(-7, &bounds[0]), scaled_to(3, &bounds[0]), scaled_to(-2, &bounds[0])),
            (-1000, 1000, 0)
        );
    }
}
