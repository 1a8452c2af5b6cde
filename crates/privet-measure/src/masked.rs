//! Estimation from masked records (survey US-15: Little's likelihood), for a normal model with noise and suppression.
//!
//! L(θ) = ∫ f_M(M|Z, X) f_Z(Z|X) f_X(X|θ) dX_mis (5.1). Here X is normal with mean μ and covariance Σ; a cell is published as
//! it is, suppressed, or with normal noise of a known variance added to it (the treatment f_Z). *Selection is ignorable*: which
//! cells are suppressed depends on what is published and on chance alone, so f_M drops out; then only what is published of a
//! record matters, z_O ~ N(μ_O, Σ_OO + S_OO) with the noise variances S, 0 where there is none.
//!
//! The likelihood is maximized by expectation-maximization: K = Σ_·O (Σ_OO + S_OO)⁻¹ gives the mean μ + K(z_O − μ_O) and the
//! covariance Σ − KΣ_O· of what a record held; μ and Σ are the moments of those.
//!
//! # Guarantee
//! The likelihood never falls from round to round; `converged` tells whether it stopped rising. Σ is symmetric and has no
//! negative variance. Where selection is *not* ignorable (large values suppressed because they are large) the estimates are
//! biased and nothing here notices. The maximum need not be the only one. Deterministic. A round takes as long as there are forms
//! of records (what is shown, with how much noise), however many records there are.
//!
//! Means and covariances are those of any distribution, not only of a normal one: then the estimates are those of a
//! quasi-likelihood, and their [`standard_errors`] hold all the same.

mod errors;

use std::collections::HashMap;

use nalgebra::{DMatrix, DVector};

pub use errors::{MaskedErrors, standard_errors};

/// What is published of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Masked {
    /// The number.
    Shown(f64),
    /// The number with normal noise of this variance added to it.
    Noisy {
        /// What is published.
        value: f64,
        /// The variance of the noise.
        variance: f64,
    },
    /// Nothing.
    Suppressed,
}

/// When estimation ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaskedOptions {
    /// The most rounds.
    pub rounds: usize,
    /// The rise of the log-likelihood of a record that is none any more.
    pub tolerance: f64,
}

impl Default for MaskedOptions {
    fn default() -> Self {
        Self { rounds: 2000, tolerance: 1e-10 }
    }
}

/// A fitted normal distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct MaskedFit {
    /// Per column the mean.
    pub mean: Vec<f64>,
    /// Row by row the covariances.
    pub covariance: Vec<f64>,
    /// The logarithm of the likelihood of what is published.
    pub log_likelihood: f64,
    /// The rounds that were made.
    pub rounds: usize,
    /// Whether the likelihood stopped rising.
    pub converged: bool,
}

/// Why nothing can be estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MaskedError {
    /// No column.
    #[error("records need at least one column, and at most 200")]
    Columns,
    /// A number of cells that is no number of records.
    #[error("there are {cells} cells, which cannot be records of {columns} columns each")]
    Cells {
        /// The cells.
        cells: usize,
        /// The columns.
        columns: usize,
    },
    /// A number or a variance that is none.
    #[error(
        "record {record} has a number beyond 1e100, or a variance of noise that is below 0 or beyond 1e200"
    )]
    Number {
        /// The record, counted from 0.
        record: usize,
    },
    /// Too little is published of a column.
    #[error("column {column} shows fewer than two different numbers; nothing can be estimated from it")]
    Unknown {
        /// The column, counted from 0.
        column: usize,
    },
    /// Columns that determine each other.
    #[error("the columns determine each other, or nearly so; leave out one of them")]
    Singular,
}

