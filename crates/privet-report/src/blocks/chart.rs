//! Curves, dots or bars over one pair of axes, with the numbers as a table that opens below.

use privet_kind::page::{Axis, Chart, Series, Style, Tone};

use super::drawing::{path, stroke};
use crate::svg::{figure, open, round_up, view_box};
use crate::text::{count, escape, number, share};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;

/// The tones of the first curves; further ones repeat them.
const TONES: [Tone; 4] = [Tone::Before, Tone::After, Tone::Alarm, Tone::Plain];

/// Rows of the table below; a longer curve is thinned evenly.
const MOST_ROWS: usize = 24;

pub(super) fn write(chart: &Chart, id: &str, out: &mut String) {
    let caption = escape(&chart.caption);
    let points = || chart.series.iter().flat_map(|series| series.points.iter().copied());
    let across = Range::of(points().map(|(x, _)| x), &chart.x, chart.style == Style::Bars);
    let upwards = Range::of(points().map(|(_, y)| y), &chart.y, true);
    put!(out, "<figure class=\"boxes\">\n");
    let description = format!(
        "{} over {}; the table below has the numbers.",
        escape(&chart.y.title),
        escape(&chart.x.title)
    );
    out.push_str(&open(id, "chart", &view_box(WIDTH, HEIGHT), &caption, &description));
    axes(chart, &across, &upwards, out);
    for (number, series) in chart.series.iter().enumerate() {
        draw(series, chart, (number, chart.series.len()), (&across, &upwards), out);
    }
    put!(out, "</svg>\n<figcaption>{caption}</figcaption>\n");
    if chart.series.len() > 1 {
        legend(chart, out);
    }
    numbers(chart, out);
    out.push_str("</figure>\n");
}

/// The values that an axis shows.
struct Range {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>, axis: &Axis, from_zero: bool) -> Self {
        let usable = values.filter(|v| v.is_finite() && (!axis.logarithmic || *v > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        if axis.logarithmic {
            let low = 10f64.powf(low.max(f64::MIN_POSITIVE).log10().floor());
            let high = 10f64.powf(high.max(f64::MIN_POSITIVE).log10().ceil()).max(low * 10.0);
            return Self { low, high, logarithmic: true };
        }
        let high = match axis.is_share && high <= 1.0 && high > 0.5 {
            true => 1.0,
            false if high > 0.0 => round_up(high),
            false => 0.0_f64.max(high),
        };
        let low = if from_zero || low >= 0.0 && low < high / 3.0 { low.min(0.0) } else { low };
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, logarithmic: false }
    }

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let share = match self.logarithmic {
            true => (value.max(self.low) / self.low).log10() / (self.high / self.low).log10(),
            false => (value - self.low) / (self.high - self.low),
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let decades = (self.high / self.low).log10().round() as usize;
            let step = decades.div_ceil(6).max(1);
            return (0..=decades).step_by(step).map(|d| self.low * 10f64.powi(d as i32)).collect();
        }
        (0..=4).map(|i| self.low + (self.high - self.low) * f64::from(i) / 4.0).collect()
    }
}

fn x_of(range: &Range, value: f64) -> f64 {
    LEFT + range.place(value) * (WIDTH - LEFT - RIGHT)
}

fn y_of(range: &Range, value: f64) -> f64 {
    HEIGHT - BOTTOM - range.place(value) * (HEIGHT - TOP - BOTTOM)
}

fn label(value: f64, axis: &Axis) -> String {
    match axis.is_share {
        true => share(value),
        false if value.fract() == 0.0 && (0.0..1e15).contains(&value) => count(value as u64),
        false => number(value),
    }
}

