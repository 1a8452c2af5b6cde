//! Generated baskets and logs with the skew of real ones, for examples, tests and measurements. Seeded; about nobody.

use privet_data::Random;

use crate::log::{Log, NONE};
use crate::{Baskets, Catalogue, ItemTree};

/// Draws ranks with probabilities falling as 1/(rank + 1)^exponent.
#[derive(Debug, Clone)]
pub struct Zipf {
    cumulated: Vec<f64>,
}

impl Zipf {
    /// Ranks below `count`.
    pub fn new(count: usize, exponent: f64) -> Self {
        let mut sum = 0.0;
        let weight = |rank: usize| 1.0 / ((rank + 1) as f64).powf(exponent);
        let cumulated = (0..count)
            .map(|rank| {
                sum += weight(rank);
                sum
            })
            .collect();
        Self { cumulated }
    }

    /// One rank.
    pub fn draw(&self, random: &mut Random) -> u32 {
        let at = random.unit() * self.cumulated.last().copied().unwrap_or(0.0);
        let rank = self.cumulated.partition_point(|&sum| sum <= at);
        rank.min(self.cumulated.len().saturating_sub(1)) as u32
    }
}

/// Baskets of geometric length with mean `mean_length`, of items whose popularity falls by Zipf's law, a third of them from
/// the neighbourhood of the item before, as people buy what goes together.
pub fn baskets(count: usize, items: usize, mean_length: f64, seed: u64) -> Baskets {
    let zipf = Zipf::new(items, 1.0);
    let mut random = Random::stream(seed, 1);
    let stop = 1.0 / mean_length.max(1.0);
    let mut made = Baskets::default();
    let mut list = Vec::new();
    for _ in 0..count {
        list.clear();
        let mut before = zipf.draw(&mut random);
        list.push(before);
        while !random.chance(stop) && list.len() < 128 {
            let next = match random.chance(1.0 / 3.0) {
                true => (before + 1 + random.below(10) as u32) % items as u32,
                false => zipf.draw(&mut random),
            };
            list.push(next);
            before = next;
        }
        made.push(&mut list);
    }
    made
}

/// A catalogue `item-0`, `item-1`, … and a hierarchy whose nodes have `width` children each.
pub fn catalogue(items: usize, width: usize) -> (Catalogue, ItemTree) {
    let labels: Vec<Box<str>> = (0..items).map(|item| format!("item-{item}").into()).collect();
    let mut levels: Vec<Vec<Box<str>>> = Vec::new();
    let mut span = width.max(2);
    while span < items {
        let level = levels.len() + 1;
        levels.push((0..items).map(|item| format!("group-{level}-{}", item / span).into()).collect());
        span *= width.max(2);
    }
    levels.push(vec!["*".into(); items]);
    let catalogue = Catalogue::public(labels.clone());
    let tree = privet_data::Hierarchy::new(labels, levels)
        .ok()
        .and_then(|hierarchy| ItemTree::new(&catalogue, &hierarchy).ok())
        // cannot fail: the levels nest, and every label is a leaf; an empty catalogue has the flat tree
        .unwrap_or_else(|| ItemTree::flat(&catalogue));
    (catalogue, tree)
}

/// A log of `people` with a mean of `mean_rows` rows each over `queries` distinct queries by Zipf's law; a third of the rows is
/// followed by a click on one of five addresses of the query.
pub fn log(people: usize, mean_rows: f64, queries: usize, seed: u64) -> Log {
    let zipf = Zipf::new(queries, 1.0);
    let mut random = Random::stream(seed, 2);
    let stop = 1.0 / mean_rows.max(1.0);
    let (mut users, mut asked, mut clicks) = (Vec::new(), Vec::new(), Vec::new());
    for person in 0..people as u32 {
        loop {
            let query = zipf.draw(&mut random);
            users.push(person);
            asked.push(query);
            clicks.push(if random.chance(1.0 / 3.0) {
                query / 20 * 5 + random.below(5) as u32
            } else {
                NONE
            });
            if random.chance(stop) {
                break;
            }
        }
    }
    let texts = (0..queries).map(|query| format!("query {query}").into()).collect();
    let addresses = (0..(queries / 20 + 1) * 5).map(|own| format!("www.example-{own}.org").into()).collect();
    // cannot fail: all columns have one entry per row, and codes are below the numbers of texts
    Log::new(users, asked, None, Some(clicks), texts, addresses).unwrap_or_default()
}

/// A log with queries that fewer than `threshold` people ask, a few hundred times each, and queries that three quarters of all ask:
/// the log, the planted rare queries, and the frequent ones.
pub fn planted_log(people: u32, threshold: u32) -> (Log, Vec<u32>, Vec<u32>) {
    let (frequent, planted): (Vec<u32>, Vec<u32>) =
        ((0..2).collect(), (2..2 + 2 * (threshold - 1)).collect());
    let (mut users, mut queries, mut clicks) = (Vec::new(), Vec::new(), Vec::new());
    for person in 0..people {
        for &query in frequent.iter().filter(|&&query| person % 4 != query) {
            users.push(person);
            queries.push(query);
            clicks.push(query);
        }
    }
    for (number, &query) in planted.iter().enumerate() {
        let askers = number as u32 % (threshold - 1) + 1;
        for asker in 0..askers {
            for _ in 0..300 / askers {
                // At the front, so that limits on what counts of a person keep it.
                users.insert(0, (asker * 7 + number as u32) % people);
                queries.insert(0, query);
                clicks.insert(0, query);
            }
        }
    }
    let texts: Vec<Box<str>> = (0..2 + planted.len()).map(|query| format!("query {query}").into()).collect();
    // cannot fail: as above
    let log = Log::new(users, queries, None, Some(clicks), texts.clone(), texts).unwrap_or_default();
    (log, planted, frequent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skew_and_determinism() {
        let made = baskets(5000, 200, 8.0, 7);
        assert_eq!(made, baskets(5000, 200, 8.0, 7));
        let supports = made.supports(200);
        assert!(supports[0] > 20 * supports[150].max(1));
        assert!((3..12).contains(&(made.total() / made.len())));
        let (items, tree) = catalogue(200, 5);
        assert_eq!((items.len(), tree.leaves(), tree.label(tree.root())), (200, 200, "*"));
        assert!(tree.path(0).count() == 5, "item, 5, 25, 125, all");
        let own = log(100, 4.0, 50, 1);
        assert!(own.people() == 100 && own.rows() > 200);
        let (planted, rare, frequent) = planted_log(100, 5);
        let counts = crate::log::people_per_query(&planted).queries;
        assert!(rare.iter().all(|&query| (1..5).contains(&counts[query as usize])));
        assert!(frequent.iter().all(|&query| counts[query as usize] >= 70));
    }
}
