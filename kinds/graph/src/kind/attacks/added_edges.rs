//! The attack `added-edges`: edges that were made up are told from real ones by their plausibility.

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};

use super::view::published;
use crate::attack::{Plausibility, plausibility};

pub(super) struct AddedEdges;

static INFO: AttackInfo = AttackInfo {
    id: "added-edges",
    title: "Made-up friendships",
    sentence: "The adversary tells edges that were added from real ones, because ends of added edges share few friends.",
    needs: &[Need::Original],
    standing: Standing::Informs,
    source: "Zhang and others 2020, Towards plausible graph anonymization",
};

impl Attack for AddedEdges {
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
        let release = published(release)?;
        let (graph, truth, original) =
            release.with_people(super::original(original), known.seed, progress)?;
        let (graph, people) = (super::flat(&graph), super::flat(&original.network.graph));
        let mut best = None;
        for by in Plausibility::ALL {
            let found = plausibility(&people, &graph, &truth, by, known.seed, progress)?;
            let found = found.ok_or_else(|| Reason::Nothing { what: "edge that was added".to_owned() })?;
            if best.is_none_or(|best: crate::attack::PlausibilityScore| found.area > best.area) {
                best = Some(found);
            }
        }
        let best = best.ok_or_else(|| Reason::Nothing { what: "edge that was added".to_owned() })?;
        let named = best.named;
        let mut finding = Finding::new(&INFO, Share::new(named.claimed, named.targets));
        finding.right = Some(super::share(named.right, named.targets));
        let all = (best.real + best.added).max(1) as f64;
        finding.control = Some(super::share(best.added as f64 * best.added as f64 / all, best.added));
        let text = format!(
            "The area under the ROC curve is {:.3}, and {:.3} for a score by lot. As many edges are called added as were.",
            best.area, best.control
        );
        finding.notes.push(Note::of_original(text));
        Ok(vec![finding])
    }
}
