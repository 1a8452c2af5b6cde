//! How far the values behind means, medians and modes reach (survey UM-04, UM-08).
//!
//! A mean stands for no set of values, and to rebuild a distribution it is taken for the value nearest to it. That is one
//! value, so that by it no detail would be lost, while everybody of a group shows the same. The detail that is lost is how far
//! the values of the group reach, as the search counts it: all values from the least to the largest one, and, in a column
//! without an order, all values as soon as there are two.

use privet_data::{Column, Coverage};
use privet_measure::utility::{Spread, SpreadColumn, UtilityError};

use super::numbers::{is_numeric, numbers_of};
use super::{Beside, spread_out};
use crate::assess::people::shows_points;

/// More values than this are not listed.
const MOST_CELLS: usize = 50_000_000;

/// Per quasi column that shows points: per record its group, and per group the values that it reaches over.
pub struct Extents {
    groups: Vec<u32>,
    coverages: Vec<Option<Coverage>>,
}

impl Extents {
    /// `None` for a release without such columns; an error for one whose groups reach over too many values.
    pub fn of(beside: &Beside<'_>) -> Option<Result<Self, TooWide>> {
        let (original, release) = (beside.original, beside.release);
        if !release.quasi.iter().any(|&at| shows_points(release, at)) {
            return None;
        }
        let groups = spread_out(beside, &release.group_of);
        let mut listed = 0usize;
        let mut coverages = Vec::with_capacity(release.quasi.len());
        for (own, &at) in original.quasi.iter().zip(&release.quasi) {
            if !shows_points(release, at) {
                coverages.push(None);
                continue;
            }
            let column = &original.table.columns[own.position];
            let mut codes: Vec<Vec<u32>> = vec![Vec::new(); release.groups.len()];
            for (&group, &record) in release.group_of.iter().zip(&original.record_of) {
                codes[group as usize].push(column.codes[record as usize]);
            }
            let ordered = Ordered::of(column);
            for group in &mut codes {
                group.sort_unstable();
                group.dedup();
                if group.len() > 1 {
                    *group = ordered.between(group);
                }
                listed = listed.saturating_add(group.len());
                if listed > MOST_CELLS {
                    return Some(Err(TooWide));
                }
            }
            coverages.push(Some(Coverage::new(codes, column.domain.len() as u32)));
        }
        Some(Ok(Self { groups, coverages }))
    }

    /// The release with what its groups reach over in place of the points that they show.
    pub fn spread<'a>(&'a self, beside: &'a Beside<'_>) -> Result<Spread<'a>, UtilityError> {
        let column = |(quasi, own): (usize, &'a Option<Coverage>)| match own {
            Some(coverage) => {
                SpreadColumn { original: beside.quasi_codes(quasi), published: &self.groups, coverage }
            }
            None => SpreadColumn {
                original: beside.quasi_codes(quasi),
                published: &beside.labels[quasi],
                coverage: &beside.coverages[quasi],
            },
        };
        let columns: Vec<SpreadColumn<'_>> = self.coverages.iter().enumerate().map(column).collect();
        Spread::new(&columns, beside.mask())
    }
}

/// Groups reach over too many values to be listed.
pub struct TooWide;

/// Values in the order of their numbers; in other columns nothing is between two values.
struct Ordered {
    /// The codes with a number, by that number.
    codes: Vec<u32>,
    /// Per code its place there.
    place: Vec<Option<usize>>,
    has_order: bool,
}

impl Ordered {
    fn of(column: &Column) -> Self {
        let has_order = is_numeric(column.domain.kind());
        let mut numbers: Vec<(f64, u32)> = numbers_of(&column.domain)
            .into_iter()
            .zip(0..)
            .filter(|own| has_order && !own.0.is_nan())
            .collect();
        numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let codes: Vec<u32> = numbers.into_iter().map(|own| own.1).collect();
        let mut place = vec![None; column.domain.len()];
        codes.iter().enumerate().for_each(|(at, &code)| place[code as usize] = Some(at));
        Self { codes, place, has_order }
    }

    /// All values from the least of these to the largest, and those of them that have no number.
    fn between(&self, codes: &[u32]) -> Vec<u32> {
        if !self.has_order {
            return (0..self.place.len() as u32).collect();
        }
        let place = |code: &u32| self.place.get(*code as usize).copied().flatten();
        let mut all: Vec<u32> = codes.iter().copied().filter(|code| place(code).is_none()).collect();
        let known = codes.iter().filter_map(place);
        if let (Some(first), Some(last)) = (known.clone().min(), known.max()) {
            all.extend(&self.codes[first..=last]); // why: both are places in it
        }
        all.sort_unstable();
        all
    }
}
