//! Vertical parts of one table are put into the same order: the records of people whom all parties know, by private set intersection.
//!
//! # What is revealed
//! Who is in the intersection, to parties that know these people already; of three or more parties also which of its own people each other
//! party knows (see [`crate::protocol::intersection`]). Whoever must not learn that uses [`crate::protocol::intersection::cardinality`] or
//! [`crate::protocol::intersection::sum`] and mines nothing.

use crate::error::PartyError;
use crate::protocol::intersection::intersect;
use crate::session::Session;

/// The positions of this party's records of common people, in the order that all parties have. Fewer than the minimum are refused.
///
/// # Errors
/// When an identifier is there twice, too few people are common, or the session fails.
pub fn align(
    session: &mut Session<'_>,
    identifiers: &[Vec<u8>],
    minimum: u64,
) -> Result<Vec<usize>, PartyError> {
    let found = intersect(session, identifiers)?;
    if (found.len() as u64) < minimum.max(1) {
        return Err(PartyError::Refused(
            "fewer people are common to all parties than the job demands".to_owned(),
        ));
    }
    Ok(found)
}
