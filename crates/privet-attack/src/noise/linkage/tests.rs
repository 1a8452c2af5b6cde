//! Links against their definition and against everybody weighed one by one.

use super::*;
use privet_perturb::{Coins, Noise, SeededCoins, correlated_noise};
use proptest::prelude::*;

fn normals(count: usize, scale: f64, coins: &mut SeededCoins) -> Vec<f64> {
    (0..count).map(|_| scale * coins.normal().unwrap()).collect()
}

fn add(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn attack(people: &[f64], published: &[f64], width: usize, noise: &NoiseShape) -> LinkageScore {
    let (published, people) = (Records::new(published, width).unwrap(), Records::new(people, width).unwrap());
    let own: Vec<u32> = (0..published.len() as u32).collect();
    link(published, people, noise, &[], &[], 1).unwrap().score(&own, 0.9).unwrap()
}

/// survey AT-17: too little noise protects nobody; with noise as large as the data most links are wrong.
#[test]
fn little_noise_is_linked_and_much_is_not() {
    let mut coins = SeededCoins::new(17);
    let (n, width) = (3000, 6);
    let people = normals(n * width, 10.0, &mut coins);
    let weak = attack(
        &people,
        &add(&people, &normals(n * width, 1.0, &mut coins)),
        width,
        &NoiseShape::Independent(vec![1.0; width]),
    );
    assert!(weak.right.low > 0.97 && weak.exposed.low > 0.9, "{weak:?}");
    assert!(weak.right_when_sure.low > 0.98 && weak.control.high < 0.2, "{weak:?}");
    let strong = attack(
        &people,
        &add(&people, &normals(n * width, 20.0, &mut coins)),
        width,
        &NoiseShape::Independent(vec![400.0; width]),
    );
    assert!(strong.right.high < 0.05 && strong.exposed.high < 0.02, "{strong:?}");
    assert_eq!(strong.chance, 1.0 / 3000.0);
}

/// Columns with less noise count more: the second column, drowned in noise, must not confuse.
#[test]
fn distance_is_counted_in_the_noise() {
    let mut coins = SeededCoins::new(18);
    let people: Vec<f64> = (0..500).flat_map(|i| [f64::from(i), coins.normal().unwrap()]).collect();
    let published: Vec<f64> = people
        .chunks_exact(2)
        .flat_map(|own| [own[0] + 0.1 * coins.normal().unwrap(), own[1] + 1000.0 * coins.normal().unwrap()])
        .collect();
    let aware = attack(&people, &published, 2, &NoiseShape::Independent(vec![0.01, 1e6]));
    let naive = attack(&people, &published, 2, &NoiseShape::Independent(vec![1e6, 1e6]));
    assert_eq!(aware.right.rate, 1.0);
    assert!(naive.right.rate < 1.0 && naive.exposed.hits == 0, "{naive:?}");
    // A column without noise tells everybody who differs in it.
    let told = attack(&people, &published, 2, &NoiseShape::Independent(vec![0.01, 0.0]));
    assert!(told.exposed.hits == 0, "a model that is wrong shows: {told:?}");
}

/// survey ME-24 against AT-17: noise that is correlated as the data are is matched with its own covariance.
#[test]
fn correlated_noise_is_linked_too() {
    let mut coins = SeededCoins::new(19);
    let people: Vec<f64> = (0..1000)
        .flat_map(|_| {
            let common = 100.0 * coins.normal().unwrap();
            [common + coins.normal().unwrap(), common + coins.normal().unwrap(), coins.normal().unwrap()]
        })
        .collect();
    let published = correlated_noise(&people, 3, 0.0004, &mut coins).unwrap().value;
    let found = attack(&people, &published, 3, &NoiseShape::Proportional(0.0004));
    assert!(found.right.low > 0.9, "{found:?}");
    let published = correlated_noise(&people, 3, 1.0, &mut coins).unwrap().value;
    let found = attack(&people, &published, 3, &NoiseShape::Proportional(1.0));
    assert!(found.right.high < 0.1, "{found:?}");
}

/// Claims hold: links believed with so much are right so often. And the quantile of χ² is near the tabled ones, for one column too high.
#[test]
fn confidence_and_reach() {
    for (degrees, table) in [(1, 15.137), (2, 18.421), (5, 25.745), (10, 35.564), (50, 93.167)] {
        let found = far(degrees);
        assert!((found / table - 1.0).abs() < 0.08, "{degrees}: {found}");
    }
    let mut coins = SeededCoins::new(20);
    // Two people one deviation apart: P(right) = Φ(1/2).
    let people = [0.0, 1.0];
    let published: Vec<f64> = (0..4000).map(|i| f64::from(i % 2) + coins.normal().unwrap()).collect();
    let linkage = link(
        Records::new(&published, 1).unwrap(),
        Records::new(&people, 1).unwrap(),
        &NoiseShape::Independent(vec![1.0]),
        &[],
        &[],
        1,
    )
    .unwrap();
    let truth: Vec<u32> = (0..4000).map(|i| i % 2).collect();
    let score = linkage.score(&truth, 0.5).unwrap();
    assert!((score.right.rate - 0.691_46).abs() < 0.04, "{score:?}");
    let claimed: f64 = linkage.links().iter().map(|link| link.confidence).sum::<f64>() / 4000.0;
    assert!((claimed - score.right.rate).abs() < 0.04, "{claimed} {score:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// The nearest person is the one of the definition, up to rounding.
    #[test]
    fn the_nearest_by_definition(
        people in prop::collection::vec((-9i32..9, -9i32..9), 1..80),
        published in prop::collection::vec((-99i32..99, -99i32..99), 0..30),
        (a, b) in (1u32..30, 1u32..30),
    ) {
        let people: Vec<f64> = people.iter().flat_map(|own| [f64::from(own.0), f64::from(own.1)]).collect();
        let published: Vec<f64> =
            published.iter().flat_map(|own| [f64::from(own.0) / 10.0, f64::from(own.1) / 10.0]).collect();
        let variances = [f64::from(a) / 10.0, f64::from(b) / 10.0];
        let links = link(
            Records::new(&published, 2).unwrap(),
            Records::new(&people, 2).unwrap(),
            &NoiseShape::Independent(variances.to_vec()),
            &[],
            &[],
            1,
        ).unwrap().links();
        prop_assert_eq!(links.len(), published.len() / 2);
        for (link, own) in links.iter().zip(published.chunks_exact(2)) {
            let distance = |person: &[f64]| {
                ((own[0] - person[0]).powi(2) / variances[0] + (own[1] - person[1]).powi(2) / variances[1]).sqrt()
            };
            let least = people.chunks_exact(2).map(distance).fold(f64::INFINITY, f64::min);
            prop_assert!((link.distance - least).abs() < 1e-9);
            prop_assert!((distance(&people[link.person as usize * 2..][..2]) - least).abs() < 1e-9);
        }
    }
}

/// One person of 50 among 200 who are 55: a published 50 is nearest to the one, and yet it is probably one of the many.
#[test]
fn many_who_are_less_likely_outweigh_one() {
    let mut people = vec![55.0; 200];
    people.push(50.0);
    let links = link(
        Records::new(&[50.0], 1).unwrap(),
        Records::new(&people, 1).unwrap(),
        &NoiseShape::Independent(vec![4.0]),
        &[],
        &[],
        1,
    );
    let [found] = links.unwrap().links()[..] else { panic!() };
    let truth = 1.0 / (1.0 + 200.0 * (-25.0f64 / 8.0).exp());
    assert_eq!(found.person, 200);
    assert!((found.confidence - truth).abs() < 1e-5 && found.confidence < 0.11, "{found:?}");
}

/// The probability of a person by going through everybody.
fn enumerated(laws: &[Law], y: &[f64], people: &[f64], person: usize, without: Option<usize>) -> f64 {
    let density = |x: &[f64]| -> f64 {
        let own = laws.iter().zip(y).zip(x).map(|((law, y), x)| match *law {
            Law::Add(Noise::Gaussian { deviation }) => (-((y - x) / deviation).powi(2) / 2.0).exp(),
            Law::Add(Noise::Uniform { half_width }) => f64::from(u8::from((y - x).abs() <= half_width)),
            Law::Multiply(Noise::Gaussian { deviation }) => {
                (-((y / x - 1.0) / deviation).powi(2) / 2.0).exp() / x.abs()
            }
            Law::Multiply(Noise::Uniform { half_width }) => {
                f64::from(u8::from((y / x - 1.0).abs() <= half_width)) / x.abs()
            }
            _ => f64::from(u8::from(y == x)),
        });
        own.product()
    };
    let all: Vec<f64> = people.chunks_exact(laws.len()).map(density).collect();
    let others = all.iter().enumerate().filter(|(at, _)| Some(*at) != without).map(|own| own.1);
    all[person] / others.sum::<f64>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    /// Nobody is believed with more than everybody weighed leaves, whatever the noise; and the likeliest is found.
    #[test]
    fn confidence_is_what_everybody_weighed_leaves(
        people in prop::collection::vec((1i32..40, 1i32..40), 2..60),
        kinds in (0usize..5, 0usize..5),
        (a, b) in (1u32..60, 1u32..60),
        seed in any::<u64>(),
    ) {
        let mut coins = SeededCoins::new(seed);
        let law = |kind: usize, width: u32| {
            let (wide, narrow) = (f64::from(width) / 6.0, f64::from(width) / 120.0);
            [
                Law::Add(Noise::Gaussian { deviation: wide }),
                Law::Add(Noise::Uniform { half_width: wide }),
                Law::Multiply(Noise::Gaussian { deviation: narrow }),
                Law::Multiply(Noise::Uniform { half_width: narrow }),
                Law::Keep,
            ][kind]
        };
        let laws = [law(kinds.0, a), law(kinds.1, b)];
        let flat: Vec<f64> = people.iter().flat_map(|own| [f64::from(own.0), f64::from(own.1)]).collect();
        let mut published = Vec::new();
        for person in flat.chunks_exact(2) {
            for (law, value) in laws.iter().zip(person) {
                published.push(match law {
                    Law::Add(noise) => privet_perturb::additive_noise(&[*value], *noise, &mut coins).unwrap().value[0],
                    Law::Multiply(noise) => {
                        privet_perturb::multiplicative_noise(&[*value], *noise, &mut coins).unwrap().value[0]
                    }
                    _ => *value,
                });
            }
        }
        let variances: Vec<f64> = laws.iter().map(|law| match law {
            Law::Add(noise) => noise.variance(),
            Law::Multiply(noise) => noise.variance() * 400.0,
            _ => 0.0,
        }).collect();
        let links = link(
            Records::new(&published, 2).unwrap(),
            Records::new(&flat, 2).unwrap(),
            &NoiseShape::Independent(variances),
            &laws.map(|law| (law, 0.0)),
            &[],
            1,
        ).unwrap();
        for record in 0..people.len() {
            let y = &published[record * 2..][..2];
            let (all, others) = links.of(record, record as u32);
            for (found, without) in [(all, None), (others, Some(record as u32))] {
                if found.confidence == 0.0 {
                    continue;
                }
                let without = without.map(|own| own as usize);
                let truth = enumerated(&laws, y, &flat, found.person as usize, without);
                prop_assert!(found.confidence <= truth + 1e-9, "{found:?} {}", truth);
                prop_assert!(found.confidence >= truth - 1e-5 || truth < 1.1e-3, "{found:?} {}", truth);
                for other in (0..people.len()).filter(|own| Some(*own) != without) {
                    prop_assert!(enumerated(&laws, y, &flat, other, without) <= truth * (1.0 + 1e-6));
                }
            }
        }
    }
}

#[test]
fn edges() {
    let none = Records::new(&[], 1).unwrap();
    let one = Records::new(&[5.0], 1).unwrap();
    let noise = NoiseShape::Independent(vec![1.0]);
    assert!(link(one, none, &noise, &[], &[], 1).is_err());
    assert!(link(one, one, &NoiseShape::Independent(vec![]), &[], &[], 1).is_err());
    assert!(link(one, one, &NoiseShape::Independent(vec![f64::NAN]), &[], &[], 1).is_err());
    assert!(link(one, one, &NoiseShape::Proportional(1.0), &[], &[], 1).is_err());
    assert!(link(Records::new(&[1.0, 2.0], 2).unwrap(), one, &noise, &[], &[], 1).is_err());
    let nothing = link(none, one, &noise, &[], &[], 1).unwrap();
    assert!(nothing.links().is_empty() && nothing.score(&[], 0.9).unwrap().right.of == 0);
    let found = link(one, one, &noise, &[], &[], 1).unwrap();
    assert_eq!(found.links(), [Link { person: 0, distance: 0.0, confidence: 1.0 }]);
    assert!(found.score(&[0, 1], 0.9).is_err() && found.score(&[0], 1.5).is_err());
    // The only person is absent: nobody is believed in.
    assert_eq!(found.score(&[0], 0.9).unwrap().control.hits, 0);
    // Noise that is nothing beside the values.
    let wide = Records::new(&[1e100, -1e100], 1).unwrap();
    for tiny in [1e-320, 1e-200] {
        assert!(link(wide, wide, &NoiseShape::Independent(vec![tiny]), &[], &[], 1).is_err());
        assert!(link(wide, one, &NoiseShape::Independent(vec![tiny]), &[], &[], 1).is_err());
    }
    assert!(link(wide, wide, &NoiseShape::Independent(vec![0.0]), &[], &[], 1).is_ok());
    // Without noise or difference nobody is told from anybody.
    let same = Records::new(&[5.0, 5.0, 5.0], 1).unwrap();
    let found = link(same, same, &NoiseShape::Independent(vec![0.0]), &[], &[], 1).unwrap();
    assert!(found.links().iter().all(|link| link.person == 0 && link.confidence == 1.0 / 3.0));
    let found = link(same, same, &NoiseShape::Proportional(0.5), &[], &[], 1).unwrap();
    assert_eq!(found.score(&[0, 1, 2], 0.9).unwrap().right.hits, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Categories and sets of a known law, alone and beside a number with noise: the likeliest person and how sure that is are
    /// those of going through everybody.
    #[test]
    fn categories_by_their_law(
        people in prop::collection::vec((0u32..4, 0u32..3, -6i32..6), 2..25),
        published in prop::collection::vec((0u32..4, 0u32..3, -8i32..8), 1..10),
        keep in 0.2f64..0.95,
        with_number in any::<bool>(),
    ) {
        use crate::noise::PerturbedCategories;
        use privet_perturb::{PerturbationMatrix, Retention};
        let matrix = PerturbationMatrix::new(3, vec![0.8, 0.2, 0.0, 0.05, 0.9, 0.05, 0.3, 0.3, 0.4]).unwrap();
        let of = |own: &[(u32, u32, i32)], second: bool| -> Vec<u32> {
            own.iter().map(|own| if second { own.1 } else { own.0 }).collect()
        };
        let categories = [
            PerturbedCategories::retained("a", of(&published, false), of(&people, false), Retention::new(keep, 4).unwrap()),
            PerturbedCategories::written("b", of(&published, true), of(&people, true), &matrix),
        ];
        let number = |own: &(u32, u32, i32)| if with_number { f64::from(own.2) } else { 0.0 };
        let (x, y): (Vec<f64>, Vec<f64>) = (people.iter().map(number).collect(), published.iter().map(number).collect());
        let variance = if with_number { 4.0 } else { 0.0 };
        let links = link(
            Records::new(&y, 1).unwrap(),
            Records::new(&x, 1).unwrap(),
            &NoiseShape::Independent(vec![variance]),
            &[],
            &categories,
            1,
        ).unwrap().links();
        for (record, link) in links.iter().enumerate() {
            let weight = |person: usize| {
                let far = if with_number { (y[record] - x[person]).powi(2) / variance } else { 0.0 };
                categories.iter().map(|own| own.chance(record, person)).sum::<f64>().exp() * (-far / 2.0).exp()
            };
            let all: f64 = (0..people.len()).map(weight).sum();
            if all == 0.0 {
                prop_assert_eq!(link.confidence, 0.0);
                continue;
            }
            let best = (0..people.len()).map(weight).fold(0.0, f64::max) / all;
            if link.confidence > 0.0 {
                prop_assert!((link.confidence - best).abs() < 1e-5, "{link:?} {}", best);
                prop_assert!((weight(link.person as usize) / all - best).abs() < 1e-9);
            } else {
                prop_assert!(link.distance > 3.7, "{link:?}");
            }
        }
    }
}
