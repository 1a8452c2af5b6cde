//! How many rounds of expectation and maximization are worth it: as many as explain values best that were held out.
//!
//! The most likely distribution behind much noise has peaks that chance put there, and behind noisy values of an even column it
//! can be farther from the truth than these values themselves. The rounds begin with even masses and come to such peaks last,
//! so ending them early smooths (Silverman and others 1990 on EM for inverse problems). A fifth of the values is held out in
//! turn; the number of rounds after which the rest explains them best is run on all values.
//!
//! Of so many numbers of rounds one explains held-out values better by chance, so the even masses of the start stay unless
//! the best is clearly better than they: by [`ERRORS`] standard errors, from what each value gains. Without that, some even columns of 300
//! values come back with the peaks of chance: of 30 such columns the mean is farther from the truth than what is published in about one
//! case of four, with it in one of 1000.
//!
//! # Guarantee
//! Never more rounds than the rule of stopping allows, and the same result on any number of threads. That the result is no farther
//! from the truth than the perturbed values of an even column holds on average, and is tested by simulation. It does not hold for every
//! column: a smooth one of a few hundred values that is not even may come back farther away (1.6 times for a bell of 13
//! intervals behind noise of two, in mean square).

use super::{Cells, Options, Place, Reconstruction, mixture, multiples, reconstruct};
use crate::em::{Gain, Stop, Stopped};
use crate::{Grid, Noise, PerturbError};

/// Parts of which each is held out once.
const PARTS: usize = 5;

/// With fewer values nothing is held out.
const FEWEST: usize = 20;

/// By how many standard errors rounds must explain held-out values better than even masses do: 5 % of the normal distribution
/// are beyond.
const ERRORS: f64 = 1.645;

/// As [`reconstruct`], with as many rounds as values that are held out ask for.
///
/// # Errors
/// As [`reconstruct`].
pub fn reconstruct_held_out(
    values: &[f64],
    noise: Noise,
    grid: &Grid,
    options: &Options,
) -> Result<Reconstruction, PerturbError> {
    if values.len() < FEWEST || noise.is_none() {
        return reconstruct(values, noise, grid, options);
    }
    let units = multiples(grid, options.unit, noise);
    let places: Vec<Place> = match &units {
        Some(units) => units.iter().map(|own| Place::At(own.0)).collect(),
        None => grid.intervals().map(|(low, high)| Place::Within(low, high)).collect(),
    };
    let cells = Cells::new(grid, options)?;
    let mut told: Vec<Vec<Gain>> = Vec::with_capacity(PARTS);
    for part in 0..PARTS {
        let of = |is_held: bool| -> Vec<f64> {
            let own = values.iter().enumerate().filter(|(at, _)| (at % PARTS == part) == is_held);
            own.map(|(_, value)| *value).collect()
        };
        let (rest, _) = mixture(&of(false), noise, grid, &places, options, cells)?;
        let (held, _) = mixture(&of(true), noise, grid, &places, options, cells)?;
        if rest.weight() <= 0.0 || held.weight() <= 0.0 {
            return reconstruct(values, noise, grid, options);
        }
        told.push(rest.explains(&held, options.stop.rounds));
    }
    let rounds = worthwhile(&told, values.len());
    let stop = Stop { rounds: rounds.min(options.stop.rounds), ..options.stop };
    let mut found = reconstruct(values, noise, grid, &Options { stop, ..*options })?;
    if found.stopped == Stopped::Rounds && rounds < options.stop.rounds {
        found.stopped = Stopped::HeldOut;
    }
    Ok(found)
}

