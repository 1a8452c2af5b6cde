//! The attack `link-inference`: edges that were deleted are inferred from common friends (survey AP-08).

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};

use super::view::published;
use crate::NOBODY;
use crate::attack::infer_links;

pub(super) struct Links;

static INFO: AttackInfo = AttackInfo {
    id: "link-inference",
    title: "Deleted friendships",
    sentence: "The adversary tells friendships that are not published from pairs that are none, by friends they share.",
    needs: &[Need::Original],
    standing: Standing::Informs,
    source: "survey AP-08; Zheleva and Getoor 2007",
};

impl Attack for Links {
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
        let hidden: Vec<(u32, u32)> = people
            .edges()
            .map(|(a, b)| (truth[a as usize], truth[b as usize]))
            .filter(|&(a, b)| a != NOBODY && b != NOBODY && !graph.has_edge(a, b))
            .collect();
        let found = infer_links(&graph, &hidden, known.seed, progress)?;
        let found = found.ok_or_else(|| Reason::Nothing { what: "friendship left out".to_owned() })?;
        let area = found.common_friends.max(found.embedding);
        let mut finding = Finding::new(&INFO, Share::new(found.hidden, found.hidden));
        finding.right = Some(super::share(area * found.hidden as f64, found.hidden));
        finding.control = Some(super::share(found.degrees.max(0.5) * found.hidden as f64, found.hidden));
        finding.sampled = true;
        let text = "The share is the area under the ROC curve: how often a deleted friendship is ranked above a pair that is \
                    none. The control ranks by the product of degrees.";
        finding.notes.push(Note::of_release(text));
        Ok(vec![finding])
    }
}
