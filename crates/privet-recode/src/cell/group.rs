//! A group of records that will be published as one class.

use super::tuples::Tuples;

/// Copies of some tuples, and the columns on which they disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Tuples and how many copies of each; no tuple twice.
    pub members: Vec<(u32, u64)>,
    /// The records.
    pub rows: u64,
    /// The set of columns on which they disagree, 64 to a word.
    pub varying: Vec<u64>,
}

impl Group {
    /// Copies of one tuple.
    pub fn of(tuples: &Tuples, tuple: usize, copies: u64) -> Self {
        Self { members: vec![(tuple as u32, copies)], rows: copies, varying: vec![0; tuples.words()] }
    }

    /// How many columns vary.
    pub fn stars(&self) -> u64 {
        count(&self.varying)
    }

    /// The cells that are suppressed.
    pub fn cells(&self) -> u64 {
        self.rows * self.stars()
    }

    /// How many columns would vary in the union with another group.
    pub fn stars_with(&self, tuples: &Tuples, other: &Group) -> u64 {
        count(&self.varying_with(tuples, other))
    }

    /// A column that is constant in both is constant in the union when one member of each agrees on it.
    fn varying_with(&self, tuples: &Tuples, other: &Group) -> Vec<u64> {
        let mut varying: Vec<u64> = self.varying.iter().zip(&other.varying).map(|(a, b)| a | b).collect();
        if let (Some(a), Some(b)) = (self.members.first(), other.members.first()) {
            tuples.add_differing(a.0 as usize, b.0 as usize, &mut varying);
        }
        varying
    }

    /// Takes all members of another group.
    pub fn absorb(&mut self, tuples: &Tuples, other: Group) {
        self.varying = self.varying_with(tuples, &other);
        self.rows += other.rows;
        for (tuple, copies) in other.members {
            match self.members.iter_mut().find(|(own, _)| *own == tuple) {
                Some((_, own)) => *own += copies,
                None => self.members.push((tuple, copies)),
            }
        }
    }

    /// Gives copies of a tuple away, of which it must have as many.
    pub fn release(&mut self, tuples: &Tuples, tuple: u32, copies: u64) {
        let Some(position) = self.members.iter().position(|&(own, _)| own == tuple) else { return };
        self.members[position].1 -= copies;
        self.rows -= copies;
        if self.members[position].1 == 0 {
            self.members.remove(position);
            self.varying = varying(tuples, &self.members);
        }
    }
}

/// The columns on which members disagree.
pub fn varying(tuples: &Tuples, members: &[(u32, u64)]) -> Vec<u64> {
    let mut varying = vec![0; tuples.words()];
    if let Some((first, others)) = members.split_first() {
        for other in others {
            tuples.add_differing(first.0 as usize, other.0 as usize, &mut varying);
        }
    }
    varying
}

/// The size of a set of columns.
pub fn count(columns: &[u64]) -> u64 {
    columns.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The cells that are suppressed in all groups.
pub fn total_cells(groups: &[Group]) -> u64 {
    groups.iter().map(Group::cells).sum()
}
