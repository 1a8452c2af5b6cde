//! Made-up releases for the tests. Each test uses a part of them.
#![allow(dead_code)]

use privet_attack::{Bin, Finding, HistogramOf, Note, Rate, Unit};
use privet_criteria::{DistanceKind, DiversityKind, LikenessKind, ProximityKind, Requirement, ThreeD};
use privet_measure::answer::Estimate;
use privet_measure::utility::Compared;
use privet_release::manifest::{
    Classes, Data, DataColumn, Evidence, File, Manifest, Promise, Recoding, Search, SizeBin, WorstClass,
};
use privet_report::{
    Assessment, Axis, Boxes, CandidatePoint, ColumnFacts, ColumnUtility, Facts, Figure, Fit, GroupBox,
    LabelCount, Learner, NotMade, PairUtility, Protocol, QueryUtility, Regression, Risk, RiskBin, Utility,
    Workload, WorkloadAnswer,
};

pub fn recoded(name: &str, level: usize, labels: &[u64]) -> DataColumn {
    let recoding = Recoding {
        level: Some(level),
        nodes: None,
        height: labels.len().saturating_sub(1),
        leaves: labels.first().copied().unwrap_or(0),
        labels_per_level: labels.to_vec(),
        reading: None,
        loss: 0.25,
        weight: 1.0,
    };
    DataColumn { name: name.into(), role: "quasi".into(), recoding: Some(recoding), alike: None }
}

fn plain(name: &str, role: &str) -> DataColumn {
    DataColumn { name: name.into(), role: role.into(), recoding: None, alike: None }
}

pub fn promise(requirement: Requirement, reached: f64) -> Promise {
    Promise {
        statement: format!("promise {}", &format!("{requirement:?}")[..6]),
        requirement,
        reached,
        worst_class: Some(WorstClass { record: 118, rows: 5 }),
        evidence: Evidence::default(),
    }
}

fn diversity(kind: DiversityKind, value: &str, column: Option<&str>) -> Requirement {
    Requirement::LDiversity {
        kind,
        l: 2.5,
        c: Some(3.0),
        c2: Some(5.0),
        allowed: vec![value.into()],
        protected: vec![value.into()],
        multi_attribute: true,
        column: column.map(Into::into),
    }
}

fn closeness(kind: DistanceKind, value: &str, column: Option<&str>) -> Requirement {
    Requirement::TCloseness {
        kind,
        t: 0.45,
        costs: vec![(value.into(), value.into(), 1.0)],
        hierarchy: Some(value.into()),
        order: vec![value.into()],
        column: column.map(Into::into),
    }
}

/// One requirement of every model and form, with `value` wherever a value of the data can stand.
pub fn every_requirement(value: &str, column: Option<&str>) -> Vec<Requirement> {
    let name = || column.map(str::to_owned);
    let values = || vec![value.to_owned()];
    let kinds = [
        DiversityKind::Distinct,
        DiversityKind::Entropy,
        DiversityKind::Recursive,
        DiversityKind::PositiveDisclosure,
        DiversityKind::NegativePositiveDisclosure,
    ];
    let distances = [
        DistanceKind::Variational,
        DistanceKind::Kl,
        DistanceKind::Equal,
        DistanceKind::Ordered,
        DistanceKind::Hierarchical,
        DistanceKind::Matrix,
    ];
    let mut all = vec![
        Requirement::KAnonymity { k: 0 },
        Requirement::KAnonymity { k: 2 },
        Requirement::KAnonymity { k: u64::MAX },
        Requirement::AlphaK { alpha: 0.5, k: 4, values: values(), column: name() },
        Requirement::DeltaPresence { min: 0.1, max: 0.6, population: value.into() },
        Requirement::KMap { k: 7, population: value.into() },
        Requirement::DeltaDisclosure { delta: 1.1, column: name() },
        Requirement::CKSafety { c: 0.9, k: 1, column: name() },
        Requirement::ThreeD {
            l: 1,
            k: 0,
            m: 2,
            c: Some(0.9),
            points: vec![ThreeD { l: 0, k: 0, m: 0, c: 0.5 }],
            values: [(value.to_owned(), ThreeD { l: 0, k: 1, m: 0, c: 0.25 })].into(),
            column: name(),
        },
    ];
    all.extend(kinds.map(|kind| diversity(kind, value, column)));
    all.extend(distances.map(|kind| closeness(kind, value, column)));
    all.extend(kinds.map(|kind| Requirement::ConceptDiversity {
        l: 2.0,
        kind,
        c: None,
        concepts: [(value.to_owned(), values())].into(),
        column: name(),
    }));
    all.extend([ProximityKind::Ranges, ProximityKind::Neighbourhood].map(|kind| {
        Requirement::ProximityDiversity { kind, l: 3.0, width: 10.0, balance: 0.5, column: name() }
    }));
    all.extend([LikenessKind::Basic, LikenessKind::Enhanced].map(|kind| Requirement::BetaLikeness {
        beta: 2.0,
        kind,
        column: name(),
    }));
    for (plus, alpha) in [(false, None), (true, None), (false, Some(1.0)), (true, Some(1.0))] {
        all.push(Requirement::PSensitivity {
            p: 2,
            k: 4,
            plus,
            alpha,
            categories: vec![values()],
            weights: vec![1.0],
            column: name(),
        });
    }
    all
}

