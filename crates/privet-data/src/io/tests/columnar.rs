//! Parquet and Arrow IPC: values, types and nulls come back, and tables move between formats.

use std::slice::from_ref;
use std::sync::Arc;

use arrow_array::cast::*;
use arrow_array::types::*;
use arrow_array::*;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::*;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::*;
use crate::{Cells, Kind};

pub(super) fn batch() -> RecordBatch {
    let words = [Some("b"), None, Some(""), Some("a"), Some("b")];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i8", Arc::new(Int8Array::from(vec![Some(-3), None, Some(7), Some(7), Some(0)]))),
        ("i16", Arc::new(Int16Array::from(vec![1, 2, 3, 2, 1]))),
        ("i32", Arc::new(Int32Array::from(vec![10, 9, -1, 9, 10]))),
        ("i64", Arc::new(Int64Array::from(vec![Some(i64::MAX), None, Some(i64::MIN), None, Some(0)]))),
        ("u8", Arc::new(UInt8Array::from(vec![1, 255, 3, 2, 1]))),
        ("u16", Arc::new(UInt16Array::from(vec![1, 2, 3, 2, 1]))),
        ("u32", Arc::new(UInt32Array::from(vec![1, 2, 3, 2, 1]))),
        ("u64", Arc::new(UInt64Array::from(vec![u64::MAX, 2, 3, 2, 1]))),
        ("f32", Arc::new(Float32Array::from(vec![Some(1.5), Some(-0.0), None, Some(0.0), Some(2.0)]))),
        ("f64", Arc::new(Float64Array::from(vec![Some(1.5), Some(f64::NAN), None, Some(1e300), Some(0.1)]))),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![Some(125), None, Some(-5), Some(0), Some(125)])
                    .with_precision_and_scale(9, 2)
                    .unwrap(),
            ),
        ),
        ("date32", Arc::new(Date32Array::from(vec![Some(0), None, Some(11_016), Some(-1), Some(0)]))),
        ("date64", Arc::new(Date64Array::from(vec![Some(0), None, Some(86_400_000), Some(0), Some(0)]))),
        (
            "timestamp",
            Arc::new(TimestampMillisecondArray::from(vec![Some(1_500), None, Some(0), Some(0), Some(9)])),
        ),
        (
            "zoned",
            Arc::new(
                TimestampMicrosecondArray::from(vec![Some(0), None, Some(1), Some(0), Some(2)])
                    .with_timezone("Europe/Berlin"),
            ),
        ),
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true), None]))),
        ("utf8", Arc::new(StringArray::from(words.to_vec()))),
        ("large", Arc::new(LargeStringArray::from(vec![Some("x"), None, Some("y\0"), Some("y"), Some("x")]))),
        (
            "view",
            Arc::new(StringViewArray::from(vec![
                Some("a view that is long"),
                None,
                Some("s"),
                None,
                Some("s"),
            ])),
        ),
        ("dict", Arc::new(words.into_iter().collect::<DictionaryArray<Int8Type>>())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

pub(super) fn parquet_file(batches: &[RecordBatch]) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".parquet").tempfile().unwrap();
    let mut writer = ArrowWriter::try_new(file.reopen().unwrap(), batches[0].schema(), None).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
    file
}

pub(super) fn ipc_file(batches: &[RecordBatch], options: IpcWriteOptions) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".arrow").tempfile().unwrap();
    let mut writer =
        FileWriter::try_new_with_options(file.reopen().unwrap(), &batches[0].schema(), options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    file
}

pub(super) fn arrays_of_parquet(bytes: Vec<u8>) -> Vec<RecordBatch> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file.reopen().unwrap()).unwrap().build().unwrap();
    reader.map(Result::unwrap).collect()
}

fn load(file: &tempfile::NamedTempFile) -> Input {
    read(file.path(), &ReadOptions::default(), &Silent).unwrap()
}

pub(super) fn assert_same(found: &[RecordBatch], expected: &RecordBatch) {
    assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), expected.num_rows());
    let found = arrow_select::concat::concat_batches(&found[0].schema(), found).unwrap();
    for (i, field) in expected.schema().fields().iter().enumerate() {
        assert_eq!(found.column(i).data_type(), field.data_type(), "{}", field.name());
        if let Some(words) = expected.column(i).as_any_dictionary_opt() {
            let plain = |array: &ArrayRef| arrow_cast::cast(array, words.values().data_type()).unwrap();
            assert_eq!(&plain(found.column(i)), &plain(expected.column(i)), "{}", field.name());
        } else {
            // Bits, because NaN is not equal to itself.
            assert_eq!(found.column(i).to_data().nulls(), expected.column(i).to_data().nulls());
            let shown = |array: &ArrayRef| format!("{array:?}");
            assert_eq!(shown(found.column(i)), shown(expected.column(i)), "{}", field.name());
        }
    }
}

#[test]
fn parquet_comes_back_with_types_values_and_nulls() {
    let batch = batch();
    let input = load(&parquet_file(from_ref(&batch)));
    assert_eq!(input.format, Format::Parquet);
    let bytes = write_back(&input, Format::Parquet);
    assert_eq!(bytes, write_back(&input, Format::Parquet));
    assert_same(&arrays_of_parquet(bytes), &batch);
}

