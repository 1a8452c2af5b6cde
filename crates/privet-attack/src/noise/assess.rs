//! All attacks that apply to a table of perturbed numbers, from the published values and noise model.
//!
//! # Guarantee
//! Estimates are made without the original; where it is given it scores them, and it stands in for the adversary's
//! file of people in linking. Every attack of the module is listed (known points where some are): those that cannot be made say why. Findings hold
//! counts, rates and errors in units of the noise, never a value of the data.
//!
//! Numbers that are multiplied by 1 + noise have noise of variance σ²·E\[X²\] that does not go with the value; E\[X²\]
//! is E\[Y²\]/(1+σ²). The best linear estimate needs no more than that. Linking uses the density itself.
//!
//! Noise that is correlated as the data are (survey ME-24) has d/(1+d) of the covariance of the published columns. The best
//! linear estimate and linking use that covariance. Within these columns alone the former is no more than a step towards
//! the mean, which leaves 1/√(1+d) deviations of the noise; columns beside them that depend on theirs tell more. A filter
//! that drops directions has nothing to drop among them, and says so.

pub(crate) mod copies;
pub(crate) mod people;
pub(crate) mod series;
mod table;
mod unit;

use privet_perturb::Law;
use serde::Serialize;

use super::categories::PerturbedCategories;
use super::constant::constant_column;
use super::linkage::{Link, LinkageScore};
use super::records::{NoiseAttackError, Records, check_spread};
use super::score::Score;
use super::spectral::{best_linear, spectral_filter};
use crate::attacks::AttackWord;
use crate::attacks::ids;
use crate::percent;
pub use copies::average_copies;
pub use series::filter_series;
use table::Table;

/// The word of the attack in files.
pub const CONSTANT_COLUMN: &str = "constant-column";

/// What it is.
pub(crate) const ABOUT_CONSTANT_COLUMN: AttackWord = AttackWord {
    word: CONSTANT_COLUMN,
    title: "Constant column",
    sentence: "The adversary takes the mean of a column in which everybody has the same value, and the noise, which is as often too high as too low, averages out.",
    ..AttackWord::APART
};

/// The word of the attack in files.
pub const SPECTRAL_FILTER: &str = "spectral-filter";

/// What it is.
pub(crate) const ABOUT_SPECTRAL_FILTER: AttackWord = AttackWord {
    word: SPECTRAL_FILTER,
    title: "Spectral filter",
    sentence: "The adversary looks in which directions the published columns vary more than noise alone would make them, and drops all others, with the noise that is in them.",
    ..AttackWord::APART
};

/// The word of the attack in files.
pub const BEST_LINEAR_ESTIMATE: &str = "best-linear-estimate";

/// What it is.
pub(crate) const ABOUT_BEST_LINEAR_ESTIMATE: AttackWord = AttackWord {
    word: BEST_LINEAR_ESTIMATE,
    title: "Best linear estimate",
    sentence: "The adversary moves every published number towards what the other columns and the law of the noise lead to expect.",
    ..AttackWord::APART
};

/// The word of the attack in files.
pub const FILTERS: &str = "filters";

/// What it is.
pub(crate) const ABOUT_FILTERS: AttackWord = AttackWord {
    word: FILTERS,
    title: "Filters of noise",
    sentence: "The adversary estimates what numbers were before noise was added, from what goes together in the release and from the published law.",
    ..AttackWord::APART
};

/// The word of the attack in files.
pub const DINUR_NISSIM: &str = "dinur-nissim";

/// What it is.
pub(crate) const ABOUT_DINUR_NISSIM: AttackWord = AttackWord {
    word: DINUR_NISSIM,
    title: "Reconstruction from counts",
    sentence: "The adversary asks how many of many sets of people have a property and looks for the only table that fits all answers.",
    ..AttackWord::APART
};

/// The word of the attack in files.
pub const WEIGHTED_SUMS: &str = "weighted-sums";

/// What it is.
pub(crate) const ABOUT_WEIGHTED_SUMS: AttackWord = AttackWord {
    word: WEIGHTED_SUMS,
    title: "Reconstruction from weighted sums",
    sentence: "The adversary asks for many weighted sums over people and computes their values from the answers, although some of these are wrong.",
    ..AttackWord::APART
};

/// The word of the attack in files.
pub const LOCAL_SENSITIVITY: &str = "local-sensitivity";

