//! Mining over parts of a table: horizontal (the parties have the same columns of different people) and vertical (different columns of the
//! same people). Every protocol says what the parties learn besides the result.

pub mod align;
pub mod anonymous;
pub mod bayes;
pub mod closing;
pub mod clusters;
pub mod joint;
pub mod moments;
pub mod rules;
pub mod supports;
pub mod tree;

use crate::error::Reason;
use crate::session::wire::Reader;

/// What a party found at its gate: whether it accepts, and the hash of what it would publish.
pub(crate) fn parse_verdict(reader: &mut Reader<'_>) -> Result<(bool, [u8; 32]), Reason> {
    let accepts = match reader.u8()? {
        0 => false,
        1 => true,
        _ => return Err(Reason::Malformed),
    };
    Ok((accepts, reader.array()?))
}
