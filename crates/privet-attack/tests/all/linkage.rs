//! Probabilistic record linkage on simulated tables with known errors.

use privet_attack::linkage::{
    Assignment, Compared, Decision, LinkageError, MISSING, Options, Pairs, Rates, assign, compare, decide,
    estimate, untied,
};
use privet_data::Coverage;
use privet_recode::lattice::Random;
use proptest::prelude::*;

const VALUES: [usize; 5] = [40, 12, 30, 2, 25];

/// Records and people; the first `shared` of both are the same, with this rate of values replaced at random.
struct Simulated {
    left: Vec<Vec<u32>>,
    right: Vec<Vec<u32>>,
    truth: Vec<Option<u32>>,
}

fn simulate(rows: usize, shared: usize, errors: f64, seed: u64) -> Simulated {
    let mut random = Random::new(seed);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for values in VALUES {
        let records: Vec<u32> = (0..rows).map(|_| random.below(values) as u32).collect();
        let people = (0..rows)
            .map(|row| {
                if row < shared && !random.chance(errors) {
                    records[row]
                } else {
                    random.below(values) as u32
                }
            })
            .collect();
        left.push(records);
        right.push(people);
    }
    let truth = (0..rows as u32).map(|row| ((row as usize) < shared).then_some(row)).collect();
    Simulated { left, right, truth }
}

impl Simulated {
    fn columns(&self) -> Vec<Compared<'_>> {
        self.left.iter().zip(&self.right).map(|(left, right)| Compared::Codes { left, right }).collect()
    }
}

/// Estimates without a known match against the planted ones. 400 true pairs: the standard error of an m is below
/// 0.02, that of a u below 0.002; the tolerances are four times that.
#[test]
fn planted_errors_are_found() {
    let errors = 0.1;
    let simulated = simulate(400, 400, errors, 5);
    let pairs = compare(&simulated.columns(), &[]).unwrap();
    assert_eq!(pairs.pairs.len(), 160_000);
    let found = estimate(&pairs, &Options::default());
    assert!((found.share - 1.0 / 400.0).abs() < 3e-4, "{}", found.share);
    for (column, values) in VALUES.into_iter().enumerate() {
        let by_chance = 1.0 / values as f64;
        let m = 1.0 - errors * (1.0 - by_chance);
        assert!((found.m[column][1] - m).abs() < 0.08, "{column}: {} {m}", found.m[column][1]);
        assert!((found.u[column][1] - by_chance).abs() < 0.008, "{column}: {}", found.u[column][1]);
    }
    let links = assign(&pairs, &found, Assignment::Greedy).unwrap();
    let rates = Rates { false_matches: 1e-5, false_rejections: 0.01 };
    let linkage = decide(&pairs, &found, &links, rates).unwrap();
    let truth = linkage.against(&simulated.truth);
    assert!(truth.false_matches.of > 250 && truth.false_matches.rate < 0.05, "{truth:?}");
    let actual = truth.false_matches.hits as f64;
    assert!((linkage.estimated_false - actual).abs() < 15.0, "{} {actual}", linkage.estimated_false);
}

/// survey AT-24, ties: fifty classes of ten records that look alike, everybody in the data. Nobody is linked, whoever draws
/// lots is right once in ten, and greedy links, which the order of the table decides, are expected to be false nine times
/// of ten however right they are.
#[test]
fn records_that_look_alike_are_no_links() {
    let class: Vec<u32> = (0..500).map(|row| row / 10).collect();
    let pairs = compare(&[Compared::Codes { left: &class, right: &class }], &[]).unwrap();
    let found = estimate(&pairs, &Options::default());
    let links = untied(&pairs, &found);
    assert!(links.links.is_empty());
    assert!(links.of_person.iter().chain(&links.of_record).all(|&ties| ties == 10));
    let by_lot: f64 = (0..500).map(|own| links.by_lot(&pairs, own, own)).sum();
    assert!((by_lot - 50.0).abs() < 1e-9);
    let greedy = assign(&pairs, &found, Assignment::Greedy).unwrap();
    assert!(greedy.len() == 500 && greedy.iter().all(|link| link.record == link.person), "by their order");
    let rates = Rates { false_matches: 1.0, false_rejections: 0.0 };
    let expected = decide(&pairs, &found, &greedy, rates).unwrap().estimated_false;
    assert!((449.9..465.0).contains(&expected), "{expected}");
}

