use super::*;
use privet_perturb::{Coins, Noise, SeededCoins, additive_noise, multiplicative_noise};

const NOISE: Noise = Noise::Gaussian { deviation: 2.0 };

/// Columns that all follow one hidden number, or none.
fn columns(count: usize, records: usize, together: bool, seed: u64) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut coins = SeededCoins::new(seed);
    let hidden: Vec<f64> = (0..records).map(|_| 8.0 * coins.normal().unwrap()).collect();
    let original: Vec<Vec<f64>> = (0..count)
        .map(|column| match together {
            true => hidden.iter().map(|own| 100.0 * column as f64 + own).collect(),
            false => hidden.iter().map(|_| 8.0 * coins.normal().unwrap()).collect(),
        })
        .collect();
    let published =
        original.iter().map(|own| additive_noise(own, NOISE, &mut coins).unwrap().value).collect();
    (original, published)
}

fn given<'a>(
    original: Option<&'a [Vec<f64>]>,
    published: &'a [Vec<f64>],
    law: Law,
) -> Vec<PerturbedColumn<'a>> {
    const NAMES: [&str; 9] = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    published
        .iter()
        .enumerate()
        .map(|(place, values)| PerturbedColumn {
            name: NAMES[place],
            values,
            law,
            step: 0.0,
            unit: 0.0,
            together: None,
            original: original.map(|own| own[place].as_slice()),
        })
        .collect()
}

fn of<'a>(findings: &'a [NoiseFinding], attack: &str) -> &'a NoiseFinding {
    findings.iter().find(|own| own.attack == attack).unwrap()
}

#[test]
fn dependent_columns_fall_and_independent_ones_do_not() {
    for (together, falls) in [(true, true), (false, false)] {
        let (original, published) = columns(9, 1500, together, 5);
        for original in [Some(original.as_slice()), None] {
            let findings =
                assess(&given(original, &published, Law::Add(NOISE)), &Knowing::default()).unwrap();
            for attack in ["spectral-filter", "best-linear-estimate"] {
                let found = of(&findings, attack);
                assert_eq!(found.outcome.succeeded(), falls, "{found:?}");
                assert_eq!(found.columns.len(), 9);
            }
        }
    }
}

#[test]
fn people_are_linked_when_there_is_a_file() {
    let (original, published) = columns(4, 800, false, 6);
    let findings = assess(&given(Some(&original), &published, Law::Add(NOISE)), &Knowing::default()).unwrap();
    let found = of(&findings, "noise-linkage");
    let Outcome::Linked { succeeded, score } = found.outcome else { panic!("{found:?}") };
    assert!(succeeded && score.right.rate > 0.4 && score.right_when_sure.rate > 0.8, "{found:?}");
    assert!(found.verdict.starts_with("The likeliest person is the right one for"), "{}", found.verdict);
    let findings = assess(&given(None, &published, Law::Add(NOISE)), &Knowing::default()).unwrap();
    assert_eq!(of(&findings, "noise-linkage").outcome, Outcome::NotMade);
}

#[test]
fn a_constant_column_and_a_series() {
    let mut coins = SeededCoins::new(7);
    let original = vec![vec![37.0; 900], (0..900).map(|t| f64::from(t / 300) * 50.0).collect()];
    let published: Vec<Vec<f64>> =
        original.iter().map(|own| additive_noise(own, NOISE, &mut coins).unwrap().value).collect();
    let knowing = Knowing { in_time: true, ..Knowing::default() };
    let findings = assess(&given(Some(&original), &published, Law::Add(NOISE)), &knowing).unwrap();
    let constant: Vec<bool> = findings
        .iter()
        .filter(|own| own.attack == "constant-column")
        .map(|own| own.outcome.succeeded())
        .collect();
    assert_eq!(constant, [true, false]);
    let series: Vec<&NoiseFinding> = findings.iter().filter(|own| own.attack == "wavelet-filter").collect();
    assert!(series[1].outcome.succeeded(), "{:?}", series[1]);
    let findings = assess(&given(Some(&original), &published, Law::Add(NOISE)), &Knowing::default()).unwrap();
    assert_eq!(of(&findings, "wavelet-filter").outcome, Outcome::NotMade);
}

