//! Pictures as SVG, without styles of their own: classes and the style sheet give the colours, in light and dark.
//!
//! Each has a title and a description, and stands beside a table that says the same.

use maud::{Markup, html};

/// Shares of pairs of columns as squares, the darker the larger.
pub(crate) fn heat(names: &[&str], shares: &[Vec<f64>]) -> Markup {
    let (cell, left, top) = (34_usize, 150_usize, 96_usize);
    let (width, height) = (left + cell * names.len() + 10, top + cell * names.len() + 10);
    html! {
        svg class="picture" width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) role="img" aria-labelledby="heat-title heat-text" {
            title id="heat-title" { "Records that are alone by two columns" }
            desc id="heat-text" { "Each square is a pair of columns; the table below has the same numbers." }
            @for (a, name) in names.iter().enumerate() {
                @let middle = cell * a + cell / 2;
                text class="axis" x=(left - 6) y=(top + middle + 4) text-anchor="end" { (short(name)) }
                text class="axis" text-anchor="start"
                    transform=(format!("translate({} {}) rotate(-50)", left + middle, top - 6)) { (short(name)) }
                @for (b, share) in shares[a].iter().enumerate() {
                    rect class=(format!("heat heat-{}", step(*share))) x=(left + cell * b + 1) y=(top + cell * a + 1)
                        width=(cell - 2) height=(cell - 2) {
                        title { (name) " and " (names[b]) ": " (percent(*share)) }
                    }
                    @if *share >= 0.005 {
                        text class=(format!("in-heat over-{}", step(*share))) x=(left + cell * b + cell / 2) y=(top + middle + 4)
                            text-anchor="middle" { (format!("{:.0}", share * 100.0)) }
                    }
                }
            }
        }
    }
}

/// A mark of the curve.
pub(crate) struct Mark {
    pub label: String,
    pub loss: f64,
    pub risk: f64,
    pub is_chosen: bool,
    pub href: String,
}

/// Loss from left to right, the largest risk from bottom to top.
pub(crate) fn curve(marks: &[Mark]) -> Markup {
    let (width, height, pad) = (560.0, 300.0, 48.0);
    let x = |loss: f64| pad + loss.clamp(0.0, 1.0) * (width - pad - 16.0);
    // Risks of 1/2 and of 1/50 can both be told from nothing on a scale of roots.
    let y = |risk: f64| height - pad - risk.clamp(0.0, 1.0).sqrt() * (height - pad - 16.0);
    let mut line: Vec<&Mark> = marks.iter().collect();
    line.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    let points: Vec<String> =
        line.iter().map(|own| format!("{:.1},{:.1}", x(own.loss), y(own.risk))).collect();
    html! {
        svg class="picture" width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) role="group" aria-labelledby="curve-title curve-text" {
            title id="curve-title" { "Loss and largest risk of the candidates" }
            desc id="curve-text" { "Further left keeps more detail, further down is safer. The table below has the same numbers." }
            @for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
                line class="grid" x1=(x(share)) x2=(x(share)) y1=(y(0.0)) y2=(y(1.0)) {}
                text class="axis" x=(x(share)) y=(height - pad + 18.0) text-anchor="middle" { (format!("{share}")) }
            }
            @for risk in [0.02, 0.1, 0.2, 0.5, 1.0] {
                line class="grid" x1=(x(0.0)) x2=(x(1.0)) y1=(y(risk)) y2=(y(risk)) {}
                text class="axis" x=(pad - 6.0) y=(y(risk) + 4.0) text-anchor="end" { (percent(risk)) }
            }
            text class="axis" x=(width / 2.0) y=(height - 8.0) text-anchor="middle" { "loss of detail" }
            polyline class="line" points=(points.join(" ")) {}
            @for mark in marks {
                a href=(mark.href) aria-label=(mark.label) {
                    circle class=(if mark.is_chosen { "mark chosen" } else { "mark" }) cx=(x(mark.loss)) cy=(y(mark.risk)) r="8" {
                        title { (mark.label) }
                    }
                }
            }
        }
    }
}

/// A bar for a share from 0 to 1.
pub(crate) fn bar(share: f64) -> Markup {
    let width = (share.clamp(0.0, 1.0) * 100.0).round();
    html! {
        svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect class="bar-back" width="100" height="10" {}
            rect class="bar-front" width=(width) height="10" {}
        }
    }
}

/// A share as a bar and in per cent.
pub(crate) fn share(share: f64) -> Markup {
    html! { span class="share" { (bar(share)) " " (percent(share)) } }
}

/// In per cent; what is not nothing is not shown as nothing. The number and its sign stay on one line.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0\u{a0}%".to_owned(),
        own if own < 0.1 => "<\u{a0}0.1\u{a0}%".to_owned(),
        own if own < 10.0 => format!("{own:.1}\u{a0}%"),
        own => format!("{own:.0}\u{a0}%"),
    }
}

fn step(share: f64) -> u32 {
    match share {
        own if own < 0.005 => 0,
        own if own < 0.05 => 1,
        own if own < 0.2 => 2,
        own if own < 0.5 => 3,
        _ => 4,
    }
}

fn short(name: &str) -> String {
    match name.chars().count() {
        0..=18 => name.to_owned(),
        _ => name.chars().take(17).chain(['…']).collect(),
    }
}
