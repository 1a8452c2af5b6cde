//! `cargo xtask papers`: experiments of the sources, made again. Each prints a table of what the source prints, what comes out here and why
//! they differ, and writes the same with its plots to `docs/evidence/`.
//!
//! One file and one line in `EXPERIMENTS` per experiment. Experiments need the public data sets beside the repository. `--reduced` runs them
//! on reduced sizes in seconds and compares what does not depend on the clock with `recorded/`; `--record` writes what it compares with.

mod ama;
mod chart;
mod data;
mod diversity;
mod index;
mod local;
mod mine;
mod page;
pub mod peers;
mod program;
mod releases;
mod similarity;
mod survey;
mod table;
mod textbook;
mod trust;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace;

/// An experiment: its name, what it makes again, and how. It tells whether every claim that it checks holds.
struct Experiment {
    name: &'static str,
    what: &'static str,
    run: fn(&Papers) -> Result<bool>,
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "ama",
        what: "thesis, chapter 5: approximate microaggregation beside MDAV on a census",
        run: ama::run,
    },
    Experiment {
        name: "diversity",
        what: "l-diversity: homogeneity counts and Figures 5, 6, 7 on UCI Adult",
        run: diversity::run,
    },
    Experiment {
        name: "local",
        what: "thesis, chapter 3: local recoding for p+ and (p, alpha) beside clustering",
        run: local::run,
    },
    Experiment {
        name: "similarity",
        what: "thesis, chapter 3: the similarity attack on all minimal tables of UCI Adult",
        run: similarity::run,
    },
    Experiment {
        name: "survey",
        what: "the survey's claims, each with the tests that prove it",
        run: survey::run,
    },
    Experiment {
        name: "textbook",
        what: "the textbook's statements and its exercises that ask for software",
        run: textbook::run,
    },
    Experiment {
        name: "trust",
        what: "thesis, chapter 4: decomposition by trust and purpose beside Mondrian and TDS",
        run: trust::run,
    },
    Experiment {
        name: "friedman",
        what: "Figures 6, 7, 8 and Table 6 of Friedman, Wolff and Schuster on UCI Adult",
        run: mine::friedman,
    },
    Experiment {
        name: "models",
        what: "k-anonymous trees beside anonymizing first and learning after, with confidence intervals over splits",
        run: mine::models,
    },
    Experiment {
        name: "ratings",
        what: "E6 and E7 of Sun's thesis on MovieLens: publishing ratings, and deciding whether they are safe",
        run: |papers| example(papers, "privet-ratings", "papers_ratings"),
    },
    Experiment {
        name: "releases",
        what: "the NIST excerpts of 2018 and 2019, published one after the other with a history",
        run: releases::run,
    },
];

/// Experiments that have a reduced form.
const REDUCED: [&str; 7] = ["ama", "diversity", "local", "similarity", "survey", "textbook", "trust"];
/// Experiments that need no public data.
const WITHOUT_DATA: [&str; 1] = ["survey"];

/// How experiments are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// In full; pages are written.
    Full,
    /// On reduced sizes, compared with what is recorded.
    Reduced,
    /// On reduced sizes, and recorded.
    Record,
}

/// Where an experiment finds and leaves things.
pub struct Papers {
    /// The public data sets.
    data: PathBuf,
    /// Where tables and plots go.
    evidence: PathBuf,
    /// The repository.
    root: PathBuf,
    /// In full or reduced.
    mode: Mode,
    /// The program, once it is needed.
    program: OnceCell<PathBuf>,
}

impl Papers {
    /// The program: the one that `PRIVET_PROGRAM` names, or one that is built.
    fn program(&self) -> Result<&Path> {
        if self.program.get().is_none() {
            let found = program::find()?;
            return Ok(self.program.get_or_init(|| found));
        }
        self.program.get().map(PathBuf::as_path).context("no program")
    }

