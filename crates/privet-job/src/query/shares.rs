//! What each figure of a question gets, and of which noise.
//!
//! Guarantee: the figures together cost epsilon, and at most the delta. Every figure, and every choice of groups, gets an
//! equal share of epsilon. Counts and sums with Gaussian noise share theirs: concentrated losses add up (Bun and Steinke
//! 2016), so g of them with √g times the noise of one cost together what that one would, where losses that add up as
//! epsilons ask for g times the noise. A smooth median has a share of the delta of its own.
//!
//! Where a delta is declared and the noise is left open, a count or sum has the noise whose width is smaller, whatever the
//! data: both widths follow from the declaration. A person who has c records in one group changes a count by c and the
//! Euclidean length by c as well, so with few figures that is Laplace noise, also for many records; Gaussian noise pays
//! where many figures share a question. A delta that nothing needs is not spent.

use privet_dp::{
    Count, Delta, DpError, Epsilon, Histogram, Loss, Mean, Neighbours, Noise, People, Privacy, Quantile,
    Rational, Selection, SmoothMedian, Sum,
};
use privet_measure::answer::{Aggregate, Figure};

use super::declared::{Declared, problem};
use super::error::QueryError;
use super::method::Method;
use super::plan::{Error, Mechanism, Part, units_per_one};

/// About whom and what a question is.
pub(super) struct Scope<'a, 'b> {
    pub people: People,
    pub is_grouped: bool,
    pub declared: &'a Declared<'b>,
}

/// What each figure gets.
pub(super) struct Shares {
    /// Of epsilon.
    pub epsilon: Epsilon,
    /// What the figures with Gaussian noise have together, and how many they are.
    joint: Option<(Privacy, u64)>,
    /// Per figure whether it is one of them.
    is_gaussian: Vec<bool>,
    /// What a smooth median gets of the delta.
    median: Option<Delta>,
    /// Per figure the width that the other noise would have, where there was a choice.
    others: Vec<Option<f64>>,
    spends_delta: bool,
}

impl Shares {
    /// Of figures with the numbers of groups that compete by them. `more` is the number of shares that are for no figure.
    pub fn new(
        figures: &[(&Figure, u64)],
        more: u64,
        (epsilon, delta): (&Epsilon, Option<&Delta>),
        scope: &Scope<'_, '_>,
    ) -> Result<Self, QueryError> {
        let shares = figures.len() as u64 + more;
        let medians =
            figures.iter().filter(|own| matches!(own.0, Figure::SmoothMedian { .. })).count() as u64;
        let mut own = Self {
            epsilon: epsilon.split(shares)?,
            joint: None,
            is_gaussian: vec![false; figures.len()],
            median: None,
            others: vec![None; figures.len()],
            spends_delta: false,
        };
        let Some(delta) = delta else { return Ok(own) };
        let may_be = |figure: &Figure| {
            matches!(figure, Figure::Aggregate(Aggregate::Count | Aggregate::CountOf(_) | Aggregate::Sum(_)))
        };
        own.is_gaussian = figures.iter().map(|(figure, _)| may_be(figure)).collect();
        let flags = scope.declared.flags;
        let is_open = flags.method.is_none_or(|own| own == Method::Peeling) && !flags.probabilistic;
        loop {
            let gaussian = own.is_gaussian.iter().filter(|is| **is).count() as u64;
            let part = |parts: u64| {
                Delta::new(delta.value() * Rational::from(parts) / Rational::from(gaussian + medians))
            };
            own.median = if medians > 0 { Some(part(1)?) } else { None };
            own.joint = match gaussian {
                0 => None,
                _ => {
                    let epsilon =
                        Epsilon::new(epsilon.value() * Rational::from(gaussian) / Rational::from(shares))?;
                    Some((scope.declared.privacy(&epsilon, Some(&part(gaussian)?)), gaussian))
                }
            };
            own.spends_delta = gaussian + medians > 0;
            if !is_open || gaussian == 0 {
                return Ok(own);
            }
            let mut is_stable = true;
            for (place, (figure, rivals)) in figures.iter().enumerate() {
                if !own.is_gaussian[place] {
                    continue;
                }
                let width = |is_gaussian| {
                    own.additive(figure, is_gaussian, scope).map(|own| own.map(|own| own.width(*rivals)))
                };
                // Where the squares of sums are too large for Gaussian noise, Laplace noise is left.
                let (laplace, gaussian) = (width(false)?, width(true).ok().flatten());
                let is_smaller = gaussian.zip(laplace).is_some_and(|(gaussian, laplace)| gaussian < laplace);
                own.others[place] = if is_smaller { laplace } else { gaussian };
                own.is_gaussian[place] = is_smaller;
                is_stable &= is_smaller;
            }
            if is_stable {
                return Ok(own);
            }
        }
    }

    /// What all of it costs.
    pub fn total(&self, epsilon: &Epsilon, delta: Option<&Delta>) -> Result<Loss, DpError> {
        let delta = delta.filter(|_| self.spends_delta);
        Loss::new(epsilon.value().clone(), delta.map_or(Rational::ZERO, |delta| delta.value().clone()))
    }

