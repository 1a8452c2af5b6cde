//! `privet anonymize`: make the release that a job file asks for.

use std::path::{Path, PathBuf};

use clap::Args;
use privet::{quoted, reproducing_flags};
use privet_data::io::Format;
use privet_job::{Job, Purposes, RunOptions, Summary, base_of, spare_job};

use super::text_output::tell;
use super::{Shared, assessment, copy_to_standard_output, counts, grouped, print, print_json, seam};
use crate::exit::{DONE, Failure};
use crate::memory;
use crate::progress::{Bar, warn};

/// Make the release that a job file asks for
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet anonymize job.toml
  privet anonymize job.toml --force --json
  privet anonymize job.toml --set search.suppress-at-most=0.05 --output release-5-percent
  privet anonymize job.toml --purpose research --trust university")]
pub struct Anonymize {
    /// The job file; `privet init` writes a first one
    job: PathBuf,
    /// Read this file, folder or pattern instead of what the job names (key input.path); - is standard input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Write to this folder instead of the one the job names (key output.folder); with - the published table goes to standard
    /// output as well, beside the release folder
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// What the release is for, one of the purposes in the job's file of purposes (key purpose.name); coarsens by
    /// purpose and trust
    #[arg(long, value_name = "PURPOSE", requires = "trust")]
    purpose: Option<String>,
    /// Who asks for it: a requester of that file, or how far the requester is trusted, from 0 to 1 (key purpose.trust)
    #[arg(long, value_name = "REQUESTER", requires = "purpose")]
    trust: Option<String>,
    /// Write what measuring and attacking found to this folder, for the owner alone (key output.home)
    #[arg(long, value_name = "FOLDER")]
    home: Option<PathBuf>,
    /// Replace a release that is already there (key output.replace)
    #[arg(long)]
    force: bool,
    /// Where values of the table are not in a hierarchy, list them: for the owner's terminal alone
    #[arg(long)]
    show_values: bool,
    /// Set any key of the job, such as privacy.k-anonymity=10; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[cfg(feature = "engine")]
    #[command(flatten)]
    engine: privet_engine::program::EngineFlags,
}

impl Anonymize {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        if let Some(job) = seam::job(&self.job, &self.seam_settings()?)? {
            return seam::run(&job, &self.job, &self.flags(), shared);
        }
        let mut job = Job::read(&self.job, &self.settings()).map_err(Failure::bad_input)?;
        #[cfg(feature = "engine")]
        {
            job.engine.threads = job.engine.threads.or(shared.threads);
        }
        // Paths on the command line are relative to where it was typed, those in the file to the file.
        let here = std::env::current_dir().map_err(Failure::resources)?;
        if let Some(input) = &self.input {
            job.input.path = here.join(input);
        }
        let to_standard_output = self.output.as_deref() == Some(Path::new("-"));
        if let Some(output) = self.output.as_ref().filter(|_| !to_standard_output) {
            job.output.folder = here.join(output);
        }
        if let Some(home) = &self.home {
            job.output.home = Some(here.join(home));
        }
        job.output.replace |= self.force;
        if let (Some(purpose), Some(trust), None) = (&self.purpose, &self.trust, &self.output)
            && let Some(file) = &job.purpose.file
        {
            // Each requester gets a release of its own.
            let purposes = Purposes::read(&base_of(&self.job).join(file)).map_err(Failure::bad_input)?;
            let who = purposes.who(purpose, trust).map_err(Failure::bad_input)?;
            job.output.folder.as_mut_os_string().push(format!("-{who}"));
        }
        spare_job(&self.job, &base_of(&self.job).join(&job.output.folder)).map_err(Failure::bad_input)?;
        let summary = run_showing(&job, &self.job, &self.flags(), self.show_values, shared)?;
        if !shared.quiet {
            summary.written.iter().for_each(|note| warn(note));
        }
        if to_standard_output {
            print_table(&summary)?;
            if !shared.quiet && !shared.json {
                tell(&describe(&summary));
            }
        } else if shared.json {
            match &summary.counts {
                Some(counts) => print_json(counts)?,
                None => print_json(&summary)?,
            }
        } else if !shared.quiet {
            print(&describe(&summary))?;
        }
        Ok(DONE)
    }
}

