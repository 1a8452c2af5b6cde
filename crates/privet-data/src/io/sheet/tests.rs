//! Sheets that were made by the field's writer, and what is read from them.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rust_xlsxwriter::{ExcelDateTime, Format as CellFormat, Formula, Workbook, Worksheet};

use crate::io::{
    Dialect, Format, ReadOptions, Spelling, View, ViewColumn, lines_above, place_of, read, write,
};
use crate::{Notice, Progress, Silent, Table};

/// Keeps what it is told.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Progress for Told {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn notice(&self, notice: Notice) {
        self.0.lock().unwrap().push(notice.to_string());
    }
}

struct Book {
    folder: tempfile::TempDir,
    book: Workbook,
}

impl Book {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), book: Workbook::new() }
    }

    /// A workbook of one sheet with these texts; a text that is a number becomes one.
    fn of(rows: &[&[&str]]) -> Self {
        let mut own = Self::new();
        fill(own.book.add_worksheet(), rows);
        own
    }

    fn save(&mut self) -> PathBuf {
        let path = self.folder.path().join("data.xlsx");
        self.book.save(&path).unwrap();
        path
    }
}

fn fill(sheet: &mut Worksheet, rows: &[&[&str]]) {
    for (row, cells) in (0..).zip(rows) {
        for (column, text) in (0..).zip(*cells) {
            match text.parse::<f64>() {
                Ok(number) => _ = sheet.write_number(row, column, number).unwrap(),
                Err(_) if text.is_empty() => {}
                // An apostrophe makes a text of digits a text.
                Err(_) => _ = sheet.write_string(row, column, text.trim_start_matches('\'')).unwrap(),
            }
        }
    }
}

fn texts(table: &Table) -> Vec<Vec<&str>> {
    (0..table.rows)
        .map(|row| table.columns.iter().map(|own| own.domain.text(own.codes[row])).collect())
        .collect()
}

fn error(path: &Path, options: &ReadOptions) -> String {
    read(path, options, &Silent).unwrap_err().to_string()
}

#[test]
fn a_sheet_is_read_with_dates_truths_and_numbers() {
    let mut own =
        Book::of(&[&["name", "born", "cost", "ill"], &["Ann", "", "12.5"], &["Ben", "", "1000000"]]);
    let day = CellFormat::new().set_num_format("dd.mm.yyyy");
    let sheet = own.book.worksheet_from_index(0).unwrap();
    for (row, date) in [(1, (1984, 2, 29)), (2, (2001, 12, 31))] {
        let date = ExcelDateTime::from_ymd(date.0, date.1, date.2).unwrap();
        sheet.write_datetime_with_format(row, 1, date, &day).unwrap();
        sheet.write_boolean(row, 3, row == 1).unwrap();
    }
    let path = own.save();
    let told = Told::default();
    let input = read(&path, &ReadOptions::default(), &told).unwrap();
    assert_eq!(input.names, ["name", "born", "cost", "ill"]);
    assert_eq!(input.format, Format::Xlsx);
    assert_eq!(
        texts(&input.table),
        [["Ann", "1984-02-29", "12.5", "true"], ["Ben", "2001-12-31", "1000000", "false"]]
    );
    assert_eq!(*told.0.lock().unwrap(), [] as [&str; 0]);
    assert_eq!(place_of(&path, &ReadOptions::default(), 1), "row 3");
}

#[test]
fn titles_empty_rows_and_empty_columns_are_reported() {
    let mut own = Book::of(&[
        &["Admissions 2026"],
        &[],
        &["age", "", "city"],
        &["31", "", "Ulm"],
        &[],
        &["32", "", "Bonn"],
    ]);
    let path = own.save();
    assert!(error(&path, &ReadOptions::default()).contains("no name to column C"));
    let skip = lines_above(&path, &ReadOptions::default()).unwrap();
    assert_eq!(skip, 1);
    let told = Told::default();
    let options = ReadOptions { skip, ..ReadOptions::default() };
    let input = read(&path, &options, &told).unwrap();
    assert_eq!(texts(&input.table), [["31", "Ulm"], ["32", "Bonn"]]);
    assert_eq!(place_of(&path, &options, 1), "row 6");
    let told = told.0.into_inner().unwrap().join("\n");
    assert!(told.contains("empty columns are left out: B"), "{told}");
    assert!(told.contains("1 empty rows"), "{told}");
}

