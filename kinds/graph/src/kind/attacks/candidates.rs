//! The attack `candidates`: who is alone with what is known of the structure and of what is published beside it (survey AP-03,
//! AP-06).

use privet_data::{Progress, Role};
use privet_kind::page::Series;
use privet_kind::{
    Attack, AttackInfo, Finding, KindError, Knowledge, Note, Reason, Share, Standing, Unmade, Views,
};
use serde::Deserialize;

use super::OriginalGraph;
use super::view::{Form, PublishedGraph, published};
use crate::attack::{CandidateShares, candidate_shares, candidates_knowing};
use crate::{Attribute, Classes, Graph, NOBODY, candidate_sets};

pub(super) struct Candidates;

static INFO: AttackInfo = AttackInfo {
    id: "candidates",
    title: "Candidates by structure",
    sentence: "The adversary knows the degrees around a person, what is published of it, or its whole neighbourhood, and keeps the nodes that fit.",
    needs: &[],
    standing: Standing::Gate,
    source: "survey AP-03, AP-06; Hay and others 2008; Zhou and Pei 2008",
};

/// Above so many edges, neighbourhoods are compared only when the knowledge file names them.
const USUAL_EDGES: u64 = 1_000_000;
/// How often colours are refined for `everything`.
const STEPS: u32 = 64;

/// What the adversary knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    /// The degrees around a person.
    Degrees,
    /// The same with what is published of nodes and no secret.
    Attributes,
    /// Who the friends are tied to among each other.
    Neighbourhood,
    /// All degrees, however far.
    Everything,
}

/// What the adversary knows.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Known {
    /// How far around a person degrees are known: 1 is the person's, 2 the neighbours' as well.
    depth: u32,
    /// What is known; all of it unless given.
    knows: Option<Vec<Word>>,
}

impl Default for Known {
    fn default() -> Self {
        Self { depth: 3, knows: None }
    }
}

impl Known {
    fn knows(&self, word: Word) -> bool {
        self.knows.as_ref().is_none_or(|own| own.contains(&word))
    }
}

impl Attack for Candidates {
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
        let asked: Known = known.section(INFO.id)?.unwrap_or_default();
        if !(1..=10).contains(&asked.depth) {
            return Err(KindError::key("candidates.depth", "must be 1 to 10").into());
        }
        if asked.knows.as_ref().is_some_and(Vec::is_empty) {
            return Err(KindError::key("candidates.knows", "must name what the adversary knows").into());
        }
        let original = super::original(original);
        progress.check()?;
        let findings = match (&release.form, original) {
            (Form::Network { graph, attributes }, None) => {
                alone(graph, attributes, &asked, known.confidence)?
            }
            _ => scored(release, original, &asked, known, progress)?,
        };
        if findings.is_empty() {
            return Err(
                Reason::Nothing { what: "attribute that is published and no secret".to_owned() }.into()
            );
        }
        Ok(findings)
    }
}

fn variant(depth: usize) -> String {
    match depth {
        0 => "published attributes".to_owned(),
        1 => "degree".to_owned(),
        2 => "degrees of the neighbours".to_owned(),
        more => format!("degrees within {} steps", more - 1),
    }
}

fn variant_with_attributes(depth: usize) -> String {
    match depth {
        0 => variant(0),
        more => format!("{}, and published attributes", variant(more)),
    }
}

/// What is published of nodes besides edges and no secret, as a code per node.
pub(in super::super) fn visible(attributes: &[Attribute], nodes: usize) -> Option<Vec<u32>> {
    let open: Vec<&Attribute> = attributes.iter().filter(|own| own.role != Role::Sensitive).collect();
    if open.is_empty() {
        return None;
    }
    let row = |node: usize| open.iter().map(|own| own.codes[node]).collect::<Vec<u32>>();
    Some(Classes::by_key((0..nodes).map(row)).of().to_vec())
}

/// Whether neighbourhoods are compared: always when they are asked for, else in networks of usual size.
fn compares_neighbourhoods(asked: &Known, graph: &Graph) -> bool {
    asked.knows(Word::Neighbourhood) && (asked.knows.is_some() || graph.edge_count() <= USUAL_EDGES)
}