/// Fits a normal distribution to records of so many columns each, record by record.
///
/// # Errors
/// When the cells are no records, a number is not finite, a column shows next to nothing, or columns determine each other.
pub fn fit(cells: &[Masked], columns: usize, options: MaskedOptions) -> Result<MaskedFit, MaskedError> {
    if columns == 0 || columns > 200 {
        return Err(MaskedError::Columns);
    }
    if cells.is_empty() || !cells.len().is_multiple_of(columns) {
        return Err(MaskedError::Cells { cells: cells.len(), columns });
    }
    let is_bad = |cell: &Masked| match *cell {
        Masked::Shown(value) => value.is_nan() || value.abs() > 1e100,
        Masked::Noisy { value, variance } => {
            value.is_nan() || value.abs() > 1e100 || !(0.0..=1e200).contains(&variance)
        }
        Masked::Suppressed => false,
    };
    if let Some(at) = cells.iter().position(is_bad) {
        return Err(MaskedError::Number { record: at / columns });
    }
    // Moved by the mean and divided by the deviation of what is published, so that units do not matter.
    let units: Vec<(f64, f64)> =
        (0..columns).map(|column| unit(cells, columns, column)).collect::<Result<_, _>>()?;
    let mut model = Model {
        mean: DVector::zeros(columns),
        covariance: DMatrix::identity(columns, columns),
        forms: forms(cells, columns, &units),
    };
    let n = (cells.len() / columns) as f64;
    let (mut last, mut rounds, mut converged) = (f64::NEG_INFINITY, 0, false);
    while rounds < options.rounds {
        let likelihood = model.step()?;
        rounds += 1;
        if likelihood - last <= options.tolerance.max(1e-15) * n {
            converged = true;
            break;
        }
        last = likelihood;
    }
    let log_likelihood = model.likelihood()?;
    // Back in the units of the data; each published number adds the logarithm of its unit.
    let jacobian: f64 = cells
        .chunks_exact(columns)
        .flat_map(|record| record.iter().zip(&units))
        .filter(|(cell, _)| **cell != Masked::Suppressed)
        .map(|(_, unit)| unit.1.ln())
        .sum();
    let scale = |column: usize| units[column].1; // why: one for each column
    Ok(MaskedFit {
        mean: (0..columns).map(|column| units[column].0 + scale(column) * model.mean[column]).collect(), // why: as above
        covariance: (0..columns * columns)
            .map(|at| {
                let (row, column) = (at / columns, at % columns);
                model.covariance[(row, column)] * scale(row) * scale(column)
            })
            .collect(),
        log_likelihood: log_likelihood - jacobian,
        rounds,
        converged,
    })
}

/// The mean and the deviation of what is published of a column.
fn unit(cells: &[Masked], columns: usize, column: usize) -> Result<(f64, f64), MaskedError> {
    let shown = cells.iter().skip(column).step_by(columns).filter_map(|cell| match *cell {
        Masked::Shown(value) | Masked::Noisy { value, .. } => Some(value),
        Masked::Suppressed => None,
    });
    let n = shown.clone().count() as f64;
    let mean: f64 = shown.clone().map(|value| value / n).sum();
    let deviation = (shown.map(|value| ((value - mean) * (value - mean)) / n).sum::<f64>()).sqrt();
    if n < 2.0 || deviation.is_nan() || deviation <= mean.abs() * 1e-12 {
        return Err(MaskedError::Unknown { column });
    }
    Ok((mean, deviation))
}

/// A record: the columns of which something is published, what, and with how much noise.
struct Record {
    places: Vec<usize>,
    values: Vec<f64>,
    noise: Vec<f64>,
}

impl Record {
    fn new(cells: &[Masked], units: &[(f64, f64)]) -> Self {
        let mut own = Self { places: Vec::new(), values: Vec::new(), noise: Vec::new() };
        for (place, (cell, &(mean, deviation))) in cells.iter().zip(units).enumerate() {
            let (value, variance) = match *cell {
                Masked::Shown(value) => (value, 0.0),
                Masked::Noisy { value, variance } => (value, variance),
                Masked::Suppressed => continue,
            };
            own.places.push(place);
            own.values.push((value - mean) / deviation);
            own.noise.push(variance / (deviation * deviation));
        }
        own
    }
}

