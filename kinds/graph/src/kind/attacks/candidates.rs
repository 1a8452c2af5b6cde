//! The attack `candidates`: who is alone with what is known of the structure (survey AP-03).

use privet_data::Progress;
use privet_kind::page::Series;
use privet_kind::{Attack, AttackInfo, Finding, KindError, Knowledge, Note, Share, Standing, Unmade, Views};
use serde::Deserialize;

use super::view::{Form, PublishedGraph, published};
use crate::attack::candidate_shares;
use crate::candidate_sets;

pub(super) struct Candidates;

static INFO: AttackInfo = AttackInfo {
    id: "candidates",
    title: "Candidates by structure",
    sentence: "The adversary knows the degrees around a person and keeps the nodes that fit.",
    needs: &[],
    standing: Standing::Gate,
    source: "survey AP-03; Hay and others 2008",
};

/// What the adversary knows.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Known {
    /// How far around a person degrees are known: 1 is the person's, 2 the neighbours' as well.
    depth: u32,
}

impl Default for Known {
    fn default() -> Self {
        Self { depth: 3 }
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
        let Known { depth } = known.section(INFO.id)?.unwrap_or_default();
        if !(1..=10).contains(&depth) {
            return Err(KindError::key("candidates.depth", "must be 1 to 10").into());
        }
        let original = super::original(original);
        progress.check()?;
        let findings = match (&release.form, original) {
            (Form::Network { graph, .. }, None) => alone(graph, depth, known.confidence)?,
            _ => scored(release, original, depth, known, progress)?,
        };
        Ok(findings)
    }
}

fn variant(depth: usize) -> String {
    match depth {
        1 => "degree".to_owned(),
        2 => "degrees of the neighbours".to_owned(),
        more => format!("degrees within {} steps", more - 1),
    }
}

/// Without the original: who has few candidates.
fn alone(graph: &crate::Graph, depth: u32, confidence: f64) -> Result<Vec<Finding>, Unmade> {
    let most = (1.0 / confidence + 1e-9).floor() as u32;
    let sets = candidate_sets(graph, depth, None)?;
    let findings = sets.iter().enumerate().skip(1).map(|(depth, classes)| {
        let sure = Share::new(classes.below(most + 1), graph.nodes() as u64);
        Finding { variant: variant(depth), ..Finding::new(&INFO, sure) }
    });
    Ok(findings.collect())
}

fn scored(
    release: &PublishedGraph,
    original: Option<&super::OriginalGraph>,
    depth: u32,
    known: &Knowledge,
    progress: &dyn Progress,
) -> Result<Vec<Finding>, Unmade> {
    let (graph, truth, original) = release.with_people(original, known.seed, progress)?;
    let shares = candidate_shares(&original.network.graph, &graph, &truth, depth, None)?;
    let curve = Series {
        name: "expected share re-identified".to_owned(),
        points: shares.iter().map(|own| (f64::from(own.depth), own.exposed())).collect(),
    };
    let findings = shares.iter().enumerate().skip(1).map(|(depth, own)| {
        let (sure, right) = own.sure(known.confidence);
        let mut finding = Finding::new(&INFO, Share::new(sure, own.targets));
        finding.variant = variant(depth);
        finding.right = Some(super::share(right, own.targets));
        finding.control = Some(super::share(own.control, own.targets));
        if own.misled + own.without > 0 {
            let away = own.misled + own.without;
            finding.notes.push(Note::of_original(format!(
                "{away} people are not among the nodes that fit, because the graph was changed around them."
            )));
        }
        if depth + 1 == shares.len() {
            finding.curves.push(curve.clone());
        }
        finding
    });
    Ok(findings.collect())
}
