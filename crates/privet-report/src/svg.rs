//! Small drawings: a bar, a bar of parts, a histogram; and what the drawings in `draw/` share.
//!
//! They read without colour: what is published is solid, what was given up is hatched, what was not
//! needed is empty. Bars are drawn in per cent of their box, so that they fit any width; drawings with
//! text have a fixed size that fits a phone.

use crate::text::short_count;

/// The hatch that all drawings share; stands once in the page.
pub(crate) const DEFINITIONS: &str = "<svg class=\"definitions\" width=\"0\" height=\"0\" aria-hidden=\"true\" \
focusable=\"false\"><defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" class=\"paper\"/><rect width=\"1.6\" height=\"5\" \
class=\"ink\"/></pattern></defs></svg>\n";

/// A horizontal bar for a share of 1. The number stands beside it in the page, so readers of the screen
/// are spared it.
pub(crate) fn bar(share: f64) -> String {
    let share = proper(share);
    format!(
        "<svg class=\"bar\" width=\"100%\" height=\"12\" aria-hidden=\"true\" focusable=\"false\">\
         <rect class=\"track\" x=\"0\" y=\"5.5\" width=\"100%\" height=\"1\"/>\
         <rect class=\"solid\" x=\"0\" y=\"1\" width=\"{}%\" height=\"10\"/></svg>",
        figure(share * 100.0)
    )
}

/// A share as it can be drawn: from 0 to 1, and 0 for what is no number.
pub(crate) fn proper(share: f64) -> f64 {
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

/// A bar of two parts, the first solid and the second hatched. A part that is not empty can be seen.
pub(crate) fn split(id: &str, title: &str, description: &str, first: u64, second: u64) -> String {
    let whole = first as f64 + second as f64;
    let share = if whole > 0.0 { first as f64 / whole * 100.0 } else { 0.0 };
    let share = match (first, second) {
        (0, _) => 0.0,
        (_, 0) => 100.0,
        _ => share.clamp(0.6, 99.4),
    };
    let mut out = open(id, "split", "width=\"100%\" height=\"30\"", title, description);
    if whole > 0.0 {
        put!(
            out,
            "<rect class=\"hatched\" x=\"0\" y=\"1\" width=\"100%\" height=\"28\"/>\
             <rect class=\"solid\" x=\"0\" y=\"1\" width=\"{}%\" height=\"28\"/>",
            figure(share)
        );
    }
    out.push_str("<rect class=\"frame\" x=\"0\" y=\"1\" width=\"100%\" height=\"28\"/></svg>");
    out
}

/// One bar of a histogram.
pub(crate) struct Column {
    /// What stands below it.
    pub label: String,
    /// Its height.
    pub value: u64,
}

/// A histogram of at most a few dozen columns, solid or hatched. With a `last` label, labels stand at the left edges of
/// their columns and the last one at the end; without, below the middle.
pub(crate) fn histogram(
    id: &str,
    title: &str,
    description: &str,
    columns: &[Column],
    hatched: bool,
    last: Option<&str>,
) -> String {
    const WIDTH: f64 = 340.0;
    const HEIGHT: f64 = 168.0;
    const TOP: f64 = 20.0;
    const BASE: f64 = 142.0;
    let mut out = open(id, "chart", &view_box(WIDTH, HEIGHT), title, description);
    // A few wide columns would look like slabs.
    let step = (WIDTH / columns.len().max(1) as f64).min(64.0);
    let width = step * 0.78;
    let greatest = columns.iter().map(|c| c.value).max().unwrap_or(0).max(1);
    let class = if hatched { "hatched" } else { "solid" };
    let mut tops = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        if column.value == 0 {
            continue;
        }
        let height = (column.value as f64 / greatest as f64 * (BASE - TOP)).max(1.0);
        let centre = (i as f64 + 0.5) * step;
        put!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            figure(centre - width / 2.0),
            figure(BASE - height),
            figure(width),
            figure(height)
        );
        tops.push(Label {
            centre,
            y: BASE - height - 5.0,
            text: short_count(column.value),
            rank: greatest - column.value,
        });
    }
    put!(out, "<rect class=\"axis\" x=\"0\" y=\"{BASE}\" width=\"{WIDTH}\" height=\"1\"/>");
    write_labels(&mut out, tops, WIDTH, "value");
    let labels = columns.iter().map(|c| c.label.as_str()).chain(last);
    let shift = if last.is_some() { 0.0 } else { 0.5 };
    let ends = columns.len() + usize::from(last.is_some());
    let below = labels.enumerate().map(|(i, label)| Label {
        centre: (i as f64 + shift) * step,
        y: BASE + 16.0,
        text: label.to_owned(),
        // The ends first, then from the left: the reader can count on from there.
        rank: if i + 1 == ends { 1 } else { i as u64 * 2 },
    });
    write_labels(&mut out, below.collect(), WIDTH, "tick");
    out.push_str("</svg>");
    out
}

