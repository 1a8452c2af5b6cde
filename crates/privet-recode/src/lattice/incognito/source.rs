//! What the classes of candidates are formed from, and the check of one candidate.

use std::ops::AddAssign;
use std::sync::Arc;

use privet_data::Progress;

use super::super::snapshot::Snapshot;
use super::Search;

/// What classes are formed from.
pub enum Source<'a, const W: usize> {
    /// The table.
    Table(&'a Snapshot<W>),
    /// The table as the frequency set of all columns, which the cube begins with.
    Whole(&'a Snapshot<W>),
    /// A frequency set.
    Set(Arc<Snapshot<W>>),
}

impl<const W: usize> Clone for Source<'_, W> {
    fn clone(&self) -> Self {
        match self {
            Self::Table(table) => Self::Table(table),
            Self::Whole(table) => Self::Whole(table),
            Self::Set(set) => Self::Set(Arc::clone(set)),
        }
    }
}

impl<const W: usize> Source<'_, W> {
    /// A frequency set.
    pub fn set(set: Snapshot<W>) -> Self {
        Self::Set(Arc::new(set))
    }

    /// Its distinct tuples.
    pub fn tuples(&self) -> &Snapshot<W> {
        match self {
            Self::Table(tuples) | Self::Whole(tuples) => tuples,
            Self::Set(tuples) => tuples,
        }
    }

    fn is_table(&self) -> bool {
        matches!(self, Self::Table(_))
    }

    /// Classes were formed from it once.
    pub fn used(&self) -> Used {
        let scans = u64::from(self.is_table());
        Used { scans, roll_ups: 1 - scans }
    }
}

/// What classes were formed from, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// From the table.
    pub scans: u64,
    /// From a frequency set.
    pub roll_ups: u64,
}

impl AddAssign for Used {
    fn add_assign(&mut self, other: Self) {
        self.scans += other.scans;
        self.roll_ups += other.roll_ups;
    }
}

/// What came out for one candidate.
pub enum Checked<'a, const W: usize> {
    /// It is safe.
    Safe,
    /// It is not; what nodes above it are formed from.
    Failing(Source<'a, W>),
}

/// Forms the classes of a candidate and looks whether it is safe.
pub fn check<'a, const W: usize>(
    search: &Search<'a, W>,
    source: &Source<'a, W>,
    levels: &[usize],
    progress: &dyn Progress,
) -> Checked<'a, W> {
    if progress.cancelled() {
        // Nobody looks at the result any more.
        return Checked::Failing(source.clone());
    }
    let engine = search.engine;
    let columns = &engine.prepared.columns;
    let tuples = source.tuples();
    // From the table a frequency set is made in any case, so that each root costs one scan and no more.
    let most = if source.is_table() { usize::MAX } else { engine.most_classes };
    search.with_buffers(|buffers| {
        let complete = buffers.scratch.group(columns, tuples, levels, most);
        if complete && engine.judge.is_safe(&mut buffers.scratch, &mut buffers.histograms, tuples) {
            return Checked::Safe;
        }
        let smaller = buffers.scratch.classes.rows().len() * 4 <= tuples.len() * 3;
        if complete && (smaller || source.is_table()) {
            return Checked::Failing(Source::set(buffers.scratch.snapshot(columns, tuples, levels)));
        }
        Checked::Failing(source.clone())
    })
}
