//! Tasks over parts with the same columns of different people.

use serde_json::json;

use super::model::{self, Columns};
use super::{Context, JointTable, Outcome, Product, bayes_outcome};
use crate::error::PartyError;
use crate::input::{self, LocalTable};
use crate::job::Task;
use crate::mining::anonymous::anonymous_table;
use crate::mining::joint::Joint;
use crate::mining::tree::TreeOptions;
use crate::mining::{bayes, clusters, tree};
use crate::session::Session;

impl Context<'_> {
    pub(super) fn horizontal(
        &self,
        session: &mut Session<'_>,
        table: &LocalTable,
    ) -> Result<Outcome, PartyError> {
        let minimum = self.job.job.privacy.minimum();
        match &self.job.job.task {
            Task::Counts { columns, most, .. } => self.counts(session, table, columns, most.unwrap_or(0)),
            Task::Table { quasi, sensitive, k } => self.table(session, table, quasi, sensitive.as_ref(), *k),
            Task::NaiveBayes { class, attributes, .. } => {
                let (codes, labels) = self.coded(table, std::slice::from_ref(class))?;
                let (columns, values) = self.coded(table, attributes)?;
                let views: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
                let sizes: Vec<usize> = values.iter().map(Vec::len).collect();
                let mut joint = Joint::new(session, minimum)?;
                let model =
                    bayes::horizontal(session, &mut joint, (&codes[0], labels[0].len()), &views, &sizes)?;
                let columns = Columns { class: (class, &labels[0]), names: attributes, values: &values };
                bayes_outcome(&model, &columns, minimum)
            }
            Task::Tree { class, attributes, depth, gain } => {
                let (codes, labels) = self.coded(table, std::slice::from_ref(class))?;
                let (columns, values) = self.coded(table, attributes)?;
                let views: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
                let sizes: Vec<usize> = values.iter().map(Vec::len).collect();
                let mut joint = Joint::new(session, minimum)?;
                let options = TreeOptions { depth: *depth, gain: *gain };
                let found =
                    tree::grow(session, &mut joint, (&codes[0], labels[0].len()), &views, &sizes, options)?;
                let result = json!({ "class": class, "classes": labels[0], "attributes": attributes, "values": values, "nodes": found.nodes });
                let outcome = Outcome::new(
                    result,
                    "counts of classes per value of attributes that may split a node; which values have too few records",
                );
                let columns = Columns { class: (class, &labels[0]), names: attributes, values: &values };
                Ok(outcome.with_model(model::tree(&found, &columns, minimum)?))
            }
            Task::Clusters { columns, clusters, rounds, .. } => {
                let mut axes = Vec::new();
                for name in columns {
                    axes.push(table.numbers(name, self.declared(name)?)?);
                }
                let points: Vec<Vec<i64>> = (0..table.records())
                    .map(|record| axes.iter().map(|axis| axis[record]).collect())
                    .collect();
                let mut joint = Joint::new(session, minimum)?;
                let ranges = self.ranges(columns)?;
                let found =
                    clusters::horizontal(session, &mut joint, &points, &ranges, (*clusters, *rounds))?;
                self.cluster_outcome(
                    columns,
                    &found,
                    "of every round the sums of coordinates and the sizes of clusters, over groups that have the minimum of people each, and which groups these are",
                )
            }
            _ => Err(PartyError::Job("the task needs an identifier".to_owned())),
        }
    }

    fn table(
        &self,
        session: &mut Session<'_>,
        table: &LocalTable,
        quasi: &[String],
        sensitive: Option<&String>,
        k: u64,
    ) -> Result<Outcome, PartyError> {
        let minimum = self.job.job.privacy.min_count.unwrap_or(0); // k is the minimum of a table
        let (codes, _) = self.coded(table, quasi)?;
        let views: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
        let mut levels = Vec::new();
        for name in quasi {
            levels.push(input::levels(self.job, self.declared(name)?)?);
        }
        let kept = match sensitive {
            Some(name) => {
                let declared = self.declared(name)?;
                Some((table.codes(name, declared)?, input::labels(declared)))
            }
            None => None,
        };
        let kept = kept.as_ref().map(|(codes, labels)| (codes.as_slice(), labels.as_slice()));
        let mut joint = Joint::new(session, k)?;
        let found = anonymous_table(session, &mut joint, &levels, &views, kept, k.max(minimum))?;
        let result = json!({
            "levels": quasi.iter().zip(&found.levels).map(|(name, level)| (name.clone(), json!(level))).collect::<serde_json::Map<_, _>>(),
            "records": found.records.iter().map(|own| own.1).sum::<u64>(),
            "candidates": found.candidates,
            "tested": found.tested,
            "passed-over": found.passed_over,
        });
        let mut outcome =
            Outcome::new(result, "of each combination of levels that was tested, whether it is k-anonymous");
        outcome.product = Some(Product::Table(JointTable {
            columns: quasi.iter().chain(sensitive).cloned().collect(),
            sensitive: sensitive.cloned(),
            k,
            records: found.records,
        }));
        Ok(outcome)
    }
}
