//! Reproduction: a record of a person that comes out again.

use std::collections::HashMap;

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Need, Reason, Share, Standing, Unmade, Views};

use crate::closest::Control;
use crate::{NumberTable, OriginalRecords, PublishedRecords};

/// The attack.
pub(crate) struct Reproduction;

impl Attack for Reproduction {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "condensed-reproduction",
            title: "Records that come out again",
            sentence: "Where a published record has every value of a person, and nobody else has these values, that person's record is published after all.",
            needs: &[Need::Original],
            standing: Standing::Gate,
            source: "papers T-AL7",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let nothing = || Reason::Nothing { what: "table of condensed records".to_owned() };
        let published = &release.get::<PublishedRecords>().ok_or_else(nothing)?.table;
        let people = original.ok_or(Need::Original)?;
        let people = &people.get::<OriginalRecords>().ok_or_else(nothing)?.table;
        progress.check()?;
        let records = tally(published);
        let again = |table: &NumberTable| {
            let alone = tally(table).into_iter().filter(|(_, many)| *many == 1);
            let again = alone.filter(|(record, _)| records.contains_key(record)).count();
            Share::new(again as u64, table.len() as u64)
        };
        let mut finding = Finding::new(self.info(), again(people));
        finding.right = Some(finding.sure);
        if let Some(control) = known.section::<Control>(self.info().id)? {
            finding.control = Some(again(&control.read(known, published, progress)?));
        }
        Ok(vec![finding])
    }
}

/// How often each record occurs, its class included.
fn tally(table: &NumberTable) -> HashMap<(Vec<u64>, &str), u64> {
    let mut all = HashMap::new();
    for row in 0..table.len() {
        // Zero has one sign.
        let record = table.record(row).iter().map(|value| (value + 0.0).to_bits()).collect();
        *all.entry((record, table.label(table.classes[row]))).or_insert(0) += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_records_are_counted_together() {
        let table = NumberTable::of_numbers(&["a"], vec![0.0, -0.0, 2.0]);
        let mut counts: Vec<u64> = tally(&table).into_values().collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 2]);
    }
}