    /// Which noise counts and sums have where the declaration leaves it open, and why.
    pub fn remark(&self, parts: &[Part], names: &[&str]) -> Option<String> {
        let mut told: Vec<String> = Vec::new();
        let choices = parts.iter().zip(names).zip(self.others.iter().zip(&self.is_gaussian));
        for ((part, name), (other, is_gaussian)) in choices {
            let (Some(other), Error::HalfWidth(own)) = (other, part.error()) else { continue };
            let (law, instead) = if *is_gaussian { ("Gaussian", "Laplace") } else { ("Laplace", "Gaussian") };
            told.push(format!(
                "`{name}` has {law} noise, ± {}, because {instead} noise would be ± {}",
                rounded(own),
                rounded(*other)
            ));
        }
        if told.is_empty() {
            return None;
        }
        let unspent = if self.spends_delta { "" } else { ". Nothing needs the delta, so it is not spent" };
        Some(format!("{}{unspent}. --mechanism laplace or gaussian decides otherwise.", told.join("; ")))
    }

    /// What answers a figure.
    pub fn mechanism(
        &self,
        place: usize,
        figure: &Figure,
        scope: &Scope<'_, '_>,
    ) -> Result<Mechanism, QueryError> {
        let Scope { people, is_grouped, declared } = *scope;
        if let Some(own) = self.additive(figure, self.is_gaussian.get(place) == Some(&true), scope)? {
            return Ok(match own {
                Additive::Count(noise) => Mechanism::Count(noise),
                Additive::Sum { sum, noise } => Mechanism::Sum { sum, noise },
            });
        }
        let moves = is_grouped && people.neighbours() == Neighbours::ReplaceOne;
        // Half of epsilon for somebody who comes or goes is all of it for somebody who is replaced.
        let (other, share) = match moves {
            true => (People::new(Neighbours::AddRemove, people.contributions())?, self.epsilon.split(2)?),
            false => (people, self.epsilon.clone()),
        };
        let column = figure.column().unwrap_or_default();
        let bounds = declared.bounds(column)?;
        Ok(match figure {
            Figure::Aggregate(_) => {
                let mean = Mean::new(other, bounds, Selection::Subset, &share)?;
                Mechanism::Average { mean: mean.into(), bounds }
            }
            Figure::Quantile { above, below, .. } => {
                let quantile = Quantile::new(other, bounds, *above, *below, &share)?;
                Mechanism::Quantile { quantile, bounds }
            }
            Figure::SmoothMedian { .. } => {
                if declared.flags.probabilistic {
                    return Err(problem(
                        "smooth_median is not probabilistically private; leave --probabilistic out, or use median",
                    ));
                }
                let delta = self.median.as_ref().ok_or_else(|| {
                    problem(match declared.flags.method {
                        Some(Method::Laplace) => {
                            "smooth_median needs a delta, which --mechanism laplace leaves aside; use median"
                        }
                        _ => "smooth_median needs a --delta, such as 1e-6; median needs none",
                    })
                })?;
                // Who is replaced goes from one group and comes into another, which costs both deltas.
                let parts = Rational::from(if moves { 2u8 } else { 1 });
                let delta = Delta::new(delta.value() / parts)?;
                let median = SmoothMedian::new(other, bounds, &share, &delta)?;
                Mechanism::SmoothMedian { median: median.into(), bounds }
            }
        })
    }

    /// A figure that is the truth with noise added, with the one or the other noise; none for other figures.
    fn additive(
        &self,
        figure: &Figure,
        is_gaussian: bool,
        scope: &Scope<'_, '_>,
    ) -> Result<Option<Additive>, QueryError> {
        let Scope { people, is_grouped, declared } = *scope;
        let alone = (Privacy::Pure(self.epsilon.clone()), 1);
        let (privacy, figures) = self.joint.as_ref().filter(|_| is_gaussian).unwrap_or(&alone);
        Ok(Some(match figure {
            Figure::Aggregate(Aggregate::Count | Aggregate::CountOf(_)) => {
                let noise = match is_grouped {
                    true => Histogram { people, cells: 0 }.noise(privacy)?,
                    false => Count { people }.noise(privacy)?,
                };
                Additive::Count(noise.as_one_of(*figures))
            }
            Figure::Aggregate(Aggregate::Sum(column)) => {
                // A missing value leaves a record out, so no figure of a column is about all records.
                let sum = Sum { people, bounds: declared.bounds(column)?, selection: Selection::Subset };
                let moves = is_grouped && people.neighbours() == Neighbours::ReplaceOne;
                let noise = if moves { moving_sum(&sum, privacy)? } else { sum.noise(privacy)? };
                Additive::Sum { sum, noise: noise.as_one_of(*figures) }
            }
            _ => return Ok(None),
        }))
    }
}

/// A figure that is the truth with noise added.
enum Additive {
    Count(Noise),
    Sum { sum: Sum, noise: Noise },
}

impl Additive {
    /// How far off it is, or all of so many groups.
    fn width(&self, rivals: u64) -> f64 {
        match self {
            Self::Count(noise) => noise.half_width_95_of_all(rivals),
            Self::Sum { sum, noise } => noise.half_width_95_of_all(rivals) / units_per_one(&sum.bounds),
        }
    }
}

/// A width for people.
pub(super) fn rounded(width: f64) -> String {
    let decimals = if width >= 100.0 { 0 } else { 2 };
    let text = format!("{width:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
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
        Privacy::Approximate(epsilon, delta) | Privacy::Probabilistic(epsilon, delta) => {
            let square = |value: u128| value.checked_mul(value);
            let one = square(largest).and_then(|own| own.checked_mul(2)).zip(square(across));
            let squared = one.and_then(|(two, own)| two.max(own).checked_mul(records * records));
            match privacy {
                Privacy::Probabilistic(..) => Noise::probabilistic(squared.ok_or(too_large)?, epsilon, delta),
                _ => Noise::gaussian(squared.ok_or(too_large)?, epsilon, delta),
            }
        }
    }
}
