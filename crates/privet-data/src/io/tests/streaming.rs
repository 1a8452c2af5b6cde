//! What goes by in chunks is what would have been read at once, and comes out as it would have been written at once.

use std::ops::ControlFlow;

use arrow_ipc::writer::IpcWriteOptions;
use proptest::prelude::*;

use super::columnar::{arrays_of_parquet, assert_same, batch, ipc_file, parquet_file};
use super::csv_read::stream_csv;
use super::round_trip::files;
use super::*;

/// The records that went by: per column the entry of each.
type Entries = Vec<Vec<u32>>;

fn collect(into: &mut Entries) -> impl FnMut(usize, &[&[u32]]) -> ControlFlow<()> + '_ {
    |rows, columns| {
        into.resize(columns.len(), Vec::new());
        for (into, column) in into.iter_mut().zip(columns) {
            assert_eq!(column.len(), rows);
            into.extend_from_slice(column);
        }
        ControlFlow::Continue(())
    }
}

fn write_chunks(input: &Input, entries: &Entries, format: Format, chunk: usize) -> Vec<u8> {
    let columns: Vec<ViewColumn<'_>> = input.table.columns.iter().map(ViewColumn::unchanged).collect();
    let mut bytes = Vec::new();
    let dialect = input.dialect.clone().unwrap_or_default();
    let mut writer = ChunkWriter::begin(&mut bytes, &columns, format, &dialect).unwrap();
    for first in (0..input.table.rows).step_by(chunk) {
        let end = input.table.rows.min(first + chunk);
        let chunk: Vec<&[u32]> = entries.iter().map(|entries| &entries[first..end]).collect();
        writer.write(&chunk).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), input.table.rows as u64);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_csv_goes_by_as_it_would_be_read(file in files(), block in 1_usize..200, chunk in 1_usize..9) {
        let options = ReadOptions {
            delimiter: Some(file.delimiter),
            quote: Some(file.quote),
            header: Some(true),
            ..ReadOptions::default()
        };
        let input = read_csv_bytes(&file.text, &options).unwrap();
        let (mut entries, tuning) = (Entries::new(), Tuning { block: Some(block), parallel: false });
        let streamed =
            stream_csv(&file.text[..], None, &options, &Silent, &tuning, &mut collect(&mut entries)).unwrap();
        prop_assert_eq!(streamed.table.rows, input.table.rows);
        prop_assert_eq!((&streamed.names, &streamed.dialect, streamed.bytes), (&input.names, &input.dialect, input.bytes));
        entries.resize(input.table.columns.len(), Vec::new());
        for ((streamed, column), entries) in streamed.table.columns.iter().zip(&input.table.columns).zip(&entries) {
            prop_assert_eq!(streamed.domain.texts(), column.domain.texts());
            prop_assert_eq!(streamed.domain.missing(), column.domain.missing());
            prop_assert_eq!(streamed.domain.kind(), column.domain.kind());
            let codes: Vec<u32> = entries.iter().map(|&entry| streamed.codes[entry as usize]).collect();
            prop_assert_eq!(&codes, &column.codes);
        }
        prop_assert_eq!(write_chunks(&streamed, &entries, Format::Csv, chunk), file.text);
    }

    #[test]
    fn any_bytes_go_by_or_are_refused_alike(
        text in prop::collection::vec(prop::sample::select(&b"a1,\"\n\r;\xe9 "[..]), 0..120),
        block in 1_usize..64,
    ) {
        let options = ReadOptions { delimiter: Some(b','), quote: Some(b'"'), ..ReadOptions::default() };
        let told = |outcome: Result<Input, ReadErrorKind>| match outcome {
            Ok(input) => format!("{:?} {:?} {}", input.names, input.dialect, input.table.rows),
            Err(error) => error.to_string(),
        };
        let once = told(read_csv_bytes(&text, &options).map_err(|error| error.kind));
        let tuning = Tuning { block: Some(block), parallel: false };
        let mut entries = Entries::new();
        let by = stream_csv(&text[..], None, &options, &Silent, &tuning, &mut collect(&mut entries));
        prop_assert_eq!(told(by), once);
    }
}

#[test]
fn parquet_and_arrow_go_by() {
    let batch = batch();
    let parts = [batch.slice(0, 2), batch.slice(2, 3)];
    for file in [parquet_file(&parts), ipc_file(&parts, IpcWriteOptions::default())] {
        let mut entries = Entries::new();
        let options = ReadOptions::default();
        let input = stream(file.path(), &options, &Silent, &mut collect(&mut entries)).unwrap();
        assert_eq!(input.table.rows, 5);
        let whole = read(file.path(), &options, &Silent).unwrap();
        assert_same(&arrays_of_parquet(write_chunks(&input, &entries, Format::Parquet, 2)), &batch);
        assert_eq!(
            write_chunks(&input, &entries, Format::Csv, 3),
            write_back(&whole, Format::Csv),
            "texts are those of the whole table"
        );
        let bytes = write_chunks(&input, &entries, Format::Arrow, 2);
        let reader = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(bytes), None).unwrap();
        assert_same(&reader.map(Result::unwrap).collect::<Vec<_>>(), &batch);
    }
}

#[test]
fn who_takes_records_can_ask_for_no_more_and_entries_are_checked() {
    let stopped = stream_csv(
        &b"a,b\n1,2\n"[..],
        None,
        &ReadOptions::default(),
        &Silent,
        &Tuning::default(),
        &mut |_, _| ControlFlow::Break(()),
    );
    assert!(matches!(stopped, Err(ReadErrorKind::Cancelled(_))));
    let input = read_csv_bytes(b"a,b\n1,2\n", &ReadOptions::default()).unwrap();
    let columns: Vec<ViewColumn<'_>> = input.table.columns.iter().map(ViewColumn::unchanged).collect();
    let mut writer = ChunkWriter::begin(Vec::new(), &columns, Format::Csv, &Dialect::default()).unwrap();
    assert!(matches!(writer.write(&[&[0], &[1]]), Err(WriteError::Shape { .. })));
    assert!(matches!(writer.write(&[&[0], &[0, 0]]), Err(WriteError::Shape { .. })));
    assert!(matches!(writer.write(&[&[0]]), Err(WriteError::Shape { .. })));
    let none = ChunkWriter::begin(Vec::new(), &[], Format::Csv, &Dialect::default());
    assert!(matches!(none.map(|_| ()), Err(WriteError::NoColumns)));
}
