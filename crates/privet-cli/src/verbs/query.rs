//! `privet query`: private answers about people, charged to a ledger before they are shown.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use privet_job::Outcome;
use privet_query::{
    Answered, AuditedOptions, Flags, LedgerFlags, Method, Neighbourhood, QueryError, QueryOptions,
    answer_page, plan_query, query,
};

use super::query_audited::{self, AuditedArgs};
use super::query_text::{describe, describe_plan};
use super::{Shared, print, print_json};
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
  privet query job.toml \"select count(*) from data group by grouping sets ((sex, ward), (ward, diagnosis))\" --epsilon 1
  privet query job.toml \"select smooth_median(cost) from data\" --epsilon 0.5 --delta 1e-6
  privet query job.toml \"select diagnosis, count(*) from data group by diagnosis\" --unknown-keys diagnosis \\
      --epsilon 1 --delta 1e-6
  privet query visits.csv \"select avg(n) from (select patient, count(*) as n from data group by patient)\" \\
      --per-person patient --bound n=0..20 --epsilon 0.5
  privet query job.toml \"select count(*) from data where age < 40; select count(*) from data where cost > 900\" \\
      --mechanism sulq --epsilon 1 --delta 1e-6
  privet query job.toml \"select sex, diagnosis, count(*) from data group by sex, diagnosis\" --synthetic 1000 \\
      --output synthetic.csv --epsilon 1 --report answer.html
  privet query staff.csv \"select avg(salary) from data where ward = 'B'\" --audited --public ward,sex --analyst ann

Accepted: count(*), count(COLUMN), count(distinct COLUMN), sum(COLUMN), avg(COLUMN), variance(COLUMN), stddev(COLUMN),
median(COLUMN), quantile(COLUMN, 0.9), smooth_median(COLUMN), with +, - and * on columns; join TABLE using (PERSON);
from (select PERSON, count(*) as NAME from data group by PERSON);
=, <>, <, <=, >, >=, between, in, like, is null, and, or, not; group by, order by, limit; for counts also grouping sets,
cube and rollup. Bounds and keys are declared, never read off the data. Exit code 3 when the budget does not suffice.")]
pub struct Query {
    /// The table, or a job file whose input it is
    data: PathBuf,
    /// The question, in SQL
    question: String,
    /// What the answer may cost: a decimal number or a fraction, such as 0.5
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// The probability with which the guarantee may fail: counts and sums then have Gaussian noise where it is smaller than
    /// Laplace noise, and spend it only then
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    delta: Option<String>,
    /// What the answer may cost as a concentrated loss (zCDP), for an account that was opened with --rho
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    rho: Option<String>,
    /// How to answer, instead of noise on every figure of every group: laplace or gaussian for counts and sums; peeling for
    /// the largest groups, chosen one by one; sulq for several counts, separated by semicolons, at one charge; dirichlet,
    /// marginals or alpha-beta for records instead of figures
    #[arg(long, value_name = "NAME", value_parser = Method::WORDS)]
    mechanism: Option<String>,
    /// Let --delta be the probability of noisy numbers for which epsilon does not hold, which is more than what is usual
    #[arg(long)]
    probabilistic: bool,
    /// Draw so many synthetic records from the counts of a `group by`
    #[arg(long, value_name = "N")]
    synthetic: Option<u64>,
    /// Write the records of --synthetic, or of --mechanism alpha-beta, to this CSV file, which must not be there yet
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the answer as a page for people to this file, which must not be there yet
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Only show the plan: cost, what is left, and how far off the numbers would be. Nothing is charged; where the account
    /// would refuse the question, that is said, with the same exit code
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
    /// Group by the values of a column that occur often enough, instead of declared ones; needs --delta
    #[arg(long, value_name = "COLUMN")]
    unknown_keys: Vec<String>,
    /// The file of a table that the question joins, such as patients=patients.csv
    #[arg(long = "table", value_name = "NAME=FILE")]
    tables: Vec<String>,
    /// The most groups in which one person counts; needs --per-person. Gaussian noise on groups is then smaller
    #[arg(long, value_name = "N")]
    max_groups: Option<u32>,
    /// The most records of one person in one group; needs --per-person
    #[arg(long, value_name = "N")]
    max_per_group: Option<u32>,
    /// What to call the group of all other values of a column; without it they are in no group
    #[arg(long = "other", value_name = "COLUMN=LABEL")]
    others: Vec<String>,
    #[command(flatten)]
    people: PeopleArgs,
    /// Who asks, for the ledger (default: the name of the user)
    #[arg(long, value_name = "NAME")]
    analyst: Option<String>,
    /// A last entry that `privet ledger verify` printed earlier: where it is not in the ledger any more, nothing is answered
    #[arg(long, value_name = "NUMBER:HASH")]
    since: Option<String>,
    /// Answer although the table is about other people than its account, or about people of another one. The account then
    /// pays for them too; where they have another account, both budgets add up
    #[arg(long)]
    new_population: bool,
    #[command(flatten)]
    ledger: LedgerArgs,
    #[command(flatten)]
    audited: AuditedArgs,
}

