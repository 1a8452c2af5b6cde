//! Reading gives the same table however the file is cut and however many threads read it, that table is the
//! one a plain parser finds, and writing it gives the bytes that were read.

use proptest::prelude::*;

use super::*;
use crate::Cells;
use arrow_array::Array;

/// A plain parser, byte by byte: the cells of each record, unquoted. For valid text only.
fn reference(text: &[u8], delimiter: u8, quote: u8) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let (mut record, mut cell) = (Vec::new(), Vec::new());
    let mut at = 0;
    let (mut is_open, mut at_start) = (false, true);
    while at < text.len() {
        let byte = text[at];
        at += 1;
        if is_open {
            if byte != quote {
                cell.push(byte);
            } else if text.get(at) == Some(&quote) {
                cell.push(quote);
                at += 1;
            } else {
                is_open = false;
            }
            continue;
        }
        let ends_line = byte == b'\n' || (byte == b'\r' && text.get(at) == Some(&b'\n'));
        if at_start && byte == quote {
            is_open = true;
            at_start = false;
        } else if byte == delimiter || ends_line {
            record.push(String::from_utf8(std::mem::take(&mut cell)).unwrap());
            at_start = true;
            if ends_line {
                at += usize::from(byte == b'\r');
                records.push(std::mem::take(&mut record));
            }
        } else {
            cell.push(byte);
            at_start = false;
        }
    }
    if !at_start || !record.is_empty() {
        record.push(String::from_utf8(cell).unwrap());
        records.push(record);
    }
    records
}

#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) text: Vec<u8>,
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    columns: usize,
}

