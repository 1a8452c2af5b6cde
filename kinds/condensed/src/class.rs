//! Inference of the class: the nearest synthetic record tells it.

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};

use crate::nearest::{nearest, sampled, units};
use crate::{NumberTable, OriginalRecords, PublishedRecords};

/// The attack.
pub(crate) struct ClassInference;

impl Attack for ClassInference {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "condensed-class",
            title: "Inference of the class from the nearest record",
            sentence: "The adversary knows all numbers of a person, looks for the nearest published record, and takes its class.",
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
        let nothing = |what: &str| Reason::Nothing { what: what.to_owned() };
        let of_records = || nothing("table of condensed records");
        let published = &release.get::<PublishedRecords>().ok_or_else(of_records)?.table;
        let people = original.ok_or(Need::Original)?;
        let people = &people.get::<OriginalRecords>().ok_or_else(of_records)?.table;
        if published.class.is_none() || published.is_empty() {
            return Err(nothing("column of classes").into());
        }
        let (rows, units) = (sampled(people.len(), published), units(published));
        let frequent = most_frequent(published);
        let (mut right, mut by_frequency) = (0, 0);
        for &row in &rows {
            progress.check()?;
            let (at, _) = nearest(published, people.record(row), None, &units);
            let class = people.label(people.classes[row]);
            right += u64::from(published.label(published.classes[at]) == class);
            by_frequency += u64::from(frequent == class);
        }
        let all = rows.len() as u64;
        let mut finding = Finding::new(self.info(), Share::new(all, all));
        finding.right = Some(Share::new(right, all));
        finding.control = Some(Share::new(by_frequency, all));
        finding.sampled = rows.len() < people.len();
        finding
            .notes
            .push(Note::of_release("The control guesses the most frequent class of the published records."));
        Ok(vec![finding])
    }
}

fn most_frequent(table: &NumberTable) -> &str {
    let mut counts = vec![0_u64; table.labels.len()];
    table.classes.iter().for_each(|&class| counts[class as usize] += 1);
    let most = counts.iter().enumerate().max_by_key(|(_, count)| **count);
    most.map_or("", |(class, _)| table.label(class as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_class() {
        let mut table = NumberTable::of_numbers(&["a"], vec![1.0, 2.0, 3.0]);
        table.class = Some("c".to_owned());
        (table.classes, table.labels) = (vec![0, 1, 1], vec!["x".to_owned(), "y".to_owned()]);
        assert_eq!(most_frequent(&table), "y");
    }
}
