//! Private records and regressions on the NIST excerpts, beside MST of `dpmm` and the regressions of `diffprivlib` at the same epsilon.
//!
//! Records are scored by how far tables by three columns lie from those of the truth (half the sum of differences, on average over 200 sets; 0 is
//! the truth, and another year of the same survey is given for comparison). Regressions are fitted to one year and judged by the other. Peers
//! are measured in the same run where the interpreters that `PRIVET_PYTHON_RECORDS` and `PRIVET_PYTHON_MODELS` name (or `python3`) have them:
//! the two packages ask for different versions of others.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::grid::Grid;
use super::{Bench, Outcome};
use crate::workspace::{self, Scratch};

const EPSILONS: [&str; 3] = ["0.5", "1", "4"];
const DELTA: &str = "1e-6";
/// The columns of the records; ages are cut into tens.
const COLUMNS: [&str; 17] = [
    "PUMA",
    "SEX",
    "MSP",
    "HISP",
    "RAC1P",
    "NOC",
    "NPF",
    "HOUSING_TYPE",
    "OWN_RENT",
    "INDP_CAT",
    "EDU",
    "PINCP_DECILE",
    "DVET",
    "DREM",
    "DPHY",
    "DEYE",
    "DEAR",
];
/// What is explained, by what, and its bounds.
const BOUNDS: [(&str, &str); 4] =
    [("PINCP", "-10000..150000"), ("EDU", "1..13"), ("AGEP", "0..100"), ("NPF", "1..10")];
const AT_LEAST: &str = "40000";
/// Fits of which the median is told, as of the peer.
const FITS: usize = 15;

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    let mut grid = Grid::new(&["what", "epsilon", "seconds", "result", ""]);
    let mut rows = Vec::new();
    let data = workspace::shared().map(|own| own.join("data/nist-acs-excerpts")).filter(|own| own.is_dir());
    let Some(data) = data else {
        grid.row(vec!["-- the shared data is not here".to_owned()]);
        return Ok(Outcome { grid, rows, right: true });
    };
    let scratch = Scratch::new()?;
    let folder = scratch.path();
    std::fs::write(folder.join("peers.py"), include_str!("private/peers.py"))?;
    let keys = narrow(&data.join("ma2019.csv"), &folder.join("records.csv"))?;
    narrow(&data.join("ma2018.csv"), &folder.join("control.csv"))?;
    for year in ["ma2018.csv", "ma2019.csv"] {
        std::fs::copy(data.join(year), folder.join(year))?;
    }
    for table in ["records.csv", "ma2019.csv"] {
        privet(
            bench,
            folder,
            &[
                "ledger",
                "open",
                table,
                "--epsilon",
                "1000",
                "--delta",
                "0.001",
                "--unsigned",
                "--new-population",
            ],
        )?;
    }
    let mut right = records(folder, bench, &keys, &mut grid, &mut rows)?;
    right &= models(folder, bench, &mut grid, &mut rows)?;
    Ok(Outcome { grid, rows, right })
}

/// Writes the columns of the comparison, and tells the keys of each: those that the dictionary of the survey lists occur.
fn narrow(from: &Path, to: &Path) -> Result<Vec<(String, String)>> {
    let text = std::fs::read_to_string(from).with_context(|| from.display().to_string())?;
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let head = lines.next().context("an empty table")?;
    let place = |name: &str| head.iter().position(|own| *own == name).with_context(|| format!("no {name}"));
    let places = COLUMNS.iter().map(|name| place(name)).collect::<Result<Vec<usize>>>()?;
    let age = place("AGEP")?;
    let mut keys = vec![BTreeSet::new(); COLUMNS.len() + 1];
    let mut csv = format!("{},AGE\n", COLUMNS.join(","));
    for line in lines {
        let cell = |place: usize| line.get(place).copied().unwrap_or_default().to_owned();
        let years: u32 = cell(age).parse().context("an age that is no number")?;
        let mut record: Vec<String> = places.iter().map(|&place| cell(place)).collect();
        record.push((years / 10 * 10).to_string());
        csv.push_str(&format!("{}\n", record.join(",")));
        keys.iter_mut().zip(record).for_each(|(keys, own)| {
            keys.insert(own);
        });
    }
    std::fs::write(to, csv)?;
    let names = COLUMNS.iter().copied().chain(["AGE"]);
    let listed = |keys: BTreeSet<String>| keys.into_iter().collect::<Vec<String>>().join(",");
    Ok(names.zip(keys).map(|(name, keys)| (name.to_owned(), listed(keys))).collect())
}

