//! Writes the pages of a made-up release into a folder: `cargo run -p privet-report --example sample FOLDER`.
//!
//! `report.html` is the public page, `owner.html` and `owner.json` are for the owner; `groups.html` and `buckets.html`
//! are public pages of releases without levels.

use std::path::Path;

use privet_attack::{Bin, Finding, HistogramOf, Note, Rate, Unit};

use privet_criteria::{DistanceKind, DiversityKind, Requirement};
use privet_release::manifest::{
    Classes, Data, DataColumn, Evidence, File, Form, Manifest, Nodes, Promise, Recoding, Search, SizeBin,
    WorstClass,
};
use privet_report::{
    Assessment, CandidatePoint, ColumnFacts, ColumnUtility, Facts, Figure, Fit, LabelCount, Learner, NotMade,
    PairUtility, Protocol, QueryUtility, Regression, Risk, RiskBin, Utility,
};

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: sample FOLDER");
        std::process::exit(2);
    };
    let folder = Path::new(&folder);
    let (manifest, facts, assessment) = (manifest(), facts(), assessment());
    std::fs::write(folder.join("report.html"), privet_report::html(&manifest, &facts))?;
    std::fs::write(folder.join("owner.html"), privet_report::owner_html(&manifest, &facts, &assessment))?;
    let json = privet_report::owner_json(&manifest, &facts, &assessment);
    std::fs::write(folder.join("owner.json"), format!("{json:#}\n"))?;
    let bare = Facts { attacks: vec![], ..facts };
    std::fs::write(folder.join("groups.html"), privet_report::html(&groups(), &bare))?;
    std::fs::write(folder.join("buckets.html"), privet_report::html(&buckets(), &bare))
}

/// The same release with groups instead of levels.
fn groups() -> Manifest {
    let mut manifest = manifest();
    let kinds = [("group-ranges", 311), ("modes", 2), ("cut", 140), ("cells", 9)];
    let recodings = manifest.data.columns.iter_mut().filter_map(|column| column.recoding.as_mut());
    for (recoding, (kind, labels)) in recodings.zip(kinds) {
        recoding.level = None;
        recoding.nodes = Some(Nodes { kind: kind.into(), labels, groups: None });
    }
    manifest.search.lattice_nodes = None;
    manifest.search.minimal_nodes = None;
    manifest.search.algorithm = "mondrian".into();
    manifest
}

/// The same release with buckets.
fn buckets() -> Manifest {
    let mut manifest = manifest();
    manifest.kind = Form::Bucketized;
    for recoding in manifest.data.columns.iter_mut().filter_map(|column| column.recoding.as_mut()) {
        recoding.level = Some(0);
        recoding.loss = 0.0;
    }
    manifest.search.lattice_nodes = None;
    manifest.search.minimal_nodes = None;
    manifest.search.algorithm = "anatomy".into();
    manifest
}

fn column(name: &str, role: &str, recoding: Option<(usize, &[u64], f64)>) -> DataColumn {
    let recoding = recoding.map(|(level, labels, loss)| Recoding {
        level: Some(level),
        nodes: None,
        height: labels.len() - 1,
        leaves: labels[0],
        labels_per_level: labels.to_vec(),
        reading: None,
        loss,
        weight: 1.0,
    });
    DataColumn { name: name.into(), role: role.into(), recoding, alike: None }
}

fn promise(requirement: Requirement, statement: &str, reached: f64, record: u64, rows: u64) -> Promise {
    let worst_class = Some(WorstClass { record, rows });
    Promise { requirement, statement: statement.into(), reached, worst_class, evidence: Evidence::default() }
}

