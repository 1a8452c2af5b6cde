//! `privet ledger`: budgets for private answers, who spent them, and whether the record of it is whole.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use privet_query::{
    Flags, LedgerFlags, Opened, Shown, Verified, ledger_page, open_account, show_audited, show_ledger,
    time_of, verify_ledger, visible,
};

use super::query::{LedgerArgs, PeopleArgs, can_be_written, write};
use super::query_audited;
use super::query_text::left_aligned;
use super::{Shared, print, print_json};
use crate::exit::{BAD_INPUT, DONE, Failure, REFUSED};
use crate::progress::Bar;

/// Open accounts for private answers, see who spent what, and verify that the record of it is whole
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet ledger open patients.parquet --epsilon 3
  privet ledger show patients.parquet
  privet ledger show patients.parquet --report ledger.html
  privet ledger verify patients.parquet
  privet ledger audited staff.csv
  privet ledger open patients.parquet --rho 0.2
  privet ledger open job.toml --epsilon 2 --delta 1e-6 --ledger postgres://steward@server/privacy")]
pub struct Ledger {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Open an account with its total budget, which cannot be raised later
    Open(Open),
    /// List the entries: when, who, what it cost, what was left. Exit code 1 when they do not hold
    Show(Show),
    /// Recompute every hash and every sum. Exit code 1, with the place, when something was changed
    Verify(Verify),
    /// List the questions of `privet query --audited`: who asked, about how many people, what was decided. Exit code 1 when the log was
    /// changed
    Audited(AuditedLog),
}

#[derive(Debug, Args)]
struct Open {
    /// The table that the account is for, or a job file whose input it is. Not needed with --ledger and --account
    data: Option<PathBuf>,
    /// The total that all answers together may cost
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, required_unless_present = "rho")]
    epsilon: Option<String>,
    /// The total as a concentrated loss (zCDP), which many questions with Gaussian noise add up to far less in
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    rho: Option<String>,
    /// The total probability with which guarantees may fail
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    delta: Option<String>,
    #[command(flatten)]
    people: PeopleArgs,
    /// Open it although its people have an account already, in this ledger or in another, or although a ledger that the key
    /// file remembers is gone: budgets for the same people add up
    #[arg(long)]
    new_population: bool,
    #[command(flatten)]
    ledger: LedgerArgs,
}

#[derive(Debug, Args)]
struct Show {
    /// The table whose account to show, or a job file whose input it is. With --ledger alone: all accounts
    data: Option<PathBuf>,
    /// Write them as a page for people to this file as well, which must not be there yet
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    ledger: LedgerArgs,
}

#[derive(Debug, Args)]
struct AuditedLog {
    /// The table, or a job file whose input it is
    data: PathBuf,
    #[command(flatten)]
    ledger: LedgerArgs,
}

#[derive(Debug, Args)]
struct Verify {
    /// The table whose ledger to verify, or a job file whose input it is. Not needed with --ledger
    data: Option<PathBuf>,
    /// A last entry that `verify` printed earlier: it must still be there
    #[arg(long, value_name = "NUMBER:HASH")]
    since: Option<String>,
    #[command(flatten)]
    ledger: LedgerArgs,
}

impl Ledger {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        match self.act {
            Act::Open(open) => {
                let flags = LedgerFlags { new_population: open.new_population, ..open.ledger.flags() };
                let data = open.data.as_deref();
                let people = Flags { rho: open.rho, ..open.people.flags() };
                let epsilon = open.epsilon.unwrap_or_default();
                let delta = open.delta.as_deref();
                let opened = open_account(data, &flags, &people, &epsilon, delta, &bar)?;
                bar.clear();
                if shared.json {
                    print_json(&opened)?;
                } else if !shared.quiet {
                    let signed = match &opened.signing_key {
                        Some(key) => format!(
                            "Its entries are signed with the key in {key}: keep a copy of it, away from who can write the ledger."
                        ),
                        None => "Its entries are not signed: whoever can write the ledger can change them."
                            .to_owned(),
                    };
                    let compared = compared(&opened);
                    print(&format!(
                        "Opened `{}` with {} in {}.\nIt protects {}; questions that protect less are refused.\n{signed}{compared}",
                        opened.account, opened.budget, opened.ledger, opened.terms
                    ))?;
                }
            }
            Act::Audited(log) => {
                let history = show_audited(&log.data, &log.ledger.flags(), &bar)?;
                if shared.json {
                    print_json(&history)?;
                } else {
                    print(&query_audited::history(&history))?;
                }
            }
            Act::Show(show) => {
                if let Some(file) = &show.report {
                    can_be_written(file)?;
                }
                let shown = show_ledger(show.data.as_deref(), &show.ledger.flags(), &bar)?;
                if shared.json {
                    print_json(&shown)?;
                } else {
                    print(&describe(&shown))?;
                }
                if let Some(file) = &show.report {
                    if shown.entries.iter().any(|own| own.amount.rho.is_some()) {
                        return Err(Failure {
                            code: BAD_INPUT,
                            message: "--report adds up epsilons, and an account in rho has none; leave --report out, or name another account"
                                .to_owned(),
                        });
                    }
                    write(file, &ledger_page(&shown))?;
                }
                if let Some(problem) = &shown.problem {
                    return Err(Failure {
                        code: REFUSED,
                        message: format!("these entries cannot be relied upon: {problem}"),
                    });
                }
            }
            Act::Verify(verify) => {
                let flags = verify.ledger.flags();
                let verified = verify_ledger(verify.data.as_deref(), &flags, verify.since.as_deref(), &bar)?;
                if shared.json {
                    print_json(&verified)?;
                } else if !shared.quiet {
                    print(&describe_verified(&verified, verify.since.as_deref()))?;
                }
            }
        }
        Ok(DONE)
    }
}

