//! The hierarchy of a column as a small tree: the coarsest label at the top, the original values at the bottom, the
//! published row solid, what was given up hatched, what was not needed empty.
//!
//! The manifest tells how many labels each level has, not which values share one, so branches are drawn evenly. Where labels
//! of several levels are published, each level shows how many of its labels are, as far as that is known.

use std::collections::BTreeSet;

use privet_release::manifest::Recoding;

use crate::svg::{figure, open, view_box};
use crate::text::{count, short_count};

const WIDTH: f64 = 320.0;
const LEFT: f64 = 74.0;
/// Room for `2,855 ranges` in bold.
const RIGHT: f64 = 88.0;
const PITCH: f64 = 27.0;
const NODE: f64 = 10.0;
/// More nodes than this in a row become a band.
const MOST_NODES: u64 = 24;
/// More levels than this are thinned; the ends and the published one are always drawn.
const MOST_ROWS: usize = 9;

/// What became of the labels of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    GivenUp,
    Published,
    NotNeeded,
    /// Between levels that are published.
    PassedOver,
    /// Rows that are not drawn.
    Skipped,
}

struct Row {
    name: String,
    /// Those that are published, in a row that is; all of them in others.
    labels: Option<u64>,
    /// Of how many, where not all are published.
    of: Option<u64>,
    things: (&'static str, &'static str),
    fate: Fate,
}

const LABELS: (&str, &str) = ("label", "labels");
const VALUES: (&str, &str) = ("value", "values");

/// The tree of a column, of whose published labels so many occur; `levels` has per level how many, where labels of several
/// levels do. The title is markup.
pub(crate) fn draw(id: &str, title: &str, recoding: &Recoding, occur: Option<u64>, levels: &[u64]) -> String {
    let mut rows = rows(recoding, levels);
    if let (Some(_), Some(occur)) = (recoding.level, occur) {
        rows.iter_mut().filter(|row| row.fate == Fate::Published).for_each(|row| row.labels = Some(occur));
    }
    let height = PITCH * rows.len() as f64;
    let mut out = open(id, "tree", &view_box(WIDTH, height), title, &describe(&rows));
    for (i, row) in rows.iter().enumerate() {
        let middle = (i as f64 + 0.5) * PITCH;
        if row.fate == Fate::Skipped {
            text(&mut out, "tick", (LEFT + WIDTH - RIGHT) / 2.0, middle + 4.0, "middle", "⋮");
            continue;
        }
        if let Some(above) = i.checked_sub(1).and_then(|above| rows.get(above)) {
            links(&mut out, above, row, middle);
        }
        nodes(&mut out, row, middle);
        let is_published = row.fate == Fate::Published;
        let class = if is_published { "value strong" } else { "tick" };
        let name = if is_published { format!("▸ {}", row.name) } else { row.name.clone() };
        text(&mut out, class, 0.0, middle + 4.0, "start", &name);
        if let Some(labels) = row.labels {
            let things = if labels == 1 { row.things.0 } else { row.things.1 };
            let told = match row.of {
                Some(of) => format!("{} of {}", short_count(labels), short_count(of)),
                None => format!("{} {things}", short_count(labels)),
            };
            text(&mut out, class, WIDTH - RIGHT + 8.0, middle + 4.0, "start", &told);
        }
    }
    out.push_str("</svg>");
    out
}

fn text(out: &mut String, class: &str, x: f64, y: f64, anchor: &str, text: &str) {
    put!(
        out,
        "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{text}</text>",
        figure(x),
        figure(y)
    );
}

/// The rows from the top down.
fn rows(recoding: &Recoding, published: &[u64]) -> Vec<Row> {
    match (&recoding.level, &recoding.nodes) {
        (Some(level), _) => levels(recoding, *level),
        (None, Some(nodes)) if ["cut", "group-nodes"].contains(&nodes.kind.as_str()) => {
            mixed(recoding, nodes.labels, published)
        }
        (None, Some(nodes)) if nodes.kind == "cells" => cells(recoding, nodes.labels, published),
        (None, nodes) => {
            let things = match nodes.as_ref().map_or("", |nodes| nodes.kind.as_str()) {
                "ranges" | "group-ranges" => ("range", "ranges"),
                "means" | "medians" | "modes" => VALUES,
                _ => LABELS,
            };
            let row = |name: &str, labels, things, fate| Row {
                name: name.to_owned(),
                labels,
                of: None,
                things,
                fate,
            };
            vec![
                row("everything", Some(1), LABELS, Fate::NotNeeded),
                row("published", nodes.as_ref().map(|nodes| nodes.labels), things, Fate::Published),
                row("original", Some(recoding.leaves), VALUES, Fate::GivenUp),
            ]
        }
    }
}

