//! The risk-utility curve: every candidate by its loss and its risk (survey, section 5: the R-U confidentiality map).
//! Safe ones are filled, unsafe ones hollow, the published one has a ring; the line joins the safe ones that no other
//! safe one beats in both.

use std::collections::BTreeSet;

use crate::CandidatePoint;
use crate::svg::{Label, figure, open, round_up, view_box, write_labels};

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 310.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 44.0;
/// Points that fall on the same spot of this size are drawn once.
const SPOT: f64 = 4.0;
/// Risks that span more than this are drawn on a logarithmic scale.
const SPAN: f64 = 30.0;

/// Whether a candidate can be drawn: losses and risks lie from 0 to 1.
pub(crate) fn is_plain(point: &CandidatePoint) -> bool {
    let is_share = |value: f64| (-1e-9..=1.0 + 1e-9).contains(&value);
    is_share(point.loss) && is_share(point.risk)
}

/// Whether a candidate would publish nobody: then nothing can be said of its promises.
pub(crate) fn is_empty(point: &CandidatePoint) -> bool {
    point.suppressed >= 1.0
}

/// The safe candidates that no other safe one beats in both loss and risk, by rising loss. Of equal ones the first.
pub(crate) fn front(points: &[CandidatePoint]) -> Vec<usize> {
    let mut safe: Vec<usize> = (0..points.len())
        .filter(|&i| points.get(i).is_some_and(|p| p.safe && is_plain(p) && !is_empty(p)))
        .collect();
    safe.sort_by(|&a, &b| {
        let (a_point, b_point) = (&points[a], &points[b]); // why: indices come from the range of points
        a_point.loss.total_cmp(&b_point.loss).then(a_point.risk.total_cmp(&b_point.risk)).then(a.cmp(&b))
    });
    let mut least = f64::INFINITY;
    safe.retain(|&i| {
        let risk = points[i].risk; // why: as above
        let is_better = risk < least;
        least = least.min(risk);
        is_better
    });
    safe
}

/// A scale from data to the drawing.
struct Scale {
    low: f64,
    high: f64,
    is_log: bool,
    from: f64,
    to: f64,
}