/// What of the people of a table could not be compared.
fn compared(opened: &Opened) -> String {
    let mut text = String::new();
    if !opened.knows_people {
        text.push_str("\nWithout a key the table is not known again: a copy of it, or another table, would not be noticed.");
    }
    if !opened.not_compared.is_empty() {
        text.push_str(&format!(
            "\nNot compared with {}: the ledger, or its key beside it, cannot be read.",
            opened.not_compared.join(", ")
        ));
    }
    text
}

/// What was verified, and what can only be seen by an entry that was kept elsewhere.
fn describe_verified(verified: &Verified, since: Option<&str>) -> String {
    let ledger = &verified.ledger;
    let cut = "Entries that were cut off the end leave a chain that holds";
    if verified.entries == 0 {
        return format!(
            "{ledger}: no entries, so there is nothing to verify.\n{cut}, and so does a ledger without any: where there were \
             some, --since NUMBER:HASH, a last entry that was printed here earlier, shows that they are gone."
        );
    }
    let later = match since {
        Some(since) => format!("Nothing that was there at {} is gone.", since.trim()),
        None => format!(
            "{cut}: only --since NUMBER:HASH, a last entry that was printed here earlier, shows that they are gone."
        ),
    };
    let (count, head) = (verified.entries, &verified.head);
    let later = match verified.signed {
        true => later,
        false => format!(
            "The entries are not signed: whoever can write the ledger can write another one that holds.\n{later}"
        ),
    };
    format!(
        "{ledger}: {count} {}, every hash and every sum holds.\n{later}\nLast entry, to be kept elsewhere: {head}",
        if count == 1 { "entry" } else { "entries" }
    )
}

/// The entries as a table.
pub fn describe(shown: &Shown) -> String {
    let head = [
        "entry",
        "time (UTC)",
        "account",
        "",
        "epsilon",
        "delta",
        "epsilon left",
        "delta left",
        "analyst",
        "question",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for entry in &shown.entries {
        let ([epsilon, delta], [epsilon_left, delta_left]) = (entry.amount.words(), entry.remaining.words());
        rows.push(vec![
            entry.entry.to_string(),
            time_of(entry.time),
            visible(&entry.account),
            entry.kind.to_owned(),
            epsilon.clone(),
            delta.clone(),
            epsilon_left.clone(),
            delta_left.clone(),
            visible(&entry.analyst),
            entry.question.chars().take(12).collect(),
        ]);
    }
    let mut text = left_aligned(&rows);
    if !shown.signed {
        text.push_str("\nThe entries are not signed: whoever can write the ledger can change them.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Verified, describe_verified};

    /// A ledger whose entries are all gone does not look like one that is whole.
    #[test]
    fn nothing_is_not_called_whole() {
        let of = |entries, since| {
            let head = format!("{entries}:{}", "0".repeat(64));
            describe_verified(
                &Verified { ledger: "l".to_owned(), entries, head, signed: entries != 1 },
                since,
            )
        };
        let none = of(0, None);
        assert!(none.contains("nothing to verify") && none.contains("--since") && !none.contains("holds."));
        assert!(of(1, None).contains("1 entry, every hash and every sum holds."));
        assert!(of(1, None).contains("not signed") && !of(2, None).contains("not signed"));
        assert!(of(2, None).contains("only --since NUMBER:HASH"));
        assert!(of(2, Some("1:00")).contains("Nothing that was there at 1:00 is gone."));
    }
}
