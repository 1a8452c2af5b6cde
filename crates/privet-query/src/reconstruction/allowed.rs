//! What questions tell that use up all that an account allows: counts over random sets of people (survey AT-20).
//!
//! # Guarantee
//! As many of the attacked people have the secret as do not, so guessing is right for a half, and with a pure epsilon nobody can be right
//! for more than e^ε/(1 + e^ε) of them, whatever is asked. The adversary names people by public columns alone, so only people are attacked
//! whose public values nobody shares.

use privet_attack::Rate;
use privet_attack::ids;
use privet_attack::noise::BitScore;
use privet_attack::noise::linear::{Subsets, questions_for, rebuild};
use privet_data::{Progress, Random};

use super::given::unusable;
use super::{
    Allowance, AnswerSource, Known, LedgerAttackOptions, MOST_PEOPLE, QueryError, SecretAttack, cells_of,
    problem,
};

/// The fewest people for whom rebuilding means anything.
const FEWEST: usize = 8;

/// The attack on what the account allows, and on exact answers.
pub(super) fn attack(
    known: &Known<'_>,
    allowance: &Allowance,
    options: &LedgerAttackOptions,
    progress: &dyn Progress,
) -> Result<(Vec<SecretAttack>, Vec<String>), QueryError> {
    if !(FEWEST..=MOST_PEOPLE).contains(&options.people) {
        return Err(problem(format!("--targets takes a number from {FEWEST} to {MOST_PEOPLE}")));
    }
    let targets = targets(known, options);
    if targets.len() < FEWEST {
        let remark = format!(
            "Questions about random sets of people were not asked: fewer than {FEWEST} people can be named by public columns, so that half of \
             them have the secret."
        );
        return Ok((Vec::new(), vec![remark]));
    }
    let truth: Vec<bool> =
        targets.iter().map(|&row| known.truth.get(row as usize).copied().unwrap_or(false)).collect();
    let questions = questions_for(targets.len());
    let subsets = Subsets::random(targets.len(), questions, options.seed).map_err(unusable)?;
    let values: Vec<f64> = truth.iter().map(|own| f64::from(*own)).collect();
    let sums = subsets.sums(&values);
    let noise = allowance.noise(1, questions as u64)?;
    let noisy: Result<Vec<f64>, _> =
        sums.iter().map(|own| noise.add(*own as i128).map(|own| (own as f64).clamp(-1e9, 1e9))).collect();
    let mut attacks = Vec::new();
    let deviation = noise.accuracy().standard_deviation;
    for (from, answers, deviation, most) in
        [(AnswerSource::Allowed, noisy?, deviation, allowance.most()), (AnswerSource::Exact, sums, 0.0, None)]
    {
        progress.check()?;
        let found = rebuild(&subsets, &answers).map_err(unusable)?;
        let score = BitScore::of(&truth, &found.bits).map_err(unusable)?;
        let named = found.bits.iter().filter(|own| **own).count() as u64;
        let rightly = found.bits.iter().zip(&truth).filter(|(own, truth)| **own && **truth).count() as u64;
        let people = truth.len() as u64;
        attacks.push(SecretAttack {
            attack: ids::DINUR_NISSIM,
            from,
            questions: questions as u64,
            deviation: Some(deviation),
            right: Rate::new(people - score.wrong.min(people), people),
            guessing: 0.5,
            named: Rate::new(rightly, named),
            most,
        });
    }
    let remark = format!(
        "{} people were attacked, half of whom have the secret; others know their public columns, and nobody shares them.",
        truth.len()
    );
    Ok((attacks, vec![remark]))
}

/// As many with the secret as without, drawn among people with public values of their own.
fn targets(known: &Known<'_>, options: &LedgerAttackOptions) -> Vec<u32> {
    let (cell_of, cells) = cells_of(known);
    let mut sizes = vec![0u32; cells];
    for &cell in &cell_of {
        if let Some(size) = sizes.get_mut(cell as usize) {
            *size += 1;
        }
    }
    let is_alone = |row: &u32| {
        let cell = cell_of.get(*row as usize).copied().unwrap_or(u32::MAX);
        sizes.get(cell as usize) == Some(&1)
    };
    let mut alone: Vec<u32> = (0..known.table.rows as u32).filter(is_alone).collect();
    Random::new(options.seed).shuffle(&mut alone);
    let has = |row: &u32| known.truth.get(*row as usize) == Some(&true);
    let (with, without): (Vec<u32>, Vec<u32>) = alone.into_iter().partition(has);
    let half = (options.people / 2).min(with.len()).min(without.len());
    let mut chosen: Vec<u32> = with.into_iter().take(half).chain(without.into_iter().take(half)).collect();
    Random::stream(options.seed, 1).shuffle(&mut chosen);
    chosen
}
