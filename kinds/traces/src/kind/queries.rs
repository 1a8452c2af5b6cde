//! Queries over published regions (survey US-19): what a service that sees regions alone sends, and whether clients find their answer.

use foldhash::HashMap;
use privet_data::Progress;
use privet_kind::{Figure, KindError, Measure, MeasureInfo, Reason, Unmade, Views};

use super::make::crowds;
use super::measures::both;
use super::{Form, Method};
use crate::{Places, Position};

/// The most regions that are asked about.
const MOST: usize = 2000;
/// The distance of range queries in metres.
const METRES: f64 = 500.0;

pub(super) struct RegionQueries;

static INFO: MeasureInfo = MeasureInfo {
    id: "queries-on-regions",
    title: "Queries on regions",
    sentence: "How many of the places of `traces.places` answer a question about a region, and whether the person finds the true answer \
               among them.",
};

impl Measure for RegionQueries {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let (release, original) = both(release, original)?;
        let (Form::Regions { records, .. }, Method::Cloaking(options)) = (&release.form, &release.method)
        else {
            return Err(Reason::Nothing { what: "region".to_owned() }.into());
        };
        let places = original.places.as_deref().filter(|own| !own.is_empty());
        let places = places.ok_or(Reason::Nothing { what: "public place in `traces.places`".to_owned() })?;
        let places = Places::new(places).map_err(KindError::from)?;
        // Where each person really was, where the owner kept who is who.
        let mut truth: HashMap<(i64, u32), Position> = HashMap::default();
        for (window, people) in crowds(&original.traces, options.window) {
            truth.extend(people.iter().map(|own| ((window, own.0), own.1)));
        }
        let who = original.who.as_deref().filter(|own| own.len() == records.len());
        let all: Vec<u32> = (0..places.len() as u32).collect();
        let (mut nearest, mut within, mut needless) = (0usize, 0usize, 0usize);
        let (mut asked, mut known, mut found) = (0usize, 0usize, 0usize);
        for at in (0..records.len()).step_by(records.len().div_ceil(MOST).max(1)) {
            progress.check().map_err(KindError::from)?;
            let region = records[at].region;
            let (near, range) =
                (places.nearest_candidates(&region), places.range_candidates(&region, METRES));
            asked += 1;
            nearest += near.len();
            within += range.len();
            let Some(&position) = who.and_then(|own| truth.get(&(records[at].window, own[at]))) else {
                continue;
            };
            known += 1;
            needless += range.len() - places.within(&range, position, METRES).len();
            let distance = |own: Option<u32>| own.map(|own| places.position(own).squared_distance(position));
            let is_nearest =
                distance(places.nearest(&near, position)) == distance(places.nearest(&all, position));
            found += usize::from(
                is_nearest
                    && places.within(&range, position, METRES) == places.within(&all, position, METRES),
            );
        }
        let mean = |sum: usize, of: usize| sum as f64 / of.max(1) as f64;
        let mut figures = vec![
            Figure::single(&INFO, "candidates for the nearest place", mean(nearest, asked)),
            Figure::single(&INFO, "candidates within 500 m", mean(within, asked)),
        ];
        if known > 0 {
            figures.push(Figure::single(&INFO, "candidates that the person discards", mean(needless, known)));
            figures.push(Figure::single(&INFO, "true answers found", mean(found, known)).as_share());
        }
        Ok(figures)
    }
}
