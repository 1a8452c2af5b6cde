//! Columns by which records are not grouped: of all types, with as many values as there are records.

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;

use crate::{assert_same, run};

const ENGINE: &str = "engine.kind=\"datafusion\"";
const CODES: [&str; 9] = ["1", "1.0", "01", " 1", "NA", "", "2", "1e0", "2.0"];
const WORDS: [&str; 6] = ["Flu", "flu", " flu", "NA", "", "gout"];
const FLOATS: [f64; 6] = [0.0, -0.0, 1.5, f64::NAN, 1e300, 2.0];
/// Whole numbers, among them one that is too long for an integer.
const LONG: [i64; 4] = [0, -7, 2_000_000_000_000_000, 12];

/// A table whose last columns are of many types; each is missing now and then, or everywhere.
fn write(folder: &Path, rows: usize, seed: usize, nulls: usize) {
    let at = |row: usize, step: usize, of: usize| (row * step + seed * 7 + row / 11) % of;
    let known = |row: usize, column: usize| nulls < 5 && !(row + column).is_multiple_of(nulls + 2);
    fn of<T>(rows: usize, value: impl Fn(usize) -> Option<T>) -> Vec<Option<T>> {
        (0..rows).map(value).collect()
    }
    let text = |texts: &'static [&'static str], column: usize| {
        of(rows, move |row| known(row, column).then(|| texts[at(row, column + 3, texts.len())]))
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("age", Arc::new(Int64Array::from_iter_values((0..rows).map(|row| 20 + at(row, 5, 40) as i64)))),
        (
            "disease",
            Arc::new(StringArray::from_iter_values((0..rows).map(|row| ["flu", "gout"][at(row, 1, 2)]))),
        ),
        ("code", Arc::new(StringArray::from(text(&CODES, 0)))),
        ("word", Arc::new(StringArray::from(text(&WORDS, 1)))),
        ("float", Arc::new(Float64Array::from(of(rows, |row| known(row, 2).then(|| FLOATS[at(row, 3, 6)]))))),
        ("long", Arc::new(Int64Array::from(of(rows, |row| known(row, 3).then(|| LONG[at(row, 5, 4)]))))),
        (
            "day",
            Arc::new(Date32Array::from(of(rows, |row| known(row, 4).then(|| at(row, 3, 5) as i32 * 400)))),
        ),
        (
            "time",
            Arc::new(TimestampMicrosecondArray::from(of(rows, |row| {
                known(row, 5).then(|| at(row, 1, 3) as i64 * 86_400_000_000)
            }))),
        ),
        ("yes", Arc::new(BooleanArray::from(of(rows, |row| known(row, 6).then(|| at(row, 1, 2) == 1))))),
        ("key", Arc::new(text(&WORDS, 2).into_iter().collect::<DictionaryArray<Int32Type>>())),
        ("id", Arc::new(Int64Array::from_iter_values((0..rows).map(|row| (row * row + seed) as i64)))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    std::fs::create_dir_all(folder).unwrap();
    for (number, from) in [0, rows / 2].into_iter().enumerate() {
        let file = std::fs::File::create(folder.join(format!("part-{number}.parquet"))).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        let length = if number == 0 { rows / 2 } else { rows - rows / 2 };
        writer.write(&batch.slice(from, length)).unwrap();
        writer.close().unwrap();
    }
}

fn job(columns: &[&str], more: &str) -> String {
    let others: String =
        columns.iter().map(|name| format!("[columns.{name}]\nrole = \"insensitive\"\n{more}")).collect();
    format!(
        "[input]\npath = \"table\"\nmissing = [\"NA\"]\n[columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = [5, 20] }}\n\
         [columns.disease]\nrole = \"sensitive\"\n{others}[privacy]\nk-anonymity = 3\n[search]\nsuppress-at-most = 0.1\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// The manifest tells the kind of each column, and the report how many stand alone by all of them.
    #[test]
    fn kinds_and_equal_values_are_those_of_memory(
        rows in 12usize..200,
        seed in 0usize..1_000,
        nulls in 0usize..6,
        columns in prop::sample::subsequence(vec!["code", "word", "float", "long", "day", "time", "yes", "key"], 1..5),
        equality in prop::sample::select(&["", "compare = \"text\"\n", "compare = \"value\"\n", "fold-case = true\n"][..]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        write(&base.join("table"), rows, seed, nulls);
        let text = job(&columns, equality);
        run(base, &text, &["output.folder=memory"]).unwrap();
        for threads in ["engine.threads=1", "engine.threads=3"] {
            run(base, &text, &[ENGINE, threads, "output.folder=engine", "output.replace=true"]).unwrap();
            assert_same(&base.join("memory"), &base.join("engine"));
        }
    }
}

/// A column with a value for each record is not listed by the process that searches.
#[test]
fn as_many_values_as_records_do_not_count_against_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write(&base.join("table"), 200_000, 1, 0);
    let text = job(&["id"], "");
    run(base, &text, &["output.folder=memory"]).unwrap();
    // Their list would take 9.6 MB.
    run(base, &text, &[ENGINE, "engine.threads=1", "engine.memory-limit=\"8MB\"", "output.folder=engine"])
        .unwrap();
    assert_same(&base.join("memory"), &base.join("engine"));
}
