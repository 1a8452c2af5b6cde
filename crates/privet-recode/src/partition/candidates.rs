//! Which cuts of one column are tried (survey ME-09, papers T-AL6).
//!
//! Numbers are cut beside their lower median v: {x <= v | x > v} and {x < v | x >= v}, the more even one first. Both
//! are needed: with the first alone the bound m + 2d(k-1) on the size of a group does not hold (the trap of T-AL6,
//! values 0, 1, 2, 5, 5, 5, 5). If neither leaves k records on both sides, no cut of the column does. In relaxed mode
//! the records that hold v may be divided, so one cut into halves remains.
//!
//! Missing values and numbers are parted first where that is allowed; where it is not, missing values count as the
//! lowest number.
//!
//! A column without numbers is cut into the children of its lowest node above all records, or not at all. Children
//! without a record vanish.

use super::space::Dimension;

/// Places that occur in a part, in ascending order, each with the number of its records.
pub(super) type Profile = [(u32, u32)];

/// A cut of one column into parts that are runs of places.
#[derive(Debug, Clone, Default)]
pub(super) struct Cut {
    /// Per part its first place: that of its first record, or 0 and the threshold in a column of numbers.
    pub firsts: Vec<u32>,
    /// Per part its records.
    pub sizes: Vec<u32>,
    /// How many records with the first place of the second part still go to the first part.
    pub tied: u32,
    /// The level whose nodes the parts are; `None` in a column of numbers.
    pub level: Option<usize>,
}

impl Cut {
    /// Whether every part has so many records.
    pub fn leaves_at_least(&self, least: u64) -> bool {
        self.sizes.iter().all(|&size| u64::from(size) >= least)
    }

    /// The part that takes a place that occurs. Ties that are divided are not looked at.
    pub fn part_of(&self, place: u32) -> usize {
        self.firsts.partition_point(|&first| first <= place).saturating_sub(1)
    }

    fn set_two(&mut self, first: u32, left: u32, rows: u32) {
        self.tied = 0;
        self.level = None;
        self.firsts.clear();
        self.firsts.extend([0, first]);
        self.sizes.clear();
        self.sizes.extend([left, rows - left]);
    }

    /// The run of places that a part stands for.
    pub fn run(&self, dimension: &Dimension, part: usize) -> (u32, u32) {
        match self.level {
            Some(level) => dimension.run(self.firsts[part], level),
            None if part > 0 => (self.firsts[part], u32::MAX),
            None if self.tied > 0 => (0, self.firsts[1]),
            None => (0, self.firsts[1] - 1),
        }
    }
}

/// Which cuts are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// Both sides of the median.
    Both,
    /// Only {x <= v | x > v}.
    Lower,
    /// Halves, whatever the ties.
    Halves,
}

/// Calls `attempt` with one candidate after the other, until it takes one. `cut` is a buffer.
pub(super) fn attempt_each(
    dimension: &Dimension,
    profile: &Profile,
    rows: u32,
    sides: Sides,
    cut: &mut Cut,
    mut attempt: impl FnMut(&Cut) -> bool,
) -> bool {
    let (Some(&(lo, lowest)), Some(&(hi, _))) = (profile.first(), profile.last()) else { return false };
    if !dimension.is_line() {
        return lo < hi && {
            children(dimension, profile, cut);
            attempt(cut)
        };
    }
    if dimension.is_mixed(lo, hi) {
        cut.set_two(1, lowest, rows);
        if attempt(cut) {
            return true;
        }
    }
    let (mut before, mut at) = (0, 0);
    while before + profile[at].1 <= (rows - 1) / 2 {
        before += profile[at].1;
        at += 1;
    }
    let (median, copies) = profile[at];
    if sides == Sides::Halves {
        let left = rows.div_ceil(2);
        cut.set_two(median, left, rows);
        cut.tied = left - before;
        // A median that goes left as a whole is no tie.
        if cut.tied == copies {
            cut.set_two(median + 1, left, rows);
        }
        return attempt(cut);
    }
    let upper = (before > 0 && sides == Sides::Both).then_some((median, before));
    let lower = (at + 1 < profile.len()).then_some((median + 1, before + copies));
    let evenness = |side: Option<(u32, u32)>| side.map_or(0, |(_, left)| left.min(rows - left));
    let ordered = if evenness(lower) >= evenness(upper) { [lower, upper] } else { [upper, lower] };
    ordered.into_iter().flatten().any(|(first, left)| {
        cut.set_two(first, left, rows);
        attempt(cut)
    })
}

/// The cut into the children of the lowest node above all records. There are at least two different places.
pub(super) fn children(dimension: &Dimension, profile: &Profile, cut: &mut Cut) {
    let level = dimension.level_above(profile[0].0, profile[profile.len() - 1].0) - 1;
    cut.tied = 0;
    cut.level = Some(level);
    cut.firsts.clear();
    cut.sizes.clear();
    let mut current = None;
    for &(place, count) in profile {
        let node = dimension.node(place, level);
        if current != Some(node) {
            cut.firsts.push(place);
            cut.sizes.push(0);
            current = Some(node);
        }
        if let Some(size) = cut.sizes.last_mut() {
            *size += count;
        }
    }
}

/// The cut of numbers below a place.
pub(super) fn below(first: u32, left: u32, rows: u32, cut: &mut Cut) {
    cut.set_two(first, left, rows);
}
