//! The median with noise for this table instead of the worst one: smooth sensitivity (survey ME-31, TH-17; Nissim,
//! Raskhodnikova and Smith 2007).
//!
//! With x_i the i-th value in order, the lower bound before the first and the upper after the last, and m the median,
//! A_k = max over 0≤t≤k+1 of x_{m+t} − x_{m+t−k−1} is the most that the median can move by one replacement in any
//! table that differs from this one in k records. 𝒮 = max_k r^(−k)·A_k is at least the local sensitivity A_0 and
//! changes by a factor of at most r between neighbours. ERR-15: the survey prints the factor as β where Nissim has
//! e^β; r is that factor here, a fraction above 1. ERR-16: of the witnesses, [0,0,Λ,Λ,Λ] has median Λ and [0,0,0,Λ,Λ]
//! median 0.
//!
//! Guarantee: (epsilon, delta)-private when one person's record comes, goes or is replaced, discrete Laplace noise of scale
//! 2𝒮/epsilon and r = 1 + epsilon/(2L), L ≥ ln(2/delta) + epsilon/2 and L ≥ 1. Proof for the discrete noise, since
//! the paper's is for densities. Shifting by ≤ 𝒮 costs a factor e^(epsilon/2). Then the scale s changes to s' with
//! 1/r ≤ s'/s ≤ r. To a larger one, P_s(z)/P_s'(z) ≤ tanh(1/2s)/tanh(1/2s') ≤ s'/s ≤ r ≤ e^(epsilon/2). To a smaller
//! one, P_s(z)/P_s'(z) ≤ e^(|z|(1/s'−1/s)) ≤ e^(|z|(r−1)/s), which is ≤ e^(epsilon/2) unless |z|/s > epsilon/(2(r−1))
//! = L, and that has probability ≤ 2e^(−L) ≤ delta·e^(−epsilon/2). Together: (epsilon, delta). Rounding keeps it:
//! r^(−k) is a ladder of whole numbers G_{k+1} = ⌈G_k/r⌉, and 𝒮 = max G_k·A_k/G_0.
//!
//! The print has replacements only. A record that comes or goes is covered by the same bound: A_k is the longest of
//! all windows of k+1 steps that hold the median's rank; one record more or less moves ranks, the median's among
//! them, by one at most, so each such window lies in one of k+2 steps of the other table (A_k ≤ A'_{k+1}, which is
//! smoothness), and the median moves to a neighbouring rank at most (A_0). No record at all is a table as well: its
//! median is the upper bound, which is what stands after the last value, and gets its noise like any other. From
//! k = 20,000 on A_k is taken for the whole width, which only raises 𝒮 and keeps A_k ≤ A'_{k+1}.

use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

use crate::budget::{Delta, Epsilon, Loss, Privacy};
use crate::people::People;
use crate::samplers::{discrete_laplace, saturating_i128};
use crate::{Bounds, DpError, exact};

/// The median of a column within declared bounds.
#[derive(Debug)]
pub struct SmoothMedian {
    bounds: Bounds,
    epsilon: Epsilon,
    loss: Loss,
    /// r as a fraction.
    growth: RBig,
}

const TOP: u64 = 1 << 62;

/// Windows of more steps are not looked at one by one.
const FARTHEST: i128 = 20_000;

impl SmoothMedian {
    /// For one record per person; whether it is in the table, or among those that are looked at, is hidden as well.
    pub fn new(people: People, bounds: Bounds, epsilon: &Epsilon, delta: &Delta) -> Result<Self, DpError> {
        if people.contributions() != 1 {
            return Err(DpError::parameter(
                "the number of records per person of a smooth median",
                "1; use a quantile where a person has several",
            ));
        }
        let failure = || DpError::parameter("delta", "above 0 for a smooth median, such as 1e-6");
        if delta.value().is_zero() {
            return Err(failure());
        }
        let log = exact::ln_upper(&(RBig::from(2) / delta.value())).ok_or_else(failure)?;
        let log = (log + epsilon.value() / RBig::from(2)).max(RBig::ONE);
        let growth = RBig::ONE + epsilon.value() / (RBig::from(2) * log);
        let loss = Privacy::Approximate(epsilon.clone(), delta.clone()).loss();
        Ok(Self { bounds, epsilon: epsilon.clone(), loss, growth })
    }

    /// What an answer costs.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// With a probability of 95 %, so much divided by the number of records is how far off the answer is, in units, if
    /// values lie evenly between the bounds; it is less where they lie densely around their median, and the whole
    /// width at most. How far off it is for the data at hand depends on the data and must not be told.
    pub fn half_width_95_times_records(&self) -> f64 {
        self.half_width_95_times_records_of_all(1)
    }