/// survey AT-18: a slow wave is filtered better by the values around each time than by its own value; gaps are left out.
#[test]
fn a_series_with_known_points() {
    let mut coins = SeededCoins::new(18);
    let mut original = vec![(0..2000).map(|t| 40.0 * (f64::from(t) / 90.0).sin()).collect::<Vec<f64>>()];
    let mut published: Vec<Vec<f64>> =
        original.iter().map(|own| additive_noise(own, NOISE, &mut coins).unwrap().value).collect();
    let knowing = Knowing { in_time: true, known_points: 60, ..Knowing::default() };
    let of_points = |original: Option<&[Vec<f64>]>, published: &[Vec<f64>], knowing: &Knowing| {
        let found = filter_series(&given(original, published, Law::Add(NOISE)), knowing).unwrap();
        assert_eq!(
            found.iter().map(|own| own.attack).collect::<Vec<_>>(),
            ["wavelet-filter", "known-points"]
        );
        found[1].outcome
    };
    let Outcome::Estimated { succeeded, expected_error, score: Some(score) } =
        of_points(Some(&original), &published, &knowing)
    else {
        panic!()
    };
    // Eleven values around each time leave about 1/√11 of the noise, and 12 weights are learned at 60 points.
    assert!(
        succeeded && score.estimate_error < 0.45 && (expected_error - score.estimate_error).abs() < 0.2,
        "{score:?}"
    );
    // Those that are known are not scored.
    assert_eq!(score.recovered.of, 1940);
    published[0][7] = f64::NAN;
    original[0][9] = f64::NAN;
    let Outcome::Estimated { score: Some(score), .. } = of_points(Some(&original), &published, &knowing)
    else {
        panic!()
    };
    assert_eq!(score.recovered.of, 1938);
    assert_eq!(of_points(None, &published, &knowing), Outcome::NotMade);
    for known_points in [1, 3, 1998, usize::MAX] {
        let knowing = Knowing { known_points, ..knowing };
        assert_eq!(of_points(Some(&original), &published, &knowing), Outcome::NotMade);
    }
    // What is noise itself is not recovered.
    let other: Vec<Vec<f64>> = vec![(0..2000).map(|_| 100.0 * coins.normal().unwrap()).collect()];
    let noisy = vec![additive_noise(&other[0], NOISE, &mut coins).unwrap().value];
    assert!(!of_points(Some(&other), &noisy, &knowing).succeeded());
}

/// Second moments suffice: the expected error of the best linear estimate behind multiplied noise is the one made.
#[test]
fn multiplied_noise() {
    let mut coins = SeededCoins::new(8);
    let noise = Noise::Gaussian { deviation: 0.3 };
    let original: Vec<Vec<f64>> = {
        let hidden: Vec<f64> = (0..4000).map(|_| 20.0 + 5.0 * coins.normal().unwrap()).collect();
        (1..5).map(|times| hidden.iter().map(|own| own * f64::from(times)).collect()).collect()
    };
    let published: Vec<Vec<f64>> =
        original.iter().map(|own| multiplicative_noise(own, noise, &mut coins).unwrap().value).collect();
    let columns = given(Some(&original), &published, Law::Multiply(noise));
    let findings = assess(&columns, &Knowing::default()).unwrap();
    let Outcome::Estimated { expected_error, score: Some(score), .. } =
        of(&findings, "best-linear-estimate").outcome
    else {
        panic!()
    };
    assert!((score.published_error - 1.0).abs() < 0.05, "{score:?}");
    assert!((expected_error - score.estimate_error).abs() < 0.05, "{expected_error} {score:?}");
    for attack in ["spectral-filter", "constant-column", "wavelet-filter"] {
        assert_eq!(of(&findings, attack).outcome, Outcome::NotMade);
    }
}