/// Cells with everything that could go wrong in them, each quoted if it must be or if it pleases.
pub(super) fn files() -> impl Strategy<Value = File> {
    let alphabet = prop_oneof![
        6 => Just("a"), 3 => Just("7"), 2 => Just(","), 1 => Just(";"), 2 => Just("\""), 1 => Just("'"),
        2 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r"), 2 => Just("é"), 1 => Just("漢"), 1 => Just(" "),
        1 => Just("a long piece of text")
    ];
    let cell = prop::collection::vec(alphabet, 0..4).prop_map(|parts| parts.concat());
    let style = prop_oneof![Just("minimal"), Just("always"), Just("mixed")];
    let marks = prop_oneof![
        4 => Just((b',', b'"')),
        1 => Just((b';', b'"')),
        1 => Just((b'\t', b'"')),
        1 => Just((b',', b'\'')),
        1 => Just((b'|', b'"')),
    ];
    let line_ends = (any::<bool>(), any::<bool>(), any::<bool>());
    (1_usize..4, marks, style, line_ends).prop_flat_map(move |(columns, marks, style, (crlf, bom, last))| {
        let cells = prop::collection::vec((cell.clone(), any::<bool>()), columns);
        prop::collection::vec(cells, 0..25).prop_map(move |rows| {
            let (delimiter, quote) = marks;
            let newline: &[u8] = if crlf { b"\r\n" } else { b"\n" };
            let mut text = if bom { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
            let names = (0..columns).map(|i| (format!("name{i}"), i == 1)).collect();
            for row in std::iter::once(names).chain(rows) {
                for (i, (cell, coin)) in row.iter().enumerate() {
                    if i > 0 {
                        text.push(delimiter);
                    }
                    let must = cell.bytes().any(|b| b == delimiter || matches!(b, b'\n' | b'\r'));
                    let must = must || cell.as_bytes().first() == Some(&quote);
                    let usual = must || cell.bytes().any(|b| b == quote);
                    let quoted = match style {
                        "minimal" => usual,
                        "always" => true,
                        _ => must || *coin,
                    };
                    if quoted {
                        cell::push_quoted(cell.as_bytes(), quote, &mut text);
                    } else {
                        text.extend_from_slice(cell.as_bytes());
                    }
                }
                text.extend_from_slice(newline);
            }
            if !last && !text.ends_with(b"\n\n") && !text.ends_with(b"\n\r\n") {
                text.truncate(text.len() - newline.len());
            }
            File { text, delimiter, quote, columns }
        })
    })
}

/// Everything that a table says, to be compared.
fn facts(input: &Input) -> String {
    format!("{:?} {:?} {:?} {}", input.table, input.names, input.dialect, input.bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cut_and_any_threads_give_the_table_of_a_plain_parser(file in files()) {
        let options = ReadOptions {
            delimiter: Some(file.delimiter),
            quote: Some(file.quote),
            header: Some(true),
            ..ReadOptions::default()
        };
        let body = file.text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&file.text);
        let records = reference(body, file.delimiter, file.quote);
        let (names, records) = (&records[0], &records[1..]);
        // Every text as it stands, and without the blanks that do not count; the file comes back from both.
        for (options, is_exact) in [(options.clone().exactly(), true), (options, false)] {
            let input = read_csv_bytes(&file.text, &options).unwrap();
            prop_assert_eq!(&input.names, names);
            prop_assert_eq!(input.table.rows, records.len());
            for (i, column) in input.table.columns.iter().enumerate() {
                let cells = records.iter().map(|record| record[i].as_str());
                let expected: Vec<&str> =
                    cells.map(|cell| if is_exact { cell } else { cell.trim() }).collect();
                prop_assert_eq!(texts(&input, &column.name), expected);
            }
            prop_assert_eq!(input.names.len(), file.columns);
            for (block, threads) in [(1, 1), (17, 3), (64, 1), (64, 2), (64, 8), (200, 3)] {
                let other = read_blocks(&file.text, &options, block, threads).unwrap();
                prop_assert_eq!(facts(&other), facts(&input));
            }
            prop_assert_eq!(write_back(&input, Format::Csv), file.text.as_slice());
        }
    }

    #[test]
    fn any_bytes_are_a_table_or_an_error_whatever_the_cut(
        text in prop::collection::vec(prop::sample::select(&b"a1,\"\n\r;\xe9 "[..]), 0..120),
    ) {
        let options = ReadOptions { delimiter: Some(b','), quote: Some(b'"'), ..ReadOptions::default() };
        let told = |outcome: Result<Input, ReadErrorKind>| match outcome {
            Ok(input) => facts(&input),
            Err(error) => error.to_string(),
        };
        let once = told(read_csv_bytes(&text, &options).map_err(|error| error.kind));
        for (block, threads) in [(1, 2), (16, 3), (64, 1)] {
            prop_assert_eq!(told(read_blocks(&text, &options, block, threads)), once.clone());
        }
    }

    #[test]
    fn any_text_goes_through_a_label(labels in prop::collection::vec("[a,\"\n\ré']{0,4}", 3)) {
        let input = read_csv_bytes(b"x,y\n1,p\n2,q\n3,r\n", &ReadOptions::default()).unwrap();
        let boxed = labels.iter().map(|label| label.as_str().into()).collect();
        let mut view = whole(&input);
        view.columns[0].labels = Some(boxed);
        let bytes = write_view(&view, Format::Csv, &Dialect::default()).unwrap();
        let options = ReadOptions {
            header: Some(true),
            delimiter: Some(b','),
            quote: Some(b'"'),
            ..ReadOptions::default().exactly()
        };
        let again = read_csv_bytes(&bytes, &options).unwrap();
        prop_assert_eq!(texts(&again, "x"), labels);
        let latin = Dialect { encoding: Encoding::Latin1, ..Dialect::default() };
        let bytes = write_view(&view, Format::Csv, &latin).unwrap();
        let options = ReadOptions { encoding: Some(Encoding::Latin1), ..options };
        let through_latin = read_csv_bytes(&bytes, &options).unwrap();
        prop_assert_eq!(texts(&through_latin, "x"), texts(&again, "x"));
    }
}

#[test]
fn large_files_come_back_byte_for_byte() {
    let mut text = b"id,group,note\n".to_vec();
    for i in 0..60_000_u32 {
        let group = i.wrapping_mul(2_654_435_761) >> 25;
        let note = if i % 97 == 0 { format!("\"n, {}\"", i % 5) } else { format!("note number {}", i % 300) };
        text.extend_from_slice(format!("{i},g{group},{note}\n").as_bytes());
    }
    let options = ReadOptions::default();
    let mut first = None;
    for threads in [1, 2, 3, 8] {
        let input = read_blocks(&text, &options, 50_000, threads).unwrap();
        assert_eq!(input.table.columns[0].domain.len(), 60_000);
        assert!(input.table.columns.iter().all(|column| matches!(column.cells, Cells::Plain)));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| write_back(&input, Format::Csv)), text);
        let codes: Vec<Vec<u32>> = input.table.columns.iter().map(|column| column.codes.clone()).collect();
        assert_eq!(first.get_or_insert(codes.clone()), &codes);
    }
    // Rows that are left out, in parallel and in order.
    let input = read_csv_bytes(&text, &options).unwrap();
    let kept: Vec<bool> = (0..60_000).map(|i| i % 3 == 0).collect();
    let view = View { kept: Some(&kept), ..whole(&input) };
    let bytes = write_view(&view, Format::Csv, &input.dialect.clone().unwrap()).unwrap();
    let lines = text.split_inclusive(|&b| b == b'\n').enumerate();
    let expected: Vec<u8> =
        lines.filter(|(i, _)| *i == 0 || (i - 1) % 3 == 0).flat_map(|(_, l)| l.to_vec()).collect();
    assert_eq!(bytes, expected);
}

