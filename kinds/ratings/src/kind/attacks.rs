//! The attacks on the seam: what is known comes from the knowledge file, else it is the usual.

use privet_data::Progress;
use privet_kind::page::Series;
use privet_kind::{
    Attack, AttackInfo, Finding, KindError, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};
use serde::Deserialize;

use super::{OriginalRatings, PublishedRatings};
use crate::attack::{self, CurvePoint, Released, Scoreboard, curve, disclosure, linkage, scoreboard};
use crate::{Ratings, RatingsError};

/// People attacked unless the knowledge file says otherwise.
const TARGETS: usize = 1_000;
/// People attacked for each point of a curve.
const CURVE_TARGETS: usize = 200;
/// The most ratings known in a curve.
const CURVE: u32 = 12;

/// The release and the original that scores the attack.
fn both<'a>(
    release: Views<'a>,
    original: Option<Views<'a>>,
) -> Result<(&'a PublishedRatings, &'a Ratings, &'a [u32]), Unmade> {
    let published =
        release.get::<PublishedRatings>().ok_or(Reason::Nothing { what: "table of ratings".to_owned() })?;
    let original = original.and_then(|views| views.get::<OriginalRatings>()).ok_or(Need::Original)?;
    let rows = original.row_of.as_deref().ok_or(Need::Original)?;
    Ok((published, &original.ratings, rows))
}

fn failed(error: RatingsError) -> Unmade {
    Unmade::Failed(error.into())
}

/// The most ratings that an adversary may know of anybody: sensitive ratings are never known.
fn most_open(original: &Ratings) -> Result<u32, Unmade> {
    let open =
        |user: u32| original.row(user).of.iter().filter(|&&item| !original.is_sensitive(item)).count() as u32;
    let most = (0..original.users().len() as u32).map(open).max().filter(|&most| most > 0);
    most.ok_or_else(|| Reason::Nothing { what: "rating that is not sensitive".to_owned() }.into())
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct KnownRatings {
    known: u32,
    wrong: u32,
    rating_error: f64,
    /// By how many days dates are off at most.
    days: u32,
    /// Whether dates are known.
    times: bool,
    targets: usize,
}

impl Default for KnownRatings {
    fn default() -> Self {
        let attack::Knowledge { known, wrong, rating_error, days } = attack::Knowledge::default();
        Self { known, wrong, rating_error, days: days.unwrap_or(0), times: true, targets: TARGETS }
    }
}

impl KnownRatings {
    fn read(known: &Knowledge, id: &str, original: &Ratings) -> Result<Self, Unmade> {
        let section: Self = known.section(id)?.unwrap_or_default();
        if section.known == 0 || section.wrong > section.known || section.targets == 0 {
            let problem = "needs `known` and `targets` of at least 1, and `wrong` of at most `known`";
            return Err(KindError::key(id, problem).into());
        }
        if !(section.rating_error.is_finite() && section.rating_error >= 0.0) {
            return Err(KindError::key(format!("{id}.rating-error"), "must be a number from 0 on").into());
        }
        // Who rated little cannot be attacked with much knowledge; in small data less is taken to be known, and in the same
        // proportion wrong.
        let fitted = section.known.min(most_open(original)?);
        let wrong = u64::from(section.wrong) * u64::from(fitted) / u64::from(section.known);
        Ok(Self { known: fitted, wrong: wrong as u32, ..section })
    }

    fn knowledge(&self) -> attack::Knowledge {
        attack::Knowledge {
            known: self.known,
            wrong: self.wrong,
            rating_error: self.rating_error,
            days: self.times.then_some(self.days),
        }
    }
}

/// Narayanan and Shmatikov's scoreboard.
pub(super) struct ScoreboardAttack;

impl Attack for ScoreboardAttack {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "scoreboard",
            title: "Re-identification by a few known ratings",
            sentence: "The adversary knows a few ratings of a person, some of them wrong, and names the row that fits far better than all others.",
            needs: &[Need::Original],
            standing: Standing::Gate,
            source: "Narayanan and Shmatikov 2008; thesis, section 6",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let (published, original, rows) = both(release, original)?;
        let on = Released::in_order(original, &published.ratings, rows).map_err(failed)?;
        let asked = KnownRatings::read(known, self.info().id, original)?;
        progress.stage("attacking by known ratings", None);
        let rough = asked.knowledge();
        let exact = attack::Knowledge { wrong: 0, rating_error: 0.0, ..rough };
        let mut findings = Vec::new();
        for (variant, knowledge) in variants(rough, exact, published.ratings.has_days()) {
            let found = scoreboard(&on, &knowledge, asked.targets, known.seed, progress).map_err(failed)?;
            findings.extend(self.findings(&found, variant, &on));
        }
        if let Some(first) = findings.first_mut() {
            first.curves = curves(&on, &rough, known.seed, progress)?;
        }
        Ok(findings)
    }
}

