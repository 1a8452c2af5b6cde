//! Reconstruction of distributions and synthetic tables, measured inside a process: `cargo xtask bench random` runs it.
//!
//! `reconstruct VALUES RECORDS` prints a JSON object of what was measured.

use std::error::Error;
use std::time::Instant;

use privet_perturb::synthetic::{Cart, Column, Frame, Method, Plan, Regression, synthesize};
use privet_perturb::{Coins as _, Grid, Kernel, Noise, Options, SeededCoins, additive_noise, reconstruct};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<usize> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let &[count, records] = &words[..] else { return Err("usage: reconstruct VALUES RECORDS".into()) };
    let mut coins = SeededCoins::new(7);
    // Two humps: what a mean and a variance would not show.
    let mut original = Vec::with_capacity(count);
    for _ in 0..count {
        let hump = if coins.unit()? < 0.3 { 25.0 } else { 70.0 };
        original.push(hump + 10.0 * (coins.unit()? + coins.unit()? - 1.0));
    }
    let grid = Grid::even(0.0, 100.0, 50)?;
    let mut truth = vec![0.0; grid.len()];
    for &value in &original {
        if let Some(interval) = grid.interval_of(value) {
            truth[interval] += 1.0 / count as f64;
        }
    }
    let mut measured = Vec::new();
    for (what, noise, kernel) in [
        ("iterative Bayes, uniform noise", Noise::Uniform { half_width: 20.0 }, Kernel::Midpoint),
        ("EM, uniform noise", Noise::Uniform { half_width: 20.0 }, Kernel::Interval),
        ("EM, Gaussian noise", Noise::Gaussian { deviation: 15.0 }, Kernel::Interval),
    ] {
        let perturbed = additive_noise(&original, noise, &mut coins)?;
        let start = Instant::now();
        let found = reconstruct(&perturbed.value, noise, &grid, &Options { kernel, ..Options::default() })?;
        let seconds = start.elapsed().as_secs_f64();
        let apart: f64 = found.masses.iter().zip(&truth).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0;
        measured.push(serde_json::json!({
            "what": what, "seconds": seconds, "rounds": found.rounds(), "variation": apart,
        }));
    }
    let synthesized = synthesized(records)?;
    println!("{}", serde_json::json!({ "reconstruction": measured, "synthesis": synthesized }));
    Ok(())
}

/// One copy of a table of ten columns, half of them categories, each depending on the one before.
fn synthesized(records: usize) -> Result<Vec<serde_json::Value>, Box<dyn Error>> {
    let mut coins = SeededCoins::new(1);
    let mut columns = Vec::new();
    let mut last = vec![0.0; records];
    for number in 0..10 {
        for value in &mut last {
            *value = 0.5 * *value + 3.0 * (coins.unit()? + coins.unit()? - 1.0);
        }
        columns.push(if number % 2 == 0 {
            Column::Numeric(last.clone())
        } else {
            let codes = last.iter().map(|value| (2.0 * value + 10.0).clamp(0.0, 19.0) as u32).collect();
            Column::Categorical { codes, categories: 20 }
        });
    }
    let frame = Frame::new(columns)?;
    let mut measured = Vec::new();
    for method in [Method::Cart(Cart::default()), Method::Regression(Regression::default())] {
        let name = method.name();
        let plan = Plan::full(records, method).copies(1);
        let start = Instant::now();
        synthesize(&frame, &plan, &mut coins)?;
        measured.push(serde_json::json!({ "what": name, "seconds": start.elapsed().as_secs_f64() }));
    }
    Ok(measured)
}
