use super::*;
use crate::testing::{assert_mean, assert_near};
use crate::{Coins, SeededCoins, additive_noise};
use proptest::prelude::*;

const UNIT: Noise = Noise::Uniform { half_width: 1.0 };
const VALUES: [f64; 4] = [0.2, 1.4, 1.6, 2.9];

fn three() -> Grid {
    Grid::even(0.0, 3.0, 3).unwrap()
}

fn exact(kernel: Kernel, stop: Stop) -> Options {
    Options { kernel, cells: None, stop, unit: None, step: None }
}

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(a, b)| assert_near(*a, *b, tolerance));
}

/// papers FX-T5, T-AL1: the middle mass is exactly 1/(t+3) after t rounds, so the limit 0 is reached slowly.
#[test]
fn bayes_on_the_fixture() {
    for (rounds, expected) in [
        (1, [3.0 / 8.0, 1.0 / 4.0, 3.0 / 8.0]),
        (2, [2.0 / 5.0, 1.0 / 5.0, 2.0 / 5.0]),
        (3, [5.0 / 12.0, 1.0 / 6.0, 5.0 / 12.0]),
        (4, [3.0 / 7.0, 1.0 / 7.0, 3.0 / 7.0]),
    ] {
        let found =
            reconstruct(&VALUES, UNIT, &three(), &exact(Kernel::Midpoint, Stop::after(rounds))).unwrap();
        near(&found.masses, &expected, 1e-12);
        assert_eq!((found.rounds(), found.stopped, found.unreachable), (rounds, Stopped::Rounds, 0));
    }
    let long = reconstruct(&VALUES, UNIT, &three(), &exact(Kernel::Midpoint, Stop::after(1000))).unwrap();
    assert_near(long.masses[1], 1.0 / 1003.0, 1e-12);
    // DEF-28: the rule of the text stops when the middle mass is still 0.037; the gap says that it is not done.
    let change = Stop { change: 1e-3, ..Stop::after(100_000) };
    let early = reconstruct(&VALUES, UNIT, &three(), &exact(Kernel::Midpoint, change)).unwrap();
    assert_eq!(early.stopped, Stopped::Change);
    assert!(early.masses[1] > 0.03 && early.gap > 1e-3, "{early:?}");
}

/// papers FX-T5, T-AL2.
#[test]
fn intervals_on_the_fixture() {
    let first = reconstruct(&VALUES, UNIT, &three(), &exact(Kernel::Interval, Stop::after(1))).unwrap();
    near(&first.masses, &[1.0 / 3.0, 83.0 / 264.0, 31.0 / 88.0], 1e-12);
    let stop = Stop { gap: 1e-12, ..Stop::after(100_000) };
    let limit = reconstruct(&VALUES, UNIT, &three(), &exact(Kernel::Interval, stop)).unwrap();
    near(&limit.masses, &[0.382_368, 0.214_251, 0.403_381], 1e-6);
    near(&limit.densities(&three()), &limit.masses, 1e-12);
    assert!(limit.log_likelihood.is_sorted());
}

fn sample(n: usize, seed: u64, noise: Noise, mut original: impl FnMut(&mut SeededCoins) -> f64) -> Vec<f64> {
    let mut coins = SeededCoins::new(seed);
    let values: Vec<f64> = (0..n).map(|_| original(&mut coins)).collect();
    additive_noise(&values, noise, &mut coins).unwrap().value
}

