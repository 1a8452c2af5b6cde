//! Filtering noise out of columns that depend on each other (survey AT-16; Kargupta et al. 2003, Huang et al. 2005).
//!
//! Independent noise is as strong in every direction; data that depend on each other are strong in few. Two attacks:
//!
//! - [`spectral_filter`]: keep the principal components whose variance is more than noise alone would have, drop the
//!   others. With p of m kept, (1 − p/m) of the noise is gone.
//! - [`best_linear`]: X̂ = μ + Σ_x(Σ_x + Σ_v)⁻¹(Y − μ), the estimate with the least error among those that are linear
//!   in a record; with normal data the best of all. Σ_x is the covariance of the published records less that of the
//!   noise.
//!
//! # Guarantee
//! Both work on the published records and the published noise model alone. The errors that they expect are those for
//! many records: with few, the covariance is guessed and the true error is larger.
//!
//! Departures from the print. Columns are divided by the deviation of their noise first, so that noises may differ;
//! columns without noise stay as they are, and the best linear estimate learns from them. The survey leaves open which
//! eigenvalues are large. The cut is the edge of Marchenko and Pastur, (1 + √(m/n))², placed as Johnstone (2001) does
//! for finite n and moved up to the 99 % point of the law of Tracy and Widom, so that noise alone passes once in a
//! hundred releases; the bare edge would let it pass in every sixth. And a direction is kept only when it holds more
//! data than noise (a variance above 2 in variances of the noise): otherwise keeping it costs more than it gives. Σ_x is
//! brought to the nearest matrix without negative eigenvalues.

use nalgebra::{DMatrix, SymmetricEigen};
use privet_perturb::covariance;
use rayon::prelude::*;
use serde::Serialize;

use super::records::{NoiseAttackError, NoiseShape, Records, check_length, check_spread};

/// What the spectral filter made of noisy records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Filtered {
    /// The estimates, row by row.
    #[serde(skip)]
    pub estimates: Vec<f64>,
    /// Columns with noise.
    pub noisy_columns: usize,
    /// How many components are kept.
    pub kept: usize,
    /// The variances along the components, in variances of the noise, the largest first.
    pub spectrum: Vec<f64>,
    /// A component is kept when its variance is above this.
    pub cut: f64,
    /// The root mean square error that is expected, in deviations of the noise; the published values have 1.
    pub expected_error: f64,
    /// Per column the same; 0 for columns without noise.
    pub expected_errors: Vec<f64>,
}

/// Drops the directions in which there is nothing but noise.
///
/// # Errors
/// When there are fewer than two records, or not one variance from 0 on for each column.
pub fn spectral_filter(published: Records<'_>, variances: &[f64]) -> Result<Filtered, NoiseAttackError> {
    let width = published.width();
    check_length("variances of noise", variances.len(), width)?;
    for &variance in variances {
        check_spread("the variance of the noise", variance)?;
    }
    let noisy: Vec<(usize, f64)> = (0..)
        .zip(variances)
        .filter(|(_, variance)| **variance > 0.0)
        .map(|(column, variance)| (column, variance.sqrt()))
        .collect();
    if noisy.is_empty() {
        let estimates = published.values().to_vec();
        return Ok(Filtered {
            estimates,
            noisy_columns: 0,
            kept: 0,
            spectrum: Vec::new(),
            cut: 0.0,
            expected_error: 0.0,
            expected_errors: vec![0.0; width],
        });
    }
    let count = noisy.len();
    let all = covariance(published.values(), width)?;
    let whitened = DMatrix::from_fn(count, count, |a, b| {
        let ((a, sa), (b, sb)) = (noisy[a], noisy[b]); // why: the matrix has one row and column for each of `noisy`
        all[(a, b)] / sa / sb // why: its places are columns of the records
    });
    let axes = eigen(whitened)?;
    let cut = noise_edge(published.len(), count).max(2.0);
    let kept = axes.values.iter().filter(|value| **value > cut).count();
    // The projection on what is kept, back in the units of the columns.
    let mut map = DMatrix::identity(width, width);
    for (a, &(row, row_scale)) in noisy.iter().enumerate() {
        for (b, &(column, column_scale)) in noisy.iter().enumerate() {
            let shared: f64 = (0..kept).map(|axis| axes.vectors[(a, axis)] * axes.vectors[(b, axis)]).sum(); // why: kept ≤ count, and a, b < count
            map[(row, column)] = shared * row_scale / column_scale; // why: places are columns of the records
        }
    }
    let lost: f64 = axes.values.iter().skip(kept).map(|value| (value - 1.0).max(0.0)).sum();
    // Of a column the noise along what is kept stays, and the data along the rest is lost.
    let mut expected_errors = vec![0.0; width];
    for (a, &(column, _)) in noisy.iter().enumerate() {
        let left = |(axis, value): (usize, &f64)| {
            let share = axes.vectors[(a, axis)].powi(2); // why: a, axis < count
            share * if axis < kept { 1.0 } else { (value - 1.0).max(0.0) }
        };
        expected_errors[column] = axes.values.iter().enumerate().map(left).sum::<f64>().sqrt(); // why: a column of the records
    }
    Ok(Filtered {
        estimates: apply(published, &map),
        noisy_columns: count,
        kept,
        cut,
        expected_error: ((kept as f64 + lost) / count as f64).sqrt(),
        expected_errors,
        spectrum: axes.values,
    })
}