/// What the model expects to be false against what is, over untied links, with half of the people in the table and errors in
/// every fifth value. Of some 250 links about a tenth is false, with a deviation of 5; the tolerance is four times that.
#[test]
fn as_many_links_are_false_as_is_expected() {
    let simulated = simulate(400, 200, 0.2, 21);
    let pairs = compare(&simulated.columns(), &[]).unwrap();
    let found = estimate(&pairs, &Options::default());
    let links = untied(&pairs, &found);
    let rates = Rates { false_matches: 0.001, false_rejections: 0.01 };
    let linkage = decide(&pairs, &found, &links.links, rates).unwrap();
    let truth = linkage.against(&simulated.truth);
    let actual = truth.false_matches.hits as f64;
    assert!(truth.false_matches.of > 100 && actual >= 5.0, "{truth:?}");
    assert!((linkage.estimated_false - actual).abs() < 20.0, "{} {actual}", linkage.estimated_false);
}

/// Blien's finding (survey AT-24): when few people of the list are in the table, most links are false.
#[test]
fn little_overlap_means_false_links() {
    let rates = Rates { false_matches: 1.0, false_rejections: 0.0 };
    let mut shares = Vec::new();
    for shared in [15, 300] {
        let simulated = simulate(300, shared, 0.1, 9);
        let pairs = compare(&simulated.columns(), &[]).unwrap();
        let found = estimate(&pairs, &Options::default());
        let links = assign(&pairs, &found, Assignment::Greedy).unwrap();
        let linkage = decide(&pairs, &found, &links, rates).unwrap();
        let truth = linkage.against(&simulated.truth);
        // The model knows it: it does not take these links for true either.
        let called = truth.false_matches.of as f64;
        assert!((linkage.estimated_false / called - truth.false_matches.rate).abs() < 0.25, "{truth:?}");
        shares.push(truth.false_matches.rate);
    }
    assert!(shares[0] > 0.7 && shares[1] < 0.3, "{shares:?}");
}

#[test]
fn levels_blocks_and_missing_values() {
    let coverage = Coverage::new([vec![0, 1], vec![2], vec![0, 1, 2]], 3);
    let zip = ([7, 7, 8, MISSING], [7, 8, MISSING]);
    let columns = [
        Compared::Codes { left: &zip.0, right: &zip.1 },
        Compared::Labels { left: &[0, 1, 2, 9], right: &[1, 2, MISSING], coverage: &coverage },
        Compared::Numbers {
            left: &[1.0, f64::NAN, 5.0, f64::INFINITY],
            right: &[1.5, f64::INFINITY, 0.0],
            within: vec![1.0, 0.1],
        },
    ];
    let pairs = compare(&columns, &[]).unwrap();
    let of = |record: u32, person: u32| {
        let pair = pairs.pairs.iter().find(|pair| (pair.0, pair.1) == (record, person)).unwrap();
        pairs.patterns[pair.2 as usize].clone()
    };
    assert_eq!((pairs.pairs.len(), &pairs.levels[..]), (12, &[2, 3, 3][..]));
    assert_eq!(of(0, 0), [Some(1), Some(1), Some(1)]);
    assert_eq!(of(1, 1), [Some(0), Some(2), None]);
    assert_eq!(of(2, 2), [None, None, Some(0)]);
    assert_eq!(of(3, 1), [None, Some(0), Some(2)]);
    // Blocked: 7 with 7 and 8 with 8; nothing with what is missing. A second pass brings nothing twice.
    let blocked = compare(&columns, &[vec![0], vec![0]]).unwrap();
    let blocked: Vec<(u32, u32)> = blocked.pairs.iter().map(|pair| (pair.0, pair.1)).collect();
    assert_eq!(blocked, [(0, 0), (1, 0), (2, 1)]);
    assert_eq!(compare(&columns, &[vec![1]]), Err(LinkageError::Block { column: 1 }));
    assert_eq!(compare(&[], &[]), Err(LinkageError::NoColumn));
    let short = [columns[0].clone(), Compared::Codes { left: &[0], right: &[0, 0, 0] }];
    assert_eq!(compare(&short, &[]), Err(LinkageError::Rows { column: 1, found: 1, expected: 4 }));
    let big = vec![0; 10_000];
    let many = [Compared::Codes { left: &big, right: &big }];
    assert!(matches!(compare(&many, &[]), Err(LinkageError::TooManyPairs { .. })));
}