/// Every attack is listed, those not made with a reason, and nothing of the data is in what is written.
#[test]
fn every_attack_is_listed_and_no_value_is_told() {
    let values = vec![vec![31_337.5; 50]];
    let columns = given(Some(&values), &values, Law::Keep);
    let findings = assess(&columns, &Knowing::default()).unwrap();
    let attacks: Vec<&str> = findings.iter().map(|own| own.attack).collect();
    assert_eq!(
        attacks,
        [
            "constant-column",
            "spectral-filter",
            "best-linear-estimate",
            "noise-linkage",
            "wavelet-filter",
            "averaging",
            "dinur-nissim",
            "weighted-sums",
            "local-sensitivity",
            "undesired-regression"
        ]
    );
    for found in &findings {
        assert!(found.outcome == Outcome::NotMade && !found.verdict.is_empty(), "{found:?}");
    }
    let columns = given(Some(&values), &values, Law::Add(NOISE));
    let findings = assess(&columns, &Knowing { in_time: true, ..Knowing::default() }).unwrap();
    assert!(!serde_json::to_string(&findings).unwrap().contains("3133"));
}

#[test]
fn edges() {
    let knowing = Knowing::default();
    assert!(assess(&[], &knowing).is_err());
    for values in [vec![], vec![1.0], vec![f64::NAN; 3]] {
        let values = [values];
        let columns = given(Some(&values), &values, Law::Add(NOISE));
        let findings = assess(&columns, &Knowing { in_time: true, ..knowing }).unwrap();
        assert!(findings.iter().all(|own| own.outcome == Outcome::NotMade), "{findings:?}");
    }
    let (short, long) = ([1.0], [1.0, 2.0]);
    let column = |values, law| PerturbedColumn {
        name: "x",
        values,
        law,
        step: 0.0,
        unit: 0.0,
        together: None,
        original: None,
    };
    assert!(assess(&[column(&short, Law::Keep), column(&long, Law::Keep)], &knowing).is_err());
    assert!(assess(&[column(&long, Law::Replace { probability: 0.5 })], &knowing).is_err());
    assert!(assess(&[column(&long, Law::Add(Noise::Gaussian { deviation: -1.0 }))], &knowing).is_err());
    assert!(assess(&[column(&[1.0, f64::INFINITY], Law::Add(NOISE))], &knowing).is_err());
    assert!(assess(&[column(&long, Law::Keep)], &Knowing { confidence: 2.0, ..knowing }).is_err());
    assert!(assess(&[column(&long, Law::Keep)], &Knowing { tolerance: f64::NAN, ..knowing }).is_err());
    // Missing values take their record along, and are told.
    let values = [1.0, 9.0, f64::NAN, 3.0, 5.0];
    let findings = assess(&[column(&values, Law::Add(NOISE))], &knowing).unwrap();
    let found = of(&findings, "best-linear-estimate");
    assert!(found.verdict.ends_with("Records with missing values that were left out: 1."), "{found:?}");
}

/// Three columns that follow one hidden number with a little of their own; the last of them is published as it is.
fn correlated(factor: f64, records: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut coins = SeededCoins::new(24);
    let rows: Vec<[f64; 3]> = (0..records)
        .map(|_| {
            let hidden = 8.0 * coins.normal().unwrap();
            [hidden + coins.normal().unwrap(), 3.0 * hidden + coins.normal().unwrap(), hidden]
        })
        .collect();
    let values: Vec<f64> = rows.iter().flat_map(|row| [row[0], row[1]]).collect();
    let noisy = privet_perturb::correlated_noise(&values, 2, factor, &mut coins).unwrap().value;
    let original = (0..3).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
    let mut published: Vec<Vec<f64>> =
        (0..2).map(|column| noisy.iter().skip(column).step_by(2).copied().collect()).collect();
    published.push(rows.iter().map(|row| row[2]).collect());
    (original, published)
}

fn shared<'a>(
    original: Option<&'a [Vec<f64>]>,
    published: &'a [Vec<f64>],
    factor: f64,
) -> Vec<PerturbedColumn<'a>> {
    let mut columns = given(original, published, Law::Keep);
    columns.iter_mut().take(2).for_each(|column| column.together = Some(factor));
    columns
}

