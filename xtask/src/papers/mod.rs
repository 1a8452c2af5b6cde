//! `cargo xtask papers`: experiments of the sources, made again. Each prints a table of what the source prints, what comes out here and why
//! they differ, and writes the same with its plots to `docs/evidence/`.
//!
//! One file and one line in `EXPERIMENTS` per experiment. Experiments need the public data sets beside the repository.

mod mine;
mod releases;

use std::path::PathBuf;

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

/// Where an experiment finds and leaves things.
struct Papers {
    /// The public data sets.
    data: PathBuf,
    /// Where tables and plots go.
    evidence: PathBuf,
}

/// What was asked on the command line.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// What there is.
    List,
    /// To run these experiments.
    Run(Vec<&'static str>),
}

impl Asked {
    /// Reads the words behind `papers`; the error says what is wrong with them.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        if words == ["--list"] {
            return Ok(Self::List);
        }
        let known = |word: &&str| EXPERIMENTS.iter().find(|own| own.name == *word).map(|own| own.name);
        let named = words.iter().map(|word| {
            known(word).ok_or_else(|| format!("there is no experiment {word}; `papers --list` names them"))
        });
        let named = named.collect::<Result<Vec<_>, _>>()?;
        Ok(Self::Run(match named.is_empty() {
            true => EXPERIMENTS.iter().map(|own| own.name).collect(),
            false => named,
        }))
    }
}

/// Does what was asked; false when a claim does not hold.
pub fn run(asked: &Asked) -> Result<bool> {
    let Asked::Run(names) = asked else {
        for own in EXPERIMENTS {
            println!("{:10} {}", own.name, own.what);
        }
        return Ok(true);
    };
    let shared =
        workspace::shared().context("the folder ../shared with the public data sets is not there")?;
    let papers = Papers { data: shared.join("data"), evidence: workspace::root().join("docs/evidence") };
    std::fs::create_dir_all(&papers.evidence)?;
    let mut holds = true;
    for own in EXPERIMENTS.iter().filter(|own| names.contains(&own.name)) {
        println!("\n== {}: {}", own.name, own.what);
        holds &= (own.run)(&papers)?;
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
        assert_eq!(Asked::parse(&["friedman"]), Ok(Asked::Run(vec!["friedman"])));
        assert!(matches!(Asked::parse(&[]), Ok(Asked::Run(all)) if all.len() == EXPERIMENTS.len()));
        assert!(Asked::parse(&["nowhere"]).is_err_and(|problem| problem.contains("nowhere")));
    }
}
