//! Canonical codes of small coloured graphs: two graphs have the same code exactly when one is the other with its nodes
//! in another order and the same colours.
//!
//! The graph is refined, edges that the cells tell by themselves (none or all between two cells) are dropped, and every
//! connected component of what is left gets a code of its own; codes are sorted. Only a component that falls no further
//! apart is searched: a node of its smallest cell is individualized, each in turn, and the least code is kept. Stars,
//! cliques and many equal parts, which are what neighbourhoods consist of, need no search at all.

/// Neighbours of each node, in rising order.
pub(crate) type Lists = Vec<Vec<u32>>;

/// The code of a graph, or nothing when the budget of calls is used up.
pub(crate) fn code(lists: &Lists, colours: &[u32], budget: &mut u64) -> Option<Vec<u32>> {
    *budget = budget.checked_sub(1)?;
    let cells = Cells::refined(lists, colours);
    let mut code = cells.head(lists, colours);
    if cells.sizes.len() == lists.len() {
        return Some(code);
    }
    let (lists, component) = cells.reduced(lists);
    let parts = component.iter().max().map_or(0, |&last| last as usize + 1);
    if parts == 1 {
        code.extend(searched(&lists, &cells, budget)?);
        return Some(code);
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); parts];
    component.iter().zip(0..).for_each(|(&part, node)| members[part as usize].push(node));
    let mut place = vec![0u32; lists.len()];
    let mut codes = Vec::new();
    // A component of one node is told by its colour, and the head counts colours.
    for part in members.iter().filter(|part| part.len() > 1) {
        part.iter().zip(0..).for_each(|(&node, own)| place[node as usize] = own);
        let inner: Lists = part
            .iter()
            .map(|&node| lists[node as usize].iter().map(|&other| place[other as usize]).collect())
            .collect();
        let colours: Vec<u32> = part.iter().map(|&node| cells.of[node as usize]).collect();
        codes.push(self::code(&inner, &colours, budget)?);
    }
    codes.sort_unstable();
    for own in codes {
        code.push(own.len() as u32);
        code.extend(own);
    }
    Some(code)
}

/// The least code over all members of the first smallest cell with more than one.
fn searched(lists: &Lists, cells: &Cells, budget: &mut u64) -> Option<Vec<u32>> {
    let open = cells.sizes.iter().zip(0u32..).filter(|(size, _)| **size > 1);
    let (_, cell) = open.min()?;
    let mut least: Option<Vec<u32>> = None;
    for node in (0..lists.len()).filter(|&node| cells.of[node] == cell) {
        let mut colours: Vec<u32> = cells.of.iter().map(|&own| 2 * own + 1).collect();
        colours[node] -= 1;
        let own = code(lists, &colours, budget)?;
        if least.as_ref().is_none_or(|least| own < *least) {
            least = Some(own);
        }
    }
    least
}

/// A stable colouring whose numbers do not depend on the order of the nodes.
struct Cells {
    of: Vec<u32>,
    sizes: Vec<u32>,
}

impl Cells {
    fn refined(lists: &Lists, colours: &[u32]) -> Self {
        let mut of = ranks(colours);
        let mut count = distinct(&of);
        loop {
            let keys: Vec<(u32, Vec<u32>)> = lists
                .iter()
                .zip(&of)
                .map(|(list, &own)| {
                    let mut around: Vec<u32> = list.iter().map(|&other| of[other as usize]).collect();
                    around.sort_unstable();
                    (own, around)
                })
                .collect();
            let next = ranks(&keys);
            let fresh = distinct(&next);
            if fresh == count {
                let mut sizes = vec![0u32; count];
                of.iter().for_each(|&own| sizes[own as usize] += 1);
                return Self { of, sizes };
            }
            (of, count) = (next, fresh);
        }
    }

    /// The number of cells, per cell its size and colour, and for each pair of cells with edges how many neighbours a
    /// member of the first has in the second.
    fn head(&self, lists: &Lists, colours: &[u32]) -> Vec<u32> {
        let cells = self.sizes.len();
        let mut member = vec![0usize; cells];
        self.of.iter().enumerate().for_each(|(node, &own)| member[own as usize] = node);
        let mut head = vec![cells as u32];
        let mut between = Vec::new();
        for (cell, &node) in member.iter().enumerate() {
            head.extend([self.sizes[cell], colours[node]]);
            for (other, neighbours) in self.around(&lists[node]) {
                between.extend([cell as u32, other, neighbours]);
            }
        }
        head.push(between.len() as u32);
        head.extend(between);
        head
    }

    /// How many of some nodes are in each cell.
    fn around(&self, list: &[u32]) -> Vec<(u32, u32)> {
        let mut cells: Vec<u32> = list.iter().map(|&other| self.of[other as usize]).collect();
        cells.sort_unstable();
        cells.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
    }

