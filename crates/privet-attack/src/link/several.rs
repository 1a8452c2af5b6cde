//! Whether anybody may be in more than one group: the first such person settles it, and nobody's candidates are kept.

use std::sync::atomic::{AtomicBool, Ordering};

use privet_data::Progress;
use rayon::prelude::*;

use super::boxes::{Boxes, Dimension, Wanted};
use super::columns::{Column, Kinds};
use super::{LinkError, MOST_CANDIDATES, People, Released, check, link_watched};

/// People that are looked at between two looks at whether to stop.
const CHUNK: usize = 1 << 12;
/// Columns of no more values are looked at kind by kind.
const FEW_VALUES: u32 = 1 << 12;

/// Whether any of some people may be in several groups.
///
/// # Errors
/// When columns do not correspond, there are too many candidates, or the person asks to stop.
pub fn fits_several(
    released: &Released<'_>,
    people: &People<'_>,
    progress: &dyn Progress,
) -> Result<bool, LinkError> {
    check(released, people)?;
    let columns: Vec<Column<'_>> = released
        .labels
        .par_iter()
        .zip(&released.coverage)
        .map(|(labels, coverage)| Column::listing(labels, coverage, 0))
        .collect();
    if columns.iter().all(Column::is_function) {
        let links = link_watched(released, people, MOST_CANDIDATES, progress)?;
        return Ok((0..links.tuples() as u32).any(|tuple| links.of_tuple(tuple).len() > 1));
    }
    progress.check()?;
    // Where there are many values, kinds would be as many.
    let kinds: Vec<Option<Kinds>> =
        columns.par_iter().map(|own| (own.values() <= FEW_VALUES).then(|| own.kinds())).collect();
    let dimensions = columns.iter().zip(&kinds).map(|(own, kinds)| Dimension::new(own, kinds.as_ref()));
    let records = released.groups.len();
    let local = |record: usize| {
        let columns = columns.iter().zip(&released.labels);
        columns.map(move |(column, labels)| column.local(labels[record]))
    };
    let labels = (0..records).flat_map(local).collect();
    let boxes = Boxes::of(dimensions.collect(), labels, records);
    let met = boxes.any_two_meet(released.groups, &|| progress.cancelled());
    progress.check()?;
    if !met {
        return Ok(false);
    }
    let stop = AtomicBool::new(false);
    let several = (0..people.count.div_ceil(CHUNK)).into_par_iter().any(|chunk| {
        if stop.load(Ordering::Relaxed) || progress.cancelled() {
            stop.store(true, Ordering::Relaxed);
            return false;
        }
        let (mut wanted, mut waiting) = (Vec::with_capacity(kinds.len()), Vec::new());
        (chunk * CHUNK..people.count.min((chunk + 1) * CHUNK)).any(|person| {
            wanted.clear();
            let cells = people.values.iter().zip(&kinds).zip(&columns);
            wanted.extend(cells.map(|((values, kinds), column)| Wanted {
                value: values[person].min(column.values()),
                kind: kinds.as_ref().map_or(0, |kinds| kinds.of(values[person])),
            }));
            let (mut first, mut several) = (None, false);
            boxes.find(&wanted, &mut waiting, |record| {
                let group = released.groups[record as usize];
                several = *first.get_or_insert(group) != group;
                !several
            });
            several
        })
    });
    if !several {
        progress.check()?;
    }
    Ok(several)
}
