//! Random tables, and what every node of their lattice is worth, straight from the definitions.
//!
//! The oracle shares nothing with the search but the criteria themselves: it groups records by the texts
//! of their labels and computes each metric as it is written down.
#![allow(dead_code, reason = "each test target uses a part of it")]

use std::collections::{BTreeMap, HashMap};

use privet_criteria::{Class, Criterion, Histogram, Joint, Requirement, SensitiveColumn, Summaries, build};
use privet_data::{Domain, Generalization, Hierarchy};
use privet_measure::Metric;
use privet_recode::lattice::{Codes, Problem, Quasi};
use proptest::prelude::*;

pub mod cuts;
pub mod fixture;

/// A random table with hierarchies.
#[derive(Debug, Clone)]
pub struct Table {
    pub quasi: Vec<Vec<u32>>,
    pub population: Option<Vec<Vec<u32>>>,
    pub generalizations: Vec<Generalization>,
    pub sensitive: Vec<Vec<u32>>,
    pub label: Vec<u32>,
    pub weights: Vec<f64>,
    pub rows: usize,
}

pub const VALUES: usize = 5;

/// Nested random labels over `VALUES` leaves and a spare leaf that the data never holds.
pub fn hierarchy(merges: &[usize], ends_in_one: bool) -> Hierarchy {
    let leaves: Vec<Box<str>> = (0..=VALUES).map(|v| format!("{v}").into()).collect();
    let mut group: Vec<usize> = (0..=VALUES).collect();
    let mut levels = Vec::new();
    for &merge in merges {
        group = group.iter().map(|&g| if g > merge { g - 1 } else { g }).collect();
        levels.push(group.iter().map(|g| Box::from(format!("g{g}"))).collect());
    }
    if ends_in_one {
        levels.push(vec!["*".into(); VALUES + 1]);
    }
    Hierarchy::new(leaves, levels).unwrap()
}

pub fn domain() -> Domain {
    Domain::canonical((0..VALUES).map(|v| format!("{v}").into()).collect(), |_| false).0
}

pub fn tables() -> impl Strategy<Value = Table> {
    tables_of(1..4, 40)
}

pub fn tables_of(columns: std::ops::Range<usize>, most_rows: usize) -> impl Strategy<Value = Table> {
    (columns, 1usize..most_rows, any::<bool>(), 0usize..30).prop_flat_map(|(columns, rows, one, people)| {
        let codes = move |n: usize| prop::collection::vec(0u32..VALUES as u32, n);
        (
            prop::collection::vec(codes(rows), columns),
            prop::collection::vec(codes(people), columns),
            prop::collection::vec(prop::collection::vec(0usize..3, 0..3), columns),
            prop::collection::vec(codes(rows), 2),
            codes(rows),
            prop::collection::vec(0.0f64..3.0, columns),
        )
            .prop_map(move |(quasi, extra, merges, sensitive, label, weights)| {
                let generalizations: Vec<Generalization> =
                    merges.iter().map(|m| hierarchy(m, one).bind(&domain()).unwrap()).collect();
                // The population holds everybody of the table and some more.
                let population = Some(
                    quasi
                        .iter()
                        .zip(&extra)
                        .map(|(q, more)| q.iter().chain(more).copied().collect())
                        .collect(),
                );
                Table { quasi, population, generalizations, sensitive, label, weights, rows }
            })
    })
}

pub fn json(key: &str, text: &str) -> Requirement {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    Requirement::parse(key, &value).unwrap().remove(0)
}

