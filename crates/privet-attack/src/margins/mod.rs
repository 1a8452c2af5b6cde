//! What counts tell about the records behind them.
//!
//! | file | from | |
//! | --- | --- | --- |
//! | `bounds` | counts over several sets of columns (survey AT-06) | the least and the most records of every joint cell |
//! | `recovery` | counts with blanks, or margins (survey AT-07) | every table that they allow, and what all of these agree on |

mod bounds;
mod recovery;

pub use bounds::{MarginBounds, bounds};
pub use privet_recode::bucket::{JointColumn, Margin};
pub use recovery::{Counts, Recovery, RecoveryError, Sum};
