//! Mondrian in a job: its section, and the workload that the section speaks of in names and values.

use std::collections::BTreeMap;

use privet_data::{Column, Progress};
use privet_recode::algorithm::{Algorithm, AlgorithmInfo, Publish, Selected, read};
use privet_recode::groups::Groups;
use privet_recode::lattice::{Problem, SearchError};
use privet_recode::partition::{Choose, Mode, Mondrian, Query, Wanted, Workload};
use serde::Deserialize;

use crate::error::{JobError, RunError};
use crate::load::Loaded;
use crate::memory_limit::MemoryLimit;
use crate::search::by_the_job;

/// The `[search.mondrian]` section.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MondrianSection {
    /// Whether records with equal values may be parted.
    pub mode: Mode,
    /// Which cut is made first.
    pub choose: Choose,
    /// Cut numbers on one side of the median alone, as the survey's examples do.
    pub one_sided: bool,
    /// `choose = "variance"`: the column of numbers whose variance is kept small.
    pub target: Option<String>,
    /// `choose = "queries"`: the regions that will be asked for, each with a condition for some quasi columns.
    pub queries: Vec<BTreeMap<String, Condition>>,
    /// Larger tables are never in memory as a whole: they are read, cut and written in passes (`out_of_core/`).
    pub memory_limit: Option<MemoryLimit>,
}

/// A condition of a query.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    untagged,
    expecting = "must be a list of values, or { from = ..., to = ... } in a column of numbers or dates"
)]
pub enum Condition {
    /// One of these values.
    Among(Vec<Written>),
    /// Between two values of a column of numbers or dates, both included.
    Between {
        /// The least value.
        from: Written,
        /// The largest value.
        to: Written,
    },
}

/// A value as it may be written in a job file: with or without quotation marks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "must be a number or a text")]
pub enum Written {
    /// A whole number.
    Whole(i64),
    /// A number with a fraction.
    Number(f64),
    /// Anything else.
    Text(String),
}

impl Written {
    fn text(&self) -> String {
        match self {
            Written::Whole(number) => number.to_string(),
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text.clone(),
        }
    }
}

/// What Mondrian guarantees where numbers are cut on one side of their medians.
const ONE_SIDED: &str = "The promises hold in every group. Numbers were cut above their medians alone, so a group may still be cut below one.";

impl Algorithm for MondrianSection {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn guarantee(&self) -> &'static str {
        if self.one_sided { ONE_SIDED } else { Self::INFO.guarantees[0] }
    }

    fn depends_on_order(&self) -> bool {
        self.mode != Mode::Strict
    }

    /// What is asked for may be told in values of the table, which a problem does not have.
    fn search(&self, _: &Problem<'_>, _: &dyn Progress) -> Result<Selected, SearchError> {
        by_the_job(&Self::INFO)
    }
}