fn level_row(recoding: &Recoding, level: usize, fate: Fate) -> Row {
    Row {
        name: format!("level {}", count(level as u64)),
        labels: recoding.labels_per_level.get(level).copied(),
        of: None,
        things: if level == 0 { VALUES } else { LABELS },
        fate,
    }
}

/// All values at one level.
fn levels(recoding: &Recoding, level: usize) -> Vec<Row> {
    let (height, level) = (recoding.height, level.min(recoding.height));
    let mut shown: BTreeSet<usize> = [0, level, height].into();
    if height < MOST_ROWS {
        shown.extend(0..=height);
    } else {
        // Wide, because a height may be anything.
        let steps = MOST_ROWS as u128 - 2;
        shown.extend((0..steps).map(|step| (step * height as u128 / steps) as usize));
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut above: Option<usize> = None;
    for &at in shown.iter().rev() {
        if above.is_some_and(|above| above - at > 1) {
            rows.push(skipped());
        }
        above = Some(at);
        let fate = match at.cmp(&level) {
            std::cmp::Ordering::Less => Fate::GivenUp,
            std::cmp::Ordering::Equal => Fate::Published,
            std::cmp::Ordering::Greater => Fate::NotNeeded,
        };
        rows.push(level_row(recoding, at, fate));
    }
    rows
}

fn skipped() -> Row {
    Row { name: String::new(), labels: None, of: None, things: LABELS, fate: Fate::Skipped }
}

/// A row of which only some labels are published.
fn some_of(row: Row, published: u64) -> Row {
    let of = row.labels.filter(|all| *all > published);
    Row { labels: Some(published), of, fate: Fate::Published, ..row }
}

/// Labels of different levels: how many of each. Where that is not known, they are one row above the values.
fn mixed(recoding: &Recoding, labels: u64, published: &[u64]) -> Vec<Row> {
    let all = recoding.labels_per_level.len();
    let first = published.iter().take(all).position(|own| *own > 0);
    let last = published.iter().take(all).rposition(|own| *own > 0);
    let (Some(first), Some(last)) = (first, last) else {
        let row = |name: &str, labels, things, fate| Row {
            name: name.to_owned(),
            labels: Some(labels),
            of: None,
            things,
            fate,
        };
        return vec![
            row("mixed", labels, LABELS, Fate::Published),
            row("original", recoding.leaves, VALUES, Fate::GivenUp),
        ];
    };
    let run = all.div_ceil(MOST_ROWS).max(1);
    let mut rows: Vec<Row> = Vec::new();
    let mut above: Option<usize> = None;
    for level in (0..all).rev() {
        let own = published.get(level).copied().unwrap_or(0);
        let is_end = level == 0 || level + 1 == all;
        if !(is_end || own > 0 || level % run == 0) {
            continue;
        }
        if above.is_some_and(|above| above - level > 1) {
            rows.push(skipped());
        }
        above = Some(level);
        let fate = match level {
            _ if level > last => Fate::NotNeeded,
            _ if level < first => Fate::GivenUp,
            _ => Fate::PassedOver,
        };
        let row = level_row(recoding, level, fate);
        rows.push(if own > 0 { some_of(row, own) } else { row });
    }
    rows
}

/// Cells that are hidden or not: both are published, as far as both occur.
fn cells(recoding: &Recoding, labels: u64, published: &[u64]) -> Vec<Row> {
    let values = Row {
        name: "as it was".to_owned(),
        labels: Some(recoding.leaves),
        of: None,
        things: VALUES,
        fate: Fate::GivenUp,
    };
    let hidden = Row {
        name: "hidden (*)".to_owned(),
        labels: Some(1),
        things: LABELS,
        of: None,
        fate: Fate::NotNeeded,
    };
    let as_it_was = published.first().copied();
    // The last level is the top. Where it is not known, a column that lost something has hidden cells.
    let is_hidden = match as_it_was {
        Some(_) => published.iter().skip(1).any(|own| *own > 0),
        None => recoding.loss > 0.0,
    };
    let as_it_was = as_it_was.unwrap_or(labels.saturating_sub(u64::from(is_hidden)));
    let hidden = if is_hidden { some_of(hidden, 1) } else { hidden };
    vec![hidden, if as_it_was > 0 { some_of(values, as_it_was) } else { values }]
}

/// Where the nodes of a row stand; nothing when it is a band.
fn places(row: &Row) -> Option<u64> {
    row.of.or(row.labels).filter(|labels| (1..=MOST_NODES).contains(labels))
}

fn at(index: f64, of: u64) -> f64 {
    LEFT + index / of.max(1) as f64 * (WIDTH - LEFT - RIGHT)
}

fn nodes(out: &mut String, row: &Row, middle: f64) {
    let class = match row.fate {
        Fate::GivenUp | Fate::Skipped => "hatched",
        Fate::Published => "solid",
        Fate::NotNeeded | Fate::PassedOver => "empty",
    };
    let y = figure(middle - NODE / 2.0);
    let Some(labels) = places(row) else {
        let whole = WIDTH - LEFT - RIGHT;
        let mut band = |class: &str, width: f64| {
            put!(
                out,
                "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{y}\" width=\"{}\" height=\"{NODE}\"/>",
                figure(width)
            );
        };
        match (row.labels, row.of) {
            // As much of the band as is published.
            (Some(own), Some(of)) => {
                band("empty", whole);
                band(class, (own as f64 / of.max(1) as f64).clamp(0.02, 1.0) * whole);
            }
            _ => band(class, whole),
        }
        return;
    };
    let published = row.labels.filter(|_| row.of.is_some());
    let width = ((WIDTH - LEFT - RIGHT) / labels as f64 * 0.7).min(16.0);
    for i in 0..labels {
        let class = if published.is_some_and(|own| i >= own) { "empty" } else { class };
        put!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{NODE}\"/>",
            figure(at(i as f64 + 0.5, labels) - width / 2.0),
            figure(width)
        );
    }
}

