//! How much of a class can be kept: the arithmetic behind `least_suppression`.
//!
//! Several criteria cap the kept part of a class in the same way. When `n` records are kept, no more
//! than `min(r, a·n)` of them can count for a value that occurs `r` times, and together these must make
//! up a share `weight` of `n`. [`largest_kept`] finds the largest such `n`, never too small a one.

/// How far a computed share may miss its threshold and still count as meeting it. Thresholds come from
/// decimal text, shares from divisions: without it `t = 0.2` would not mean 0.2.
pub(crate) const TOLERANCE: f64 = 1e-12;

/// An upper bound on the largest `n <= rows` with `free + Σ min(r, a·n) >= weight·n`, over the parts `(r, a)`.
///
/// The left side minus the right is concave and piecewise linear in `n`, so a tangent taken to the right
/// of its root meets zero to the right of it too: every step of Newton's method from `rows` downwards is
/// an upper bound, and the method is exact after as many steps as there are pieces.
pub(crate) fn largest_kept(
    rows: u64,
    weight: f64,
    free: f64,
    parts: &(impl Iterator<Item = (f64, f64)> + Clone),
) -> u64 {
    let mut kept = rows as f64;
    for _ in 0..64 {
        let (mut fixed, mut slope) = (free, 0.0);
        for (count, cap) in parts.clone() {
            if cap * kept < count {
                slope += cap;
            } else {
                fixed += count;
            }
        }
        if fixed + slope * kept >= weight * kept {
            break;
        }
        let next = (fixed / (weight - slope)).max(0.0);
        if next > kept * (1.0 - TOLERANCE) {
            break;
        }
        kept = next;
    }
    whole_records(kept).min(rows)
}

/// The number of whole records in a computed amount, with room for rounding on the safe side.
pub(crate) fn whole_records(amount: f64) -> u64 {
    (amount * (1.0 + 1e-9) + 1e-9).floor() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_kept_part_is_found_exactly() {
        // At most half of the kept records may have the first value: 3 of (9, 3) and 3.
        assert_eq!(largest_kept(12, 1.0, 0.0, &[(9.0, 0.5), (3.0, 0.5)].into_iter()), 6);
        // Nothing to cut.
        assert_eq!(largest_kept(6, 1.0, 0.0, &[(3.0, 0.5), (3.0, 0.5)].into_iter()), 6);
        // Caps that do not add up to the whole leave nothing.
        assert_eq!(largest_kept(9, 1.0, 0.0, &[(9.0, 0.5)].into_iter()), 0);
        // Unprotected records are free: 2 of them allow 2 of the protected value.
        assert_eq!(largest_kept(9, 1.0, 2.0, &[(7.0, 0.5)].into_iter()), 4);
    }
}
