//! The level of every quasi column: its ladder, and how the published labels are distributed.
//!
//! Labels are named only for columns that were generalized. Of a column at level 0 the labels are the
//! values themselves, so it shows ranks.

use privet_release::Manifest;
use privet_release::manifest::Recoding;

use crate::facts::LabelCount;
use crate::text::{count, counted, name, number, percent, plain_name};
use crate::{Facts, svg};

use super::quasi;

/// Labels shown one by one.
const MOST_LABELS: usize = 12;

pub(crate) fn write(manifest: &Manifest, facts: &Facts, out: &mut String) {
    let quasi = quasi(manifest);
    if quasi.is_empty() {
        out.push_str("<p>No column was treated as identifying.</p>\n");
        return;
    }
    if manifest.kind == "bucketized" {
        out.push_str(
            "<p>These columns are published as they are, each record with the number of its bucket. The sensitive values \
             stand in tables of their own, counted by bucket: within a bucket nobody can tell whose they are.</p>\n",
        );
    }
    if let Some(boxes) = &facts.boxes {
        super::boxes::write(boxes, out);
    }
    if quasi.iter().all(|(_, recoding)| recoding.level.is_none()) {
        out.push_str("<div class=\"cards\">\n");
    } else {
        legend(out);
    }
    for (i, (column, recoding)) in quasi.iter().enumerate() {
        put!(
            out,
            "<article class=\"card\" aria-labelledby=\"column-{i}\">\n<h3 id=\"column-{i}\">{}</h3>\n",
            name(&column.name)
        );
        put!(out, "<p>{}</p>\n", in_words(recoding));
        if let Some(level) = recoding.level {
            out.push_str(&svg::ladder(
                &format!("ladder-{i}"),
                &format!("Levels of {}", plain_name(&column.name)),
                &describe(recoding, level),
                &recoding.labels_per_level,
                recoding.height,
                level,
            ));
            out.push('\n');
        }
        if let Some(known) = facts.columns.iter().find(|f| f.name == column.name) {
            labels(out, i, &known.labels, recoding.level != Some(0));
        }
        out.push_str("</article>\n");
    }
    out.push_str("</div>\n");
}

/// What the drawings show.
fn legend(out: &mut String) {
    out.push_str(
        "<p>Each column has levels, from its original values (level 0) to the coarsest labels. The height of a step \
         shows how many different labels are left on it, on a logarithmic scale.</p>\n\
         <ul class=\"legend\"><li><span class=\"key hatched\" aria-hidden=\"true\"></span>finer, given up</li><li><span \
         class=\"key solid\" aria-hidden=\"true\"></span>▲ published</li><li><span class=\"key empty\" \
         aria-hidden=\"true\"></span>coarser, not needed</li></ul>\n<div class=\"cards\">\n",
    );
}

fn in_words(recoding: &Recoding) -> String {
    let at = |level: usize| recoding.labels_per_level.get(level).map(|&n| count(n));
    let Some(level) = recoding.level else {
        let Some(nodes) = &recoding.nodes else { return String::new() };
        return match nodes.kind.as_str() {
            "cells" => "Cells are published as they were or replaced by <code>*</code>.".to_owned(),
            "ranges" => format!("Neighbouring values became {}.", counted(nodes.labels, "range", "ranges")),
            "group-nodes" => {
                format!(
                    "Each group of records shows one label for all: {} of different levels.",
                    counted(nodes.labels, "label", "labels")
                )
            }
            "group-ranges" => format!(
                "Each group of records shows its range: {}.",
                counted(nodes.labels, "range", "ranges")
            ),
            "means" => {
                format!("Each group of records shows its mean: {}.", counted(nodes.labels, "value", "values"))
            }
            "medians" => format!(
                "Each group of records shows its median: {}.",
                counted(nodes.labels, "value", "values")
            ),
            "modes" => format!(
                "Each group of records shows its most frequent value: {}.",
                counted(nodes.labels, "value", "values")
            ),
            _ if nodes.labels == 1 => "Every value became the same label.".to_owned(),
            _ => format!("Labels of different levels: {}.", counted(nodes.labels, "label", "labels")),
        };
    };
    let place = format!("Level <b>{}</b> of {}", count(level as u64), count(recoding.height as u64));
    let rest = match (at(0), at(level)) {
        _ if level == 0 => ": published as it was".to_owned(),
        (Some(first), Some(now)) => {
            format!(": {first} values became {now} {}", if now == "1" { "label" } else { "labels" })
        }
        _ => String::new(),
    };
    format!("{place}{rest}.")
}