pub fn manifest() -> Manifest {
    Manifest {
        format: 1,
        software: "privet 0.1.0".into(),
        kind: privet_release::manifest::Form::Generalized,
        data: Data {
            file: "patients.csv".into(),
            format: "csv".into(),
            delimiter: Some(';'),
            encoding: None,
            input_rows: 30_162,
            rows: 29_512,
            suppressed: 650,
            columns: vec![
                recoded("age", 2, &[74, 19, 10, 1]),
                recoded("sex", 0, &[2, 1]),
                plain("diagnosis", "sensitive"),
                plain("ward", "sensitive"),
                plain("comment", "insensitive"),
            ],
            removed_columns: vec!["patient name".into()],
            equality: Default::default(),
            sensitive_tables: vec![],
            missing: None,
            sample: None,
            distorted: None,
        },
        promises: vec![
            promise(Requirement::KAnonymity { k: 5 }, 5.0),
            promise(
                Requirement::LDiversity {
                    kind: DiversityKind::Entropy,
                    l: 2.5,
                    c: None,
                    c2: None,
                    allowed: vec![],
                    protected: vec![],
                    multi_attribute: false,
                    column: Some("diagnosis".into()),
                },
                2.6,
            ),
            promise(
                Requirement::TCloseness {
                    kind: DistanceKind::Equal,
                    t: 0.45,
                    costs: vec![],
                    hierarchy: None,
                    order: vec![],
                    column: Some("diagnosis".into()),
                },
                0.4,
            ),
        ],
        search: Search {
            algorithm: "optimal".into(),
            guarantee: "no safe candidate has a smaller loss".into(),
            minimize: "loss".into(),
            suppress_at_most: 0.02,
            lattice_nodes: Some(240),
            bound: None,
            purpose: None,
            nodes_checked: 41,
            minimal_nodes: Some(vec![vec![2, 0], vec![1, 1]]),
            microaggregation: None,
            anatomy: None,
            p_safe: None,
        },
        metrics: [("loss", 0.1045), ("discernibility", 3.5e7), ("height", 2.0)]
            .into_iter()
            .map(|(word, value)| (word.to_owned(), value))
            .collect(),
        classes: Classes {
            count: 697,
            min: 5,
            max: 871,
            mean: 42.3,
            sizes: vec![
                SizeBin { from: 5, to: 9, classes: 214, rows: 1_511 },
                SizeBin { from: 10, to: 871, classes: 483, rows: 28_001 },
            ],
        },
        randomness: "none".into(),
        unrepeatable: false,
        files: vec![File {
            name: "patients.csv".into(),
            bytes: 1_204_551,
            sha256: "ab".repeat(32),
            blocks: vec![],
        }],
        shown: privet_release::Shown::default(),
        signer: None,
        seal: "cd".repeat(32),
    }
}

pub fn facts() -> Facts {
    Facts {
        title: "Patients".into(),
        reproduce: vec!["privet anonymize job.toml".into(), "privet verify release".into()],
        boxes: Some(boxes("age")),
        attacks: vec![finding("homogeneity", "diagnosis", 0.5), finding("linking", "diagnosis", 0.25)],
        columns: vec![ColumnFacts {
            name: "age".into(),
            labels: vec![LabelCount { label: "20–29".into(), rows: 29_512 }],
            ..ColumnFacts::default()
        }],
    }
}

/// The sample with `text` in every place that holds text.
pub fn hostile(text: &str) -> (Manifest, Facts) {
    let mut m = manifest();
    m.software = text.into();
    m.randomness = text.into();
    m.seal = text.into();
    m.data.file = text.into();
    m.data.format = text.into();
    m.data.delimiter = text.chars().next();
    m.data.removed_columns = vec![text.into(); 2];
    for column in &mut m.data.columns {
        column.name = text.into();
    }
    m.data.columns.push(DataColumn { name: text.into(), role: text.into(), recoding: None, alike: None });
    m.promises = every_requirement(text, Some(text)).into_iter().map(|r| promise(r, 1.0)).collect();
    for promise in &mut m.promises {
        promise.statement = text.into();
    }
    m.search.algorithm = text.into();
    m.search.guarantee = text.into();
    m.search.minimize = text.into();
    m.metrics.insert(text.into(), 1.0);
    m.files[0].name = text.into();
    m.files[0].sha256 = text.into();
    let label = LabelCount { label: text.into(), rows: 3 };
    let facts = Facts {
        title: text.into(),
        reproduce: vec![text.into()],
        columns: vec![ColumnFacts { name: text.into(), labels: vec![label; 20], ..ColumnFacts::default() }],
        boxes: Some(boxes(text)),
        attacks: vec![finding("homogeneity", text, 0.5), finding("unheard-of", text, 0.5)],
    };
    (m, facts)
}

