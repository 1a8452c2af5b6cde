//! The pictures of the page: a law, how errors shrink with the number of records, and distributions as published and as
//! estimated.

use privet_release::perturbed::{Categories, CategoryLaw, NoiseLaw, Perturbation};

use super::PerturbedPicture;
use crate::svg::{Label, figure, open, proper, view_box, write_labels};
use crate::text::{count, counted, number, share, short_count};

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 168.0;
const TOP: f64 = 20.0;
const BASE: f64 = 142.0;

/// More values than this make a matrix that cannot be read.
const MOST_CELLS: usize = 16;

/// The law of a column.
pub(super) fn law(out: &mut String, id: &str, perturbation: &Perturbation, picture: &PerturbedPicture) {
    match perturbation {
        Perturbation::Categories(own) => matrix(out, id, own),
        Perturbation::Items(_) => {}
        Perturbation::Noise(own) => {
            let known = match picture {
                PerturbedPicture::Numbers { noise_deviation, .. } => Some(*noise_deviation),
                _ => None,
            };
            density(out, id, own.law, own.deviation.or(known));
        }
    }
}

/// The probability that row u becomes column v.
pub(super) fn probability(own: &Categories, u: usize, v: usize) -> f64 {
    match &own.law {
        CategoryLaw::Retention(keep) => {
            let even = (1.0 - keep) / own.values.len().max(1) as f64;
            if u == v { keep + even } else { even }
        }
        CategoryLaw::Matrix(rows) => rows.get(u).and_then(|row| row.get(v)).copied().unwrap_or(0.0),
    }
}

/// The probabilities of the diagonal: one, or from the least to the most.
fn kept(own: &Categories) -> String {
    let diagonal = || (0..own.values.len()).map(|u| probability(own, u, u));
    let (least, most) = (diagonal().fold(1.0, f64::min), diagonal().fold(0.0, f64::max));
    match (number(least), number(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}, depending on the value"),
    }
}

fn matrix(out: &mut String, id: &str, own: &Categories) {
    let size = own.values.len();
    out.push_str("<figure>\n");
    if size > MOST_CELLS || size == 0 {
        // A row of a large matrix in two bars: the value itself, and all others together.
        let kept = probability(own, 0, 0);
        let uniform = matches!(own.law, CategoryLaw::Retention(_));
        let kept = if uniform { kept } else { (0..size).map(|u| probability(own, u, u)).fold(1.0, f64::min) };
        out.push_str(&open(
            id,
            "chart",
            &view_box(WIDTH, 96.0),
            "What becomes of a value",
            &format!(
                "The same value with probability {}, another with {}.",
                number(kept),
                number(1.0 - kept)
            ),
        ));
        for (row, (label, part, class)) in
            [("the same", kept, "solid"), ("another", 1.0 - kept, "hatched")].into_iter().enumerate()
        {
            let y = 14.0 + 40.0 * row as f64;
            put!(
                out,
                "<rect class=\"{class}\" x=\"66\" y=\"{y}\" width=\"{}\" height=\"24\"/><text x=\"0\" y=\"{}\">{label}</text>\
                 <text x=\"{}\" y=\"{}\">{}</text>",
                figure(proper(part) * 216.0),
                figure(y + 16.0),
                figure(72.0 + proper(part) * 216.0),
                figure(y + 16.0),
                share(part)
            );
        }
        let least = if uniform { "" } else { " (of the value that is kept least)" };
        put!(out, "</svg>\n<figcaption>What becomes of a value{least}.</figcaption>\n</figure>\n");
        return;
    }
    let cell = (150.0 / size as f64).min(44.0);
    let edge = cell * size as f64;
    out.push_str(&open(
        id,
        "chart",
        &view_box(WIDTH, edge + 34.0),
        "The law as a matrix",
        &format!("{size} by {size} probabilities; a value stays the same with probability {}.", kept(own)),
    ));
    put!(out, "<text class=\"tick\" x=\"112\" y=\"12\">published →</text>");
    for u in 0..size {
        let y = 20.0 + cell * u as f64;
        for v in 0..size {
            let own = proper(probability(own, u, v));
            let x = 112.0 + cell * v as f64;
            put!(
                out,
                "<rect class=\"solid\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{}\"/>",
                figure(x),
                figure(y),
                figure(cell - 1.0),
                figure(cell - 1.0),
                figure(own)
            );
            if size <= 6 {
                // A light ground behind dark cells keeps the figures readable.
                let text = number((own * 1000.0).round() / 1000.0);
                put!(
                    out,
                    "<text class=\"behind\" x=\"{0}\" y=\"{1}\" text-anchor=\"middle\" aria-hidden=\"true\">{text}</text><text \
                     x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">{text}</text>",
                    figure(x + cell / 2.0),
                    figure(y + cell / 2.0 + 4.0)
                );
            }
        }
        let value = own.values.get(u).map_or("", String::as_str);
        let short: String = value.chars().take(16).collect();
        let cut = if value.chars().count() > 16 { "…" } else { "" };
        if cell >= 9.0 {
            put!(
                out,
                "<text class=\"tick\" x=\"106\" y=\"{}\" text-anchor=\"end\">{}{cut}</text>",
                figure(y + cell / 2.0 + 4.0),
                crate::text::escape(&short)
            );
        }
    }
    out.push_str(
        "</svg>\n<figcaption>Row: what a value was. Column, in the same order: what it became. Darker is more \
         likely.</figcaption>\n</figure>\n",
    );
}

