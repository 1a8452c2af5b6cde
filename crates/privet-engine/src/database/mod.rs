//! Tables of PostgreSQL: read in one snapshot, written in one transaction, both by binary `COPY`.
//!
//! **Guarantee.** What is read is one state of the database, and blocks nobody who writes to it: a repeatable-read transaction that
//! only reads. A table that is written is there with all its records, or not at all: it is made in a transaction that is
//! committed when the release folder is complete and durable, right before the folder gets its name; when the folder then cannot
//! get its name, the table is dropped again. A connection that is lost during the `COMMIT` is asked about over another one. Types
//! that are not read in binary are read as their texts.

mod write;

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float32Builder, Float64Builder, Int16Builder, Int32Builder, Int64Builder,
    StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use postgres::types::Type;
use postgres::{Client, SimpleQueryMessage};
use privet_data::Progress;
use privet_dp::ledger::connect_to_database;
use privet_job::RunError;
use privet_job::engine::EngineError;

use crate::stage::Temporary;
pub use write::{PublishedTable, TableWriter};

/// Days from 1970-01-01 to 2000-01-01, where PostgreSQL counts from.
const EPOCH_DAYS: i32 = 10_957;
const EPOCH_MICROSECONDS: i64 = EPOCH_DAYS as i64 * 86_400_000_000;
/// How a binary `COPY` begins.
const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
/// Records of a batch.
const BATCH: usize = 16_384;

/// Whether the connection was lost or ended by the server: SQLSTATE classes 08 (connection), 57 (operator intervention) and 58
/// (system error), and errors without one.
fn is_lost(error: &postgres::Error) -> bool {
    error.code().is_none_or(|own| ["08", "57", "58"].contains(&own.code().get(..2).unwrap_or_default()))
}

/// What is wrong with a database, without what it says of values.
fn failed(what: &str, error: &postgres::Error) -> EngineError {
    match error.code() {
        Some(code) if is_lost(error) || code.code().starts_with("53") => {
            EngineError::resources(format!("PostgreSQL {what} (SQLSTATE {})", code.code()))
        }
        Some(code) => EngineError::input(format!("PostgreSQL {what} (SQLSTATE {})", code.code())),
        None => EngineError::resources(format!("PostgreSQL {what}: the connection was lost or refused")),
    }
}

fn connect(url: &str) -> Result<Client, EngineError> {
    // What the ledger says of its database does not fit here.
    connect_to_database(url).map_err(|_| {
        EngineError::resources(
            "the database does not answer, or lets nobody in with these credentials; the password is in the URL, in PGPASSWORD or in \
             ~/.pgpass, and another machine is reached by TLS (feature `tls`) unless the URL says sslmode=disable",
        )
    })
}

/// A name as it stands in SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A table's name with its schema, each as it stands in SQL.
fn quoted_table(name: &str) -> String {
    match name.split_once('.') {
        Some((schema, table)) => format!("{}.{}", quoted(schema), quoted(table)),
        None => quoted(name),
    }
}

/// The query of a job: as it is given, or all of a table.
///
/// # Errors
/// When neither is given, or both.
pub fn query_of(query: Option<&str>, table: Option<&str>) -> Result<String, EngineError> {
    match (query, table) {
        (Some(query), None) => Ok(query.trim_end_matches([';', ' ', '\n']).to_owned()),
        (None, Some(table)) => Ok(format!("SELECT * FROM {}", quoted_table(table))),
        _ => Err(EngineError::input(
            "a database is read by `input.query` or by `input.table`; give one of them",
        )),
    }
}

/// What a database expects of a query that is not run.
pub struct Expected {
    /// Its columns.
    pub columns: Vec<String>,
    /// About how many rows it has.
    pub rows: u64,
    /// About how many bytes these are.
    pub bytes: u64,
}

