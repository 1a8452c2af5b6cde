//! `perturb = { … }` of a job: one law, and what it needs; from it, the law as it is published.
//!
//! What is published is made from the job and, where the job leaves it open, from the data: the domain of categories,
//! and for invariant PRAM their counts. Both are said in the manifest, and such a law promises no γ. A law that hides nothing, or after which nothing
//! can be estimated, is refused.

use std::path::PathBuf;

use privet_data::Kind;
use privet_perturb::{
    PerturbError, PerturbationMatrix, Population, Response, Retention, amplification, estimate_counts,
    invariant_pram,
};
use privet_release::perturbed::{
    Amplification, Belief, Categories, CategoryLaw, INVARIANT_PRAM, NoiseColumn, NoiseLaw, NoiseWay, Open,
    PRIORS, figures_of,
};
use serde::Deserialize;

use super::items::{self, ItemsWord};
use super::job::RandomizeColumn;
use super::matrix_file;
use super::rounding::{self, Grain};
use crate::error::{JobError, RunError};

/// The least factor of correlated noise: a hundredth of the spread of the data.
const LEAST_FACTOR: f64 = 1e-4;

/// The least deviation of a factor: a hundredth of the value.
const LEAST_MULTIPLE: f64 = 0.01;

/// The most values of a column whose matrix is written out.
const MOST_WRITTEN: usize = 200;

/// The most values of a column.
const MOST_VALUES: usize = 100_000;

/// A `perturb` table. Exactly one of the first seven keys stands in it; `gamma` or `retention` go with `items` too.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PerturbSpec {
    /// `gaussian`, `uniform`, `multiplicative` or `correlated`.
    pub noise: Option<NoiseWord>,
    /// `warner` or `innocuous`.
    pub response: Option<ResponseWord>,
    /// The probability of keeping a value; any value is as likely otherwise.
    pub retention: Option<f64>,
    /// The most by which odds may change: the gamma-diagonal matrix.
    pub gamma: Option<f64>,
    /// Invariant PRAM: how much is moved, above 0 and up to 1.
    pub pram: Option<f64>,
    /// A CSV file with the probabilities.
    pub matrix: Option<PathBuf>,
    /// `select-a-size`, for cells that hold sets of items.
    pub items: Option<ItemsWord>,
    /// With `items`: what stands between two items of a cell; `;` when left out.
    pub separator: Option<String>,
    /// With `items`: the most items of a set.
    pub size: Option<u32>,
    /// With `items`: the probability of adding an item that is not in the set.
    pub add: Option<f64>,
    /// With `noise`: its standard deviation.
    pub sd: Option<f64>,
    /// With `noise = "correlated"`: how many times the covariance of the data.
    pub factor: Option<f64>,
    /// With `noise`: round to multiples of this.
    pub step: Option<f64>,
    /// With `noise`: no original lies below.
    pub min: Option<Bound>,
    /// With `noise`: no original lies above.
    pub max: Option<Bound>,
    /// With `noise`: all originals are multiples of this; where data is read it is seen from them.
    pub unit: Option<f64>,
    /// With `noise`: the values are dates; needed where no data is read.
    pub dates: Option<bool>,
    /// With `response`: the probability of telling the truth.
    pub p: Option<f64>,
    /// With `response = "innocuous"`: the probability of yes to the other question.
    pub q: Option<f64>,
    /// With `response = "innocuous"`: which of the two values is yes.
    pub yes: Option<String>,
}

/// Where originals end: a number, or a day of a column of dates, with or without quotation marks.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub enum Bound {
    /// A number.
    Number(f64),
    /// A date, in days since 1970-01-01.
    Day(f64),
}

impl Bound {
    /// The number that it stands for.
    pub fn number(self) -> f64 {
        match self {
            Bound::Number(number) | Bound::Day(number) => number,
        }
    }
}

