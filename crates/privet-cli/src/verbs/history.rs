//! `privet history`: everything that was told about the same people, releases and private answers in one list.

use std::path::{Path, PathBuf};

use clap::Args;
use privet_history::{Entry, History as File, Recorded};
use privet_query::{LedgerFlags, QueryError, Shown, show_ledger};

use super::{Shared, grouped, ledger, print, print_json};
use crate::exit::{DONE, Failure, REFUSED};
use crate::progress::Bar;

/// List what was published about the same people: the releases of a history, and the private answers of a ledger
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet history home
  privet history home --data patients.csv

Releases come from the history in the owner's folder (section [history] of a job, kind = \"series\", or a noisy release of sets or traces that charged
a ledger), answers from the ledgers of the data and those that noisy releases were charged to.")]
pub struct History {
    /// The owner's folder, or the history in it
    home: PathBuf,
    /// The data whose private answers to list (default: those that the history knows, where they still are)
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
}

impl History {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let path = if self.home.is_dir() { self.home.join("history.json") } else { self.home.clone() };
        if !path.exists() {
            return Err(Failure::bad_input(format!(
                "{}: there is no history; it begins with the first release of a job with a [history] section",
                path.display()
            )));
        }
        let read =
            File::read(&path).map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))?;
        let bar = Bar::new(shared.quiet || shared.json);
        let answers = self.answers(&read, &bar);
        bar.clear();
        let answers = answers?;
        let problem = answers.iter().find_map(|(_, own)| own.problem.clone());
        if shared.json {
            let releases: Vec<_> = read.releases.iter().map(told).collect();
            let answers: Vec<_> = answers.iter().map(|(_, own)| own).collect();
            print_json(&serde_json::json!({ "releases": releases, "answers": answers }))?;
        } else if !shared.quiet {
            let mut text = String::new();
            for (number, own) in (1..).zip(&read.releases) {
                text.push_str(&format!("{number}. {}\n", sentence(own)));
            }
            for (data, own) in &answers {
                text.push_str(&format!("\nPrivate answers about {data}\n{}", ledger::describe(own)));
            }
            print(&text)?;
        }
        match problem {
            None => Ok(DONE),
            Some(problem) => Err(Failure {
                code: REFUSED,
                message: format!("the entries of the ledger cannot be relied upon: {problem}"),
            }),
        }
    }
}

impl History {
    /// The private answers about the table of a flag, or about all that the history knows to be there.
    fn answers(&self, read: &File, bar: &Bar) -> Result<Vec<(String, Shown)>, QueryError> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(data) = &self.data {
            return Ok(vec![(name(data), show_ledger(Some(data), &LedgerFlags::default(), bar)?)]);
        }
        let mut answers = Vec::new();
        for (ledger, account) in read.ledgers() {
            let flags = LedgerFlags {
                ledger: Some(ledger.display().to_string()),
                account: Some(account.to_owned()),
                ..LedgerFlags::default()
            };
            answers.push((format!("{account} in {}", name(ledger)), show_ledger(None, &flags, bar)?));
        }
        let has_ledger = |data: &&PathBuf| {
            let mut ledger = data.as_os_str().to_owned();
            ledger.push(".ledger");
            data.exists() && Path::new(&ledger).exists()
        };
        for data in read.data.iter().filter(has_ledger) {
            answers.push((name(data), show_ledger(Some(data), &LedgerFlags::default(), bar)?));
        }
        Ok(answers)
    }
}

/// A release in numbers: its classes or people, and its counterfeits.
fn told(entry: &Entry) -> serde_json::Value {
    match &entry.recorded {
        Recorded::Classes { columns, classes, .. } => serde_json::json!({
            "release": entry.release, "kind": entry.kind, "classes": classes.len(),
            "records": classes.iter().map(|own| own.rows).sum::<u64>(),
            "columns": columns.iter().map(|own| &own.column).collect::<Vec<_>>(),
        }),
        Recorded::Signatures { people, counterfeits } => serde_json::json!({
            "release": entry.release, "kind": entry.kind, "people": people.len(), "counterfeits": counterfeits,
        }),
        Recorded::Noisy { ledger, account, loss } => serde_json::json!({
            "release": entry.release, "kind": entry.kind, "ledger": ledger, "account": account, "loss": loss,
        }),
    }
}

fn sentence(entry: &Entry) -> String {
    match &entry.recorded {
        Recorded::Classes { columns, classes, .. } => {
            let records = classes.iter().map(|own| own.rows).sum();
            let columns: Vec<&str> = columns.iter().map(|own| own.column.as_str()).collect();
            format!(
                "{}, {} records in {} classes by {} (seal {})",
                entry.kind,
                grouped(records),
                grouped(classes.len() as u64),
                columns.join(", "),
                entry.release.chars().take(12).collect::<String>()
            )
        }
        Recorded::Signatures { people, counterfeits } => {
            format!(
                "{}, {} people and {} counterfeits",
                entry.kind,
                grouped(people.len() as u64),
                grouped(*counterfeits)
            )
        }
        Recorded::Noisy { account, loss, .. } => {
            format!("{}, noisy, {loss} charged to the account {account}", entry.kind)
        }
    }
}
