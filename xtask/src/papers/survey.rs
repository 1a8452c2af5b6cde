//! The survey's theorems and claims (survey, section 7), each with what is found and the tests of the tree that prove it. That the tests
//! are there is checked; that they pass is what `cargo xtask test` is for. What has no test is measured here.

use anyhow::{Context, Result, ensure};

use super::Papers;
use super::page::{Page, fixed};
use super::table::Dice;
use crate::cells;

/// A line for each claim: its number, what it says, what is found, and tests as `file::name`, between tabs.
const CLAIMS: &str = include_str!("survey.tsv");
/// How many claims the catalogue has.
const NUMBER: usize = 35;

pub fn run(papers: &Papers) -> Result<bool> {
    let mut page = Page::new("survey", "The survey's theorems and claims");
    page.text(
        "Chen, Kifer, LeFevre and Machanavajjhala, Privacy-Preserving Data Publishing, as the catalogue's section 7 lists it. Each claim with what \
         is found and the tests that show it. This experiment checks that the tests are in the tree; `cargo xtask test` runs them.",
    );
    let mut rows = Vec::new();
    let (mut missing, mut untested) = (Vec::new(), Vec::new());
    for line in CLAIMS.lines().filter(|line| !line.is_empty()) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [id, claim, result, tests] = parts[..] else {
            anyhow::bail!("a line of the survey's claims has {} parts", parts.len())
        };
        let names: Vec<&str> = tests.split_whitespace().collect();
        for test in &names {
            if !is_there(papers, test)? {
                missing.push(format!("{id} {test}"));
            }
        }
        if names.is_empty() && id != "TH-29" {
            untested.push(id);
        }
        let shown = names.iter().map(|test| {
            let (file, name) = test.split_once("::").unwrap_or((test, ""));
            format!("[`{name}`](../../{file})")
        });
        let shown: Vec<String> = shown.collect();
        rows.push(cells![
            id,
            claim,
            if names.is_empty() { "below".to_owned() } else { shown.join(", ") },
            result
        ]);
    }
    ensure!(rows.len() == NUMBER, "there are {} claims, not {NUMBER}", rows.len());
    page.table(&["claim", "what it says", "tests", "result"], &rows);
    missing.iter().for_each(|test| println!("there is no such test: {test}"));
    page.check("every test that is named is in the tree", missing.is_empty());
    page.check("every claim has a test, or is measured on this page", untested.is_empty());
    dimensions(&mut page);
    page.finish(papers)
}

/// Whether a file has a test of this name.
fn is_there(papers: &Papers, test: &str) -> Result<bool> {
    let (file, name) = test.split_once("::").context("a test without a name")?;
    let text = std::fs::read_to_string(papers.root.join(file)).unwrap_or_default();
    let start = format!("fn {name}(");
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let Some(at) = lines.iter().position(|line| line.starts_with(&start)) else { return Ok(false) };
    // Attributes stand right above.
    Ok(lines[..at].iter().rev().take_while(|line| line.starts_with("#[")).any(|line| *line == "#[test]"))
}

/// TH-29: with more columns the nearest record is hardly nearer than the farthest.
fn dimensions(page: &mut Page) {
    page.heading("TH-29: distances in many dimensions");
    page.text("1,000 points drawn evenly from a cube, seen from a further one; means over 20 such clouds.");
    let mut rows = Vec::new();
    let mut ratios = Vec::new();
    for dimension in [1usize, 2, 5, 10, 50, 200] {
        let mut dice = Dice(29);
        let mut mean = 0.0;
        for _ in 0..20 {
            let mut coordinate = || dice.roll(1 << 30) as f64 / f64::from(1 << 30);
            let origin: Vec<f64> = (0..dimension).map(|_| coordinate()).collect();
            let (mut nearest, mut farthest) = (f64::INFINITY, 0.0f64);
            for _ in 0..1000 {
                let squares: f64 = origin.iter().map(|own| (own - coordinate()).powi(2)).sum();
                nearest = nearest.min(squares.sqrt());
                farthest = farthest.max(squares.sqrt());
            }
            mean += nearest / farthest / 20.0;
        }
        ratios.push(mean);
        rows.push(cells![dimension, fixed(mean, 3)]);
    }
    page.table(&["columns", "nearest / farthest distance"], &rows);
    page.claim(
        "the ratio of the nearest to the farthest distance tends to 1",
        ratios.windows(2).all(|pair| pair[0] < pair[1]),
    );
    page.text(
        "That the utility of k-anonymous tables falls with the number of columns is measured in [the similarity attack](similarity.md) and in \
         [l-diversity](diversity.md).",
    );
}
