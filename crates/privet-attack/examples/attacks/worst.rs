//! (c,k)-safety and 3D privacy of a whole table, beside one grouping of its records: the floor of any search.

use std::collections::BTreeMap;
use std::time::Instant;

use privet_attack::worlds::ck_breach;
use privet_criteria::{Class, Histogram, Requirement, SensitiveColumn, Summaries, build};
use privet_data::Domain;
use privet_data::Random;
use privet_release::published::Histograms;

use super::Measured;

const VALUES: usize = 50;

/// Measures both checks on groups of about ten records.
pub fn measure(rows: usize) -> Vec<Measured> {
    let mut random = Random::new(1);
    let groups = (rows / 10).max(1);
    let group_of: Vec<u32> = (0..rows).map(|_| random.below(groups) as u32).collect();
    let codes: Vec<u32> = (0..rows).map(|_| (random.unit().powi(2) * VALUES as f64) as u32).collect();
    let begin = Instant::now();
    let histograms = Histograms::count(&group_of, groups, &codes);
    let mut measured = vec![Measured {
        what: "floor: one grouping of the records",
        seconds: begin.elapsed().as_secs_f64(),
        found: groups as u64,
    }];

    let begin = Instant::now();
    let buckets: Vec<Vec<u64>> =
        (0..groups as u32).map(|group| histograms.of(group).iter().map(|cell| cell.1).collect()).collect();
    let chance = ck_breach(&buckets, 2);
    let seconds = begin.elapsed().as_secs_f64();
    measured.push(Measured {
        what: "(c,2)-safety, as an attack: worst chance in per mille",
        seconds,
        found: (chance * 1000.0) as u64,
    });

    let texts = (0..VALUES).map(|value| format!("v{value:02}").into()).collect();
    let domain = Domain::canonical(texts, |_| false).0;
    let total = histograms.total(VALUES);
    let column = SensitiveColumn { name: "s", domain: &domain, counts: &total, hierarchy: None };
    let point = Requirement::ThreeD {
        l: 1,
        k: 1,
        m: 1,
        c: Some(1.0),
        points: Vec::new(),
        values: BTreeMap::new(),
        column: Some("s".to_owned()),
    };
    let safety = Requirement::CKSafety { c: 0.9, k: 2, column: Some("s".to_owned()) };
    let words = [
        "3D privacy (1,1,1), as a criterion: worst in per mille",
        "(c,2)-safety, as a criterion: worst in per mille",
    ];
    for (what, requirement) in words.into_iter().zip([point, safety]) {
        let Ok(criteria) = build(&[requirement], std::slice::from_ref(&column), None, rows as u64) else {
            continue;
        };
        let begin = Instant::now();
        let mut classes = Summaries::default();
        let mut counts = vec![0u32; VALUES];
        let mut present = Vec::new();
        for group in 0..groups as u32 {
            let cells = histograms.of(group);
            present.clear();
            present.extend(cells.iter().map(|cell| cell.0));
            let mut total = 0;
            for &(value, count) in cells {
                counts[value as usize] = count as u32;
                total += count;
            }
            let histogram = Histogram { counts: &counts, present: &present, total };
            classes.add(&*criteria[0], &Class { rows: total, population: 0, histograms: &[histogram] });
            for &value in &present {
                counts[value as usize] = 0;
            }
        }
        let worst = criteria[0].reached_together(&classes).into_iter().fold(0.0, f64::max);
        measured.push(Measured {
            what,
            seconds: begin.elapsed().as_secs_f64(),
            found: (worst * 1000.0) as u64,
        });
    }
    measured
}
