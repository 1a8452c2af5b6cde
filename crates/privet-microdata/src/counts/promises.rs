//! What every view of a job must keep (survey ME-14): the promises of `[privacy]`, and those of its own `[views.privacy]`.
//!
//! A promise of its own takes the place of the one in `[privacy]` of the same model about the same column, be it stronger
//! or weaker; all others of `[privacy]` stay, where the view could break them.

use std::path::PathBuf;

use privet_criteria::{CriterionError, Requirement, resolve};

use super::ViewSection;
use crate::error::JobError;
use crate::job::Job;

/// What is wrong with a promise of a view's own. Views are counted from 1.
pub fn wrong_in_view(number: usize, error: &CriterionError) -> JobError {
    JobError::key("views.privacy", format!("of view {number}: {}: {}", error.key, error.problem))
}

/// The promises of each view's own, with their columns. A column that is left out is the one sensitive column of the
/// view.
pub fn own(job: &Job, sensitive: &[&str]) -> Result<Vec<Vec<Requirement>>, JobError> {
    let of_view = |(number, view): (usize, &ViewSection)| {
        let held: Vec<&str> = sensitive.iter().copied().filter(|name| holds(view, name)).collect();
        let elsewhere = |own: &&Requirement| {
            own.column().is_some_and(|name| sensitive.contains(&name) && !held.contains(&name))
        };
        if let Some(own) = view.privacy.iter().find(elsewhere) {
            let problem = "its column is none of the view's; add it to the columns of the view, or leave the promise out";
            let error = CriterionError { key: own.key().to_owned(), problem: problem.to_owned() };
            return Err(wrong_in_view(number + 1, &error));
        }
        resolve(&view.privacy, &held).map_err(|error| wrong_in_view(number + 1, &error))
    };
    let own: Vec<Vec<Requirement>> = job.views.iter().enumerate().map(of_view).collect::<Result<_, _>>()?;
    one_hierarchy(job, &own)?;
    Ok(own)
}

/// A sensitive column has one hierarchy, whoever measures by it.
fn one_hierarchy(job: &Job, own: &[Vec<Requirement>]) -> Result<(), JobError> {
    let mut named: Vec<(&str, &PathBuf)> = Vec::new();
    let common = job.privacy.iter().map(|common| (0, common));
    let of_views = own.iter().zip(1..).flat_map(|(own, number)| own.iter().map(move |own| (number, own)));
    for (number, requirement) in common.chain(of_views) {
        let Requirement::TCloseness { hierarchy: Some(path), column: Some(column), .. } = requirement else {
            continue;
        };
        match named.iter().find(|(name, _)| name == column) {
            Some((_, other)) if *other != path => {
                let (section, of) = match number {
                    0 => ("privacy", String::new()),
                    _ => ("views.privacy", format!("of view {number} ")),
                };
                let problem =
                    format!("{of}gives {column} another hierarchy than elsewhere; there may be one only");
                return Err(JobError::key(section, problem));
            }
            _ => named.push((column, path)),
        }
    }
    Ok(())
}

/// Whether a view shows a column.
pub fn holds(view: &ViewSection, name: &str) -> bool {
    view.columns.iter().any(|column| column == name)
}
