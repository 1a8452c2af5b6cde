//! Regressions from released records, against closed forms and against each other (survey US-10, US-11).

use nalgebra::{DMatrix, DVector};
use privet_data::Coverage;
use privet_measure::classify::{
    Classifier, DecisionTree, NaiveBayes, Span, Training, TrainingColumn, TreeOptions, accuracy,
};
use privet_measure::learn::{
    Coefficient, Design, LearnError, LinearRegression, LogisticOptions, LogisticRegression, Reading, Scale,
    Term,
};
use proptest::prelude::*;

fn numbers(values: u32) -> Scale {
    Scale::Numbers((0..values).map(f64::from).collect())
}

fn raw(codes: &[u32], leaves: u32, is_ordered: bool) -> TrainingColumn {
    TrainingColumn { leaves, is_ordered, codes: codes.to_vec(), spans: (0..leaves).map(Span::one).collect() }
}

/// A small generator, so that the tests need none of the library's.
fn stream(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |end| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    }
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-8 * (1.0 + expected.abs()), "{found} is not {expected}");
}

#[test]
fn a_line_has_the_textbook_errors() {
    let (x, y) = ([1u32, 2, 3, 4, 5], [2.0, 4.0, 5.0, 4.0, 5.0]);
    let design = Design::new(&[raw(&x, 6, true)], &[numbers(6)], Reading::Mean).unwrap();
    let line = LinearRegression::fit(&design, &y).unwrap();
    // Slope 0.6, intercept 2.2, residual sum 2.4 with 3 degrees; Sxx = 10.
    let [intercept, slope] = line.coefficients() else { panic!() };
    assert_eq!((intercept.term, slope.term), (Term::Intercept, Term::Number { column: 0 }));
    near(slope.estimate, 0.6);
    near(intercept.estimate, 2.2);
    near(line.residual_variance().unwrap(), 0.8);
    near(slope.standard_error.unwrap(), (0.8f64 / 10.0).sqrt());
    near(intercept.standard_error.unwrap(), (0.8f64 * (1.0 / 5.0 + 9.0 / 10.0)).sqrt());
    near(line.determination().unwrap(), 0.6);
    near(line.predict(&[Some(0)]), 2.2);
    near(line.predict(&[None]), 4.0);
    assert_eq!(line.rank(), 2);
}

/// What the ridge alone holds in place is not determined: a constant, a category that nobody has.
#[test]
fn constants_have_no_coefficient() {
    let (x, constant, class) = ([0u32, 1, 2, 3, 4, 5, 1, 4], [3u32; 8], vec![0u32, 0, 1, 1, 0, 1, 1, 0]);
    let columns = vec![raw(&x, 6, true), raw(&constant, 6, true), raw(&x.map(|own| own % 2), 3, false)];
    let training = Training::new(columns, class).unwrap();
    let scales = [numbers(6), numbers(6), Scale::Categories];
    let found = LogisticRegression::train(&training, &scales, Reading::Mean, Default::default()).unwrap();
    let is_told = |term: Term| {
        found.coefficients(1).iter().find(|own| own.term == term).unwrap().standard_error.is_some()
    };
    assert!(is_told(Term::Number { column: 0 }) && is_told(Term::Leaf { column: 2, leaf: 1 }));
    assert!(!is_told(Term::Number { column: 1 }) && !is_told(Term::Leaf { column: 2, leaf: 2 }));
}

#[test]
fn categories_are_means() {
    let (x, y) = ([0u32, 0, 1, 1, 3, 3], [1.0, 3.0, 10.0, 12.0, 5.0, 5.0]);
    let design = Design::new(&[raw(&x, 4, false)], &[Scale::Categories], Reading::Mean).unwrap();
    let found = LinearRegression::fit(&design, &y).unwrap();
    let told: Vec<f64> = [0, 1, 3].map(|leaf| found.predict(&[Some(leaf)])).to_vec();
    told.iter().zip([2.0, 11.0, 5.0]).for_each(|(&found, expected)| near(found, expected));
    // Nobody has the third category: its coefficient is not determined.
    let errors: Vec<bool> = found.coefficients().iter().map(|c| c.standard_error.is_some()).collect();
    assert_eq!((errors, found.rank()), (vec![true, true, false, true], 3));
    // A difference of means: residual sum 4 with 3 degrees, √(s²(1/2 + 1/2)).
    let Coefficient { term, estimate, standard_error } = found.coefficients()[1];
    assert_eq!(term, Term::Leaf { column: 0, leaf: 1 });
    near(estimate, 9.0);
    near(standard_error.unwrap(), (4.0f64 / 3.0).sqrt());
}