/// Asks what a database expects of a query; the query is not run.
///
/// # Errors
/// When the database does not answer, or the query is wrong.
pub fn expected(url: &str, query: &str) -> Result<Expected, EngineError> {
    let mut client = connect(url)?;
    let statement = client.prepare(query).map_err(|error| failed("refuses the query", &error))?;
    let explained = client.simple_query(&format!("EXPLAIN (FORMAT JSON) {query}"));
    let explained = explained.map_err(|error| failed("does not explain the query", &error))?;
    let texts = explained.iter().filter_map(|own| match own {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let told = EngineError::resources("PostgreSQL: the plan of the query cannot be read");
    let plan: serde_json::Value =
        serde_json::from_str(&texts.collect::<String>()).map_err(|_| told.clone())?;
    let figure = |key: &str| plan[0]["Plan"][key].as_f64().map(|own| own as u64).ok_or_else(|| told.clone());
    let rows = figure("Plan Rows")?;
    let columns = statement.columns().iter().map(|own| own.name().to_owned()).collect();
    Ok(Expected { columns, rows, bytes: rows.saturating_mul(figure("Plan Width")?) })
}

/// Reads the records of a query into a temporary Parquet file, and tells how many there were.
///
/// # Errors
/// When the database does not answer, the query is wrong, or the file cannot be written.
pub fn read(url: &str, query: &str, path: &Path, progress: &dyn Progress) -> Result<u64, RunError> {
    let mut client = connect(url)?;
    let mut snapshot = client
        .build_transaction()
        .isolation_level(postgres::IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .map_err(|error| failed("gives no snapshot", &error))?;
    let statement = snapshot.prepare(query).map_err(|error| failed("refuses the query", &error))?;
    let columns: Vec<(String, Kind)> =
        statement.columns().iter().map(|own| (own.name().to_owned(), Kind::of(own.type_()))).collect();
    if columns.is_empty() {
        return Err(EngineError::input("the query has no columns").into());
    }
    let fields = columns.iter().map(|(name, kind)| Field::new(name, kind.arrow(), true));
    let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let chosen: Vec<String> = columns
        .iter()
        .map(|(name, kind)| format!("{}{}", quoted(name), if *kind == Kind::Text { "::text" } else { "" }))
        .collect();
    let copy =
        format!("COPY (SELECT {} FROM (\n{query}\n) AS own) TO STDOUT (FORMAT binary)", chosen.join(", "));
    let stream = snapshot.copy_out(&copy).map_err(|error| failed("refuses to copy the table", &error))?;
    let mut temporary = Temporary::create(path, &schema)?;
    let kinds: Vec<Kind> = columns.iter().map(|own| own.1).collect();
    progress.stage("reading the database", None);
    let mut reader = BufReader::with_capacity(1 << 20, stream);
    let rows = read_copy(&mut reader, &kinds, &schema, &mut temporary, progress)?;
    drop(reader);
    snapshot.commit().map_err(|error| failed("ended the snapshot", &error))?;
    temporary.finish()?;
    Ok(rows)
}

/// Reads what a binary `COPY` sends, and tells how many records there were.
fn read_copy(
    reader: &mut impl Read,
    kinds: &[Kind],
    schema: &SchemaRef,
    temporary: &mut Temporary,
    progress: &dyn Progress,
) -> Result<u64, RunError> {
    let cut = |_| EngineError::resources("PostgreSQL: the connection was cut while the table was read");
    let mut head = [0; 19];
    reader.read_exact(&mut head).map_err(cut)?;
    if &head[..SIGNATURE.len()] != SIGNATURE {
        return Err(EngineError::resources("PostgreSQL: the table does not come as a binary copy").into());
    }
    let mut extension = vec![0; u32::from_be_bytes([head[15], head[16], head[17], head[18]]) as usize];
    reader.read_exact(&mut extension).map_err(cut)?;
    let mut builders: Vec<Builder> = kinds.iter().map(|&kind| Builder::new(kind)).collect();
    let (mut rows, mut waiting) = (0u64, 0);
    let mut value = Vec::new();
    loop {
        let mut count = [0; 2];
        reader.read_exact(&mut count).map_err(cut)?;
        let count = i16::from_be_bytes(count);
        let is_end = count == -1;
        if !is_end && count as usize != builders.len() {
            return Err(EngineError::resources("PostgreSQL: a record has another number of columns").into());
        }
        if !is_end {
            for builder in &mut builders {
                let mut length = [0; 4];
                reader.read_exact(&mut length).map_err(cut)?;
                let length = i32::from_be_bytes(length);
                let own = match usize::try_from(length) {
                    Ok(length) => {
                        value.resize(length, 0);
                        reader.read_exact(&mut value).map_err(cut)?;
                        Some(&value[..])
                    }
                    Err(_) => None,
                };
                builder.push(own).ok_or_else(|| {
                    EngineError::input(
                        "PostgreSQL: a value has another length than its type, or is no date that can be read; cast the \
                         column to text in `input.query`",
                    )
                })?;
            }
            waiting += 1;
            rows += 1;
        }
        if waiting == BATCH || (is_end && waiting > 0) {
            progress.check()?;
            let arrays: Vec<ArrayRef> = builders.iter_mut().map(Builder::finish).collect();
            let batch = RecordBatch::try_new(Arc::clone(schema), arrays);
            let batch = batch.map_err(|_| EngineError::resources("PostgreSQL: a batch does not fit"))?;
            temporary.write(&batch)?;
            waiting = 0;
            progress.at(rows);
        }
        if is_end {
            return Ok(rows);
        }
    }
}

/// How a value comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Date,
    Timestamp {
        zone: bool,
    },
    /// As its text, whatever its type.
    Text,
}

impl Kind {
    fn of(kind: &Type) -> Self {
        match *kind {
            Type::BOOL => Self::Boolean,
            Type::INT2 => Self::Int16,
            Type::INT4 => Self::Int32,
            Type::INT8 => Self::Int64,
            Type::FLOAT4 => Self::Float32,
            Type::FLOAT8 => Self::Float64,
            Type::DATE => Self::Date,
            Type::TIMESTAMP => Self::Timestamp { zone: false },
            Type::TIMESTAMPTZ => Self::Timestamp { zone: true },
            _ => Self::Text,
        }
    }

    /// The kind that an Arrow type is written as.
    fn of_arrow(kind: &DataType) -> Self {
        match kind {
            DataType::Boolean => Self::Boolean,
            DataType::Int16 => Self::Int16,
            DataType::Int32 => Self::Int32,
            DataType::Int64 => Self::Int64,
            DataType::Float32 => Self::Float32,
            DataType::Float64 => Self::Float64,
            DataType::Date32 => Self::Date,
            DataType::Timestamp(TimeUnit::Microsecond, zone) => Self::Timestamp { zone: zone.is_some() },
            _ => Self::Text,
        }
    }

    fn arrow(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Int16 => DataType::Int16,
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::Float32 => DataType::Float32,
            Self::Float64 => DataType::Float64,
            Self::Date => DataType::Date32,
            Self::Timestamp { zone } => {
                DataType::Timestamp(TimeUnit::Microsecond, zone.then(|| "UTC".into()))
            }
            Self::Text => DataType::Utf8,
        }
    }

    fn sql(self) -> &'static str {
        match self {
            Self::Boolean => "bool",
            Self::Int16 => "smallint",
            Self::Int32 => "integer",
            Self::Int64 => "bigint",
            Self::Float32 => "real",
            Self::Float64 => "double precision",
            Self::Date => "date",
            Self::Timestamp { zone: false } => "timestamp",
            Self::Timestamp { zone: true } => "timestamp with time zone",
            Self::Text => "text",
        }
    }
}