/// The density of noise, its middle 95 % filled.
fn density(out: &mut String, id: &str, law: NoiseLaw, deviation: Option<f64>) {
    let at = |x: f64| match law {
        NoiseLaw::Gaussian => (-x * x / 2.0).exp(),
        NoiseLaw::Uniform => f64::from(x.abs() <= 3f64.sqrt()),
    };
    let middle = match law {
        NoiseLaw::Gaussian => 1.96,
        NoiseLaw::Uniform => 0.95 * 3f64.sqrt(),
    };
    let place = |x: f64| {
        (figure(WIDTH / 2.0 + x / 3.4 * (WIDTH / 2.0 - 8.0)), figure(BASE - at(x) * (BASE - TOP - 10.0)))
    };
    let steps = 136;
    let across = |low: f64, high: f64| {
        (0..=steps).map(move |step| low + (high - low) * f64::from(step) / f64::from(steps)).map(place)
    };
    let shown = |times: f64| deviation.map_or(format!("{times} sd"), |sd| number(times * sd));
    out.push_str("<figure>\n");
    out.push_str(&open(
        id,
        "chart",
        &view_box(WIDTH, HEIGHT),
        "The law of the noise",
        &format!("Symmetric about 0; 95 % of it lies between −{0} and {0}.", shown(middle)),
    ));
    let path = |points: &mut dyn Iterator<Item = (String, String)>| {
        points.map(|(x, y)| format!("{x} {y}")).collect::<Vec<_>>().join(" L")
    };
    let ((left, _), (right, _)) = (place(-middle), place(middle));
    put!(
        out,
        "<path class=\"hatched\" d=\"M{left} {BASE} L{} L{right} {BASE} Z\"/><path class=\"before\" d=\"M{}\"/>\
         <rect class=\"axis\" x=\"0\" y=\"{BASE}\" width=\"{WIDTH}\" height=\"1\"/>",
        path(&mut across(-middle, middle)),
        path(&mut across(-3.4, 3.4))
    );
    let ticks = [(-middle, format!("−{}", shown(middle))), (0.0, "0".to_owned()), (middle, shown(middle))];
    let labels = ticks.into_iter().enumerate().map(|(rank, (x, text))| Label {
        centre: WIDTH / 2.0 + x / 3.4 * (WIDTH / 2.0 - 8.0),
        y: BASE + 16.0,
        text,
        rank: rank as u64,
    });
    write_labels(out, labels.collect(), WIDTH, "tick");
    out.push_str(
        "</svg>\n<figcaption>The law of the noise: the higher the curve over a number, the more likely it is. Hatched: 95\u{a0}% of \
         it.</figcaption>\n</figure>\n",
    );
}

