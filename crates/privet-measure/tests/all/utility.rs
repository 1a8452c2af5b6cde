//! Utility metrics of whole releases: the survey's worked tables (FX-1.2, FX-1.3, FX-4.1 … FX-4.4), and random releases against the
//! definitions, gone through tuple by tuple (TH-26).

use privet_data::Coverage;
use privet_measure::utility::{
    Bracket, Classes, Query, RandomQueries, Spread, SpreadColumn, UtilityError, conditional_entropy,
};
use proptest::prelude::*;

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-6, "{a} {b}");
}

/// A column before and after, with what its labels stand for.
#[derive(Debug, Clone)]
struct Owned {
    original: Vec<u32>,
    published: Vec<u32>,
    coverage: Coverage,
}

impl Owned {
    fn view(&self) -> SpreadColumn<'_> {
        SpreadColumn { original: &self.original, published: &self.published, coverage: &self.coverage }
    }
}

fn spread<'a>(columns: &'a [Owned], suppressed: Option<&[bool]>) -> Spread<'a> {
    let views: Vec<SpreadColumn<'a>> = columns.iter().map(Owned::view).collect();
    Spread::new(&views, suppressed).unwrap()
}

// Nationalities: Russian, German, French, Japanese, Chinese, Korean; ages from 20.
const NATION: [u32; 12] = [0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 5];
const AGE: [u32; 12] = [0, 1, 4, 1, 3, 5, 5, 0, 4, 5, 2, 1];
// HIV, Flu, Cancer, Hepatitis, Bronchitis.
const DISEASE: [u32; 12] = [0, 1, 1, 2, 3, 2, 0, 4, 3, 1, 3, 1];

fn nation() -> Owned {
    Owned {
        original: NATION.into(),
        published: NATION.iter().map(|&code| u32::from(code > 2)).collect(),
        coverage: Coverage::new([vec![0, 1, 2], vec![3, 4, 5]], 6),
    }
}

/// Survey FX-4.3: ages 20-22 and 23-25.
fn single() -> [Owned; 2] {
    let age = Owned {
        original: AGE.into(),
        published: AGE.iter().map(|&code| u32::from(code > 2)).collect(),
        coverage: Coverage::new([vec![0, 1, 2], vec![3, 4, 5]], 6),
    };
    [nation(), age]
}

/// Survey FX-4.4: Europeans of 23-24 and of 25 are apart.
fn multi() -> [Owned; 2] {
    let label = |(&nation, &age): (&u32, &u32)| match age {
        0..=2 => 0,
        _ if nation > 2 => 3,
        3 | 4 => 1,
        _ => 2,
    };
    let age = Owned {
        original: AGE.into(),
        published: NATION.iter().zip(&AGE).map(label).collect(),
        coverage: Coverage::new([vec![0, 1, 2], vec![3, 4], vec![5], vec![3, 4, 5]], 6),
    };
    [nation(), age]
}

