//! Samples: their size and order, and that every part of the records is equally likely.
//!
//! Statistical tests compare a count of draws with its expectation; limits are so many standard deviations off that
//! a correct sampler fails a test function in fewer than 1 of 10^6 runs. Seeds are fixed, so runs agree.

use privet_data::{Cancelled, Progress, Silent};
use privet_recode::bucket::{Sampling, SamplingKind};
use privet_recode::lattice::SearchError;
use proptest::prelude::*;

const DRAWS: u64 = 20_000;

fn sample(fraction: f64, kind: SamplingKind, rows: usize, seed: u64) -> Vec<u32> {
    Sampling { fraction, kind }.sample(rows, seed, &Silent).unwrap()
}

/// With up to 30 counts compared per test, 6 standard deviations are off by chance in 30 × 2e-9 of runs.
fn is_close(count: u64, probability: f64) -> bool {
    let sigma = (DRAWS as f64 * probability * (1.0 - probability)).sqrt();
    (count as f64 - DRAWS as f64 * probability).abs() < 6.0 * sigma
}

proptest! {
    #[test]
    fn has_its_size_and_order(rows in 0usize..500, fraction in 0.001f64..=1.0, seed in any::<u64>()) {
        let taken = sample(fraction, SamplingKind::Simple, rows, seed);
        prop_assert_eq!(taken.len(), (fraction * rows as f64).round() as usize);
        prop_assert!(taken.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(taken.iter().all(|&record| (record as usize) < rows));
        prop_assert_eq!(&taken, &sample(fraction, SamplingKind::Simple, rows, seed));
        let bernoulli = sample(fraction, SamplingKind::Bernoulli, rows, seed);
        prop_assert!(bernoulli.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

/// All 20 sets of 3 out of 6 records.
#[test]
fn every_set_is_equally_likely() {
    let mut counts = std::collections::BTreeMap::new();
    for seed in 0..DRAWS {
        *counts.entry(sample(0.5, SamplingKind::Simple, 6, seed)).or_insert(0u64) += 1;
    }
    assert_eq!(counts.len(), 20);
    assert!(counts.values().all(|&count| is_close(count, 1.0 / 20.0)), "{counts:?}");
}

#[test]
fn every_record_is_equally_likely() {
    for (kind, probability) in [(SamplingKind::Simple, 0.3), (SamplingKind::Bernoulli, 0.3)] {
        let mut counts = [0u64; 10];
        let mut first_two = 0;
        for seed in 0..DRAWS {
            let taken = sample(0.3, kind, 10, seed);
            taken.iter().for_each(|&record| counts[record as usize] += 1);
            first_two += u64::from(taken.starts_with(&[0, 1]));
        }
        assert!(counts.iter().all(|&count| is_close(count, probability)), "{kind:?} {counts:?}");
        // Without replacement 3/10 · 2/9 together; independent 0.09.
        let together = if kind == SamplingKind::Simple { 1.0 / 15.0 } else { 0.09 };
        assert!(is_close(first_two, together), "{kind:?} {first_two}");
    }
}

#[test]
fn edges_and_bad_parameters() {
    assert!(sample(0.5, SamplingKind::Simple, 0, 1).is_empty());
    assert_eq!(sample(1.0, SamplingKind::Simple, 4, 1), [0, 1, 2, 3]);
    assert_eq!(sample(1.0, SamplingKind::Bernoulli, 4, 1), [0, 1, 2, 3]);
    assert!(sample(0.01, SamplingKind::Simple, 4, 1).is_empty());
    assert_eq!(sample(0.01, SamplingKind::Simple, 1000, 1).len(), 10);
    for fraction in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        let refused = Sampling { fraction, kind: SamplingKind::Simple }.sample(5, 0, &Silent);
        assert!(
            matches!(refused, Err(SearchError::Parameter { key: "sampling.fraction", .. })),
            "{fraction}"
        );
    }
    let parsed: Sampling = serde_json::from_str(r#"{"fraction": 0.1, "kind": "bernoulli"}"#).unwrap();
    assert_eq!(parsed, Sampling { fraction: 0.1, kind: SamplingKind::Bernoulli });
    assert_eq!(Sampling::default().fraction, 0.01);
    assert!(serde_json::from_str::<Sampling>(r#"{"part": 0.1}"#).is_err());
}

#[test]
fn stops_on_request() {
    struct Stop;
    impl Progress for Stop {
        fn stage(&self, _: &str, _: Option<u64>) {}
        fn at(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    assert_eq!(Sampling::default().sample(100, 0, &Stop), Err(SearchError::Cancelled(Cancelled)));
}
