//! Tasks over parts with the same columns of different people.

use privet_dp::ledger::{Ledger, Request, SqliteLedger};
use privet_dp::{Epsilon, Histogram, Neighbours, People, Privacy};
use serde_json::{Value, json};

use super::model::{Columns, published};
use super::{Context, JointTable, Outcome, agree, bayes_outcome};
use crate::error::PartyError;
use crate::input::{self, LocalTable};
use crate::job::Task;
use crate::mining::anonymous::anonymous_table;
use crate::mining::joint::{Joint, codes_of, cross_count};
use crate::mining::tree::TreeOptions;
use crate::mining::{bayes, clusters, tree};
use crate::session::Session;

impl Context<'_> {
    pub(super) fn horizontal(
        &self,
        session: &mut Session<'_>,
        table: &LocalTable,
    ) -> Result<Outcome, PartyError> {
        let minimum = self.job.job.privacy.min_count;
        match &self.job.job.task {
            Task::Counts { columns } => self.counts(session, table, columns),
            Task::Table { quasi, sensitive, k } => self.table(session, table, quasi, sensitive.as_ref(), *k),
            Task::NaiveBayes { class, attributes, .. } => {
                let (codes, labels) = self.coded(table, std::slice::from_ref(class))?;
                let (columns, values) = self.coded(table, attributes)?;
                let views: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
                let sizes: Vec<usize> = values.iter().map(Vec::len).collect();
                let mut joint = Joint::new(session, minimum)?;
                let model =
                    bayes::horizontal(session, &mut joint, (&codes[0], labels[0].len()), &views, &sizes)?;
                Ok(bayes_outcome(&model, &labels[0], attributes, &values))
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
                let confidence = self.job.job.adversary.confidence.unwrap_or(0.9);
                let result = json!({ "class": class, "classes": labels[0], "attributes": attributes, "values": values, "nodes": found.nodes });
                let mut outcome = Outcome::new(
                    result,
                    "counts of classes per value of attributes that may split a node; which values have too few records",
                );
                let columns = Columns { class: (class, &labels[0]), names: attributes, values: &values };
                outcome.model = Some(published(&found, &columns, minimum)?);
                outcome.risk =
                    Some((exposed(&found, confidence), "people in leaves nearly all of whom have one class"));
                Ok(outcome)
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
                    "the centroids of every round, and the sizes that reach the minimum",
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
        let minimum = self.job.job.privacy.min_count;
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
        });
        let mut outcome =
            Outcome::new(result, "that candidates before the chosen one are not k-anonymous, one bit each");
        outcome.table = Some(JointTable {
            columns: quasi.iter().chain(sensitive).cloned().collect(),
            sensitive: sensitive.cloned(),
            k,
            records: found.records,
        });
        Ok(outcome)
    }

    fn counts(
        &self,
        session: &mut Session<'_>,
        table: &LocalTable,
        columns: &[String],
    ) -> Result<Outcome, PartyError> {
        let (codes, labels) = self.coded(table, columns)?;
        let views: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
        let sizes: Vec<usize> = labels.iter().map(Vec::len).collect();
        let cells =
            sizes.iter().try_fold(1usize, |all, own| all.checked_mul(*own)).filter(|own| *own <= 1 << 24);
        let Some(cells) = cells else {
            return Err(PartyError::Job("the table of counts has more than 2^24 cells".to_owned()));
        };
        let own = cross_count(&views, &sizes);
        let minimum = self.job.job.privacy.min_count;
        let names = |cell: usize| -> Vec<String> {
            codes_of(cell, &sizes)
                .into_iter()
                .zip(&labels)
                .map(|(code, labels)| labels[code].clone())
                .collect()
        };
        if let Some(epsilon) = &self.job.job.privacy.epsilon {
            let epsilon: Epsilon = epsilon.parse()?;
            let people = People::one_record_each(Neighbours::AddRemove);
            let noise = Histogram { people, cells }.noise(&Privacy::Pure(epsilon))?;
            self.charge(session, noise.loss())?;
            let mut joint = Joint::new(session, 0)?;
            let opened = joint.open_noisy(session, &own, &noise)?;
            let list: Vec<Value> = opened
                .iter()
                .enumerate()
                .map(|(cell, count)| json!({ "values": names(cell), "count": count }))
                .collect();
            let accuracy = noise.half_width_95_of_mean(1) * (session.parties() as f64).sqrt();
            let result = json!({
                "columns": columns, "counts": list, "noise": "discrete Laplace of every party",
                "epsilon": self.job.job.privacy.epsilon, "half-width-95": accuracy,
            });
            return Ok(Outcome::new(
                result,
                "noisy counts alone; the promise holds against all other parties together",
            ));
        }
        let mut joint = Joint::new(session, minimum)?;
        let opened = joint.open(session, &own)?;
        let shown: Vec<(Vec<String>, u64)> = opened
            .iter()
            .enumerate()
            .filter_map(|(cell, count)| Some((names(cell), count.filter(|count| *count > 0)?)))
            .collect();
        let list: Vec<Value> =
            shown.iter().map(|(values, count)| json!({ "values": values, "count": count })).collect();
        let result = json!({ "columns": columns, "counts": list, "min-count": minimum });
        let mut outcome = Outcome::new(result, "which cells reach the minimum, and these counts");
        outcome.table =
            Some(JointTable { columns: columns.to_vec(), sensitive: None, k: minimum, records: shown });
        Ok(outcome)
    }

    /// Charges this party's ledger, after all parties have found that theirs suffice.
    fn charge(&self, session: &mut Session<'_>, loss: &privet_dp::Loss) -> Result<(), PartyError> {
        let party = &self.job.job.parties[self.me];
        let Some(path) = &party.ledger else {
            return Err(PartyError::Job(format!(
                "noise needs a ledger for every party: `ledger` of `{}`",
                party.name
            )));
        };
        let question = format!("privet party {}", crate::session::tls::hex(&self.job.hash));
        let path = self.job.base.join(path);
        let mut key = path.clone().into_os_string();
        key.push(".key");
        let key = std::path::PathBuf::from(key);
        let key = key.exists().then_some(key);
        let mut ledger = SqliteLedger::open_existing(&path, key.as_deref())?;
        let account = party.input.to_string_lossy();
        let request = Request::new(&account, "privet party", &question, loss)?;
        ledger.check(&request)?;
        agree(session, true, &[0; 32])?;
        ledger.charge(&request)?;
        Ok(())
    }
}

/// The share of people in leaves of which one class has at least this share, while the class is not as common anyhow.
fn exposed(tree: &tree::Tree, confidence: f64) -> f64 {
    let all: u64 = tree.nodes[0].classes.iter().sum();
    let is_common = |class: usize| tree.nodes[0].classes[class] as f64 >= confidence * all as f64;
    let sure = |node: &&tree::Node| {
        let total: u64 = node.classes.iter().sum();
        node.classes
            .iter()
            .enumerate()
            .any(|(class, count)| !is_common(class) && *count as f64 >= confidence * total as f64)
    };
    let leaves = tree.nodes.iter().filter(|node| node.split.is_none()).filter(sure);
    leaves.map(|node| node.classes.iter().sum::<u64>()).sum::<u64>() as f64 / all.max(1) as f64
}
