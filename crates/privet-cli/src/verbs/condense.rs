//! `privet condense`: a release of the kind `condensed` from flags instead of a job file; with `--stream` a filter.

mod input;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use privet::condensed::{Condensation, Grouping, Input, StreamReport, condense_stream};
use privet::{JobFile, KindError};
use toml::{Table, Value};

use super::text_output::{Output, tell};
use super::{Shared, copy_to_standard_output, grouped, print, print_json, seam};
use crate::exit::{DONE, Failure, STOPPED};
use crate::progress::Bar;
use input::{Source, private_folder};

/// Publish synthetic records that have the means and covariances of groups of at least k records
///
/// Columns are numbers. Each group of at least k records is condensed into its size, means and covariances, and
/// synthetic records are drawn from those. Nobody learns more about a record than these statistics tell; this is not
/// differential privacy. Values may lie outside the range of the data. The release is proven and attacked before it is
/// written, like every other.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet condense measurements.csv -k 10 --output release
  privet condense patients.csv -k 25 --columns age,weight,pressure --class diagnosis > synthetic.csv
  privet condense measurements.csv -k 10 --groups mdav --output release
  privet condense clinics.csv -k 10 --groups-from clinic --output release
  privet condense measurements.csv -k 10 --knowledge knowledge.toml --max-risk 0.1 --output release
  sensors | privet condense --stream -k 50 | model")]
pub struct Condense {
    /// The table, with a header (default: a CSV on standard input)
    input: Option<PathBuf>,
    /// The fewest records in a group, at least 2
    #[arg(short, value_name = "K")]
    k: u64,
    /// Read a CSV record by record, and write synthetic ones as groups fill: a filter, whose records nobody attacks first
    #[arg(long)]
    stream: bool,
    /// The columns to publish, all of them numbers (default: all but the class)
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    columns: Vec<String>,
    /// A column of labels: each class is condensed by itself and keeps its label; classes of fewer than K records are
    /// withheld
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// How groups are found (default: nearest)
    #[arg(long, value_name = "GROUPING", value_enum, conflicts_with_all = ["stream", "groups_from"])]
    groups: Option<GroupingFlag>,
    /// A column that names the group of each record; it is not published. Groups of fewer than K records are refused
    #[arg(long, value_name = "NAME", conflicts_with = "stream")]
    groups_from: Option<String>,
    /// How readily a group of --groups v-mdav grows, at least 0 (default: 0.2)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    gamma: Option<f64>,
    /// Measure columns in the units they are written in, not in their standard deviations
    #[arg(long)]
    no_standardize: bool,
    /// Leave the mean of the records drawn from a group to chance; otherwise it is that of the group
    #[arg(long)]
    no_recentre: bool,
    /// Synthetic records per record, at most 1000; without --stream a group gives at least one
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, allow_negative_numbers = true)]
    alpha: f64,
    /// The same seed gives the same records; it must stay secret (default: one from the operating system)
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Digits behind the point, at most 17 (default: as many as the column has; with --stream 3, or 3 digits of a number below 0.1)
    #[arg(long, value_name = "DIGITS", value_parser = clap::value_parser!(u8).range(0..=17))]
    decimals: Option<u8>,
    /// The release folder; with --stream a file (default: the records go to standard output)
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Replace what stands there
    #[arg(long)]
    force: bool,
    /// The folder for the owner alone: what measuring and attacking found
    #[arg(long, value_name = "FOLDER", conflicts_with = "stream")]
    home: Option<PathBuf>,
    /// The delimiter (default: the one that cuts the header into the most cells)
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<char>,
    /// The attacks to make before anything is written, separated by commas (default: all that need no knowledge)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "stream")]
    attacks: Option<Vec<String>>,
    /// What the adversary knows (a TOML file with a section per attack)
    #[arg(long, value_name = "FILE", conflicts_with = "stream")]
    knowledge: Option<PathBuf>,
    /// Write nothing when the records add more than this share of people to those about whom an attack is right without them
    #[arg(long, value_name = "SHARE", conflicts_with = "stream")]
    max_risk: Option<f64>,
    /// Write nothing when an attack is right about more than this share of people
    #[arg(long, value_name = "SHARE", conflicts_with = "stream")]
    max_absolute_risk: Option<f64>,
}

/// How groups are found.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum GroupingFlag {
    /// A random record and its K - 1 nearest, again and again
    Nearest,
    /// MDAV: groups of K to 2K - 1 from the outside in
    Mdav,
    /// V-MDAV: the same, with groups that grow where records lie close
    VMdav,
    /// Boxes, cut at medians; equal records stay together
    Mondrian,
}