/// How the error of an estimate shrinks with the number of records.
pub(super) fn error(out: &mut String, id: &str, picture: &PerturbedPicture, unit: &str) {
    let (c, records, is_share) = match picture {
        PerturbedPicture::Nothing => return,
        PerturbedPicture::Counts { error_of_one, records, .. } => (*error_of_one, *records, true),
        PerturbedPicture::Numbers { error_of_one, records, .. } => (*error_of_one, *records, false),
    };
    if !(c > 0.0 && c.is_finite()) {
        return;
    }
    let shown = |error: f64| if is_share { share(error) } else { format!("{}{unit}", rounded(error)) };
    let at = |n: f64| c / n.sqrt();
    // From a hundred to a million records, on a logarithmic axis.
    let place = |n: f64| {
        let x = (n.log10() - 2.0) / 4.0 * WIDTH;
        (x, BASE - at(n) / at(100.0) * (BASE - TOP))
    };
    let what = if is_share { "a share" } else { "the mean" };
    out.push_str("<figure>\n");
    out.push_str(&open(
        id,
        "chart",
        &view_box(WIDTH, HEIGHT),
        "Error and number of records",
        &format!(
            "Standard error of {what}: {} with 100 records, {} with 10,000, {} with 1,000,000; here {} with {}.",
            shown(at(100.0)),
            shown(at(1e4)),
            shown(at(1e6)),
            shown(at((records as f64).max(1.0))),
            count(records)
        ),
    ));
    let points: Vec<String> = (0..=80)
        .map(|step| place(10f64.powf(2.0 + f64::from(step) / 20.0)))
        .map(|(x, y)| format!("{} {}", figure(x), figure(y)))
        .collect();
    put!(
        out,
        "<path class=\"before\" d=\"M{}\"/><rect class=\"axis\" x=\"0\" y=\"{BASE}\" width=\"{WIDTH}\" height=\"1\"/>",
        points.join(" L")
    );
    // Four marks upwards: a quarter of the error with 100 records each.
    for quarter in 1..=4 {
        let part = f64::from(quarter) / 4.0;
        let y = BASE - part * (BASE - TOP);
        put!(
            out,
            "<line class=\"mesh\" x1=\"0\" y1=\"{0}\" x2=\"{WIDTH}\" y2=\"{0}\"/><text class=\"tick\" x=\"{WIDTH}\" y=\"{1}\" \
             text-anchor=\"end\">{2}</text>",
            figure(y),
            figure(y - 3.0),
            shown(part * at(100.0))
        );
    }
    let here = records as f64;
    if (100.0..=1e6).contains(&here) {
        let (x, y) = place(here);
        put!(out, "<circle class=\"solid\" cx=\"{}\" cy=\"{}\" r=\"4.5\"/>", figure(x), figure(y));
        let text = shown(at(here));
        // Beside the point, above the curve.
        let centre = x + 10.0 + text.chars().count() as f64 * 3.4;
        for class in ["behind", "value strong"] {
            write_labels(out, vec![Label { centre, y: y - 9.0, text: text.clone(), rank: 0 }], WIDTH, class);
        }
    }
    let labels = [100u64, 1_000, 10_000, 100_000, 1_000_000].into_iter().enumerate().map(|(rank, n)| Label {
        centre: place(n as f64).0,
        y: BASE + 16.0,
        text: short_count(n),
        rank: rank as u64,
    });
    write_labels(out, labels.collect(), WIDTH, "tick");
    put!(
        out,
        "</svg>\n<figcaption>Standard error of {what}{}, upwards, by the number of records, across. The dot is this release: {} \
         with {}.</figcaption>\n</figure>\n",
        match (is_share, unit) {
            (true, _) => String::new(),
            (false, "") => ", in the units of the column".to_owned(),
            (false, unit) => format!(", in{unit}"),
        },
        shown(at(here.max(1.0))),
        counted(records, "record", "records")
    );
}

/// Three figures, which is what a drawing can show.
fn rounded(value: f64) -> String {
    let scale = 10f64.powf(2.0 - value.abs().log10().floor());
    number(if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value })
}

/// Numbers as published and as estimated, with the 95 % intervals of what is estimated.
pub(super) fn distribution(
    out: &mut String,
    id: &str,
    ends: &[String; 2],
    bars: &[(f64, f64)],
    intervals: &[(f64, f64)],
    rounds: u64,
) {
    let most = bars.iter().map(|bar| bar.0.max(bar.1)).fold(0.0, f64::max);
    // Tall whiskers must not make everything else flat: they are cut off at the top.
    let tallest = intervals.iter().map(|own| own.1).fold(0.0, f64::max);
    let highest = most;
    let most = most.max(tallest.min(2.0 * most));
    let rise = |share: f64| if most > 0.0 { proper(share / most) * (BASE - TOP) } else { 0.0 };
    let step = WIDTH / bars.len().max(1) as f64;
    out.push_str("<figure>\n");
    out.push_str(&open(
        id,
        "chart",
        &view_box(WIDTH, HEIGHT),
        "Published and reconstructed distribution",
        &format!("{} intervals; the highest holds {} of records.", bars.len(), share(highest.min(1.0))),
    ));
    let mut line = String::new();
    for (at, (published, estimated)) in bars.iter().enumerate() {
        let x = step * at as f64;
        put!(
            out,
            "<rect class=\"hatched fine\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            figure(x + step * 0.08),
            figure(BASE - rise(*published)),
            figure(step * 0.84),
            figure(rise(*published))
        );
        let y = figure(BASE - rise(*estimated));
        put!(line, "{}{} {y} L{} {y} ", if at == 0 { "M" } else { "L" }, figure(x), figure(x + step));
    }
    put!(
        out,
        "<path class=\"before\" d=\"{}\"/><rect class=\"axis\" x=\"0\" y=\"{BASE}\" width=\"{WIDTH}\" height=\"1\"/>",
        line.trim_end()
    );
    for (at, (low, high)) in intervals.iter().enumerate() {
        let x = figure(step * (at as f64 + 0.5));
        let (low, high) = (figure(BASE - rise(*low)), figure(BASE - rise(*high)));
        for class in ["halo", "whisker"] {
            put!(out, "<line class=\"{class}\" x1=\"{x}\" y1=\"{low}\" x2=\"{x}\" y2=\"{high}\"/>");
        }
    }
    let labels = ends.iter().enumerate().map(|(rank, text)| Label {
        centre: WIDTH * rank as f64,
        y: BASE + 16.0,
        text: crate::text::escape(text),
        rank: rank as u64,
    });
    write_labels(out, labels.collect(), WIDTH, "tick");
    let whiskers = match intervals.is_empty() {
        true => "",
        false => "<li><span class=\"key whiskers\" aria-hidden=\"true\"></span>95 %</li>",
    };
    put!(
        out,
        "</svg>\n<figcaption><ul class=\"legend\"><li><span class=\"key hatched\" aria-hidden=\"true\"></span>as \
         published</li><li><span class=\"key line\" aria-hidden=\"true\"></span>reconstructed from it, in {} \
         rounds</li>{whiskers}</ul></figcaption>\n</figure>\n",
        count(rounds)
    );
}

