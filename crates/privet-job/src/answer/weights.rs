//! What records of a perturbed release count for, and what they add up to.
//!
//! For a condition g on the original of a perturbed column, a record that shows v counts as w(v) = Σ_u g(u)·B[u,v]; then
//! E w = g. For a sum, t with E t = g·x, and s with E s = g·x². Columns multiply.
//!
//! # Guarantee
//! Count and sum are unbiased. As g is 0 or 1, Var w = E w² − g is estimated without bias by w² − w, Var t by t² − s, and
//! the covariance of both by t·w − t. (Records are perturbed independently of each other, so variances add up.)
//!
//! An average is the quotient of both. Its interval is Fieller's: all r for which sum − r·count is within its error of 0.
//! Where the count cannot be told from 0 there is none, and no average is given.

use privet_measure::answer::{Aggregate, Estimate};
use privet_measure::exact::ExactSum;
use privet_release::perturbed::NoiseWay;

use crate::randomize::model::{Inverse, ReadyNoise};

/// The quantile of the normal distribution that leaves 2.5 % above.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// What is summed.
pub(super) enum Target {
    /// Nothing: records are counted.
    None,
    /// Numbers that are known.
    Known(Vec<f64>),
    /// Numbers with noise: z, and an unbiased estimate of x².
    Noise(Vec<(f64, f64)>),
    /// Categories that are numbers: per original value its number.
    Category {
        /// The column.
        position: usize,
        /// Per value.
        numbers: Vec<f64>,
    },
}

impl Target {
    /// Numbers with noise. Missing ones are 0 and must be left out by the caller.
    pub fn noise(law: &ReadyNoise, numbers: &[Option<f64>]) -> Self {
        let known: Vec<f64> = numbers.iter().copied().flatten().collect();
        let variance = match law.way {
            // Not published: d/(1+d) of what is seen.
            NoiseWay::Correlated => {
                let n = known.len() as f64;
                let mean = known.iter().sum::<f64>() / n.max(1.0);
                let seen = known.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
                law.factor / (1.0 + law.factor) * (seen - law.rounding_variance()).max(0.0)
            }
            _ => law.noise.variance(),
        };
        let square = |z: f64| match law.way {
            NoiseWay::Multiplicative => z * z / (1.0 + variance),
            _ => z * z - variance - law.rounding_variance(),
        };
        Target::Noise(numbers.iter().map(|own| own.map_or((0.0, 0.0), |z| (z, square(z)))).collect())
    }
}

/// What records count for in one perturbed column.
pub(super) struct Weighed {
    /// Per record its published value; `None` where it is missing.
    codes: Vec<Option<u32>>,
    missing_meets: bool,
    /// Per published value w; and where this column is summed t and s.
    weights: Vec<f64>,
    sums: Option<(Vec<f64>, Vec<f64>)>,
    /// The least and the most of the numbers that are asked for, 0 included.
    ends: (f64, f64),
}

impl Weighed {
    /// For originals that meet a condition; `numbers` when this column is summed.
    pub fn new(
        codes: Vec<Option<u32>>,
        inverse: &Inverse,
        meets: &[bool],
        missing_meets: bool,
        numbers: Option<&[f64]>,
    ) -> Self {
        let of = |power: i32| -> Vec<f64> {
            let number = |at: usize| numbers.and_then(|own| own.get(at)).map_or(1.0, |x| x.powi(power));
            let function: Vec<f64> =
                meets.iter().enumerate().map(|(at, &meets)| if meets { number(at) } else { 0.0 }).collect();
            inverse.weigh(&function)
        };
        let asked = numbers.into_iter().flatten().zip(meets).filter(|(_, meets)| **meets);
        let ends = asked.fold((0.0, 0.0), |(low, high): (f64, f64), (&x, _)| (low.min(x), high.max(x)));
        Self { codes, missing_meets, weights: of(0), sums: numbers.map(|_| (of(1), of(2))), ends }
    }
}