    /// Without the edges between cells that are wholly tied, and the component of each node.
    fn reduced(&self, lists: &Lists) -> (Lists, Vec<u32>) {
        let keep = |(list, &own): (&Vec<u32>, &u32)| -> Vec<u32> {
            let around = self.around(list);
            let is_whole = |cell: u32| {
                let all = self.sizes[cell as usize] - u32::from(cell == own);
                let found = around.binary_search_by_key(&cell, |pair| pair.0);
                found.is_ok_and(|place| around[place].1 == all)
            };
            list.iter().copied().filter(|&other| !is_whole(self.of[other as usize])).collect()
        };
        let lists: Lists = lists.iter().zip(&self.of).map(keep).collect();
        let mut component = vec![u32::MAX; lists.len()];
        let (mut count, mut open) = (0, Vec::new());
        for start in 0..lists.len() {
            if component[start] != u32::MAX {
                continue;
            }
            component[start] = count;
            open.push(start as u32);
            while let Some(node) = open.pop() {
                for &other in &lists[node as usize] {
                    if component[other as usize] == u32::MAX {
                        component[other as usize] = count;
                        open.push(other);
                    }
                }
            }
            count += 1;
        }
        (lists, component)
    }
}

/// Per key its place among the distinct ones.
fn ranks<T: Ord>(keys: &[T]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| keys[a as usize].cmp(&keys[b as usize]));
    let mut ranks = vec![0; keys.len()];
    let mut rank = 0;
    for pair in order.windows(2) {
        rank += u32::from(keys[pair[0] as usize] != keys[pair[1] as usize]);
        ranks[pair[1] as usize] = rank;
    }
    ranks
}

fn distinct(ranks: &[u32]) -> usize {
    ranks.iter().max().map_or(0, |&last| last as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;
    use proptest::prelude::*;

    pub(crate) fn lists(graph: &Graph) -> Lists {
        (0..graph.nodes() as u32).map(|node| graph.neighbours(node).to_vec()).collect()
    }

    /// By all orders of the nodes.
    fn isomorphic(one: &Graph, other: &Graph, colours: (&[u32], &[u32])) -> bool {
        fn extend(one: &Graph, other: &Graph, colours: (&[u32], &[u32]), image: &mut Vec<u32>) -> bool {
            let next = image.len();
            if next == one.nodes() {
                return true;
            }
            (0..other.nodes() as u32).any(|to| {
                let fits = image.iter().zip(0u32..).all(|(&own, from)| {
                    own != to && one.has_edge(from, next as u32) == other.has_edge(own, to)
                });
                fits && colours.0[next] == colours.1[to as usize] && {
                    image.push(to);
                    let found = extend(one, other, colours, image);
                    image.pop();
                    found
                }
            })
        }
        one.nodes() == other.nodes() && extend(one, other, colours, &mut Vec::new())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        /// Codes are equal exactly for isomorphic graphs of up to seven nodes.
        #[test]
        fn codes_decide_isomorphism(
            nodes in 1usize..8, first in any::<u32>(), second in any::<u32>(), flip in 0u32..21,
            near: bool, labels in prop::collection::vec(0u32..2, 14), labelled: bool,
            order in Just((0..7u32).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let graph = |bits: u32| {
                let pairs = (0..nodes as u32).flat_map(|a| (0..a).map(move |b| (a, b))).enumerate();
                let edges: Vec<_> = pairs.filter(|(place, _)| bits >> place & 1 == 1).map(|own| own.1).collect();
                Graph::undirected(nodes, &edges).unwrap().0
            };
            let order: Vec<u32> = order.into_iter().filter(|&own| (own as usize) < nodes).collect();
            // A shuffled copy with one pair changed, or an unrelated graph.
            let one = graph(first);
            let other = graph(if near { first ^ (1 << flip) } else { second }).renumbered(&order).unwrap();
            let left: Vec<u32> = labels[..nodes].iter().map(|own| if labelled { *own } else { 5 }).collect();
            let mut right = vec![0; nodes];
            order.iter().zip(&left).for_each(|(&to, &label)| right[to as usize] = label);
            let of = |graph: &Graph, colours: &[u32]| code(&lists(graph), colours, &mut 1_000_000).unwrap();
            prop_assert_eq!(
                of(&one, &left) == of(&other, &right),
                isomorphic(&one, &other, (&left, &right))
            );
            let same = one.renumbered(&order).unwrap();
            prop_assert_eq!(of(&one, &left), of(&same, &right));
        }
    }

    #[test]
    fn equal_parts_need_no_search() {
        let edges: Vec<(u32, u32)> = (0..200).map(|part| (2 * part, 2 * part + 1)).collect();
        let pairs = Graph::undirected(400, &edges).unwrap().0;
        assert!(code(&lists(&pairs), &[0; 400], &mut 1000).is_some());
        let clique: Vec<(u32, u32)> = (0..60u32).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        let clique = Graph::undirected(60, &clique).unwrap().0;
        assert!(code(&lists(&clique), &[0; 60], &mut 1).is_some());
        // A ring has one cell and one component.
        let ring: Vec<(u32, u32)> = (0..20).map(|node| (node, (node + 1) % 20)).collect();
        assert!(code(&lists(&Graph::undirected(20, &ring).unwrap().0), &[0; 20], &mut 5).is_none());
    }
}
