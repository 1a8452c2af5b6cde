//! Points of a clustering on a whole-numbered grid, so that every distance is exact (papers F-AL4; the scaling is ours).
//!
//! A number is scaled from its declared range to a grid of steps; a category is its code. Squared Euclidean distances and Gower's
//! distances (absolute differences, and one whole range where categories differ) are then whole numbers, and ties are ties.

use privet_data::{Kind, Table};
use serde::{Deserialize, Serialize};

use crate::{AttributeDomain, ExactProblem, Examples, MineError, Visibility};

/// The steps of a scaled number, unless an axis says otherwise.
pub const STEPS: u32 = 1 << 20;

/// So many axes keep every squared distance below 2^51, where numbers of 64 bits of both kinds are exact.
const MOST_AXES: usize = 1 << 10;

/// How distances are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The Euclidean distance of scaled numbers.
    #[default]
    Euclidean,
    /// Gower's distance: scaled differences of numbers, 0 or 1 for categories, added up.
    Gower,
}

/// An attribute of the points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Who knows it.
    pub visibility: Visibility,
    /// Its domain, which the adversary knows.
    pub domain: AxisDomain,
}

/// The domain of an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AxisDomain {
    /// All numbers of a closed interval, on a grid of this many steps. More steps weigh more in distances.
    Numbers {
        /// The least.
        low: f64,
        /// The largest.
        high: f64,
        /// The steps between them.
        steps: u32,
    },
    /// Categories.
    Categories {
        /// Their labels; a code is a position.
        values: Vec<String>,
    },
}

/// The axes and the metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// The axes.
    pub axes: Vec<Axis>,
    /// The metric.
    pub metric: Metric,
}

/// Records as positions on the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    space: Space,
    /// Per axis one position per record.
    columns: Vec<Vec<u32>>,
    records: usize,
}

impl Axis {
    /// An axis of numbers on the usual grid.
    pub fn numbers(name: &str, visibility: Visibility, low: f64, high: f64) -> Self {
        let domain = AxisDomain::Numbers { low, high, steps: STEPS };
        Self { name: name.to_owned(), visibility, domain }
    }

    /// The largest position.
    pub(crate) fn last(&self) -> u32 {
        match &self.domain {
            AxisDomain::Numbers { steps, .. } => *steps,
            AxisDomain::Categories { values } => (values.len() as u32).saturating_sub(1),
        }
    }

    /// The position of a number; nothing outside the range.
    pub fn position(&self, number: f64) -> Option<u32> {
        let AxisDomain::Numbers { low, high, steps } = self.domain else { return None };
        let inside = low <= number && number <= high;
        inside.then(|| ((number - low) / (high - low) * f64::from(steps)).round() as u32)
    }

    /// The number at a position of a numeric axis.
    pub fn number(&self, position: u32) -> Option<f64> {
        let AxisDomain::Numbers { low, high, steps } = self.domain else { return None };
        Some(low + (high - low) * f64::from(position) / f64::from(steps))
    }

    fn check(&self, metric: Metric) -> Result<(), MineError> {
        match &self.domain {
            AxisDomain::Numbers { low, high, steps } => {
                let range = low.is_finite() && high.is_finite() && low < high && (1..=STEPS).contains(steps);
                range.then_some(()).ok_or(MineError::NotExact { reason: ExactProblem::Range })
            }
            AxisDomain::Categories { .. } if metric == Metric::Euclidean => {
                Err(MineError::NotExact { reason: ExactProblem::EuclideanCategories })
            }
            AxisDomain::Categories { values } if values.is_empty() => {
                Err(MineError::Code { column: self.name.clone(), domain: 0 })
            }
            AxisDomain::Categories { .. } => Ok(()),
        }
    }
}

impl Space {
    /// Whether names are unique, ranges are finite and the metric knows every axis.
    ///
    /// # Errors
    /// When one of them does not hold.
    pub fn check(&self) -> Result<(), MineError> {
        if self.axes.len() > MOST_AXES {
            return Err(MineError::TooMany { what: "axes of a clustering", limit: MOST_AXES });
        }
        for (place, axis) in self.axes.iter().enumerate() {
            if self.axes[..place].iter().any(|other| other.name == axis.name) {
                return Err(MineError::DeclaredTwice { column: axis.name.clone() });
            }
            axis.check(self.metric)?;
        }
        Ok(())
    }