/// survey ME-24, AT-16: within columns of correlated noise the best linear estimate is a step to the mean, which leaves
/// 1/√(1+d); a column beside them that depends on theirs gives them away; and taking the noise for independent is worse.
#[test]
fn correlated_noise_is_attacked_by_its_covariance() {
    let factor = 1.0;
    let (original, published) = correlated(factor, 4000);
    let alone = assess(&shared(Some(&original[..2]), &published[..2], factor), &Knowing::default()).unwrap();
    let found = of(&alone, "best-linear-estimate");
    let Outcome::Estimated { expected_error, score: Some(score), .. } = found.outcome else {
        panic!("{found:?}")
    };
    assert!((expected_error - 0.5f64.sqrt()).abs() < 1e-9, "{expected_error}");
    // 4000 records: the error of an error is about 1 %.
    assert!((score.estimate_error - 0.5f64.sqrt()).abs() < 0.04, "{score:?}");
    // The naive estimate takes the common direction for data and the small ones for noise.
    let columns = shared(Some(&original[..2]), &published[..2], factor);
    let table = Table::new(&columns).unwrap();
    let naive = best_linear(table.records().unwrap(), &table.as_if_independent()).unwrap();
    let naive = table.score(&naive.estimates, &Knowing::default()).unwrap().unwrap();
    assert!(naive.estimate_error > score.estimate_error + 0.02, "{naive:?} {score:?}");
    assert!(naive.recovered.high < score.recovered.low, "{naive:?} {score:?}");
    assert!(
        found.verdict.contains("whoever took the noise of the columns for independent"),
        "{}",
        found.verdict
    );
    let spectral = of(&alone, "spectral-filter");
    assert_eq!(spectral.outcome, Outcome::NotMade);
    assert!(spectral.verdict.contains("every direction holds the same share"), "{}", spectral.verdict);

    // With the third column beside them hardly any noise is left.
    let beside = assess(&shared(Some(&original), &published, factor), &Knowing::default()).unwrap();
    let found = of(&beside, "best-linear-estimate");
    let Outcome::Estimated { succeeded, score: Some(score), .. } = found.outcome else { panic!("{found:?}") };
    assert!(succeeded && score.estimate_error < 0.2 && score.recovered.rate > 0.95, "{score:?}");
    assert_eq!(found.columns, ["a", "b"]);
    // And linking uses the same covariance: with an exact column beside, everybody is found.
    let Outcome::Linked { succeeded, score } = of(&beside, "noise-linkage").outcome else { panic!() };
    assert!(succeeded && score.right.rate > 0.9, "{score:?}");
}

#[test]
fn correlated_noise_beside_independent_noise() {
    let (original, mut published) = correlated(0.5, 1500);
    let mut coins = SeededCoins::new(3);
    published[2] = additive_noise(&published[2], NOISE, &mut coins).unwrap().value;
    let mut columns = shared(Some(&original), &published, 0.5);
    columns[2].law = Law::Add(NOISE);
    let findings = assess(&columns, &Knowing { in_time: true, ..Knowing::default() }).unwrap();
    // The filter is made on the third column alone, and scored on it alone.
    let spectral = of(&findings, "spectral-filter");
    assert!(spectral.verdict.starts_with("1 of 1 directions"), "{}", spectral.verdict);
    let best = of(&findings, "best-linear-estimate");
    let Outcome::Estimated { score: Some(score), .. } = best.outcome else { panic!("{best:?}") };
    assert!(score.estimate_error < score.published_error - 0.2, "{score:?}");
    assert_eq!(
        findings
            .iter()
            .filter(|own| own.attack == "wavelet-filter" && own.outcome != Outcome::NotMade)
            .count(),
        3
    );
    // Two factors, or another law beside the shared noise, are refused.
    columns[0].together = Some(0.7);
    assert!(assess(&columns, &Knowing::default()).is_err());
    columns[0].together = Some(0.5);
    columns[1].law = Law::Add(NOISE);
    assert!(assess(&columns, &Knowing::default()).is_err());
    // No record, one record, constant columns.
    for rows in [vec![], vec![1.0], vec![4.0; 5]] {
        let published = vec![rows.clone(), rows.clone()];
        let columns = shared(Some(&published), &published, 0.5);
        let findings = assess(&columns, &Knowing::default()).unwrap();
        assert!(findings.iter().all(|own| !own.outcome.succeeded()), "{findings:?}");
    }
}

