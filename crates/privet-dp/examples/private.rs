//! Private histograms and the ledger, measured inside a process: `cargo xtask bench random` runs it.
//!
//! `private CELLS CHARGES` prints a JSON object of what was measured.

use std::error::Error;
use std::time::Instant;

use privet_dp::ledger::{Ledger, Request, SqliteLedger};
use privet_dp::{Histogram, Neighbours, People, Privacy};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<usize> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let &[cells, charges] = &words[..] else { return Err("usage: private CELLS CHARGES".into()) };
    // Cell i holds i mod 50 people.
    let codes: Vec<u32> = (0..cells as u32).flat_map(|cell| (0..cell % 50).map(move |_| cell)).collect();
    let histogram = Histogram { people: People::one_record_each(Neighbours::AddRemove), cells };
    let noise = histogram.noise(&Privacy::Pure("0.1".parse()?))?;
    let counts = histogram.count(&codes);
    let start = Instant::now();
    let noisy = noise.add_to_all(&counts)?;
    let drawn = start.elapsed().as_secs_f64();
    let off: f64 =
        noisy.iter().zip(&counts).map(|(&noisy, &count)| (noisy - count as i64).abs() as f64).sum();
    let start = Instant::now();
    histogram.release(&codes, &noise)?;
    let released = start.elapsed().as_secs_f64();

    let folder = tempfile::tempdir_in(".")?;
    let path = folder.path().join("ledger.db");
    let mut rates = Vec::new();
    for askers in [1, 4] {
        let account = format!("bench {askers}");
        SqliteLedger::open(&path)?.open_account(&account, &Privacy::Pure("1000".parse()?).loss())?;
        let start = Instant::now();
        std::thread::scope(|scope| {
            let asking: Vec<_> = (0..askers)
                .map(|asker| {
                    let (account, path) = (&account, &path);
                    scope.spawn(move || -> Result<(), String> {
                        let mut ledger = SqliteLedger::open(path).map_err(|error| error.to_string())?;
                        let loss = Privacy::Pure("0.1".parse().map_err(|_| "a number")?).loss();
                        for number in 0..charges / askers {
                            let request =
                                Request::new(account, &format!("asker {asker}"), &format!("{number}"), &loss)
                                    .map_err(|error| error.to_string())?;
                            ledger.charge(&request).map_err(|error| error.to_string())?;
                        }
                        Ok(())
                    })
                })
                .collect();
            asking.into_iter().try_for_each(|asker| asker.join().map_err(|_| "an asker failed".to_owned())?)
        })?;
        rates.push(serde_json::json!({
            "askers": askers, "charges": charges, "seconds": start.elapsed().as_secs_f64(),
        }));
    }
    SqliteLedger::open(&path)?.verify(None)?;
    println!(
        "{}",
        serde_json::json!({
            "cells": cells, "noise_seconds": drawn, "release_seconds": released,
            "mean_absolute_noise": off / cells as f64, "ledger": rates,
        })
    );
    Ok(())
}