/// Values of a column in the making.
enum Builder {
    Boolean(BooleanBuilder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Int64(Int64Builder),
    Float32(Float32Builder),
    Float64(Float64Builder),
    Date(Date32Builder),
    Timestamp(TimestampMicrosecondBuilder, bool),
    Text(StringBuilder),
}

impl Builder {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Boolean => Self::Boolean(BooleanBuilder::new()),
            Kind::Int16 => Self::Int16(Int16Builder::new()),
            Kind::Int32 => Self::Int32(Int32Builder::new()),
            Kind::Int64 => Self::Int64(Int64Builder::new()),
            Kind::Float32 => Self::Float32(Float32Builder::new()),
            Kind::Float64 => Self::Float64(Float64Builder::new()),
            Kind::Date => Self::Date(Date32Builder::new()),
            Kind::Timestamp { zone } => Self::Timestamp(TimestampMicrosecondBuilder::new(), zone),
            Kind::Text => Self::Text(StringBuilder::new()),
        }
    }

    /// Adds a value; nothing when its bytes are none of its type.
    fn push(&mut self, value: Option<&[u8]>) -> Option<()> {
        match self {
            Self::Boolean(own) => own.append_option(value.map(one).transpose_none()?.map(|own| own != 0)),
            Self::Int16(own) => own.append_option(value.map(bytes).transpose_none()?.map(i16::from_be_bytes)),
            Self::Int32(own) => own.append_option(value.map(bytes).transpose_none()?.map(i32::from_be_bytes)),
            Self::Int64(own) => own.append_option(value.map(bytes).transpose_none()?.map(i64::from_be_bytes)),
            Self::Float32(own) => {
                own.append_option(value.map(bytes).transpose_none()?.map(f32::from_be_bytes));
            }
            Self::Float64(own) => {
                own.append_option(value.map(bytes).transpose_none()?.map(f64::from_be_bytes));
            }
            Self::Date(own) => {
                let days = value.map(bytes).transpose_none()?.map(i32::from_be_bytes);
                own.append_option(days.map(|days| days.checked_add(EPOCH_DAYS)).transpose_none()?);
            }
            Self::Timestamp(own, _) => {
                let time = value.map(bytes).transpose_none()?.map(i64::from_be_bytes);
                own.append_option(time.map(|time| time.checked_add(EPOCH_MICROSECONDS)).transpose_none()?);
            }
            Self::Text(own) => {
                own.append_option(value.map(|own| std::str::from_utf8(own).ok()).transpose_none()?);
            }
        }
        Some(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Boolean(own) => Arc::new(own.finish()),
            Self::Int16(own) => Arc::new(own.finish()),
            Self::Int32(own) => Arc::new(own.finish()),
            Self::Int64(own) => Arc::new(own.finish()),
            Self::Float32(own) => Arc::new(own.finish()),
            Self::Float64(own) => Arc::new(own.finish()),
            Self::Date(own) => Arc::new(own.finish()),
            Self::Timestamp(own, true) => Arc::new(own.finish().with_timezone("UTC")),
            Self::Timestamp(own, false) => Arc::new(own.finish()),
            Self::Text(own) => Arc::new(own.finish()),
        }
    }
}

fn bytes<const N: usize>(value: &[u8]) -> Option<[u8; N]> {
    value.try_into().ok()
}

fn one(value: &[u8]) -> Option<u8> {
    bytes::<1>(value).map(|own| own[0])
}

/// A value that is there and wrong is told from one that is not there.
trait TransposeNone<T> {
    fn transpose_none(self) -> Option<Option<T>>;
}

impl<T> TransposeNone<T> for Option<Option<T>> {
    fn transpose_none(self) -> Option<Option<T>> {
        match self {
            None => Some(None),
            Some(Some(own)) => Some(Some(own)),
            Some(None) => None,
        }
    }
}
