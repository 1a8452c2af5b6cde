//! The models against populations that were made by them, and against each other's limits.

use super::pitman::{expected_uniques, likelihood, maximum};
use super::*;
use privet_data::Random;
use proptest::prelude::*;

const SEED: u64 = 20_240_607;

/// A Bernoulli sample of the members of classes, as class sizes.
fn sampled(population: &[u64], fraction: f64, random: &mut Random) -> Frequencies {
    let taken = |&size: &u64| (0..size).filter(|_| random.unit() < fraction).count() as u64;
    Frequencies::new(&population.iter().map(taken).collect::<Vec<_>>())
}

fn uniques(population: &[u64]) -> f64 {
    population.iter().filter(|&&size| size == 1).count() as f64
}

/// The average of an estimator over samples of a population, relative to the truth.
fn average(
    population: &[u64],
    fraction: f64,
    stream: u64,
    estimator: impl Fn(&Frequencies, f64) -> Result<f64, UniquesError>,
) -> f64 {
    const SAMPLES: u32 = 8;
    let mut random = Random::stream(SEED, stream);
    let mut sum = 0.0;
    for _ in 0..SAMPLES {
        sum += estimator(&sampled(population, fraction, &mut random), fraction).unwrap();
    }
    sum / f64::from(SAMPLES) / uniques(population)
}

/// Classes of one more than a negative binomial number, by inversion.
fn slid(classes: usize, r: f64, p: f64, random: &mut Random) -> Vec<u64> {
    (0..classes)
        .map(|_| {
            let (mut left, mut x, mut probability) = (random.unit(), 0u64, p.powf(r));
            while left >= probability && x < 100_000 {
                left -= probability;
                probability *= (x as f64 + r) / (x as f64 + 1.0) * (1.0 - p);
                x += 1;
            }
            x + 1
        })
        .collect()
}

/// Classes of so many people who join as in Pitman's model.
fn seated(people: usize, theta: f64, alpha: f64, random: &mut Random) -> Vec<u64> {
    let mut sizes: Vec<u64> = Vec::new();
    let mut class_of: Vec<usize> = Vec::with_capacity(people);
    for i in 0..people {
        // A class with probability proportional to size − α: that of a person, refused with probability α/size.
        let founds = random.unit() * (theta + i as f64) < theta + alpha * sizes.len() as f64;
        let class = if founds || sizes.is_empty() {
            sizes.push(0);
            sizes.len() - 1
        } else {
            loop {
                let class = class_of[random.below(i)];
                if random.unit() >= alpha / sizes[class] as f64 {
                    break class;
                }
            }
        };
        sizes[class] += 1;
        class_of.push(class);
    }
    sizes
}

#[test]
fn frequencies_of_sizes() {
    let sample = Frequencies::new(&[3, 1, 0, 1, 3, 3]);
    assert_eq!((sample.records(), sample.classes()), (11, 5));
    assert_eq!([1, 2, 3, 4].map(|size| sample.of_size(size)), [2, 0, 3, 0]);
    assert_eq!(Frequencies::new(&[u64::MAX, 5]).records(), u64::MAX);
}

#[test]
fn zayatz_by_hand() {
    // Classes 1, 1, 2 of N = 8, n = 4: h(1) = 1/2; h(2) = 2 · C(6,3)/C(8,4) = 40/70 = 4/7.
    // P = (2/3 · 1/2) / (2/3 · 1/2 + 1/3 · 4/7) = (1/3)/(11/21) = 7/11; the estimate 2 · 7/11 · 2 = 28/11.
    let found = zayatz(&Frequencies::new(&[1, 1, 2]), 0.5).unwrap();
    assert!((found - 28.0 / 11.0).abs() < 1e-12, "{found}");
}

#[test]
fn zayatz_where_its_assumption_holds() {
    // Everybody is alone or in a crowd: a sample unique is a population unique.
    let population: Vec<u64> = (0..3000).map(|_| 1).chain((0..500).map(|_| 200)).collect();
    let ratio = average(&population, 0.3, 1, zayatz);
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
    // Nearly everybody is in the sample: sizes are nearly those of the population.
    let population: Vec<u64> = (0..6000).map(|class| 1 + class % 5).collect();
    let ratio = average(&population, 0.95, 2, zayatz);
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
}

/// One estimate is off by about 5% with 40,000 classes and 11% with 8,000; the average over samples of one population,
/// by about 2%, of which the tolerance is several times.
#[test]
fn the_slide_negative_binomial_finds_its_own() {
    let mut random = Random::stream(SEED, 3);
    for (stream, r, p, fraction, tolerance) in
        [(4, 0.8, 0.25, 0.2, 0.08), (5, 2.0, 0.4, 0.3, 0.08), (6, 0.4, 0.1, 0.5, 0.05)]
    {
        let population = slid(40_000, r, p, &mut random);
        let ratio = average(&population, fraction, stream, slide_negative_binomial);
        assert!((ratio - 1.0).abs() < tolerance, "r {r}, p {p}: {ratio}");
        // What the class of a sample unique looks like in the sample is not what it looks like in the population.
        let plain = average(&population, fraction, stream, zayatz);
        assert!((plain - 1.0).abs() > (ratio - 1.0).abs(), "{plain} {ratio}");
    }
}