/// Records that show the same columns with the same noise: how many, the sum of what they show, and that of its products.
struct Form {
    places: Vec<usize>,
    noise: Vec<f64>,
    count: f64,
    sum: DVector<f64>,
    products: DMatrix<f64>,
}

/// The forms of the records, in the order in which they come.
fn forms(cells: &[Masked], columns: usize, units: &[(f64, f64)]) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    let mut place_of: HashMap<(Vec<usize>, Vec<u64>), usize> = HashMap::new();
    for cells in cells.chunks_exact(columns) {
        let Record { places, values, noise } = Record::new(cells, units);
        let key = (places, noise.iter().map(|own| own.to_bits()).collect());
        let place = match place_of.get(&key) {
            Some(&place) => place,
            None => {
                let (places, shown) = (key.0.clone(), key.0.len());
                let (sum, products) = (DVector::zeros(shown), DMatrix::zeros(shown, shown));
                forms.push(Form { places, noise, count: 0.0, sum, products });
                place_of.insert(key, forms.len() - 1);
                forms.len() - 1
            }
        };
        if let Some(form) = forms.get_mut(place) {
            let values = DVector::from_vec(values);
            form.count += 1.0;
            form.products += &values * values.transpose();
            form.sum += values;
        }
    }
    forms
}

struct Model {
    mean: DVector<f64>,
    covariance: DMatrix<f64>,
    forms: Vec<Form>,
}

/// What records of one form share.
struct Shared {
    /// Σ_·O (Σ_OO + S_OO)⁻¹.
    gain: DMatrix<f64>,
    /// Σ − KΣ_O·.
    left: DMatrix<f64>,
    inverse: DMatrix<f64>,
    ln_determinant: f64,
}

/// How far what records of one form show is from the mean: the sum, and that of its products.
struct Away {
    sum: DVector<f64>,
    products: DMatrix<f64>,
}

impl Model {
    fn shared(&self, form: &Form) -> Result<Shared, MaskedError> {
        let (all, shown) = (self.mean.len(), form.places.len());
        let inner = DMatrix::from_fn(shown, shown, |row, column| {
            let noise = if row == column { form.noise[row] } else { 0.0 };
            self.covariance[(form.places[row], form.places[column])] + noise
        });
        let cross = DMatrix::from_fn(all, shown, |row, column| self.covariance[(row, form.places[column])]);
        let factor = nalgebra::Cholesky::new(inner).ok_or(MaskedError::Singular)?;
        let inverse = factor.inverse();
        let ln_determinant = 2.0 * factor.l_dirty().diagonal().iter().map(|own| own.ln()).sum::<f64>();
        if !ln_determinant.is_finite() || ln_determinant < -34.0 * shown as f64 {
            return Err(MaskedError::Singular);
        }
        let gain = &cross * &inverse;
        let left = &self.covariance - &gain * cross.transpose();
        Ok(Shared { gain, left, inverse, ln_determinant })
    }

    /// Runs over the forms; the likelihood.
    fn each(&self, mut see: impl FnMut(&Form, &Shared, &Away)) -> Result<f64, MaskedError> {
        let mut likelihood = 0.0;
        for form in &self.forms {
            let shared = self.shared(form)?;
            let mean =
                DVector::from_iterator(form.places.len(), form.places.iter().map(|&own| self.mean[own])); // why: places of columns
            let moved = &form.sum * mean.transpose();
            let away = Away {
                sum: &form.sum - &mean * form.count,
                products: &form.products - &moved - moved.transpose() + &mean * mean.transpose() * form.count,
            };
            let square = (&shared.inverse * &away.products).trace();
            let constant = form.places.len() as f64 * std::f64::consts::TAU.ln();
            likelihood -= 0.5 * (square + form.count * (shared.ln_determinant + constant));
            see(form, &shared, &away);
        }
        Ok(likelihood)
    }

    fn likelihood(&self) -> Result<f64, MaskedError> {
        self.each(|_, _, _| {})
    }

