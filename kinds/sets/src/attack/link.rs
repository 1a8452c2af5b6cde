//! Linking by m known items: whoever has seen some of a person's purchases looks for the baskets that fit.
//!
//! Of every target some items are drawn, and all published baskets are counted that cover them. A single one is the target's, since
//! published nodes are true. The control is a guess without the release, which finds nobody among many. Strangers, who are not in the
//! data and whose items are drawn as often as they are bought, tell how often a single basket fits by accident: somebody
//! who does not know that the person is in the data would be sure and wrong.

use privet_data::{Progress, Random};

use super::Score;
use crate::criteria::{Atoms, Disassociated, Lists};
use crate::{Baskets, SetsError};

/// What is known of each target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The items known.
    pub items: usize,
    /// The most targets; people are drawn where there are more.
    pub targets: usize,
    /// The seed of the draw.
    pub seed: u64,
}

/// What the candidates of one target came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkTarget {
    /// The score.
    pub score: Score,
    /// The mean of 1/candidates: the chance of a guess among them.
    pub mean_chance: f64,
    /// The fewest candidates of any target.
    pub fewest: Option<u64>,
    /// Of as many strangers as targets, about how many the adversary would be sure, and wrong.
    pub strangers: u64,
    /// Whether targets were drawn.
    pub sampled: bool,
}

/// Counting of candidates ends here.
const MOST_CANDIDATES: u64 = 1000;

/// Links people to baskets of nodes.
///
/// # Errors
/// When the person asks to stop.
pub fn link(
    original: &Baskets,
    atoms: &Atoms,
    known: Known,
    progress: &dyn Progress,
) -> Result<LinkTarget, SetsError> {
    let lists = Lists::new(&atoms.baskets, atoms.nodes.len());
    let candidates = |items: &[u32]| {
        let mut classes: Vec<u32> = items.iter().map(|&item| atoms.of_item[item as usize]).collect();
        // Items that are not published fit no basket and every one: the adversary leaves them out.
        classes.retain(|&class| class != u32::MAX);
        classes.sort_unstable();
        classes.dedup();
        match classes.is_empty() {
            true => MOST_CANDIDATES,
            false => lists.support(&classes, MOST_CANDIDATES),
        }
    };
    run(original, known, &candidates, progress)
}

/// Links people to clusters of chunks: every basket of a cluster counts in which the known items may stand together.
///
/// # Errors
/// When the person asks to stop.
pub fn link_disassociated(
    original: &Baskets,
    published: &Disassociated,
    known: Known,
    progress: &dyn Progress,
) -> Result<LinkTarget, SetsError> {
    let candidates = |items: &[u32]| {
        let mut found = 0;
        for cluster in &published.clusters {
            let mut left: Vec<u32> =
                items.iter().copied().filter(|item| cluster.terms.binary_search(item).is_err()).collect();
            let mut fits = cluster.baskets;
            for chunk in &cluster.chunks {
                let (own, others): (Vec<u32>, Vec<u32>) =
                    left.into_iter().partition(|item| chunk.iter().any(|record| record.contains(item)));
                left = others;
                if !own.is_empty() {
                    fits = fits.min(chunk.support(&own));
                }
            }
            found += if left.is_empty() { fits } else { 0 };
        }
        found.min(MOST_CANDIDATES)
    };
    run(original, known, &candidates, progress)
}

fn run(
    original: &Baskets,
    known: Known,
    candidates: &dyn Fn(&[u32]) -> u64,
    progress: &dyn Progress,
) -> Result<LinkTarget, SetsError> {
    let mut random = Random::stream(known.seed, 11);
    let mut people: Vec<u32> =
        (0..original.len() as u32).filter(|&person| !original.basket(person as usize).is_empty()).collect();
    let sampled = people.len() > known.targets;
    if sampled {
        random.shuffle(&mut people);
        people.truncate(known.targets);
    }
    let mut found = LinkTarget { sampled, ..LinkTarget::default() };
    let mut chance = 0.0;
    for &person in &people {
        progress.check()?;
        let mut items = original.basket(person as usize).to_vec();
        random.shuffle(&mut items);
        items.truncate(known.items);
        items.sort_unstable(); // why: supports are counted of sets in rising order
        let fits = candidates(&items);
        found.score.of += 1;
        let is_single = u64::from(fits == 1);
        (found.score.sure, found.score.right) = (found.score.sure + is_single, found.score.right + is_single);
        chance += if fits == 0 { 0.0 } else { 1.0 / fits as f64 };
        found.fewest = Some(found.fewest.map_or(fits, |fewest| fewest.min(fits)));
        // Somebody else who buys as much: each item is that of a random purchase.
        let strangers = (0..items.len()).map(|_| original.flat()[random.below(original.total())]);
        let mut stranger: Vec<u32> = strangers.collect();
        stranger.sort_unstable();
        stranger.dedup();
        found.strangers += u64::from(candidates(&stranger) == 1);
    }
    // A guess among so many baskets: below one for all targets together, unless there is a single basket.
    found.score.control_of = found.score.of;
    found.score.control = if original.filled() == 1 { found.score.of } else { 0 };
    found.mean_chance = if people.is_empty() { 0.0 } else { chance / people.len() as f64 };
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anonymize::{DisassociateOptions, Order, apriori, disassociate};
    use crate::generate;
    use privet_data::Silent;

    #[test]
    fn what_is_published_as_it_is_names_people_and_what_is_anonymous_does_not() {
        let baskets = generate::baskets(800, 120, 6.0, 3);
        let (_, tree) = generate::catalogue(120, 5);
        let known = Known { items: 2, targets: 400, seed: 1 };
        let plain = link(&baskets, &Atoms::new(&baskets, &tree).unwrap(), known, &Silent).unwrap();
        assert!(plain.score.sure > 20 && plain.score.right == plain.score.sure && plain.sampled);
        assert!(plain.score.control == 0 && plain.strangers > 0);
        let made = apriori(&baskets, &tree, 5, 2, Order::Rarest, &Silent).unwrap();
        let safe = link(&baskets, &Atoms::new(&made.sets, &tree).unwrap(), known, &Silent).unwrap();
        assert_eq!((safe.score.sure, safe.strangers), (0, 0));
        assert!(safe.fewest.unwrap() >= 5 && safe.mean_chance <= 0.2);
        // More than m items are known: the promise does not speak of it.
        let three = Known { items: 4, ..known };
        let more = link(&baskets, &Atoms::new(&made.sets, &tree).unwrap(), three, &Silent).unwrap();
        assert!(more.mean_chance > safe.mean_chance);
        let options = DisassociateOptions { k: 5, m: 2, largest_cluster: 40 };
        let apart = disassociate(&baskets, &[], options, &Silent).unwrap();
        let safe = link_disassociated(&baskets, &apart, known, &Silent).unwrap();
        assert!(safe.score.sure == 0 && safe.fewest.unwrap() >= 5);
    }
}
