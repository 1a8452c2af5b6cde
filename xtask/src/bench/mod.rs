//! `cargo xtask bench`: named suites that print a table and write it to `target/bench/<suite>.json`.
//!
//! Every suite runs the released program from outside and takes medians, after one run to warm up. Where another
//! program's figures are at hand, the table gives the ratio to them. What can only be measured inside a process is an
//! example of the crate it is about.

mod attacks;
mod cluster;
mod engine;
mod graph;
mod grid;
mod growth;
mod growth_shapes;
mod measure;
mod mine;
mod parties;
mod peers;
mod plot;
mod postgres;
mod private;
mod publish;
mod python;
mod random;
mod ratings;
mod read;
mod regroup;
mod searches;
mod shapes;
mod wall;

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::workspace;
use grid::Grid;

/// A suite: its name, what it measures, and how. It tells whether what was measured is right.
struct Suite {
    name: &'static str,
    what: &'static str,
    run: fn(&Bench<'_>) -> Result<Outcome>,
}

const SUITES: &[Suite] = &[
    Suite {
        name: "attacks",
        what: "attacks: linking, deFinetti, (c,k)-safety and 3D privacy, and what falls on adult",
        run: attacks::run,
    },
    Suite {
        name: "cluster",
        what: "a job on two and four executors of this machine, beside the same job embedded; builds Ballista, half an hour",
        run: cluster::run,
    },
    Suite {
        name: "engine",
        what: "jobs on DataFusion within 2 GiB, beside one GROUP BY and one copy of the same files; hours at full size",
        run: engine::run,
    },
    Suite {
        name: "graph",
        what: "networks: k-degree, candidate sets on 77 million edges, seed and propagate, beside a public peer",
        run: graph::run,
    },
    Suite {
        name: "growth",
        what: "time and memory of every kind of release when the records double, and whether they grow as promised",
        run: growth::run,
    },
    Suite {
        name: "mine",
        what: "models, rule hiding, audited questions; itemsets beside a public miner",
        run: mine::run,
    },
    Suite {
        name: "parties",
        what: "several owners: intersections, transfers, sums, rules and trees over TLS, against one owner",
        run: parties::run,
    },
    Suite {
        name: "postgres",
        what: "ten million records from PostgreSQL and back, beside pg_dump and psql, while somebody writes to the table",
        run: postgres::run,
    },
    Suite {
        name: "private-models",
        what: "private records and regressions on the NIST excerpts, beside dpmm and diffprivlib at the same epsilon",
        run: private::run,
    },
    Suite {
        name: "publish",
        what: "whole jobs: the search and everything around it, against the peer's figures where they are at hand",
        run: publish::run,
    },
    Suite {
        name: "python",
        what: "the Python package: a million records beside the command line, and beside anjana, pycanon and opendp",
        run: python::run,
    },
    Suite {
        name: "random",
        what: "randomness: reconstruction, a private histogram beside the peer, charges to the ledger",
        run: random::run,
    },
    Suite {
        name: "ratings",
        what: "ratings up to the size of Netflix: read, decided for (k, epsilon), 1,000 targets attacked, growth",
        run: ratings::run,
    },
    Suite { name: "read", what: "reading a CSV of a million records into codes, in MB/s", run: read::run },
    Suite {
        name: "regroup",
        what: "groups instead of levels: what they cost, what they lose, what can be learned from them",
        run: regroup::run,
    },
    Suite {
        name: "searches",
        what: "every search on the same tables, and those for large lattices on 14 columns",
        run: searches::run,
    },
    Suite {
        name: "shapes",
        what: "baskets, logs and traces with their growth, and a recoding applied to ten million rows",
        run: shapes::run,
    },
    Suite {
        name: "simulation",
        what: "what 16 and 64 machines give a job, by a simulation with the rates of the guide",
        run: cluster::simulation,
    },
];

/// What a suite is given.
struct Bench<'a> {
    /// The program.
    program: &'a Path,
    /// Runs of which the median is taken.
    runs: usize,
}

/// What a suite found.
struct Outcome {
    /// For a person.
    grid: Grid,
    /// For a program: one object per row.
    rows: Vec<Value>,
    /// Whether every result was right; being slow is not wrong.
    right: bool,
}

/// What was asked on the command line.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// What there is.
    List,
    /// To measure.
    Measure {
        /// The suites.
        suites: Vec<&'static str>,
        /// Runs of which the median is taken.
        runs: usize,
    },
}

impl Asked {
    /// Reads the words behind `bench`; the error says what is wrong with them.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let (mut suites, mut runs) = (Vec::new(), 5);
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--list" => return Ok(Self::List),
                "--runs" => {
                    let number = words.next().and_then(|number| number.parse().ok()).filter(|&n| n > 0);
                    runs = number.ok_or("--runs takes a number of at least 1")?;
                }
                name => match SUITES.iter().find(|suite| suite.name == name) {
                    Some(suite) => suites.push(suite.name),
                    None => return Err(format!("there is no suite {name}; `bench --list` names them")),
                },
            }
        }
        if suites.is_empty() {
            suites = SUITES.iter().map(|suite| suite.name).collect();
        }
        Ok(Self::Measure { suites, runs })
    }
}

/// Does what was asked; false when a result was wrong.
pub fn run(asked: &Asked) -> Result<bool> {
    let (suites, runs) = match asked {
        Asked::List => {
            for suite in SUITES {
                println!("{:10} {}", suite.name, suite.what);
            }
            return Ok(true);
        }
        Asked::Measure { suites, runs } => (suites, *runs),
    };
    let program = workspace::privet()?;
    let folder = workspace::target()?.join("bench");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut right = true;
    for suite in SUITES.iter().filter(|suite| suites.contains(&suite.name)) {
        println!("\n== {}: {}", suite.name, suite.what);
        let outcome = (suite.run)(&Bench { program: &program, runs })?;
        print!("{}", outcome.grid);
        right &= outcome.right;
        let file = folder.join(format!("{}.json", suite.name));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let result = json!({ "suite": suite.name, "cores": cores, "runs": runs, "rows": outcome.rows });
        std::fs::write(&file, format!("{result:#}\n")).with_context(|| file.display().to_string())?;
        println!("written to {}", file.display());
    }
    Ok(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_understood() {
        assert_eq!(Asked::parse(&["--list"]), Ok(Asked::List));
        let names: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "the suites are sorted by name: {names:?}");
        assert_eq!(Asked::parse(&[]), Ok(Asked::Measure { suites: names, runs: 5 }));
        assert_eq!(
            Asked::parse(&["read", "--runs", "2"]),
            Ok(Asked::Measure { suites: vec!["read"], runs: 2 })
        );
        assert!(Asked::parse(&["--runs", "0"]).is_err());
        assert!(Asked::parse(&["nowhere"]).is_err_and(|problem| problem.contains("nowhere")));
    }
}