/// Labels that determine what is learned teach as much as raw records, whichever leaf comes first.
#[test]
fn what_labels_determine_does_not_depend_on_the_order_of_leaves() {
    let mut below = stream(5);
    let people: Vec<(u32, f64)> = (0..600)
        .map(|_| {
            let leaf = below(6) as u32;
            // Leaves 0 to 2 are one label, 3 and 4 another, 5 is one of its own.
            let mean = [10.0, 10.0, 10.0, 50.0, 50.0, 20.0][leaf as usize];
            (leaf, mean + below(5) as f64 - 2.0)
        })
        .collect();
    let y: Vec<f64> = people.iter().map(|own| own.1).collect();
    let classes: Vec<u32> = y.iter().map(|&own| u32::from(own > 15.0)).collect();
    for order in [[0u32, 1, 2, 3, 4, 5], [3, 4, 5, 0, 1, 2], [5, 4, 3, 2, 1, 0]] {
        let leaf = |own: u32| order[own as usize];
        let label = |own: u32| [0, 0, 0, 1, 1, 2][own as usize];
        let mut leaves = [vec![], vec![], vec![]];
        (0..6).for_each(|own| leaves[label(own) as usize].push(leaf(own)));
        leaves.iter_mut().for_each(|own| own.sort_unstable());
        let (coverage, identity) = (Coverage::new(leaves, 6), Coverage::identity(6));
        let raw: Vec<u32> = people.iter().map(|own| leaf(own.0)).collect();
        let released: Vec<u32> = people.iter().map(|own| label(own.0)).collect();
        let design = |codes: &[u32], coverage: &Coverage| {
            Design::from_coverage(&[(codes, coverage)], &[Scale::Categories], Reading::Mean).unwrap()
        };
        let [raw, released] = [design(&raw, &identity), design(&released, &coverage)];
        let line = LinearRegression::fit(&released, &y).unwrap();
        let from_raw = LinearRegression::fit(&raw, &y).unwrap();
        let odds = LogisticRegression::fit(&released, &classes, Default::default()).unwrap();
        for own in 0..6 {
            let same: Vec<f64> = people.iter().filter(|p| label(p.0) == label(own)).map(|p| p.1).collect();
            near(line.predict(&[Some(leaf(own))]), same.iter().sum::<f64>() / same.len() as f64);
            assert!((line.predict(&[Some(leaf(own))]) - from_raw.predict(&[Some(leaf(own))])).abs() < 1.0);
            assert_eq!(odds.predict(&[Some(leaf(own))]), Some(u32::from(own > 2)));
        }
        // Nothing tells leaves of one label apart, and nothing a single one of them from another label's.
        for own in [line.coefficients(), odds.coefficients(1)] {
            assert!(own[1..].iter().all(|own| own.standard_error.is_none()), "{own:?}");
        }
    }
}