    /// The same for all of so many answers together: each is off by more with a probability of 5 % divided by their number.
    pub fn half_width_95_times_records_of_all(&self, answers: u64) -> f64 {
        // A_k = (k+1)·width/n, and r^(−k)·(k+1) is largest at k+1 = 1/ln r.
        let log = self.growth.to_f64().value().ln();
        let steps = (1.0 / log).max(1.0);
        let largest = steps * (-(steps - 1.0) * log).exp() * self.bounds.width() as f64;
        (20.0 * answers.max(1) as f64).ln() * 2.0 * largest / self.epsilon.value().to_f64().value()
    }

    /// The smooth sensitivity in units, which depends on the data and must not be published.
    fn smooth_sensitivity(&self, sorted: &[i64]) -> RBig {
        let width = self.bounds.width();
        let n = sorted.len() as i128;
        let middle = median_position(sorted.len()) as i128;
        let value = |position: i128| i128::from(self.at(sorted, position));
        let (numerator, denominator) = self.growth.clone().into_parts();
        let numerator = numerator.into_parts().1;
        let mut weight = TOP;
        let mut best = 0u128;
        // From k = n on the window spans the bounds, and weights only fall.
        for k in 0..=n {
            if u128::from(weight) * width <= best {
                break;
            }
            if k == FARTHEST {
                best = u128::from(weight) * width;
                break;
            }
            let reach = (0..=k + 1).map(|t| value(middle + t) - value(middle + t - k - 1)).max().unwrap_or(0);
            best = best.max(u128::from(weight) * reach.unsigned_abs());
            let (quotient, rest) = (
                UBig::from(weight) * &denominator / &numerator,
                UBig::from(weight) * &denominator % &numerator,
            );
            weight = u64::try_from(quotient).unwrap_or(weight) + u64::from(rest != UBig::ZERO);
        }
        RBig::from(IBig::from(best)) / RBig::from(TOP)
    }

    /// The value at a rank; the bounds before the first and after the last.
    fn at(&self, sorted: &[i64], rank: i128) -> i64 {
        let known = usize::try_from(rank).ok().map(|rank| sorted.get(rank).copied());
        known.map_or(self.bounds.lower(), |own| own.unwrap_or(self.bounds.upper()))
    }

    /// The noisy median of values given in units, clamped to the bounds before and after.
    pub fn release(&self, units: impl IntoIterator<Item = i64>) -> Result<i64, DpError> {
        let mut sorted: Vec<i64> = units.into_iter().map(|value| self.bounds.clamp(value)).collect();
        sorted.sort_unstable();
        let median = self.at(&sorted, median_position(sorted.len()) as i128);
        let scale = self.smooth_sensitivity(&sorted) * RBig::from(2) / self.epsilon.value();
        let noisy = saturating_i128(&(discrete_laplace(&scale)? + IBig::from(median)));
        Ok(noisy.clamp(self.bounds.lower().into(), self.bounds.upper().into()) as i64)
    }
}

