//! The attack `attribute-inference`: who keeps a value back is guessed from friends (survey AP-08).

use privet_data::{Progress, Role};
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Note, Reason, Share, Standing, Unmade, Views};

use super::view::{Form, published};
use crate::attack::infer_attribute;

pub(super) struct AttributeInference;

static INFO: AttackInfo = AttackInfo {
    id: "attribute-inference",
    title: "Values guessed from friends",
    sentence: "The adversary guesses the values that some people keep back from those of their friends.",
    needs: &[],
    standing: Standing::Informs,
    source: "survey AP-08; Zheleva and Getoor 2009",
};

/// The share of values that are hidden from the attack and guessed.
const HIDDEN: f64 = 0.2;

impl Attack for AttributeInference {
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
        let mut findings = Vec::new();
        for attribute in attributes.iter().filter(|own| own.role == Role::Sensitive) {
            let found = infer_attribute(graph, attribute, HIDDEN, known.seed, progress)?;
            if found.targets == 0 {
                continue;
            }
            let mut finding = Finding::new(&INFO, Share::new(found.targets, found.targets));
            finding.variant.clone_from(&attribute.name);
            finding.right = Some(Share::new(found.right, found.targets));
            finding.control = Some(Share::new(found.most_frequent.max(found.shuffled), found.targets));
            finding.sampled = true;
            let text = "Every hidden value is guessed; the control is the better of the most frequent value and of values \
                        dealt out anew.";
            finding.notes.push(Note::of_release(text));
            findings.push(finding);
        }
        if findings.is_empty() { Err(nothing().into()) } else { Ok(findings) }
    }
}
