//! What a column of perturbed categories or sets says of who may be behind a record (survey AT-17 for the laws of ME-19 to
//! ME-22): its law is published, so the probability that a person's value becomes the published one is known.
//!
//! # Guarantee
//! [`PerturbedCategories::chance`] is the logarithm of that probability exactly, minus infinity where the person cannot be
//! behind the record. A missing value stays missing, and nothing else becomes missing.

use privet_perturb::{PerturbError, PerturbationMatrix, Retention, SelectASize};

/// The code of a missing value.
pub const MISSING: u32 = u32::MAX;

/// A column of categories or sets, and its law.
#[derive(Debug, Clone, PartialEq)]
pub struct PerturbedCategories {
    /// Its name.
    pub name: String,
    /// Per record the code of the published value, or [`MISSING`].
    pub published: Vec<u32>,
    /// Per record that of the original value, which only the owner has.
    pub original: Vec<u32>,
    law: Chances,
}

/// Logarithms of the probabilities that values become others.
#[derive(Debug, Clone, PartialEq)]
enum Chances {
    /// One for a value that stays, another for one that becomes any other.
    Even { same: f64, other: f64 },
    /// Row u, column v: that value u becomes value v.
    Written { size: usize, rows: Vec<f64> },
    /// Codes are places in these lists of sets, each sorted.
    Sets { published: Vec<Vec<u32>>, original: Vec<Vec<u32>>, law: SetChances },
}

/// Of sets that are filled up to one size before they are randomized (`SelectASize`).
#[derive(Debug, Clone, PartialEq)]
struct SetChances {
    /// Per size of the original, and number of its items that were kept: of keeping these and no other of its items.
    kept: Vec<Vec<f64>>,
    /// Of adding an item, and of not adding it.
    added: (f64, f64),
    /// How many items there are.
    items: usize,
}

impl PerturbedCategories {
    /// Values that are kept or replaced evenly.
    pub fn retained(name: &str, published: Vec<u32>, original: Vec<u32>, law: Retention) -> Self {
        let other = (1.0 - law.keep()) / f64::from(law.domain());
        let law = Chances::Even { same: (law.keep() + other).ln(), other: other.ln() };
        Self { name: name.to_owned(), published, original, law }
    }

    /// Values that become others by a matrix.
    pub fn written(name: &str, published: Vec<u32>, original: Vec<u32>, law: &PerturbationMatrix) -> Self {
        let rows = law.rows().flatten().map(|chance| chance.ln()).collect();
        Self {
            name: name.to_owned(),
            published,
            original,
            law: Chances::Written { size: law.outputs(), rows },
        }
    }

    /// Sets of items from 0 to `items`: codes are places in `sets`, those of what is published and of the originals. The law
    /// is that of sets filled up to its size by items that stand for nothing, which are not published.
    ///
    /// # Errors
    /// When an original has more items than the law has a size.
    pub fn sets(
        name: &str,
        (published, original): (Vec<u32>, Vec<u32>),
        sets: (Vec<Vec<u32>>, Vec<Vec<u32>>),
        law: &SelectASize,
        items: usize,
    ) -> Result<Self, PerturbError> {
        let size = law.size();
        if let Some(most) = sets.1.iter().map(Vec::len).max().filter(|most| *most > size) {
            return Err(PerturbError::Length { what: "items of a set", found: most, expected: size });
        }
        // Of j items that are kept, r of the s true ones and none of the others of these: C(m−s, j−r) of C(m, j) choices.
        let logarithms: Vec<f64> = (0..=size)
            .scan(0.0, |sum, n| {
                *sum += if n == 0 { 0.0 } else { (n as f64).ln() };
                Some(*sum)
            })
            .collect();
        let of = |n: usize| logarithms.get(n).copied().unwrap_or(f64::NAN);
        let choose = |n: usize, k: usize| of(n) - of(k) - of(n - k);
        let kept = |own: usize, kept: usize| {
            let each = law.keep().iter().enumerate().skip(kept).take(size - own + 1);
            let each =
                each.map(|(j, chance)| chance * (choose(size - own, j - kept) - choose(size, j)).exp());
            each.sum::<f64>().ln()
        };
        let kept = (0..=size).map(|own| (0..=own).map(|count| kept(own, count)).collect()).collect();
        let added = (law.add().ln(), (-law.add()).ln_1p());
        let law = SetChances { kept, added, items };
        let law = Chances::Sets { published: sets.0, original: sets.1, law };
        Ok(Self { name: name.to_owned(), published, original, law })
    }

    /// The logarithm of the probability that the value of a person becomes that of a record, by their places.
    pub fn chance(&self, record: usize, person: usize) -> f64 {
        let of = |codes: &[u32], at: usize| codes.get(at).copied().unwrap_or(MISSING);
        let (published, original) = (of(&self.published, record), of(&self.original, person));
        if published == MISSING || original == MISSING {
            return if published == original { 0.0 } else { f64::NEG_INFINITY };
        }
        match &self.law {
            Chances::Even { same, other } => *if published == original { same } else { other },
            Chances::Written { size, rows } => {
                rows.get(original as usize * size + published as usize).copied().unwrap_or(f64::NEG_INFINITY)
            }
            Chances::Sets { published: after, original: before, law } => {
                match (after.get(published as usize), before.get(original as usize)) {
                    (Some(after), Some(before)) => law.of(after, before),
                    _ => f64::NEG_INFINITY,
                }
            }
        }
    }

