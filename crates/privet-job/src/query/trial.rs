//! A question asked of two small tables, again and again, without a ledger: what `privet audit` looks at to check the whole
//! way from SQL to noisy numbers. Nothing of it is used to answer anybody.

use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_dp::{Delta, DpError, Epsilon};

use super::declared::{Declared, Flags};
use super::error::QueryError;
use super::execute::{Exact, Line};
use super::plan::Plan;

/// A question and two tables.
pub(crate) struct Trial {
    plan: Plan,
    tables: [Exact; 2],
}

impl Trial {
    /// Plans the question as `privet query` does, but for this cost, and looks at both tables, which are CSVs.
    pub fn new(
        question: &str,
        flags: &Flags,
        cost: (Epsilon, Option<Delta>),
        tables: [&str; 2],
    ) -> Result<Self, QueryError> {
        let plan = Plan::costing(question, &Declared { flags, job: None }, cost)?;
        let options =
            ReadOptions { columns: Some(plan.columns()), header: Some(true), ..ReadOptions::default() };
        let look = |csv: &str| -> Result<Exact, QueryError> {
            Ok(Exact::new(&plan, read_csv_bytes(csv.as_bytes(), &options)?.table))
        };
        let [first, second] = tables.map(look);
        Ok(Self { tables: [first?, second?], plan })
    }

    /// The answer about one of the tables: the first, or otherwise the second.
    pub fn ask(&self, first: bool) -> Result<Vec<Line>, DpError> {
        let [one, other] = &self.tables;
        Ok(if first { one } else { other }.release(&self.plan)?.lines)
    }

    /// The numbers of the answer, line by line.
    pub fn numbers(&self, first: bool) -> Result<Vec<f64>, DpError> {
        let lines = self.ask(first)?;
        Ok(lines.iter().flat_map(|line| line.numbers.iter().map(|number| number.value)).collect())
    }

    /// Of an average: what its width is divided by the number of records from.
    pub fn half_width_times_records(&self) -> Option<f64> {
        self.plan.figures().first().and_then(|figure| figure.half_width_95_times_records)
    }
}
