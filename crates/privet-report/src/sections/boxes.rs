//! The picture that people know of Mondrian: the boxes into which two columns were cut.
//!
//! It is drawn from published labels alone. The dots in a box are as many as its records (or stand for several each) and
//! are strewn evenly: where in its box a record lies is just what is not published.

use crate::facts::{Axis, Boxes, GroupBox, MOST_BOXES};
use crate::svg::{Label, write_labels};
use crate::text::{count, escape, name, plain_name};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;
const MOST_DOTS: u64 = 2500;

pub(crate) fn write(boxes: &Boxes, out: &mut String) {
    let mut drawn: Vec<&GroupBox> = boxes.boxes.iter().collect();
    drawn.sort_by_key(|b| std::cmp::Reverse(b.rows));
    drawn.truncate(MOST_BOXES);
    let left_out = boxes.left_out as usize + boxes.boxes.len() - drawn.len();
    let rows: u64 = drawn.iter().map(|b| b.rows).sum();
    let per_dot = rows.div_ceil(MOST_DOTS).max(1);
    let caption = format!(
        "{} of {} and {}, as the release shows them",
        if left_out > 0 {
            format!("The {} boxes with most records", count(MOST_BOXES as u64))
        } else {
            "The boxes".into()
        },
        name(&boxes.x.name),
        name(&boxes.y.name)
    );
    put!(out, "<figure class=\"boxes\">\n<figcaption id=\"boxes-caption\">{caption}</figcaption>\n");
    // On a narrow screen it keeps its size, so that its text can be read, and scrolls.
    out.push_str("<div class=\"scroll\" role=\"region\" aria-labelledby=\"boxes-caption\" tabindex=\"0\">\n");
    put!(
        out,
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"boxes-title boxes-text\">\
         <title id=\"boxes-title\">Boxes of {} and {}</title><desc id=\"boxes-text\">One rectangle per combination of \
         ranges, with dots for its records.</desc>",
        plain_name(&boxes.x.name),
        plain_name(&boxes.y.name)
    );
    // Large boxes first, so that small ones lie on top.
    drawn.sort_by(|a, b| area(b).total_cmp(&area(a)));
    for group in &drawn {
        let (x, width) = span(&boxes.x, group.x, LEFT, WIDTH - RIGHT);
        // The vertical axis points up.
        let (y, height) = span(&boxes.y, group.y, HEIGHT - BOTTOM, TOP);
        put!(
            out,
            "<rect class=\"box\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>",
            y - height
        );
        dots(out, (x, y - height, width, height), group.rows / per_dot);
    }
    axes(out, boxes);
    out.push_str("</svg>\n</div>\n");
    let each = if per_dot == 1 { "a record".to_owned() } else { format!("{} records", count(per_dot)) };
    put!(
        out,
        "<p class=\"aside\">Each dot stands for {each} of its box. The dots are strewn evenly: where in its box a record \
         lies is not published.{}</p>\n</figure>\n",
        if left_out > 0 {
            format!(" {} smaller boxes are not drawn.", count(left_out as u64))
        } else {
            String::new()
        }
    );
}

fn area(group: &GroupBox) -> f64 {
    (group.x.1 - group.x.0 + 1.0) * (group.y.1 - group.y.0 + 1.0)
}

/// Where a range begins on an axis that is drawn from one place to another, and how long it is.
fn span(axis: &Axis, range: (f64, f64), from: f64, to: f64) -> (f64, f64) {
    let whole = (axis.high - axis.low + axis.unit).max(f64::MIN_POSITIVE);
    let scale = (to - from) / whole;
    let begin = from + (range.0 - axis.low) * scale;
    let length = ((range.1 - range.0 + axis.unit) * scale).abs().max(1.5);
    (begin, length)
}

/// Dots strewn evenly over a rectangle: multiples of two numbers that never line up.
fn dots(out: &mut String, (x, y, width, height): (f64, f64, f64, f64), dots: u64) {
    for dot in 1..=dots {
        let (a, b) = ((dot as f64 * 0.754_877_666).fract(), (dot as f64 * 0.569_840_291).fract());
        put!(
            out,
            "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"1.1\"/>",
            x + a * width,
            y + b * height
        );
    }
}

fn axes(out: &mut String, boxes: &Boxes) {
    let (base, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    put!(
        out,
        "<rect class=\"axis\" x=\"{LEFT}\" y=\"{base}\" width=\"{}\" height=\"1\"/>\
         <rect class=\"axis\" x=\"{}\" y=\"{TOP}\" width=\"1\" height=\"{}\"/>",
        right - LEFT,
        LEFT - 1.0,
        base - TOP
    );
    let marks = boxes.x.marks.iter().enumerate().map(|(rank, (at, text))| {
        let (x, width) = span(&boxes.x, (*at, *at), LEFT, right);
        let centre = x + if boxes.x.unit > 0.0 { width / 2.0 } else { 0.0 };
        Label { centre, y: base + 16.0, text: escape(text), rank: rank as u64 }
    });
    // The last one would stand half outside of the drawing.
    write_labels(out, marks.collect(), WIDTH, "tick");
    for (at, text) in &boxes.y.marks {
        let (y, height) = span(&boxes.y, (*at, *at), base, TOP);
        put!(
            out,
            "<text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y - if boxes.y.unit > 0.0 { height / 2.0 } else { 0.0 } + 4.0,
            escape(text)
        );
    }
    put!(
        out,
        "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
         <text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"start\">{}</text>",
        right,
        HEIGHT - 8.0,
        plain_name(&boxes.x.name),
        4.0,
        HEIGHT - 8.0,
        plain_name(&boxes.y.name)
    );
}
