//! `privet judge`: what a mechanism protects, before it is used.

use std::path::PathBuf;

use clap::Args;
use privet_job::RunError;
use privet_job::judge::{DeltaAsked, JudgeOptions, Judgement, judge};

use super::{Shared, grouped, print, print_json};
use crate::exit::{DONE, Failure, REFUSED};
use crate::progress::Bar;

/// Compute what a mechanism protects, before it is used
///
/// Takes a noise model (model.json, a job for `privet randomize`, or a perturbed release), a matrix as a CSV, or a TOML file
/// with `[matrix]`, `[noise]`, `[view]` or `[worlds]`. Exits with 1 where something is required that does not hold.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet judge model.json                              what every column, and all together, can tell
  privet judge survey.toml --column smokes --gamma 4   the job; one of its columns
  privet judge matrix.csv --alpha 0.05 --beta 0.5      no belief of 5 % may become one of 50 %
  privet judge matrix.csv --epsilon 1                  the least delta for an epsilon
  privet judge model.json --data people.csv --k 10     k-anonymity in expectation; the least noise for it
  privet judge model.json --data people.csv --k 10 --probability 0.9   with high probability, and the least noise for that
  privet judge view.toml --perfect                     what a view tells of a secret")]
pub struct Judge {
    /// The file, or a perturbed release
    file: PathBuf,
    /// Require that odds change by at most this factor
    #[arg(long, value_name = "FACTOR")]
    gamma: Option<f64>,
    /// With --beta: require that no belief of at most this probability …
    #[arg(long, value_name = "PROBABILITY", requires = "beta")]
    alpha: Option<f64>,
    /// … reaches this probability
    #[arg(long, value_name = "PROBABILITY", requires = "alpha")]
    beta: Option<f64>,
    /// For a matrix: show the least delta for this epsilon, in both forms
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// With --epsilon: require that this delta suffices
    #[arg(long, value_name = "NUMBER", requires = "epsilon", allow_hyphen_values = true)]
    delta: Option<String>,
    /// With --delta: as the probability of outputs for which epsilon does not hold, in either direction, against some other original
    #[arg(long, requires = "delta")]
    probabilistic: bool,
    /// Require that at least this many other records are expected to fit a published record better than its own
    #[arg(long, value_name = "K")]
    k: Option<f64>,
    /// With --k: require it with this probability, not only in expectation. Every draw of every record is compared with all
    /// records, 20,000,000,000 comparisons at most: 1,414 records with the usual number of --draws
    #[arg(long, value_name = "PROBABILITY", requires = "k")]
    probability: Option<f64>,
    /// Require that what is published tells nothing about the secret
    #[arg(long)]
    perfect: bool,
    /// A belief before the release: show what it can become; may be repeated
    #[arg(long, value_name = "PROBABILITY")]
    prior: Vec<f64>,
    /// For a model: judge this column only
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// For a model with Gaussian noise: the true records, which stay with their owner
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Draws for --probability
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "probability")]
    draws: u64,
    /// The seed of these draws
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "probability")]
    seed: u64,
}

impl Judge {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let asked = |epsilon: &String| DeltaAsked::parse(epsilon, self.delta.as_deref(), self.probabilistic);
        let deltas = self.epsilon.as_ref().map(asked).transpose().map_err(RunError::from)?;
        let options = JudgeOptions {
            gamma: self.gamma,
            breach: self.alpha.zip(self.beta),
            deltas,
            k: self.k,
            probability: self.probability,
            perfect: self.perfect,
            priors: self.prior,
            column: self.column,
            data: self.data,
            draws: self.draws,
            seed: self.seed,
        };
        let bar = Bar::new(shared.quiet || shared.json);
        let found = judge(&self.file, &options, &bar);
        bar.clear();
        let found = found?;
        if shared.json {
            print_json(&found)?;
        } else if !shared.quiet || !found.holds {
            print(&describe(&found))?;
        }
        Ok(if found.holds { DONE } else { REFUSED })
    }
}

/// What a verdict takes for rounding is no more than that in print.
const ROUNDING: f64 = 1e-9;

