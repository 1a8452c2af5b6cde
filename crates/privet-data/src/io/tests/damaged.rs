//! Files with one to three changed bytes, and files that hold more than they weigh: read, or refused with an error.
//!
//! Of 1,000 such files 36 used to end in a panic of a library and 2 in an abort.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;

use super::*;
use crate::{Cells, Column, Domain};

fn batch() -> RecordBatch {
    let ages: ArrayRef = Arc::new(Int32Array::from(vec![Some(30), None, Some(41), Some(30)]));
    let names: ArrayRef = Arc::new(StringArray::from(vec!["ann", "bob", "a text that is a bit longer", ""]));
    let towns: ArrayRef =
        Arc::new(arrow_array::DictionaryArray::<arrow_array::types::Int32Type>::from_iter([
            Some("Bonn"),
            None,
            Some("Ulm"),
            Some("Bonn"),
        ]));
    RecordBatch::try_from_iter([("age", ages), ("name", names), ("town", towns)]).unwrap()
}

fn arrow_file(compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch().schema(), options).unwrap();
    writer.write(&batch()).unwrap();
    writer.into_inner().unwrap()
}

fn arrow_stream() -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch().schema()).unwrap();
    writer.write(&batch()).unwrap();
    writer.into_inner().unwrap()
}

fn parquet_file() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch().schema(), None).unwrap();
    writer.write(&batch()).unwrap();
    writer.close().unwrap();
    bytes
}

fn read_bytes(bytes: &[u8], format: Format, max_input: Option<u64>) -> Result<Input, ReadErrorKind> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let options = ReadOptions { format: Some(format), max_input, ..ReadOptions::default() };
    read(file.path(), &options, &Silent).map_err(|error| error.kind)
}

/// A generator that is the same everywhere (Knuth's 64-bit linear congruence).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn files_with_changed_bytes_are_read_or_refused() {
    let mut random = Random(1);
    let seeds = [
        (Format::Arrow, arrow_file(None)),
        (Format::Arrow, arrow_file(Some(CompressionType::LZ4_FRAME))),
        (Format::Arrow, arrow_file(Some(CompressionType::ZSTD))),
        (Format::Arrow, arrow_stream()),
        (Format::Parquet, parquet_file()),
    ];
    for (format, seed) in &seeds {
        assert_eq!(read_bytes(seed, *format, None).unwrap().table.rows, 4);
        let mut refused = 0;
        for _ in 0..400 {
            let mut bytes = seed.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = [random.below(256) as u8, 0xff, 0x80, 0x7f][random.below(4)];
            }
            refused += u32::from(read_bytes(&bytes, *format, Some(64 << 20)).is_err());
        }
        assert!((1..400).contains(&refused), "{format:?}: {refused} refused");
    }
}

/// The last lengths of a file with a footer are those of its blocks: taken as they stood, they were memory to be had.
#[test]
fn a_length_beyond_the_file_asks_for_no_memory() {
    let seed = arrow_file(None);
    for at in 0..seed.len() {
        let mut bytes = seed.clone();
        let end = (at + 8).min(bytes.len());
        bytes[at..end].copy_from_slice(&(1_u64 << 46).to_le_bytes()[..end - at]);
        // An abort would end the test.
        let _ = read_bytes(&bytes, Format::Arrow, None);
    }
    let mut stream = arrow_stream();
    stream[4..8].copy_from_slice(&i32::MAX.to_le_bytes());
    let message = read_bytes(&stream, Format::Arrow, None).unwrap_err().to_string();
    assert_eq!(message, "not a readable Arrow file: a length in it does not fit the file");
}

/// 40 kB of Parquet used to become 6.3 GB.
#[test]
fn a_small_file_of_many_records_is_refused_before_it_is_decoded() {
    let (domain, _) = Domain::canonical(vec!["x".into()], |_| false);
    let rows = 300_000;
    let column = Column { name: "a".into(), codes: vec![0; rows], domain, cells: Cells::Plain };
    let view = View { columns: vec![ViewColumn::unchanged(&column)], rows, kept: None };
    for format in [Format::Parquet, Format::Arrow, Format::Csv] {
        let bytes = write_view(&view, format, &Dialect::default()).unwrap();
        let error = read_bytes(&bytes, format, Some(1_000_000)).unwrap_err();
        let is_decoded = matches!(error, ReadErrorKind::TooLarge { limit: 1_000_000, .. });
        assert!(is_decoded, "{format:?}: {error}");
        assert!(error.to_string().contains("1.0 MB are accepted"), "{error}");
        assert_eq!(read_bytes(&bytes, format, Some(4_000_000)).unwrap().table.rows, rows);
    }
    let bytes = write_view(&view, Format::Parquet, &Dialect::default()).unwrap();
    assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
    assert!(matches!(
        read_bytes(&bytes, Format::Parquet, Some(1_000_000)),
        Err(ReadErrorKind::TooLarge { needed: 1_200_000, .. })
    ));
}
