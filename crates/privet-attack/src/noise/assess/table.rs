//! The records of a perturbed release that have no missing values, and the noise in them.

use privet_perturb::Law;

use super::{Knowing, PerturbedColumn};
use crate::noise::records::{NoiseAttackError, NoiseShape, Records, check_length, check_spread};
use crate::noise::score::Score;

/// An error is clearly less than another when it is at most this part of it.
const CLEARLY: f64 = 0.8;

/// The records without missing values, and the noise in them.
pub(super) struct Table<'a> {
    pub columns: &'a [PerturbedColumn<'a>],
    pub published: Vec<f64>,
    pub original: Option<Vec<f64>>,
    /// Per column the variance of the noise.
    pub variances: Vec<f64>,
    left_out: usize,
}

impl<'a> Table<'a> {
    pub fn new(columns: &'a [PerturbedColumn<'a>]) -> Result<Self, NoiseAttackError> {
        let Some(first) = columns.first() else {
            return Err(NoiseAttackError::Length { what: "columns", found: 0, expected: 1 });
        };
        let records = first.values.len();
        for column in columns {
            check_length("records in a column", column.values.len(), records)?;
            if let Some(original) = column.original {
                check_length("records in a column of the original", original.len(), records)?;
            }
            check_spread("the step of rounding", column.step)?;
            check_spread("the unit of the originals", column.unit)?;
            if let Some(factor) = column.together {
                check_spread("the factor of the noise", factor)?;
                if column.law != Law::Keep || first_factor(columns) != Some(factor) {
                    return Err(NoiseAttackError::Parameter {
                        name: "noise that is correlated as the data are",
                        accepted: "one factor for all of its columns, and no other law on them",
                    });
                }
            }
            match column.law {
                Law::Keep => {}
                Law::Add(noise) | Law::Multiply(noise) => noise.check()?,
                Law::Replace { .. } => {
                    return Err(NoiseAttackError::Parameter {
                        name: "the law of a column of numbers",
                        accepted: "keep, add or multiply",
                    });
                }
            }
        }
        let scored = columns.iter().all(|column| column.original.is_some());
        let whole = |record: usize| {
            columns.iter().all(|column| {
                let known = |values: &[f64]| values.get(record).is_some_and(|value| !value.is_nan());
                known(column.values) && (!scored || column.original.is_none_or(known))
            })
        };
        let kept: Vec<usize> = (0..records).filter(|&record| whole(record)).collect();
        let gather = |of: fn(&PerturbedColumn<'a>) -> Option<&'a [f64]>| -> Vec<f64> {
            let value = |column, record: usize| of(column).and_then(|own| own.get(record)).copied();
            kept.iter()
                .flat_map(|&record| columns.iter().filter_map(move |column| value(column, record)))
                .collect()
        };
        let published = gather(|column| Some(column.values));
        let original = scored.then(|| gather(|column| column.original));
        let width = columns.len();
        Records::new(&published, width)?;
        if let Some(original) = &original {
            Records::new(original, width)?;
        }
        let variances = columns.iter().map(variance_of);
        let variances = variances.collect();
        Ok(Self { columns, published, original, variances, left_out: records - kept.len() })
    }

    pub fn records(&self) -> Result<Records<'_>, NoiseAttackError> {
        Records::new(&self.published, self.columns.len())
    }

    /// How the noise spreads over all columns.
    pub fn shape(&self) -> NoiseShape {
        let variances = &self.variances;
        match first_factor(self.columns) {
            None => NoiseShape::Independent(variances.clone()),
            Some(factor) => {
                let own = |(column, variance): (&PerturbedColumn<'_>, &f64)| match column.together {
                    None => Some(*variance),
                    Some(_) => None,
                };
                NoiseShape::Mixed { factor, own: self.columns.iter().zip(variances).map(own).collect() }
            }
        }
    }

    /// The same noise as somebody sees it who does not know that it is correlated.
    pub fn as_if_independent(&self) -> NoiseShape {
        NoiseShape::Independent(self.variances.clone())
    }

    /// Per column the variance of noise that is independent of that of other columns.
    pub fn independent(&self) -> Vec<f64> {
        let own = |(column, variance): (&PerturbedColumn<'_>, &f64)| match column.together {
            None => *variance,
            Some(_) => 0.0,
        };
        self.columns.iter().zip(&self.variances).map(own).collect()
    }

    /// Whether some columns share correlated noise.
    pub fn is_correlated(&self) -> bool {
        first_factor(self.columns).is_some()
    }

    /// Per column the error that is expected, in deviations of its noise, where it is clearly less than that of whoever says
    /// the mean for everybody, which is how far the originals spread.
    pub fn beyond_means(&self, errors: &[f64]) -> Vec<Option<f64>> {
        let Ok(records) = self.records() else { return Vec::new() };
        let means = records.means();
        let count = records.len().saturating_sub(1).max(1) as f64;
        let told = |(place, error): (usize, &f64)| {
            let (mean, noise) = (means.get(place)?, *self.variances.get(place)?);
            let own = self.published.iter().skip(place).step_by(self.columns.len());
            let spread = own.map(|value| (value - mean).powi(2) / count).sum::<f64>() - noise;
            (noise > 0.0 && *error < CLEARLY * (spread.max(0.0) / noise).sqrt()).then_some(*error)
        };
        errors.iter().enumerate().map(told).collect()
    }

    pub fn noisy(&self) -> Vec<String> {
        let noisy = self.columns.iter().zip(&self.variances).filter(|(_, variance)| **variance > 0.0);
        noisy.map(|(column, _)| column.name.to_owned()).collect()
    }

    pub fn deviations(&self) -> Vec<f64> {
        self.variances.iter().map(|variance| variance.sqrt()).collect()
    }

    /// The deviation of the noise of one of the columns, by its name.
    pub fn deviation_of(&self, column: &PerturbedColumn<'_>) -> f64 {
        let own = self.columns.iter().zip(&self.variances).find(|(own, _)| own.name == column.name);
        own.map_or(0.0, |(_, variance)| variance.sqrt())
    }

    pub fn score(&self, estimates: &[f64], knowing: &Knowing) -> Result<Option<Score>, NoiseAttackError> {
        self.score_in(estimates, &self.deviations(), knowing)
    }

    /// The score over the columns for which a deviation above 0 is given.
    pub fn score_in(
        &self,
        estimates: &[f64],
        deviations: &[f64],
        knowing: &Knowing,
    ) -> Result<Option<Score>, NoiseAttackError> {
        let Some(original) = &self.original else { return Ok(None) };
        let width = self.columns.len();
        let (truth, estimates) = (Records::new(original, width)?, Records::new(estimates, width)?);
        Score::of(truth, self.records()?, estimates, deviations, knowing.tolerance).map(Some)
    }

    /// Why no attack on the records as a whole can be made, if so.
    pub fn cannot(&self) -> Option<&'static str> {
        if self.published.len() < 2 * self.columns.len() {
            Some("fewer than two records are without missing values.")
        } else if self.variances.iter().all(|variance| *variance == 0.0) {
            Some("no column has noise; the values are published as they are.")
        } else {
            None
        }
    }

    pub fn left_out(&self) -> String {
        match self.left_out {
            0 => String::new(),
            count => format!(" Records with missing values that were left out: {count}."),
        }
    }
}

