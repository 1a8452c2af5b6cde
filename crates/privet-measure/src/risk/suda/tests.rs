//! Special uniques against all sets of columns, and by hand.

use super::*;
use privet_data::Random;
use proptest::prelude::*;

/// From the definition: all sets of columns.
fn brute(columns: &[Vec<u32>], max_size: usize) -> Vec<Vec<u64>> {
    let records = columns.first().map_or(0, Vec::len);
    let alike = |set: u64, a: usize, b: usize| {
        columns.iter().enumerate().all(|(bit, codes)| set >> bit & 1 == 0 || codes[a] == codes[b])
    };
    let unique =
        |set: u64, record: usize| (0..records).all(|other| other == record || !alike(set, record, other));
    let of = |record: usize| {
        let is_minimal = |set: u64| {
            unique(set, record)
                && (0..columns.len()).all(|bit| set >> bit & 1 == 0 || !unique(set & !(1 << bit), record))
        };
        let mut sets: Vec<u64> = (1..1u64 << columns.len())
            .filter(|set| set.count_ones() as usize <= max_size && is_minimal(*set))
            .collect();
        sets.sort_by_key(|set| (set.count_ones(), *set));
        sets
    };
    (0..records).map(of).collect()
}

fn find(columns: &[Vec<u32>], max_size: usize) -> SpecialUniques {
    SpecialUniques::find(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>(), max_size).unwrap()
}

