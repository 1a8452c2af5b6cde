//! How strongly columns go together, as squares: the larger, the stronger. The original below the diagonal, the release
//! above it, so that a release that kept everything is its own mirror image.

use crate::svg::{figure, open, proper, view_box};
use crate::text::escape;

const CELL: f64 = 21.0;
const LABEL: f64 = 142.0;
const TOP: f64 = 20.0;
/// Names longer than this are cut in the middle, since names that are alike mostly differ at an end.
const LONGEST: usize = 16;

/// One pair: the indices of its columns, its strength before and after.
pub(crate) struct Cell {
    pub a: usize,
    pub b: usize,
    pub before: f64,
    pub after: f64,
}

/// Draws the pairs of these columns. The title and the description are markup.
pub(crate) fn draw(id: &str, title: &str, description: &str, names: &[&str], cells: &[Cell]) -> String {
    let size = names.len() as f64 * CELL;
    let (width, height) = (LABEL + size + 2.0, TOP + size + 2.0);
    // Its own size, a little enlarged, so that text is as large as elsewhere; the style keeps it inside a narrow page.
    let sized = format!(
        "{} width=\"{}\" height=\"{}\"",
        view_box(width, height),
        figure(width * 1.2),
        figure(height * 1.2)
    );
    let mut out = open(id, "matrix", &sized, title, description);
    for (i, name) in names.iter().enumerate() {
        let (edge, middle) = (i as f64 * CELL, (i as f64 + 0.5) * CELL);
        put!(
            out,
            "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{} {}</text>",
            figure(LABEL - 6.0),
            figure(TOP + middle + 4.0),
            cut(name),
            i + 1
        );
        put!(
            out,
            "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            figure(LABEL + middle),
            figure(TOP - 6.0),
            i + 1
        );
        put!(
            out,
            "<rect class=\"diagonal\" x=\"{}\" y=\"{}\" width=\"{CELL}\" height=\"{CELL}\"/>",
            figure(LABEL + edge),
            figure(TOP + edge)
        );
    }
    for line in 0..=names.len() {
        let at = line as f64 * CELL;
        put!(
            out,
            "<line class=\"mesh\" x1=\"{0}\" y1=\"{TOP}\" x2=\"{0}\" y2=\"{1}\"/><line class=\"mesh\" x1=\"{LABEL}\" \
             y1=\"{2}\" x2=\"{3}\" y2=\"{2}\"/>",
            figure(LABEL + at),
            figure(TOP + size),
            figure(TOP + at),
            figure(LABEL + size)
        );
    }
    for cell in cells.iter().filter(|cell| cell.a != cell.b && cell.a.max(cell.b) < names.len()) {
        let (low, high) = (cell.a.min(cell.b), cell.a.max(cell.b));
        square(&mut out, low, high, cell.before);
        square(&mut out, high, low, cell.after);
    }
    out.push_str("</svg>");
    out
}

/// A square whose area is the strength.
fn square(out: &mut String, column: usize, row: usize, strength: f64) {
    let side = proper(strength).sqrt() * (CELL - 3.0);
    if side < 0.5 {
        return;
    }
    put!(
        out,
        "<rect class=\"solid\" x=\"{}\" y=\"{}\" width=\"{2}\" height=\"{2}\"/>",
        figure(LABEL + (column as f64 + 0.5) * CELL - side / 2.0),
        figure(TOP + (row as f64 + 0.5) * CELL - side / 2.0),
        figure(side)
    );
}

/// Whether names are cut in the drawing, so that the page has to tell them.
pub(crate) fn cuts(names: &[&str]) -> bool {
    names.iter().any(|name| name.chars().count() > LONGEST)
}

fn cut(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LONGEST {
        return escape(name);
    }
    let half = (LONGEST - 1) / 2;
    let (head, tail) = (letters.iter().take(half), letters.iter().skip(letters.len() - half));
    format!("{}…{}", escape(&head.collect::<String>()), escape(&tail.collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_lies_below_and_after_above() {
        let cell = |before, after| Cell { a: 1, b: 0, before, after };
        let places = |cell: Cell| {
            let drawing = draw("x", "t", "d", &["a", "b"], &[cell]);
            let square = drawing.split("class=\"solid\" ").nth(1).unwrap().to_owned();
            let number = |key: &str| -> f64 {
                let from = square.split(&format!("{key}=\"")).nth(1).unwrap();
                from.split('"').next().unwrap().parse().unwrap()
            };
            (number("x"), number("y"))
        };
        let (x, y) = places(cell(1.0, 0.0));
        assert!(x - LABEL < CELL && y - TOP > CELL, "the first column, the second row");
        let (x, y) = places(cell(0.0, 1.0));
        assert!(x - LABEL > CELL && y - TOP < CELL, "the second column, the first row");
    }

    #[test]
    fn names_that_begin_alike_stay_apart() {
        let names = ["household_income_2023", "household_income_2024"];
        assert!(cuts(&names) && !cuts(&["age", "sex"]));
        assert_eq!(names.map(cut), ["househo…me_2023", "househo…me_2024"]);
        assert_eq!(cut("é&"), "é&amp;");
    }

    #[test]
    fn odd_strengths_do_no_harm() {
        let cells = [f64::NAN, f64::INFINITY, -1.0, 9.0].map(|s| Cell { a: 0, b: 7, before: s, after: s });
        let drawing = draw("x", "t", "d", &["a"; 8], &cells);
        assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
        assert!(!draw("x", "t", "d", &["a"], &cells).contains("solid"), "columns that are not drawn");
    }
}
