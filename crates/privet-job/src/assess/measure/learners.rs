//! What classifiers learn from a release (survey US-10, US-11, UM-34), and whether an analyst would read the same off a
//! logistic regression (UM-26, UM-27).

use privet_data::{Column, Progress, Table};
use privet_measure::classify::{
    Classifier, DecisionTree, NaiveBayes, Training, TrainingColumn, TreeOptions, accuracy,
};
use privet_measure::learn::{Coefficient, LogisticOptions, LogisticRegression, Reading, Scale};
use privet_measure::utility::{
    Classes, Estimate, NORMAL_95, UtilityError, analytical_validity, mean_interval_overlap,
};
use privet_report::{Figure, Learner, Utility};

use super::super::original::translate;
use super::protocol::Split;
use super::{Beside, figure, spread_out};
use crate::error::{JobError, RunError};

/// What is wrong with a column that is to be predicted, and where it stands in the original.
pub(super) fn predicted(beside: &Beside<'_>, flag: &str, name: &str) -> Result<usize, JobError> {
    let (original, release) = (beside.original, beside.release);
    let wrong = |problem: &str| JobError::new(format!("{flag} names {name}, {problem}"));
    let position = original.table.position(name).ok_or_else(|| wrong("which the original has not"))?;
    if release.quasi.iter().any(|&at| release.table.columns[at].name == name) {
        return Err(wrong("which is an identifying column of the release; name another"));
    }
    if release.table.position(name).is_none() {
        return Err(wrong("which is not published record by record; name another"));
    }
    Ok(position)
}

/// Classifiers that learn from the release, tested on raw records.
pub(super) fn learners(
    beside: &Beside<'_>,
    class: &str,
    apart: Option<&Table>,
    utility: &mut Utility,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let (original, release) = (beside.original, beside.release);
    let position = predicted(beside, "--class", class)?;
    let own = &original.table.columns[position];
    let labels = &own.codes;
    let groups = spread_out(beside, &release.group_of);
    let classes = Classes::new(&groups, beside.mask())?;
    utility.figures.extend(figure(
        "classification",
        "Classification metric (CM)",
        classes.classification_penalty(labels)?,
        true,
        "The share of records that are left out or have another class than most of their group.",
    ));
    utility.figures.extend(figure(
        "class-entropy",
        "Bits of the class that remain unknown",
        classes.class_entropy(labels)?,
        false,
        "How many yes-or-no questions remain about the class when the group is known.",
    ));
    let split = Split::new(beside, apart)?;
    utility.protocol = Some(split.protocol.clone());
    if split.is_empty() {
        return Ok(());
    }
    // What is learned from the release is what it says, even where that is not true.
    let said = release.table.column(class);
    let code_of = said.map(|column| translate(&column.domain, &own.domain)).unwrap_or_default();
    let of_release = |&published: &usize| {
        said.and_then(|column| code_of[column.codes[published] as usize])
            .unwrap_or(labels[original.record_of[published] as usize])
    };
    let said = split.published.iter().map(of_release).collect();
    train(&split, own, said, utility, progress)
}

