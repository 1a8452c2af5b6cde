//! Correspondence attacks on a table that was published twice, with insertions between (Fung, Wang, Fu and Pei, 2008).
//!
//! Every record of the first release is one of the second, with the same sensitive value. So some records of a class cannot be the target's:
//!
//! - **forward** (the target is in both): of g1 records of the class of the first release with a value, at most g2, those of the matching
//!   class of the second, are left; g1 - min(g1, g2) are cracked;
//! - **cross** (the same target): of g2 at most g1 come from the first class; g2 - min(g1, g2) are cracked;
//! - **backward** (the target came later): all G1 records of the first release that can only be among G2 records of the second leave at most
//!   G2 - G1 for the target; max(0, G1 - (G2 - g2)) of g2 are cracked.
//!
//! What is left of the smallest class is its anonymity against each. Classes match when, column by column, some value has both labels.

use std::collections::BTreeSet;

use crate::file::{Class, ColumnLabels, Recorded};

/// The most pairs of classes that are looked at.
const MOST_PAIRS: u64 = 20_000_000;

/// What is left of the smallest class by each attack; nothing where nobody can be attacked in that way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Correspondence {
    /// Forward.
    pub forward: Option<u64>,
    /// Cross.
    pub cross: Option<u64>,
    /// Backward.
    pub backward: Option<u64>,
}

impl Correspondence {
    /// What is left of the smallest class by both.
    #[must_use]
    pub fn or_less(self, other: Self) -> Self {
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        Self {
            forward: least(self.forward, other.forward),
            cross: least(self.cross, other.cross),
            backward: least(self.backward, other.backward),
        }
    }

    /// The least of them.
    pub fn least(&self) -> Option<u64> {
        [self.forward, self.cross, self.backward].into_iter().flatten().min()
    }
}

/// Why the attack is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooMany {
    /// More pairs of classes than can be looked at.
    Pairs,
    /// The releases have other columns, or are not about classes.
    Columns,
}

/// Attacks two releases of which the second holds all records of the first.
///
/// # Errors
/// When they cannot be compared.
pub fn correspondence(first: &Recorded, second: &Recorded) -> Result<Correspondence, TooMany> {
    let (
        Recorded::Classes { columns, sensitive, classes },
        Recorded::Classes { columns: later, sensitive: held, classes: then },
    ) = (first, second)
    else {
        return Err(TooMany::Columns);
    };
    let names = |own: &[ColumnLabels]| own.iter().map(|own| own.column.clone()).collect::<Vec<_>>();
    if names(columns) != names(later) || sensitive != held || sensitive.is_empty() {
        return Err(TooMany::Columns);
    }
    if (classes.len() as u64).saturating_mul(then.len() as u64) > MOST_PAIRS {
        return Err(TooMany::Pairs);
    }
    // Per column the pairs of labels that some value has.
    let together: Vec<BTreeSet<(&str, &str)>> = columns
        .iter()
        .zip(later)
        .map(|(one, other)| {
            let both = one
                .labels
                .iter()
                .filter_map(|(value, label)| Some((label.as_str(), other.labels.get(value)?.as_str())));
            both.collect()
        })
        .collect();
    let matches = |one: &Class, other: &Class| {
        let pairs = one.labels.iter().zip(&other.labels).zip(&together);
        pairs.into_iter().all(|((one, other), both)| both.contains(&(one.as_str(), other.as_str())))
    };
    let mut leads: Vec<Vec<usize>> = Vec::with_capacity(classes.len());
    for one in classes {
        leads.push((0..then.len()).filter(|&at| matches(one, &then[at])).collect());
    }
    let mut found = Correspondence::default();
    // Sensitive columns together: a record is told by all its values, but classes tell each column alone, so each is attacked alone.
    for column in 0..sensitive.len() {
        found = found.or_less(attack(classes, then, &leads, column));
    }
    Ok(found)
}

