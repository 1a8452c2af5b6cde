//! Opens a spreadsheet and hands out the cells of one sheet: `.xlsx` by cell, `.ods` by range.
//!
//! A small file can hold more than any memory: every part of the archive is decompressed and counted before it is parsed, and what an
//! OpenDocument sheet repeats is counted before it is spread out. Messages of the libraries may quote cells and are not passed on.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use calamine::{Data, DataRef, Ods, Reader, SheetType, SheetVisible, Xlsx};
use quick_xml::events::Event;

use super::super::error::ReadErrorKind;
use super::super::guard;
use super::super::open_plain;
use super::value::Value;

/// Bytes that a cell takes while it is read.
const CELL: u64 = 64;

/// The cells of one sheet. Rows and columns are counted from 0.
pub(super) struct Cells {
    /// The name of the sheet.
    pub sheet: String,
    /// Row, column and value, ordered; no empty ones.
    pub cells: Vec<(u32, u32, Value)>,
    /// Merged cells: the first and the last row and column.
    pub merged: Vec<[u32; 4]>,
    /// Formulas that no program has computed.
    pub uncomputed: u64,
    /// Sheets that hold cells and are hidden.
    pub hidden: u64,
}

fn damaged(format: &'static str) -> ReadErrorKind {
    ReadErrorKind::Damaged { format, problem: "it is damaged, or protected by a password".to_owned() }
}

/// Reads one sheet: the one that is named, or the only one that holds anything.
pub(super) fn open(path: &Path, wanted: Option<&str>, limit: u64) -> Result<Cells, ReadErrorKind> {
    // The ending may be anything where a format is given, so the archive tells which of the two it is.
    let is_ods = measure(path, limit)?;
    let format = if is_ods { "OpenDocument" } else { "Excel" };
    guard::reading(format, || match is_ods {
        true => ods(path, wanted, limit),
        false => xlsx(path, wanted, limit),
    })
}

/// Decompresses every part without keeping it, refuses what is too large, and tells whether it is an OpenDocument file.
pub(super) fn measure(path: &Path, limit: u64) -> Result<bool, ReadErrorKind> {
    let not_one = || ReadErrorKind::Damaged {
        format: "spreadsheet",
        problem: "it is no .xlsx or .ods file; save an older .xls file as .xlsx".to_owned(),
    };
    let file = open_plain(path)?;
    guard::reading("spreadsheet", || {
        let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|_| not_one())?;
        let (mut total, mut is_ods) = (0_u64, false);
        for number in 0..archive.len() {
            let part = archive.by_index(number).map_err(|_| not_one())?;
            is_ods |= part.name().is_ok_and(|name| name == "content.xml");
            let read = std::io::copy(&mut part.take((limit - total).saturating_add(1)), &mut std::io::sink())
                .map_err(|_| damaged("spreadsheet"))?;
            total = total.saturating_add(read);
            if total > limit {
                return Err(ReadErrorKind::TooLarge { needed: total, limit });
            }
        }
        Ok(is_ods)
    })
}

/// The sheet to read of those that hold cells.
fn choose(
    filled: &[(String, bool)],
    all: &[String],
    wanted: Option<&str>,
) -> Result<(String, u64), ReadErrorKind> {
    let problem = |problem: String| Err(ReadErrorKind::Sheet { problem });
    let hidden = filled.iter().filter(|(_, visible)| !visible).count() as u64;
    if let Some(name) = wanted {
        return match filled.iter().find(|(own, _)| own == name) {
            Some((_, true)) => Ok((name.to_owned(), hidden)),
            // Asked for by its name, so it is not left out.
            Some((_, false)) => Ok((name.to_owned(), hidden - 1)),
            None if all.iter().any(|own| own == name) => problem(format!("the sheet `{name}` is empty")),
            None => problem(format!("there is no sheet `{name}`; there are: {}", all.join(", "))),
        };
    }
    let visible: Vec<&str> = filled.iter().filter(|(_, own)| *own).map(|(name, _)| name.as_str()).collect();
    match visible.as_slice() {
        [one] => Ok(((*one).to_owned(), hidden)),
        [] => problem("no sheet that can be seen holds anything; name a hidden one with `sheet`".to_owned()),
        several => problem(format!(
            "there are several sheets: {}; name one with `sheet` in [input] (init: --sheet)",
            several.join(", ")
        )),
    }
}

fn xlsx(path: &Path, wanted: Option<&str>, limit: u64) -> Result<Cells, ReadErrorKind> {
    let failed = |_| damaged("Excel");
    let mut book: Xlsx<BufReader<File>> = Xlsx::new(BufReader::new(open_plain(path)?)).map_err(failed)?;
    let is_1904 = book.has_1904_epoch();
    let sheets: Vec<(String, bool)> = book
        .sheets_metadata()
        .iter()
        .filter(|sheet| sheet.typ == SheetType::WorkSheet)
        .map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible))
        .collect();
    let mut filled = Vec::new();
    for (name, visible) in &sheets {
        let mut reader = book.worksheet_cells_reader(name).map_err(failed)?;
        while let Some(cell) = reader.next_cell().map_err(failed)? {
            if !matches!(cell.get_value(), DataRef::Empty) {
                filled.push((name.clone(), *visible));
                break;
            }
        }
    }
    let all: Vec<String> = sheets.into_iter().map(|(name, _)| name).collect();
    let (sheet, hidden) = choose(&filled, &all, wanted)?;
    let merged = book.merge_cells_by_sheet_name(&sheet).map_err(failed)?;
    let merged = merged.iter().map(|own| [own.start.0, own.start.1, own.end.0, own.end.1]).collect();
    let mut reader = book.worksheet_cells_reader(&sheet).map_err(failed)?;
    let (mut cells, mut uncomputed, mut bytes) = (BTreeMap::new(), 0, 0);
    while let Some(cell) = reader.next_cell_with_formula_metadata().map_err(failed)? {
        let value = match cell.value {
            DataRef::Empty => {
                uncomputed += u64::from(cell.formula.is_some());
                continue;
            }
            DataRef::SharedString(text) => Value::Text(text.to_owned()),
            other => Value::of(other.into(), is_1904),
        };
        bytes += CELL + value.extra();
        if bytes > limit {
            return Err(ReadErrorKind::TooLarge { needed: bytes, limit });
        }
        if !value.is_blank() {
            cells.insert(cell.pos, value);
        }
    }
    let cells = cells.into_iter().map(|((row, column), value)| (row, column, value)).collect();
    Ok(Cells { sheet, cells, merged, uncomputed, hidden })
}

