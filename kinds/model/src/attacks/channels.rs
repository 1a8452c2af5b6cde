//! Inference channels between published rules (Atzori and others; papers II.7): from the supports of an itemset and of those below it follows how
//! many people hold some items and not others. Two published supports are enough.

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, KindError, Knowledge, Note, Reason, Share, Standing, Unmade, Views,
};
use privet_mine::rules::channels;

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
        let supports = channels::supports_of_rules(&own.rules, own.records);
        let found = channels::find_between(&supports, own.k, progress)
            .map_err(|error| -> KindError { told(error) })?;
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