/// What the adversary may know: part of it wrong, all of it exact, and, where the release has dates, ratings without dates.
fn variants(
    rough: attack::Knowledge,
    exact: attack::Knowledge,
    has_days: bool,
) -> Vec<(String, attack::Knowledge)> {
    let name = |own: &attack::Knowledge| match own.wrong {
        0 => format!("{} known ratings", own.known),
        wrong => format!("{} known ratings, {wrong} of them wrong", own.known),
    };
    let mut variants = vec![(name(&rough), rough)];
    if rough != exact {
        variants.push((format!("{} known ratings, all exact", exact.known), exact));
    }
    if has_days && rough.days.is_some() {
        let dateless = attack::Knowledge { days: None, ..rough };
        variants.push((format!("{}, without dates", name(&dateless)), dateless));
    }
    variants
}

impl ScoreboardAttack {
    fn findings(&self, found: &Scoreboard, variant: String, on: &Released<'_>) -> [Finding; 2] {
        let share = |hits: u64| Share::new(hits, found.targets);
        let sampled = found.targets < on.original.users().len() as u64;
        let mut named = Finding::new(self.info(), share(found.identified + found.mistaken));
        named.right = Some(share(found.identified));
        named.control = Some(share(0));
        named.sampled = sampled;
        named.notes = vec![Note::of_original(format!(
            "With the row of the person taken out, the adversary still names a row for {} of {} people, and is wrong each time.",
            found.control_named, found.targets
        ))];
        let mut guess = Finding::new(self.info(), share(found.targets));
        guess.variant = format!("{variant}, best row always taken");
        named.variant = variant;
        guess.right = Some(share(found.best_guess.round() as u64));
        guess.control = Some(share(found.by_chance.round() as u64));
        guess.sampled = sampled;
        // The adversary cannot tell right guesses from wrong ones.
        guess.counts = false;
        [named, guess]
    }
}