/// survey US-13: a record that counts two thirds for one class and a third for another is worth as much as two records of
/// the one and one of the other, over three.
#[test]
fn chances_of_classes_are_parts_of_records() {
    let (x, sure) = ([0u32, 1, 2, 3, 4, 5, 0, 3], [0u32, 0, 1, 1, 2, 0, 1, 2]);
    let three: Vec<usize> = (0..8).flat_map(|row| [row; 3]).collect();
    let class = |row: usize, copy: usize| if copy < 2 { sure[row] } else { (sure[row] + 1) % 3 };
    let copied: Vec<u32> = three.iter().enumerate().map(|(at, &row)| class(row, at % 3)).collect();
    let columns = |rows: &[usize]| {
        let pick = |own: &[u32]| rows.iter().map(|&row| own[row]).collect::<Vec<u32>>();
        vec![raw(&pick(&x), 6, true), raw(&pick(&x.map(|own| own % 3)), 3, false)]
    };
    let copies = Training::new(columns(&three), copied).unwrap();
    let two: Vec<usize> = (0..8).flat_map(|row| [row; 2]).collect();
    let parts: Vec<u32> = two.iter().enumerate().map(|(at, &row)| class(row, 1 + at % 2)).collect();
    let weights: Vec<f64> = two.iter().enumerate().map(|(at, _)| [2.0, 1.0][at % 2]).collect();
    let weighed = Training::weighed(columns(&two), parts.clone(), weights.clone()).unwrap();
    assert_eq!(NaiveBayes::train(&weighed, 1.0), NaiveBayes::train(&copies, 1.0));
    let options = TreeOptions { max_depth: 4, min_leaf: 2.0 };
    assert_eq!(DecisionTree::train(&weighed, options), DecisionTree::train(&copies, options));
    let scales = [numbers(6), Scale::Categories];
    let logistic = |training: &Training| {
        LogisticRegression::train(training, &scales, Reading::Mean, Default::default()).unwrap()
    };
    let (own, theirs) = (logistic(&weighed), logistic(&copies));
    for (own, theirs) in own.coefficients(2).iter().zip(theirs.coefficients(2)) {
        assert!((own.estimate - theirs.estimate).abs() < 1e-6, "{own:?} {theirs:?}");
    }
    // Least squares too.
    let target = |classes: &[u32]| classes.iter().map(|&own| f64::from(own)).collect::<Vec<f64>>();
    let line = |training: &Training, weights: Option<&[f64]>| {
        let design = Design::new(training.columns(), &scales, Reading::Mean).unwrap();
        let design = match weights {
            Some(weights) => design.weigh(weights).unwrap(),
            None => design,
        };
        LinearRegression::fit(&design, &target(training.classes())).unwrap()
    };
    let (own, theirs) = (line(&weighed, Some(&weights)), line(&copies, None));
    near(own.residual_variance().unwrap(), theirs.residual_variance().unwrap());
    near(own.predict(&[Some(2), Some(1)]), theirs.predict(&[Some(2), Some(1)]));
    // Only what is above 0 is a weight, one for each record.
    for wrong in [vec![1.0; 3], vec![0.0; 16], vec![f64::NAN; 16]] {
        assert!(Training::weighed(columns(&two), parts.clone(), wrong).is_err());
    }
}

#[test]
fn columns_that_say_the_same_do_no_harm() {
    let x = [1u32, 2, 3, 4, 7];
    let y = [2.0, 4.0, 5.0, 4.0, 9.0];
    let one = Design::new(&[raw(&x, 8, true)], &[numbers(8)], Reading::Mean).unwrap();
    let two =
        Design::new(&[raw(&x, 8, true), raw(&x, 8, true)], &[numbers(8), numbers(8)], Reading::Mean).unwrap();
    let bounds = Design::new(&[raw(&x, 8, true)], &[numbers(8)], Reading::Bounds).unwrap();
    let [one, two, bounds] = [one, two, bounds].map(|design| LinearRegression::fit(&design, &y).unwrap());
    for leaf in 0..8 {
        near(two.predict(&[Some(leaf), Some(leaf)]), one.predict(&[Some(leaf)]));
        // Of raw records both bounds are the number (US-11 ii).
        near(bounds.predict(&[Some(leaf)]), one.predict(&[Some(leaf)]));
    }
    assert_eq!((two.rank(), bounds.rank()), (2, 2));
    assert!(two.coefficients()[1..].iter().all(|coefficient| coefficient.standard_error.is_none()));
    assert!(two.coefficients()[0].standard_error.is_some());
    assert_eq!(bounds.coefficients()[2].term, Term::Upper { column: 0 });
    near(two.residual_variance().unwrap(), one.residual_variance().unwrap());
}

#[test]
fn little_to_learn_from() {
    let fit = |x: &[u32], y: &[f64]| {
        let design = Design::new(&[raw(x, 3, true)], &[numbers(3)], Reading::Mean).unwrap();
        LinearRegression::fit(&design, y)
    };
    assert_eq!(fit(&[], &[]), Err(LearnError::NoRecords));
    assert_eq!(fit(&[1], &[]), Err(LearnError::Targets { records: 1, targets: 0 }));
    assert_eq!(fit(&[1, 1], &[0.0, f64::NAN]), Err(LearnError::Target { record: 1 }));
    // One record, and two with the same number: the mean.
    near(fit(&[1], &[7.0]).unwrap().predict(&[Some(2)]), 7.0);
    let same = fit(&[1, 1], &[7.0, 9.0]).unwrap();
    near(same.predict(&[Some(2)]), 8.0);
    assert_eq!((same.rank(), same.coefficients()[1].standard_error), (1, None));
    assert_eq!(fit(&[0, 2], &[1.0, 1.0]).unwrap().determination(), None);
    // As many coefficients as records: no degrees of freedom.
    let exact = fit(&[0, 2], &[1.0, 5.0]).unwrap();
    assert_eq!((exact.residual_variance(), exact.coefficients()[0].standard_error), (None, None));
    near(exact.predict(&[Some(1)]), 3.0);
}

