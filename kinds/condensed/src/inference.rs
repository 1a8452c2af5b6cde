//! Inference: the nearest synthetic record tells a number that is not known.

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};

use crate::nearest::{nearest, sampled, units};
use crate::{OriginalRecords, PublishedRecords};

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
        let (rows, units) = (sampled(people.len(), published), units(published));
        let mut found = Vec::new();
        for (hidden, name) in people.names.iter().enumerate() {
            progress.check()?;
            let (mean, _) = published.moments(hidden);
            let is_right = |guess: f64, row: usize| {
                (guess - people.record(row)[hidden]).abs() <= TOLERANCE * units[hidden]
            };
            let nearest = |row: usize| {
                let (at, _) = nearest(published, people.record(row), Some(hidden), &units);
                published.record(at)[hidden]
            };
            let right = rows.iter().filter(|&&row| is_right(nearest(row), row)).count() as u64;
            let by_mean = rows.iter().filter(|&&row| is_right(mean, row)).count() as u64;
            let all = rows.len() as u64;
            let mut finding = Finding::new(self.info(), Share::new(all, all));
            finding.variant = name.clone();
            finding.right = Some(Share::new(right, all));
            finding.control = Some(Share::new(by_mean, all));
            finding.sampled = rows.len() < people.len();
            finding.notes.push(Note::of_release(format!(
                "A guess is right within {TOLERANCE} standard deviations. The control guesses the mean of the published records."
            )));
            found.push(finding);
        }
        Ok(found)
    }
}
