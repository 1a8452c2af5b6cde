//! How far off means and covariances from masked records typically are (Huber, 1967; White, 1982).
//!
//! A⁻¹BA⁻¹, with A the information of the normal likelihood about the estimates and B the sum of the products of the slopes that
//! each record has there. Where all records show all columns these are the errors of sample moments: of a mean the deviation of
//! what is published over √n, of a covariance that of the products of what is published.
//!
//! # Guarantee
//! About the population that the records were drawn from. They hold in the limit of many records, also where numbers are not
//! normal as long as nothing is suppressed, and about so where something is. Absent (`None`) where nothing can be told because
//! columns determine each other.

use nalgebra::{DMatrix, DVector};

use super::{Form, Masked, MaskedError, MaskedFit, Model, Record, forms, unit};

/// The most columns: there is a parameter for each pair of them.
const MOST_COLUMNS: usize = 30;

/// Standard errors of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct MaskedErrors {
    /// Per column that of the mean.
    pub mean: Vec<f64>,
    /// Row by row those of the covariances.
    pub covariance: Vec<f64>,
    /// How the estimates of covariances vary together, those of pairs of columns in the order of [`place`].
    together: DMatrix<f64>,
}

impl MaskedErrors {
    /// The covariance of two estimates of covariances, each of two columns.
    pub fn between(&self, first: (usize, usize), second: (usize, usize)) -> Option<f64> {
        let columns = self.mean.len();
        let within = |own: (usize, usize)| own.0.max(own.1) < columns;
        let at = |own: (usize, usize)| place(own.0, own.1, columns);
        (within(first) && within(second)).then(|| self.together[(at(first), at(second))]) // why: looked at
    }
}

/// The number of a pair of columns: (0, 0), (0, 1), …, (1, 1), …
fn place(a: usize, b: usize, columns: usize) -> usize {
    let (low, high) = (a.min(b), a.max(b));
    low * columns + high - low * (low + 1) / 2
}

/// The standard errors of what was fitted to these records.
///
/// # Errors
/// As [`super::fit`]; beyond 30 columns.
pub fn standard_errors(
    cells: &[Masked],
    columns: usize,
    fit: &MaskedFit,
) -> Result<Option<MaskedErrors>, MaskedError> {
    if columns == 0 || columns > MOST_COLUMNS || fit.mean.len() != columns {
        return Err(MaskedError::Columns);
    }
    let units: Vec<(f64, f64)> =
        (0..columns).map(|column| unit(cells, columns, column)).collect::<Result<_, _>>()?;
    let scale = |column: usize| units[column].1; // why: one for each column
    let model = Model {
        mean: DVector::from_fn(columns, |own, _| (fit.mean[own] - units[own].0) / scale(own)), // why: as above
        covariance: DMatrix::from_fn(columns, columns, |a, b| {
            fit.covariance[a * columns + b] / scale(a) / scale(b) // why: a square of columns
        }),
        forms: forms(cells, columns, &units),
    };
    // Per form W, the inverse of what is expected of it, with 0 for columns that it does not show.
    let weights: Vec<DMatrix<f64>> = model
        .forms
        .iter()
        .map(|form| Ok(spread(form, &model.shared(form)?.inverse, columns)))
        .collect::<Result<_, MaskedError>>()?;
    let pairs: Vec<(usize, usize)> = (0..columns).flat_map(|a| (a..columns).map(move |b| (a, b))).collect();
    let half = |(a, b): (usize, usize)| if a == b { 0.5 } else { 1.0 };
    let size = columns + pairs.len();
    let mut information: DMatrix<f64> = DMatrix::zeros(size, size);
    for (form, own) in model.forms.iter().zip(&weights) {
        for a in 0..columns {
            for b in 0..columns {
                information[(a, b)] += form.count * own[(a, b)]; // why: columns come first
            }
        }
        for (row, &(a, b)) in pairs.iter().enumerate() {
            for (column, &(c, d)) in pairs.iter().enumerate() {
                let both = own[(a, c)] * own[(b, d)] + own[(a, d)] * own[(b, c)]; // why: columns
                information[(columns + row, columns + column)] +=
                    form.count * half((a, b)) * half((c, d)) * both; // why: pairs come after them
            }
        }
    }
    let mut products: DMatrix<f64> = DMatrix::zeros(size, size);
    let mut slope: DVector<f64> = DVector::zeros(size);
    for record in cells.chunks_exact(columns).map(|record| Record::new(record, &units)) {
        let is_own = |form: &Form| form.places == record.places && form.noise == record.noise;
        let Some(own) = model.forms.iter().position(is_own).and_then(|place| weights.get(place)) else {
            continue;
        };
        let mut away: DVector<f64> = DVector::zeros(columns);
        for (&place, value) in record.places.iter().zip(&record.values) {
            away[place] = value - model.mean[place]; // why: a column
        }
        let pulled = own * away;
        for column in 0..columns {
            slope[column] = pulled[column]; // why: columns come first
        }
        for (at, &(a, b)) in pairs.iter().enumerate() {
            slope[columns + at] = half((a, b)) * (pulled[a] * pulled[b] - own[(a, b)]); // why: pairs come after them
        }
        products.syger(1.0, &slope, &slope, 1.0);
    }
    products.fill_upper_triangle_with_lower_triangle();
    let n = (cells.len() / columns) as f64;
    let Some(inverse) = information.cholesky().map(|own| own.inverse()) else { return Ok(None) };
    let variance: DMatrix<f64> = &inverse * products * &inverse * (n / (n - 1.0).max(1.0));
    let scale_of = |at: usize| pairs.get(at).map_or(1.0, |&(a, b)| scale(a) * scale(b));
    let together = DMatrix::from_fn(pairs.len(), pairs.len(), |row, column| {
        variance[(columns + row, columns + column)] * scale_of(row) * scale_of(column) // why: pairs come after columns
    });
    let root = |variance: f64| variance.max(0.0).sqrt();
    Ok(Some(MaskedErrors {
        mean: (0..columns).map(|own| root(variance[(own, own)]) * scale(own)).collect(), // why: a column
        covariance: (0..columns * columns)
            .map(|at| place(at / columns, at % columns, columns))
            .map(|at| root(together[(at, at)])) // why: a pair of columns
            .collect(),
        together,
    }))
}

