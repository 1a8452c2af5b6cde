use super::*;
use crate::SeededCoins;
use crate::testing::{assert_mean, assert_near, moments};
use proptest::prelude::*;

/// P(t → t′) by enumeration, for sets as bits: every j, every choice of j items, every choice of added items.
fn probability(select: &SelectASize, from: u32, to: u32) -> f64 {
    let m = from.count_ones();
    let overlap = from & to;
    let kept = overlap.count_ones();
    let choices = (0..1u32 << select.items).filter(|s| s & !from == 0 && s.count_ones() == kept).count();
    let added = (to & !from).count_ones() as i32;
    let not_added = (select.items - m) as i32 - added;
    select.keep[kept as usize] / choices as f64 * select.add.powi(added) * (1.0 - select.add).powi(not_added)
}

fn distribution(values: &[f64]) -> Vec<f64> {
    let sum: f64 = values.iter().sum();
    values.iter().map(|value| value / sum).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// γ and the transition matrix, against all sets of a small universe.
    #[test]
    fn against_all_sets(
        m in 1usize..4, more in 0u32..4, weights in prop::collection::vec(0.01f64..1.0, 4), add in 0.05f64..0.95,
    ) {
        let items = m as u32 + more;
        let select = SelectASize::new(distribution(&weights[..=m]), add, items).unwrap();
        let sets: Vec<u32> = (0..1u32 << items).filter(|set| set.count_ones() as usize == m).collect();
        let mut worst = 1.0f64;
        for to in 0..1u32 << items {
            let all = sets.iter().map(|&from| probability(&select, from, to));
            let (low, high) = all.fold((f64::INFINITY, 0.0f64), |(low, high), p| (low.min(p), high.max(p)));
            worst = worst.max(high / low);
        }
        prop_assert!((select.gamma() / worst - 1.0).abs() < 1e-9);
        for k in 0..=m {
            let candidate = (1u32 << k) - 1;
            let matrix = select.transition(k).unwrap();
            for &from in &sets {
                let mut row = vec![0.0; k + 1];
                for to in 0..1u32 << items {
                    row[(to & candidate).count_ones() as usize] += probability(&select, from, to);
                }
                let l = (from & candidate).count_ones() as usize;
                for (after, p) in row.iter().enumerate() {
                    prop_assert!((matrix.probability(l, after).unwrap() - p).abs() < 1e-12);
                }
            }
        }
    }

    /// No other parameters with the same γ keep more.
    #[test]
    fn amplifying_keeps_the_most(
        weights in prop::collection::vec(0.0f64..1.0, 4), add in 0.05f64..0.95, gamma in 1.0f64..30.0,
    ) {
        let best = SelectASize::amplifying(3, 8, add, gamma).unwrap();
        prop_assert!(best.gamma() <= gamma * (1.0 + 1e-9));
        // Any w between 1 and γ.
        let other = |(q, weight): (usize, &f64)| {
            [1.0, 3.0, 3.0, 1.0][q] * (add / (1.0 - add)).powi(q as i32) * (1.0 + weight * (gamma - 1.0))
        };
        let other: Vec<f64> = weights.iter().enumerate().map(other).collect();
        let other = SelectASize::new(distribution(&other), add, 8).unwrap();
        prop_assert!(other.gamma() <= gamma * (1.0 + 1e-9));
        prop_assert!(other.expected_kept() <= best.expected_kept() + 1e-9);
    }
}

/// How often items are kept and added, and that the sample is even. False alarm: 1e-6 for all 9.
#[test]
fn items_are_kept_and_added_as_said() {
    let select = SelectASize::new(vec![0.1, 0.2, 0.3, 0.4], 0.15, 9).unwrap();
    let runs = 40_000;
    let sets = vec![vec![7, 2, 4]; runs];
    let drawn = select.randomize(&sets, &mut SeededCoins::new(21)).unwrap().value;
    let mut counts = [0u32; 9];
    for set in &drawn {
        assert!(set.is_sorted());
        set.iter().for_each(|&item| counts[item as usize] += 1);
    }
    let n = runs as f64;
    for (item, count) in counts.into_iter().enumerate() {
        let p = if [2, 4, 7].contains(&item) { 2.0 / 3.0 } else { 0.15 };
        assert_mean(f64::from(count) / n, p, (p * (1.0 - p) / n).sqrt(), 9);
    }
}

/// Bias, variance and coverage of the support of a pair. False alarm: 1e-6 for all.
#[test]
fn supports_are_unbiased() {
    let select = SelectASize::new(vec![0.05, 0.15, 0.3, 0.5], 0.1, 20).unwrap();
    // {1, 2} is in 120 of 400 sets, one of both in 80 more.
    let set = |i: u32| match i % 10 {
        0..3 => vec![1, 2, 5],
        3 => vec![1, 8, 9],
        4 => vec![2, 9, 11],
        _ => vec![12, 17, 19],
    };
    let sets: Vec<Vec<u32>> = (0..400).map(set).collect();
    let mut coins = SeededCoins::new(31);
    let (mut all, mut said, mut one, mut covered) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let runs = 1000;
    for _ in 0..runs {
        let randomized = select.randomize(&sets, &mut coins).unwrap().value;
        let support = select.support(&[2, 1], &randomized, Population::Fixed).unwrap();
        all.push(support.all.value);
        said.push(support.all.variance);
        one.push(support.partial.unwrap().counts[1]);
        let (low, high) = support.all.interval(0.95).unwrap();
        covered += u32::from((low..=high).contains(&120.0));
    }
    let n = f64::from(runs);
    let ((mean, variance), (said, _)) = (moments(&all), moments(&said));
    assert_mean(mean, 120.0, (variance / n).sqrt(), 4);
    assert_mean(variance, said, said * (2.0 / n).sqrt(), 4);
    let (mean, variance) = moments(&one);
    assert_mean(mean, 80.0, (variance / n).sqrt(), 4);
    let share = f64::from(covered) / n;
    assert_mean(share, share.clamp(0.94, 0.96), (0.0475 / n).sqrt(), 4);
}