/// What it is.
pub(crate) const ABOUT_LOCAL_SENSITIVITY: AttackWord = AttackWord {
    word: LOCAL_SENSITIVITY,
    title: "Noise that is fitted to the data",
    sentence: "The adversary reads from the amount of noise in an answer what the data behind it look like.",
    ..AttackWord::APART
};

/// The word of the attack in files.
pub const UNDESIRED_REGRESSION: &str = "undesired-regression";

/// What it is.
pub(crate) const ABOUT_UNDESIRED_REGRESSION: AttackWord = AttackWord {
    word: UNDESIRED_REGRESSION,
    title: "Undesired regression",
    sentence: "The adversary fits a line to answers about ranges of values and so learns what was not asked for.",
    ..AttackWord::APART
};

/// A column of a perturbed release. What is not a number (NaN) is missing.
#[derive(Debug, Clone, Copy)]
pub struct PerturbedColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// The published values.
    pub values: &'a [f64],
    /// The published law: [`Law::Keep`], [`Law::Add`] or [`Law::Multiply`].
    pub law: Law,
    /// Published values are rounded to multiples of this; 0 where they are not.
    pub step: f64,
    /// What all originals are multiples of, as far as it is published; 0 where it is not.
    pub unit: f64,
    /// With [`Law::Keep`]: the column shares noise with all others that have this factor, correlated as their values
    /// are (survey ME-24).
    pub together: Option<f64>,
    /// The values before the noise, which only the owner has.
    pub original: Option<&'a [f64]>,
}

/// What the adversary is taken to know, and what counts as success.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knowing {
    /// Whether the records are in the order of time.
    pub in_time: bool,
    /// At how many times, spread evenly, the true values are known; they are taken from the original.
    pub known_points: usize,
    /// A record is recovered when its error is at most this many deviations of the noise.
    pub tolerance: f64,
    /// A link counts when the adversary is at least this sure.
    pub confidence: f64,
    /// The seed by which records are drawn where not all are judged.
    pub seed: u64,
    /// Whether a few seconds are all the time there is: then fewer records are linked, where there are many.
    pub quick: bool,
}

impl Default for Knowing {
    /// No order in time, no known point; half a deviation; 0.9; seed 1; all the time there is.
    fn default() -> Self {
        Self { in_time: false, known_points: 0, tolerance: 0.5, confidence: 0.9, seed: 1, quick: false }
    }
}

/// What came of an attack.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was not made; the verdict says why.
    NotMade,
    /// Values were estimated.
    Estimated {
        /// Whether the noise was got rid of: see the verdict.
        succeeded: bool,
        /// The error that the adversary expects, in deviations of the noise.
        expected_error: f64,
        /// The error that was made, where the original is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        score: Option<Score>,
    },
    /// Records were linked to people.
    Linked {
        /// Whether people are found for sure, more often than by chance, and mostly rightly.
        succeeded: bool,
        /// How well the links hold.
        score: LinkageScore,
    },
}

impl Outcome {
    /// Whether the attack was made and succeeded.
    pub fn succeeded(&self) -> bool {
        match self {
            Self::NotMade => false,
            Self::Estimated { succeeded, .. } | Self::Linked { succeeded, .. } => *succeeded,
        }
    }
}

/// What an attack on noise found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoiseFinding {
    /// The word for the attack.
    pub attack: &'static str,
    /// The columns that it is about.
    pub columns: Vec<String>,
    /// What the adversary is taken to have, as a sentence.
    pub assumes: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// What that means, as sentences.
    pub verdict: String,
    /// Of each record that was linked: its place, the link, and whether it is right. For the owner alone.
    #[serde(skip)]
    pub links: Vec<(usize, Link, bool)>,
}

