//! Temporal unlinkability (survey AP-18, Def 7.3): pseudonyms change, and the measured posterior of the true successor of
//! each stays low.

mod mix_zone;
mod path_cloaking;
mod posterior;
mod swap;

pub use mix_zone::{MixZone, MixZones, mix_zones};
pub use path_cloaking::{PathCloaking, path_cloaking};
pub use posterior::{Link, MOST_EXACT, Motion, Posterior, successors};
pub use swap::{Swapped, swap_segments};

use crate::Traces;

/// Traces in segments, each with a pseudonym of its own.
#[derive(Debug, Clone)]
pub struct Segments {
    /// The published segments.
    pub traces: Traces,
    /// Per segment which trace of the input it is part of. Stays with the owner.
    pub source: Vec<u32>,
    /// Per change of pseudonym the posterior of the true successor. Stays with the owner.
    pub posteriors: Vec<f64>,
    /// Whether all posteriors are exact; otherwise the larger groups' are approximate.
    pub exact: bool,
    /// Points of the input that are not published.
    pub suppressed_points: u64,
    /// Changes that were not published, because the successor would have been linked: what follows was suppressed.
    pub refused: u64,
}

impl Segments {
    /// The largest posterior of a true successor; 0 without changes.
    pub fn largest(&self) -> f64 {
        self.posteriors.iter().copied().fold(0.0, f64::max)
    }
}
