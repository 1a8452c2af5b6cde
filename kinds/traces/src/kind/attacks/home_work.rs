//! Home and work against fixed pseudonyms (survey AP-17): nights and workdays tell who it is.

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Note, Share, Standing, Unmade, Views};
use serde::Deserialize;

use super::super::view::published;
use super::scored;
use crate::attack::{HomeWork, home_and_work};
use crate::{Point, Position, Traces};

/// How close a guess must be to count, in metres.
const NEAR: f64 = 250.0;

pub(super) struct HomeAndWork;

static INFO: AttackInfo = AttackInfo {
    id: "home-work",
    title: "Home and work",
    sentence: "The adversary takes where a trace stays at night for a home, and where it stays on workdays for a place of work.",
    needs: &[],
    standing: Standing::Gate,
    source: "survey AP-17",
};

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    /// Seconds to add to times for local time.
    utc_offset: i64,
}

/// Home and work of each object, from all its points.
fn of_objects(traces: &Traces, offset: i64) -> Vec<HomeWork> {
    let mut points: Vec<Vec<Point>> = vec![Vec::new(); traces.object_count()];
    for (object, own) in traces.iter() {
        points[object as usize].extend_from_slice(own);
    }
    points.iter().map(|own| home_and_work(own, offset)).collect()
}

fn is_near(a: Option<Position>, b: Option<Position>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a.distance(b) <= NEAR)
}

impl Attack for HomeAndWork {
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
        let traces = published(release)?.traces()?;
        let offset = known.section::<Section>(INFO.id)?.unwrap_or_default().utc_offset;
        let guesses: Vec<HomeWork> = traces.iter().map(|own| home_and_work(own.1, offset)).collect();
        progress.check()?;
        let of = guesses.len() as u64;
        let count = |is: &dyn Fn(usize) -> bool| {
            Share::new((0..guesses.len()).filter(|&own| is(own)).count() as u64, of)
        };
        let truth = scored(original, traces.len()).map(|(own, who)| (of_objects(&own.traces, offset), who));
        type Place = fn(&HomeWork) -> Option<Position>;
        let places: [(&str, Place); 2] = [("home", |own| own.home), ("work", |own| own.work)];
        let findings = places.map(|(variant, place)| {
            let mut finding = Finding::new(&INFO, count(&|own| place(&guesses[own]).is_some()));
            finding.variant = variant.to_owned();
            if let Some((truth, who)) = &truth {
                let true_place = |own: usize| place(&truth[who[own] as usize]);
                finding.right = Some(count(&|own| is_near(place(&guesses[own]), true_place(own))));
                // The guess for somebody else.
                let other = |own: usize| (own + guesses.len() / 2 + 1) % guesses.len();
                finding.control = Some(count(&|own| is_near(place(&guesses[other(own)]), true_place(own))));
            }
            let text = "A guess is right within 250 metres of where the person's own points say the same.";
            finding.notes.push(Note::of_knowledge(text));
            finding
        });
        Ok(findings.into())
    }
}
