//! `privet reconstruct`: what perturbed columns were made of, with errors, from the release alone.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use privet_data::date_of;
use privet_job::reconstruct::{
    ColumnEstimate, ColumnReconstruction, CountsEstimate, ItemsEstimate, LearnOptions, Learned, LearnerWord,
    NumbersEstimate, NumbersMethod, ReconstructOptions, Reconstructed, Together, learn_collected,
    learn_release, reconstruct_collected, reconstruct_release, together_collected, together_release,
};
use privet_perturb::learn::Approach;

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
  privet reconstruct collected.csv --model model.json --sampled
  privet reconstruct release basket --itemset \"bread,milk\"
  privet reconstruct release age income --together
  privet reconstruct release --class sex --learner tree --by class --test true.csv")]
pub struct Reconstruct {
    /// The release folder; with --model the table of collected records
    release: PathBuf,
    /// The columns (default: every perturbed one)
    columns: Vec<String>,
    /// The model by which respondents perturbed the records
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Each value of this column by itself; it must be published as it was. With --class: whose distributions are
    /// learned from: `class` (those of each class, the default), `global` (all records), `local` (each node of the tree)
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
    /// The support of these items together, such as "bread,milk"; for columns that hold sets. May be repeated
    #[arg(long, value_name = "ITEMS", conflicts_with = "class")]
    itemset: Vec<String>,
    /// Means and covariances of all numbers together, with errors about the population: of the columns, or of all that are
    /// published as they are or with added noise
    #[arg(long, conflicts_with_all = ["by", "itemset", "class"])]
    together: bool,
    /// Train a classifier that predicts this column, which is published unchanged, from reconstructed distributions
    #[arg(long, value_name = "COLUMN", conflicts_with = "sampled")]
    class: Option<String>,
    /// With --class: what learns
    #[arg(long, value_enum, requires = "class", default_value_t = Learner::NaiveBayes)]
    learner: Learner,
    /// With --class: true records to test on, which only their owner has
    #[arg(long, value_name = "FILE", requires = "class")]
    test: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Learner {
    /// Naive Bayes
    NaiveBayes,
    /// A decision tree
    Tree,
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
        if let Some(class) = self.class.clone() {
            return self.learn(class, shared);
        }
        if self.together {
            return self.together(shared);
        }
        let options = ReconstructOptions {
            columns: self.columns,
            by: self.by,
            bins: self.bins,
            method: self.method.word(),
            itemsets: self.itemset,
            sampled: self.sampled,
            intervals: true,
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
            print(&describe(&found, shared.quiet))?;
        }
        Ok(DONE)
    }

    fn together(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        let found = match &self.model {
            Some(model) => together_collected(&self.release, &read_model(model)?, &self.columns, &bar),
            None => together_release(&self.release, &self.columns, &bar),
        };
        bar.clear();
        let found = found?;
        if shared.json {
            print_json(&found)?;
        } else {
            print(&moments(&found, shared.quiet))?;
        }
        Ok(DONE)
    }

    fn learn(self, class: String, shared: &Shared) -> Result<u8, Failure> {
        let approach = match self.by.as_deref() {
            None | Some("class") => Approach::ByClass,
            Some("global") => Approach::Global,
            Some("local") => Approach::Local,
            Some(_) => {
                return Err(Failure::bad_input("with --class, --by takes `class`, `global` or `local`"));
            }
        };
        let options = LearnOptions {
            class,
            learner: match self.learner {
                Learner::NaiveBayes => LearnerWord::NaiveBayes,
                Learner::Tree => LearnerWord::Tree,
            },
            approach,
            columns: self.columns,
            bins: self.bins,
            method: self.method.word(),
        };
        let bar = Bar::new(shared.quiet || shared.json);
        let test = self.test.as_deref();
        let found = match &self.model {
            Some(model) => learn_collected(&self.release, &read_model(model)?, &options, test, &bar),
            None => learn_release(&self.release, &options, test, &bar),
        };
        bar.clear();
        let found = found?;
        if shared.json {
            print_json(&found)?;
        } else {
            print(&learned(&found, shared.quiet))?;
        }
        Ok(DONE)
    }
}

impl Method {
    fn word(self) -> NumbersMethod {
        match self {
            Method::Em => NumbersMethod::Em,
            Method::Bayes => NumbersMethod::Bayes,
        }
    }
}