impl TryFrom<toml::Value> for Bound {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, Self::Error> {
        let day = |text: &str| Kind::Date.number(text).filter(|_| text.len() == 10).map(Bound::Day);
        let found = match value {
            toml::Value::Integer(number) => Some(Bound::Number(number as f64)),
            toml::Value::Float(number) => Some(Bound::Number(number)),
            toml::Value::String(text) => day(&text),
            toml::Value::Datetime(date) => day(&date.to_string()),
            _ => None,
        };
        found.ok_or("`min` and `max` take a number, or a date as YYYY-MM-DD")
    }
}

/// A kind of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseWord {
    /// Normal noise is added.
    Gaussian,
    /// Even noise is added.
    Uniform,
    /// The value is multiplied by 1 + normal noise.
    Multiplicative,
    /// Normal noise is added that is correlated between columns as the data are.
    Correlated,
}

/// A kind of randomized response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseWord {
    /// The truth with probability p, another value otherwise.
    Warner,
    /// The truth with probability p, the answer to an innocuous question otherwise.
    Innocuous,
}

/// The values of a column of categories, and where they are from.
#[derive(Debug, Clone)]
pub(crate) struct DomainOf {
    pub values: Vec<String>,
    pub from: &'static str,
    /// Per value how many records have it, when the data is at hand.
    pub counts: Option<Vec<u64>>,
}

impl PerturbSpec {
    /// The factor of correlated noise, when it is that.
    pub(crate) fn correlated_factor(&self) -> Option<f64> {
        self.factor.filter(|_| self.noise == Some(NoiseWord::Correlated))
    }

    /// Whether it is for numbers and dates.
    pub(crate) fn is_noise(&self) -> bool {
        self.noise.is_some()
    }

    /// The form: one law, and the keys that belong to it.
    pub(super) fn check(&self, name: &str, column: &RandomizeColumn) -> Result<(), JobError> {
        let key = |what: &str| format!("columns.{name}.perturb{what}");
        let laws = [
            ("noise", self.noise.is_some()),
            ("response", self.response.is_some()),
            ("retention", self.retention.is_some() && self.items.is_none()),
            ("gamma", self.gamma.is_some() && self.items.is_none()),
            ("pram", self.pram.is_some()),
            ("matrix", self.matrix.is_some()),
            ("items", self.items.is_some()),
        ];
        let given: Vec<&str> = laws.iter().filter(|law| law.1).map(|law| law.0).collect();
        let [law] = given[..] else {
            return Err(JobError::key(
                key(""),
                "must have exactly one of `noise`, `response`, `retention`, `gamma`, `pram`, `matrix`, `items`",
            ));
        };
        let correlated = self.noise == Some(NoiseWord::Correlated);
        let innocuous = self.response == Some(ResponseWord::Innocuous);
        // Each key: whether it is there, whether it may be, whether it must be.
        let keys = [
            (".sd", self.sd.is_some(), law == "noise" && !correlated, law == "noise" && !correlated),
            (".factor", self.factor.is_some(), correlated, correlated),
            (
                ".step",
                self.step.is_some(),
                law == "noise" && self.noise != Some(NoiseWord::Multiplicative),
                false,
            ),
            (".unit", self.unit.is_some(), law == "noise", false),
            (".min", self.min.is_some(), law == "noise", self.max.is_some()),
            (".max", self.max.is_some(), law == "noise", self.min.is_some()),
            (".dates", self.dates.is_some(), law == "noise", false),
            (".p", self.p.is_some(), law == "response", law == "response"),
            (".q", self.q.is_some(), innocuous, innocuous),
            (".yes", self.yes.is_some(), innocuous, false),
            (".separator", self.separator.is_some(), law == "items", false),
            (".size", self.size.is_some(), law == "items", law == "items"),
            (".add", self.add.is_some(), law == "items", law == "items"),
        ];
        for (what, is_there, may_be, must_be) in keys {
            if is_there && !may_be {
                return Err(JobError::key(key(what), "does not go with the law of the column"));
            }
            if must_be && !is_there {
                return Err(JobError::key(key(what), "is needed by the law of the column"));
            }
        }
        let positive = |what: &str, number: Option<f64>, most: f64| match number {
            Some(own) if !(own > 0.0 && own <= most) => {
                Err(JobError::key(key(what), format!("must be a number above 0, and at most {most:e}")))
            }
            _ => Ok(()),
        };
        positive(".sd", self.sd, 1e50)?;
        positive(".factor", self.factor, 1e6)?;
        positive(".step", self.step, 1e50)?;
        if self.factor.is_some_and(|factor| factor < LEAST_FACTOR) {
            return Err(JobError::key(
                key(".factor"),
                format!("must be at least {LEAST_FACTOR}: less noise than that hides nothing"),
            ));
        }
        if self.noise == Some(NoiseWord::Multiplicative) && self.sd.is_some_and(|sd| sd < LEAST_MULTIPLE) {
            return Err(JobError::key(
                key(".sd"),
                format!("must be at least {LEAST_MULTIPLE} of a factor: less noise than that hides nothing"),
            ));
        }
        let probability = |what: &str, number: Option<f64>| match number {
            Some(own) if !(0.0..=1.0).contains(&own) => {
                Err(JobError::key(key(what), "must be a probability, from 0 to 1"))
            }
            _ => Ok(()),
        };
        probability(".retention", self.retention)?;
        probability(".pram", self.pram)?;
        probability(".p", self.p)?;
        probability(".q", self.q)?;
        if self.gamma.is_some_and(|gamma| !(gamma > 1.0 && gamma <= 1e9)) {
            return Err(JobError::key(key(".gamma"), "must be a number above 1, and at most 1e9"));
        }
        if let (Some(min), Some(max)) = (self.min.map(Bound::number), self.max.map(Bound::number))
            && !(min < max && min.abs() <= 1e50 && max.abs() <= 1e50)
        {
            return Err(JobError::key(key(".min"), "must be below `max`, and both finite"));
        }
        if law == "items" {
            items::check(self, name)?;
        }
        let declared = [("values", column.values.is_some()), ("hierarchy", column.hierarchy.is_some())];
        if let (true, Some((what, _))) =
            (law == "noise" || law == "matrix", declared.iter().find(|(_, is_there)| *is_there))
        {
            let why = if law == "noise" {
                "noise is for numbers"
            } else {
                "the file of the matrix names the values"
            };
            return Err(JobError::key(format!("columns.{name}.{what}"), format!("is not needed: {why}")));
        }
        Ok(())
    }

