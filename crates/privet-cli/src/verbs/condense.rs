//! `privet condense`: publish synthetic records with the moments of groups of at least k records. They are attacked before they are
//! handed over, but for those of a stream.

mod gate;
mod input;
mod made;
pub(super) mod output;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use privet_attack::Finding;
use privet_data::{Cancelled, Progress};
use privet_job::assess;
use privet_job::spare_inputs;
use privet_recode::condense::{Condensation, CondenseError, Grouping, Records, Stream};
use privet_recode::groups::Groups;
use privet_report::NotMade;
use serde::Serialize;

use super::{Shared, assessment, grouped, print, print_json};
use crate::exit::{BAD_INPUT, DONE, Failure, REFUSED, RESOURCES, STOPPED};
use crate::progress::Bar;
use gate::Gate;
use input::{Chosen, Input, Precision};
use made::{Labels, Made};
use output::Output;

/// Publish synthetic records that have the means and covariances of groups of at least k records
///
/// Columns are numbers. Each group of at least k records is condensed into its size, means and covariances, and
/// synthetic records are drawn from those. Nobody learns more about a record than these statistics tell; this is not
/// differential privacy. Values may lie outside the range of the data.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet condense measurements.csv -k 10 --output synthetic.csv
  privet condense patients.csv -k 25 --columns age,weight,pressure --class diagnosis > synthetic.csv
  privet condense measurements.csv -k 10 --groups mdav --output synthetic.csv
  privet condense clinics.csv -k 10 --groups-from clinic --output synthetic.csv
  privet condense measurements.csv -k 10 --knowledge control.toml --max-risk 0.1 --output synthetic.csv
  sensors | privet condense --stream -k 50 | model")]
pub struct Condense {
    /// The table, a CSV with a header (default: standard input)
    input: Option<PathBuf>,
    /// The fewest records in a group, at least 2
    #[arg(short, value_name = "K")]
    k: u64,
    /// Read record by record, and write synthetic ones as groups fill; holds the groups and no table
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
    #[arg(long, value_name = "WAY", value_enum, conflicts_with_all = ["stream", "groups_from"])]
    groups: Option<Way>,
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
    /// Write to this file, whole or not at all (default: standard output)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file when it is already there
    #[arg(long)]
    force: bool,
    /// The delimiter (default: the one that cuts the header into the most cells)
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<char>,
    #[command(flatten)]
    gate: Gate,
}

/// How groups are found.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Way {
    /// A random record and its K - 1 nearest, again and again
    Nearest,
    /// MDAV: groups of K to 2K - 1 from the outside in
    Mdav,
    /// V-MDAV: the same, with groups that grow where records lie close
    VMdav,
    /// Boxes, cut at medians; equal records stay together
    Mondrian,
}

impl From<Way> for Grouping {
    fn from(way: Way) -> Self {
        match way {
            Way::Nearest => Grouping::Nearest,
            Way::Mdav => Grouping::Mdav,
            Way::VMdav => Grouping::VMdav,
            Way::Mondrian => Grouping::Mondrian,
        }
    }
}

/// What was done.
#[derive(Debug, Default, Serialize)]
struct Summary {
    /// How groups were found.
    grouping: &'static str,
    /// Records that were read.
    records: u64,
    /// Synthetic records that were written.
    published: u64,
    /// Groups of records that were drawn from.
    groups: u64,
    /// The records of the smallest of them.
    smallest_group: u64,
    /// Records of classes with fewer than k records.
    withheld: u64,
    /// Late records of a stream of which nothing but their number is told.
    counted_only: u64,
    /// What attacks found before anything was written.
    attacks: Vec<Finding>,
    /// Those that were not made, and why.
    not_made: Vec<NotMade>,
    #[serde(skip)]
    largest_class: u64,
}