/// Every row of the survey's table of metrics for FX-4.3 and FX-4.4.
#[test]
fn golden_table() {
    // Printed as DM, average size, LM, AM, CM, class entropy, KL, L1, L∞, Hellinger, imprecision.
    let expected = [
        [38.0, 3.0, 0.8, 9.0, 2.0 / 3.0, 1.625815, 1.185820, 1.370370, 0.129630, 0.665642, 2.0],
        [30.0, 2.4, 0.7, 7.5, 7.0 / 12.0, 1.292481, 1.166190, 1.370370, 0.111111, 0.663557, 0.0],
    ];
    for (columns, expected) in [single(), multi()].iter().zip(expected) {
        let spread = spread(columns, None);
        let classes = Classes::of_columns(&[&columns[0].published, &columns[1].published], None).unwrap();
        near(classes.discernibility(), expected[0]);
        near(classes.average_size(), expected[1]);
        near(spread.losses().iter().sum(), expected[2]);
        near(spread.losses()[0], 0.4);
        near(spread.ambiguity(), expected[3]);
        near(classes.classification_penalty(&DISEASE).unwrap(), expected[4]);
        near(classes.class_entropy(&DISEASE).unwrap(), expected[5]);
        let rebuilt = spread.reconstruct();
        near(rebuilt.kullback_leibler(), expected[6]);
        near(rebuilt.log_likelihood_ratio(), 12.0 * rebuilt.kullback_leibler());
        near(rebuilt.l1(), expected[7]);
        near(rebuilt.total_variation(), expected[7] / 2.0);
        near(rebuilt.norm(1.0).unwrap().exact().unwrap(), expected[7]);
        near(rebuilt.largest_difference().exact().unwrap(), expected[8]);
        near(rebuilt.hellinger(), expected[9]);
        // In a partition Σp1·p2 = Σp2², so the square of the L2 norm is Σp1² − Σp2², by hand 14/144 − Σ c²/V/144.
        let squares = if expected[0] == 38.0 { 38.0 / 9.0 } else { 40.0 / 9.0 };
        near(rebuilt.norm(2.0).unwrap().exact().unwrap().powi(2), (14.0 - squares) / 144.0);
        // Europeans of 23 or 24.
        let query = Query::new(vec![Some(vec![0, 1, 2]), Some(vec![3, 4])]);
        let answer = spread.answer(&query).unwrap();
        assert_eq!(answer.truth, 2);
        assert_eq!(answer.imprecision(), expected[10] as i64);
        let errors = spread.query_errors(&[query.clone(), query]).unwrap();
        assert_eq!((errors.imprecision, errors.empty), (2 * expected[10] as i64, 0));
    }
}

/// Survey FX-4.1: three of eight records have `*` for zip and gender: 6 suppressed cells.
#[test]
fn suppressed_cells() {
    let (zip, gender) = ([0, 1, 1, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1, 1]);
    let hidden = [true, true, false, true, false, false, false, false];
    let column = |codes: [u32; 8]| Owned {
        original: codes.into(),
        published: codes.iter().zip(hidden).map(|(&code, is)| if is { 2 } else { code }).collect(),
        coverage: Coverage::new([vec![0], vec![1], vec![0, 1]], 2),
    };
    let columns = [column(zip), column(gender)];
    let cells = spread(&columns, None);
    assert_eq!((cells.root_replacements(), cells.suppressed_cells()), (vec![3, 3], 6));
    // The same when the records are left out altogether; then no published cell is replaced.
    let records = spread(&columns, Some(&hidden));
    assert_eq!((records.root_replacements(), records.suppressed_cells()), (vec![0, 0], 6));
    assert_eq!((records.suppressed(), records.regions()), (3, 1));
    // And both are read in the same way.
    near(records.ambiguity(), cells.ambiguity());
    near(records.losses()[0], cells.losses()[0]);
    near(records.reconstruct().kullback_leibler(), cells.reconstruct().kullback_leibler());
    near(records.reconstruct().hellinger(), cells.reconstruct().hellinger());
}

/// Survey FX-1.2 and FX-1.3: twelve cells of gender become `Any` in one release, none in the other.
#[test]
fn genders_replaced() {
    let gender = |published: [u32; 12]| Owned {
        original: vec![0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1],
        published: published.into(),
        coverage: Coverage::new([vec![0], vec![1], vec![0, 1]], 2),
    };
    let columns = [gender([2; 12]), gender([0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1])];
    assert_eq!(spread(&columns, None).root_replacements(), [12, 0]);
    // A column with one value has nothing to be replaced.
    let same = Owned { original: vec![0; 3], published: vec![0; 3], coverage: Coverage::identity(1) };
    assert_eq!(spread(&[same], None).suppressed_cells(), 0);
}

/// Survey FX-1.3: expected answers to "age in 20..30" are 4.4, the ages spread evenly over 20-59 and 20-39.
#[test]
fn expected_count() {
    let ages: [u32; 12] = [8, 9, 1, 3, 30, 35, 27, 29, 11, 17, 16, 15];
    let class: [u32; 12] = [0, 1, 0, 2, 1, 1, 1, 0, 2, 0, 2, 2];
    let age = Owned {
        original: ages.into(),
        published: class.iter().map(|&own| u32::from(own == 2)).collect(),
        coverage: Coverage::new([(0..40).collect(), (0..20).collect()], 40),
    };
    let spread = spread(std::slice::from_ref(&age), None);
    let answer = spread.answer(&Query::new(vec![Some((0..=10).collect())])).unwrap();
    assert_eq!((answer.truth, answer.possible), (4, 12));
    near(answer.estimate, 4.4);
    near(answer.relative_error().unwrap(), 0.1);
    let marginal = spread.marginal(0).unwrap();
    near(marginal.after()[..11].iter().sum::<f64>() * 12.0, 4.4);
    near(marginal.before()[8], 1.0 / 12.0);
    assert!(spread.marginal(1).is_none());
}