/// Trains every classifier twice and tests it. `own` is the class in the original; `said` is what the release says it is, per
/// published record that is learned from, in codes of the original.
pub(super) fn train(
    split: &Split<'_>,
    own: &Column,
    said: Vec<u32>,
    utility: &mut Utility,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let (class, labels) = (own.name.as_str(), &own.codes);
    let told = {
        let column = split.test_column(class)?;
        let code_of = translate(&column.domain, &own.domain);
        let of = |&record: &usize| code_of[column.codes[record] as usize];
        split.test_records().iter().map(of).collect::<Vec<Option<u32>>>()
    };
    let of = |columns: &[TrainingColumn], records: Vec<u32>| {
        Training::new(columns.to_vec(), records)
            .map_err(|error| RunError::from(JobError::new(error.to_string())))
    };
    let truth: Vec<u32> = split.originals.iter().map(|&record| labels[record]).collect();
    let from_release = of(&split.released, said.clone())?;
    let from_raw = of(&split.raw, truth.clone())?;
    let mut count = vec![0u64; own.domain.len()];
    for &record in &split.originals {
        count[labels[record] as usize] += 1;
    }
    let most = (0..count.len()).max_by_key(|&code| count[code]).unwrap_or(0) as u32;
    let guessed = told.iter().filter(|own| **own == Some(most)).count() as u64;
    let all = told.len() as u64;
    let rate = |classifier: &dyn Classifier, tested: &[Vec<Option<u32>>]| {
        let share = accuracy(classifier, tested, &told).unwrap_or(0.0);
        privet_attack::Rate::new((share * all as f64).round() as u64, all)
    };
    let tested =
        |name: &str, raw: &dyn Classifier, released: &dyn Classifier, on: &[Vec<Option<u32>>]| Learner {
            name: name.to_owned(),
            class: class.to_owned(),
            baseline: privet_attack::Rate::new(guessed, all),
            raw: rate(raw, on),
            released: rate(released, on),
        };
    let learner = |name: &str, raw: &dyn Classifier, released: &dyn Classifier| {
        tested(name, raw, released, &split.tested)
    };
    progress.stage("learning", None);
    utility.learners.push(learner(
        "naive Bayes",
        &NaiveBayes::train(&from_raw, 1.0),
        &NaiveBayes::train(&from_release, 1.0),
    ));
    progress.check()?;
    let tree = |training: &Training| DecisionTree::train(training, TreeOptions::default());
    utility.learners.push(learner("decision tree", &tree(&from_raw), &tree(&from_release)));
    progress.check()?;
    let scales: Vec<Scale> = split.features.iter().map(Scale::of).collect();
    let (from_release, from_raw) =
        (of(&split.coarsened(&split.released), said)?, of(&split.coarsened(&split.raw), truth)?);
    let logistic = |training: &Training| {
        LogisticRegression::train(training, &scales, Reading::Mean, LogisticOptions::default())
    };
    match (logistic(&from_raw), logistic(&from_release)) {
        (Ok(raw), Ok(released)) => {
            utility.learners.push(tested("logistic regression", &raw, &released, &split.coarsely_tested()));
            let pairs = raw
                .classes()
                .iter()
                .flat_map(|&class| raw.coefficients(class).iter().zip(released.coefficients(class)));
            utility.figures.extend(kept(
                ["logistic-validity", "logistic-overlap"],
                "logistic regression",
                pairs,
            )?);
        }
        (Err(why), _) | (_, Err(why)) => {
            utility.notes.push(format!("Logistic regression was not trained: {why}."));
        }
    }
    Ok(())
}

/// Whether the coefficients of a model say the same (UM-26, UM-27). Those without a standard error on either side are left
/// out: the records do not determine them.
pub(super) fn kept<'a>(
    keys: [&'static str; 2],
    model: &str,
    pairs: impl Iterator<Item = (&'a Coefficient, &'a Coefficient)>,
) -> Result<Vec<Figure>, UtilityError> {
    let estimate = |own: &Coefficient| {
        let standard_error = own.standard_error.filter(|error| error.is_finite())?;
        own.estimate.is_finite().then_some(Estimate { value: own.estimate, standard_error })
    };
    let pairs: Vec<(Estimate, Estimate)> =
        pairs.filter_map(|(raw, released)| Some((estimate(raw)?, estimate(released)?))).collect();
    conclusions(keys, model, &pairs)
}

/// How many of the released estimates lie in the interval of the original one, and how far intervals overlap.
pub(super) fn conclusions(
    keys: [&'static str; 2],
    of: &str,
    pairs: &[(Estimate, Estimate)],
) -> Result<Vec<Figure>, UtilityError> {
    // An estimate whose interval is wider than numbers reach says nothing.
    let is_told = |own: &Estimate| {
        let interval = own.interval(NORMAL_95);
        (interval.high - interval.low).is_finite()
    };
    let pairs: Vec<(Estimate, Estimate)> =
        pairs.iter().copied().filter(|own| is_told(&own.0) && is_told(&own.1)).collect();
    let originals: Vec<Estimate> = pairs.iter().map(|own| own.0).collect();
    let values: Vec<f64> = pairs.iter().map(|own| own.1.value).collect();
    let intervals = |side: fn(&(Estimate, Estimate)) -> Estimate| -> Vec<_> {
        pairs.iter().map(|own| side(own).interval(NORMAL_95)).collect()
    };
    let validity = analytical_validity(&originals, &values, NORMAL_95)?.share();
    let overlap = mean_interval_overlap(&intervals(|own| own.0), &intervals(|own| own.1))?;
    let figures = [
        validity.and_then(|share| {
            figure(
                keys[0],
                &format!("Analytical validity, {of}"),
                share,
                true,
                &format!(
                    "The share of the {} estimates from the release that lie in the 95 % interval of the original's.",
                    pairs.len()
                ),
            )
        }),
        overlap.and_then(|share| {
            figure(
                keys[1],
                &format!("Overlap of intervals, {of}"),
                share,
                true,
                "How far the 95 % intervals from the release and from the original overlap, on average: all for equal ones.",
            )
        }),
    ];
    Ok(figures.into_iter().flatten().collect())
}