fn describe(recoding: &Recoding, level: usize) -> String {
    // Past this many levels a spoken list helps nobody.
    const MOST: usize = 16;
    let mut out = format!("Published at level {} of {}.", count(level as u64), count(recoding.height as u64));
    if !recoding.labels_per_level.is_empty() {
        out.push_str(" Distinct labels from level 0 on: ");
        let shown: Vec<String> = recoding.labels_per_level.iter().take(MOST).map(|&n| count(n)).collect();
        out.push_str(&shown.join("; "));
        out.push_str(if recoding.labels_per_level.len() > MOST { "; and so on." } else { "." });
    }
    out
}

fn labels(out: &mut String, column: usize, all: &[LabelCount], named: bool) {
    if all.is_empty() {
        return;
    }
    let total = all.iter().fold(0u64, |sum, l| sum.saturating_add(l.rows));
    // The most frequent ones; named labels go back to the order they came in.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(all[i].rows), i));
    let mut shown: Vec<usize> = order.iter().copied().take(MOST_LABELS).collect();
    if named {
        shown.sort_unstable();
    }
    let greatest = all.iter().map(|l| l.rows).max().unwrap_or(0).max(1);
    put!(
        out,
        "<table class=\"labels\">\n<caption id=\"labels-{column}\">{}</caption>\n<thead><tr><th scope=\"col\">{}</th>\
         <th scope=\"col\" class=\"number\">Records</th><th scope=\"col\"><span class=\"hidden\">Bar</span></th></tr></thead>\n<tbody>\n",
        if named { "Published labels" } else { "Published values by rank, unnamed" },
        if named { "Label" } else { "Rank" }
    );
    for (rank, &i) in shown.iter().enumerate() {
        let head = if named { name(&all[i].label) } else { count(rank as u64 + 1) };
        put!(
            out,
            "<tr><th scope=\"row\">{head}</th><td class=\"number\">{}</td><td class=\"draw\">{}</td></tr>\n",
            count(all[i].rows),
            svg::bar(all[i].rows as f64 / greatest as f64)
        );
    }
    out.push_str("</tbody>\n</table>\n");
    let rest = all.len() - shown.len();
    if rest > 0 {
        let rows = order[shown.len()..].iter().fold(0u64, |sum, &i| sum.saturating_add(all[i].rows));
        put!(
            out,
            "<p class=\"aside\">and {} with {} ({})</p>\n",
            counted(rest as u64, "rarer label", "rarer labels"),
            counted(rows, "record", "records"),
            percent(rows, total)
        );
    }
}

/// Loss of every quasi column.
pub(super) fn losses(manifest: &Manifest, out: &mut String) {
    let quasi = quasi(manifest);
    if quasi.is_empty() {
        return;
    }
    let weighted = quasi.iter().any(|(_, r)| r.weight != 1.0);
    super::open_table(out, "loss-table", "losses", "Loss of detail per identifying column");
    let mut headings = vec!["Column", "#Level", "#Loss", "<span class=\"hidden\">Bar from 0 to 1</span>"];
    if weighted {
        headings.push("#Weight");
    }
    super::header(out, &headings);
    for (column, recoding) in quasi {
        let level = match recoding.level {
            Some(level) => format!("{} of {}", count(level as u64), count(recoding.height as u64)),
            None => "several".to_owned(),
        };
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{level}</td><td class=\"number\">{}</td><td class=\"draw\">{}</td>",
            name(&column.name),
            number(recoding.loss),
            svg::bar(recoding.loss)
        );
        if weighted {
            put!(out, "<td class=\"number\">{}</td>", number(recoding.weight));
        }
        out.push_str("</tr>\n");
    }
    super::close_table(out);
}
