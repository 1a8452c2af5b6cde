//! `privet attack ledger`: what an adversary rebuilds of a table from answers about it (survey AT-19, AT-20, AT-23).

use std::path::PathBuf;

use clap::Args;
use privet_attack::Rate;
use privet_query::{
    AnswerSource, Flags, LedgerAttack, LedgerAttackOptions, LineAttack, MOST_PEOPLE, SecretAttack,
    attack_ledger,
};

use super::query::LedgerArgs;
use super::{Shared, grouped, print, print_json};
use crate::exit::{DONE, Failure, REFUSED};
use crate::progress::Bar;

/// Attack answers about a table: those that were given, and those that the account of its ledger allows
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet attack ledger patients.csv --secret \"diagnosis = 'Stroke'\"
  privet attack ledger patients.csv --secret \"diagnosis = 'Stroke'\" --answers answers.csv --public age,zip
  privet attack ledger job.toml --secret \"diagnosis = 'Stroke'\" --max-risk 0.1
  privet attack ledger patients.csv --explained cost --explaining age --bound age=0..110 --bound cost=0..100000

The table only scores the conclusions of the adversary. Nothing is charged. Exit code 1 when more is rebuilt than --max-risk allows.")]
pub struct AttackLedger {
    /// The table that the answers are about, or a job file whose input it is
    data: PathBuf,
    /// The job file that declares the columns of the table
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// What the adversary wants to know of each person: a condition as after `where`, such as "diagnosis = 'Stroke'"
    #[arg(long, value_name = "CONDITION")]
    secret: Option<String>,
    /// Answers that were given: a table with the columns `question` and `answer`, and perhaps `half_width_95`
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// The columns that the adversary knows of everybody (default: all but those of the secret)
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    public: Vec<String>,
    /// How many people are attacked by questions about random sets of people
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(8..=MOST_PEOPLE as u64))]
    targets: u64,
    /// The column that a line is to explain
    #[arg(long, value_name = "COLUMN")]
    explained: Option<String>,
    /// The columns that explain it, one to four
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    explaining: Vec<String>,
    /// Into how many ranges each explaining column is cut
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(2..=64))]
    parts: u16,
    /// Between which numbers a column lies, such as cost=0..100000
    #[arg(long = "bound", value_name = "COLUMN=LOWER..UPPER")]
    bounds: Vec<String>,
    /// The limit for what is rebuilt of the secret beyond guessing, as a share of what guessing leaves open
    #[arg(long, value_name = "SHARE")]
    max_risk: Option<f64>,
    /// The seed of what is drawn besides noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    ledger: LedgerArgs,
}

impl AttackLedger {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let options = LedgerAttackOptions {
            data: self.data,
            job: self.job,
            ledger: self.ledger.flags(),
            secret: self.secret,
            answers: self.answers,
            public: self.public.iter().map(|own| own.trim().to_owned()).collect(),
            people: usize::try_from(self.targets).unwrap_or(usize::MAX),
            explained: self.explained,
            explaining: self.explaining.iter().map(|own| own.trim().to_owned()).collect(),
            parts: self.parts.into(),
            flags: Flags { bounds: self.bounds, ..Flags::default() },
            max_risk: self.max_risk,
            seed: self.seed,
        };
        let bar = Bar::new(shared.quiet || shared.json);
        let found = attack_ledger(&options, &bar)?;
        bar.clear();
        if shared.json {
            print_json(&found)?;
        } else if !shared.quiet {
            print(&described(&found))?;
        }
        if !found.is_beyond() {
            return Ok(DONE);
        }
        if !shared.json {
            let message = format!(
                "the adversary rebuilds {} of what guessing leaves open, more than --max-risk allows",
                percent(found.risk)
            );
            crate::progress::say_error(&Failure { code: REFUSED, message });
        }
        Ok(REFUSED)
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn rate(own: &Rate) -> String {
    format!("{} of {} people ({})", grouped(own.hits), grouped(own.of), percent(own.rate))
}

fn source(from: AnswerSource) -> &'static str {
    match from {
        AnswerSource::Given => "answers that were given",
        AnswerSource::Allowed => "answers that use up what the account allows",
        AnswerSource::Exact => "exact answers, for comparison",
    }
}

/// What was found, for the terminal.
fn described(found: &LedgerAttack) -> String {
    let mut text = String::new();
    let mut line = |own: String| {
        text.push_str(&own);
        text.push('\n');
    };
    match (&found.account, &found.allowed) {
        (Some(account), Some(allowed)) => line(format!(
            "Account `{account}` allows {allowed} in all; {} were charged so far.",
            counted(found.charged, "question", "questions")
        )),
        _ => line("There is no ledger with an account of this table; only the answers that were given are attacked.".to_owned()),
    }
    found.secrets.iter().for_each(|own| line(secret(own)));
    found.lines.iter().for_each(|own| line(fitted(own)));
    line("Each person is taken to have one record.".to_owned());
    found.remarks.iter().for_each(|own| line(own.clone()));
    if !found.secrets.is_empty() {
        let limit = found.max_risk.map_or_else(String::new, |own| format!(" (limit: {})", percent(own)));
        line(format!(
            "Risk: {} of what guessing leaves open is rebuilt from given or allowed answers{limit}.",
            percent(found.risk)
        ));
    }
    text
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

fn secret(own: &SecretAttack) -> String {
    let mut text = format!(
        "{}, {} ({}): right about {}; guessing is right for {}",
        own.attack,
        source(own.from),
        counted(own.questions, "question", "questions"),
        rate(&own.right),
        percent(own.guessing)
    );
    if own.named.of > 0 {
        text += &format!("; of {} named as having the secret {} have it", own.named.of, own.named.hits);
    }
    if let Some(most) = own.most {
        text += &format!("; no attack can be right for more than {} on average", percent(most));
    }
    text + "."
}

fn fitted(own: &LineAttack) -> String {
    format!(
        "{}, {} ({}): the line for `{}` is {:.2} standard deviations from the best line; it explains {} of the variance, the best line {}.",
        own.attack,
        source(own.from),
        counted(own.found.questions, "question", "questions"),
        own.explained,
        own.apart,
        percent(own.found.explained),
        percent(own.truth.explained)
    )
}
