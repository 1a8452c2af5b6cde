//! Links that owe nothing to the order in which records or people stand (survey AT-24).
//!
//! Records of one class of a release look alike, so a person fits all of them equally well. To take the first of them is
//! no link: where a release keeps the order of its input, it is whatever the order gives away. Here the largest weight
//! goes first as in [`assign`](super::assign), weight by weight, but a record and a person are linked only when neither
//! has another partner with that weight. All who have are *tied*, and are set aside together: among t who fit equally
//! well, whoever draws lots is right once in t.
//!
//! **Guarantee.** The result is the same for any order of records and people. Nobody is linked to a record that looks
//! like another one, or while somebody else looks like them: exchanging the two would fit as well.
//!
//! **Departure.** Once tied, nobody goes on to a worse partner. Drawing lots would leave some of them free, others each
//! time; that they then fit something less well says nothing about them.

use super::{Estimation, Link, Pairs, one_to_one::OneToOne};

/// Weights that differ by less than this, as a share, differ by rounding.
const ROUNDING: f64 = 1e-9;
/// No level.
const NONE: u32 = u32::MAX;

/// Partners by weight, ties kept as ties.
#[derive(Debug, Clone, PartialEq)]
pub struct Untied {
    /// Links of a record and a person who fit each other better than anybody else who is left, by ascending record.
    pub links: Vec<Link>,
    /// Per record how many people fit it equally well where it found its partners; 0 where it found none.
    pub of_record: Vec<u32>,
    /// Per person how many records fit equally well; 0 where none was found.
    pub of_person: Vec<u32>,
    level_of_record: Vec<u32>,
    level_of_person: Vec<u32>,
    level_of_pattern: Vec<u32>,
}

impl Untied {
    /// The chance that drawing lots among ties gives a person this record: one in as many as are tied, be it records or
    /// people. Of those who are linked it is 1 for the link, and 0 for anything else.
    pub fn by_lot(&self, pairs: &Pairs, record: u32, person: u32) -> f64 {
        let Ok(at) = pairs.pairs.binary_search_by_key(&(record, person), |pair| (pair.0, pair.1)) else {
            return 0.0;
        };
        let level = self.level_of_pattern.get(pairs.pairs[at].2 as usize).copied().unwrap_or(NONE);
        let at_level = |levels: &[u32], own: u32| levels.get(own as usize) == Some(&level);
        if level == NONE
            || !at_level(&self.level_of_record, record)
            || !at_level(&self.level_of_person, person)
        {
            return 0.0;
        }
        let ties = |all: &[u32], own: u32| all.get(own as usize).copied().unwrap_or(0);
        1.0 / f64::from(ties(&self.of_record, record).max(ties(&self.of_person, person)).max(1))
    }
}

/// Chooses partners by weight, and none among those who fit equally well. Only pairs with a weight above 0 count.
pub fn untied(pairs: &Pairs, estimation: &Estimation) -> Untied {
    let (records, people) = pairs.rows;
    let (level_of_pattern, levels) = levels(&estimation.weights);
    let level = |pair: &(u32, u32, u32)| level_of_pattern.get(pair.2 as usize).copied().unwrap_or(NONE);
    let within = |pair: &(u32, u32, u32)| (pair.0 as usize) < records && (pair.1 as usize) < people;
    // The pairs of each level stand together, in counting order.
    let mut starts = vec![0usize; levels + 1];
    let counted = || pairs.pairs.iter().zip(0u32..).filter(|(pair, _)| level(pair) != NONE && within(pair));
    counted().for_each(|(pair, _)| starts[level(pair) as usize + 1] += 1);
    for own in 0..levels {
        starts[own + 1] += starts[own];
    }
    let mut next = starts.clone();
    let mut order = vec![0u32; starts[levels]];
    for (pair, number) in counted() {
        let place = &mut next[level(pair) as usize];
        order[*place] = number;
        *place += 1;
    }
    let chances = OneToOne::new(pairs, estimation);
    let mut found = Untied {
        links: Vec::new(),
        of_record: vec![0; records],
        of_person: vec![0; people],
        level_of_record: vec![NONE; records],
        level_of_person: vec![NONE; people],
        level_of_pattern: Vec::new(),
    };
    let (mut new_records, mut new_people) = (Vec::new(), Vec::new());
    for own in 0..levels {
        let here = &order[starts[own]..starts[own + 1]];
        let free = |found: &Untied, pair: &(u32, u32, u32)| {
            found.level_of_record[pair.0 as usize] == NONE && found.level_of_person[pair.1 as usize] == NONE
        };
        for &number in here {
            let pair = &pairs.pairs[number as usize];
            if free(&found, pair) {
                let (record, person) =
                    (&mut found.of_record[pair.0 as usize], &mut found.of_person[pair.1 as usize]);
                if *record == 0 {
                    new_records.push(pair.0);
                }
                if *person == 0 {
                    new_people.push(pair.1);
                }
                (*record, *person) = (*record + 1, *person + 1);
            }
        }
        for &number in here {
            let pair = &pairs.pairs[number as usize];
            let is_only = found.of_record[pair.0 as usize] == 1 && found.of_person[pair.1 as usize] == 1;
            if is_only && free(&found, pair) {
                found.links.push(Link {
                    record: pair.0,
                    person: pair.1,
                    weight: estimation.weights.get(pair.2 as usize).copied().unwrap_or(0.0),
                    probability: chances.of(pair),
                });
            }
        }
        new_records.drain(..).for_each(|record| found.level_of_record[record as usize] = own as u32);
        new_people.drain(..).for_each(|person| found.level_of_person[person as usize] = own as u32);
    }
    found.links.sort_by_key(|link| link.record);
    found.level_of_pattern = level_of_pattern;
    found
}

/// Per pattern the place of its weight among the different ones above 0, the largest first; and how many there are.
fn levels(weights: &[f64]) -> (Vec<u32>, usize) {
    let mut order: Vec<usize> = (0..weights.len()).filter(|&pattern| weights[pattern] > 0.0).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let mut of_pattern = vec![NONE; weights.len()];
    let (mut level, mut largest) = (0u32, f64::INFINITY);
    for (place, &pattern) in order.iter().enumerate() {
        if place > 0 && largest - weights[pattern] > ROUNDING * largest.max(1.0) {
            level += 1;
            largest = weights[pattern];
        } else if place == 0 {
            largest = weights[pattern];
        }
        of_pattern[pattern] = level;
    }
    (of_pattern, if order.is_empty() { 0 } else { level as usize + 1 })
}
