//! The boxes that groups were given in two columns, for a picture: read off the published labels, so that it shows
//! nothing that is not published.

use std::collections::{BTreeMap, BTreeSet};

use privet_data::{Kind, date_of};
use privet_report::{Axis, Boxes, GroupBox, MOST_BOXES};

use crate::chosen::Place;
use crate::run::Candidate;

/// Marks on an axis.
const MARKS: usize = 5;

/// The picture of the first two columns that show ranges.
pub(crate) fn boxes(candidate: &Candidate<'_>) -> Option<Boxes> {
    let is_range = |place: &Place| matches!(place, Place::Cells { kind: "group-ranges", .. });
    let mut ranged = (0..candidate.chosen.places.len()).filter(|&i| is_range(&candidate.chosen.places[i]));
    let columns = [ranged.next()?, ranged.next()?];
    let [x, y] = columns.map(|column| Extents::new(candidate, column));
    let (x, y) = (x?, y?);
    let partition = candidate.partition;
    let mut rows: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (class, &record) in partition.first.iter().enumerate().filter(|(class, _)| partition.kept[*class]) {
        let node = |column: usize| candidate.problem.quasi[column].codes[record as usize];
        *rows.entry((node(columns[0]), node(columns[1]))).or_default() += partition.rows[class];
    }
    let boxes = rows.into_iter().map(|((a, b), rows)| GroupBox {
        x: x.of_node[a as usize],
        y: y.of_node[b as usize],
        rows,
    });
    // In an order that follows from what is published, so that whoever reads the labels can draw the same.
    let mut boxes: Vec<GroupBox> = boxes.collect();
    let all = boxes.len();
    boxes.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| in_place(a, b)));
    boxes.truncate(MOST_BOXES);
    boxes.shrink_to_fit();
    boxes.sort_by(|a, b| in_place(a, b).then(b.rows.cmp(&a.rows)));
    Some(Boxes { x: x.axis, y: y.axis, left_out: (all - boxes.len()) as u64, boxes })
}

/// From left to right, and then from below.
fn in_place(a: &GroupBox, b: &GroupBox) -> std::cmp::Ordering {
    let ends = |own: &GroupBox| [own.x.0, own.x.1, own.y.0, own.y.1];
    let pairs = ends(a).into_iter().zip(ends(b));
    pairs.fold(std::cmp::Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(&b)))
}

/// The ranges of a column's labels.
struct Extents {
    of_node: Vec<(f64, f64)>,
    axis: Axis,
}

impl Extents {
    fn new(candidate: &Candidate<'_>, column: usize) -> Option<Self> {
        let Place::Cells { level, .. } = &candidate.chosen.places[column] else { return None };
        let read: Vec<Option<(f64, f64)>> = level.labels.iter().map(|label| extent(label)).collect();
        let partition = candidate.partition;
        let classes = partition.first.iter().zip(&partition.kept).filter(|(_, kept)| **kept);
        let published: BTreeSet<u32> =
            classes.map(|(&record, _)| candidate.problem.quasi[column].codes[record as usize]).collect();
        let known = || published.iter().filter_map(|&node| read[node as usize].as_ref());
        let low = known().map(|(low, _)| *low).reduce(f64::min)?;
        let high = known().map(|(_, high)| *high).reduce(f64::max)?;
        // What is anything, a `*` or a marker of a missing value, is as wide as all.
        let of_node = read.iter().map(|extent| extent.unwrap_or((low, high))).collect();
        let mut labels = published.iter().map(|&node| &*level.labels[node as usize]);
        let is_date = labels.any(|label| number(ends(label).0).is_some_and(|low| low.1));
        let text = |at: f64| match is_date {
            true => date_of(at.round() as i64),
            false if (high - low) >= MARKS as f64 => at.round().to_string(),
            false => format!("{at:.2}"),
        };
        let step = (high - low) / (MARKS - 1) as f64;
        let marks = (0..MARKS).map(|mark| low + step * mark as f64).map(|at| (at, text(at))).collect();
        let table = &candidate.loaded.input.table;
        let name = table.columns[candidate.loaded.quasi[column].position].name.clone();
        // Whole numbers and days are as wide as one; a single one must be seen.
        let is_whole = is_date || known().all(|(low, high)| low.fract() == 0.0 && high.fract() == 0.0);
        Some(Self { of_node, axis: Axis { name, low, high, unit: if is_whole { 1.0 } else { 0.0 }, marks } })
    }
}

/// The ends of a label `[a to b]`; a value is both.
fn ends(label: &str) -> (&str, &str) {
    let inner = label.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.and_then(|inner| inner.split_once(" to ")).unwrap_or((label, label))
}

/// The range of a label.
fn extent(label: &str) -> Option<(f64, f64)> {
    let (low, high) = ends(label);
    Some((number(low)?.0, number(high)?.0))
}

/// The number of a text, and whether it is a date.
fn number(text: &str) -> Option<(f64, bool)> {
    let decimal =
        Kind::Decimal.number(text).filter(|number| number.is_finite()).map(|number| (number, false));
    decimal.or_else(|| Kind::Date.number(text).map(|days| (days, true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read() {
        assert_eq!(extent("[20 to 24]"), Some((20.0, 24.0)));
        assert_eq!(extent("-3.5"), Some((-3.5, -3.5)));
        assert_eq!(extent("[1970-01-02 to 1970-01-11]"), Some((1.0, 10.0)));
        assert_eq!(extent("*"), None);
        assert_eq!(extent("[a to b]"), None);
    }
}