#[test]
fn edges() {
    assert!(SelectASize::new(vec![], 0.1, 5).is_err() && SelectASize::new(vec![0.5, 0.6], 0.1, 5).is_err());
    assert!(
        SelectASize::new(vec![0.5, 0.5], 1.1, 5).is_err()
            && SelectASize::new(vec![0.5, 0.5], 0.1, 0).is_err()
    );
    assert!(
        SelectASize::amplifying(3, 8, 0.0, 2.0).is_err() && SelectASize::amplifying(3, 8, 0.5, 0.5).is_err()
    );
    assert!(
        SelectASize::amplifying(9, 8, 0.5, 2.0).is_err()
            && SelectASize::amplifying(5000, 9000, 0.5, 2.0).is_err()
    );
    let mut coins = SeededCoins::new(1);
    // Everything is kept and nothing added, or the other way round.
    let all = SelectASize::new(vec![0.0, 0.0, 1.0], 0.0, 5).unwrap();
    assert_eq!(all.randomize(&[vec![4, 1]], &mut coins).unwrap().value, [[1, 4]]);
    assert_eq!(all.gamma(), f64::INFINITY);
    let none = SelectASize::new(vec![1.0, 0.0, 0.0], 1.0, 5).unwrap();
    assert_eq!(none.randomize(&[vec![4, 1]], &mut coins).unwrap().value, [[0, 2, 3]]);
    let blind = SelectASize::new(vec![1.0, 0.0], 0.0, 5).unwrap();
    assert_eq!(blind.gamma(), 1.0);
    assert_eq!(blind.support(&[1], &[vec![]], Population::Fixed), Err(PerturbError::Singular));
    for bad in [vec![1, 1], vec![1], vec![1, 2, 3], vec![1, 5]] {
        assert!(all.randomize(&[bad], &mut coins).is_err());
    }
    assert!(all.support(&[1, 1], &[], Population::Fixed).is_err());
    assert!(all.support(&[5], &[], Population::Fixed).is_err());
    assert!(all.transition(3).is_err());
    // More items than any set has.
    assert_eq!(all.support(&[0, 1, 2], &[vec![0, 1, 2]], Population::Fixed).unwrap().all.value, 0.0);
    // No item: every set holds it.
    let empty = all.support(&[], &[vec![0, 1], vec![2, 3]], Population::Fixed).unwrap();
    assert_near(empty.all.value, 2.0, 1e-12);
    // A universe as large as can be is no more work.
    assert!(SelectASize::amplifying(5, u32::MAX, 1e-6, 19.0).unwrap().gamma() < 19.0 + 1e-6);
    assert!(SelectASize::new(vec![0.0; 5000], 0.5, 9000).is_err());
    let nothing = SelectASize::new(vec![1.0], 0.5, 3).unwrap();
    assert_eq!((nothing.size(), nothing.gamma()), (0, 1.0));
}

/// A γ that was asked for holds, or there is no law: probabilities that become 0 would leave none.
#[test]
fn what_is_too_small_to_write_down_is_refused() {
    for (size, items, add) in [(1000, 20_000, 0.3), (150, 20_000, 0.001)] {
        let refused = SelectASize::amplifying(size, items, add, 19.0).unwrap_err();
        assert!(refused.to_string().contains("too small to write down"), "{refused}");
    }
    // The smallest probability is about 2^-1000, or 10^-270.
    for (size, items, add) in [(1000, 20_000, 0.5), (90, 20_000, 0.001), (1000, u32::MAX, 0.5)] {
        let gamma = SelectASize::amplifying(size, items, add, 19.0).unwrap().gamma();
        assert!(gamma > 1.0 && gamma <= 19.0 * (1.0 + 1e-9), "{gamma}");
    }
}

/// Items that are kept one by one: P(l → l′) of a single item is the retention and ρ, and the number that is kept is
/// binomial.
#[test]
fn keeping_one_by_one() {
    let law = SelectASize::keeping(0.7, 3, 9, 0.2).unwrap();
    for (found, expected) in law.keep().iter().zip([0.027, 0.189, 0.441, 0.343]) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    let single = law.transition(1).unwrap();
    let rows: Vec<&[f64]> = single.rows().collect();
    assert!((rows[0][1] - 0.2).abs() < 1e-12 && (rows[1][1] - 0.7).abs() < 1e-12, "{rows:?}");
    assert_eq!(SelectASize::keeping(1.0, 2, 4, 0.5).unwrap().keep(), [0.0, 0.0, 1.0]);
    assert_eq!(SelectASize::keeping(0.0, 2, 4, 0.5).unwrap().keep(), [1.0, 0.0, 0.0]);
    assert!(SelectASize::keeping(1.5, 2, 4, 0.5).is_err() && SelectASize::keeping(0.5, 5, 4, 0.5).is_err());
    assert!(SelectASize::keeping(f64::NAN, 2, 4, 0.5).is_err());
}
