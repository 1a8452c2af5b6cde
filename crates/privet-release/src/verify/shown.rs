//! What the pages of a release of records show beside its promises, counted again in the table: labels with their records,
//! and the boxes of groups.

use std::collections::BTreeMap;

use privet_data::{Kind, date_of};

use super::outcome::Check;
use super::table::{Column, Released};
use crate::Manifest;
use crate::manifest::Recoding;
use crate::shown::{
    Axis, Boxes, ColumnFacts, GroupBox, MOST_BOXES, MOST_LABELS, VALUES_AS_THEY_WERE, VALUES_OF_GROUPS,
};

/// Checks what is shown of the columns.
pub(super) fn check(manifest: &Manifest, released: &Released) -> Check {
    let mut problems = Vec::new();
    let quasi: Vec<(usize, &Recoding)> = manifest
        .data
        .columns
        .iter()
        .enumerate()
        .filter_map(|(at, own)| Some((at, own.recoding.as_ref()?)))
        .collect();
    let shown = &manifest.shown;
    let names = quasi.iter().map(|&(at, _)| manifest.data.columns[at].name.as_str());
    if !names.eq(shown.columns.iter().map(|own| own.name.as_str())) {
        problems.push("labels are shown of other columns than the quasi columns".to_owned());
    } else {
        for (&(at, recoding), facts) in quasi.iter().zip(&shown.columns) {
            let missing = manifest.data.missing.as_deref().unwrap_or_default();
            if let Some(problem) = labels(facts, recoding, &released.table.columns[at], missing) {
                problems.push(format!("column {}: {problem}", at + 1));
            }
        }
    }
    if shown.boxes != boxes(manifest, released, &quasi) {
        problems.push("the boxes that are drawn are not those of the published labels".to_owned());
    }
    if !(shown.grids.is_empty() && shown.pictures.is_empty() && shown.not_made.is_empty()) {
        problems.push("drawings are shown that a release of records does not have".to_owned());
    }
    Check::of("labels", "labels and drawings show what is published", &problems)
}

/// What is wrong with the labels that are shown of a column.
fn labels(
    facts: &ColumnFacts,
    recoding: &Recoding,
    column: &Column,
    markers: &[String],
) -> Option<&'static str> {
    let mut of_text = vec![0u64; column.texts.len()];
    column.codes.iter().for_each(|&code| of_text[code as usize] += 1);
    let is_missing = |text: &str| text.is_empty() || markers.iter().any(|marker| marker == text);
    if recoding.level == Some(0) {
        // Of values themselves no label is named: the same numbers of records must be there.
        if facts.labels.iter().any(|own| !own.label.is_empty()) || !facts.levels.is_empty() {
            return Some("values are named of which numbers alone are told");
        }
        let mut said: Vec<u64> = facts.labels.iter().map(|own| own.rows).collect();
        let mut found = of_text;
        said.sort_unstable_by(|a, b| b.cmp(a));
        found.sort_unstable_by(|a, b| b.cmp(a));
        let left_out = found.split_off(found.len().min(MOST_LABELS));
        let is_told = said == found
            && facts.left_out.labels == left_out.len() as u64
            && facts.left_out.records == left_out.iter().sum::<u64>();
        return (!is_told).then_some("other numbers of records are told than its values have");
    }
    let mut found: BTreeMap<&str, u64> = BTreeMap::new();
    for (text, &rows) in column.texts.iter().zip(&of_text) {
        // Several markers may stand for what is shown as one.
        let text = if is_missing(text) { "" } else { text.as_str() };
        *found.entry(text).or_default() += rows;
    }
    let kind = recoding.nodes.as_ref().map(|nodes| nodes.kind.as_str());
    let mut together = 0;
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for own in &facts.labels {
        let is_sum = match own.label.as_str() {
            VALUES_AS_THEY_WERE => kind.is_some(),
            VALUES_OF_GROUPS => matches!(kind, Some("medians" | "modes")),
            _ => false,
        };
        if is_sum && !found.contains_key(own.label.as_str()) {
            together += own.rows;
            continue;
        }
        let text = if is_missing(&own.label) { "" } else { own.label.as_str() };
        *seen.entry(text).or_default() += own.rows;
    }
    if seen.iter().any(|(label, rows)| found.get(label).is_none_or(|own| own != rows)) {
        return Some("a label is told with another number of records than it has, or is not published");
    }
    let untold: Vec<u64> =
        found.iter().filter(|(label, _)| !seen.contains_key(*label)).map(|(_, &rows)| rows).collect();
    let left_out = facts.left_out;
    if untold.iter().sum::<u64>() != together.saturating_add(left_out.records)
        || (left_out.labels > 0 && facts.labels.len() < MOST_LABELS)
    {
        return Some("a published label is not told");
    }
    // Values that are told together, and several markers of a missing value, count as one.
    if together == 0 && markers.len() < 2 && untold.len() as u64 != left_out.labels {
        return Some("another number of labels is left out than is told");
    }
    let kind_has_levels = matches!(kind, Some("cells" | "cut" | "group-nodes"));
    let sum: u64 = facts.levels.iter().fold(0, |sum, &own| sum.saturating_add(own));
    let is_level = match kind {
        Some("cells") => facts.levels.len() == 2,
        _ => facts.levels.len().checked_sub(1) == Some(recoding.height),
    };
    let fits = facts.levels.is_empty() || (kind_has_levels && is_level && sum == found.len() as u64);
    (!fits).then_some("labels lie on other levels than there are")
}

