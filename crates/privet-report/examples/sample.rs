//! Prints the report of a made-up release: `cargo run -p privet-report --example sample > report.html`.

use privet_criteria::{DistanceKind, DiversityKind, Requirement};
use privet_release::manifest::{
    Classes, Data, DataColumn, Evidence, File, Manifest, Promise, Recoding, Search, SizeBin, WorstClass,
};
use privet_report::{ColumnFacts, Facts, LabelCount};

fn main() {
    print!("{}", privet_report::html(&manifest(), &facts()));
}

fn column(name: &str, role: &str, recoding: Option<(usize, &[u64], f64)>) -> DataColumn {
    let recoding = recoding.map(|(level, labels, loss)| Recoding {
        level: Some(level),
        nodes: None,
        height: labels.len() - 1,
        leaves: labels[0],
        labels_per_level: labels.to_vec(),
        loss,
        weight: 1.0,
    });
    DataColumn { name: name.into(), role: role.into(), recoding }
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
        kind: "generalized".into(),
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
            sensitive_tables: vec![],
            sample: None,
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
        files: vec![File {
            name: "patients.csv".into(),
            bytes: 1_204_551,
            sha256: "5f2b8c1d9e4a7063b1c2d3e4f5a6978812345678abcdef009988776655443322".into(),
            blocks: vec![],
        }],
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
        title: "Patients of the city hospital, anonymized".into(),
        reproduce: vec!["privet anonymize patients.toml".into(), "privet verify release".into()],
        columns: vec![
            ColumnFacts {
                name: "age".into(),
                labels: counts(&[&ages[..], &[("60–69", 1_822), ("70+", 686)]].concat()),
            },
            ColumnFacts { name: "sex".into(), labels: counts(&[("", 9_571), ("", 19_941)]) },
        ],
    }
}
