//! What an algorithm takes beside what it cannot go below, or beside its plain form, in one process.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use privet_criteria::Requirement;
use privet_data::{Generalization, Silent};
use privet_measure::Metric;
use privet_recode::cluster::{Points, mdav};
use privet_recode::lattice::{Problem, Quasi};
use privet_recode::partition::{Mondrian, Workload};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::table::{self, column, counts, open};

/// Mondrian beside one sort of the same records.
#[derive(Deserialize)]
pub struct Sort {
    table: PathBuf,
    columns: Vec<table::Quasi>,
    k: u64,
    runs: usize,
}

impl Sort {
    pub fn measure(&self) -> Result<Value> {
        let table = open(&self.table, self.columns.iter().map(|quasi| quasi.name.clone()).collect())?;
        let own = self.columns.iter().map(|quasi| column(&table, &quasi.name)).collect::<Result<Vec<_>>>()?;
        let fitted = self.columns.iter().zip(&own).map(|(quasi, &column)| {
            let numbers: Vec<f64> = (0..column.domain.len() as u32)
                .map(|code| column.domain.number(code).unwrap_or(f64::NAN))
                .collect();
            let is_number = numbers.iter().any(|number| !number.is_nan());
            let generalization = quasi.hierarchy(column)?.bind(&column.domain)?;
            Ok((generalization, counts(column), is_number.then_some(numbers)))
        });
        let fitted = fitted.collect::<Result<Vec<(Generalization, Vec<u64>, Option<Vec<f64>>)>>>()?;
        let criteria = Requirement::parse("k-anonymity", &json!(self.k))?;
        let criteria = privet_criteria::build(&criteria, &[], None, table.rows as u64)?;
        let quasi = own.iter().zip(&fitted).map(|(column, (generalization, counts, numbers))| Quasi {
            codes: &column.codes,
            counts,
            generalization,
            numbers: numbers.as_deref(),
            weight: 1.0,
            population: None,
        });
        let problem = Problem {
            rows: table.rows,
            quasi: quasi.collect(),
            sensitive: Vec::new(),
            label: None,
            criteria: &criteria,
            metric: Metric::Loss,
            suppress_at_most: 0,
        };
        let widths: Vec<u32> = own.iter().map(|column| column.domain.len().max(1).ilog2() + 1).collect();
        if widths.iter().sum::<u32>() > u128::BITS {
            return Err("the columns do not fit in 128 bits".into());
        }
        let key = |row: usize| {
            own.iter()
                .zip(&widths)
                .fold(0u128, |key, (column, width)| (key << width) | u128::from(column.codes[row]))
        };
        let packed: Vec<u128> = (0..table.rows).map(key).collect();
        let (mut cutting, mut sorting, mut in_parallel) = (Vec::new(), Vec::new(), Vec::new());
        let mut groups = 0;
        // In turns, so that whatever else the machine does hits all of them alike.
        for _ in 0..self.runs.max(1) {
            let start = Instant::now();
            groups = Mondrian::default().search(&problem, &Workload::default(), &Silent)?.groups.count;
            cutting.push(start.elapsed().as_secs_f64());
            let mut keys = packed.clone();
            let start = Instant::now();
            keys.sort_unstable();
            black_box(&keys);
            sorting.push(start.elapsed().as_secs_f64());
            let mut keys = packed.clone();
            let start = Instant::now();
            keys.par_sort_unstable();
            black_box(&keys);
            in_parallel.push(start.elapsed().as_secs_f64());
        }
        // Equal keys make a sort faster, so it is told how many there are.
        let mut keys = packed;
        keys.sort_unstable();
        keys.dedup();
        Ok(json!({
            "rows": table.rows,
            "distinct": keys.len(),
            "groups": groups,
            "mondrian": median(cutting),
            "sort": median(sorting),
            "parallel_sort": median(in_parallel),
        }))
    }
}

/// MDAV on generated points, fast and plain.
#[derive(Deserialize)]
pub struct Mdav {
    rows: usize,
    columns: usize,
    k: usize,
    runs: usize,
}

impl Mdav {
    pub fn measure(&self) -> Result<Value> {
        let mut random = 20_102u64;
        // Sums of twelve uniform numbers: close to normal, and the same everywhere.
        let normal = |random: &mut u64| (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0;
        let values = (0..self.rows * self.columns).map(|_| normal(&mut random)).collect();
        let points = Points::new(self.rows, values);
        let start = Instant::now();
        let plain = mdav::plain(&points, self.k, &Silent)?;
        let slow = start.elapsed().as_secs_f64();
        let (mut seconds, mut identical) = (Vec::new(), true);
        for _ in 0..self.runs.max(1) {
            let start = Instant::now();
            let fast = mdav::fast(&points, self.k, &Silent)?;
            seconds.push(start.elapsed().as_secs_f64());
            identical &= fast == plain;
        }
        Ok(json!({
            "rows": self.rows,
            "groups": plain.count,
            "plain": slow,
            "fast": median(seconds),
            "identical": identical,
        }))
    }
}

/// A number from 0 to 1 (splitmix64).
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