#[test]
fn odds_of_a_table_of_four() {
    // 20 and 80 of a hundred without, 45 and 15 of sixty with.
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (with, class, count) in [(0, 1, 20), (0, 0, 80), (1, 1, 45), (1, 0, 15)] {
        x.extend(vec![with; count]);
        y.extend(vec![class; count]);
    }
    let training = Training::new(vec![raw(&x, 2, false)], y).unwrap();
    let options = LogisticOptions { ridge: 1e-9, ..Default::default() };
    let found = LogisticRegression::train(&training, &[Scale::Categories], Reading::Mean, options).unwrap();
    let [intercept, odds] = found.coefficients(1) else { panic!() };
    assert!(found.converged());
    assert!((intercept.estimate - 0.25f64.ln()).abs() < 1e-6);
    assert!((odds.estimate - (45.0f64 * 80.0 / (15.0 * 20.0)).ln()).abs() < 1e-6);
    let error = (1.0f64 / 20.0 + 1.0 / 80.0 + 1.0 / 45.0 + 1.0 / 15.0).sqrt();
    assert!((odds.standard_error.unwrap() - error).abs() < 1e-6);
    assert_eq!((found.predict(&[Some(0)]), found.predict(&[Some(1)])), (Some(0), Some(1)));
    assert!(found.coefficients(0).is_empty() && found.coefficients(9).is_empty());
}

#[test]
fn units_do_not_matter() {
    // Years as they are and moved to 0: the same slope and error, another intercept.
    let mut below = stream(3);
    let x: Vec<u32> = (0..300).map(|_| below(40) as u32).collect();
    let y: Vec<u32> = x.iter().map(|&x| u32::from(below(40) < u64::from(x))).collect();
    let fit = |first: f64| {
        let scale = Scale::Numbers((0..40).map(|i| first + f64::from(i)).collect());
        let training = Training::new(vec![raw(&x, 40, true)], y.clone()).unwrap();
        LogisticRegression::train(&training, &[scale], Reading::Mean, Default::default()).unwrap()
    };
    let (near_zero, far) = (fit(0.0), fit(1980.0));
    let slope = |found: &LogisticRegression| found.coefficients(1)[1];
    assert!((slope(&near_zero).estimate - slope(&far).estimate).abs() < 1e-8);
    let errors = [&near_zero, &far].map(|found| slope(found).standard_error.unwrap());
    assert!((errors[0] - errors[1]).abs() < 1e-8);
    let moved = far.coefficients(1)[0].estimate + 1980.0 * slope(&far).estimate;
    assert!((moved - near_zero.coefficients(1)[0].estimate).abs() < 1e-6);
}

#[test]
fn classes_that_are_separated_stay_finite() {
    let training = Training::new(vec![raw(&[0, 1, 2, 7, 8, 9], 10, true)], vec![4, 4, 4, 6, 6, 6]).unwrap();
    let found =
        LogisticRegression::train(&training, &[numbers(10)], Reading::Mean, LogisticOptions::default())
            .unwrap();
    assert!(found.converged() && found.coefficients(6).iter().all(|c| c.estimate.is_finite()));
    assert_eq!([0, 3, 6, 9].map(|leaf| found.predict(&[Some(leaf)])), [Some(4), Some(4), Some(6), Some(6)]);
    // Three classes of categories.
    let training = Training::new(vec![raw(&[0, 0, 1, 1, 2, 2], 3, false)], vec![5, 5, 1, 1, 9, 9]).unwrap();
    let found = LogisticRegression::train(&training, &[Scale::Categories], Reading::Mean, Default::default())
        .unwrap();
    assert_eq!([0, 1, 2].map(|leaf| found.predict(&[Some(leaf)])), [Some(5), Some(1), Some(9)]);
    assert_eq!((found.classes(), found.coefficients(9).len()), (&[1, 5, 9][..], 3));
}

