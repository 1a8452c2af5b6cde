//! The earth mover's distance with any costs, as a transport problem: the cheapest way to turn one
//! distribution into the other.
//!
//! Amounts are whole numbers (the counts of one side times the total of the other), so nothing is lost in
//! rounding and the work ends. Each round carries as much as possible along the cheapest way that is left,
//! found by Bellman-Ford, which needs no cleverness about costs that are negative on the way back.

use crate::verify::table::Histogram;

/// The cost of turning the distribution of `class` into that of `whole`.
pub(super) fn transport(class: &Histogram, whole: &Histogram, costs: &[Vec<f64>]) -> f64 {
    let total = |histogram: &Histogram| histogram.values().map(|&count| u128::from(count)).sum::<u128>();
    let (class_total, whole_total) = (total(class), total(whole));
    let mut supply: Vec<(usize, u128)> = Vec::new();
    let mut demand: Vec<(usize, u128)> = Vec::new();
    for (&code, &count) in whole {
        let has = u128::from(class.get(&code).copied().unwrap_or(0)) * whole_total;
        let needs = u128::from(count) * class_total;
        // What may stay where it is stays: costs obey the triangle inequality.
        match has.cmp(&needs) {
            std::cmp::Ordering::Greater => supply.push((code as usize, has - needs)),
            std::cmp::Ordering::Less => demand.push((code as usize, needs - has)),
            std::cmp::Ordering::Equal => {}
        }
    }
    let mut flow = vec![vec![0u128; demand.len()]; supply.len()];
    let cost = |i: usize, j: usize, from: &[(usize, u128)], to: &[(usize, u128)]| costs[from[i].0][to[j].0];
    while let Some(way) = cheapest_way(&supply, &demand, &flow, |i, j| cost(i, j, &supply, &demand)) {
        // The way alternates: to a demand along a cost, back to a supply against a flow.
        let (first, last) = (way[0].0, way[way.len() - 1].1);
        let back = |step: usize| flow[way[step + 1].0][way[step].1];
        let most = (0..way.len() - 1).map(back).fold(supply[first].1.min(demand[last].1), u128::min);
        if most == 0 {
            // Only rounding could lead here. A distance that is not known proves nothing.
            return f64::INFINITY;
        }
        for step in 0..way.len() {
            let (i, j) = way[step];
            flow[i][j] += most;
            if step + 1 < way.len() {
                flow[way[step + 1].0][j] -= most;
            }
        }
        supply[first].1 -= most;
        demand[last].1 -= most;
    }
    let mut work = 0.0;
    for (i, row) in flow.iter().enumerate() {
        for (j, &amount) in row.iter().enumerate() {
            work += amount as f64 * cost(i, j, &supply, &demand);
        }
    }
    work / (class_total as f64 * whole_total as f64)
}

/// The cheapest way from a supply with something left to a demand with something left: pairs of a supply and
/// the demand that it is carried to, each next supply being relieved of what it carried to the demand before.
fn cheapest_way(
    supply: &[(usize, u128)],
    demand: &[(usize, u128)],
    flow: &[Vec<u128>],
    cost: impl Fn(usize, usize) -> f64,
) -> Option<Vec<(usize, usize)>> {
    let mut at_supply: Vec<f64> =
        supply.iter().map(|&(_, left)| if left > 0 { 0.0 } else { f64::INFINITY }).collect();
    let mut at_demand = vec![f64::INFINITY; demand.len()];
    let mut came_to_demand = vec![0; demand.len()];
    let mut came_to_supply: Vec<Option<usize>> = vec![None; supply.len()];
    // A cheapest way visits each place once, so this many rounds suffice.
    for _ in 0..supply.len() + demand.len() {
        let mut better = false;
        for i in 0..supply.len() {
            for j in 0..demand.len() {
                let forth = at_supply[i] + cost(i, j);
                // The margin keeps rounding from sending us round in circles.
                if forth < at_demand[j] - 1e-12 {
                    (at_demand[j], came_to_demand[j], better) = (forth, i, true);
                }
                let back = at_demand[j] - cost(i, j);
                if flow[i][j] > 0 && back < at_supply[i] - 1e-12 {
                    (at_supply[i], came_to_supply[i], better) = (back, Some(j), true);
                }
            }
        }
        if !better {
            break;
        }
    }
    let open = (0..demand.len()).filter(|&j| demand[j].1 > 0 && at_demand[j].is_finite());
    let mut j = open.min_by(|&a, &b| at_demand[a].total_cmp(&at_demand[b]))?;
    let mut way = Vec::new();
    loop {
        let i = came_to_demand[j];
        way.push((i, j));
        match came_to_supply[i] {
            Some(before) if way.len() <= supply.len() => j = before,
            _ => break,
        }
    }
    way.reverse();
    Some(way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(counts: &[u64]) -> Histogram {
        (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect()
    }

    fn uniform(values: usize) -> Vec<Vec<f64>> {
        (0..values).map(|i| (0..values).map(|j| f64::from(u8::from(i != j))).collect()).collect()
    }

    #[test]
    fn papers_fx_t3_half_cost_between_two_values() {
        // HIV, hepatitis C, diabetes.
        let mut costs = uniform(3);
        (costs[0][1], costs[1][0]) = (0.5, 0.5);
        let whole = counts(&[3, 2, 1]);
        assert!((transport(&counts(&[3, 0, 0]), &whole, &costs) - 1.0 / 3.0).abs() < 1e-12);
        assert!((transport(&counts(&[0, 2, 1]), &whole, &costs) - 1.0 / 3.0).abs() < 1e-12);
        assert!((transport(&counts(&[3, 0, 0]), &whole, &uniform(3)) - 0.5).abs() < 1e-12);
    }

    proptest! {
        /// On a line the distance has a closed form (survey PM-26).
        #[test]
        fn a_line_is_a_transport_problem(
            class in prop::collection::vec(0u64..5, 6), rest in prop::collection::vec(1u64..6, 6)
        ) {
            prop_assume!(class.iter().sum::<u64>() > 0);
            let whole: Vec<u64> = class.iter().zip(&rest).map(|(a, b)| a + b).collect();
            let costs: Vec<Vec<f64>> =
                (0..6i32).map(|i| (0..6i32).map(|j| f64::from((i - j).abs()) / 5.0).collect()).collect();
            let share = |of: &[u64], i: usize| of[i] as f64 / of.iter().sum::<u64>() as f64;
            let (mut carried, mut work) = (0.0f64, 0.0);
            for i in 0..6 {
                carried += share(&class, i) - share(&whole, i);
                work += carried.abs() / 5.0;
            }
            prop_assert!((transport(&counts(&class), &counts(&whole), &costs) - work).abs() < 1e-9);
        }

        /// With all values equally far apart it is the variational distance.
        #[test]
        fn equal_costs_are_the_variational_distance(
            class in prop::collection::vec(0u64..9, 5), rest in prop::collection::vec(1u64..9, 5)
        ) {
            prop_assume!(class.iter().sum::<u64>() > 0);
            let whole: Vec<u64> = class.iter().zip(&rest).map(|(a, b)| a + b).collect();
            let share = |of: &[u64], i: usize| of[i] as f64 / of.iter().sum::<u64>() as f64;
            let half: f64 = (0..5).map(|i| (share(&class, i) - share(&whole, i)).abs() / 2.0).sum();
            prop_assert!((transport(&counts(&class), &counts(&whole), &uniform(5)) - half).abs() < 1e-9);
        }
    }
}