#[test]
fn what_does_not_fit() {
    let coverage = Coverage::new([vec![0], vec![]], 2);
    let column = |original, published| SpreadColumn { original, published, coverage: &coverage };
    assert_eq!(Spread::new(&[column(&[2], &[0])], None).unwrap_err(), UtilityError::Code { column: 0 });
    assert_eq!(Spread::new(&[column(&[0], &[1])], None).unwrap_err(), UtilityError::Label { column: 0 });
    assert_eq!(Spread::new(&[column(&[0], &[9])], None).unwrap_err(), UtilityError::Label { column: 0 });
    assert!(Spread::new(&[column(&[0, 0], &[0])], None).is_err());
    assert!(Spread::new(&[column(&[0], &[0])], Some(&[])).is_err());
    // What stands for a suppressed record does not matter.
    let hidden = Spread::new(&[column(&[1], &[9])], Some(&[true])).unwrap();
    near(hidden.reconstruct().kullback_leibler(), 2f64.ln());
    assert!(hidden.answer(&Query::new(vec![])).is_err());
    assert!(hidden.reconstruct().norm(0.9).is_err() && hidden.reconstruct().norm(f64::NAN).is_err());
    // A release that is not about the original at all.
    let wrong = Spread::new(&[column(&[1], &[0])], None).unwrap();
    let rebuilt = wrong.reconstruct();
    assert_eq!((rebuilt.kullback_leibler(), rebuilt.hellinger(), rebuilt.l1()), (f64::INFINITY, 1.0, 2.0));
    // Nobody, nothing, and a domain of no values.
    let empty = Coverage::default();
    let nobody = SpreadColumn { original: &[], published: &[], coverage: &empty };
    for spread in
        [Spread::new(&[], None), Spread::new(&[nobody], None), Spread::new(&[], Some(&[true, false]))]
    {
        let spread = spread.unwrap();
        let rebuilt = spread.reconstruct();
        assert_eq!((rebuilt.kullback_leibler(), rebuilt.l1(), rebuilt.hellinger()), (0.0, 0.0, 0.0));
        assert_eq!(rebuilt.largest_difference(), Bracket { least: 0.0, most: 0.0 });
        assert_eq!(rebuilt.norm(2.0), Ok(Bracket { least: 0.0, most: 0.0 }));
        assert_eq!((spread.suppressed_cells(), spread.losses().iter().sum::<f64>()), (0, 0.0));
        assert!(!spread.ambiguity().is_nan());
    }
}

/// More tuples than a number can hold: 120 columns of 1,000 values each.
#[test]
fn domains_beyond_all_numbers() {
    let coverage = Coverage::new([(0..1000).collect()], 1_000);
    let (original, published) = ([0, 1, 2], [0, 0, 0]);
    let columns = vec![SpreadColumn { original: &original, published: &published, coverage: &coverage }; 120];
    let spread = Spread::new(&columns, None).unwrap();
    let rebuilt = spread.reconstruct();
    near(rebuilt.kullback_leibler(), 120.0 * 1000f64.ln() - 3f64.ln());
    near(rebuilt.l1(), 2.0);
    near(rebuilt.hellinger(), 1.0);
    near(rebuilt.norm(2.0).unwrap().exact().unwrap(), (1.0 / 3f64).sqrt());
    near(rebuilt.largest_difference().exact().unwrap(), 1.0 / 3.0);
}

const SIZES: [u32; 3] = [3, 4, 2];