/// Lines from a row to the one below it.
fn links(out: &mut String, above: &Row, row: &Row, middle: f64) {
    let (from, to) = (middle - PITCH + NODE / 2.0, middle - NODE / 2.0);
    let mut line = |x1: f64, x2: f64| {
        put!(
            out,
            "<line class=\"link\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            figure(x1),
            figure(from),
            figure(x2),
            figure(to)
        );
    };
    if above.fate == Fate::Skipped {
        return;
    }
    match (places(above), places(row)) {
        (Some(parents), Some(children)) => {
            for child in 0..children {
                let parent = child * parents / children;
                line(at(parent as f64 + 0.5, parents), at(child as f64 + 0.5, children));
            }
        }
        // Each parent spreads over its part of the band.
        (Some(parents), None) => {
            for parent in 0..parents {
                let x = at(parent as f64 + 0.5, parents);
                line(x, at(parent as f64 + 0.08, parents));
                line(x, at(parent as f64 + 0.92, parents));
            }
        }
        (None, Some(children)) => {
            for child in 0..children {
                let x = at(child as f64 + 0.5, children);
                line(x, x);
            }
        }
        (None, None) => {
            const LINES: u64 = 8;
            for i in 0..=LINES {
                line(at(i as f64, LINES), at(i as f64, LINES));
            }
        }
    }
}

fn describe(rows: &[Row]) -> String {
    let said: Vec<String> = rows
        .iter()
        .filter(|row| row.fate != Fate::Skipped)
        .map(|row| {
            let labels = row.labels.map_or("an unknown number of labels".to_owned(), |labels| {
                let things = |many: u64| if many == 1 { row.things.0 } else { row.things.1 };
                match row.of {
                    Some(of) => format!("{} of {} {}", count(labels), count(of), things(of)),
                    None => format!("{} {}", count(labels), things(labels)),
                }
            });
            let fate = match row.fate {
                Fate::GivenUp | Fate::Skipped => "given up",
                Fate::Published => "published",
                Fate::NotNeeded => "coarser, not needed",
                Fate::PassedOver => "not used",
            };
            if row.name == fate {
                format!("{}: {labels}", row.name)
            } else {
                format!("{}: {labels}, {fate}", row.name)
            }
        })
        .collect();
    format!("From the top down. {}.", said.join("; "))
}

#[cfg(test)]
mod tests {
    use privet_release::manifest::Nodes;

    use super::*;

    fn recoding(level: Option<usize>, nodes: Option<(&str, u64)>, labels: &[u64], height: usize) -> Recoding {
        Recoding {
            level,
            nodes: nodes.map(|(kind, labels)| Nodes { kind: kind.to_owned(), labels, groups: None }),
            height,
            leaves: labels.first().copied().unwrap_or(0),
            labels_per_level: labels.to_vec(),
            reading: None,
            loss: 0.5,
            weight: 1.0,
        }
    }

    #[test]
    fn one_row_is_published_whatever_the_hierarchy() {
        for (level, labels, height) in [
            (0, vec![], 0),
            (5, vec![0, 0], 1),
            (1, vec![u64::MAX, 1], 1),
            (40, (0..65).rev().collect(), 64),
            (usize::MAX - 1, vec![3], usize::MAX),
        ] {
            let recoding = recoding(Some(level), None, &labels, height);
            let rows = rows(&recoding, &[]);
            assert_eq!(rows.iter().filter(|row| row.fate == Fate::Published).count(), 1);
            let drawing = draw("x", "t", &recoding, None, &[]);
            assert!(!drawing.contains("NaN") && !drawing.contains("inf") && drawing.len() < 40_000);
            assert_eq!(drawing.matches("▸").count(), 1);
        }
    }

