//! The plan of a private question: which mechanism answers each figure, what it costs, and how far off it will be.
//!
//! Guarantee: everything in a plan comes from the question and from what is declared; the data is not looked at. The
//! cost of the whole is exactly the epsilon that was asked for: every different figure gets an equal share of it
//! (figures are about the same people, so their losses add up), and a delta is shared by counts and sums, which alone
//! use it.
//!
//! Groups are disjoint, and a record is in one of them at most. With c records of a person at most, one person who is
//! added or removed changes all counts together by c, all sums by c·M with M = max(|lower|, |upper|), and the ranks of
//! a group by as many records as the person has in it; so one figure costs as much over all groups as over one. When a
//! person is *replaced*, two groups change. Counts then change by 2c in sum; sums by 2cM, and by c²·max(2M², W²) in
//! sum of squares, W = max(upper, 0) − min(lower, 0): the distance is convex in what each record adds, so it is
//! largest when all c records are alike, at one bound or in no group. Averages and quantiles are made with half of
//! their epsilon for a person who is added or removed: replacing is removing and adding.
//!
//! The k largest groups (`order by count(*) desc limit k`) are the k largest noisy counts. Choosing them one by one
//! (`privet_dp::TopK`) would add noise k times as large for the same epsilon, because keys are declared and all
//! counts are made anyway.

use std::num::NonZeroUsize;

use privet_dp::ledger::Terms;
use privet_dp::{
    Bounds, Count, Delta, DpError, Epsilon, Histogram, Loss, Mean, Neighbours, Noise, People, Privacy,
    Quantile, Rational, Selection, Sum,
};
use privet_measure::answer::{Aggregate, Figure, PrivateQuestion};

use super::declared::{Declared, Keys};
use super::error::QueryError;

/// The most groups: every one is a line of the answer.
const MOST_GROUPS: usize = 1 << 20;

/// What will be done.
#[derive(Debug)]
pub(super) struct Plan {
    pub question: PrivateQuestion,
    pub people: People,
    pub per_person: Option<String>,
    /// What the whole question costs.
    pub loss: Loss,
    /// The different figures.
    pub parts: Vec<Part>,
    /// Per figure of the question which part answers it.
    pub part_of: Vec<usize>,
    /// Per column of `group by`.
    pub keys: Vec<Keys>,
    /// The number of groups; 1 without `group by`.
    pub groups: NonZeroUsize,
}

/// A figure and what answers it.
#[derive(Debug)]
pub(super) struct Part {
    pub figure: Figure,
    pub mechanism: Mechanism,
}

/// What answers a figure.
#[derive(Debug)]
pub(super) enum Mechanism {
    Count(Noise),
    Sum { sum: Sum, noise: Noise },
    Average { mean: Box<Mean>, bounds: Bounds },
    Quantile { quantile: Quantile, bounds: Bounds },
}

/// How far off an answer is with a probability of 5 % at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Error {
    /// By this much, in the figure's own unit.
    HalfWidth(f64),
    /// By this much divided by the number of records, which is not known before asking.
    PerRecords(f64),
    /// By this many records in its rank.
    Rank(f64),
}