/// One estimate is off by about 10%. So is the average over samples of one population by up to half of that, for the
/// population is one draw of the model.
#[test]
fn pitman_finds_its_own() {
    let mut random = Random::stream(SEED, 7);
    for (stream, theta, alpha, fraction, tolerance) in
        [(8, 100.0, 0.5, 0.1, 0.12), (9, 400.0, 0.25, 0.05, 0.15), (10, 30.0, 0.7, 0.02, 0.12)]
    {
        let population = seated(60_000, theta, alpha, &mut random);
        let ratio = average(&population, fraction, stream, pitman);
        assert!((ratio - 1.0).abs() < tolerance, "θ {theta}, α {alpha}: {ratio}");
    }
}

/// The expectation is checked by itself: three people, all five partitions.
#[test]
fn expected_uniques_of_three_people() {
    let (theta, alpha) = (1.5, 0.3);
    // Alone ×3: both found. One pair and one alone, in three ways, have the same probability each.
    let apart = (theta + alpha) / (theta + 1.0);
    let three = apart * (theta + 2.0 * alpha) / (theta + 2.0);
    let pair_then_one = (1.0 - alpha) / (theta + 1.0) * (theta + alpha) / (theta + 2.0);
    let found = expected_uniques(theta, alpha, 3.0);
    assert!((found - (3.0 * three + 3.0 * pair_then_one)).abs() < 1e-12, "{found}");
    // Hoshino's form for large populations.
    let many = 1e9;
    let ratio = expected_uniques(theta, alpha, many)
        / ((crate::special::ln_gamma(theta + 1.0) - crate::special::ln_gamma(theta + alpha)).exp()
            * many.powf(alpha));
    assert!((ratio - 1.0).abs() < 1e-7, "{ratio}");
}

#[test]
fn the_likelihood_is_that_of_the_products() {
    let sample = Frequencies::new(&[1, 1, 2, 4, 7]);
    let (theta, alpha) = (2.3, 0.4);
    let mut direct = 0.0;
    (1..5).for_each(|i| direct += (theta + f64::from(i) * alpha).ln());
    (1..15).for_each(|i| direct -= (theta + f64::from(i)).ln());
    for size in [1, 1, 2, 4, 7] {
        (1..size).for_each(|i| direct += (f64::from(i) - alpha).ln());
    }
    assert!((likelihood(&sample, theta, alpha) - direct).abs() < 1e-10);
}

#[test]
fn nothing_known_and_everything_known() {
    for estimator in [zayatz, slide_negative_binomial, pitman] {
        // No record, no unique, everybody in the sample.
        assert_eq!(estimator(&Frequencies::default(), 0.1), Ok(0.0));
        assert_eq!(estimator(&Frequencies::new(&[2, 5, 9]), 0.1), Ok(0.0));
        assert_eq!(estimator(&Frequencies::new(&[1, 1, 9]), 1.0), Ok(2.0));
        for fraction in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            assert_eq!(estimator(&Frequencies::new(&[1, 2]), fraction), Err(UniquesError::Fraction));
        }
    }
    let all = Frequencies::new(&[1; 50]);
    assert_eq!(slide_negative_binomial(&all, 0.2), Err(UniquesError::AllUnique));
    assert_eq!(pitman(&all, 0.2), Err(UniquesError::AllUnique));
    assert_eq!(dankar(&all, 0.05), Ok((Model::Zayatz, 1000.0)));
    assert_eq!(dankar(&all, 2.0), Err(UniquesError::Fraction));
    // Sizes that vary far less than the model allows.
    let even: Vec<u64> = [vec![1; 400], vec![2; 600], vec![3; 400], vec![4; 100]].concat();
    assert_eq!(slide_negative_binomial(&Frequencies::new(&even), 0.5), Err(UniquesError::NoSolution));
}

#[test]
fn the_rule_chooses_by_the_fraction() {
    let mut random = Random::stream(SEED, 11);
    let population = seated(20_000, 100.0, 0.5, &mut random);
    let few = sampled(&population, 0.08, &mut random);
    assert_eq!(dankar(&few, 0.08), Ok((Model::Pitman, pitman(&few, 0.08).unwrap())));
    let population = slid(4000, 0.8, 0.25, &mut random);
    let many = sampled(&population, 0.3, &mut random);
    let expected = slide_negative_binomial(&many, 0.3).unwrap();
    assert!(expected < zayatz(&many, 0.3).unwrap());
    assert_eq!(dankar(&many, 0.3), Ok((Model::SlideNegativeBinomial, expected)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn estimates_keep_their_limits(sizes in prop::collection::vec(0u64..30, 0..60), fraction in 0.001..1.0f64) {
        let sample = Frequencies::new(&sizes);
        for estimator in [zayatz, slide_negative_binomial, pitman] {
            if let Ok(found) = estimator(&sample, fraction) {
                prop_assert!(found >= 0.0 && found <= sample.of_size(1) as f64 / fraction * (1.0 + 1e-12));
            }
        }
        prop_assert!(dankar(&sample, fraction).is_ok());
    }

    /// No point of a fine grid of the parameters is better than what is found.
    #[test]
    fn the_maximum_is_one(sizes in prop::collection::vec(1u64..12, 3..40)) {
        let sample = Frequencies::new(&sizes);
        if let Some((theta, alpha)) = maximum(&sample) {
            let best = likelihood(&sample, theta, alpha);
            for a in 1..20 {
                for t in -20..20 {
                    let alpha = f64::from(a) / 20.0;
                    let other = likelihood(&sample, (f64::from(t) / 2.0).exp() - alpha, alpha);
                    prop_assert!(other <= best + 1e-6, "{} {} {} {}", theta, alpha, best, other);
                }
            }
        }
    }
}