impl MondrianSection {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "mondrian",
        summary: "Boxes, cut at medians.",
        guarantees: &[
            "The promises hold in every group, and no group can be cut further at a median or along a hierarchy without breaking one.",
            ONE_SIDED,
        ],
        judges_together: false,
        needs_monotone: false,
        publishes: Some(Publish::Ranges),
        read: read::<Self>,
    };

    /// What can be told wrong from the job file alone.
    pub fn check_keys(&self) -> Result<(), JobError> {
        let wrong = |key: &str, problem: &str| Err(JobError::key(format!("search.mondrian.{key}"), problem));
        if self.target.is_some() && self.choose != Choose::Variance {
            return wrong("target", "goes with choose = \"variance\" only");
        }
        if self.target.is_none() && self.choose == Choose::Variance {
            return wrong("target", "is needed by choose = \"variance\": name a column of numbers");
        }
        if !self.queries.is_empty() && self.choose != Choose::Queries {
            return wrong("queries", "goes with choose = \"queries\" only");
        }
        if self.queries.is_empty() && self.choose == Choose::Queries {
            return wrong(
                "queries",
                "is needed by choose = \"queries\": list regions, such as [{ age = { from = 20, to = 29 } }]",
            );
        }
        if let Some(problem) = self.memory_limit.and_then(MemoryLimit::fault) {
            return wrong("memory-limit", problem);
        }
        if self.memory_limit.is_some() && (self.mode != Mode::Strict || self.choose != Choose::Width) {
            return wrong("memory-limit", "goes with mode = \"strict\" and choose = \"width\"; leave it out");
        }
        self.mondrian().check().map_err(|error| JobError::new(error.to_string()))
    }

    fn mondrian(&self) -> Mondrian {
        Mondrian {
            mode: self.mode,
            choose: self.choose,
            one_sided: self.one_sided,
            three_d: None,
            memory_limit: None,
        }
    }

    /// The search with at most so many records in memory.
    pub fn limited(&self, records: u64) -> Mondrian {
        Mondrian { memory_limit: Some(records), ..self.mondrian() }
    }

    /// Looks for groups.
    pub fn search_groups(
        &self,
        loaded: &Loaded,
        problem: &Problem<'_>,
        progress: &dyn Progress,
    ) -> Result<Groups, RunError> {
        let mondrian = self.mondrian();
        let target = self.target.as_ref().map(|name| numbers(loaded, name)).transpose()?;
        let queries =
            self.queries.iter().map(|query| resolve(query, loaded)).collect::<Result<Vec<_>, _>>()?;
        let workload = Workload { target: target.as_deref(), queries: &queries, ..Workload::default() };
        Ok(mondrian.search(problem, &workload, progress)?.groups)
    }
}

/// The numbers of a column, NaN where they are missing.
fn numbers(loaded: &Loaded, name: &str) -> Result<Vec<f64>, JobError> {
    let wrong = |problem| JobError::key("search.mondrian.target", problem);
    let column =
        loaded.input.table.column(name).ok_or_else(|| wrong("names a column that is not published"))?;
    let by_code: Vec<f64> =
        (0..column.domain.len() as u32).map(|code| column.domain.number(code).unwrap_or(f64::NAN)).collect();
    if by_code.iter().all(|number| number.is_nan()) {
        return Err(wrong("must name a column of numbers or dates"));
    }
    Ok(column.codes.iter().map(|&code| by_code[code as usize]).collect())
}

/// A query in codes.
fn resolve(query: &BTreeMap<String, Condition>, loaded: &Loaded) -> Result<Query, JobError> {
    let columns = &loaded.input.table.columns;
    let names: Vec<&str> = loaded.quasi.iter().map(|quasi| columns[quasi.position].name.as_str()).collect();
    if query.keys().any(|name| !names.contains(&name.as_str())) {
        return Err(JobError::key(
            "search.mondrian.queries",
            format!("must speak of quasi columns: {}", names.join(", ")),
        ));
    }
    let wanted = loaded.quasi.iter().map(|quasi| match query.get(&columns[quasi.position].name) {
        None => Ok(Wanted::Anything),
        Some(condition) => codes(condition, &columns[quasi.position]),
    });
    Ok(Query { wanted: wanted.collect::<Result<_, _>>()? })
}

fn codes(condition: &Condition, column: &Column) -> Result<Wanted, JobError> {
    match condition {
        // A value that nobody has is wanted in vain, and no mistake.
        Condition::Among(values) => Ok(Wanted::Among(
            values.iter().filter_map(|value| column.domain.code_of(&value.text())).collect(),
        )),
        Condition::Between { from, to } => {
            let number = |text: &Written| column.domain.kind().number(&text.text());
            let (Some(from), Some(to)) = (number(from), number(to)) else {
                return Err(JobError::key(
                    "search.mondrian.queries",
                    format!("from and to of {} must be values of a column of numbers or dates", column.name),
                ));
            };
            if from > to {
                return Err(JobError::key(
                    "search.mondrian.queries",
                    format!("from of {} must not be above its to", column.name),
                ));
            }
            let inside = |&code: &u32| column.domain.number(code).is_some_and(|own| from <= own && own <= to);
            let codes: Vec<u32> = (0..column.domain.len() as u32).filter(inside).collect();
            Ok(match (codes.first(), codes.last()) {
                (Some(&first), Some(&last)) => Wanted::Between(first, last),
                _ => Wanted::Among(Vec::new()),
            })
        }
    }
}