/// What records add up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tally {
    count: f64,
    count_variance: f64,
    /// Exact: without a perturbed value among them, so is the answer.
    sum: ExactSum,
    sum_variance: f64,
    covariance: f64,
    /// Records that may count, and the least and the most that they can add to a sum.
    possible: u64,
    least: ExactSum,
    most: ExactSum,
}

/// Adds up the records that are possible, by their group.
pub(super) fn tally(
    weighed: &[Weighed],
    target: &Target,
    possible: &[bool],
    group_of: &[u32],
    groups: usize,
) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); groups];
    'records: for (record, (_, &group)) in possible.iter().zip(group_of).enumerate().filter(|(_, own)| *own.0)
    {
        // w of all columns, that of those which are not summed, and t and s of the one which is.
        let (mut w, mut others, mut own_sums, mut ends) = (1.0, 1.0, (0.0, 0.0), (0.0, 0.0));
        for column in weighed {
            let at = |list: &[f64], code: u32| list.get(code as usize).copied().unwrap_or(0.0);
            match column.codes.get(record).copied().flatten() {
                Some(code) => {
                    let own = at(&column.weights, code);
                    w *= own;
                    match &column.sums {
                        Some((t, s)) => (own_sums, ends) = ((at(t, code), at(s, code)), column.ends),
                        None => others *= own,
                    }
                }
                None if column.missing_meets => {}
                None => continue 'records,
            }
        }
        let (t, s, least, most) = match target {
            Target::None => (0.0, 0.0, 0.0, 0.0),
            Target::Known(numbers) => {
                let x = numbers.get(record).copied().unwrap_or(0.0);
                (w * x, w * x * x, x.min(0.0), x.max(0.0))
            }
            Target::Noise(numbers) => {
                let (z, square) = numbers.get(record).copied().unwrap_or((0.0, 0.0));
                (w * z, w * square, f64::NEG_INFINITY, f64::INFINITY)
            }
            Target::Category { .. } => (others * own_sums.0, others * own_sums.1, ends.0, ends.1),
        };
        let Some(tally) = tallies.get_mut(group as usize) else { continue };
        tally.count += w;
        tally.count_variance += w * w - w;
        tally.sum.add(t, 1);
        tally.sum_variance += t * t - s;
        tally.covariance += t * w - t;
        tally.possible += 1;
        tally.least.add(least, 1);
        tally.most.add(most, 1);
    }
    tallies
}

impl Tally {
    /// Whether the number of records is further from 0 than its error.
    fn count_is_told(&self) -> bool {
        self.count > NORMAL_95 * self.count_variance.max(0.0).sqrt()
    }

    /// The ends of the averages r for which sum − r·count is within its error of 0.
    fn fieller(&self) -> [f64; 2] {
        let square = NORMAL_95 * NORMAL_95;
        let sum = self.sum.value();
        let a = self.count * self.count - square * self.count_variance.max(0.0);
        let b = sum * self.count - square * self.covariance;
        let c = sum * sum - square * self.sum_variance.max(0.0);
        // Variances are estimates, so that rounding and chance may leave less than nothing.
        let half = (b * b - a * c).max(0.0).sqrt();
        [(b - half) / a, (b + half) / a]
    }

