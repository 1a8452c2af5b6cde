//! The owner's folder: what measuring and attacking found, and what else could have been published.
//!
//! It is never inside the release. It compares with the original, so it is for whoever may see the original anyway.

use std::path::Path;

use privet_data::Progress;
use privet_recode::lattice::{Problem, Quasi};
use privet_release::{Manifest, Published};
use privet_report::{Assessment, CandidatePoint, Facts};

use super::original::{JobAt, Original};
use super::places::{Written, spare};
use super::{measure, write};
use crate::chosen::Place;
use crate::error::{JobError, RunError};
use crate::history;
use crate::overwrite::{real, spare_inputs};
use crate::recoding::{self, Recoding};
use crate::run::Candidate;

/// More points than this are no picture.
const MOST_POINTS: usize = 2000;

/// What the folder holds.
const FILES: [(&str, Written); 4] = [
    ("risk.csv", Written::Risks),
    ("report.html", Written::Page),
    ("report.json", Written::Facts),
    (recoding::FILE, Written::Recoding),
];

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

/// Makes the folder, after [`check`]: it goes again with what is returned, unless something was put into it.
pub(crate) fn begin(home: &Path, release: &Path, input: &Path) -> Result<write::Staged, RunError> {
    check(home, release)?;
    FILES.iter().try_for_each(|(name, _)| spare_inputs(&home.join(name), [input]))?;
    write::Staged::in_folder(home)
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
        class: candidate.job.search.class.as_slice(),
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
    if let Some(recoding) = Recoding::of(candidate, home, base) {
        files.write(&home.join(recoding::FILE), recoding.to_json()?.as_bytes())?;
    }
    if let Some((path, text)) = history::remembered(candidate, manifest, base)? {
        files.write(&path, text.as_bytes())?;
    }
    Ok(files)
}

/// Per column and level the loss of a record, on average, times the share of the column in the weights of all: summed over
/// columns it is what the metric `loss` is before any record is suppressed.
fn losses(own: &Problem<'_>) -> Vec<Vec<f64>> {
    let rows = own.rows.max(1) as f64;
    let weights: f64 = own.quasi.iter().map(|quasi| quasi.weight).sum();
    let of_column = |quasi: &Quasi<'_>| {
        let share = if weights > 0.0 { quasi.weight / weights } else { 0.0 };
        let of = |level: usize| {
            let each =
                |(code, &count): (usize, &u64)| count as f64 * quasi.generalization.loss(level, code as u32);
            quasi.counts.iter().enumerate().map(each).sum::<f64>() / rows * share
        };
        (0..quasi.generalization.levels.len()).map(of).collect()
    };
    own.quasi.iter().map(of_column).collect()
}

/// The candidates that the search looked at, with what they cost and what they risk.
fn candidates(candidate: &Candidate<'_>, manifest: &Manifest) -> Vec<CandidatePoint> {
    let own = candidate.own;
    let rows = own.rows.max(1) as f64;
    let losses = losses(own);
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

#[cfg(test)]
mod tests {
    use privet_data::{Domain, Hierarchy};
    use privet_measure::{Metric, Objective, QuasiColumn};

    use super::*;

    /// What the curve shows of a candidate is what the search's own metric says of it, with weights too.
    #[test]
    fn the_curve_weighs_columns_as_the_metric_does() {
        let text = |own: &[&str]| own.iter().map(|own| Box::from(*own)).collect::<Vec<Box<str>>>();
        let leaves = text(&["20", "21", "22", "23"]);
        let (domain, _) = Domain::canonical(leaves.clone(), |_| false);
        let levels = vec![text(&["a", "a", "b", "b"]), text(&["*"; 4])];
        let own = Hierarchy::new(leaves, levels).unwrap().bind(&domain).unwrap();
        let codes = [0, 0, 1, 2, 3, 3];
        let counts = [2, 1, 1, 2];
        let column = |weight: f64| Quasi {
            codes: &codes,
            counts: &counts,
            generalization: &own,
            numbers: None,
            weight,
            population: None,
        };
        let problem = Problem {
            rows: 6,
            quasi: vec![column(3.0), column(1.0)],
            sensitive: Vec::new(),
            label: None,
            criteria: &[],
            metric: Metric::Loss,
            suppress_at_most: 0,
        };
        let columns: Vec<QuasiColumn<'_>> = problem
            .quasi
            .iter()
            .map(|own| QuasiColumn {
                generalization: own.generalization,
                counts: own.counts,
                weight: own.weight,
            })
            .collect();
        let objective = Objective::new(Metric::Loss, &columns, 6, 0.0).unwrap();
        let losses = losses(&problem);
        for levels in [[0, 0], [0, 2], [2, 0], [1, 2], [2, 2]] {
            let shown: f64 = losses.iter().zip(levels).map(|(own, level)| own[level]).sum();
            let metric = objective.evaluate(&columns, &levels, std::iter::empty());
            assert!((shown - metric).abs() < 1e-12, "{levels:?}: {shown} and {metric}");
        }
        // By hand: three quarters of everything, and nothing of the rest.
        assert!((losses[0][2] - 0.75).abs() < 1e-12 && losses[1][0] == 0.0);
    }
}