fn manifest() -> Manifest {
    let diagnosis = Some("diagnosis".to_owned());
    let sizes = [(5, 9, 214, 1_511), (10, 19, 181, 2_601), (20, 49, 166, 5_187), (50, 99, 71, 4_998)];
    let sizes = sizes.into_iter().chain([(100, 199, 38, 5_270), (200, 499, 21, 6_032), (500, 999, 6, 3_913)]);
    Manifest {
        format: 1,
        software: "privet 0.1.0".into(),
        kind: Form::Generalized,
        data: Data {
            file: "patients.csv".into(),
            format: "csv".into(),
            delimiter: Some(','),
            encoding: None,
            input_rows: 30_162,
            rows: 29_512,
            suppressed: 650,
            columns: vec![
                column("age", "quasi", Some((2, &[74, 19, 10, 5, 1], 0.121))),
                column("sex", "quasi", Some((0, &[2, 1], 0.0215))),
                column("postal code", "quasi", Some((3, &[8_412, 2_104, 391, 62, 9, 1], 0.0284))),
                column("occupation", "quasi", Some((1, &[14, 6, 2, 1], 0.2471))),
                column("diagnosis", "sensitive", None),
                column("admission ward", "sensitive", None),
                column("satisfaction", "insensitive", None),
            ],
            removed_columns: vec!["name".into(), "insurance number".into(), "telephone".into()],
            equality: Default::default(),
            sensitive_tables: vec![],
            missing: None,
            sample: None,
            distorted: None,
        },
        promises: vec![
            promise(
                Requirement::KAnonymity { k: 5 },
                "Every published record shares its quasi-identifiers with at least 4 others.",
                5.0,
                118,
                5,
            ),
            promise(
                Requirement::LDiversity {
                    kind: DiversityKind::Entropy,
                    l: 2.5,
                    c: None,
                    c2: None,
                    allowed: vec![],
                    protected: vec![],
                    multi_attribute: false,
                    column: diagnosis.clone(),
                },
                "Every group of published records that share their quasi-identifiers has an entropy of at least log 2.5 in \
                 the values of diagnosis.",
                2.5871,
                20_417,
                7,
            ),
            promise(
                Requirement::TCloseness {
                    kind: DistanceKind::Equal,
                    t: 0.45,
                    costs: vec![],
                    hierarchy: None,
                    order: vec![],
                    column: diagnosis,
                },
                "Every group of published records that share their quasi-identifiers has a distribution of diagnosis within \
                 0.45 of the one in the input.",
                0.4382,
                3_051,
                6,
            ),
        ],
        search: Search {
            algorithm: "optimal".into(),
            guarantee: "no candidate of the lattice that keeps the promises has a smaller loss".into(),
            minimize: "loss".into(),
            suppress_at_most: 0.03,
            lattice_nodes: Some(240),
            bound: None,
            purpose: None,
            nodes_checked: 41,
            minimal_nodes: Some(vec![vec![2, 0, 3, 1], vec![1, 1, 4, 1], vec![3, 0, 2, 2]]),
            microaggregation: None,
            anatomy: None,
            p_safe: None,
        },
        metrics: [
            ("loss", 0.1045),
            ("height", 6.0),
            ("precision", 0.3581),
            ("discernibility", 35_102_446.0),
            ("average-class-size", 42.339),
            ("ambiguity", 8_120.4),
            ("non-uniform-entropy", 2.917),
            ("kullback-leibler", 3.4208),
        ]
        .into_iter()
        .map(|(word, value)| (word.to_owned(), value))
        .collect(),
        classes: Classes {
            count: 697,
            min: 5,
            max: 871,
            mean: 42.342,
            sizes: sizes.map(|(from, to, classes, rows)| SizeBin { from, to, classes, rows }).collect(),
        },
        randomness: "none".into(),
        unrepeatable: false,
        files: vec![File {
            name: "patients.csv".into(),
            bytes: 1_204_551,
            sha256: "5f2b8c1d9e4a7063b1c2d3e4f5a6978812345678abcdef009988776655443322".into(),
            blocks: vec![],
        }],
        shown: privet_release::Shown::default(),
        signer: None,
        seal: String::new(),
    }
}

fn facts() -> Facts {
    let counts = |all: &[(&str, u64)]| {
        all.iter().map(|&(label, rows)| LabelCount { label: label.into(), rows }).collect::<Vec<_>>()
    };
    let ages = [("10–19", 904), ("20–29", 7_311), ("30–39", 8_020), ("40–49", 6_644), ("50–59", 4_125)];
    Facts {
        boxes: None,
        attacks: findings(),
        title: "Patients of the city hospital, anonymized".into(),
        reproduce: vec!["privet anonymize patients.toml".into(), "privet verify release".into()],
        columns: vec![
            ColumnFacts {
                name: "age".into(),
                labels: counts(&[&ages[..], &[("60–69", 1_822), ("70+", 686)]].concat()),
                ..ColumnFacts::default()
            },
            ColumnFacts {
                name: "sex".into(),
                labels: counts(&[("", 9_571), ("", 19_941)]),
                ..ColumnFacts::default()
            },
        ],
    }
}

