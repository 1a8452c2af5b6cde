//! What randomized records are still good for.
//!
//! | file | |
//! | --- | --- |
//! | `perturbed` | the figures of perturbed releases |
//! | `records` | the figures of swapped and synthetic releases |

pub(super) mod perturbed;
pub(super) mod records;

pub(crate) use privet_microdata::assess::measure::*;