#[test]
fn a_merged_header_is_joined_and_merged_records_are_refused() {
    let mut own = Book::of(&[
        &["id", "blood pressure", "", "city"],
        &["", "high", "low", ""],
        &["1", "120", "80", "Ulm"],
        &["2", "130", "85", "Bonn"],
    ]);
    let plain = CellFormat::new();
    own.book.worksheet_from_index(0).unwrap().merge_range(0, 1, 0, 2, "blood pressure", &plain).unwrap();
    let told = Told::default();
    let input = read(&own.save(), &ReadOptions::default(), &told).unwrap();
    assert_eq!(input.names, ["id", "blood pressure high", "blood pressure low", "city"]);
    assert_eq!(input.table.rows, 2);
    assert!(told.0.into_inner().unwrap().join("\n").contains("names are joined"));

    let mut own = Book::of(&[&["id", "city"], &["1", "Ulm"], &["2", ""]]);
    own.book.worksheet_from_index(0).unwrap().merge_range(1, 1, 2, 1, "Ulm", &plain).unwrap();
    let found = error(&own.save(), &ReadOptions::default());
    assert!(found.contains("merged (from B2)") && !found.contains("Ulm"), "{found}");

    let mut own = Book::of(&[&["", ""], &["id", "city"], &["1", "Ulm"]]);
    own.book.worksheet_from_index(0).unwrap().merge_range(0, 0, 0, 1, "Title", &plain).unwrap();
    let path = own.save();
    assert!(error(&path, &ReadOptions::default()).contains("a title; leave it out with skip = 1"));
    let options = ReadOptions { skip: 1, ..ReadOptions::default() };
    assert_eq!(read(&path, &options, &Silent).unwrap().names, ["id", "city"]);
    assert_eq!(lines_above(&path, &ReadOptions::default()).unwrap(), 1);
}

#[test]
fn one_of_several_sheets_is_named() {
    let mut own = Book::of(&[&["age", "city"], &["31", "Ulm"]]);
    fill(own.book.add_worksheet().set_name("Other").unwrap(), &[&["x", "y"], &["1", "a"]]);
    own.book.add_worksheet().set_name("Empty").unwrap();
    let path = own.save();
    let found = error(&path, &ReadOptions::default());
    assert!(found.contains("several sheets: Sheet1, Other;"), "{found}");
    let named = |name: &str| ReadOptions { sheet: Some(name.to_owned()), ..ReadOptions::default() };
    assert_eq!(read(&path, &named("Other"), &Silent).unwrap().names, ["x", "y"]);
    assert!(error(&path, &named("Empty")).contains("is empty"));
    assert!(error(&path, &named("None")).contains("there are: Sheet1, Other, Empty"));

    let mut own = Book::of(&[&["age", "city"], &["31", "Ulm"]]);
    let sheet = own.book.add_worksheet().set_hidden(true);
    fill(sheet, &[&["x", "y"], &["1", "a"]]);
    let told = Told::default();
    assert_eq!(read(&own.save(), &ReadOptions::default(), &told).unwrap().names, ["age", "city"]);
    assert!(told.0.into_inner().unwrap().join("").contains("1 hidden sheets"));
}

#[test]
fn duplicate_headers_are_refused_by_their_letters() {
    let mut own = Book::of(&[&["age", "city", "age"], &["31", "Ulm", "32"]]);
    assert!(error(&own.save(), &ReadOptions::default()).contains("columns A and C have the same name"));
}

