//! The examples of the page on criteria: each is asked of the program on its demo, and the release verified.
//!
//! An example is a line of a block marked `toml`. The population table of the examples is a demo three times as
//! large, of which the demo is the first third.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::Tally;
use crate::workspace::{self, Scratch};

const PAGE: &str = "docs/guide/criteria.md";
/// How the examples call the population table.
const POPULATION: &str = "voters.csv";

/// Runs every example.
pub fn check(program: &Path) -> Result<Tally> {
    let page = std::fs::read_to_string(workspace::root().join(PAGE)).context(PAGE)?;
    let scratch = Scratch::new()?;
    let folder = |name: &str| scratch.path().join(name);
    let made = |arguments: &[&str], into: &Path| -> Result<()> {
        let status = Command::new(program)
            .args(["demo", "--quiet"])
            .args(arguments)
            .arg("--folder")
            .arg(into)
            .status()?;
        status.success().then_some(()).context("the demo failed")
    };
    made(&["--rows", "60000"], &folder("people"))?;
    made(&[], &folder("demo"))?;
    let population = folder("demo").join(POPULATION);
    std::fs::rename(folder("people").join("admissions.csv"), &population)?;

    let release = folder("tried");
    let mut tally = Tally::default();
    for (number, example) in examples(&page) {
        let mut anonymize = Command::new(program);
        anonymize.args(["anonymize", "--quiet", "--force"]).arg(folder("demo").join("job.toml"));
        anonymize.arg("--output").arg(&release).args(["--set", "columns.cost.role=sensitive"]);
        anonymize.args(["--set", &privacy(example)]);
        // One promise alone need not stand the attacks that the demo's own promises stand.
        anonymize.args(["--set", "adversary={}"]);
        if example.starts_with("three-d") {
            // The one search over groups that can keep it.
            anonymize.args(["--set", "search.algorithm=mondrian"]);
        }
        let mut verify = Command::new(program);
        verify.args(["verify", "--quiet"]).arg(&release);
        if example.contains(POPULATION) {
            verify.arg("--population").arg(&population);
        }
        let mut problem = None;
        for command in [&mut anonymize, &mut verify] {
            let ran = command.output()?;
            if !ran.status.success() {
                let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
                problem = Some(format!("{}\n{out}{err}", ran.status));
                break;
            }
        }
        match problem {
            None => {
                println!("  ok       {PAGE}:{number}: {example}");
                tally.passed += 1;
            }
            Some(problem) => {
                println!("  FAILED   {PAGE}:{number}: {example}\n{problem}");
                tally.failed += 1;
            }
        }
    }
    Ok(tally)
}

/// The setting that asks for an example, besides k-anonymity.
fn privacy(example: &str) -> String {
    let besides = if example.starts_with("k-anonymity") { "" } else { "k-anonymity = 5, " };
    format!("privacy={{ {besides}{example} }}")
}

/// The lines of blocks marked `toml`, with their numbers.
fn examples(page: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (number, line) in page.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(word) => inside = word == "toml",
            None if inside && !line.trim().is_empty() => found.push((number + 1, line)),
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_lines_of_toml() {
        let page = "```toml\na = 1\n\nb = 2\n```\n```sh\nls\n```\n";
        assert_eq!(examples(page), [(2, "a = 1"), (4, "b = 2")]);
        assert_eq!(privacy("k-anonymity = 5"), "privacy={ k-anonymity = 5 }");
        assert_eq!(privacy("k-map = 3"), "privacy={ k-anonymity = 5, k-map = 3 }");
    }
}
