//! What counts tell about the records behind them.
//!
//! | file | from | |
//! | --- | --- | --- |
//! | `bounds` | counts over several sets of columns (survey AT-06) | the least and the most records of every joint cell |
//! | `joint` | | the joint cells that no count excludes |
//! | `solver` | Dobra and Fienberg; linear programs | bounds in closed form, narrowed, or by program |
//! | `recovery` | counts with blanks, or margins (survey AT-07) | every table that they allow, and what all of these agree on |

mod bounds;
mod joint;
mod recovery;
mod solver;

use crate::attacks::AttackWord;

/// The word of the attack in files.
pub const MARGINS: &str = "combined-margins";

/// What it is.
pub(crate) const ABOUT_MARGINS: AttackWord = AttackWord {
    word: MARGINS,
    title: "Combining tables of counts",
    sentence: "The adversary combines the published counts and computes how few and how many people can have each combination of values.",
    ..AttackWord::APART
};

/// The word of the attack in files.
pub const SUPPRESSION_RECOVERY: &str = "suppression-recovery";

/// What it is.
pub(crate) const ABOUT_SUPPRESSION_RECOVERY: AttackWord = AttackWord {
    word: SUPPRESSION_RECOVERY,
    title: "Recovery of hidden cells",
    sentence: "The adversary computes hidden cells back from the totals and the other cells that are published.",
    ..AttackWord::APART
};

pub use bounds::{MarginBounds, MarginInference, bounds};
pub use joint::{JointColumn, Margin, MarginsError};
pub use recovery::{Counts, Recovery, RecoveryError, Sum};
pub use solver::Bounds;