/// Means and covariances, for a person.
fn moments(found: &Together, quiet: bool) -> String {
    let mut text = format!("{} records, {} columns together:\n", grouped(found.records), found.columns.len());
    let figure = |own: f64| format!("{own:.4}");
    let told = |own: Option<f64>| own.map_or("-".to_owned(), figure);
    let mut rows =
        vec![["", "mean", "error", "95 % from", "to", "deviation", "missing"].map(str::to_owned).to_vec()];
    for own in &found.columns {
        let end = |value: Option<f64>| value.map_or("-".to_owned(), |value| shown(value, own.dates));
        rows.push(vec![
            own.name.clone(),
            shown(own.mean, own.dates),
            told(own.mean_standard_error),
            end(own.low),
            end(own.high),
            figure(own.variance.max(0.0).sqrt()),
            grouped(own.missing),
        ]);
    }
    text.push_str(&super::answer::table(&rows, 1));
    if !found.pairs.is_empty() {
        let mut rows =
            vec![["", "", "covariance", "error", "correlation", "error"].map(str::to_owned).to_vec()];
        for own in &found.pairs {
            let [a, b] = own.columns.clone();
            rows.push(vec![
                a,
                b,
                figure(own.covariance),
                told(own.standard_error),
                told(own.correlation),
                told(own.correlation_standard_error),
            ]);
        }
        text.push('\n');
        text.push_str(&super::answer::table(&rows, 2));
    }
    if !found.converged {
        text.push_str(&format!(
            "Careful: the likelihood still rose after {} rounds; behind so much noise little can be told.\n",
            grouped(found.rounds)
        ));
    }
    if !quiet {
        for (name, why) in &found.unused {
            text.push_str(&format!("Not used: {name}; {why}.\n"));
        }
        text.push_str(
            "\nErrors and intervals are about the population from which the records were drawn; those of dates are in days. Where \
             numbers are missing, which ones must not depend on what they were.\n",
        );
    }
    text
}

