//! How well classifiers that learn from a release tell the class of raw records (survey US-10, UM-34).

use std::path::PathBuf;
use std::time::Instant;

use privet_measure::classify::{DecisionTree, Feature, NaiveBayes, Training, TreeOptions, accuracy};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::table::{Quasi, column, open};

/// Trains on a release and tests on raw records that had no part in it.
#[derive(Deserialize)]
pub struct Accuracy {
    /// The raw records that were released: hierarchies are fitted to them, as the release's were.
    train: PathBuf,
    /// The release, or the same file again for the yardstick.
    release: PathBuf,
    /// The raw records that were set apart.
    test: PathBuf,
    class: String,
    columns: Vec<Quasi>,
}

impl Accuracy {
    pub fn measure(&self) -> Result<Value> {
        let quasi: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        let with_class: Vec<String> = quasi.iter().chain([&self.class]).cloned().collect();
        let raw = open(&self.train, quasi)?;
        let release = open(&self.release, with_class.clone())?;
        let test = open(&self.test, with_class)?;
        let (mut training, mut testing) = (Vec::new(), Vec::new());
        for quasi in &self.columns {
            let own = column(&raw, &quasi.name)?;
            let feature = Feature::new(&quasi.hierarchy(own)?, own.domain.kind());
            // A column without any value has nothing to say.
            let Some(released) = feature.training(column(&release, &quasi.name)?) else { continue };
            training.push(released);
            testing.push(feature.testing(column(&test, &quasi.name)?));
        }
        let (labels, truth) = (column(&release, &self.class)?, column(&test, &self.class)?);
        let class_of: Vec<Option<u32>> =
            truth.domain.texts().iter().map(|text| labels.domain.code_of(text)).collect();
        let classes: Vec<Option<u32>> = truth.codes.iter().map(|&code| class_of[code as usize]).collect();
        let training = Training::new(training, labels.codes.clone())?;
        let start = Instant::now();
        let bayes = NaiveBayes::train(&training, 1.0);
        let tree = DecisionTree::train(&training, TreeOptions::default());
        let trained = start.elapsed().as_secs_f64();
        let mut of_class = vec![0u64; labels.domain.len()];
        classes.iter().flatten().for_each(|&class| of_class[class as usize] += 1);
        let usual = of_class.iter().max().copied().unwrap_or(0) as f64 / classes.len().max(1) as f64;
        Ok(json!({
            "naive_bayes": accuracy(&bayes, &testing, &classes),
            "decision_tree": accuracy(&tree, &testing, &classes),
            "tree_leaves": tree.leaves(),
            "most_frequent_class": usual,
            "train_rows": training.rows(),
            "test_rows": classes.len(),
            "train_seconds": trained,
        }))
    }
}
