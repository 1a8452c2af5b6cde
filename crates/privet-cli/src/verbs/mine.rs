//! `privet mine`: models that are safe to publish, and what people do with them; baskets without the rules that must not be found.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use privet::models::{self, HideOptions, HideRequest};
use privet_data::Table;
use privet_data::io::ReadOptions;
use privet_mine::hide::Method;
use privet_query::PrivateModel;

use super::mine_patterns::{self, Patterns};
use super::mine_private::{self, Private};
use super::query::can_be_written;
use super::{Shared, grouped, print, print_json, seam};
use crate::exit::{DONE, Failure, REFUSED};
use crate::progress::Bar;

/// Learn models that are safe to publish, predict with them, check and link them; find patterns that are safe; hide rules in baskets
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet demo --shape model --folder bank
  privet mine make bank/safe.toml --force
  privet mine predict bank/safe applicants.csv --output predicted.csv
  privet mine check bank/safe -k 20
  privet mine link bank/safe voters.csv
  privet mine patterns baskets.txt --support 0.02 -k 10 --output patterns.csv
  privet mine private patients.csv --class outcome --from sex,ward --epsilon 1 --keys sex=F,M --keys ward=A,B \
      --keys outcome=well,ill --output private.json
  privet mine hide baskets.txt --rule \"bread, butter => jam\" --support 0.02 --confidence 0.3 --output shared.txt

Exit code 1: a model does not keep k, or a rule can still be mined.")]
pub struct Mine {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Learn the model that a job asks for, prove its promises, attack it, publish it
    Make(Make),
    /// Predict for the records of a table: a class, a cluster, or the items that follow
    Predict(Predict),
    /// Check a model, whoever made it: every span that tells of private attributes has k people. Exit code 1 when one has fewer
    Check(Check),
    /// Link an identified table with a model, as an adversary would: who is alike, and what most of them are
    Link(Link),
    /// Find frequent patterns of baskets whose supports tell of no pattern that fewer than k baskets have
    Patterns(Patterns),
    /// Learn a classifier from noisy counts, with differential privacy, and charge it to a ledger
    Private(Box<Private>),
    /// Change baskets so that given rules can no longer be mined from them; tell what it cost and when they come back
    Hide(Box<Hide>),
}

#[derive(Debug, Args)]
struct Make {
    /// The job file, whose kind is `model`
    job: PathBuf,
    /// Replace a release that is already there (key output.replace)
    #[arg(long)]
    force: bool,
    /// Set any key of the job, such as model.k=20; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

#[derive(Debug, Args)]
struct Predict {
    /// The release folder, or its model.json, or what `privet mine private` wrote
    model: PathBuf,
    /// The table, with the columns that the model asks for
    table: PathBuf,
    /// Write to this CSV file, which must not be there yet, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Check {
    /// The release folder, or its model.json
    model: PathBuf,
    /// The people that every span must have (default: 2)
    #[arg(short, value_name = "K", default_value_t = 2)]
    k: u64,
}

#[derive(Debug, Args)]
struct Link {
    /// The release folder, or its model.json
    model: PathBuf,
    /// A table of known people with the model's public columns
    people: PathBuf,
}

#[derive(Debug, Args)]
struct Hide {
    /// The baskets: a text with one per line
    baskets: PathBuf,
    /// A rule to hide, such as "bread, butter => jam", or an itemset such as "bread, jam"; may be repeated
    #[arg(long = "rule", value_name = "RULE", required = true)]
    rules: Vec<String>,
    /// The support that must not be reached: a number of baskets, or a share below 1
    #[arg(long, value_name = "NUMBER")]
    support: f64,
    /// The confidence that must not be reached
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    confidence: f64,
    /// How: whole baskets are removed; items by MaxFIA, MinFIA, IGA or the naive way; the antecedent is raised; the border is kept; or
    /// an integer program over baskets or over items
    #[arg(long, value_name = "NAME", default_value = "iga", value_parser = method)]
    method: Method,
    /// The most seconds of the exact methods
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    seconds: f64,
    /// Between the items of a basket (default: blanks)
    #[arg(long, value_name = "CHARACTER")]
    separator: Option<char>,
    /// Where the baskets go that can be shared: a file that is not there yet
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

fn method(word: &str) -> Result<Method, String> {
    serde_json::from_value(serde_json::Value::from(word)).map_err(|_| {
        "accepted: remove-transactions, max-fia, min-fia, iga, naive, raise-antecedent, border, exact-transactions, exact-items"
            .to_owned()
    })
}

impl Mine {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        match self.act {
            Act::Make(own) => make(&own, shared),
            Act::Predict(own) => predict(&own, shared),
            Act::Check(own) => check(&own, shared),
            Act::Link(own) => link(&own, shared),
            Act::Patterns(own) => mine_patterns::run(&own, shared),
            Act::Private(own) => mine_private::run(*own, shared),
            Act::Hide(own) => hide(&own, shared),
        }
    }
}

fn make(own: &Make, shared: &Shared) -> Result<u8, Failure> {
    let mut settings = own.set.clone();
    if own.force {
        settings.push("output.replace = true".to_owned());
    }
    match seam::job(&own.job, &settings)? {
        Some(job) if job.kind() == Some("model") => {
            let flags: String = own.set.iter().map(|set| format!(" --set '{set}'")).collect();
            seam::run(&job, &own.job, &flags, shared)
        }
        _ => Err(Failure::bad_input(format!(
            "{}: is no job about a model; its first line must be kind = \"model\"",
            own.job.display()
        ))),
    }
}

fn table(path: &Path, bar: &Bar) -> Result<Table, Failure> {
    let read = privet_data::io::read(path, &ReadOptions::default().exactly(), bar);
    Ok(read.map_err(Failure::bad_input)?.table)
}

/// The text of a file.
pub(super) fn text_of(file: &Path) -> Result<String, Failure> {
    let bytes = privet_data::io::read_plain(file, privet_data::io::input_limit())
        .map_err(|error| Failure::io(file, "cannot be read", &error))?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::bad_input(format!("{}: the file is not UTF-8", file.display())))
}

