//! Accuracy beyond the source: k-anonymous trees beside anonymizing first (top-down specialization, Mondrian) and learning after, on Adult,
//! German credit and mushroom, with 95 % confidence intervals of paired differences over ten splits.
//!
//! ```text
//! cargo run --release -p privet-mine --example papers_models -- <folder of data sets> <folder for the page>
//! ```

#[path = "common/adult.rs"]
mod adult;
#[path = "common/page.rs"]
mod page;
#[path = "common/rivals.rs"]
#[expect(dead_code, reason = "the other experiment looks at the tables themselves as well")]
mod rivals;
#[path = "common/tables.rs"]
mod tables;

use std::error::Error;
use std::path::PathBuf;

use page::Page;
use privet_data::Random;
use privet_mine::Examples;
use privet_mine::tree::{GrowOptions, Levels, Pruning, grow};
use rivals::Learner;

const SPLITS: u64 = 10;
/// Student's t for a two-sided interval of 95 % with nine degrees of freedom.
const T: f64 = 2.262;
/// C4.5's usual confidence of 0.25.
const PRUNED: Pruning = Pruning::Pessimistic { z: 0.6745 };

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let usage = "usage: papers_models <folder of data sets> <folder for the page>";
    let (data, folder) = (arguments.next().ok_or(usage)?, arguments.next().ok_or(usage)?);
    std::fs::create_dir_all(&folder)?;
    let mut page = Page::default();
    page.line("# Learning from people, or from their anonymized table");
    page.line("");
    page.line("Errors on a third of the records that was set apart, mean over ten random splits; in brackets the 95 % confidence interval of the paired");
    page.line("difference to the k-anonymous tree (above zero: the tree is better). All attributes are public, the class is private, numbers are in eight");
    page.line("ranges, all trees tell two groups of values apart at a time and are pruned alike. Mondrian chooses its cuts by the entropy of the");
    page.line("class, so its boxes are leaves of a tree themselves; it has two learners: the majority of a box, and a tree over values drawn evenly from the");
    page.line("boxes. `cargo xtask papers models` writes this page.");
    page.head(&[
        "table",
        "k",
        "k-anonymous tree",
        "TDS, then a tree",
        "Mondrian, majority of a box",
        "Mondrian, then a tree",
        "no anonymity",
    ]);
    let all = [
        ("Adult", adult::read(&data.join("adult-uci"), &[])?.0),
        ("German credit", tables::read(&data.join("uci-german-credit/german.csv"), "class")?),
        ("mushroom", tables::read(&data.join("uci-mushroom/mushroom.csv"), "class")?),
    ];
    let mut worse = Vec::new();
    for (name, records) in &all {
        for k in [10, 50] {
            let errors = (0..SPLITS).map(|seed| errors(records, k, seed)).collect::<Result<Vec<_>, _>>()?;
            let mean = |of: usize| errors.iter().map(|own| 100.0 * own[of]).sum::<f64>() / SPLITS as f64;
            let mut cells = vec![(*name).to_owned(), k.to_string(), format!("{:.2} %", mean(0))];
            for (of, rival) in [(1, "TDS"), (2, "Mondrian by boxes"), (3, "Mondrian, then a tree")] {
                let differences: Vec<f64> = errors.iter().map(|own| 100.0 * (own[of] - own[0])).collect();
                let (low, high) = interval(&differences);
                cells.push(format!("{:.2} % [{low:+.2}, {high:+.2}]", mean(of)));
                if high < 0.0 {
                    worse.push(format!("{name}, k = {k}, {rival}"));
                }
            }
            cells.push(format!("{:.2} %", mean(4)));
            page.row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
    page.line("");
    page.claim("no rival is better beyond the confidence interval", worse.is_empty());
    for own in worse {
        page.line(format!("  - better: {own}"));
    }
    page.finish(&folder.join("models.md"))
}

/// Errors of the k-anonymous tree, TDS, Mondrian with both learners, and a tree without protection on one split.
fn errors(records: &Examples, k: u64, seed: u64) -> Result<[f64; 5], Box<dyn Error>> {
    let mut random = Random::new(seed);
    let mut rows: Vec<usize> = (0..records.len()).collect();
    for place in (1..rows.len()).rev() {
        rows.swap(place, random.below(place + 1));
    }
    let (apart, used) = rows.split_at(records.len() / 3);
    let (train, test) = (records.select(used)?, records.select(apart)?);
    let learner = Learner { levels: Levels::Pairs, pruning: PRUNED };
    let tree = |k| GrowOptions { levels: Levels::Pairs, pruning: PRUNED, ..GrowOptions::k_anonymous(k) };
    let (own, free) = (grow(&train, &tree(k))?, grow(&train, &tree(1))?);
    let (_, tds) = rivals::specialized(&train, &test, k, &learner)?;
    let (_, [by_box, by_tree]) = rivals::cut(&train, &test, k, &learner)?;
    let error = |grown: &privet_mine::tree::Grown, test| grown.release.predictor().error(test);
    Ok([error(&own, &test), error(&tds.grown, &tds.test), by_box, by_tree, error(&free, &test)])
}

/// The confidence interval of a mean.
fn interval(own: &[f64]) -> (f64, f64) {
    let size = own.len() as f64;
    let mean = own.iter().sum::<f64>() / size;
    let variance = own.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (size - 1.0);
    let half = T * (variance / size).sqrt();
    (mean - half, mean + half)
}