fn records(
    folder: &Path,
    bench: &Bench<'_>,
    keys: &[(String, String)],
    grid: &mut Grid,
    rows: &mut Vec<Value>,
) -> Result<bool> {
    grid.row(vec!["-- records by tables of one and two columns, 18 columns of 7,634 people: distance of tables by three".to_owned()]);
    let names: Vec<&str> = keys.iter().map(|own| own.0.as_str()).collect();
    let question = format!("select {0}, count(*) from data group by {0}", names.join(", "));
    let mut right = true;
    for epsilon in EPSILONS {
        println!("… records at epsilon {epsilon}");
        let file = format!("privet-{epsilon}.csv");
        let mut words = vec![
            "query",
            "records.csv",
            &question,
            "--mechanism",
            "marginals",
            "--synthetic",
            "7634",
            "--epsilon",
            epsilon,
            "--delta",
            DELTA,
            "--output",
            &file,
            "--quiet",
            "--unsigned",
        ];
        let declared: Vec<String> = keys.iter().map(|(name, keys)| format!("{name}={keys}")).collect();
        declared.iter().for_each(|own| words.extend(["--keys", own]));
        let begin = Instant::now();
        privet(bench, folder, &words)?;
        let seconds = begin.elapsed().as_secs_f64();
        let own = score(folder, &file)?;
        let peer =
            python("PRIVET_PYTHON_RECORDS", folder, &["records", "records.csv", epsilon, DELTA, "peer.csv"])?;
        let cell = |value: &Value, key: &str| {
            value[key].as_f64().map_or_else(String::new, |own| format!("{own:.4}"))
        };
        grid.row(vec!["privet".to_owned(), epsilon.to_owned(), format!("{seconds:.1}"), cell(&own, "drawn")]);
        let found = match peer["seconds"].as_f64() {
            Some(took) => {
                let found = score(folder, "peer.csv")?;
                let (ours, theirs) = (own["drawn"].as_f64(), found["drawn"].as_f64());
                let verdict = if ours <= theirs { "privet is nearer" } else { "dpmm is nearer" };
                grid.row(vec![
                    "dpmm, MST".to_owned(),
                    epsilon.to_owned(),
                    format!("{took:.1}"),
                    cell(&found, "drawn"),
                    verdict.to_owned(),
                ]);
                found
            }
            None => {
                grid.row(vec![format!("dpmm: no module {}", peer["missing"])]);
                Value::Null
            }
        };
        // Records that are as far as other people altogether would be no records of these.
        right &= own["drawn"].as_f64().is_none_or(|own| own < 0.5);
        if epsilon == "1" {
            grid.row(vec!["the year before".to_owned(), String::new(), String::new(), cell(&own, "control")]);
            grid.row(vec!["half of the people".to_owned(), String::new(), String::new(), cell(&own, "half")]);
        }
        rows.push(json!({ "epsilon": epsilon, "seconds": seconds, "privet": own, "peer": peer, "peer-score": found }));
    }
    Ok(right)
}

