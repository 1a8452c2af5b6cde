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
        let options = ReadOptions {
            columns: Some(plan.columns()),
            header: Some(true),
            ..ReadOptions::default().exactly()
        };
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

    /// Of an average: the part of its width that is divided by the number of records, and that of rounding.
    pub fn width_of_average(&self) -> Option<(f64, f64)> {
        let figure = self.plan.figures().into_iter().next()?;
        figure.half_width_95_times_records.zip(figure.rounding)
    }
}
