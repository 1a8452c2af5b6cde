//! How alike the two sides of a pair are: per column a level of agreement, all columns together a pattern.
//!
//! Level 0 is disagreement, and higher levels are closer agreement. A value that is missing on either side is neither:
//! it says nothing, and its column is left out for that pair.

use foldhash::{HashMap, HashMapExt};
use privet_data::Coverage;
use rayon::prelude::*;

use super::LinkageError;
use crate::link::Keys;

/// A code that stands for no value.
pub const MISSING: u32 = u32::MAX;
/// More pairs than this are not compared.
pub const MOST_PAIRS: usize = 1 << 25;
const MOST_PATTERNS: u32 = 1 << 20;

/// A column of both tables and how its values are compared: records on the left, people on the right.
#[derive(Debug, Clone)]
pub enum Compared<'a> {
    /// Codes of one domain. Levels: different, equal.
    Codes {
        /// Of each record.
        left: &'a [u32],
        /// Of each person.
        right: &'a [u32],
    },
    /// Published labels against values. Levels: not covered, covered with others, the only value that is covered.
    Labels {
        /// The label of each record.
        left: &'a [u32],
        /// The value of each person.
        right: &'a [u32],
        /// What labels cover.
        coverage: &'a Coverage,
    },
    /// Numbers, no number being a missing one. Levels: farther apart than the largest of `within`, then for each of
    /// these from the largest to the smallest at most so far apart.
    Numbers {
        /// Of each record.
        left: &'a [f64],
        /// Of each person.
        right: &'a [f64],
        /// Distances; those that are no number or negative are passed over.
        within: Vec<f64>,
    },
}

impl Compared<'_> {
    fn rows(&self) -> (usize, usize) {
        match self {
            Self::Codes { left, right } | Self::Labels { left, right, .. } => (left.len(), right.len()),
            Self::Numbers { left, right, .. } => (left.len(), right.len()),
        }
    }

    fn levels(&self) -> u32 {
        match self {
            Self::Codes { .. } => 2,
            Self::Labels { .. } => 3,
            Self::Numbers { within, .. } => 1 + within.len() as u32,
        }
    }

    pub(super) fn level(&self, left_row: usize, right_row: usize) -> Option<u32> {
        match self {
            Self::Codes { left, right } => {
                let (a, b) = (left[left_row], right[right_row]);
                (a != MISSING && b != MISSING).then_some(u32::from(a == b))
            }
            Self::Labels { left, right, coverage } => {
                let (label, value) = (left[left_row], right[right_row]);
                let covered = coverage.contains(label, value);
                let only = coverage.of(label).len() == 1;
                (label != MISSING && value != MISSING).then_some(u32::from(covered) * (1 + u32::from(only)))
            }
            Self::Numbers { left, right, within } => {
                let (a, b) = (left[left_row], right[right_row]);
                let apart = if a == b { 0.0 } else { (a - b).abs() };
                (!a.is_nan() && !b.is_nan())
                    .then(|| within.iter().filter(|&&distance| apart <= distance).count() as u32)
            }
        }
    }
}

/// The pairs of a record and a person that were compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairs {
    /// Records and people.
    pub rows: (usize, usize),
    /// Per column how many levels it has.
    pub levels: Vec<u32>,
    /// Per pair its record, its person and its pattern, ascending.
    pub pairs: Vec<(u32, u32, u32)>,
    /// Per pattern the level of each column, or `None` where a value is missing.
    pub patterns: Vec<Vec<Option<u32>>>,
    /// Per pattern how many pairs show it.
    pub counts: Vec<u64>,
}