    /// The figure. Without any perturbed value it is exact.
    pub fn estimate(&self, aggregate: &Aggregate, is_exact: bool, rows: usize) -> Estimate {
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        let (value, variance, bounds) = match aggregate {
            Aggregate::Count | Aggregate::CountOf(_) => {
                (finite(self.count), self.count_variance, (Some(0.0), Some(self.possible as f64)))
            }
            Aggregate::Sum(_) => (
                finite(self.sum.value()),
                self.sum_variance,
                (finite(self.least.value()), finite(self.most.value())),
            ),
            Aggregate::Average(_) => {
                let ratio = self.sum.divided(self.count);
                let spread =
                    self.sum_variance - 2.0 * ratio * self.covariance + ratio * ratio * self.count_variance;
                let value = finite(ratio).filter(|_| self.count_is_told());
                (value, spread / (self.count * self.count), (None, None))
            }
        };
        let share = match aggregate {
            Aggregate::Count | Aggregate::CountOf(_) => {
                value.map(|own| own / rows as f64).filter(|own| own.is_finite())
            }
            _ => None,
        };
        if is_exact {
            return Estimate {
                expected: value,
                at_least: value,
                at_most: value,
                share,
                ..Estimate::default()
            };
        }
        let standard_error = value.and_then(|_| finite(variance.max(0.0).sqrt()));
        let around = |(own, error): (f64, f64)| [own - NORMAL_95 * error, own + NORMAL_95 * error];
        let interval_95 = match aggregate {
            Aggregate::Average(_) => {
                value.map(|_| self.fieller()).filter(|ends| ends.iter().all(|end| end.is_finite()))
            }
            _ => value.zip(standard_error).map(around),
        };
        let (at_least, at_most) = bounds;
        Estimate { expected: value, at_least, at_most, share, standard_error, interval_95 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// z² less the variances of noise and rounding is unbiased for x²: 200 000 draws, rounded to a whole deviation.
    #[test]
    fn rounding_counts_as_noise() {
        use privet_release::perturbed::{NoiseColumn, NoiseLaw};
        let law = ReadyNoise::new(&NoiseColumn {
            way: NoiseWay::Additive,
            law: NoiseLaw::Gaussian,
            deviation: Some(1.0),
            factor: None,
            dates: false,
            step: Some(1.0),
            figures: None,
            range: None,
            unit: None,
            interval_95: None,
        })
        .unwrap();
        let (n, x) = (200_000, 0.3);
        let mut coins = privet_perturb::SeededCoins::new(11);
        let draw = |_| law.number(&law.text(law.perturb(x, &mut coins).unwrap()).unwrap());
        let numbers: Vec<Option<f64>> = (0..n).map(draw).collect();
        let Target::Noise(own) = Target::noise(&law, &numbers) else { panic!() };
        let mean = own.iter().map(|(_, square)| square).sum::<f64>() / f64::from(n);
        // Var z² is about 2·1.083² + 4·0.09·1.083, so the error of the mean is 0.0037; 1/12 would be 22 of them.
        assert!((mean - x * x).abs() < 5.0 * 0.0037, "{mean}");
    }

    /// Averages of few by Warner's law (p = 0.75): of 300 drawn tables the interval holds the truth in 95 % or more of those in which
    /// an average is given. False alarm: below 90 % has less than 1e-4.
    #[test]
    fn averages_of_few_are_told_with_care() {
        use privet_release::perturbed::{Amplification, Categories, CategoryLaw};
        let inverse = crate::randomize::model::ReadyCategories::new(&Categories {
            mechanism: "warner".into(),
            values: vec!["yes".into(), "no".into()],
            domain: "declared".into(),
            law: CategoryLaw::Matrix(vec![vec![0.75, 0.25], vec![0.25, 0.75]]),
            protects: Amplification { gamma: None, beliefs: vec![] },
        })
        .unwrap()
        .inverse()
        .unwrap();
        let mut coins = privet_perturb::SeededCoins::new(5);
        let mut chance = |p: f64| privet_perturb::Coins::unit(&mut coins).unwrap() < p;
        for yes in [1, 12, 30] {
            let pay: Vec<f64> = (0..40).map(|n| 2000.0 + f64::from(n % 7) * 10.0).collect();
            let truth = pay[..yes].iter().sum::<f64>() / yes as f64;
            let (mut given, mut held) = (0, 0);
            for _ in 0..300 {
                let codes = (0..40).map(|n| Some(u32::from((n < yes) != chance(0.75)))).collect();
                let weighed = [Weighed::new(codes, &inverse, &[true, false], false, None)];
                let tallies = tally(&weighed, &Target::Known(pay.clone()), &[true; 40], &[0; 40], 1);
                let own = tallies[0].estimate(&Aggregate::Average("pay".into()), false, 40);
                assert_eq!(own.expected.is_some(), own.interval_95.is_some());
                if let Some([low, high]) = own.interval_95 {
                    assert!(
                        tallies[0].count > 0.0
                            && low <= own.expected.unwrap()
                            && own.expected.unwrap() <= high
                    );
                    given += 1;
                    held += u32::from((low..=high).contains(&truth));
                }
            }
            // Hardly ever of one, nearly always of thirty.
            let expected = if yes == 1 {
                0..60
            } else if yes == 12 {
                30..280
            } else {
                280..301
            };
            assert!(expected.contains(&given), "{yes}: {given}");
            assert!(given < 60 || f64::from(held) >= 0.9 * f64::from(given), "{yes}: {held} of {given}");
        }
    }

    /// Two perturbed columns of two values, one of them summed, against the mean over all that could be published: the
    /// estimates are unbiased, and so are their variances. Exact but for rounding: nothing is drawn.
    #[test]
    fn unbiased_over_all_outcomes() {
        let laws = [[0.8, 0.3], [0.9, 0.25]];
        // Per law the probability that original u shows 0.
        let shows = |law: usize, u: usize, v: usize| {
            let zero = if u == 0 { laws[law][0] } else { laws[law][1] };
            if v == 0 { zero } else { 1.0 - zero }
        };
        let inverse = |law: usize| {
            let rows = (0..2).map(|u| (0..2).map(|v| shows(law, u, v)).collect()).collect();
            crate::randomize::model::ReadyCategories::new(&privet_release::perturbed::Categories {
                mechanism: "matrix".into(),
                values: vec!["10".into(), "-3".into()],
                domain: "declared".into(),
                law: privet_release::perturbed::CategoryLaw::Matrix(rows),
                protects: privet_release::perturbed::Amplification { gamma: None, beliefs: vec![] },
            })
            .unwrap()
            .inverse()
            .unwrap()
        };
        let numbers = [10.0, -3.0];
        let originals = [(0usize, 0usize), (1, 0), (0, 1)];
        let (true_count, true_sum) = (2.0, 7.0);
        let (mut mean, mut square, mut said) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        let (mut product, mut covariance) = (0.0, 0.0);
        for outcome in 0..64u32 {
            let shown = |record: usize| {
                ((outcome >> (2 * record) & 1) as usize, (outcome >> (2 * record + 1) & 1) as usize)
            };
            let probability: f64 = (0..3)
                .map(|r| shows(0, originals[r].0, shown(r).0) * shows(1, originals[r].1, shown(r).1))
                .product();
            let codes = |column: usize| {
                (0..3).map(|r| Some(if column == 0 { shown(r).0 } else { shown(r).1 } as u32)).collect()
            };
            // The sum of column 0 over records whose column 1 was value 0.
            let weighed = [
                Weighed::new(codes(0), &inverse(0), &[true, true], false, Some(&numbers)),
                Weighed::new(codes(1), &inverse(1), &[true, false], false, None),
            ];
            let target = Target::Category { position: 0, numbers: numbers.to_vec() };
            let tallies = tally(&weighed, &target, &[true; 3], &[0; 3], 1);
            let [own] = &tallies[..] else { panic!() };
            for (at, (value, variance)) in
                [(own.count, own.count_variance), (own.sum.value(), own.sum_variance)].into_iter().enumerate()
            {
                mean[at] += probability * value;
                square[at] += probability * value * value;
                said[at] += probability * variance;
            }
            product += probability * own.count * own.sum.value();
            covariance += probability * own.covariance;
        }
        for (at, truth) in [true_count, true_sum].into_iter().enumerate() {
            assert!((mean[at] - truth).abs() < 1e-9, "{mean:?}");
            assert!((square[at] - truth * truth - said[at]).abs() < 1e-9, "{square:?} {said:?}");
        }
        assert!((product - true_count * true_sum - covariance).abs() < 1e-9);
    }
}
