//! `privet query`: private answers about people, charged to a ledger before they are shown.

use std::path::PathBuf;

use clap::Args;
use privet_job::query::{
    Answered, Flags, LedgerFlags, Neighbourhood, Planned, PlannedFigure, QueryError, QueryOptions,
    plan_query, query,
};

use super::answer::{number as whole, table};
use super::{Shared, grouped, print, print_json};
use crate::exit::{DONE, Failure, code_of};
use crate::progress::Bar;

/// Answer a question in SQL about the people in a table with differential privacy, and charge its cost to a ledger
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet ledger open patients.parquet --epsilon 3
  privet query patients.parquet \"select count(*) from data where age < 40\" --epsilon 0.1 --dry-run
  privet query patients.parquet \"select sex, count(*), avg(cost) from data group by sex\" --epsilon 0.5 \\
      --keys sex=F,M --bound cost=0..100000
  privet query job.toml \"select median(cost) from data where diagnosis = 'Asthma'\" --epsilon 0.2
  privet query job.toml \"select diagnosis, count(*) from data group by diagnosis order by count(*) desc limit 5\"

Accepted: count(*), count(COLUMN), sum(COLUMN), avg(COLUMN), median(COLUMN), quantile(COLUMN, 0.9); =, <>, <, <=, >, >=,
between, in, like, is null, and, or, not; group by, order by, limit. Bounds and keys are declared, never read off the
data. Exit code 3 when the budget does not suffice.")]
pub struct Query {
    /// The table, or a job file whose input it is
    data: PathBuf,
    /// The question, in SQL
    question: String,
    /// What the answer may cost: a decimal number or a fraction, such as 0.5
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// The probability with which the guarantee may fail: counts and sums then have Gaussian noise
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    delta: Option<String>,
    /// Only show the plan: cost, what is left, and how far off the numbers would be. Nothing is charged
    #[arg(long)]
    dry_run: bool,
    /// Read bounds, keys and more from this job file
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// Between which numbers a column lies, such as cost=0..100000; numbers outside are moved to the nearest bound
    #[arg(long = "bound", value_name = "COLUMN=LOWER..UPPER")]
    bounds: Vec<String>,
    /// What the numbers of a column are rounded to: 1, 0.1, 0.01 … (default: as the bounds are written)
    #[arg(long = "grid", value_name = "COLUMN=UNIT")]
    grids: Vec<String>,
    /// The values of a column to group by, such as sex=F,M
    #[arg(long, value_name = "COLUMN=A,B,C")]
    keys: Vec<String>,
    /// What to call the group of all other values of a column; without it they are in no group
    #[arg(long = "other", value_name = "COLUMN=LABEL")]
    others: Vec<String>,
    #[command(flatten)]
    people: PeopleArgs,
    /// Who asks, for the ledger (default: the name of the user)
    #[arg(long, value_name = "NAME")]
    analyst: Option<String>,
    #[command(flatten)]
    ledger: LedgerArgs,
}

/// Which ledger and account.
#[derive(Debug, Args)]
pub struct LedgerArgs {
    /// The ledger: a file, or postgres://user@host/database (default: beside the table, as TABLE.ledger)
    #[arg(long, value_name = "FILE|URL")]
    ledger: Option<String>,
    /// The file with the key that signs the ledger's entries
    #[arg(long, value_name = "FILE")]
    signing_key: Option<PathBuf>,
    /// The account (default: the name of the table's file)
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

/// Whom an account or a question protects.
#[derive(Debug, Args)]
pub struct PeopleArgs {
    /// Who is hidden: somebody who is in the table or not (add-remove), or what somebody's records say, their number
    /// being public (replace)
    #[arg(long, value_name = "KIND", value_parser = ["add-remove", "replace"])]
    neighbours: Option<String>,
    /// The column that tells whose record it is; of each person the first --max-records records count
    #[arg(long, value_name = "COLUMN")]
    per_person: Option<String>,
    /// The most records of one person (default: 1). Taken on trust without --per-person
    #[arg(long, value_name = "N")]
    max_records: Option<u32>,
}

impl PeopleArgs {
    /// As the library takes them.
    pub fn flags(self) -> Flags {
        let neighbours = self.neighbours.as_deref().map(|word| match word {
            "replace" => Neighbourhood::Replace,
            _ => Neighbourhood::AddRemove,
        });
        Flags { neighbours, per_person: self.per_person, max_records: self.max_records, ..Flags::default() }
    }
}

impl LedgerArgs {
    /// As the library takes them.
    pub fn flags(self) -> LedgerFlags {
        LedgerFlags { ledger: self.ledger, signing_key: self.signing_key, account: self.account }
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        Self { code: code_of(error.outcome()), message: error.to_string() }
    }
}

impl Query {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let options = QueryOptions {
            data: self.data,
            question: self.question,
            job: self.job,
            flags: Flags {
                epsilon: self.epsilon,
                delta: self.delta,
                bounds: self.bounds,
                grids: self.grids,
                keys: self.keys,
                others: self.others,
                ..self.people.flags()
            },
            ledger: self.ledger.flags(),
            analyst: self.analyst,
        };
        if self.dry_run {
            let planned = plan_query(&options)?;
            if shared.json {
                print_json(&planned)?;
            } else {
                print(&describe_plan(&planned, shared.quiet));
            }
            return Ok(DONE);
        }
        let bar = Bar::new(shared.quiet || shared.json);
        let answered = query(&options, &bar)?;
        bar.clear();
        if shared.json {
            print_json(&answered)?;
        } else {
            print(&describe(&answered, shared.quiet));
        }
        Ok(DONE)
    }
}