/// Compares records with people. A pair is compared when it has the same code, and none missing, in all columns of at
/// least one of `blocks` (sets of positions in `columns`); without blocks every pair is.
///
/// # Errors
/// When columns do not fit together, or there are too many pairs or patterns.
pub fn compare(columns: &[Compared<'_>], blocks: &[Vec<usize>]) -> Result<Pairs, LinkageError> {
    let Coding { rows, sizes, patterns } = Coding::new(columns)?;
    let passes: Vec<Pass> = match blocks {
        [] => vec![Pass::everything(rows)],
        blocks => blocks.iter().map(|block| Pass::new(columns, block, rows)).collect::<Result<_, _>>()?,
    };
    let compared: u128 = passes.iter().map(Pass::pairs).sum();
    if compared > MOST_PAIRS as u128 {
        return Err(LinkageError::TooManyPairs { pairs: compared, most: MOST_PAIRS });
    }
    let pattern = |left: usize, right: usize| pattern(columns, &sizes, left, right);
    let pairs: Vec<(u32, u32, u32)> = (0..rows.0)
        .into_par_iter()
        .flat_map_iter(|left| {
            let mut people: Vec<u32> = passes.iter().flat_map(|pass| pass.people(left)).copied().collect();
            // Several passes may bring the same pair.
            people.sort_unstable();
            people.dedup();
            people.into_iter().map(move |right| (left as u32, right, pattern(left, right as usize)))
        })
        .collect();
    let mut count = vec![0u64; patterns as usize];
    pairs.iter().for_each(|&(_, _, pattern)| count[pattern as usize] += 1);
    let mut number = vec![0u32; patterns as usize];
    let mut found = Pairs {
        rows,
        levels: sizes.iter().map(|size| size - 1).collect(),
        pairs,
        patterns: Vec::new(),
        counts: Vec::new(),
    };
    for (code, &count) in count.iter().enumerate().filter(|(_, count)| **count > 0) {
        number[code] = found.patterns.len() as u32;
        found.counts.push(count);
        found.patterns.push(spelled(&sizes, code as u32));
    }
    found.pairs.iter_mut().for_each(|pair| pair.2 = number[pair.2 as usize]);
    Ok(found)
}

/// How patterns are numbered: in mixed radix, 0 standing for a missing value.
pub(super) struct Coding {
    /// Records and people.
    pub rows: (usize, usize),
    /// Per column its levels and one more.
    pub sizes: Vec<u32>,
    /// All numbers are below this.
    pub patterns: u32,
}

impl Coding {
    pub fn new(columns: &[Compared<'_>]) -> Result<Self, LinkageError> {
        let rows = columns.first().ok_or(LinkageError::NoColumn)?.rows();
        for (column, compared) in columns.iter().enumerate() {
            let (left, right) = compared.rows();
            for (found, expected) in [(left, rows.0), (right, rows.1)] {
                if found != expected || found > i32::MAX as usize {
                    return Err(LinkageError::Rows { column, found, expected });
                }
            }
        }
        let sizes: Vec<u32> = columns.iter().map(|column| column.levels() + 1).collect();
        let patterns =
            sizes.iter().try_fold(1u32, |all, &size| all.checked_mul(size).filter(|&n| n <= MOST_PATTERNS));
        let patterns = patterns.ok_or(LinkageError::TooManyPatterns { most: MOST_PATTERNS })?;
        Ok(Self { rows, sizes, patterns })
    }
}

/// The number of the pattern of a pair.
fn pattern(columns: &[Compared<'_>], sizes: &[u32], left: usize, right: usize) -> u32 {
    columns.iter().zip(sizes).fold(0, |pattern, (column, &size)| {
        pattern * size + column.level(left, right).map_or(0, |level| level + 1)
    })
}

/// The levels of a pattern by its number.
pub(super) fn spelled(sizes: &[u32], code: u32) -> Vec<Option<u32>> {
    let mut rest = code;
    let mut levels: Vec<Option<u32>> = sizes
        .iter()
        .rev()
        .map(|&size| {
            let level = rest % size;
            rest /= size;
            level.checked_sub(1)
        })
        .collect();
    levels.reverse();
    levels
}

/// One way of blocking: per record its block, and per block the people in it.
struct Pass {
    block: Vec<Option<u32>>,
    starts: Vec<usize>,
    people: Vec<u32>,
}

impl Pass {
    fn everything(rows: (usize, usize)) -> Self {
        Self { block: vec![Some(0); rows.0], starts: vec![0, rows.1], people: (0..rows.1 as u32).collect() }
    }

    fn new(columns: &[Compared<'_>], by: &[usize], rows: (usize, usize)) -> Result<Self, LinkageError> {
        let mut keys = Keys::new(rows.0 + rows.1);
        let mut missing = vec![false; rows.0 + rows.1];
        for &column in by {
            let Some(Compared::Codes { left, right }) = columns.get(column) else {
                return Err(LinkageError::Block { column });
            };
            // Codes may be any numbers: they are numbered as they occur.
            let mut dense: HashMap<u32, u32> = HashMap::new();
            let codes: Vec<u32> = left
                .iter()
                .chain(*right)
                .map(|&code| {
                    let next = dense.len() as u32;
                    *dense.entry(code).or_insert(next)
                })
                .collect();
            let coded = left.iter().chain(*right);
            missing.iter_mut().zip(coded).for_each(|(missing, &code)| *missing |= code == MISSING);
            keys.push(codes.into_par_iter(), dense.len() as u64);
        }
        let (block_of, first) = keys.finish();
        let mut starts = vec![0; first.len() + 1];
        let of_people = || (rows.0..rows.0 + rows.1).filter(|&row| !missing[row]);
        of_people().for_each(|row| starts[block_of[row] as usize + 1] += 1);
        for block in 0..first.len() {
            starts[block + 1] += starts[block];
        }
        let mut next = starts.clone();
        let mut people = vec![0; starts[first.len()]];
        for row in of_people() {
            let place = &mut next[block_of[row] as usize];
            people[*place] = (row - rows.0) as u32;
            *place += 1;
        }
        let block = (0..rows.0).map(|row| (!missing[row]).then_some(block_of[row])).collect();
        Ok(Self { block, starts, people })
    }

    fn people(&self, record: usize) -> &[u32] {
        match self.block[record] {
            Some(block) => &self.people[self.starts[block as usize]..self.starts[block as usize + 1]],
            None => &[],
        }
    }

    fn pairs(&self) -> u128 {
        (0..self.block.len()).map(|record| self.people(record).len() as u128).sum()
    }
}
