//! Sets under policies: who must not be found by which items, and which items may be published as one (COAT: Loukides,
//! Gkoulalas-Divanis and Malin 2011; PCTA: Gkoulalas-Divanis and Loukides 2011).
//!
//! A *privacy constraint* is a set of items that k baskets or none must hold. A *utility constraint* is a set of items that may be
//! published as one generalized item, which then stands for any of them; items in no common constraint never meet. Where
//! generalization within the utility constraints does not suffice, items are suppressed, up to a limit. *Guarantee*: every privacy
//! constraint, and every part of one that is listed, is held by k published baskets or by none, and no published item
//! crosses a utility constraint; both are checked before anything is handed over.

use foldhash::HashMap;
use privet_data::Progress;

use crate::criteria::Lists;
use crate::error::require;
use crate::{Baskets, SetsError};

/// What must hold and what may be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Policies {
    /// The fewest baskets that may hold a privacy constraint, where any does.
    pub k: u64,
    /// Sets of items that an adversary may know.
    pub privacy: Vec<Vec<u32>>,
    /// Disjoint sets of items that may be published as one.
    pub utility: Vec<Vec<u32>>,
    /// The most items that may be suppressed.
    pub most_suppressed: usize,
}

/// How the next step is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// COAT: the rarest item of a constraint is generalized with the partner that costs least.
    #[default]
    Coat,
    /// PCTA: of all items of a constraint and all their partners, the pair that costs least.
    Pcta,
}

/// Baskets under policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constrained {
    /// The baskets, of numbers of groups.
    pub baskets: Baskets,
    /// Per published item the items that it stands for.
    pub groups: Vec<Vec<u32>>,
    /// Suppressed items, in rising order.
    pub suppressed: Vec<u32>,
}

struct Search<'a> {
    baskets: &'a Baskets,
    /// Per item the group that it is in; `u32::MAX` when it is suppressed.
    group_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// Per group the baskets that hold any of its items.
    holders: Vec<Vec<u32>>,
    /// Per item its utility constraint; `u32::MAX` when it is in none.
    utility_of: Vec<u32>,
    suppressed: Vec<u32>,
    changes: usize,
}

/// Generalizes and suppresses until the policies hold.
///
/// # Errors
/// When an item is not in the data, utility constraints overlap, or more would have to be suppressed than may be.
pub fn constrained(
    baskets: &Baskets,
    items: usize,
    policies: &Policies,
    selection: Selection,
    progress: &dyn Progress,
) -> Result<Constrained, SetsError> {
    require(policies.k >= 1, "k", "1 or more")?;
    baskets.check(items)?;
    let beyond =
        |sets: &[Vec<u32>]| sets.iter().flatten().filter(|&&item| item as usize >= items).count() as u64;
    for (what, sets) in [("`privacy`", &policies.privacy), ("`utility`", &policies.utility)] {
        match beyond(sets) {
            0 => {}
            items => return Err(SetsError::UnknownItems { what, items }),
        }
    }
    let mut utility_of = vec![u32::MAX; items];
    for (number, set) in policies.utility.iter().enumerate() {
        for &item in set {
            let is_free = utility_of[item as usize] == u32::MAX || utility_of[item as usize] == number as u32;
            require(is_free, "utility", "sets of items without a common item")?;
            utility_of[item as usize] = number as u32;
        }
    }
    let lists = Lists::new(baskets, items);
    let mut search = Search {
        baskets,
        holders: (0..items as u32).map(|item| lists.list(item).to_vec()).collect(),
        group_of: (0..items as u32).collect(),
        members: (0..items as u32).map(|item| vec![item]).collect(),
        utility_of,
        suppressed: Vec::new(),
        changes: 0,
    };
    let mut order: Vec<&Vec<u32>> = policies.privacy.iter().collect();
    // The least supported first, as in the source; single items before the sets that hold them.
    order.sort_by_cached_key(|set| (set.len(), lists.support(set, u64::MAX)));
    // A joined group may meet what its items never met, and a suppressed one leaves those that relied on it: all sets are
    // looked at again until nothing changes. Every change takes a group away, so that comes to an end.
    loop {
        progress.check()?;
        let before = search.changes;
        for set in &order {
            search.satisfy(set, policies.k, selection);
        }
        if search.changes == before {
            break;
        }
    }
    search.finish(policies)
}

