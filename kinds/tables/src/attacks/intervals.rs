//! The intervals between the days of a person, which shifting keeps.

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Share, Standing, Unmade, Views};

use super::{alone, nothing, people};

/// The attack.
pub struct Intervals;

impl Attack for Intervals {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "day-intervals",
            title: "Intervals between days",
            sentence: "The adversary also knows all intervals between the days of a person, which are published as they are.",
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
        if people.days.iter().all(Vec::is_empty) {
            return Err(nothing("column of days").into());
        }
        let gaps =
            |own: usize| people.days[own].windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<i64>>();
        Ok(vec![Finding::new(self.info(), Share::new(alone(people, gaps), people.len() as u64))])
    }
}
