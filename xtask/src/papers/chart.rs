//! Curves over a number, in SVG.

use std::fmt::Write as _;

/// A picture with one or more curves.
#[derive(Default)]
pub struct Chart {
    pub title: String,
    /// What stands below and beside the axes.
    pub axes: [String; 2],
    /// Whether each axis is logarithmic.
    pub is_log: [bool; 2],
    /// A name and its points.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
}

/// Where the plot begins and ends.
const X: [f64; 2] = [70.0, 520.0];
const Y: [f64; 2] = [300.0, 40.0];
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 350.0;
/// Colours that readers with a colour weakness tell apart (Okabe and Ito).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b8860b", "#000000"];

impl Chart {
    /// A picture without curves.
    pub fn new(title: &str, x: &str, y: &str) -> Self {
        Self { title: title.to_owned(), axes: [x.to_owned(), y.to_owned()], ..Self::default() }
    }

    /// The same with a logarithmic axis: 0 below, 1 beside.
    pub fn log(mut self, axis: usize) -> Self {
        self.is_log[axis] = true;
        self
    }

    /// Adds a curve.
    pub fn curve(&mut self, name: &str, points: Vec<(f64, f64)>) {
        self.curves.push((name.to_owned(), points));
    }

    /// The picture.
    pub fn svg(&self) -> String {
        let axes = [Axis::new(self, 0), Axis::new(self, 1)];
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
             <text x=\"{}\" y=\"22\" font-size=\"13\" font-weight=\"600\">{}</text>\n",
            X[0],
            escaped(&self.title)
        );
        for (number, at) in axes[0].ticks() {
            let _ = writeln!(
                svg,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{}\" y2=\"{}\" stroke=\"#e4e4e4\"/><text x=\"{at:.1}\" y=\"{}\" \
                 text-anchor=\"middle\" fill=\"#555\">{number}</text>",
                Y[0],
                Y[1],
                Y[0] + 16.0
            );
        }
        for (number, at) in axes[1].ticks() {
            let _ = writeln!(
                svg,
                "<line x1=\"{}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#e4e4e4\"/><text x=\"{}\" y=\"{:.1}\" \
                 text-anchor=\"end\" fill=\"#555\">{number}</text>",
                X[0],
                X[1],
                X[0] - 8.0,
                at + 4.0
            );
        }
        let middle = (Y[0] + Y[1]) / 2.0;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#333\">{}</text>\n<text x=\"16\" y=\"{middle}\" \
             text-anchor=\"middle\" fill=\"#333\" transform=\"rotate(-90 16 {middle})\">{}</text>",
            (X[0] + X[1]) / 2.0,
            Y[0] + 36.0,
            escaped(&self.axes[0]),
            escaped(&self.axes[1])
        );
        for (number, (name, points)) in self.curves.iter().enumerate() {
            self.draw(&mut svg, &axes, number, name, points);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn draw(&self, svg: &mut String, axes: &[Axis; 2], number: usize, name: &str, points: &[(f64, f64)]) {
        let colour = COLOURS[number % COLOURS.len()];
        let dashes = ["", "6 3", "2 2"][number / COLOURS.len() % 3];
        let places: Vec<(f64, f64)> =
            points.iter().map(|&(x, y)| (axes[0].place(x), axes[1].place(y))).collect();
        let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-dasharray=\"{dashes}\"/>",
            line.join(" ")
        );
        for (x, y) in &places {
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{colour}\"/>");
        }
        let key = Y[1] + 10.0 + 18.0 * number as f64;
        let _ = writeln!(
            svg,
            "<line x1=\"{}\" x2=\"{}\" y1=\"{key}\" y2=\"{key}\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dashes}\"/><text x=\"{}\" y=\"{}\">{}</text>",
            X[1] + 16.0,
            X[1] + 38.0,
            X[1] + 44.0,
            key + 4.0,
            escaped(name)
        );
    }
}

/// An axis: from where to where, and its scale.
struct Axis {
    from: f64,
    to: f64,
    is_log: bool,
    span: [f64; 2],
}

impl Axis {
    fn new(chart: &Chart, which: usize) -> Self {
        let is_log = chart.is_log[which];
        let of = |point: &(f64, f64)| if which == 0 { point.0 } else { point.1 };
        let values = chart.curves.iter().flat_map(|(_, points)| points.iter().map(of));
        let values = values.filter(|value| !is_log || *value > 0.0);
        let (least, most) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let (least, most) = if least > most { (0.0, 1.0) } else { (least, most) };
        let (from, to) = match (is_log, which) {
            (true, 0) => (least.log10(), most.log10()),
            (true, _) => (least.log10().floor(), most.log10().ceil()),
            (false, 0) => (least, most),
            (false, _) => (least.min(0.0), most + 0.05 * (most - least.min(0.0))),
        };
        let to = if to > from { to } else { from + 1.0 };
        Self { from, to, is_log, span: if which == 0 { X } else { Y } }
    }

    fn place(&self, value: f64) -> f64 {
        let value = if self.is_log { value.max(1e-12).log10() } else { value };
        self.span[0] + (value - self.from) / (self.to - self.from) * (self.span[1] - self.span[0])
    }

    /// Numbers to write beside the axis, and where.
    fn ticks(&self) -> Vec<(String, f64)> {
        if self.is_log {
            let whole = self.from.floor() as i32..=self.to.ceil() as i32;
            let inside = |value: &f64| value.log10() >= self.from - 1e-9 && value.log10() <= self.to + 1e-9;
            let steps: &[f64] = if self.to - self.from > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
            let values = whole.flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
            return values.filter(inside).map(|value| (short(value), self.place(value))).collect();
        }
        let rough = (self.to - self.from) / 6.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|own| own * power).into_iter().find(|own| *own >= rough);
        let step = step.unwrap_or(power);
        let first = (self.from / step - 1e-9).ceil() as i64;
        let last = (self.to / step + 1e-9).floor() as i64;
        (first..=last).map(|tick| tick as f64 * step).map(|value| (short(value), self.place(value))).collect()
    }
}

/// A number in few characters.
fn short(value: f64) -> String {
    let magnitude = value.abs();
    match magnitude {
        _ if magnitude >= 1e9 => format!("{}G", trimmed(value / 1e9)),
        _ if magnitude >= 1e6 => format!("{}M", trimmed(value / 1e6)),
        _ if magnitude >= 1e4 => format!("{}k", trimmed(value / 1e3)),
        _ => trimmed(value),
    }
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_within_the_plot() {
        let mut chart = Chart::new("loss & time", "k", "loss").log(0);
        chart.curve("one", vec![(2.0, 0.5), (20.0, 0.75)]);
        chart.curve("two", vec![(2.0, 0.0), (200.0, 1.0)]);
        let svg = chart.svg();
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polyline").count()), (4, 2));
        assert!(svg.contains("loss &amp; time"));
        let axis = Axis::new(&chart, 0);
        assert!((axis.place(2.0) - X[0]).abs() < 1e-9 && (axis.place(200.0) - X[1]).abs() < 1e-9);
        assert!(Chart::new("", "", "").svg().ends_with("</svg>\n"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, 0.25, 1500.0, 25_000.0, 2.5e6].map(short), ["0", "0.25", "1500", "25k", "2.5M"]);
    }
}
