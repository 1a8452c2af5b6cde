//! The rules of reading and writing CSV, one test for each.

use super::*;
use crate::{Cancelled, Cells, Kind};
use std::sync::atomic::{AtomicU64, Ordering};

fn parse(text: &str) -> Input {
    read_csv_bytes(text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn error(text: impl AsRef<[u8]>) -> String {
    error_with(text, &ReadOptions::default())
}

fn error_with(text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    read_csv_bytes(text.as_ref(), options).unwrap_err().to_string()
}

#[test]
fn codes_are_canonical_and_missing_values_first() {
    let input = parse("age,city\n10,B\n9,\n,A\n10,B\n");
    let age = input.table.column("age").unwrap();
    assert_eq!(age.domain.kind(), Kind::Integer);
    assert_eq!(age.codes, [2, 1, 0, 2]);
    assert!(age.domain.is_missing(0));
    assert_eq!(texts(&input, "city"), ["B", "", "A", "B"]);
    assert_eq!((input.table.rows, input.bytes), (4, 25));
}

#[test]
fn missing_markers_are_those_declared() {
    let options = ReadOptions { missing: vec!["?".into(), "NA".into()], ..ReadOptions::default() };
    let text = b"a,b\n?,1\nNA,\n7,2\n";
    let exactly = options.clone().exactly();
    // Missing is one value, whichever marker stands for it, unless every text is a value of its own.
    for (options, missing, codes) in [(options, 1, [0_u32, 0, 1]), (exactly, 2, [0, 1, 2])] {
        let input = read_csv_bytes(text, &options).unwrap();
        let a = &input.table.columns[0];
        assert_eq!((a.domain.missing(), a.domain.kind()), (missing, Kind::Integer));
        assert_eq!(a.codes, codes);
        assert_eq!(a.domain.markers().collect::<Vec<_>>(), ["?", "NA"]);
        assert_eq!(input.table.columns[1].domain.missing(), 0);
        assert_eq!(write_back(&input, Format::Csv), text);
    }
}

#[test]
fn quoted_cells_hold_delimiters_newlines_and_doubled_marks() {
    let input = parse("a,b\n\"x,y\",\"1\n2\"\n\"say \"\"hi\"\"\",\"\"\n");
    assert_eq!(texts(&input, "a"), ["x,y", "say \"hi\""]);
    assert_eq!(texts(&input, "b"), ["1\n2", ""]);
}

#[test]
fn a_mark_inside_an_unquoted_cell_is_text() {
    let input = parse("a,b\n5\" pipe,x\"y\"\n\"quoted\",z\n");
    assert_eq!(texts(&input, "a"), ["5\" pipe", "quoted"]);
    assert_eq!(texts(&input, "b"), ["x\"y\"", "z"]);
}

#[test]
fn ragged_records_are_told_by_physical_line() {
    assert_eq!(
        error("a,b\n\"x\ny\",1\n2,3,4\n"),
        "line 4: 3 cells where 2 are expected; a cell that holds the delimiter needs quotation marks"
    );
    assert!(error("a,b,c\n1,2,3\n\n1,2\n").starts_with("line 4: 2 cells where 3 are expected"));
    assert!(error("a,b\n1,2\n3").starts_with("line 3: 1 cells where 2"));
    let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
    assert!(error_with("a\n1,2,\"x,\ny\",\"\"\n", &options).starts_with("line 2: 4 cells where 1"));
}

#[test]
fn malformed_quotation_marks_are_told_by_line() {
    assert!(error("a,b\n1,2\n\"x,3\n4,5\n").starts_with("line 3: the quotation mark"));
    assert!(error("a,b\n1,2\n\"x\ny\"z,3\n").starts_with("line 4: text after the closing"));
    assert!(error("\"a\"x,b\n1,2\n").starts_with("line 1: text after the closing"));
    assert!(error("a,\"b\n1,2\n").starts_with("line 1: the quotation mark"));
}

#[test]
fn encodings_are_never_guessed() {
    let latin = b"name,city\nJos\xe9,M\xfcnchen\n";
    let message = error(latin);
    assert_eq!(
        message,
        "line 2: not valid UTF-8; spreadsheets often write Windows-1252: set encoding = \"windows-1252\", or \"latin-1\" for \
         ISO 8859-1"
    );
    let options = ReadOptions { encoding: Some(Encoding::Latin1), ..ReadOptions::default() };
    let input = read_csv_bytes(latin, &options).unwrap();
    assert_eq!(texts(&input, "name"), ["José"]);
    assert_eq!(write_back(&input, Format::Csv), latin);
    assert!(error(b"n\xe9,b\n1,2\n").starts_with("line 1: not valid UTF-8"));
    assert!(error(b"\xff\xfea\0,\0").contains("UTF-16"));
    assert!(error(b"\xfe\xff\0a").contains("UTF-16"));
    // Also in columns that are not kept.
    let options = ReadOptions { columns: Some(vec!["a".into()]), ..ReadOptions::default() };
    assert!(error_with(b"a,b\n1,\xe9\n", &options).starts_with("line 2: not valid UTF-8"));
}

#[test]
fn nul_bytes_are_refused() {
    assert!(error("a,b\n1,2\n3,\0\n").starts_with("line 3: a NUL byte"));
    assert!(error("a\0,b\n1,2\n").starts_with("line 1: a NUL byte"));
}

#[test]
fn a_lone_carriage_return_is_refused() {
    assert!(error("a,b\r1,2\r").contains("carriage return"));
    assert!(error("a,b\n1,2\r3,4\n").contains("carriage return"));
    assert!(error("a,b\r\n1,\"2\"\r").starts_with("line 2: a carriage return"));
    assert!(error("a,b\r\n1,2\r").starts_with("line 2: a carriage return"));
    assert!(error("a,b\n1\r,\"2\"\n").starts_with("line 2: a carriage return"));
    assert!(error("a\r\r\n1\n").starts_with("line 1: a carriage return"));
    let long = format!("a,b\r{}", "1,2\r".repeat(100_000));
    assert!(error(long).starts_with("line 1: a carriage return"));
    assert_eq!(texts(&parse("a,b\n1,\"x\ry\"\n"), "b"), ["x\ry"]);
}

#[test]
fn the_first_fault_is_the_one_that_is_told() {
    let text = b"a,b\n1,2\n3\n4,\xff\n5,\0\n\"x";
    assert!(error(text).starts_with("line 3: 1 cells"));
    let text = b"a,b\n1,2\n4,\xff\n5,\0\n\"x";
    assert!(error(text).starts_with("line 3: not valid UTF-8"));
    for (block, threads) in [(1, 1), (4, 3), (8, 2), (1000, 2)] {
        let found = read_blocks(text, &ReadOptions::default(), block, threads).unwrap_err();
        assert!(found.to_string().starts_with("line 3: not valid UTF-8"), "{block} {threads}");
    }
}

#[test]
fn byte_order_mark_line_ends_and_missing_last_line_end_are_remembered() {
    for text in [
        "\u{feff}a,b\r\n1,2\r\n",
        "a,b\n1,2",
        "a,b\r\n1,2",
        "a,b\n",
        "a,b",
        "a;b\n1;2\n",
        "a\tb\n1\t\n",
        "a\n\nx\n",
        "a\nx\n\n",
        "a\r\n\r\nx\r\n",
    ] {
        let input = parse(text);
        assert_eq!(String::from_utf8(write_back(&input, Format::Csv)).unwrap(), text);
    }
    let dialect = parse("\u{feff}a,b\r\n1,2").dialect.unwrap();
    assert!(dialect.byte_order_mark && !dialect.final_newline);
    assert_eq!(dialect.newline, Newline::CrLf);
    assert_eq!(parse("\u{feff}a,b\n").names, ["a", "b"]);
}

#[test]
fn blank_lines_are_cells_only_in_a_table_of_one_column() {
    assert_eq!(parse("a,b\n\n1,2\n\r\n\n3,4\n\n").table.rows, 2);
    assert_eq!(parse("\n\r\na,b\n1,2\n").names, ["a", "b"]);
    assert!(error("\n\na,b\n1,2\n1\n").starts_with("line 5:"));
    assert_eq!(texts(&parse("a\nx\n\ny\n\n"), "a"), ["x", "", "y", ""]);
}

#[test]
fn files_without_records() {
    assert!(error("").contains("empty"));
    assert!(error("\u{feff}").contains("empty"));
    assert_eq!(parse("a,b\n").table.rows, 0);
    assert_eq!(parse("a,b").table.rows, 0);
    assert_eq!(parse("a,b").table.columns[1].domain.len(), 0);
}

#[test]
fn columns_without_a_header_are_numbered() {
    let input = parse("1,x\n2,y\n");
    assert_eq!(input.names, ["column1", "column2"]);
    assert_eq!(texts(&input, "column1"), ["1", "2"]);
    assert_eq!(write_back(&input, Format::Csv), b"1,x\n2,y\n");
    let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
    assert_eq!(read_csv_bytes(b"1,x\n2,y\n", &options).unwrap().names, ["1", "x"]);
}

#[test]
fn names_must_be_there_and_differ() {
    let message = error("a,,b,\nx,1,z,w\n");
    assert!(message.starts_with("the header gives no name to column 2 and 4;"), "{message}");
    let message = error("id,x,id,id\na,b,c,4\n");
    assert!(message.starts_with("the header gives the same name to columns 1, 3 and 4;"), "{message}");
    assert!(message.contains("header = false"));
    // All of them at once.
    let message = error("id,x,id,,x,y\n1,2,3,4,5,6\n");
    let expected =
        "the header gives the same name to columns 1 and 3, to columns 2 and 5, and none to column 4;";
    assert!(message.starts_with(expected), "{message}");
}

/// Spreadsheets put titles above tables and write Windows-1252.
#[test]
fn lines_above_the_header_are_skipped_and_windows_1252_is_read() {
    let text = b"Ward \x80\n\nname;cost \x80\nJos\xe9;5\nRen\xe9e;7";
    let options = ReadOptions { skip: 1, encoding: Some(Encoding::Windows1252), ..ReadOptions::default() };
    let input = read_csv_bytes(text, &options).unwrap();
    assert_eq!(input.names, ["name", "cost €"]);
    assert_eq!(texts(&input, "name"), ["José", "Renée"]);
    assert_eq!(String::from_utf8(write_back(&input, Format::Csv)).unwrap(), "name;cost €\nJosé;5\nRenée;7");
    let far = ReadOptions { skip: 9, ..options };
    assert!(error_with(text, &far).contains("`skip` leaves out the first 9 lines"));
    let late = format!("{}a,b\n1,2\n3,x,4\n", "\"\n".repeat(100_000));
    let options = ReadOptions { skip: 100_000, ..ReadOptions::default() };
    assert!(error_with(late, &options).starts_with("line 100003: 3 cells where 2"));
}

#[test]
fn columns_that_are_not_kept_are_checked_and_dropped() {
    let options = ReadOptions { columns: Some(vec!["c".into(), "a".into()]), ..ReadOptions::default() };
    let input = read_csv_bytes(b"a,b,c\n1,2,3\n4,5,6\n", &options).unwrap();
    assert_eq!(input.names, ["a", "b", "c"]);
    assert_eq!(input.table.columns.iter().map(|c| &c.name).collect::<Vec<_>>(), ["a", "c"]);
    assert!(error_with("a,b,c\n1,\"2\"x,3\n", &options).starts_with("line 2: text after"));
    assert_eq!(error_with("a,b\n1,2\n", &options), "there is no column `c` among the 2 columns of the file");
    let none = ReadOptions { columns: Some(Vec::new()), ..ReadOptions::default() };
    assert_eq!(read_csv_bytes(b"a,b\n1,2\n4,5\n", &none).unwrap().table.rows, 2);
}

#[test]
fn quotation_marks_that_follow_no_rule_are_remembered() {
    let text = "\"id\",na\"me,\"a,b\",c\n\"1\",\"x\",\"p\",q\n\"2\",y,\"q\",\"r,s\"\n\"3\",x,,q\n";
    let input = parse(text);
    assert!(matches!(input.table.columns[0].cells, Cells::Quoted));
    assert!(matches!(input.table.columns[1].cells, Cells::Verbatim { .. }));
    assert!(matches!(input.table.columns[2].cells, Cells::Quoted));
    assert!(matches!(input.table.columns[3].cells, Cells::Plain));
    assert_eq!(texts(&input, "na\"me"), ["x", "y", "x"]);
    assert_eq!(input.table.columns[1].domain.len(), 2);
    assert_eq!(String::from_utf8(write_back(&input, Format::Csv)).unwrap(), text);
    // In another dialect the cells still say the same.
    let dialect = Dialect { delimiter: b';', quote: b'\'', ..input.dialect.clone().unwrap() };
    let other = write_view(&whole(&input), Format::Csv, &dialect).unwrap();
    assert_eq!(String::from_utf8(other).unwrap(), "id;na\"me;a,b;c\n'1';x;'p';q\n'2';y;'q';r,s\n'3';x;;q\n");
}

#[test]
fn labels_are_quoted_where_needed_and_suppressed_rows_left_out() {
    let input = parse("a,b\n1,\"x\"\n2,\"y\"\n3,\"x\"\n");
    let labels = vec!["[1,2]".into(), "[1,2]".into(), "*".into()];
    let kept = [true, false, true];
    let columns = vec![
        ViewColumn::unchanged(&input.table.columns[1]),
        ViewColumn::labelled(&input.table.columns[0], labels),
    ];
    let view = View { columns, rows: 3, kept: Some(&kept) };
    let mut bytes = Vec::new();
    assert_eq!(write(&mut bytes, &view, Format::Csv, &Dialect::default(), &Silent).unwrap(), 2);
    assert_eq!(String::from_utf8(bytes).unwrap(), "b,a\n\"x\",\"[1,2]\"\n\"x\",*\n");
}

#[test]
fn a_label_that_latin_1_lacks_is_refused_without_telling_it() {
    let input = parse("a,b\nžluťoučký,1\n");
    let dialect = Dialect { encoding: Encoding::Latin1, ..Dialect::default() };
    let message = write_view(&whole(&input), Format::Csv, &dialect).unwrap_err().to_string();
    assert!(
        message.contains("column `a`") && message.contains("UTF-8") && !message.contains('ž'),
        "{message}"
    );
}

#[test]
fn a_view_that_does_not_fit_is_refused() {
    let input = parse("a,b\n1,2\n");
    let column = &input.table.columns[0];
    let none = View { columns: Vec::new(), rows: 1, kept: None };
    let wrong_rows = View { columns: vec![ViewColumn::unchanged(column)], rows: 2, kept: None };
    let labels = Some(Vec::new());
    let wrong_labels =
        View { columns: vec![ViewColumn { column, labels, codes: None }], rows: 1, kept: None };
    for view in [none, wrong_rows, wrong_labels] {
        assert!(write_view(&view, Format::Csv, &Dialect::default()).is_err());
    }
    let dialect = Dialect { quote: b',', ..Dialect::default() };
    assert!(write_view(&whole(&input), Format::Csv, &dialect).is_err());
}

#[test]
fn errors_tell_the_path_and_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    let absent = read(&path, &ReadOptions::default(), &Silent).unwrap_err().to_string();
    assert!(absent.contains("people.csv: cannot be read"), "{absent}");
    std::fs::write(&path, "name,illness\nSmith,flu\nSmith\n").unwrap();
    let ragged = read(&path, &ReadOptions::default(), &Silent).unwrap_err().to_string();
    assert!(ragged.contains("people.csv: line 3: 1 cells where 2") && !ragged.contains("Smith"));
    let unknown = read(&folder.path().join("a.xls"), &ReadOptions::default(), &Silent).unwrap_err();
    assert!(unknown.to_string().contains("format = \"csv\""));
}

struct Watcher {
    done: AtomicU64,
    stop_at: u64,
}

impl Progress for Watcher {
    fn stage(&self, name: &str, total: Option<u64>) {
        assert!(["reading", "writing"].contains(&name) && total.is_some());
    }
    fn at(&self, done: u64) {
        self.done.fetch_max(done, Ordering::Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.stop_at
    }
}

#[test]
fn progress_is_told_in_bytes_and_a_person_can_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, format!("a,b\n{}", "1,2\n".repeat(500_000))).unwrap();
    let watcher = Watcher { done: AtomicU64::new(0), stop_at: u64::MAX };
    let input = read(&path, &ReadOptions::default(), &watcher).unwrap();
    assert_eq!((watcher.done.into_inner(), input.bytes, input.table.rows), (2_000_004, 2_000_004, 500_000));
    let watcher = Watcher { done: AtomicU64::new(0), stop_at: 200_000 };
    let stopped = read(&path, &ReadOptions::default(), &watcher).unwrap_err();
    assert!(stopped.is_cancelled());
    assert!(stopped.to_string().ends_with(&Cancelled.to_string()));
    assert!(watcher.done.into_inner() < 1_500_000);
    let watcher = Watcher { done: AtomicU64::new(0), stop_at: 50_000 };
    let view = whole(&input);
    let stopped = write(std::io::sink(), &view, Format::Csv, &Dialect::default(), &watcher);
    assert!(matches!(stopped, Err(WriteError::Cancelled(_))));
}
