//! The published table of a job as a table of PostgreSQL: made and filled in one transaction.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::Schema;
use postgres::Client;
use privet_job::RunError;
use privet_job::engine::EngineError;

use super::{
    EPOCH_DAYS, EPOCH_MICROSECONDS, Kind, SIGNATURE, connect, failed, is_lost, quoted, quoted_table,
};

/// How often a server is asked whether it committed, and the pause in between.
const COMMIT_QUESTIONS: usize = 20;
const COMMIT_PAUSE: Duration = Duration::from_millis(250);

/// A table that is being written in a transaction.
pub struct TableWriter {
    client: Client,
    url: String,
    /// Its name as it stands in SQL.
    table: String,
    /// The number of the transaction, by which the server tells later whether it was committed.
    transaction: i64,
}

/// A table that was written and is there for all.
pub struct PublishedTable {
    url: String,
    table: String,
}

impl PublishedTable {
    /// Drops it again.
    ///
    /// # Errors
    /// When the database does not answer; the table then stays.
    pub fn remove(self) -> Result<(), EngineError> {
        let dropped = connect(&self.url).and_then(|mut client| {
            let drop = format!("DROP TABLE {}", self.table);
            client.batch_execute(&drop).map_err(|error| failed("does not drop the table", &error))
        });
        dropped.map_err(|error| {
            EngineError::resources(format!(
                "the release folder could not be put in place, and the table of `output.table` is there without it: {error}; \
                 drop the table"
            ))
        })
    }
}

impl TableWriter {
    /// Begins a transaction, makes a table with these columns, and writes the batches that `next` gives.
    ///
    /// # Errors
    /// When the table is there already, the database does not answer, or `next` has an error. Nothing of it stays.
    pub fn write(
        url: &str,
        table: &str,
        schema: &Schema,
        next: &mut dyn FnMut() -> Result<Option<RecordBatch>, RunError>,
    ) -> Result<Self, RunError> {
        let mut client = connect(url)?;
        let kinds: Vec<Kind> = schema.fields().iter().map(|own| Kind::of_arrow(own.data_type())).collect();
        let columns: Vec<String> = (schema.fields().iter().zip(&kinds))
            .map(|(field, kind)| format!("{} {}", quoted(field.name()), kind.sql()))
            .collect();
        let table = quoted_table(table);
        client
            .batch_execute(&format!("BEGIN; CREATE TABLE {table} ({})", columns.join(", ")))
            .map_err(|error| failed("does not make the table of `output.table`", &error))?;
        let transaction = client
            .query_one("SELECT txid_current()", &[])
            .and_then(|row| row.try_get(0))
            .map_err(|error| failed("does not tell the number of its transaction", &error))?;
        let copy = format!("COPY {table} FROM STDIN (FORMAT binary)");
        let mut rows = 0;
        let lost =
            |_| EngineError::resources("PostgreSQL: the connection was cut while the table was written");
        let mut sink = client.copy_in(&copy).map_err(|error| failed("takes no records", &error))?;
        let mut out = Vec::with_capacity(1 << 20);
        out.extend_from_slice(SIGNATURE);
        out.extend_from_slice(&[0; 8]);
        while let Some(batch) = next()? {
            let cells = batch.columns().iter().zip(&kinds).map(|(array, kind)| Cells::new(array, *kind));
            let cells = cells.collect::<Result<Vec<_>, _>>()?;
            for row in 0..batch.num_rows() {
                out.extend_from_slice(&(cells.len() as i16).to_be_bytes());
                cells.iter().for_each(|own| own.put(row, &mut out));
            }
            rows += batch.num_rows() as u64;
            sink.write_all(&out).map_err(lost)?;
            out.clear();
        }
        out.extend_from_slice(&(-1i16).to_be_bytes());
        sink.write_all(&out).map_err(lost)?;
        let taken = sink.finish().map_err(|error| failed("did not take the records", &error))?;
        if taken != rows {
            return Err(EngineError::resources("PostgreSQL took another number of records").into());
        }
        Ok(Self { client, url: url.to_owned(), table, transaction })
    }

