//! The row space of answered sums over the rationals, in reduced row echelon form. A unit vector lies in it exactly when it is one of
//! the rows.
//!
//! Growth: answered sums × people of big fractions per question; for small groups, and as the judge of [`super::modular`].

use dashu::rational::RBig;

/// Rows in reduced echelon form.
#[derive(Debug, Clone, Default)]
pub(super) struct Rational {
    /// Each with its pivot.
    rows: Vec<(usize, Vec<RBig>)>,
    people: usize,
}

/// What a question does to the row space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It lies in it.
    Follows,
    /// It extends it, and no unit vector lies in the larger one.
    Extends,
    /// It extends it to one with a unit vector.
    Determines,
    /// Not decided exactly.
    Unproven,
}

impl Rational {
    pub fn new(people: usize) -> Self {
        Self { rows: Vec::new(), people }
    }

    pub fn effect(&self, query: &[u32]) -> Effect {
        let Some((pivot, row)) = self.reduced(query) else { return Effect::Follows };
        let mut grown = self.clone();
        grown.insert(pivot, row);
        match grown.rows.iter().any(|(_, row)| row.iter().filter(|own| **own != RBig::ZERO).count() == 1) {
            true => Effect::Determines,
            false => Effect::Extends,
        }
    }

    /// Adds an answered sum.
    pub fn add(&mut self, query: &[u32]) {
        if let Some((pivot, row)) = self.reduced(query) {
            self.insert(pivot, row);
        }
    }

    /// What is left of a question, with a leading one; nothing when it follows.
    fn reduced(&self, query: &[u32]) -> Option<(usize, Vec<RBig>)> {
        let mut rest = vec![RBig::ZERO; self.people];
        for &person in query {
            rest[person as usize] = RBig::ONE;
        }
        for (pivot, row) in &self.rows {
            subtract(&mut rest, row, *pivot);
        }
        let pivot = rest.iter().position(|own| *own != RBig::ZERO)?;
        let lead = rest[pivot].clone();
        rest.iter_mut().for_each(|own| *own = &*own / &lead);
        Some((pivot, rest))
    }

    fn insert(&mut self, pivot: usize, new: Vec<RBig>) {
        for (_, row) in &mut self.rows {
            subtract(row, &new, pivot);
        }
        self.rows.push((pivot, new));
    }
}

/// Takes as much of a row with a leading one away as makes the pivot zero.
fn subtract(from: &mut [RBig], row: &[RBig], pivot: usize) {
    let factor = from[pivot].clone();
    if factor != RBig::ZERO {
        for (own, other) in from.iter_mut().zip(row).filter(|(_, other)| **other != RBig::ZERO) {
            *own = &*own - &factor * other;
        }
    }
}
