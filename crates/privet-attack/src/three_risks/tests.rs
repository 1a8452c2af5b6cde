//! The three risks on made-up tables: copies, tables that have nothing to do with the original, generalized ones; and the
//! nearest records against going through all of them.

use crate::attacks::ids;
use privet_data::Random;
use proptest::prelude::*;

use super::closest::closest;
use super::inference::inference;
use super::linkability::{Sources, linkability};
use super::singling_out::{multivariate, univariate};
use super::*;

const PEOPLE: usize = 1500;
const EFFORT: Effort = Effort { attacks: 600, seed: 7 };

/// Age, income, town and a disease that goes with age.
fn population(count: usize, seed: u64) -> Vec<[f64; 4]> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| {
            let age = (18.0 + 70.0 * random.unit()).floor();
            let income = (20_000.0 + 80_000.0 * random.unit() * random.unit()).floor();
            let town = random.below(12) as f64;
            let ill = if random.chance(0.7) { (age / 25.0).floor() } else { random.below(4) as f64 };
            [age, income, town, ill]
        })
        .collect()
}

/// Columns of such tables: two of numbers, two of text.
fn beside<'a>(published: &[[f64; 4]], original: &[[f64; 4]], control: Option<&[[f64; 4]]>) -> Beside<'a> {
    let columns = (0..4).map(|at| {
        let mut numbers: Vec<u64> = [published, original, control.unwrap_or(&[])]
            .concat()
            .iter()
            .map(|own| own[at].to_bits())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let code = |own: &[f64; 4]| numbers.binary_search(&own[at].to_bits()).unwrap() as u32;
        let codes = |all: &[[f64; 4]]| all.iter().map(code).collect::<Vec<u32>>();
        let number = |own: &u64| f64::from_bits(*own);
        let is_text = at >= 2;
        Column {
            name: ["age", "income", "town", "ill"][at].to_owned(),
            labels: (0u32..)
                .zip(&numbers)
                .map(|(code, own)| {
                    if is_text { Label::Values(vec![code]) } else { Label::Between(number(own), number(own)) }
                })
                .collect(),
            published: codes(published),
            values: numbers
                .iter()
                .map(|own| if is_text { Value::Text } else { Value::Number(number(own)) })
                .collect(),
            original: codes(original),
            control: control.map(codes),
        }
    });
    Beside {
        columns: columns.collect(),
        records: published.len(),
        people: original.len(),
        strangers: control.map(<[_]>::len),
        own: None,
    }
}

fn halves() -> Sources {
    Sources { first: vec![0, 2], second: vec![1, 3], neighbours: 1 }
}

/// A release that is nearly a copy falls to all of them, and people outside of it do not.
#[test]
fn a_near_copy_is_exposed() {
    let (original, control) = (population(PEOPLE, 1), population(PEOPLE, 2));
    let mut random = Random::new(3);
    let mut copy = original.clone();
    copy.iter_mut().for_each(|own| own[1] += (50.0 * (random.unit() - 0.5)).floor());
    let beside = beside(&copy, &original, Some(&control));
    let many = multivariate(&beside, 3, EFFORT).unwrap();
    let linked = linkability(&beside, &halves(), EFFORT).unwrap();
    let inferred = inference(&beside, &[0, 1, 2], 3, EFFORT).unwrap();
    let near = closest(&beside, EFFORT).unwrap();
    for (what, tried, least) in
        [("singling out", many, 0.15), (ids::LINKABILITY, linked, 0.02), (ids::INFERENCE, inferred, 0.6)]
    {
        let added = tried.added().unwrap();
        assert!(added.low > least, "{what}: {tried:?} {added:?}");
        assert!(tried.attack.rate > tried.baseline.rate, "{what}: {tried:?}");
    }
    assert!(near.advantage() > 0.8 && near.auc > 0.9, "{near:?}");
}

