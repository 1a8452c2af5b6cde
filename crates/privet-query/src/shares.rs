//! What each figure of a question gets, and of which noise.
//!
//! Guarantee: the figures together cost epsilon, and at most the delta. Every figure, and every choice of groups, gets an
//! equal share of epsilon. Counts and sums with Gaussian noise share theirs: concentrated losses add up (Bun and Steinke
//! 2016), so g of them with √g times the noise of one cost together what that one would, where losses that add up as
//! epsilons ask for g times the noise. A smooth median has a share of the delta of its own.
//!
//! Where the cost is a concentrated loss (rho), every figure gets an equal share of it; what is no Gaussian gets the pure epsilon that such a
//! share pays for, √(2·rho).
//!
//! Where a delta is declared and the noise is left open, a count or sum has the noise whose width is smaller, whatever the
//! data: both widths follow from the declaration. A person who has c records in one group changes a count by c and the
//! Euclidean length by c as well, so with few figures that is Laplace noise, also for many records; Gaussian noise pays
//! where many figures share a question. A delta that nothing needs is not spent.

use privet_dp::{
    Bounds, Count, Delta, DpError, Epsilon, Grid, Histogram, Loss, Mean, Neighbours, Noise, People, Privacy,
    Quantile, Rational, Rho, Selection, SmoothMedian, Spread, Sum,
};
use privet_measure::answer::{Aggregate, Figure, Formula, Within};

use super::declared::{Declared, problem};
use super::error::QueryError;
use super::method::Method;
use super::plan::{Error, Mechanism, Part, units_per_one};

/// About whom and what a question is.
pub(super) struct Scope<'a, 'b> {
    pub people: People,
    pub is_grouped: bool,
    pub declared: &'a Declared<'b>,
    /// The column that tells whose record it is.
    pub person: Option<&'a str>,
    /// What figures are computed from where that is no column.
    pub computed: &'a [(String, Formula)],
}

impl Scope<'_, '_> {
    /// The bounds of what a figure is about: a column, or what is computed from several.
    pub fn bounds(&self, name: &str) -> Result<Bounds, QueryError> {
        let Some((_, formula)) = self.computed.iter().find(|own| own.0 == name) else {
            return self.declared.bounds(name);
        };
        let mut of_columns = Vec::new();
        for column in formula.columns() {
            let own = self.declared.bounds(column)?;
            let (lower, upper) = (own.lower().into(), own.upper().into());
            of_columns.push((column, Within { lower, upper, decimals: own.grid().decimals() }));
        }
        let within = |name: &str| of_columns.iter().find(|own| own.0 == name).map(|own| own.1);
        let found = formula.bounded(&within).and_then(|own| {
            let (lower, upper) = (i64::try_from(own.lower).ok()?, i64::try_from(own.upper).ok()?);
            Bounds::from_units(lower, upper, Grid::new(own.decimals).ok()?).ok()
        });
        found.filter(|own| own.width() > 0).ok_or_else(|| {
            problem(format!(
                "`{name}` has more than fifteen decimals, or bounds beyond 2^61 of its unit, or only one value; declare narrower bounds or a \
                 coarser --grid for its columns"
            ))
        })
    }

