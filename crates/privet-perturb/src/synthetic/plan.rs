//! What is to be synthesized, and how: a [`Plan`] for a whole table.

use super::cart::Cart;
use super::frame::check_records;
use super::franconi_stander::FranconiStander;
use super::latin_hypercube::LatinHypercube;
use super::max_entropy::MaximumEntropy;
use super::regression::Regression;
use super::{Frame, SyntheticError};

/// The most copies.
pub const MOST_COPIES: usize = 1000;

/// The most values of all copies together.
pub const MOST_VALUES: usize = 1 << 31;

/// How values are made.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Method {
    /// A decision tree for each column; draws from its leaves (survey ME-39).
    Cart(Cart),
    /// A regression for each column; draws from the posterior (survey ME-40).
    Regression(Regression),
    /// Numbers that keep every regression coefficient and the residual covariance (survey ME-42).
    Sufficiency,
    /// Midpoints of predicted intervals; no randomness (survey ME-43).
    FranconiStander(FranconiStander),
    /// Numbers with the same means and covariances (survey ME-44).
    Moments,
    /// Numbers with the same distributions and about the same rank correlations (survey ME-45).
    LatinHypercube(LatinHypercube),
    /// Categories of maximum entropy with the same margins, regressions for other columns (survey ME-41).
    MaximumEntropy(MaximumEntropy),
}

impl Method {
    /// Its name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Cart(_) => "synthesis by trees",
            Method::Regression(_) => "synthesis by regressions",
            Method::Sufficiency => "sufficiency-based synthesis",
            Method::FranconiStander(_) => "the method of Franconi and Stander",
            Method::Moments => "synthesis with the same moments",
            Method::LatinHypercube(_) => "Latin-hypercube synthesis",
            Method::MaximumEntropy(_) => "maximum-entropy synthesis",
        }
    }
}

/// What is replaced.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Scope {
    /// Every column, in new records that stand for nobody.
    Full {
        /// So many of them in each copy.
        records: usize,
        /// All columns in the order in which they are made, or none for their own order.
        #[serde(default)]
        order: Vec<usize>,
    },
    /// Chosen columns. Who is who stays; other columns are published as they are.
    Partial {
        /// The columns, in the order in which they are made.
        columns: Vec<usize>,
        /// The records that are replaced, in rising order; without them all are.
        #[serde(default)]
        records: Option<Vec<u32>>,
    },
}

/// What is to be synthesized, and how.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Plan {
    /// What is replaced.
    pub scope: Scope,
    /// How.
    pub method: Method,
    /// The number m of copies. Estimates with intervals need at least 2.
    pub copies: usize,
    /// Whether drawn numbers get as many decimals as those of their column have, where these have at most 15. Only then
    /// does it tell something that a drawn number is none of the originals. Methods that keep statistics exactly do not
    /// round.
    pub round: bool,
}

impl Plan {
    /// Five copies with every column synthetic.
    pub fn full(records: usize, method: Method) -> Self {
        Self { scope: Scope::Full { records, order: Vec::new() }, method, copies: 5, round: true }
    }

    /// Five copies with these columns synthetic, in all records.
    pub fn partial(columns: Vec<usize>, method: Method) -> Self {
        Self { scope: Scope::Partial { columns, records: None }, method, copies: 5, round: true }
    }

    /// With so many copies.
    #[must_use]
    pub fn copies(self, copies: usize) -> Self {
        Self { copies, ..self }
    }

    /// With numbers rounded to the decimals of their column, or not.
    #[must_use]
    pub fn round(self, round: bool) -> Self {
        Self { round, ..self }
    }

    /// Of a partial plan, only these records, in rising order; a full plan stays as it is.
    #[must_use]
    pub fn only(mut self, chosen: Vec<u32>) -> Self {
        if let Scope::Partial { records, .. } = &mut self.scope {
            *records = Some(chosen);
        }
        self
    }
}

/// A plan that was checked against its frame.
#[derive(Debug)]
pub(super) struct Task<'a> {
    pub(super) frame: &'a Frame,
    /// The columns that are made, in this order.
    pub(super) targets: Vec<usize>,
    /// The records of the frame that are learned from.
    pub(super) learned: Vec<u32>,
    /// The records of a copy that are made.
    pub(super) made: Vec<u32>,
    /// Whether all columns are made, in new records.
    pub(super) full: bool,
    pub(super) copies: usize,
    pub(super) round: bool,
}

impl<'a> Task<'a> {
    pub(super) fn new(frame: &'a Frame, plan: &Plan) -> Result<Self, SyntheticError> {
        if frame.records() == 0 {
            return Err(SyntheticError::Empty { what: "record" });
        }
        if plan.copies == 0 || plan.copies > MOST_COPIES {
            return Err(SyntheticError::Parameter {
                name: "the number of copies",
                accepted: "from 1 to 1000",
            });
        }
        let width = frame.columns().len();
        let all = |records: usize| -> Vec<u32> { (0..records as u32).collect() };
        let (targets, learned, made, full) = match &plan.scope {
            Scope::Full { records, order } => {
                check_records(*records)?;
                if *records > MOST_VALUES / width.max(1) {
                    let (what, found) = ("the values of all copies", records.saturating_mul(width));
                    return Err(SyntheticError::TooLarge { what, found, most: MOST_VALUES });
                }
                let targets = if order.is_empty() { (0..width).collect() } else { order.clone() };
                if targets.len() != width {
                    return Err(SyntheticError::Order { found: targets.len(), expected: width });
                }
                (targets, all(frame.records()), all(*records), true)
            }
            Scope::Partial { columns, records } => {
                let chosen = match records {
                    None => all(frame.records()),
                    Some(records) => {
                        let rising = records.iter().zip(records.iter().skip(1)).all(|(a, b)| a < b);
                        if !rising || records.last().is_some_and(|&r| r as usize >= frame.records()) {
                            return Err(SyntheticError::Record { records: frame.records() });
                        }
                        records.clone()
                    }
                };
                (columns.clone(), chosen.clone(), chosen, false)
            }
        };
        if targets.is_empty() {
            return Err(SyntheticError::Empty { what: "column to synthesize" });
        }
        if made.is_empty() {
            return Err(SyntheticError::Empty { what: "record to synthesize" });
        }
        let mut named = vec![false; width];
        for &column in &targets {
            let own = named.get_mut(column).ok_or(SyntheticError::Column { column, columns: width })?;
            if std::mem::replace(own, true) {
                return Err(SyntheticError::Repeated { column });
            }
        }
        let records = if full { made.len() } else { frame.records() };
        let values = records.saturating_mul(width).saturating_mul(plan.copies);
        if values > MOST_VALUES {
            let what = "the values of all copies";
            return Err(SyntheticError::TooLarge { what, found: values, most: MOST_VALUES });
        }
        Ok(Self { frame, targets, learned, made, full, copies: plan.copies, round: plan.round })
    }

    /// What a copy is before anything is made: the original, or nothing.
    pub(super) fn start(&self, original: &Frame) -> Frame {
        if self.full { original.blank(self.made.len()) } else { original.clone() }
    }

    /// The columns that are not made, in rising order.
    pub(super) fn kept(&self) -> Vec<usize> {
        (0..self.frame.columns().len()).filter(|column| !self.targets.contains(column)).collect()
    }

    /// The columns that are known when the target at this place of the order is made: those that are kept and those
    /// that are made before.
    pub(super) fn before(&self, place: usize) -> Vec<usize> {
        let mut known = self.kept();
        known.extend(self.targets.iter().take(place));
        known
    }
}
