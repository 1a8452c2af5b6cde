//! The largest sum and the largest average that a choice of records allows (survey US-04).
//!
//! Some numbers must be taken, others may be. The largest sum takes those that may be taken and are positive. The
//! largest average takes them from the largest on as long as they lie above the average so far: with m of them taken,
//! the m largest are best, and the average over the m largest rises and then falls. Both are exact, whatever the sizes of
//! the numbers.

use crate::exact::{self, ExactSum};

/// Numbers that must or may be taken, with how often.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Extremes {
    /// These are taken.
    pub forced: Vec<(f64, u64)>,
    /// Any of these may be taken.
    pub optional: Vec<(f64, u64)>,
}

impl Extremes {
    /// Of these numbers, at least so many and at most so many are taken: then the largest are.
    pub fn take(&mut self, mut numbers: Vec<(f64, u64)>, at_least: u64, at_most: u64) {
        numbers.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let (mut must, mut may) = (at_least, at_most.saturating_sub(at_least));
        for (number, count) in numbers {
            let forced = count.min(must);
            let optional = (count - forced).min(may);
            (must, may) = (must - forced, may - optional);
            if forced > 0 {
                self.forced.push((number, forced));
            }
            if optional > 0 {
                self.optional.push((number, optional));
            }
        }
    }

    /// The largest sum; none when there is no bound.
    pub fn sum(&self) -> Option<f64> {
        let optional = self.optional.iter().map(|&(number, count)| (number.max(0.0), count));
        Some(exact::sum(self.forced.iter().copied().chain(optional))).filter(|sum| sum.is_finite())
    }

    /// The largest average; none when there is no bound, or nothing to average.
    pub fn average(&self) -> Option<f64> {
        let mut count: u64 = self.forced.iter().map(|own| own.1).sum();
        let mut sum = ExactSum::default();
        self.forced.iter().for_each(|&(number, count)| sum.add(number, count));
        let mut optional = self.optional.clone();
        optional.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        for (number, more) in optional {
            if count > 0 && number <= sum.divided(count as f64) {
                break;
            }
            sum.add(number, more);
            count += more;
        }
        (count > 0).then(|| sum.divided(count as f64)).filter(|average| average.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::Extremes;

    #[test]
    fn the_best_choice_is_that_of_all_choices() {
        let numbers = [-3.0, -1.0, 0.0, 2.0, 2.0, 7.0];
        // Every way to call each number forced, optional or absent.
        for ways in 0..3u32.pow(6) {
            let way = |at: usize| ways / 3u32.pow(at as u32) % 3;
            let pick = |wanted| (0..6).filter(|&at| way(at) == wanted).map(|at| (numbers[at], 1)).collect();
            let extremes = Extremes { forced: pick(0), optional: pick(1) };
            let (mut sum, mut average) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            for chosen in 0..64u32 {
                let taken = |at: &usize| way(*at) == 0 || way(*at) == 1 && chosen >> at & 1 == 1;
                let own: Vec<f64> = (0..6).filter(taken).map(|at| numbers[at]).collect();
                let total: f64 = own.iter().sum();
                sum = sum.max(total);
                if !own.is_empty() {
                    average = average.max(total / own.len() as f64);
                }
            }
            assert_eq!(extremes.sum(), Some(sum));
            assert_eq!(extremes.average(), Some(average).filter(|a| a.is_finite()));
        }
    }

    #[test]
    fn large_numbers_leave_small_ones() {
        let own = Extremes { forced: vec![(1e308, 2), (18.0, 1), (-1e308, 2)], optional: vec![(3.0, 1)] };
        assert_eq!((own.sum(), own.average()), (Some(21.0), Some(3.6)));
        let alike = Extremes { forced: vec![(1.5e308, 3)], optional: vec![] };
        assert_eq!((alike.sum(), alike.average()), (None, Some(1.5e308)));
    }

    #[test]
    fn without_a_bound_there_is_none() {
        let open = Extremes { forced: vec![(f64::INFINITY, 1)], optional: vec![] };
        assert_eq!((open.sum(), open.average()), (None, None));
    }
}