    /// The published law of a column of numbers or dates; `grain` is what the data tell of it, where they are read.
    pub(super) fn noise(&self, name: &str, grain: Option<&Grain>) -> Result<NoiseColumn, RunError> {
        let key = |what: &str| format!("columns.{name}.perturb{what}");
        let dates = match (grain.map(|grain| grain.kind), self.dates) {
            (None, given) => given.unwrap_or(false),
            (Some(Kind::Date), Some(false)) => {
                return Err(JobError::key(key(".dates"), "is false, and the column holds dates").into());
            }
            (Some(Kind::Integer | Kind::Decimal), Some(true)) => {
                return Err(JobError::key(key(".dates"), "is true, and the column holds numbers").into());
            }
            (Some(Kind::Date), _) => true,
            (Some(Kind::Integer | Kind::Decimal), _) => false,
            (Some(Kind::Boolean | Kind::Text), _) => {
                return Err(JobError::key(
                    key(".noise"),
                    "is for columns of numbers or dates, and this one holds others; name those that mean a missing value under \
                     `input.missing`, or use response, retention, gamma, pram or matrix for categories",
                )
                .into());
            }
        };
        let way = match self.noise {
            Some(NoiseWord::Multiplicative) => NoiseWay::Multiplicative,
            Some(NoiseWord::Correlated) => NoiseWay::Correlated,
            _ => NoiseWay::Additive,
        };
        let law = if self.noise == Some(NoiseWord::Uniform) { NoiseLaw::Uniform } else { NoiseLaw::Gaussian };
        if dates && way == NoiseWay::Multiplicative {
            return Err(JobError::key(key(".noise"), "= \"multiplicative\" has no meaning for dates").into());
        }
        if dates && self.sd.is_some_and(|sd| sd > 36_525.0) {
            return Err(JobError::key(key(".sd"), "is in days, and at most 36525 for dates").into());
        }
        let step = rounding::step(self, name, way, dates, law, grain)?;
        let figures = (way == NoiseWay::Multiplicative).then(|| figures_of(self.sd.unwrap_or(1.0)));
        for (what, bound) in [(".min", self.min), (".max", self.max)] {
            if let (Some(Bound::Day(_)), false) = (bound, dates) {
                let problem = "is a date, and the column holds numbers; where no data is read, `dates = true` says that it holds \
                               dates";
                return Err(JobError::key(key(what), problem).into());
            }
        }
        let range = self.min.zip(self.max).map(|(min, max)| [min.number(), max.number()]);
        let interval_95 = match way {
            NoiseWay::Additive => {
                let noise = super::model::noise_of(law, self.sd.unwrap_or(0.0));
                Some(noise.interval_width(0.95).map_err(|source| failed(name, source))?)
            }
            _ => None,
        };
        Ok(NoiseColumn {
            way,
            law,
            deviation: self.sd,
            factor: self.factor,
            dates,
            step,
            figures,
            range,
            unit: rounding::unit(self, name, way, dates, grain)?,
            interval_95,
        })
    }

