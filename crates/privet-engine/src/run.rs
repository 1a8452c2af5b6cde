//! A job from its source to its release, on the engine that it asks for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use privet_data::Progress;
use privet_data::io::{Format, files_of};
use privet_job::engine::{Engine, EngineError, EngineKind, Recoding, Tuples, Wanted, Written, run_on};
use privet_job::{Job, RunError, RunOptions, Summary};
use privet_release::{Draft, part_name};
use tempfile::TempDir;
use url::Url;

use crate::database::{self, PublishedTable, TableWriter};
use crate::engine::FileEngine;
use crate::runner::{Runner, Settings};
use crate::scan::ScanExec;
use crate::stage::{self, Temporary};
use crate::store::url_of;
use crate::table::FileTable;

/// A table that a job reads, ready for its engine.
pub struct Opened {
    /// What runs on it.
    pub engine: FileEngine,
    /// What the sources told of themselves, for a plan.
    pub source: String,
    /// Temporary files; gone when it is dropped.
    _temporary: TempDir,
}

pub(crate) fn settings_of(job: &Job, temporary: &Path) -> Settings {
    Settings {
        threads: job.engine.threads,
        memory_limit: job.engine.memory_limit(),
        scheduler: job.engine.scheduler.clone().filter(|_| job.engine.kind == EngineKind::Ballista),
        temporary: Some(temporary.to_owned()),
    }
}

/// Whether the input of a job is in a database.
fn is_database(url: &Url) -> bool {
    matches!(url.scheme(), "postgres" | "postgresql")
}

/// What the input of a job is, by its address.
pub(crate) enum Place {
    /// A table or query of PostgreSQL.
    Database(Url),
    /// Parquet files, wherever they lie.
    Parquet(Url),
    /// Local files of another format, which are read once and kept as entries.
    Coded(PathBuf, Format),
}

impl Place {
    /// Where the input is, and in which format. Nothing is read.
    ///
    /// # Errors
    /// When the address is none, or the job says other things of it than it is.
    pub fn of(job: &Job, base: &Path) -> Result<Self, RunError> {
        let url = url_of(base, &job.input.path)?;
        if is_database(&url) {
            return Ok(Self::Database(url));
        }
        if job.input.query.is_some() || job.input.table.is_some() {
            let problem = "`input.query` and `input.table` go with an address such as postgres://user@host/database in input.path";
            return Err(EngineError::input(problem).into());
        }
        if url.scheme() != "file" {
            return Ok(Self::Parquet(url));
        }
        let path = url.to_file_path().unwrap_or_default();
        Ok(match format_of(job, &path)? {
            Format::Parquet => Self::Parquet(url),
            format => Self::Coded(path, format),
        })
    }

    /// The format in which the release is written where the job names none.
    pub fn format(&self) -> Format {
        match self {
            Self::Database(_) | Self::Parquet(_) => Format::Parquet,
            Self::Coded(_, format) => *format,
        }
    }
}

/// The format of a job's input that is a path.
fn format_of(job: &Job, path: &Path) -> Result<Format, RunError> {
    if let Some(format) = job.input.options()?.format {
        return Ok(format);
    }
    if path.is_dir() && files_of(path).is_empty() {
        // Folders named COLUMN=VALUE hold Parquet files.
        return Ok(Format::Parquet);
    }
    let first = files_of(path).into_iter().next().unwrap_or_else(|| path.to_owned());
    Ok(Format::of(&first).unwrap_or(Format::Parquet))
}

/// Opens the table of a job.
///
/// # Errors
/// When it is not there, cannot be read, or its files are not alike.
pub fn open(job: &Job, base: &Path, progress: &dyn Progress) -> Result<Opened, RunError> {
    // Where the release will be: the temporary files of a table larger than memory need room.
    let folder = base.join(&job.output.folder);
    let beside = folder.parent().filter(|own| own.is_dir()).unwrap_or(base);
    let temporary = tempfile::Builder::new().prefix(".privet-table-").tempdir_in(beside);
    let temporary = temporary
        .map_err(|error| EngineError::resources(format!("no folder for temporary files: {error}")))?;
    let runner = Runner::new(settings_of(job, temporary.path()))?;
    let opened = |engine, source| Opened { engine, source, _temporary: temporary };
    match Place::of(job, base)? {
        Place::Database(url) => {
            let query = database::query_of(job.input.query.as_deref(), job.input.table.as_deref())?;
            let path = opened_path(&runner, "database.parquet");
            let rows = database::read(url.as_str(), &query, &path, progress)?;
            let table = runner.runtime.block_on(FileTable::open(&url_of(base, &path)?))?;
            let source = format!("PostgreSQL, one snapshot of {rows} records");
            Ok(opened(FileEngine::new(runner, table), source))
        }
        Place::Parquet(url) => {
            let table = runner.runtime.block_on(FileTable::open(&url))?;
            let source = format!("{} Parquet files, {} bytes", table.files.len(), table.bytes());
            Ok(opened(FileEngine::new(runner, table), source))
        }
        Place::Coded(path, format) => {
            let options = privet_job::engine::options_of(job, base)?;
            let folder = runner.temporary().to_owned();
            let (table, input) = stage::entries(&runner, &path, &options, &folder, progress)?;
            let source = format!("{} files, read once and kept as numbers", format.word());
            Ok(opened(FileEngine::coded(runner, table, input), source))
        }
    }
}

fn opened_path(runner: &Runner, name: &str) -> PathBuf {
    runner.temporary().join(name)
}

