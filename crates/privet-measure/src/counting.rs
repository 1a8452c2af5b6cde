//! What people may have, by counting: the people of a group share out its values, each as often as it is published.
//!
//! Of a group it is known who stands in it and how often it has each value. Whoever cannot have a value by another release leaves
//! more of it to the rest: the only HIV of a street and the only one of an age is one person's, who lives there at that age.
//! People who stand together in every release are one *cell*. How many of a cell may have a value, at least and at most, is the
//! least and the most that can flow from the cell to the value when the values of the group are dealt out. What follows in one
//! group narrows the others that hold the same cells, until nothing changes (survey AT-25).
//!
//! # Guarantee
//! In every world as many of a cell have a value as the bounds say; for groups that share no cell the bounds are reached. Where
//! several releases overlap, which are tables with given margins in three dimensions or more, only going through all ways would
//! tell: that is done where there are few (`exact.rs`), and otherwise the bounds need not be reached. Where groups are so large that it would take too long, only whether anybody
//! of a cell may have a value is worked out for them.

mod exact;

use std::collections::VecDeque;

use exact::narrow_exactly;

/// How many of a cell have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The value.
    pub value: u32,
    /// In every world so many at least.
    pub least: u64,
    /// In every world so many at most; values that nobody can have are left out of lists of bounds.
    pub most: u64,
}

/// Cells that stand together, and what they have between them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    /// The cells, each once.
    pub cells: Vec<u32>,
    /// Values, each once, and how often they are here: together as many as there are people.
    pub values: Vec<(u32, u64)>,
}

/// Steps that are spent on exact bounds; the rest is looked at for what is possible at all.
const MOST_STEPS: u64 = 1 << 31;

/// Narrows what cells of so many people may have. `bounds` has per cell the values that are left, ascending. Gives the number of
/// groups whose values cannot be dealt out, alone or with those that they share cells with; these exclude nothing.
pub fn narrow(bounds: &mut [Vec<Bound>], people: &[u64], groups: &[Group]) -> usize {
    narrow_within(bounds, people, groups, MOST_STEPS)
}

fn narrow_within(bounds: &mut [Vec<Bound>], people: &[u64], groups: &[Group], mut steps: u64) -> usize {
    let mut groups_of: Vec<Vec<usize>> = vec![Vec::new(); bounds.len()];
    for (number, group) in groups.iter().enumerate() {
        group.cells.iter().for_each(|&cell| groups_of[cell as usize].push(number));
    }
    let mut waiting: VecDeque<usize> = (0..groups.len()).collect();
    let mut is_waiting = vec![true; groups.len()];
    let mut contradicts = vec![false; groups.len()];
    while let Some(number) = waiting.pop_front() {
        is_waiting[number] = false;
        let left = Flow::new(&groups[number], people, bounds).and_then(|flow| flow.bounds(&mut steps));
        contradicts[number] = left.is_none();
        for (&cell, left) in groups[number].cells.iter().zip(left.into_iter().flatten()) {
            if left == bounds[cell as usize] {
                continue;
            }
            bounds[cell as usize] = left;
            for &other in &groups_of[cell as usize] {
                if other != number && !is_waiting[other] {
                    is_waiting[other] = true;
                    waiting.push_back(other);
                }
            }
        }
    }
    if steps > 0 {
        narrow_exactly(bounds, people, groups, &mut contradicts);
    }
    contradicts.into_iter().filter(|own| *own).count()
}

/// How many of a cell have a value, for now.
struct Arc {
    value: usize,
    flow: u64,
    least: u64,
    most: u64,
}

/// Values dealt out to the cells of a group.
struct Flow {
    codes: Vec<u32>,
    arcs: Vec<Vec<Arc>>,
    /// Per value the arcs that lead to it: a cell, and the place among its arcs.
    into: Vec<Vec<(usize, usize)>>,
    /// People without a value, and values that nobody has yet.
    supply: Vec<u64>,
    demand: Vec<u64>,
}

/// A cell or a value of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Node {
    Cell(usize),
    Value(usize),
}

