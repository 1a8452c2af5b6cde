//! Inference channels between published rules (Atzori and others; papers II.7): from the supports of an itemset and its subsets follows how many
//! people hold some items and not others.

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, KindError, Knowledge, Note, Reason, Share, Standing, Unmade, Views,
};
use privet_mine::rules::RuleRelease;
use privet_mine::rules::channels::{self, Supports};

use super::published;
use crate::PublishedModel;
use crate::error::told;

pub(super) struct Channels;

const INFO: AttackInfo = AttackInfo {
    id: "channels",
    title: "Inference channels",
    sentence: "The adversary subtracts published supports and finds patterns of items that fewer than k people have.",
    needs: &[],
    standing: Standing::Informs,
    source: "papers II.7",
};

impl Attack for Channels {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        _: Option<Views<'_>>,
        _: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let PublishedModel::Rules(own) = published(&release)? else {
            return Err(Reason::Nothing { what: "set of rules".to_owned() }.into());
        };
        let supports = supports(own);
        let found =
            channels::find(&supports, own.k, progress).map_err(|error| -> KindError { told(error) })?;
        // Patterns may be about the same people: the largest is counted, which is fewer than k.
        let most = found.iter().map(|own| own.records).max().unwrap_or(0);
        let mut finding = Finding::new(&INFO, Share::new(most, own.records));
        if !found.is_empty() {
            let text =
                format!("{} patterns of fewer than {} people follow from the supports.", found.len(), own.k);
            finding.notes.push(Note::of_release(text));
        }
        Ok(vec![finding])
    }
}

/// The published supports of itemsets all of whose subsets are published.
fn supports(release: &RuleRelease) -> Supports {
    let mut all = Supports::default();
    all.insert(Vec::new(), release.records);
    for rule in &release.rules {
        all.insert(rule.items(), rule.support);
        all.insert(rule.antecedent.clone(), rule.antecedent_support);
        all.insert(rule.consequent.clone(), rule.consequent_support);
    }
    let mut sets: Vec<Vec<u32>> = all.keys().cloned().collect();
    sets.sort_unstable_by_key(Vec::len);
    // From short to long: a set stays when everything one item shorter stayed.
    for set in sets {
        let has_all = (0..set.len()).all(|place| {
            let mut shorter = set.clone();
            shorter.remove(place);
            all.contains_key(&shorter)
        });
        if !has_all {
            all.remove(&set);
        }
    }
    all
}
