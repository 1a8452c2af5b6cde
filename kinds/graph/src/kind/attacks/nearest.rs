//! The attack `nearest-degrees`: the adversary expects changes and takes the node that is nearest (survey AP-03).

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Need, Share, Standing, Unmade, Views};

use super::view::published;
use crate::attack::nearest_by_degrees;

pub(super) struct Nearest;

static INFO: AttackInfo = AttackInfo {
    id: "nearest-degrees",
    title: "Nearest degrees",
    sentence: "The adversary knows the degrees of a person and its neighbours, and takes the node whose degrees are nearest.",
    needs: &[Need::Original],
    standing: Standing::Gate,
    source: "survey AP-03; Hay and others 2008",
};

/// People who are looked for.
const PEOPLE: usize = 400;

impl Attack for Nearest {
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
        let found = nearest_by_degrees(&people, &graph, &truth, PEOPLE, known.seed, progress)?;
        let mut finding = Finding::new(&INFO, Share::new(found.claimed, found.targets));
        finding.right = Some(super::share(found.right, found.targets));
        finding.control = Some(Share::new(1, graph.nodes().max(1) as u64));
        finding.sampled = (found.targets as usize) < people.nodes();
        Ok(vec![finding])
    }
}
