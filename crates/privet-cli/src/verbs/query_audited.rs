//! `privet query --audited`: exact answers behind an auditor, and `privet ledger audited`, what was asked so far.

use clap::Args;
use privet_mine::audit::{AuditDeclarations, Decision, Reply};
use privet_query::{AuditedAnswer, AuditedHistory, AuditedOptions, query_audited};

use super::{Shared, grouped, print, print_json};
use crate::exit::{DONE, Failure, NO_BUDGET};
use crate::progress::Bar;

/// What is declared for exact answers.
#[derive(Debug, Args)]
pub struct AuditedArgs {
    /// Answer exactly, or not at all: an auditor denies what would, with everything answered before, determine one person's value.
    /// Nothing is charged; denials end with exit code 3
    #[arg(
        long,
        conflicts_with_all = [
            "epsilon", "delta", "mechanism", "probabilistic", "synthetic", "output", "report", "dry_run", "bounds", "grids", "keys",
            "others", "neighbours", "max_records", "new_population"
        ]
    )]
    pub audited: bool,
    /// With --audited: the columns that everybody knows, such as sex,ward; conditions look at no others. The first question declares
    /// them, and the following ones, for all
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "audited")]
    public: Vec<String>,
    /// With --audited: the fewest people that a question is about, and leaves out
    #[arg(long, value_name = "N", requires = "audited")]
    least: Option<u64>,
    /// With --audited: the most people that two different questions share
    #[arg(long, value_name = "N", requires = "audited")]
    overlap: Option<u64>,
    /// With --audited: analysts who may talk to each other and to nobody else, such as ann,bob; once per group (default: everybody
    /// may talk to everybody)
    #[arg(long = "group", value_name = "NAMES", requires = "audited")]
    groups: Vec<String>,
    /// With --audited: a condition on public columns; the analysts know the values of these people
    #[arg(long, value_name = "CONDITION", requires = "audited")]
    known: Option<String>,
    /// With --audited: between which numbers values lie; then sums that make a value likely are denied too. Behind it what else is assumed,
    /// as 0..5000,lambda=0.5,delta=0.1,questions=40,intervals=4,samples=400 (left out: lambda=0.9,delta=0.2,questions=10,intervals=3,
    /// samples=200); `privet ledger audited` tells what it means
    #[arg(long, value_name = "LOW..HIGH[,NAME=NUMBER]", requires = "audited", allow_hyphen_values = true)]
    values: Option<String>,
}

impl AuditedArgs {
    /// As the library takes them.
    pub fn flags(self) -> AuditDeclarations {
        let Self { public, least, overlap, groups, known, values, .. } = self;
        AuditDeclarations { public, least, overlap, groups, known, values }
    }
}

/// Asks, and tells the answer or why there is none.
pub fn run(options: &AuditedOptions, shared: &Shared) -> Result<u8, Failure> {
    let bar = Bar::new(shared.quiet || shared.json);
    let answered = query_audited(options, &bar)?;
    bar.clear();
    if shared.json {
        print_json(&answered)?;
    }
    match answered.audited.reply {
        Reply::Answer(answer) => {
            if !shared.json {
                print(&describe(&answered, answer, shared.quiet))?;
            }
            Ok(DONE)
        }
        Reply::Denied(_) if shared.json => Ok(NO_BUDGET),
        Reply::Denied(denial) => {
            let entry = &answered.audited.entry;
            let mut message =
                format!("not answered: {denial}. The question is entry {entry} of {}", answered.ledger);
            if let Some(assumed) = answered.audited.assumed {
                message.push_str(&format!(". {assumed}"));
            }
            Err(Failure { code: NO_BUDGET, message })
        }
    }
}

fn describe(answered: &AuditedAnswer, answer: f64, is_quiet: bool) -> String {
    let AuditedAnswer { audited, analyst, ledger } = answered;
    if is_quiet {
        return answer.to_string();
    }
    let figure = serde_json::to_value(audited.function).ok();
    let figure = figure.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
    let column = audited.column.as_deref().unwrap_or("*");
    let people = grouped(audited.people);
    let told = format!("{figure}({column}) of {people} people: {answer}\nExact; asked by {analyst}. ");
    let told = match audited.assumed {
        Some(assumed) => format!("{told}{assumed} "),
        None => told,
    };
    match &audited.column {
        None => told + "It counts people by public columns, which tells nothing of anybody; it is not kept.",
        Some(_) => told + &format!("Kept as audited entry {} of {ledger}", audited.entry),
    }
}

/// What was asked so far, for a person.
pub fn history(own: &AuditedHistory) -> String {
    let mut text = format!("Audited questions in {}\nPublic: {}\n", own.ledger, own.terms.public.join(", "));
    if let Some(control) = own.terms.control {
        text.push_str(&format!("People per question: at least {}", control.least));
        text.push_str(
            &control.overlap.map_or(String::new(), |most| format!("; shared by two: at most {most}")),
        );
        text.push('\n');
    }
    if let Some(known) = &own.terms.known {
        text.push_str(&format!("Analysts know the values of people with: {known}\n"));
    }
    if let Some(assumed) = own.terms.assumed {
        text.push_str(&format!("{assumed}\n"));
    }
    let groups = &own.terms.groups;
    text.push_str(match groups.is_empty() {
        true => "Everybody may talk to everybody.\n",
        false => "Declared groups of analysts are audited apart; all others are one group.\n",
    });
    for (analyst, (answered, denied)) in &own.analysts {
        let group = groups.get(analyst).map_or(String::new(), |group| format!(" (group {group})"));
        text.push_str(&format!("{analyst}{group}: {answered} answered, {denied} denied\n"));
    }
    for entry in &own.entries {
        let people: u64 = entry.people.iter().map(|&(first, last)| u64::from(last - first) + 1).sum();
        let figure = serde_json::to_value(entry.function).ok();
        let figure = figure.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        let decision = match entry.decision {
            Decision::Answer => "answered".to_owned(),
            Decision::Deny(denial) => format!("denied: {denial}"),
        };
        let asked = format!("{figure}({}) of {} people", entry.column, grouped(people));
        text.push_str(&format!("{:>6}  {:<16} {asked}, {decision}\n", entry.number, entry.analyst));
    }
    text + &format!("Last entry: {}", own.last)
}