#[test]
fn one_class_and_none() {
    let train = |columns: Vec<TrainingColumn>, scales: &[Scale], classes: &[u32]| {
        let training = Training::new(columns, classes.to_vec()).unwrap();
        LogisticRegression::train(&training, scales, Reading::Mean, Default::default()).unwrap()
    };
    let one = [Scale::Categories];
    assert_eq!(train(vec![raw(&[0, 1], 2, false)], &one, &[3, 3]).predict(&[Some(0)]), Some(3));
    assert_eq!(train(vec![raw(&[], 2, false)], &one, &[]).predict(&[Some(0)]), None);
    assert_eq!(train(vec![], &[], &[]).predict(&[]), None);
    assert_eq!(train(vec![], &[], &[2, 1, 1]).predict(&[]), Some(1));
    // Nothing but stars: the most frequent class, whatever is asked.
    let stars = TrainingColumn {
        leaves: 3,
        is_ordered: false,
        codes: vec![0; 3],
        spans: vec![Span { first: 0, last: 2 }],
    };
    let found = train(vec![stars], &one, &[2, 1, 1]);
    assert_eq!([None, Some(0), Some(2), Some(77)].map(|leaf| found.predict(&[leaf])), [Some(1); 4]);
    let design = Design::new(&[raw(&[0], 2, false)], &one, Reading::Mean).unwrap();
    let error = LogisticRegression::fit(&design, &[], Default::default());
    assert_eq!(error, Err(LearnError::Targets { records: 1, targets: 0 }));
}

/// Who is 40 or older earns much, one in ten as chance has it; released in decades, and in full.
#[test]
fn releases_teach_less_than_raw_records_and_more_than_nothing() {
    let mut below = stream(11);
    let mut people = |count: usize| -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        let mut columns = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            let (age, job) = (below(60) as u32, below(4) as u32);
            let much = if below(10) == 0 { below(2) == 0 } else { age >= 30 || job == 3 };
            columns.0.push(age);
            columns.1.push(job);
            columns.2.push(u32::from(much));
        }
        columns
    };
    let (train, test) = (people(2000), people(1000));
    let scales = [numbers(60), Scale::Categories];
    let decades = TrainingColumn {
        leaves: 60,
        is_ordered: true,
        codes: train.0.iter().map(|age| age / 10).collect(),
        spans: (0..6).map(|d| Span { first: d * 10, last: d * 10 + 9 }).collect(),
    };
    let columns: Vec<Vec<Option<u32>>> =
        [&test.0, &test.1].map(|column| column.iter().copied().map(Some).collect()).to_vec();
    let truth: Vec<Option<u32>> = test.2.iter().copied().map(Some).collect();
    let reached = |age: TrainingColumn, reading: Reading| {
        let training = Training::new(vec![age, raw(&train.1, 4, false)], train.2.clone()).unwrap();
        let found = LogisticRegression::train(&training, &scales, reading, Default::default()).unwrap();
        let bayes = NaiveBayes::train(&training, 1.0);
        [&found as &dyn Classifier, &bayes].map(|learned| accuracy(learned, &columns, &truth).unwrap())
    };
    let whole = reached(raw(&train.0, 60, true), Reading::Mean);
    assert!(whole[0] > 0.85 && (whole[0] - whole[1]).abs() < 0.06, "{whole:?}");
    for reading in [Reading::Mean, Reading::Bounds, Reading::Sample { seed: 5 }] {
        let coarse = reached(decades.clone(), reading);
        assert!((coarse[0] - whole[0]).abs() < 0.05, "{reading:?} {coarse:?} {whole:?}");
    }
    let stars = TrainingColumn { codes: vec![0; 2000], spans: vec![Span { first: 0, last: 59 }], ..decades };
    let nothing = reached(stars, Reading::Mean);
    assert!(nothing[0] < whole[0] - 0.1, "{nothing:?} {whole:?}");
}