    /// Makes it there for all.
    ///
    /// # Errors
    /// When the table is not there; or when the database does not answer any more, in which case the message says that nobody
    /// knows.
    pub fn commit(mut self) -> Result<PublishedTable, EngineError> {
        let published = PublishedTable { url: self.url.clone(), table: self.table.clone() };
        let Err(error) = self.client.batch_execute("COMMIT") else { return Ok(published) };
        if !is_lost(&error) {
            return Err(failed("did not commit the table", &error));
        }
        // The server may have committed before the connection was lost, or not.
        match self.is_committed() {
            Some(true) => Ok(published),
            Some(false) => Err(failed("did not commit the table", &error)),
            None => Err(EngineError::resources(
                "PostgreSQL: the connection was lost while the table of `output.table` was committed, and the server does not \
                 answer; no release folder was written, and the table may be there: drop it before the job runs again",
            )),
        }
    }

    /// Whether the transaction was committed, asked over another connection; nothing when the server does not tell.
    fn is_committed(&self) -> Option<bool> {
        for _ in 0..COMMIT_QUESTIONS {
            let mut client = connect(&self.url).ok()?;
            let row = client.query_one("SELECT txid_status($1)", &[&self.transaction]).ok()?;
            match row.try_get::<_, Option<String>>(0).ok()?.as_deref() {
                Some("committed") => return Some(true),
                Some("aborted") => return Some(false),
                // The server has not noticed yet that nobody listens.
                Some("in progress") => std::thread::sleep(COMMIT_PAUSE),
                _ => return None,
            }
        }
        None
    }
}

/// The values of a column, to be written.
struct Cells {
    kind: Kind,
    array: ArrayRef,
    texts: Vec<String>,
}

impl Cells {
    fn new(array: &ArrayRef, kind: Kind) -> Result<Self, EngineError> {
        let mut texts = Vec::new();
        if kind == Kind::Text && array.as_string_opt::<i32>().is_none() {
            let no_text = |_| EngineError::input("a column has values without a text");
            let options = FormatOptions::default().with_display_error(false);
            let formatter = ArrayFormatter::try_new(array.as_ref(), &options).map_err(no_text)?;
            texts = (0..array.len()).map(|row| formatter.value(row).to_string()).collect();
        }
        Ok(Self { kind, array: Arc::clone(array), texts })
    }

    fn put(&self, row: usize, out: &mut Vec<u8>) {
        if self.array.is_null(row) {
            out.extend_from_slice(&(-1i32).to_be_bytes());
            return;
        }
        let mut put = |bytes: &[u8]| {
            out.extend_from_slice(&(bytes.len() as i32).to_be_bytes());
            out.extend_from_slice(bytes);
        };
        match self.kind {
            Kind::Boolean => put(&[u8::from(self.array.as_boolean().value(row))]),
            Kind::Int16 => put(&self.array.as_primitive::<Int16Type>().value(row).to_be_bytes()),
            Kind::Int32 => put(&self.array.as_primitive::<Int32Type>().value(row).to_be_bytes()),
            Kind::Int64 => put(&self.array.as_primitive::<Int64Type>().value(row).to_be_bytes()),
            Kind::Float32 => put(&self.array.as_primitive::<Float32Type>().value(row).to_be_bytes()),
            Kind::Float64 => put(&self.array.as_primitive::<Float64Type>().value(row).to_be_bytes()),
            Kind::Date => {
                let days = self.array.as_primitive::<Date32Type>().value(row);
                put(&days.saturating_sub(EPOCH_DAYS).to_be_bytes());
            }
            Kind::Timestamp { .. } => {
                let time = self.array.as_primitive::<TimestampMicrosecondType>().value(row);
                put(&time.saturating_sub(EPOCH_MICROSECONDS).to_be_bytes());
            }
            Kind::Text => match self.array.as_string_opt::<i32>() {
                Some(texts) => put(texts.value(row).as_bytes()),
                None => put(self.texts[row].as_bytes()),
            },
        }
    }
}