/// Which ledger and account.
#[derive(Debug, Args)]
pub struct LedgerArgs {
    /// The ledger: a file, or postgres://user@host/database (default: beside the table, as TABLE.ledger)
    #[arg(long, value_name = "FILE|URL")]
    ledger: Option<String>,
    /// The file with the key that signs the ledger's entries (default: beside the ledger, as LEDGER.key)
    #[arg(long, value_name = "FILE")]
    signing_key: Option<PathBuf>,
    /// Do not sign the entries
    #[arg(long)]
    unsigned: bool,
    /// Reach a PostgreSQL server over a network although the connection is not encrypted
    #[arg(long)]
    unencrypted: bool,
    /// The account (default: the name of the table's file)
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

/// Whom an account or a question protects.
#[derive(Debug, Args)]
pub struct PeopleArgs {
    /// What is hidden: whether a person is in the table (add-remove), or what the records of a person say, their number
    /// being public (replace)
    #[arg(long, value_name = "KIND", value_parser = ["add-remove", "replace"])]
    neighbours: Option<String>,
    /// The column that tells whose record it is; of each person the first --max-records records count
    #[arg(long, value_name = "COLUMN")]
    per_person: Option<String>,
    /// The most records of one person (default: 1). Not checked without --per-person
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
        LedgerFlags {
            ledger: self.ledger,
            signing_key: self.signing_key,
            account: self.account,
            unsigned: self.unsigned,
            unencrypted: self.unencrypted,
            new_population: false,
        }
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
        if self.audited.audited {
            let options = AuditedOptions {
                data: self.data,
                question: self.question,
                job: self.job,
                analyst: self.analyst,
                ledger: self.ledger.flags(),
                since: self.since,
                person: self.people.per_person,
                terms: self.audited.flags(),
            };
            return query_audited::run(&options, shared);
        }
        let method = self.mechanism.as_deref().and_then(|word| word.parse::<Method>().ok());
        let options = QueryOptions {
            data: self.data,
            question: self.question,
            job: self.job,
            flags: Flags {
                epsilon: self.epsilon,
                delta: self.delta,
                rho: self.rho,
                bounds: self.bounds,
                grids: self.grids,
                keys: self.keys,
                others: self.others,
                unknown_keys: self.unknown_keys,
                tables: self.tables,
                max_groups: self.max_groups,
                max_per_group: self.max_per_group,
                method,
                probabilistic: self.probabilistic,
                synthetic: self.synthetic,
                ..self.people.flags()
            },
            ledger: LedgerFlags { new_population: self.new_population, ..self.ledger.flags() },
            analyst: self.analyst,
            since: self.since,
        };
        let makes_records = self.synthetic.is_some() || method == Some(Method::AlphaBeta);
        if self.output.is_some() && !makes_records {
            return Err(refused("--output is for records: --synthetic N, or --mechanism alpha-beta"));
        }
        if self.dry_run && (self.output.is_some() || self.report.is_some()) {
            return Err(refused(
                "--dry-run answers nothing, so there is nothing for --output or --report to write; leave them out",
            ));
        }
        // Found out before anything is charged.
        for file in self.output.iter().chain(&self.report) {
            can_be_written(file)?;
        }
        if self.output.is_some() && self.output == self.report {
            return Err(refused("--output and --report name the same file; give each its own"));
        }
        if self.dry_run {
            let (planned, refusal) = plan_query(&options, &Bar::new(shared.quiet || shared.json))?;
            if shared.json {
                print_json(&planned)?;
            } else {
                print(&describe_plan(&planned, shared.quiet))?;
            }
            // What the question itself would end with.
            return refusal.map_or(Ok(DONE), |refusal| Err(refusal.into()));
        }
        let bar = Bar::new(shared.quiet || shared.json);
        let answered = query(&options, &bar)?;
        bar.clear();
        let told = match shared.json {
            true => print_json(&answered),
            false => print(&describe(&answered, shared.quiet)),
        };
        // Each way out is tried: what is paid for should arrive somewhere.
        let records = self.output.as_ref().map_or(Ok(()), |file| write(file, &records(&answered)));
        let page = self
            .report
            .as_ref()
            .map_or(Ok(()), |file| write(file, &answer_page(&answered, &options.question)));
        told.and(records).and(page).map_err(|failure| Failure {
            message: format!("{}. The answer was charged all the same", failure.message),
            ..failure
        })?;
        Ok(DONE)
    }
}

fn refused(message: &str) -> Failure {
    Failure { code: code_of(Outcome::BadInput), message: message.to_owned() }
}

/// Refuses a file that is there, or a folder that is not.
pub fn can_be_written(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if file.exists() {
        return Err(refused(&format!(
            "{} is there already; name another file, or remove it",
            file.display()
        )));
    }
    match folder.is_none_or(Path::is_dir) {
        true => Ok(()),
        false => Err(refused(&format!("{}: there is no such folder to write to", file.display()))),
    }
}

/// Writes a file that is not there yet.
pub fn write(file: &Path, content: &str) -> Result<(), Failure> {
    let written = std::fs::OpenOptions::new().write(true).create_new(true).open(file);
    written.and_then(|mut own| own.write_all(content.as_bytes())).map_err(|error| Failure {
        code: code_of(Outcome::Resources),
        message: format!(
            "{} cannot be written: {error}; the answer above is charged and complete",
            file.display()
        ),
    })
}

/// The records of an answer as CSV, each as often as it was drawn.
fn records(answered: &Answered) -> String {
    let field = |text: &str| match text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let line = |fields: Vec<String>| fields.join(",") + "\n";
    let mut csv = line(answered.plan.group_by.iter().map(|own| field(own)).collect());
    for own in &answered.lines {
        let record = line(own.group.iter().map(|key| field(key.as_deref().unwrap_or_default())).collect());
        let times = own.numbers.first().map_or(0, |number| number.value as usize);
        (0..times).for_each(|_| csv.push_str(&record));
    }
    csv
}