/// Even noise that is rounded may be published beyond its bounds: whoever does not think of it takes others for the person.
#[test]
fn rounded_even_noise_is_linked() {
    let mut coins = SeededCoins::new(11);
    let noise = Noise::Uniform { half_width: 2.6 };
    let original: Vec<Vec<f64>> =
        (0..2).map(|_| (0..900).map(|_| (60.0 * coins.normal().unwrap()).round()).collect()).collect();
    let rounded = |own: &Vec<f64>, coins: &mut SeededCoins| -> Vec<f64> {
        let noisy = additive_noise(own, noise, coins).unwrap().value;
        noisy.iter().map(|value| (value / 2.0).round() * 2.0).collect()
    };
    let published: Vec<Vec<f64>> = original.iter().map(|own| rounded(own, &mut coins)).collect();
    let mut columns = given(Some(&original), &published, Law::Add(noise));
    columns.iter_mut().for_each(|column| column.step = 2.0);
    let findings = assess(&columns, &Knowing::default()).unwrap();
    let Outcome::Linked { score, .. } = of(&findings, "noise-linkage").outcome else { panic!() };
    // Whoever stands alone within reach is found, and found rightly.
    assert!(score.exposed.rate > 0.4 && score.right_when_sure.rate > 0.97, "{score:?}");
    columns.iter_mut().for_each(|column| column.step = 0.0);
    let findings = assess(&columns, &Knowing::default()).unwrap();
    let Outcome::Linked { score: blind, .. } = of(&findings, "noise-linkage").outcome else { panic!() };
    assert!(blind.right_when_sure.high < score.right_when_sure.low, "{blind:?} {score:?}");
    assert!(assess(&[PerturbedColumn { step: f64::NAN, ..columns[0] }], &Knowing::default()).is_err());
}