    /// One size in full, another one reduced.
    fn pick<T>(&self, full: T, reduced: T) -> T {
        if self.mode == Mode::Full { full } else { reduced }
    }
}

/// What was asked on the command line.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// What there is.
    List,
    /// The index, from the pages that there are.
    Index,
    /// To run these experiments.
    Run(Vec<&'static str>, Mode),
}

impl Asked {
    /// All experiments on reduced sizes.
    pub fn reduced() -> Self {
        Self::Run(EXPERIMENTS.iter().map(|own| own.name).collect(), Mode::Reduced)
    }

    /// Reads the words behind `papers`; the error says what is wrong with them.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        match words {
            ["--list"] => return Ok(Self::List),
            ["--index"] => return Ok(Self::Index),
            _ => {}
        }
        let (mode, words) = match words {
            ["--reduced", rest @ ..] => (Mode::Reduced, rest),
            ["--record", rest @ ..] => (Mode::Record, rest),
            _ => (Mode::Full, words),
        };
        let known = |word: &&str| EXPERIMENTS.iter().find(|own| own.name == *word).map(|own| own.name);
        let named = words.iter().map(|word| {
            known(word).ok_or_else(|| format!("there is no experiment {word}; `papers --list` names them"))
        });
        let named = named.collect::<Result<Vec<_>, _>>()?;
        Ok(Self::Run(
            match named.is_empty() {
                true => EXPERIMENTS.iter().map(|own| own.name).collect(),
                false => named,
            },
            mode,
        ))
    }
}

/// Does what was asked; false when a check does not hold.
pub fn run(asked: &Asked) -> Result<bool> {
    let evidence = workspace::root().join("docs/evidence");
    let (names, mode) = match asked {
        Asked::List => {
            for own in EXPERIMENTS {
                println!("{:10} {}", own.name, own.what);
            }
            return Ok(true);
        }
        Asked::Index => return index::write(&evidence).map(|()| true),
        Asked::Run(names, mode) => (names, *mode),
    };
    let shared = workspace::shared();
    let data = shared.as_ref().map(|shared| shared.join("data")).unwrap_or_default();
    let program = OnceCell::new();
    let papers = Papers { data, evidence, root: workspace::root(), mode, program };
    std::fs::create_dir_all(&papers.evidence)?;
    let mut holds = true;
    for own in EXPERIMENTS.iter().filter(|own| names.contains(&own.name)) {
        println!("\n== {}: {}", own.name, own.what);
        if mode != Mode::Full && !REDUCED.contains(&own.name) {
            println!("skipped: it has no reduced form");
        } else if shared.is_none() && !WITHOUT_DATA.contains(&own.name) {
            println!("skipped: it needs the public data sets in ../shared");
        } else {
            holds &= (own.run)(&papers)?;
        }
    }
    match mode {
        Mode::Full => index::write(&papers.evidence)?,
        Mode::Reduced => holds &= index::is_up_to_date(&papers.evidence)?,
        Mode::Record => {}
    }
    Ok(holds)
}

/// Runs an experiment that is an example of a crate, because it needs what is inside it.
fn example(papers: &Papers, package: &str, name: &str) -> Result<bool> {
    let program = workspace::example(package, name)?;
    let status = std::process::Command::new(program).arg(&papers.data).arg(&papers.evidence).status()?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_understood() {
        assert_eq!(Asked::parse(&["--list"]), Ok(Asked::List));
        assert_eq!(Asked::parse(&["friedman"]), Ok(Asked::Run(vec!["friedman"], Mode::Full)));
        assert_eq!(Asked::parse(&["--reduced", "ama"]), Ok(Asked::Run(vec!["ama"], Mode::Reduced)));
        assert!(matches!(Asked::parse(&[]), Ok(Asked::Run(all, _)) if all.len() == EXPERIMENTS.len()));
        assert!(Asked::parse(&["nowhere"]).is_err_and(|problem| problem.contains("nowhere")));
    }
}