/// A published share over an estimated one with its interval.
pub(super) fn two_bars(published: f64, estimated: f64, reach: f64, end: f64) -> String {
    let end = if end > 0.0 && end.is_finite() { end } else { 1.0 };
    let place = |value: f64| proper(value / end) * 100.0;
    let mut out = String::from(
        "<svg class=\"bar\" width=\"100%\" height=\"28\" aria-hidden=\"true\" focusable=\"false\"><rect class=\"track\" x=\"0\" \
         y=\"2\" width=\"1\" height=\"24\"/>",
    );
    put!(
        out,
        "<rect class=\"hatched\" x=\"0\" y=\"4\" width=\"{}%\" height=\"8\"/>",
        figure(place(published))
    );
    put!(
        out,
        "<rect class=\"solid\" x=\"0\" y=\"15\" width=\"{}%\" height=\"9\"/>",
        figure(place(estimated))
    );
    let at = |value: f64| figure(place(value).clamp(0.3, 99.7));
    let (low, high) = (at(estimated - reach), at(estimated + reach));
    for class in ["halo", "whisker"] {
        put!(
            out,
            "<line class=\"{class}\" x1=\"{low}%\" y1=\"19.5\" x2=\"{high}%\" y2=\"19.5\"/><line class=\"{class}\" \
             x1=\"{low}%\" y1=\"16\" x2=\"{low}%\" y2=\"23\"/><line class=\"{class}\" x1=\"{high}%\" y1=\"16\" x2=\"{high}%\" \
             y2=\"23\"/>"
        );
    }
    out.push_str("</svg>");
    out
}

/// Shares below each other, solid, hatched and empty; what is not known takes no place.
pub(super) fn three_bars(shares: [Option<f64>; 3], end: f64) -> String {
    let end = if end > 0.0 && end.is_finite() { end } else { 1.0 };
    let known =
        shares.into_iter().zip(["solid", "hatched", "empty"]).filter_map(|(own, class)| Some((own?, class)));
    let mut bars = String::new();
    let mut y = 4.0;
    for (own, class) in known {
        put!(
            bars,
            "<rect class=\"{class}\" x=\"0\" y=\"{}\" width=\"{}%\" height=\"8\"/>",
            figure(y),
            figure(proper(own / end) * 100.0)
        );
        y += 11.0;
    }
    format!(
        "<svg class=\"bar\" width=\"100%\" height=\"{0}\" aria-hidden=\"true\" focusable=\"false\"><rect class=\"track\" x=\"0\" \
         y=\"2\" width=\"1\" height=\"{1}\"/>{bars}</svg>",
        figure(y),
        figure(y - 3.0)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_can_be_drawn() {
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e-300, 0.5, 1e300] {
            let mut out = two_bars(odd, odd, odd, odd);
            out.push_str(&three_bars([Some(odd), None, Some(odd)], odd));
            let bars = vec![("<b>".to_owned(), odd, odd, odd)];
            error(
                &mut out,
                "e",
                &PerturbedPicture::Counts {
                    bars,
                    left_out: 0,
                    error_of_one: odd,
                    records: 0,
                    warnings: vec![],
                },
                "",
            );
            distribution(
                &mut out,
                "d",
                &["<a>".into(), "b".into()],
                &[(odd, odd), (0.5, odd)],
                &[(odd, odd)],
                3,
            );
            density(&mut out, "n", NoiseLaw::Uniform, Some(odd));
            assert!(!out.contains("NaN") && !out.contains("inf\"") && !out.contains("<a>"), "{out}");
        }
    }
}