fn findings() -> Vec<Finding> {
    let sure = |people: [u64; 10]| {
        (0u32..).zip(people).map(|(i, people)| Bin {
            from: f64::from(i) / 10.0,
            to: f64::from(i + 1) / 10.0,
            people,
        })
    };
    let left = [
        (1, 1, 0),
        (2, 4, 0),
        (5, 9, 1_511),
        (10, 19, 2_601),
        (20, 49, 5_187),
        (50, 99, 4_998),
        (100, 999, 15_215),
    ];
    let left = left.map(|(from, to, people)| Bin { from: f64::from(from), to: f64::from(to), people });
    vec![
        Finding {
            attack: "linking",
            column: None,
            assumed: "who is in the data, their identifying columns, and how labels are read".into(),
            success: "at most 1 record may be the person’s".into(),
            unit: Unit::People,
            exposed: Rate::new(0, 29_512),
            right: None,
            control: None,
            control_group: None,
            baseline: None,
            risk: 0.0,
            not_counted: None,
            histogram: left.to_vec(),
            histogram_of: HistogramOf::Candidates,
            notes: vec![Note::of_release("the fewest records that may be a person’s are 5")],
        },
        Finding {
            attack: "homogeneity",
            column: Some("diagnosis".into()),
            assumed: "who is in the data, their identifying columns, and how labels are read".into(),
            success: "at least 90 % of the records that may be a person’s agree on the value in diagnosis"
                .into(),
            unit: Unit::People,
            exposed: Rate::new(812, 29_512),
            right: Some(Rate::new(744, 812)),
            control: Some(Rate::new(601, 29_512)),
            control_group: Some("the same people, had their own record not been published".into()),
            baseline: None,
            risk: 744.0 / 29_512.0,
            not_counted: None,
            histogram: sure([0, 2_011, 8_401, 7_210, 5_002, 3_120, 1_804, 902, 250, 812]).collect(),
            histogram_of: HistogramOf::Certainty,
            notes: vec![],
        },
        Finding {
            attack: "background-knowledge",
            column: Some("diagnosis".into()),
            assumed:
                "as homogeneity, and for each person 2 values of diagnosis that the person does not have"
                    .into(),
            success: "the adversary is at least 90 % sure of a value in diagnosis".into(),
            unit: Unit::People,
            exposed: Rate::new(2_344, 29_512),
            right: Some(Rate::new(2_190, 2_344)),
            control: Some(Rate::new(1_711, 29_512)),
            control_group: Some("the same people, had their own record not been published".into()),
            baseline: None,
            risk: 2_190.0 / 29_512.0,
            not_counted: None,
            histogram: sure([0, 911, 5_401, 6_210, 5_002, 4_320, 3_104, 1_302, 918, 2_344]).collect(),
            histogram_of: HistogramOf::Certainty,
            notes: vec![Note::of_release(
                "the two values that are ruled out are those that help the adversary most",
            )],
        },
    ]
}

fn figure(key: &'static str, name: &str, value: f64, is_share: bool, says: &str) -> Figure {
    Figure { key, name: name.into(), column: None, value, is_share, is_estimate: false, says: says.into() }
}

/// A bell over so many bins, and what is left of it when runs of bins share their mean.
fn bell(bins: usize, centre: f64, run: usize) -> (Vec<f64>, Vec<f64>) {
    let raw: Vec<f64> =
        (0..bins).map(|i| (-((i as f64 - centre) / (bins as f64 / 5.0)).powi(2)).exp()).collect();
    let total: f64 = raw.iter().sum();
    let before: Vec<f64> = raw.iter().map(|share| share / total).collect();
    let after = before
        .chunks(run)
        .flat_map(|chunk| vec![chunk.iter().sum::<f64>() / chunk.len() as f64; chunk.len()])
        .collect();
    (before, after)
}