impl Search<'_> {
    /// The groups of the items that are not suppressed.
    fn groups_of(&self, set: &[u32]) -> Vec<u32> {
        let mut groups: Vec<u32> =
            set.iter().map(|&item| self.group_of[item as usize]).filter(|&group| group != u32::MAX).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// How many baskets hold all the groups.
    fn support(&self, groups: &[u32]) -> u64 {
        let mut lists: Vec<&[u32]> = groups.iter().map(|&group| &*self.holders[group as usize]).collect();
        lists.sort_unstable_by_key(|list| list.len());
        let Some((shortest, others)) = lists.split_first() else { return 0 };
        let holds = |number: &&u32| others.iter().all(|list| list.binary_search(number).is_ok());
        shortest.iter().filter(holds).count() as u64
    }

    fn satisfy(&mut self, set: &[u32], k: u64, selection: Selection) {
        loop {
            let groups = self.groups_of(set);
            // A set with a suppressed item is known of no basket.
            if groups.is_empty() || set.iter().any(|&item| self.group_of[item as usize] == u32::MAX) {
                return;
            }
            let support = self.support(&groups);
            if support == 0 || support >= k {
                return;
            }
            self.changes += 1;
            match self.cheapest(&groups, selection) {
                Some((group, partner)) => self.merge(group, partner),
                None => self.suppress(set),
            }
        }
    }

    /// The group to generalize and the group to join it with.
    fn cheapest(&self, groups: &[u32], selection: Selection) -> Option<(u32, u32)> {
        let mut candidates = groups.to_vec();
        candidates.sort_by_key(|&group| (self.holders[group as usize].len(), group));
        let best_of = |group: u32| {
            let utility = self.utility_of[*self.members[group as usize].first()? as usize];
            let partners = (0..self.members.len() as u32).filter(|&other| {
                let members = &self.members[other as usize];
                other != group
                    && members.first().is_some_and(|&item| self.utility_of[item as usize] == utility)
            });
            let cost = |other: u32| self.cost(group, other);
            let best = partners.min_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(a.cmp(&b)));
            best.filter(|_| utility != u32::MAX).map(|partner| (cost(partner), group, partner))
        };
        let found = candidates.iter().filter_map(|&group| best_of(group));
        let best = match selection {
            Selection::Coat => { found }.next(),
            Selection::Pcta => found.min_by(|a, b| a.0.total_cmp(&b.0)),
        };
        best.map(|(_, group, partner)| (group, partner))
    }

    /// Utility loss of the joined group: what an occurrence may stand for besides itself, times its baskets, in logarithms
    /// because the source's 2^size has no room in a number.
    fn cost(&self, group: u32, other: u32) -> f64 {
        let size = self.members[group as usize].len() + self.members[other as usize].len();
        let baskets = self.holders[group as usize].len() + self.holders[other as usize].len();
        size as f64 * std::f64::consts::LN_2 + (baskets.max(1) as f64).ln()
    }

    fn merge(&mut self, group: u32, partner: u32) {
        let moved = std::mem::take(&mut self.members[partner as usize]);
        for &item in &moved {
            self.group_of[item as usize] = group;
        }
        self.members[group as usize].extend(moved);
        let theirs = std::mem::take(&mut self.holders[partner as usize]);
        let own = &mut self.holders[group as usize];
        own.extend(theirs);
        own.sort_unstable();
        own.dedup();
    }

    /// Suppresses the rarest item of a set, with all that its group stands for.
    fn suppress(&mut self, set: &[u32]) {
        let rarest =
            self.groups_of(set).into_iter().min_by_key(|&group| (self.holders[group as usize].len(), group));
        if let Some(group) = rarest {
            for item in std::mem::take(&mut self.members[group as usize]) {
                self.group_of[item as usize] = u32::MAX;
                self.suppressed.push(item);
            }
            self.holders[group as usize].clear();
        }
    }

    fn finish(mut self, policies: &Policies) -> Result<Constrained, SetsError> {
        if self.suppressed.len() > policies.most_suppressed {
            let (needed, allowed) = (self.suppressed.len() as u64, policies.most_suppressed as u64);
            return Err(SetsError::Suppression { needed, allowed });
        }
        let mut number: HashMap<u32, u32> = HashMap::default();
        let mut groups = Vec::new();
        for (group, members) in self.members.iter_mut().enumerate() {
            if !members.is_empty() {
                members.sort_unstable();
                number.insert(group as u32, groups.len() as u32);
                groups.push(members.clone());
            }
        }
        let baskets = self.baskets.map(|item| number.get(&self.group_of[item as usize]).copied());
        self.suppressed.sort_unstable();
        let made = Constrained { baskets, groups, suppressed: self.suppressed };
        let unproven =
            SetsError::Unproven { method: "generalization under policies", criterion: "the policies" };
        if policies_hold(&made, policies) { Ok(made) } else { Err(unproven) }
    }
}

