//! Models, rule hiding and audited questions against the time that each may take, and frequent itemsets beside a public miner.
//!
//! The peer is PyFIM (Borgelt's Eclat and FP-growth in C), measured in the same run when the interpreter that `PRIVET_PYTHON` names (or
//! `python3`) has it. It is timed when it lists all itemsets, as we do, and when it only counts them, which takes it less; both must find the
//! same number of itemsets with the same supports.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::grid::Grid;
use super::{Bench, Outcome};
use crate::workspace;

/// How many times longer than the fastest peer.
const MOST_TIMES: f64 = 3.0;

/// Per algorithm of the peer the seconds that it takes to list all itemsets and to count them, their number, and their supports summed. It
/// leaves out sets of items that every basket holds; these are added.
const PEER: &str = "
import json, sys, time
import fim
rows = [[int(item) for item in line.split()] for line in open(sys.argv[1])]
shared = set(rows[0]).intersection(*map(set, rows))
found = []
for miner in (fim.eclat, fim.fpgrowth):
    best = {}
    for report in 'a#':
        for _ in range(int(sys.argv[3])):
            start = time.perf_counter()
            result = miner(rows, target='s', supp=-int(sys.argv[2]), zmin=1, report=report)
            took = time.perf_counter() - start
            best[report] = min(took, best.get(report, took))
    sets = int(sum(result.values()))
    supports = int(sum(count * key[1] for key, count in result.items()))
    if shared and all(key[1] < len(rows) for key in result):
        sets += 2 ** len(shared) - 1
        supports += (2 ** len(shared) - 1) * len(rows)
    found.append({'miner': miner.__name__, 'seconds': best['a'], 'counting': best['#'], 'itemsets': sets, 'supports': supports})
print(json.dumps(found))
";

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    let data = workspace::shared().context("the folder ../shared with the public data sets is not there")?;
    let data = data.join("data");
    let example = workspace::example("privet-mine", "bench_mine")?;
    let ran = Command::new(&example).arg(&data).stderr(std::process::Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&ran.stdout);
    let mut rows = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    let mut grid = Grid::new(&["what", "seconds", "may take", ""]);
    for row in &rows {
        let what = row["what"].as_str().unwrap_or_default().to_owned();
        let Some(seconds) = row["seconds"].as_f64() else {
            grid.row(vec![what, String::new(), String::new(), row["refused"].to_string()]);
            continue;
        };
        let limit = row["limit"].as_f64().context("no limit")?;
        let verdict = if seconds <= limit { "PASS" } else { "SHORT" };
        grid.row(vec![what, format!("{seconds:.4}"), format!("{limit}"), verdict.to_owned()]);
    }
    let mut right = ran.status.success();
    let mut peers = Vec::new();
    for own in rows.iter().filter(|own| own["found"]["itemsets"].is_number()) {
        match peer(&data, own, bench.runs)? {
            Some((row, is_same, peer)) => {
                right &= is_same;
                grid.row(row);
                peers.push(peer);
            }
            None => {
                grid.row(vec!["-- the peer is not here: pip install pyfim, and PRIVET_PYTHON".to_owned()]);
            }
        }
    }
    rows.extend(peers);
    Ok(Outcome { grid, rows, right: right && ran.status.success() })
}

/// The same itemsets by the peer: a row, whether they are the same, and its figures.
fn peer(data: &Path, own: &Value, runs: usize) -> Result<Option<(Vec<String>, bool, Value)>> {
    let python = std::env::var_os("PRIVET_PYTHON").unwrap_or_else(|| "python3".into());
    let file = own["found"]["file"].as_str().context("no file")?;
    let support = own["found"]["support"].to_string();
    let asked = Command::new(python)
        .args(["-c", PEER])
        .arg(data.join(file))
        .args([&support, &runs.to_string()])
        .output();
    let Ok(asked) = asked else { return Ok(None) };
    if !asked.status.success() {
        return Ok(None);
    }
    let found: Vec<Value> = serde_json::from_slice(&asked.stdout)?;
    let is_same = |peer: &Value| ["itemsets", "supports"].iter().all(|key| peer[key] == own["found"][key]);
    let all_same = found.iter().all(is_same);
    let seconds = |peer: &&Value| peer["seconds"].as_f64().unwrap_or(f64::INFINITY);
    let fastest = found.iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b))).context("no miner")?;
    let counting = found.iter().filter_map(|peer| peer["counting"].as_f64()).fold(f64::INFINITY, f64::min);
    let mine = own["seconds"].as_f64().context("no seconds")?;
    let (times, times_counting) = (mine / seconds(&fastest), mine / counting);
    let told = format!(
        "{times:.2} times the peer that lists them, {times_counting:.2} times the one that counts them"
    );
    let verdict = match (all_same, times <= MOST_TIMES) {
        (false, _) => "WRONG: other itemsets".to_owned(),
        (true, true) => format!("PASS: {told}"),
        (true, false) => format!("SHORT: {told}"),
    };
    let name = format!("  {} of the peer", fastest["miner"].as_str().unwrap_or_default());
    let row = vec![name, format!("{:.4}", seconds(&fastest)), String::new(), verdict];
    Ok(Some((
        row,
        all_same,
        json!({ "peer": found, "file": file, "times": times, "times-counting": times_counting }),
    )))
}