/// What was learned, for a person.
fn learned(found: &Learned, quiet: bool) -> String {
    let learner = match found.learner {
        LearnerWord::NaiveBayes => "Naive Bayes".to_owned(),
        LearnerWord::Tree => format!("A decision tree of {} leaves", found.leaves.unwrap_or(0)),
    };
    let whose = match found.approach {
        Approach::Global => "of all records together",
        Approach::ByClass => "of each class",
        Approach::Local => "of each class in each node",
    };
    let mut text = format!(
        "{learner} tells `{}` from {}: learned from {} records, with the distributions {whose} over {} intervals.\n",
        found.class,
        found.columns.join(", "),
        grouped(found.records),
        found.bins,
    );
    if found.left_out > 0 {
        text.push_str(&format!(
            "{} records were left out: their class or one of their numbers is missing.\n",
            grouped(found.left_out)
        ));
    }
    if !quiet {
        for (name, why) in &found.unused {
            text.push_str(&format!("Not learned from: {name}; {why}.\n"));
        }
    }
    let Some(test) = &found.test else {
        text.push_str(
            "How good it is only true records tell, which their owner has: give them with --test FILE. Records that were \
             not published test best.\n",
        );
        return text;
    };
    let mut rows = vec![["", "told right", "95 % from", "to"].map(str::to_owned).to_vec()];
    for (name, rate) in [
        ("learned from reconstructed distributions", test.reconstructed),
        ("learned from published numbers as they are", test.perturbed),
        ("always the most frequent class", test.most_frequent),
    ] {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        rows.push(vec![name.to_owned(), percent(rate.rate), percent(rate.low), percent(rate.high)]);
    }
    text.push_str(&format!("\nOf {} true records:\n", grouped(test.reconstructed.of)));
    text.push_str(&super::answer::table(&rows, 1));
    if test.unknown_classes > 0 {
        text.push_str(&format!(
            "{} of them have a class that no published record has, and count as wrong.\n",
            grouped(test.unknown_classes)
        ));
    }
    text
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
            ColumnEstimate::Items(items) => text.push_str(&items_table(items)),
        }
        for own in &own.warnings {
            text.push_str(&format!("Careful: {own}\n"));
        }
    }
    let has = |wanted: fn(&ColumnEstimate) -> bool| found.columns.iter().any(|own| wanted(&own.estimate));
    if !quiet && has(|own| matches!(own, ColumnEstimate::Counts(_))) {
        text.push_str(
            "\nEstimates are unbiased and may be negative; `not negative` are the nearest counts that are not. Intervals hold \
             the truth with about 95 %, where records are many.\n",
        );
    }
    let of_numbers = |wanted: fn(&NumbersEstimate) -> bool| {
        found.columns.iter().any(|own| match &own.estimate {
            ColumnEstimate::Numbers(numbers) => numbers.interval_method.is_some() && wanted(numbers),
            _ => false,
        })
    };
    if !quiet && of_numbers(|_| true) {
        text.push_str(
            "\nIntervals of shares hold the truth with at least 95 % each, also where records are few: a share within them \
             belongs to a distribution that is nearly as likely as the one shown.",
        );
        // What is wider than the share itself.
        let is_wide = |own: &NumbersEstimate| {
            own.bins.iter().any(|bin| bin.high.unwrap_or(0.0) - bin.low.unwrap_or(0.0) > bin.share)
        };
        if of_numbers(is_wide) {
            text.push_str(
                " Where they are wide, distributions of many shapes explain what is published behind this noise: the \
                 reconstruction did not fail, but shows one of them.",
            );
        }
        if of_numbers(|own| own.each_multiple) {
            text.push_str(
                " Where originals are multiples of a unit that the release tells, each multiple may have any share.",
            );
        }
        if of_numbers(|own| !own.each_multiple) {
            text.push_str(
                " Within an interval originals may be spread in any way that up to 8 even parts of it can tell.",
            );
        }
        text.push('\n');
    }
    if !quiet && has(|own| matches!(own, ColumnEstimate::Items(_))) {
        text.push_str(
            "\nThe support of items is how many original sets held all of them: unbiased, perhaps negative, and less certain \
             the more items. Intervals hold the truth with about 95 %, where records are many.\n",
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

fn items_table(found: &ItemsEstimate) -> String {
    let mut rows =
        vec![["", "published", "support", "share", "error", "95 % from", "to"].map(str::to_owned).to_vec()];
    for own in &found.sets {
        rows.push(vec![
            own.items.join(", "),
            grouped(own.published),
            number(own.support),
            format!("{:.1} %", 100.0 * own.share),
            number(own.standard_error),
            number(own.low),
            number(own.high),
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
    if numbers.mean.is_none() {
        text.push_str("There is no number, and so nothing to estimate.\n");
        return text;
    }
    if numbers.bins.is_empty() {
        text.push_str("No distribution: only mean and deviation can be estimated here.\n");
        return text;
    }
    let most = numbers.bins.iter().map(|bin| bin.share.max(bin.published)).fold(0.0, f64::max);
    let mut rows =
        vec![["from", "to", "published", "original", "95 % from", "to", ""].map(str::to_owned).to_vec()];
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let end = |share: Option<f64>| share.map_or("-".to_owned(), percent);
    for (at, bin) in numbers.bins.iter().enumerate() {
        // Both ends of an interval of dates are days that are in it.
        let (from, to) = match (numbers.dates, at + 1 == numbers.bins.len()) {
            (false, _) => (bin.from, bin.to),
            (true, true) => (bin.from.ceil(), bin.to.floor()),
            (true, false) => (bin.from.ceil(), bin.to.ceil() - 1.0),
        };
        let long = |share: f64| if most > 0.0 { (share / most * WIDTH).round() as usize } else { 0 };
        let (own, published) = (long(bin.share), long(bin.published));
        // `#` are originals, `.` what is published beyond them.
        let bar = format!("{}{}", "#".repeat(own), ".".repeat(published.saturating_sub(own)));
        rows.push(vec![
            shown(from, numbers.dates),
            shown(to, numbers.dates),
            percent(bin.published),
            percent(bin.share),
            end(bin.low),
            end(bin.high),
            format!(" {bar:<40}"),
        ]);
    }
    text.push_str(&super::answer::table(&rows, 0));
    let ends = numbers.log_likelihood.first().zip(numbers.log_likelihood.last());
    if let (Some((first, last)), Some(stopped)) = (ends, numbers.stopped) {
        let why = match stopped {
            privet_perturb::Stopped::Rounds => "all rounds were run",
            privet_perturb::Stopped::Gap => "it is proven to be near the best",
            privet_perturb::Stopped::HeldOut => "more rounds explain records worse that were held out",
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