impl Condense {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let mut options = Condensation {
            k: self.k,
            alpha: self.alpha,
            seed: self.seed,
            recentre: !self.no_recentre,
            standardize: !self.no_standardize,
            grouping: self.groups.map_or_else(Grouping::default, Grouping::from),
            gamma: self.gamma,
        };
        options.check().map_err(failure)?;
        if self.stream {
            self.gate.must_be_unasked()?;
        }
        if self.no_standardize && options.grouping == Grouping::Mondrian {
            return Err(Failure::bad_input(
                "--no-standardize does not go with --groups mondrian, which cuts each column by itself, whatever its unit",
            ));
        }
        // All classes of a stream share one seed.
        options.seed = Some(options.random_seed().map_err(failure)?);
        let bar = Bar::new(shared.quiet || shared.json);
        // A dash is standard input or output, as elsewhere.
        let file = |path: &Option<PathBuf>| path.clone().filter(|path| path.as_os_str() != "-");
        let mut input = Input::open(
            file(&self.input).as_deref(),
            self.delimiter,
            &Chosen {
                columns: &self.columns,
                class: self.class.as_deref(),
                groups: self.groups_from.as_deref(),
            },
            &bar,
        )?;
        let (source, destination) = (file(&self.input), file(&self.output));
        // It would be lost, and with --stream before all of it is read.
        if let Some(output) = &destination {
            let inputs = source.iter().map(PathBuf::as_path).chain(self.gate.knowledge());
            spare_inputs(output, inputs).map_err(Failure::bad_input)?;
        }
        let mut output = Output::open(destination.as_deref(), self.force)?;
        let summary = match self.stream {
            true => self.stream(&options, &mut input, &mut output, &bar)?,
            false => {
                let path = source.unwrap_or_else(|| PathBuf::from("standard input"));
                self.table(&options, &mut input, &mut output, &path, &bar)?
            }
        };
        bar.clear();
        // The reader went away: it has seen enough.
        let Some(summary) = summary else { return Ok(DONE) };
        if summary.groups == 0 {
            return Err(failure(CondenseError::TooFew { records: summary.largest_class, k: self.k }));
        }
        if summary.published == 0 {
            return Err(Failure {
                code: REFUSED,
                message: "nothing was written: no synthetic record was drawn; a larger --alpha draws more"
                    .to_owned(),
            });
        }
        output.finish()?;
        if shared.json {
            match destination {
                Some(_) => print_json(&summary)?,
                None => output::tell(&serde_json::to_string(&summary).map_err(Failure::resources)?),
            }
        } else if !shared.quiet {
            match destination {
                Some(_) => print(&describe(&summary))?,
                None => output::tell(&describe(&summary)),
            }
        }
        Ok(DONE)
    }

    /// Condenses a table that is held in memory. `None` when the reader went away.
    fn table(
        &self,
        options: &Condensation,
        input: &mut Input<'_>,
        output: &mut Output,
        path: &Path,
        bar: &Bar,
    ) -> Result<Option<Summary>, Failure> {
        let mut values = Vec::new();
        let mut labels = Labels::default();
        let mut names = Labels::default();
        let (mut classes, mut named): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        bar.stage("reading", None);
        while input.advance(&mut values)? {
            classes.push(labels.number(input.class()));
            if self.groups_from.is_some() {
                named.push(names.number(input.group()?));
            }
            check(bar, classes.len() as u64)?;
        }
        let records = Records { dimension: input.dimension(), values: &values };
        let found = match self.groups_from {
            Some(_) => {
                let groups = Groups { of: named, count: names.texts.len() };
                options.condense_groups(&records, &groups, Some(&classes), bar)
            }
            None => options.condense(&records, Some(&classes), bar),
        };
        let found = found.map_err(failure)?;
        let mut summary = Summary {
            grouping: if self.groups_from.is_some() { "given" } else { options.grouping.word() },
            records: classes.len() as u64,
            published: found.len() as u64,
            groups: found.groups.len() as u64,
            smallest_group: found.smallest_group(),
            withheld: found.withheld,
            ..Summary::default()
        };
        // That there is nothing to write is told by the caller.
        if summary.published == 0 {
            return Ok(Some(summary));
        }
        let given = self.decimals.map(usize::from);
        let decimals: Vec<Precision> =
            input.decimals().iter().map(|&seen| Precision::Decimals(given.unwrap_or(seen))).collect();
        let of_records = Made { found: &found, labels: &labels, decimals: &decimals, input };
        let classes = self.class.is_some().then_some(classes.as_slice());
        let assessed = self.gate.pass(
            &assess::Condensed {
                synthetic: &of_records.synthetic(),
                original: &of_records.original(&values, classes),
                path,
                class: self.class.as_deref(),
            },
            bar,
        )?;
        (summary.attacks, summary.not_made) = (assessed.attacks, assessed.not_made);
        bar.stage("writing", Some(found.groups.len() as u64));
        let mut text = Vec::new();
        input.push_header(&mut text);
        for (done, group) in found.groups.iter().enumerate() {
            let class = labels.text(group.class.unwrap_or(0));
            input.push_records(&group.records, class, &decimals, &mut text);
            if text.len() >= 1 << 16 || done + 1 == found.groups.len() {
                if !output.write(&text)? {
                    return Ok(None);
                }
                text.clear();
            }
            check(bar, done as u64)?;
        }
        Ok(Some(summary))
    }

    /// Condenses records as they come. `None` when the reader went away.
    fn stream(
        &self,
        options: &Condensation,
        input: &mut Input<'_>,
        output: &mut Output,
        bar: &Bar,
    ) -> Result<Option<Summary>, Failure> {
        // A stream cannot look ahead to see how exact a column is.
        let precision = self.decimals.map_or(Precision::Three, |given| Precision::Decimals(given.into()));
        let decimals = vec![precision; input.dimension()];
        let mut labels = Labels::default();
        let mut streams: Vec<Stream> = Vec::new();
        let (mut record, mut drawn) = (Vec::new(), Vec::new());
        // The header waits for the first records, so that a stream of too few leaves nothing.
        let mut text = Vec::new();
        input.push_header(&mut text);
        let is_piped = output.is_piped();
        let mut write = |drawn: &mut Vec<f64>, class: &str, input: &Input<'_>| {
            if drawn.is_empty() {
                return Ok(true);
            }
            input.push_records(drawn, class, &decimals, &mut text);
            drawn.clear();
            let written = output.write(&text);
            text.clear();
            written
        };
        let not_made = vec![gate::of_a_stream()];
        let mut summary = Summary { grouping: "stream", not_made, ..Summary::default() };
        bar.stage("condensing", None);
        loop {
            record.clear();
            if !input.advance(&mut record).map_err(|failure| stopped(failure, is_piped))? {
                break;
            }
            let class = labels.number(input.class()) as usize;
            if class == streams.len() {
                let number = class as u64;
                streams.push(Stream::new(options, input.dimension(), number).map_err(failure)?);
            }
            streams[class].push(&record, &mut drawn).map_err(failure)?;
            if !write(&mut drawn, labels.text(class as u32), input)? {
                return Ok(None);
            }
            summary.records += 1;
            check(bar, summary.records).map_err(|failure| stopped(failure, is_piped))?;
        }
        for (class, stream) in streams.into_iter().enumerate() {
            let of_class = stream.finish(&mut drawn);
            if !write(&mut drawn, labels.text(class as u32), input)? {
                return Ok(None);
            }
            summary.add(&of_class);
        }
        // Groups from which no record was drawn leave a table without records, not an empty file.
        if summary.groups > 0 && !text.is_empty() && !output.write(&text)? {
            return Ok(None);
        }
        Ok(Some(summary))
    }
}

