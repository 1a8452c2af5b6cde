//! From a job and a party's input to the joint result, over a session.

mod association;
mod counts;
mod horizontal;
mod model;
mod vertical;

use serde::Serialize;
use serde_json::{Value, json};

use crate::error::PartyError;
use crate::input::{self, LocalTable};
use crate::job::{ColumnSection, ReadJob, Task};
use crate::mining::joint::Joint;
use crate::mining::{bayes, clusters, moments, rules};
use crate::protocol::union;
use crate::session::Session;
use crate::session::wire::Tag;

/// Records of a joint table, for a release of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JointTable {
    /// The columns.
    pub columns: Vec<String>,
    /// The one that is sensitive, where there is one.
    pub sensitive: Option<String>,
    /// People who look alike at least.
    pub k: u64,
    /// Per combination of values how many records.
    pub records: Vec<(Vec<String>, u64)>,
}

/// A joint model in the published form of releases of kind `model`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointModel {
    /// `{ "type": …, "model": … }`, as `privet mine` writes it.
    pub model: Value,
    /// People of every span at least.
    pub k: u64,
}

/// What of a result becomes a release of an existing kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Product {
    /// Records.
    Table(JointTable),
    /// A tree, clusters or rules.
    Model(JointModel),
}

/// What a session computed; the same for all parties.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The result as JSON.
    pub result: Value,
    /// What every party learned besides, and from whom it is protected.
    pub revealed: &'static str,
    /// What is published as a release of its own.
    pub product: Option<Product>,
}

impl Outcome {
    fn new(result: Value, revealed: &'static str) -> Self {
        Self { result, revealed, product: None }
    }

    fn with_model(mut self, model: JointModel) -> Self {
        self.product = Some(Product::Model(model));
        self
    }
}

/// What computing needs.
struct Context<'a> {
    job: &'a ReadJob,
    me: usize,
}

/// Computes the task of a job with this party's input.
///
/// # Errors
/// When the input does not fit the job, the budget does not suffice, or the session fails.
pub fn compute(session: &mut Session<'_>, job: &ReadJob) -> Result<Outcome, PartyError> {
    let me = session.me();
    let context = Context { job, me };
    let path = job.base.join(&job.job.parties[me].input);
    let minimum = job.job.privacy.minimum();
    match &job.job.task {
        Task::Rules { support, confidence, longest, items, separator, identifier: None } => {
            let transactions = input::transactions(&path, *separator)?;
            let mut joint = Joint::new(session, minimum)?;
            let support = (*support).max(minimum);
            let options =
                rules::RuleOptions { support, confidence: *confidence, longest: *longest, items: *items };
            let found = rules::large_itemsets(session, &mut joint, &transactions, options)?;
            Ok(rule_outcome(session, found, *confidence, minimum)?)
        }
        Task::Union { column, items } => {
            let table = LocalTable::read(&path, session.progress())?;
            let mut values = table.texts(column)?;
            values.sort_unstable();
            values.dedup();
            let all = union::union(session, &values, *items)?;
            let all: Vec<String> =
                all.into_iter().map(|own| String::from_utf8_lossy(&own).into_owned()).collect();
            Ok(Outcome::new(
                json!({ "values": all }),
                "whose a value is stays hidden; the first party learns how many values each pair has in common",
            ))
        }
        _ => {
            let table = LocalTable::read(&path, session.progress())?;
            if job.is_vertical() {
                context.vertical(session, &table)
            } else {
                context.horizontal(session, &table)
            }
        }
    }
}

/// Rules. The itemsets from which fewer than the minimum of people could be computed were left out before anything was opened; here the
/// same is asked of the supports themselves. The result holds the rules alone, because they are what the gate judges.
fn rule_outcome(
    session: &Session<'_>,
    found: rules::Large,
    confidence: f64,
    minimum: u64,
) -> Result<Outcome, PartyError> {
    use privet_mine::rules::channels;
    let rules::Large { supports: mut found, records, mut left_out } = found;
    if minimum > 1 {
        let labels: Vec<String> =
            found.keys().filter(|own| own.len() == 1).map(|own| own[0].clone()).collect();
        let code = |item: &String| labels.binary_search(item).map_or(u32::MAX, |own| own as u32);
        let mut coded: channels::Supports =
            found.iter().map(|(items, support)| (items.iter().map(code).collect(), *support)).collect();
        coded.insert(Vec::new(), records);
        let closed = channels::close_by_leaving_out(&coded, minimum, session.progress());
        let closed = closed.map_err(|error| PartyError::Resources(error.to_string()))?;
        left_out += closed.left_out;
        found.retain(|items, _| closed.supports.contains_key(&items.iter().map(code).collect::<Vec<u32>>()));
    }
    let rules = rules::rules_of(&found, confidence);
    let result = json!({ "transactions": records, "rules": rules, "left-out": left_out });
    let outcome = Outcome::new(
        result,
        "which itemsets are large at some party, not at which, and which are large in all; the supports of large itemsets, but of those from \
         which a group below the minimum follows; all other supports stay hidden",
    );
    Ok(outcome.with_model(model::rules(&found, &rules, records, minimum)?))
}

