//! A published model, ready to be drawn from and to be estimated with.
//!
//! A model comes from our own job or from a file that others wrote, so everything in it is checked here once more: that
//! rows are distributions, that noise has a width, that domains have values.

use std::collections::HashMap;

use privet_data::{Kind, date_of};
use privet_perturb::{
    Coins, CountEstimate, Estimated, Noise, PerturbError, PerturbationMatrix, Population, Retention,
    estimate_counts, few,
};
use privet_release::perturbed::{
    Categories, CategoryLaw, Model, NoiseColumn, NoiseLaw, NoiseWay, Perturbation,
};

use super::items::ReadyItems;
use crate::error::{JobError, RunError};

/// Whole numbers below it are read exactly: 2⁵³.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// How many spaces between neighbouring numbers there are at least in a step of published values.
const SPACES: f64 = 8.0;

/// A column, ready.
#[derive(Debug, Clone)]
pub(crate) struct ReadyColumn {
    pub name: String,
    pub law: ReadyLaw,
}

/// A law, ready.
#[derive(Debug, Clone)]
pub(crate) enum ReadyLaw {
    /// Published as it is.
    Keep,
    Categories(ReadyCategories),
    Noise(ReadyNoise),
    Items(ReadyItems),
}

/// A law of categories, ready.
#[derive(Debug, Clone)]
pub(crate) struct ReadyCategories {
    pub values: Vec<String>,
    code_of: HashMap<String, u32>,
    pub draw: Draw,
}

/// How a category is drawn.
#[derive(Debug, Clone)]
pub(crate) enum Draw {
    Retention(Retention),
    Matrix(PerturbationMatrix),
}

/// A law of noise, ready.
#[derive(Debug, Clone)]
pub(crate) struct ReadyNoise {
    pub way: NoiseWay,
    /// Without width when it is correlated: then it follows from the data.
    pub noise: Noise,
    pub factor: f64,
    pub dates: bool,
    pub range: Option<[f64; 2]>,
    /// What originals are multiples of, where that is known.
    pub unit: Option<f64>,
    step: Option<f64>,
    figures: usize,
    decimals: usize,
}

/// Noise of a law with a standard deviation.
pub(crate) fn noise_of(law: NoiseLaw, deviation: f64) -> Noise {
    match law {
        NoiseLaw::Gaussian => Noise::Gaussian { deviation },
        NoiseLaw::Uniform => Noise::Uniform { half_width: 3f64.sqrt() * deviation },
    }
}

/// Makes a model ready.
pub(crate) fn ready(model: &Model) -> Result<Vec<ReadyColumn>, RunError> {
    let mut columns: Vec<ReadyColumn> = Vec::new();
    for column in &model.columns {
        if columns.iter().any(|other| other.name == column.name) {
            return Err(JobError::new("the model has two columns of one name").into());
        }
        let failed = |source| RunError::Perturb { column: column.name.clone(), source };
        let law = match &column.perturbation {
            None => ReadyLaw::Keep,
            Some(Perturbation::Categories(own)) => {
                ReadyLaw::Categories(ReadyCategories::new(own).map_err(failed)?)
            }
            Some(Perturbation::Noise(own)) => ReadyLaw::Noise(ReadyNoise::new(own).map_err(failed)?),
            Some(Perturbation::Items(own)) => ReadyLaw::Items(ReadyItems::new(own).map_err(failed)?),
        };
        columns.push(ReadyColumn { name: column.name.clone(), law });
    }
    Ok(columns)
}

impl ReadyCategories {
    pub fn new(own: &Categories) -> Result<Self, PerturbError> {
        let size = own.values.len();
        let code_of: HashMap<String, u32> =
            own.values.iter().enumerate().map(|(code, value)| (value.clone(), code as u32)).collect();
        if size < 2 || code_of.len() != size {
            return Err(PerturbError::Parameter {
                name: "a domain",
                accepted: "at least two values, each once",
            });
        }
        let draw = match &own.law {
            CategoryLaw::Retention(keep) => Draw::Retention(Retention::new(*keep, size as u32)?),
            CategoryLaw::Matrix(rows) => {
                if let Some(row) = rows.iter().find(|row| row.len() != size) {
                    let (what, found) = ("entries in a row", row.len());
                    return Err(PerturbError::Length { what, found, expected: size });
                }
                if rows.len() != size {
                    let (what, found) = ("rows", rows.len());
                    return Err(PerturbError::Length { what, found, expected: size });
                }
                Draw::Matrix(PerturbationMatrix::new(size, rows.concat())?)
            }
        };
        Ok(Self { values: own.values.clone(), code_of, draw })
    }

    /// The code of a text of the domain.
    pub fn code(&self, text: &str) -> Option<u32> {
        self.code_of.get(text).copied()
    }