/// A release with regions of any shape: labels are arbitrary sets of values, and some records are suppressed.
fn any_release() -> impl Strategy<Value = (Vec<Owned>, Vec<bool>)> {
    let labels = |size: u32| prop::collection::vec(prop::collection::vec(0..size, 1..=size as usize), 1..5);
    let lists = (labels(SIZES[0]), labels(SIZES[1]), labels(SIZES[2]));
    (lists, 1usize..14).prop_flat_map(|((a, b, c), rows)| {
        let column = |lists: Vec<Vec<u32>>, size: u32| {
            let count = lists.len() as u32;
            let coverage = Coverage::new(lists, size);
            let records = prop::collection::vec((0..size, 0..count), rows);
            records.prop_map(move |records| {
                let (original, published) = records.into_iter().unzip();
                Owned { original, published, coverage: coverage.clone() }
            })
        };
        let columns = (column(a, SIZES[0]), column(b, SIZES[1]), column(c, SIZES[2]));
        (columns.prop_map(|(a, b, c)| vec![a, b, c]), prop::collection::vec(prop::bool::weighted(0.2), rows))
    })
}

/// Both distributions, cell by cell of the whole domain.
fn enumerate(columns: &[Owned], suppressed: &[bool]) -> (Vec<f64>, Vec<f64>) {
    let rows = suppressed.len();
    let (mut p1, mut p2) = (Vec::new(), Vec::new());
    for a in 0..SIZES[0] {
        for b in 0..SIZES[1] {
            for c in 0..SIZES[2] {
                let tuple = [a, b, c];
                let (mut own, mut rebuilt) = (0.0, 0.0);
                for (row, &is_out) in suppressed.iter().enumerate() {
                    if columns.iter().zip(tuple).all(|(column, code)| column.original[row] == code) {
                        own += 1.0 / rows as f64;
                    }
                    let mut share = 1.0 / rows as f64;
                    for (column, code) in columns.iter().zip(tuple) {
                        let covered: Vec<u32> = match is_out {
                            true => (0..column.coverage.values()).collect(),
                            false => column.coverage.of(column.published[row]).to_vec(),
                        };
                        share *= if covered.contains(&code) { 1.0 / covered.len() as f64 } else { 0.0 };
                    }
                    rebuilt += share;
                }
                p1.push(own);
                p2.push(rebuilt);
            }
        }
    }
    (p1, p2)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// Every distance against the whole domain, overlapping regions and suppressed records included; and TH-26.
    #[test]
    fn distances_by_enumeration((columns, suppressed) in any_release()) {
        let spread = spread(&columns, Some(&suppressed));
        let rebuilt = spread.reconstruct();
        let (p1, p2) = enumerate(&columns, &suppressed);
        prop_assert!((p2.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let both = || p1.iter().zip(&p2);
        let is_near = |a: f64, b: f64| a == b || (a - b).abs() < 1e-9;
        let kl: f64 = both().filter(|own| *own.0 > 0.0).map(|(p, q)| p * (p / q).ln()).sum();
        prop_assert!(is_near(rebuilt.kullback_leibler(), kl.max(0.0)), "{} {kl}", rebuilt.kullback_leibler());
        prop_assert!(rebuilt.kullback_leibler() >= 0.0);
        let ratio = rebuilt.log_likelihood_ratio();
        prop_assert!(is_near(ratio / suppressed.len() as f64, rebuilt.kullback_leibler()));
        let l1: f64 = both().map(|(p, q)| (p - q).abs()).sum();
        prop_assert!(is_near(rebuilt.l1(), l1), "{} {l1}", rebuilt.l1());
        prop_assert!(is_near(rebuilt.total_variation(), l1 / 2.0));
        prop_assert_eq!(rebuilt.kullback_leibler() < 1e-12, l1 < 1e-9);
        let squares: f64 = both().map(|(p, q)| (p.sqrt() - q.sqrt()).powi(2)).sum();
        prop_assert!((rebuilt.hellinger().powi(2) - squares / 2.0).abs() < 1e-9);
        let largest = both().map(|(p, q)| (p - q).abs()).fold(0.0, f64::max);
        let bracket = rebuilt.largest_difference();
        // So small a domain is searched to its end.
        prop_assert!(is_near(bracket.least, largest) && is_near(bracket.most, largest), "{bracket:?} {largest}");
        for order in [1.0, 1.5, 2.0, 7.0] {
            let norm = both().map(|(p, q)| (p - q).abs().powf(order)).sum::<f64>().powf(1.0 / order);
            let bracket = rebuilt.norm(order).unwrap();
            prop_assert!(bracket.least <= norm + 1e-9 && norm <= bracket.most + 1e-9, "{bracket:?} {norm} {order}");
            if order == 1.0 {
                prop_assert!(is_near(bracket.least, norm) && is_near(bracket.most, norm));
            }
            if order == 2.0 {
                // Exact, also where regions overlap; squares are compared, since a root makes rounding larger.
                let exact = bracket.exact().map(|own| own * own);
                prop_assert!(exact.is_some_and(|own| is_near(own, norm * norm)), "{bracket:?} {norm}");
            }
        }
        for (column, size) in SIZES.iter().enumerate() {
            let marginal = spread.marginal(column).unwrap();
            let inner: usize = SIZES[column + 1..].iter().map(|&size| size as usize).product();
            for code in 0..*size as usize {
                let sum = |p: &[f64]| -> f64 {
                    p.iter().enumerate().filter(|(i, _)| i / inner % *size as usize == code).map(|own| own.1).sum()
                };
                prop_assert!(is_near(marginal.before()[code], sum(&p1)) && is_near(marginal.after()[code], sum(&p2)));
            }
        }
    }

    /// Answers against the definition, record by record and tuple by tuple.
    #[test]
    fn answers_by_enumeration((columns, suppressed) in any_release(), seed in any::<u64>()) {
        let spread = spread(&columns, Some(&suppressed));
        let draw = RandomQueries { count: 3, dimensions: 2, selectivity: 0.3, seed };
        let rows = suppressed.len();
        let (p1, p2) = enumerate(&columns, &suppressed);
        for query in draw.draw(&spread.domain_sizes()).unwrap() {
            let asked = |column: usize, code: u32| {
                query.sets()[column].as_ref().is_none_or(|set| set.contains(&code))
            };
            let (mut truth, mut estimate) = (0.0, 0.0);
            for (cell, (p, q)) in p1.iter().zip(&p2).enumerate() {
                let (a, rest) = (cell as u32 / (SIZES[1] * SIZES[2]), cell as u32 % (SIZES[1] * SIZES[2]));
                if asked(0, a) && asked(1, rest / SIZES[2]) && asked(2, rest % SIZES[2]) {
                    truth += p * rows as f64;
                    estimate += q * rows as f64;
                }
            }
            let overlaps = |row: usize| {
                suppressed[row] || columns.iter().enumerate().all(|(column, own)| {
                    own.coverage.of(own.published[row]).iter().any(|code| asked(column, code))
                })
            };
            let answer = spread.answer(&query).unwrap();
            prop_assert!((answer.truth as f64 - truth).abs() < 1e-6);
            prop_assert!((answer.estimate - estimate).abs() < 1e-6);
            prop_assert_eq!(answer.possible, (0..rows).filter(|&row| overlaps(row)).count() as u64);
        }
    }

    /// TH-26: a finer partition never has a larger DM, AM, LM, imprecision or remaining entropy.
    #[test]
    fn finer_is_never_worse(
        records in prop::collection::vec((0u32..8, 0u32..8), 1..30),
        cuts in ((0usize..3, 0usize..3), (0usize..2, 0usize..2)),
        seed in any::<u64>(),
    ) {
        // Level l joins 2^l neighbours.
        let column = |codes: Vec<u32>, level: usize| Owned {
            published: codes.iter().map(|code| code >> level).collect(),
            coverage: Coverage::new((0u32..8 >> level).map(|i| (i << level..(i + 1) << level).collect()), 8),
            original: codes,
        };
        let (a, b): (Vec<u32>, Vec<u32>) = records.into_iter().unzip();
        let ((fine_a, fine_b), (more_a, more_b)) = cuts;
        let fine = [column(a.clone(), fine_a), column(b.clone(), fine_b)];
        let coarse = [column(a.clone(), fine_a + more_a), column(b.clone(), fine_b + more_b)];
        let measure = |columns: &[Owned; 2]| {
            let spread = spread(columns, None);
            let published: Vec<&[u32]> = columns.iter().map(|own| &own.published[..]).collect();
            let draw = RandomQueries { count: 4, seed, ..RandomQueries::default() };
            let queries = draw.draw(&spread.domain_sizes()).unwrap();
            let mut numbers = spread.losses();
            numbers.push(Classes::of_columns(&published, None).unwrap().discernibility());
            numbers.push(spread.ambiguity());
            numbers.push(spread.query_errors(&queries).unwrap().imprecision as f64);
            numbers.push(conditional_entropy(&[&a, &b], &published).unwrap());
            numbers.push(spread.reconstruct().kullback_leibler());
            numbers
        };
        let (fine, coarse) = (measure(&fine), measure(&coarse));
        prop_assert!(fine.iter().zip(&coarse).all(|(f, c)| *f >= 0.0 && f <= &(c + 1e-9)), "{fine:?} {coarse:?}");
    }
}

/// Thousands of regions that overlap in a tangle (more than one block of them), against the sum over all regions.
#[test]
fn large_tangles() {
    let mut state = 1u64;
    let mut random = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit) as u32
    };
    let rows = 6000;
    let columns: Vec<Owned> = (0..3)
        .map(|_| {
            let original: Vec<u32> = (0..rows).map(|_| random(40)).collect();
            let lists: Vec<Vec<u32>> = original
                .iter()
                .map(|&code| (code.saturating_sub(random(5))..=code + random(5)).collect())
                .collect();
            Owned { published: (0..rows as u32).collect(), coverage: Coverage::new(lists, 40), original }
        })
        .collect();
    let spread = spread(&columns, None);
    let rebuilt = spread.reconstruct();
    let mut expected = 0.0;
    let mut cells = std::collections::HashMap::new();
    for row in 0..rows {
        *cells.entry([0, 1, 2].map(|i: usize| columns[i].original[row])).or_insert(0.0) += 1.0 / rows as f64;
    }
    for (tuple, p1) in &cells {
        let mut p2 = 0.0;
        for region in 0..rows as u32 {
            if (0..3).all(|i| columns[i].coverage.contains(region, tuple[i])) {
                let volume: usize = columns.iter().map(|own| own.coverage.of(region).len()).product();
                p2 += 1.0 / (rows * volume) as f64;
            }
        }
        expected += p1 * (p1 / p2).ln();
    }
    near(rebuilt.kullback_leibler(), expected);
    let bracket = rebuilt.largest_difference();
    assert!(bracket.least <= bracket.most && bracket.least > 0.0);
    // UM-13: the sum of squares over all 64,000 tuples, one by one.
    let mut rebuilt_cells = vec![0.0; 40 * 40 * 40];
    for region in 0..rows as u32 {
        let of = |column: usize| columns[column].coverage.of(region);
        let share = 1.0 / (rows * of(0).len() * of(1).len() * of(2).len()) as f64;
        for a in of(0).iter() {
            for b in of(1).iter() {
                of(2).iter().for_each(|c| rebuilt_cells[((a * 40 + b) * 40 + c) as usize] += share);
            }
        }
    }
    for (tuple, p1) in &cells {
        rebuilt_cells[((tuple[0] * 40 + tuple[1]) * 40 + tuple[2]) as usize] -= p1;
    }
    let squares: f64 = rebuilt_cells.iter().map(|gap| gap * gap).sum();
    near(rebuilt.norm(2.0).unwrap().exact().unwrap(), squares.sqrt());
}

/// Where every tuple occurs, there is no other on which suppressed records could put anything.
#[test]
fn no_tuple_is_left() {
    let column = Owned {
        original: vec![0, 1, 0, 1],
        published: vec![0, 1, 0, 0],
        coverage: Coverage::new([vec![0, 1], vec![0]], 2),
    };
    let columns = [column];
    let spread = spread(&columns, Some(&[false, false, true, true]));
    // (1/2, 1/2) before, and (1/8 + 1/4 + 1/4, 1/8 + 1/4) after.
    let bracket = spread.reconstruct().largest_difference();
    near(bracket.least, 0.125);
    near(bracket.most, 0.125);
    near(spread.reconstruct().norm(2.0).unwrap().exact().unwrap(), (2.0 / 64f64).sqrt());
}