impl Plan {
    /// Plans a question.
    pub fn new(text: &str, declared: &Declared<'_>) -> Result<Self, QueryError> {
        let question = PrivateQuestion::parse(text)?;
        let (epsilon, delta) = declared.budget()?;
        let (people, per_person) = declared.people()?;
        let keys = question.group_by.iter().map(|column| declared.keys(column));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let groups = keys.iter().try_fold(1usize, |groups, own| groups.checked_mul(own.len()));
        let groups = groups.filter(|&groups| groups <= MOST_GROUPS).and_then(NonZeroUsize::new);
        let groups = groups.ok_or_else(|| {
            QueryError::Declaration(format!(
                "the question has more than {MOST_GROUPS} groups, one for each combination of declared keys, and nearly \
                 all would be noise; group by fewer columns"
            ))
        })?;
        let mut different: Vec<&Figure> = Vec::new();
        let mut part_of = Vec::new();
        for output in &question.select {
            let place = different.iter().position(|figure| **figure == output.figure);
            part_of.push(place.unwrap_or(different.len()));
            if place.is_none() {
                different.push(&output.figure);
            }
        }
        let shares = Shares::new(&different, &epsilon, delta.as_ref())?;
        let is_grouped = !keys.is_empty();
        let parts = different.into_iter().map(|figure| {
            let mechanism = shares.mechanism(figure, people, is_grouped, declared)?;
            Ok(Part { figure: figure.clone(), mechanism })
        });
        let parts = parts.collect::<Result<Vec<_>, QueryError>>()?;
        let loss = shares.total(&epsilon, delta.as_ref())?;
        Ok(Self { part_of, people, per_person, loss, parts, keys, groups, question })
    }

    /// The labels of a group, one for each column of `group by`; the last column varies fastest.
    pub fn labels(&self, group: usize) -> Vec<String> {
        self.keys_of(group).into_iter().zip(&self.keys).map(|(key, own)| own.label(key).to_owned()).collect()
    }

    /// The position of a group's key in each column of `group by`.
    pub fn keys_of(&self, group: usize) -> Vec<usize> {
        let mut rest = group;
        let mut keys: Vec<usize> = self
            .keys
            .iter()
            .rev()
            .map(|own| {
                let key = rest % own.len().max(1);
                rest /= own.len().max(1);
                key
            })
            .collect();
        keys.reverse();
        keys
    }

    /// Whom its answer protects.
    pub fn terms(&self) -> Terms {
        let (neighbours, records) = (self.people.neighbours(), self.people.contributions());
        Terms { neighbours, person: self.per_person.clone(), records }
    }

    /// Every column that the data must have.
    pub fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = self.question.group_by.clone();
        columns.extend(self.per_person.clone());
        columns.extend(self.parts.iter().filter_map(|part| part.figure.column().map(str::to_owned)));
        self.question.filter.for_each_test(&mut |test| columns.push(test.column.clone()));
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

/// What each figure gets.
struct Shares {
    epsilon: Epsilon,
    /// For counts and sums.
    delta: Option<Delta>,
}

impl Shares {
    fn new(figures: &[&Figure], epsilon: &Epsilon, delta: Option<&Delta>) -> Result<Self, DpError> {
        let gaussian = figures.iter().filter(|figure| takes_delta(figure)).count() as u64;
        let delta = delta.filter(|_| gaussian > 0);
        Ok(Self {
            epsilon: epsilon.split(figures.len() as u64)?,
            delta: delta.map(|delta| Delta::new(delta.value() / Rational::from(gaussian))).transpose()?,
        })
    }

    fn total(&self, epsilon: &Epsilon, delta: Option<&Delta>) -> Result<Loss, DpError> {
        let delta = delta.filter(|_| self.delta.is_some());
        Loss::new(epsilon.value().clone(), delta.map_or(Rational::ZERO, |delta| delta.value().clone()))
    }