/// One of every criterion, with parameters that are sometimes met and sometimes not.
pub fn requirements() -> Vec<Vec<Requirement>> {
    let k2 = || json("k-anonymity", "2");
    vec![
        vec![k2()],
        vec![json("k-anonymity", "4")],
        vec![json("alpha-k", r#"{"alpha": 0.6, "k": 2, "column": "a"}"#)],
        vec![json("alpha-k", r#"{"alpha": 0.4, "k": 1, "values": ["1"], "column": "a"}"#)],
        vec![json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "a"}"#)],
        vec![k2(), json("l-diversity", r#"{"kind": "entropy", "l": 1.8, "column": "a"}"#)],
        vec![json("l-diversity", r#"{"kind": "recursive", "l": 2, "c": 1.5, "column": "a"}"#)],
        vec![json(
            "l-diversity",
            r#"{"kind": "positive-disclosure", "l": 2, "c": 1.5, "allowed": ["0"], "column": "a"}"#,
        )],
        vec![json(
            "l-diversity",
            r#"{"kind": "negative-positive-disclosure", "l": 2, "c": 2.5, "c2": 10, "allowed": ["0"], "protected": ["1"], "column": "a"}"#,
        )],
        vec![json("l-diversity", r#"{"kind": "distinct", "l": 2, "multi-attribute": true, "column": "a"}"#)],
        vec![json("l-diversity", r#"{"kind": "entropy", "l": 1.4, "multi-attribute": true, "column": "b"}"#)],
        vec![json("t-closeness", r#"{"kind": "variational", "t": 0.3, "column": "a"}"#)],
        vec![k2(), json("t-closeness", r#"{"kind": "equal", "t": 0.4, "column": "a"}"#)],
        vec![json("t-closeness", r#"{"kind": "kl", "t": 0.4, "column": "a"}"#)],
        vec![json("t-closeness", r#"{"kind": "ordered", "t": 0.15, "column": "a"}"#)],
        vec![json("t-closeness", r#"{"kind": "hierarchical", "t": 0.3, "column": "a"}"#)],
        vec![json(
            "t-closeness",
            r#"{"kind": "matrix", "t": 0.3, "costs": [["0", "1", 0.5]], "column": "a"}"#,
        )],
        vec![json("p-sensitivity", r#"{"p": 2, "k": 2, "column": "a"}"#)],
        vec![json(
            "p-sensitivity",
            r#"{"p": 2, "k": 2, "plus": true, "alpha": 1, "categories": [["0", "1"], ["2", "3"], ["4"]], "column": "a"}"#,
        )],
        vec![json(
            "concept-diversity",
            r#"{"l": 2, "concepts": {"low": ["0", "1"], "high": ["3", "4"]}, "column": "a"}"#,
        )],
        vec![json("proximity-diversity", r#"{"l": 2, "width": 1, "column": "a"}"#)],
        vec![json("proximity-diversity", r#"{"l": 2, "width": 1, "balance": 0.8, "column": "a"}"#)],
        vec![json(
            "proximity-diversity",
            r#"{"kind": "neighbourhood", "l": 1.5, "width": 1, "column": "a"}"#,
        )],
        vec![json("delta-presence", r#"{"max": 0.8, "population": "p.csv"}"#)],
        vec![json("delta-presence", r#"{"min": 0.2, "max": 0.9, "population": "p.csv"}"#)],
        vec![json("k-map", r#"{"k": 4, "population": "p.csv"}"#), k2()],
        vec![json("beta-likeness", r#"{"beta": 1.2, "column": "a"}"#)],
        vec![json("beta-likeness", r#"{"beta": 1.2, "kind": "enhanced", "column": "a"}"#)],
        vec![json("delta-disclosure", r#"{"delta": 1.5, "column": "a"}"#)],
        vec![
            k2(),
            json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "b"}"#),
            json("t-closeness", r#"{"kind": "equal", "t": 0.6, "column": "a"}"#),
        ],
    ]
}

/// Criteria that judge all classes together, alone and beside others.
pub fn table_wide() -> Vec<Vec<Requirement>> {
    let k2 = || json("k-anonymity", "2");
    let diverse = || json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "b"}"#);
    vec![
        vec![json("c-k-safety", r#"{"c": 0.5, "k": 0, "column": "a"}"#)],
        vec![json("c-k-safety", r#"{"c": 0.7, "k": 1, "column": "a"}"#)],
        vec![k2(), json("c-k-safety", r#"{"c": 0.85, "k": 1, "column": "b"}"#)],
        vec![json("c-k-safety", r#"{"c": 0.9, "k": 2, "column": "a"}"#), diverse()],
        vec![json("three-d", r#"{"c": 0.8, "m": 1, "column": "a"}"#)],
        vec![json(
            "three-d",
            r#"{"points": [{"c": 0.6}, {"l": 1, "c": 0.8}, {"m": 1, "c": 0.9}], "column": "a"}"#,
        )],
        vec![
            json(
                "three-d",
                r#"{"points": [{"k": 1, "c": 0.8}], "values": {"1": {"m": 2, "c": 0.7}}, "column": "a"}"#,
            ),
            diverse(),
        ],
        vec![
            json("three-d", r#"{"values": {"0": {"c": 0.3}, "2": {"l": 1, "c": 0.5}}, "column": "a"}"#),
            json("c-k-safety", r#"{"c": 0.8, "k": 1, "column": "b"}"#),
        ],
    ]
}

/// Everything a test needs of a table: the criteria bound to it, and the joint sensitive codes.
pub struct Bound {
    pub criteria: Vec<Box<dyn Criterion>>,
    pub joint: Joint,
    pub joint_codes: Vec<u32>,
    pub asks_for_population: bool,
}

pub fn bind(table: &Table, requirements: &[Requirement]) -> Option<Bound> {
    let domain = domain();
    let counts = |codes: &[u32]| {
        let mut counts = vec![0u64; VALUES];
        codes.iter().for_each(|&c| counts[c as usize] += 1);
        counts
    };
    let (a, b) = (counts(&table.sensitive[0]), counts(&table.sensitive[1]));
    let tree = hierarchy(&[0, 1], true);
    let columns = [
        SensitiveColumn { name: "a", domain: &domain, counts: &a, hierarchy: Some(&tree) },
        SensitiveColumn { name: "b", domain: &domain, counts: &b, hierarchy: None },
    ];
    let mut combinations: Vec<Vec<u32>> = Vec::new();
    let joint_codes = (0..table.rows)
        .map(|row| {
            let pair = vec![table.sensitive[0][row], table.sensitive[1][row]];
            combinations.iter().position(|c| *c == pair).unwrap_or_else(|| {
                combinations.push(pair);
                combinations.len() - 1
            }) as u32
        })
        .collect();
    let joint = Joint { combinations };
    // A promise that is impossible for this table is refused before any search.
    let criteria = build(requirements, &columns, Some(&joint), table.rows as u64).ok()?;
    let asks_for_population = requirements.iter().any(|requirement| requirement.population().is_some());
    Some(Bound { criteria, joint, joint_codes, asks_for_population })
}

/// What a node costs, or `None` when it is not safe. Straight from the definitions.
pub fn judge(table: &Table, bound: &Bound, levels: &[usize], metric: Metric, limit: u64) -> Option<f64> {
    judge_ties(table, bound, levels, metric, limit).into_iter().min_by(f64::total_cmp)
}

/// What a node costs, for every way to suppress the fewest records; nothing when it is not safe.
pub fn judge_ties(table: &Table, bound: &Bound, levels: &[usize], metric: Metric, limit: u64) -> Vec<f64> {
    let absence = bound.criteria.iter().any(|c| c.judges_absence());
    let limit = if absence { 0 } else { limit };
    let ties = ties(table, bound, levels).into_iter();
    let safe = ties.filter(|(_, suppressed)| suppressed.len() as u64 <= limit);
    safe.map(|(kept, suppressed)| value(table, levels, metric, &kept, &suppressed)).collect()
}

/// The first of [`ties`].
pub fn classes(table: &Table, bound: &Bound, levels: &[usize]) -> Option<(Vec<Vec<usize>>, Vec<usize>)> {
    ties(table, bound, levels).into_iter().next()
}

/// The records of each class that is kept, and the suppressed records, for every way to suppress the fewest; none when
/// people without records fail a criterion.
pub fn ties(table: &Table, bound: &Bound, levels: &[usize]) -> Vec<(Vec<Vec<usize>>, Vec<usize>)> {
    let label = |codes: &[Vec<u32>], row: usize| -> Vec<String> {
        levels
            .iter()
            .enumerate()
            .map(|(i, &level)| {
                let level = &table.generalizations[i].levels[level];
                level.labels[level.node_of_code[codes[i][row] as usize] as usize].to_string()
            })
            .collect()
    };
    let mut members: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for row in 0..table.rows {
        members.entry(label(&table.quasi, row)).or_default().push(row);
    }
    let mut people: HashMap<Vec<String>, u64> = HashMap::new();
    let population = table.population.as_ref().expect("a population");
    for person in 0..population[0].len() {
        let key = label(population, person);
        members.entry(key.clone()).or_default();
        *people.entry(key).or_default() += 1;
    }
    let views = [
        (&table.sensitive[0], VALUES),
        (&table.sensitive[1], VALUES),
        (&bound.joint_codes, bound.joint.combinations.len()),
    ];
    let (mut suppressed, mut kept) = (Vec::new(), Vec::new());
    let mut told: Vec<Vec<Summaries>> = Vec::new();
    for (key, rows) in &members {
        let counted: Vec<(Vec<u32>, Vec<u32>)> = views
            .iter()
            .map(|(codes, size)| {
                let mut counts = vec![0u32; *size];
                rows.iter().for_each(|&row| counts[codes[row] as usize] += 1);
                let present = (0..*size as u32).filter(|&c| counts[c as usize] > 0).collect();
                (counts, present)
            })
            .collect();
        let histograms: Vec<Histogram<'_>> = counted
            .iter()
            .map(|(counts, present)| Histogram { counts, present, total: rows.len() as u64 })
            .collect();
        let class = Class { rows: rows.len() as u64, population: people[key], histograms: &histograms };
        if rows.is_empty() {
            if bound.criteria.iter().any(|c| c.judges_absence() && !c.holds(&class)) {
                return Vec::new();
            }
        } else if bound.criteria.iter().all(|c| c.holds(&class)) {
            kept.push(rows.clone());
            let tell = |criterion: &dyn Criterion| {
                let mut told = Summaries::default();
                told.add(criterion, &class);
                told
            };
            told.push(bound.criteria.iter().map(|criterion| tell(&**criterion)).collect());
        } else {
            suppressed.extend(rows.iter().copied());
        }
    }
    let choices = least_choices(bound, &kept, &told).into_iter().map(|stays| {
        let (stay, go): (Vec<_>, Vec<_>) = kept.iter().cloned().zip(stays).partition(|(_, stays)| *stays);
        let gone = go.into_iter().flat_map(|(rows, _)| rows);
        let suppressed = suppressed.iter().copied().chain(gone).collect();
        (stay.into_iter().map(|(rows, _)| rows).collect(), suppressed)
    });
    choices.collect()
}

/// Of all subsets of the classes that criteria accept together, those with the most records.
fn least_choices(bound: &Bound, kept: &[Vec<usize>], told: &[Vec<Summaries>]) -> Vec<Vec<bool>> {
    let accepts = |stays: &[bool]| {
        bound.criteria.iter().enumerate().filter(|(_, c)| !c.bucket_independent()).all(
            |(number, criterion)| {
                let mut all = Summaries::default();
                told.iter()
                    .zip(stays)
                    .filter(|(_, stays)| **stays)
                    .for_each(|(class, _)| all.append(&class[number]));
                criterion.reached_together(&all).into_iter().all(|reached| criterion.accepts(reached))
            },
        )
    };
    if accepts(&vec![true; kept.len()]) {
        return vec![vec![true; kept.len()]];
    }
    assert!(kept.len() <= 16, "too many subsets of {} classes to try", kept.len());
    let (mut most, mut best) = (0, Vec::new());
    for set in (0u32..1 << kept.len()).rev() {
        let stays: Vec<bool> = (0..kept.len()).map(|class| set >> class & 1 == 1).collect();
        let rows: usize =
            kept.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(rows, _)| rows.len()).sum();
        if rows >= most && accepts(&stays) {
            if rows > most {
                best.clear();
            }
            most = rows;
            best.push(stays);
        }
    }
    best
}

pub fn value(
    table: &Table,
    levels: &[usize],
    metric: Metric,
    kept: &[Vec<usize>],
    suppressed: &[usize],
) -> f64 {
    let n = table.rows as f64;
    let columns = levels.len();
    let covered = |i: usize, row: usize| {
        let level = &table.generalizations[i].levels[levels[i]];
        f64::from(level.leaves[level.node_of_code[table.quasi[i][row] as usize] as usize])
    };
    let leaves = |i: usize| f64::from(table.generalizations[i].leaves);
    let weights: f64 = table.weights.iter().sum();
    let cells = |cell: &dyn Fn(usize, usize, bool) -> f64| -> f64 {
        let mut sum = 0.0;
        for i in 0..columns {
            for class in kept {
                sum += class.iter().map(|&row| table.weights[i] * cell(i, row, false)).sum::<f64>();
            }
            sum += suppressed.iter().map(|&row| table.weights[i] * cell(i, row, true)).sum::<f64>();
        }
        sum / (n * weights)
    };
    match metric {
        Metric::Loss => {
            cells(&|i, row, out| if out { 1.0 } else { (covered(i, row) - 1.0) / (leaves(i) - 1.0) })
        }
        Metric::Precision => cells(&|i, _, out| {
            let height = table.generalizations[i].height();
            if out {
                1.0
            } else if height == 0 {
                0.0
            } else {
                levels[i] as f64 / height as f64
            }
        }),
        Metric::Height => levels.iter().zip(&table.weights).map(|(&l, w)| l as f64 * w).sum(),
        Metric::NonUniformEntropy => cells(&|i, row, out| {
            let level = &table.generalizations[i].levels[levels[i]];
            let node = |row: usize| level.node_of_code[table.quasi[i][row] as usize];
            let same =
                |row: usize| (0..table.rows).filter(|&r| table.quasi[i][r] == table.quasi[i][row]).count();
            let together = (0..table.rows).filter(|&r| node(r) == node(row)).count();
            let whole = if out { table.rows } else { together };
            (whole as f64 / same(row) as f64).log2()
        }),
        Metric::Discernibility => {
            kept.iter().map(|c| (c.len() * c.len()) as f64).sum::<f64>() + n * suppressed.len() as f64
        }
        Metric::AverageClassSize => {
            if kept.is_empty() {
                n
            } else {
                kept.iter().map(Vec::len).sum::<usize>() as f64 / kept.len() as f64
            }
        }
        Metric::Ambiguity => {
            let all: f64 = (0..columns).map(leaves).product();
            let volume = |row: usize| (0..columns).map(|i| covered(i, row)).product::<f64>();
            (kept.iter().map(|c| c.len() as f64 * volume(c[0])).sum::<f64>() + all * suppressed.len() as f64)
                / n
        }
        Metric::KullbackLeibler => {
            let all: f64 = (0..columns).map(leaves).product();
            let mut tuples: HashMap<Vec<u32>, f64> = HashMap::new();
            for row in 0..table.rows {
                *tuples.entry(table.quasi.iter().map(|q| q[row]).collect()).or_default() += 1.0 / n;
            }
            let class_of: HashMap<usize, &Vec<usize>> =
                kept.iter().flat_map(|c| c.iter().map(move |&row| (row, c))).collect();
            let everywhere = suppressed.len() as f64 / n / all;
            let mut seen = HashMap::new();
            for row in 0..table.rows {
                let tuple: Vec<u32> = table.quasi.iter().map(|q| q[row]).collect();
                let own = class_of.get(&row).map_or(0.0, |class| {
                    class.len() as f64 / n / (0..columns).map(|i| covered(i, row)).product::<f64>()
                });
                seen.insert(tuple, own + everywhere);
            }
            tuples.iter().map(|(tuple, p)| p * (p / seen[tuple]).ln()).sum()
        }
        Metric::Classification => {
            let minority = |class: &Vec<usize>| {
                let mut counts = [0usize; VALUES];
                class.iter().for_each(|&row| counts[table.label[row] as usize] += 1);
                class.len() - counts.iter().max().unwrap()
            };
            (kept.iter().map(minority).sum::<usize>() + suppressed.len()) as f64 / n
        }
    }
}

impl Table {
    /// The table with weights that the metric can use.
    pub fn weighed_for(&self, metric: Metric) -> Table {
        let mut table = self.clone();
        if !metric.takes_weights() || table.weights.iter().sum::<f64>() == 0.0 {
            table.weights.fill(1.0);
        }
        table
    }

    /// Per quasi column and code how many records have it.
    pub fn counts(&self) -> Vec<Vec<u64>> {
        let count = |codes: &Vec<u32>| {
            let mut counts = vec![0u64; VALUES];
            codes.iter().for_each(|&c| counts[c as usize] += 1);
            counts
        };
        self.quasi.iter().map(count).collect()
    }
}

/// The problem that a search is given; `counts` are those of [`Table::counts`].
pub fn problem<'a>(
    table: &'a Table,
    counts: &'a [Vec<u64>],
    bound: &'a Bound,
    metric: Metric,
    limit: u64,
) -> Problem<'a> {
    // Only where a criterion asks for it: a population switches off what counting classes proves.
    let population = table.population.as_ref().filter(|_| bound.asks_for_population);
    Problem {
        rows: table.rows,
        quasi: (0..table.quasi.len())
            .map(|i| Quasi {
                codes: &table.quasi[i],
                counts: &counts[i],
                generalization: &table.generalizations[i],
                numbers: None,
                weight: table.weights[i],
                population: population.map(|population| &*population[i]),
            })
            .collect(),
        sensitive: vec![
            Codes { codes: &table.sensitive[0], values: VALUES },
            Codes { codes: &table.sensitive[1], values: VALUES },
            Codes { codes: &bound.joint_codes, values: bound.joint.combinations.len() },
        ],
        label: Some(Codes { codes: &table.label, values: VALUES }),
        criteria: &bound.criteria,
        metric,
        suppress_at_most: limit,
    }
}

/// All safe nodes with their value, straight from the definitions.
pub fn safe_nodes(table: &Table, bound: &Bound, metric: Metric, limit: u64) -> Vec<(Vec<usize>, f64)> {
    let judged = nodes(table).into_iter().map(|node| {
        let value = judge(table, bound, &node, metric, limit);
        (node, value)
    });
    judged.filter_map(|(node, value)| value.map(|value| (node, value))).collect()
}

/// Those of some nodes below which none of them lies, sorted.
pub fn minimal(nodes: &[(Vec<usize>, f64)]) -> Vec<Vec<usize>> {
    let below = |a: &[usize], b: &[usize]| a != b && a.iter().zip(b).all(|(x, y)| x <= y);
    let is_minimal = |node: &Vec<usize>| !nodes.iter().any(|(other, _)| below(other, node));
    let mut minimal: Vec<Vec<usize>> =
        nodes.iter().map(|(node, _)| node).filter(|node| is_minimal(node)).cloned().collect();
    minimal.sort();
    minimal
}

/// Every node of the lattice.
pub fn nodes(table: &Table) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for generalization in &table.generalizations {
        all = all
            .iter()
            .flat_map(|node: &Vec<usize>| {
                (0..=generalization.height()).map(move |level| [&node[..], &[level]].concat())
            })
            .collect();
    }
    all
}
