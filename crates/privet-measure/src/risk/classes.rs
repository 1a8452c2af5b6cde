//! Risks of re-identification from the sizes of classes: prosecutor, journalist, marketer (beside survey PM-05,
//! PM-23).
//!
//! Class j has f_j released records and F_j ≥ f_j people of the population, n = Σ f_j. Who tries to find a person
//! picks one candidate of the class at random.
//!
//! - *prosecutor*: knows that the person is in the release: 1/f_j;
//! - *journalist*: does not know: 1/F_j, for the person may be any of the F_j;
//! - *marketer*: wants as many as possible, and is right about Σ_j f_j/F_j records of n in expectation.
//!
//! # Guarantee
//! Averages and shares are over released records. Classes without released records count nowhere; of no record every
//! risk is 0. The average of the journalist and the marketer's share are the same number by linearity of expectation;
//! they differ in what is asked, and both are here under their names.

/// Why a risk cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum RiskError {
    /// Other numbers of classes in the release and in the population.
    #[error("{released} classes have a released size, but {population} have a population size")]
    Length {
        /// Sizes in the release.
        released: usize,
        /// Sizes in the population.
        population: usize,
    },
    /// A class has fewer people than released records.
    #[error("class {class} has fewer people in the population than records in the release")]
    Population {
        /// The class, counted from 0.
        class: usize,
    },
    /// The threshold is no probability.
    #[error("the threshold of risk must be between 0 and 1")]
    Threshold,
}

/// What records risk.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReidentificationRisk {
    /// The risk of the record that is most at risk.
    pub highest: f64,
    /// The average risk of a record.
    pub average: f64,
    /// The share of records whose risk is above the threshold.
    pub above: f64,
}

/// The risk when it is known who is in the release: 1/f_j.
///
/// # Errors
/// When the threshold is not between 0 and 1.
pub fn prosecutor(sizes: &[u64], threshold: f64) -> Result<ReidentificationRisk, RiskError> {
    of_classes(sizes.iter().map(|&size| (size, size)), threshold)
}

/// The risk when it is not known who is in the release: 1/F_j.
///
/// # Errors
/// When the threshold is not between 0 and 1, the slices differ in length, or a class has fewer people than released
/// records.
pub fn journalist(
    sizes: &[u64],
    population: &[u64],
    threshold: f64,
) -> Result<ReidentificationRisk, RiskError> {
    check(sizes, population)?;
    of_classes(sizes.iter().copied().zip(population.iter().copied()), threshold)
}

/// The expected share of released records that are told right: (1/n) Σ_j f_j/F_j. Without sizes in the population the
/// release is the population, and the share is the number of classes over that of records.
///
/// # Errors
/// When the slices differ in length, or a class has fewer people than released records.
pub fn marketer(sizes: &[u64], population: Option<&[u64]>) -> Result<f64, RiskError> {
    let population = population.unwrap_or(sizes);
    check(sizes, population)?;
    of_classes(sizes.iter().copied().zip(population.iter().copied()), 1.0).map(|risk| risk.average)
}

/// Records that are alone in their class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SampleUniques {
    /// Released records that no other released record equals.
    pub sample: u64,
    /// Those among them that no other person of the population equals; `None` when the population is not known.
    pub population: Option<u64>,
}

/// How many records are alone in their class.
///
/// # Errors
/// When the slices differ in length, or a class has fewer people than released records.
pub fn sample_uniques(sizes: &[u64], population: Option<&[u64]>) -> Result<SampleUniques, RiskError> {
    let sample = sizes.iter().filter(|&&size| size == 1).count() as u64;
    let population = match population {
        Some(population) => {
            check(sizes, population)?;
            let both = |(size, people): &(&u64, &u64)| **size == 1 && **people == 1;
            Some(sizes.iter().zip(population).filter(both).count() as u64)
        }
        None => None,
    };
    Ok(SampleUniques { sample, population })
}

fn check(sizes: &[u64], population: &[u64]) -> Result<(), RiskError> {
    if sizes.len() != population.len() {
        return Err(RiskError::Length { released: sizes.len(), population: population.len() });
    }
    match sizes.iter().zip(population).position(|(size, people)| people < size) {
        Some(class) => Err(RiskError::Population { class }),
        None => Ok(()),
    }
}

