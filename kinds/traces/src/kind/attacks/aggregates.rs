//! Recovery of traces from counts (Xu et al. 2017): positions without pseudonyms become traces again.

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, KindError, Knowledge, Note, Reason, Share, Standing, Unmade, Views,
};

use super::super::make::unit_of;
use super::super::view::{Form, PublishedTraces, published};
use super::scored;
use crate::attack::{MOST_ASSIGNED, recover_traces, score_recovery};
use crate::{Position, Unit};

pub(super) struct Aggregates;

static INFO: AttackInfo = AttackInfo {
    id: "aggregates",
    title: "Traces from counts",
    sentence: "The adversary joins positions of one span to those of the next so that all together move as little as possible.",
    needs: &[],
    standing: Standing::Informs,
    source: "Xu et al. 2017",
};

/// Per span the positions and the numbers of their records.
fn spans(release: &PublishedTraces) -> Result<Vec<Vec<(Position, u32)>>, Unmade> {
    let mut all: Vec<(i64, Position, u32)> = match &release.form {
        Form::Regions { records, .. } => {
            let of = |(own, number): (&super::super::files::RegionRecord, u32)| {
                (own.window, own.region.centre(), number)
            };
            records.iter().zip(0..).map(of).collect()
        }
        Form::Visits { records, tiling, .. } if unit_of(&release.method) == Some(Unit::Position) => {
            let visits =
                records.iter().zip(0u32..).filter_map(|(own, number)| Some((own.0.first()?, number)));
            let of = |(visit, number): (&crate::Visit, u32)| {
                Some((visit.window, tiling.centre(&release.plane, visit.cell, visit.level)?, number))
            };
            visits.filter_map(of).collect()
        }
        _ => return Err(Reason::Nothing { what: "position without a pseudonym".to_owned() }.into()),
    };
    all.sort_unstable();
    Ok(all.chunk_by(|a, b| a.0 == b.0).map(|run| run.iter().map(|own| (own.1, own.2)).collect()).collect())
}

impl Attack for Aggregates {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        _: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let release = published(release)?;
        let spans = spans(release)?;
        if spans.iter().any(|own| own.len() > MOST_ASSIGNED) {
            let what = "The number of positions in a span".to_owned();
            return Err(Reason::TooLarge { what, most: MOST_ASSIGNED as u64 }.into());
        }
        let times: Vec<Vec<Position>> =
            spans.iter().map(|own| own.iter().map(|own| own.0).collect()).collect();
        progress.check()?;
        let recovered = recover_traces(&times).map_err(KindError::from)?;
        let steps: u64 = recovered.iter().map(|own| own.len().saturating_sub(1) as u64).sum();
        if steps == 0 {
            return Err(Reason::Nothing { what: "step from one span to the next".to_owned() }.into());
        }
        let mut finding = Finding::new(&INFO, Share::new(steps, steps));
        let count: usize = spans.iter().map(Vec::len).sum();
        if let Some((_, who)) = scored(original, count) {
            let truth: Vec<Vec<u32>> =
                spans.iter().map(|own| own.iter().map(|own| who[own.1 as usize]).collect()).collect();
            let (hits, of) = score_recovery(&recovered, &truth);
            finding.right = Some(Share::new(hits, of));
            // By chance: the expected number of pairs of the same person when everybody is joined at random.
            let expected: f64 = truth
                .windows(2)
                .map(|pair| {
                    let same = pair[0].iter().filter(|own| pair[1].contains(own)).count() as f64;
                    same * recovered.len() as f64 / (pair[0].len() * pair[1].len()) as f64
                })
                .sum();
            finding.control = Some(Share::new(expected.ceil() as u64, of));
        }
        let text = "Counts steps from one span to the next; the adversary has a guess for each.";
        finding.notes.push(Note::of_release(text));
        Ok(vec![finding])
    }
}