impl Summary {
    fn add(&mut self, class: &privet_recode::condense::StreamSummary) {
        self.smallest_group = match (self.groups, class.sets) {
            (_, 0) => self.smallest_group,
            (0, _) => class.smallest_set,
            _ => self.smallest_group.min(class.smallest_set),
        };
        self.groups += class.sets;
        self.published += class.published;
        self.withheld += class.withheld;
        self.counted_only += class.counted_only;
        self.largest_class = self.largest_class.max(class.records);
    }
}

/// Shows where it is, and stops when asked to.
fn check(bar: &Bar, done: u64) -> Result<(), Failure> {
    if done.is_multiple_of(256) {
        bar.at(done);
    }
    bar.check().map_err(|cancelled| failure(cancelled.into()))
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

/// A failure in the words of the command line.
fn failure(error: CondenseError) -> Failure {
    let code = match &error {
        CondenseError::TooFew { .. } => REFUSED,
        CondenseError::NoSeed => RESOURCES,
        CondenseError::Cancelled(Cancelled) => STOPPED,
        _ => BAD_INPUT,
    };
    let message = match error {
        CondenseError::Parameter { key, problem } => {
            let flag = match key.rsplit('.').next() {
                Some("k") => "-k",
                Some("gamma") => "--gamma",
                _ => "--alpha",
            };
            format!("{flag} {problem}").replace("the grouping v-mdav", "--groups v-mdav")
        }
        CondenseError::SmallGroup { .. } => {
            format!("--groups-from: {error}").replace("a smaller k", "a smaller -k")
        }
        CondenseError::NoSeed => "the operating system gives no random numbers; pass --seed".to_owned(),
        other => other.to_string(),
    };
    Failure { code, message }
}

/// What was done, for a person.
fn describe(summary: &Summary) -> String {
    let mut text = format!(
        "Condensed {} records into {} synthetic ones, drawn from {} groups of at least {}.",
        grouped(summary.records - summary.withheld),
        grouped(summary.published),
        grouped(summary.groups),
        grouped(summary.smallest_group),
    );
    if summary.withheld > 0 {
        text.push_str(&format!(
            "\nWithheld {} records of classes that are too small.",
            grouped(summary.withheld)
        ));
    }
    if summary.counted_only > 0 {
        let late = grouped(summary.counted_only);
        text.push_str(&format!(
            "\nOf the last {late} records, too few for a group, nothing but their number is told."
        ));
    }
    text.push('\n');
    match summary.attacks.is_empty() {
        false => {
            let mut words: Vec<&str> = summary.not_made.iter().map(|own| own.attack.as_str()).collect();
            words.dedup();
            text.push_str(&assessment::in_short(&summary.attacks, &words));
        }
        true => {
            for own in summary.not_made.iter().take(1) {
                text.push_str(&format!("Not attacked: {}.\n", own.why));
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}
