//! How long linking a million people to a million released records takes, for three kinds of release: full-domain
//! recoding, boxes as Mondrian cuts them, and single cells suppressed at random.
//!
//! The floor is one sort of the people by their values: whoever looks at all of them cannot do with much less.

use std::time::Instant;

use foldhash::{HashMap, HashMapExt};
use privet_attack::link::{People, Released, link};
use privet_data::Coverage;
use privet_data::Random;
use rayon::prelude::*;

use super::Measured;

const DOMAINS: [u32; 5] = [100, 2, 10_000, 50, 1000];

/// Measures all three: per kind a name, seconds and candidates.
pub fn measure(rows: usize) -> Vec<Measured> {
    let mut random = Random::new(1);
    let mut column = |domain: u32| -> Vec<u32> {
        // Skewed, as real columns are.
        (0..rows).map(|_| (random.unit().powi(2) * f64::from(domain)) as u32).collect()
    };
    let people: Vec<Vec<u32>> = DOMAINS.iter().map(|&domain| column(domain)).collect();

    let widths = [10, 1, 1000, 5, 100];
    let recoded: Vec<Vec<u32>> = (0..5).map(|c| people[c].iter().map(|v| v / widths[c]).collect()).collect();
    let coverage: Vec<Coverage> = (0..5)
        .map(|c| {
            let labels = DOMAINS[c].div_ceil(widths[c]);
            Coverage::new(
                (0..labels).map(|label| (label * widths[c]..(label + 1) * widths[c]).collect()),
                DOMAINS[c],
            )
        })
        .collect();
    let tens: Vec<u32> = (0..rows as u32).map(|record| record / 10).collect();
    let mut measured = vec![floor(&people)];
    measured.extend(run("full-domain recoding", &recoded, &coverage, &tens, &people));

    let (boxes, coverage, groups) = mondrian(&people, 10);
    measured.extend(run("boxes of at least 10", &boxes, &coverage, &groups, &people));

    let mut random = Random::new(2);
    let suppressed: Vec<Vec<u32>> = (0..5)
        .map(|c| people[c].iter().map(|&v| if random.chance(0.05) { DOMAINS[c] } else { v }).collect())
        .collect();
    let coverage: Vec<Coverage> = DOMAINS
        .iter()
        .map(|&domain| Coverage::new((0..domain).map(|v| vec![v]).chain([(0..domain).collect()]), domain))
        .collect();
    measured.extend(run("one cell of twenty suppressed", &suppressed, &coverage, &tens, &people));
    measured
}

/// One sort of the people by their values.
fn floor(people: &[Vec<u32>]) -> Measured {
    let keys: Vec<u64> = (0..people[0].len())
        .map(|row| {
            people
                .iter()
                .zip(DOMAINS)
                .fold(0, |key, (column, domain)| key * u64::from(domain) + u64::from(column[row]))
        })
        .collect();
    let begin = Instant::now();
    let mut sorted = keys;
    sorted.par_sort_unstable();
    let different = sorted.chunk_by(|a, b| a == b).count();
    Measured {
        what: "floor: one sort of the people",
        seconds: begin.elapsed().as_secs_f64(),
        found: different as u64,
    }
}

fn run(
    what: &'static str,
    labels: &[Vec<u32>],
    coverage: &[Coverage],
    groups: &[u32],
    people: &[Vec<u32>],
) -> Option<Measured> {
    let count = people[0].len();
    let released = Released {
        labels: labels.iter().map(Vec::as_slice).collect(),
        coverage: coverage.iter().collect(),
        groups,
    };
    let people = People { values: people.iter().map(Vec::as_slice).collect(), count };
    let begin = Instant::now();
    let links = link(&released, &people).ok()?;
    let seconds = begin.elapsed().as_secs_f64();
    let found: usize = (0..links.tuples() as u32).map(|tuple| links.of_tuple(tuple).len()).sum();
    Some(Measured { what, seconds, found: found as u64 })
}

/// Boxes by cutting at medians of the widest column, relative to its domain; their ranges are the labels.
fn mondrian(people: &[Vec<u32>], k: usize) -> (Vec<Vec<u32>>, Vec<Coverage>, Vec<u32>) {
    let mut labels: Vec<Vec<u32>> = people.iter().map(|column| vec![0; column.len()]).collect();
    let mut ranges: Vec<HashMap<(u32, u32), u32>> = vec![HashMap::new(); people.len()];
    let (mut groups, mut boxes) = (vec![0; people[0].len()], 0);
    let mut open: Vec<Vec<u32>> = vec![(0..people[0].len() as u32).collect()];
    while let Some(mut rows) = open.pop() {
        let range = |c: usize| {
            let of = || rows.iter().map(|&row| people[c][row as usize]);
            (of().min().unwrap_or(0), of().max().unwrap_or(0))
        };
        let spans: Vec<(u32, u32)> = (0..people.len()).map(range).collect();
        let mut order: Vec<usize> = (0..people.len()).collect();
        order.sort_by_key(|&c| u64::from(spans[c].1 - spans[c].0) * 1_000_000 / u64::from(DOMAINS[c]));
        let cut = order.iter().rev().find_map(|&c| {
            rows.sort_unstable_by_key(|&row| people[c][row as usize]);
            let median = people[c][rows[rows.len() / 2] as usize];
            let at = rows.partition_point(|&row| people[c][row as usize] < median);
            (at >= k && rows.len() - at >= k).then_some(at)
        });
        match cut {
            Some(at) => {
                let right = rows.split_off(at);
                open.extend([rows, right]);
            }
            None => {
                rows.iter().for_each(|&row| groups[row as usize] = boxes);
                boxes += 1;
                for (c, span) in spans.into_iter().enumerate() {
                    let next = ranges[c].len() as u32;
                    let label = *ranges[c].entry(span).or_insert(next);
                    rows.iter().for_each(|&row| labels[c][row as usize] = label);
                }
            }
        }
    }
    let coverage = ranges
        .into_iter()
        .zip(DOMAINS)
        .map(|(ranges, domain)| {
            let mut lists = vec![Vec::new(); ranges.len()];
            for ((from, to), label) in ranges {
                lists[label as usize] = (from..=to).collect();
            }
            Coverage::new(lists, domain)
        })
        .collect();
    (labels, coverage, groups)
}