    /// The code of a missing value: its own, or that of the empty cell, where one of them is a value of the domain.
    pub fn code_or_missing(&self, text: &str) -> Option<u32> {
        self.code(text).or_else(|| self.code(""))
    }

    /// Draws what codes become.
    pub fn randomize<C: Coins + ?Sized>(
        &self,
        codes: &[u32],
        coins: &mut C,
    ) -> Result<Vec<u32>, PerturbError> {
        Ok(match &self.draw {
            Draw::Retention(retention) => retention.randomize(codes, coins)?.value,
            Draw::Matrix(matrix) => matrix.randomize(codes, coins)?.value,
        })
    }

    /// Row u of B = (Aᵀ)⁻¹ gives, per published value v, what a record with v counts for the original value u.
    pub fn inverse(&self) -> Result<Inverse, PerturbError> {
        match &self.draw {
            Draw::Retention(retention) => {
                if retention.keep() <= 1e-9 {
                    return Err(PerturbError::Singular);
                }
                let other = (1.0 - retention.keep()) / f64::from(retention.domain());
                let (keep, size) = (retention.keep(), self.values.len());
                Ok(Inverse::Even { same: (1.0 - other) / keep, other: -other / keep, size })
            }
            Draw::Matrix(matrix) => {
                let nothing = vec![0; matrix.outputs()];
                Ok(Inverse::Written(Box::new(estimate_counts(matrix, &nothing, Population::Fixed)?)))
            }
        }
    }

    /// The condition number of the matrix; infinite when it cannot be inverted.
    pub fn condition_number(&self) -> Result<f64, PerturbError> {
        match &self.draw {
            Draw::Retention(retention) => Ok(retention.condition_number()),
            Draw::Matrix(matrix) => matrix.condition_number(),
        }
    }

    /// Estimates the counts of the originals; all values, each with its variance.
    pub fn estimate(&self, observed: &[u64], population: Population) -> Result<Vec<Estimated>, PerturbError> {
        if let Draw::Matrix(matrix) = &self.draw {
            let estimate: CountEstimate = estimate_counts(matrix, observed, population)?;
            return (0..observed.len()).map(|value| estimate.count(value)).collect();
        }
        let inverse = self.inverse()?;
        let n: f64 = observed.iter().map(|&count| count as f64).sum();
        let Inverse::Even { same, other, .. } = inverse else { return Err(PerturbError::Singular) };
        Ok(observed
            .iter()
            .map(|&own| {
                let own = own as f64;
                let value = own * same + (n - own) * other;
                let squares = own * same * same + (n - own) * other * other;
                let variance = match population {
                    Population::Fixed => squares - value,
                    Population::Sampled if n > 1.0 => (squares - value * value / n) * n / (n - 1.0),
                    Population::Sampled => f64::INFINITY,
                };
                let few = few(&[(same, own), (other, n - own)], population);
                Estimated { value, variance: variance.max(0.0), few }
            })
            .collect())
    }
}

/// The inverse of the transposed law.
#[derive(Debug, Clone)]
pub(crate) enum Inverse {
    /// Of retention: one number on the diagonal, another elsewhere.
    Even { same: f64, other: f64, size: usize },
    /// Of a matrix.
    Written(Box<CountEstimate>),
}

impl Inverse {
    /// Per published value v: Σ_u f(u)·B[u,v], an unbiased estimate of f at the original of a record that shows v.
    pub fn weigh(&self, function: &[f64]) -> Vec<f64> {
        match self {
            Inverse::Even { same, other, size } => {
                let sum: f64 = function.iter().sum();
                function.iter().take(*size).map(|own| own * same + (sum - own) * other).collect()
            }
            Inverse::Written(estimate) => estimate.weigh(function),
        }
    }
}

impl ReadyNoise {
    pub fn new(own: &NoiseColumn) -> Result<Self, PerturbError> {
        let noise = noise_of(own.law, own.deviation.unwrap_or(0.0));
        noise.check()?;
        let factor = own.factor.unwrap_or(0.0);
        let is_wide = match own.way {
            NoiseWay::Correlated => factor > 0.0 && factor <= 1e50 && own.law == NoiseLaw::Gaussian,
            _ => !noise.is_none(),
        };
        if !is_wide {
            return Err(PerturbError::Parameter {
                name: "the width of the noise",
                accepted: "a number above 0",
            });
        }
        if own.step.is_some_and(|step| !(step > 0.0 && step.is_finite())) {
            return Err(PerturbError::Parameter {
                name: "the step of rounding",
                accepted: "a number above 0",
            });
        }
        if own.range.is_some_and(|[low, high]| !(low < high && low.is_finite() && high.is_finite())) {
            return Err(PerturbError::Parameter {
                name: "the range of originals",
                accepted: "two numbers that rise",
            });
        }
        if own.unit.is_some_and(|unit| !(unit > 0.0 && unit.is_finite())) {
            return Err(PerturbError::Parameter {
                name: "the unit of originals",
                accepted: "a number above 0",
            });
        }
        let decimals = own.step.map_or(0, decimals);
        let figures = own.figures.unwrap_or(12).clamp(1, 17) as usize;
        let (way, dates, range, unit, step) = (own.way, own.dates, own.range, own.unit, own.step);
        Ok(Self { way, noise, factor, dates, range, unit, step, figures, decimals })
    }