/// Without the original: who has few candidates.
fn alone(
    graph: &Graph,
    attributes: &[Attribute],
    asked: &Known,
    confidence: f64,
) -> Result<Vec<Finding>, Unmade> {
    let most = (1.0 / confidence + 1e-9).floor() as u32;
    let finding = |variant: String, classes: &Classes| {
        let sure = Share::new(classes.below(most + 1), graph.nodes() as u64);
        Finding { variant, ..Finding::new(&INFO, sure) }
    };
    let mut findings = Vec::new();
    if asked.knows(Word::Degrees) {
        let sets = candidate_sets(graph, asked.depth, None)?;
        findings.extend(sets.iter().enumerate().skip(1).map(|(depth, own)| finding(variant(depth), own)));
    }
    let codes = visible(attributes, graph.nodes());
    if let (Some(codes), true) = (&codes, asked.knows(Word::Attributes)) {
        let sets = candidate_sets(graph, asked.depth, Some(codes))?;
        let each = sets.iter().enumerate();
        findings.extend(each.map(|(depth, own)| finding(variant_with_attributes(depth), own)));
    }
    for (against, name) in deeper(asked, graph) {
        let graph = super::flat(graph);
        findings.push(finding(name.to_owned(), &against.classes(&graph, codes.as_deref())?.0));
    }
    Ok(findings)
}

/// What is known besides degrees at some steps.
fn deeper(asked: &Known, graph: &Graph) -> Vec<(crate::Knowledge, &'static str)> {
    let mut all = Vec::new();
    if compares_neighbourhoods(asked, graph) {
        all.push((crate::Knowledge::Neighbourhood, "neighbourhood, and what is published of it"));
    }
    if asked.knows(Word::Everything) {
        all.push((crate::Knowledge::Within { steps: STEPS }, "all degrees, and what is published"));
    }
    all
}

fn scored(
    release: &PublishedGraph,
    original: Option<&OriginalGraph>,
    asked: &Known,
    known: &Knowledge,
    progress: &dyn Progress,
) -> Result<Vec<Finding>, Unmade> {
    let (graph, truth, original) = release.with_people(original, known.seed, progress)?;
    let people = &original.network.graph;
    let codes = match &release.form {
        Form::Network { attributes, .. } => visible(attributes, graph.nodes()),
        _ => None,
    };
    // Whoever knows a person's values knows how they are published: at worst, how general they were made.
    let of_people: Option<Vec<u32>> = codes.as_ref().map(|codes| {
        truth.iter().map(|&node| if node == NOBODY { u32::MAX } else { codes[node as usize] }).collect()
    });
    let visible = of_people.as_deref().zip(codes.as_deref());
    let mut findings = Vec::new();
    if asked.knows(Word::Degrees) {
        let shares = candidate_shares(people, &graph, &truth, asked.depth, None)?;
        let each = shares.iter().enumerate().skip(1);
        findings.extend(each.map(|(depth, own)| finding(own, variant(depth), known.confidence)));
        if let Some(last) = findings.last_mut() {
            last.curves.push(Series {
                name: "expected share re-identified".to_owned(),
                points: shares.iter().map(|own| (f64::from(own.depth), own.exposed())).collect(),
            });
        }
    }
    if visible.is_some() && asked.knows(Word::Attributes) {
        progress.check()?;
        let shares = candidate_shares(people, &graph, &truth, asked.depth, visible)?;
        let each = shares.iter().enumerate();
        findings
            .extend(each.map(|(depth, own)| finding(own, variant_with_attributes(depth), known.confidence)));
    }
    for (against, name) in deeper(asked, &graph) {
        progress.check()?;
        let (people, graph) = (super::flat(people), super::flat(&graph));
        let (shares, undecided) = candidates_knowing(&people, &graph, &truth, against, visible)?;
        let mut own = finding(&shares, name.to_owned(), known.confidence);
        if undecided > 0 {
            let text = format!("{undecided} neighbourhoods took too long to compare and fit nobody.");
            own.notes.push(Note::of_original(text));
        }
        findings.push(own);
    }
    Ok(findings)
}

fn finding(own: &CandidateShares, variant: String, confidence: f64) -> Finding {
    let (sure, right) = own.sure(confidence);
    let mut finding = Finding::new(&INFO, Share::new(sure, own.targets));
    finding.variant = variant;
    finding.right = Some(super::share(right, own.targets));
    finding.control = Some(super::share(own.control, own.targets));
    if own.misled + own.without > 0 {
        let away = own.misled + own.without;
        finding.notes.push(Note::of_original(format!(
            "{away} people are not among the nodes that fit, because the graph was changed around them."
        )));
    }
    finding
}
