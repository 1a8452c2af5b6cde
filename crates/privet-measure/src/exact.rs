//! Sums of doubles without error: what large numbers of either sign leave of small ones is not lost, and no sum on the way
//! is too large.
//!
//! A double is a whole number of at most 53 bits times a power of two. All that are finite are whole multiples of 2⁻¹⁰⁷⁴, so
//! a whole number of some 2200 bits holds any sum of them: here in digits of 32 bits, each with room for carries.
//!
//! # Guarantee
//! [`ExactSum::value`] is the double nearest to the true sum, whatever the order in which numbers were added; infinite when
//! the true sum is beyond all doubles. A sum with an infinite or undefined number is what IEEE 754 makes of it.

/// Numbers that are summed up between two sums that are kept.
const BLOCK: usize = 128;

/// Exact sums of runs of numbers, each in the time of a few of them. What is not finite is left out.
#[derive(Debug, Clone)]
pub struct RunSums<'a> {
    numbers: &'a [f64],
    /// At the beginning of every block the sum of all numbers before it, and how many are finite.
    before: Vec<(ExactSum, u64)>,
}

impl<'a> RunSums<'a> {
    /// Of these numbers.
    pub fn new(numbers: &'a [f64]) -> Self {
        let mut sum = (ExactSum::default(), 0);
        let before = numbers.chunks(BLOCK).map(|block| {
            let begin = sum.clone();
            add(block, &mut sum);
            begin
        });
        Self { numbers, before: before.collect() }
    }

    /// Adds the numbers from a first place to a last one, both included, and tells how many are finite.
    pub fn add(&self, first: usize, last: usize, to: &mut ExactSum) -> u64 {
        let end = self.numbers.len().min(last.saturating_add(1));
        let (from, to_block) = (first.div_ceil(BLOCK), end / BLOCK);
        let mut own = (ExactSum::default(), 0);
        match (self.before.get(from), self.before.get(to_block)) {
            (Some(begin), Some(stop)) if from < to_block => {
                own = stop.clone();
                own.0.take(&begin.0);
                own.1 -= begin.1;
                add(&self.numbers[first..from * BLOCK], &mut own);
                add(&self.numbers[to_block * BLOCK..end], &mut own);
            }
            _ => add(self.numbers.get(first..end).unwrap_or_default(), &mut own),
        }
        to.merge(&own.0);
        own.1
    }
}

fn add(numbers: &[f64], to: &mut (ExactSum, u64)) {
    for &number in numbers.iter().filter(|number| number.is_finite()) {
        to.0.add(number, 1);
        to.1 += 1;
    }
}

/// The weight of the lowest digit is 2 to this.
const LOWEST: i32 = -1088;
/// Digits: the largest double times 2⁶⁴ ends below bit 2176, and as many sums of them as there can be stay below the last.
const DIGITS: usize = 72;
/// After so many additions digits are carried on, long before one could overflow.
const MOST_PENDING: u32 = 1 << 28;

/// A sum that is kept exactly.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExactSum {
    /// Empty until something is added.
    digits: Vec<i64>,
    pending: u32,
    /// The sum of what is not finite; 0 when all is.
    beyond: f64,
}

impl ExactSum {
    /// Adds a number so many times.
    pub fn add(&mut self, number: f64, times: u64) {
        if times == 0 || number == 0.0 {
            return;
        }
        if !number.is_finite() {
            self.beyond += number;
            return;
        }
        if self.digits.is_empty() {
            self.digits = vec![0; DIGITS];
        }
        let bits = number.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let (whole, power) = match exponent {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, exponent - 1075),
        };
        let product = u128::from(whole) * u128::from(times);
        let place = (power - LOWEST) as usize;
        let (first, shift) = (place / 32, place % 32);
        for digit in 0..4 {
            let part = ((product >> (32 * digit)) as u32 as u64) << shift;
            let (low, high) = ((part & 0xffff_ffff) as i64, (part >> 32) as i64);
            let (low, high) = if number < 0.0 { (-low, -high) } else { (low, high) };
            self.digits[first + digit] += low; // why: the first place is at most 64, and four digits and one follow
            self.digits[first + digit + 1] += high; // why: as above
        }
        self.pending += 1;
        if self.pending >= MOST_PENDING {
            carry(&mut self.digits);
            self.pending = 0;
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        self.beyond += other.beyond;
        if other.digits.is_empty() {
            return;
        }
        if self.digits.is_empty() {
            self.digits = vec![0; DIGITS];
        }
        let mut theirs = other.digits.clone();
        carry(&mut theirs);
        carry(&mut self.digits);
        self.digits.iter_mut().zip(&theirs).for_each(|(own, other)| *own += other);
        self.pending = 1;
    }

    /// Takes another sum of finite numbers away.
    fn take(&mut self, other: &Self) {
        let mut theirs = other.clone();
        theirs.digits.iter_mut().for_each(|digit| *digit = -*digit);
        self.merge(&theirs);
    }

    /// The double nearest to the sum.
    pub fn value(&self) -> f64 {
        self.scaled(0)
    }

    /// The sum divided by a number, which need not be within doubles for that.
    pub fn divided(&self, by: f64) -> f64 {
        let whole = self.value();
        if whole.is_infinite() && self.beyond == 0.0 {
            return self.scaled(-128) / by * two_to(128);
        }
        whole / by
    }

