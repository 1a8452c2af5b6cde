//! `privet randomize`: publish perturbed records, or perturb them on the respondent's side.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use privet_data::Progress;
use privet_job::randomize::{
    ColumnSummary, RandomizeJob, RandomizeOptions, RandomizeSummary, Respond, Responded, model_only, plan,
    randomize,
};
use privet_job::{base_of, spare_inputs, spare_job};
use privet_release::perturbed::ModelFile;

use super::text_output::{Output, tell};
use super::{Shared, assessment, grouped, print, print_json};
use crate::exit::{DONE, Failure, STOPPED};
use crate::progress::Bar;
use crate::terminal;

/// Change values by chance, and publish them with the noise model
///
/// With a job file: reads its table, perturbs the columns that have `perturb`, removes identifiers, and writes a release
/// folder. With --model: perturbs records by a model that was written before, on the respondent's side.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet randomize survey.toml                              a release of perturbed records
  privet randomize survey.toml --model-only -o model.json   the laws alone; no data is read
  privet randomize answers.csv --model model.json > sent.csv
  app | privet randomize --stdin --model model.json | collector

Laws: perturb = { noise = \"gaussian\", sd = 5.0 } and others for numbers; { gamma = 19 }, { retention = 0.7 },
{ response = \"warner\", p = 0.8 }, { pram = 0.5 }, { matrix = \"file.csv\" } for categories;
{ items = \"select-a-size\", size = 5, add = 0.1, gamma = 19 } for sets of items.
Instead of laws: [randomize] method = \"swap\" exchanges values between records, method = \"synthetic\" draws them from a
model; neither promises formal privacy.")]
pub struct Randomize {
    /// The job file; with --model the records, a CSV with a header
    input: Option<PathBuf>,
    /// Perturb records by this model (model.json, or the manifest.json of a perturbed release)
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// With --model: read records from standard input, and hand each on as soon as it is perturbed
    #[arg(long, requires = "model", conflicts_with = "input")]
    stdin: bool,
    /// Write the model of the job and read no data
    #[arg(long, conflicts_with = "model")]
    model_only: bool,
    /// The release folder (key output.folder); with --model or --model-only the file to write (default: standard output)
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
    /// The same seed gives the same values; it must stay secret (default: randomness of the operating system). Not with
    /// --model: nobody may repeat a respondent's random choices; nor with --model-only, which draws nothing
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["model", "model_only"])]
    seed: Option<u64>,
    /// Replace what is already there
    #[arg(long)]
    force: bool,
    /// Set any key of the job, such as columns.age.perturb.sd=3.0; may be repeated. Not with --model, which has no job
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "model")]
    set: Vec<String>,
}

