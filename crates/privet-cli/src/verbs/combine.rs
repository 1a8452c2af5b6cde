//! `privet combine`: what estimates from several imputed or synthetic tables say together.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use privet_data::Table;
use privet_data::io::{ReadErrorKind, ReadOptions, input_limit, read, read_plain};
use privet_measure::combine::{Combined, LEAST_DEGREES, Rule, combine};
use serde::{Deserialize, Serialize};

use super::{Shared, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;

/// Combine the same estimate from several imputed or synthetic tables into one, with its interval
///
/// FILE is a CSV with the columns `estimate` and `variance` (or `standard_error`), one line for each table, or a JSON list of
/// objects with these fields. With a column `quantity`, lines of the same quantity are combined.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet combine estimates.csv
  privet combine estimates.json --rule fully-synthetic --size 1.0 --level 0.9")]
pub struct Combine {
    /// The estimates, CSV or JSON
    file: PathBuf,
    /// How the tables were made
    #[arg(long, value_enum, default_value_t = Made::Imputed)]
    rule: Made,
    /// With --rule fully-synthetic: the records of one table over those of the original (default: 1)
    #[arg(long, value_name = "NUMBER")]
    size: Option<f64>,
    /// The probability with which the interval holds what is estimated
    #[arg(long, value_name = "NUMBER", default_value_t = 0.95)]
    level: f64,
}

/// How tables were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Made {
    /// Missing or masked values were imputed several times (Rubin)
    Imputed,
    /// All values are synthetic (Raghunathan, Reiter and Rubin)
    FullySynthetic,
    /// Some values are synthetic (Reiter)
    PartiallySynthetic,
}

/// An estimate from one table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    quantity: String,
    estimate: f64,
    #[serde(default)]
    variance: Option<f64>,
    #[serde(default)]
    standard_error: Option<f64>,
}

/// What all tables say of a quantity.
#[derive(Debug, Serialize)]
struct Together {
    #[serde(skip_serializing_if = "String::is_empty")]
    quantity: String,
    tables: usize,
    estimate: f64,
    standard_error: f64,
    variance: f64,
    within: f64,
    between: f64,
    /// `null` when nothing varies between tables.
    degrees: Option<f64>,
    /// `null` when there are too few degrees of freedom to estimate it.
    interval: Option<(f64, f64)>,
    corrected: bool,
    /// What makes the interval worth little.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

impl Combine {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(Failure::bad_input("--level takes a number between 0 and 1, such as 0.95"));
        }
        if self.size.is_some() && self.rule != Made::FullySynthetic {
            return Err(Failure::bad_input(
                "--size goes with --rule fully-synthetic; the other rules take no notice of it, so leave it out",
            ));
        }
        let bad = |problem: &dyn std::fmt::Display| {
            Failure::bad_input(format!("{}: {problem}", self.file.display()))
        };
        let bar = Bar::new(true);
        let lines = lines(&self.file, &bar)?;
        let rule = match self.rule {
            Made::Imputed => Rule::Imputed,
            Made::FullySynthetic => Rule::FullySynthetic { size: self.size.unwrap_or(1.0) },
            Made::PartiallySynthetic => Rule::PartiallySynthetic,
        };
        let mut quantities: Vec<&str> = Vec::new();
        for line in &lines {
            if !quantities.contains(&line.quantity.as_str()) {
                quantities.push(&line.quantity);
            }
        }
        let mut all = Vec::new();
        for quantity in quantities {
            let own = || lines.iter().filter(|line| line.quantity == quantity);
            let variance = |(number, line): (usize, &Line)| match (line.variance, line.standard_error) {
                (Some(variance), None) => Ok(variance),
                (None, Some(error)) if error >= 0.0 => Ok(error * error),
                (None, Some(_)) => Err(bad(&format!("estimate {} has a standard error below 0", number + 1))),
                _ => Err(bad(&format!(
                    "estimate {} needs a variance or a standard error, and not both",
                    number + 1
                ))),
            };
            let variances = own().enumerate().map(variance).collect::<Result<Vec<f64>, Failure>>()?;
            let estimates: Vec<f64> = own().map(|line| line.estimate).collect();
            let found = combine(&estimates, &variances, rule).map_err(|error| bad(&error))?;
            all.push(Together {
                quantity: quantity.to_owned(),
                tables: estimates.len(),
                estimate: found.estimate,
                standard_error: found.variance.sqrt(),
                variance: found.variance,
                within: found.within,
                between: found.between,
                degrees: Some(found.degrees).filter(|degrees| degrees.is_finite()),
                interval: found.interval(self.level),
                corrected: found.corrected,
                warning: warning(&found, self.rule),
            });
        }
        if all.is_empty() {
            return Err(bad(&"there are no estimates"));
        }
        match shared.json {
            true => print_json(&all)?,
            false => print(&describe(&all, self.level))?,
        }
        Ok(DONE)
    }
}

/// Below so many degrees of freedom Student's distribution has no variance, and intervals are next to endless.
const FEW_DEGREES: f64 = 2.0;