fn ods(path: &Path, wanted: Option<&str>, limit: u64) -> Result<Cells, ReadErrorKind> {
    let failed = |_| damaged("OpenDocument");
    let spans = spans(path, limit)?;
    let mut book: Ods<BufReader<File>> = Ods::new(BufReader::new(open_plain(path)?)).map_err(failed)?;
    let sheets: Vec<(String, bool)> = book
        .sheets_metadata()
        .iter()
        .map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible))
        .collect();
    let mut filled = Vec::new();
    for (name, visible) in &sheets {
        if book.worksheet_range(name).map_err(failed)?.used_cells().next().is_some() {
            filled.push((name.clone(), *visible));
        }
    }
    let all: Vec<String> = sheets.into_iter().map(|(name, _)| name).collect();
    let (sheet, hidden) = choose(&filled, &all, wanted)?;
    let range = book.worksheet_range(&sheet).map_err(failed)?;
    let (top, left) = range.start().unwrap_or_default();
    let cells = range
        .used_cells()
        .filter(|(_, _, data)| !matches!(data, Data::Empty))
        .map(|(row, column, data)| (row as u32 + top, column as u32 + left, Value::of(data.clone(), false)))
        .filter(|(_, _, value)| !value.is_blank())
        .collect();
    let merged = spans.into_iter().find(|(name, _)| *name == sheet).map(|(_, own)| own).unwrap_or_default();
    Ok(Cells { sheet, cells, merged, uncomputed: 0, hidden })
}

/// The merged cells of each sheet of an OpenDocument file. Also refuses what repeats more cells than memory is meant to hold.
fn spans(path: &Path, limit: u64) -> Result<Vec<(String, Vec<[u32; 4]>)>, ReadErrorKind> {
    let bad = || damaged("OpenDocument");
    let mut archive = zip::ZipArchive::new(BufReader::new(open_plain(path)?)).map_err(|_| bad())?;
    let content = archive.by_name("content.xml").map_err(|_| bad())?;
    let mut reader = quick_xml::Reader::from_reader(BufReader::new(content));
    let (mut sheets, mut buffer) = (Vec::<(String, Vec<[u32; 4]>)>::new(), Vec::new());
    // Of the current row: its number, how often it stands, its next column, and the cells that hold something.
    let (mut row, mut rows, mut column, mut used, mut total) = (0_u64, 1_u64, 0_u64, 0_u64, 0_u64);
    loop {
        let event = reader.read_event_into(&mut buffer).map_err(|_| bad())?;
        let (element, is_start) = match &event {
            Event::Start(element) => (element, true),
            Event::Empty(element) => (element, false),
            Event::End(element) => {
                if element.name().as_ref() == "table:table-row" {
                    total = total.saturating_add(used.saturating_mul(rows).saturating_mul(CELL));
                    if total > limit {
                        return Err(ReadErrorKind::TooLarge { needed: total, limit });
                    }
                    row += rows;
                }
                buffer.clear();
                continue;
            }
            Event::Eof => return Ok(sheets),
            _ => {
                buffer.clear();
                continue;
            }
        };
        let mut read: [Option<String>; 5] = Default::default();
        let mut holds = false;
        for attribute in element.attributes() {
            let attribute = attribute.map_err(|_| bad())?;
            let place = match attribute.key.as_ref() {
                "table:name" => 0,
                "table:number-rows-repeated" => 1,
                "table:number-columns-repeated" => 2,
                "table:number-rows-spanned" => 3,
                "table:number-columns-spanned" => 4,
                "office:value-type" | "table:formula" => {
                    holds = true;
                    continue;
                }
                _ => continue,
            };
            let text = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).map_err(|_| bad())?;
            read[place] = Some(text.into_owned());
        }
        let number = |place: usize| -> u64 {
            read[place].as_deref().and_then(|text| text.parse().ok()).unwrap_or(1).clamp(1, 1 << 24)
        };
        match element.name().as_ref() {
            "table:table" => {
                sheets.push((read[0].clone().unwrap_or_default(), Vec::new()));
                row = 0;
            }
            "table:table-row" => {
                (rows, column, used) = (number(1), 0, 0);
                if !is_start {
                    row += rows;
                }
            }
            "table:table-cell" | "table:covered-table-cell" => {
                let (down, right) = (number(3), number(4));
                if down > 1 || right > 1 {
                    let [row, column, down, right] = [row, column, row + down - 1, column + right - 1]
                        .map(|own| u32::try_from(own).unwrap_or(u32::MAX));
                    sheets.last_mut().ok_or_else(bad)?.1.push([row, column, down, right]);
                }
                column += number(2);
                if holds {
                    used += number(2);
                }
            }
            _ => {}
        }
        buffer.clear();
    }
}
