//! What knowing B attributes gives.

use privet_attack::dimensions::{
    Subsets, by_attributes_known, chance_of_a_match, remaining, singled_out, volume_fraction,
};
use privet_attack::link::{People, Released};
use privet_data::Coverage;
use privet_recode::lattice::Random;

/// papers T-TH13: n = 10^4, B = 20 binary attributes.
#[test]
fn the_estimates_of_exercises_14_and_15() {
    let chance = chance_of_a_match(10_000, &[2.0; 20]);
    assert!((chance.bound - 0.009_536_7).abs() < 5e-8, "{chance:?}");
    assert!((chance.exact - 0.009_491_4).abs() < 5e-8, "{chance:?}");
    assert!((chance_of_a_match(1000, &[10.0; 6]).bound - 0.001).abs() < 1e-12);
    assert_eq!(chance_of_a_match(10, &[]).bound, 1.0);
    assert_eq!(chance_of_a_match(10, &[f64::NAN, 0.0]).exact, 1.0);
    assert_eq!(chance_of_a_match(0, &[]).exact, 0.0);
}

/// papers I.4: halves of 10 and of 20 columns.
#[test]
fn boxes_shrink() {
    assert!((volume_fraction(&[0.5; 10]) - 9.8e-4).abs() < 5e-6);
    assert!((volume_fraction(&[0.5; 20]) - 9.5e-7).abs() < 5e-9);
}

/// Uniform independent columns: the measured share is what the estimate says.
#[test]
fn uniform_columns_follow_the_estimate() {
    let mut random = Random::new(3);
    let rows = 2000usize;
    let columns: Vec<Vec<u32>> =
        (0..6).map(|_| (0..rows).map(|_| random.below(5) as u32).collect()).collect();
    let values = Coverage::identity(5);
    let released = Released {
        labels: columns.iter().map(Vec::as_slice).collect(),
        coverage: vec![&values; 6],
        groups: &vec![0; rows],
    };
    let people = People { values: released.labels.clone(), count: rows };
    let found = by_attributes_known(&released, &people, Subsets { most: 20, seed: 1 }).unwrap();
    assert_eq!(found.len(), 6);
    for knowing in &found {
        assert!(knowing.subsets.1);
        // Everybody is left with themselves and those who match by chance.
        let alone = 1.0 - chance_of_a_match(rows as u64 - 1, &vec![5.0; knowing.attributes]).exact;
        assert!((knowing.unique.rate - alone).abs() < 0.03, "{knowing:?} {alone}");
        let left = 1.0 + (rows as f64 - 1.0) / 5f64.powi(knowing.attributes as i32);
        assert!((knowing.remaining / left - 1.0).abs() < 0.02, "{knowing:?} {left}");
    }
    assert!(found.windows(2).all(|pair| pair[0].unique.rate <= pair[1].unique.rate));
    let fewer = by_attributes_known(&released, &people, Subsets { most: 4, seed: 1 }).unwrap();
    assert_eq!((fewer[2].subsets, fewer[5].subsets), ((4, false), (1, true)));
    assert_eq!(fewer, by_attributes_known(&released, &people, Subsets { most: 4, seed: 1 }).unwrap());
}

/// Person by person: what each subset of columns leaves, by looking through all records.
#[test]
fn people_are_singled_out_as_often_as_one_record_is_left() {
    let mut random = Random::new(8);
    let (rows, columns) = (60, 4);
    let mut draw = |values: usize, count: usize| -> Vec<Vec<u32>> {
        (0..columns).map(|_| (0..count).map(|_| random.below(values) as u32).collect()).collect()
    };
    // Labels of two values each; people with errors, so that some are pointed at the wrong record.
    let labels = draw(4, rows);
    let noise = draw(10, rows);
    let values: Vec<Vec<u32>> = (labels.iter().zip(&noise))
        .map(|(own, noise)| {
            own.iter()
                .zip(noise)
                .map(|(&l, &n)| if n == 0 { (2 * l + 3) % 8 } else { 2 * l + n % 2 })
                .collect()
        })
        .collect();
    let coverage = Coverage::new((0..4).map(|label| vec![2 * label, 2 * label + 1]), 8);
    let released = Released {
        labels: labels.iter().map(Vec::as_slice).collect(),
        coverage: vec![&coverage; columns],
        groups: &vec![0; rows],
    };
    let people = People { values: values.iter().map(Vec::as_slice).collect(), count: rows };
    let subsets = Subsets { most: 10, seed: 1 };
    for attributes in 1..=columns {
        let is_own = |person: usize, subset: &[usize]| {
            Some(subset.iter().all(|&c| labels[c][person] == values[c][person] / 2))
        };
        let found = singled_out(&released, &people, attributes, subsets, is_own).unwrap();
        let of = (0u32..1 << columns).filter(|set| set.count_ones() as usize == attributes);
        let of: Vec<Vec<usize>> =
            of.map(|set| (0..columns).filter(|c| set >> c & 1 == 1).collect()).collect();
        let mut all = 0.0;
        for (person, own) in found.iter().enumerate() {
            let left: Vec<Vec<u32>> = of
                .iter()
                .map(|subset| {
                    remaining(&released, &subset.iter().map(|&c| (c, values[c][person])).collect::<Vec<_>>())
                })
                .collect();
            let share = |count: usize| count as f64 / of.len() as f64;
            let alone = share(left.iter().filter(|left| left.len() == 1).count());
            let wrong = share(left.iter().filter(|left| left.len() == 1 && left[0] != person as u32).count());
            let mean = share(left.iter().map(Vec::len).sum());
            assert!(
                (own.alone - alone).abs() + (own.wrong - wrong).abs() + (own.remaining - mean).abs() < 1e-9,
                "{own:?}"
            );
            all += own.alone;
        }
        let curve = by_attributes_known(&released, &people, subsets).unwrap();
        assert!((all / rows as f64 - curve[attributes - 1].unique.rate).abs() < 1e-9);
        assert!(attributes < 3 || found.iter().any(|own| own.wrong > 0.0), "somebody is mistaken");
    }
}

#[test]
fn known_pairs_leave_records() {
    let (ages, genders) = (Coverage::new([vec![0, 1], vec![2]], 3), Coverage::identity(2));
    let released = Released {
        labels: vec![&[0, 0, 1], &[0, 1, 1]],
        coverage: vec![&ages, &genders],
        groups: &[0, 1, 2],
    };
    assert_eq!(remaining(&released, &[]), [0, 1, 2]);
    assert_eq!(remaining(&released, &[(0, 1)]), [0, 1]);
    assert_eq!(remaining(&released, &[(0, 1), (1, 1)]), [1]);
    assert!(remaining(&released, &[(0, 2), (1, 0)]).is_empty());
    assert_eq!(remaining(&released, &[(9, 0)]), [0, 1, 2]);
    let nobody = People { values: vec![&[], &[]], count: 0 };
    let found = by_attributes_known(&released, &nobody, Subsets { most: 1, seed: 0 }).unwrap();
    assert_eq!((found[0].unique.of, found[0].remaining), (0, 0.0));
    assert!(
        by_attributes_known(&released, &People { values: vec![], count: 0 }, Subsets { most: 1, seed: 0 })
            .is_err()
    );
}