/// From released records and candidates per class.
fn of_classes(
    classes: impl Iterator<Item = (u64, u64)>,
    threshold: f64,
) -> Result<ReidentificationRisk, RiskError> {
    if !(0.0..=1.0).contains(&threshold) {
        return Err(RiskError::Threshold);
    }
    let (mut records, mut highest, mut sum, mut above) = (0u128, 0f64, 0.0, 0u128);
    for (released, candidates) in classes.filter(|&(released, _)| released > 0) {
        let risk = 1.0 / candidates as f64;
        records += u128::from(released);
        highest = highest.max(risk);
        sum += released as f64 * risk;
        above += if risk > threshold { u128::from(released) } else { 0 };
    }
    if records == 0 {
        return Ok(ReidentificationRisk::default());
    }
    let all = records as f64;
    Ok(ReidentificationRisk { highest, average: (sum / all).min(1.0), above: above as f64 / all })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // Survey FX-1.2: three classes of four.
        let risk = prosecutor(&[4, 4, 4], 0.2).unwrap();
        assert_eq!(risk, ReidentificationRisk { highest: 0.25, average: 0.25, above: 1.0 });
        // 1 + 1 + 1 expected right of 8; the record alone is above 1/5, those of the class of five are not.
        let risk = prosecutor(&[1, 2, 5], 0.2).unwrap();
        assert_eq!(risk, ReidentificationRisk { highest: 1.0, average: 3.0 / 8.0, above: 3.0 / 8.0 });
        let risk = journalist(&[1, 2, 5], &[10, 2, 20], 0.2).unwrap();
        assert_eq!(
            risk,
            ReidentificationRisk { highest: 0.5, average: (0.1 + 1.0 + 0.25) / 8.0, above: 0.25 }
        );
        assert_eq!(marketer(&[1, 2, 5], None), Ok(3.0 / 8.0));
        assert_eq!(marketer(&[1, 2, 5], Some(&[10, 2, 20])), Ok((0.1 + 1.0 + 0.25) / 8.0));
        let uniques = sample_uniques(&[1, 1, 3, 0], Some(&[1, 4, 3, 1])).unwrap();
        assert_eq!(uniques, SampleUniques { sample: 2, population: Some(1) });
        assert_eq!(sample_uniques(&[1, 2], None), Ok(SampleUniques { sample: 1, population: None }));
    }

    #[test]
    fn a_class_without_records_counts_nowhere() {
        assert_eq!(prosecutor(&[0, 3], 0.5), prosecutor(&[3], 0.5));
        assert_eq!(journalist(&[0, 3], &[1, 6], 0.5), journalist(&[3], &[6], 0.5));
        assert_eq!(prosecutor(&[], 0.5), Ok(ReidentificationRisk::default()));
        assert_eq!(journalist(&[0], &[0], 0.5), Ok(ReidentificationRisk::default()));
        assert_eq!(marketer(&[], None), Ok(0.0));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for threshold in [-0.1, 1.1, f64::NAN] {
            assert_eq!(prosecutor(&[1], threshold), Err(RiskError::Threshold));
        }
        assert_eq!(journalist(&[1, 1], &[1], 0.5), Err(RiskError::Length { released: 2, population: 1 }));
        assert_eq!(marketer(&[1, 3], Some(&[1, 2])), Err(RiskError::Population { class: 1 }));
        assert_eq!(sample_uniques(&[1], Some(&[0])), Err(RiskError::Population { class: 0 }));
        assert!(prosecutor(&[u64::MAX, u64::MAX], 0.5).is_ok());
    }

    proptest! {
        #[test]
        fn is_what_counting_records_gives(
            classes in prop::collection::vec((0u64..9, 0u64..9), 0..20),
            at in 0.0..1.0f64,
        ) {
            let (sizes, population): (Vec<u64>, Vec<u64>) =
                classes.iter().map(|&(size, more)| (size, size + more)).unzip();
            let risks: Vec<f64> = sizes.iter().zip(&population)
                .flat_map(|(&size, &people)| (0..size).map(move |_| 1.0 / people as f64)).collect();
            let found = journalist(&sizes, &population, at).unwrap();
            let n = risks.len().max(1) as f64;
            prop_assert!((found.average - risks.iter().sum::<f64>() / n).abs() < 1e-12);
            prop_assert_eq!(found.highest, risks.iter().copied().fold(0.0, f64::max));
            prop_assert_eq!(found.above, risks.iter().filter(|&&risk| risk > at).count() as f64 / n);
        }
    }
}
