//! What became of every quasi column: its hierarchy as a tree, and how the published labels are distributed.
//!
//! Labels are named only for columns that were generalized. Of a column at level 0 the labels are the
//! values themselves, so it shows ranks.

use privet_release::Manifest;
use privet_release::manifest::Recoding;

use crate::draw::tree;
use crate::facts::ColumnFacts;
use crate::form::FormWords;
use crate::text::{count, counted, name, natural_order, number, percent, plain_name};
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
    if manifest.data.rows == 0 {
        out.push_str("<p>No record is published, and so nothing of the identifying columns.</p>\n");
        return;
    }
    if let Some(identifying) = FormWords::of(manifest.kind).identifying {
        out.push_str(identifying);
    }
    if let Some(boxes) = &facts.boxes {
        super::boxes::write(boxes, out);
    }
    // Buckets leave these columns as they are: there is nothing to draw.
    let has_trees = !manifest.kind.shows_identities();
    if has_trees {
        legend(facts.columns.iter().any(|known| !known.levels.is_empty()), out);
    }
    out.push_str("<div class=\"cards\">\n");
    for (i, (column, recoding)) in quasi.iter().enumerate() {
        put!(
            out,
            "<article class=\"card\" aria-labelledby=\"column-{i}\">\n<h3 id=\"column-{i}\">{}</h3>\n",
            name(&column.name)
        );
        let known = facts.columns.iter().find(|f| f.name == column.name);
        // Labels that occur; a level may have others, of values that were suppressed.
        let occur = known.map(ColumnFacts::published).filter(|&labels| labels > 0);
        let levels = known.map_or(&[][..], |known| &known.levels);
        put!(out, "<p>{}</p>\n", in_words(recoding, occur, levels));
        if has_trees {
            let title = format!("Hierarchy of {}", plain_name(&column.name));
            out.push_str(&tree::draw(&format!("tree-{i}"), &title, recoding, occur, levels));
            out.push('\n');
        }
        if let Some(known) = known {
            labels(out, i, known, recoding.level != Some(0));
        }
        out.push_str("</article>\n");
    }
    out.push_str("</div>\n");
}

/// What the drawings show. Where labels are of several levels, a level may be published in part.
pub(crate) fn legend(is_mixed: bool, out: &mut String) {
    put!(
        out,
        "<p>Each drawing is a tree: the original values are at the bottom, and the higher a row, the fewer and coarser \
         labels there are. Branches are drawn evenly; which values share a label is not drawn.</p>\n\
         <ul class=\"legend\"><li><span class=\"key solid\" aria-hidden=\"true\"></span>▸ published</li><li><span \
         class=\"key hatched\" aria-hidden=\"true\"></span>finer, given up</li><li><span class=\"key empty\" \
         aria-hidden=\"true\"></span>{}</li></ul>\n",
        match is_mixed {
            true => "not published: coarser than needed, or values have a label of another level",
            false => "coarser, not needed",
        }
    );
}

/// What became of a column, of whose labels so many occur in the published table, and so many of each level.
fn in_words(recoding: &Recoding, occur: Option<u64>, levels: &[u64]) -> String {
    let Some(level) = recoding.level else {
        let Some(nodes) = &recoding.nodes else { return String::new() };
        return match nodes.kind.as_str() {
            "cells" if matches!(levels, [1..=u64::MAX, 0]) => "No cell of it had to be hidden.".to_owned(),
            "cells" if matches!(levels, [0, 1..=u64::MAX]) => {
                "Every cell was replaced by <code>*</code>.".to_owned()
            }
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
                format!(
                    "Each group of records shows its mean: {}. Nobody in the group need have it.",
                    counted(nodes.labels, "value", "values")
                )
            }
            "medians" => format!(
                "Each group of records shows its median: {}. Of the others nobody need have it.",
                counted(nodes.labels, "value", "values")
            ),
            "modes" => format!(
                "Each group of records shows its most frequent value: {}. Others in the group may have another.",
                counted(nodes.labels, "value", "values")
            ),
            _ if nodes.labels == 1 => "Every value became the same label.".to_owned(),
            _ => format!("Labels of different levels: {}.", counted(nodes.labels, "label", "labels")),
        };
    };
    let place = format!("Level <b>{}</b> of {}", count(level as u64), count(recoding.height as u64));
    let at = |level: usize| recoding.labels_per_level.get(level).copied();
    let rest = match (at(0), at(level), occur) {
        (Some(first), _, Some(occur)) if level == 0 && occur < first => format!(
            ": published as it was, but only {} of {} in the published table",
            count(occur),
            counted(first, "value occurs", "values occur")
        ),
        _ if level == 0 => ": published as it was".to_owned(),
        (Some(first), Some(now), Some(occur)) if occur < now => format!(
            ": {} can become {}, of which {} in the published table",
            counted(first, "value", "values"),
            counted(now, "label", "labels"),
            if occur == 1 { "1 occurs".to_owned() } else { format!("{} occur", count(occur)) }
        ),
        (Some(first), Some(now), occur) => format!(
            ": {} {} {}",
            counted(first, "value", "values"),
            // Which labels occur is not known here.
            if occur.is_some() { "became" } else { "can become" },
            counted(now, "label", "labels")
        ),
        _ => String::new(),
    };
    format!("{place}{rest}.")
}