/// A step of an exchange: one more of a cell has the value of an arc, or one less.
type Step = (usize, usize, bool);

impl Flow {
    /// Everybody has what they have at least; `None` when that is more than there is.
    fn new(group: &Group, people: &[u64], bounds: &[Vec<Bound>]) -> Option<Self> {
        let mut values: Vec<(u32, u64)> = group.values.iter().copied().filter(|own| own.1 > 0).collect();
        values.sort_unstable();
        let place = |value: u32| values.binary_search_by_key(&value, |own| own.0).ok();
        let mut demand: Vec<u64> = values.iter().map(|own| own.1).collect();
        let mut supply: Vec<u64> = group.cells.iter().map(|&cell| people[cell as usize]).collect();
        let mut into = vec![Vec::new(); values.len()];
        let mut arcs = Vec::with_capacity(group.cells.len());
        for (number, &cell) in group.cells.iter().enumerate() {
            let mut own = Vec::new();
            for bound in &bounds[cell as usize] {
                let Some(value) = place(bound.value) else {
                    if bound.least > 0 {
                        return None;
                    }
                    continue;
                };
                supply[number] = supply[number].checked_sub(bound.least)?;
                demand[value] = demand[value].checked_sub(bound.least)?;
                into[value].push((number, own.len()));
                own.push(Arc { value, flow: bound.least, least: bound.least, most: bound.most });
            }
            arcs.push(own);
        }
        Some(Self { codes: values.iter().map(|own| own.0).collect(), arcs, into, supply, demand })
    }

    /// Per cell what is possible, by ascending values; `None` when the values cannot be dealt out.
    fn bounds(mut self, steps: &mut u64) -> Option<Vec<Vec<Bound>>> {
        self.deal()?;
        let size: u64 = self.arcs.iter().map(|own| own.len() as u64).sum();
        // Every arc is walked around a few times.
        match steps.checked_sub(size * size * 4) {
            Some(left) => {
                *steps = left;
                self.tighten();
            }
            None => self.exclude(),
        }
        let bound = |arc: &Arc| Bound { value: self.codes[arc.value], least: arc.least, most: arc.most };
        let of_cell = |arcs: &Vec<Arc>| arcs.iter().filter(|arc| arc.most > 0).map(bound).collect();
        Some(self.arcs.iter().map(of_cell).collect())
    }

    /// Deals out all values; `None` when there is no way.
    fn deal(&mut self) -> Option<()> {
        for (arcs, supply) in self.arcs.iter_mut().zip(&mut self.supply) {
            for arc in arcs {
                let much = (arc.most - arc.flow).min(*supply).min(self.demand[arc.value]);
                arc.flow += much;
                *supply -= much;
                self.demand[arc.value] -= much;
            }
        }
        for cell in 0..self.arcs.len() {
            while self.supply[cell] > 0 {
                let way = self.way(
                    Node::Cell(cell),
                    None,
                    |flow, node| matches!(node, Node::Value(value) if flow.demand[value] > 0),
                );
                let (end, way) = way?;
                let Node::Value(end) = end else { return None };
                let much = self.room(&way).min(self.supply[cell]).min(self.demand[end]);
                self.exchange(&way, much);
                self.supply[cell] -= much;
                self.demand[end] -= much;
            }
        }
        self.demand.iter().all(|&own| own == 0).then_some(())
    }

    /// The least and the most of every arc.
    fn tighten(&mut self) {
        for cell in 0..self.arcs.len() {
            for place in 0..self.arcs[cell].len() {
                let value = self.arcs[cell][place].value;
                while self.arcs[cell][place].flow < self.arcs[cell][place].most {
                    let arrived = |_: &Self, node: Node| node == Node::Cell(cell);
                    let Some((_, mut way)) = self.way(Node::Value(value), Some((cell, place)), arrived)
                    else {
                        break;
                    };
                    way.push((cell, place, true));
                    let much = self.room(&way);
                    self.exchange(&way, much);
                }
                let most = self.arcs[cell][place].flow;
                while self.arcs[cell][place].flow > self.arcs[cell][place].least {
                    let arrived = |_: &Self, node: Node| node == Node::Value(value);
                    let Some((_, mut way)) = self.way(Node::Cell(cell), Some((cell, place)), arrived) else {
                        break;
                    };
                    way.push((cell, place, false));
                    let much = self.room(&way);
                    self.exchange(&way, much);
                }
                let arc = &mut self.arcs[cell][place];
                (arc.least, arc.most) = (arc.flow, most);
            }
        }
    }

