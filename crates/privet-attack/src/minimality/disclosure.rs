//! Disclosure sets (survey AT-10, PM-34; Zhang, Jajodia and Brodsky): the inputs for which an algorithm publishes the
//! same. Whoever sees the output and knows the algorithm knows that the input is one of them, and nothing else.
//!
//! What it guarantees: exact, for a list of all inputs that are possible. [`p_safe_choice`] goes through all choices of
//! schemas, and so finds the best p-safe one or none (survey ME-17).

use crate::attacks::{AttackWord, Role};
use std::collections::BTreeMap;

/// The word of the attack in files.
pub const DISCLOSURE_SETS: &str = "disclosure-sets";

/// What it is.
pub(crate) const ABOUT_DISCLOSURE_SETS: AttackWord = AttackWord {
    word: DISCLOSURE_SETS,
    title: "Disclosure sets",
    sentence: "The adversary knows how the release was made, lists every original for which the same would have been published, and looks who has one and the same value in all of them.",
    about: "all originals for which the same would have been published (small tables)",
    needs: Some("job"),
    quick: false,
    role: Role::Counts,
};

/// The inputs by what is published for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisclosureSets<O> {
    /// Per output the inputs, by their place in the list and in its order; outputs in the order in which they first
    /// come.
    pub sets: Vec<(O, Vec<usize>)>,
    /// Per input the number of its set.
    pub of: Vec<usize>,
}

/// Runs the algorithm on all inputs that the adversary believes possible.
///
/// ```
/// use privet_attack::minimality::disclosure_sets;
/// let sets = disclosure_sets(&[1, 2, 3, 4], |n| n % 3);
/// assert_eq!(sets.set_of(0), [0, 3]);
/// assert!(!sets.is_safe(|set| set.len() >= 2));
/// ```
pub fn disclosure_sets<I, O: Ord + Clone>(inputs: &[I], algorithm: impl Fn(&I) -> O) -> DisclosureSets<O> {
    let mut number_of: BTreeMap<O, usize> = BTreeMap::new();
    let mut sets: Vec<(O, Vec<usize>)> = Vec::new();
    let mut of = Vec::with_capacity(inputs.len());
    for (input, item) in inputs.iter().enumerate() {
        let output = algorithm(item);
        let number = *number_of.entry(output.clone()).or_insert_with(|| {
            sets.push((output, Vec::new()));
            sets.len() - 1
        });
        sets[number].1.push(input);
        of.push(number);
    }
    DisclosureSets { sets, of }
}

impl<O> DisclosureSets<O> {
    /// The inputs that cannot be told from this one; none when there is no such input.
    pub fn set_of(&self, input: usize) -> &[usize] {
        self.of.get(input).and_then(|&number| self.sets.get(number)).map_or(&[], |(_, set)| set)
    }

    /// Whether the algorithm is p-safe: the predicate holds for every set.
    pub fn is_safe(&self, predicate: impl Fn(&[usize]) -> bool) -> bool {
        self.sets.iter().all(|(_, set)| predicate(set))
    }
}

/// A disclosure schema: a partition of the inputs, of which the cell with the true input is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// Per input its cell.
    pub cell_of: Vec<u32>,
}

impl Schema {
    /// A schema from its cells, which must hold every input below `inputs` once.
    pub fn new(inputs: usize, cells: &[Vec<usize>]) -> Option<Self> {
        let mut cell_of = vec![u32::MAX; inputs];
        for (number, cell) in (0u32..).zip(cells) {
            for &input in cell {
                let slot = cell_of.get_mut(input).filter(|slot| **slot == u32::MAX)?;
                *slot = number;
            }
        }
        cell_of.iter().all(|&cell| cell != u32::MAX).then_some(Self { cell_of })
    }
}

/// Why no choice was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PSafeError {
    /// A schema is about other inputs.
    #[error("schema {schema} is not about {inputs} inputs; all must be about the same ones")]
    Uneven {
        /// Its number, from 0.
        schema: usize,
        /// The inputs of the first.
        inputs: usize,
    },
    /// There are too many choices to go through.
    #[error(
        "more than {limit} choices would have to be gone through; allow more, or use fewer schemas or inputs"
    )]
    TooMany {
        /// How many are allowed.
        limit: u64,
    },
    /// None is safe.
    #[error("no choice of schemas is safe; add a coarser schema, such as one with a single cell")]
    NoneSafe,
}

/// A p-safe choice.
#[derive(Debug, Clone, PartialEq)]
pub struct PSafe {
    /// Per input its schema.
    pub schema_of: Vec<usize>,
    /// The sum of the costs.
    pub cost: f64,
}