/// A unit above the noise: the published values are within half a deviation for 38 % of the records, and rounded they are all
/// right. With a unit that the noise hides nothing changes.
#[test]
fn estimates_are_rounded_to_the_unit() {
    let mut coins = SeededCoins::new(12);
    let noise = Noise::Gaussian { deviation: 100.0 };
    let original: Vec<Vec<f64>> =
        vec![(0..1000).map(|_| 1000.0 * (20.0 + 8.0 * coins.normal().unwrap()).round()).collect()];
    let published = vec![additive_noise(&original[0], noise, &mut coins).unwrap().value];
    let found = |original: Option<&[Vec<f64>]>, unit: f64| {
        let mut columns = given(original, &published, Law::Add(noise));
        columns[0].unit = unit;
        let knowing = Knowing { in_time: true, ..Knowing::default() };
        assess(&columns, &knowing).unwrap()
    };
    let all = found(Some(&original), 1000.0);
    for attack in ["best-linear-estimate", "spectral-filter", "wavelet-filter"] {
        let own = of(&all, attack);
        let Outcome::Estimated { succeeded, score: Some(score), .. } = own.outcome else { panic!("{own:?}") };
        assert!(succeeded && score.recovered.hits >= 995 && score.published.hits < 450, "{own:?}");
        assert!(own.verdict.contains("rounded to what the originals are multiples of"), "{}", own.verdict);
    }
    assert!(of(&found(None, 1000.0), "best-linear-estimate").outcome.succeeded());
    for unit in [0.0, 1.0, 100.0] {
        let found = found(Some(&original), unit);
        let own = of(&found, "best-linear-estimate");
        assert!(!own.outcome.succeeded() && !own.verdict.contains("multiples"), "{own:?}");
    }
    let mut columns = given(None, &published, Law::Add(noise));
    columns[0].unit = f64::NAN;
    assert!(assess(&columns, &Knowing::default()).is_err());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(80))]
    /// Records with missing numbers: whom each is taken for, and how surely, is what going through everybody gives, of whom only
    /// those who lack the same numbers can be behind it.
    #[test]
    fn records_with_missing_numbers_are_linked(
        people in proptest::collection::vec((1i32..30, 1i32..30, 1i32..4, 0u8..8), 2..40),
        second in 0usize..3,
        seed in proptest::prelude::any::<u64>(),
    ) {
        let mut coins = SeededCoins::new(seed);
        let laws = [
            Law::Add(Noise::Gaussian { deviation: 2.0 }),
            [
                Law::Add(Noise::Uniform { half_width: 3.0 }),
                Law::Multiply(Noise::Gaussian { deviation: 0.2 }),
                Law::Add(Noise::Gaussian { deviation: 0.5 }),
            ][second],
            Law::Keep,
        ];
        let number = |missing: u8, place: u8, value: i32| {
            if missing >> place & 1 == 1 { f64::NAN } else { f64::from(value) }
        };
        let original: Vec<Vec<f64>> = vec![
            people.iter().map(|own| number(own.3, 0, own.0)).collect(),
            people.iter().map(|own| number(own.3, 1, own.1)).collect(),
            people.iter().map(|own| number(own.3, 2, own.2)).collect(),
        ];
        let mut noisy = |law: Law, value: f64| match law {
            Law::Add(noise) => value + noise.draw(&mut coins).unwrap(),
            Law::Multiply(noise) => value * (1.0 + noise.draw(&mut coins).unwrap()),
            _ => value,
        };
        let published: Vec<Vec<f64>> = laws.iter().zip(&original)
            .map(|(&law, own)| own.iter().map(|&value| noisy(law, value)).collect())
            .collect();
        let columns: Vec<PerturbedColumn<'_>> = given(Some(&original), &published, Law::Keep).into_iter().zip(laws)
            .map(|(column, law)| PerturbedColumn { law, ..column })
            .collect();
        let findings = assess(&columns, &Knowing::default()).unwrap();
        let found = of(&findings, "noise-linkage");
        if original.iter().flatten().all(|value| value.is_nan()) {
            proptest::prop_assert_eq!(found.outcome, Outcome::NotMade);
            return Ok(());
        }
        let Outcome::Linked { score, .. } = found.outcome else { panic!("{found:?}") };
        let weight = |record: usize, person: usize| -> f64 {
            (0..3).map(|at| match (published[at][record], original[at][person]) {
                (y, x) if y.is_nan() || x.is_nan() => f64::from(u8::from(y.is_nan() == x.is_nan())),
                (y, x) => match laws[at] {
                    Law::Add(Noise::Gaussian { deviation }) => (-((y - x) / deviation).powi(2) / 2.0).exp(),
                    Law::Add(Noise::Uniform { half_width }) => f64::from(u8::from((y - x).abs() <= half_width)),
                    Law::Multiply(Noise::Gaussian { deviation }) => (-((y / x - 1.0) / deviation).powi(2) / 2.0).exp() / x,
                    _ => f64::from(u8::from(y == x)),
                },
            }).product()
        };
        let (mut right, mut sure) = (0, 0);
        proptest::prop_assert_eq!(found.links.len(), people.len());
        for (at, (record, link, is_right)) in found.links.iter().enumerate() {
            proptest::prop_assert_eq!(at, *record);
            let all: f64 = (0..people.len()).map(|person| weight(at, person)).sum();
            let best = (0..people.len()).map(|person| weight(at, person)).fold(0.0, f64::max) / all;
            let own = weight(at, link.person as usize) / all;
            proptest::prop_assert!((own - best).abs() < 1e-9, "{at} {link:?} {own} {best}");
            proptest::prop_assert_eq!(*is_right, link.person as usize == at);
            if link.confidence > 0.0 {
                proptest::prop_assert!((link.confidence - best).abs() < 2e-5, "{at} {link:?} {best}");
            }
            right += u64::from(*is_right);
            sure += u64::from(link.confidence >= 0.9);
        }
        proptest::prop_assert_eq!((score.right.hits, score.exposed.hits), (right, sure));
    }
}

/// Correlated noise beside a column with gaps: the covariance of the noise is that of all records, also for the few with a gap.
#[test]
fn gaps_beside_correlated_noise() {
    let (original, published) = correlated(0.001, 600);
    let gap = |own: &[Vec<f64>]| {
        let mut own = own.to_vec();
        for at in [3, 77, 400] {
            own[2][at] = f64::NAN;
        }
        own
    };
    let (original, published) = (gap(&original), gap(&published));
    let findings = assess(&shared(Some(&original), &published, 0.001), &Knowing::default()).unwrap();
    let found = of(&findings, "noise-linkage");
    assert_eq!(found.links.len(), 600);
    for at in [3usize, 77, 400] {
        let (record, link, right) = found.links[at];
        assert!(record == at && right && link.person as usize == at, "{link:?}");
    }
}