pub(crate) fn open(id: &str, class: &str, size: &str, title: &str, description: &str) -> String {
    // The callers escape the title and the description.
    format!(
        "<svg class=\"{class}\" {size} role=\"img\" aria-labelledby=\"{id}-t {id}-d\"><title id=\"{id}-t\">{title}</title>\
         <desc id=\"{id}-d\">{description}</desc>"
    )
}

pub(crate) fn view_box(width: f64, height: f64) -> String {
    format!("viewBox=\"0 0 {width} {height}\"")
}

/// A label of a drawing.
pub(crate) struct Label {
    /// Where its middle stands.
    pub centre: f64,
    /// Where its foot stands.
    pub y: f64,
    /// What it says; markup.
    pub text: String,
    /// Lower ranks are placed first.
    pub rank: u64,
}

/// Writes those labels that do not run into one placed before; the others are told by the page's tables.
pub(crate) fn write_labels(out: &mut String, mut labels: Vec<Label>, width: f64, class: &str) {
    // As wide as on a phone, where letters are larger, with the width of a letter between two labels.
    const CHARACTER: f64 = 6.8;
    const GAP: f64 = 6.0;
    labels.sort_by_key(|l| l.rank);
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for label in labels {
        let half = label.text.chars().count() as f64 * CHARACTER / 2.0;
        // Wide letters take more than the mean.
        let edge = half + 2.0;
        let centre = if 2.0 * edge < width { label.centre.clamp(edge, width - edge) } else { width / 2.0 };
        let (from, to) = (centre - half - GAP / 2.0, centre + half + GAP / 2.0);
        if taken.iter().any(|&(a, b)| from < b && a < to) {
            continue;
        }
        taken.push((from, to));
        put!(
            out,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            figure(centre),
            figure(label.y),
            label.text
        );
    }
}

/// The least round number that is not below: where an axis ends.
pub(crate) fn round_up(value: f64) -> f64 {
    if !(value > 0.0 && value.is_finite()) {
        return 1.0;
    }
    let decade = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.5, 10.0];
    let is_round_enough = |round: &f64| round.is_finite() && *round >= value * (1.0 - 1e-12);
    steps.into_iter().map(|step| step * decade).find(is_round_enough).unwrap_or(value)
}

/// A coordinate with at most two decimals and no noise, so that the bytes do not depend on the last bit. What is no
/// number stands at 0: a drawing must not break over it, and the page's text tells it.
pub(crate) fn figure(value: f64) -> String {
    let text = format!("{:.2}", if value.is_finite() { value } else { 0.0 });
    if text == "-0.00" {
        return "0".to_owned();
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_survive_any_numbers() {
        for share in [f64::NAN, f64::INFINITY, -1.0, 0.0, 2.0] {
            assert!(!bar(share).contains("NaN"));
        }
        for (a, b) in [(0, 0), (0, 1), (1, 0), (u64::MAX, u64::MAX), (u64::MAX, 1)] {
            let drawing = split("x", "t", "d", a, b);
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"));
        }
        assert!(split("x", "t", "d", u64::MAX, 1).contains("99.4%"));
        let column = |value| Column { label: "1–2".to_owned(), value };
        for columns in [vec![], vec![column(0)], vec![column(u64::MAX), column(1)]] {
            let drawing = histogram("x", "t", "d", &columns, true, Some("9"));
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
        }
    }

    #[test]
    fn labels_do_not_overlap() {
        let labels = (0..100)
            .map(|i| Label { centre: f64::from(i), y: 0.0, text: "12345".to_owned(), rank: i as u64 })
            .collect();
        let mut out = String::new();
        write_labels(&mut out, labels, 100.0, "tick");
        assert!((1..=3).contains(&out.matches("<text").count()), "{out}");
    }

    /// Letters are 12 pixels high on a phone, about 6.8 wide, and columns 42.5 apart where there are eight.
    #[test]
    fn labels_do_not_touch_on_a_phone() {
        let label = |i: u64, text: &str| Label {
            centre: 42.5 * (i as f64 + 0.5),
            y: 0.0,
            text: text.to_owned(),
            rank: i,
        };
        let written = |labels: Vec<Label>| {
            let mut out = String::new();
            write_labels(&mut out, labels, 340.0, "tick");
            out.matches("<text").count()
        };
        assert_eq!(written(vec![label(4, "64–127"), label(5, "128–255")]), 1);
        assert_eq!(written(vec![label(4, "8–15"), label(5, "16–31")]), 2);
    }

    #[test]
    fn round_numbers_end_the_axes() {
        assert_eq!(round_up(0.83), 1.0);
        assert_eq!(round_up(0.21), 0.25);
        assert_eq!(round_up(1.0), 1.0);
        assert_eq!(round_up(0.0), 1.0);
        assert_eq!(round_up(f64::MAX), f64::MAX);
        assert!(round_up(5e-324) > 0.0);
    }
}
