//! What regrouping should reach, measured: PASS or SHORT. Being short of a target is not wrong.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::super::measure;
use super::study::{self, Study};
use super::{LOCAL, MONDRIAN, Suite, Table};
use crate::workspace;

/// Mondrian on a million records of nine columns: seconds, and sorts of the same records.
const MONDRIAN_SECONDS: f64 = 2.0;
const MONDRIAN_SORTS: f64 = 4.0;
/// MDAV: records, columns, the size of groups, and how many times faster than its plain form.
const POINTS: (usize, usize, usize) = (100_000, 4, 5);
const MDAV_TIMES: f64 = 10.0;
/// Local recoding on `adult` by a peer: its loss and seconds, and what is asked of ours.
const PEER_LOSS: f64 = 0.17757;
const PEER_SECONDS: f64 = 8.7;
const LOCAL_LOSS: f64 = 2.0 / 3.0;
const LOCAL_TIMES: f64 = 20.0;
/// MDAV on the numbers of `adult` by a peer.
const PEER_MDAV: f64 = 2.68;

/// Measures them all; those on the shared data only where it is.
pub fn measure(suite: &Suite<'_>, people: &Study, table: &mut Table) -> Result<()> {
    println!("… targets");
    table.grid.row(vec!["-- targets".to_owned()]);
    mondrian(suite, people, table)?;
    mdav(suite, table)?;
    if let Some(shared) = workspace::shared() {
        local(table)?;
        let study = study::adult_numbers(&shared.join("data"), &suite.folder.join("numbers.csv"))?;
        let job = suite.folder.join("numbers.toml");
        std::fs::write(&job, study.job(&study.data, &suite.folder.join("release")))?;
        let settings = ["search.algorithm=\"microaggregation\"".to_owned()];
        let measured = measure::job_with(suite.bench, &job, &settings)?;
        measure::verified(suite.bench, &measured.summary)?;
        let times = PEER_MDAV / measured.search;
        target(
            table,
            "MDAV, adult-uci",
            times >= 1.0,
            format!(
                "{} records of 4 numbers, groups of 5: {:.3} s, peer {PEER_MDAV} s: {times:.1}x",
                study.rows, measured.search
            ),
            json!({ "seconds": measured.search, "peer": PEER_MDAV, "times": times, "summary": measured.summary }),
        );
    }
    Ok(())
}

fn mondrian(suite: &Suite<'_>, people: &Study, table: &mut Table) -> Result<()> {
    let row = table.rows.iter().find(|row| row["method"] == MONDRIAN && row["table"] == *people.title);
    let search = row.context("no row of mondrian")?["seconds"]["search"].as_f64().context("no seconds")?;
    let plan = json!({
        "task": "sort", "table": people.data, "columns": people.columns(&[]), "k": people.k,
        "runs": suite.bench.runs,
    });
    let found = suite.inside(&plan)?;
    let seconds = |part: &str| found[part].as_f64().with_context(|| format!("no seconds of {part}"));
    let (cutting, sort, parallel) = (seconds("mondrian")?, seconds("sort")?, seconds("parallel_sort")?);
    let sorts = cutting / sort;
    target(
        table,
        "mondrian, a million records",
        search < MONDRIAN_SECONDS && sorts <= MONDRIAN_SORTS,
        format!(
            "in the program {search:.3} s (target {MONDRIAN_SECONDS} s); inside one process {cutting:.3} s, one sort \
             {sort:.3} s: {sorts:.1} sorts (target {MONDRIAN_SORTS}); a parallel sort {parallel:.3} s; {} different \
             records",
            found["distinct"]
        ),
        json!({ "search": search, "inside": found, "sorts": sorts }),
    );
    Ok(())
}

fn mdav(suite: &Suite<'_>, table: &mut Table) -> Result<()> {
    let (rows, columns, k) = POINTS;
    let plan = json!({ "task": "mdav", "rows": rows, "columns": columns, "k": k, "runs": suite.bench.runs });
    let found = suite.inside(&plan)?;
    let (plain, fast) = (found["plain"].as_f64(), found["fast"].as_f64());
    let (plain, fast) = (plain.context("no plain seconds")?, fast.context("no fast seconds")?);
    let identical = found["identical"] == true;
    table.right &= identical;
    let times = plain / fast;
    let words = if identical { "identical groups" } else { "WRONG: other groups" };
    target(
        table,
        "MDAV, generated",
        identical && times >= MDAV_TIMES,
        format!(
            "{rows} records of {columns} numbers, groups of {k}: {fast:.3} s, plain {plain:.3} s: {times:.1}x (target \
             {MDAV_TIMES}x), {words}"
        ),
        json!({ "inside": found, "times": times }),
    );
    Ok(())
}

fn local(table: &mut Table) -> Result<()> {
    let row = table.rows.iter().find(|row| {
        let title = row["table"].as_str().unwrap_or_default();
        row["method"] == LOCAL && title.starts_with("adult") && title.contains(study::NINE)
    });
    let row = row.context("no row of local-recoding on adult")?;
    let (loss, seconds) = (row["loss"].as_f64(), row["seconds"]["search"].as_f64());
    let (loss, seconds) = (loss.context("no loss")?, seconds.context("no seconds")?);
    let (share, times) = (loss / PEER_LOSS, PEER_SECONDS / seconds);
    target(
        table,
        "local-recoding, adult",
        share <= LOCAL_LOSS && times >= LOCAL_TIMES,
        format!(
            "loss {loss:.5}, {share:.3} of the peer's {PEER_LOSS} (target {LOCAL_LOSS:.3}); {seconds:.3} s, peer \
             {PEER_SECONDS} s: {times:.1}x (target {LOCAL_TIMES}x)"
        ),
        json!({ "loss": loss, "of_peer": share, "seconds": seconds, "times": times }),
    );
    Ok(())
}

fn target(table: &mut Table, name: &str, reached: bool, words: String, figures: Value) {
    let verdict = if reached { "PASS" } else { "SHORT" };
    table.grid.row(vec![format!("{verdict:5} {name}: {words}")]);
    table.rows.push(json!({ "target": name, "verdict": verdict, "figures": figures }));
}