    /// The least logarithm that is a number, or less.
    pub fn least(&self) -> f64 {
        let least = |own: &mut dyn Iterator<Item = f64>| {
            own.filter(|chance| *chance > f64::NEG_INFINITY).fold(0.0, f64::min)
        };
        match &self.law {
            Chances::Even { same, other } => least(&mut [*same, *other].into_iter()),
            Chances::Written { rows, .. } => least(&mut rows.iter().copied()),
            Chances::Sets { law, .. } => {
                let added = least(&mut [law.added.0, law.added.1].into_iter());
                least(&mut law.kept.iter().flatten().copied()) + added * law.items as f64
            }
        }
    }

    /// The same for some of the records, and some of the people.
    pub(super) fn of(&self, records: &[usize], people: &[usize]) -> Self {
        let chosen = |codes: &[u32], of: &[usize]| {
            of.iter().map(|&own| codes.get(own).copied().unwrap_or(MISSING)).collect()
        };
        let (published, original) = (chosen(&self.published, records), chosen(&self.original, people));
        Self { name: self.name.clone(), published, original, law: self.law.clone() }
    }

    /// Puts people in another order, that in which they will be asked for.
    pub(super) fn order(&mut self, people: &[u32]) {
        let at = |person: &u32| self.original.get(*person as usize).copied().unwrap_or(MISSING);
        self.original = people.iter().map(at).collect();
    }
}

impl SetChances {
    fn of(&self, after: &[u32], before: &[u32]) -> f64 {
        let kept = after.iter().filter(|item| before.binary_search(item).is_ok()).count();
        let (added, all) = (after.len() - kept, self.items - before.len().min(self.items));
        // 0 to the power of 0 is 1.
        let power = |chance: f64, times: usize| if times == 0 { 0.0 } else { chance * times as f64 };
        let own = self.kept.get(before.len()).and_then(|own| own.get(kept)).copied();
        own.unwrap_or(f64::NEG_INFINITY)
            + power(self.added.0, added)
            + power(self.added.1, all - added.min(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the original, the probabilities of all that can be published sum to 1.
    #[test]
    fn chances_are_distributions() {
        let sum = |own: &PerturbedCategories, person: usize, published: usize| {
            (0..published).map(|record| own.chance(record, person).exp()).sum::<f64>()
        };
        let codes: Vec<u32> = vec![0, 1, 2];
        let even =
            PerturbedCategories::retained("a", codes.clone(), codes.clone(), Retention::new(0.4, 3).unwrap());
        let matrix = PerturbationMatrix::new(3, vec![0.7, 0.3, 0.0, 0.1, 0.8, 0.1, 0.2, 0.2, 0.6]).unwrap();
        let written = PerturbedCategories::written("b", codes.clone(), codes, &matrix);
        for person in 0..3 {
            assert!((sum(&even, person, 3) - 1.0).abs() < 1e-12);
            assert!((sum(&written, person, 3) - 1.0).abs() < 1e-12);
        }
        assert_eq!(written.chance(2, 0), f64::NEG_INFINITY);
        assert!((even.chance(0, 0).exp() - 0.6).abs() < 1e-12);
        // All sets of four items, of which originals have up to two, filled up to two.
        let all: Vec<Vec<u32>> =
            (0..16u32).map(|bits| (0..4).filter(|item| bits >> item & 1 == 1).collect()).collect();
        let small: Vec<Vec<u32>> = all.iter().filter(|set| set.len() <= 2).cloned().collect();
        let law = SelectASize::new(vec![0.2, 0.3, 0.5], 0.25, 6).unwrap();
        let records = ((0..16).collect(), (0..small.len() as u32).collect());
        let sets = PerturbedCategories::sets("c", records, (all.clone(), small.clone()), &law, 4).unwrap();
        for (person, set) in small.iter().enumerate() {
            assert!((sum(&sets, person, 16) - 1.0).abs() < 1e-12, "{set:?}");
        }
        // Nothing was there, and nothing is: no item was added.
        let (nothing, none) = (all.iter().position(Vec::is_empty), small.iter().position(Vec::is_empty));
        let chance = sets.chance(nothing.unwrap(), none.unwrap()).exp();
        assert!((chance - 0.75f64.powi(4)).abs() < 1e-12, "{chance}");
        let least = |own: &PerturbedCategories, rows: usize, people: usize| {
            let each = (0..rows).flat_map(|row| (0..people).map(move |person| own.chance(row, person)));
            each.filter(|own| own.is_finite()).fold(0.0, f64::min)
        };
        assert!(sets.least() <= least(&sets, 16, small.len()));
        assert_eq!(written.least(), least(&written, 3, 3));
        let records = (vec![0], vec![0]);
        let large = (vec![vec![]], vec![vec![0, 1, 2]]);
        assert!(PerturbedCategories::sets("c", records, large, &law, 4).is_err());
    }

    #[test]
    fn what_is_missing_stays_missing() {
        let own = PerturbedCategories::retained(
            "a",
            vec![0, MISSING],
            vec![MISSING, 1],
            Retention::new(0.4, 3).unwrap(),
        );
        assert_eq!(
            [own.chance(0, 0), own.chance(1, 0), own.chance(1, 1)],
            [f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY]
        );
        assert_eq!(own.of(&[1], &[1]).published, [MISSING]);
    }
}
