//! Datafly (Sweeney; survey ME-06, which notes that it is full-domain and not local recoding): as long as more
//! records are in failing classes than may be suppressed, the column with the most distinct values goes up one level;
//! what then still fails is suppressed.
//!
//! # Guarantee
//! What it returns is safe, for every criterion, because every candidate on its way is judged. It is best effort: it
//! looks at no more candidates than there are levels in all hierarchies together, and what it finds need neither be
//! minimal nor good by any metric; the metric does not steer it. For monotone criteria it finds something whenever
//! something is safe, because its way ends at the top; for others it may pass safe candidates by.
//!
//! # Departures
//! The note states the rule for k-anonymity with k records that may be lost; here the criteria and the limit are those
//! of the problem. Columns with equally many values: the first goes up.

use std::cmp::Reverse;

use privet_data::Progress;

use super::columns::QuasiColumn;
use super::engine::Engine;
use super::explorer::Explorer;
use super::problem::SearchError;
use super::search::{Outcome, Strategy};
use crate::algorithm::{Algorithm, AlgorithmInfo, read};

/// Datafly. It has no parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Datafly {}

impl Strategy for Datafly {
    fn name(&self) -> &'static str {
        "datafly"
    }

    fn enumerates(&self) -> bool {
        false
    }

    fn judges_together(&self) -> bool {
        true
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        let distinct = distinct_values(engine);
        let order = &engine.prepared.order;
        let top = engine.top();
        progress.stage("generalizing", Some(top.iter().sum::<usize>() as u64));
        let mut explorer = Explorer::new(engine);
        let mut levels = vec![0; top.len()];
        loop {
            progress.check()?;
            progress.at(levels.iter().sum::<usize>() as u64);
            let judgement = explorer.judge(&levels);
            let checked = explorer.checked();
            if judgement.safe {
                return Ok(Outcome { best: Some(levels), checked, ..Outcome::default() });
            }
            let widest = (0..levels.len())
                .filter(|&i| levels[i] < top[i])
                .max_by_key(|&i| (distinct[i][levels[i]], Reverse(order[i])));
            match widest {
                Some(column) => levels[column] += 1,
                None if judgement.hopeless_below => return Ok(Outcome { checked, ..Outcome::default() }),
                // The top fails, but a criterion that is not monotone may hold off the way.
                None => return Err(SearchError::NothingFound { algorithm: self.name() }),
            }
        }
    }
}

/// Per column and level how many different labels the records have.
fn distinct_values<const W: usize>(engine: &Engine<'_, W>) -> Vec<Vec<usize>> {
    let base = &engine.base;
    let count = |(i, column): (usize, &QuasiColumn)| {
        let levels = 0..=column.height();
        if base.population.is_empty() {
            return levels.map(|level| column.size(level)).collect();
        }
        // The column also knows labels that only people outside the table have.
        let mut occurs = vec![false; column.size(0)];
        for tuple in (0..base.len()).filter(|&tuple| base.rows.get(tuple) > 0) {
            occurs[base.node(tuple, i)] = true;
        }
        let count_at = |level: usize| {
            let mut seen = vec![false; column.size(level)];
            for (&node, _) in column.step(0, level).iter().zip(&occurs).filter(|(_, occurs)| **occurs) {
                seen[node as usize] = true;
            }
            seen.iter().filter(|seen| **seen).count()
        };
        levels.map(count_at).collect()
    };
    engine.prepared.columns.iter().enumerate().map(count).collect()
}

impl Datafly {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "datafly",
        summary: "The column with most values first (Datafly).",
        guarantees: &["The promises hold. Other choices of levels may lose less."],
        judges_together: true,
        needs_monotone: false,
        publishes: None,
        read: read::<Datafly>,
    };
}

impl Algorithm for Datafly {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    crate::algorithm::searches_levels!();
}
