//! From how far a requester is trusted to how far the data is anonymized (thesis 2.9).
//!
//! The thesis names "the quadratic projection" without a formula (defect 10); the default here is (1 - t)². It does
//! not say either where a trust value comes from: it is for the person to give.
//!
//! # Guarantee
//! A projection that passed its check leads from trust between 0 and 1 to a degree between 0 and 1, and more trust
//! never to a larger degree.

use serde::Deserialize;

use super::OutOfRange;

/// How trust becomes a degree of anonymization.
///
/// ```
/// use privet_recode::purpose::Projection;
/// assert_eq!(Projection::Quadratic.degree(0.5), Ok(0.25));
/// assert_eq!(Projection::Points(vec![(0.0, 1.0), (0.5, 0.2), (1.0, 0.0)]).degree(0.25), Ok(0.6));
/// ```
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// (1 - t)²
    #[default]
    Quadratic,
    /// 1 - t²
    OneMinusSquare,
    /// 1 - t
    Linear,
    /// (1 - t)^p with p above 0
    Power(f64),
    /// Straight lines between points (trust, degree).
    Points(Vec<(f64, f64)>),
}

impl Projection {
    /// Checks the exponent or the points.
    ///
    /// # Errors
    /// When more trust could lead to a larger degree, or to none.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let fine = match self {
            Projection::Power(exponent) => {
                if exponent.is_finite() && *exponent > 0.0 {
                    return Ok(());
                }
                return Err(OutOfRange("must have a power above 0, such as { power = 3 }"));
            }
            Projection::Points(points) => {
                points.len() >= 2
                    && points.first().is_some_and(|point| point.0 == 0.0)
                    && points.last().is_some_and(|point| point.0 == 1.0)
                    && points.iter().all(|point| (0.0..=1.0).contains(&point.1))
                    && points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1)
            }
            Projection::Quadratic | Projection::OneMinusSquare | Projection::Linear => true,
        };
        if fine {
            return Ok(());
        }
        Err(OutOfRange(
            "must have points [trust, degree] whose trust rises from 0 to 1 and whose degree lies between 0 and 1 \
             and never rises, such as { points = [[0, 1], [0.5, 0.2], [1, 0]] }",
        ))
    }

    /// The degree of anonymization for this much trust.
    ///
    /// # Errors
    /// When trust is not between 0 and 1, or the projection does not pass its [`check`](Self::check).
    pub fn degree(&self, trust: f64) -> Result<f64, OutOfRange> {
        check_trust(trust)?;
        self.check()?;
        let degree = match self {
            Projection::Quadratic => (1.0 - trust).powi(2),
            Projection::OneMinusSquare => 1.0 - trust * trust,
            Projection::Linear => 1.0 - trust,
            Projection::Power(exponent) => (1.0 - trust).powf(*exponent),
            Projection::Points(points) => between(points, trust),
        };
        Ok(degree.clamp(0.0, 1.0))
    }
}

/// Checks a trust value.
///
/// # Errors
/// When it is not between 0 and 1.
pub fn check_trust(trust: f64) -> Result<(), OutOfRange> {
    if (0.0..=1.0).contains(&trust) { Ok(()) } else { Err(OutOfRange("must be a number from 0 to 1")) }
}

/// The height of the line through these points.
fn between(points: &[(f64, f64)], at: f64) -> f64 {
    let line = points.windows(2).find(|pair| at <= pair[1].0);
    line.map_or(0.0, |pair| {
        let ((left, high), (right, low)) = (pair[0], pair[1]);
        high + (at - left) / (right - left) * (low - high)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn projections() -> impl Strategy<Value = Projection> {
        let points = prop::collection::vec((0.0f64..1.0, 0.0f64..=1.0), 0..5).prop_map(|inner| {
            let (mut trusts, mut degrees): (Vec<f64>, Vec<f64>) = inner.into_iter().unzip();
            trusts.extend([0.0, 1.0]);
            trusts.sort_by(f64::total_cmp);
            trusts.dedup();
            degrees.resize(trusts.len(), 0.5);
            degrees.sort_by(|a, b| b.total_cmp(a));
            Projection::Points(trusts.into_iter().zip(degrees).collect())
        });
        prop_oneof![
            Just(Projection::Quadratic),
            Just(Projection::OneMinusSquare),
            Just(Projection::Linear),
            (0.01f64..9.0).prop_map(Projection::Power),
            points,
        ]
    }

    proptest! {
        #[test]
        fn more_trust_never_a_larger_degree(projection in projections(), a in 0.0f64..=1.0, b in 0.0f64..=1.0) {
            let (less, more) = (projection.degree(a.min(b)).unwrap(), projection.degree(a.max(b)).unwrap());
            prop_assert!((0.0..=1.0).contains(&less) && (0.0..=1.0).contains(&more));
            prop_assert!(more <= less + 1e-12);
        }
    }

    #[test]
    fn formulas() {
        let at = |projection: Projection, trust: f64| projection.degree(trust).unwrap();
        assert_eq!(at(Projection::default(), 0.75), 0.0625);
        assert_eq!(at(Projection::OneMinusSquare, 0.5), 0.75);
        assert_eq!(at(Projection::Linear, 0.25), 0.75);
        assert_eq!(at(Projection::Power(3.0), 0.5), 0.125);
        let points = Projection::Points(vec![(0.0, 0.9), (0.5, 0.3), (1.0, 0.1)]);
        assert!((at(points.clone(), 0.25) - 0.6).abs() < 1e-12);
        assert_eq!((at(points.clone(), 0.0), at(points, 1.0)), (0.9, 0.1));
        for projection in [Projection::Quadratic, Projection::OneMinusSquare, Projection::Linear] {
            assert_eq!((at(projection.clone(), 0.0), at(projection, 1.0)), (1.0, 0.0));
        }
    }

    #[test]
    fn what_is_refused() {
        for trust in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Projection::Linear.degree(trust), Err(OutOfRange("must be a number from 0 to 1")));
        }
        for power in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Projection::Power(power).degree(0.5).is_err(), "{power}");
        }
        let wrong = [
            vec![],
            vec![(0.0, 1.0)],
            vec![(0.0, 1.0), (0.9, 0.0)],
            vec![(0.1, 1.0), (1.0, 0.0)],
            vec![(0.0, 0.0), (1.0, 1.0)],
            vec![(0.0, 1.0), (0.5, 0.5), (0.5, 0.4), (1.0, 0.0)],
            vec![(0.0, 1.5), (1.0, 0.0)],
            vec![(0.0, f64::NAN), (1.0, 0.0)],
            vec![(0.0, 1.0), (f64::NAN, 0.5), (1.0, 0.0)],
        ];
        for points in wrong {
            assert!(Projection::Points(points.clone()).check().is_err(), "{points:?}");
        }
    }
}