/// Makes every attack that applies.
///
/// # Errors
/// When there is no column, columns differ in length, a law is not for numbers, a value is infinite or too large, or
/// what counts as success is no number.
pub fn assess(
    columns: &[PerturbedColumn<'_>],
    knowing: &Knowing,
) -> Result<Vec<NoiseFinding>, NoiseAttackError> {
    assess_beside(columns, &[], &[], knowing)
}

/// The same, with columns of categories beside them: those that are published as they are, each category a number of its
/// own, and those that were changed by a known law, with their originals. They say nothing of how much noise was added; a
/// person is looked for by what is probable in them. Without columns of numbers only that is done.
///
/// # Errors
/// As [`assess`]; when there is no column of any kind.
pub fn assess_beside(
    columns: &[PerturbedColumn<'_>],
    beside: &[PerturbedColumn<'_>],
    categories: &[PerturbedCategories],
    knowing: &Knowing,
) -> Result<Vec<NoiseFinding>, NoiseAttackError> {
    let mut all = [columns, beside].concat();
    check_spread("the tolerance", knowing.tolerance)?;
    if !(0.0..=1.0).contains(&knowing.confidence) {
        return Err(NoiseAttackError::Parameter { name: "the confidence", accepted: "from 0 to 1" });
    }
    // Records need a place, also where no number tells them apart.
    let nowhere = vec![0.0; categories.first().map_or(0, |own| own.published.len())];
    if let (true, Some(_)) = (all.is_empty(), categories.first()) {
        let (law, together) = (Law::Keep, None);
        let original = Some(&nowhere[..]); // why: the whole of it
        all.push(PerturbedColumn {
            name: "",
            values: &nowhere,
            law,
            step: 0.0,
            unit: 0.0,
            together,
            original,
        });
    }
    let linkage = Table::new(&all)?.linkage(categories, knowing)?;
    if columns.is_empty() {
        return Ok(vec![linkage]);
    }
    let table = Table::new(columns)?;
    let mut findings = Vec::new();
    for column in columns {
        findings.push(table.constant(column, knowing)?);
    }
    findings.push(table.spectral(knowing)?);
    findings.push(table.best_linear(knowing)?);
    findings.push(linkage);
    findings.extend(table.all_series(knowing)?);
    findings.extend(QUESTIONS.map(|(attack, assumes, verdict)| NoiseFinding {
        attack,
        columns: Vec::new(),
        assumes,
        outcome: Outcome::NotMade,
        verdict: verdict.to_owned(),
        links: Vec::new(),
    }));
    Ok(findings)
}

/// Attacks on desks that answer questions: attack, what it assumes, why it does not apply to a table.
const QUESTIONS: [(&str, &str, &str); 5] = [
    (
        ids::AVERAGING,
        "the same number is published or answered many times, each time with new noise",
        "every value is in this release once, and no other release of the same table is given (`[[releases]]` of the \
         knowledge file). Publishing the same records again with new noise would let it in; publish again what was published, or charge every answer to a ledger.",
    ),
    (
        DINUR_NISSIM,
        "a desk answers how many of any set of people have a property, with little noise",
        "this release answers no questions about sets of people; `privet attack ledger` makes the attack on answers.",
    ),
    (
        WEIGHTED_SUMS,
        "a desk answers weighted sums over people, most of them with little noise",
        "this release answers no questions; `privet audit` makes the attack on answers.",
    ),
    (
        LOCAL_SENSITIVITY,
        "a desk fits the amount of noise to its own data",
        "no answers are given here whose noise could be fitted to them; what the noise depends on stands in the \
         manifest. `privet audit` makes the attack on answers.",
    ),
    (
        UNDESIRED_REGRESSION,
        "a desk answers counts, means and sums of squares of any range of values",
        "the records are published, so anybody may fit a line to them; noise of a published law does not \
         hinder that. `privet attack ledger` makes the attack on answers.",
    ),
];

impl Table<'_> {
    fn spectral(&self, knowing: &Knowing) -> Result<NoiseFinding, NoiseAttackError> {
        let finding = |outcome, verdict: String| NoiseFinding {
            attack: SPECTRAL_FILTER,
            columns: self.noisy(),
            assumes: "the release and its published noise model, nothing else",
            outcome,
            verdict,
            links: Vec::new(),
        };
        let multiplied = self.columns.iter().any(|column| matches!(column.law, Law::Multiply(_)));
        if let Some(why) = self
            .cannot()
            .or(multiplied.then_some("noise that is multiplied is not equally strong in all records."))
        {
            return Ok(finding(Outcome::NotMade, why.to_owned()));
        }
        // Among columns with correlated noise every direction holds the same share of it; they stay as they are.
        let variances = self.independent();
        if self.is_correlated() && variances.iter().all(|own| *own == 0.0) {
            let why = "the noise is correlated as the data are, so that every direction holds the same share of \
                       noise and none can be dropped. The best linear estimate uses the covariance of the noise instead.";
            return Ok(finding(Outcome::NotMade, why.to_owned()));
        }
        let mut found = spectral_filter(self.records()?, &variances)?;
        let deviations: Vec<f64> = variances.iter().map(|variance| variance.sqrt()).collect();
        let rounded = self.round(&mut found.estimates, &mut found.expected_errors, knowing);
        let expected_error =
            if rounded { over(&found.expected_errors, &deviations) } else { found.expected_error };
        let score = self.score_in(&found.estimates, &deviations, knowing)?;
        let errors = self.beyond_means(&found.expected_errors);
        let outcome = estimated(expected_error, &errors, score, knowing);
        let verdict = format!(
            "{} of {} directions hold more data than noise; dropping the others {}.{}{}{}",
            found.kept,
            found.noisy_columns,
            told(&outcome),
            unit::words(rounded),
            self.worst(&outcome, &errors),
            self.left_out()
        );
        Ok(finding(outcome, verdict))
    }

    fn best_linear(&self, knowing: &Knowing) -> Result<NoiseFinding, NoiseAttackError> {
        let finding = |outcome, verdict: String| NoiseFinding {
            attack: BEST_LINEAR_ESTIMATE,
            columns: self.noisy(),
            assumes: "the release and its published noise model, nothing else",
            outcome,
            verdict,
            links: Vec::new(),
        };
        if let Some(why) = self.cannot() {
            return Ok(finding(Outcome::NotMade, why.to_owned()));
        }
        let mut found = best_linear(self.records()?, &self.shape())?;
        let mut errors = found.errors_in_noise();
        let rounded = self.round(&mut found.estimates, &mut errors, knowing);
        let expected_error = if rounded { over(&errors, &self.deviations()) } else { found.expected_error() };
        let score = self.score(&found.estimates, knowing)?;
        let errors = self.beyond_means(&errors);
        let outcome = estimated(expected_error, &errors, score, knowing);
        let verdict = format!(
            "Estimating each record from all of its columns {}. From each column alone {:.2} would be left.{}{}{}{}",
            told(&outcome),
            found.error_alone(),
            unit::words(rounded),
            self.worst(&outcome, &errors),
            self.naive(knowing)?,
            self.left_out()
        );
        Ok(finding(outcome, verdict))
    }

    /// The column whose noise is got rid of, as a sentence; nothing where that is told of all columns together.
    fn worst(&self, outcome: &Outcome, errors: &[Option<f64>]) -> String {
        if self.noisy().len() < 2 {
            return String::new();
        }
        let name = |place: usize| self.columns.get(place).map_or("", |column| column.name);
        match outcome {
            Outcome::Estimated { score: Some(score), .. } => match score.worst {
                Some(place) => {
                    format!(" The rates are those of {} alone, which is recovered most.", name(place))
                }
                None => " No column is recovered more often than it was published nearly right.".to_owned(),
            },
            Outcome::Estimated { succeeded: true, .. } => match least(errors) {
                Some((place, error)) => {
                    format!(" Of {} an error of {error:.2} is expected.", name(place))
                }
                None => String::new(),
            },
            _ => String::new(),
        }
    }

    /// What knowing the covariance of correlated noise is worth, as a sentence; nothing without such noise or the truth.
    fn naive(&self, knowing: &Knowing) -> Result<String, NoiseAttackError> {
        if !self.is_correlated() {
            return Ok(String::new());
        }
        let found = best_linear(self.records()?, &self.as_if_independent())?;
        Ok(match self.score(&found.estimates, knowing)? {
            None => {
                " The published covariance of the noise is used: it is correlated as the data are.".to_owned()
            }
            Some(score) => format!(
                " The published covariance of the noise is used; whoever took the noise of the columns for independent would \
                 be left with {:.2} and recover {} % of the records.",
                score.estimate_error,
                percent(score.recovered.rate)
            ),
        })
    }

    fn constant(
        &self,
        column: &PerturbedColumn<'_>,
        knowing: &Knowing,
    ) -> Result<NoiseFinding, NoiseAttackError> {
        let finding = |outcome, verdict: String| NoiseFinding {
            attack: CONSTANT_COLUMN,
            columns: vec![column.name.to_owned()],
            assumes: "the release and its published noise model, nothing else",
            outcome,
            verdict,
            links: Vec::new(),
        };
        let known: Vec<f64> = column.values.iter().copied().filter(|value| !value.is_nan()).collect();
        let noise = match column.law {
            Law::Add(noise) if !noise.is_none() && known.len() >= 2 => noise,
            Law::Add(noise) if !noise.is_none() => {
                let why = "fewer than two values are published.";
                return Ok(finding(Outcome::NotMade, why.to_owned()));
            }
            Law::Keep if column.together.is_some() => {
                let why = "noise that is correlated as the data are spreads as they do, and not at all where \
                           everybody has the same value.";
                return Ok(finding(Outcome::NotMade, why.to_owned()));
            }
            Law::Multiply(_) => {
                let why = "the attack is for noise that is added.";
                return Ok(finding(Outcome::NotMade, why.to_owned()));
            }
            _ => {
                let why = "the column has no noise; its values are published as they are.";
                return Ok(finding(Outcome::NotMade, why.to_owned()));
            }
        };
        let mut found = constant_column(&known, noise)?;
        // Everybody has one value, which is a multiple of the unit as well.
        if found.half_width_95 < column.unit / 2.0 {
            found.estimate = (found.estimate / column.unit).round() * column.unit;
        }
        if !found.looks_constant {
            let verdict = "The values spread more than the noise does, so people differ and no one value tells them \
                           all.";
            let outcome = Outcome::Estimated { succeeded: false, expected_error: 1.0, score: None };
            return Ok(finding(outcome, verdict.to_owned()));
        }
        let deviation = noise.variance().sqrt();
        let score = match column.original {
            Some(original) => {
                let both = column.values.iter().zip(original);
                let both: Vec<(f64, f64)> = both
                    .filter(|(value, truth)| !value.is_nan() && !truth.is_nan())
                    .map(|own| (*own.0, *own.1))
                    .collect();
                let (published, truth): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
                let estimates = vec![found.estimate; truth.len()];
                let [truth, published, estimates] =
                    [&truth, &published, &estimates].map(|values| Records::new(values, 1));
                Some(Score::of(truth?, published?, estimates?, &[deviation], knowing.tolerance)?)
            }
            None => None,
        };
        // Nobody has a record of one's own here: the mean is the attack, not the control.
        let expected_error = found.half_width_95 / deviation;
        let succeeded = match score {
            Some(score) => score.recovered.low > score.published.high,
            None => expected_error <= knowing.tolerance,
        };
        let verdict = format!(
            "The values spread as the noise alone does: everybody has about the same value, and it is known to within \
             {expected_error:.3} deviations of the noise."
        );
        Ok(finding(Outcome::Estimated { succeeded, expected_error, score }, verdict))
    }
}

/// Success: of some column more records are recovered than the published values give away and than means tell; without
/// the truth, an error within the tolerance is expected of some column. `errors` are those of the columns of
/// which it tells more than their means do.
fn estimated(
    expected_error: f64,
    errors: &[Option<f64>],
    score: Option<Score>,
    knowing: &Knowing,
) -> Outcome {
    let succeeded = match score {
        Some(score) => score.succeeded(),
        None => least(errors).is_some_and(|own| own.1 <= knowing.tolerance),
    };
    Outcome::Estimated { succeeded, expected_error, score }
}

/// The root mean square of errors over the columns that have noise.
fn over(errors: &[f64], deviations: &[f64]) -> f64 {
    let noisy = errors.iter().zip(deviations).filter(|own| *own.1 > 0.0).map(|own| own.0 * own.0);
    (noisy.clone().sum::<f64>() / noisy.count().max(1) as f64).sqrt()
}

/// The column with the least error, and that.
fn least(errors: &[Option<f64>]) -> Option<(usize, f64)> {
    let known = errors.iter().enumerate().filter_map(|(place, error)| Some((place, (*error)?)));
    known.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// What is left of the noise, as a part of a sentence.
fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Estimated { score: Some(score), .. } => format!(
            "leaves an error of {:.2} deviations of the noise ({:.2} before, {:.2} for the mean of each column) and \
             recovers {} % of the records to within {} (published: {} %, means: {} %)",
            score.estimate_error,
            score.published_error,
            score.control_error,
            percent(score.recovered.rate),
            score.tolerance,
            percent(score.published.rate),
            percent(score.control.rate)
        ),
        Outcome::Estimated { expected_error, .. } => {
            format!("is expected to leave an error of {expected_error:.2} deviations of the noise")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