    /// The number of a text; `None` when it is none that can be computed with.
    pub fn number(&self, text: &str) -> Option<f64> {
        let kind = if self.dates { Kind::Date } else { Kind::Decimal };
        // What is not written as a number, such as `inf`, is none.
        let is_plain = self.dates || Kind::of(std::iter::once(text)) != Kind::Text;
        kind.number(text).filter(|number| is_plain && number.abs() <= 1e100)
    }

    /// Whether an original lies where the model says that all of them do: who is known to lie elsewhere would be told by
    /// noise that lies there too, and what is learned with the range in mind would be wrong.
    pub fn is_within(&self, original: f64) -> bool {
        self.range.is_none_or(|[low, high]| (low..=high).contains(&original))
    }

    /// Whether an original is a multiple of the unit that the model tells.
    pub fn is_multiple(&self, original: f64) -> bool {
        self.unit.is_none_or(|unit| {
            let times = original / unit;
            (times - times.round()).abs() <= 1e-6 * times.abs().max(1.0)
        })
    }

    /// Whether an original, as it is written, is read exactly and takes the noise upon it. Numbers in a computer lie the farther
    /// apart the larger they are: beside spaces as wide as its step noise is rounded off, and the original would be published.
    /// Whole numbers beyond 2⁵³ are read as others.
    pub fn takes_noise(&self, text: &str, original: f64) -> bool {
        let size = original.abs();
        let is_misread = !self.dates && size >= MOST_EXACT && !text.contains(['.', 'e', 'E']);
        let deviation = self.noise.variance().sqrt();
        let finest = match self.way {
            // What is multiplied and 0 stays 0 anyway.
            NoiseWay::Multiplicative if size == 0.0 => return true,
            NoiseWay::Multiplicative => size * deviation / 1000.0,
            _ => self.step.unwrap_or(deviation / 1000.0),
        };
        !is_misread && SPACES * (size.next_up() - size) <= finest
    }

    /// A value with noise upon it; not for correlated noise.
    pub fn perturb<C: Coins + ?Sized>(&self, value: f64, coins: &mut C) -> Result<f64, PerturbError> {
        let noise = self.noise.draw(coins)?;
        Ok(match self.way {
            NoiseWay::Multiplicative => value * (1.0 + noise),
            _ => value + noise,
        })
    }

    /// What published values are rounded to multiples of.
    pub fn step(&self) -> Option<f64> {
        self.step
    }

    /// The variance that rounding adds to that of the noise: of an even error within one step (Sheppard).
    pub fn rounding_variance(&self) -> f64 {
        self.step.map_or(0.0, |step| step * step / 12.0)
    }

    /// A perturbed number as it is published; `None` when it leaves the calendar or what numbers can hold.
    pub fn text(&self, value: f64) -> Option<String> {
        let rounded = match self.step {
            Some(step) => (value / step).round() * step,
            None => value,
        };
        if !rounded.is_finite() {
            return None;
        }
        if self.dates {
            // From year 1 to year 9999.
            return (-719_162.0..=2_932_896.0).contains(&rounded).then(|| date_of(rounded as i64));
        }
        let text = match self.step {
            Some(_) => format!("{rounded:.*}", self.decimals),
            // The shortest text of the number that has so many figures.
            None => format!("{:.*e}", self.figures - 1, rounded).parse::<f64>().ok()?.to_string(),
        };
        Some(if text.trim_start_matches('-').bytes().all(|b| b == b'0' || b == b'.') {
            text.trim_start_matches('-').to_owned()
        } else {
            text
        })
    }
}