/// The number of rounds after which so many values are explained best that were held out; 0 unless that is clearly better than at the
/// start. Of each part what it gains at the start and after each round: it stays where it is after the last.
fn worthwhile(told: &[Vec<Gain>], values: usize) -> usize {
    let after = |own: &[Gain], round: usize| own.get(round).or(own.last()).copied().unwrap_or_default();
    let longest = told.iter().map(Vec::len).max().unwrap_or(0);
    let (mut rounds, mut best) = (0, Gain::default());
    for round in 0..longest {
        let parts: Vec<Gain> = told.iter().map(|own| after(own, round)).collect();
        let sum: f64 = parts.iter().map(|own| own.sum).sum();
        if sum > best.sum {
            (rounds, best) = (round, Gain { sum, squares: parts.iter().map(|own| own.squares).sum() });
        }
    }
    let variance = best.squares - best.sum.powi(2) / values as f64;
    if best.sum > ERRORS * variance.max(0.0).sqrt() { rounds } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coins, SeededCoins, additive_noise};

    /// The mean squared distance from the truth of what is published, of the most likely masses, and of these.
    fn errors(shares: &[f64], noise: Noise, records: usize, worlds: usize, seed: u64) -> [f64; 3] {
        let bins = shares.len();
        let grid = Grid::even(0.0, bins as f64, bins).unwrap();
        let mut coins = SeededCoins::new(seed);
        let mut errors = [0.0; 3];
        for _ in 0..worlds {
            let originals: Vec<f64> = (0..records)
                .map(|_| {
                    let mut rest = coins.unit().unwrap();
                    let at = shares.iter().position(|share| {
                        rest -= share;
                        rest < 0.0
                    });
                    at.unwrap_or(0) as f64 + coins.unit().unwrap()
                })
                .collect();
            let values = additive_noise(&originals, noise, &mut coins).unwrap().value;
            let mut published = vec![0.0; bins];
            values
                .iter()
                .filter_map(|own| grid.interval_of(*own))
                .for_each(|at| published[at] += 1.0 / records as f64);
            let options = Options::default();
            let likely = reconstruct(&values, noise, &grid, &options).unwrap().masses;
            let held = reconstruct_held_out(&values, noise, &grid, &options).unwrap().masses;
            for (error, found) in errors.iter_mut().zip([published, likely, held]) {
                *error += found.iter().zip(shares).map(|(own, truth)| (own - truth).powi(2)).sum::<f64>()
                    / worlds as f64;
            }
        }
        errors
    }

    /// An even column comes back nearer to the truth than it is published; the most likely masses do not. On average of 30
    /// worlds each; drawn from 1500 worlds of another program with 300 values, such an average was worse in 0.1 % of the draws where
    /// noise was even and in none where it was normal, so a false alarm has a chance below 1 %. The seed is fixed besides.
    #[test]
    fn reconstruction_of_a_uniform_column_is_no_worse_than_what_is_published() {
        let even = [0.05; 20];
        let mut worse = 0;
        for (noise, seed) in [
            (Noise::Gaussian { deviation: 2.0 }, 1),
            (Noise::Gaussian { deviation: 5.0 }, 2),
            (Noise::Uniform { half_width: 4.0 }, 3),
        ] {
            for records in [300, 3000] {
                let [published, likely, held] = errors(&even, noise, records, 30, seed);
                assert!(held < published, "{noise:?} {records}: {published} {likely} {held}");
                worse += usize::from(likely > published);
            }
        }
        assert!(worse > 0, "the most likely masses do as well");
    }

    /// What is not even is still found: nearer than what is published by far, and hardly farther than the most likely masses.
    #[test]
    fn peaks_are_found() {
        let peaks = [0.0, 0.0, 0.05, 0.35, 0.05, 0.0, 0.0, 0.0, 0.0, 0.05, 0.4, 0.1, 0.0, 0.0];
        let slope = [0.25, 0.2, 0.15, 0.12, 0.09, 0.07, 0.05, 0.03, 0.02, 0.02];
        for (shares, seed) in [(&peaks[..], 4), (&slope[..], 5)] {
            for deviation in [1.0, 2.0] {
                let noise = Noise::Gaussian { deviation };
                let [published, likely, held] = errors(shares, noise, 2000, 20, seed);
                assert!(held < published && held < 1.3 * likely, "{deviation}: {published} {likely} {held}");
            }
        }
    }

    /// Rounds that explain held-out values best by chance are not run, and those that clearly do are.
    #[test]
    fn even_masses_stay_unless_rounds_are_clearly_better() {
        let part = |gains: &[(f64, f64)]| -> Vec<Gain> {
            gains.iter().map(|&(sum, squares)| Gain { sum, squares }).collect()
        };
        // Two parts of 50 values gain 10 after round 1: the variance is 2·squares − 10²/100, so 2·19 gives an error of 6.08, of
        // which 10 is 1.644, and 2·18.9 one of 6.07, of which it is 1.648.
        for (squares, rounds) in [(19.0, 0), (18.9, 1)] {
            let told = [part(&[(0.0, 0.0), (5.0, squares), (4.0, 1.0)]), part(&[(0.0, 0.0), (5.0, squares)])];
            assert_eq!(worthwhile(&told, 100), rounds, "{squares}");
        }
        // Never better.
        assert_eq!(worthwhile(&[part(&[(0.0, 0.0), (-1.0, 0.1)])], 100), 0);
        // A part that is not explained any more is never the best.
        let lost = part(&[(0.0, 0.0), (f64::NEG_INFINITY, f64::INFINITY)]);
        assert_eq!(worthwhile(&[part(&[(0.0, 0.0), (5.0, 0.3)]), lost], 100), 0);
        assert_eq!(worthwhile(&[], 100), 0);
    }

    #[test]
    fn few_values_are_all_used() {
        let grid = Grid::even(0.0, 3.0, 3).unwrap();
        let noise = Noise::Gaussian { deviation: 1.0 };
        let few = [0.5, 1.5, 1.6];
        let options = Options::default();
        assert_eq!(
            reconstruct_held_out(&few, noise, &grid, &options).unwrap(),
            reconstruct(&few, noise, &grid, &options).unwrap()
        );
        assert!(reconstruct_held_out(&[], noise, &grid, &options).is_err());
        assert!(reconstruct_held_out(&[f64::NAN; 40], noise, &grid, &options).is_err());
        let exact = reconstruct_held_out(&[0.5; 40], Noise::NONE, &grid, &options).unwrap();
        assert!(exact.masses[0] > 0.999, "{exact:?}");
    }
}