impl From<GroupingFlag> for Grouping {
    fn from(flag: GroupingFlag) -> Self {
        match flag {
            GroupingFlag::Nearest => Grouping::Nearest,
            GroupingFlag::Mdav => Grouping::Mdav,
            GroupingFlag::VMdav => Grouping::VMdav,
            GroupingFlag::Mondrian => Grouping::Mondrian,
        }
    }
}

impl Condense {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        match self.stream {
            true => self.filter(shared, &bar),
            false => self.release(shared, &bar),
        }
    }

    /// Makes a release; without a folder for it, its records go to standard output.
    fn release(&self, shared: &Shared, bar: &Bar) -> Result<u8, Failure> {
        let here = std::env::current_dir().map_err(Failure::resources)?;
        let source = Source::of(self.input.as_deref(), bar)?;
        let output = self.output.as_ref().filter(|path| path.as_os_str() != "-");
        let scratch = private_folder()?;
        let folder = output.map_or_else(|| scratch.path().join("release"), |path| here.join(path));
        let job = JobFile::in_folder(&here, self.job(&here.join(source.path()), &folder)?);
        let reproduce = [self.command()];
        let report = privet::run(&job, &reproduce, bar);
        bar.clear();
        let report = report.map_err(in_flags)?;
        if output.is_some() {
            return seam::tell(&report, shared);
        }
        copy_to_standard_output(&folder.join("records.csv"))?;
        if shared.json {
            tell(&serde_json::to_string(&report).map_err(Failure::resources)?);
        } else if !shared.quiet {
            tell(&seam::found(&report));
        }
        Ok(DONE)
    }

    /// The job that the flags ask for.
    fn job(&self, input: &Path, folder: &Path) -> Result<Table, Failure> {
        let text = |path: &Path| match path.to_str() {
            Some(text) => Ok(Value::from(text)),
            None => Err(Failure::bad_input(format!("{}: the path is not UTF-8", path.display()))),
        };
        let whole = |flag: &str, number: u64| {
            i64::try_from(number).map_err(|_| Failure::bad_input(format!("{flag} is too large")))
        };
        let mut job = Sections::default();
        job.0.insert("kind".to_owned(), "condensed".into());
        job.set("input", "path", Some(text(input)?));
        job.set("input", "columns", (!self.columns.is_empty()).then(|| self.columns.clone()));
        job.set("input", "class", self.class.clone());
        job.set("input", "groups-from", self.groups_from.clone());
        job.set("input", "delimiter", self.delimiter.map(String::from));
        job.set("condensed", "k", Some(whole("-k", self.k)?));
        job.set("condensed", "alpha", Some(self.alpha));
        job.set("condensed", "seed", self.seed.map(|seed| whole("--seed", seed)).transpose()?);
        job.set("condensed", "recentre", Some(!self.no_recentre));
        job.set("condensed", "standardize", Some(!self.no_standardize));
        job.set("condensed", "grouping", self.groups.map(|flag| Grouping::from(flag).word()));
        job.set("condensed", "gamma", self.gamma);
        job.set("records", "decimals", self.decimals.map(i64::from));
        job.set("adversary", "attacks", self.attacks.clone());
        job.set("adversary", "knowledge", self.knowledge.as_deref().map(text).transpose()?);
        job.set("adversary", "max-risk", self.max_risk);
        job.set("adversary", "max-absolute-risk", self.max_absolute_risk);
        job.set("output", "folder", Some(text(folder)?));
        job.set("output", "home", self.home.as_deref().map(text).transpose()?);
        job.set("output", "replace", Some(self.force));
        Ok(job.0)
    }

    /// The command that makes the release again, for its report. Where files lie at home is nobody's business, and seeds are secret.
    fn command(&self) -> String {
        let name = self.input.as_deref().and_then(Path::file_name);
        let name = name.map_or_else(|| "-".to_owned(), |name| name.to_string_lossy().into_owned());
        let mut command = format!("privet condense {} -k {}", privet::quoted(&name), self.k);
        let mut add = |flag: &str, value: Option<String>| {
            if let Some(value) = value {
                command.push_str(&format!(" {flag} {}", privet::quoted(&value)));
            }
        };
        add("--columns", (!self.columns.is_empty()).then(|| self.columns.join(",")));
        add("--class", self.class.clone());
        add("--groups-from", self.groups_from.clone());
        add("--groups", self.groups.map(|flag| Grouping::from(flag).word().to_owned()));
        add("--gamma", self.gamma.map(|number| number.to_string()));
        add("--alpha", (self.alpha != 1.0).then(|| self.alpha.to_string()));
        add("--decimals", self.decimals.map(|number| number.to_string()));
        for (flag, is_set) in [("--no-standardize", self.no_standardize), ("--no-recentre", self.no_recentre)]
        {
            if is_set {
                command.push_str(&format!(" {flag}"));
            }
        }
        command
    }

    /// Condenses records as they come.
    fn filter(&self, shared: &Shared, bar: &Bar) -> Result<u8, Failure> {
        let options = Condensation {
            k: self.k,
            alpha: self.alpha,
            seed: self.seed,
            recentre: !self.no_recentre,
            standardize: !self.no_standardize,
            grouping: Grouping::default(),
            gamma: self.gamma,
        };
        options.check().map_err(|error| in_flags(privet::condensed::failure(error)))?;
        let file = |path: &Option<PathBuf>| path.clone().filter(|path| path.as_os_str() != "-");
        let (source, destination) = (file(&self.input), file(&self.output));
        let input = Input {
            path: source.clone().unwrap_or_else(|| PathBuf::from("standard input")),
            columns: (!self.columns.is_empty()).then(|| self.columns.clone()),
            class: self.class.clone(),
            groups_from: None,
            delimiter: self.delimiter,
        };
        // It would be lost before all of it is read.
        if let (Some(output), Some(source)) = (&destination, &source) {
            privet_job::spare_inputs(output, [source.as_path()]).map_err(Failure::bad_input)?;
        }
        let reader = input::reader(source.as_deref(), bar)?;
        let mut output = Output::open(destination.as_deref(), self.force)?;
        let is_piped = output.is_piped();
        let mut failed = None;
        let mut write = |lines: &[u8]| {
            output.write(lines).map_err(|failure| {
                let error = KindError::resources(failure.message.clone());
                failed = Some(failure);
                error
            })
        };
        let found = condense_stream(reader, &input, &options, self.decimals, &mut write, bar);
        bar.clear();
        let found = match (found, failed) {
            (_, Some(failure)) => return Err(failure),
            (Err(error), None) => return Err(stopped(in_flags(error), is_piped)),
            (Ok(found), None) => found,
        };
        // The reader went away: it has seen enough.
        let Some(report) = found else { return Ok(DONE) };
        output.finish()?;
        match (shared.json, destination.is_some()) {
            (true, true) => print_json(&report)?,
            (true, false) => tell(&serde_json::to_string(&report).map_err(Failure::resources)?),
            (false, _) if shared.quiet => {}
            (false, true) => print(&describe(&report))?,
            (false, false) => tell(&describe(&report)),
        }
        Ok(DONE)
    }
}

