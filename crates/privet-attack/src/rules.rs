//! Association rules between what is public of people and a sensitive value (survey AT-13, AT-29; Du, Teng and Zhu's Privacy-MaxEnt):
//! the figures that somebody who knows the data well is taken to know.
//!
//! A positive rule says how many of those with a public value have a sensitive one, a negative one how many have it not. Its confidence
//! is that share, and of each kind the strongest are taken: by confidence, then by how many people it rests on. Every rule that there
//! is competes, also those of sensitive values that nobody with the public value has; only those that rest on too few people do not.

use std::cmp::Reverse;

use foldhash::{HashMap, HashMapExt};

/// How many of the people with a public value have a sensitive value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The public column, by its position, and the value there.
    pub column: usize,
    /// See `column`.
    pub public: u32,
    /// The sensitive value.
    pub value: u32,
    /// Whether it says that people do not have it.
    pub negative: bool,
    /// People of whom it is true.
    pub support: u64,
    /// The share of the people with the public value who have the sensitive one.
    pub share: f64,
}

impl Rule {
    /// The share of the people with the public value of whom it is true.
    pub fn confidence(&self) -> f64 {
        if self.negative { 1.0 - self.share } else { self.share }
    }
}

/// The strongest rules of each kind, at most so many of either, of which at least `support` people are an example; the strongest first,
/// positive and negative in turn. `columns` holds per public column and person the value, `values` the sensitive one; people without
/// either are passed over, and rules are about the given `conclusions` alone.
pub fn strongest(
    columns: &[Vec<Option<u32>>],
    values: &[Option<u32>],
    conclusions: &[u32],
    top: usize,
    support: u64,
) -> Vec<Rule> {
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    for (column, public) in columns.iter().enumerate() {
        let mut counts: HashMap<u32, (u64, HashMap<u32, u64>)> = HashMap::new();
        for (public, value) in
            public.iter().zip(values).filter_map(|(public, value)| Some(((*public)?, (*value)?)))
        {
            let own = counts.entry(public).or_default();
            own.0 += 1;
            *own.1.entry(value).or_default() += 1;
        }
        for (public, (people, of_value)) in counts {
            for &value in conclusions {
                let have = of_value.get(&value).copied().unwrap_or(0);
                let rule = |negative: bool, support: u64| Rule {
                    column,
                    public,
                    value,
                    negative,
                    support,
                    share: have as f64 / people as f64,
                };
                positive.push(rule(false, have));
                negative.push(rule(true, people - have));
            }
        }
    }
    let chosen = |mut rules: Vec<Rule>| {
        rules.retain(|own| own.support >= support.max(1));
        rules.sort_by(|a, b| {
            let order = |own: &Rule| (Reverse(own.support), own.column, own.public, own.value);
            b.confidence().total_cmp(&a.confidence()).then_with(|| order(a).cmp(&order(b)))
        });
        rules.truncate(top);
        rules
    };
    let (positive, negative) = (chosen(positive), chosen(negative));
    let most = positive.len().max(negative.len());
    (0..most).flat_map(|at| [positive.get(at), negative.get(at)]).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Four women, three of them with a cold, and three men, none of them.
    #[test]
    fn the_strongest_of_each_kind() {
        let sex = [0, 0, 0, 0, 1, 1, 1].map(Some).to_vec();
        let values = [0, 0, 0, 1, 1, 1, 2].map(Some);
        let found = strongest(&[sex], &values, &[0, 1, 2], 1, 2);
        let of = |own: &Rule| (own.public, own.value, own.negative, own.support, own.share);
        assert_eq!(found.iter().map(of).collect::<Vec<_>>(), [(0, 0, false, 3, 0.75), (0, 2, true, 4, 0.0)]);
    }

    proptest! {
        /// Every pair of a public and a sensitive value is counted by going through all people: nothing that is left out is stronger than
        /// what is taken, and the figures are those of the data.
        #[test]
        fn as_by_counting_every_pair(
            people in prop::collection::vec((0u32..3, 0u32..4, 0u32..4), 0..30),
            top in 0usize..8,
            support in 1u64..4,
        ) {
            let columns = [
                people.iter().map(|own| Some(own.0)).collect::<Vec<_>>(),
                people.iter().map(|own| (own.1 > 0).then_some(own.1)).collect(),
            ];
            // The last value is nobody's conclusion.
            let values: Vec<Option<u32>> = people.iter().map(|own| Some(own.2)).collect();
            let found = strongest(&columns, &values, &[0, 1, 2], top, support);
            for negative in [false, true] {
                let mut all = Vec::new();
                for (column, own) in columns.iter().enumerate() {
                    for public in 0..4 {
                        let with: Vec<u32> = (own.iter().zip(&people))
                            .filter(|(own, _)| **own == Some(public))
                            .map(|(_, own)| own.2)
                            .collect();
                        for value in 0..3 {
                            let so = with.iter().filter(|own| (**own == value) != negative).count();
                            if so as u64 >= support {
                                all.push((so as f64 / with.len() as f64, so as u64, column, public, value));
                            }
                        }
                    }
                }
                all.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
                let own: Vec<&Rule> = found.iter().filter(|own| own.negative == negative).collect();
                prop_assert_eq!(own.len(), top.min(all.len()));
                for (own, best) in own.iter().zip(&all) {
                    prop_assert!((own.confidence() - best.0).abs() < 1e-12 && own.support == best.1);
                    let same = |pair: &&(f64, u64, usize, u32, u32)| (pair.2, pair.3, pair.4) == (own.column, own.public, own.value);
                    let pair = all.iter().find(same).unwrap();
                    prop_assert!((pair.0 - own.confidence()).abs() < 1e-12 && pair.1 == own.support);
                }
            }
        }
    }
}