/// A number of people in words.
fn of_people(number: u64) -> String {
    match number {
        1 => "1 person".to_owned(),
        many => format!("{} people", grouped(many)),
    }
}

/// Writes a file that is not there yet.
pub(super) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let written = std::fs::OpenOptions::new().write(true).create_new(true).open(file);
    written
        .and_then(|mut own| own.write_all(text.as_bytes()))
        .map_err(|error| Failure::io(file, "cannot be written", &error))
}

/// A line of a CSV.
fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let field = |text: &str| match text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    cells.map(field).collect::<Vec<_>>().join(",") + "\n"
}

fn predict(own: &Predict, shared: &Shared) -> Result<u8, Failure> {
    if let Some(file) = &own.output {
        can_be_written(file)?;
    }
    let bar = Bar::new(shared.quiet || shared.json);
    let said = match PrivateModel::read(&own.model) {
        Some(model) => {
            let records = table(&own.table, &bar)?;
            (model.predict_all(&records)?, records)
        }
        None => {
            let model = models::model(&own.model, &bar)?;
            let records = table(&own.table, &bar)?;
            (models::predict(&model, &records).map_err(Failure::bad_input)?, records)
        }
    };
    let (said, table) = said;
    bar.clear();
    if shared.json && own.output.is_none() {
        print_json(&said)?;
        return Ok(DONE);
    }
    let mut text = line(table.columns.iter().map(|own| &*own.name).chain(["prediction"]));
    for (record, said) in said.iter().enumerate() {
        let cell = |own: &'_ privet_data::Column| own.domain.text(own.codes[record]).to_owned();
        let cells: Vec<String> = table.columns.iter().map(cell).chain([said.clone()]).collect();
        text.push_str(&line(cells.iter().map(String::as_str)));
    }
    match &own.output {
        None => print(&text)?,
        Some(file) => {
            write(file, &text)?;
            if shared.json {
                print_json(&serde_json::json!({ "records": said.len(), "output": file }))?;
            } else if !shared.quiet {
                print(&format!("{} records predicted, in {}", grouped(said.len() as u64), file.display()))?;
            }
        }
    }
    Ok(DONE)
}

