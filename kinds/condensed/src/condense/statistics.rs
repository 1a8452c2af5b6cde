//! What condensation keeps of a group of records: their number, sums and sums of products (papers T-AL7, T-AL8).
//!
//! *Guarantee.* The statistics are additive: those of a union of disjoint groups are the sums of theirs, whatever
//! was added in which order, up to rounding. A split gives two halves whose statistics add up to those of the whole.
//!
//! *Departure.* The sums are not kept as printed but as mean and scatter Σ(x-mean)(x-mean)ᵀ, from which they follow:
//! Sum(i) = r·mean(i), Sum(i,j) = scatter(i,j) + r·mean(i)·mean(j). Formula 20.7, Sum(i,j)/r - Sum(i)Sum(j)/r², loses
//! all digits of a covariance when values are large and close together (years, amounts of money); the scatter does
//! not, and it is merged exactly as sums are (Chan, Golub and LeVeque 1983).

use nalgebra::{DMatrix, SymmetricEigen};
use serde::Serialize;

/// Number, mean and scatter of a group of records of `d` numbers each.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupStatistics {
    records: u64,
    mean: Vec<f64>,
    /// The upper triangle, row by row.
    scatter: Vec<f64>,
}

/// The principal axes of a group: the eigenvectors of its covariance, the longest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Axes {
    variances: Vec<f64>,
    directions: Vec<f64>,
}

impl Axes {
    /// The variance along each axis, in descending order; never negative.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The direction of an axis, of length one. Its first component that is not zero is positive.
    pub fn direction(&self, axis: usize) -> &[f64] {
        let dimension = self.variances.len();
        &self.directions[axis * dimension..][..dimension]
    }
}

impl GroupStatistics {
    /// Those of no record.
    pub fn new(dimension: usize) -> Self {
        Self { records: 0, mean: vec![0.0; dimension], scatter: vec![0.0; dimension * (dimension + 1) / 2] }
    }

    /// How many numbers a record has.
    pub fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// r: how many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The mean of each column; zeros when there is no record.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Sum(i): the sum of a column.
    pub fn sum(&self, i: usize) -> f64 {
        self.records as f64 * self.mean[i]
    }

    /// Sum(i,j): the sum of the products of two columns.
    pub fn sum_of_products(&self, i: usize, j: usize) -> f64 {
        self.scatter[self.place(i, j)] + self.records as f64 * self.mean[i] * self.mean[j]
    }

    /// The covariance of two columns, with the divisor r; zero when there is no record.
    pub fn covariance(&self, i: usize, j: usize) -> f64 {
        self.scatter[self.place(i, j)] / self.records.max(1) as f64
    }

    /// Adds a record.
    pub fn add(&mut self, record: &[f64]) {
        debug_assert_eq!(record.len(), self.dimension());
        self.records += 1;
        let share = 1.0 / self.records as f64;
        self.move_towards(record, share, (self.records - 1) as f64 * share);
    }

    /// Adds the records of another group of the same columns.
    pub fn merge(&mut self, other: &Self) {
        debug_assert_eq!(other.dimension(), self.dimension());
        if self.records == 0 {
            self.clone_from(other);
            return;
        }
        let before = self.records as f64;
        self.records += other.records;
        let share = other.records as f64 / self.records as f64;
        self.move_towards(&other.mean, share, before * share);
        for (cell, theirs) in self.scatter.iter_mut().zip(&other.scatter) {
            *cell += theirs;
        }
    }

    /// Moves the mean by a share of the way to a point, and adds the scatter of the way times a weight.
    fn move_towards(&mut self, point: &[f64], share: f64, weight: f64) {
        let mut rows = self.scatter.as_mut_slice();
        for (i, (x, mean)) in point.iter().zip(&self.mean).enumerate() {
            let (row, below) = rows.split_at_mut(self.mean.len() - i);
            let step = (x - mean) * weight;
            for ((cell, y), mean) in row.iter_mut().zip(&point[i..]).zip(&self.mean[i..]) {
                *cell += step * (y - mean);
            }
            rows = below;
        }
        for (x, mean) in point.iter().zip(&mut self.mean) {
            *mean += (x - *mean) * share;
        }
    }

