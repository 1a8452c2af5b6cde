//! Trail matching over sites (Malin and Sweeney 2004; survey AT-28).
//!
//! Every site publishes two lists apart: who bought, by name, and which addresses visited. A name has a trail, the sites that list it; so
//! has an address. Where every visitor buys, the trails of a person are equal; where only some do, the trail of the name lies
//! within that of the address. A name whose trail fits exactly one address is matched; matched addresses are taken, and what
//! is left is looked at again. The control gives every address a trail of the same length at random.

use foldhash::HashMap;
use privet_data::Random;
use serde::Serialize;

use super::Score;
use crate::Baskets;

/// How the trail of a name and that of its address relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// They are equal.
    Equal,
    /// That of the name lies within that of the address.
    Within,
}

/// Matches names to addresses by their sets of sites. `truth` tells per name its address, where it is there, for scoring alone.
pub fn match_trails(
    names: &Baskets,
    addresses: &Baskets,
    matching: Matching,
    truth: &[Option<u32>],
    seed: u64,
) -> (Score, Vec<Option<u32>>) {
    let found = matched(names, addresses, matching);
    let right = found.iter().zip(truth).filter(|(own, truth)| own.is_some() && own == truth).count() as u64;
    let sites = addresses.bound();
    let mut random = Random::stream(seed, 28);
    let shuffled = Baskets::of(addresses.iter().map(|trail| {
        let mut all: Vec<u32> = (0..sites as u32).collect();
        random.shuffle(&mut all);
        all.truncate(trail.len());
        all
    }));
    let by_chance = matched(names, &shuffled, matching);
    let control =
        by_chance.iter().zip(truth).filter(|(own, truth)| own.is_some() && own == truth).count() as u64;
    let of = truth.iter().flatten().count() as u64;
    let sure = found.iter().flatten().count() as u64;
    (Score { of, sure, right, control, control_of: of }, found)
}

fn matched(names: &Baskets, addresses: &Baskets, matching: Matching) -> Vec<Option<u32>> {
    let mut found: Vec<Option<u32>> = vec![None; names.len()];
    match matching {
        Matching::Equal => {
            let mut by_trail: HashMap<&[u32], (Vec<u32>, Vec<u32>)> = HashMap::default();
            for (name, trail) in names.iter().enumerate().filter(|(_, trail)| !trail.is_empty()) {
                by_trail.entry(trail).or_default().0.push(name as u32);
            }
            for (address, trail) in addresses.iter().enumerate() {
                if let Some(both) = by_trail.get_mut(trail) {
                    both.1.push(address as u32);
                }
            }
            for (names, addresses) in by_trail.values() {
                if let ([name], [address]) = (&names[..], &addresses[..]) {
                    found[*name as usize] = Some(*address);
                }
            }
        }
        Matching::Within => {
            let mut free: Vec<bool> = vec![true; addresses.len()];
            let mut lists: Vec<Vec<u32>> = vec![Vec::new(); addresses.bound().max(names.bound())];
            for (address, trail) in addresses.iter().enumerate() {
                trail.iter().for_each(|&site| lists[site as usize].push(address as u32));
            }
            loop {
                // An address that is the only one of two names is nobody's for sure.
                let mut only: HashMap<u32, Vec<usize>> = HashMap::default();
                for name in (0..names.len()).filter(|&name| found[name].is_none()) {
                    let trail = names.basket(name);
                    let Some(rarest) = trail.iter().min_by_key(|&&site| lists[site as usize].len()) else {
                        continue;
                    };
                    let fits = |address: &&u32| {
                        free[**address as usize]
                            && Baskets::contains_all(addresses.basket(**address as usize), trail)
                    };
                    let mut candidates = lists[*rarest as usize].iter().filter(fits);
                    if let (Some(&address), None) = (candidates.next(), candidates.next()) {
                        only.entry(address).or_default().push(name);
                    }
                }
                let matched: Vec<(u32, usize)> = only
                    .into_iter()
                    .filter_map(|own| Some((own.0, *own.1.first().filter(|_| own.1.len() == 1)?)))
                    .collect();
                if matched.is_empty() {
                    break;
                }
                for (address, name) in matched {
                    found[name] = Some(address);
                    free[address as usize] = false;
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unique_trails_join_lists_that_were_apart() {
        // Names a, b, c buy at sites {0,1}, {1}, {2}; addresses x, y, z visit {1}, {0,1}, {2,0}.
        let names = Baskets::of([vec![0, 1], vec![1], vec![2]]);
        let addresses = Baskets::of([vec![1], vec![0, 1], vec![0, 2]]);
        let truth = [Some(1), Some(0), Some(2)];
        let (equal, found) = match_trails(&names, &addresses, Matching::Equal, &truth, 1);
        assert_eq!((found, equal.sure, equal.right), (vec![Some(1), Some(0), None], 2, 2));
        // b fits x and y until a has taken y.
        let (within, found) = match_trails(&names, &addresses, Matching::Within, &truth, 1);
        assert_eq!((found, within.sure, within.right), (vec![Some(1), Some(0), Some(2)], 3, 3));
    }

    /// Two names that fit one address alone cannot both be sure of it.
    #[test]
    fn an_address_that_two_names_want_is_sure_for_neither() {
        let names = Baskets::of([vec![0], vec![0, 1], vec![2]]);
        let addresses = Baskets::of([vec![0, 1], vec![2, 3]]);
        let (score, found) = match_trails(&names, &addresses, Matching::Within, &[None, Some(0), Some(1)], 1);
        assert_eq!((found, score.sure, score.right), (vec![None, None, Some(1)], 1, 1));
    }

    #[test]
    fn people_with_habits_are_joined_and_chance_is_not() {
        let mut random = Random::new(4);
        let trails: Vec<Vec<u32>> =
            (0..300).map(|_| (0..40).filter(|_| random.chance(0.2)).collect()).collect();
        let mut order: Vec<u32> = (0..300).collect();
        random.shuffle(&mut order);
        let names = Baskets::of(trails.clone());
        let addresses = Baskets::of(order.iter().map(|&person| trails[person as usize].clone()));
        let mut truth = vec![None; 300];
        order.iter().enumerate().for_each(|(address, &person)| truth[person as usize] = Some(address as u32));
        let (score, _) = match_trails(&names, &addresses, Matching::Equal, &truth, 1);
        assert!(score.right > 290 && score.control < 10, "{score:?}");
    }
}
