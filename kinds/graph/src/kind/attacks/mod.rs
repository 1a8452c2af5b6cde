//! The attacks on graphs, one file each.

mod active;
mod added_edges;
mod attribute_classes;
mod attribute_inference;
mod candidates;
mod edge_presence;
mod links;
mod nearest;
mod passive;
mod propagate;

use std::borrow::Cow;

use privet_kind::{Attack, Share, Views};

use super::view::{self, OriginalGraph};
use crate::Graph;
pub(super) use candidates::visible;

/// All of them.
pub(super) const ATTACKS: &[&dyn Attack] = &[
    &candidates::Candidates,
    &nearest::Nearest,
    &attribute_classes::AttributeClasses,
    &passive::Passive,
    &propagate::Propagate,
    &active::Active,
    &attribute_inference::AttributeInference,
    &links::Links,
    &added_edges::AddedEdges,
    &edge_presence::EdgePresence,
];

/// A network as attacks see it that are defined without directions. Every adversary may look away from them.
fn flat(graph: &Graph) -> Cow<'_, Graph> {
    match graph.is_directed() {
        true => Cow::Owned(graph.without_directions()),
        false => Cow::Borrowed(graph),
    }
}

/// The original among these views.
fn original<'a>(views: Option<Views<'a>>) -> Option<&'a OriginalGraph> {
    views.and_then(|own| own.get::<OriginalGraph>())
}

/// A share whose hits are an expected number.
fn share(hits: f64, of: u64) -> Share {
    Share::new(hits.round().max(0.0) as u64, of)
}