/// A matrix over the columns that a form shows, over all columns.
fn spread(form: &Form, inner: &DMatrix<f64>, columns: usize) -> DMatrix<f64> {
    let mut all: DMatrix<f64> = DMatrix::zeros(columns, columns);
    for (a, &row) in form.places.iter().enumerate() {
        for (b, &column) in form.places.iter().enumerate() {
            all[(row, column)] = inner[(a, b)]; // why: one for each column shown
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::{MaskedOptions, fit};
    use super::*;
    use crate::random::normal;
    use privet_data::Random;

    const PRECISE: MaskedOptions = MaskedOptions { rounds: 100_000, tolerance: 1e-14 };

    /// By hand: where all is shown, with noise or without, the errors are those of the moments of what is published.
    #[test]
    fn of_whole_records_they_are_those_of_sample_moments() {
        let rows = [(1.0, 5.0), (2.0, 3.0), (4.0, 8.0), (9.0, 7.5), (6.0, 2.0), (5.0, 11.0)];
        let cells: Vec<Masked> = rows
            .iter()
            .flat_map(|own| [Masked::Noisy { value: own.0, variance: 1.5 }, Masked::Shown(own.1)])
            .collect();
        let found = standard_errors(&cells, 2, &fit(&cells, 2, PRECISE).unwrap()).unwrap().unwrap();
        let n = rows.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| rows.iter().map(of).sum::<f64>() / n;
        let (x, y) = (mean(&|own| own.0), mean(&|own| own.1));
        let error = |of: &dyn Fn(&(f64, f64)) -> f64| {
            let middle = mean(of);
            (mean(&|own| (of(own) - middle).powi(2)) / (n - 1.0)).sqrt()
        };
        let near =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
        near(found.mean[0], error(&|own| own.0));
        near(found.mean[1], error(&|own| own.1));
        near(found.covariance[0], error(&|own| (own.0 - x).powi(2)));
        near(found.covariance[1], error(&|own| (own.0 - x) * (own.1 - y)));
        assert_eq!(found.covariance[1], found.covariance[2]);
        near(found.covariance[3], error(&|own| (own.1 - y).powi(2)));
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            near(found.between((a, b), (a, b)).unwrap().sqrt(), found.covariance[2 * a + b]);
        }
        // Two of them together, by hand.
        let (aa, bb) = (|own: &(f64, f64)| (own.0 - x).powi(2), |own: &(f64, f64)| (own.1 - y).powi(2));
        let both = mean(&|own| (aa(own) - mean(&aa)) * (bb(own) - mean(&bb))) / (n - 1.0);
        near(found.between((0, 0), (1, 1)).unwrap(), both);
        assert_eq!(found.between((0, 2), (1, 1)), None);
        assert!((0..5).flat_map(|a| (a..5).map(move |b| place(a, b, 5))).eq(0..15));
    }

    /// 400 worlds of 300 records of three columns, with noise and with gaps: the errors are those that the estimates make. Each
    /// ratio of a deviation over 400 worlds to the mean error is off by 3.5 % typically; 20 % would be once in 10⁷ times.
    #[test]
    fn they_are_the_errors_that_are_made() {
        let mut random = Random::stream(15, 0);
        let (worlds, records) = (400, 300);
        let (mut estimates, mut told) = (vec![Vec::new(); 12], vec![0.0; 12]);
        for _ in 0..worlds {
            let mut cells = Vec::new();
            for _ in 0..records {
                let (a, b) = (normal(&mut random), normal(&mut random));
                let (x, y, z) = (3.0 + 2.0 * a, a + b, 5.0 * normal(&mut random) - b);
                cells.push(Masked::Noisy { value: x + 1.5 * normal(&mut random), variance: 2.25 });
                cells.push(if random.unit() < 0.3 { Masked::Suppressed } else { Masked::Shown(y) });
                cells.push(Masked::Noisy { value: z + 3.0 * normal(&mut random), variance: 9.0 });
            }
            let found = fit(&cells, 3, MaskedOptions::default()).unwrap();
            let errors = standard_errors(&cells, 3, &found).unwrap().unwrap();
            let both =
                found.mean.iter().chain(&found.covariance).zip(errors.mean.iter().chain(&errors.covariance));
            for (at, (estimate, error)) in both.enumerate() {
                estimates[at].push(*estimate);
                told[at] += error / f64::from(worlds);
            }
        }
        for (own, told) in estimates.iter().zip(&told) {
            let mean = own.iter().sum::<f64>() / f64::from(worlds);
            let made =
                (own.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / f64::from(worlds - 1)).sqrt();
            assert!((told / made - 1.0).abs() < 0.2, "{told} {made}");
        }
    }
}
