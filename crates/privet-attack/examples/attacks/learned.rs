//! deFinetti's attack on buckets of the size of a census extract: eight columns that go with the sensitive value, fourteen
//! values, buckets of four different ones as Anatomy makes them.

use std::time::Instant;

use privet_attack::reasoners::DeFinetti;
use privet_attack::worlds::Bucket;
use privet_data::Random;
use privet_data::Silent;

use super::Measured;

const VALUES: u32 = 14;
const COLUMNS: u32 = 8;
const SIZE: usize = 4;

/// Measures the attack, and how often it and guessing within the bucket are right.
pub fn measure(records: usize) -> Vec<Measured> {
    let mut random = Random::new(1);
    let records = records / SIZE * SIZE;
    // Any four different values make a bucket.
    let truth: Vec<u32> = (0..records / SIZE)
        .flat_map(|_| {
            let mut values: Vec<u32> = (0..VALUES).collect();
            for place in 0..SIZE {
                values.swap(place, place + random.below(VALUES as usize - place));
            }
            values.truncate(SIZE);
            values
        })
        .collect();
    let columns: Vec<Vec<u32>> = (0..COLUMNS)
        .map(|column| {
            let code = |&value: &u32| match random.chance(0.25) {
                true => (value * (column + 3)) % 60,
                false => random.below(60) as u32,
            };
            truth.iter().map(code).collect()
        })
        .collect();
    let groups: Vec<Bucket> = truth
        .chunks(SIZE)
        .zip((0..).step_by(SIZE))
        .map(|(values, first)| Bucket {
            people: (first..first + SIZE as u32).collect(),
            values: values.to_vec(),
        })
        .collect();
    let slices: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
    let begin = Instant::now();
    let Ok(beliefs) = DeFinetti::default().posterior(&slices, &[60; COLUMNS as usize], &groups, &Silent)
    else {
        return Vec::new();
    };
    let seconds = begin.elapsed().as_secs_f64();
    let right = (0..records as u32)
        .filter(|&record| beliefs.most_likely(record).map(|own| own.0) == Some(truth[record as usize]))
        .count();
    let sure = (0..records as u32)
        .filter(|&record| beliefs.most_likely(record).is_some_and(|own| own.1 >= 0.9))
        .count();
    vec![
        Measured { what: "deFinetti: records told right", seconds, found: right as u64 },
        Measured { what: "deFinetti: records believed with 0.9", seconds: 0.0, found: sure as u64 },
        Measured {
            what: "guessing within the bucket, expected",
            seconds: 0.0,
            found: (records / SIZE) as u64,
        },
    ]
}
