//! What several releases leave, exactly, where few people are concerned: all ways to deal out the values of groups that share
//! cells, gone through one by one.
//!
//! # Guarantee
//! Where it gets to the end, the bounds are reached in some world; where there is none, that is told. Where there are more ways than
//! may be gone through, nothing changes.

use super::{Bound, Group};

/// Steps that are spent on groups that hang together.
const MOST_STEPS: u64 = 50_000;
/// Values of cells that hang together; more would hardly be gone through in so many steps, and each is a call within a call.
const MOST_VALUES: usize = 400;

/// Narrows bounds of cells that stand in several groups. Groups that `contradict` exclude nothing, and those that cannot be dealt out
/// together are added to them.
pub(super) fn narrow_exactly(
    bounds: &mut [Vec<Bound>],
    people: &[u64],
    groups: &[Group],
    contradict: &mut [bool],
) {
    for component in components(bounds.len(), groups) {
        // A single group is exact already.
        if component.len() < 2 || component.iter().any(|&group| contradict[group]) {
            continue;
        }
        let mut cells: Vec<u32> =
            component.iter().flat_map(|&group| groups[group].cells.iter().copied()).collect();
        cells.sort_unstable();
        cells.dedup();
        if cells.iter().map(|&cell| bounds[cell as usize].len()).sum::<usize>() > MOST_VALUES {
            continue;
        }
        let mut search = Search::new(bounds, people, groups, &component, &cells);
        let is_through = search.go(0, 0, None);
        let (found, least, most) = (search.found, search.least, search.most);
        if is_through && !found {
            component.iter().for_each(|&group| contradict[group] = true);
        } else if is_through {
            for (&cell, (least, most)) in cells.iter().zip(least.iter().zip(&most)) {
                let own = &mut bounds[cell as usize];
                for ((bound, &least), &most) in own.iter_mut().zip(least).zip(most) {
                    (bound.least, bound.most) = (least, most);
                }
                own.retain(|bound| bound.most > 0);
            }
        }
    }
}

/// Groups that hang together by cells.
fn components(cells: usize, groups: &[Group]) -> Vec<Vec<usize>> {
    let mut groups_of: Vec<Vec<usize>> = vec![Vec::new(); cells];
    for (number, group) in groups.iter().enumerate() {
        group.cells.iter().for_each(|&cell| groups_of[cell as usize].push(number));
    }
    let mut seen = vec![false; groups.len()];
    let mut all = Vec::new();
    for start in 0..groups.len() {
        let (mut component, mut waiting) = (Vec::new(), vec![start]);
        while let Some(group) = waiting.pop() {
            if !std::mem::replace(&mut seen[group], true) {
                component.push(group);
                waiting.extend(
                    groups[group].cells.iter().flat_map(|&cell| groups_of[cell as usize].iter().copied()),
                );
            }
        }
        if !component.is_empty() {
            all.push(component);
        }
    }
    all
}

/// Ways to deal out values, cell by cell and value by value.
struct Search<'a> {
    /// Per cell its people, its bounds, and the groups that it stands in.
    people: Vec<u64>,
    bounds: Vec<&'a [Bound]>,
    groups_of: Vec<Vec<usize>>,
    /// Per group the values that are left.
    left: Vec<std::collections::BTreeMap<u32, u64>>,
    /// Per cell the groups of which it is the last.
    last_of: Vec<Vec<usize>>,
    /// Per cell and value how many have it now, and in the ways so far at least and at most.
    now: Vec<Vec<u64>>,
    least: Vec<Vec<u64>>,
    most: Vec<Vec<u64>>,
    found: bool,
    steps: u64,
}

impl<'a> Search<'a> {
    fn new(
        bounds: &'a [Vec<Bound>],
        people: &[u64],
        groups: &[Group],
        component: &[usize],
        cells: &[u32],
    ) -> Self {
        let own: Vec<&[Bound]> = cells.iter().map(|&cell| &bounds[cell as usize][..]).collect();
        let mut groups_of = vec![Vec::new(); cells.len()];
        let mut last_of = vec![Vec::new(); cells.len()];
        for (number, &group) in component.iter().enumerate() {
            let places = groups[group].cells.iter().filter_map(|cell| cells.binary_search(cell).ok());
            let places: Vec<usize> = places.collect();
            places.iter().for_each(|&place| groups_of[place].push(number));
            if let Some(&last) = places.iter().max() {
                last_of[last].push(number);
            }
        }
        let empty = |fill: u64| own.iter().map(|bounds| vec![fill; bounds.len()]).collect::<Vec<_>>();
        Self {
            people: cells.iter().map(|&cell| people[cell as usize]).collect(),
            groups_of,
            left: component.iter().map(|&group| groups[group].values.iter().copied().collect()).collect(),
            last_of,
            now: empty(0),
            least: empty(u64::MAX),
            most: empty(0),
            bounds: own,
            found: false,
            steps: 0,
        }
    }

    /// Goes through all ways from a value of a cell on; `rest` are those of the cell who have none yet. False when there are too many.
    fn go(&mut self, cell: usize, value: usize, rest: Option<u64>) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return false;
        }
        if cell == self.people.len() {
            self.found = true;
            for ((now, least), most) in self.now.iter().zip(&mut self.least).zip(&mut self.most) {
                for ((&now, least), most) in now.iter().zip(least).zip(most) {
                    (*least, *most) = ((*least).min(now), (*most).max(now));
                }
            }
            return true;
        }
        let rest = rest.unwrap_or(self.people[cell]);
        let Some(&bound) = self.bounds[cell].get(value) else {
            let is_dealt = |&group: &usize| self.left[group].values().all(|&left| left == 0);
            // Whoever is the last of a group takes all that is left of it.
            return rest > 0 || !self.last_of[cell].iter().all(is_dealt) || self.go(cell + 1, 0, None);
        };
        let left = |&group: &usize| self.left[group].get(&bound.value).copied().unwrap_or(0);
        let room = self.groups_of[cell].iter().map(left).min().unwrap_or(u64::MAX);
        for many in bound.least..=bound.most.min(rest).min(room) {
            self.give(cell, bound.value, many);
            self.now[cell][value] = many;
            let goes_on = self.go(cell, value + 1, Some(rest - many));
            self.take(cell, bound.value, many);
            if !goes_on {
                return false;
            }
        }
        true
    }

    fn give(&mut self, cell: usize, value: u32, many: u64) {
        for &group in &self.groups_of[cell] {
            if let Some(left) = self.left[group].get_mut(&value) {
                *left -= many;
            }
        }
    }

    fn take(&mut self, cell: usize, value: u32, many: u64) {
        for &group in &self.groups_of[cell] {
            if let Some(left) = self.left[group].get_mut(&value) {
                *left += many;
            }
        }
    }
}
