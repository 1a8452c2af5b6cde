//! The attacks on published models.

mod centroids;
mod channels;
mod link;

use privet_kind::{Attack, Reason, Unmade, Views};

use crate::PublishedModel;

pub(crate) const ATTACKS: &[&dyn Attack] = &[&link::Link, &centroids::Centroids, &channels::Channels];

fn published<'a>(release: &Views<'a>) -> Result<&'a PublishedModel, Unmade> {
    release.get::<PublishedModel>().ok_or_else(|| Reason::Nothing { what: "model".to_owned() }.into())
}
