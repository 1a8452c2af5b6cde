//! Synthetic records with the moments of a group (papers T-AL7, DEF-7; survey ME-12).
//!
//! A record is the mean of the group plus, along each principal axis, a number that is uniform on ±√(12λ)/2, so that
//! mean and covariance are those of the group *in expectation*. Re-centred, the mean of what is drawn at once is the
//! mean of the group up to rounding. Re-centring takes away one m-th of the variance of m records, so what is left is
//! widened by √(m/(m-1)), and the covariance stays right in expectation. A single re-centred record is the mean.

use super::statistics::GroupStatistics;
use privet_recode::lattice::Random;

/// Draws `count` records and adds them to `out`.
pub(super) fn draw(
    statistics: &GroupStatistics,
    units: &[f64],
    count: usize,
    recentre: bool,
    random: &mut Random,
    out: &mut Vec<f64>,
) {
    let dimension = statistics.dimension();
    let start = out.len();
    out.resize(start + count * dimension, 0.0);
    let drawn = &mut out[start..];
    if !(recentre && count == 1) {
        let axes = statistics.axes(units);
        let reach: Vec<f64> = axes.variances().iter().map(|variance| (3.0 * variance).sqrt()).collect();
        for record in drawn.chunks_exact_mut(dimension) {
            for (axis, &reach) in reach.iter().enumerate().take_while(|(_, reach)| **reach > 0.0) {
                let along = reach * (2.0 * random.unit() - 1.0);
                for ((x, component), unit) in record.iter_mut().zip(axes.direction(axis)).zip(units) {
                    *x += along * component * unit;
                }
            }
        }
    }
    let widened = if recentre && count > 1 { (count as f64 / (count - 1) as f64).sqrt() } else { 1.0 };
    for (column, mean) in statistics.mean().iter().enumerate() {
        let sum: f64 = drawn.iter().skip(column).step_by(dimension).sum();
        let centre = if recentre { sum / count.max(1) as f64 } else { 0.0 };
        for x in drawn.iter_mut().skip(column).step_by(dimension) {
            *x = mean + (*x - centre) * widened;
        }
    }
}