    /// The principal axes of the columns, each measured in its own unit. With units of one these are the
    /// eigenvectors of the covariance as it stands.
    pub fn axes(&self, units: &[f64]) -> Axes {
        let dimension = self.dimension();
        if dimension == 0 {
            return Axes { variances: Vec::new(), directions: Vec::new() };
        }
        let covariance =
            DMatrix::from_fn(dimension, dimension, |i, j| self.covariance(i, j) / units[i] / units[j]);
        // Where the decomposition should not converge, which nobody has seen, the columns themselves are axes that
        // keep means and variances.
        let (values, vectors) =
            match SymmetricEigen::try_new(covariance.clone(), f64::EPSILON, 1_000 * dimension) {
                Some(eigen) => (eigen.eigenvalues, eigen.eigenvectors),
                None => (covariance.diagonal(), DMatrix::identity(dimension, dimension)),
            };
        let mut order: Vec<usize> = (0..dimension).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        // What is less than rounding can tell, or negative, is nothing.
        let least = values[order[0]] * dimension as f64 * f64::EPSILON;
        let kept = |value: f64| if value > least { value } else { 0.0 };
        let mut directions = Vec::with_capacity(dimension * dimension);
        for &axis in &order {
            let direction = vectors.column(axis);
            let first = direction.iter().find(|component| component.abs() > ZERO);
            let sign = if first.is_some_and(|&component| component < 0.0) { -1.0 } else { 1.0 };
            directions.extend(direction.iter().map(|component| sign * component));
        }
        Axes { variances: order.iter().map(|&axis| kept(values[axis])).collect(), directions }
    }

    /// Splits a group of an even number of records into two of half the number along its longest axis: the records
    /// are taken to be uniform along it, with range R = √(12λ) (T-TH10), so the halves have their means a quarter of
    /// R to either side and a quarter of the variance. Records that are all equal give two equal halves.
    ///
    /// `None` when there is no record, or the number is odd.
    pub fn split(&self, units: &[f64]) -> Option<[Self; 2]> {
        if self.records == 0 || !self.records.is_multiple_of(2) {
            return None;
        }
        let axes = self.axes(units);
        let quarter = axes.variances.first().map_or(0.0, |variance| (3.0 * variance).sqrt() / 2.0);
        let shift: Vec<f64> = match quarter > 0.0 {
            true => axes
                .direction(0)
                .iter()
                .zip(units)
                .map(|(component, unit)| quarter * component * unit)
                .collect(),
            false => vec![0.0; self.dimension()],
        };
        let records = self.records / 2;
        let mut scatter: Vec<f64> = self.scatter.iter().map(|cell| cell / 2.0).collect();
        let mut rows = scatter.as_mut_slice();
        for (i, step) in shift.iter().enumerate() {
            let (row, below) = rows.split_at_mut(shift.len() - i);
            for (cell, other) in row.iter_mut().zip(&shift[i..]) {
                // λ/4 is left of λ = λ/4 + shift².
                *cell -= records as f64 * step * other;
            }
            row[0] = row[0].max(0.0);
            rows = below;
        }
        let half = |sign: f64| Self {
            records,
            mean: self.mean.iter().zip(&shift).map(|(mean, step)| mean + sign * step).collect(),
            scatter: scatter.clone(),
        };
        Some([half(1.0), half(-1.0)])
    }

    fn place(&self, i: usize, j: usize) -> usize {
        let (i, j) = (i.min(j), i.max(j));
        i * (2 * self.mean.len() - i + 1) / 2 + (j - i)
    }
}

/// A component of a direction that is zero but for rounding.
const ZERO: f64 = 1e-12;
