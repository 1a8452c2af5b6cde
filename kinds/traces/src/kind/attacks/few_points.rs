//! Uniqueness by a few known points (de Montjoye et al. 2013): the adversary met somebody a few times.

use foldhash::HashMap;
use privet_data::{Progress, Random};
use privet_kind::page::Series;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};
use serde::Deserialize;

use super::super::view::{Form, PublishedTraces, published};
use super::needed;
use crate::attack::{VisitIndex, visits_of};
use crate::{Cell, Tiling, Visit};

pub(super) struct FewPoints;

static INFO: AttackInfo = AttackInfo {
    id: "few-points",
    title: "A few known points",
    sentence: "The adversary knows where somebody was at a few times, and looks for records that fit all of them.",
    needs: &[Need::Original],
    standing: Standing::Gate,
    source: "de Montjoye et al. 2013",
};

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    /// The numbers of known points.
    points: Vec<usize>,
    /// How many people are attacked.
    people: usize,
    /// Seconds of a span: how exactly times are known.
    window: i64,
}

impl Default for Section {
    fn default() -> Self {
        Self { points: vec![1, 2, 4, 8], people: 500, window: 3600 }
    }
}

/// The number of points that counts towards limits.
const COUNTED: usize = 4;

/// Finds the published records that fit known points.
enum Search {
    /// Traces by their visits.
    Traces(VisitIndex),
    /// Generalized traces by their visits at each level.
    Visits(HashMap<(i64, Cell, u8), Vec<u32>>, u8, Tiling),
}

impl Search {
    fn new(release: &PublishedTraces, tiling: &Tiling, window: i64) -> Result<(Self, usize), Unmade> {
        match &release.form {
            Form::Traces { traces, .. } => {
                let visits = visits_of(traces, tiling, 0, window).map_err(privet_kind::KindError::from)?;
                Ok((Self::Traces(VisitIndex::new(&visits)), traces.len()))
            }
            Form::Visits { records, tiling, .. } => {
                let mut index: HashMap<(i64, Cell, u8), Vec<u32>> = HashMap::default();
                for (record, number) in records.iter().zip(0u32..) {
                    for &Visit { window, cell, level } in &record.0 {
                        index.entry((window, cell, level)).or_default().push(number);
                    }
                }
                index.values_mut().for_each(Vec::dedup);
                Ok((Self::Visits(index, tiling.levels(), *tiling), records.len()))
            }
            _ => Err(Reason::Nothing { what: "trace".to_owned() }.into()),
        }
    }

    fn fitting(&self, known: &[(i64, Cell)]) -> Vec<u32> {
        match self {
            Self::Traces(index) => index.with_all(known),
            Self::Visits(index, levels, tiling) => {
                let mut found: Option<Vec<u32>> = None;
                for &(window, cell) in known {
                    // A record tells a cell at the one or the other level.
                    let at = |level| index.get(&(window, tiling.coarser(cell, level), level));
                    let mut now: Vec<u32> = (0..*levels).filter_map(at).flatten().copied().collect();
                    now.sort_unstable();
                    now.dedup();
                    found = Some(match found {
                        None => now,
                        Some(before) => {
                            before.into_iter().filter(|own| now.binary_search(own).is_ok()).collect()
                        }
                    });
                }
                found.unwrap_or_default()
            }
        }
    }
}

impl Attack for FewPoints {
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
        let original = needed(original)?;
        let mut section = known.section::<Section>(INFO.id)?.unwrap_or_default();
        if section.points.is_empty() || section.points.contains(&0) || section.window <= 0 {
            let problem = "needs numbers of points and a window above 0";
            return Err(privet_kind::KindError::key("few-points", problem).into());
        }
        let (mut tiling, mut single) = (Tiling::usual(&release.plane), false);
        if let (Form::Visits { tiling: own, .. }, super::super::Method::Cells(cells)) =
            (&release.form, &release.method)
        {
            (tiling, section.window) = (*own, cells.window);
            single = cells.unit == crate::Unit::Position;
        }
        if single {
            // Positions without pseudonyms: more points are about other records.
            section.points = vec![1];
        }
        let (search, all) = Search::new(release, &tiling, section.window)?;
        let who = original.who.as_deref().filter(|own| own.len() == all).ok_or(Need::Original)?;
        // The adversary's points are true ones, on the plane of the release.
        let traces = &original.traces;
        if traces.plane != release.plane {
            let problem = "the original does not lie on the plane of the release; give the job that made it";
            return Err(privet_kind::KindError::bad_input(problem).into());
        }
        let visits = visits_of(traces, &tiling, 0, section.window).map_err(privet_kind::KindError::from)?;
        let mut random = Random::stream(known.seed, 7);
        let mut people: Vec<u32> = (0..traces.len() as u32).collect();
        random.shuffle(&mut people);
        people.truncate(section.people);
        let (mut findings, mut curve) = (Vec::new(), Vec::new());
        for &points in &section.points {
            progress.check()?;
            let (mut sure, mut right, mut control) = (0, 0, 0);
            for (place, &own) in people.iter().enumerate() {
                let drawn = draw(&visits[own as usize], points, &mut random);
                let object = traces.object(own as usize);
                if let [one] = search.fitting(&drawn)[..] {
                    sure += 1;
                    right += u64::from(who[one as usize] == object);
                }
                // What is known of somebody else leads to this person by chance.
                let other = people[(place + people.len() / 2) % people.len()];
                let drawn = draw(&visits[other as usize], points, &mut random);
                if let [one] = search.fitting(&drawn)[..] {
                    control += u64::from(other != own && who[one as usize] == object);
                }
            }
            let of = people.len() as u64;
            let mut finding = Finding::new(&INFO, Share::new(sure, of));
            finding.variant = format!("{points} known points");
            finding.right = Some(Share::new(right, of));
            finding.control = Some(Share::new(control, of));
            finding.sampled = people.len() < traces.len();
            // Where that number is not asked about, no list keeps the attack from counting.
            finding.counts = points == COUNTED || !section.points.contains(&COUNTED);
            curve.push((points as f64, right as f64 / of.max(1) as f64));
            findings.push(finding);
        }
        if let Some(last) = findings.last_mut() {
            last.curves.push(Series { name: "found by so many known points".to_owned(), points: curve });
            let text = format!("Points are known to a cell and a span of {} seconds.", section.window);
            last.notes.push(Note::of_knowledge(text));
        }
        Ok(findings)
    }
}

fn draw(visits: &[(i64, Cell)], points: usize, random: &mut Random) -> Vec<(i64, Cell)> {
    if visits.is_empty() {
        return Vec::new();
    }
    (0..points).map(|_| visits[random.below(visits.len())]).collect()
}