#[test]
fn a_census_is_learned_from_in_a_moment() {
    let mut below = stream(23);
    let domains = [74u64, 8, 16, 7, 14, 6, 5, 2, 41];
    let rows = 30_000;
    let columns: Vec<TrainingColumn> = domains
        .iter()
        .enumerate()
        .map(|(place, &domain)| {
            let codes: Vec<u32> = (0..rows).map(|_| below(domain).min(below(domain)) as u32).collect();
            raw(&codes, domain as u32, place == 0)
        })
        .collect();
    let scales: Vec<Scale> = domains
        .iter()
        .enumerate()
        .map(|(place, &domain)| if place == 0 { numbers(domain as u32) } else { Scale::Categories })
        .collect();
    let classes: Vec<u32> = (0..rows)
        .map(|row| u32::from(u64::from(columns[0].codes[row] + 4 * columns[2].codes[row]) > 20 + below(60)))
        .collect();
    let start = std::time::Instant::now();
    let training = Training::new(columns, classes.clone()).unwrap();
    let found = LogisticRegression::train(&training, &scales, Reading::Mean, Default::default()).unwrap();
    let logistic = start.elapsed();
    assert!(found.converged());
    let design = Design::new(training.columns(), &scales, Reading::Mean).unwrap();
    let target: Vec<f64> = classes.iter().copied().map(f64::from).collect();
    let linear = LinearRegression::fit(&design, &target).unwrap();
    println!("logistic {logistic:?}, linear {:?}", start.elapsed() - logistic);
    assert!(linear.determination().unwrap() > 0.2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let alone = pool.install(|| LogisticRegression::fit(&design, &classes, Default::default()).unwrap());
    assert!(alone == found);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Least squares against the normal equations of features written out by hand.
    #[test]
    fn least_squares_solve_the_normal_equations(
        records in prop::collection::vec((0u32..9, 0u32..4, -50i32..50), 14..60),
    ) {
        // A label 3 of the category stands for all three leaves.
        let coverage = Coverage::new([vec![0], vec![1], vec![2], vec![0, 1, 2]], 3);
        let x: Vec<u32> = records.iter().map(|r| r.0).collect();
        let c: Vec<u32> = records.iter().map(|r| r.1).collect();
        let y: Vec<f64> = records.iter().map(|r| f64::from(r.2)).collect();
        let ages = Coverage::identity(9);
        let scales = [numbers(9), Scale::Categories];
        let columns = [(&x[..], &ages), (&c[..], &coverage)];
        let design = Design::from_coverage(&columns, &scales, Reading::Mean).unwrap();
        let found = LinearRegression::fit(&design, &y).unwrap();
        let features = |x: u32, c: u32| match c {
            3 => [1.0, f64::from(x), 1.0 / 3.0, 1.0 / 3.0],
            c => [1.0, f64::from(x), f64::from(u8::from(c == 1)), f64::from(u8::from(c == 2))],
        };
        let matrix = DMatrix::from_fn(x.len(), 4, |row, column| features(x[row], c[row])[column]);
        let gram = matrix.transpose() * &matrix;
        prop_assume!(gram.determinant().abs() > 1.0);
        let inverse = gram.try_inverse().unwrap();
        let expected = &inverse * matrix.transpose() * DVector::from_vec(y.clone());
        let left = (&matrix * &expected - DVector::from_vec(y)).norm_squared() / (x.len() as f64 - 4.0);
        for (place, coefficient) in found.coefficients().iter().enumerate() {
            prop_assert!((coefficient.estimate - expected[place]).abs() < 1e-6 * (1.0 + expected[place].abs()));
            let error = (left * inverse[(place, place)]).sqrt();
            prop_assert!((coefficient.standard_error.unwrap() - error).abs() < 1e-6 * (1.0 + error));
        }
    }

    /// At the maximum the slope of the penalized likelihood is 0, in features written out by hand.
    #[test]
    fn logistic_regression_reaches_its_maximum(
        records in prop::collection::vec((0u32..3, 0u32..2), 4..60), ridge in 0.01..2.0f64,
    ) {
        let (x, y): (Vec<u32>, Vec<u32>) = records.iter().copied().unzip();
        prop_assume!(y.contains(&0) && y.contains(&1));
        let training = Training::new(vec![raw(&x, 3, false)], y.clone()).unwrap();
        let options = LogisticOptions { ridge, ..Default::default() };
        let found = LogisticRegression::train(&training, &[Scale::Categories], Reading::Mean, options).unwrap();
        prop_assert!(found.converged());
        let told: Vec<f64> = found.coefficients(1).iter().map(|c| c.estimate).collect();
        // How far leaves are from the first; the coefficients themselves add up to 0, since the intercept is free.
        let apart = [0.0, told[1], told[2]];
        let b = apart.map(|own| own - (told[1] + told[2]) / 3.0);
        let mut slope = [0.0, -ridge * b[0], -ridge * b[1], -ridge * b[2]];
        for (&x, &y) in x.iter().zip(&y) {
            let left = f64::from(y) - 1.0 / (1.0 + (-told[0] - apart[x as usize]).exp());
            slope[0] += left;
            slope[x as usize + 1] += left;
        }
        prop_assert!(slope.iter().all(|slope| slope.abs() < 1e-6), "{:?}", slope);
    }
}