    #[test]
    fn every_level_has_its_row_and_its_nodes() {
        let drawing = draw("x", "t", &recoding(Some(2), None, &[74, 19, 10, 5, 1], 4), None, &[]);
        // 10 published, 19 and a band given up, 5 and 1 not needed.
        assert_eq!(drawing.matches("class=\"solid\"").count(), 10);
        assert_eq!(drawing.matches("class=\"hatched\"").count(), 20);
        assert_eq!(drawing.matches("class=\"empty\"").count(), 6);
        assert!(
            drawing.contains("▸ level 2") && drawing.contains("10 labels") && drawing.contains("74 values")
        );
    }

    /// Of 74 values 5 are published as they are, of 19 labels 9, none of the next level, and the top for the rest.
    #[test]
    fn labels_of_mixed_levels_stand_on_their_levels() {
        let cut = |labels: u64| recoding(None, Some(("cut", labels)), &[74, 19, 10, 3, 1], 4);
        let told = |published: &[u64]| -> Vec<(String, Fate, Option<u64>, Option<u64>)> {
            let rows = rows(&cut(15), published);
            rows.into_iter().map(|row| (row.name, row.fate, row.labels, row.of)).collect()
        };
        let row = |level: usize, fate, labels, of| (format!("level {level}"), fate, Some(labels), of);
        assert_eq!(
            told(&[5, 9, 0, 1, 0]),
            [
                row(4, Fate::NotNeeded, 1, None),
                row(3, Fate::Published, 1, Some(3)),
                row(2, Fate::PassedOver, 10, None),
                row(1, Fate::Published, 9, Some(19)),
                row(0, Fate::Published, 5, Some(74)),
            ]
        );
        assert_eq!(told(&[0, 19, 0, 0, 0])[3], row(1, Fate::Published, 19, None));
        assert_eq!(told(&[0, 19, 0, 0, 0])[4], row(0, Fate::GivenUp, 74, None));
        let drawing = draw("x", "t", &cut(15), None, &[5, 9, 0, 1, 0]);
        assert!(drawing.contains("9 of 19") && drawing.contains("5 of 74 values, published"), "{drawing}");
        // One of 3, 9 of 19 and a part of the band; the rest of these, 10 and 1 are empty.
        assert_eq!(drawing.matches("class=\"solid\"").count(), 1 + 9 + 1, "{drawing}");
        assert_eq!(drawing.matches("class=\"empty\"").count(), 2 + 10 + 1 + 10 + 1, "{drawing}");
        // Not known: neither what is above nor what is below is said to be not needed.
        let names: Vec<String> = rows(&cut(15), &[]).into_iter().map(|row| row.name).collect();
        assert_eq!(names, ["mixed", "original"]);
        // Many levels are thinned, but none that is published.
        let labels: Vec<u64> = (1..=60).rev().collect();
        let deep = recoding(None, Some(("group-nodes", 2)), &labels, 59);
        let mut published = vec![0; 60];
        (published[31], published[32]) = (1, 1);
        let shown = rows(&deep, &published);
        assert!(shown.len() < 30 && shown.iter().filter(|row| row.fate == Fate::Published).count() == 2);
    }

    #[test]
    fn cells_show_what_occurs() {
        let hidden = recoding(None, Some(("cells", 70)), &[74, 1], 1);
        let cells = draw("x", "t", &hidden, None, &[69, 1]);
        assert!(!cells.contains("given up") && cells.matches("▸").count() == 2, "{cells}");
        assert!(cells.contains("69 of 74"), "{cells}");
        // Nothing is hidden in this column, or everything.
        let none = draw("x", "t", &hidden, None, &[70, 0]);
        assert!(none.matches("▸").count() == 1 && none.contains("hidden (*): 1 label, coarser, not needed"));
        let whole = Recoding { loss: 0.0, ..hidden.clone() };
        assert_eq!(draw("x", "t", &whole, None, &[]).matches("▸").count(), 1);
        let all = draw("x", "t", &hidden, None, &[0, 1]);
        assert!(all.contains("as it was: 74 values, given up"), "{all}");
        let means = recoding(None, Some(("means", 312)), &[74, 1], 1);
        let means = draw("x", "t", &means, None, &[]);
        assert!(means.contains("312 values") && means.contains("74 values, given up"), "{means}");
    }
}