    /// Only what nobody of a cell can have: arcs without flow that lie on no cycle of exchanges.
    fn exclude(&mut self) {
        let (cells, component) = (self.arcs.len(), self.components());
        for (cell, arcs) in self.arcs.iter_mut().enumerate() {
            for arc in arcs.iter_mut().filter(|arc| arc.flow == 0) {
                if component[cell] != component[cells + arc.value] {
                    arc.most = 0;
                }
            }
        }
    }

    /// How far all steps of a way can be gone.
    fn room(&self, way: &[Step]) -> u64 {
        let of = |&(cell, place, adds): &Step| {
            let arc = &self.arcs[cell][place];
            if adds { arc.most - arc.flow } else { arc.flow - arc.least }
        };
        way.iter().map(of).min().unwrap_or(0)
    }

    fn exchange(&mut self, way: &[Step], much: u64) {
        for &(cell, place, adds) in way {
            let flow = &mut self.arcs[cell][place].flow;
            *flow = if adds { *flow + much } else { *flow - much };
        }
    }

    /// The shortest way of exchanges to a node that will do, without one arc.
    fn way(
        &self,
        start: Node,
        without: Option<(usize, usize)>,
        arrived: impl Fn(&Self, Node) -> bool,
    ) -> Option<(Node, Vec<Step>)> {
        let mut to_cell: Vec<Option<(usize, usize)>> = vec![None; self.arcs.len()];
        let mut to_value: Vec<Option<(usize, usize)>> = vec![None; self.demand.len()];
        let mut waiting = VecDeque::from([start]);
        let mut end = None;
        'search: while let Some(node) = waiting.pop_front() {
            match node {
                Node::Cell(cell) => {
                    for (place, arc) in self.arcs[cell].iter().enumerate() {
                        let next = Node::Value(arc.value);
                        let is_open = arc.flow < arc.most && Some((cell, place)) != without;
                        if is_open && next != start && to_value[arc.value].is_none() {
                            to_value[arc.value] = Some((cell, place));
                            if arrived(self, next) {
                                end = Some(next);
                                break 'search;
                            }
                            waiting.push_back(next);
                        }
                    }
                }
                Node::Value(value) => {
                    for &(cell, place) in &self.into[value] {
                        let (next, arc) = (Node::Cell(cell), &self.arcs[cell][place]);
                        let is_open = arc.flow > arc.least && Some((cell, place)) != without;
                        if is_open && next != start && to_cell[cell].is_none() {
                            to_cell[cell] = Some((value, place));
                            if arrived(self, next) {
                                end = Some(next);
                                break 'search;
                            }
                            waiting.push_back(next);
                        }
                    }
                }
            }
        }
        let end = end?;
        let (mut way, mut node) = (Vec::new(), end);
        while node != start {
            node = match node {
                Node::Value(value) => {
                    let (cell, place) = to_value[value]?;
                    way.push((cell, place, true));
                    Node::Cell(cell)
                }
                Node::Cell(cell) => {
                    let (value, place) = to_cell[cell]?;
                    way.push((cell, place, false));
                    Node::Value(value)
                }
            };
        }
        Some((end, way))
    }

    /// Per cell, and behind them per value, the number of the cycle of exchanges that it lies on.
    fn components(&self) -> Vec<usize> {
        let cells = self.arcs.len();
        let nodes = cells + self.demand.len();
        let (mut ahead, mut behind) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for (cell, arcs) in self.arcs.iter().enumerate() {
            for arc in arcs {
                if arc.flow < arc.most {
                    ahead[cell].push(cells + arc.value);
                    behind[cells + arc.value].push(cell);
                }
                if arc.flow > arc.least {
                    ahead[cells + arc.value].push(cell);
                    behind[cell].push(cells + arc.value);
                }
            }
        }
        // Kosaraju: in the order in which a walk ahead leaves them, last first, walk back.
        let mut order = Vec::with_capacity(nodes);
        let mut seen = vec![false; nodes];
        for start in 0..nodes {
            let mut stack = vec![(start, 0)];
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            while let Some((node, next)) = stack.last_mut() {
                match ahead[*node].get(*next) {
                    Some(&other) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[other], true) {
                            stack.push((other, 0));
                        }
                    }
                    None => {
                        order.push(*node);
                        stack.pop();
                    }
                }
            }
        }
        let mut component = vec![usize::MAX; nodes];
        for &start in order.iter().rev() {
            let mut stack = vec![start];
            while let Some(node) = stack.pop() {
                if component[node] == usize::MAX {
                    component[node] = start;
                    stack.extend(&behind[node]);
                }
            }
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const VALUES: u32 = 4;

    /// Per cell the values of its people: all ways to give everybody a value such that every group has what it has.
    fn worlds(cell_of: &[u32], groups: &[Group], known: &[Vec<Bound>]) -> Vec<Vec<Bound>> {
        let mut found: Vec<BTreeMap<u32, (u64, u64)>> = vec![BTreeMap::new(); known.len()];
        let mut is_first = true;
        for world in 0..VALUES.pow(cell_of.len() as u32) {
            let mut counts = vec![[0u64; VALUES as usize]; known.len()];
            for (person, &cell) in (0u32..).zip(cell_of) {
                counts[cell as usize][(world / VALUES.pow(person) % VALUES) as usize] += 1;
            }
            let fits = groups.iter().all(|group| {
                (0..VALUES).all(|value| {
                    let here: u64 =
                        group.cells.iter().map(|&cell| counts[cell as usize][value as usize]).sum();
                    here == group.values.iter().find(|own| own.0 == value).map_or(0, |own| own.1)
                })
            }) && known.iter().zip(&counts).all(|(known, counts)| {
                (0..VALUES).all(|value| {
                    let own = known.iter().find(|own| own.value == value);
                    own.map_or(0..=0, |own| own.least..=own.most).contains(&counts[value as usize])
                })
            });
            if fits {
                for (found, counts) in found.iter_mut().zip(&counts) {
                    for (value, &count) in (0u32..).zip(counts) {
                        let own = found.entry(value).or_insert((if is_first { count } else { 0 }, count));
                        *own = (own.0.min(count), own.1.max(count));
                    }
                }
                is_first = false;
            }
        }
        let bound = |(&value, &(least, most)): (&u32, &(u64, u64))| Bound { value, least, most };
        found.iter().map(|own| own.iter().map(bound).filter(|own| own.most > 0).collect()).collect()
    }

    /// Cells by where people stand, and the groups of one release with the values that its people have.
    fn release(stands: &[u32], has: &[u32], cell_of: &[u32]) -> Vec<Group> {
        let mut groups: BTreeMap<u32, Group> = BTreeMap::new();
        for ((&group, &value), &cell) in stands.iter().zip(has).zip(cell_of) {
            let own = groups.entry(group).or_default();
            if !own.cells.contains(&cell) {
                own.cells.push(cell);
            }
            match own.values.iter_mut().find(|own| own.0 == value) {
                Some(own) => own.1 += 1,
                None => own.values.push((value, 1)),
            }
        }
        groups.into_values().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// One release and several, with something known beforehand: the bounds of all worlds. What is worked out for large groups:
        /// never narrower, and of one release the same values.
        #[test]
        fn against_all_worlds(
            people in prop::collection::vec((0..VALUES, 0u32..2, 0u32..3, 0u32..2), 1..7),
            denied in prop::collection::vec(0u32..16, 12),
        ) {
            let has: Vec<u32> = people.iter().map(|own| own.0).collect();
            for releases in 1..4 {
                let place = |own: &(u32, u32, u32, u32)| -> Vec<u32> { [own.1, own.2, own.3][..releases].to_vec() };
                let mut cells: Vec<Vec<u32>> = people.iter().map(place).collect();
                cells.sort_unstable();
                cells.dedup();
                let cell_of: Vec<u32> =
                    people.iter().map(|own| cells.binary_search(&place(own)).unwrap() as u32).collect();
                let size = |cell: u32| cell_of.iter().filter(|own| **own == cell).count() as u64;
                let sizes: Vec<u64> = (0..cells.len() as u32).map(size).collect();
                // Some values are denied beforehand, never one that somebody of the cell has.
                let bound = |cell: usize, value: u32| {
                    let had = people.iter().zip(&cell_of).any(|(own, &of)| of as usize == cell && own.0 == value);
                    (had || denied[cell] >> value & 1 == 0).then_some(Bound { value, least: 0, most: sizes[cell] })
                };
                let known: Vec<Vec<Bound>> =
                    (0..cells.len()).map(|cell| (0..VALUES).filter_map(|value| bound(cell, value)).collect()).collect();
                let groups: Vec<Group> = (0..releases)
                    .flat_map(|at| release(&people.iter().map(|own| place(own)[at]).collect::<Vec<_>>(), &has, &cell_of))
                    .collect();
                let exact = worlds(&cell_of, &groups, &known);
                let (mut tight, mut loose) = (known.clone(), known.clone());
                prop_assert_eq!(narrow(&mut tight, &sizes, &groups), 0);
                prop_assert_eq!(narrow_within(&mut loose, &sizes, &groups, 0), 0);
                prop_assert_eq!(&tight, &exact);
                for ((tight, loose), exact) in tight.iter().zip(&loose).zip(&exact) {
                    for own in exact {
                        let found = tight.iter().find(|found| found.value == own.value).unwrap();
                        prop_assert!(found.least <= own.least && own.most <= found.most, "{:?} {:?}", tight, exact);
                    }
                    let values = |bounds: &[Bound]| bounds.iter().map(|own| own.value).collect::<Vec<u32>>();
                    prop_assert!(values(tight).iter().all(|value| values(loose).contains(value)));
                    if releases == 1 {
                        prop_assert_eq!(values(loose), values(tight));
                    }
                }
            }
        }
    }

    /// The only HIV of one street and the only one of an age are one person's, and who is left has what is left.
    #[test]
    fn what_two_releases_share() {
        // By street A, B, C and D, E, F; by age A, B, F and C, D, E. Flu 0, cancer 1, HIV 2. Cells AB, C, DE, F.
        let group =
            |cells: [u32; 2], values: &[(u32, u64)]| Group { cells: cells.to_vec(), values: values.to_vec() };
        let all = [
            group([0, 1], &[(0, 1), (1, 1), (2, 1)]),
            group([2, 3], &[(0, 2), (1, 1)]),
            group([0, 3], &[(0, 2), (1, 1)]),
            group([1, 2], &[(2, 1), (0, 1), (1, 1)]),
        ];
        let people = [2, 1, 2, 1];
        let anything = |most: u64| (0..3).map(|value| Bound { value, least: 0, most }).collect::<Vec<_>>();
        let mut bounds: Vec<Vec<Bound>> = people.iter().map(|&most| anything(most)).collect();
        assert_eq!(narrow(&mut bounds, &people, &all), 0);
        let one = |value| Bound { value, least: 1, most: 1 };
        assert_eq!(bounds, [vec![one(0), one(1)], vec![one(2)], vec![one(0), one(1)], vec![one(0)]]);
        // What cannot be is told, and excludes nothing.
        let mut bounds = vec![vec![Bound { value: 0, least: 0, most: 2 }]];
        assert_eq!(narrow(&mut bounds, &[2], &[Group { cells: vec![0], values: vec![(0, 1), (1, 1)] }]), 1);
        assert_eq!(bounds, [[Bound { value: 0, least: 0, most: 2 }]]);
        assert_eq!(narrow(&mut [], &[], &[]), 0);
    }
}