impl Context<'_> {
    fn declared(&self, name: &str) -> Result<&ColumnSection, PartyError> {
        let column = self.job.job.columns.get(name);
        column.ok_or_else(|| PartyError::Job(format!("the column `{name}` is not declared")))
    }

    /// Codes and labels of columns.
    fn coded(
        &self,
        table: &LocalTable,
        names: &[String],
    ) -> Result<(Vec<Vec<u32>>, Vec<Vec<String>>), PartyError> {
        let mut both = (Vec::new(), Vec::new());
        for name in names {
            let declared = self.declared(name)?;
            both.0.push(table.codes(name, declared)?);
            both.1.push(input::labels(declared));
        }
        Ok(both)
    }

    fn ranges(&self, names: &[String]) -> Result<Vec<(i64, i64)>, PartyError> {
        names.iter().map(|name| Ok((0, input::units(self.declared(name)?) as i64))).collect()
    }

    /// A position on a column's grid as the number that it stands for.
    fn number(&self, name: &str, units: f64) -> Result<f64, PartyError> {
        let declared = self.declared(name)?;
        Ok(declared.range.map_or(0.0, |(low, _)| low) + units / 10f64.powi(declared.decimals as i32))
    }

    fn cluster_outcome(
        &self,
        columns: &[String],
        found: &clusters::Clusters,
        revealed: &'static str,
    ) -> Result<Outcome, PartyError> {
        let centre = |centroid: &Vec<i64>| -> Result<Vec<f64>, PartyError> {
            centroid.iter().zip(columns).map(|(at, name)| self.number(name, *at as f64)).collect()
        };
        let mut clusters = Vec::new();
        for (centroid, size) in found.centroids.iter().zip(&found.sizes) {
            clusters.push(json!({ "centroid": centre(centroid)?, "records": size }));
        }
        let mut axes = Vec::new();
        for name in columns {
            let declared = self.declared(name)?;
            axes.push((name.as_str(), declared.range.unwrap_or((0.0, 1.0)), input::units(declared)));
        }
        let outcome = Outcome::new(
            json!({ "columns": columns, "clusters": clusters, "rounds": found.rounds }),
            revealed,
        );
        Ok(outcome.with_model(model::clusters(found, &axes, self.job.job.privacy.minimum())?))
    }

    fn moment_outcome(
        &self,
        columns: &[String],
        target: Option<&String>,
        found: &moments::Moments,
    ) -> Result<Outcome, PartyError> {
        let count = columns.len();
        let correlations: Vec<Vec<Option<f64>>> =
            (0..count).map(|a| (0..count).map(|b| found.correlation(a, b)).collect()).collect();
        let mut result =
            json!({ "records": found.records, "columns": columns, "correlations": correlations });
        if let Some(target) = target {
            let place = columns.iter().position(|own| own == target);
            let place =
                place.ok_or_else(|| PartyError::Job("the target is none of the columns".to_owned()))?;
            let predictors: Vec<usize> = (0..count).filter(|&own| own != place).collect();
            let Some((intercept, slopes)) = found.regression(place, &predictors) else {
                return Err(PartyError::Refused(
                    "the predictors depend on each other; there is no single regression".to_owned(),
                ));
            };
            // From units of grids to the numbers themselves.
            let scale = |own: usize| -> Result<f64, PartyError> {
                Ok(10f64.powi(self.declared(&columns[own])?.decimals as i32))
            };
            let mut start = self.number(target, intercept)?;
            let mut list = Vec::new();
            for (&own, slope) in predictors.iter().zip(slopes) {
                let slope = slope * scale(own)? / scale(place)?;
                start -= slope * self.number(&columns[own], 0.0)?;
                list.push(json!({ "column": columns[own], "slope": slope }));
            }
            result["regression"] = json!({ "target": target, "intercept": start, "slopes": list });
        }
        Ok(Outcome::new(
            result,
            "who is common to all parties; sums and sums of products of columns over these",
        ))
    }
}

fn bayes_outcome(
    found: &bayes::NaiveBayes,
    columns: &model::Columns<'_>,
    minimum: u64,
) -> Result<Outcome, PartyError> {
    let result = json!({
        "classes": columns.class.1, "attributes": columns.names, "values": columns.values,
        "class-counts": found.classes, "counts": found.attributes,
    });
    let outcome = Outcome::new(result, "which counts reach the minimum, and these counts");
    Ok(outcome.with_model(model::bayes(found, columns, minimum)?))
}

/// Tells all others whether this party accepts, with the hash of what it would publish, and hears the same of them.
///
/// # Errors
/// When a party refuses, or would publish something else.
pub fn agree(session: &mut Session<'_>, accepts: bool, hash: &[u8; 32]) -> Result<(), PartyError> {
    session.broadcast(Tag::Verdict, &[&[u8::from(accepts)], &hash[..]].concat())?;
    for other in session.others() {
        let message = session.receive_exactly(other, Tag::Verdict, 33)?;
        let (theirs, other_hash) = session.parse(other, &message, crate::mining::parse_verdict)?;
        if !theirs {
            return Err(session.blame(other, crate::Reason::Refused));
        }
        if other_hash != *hash {
            return Err(session.blame(other, crate::Reason::Invalid));
        }
    }
    Ok(())
}