/// The cheapest choice of a schema for each input such that every disclosure set passes the predicate. `cost` says what
/// it costs to publish an input by a schema. Of equally cheap choices the first in the order of schemas is taken.
///
/// # Errors
/// When schemas are about different inputs, there are more than `limit` choices, or none is safe.
pub fn p_safe_choice(
    schemas: &[Schema],
    predicate: impl Fn(&[usize]) -> bool,
    cost: impl Fn(usize, usize) -> f64,
    limit: u64,
) -> Result<PSafe, PSafeError> {
    let inputs = schemas.first().map_or(0, |schema| schema.cell_of.len());
    if let Some(schema) = schemas.iter().position(|schema| schema.cell_of.len() != inputs) {
        return Err(PSafeError::Uneven { schema, inputs });
    }
    let choices = (0..inputs).try_fold(1u64, |product, _| product.checked_mul(schemas.len() as u64));
    if choices.is_none_or(|choices| choices > limit) {
        return Err(PSafeError::TooMany { limit });
    }
    let numbers: Vec<usize> = (0..inputs).collect();
    let mut choice = vec![0usize; inputs];
    let mut best: Option<PSafe> = None;
    loop {
        let price: f64 = numbers.iter().map(|&input| cost(input, choice[input])).sum();
        if best.as_ref().is_none_or(|best| price < best.cost) {
            let output = |&input: &usize| (choice[input], schemas[choice[input]].cell_of[input]);
            if disclosure_sets(&numbers, output).is_safe(&predicate) {
                best = Some(PSafe { schema_of: choice.clone(), cost: price });
            }
        }
        // Count up, the last input first.
        let Some(at) = (0..inputs).rev().find(|&at| choice[at] + 1 < schemas.len()) else { break };
        choice[at] += 1;
        choice[at + 1..].fill(0);
    }
    best.ok_or(PSafeError::NoneSafe)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// survey FX-6.2, with inputs from 0.
    fn schemas() -> [Schema; 3] {
        let cells = [
            vec![vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7, 8]],
            vec![vec![0, 1, 2], vec![3, 4], vec![5, 6], vec![7, 8]],
            vec![vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8]],
        ];
        cells.map(|cells| Schema::new(9, &cells).unwrap())
    }

    /// survey FX-6.2, TH-32: the algorithm of the text, its disclosure sets, and that it is not p-safe.
    #[test]
    fn survey_fx62_goldens() {
        let schemas = schemas();
        let chosen = [0, 1, 0, 2, 2, 2, 2, 2, 2];
        let inputs: Vec<usize> = (0..9).collect();
        let sets = disclosure_sets(&inputs, |&input| (chosen[input], schemas[chosen[input]].cell_of[input]));
        assert_eq!(sets.set_of(0), [0]);
        assert_eq!(sets.set_of(1), [1]);
        assert_eq!(sets.set_of(2), [2]);
        for input in 3..6 {
            assert_eq!(sets.set_of(input), [3, 4, 5]);
        }
        for input in 6..9 {
            assert_eq!(sets.set_of(input), [6, 7, 8]);
        }
        // What each schema is chosen for.
        let by_schema = disclosure_sets(&inputs, |&input| chosen[input]);
        assert_eq!(
            by_schema.sets.iter().map(|(_, set)| &set[..]).collect::<Vec<_>>(),
            [&[0, 2][..], &[1], &[3, 4, 5, 6, 7, 8]]
        );
        assert!(!sets.is_safe(|set| set.len() >= 2) && sets.is_safe(|set| !set.is_empty()));
        assert!(sets.set_of(99).is_empty());
    }

    /// survey ME-17: with two inputs in every set, cells of two (T1 for all) are best: 2 · 6 + 3 · 3.
    #[test]
    fn the_best_safe_choice() {
        let schemas = schemas();
        let size = |input: usize, schema: usize| {
            let cells = &schemas[schema].cell_of;
            cells.iter().filter(|&&cell| cell == cells[input]).count() as f64
        };
        let best = p_safe_choice(&schemas, |set| set.len() >= 2, size, 20_000).unwrap();
        // Sets of two cost at least four; of nine inputs three at least must share a set, in a cell of three: 9 + 12.
        assert_eq!(best.cost, 21.0, "{best:?}");
        let inputs: Vec<usize> = (0..9).collect();
        let output = |&input: &usize| (best.schema_of[input], schemas[best.schema_of[input]].cell_of[input]);
        assert!(disclosure_sets(&inputs, output).is_safe(|set| set.len() >= 2));
        let three = p_safe_choice(&schemas, |set| set.len() >= 3, size, 20_000).unwrap();
        assert_eq!(three.cost, 27.0, "{three:?}");
        assert_eq!(
            p_safe_choice(&schemas, |set| set.len() >= 4, size, 20_000).unwrap_err(),
            PSafeError::NoneSafe
        );
    }

    #[test]
    fn faults() {
        assert!(Schema::new(2, &[vec![0]]).is_none() && Schema::new(1, &[vec![0, 0]]).is_none());
        assert!(Schema::new(1, &[vec![0], vec![1]]).is_none() && Schema::new(0, &[]).is_some());
        let error = p_safe_choice(&schemas(), |_| true, |_, _| 0.0, 100).unwrap_err();
        assert_eq!(error, PSafeError::TooMany { limit: 100 });
        let uneven = [Schema { cell_of: vec![0] }, Schema { cell_of: vec![] }];
        assert!(matches!(
            p_safe_choice(&uneven, |_| true, |_, _| 0.0, 100),
            Err(PSafeError::Uneven { schema: 1, .. })
        ));
        assert_eq!(p_safe_choice(&[], |_| true, |_, _| 0.0, 1).unwrap().cost, 0.0);
    }
}
