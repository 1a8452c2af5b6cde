//! Several releases together.

use privet_attack::composition::compose;
use privet_attack::link::{Links, People, Released, link};
use privet_data::Coverage;

// Allergy, Cancer, Flu, HIV, Malaria, Scurvy, Varicella.
const GOTHAM: [u32; 12] = [1, 2, 0, 4, 3, 0, 0, 2, 5, 2, 6, 3];
const GOTBACON: [u32; 12] = [0, 2, 1, 3, 2, 0, 5, 0, 1, 3, 0, 0];

/// What the only group that may hold a person says, each record equally likely.
fn belief(links: &Links, person: usize, groups: &[u32], values: &[u32]) -> Vec<(u32, f64)> {
    let Some(own) = links.of_person(person).first() else { return Vec::new() };
    let mut own: Vec<u32> = groups
        .iter()
        .zip(values)
        .filter(|(group, _)| **group == own.group)
        .map(|(_, &value)| value)
        .collect();
    own.sort_unstable();
    own.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64 / own.len() as f64)).collect()
}

/// survey FX-6.5: Bob (M, 10024, between 21 and 35) has scurvy or HIV.
#[test]
fn bob_was_in_two_hospitals() {
    let (genders, zips) = (Coverage::identity(2), Coverage::identity(2));
    let groups: Vec<u32> = (0..12).map(|record| record / 4).collect();
    let ages = Coverage::new([(21..=35).collect(), (40..=60).collect()], 100);
    let of_group = |of: [u32; 3]| groups.iter().map(|&group| of[group as usize]).collect::<Vec<u32>>();
    let (gender, age, zip) = (of_group([0, 1, 1]), of_group([0, 1, 0]), of_group([0, 0, 1]));
    let gotham = Released {
        labels: vec![&gender, &age, &zip],
        coverage: vec![&genders, &ages, &zips],
        groups: &groups,
    };
    // Bob, and somebody whom neither hospital knows.
    let people = People { values: vec![&[1, 0], &[30, 9], &[1, 1]], count: 2 };
    let in_gotham = link(&gotham, &people).unwrap();

    let halves: Vec<u32> = (0..12).map(|record| record / 6).collect();
    let ages = Coverage::new([(10..=72).collect(), (11..=60).collect()], 100);
    let gotbacon = Released {
        labels: vec![&halves, &halves, &halves],
        coverage: vec![&genders, &ages, &zips],
        groups: &halves,
    };
    let in_gotbacon = link(&gotbacon, &people).unwrap();

    let both = |person: usize| {
        let (one, other) =
            (belief(&in_gotham, person, &groups, &GOTHAM), belief(&in_gotbacon, person, &halves, &GOTBACON));
        compose([&one[..], &other], None)
    };
    assert_eq!(both(0), [(3, 0.5), (5, 0.5)], "HIV, scurvy");
    assert_eq!(both(1), []);
    // Alone each left four values.
    assert_eq!(belief(&in_gotham, 0, &groups, &GOTHAM).len(), 4);
    assert_eq!(belief(&in_gotbacon, 0, &halves, &GOTBACON).len(), 4);
}

/// survey TH-34, ERR-18: two 3-diverse classes leave one value.
#[test]
fn three_diverse_twice_is_a_singleton() {
    // Cancer, heart disease, flu, hepatitis, ulcer.
    let third = 1.0 / 3.0;
    let (one, other) = ([(0, third), (1, third), (2, third)], [(0, third), (3, third), (4, third)]);
    assert_eq!(compose([&one[..], &other], None), [(0, 1.0)]);
}

#[test]
fn nothing_and_contradictions() {
    assert_eq!(compose([], None), []);
    assert_eq!(compose([&[][..], &[(2, 1.0)]], None), [(2, 1.0)], "no candidate says nothing");
    assert_eq!(compose([&[(1, 1.0)][..], &[(2, 1.0)]], None), []);
    assert_eq!(compose([&[(1, f64::NAN), (2, 0.0), (3, 0.5)][..]], None), [(3, 1.0)]);
    assert_eq!(compose([&[(1, 0.5), (2, 0.5)][..]], Some(&[1.0, 0.5])), [(1, 1.0)], "the prior excludes 2");
}

/// The product against counting worlds: Bob's value has a prior, the values of his companions in two classes are
/// drawn by themselves from the same prior, and the worlds in which both classes show what they show are weighed.
#[test]
fn the_product_is_what_the_worlds_say() {
    for prior in [[1.0 / 3.0; 3], [0.5, 0.3, 0.2]] {
        let shown: [[u64; 3]; 2] = [[2, 1, 1], [1, 2, 0]];
        let mut weight = [0.0; 3];
        for bob in 0..3 {
            let mut product: f64 = prior[bob];
            for histogram in shown {
                let companions = histogram.iter().sum::<u64>() - 1;
                let mut of_class = 0.0;
                for world in 0..3u32.pow(companions as u32) {
                    let values: Vec<usize> =
                        (0..companions as u32).map(|i| (world / 3u32.pow(i) % 3) as usize).collect();
                    let mut counts = [0u64; 3];
                    counts[bob] += 1;
                    values.iter().for_each(|&value| counts[value] += 1);
                    if counts == histogram {
                        of_class += values.iter().map(|&value| prior[value]).product::<f64>();
                    }
                }
                product *= of_class;
            }
            weight[bob] = product;
        }
        // What one class says by itself, from the same worlds: c_s / n, whatever the prior.
        let belief = |histogram: [u64; 3]| -> Vec<(u32, f64)> {
            let n = histogram.iter().sum::<u64>() as f64;
            (0..3).map(|s| (s as u32, histogram[s] as f64 / n)).collect()
        };
        let composed = compose([&belief(shown[0])[..], &belief(shown[1])], Some(&prior));
        let total: f64 = weight.iter().sum();
        assert_eq!(composed.len(), 2);
        for (value, p) in composed {
            assert!((p - weight[value as usize] / total).abs() < 1e-12, "{value}: {p}");
        }
    }
}
