//! What each verb does with a release of randomized records.

mod changed;
mod noise;

use privet_microdata::layouts::Layout;

use crate::error::JobError;

pub use changed::read as read_changed;
pub use noise::read as read_noise;

/// Jobs that randomize are not read for their keys here, so a key that is set would be passed over.
fn refuse_settings(settings: &[String]) -> Result<(), JobError> {
    match settings.is_empty() {
        true => Ok(()),
        false => Err(JobError::new(
            "--set goes with releases of records and of counts; a randomized release states its own laws",
        )),
    }
}