fn labels(out: &mut String, column: usize, known: &ColumnFacts, named: bool) {
    let all = &known.labels[..];
    if all.is_empty() {
        return;
    }
    let total = all.iter().fold(known.left_out.records, |sum, l| sum.saturating_add(l.rows));
    // The most frequent ones; named labels are then put in order.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(all[i].rows), i));
    let mut shown: Vec<usize> = order.iter().copied().take(MOST_LABELS).collect();
    if named {
        shown.sort_by(|&a, &b| natural_order(&all[a].label, &all[b].label));
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
        let head = match all[i].label.as_str() {
            _ if !named => count(rank as u64 + 1),
            "" => "(empty)".to_owned(),
            label => name(label),
        };
        put!(
            out,
            "<tr><th scope=\"row\">{head}</th><td class=\"number\">{}</td><td class=\"draw\">{}</td></tr>\n",
            count(all[i].rows),
            svg::bar(all[i].rows as f64 / greatest as f64)
        );
    }
    out.push_str("</tbody>\n</table>\n");
    let rest = (all.len() - shown.len()) as u64 + known.left_out.labels;
    if rest > 0 {
        let rows = order[shown.len()..]
            .iter()
            .fold(known.left_out.records, |sum, &i| sum.saturating_add(all[i].rows));
        put!(
            out,
            "<p class=\"aside\">and {} with {} ({})</p>\n",
            // Not called rarer: some may be as frequent as the last one shown.
            match named {
                true => counted(rest, "more label", "more labels"),
                false => counted(rest, "more value", "more values"),
            },
            counted(rows, "record", "records"),
            percent(rows, total)
        );
    }
}

/// The level of a column, as a table tells it.
fn level(recoding: &Recoding) -> String {
    match (recoding.level, &recoding.nodes) {
        (Some(level), _) => format!("{} of {}", count(level as u64), count(recoding.height as u64)),
        (None, Some(nodes)) if ["cut", "group-nodes"].contains(&nodes.kind.as_str()) => "mixed".to_owned(),
        (None, _) => "–".to_owned(),
    }
}

/// Loss of every quasi column.
pub(super) fn losses(manifest: &Manifest, out: &mut String) {
    let quasi = quasi(manifest);
    if quasi.is_empty() {
        return;
    }
    let has_levels = !manifest.kind.shows_identities() && quasi.iter().any(|(_, r)| level(r) != "–");
    let is_weighted = quasi.iter().any(|(_, r)| r.weight != 1.0);
    super::open_table(out, "loss-table", "losses", "Loss of detail per identifying column");
    let mut headings = vec!["Column"];
    if has_levels {
        headings.push("#Level");
    }
    headings.extend(["#Loss", "<span class=\"hidden\">Bar from 0 to 1</span>"]);
    if is_weighted {
        headings.push("#Weight");
    }
    super::header(out, &headings);
    for (column, recoding) in quasi {
        put!(out, "<tr><th scope=\"row\">{}</th>", name(&column.name));
        if has_levels {
            put!(out, "<td class=\"number\">{}</td>", level(recoding));
        }
        put!(
            out,
            "<td class=\"number\">{}</td><td class=\"draw\">{}</td>",
            number(recoding.loss),
            svg::bar(recoding.loss)
        );
        if is_weighted {
            put!(out, "<td class=\"number\">{}</td>", number(recoding.weight));
        }
        out.push_str("</tr>\n");
    }
    super::close_table(out);
    if !super::standing_for_groups(manifest).is_empty() {
        out.push_str(
            "<p class=\"aside\">Where a value stands for a group, the loss tells how far the values of the group lie apart, \
             not that nothing is told: 1 means that groups reach from one end of the column to the other.</p>\n",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nine labels of a level, of which seven are left when records were suppressed.
    #[test]
    fn labels_that_occur_are_told() {
        let recoding = Recoding {
            level: Some(2),
            nodes: None,
            height: 3,
            leaves: 511,
            labels_per_level: vec![511, 60, 9, 1],
            reading: None,
            loss: 0.5,
            weight: 1.0,
        };
        let told = in_words(&recoding, Some(7), &[]).replace('\u{a0}', " ");
        assert!(
            told.contains("511 values can become 9 labels, of which 7 occur in the published table"),
            "{told}"
        );
        let told = in_words(&recoding, Some(9), &[]).replace('\u{a0}', " ");
        assert!(told.contains("511 values became 9 labels"), "{told}");
        assert!(tree::draw("x", "t", &recoding, Some(7), &[]).contains("7 labels"));
        let label = |text: &str| crate::LabelCount { label: text.to_owned(), rows: 1 };
        let labels_told = ["b", "[10 to 19]", "[9 to 9]", "a"].map(label).into();
        let mut known = ColumnFacts { labels: labels_told, ..ColumnFacts::default() };
        let mut out = String::new();
        labels(&mut out, 0, &known, true);
        let places = ["[9 to 9]", "[10 to 19]", ">a<", ">b<"].map(|text| out.find(text).unwrap());
        assert!(places.is_sorted(), "{out}");
        // Those that are not told one by one are counted.
        known.left_out = crate::LeftOut { labels: 96, records: 996 };
        let mut out = String::new();
        labels(&mut out, 0, &known, true);
        let out = out.replace('\u{a0}', " ");
        assert!(out.contains("96 more labels") && out.contains("996 records"), "{out}");
    }
}
