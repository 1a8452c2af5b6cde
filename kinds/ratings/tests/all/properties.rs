//! The theorems of section 4 of the spec on random surveys, and every clever algorithm beside a plain one.

use privet_data::Silent;
use privet_ratings::publish::{Completion, Plan, Reconcile, publish};
use privet_ratings::{
    ExactDecomposition, Model, NULL, Neighbours, Outcome, Pairwise, Points, Projection, ProximityGraph,
    Scale, SdNulls, Search, Semantics, Slicing, Survey, dissimilarity, hamming_groups, is_clique, judge,
    largest_k, partition, smallest_epsilon, smallest_epsilon_for_l, spread,
};
use proptest::prelude::*;

fn surveys(users: std::ops::Range<usize>, issues: usize) -> impl Strategy<Value = Survey> {
    // Few flag rows, so that Hamming groups have members.
    let cell = prop_oneof![6 => 0u8..5, 1 => Just(NULL)];
    let row = (proptest::collection::vec(cell.clone(), issues), proptest::collection::vec(cell, 1));
    proptest::collection::vec(row, users).prop_map(|rows| Survey::dense(Scale::whole(1, 5).unwrap(), &rows))
}

/// Def 6.1 from its words.
fn proximate(survey: &Survey, a: u32, b: u32, epsilon: f64) -> bool {
    let (first, second) = (survey.dense_row(a), survey.dense_row(b));
    first.iter().zip(&second).all(|(&a, &b)| dissimilarity(survey.scale, a, b) <= epsilon)
}

