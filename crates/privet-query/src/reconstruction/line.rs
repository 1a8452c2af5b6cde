//! The line that nobody was to fit, from counts, means and sums of squares over ranges (survey AT-23; Palley and Simonoff 1987).
//!
//! # Guarantee
//! The answers of the account are those of histograms and of one table of boxes, as a `group by` answers them: what one person
//! changes is in one bar of each histogram and in one box, so all of them together cost what the account allows. The line through the
//! records themselves is only what the adversary's is compared with.

use privet_attack::ids;
use privet_attack::noise::Records;
use privet_attack::noise::undesired::{BoxAnswer, Regression, from_boxes, of_records};
use privet_data::{Progress, Table};
use privet_dp::{Bounds, Noise};
use privet_measure::answer::cell_number;
use serde::Serialize;

use super::given::unusable;
use super::{Allowance, AnswerSource, Declared, LedgerAttackOptions, QueryError, problem};

/// Whole numbers per half width of the bounds: numbers are rounded to them before noise is added.
const UNITS: f64 = 1000.0;

/// What an adversary fits.
#[derive(Debug, Clone, Serialize)]
pub struct LineAttack {
    /// The name of the attack.
    pub attack: &'static str,
    /// From which answers.
    pub from: AnswerSource,
    /// The column that is explained.
    pub explained: String,
    /// The columns that explain it.
    pub explaining: Vec<String>,
    /// The adversary's line.
    pub found: Regression,
    /// The line through the records.
    pub truth: Regression,
    /// How much farther from the truth the adversary's predictions are than those of the best line: the root of the mean square of the
    /// difference between both lines, in deviations of the explained column.
    pub apart: f64,
}

