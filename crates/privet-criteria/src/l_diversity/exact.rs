//! Exact comparison of an entropy with the logarithm of a whole number (papers III.2, implementation facts).
//!
//! H >= log l is n^n >= l^n · Π r^r in whole numbers. Floating point decides all but near ties; this
//! decides those.

use std::cmp::Ordering;

/// Blocks whose counts, divided by their common divisor, add up to more than this are not compared.
const LARGEST: u64 = 4096;

/// Whether the entropy of the counts is at least log l; `None` when the numbers are too large to tell.
pub(super) fn entropy_at_least(counts: impl Iterator<Item = u64> + Clone, l: u64) -> Option<bool> {
    let divisor = counts.clone().fold(0, common_divisor);
    if divisor == 0 {
        return None;
    }
    // The inequality is the same for counts divided by a common divisor.
    let (mut rows, mut values, mut equal) = (0u64, 0u64, true);
    for count in counts.clone() {
        rows = rows.checked_add(count / divisor)?;
        values += 1;
        equal &= count == divisor;
    }
    if equal {
        return Some(values >= l);
    }
    if rows > LARGEST || l > u32::MAX.into() {
        return None;
    }
    let left = Natural::one().times_power(rows as u32, rows);
    let mut right = Natural::one().times_power(l as u32, rows);
    for count in counts {
        let count = count / divisor;
        right = right.times_power(count as u32, count);
    }
    Some(left.compare(&right) != Ordering::Less)
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A natural number of any size: digits to base 2^32, the least significant first.
struct Natural(Vec<u32>);

impl Natural {
    fn one() -> Self {
        Self(vec![1])
    }

    fn times_power(mut self, factor: u32, power: u64) -> Self {
        if factor == 1 {
            return self;
        }
        for _ in 0..power {
            let mut carry = 0u64;
            for digit in &mut self.0 {
                carry += u64::from(*digit) * u64::from(factor);
                *digit = carry as u32;
                carry >>= 32;
            }
            if carry > 0 {
                self.0.push(carry as u32);
            }
        }
        self
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(counts: &[u64], l: u64) -> Option<bool> {
        entropy_at_least(counts.iter().copied(), l)
    }

    #[test]
    fn papers_iii_2_ties_are_decided_exactly() {
        assert_eq!(at_least(&[2, 2], 2), Some(true));
        assert_eq!(at_least(&[3_000_000_000, 3_000_000_000, 3_000_000_000], 3), Some(true));
        // Half, and four eighths: exactly 2 bits.
        assert_eq!(at_least(&[4, 1, 1, 1, 1], 4), Some(true));
        assert_eq!(at_least(&[5, 1, 1, 1, 1], 4), Some(false));
        assert_eq!(at_least(&[1001, 1000], 2), Some(false));
        assert_eq!(at_least(&[100_001, 100_000], 2), None);
        assert_eq!(at_least(&[], 2), None);
    }
}
