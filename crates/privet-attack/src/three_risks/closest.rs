//! Membership by the distance to the closest record: whether published records stand nearer to the people whom they were made
//! from than to others (survey AT-31, for any table).
//!
//! The distance from which somebody is taken for a member is chosen on one half of the people and of the control, and the
//! other half is judged by it: chosen and judged on the same people, the best of many distances would look like an advantage
//! where there is none.

use rayon::prelude::*;

use super::distance::Whose;
use super::{Beside, Effort, Nearest, sample};
use crate::membership::distinguishing;
use crate::rate::Rate;

/// How well nearness tells who is in the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// The share of members who are taken for members.
    pub members: Rate,
    /// The share of others who are.
    pub strangers: Rate,
    /// The probability that a member is nearer than somebody else.
    pub auc: f64,
}

impl Closest {
    /// By how much the one share exceeds the other; at least 0.
    pub fn advantage(&self) -> f64 {
        (self.members.rate - self.strangers.rate).max(0.0)
    }
}

/// Judges by the columns that the control has; `None` when there is no control, or too few people to choose and to judge.
pub fn closest(beside: &Beside<'_>, effort: Effort) -> Option<Closest> {
    let columns: Vec<usize> = (0..beside.columns.len())
        .filter(|&at| beside.columns.get(at).is_some_and(|own| own.control.is_some()))
        .collect();
    let strangers = beside.strangers_with(&columns).filter(|own| *own >= 2 && !columns.is_empty())?;
    if beside.people < 2 || beside.records == 0 {
        return None;
    }
    let nearest = Nearest::new(beside, &columns);
    let scores = |whose: Whose, of: usize, stream: u64| -> Vec<f64> {
        let targets = sample(of, effort.attacks, effort.seed, stream);
        let least = |buffers: &mut (Vec<f32>, Vec<f32>), person: &u32| {
            nearest.distances(whose, *person, &mut buffers.0, &mut buffers.1);
            // Distances that differ by rounding are one.
            let least = buffers.0.iter().copied().fold(f32::INFINITY, f32::min);
            -f64::from((least * 1e5).round())
        };
        targets.par_iter().map_init(Default::default, least).collect()
    };
    let (own, others) = (scores(Whose::Original, beside.people, 41), scores(Whose::Control, strangers, 42));
    let halves = |all: &[f64]| -> [Vec<f64>; 2] {
        [0, 1].map(|half| all.iter().skip(half).step_by(2).copied().collect())
    };
    let ([choose, judge], [choose_others, judge_others]) = (halves(&own), halves(&others));
    let told = |members: &[f64], strangers: &[f64]| {
        let all = [members, strangers].concat();
        let is_member: Vec<bool> = (0..all.len()).map(|at| at < members.len()).collect();
        distinguishing(&all, &is_member)
    };
    let threshold = told(&choose, &choose_others)?.threshold;
    let near =
        |all: &[f64]| Rate::new(all.iter().filter(|own| **own >= threshold).count() as u64, all.len() as u64);
    Some(Closest { members: near(&judge), strangers: near(&judge_others), auc: told(&own, &others)?.auc })
}
