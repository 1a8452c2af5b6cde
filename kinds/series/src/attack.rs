//! The intersection of all releases of the series (survey AT-25), from the owner's history.

use std::collections::BTreeMap;

use privet_data::Progress;
use privet_history::{History, Recorded, Signature};
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Need, Note, Share, Standing, Unmade, Views};

use crate::job::Body;

/// The attack.
pub struct Intersection;

impl Attack for Intersection {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "release-intersection",
            title: "Intersection of releases",
            sentence: "The adversary has every release of the series, knows the group of a person in each, and intersects their values.",
            needs: &[Need::Original],
            standing: Standing::Gate,
            source: "survey AT-25",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        _: &Knowledge,
        _: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let history: &History = original.and_then(|views| views.get()).ok_or(Need::Original)?;
        let body: &Body = release.get().ok_or(Need::View)?;
        let (left, releases) = intersected(history, body.release as usize);
        let certain = left.values().filter(|own| own.len() < 2).count() as u64;
        let mut finding = Finding::new(self.info(), Share::new(certain, left.len() as u64));
        let fewest = left.values().map(Signature::len).min().unwrap_or(0);
        finding.notes.push(Note::of_original(format!(
            "With {releases} releases, at least {fewest} values stay possible for everybody."
        )));
        Ok(vec![finding])
    }
}

/// Of everybody the values that are in the person's groups of all of the first releases.
fn intersected(history: &History, releases: usize) -> (BTreeMap<&str, Signature>, usize) {
    let mut left: BTreeMap<&str, Signature> = BTreeMap::new();
    let mut looked_at = 0;
    for entry in history.releases.iter().take(releases) {
        let Recorded::Signatures { people, .. } = &entry.recorded else { continue };
        looked_at += 1;
        for (person, own) in people {
            left.entry(person)
                .and_modify(|all| *all = all.intersection(own).cloned().collect())
                .or_insert_with(|| own.clone());
        }
    }
    (left, looked_at)
}
