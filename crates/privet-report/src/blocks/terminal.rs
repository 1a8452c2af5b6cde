//! The same page as plain text for a terminal; pictures are told by their captions.

use privet_kind::page::{Chart, Level, Table};
use privet_kind::{Block, Page};

use super::written;

/// A page as text.
#[must_use]
pub fn text(page: &Page) -> String {
    let mark = match page.verdict.level {
        Level::Good => "ok",
        Level::Warning => "look",
        Level::Bad => "FAIL",
    };
    let mut out = format!("{}\n{}\n\n{mark}: {}\n", page.title, page.subtitle, page.verdict.text);
    for point in &page.verdict.points {
        put!(out, "  - {point}\n");
    }
    for section in page.sections.iter().filter(|section| !section.folded) {
        put!(out, "\n{}\n", section.title);
        section.blocks.iter().for_each(|block| write_block(block, &mut out));
    }
    out
}

fn write_block(block: &Block, out: &mut String) {
    match block {
        Block::Text { text } => put!(out, "  {text}\n"),
        Block::List { items } => items.iter().for_each(|item| put!(out, "  - {item}\n")),
        Block::Remark { note } => put!(out, "  {}\n", note.text),
        Block::Table(own) => table(own, out),
        Block::Chart(own) => chart(own, out),
        Block::Drawing(own) => put!(out, "  {}: {}\n", own.caption, own.description),
        _ => {}
    }
}

fn chart(chart: &Chart, out: &mut String) {
    put!(out, "  {}\n", chart.caption);
    for series in &chart.series {
        let step = series.points.len().div_ceil(8).max(1);
        let points: Vec<String> = (series.points.iter().step_by(step))
            .map(|(x, y)| format!("{}: {}", crate::text::number(*x), crate::text::number(*y)))
            .collect();
        put!(out, "    {}  {}\n", series.name, points.join(", "));
    }
}

fn table(table: &Table, out: &mut String) {
    let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(written).collect()).collect();
    let width = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).chain(table.columns.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    put!(out, "  {}\n", table.caption);
    for row in std::iter::once(&table.columns).chain(&rows) {
        let cells: Vec<String> = (row.iter().zip(&widths).enumerate())
            .map(|(at, (cell, &width))| match at {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        put!(out, "    {}\n", cells.join("  ").trim_end());
    }
}