/// How many decimals show every multiple of a step.
fn decimals(step: f64) -> usize {
    let shows = |decimals: &usize| {
        let scaled = step * 10f64.powi(*decimals as i32);
        scaled >= 0.5 && (scaled - scaled.round()).abs() <= 1e-9 * scaled
    };
    (0..=300).find(shows).unwrap_or(300)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_release::perturbed::Amplification;
    use proptest::prelude::*;

    fn categories(law: CategoryLaw, size: usize) -> ReadyCategories {
        let protects = Amplification { gamma: None, beliefs: vec![] };
        let values = (0..size).map(|value| format!("v{value}")).collect();
        let own = Categories { mechanism: "matrix".into(), values, domain: "declared".into(), law, protects };
        ReadyCategories::new(&own).unwrap()
    }

    #[test]
    fn numbers_are_rounded_to_their_step() {
        let noise = |step: f64, dates: bool| {
            ReadyNoise::new(&NoiseColumn {
                way: NoiseWay::Additive,
                law: NoiseLaw::Gaussian,
                deviation: Some(1.0),
                factor: None,
                dates,
                step: Some(step),
                figures: None,
                range: None,
                unit: None,
                interval_95: None,
            })
            .unwrap()
        };
        let text = |step, value| noise(step, false).text(value).unwrap();
        assert_eq!(text(0.01, 43.2749), "43.27");
        assert_eq!(text(0.01, -0.001), "0.00");
        assert_eq!(text(0.25, 1.3), "1.25");
        assert_eq!(text(10.0, 1234.0), "1230");
        assert_eq!(text(1.0, -3.4), "-3");
        assert_eq!(noise(1.0, true).text(0.4).unwrap(), "1970-01-01");
        assert_eq!(noise(1.0, true).text(1e9), None);
        assert_eq!(noise(1.0, false).number("inf"), None);
        assert_eq!(noise(1.0, false).number("1e2"), Some(100.0));
    }

    /// Eight spaces make a step: 2⁴⁹ and a step of 1. Multiplied noise grows with the number, but not below what is smallest.
    #[test]
    fn noise_is_not_lost_in_large_numbers() {
        let own = NoiseColumn {
            way: NoiseWay::Additive,
            law: NoiseLaw::Gaussian,
            deviation: Some(4.0),
            factor: None,
            dates: false,
            step: Some(1.0),
            figures: None,
            range: None,
            unit: None,
            interval_95: None,
        };
        let multiplied = NoiseColumn {
            way: NoiseWay::Multiplicative,
            deviation: Some(0.1),
            step: None,
            figures: Some(4),
            ..own
        };
        let together = NoiseColumn { way: NoiseWay::Correlated, deviation: None, factor: Some(0.1), ..own };
        let wide = NoiseColumn { deviation: Some(1e12), step: Some(1e10), ..own };
        for (own, text, expected) in [
            (&own, "562949953421311", true),
            (&own, "-562949953421311.5", true),
            (&own, "1125899906842624", false),
            (&own, "4111111111111111111", false),
            (&own, "1e99", false),
            (&together, "562949953421311", true),
            (&together, "1125899906842624", false),
            (&wide, "9007199254740991", true),
            (&wide, "9007199254740993", false),
            (&wide, "1.7e18", true),
            (&wide, "-1741015394062597441", false),
            (&multiplied, "0", true),
            (&multiplied, "1e99", true),
            (&multiplied, "1e-300", true),
            (&multiplied, "1e-322", false),
            (&multiplied, "4111111111111111111", false),
        ] {
            let ready = ReadyNoise::new(own).unwrap();
            let number = ready.number(text).unwrap();
            assert_eq!(ready.takes_noise(text, number), expected, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The closed form of retention is the matrix inverted, and what records count for adds up to the estimate.
        #[test]
        fn closed_form_and_matrix_agree(
            keep in 0.05f64..0.95,
            counts in prop::collection::vec(0u64..50, 2..6),
            sampled in any::<bool>(),
        ) {
            let size = counts.len();
            let population = if sampled { Population::Sampled } else { Population::Fixed };
            let closed = categories(CategoryLaw::Retention(keep), size);
            let Draw::Retention(retention) = closed.draw else { unreachable!() };
            let rows = retention.matrix().unwrap().rows().map(<[f64]>::to_vec).collect();
            let written = categories(CategoryLaw::Matrix(rows), size);
            let (a, b) = (closed.estimate(&counts, population).unwrap(), written.estimate(&counts, population).unwrap());
            for (a, b) in a.iter().zip(&b) {
                prop_assert!((a.value - b.value).abs() < 1e-6, "{a:?} {b:?}");
                prop_assert!(a.variance == b.variance || (a.variance - b.variance).abs() < 1e-5 * (1.0 + b.variance), "{a:?} {b:?}");
            }
            for inverse in [closed.inverse().unwrap(), written.inverse().unwrap()] {
                let mut first = vec![0.0; size];
                first[0] = 1.0;
                let weights = inverse.weigh(&first);
                let sum: f64 = weights.iter().zip(&counts).map(|(w, &c)| w * c as f64).sum();
                prop_assert!((sum - a[0].value).abs() < 1e-6, "{sum} {a:?}");
            }
        }
    }
}
