//! `countermeasure = "p-safe"` as a job asks for it: what it guarantees, and what it does not go with.

use privet_criteria::Requirement;
use privet_data::Role;
use privet_recode::lattice::Options;

use super::KEY;
use crate::error::JobError;
use crate::job::Job;

/// What is guaranteed of what is published.
pub const GUARANTEE: &str = "The promises hold of the published groups, and also of what is left to believe of each person when all \
    originals are gone through for which just this would have been published. It is the first such choice of levels in the order of the metric; \
    better ones may have been passed over, because publishing them would have told more.";

/// An error about the key.
pub fn refused(problem: impl AsRef<str>) -> JobError {
    JobError::key(KEY, format!("= \"p-safe\" {}", problem.as_ref()))
}

/// Refuses what cannot be searched in this way.
pub fn check(job: &Job) -> Result<(), JobError> {
    let search = &job.search;
    if !search.is::<Options>() {
        return Err(refused(format!(
            "tries choices of levels from the best to the coarsest, which algorithm = \"{}\" does not list; set algorithm = \"optimal\" in \
             [search], or leave it out",
            search.word()
        )));
    }
    if search.minimal_nodes {
        return Err(refused(
            "does not go with search.minimal-nodes, which would publish for which choices of levels the promises hold; leave one of them out",
        ));
    }
    if search.class.is_some() {
        return Err(refused(
            "needs an order of candidates that depends on identifying columns alone, and search.class names another column; leave it out",
        ));
    }
    match job.with_role(Role::Sensitive).count() {
        1 => {}
        columns => {
            return Err(refused(format!(
                "protects one sensitive column, and the job has {columns}; give one column role = \"sensitive\", and publish others in \
                 a release of their own or not at all"
            )));
        }
    }
    if let Some(requirement) = job.privacy.iter().find(|own| !is_counted(own) && !is_of_beliefs(own)) {
        let what = match requirement {
            Requirement::PSensitivity { .. } => {
                "p-sensitivity with `alpha`, which weighs the records of a group"
            }
            _ => "a promise about what those know who know more than the release",
        };
        return Err(refused(format!(
            "cannot judge `privacy.{}` of what is believed of one person ({what}); promise l-diversity, alpha-k, t-closeness or another \
             model of how often values occur",
            requirement.key()
        )));
    }
    if !job.privacy.iter().any(is_of_beliefs) {
        return Err(refused(
            "keeps promises about a sensitive column, and [privacy] has none; add one, such as l-diversity, or leave it out",
        ));
    }
    let adversary = &job.adversary;
    if adversary.is_limited() && (adversary.attacks.is_some() || adversary.knowledge.is_some()) {
        return Err(refused(
            "does not go with adversary.max-risk together with adversary.attacks or adversary.knowledge: whether anything is handed over \
             would depend on who is found out, and so tell something; leave max-risk out, or attack the release with `privet attack`",
        ));
    }
    Ok(())
}

/// Whether a promise is kept by counting records and people, whatever their sensitive values.
pub fn is_counted(requirement: &Requirement) -> bool {
    !requirement.takes_column()
}

/// Whether a promise can be judged of what is believed of one person.
pub fn is_of_beliefs(requirement: &Requirement) -> bool {
    match requirement {
        Requirement::AlphaK { .. }
        | Requirement::LDiversity { .. }
        | Requirement::TCloseness { .. }
        | Requirement::ConceptDiversity { .. }
        | Requirement::ProximityDiversity { .. }
        | Requirement::BetaLikeness { .. }
        | Requirement::DeltaDisclosure { .. } => true,
        Requirement::PSensitivity { alpha, .. } => alpha.is_none(),
        Requirement::KAnonymity { .. }
        | Requirement::KMap { .. }
        | Requirement::DeltaPresence { .. }
        | Requirement::ThreeD { .. }
        | Requirement::CKSafety { .. } => false,
    }
}