/// `1.234` is a number of this sheet, and would be another one where commas are decimal marks.
#[test]
fn numbers_beside_texts_that_are_numbers_are_never_mixed_up() {
    let rows: &[&[&str]] = &[&["cost", "city"], &["1.234", "Ulm"], &["'2,5", "Bonn"], &["'7", "Kiel"]];
    let path = Book::of(rows);
    let mut own = path;
    let path = own.save();
    let found = error(&path, &ReadOptions::default());
    assert!(found.contains("column `cost` holds numbers, and texts that are numbers"), "{found}");
    assert!(found.contains("first in row 3"), "{found}");
    let mut options = ReadOptions::default();
    options.spelling_of.insert("cost".to_owned(), Spelling::DecimalComma);
    let input = read(&path, &options, &Silent).unwrap();
    assert_eq!(texts(&input.table), [["1.234", "Ulm"], ["2.5", "Bonn"], ["7", "Kiel"]]);
}

#[test]
fn texts_with_decimal_commas_are_read_by_their_spelling() {
    let mut own = Book::of(&[&["cost"], &["'1.234,50"], &["'7,00"]]);
    let path = own.save();
    let mut options = ReadOptions { header: Some(true), ..ReadOptions::default() };
    options.spelling_of.insert("cost".to_owned(), Spelling::DecimalComma);
    assert_eq!(texts(&read(&path, &options, &Silent).unwrap().table), [["1234.50"], ["7.00"]]);
}

/// Columns without names are called by their numbers, and have their spelling by these.
#[test]
fn a_sheet_without_a_header_is_read_by_its_numbers() {
    let mut own = Book::of(&[&["1.234", "5"], &["'2,5", "6"], &["7", "8"]]);
    let path = own.save();
    let mut options = ReadOptions { header: Some(false), ..ReadOptions::default() };
    assert!(error(&path, &options).contains("texts that are numbers"));
    options.spelling_of.insert("column1".to_owned(), Spelling::DecimalComma);
    assert_eq!(
        texts(&read(&path, &options, &Silent).unwrap().table),
        [["1.234", "5"], ["2.5", "6"], ["7", "8"]]
    );
}

#[test]
fn dates_without_a_format_errors_and_numbers_as_texts_are_told() {
    let mut own = Book::of(&[&["birth date", "cost"], &["30000", "'12"], &["31000", "13"]]);
    own.book.worksheet_from_index(0).unwrap().write_string(3, 0, "x").unwrap();
    let told = Told::default();
    read(&own.save(), &ReadOptions::default(), &told).unwrap();
    let first = told.0.into_inner().unwrap().join("\n");
    assert!(first.contains("column `cost` holds 1 numbers that are stored as texts"), "{first}");
    assert!(!first.contains("without a date format"), "{first}");
    let mut own = Book::of(&[&["birth date", "cost"], &["30000", "12"], &["31000", "13"]]);
    let told = Told::default();
    read(&own.save(), &ReadOptions::default(), &told).unwrap();
    let first = told.0.into_inner().unwrap().join("\n");
    assert!(first.contains("`birth date` (A) may hold dates without a date format"), "{first}");
}

#[test]
fn formulas_give_their_results_and_what_was_never_computed_is_refused() {
    let mut own = Book::of(&[&["a", "b"], &["1", ""]]);
    let sheet = own.book.worksheet_from_index(0).unwrap();
    sheet.write_formula(1, 1, Formula::new("=A2*2").set_result("2")).unwrap();
    assert_eq!(texts(&read(&own.save(), &ReadOptions::default(), &Silent).unwrap().table), [["1", "2"]]);
}

#[test]
fn what_is_written_is_read_back_and_is_the_same_every_time() {
    let csv = "code,age,text,note\n00123,31,=1+1,\n00124,1e5,\"a,b\",x\n00123,31.50,Ulm,\n";
    let input = crate::io::read_csv_bytes(csv.as_bytes(), &ReadOptions::default()).unwrap();
    let columns = input.table.columns.iter().map(ViewColumn::unchanged).collect();
    let kept = [true, true, true];
    let view = View { columns, rows: 3, kept: Some(&kept) };
    let dialect = Dialect::default();
    let bytes = || {
        let mut bytes = Vec::new();
        assert_eq!(write(&mut bytes, &view, Format::Xlsx, &dialect, &Silent).unwrap(), 3);
        bytes
    };
    let first = bytes();
    assert_eq!(first, bytes());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.xlsx");
    std::fs::write(&path, first).unwrap();
    let options = ReadOptions { header: Some(true), ..ReadOptions::default() }.exactly();
    let again = read(&path, &options, &Silent).unwrap();
    assert_eq!(
        texts(&again.table),
        [["00123", "31", "=1+1", ""], ["00124", "1e5", "a,b", "x"], ["00123", "31.50", "Ulm", ""]]
    );
}

