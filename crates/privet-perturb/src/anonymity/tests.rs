use super::*;
use crate::SeededCoins;
use crate::testing::{assert_mean, assert_near};
use proptest::prelude::*;

/// survey PM-21.
#[test]
fn printed_sums() {
    let values = [0.0, 1.0, 2.0, 10.0];
    let points = Points::new(&values, 1).unwrap();
    let spreads = vec![Spread::Sphere(1.0); 4];
    let sums = expected_all(points, &spreads).unwrap();
    for (found, printed) in sums.iter().zip([0.467_193, 0.617_078, 0.467_224]) {
        assert_near(*found, printed, 5e-7);
    }
    assert_near(sums[3], 0.000_035_4, 5e-8);
}

fn points() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-5.0f64..5.0, 4..40).prop_map(|mut values| {
        values.truncate(values.len() / 2 * 2);
        values
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// survey TH-28: more records never take anonymity away; and more noise never does.
    #[test]
    fn records_and_noise_add(values in points(), deviation in 0.01f64..10.0, more in 0.0f64..5.0) {
        let all = Points::new(&values, 2).unwrap();
        let fewer = Points::new(&values[..values.len() - 2], 2).unwrap();
        let spread = Spread::Sphere(deviation);
        for record in 0..fewer.len() {
            let sum = expected(all, record, &spread).unwrap();
            prop_assert!(sum >= expected(fewer, record, &spread).unwrap());
            prop_assert!(sum <= expected(all, record, &Spread::Sphere(deviation + more)).unwrap() + 1e-12);
            prop_assert!(sum <= (all.len() - 1) as f64 / 2.0);
        }
    }

    /// The least deviation suffices, and a little less does not.
    #[test]
    fn least_deviations_are_least(values in points(), share in 0.05f64..0.95) {
        let points = Points::new(&values, 2).unwrap();
        let k = share * (points.len() - 1) as f64 / 2.0;
        prop_assume!(k > 0.0);
        for (record, deviation) in least_deviations(points, k).unwrap().into_iter().enumerate() {
            prop_assert!(expected(points, record, &Spread::Sphere(deviation)).unwrap() >= k - 1e-12);
            if deviation > 0.0 {
                prop_assert!(expected(points, record, &Spread::Sphere(deviation * (1.0 - 1e-6))).unwrap() < k);
            }
        }
    }

    /// The three ways of saying the same law agree.
    #[test]
    fn spreads_agree(values in points(), deviation in 0.1f64..5.0) {
        let points = Points::new(&values, 2).unwrap();
        let square = deviation * deviation;
        let sphere = expected(points, 0, &Spread::Sphere(deviation)).unwrap();
        for spread in [
            Spread::Axes(vec![deviation; 2]),
            Spread::Covariance(DMatrix::from_row_slice(2, 2, &[square, 0.0, 0.0, square])),
        ] {
            prop_assert!((expected(points, 0, &spread).unwrap() - sphere).abs() < 1e-9);
        }
    }
}

/// Φ(−δ/2) against draws, straight from the definition with densities; correlated noise in the plane. False alarm: 1e-6
/// for all 3.
#[test]
fn the_closed_form_is_the_definition() {
    let values = [0.0, 0.0, 1.0, 0.5, -0.5, 1.0, 2.0, 2.0];
    let points = Points::new(&values, 2).unwrap();
    let covariance = DMatrix::from_row_slice(2, 2, &[1.0, 0.6, 0.6, 2.0]);
    let inverse = covariance.clone().try_inverse().unwrap();
    let triangle = covariance.clone().cholesky().unwrap().unpack();
    let mut coins = SeededCoins::new(41);
    let draws = 40_000;
    let mut better = [0u32; 3];
    for _ in 0..draws {
        let noise = &triangle * DVector::from_vec(vec![coins.normal().unwrap(), coins.normal().unwrap()]);
        let log_density = |j: usize| {
            let away = DVector::from_vec(vec![noise[0] - values[2 * j], noise[1] - values[2 * j + 1]]);
            -(away.transpose() * &inverse * &away)[0]
        };
        (1..4).for_each(|j| better[j - 1] += u32::from(log_density(j) > log_density(0)));
    }
    let mut sum = 0.0;
    for (j, count) in (1..4).zip(better) {
        let pair = [&values[..2], &values[2 * j..2 * j + 2]].concat();
        let p = expected(Points::new(&pair, 2).unwrap(), 0, &Spread::Covariance(covariance.clone())).unwrap();
        sum += p;
        assert_mean(f64::from(count) / f64::from(draws), p, (p * (1.0 - p) / f64::from(draws)).sqrt(), 3);
    }
    assert_near(expected(points, 0, &Spread::Covariance(covariance)).unwrap(), sum, 1e-12);
}

/// survey PM-22 on a line, where the probability is known: record 0 at 0, others at 1, 2 and 3. At least two fit better
/// when X > 1, all three when X > 1.5. False alarm: 1e-6 for all 4.
#[test]
fn draws_on_a_line() {
    let values = [0.0, 1.0, 2.0, 3.0];
    let points = Points::new(&values, 1).unwrap();
    let mut coins = SeededCoins::new(51);
    let draws = 20_000;
    for (k, p) in [(0, 1.0), (1, upper_tail(0.25)), (2, upper_tail(0.5)), (3, upper_tail(0.75)), (4, 0.0)] {
        let drawn = fits(points, 0, &Spread::Sphere(2.0), k, draws, &mut coins).unwrap();
        let share = drawn.value.held as f64 / draws as f64;
        if p == 0.0 || p == 1.0 {
            assert_eq!(share, p);
        } else {
            assert_mean(share, p, (p * (1.0 - p) / draws as f64).sqrt(), 4);
            assert_eq!(drawn.value.judge(p - 0.05, 1e-6), Verdict::Holds);
            assert_eq!(drawn.value.judge(p + 0.05, 1e-6), Verdict::Fails);
            assert_eq!(drawn.value.judge(share, 1e-6), Verdict::Undecided);
        }
    }
    // An equal record fits better half of the time.
    let equal = [3.0, 3.0];
    let drawn = fits(Points::new(&equal, 1).unwrap(), 0, &Spread::Sphere(0.0), 1, draws, &mut coins).unwrap();
    assert_mean(drawn.value.held as f64 / draws as f64, 0.5, (0.25 / draws as f64).sqrt(), 4);
    assert_eq!(Fits { held: 0, draws: 0 }.judge(0.5, 0.01), Verdict::Undecided);
    assert_eq!(Fits { held: 9, draws: 10 }.judge(0.5, f64::NAN), Verdict::Undecided);
}

#[test]
fn edges() {
    assert!(Points::new(&[1.0, 2.0, 3.0], 2).is_err() && Points::new(&[], 0).is_err());
    assert!(Points::new(&[f64::NAN], 1).is_err());
    let empty = Points::new(&[], 3).unwrap();
    assert!(empty.is_empty() && expected_all(empty, &[]).unwrap().is_empty());
    assert!(least_deviations(empty, 1.0).unwrap().is_empty());
    assert!(expected(empty, 0, &Spread::Sphere(1.0)).is_err());
    let values = [0.0, 0.0, 5.0, 5.0];
    let points = Points::new(&values, 1).unwrap();
    for bad in [
        Spread::Sphere(-1.0),
        Spread::Sphere(f64::NAN),
        Spread::Axes(vec![]),
        Spread::Axes(vec![f64::INFINITY]),
    ] {
        assert!(expected(points, 0, &bad).is_err());
    }
    for bad in [DMatrix::zeros(1, 1), DMatrix::zeros(2, 2), DMatrix::from_element(1, 1, f64::NAN)] {
        assert!(expected(points, 0, &Spread::Covariance(bad)).is_err());
    }
    assert!(expected(points, usize::MAX, &Spread::Sphere(1.0)).is_err());
    assert!(expected_all(points, &[Spread::Sphere(1.0)]).is_err());
    // Without noise only equal records fit, half of the time.
    assert_eq!(expected(points, 0, &Spread::Sphere(0.0)), Ok(0.5));
    assert_eq!(expected(points, 0, &Spread::Axes(vec![0.0])), Ok(0.5));
    assert_eq!(least_deviation(points, 0, 0.5), Ok(0.0));
    assert!(least_deviation(points, 0, 1.4).unwrap() > 5.0);
    for k in [0.0, 1.5, 2.0, f64::NAN] {
        assert!(least_deviation(points, 0, k).is_err(), "{k}");
    }
    let same = [2.0; 5];
    assert_eq!(least_deviation(Points::new(&same, 1).unwrap(), 0, 2.0), Ok(0.0));
    let alone = [2.0];
    assert!(least_deviation(Points::new(&alone, 1).unwrap(), 0, 0.1).is_err());
}

/// Equals are told, so that the strict sum can be: an equal record counts one half.
#[test]
fn equal_records_are_counted() {
    let values = [0.0, 1.0, -0.0, 1.0, 5.0, 1.0, 0.0, 1.0, 0.0, 2.0];
    let points = Points::new(&values, 2).unwrap();
    assert_eq!(points.equals(), [2, 2, 0, 2, 0]);
    let tiny = Spread::Sphere(1e-6);
    // With next to no noise, equals are all that fits.
    assert_near(expected(points, 0, &tiny).unwrap(), 1.0, 1e-12);
    assert_near(expected(points, 2, &tiny).unwrap(), 0.0, 1e-12);
    assert!(Points::new(&[], 1).unwrap().equals().is_empty());
}