/// Whether published baskets keep to policies.
pub(crate) fn policies_hold(made: &Constrained, policies: &Policies) -> bool {
    let mut group_of: HashMap<u32, u32> = HashMap::default();
    for (group, members) in made.groups.iter().enumerate() {
        members.iter().for_each(|&item| _ = group_of.insert(item, group as u32));
    }
    let private = policies.privacy.iter().all(|set| {
        let groups: Option<Vec<u32>> = set.iter().map(|item| group_of.get(item).copied()).collect();
        groups.is_none_or(|mut groups| {
            groups.sort_unstable();
            groups.dedup();
            let support = made.baskets.support(&groups);
            groups.is_empty() || support == 0 || support >= policies.k
        })
    });
    let useful = made.groups.iter().all(|members| {
        members.len() < 2 || policies.utility.iter().any(|set| members.iter().all(|item| set.contains(item)))
    });
    private && useful && made.suppressed.len() <= policies.most_suppressed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criteria::itemsets::tests::small_baskets;
    use privet_data::Silent;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn policies_hold_for_what_comes_back(
            baskets in small_baskets(8, 4), k in 1u64..4, pcta: bool,
            privacy in proptest::collection::vec(proptest::collection::vec(0u32..8, 1..4), 0..6),
        ) {
            let policies = Policies { k, privacy, utility: vec![vec![0, 1, 2, 3], vec![4, 5]], most_suppressed: 8 };
            let selection = if pcta { Selection::Pcta } else { Selection::Coat };
            let made = constrained(&baskets, 8, &policies, selection, &Silent).unwrap();
            prop_assert!(policies_hold(&made, &policies));
            for (published, basket) in made.baskets.iter().zip(baskets.iter()) {
                let left = basket.iter().filter(|item| !made.suppressed.contains(item));
                let covered = |item: &u32| published.iter().any(|&group| made.groups[group as usize].contains(item));
                prop_assert!(left.clone().all(covered));
            }
        }
    }

    /// Items 0 and 1 may be one, 2 stands alone: {0} is generalized, {2} can only go.
    #[test]
    fn generalization_comes_before_suppression() {
        let baskets = Baskets::of([vec![0, 3], vec![1, 3], vec![2, 3], vec![3]]);
        let mut policies =
            Policies { k: 2, privacy: vec![vec![0], vec![2]], utility: vec![vec![0, 1]], most_suppressed: 1 };
        let made = constrained(&baskets, 4, &policies, Selection::Coat, &Silent).unwrap();
        assert_eq!((made.groups.len(), made.suppressed.as_slice()), (2, &[2][..]));
        assert_eq!(made.baskets.basket(0), made.baskets.basket(1));
        policies.most_suppressed = 0;
        let refused = constrained(&baskets, 4, &policies, Selection::Coat, &Silent);
        assert!(matches!(refused, Err(SetsError::Suppression { needed: 1, allowed: 0 })));
        policies.privacy.push(vec![9]);
        assert!(constrained(&baskets, 4, &policies, Selection::Coat, &Silent).is_err());
        policies.privacy.pop();
        policies.utility.push(vec![1, 2]);
        assert!(constrained(&baskets, 4, &policies, Selection::Coat, &Silent).is_err());
    }
}