    /// The positions of the axes that everybody, or nobody, knows.
    pub(crate) fn seen(&self, visibility: Visibility) -> Vec<usize> {
        (0..self.axes.len()).filter(|&axis| self.axes[axis].visibility == visibility).collect()
    }

    /// What two categories that differ count: one whole range of the finest numeric axis.
    fn mismatch(&self) -> i64 {
        let steps = self.axes.iter().filter_map(|axis| match axis.domain {
            AxisDomain::Numbers { steps, .. } => Some(i64::from(steps)),
            AxisDomain::Categories { .. } => None,
        });
        steps.max().unwrap_or(1)
    }

    /// The summand of one axis in the distance.
    pub(crate) fn part(&self, axis: usize, a: u32, b: u32) -> i64 {
        let difference = i64::from(a) - i64::from(b);
        match (self.metric, &self.axes[axis].domain) {
            (Metric::Euclidean, _) => difference * difference,
            (Metric::Gower, AxisDomain::Numbers { .. }) => difference.abs(),
            (Metric::Gower, AxisDomain::Categories { .. }) => i64::from(difference != 0) * self.mismatch(),
        }
    }

    /// The distance over some axes: squared under the Euclidean metric, which orders pairs in the same way.
    pub(crate) fn distance(&self, axes: &[usize], a: &[u32], b: &[u32]) -> i64 {
        axes.iter().map(|&axis| self.part(axis, a[axis], b[axis])).sum()
    }

    /// The largest summand that one axis can have beside a position.
    pub(crate) fn farthest(&self, axis: usize, at: u32) -> i64 {
        self.part(axis, at, 0).max(self.part(axis, at, self.axes[axis].last()))
    }
}

impl Points {
    /// Records from columns of positions, one column per axis.
    ///
    /// # Errors
    /// When the space is wrong, a column has another length, or a position is outside its axis.
    pub fn new(space: Space, columns: Vec<Vec<u32>>) -> Result<Self, MineError> {
        space.check()?;
        let records = columns.first().map_or(0, Vec::len);
        if records == 0 {
            return Err(MineError::Empty);
        }
        if columns.len() != space.axes.len() {
            let (found, expected) = (columns.len(), space.axes.len());
            return Err(MineError::Ragged { column: "(number of columns)".to_owned(), found, expected });
        }
        for (axis, column) in space.axes.iter().zip(&columns) {
            let name = || axis.name.clone();
            if column.len() != records {
                return Err(MineError::Ragged { column: name(), found: column.len(), expected: records });
            }
            if column.iter().any(|&position| position > axis.last()) {
                return Err(MineError::Code { column: name(), domain: axis.last() as usize + 1 });
            }
        }
        Ok(Self { space, columns, records })
    }

    /// The attributes of records as points; the class is not looked at. Numbers take their range from `ranges`, by name, and otherwise,
    /// when they are public, from the records; categories need [`Metric::Gower`].
    ///
    /// # Errors
    /// When a private number has no declared range, or a number lies outside its range.
    pub fn from_examples(
        examples: &Examples,
        metric: Metric,
        ranges: &[(&str, f64, f64)],
    ) -> Result<Self, MineError> {
        let (mut axes, mut columns) = (Vec::new(), Vec::new());
        for (place, attribute) in examples.schema().attributes.iter().enumerate() {
            let values = examples.column(place);
            let numbers = &values.numbers;
            let domain = match &attribute.domain {
                AttributeDomain::Categories { values, .. } => {
                    AxisDomain::Categories { values: values.clone() }
                }
                AttributeDomain::Numbers => range(&attribute.name, attribute.visibility, numbers, ranges)?,
            };
            let axis = Axis { name: attribute.name.clone(), visibility: attribute.visibility, domain };
            columns.push(positions(&axis, &values.codes, numbers)?);
            axes.push(axis);
        }
        Self::new(Space { axes, metric }, columns)
    }

