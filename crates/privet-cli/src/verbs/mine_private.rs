//! `privet mine private`: classifiers from noisy counts, charged to a ledger.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use privet_query::{
    Classifier, ClassifierOptions, Flags, LedgerFlags, PrivateLearner, PrivateModel, QueryOptions,
    learn_privately,
};

use super::query::{LedgerArgs, PeopleArgs, can_be_written, write};
use super::{Shared, grouped, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;

#[derive(Debug, Args)]
pub struct Private {
    /// The table, or a job file whose input it is
    data: PathBuf,
    /// The column to predict
    #[arg(long, value_name = "COLUMN")]
    class: String,
    /// The columns to predict it from
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required = true)]
    from: Vec<String>,
    /// What is learned
    #[arg(long, value_name = "NAME", default_value = "bayes")]
    learner: Learner,
    /// The most columns that a tree asks
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16))]
    depth: u8,
    /// Records to test the model on. The share that it predicts rightly is exact: for the owner alone
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// What the model may cost: a decimal number or a fraction, such as 0.5
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// The probability with which the guarantee may fail
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    delta: Option<String>,
    /// What the model may cost as a concentrated loss (zCDP)
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    rho: Option<String>,
    /// Read keys and more from this job file
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// The values of a column, such as sex=F,M
    #[arg(long, value_name = "COLUMN=A,B,C")]
    keys: Vec<String>,
    /// What to call all other values of a column; without it their records do not count
    #[arg(long = "other", value_name = "COLUMN=LABEL")]
    others: Vec<String>,
    #[command(flatten)]
    people: PeopleArgs,
    /// Who asks, for the ledger (default: the name of the user)
    #[arg(long, value_name = "NAME")]
    analyst: Option<String>,
    /// Learn although the table is about other people than its account
    #[arg(long)]
    new_population: bool,
    /// Where the model goes: a JSON file that is not there yet, for `privet mine predict`
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    ledger: LedgerArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Learner {
    /// Naive Bayes.
    Bayes,
    /// A decision tree.
    Tree,
}

/// Runs it.
pub fn run(own: Private, shared: &Shared) -> Result<u8, Failure> {
    // Found out before anything is charged.
    can_be_written(&own.output)?;
    let options = ClassifierOptions {
        query: QueryOptions {
            data: own.data,
            job: own.job,
            flags: Flags {
                epsilon: own.epsilon,
                delta: own.delta,
                rho: own.rho,
                keys: own.keys,
                others: own.others,
                ..own.people.flags()
            },
            ledger: LedgerFlags { new_population: own.new_population, ..own.ledger.flags() },
            analyst: own.analyst,
            ..QueryOptions::default()
        },
        class: own.class.trim().to_owned(),
        columns: own.from.iter().map(|name| name.trim().to_owned()).collect(),
        learner: match own.learner {
            Learner::Bayes => PrivateLearner::Bayes,
            Learner::Tree => PrivateLearner::Tree,
        },
        depth: own.depth.into(),
        test: own.test,
    };
    let bar = Bar::new(shared.quiet || shared.json);
    let learned = learn_privately(&options, &bar)?;
    bar.clear();
    let model = serde_json::to_string_pretty(&learned.model).map_err(Failure::resources)?;
    if let Err(failure) = write(&own.output, &format!("{model}\n")) {
        // It is paid for: a model that no file holds is told.
        print(&model)?;
        return Err(failure);
    }
    if shared.json {
        print_json(&learned)?;
    } else if !shared.quiet {
        print(&described(&learned, &own.output))?;
    }
    Ok(DONE)
}

/// What was learned, for the terminal.
fn described(learned: &Classifier, output: &Path) -> String {
    let what = match &learned.model {
        PrivateModel::NaiveBayes(own) => {
            format!("Naive Bayes over {} columns", own.columns.len())
        }
        PrivateModel::Tree { root, .. } => {
            format!("A tree of {} nodes", grouped(root.size() as u64))
        }
    };
    let costs: Vec<String> = learned.costs.iter().map(ToString::to_string).collect();
    let mut text = format!(
        "{what}, in {}.\nCharged to account `{}`: {}.\n",
        output.display(),
        learned.account,
        costs.join(", then ")
    );
    if let Some(left) = &learned.remaining {
        text += &format!("Left after this: {left}.\n");
    }
    if let Some(right) = &learned.right {
        text += &format!(
            "Test: {:.1} % of {} records are predicted rightly",
            right.rate * 100.0,
            grouped(right.of)
        );
        if let Some(share) = learned.most_frequent {
            text += &format!("; the most frequent class alone is right for {:.1} %", share * 100.0);
        }
        text += ". These shares are exact and for the owner alone.\n";
    }
    for remark in &learned.remarks {
        text += &format!("{remark}\n");
    }
    text
}
