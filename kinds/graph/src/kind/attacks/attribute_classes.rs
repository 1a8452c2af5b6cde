//! The attack `attribute-classes`: all candidates of a person share a sensitive value (survey AP-05).

use privet_data::{Progress, Role};
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Note, Reason, Share, Standing, Unmade, Views};

use super::view::{Form, published};
use crate::candidate_sets;

pub(super) struct AttributeClasses;

static INFO: AttackInfo = AttackInfo {
    id: "attribute-classes",
    title: "Sensitive values of candidates",
    sentence: "The adversary knows a person's degree and learns what all nodes of that degree have in common.",
    needs: &[],
    standing: Standing::Gate,
    source: "survey AP-05",
};

impl Attack for AttributeClasses {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        _: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let release = published(release)?;
        let nothing = || Reason::Nothing { what: "sensitive attribute of nodes".to_owned() };
        let Form::Network { graph, attributes } = &release.form else { return Err(nothing().into()) };
        let classes = candidate_sets(graph, 1, None)?.pop().ok_or_else(nothing)?;
        let mut findings = Vec::new();
        for attribute in attributes.iter().filter(|own| own.role == Role::Sensitive) {
            progress.check()?;
            let domain = &attribute.domain;
            let mut counts: foldhash::HashMap<(u32, u32), u64> = foldhash::HashMap::default();
            let mut all = vec![0u64; domain.len().max(1)];
            let present = |code: u32| !domain.is_missing(code);
            for (&class, &code) in classes.of().iter().zip(&attribute.codes).filter(|own| present(*own.1)) {
                *counts.entry((class, code)).or_default() += 1;
                all[code as usize] += 1;
            }
            let total: u64 = all.iter().sum();
            if total == 0 {
                continue;
            }
            // A class counts where its most frequent value has the share that makes the adversary sure.
            let mut most = vec![0u64; classes.count()];
            for (&(class, _), &count) in &counts {
                most[class as usize] = most[class as usize].max(count);
            }
            let is_sure =
                |own: &(&u64, &u32)| *own.0 as f64 >= known.confidence * f64::from(*own.1) && *own.0 > 0;
            let sure: Vec<(&u64, &u32)> = most.iter().zip(classes.sizes()).filter(is_sure).collect();
            let people: u64 = sure.iter().map(|own| u64::from(*own.1)).sum();
            let right: u64 = sure.iter().map(|own| *own.0).sum();
            let mut finding = Finding::new(&INFO, Share::new(people, graph.nodes() as u64));
            finding.variant.clone_from(&attribute.name);
            finding.right = Some(Share::new(right, graph.nodes() as u64));
            // Without the structure, everybody is guessed to have the most frequent value, where that is sure enough.
            let frequent = all.iter().copied().max().unwrap_or(0);
            let is_plain = frequent as f64 >= known.confidence * total as f64;
            let guessed = if is_plain { frequent } else { 0 };
            finding.control = Some(Share::new(guessed, graph.nodes() as u64));
            let text = "The adversary is sure of a person where one value fills its class.";
            finding.notes.push(Note::of_release(text));
            findings.push(finding);
        }
        if findings.is_empty() { Err(nothing().into()) } else { Ok(findings) }
    }
}
