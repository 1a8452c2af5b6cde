//! One entry for each kind of file that privet reads. None may panic, whatever the bytes, and each says whether it took them.
//!
//! The readers of Arrow and Parquet catch panics of their libraries, so what is looked for there is a panic that gets past
//! them, an abort, and a hang.

use std::cell::RefCell;
use std::io::{Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use privet_attack::Knowledge;
use privet_data::{Role, Silent};
use privet_data::hierarchy::{parse_hierarchy, write_hierarchy};
use privet_data::io::{Format, ReadOptions, RecordReader, read, read_csv_bytes, stream};
use privet_dp::ledger::{Ledger, SqliteLedger};
use privet_graph::NetworkOptions;
use privet_init::init::{Source, propose};
use privet_job::randomize::RandomizeJob;
use privet_job::{Job, Purposes};
use privet_kind::JobFile;
use privet_measure::answer::{PrivateQuestion, Question};
use privet_release::perturbed::ModelFile;
use privet_release::{CountsManifest, Envelope, Manifest, PerturbedManifest};
use privet_sets::LineOptions;
use privet_traces::TraceOptions;

use crate::seeds;

/// A reader.
pub struct Entry {
    /// What it is called.
    pub name: &'static str,
    /// Reads bytes; whether they were accepted.
    pub run: fn(&[u8]) -> bool,
    /// Files to begin with, all of them accepted.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Whether its files are text, for which there are pieces that change what it means.
    pub is_text: bool,
}

/// All of them.
pub const ENTRIES: &[Entry] = &[
    Entry { name: "arrow", run: arrow, seeds: seeds::arrow, is_text: false },
    Entry { name: "baskets", run: baskets, seeds: seeds::baskets, is_text: true },
    Entry { name: "csv", run: csv, seeds: seeds::csv, is_text: true },
    Entry { name: "envelope", run: envelope, seeds: seeds::envelope, is_text: true },
    Entry { name: "geojson", run: geojson, seeds: seeds::geojson, is_text: true },
    Entry { name: "graphml", run: graphml, seeds: seeds::graphml, is_text: true },
    Entry { name: "hierarchy", run: hierarchy, seeds: seeds::hierarchy, is_text: true },
    Entry { name: "job", run: job, seeds: seeds::job, is_text: true },
    Entry { name: "kind-job", run: kind_job, seeds: seeds::kind_job, is_text: true },
    Entry { name: "knowledge", run: knowledge, seeds: seeds::knowledge, is_text: true },
    Entry { name: "ledger", run: ledger, seeds: seeds::ledger, is_text: false },
    Entry { name: "manifest", run: manifest, seeds: seeds::manifest, is_text: true },
    Entry { name: "model", run: model, seeds: seeds::model, is_text: true },
    Entry { name: "parquet", run: parquet, seeds: seeds::parquet, is_text: false },
    Entry { name: "party", run: party, seeds: seeds::party, is_text: false },
    Entry { name: "sheet", run: sheet, seeds: seeds::sheet, is_text: false },
    Entry { name: "sql", run: sql, seeds: seeds::sql, is_text: true },
];

/// The entry of a name.
pub fn entry(name: &str) -> &'static Entry {
    let found = ENTRIES.iter().find(|entry| entry.name == name);
    found.unwrap_or_else(|| panic!("there is no entry {name}"))
}

/// A table from any bytes, at once and record by record; for some of those that are read a job is proposed.
fn csv(bytes: &[u8]) -> bool {
    if let Ok(mut records) = RecordReader::new(bytes, &ReadOptions::default()) {
        while let Ok(true) = records.advance() {}
    }
    // Another dialect by the first byte, so that all of them are met.
    let first = bytes.first().copied().unwrap_or_default();
    let options = match first % 4 {
        0 => ReadOptions { header: Some(false), missing: vec!["?".into(), "x".into()], ..ReadOptions::default() },
        1 => ReadOptions { encoding: Some(privet_data::io::Encoding::Latin1), ..ReadOptions::default() },
        _ => ReadOptions::default(),
    };
    let Ok(input) = read_csv_bytes(bytes, &options) else { return false };
    let columns = &input.table.columns;
    assert!(columns.iter().all(|column| column.codes.len() == input.table.rows));
    if bytes.len() % 8 == 0 {
        let proposal = propose(&input.table, "people.csv", &Source::default());
        assert_eq!(proposal.columns.len(), columns.len());
    }
    true
}

/// What is read is written and read back the same.
fn hierarchy(bytes: &[u8]) -> bool {
    let Ok(hierarchy) = parse_hierarchy(bytes) else { return false };
    let mut written = Vec::new();
    write_hierarchy(&mut written, &hierarchy, b';').expect("memory can be written");
    assert_eq!(parse_hierarchy(&written).expect("what was written can be read"), hierarchy);
    true
}

/// Jobs of all kinds, and any setting on top of one.
fn job(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // A setting has an `=` before any section.
    if !text.starts_with('[') {
        return Job::parse(seeds::A_JOB, &[text.into_owned()]).is_ok();
    }
    Job::parse(&text, &[]).is_ok() || RandomizeJob::parse(&text, &[]).is_ok() || Purposes::parse(&text).is_ok()
}

fn knowledge(bytes: &[u8]) -> bool {
    Knowledge::parse(&String::from_utf8_lossy(bytes)).is_ok()
}

