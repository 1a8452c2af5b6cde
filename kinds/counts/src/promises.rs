//! What every view of a job must keep (survey ME-14): the promises of `[privacy]`, and those of its own `[views.privacy]`.
//!
//! A promise of its own takes the place of the one in `[privacy]` of the same model about the same column, be it stronger
//! or weaker; all others of `[privacy]` stay, where the view could break them. What all views tell together is judged
//! for the least k that any of them promises (`views.rs`): that one shows groups of so few by itself.

use privet_criteria::{CriterionError, Requirement};
use privet_recode::lattice::SearchError;

use privet_microdata::counts::promises::{holds, own, wrong_in_view};

use super::ViewSection;
use crate::error::{JobError, RunError};
use crate::job::Job;
use crate::load::Loaded;

/// What must hold where.
pub(super) struct Promised {
    /// All different promises.
    pub requirements: Vec<Requirement>,
    /// Per view the positions of its promises, and whether each is its own.
    pub of_view: Vec<Vec<(usize, bool)>>,
}

impl Promised {
    /// Puts the promises of a job together.
    pub fn new(job: &Job, loaded: &Loaded) -> Result<Self, RunError> {
        let names: Vec<&str> = loaded
            .sensitive
            .iter()
            .map(|sensitive| loaded.input.table.columns[sensitive.position].name.as_str())
            .collect();
        let own = own(job, &names)?;
        let mut promised = Self { requirements: Vec::new(), of_view: Vec::new() };
        for (view, own) in job.views.iter().zip(&own) {
            let is_replaced = |common: &&Requirement| {
                own.iter().any(|own| own.key() == common.key() && own.column() == common.column())
            };
            let common = loaded.requirements.iter().filter(|common| bears_on(common, view));
            let common = common.filter(|common| !is_replaced(common)).map(|common| (common, false));
            let all: Vec<(&Requirement, bool)> = common.chain(own.iter().map(|own| (own, true))).collect();
            let positions = all.into_iter().map(|(requirement, is_own)| {
                let known = promised.requirements.iter().position(|known| known == requirement);
                let position = known.unwrap_or_else(|| {
                    promised.requirements.push(requirement.clone());
                    promised.requirements.len() - 1
                });
                (position, is_own)
            });
            let positions: Vec<(usize, bool)> = positions.collect();
            promised.of_view.push(positions);
        }
        if let Some(number) = promised.of_view.iter().position(Vec::is_empty) {
            let problem = format!(
                "promises nothing of view {}; add k-anonymity there, or a [views.privacy] to that view",
                number + 1
            );
            return Err(JobError::key("privacy", problem).into());
        }
        Ok(promised)
    }

    /// Names the view whose own promise cannot be kept of this table, if there is one; `is_wrong` tells what is wrong with
    /// a promise by itself.
    pub fn blame(
        &self,
        error: RunError,
        is_wrong: impl Fn(&Requirement) -> Option<CriterionError>,
    ) -> RunError {
        for (promised, number) in self.of_view.iter().zip(1..) {
            let own = promised.iter().filter(|(_, is_own)| *is_own);
            if let Some(wrong) = own.filter_map(|&(at, _)| is_wrong(&self.requirements[at])).next() {
                return wrong_in_view(number, &wrong).into();
            }
        }
        error
    }

    /// Names the view that no levels make safe, counted from 0.
    pub fn refuse(&self, view: usize, error: SearchError) -> RunError {
        let SearchError::NoSafeNode { failing, criteria, .. } = error else { return error.into() };
        let is_own = |&&(at, is_own): &&(usize, bool)| {
            let key = format!("{}:", self.requirements[at].key());
            is_own && criteria.iter().any(|fails| fails.starts_with(&key))
        };
        let section = match self.of_view.get(view).and_then(|promised| promised.iter().find(is_own)) {
            Some(_) => "[views.privacy] of that view",
            None => "[privacy]",
        };
        RunError::View { view: view + 1, failing, criteria, section }
    }
}

/// Whether a view can break a requirement.
fn bears_on(requirement: &Requirement, view: &ViewSection) -> bool {
    requirement.column().is_none_or(|name| holds(view, name))
}