#[test]
fn by_hand() {
    // Record 0 is alone with its first value, and with no pair that has not that value; record 3 only with two.
    let columns = [vec![9, 1, 1, 2, 2], vec![5, 5, 6, 6, 5], vec![0, 0, 0, 0, 0]];
    let found = find(&columns, 3);
    assert_eq!((found.records(), found.sample_uniques()), (5, 5));
    assert_eq!((found.of(0), found.of(3), found.of(7)), (&[0b001][..], &[0b011][..], &[][..]));
    // Three columns, sets of up to three: (3−1)(3−2) for one column, 3−2 for two.
    assert_eq!(found.scores(), [2.0, 1.0, 1.0, 1.0, 1.0]);
    assert_eq!(found.column_shares(), [1.0, 4.0 / 6.0, 0.0]);
    // Sets of up to two: (3−1) and 1; of one: 1 and nothing.
    assert_eq!(find(&columns, 2).scores(), [2.0, 1.0, 1.0, 1.0, 1.0]);
    assert_eq!(find(&columns, 1).scores(), [1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(found.intrusion_risk(0.1), Ok(1.0));
    assert_eq!(found.intrusion_scores(0.1), Ok(vec![1.0; 5]));
}

#[test]
fn the_risk_of_intrusion_is_dealt_out() {
    // Three uniques with scores 2, 1 and 1, and two pairs.
    let columns = [vec![9, 1, 1, 2, 2, 3, 3], vec![5, 5, 6, 6, 6, 5, 5], vec![0; 7]];
    let found = find(&columns, 2);
    assert_eq!((found.sample_uniques(), found.pairs), (3, 2));
    let dis = 3.0 * 0.2 / (3.0 * 0.2 + 2.0 * 2.0 * 0.8);
    assert!((found.intrusion_risk(0.2).unwrap() - dis).abs() < 1e-15);
    let scores = found.scores();
    let dealt = found.intrusion_scores(0.2).unwrap();
    assert!((dealt.iter().sum::<f64>() / 3.0 - dis).abs() < 1e-12);
    let all: f64 = scores.iter().sum();
    for (score, dealt) in scores.iter().zip(&dealt) {
        assert!((dealt - score / all * dis * 3.0).abs() < 1e-12);
    }
    // Close to 1 nobody gets more than 1, and the mean stays.
    let dealt = found.intrusion_scores(0.99).unwrap();
    assert!(dealt.iter().all(|risk| (0.0..=1.0).contains(risk)) && dealt[0] == 1.0);
    assert!((dealt.iter().sum::<f64>() / 3.0 - found.intrusion_risk(0.99).unwrap()).abs() < 1e-12);
}

/// DIS against populations: how often is a match between a person and a sample unique right?
#[test]
fn intrusion_is_simulated() {
    let mut random = Random::stream(11, 0);
    let fraction = 0.2;
    let (mut right, mut matches, mut told, mut times) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..20 {
        // A population of 6000 in 3000 classes, some of which are large.
        let people: Vec<u32> = (0..6000).map(|_| (random.unit() * random.unit() * 3000.0) as u32).collect();
        let sample: Vec<u32> = people.iter().copied().filter(|_| random.unit() < fraction).collect();
        let count = |codes: &[u32]| {
            let mut counts = vec![0u32; 3000];
            codes.iter().for_each(|&code| counts[code as usize] += 1);
            counts
        };
        let (of_people, of_sample) = (count(&people), count(&sample));
        for (people, sampled) in of_people.iter().zip(&of_sample).filter(|(_, sampled)| **sampled == 1) {
            right += f64::from(*sampled);
            matches += f64::from(*people);
        }
        told += find(&[sample], 1).intrusion_risk(fraction).unwrap();
        times += 1.0;
    }
    assert!((told / times - right / matches).abs() < 0.01, "{} {}", told / times, right / matches);
}

#[test]
fn edges() {
    assert_eq!(SpecialUniques::find(&[], 2).unwrap().records(), 0);
    assert!(SpecialUniques::find(&[&[], &[]], 2).unwrap().scores().is_empty());
    // Two equal records, and a column of extreme codes.
    assert_eq!(find(&[vec![u32::MAX, u32::MAX]], 4).scores(), [0.0, 0.0]);
    assert_eq!(find(&[vec![u32::MAX, 0]], 4).scores(), [1.0, 1.0]);
    // Nobody else is there: the empty set is enough, and no set of columns is minimal.
    let one = find(&[vec![3], vec![4]], 2);
    assert_eq!((one.scores(), one.sample_uniques()), (vec![0.0], 1));
    let column = [1u32, 2];
    assert_eq!(SpecialUniques::find(&[&column], 0), Err(SudaError::Size));
    assert_eq!(SpecialUniques::find(&[&column[..]; 65], 2), Err(SudaError::Columns { columns: 65 }));
    assert_eq!(SpecialUniques::find(&[&column[..]; 64], 2).unwrap().of(0).len(), 64);
    let error = SudaError::Length { column: 1, found: 1, expected: 2 };
    assert_eq!(SpecialUniques::find(&[&column, &column[..1]], 2), Err(error));
    let found = find(&[vec![1, 1, 2]], 1);
    for fraction in [0.0, 1.5, f64::NAN] {
        assert_eq!(found.intrusion_risk(fraction), Err(SudaError::Fraction));
        assert_eq!(found.intrusion_scores(fraction), Err(SudaError::Fraction));
    }
    assert_eq!(find(&[vec![1, 1]], 1).intrusion_scores(0.5), Ok(vec![0.0, 0.0]));
}

#[test]
fn a_large_table_takes_seconds() {
    let mut random = Random::stream(3, 0);
    let domains = [74u64, 2, 5, 7, 16, 41, 9, 14, 2];
    let columns: Vec<Vec<u32>> = domains
        .iter()
        .map(|&domain| {
            (0..30_000).map(|_| random.below(random.clone().below(domain as usize) + 1) as u32).collect()
        })
        .collect();
    let found = find(&columns, 4);
    assert!(found.sample_uniques() > 1000);
    // As told, no set is a part of another, and the same on one thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(pool.install(|| find(&columns, 3)) == find(&columns, 3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn are_those_of_all_sets_of_columns(
        records in prop::collection::vec(prop::collection::vec(0u32..4, 5), 0..25),
        max_size in 1usize..7,
    ) {
        let columns: Vec<Vec<u32>> = (0..5).map(|c| records.iter().map(|record| record[c] * 7).collect()).collect();
        let found = find(&columns, max_size);
        let expected = brute(&columns, max_size);
        // One record alone is unique without any column, so no set is minimal.
        for (record, sets) in expected.iter().enumerate() {
            prop_assert_eq!(found.of(record), sets.as_slice());
        }
        let dealt = found.intrusion_scores(0.3).unwrap();
        prop_assert!(dealt.iter().all(|risk| (0.0..=1.0).contains(risk)));
    }
}
