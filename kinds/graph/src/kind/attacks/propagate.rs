//! The attack `propagate`: another network of the same people is laid over the release (survey AP-08).

use std::path::PathBuf;

use privet_data::{Progress, Random, Silent};
use privet_kind::{
    Attack, AttackInfo, Finding, KindError, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};
use serde::Deserialize;

use super::view::{OriginalGraph, published};
use crate::attack::{PropagationOptions, SeedOptions, find_seeds, propagate};
use crate::{Graph, NOBODY, NetworkOptions, generate, read};

pub(super) struct Propagate;

static INFO: AttackInfo = AttackInfo {
    id: "propagate",
    title: "Seed and propagate",
    sentence: "The adversary has another network of the same people, knows some of them in the release, and finds others along their friendships.",
    needs: &[Need::Original],
    standing: Standing::Gate,
    source: "survey AP-08; Narayanan and Shmatikov 2009",
};

/// What the adversary knows.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Known {
    /// The other network, an edge list with the ids of the original.
    network: Option<PathBuf>,
    /// Without one, the share of the original's edges that the other network has.
    overlap: f64,
    /// How many people are known in the release.
    seeds: usize,
}

impl Default for Known {
    fn default() -> Self {
        Self { network: None, overlap: 0.85, seeds: 20 }
    }
}

impl Attack for Propagate {
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
        let section: Known = known.section(INFO.id)?.unwrap_or_default();
        if !(0.0..=1.0).contains(&section.overlap) {
            return Err(KindError::key("propagate.overlap", "must be a share from 0 to 1").into());
        }
        let (other, people) = match &section.network {
            Some(path) => second(&known.path(path), original)?,
            None => (overlapping(original, section.overlap, known.seed)?, None),
        };
        // Who stands in the release, for the nodes of the other network.
        let real: Vec<u32> = match &people {
            Some(people) => {
                people.iter().map(|&own| truth.get(own as usize).copied().unwrap_or(NOBODY)).collect()
            }
            None => truth,
        };
        let mut hubs: Vec<u32> =
            (0..other.nodes() as u32).filter(|&own| real[own as usize] != NOBODY).collect();
        hubs.sort_by_key(|&node| (std::cmp::Reverse(other.degree(node)), node));
        let given: Vec<(u32, u32)> =
            hubs.iter().take(section.seeds).map(|&own| (own, real[own as usize])).collect();
        if given.len() < 2 || real.len() <= given.len() {
            return Err(Reason::Nothing { what: "person besides those that are known".to_owned() }.into());
        }
        let control = generate::rewired(&graph, 5, known.seed);
        let scene = Scene { other: &other, real: &real, progress };
        let mut findings = Vec::new();
        let (found, by_chance) = (scene.attack(&graph, &given)?, scene.attack(&control, &given)?);
        findings.push(found.finding(format!("{} people known", given.len()), &by_chance));
        if !graph.is_directed() {
            let seeds = find_seeds(&other, &graph, SeedOptions::default(), progress)?;
            let of_control = find_seeds(&other, &control, SeedOptions::default(), progress)?;
            let (found, by_chance) = (scene.attack(&graph, &seeds)?, scene.attack(&control, &of_control)?);
            let mut finding = found.finding("nobody known".to_owned(), &by_chance);
            let right = seeds.iter().filter(|own| real[own.0 as usize] == own.1).count();
            let text = format!("Of {} hubs that the adversary pairs first, {right} are right.", seeds.len());
            finding.notes.push(Note::of_original(text));
            findings.push(finding);
        }
        Ok(findings)
    }
}

struct Scene<'a> {
    other: &'a Graph,
    real: &'a [u32],
    progress: &'a dyn Progress,
}

/// Claims besides the people that were known.
struct Reached {
    claimed: u64,
    right: u64,
    of: u64,
}

impl Scene<'_> {
    fn attack(&self, graph: &Graph, seeds: &[(u32, u32)]) -> Result<Reached, Unmade> {
        let options = PropagationOptions::default();
        let found = propagate(self.other, graph, seeds, options, self.progress)?;
        // People who were given do not count as found; seeds that were found do.
        let is_given =
            |own: u32| seeds.iter().any(|&(person, node)| person == own && self.real[own as usize] == node);
        let mut reached = Reached { claimed: 0, right: 0, of: 0 };
        for (person, (&claim, &real)) in found.claims.iter().zip(self.real).enumerate() {
            if real == NOBODY || is_given(person as u32) {
                continue;
            }
            reached.of += 1;
            reached.claimed += u64::from(claim != NOBODY);
            reached.right += u64::from(claim == real);
        }
        Ok(reached)
    }
}

impl Reached {
    fn finding(&self, variant: String, control: &Self) -> Finding {
        let mut finding = Finding::new(&INFO, Share::new(self.claimed, self.of));
        finding.variant = variant;
        finding.right = Some(Share::new(self.right, self.of));
        finding.control = Some(Share::new(control.right, control.of));
        finding
    }
}

/// A second network of the same people, with some of their edges.
fn overlapping(original: &OriginalGraph, share: f64, seed: u64) -> Result<Graph, Unmade> {
    let mut random = Random::stream(seed, 43);
    let graph = &original.network.graph;
    let edges: Vec<(u32, u32)> = graph.edges().filter(|_| random.chance(share)).collect();
    let build = if graph.is_directed() { Graph::directed } else { Graph::undirected };
    Ok(build(graph.nodes(), &edges)?.0)
}

/// A network that was given, and per node of it the person of the original with the same id.
fn second(path: &std::path::Path, original: &OriginalGraph) -> Result<(Graph, Option<Vec<u32>>), Unmade> {
    let directed = original.network.graph.is_directed();
    let options = NetworkOptions { directed, ..NetworkOptions::default() };
    let other = read(path, None, &options, &Silent)?;
    let other = if directed { other } else { other.without_directions() };
    let number: foldhash::HashMap<&str, u32> =
        original.network.nodes.ids.iter().map(|id| &**id).zip(0..).collect();
    let people = other.nodes.ids.iter().map(|id| number.get(&**id).copied().unwrap_or(NOBODY));
    let people: Vec<u32> = people.collect();
    Ok((other.graph, Some(people)))
}