impl Randomize {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        if let Some(model) = &self.model {
            return self.respond(model, shared);
        }
        let Some(input) = &self.input else {
            return Err(Failure::bad_input(
                "give a job file, or --model FILE and the records (a CSV, or --stdin)",
            ));
        };
        let mut job = RandomizeJob::read(input, &self.set).map_err(Failure::bad_input)?;
        if self.model_only {
            if let Some(output) = &self.output {
                spare_inputs(output, [input.as_path(), &base_of(input).join(&job.input.path)])
                    .map_err(Failure::bad_input)?;
            }
            let model = model_only(&job, &base_of(input))?;
            return self.write(model.to_json().map_err(Failure::resources)?.as_bytes(), shared);
        }
        // Paths on the command line are relative to where it was typed, those in the file to the file.
        let here = std::env::current_dir().map_err(Failure::resources)?;
        if let Some(output) = &self.output {
            job.output.folder = here.join(output);
        }
        job.output.replace |= self.force;
        spare_job(input, &base_of(input).join(&job.output.folder)).map_err(Failure::bad_input)?;
        let name = input.file_name().unwrap_or_default().to_string_lossy();
        let more = if self.set.is_empty() { "" } else { " --set …" };
        let options = RandomizeOptions {
            base: base_of(input),
            seed: self.seed,
            reproduce: vec![format!("privet randomize {name}{more}")],
        };
        shared.accept(&job.input);
        let bar = Bar::new(shared.quiet || shared.json);
        let result = randomize(&job, &options, &bar);
        bar.clear();
        let mut summary = result?;
        if let Some(output) = self.output {
            summary.release = output;
        }
        if shared.json {
            print_json(&summary)?;
        } else if !shared.quiet {
            print(&describe(&summary))?;
        }
        Ok(DONE)
    }

    fn write(&self, bytes: &[u8], shared: &Shared) -> Result<u8, Failure> {
        let mut output = Output::open(self.output.as_deref(), self.force)?;
        output.write(bytes)?;
        output.finish()?;
        if let Some(path) = self.output.as_ref().filter(|_| !shared.quiet) {
            tell(&format!(
                "Wrote {}. Respondents run: privet randomize --stdin --model {}",
                path.display(),
                path.display()
            ));
        }
        Ok(DONE)
    }

    /// The respondent's side.
    fn respond(&self, path: &Path, shared: &Shared) -> Result<u8, Failure> {
        if let Some(output) = &self.output {
            let inputs = self.input.iter().map(PathBuf::as_path).chain([path]);
            spare_inputs(output, inputs).map_err(Failure::bad_input)?;
        }
        let model = read_model(path)?;
        let source: Box<dyn Read> = match (&self.input, self.stdin) {
            (Some(input), _) => Box::new(
                std::fs::File::open(input)
                    .map_err(|error| Failure::bad_input(format!("{}: {error}", input.display())))?,
            ),
            (None, true) => Box::new(std::io::stdin().lock()),
            (None, false) => {
                return Err(Failure::bad_input("give the records: a CSV file, or --stdin"));
            }
        };
        // On the respondent's side nobody may be able to draw the same chance again, so there is no seed.
        let mut records = Respond::new(&model, source, None)?;
        if !shared.quiet {
            tell(&told(&plan(&model.model), model.model.gamma, "sent as it is"));
        }
        let mut output = Output::open(self.output.as_deref(), self.force)?;
        let bar = Bar::new(true);
        let mut many: u64 = 0;
        if output.write(&records.header())? {
            while let Responded::Record(record) = records.advance()? {
                if !output.write(record)? {
                    // Whoever read standard output has seen enough.
                    return Ok(DONE);
                }
                many += 1;
                if bar.check().is_err() {
                    let message = "stopped on request; the records written so far are whole".to_owned();
                    return Err(Failure { code: STOPPED, message });
                }
            }
        }
        output.finish()?;
        if !shared.quiet {
            tell(&format!("{} records perturbed.", grouped(many)));
        }
        Ok(DONE)
    }
}

/// Reads a model, or that of a release.
pub(super) fn read_model(path: &Path) -> Result<ModelFile, Failure> {
    let failed = |error: String| Failure::bad_input(format!("{}: {error}", path.display()));
    let bytes = privet_data::io::read_plain(path, privet_data::io::input_limit())
        .map_err(|error| failed(error.to_string()))?;
    ModelFile::parse(&bytes).map_err(|error| failed(format!("it is no model: {}", error.problem())))
}

/// What is done to each column, line by line, and what all of them tell together.
fn told(columns: &[ColumnSummary], together: Option<f64>, kept: &str) -> String {
    // Rounded up past what is rounding: a γ that was asked for is told as it was.
    let factor = |gamma: f64| (gamma * (1.0 - 1e-9) * 1e4).ceil() / 1e4;
    let width = terminal::width(columns.iter().map(|column| column.name.as_str()));
    let gap = " ".repeat(width);
    let mut lines = Vec::new();
    for column in columns {
        let law = column.law.as_deref().unwrap_or(kept);
        let gamma = column.gamma.map_or(String::new(), |gamma| {
            format!("; this column alone changes odds by a factor of at most {}", factor(gamma))
        });
        lines.push(format!("  {:<width$}  {law}{gamma}", column.name));
        if let Some(open) = &column.open {
            lines.push(format!("  {gap}  {open}"));
        }
        if column.missing > 0 {
            lines.push(format!(
                "  {gap}  {} missing values stay missing, which is told",
                grouped(column.missing)
            ));
        }
    }
    lines.push(match together {
        Some(gamma) => {
            format!(
                "All columns together change the odds about a record by a factor of at most {}.",
                factor(gamma)
            )
        }
        None => "All columns together promise no bound on what is told of a record.".to_owned(),
    });
    lines.join("\n")
}