fn models(folder: &Path, bench: &Bench<'_>, grid: &mut Grid, rows: &mut Vec<Value>) -> Result<bool> {
    grid.row(vec![format!("-- income by education, age and family: error of a line, and share of incomes from {AT_LEAST} on told right")]);
    let bounds: Vec<String> = BOUNDS.iter().map(|(name, ends)| format!("{name}={ends}")).collect();
    let [(target, ends), features @ ..] = BOUNDS;
    let explaining: Vec<&str> = features.iter().map(|own| own.0).collect();
    let explaining = explaining.join(", ");
    for epsilon in EPSILONS {
        println!("… regressions at epsilon {epsilon}");
        let mut words = vec!["models", "ma2019.csv", "ma2018.csv", target, AT_LEAST, epsilon];
        words.extend(bounds.iter().map(String::as_str));
        let peer = python("PRIVET_PYTHON_MODELS", folder, &words)?;
        for (kind, question) in [
            ("line", format!("select linear_regression({target}, {explaining}) from data")),
            ("odds", format!("select logistic_regression({target} >= {AT_LEAST}, {explaining}) from data")),
        ] {
            let mut found = Vec::new();
            let begin = Instant::now();
            for _ in 0..FITS {
                let mut words =
                    vec!["query", "ma2019.csv", &question, "--epsilon", epsilon, "--json", "--unsigned"];
                let own = if kind == "line" { &bounds[..] } else { &bounds[1..] };
                own.iter().for_each(|bound| words.extend(["--bound", bound]));
                let told: Value = serde_json::from_slice(&privet(bench, folder, &words)?)?;
                let numbers = told["lines"][0]["numbers"].as_array().context("no coefficients")?;
                let numbers: Vec<f64> = numbers.iter().filter_map(|own| own["value"].as_f64()).collect();
                let (constant, slopes) = numbers.split_first().context("no coefficients")?;
                let slopes = features.iter().zip(slopes).map(|((name, _), slope)| format!("{name}={slope}"));
                let slopes: Vec<String> = slopes.collect();
                let constant = constant.to_string();
                let mut words = vec!["judge", "ma2018.csv", target, AT_LEAST, kind, ends, &constant];
                words.extend(slopes.iter().map(String::as_str));
                found.extend(python("PRIVET_PYTHON_MODELS", folder, &words)?[kind].as_f64());
            }
            let seconds = begin.elapsed().as_secs_f64() / FITS as f64;
            found.sort_by(f64::total_cmp);
            let ours = found.get(found.len() / 2).copied();
            let shown = |value: Option<f64>| match value {
                Some(value) if kind == "line" => format!("{value:.0}"),
                Some(value) => format!("{value:.4}"),
                None => "–".to_owned(),
            };
            let theirs = peer[kind].as_f64();
            grid.row(vec![
                format!("privet, {kind}"),
                epsilon.to_owned(),
                format!("{seconds:.2}"),
                shown(ours),
                format!(
                    "diffprivlib {}, without privacy {}",
                    shown(theirs),
                    shown(peer[&format!("{kind}-plain")].as_f64())
                ),
            ]);
            rows.push(json!({ "epsilon": epsilon, "model": kind, "privet": ours, "peer": peer }));
        }
    }
    Ok(true)
}

fn score(folder: &Path, file: &str) -> Result<Value> {
    python("PRIVET_PYTHON_RECORDS", folder, &["score", "records.csv", "control.csv", file])
}

fn privet(bench: &Bench<'_>, folder: &Path, words: &[&str]) -> Result<Vec<u8>> {
    printed(Command::new(bench.program).args(words).current_dir(folder))
}

/// What the script tells; that a module is missing where there is no such interpreter.
fn python(variable: &str, folder: &Path, words: &[&str]) -> Result<Value> {
    let program = std::env::var(variable).unwrap_or_else(|_| "python3".to_owned());
    if Command::new(&program).arg("--version").output().is_err() {
        return Ok(json!({ "missing": program }));
    }
    let told = printed(Command::new(program).arg("peers.py").args(words).current_dir(folder))?;
    let last = told
        .split(|byte| *byte == b'\n')
        .rfind(|line| line.starts_with(b"{"))
        .context("no JSON was printed")?;
    Ok(serde_json::from_slice(last)?)
}

fn printed(command: &mut Command) -> Result<Vec<u8>> {
    let ran = command.output()?;
    match ran.status.success() {
        true => Ok(ran.stdout),
        false => bail!("{}", String::from_utf8_lossy(&ran.stderr).trim()),
    }
}
