//! PostgreSQL: ten million records read while somebody writes to their table, and a release written to a table; beside `pg_dump` into
//! another database. `PRIVET_POSTGRES_MILLIONS=1` measures another size. The server is made for it, on loopback.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::engine::measured_within;
use super::grid::Grid;
use super::{Bench, Outcome};
use crate::postgres::Database;
use crate::workspace::{self, Scratch};

const NAME: &str = "PRIVET_POSTGRES_MILLIONS";
const POOL: &str = "1GiB";
/// Records in a second that are read and written at least.
const READ: f64 = 300_000.0;
const WRITTEN: f64 = 200_000.0;
/// A writer that is not kept waiting commits within so many seconds.
const LONGEST_COMMIT: f64 = 2.0;

pub fn run(_bench: &Bench<'_>) -> Result<Outcome> {
    let millions: u64 = match std::env::var(NAME) {
        Ok(own) => own.trim().parse().with_context(|| format!("{NAME} takes a number"))?,
        Err(_) => 10,
    };
    let database = Database::find();
    let url = match &database {
        Database::Made(server) => server.url().to_owned(),
        Database::Named => std::env::var(crate::postgres::NAME)?,
        Database::Missing(why) => bail!("PostgreSQL: {why}"),
    };
    let example = workspace::example_without("privet-engine", "bench_engine")?;
    let scratch = Scratch::new()?;
    let run = |words: &[&str]| measured_within(None, &example, scratch.path(), words);
    let records = millions * 1_000_000;
    run(&["pg-make", &url, &records.to_string()])?;
    let dumped = dump_and_load(&url)?;
    let read = run(&["pg-read", &url, POOL])?;
    let job = run(&["pg-job", &url, "release", POOL])?;
    let figure = |from: &Value, key: &str| from[key].as_f64().with_context(|| format!("no {key}"));
    let rate = |from: &Value, count: &str, seconds: &str| {
        Ok::<_, anyhow::Error>(figure(from, count)? / figure(from, seconds)?)
    };
    let (reading, writing) = (rate(&read, "records", "read")?, rate(&job, "written", "write")?);
    let (commits, longest) = (figure(&read, "commits")?, figure(&read, "longest-commit")?);
    let right = figure(&read, "records")? == records as f64 && commits > 0.0 && longest <= LONGEST_COMMIT;
    let mut grid = Grid::new(&["", "records/s", "s", ""]);
    let verdict = |is_met: bool| if is_met { "PASS" } else { "short of target" }.to_owned();
    grid.row(vec![
        "pg_dump | psql".to_owned(),
        format!("{:.0}", records as f64 / dumped),
        format!("{dumped:.1}"),
        String::new(),
    ]);
    grid.row(vec![
        "read".to_owned(),
        format!("{reading:.0}"),
        format!("{:.1}", figure(&read, "read")?),
        verdict(reading >= READ),
    ]);
    grid.row(vec![
        "written".to_owned(),
        format!("{writing:.0}"),
        format!("{:.1}", figure(&job, "write")?),
        verdict(writing >= WRITTEN),
    ]);
    grid.row(vec![format!(
        "{commits:.0} commits of a writer while it was read, the longest in {longest:.3} s"
    )]);
    let rows = vec![json!({"millions": millions, "dumped": dumped, "read": read, "job": job})];
    Ok(Outcome { grid, rows, right })
}

/// Seconds of the table dumped and loaded into another database.
fn dump_and_load(url: &str) -> Result<f64> {
    let (server, _) = url.rsplit_once('/').context("the address names no database")?;
    let copy = "privet_bench_copy";
    let sql = |command: &str| -> Result<()> {
        let ran = Command::new("psql").args([url, "-q", "-c", command]).status().context("psql")?;
        if ran.success() { Ok(()) } else { bail!("psql: {ran}") }
    };
    sql(&format!("DROP DATABASE IF EXISTS {copy}"))?;
    sql(&format!("CREATE DATABASE {copy}"))?;
    let start = Instant::now();
    let mut dump = Command::new("pg_dump")
        .args(["--no-owner", "--table=bench", url])
        .stdout(Stdio::piped())
        .spawn()
        .context("pg_dump")?;
    let text = dump.stdout.take().context("pg_dump writes nothing")?;
    let loaded = Command::new("psql")
        .args([&format!("{server}/{copy}"), "-q"])
        .stdin(text)
        .stdout(Stdio::null())
        .status()
        .context("psql")?;
    if !dump.wait()?.success() || !loaded.success() {
        bail!("the table could not be dumped and loaded");
    }
    let seconds = start.elapsed().as_secs_f64();
    sql(&format!("DROP DATABASE {copy}"))?;
    Ok(seconds)
}
