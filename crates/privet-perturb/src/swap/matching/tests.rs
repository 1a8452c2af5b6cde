use proptest::prelude::*;

use super::*;

fn total(nodes: usize, cost: &[i64], partner: &[usize]) -> i64 {
    for (node, &other) in partner.iter().enumerate() {
        assert!(other != node && partner[other] == node, "everybody has one partner");
    }
    partner.iter().enumerate().map(|(node, &other)| cost[node * nodes + other]).sum::<i64>() / 2
}

/// The least cost over all pairings of the nodes of a mask.
fn least(nodes: usize, cost: &[i64]) -> i64 {
    let mut best = vec![i64::MAX; 1 << nodes];
    best[0] = 0;
    for mask in 0usize..1 << nodes {
        let first = (!mask).trailing_zeros() as usize;
        if best[mask] == i64::MAX || first >= nodes {
            continue;
        }
        for other in (first + 1..nodes).filter(|other| mask >> other & 1 == 0) {
            let next = mask | 1 << first | 1 << other;
            best[next] = best[next].min(best[mask] + cost[first * nodes + other]);
        }
    }
    best[(1 << nodes) - 1]
}

fn symmetric(nodes: usize, entries: &[i64]) -> Vec<i64> {
    let at = |a: usize, b: usize| entries[(a * nodes + b) % entries.len()];
    (0..nodes * nodes)
        .map(|i| (i / nodes, i % nodes))
        .map(|(a, b)| if a == b { 0 } else { at(a.min(b), a.max(b)) })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Few different costs make many ties and so many blossoms.
    #[test]
    fn costs_least_of_all(half in 1usize..7, entries in prop::collection::vec(0i64..6, 144)) {
        let nodes = 2 * half;
        let cost = symmetric(nodes, &entries);
        prop_assert_eq!(total(nodes, &cost, &least_cost_matching(nodes, &cost)), least(nodes, &cost));
    }

    #[test]
    fn costs_least_with_large_costs(half in 1usize..6, entries in prop::collection::vec(0i64..=MOST_COST, 100)) {
        let nodes = 2 * half;
        let cost = symmetric(nodes, &entries);
        prop_assert_eq!(total(nodes, &cost, &least_cost_matching(nodes, &cost)), least(nodes, &cost));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Odd clusters that are cheap within and dear between nest blossoms.
    #[test]
    fn nested_clusters(
        places in prop::collection::vec((0i64..3, 0i64..3, 0i64..4), 16),
        noise in prop::collection::vec(0i64..4, 256),
    ) {
        let noise = symmetric(16, &noise);
        let cost: Vec<i64> = (0..256)
            .map(|i| (i / 16, i % 16))
            .map(|(a, b)| {
                let (p, q) = (places[a], places[b]);
                if a == b { 0 } else { 100 * i64::from(p.0 != q.0) + 10 * i64::from(p.1 != q.1) + (p.2 - q.2).abs() + noise[a * 16 + b] }
            })
            .collect();
        prop_assert_eq!(total(16, &cost, &least_cost_matching(16, &cost)), least(16, &cost));
    }
}

/// On a line the least matching joins neighbours, whatever the size: 2·k and 2·k + 1.
#[test]
fn neighbours_on_a_line() {
    let nodes = 200;
    let places: Vec<i64> = (0..nodes as i64).map(|i| (i * 77) % 200).map(|i| i * i + 3 * i).collect();
    let cost: Vec<i64> = (0..nodes * nodes).map(|i| (places[i / nodes] - places[i % nodes]).abs()).collect();
    let mut sorted = places;
    sorted.sort_unstable();
    let expected: i64 = sorted.chunks_exact(2).map(|pair| pair[1] - pair[0]).sum();
    assert_eq!(total(nodes, &cost, &least_cost_matching(nodes, &cost)), expected);
}

#[test]
fn edges() {
    assert!(least_cost_matching(0, &[]).is_empty());
    assert_eq!(least_cost_matching(1, &[0]), [0]);
    assert_eq!(least_cost_matching(3, &[0; 9]), [0, 1, 2]);
    assert_eq!(least_cost_matching(2, &[0, i64::MAX, i64::MAX, 0]), [1, 0]);
    assert_eq!(least_cost_matching(2, &[0; 3]), [0, 1]);
}