/// The boxes of the first two columns that show ranges, as they follow from the labels.
fn boxes(manifest: &Manifest, released: &Released, quasi: &[(usize, &Recoding)]) -> Option<Boxes> {
    let is_range =
        |own: &&(usize, &Recoding)| own.1.nodes.as_ref().is_some_and(|nodes| nodes.kind == "group-ranges");
    let mut ranged = quasi.iter().filter(is_range);
    let (a, b) = (ranged.next()?.0, ranged.next()?.0);
    let extents = [a, b].map(|at| Extents::of(&released.table.columns[at], &manifest.data.columns[at].name));
    let [Some(x), Some(y)] = extents else { return None };
    let (ours, theirs) = (&released.table.columns[a].codes, &released.table.columns[b].codes);
    let mut rows: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    ours.iter().zip(theirs).for_each(|(&a, &b)| *rows.entry((a, b)).or_default() += 1);
    let of = |((a, b), rows): ((u32, u32), u64)| GroupBox {
        x: x.of_text[a as usize],
        y: y.of_text[b as usize],
        rows,
    };
    let (boxes, left_out) = arranged(rows.into_iter().map(of).collect());
    Some(Boxes { x: x.axis, y: y.axis, boxes, left_out })
}

/// Boxes from left to right and from below, only those with most records where there are too many; and how many more there are.
fn arranged(mut boxes: Vec<GroupBox>) -> (Vec<GroupBox>, u64) {
    let place = |own: &GroupBox| [own.x.0, own.x.1, own.y.0, own.y.1];
    let in_order = |a: &GroupBox, b: &GroupBox| {
        let ends = place(a).into_iter().zip(place(b));
        ends.fold(std::cmp::Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(&b)))
    };
    boxes.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| in_order(a, b)));
    let left_out = boxes.len().saturating_sub(MOST_BOXES) as u64;
    boxes.truncate(MOST_BOXES);
    boxes.sort_by(|a, b| in_order(a, b).then(b.rows.cmp(&a.rows)));
    (boxes, left_out)
}

/// The ranges of the labels of a column.
struct Extents {
    of_text: Vec<(f64, f64)>,
    axis: Axis,
}

/// Marks on an axis.
const MARKS: usize = 5;

impl Extents {
    fn of(column: &Column, name: &str) -> Option<Self> {
        let ends = |label: &str| -> Option<[(f64, bool); 2]> {
            let inner = label.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let (low, high) = inner.and_then(|own| own.split_once(" to ")).unwrap_or((label, label));
            Some([number(low)?, number(high)?])
        };
        let read: Vec<Option<[(f64, bool); 2]>> = column.texts.iter().map(|label| ends(label)).collect();
        let known = || read.iter().flatten();
        let low = known().map(|ends| ends[0].0).reduce(f64::min)?;
        let high = known().map(|ends| ends[1].0).reduce(f64::max)?;
        let is_date = known().any(|ends| ends[0].1);
        let text = |at: f64| match is_date {
            true => date_of(at.round() as i64),
            false if (high - low) >= MARKS as f64 => at.round().to_string(),
            false => format!("{at:.2}"),
        };
        let step = (high - low) / (MARKS - 1) as f64;
        let marks = (0..MARKS).map(|mark| low + step * mark as f64).map(|at| (at, text(at))).collect();
        let is_whole = is_date || known().flatten().all(|(end, _)| end.fract() == 0.0);
        let unit = if is_whole { 1.0 } else { 0.0 };
        Some(Self {
            // What is anything, a `*` or a marker of a missing value, is as wide as all.
            of_text: read.iter().map(|own| own.map_or((low, high), |own| (own[0].0, own[1].0))).collect(),
            axis: Axis { name: name.to_owned(), low, high, unit, marks },
        })
    }
}

/// The number of a text, and whether it is a date.
fn number(text: &str) -> Option<(f64, bool)> {
    let decimal = Kind::Decimal.number(text).filter(|number| number.is_finite());
    decimal.map(|own| (own, false)).or_else(|| Kind::Date.number(text).map(|days| (days, true)))
}
