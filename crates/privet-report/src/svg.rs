//! Small drawings: a bar, a bar of parts, a histogram, the ladder of a hierarchy.
//!
//! They read without colour: what is published is solid, what was given up is hatched, what was not
//! needed is empty. Bars are drawn in per cent of their box, so that they fit any width; drawings with
//! text have a fixed size that fits a phone.

use crate::text::{count, short_count};

/// The hatch that all drawings share; stands once in the page.
pub(crate) const DEFINITIONS: &str = "<svg class=\"definitions\" width=\"0\" height=\"0\" aria-hidden=\"true\" \
focusable=\"false\"><defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" class=\"paper\"/><rect width=\"1.6\" height=\"5\" \
class=\"ink\"/></pattern></defs></svg>\n";

/// A horizontal bar for a share of 1. The number stands beside it in the page, so readers of the screen
/// are spared it.
pub(crate) fn bar(share: f64) -> String {
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    format!(
        "<svg class=\"bar\" width=\"100%\" height=\"12\" aria-hidden=\"true\" focusable=\"false\">\
         <rect class=\"track\" x=\"0\" y=\"5.5\" width=\"100%\" height=\"1\"/>\
         <rect class=\"solid\" x=\"0\" y=\"1\" width=\"{}%\" height=\"10\"/></svg>",
        figure(share * 100.0)
    )
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

/// A histogram of at most a few dozen columns, solid or hatched.
pub(crate) fn histogram(
    id: &str,
    title: &str,
    description: &str,
    columns: &[Column],
    hatched: bool,
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
    let below = columns.iter().enumerate().map(|(i, c)| Label {
        centre: (i as f64 + 0.5) * step,
        y: BASE + 16.0,
        text: c.label.clone(),
        // The ends first, then from the left: the reader can count on from there.
        rank: if i + 1 == columns.len() { 1 } else { i as u64 * 2 },
    });
    write_labels(&mut out, below.collect(), WIDTH, "tick");
    out.push_str("</svg>");
    out
}

/// The levels of a hierarchy as falling stairs, the height of a step being the (logarithm of the)
/// number of labels that are left on it. Levels below the published one are hatched: detail given up;
/// the published one is solid; levels above it are empty: not needed.
pub(crate) fn ladder(
    id: &str,
    title: &str,
    description: &str,
    labels: &[u64],
    height: usize,
    level: usize,
) -> String {
    const WIDTH: f64 = 320.0;
    const TOP: f64 = 18.0;
    const BASE: f64 = 92.0;
    // More steps than this cannot be told apart.
    const MOST: usize = 80;
    // Past this many levels only the ends and the published one are labelled, above all steps.
    const DENSE: usize = 17;
    let level = level.min(height);
    let levels = height.saturating_add(1);
    let steps = levels.min(MOST);
    // With more levels than steps a step stands for several levels; the published one always has its own mark.
    let level_of = |step: usize| {
        if steps < 2 { 0 } else { (step as u128 * height as u128 / (steps - 1) as u128) as usize }
    };
    let published = (0..steps).rev().find(|&s| level_of(s) <= level).unwrap_or(0);
    let level_at = |step: usize| if step == published { level } else { level_of(step) };
    let most = labels.iter().copied().max().unwrap_or(1);
    let detail = |at: usize| match labels.get(at) {
        Some(&n) if most > 1 => (n.max(1) as f64).ln() / (most as f64).ln(),
        Some(_) => 0.0,
        None => 1.0 - at as f64 / levels as f64,
    };
    let dense = levels > DENSE;
    let class = if dense { "ladder dense" } else { "ladder" };
    let mut out = open(id, class, &view_box(WIDTH, 112.0), title, description);
    // Ladders of few steps keep the width of a step, so that columns can be compared.
    let step = (WIDTH / steps as f64).min(64.0);
    let width = step * 0.86;
    let (mut tops, mut ticks) = (Vec::new(), Vec::new());
    for s in 0..steps {
        let at = level_at(s);
        let rise = 5.0 + detail(at) * (BASE - TOP - 5.0);
        let centre = (s as f64 + 0.5) * step;
        let class = match s.cmp(&published) {
            std::cmp::Ordering::Less => "hatched",
            std::cmp::Ordering::Equal => "solid",
            std::cmp::Ordering::Greater => "empty",
        };
        put!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            figure(centre - width / 2.0),
            figure(BASE - rise),
            figure(width),
            figure(rise)
        );
        let rank = match s {
            s if s == published => 0,
            0 => 1,
            s if s + 1 == steps => 2,
            s => 3 + s as u64,
        };
        if dense && rank > 2 {
            continue;
        }
        if let Some(&n) = labels.get(at) {
            tops.push(Label {
                centre,
                y: if dense { TOP } else { BASE - rise } - 4.0,
                text: short_count(n),
                rank,
            });
        }
        let text = if s == published { format!("\u{25b2}{at}") } else { count(at as u64) };
        ticks.push(Label { centre, y: BASE + 15.0, text, rank });
    }
    write_labels(&mut out, tops, WIDTH, "value");
    write_labels(&mut out, ticks, WIDTH, "tick");
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

struct Label {
    centre: f64,
    y: f64,
    text: String,
    /// Lower ranks are placed first.
    rank: u64,
}

/// Writes those labels that do not run into one placed before; the others are told by the page's tables.
fn write_labels(out: &mut String, mut labels: Vec<Label>, width: f64, class: &str) {
    const CHARACTER: f64 = 6.2;
    labels.sort_by_key(|l| l.rank);
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for label in labels {
        // The triangle is twice as wide as a digit.
        let characters = label.text.chars().map(|c| if c == '\u{25b2}' { 2.0 } else { 1.0 }).sum::<f64>();
        let half = characters * CHARACTER / 2.0;
        let centre = if 2.0 * half < width { label.centre.clamp(half, width - half) } else { width / 2.0 };
        let (from, to) = (centre - half - 1.0, centre + half + 1.0);
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

/// A coordinate with at most two decimals and no noise, so that the bytes do not depend on the last bit.
pub(crate) fn figure(value: f64) -> String {
    let text = format!("{value:.2}");
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
        for (labels, height, level) in [
            (vec![], 0, 0),
            (vec![0, 0], 1, 5),
            (vec![u64::MAX, 1], 1, 1),
            ((0..65).rev().collect(), 64, 40),
            (vec![3], usize::MAX, usize::MAX - 1),
        ] {
            let drawing = ladder("x", "t", "d", &labels, height, level);
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
            assert_eq!(drawing.matches("class=\"solid\"").count(), 1);
        }
        let column = |value| Column { label: "1–2".to_owned(), value };
        for columns in [vec![], vec![column(0)], vec![column(u64::MAX), column(1)]] {
            let drawing = histogram("x", "t", "d", &columns, true);
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
}
