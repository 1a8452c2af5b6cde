//! How many rows a person has, beside the class: known to whoever saw the person come and go.

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Share, Standing, Unmade, Views};

use super::{alone, nothing, people};

/// The attack.
pub struct RowCounts;

impl Attack for RowCounts {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "row-counts",
            title: "Numbers of rows",
            sentence: "The adversary also knows how many rows a person has in every table.",
            needs: &[],
            standing: Standing::Informs,
            source: "survey 8.4",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        _: Option<Views<'_>>,
        _: &Knowledge,
        _: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let people = people(release)?;
        if !people.linked {
            return Err(nothing("pseudonym that links rows").into());
        }
        let rows = |own: usize| people.rows.iter().map(|table| table[own]).collect::<Vec<u32>>();
        Ok(vec![Finding::new(self.info(), Share::new(alone(people, rows), people.len() as u64))])
    }
}
