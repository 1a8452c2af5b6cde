//! Where tables come from: folders, patterns, folders named by values, CSV and Arrow files, stores of objects.

use futures::executor::block_on;
use object_store::{ObjectStoreExt, PutPayload};
use privet_data::Silent;
use privet_data::io::{ReadOptions, read};
use privet_release::{VerifyOptions, verify};

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