/// Two boxes, with a text wherever there is one.
fn boxes(text: &str) -> Boxes {
    let axis = Axis { name: text.into(), low: 0.0, high: 9.0, unit: 1.0, marks: vec![(0.0, text.into())] };
    let group = |x: f64| GroupBox { x: (x, x + 4.0), y: (0.0, 9.0), rows: 6 };
    Boxes { x: axis.clone(), y: axis, boxes: vec![group(0.0), group(5.0)], left_out: 0 }
}

/// An attack, with a text and a number wherever there is one.
pub fn finding(attack: &'static str, text: &str, value: f64) -> Finding {
    let odd = Rate { hits: 1, of: 2, rate: value, low: value, high: value };
    Finding {
        attack,
        column: Some(text.into()),
        assumed: text.into(),
        success: text.into(),
        unit: Unit::People,
        exposed: Rate::new(812, 29_512),
        right: Some(Rate::new(744, 812)),
        control: Some(odd),
        control_group: Some(text.into()),
        baseline: None,
        risk: value,
        not_counted: None,
        histogram: vec![Bin { from: 0.0, to: 0.5, people: 40 }, Bin { from: 0.5, to: value, people: 41 }],
        histogram_of: HistogramOf::Certainty,
        notes: vec![Note::of_release(text)],
    }
}

/// An assessment, with a text and a number wherever there is one, and so many of everything that there can be many of.
pub fn assessment(text: &str, value: f64, many: usize) -> Assessment {
    let figure = Figure {
        key: "key",
        name: text.into(),
        column: None,
        value,
        says: text.into(),
        is_share: true,
        is_estimate: false,
    };
    let rate = Rate { hits: 3, of: 7, rate: value, low: value, high: value };
    let column = |i: usize| ColumnUtility {
        name: format!("{text}{i}"),
        role: text.into(),
        before: vec![value, 0.25, 0.5],
        after: vec![0.25, 0.5],
        is_ordered: i.is_multiple_of(2),
        values_per_bar: Some(1),
        rest: None,
        figures: vec![figure.clone()],
    };
    let pair = |i: usize| PairUtility {
        a: format!("{text}{i}"),
        b: format!("{text}{}", i + 1),
        before: value,
        after: 0.5,
    };
    Assessment {
        attacks: (0..many).map(|_| finding("homogeneity", text, value)).collect(),
        not_made: vec![NotMade::new(text, text); many],
        max_risk: Some(value),
        max_absolute_risk: None,
        blocked: Vec::new(),
        risk: Some(Risk {
            notes: Vec::new(),
            figures: vec![figure.clone(); many],
            histogram: vec![RiskBin { from: 0.0, to: value, records: 7 }; many],
        }),
        utility: Some(Utility {
            notes: vec![Note::of_original("A note <b>of the owner</b>")],
            figures: vec![figure.clone(); many],
            columns: (0..many).map(column).collect(),
            pairs: (0..many).map(pair).collect(),
            protocol: Some(Protocol {
                strict: true,
                released: 9,
                raw: 9,
                tested: 4,
                also_in_original: Some(1),
            }),
            regressions: vec![
                Regression {
                    name: text.into(),
                    target: text.into(),
                    tested: 4,
                    baseline: value,
                    raw: Fit { error: value, determination: Some(value) },
                    released: Fit { error: value, determination: None },
                };
                many
            ],
            learners: vec![
                Learner {
                    name: text.into(),
                    class: text.into(),
                    baseline: rate,
                    raw: rate,
                    released: rate
                };
                many
            ],
            queries: Some(QueryUtility {
                queries: 9,
                mean_relative_error: value,
                median_relative_error: value,
                about: text.into(),
            }),
            workload: Some(Workload::new(
                vec![
                    WorkloadAnswer {
                        line: 3,
                        figure: text.into(),
                        compared: Compared::new(Some(value), &Estimate::default()),
                    };
                    many
                ],
                vec!["A note <b>of the owner</b>".to_owned()],
            )),
        }),
        candidates: (0..many)
            .map(|i| CandidatePoint {
                loss: value,
                risk: 0.5,
                suppressed: value,
                safe: i % 2 == 0,
                chosen: i == 0,
            })
            .collect(),
    }
}
