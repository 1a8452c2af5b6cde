//! The sizes of the classes: how many classes per size, and how many records at which risk (one divided by the size).

use privet_release::Manifest;
use privet_release::manifest::{Classes, SizeBin};

use crate::form::FormWords;
use crate::svg::Column;
use crate::text::{count, number, percent, share, short_count};
use crate::{Facts, svg};

use super::{close_table, header, open_table, term};

/// More bins than this are joined with their neighbours.
const MOST_BINS: usize = 24;

pub(crate) fn write(manifest: &Manifest, _facts: &Facts, out: &mut String) {
    let classes = &manifest.classes;
    if classes.count == 0 {
        out.push_str("<p>No class is published.</p>\n");
        return;
    }
    out.push_str("<dl class=\"row\">\n");
    term(out, "Classes", &count(classes.count));
    term(out, "Smallest", &count(classes.min));
    term(out, "Mean", &number(classes.mean));
    term(out, "Largest", &count(classes.max));
    if classes.min > 0 {
        term(out, "Highest risk", &share(1.0 / classes.min as f64));
    }
    if manifest.data.rows > 0 {
        term(out, "Mean risk", &share(classes.count as f64 / manifest.data.rows as f64));
    }
    out.push_str("</dl>\n");
    out.push_str(FormWords::of(manifest.kind).risk_of_size);
    let (bins, joined) = join(classes);
    if bins.is_empty() {
        return;
    }
    out.push_str("<div class=\"pair\">\n");
    let by_size: Vec<Column> =
        bins.iter().map(|b| Column { label: range(b, short_count), value: b.classes }).collect();
    chart(
        out,
        "classes-chart",
        "Classes by size",
        "One bar per range of sizes, its height the number of classes.",
        &by_size,
        false,
    );
    // Large classes have small risks, so the order turns round.
    let by_risk: Vec<Column> =
        bins.iter().rev().map(|b| Column { label: at_most(b), value: b.rows }).collect();
    let said = "One bar per range of risks from the lowest on, its height the number of records.";
    chart(out, "class-risk-chart", "Records by their risk, in per cent at most", said, &by_risk, true);
    out.push_str("</div>\n");
    open_table(
        out,
        "classes-table",
        "sizes",
        if joined { "Class sizes, neighbouring ranges joined" } else { "Class sizes" },
    );
    header(out, &["#Records per class", "#Classes", "#Share", "#Records", "#Share", "#Risk of each"]);
    let all_classes = bins.iter().fold(0u64, |sum, b| sum.saturating_add(b.classes));
    let all_rows = bins.iter().fold(0u64, |sum, b| sum.saturating_add(b.rows));
    for bin in &bins {
        put!(
            out,
            "<tr><th scope=\"row\" class=\"number\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            range(bin, count),
            count(bin.classes),
            percent(bin.classes, all_classes),
            count(bin.rows),
            percent(bin.rows, all_rows),
            risks(bin)
        );
    }
    close_table(out);
}

fn range(bin: &SizeBin, show: fn(u64) -> String) -> String {
    if bin.from == bin.to { show(bin.from) } else { format!("{}–{}", show(bin.from), show(bin.to)) }
}

/// The risks of a bin's records: from one divided by the largest size to one divided by the smallest.
fn risks(bin: &SizeBin) -> String {
    let of = |size: u64| share(1.0 / size.max(1) as f64);
    match bin.from == bin.to {
        true => of(bin.from),
        // The sign of per cent stands once.
        false => format!("{}–{}", of(bin.to).trim_end_matches("\u{a0}%"), of(bin.from)),
    }
}

/// The highest risk of a bin's records in per cent, for a label: as the table tells it.
fn at_most(bin: &SizeBin) -> String {
    share(1.0 / bin.from.max(1) as f64).trim_end_matches("\u{a0}%").to_owned()
}

fn chart(out: &mut String, id: &str, title: &str, said: &str, columns: &[Column], hatched: bool) {
    put!(out, "<figure>\n<figcaption>{title}</figcaption>\n");
    out.push_str(&svg::histogram(
        id,
        title,
        &format!("{said} The numbers stand in the table below."),
        columns,
        hatched,
        None,
    ));
    out.push_str("\n</figure>\n");
}

/// The bins of the page: few, none of them reaching beyond the smallest and the largest class.
pub(crate) fn join(classes: &Classes) -> (Vec<SizeBin>, bool) {
    let run = classes.sizes.len().div_ceil(MOST_BINS).max(1);
    let bins = classes
        .sizes
        .chunks(run)
        .map(|run| {
            let from = run.iter().map(|b| b.from).min().unwrap_or(0);
            let to = run.iter().map(|b| b.to).max().unwrap_or(0);
            // Only where the three agree: a manifest may say anything.
            let (low, high) = (from.max(classes.min), to.min(classes.max));
            let (from, to) = if low <= high { (low, high) } else { (from, to) };
            SizeBin {
                from,
                to,
                classes: run.iter().fold(0, |sum, b| sum.saturating_add(b.classes)),
                rows: run.iter().fold(0, |sum, b| sum.saturating_add(b.rows)),
            }
        })
        .collect();
    (bins, run > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(from: u64, to: u64) -> SizeBin {
        SizeBin { from, to, classes: 1, rows: 1 }
    }

    #[test]
    fn risks_are_one_in_the_size() {
        assert_eq!(risks(&bin(5, 5)), "20.0\u{a0}%");
        assert_eq!(risks(&bin(4, 8)), "12.5–25.0\u{a0}%");
        assert_eq!(risks(&bin(1_500, 1_999)), "0.050–0.067\u{a0}%");
        // A label and the table tell the same.
        assert_eq!(at_most(&bin(3, 4)), "33.3");
        assert_eq!(at_most(&bin(8, 15)), "12.5");
        assert_eq!(at_most(&bin(0, 0)), "100");
    }

    #[test]
    fn bins_end_where_the_classes_end() {
        let classes = Classes { count: 2, min: 5, max: 9, mean: 7.0, sizes: vec![bin(4, 7), bin(8, 15)] };
        let (bins, _) = join(&classes);
        assert_eq!((bins[0].from, bins[0].to, bins[1].from, bins[1].to), (5, 7, 8, 9));
    }
}
