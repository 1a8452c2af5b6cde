//! A drawing of a suite in SVG: one row per run, a point where its seconds are, and a bar for its loss.

use std::fmt::Write as _;

/// One run.
pub struct Point {
    /// What it is.
    pub name: String,
    /// Seconds, drawn on a logarithmic scale.
    pub seconds: f64,
    /// The loss, from 0 to 1.
    pub loss: f64,
    /// Whether the best loss is guaranteed; drawn filled.
    pub exact: bool,
}

/// A panel with its rows.
pub struct Panel {
    /// What was searched.
    pub title: String,
    /// The searches.
    pub points: Vec<Point>,
}

const WIDTH: f64 = 760.0;
/// Where the scale of seconds begins and ends.
const SCALE: [f64; 2] = [180.0, 520.0];
/// Where the bars of loss begin and end.
const BARS: [f64; 2] = [580.0, 740.0];
const ROW: f64 = 17.0;
/// Above the first row, and below the last.
const MARGINS: [f64; 2] = [44.0, 34.0];

/// Draws panels one below the other.
pub fn draw(panels: &[Panel]) -> String {
    let height: f64 = panels.iter().map(Panel::height).sum();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let mut top = 0.0;
    for panel in panels {
        panel.draw(top, &mut svg);
        top += panel.height();
    }
    svg.push_str("</svg>\n");
    svg
}

impl Panel {
    fn height(&self) -> f64 {
        MARGINS[0] + ROW * self.points.len() as f64 + MARGINS[1]
    }

    fn draw(&self, top: f64, svg: &mut String) {
        let logs = self.points.iter().map(|point| point.seconds.max(1e-4).log10());
        let (least, most) =
            logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), log| (a.min(log), b.max(log)));
        let (from, to) =
            if self.points.is_empty() { (0, 1) } else { (least.floor() as i32, most.ceil() as i32) };
        let to = to.max(from + 1);
        let x = |seconds: f64| {
            let share = (seconds.max(1e-4).log10() - f64::from(from)) / f64::from(to - from);
            SCALE[0] + share * (SCALE[1] - SCALE[0])
        };
        let (first, last) = (top + MARGINS[0], top + MARGINS[0] + ROW * self.points.len() as f64);
        let mut put = |text: std::fmt::Arguments<'_>| {
            // why: writing to a string cannot fail
            let _ = writeln!(svg, "{text}");
        };
        put(format_args!(
            "<text x=\"12\" y=\"{}\" font-size=\"13\" font-weight=\"600\">{}</text>",
            top + 20.0,
            self.title
        ));
        put(format_args!(
            "<text x=\"{}\" y=\"{}\" fill=\"#555\">time of the search</text>",
            SCALE[0],
            top + 36.0
        ));
        put(format_args!("<text x=\"{}\" y=\"{}\" fill=\"#555\">loss</text>", BARS[0], top + 36.0));
        for exponent in from..=to {
            let at = x(10f64.powi(exponent));
            put(format_args!(
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{first}\" y2=\"{last}\" stroke=\"#ddd\"/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
                last + 14.0,
                power_of_ten(exponent)
            ));
        }
        let mut order: Vec<&Point> = self.points.iter().collect();
        order.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        for (row, point) in order.iter().enumerate() {
            let y = first + ROW * (row as f64 + 0.5);
            let (px, width) = (x(point.seconds), point.loss.clamp(0.0, 1.0) * (BARS[1] - BARS[0]));
            let fill = if point.exact { "#1b5e8c" } else { "#fff" };
            put(format_args!(
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
                 <line x1=\"{}\" x2=\"{px:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#cfe0ec\"/>\
                 <circle cx=\"{px:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"#1b5e8c\" stroke-width=\"1.5\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.3}</text>\
                 <rect x=\"{}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"9\" fill=\"#1b5e8c\" opacity=\"0.55\"/>",
                SCALE[0] - 10.0,
                y + 4.0,
                point.name,
                SCALE[0],
                BARS[0] - 6.0,
                y + 4.0,
                point.loss,
                BARS[0],
                y - 4.5,
            ));
        }
    }
}

fn power_of_ten(exponent: i32) -> String {
    match exponent {
        ..=-4 => format!("{} µs", 10i32.pow((exponent + 6).max(0) as u32)),
        -3..=-1 => format!("{} ms", 10i32.pow((exponent + 3) as u32)),
        _ => format!("{} s", 10i64.pow(exponent.min(9) as u32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_and_named() {
        let point = |name: &str, seconds, loss| Point { name: name.into(), seconds, loss, exact: false };
        let panel = Panel { title: "t".into(), points: vec![point("a", 0.001, 0.2), point("b", 30.0, 0.9)] };
        let svg = draw(&[panel]);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains(">a</text>") && svg.contains(">b</text>") && svg.contains("100 s"), "{svg}");
        assert!(draw(&[Panel { title: String::new(), points: Vec::new() }]).contains("</svg>"));
    }
}