/// The variance of the noise of a column, by the values that are not missing.
pub(super) fn variance_of(column: &PerturbedColumn<'_>) -> f64 {
    let known = || column.values.iter().copied().filter(|value| !value.is_nan());
    let count = known().count() as f64;
    match (column.law, column.together) {
        (Law::Add(noise), _) => noise.variance(),
        (Law::Multiply(noise), _) => {
            let squares: f64 = known().map(|value| value * value / count).sum();
            noise.variance() * squares / (1.0 + noise.variance())
        }
        // Published values spread (1 + d) times as the data do, and d of these are noise.
        (Law::Keep | Law::Replace { .. }, Some(factor)) => {
            // The mean from the first value on is exact for a constant column.
            let origin = known().next().unwrap_or(0.0);
            let mean = origin + known().map(|value| (value - origin) / count).sum::<f64>();
            let spread: f64 = known().map(|value| (value - mean).powi(2) / (count - 1.0).max(1.0)).sum();
            factor / (1.0 + factor) * spread
        }
        (Law::Keep | Law::Replace { .. }, None) => 0.0,
    }
}

/// The factor of the correlated noise, where there is some.
pub(super) fn first_factor(columns: &[PerturbedColumn<'_>]) -> Option<f64> {
    columns.iter().find_map(|column| column.together)
}
