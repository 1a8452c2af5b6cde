//! The owner's folder: what measuring and attacking found, and what else could have been published.
//!
//! It is never inside the release. It compares with the original, so it is for whoever may see the original anyway.

use std::path::{Component, Path, PathBuf};

use privet_data::Progress;
use privet_release::{Manifest, Published};
use privet_report::{Assessment, CandidatePoint, Facts};

use super::original::{JobAt, Original};
use super::places::{Written, spare};
use super::{measure, write};
use crate::chosen::Place;
use crate::error::{JobError, RunError};
use crate::run::Candidate;

/// More points than this are no picture.
const MOST_POINTS: usize = 2000;

/// What the folder holds.
const FILES: [(&str, Written); 3] =
    [("risk.csv", Written::Risks), ("report.html", Written::Page), ("report.json", Written::Facts)];

/// The owner's folder must not be handed over by accident, and holds nothing else under the names of its files.
pub(crate) fn check(home: &Path, release: &Path) -> Result<(), JobError> {
    let (home, release) = (real(home), real(release));
    if home.starts_with(&release) || release.starts_with(&home) {
        return Err(JobError::key(
            "output.home",
            "must lie outside the release folder, and the release outside of it: it is for the owner alone",
        ));
    }
    for (name, what) in FILES {
        spare(&home.join(name), what)?;
    }
    Ok(())
}

/// A release that is about to be put in place, and everything that is said about it.
pub(crate) struct Owned<'a> {
    /// The folder where it lies now.
    pub release: &'a Path,
    pub candidate: &'a Candidate<'a>,
    pub manifest: &'a Manifest,
    pub facts: &'a Facts,
    /// The folder that paths of the job are relative to.
    pub base: &'a Path,
}

/// Where a path really leads: what exists of it without links, and the rest without `..`.
pub(crate) fn real(path: &Path) -> PathBuf {
    // why: a path that cannot be made absolute is compared as it stands
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut found = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::CurDir => {}
            other => found.push(other),
        }
        // Links are followed as the system would, before a `..` behind them is.
        if let Ok(canonical) = std::fs::canonicalize(&found) {
            found = canonical;
        }
    }
    found
}

/// Measures a release and makes the files of the owner's folder. They are put in place after the release is: when anything
/// about them fails, nothing is published.
pub(crate) fn prepare(
    home: &Path,
    owned: &Owned<'_>,
    mut assessment: Assessment,
    progress: &dyn Progress,
) -> Result<write::Staged, RunError> {
    let Owned { release, candidate, manifest, facts, base } = *owned;
    let published =
        Published::read(release, manifest.clone(), &candidate.job.input.options()?.missing, progress)?;
    let job = JobAt { job: candidate.job, base };
    let table = candidate.loaded.true_table();
    let original = Original::of_table(table, &base.join(&candidate.job.input.path), Some(job), &published)?;
    let mut files = write::Staged::in_folder(home)?;
    let risk_file = files.part_of(&home.join("risk.csv"));
    let wanted = measure::Wanted {
        class: candidate.job.search.class.as_deref(),
        queries: 200,
        seed: candidate.job.adversary.seed,
        risk_file: Some(&risk_file),
        ..measure::Wanted::default()
    };
    assessment.utility = Some(measure::utility(&original, &published, &wanted, progress)?);
    assessment.risk = Some(measure::risk(&original, &published, &wanted, progress)?);
    assessment.candidates = candidates(candidate, manifest);
    let page = privet_report::owner_html(manifest, facts, &assessment);
    files.write(&home.join("report.html"), page.as_bytes())?;
    let json = privet_report::owner_json(manifest, facts, &assessment);
    let text = serde_json::to_string_pretty(&json)
        .map_err(|error| JobError::new(format!("cannot be written: {error}")).at(home))?;
    files.write(&home.join("report.json"), text.as_bytes())?;
    Ok(files)
}

/// The candidates that the search looked at, with what they cost and what they risk.
fn candidates(candidate: &Candidate<'_>, manifest: &Manifest) -> Vec<CandidatePoint> {
    let own = candidate.own;
    let rows = own.rows.max(1) as f64;
    // Per column and level the loss of a record, on average.
    let losses: Vec<Vec<f64>> = own
        .quasi
        .iter()
        .map(|quasi| {
            let of = |level: usize| {
                let each = |(code, &count): (usize, &u64)| {
                    count as f64 * quasi.generalization.loss(level, code as u32)
                };
                quasi.counts.iter().enumerate().map(each).sum::<f64>() / rows
            };
            (0..quasi.generalization.levels.len()).map(of).collect()
        })
        .collect();
    let chosen: Option<Vec<usize>> = candidate
        .chosen
        .places
        .iter()
        .map(|place| match place {
            Place::Level(level) => Some(*level),
            _ => None,
        })
        .collect();
    let points: Vec<CandidatePoint> = candidate
        .chosen
        .seen
        .iter()
        .map(|seen| {
            let suppressed = seen.suppressed as f64 / rows;
            let mean = losses.iter().zip(&seen.levels).map(|(own, &level)| own[level]).sum::<f64>();
            let mean = mean / losses.len().max(1) as f64;
            let is_chosen = chosen.as_ref() == Some(&seen.levels);
            let exact = manifest.metrics.get("loss").copied().filter(|_| is_chosen);
            CandidatePoint {
                // Suppressed records cost everything; the others are taken to lose what records lose on average.
                loss: exact.unwrap_or(mean * (1.0 - suppressed) + suppressed),
                risk: seen.classes as f64 / (rows - seen.suppressed as f64).max(1.0),
                suppressed,
                safe: seen.safe,
                chosen: is_chosen,
            }
        })
        .collect();
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    points
        .into_iter()
        .enumerate()
        .filter(|(at, point)| at % every == 0 || point.chosen)
        .map(|(_, point)| point)
        .collect()
}