impl Anonymize {
    /// What the flags set, for a job that names its kind. Paths of the command line are relative to where it was typed.
    fn seam_settings(&self) -> Result<Vec<String>, Failure> {
        let here = std::env::current_dir().map_err(Failure::resources)?;
        let mut settings = self.set.clone();
        let paths =
            [("input.path", &self.input), ("output.folder", &self.output), ("output.home", &self.home)];
        for (key, path) in paths {
            if let Some(path) = path {
                let path = here.join(path);
                let text = path.to_str().ok_or_else(|| {
                    Failure::bad_input(format!("{}: the path is not UTF-8", path.display()))
                })?;
                settings.push(format!("{key} = {}", serde_json::Value::from(text)));
            }
        }
        if self.force {
            settings.push("output.replace = true".to_owned());
        }
        Ok(settings)
    }

    /// What the flags set, in the words of the job file.
    fn settings(&self) -> Vec<String> {
        let mut settings = self.set.clone();
        #[cfg(feature = "engine")]
        settings.extend(self.engine.settings());
        if let (Some(purpose), Some(trust)) = (&self.purpose, &self.trust) {
            let text = |text: &str| serde_json::Value::from(text).to_string();
            let trust = trust.parse::<f64>().map_or_else(|_| text(trust), |number| format!("{number:?}"));
            settings.push("search.algorithm = \"decomposition\"".to_owned());
            settings.push(format!("purpose.name = {}", text(purpose)));
            settings.push(format!("purpose.trust = {trust}"));
        }
        settings
    }

    /// The flags that decide what is published, for the report. Where files lie at home is nobody's business, and seeds
    /// are secret.
    fn flags(&self) -> String {
        let mut flags = String::new();
        for (flag, value) in [("--purpose", &self.purpose), ("--trust", &self.trust)] {
            if let Some(value) = value {
                flags.push_str(&format!(" {flag} {}", quoted(value)));
            }
        }
        flags.push_str(&reproducing_flags(&self.set));
        flags
    }
}

/// Writes the published table of a finished release to standard output.
fn print_table(summary: &Summary) -> Result<(), Failure> {
    let folder = &summary.release;
    let unread = |error: std::io::Error| Failure::io(folder, "cannot be read", &error);
    let mut tables = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        if Format::of(&path).is_some() {
            tables.push(path);
        }
    }
    let [table] = tables.as_slice() else {
        let problem = "the release has several tables, and standard output takes one; it is in its folder";
        return Err(Failure::bad_input(format!("{}: {problem}", folder.display())));
    };
    copy_to_standard_output(table)
}

/// Runs a job with progress on the terminal. `flags` are those that made it another job than its file says.
pub fn run(job: &Job, job_file: &Path, flags: &str, shared: &Shared) -> Result<Summary, Failure> {
    run_showing(job, job_file, flags, false, shared)
}

/// As [`run`]; `show_values` lets errors tell values to the owner.
fn run_showing(
    job: &Job,
    job_file: &Path,
    flags: &str,
    show_values: bool,
    shared: &Shared,
) -> Result<Summary, Failure> {
    let name = job_file.file_name().unwrap_or_default().to_string_lossy();
    run_job(job, base_of(job_file), format!("privet anonymize {name}{flags}"), show_values, shared)
}

/// Runs a job whose paths are relative to `base`; `reproduce` is the command that makes the release again.
pub fn run_job(
    job: &Job,
    base: PathBuf,
    reproduce: String,
    show_values: bool,
    shared: &Shared,
) -> Result<Summary, Failure> {
    let options = RunOptions { base, reproduce: vec![reproduce], show_values };
    shared.accept(&job.input);
    memory::give_back_with(&options.base.join(&job.input.path));
    let bar = Bar::new(shared.quiet || shared.json);
    #[cfg(feature = "engine")]
    let result = privet_engine::anonymize(job, &options, &bar);
    #[cfg(not(feature = "engine"))]
    let result = privet_job::run(job, &options, &bar);
    bar.clear();
    let mut summary = result?;
    summary.release = tidy(&summary.release);
    if let Some(counts) = &mut summary.counts {
        counts.release.clone_from(&summary.release);
    }
    Ok(summary)
}

/// `./release` as `release`.
pub fn tidy(path: &Path) -> PathBuf {
    path.strip_prefix(".").map_or_else(|_| path.to_owned(), PathBuf::from)
}