#[test]
fn arrow_comes_back_with_types_values_and_nulls_over_batches() {
    let batch = batch();
    let parts = [batch.slice(0, 2), batch.slice(2, 3)];
    let compressed =
        IpcWriteOptions::default().try_with_compression(Some(arrow_ipc::CompressionType::LZ4_FRAME)).unwrap();
    let input = load(&ipc_file(from_ref(&batch), compressed));
    let bytes = write_back(&input, Format::Arrow);
    assert_eq!(bytes, write_back(&input, Format::Arrow));
    let reader = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(bytes), None).unwrap();
    assert_same(&reader.map(Result::unwrap).collect::<Vec<_>>(), &batch);

    let file = tempfile::Builder::new().suffix(".arrow").tempfile().unwrap();
    let mut writer = StreamWriter::try_new(file.reopen().unwrap(), &batch.schema()).unwrap();
    parts.iter().for_each(|part| writer.write(part).unwrap());
    writer.finish().unwrap();
    assert_same(&arrays_of_parquet(write_back(&load(&file), Format::Parquet)), &batch);

    assert_same(&arrays_of_parquet(write_back(&load(&parquet_file(&parts)), Format::Parquet)), &batch);
}

#[test]
fn values_have_their_natural_text() {
    let file = parquet_file(&[batch()]);
    let exact = read(file.path(), &ReadOptions::default().exactly(), &Silent).unwrap();
    assert_eq!(texts(&exact, "f32"), ["1.5", "-0.0", "", "0.0", "2.0"]);
    let input = load(&file);
    assert_eq!(texts(&input, "i8"), ["-3", "", "7", "7", "0"]);
    assert_eq!(texts(&input, "u64"), ["18446744073709551615", "2", "3", "2", "1"]);
    // Equal numbers are one value, of which the plainest text is told.
    assert_eq!(texts(&input, "f32"), ["1.5", "0.0", "", "0.0", "2.0"]);
    assert_eq!(texts(&input, "decimal"), ["1.25", "", "-0.05", "0.00", "1.25"]);
    assert_eq!(texts(&input, "date32"), ["1970-01-01", "", "2000-02-29", "1969-12-31", "1970-01-01"]);
    assert_eq!(texts(&input, "timestamp")[0], "1970-01-01T00:00:01.500");
    assert_eq!(texts(&input, "zoned")[2], "1970-01-01T00:00:00.000001Z");
    assert_eq!(texts(&input, "bool"), ["true", "", "false", "true", ""]);
    assert_eq!(texts(&input, "dict"), ["b", "", "", "a", "b"]);
    let kinds: Vec<Kind> = ["i8", "decimal", "date32", "bool", "utf8"]
        .map(|name| input.table.column(name).unwrap().domain.kind())
        .to_vec();
    assert_eq!(kinds, [Kind::Integer, Kind::Decimal, Kind::Date, Kind::Boolean, Kind::Text]);
    // A null and an empty string are one value that is missing, and are still told apart on the way back.
    let utf8 = input.table.column("utf8").unwrap();
    assert_eq!((utf8.domain.len(), utf8.domain.missing()), (3, 1));
    assert!(matches!(utf8.cells, Cells::ArrowVerbatim { .. }));
    assert!(matches!(input.table.column("i8").unwrap().cells, Cells::Arrow(_)));
}

/// What a record holds does not depend on others: one null does not make the empty texts of everybody else missing.
#[test]
fn one_null_changes_nothing_for_others() {
    let options = ReadOptions { missing: vec!["?".to_owned()], ..ReadOptions::default() };
    for dictionary in [false, true] {
        let missing = |last: Option<&'static str>| -> Vec<bool> {
            let words = [Some(""), Some("x"), Some("?"), Some(""), last];
            let array: ArrayRef = match dictionary {
                true => Arc::new(words.into_iter().collect::<DictionaryArray<Int8Type>>()),
                false => Arc::new(StringArray::from(words.to_vec())),
            };
            let batch = RecordBatch::try_from_iter_with_nullable([("note", array, true)]).unwrap();
            let input = read(parquet_file(&[batch]).path(), &options, &Silent).unwrap();
            let column = &input.table.columns[0];
            column.codes.iter().map(|&code| column.domain.is_missing(code)).take(4).collect()
        };
        assert_eq!(missing(None), missing(Some("x")));
        assert_eq!(missing(None), [true, false, true, true]);
    }
}

#[test]
fn date64_has_the_text_of_a_date() {
    let input = load(&parquet_file(&[batch()]));
    assert_eq!(input.table.column("date64").unwrap().domain.kind(), Kind::Date);
}

