//! Projection search (thesis 2.18; Friedman, Baskett and Shustek 1975): every axis sorted, the axis with the fewest points
//! near the query exhausted. The parent of slicing.
//!
//! Growth: time in n for each query in the worst case, memory in n m.

use std::ops::ControlFlow;

use super::Neighbours;
use crate::Points;

/// The points sorted along every axis.
#[derive(Debug, Clone)]
pub struct Projection<'a> {
    points: &'a Points,
    ticks: u8,
    /// Per axis the points by their tick, and where each tick begins.
    axes: Vec<(Vec<u32>, Vec<u32>)>,
}

impl<'a> Projection<'a> {
    /// Sorts the axes.
    pub fn new(points: &'a Points, ticks: u8) -> Self {
        let axis = |dim: usize| {
            let tick = |point: u32| usize::from(points.row(point)[dim]);
            let mut starts = vec![0u32; 257];
            (0..points.len() as u32).for_each(|point| starts[tick(point) + 1] += 1);
            (0..256).for_each(|at| starts[at + 1] += starts[at]);
            let mut next = starts.clone();
            let mut order = vec![0; points.len()];
            for point in 0..points.len() as u32 {
                order[next[tick(point)] as usize] = point;
                next[tick(point)] += 1;
            }
            (order, starts)
        };
        Self { points, ticks, axes: (0..points.dims()).map(axis).collect() }
    }
}

impl Neighbours for Projection<'_> {
    fn near(&self, point: u32, mut visit: impl FnMut(u32) -> ControlFlow<()>) {
        let row = self.points.row(point);
        let ranges = self.axes.iter().zip(row).map(|((order, starts), &tick)| {
            let low = starts[usize::from(tick.saturating_sub(self.ticks))];
            let high = starts[usize::from(tick.saturating_add(self.ticks)) + 1];
            &order[low as usize..high as usize]
        });
        match ranges.min_by_key(|range| range.len()) {
            Some(range) => {
                for &other in range {
                    if self.points.joined(point, other, self.ticks) && visit(other).is_break() {
                        return;
                    }
                }
            }
            // Without an axis all points are one.
            None => {
                let _ = visit(point);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.axes.iter().map(|(order, starts)| 4 * (order.len() + starts.len())).sum()
    }
}