/// What was done, for a person.
fn describe(summary: &RandomizeSummary) -> String {
    let records = grouped(summary.records);
    let mut text = match (&summary.swap, &summary.synthetic) {
        (Some(swap), _) => format!("Swapped values in {} of {records} records.\n", grouped(swap.changed)),
        (_, Some(own)) => format!("Made {} tables of {records} records.\n", own.copies.len()),
        _ => format!("Perturbed {records} records.\n"),
    };
    text.push_str(&told(&summary.columns, summary.gamma, "published as it was"));
    text.push('\n');
    if !summary.removed_columns.is_empty() {
        text.push_str(&format!("Not published: {}.\n", summary.removed_columns.join(", ")));
    }
    if summary.randomness == "fixed-seed" {
        text.push_str("The seed was fixed: whoever knows it can undo changes. It is not in the release.\n");
    }
    text.push_str(&means(summary));
    // Which columns an attack could not be made on stands in the report.
    let mut not_made: Vec<&str> = summary.not_made.iter().map(|own| own.attack.as_str()).collect();
    let mut seen = BTreeSet::new();
    not_made.retain(|own| summary.attacks.iter().all(|made| made.attack != *own) && seen.insert(*own));
    text.push_str(&match summary.attacks.is_empty() {
        true => "No attack could be made on it; the report says why.\n".to_owned(),
        false => assessment::in_short(&summary.attacks, &not_made),
    });
    let release = summary.release.display();
    text.push_str(&format!(
        "{:.2} s.\n\nRelease  {release}\nReport   {}\nCheck it with: privet verify {release}",
        summary.seconds,
        summary.release.join("report.html").display(),
    ));
    match &summary.synthetic {
        Some(own) if own.copies.len() > 1 => {
            if let Some(rule) = &own.rule {
                text.push_str(&format!(
                    "\nEstimate from each table, then: privet combine estimates.csv {}",
                    rule.flags()
                ));
                if own.with_gaps().next().is_some() {
                    text.push_str("\nIts intervals take no account of values that were missing, and are too narrow where these matter.");
                }
            }
        }
        None if summary.swap.is_none() => {
            text.push_str(&format!("\nUse it with: privet reconstruct {release}"));
        }
        _ => {}
    }
    text
}

/// What swapped and synthetic records keep, and that they promise nothing.
fn means(summary: &RandomizeSummary) -> String {
    match (&summary.swap, &summary.synthetic) {
        (Some(swap), _) => {
            let kept = match swap.keeps {
                1 => "the distribution of each swapped column".to_owned(),
                many => format!("every joint count of up to {many} swapped columns"),
            };
            format!(
                "Kept exactly: {kept}.\nSwapping promises no formal privacy: what was not moved is published as it was.\n"
            )
        }
        (_, Some(own)) => {
            let lost = match own.forgets_what_stays() {
                true => {
                    "Made columns go together among themselves only: their dependence on columns that stay is lost.\n"
                }
                false => "",
            };
            let gaps = own.told_of_gaps().map_or(String::new(), |told| format!("{told}\n"));
            format!(
                "{lost}{gaps}{:.1} % of made records equal an original in every column.\nSynthetic records promise no formal \
                 privacy: their model was learned from everybody.\n",
                100.0 * own.copied_records
            )
        }
        _ => String::new(),
    }
}
