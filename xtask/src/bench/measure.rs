//! Runs a job several times and takes the medians of what the program says of itself.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Bench;

/// Medians over the runs of one job.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Seconds to a coded table.
    pub read: f64,
    /// Seconds from there to the chosen candidate.
    pub search: f64,
    /// Seconds from there to a durable release.
    pub write: f64,
    /// Seconds in all, as the program counts.
    pub total: f64,
    /// Seconds from the start of the process to its end.
    pub process: f64,
    /// Seconds of a plain grouping of the same table by the same columns, when the program tells: the floor that no
    /// search can go below.
    pub floor: Option<f64>,
    /// The loss that was reached.
    pub loss: f64,
    /// The most memory that any run held.
    pub peak_rss_bytes: u64,
    /// The summary of the last run.
    pub summary: Value,
}

/// A job that takes so many seconds is not run again: what warming up would save is lost in it.
pub const LONG: f64 = 5.0;

/// Jobs of milliseconds are run more often than asked, up to so many times within so many seconds: their times vary
/// the most.
const QUICK: usize = 30;
const ENOUGH: f64 = 1.0;

/// Runs a job once to warm up, then as often as asked or more.
pub fn job(bench: &Bench<'_>, job: &Path) -> Result<Measured> {
    job_with(bench, job, &[])
}

/// Runs a job with some of its keys set.
pub fn job_with(bench: &Bench<'_>, job: &Path, settings: &[String]) -> Result<Measured> {
    let first = once(bench.program, job, settings)?;
    let runs: Vec<(f64, Value)> = match first.0 > LONG {
        true => vec![first],
        false => {
            let (mut runs, start) = (vec![first], Instant::now());
            let is_quick = |runs: usize| runs <= QUICK && start.elapsed().as_secs_f64() < ENOUGH;
            while runs.len() <= bench.runs || is_quick(runs.len()) {
                // Each run makes a release where there is none: removing an old one is no part of making a new one.
                discard(&runs)?;
                runs.push(once(bench.program, job, settings)?);
            }
            runs.split_off(1)
        }
    };
    let seconds = |part: &str| -> Result<f64> {
        let values = runs.iter().map(|(_, summary)| summary["seconds"][part].as_f64());
        median(
            values
                .collect::<Option<Vec<f64>>>()
                .with_context(|| format!("no seconds.{part} in the summary"))?,
        )
    };
    let floor = |(_, summary): &(f64, Value)| summary["seconds"]["group_by"].as_f64();
    let floors: Option<Vec<f64>> = runs.iter().map(floor).collect();
    let (_, last) = runs.last().context("no run")?;
    Ok(Measured {
        read: seconds("read")?,
        search: seconds("search")?,
        write: seconds("write")?,
        total: seconds("total")?,
        process: median(runs.iter().map(|(process, _)| *process).collect())?,
        floor: floors.map(median).transpose()?,
        loss: last["loss"].as_f64().context("no loss in the summary")?,
        peak_rss_bytes: runs.iter().filter_map(|(_, s)| s["peak_rss_bytes"].as_u64()).max().unwrap_or(0),
        summary: last.clone(),
    })
}

/// Removes the release of the last run.
fn discard(runs: &[(f64, Value)]) -> Result<()> {
    let release = runs.last().and_then(|(_, summary)| summary["release"].as_str()).map(Path::new);
    match release.filter(|release| release.join("manifest.json").is_file()) {
        Some(release) => {
            std::fs::remove_dir_all(release).context("the release of the run before cannot be removed")
        }
        None => Ok(()),
    }
}

/// Verifies the release of a run; gives its manifest.
pub fn verified(bench: &Bench<'_>, summary: &Value) -> Result<Value> {
    let release = Path::new(summary["release"].as_str().context("no release in the summary")?);
    let verified = Command::new(bench.program).args(["verify", "--quiet"]).arg(release).output()?;
    if !verified.status.success() {
        bail!("the release does not verify: {}", String::from_utf8_lossy(&verified.stdout).trim());
    }
    serde_json::from_slice(&std::fs::read(release.join("manifest.json"))?).context("the manifest is not JSON")
}

/// Runs a job: how long the process took, and its summary.
pub fn once(program: &Path, job: &Path, settings: &[String]) -> Result<(f64, Value)> {
    let start = Instant::now();
    let mut command = Command::new(program);
    command.arg("anonymize").arg(job).args(["--json", "--force"]);
    let ran = command.args(settings.iter().flat_map(|setting| ["--set", setting])).output()?;
    let process = start.elapsed().as_secs_f64();
    if !ran.status.success() {
        bail!("{}: {}", job.display(), String::from_utf8_lossy(&ran.stderr).trim());
    }
    Ok((process, serde_json::from_slice(&ran.stdout).context("the summary is not JSON")?))
}

/// The middle value; the mean of the two in the middle when their number is even.
fn median(mut values: Vec<f64>) -> Result<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.get(middle) {
        Some(&upper) if values.len() % 2 == 1 => Ok(upper),
        Some(&upper) => Ok((values[middle - 1] + upper) / 2.0),
        None => bail!("no run"),
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]).unwrap(), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]).unwrap(), 2.5);
        assert!(median(Vec::new()).is_err());
    }
}
