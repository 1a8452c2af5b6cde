//! `privet reconstruct`: what perturbed columns were made of, with errors, from the release alone.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use privet_data::date_of;
use privet_job::reconstruct::{
    ColumnEstimate, ColumnReconstruction, CountsEstimate, NumbersEstimate, NumbersMethod, ReconstructOptions,
    Reconstructed, reconstruct_collected, reconstruct_release,
};

use super::randomize::read_model;
use super::{Shared, grouped, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;

/// Estimate what perturbed columns were made of: counts of values with errors, distributions of numbers
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet reconstruct release
  privet reconstruct release age --bins 12
  privet reconstruct release diagnosis --by sex --json
  privet reconstruct collected.csv --model model.json --sampled")]
pub struct Reconstruct {
    /// The release folder; with --model the table of collected records
    release: PathBuf,
    /// The columns (default: every perturbed one)
    columns: Vec<String>,
    /// The model by which respondents perturbed the records
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Each value of this column by itself; it must be published as it was
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// Intervals for numbers, at most 1000
    #[arg(long, value_name = "N", default_value_t = 20)]
    bins: usize,
    /// How numbers are reconstructed
    #[arg(long, value_enum, default_value_t = Method::Em)]
    method: Method,
    /// The records are a sample: errors are those about the population
    #[arg(long)]
    sampled: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Method {
    /// Expectation and maximization over intervals
    Em,
    /// Iterative Bayes from the middles of intervals
    Bayes,
}

impl Reconstruct {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let options = ReconstructOptions {
            columns: self.columns,
            by: self.by,
            bins: self.bins,
            method: match self.method {
                Method::Em => NumbersMethod::Em,
                Method::Bayes => NumbersMethod::Bayes,
            },
            sampled: self.sampled,
        };
        let bar = Bar::new(shared.quiet || shared.json);
        let found = match &self.model {
            Some(model) => reconstruct_collected(&self.release, &read_model(model)?, &options, &bar),
            None => reconstruct_release(&self.release, &options, &bar),
        };
        bar.clear();
        let found = found?;
        if shared.json {
            print_json(&found)?;
        } else {
            print(&describe(&found, shared.quiet));
        }
        Ok(DONE)
    }
}

fn describe(found: &Reconstructed, quiet: bool) -> String {
    let mut text = String::new();
    for own in &found.columns {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&heading(own, found.by.as_deref()));
        match &own.estimate {
            ColumnEstimate::Counts(counts) => text.push_str(&counts_table(counts)),
            ColumnEstimate::Numbers(numbers) => text.push_str(&numbers_chart(numbers)),
        }
    }
    let has = |wanted: fn(&ColumnEstimate) -> bool| found.columns.iter().any(|own| wanted(&own.estimate));
    if !quiet && has(|own| matches!(own, ColumnEstimate::Counts(_))) {
        text.push_str(
            "\nEstimates are unbiased and may be negative; `not negative` are the nearest counts that are not. Intervals hold \
             the truth with about 95 %, where records are many.\n",
        );
    }
    text
}

fn heading(own: &ColumnReconstruction, by: Option<&str>) -> String {
    let class = match (&own.class, by) {
        (Some(class), Some(by)) if class.is_empty() => format!(", {by} missing"),
        (Some(class), Some(by)) => format!(", {by} = {class}"),
        _ => String::new(),
    };
    let missing = if own.missing > 0 {
        format!(", {} of them without a value", grouped(own.missing))
    } else {
        String::new()
    };
    format!("{}{class}: {} records{missing}\n", own.column, grouped(own.records))
}

fn counts_table(counts: &CountsEstimate) -> String {
    let mut rows = vec![
        ["", "published", "estimate", "error", "95 % from", "to", "not negative"].map(str::to_owned).to_vec(),
    ];
    for own in &counts.values {
        rows.push(vec![
            own.value.clone(),
            grouped(own.published),
            number(own.estimate),
            number(own.standard_error),
            number(own.low),
            number(own.high),
            number(own.nonnegative),
        ]);
    }
    super::answer::table(&rows, 1)
}

/// A number with one decimal and its thousands set apart.
fn number(value: f64) -> String {
    if !value.is_finite() || value.abs() >= 1e15 {
        return "-".to_owned();
    }
    let tenths = (value.abs() * 10.0).round() as u64;
    let sign = if value < 0.0 && tenths > 0 { "-" } else { "" };
    format!("{sign}{}.{}", grouped(tenths / 10), tenths % 10)
}

fn shown(value: f64, dates: bool) -> String {
    if dates {
        return date_of(value.round() as i64);
    }
    let digits = if value.abs() >= 1000.0 { 0 } else { 2 };
    format!("{value:.digits$}")
}

fn numbers_chart(numbers: &NumbersEstimate) -> String {
    const WIDTH: f64 = 40.0;
    let mut text = String::new();
    let unit = if numbers.dates { " days" } else { "" };
    if let Some(mean) = numbers.mean {
        let error =
            numbers.mean_standard_error.map_or(String::new(), |own| format!(" (error {own:.3}{unit})"));
        let deviation =
            numbers.deviation.map_or("drowned by the noise".to_owned(), |own| format!("{own:.3}{unit}"));
        text.push_str(&format!("mean {}{error}, deviation {deviation}\n", shown(mean, numbers.dates)));
    }
    if numbers.bins.is_empty() {
        text.push_str("No distribution: only mean and deviation can be estimated here.\n");
        return text;
    }
    let most = numbers.bins.iter().map(|bin| bin.share.max(bin.published)).fold(0.0, f64::max);
    let mut rows = vec![["from", "to", "published", "original", ""].map(str::to_owned).to_vec()];
    for bin in &numbers.bins {
        let long = |share: f64| if most > 0.0 { (share / most * WIDTH).round() as usize } else { 0 };
        let (own, published) = (long(bin.share), long(bin.published));
        // `#` are originals, `.` what is published beyond them.
        let bar = format!("{}{}", "#".repeat(own), ".".repeat(published.saturating_sub(own)));
        rows.push(vec![
            shown(bin.from, numbers.dates),
            shown(bin.to, numbers.dates),
            format!("{:.1} %", 100.0 * bin.published),
            format!("{:.1} %", 100.0 * bin.share),
            format!(" {bar:<40}"),
        ]);
    }
    text.push_str(&super::answer::table(&rows, 0));
    let ends = numbers.log_likelihood.first().zip(numbers.log_likelihood.last());
    if let (Some((first, last)), Some(stopped)) = (ends, numbers.stopped) {
        let why = match stopped {
            privet_perturb::Stopped::Rounds => "all rounds were run",
            privet_perturb::Stopped::Gap => "it is proven to be near the best",
            privet_perturb::Stopped::Settled => "no round raises it any more",
            _ => "it hardly changed",
        };
        text.push_str(&format!(
            "# original, . published beyond it. {} rounds; log-likelihood from {first:.1} to {last:.1}; stopped because {why}.\n",
            numbers.rounds
        ));
    }
    if numbers.unreachable > 0 {
        text.push_str(&format!(
            "{} values fit no interval and were left out.\n",
            grouped(numbers.unreachable)
        ));
    }
    text
}
