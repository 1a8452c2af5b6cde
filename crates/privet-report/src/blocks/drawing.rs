//! A drawing of shapes as SVG that reads in light, dark and print.

use privet_kind::page::{Anchor, Drawing, Shape, Tone};

use crate::svg::{figure, open, view_box};
use crate::text::escape;

pub(super) fn write(drawing: &Drawing, id: &str, out: &mut String) {
    let size = view_box(finite(drawing.width), finite(drawing.height));
    let caption = escape(&drawing.caption);
    out.push_str("<figure class=\"boxes\">\n");
    out.push_str(&open(id, "chart", &size, &caption, &escape(&drawing.description)));
    drawing.shapes.iter().for_each(|shape| write_shape(shape, out));
    put!(out, "</svg>\n<figcaption>{caption}</figcaption>\n</figure>\n");
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value.clamp(1.0, 10_000.0) } else { 1.0 }
}

fn write_shape(shape: &Shape, out: &mut String) {
    match shape {
        Shape::Line { points, tone } => {
            put!(out, "<polyline fill=\"none\" {} points=\"{}\"/>", stroke(*tone), path(points));
        }
        Shape::Area { points, tone } => {
            put!(out, "<polygon {} points=\"{}\"/>", fill(*tone), path(points));
        }
        Shape::Circle { centre, radius, tone } => put!(
            out,
            "<circle {} cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
            fill(*tone),
            figure(centre.0),
            figure(centre.1),
            figure(*radius)
        ),
        Shape::Label { at, text, anchor } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            put!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
                figure(at.0),
                figure(at.1),
                escape(text)
            );
        }
        _ => {}
    }
}

/// Points as SVG lists them.
pub(super) fn path(points: &[(f64, f64)]) -> String {
    let points = points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
    points.map(|&(x, y)| format!("{},{}", figure(x), figure(y))).collect::<Vec<_>>().join(" ")
}

/// How a line looks. Lines that are compared differ without colour too.
pub(super) fn stroke(tone: Tone) -> &'static str {
    match tone {
        Tone::Faint => "stroke=\"var(--rule)\" stroke-width=\"0.8\"",
        Tone::Plain => "stroke=\"var(--ink)\" stroke-width=\"1\"",
        Tone::Before => "stroke=\"var(--muted)\" stroke-width=\"1.4\" stroke-dasharray=\"4 3\"",
        Tone::After => "stroke=\"var(--hedge)\" stroke-width=\"1.8\"",
        Tone::Alarm => "stroke=\"var(--alarm)\" stroke-width=\"1.8\"",
    }
}

fn fill(tone: Tone) -> &'static str {
    match tone {
        Tone::Faint => "fill=\"var(--rule)\" fill-opacity=\"0.6\"",
        Tone::Plain => "fill=\"var(--ink)\" fill-opacity=\"0.75\"",
        Tone::Before => "fill=\"none\" stroke=\"var(--muted)\" stroke-dasharray=\"3 2\"",
        Tone::After => {
            "fill=\"var(--hedge)\" fill-opacity=\"0.55\" stroke=\"var(--hedge)\" stroke-width=\"0.8\""
        }
        Tone::Alarm => "fill=\"var(--alarm)\" fill-opacity=\"0.85\"",
    }
}
