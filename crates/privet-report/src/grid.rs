//! The drawing of a table of counts: the more records a cell counts, the darker it is; hidden cells are hatched.

use crate::Grid;
use crate::svg::{figure, open, view_box};
use crate::text::{count, escape, short_count};

/// The size of a cell, and of a label at most.
const CELL: f64 = 34.0;
const DENSE: f64 = 15.0;
const LABEL: f64 = 120.0;
/// Above this many labels cells have no room for their counts.
const ROOMY: usize = 14;
/// Labels longer than this are cut; the table of the release has them whole.
const LONGEST: usize = 18;
/// How much larger than its own units a drawing gets where there is room: figures stay about as large as the text beside them.
const LARGEST: f64 = 1.3;

/// Draws a table. The title and the description are markup.
pub(crate) fn draw(id: &str, title: &str, description: &str, grid: &Grid) -> String {
    let (rows, columns) = (grid.rows.len(), grid.columns.len());
    let is_roomy = rows.max(columns) <= ROOMY;
    let side = if is_roomy { CELL } else { DENSE };
    let (left, top) = (room(&grid.rows), room(&grid.columns));
    let (width, height) = (left + columns as f64 * side + 2.0, top + rows as f64 * side + 2.0);
    // A size of its own, so that a table of few columns is not blown up to the width of the page.
    let size =
        format!("width=\"{}\" {}", figure(width.ceil() * LARGEST), view_box(width.ceil(), height.ceil()));
    let mut out = open(id, "grid", &size, title, description);
    let is_total = |row: usize, column: usize| row + 1 == rows || column + 1 == columns;
    let inner = (0..rows * columns).filter(|cell| !is_total(cell / columns, cell % columns));
    let greatest = inner.filter_map(|cell| grid.counts.get(cell).copied().flatten()).max().unwrap_or(0);
    for (row, label) in grid.rows.iter().enumerate() {
        let y = top + (row as f64 + 0.5) * side + 4.0;
        put!(
            out,
            "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            figure(left - 6.0),
            figure(y),
            cut(label)
        );
    }
    for (column, label) in grid.columns.iter().enumerate() {
        let x = left + (column as f64 + 0.5) * side + 4.0;
        put!(
            out,
            "<text class=\"tick\" x=\"{0}\" y=\"{1}\" transform=\"rotate(-90 {0} {1})\">{2}</text>",
            figure(x),
            figure(top - 6.0),
            cut(label)
        );
    }
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (left + column as f64 * side, top + row as f64 * side);
            let cell = grid.counts.get(row * columns + column).copied().flatten();
            let (class, opacity) = match cell {
                None => ("hatched", 1.0),
                Some(_) if is_total(row, column) => ("empty", 1.0),
                // Areas are compared better than shades, so shades follow the root.
                Some(n) if greatest > 0 => ("solid", (n as f64 / greatest as f64).sqrt() * 0.85),
                Some(_) => ("solid", 0.0),
            };
            put!(
                out,
                "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{2}\" height=\"{2}\" fill-opacity=\"{3}\"/>",
                figure(x + 1.0),
                figure(y + 1.0),
                figure(side - 2.0),
                figure(opacity)
            );
            if let Some(n) = cell.filter(|_| is_roomy) {
                put!(
                    out,
                    "<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                    if opacity > 0.6 && !is_total(row, column) { "paper" } else { "value" },
                    figure(x + side / 2.0),
                    figure(y + side / 2.0 + 4.0),
                    short_count(n)
                );
            }
        }
    }
    out.push_str("</svg>");
    out
}

/// The room that labels take, the longest of them.
fn room(labels: &[String]) -> f64 {
    const CHARACTER: f64 = 6.8;
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    (longest as f64 * CHARACTER + 12.0).clamp(60.0, LABEL)
}

fn cut(label: &str) -> String {
    let label = if label.is_empty() { "(empty)" } else { label };
    match label.char_indices().nth(LONGEST) {
        None => escape(label),
        Some((end, _)) => format!("{}…", escape(&label[..end])),
    }
}

/// What the drawing is called.
pub(crate) fn title(grid: &Grid) -> &'static str {
    if grid.counts.iter().any(Option::is_none) { "Counts and hidden cells" } else { "Counts" }
}

/// What the drawing shows, for those who do not see it.
pub(crate) fn described(grid: &Grid) -> String {
    let hidden = grid.counts.iter().filter(|count| count.is_none()).count() as u64;
    format!(
        "{} rows and {} columns with their totals; {} of {} cells are hidden.",
        count(grid.rows.len().saturating_sub(1) as u64),
        count(grid.columns.len().saturating_sub(1) as u64),
        count(hidden),
        count(grid.counts.len() as u64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_few_columns_stays_small() {
        let grid = |rows: usize, columns: usize| Grid {
            table: 0,
            rows: (0..rows).map(|row| if row == 0 { String::new() } else { row.to_string() }).collect(),
            columns: (0..columns).map(|column| column.to_string()).collect(),
            counts: vec![Some(7); rows * columns],
        };
        let drawing = draw("g", "t", "d", &grid(9, 3));
        // Three cells of 34 units beside labels of 60.
        assert!(drawing.contains("width=\"213.2\" viewBox=\"0 0 164 "), "{drawing}");
        assert!(drawing.contains(">(empty)</text>"), "a missing value has a name: {drawing}");
        let style = include_str!("page.css");
        assert!(
            style.contains(".grid { max-width: 100%; height: auto; }"),
            "it never grows to the page's width"
        );
        let print = style.split("@media print").nth(1).unwrap_or_default();
        assert!(print.contains(".grid { max-height:"), "a printed table fits its page");
    }
}
