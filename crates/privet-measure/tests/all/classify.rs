//! Classifiers from tables to accuracy: raw records, releases of them, and records that had no part in either
//! (survey US-10, US-11, UM-34).

use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_data::{Hierarchy, Kind, Table};
use privet_measure::classify::{
    Classifier, DecisionTree, Feature, NaiveBayes, Training, TreeOptions, accuracy,
};

const JOBS: [(&str, &str); 4] = [("cook", "food"), ("baker", "food"), ("nurse", "care"), ("doctor", "care")];

fn table(text: &str) -> Table {
    read_csv_bytes(text.as_bytes(), &ReadOptions::default()).unwrap().table
}

fn features() -> [Feature; 2] {
    let texts = |of: &dyn Fn(usize) -> String, n: usize| (0..n).map(|i| of(i).into()).collect();
    let decade = |age: usize| format!("{}-{}", age / 10 * 10, age / 10 * 10 + 9);
    let ages = Hierarchy::new(
        texts(&|i| (20 + i).to_string(), 60),
        vec![texts(&|i| decade(20 + i), 60), texts(&|_| "*".into(), 60)],
    );
    let jobs = Hierarchy::new(
        texts(&|i| JOBS[i].0.into(), 4),
        vec![texts(&|i| JOBS[i].1.into(), 4), texts(&|_| "*".into(), 4)],
    );
    [Feature::new(&ages.unwrap(), Kind::Integer), Feature::new(&jobs.unwrap(), Kind::Text)]
}

/// People: who is 40 or older, or a doctor, earns much; one in ten does as chance has it.
fn people(records: u32) -> Vec<(u32, usize, &'static str)> {
    let mut state = 7u64;
    let mut below = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    (0..records)
        .map(|_| {
            let (age, job) = (20 + below(60) as u32, below(4) as usize);
            let much = if below(10) == 0 { below(2) == 0 } else { age >= 40 || job == 3 };
            (age, job, if much { "much" } else { "little" })
        })
        .collect()
}

fn csv(people: &[(u32, usize, &str)], age: impl Fn(u32) -> String, job: impl Fn(usize) -> String) -> Table {
    let line = |&(a, j, class): &(u32, usize, &str)| format!("{};{};{class}\n", age(a), job(j));
    table(&format!("age;job;class\n{}", people.iter().map(line).collect::<String>()))
}

/// What naive Bayes and a tree that learned from a release reach on raw records.
fn reached(release: &Table, test: &Table) -> [f64; 2] {
    let features = features();
    let columns = features.iter().zip(&release.columns).map(|(f, column)| f.training(column).unwrap());
    let training = Training::new(columns.collect(), release.columns[2].codes.clone()).unwrap();
    let testing: Vec<_> = features.iter().zip(&test.columns).map(|(f, column)| f.testing(column)).collect();
    let (labels, truth) = (&release.columns[2].domain, &test.columns[2]);
    let classes: Vec<_> = truth.codes.iter().map(|&code| labels.code_of(truth.domain.text(code))).collect();
    let of = |classifier: &dyn Classifier| accuracy(classifier, &testing, &classes).unwrap();
    let tree = DecisionTree::train(&training, TreeOptions { max_depth: 6, min_leaf: 5.0 });
    [of(&NaiveBayes::train(&training, 1.0)), of(&tree)]
}

#[test]
fn releases_teach_less_than_raw_records_and_more_than_nothing() {
    let people = people(3_000);
    let (train, test) = people.split_at(2_000);
    let (exact_age, exact_job) = (|age: u32| age.to_string(), |job: usize| JOBS[job].0.to_owned());
    let test = csv(test, exact_age, exact_job);
    let raw = reached(&csv(train, exact_age, exact_job), &test);
    // One in twenty is as chance had it; naive Bayes cannot say "or", but nearly.
    assert!(raw[1] > 0.93 && raw[0] > 0.85, "{raw:?}");
    // The cut at 40 is one of the decades', so nothing is lost, however a group shows its ages.
    let decade = |age: u32| age / 10 * 10;
    let by_decade = reached(&csv(train, |a| format!("{}-{}", decade(a), decade(a) + 9), exact_job), &test);
    let by_range =
        reached(&csv(train, |a| format!("[{} to {}]", decade(a), decade(a) + 9), exact_job), &test);
    assert_eq!(by_decade, by_range);
    assert!((by_decade[1] - raw[1]).abs() < 0.02, "{by_decade:?} {raw:?}");
    let by_mean = reached(&csv(train, |a| format!("{}.5", decade(a) + 4), exact_job), &test);
    assert!((by_mean[1] - raw[1]).abs() < 0.02, "{by_mean:?} {raw:?}");
    // Doctors are told from nurses no more.
    let coarse_job = |job: usize| JOBS[job].1.to_owned();
    let coarse = reached(&csv(train, exact_age, coarse_job), &test);
    assert!(coarse[1] < raw[1] - 0.03 && coarse[1] > 0.8, "{coarse:?} {raw:?}");
    // Nothing but stars: the most frequent class.
    let nothing = reached(&csv(train, |_| "*".into(), |_| "*".into()), &test);
    let much = test.columns[2].domain.code_of("much").unwrap();
    let usual = test.columns[2].codes.iter().filter(|&&code| code == much).count() as f64 / test.rows as f64;
    assert_eq!(nothing, [usual; 2]);
}

#[test]
fn what_a_release_does_not_say_is_no_mistake() {
    // A label that nobody knows, an empty cell, a class that the release does not have.
    let release = table("age;job;class\n25;cook;little\n;wizard;much\n62;doctor;much\n");
    let test = table("age;job;class\n25;cook;little\n;;nothing\n");
    let [bayes, tree] = reached(&release, &test);
    assert!(bayes <= 0.5 && tree <= 0.5);
}
