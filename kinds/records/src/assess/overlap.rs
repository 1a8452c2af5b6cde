//! Whether the labels of what is about to be published overlap for somebody, seen from the classes at hand.
//!
//! Who fits one class only is known to be in it, and what classes tell is then all there is to tell: nothing has to be read
//! back, and nobody has to be linked to records. **Guarantee.** The answer is that of linking every record of the input to
//! the written release, read back (`gate.rs` does that where it is yes, or where this cannot tell).

use std::path::Path;

use foldhash::{HashMap, HashMapExt};
use privet_attack::link::{LinkError, People, Released, fits_several};
use privet_data::{Coverage, Domain, Progress};
use privet_release::Manifest;
use privet_release::manifest::Recoding;
use privet_release::published::{Meaning, coverage};

use super::original::{JobAt, count};
use crate::chosen::Place;
use crate::error::RunError;
use crate::publish::view_of;
use crate::run::Candidate;

/// Whether somebody of the input fits several published classes; `None` where that is to be seen from the files.
pub(super) fn somebody_fits_several(
    candidate: &Candidate<'_>,
    manifest: &Manifest,
    base: &Path,
    progress: &dyn Progress,
) -> Result<Option<bool>, RunError> {
    let shows_points = |place: &Place| matches!(place, Place::Cells { kind, .. } if matches!(*kind, "means" | "medians" | "modes"));
    if candidate.chosen.places.iter().any(shows_points) {
        return Ok(None);
    }
    progress.stage("comparing labels", None);
    let missing = candidate.job.input.options()?.missing;
    let partition = candidate.partition;
    let kept: Vec<u32> = partition
        .first
        .iter()
        .zip(&partition.kept)
        .filter(|(_, kept)| **kept)
        .map(|(&record, _)| record)
        .collect();
    let mut shown = Vec::with_capacity(candidate.loaded.quasi.len());
    for quasi in 0..candidate.loaded.quasi.len() {
        progress.check()?;
        shown.push(Shown::new(candidate, quasi, &kept, (manifest, &missing, base))?);
    }
    let table = &candidate.loaded.input.table;
    let values = candidate.loaded.quasi.iter().map(|own| &table.columns[own.position].codes[..]);
    let groups: Vec<u32> = (0..kept.len() as u32).collect();
    let released = Released {
        labels: shown.iter().map(|own| &own.labels[..]).collect(),
        coverage: shown.iter().map(|own| &own.coverage).collect(),
        groups: &groups,
    };
    let people = People { values: values.collect(), count: table.rows };
    match fits_several(&released, &people, progress) {
        Ok(several) => Ok(Some(several)),
        Err(LinkError::Cancelled) => Err(privet_data::Cancelled.into()),
        Err(_) => Ok(None),
    }
}

/// A quasi column as it will be published.
struct Shown {
    /// Per published class its label.
    labels: Vec<u32>,
    coverage: Coverage,
}

impl Shown {
    fn new(
        candidate: &Candidate<'_>,
        quasi: usize,
        kept: &[u32],
        (manifest, missing, base): (&Manifest, &[String], &Path),
    ) -> Result<Self, RunError> {
        let column = &candidate.loaded.input.table.columns[candidate.loaded.quasi[quasi].position];
        let view = view_of(candidate, quasi, column);
        let codes = view.codes.unwrap_or(&column.codes);
        let text = |code: u32| match &view.labels {
            Some(labels) => &*labels[code as usize],
            None => column.domain.text(code),
        };
        // Different codes may show the same.
        let mut number_of: HashMap<&str, u32> = HashMap::new();
        let mut texts: Vec<Box<str>> = Vec::new();
        let mut number_of_code: HashMap<u32, u32> = HashMap::new();
        let mut labels: Vec<u32> = Vec::with_capacity(kept.len());
        for &record in kept {
            let code = codes[record as usize];
            labels.push(*number_of_code.entry(code).or_insert_with(|| {
                *number_of.entry(text(code)).or_insert_with_key(|text| {
                    texts.push((*text).into());
                    texts.len() as u32 - 1
                })
            }));
        }
        drop(number_of);
        let is_missing = |text: &str| missing.iter().any(|own| own == text);
        let (domain, code_of) = Domain::canonical(texts, is_missing);
        labels.iter_mut().for_each(|label| *label = code_of[*label as usize]);
        let job = JobAt { job: candidate.job, base };
        let hierarchy =
            job.hierarchy(&column.name, &column.domain, &count(&column.codes, column.domain.len()))?;
        let own = manifest.data.columns.iter().find(|own| own.name == column.name);
        let recoding: Option<&Recoding> = own.and_then(|own| own.recoding.as_ref());
        let meaning = Meaning { hierarchy: hierarchy.as_ref(), recoding };
        Ok(Self { labels, coverage: coverage(&domain, &column.domain, meaning) })
    }
}
