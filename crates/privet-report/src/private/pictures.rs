//! The pictures: a law with its 95 %, an answer with its error on an axis with a zero, a budget in three parts.

use super::{AnswerNumber, Budget, NoiseKind, cost, left};
use crate::svg::{Label, figure, open, proper, view_box, write_labels};
use crate::text::number;

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 150.0;
const TOP: f64 = 12.0;
const BASE: f64 = 124.0;

/// The density of a law, relative to its highest point.
fn density(kind: NoiseKind, steps: f64) -> f64 {
    match kind {
        NoiseKind::Laplace => (-steps.abs()).exp(),
        NoiseKind::Gaussian => (-steps * steps / 2.0).exp(),
    }
}

/// How likely errors are; those within 95 % are filled.
pub(super) fn law(out: &mut String, id: &str, law: (NoiseKind, f64), half_width_95: Option<f64>) {
    let (kind, scale) = law;
    if !(scale > 0.0 && scale.is_finite()) {
        return;
    }
    // Where either law has next to nothing left.
    let reach = match kind {
        NoiseKind::Laplace => 5.0,
        NoiseKind::Gaussian => 3.4,
    };
    let usual = half_width_95.filter(|half| half.is_finite()).map_or(0.0, |half| (half / scale).min(reach));
    let x = |steps: f64| WIDTH / 2.0 + steps / reach * (WIDTH / 2.0 - 2.0);
    let y = |steps: f64| BASE - density(kind, steps) * (BASE - TOP);
    let half = half_width_95.map_or("not told".to_owned(), number);
    out.push_str("<figure>\n");
    let description = format!("The highest point is at 0. In 95 of 100 answers the error is at most {half}.");
    out.push_str(&open(id, "chart", &view_box(WIDTH, HEIGHT), "How likely an error is", &description));
    let line = |from: f64, to: f64| {
        let points = (0..=80).map(|step| from + (to - from) * f64::from(step) / 80.0);
        points.map(|steps| format!("L{} {}", figure(x(steps)), figure(y(steps)))).collect::<String>()
    };
    if usual > 0.0 {
        put!(
            out,
            "<path class=\"hatched\" d=\"M{} {BASE}{}L{} {BASE}Z\"/>",
            figure(x(-usual)),
            line(-usual, usual),
            figure(x(usual))
        );
    }
    put!(
        out,
        "<path class=\"before\" d=\"M{} {}{}\"/><rect class=\"axis\" x=\"0\" y=\"{BASE}\" width=\"{WIDTH}\" height=\"1\"/>",
        figure(x(-reach)),
        figure(y(-reach)),
        line(-reach, reach)
    );
    let label = |steps: f64, text: String, rank: u64| Label { centre: x(steps), y: BASE + 16.0, text, rank };
    let labels = vec![
        label(0.0, "0".to_owned(), 0),
        label(-usual, format!("−{half}"), 1),
        label(usual, format!("+{half}"), 2),
    ];
    write_labels(out, if usual > 0.0 { labels } else { Vec::new() }, WIDTH, "tick");
    put!(
        out,
        "</svg>\n<figcaption>How likely an error is. Hatched: 95 of 100 answers, off by {half} at most.</figcaption>\n</figure>\n"
    );
}

/// The axis of all answers to a figure, with 0 on it.
pub(super) struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    pub fn new(numbers: impl Iterator<Item = AnswerNumber>) -> Self {
        let (mut low, mut high) = (0f64, 0f64);
        for own in numbers.filter(|own| own.value.is_finite()) {
            let half = own.half_width_95.filter(|half| half.is_finite()).unwrap_or(0.0);
            (low, high) = (low.min(own.value - half), high.max(own.value + half));
        }
        Self { low, high }
    }

    fn place(&self, value: f64) -> f64 {
        proper((value - self.low) / (self.high - self.low)) * 100.0
    }

    /// An answer as a bar from 0 on, with its error.
    pub fn bar(&self, own: &AnswerNumber) -> String {
        let (zero, value) = (self.place(0.0), self.place(own.value));
        let (from, width) = (zero.min(value), (zero - value).abs());
        let mut out = format!(
            "<svg class=\"bar\" width=\"100%\" height=\"18\" aria-hidden=\"true\" focusable=\"false\"><rect class=\"track\" x=\"0\" \
             y=\"8.5\" width=\"100%\" height=\"1\"/><rect class=\"solid\" x=\"{}%\" y=\"4\" width=\"{}%\" height=\"10\"/><line \
             class=\"whisker\" x1=\"{z}%\" y1=\"1\" x2=\"{z}%\" y2=\"17\"/>",
            figure(from),
            figure(width),
            z = figure(zero.clamp(0.3, 99.7))
        );
        if let Some(half) = own.half_width_95.filter(|half| half.is_finite()) {
            let at = |value: f64| figure(self.place(value).clamp(0.3, 99.7));
            let (low, high) = (at(own.value - half), at(own.value + half));
            for class in ["halo", "whisker"] {
                put!(
                    out,
                    "<line class=\"{class}\" x1=\"{low}%\" y1=\"9\" x2=\"{high}%\" y2=\"9\"/><line class=\"{class}\" x1=\"{low}%\" \
                     y1=\"5\" x2=\"{low}%\" y2=\"13\"/><line class=\"{class}\" x1=\"{high}%\" y1=\"5\" x2=\"{high}%\" y2=\"13\"/>"
                );
            }
        }
        out.push_str("</svg>");
        out
    }
}

/// A budget: spent before, spent by the answer that the page is about (epsilon and delta), left.
pub(super) fn budget(id: &str, account: &Budget, now: Option<(f64, f64)>) -> String {
    let total = account.total;
    let share = |part: f64| if total > 0.0 { proper(part / total) * 100.0 } else { 0.0 };
    let (left_share, now_share) = (share(account.left), now.map_or(0.0, |(epsilon, _)| share(epsilon)));
    let before = (100.0 - left_share - now_share).max(0.0);
    let has_delta = account.total_delta > 0.0;
    let mut description = format!("Of epsilon {}, {} is left", number(total), left(account.left));
    if has_delta {
        let (all, rest) = (number(account.total_delta), left(account.left_delta));
        put!(description, ", and of delta {all}, {rest}");
    }
    if let Some((epsilon, delta)) = now {
        put!(description, "; this answer took epsilon {}", cost(epsilon));
        if has_delta {
            put!(description, " and delta {}", cost(delta));
        }
    }
    description.push('.');
    let mut out = open(id, "split", "width=\"100%\" height=\"30\"", "The budget", &description);
    put!(
        out,
        "<rect class=\"hatched\" x=\"0\" y=\"1\" width=\"{}%\" height=\"28\"/><rect class=\"solid\" x=\"{}%\" y=\"1\" \
         width=\"{}%\" height=\"28\"/><rect class=\"frame\" x=\"0\" y=\"1\" width=\"100%\" height=\"28\"/></svg>",
        figure(before),
        figure(before),
        figure(now_share)
    );
    out
}