#[test]
fn the_census_comes_back_byte_for_byte() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/census9/census9.csv");
    let Ok(text) = std::fs::read(&path) else {
        println!("skipped: the census is not there");
        return;
    };
    let input = read(&path, &ReadOptions::default(), &Silent).unwrap();
    assert_eq!((input.names.len(), input.bytes), (10, text.len() as u64));
    assert!(write_back(&input, Format::Csv) == text);
}

/// Item 18: in formats that tell numbers from texts, codes became numbers and dates texts.
#[test]
fn item_18_codes_stay_text_and_days_are_days() {
    use crate::{Domain, Equality};
    let column = |name: &str, texts: &[&str], equality: Equality| {
        let texts: Vec<Box<str>> = texts.iter().map(|&text| text.into()).collect();
        let (domain, codes) = Domain::by_value(texts, str::is_empty, equality);
        crate::Column { name: name.to_owned(), codes, domain, cells: Cells::Plain }
    };
    let columns = [
        column("zip", &["47011", "47012", ""], Equality::CODES),
        column("number", &["7", "-3", ""], Equality::default()),
        column("day", &["1999-12-31", "2024-02-29", ""], Equality::default()),
        column("time", &["1999-12-31T10:00:00", "2024-02-29T00:00:00", ""], Equality::default()),
    ];
    let view = View { columns: columns.iter().map(ViewColumn::unchanged).collect(), rows: 3, kept: None };
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::Parquet, Format::Arrow] {
        let path = folder.path().join("t").with_extension(format.word());
        write(std::fs::File::create(&path).unwrap(), &view, format, &Dialect::default(), &Silent).unwrap();
        let input = read(&path, &ReadOptions::default(), &Silent).unwrap();
        let kinds: Vec<String> = input
            .table
            .columns
            .iter()
            .map(|column| match &column.cells {
                Cells::Arrow(values) => values.data_type().to_string(),
                _ => "none".to_owned(),
            })
            .collect();
        assert_eq!(kinds, ["Utf8", "Int64", "Date32", "Utf8"], "{format:?}");
        assert_eq!(texts(&input, "day"), ["1999-12-31", "2024-02-29", ""]);
    }
}
