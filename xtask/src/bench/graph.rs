//! Networks: the example of the crate on generated networks, k-degree anonymity of real ones beside a public implementation, and how well
//! the plausibility attack tells added edges of real networks from real ones.
//!
//! The peer is `kdegree.py` of github.com/blextar/graph-k-degree-anonymity, which uses NetworkX. It is measured in the same run where
//! `PRIVET_PEER_K_DEGREE` names its folder and the interpreter that `PRIVET_PYTHON` names (or `python3`) has NetworkX and NumPy. It may both add and
//! delete edges, as its own test does, and so may we; the edges kept are counted by one formula. It is stopped after ten minutes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::grid::Grid;
use super::{Bench, Outcome};
use crate::workspace;

const K: &str = "10";
const PARTS: [&str; 3] = ["k-degree", "candidates", "propagate"];
const FILES: [&str; 2] = ["graph-lastfm-asia/edges.csv", "graph-facebook-pages/edges.csv"];
const MOST_MEGABYTES: f64 = 8.0 * 1_073.741_824;
/// How long the peer is waited for.
const PATIENCE: Duration = Duration::from_secs(600);

/// The same by the peer: seconds, the least number of nodes of a degree, edges kept and added.
const PEER: &str = "
import collections, contextlib, csv, io, json, random, sys, time
sys.path.insert(0, sys.argv[1])
sys.setrecursionlimit(100000)
import networkx as nx
import kdegree
with open(sys.argv[2]) as file:
    rows = list(csv.reader(file))[1:]
nodes = {name: number for number, name in enumerate(sorted({name for row in rows for name in row}))}
graph = nx.Graph()
graph.add_nodes_from(range(len(nodes)))
graph.add_edges_from((nodes[a], nodes[b]) for a, b in rows if a != b)
random.seed(1)
start = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()):
    made = kdegree.graph_anonymiser(graph, k=int(sys.argv[3]), noise=10, with_deletions=True)
seconds = time.perf_counter() - start
kept = sum(made.has_edge(a, b) for a, b in graph.edges())
least = min(collections.Counter(degree for _, degree in made.degree()).values())
print(json.dumps({'seconds': seconds, 'least': least, 'kept': kept, 'added': made.number_of_edges() - kept}))
";

pub fn run(_: &Bench<'_>) -> Result<Outcome> {
    let example = workspace::example("privet-graph", "bench_graph")?;
    let mut grid =
        Grid::new(&["what", "nodes", "edges", "s", "at most", "x one walk", "peak MB", "result", ""]);
    let mut rows = Vec::new();
    for part in PARTS {
        for row in measured(&example, &[part])? {
            grid.row(line(part, &row));
            rows.push(row);
        }
    }
    match workspace::shared() {
        None => grid.row(vec!["-- the folder ../shared with real networks is not there".to_owned()]),
        Some(shared) => {
            for file in FILES {
                let path = shared.join("data").join(file);
                let own = measured(&example, &["file", &path.to_string_lossy(), K])?;
                own.iter().for_each(|row| grid.row(line(file, row)));
                // The same liberties as the peer has: adding and deleting.
                let same = own.last().context("bench_graph measured nothing")?.clone();
                rows.extend(own);
                let (told, row) = peer(&path, &same)?;
                grid.row(told);
                rows.extend(row);
                let told_apart = measured(&example, &["plausibility", &path.to_string_lossy(), K])?;
                told_apart.iter().for_each(|row| grid.row(line(file, row)));
                rows.extend(told_apart);
            }
        }
    }
    let right = rows.iter().all(|row| row["right"] != false);
    Ok(Outcome { grid, rows, right })
}

fn measured(example: &Path, words: &[&str]) -> Result<Vec<Value>> {
    let ran = Command::new(example).args(words).stderr(Stdio::inherit()).output()?;
    ensure!(ran.status.success(), "bench_graph {}: {}", words.join(" "), ran.status);
    let text = String::from_utf8_lossy(&ran.stdout);
    Ok(text.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?)
}

fn line(part: &str, row: &Value) -> Vec<String> {
    let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
    let (seconds, most, peak) = (number("seconds"), number("limit"), number("peak"));
    let verdict = match (row["right"] == true, seconds <= most && peak <= MOST_MEGABYTES) {
        (false, _) => "WRONG",
        (true, true) => "PASS",
        (true, false) => "SHORT",
    };
    vec![
        format!("{part}: {}", row["what"].as_str().unwrap_or_default()),
        row["nodes"].to_string(),
        row["edges"].to_string(),
        format!("{seconds:.2}"),
        format!("{most:.0}"),
        format!("{:.1}", seconds / number("floor")),
        format!("{peak:.0}"),
        said(&row["said"]),
        verdict.to_owned(),
    ]
}

/// What a measurement came to, in words.
fn said(of: &Value) -> String {
    let word = |(key, value): (&String, &Value)| match value.as_f64() {
        Some(number) if number.fract() != 0.0 => format!("{key} {number:.3}"),
        _ => format!("{key} {value}"),
    };
    of.as_object().map_or(String::new(), |own| own.iter().map(word).collect::<Vec<_>>().join(", "))
}

/// The peer on the same file: a line, and its figures where it is there.
fn peer(path: &Path, own: &Value) -> Result<(Vec<String>, Option<Value>)> {
    let Some(folder) = std::env::var_os("PRIVET_PEER_K_DEGREE") else {
        return Ok((vec!["-- the peer is not here: PRIVET_PEER_K_DEGREE names its folder".to_owned()], None));
    };
    let python = std::env::var_os("PRIVET_PYTHON").unwrap_or_else(|| "python3".into());
    let mut child = Command::new(python)
        .args(["-c", PEER])
        .arg(folder)
        .arg(path)
        .arg(K)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let start = Instant::now();
    let name = "  the peer, adding and deleting".to_owned();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            let ratio = PATIENCE.as_secs_f64() / own["seconds"].as_f64().unwrap_or(f64::NAN);
            let told = format!("not done; more than {ratio:.0} times ours");
            let row = json!({ "peer": "kdegree.py", "seconds-more-than": PATIENCE.as_secs(), "ratio-more-than": ratio });
            return Ok((
                vec![name, String::new(), String::new(), format!("> {}", PATIENCE.as_secs()), told],
                Some(row),
            ));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let ran = child.wait_with_output()?;
    if !ran.status.success() {
        let last = String::from_utf8_lossy(&ran.stderr).lines().last().unwrap_or_default().to_owned();
        return Ok((vec![format!("-- the peer failed: {last}")], None));
    }
    let found: Value = serde_json::from_slice(&ran.stdout)?;
    let seconds = found["seconds"].as_f64().context("the peer tells no seconds")?;
    let ratio = seconds / own["seconds"].as_f64().unwrap_or(f64::NAN);
    let more = own["said"]["kept"].as_f64().unwrap_or(0.0) / found["kept"].as_f64().unwrap_or(1.0);
    let row = vec![
        name,
        String::new(),
        String::new(),
        format!("{seconds:.2}"),
        String::new(),
        String::new(),
        String::new(),
        format!("least class {}, kept {}, added {}", found["least"], found["kept"], found["added"]),
        format!("{ratio:.0} times ours, which keeps {more:.3} times its edges"),
    ];
    Ok((row, Some(json!({ "peer": "kdegree.py", "found": found, "ratio": ratio, "kept-ratio": more }))))
}