#[test]
fn recoded_columns_are_strings_and_suppressed_rows_are_left_out() {
    let input = load(&parquet_file(&[batch()]));
    let i32s = input.table.column("i32").unwrap();
    let labels = Some(i32s.domain.texts().iter().map(|_| "*".into()).collect());
    let bools = input.table.column("bool").unwrap();
    let columns = vec![ViewColumn { column: i32s, labels, codes: None }, ViewColumn::unchanged(bools)];
    let kept = [true, true, false, false, false];
    let view = View { columns, rows: 5, kept: Some(&kept) };
    let found = arrays_of_parquet(write_view(&view, Format::Parquet, &Dialect::default()).unwrap());
    let expected: [ArrayRef; 2] =
        [Arc::new(StringArray::from(vec!["*", "*"])), Arc::new(BooleanArray::from(vec![Some(true), None]))];
    assert_eq!(found[0].columns(), expected);
    let csv = write_view(&view, Format::Csv, &Dialect::default()).unwrap();
    assert_eq!(csv, b"i32,bool\n*,true\n*,\n");
}

#[test]
fn a_csv_becomes_integers_strings_and_nulls() {
    let text = b"id,zip,mark,word,empty\n1,01,?,x,\n,02,1,,\n-3,03,2,z,\n";
    let options = ReadOptions { missing: vec![String::new(), "?".into()], ..ReadOptions::default() };
    let input = read_csv_bytes(text, &options).unwrap();
    let expected: [ArrayRef; 5] = [
        Arc::new(Int64Array::from(vec![Some(1), None, Some(-3)])),
        Arc::new(StringArray::from(vec!["01", "02", "03"])),
        Arc::new(StringArray::from(vec!["?", "1", "2"])),
        Arc::new(StringArray::from(vec![Some("x"), None, Some("z")])),
        Arc::new(StringArray::from(vec![None::<&str>; 3])),
    ];
    assert_eq!(arrays_of_parquet(write_back(&input, Format::Parquet))[0].columns(), expected);
}

#[test]
fn a_table_without_rows_goes_through() {
    let empty = batch().slice(0, 0);
    let input = load(&parquet_file(from_ref(&empty)));
    assert_eq!((input.table.rows, input.names.len()), (0, empty.num_columns()));
    let bytes = write_back(&input, Format::Arrow);
    let reader = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(bytes), None).unwrap();
    assert_eq!(reader.schema().field(10).data_type(), &DataType::Decimal128(9, 2));
}

#[test]
fn many_batches_and_a_dictionary_without_values() {
    let ids: ArrayRef = Arc::new(Int32Array::from_iter_values((0..40_000).map(|i| i % 20_000)));
    let nulls = DictionaryArray::<Int32Type>::new(
        Int32Array::from(vec![None; 40_000]),
        Arc::new(StringArray::from(Vec::<&str>::new())),
    );
    let batch = RecordBatch::try_from_iter([("id", ids), ("nulls", Arc::new(nulls) as ArrayRef)]).unwrap();
    for input in
        [load(&parquet_file(from_ref(&batch))), load(&ipc_file(from_ref(&batch), Default::default()))]
    {
        assert_eq!(input.table.column("id").unwrap().domain.len(), 20_000);
        let nulls = input.table.column("nulls").unwrap();
        assert_eq!((nulls.domain.len(), nulls.domain.missing()), (1, 1));
        let found = arrays_of_parquet(write_back(&input, Format::Parquet));
        assert_same(&found, &batch);
    }
}

#[test]
fn only_wanted_columns_are_kept() {
    let options = ReadOptions { columns: Some(vec!["utf8".into(), "i16".into()]), ..ReadOptions::default() };
    for file in [parquet_file(&[batch()]), ipc_file(&[batch()], Default::default())] {
        let input = read(file.path(), &options, &Silent).unwrap();
        assert_eq!(input.names.len(), 20);
        assert_eq!(texts(&input, "i16"), ["1", "2", "3", "2", "1"]);
        assert_eq!(texts(&input, "utf8"), ["b", "", "", "a", "b"]);
        assert_eq!(input.table.columns.len(), 2);
    }
}

#[test]
fn other_types_and_damaged_files_are_refused() {
    let list: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), Some(2)])]));
    let batch = RecordBatch::try_from_iter([("scores", list)]).unwrap();
    let file = parquet_file(&[batch]);
    let message = read(file.path(), &ReadOptions::default(), &Silent).unwrap_err().to_string();
    assert!(message.contains("column `scores` has the type List"), "{message}");

    let far: ArrayRef = Arc::new(Date64Array::from(vec![i64::MAX]));
    let batch = RecordBatch::try_from_iter([("born", far)]).unwrap();
    let file = ipc_file(&[batch], Default::default());
    let message = read(file.path(), &ReadOptions::default(), &Silent).unwrap_err().to_string();
    assert!(message.contains("column `born`") && !message.contains("922337"), "{message}");

    for suffix in [".parquet", ".arrow"] {
        let file = tempfile::Builder::new().suffix(suffix).tempfile().unwrap();
        for bytes in [&b""[..], b"a,b\n1,2\n", b"ARROW1\0\0nothing"] {
            std::fs::write(file.path(), bytes).unwrap();
            let message = read(file.path(), &ReadOptions::default(), &Silent).unwrap_err().to_string();
            assert!(message.contains("not a readable"), "{message}");
        }
    }
}