/// What was done, for a person.
pub fn describe(summary: &Summary) -> String {
    if let Some(counts) = &summary.counts {
        return counts::describe(counts);
    }
    format!(
        "Published {} of {} records{groups} ({} suppressed).\n\
         {measured}{}\n\
         {attacked}\
         {:.2} s: read {:.2}, search {:.2}, write {:.2}.\n\n\
         Release  {release}\n\
         Report   {}\n\
         {home}\
         Check it with: privet verify {release}",
        grouped(summary.rows - summary.suppressed),
        grouped(summary.rows),
        grouped(summary.suppressed),
        chosen(summary),
        summary.seconds.total,
        summary.seconds.read,
        summary.seconds.search,
        summary.seconds.write,
        summary.release.join("report.html").display(),
        groups = match (summary.classes, summary.is_bucketized) {
            (0, _) => String::new(),
            (1, true) => format!(" in 1 bucket of {}", grouped(summary.min_class_size)),
            (1, false) => format!(" in 1 class of {}", grouped(summary.min_class_size)),
            (many, is_bucketized) => format!(
                " in {} {} of at least {}",
                grouped(many),
                if is_bucketized { "buckets" } else { "classes" },
                grouped(summary.min_class_size)
            ),
        },
        measured = match summary.metrics.get(&summary.metric) {
            Some(&value) => format!("{} {}", capitalized(&summary.metric), figure(value)),
            None => format!("Without {}, which is not defined here", summary.metric),
        },
        attacked = assessment::in_short(&summary.attacks, &summary.not_tried),
        home = summary.home.as_ref().map_or(String::new(), |home| {
            format!("For you  {} (never publish it)\n", tidy(home).join("report.html").display())
        }),
        release = summary.release.display(),
    )
}

/// Why a search looked at more candidates than the lattice has, where it did.
fn beyond(checked: u64, nodes: Option<u64>) -> &'static str {
    match nodes.is_some_and(|nodes| checked > nodes) {
        true => ", those of fewer columns and second looks included",
        false => "",
    }
}

/// How good the choice is known to be, and which levels it took.
fn chosen(summary: &Summary) -> String {
    let value = summary.metrics.get(&summary.metric).copied().unwrap_or_default();
    let mut text = match (summary.bound, summary.lattice_nodes) {
        (Some(bound), Some(nodes)) if value - bound <= 1e-9 * value.abs().max(1.0) => {
            format!(
                ", the least of {} candidates ({} looked at{})",
                grouped(nodes),
                grouped(summary.nodes_checked),
                beyond(summary.nodes_checked, Some(nodes))
            )
        }
        (bound, nodes) => {
            let of = nodes.map_or_else(String::new, |nodes| format!(" of {}", grouped(nodes)));
            let looked = match summary.nodes_checked {
                0 => String::new(),
                checked => match beyond(checked, nodes) {
                    "" => format!(" after looking at {}{of} candidates", grouped(checked)),
                    more => format!(" after looking at {} candidates{more}{of}", grouped(checked)),
                },
            };
            let known = match bound {
                Some(bound) if value - bound <= 1e-9 * value.abs().max(1.0) => {
                    "; nothing is better".to_owned()
                }
                Some(bound) => format!("; none can be below {}", figure(bound)),
                None => String::new(),
            };
            looked + &known
        }
    };
    let level = |(name, level): (&String, &serde_json::Value)| match level.as_u64() {
        Some(level) => format!("{name} {level}"),
        None => format!("{name} several"),
    };
    let levels: Vec<String> = summary.levels.iter().map(level).collect();
    text.push_str(&format!(". Levels: {}.", levels.join(", ")));
    if let Some(told) = &summary.microaggregation {
        text.push_str(&format!("\nGroups by {} ({})", told.key_columns.join(", "), told.method));
        text.push_str(&match summary.metrics.get("sse-sst") {
            Some(&ratio) => format!(
                "; SSE/SST {}: the share of the spread of numbers that lies within groups.",
                figure(ratio)
            ),
            None => ".".to_owned(),
        });
    }
    if let Some(told) = &summary.anatomy {
        text.push_str(&match (told.l, &told.buckets_from) {
            (Some(l), _) if l > 1 => {
                format!("\nNo value of the first sensitive column is in more than 1/{l} of a bucket.")
            }
            (None, Some(column)) => format!(
                "\nBuckets are those of {column}, which is not published: {} were given, {} are left.",
                grouped(told.given_buckets.unwrap_or(0)),
                grouped(summary.classes)
            ),
            _ => String::new(),
        });
    }
    text
}

/// A number, without digits behind the point where it is a count.
fn figure(value: f64) -> String {
    if value.fract() == 0.0 && (2.0..1e15).contains(&value) {
        grouped(value as u64)
    } else {
        format!("{value:.4}")
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
