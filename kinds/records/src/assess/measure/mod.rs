//! What releases of records are still good for, and what their records risk.
//!
//! | file | |
//! | --- | --- |
//! | `workload` | whether questions of the owner's own are answered alike |
//! | `risk` | what records risk |

mod risk;
mod workload;

pub(crate) use numbers::standardized;
pub(crate) use privet_microdata::assess::measure::*;
pub(super) use risk::risk;
pub(super) use workload::{Questions, workload};
