//! Where tables come from: folders, patterns, folders named by values, CSV and Arrow files, stores of objects.

use std::sync::Arc;

use arrow_schema::Schema;
use futures::executor::block_on;
use object_store::{ObjectStoreExt, PutPayload};
use privet_data::Silent;
use privet_data::io::{ReadOptions, read};
use privet_engine::{FileTable, TableFile};
use privet_release::{VerifyOptions, verify};
use proptest::prelude::*;

use crate::{assert_same, job_text, people, run, write_parquet};

const ENGINE: &str = "engine.kind=\"datafusion\"";

#[test]
fn csv_and_arrow_files_are_what_privet_reads() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let text = people(300, 11);
    std::fs::create_dir(base.join("many")).unwrap();
    let (header, rest) = text.split_once('\n').unwrap();
    let lines: Vec<&str> = rest.lines().collect();
    for (number, lines) in lines.chunks(110).enumerate() {
        let part = format!("{header}\n{}\n", lines.join("\n"));
        std::fs::write(base.join(format!("many/{number}.csv")), part).unwrap();
    }
    let job = job_text("many", "k-anonymity = 3", "[search]\nsuppress-at-most = 0.1\n");
    for (format, name) in [("parquet", "p"), ("arrow", "a")] {
        let format = format!("output.format={format}");
        run(base, &job, &[&format, &format!("output.folder=memory-{name}")]).unwrap();
        run(base, &job, &[ENGINE, &format, &format!("output.folder=engine-{name}")]).unwrap();
        assert_same(&base.join(format!("memory-{name}")), &base.join(format!("engine-{name}")));
    }
    // And back in: what was written as Arrow is read as Arrow.
    std::fs::copy(base.join("memory-a/data.arrow"), base.join("people.arrow")).unwrap();
    let job = "[input]\npath = \"people.arrow\"\n[columns.town]\nrole = \"quasi\"\n[columns.disease]\nrole = \"sensitive\"\n\
               [privacy]\nk-anonymity = 2\n";
    run(base, job, &["output.folder=memory-b"]).unwrap();
    run(base, job, &[ENGINE, "output.folder=engine-b"]).unwrap();
    assert_same(&base.join("memory-b"), &base.join("engine-b"));
}

/// The format of the input is that of the release, and cells stand as they stood.
#[test]
fn csv_jobs_without_a_format_are_written_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let quoted = people(500, 12).replace(",n3\n", ",\"n, 3\"\n").replace(",n4\n", ",\"n4\"\n");
    std::fs::write(base.join("people.csv"), quoted.replace('\n', "\r\n")).unwrap();
    std::fs::write(base.join("other.tsv"), people(300, 13).replace(',', "\t")).unwrap();
    for (number, input) in ["people.csv", "other.tsv"].into_iter().enumerate() {
        let job = job_text(input, "k-anonymity = 3", "[search]\nsuppress-at-most = 0.1\n");
        run(base, &job, &[&format!("output.folder=memory-{number}")]).unwrap();
        for threads in [1, 3] {
            let (out, threads) = (format!("engine-{number}-{threads}"), format!("engine.threads={threads}"));
            run(base, &job, &[ENGINE, &threads, &format!("output.folder={out}")]).unwrap();
            assert_same(&base.join(format!("memory-{number}")), &base.join(&out));
        }
        let released = std::fs::read_dir(base.join(format!("memory-{number}"))).unwrap();
        assert!(released.flatten().any(|own| own.file_name() == "data.csv"));
    }
}

#[test]
fn folders_named_by_values_are_columns() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    for (year, seed) in [("2024", 1), ("2025", 2)] {
        write_parquet(&base.join(format!("people/year={year}")), &people(60, seed), 40);
    }
    let job = job_text("people", "k-anonymity = 3", "[columns.year]\nrole = \"quasi\"\n");
    let memory = run(base, &job, &["output.folder=memory"]).unwrap();
    let engine = run(base, &job, &[ENGINE, "output.folder=engine"]).unwrap();
    assert_eq!((memory.rows, engine.rows), (120, 120));
    assert_same(&base.join("memory"), &base.join("engine"));
    // A pattern takes the files that fit it.
    let one = job_text("people/year=2024/part-000?.parquet", "k-anonymity = 3", "");
    assert_eq!(run(base, &one, &[ENGINE, "output.folder=one"]).unwrap().rows, 60);
}