/// What makes the interval worth little: a variance that is all but nothing beside what it is the difference of, and so few
/// degrees of freedom that its ends say nothing.
fn warning(found: &Combined, rule: Made) -> Option<String> {
    if found.corrected {
        return Some(
            "the variance of these synthetic tables came out at or below 0, as it may with few tables; it was replaced by \
             that within tables times their size, which is on the safe side. More tables would tell it better"
                .to_owned(),
        );
    }
    let why = match rule {
        Made::FullySynthetic => {
            "the variance is the difference of those between and within tables, and these are nearly the same"
        }
        _ => "the tables differ too much for their number",
    };
    let says = match found.degrees < LEAST_DEGREES {
        true => "cannot be estimated",
        false => "says next to nothing",
    };
    (found.degrees < FEW_DEGREES).then(|| {
        format!("with {:.2} degrees of freedom the interval {says}: {why}. Make more tables", found.degrees)
    })
}

fn lines(path: &Path, bar: &Bar) -> Result<Vec<Line>, Failure> {
    let bad = |problem: &dyn std::fmt::Display| Failure::bad_input(format!("{}: {problem}", path.display()));
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        let bytes = read_plain(path, input_limit()).map_err(|error| bad(&ReadErrorKind::Io(error)))?;
        // Where it is wrong is told, and not what stands there.
        return serde_json::from_slice(&bytes).map_err(|error| {
            bad(&format!(
                "line {}, column {}: a list of objects with numbers `estimate` and `variance` or `standard_error`, and \
                 perhaps a text `quantity`, is expected",
                error.line(),
                error.column()
            ))
        });
    }
    let table = read(path, &ReadOptions::default().exactly(), bar).map_err(Failure::bad_input)?.table;
    let number = |name: &str, row: usize| -> Result<Option<f64>, Failure> {
        let Some(text) = cell(&table, name, row) else { return Ok(None) };
        let wrong = || bad(&format!("record {}: `{name}` is no number", row + 1));
        text.trim().parse::<f64>().ok().filter(|own| own.is_finite()).map(Some).ok_or_else(wrong)
    };
    if table.column("estimate").is_none() {
        return Err(bad(
            &"there is no column `estimate`; expected are `estimate` and `variance` or `standard_error`",
        ));
    }
    (0..table.rows)
        .map(|row| {
            let missing = || bad(&format!("record {} has no estimate", row + 1));
            Ok(Line {
                quantity: cell(&table, "quantity", row).unwrap_or_default().to_owned(),
                estimate: number("estimate", row)?.ok_or_else(missing)?,
                variance: number("variance", row)?,
                standard_error: number("standard_error", row)?,
            })
        })
        .collect()
}

/// A cell; `None` when it is missing or the column is.
fn cell<'a>(table: &'a Table, name: &str, row: usize) -> Option<&'a str> {
    let column = table.column(name)?;
    let code = *column.codes.get(row)?;
    (!column.domain.is_missing(code)).then(|| column.domain.text(code))
}

/// A number for people: ten digits, and a power of ten where zeros would hide what it is.
fn number(value: f64) -> String {
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-6..1e15).contains(&size) {
        let text = format!("{value:.9e}");
        return match text.split_once('e') {
            Some((digits, power)) => format!("{}e{power}", trimmed(digits)),
            None => text,
        };
    }
    let decimals = (9.0 - size.log10().floor()).clamp(0.0, 15.0) as usize;
    trimmed(&format!("{value:.decimals$}"))
}

/// Degrees of freedom: two decimals, and where there are very many, how many about.
fn degrees(own: f64) -> String {
    if own < 1e6 { format!("{own:.2}") } else { number(own) }
}

fn describe(all: &[Together], level: f64) -> String {
    let mut text = String::new();
    for own in all {
        if !own.quantity.is_empty() {
            text.push_str(&format!("{}\n", own.quantity));
        }
        text.push_str(&format!("  estimate          {}\n", number(own.estimate)));
        let interval = own.interval.map_or_else(
            || "cannot be estimated from these tables".to_owned(),
            |(low, high)| format!("{} to {}", number(low), number(high)),
        );
        text.push_str(&format!(
            "  {:<17} {interval}\n",
            format!("{} % interval", (level * 1e4).round() / 1e2)
        ));
        text.push_str(&format!(
            "  standard error    {} (within tables {}, between them {}, squared)\n",
            number(own.standard_error),
            number(own.within),
            number(own.between)
        ));
        let degrees = own.degrees.map_or_else(|| "not limited".to_owned(), degrees);
        text.push_str(&format!("  degrees           {degrees}, from {} tables\n", own.tables));
        if let Some(warning) = &own.warning {
            text.push_str(&format!("  Warning: {warning}.\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{degrees, number};

    #[test]
    fn numbers_have_ten_digits_at_most() {
        for (value, shown) in [
            (0.0, "0"),
            (-0.0, "0"),
            (11.0, "11"),
            (7.0 / 3.0, "2.333333333"),
            (-0.1, "-0.1"),
            (1e-6, "0.000001"),
            (9.9e-7, "9.9e-7"),
            (123_456_789_012.345, "123456789012"),
            (1e15, "1e15"),
            (-1.5e300, "-1.5e300"),
            (f64::MAX, "1.797693135e308"),
            (f64::MIN_POSITIVE, "2.225073859e-308"),
            (9.999_999_999_99, "10"),
        ] {
            assert_eq!(number(value), shown);
        }
        assert_eq!([6.2, 1e6, 3e300].map(degrees), ["6.20", "1000000", "3e300"]);
    }
}
