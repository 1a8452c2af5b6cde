//! The normal linear model of a numeric column (survey ME-40).
//!
//! # Guarantee
//! With the prior that is even in β and ln σ: σ² is drawn as RSS/χ²_ν with ν = records − rank, β as β̂ + σ·L⁻ᵗz with
//! XᵗX = LLᵗ, then values as xβ + σz. Collinear features are left out (see `solve`). A column that its predictors
//! determine has σ = 0: it is not protected at all.

use super::super::SyntheticError;
use super::super::draws::chi_square;
use super::features::{Features, mean_and_deviation};
use super::solve::Factor;
use crate::{Coins, PerturbError};

use super::super::Column;

/// A fitted model, in units of the deviation of the column.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Linear {
    pub(in super::super) factor: Factor,
    pub(in super::super) coefficients: Vec<f64>,
    /// The sum of the squared residuals.
    pub(in super::super) squares: f64,
    /// Records − rank.
    pub(in super::super) degrees: usize,
    pub(in super::super) mean: f64,
    pub(in super::super) deviation: f64,
}

impl Linear {
    /// Fits the known values of these rows.
    pub(in super::super) fn fit(
        column: usize,
        columns: &[Column],
        values: &[f64],
        rows: &[u32],
        features: &Features,
    ) -> Result<Self, SyntheticError> {
        let (mean, deviation) = mean_and_deviation(rows.iter().map(|&row| values[row as usize]));
        let size = features.size;
        let mut matrix = vec![0.0; size * size];
        let mut right = vec![0.0; size];
        let mut own = Vec::new();
        let inverse = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
        let target = |row: u32| (values[row as usize] - mean) * inverse;
        for &row in rows {
            features.read(columns, row as usize, &mut own);
            let y = target(row);
            for (place, &(a, x)) in own.iter().enumerate() {
                right[a as usize] += x * y;
                let line = &mut matrix[a as usize * size..(a as usize + 1) * size];
                // Features come in rising order: this is the lower half.
                own[..=place].iter().for_each(|&(b, other)| line[b as usize] += x * other);
            }
        }
        let factor = Factor::new(&matrix, size);
        if rows.len() < factor.rank() + 2 {
            let needed = factor.rank() + 2;
            return Err(SyntheticError::TooFew { column, found: rows.len(), needed });
        }
        let coefficients = factor.solve(&right);
        let mut squares = 0.0;
        for &row in rows {
            features.read(columns, row as usize, &mut own);
            let residual = target(row) - dot(&own, &coefficients);
            squares += residual * residual;
        }
        // A fit that only rounding keeps from being perfect is perfect.
        if squares < 1e-18 * rows.len() as f64 {
            squares = 0.0;
        }
        let degrees = rows.len() - factor.rank();
        Ok(Self { factor, coefficients, squares, degrees, mean, deviation })
    }

    /// A draw of β and σ from the posterior.
    pub(in super::super) fn draw<C: Coins + ?Sized>(
        &self,
        coins: &mut C,
    ) -> Result<(Vec<f64>, f64), PerturbError> {
        let sigma = (self.squares / chi_square(self.degrees as f64, coins)?).sqrt();
        let mut normals = Vec::with_capacity(self.factor.rank());
        for _ in 0..self.factor.rank() {
            normals.push(sigma * coins.normal()?);
        }
        let mut coefficients = self.factor.backward(normals);
        coefficients.iter_mut().zip(&self.coefficients).for_each(|(own, fitted)| *own += fitted);
        Ok((coefficients, sigma))
    }

    /// A value of the column from one in units of its deviation.
    pub(in super::super) fn value(&self, scaled: f64) -> f64 {
        // Coefficients times numbers far outside of what they were learned from may be no number any more.
        if scaled.is_nan() {
            return self.mean;
        }
        // What is beyond the numbers of a frame stays within them.
        (self.mean + self.deviation * scaled).clamp(-crate::error::MOST, crate::error::MOST)
    }
}

/// xβ.
pub(in super::super) fn dot(row: &[(u32, f64)], coefficients: &[f64]) -> f64 {
    row.iter().map(|&(feature, value)| value * coefficients[feature as usize]).sum()
}