fn utility() -> Utility {
    let column = |name: &str, role: &str, (before, after): (Vec<f64>, Vec<f64>), is_ordered: bool| {
        let figures = if is_ordered {
            vec![
                figure("mean-before", "Mean before", 41.27, false, "the average value in the original"),
                figure(
                    "mean-after",
                    "Mean after",
                    41.61,
                    false,
                    "the average value that a reader would estimate",
                ),
            ]
        } else {
            vec![]
        };
        let shares = before.into_iter().zip(after).collect();
        ColumnUtility::of_values(name, role, shares, is_ordered).with(figures)
    };
    let names = ["age", "sex", "postal code", "occupation", "diagnosis", "admission ward", "satisfaction"];
    let mut pairs = Vec::new();
    for (i, a) in names.iter().enumerate() {
        for (j, b) in names.iter().enumerate().skip(i + 1) {
            let before = ((i * 7 + j * 3) % 10) as f64 / 11.0;
            pairs.push(PairUtility {
                a: (*a).into(),
                b: (*b).into(),
                before,
                after: before * (0.55 + ((i + j) % 5) as f64 / 11.0),
            });
        }
    }
    let learner = |name: &str, raw, released| Learner {
        name: name.into(),
        class: "diagnosis".into(),
        baseline: Rate::new(2_411, 5_902),
        raw: Rate::new(raw, 5_902),
        released: Rate::new(released, 5_902),
    };
    Utility {
        notes: Vec::new(),
        figures: vec![
            figure("propensity", "Propensity score", 0.61, false, "how well a classifier tells original records from released ones: 0.5 means that it cannot"),
            figure("cells-kept", "Cells published as they were", 0.574, true, "the share of all cells that show the original value"),
        ],
        columns: vec![
            column("age", "quasi", bell(74, 30.0, 10), true),
            column("sex", "quasi", (vec![0.324, 0.676], vec![0.324, 0.676]), false),
            column("postal code", "quasi", bell(400, 90.0, 60), false),
            column("occupation", "quasi", (
                vec![0.21, 0.18, 0.12, 0.11, 0.09, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01],
                vec![0.15, 0.15, 0.12, 0.11, 0.11, 0.08, 0.06, 0.06, 0.06, 0.05, 0.03, 0.02],
            ), false),
            column("diagnosis", "sensitive", (vec![0.41, 0.22, 0.17, 0.12, 0.05, 0.03], vec![0.414, 0.221, 0.171, 0.118, 0.049, 0.027]), false),
            column("satisfaction", "insensitive", bell(10, 7.0, 1), true),
        ],
        pairs,
        protocol: Some(Protocol { strict: false, released: 11_702, raw: 11_804, tested: 5_902, also_in_original: None }),
        regressions: vec![Regression {
            name: "linear regression".into(),
            target: "satisfaction".into(),
            tested: 5_902,
            baseline: 2.31,
            raw: Fit { error: 1.84, determination: Some(0.365) },
            released: Fit { error: 1.97, determination: Some(0.273) },
        }],
        learners: vec![learner("Naive Bayes", 3_611, 3_380), learner("Decision tree", 3_790, 3_402)],
        queries: Some(QueryUtility {
            queries: 1_000,
            mean_relative_error: 0.183,
            median_relative_error: 0.071,
            about: "how many records have a value from a random range in each of 2 columns; ranges cover 10 % of a column".into(),
        }),
        workload: None,
    }
}

fn assessment() -> Assessment {
    let candidates = (0..240)
        .map(|i| {
            let height = f64::from(i % 13) / 12.0;
            let loss = (0.02 + 0.9 * height * (0.6 + 0.4 * f64::from((i * 37) % 100) / 100.0)).min(1.0);
            let risk = 0.6 * (-6.5 * loss).exp() * (0.7 + 0.6 * f64::from((i * 53) % 100) / 100.0);
            CandidatePoint {
                loss,
                risk,
                suppressed: 0.03 * height,
                safe: risk < 0.12 && loss > 0.25,
                chosen: false,
            }
        })
        .collect::<Vec<_>>();
    let best = (0..candidates.len())
        .filter(|&i| candidates[i].safe)
        .min_by(|&a, &b| candidates[a].loss.total_cmp(&candidates[b].loss));
    let mut assessment = Assessment {
        attacks: findings(),
        not_made: vec![
            NotMade::new("composition", "no other release was named"),
            NotMade::new("definetti", "the release has no buckets"),
        ],
        max_risk: Some(0.05),
        max_absolute_risk: None,
        blocked: Vec::new(),
        risk: Some(Risk {
            notes: Vec::new(),
            figures: vec![
                figure(
                    "prosecutor",
                    "Prosecutor risk",
                    0.2,
                    true,
                    "the highest chance to pick the right record for somebody who knows that the person is in the table",
                ),
                figure(
                    "marketer",
                    "Marketer risk",
                    0.0236,
                    true,
                    "the share of people expected to be picked rightly when all are tried",
                ),
                figure("uniques", "Unique records", 0.0, false, "records that look like no other"),
            ],
            histogram: (0..10)
                .map(|i| RiskBin {
                    from: f64::from(i) / 50.0,
                    to: f64::from(i + 1) / 50.0,
                    records: [19_002, 4_400, 2_601, 1_204, 1_000, 605, 300, 200, 120, 80][i as usize],
                })
                .collect(),
        }),
        utility: Some(utility()),
        candidates,
    };
    if let Some(best) = best {
        assessment.candidates[best].chosen = true;
    }
    assessment
}