#[test]
fn nobody_and_constants() {
    let none = compare(&[Compared::Codes { left: &[], right: &[] }], &[]).unwrap();
    let found = estimate(&none, &Options::default());
    assert_eq!((found.share, assign(&none, &found, Assignment::Optimal).unwrap().len()), (0.0, 0));
    let same = compare(&[Compared::Codes { left: &[1, 1], right: &[1, 1] }], &[]).unwrap();
    let found = estimate(&same, &Options::default());
    assert!(found.weights[0].abs() < 1e-6, "agreement that everybody shows tells nothing: {found:?}");
    let lost = compare(&[Compared::Codes { left: &[MISSING], right: &[MISSING] }], &[]).unwrap();
    assert_eq!(estimate(&lost, &Options::default()).weights, [0.0]);
    let rates = Rates { false_matches: f64::NAN, false_rejections: 0.1 };
    assert_eq!(decide(&same, &found, &[], rates), Err(LinkageError::Rate));
}

fn best_sum(weights: &[Vec<f64>], row: usize, used: &mut [bool]) -> f64 {
    if row == weights.len() {
        return 0.0;
    }
    let mut best = best_sum(weights, row + 1, used);
    for column in 0..used.len() {
        if !used[column] {
            used[column] = true;
            best = best.max(weights[row][column].max(0.0) + best_sum(weights, row + 1, used));
            used[column] = false;
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_likelihood_never_falls(
        rows in prop::collection::vec((0u32..3, 0u32..2, 0u32..4), 2..12),
        people in prop::collection::vec((0u32..3, 0u32..2, 0u32..4), 2..12),
    ) {
        type Row = (u32, u32, u32);
        let column = |of: &[Row], get: fn(&Row) -> u32| of.iter().map(get).map(|v| if v == 3 { MISSING } else { v }).collect::<Vec<u32>>();
        let gets: [fn(&Row) -> u32; 3] = [|row| row.0, |row| row.1, |row| row.2];
        let sides: Vec<(Vec<u32>, Vec<u32>)> = gets.iter().map(|&get| (column(&rows, get), column(&people, get))).collect();
        let columns: Vec<Compared<'_>> = sides.iter().map(|(left, right)| Compared::Codes { left, right }).collect();
        let pairs = compare(&columns, &[]).unwrap();
        let found = estimate(&pairs, &Options { rounds: 200, close: -1.0, share: None });
        prop_assert_eq!(found.log_likelihood.len(), 201);
        for pair in found.log_likelihood.windows(2) {
            prop_assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs().max(1.0), "{:?}", pair);
        }
        prop_assert!(found.weights.iter().all(|weight| weight.is_finite()));
        prop_assert!(found.posterior.iter().all(|p| (0.0..=1.0).contains(p)));
    }

    #[test]
    fn assignments_against_all_of_them(
        (records, people, levels) in (1usize..6, 1usize..6).prop_flat_map(|(records, people)| {
            (Just(records), Just(people), prop::collection::vec(0u32..4, records * people))
        }),
    ) {
        // Patterns with weights -1, 0.5, 1 and 2.5, put to pairs at will.
        let of_level = [-1.0, 0.5, 1.0, 2.5];
        let pairs = Pairs {
            rows: (records, people),
            levels: vec![4],
            pairs: (0..records * people).map(|i| ((i / people) as u32, (i % people) as u32, levels[i])).collect(),
            patterns: (0..4).map(|level| vec![Some(level)]).collect(),
            counts: vec![1; 4],
        };
        let mut found = estimate(&pairs, &Options::default());
        found.weights = of_level.to_vec();
        let weights: Vec<Vec<f64>> = (0..records)
            .map(|r| (0..people).map(|p| of_level[levels[r * people + p] as usize]).collect())
            .collect();
        let best = best_sum(&weights, 0, &mut vec![false; people]);
        for how in [Assignment::Greedy, Assignment::Optimal] {
            let links = assign(&pairs, &found, how).unwrap();
            let sum: f64 = links.iter().map(|link| link.weight).sum();
            let mut partners: Vec<u32> = links.iter().map(|link| link.person).collect();
            partners.sort_unstable();
            prop_assert!(partners.windows(2).all(|pair| pair[0] != pair[1]));
            prop_assert!(links.windows(2).all(|pair| pair[0].record < pair[1].record));
            for link in &links {
                prop_assert_eq!(link.weight, weights[link.record as usize][link.person as usize]);
            }
            match how {
                Assignment::Greedy => prop_assert!(sum >= best / 2.0 - 1e-9 && sum <= best + 1e-9),
                Assignment::Optimal => prop_assert!((sum - best).abs() < 1e-9, "{} {}", sum, best),
            }
        }
    }

    /// The order of records and people says nothing, and nobody is linked whom exchanging two that look alike shows safe.
    #[test]
    fn no_order_and_no_double_makes_a_link(
        rows in prop::collection::vec((0u32..3, 0u32..2, 0u32..4), 1..14),
        people in prop::collection::vec((0u32..3, 0u32..2, 0u32..4), 1..14),
        seed in any::<u64>(),
    ) {
        type Row = (u32, u32, u32);
        let linked = |rows: &[Row], people: &[Row]| {
            let column = |of: &[Row], get: fn(&Row) -> u32| of.iter().map(get).map(|v| if v == 3 { MISSING } else { v }).collect::<Vec<u32>>();
            let gets: [fn(&Row) -> u32; 3] = [|row| row.0, |row| row.1, |row| row.2];
            let sides: Vec<(Vec<u32>, Vec<u32>)> = gets.iter().map(|&get| (column(rows, get), column(people, get))).collect();
            let columns: Vec<Compared<'_>> = sides.iter().map(|(left, right)| Compared::Codes { left, right }).collect();
            let pairs = compare(&columns, &[]).unwrap();
            let found = estimate(&pairs, &Options { rounds: 50, ..Options::default() });
            let links = untied(&pairs, &found);
            let lots: Vec<f64> = (0..rows.len() * people.len())
                .map(|i| links.by_lot(&pairs, (i / people.len()) as u32, (i % people.len()) as u32))
                .collect();
            (links, lots)
        };
        let (links, lots) = linked(&rows, &people);
        for link in &links.links {
            let same = |of: &[Row], at: u32| of.iter().filter(|own| **own == of[at as usize]).count();
            prop_assert_eq!((same(&rows, link.record), same(&people, link.person)), (1, 1));
            prop_assert!((0.0..=1.0).contains(&link.probability));
        }
        let mut random = Random::new(seed);
        let (mut order, mut places): (Vec<u32>, Vec<u32>) =
            ((0..rows.len() as u32).collect(), (0..people.len() as u32).collect());
        random.shuffle(&mut order);
        random.shuffle(&mut places);
        let (shuffled, their_lots) = linked(
            &order.iter().map(|&at| rows[at as usize]).collect::<Vec<_>>(),
            &places.iter().map(|&at| people[at as usize]).collect::<Vec<_>>(),
        );
        let mut back: Vec<(u32, u32)> = shuffled
            .links
            .iter()
            .map(|link| (order[link.record as usize], places[link.person as usize]))
            .collect();
        back.sort_unstable();
        let own: Vec<(u32, u32)> = links.links.iter().map(|link| (link.record, link.person)).collect();
        prop_assert_eq!(back, own);
        for (record, &at) in order.iter().enumerate() {
            for (person, &place) in places.iter().enumerate() {
                prop_assert_eq!(their_lots[record * places.len() + person], lots[at as usize * places.len() + place as usize]);
            }
        }
    }

    #[test]
    fn thresholds_keep_the_rates(
        rows in prop::collection::vec((0u32..3, 0u32..3), 3..15),
        people in prop::collection::vec((0u32..3, 0u32..3), 3..15),
        rates in (0.0f64..1.0, 0.0f64..1.0),
    ) {
        let split = |of: &[(u32, u32)]| of.iter().copied().unzip::<u32, u32, Vec<u32>, Vec<u32>>();
        let (left, right) = (split(&rows), split(&people));
        let columns = [Compared::Codes { left: &left.0, right: &right.0 }, Compared::Codes { left: &left.1, right: &right.1 }];
        let pairs = compare(&columns, &[]).unwrap();
        let found = estimate(&pairs, &Options::default());
        let wanted = Rates { false_matches: rates.0, false_rejections: rates.1 };
        let thresholds = decide(&pairs, &found, &[], wanted).unwrap().thresholds;
        prop_assert!(thresholds.lower <= thresholds.upper);
        let sum = |of: &dyn Fn(usize) -> f64, decision: Option<Decision>| -> f64 {
            (0..pairs.counts.len())
                .filter(|&i| decision.is_none_or(|decision| thresholds.decide(found.weights[i]) == decision))
                .map(|i| of(i) * pairs.counts[i] as f64)
                .sum()
        };
        let (is_match, is_none) = (|i: usize| found.posterior[i], |i: usize| 1.0 - found.posterior[i]);
        prop_assert!(sum(&is_none, Some(Decision::Match)) <= rates.0 * sum(&is_none, None) + 1e-9);
        prop_assert!(sum(&is_match, Some(Decision::NoMatch)) <= rates.1 * sum(&is_match, None) + 1e-9);
    }
}
