//! Releases of kinds that name themselves in the job: the verbs of the library `privet`, on a terminal.

use std::path::Path;

use privet::{AssessError, Assessment, Fault, JobFile, KindError, Report};

use super::anonymize::tidy;
use super::{Shared, grouped, print, print_json};
use crate::exit::{BAD_INPUT, DONE, Failure, NO_BUDGET, REFUSED, RESOURCES, STOPPED};
use crate::progress::Bar;

impl From<KindError> for Failure {
    fn from(error: KindError) -> Self {
        let code = match error.fault() {
            Fault::Refused => REFUSED,
            Fault::Budget => NO_BUDGET,
            Fault::Resources => RESOURCES,
            Fault::Stopped => STOPPED,
            _ => BAD_INPUT,
        };
        Self { code, message: error.to_string() }
    }
}

impl From<AssessError> for Failure {
    fn from(error: AssessError) -> Self {
        match error {
            AssessError::Views(error) => error.into(),
            AssessError::Table(error) => error.into(),
        }
    }
}

/// The job, if it names a kind or a kind adopts it. What cannot be read is left to the reader of jobs about records, whose messages are about those.
pub fn job(path: &Path, settings: &[String]) -> Result<Option<JobFile>, Failure> {
    let Ok(plain) = JobFile::read(path, &[]) else { return Ok(None) };
    // Settings that cannot be read are told by the reader of the job that they are for.
    if plain.kind().is_none() && JobFile::read(path, settings).is_err() {
        return Ok(None);
    }
    Ok(Some(privet::read_job(path, settings)?).filter(|job| job.kind().is_some()))
}

/// Makes a release.
pub fn run(job: &JobFile, path: &Path, flags: &str, shared: &Shared) -> Result<u8, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let bar = Bar::new(shared.quiet || shared.json);
    let report = privet::run(job, &[format!("privet anonymize {name}{flags}")], &bar);
    bar.clear();
    tell(&report?, shared)
}

/// Tells what a run came to.
pub fn tell(report: &Report, shared: &Shared) -> Result<u8, Failure> {
    if shared.json {
        print_json(report)?;
    } else if !shared.quiet {
        print(&describe(report))?;
    }
    Ok(DONE)
}

/// What was done, for a person.
fn describe(report: &Report) -> String {
    let mut text = found(report);
    let release = tidy(&report.release);
    text.push_str(&format!(
        "\nRelease  {}\nReport   {}\n",
        release.display(),
        release.join("report.html").display()
    ));
    if let Some(home) = &report.home {
        let page = tidy(home).join("report.html");
        text.push_str(&format!("For you  {} (never publish it)\n", page.display()));
    }
    text.push_str(&format!("Check it with: privet verify {}", release.display()));
    text
}

/// What was done and what attacks found, without where it is.
pub fn found(report: &Report) -> String {
    let mut text = String::new();
    for (name, value) in &report.summary {
        text.push_str(&format!("{name}: {value}\n"));
    }
    for promise in &report.promises {
        text.push_str(&format!("Promised: {promise}\n"));
    }
    text.push('\n');
    text + &attacks(&report.assessment)
}

/// What attacks found, one line each.
pub fn attacks(assessment: &Assessment) -> String {
    let percent = |share: f64| match share.is_nan() {
        true => "not known".to_owned(),
        false => format!("{:.2} %", share * 100.0),
    };
    let mut text = String::new();
    for own in &assessment.findings {
        let title = match own.variant.as_str() {
            "" => own.attack.clone(),
            variant => format!("{} ({variant})", own.attack),
        };
        let sure = format!(
            "sure of {} of {} ({})",
            grouped(own.sure.hits),
            grouped(own.sure.of),
            percent(own.sure.rate())
        );
        text.push_str(&format!("{title:<36} {sure}"));
        if let Some(right) = own.right {
            text.push_str(&format!(", rightly {}", percent(right.rate())));
        }
        if let Some(control) = own.control {
            text.push_str(&format!(", control {}", percent(control.rate())));
        }
        text.push_str(if own.counts { "\n" } else { " (only informs)\n" });
        for note in &own.notes {
            text.push_str(&format!("{:<36} {}\n", "", note.text));
        }
    }
    for own in &assessment.not_made {
        text.push_str(&format!("Not made: {}. {}\n", own.id, own.reason.sentence()));
    }
    if let Some(worst) = assessment.worst() {
        text.push_str(&format!("The strongest attack: {}, {}\n", worst.attack, percent(worst.risk())));
    }
    text
}

/// What measures found, as a table.
pub fn measured(assessed: &Assessment) -> String {
    let value = |value: f64, is_share: bool| match is_share {
        true => format!("{:.2} %", value * 100.0),
        false => format!("{value:.4}"),
    };
    let mut text = format!("{:<52} {:>14} {:>14}\n", "", "original", "release");
    for own in &assessed.figures {
        let title = format!("{}: {}", own.measure, own.name);
        let before = own.before.map_or_else(String::new, |before| value(before, own.is_share));
        text.push_str(&format!("{title:<52} {before:>14} {:>14}\n", value(own.after, own.is_share)));
        for note in &own.notes {
            text.push_str(&format!("  {}\n", note.text));
        }
    }
    for own in &assessed.not_measured {
        text.push_str(&format!("Not measured: {}. {}\n", own.id, own.reason.sentence()));
    }
    text
}

/// Tells the story of a shape.
pub fn demo(shape: &str, folder: &Path, shared: &Shared) -> Result<u8, Failure> {
    let bar = Bar::new(shared.quiet || shared.json);
    let told = privet::demo(shape, folder, &bar);
    bar.clear();
    let (introduction, chapters) = told?;
    if shared.json {
        let chapters: Vec<_> = chapters
            .iter()
            .map(|own| match &own.outcome {
                Ok(report) => serde_json::json!({ "title": own.title, "job": own.job, "report": report }),
                Err(error) => {
                    serde_json::json!({ "title": own.title, "job": own.job, "refused": error.to_string() })
                }
            })
            .collect();
        print_json(&serde_json::json!({ "shape": shape, "chapters": chapters }))?;
        return Ok(DONE);
    }
    let mut text = format!("{introduction}\n");
    for own in &chapters {
        text.push_str(&format!("\n== {} ({})\n", own.title, own.job.display()));
        match &own.outcome {
            Ok(report) => text.push_str(&describe(report)),
            Err(error) => text.push_str(&format!("Refused by the gate: {error}")),
        }
        text.push('\n');
    }
    if !shared.quiet {
        print(&text)?;
    }
    Ok(DONE)
}