/// A number that promises something, rounded up to four decimals. What is a little below 0 is 0, and not "-0".
fn up(value: f64) -> f64 {
    (value * (1.0 - ROUNDING) * 1e4).ceil() / 1e4 + 0.0
}

fn percent(share: f64) -> String {
    format!("{} %", (share * 1e6 * (1.0 - ROUNDING)).ceil() / 1e4 + 0.0)
}

/// A delta: small ones as powers of ten, rounded up.
fn delta(value: f64) -> String {
    if value > 0.0 && value < 1e-3 { format!("{:.3e}", value * 1.0005) } else { up(value).to_string() }
}

fn describe(found: &Judgement) -> String {
    let mut text = String::new();
    laws(found, &mut text);
    points(found, &mut text);
    secrecy(found, &mut text);
    worlds(found, &mut text);
    if !found.required.is_empty() {
        text.push('\n');
    }
    for own in &found.required {
        let word = if own.holds { "holds" } else { "FAILS" };
        text.push_str(&format!("{word}  {}: {}\n", own.what, own.found));
    }
    text
}

fn laws(found: &Judgement, text: &mut String) {
    let Some(laws) = &found.laws else { return };
    for own in &laws.columns {
        let name = own.column.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let said = match (own.gamma, &own.open) {
            (Some(gamma), _) => format!("changes odds by a factor of at most {}", up(gamma)),
            (None, Some(open)) => open.clone(),
            (None, None) => "no bound".to_owned(),
        };
        text.push_str(&format!("{name}{}; {said}.\n", own.law));
    }
    match laws.gamma {
        Some(gamma) if laws.columns.len() > 1 => text.push_str(&format!(
            "All columns together change the odds of anything about a record by a factor of at most {}.\n",
            up(gamma)
        )),
        None if laws.columns.len() > 1 => text.push_str(
            "All columns together promise no bound on what is told of a record; --column judges one by itself.\n",
        ),
        _ => {}
    }
    if laws.columns.iter().any(|own| own.gamma.is_some() && own.tells_missing) {
        text.push_str("This is about values that are given: that one is missing is published as it is.\n");
    }
    if laws.columns.iter().any(|own| own.is_of_sets) {
        text.push_str("A set that is empty or missing is a set like any other: that it is, is hidden too.\n");
    }
    if laws.gamma.is_some() {
        let mut rows = vec![["belief before", "at least after", "at most after"].map(str::to_owned).to_vec()];
        for own in &laws.rises {
            let low = format!("{} %", (own.lowest * 1e6 * (1.0 + ROUNDING)).floor() / 1e4);
            rows.push(vec![percent(own.prior), low, percent(own.highest)]);
        }
        text.push_str(&super::answer::table(&rows, 0));
    }
    if let Some(own) = &laws.deltas {
        let apart = own
            .told_apart
            .as_ref()
            .map_or(String::new(), |[one, other]| format!(" Told apart best: `{one}` and `{other}`."));
        text.push_str(&format!(
            "For epsilon {} the least delta is {}; where it must be the probability of outputs for which epsilon does not hold \
             against some other original, {}, and {} with one set of outputs for all originals.{apart}\n",
            own.epsilon,
            delta(own.approximate),
            delta(own.probabilistic),
            delta(own.probabilistic_for_all)
        ));
    }
    if let Some(epsilon) = laws.epsilon_of_answers {
        text.push_str(&format!(
            "Private answers (`privet query`) keep a belief of --alpha at --beta or below with an epsilon of up to {} where \
             neighbouring tables add or remove a person, as by default, and {epsilon} where they replace one.\n",
            // What somebody's records say is two steps away: without them, and with others.
            (epsilon * 1e4 / 2.0 + 1e-9).floor() / 1e4
        ));
    }
    if let Some(own) = &laws.breach {
        let name = own.column.as_ref().map_or(String::new(), |name| format!(" of `{name}`"));
        text.push_str(&format!(
            "The worst breach{name}: who thinks `{}` as likely as --alpha, and `{}` otherwise, and sees `{}` published, comes to \
             believe it with {}.\n",
            own.suspected,
            own.alternative,
            own.published,
            percent(own.posterior)
        ));
    }
}