fn check(own: &Check, shared: &Shared) -> Result<u8, Failure> {
    let bar = Bar::new(shared.quiet || shared.json);
    let checked = models::model(&own.model, &bar)?.check(own.k)?;
    bar.clear();
    let holds = checked.violations == 0 && checked.keeps_its_own;
    if shared.json {
        let mut told = serde_json::to_value(&checked).map_err(Failure::resources)?;
        told["k"] = own.k.into();
        told["holds"] = holds.into();
        print_json(&told)?;
    } else if !shared.quiet {
        let smallest = match checked.smallest {
            Some(people) => {
                format!("the smallest that tells of private attributes has {}", of_people(people))
            }
            None => "none tells of private attributes".to_owned(),
        };
        let silent = of_people(checked.silent);
        let spans = match checked.spans {
            1 => "1 span".to_owned(),
            many => format!("{} spans", grouped(many as u64)),
        };
        let verdict = match (checked.violations, checked.keeps_its_own) {
            (0, true) => format!("It is {}-anonymous.", own.k),
            (0, false) => "It does not keep what it declares itself.".to_owned(),
            (1, _) => format!("It is not {}-anonymous: 1 span has fewer people.", own.k),
            (few, _) => {
                format!("It is not {}-anonymous: {} spans have fewer people.", own.k, grouped(few as u64))
            }
        };
        let people = of_people(checked.records);
        print(&format!(
            "{people}, {spans}; {smallest}.\nOf {silent} the model tells nothing private.\n{verdict}"
        ))?;
    }
    Ok(if holds { DONE } else { REFUSED })
}

fn link(own: &Link, shared: &Shared) -> Result<u8, Failure> {
    let bar = Bar::new(shared.quiet || shared.json);
    let model = models::model(&own.model, &bar)?;
    let people = table(&own.people, &bar)?;
    let linked = models::linked(&model, &people).map_err(Failure::bad_input)?;
    bar.clear();
    if shared.json {
        print_json(&linked)?;
        return Ok(DONE);
    }
    let mut text = format!("{:>8} {:>8} {:>8} {:>8}  likely\n", "person", "alike", "people", "share");
    for (place, own) in linked.iter().enumerate() {
        let likely = own.likely.as_deref().unwrap_or("nothing is told");
        let share = format!("{:.1} %", 100.0 * own.share);
        text.push_str(&format!("{:>8} {:>8} {:>8} {share:>8}  {likely}\n", place + 1, own.alike, own.people));
    }
    print(&text)?;
    Ok(DONE)
}

fn hide(own: &Hide, shared: &Shared) -> Result<u8, Failure> {
    can_be_written(&own.output)?;
    let rules = own.rules.iter().map(|rule| HideRequest::parse(rule)).collect::<Result<Vec<_>, _>>()?;
    let text = text_of(&own.baskets)?;
    let options = HideOptions {
        support: own.support,
        confidence: own.confidence,
        method: own.method,
        seconds: own.seconds,
        limit: 5_000_000,
    };
    let bar = Bar::new(shared.quiet || shared.json);
    let hidden = models::hide_rules(&text, own.separator, &rules, &options, &bar)?;
    bar.clear();
    write(&own.output, &hidden.text)?;
    if shared.json {
        print_json(&hidden)?;
    } else if !shared.quiet {
        print(&told(&hidden, &own.rules, &own.output))?;
    }
    Ok(DONE)
}

fn told(hidden: &models::HiddenRules, rules: &[String], output: &Path) -> String {
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let cost = &hidden.cost;
    let mut text = format!(
        "Hidden at a support of {} baskets and a confidence of {}: {} of {} rules; {} baskets changed.\n",
        hidden.thresholds.support,
        hidden.thresholds.confidence,
        cost.sensitive - cost.failures,
        cost.sensitive,
        grouped(hidden.changed)
    );
    text.push_str(&format!(
        "Hiding failure {}, lost rules {} ({} of {}), ghost rules {} ({}), dissimilarity {}\n",
        percent(hidden.hiding_failure),
        percent(hidden.lost),
        cost.lost,
        cost.others,
        percent(hidden.ghosts),
        cost.ghosts,
        percent(cost.dissimilarity)
    ));
    if let Some(proof) = hidden.proof {
        text.push_str(&match (proof.is_optimal, proof.gap) {
            (true, _) => "Proven: no answer of this form changes less.\n".to_owned(),
            (false, Some(gap)) => {
                format!("Time ran out; the best answer may change {} less.\n", percent(gap))
            }
            (false, None) => "Time ran out before any answer; a heuristic one was taken.\n".to_owned(),
        });
    }
    for (rule, back) in rules.iter().zip(&hidden.returned) {
        text.push_str(&match back.share {
            Some(share) => {
                format!("{rule}: comes back to whoever mines at {} of the thresholds\n", percent(share))
            }
            None => format!("{rule}: does not come back down to half of the thresholds\n"),
        });
    }
    text + &format!("Shared baskets: {}. What stands above is for you alone.", output.display())
}
