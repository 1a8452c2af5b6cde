//! The attacks on series in time (survey AT-18), in the form of all others.
//!
//! # Guarantee
//! Records without a published value are left out of the series, those without an original one out of the score. Known
//! points are spread evenly over the series, so that nothing is drawn, and are not scored: what is known already is not
//! recovered.

use privet_perturb::Law;

use super::table::Table;
use super::unit::{helps, nearest, rounded_error, words};
use super::{Knowing, NoiseFinding, Outcome, PerturbedColumn, estimated, told};
use crate::attacks::AttackWord;
use crate::noise::records::{NoiseAttackError, Records};
use crate::noise::score::Score;
use crate::noise::series::{haar_filter, known_points};

/// The word of the attack in files.
pub const WAVELET_FILTER: &str = "wavelet-filter";

/// What it is.
pub(crate) const ABOUT_WAVELET_FILTER: AttackWord = AttackWord {
    word: WAVELET_FILTER,
    title: "Filter over time",
    sentence: "The adversary knows in which order the records follow each other in time and smooths away what changes faster than such numbers do.",
    ..AttackWord::APART
};

/// The word of the attack in files.
pub const KNOWN_POINTS: &str = "known-points";

/// What it is.
pub(crate) const ABOUT_KNOWN_POINTS: AttackWord = AttackWord {
    word: KNOWN_POINTS,
    title: "Known points in time",
    sentence: "The adversary knows the true values at some times and learns from them how much of the noise at all others can be taken off.",
    ..AttackWord::APART
};

/// The farthest that the regression at known points looks around a point.
const REACH: usize = 5;

