//! Distances to the closest record: whether those of people in the data are shorter than those of strangers.

use std::path::{Path, PathBuf};

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};
use serde::Deserialize;

use crate::nearest::{nearest, sampled, units};
use crate::{Input, NumberTable, OriginalRecords, PublishedRecords, records};

/// The share of strangers that are taken for people in the data.
const FALSE_ALARMS: f64 = 0.05;

/// The attack.
pub(crate) struct ClosestRecord;

/// People who are certainly not in the data; the section of an attack in the knowledge file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Control {
    /// A table of them, with the columns of the original.
    control: PathBuf,
}

impl Control {
    /// Reads them.
    pub fn read(
        &self,
        known: &Knowledge,
        like: &NumberTable,
        progress: &dyn Progress,
    ) -> Result<NumberTable, Unmade> {
        let path: &Path = &known.path(&self.control);
        let input =
            Input { columns: Some(like.names.clone()), class: like.class.clone(), ..Input::default() };
        Ok(records::Original::read(path, &input, progress)?.table)
    }
}

impl Attack for ClosestRecord {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "condensed-closest-record",
            title: "Distance to the closest record",
            sentence: "The adversary takes people for those of the data whose closest published record is closer than that of 95 % of strangers.",
            needs: &[Need::Original, Need::Section],
            standing: Standing::Gate,
            source: "survey AT-31",
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
        let control: Control = known.section(self.info().id)?.ok_or(Need::Section)?;
        let strangers = control.read(known, published, progress)?;
        let units = units(published);
        let distances = |table: &NumberTable| -> Result<Vec<f64>, Unmade> {
            let mut found = Vec::new();
            for row in sampled(table.len(), published) {
                progress.check()?;
                found.push(nearest(published, table.record(row), None, &units).1);
            }
            Ok(found)
        };
        let (of_people, of_strangers) = (distances(people)?, distances(&strangers)?);
        let Some(limit) = limit(&of_strangers) else {
            return Err(Reason::Nothing { what: "stranger in the control table".to_owned() }.into());
        };
        let closer =
            |all: &[f64]| Share::new(all.iter().filter(|own| **own < limit).count() as u64, all.len() as u64);
        let mut finding = Finding::new(self.info(), closer(&of_people));
        finding.right = Some(finding.sure);
        finding.control = Some(closer(&of_strangers));
        finding.sampled = of_people.len() < people.len();
        finding.notes.push(Note::of_knowledge("The control are the strangers of the knowledge file."));
        Ok(vec![finding])
    }
}

/// The distance below which at most the share of false alarms of all strangers are; none without strangers.
fn limit(strangers: &[f64]) -> Option<f64> {
    let mut order = strangers.to_vec();
    order.sort_unstable_by(f64::total_cmp);
    order.get((order.len() as f64 * FALSE_ALARMS) as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_one_of_twenty_strangers_is_below_the_limit() {
        let distances: Vec<f64> = (0..100).rev().map(f64::from).collect();
        let limit = limit(&distances).unwrap();
        assert_eq!(distances.iter().filter(|own| **own < limit).count(), 5);
        assert_eq!(super::limit(&[]), None);
        assert_eq!(super::limit(&[3.0]), Some(3.0));
    }
}