    /// A round; the likelihood before it.
    fn step(&mut self) -> Result<f64, MaskedError> {
        let all = self.mean.len();
        let mut sum = DVector::zeros(all);
        let mut products = DMatrix::zeros(all, all);
        let mut n = 0.0;
        let likelihood = self.each(|form, shared, away| {
            products += &shared.gain * &away.products * shared.gain.transpose() + &shared.left * form.count;
            sum += &shared.gain * &away.sum;
            n += form.count;
        })?;
        let moved = sum / n;
        self.covariance = products / n - &moved * moved.transpose();
        self.covariance = (&self.covariance + self.covariance.transpose()) * 0.5;
        self.mean += moved;
        Ok(likelihood)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::normal;
    use privet_data::Random;

    fn near(found: f64, expected: f64, by: f64) {
        assert!((found - expected).abs() <= by, "{found} is not {expected}");
    }

    #[test]
    fn nothing_masked_is_the_sample() {
        let numbers = [1.0, 2.0, 4.0, 9.0];
        let cells: Vec<Masked> = numbers.iter().map(|&x| Masked::Shown(x)).collect();
        let found = fit(&cells, 1, MaskedOptions::default()).unwrap();
        near(found.mean[0], 4.0, 1e-9);
        near(found.covariance[0], 9.5, 1e-9);
        // The density, number by number.
        let density = |x: f64| -0.5 * ((x - 4.0f64).powi(2) / 9.5 + (std::f64::consts::TAU * 9.5).ln());
        near(found.log_likelihood, numbers.iter().map(|&x| density(x)).sum(), 1e-9);
        assert!(found.converged);
    }

    /// Of one column with noise of one variance the maximum is known: the sample's mean, and its variance less the noise.
    #[test]
    fn noise_is_taken_off() {
        let cells: Vec<Masked> =
            [1.0, 2.0, 4.0, 9.0].iter().map(|&value| Masked::Noisy { value, variance: 2.5 }).collect();
        let found = fit(&cells, 1, MaskedOptions { rounds: 100_000, tolerance: 1e-15 }).unwrap();
        near(found.mean[0], 4.0, 1e-6);
        near(found.covariance[0], 7.0, 1e-4);
        // More noise than there is variance: nothing is left.
        let cells: Vec<Masked> =
            [1.0, 2.0, 4.0, 9.0].iter().map(|&value| Masked::Noisy { value, variance: 40.0 }).collect();
        let found = fit(&cells, 1, MaskedOptions { rounds: 20_000, tolerance: 1e-15 }).unwrap();
        assert!(found.covariance[0] >= 0.0 && found.covariance[0] < 0.5, "{found:?}");
    }

    /// Two columns of which the second is suppressed in some records: the maximum is known (Anderson, 1957). The first
    /// column has the moments of all records, the second follows by regression on the complete ones.
    #[test]
    fn suppression_in_one_column_by_regression() {
        let complete = [(1.0, 2.0), (2.0, 3.5), (3.0, 3.0), (5.0, 7.0), (4.0, 6.5)];
        let alone = [6.0, 0.0, 7.5];
        let mut cells = Vec::new();
        for (x, y) in complete {
            cells.extend([Masked::Shown(x), Masked::Shown(y)]);
        }
        for x in alone {
            cells.extend([Masked::Shown(x), Masked::Suppressed]);
        }
        let found = fit(&cells, 2, MaskedOptions { rounds: 100_000, tolerance: 1e-15 }).unwrap();
        let n = 5.0;
        let (mx, my) =
            (complete.iter().map(|p| p.0).sum::<f64>() / n, complete.iter().map(|p| p.1).sum::<f64>() / n);
        let sxx = complete.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>() / n;
        let sxy = complete.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / n;
        let syy = complete.iter().map(|p| (p.1 - my).powi(2)).sum::<f64>() / n;
        let slope = sxy / sxx;
        let all: Vec<f64> = complete.iter().map(|p| p.0).chain(alone).collect();
        let mean = all.iter().sum::<f64>() / 8.0;
        let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 8.0;
        near(found.mean[0], mean, 1e-6);
        near(found.covariance[0], variance, 1e-6);
        near(found.mean[1], my + slope * (mean - mx), 1e-5);
        near(found.covariance[1], slope * variance, 1e-4);
        near(found.covariance[3], syy - sxy * sxy / sxx + slope * slope * variance, 1e-4);
    }

    /// 4,000 records of two columns with correlation 0.6, noise on the first, a third of the second suppressed where the
    /// first shows much (ignorable: it depends on what is published). Standard errors are about 0.02 to 0.05; the
    /// tolerances are five of them and more, so a sound estimator fails less than once in a million times.
    #[test]
    fn a_simulation_gives_back_what_was_masked() {
        let mut random = Random::stream(5, 0);
        let mut cells = Vec::new();
        let mut naive = (0.0, 0u32);
        for _ in 0..4000 {
            let (a, b) = (normal(&mut random), normal(&mut random));
            let (x, y) = (10.0 + 2.0 * a, -1.0 + 0.6 * a + 0.8 * b);
            let value = x + 1.5 * normal(&mut random);
            cells.push(Masked::Noisy { value, variance: 2.25 });
            if value > 11.0 {
                cells.push(Masked::Suppressed);
            } else {
                cells.push(Masked::Shown(y));
                naive = (naive.0 + y, naive.1 + 1);
            }
        }
        let found = fit(&cells, 2, MaskedOptions::default()).unwrap();
        near(found.mean[0], 10.0, 0.25);
        near(found.mean[1], -1.0, 0.2);
        near(found.covariance[0], 4.0, 0.7);
        near(found.covariance[1], 1.2, 0.3);
        near(found.covariance[3], 1.0, 0.25);
        // What a reader would get who takes the shown values for all.
        assert!(naive.0 / f64::from(naive.1) < -1.2, "{naive:?}");
    }

    #[test]
    fn likelihood_never_falls() {
        let mut random = Random::stream(9, 0);
        let mut cells = Vec::new();
        for _ in 0..60 {
            let a = normal(&mut random);
            cells.extend([Masked::Shown(a), Masked::Noisy { value: a + normal(&mut random), variance: 0.5 }]);
        }
        let mut last = f64::NEG_INFINITY;
        for rounds in [1, 2, 4, 8, 16, 64] {
            let own = fit(&cells, 2, MaskedOptions { rounds, tolerance: 1e-15 }).unwrap().log_likelihood;
            assert!(own >= last - 1e-9, "{own} {last}");
            last = own;
        }
    }

    #[test]
    fn what_cannot_be_estimated_is_refused() {
        let options = MaskedOptions::default();
        assert_eq!(fit(&[], 1, options), Err(MaskedError::Cells { cells: 0, columns: 1 }));
        assert_eq!(fit(&[Masked::Suppressed; 4], 0, options), Err(MaskedError::Columns));
        assert_eq!(
            fit(&[Masked::Suppressed; 3], 2, options),
            Err(MaskedError::Cells { cells: 3, columns: 2 })
        );
        assert_eq!(fit(&[Masked::Suppressed; 4], 2, options), Err(MaskedError::Unknown { column: 0 }));
        assert_eq!(fit(&[Masked::Shown(3.0); 4], 1, options), Err(MaskedError::Unknown { column: 0 }));
        for bad in [
            Masked::Shown(f64::NAN),
            Masked::Shown(f64::INFINITY),
            Masked::Noisy { value: 1.0, variance: -1.0 },
            Masked::Noisy { value: 1.0, variance: f64::NAN },
        ] {
            let found = fit(&[Masked::Shown(1.0), bad], 1, options);
            assert_eq!(found, Err(MaskedError::Number { record: 1 }));
        }
        let twice: Vec<Masked> =
            [1.0, 2.0, 5.0].iter().flat_map(|&x| [Masked::Shown(x), Masked::Shown(x)]).collect();
        assert_eq!(fit(&twice, 2, options), Err(MaskedError::Singular));
    }
}
