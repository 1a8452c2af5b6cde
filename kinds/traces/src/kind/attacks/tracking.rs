//! Multi-target tracking against changing pseudonyms (survey AP-17 and AP-18, FX-7.F5).

use privet_data::{Progress, Random};
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Note, Reason, Share, Standing, Unmade, Views};
use serde::Deserialize;

use super::super::view::published;
use super::scored;
use crate::attack::follow;
use crate::{Motion, Traces};

pub(super) struct Tracking;

static INFO: AttackInfo = AttackInfo {
    id: "tracking",
    title: "Tracking",
    sentence: "The adversary links the end of a trace to the trace that begins where it must have led, all at once so that nobody \
               has two continuations.",
    needs: &[],
    standing: Standing::Gate,
    source: "survey AP-17, AP-18, FX-7.F5",
};

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    motion: Motion,
    /// The longest silence between a trace and its continuation, in seconds.
    gap: i64,
}

impl Default for Section {
    fn default() -> Self {
        Self { motion: Motion::default(), gap: 1800 }
    }
}

/// The true continuation of each trace: the next of the same object.
fn continuations(traces: &Traces, who: &[u32]) -> Vec<Option<u32>> {
    let start = |own: u32| traces.points(own as usize).first().map_or(i64::MAX, |own| own.time);
    let mut order: Vec<u32> = (0..traces.len() as u32).collect();
    order.sort_by_key(|&own| (who[own as usize], start(own)));
    let mut next = vec![None; traces.len()];
    for pair in order.windows(2).filter(|pair| who[pair[0] as usize] == who[pair[1] as usize]) {
        next[pair[0] as usize] = Some(pair[1]);
    }
    next
}

impl Attack for Tracking {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let traces = published(release)?.traces()?;
        let section = known.section::<Section>(INFO.id)?.unwrap_or_default();
        let followed = follow(traces, &section.motion, section.gap);
        progress.check()?;
        if followed.successor.iter().all(Option::is_none) {
            return Err(Reason::Nothing { what: "trace that another one could continue".to_owned() }.into());
        }
        let is_sure =
            |own: &usize| followed.successor[*own].is_some() && followed.confidence[*own] >= known.confidence;
        let all = traces.len();
        let sure: Vec<usize> = (0..all).filter(is_sure).collect();
        let mut finding = Finding::new(&INFO, Share::new(sure.len() as u64, all as u64));
        if let Some((_, who)) = scored(original, all) {
            let truth = continuations(traces, who);
            let right = sure.iter().filter(|&&own| followed.successor[own] == truth[own]).count();
            finding.right = Some(Share::new(right as u64, all as u64));
            // Without positions: a trace that begins within the gap, at random.
            let mut starts: Vec<(i64, u32)> = (0..all as u32)
                .filter_map(|own| Some((traces.points(own as usize).first()?.time, own)))
                .collect();
            starts.sort_unstable();
            let mut random = Random::new(known.seed);
            let guess = |own: &&usize| {
                let Some(last) = traces.points(**own).last() else { return false };
                let from = starts.partition_point(|start| start.0 <= last.time);
                let to = starts.partition_point(|start| start.0 <= last.time + section.gap);
                to > from && Some(starts[from + random.below(to - from)].1) == truth[**own]
            };
            let by_chance = sure.iter().filter(guess).count();
            finding.control = Some(Share::new(by_chance as u64, all as u64));
            let changes = truth.iter().flatten().count();
            let found =
                (0..all).filter(|&own| truth[own].is_some() && followed.successor[own] == truth[own]).count();
            finding.notes.push(Note::of_original(format!(
                "Of {changes} true continuations the assignment finds {found}, whether it is sure or not."
            )));
        }
        finding.notes.push(Note::of_knowledge(format!(
            "Assumes a top speed of {} m/s, and continuations within {} seconds.",
            section.motion.top_speed, section.gap
        )));
        Ok(vec![finding])
    }
}
