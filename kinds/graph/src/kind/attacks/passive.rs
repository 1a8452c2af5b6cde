//! The attack `passive`: coalitions of friends find themselves, and then others (survey AP-02).

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};

use super::view::published;
use crate::attack::coalitions;
use crate::generate;

pub(super) struct Passive;

static INFO: AttackInfo = AttackInfo {
    id: "passive",
    title: "Coalition of friends",
    sentence: "A person and four friends find themselves by their degrees and who of them knows whom, and then their other friends.",
    needs: &[Need::Original],
    standing: Standing::Gate,
    source: "survey AP-02; Backstrom, Dwork and Kleinberg 2007",
};

/// Coalitions that try, and how many people each has.
const COALITIONS: (usize, usize) = (200, 5);

impl Attack for Passive {
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
        let found = coalitions(&people, &graph, &truth, COALITIONS, known.seed, progress)?;
        if found.tried == 0 {
            return Err(Reason::Nothing { what: "person with four friends".to_owned() }.into());
        }
        let rewired = generate::rewired(&graph, 5, known.seed);
        let control = coalitions(&people, &rewired, &truth, COALITIONS, known.seed, progress)?;
        let sure = found.found_themselves + found.misled;
        let mut themselves = Finding::new(&INFO, Share::new(sure, found.tried));
        themselves.variant = "coalitions that find themselves".to_owned();
        themselves.right = Some(Share::new(found.found_themselves, found.tried));
        themselves.control = Some(Share::new(control.found_themselves, control.tried));
        themselves.sampled = true;
        // Who finds itself exposes nobody yet.
        themselves.counts = false;
        if found.unfinished > 0 {
            let text = format!("{} searches ended before every place was seen.", found.unfinished);
            themselves.notes.push(Note::of_original(text));
        }
        let mut friends = Finding::new(&INFO, Share::new(found.claimed, found.friends));
        friends.variant = "friends found by a coalition".to_owned();
        friends.right = Some(Share::new(found.right, found.friends));
        friends.control = Some(Share::new(control.right, control.friends));
        friends.sampled = true;
        Ok(vec![themselves, friends])
    }
}
