//! Microaggregation: what it is by its definition, and what it promises.

use crate::oracle;

mod definition;
mod promises;

use oracle::json;
use privet_criteria::{Criterion, build};
use privet_data::{Domain, Generalization, Hierarchy, Kind, Silent};
use privet_measure::Metric;
use privet_recode::cluster::{Method, Microaggregated, Microaggregation};
use privet_recode::groups::{Groups, Represent};
use privet_recode::lattice::{Problem, Quasi, SearchError};

/// A column of texts; `?` is missing.
struct Column {
    codes: Vec<u32>,
    counts: Vec<u64>,
    generalization: Generalization,
    numbers: Option<Vec<f64>>,
    weight: f64,
}

impl Column {
    fn new(texts: &[&str], numeric: bool) -> Self {
        Self::with_hierarchy(texts, numeric, Hierarchy::flat)
    }

    fn with_hierarchy(texts: &[&str], numeric: bool, hierarchy: impl FnOnce(&Domain) -> Hierarchy) -> Self {
        let number = |text: &str| if numeric { text.parse().unwrap_or(f64::NAN) } else { 0.0 };
        let mut distinct = texts.to_vec();
        distinct.sort_by(|a, b| {
            (*a != "?").cmp(&(*b != "?")).then(number(a).total_cmp(&number(b))).then(a.cmp(b))
        });
        distinct.dedup();
        let codes: Vec<u32> =
            texts.iter().map(|text| distinct.iter().position(|d| d == text).unwrap() as u32).collect();
        let mut counts = vec![0; distinct.len()];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let missing = u32::from(distinct.first() == Some(&"?"));
        let numbers = numeric.then(|| distinct.iter().map(|text| number(text)).collect());
        let kind = if numeric { Kind::Decimal } else { Kind::Text };
        let domain = Domain::from_sorted(distinct.iter().map(|&text| text.into()).collect(), missing, kind);
        let generalization = hierarchy(&domain).bind(&domain).unwrap();
        Self { codes, counts, generalization, numbers, weight: 1.0 }
    }

    fn numbers(values: &[f64]) -> Self {
        let texts: Vec<String> =
            values.iter().map(|v| if v.is_nan() { "?".into() } else { v.to_string() }).collect();
        Self::new(&texts.iter().map(String::as_str).collect::<Vec<_>>(), true)
    }
}

fn k_anonymity(k: u64, rows: usize) -> Vec<Box<dyn Criterion>> {
    // A k above the number of records is refused when it is bound; here the search itself is to refuse it.
    build(&[json("k-anonymity", &k.to_string())], &[], None, (rows as u64).max(k)).unwrap()
}

fn problem_of<'a>(columns: &'a [Column], rows: usize, criteria: &'a [Box<dyn Criterion>]) -> Problem<'a> {
    let quasi = |column: &'a Column| Quasi {
        codes: &column.codes,
        counts: &column.counts,
        generalization: &column.generalization,
        numbers: column.numbers.as_deref(),
        weight: column.weight,
        population: None,
    };
    Problem {
        rows,
        quasi: columns.iter().map(quasi).collect(),
        sensitive: Vec::new(),
        label: None,
        criteria,
        metric: Metric::Loss,
        suppress_at_most: 0,
    }
}

fn search(columns: &[Column], k: u64, how: &Microaggregation) -> Result<Microaggregated, SearchError> {
    let rows = columns.first().map_or(0, |column| column.codes.len());
    let criteria = k_anonymity(k, rows);
    how.search(&problem_of(columns, rows, &criteria), &Silent)
}

fn by(method: Method) -> Microaggregation {
    Microaggregation { method, ..Default::default() }
}

fn sizes(groups: &Groups) -> Vec<usize> {
    let (starts, _) = groups.members();
    starts.windows(2).map(|bounds| (bounds[1] - bounds[0]) as usize).collect()
}

/// What the groups show, as texts.
fn shown(columns: &[Column], groups: &Groups, how: Represent) -> Vec<Vec<String>> {
    let problem = problem_of(columns, groups.of.len(), &[]);
    let columns = groups.represent(&problem, how);
    let text = |record: usize| {
        columns.iter().map(move |c| c.level.labels[c.codes[record] as usize].to_string()).collect()
    };
    (0..groups.of.len()).map(text).collect()
}

fn tree(_: &Domain) -> Hierarchy {
    let texts = |labels: [&str; 6]| labels.map(Box::from).to_vec();
    Hierarchy::new(
        texts(["a", "b", "c", "d", "e", "f"]),
        vec![texts(["ab", "ab", "cde", "cde", "cde", "f"]), texts(["x", "x", "x", "x", "x", "f"])],
    )
    .unwrap()
}

/// Pseudorandom numbers between 0 and 1.
fn noise(count: usize, mut state: u64) -> Vec<f64> {
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count).map(|_| next()).collect()
}
