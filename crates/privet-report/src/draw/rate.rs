//! A rate as a bar, its 95 % interval as a whisker over it, on an axis that begins at 0.
//!
//! The numbers stand beside it in a table, so readers of the screen are spared the drawing.

use privet_attack::Rate;

use crate::svg::{figure, proper};

/// How a bar, or a part of it, is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    Solid,
    Hatched,
    Empty,
}

impl Fill {
    fn class(self) -> &'static str {
        match self {
            Self::Solid => "solid",
            Self::Hatched => "hatched",
            Self::Empty => "empty",
        }
    }
}

/// Draws a rate on an axis that ends at `end`.
pub(crate) fn draw(rate: &Rate, fill: Fill, end: f64) -> String {
    bar(&[(rate.rate, fill)], known(rate), end)
}

/// The interval of a rate, where one is known.
pub(crate) fn known(rate: &Rate) -> Option<(f64, f64)> {
    (rate.of > 0 && rate.low.is_finite() && rate.high.is_finite()).then_some((rate.low, rate.high))
}

/// Draws shares over each other, all from 0 on, with a whisker when an interval is known.
pub(crate) fn bar(parts: &[(f64, Fill)], interval: Option<(f64, f64)>, end: f64) -> String {
    let end = if end > 0.0 && end.is_finite() { end } else { 1.0 };
    let place = |value: f64| proper(value / end) * 100.0;
    let mut out = String::from(
        "<svg class=\"bar\" width=\"100%\" height=\"18\" aria-hidden=\"true\" focusable=\"false\"><rect class=\"track\" \
         x=\"0\" y=\"8.5\" width=\"100%\" height=\"1\"/><rect class=\"track\" x=\"0\" y=\"2\" width=\"1\" height=\"14\"/>",
    );
    for (share, fill) in parts {
        put!(
            out,
            "<rect class=\"{}\" x=\"0\" y=\"4\" width=\"{}%\" height=\"10\"/>",
            fill.class(),
            figure(place(*share))
        );
    }
    if let Some((low, high)) = interval {
        // Kept off the edges, where a line of the whisker would be cut.
        let at = |end: f64| figure(place(end).clamp(0.3, 99.7));
        let (low, high) = (at(low), at(high));
        for class in ["halo", "whisker"] {
            put!(
                out,
                "<line class=\"{class}\" x1=\"{low}%\" y1=\"9\" x2=\"{high}%\" y2=\"9\"/>\
                 <line class=\"{class}\" x1=\"{low}%\" y1=\"5\" x2=\"{low}%\" y2=\"13\"/>\
                 <line class=\"{class}\" x1=\"{high}%\" y1=\"5\" x2=\"{high}%\" y2=\"13\"/>"
            );
        }
    }
    out.push_str("</svg>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_rate_can_be_drawn() {
        for rate in [f64::NAN, f64::INFINITY, -1.0, 0.0, 0.5, 7.0] {
            for (low, high) in [(f64::NAN, f64::NEG_INFINITY), (0.9, 0.1), (0.0, 1.0)] {
                for end in [f64::NAN, 0.0, -1.0, 1e-300, 1.0, f64::INFINITY] {
                    let drawing = draw(&Rate { hits: 1, of: 2, rate, low, high }, Fill::Hatched, end);
                    assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
                }
            }
        }
        assert_eq!(draw(&Rate::new(1, 2), Fill::Empty, 1.0).matches("class=\"whisker\"").count(), 3);
        // Of nobody nothing is known.
        assert!(!draw(&Rate::new(0, 0), Fill::Solid, 1.0).contains("whisker"));
    }

    #[test]
    fn bars_follow_their_axis() {
        assert!(bar(&[(0.05, Fill::Solid)], None, 0.1).contains("width=\"50%\""));
        assert!(bar(&[(0.05, Fill::Solid)], None, 1.0).contains("width=\"5%\""));
    }
}