/// The lower median.
fn median_position(records: usize) -> usize {
    records.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Neighbours;
    use proptest::prelude::*;

    fn median(upper: i64, epsilon: &str, delta: &str) -> SmoothMedian {
        let people = People::one_record_each(Neighbours::ReplaceOne);
        let bounds = Bounds::integers(0, upper).unwrap();
        SmoothMedian::new(people, bounds, &epsilon.parse().unwrap(), &delta.parse().unwrap()).unwrap()
    }

    /// survey ME-31, ERR-16: the witnesses, local sensitivity Λ at one and the other, global sensitivity Λ.
    #[test]
    fn witnesses_of_the_survey() {
        let (low, high) = ([0i64, 0, 0, 9, 9], [0i64, 0, 9, 9, 9]);
        assert_eq!((low[median_position(5)], high[median_position(5)]), (0, 9));
        let median = median(9, "1", "0.001");
        assert_eq!(median.smooth_sensitivity(&low), RBig::from(9));
        assert_eq!(median.smooth_sensitivity(&high), RBig::from(9));
        // Local sensitivity 0, but not smooth: two replacements away lies the worst table.
        let calm = median.smooth_sensitivity(&[4; 5]);
        assert!(calm > RBig::ZERO && calm < RBig::from(9));
    }

    fn local(sorted: &[i64], upper: i64) -> i64 {
        let mut worst = 0;
        for place in 0..sorted.len() {
            for value in 0..=upper {
                let mut other = sorted.to_vec();
                other[place] = value;
                other.sort_unstable();
                let m = median_position(sorted.len());
                worst = worst.max((other[m] - sorted[m]).abs());
            }
        }
        worst
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        /// Definition 4.5 by brute force: never below the local sensitivity, and smooth by r for every neighbour.
        #[test]
        fn upper_bound_and_smooth(mut values in prop::collection::vec(0i64..7, 1..7), place in 0usize..7, new in 0i64..7) {
            let median = median(6, "2", "0.05");
            values.sort_unstable();
            let here = median.smooth_sensitivity(&values);
            prop_assert!(here >= RBig::from(local(&values, 6)));
            let mut other = values.clone();
            let place = place % other.len();
            other[place] = new;
            other.sort_unstable();
            let there = median.smooth_sensitivity(&other);
            prop_assert!(here <= &there * &median.growth && there <= &here * &median.growth);
        }

        /// The dilation step of the proof, summed exactly: P_s against P_s' in both directions.
        #[test]
        fn scales_within_r_are_close(scale in 0.2f64..30.0, epsilon in 0.1f64..3.0, delta in 0.001f64..0.3) {
            let log = ((2.0 / delta).ln() + epsilon / 2.0).max(1.0);
            let r = 1.0 + epsilon / (2.0 * log);
            let p = |s: f64, z: i32| { let a = (-1.0 / s).exp(); (1.0 - a) / (1.0 + a) * a.powi(z.abs()) };
            for (s, t) in [(scale, scale * r), (scale * r, scale)] {
                let spent: f64 = (-3000..=3000).map(|z| (p(s, z) - (epsilon / 2.0).exp() * p(t, z)).max(0.0)).sum();
                prop_assert!(spent <= delta * (-epsilon / 2.0).exp() + 1e-12);
            }
        }
    }

    #[test]
    fn better_than_global_sensitivity_where_it_counts() {
        // Dense values in wide bounds: 2001 records within 1000 of 10^9 units.
        let values: Vec<i64> = (0..2001).map(|i| 500_000_000 + i / 2).collect();
        let median = median(1_000_000_000, "1", "1e-6");
        let smooth = median.smooth_sensitivity(&values);
        assert!(smooth < RBig::from(1000), "{}", smooth.to_f64().value());
        let answer = median.release(values).unwrap();
        // Scale below 2000: farther than 40,000 has probability below 2e^−20.
        assert!((answer - 500_000_500).abs() < 40_000, "{answer}");
    }

    #[test]
    fn edges() {
        assert!((0..=5).contains(&median(5, "1", "0.1").release([]).unwrap()));
        assert!((0..=5).contains(&median(5, "1", "0.1").release([77]).unwrap()));
        let people = People::one_record_each(Neighbours::ReplaceOne);
        let point = Bounds::integers(3, 3).unwrap();
        let (epsilon, delta) = ("1".parse().unwrap(), "0.1".parse().unwrap());
        assert_eq!(SmoothMedian::new(people, point, &epsilon, &delta).unwrap().release([1, 2]).unwrap(), 3);
        assert!(SmoothMedian::new(people, point, &epsilon, &"0".parse().unwrap()).is_err());
        let other = People::new(Neighbours::AddRemove, 2).unwrap();
        assert!(SmoothMedian::new(other, point, &epsilon, &delta).is_err());
    }

    /// All tables of up to four values from 0 to 4, none included: what comes or goes moves the median by no more than
    /// the bound, and the bound by no more than r.
    #[test]
    fn records_that_come_or_go() {
        let median = median(4, "2", "0.05");
        let at = |sorted: &[i64]| median.at(sorted, median_position(sorted.len()) as i128);
        let mut tables: Vec<Vec<i64>> = vec![vec![]];
        for size in 0..4 {
            let longer: Vec<Vec<i64>> = tables
                .iter()
                .filter(|own| own.len() == size)
                .flat_map(|own| {
                    let last = own.last().copied().unwrap_or(0);
                    (last..=4).map(move |value| [own.clone(), vec![value]].concat())
                })
                .collect();
            tables.extend(longer);
        }
        assert_eq!(tables.len(), 1 + 5 + 15 + 35 + 70);
        for table in &tables {
            let here = median.smooth_sensitivity(table);
            for value in 0..=4 {
                let mut more = table.clone();
                more.push(value);
                more.sort_unstable();
                let there = median.smooth_sensitivity(&more);
                let moved = RBig::from((at(table) - at(&more)).abs());
                assert!(moved <= here && moved <= there, "{table:?} {value}");
                assert!(
                    here <= &there * &median.growth && there <= &here * &median.growth,
                    "{table:?} {value}"
                );
            }
        }
    }

    /// The width for even values: 1001 of them, 400 draws, of which 380 are expected within, with a deviation of 4.4.
    /// False alarms: more than 398 within has probability 3e-8, fewer than 350 (6.8 deviations) less than 1e-8.
    #[test]
    fn the_width_for_even_values_holds() {
        let median = median(100_000, "1", "1e-6");
        let values: Vec<i64> = (0..1001).map(|i| i * 100).collect();
        let width = median.half_width_95_times_records() / 1000.0;
        let within = (0..400)
            .filter(|_| (median.release(values.clone()).unwrap() - 50_000).abs() as f64 <= width * 1.01);
        let within = within.count();
        assert!((350..=398).contains(&within), "{within} within {width}");
    }
}