fn neighbourhood(survey: &Survey, user: u32, epsilon: f64) -> Vec<u32> {
    (0..survey.users() as u32).filter(|&other| proximate(survey, user, other, epsilon)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Slicing, projection and pairwise distances find the same, and so does the definition.
    #[test]
    fn slicing_is_pairwise_is_projection(survey in surveys(1..60, 3), epsilon in 0u8..6) {
        let epsilon = f64::from(epsilon);
        let reach = survey.scale.reach(epsilon).unwrap();
        for group in hamming_groups(&survey, reach) {
            let points = Points::of(&survey, &group);
            let slicing = Slicing::new(&points, reach.ticks);
            let pairwise = Pairwise::new(&points, reach.ticks).unwrap();
            let projection = Projection::new(&points, reach.ticks);
            for point in 0..points.len() as u32 {
                let near = slicing.list(point);
                prop_assert_eq!(&near, &pairwise.list(point));
                prop_assert_eq!(&near, &projection.list(point));
                let mut users: Vec<u32> = near.iter().flat_map(|&point| points.members(point)).copied().collect();
                users.sort_unstable();
                prop_assert_eq!(users, neighbourhood(&survey, points.members(point)[0], epsilon));
            }
        }
    }

    /// Thm 6.1, and the graph against the definition.
    #[test]
    fn degrees_decide_neighbourhoods(survey in surveys(1..25, 2), epsilon in 0u8..6, k in 1u64..5) {
        let epsilon = f64::from(epsilon);
        let graph = ProximityGraph::of(&survey, survey.scale.reach(epsilon).unwrap());
        for a in 0..survey.users() as u32 {
            for b in 0..survey.users() as u32 {
                prop_assert_eq!(a != b && proximate(&survey, a, b, epsilon), graph.joins(a, b));
            }
        }
        let model = Model::new(k, epsilon).with(Semantics::Neighbourhood);
        let verdict = judge(&survey, &model, &Silent).unwrap();
        let small = (0..survey.users() as u32).filter(|&user| (graph.neighbours(user).len() as u64) + 1 < k);
        prop_assert_eq!(verdict.failing, small.count() as u64);
        prop_assert_eq!(verdict.outcome == Outcome::Holds, graph.least_degree().unwrap() as u64 + 1 >= k);
        let largest = largest_k(&survey, epsilon, Semantics::Neighbourhood, &Silent).unwrap();
        prop_assert_eq!(largest.k, graph.least_degree().unwrap() as u64 + 1);
    }

    /// (k, epsilon, l) by neighbourhoods, with both readings of nulls, against the definition.
    #[test]
    fn spreads_decide_diversity(survey in surveys(1..20, 2), epsilon in 0u8..5, l in 0u8..5, zero: bool) {
        let (epsilon, l) = (f64::from(epsilon), f64::from(l) / 2.0);
        let nulls = if zero { SdNulls::AsZero } else { SdNulls::Skip };
        let model = Model { nulls, ..Model::new(2, epsilon).with(Semantics::Neighbourhood).with_l(l) };
        let fails = (0..survey.users() as u32).filter(|&user| {
            let group = neighbourhood(&survey, user, epsilon);
            let sd = spread(survey.scale, group.iter().map(|&user| survey.sensitive.cell(user, 0)), nulls);
            group.len() < 2 || (l > 0.0 && sd.is_some_and(|sd| sd + 1e-9 < l))
        });
        prop_assert_eq!(judge(&survey, &model, &Silent).unwrap().failing, fails.count() as u64);
    }

    /// Groups are disjoint cliques that cover everybody, whatever k.
    #[test]
    fn partitions_are_cliques(survey in surveys(1..60, 2), epsilon in 0u8..6, k in 1u64..6) {
        let reach = survey.scale.reach(f64::from(epsilon)).unwrap();
        let found = partition(&survey, reach, k, &Silent).unwrap();
        let mut all = found.groups.concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..survey.users() as u32).collect::<Vec<_>>());
        for group in &found.groups {
            prop_assert!(is_clique(&survey, group, reach));
            let pairs = group.iter().flat_map(|&a| group.iter().map(move |&b| (a, b)));
            for (a, b) in pairs {
                prop_assert!(proximate(&survey, a, b, f64::from(epsilon)));
            }
        }
    }

    /// Partitions against the exhaustive search; Cor 6.1 and Prop 6.1.
    #[test]
    fn partition_verdicts_are_exact_on_small_surveys(survey in surveys(1..12, 2), epsilon in 0u8..4, k in 1u64..4) {
        let epsilon = f64::from(epsilon);
        let graph = ProximityGraph::of(&survey, survey.scale.reach(epsilon).unwrap());
        let decomposes = |k: usize| graph.components().iter().all(|component| {
            ExactDecomposition::of(&graph, component, k, &|_| true).unwrap().is_some()
        });
        let verdict = judge(&survey, &Model::new(k, epsilon), &Silent).unwrap();
        prop_assert_eq!(verdict.outcome == Outcome::Holds, decomposes(k as usize));
        prop_assert!(verdict.outcome != Outcome::Undecided);
        if verdict.outcome == Outcome::Holds {
            prop_assert!((1..k).all(|smaller| decomposes(smaller as usize)), "Prop 6.1");
            let weaker = Model::new(k, epsilon).with(Semantics::Neighbourhood);
            prop_assert_eq!(judge(&survey, &weaker, &Silent).unwrap().outcome, Outcome::Holds, "Cor 6.1");
        }
    }

    /// The smallest epsilon holds and the next smaller one does not; bisection agrees under neighbourhoods.
    #[test]
    fn the_smallest_epsilon_is_smallest(survey in surveys(1..20, 2), k in 1u64..5) {
        let find = |search| smallest_epsilon(&survey, k, Semantics::Neighbourhood, search, &Silent).unwrap();
        let answer = find(Search::Scan);
        prop_assert_eq!(&answer, &find(Search::Bisection));
        prop_assert_eq!(answer.is_none(), (survey.users() as u64) < k);
        if let Some(answer) = answer {
            let holds = |epsilon: f64| (0..survey.users() as u32).all(|user| {
                neighbourhood(&survey, user, epsilon).len() as u64 >= k
            });
            prop_assert!(holds(answer.epsilon));
            prop_assert!(answer.epsilon == 0.0 || !holds(answer.epsilon - 1.0));
        }
    }

    /// The smallest epsilon for l under neighbourhoods is the first at which every neighbourhood spreads by l.
    #[test]
    fn the_smallest_epsilon_for_l_is_smallest(survey in surveys(1..15, 2), l in 1u8..5) {
        let l = f64::from(l) / 2.0;
        let found =
            smallest_epsilon_for_l(&survey, l, Semantics::Neighbourhood, Search::Scan, &Silent).unwrap();
        let holds = |epsilon: f64| (0..survey.users() as u32).all(|user| {
            let near = neighbourhood(&survey, user, epsilon);
            let ticks = near.iter().map(|&other| survey.sensitive.cell(other, 0));
            spread(survey.scale, ticks, SdNulls::Skip).is_none_or(|spread| spread + 1e-9 >= l)
        });
        let first = survey.scale.epsilons().into_iter().find(|&epsilon| holds(epsilon));
        prop_assert_eq!(found.map(|own| own.epsilon), first);
    }

    /// What is published keeps every promise, for every way to complete and to reconcile, on both sides of the exact search.
    #[test]
    fn publications_keep_their_promise(
        survey in surveys(4..30, 3), epsilon in 0u8..4, k in 1u64..5, l in 0u8..4,
        neighbourhood: bool, centroid: bool, reconcile in 0usize..3,
    ) {
        let semantics = if neighbourhood { Semantics::Neighbourhood } else { Semantics::Partition };
        let model = Model::new(k, f64::from(epsilon)).with(semantics).with_l(f64::from(l) / 2.0);
        let mut plan = Plan::new(model);
        plan.completion = if centroid { Completion::Centroid } else { Completion::Window };
        plan.reconcile = [Reconcile::Cheapest, Reconcile::Blank, Reconcile::Fill][reconcile];
        let published = publish(&survey, &plan, &Silent).unwrap();
        prop_assert!(published.keeps(&model, &Silent).unwrap());
        // Deciding from the survey alone is exact to twenty users; with more it may stay undecided, and is never wrong.
        let holds = |survey: &Survey, model: &Model| match judge(survey, model, &Silent).unwrap().outcome {
            Outcome::Undecided => survey.users() > 20,
            outcome => outcome == Outcome::Holds,
        };
        for semantics in [Semantics::Partition, Semantics::Neighbourhood] {
            if l == 0 || semantics == model.semantics {
                prop_assert!(holds(&published.survey, &model.with(semantics)));
            }
        }
        // The distortion is the sum of all dissimilarities.
        let mut total = 0.0;
        for user in 0..survey.users() as u32 {
            let cells = survey.dense_row(user).into_iter().zip(published.survey.dense_row(user));
            let secret = survey.sensitive.row(user).iter().zip(published.survey.sensitive.row(user));
            total += cells.map(|(a, b)| dissimilarity(survey.scale, a, b)).sum::<f64>();
            total += secret.map(|(&a, &b)| dissimilarity(survey.scale, a, b)).sum::<f64>();
        }
        prop_assert!((total - published.distortion.total).abs() < 1e-6);
        prop_assert!(published.distortion.total > 0.0 || holds(&survey, &model));
    }

    /// Up to thirteen users the distortion is the least of all partitions into groups of at least k.
    #[test]
    fn small_publications_are_exact(survey in surveys(4..8, 2), epsilon in 0u8..3, k in 2u64..4) {
        let plan = Plan::new(Model::new(k, f64::from(epsilon)));
        let published = publish(&survey, &plan, &Silent).unwrap();
        let users: Vec<u32> = (0..survey.users() as u32).collect();
        let mut best = f64::INFINITY;
        all_partitions(&users, k as usize, &mut Vec::new(), &mut |groups| {
            let cost = groups.iter().map(|group| cheapest(&survey, group, epsilon)).sum::<f64>();
            best = best.min(cost);
        });
        prop_assert!((best - published.distortion.total).abs() < 1e-6, "{best} {}", published.distortion.total);
    }
}

