//! Bounds of joint cells from released margins (survey AT-06): even margins with large counts can prove small cells.
//!
//! The bounds come from `privet_recode::bucket` (in closed form for decomposable sets of margins, by linear program
//! otherwise), here from published counts alone. **Guarantee.** As there: no table that agrees with all margins has a
//! cell outside its bounds. For bounds that also use that counts are whole, see [`super::Counts::of_margins`].

use privet_data::Progress;
use privet_recode::bucket::{Combined, Margin, combined_margins};
use privet_recode::lattice::SearchError;

/// What margins tell together.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginBounds {
    /// Cells, their bounds and estimates, groups, and what is told about sensitive columns.
    pub combined: Combined,
    /// Joint cells whose count is known: both bounds are the same, and not 0.
    pub determined: Vec<usize>,
    /// Joint cells with fewer than k records, if any: the upper bound is above 0 and below k.
    pub below_k: Vec<usize>,
}

/// Bounds of joint cells from margins.
///
/// # Errors
/// When margins are malformed or contradict each other, k is 0, there are too many cells, a linear program fails, or the
/// person stopped it.
pub fn bounds(margins: &[Margin], k: u64, progress: &dyn Progress) -> Result<MarginBounds, SearchError> {
    let combined = combined_margins(margins, k, progress)?;
    let cells = || combined.bounds.iter().enumerate().filter(|(_, bounds)| bounds.high > 0);
    let determined = cells().filter(|(_, bounds)| bounds.low == bounds.high).map(|(cell, _)| cell).collect();
    let below_k = cells().filter(|(_, bounds)| bounds.high < k).map(|(cell, _)| cell).collect();
    Ok(MarginBounds { determined, below_k, combined })
}