/// A workbook of OpenDocument with this sheet.
fn ods(rows: &str) -> (tempfile::TempDir, PathBuf) {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.ods");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut add = |name: &str, text: &str| {
        archive.start_file(name, stored).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    };
    add("mimetype", "application/vnd.oasis.opendocument.spreadsheet");
    add(
        "META-INF/manifest.xml",
        "<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"/>",
    );
    add(
        "content.xml",
        &format!(
            "<?xml version=\"1.0\"?><office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\"><office:body>\
             <office:spreadsheet><table:table table:name=\"One\">{rows}</table:table></office:spreadsheet></office:body>\
             </office:document-content>"
        ),
    );
    archive.finish().unwrap();
    (folder, path)
}

const TEXT: &str = "<table:table-cell office:value-type=\"string\"><text:p>TEXT</text:p></table:table-cell>";

#[test]
fn an_opendocument_sheet_is_read() {
    let text = |own: &str| TEXT.replace("TEXT", own);
    let rows = format!(
        "<table:table-row>{}{}{}</table:table-row><table:table-row>{}<table:table-cell office:value-type=\"date\" \
         office:date-value=\"1984-02-29\"/><table:table-cell office:value-type=\"float\" office:value=\"12.5\"/></table:table-row>",
        text("name"),
        text("born"),
        text("cost"),
        text("Ann")
    );
    let (_folder, path) = ods(&rows);
    let input = read(&path, &ReadOptions::default(), &Silent).unwrap();
    assert_eq!(input.names, ["name", "born", "cost"]);
    assert_eq!(texts(&input.table), [["Ann", "1984-02-29", "12.5"]]);
    let rows = rows.replacen(
        "office:value-type=\"date\"",
        "office:value-type=\"date\" table:number-rows-spanned=\"2\"",
        1,
    );
    let (_folder, path) = ods(&rows);
    assert!(error(&path, &ReadOptions::default()).contains("merged (from B2)"));
}

/// A few bytes would become more cells than any memory holds.
#[test]
fn what_repeats_too_much_is_refused_before_it_is_spread_out() {
    let cell = TEXT.replace("office:value-type", "table:number-columns-repeated=\"16000\" office:value-type");
    let (_folder, path) =
        ods(&format!("<table:table-row table:number-rows-repeated=\"1000000\">{cell}</table:table-row>"));
    let options = ReadOptions { max_input: Some(1 << 30), ..ReadOptions::default() };
    let failure = read(&path, &options, &Silent).unwrap_err();
    assert!(failure.is_resources(), "{failure}");
}

#[test]
fn what_is_no_spreadsheet_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.xlsx");
    for bytes in [&b"not a zip"[..], b"", b"PK\x03\x04rubbish"] {
        std::fs::write(&path, bytes).unwrap();
        assert!(error(&path, &ReadOptions::default()).contains("no .xlsx or .ods file"));
    }
    let mut own = Book::of(&[&["age"], &["31"]]);
    let mut bytes = std::fs::read(own.save()).unwrap();
    // Every byte in turn: an error or a table, and never a panic.
    for at in (0..bytes.len()).step_by(97) {
        bytes[at] ^= 0x55;
        std::fs::write(&path, &bytes).unwrap();
        // why: which of the two it is does not matter
        let _ = read(&path, &ReadOptions { max_input: Some(1 << 26), ..ReadOptions::default() }, &Silent);
        bytes[at] ^= 0x55;
    }
}
