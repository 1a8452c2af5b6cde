//! The sizes of the classes: how many classes, and how many records, per size.

use privet_release::Manifest;
use privet_release::manifest::SizeBin;

use crate::svg::Column;
use crate::text::{count, number, percent, short_count};
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
    out.push_str("</dl>\n");
    let (bins, joined) = join(&classes.sizes);
    if bins.is_empty() {
        return;
    }
    out.push_str("<div class=\"pair\">\n");
    let charts = [
        ("classes-chart", "Classes by size", "classes", false, (|b| b.classes) as fn(&SizeBin) -> u64),
        ("class-records-chart", "Records by the size of their class", "records", true, |b| b.rows),
    ];
    for (id, title, what, hatched, value) in charts {
        let columns: Vec<Column> =
            bins.iter().map(|b| Column { label: range(b, short_count), value: value(b) }).collect();
        put!(out, "<figure>\n<figcaption>{title}</figcaption>\n");
        out.push_str(&svg::histogram(
            id,
            title,
            &format!("One bar per range of sizes, its height the number of {what}. The numbers stand in the table below."),
            &columns,
            hatched,
        ));
        out.push_str("\n</figure>\n");
    }
    out.push_str("</div>\n");
    open_table(
        out,
        "classes-table",
        "sizes",
        if joined { "Class sizes, neighbouring ranges joined" } else { "Class sizes" },
    );
    header(out, &["#Records per class", "#Classes", "#Share", "#Records", "#Share"]);
    let all_classes = bins.iter().fold(0u64, |sum, b| sum.saturating_add(b.classes));
    let all_rows = bins.iter().fold(0u64, |sum, b| sum.saturating_add(b.rows));
    for bin in &bins {
        put!(
            out,
            "<tr><th scope=\"row\" class=\"number\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            range(bin, count),
            count(bin.classes),
            percent(bin.classes, all_classes),
            count(bin.rows),
            percent(bin.rows, all_rows)
        );
    }
    close_table(out);
}

fn range(bin: &SizeBin, show: fn(u64) -> String) -> String {
    if bin.from == bin.to { show(bin.from) } else { format!("{}–{}", show(bin.from), show(bin.to)) }
}

fn join(sizes: &[SizeBin]) -> (Vec<SizeBin>, bool) {
    let run = sizes.len().div_ceil(MOST_BINS).max(1);
    let bins = sizes
        .chunks(run)
        .map(|run| SizeBin {
            from: run.iter().map(|b| b.from).min().unwrap_or(0),
            to: run.iter().map(|b| b.to).max().unwrap_or(0),
            classes: run.iter().fold(0, |sum, b| sum.saturating_add(b.classes)),
            rows: run.iter().fold(0, |sum, b| sum.saturating_add(b.rows)),
        })
        .collect();
    (bins, run > 1)
}
