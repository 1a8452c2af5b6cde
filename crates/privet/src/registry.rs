//! The kinds of release: one line each.

use std::path::Path;

use privet_kind::{JobFile, Kind, KindError};

/// Every kind on the seam.
pub const KINDS: &[&dyn Kind] = &[
    &privet_condensed::CondensedKind,
    &privet_graph::GraphKind,
    &privet_model::Model,
    &privet_ratings::RatingsKind,
    &privet_sample::Sample,
    &privet_series::Series,
    &privet_sets::Sets,
    &privet_tables::Tables,
    &privet_traces::TracesKind,
];

/// The kind of this id.
pub fn kind(id: &str) -> Option<&'static dyn Kind> {
    KINDS.iter().copied().find(|kind| kind.id() == id)
}

/// Reads a job file for any kind. A job that names no kind is read by the kind that adopts it; where none does, it is about records and its
/// kind is `None`.
///
/// # Errors
/// When the file is not TOML, a setting has no key, or a job says what the kind that adopts it cannot do.
pub fn read_job(path: &Path, settings: &[String]) -> Result<JobFile, KindError> {
    let job = JobFile::read(path, settings)?;
    if job.kind().is_some() {
        return Ok(job);
    }
    for kind in KINDS {
        if let Some(adopted) = kind.adopt(&job)? {
            return Ok(adopted);
        }
    }
    Ok(job)
}

/// The kind of this id, or an error that lists those there are.
pub(crate) fn required(id: &str) -> Result<&'static dyn Kind, KindError> {
    kind(id).ok_or_else(|| {
        let accepted: Vec<&str> = KINDS.iter().map(|kind| kind.id()).collect();
        let accepted = accepted.join("`, `");
        KindError::key(
            "kind",
            format!("names an unknown kind of release; accepted: `{accepted}`, or no kind for records"),
        )
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_has_a_referee_and_words_of_its_own() {
        for kind in KINDS {
            assert!(
                privet_referee::REFEREES.iter().any(|referee| referee.kind() == kind.id()),
                "`{}` has no referee",
                kind.id()
            );
            let attacks: BTreeSet<&str> = kind.attacks().iter().map(|attack| attack.info().id).collect();
            assert_eq!(attacks.len(), kind.attacks().len(), "two attacks of `{}` have one id", kind.id());
            let measures: BTreeSet<&str> = kind.measures().iter().map(|own| own.info().id).collect();
            assert_eq!(measures.len(), kind.measures().len(), "two measures of `{}` have one id", kind.id());
            for section in kind.sections() {
                // The keys of [input] differ from kind to kind; the other sections are the same for all.
                assert!(!["kind", "output", "adversary"].contains(&section.name));
            }
        }
        let ids: BTreeSet<&str> = KINDS.iter().map(|kind| kind.id()).collect();
        assert_eq!(ids.len(), KINDS.len());
    }
}
