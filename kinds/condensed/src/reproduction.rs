//! Reproduction: a record of a person that comes out again.

use std::collections::HashMap;

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Need, Reason, Share, Standing, Unmade, Views};

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
        _: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let nothing = || Reason::Nothing { what: "table of condensed records".to_owned() };
        let published = &release.get::<PublishedRecords>().ok_or_else(nothing)?.table;
        let people = original.ok_or(Need::Original)?;
        let people = &people.get::<OriginalRecords>().ok_or_else(nothing)?.table;
        progress.check()?;
        let published = tally(published);
        let again = tally(people)
            .into_iter()
            .filter(|(record, many)| *many == 1 && published.contains_key(record))
            .count() as u64;
        let mut finding = Finding::new(self.info(), Share::new(again, people.len() as u64));
        finding.right = Some(finding.sure);
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
        let table = NumberTable {
            names: vec!["a".to_owned()],
            decimals: vec![0],
            values: vec![0.0, -0.0, 2.0],
            class: None,
            classes: vec![0; 3],
            labels: Vec::new(),
        };
        let mut counts: Vec<u64> = tally(&table).into_values().collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 2]);
    }
}