fn axes(chart: &Chart, across: &Range, upwards: &Range, out: &mut String) {
    let base = HEIGHT - BOTTOM;
    for tick in upwards.ticks() {
        let y = figure(y_of(upwards, tick));
        put!(
            out,
            "<line class=\"mesh\" x1=\"{LEFT}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\"/><text class=\"tick\" x=\"{}\" y=\"{y}\" dy=\"4\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            escape(&label(tick, &chart.y))
        );
    }
    let ticks = across.ticks();
    for (number, tick) in ticks.iter().enumerate() {
        let anchor = if number + 1 == ticks.len() { "end" } else { "middle" };
        put!(
            out,
            "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            figure(x_of(across, *tick)),
            base + 15.0,
            escape(&label(*tick, &chart.x))
        );
    }
    put!(
        out,
        "<rect class=\"axis\" x=\"{LEFT}\" y=\"{base}\" width=\"{}\" height=\"1\"/>",
        WIDTH - LEFT - RIGHT
    );
    put!(
        out,
        "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><text class=\"tick\" x=\"{LEFT}\" y=\"{}\">{}</text>",
        WIDTH - RIGHT,
        HEIGHT - 6.0,
        escape(&chart.x.title),
        HEIGHT - 6.0,
        escape(&chart.y.title)
    );
}

fn draw(
    series: &Series,
    chart: &Chart,
    (number, of): (usize, usize),
    ranges: (&Range, &Range),
    out: &mut String,
) {
    let tone = tone(number, of);
    let placed: Vec<(f64, f64)> = (series.points.iter())
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .map(|&(x, y)| (x_of(ranges.0, x), y_of(ranges.1, y)))
        .collect();
    match chart.style {
        Style::Lines => {
            put!(out, "<polyline fill=\"none\" {} points=\"{}\"/>", stroke(tone), path(&placed));
        }
        Style::Dots => {}
        Style::Bars => {
            let base = HEIGHT - BOTTOM;
            let slots = chart.series.iter().map(|own| own.points.len()).max().unwrap_or(1).max(1);
            let slot = ((WIDTH - LEFT - RIGHT) / slots as f64).min(48.0);
            let width = (slot * 0.8 / of as f64).max(0.6);
            for (x, y) in placed {
                let left = x - slot * 0.4 + width * number as f64;
                put!(
                    out,
                    "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                    if number == 0 && of > 1 { "hatched" } else { "solid" },
                    figure(left.clamp(LEFT, WIDTH - RIGHT - width)),
                    figure(y),
                    figure(width),
                    figure(base - y)
                );
            }
            return;
        }
    }
    for (x, y) in placed.iter().take(400) {
        put!(out, "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"1.8\"/>", figure(*x), figure(*y));
    }
}

/// One curve alone is that of the release.
fn tone(number: usize, of: usize) -> Tone {
    if of == 1 { Tone::After } else { TONES[number % TONES.len()] }
}

fn legend(chart: &Chart, out: &mut String) {
    out.push_str("<ul class=\"legend\">\n");
    for (number, series) in chart.series.iter().enumerate() {
        let name = escape(&series.name);
        match chart.style {
            Style::Bars => {
                let class = if number == 0 { "hatched" } else { "solid" };
                put!(out, "<li><span class=\"key {class}\" aria-hidden=\"true\"></span>{name}</li>\n");
            }
            _ => put!(
                out,
                "<li><svg width=\"26\" height=\"10\" style=\"display:inline-block\" aria-hidden=\"true\"><polyline fill=\"none\" {} \
                 points=\"0,5 26,5\"/></svg> {name}</li>\n",
                stroke(tone(number, chart.series.len()))
            ),
        }
    }
    out.push_str("</ul>\n");
}

/// The numbers behind the drawing.
fn numbers(chart: &Chart, out: &mut String) {
    put!(
        out,
        "<details><summary>The numbers</summary>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"The numbers of \
         {caption}\"><table>\n<caption>{caption}</caption>\n<thead><tr><th scope=\"col\">curve</th><th scope=\"col\" \
         class=\"number\">{}</th><th scope=\"col\" class=\"number\">{}</th></tr></thead>\n<tbody>\n",
        escape(&chart.x.title),
        escape(&chart.y.title),
        caption = escape(&chart.caption)
    );
    for series in &chart.series {
        let step = series.points.len().div_ceil(MOST_ROWS).max(1);
        for (x, y) in series.points.iter().step_by(step) {
            put!(
                out,
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
                escape(&series.name),
                told(*x, &chart.x),
                told(*y, &chart.y)
            );
        }
    }
    out.push_str("</tbody></table></div></details>\n");
}

fn told(value: f64, axis: &Axis) -> String {
    if value.is_finite() { escape(&label(value, axis)) } else { "not known".to_owned() }
}
