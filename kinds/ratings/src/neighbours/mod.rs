//! Who is within epsilon of whom among the points of a Hamming group: three ways that give the same answer.

mod pairwise;
mod projection;
mod slicing;

use std::ops::ControlFlow;

pub use pairwise::Pairwise;
pub use projection::Projection;
pub use slicing::Slicing;

/// A way to look up the points within epsilon of a point.
pub trait Neighbours: Sync {
    /// Hands on every point within epsilon of `point`, itself included, in any order, until `visit` breaks.
    fn near(&self, point: u32, visit: impl FnMut(u32) -> ControlFlow<()>);

    /// The bytes that this way holds besides the points.
    fn bytes(&self) -> usize;

    /// All points within epsilon, ascending.
    fn list(&self, point: u32) -> Vec<u32> {
        let mut all = Vec::new();
        self.near(point, |other| {
            all.push(other);
            ControlFlow::Continue(())
        });
        all.sort_unstable();
        all
    }
}
