//! What must hold before sets may be published: few known items find nobody, and say nothing about what is sensitive.
//!
//! Every criterion is judged exactly, over all sets of items that occur in the published sets.

mod coherence;
mod disassociated;
pub(crate) mod itemsets;
mod km;
mod rho;

pub use coherence::{Coherence, coherence, diversity};
pub(crate) use coherence::{PublicFirst, exceeds};
pub use disassociated::{Cluster, Disassociated, judge_disassociated};
pub use itemsets::{Lists, MOST_STEPS, Occurring};
pub use km::{Atoms, k_m};
pub use rho::{Rule, rho_uncertainty, violating_rules};

use privet_data::Progress;
use serde::{Deserialize, Serialize};

use crate::error::require;
use crate::{Baskets, SetsError};

/// What is asked of published sets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "criterion")]
pub enum Criterion {
    /// Every set of at most `m` items that occurs is held by `k` baskets or more (Terrovitis, Mamoulis and Kalnis 2008).
    KmAnonymity {
        /// The fewest baskets.
        k: u64,
        /// The most items an adversary knows.
        m: usize,
    },
    /// Every set of at most `p` public items that occurs is held by `k` baskets or more, of which no more than the share `h`
    /// hold the same sensitive item (Xu, Wang, Fu and Yu 2008).
    Coherence {
        /// The largest share.
        h: f64,
        /// The fewest baskets.
        k: u64,
        /// The most public items an adversary knows.
        p: usize,
    },
    /// No rule from items of a basket to another, sensitive item has a confidence above `rho` (Cao, Karras, Raïssi and Tan
    /// 2010).
    RhoUncertainty {
        /// The largest confidence.
        rho: f64,
        /// The most items that an adversary knows; no limit unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<usize>,
    },
    /// Of the baskets that hold a set of at most `m` public items, at most a share of 1/`l` hold the same sensitive item
    /// (Ghinita, Tao and Kalnis 2008).
    LDiversity {
        /// The inverse of the largest share.
        l: f64,
        /// The most public items an adversary knows.
        m: usize,
    },
}

/// What became of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Verdict {
    /// What was asked.
    #[serde(flatten)]
    pub criterion: Criterion,
    /// Whether it holds.
    pub holds: bool,
    /// The fewest baskets that hold a set that occurs; `None` where none does, or the criterion does not ask.
    pub least_support: Option<u64>,
    /// The largest share or confidence of a sensitive item; `None` where the criterion does not ask.
    pub largest_share: Option<f64>,
    /// How many sets, or rules, break the criterion.
    pub failing: u64,
    /// How many were looked at.
    pub examined: u64,
}

impl Criterion {
    /// Refuses parameters that make no sense.
    ///
    /// # Errors
    /// When a parameter is out of range.
    pub fn check(&self) -> Result<(), SetsError> {
        let share = |value: f64| value > 0.0 && value <= 1.0;
        match *self {
            Self::KmAnonymity { k, m } => {
                require(k >= 1, "k", "1 or more")?;
                require(m >= 1, "m", "1 or more")
            }
            Self::Coherence { h, k, p } => {
                require(share(h), "h", "a share above 0 and at most 1")?;
                require(k >= 1, "k", "1 or more")?;
                require(p >= 1, "p", "1 or more")
            }
            Self::RhoUncertainty { rho, most } => {
                require(share(rho), "rho", "a confidence above 0 and at most 1")?;
                require(most != Some(0), "most", "1 or more")
            }
            Self::LDiversity { l, m } => {
                require(l >= 1.0 && l.is_finite(), "l", "1 or more")?;
                require(m >= 1, "m", "1 or more")
            }
        }
    }

    /// Whether it speaks of sensitive items.
    pub fn needs_sensitive(&self) -> bool {
        !matches!(self, Self::KmAnonymity { .. })
    }
}

/// Judges sets of codes. `sensitive` tells per code whether it is sensitive; codes beyond it are not.
///
/// # Errors
/// When a parameter makes no sense, or there are too many sets to go through.
pub fn judge(
    baskets: &Baskets,
    sensitive: &[bool],
    criterion: Criterion,
    progress: &dyn Progress,
) -> Result<Verdict, SetsError> {
    criterion.check()?;
    match criterion {
        Criterion::KmAnonymity { k, m } => k_m(baskets, k, m, progress),
        Criterion::Coherence { h, k, p } => coherence(baskets, sensitive, Coherence { h, k, p }, progress),
        Criterion::RhoUncertainty { rho, most } => rho_uncertainty(baskets, sensitive, rho, most, progress),
        Criterion::LDiversity { l, m } => diversity(baskets, sensitive, l, m, progress),
    }
}