    /// The double nearest to the sum times a power of two.
    fn scaled(&self, power: i32) -> f64 {
        if self.beyond != 0.0 || self.digits.is_empty() {
            return self.beyond;
        }
        let mut digits = self.digits.clone();
        carry(&mut digits);
        let is_negative = digits.last().is_some_and(|&last| last < 0);
        if is_negative {
            digits.iter_mut().for_each(|digit| *digit = -*digit);
            carry(&mut digits);
        }
        let Some(highest) = digits.iter().rposition(|&digit| digit != 0) else { return 0.0 };
        // The highest four digits have more bits than a double; of the others it matters whether there is anything.
        let lowest = highest.saturating_sub(3);
        let (below, top) = digits.split_at(lowest);
        let mut bits = 0u128;
        for &digit in top.iter().take(highest - lowest + 1).rev() {
            bits = bits << 32 | u128::from(digit as u32);
        }
        if below.iter().any(|&digit| digit != 0) {
            bits |= 1;
        }
        let exponent = LOWEST + 32 * lowest as i32 + power;
        // In two steps, because neither a power nor a product on the way may be beyond doubles.
        let size = bits as f64 * two_to(exponent / 2) * two_to(exponent - exponent / 2);
        if is_negative { -size } else { size }
    }
}

/// The exact sum of numbers, each so many times.
pub fn sum(numbers: impl IntoIterator<Item = (f64, u64)>) -> f64 {
    let mut sum = ExactSum::default();
    numbers.into_iter().for_each(|(number, times)| sum.add(number, times));
    sum.value()
}

/// 2 to a power from −1022 to 1023.
fn two_to(power: i32) -> f64 {
    f64::from_bits(((power.clamp(-1022, 1023) + 1023) as u64) << 52)
}

/// Makes every digit but the last one of 32 bits; the last has the sign.
fn carry(digits: &mut [i64]) {
    let mut over = 0;
    let last = digits.len().saturating_sub(1);
    for (at, digit) in digits.iter_mut().enumerate() {
        *digit += over;
        if at < last {
            over = *digit >> 32;
            *digit &= 0xffff_ffff;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn each(numbers: &[f64]) -> f64 {
        sum(numbers.iter().map(|&number| (number, 1)))
    }

    #[test]
    fn small_numbers_between_large_ones_are_not_lost() {
        assert_eq!(each(&[1e308, 18.0, -1e308]), 18.0);
        assert_eq!(each(&[1e308, 1e308, -1e308, 5e-324, -1e308]), 5e-324);
        assert_eq!(each(&[0.1; 10]), 1.0);
        assert_eq!(sum([(-3.5, 3), (10.5, 1)]), 0.0);
        assert_eq!(sum([(f64::MAX, u64::MAX), (-f64::MAX, u64::MAX - 1)]), f64::MAX);
        assert_eq!(sum([(5e-324, u64::MAX)]), 5e-324 * u64::MAX as f64);
    }

    #[test]
    fn beyond_all_doubles() {
        assert_eq!(each(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(each(&[-f64::MAX, -f64::MAX]), f64::NEG_INFINITY);
        assert_eq!(each(&[f64::INFINITY, 1.0]), f64::INFINITY);
        assert!(each(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan() && each(&[f64::NAN]).is_nan());
        let mut twice = ExactSum::default();
        twice.add(f64::MAX, 4);
        assert_eq!(twice.divided(4.0), f64::MAX);
        assert_eq!(each(&[]), 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        /// Whole numbers of 63 bits scaled by powers of two: 128 bits add them up exactly.
        #[test]
        fn as_whole_numbers_add_up(
            numbers in prop::collection::vec((-(1i64 << 52)..1i64 << 52, 0u64..1000), 0..20), power in -900i32..900,
        ) {
            let exact: i128 = numbers.iter().map(|&(x, times)| i128::from(x) * i128::from(times)).sum();
            let scale = two_to(power);
            let mut own = ExactSum::default();
            let mut rest = ExactSum::default();
            for (at, &(x, times)) in numbers.iter().enumerate() {
                if at % 2 == 0 { own.add(x as f64 * scale, times) } else { rest.add(x as f64 * scale, times) }
            }
            own.merge(&rest);
            prop_assert_eq!(own.value(), exact as f64 * scale);
        }

        /// Sums of runs are those of their numbers, one by one, wherever they begin and end.
        #[test]
        fn runs_are_summed_as_their_numbers_are(
            numbers in prop::collection::vec(prop_oneof![9 => -1e300..1e300f64, 1 => Just(f64::NAN)], 1..700),
            ends in prop::collection::vec((0usize..700, 0usize..700), 8),
        ) {
            let sums = RunSums::new(&numbers);
            for (a, b) in ends {
                let (first, last) = (a.min(b), a.max(b).min(numbers.len() - 1));
                let (mut own, mut expected) = (ExactSum::default(), (ExactSum::default(), 0));
                let count = sums.add(first, last, &mut own);
                add(numbers.get(first..=last).unwrap_or_default(), &mut expected);
                prop_assert_eq!((own.value(), count), (expected.0.value(), expected.1));
            }
        }

        /// Pairs that cancel leave what stands between them.
        #[test]
        fn what_cancels_leaves_nothing(numbers in prop::collection::vec(any::<f64>(), 0..12), left in any::<f64>()) {
            let finite: Vec<f64> = numbers.into_iter().filter(|x| x.is_finite()).collect();
            prop_assume!(left.is_finite() && left != 0.0);
            let mut all = finite.clone();
            all.push(left);
            all.extend(finite.iter().rev().map(|x| -x));
            prop_assert_eq!(each(&all), left);
        }
    }
}