fn points(found: &Judgement, text: &mut String) {
    let Some(points) = &found.points else { return };
    let columns: Vec<String> =
        points.columns.iter().map(|(name, deviation)| format!("{name} (sd {deviation})")).collect();
    text.push_str(&format!("{} records of {}.\n", grouped(points.records), columns.join(", ")));
    if points.left_out > 0 {
        text.push_str(&format!("{} others lack a number and were left out.\n", grouped(points.left_out)));
    }
    text.push_str(&format!(
        "Other records that are expected to fit a published record better than its own: {:.4} at least, {:.4} on average.\n",
        points.least_expected, points.mean_expected
    ));
    if let Some(least) = points.least_expected_strictly {
        text.push_str(&format!(
            "{} records have the same numbers as another one. That fits as well as their own: it counts one half here, as if a \
             fair coin decided. Taken strictly it counts 0, and {least:.4} at least are expected",
            grouped(points.with_equal)
        ));
        text.push_str(&match points.below_k_strictly {
            Some(below) => format!("; {} records have fewer than k then.\n", grouped(below)),
            None => ".\n".to_owned(),
        });
    }
    if !points.not_counted.is_empty() {
        text.push_str(&format!("Published too, and not counted: {}.\n", points.not_counted.join(", ")));
    }
    let factor = |own: f64| (own * 1e4).ceil() / 1e4;
    match (points.below_k, points.least_factor) {
        (Some(_), Some(own)) => text.push_str(&format!(
            "The least noise for this k in expectation: every sd times {}.\n",
            factor(own)
        )),
        (Some(_), None) => text.push_str(
            "No noise reaches this k in expectation: it must be below half of the number of other records.\n",
        ),
        _ => {}
    }
    match (points.probability, points.least_shown, points.tried_up_to) {
        (Some(probability), Some(own), _) => text.push_str(&format!(
            "The least noise for which this k is shown with probability {probability}: every sd times {}, found by \
             halving with the same draws.\n",
            factor(own)
        )),
        (Some(probability), None, Some(most)) => text.push_str(&format!(
            "No noise was found for which this k is shown with probability {probability}; looked at was every sd times up \
             to {}.\n",
            factor(most)
        )),
        _ => {}
    }
}

fn secrecy(found: &Judgement, text: &mut String) {
    let Some(own) = &found.secrecy else { return };
    let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    text.push_str(&format!(
        "Critical tuples of the secret: {}. Of what is published: {}. Of both: {}.\n",
        list(&own.critical_for_secret),
        list(&own.critical_for_view),
        list(&own.critical_for_both)
    ));
    text.push_str(match own.perfectly_private {
        true => "Perfectly private: who thinks tuples independent learns nothing of the secret.\n",
        false => "Not perfectly private: what is published moves beliefs about the secret.\n",
    });
    match &own.told_apart {
        None => text.push_str("Perfectly secret: nobody learns anything of the secret.\n"),
        Some((a, b)) => text.push_str(&format!(
            "Not perfectly secret: who thinks only the tables {{{}}} and {{{}}} possible learns the secret.\n",
            a.join(", "),
            b.join(", ")
        )),
    }
}

fn worlds(found: &Judgement, text: &mut String) {
    let Some(own) = &found.worlds else { return };
    let mut rows =
        vec![["statement", "adversary", "published", "before", "after"].map(str::to_owned).to_vec()];
    for belief in &own.beliefs {
        let cells = [&belief.statement, &belief.adversary, &belief.output].map(String::clone);
        let mut row = cells.to_vec();
        row.extend([percent(belief.prior), percent(belief.posterior)]);
        rows.push(row);
    }
    text.push_str(&super::answer::table(&rows, 3));
    text.push_str(&match own.gamma {
        Some(gamma) => format!("Odds change by a factor of at most {} for these adversaries.\n", up(gamma)),
        None => "Some statement becomes certain or impossible for one of these adversaries.\n".to_owned(),
    });
}