    /// Whom a count of different values must hide: a person has one key, and may have another value in each record.
    fn people_of_distinct(&self, column: &str) -> Result<People, DpError> {
        match self.person == Some(column) {
            true => self.people.in_groups(None, Some(1)),
            false => Ok(self.people),
        }
    }
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
    /// The whole cost, where it is a concentrated loss.
    rho: Option<Rho>,
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
            rho: scope.declared.rho()?,
        };
        if let Some(rho) = &own.rho {
            own.epsilon = rho.split(shares)?.pure_epsilon()?;
        }
        if delta.is_none() && own.rho.is_none() {
            return Ok(own);
        }
        let may_be = |figure: &Figure| {
            matches!(
                figure,
                Figure::Aggregate(Aggregate::Count | Aggregate::CountOf(_) | Aggregate::Sum(_))
                    | Figure::CountDistinct { .. }
            )
        };
        own.is_gaussian = figures.iter().map(|(figure, _)| may_be(figure)).collect();
        let flags = scope.declared.flags;
        let is_open = flags.method.is_none_or(|own| own == Method::Peeling) && !flags.probabilistic;
        loop {
            let gaussian = own.is_gaussian.iter().filter(|is| **is).count() as u64;
            let part = |delta: &Delta, parts: u64| {
                Delta::new(delta.value() * Rational::from(parts) / Rational::from(gaussian + medians))
            };
            let share = |whole: &Rational| whole * Rational::from(gaussian) / Rational::from(shares);
            own.median = match delta {
                Some(delta) if medians > 0 => Some(part(delta, 1)?),
                _ => None,
            };
            own.joint = match (gaussian, &own.rho, delta) {
                (0, ..) | (_, None, None) => None,
                (_, Some(rho), _) => Some((Privacy::Concentrated(Rho::new(share(rho.value()))?), gaussian)),
                (_, None, Some(delta)) => {
                    let epsilon = Epsilon::new(share(epsilon.value()))?;
                    Some((scope.declared.privacy(&epsilon, Some(&part(delta, gaussian)?)), gaussian))
                }
            };
            own.spends_delta = delta.is_some() && gaussian + medians > 0;
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
        if let Some(rho) = &self.rho {
            return Loss::concentrated(rho.value().clone());
        }
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
        let unspent = if self.spends_delta || self.rho.is_some() {
            ""
        } else {
            ". Nothing needs the delta, so it is not spent"
        };
        Some(format!("{}{unspent}. --mechanism laplace or gaussian decides otherwise.", told.join("; ")))
    }

    /// What answers a figure.
    pub fn mechanism(
        &self,
        place: usize,
        figure: &Figure,
        scope: &Scope<'_, '_>,
    ) -> Result<Mechanism, QueryError> {
        let Scope { people, is_grouped, declared, .. } = *scope;
        if let Some(own) = self.additive(figure, self.is_gaussian.get(place) == Some(&true), scope)? {
            return Ok(match own {
                Additive::Count(noise) => Mechanism::Count(noise),
                Additive::Sum { sum, noise } => Mechanism::Sum { sum, noise },
            });
        }
        let moves = is_grouped && people.neighbours() == Neighbours::ReplaceOne;
        // Half of epsilon for somebody who comes or goes is all of it for somebody who is replaced.
        let most = if is_grouped { people.in_all_groups() } else { people.contributions() };
        let (other, share) = match moves {
            true => (People::new(Neighbours::AddRemove, most)?, self.epsilon.split(2)?),
            false => (People::new(people.neighbours(), most)?, self.epsilon.clone()),
        };
        let column = figure.column().unwrap_or_default();
        let bounds = scope.bounds(column)?;
        Ok(match figure {
            Figure::Spread { is_root, .. } => {
                let spread = Spread::new(other, bounds, *is_root, &share)?;
                Mechanism::Spread { spread: spread.into(), bounds }
            }
            // Counts of different values are additive, and were answered above.
            Figure::Aggregate(_) | Figure::CountDistinct { .. } => {
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
        let Scope { people, is_grouped, .. } = *scope;
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
                let own = match is_grouped {
                    true => People::new(people.neighbours(), people.per_group())?,
                    false => people,
                };
                let sum = Sum { people: own, bounds: scope.bounds(column)?, selection: Selection::Subset };
                let noise = match is_grouped {
                    true => grouped_sum(&sum.bounds, people, privacy)?,
                    false => sum.noise(privacy)?,
                };
                Additive::Sum { sum, noise: noise.as_one_of(*figures) }
            }
            Figure::CountDistinct { column } => {
                let people = scope.people_of_distinct(column)?;
                let noise = match is_grouped {
                    true => Histogram { people, cells: 0 }.noise(privacy)?,
                    false => Count { people: People::new(people.neighbours(), people.per_group())? }
                        .noise(privacy)?,
                };
                Additive::Count(noise.as_one_of(*figures))
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

/// The noise of sums by group. With n records of a person in all groups at most, whose squares by group sum to q at most, one person who is
/// added or removed changes the sums by n·B in sum, B = max(|lower|, |upper|), and by q·B² in sum of squares. Where a person is replaced, it is
/// 2n·B; and in sum of squares, with u = max(upper, 0) and l = max(−lower, 0), 2q·(u² + l²), or q·max(2B², (u + l)²) where groups set no limit of
/// their own: the distance is convex in what each record adds, so it is largest when all are alike.
fn grouped_sum(bounds: &Bounds, people: People, privacy: &Privacy) -> Result<Noise, DpError> {
    let (lower, upper) = (i128::from(bounds.lower()), i128::from(bounds.upper()));
    let largest = lower.unsigned_abs().max(upper.unsigned_abs());
    let (below, above) = ((-lower).max(0).unsigned_abs(), upper.max(0).unsigned_abs());
    let (records, squares) = (u128::from(people.in_all_groups()), people.squared_in_groups());
    let square = |value: u128| value.checked_mul(value);
    let (most, one) = match people.neighbours() {
        Neighbours::AddRemove => (largest * records, square(largest)),
        Neighbours::ReplaceOne if people.per_group() == people.contributions() => {
            let twice = square(largest).and_then(|own| own.checked_mul(2));
            (2 * largest * records, twice.zip(square(below + above)).map(|(twice, across)| twice.max(across)))
        }
        Neighbours::ReplaceOne => {
            let both = square(below).zip(square(above)).and_then(|(below, above)| below.checked_add(above));
            (2 * largest * records, both.and_then(|own| own.checked_mul(2)))
        }
    };
    let too_large = DpError::TooLarge { what: "the sensitivity of the sum in units", most: u64::MAX };
    let squared = || one.and_then(|own| own.checked_mul(squares)).ok_or(too_large);
    match privacy {
        Privacy::Pure(epsilon) => Ok(Noise::laplace(most, epsilon)),
        Privacy::Approximate(epsilon, delta) => Noise::gaussian(squared()?, epsilon, delta),
        Privacy::Probabilistic(epsilon, delta) => Noise::probabilistic(squared()?, epsilon, delta),
        Privacy::Concentrated(rho) => Ok(Noise::concentrated(squared()?, rho)),
    }
}