/// A table that was drawn from the same population by itself adds nothing, whatever the rates are. The interval of each covers 0;
/// three seeds of five attacks, each missed with probability 2.5 %, so that more than two misses happen in 0.6 %.
#[test]
fn an_independent_table_adds_nothing() {
    let mut misses = 0;
    for seed in 0..3 {
        let of = |stream: u64, count: usize| population(count, 100 * seed + stream);
        let (original, published, control) = (of(1, PEOPLE), of(2, PEOPLE), of(3, 1000));
        let beside = beside(&published, &original, Some(&control));
        let effort = Effort { seed, ..EFFORT };
        let all = [
            multivariate(&beside, 3, effort),
            univariate(&beside, effort),
            linkability(&beside, &halves(), effort),
            inference(&beside, &[0, 1, 2], 3, effort),
        ];
        for tried in all {
            let tried = tried.unwrap();
            let added = tried.added().unwrap();
            assert!(added.risk < 0.12, "{tried:?}");
            misses += usize::from(added.low > 0.0);
        }
        let near = closest(&beside, effort).unwrap();
        assert!(near.advantage() < 0.12 && (near.auc - 0.5).abs() < 0.06, "{near:?}");
    }
    assert!(misses <= 2, "{misses}");
}

/// Ages in tens and towns in fours: labels hold their values, so people are found in their class; nobody is singled out by
/// classes of many, and an `*` is nearer to nobody.
#[test]
fn labels_hold_the_values_that_they_cover() {
    let original = population(PEOPLE, 5);
    let mut beside = beside(&original, &original, None);
    let ages = &mut beside.columns[0];
    let tens: Vec<Label> =
        (0..10).map(|ten| Label::Between(10.0 * f64::from(ten), 10.0 * f64::from(ten) + 9.0)).collect();
    ages.published = original.iter().map(|own| (own[0] / 10.0) as u32).collect();
    ages.labels = tens;
    let towns = &mut beside.columns[2];
    towns.published = original.iter().map(|own| (own[2] / 4.0) as u32).collect();
    towns.labels = (0..3).map(|four| Label::Values((4 * four..4 * four + 4).collect())).collect();
    let income = &mut beside.columns[1];
    income.published = vec![0; PEOPLE];
    income.labels = vec![Label::Anything];
    let ill = beside.columns.pop().unwrap();
    assert!(multivariate(&beside, 3, EFFORT).is_none_or(|own| own.attack.hits == 0));
    beside.columns.push(ill);
    let nearest = Nearest::new(&beside, &[0, 1, 2]);
    let (mut distances, mut labels, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for person in 0..40 {
        nearest.distances(Whose::Original, person, &mut distances, &mut labels);
        Nearest::nearest(&distances, &[], &mut found);
        let class =
            |record: usize| (beside.columns[0].published[record], beside.columns[2].published[record]);
        assert!(
            found.contains(&person) && found.iter().all(|own| class(*own as usize) == class(person as usize))
        );
    }
    let known = [0, 2];
    let tried = inference(&beside, &known, 3, EFFORT).unwrap();
    assert!(tried.attack.low > tried.baseline.high, "{tried:?}");
}

/// Without their own records people of a copy are as safe as strangers.
#[test]
fn without_their_own_records() {
    let original = population(PEOPLE, 8);
    let own = |person: u32| vec![person];
    let copied = Beside { own: Some(&own), ..beside(&original, &original, None) };
    let tried = inference(&copied, &[0, 1, 2], 3, EFFORT).unwrap();
    let (compared, control) = tried.control.unwrap();
    assert_eq!(compared, Compared::WithoutOwn);
    assert!(tried.attack.rate > 0.98 && control.rate < 0.8, "{tried:?}");
    // Beside people who are not in the data these are the control.
    let control = population(300, 9);
    let copied = Beside { own: Some(&own), ..beside(&original, &original, Some(&control)) };
    assert_eq!(inference(&copied, &[0, 1, 2], 3, EFFORT).unwrap().control.unwrap().0, Compared::Strangers);
    assert_eq!(inference(&copied, &[0, 1, 2], 3, EFFORT), inference(&copied, &[0, 1, 2], 3, EFFORT));
}

/// Of one column: the largest income is one person's, and a town of its own.
#[test]
fn outliers_are_singled_out() {
    let mut original = population(PEOPLE, 11);
    original[3] = [90.0, 5e6, 2.0, 1.0];
    original[9][2] = 99.0;
    let found = univariate(&beside(&original, &original, Some(&population(PEOPLE, 12))), EFFORT).unwrap();
    assert!(found.attack.rate > 0.9 && found.added().unwrap().low > 0.3, "{found:?}");
    let one = univariate(&beside(&original[..1], &original, None), EFFORT).unwrap();
    assert!(one.attack.of >= 4, "{one:?}");
}

#[test]
fn edges() {
    let none = beside(&[], &[], None);
    assert!(multivariate(&none, 3, EFFORT).is_none() && univariate(&none, EFFORT).is_none());
    assert!(linkability(&none, &halves(), EFFORT).is_none() && inference(&none, &[0], 1, EFFORT).is_none());
    assert!(closest(&none, EFFORT).is_none());
    let few = population(3, 1);
    let few = beside(&few, &few, Some(&few));
    assert!(linkability(&few, &Sources { first: vec![], ..halves() }, EFFORT).is_none());
    let all = Sources { neighbours: 50, ..halves() };
    let linked = linkability(&few, &all, EFFORT).unwrap();
    assert_eq!((linked.attack.rate, linked.baseline.rate), (1.0, 1.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// The nearest of all records by the definition, column by column, and the k nearest too.
    #[test]
    fn the_nearest_of_all(seed in any::<u64>(), k in 1usize..6) {
        let mut random = Random::new(seed);
        let mut table = |count: usize| -> Vec<[f64; 4]> {
            (0..count).map(|_| std::array::from_fn(|_| random.below(4) as f64)).collect()
        };
        let (published, original) = (table(12), table(6));
        let beside = beside(&published, &original, None);
        let columns = [0, 1, 2, 3];
        let nearest = Nearest::new(&beside, &columns);
        let range = |at: usize| {
            let all = published.iter().chain(&original).map(|own| own[at]);
            let (from, to) = all.fold((f64::MAX, f64::MIN), |own, next| (own.0.min(next), own.1.max(next)));
            if to > from { to - from } else { 1.0 }
        };
        let by_hand = |one: &[f64; 4], other: &[f64; 4]| -> f64 {
            columns.iter().map(|&at| match at {
                0 | 1 => (one[at] - other[at]).abs() / range(at),
                _ => f64::from(u8::from(one[at] != other[at])),
            }).sum()
        };
        let (mut distances, mut labels, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for (person, own) in original.iter().enumerate() {
            let truth: Vec<f64> = published.iter().map(|other| by_hand(own, other)).collect();
            nearest.distances(Whose::Original, person as u32, &mut distances, &mut labels);
            prop_assert!(distances.iter().zip(&truth).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5));
            let without = [person as u32];
            Nearest::nearest(&distances, &without, &mut found);
            let left = || truth.iter().enumerate().filter(|own| own.0 != person);
            let least = left().map(|own| *own.1).fold(f64::MAX, f64::min);
            let wanted: Vec<u32> = left().filter(|own| own.1 - least < 1e-6).map(|own| own.0 as u32).collect();
            prop_assert_eq!(&found, &wanted);
            let some = Nearest::some_nearest(&distances, &without, k, &mut Random::new(seed));
            let mut all: Vec<f64> = left().map(|own| *own.1).collect();
            all.sort_by(f64::total_cmp);
            let mut of_some: Vec<f64> = some.iter().map(|own| truth[*own as usize]).collect();
            of_some.sort_by(f64::total_cmp);
            prop_assert_eq!(some.len(), k);
            prop_assert!(of_some.iter().zip(&all).all(|(a, b)| (a - b).abs() < 1e-5));
            prop_assert!(!some.contains(&(person as u32)));
        }
    }
}
