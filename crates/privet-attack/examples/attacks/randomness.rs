//! Attacks on weak randomness: linking noisy records, filtering noise out of columns that depend on each other, and
//! rebuilding tables of bits from noisy sums.

use std::time::Instant;

use privet_attack::noise::dinur_nissim::all_subsets;
use privet_attack::noise::linear::{Subsets, from_subsets, questions_for};
use privet_attack::noise::linkage::link;
use privet_attack::noise::series::haar_filter;
use privet_attack::noise::spectral::{best_linear, spectral_filter};
use privet_attack::noise::weighted::{from_weighted_sums, gaussian_weights};
use privet_attack::noise::{BitScore, NoiseAttackError, NoiseShape, Records, Score};
use privet_data::Random;
use privet_perturb::{Coins, SeededCoins};

use super::Measured;

const COLUMNS: usize = 10;
const NOISE: f64 = 2.0;

/// Measures the attacks on this many records, and those on sums for as many people as they can take.
pub fn measure(records: usize) -> Vec<Measured> {
    match attack(records) {
        Ok(measured) => measured,
        Err(error) => {
            eprintln!("{error}");
            Vec::new()
        }
    }
}

fn attack(records: usize) -> Result<Vec<Measured>, NoiseAttackError> {
    let mut out = Vec::new();
    let mut coins = SeededCoins::new(1);
    // Ten columns made of four hidden numbers and a little of their own.
    let mut original = Vec::with_capacity(records * COLUMNS);
    for _ in 0..records {
        let hidden = [coins.normal()?, coins.normal()?, coins.normal()?, coins.normal()?];
        for column in 0..COLUMNS {
            let pair = hidden[column % 4] + hidden[(column * 7 + 1) % 4] * 0.7;
            original.push(20.0 * pair + coins.normal()?);
        }
    }
    let mut published = original.clone();
    for value in &mut published {
        *value += NOISE * coins.normal()?;
    }
    let (truth, release) = (Records::new(&original, COLUMNS)?, Records::new(&published, COLUMNS)?);
    let variances = vec![NOISE * NOISE; COLUMNS];

    let begin = Instant::now();
    let links = link(release, truth, &NoiseShape::Independent(variances.clone()), &[], &[], 1)?;
    let own: Vec<u32> = (0..records as u32).collect();
    let score = links.score(&own, 0.9)?;
    let seconds = begin.elapsed().as_secs_f64();
    out.push(Measured { what: "noise linkage: people found", seconds, found: score.right.hits });
    out.push(Measured { what: "noise linkage: believed with 0.9", seconds: 0.0, found: score.exposed.hits });

    let recovered = |estimates: &[f64]| {
        let estimates = Records::new(estimates, COLUMNS)?;
        let score = Score::of(truth, release, estimates, &[NOISE; COLUMNS], 0.75)?;
        Ok::<u64, NoiseAttackError>(score.recovered.hits)
    };
    let begin = Instant::now();
    let filtered = spectral_filter(release, &variances)?;
    let seconds = begin.elapsed().as_secs_f64();
    let found = recovered(&filtered.estimates)?;
    out.push(Measured { what: "spectral filter, 10 columns: records recovered", seconds, found });
    let begin = Instant::now();
    let best = best_linear(release, &NoiseShape::Independent(variances))?;
    let seconds = begin.elapsed().as_secs_f64();
    let found = recovered(&best.estimates)?;
    out.push(Measured { what: "best linear, 10 columns: records recovered", seconds, found });

    let mut series = Vec::with_capacity(records);
    for time in 0..records {
        series.push((time * 16 / records.max(1)) as f64 * 10.0 + coins.normal()?);
    }
    let begin = Instant::now();
    let filtered = haar_filter(&series, 1.0)?;
    let seconds = begin.elapsed().as_secs_f64();
    out.push(Measured { what: "wavelet filter: coefficients kept", seconds, found: filtered.kept as u64 });

    let truth = |people: usize| {
        let mut random = Random::new(people as u64);
        (0..people).map(|_| random.chance(0.5)).collect::<Vec<bool>>()
    };
    let bits = truth(20);
    let table = bits.iter().rev().fold(0u32, |table, bit| 2 * table + u32::from(*bit));
    let begin = Instant::now();
    let found = all_subsets(20, 1.0, |set| {
        f64::from((table & set).count_ones()) + f64::from(set.wrapping_mul(0x9E37_79B9) >> 30) / 1.5 - 1.0
    })?;
    out.push(told("Dinur-Nissim, all subsets of 20: bits right", begin, &bits, &found.bits)?);
    for (people, what) in
        [(64, "Dinur-Nissim, program for 64: bits right"), (128, "Dinur-Nissim, program for 128: bits right")]
    {
        let bits = truth(people);
        let numbers: Vec<f64> = bits.iter().map(|bit| f64::from(*bit)).collect();
        let subsets = Subsets::random(people, questions_for(people), 1)?;
        let error = 0.5 * (people as f64).sqrt();
        let mut answers = subsets.sums(&numbers);
        for answer in &mut answers {
            *answer += error * (2.0 * coins.unit()? - 1.0);
        }
        let begin = Instant::now();
        let found = from_subsets(&subsets, &answers, Some(error))?;
        out.push(told(what, begin, &bits, &found.bits)?);
    }
    let people = 64;
    let bits = truth(people);
    let weights = gaussian_weights(people, 6 * people, 1)?;
    let mut answers: Vec<f64> = weights
        .chunks_exact(people)
        .map(|own| own.iter().zip(&bits).map(|(weight, bit)| weight * f64::from(*bit)).sum())
        .collect();
    for answer in answers.iter_mut().step_by(8) {
        *answer = 1000.0 * coins.normal()?;
    }
    let begin = Instant::now();
    let found = from_weighted_sums(Records::new(&weights, people)?, &answers)?;
    out.push(told("weighted sums of 64, an eighth wrong: bits right", begin, &bits, &found.bits)?);
    Ok(out)
}

fn told(
    what: &'static str,
    begin: Instant,
    truth: &[bool],
    found: &[bool],
) -> Result<Measured, NoiseAttackError> {
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Measured { what, seconds, found: BitScore::of(truth, found)?.right.hits })
}
