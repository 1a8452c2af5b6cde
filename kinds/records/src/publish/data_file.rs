//! The file of the published table: its name, its format and how its cells stand.

use privet_data::io::{Dialect, Format};

use crate::error::{JobError, RunError};
use crate::run::Candidate;

/// What is told where a CSV is to be written as several files.
pub(crate) fn rows_per_file_of_csv() -> JobError {
    let problem = "goes with Parquet and Arrow; set format = \"parquet\" in [output]";
    JobError::key("output.rows-per-file", problem)
}

/// The file of the published table.
pub(crate) struct DataFile {
    pub name: String,
    pub format: Format,
    pub dialect: Dialect,
}

impl DataFile {
    pub fn of(candidate: &Candidate<'_>) -> Result<Self, RunError> {
        let input = &candidate.loaded.input;
        let format = candidate.job.output.format()?.unwrap_or(input.format);
        // Published tables name their columns and quote in the one way that every reader knows.
        let dialect = Dialect { header: true, quote: b'"', ..input.dialect.clone().unwrap_or_default() };
        if candidate.job.output.rows_per_file().is_some() && format == Format::Csv {
            return Err(rows_per_file_of_csv().into());
        }
        let name = match candidate.job.output.rows_per_file() {
            Some(_) => format!("data-*.{}", format.word()),
            None => format!("data.{}", format.word()),
        };
        Ok(Self { name, format, dialect })
    }
}