/// The 99 % point of the law of Tracy and Widom of order 1.
const TRACY_WIDOM_99: f64 = 2.0234;

/// The largest variance, in variances of the noise, that noise alone has along a component in 99 of 100 releases.
pub fn noise_edge(records: usize, columns: usize) -> f64 {
    let (n, m) = (records.max(2) as f64, columns.max(1) as f64);
    let (root_n, root_m) = ((n - 1.0).sqrt(), m.sqrt());
    let centre = (root_n + root_m).powi(2);
    let spread = (root_n + root_m) * (1.0 / root_n + 1.0 / root_m).cbrt();
    (centre + TRACY_WIDOM_99 * spread) / (n - 1.0)
}

/// The best linear estimate of noisy records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BestLinear {
    /// The estimates, row by row.
    #[serde(skip)]
    pub estimates: Vec<f64>,
    /// Per column the deviation of the noise.
    pub noise: Vec<f64>,
    /// Per column the root mean square error that is expected.
    pub expected_errors: Vec<f64>,
    /// Per column the error that is expected of the best linear estimate from that column alone. The difference is
    /// what the other columns give away.
    pub errors_alone: Vec<f64>,
}

impl BestLinear {
    /// The error that is expected over all noisy columns, in deviations of their noise; 0 when there is no noise.
    pub fn expected_error(&self) -> f64 {
        in_noise(&self.expected_errors, &self.noise)
    }

    /// The error that is expected of each column, in deviations of its noise; 0 where it has none.
    pub fn errors_in_noise(&self) -> Vec<f64> {
        let both = self.expected_errors.iter().zip(&self.noise);
        both.map(|(error, noise)| if *noise > 0.0 { error / noise } else { 0.0 }).collect()
    }

    /// The same for estimates from each column alone.
    pub fn error_alone(&self) -> f64 {
        in_noise(&self.errors_alone, &self.noise)
    }
}

fn in_noise(errors: &[f64], noise: &[f64]) -> f64 {
    let ratios: Vec<f64> = errors
        .iter()
        .zip(noise)
        .filter(|(_, noise)| **noise > 0.0)
        .map(|(error, noise)| (error / noise).powi(2))
        .collect();
    (ratios.iter().sum::<f64>() / ratios.len().max(1) as f64).sqrt()
}

