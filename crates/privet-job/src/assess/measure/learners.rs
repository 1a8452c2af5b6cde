//! What classifiers learn from a release (survey US-10, US-11, UM-34).
//!
//! Every third record is set apart, raw, and tested on. The recoding was chosen with all records in view, so this is kinder
//! than the strict protocol, in which nothing of the tested records takes part; `cargo xtask bench regroup` keeps to that.

use privet_data::{Hierarchy, Progress};
use privet_measure::classify::{
    Classifier, DecisionTree, Feature, NaiveBayes, Training, TrainingColumn, TreeOptions, accuracy,
};
use privet_measure::learn::{LogisticOptions, LogisticRegression, Reading, Scale};
use privet_measure::utility::Classes;
use privet_report::{Figure, Learner};

use super::{Beside, figure, spread_out};
use crate::error::{JobError, RunError};

/// Classifiers that learn from the release, tested on raw records of the original that were set apart.
pub(super) fn learners(
    beside: &Beside<'_>,
    class: &str,
    figures: &mut Vec<Figure>,
    progress: &dyn Progress,
) -> Result<Vec<Learner>, RunError> {
    let (original, release) = (beside.original, beside.release);
    let wrong = |problem: &str| JobError::new(format!("--class names {class}, {problem}"));
    let position = original.table.position(class).ok_or_else(|| wrong("which the original has not"))?;
    if release.quasi.iter().any(|&at| release.table.columns[at].name == class) {
        return Err(wrong("which is an identifying column of the release; name another").into());
    }
    if release.table.position(class).is_none() {
        return Err(wrong("which is not published record by record; name another").into());
    }
    let labels = &original.table.columns[position].codes;
    let groups = spread_out(beside, &release.group_of);
    let classes = Classes::new(&groups, beside.mask())?;
    figures.extend(figure(
        "classification",
        "Classification metric (CM)",
        classes.classification_penalty(labels)?,
        true,
        "The share of records that are left out or have another class than most of their group.",
    ));
    figures.extend(figure(
        "class-entropy",
        "Bits of the class that remain unknown",
        classes.class_entropy(labels)?,
        false,
        "How many yes-or-no questions remain about the class when the group is known.",
    ));
    // Every third record is set apart, raw; what was published of the others is learned from.
    let is_test = |record: usize| record % 3 == 2;
    let trained: Vec<usize> = (0..release.table.rows)
        .filter(|&published| !is_test(original.record_of[published] as usize))
        .collect();
    let raw: Vec<usize> = (0..original.table.rows).filter(|&record| !is_test(record)).collect();
    let tested: Vec<usize> = (0..original.table.rows).filter(|&record| is_test(record)).collect();
    if trained.is_empty() || tested.is_empty() {
        return Ok(Vec::new());
    }
    let mut features = Vec::new();
    let (mut released, mut plain, mut testing): (
        Vec<TrainingColumn>,
        Vec<TrainingColumn>,
        Vec<Vec<Option<u32>>>,
    ) = Default::default();
    for (quasi, &at) in release.quasi.iter().enumerate() {
        let own = &original.table.columns[original.quasi[quasi].position];
        let flat;
        let hierarchy = match &original.quasi[quasi].hierarchy {
            Some(hierarchy) => hierarchy,
            None => {
                flat = Hierarchy::flat(&own.domain);
                &flat
            }
        };
        let feature = Feature::new(hierarchy, own.domain.kind());
        let (Some(mut one), Some(mut other)) =
            (feature.training(&release.table.columns[at]), feature.training(own))
        else {
            continue;
        };
        one.codes = trained.iter().map(|&published| one.codes[published]).collect();
        other.codes = raw.iter().map(|&record| other.codes[record]).collect();
        let all = feature.testing(own);
        testing.push(tested.iter().map(|&record| all[record]).collect());
        released.push(one);
        plain.push(other);
        features.push(feature);
    }
    let told: Vec<Option<u32>> = tested.iter().map(|&record| Some(labels[record])).collect();
    let of = |columns: Vec<TrainingColumn>, records: Vec<u32>| {
        Training::new(columns, records).map_err(|error| RunError::from(JobError::new(error.to_string())))
    };
    let from_release = of(
        released,
        trained.iter().map(|&published| labels[original.record_of[published] as usize]).collect(),
    )?;
    let from_raw = of(plain, raw.iter().map(|&record| labels[record]).collect())?;
    let mut count = vec![0u64; original.table.columns[position].domain.len()];
    for &record in &raw {
        count[labels[record] as usize] += 1;
    }
    let most = (0..count.len()).max_by_key(|&code| count[code]).unwrap_or(0) as u32;
    let guessed = told.iter().filter(|own| **own == Some(most)).count() as u64;
    let all = told.len() as u64;
    let rate = |classifier: &dyn Classifier| {
        let share = accuracy(classifier, &testing, &told).unwrap_or(0.0);
        privet_attack::Rate::new((share * all as f64).round() as u64, all)
    };
    let learner = |name: &str, raw: &dyn Classifier, released: &dyn Classifier| Learner {
        name: name.to_owned(),
        class: class.to_owned(),
        baseline: privet_attack::Rate::new(guessed, all),
        raw: rate(raw),
        released: rate(released),
    };
    progress.stage("learning", None);
    let mut learners = vec![learner(
        "naive Bayes",
        &NaiveBayes::train(&from_raw, 1.0),
        &NaiveBayes::train(&from_release, 1.0),
    )];
    progress.check()?;
    let tree = |training: &Training| DecisionTree::train(training, TreeOptions::default());
    learners.push(learner("decision tree", &tree(&from_raw), &tree(&from_release)));
    progress.check()?;
    let scales: Vec<Scale> = features.iter().map(Scale::of).collect();
    let logistic = |training: &Training| {
        LogisticRegression::train(training, &scales, Reading::Mean, LogisticOptions::default())
    };
    if let (Ok(raw), Ok(released)) = (logistic(&from_raw), logistic(&from_release)) {
        learners.push(learner("logistic regression", &raw, &released));
    }
    Ok(learners)
}
