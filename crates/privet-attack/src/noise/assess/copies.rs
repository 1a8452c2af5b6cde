//! Averaging several releases of one table (survey AT-14): each has its own noise upon the same values.
//!
//! # Guarantee
//! Values are averaged with the inverse of the variances of their noise as weights, which leaves noise of the variance
//! 1/Σ(1/σᵢ²): the least of all weighted means where noise is independent. What another release publishes as it was is taken as it
//! is. One that repeats the published values has no new noise, and is left out. The original only scores what was found.

use privet_perturb::Law;

use super::table::{Table, variance_of};
use super::{Knowing, NoiseFinding, Outcome, PerturbedColumn, estimated, over, told, unit};
use crate::attacks::AttackWord;
use crate::noise::records::{NoiseAttackError, check_length};

/// The word of the attack in files.
pub const AVERAGING: &str = "averaging";

/// What it is.
pub(crate) const ABOUT_AVERAGING: AttackWord = AttackWord {
    word: AVERAGING,
    title: "Averaging",
    sentence: "The adversary gets the same number several times, each time with new noise, and takes the mean of all.",
    ..AttackWord::APART
};

/// Averages the columns of a release with those of other releases of the same table, which have the same records in the same
/// order, and scores what comes of it.
///
/// # Errors
/// As [`super::assess`]; when another release has another number of records.
pub fn average_copies(
    columns: &[PerturbedColumn<'_>],
    others: &[Vec<PerturbedColumn<'_>>],
    knowing: &Knowing,
) -> Result<NoiseFinding, NoiseAttackError> {
    let table = Table::new(columns)?;
    let finding = |outcome, verdict: String| NoiseFinding {
        attack: AVERAGING,
        columns: table.noisy(),
        assumes: "the release, other releases of the same table with the same records in the same order, and the published noise \
                  models of all",
        outcome,
        verdict,
        links: Vec::new(),
    };
    if let Some(why) = table.cannot() {
        return Ok(finding(Outcome::NotMade, why.to_owned()));
    }
    let (mut used, mut repeated) = (0, 0);
    let mut means: Vec<(Vec<f64>, f64)> = Vec::with_capacity(columns.len());
    for (column, own) in columns.iter().zip(&table.variances) {
        let mut copies = vec![(column.values, noise_of(column, *own))];
        for other in others.iter().filter(|_| *own > 0.0) {
            let Some(copy) = other.iter().find(|copy| copy.name == column.name) else { continue };
            check_length("records in another release", copy.values.len(), column.values.len())?;
            match copies.iter().any(|(values, _)| is_same(values, copy.values)) {
                true => repeated += 1,
                false => copies.push((copy.values, noise_of(copy, variance_of(copy)))),
            }
        }
        used += copies.len() - 1;
        means.push(mean(&copies));
    }
    if used == 0 {
        let why = match repeated {
            0 => "the other releases have none of the columns with noise.",
            _ => {
                "the other releases repeat the published values, and bring no new noise that could be averaged."
            }
        };
        return Ok(finding(Outcome::NotMade, why.to_owned()));
    }
    let averaged: Vec<PerturbedColumn<'_>> = columns
        .iter()
        .zip(&means)
        .map(|(column, (values, _))| PerturbedColumn { values, ..*column })
        .collect();
    // The same records are without missing values, so they stand in the same places.
    let mut estimates = Table::new(&averaged)?.published;
    let deviations = table.deviations();
    let left = |((_, variance), deviation): (&(Vec<f64>, f64), &f64)| match *deviation > 0.0 {
        true => variance.sqrt() / deviation,
        false => 0.0,
    };
    let mut errors: Vec<f64> = means.iter().zip(&deviations).map(left).collect();
    let rounded = table.round(&mut estimates, &mut errors, knowing);
    let expected_error = over(&errors, &deviations);
    let score = table.score(&estimates, knowing)?;
    let errors = table.beyond_means(&errors);
    let outcome = estimated(expected_error, &errors, score, knowing);
    let verdict = format!(
        "Averaging the columns with noise over {} {}.{}{}{}{}",
        match others.len() {
            1 => "two releases".to_owned(),
            many => format!("{} releases", many + 1),
        },
        told(&outcome),
        match repeated {
            0 => "",
            _ => " Columns that repeat the published values bring no new noise, and were left out.",
        },
        unit::words(rounded),
        table.worst(&outcome, &errors),
        table.left_out()
    );
    Ok(finding(outcome, verdict))
}

/// The variance of the noise with what rounding adds: that of an even error within one step (Sheppard).
fn noise_of(column: &PerturbedColumn<'_>, variance: f64) -> f64 {
    match column.law {
        Law::Add(_) if variance > 0.0 => variance + column.step * column.step / 12.0,
        _ => variance,
    }
}

/// Whether all values are the same, missing ones too.
fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

/// The weighted mean of copies, and the variance of its noise where no copy lacks a value. What the first lacks is missing.
fn mean(copies: &[(&[f64], f64)]) -> (Vec<f64>, f64) {
    let exact = copies.iter().find(|(_, variance)| *variance == 0.0);
    let first = copies.first().map_or(&[][..], |own| own.0);
    let at = |record: usize, values: &[f64]| values.get(record).copied().filter(|own| !own.is_nan());
    let values = first.iter().enumerate().map(|(record, &own)| {
        if own.is_nan() {
            return own;
        }
        if let Some(exact) = exact.and_then(|(values, _)| at(record, values)) {
            return exact;
        }
        let known = copies.iter().filter(|(_, variance)| *variance > 0.0);
        let known = known.filter_map(|(values, variance)| Some((at(record, values)?, 1.0 / variance)));
        // Measured from the first, so that large numbers lose nothing.
        let (sum, weights) = known
            .fold((0.0, 0.0), |(sum, all), (value, weight)| (sum + weight * (value - own), all + weight));
        if weights > 0.0 { own + sum / weights } else { own }
    });
    let weights: f64 = copies.iter().map(|(_, variance)| 1.0 / variance).sum();
    (values.collect(), 1.0 / weights)
}

#[cfg(test)]
mod tests {
    use privet_data::Random;
    use privet_perturb::Noise;

    use super::*;

    /// Even numbers of variance 1 and more, by a generator of its own.
    fn even(random: &mut Random, deviation: f64) -> f64 {
        (random.unit() - 0.5) * 12f64.sqrt() * deviation
    }

    fn column<'a>(values: &'a [f64], original: Option<&'a [f64]>, deviation: f64) -> PerturbedColumn<'a> {
        let law = Law::Add(Noise::Uniform { half_width: 3f64.sqrt() * deviation });
        PerturbedColumn { name: "x", values, law, step: 0.0, unit: 0.0, together: None, original }
    }

    /// By hand: copies 10 and 16 with variances 1 and 2 average to 12, with a variance of 2/3.
    #[test]
    fn weights_are_inverse_variances() {
        let (a, b) = ([10.0, f64::NAN, 3.0], [16.0, 1.0, f64::NAN]);
        let (values, variance) = mean(&[(&a, 1.0), (&b, 2.0)]);
        assert!((values[0] - 12.0).abs() < 1e-12 && values[1].is_nan() && values[2] == 3.0);
        assert!((variance - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(mean(&[(&a, 1.0), (&b, 0.0)]).0[0], 16.0);
        assert_eq!(mean(&[(&a, 1.0), (&b, 0.0)]).1, 0.0);
    }

    /// Noise of deviations 3 and 4 leaves 2.4, or 0.8 of the first: the error that is made is the one that is expected, to six
    /// standard errors of a mean square of noise that is even. Copies that repeat what is published tell nothing.
    #[test]
    fn copies_are_averaged_and_repetitions_are_not() {
        let mut random = Random::stream(1, 2);
        let n = 20_000;
        let truth: Vec<f64> = (0..n).map(|_| even(&mut random, 30.0)).collect();
        let mut noisy = |deviation: f64| -> Vec<f64> {
            truth.iter().map(|own| own + even(&mut random, deviation)).collect()
        };
        let (a, b) = (noisy(3.0), noisy(4.0));
        let own = [column(&a, Some(&truth), 3.0)];
        let found = average_copies(&own, &[vec![column(&b, None, 4.0)]], &Knowing::default()).unwrap();
        let Outcome::Estimated { succeeded, expected_error, score: Some(score) } = found.outcome else {
            panic!("{found:?}")
        };
        assert!((expected_error - 0.8).abs() < 1e-9, "{found:?}");
        assert!(
            succeeded && (score.estimate_error - 0.8).abs() < 6.0 * 0.8 / (2.0 * f64::from(n)).sqrt(),
            "{found:?}"
        );
        let again = average_copies(&own, &[vec![column(&a, None, 3.0)]], &Knowing::default()).unwrap();
        assert!(again.outcome == Outcome::NotMade && again.verdict.contains("no new noise"), "{again:?}");
        // What another release publishes as it was is known.
        let kept = PerturbedColumn { law: Law::Keep, ..column(&truth, None, 1.0) };
        let told = average_copies(&own, &[vec![kept]], &Knowing::default()).unwrap();
        let Outcome::Estimated { score: Some(score), .. } = told.outcome else { panic!("{told:?}") };
        assert_eq!(score.recovered.hits, n as u64);
        assert!(average_copies(&own, &[vec![column(&a[1..], None, 3.0)]], &Knowing::default()).is_err());
    }
}