/// All partitions into groups of at least k.
fn all_partitions(users: &[u32], k: usize, chosen: &mut Vec<Vec<u32>>, each: &mut impl FnMut(&[Vec<u32>])) {
    let Some((&first, others)) = users.split_first() else { return each(chosen) };
    for set in 0..1u32 << others.len() {
        let (group, rest): (Vec<(usize, &u32)>, Vec<(usize, &u32)>) =
            others.iter().enumerate().partition(|(at, _)| set >> at & 1 == 1);
        if group.len() + 1 >= k {
            chosen.push([first].into_iter().chain(group.into_iter().map(|(_, &user)| user)).collect());
            let rest: Vec<u32> = rest.into_iter().map(|(_, &user)| user).collect();
            all_partitions(&rest, k, chosen, each);
            chosen.pop();
        }
    }
}

/// The least distortion that makes a group a clique: per issue all windows, or no rating at all.
fn cheapest(survey: &Survey, group: &[u32], epsilon: u8) -> f64 {
    let rows: Vec<Vec<u8>> = group.iter().map(|&user| survey.dense_row(user)).collect();
    let of_issue = |issue: usize| {
        let column: Vec<u8> = rows.iter().map(|row| row[issue]).collect();
        let cost = |target: &dyn Fn(u8) -> u8| -> f64 {
            column.iter().map(|&tick| dissimilarity(survey.scale, tick, target(tick))).sum()
        };
        let windows = (0..5u8).map(|low| {
            let high = (low + epsilon).min(4);
            cost(&|tick| if tick == NULL { low } else { tick.clamp(low, high) })
        });
        windows.chain([cost(&|_| NULL)]).fold(f64::INFINITY, f64::min)
    };
    (0..rows[0].len()).map(of_issue).sum()
}
