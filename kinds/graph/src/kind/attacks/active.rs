//! The attack `active`: accounts are planted, the release is made again in the same way, and the accounts look for themselves and
//! their targets (survey AP-01).

use privet_data::{Progress, Random};
use privet_kind::{
    Attack, AttackInfo, Fault, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};

use super::super::job::{Method, Settings};
use super::super::make::{Anonymized, anonymize};
use super::view::{Form, published};
use crate::attack::{SearchLimits, plant};
use crate::generate;

pub(super) struct Active;

static INFO: AttackInfo = AttackInfo {
    id: "active",
    title: "Planted accounts",
    sentence: "Before the release the adversary adds accounts that know each other by a secret pattern and befriend the targets.",
    needs: &[Need::Original],
    standing: Standing::Informs,
    source: "survey AP-01; Backstrom, Dwork and Kleinberg 2007",
};

/// People who are looked for.
const TARGETS: usize = 40;
/// Above so many edges the release is not made a second time.
const MOST_EDGES: u64 = 5_000_000;

impl Attack for Active {
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
        let original = super::original(original).ok_or(Need::Original)?;
        let Form::Network { .. } = release.form else {
            // Numbers of edges between clusters, or degrees, hold no subgraph to look for.
            return Err(Reason::Nothing { what: "published edge between two nodes".to_owned() }.into());
        };
        let graph = super::flat(&original.network.graph);
        if graph.edge_count() > MOST_EDGES {
            return Err(Reason::TooLarge { what: "The number of edges".to_owned(), most: MOST_EDGES }.into());
        }
        let mut targets: Vec<u32> = (0..graph.nodes() as u32).collect();
        let mut random = Random::stream(known.seed, 44);
        random.shuffle(&mut targets);
        targets.truncate(TARGETS.min(graph.nodes() / 4).max(1));
        let planted = plant(&graph, &targets, known.seed)?;
        let method = match &original.settings.method {
            Method::KNeighbourhood { k, direction, .. } => {
                Method::KNeighbourhood { k: *k, label: None, direction: *direction }
            }
            other => other.clone(),
        };
        let settings = Settings { method, ledger: None, ..original.settings.clone() };
        let made = anonymize(&planted.graph, None, &settings, known.seed, progress);
        // An adversary whose accounts keep the network from being published learns nothing from it.
        if made.as_ref().is_err_and(|error| error.fault() == Fault::Refused) {
            return Err(Reason::Refused { of: "the network with the planted accounts".to_owned() }.into());
        }
        let made = made?;
        let Anonymized::Network(made, _) = made else {
            return Err(Reason::Nothing { what: "published edge between two nodes".to_owned() }.into());
        };
        let mut truth: Vec<u32> = (0..made.nodes() as u32).collect();
        random.shuffle(&mut truth);
        let made = made.renumbered(&truth)?;
        let found = planted.recover(&made, SearchLimits::default(), progress)?;
        let score = planted.score(&made, &found, &truth)?;
        let control = generate::rewired(&made, 5, known.seed);
        let limits = SearchLimits { steps: 2_000_000, ..SearchLimits::default() };
        let by_chance = planted.recover(&control, limits, progress)?;
        let by_chance = planted.score(&control, &by_chance, &truth)?;
        let mut finding = Finding::new(&INFO, Share::new(score.claimed, score.targets));
        finding.right = Some(super::share(score.right, score.targets));
        finding.control = Some(super::share(by_chance.right, by_chance.targets));
        finding.sampled = true;
        let text = match found.matches.is_complete {
            true if found.matches.images.len() == 1 => "One place fits the planted accounts.".to_owned(),
            true => format!("{} places fit the planted accounts.", found.matches.images.len()),
            false => "The search for the accounts ended early; a longer one may find more.".to_owned(),
        };
        finding.notes.push(Note::of_original(text));
        Ok(vec![finding])
    }
}