/// Refuses what no engine does, before anything is read.
pub(crate) fn check(job: &Job, base: &Path) -> Result<Place, RunError> {
    privet_job::engine::check(job)?;
    let place = Place::of(job, base)?;
    privet_job::engine::check_output(job, place.format())?;
    if job.output.database.is_some() && job.output.format()?.unwrap_or(place.format()) != Format::Parquet {
        let problem = "takes what is written as Parquet; set format = \"parquet\" in [output]";
        return Err(EngineError::input(format!("`output.database` {problem}")).into());
    }
    Ok(place)
}

/// Runs a job on the engine that it asks for.
///
/// # Errors
/// As [`run_on`] and [`privet_job::run()`].
pub fn anonymize(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Summary, RunError> {
    if job.engine.kind == EngineKind::Memory {
        return in_memory(job, options, progress);
    }
    if job.engine.kind == EngineKind::Ballista && job.engine.scheduler.is_none() {
        let problem =
            "`engine.scheduler` (--scheduler HOST:PORT) names the scheduler of the cluster, and is missing";
        return Err(EngineError::input(problem).into());
    }
    // What the engine does not do is said before anything is read.
    check(job, &options.base)?;
    let Opened { mut engine, _temporary, .. } = open(job, &options.base, progress)?;
    let (Some(database), Some(table)) = (&job.output.database, &job.output.table) else {
        return run_on(job, options, &mut engine, progress);
    };
    let mut sink = WithDatabase { engine, database, table, written: None, published: None };
    run_on(job, options, &mut sink, progress)
}

/// The memory engine on a table that is in one local place; others are brought there.
fn in_memory(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Summary, RunError> {
    let url = url_of(&options.base, &job.input.path)?;
    let path = url.to_file_path().ok().filter(|_| url.scheme() == "file");
    if path.is_some_and(|path| !is_partitioned(&path)) {
        return privet_job::run(job, options, progress);
    }
    let Opened { engine, _temporary, .. } = open(job, &options.base, progress)?;
    let whole = engine.runner().temporary().join("whole.parquet");
    let table = engine.table();
    let all: Vec<usize> = (0..table.schema.fields().len()).collect();
    let scan = ScanExec::new(Arc::clone(table), all, table.parts(engine.runner().parts * 4), false);
    let scan = scan.map_err(|error| crate::fault::told(&error))?;
    let mut temporary = Temporary::create(&whole, &table.schema)?;
    engine.in_order(Arc::new(scan), progress, &mut |batch| Ok(temporary.write(&batch)?))?;
    temporary.finish()?;
    let mut job = job.clone();
    job.input.path = whole;
    (job.input.query, job.input.table) = (None, None);
    privet_job::run(&job, options, progress)
}

/// Whether a folder holds folders named `COLUMN=VALUE`.
fn is_partitioned(path: &Path) -> bool {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.into_iter().any(|own| own.path().is_dir() && own.file_name().to_string_lossy().contains('='))
}

/// An engine whose published table goes to a database as well.
struct WithDatabase<'a> {
    engine: FileEngine,
    database: &'a str,
    table: &'a str,
    /// The table in its transaction.
    written: Option<TableWriter>,
    /// The table when it is there for all.
    published: Option<PublishedTable>,
}

impl Engine for WithDatabase<'_> {
    fn read(&mut self, wanted: &Wanted, progress: &dyn Progress) -> Result<Tuples, RunError> {
        self.engine.read(wanted, progress)
    }

    fn write(
        &mut self,
        recoding: &Recoding,
        draft: &Draft,
        progress: &dyn Progress,
    ) -> Result<Written, RunError> {
        let written = self.engine.write(recoding, draft, progress)?;
        // The records come from the files that the manifest hashes, so that both are the same.
        let mut parts = 0..;
        let mut next_file = || -> Result<Option<Batches>, RunError> {
            let Some(part) = parts.next() else { return Ok(None) };
            let path = draft.path().join(part_name(&recoding.file, part));
            let is_last = part > 0 && !recoding.file.contains('*');
            match path.is_file() && !is_last {
                true => Ok(Some(batches_of(&path)?)),
                false => Ok(None),
            }
        };
        let Some(mut current) = next_file()? else { return Ok(written) };
        let schema = current.schema();
        let mut next = || -> Result<Option<RecordBatch>, RunError> {
            loop {
                progress.check()?;
                if let Some(batch) = current.next() {
                    return batch.map(Some).map_err(|_| unread().into());
                }
                match next_file()? {
                    Some(file) => current = file,
                    None => return Ok(None),
                }
            }
        };
        progress.stage("writing to the database", None);
        self.written = Some(TableWriter::write(self.database, self.table, &schema, &mut next)?);
        Ok(written)
    }

    fn alike(
        &mut self,
        recoding: &Recoding,
        columns: &[String],
        progress: &dyn Progress,
    ) -> Result<Option<Vec<(u64, u64)>>, RunError> {
        self.engine.alike(recoding, columns, progress)
    }

    fn publish_beside(&mut self) -> Result<(), RunError> {
        let Some(written) = self.written.take() else { return Ok(()) };
        self.published = Some(written.commit()?);
        Ok(())
    }

    fn take_back(&mut self) -> Result<(), RunError> {
        match self.published.take() {
            Some(published) => Ok(published.remove()?),
            None => Ok(()),
        }
    }
}

type Batches = parquet::arrow::arrow_reader::ParquetRecordBatchReader;

fn unread() -> EngineError {
    EngineError::resources("the published table could not be read back")
}

fn batches_of(path: &Path) -> Result<Batches, EngineError> {
    let file = std::fs::File::open(path).map_err(|_| unread())?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|_| unread())?;
    builder.build().map_err(|_| unread())
}