/// The sections of a job.
#[derive(Default)]
struct Sections(Table);

impl Sections {
    fn set(&mut self, section: &str, key: &str, value: Option<impl Into<Value>>) {
        let section = self.0.entry(section).or_insert_with(|| Table::new().into());
        if let (Some(value), Some(section)) = (value, section.as_table_mut()) {
            section.insert(key.to_owned(), value.into());
        }
    }
}

/// An error in the words of the command line: keys as flags.
fn in_flags(error: KindError) -> Failure {
    let flag = |key: &str| match key {
        "condensed.k" => Some("-k".to_owned()),
        "condensed.grouping" => Some("--groups".to_owned()),
        _ => key.split_once('.').map(|(_, key)| format!("--{key}")),
    };
    error.in_words_of(flag).into()
}

/// What can be said of a stream that was stopped: what it has written stands.
fn stopped(failure: Failure, is_piped: bool) -> Failure {
    match failure.code {
        STOPPED if is_piped => Failure {
            code: STOPPED,
            message: "stopped on request; the records written so far are whole".to_owned(),
        },
        _ => failure,
    }
}

/// What a stream came to, for a person.
fn describe(report: &StreamReport) -> String {
    let mut text = format!(
        "Condensed {} records into {} synthetic ones, drawn from {} groups of at least {}.",
        grouped(report.records - report.withheld),
        grouped(report.published),
        grouped(report.groups),
        grouped(report.smallest_group),
    );
    if report.withheld > 0 {
        let withheld = grouped(report.withheld);
        text.push_str(&format!("\nWithheld {withheld} records of classes that are too small."));
    }
    if report.counted_only > 0 {
        let late = grouped(report.counted_only);
        text.push_str(&format!(
            "\nOf the last {late} records, too few for a group, nothing but their number is told."
        ));
    }
    text + "\nNot attacked: the records of a stream are written as groups fill; attack what was written with `privet attack`."
}
