//! Inference of sensitive places: who stayed at a clinic, a church, a party's office.

use std::path::PathBuf;

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Need, Share, Standing, Unmade, Views};
use serde::Deserialize;

use super::super::places;
use super::super::view::published;
use super::scored;
use crate::attack::longest_stays;

pub(super) struct SensitivePlaces;

static INFO: AttackInfo = AttackInfo {
    id: "sensitive-places",
    title: "Sensitive places",
    sentence: "The adversary looks up which traces stay at places that tell something about a person.",
    needs: &[Need::Section],
    standing: Standing::Gate,
    source: "survey 8.3",
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    /// A table of places with the columns latitude and longitude, or x and y in metres.
    places: PathBuf,
    /// Metres around a place.
    #[serde(default = "radius")]
    radius: f64,
    /// The shortest stay in seconds.
    #[serde(default = "shortest")]
    shortest: i64,
}

fn radius() -> f64 {
    100.0
}

fn shortest() -> i64 {
    600
}

impl Attack for SensitivePlaces {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let release = published(release)?;
        let traces = release.traces()?;
        let section: Section = known.section(INFO.id)?.ok_or(Need::Section)?;
        let places = places::positions(&known.path(&section.places), &release.plane, progress)?;
        let stays =
            |points: &[crate::Point]| longest_stays(points, &places, section.radius, section.shortest);
        let found: Vec<Vec<crate::attack::Stay>> = traces.iter().map(|own| stays(own.1)).collect();
        progress.check()?;
        let all = traces.len() as u64;
        let sure = found.iter().filter(|own| !own.is_empty()).count() as u64;
        let mut finding = Finding::new(&INFO, Share::new(sure, all));
        if let Some((original, who)) = scored(original, traces.len()) {
            let mut truth: Vec<Vec<u32>> = vec![Vec::new(); original.traces.object_count()];
            for (object, points) in original.traces.iter() {
                truth[object as usize].extend(stays(points).iter().map(|own| own.place));
            }
            let is_true = |trace: usize, person: u32| {
                found[trace].iter().any(|own| truth[person as usize].contains(&own.place))
            };
            let right = (0..traces.len()).filter(|&own| is_true(own, who[own])).count() as u64;
            finding.right = Some(Share::new(right, all));
            // The same guess about somebody else.
            let other = |own: usize| who[(own + who.len() / 2 + 1) % who.len()];
            let control = (0..traces.len()).filter(|&own| is_true(own, other(own))).count() as u64;
            finding.control = Some(Share::new(control, all));
        }
        Ok(vec![finding])
    }
}