    /// The published law of a column of categories.
    pub(super) fn categories(&self, name: &str, domain: DomainOf) -> Result<Categories, RunError> {
        let DomainOf { values, from, counts } = domain;
        let key = |what: &str| format!("columns.{name}.{what}");
        if values.len() < 2 {
            return Err(JobError::key(
                key("perturb"),
                "has a domain of fewer than two values, among which nothing can be hidden; declare more with `values`",
            )
            .into());
        }
        if values.len() > MOST_VALUES {
            return Err(JobError::key(key("perturb"), format!("has more than {MOST_VALUES} values")).into());
        }
        let size = values.len();
        if self.retention.is_none() && self.gamma.is_none() {
            if size > MOST_WRITTEN {
                return Err(too_many(name, size).into());
            }
            let (mechanism, matrix) = self.matrix_of(name, &values, counts.as_deref())?;
            return written(name, mechanism, values, from, &matrix);
        }
        let retention = match self.gamma {
            Some(gamma) => Retention::gamma_diagonal(gamma, size as u32),
            None => Retention::new(self.retention.unwrap_or(0.0), size as u32),
        };
        let retention = retention.map_err(|source| failed(name, source))?;
        if retention.keep() <= 1e-6 {
            return Err(failed(name, PerturbError::Singular));
        }
        if retention.keep() >= 1.0 {
            return Err(hides_nothing(name).into());
        }
        let mechanism = if self.gamma.is_some() { "gamma-diagonal" } else { "retention" };
        let origin = Open::of_origin(mechanism, from);
        Ok(Categories {
            mechanism: mechanism.to_owned(),
            values,
            domain: from.to_owned(),
            law: CategoryLaw::Retention(retention.keep()),
            protects: protection(name, origin, retention.gamma())?,
        })
    }