/// The attack on answers that the account allows, where there is one, and on exact ones.
pub(super) fn attack(
    table: &Table,
    (explained, options): (&str, &LedgerAttackOptions),
    declared: &Declared<'_>,
    allowance: Option<&Allowance>,
    progress: &dyn Progress,
) -> Result<Vec<LineAttack>, QueryError> {
    if options.explaining.is_empty() || options.explaining.len() > 4 {
        return Err(problem("--explaining takes from one to four columns of numbers"));
    }
    let names: Vec<&str> = options.explaining.iter().map(String::as_str).chain([explained]).collect();
    let bounds = names.iter().map(|name| declared.bounds(name)).collect::<Result<Vec<Bounds>, _>>()?;
    let ends: Vec<(f64, f64)> = bounds
        .iter()
        .map(|own| {
            let number = |units: i64| own.grid().number(units.into());
            // The upper end belongs to the last range.
            let (lower, upper) = (number(own.lower()), number(own.upper()));
            (lower, upper + (upper - lower) * 1e-9)
        })
        .collect();
    let records = numbers(table, &names, &ends)?;
    let width = names.len();
    let rows = Records::new(&records, width).map_err(unusable)?;
    let truth = of_records(rows).map_err(unusable)?;
    let explaining = ends.get(..width - 1).unwrap_or(&[]); // why: there is at least the explained column
    let mut found = Vec::new();
    for allowance in allowance.map(Some).into_iter().chain([None]) {
        progress.check()?;
        let desk = Desk::new(&records, width, &ends, allowance)?;
        let mut failed = None;
        let line = from_boxes(explaining, options.parts, |asked| match desk.ask(asked) {
            Ok(answer) => answer,
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let line = match line {
            // Noise left too few ranges with anybody in them: the adversary has the middle of the bounds and nothing else.
            Err(_) if allowance.is_some() => {
                let middle = ends.last().map_or(0.0, |(lower, upper)| (lower + upper) / 2.0);
                let slopes = vec![0.0; explaining.len()];
                Regression { constant: middle, slopes, explained: 0.0, questions: 0 }
            }
            line => line.map_err(unusable)?,
        };
        found.push(LineAttack {
            attack: ids::UNDESIRED_REGRESSION,
            from: if allowance.is_some() { AnswerSource::Allowed } else { AnswerSource::Exact },
            explained: explained.to_owned(),
            explaining: options.explaining.clone(),
            apart: apart(&records, width, &line, &truth),
            found: line,
            truth: truth.clone(),
        });
    }
    Ok(found)
}

/// The numbers of the records that have all of them, moved into their bounds.
fn numbers(table: &Table, names: &[&str], ends: &[(f64, f64)]) -> Result<Vec<f64>, QueryError> {
    let columns = names
        .iter()
        .map(|name| {
            table.column(name).ok_or_else(|| problem(format!("there is no column `{name}` in the data")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut all = Vec::new();
    for row in 0..table.rows {
        let cell = |column: &&privet_data::Column| {
            let code = column.codes.get(row).copied()?;
            if column.domain.is_missing(code) { None } else { cell_number(column.domain.text(code)) }
        };
        let own: Option<Vec<f64>> = columns.iter().map(cell).collect();
        let Some(own) = own else { continue };
        all.extend(own.iter().zip(ends).map(|(value, (lower, upper))| value.clamp(*lower, *upper)));
    }
    Ok(all)
}

/// Who answers.
struct Desk<'a> {
    records: &'a [f64],
    width: usize,
    /// Per column its middle and half its width.
    reach: Vec<(f64, f64)>,
    /// The noise of a count, and of a sum or a sum of squares in units.
    noise: Option<(Noise, Noise)>,
}

impl<'a> Desk<'a> {
    fn new(
        records: &'a [f64],
        width: usize,
        ends: &[(f64, f64)],
        allowance: Option<&Allowance>,
    ) -> Result<Self, QueryError> {
        // A histogram of each explaining column, and of the boxes a count, a sum of each column, and a sum of squares.
        let figures = (width - 1 + 1 + width + 1) as u64;
        let noise = match allowance {
            None => None,
            Some(own) => Some((own.noise(1, figures)?, own.noise(UNITS as u64, figures)?)),
        };
        let reach =
            ends.iter().map(|(lower, upper)| ((lower + upper) / 2.0, (upper - lower) / 2.0)).collect();
        Ok(Self { records, width, reach, noise })
    }

    /// What it says of a box; a mean of nobody is not answered.
    fn ask(&self, asked: &[(f64, f64)]) -> Result<Option<BoxAnswer>, QueryError> {
        let mut count = 0.0;
        // About the middle, in half widths.
        let mut sums = vec![0.0; self.width];
        let mut squares = 0.0;
        for row in self.records.chunks_exact(self.width) {
            if !row.iter().zip(asked).all(|(value, (from, to))| value >= from && value < to) {
                continue;
            }
            count += 1.0;
            let scaled = row
                .iter()
                .zip(&self.reach)
                .map(|(value, (middle, half))| ((value - middle) / half * UNITS).round() / UNITS);
            for (place, (sum, value)) in sums.iter_mut().zip(scaled).enumerate() {
                *sum += value;
                if place + 1 == self.width {
                    squares += (value * value * UNITS).round() / UNITS;
                }
            }
        }
        if let Some((of_count, of_sum)) = &self.noise {
            let add = |noise: &Noise, value: f64, units: f64| -> Result<f64, QueryError> {
                Ok(noise.add((value * units).round() as i128)? as f64 / units)
            };
            count = add(of_count, count, 1.0)?;
            for sum in &mut sums {
                *sum = add(of_sum, *sum, UNITS)?;
            }
            squares = add(of_sum, squares, UNITS)?;
        }
        if count < 0.5 {
            return Ok(None);
        }
        let means: Vec<f64> = sums
            .iter()
            .zip(&self.reach)
            .map(|(sum, (middle, half))| middle + half * (sum / count).clamp(-1.0, 1.0))
            .collect();
        // Σ(m + h·u)² = n·m² + 2·m·h·Σu + h²·Σu²
        let squares = match (sums.last(), self.reach.last()) {
            (Some(sum), Some((middle, half))) => {
                count * middle * middle + 2.0 * middle * half * sum + half * half * squares.max(0.0)
            }
            _ => 0.0,
        };
        Ok(Some(BoxAnswer { count, means, squares: squares.max(0.0) }))
    }
}

/// How far two lines are apart over the records, in deviations of the explained column.
fn apart(records: &[f64], width: usize, one: &Regression, other: &Regression) -> f64 {
    let predict = |line: &Regression, row: &[f64]| {
        line.constant + line.slopes.iter().zip(row).map(|(slope, value)| slope * value).sum::<f64>()
    };
    let rows = records.chunks_exact(width);
    let n = rows.len().max(1) as f64;
    let (mut between, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for row in rows {
        between += (predict(one, row) - predict(other, row)).powi(2);
        let last = row.last().copied().unwrap_or(0.0);
        sum += last;
        squares += last * last;
    }
    let variance = squares / n - (sum / n).powi(2);
    if variance > 0.0 { (between / n / variance).sqrt() } else { 0.0 }
}
