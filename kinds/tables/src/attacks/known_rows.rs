//! Linkage over all tables at once: what others know of a person's rows, joined by the pseudonym (survey AT-01).

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Note, Share, Standing, Unmade, Views};

use super::people;

/// The attack.
pub struct KnownRows;

impl Attack for KnownRows {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "known-rows",
            title: "Known rows",
            sentence: "The adversary knows every quasi value of every row of a person, in all tables, and joins them by the pseudonym.",
            needs: &[],
            standing: Standing::Gate,
            source: "survey AT-01 over the join",
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
        let alone = people.sizes().into_iter().filter(|&size| size == 1).count() as u64;
        let mut finding = Finding::new(self.info(), Share::new(alone, people.len() as u64));
        let guess = people.classes as f64 / people.len() as f64;
        finding.notes.push(Note::of_release(format!(
            "A guess within the class is right for {:.2} % of the people on average.",
            100.0 * guess
        )));
        Ok(vec![finding])
    }
}