fn two_blocks(coins: &mut SeededCoins) -> f64 {
    let start = if coins.chance(0.7).unwrap() { 0.0 } else { 6.0 };
    start + 2.0 * coins.unit().unwrap()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

/// papers FX-T5, statistical check (and exercise 3): 3000 draws of 0.7·U(0,2) + 0.3·U(6,8) with noise on [−2, 2] are
/// reconstructed to a distance of about 0.08; the raw values are at 0.51.
#[test]
fn two_blocks_are_found_again() {
    let noise = Noise::Uniform { half_width: 2.0 };
    let values = sample(3000, 8, noise, two_blocks);
    let grid = Grid::even(0.0, 8.0, 16).unwrap();
    let truth: Vec<f64> = (0..16).map(|i| [0.7 / 4.0, 0.0, 0.0, 0.3 / 4.0][i / 4]).collect();
    // What lies outside of the range is a place of its own.
    let mut raw = vec![0.0; 17];
    values.iter().for_each(|&value| raw[grid.interval_of(value).unwrap_or(16)] += 1.0 / 3000.0);
    assert_near(distance(&raw, &[truth.as_slice(), &[0.0]].concat()), 0.51, 0.03);
    for kernel in [Kernel::Midpoint, Kernel::Interval] {
        for cells in [None, Some(16)] {
            let options = Options { kernel, cells, stop: Stop::after(100), unit: None, step: None };
            let found = reconstruct(&values, noise, &grid, &options).unwrap();
            let away = distance(&found.masses, &truth);
            assert!(away < 0.15, "{kernel:?} {cells:?}: {away}");
        }
    }
}

/// papers exercise 2 (T-TH12): uniform on (0, 1) with uniform noise on (0, 1) can only be all 0. With 20 intervals on
/// [−1, 1] the mass is in the two next to 0.
#[test]
fn what_is_as_wide_as_its_noise_is_a_point() {
    let mut coins = SeededCoins::new(12);
    // The noise here is on (−½, ½), so the values and the point are moved by ½.
    let values: Vec<f64> = (0..2000).map(|_| coins.unit().unwrap() - 0.5).collect();
    let noise = Noise::Uniform { half_width: 0.5 };
    let grid = Grid::even(-1.0, 1.0, 20).unwrap();
    let stop = Stop { gap: 1e-6, ..Stop::after(20_000) };
    let found = reconstruct(&values, noise, &grid, &exact(Kernel::Interval, stop)).unwrap();
    assert!(found.masses[9] + found.masses[10] > 0.95, "{:?}", found.masses);
}

/// A million values, binned. The mass of an interval is right up to what chance explains (its deviation is not known in
/// closed form; 0.01 is far more than what was seen with other seeds, and far less than the 0.1 of the raw values).
#[test]
fn a_million_values() {
    let noise = Noise::Gaussian { deviation: 1.0 };
    let values = sample(1_000_000, 4, noise, two_blocks);
    let grid = Grid::even(-1.0, 9.0, 10).unwrap();
    let found = reconstruct(&values, noise, &grid, &Options::default()).unwrap();
    let truth = [0.0, 0.35, 0.35, 0.0, 0.0, 0.0, 0.0, 0.15, 0.15, 0.0];
    found.masses.iter().zip(truth).for_each(|(a, b)| assert_near(*a, b, 0.01));
    assert_eq!(found.stopped, Stopped::Gap);
    assert!(found.gap < 1e-4 && found.unreachable == 0);
}

/// The mean of the reconstruction is that of the values, up to chance. False alarm: 1e-6.
#[test]
fn the_mean_is_kept() {
    let noise = Noise::Gaussian { deviation: 0.5 };
    let n = 20_000;
    let values = sample(n, 14, noise, |coins| coins.unit().unwrap() + coins.unit().unwrap());
    let grid = Grid::even(-0.5, 2.5, 30).unwrap();
    let found = reconstruct(&values, noise, &grid, &Options::default()).unwrap();
    let mean: f64 = found.masses.iter().zip(grid.intervals()).map(|(m, (a, b))| m * 0.5 * (a + b)).sum();
    assert_mean(mean, 1.0, ((1.0 / 6.0 + 0.25) / n as f64).sqrt(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Never falls, masses of a distribution, and binning is rounding to the middles of cells.
    #[test]
    fn likelihood_never_falls(
        values in prop::collection::vec(-3.0f64..6.0, 1..60),
        width in 0.1f64..3.0,
        is_uniform in any::<bool>(),
        is_midpoint in any::<bool>(),
    ) {
        let noise =
            if is_uniform { Noise::Uniform { half_width: width } } else { Noise::Gaussian { deviation: width } };
        let kernel = if is_midpoint { Kernel::Midpoint } else { Kernel::Interval };
        let grid = Grid::new(vec![-1.0, 0.0, 0.5, 2.0, 4.0]).unwrap();
        let options = exact(kernel, Stop::after(60));
        match reconstruct(&values, noise, &grid, &options) {
            Ok(found) => {
                prop_assert!(found.log_likelihood.is_sorted());
                prop_assert!((found.masses.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                prop_assert!(found.masses.iter().all(|&mass| mass >= 0.0));
                let reached = |value: f64| {
                    grid.intervals().any(|(low, high)| match kernel {
                        Kernel::Midpoint => (value - 0.5 * (low + high)).abs() <= width,
                        Kernel::Interval => value > low - width && value < high + width,
                    })
                };
                let expected = if is_uniform { values.iter().filter(|z| !reached(**z)).count() as u64 } else { 0 };
                prop_assert_eq!(found.unreachable, expected);
            }
            Err(error) => prop_assert_eq!(error, PerturbError::Unreachable),
        }
        let binned = reconstruct(&values, noise, &grid, &Options { cells: Some(4), ..options });
        let rounded: Vec<f64> = values.iter().map(|z| ((z + 1.0) / 0.125).floor() * 0.125 - 1.0 + 0.0625).collect();
        prop_assert_eq!(binned, reconstruct(&rounded, noise, &grid, &options));
    }

    /// Without noise it is the histogram, after a single round.
    #[test]
    fn without_noise_it_is_the_histogram(values in prop::collection::vec(0.0f64..=3.0, 1..40)) {
        for kernel in [Kernel::Midpoint, Kernel::Interval] {
            let found = reconstruct(&values, Noise::NONE, &three(), &exact(kernel, Stop::after(3))).unwrap();
            for (interval, mass) in found.masses.iter().enumerate() {
                let own = values.iter().filter(|z| three().interval_of(**z) == Some(interval)).count();
                prop_assert!((mass - own as f64 / values.len() as f64).abs() < 1e-12);
            }
        }
    }
}

/// Sums are over fixed parts: the number of threads changes nothing, not even the last bit.
#[test]
fn threads_do_not_matter() {
    let noise = Noise::Uniform { half_width: 4.0 };
    let values = sample(30_000, 6, noise, two_blocks);
    let grid = Grid::even(0.0, 8.0, 16).unwrap();
    let run = || reconstruct(&values, noise, &grid, &exact(Kernel::Interval, Stop::after(20))).unwrap();
    let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    let (one, three) = (on(1), on(3));
    let bits = |found: &Reconstruction| found.masses.iter().map(|mass| mass.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&one), bits(&three));
    assert_eq!(one, three);
}

#[test]
fn edges() {
    let options = Options::default();
    assert!(reconstruct(&[], UNIT, &three(), &options).is_err());
    let error = reconstruct(&[1.0, f64::NAN], UNIT, &three(), &options);
    assert_eq!(error, Err(PerturbError::Number { record: 1 }));
    assert_eq!(reconstruct(&[9.0], UNIT, &three(), &options), Err(PerturbError::Unreachable));
    assert_eq!(reconstruct(&[9.0], Noise::NONE, &three(), &options), Err(PerturbError::Unreachable));
    let some = reconstruct(&[9.0, 1.0, -7.0, 9.0], UNIT, &three(), &options).unwrap();
    assert_eq!(some.unreachable, 3);
    assert!(reconstruct(&[1.0], Noise::Gaussian { deviation: -1.0 }, &three(), &options).is_err());
    assert!(reconstruct(&[1.0], UNIT, &three(), &Options { cells: Some(0), ..options }).is_err());
    let stop = Stop { gain: -1.0, ..Stop::default() };
    assert!(reconstruct(&[1.0], UNIT, &three(), &Options { stop, ..options }).is_err());
    // Values far beyond what cells can number.
    let noise = Noise::Gaussian { deviation: 1e99 };
    let far = reconstruct(&[1e99, -1e99, 0.5], noise, &three(), &options).unwrap();
    assert!((far.masses.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    // One interval takes everything.
    let one = reconstruct(&VALUES, UNIT, &Grid::even(0.0, 3.0, 1).unwrap(), &options).unwrap();
    assert_eq!(one.masses, [1.0]);
    // The middle of the interval is out of reach of two values.
    let middle = exact(Kernel::Midpoint, Stop::after(2));
    assert_eq!(
        reconstruct(&VALUES, UNIT, &Grid::even(0.0, 3.0, 1).unwrap(), &middle).unwrap().unreachable,
        2
    );
    let many: Vec<f64> = (0..20_000).map(f64::from).collect();
    let wide = Noise::Uniform { half_width: 1e6 };
    let fine = Grid::even(0.0, 1e6, 10_000).unwrap();
    assert!(matches!(
        reconstruct(&many, wide, &fine, &exact(Kernel::Midpoint, Stop::after(1))),
        Err(PerturbError::TooLarge { .. })
    ));
}