/// Estimates each record from all of its columns at once.
///
/// # Errors
/// When there are fewer than two records, or the shape of the noise does not fit the columns.
pub fn best_linear(published: Records<'_>, noise: &NoiseShape) -> Result<BestLinear, NoiseAttackError> {
    let width = published.width();
    let seen = covariance(published.values(), width)?;
    let noise = noise.covariance(&seen)?;
    // Columns are brought to deviation 1, so that one in large units does not drown the others in rounding.
    let scales: Vec<f64> = seen.diagonal().iter().map(|variance| variance.sqrt()).collect();
    let scale = |column: usize| scales.get(column).copied().unwrap_or(0.0);
    let inverse = |column: usize| if scale(column) > 0.0 { 1.0 / scale(column) } else { 0.0 };
    let scaled = |matrix: &DMatrix<f64>| {
        DMatrix::from_fn(width, width, |a, b| matrix[(a, b)] * inverse(a) * inverse(b)) // why: both are width × width
    };
    let noise_scaled = scaled(&noise);
    let data = eigen(scaled(&seen) - &noise_scaled)?.rebuilt(|value| value.max(0.0));
    let both = eigen(&data + &noise_scaled)?;
    let least = both.values.first().copied().unwrap_or(0.0) * 1e-12;
    let gain = &data * both.rebuilt(|value| if value > least { 1.0 / value } else { 0.0 });
    let left = &data - &gain * &data;
    let noise: Vec<f64> = noise.diagonal().iter().map(|variance| variance.sqrt()).collect();
    let has_noise = |column: usize| noise.get(column).is_some_and(|own| *own > 0.0);
    let map = DMatrix::from_fn(width, width, |a, b| match has_noise(a) {
        true => gain[(a, b)] * scale(a) * inverse(b), // why: the gain is width × width
        false => f64::from(a == b),
    });
    let expected_errors = (0..width)
        .map(|column| match has_noise(column) {
            true => left[(column, column)].max(0.0).sqrt() * scale(column), // why: width × width
            false => 0.0,
        })
        .collect();
    let errors_alone = (0..width)
        .map(|column| {
            let (seen, noise) = (scale(column).powi(2), noise.get(column).map_or(0.0, |own| own * own));
            let data = (seen - noise).max(0.0);
            if data > 0.0 { (data * noise / (data + noise)).sqrt() } else { 0.0 }
        })
        .collect();
    Ok(BestLinear { estimates: apply(published, &map), noise, expected_errors, errors_alone })
}

/// Eigenvalues, the largest first, and their vectors as columns.
pub(super) struct Axes {
    pub values: Vec<f64>,
    pub vectors: DMatrix<f64>,
}

impl Axes {
    /// The matrix with its eigenvalues changed.
    fn rebuilt(&self, change: impl Fn(f64) -> f64) -> DMatrix<f64> {
        let changed = nalgebra::DVector::from_iterator(
            self.values.len(),
            self.values.iter().map(|value| change(*value)),
        );
        &self.vectors * DMatrix::from_diagonal(&changed) * self.vectors.transpose()
    }
}

pub(super) fn eigen(matrix: DMatrix<f64>) -> Result<Axes, NoiseAttackError> {
    let finite = matrix.iter().all(|own| own.is_finite());
    let found = finite.then(|| SymmetricEigen::try_new(matrix, f64::EPSILON, 10_000)).flatten();
    let found = found.ok_or(NoiseAttackError::Parameter {
        name: "the covariance of the records in units of the noise",
        accepted: "one whose eigenvalues can be computed; bring the columns to similar units",
    })?;
    let mut order: Vec<(usize, f64)> = found.eigenvalues.iter().copied().enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let columns: Vec<usize> = order.iter().map(|own| own.0).collect();
    Ok(Axes {
        values: order.iter().map(|own| own.1).collect(),
        vectors: found.eigenvectors.select_columns(&columns),
    })
}

/// μ + A(y − μ) for every record.
fn apply(records: Records<'_>, map: &DMatrix<f64>) -> Vec<f64> {
    let (width, means) = (records.width(), records.means());
    // Row by row, so that the inner loop runs along memory.
    let rows: Vec<f64> = map.transpose().iter().copied().collect();
    let mut out = vec![0.0; records.values().len()];
    out.par_chunks_exact_mut(width)
        .zip(records.values().par_chunks_exact(width))
        .with_min_len(512)
        .for_each_init(
            || vec![0.0; width],
            |centred, (out, record)| {
                for ((own, value), mean) in centred.iter_mut().zip(record).zip(&means) {
                    *own = value - mean;
                }
                for ((out, weights), mean) in out.iter_mut().zip(rows.chunks_exact(width)).zip(&means) {
                    *out =
                        mean + weights.iter().zip(&*centred).map(|(weight, own)| weight * own).sum::<f64>();
                }
            },
        );
    out
}

#[cfg(test)]
mod tests;