fn attack(first: &[Class], second: &[Class], leads: &[Vec<usize>], column: usize) -> Correspondence {
    let count = |class: &Class, value: &str| class.held[column].get(value).copied().unwrap_or(0);
    let mut found = Correspondence::default();
    let lower = |least: &mut Option<u64>, left: u64| *least = Some(least.map_or(left, |own| own.min(left)));
    let mut comes_from: Vec<Vec<usize>> = vec![Vec::new(); second.len()];
    for (at, one) in first.iter().enumerate() {
        for &to in &leads[at] {
            comes_from[to].push(at);
            let other = &second[to];
            let both = |own: &Class, of: &Class| {
                own.held[column].iter().map(|(value, &n)| n.min(count(of, value))).sum::<u64>()
            };
            let left = both(one, other);
            // Where no value is in both, no target is in both.
            if left > 0 {
                lower(&mut found.forward, left);
                lower(&mut found.cross, both(other, one));
            }
        }
    }
    for (to, other) in second.iter().enumerate() {
        let reached: BTreeSet<usize> =
            comes_from[to].iter().flat_map(|&from| leads[from].iter().copied()).collect();
        let mut left = 0;
        for (value, &own) in &other.held[column] {
            let before: u64 = comes_from[to].iter().map(|&from| count(&first[from], value)).sum();
            let after: u64 = reached.iter().map(|&at| count(&second[at], value)).sum();
            let after = after.max(own);
            let cracked = before.saturating_sub(after - own);
            left += own - cracked.min(own);
        }
        // A class of which every record is cracked has nobody who came later.
        if left > 0 {
            lower(&mut found.backward, left);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(labels: &[(&str, &str)], classes: &[(&str, &[(&str, u64)])]) -> Recorded {
        let labels = labels.iter().map(|(value, label)| ((*value).to_owned(), (*label).to_owned())).collect();
        let classes = classes.iter().map(|(label, held)| Class {
            labels: vec![(*label).to_owned()],
            rows: held.iter().map(|own| own.1).sum(),
            held: vec![held.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect()],
        });
        Recorded::Classes {
            columns: vec![ColumnLabels { column: "born".into(), labels }],
            sensitive: vec!["ill".into()],
            classes: classes.collect(),
        }
    }

    /// Europe is told apart by the second release, by hand from the three lemmas.
    #[test]
    fn classes_lose_what_is_cracked() {
        let first =
            release(&[("UK", "Europe"), ("France", "Europe")], &[("Europe", &[("Flu", 3), ("Fever", 2)])]);
        let second = release(
            &[("UK", "UK"), ("France", "France")],
            &[("UK", &[("Flu", 2), ("Fever", 1)]), ("France", &[("Flu", 2), ("Fever", 3)])],
        );
        let found = correspondence(&first, &second).unwrap();
        // Forward and cross, UK: min(3,2) + min(2,1) = 3; France: 2 + 2 = 4.
        assert_eq!((found.forward, found.cross), (Some(3), Some(3)));
        // Backward, UK: flu 3 before, 4 after in all: 3 - (4 - 2) = 1 cracked; fever 2 - (4 - 1) = 0: 1 + 1 left.
        // France: flu 3 - (4 - 2) = 1; fever 2 - (4 - 3) = 1: 1 + 2 left.
        assert_eq!(found.backward, Some(2));
        assert_eq!(found.least(), Some(2));
    }

    #[test]
    fn a_value_that_only_newcomers_can_have_is_told() {
        // One class before (a a b), two matching classes after: (a b) and (a a).
        let first = release(&[("x", "*"), ("y", "*")], &[("*", &[("a", 2), ("b", 1)])]);
        let second = release(&[("x", "x"), ("y", "y")], &[("x", &[("a", 1), ("b", 1)]), ("y", &[("a", 2)])]);
        let found = correspondence(&first, &second).unwrap();
        // A target in x of both is the a or the b; in y of both, one of two a.
        assert_eq!((found.forward, found.cross), (Some(2), Some(2)));
        // Two of three a were there before; whoever is new is an a: the b of x is cracked. In x 1 a is left, in y 2.
        assert_eq!(found.backward, Some(1));
    }

    #[test]
    fn releases_of_other_columns_are_not_compared() {
        let one = release(&[], &[]);
        let Recorded::Classes { columns, classes, .. } = one.clone() else { unreachable!() };
        let other = Recorded::Classes { columns, classes, sensitive: vec!["else".into()] };
        assert_eq!(correspondence(&one, &other), Err(TooMany::Columns));
    }
}