proptest! {
    /// Each part has its records, in their order, and reads no row group that has none of them.
    #[test]
    fn a_table_is_cut_where_it_is_said(
        groups in prop::collection::vec(prop::collection::vec(0u64..7, 0..5), 0..5),
        mut ends in prop::collection::vec(0u64..90, 0..8),
    ) {
        let file = |groups: &Vec<u64>| TableFile {
            url: String::new(),
            size: 0,
            groups: groups.clone(),
            folders: Vec::new(),
        };
        let schema = Arc::new(Schema::empty());
        let table = FileTable { files: groups.iter().map(file).collect(), schema, folder_columns: 0 };
        ends.sort_unstable();
        // Per record its file and group, and its place in the group.
        let mut records = Vec::new();
        for (file, groups) in groups.iter().enumerate() {
            for (group, &rows) in groups.iter().enumerate() {
                records.extend((0..rows).map(|row| (file, group, row)));
            }
        }
        let parts = table.cut(&ends);
        prop_assert_eq!(parts.len(), ends.len().saturating_sub(1));
        for (part, ends) in parts.iter().zip(ends.windows(2)) {
            let mut read: Vec<&(usize, usize, u64)> = Vec::new();
            for stretch in part {
                let own: Vec<_> = records
                    .iter()
                    .filter(|own| own.0 == stretch.file && stretch.groups.contains(&own.1))
                    .skip(stretch.skip as usize)
                    .take(stretch.rows as usize)
                    .collect();
                prop_assert_eq!(own.len() as u64, stretch.rows);
                prop_assert_eq!(Some(own[0]), records.get(stretch.first as usize));
                prop_assert!(stretch.groups.iter().all(|group| own.iter().any(|own| own.1 == *group)));
                read.extend(own);
            }
            let [from, to] = [ends[0], ends[1]].map(|end| (end as usize).min(records.len()));
            prop_assert_eq!(read, records[from..to].iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_store_of_objects() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(90, 5), 40);
    let store = privet_engine::memory("people-of-a-test");
    for (name, bytes) in crate::files(&base.join("people")) {
        let path = object_store::path::Path::from(format!("table/{name}"));
        block_on(store.put(&path, PutPayload::from(bytes))).unwrap();
    }
    let local = job_text("people", "k-anonymity = 3", "");
    let remote = job_text("memory://people-of-a-test/table", "k-anonymity = 3", "");
    run(base, &local, &["output.folder=memory"]).unwrap();
    run(base, &remote, &[ENGINE, "output.folder=engine"]).unwrap();
    run(base, &remote, &["output.folder=brought"]).unwrap();
    assert_same(&base.join("memory"), &base.join("engine"));
    assert_same(&base.join("memory"), &base.join("brought"));
}

#[test]
fn a_table_in_several_files_is_verified_and_read_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(100, 8), 100);
    let job = job_text("people", "k-anonymity = 3", "[search]\nsuppress-at-most = 0.1\n");
    run(base, &job, &[ENGINE, "output.rows-per-file=30", "output.folder=out"]).unwrap();
    let out = base.join("out");
    assert!((1..=4).all(|part| out.join(format!("data-0000{part}.parquet")).is_file()));
    let verdict = verify(&out, VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:#?}", verdict.failures().collect::<Vec<_>>());
    let whole = read(&out.join("data-*.parquet"), &ReadOptions::default(), &Silent).unwrap();
    assert!(whole.table.rows >= 90);
    // A file that is gone, and one that was changed.
    std::fs::remove_file(out.join("data-00002.parquet")).unwrap();
    assert!(!verify(&out, VerifyOptions::default()).unwrap().holds());
    std::fs::copy(out.join("data-00001.parquet"), out.join("data-00002.parquet")).unwrap();
    assert!(!verify(&out, VerifyOptions::default()).unwrap().holds());
}