/// The share re-identified over what is known: under plain pseudonyms, in the release, and named without the row.
fn curves(
    on: &Released<'_>,
    knowledge: &attack::Knowledge,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<Series>, Unmade> {
    let identity: Vec<u32> = (0..on.original.users().len() as u32).collect();
    let plain = Released::in_order(on.original, on.original, &identity).map_err(failed)?;
    let run = |on: &Released<'_>| curve(on, knowledge, CURVE, CURVE_TARGETS, seed, progress).map_err(failed);
    let (before, after) = (run(&plain)?, run(on)?);
    let series = |name: &str, points: &[CurvePoint], value: &dyn Fn(&Scoreboard) -> f64| Series {
        name: name.to_owned(),
        points: points.iter().map(|point| (f64::from(point.known), value(&point.found))).collect(),
    };
    let control = |found: &Scoreboard| found.control_named as f64 / found.targets.max(1) as f64;
    Ok(vec![
        series("plain pseudonyms", &before, &Scoreboard::rate),
        series("this release", &after, &Scoreboard::rate),
        series("named wrongly without the row", &after, &control),
    ])
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Preferences {
    known: u32,
    tolerance: Option<f64>,
    targets: usize,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { known: 4, tolerance: None, targets: TARGETS }
    }
}

/// The thesis' linkage attack.
pub(super) struct LinkageAttack;

impl Attack for LinkageAttack {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "linkage",
            title: "Linkage by preferences",
            sentence: "The adversary knows roughly how much a person likes a few items, and keeps the rows that fit.",
            needs: &[Need::Original],
            standing: Standing::Gate,
            source: "thesis, section 0 and Table 6.1",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let (published, original, rows) = both(release, original)?;
        let on = Released::in_order(original, &published.ratings, rows).map_err(failed)?;
        let asked: Preferences = known.section(self.info().id)?.unwrap_or_default();
        if asked.known == 0 || asked.targets == 0 {
            return Err(KindError::key(self.info().id, "needs `known` and `targets` of at least 1").into());
        }
        progress.stage("attacking by preferences", None);
        let tolerance = asked.tolerance.unwrap_or(original.scale().step());
        let count = asked.known.min(most_open(original)?);
        let found = linkage(&on, count, tolerance, asked.targets, known.seed, progress).map_err(failed)?;
        let sampled = found.targets < original.users().len() as u64;
        let share = |hits: u64| Share::new(hits, found.targets);
        let mut identity = Finding::new(self.info(), share(found.identified + found.mistaken));
        identity.variant = format!("{count} known preferences, within {tolerance}");
        identity.right = Some(share(found.identified));
        identity.control = Some(share(0));
        identity.sampled = sampled;
        identity.notes = vec![Note::of_original(format!(
            "With the row of the person taken out, exactly one row fits for {} of {} people, and it is somebody else's.",
            found.control_single, found.targets
        ))];
        let mut findings = vec![identity];
        if found.with_sensitive > 0 {
            let share = |hits: u64| Share::new(hits, found.with_sensitive);
            let mut attribute = Finding::new(self.info(), share(found.disclosed));
            attribute.variant = "sensitive rating shared by all that fit".to_owned();
            attribute.right = Some(share(found.disclosed));
            attribute.control = Some(share(found.control_disclosed));
            attribute.sampled = sampled;
            findings.push(attribute);
        }
        Ok(findings)
    }
}

/// Guesses of sensitive ratings.
pub(super) struct DisclosureAttack;

impl Attack for DisclosureAttack {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "sensitive-ratings",
            title: "Guessing sensitive ratings",
            sentence: "The adversary weighs all rows by how well they fit a few known ratings, and guesses the sensitive rating with the most weight.",
            needs: &[Need::Original],
            standing: Standing::Gate,
            source: "Narayanan and Shmatikov 2008, section 4; thesis, section 0",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let (published, original, rows) = both(release, original)?;
        if !(0..original.items().len() as u32).any(|item| original.is_sensitive(item)) {
            return Err(Reason::Nothing { what: "item that is declared sensitive".to_owned() }.into());
        }
        let on = Released::in_order(original, &published.ratings, rows).map_err(failed)?;
        let asked = KnownRatings::read(known, self.info().id, original)?;
        progress.stage("guessing sensitive ratings", None);
        let found =
            disclosure(&on, &asked.knowledge(), asked.targets, known.seed, progress).map_err(failed)?;
        if found.ratings == 0 {
            return Err(Reason::Nothing { what: "sensitive rating of the people attacked".to_owned() }.into());
        }
        let share = |hits: u64| Share::new(hits, found.ratings);
        let mut guessed = Finding::new(self.info(), share(found.ratings));
        guessed.variant = format!("{} known ratings", asked.known);
        guessed.right = Some(share(found.right));
        guessed.control = Some(share(found.control_right.max(found.plain_right)));
        guessed.sampled = asked.targets < original.users().len();
        guessed.notes = vec![Note::of_original(format!(
            "Of {} sensitive ratings {} are guessed rightly, {} without the row of the person, and {} by the most frequent rating alone.",
            found.ratings, found.right, found.control_right, found.plain_right
        ))];
        Ok(vec![guessed])
    }
}