    /// A matrix that is written out.
    fn matrix_of(
        &self,
        name: &str,
        values: &[String],
        counts: Option<&[u64]>,
    ) -> Result<(&'static str, PerturbationMatrix), RunError> {
        let failed = |source| failed(name, source);
        let key = |what: &str| format!("columns.{name}.perturb.{what}");
        if let Some(theta) = self.pram {
            let Some(counts) = counts else {
                return Err(JobError::key(
                    key("pram"),
                    "follows the counts of the data, so no model can be written without them",
                )
                .into());
            };
            return Ok((INVARIANT_PRAM, invariant_pram(counts, theta).map_err(failed)?));
        }
        let truth = self.p.unwrap_or(0.0);
        if self.response == Some(ResponseWord::Warner) {
            return Ok(("warner", PerturbationMatrix::keeping(truth, values.len()).map_err(failed)?));
        }
        let [first, second] = values else {
            return Err(JobError::key(
                key("response"),
                "= \"innocuous\" is for questions with two answers, and the column has more; use \"warner\" or retention",
            )
            .into());
        };
        let is_yes =
            |text: &str| ["yes", "true", "y", "t", "1"].iter().any(|word| text.eq_ignore_ascii_case(word));
        let yes_first = match &self.yes {
            Some(yes) if yes == first => true,
            Some(yes) if yes == second => false,
            Some(_) => {
                return Err(JobError::key(key("yes"), "is none of the two values of the column").into());
            }
            None if is_yes(first) != is_yes(second) => is_yes(first),
            None => return Err(JobError::key(key("yes"), "is needed: which of the two values is yes").into()),
        };
        let response = Response::innocuous(truth, self.q.unwrap_or(0.0)).map_err(failed)?;
        let (if_yes, if_no) = (response.yes_if_yes(), response.yes_if_no());
        let entries = match yes_first {
            true => vec![if_yes, 1.0 - if_yes, if_no, 1.0 - if_no],
            false => vec![1.0 - if_no, if_no, 1.0 - if_yes, if_yes],
        };
        Ok(("innocuous", PerturbationMatrix::new(2, entries).map_err(failed)?))
    }
}

/// The law of a file.
pub(super) fn categories_of_file(name: &str, file: matrix_file::MatrixFile) -> Result<Categories, RunError> {
    let size = file.values.len();
    if size > MOST_WRITTEN {
        return Err(too_many(name, size).into());
    }
    let matrix = PerturbationMatrix::new(size, file.entries).map_err(|source| failed(name, source))?;
    written(name, "matrix", file.values, "declared", &matrix)
}

/// A law whose probabilities are written out.
fn written(
    name: &str,
    mechanism: &str,
    values: Vec<String>,
    from: &str,
    matrix: &PerturbationMatrix,
) -> Result<Categories, RunError> {
    // Nothing could be estimated from what cannot be inverted.
    estimate_counts(matrix, &vec![0; values.len()], Population::Fixed)
        .map_err(|source| failed(name, source))?;
    if matrix.rows().all(|row| row.iter().any(|&entry| entry >= 1.0)) {
        return Err(hides_nothing(name).into());
    }
    Ok(Categories {
        mechanism: mechanism.to_owned(),
        values,
        domain: from.to_owned(),
        law: CategoryLaw::Matrix(matrix.rows().map(<[f64]>::to_vec).collect()),
        protects: protection(name, Open::of_origin(mechanism, from), amplification::gamma(matrix))?,
    })
}

/// What a law protects. One that was made from the data bounds nothing, whatever its probabilities are.
pub(super) fn protection(name: &str, origin: Option<Open>, gamma: f64) -> Result<Amplification, RunError> {
    let gamma = if origin.is_some() { f64::INFINITY } else { gamma };
    let belief = |prior: f64| {
        amplification::highest_posterior(gamma, prior).map(|posterior| Belief { prior, posterior })
    };
    let beliefs = PRIORS.into_iter().map(belief).collect::<Result<_, _>>();
    let beliefs = beliefs.map_err(|source| failed(name, source))?;
    Ok(Amplification { gamma: gamma.is_finite().then_some(gamma), beliefs })
}

fn too_many(name: &str, size: usize) -> JobError {
    JobError::key(
        format!("columns.{name}.perturb"),
        format!(
            "has {size} values, and a matrix of at most {MOST_WRITTEN} is written out; use retention or gamma, or fewer \
             values"
        ),
    )
}

fn hides_nothing(name: &str) -> JobError {
    JobError::key(
        format!("columns.{name}.perturb"),
        "changes values without any chance, so that nothing is hidden; use a probability between the ends",
    )
}

pub(super) fn failed(name: &str, source: PerturbError) -> RunError {
    RunError::Perturb { column: name.to_owned(), source }
}
