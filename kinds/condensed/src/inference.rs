//! Inference: the nearest synthetic record tells a number that is not known.

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};

use crate::{NumberTable, OriginalRecords, PublishedRecords};

/// At most so many people are attacked.
const MOST: usize = 500;
/// A guess is right within so many standard deviations.
const TOLERANCE: f64 = 0.1;

/// The attack.
pub(crate) struct Inference;

impl Attack for Inference {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "condensed-inference",
            title: "Inference from the nearest record",
            sentence: "The adversary knows all numbers of a person but one, looks for the nearest published record, and takes its number.",
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
        if people.names.len() < 2 || published.is_empty() {
            return Err(Reason::Nothing { what: "second column".to_owned() }.into());
        }
        let step = people.len().div_ceil(MOST).max(1);
        let rows: Vec<usize> = (0..people.len()).step_by(step).collect();
        let units: Vec<f64> = (0..published.names.len()).map(|column| unit(published, column)).collect();
        let mut found = Vec::new();
        for (hidden, name) in people.names.iter().enumerate() {
            progress.check()?;
            let (mean, _) = published.moments(hidden);
            let is_right = |guess: f64, row: usize| {
                (guess - people.record(row)[hidden]).abs() <= TOLERANCE * units[hidden]
            };
            let nearest =
                |row: usize| published.record(nearest(published, people.record(row), hidden, &units))[hidden];
            let right = rows.iter().filter(|&&row| is_right(nearest(row), row)).count() as u64;
            let by_mean = rows.iter().filter(|&&row| is_right(mean, row)).count() as u64;
            let all = rows.len() as u64;
            let mut finding = Finding::new(self.info(), Share::new(all, all));
            finding.variant = name.clone();
            finding.right = Some(Share::new(right, all));
            finding.control = Some(Share::new(by_mean, all));
            finding.sampled = step > 1;
            finding.notes.push(Note::of_release(format!(
                "A guess is right within {TOLERANCE} standard deviations. The control guesses the mean of the published records."
            )));
            found.push(finding);
        }
        Ok(found)
    }
}

/// The unit in which a column is measured.
fn unit(table: &NumberTable, column: usize) -> f64 {
    let (_, deviation) = table.moments(column);
    if deviation > 0.0 { deviation } else { 1.0 }
}

/// The published record that is nearest in all columns but one.
fn nearest(published: &NumberTable, person: &[f64], hidden: usize, units: &[f64]) -> usize {
    let distance = |row: usize| {
        let parts = published.record(row).iter().zip(person).zip(units).enumerate();
        parts
            .filter(|(column, _)| *column != hidden)
            .map(|(_, ((a, b), unit))| ((a - b) / unit).powi(2))
            .sum::<f64>()
    };
    (0..published.len())
        .map(|row| (row, distance(row)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(row, _)| row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hidden_column_is_not_looked_at() {
        let table = NumberTable {
            names: vec!["a".to_owned(), "b".to_owned()],
            decimals: vec![0, 0],
            values: vec![1.0, 100.0, 5.0, 0.0],
            class: None,
            classes: vec![0, 0],
            labels: Vec::new(),
        };
        assert_eq!(nearest(&table, &[4.0, 100.0], 1, &[1.0, 1.0]), 1);
        assert_eq!(nearest(&table, &[4.0, 100.0], 0, &[1.0, 1.0]), 0);
    }
}