impl Scale {
    fn place(&self, value: f64) -> f64 {
        let turn = |v: f64| if self.is_log { v.max(self.low).log10() } else { v };
        let (low, high) = (turn(self.low), turn(self.high));
        let part = if high > low { (turn(value) - low) / (high - low) } else { 0.5 };
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Where marks stand, and what they say.
    fn marks(&self, show: impl Fn(f64) -> String) -> Vec<(f64, String)> {
        let values: Vec<f64> = if self.is_log {
            let (from, to) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
            let decades = (from..=to.min(from.saturating_add(20))).map(|e| 10f64.powi(e));
            decades
                .flat_map(|d| [d, 2.0 * d, 5.0 * d])
                .filter(|v| (self.low..=self.high).contains(v))
                .collect()
        } else {
            (0..=5).map(|i| self.low + f64::from(i) * (self.high - self.low) / 5.0).collect()
        };
        values.into_iter().map(|value| (self.place(value), show(value))).collect()
    }
}

/// The scales of losses and of risks.
fn scales(points: &[CandidatePoint]) -> (Scale, Scale) {
    let plain = || points.iter().filter(|p| is_plain(p));
    let most = |value: fn(&CandidatePoint) -> f64| round_up(plain().map(value).fold(0.0, f64::max));
    let (base, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    let x = Scale { low: 0.0, high: most(|p| p.loss), is_log: false, from: LEFT, to: right };
    let high = most(|p| p.risk);
    let least = plain().map(|p| p.risk).filter(|&risk| risk > 0.0).fold(f64::INFINITY, f64::min);
    let is_log = least.is_finite() && high / least > SPAN;
    // Six decades are enough; what lies below stands on the axis.
    let low = if is_log { (least * 0.8).max(high * 1e-6) } else { 0.0 };
    (x, Scale { low, high, is_log, from: base, to: TOP })
}

/// Draws the candidates. The title and the description are markup.
pub(crate) fn draw(id: &str, title: &str, description: &str, points: &[CandidatePoint]) -> String {
    let mut out = open(id, "scatter", &view_box(WIDTH, HEIGHT), title, description);
    let (x, y) = scales(points);
    axes(&mut out, &x, &y);
    let place = |point: &CandidatePoint| (x.place(point.loss), y.place(point.risk));
    let front: Vec<(f64, f64)> = front(points).into_iter().filter_map(|i| points.get(i).map(place)).collect();
    if let Some(((first_x, first_y), rest)) = front.split_first() {
        let mut path = format!("M{} {}", figure(*first_x), figure(*first_y));
        for (next_x, next_y) in rest {
            put!(path, "H{}V{}", figure(*next_x), figure(*next_y));
        }
        put!(out, "<path class=\"front\" d=\"{path}\"/>");
    }
    // Unsafe ones first, so that safe ones lie on top; one mark for all that share a spot.
    for safe in [false, true] {
        let mut taken: BTreeSet<(i64, i64)> = BTreeSet::new();
        for point in points.iter().filter(|p| p.safe == safe && is_plain(p)) {
            let (x, y) = place(point);
            if taken.insert(((x / SPOT) as i64, (y / SPOT) as i64)) {
                let class = if safe { "solid point" } else { "hollow" };
                put!(out, "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"3\"/>", figure(x), figure(y));
            }
        }
    }
    if let Some(chosen) = points.iter().find(|p| p.chosen && is_plain(p)) {
        let (x, y) = place(chosen);
        let others: Vec<(f64, f64)> = points.iter().filter(|p| is_plain(p)).map(place).collect();
        let (anchor, beside, above) = free_side((x, y), &others);
        for class in ["behind", "value strong"] {
            put!(
                out,
                "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">published</text>",
                figure(x + beside),
                figure(y + above)
            );
        }
        put!(
            out,
            "<circle class=\"ring\" cx=\"{0}\" cy=\"{1}\" r=\"8\"/><circle class=\"{2}\" cx=\"{0}\" cy=\"{1}\" r=\"3\"/>",
            figure(x),
            figure(y),
            if chosen.safe { "solid point" } else { "hollow" }
        );
    }
    out.push_str("</svg>");
    out
}

/// On which side of a point its label covers the fewest others: where it is anchored, and how far it is moved.
fn free_side((x, y): (f64, f64), others: &[(f64, f64)]) -> (&'static str, f64, f64) {
    // What `published` takes, with the radius of a mark around it.
    const LONG: f64 = 66.0;
    const HIGH: f64 = 11.0;
    const MARK: f64 = 3.0;
    let sides = [("start", 12.0, -9.0), ("end", -12.0, -9.0), ("start", 12.0, 18.0), ("end", -12.0, 18.0)];
    let covered = |&(anchor, beside, above): &(&str, f64, f64)| {
        let from = if anchor == "start" { x + beside } else { x + beside - LONG };
        let (top, foot) = (y + above - HIGH, y + above);
        let is_inside = from >= 0.0 && from + LONG <= WIDTH && top >= 0.0 && foot <= HEIGHT - BOTTOM;
        let is_covered = |&&(own_x, own_y): &&(f64, f64)| {
            (from - MARK..=from + LONG + MARK).contains(&own_x) && (top - MARK..=foot + MARK).contains(&own_y)
        };
        // The label keeps inside the drawing.
        if is_inside { others.iter().filter(is_covered).count() } else { usize::MAX }
    };
    sides.into_iter().min_by_key(covered).unwrap_or(("start", 12.0, -9.0))
}

fn axes(out: &mut String, x: &Scale, y: &Scale) {
    let (base, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    let mut below = Vec::new();
    for (i, (at, text)) in x.marks(decimal).into_iter().enumerate() {
        put!(out, "<line class=\"mesh\" x1=\"{0}\" y1=\"{TOP}\" x2=\"{0}\" y2=\"{base}\"/>", figure(at));
        below.push(Label { centre: at, y: base + 16.0, text, rank: i as u64 });
    }
    write_labels(out, below, WIDTH, "tick");
    let mut last = f64::INFINITY;
    for (at, text) in y.marks(per_cent) {
        // Marks of a logarithmic scale may come too close to be read.
        if last - at < 13.0 {
            continue;
        }
        last = at;
        put!(
            out,
            "<line class=\"mesh\" x1=\"{LEFT}\" y1=\"{0}\" x2=\"{right}\" y2=\"{0}\"/><text class=\"tick\" x=\"{1}\" \
             y=\"{2}\" text-anchor=\"end\">{text}</text>",
            figure(at),
            figure(LEFT - 6.0),
            figure(at + 4.0)
        );
    }
    put!(
        out,
        "<rect class=\"axis\" x=\"{LEFT}\" y=\"{base}\" width=\"{}\" height=\"1\"/><rect class=\"axis\" x=\"{}\" \
         y=\"{TOP}\" width=\"1\" height=\"{}\"/><text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">loss of \
         detail →</text><text class=\"tick\" x=\"0\" y=\"12\" text-anchor=\"start\">↑ mean risk{}</text>",
        figure(right - LEFT),
        figure(LEFT - 1.0),
        figure(base - TOP),
        figure(right),
        figure(HEIGHT - 8.0),
        if y.is_log { ", logarithmic scale" } else { "" }
    );
}

fn decimal(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn per_cent(value: f64) -> String {
    // Three figures, as far as a reader can use them.
    let per_cent = value * 100.0;
    let decimals = match per_cent.abs() {
        10.0.. => 1,
        1.0.. => 2,
        0.1.. => 3,
        _ => 4,
    };
    let text = format!("{per_cent:.decimals$}");
    format!("{}\u{a0}%", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(loss: f64, risk: f64, safe: bool) -> CandidatePoint {
        CandidatePoint { loss, risk, suppressed: 0.0, safe, chosen: false }
    }

    #[test]
    fn marks_have_three_figures() {
        let shown = [0.809_825, 0.012_345, 0.001_234_5, 1.0, 0.2].map(per_cent);
        assert_eq!(shown, ["81\u{a0}%", "1.23\u{a0}%", "0.123\u{a0}%", "100\u{a0}%", "20\u{a0}%"]);
    }

    #[test]
    fn the_front_holds_those_that_nothing_beats() {
        let points = [
            point(0.3, 0.02, true),
            point(0.1, 0.05, true),
            // Beaten by the one before, equal to it, and not safe.
            point(0.2, 0.05, true),
            point(0.1, 0.05, true),
            point(0.05, 0.01, false),
            point(f64::NAN, 0.0, true),
        ];
        assert_eq!(front(&points), [1, 0]);
        // Against the definition.
        let beats = |a: &CandidatePoint, b: &CandidatePoint| {
            a.safe && a.loss <= b.loss && a.risk <= b.risk && (a.loss < b.loss || a.risk < b.risk)
        };
        for i in front(&points) {
            assert!(!points.iter().any(|other| beats(other, &points[i])));
        }
    }

    #[test]
    fn the_label_stands_where_it_covers_least() {
        let near = |dx: f64, dy: f64| (200.0 + dx, 150.0 + dy);
        assert_eq!(free_side((200.0, 150.0), &[]), ("start", 12.0, -9.0));
        assert_eq!(free_side((200.0, 150.0), &[near(30.0, -12.0)]), ("end", -12.0, -9.0));
        assert_eq!(
            free_side((200.0, 150.0), &[near(30.0, -12.0), near(-30.0, -12.0)]),
            ("start", 12.0, 18.0)
        );
        // Inside the drawing, whatever it covers there.
        assert_eq!(free_side((390.0, 30.0), &[(350.0, 20.0)]), ("end", -12.0, 18.0));
        assert_eq!(free_side((60.0, 262.0), &[(90.0, 250.0)]), ("start", 12.0, -9.0));
    }

    #[test]
    fn many_candidates_stay_few_marks() {
        let points: Vec<CandidatePoint> = (0..10_000)
            .map(|i| point(f64::from(i % 100) / 100.0, f64::from(i / 100 + 1) / 100.0, i % 3 == 0))
            .collect();
        let drawing = draw("x", "t", "d", &points);
        assert!(drawing.matches("<circle").count() < 10_000);
        assert!(drawing.len() < 900_000, "{}", drawing.len());
    }

    #[test]
    fn odd_candidates_do_no_harm() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, f64::MIN_POSITIVE, f64::MAX];
        let mut points: Vec<CandidatePoint> =
            odd.iter().flat_map(|&loss| odd.map(|risk| point(loss, risk, true))).collect();
        points[0].chosen = true;
        for points in [&points[..], &points[..1], &[]] {
            let drawing = draw("x", "t", "d", points);
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
        }
    }
}
