//! The seam of verification: one referee per kind, written from the definitions and without the makers.

use privet_data::Progress;

use crate::envelope::Promised;
use crate::release_folder::{OpenError, ReleaseFolder};
use crate::verify::{Check, Trusted};

/// Checks the promises of one kind of release again from its published files.
///
/// A referee computes every definition by itself and shares no code with the crates that make releases; it lives in a crate that
/// does not depend on them.
pub trait Referee: Sync {
    /// The id of the kind.
    fn kind(&self) -> &'static str;

    /// The data files that a release of this kind holds, by its body; nothing else may stand in the folder but the pages.
    ///
    /// # Errors
    /// When the body does not have the form of this kind.
    fn files(&self, folder: &ReleaseFolder) -> Result<Vec<String>, OpenError>;

    /// One check per fact of the body and per promise. A promise that this referee does not know is a failed check.
    ///
    /// # Errors
    /// When a file cannot be read at all; what can be read and is wrong is a failed check.
    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError>;

    /// What the release states and no published file shows.
    fn on_trust(&self) -> &'static [Trusted] {
        &[]
    }

    /// The sentence of a promise, derived from its id and parameters; `None` when this kind has no such promise.
    fn statement(&self, promised: &Promised) -> Option<String>;
}
