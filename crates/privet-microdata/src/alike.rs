//! What a manifest says of the values of a column beyond their labels (survey US-03): whoever bounds an answer must know what
//! may stand behind `20-29` or `13***`.
//!
//! Facts about all values of the input together, and as few as are needed: of what kind they are; for masks whether all are of
//! one length and digits; whether labels may hide missing values. None names a value.

use std::collections::HashSet;

use privet_data::{Domain, GeneralizedLevel};
use privet_release::manifest::{Alike, LabelReading};
use privet_release::published::{hides_missing, reading_of_levels};

use crate::chosen::Place;
use crate::job::Job;
use crate::load::Quasi;

/// What values that are published as they are have in common.
pub fn plain(domain: &Domain) -> Alike {
    Alike { kind: domain.kind(), length: None, digits: false, hides_missing: false }
}

/// What the values behind labels have in common; `domain` is that of the input.
pub fn behind(domain: &Domain, reading: LabelReading, hides_missing: bool) -> Alike {
    let values = &domain.texts()[domain.missing() as usize..];
    let (mut length, mut digits) = (None, false);
    if reading == LabelReading::Masks {
        let mut lengths = values.iter().map(|text| text.chars().count());
        length = lengths.next().filter(|&first| lengths.all(|own| own == first));
        digits = values.iter().all(|text| text.bytes().all(|b| b.is_ascii_digit()));
    }
    Alike { kind: domain.kind(), length, digits, hides_missing }
}

/// Whether the labels of a quasi column hold what anyone reads in them, and whether they hide missing values, by where its
/// values went. `domain` is that of its codes.
pub fn told(job: &Job, quasi: &Quasi, domain: &Domain, place: &Place) -> (LabelReading, bool) {
    let missing = domain.missing() as usize;
    let values = &domain.texts()[missing..];
    let has_star = values.iter().any(|text| &**text == "*");
    let literal = if has_star { LabelReading::Names } else { LabelReading::Literal };
    match place {
        Place::Level(0) => (quasi.reading, false),
        // Not labels of the hierarchy, but what was chosen.
        Place::Nodes { kind: "ranges", level } => {
            let all = level.node_of_code.as_slice();
            let known = all.get(missing..).unwrap_or_default();
            let reading = reading_of_levels(values, std::iter::once((&level.labels[..], known)));
            (reading, hides(job, domain, std::slice::from_ref(level)))
        }
        Place::Cells { kind: "cells", .. } => (literal, false),
        // A node of the hierarchy where some are missing.
        Place::Cells { kind: "group-ranges", level, .. }
            if quasi.reading != LabelReading::Names || !shows_nodes(level, values) =>
        {
            (literal, quasi.hides_missing)
        }
        _ => (quasi.reading, quasi.hides_missing),
    }
}

/// `[first to last]`, as the program writes ranges.
pub fn is_range(label: &str) -> bool {
    label.starts_with('[') && label.contains(" to ")
}

/// Whether a level has other labels than values, ranges that the program wrote, and `*`.
fn shows_nodes(level: &GeneralizedLevel, values: &[Box<str>]) -> bool {
    let values: HashSet<&str> = values.iter().map(|value| &**value).collect();
    level.labels.iter().any(|label| &**label != "*" && !is_range(label) && !values.contains(&**label))
}

/// Whether levels above the values hide missing ones.
pub fn hides(job: &Job, domain: &Domain, levels: &[GeneralizedLevel]) -> bool {
    let markers = markers(job);
    hides_missing(domain, &markers, levels.iter().map(|own| (&own.labels[..], own.node_of_code.as_slice())))
}

/// The cells that stand for a missing value.
pub fn markers(job: &Job) -> Vec<String> {
    // A job whose options cannot be read was refused before anything was read.
    job.input.options().map(|own| own.missing).unwrap_or_default()
}

/// The same, where readers must be told: all take an empty cell for one.
pub fn told_markers(job: &Job) -> Option<Vec<String>> {
    Some(markers(job)).filter(|own| own.as_slice() != [""])
}