fn manifest(bytes: &[u8]) -> bool {
    let _ = Manifest::seal_of(bytes);
    let other = match bytes.len() % 2 {
        0 => CountsManifest::parse(bytes).is_ok(),
        _ => PerturbedManifest::parse(bytes).is_ok(),
    };
    Manifest::parse(bytes).is_ok() || other
}

/// A law without records; what is read is written and read back the same.
fn model(bytes: &[u8]) -> bool {
    let Ok(model) = ModelFile::parse(bytes) else { return false };
    if let Ok(text) = model.to_json() {
        assert_eq!(ModelFile::parse(text.as_bytes()).expect("what was written can be read"), model);
    }
    true
}

/// The manifest of a release whose kind names itself.
fn envelope(bytes: &[u8]) -> bool {
    let _ = Manifest::seal_of(bytes);
    Envelope::parse(bytes).is_ok()
}

/// A job that names its kind, with the sections that all kinds have.
fn kind_job(bytes: &[u8]) -> bool {
    let Ok(job) = JobFile::read(&file_with(bytes, ".toml"), &[]) else { return false };
    let _ = (job.output(), job.adversary(), job.check_sections(&[]));
    job.kind().is_some()
}

fn graphml(bytes: &[u8]) -> bool {
    let options = NetworkOptions { roles: [("age".to_owned(), Role::Quasi)].into(), ..NetworkOptions::default() };
    privet_graph::read(&file_with(bytes, ".graphml"), None, &options, &Silent).is_ok()
}

fn geojson(bytes: &[u8]) -> bool {
    let options = TraceOptions { sort: true, ..TraceOptions::default() };
    privet_traces::read(&file_with(bytes, ".geojson"), &options, &Silent).is_ok()
}

/// Baskets, one on a line.
fn baskets(bytes: &[u8]) -> bool {
    privet_sets::read_lines(&file_with(bytes, ".txt"), &LineOptions::default(), &Silent).is_ok()
}

/// A spreadsheet of either format, by its content.
fn sheet(bytes: &[u8]) -> bool {
    let format = if bytes.len() % 2 == 0 { Format::Xlsx } else { Format::Ods };
    let own = |format, ending| {
        let options = ReadOptions { format: Some(format), max_input: Some(64 << 20), ..ReadOptions::default() };
        read(&file_with(bytes, ending), &options, &Silent).is_ok()
    };
    own(Format::Xlsx, ".sheet") || (format == Format::Ods && own(Format::Ods, ".sheet"))
}

fn sql(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_public = Question::parse(&text).is_ok();
    PrivateQuestion::parse_several(&text).is_ok() || is_public
}

/// Any frame of a session of several owners, and its message as every shape that its tag has; or a job of such a session.
fn party(bytes: &[u8]) -> bool {
    let job = std::str::from_utf8(bytes).is_ok_and(|text| privet_parties::job::ReadJob::parse(text, PathBuf::new()).is_ok());
    job | privet_parties::session::wire::parse_any(bytes)
}

fn parquet(bytes: &[u8]) -> bool {
    columnar(bytes, Format::Parquet)
}

fn arrow(bytes: &[u8]) -> bool {
    columnar(bytes, Format::Arrow)
}

fn columnar(bytes: &[u8], format: Format) -> bool {
    let path = file_with(bytes, "");
    // Some files are damaged so that they hold more than they should.
    let options = ReadOptions { format: Some(format), max_input: Some(64 << 20), ..ReadOptions::default() };
    match bytes.len() % 4 {
        0 => stream(&path, &options, &Silent, &mut |_, _| ControlFlow::Continue(())).is_ok(),
        _ => read(&path, &options, &Silent)
            .is_ok_and(|input| input.table.columns.iter().all(|column| column.codes.len() == input.table.rows)),
    }
}

/// A ledger in any file.
fn ledger(bytes: &[u8]) -> bool {
    let path = file_with(bytes, ".ledger");
    let is_ledger = SqliteLedger::open_existing(&path, None).is_ok_and(|mut ledger| {
        let _ = ledger.remaining("people.csv");
        ledger.records().is_ok() && ledger.verify(None).is_ok()
    });
    // What SQLite leaves beside a file that it cannot read is not for the next one.
    for ending in ["-journal", "-wal", "-shm"] {
        let mut beside = path.clone().into_os_string();
        beside.push(ending);
        let _ = std::fs::remove_file(beside);
    }
    is_ledger
}

/// A file with these bytes: in memory where the system has such a place, and the same one every time. All files of a process have one ending.
fn file_with(bytes: &[u8], ending: &str) -> PathBuf {
    thread_local! {
        static FILE: RefCell<Option<(std::fs::File, PathBuf)>> = const { RefCell::new(None) };
    }
    FILE.with_borrow_mut(|open| {
        let (file, path) = open.get_or_insert_with(|| {
            let memory = PathBuf::from("/dev/shm");
            let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
            let path = folder.join(format!("privet-fuzz-{}{ending}", std::process::id()));
            (std::fs::File::create(&path).expect("a temporary file"), path)
        });
        file.set_len(0).expect("a temporary file");
        file.seek(SeekFrom::Start(0)).expect("a temporary file");
        file.write_all(bytes).expect("a temporary file");
        path.clone()
    })
}
