//! `privet answer`: counts, sums and averages from a release, with an expectation and bounds.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use privet_job::{AnswerBasis, AskError, Asked, Spread};

use super::{Shared, grouped, print, print_json};
use crate::exit::{DONE, Failure, code_of};
use crate::progress::Bar;
use crate::terminal;

/// Answer a question in SQL from a release: what to expect, and between which bounds the truth lies
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet answer release \"select count(*) from data where age < 40 and diagnosis = 'Asthma'\"
  privet answer release \"select sex, count(*), avg(cost) from data group by sex\"
  privet answer release \"select count(*) from data where occupation = 'Nurse'\" --job job.toml

Accepted: count(*), count(COLUMN), sum(COLUMN), avg(COLUMN); =, <>, <, <=, >, >=, between, in, like, is null, and, or,
not; group by. The table is `data`, `release`, or the name of the release's folder.")]
pub struct Answer {
    /// The release folder
    release: PathBuf,
    /// The question, in SQL
    question: String,
    /// Use the hierarchies that this job file writes down or names. The input is not read
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// How likely the values behind a label are: all the same, or as often as the other records have them
    #[arg(long, value_enum, default_value_t = Likely::Uniform)]
    spread: Likely,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Likely {
    Uniform,
    Proportional,
}

impl Answer {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        let spread = match self.spread {
            Likely::Uniform => Spread::Uniform,
            Likely::Proportional => Spread::Proportional,
        };
        let folder = privet::PublishedFolder::at(self.release);
        let asked = folder.answer(&self.question, self.job.as_deref(), spread, &bar)?;
        bar.clear();
        if shared.json {
            print_json(&asked)?;
        } else {
            print(&describe(&asked, shared.quiet, self.job.is_some()))?;
        }
        Ok(DONE)
    }
}

impl From<privet::AnswerError> for Failure {
    fn from(error: privet::AnswerError) -> Self {
        match error {
            privet::AnswerError::Views(error) => error.into(),
            privet::AnswerError::Table(error) => error.into(),
        }
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        Failure { code: code_of(error.outcome()), message: error.to_string() }
    }
}

/// The answer as a table, and what to know about it.
fn describe(asked: &Asked, quiet: bool, has_job: bool) -> String {
    let answer = &asked.answer;
    let with_share = answer.lines.iter().flat_map(|line| &line.estimates).any(|own| own.share.is_some());
    let mut head = answer.group_by.clone();
    head.extend(["", "expected", "at least", "at most"].map(str::to_owned));
    if with_share {
        head.push("share".to_owned());
    }
    if asked.basis.has_errors() {
        head.extend(["error", "95 % from", "to"].map(str::to_owned));
    }
    let mut rows = vec![head];
    let (mut unknown, mut unbounded) = (false, false);
    for line in &answer.lines {
        for (figure, own) in answer.figures.iter().zip(&line.estimates) {
            let is_empty = own.at_most.is_none() && own.at_least.is_none() && own.expected.is_none();
            unknown |= own.expected.is_none() && !is_empty;
            unbounded |= own.at_most.is_none() || own.at_least.is_none();
            let mut row = line.group.clone();
            row.push(figure.clone());
            row.extend([own.expected, own.at_least, own.at_most].map(number));
            if with_share {
                row.push(own.share.map_or_else(String::new, |share| format!("{:.1} %", 100.0 * share)));
            }
            if asked.basis.has_errors() {
                let [low, high] = own.interval_95.map_or([None; 2], |ends| ends.map(Some));
                row.extend([own.standard_error, low, high].map(number));
            }
            rows.push(row);
        }
    }
    let mut text = table(&rows, answer.group_by.len() + 1);
    if quiet {
        return text;
    }
    text.push('\n');
    text.push_str(&basis(asked));
    if answer.labels_overlap {
        text.push_str(
            "Lines are labels as they are published, and some of them overlap: bounds are of the records with the label. Who has \
             its values may stand in another line; ask for them with `where`.\n",
        );
    }
    for note in &asked.notes {
        text.push_str(note);
        text.push('\n');
    }
    if let Some(from) = asked.sampled_from {
        text.push_str(&format!("They are a random sample of {} records.\n", grouped(from)));
    }
    if asked.basis.has_errors() {
        if unbounded {
            text.push_str("-: there is no bound, the figure is exact, or it is an average of records whose number cannot be told from 0.\n");
        }
    } else if asked.basis == AnswerBasis::Synthetic {
        text.push_str(
            "-: there is no bound, since no published value is that of a person; or nothing to average.\n",
        );
    } else if unknown {
        let hint =
            if has_job { "" } else { " With --job, hierarchies that the job file writes down say more." };
        text.push_str(&format!("-: the labels do not say how their values are spread.{hint}\n"));
    } else if unbounded {
        text.push_str("-: there is nothing to average, labels do not tell how far their values reach, no bound, or the figure is larger than any number that can be written.\n");
    }
    text
}

/// What the answer is computed from.
fn basis(asked: &Asked) -> String {
    let suppressed = asked.answer.suppressed;
    let records = grouped(asked.answer.records);
    match asked.basis {
        AnswerBasis::Counts => format!(
            "From counts of {records} records. `expected` takes columns that are not counted together as independent, given \
             those that are; the bounds hold for every table with these counts.\n"
        ),
        AnswerBasis::Perturbed => format!(
            "Estimated from {records} records with perturbed values, counts and sums without bias; the interval holds the truth with \
             about 95 %, where those that count are many. `at least` and `at most` are the bounds that hold whatever the values were.\n"
        ),
        AnswerBasis::Synthetic => format!("From {records} synthetic records.\n"),
        _ if suppressed > 0 => format!(
            "From {records} published records. {} were suppressed, and `at most` of counts includes them; sums and \
             averages are of the published ones.\n",
            grouped(suppressed)
        ),
        _ => format!("From {records} published records; none was suppressed.\n"),
    }
}

/// A number with its thousands set apart and two digits at most; `-` for none.
pub(super) fn number(number: Option<f64>) -> String {
    let Some(number) = number else { return "-".to_owned() };
    if number.abs() >= 1e15 {
        return format!("{number:e}");
    }
    let rounded = format!("{:.2}", number.abs());
    let (whole, fraction) = rounded.split_once('.').unwrap_or((&rounded, ""));
    let sign =
        if number < 0.0 && rounded.bytes().any(|b| b.is_ascii_digit() && b != b'0') { "-" } else { "" };
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
}

/// Columns in line: the first `left` to the left, the others to the right.
pub(super) fn table(rows: &[Vec<String>], left: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| terminal::width(rows.iter().filter_map(|row| row.get(column)).map(String::as_str));
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, -0.001, 4.0, 1234.5, -1234.567, 0.825, 2e20].map(|n| number(Some(n)));
        assert_eq!(shown, ["0", "0", "4", "1,234.50", "-1,234.57", "0.82", "2e20"]);
        assert_eq!(number(None), "-");
    }
}