/// Filters the noise out of every column that has some, with the records in the order of time.
///
/// # Errors
/// As [`super::assess`].
pub fn filter_series(
    columns: &[PerturbedColumn<'_>],
    knowing: &Knowing,
) -> Result<Vec<NoiseFinding>, NoiseAttackError> {
    Table::new(columns)?.all_series(knowing)
}

/// A series without its gaps.
struct Series {
    published: Vec<f64>,
    /// `None` where the original is missing, or all of it is.
    truth: Vec<Option<f64>>,
    deviation: f64,
    /// What originals are multiples of, where rounding to it helps.
    unit: Option<f64>,
}

impl Series {
    /// Rounds estimates and the error that is expected of them, in deviations of the noise, where that helps.
    fn round(&self, estimates: &mut [f64], error: &mut f64) {
        if let Some(unit) = self.unit {
            estimates.iter_mut().for_each(|own| *own = nearest(*own, unit));
            *error = rounded_error(*error, unit / self.deviation);
        }
    }

    /// The score of estimates at all points but some; `None` without a point whose truth is known.
    fn score(
        &self,
        estimates: &[f64],
        knowing: &Knowing,
        is_scored: impl Fn(usize) -> bool,
    ) -> Result<Option<Score>, NoiseAttackError> {
        let (mut truth, mut published, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for (at, ((value, estimate), original)) in
            self.published.iter().zip(estimates).zip(&self.truth).enumerate()
        {
            if let Some(original) = original.filter(|_| is_scored(at)) {
                truth.push(original);
                published.push(*value);
                own.push(*estimate);
            }
        }
        if truth.is_empty() {
            return Ok(None);
        }
        let [truth, published, own] = [&truth, &published, &own].map(|values| Records::new(values, 1));
        Score::of(truth?, published?, own?, &[self.deviation], knowing.tolerance).map(Some)
    }
}

impl Table<'_> {
    pub(super) fn all_series(&self, knowing: &Knowing) -> Result<Vec<NoiseFinding>, NoiseAttackError> {
        let mut findings = Vec::new();
        for column in self.columns {
            findings.push(self.wavelets(column, knowing)?);
            if knowing.known_points > 0 {
                findings.push(self.at_known_points(column, knowing)?);
            }
        }
        Ok(findings)
    }

    /// The series of a column, or why there is none.
    fn series_of(&self, column: &PerturbedColumn<'_>, knowing: &Knowing) -> Result<Series, &'static str> {
        // Correlated noise is so between columns, not between records.
        let deviation = match (column.law, column.together) {
            (Law::Add(noise), _) if !noise.is_none() => noise.variance().sqrt(),
            (Law::Keep, Some(_)) => self.deviation_of(column),
            _ => 0.0,
        };
        if deviation <= 0.0 {
            return Err("no noise is added to the column.");
        }
        if !knowing.in_time {
            return Err(
                "the records are not said to be in the order of time (`[time]` of the knowledge file).",
            );
        }
        let truth = |at: usize| column.original?.get(at).copied().filter(|value| !value.is_nan());
        let kept = column.values.iter().enumerate().filter(|(_, value)| !value.is_nan());
        let (published, truth): (Vec<f64>, Vec<Option<f64>>) =
            kept.map(|(at, value)| (*value, truth(at))).unzip();
        if published.len() < 2 {
            return Err("fewer than two values are published.");
        }
        let unit = helps(column.unit, deviation, knowing).then_some(column.unit);
        Ok(Series { published, truth, deviation, unit })
    }

    fn wavelets(
        &self,
        column: &PerturbedColumn<'_>,
        knowing: &Knowing,
    ) -> Result<NoiseFinding, NoiseAttackError> {
        let finding = |outcome, verdict: String| NoiseFinding {
            attack: WAVELET_FILTER,
            columns: vec![column.name.to_owned()],
            assumes: "the release in the order of time, and its published noise model",
            outcome,
            verdict,
            links: Vec::new(),
        };
        let series = match self.series_of(column, knowing) {
            Ok(series) => series,
            Err(why) => return Ok(finding(Outcome::NotMade, why.to_owned())),
        };
        let mut found = haar_filter(&series.published, series.deviation)?;
        series.round(&mut found.estimates, &mut found.expected_error);
        let score = series.score(&found.estimates, knowing, |_| true)?;
        let outcome = estimated(found.expected_error, &[Some(found.expected_error)], score, knowing);
        let verdict = format!(
            "{} of {} wavelet coefficients hold more than noise; dropping the others {}.{}",
            found.kept,
            series.published.len() - 1,
            told(&outcome),
            words(series.unit.is_some())
        );
        Ok(finding(outcome, verdict))
    }

    fn at_known_points(
        &self,
        column: &PerturbedColumn<'_>,
        knowing: &Knowing,
    ) -> Result<NoiseFinding, NoiseAttackError> {
        let finding = |outcome, verdict: String| NoiseFinding {
            attack: KNOWN_POINTS,
            columns: vec![column.name.to_owned()],
            assumes: "the release in the order of time, and the true values at some times",
            outcome,
            verdict,
            links: Vec::new(),
        };
        let series = match self.series_of(column, knowing) {
            Ok(series) => series,
            Err(why) => return Ok(finding(Outcome::NotMade, why.to_owned())),
        };
        let there: Vec<(usize, f64)> =
            series.truth.iter().enumerate().filter_map(|(at, truth)| Some((at, (*truth)?))).collect();
        let count = knowing.known_points;
        let why = if there.is_empty() {
            "what is known is taken from the original, and there is none."
        } else if count < 4 {
            "fewer than 4 points are known."
        } else if count >= there.len() {
            "as many points are said to be known as there are, so nothing is left to recover."
        } else {
            ""
        };
        if !why.is_empty() {
            return Ok(finding(Outcome::NotMade, why.to_owned()));
        }
        // The middle of each of `count` stretches.
        let known: Vec<(usize, f64)> = (0..count)
            .filter_map(|at| there.get((2 * at as u128 + 1) as usize * there.len() / (2 * count)).copied())
            .collect();
        // At least twice as many points as weights.
        let reach = (count / 4 - 1).min(REACH);
        let mut found = match known_points(&series.published, &known, reach) {
            Ok(found) => found,
            Err(NoiseAttackError::Parameter { .. }) => {
                let why = "the published values at the known points do not tell anything.";
                return Ok(finding(Outcome::NotMade, why.to_owned()));
            }
            Err(error) => return Err(error),
        };
        let is_known = |at: usize| known.binary_search_by_key(&at, |own| own.0).is_ok();
        let mut expected_error = found.error_at_known.map_or(1.0, |own| own / series.deviation);
        series.round(&mut found.estimates, &mut expected_error);
        let score = series.score(&found.estimates, knowing, |at| !is_known(at))?;
        let outcome = estimated(expected_error, &[Some(expected_error)], score, knowing);
        let verdict = format!(
            "A line through the {count} points that are known, by the {} published values around each, {}.{}",
            2 * reach + 1,
            told(&outcome),
            words(series.unit.is_some())
        );
        Ok(finding(outcome, verdict))
    }
}
