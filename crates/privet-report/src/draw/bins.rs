//! Histograms over ranges of numbers: their bars joined when there are too many, their labels, and what they say in
//! words.

use crate::page::capitalized;
use crate::sections::{close_table, header, open_table};
use crate::svg::{self, Column};
use crate::text::{count, number};

/// More bars than this are joined with their neighbours.
const MOST: usize = 20;

/// So many from one bound to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bar {
    pub from: f64,
    pub to: f64,
    pub many: u64,
}

/// Joins neighbours until there are few bars.
fn join(bars: &[Bar]) -> Vec<Bar> {
    let run = bars.len().div_ceil(MOST).max(1);
    bars.chunks(run)
        .map(|run| Bar {
            from: run.iter().map(|bar| bar.from).fold(f64::INFINITY, f64::min),
            to: run.iter().map(|bar| bar.to).fold(f64::NEG_INFINITY, f64::max),
            many: run.iter().fold(0, |sum, bar| sum.saturating_add(bar.many)),
        })
        .collect()
}

/// A histogram with its title and the name of the axis across; `things` are what the bars count. Nothing when there is no bar.
pub(crate) fn draw(
    id: &str,
    (title, across): (&str, &str),
    bars: &[Bar],
    things: &str,
    hatched: bool,
) -> String {
    let bars = join(bars);
    if bars.is_empty() {
        return String::new();
    }
    // Whole numbers up to 1 are counts: one record may be a person's.
    let bounds = || bars.iter().flat_map(|bar| [bar.from, bar.to]);
    let is_share =
        bounds().all(|bound| (0.0..=1.0).contains(&bound)) && bounds().any(|bound| bound.fract() != 0.0);
    // Where each bar begins where the one before ends, the edges say it all.
    let has_edges =
        bars.windows(2).all(|two| two[0].to == two[1].from) && bars.iter().all(|bar| bar.from < bar.to);
    let columns: Vec<Column> = bars
        .iter()
        .map(|bar| Column {
            label: if has_edges { bound(bar.from, is_share) } else { range(bar, is_share) },
            value: bar.many,
        })
        .collect();
    let last = bars.last().filter(|_| has_edges).map(|bar| bound(bar.to, is_share));
    let unit = if is_share { "\u{a0}%" } else { "" };
    let said: Vec<String> = bars
        .iter()
        .map(|bar| format!("{}{unit}: {} {things}", range(bar, is_share), count(bar.many)))
        .collect();
    let mut out =
        svg::histogram(id, title, &format!("{}.", said.join("; ")), &columns, hatched, last.as_deref());
    put!(
        out,
        "<p class=\"axis-name\">Across: {across}{}. Upwards: {things}.</p>",
        match (across.is_empty(), is_share) {
            (true, true) => "per cent",
            (true, false) => "numbers",
            (false, true) => ", in per cent",
            (false, false) => "",
        }
    );
    let drawn = |class: &str| out.matches(&format!("<text class=\"{class}\"")).count();
    let counted = columns.iter().filter(|own| own.value > 0).count();
    // A label that ran into another was left out: the numbers are told one by one.
    if drawn("value") < counted || drawn("tick") < columns.len() + usize::from(last.is_some()) {
        table(&mut out, id, title, &bars, things, is_share);
    }
    out
}

/// The numbers of the bars that are not empty.
fn table(out: &mut String, id: &str, title: &str, bars: &[Bar], things: &str, is_share: bool) {
    out.push('\n');
    open_table(out, &format!("{id}-table"), "bars", title);
    let across = if is_share { "#Per cent" } else { "#From, to" };
    header(out, &[across, &format!("#{}", capitalized(things))]);
    for bar in bars.iter().filter(|bar| bar.many > 0) {
        put!(
            out,
            "<tr><th scope=\"row\" class=\"number\">{}</th><td class=\"number\">{}</td></tr>\n",
            range(bar, is_share),
            count(bar.many)
        );
    }
    close_table(out);
}

/// `10–20`, of shares in per cent.
fn range(bar: &Bar, is_share: bool) -> String {
    if bar.from == bar.to {
        bound(bar.from, is_share)
    } else {
        format!("{}–{}", bound(bar.from, is_share), bound(bar.to, is_share))
    }
}

fn bound(bound: f64, is_share: bool) -> String {
    if !bound.is_finite() {
        return if bound.is_nan() {
            "?"
        } else if bound > 0.0 {
            "∞"
        } else {
            "−∞"
        }
        .to_owned();
    }
    if !is_share {
        return number(bound);
    }
    // As shares are written everywhere, without the decimals of round numbers, which bounds mostly are.
    let per_cent = bound * 100.0;
    let decimals = if per_cent >= 0.1 { 1 } else { 3 };
    let text = format!("{per_cent:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_true() {
        let label = |from, to, is_share| range(&Bar { from, to, many: 1 }, is_share);
        assert_eq!(label(0.1, 0.2, true), "10–20");
        assert_eq!(label(0.9, 1.0, true), "90–100");
        assert_eq!(label(0.0, 0.005, true), "0–0.5");
        assert_eq!(label(0.2, 1.0 / 3.0, true), "20–33.3");
        assert_eq!(label(1.0, 1.0, false), "1");
        assert_eq!(label(5.0, f64::INFINITY, false), "5–∞");
        assert_eq!(label(f64::NAN, f64::NAN, false), "?–?");
    }

    #[test]
    fn many_bars_become_few_and_nobody_is_lost() {
        let bars: Vec<Bar> =
            (0..10_000).map(|i| Bar { from: f64::from(i), to: f64::from(i + 1), many: 3 }).collect();
        let joined = join(&bars);
        assert!(joined.len() <= MOST);
        assert_eq!(joined.iter().map(|bar| bar.many).sum::<u64>(), 30_000);
        assert_eq!((joined[0].from, joined[joined.len() - 1].to), (0.0, 10_000.0));
        assert!(draw("x", ("t", ""), &[], "people", false).is_empty());
        let one = draw("x", ("t", ""), &[Bar { from: 1.0, to: 1.0, many: 5 }], "people", false);
        assert!(one.contains("1: 5 people") && !one.contains("per cent"), "{one}");
        assert!(!one.contains("<table"), "all of it stands in the drawing: {one}");
        // Twenty bars of five figures have no room for all of them.
        let many = draw("x", ("People by how sure one is", "how sure one is"), &bars[..20], "people", false);
        assert!(many.contains("Across: how sure one is. Upwards: people."), "{many}");
        assert!(many.contains("<table") && many.matches("<tr><th scope=\"row\"").count() == 20, "{many}");
        let odd = [Bar { from: f64::NAN, to: f64::INFINITY, many: u64::MAX }; 3];
        let drawing = draw("x", ("t", ""), &odd, "people", true);
        assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
    }
}