    fn mechanism(
        &self,
        figure: &Figure,
        people: People,
        is_grouped: bool,
        declared: &Declared<'_>,
    ) -> Result<Mechanism, QueryError> {
        let privacy = match &self.delta {
            Some(delta) => Privacy::Approximate(self.epsilon.clone(), delta.clone()),
            None => Privacy::Pure(self.epsilon.clone()),
        };
        let moves = is_grouped && people.neighbours() == Neighbours::ReplaceOne;
        // Half of epsilon for somebody who comes or goes is all of it for somebody who is replaced.
        let (other, share) = match moves {
            true => (People::new(Neighbours::AddRemove, people.contributions())?, self.epsilon.split(2)?),
            false => (people, self.epsilon.clone()),
        };
        Ok(match figure {
            Figure::Aggregate(Aggregate::Count | Aggregate::CountOf(_)) if is_grouped => {
                Mechanism::Count(Histogram { people, cells: 0 }.noise(&privacy)?)
            }
            Figure::Aggregate(Aggregate::Count | Aggregate::CountOf(_)) => {
                Mechanism::Count(Count { people }.noise(&privacy)?)
            }
            Figure::Aggregate(Aggregate::Sum(column)) => {
                let bounds = declared.bounds(column)?;
                // A missing value leaves a record out, so no figure of a column is about all records.
                let sum = Sum { people, bounds, selection: Selection::Subset };
                let noise = if moves { moving_sum(&sum, &privacy)? } else { sum.noise(&privacy)? };
                Mechanism::Sum { sum, noise }
            }
            Figure::Aggregate(Aggregate::Average(column)) => {
                let bounds = declared.bounds(column)?;
                let mean = Mean::new(other, bounds, Selection::Subset, &share)?;
                Mechanism::Average { mean: mean.into(), bounds }
            }
            Figure::Quantile { column, above, below } => {
                let bounds = declared.bounds(column)?;
                let quantile = Quantile::new(other, bounds, *above, *below, &share)?;
                Mechanism::Quantile { quantile, bounds }
            }
        })
    }
}

fn takes_delta(figure: &Figure) -> bool {
    matches!(figure, Figure::Aggregate(Aggregate::Count | Aggregate::CountOf(_) | Aggregate::Sum(_)))
}

/// The noise of sums by group when a person may move to another group.
fn moving_sum(sum: &Sum, privacy: &Privacy) -> Result<Noise, DpError> {
    let (lower, upper) = (i128::from(sum.bounds.lower()), i128::from(sum.bounds.upper()));
    let largest = lower.unsigned_abs().max(upper.unsigned_abs());
    let across = (upper.max(0) - lower.min(0)).unsigned_abs();
    let records = u128::from(sum.people.contributions());
    let too_large = DpError::TooLarge { what: "the sensitivity of the sum in units", most: u64::MAX };
    match privacy {
        Privacy::Pure(epsilon) => Ok(Noise::laplace(2 * largest * records, epsilon)),
        Privacy::Approximate(epsilon, delta) => {
            let square = |value: u128| value.checked_mul(value);
            let one = square(largest).and_then(|own| own.checked_mul(2)).zip(square(across));
            let squared = one.and_then(|(two, own)| two.max(own).checked_mul(records * records));
            Noise::gaussian(squared.ok_or(too_large)?, epsilon, delta)
        }
    }
}

impl Part {
    /// How far off an answer will be.
    pub fn error(&self) -> Error {
        match &self.mechanism {
            Mechanism::Count(noise) => Error::HalfWidth(noise.accuracy().half_width_95),
            Mechanism::Sum { sum, noise } => {
                let one = sum.bounds.grid().units_per_one() as f64;
                Error::HalfWidth(noise.accuracy().per(one).half_width_95)
            }
            Mechanism::Average { mean, .. } => Error::PerRecords(mean.accuracy(1).half_width_95),
            Mechanism::Quantile { quantile, .. } => Error::Rank(quantile.rank_error_95().ceil()),
        }
    }

    /// The law of its noise.
    pub fn law(&self) -> String {
        match &self.mechanism {
            Mechanism::Count(noise) => noise.to_string(),
            Mechanism::Sum { sum, noise } => in_units(noise, &sum.bounds),
            Mechanism::Average { mean, bounds } => {
                let (sum, count) = mean.noises();
                let count = count.map_or_else(|| "exact".to_owned(), Noise::to_string);
                format!("sum: {}; count: {count}", in_units(sum, bounds))
            }
            Mechanism::Quantile { bounds, .. } => {
                format!("exponential mechanism, {} points", bounds.width() + 1)
            }
        }
    }
}

fn in_units(noise: &Noise, bounds: &Bounds) -> String {
    match bounds.grid().units_per_one() {
        1 => noise.to_string(),
        units => format!("{noise} in units of {}", 1.0 / units as f64),
    }
}
