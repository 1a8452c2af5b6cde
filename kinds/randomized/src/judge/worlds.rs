//! The semantic framework on lists: possible worlds, sensitive statements, adversaries, and a mechanism (survey PM-36).
//!
//! # Guarantee
//! Exact, up to rounding, for the worlds, statements and adversaries of the file: every adversary's belief in every
//! statement after every output. It says nothing of other worlds or adversaries.

use std::collections::BTreeMap;

use privet_perturb::PerturbationMatrix;
use privet_perturb::semantic::{Belief, Predicate, Setting};
use serde::{Deserialize, Serialize};

use super::file::each_once;
use super::{JudgeOptions, Judgement, ROUNDING, Required, failed, figures};
use crate::error::{JobError, RunError};

/// The section `worlds` of a file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WorldsSection {
    /// The possible inputs, by name.
    pub names: Vec<String>,
    /// What can be published, by name; by number when left out.
    #[serde(default)]
    pub outputs: Vec<String>,
    /// Row w, column v: the probability that world w is published as v.
    pub mechanism: Vec<Vec<f64>>,
    /// Sensitive statements: in which worlds each holds.
    pub statements: BTreeMap<String, Vec<String>>,
    /// Adversaries: how likely each world is to each, in probabilities that sum to 1; one to whom all are equally likely
    /// when left out.
    #[serde(default)]
    pub adversaries: BTreeMap<String, Vec<f64>>,
}

/// What adversaries come to believe.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorldsJudged {
    /// Worlds, statements, adversaries.
    pub worlds: u64,
    /// The belief that rose most, for each statement and adversary.
    pub beliefs: Vec<BeliefJudged>,
    /// The most by which odds changed, up or down; absent when a statement became certain or impossible.
    pub gamma: Option<f64>,
}

/// A belief before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BeliefJudged {
    /// The statement.
    pub statement: String,
    /// The adversary.
    pub adversary: String,
    /// The output after which it is believed most.
    pub output: String,
    /// Before.
    pub prior: f64,
    /// Afterwards.
    pub posterior: f64,
}

/// Judges worlds.
pub(super) fn judge(
    section: &WorldsSection,
    options: &JudgeOptions,
    found: &mut Judgement,
) -> Result<(), RunError> {
    let worlds: Vec<usize> = (0..section.names.len()).collect();
    let width = section.mechanism.first().map_or(0, Vec::len);
    if section.mechanism.len() != worlds.len() || section.mechanism.iter().any(|row| row.len() != width) {
        let problem = "must have a row for each of `names`, all of the same length";
        return Err(JobError::key("worlds.mechanism", problem).into());
    }
    if !section.outputs.is_empty() && section.outputs.len() != width {
        return Err(JobError::key("worlds.outputs", "must name each column of `mechanism`").into());
    }
    each_once("worlds.names", &section.names)?;
    each_once("worlds.outputs", &section.outputs)?;
    for (name, own) in &section.adversaries {
        // What does not sum to 1 is a slip, and beliefs that nobody wrote down would be judged in its place.
        let is_whole = (own.iter().sum::<f64>() - 1.0).abs() <= ROUNDING;
        if own.len() != worlds.len() || !is_whole {
            let key = format!("worlds.adversaries.{name}");
            let problem = "must have a probability for each of `names`, which sum to 1";
            return Err(JobError::key(key, problem).into());
        }
    }
    if section.statements.is_empty() {
        return Err(JobError::key("worlds.statements", "must name at least one sensitive statement").into());
    }
    let mechanism = PerturbationMatrix::new(width, section.mechanism.concat()).map_err(failed)?;
    let mut holds = Vec::new();
    for (name, of) in &section.statements {
        if of.iter().any(|world| !section.names.contains(world)) {
            let key = format!("worlds.statements.{name}");
            return Err(JobError::key(key, "names a world that is not under `names`").into());
        }
        let own: Vec<bool> = section.names.iter().map(|world| of.contains(world)).collect();
        holds.push(own);
    }
    let tests: Vec<Box<Predicate<'_, usize>>> = holds
        .iter()
        .map(|own| Box::new(move |world: &usize| own.get(*world).copied().unwrap_or(false)) as _)
        .collect();
    let predicates: Vec<&Predicate<'_, usize>> = tests.iter().map(|own| &**own).collect();
    let (names, adversaries): (Vec<String>, Vec<Vec<f64>>) = match section.adversaries.is_empty() {
        true => (vec!["everything equally likely".to_owned()], vec![vec![1.0; worlds.len()]]),
        false => section.adversaries.iter().map(|(name, own)| (name.clone(), own.clone())).unzip(),
    };
    let setting = Setting {
        worlds: &worlds,
        mechanism: &mechanism,
        predicates: &predicates,
        adversaries: &adversaries,
    };
    let beliefs = setting.beliefs().map_err(failed)?;
    let gamma = beliefs.iter().map(change).fold(1.0, f64::max);
    if let Some(most) = options.gamma {
        found.required.push(Required::new(
            format!("odds of these statements change by a factor of at most {most} for these adversaries"),
            gamma <= most * (1.0 + 1e-9),
            match gamma.is_finite() {
                true => format!("a factor of {}", figures(gamma)),
                false => "a statement becomes certain or impossible".to_owned(),
            },
        ));
    }
    if let Some((alpha, beta)) = options.breach {
        // Rounding is taken on the safe side.
        let is_breach = |own: &&Belief| {
            let rises = own.prior <= alpha + 1e-12 && own.posterior >= beta - 1e-12;
            rises || own.prior >= beta - 1e-12 && own.posterior <= alpha + 1e-12
        };
        let many = beliefs.iter().filter(is_breach).count();
        found.required.push(Required::new(
            format!("no belief of at most {alpha} becomes one of {beta} or more, nor the other way round"),
            many == 0,
            format!("{many} of {} beliefs do", beliefs.len()),
        ));
    }
    let mut worst: BTreeMap<(usize, usize), Belief> = BTreeMap::new();
    for belief in beliefs {
        let own = worst.entry((belief.predicate, belief.adversary)).or_insert(belief);
        if belief.posterior > own.posterior {
            *own = belief;
        }
    }
    let statements: Vec<&String> = section.statements.keys().collect();
    let told = |own: &Belief| BeliefJudged {
        statement: statements.get(own.predicate).map_or_else(String::new, |name| (*name).clone()),
        adversary: names.get(own.adversary).cloned().unwrap_or_default(),
        output: section.outputs.get(own.output).cloned().unwrap_or_else(|| (own.output + 1).to_string()),
        prior: own.prior,
        posterior: own.posterior,
    };
    found.worlds = Some(WorldsJudged {
        worlds: worlds.len() as u64,
        beliefs: worst.values().map(told).collect(),
        gamma: gamma.is_finite().then_some(gamma),
    });
    Ok(())
}

/// By how much odds change, up or down.
fn change(own: &Belief) -> f64 {
    // What was certain before stays so, and odds do not change.
    if own.prior <= 0.0 || own.prior >= 1.0 {
        return 1.0;
    }
    let odds = |p: f64| p / (1.0 - p);
    let (before, after) = (odds(own.prior), odds(own.posterior));
    if after <= 0.0 || !after.is_finite() { f64::INFINITY } else { (after / before).max(before / after) }
}
