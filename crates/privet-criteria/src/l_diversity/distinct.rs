//! Distinct l-diversity (survey PM-07, thesis 1.3): at least l distinct values.
//!
//! Absorbing: a union holds every value that one of its parts holds.

use super::Counts;

/// At least l distinct values.
pub(crate) struct Distinct {
    pub l: u64,
}

impl Distinct {
    pub fn holds(&self, counts: impl Counts) -> bool {
        counts.take(self.l as usize).count() as u64 == self.l
    }
}
