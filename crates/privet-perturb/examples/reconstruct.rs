//! Reconstruction of distributions, measured inside a process: `cargo xtask bench random` runs it.
//!
//! `reconstruct VALUES` prints a JSON list of what was measured.

use std::error::Error;
use std::time::Instant;

use privet_perturb::{Coins as _, Grid, Kernel, Noise, Options, SeededCoins, additive_noise, reconstruct};

fn main() -> Result<(), Box<dyn Error>> {
    let count: usize = std::env::args().nth(1).ok_or("usage: reconstruct VALUES")?.parse()?;
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
    println!("{}", serde_json::Value::from(measured));
    Ok(())
}
