//! Errors of mining as errors of the seam.

use privet_kind::{Fault, KindError};
use privet_mine::MineError;

pub(crate) fn told(error: MineError) -> KindError {
    match error {
        MineError::Cancelled(cancelled) => cancelled.into(),
        MineError::Impossible { .. } => KindError::refused(error.to_string()),
        MineError::TooMany { .. } => KindError::new(Fault::Resources, error.to_string()),
        other => KindError::bad_input(other.to_string()),
    }
}