    /// The named columns of a table as points, as [`from_examples`](Self::from_examples) does. A column of numbers in which no value is
    /// missing is an axis of numbers, every other column one of categories.
    ///
    /// # Errors
    /// When a column is missing, and as [`from_examples`](Self::from_examples).
    pub fn from_table(
        table: &Table,
        attributes: &[(&str, Visibility)],
        metric: Metric,
        ranges: &[(&str, f64, f64)],
    ) -> Result<Self, MineError> {
        let (mut axes, mut columns) = (Vec::new(), Vec::new());
        for &(name, visibility) in attributes {
            let missing = || MineError::Column { column: name.to_owned() };
            let column = table.column(name).ok_or_else(missing)?;
            let domain = &column.domain;
            let is_number = matches!(domain.kind(), Kind::Integer | Kind::Decimal) && domain.missing() == 0;
            let numbers: Vec<f64> = match is_number {
                true => (0..domain.len() as u32).filter_map(|code| domain.number(code)).collect(),
                false => Vec::new(),
            };
            let domain = match is_number && numbers.len() == domain.len() {
                true => range(name, visibility, &numbers, ranges)?,
                false => AxisDomain::Categories {
                    values: domain.texts().iter().map(|text| text.to_string()).collect(),
                },
            };
            let axis = Axis { name: name.to_owned(), visibility, domain };
            columns.push(positions(&axis, &column.codes, &numbers)?);
            axes.push(axis);
        }
        Self::new(Space { axes, metric }, columns)
    }

    /// The axes and the metric.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.records
    }

    /// Whether there is no record; there always is one.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// The positions of a record.
    pub fn record(&self, row: usize) -> Vec<u32> {
        self.columns.iter().map(|column| column[row]).collect()
    }

    /// The distinct values of some axes in ascending order, and which of them each record has.
    pub(crate) fn distinct(&self, axes: &[usize]) -> (Vec<Vec<u32>>, Vec<u32>) {
        let key = |row: u32| axes.iter().map(move |&axis| self.columns[axis][row as usize]);
        let mut order: Vec<u32> = (0..self.records as u32).collect();
        order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
        let mut of_record = vec![0; self.records];
        let mut distinct: Vec<Vec<u32>> = Vec::new();
        for row in order {
            if distinct.last().is_none_or(|last| !key(row).eq(last.iter().copied())) {
                distinct.push(key(row).collect());
            }
            of_record[row as usize] = distinct.len() as u32 - 1;
        }
        (distinct, of_record)
    }
}

/// The domain of an axis of numbers: as declared, or, when everybody knows them, from the least to the largest.
fn range(
    name: &str,
    visibility: Visibility,
    numbers: &[f64],
    declared: &[(&str, f64, f64)],
) -> Result<AxisDomain, MineError> {
    if let Some(&(_, low, high)) = declared.iter().find(|(own, ..)| *own == name) {
        return Ok(AxisDomain::Numbers { low, high, steps: STEPS });
    }
    if visibility == Visibility::Private {
        return Err(MineError::NotExact { reason: ExactProblem::Range });
    }
    let ends = numbers.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
    // A single number still needs a range.
    let high = if ends.0 < ends.1 { ends.1 } else { ends.0 + 1.0 };
    Ok(AxisDomain::Numbers { low: ends.0, high, steps: STEPS })
}

/// Codes as positions.
fn positions(axis: &Axis, codes: &[u32], numbers: &[f64]) -> Result<Vec<u32>, MineError> {
    let at = |&code: &u32| match axis.domain {
        AxisDomain::Numbers { .. } => numbers.get(code as usize).and_then(|&number| axis.position(number)),
        AxisDomain::Categories { .. } => Some(code),
    };
    let outside = || MineError::NotExact { reason: ExactProblem::Outside };
    codes.iter().map(at).collect::<Option<Vec<u32>>>().ok_or_else(outside)
}