/// The plan as a table, and what to know about it.
fn describe_plan(planned: &Planned, quiet: bool) -> String {
    let mut rows = vec![["", "± 95 %", "noise"].map(str::to_owned).to_vec()];
    for figure in &planned.figures {
        rows.push(vec![figure.name.clone(), expected(figure), figure.noise.clone()]);
    }
    let mut text = left_aligned(&rows);
    if quiet {
        return text;
    }
    text.push('\n');
    if !planned.group_by.is_empty() {
        let by = planned.group_by.join(", ");
        text.push_str(&format!("One line for each of {} groups by {by}.\n", grouped(planned.groups as u64)));
    }
    text.push_str(&notes(planned));
    let (cost, account, ledger) = (&planned.cost, &planned.account, &planned.ledger);
    match (&planned.remaining, planned.suffices) {
        (Some(left), true) => {
            text.push_str(&format!("It would cost {cost}; `{account}` has {left} left in {ledger}.\n"));
        }
        (Some(left), false) => text.push_str(&format!(
            "It would cost {cost}, and `{account}` has only {left} left in {ledger}: it would be refused.\n"
        )),
        (None, _) => {
            text.push_str(&format!(
                "It would cost {cost}; there is no account `{account}` in {ledger} yet.\n"
            ));
        }
    }
    text.push_str("Nothing was charged, and the table was not opened.\n");
    text
}

fn expected(figure: &PlannedFigure) -> String {
    match (figure.half_width_95, figure.half_width_95_times_records, figure.rank_error_95) {
        (Some(half), _, _) => number(Some(half)),
        (_, Some(times), _) => {
            format!("{} / records (1,000 records: {})", number(Some(times)), number(Some(times / 1000.0)))
        }
        (_, _, rank) => format!("{} ranks", number(rank)),
    }
}

/// The answer as a table, and what to know about it.
fn describe(answered: &Answered, quiet: bool) -> String {
    let plan = &answered.plan;
    let mut head = plan.group_by.clone();
    head.extend(["", "answer", "± 95 %"].map(str::to_owned));
    let mut rows = vec![head];
    for line in &answered.lines {
        for (figure, own) in plan.figures.iter().zip(&line.numbers) {
            let mut row = line.group.clone();
            row.push(figure.name.clone());
            row.push(number(Some(own.value)));
            row.push(match own.rank_error_95 {
                Some(rank) => format!("{} ranks", number(Some(rank))),
                None => number(own.half_width_95),
            });
            rows.push(row);
        }
    }
    let mut text = table(&rows, plan.group_by.len() + 1);
    if quiet {
        return text;
    }
    text.push('\n');
    for figure in &plan.figures {
        text.push_str(&format!("{}: {}.\n", figure.name, figure.noise));
    }
    text.push_str(&notes(plan));
    let left = plan.remaining.as_ref().map_or_else(String::new, |left| format!("; {left} is left"));
    text.push_str(&format!(
        "Charged {} to `{}` for {}{left} (entry {} of {}).\n",
        plan.cost, plan.account, answered.analyst, answered.entry, plan.ledger
    ));
    text
}

/// Above this epsilon a guarantee says little: odds may change more than a hundredfold.
const LITTLE: f64 = 4.6;

/// Whom the answer protects, and what it leaves out.
fn notes(plan: &Planned) -> String {
    let people = &plan.people;
    let records = match people.max_records {
        1 => "1 record".to_owned(),
        most => format!("{most} records"),
    };
    let limit = match &people.per_person {
        Some(column) => format!("Of each person, told by {column}, the first {records} count at most."),
        None => format!("Assumed: nobody has more than {records} (otherwise use --per-person)."),
    };
    let hidden = match people.neighbours {
        "replace" => "Hidden is what anybody's records say; how many records there are counts as public.",
        _ => "Hidden is whether anybody is in the table, and what it says of them.",
    };
    let dropped = match people.dropped.is_empty() {
        true => String::new(),
        false => format!("Undeclared values of {} are in no group.\n", people.dropped.join(", ")),
    };
    let epsilon: f64 = plan.cost.epsilon.parse().unwrap_or(f64::INFINITY);
    let times = match epsilon.exp() {
        times if times < 1e6 => format!("{times:.3}"),
        times => format!("{times:.0e}"),
    };
    let little = if epsilon > LITTLE { ", which protects little" } else { "" };
    let factor =
        format!("Nobody's records make any answer more than e^epsilon = {times} times as likely{little}.");
    format!("{hidden}\n{factor}\n{limit}\n{dropped}")
}

/// A number for people: what is below 1 to three digits, and not as 0.
fn number(value: Option<f64>) -> String {
    match value {
        Some(small) if small != 0.0 && small.abs() < 1.0 => {
            let decimals = (2.0 - small.abs().log10().floor()).clamp(0.0, 20.0) as usize;
            let text = format!("{small:.decimals$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        other => whole(other),
    }
}

/// Columns in line, all to the left.
pub fn left_aligned(rows: &[Vec<String>]) -> String {
    table(rows, rows.first().map_or(0, Vec::len))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn small_numbers_are_not_zero() {
        let shown = [0.0, 0.5, -0.0123456, 0.000001, 0.9999, 12.345, -3000.0].map(|n| number(Some(n)));
        assert_eq!(shown, ["0", "0.5", "-0.0123", "0.000001", "1", "12.35", "-3,000"]);
    }
}
