//! Generalization strategies: the maximal chains of the lattice (thesis Theorem 2.1, Corollary 2.1; spec 2.1).
//!
//! A strategy raises one column by one level at each step until all are at the top, so it is an arrangement of
//! the columns in which each occurs as often as it has levels above the values. There are
//! f(h₁, …, hₖ) = Σᵢ f(…, hᵢ − 1, …) = (Σ hᵢ)! / Π hᵢ! of them.

/// How many strategies there are over columns with these top levels; `None` when a `u128` cannot count them.
///
/// ```
/// use privet_recode::lattice::hash_table::strategies;
/// assert_eq!(strategies(&[1, 2]), Some(3));
/// assert_eq!(strategies(&[2, 2]), Some(6));
/// assert_eq!(strategies(&[64; 9]), None);
/// ```
pub fn strategies(heights: &[usize]) -> Option<u128> {
    let mut heights = heights.to_vec();
    heights.sort_unstable_by(|a, b| b.cmp(a));
    // The tallest column alone has one strategy. Each step of a lower one at least doubles the count, so the
    // loops below soon end or overflow, whatever the heights.
    let mut steps = heights.first().map_or(0, |&height| height as u128);
    let mut count = 1u128;
    for &height in heights.get(1..).unwrap_or_default() {
        for step in 1..=height as u128 {
            steps += 1;
            // count · steps / step is whole. Dividing first keeps each product within the result.
            let common = gcd(count, step);
            count = (count / common).checked_mul(steps / (step / common))?;
        }
    }
    Some(count)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// All strategies, one after the other: per step the column that is raised. They come in lexicographic order,
/// so that the first raises the first column to its top before any other. For small lattices only; see
/// [`strategies`] for how many there are.
#[derive(Debug, Clone)]
pub struct Strategies {
    next: Option<Vec<usize>>,
}

impl Strategies {
    /// The strategies over columns with these top levels.
    pub fn new(heights: &[usize]) -> Self {
        let steps = |(column, &height): (usize, &usize)| std::iter::repeat_n(column, height);
        Self { next: Some(heights.iter().enumerate().flat_map(steps).collect()) }
    }
}

impl Iterator for Strategies {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let current = self.next.take()?;
        // The next arrangement raises the last step that has a larger one behind it, and puts what follows in
        // order.
        if let Some(last) = (1..current.len()).rev().find(|&i| current[i - 1] < current[i]) {
            let mut following = current.clone();
            let pivot = current[last - 1];
            // Behind it columns fall, so the last one that is larger is the smallest such.
            let larger = (last..current.len()).rev().find(|&i| current[i] > pivot).unwrap_or(last);
            following.swap(last - 1, larger);
            following[last..].reverse();
            self.next = Some(following);
        }
        Some(current)
    }
}

impl std::iter::FusedIterator for Strategies {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Theorem 2.1 and Corollary 2.1 as printed.
    fn recursion(heights: &[usize]) -> u128 {
        if heights.iter().filter(|&&height| height > 0).count() <= 1 {
            return 1;
        }
        (0..heights.len())
            .filter(|&i| heights[i] > 0)
            .map(|i| {
                let mut lower = heights.to_vec();
                lower[i] -= 1;
                recursion(&lower)
            })
            .sum()
    }

    #[test]
    fn goldens() {
        assert_eq!(strategies(&[1, 2]), Some(3));
        assert_eq!(strategies(&[2, 2]), Some(6));
        assert_eq!(strategies(&[]), Some(1));
        assert_eq!(strategies(&[0, 0]), Some(1));
        assert_eq!(strategies(&[0, 7]), Some(1));
        let of_fig_2_3: Vec<Vec<usize>> = Strategies::new(&[1, 2]).collect();
        assert_eq!(of_fig_2_3, [[0, 1, 1], [1, 0, 1], [1, 1, 0]]);
    }

    #[test]
    fn the_count_is_exact_up_to_the_last_that_fits() {
        // 34! fits 128 bits, 35! does not.
        assert_eq!(strategies(&[1; 34]), Some((1..=34).product()));
        assert_eq!(strategies(&[1; 35]), None);
        // C(132, 66) does not fit, C(130, 65) does: Pascal's triangle.
        let mut row = vec![1u128];
        for _ in 0..130 {
            row = (0..=row.len())
                .map(|i| row.get(i).unwrap_or(&0) + if i > 0 { row[i - 1] } else { 0 })
                .collect();
        }
        assert_eq!(strategies(&[65, 65]), Some(row[65]));
        assert_eq!(strategies(&[66, 66]), None);
        assert_eq!(strategies(&[usize::MAX]), Some(1));
        assert_eq!(strategies(&[1, usize::MAX]), Some(usize::MAX as u128 + 1));
        assert_eq!(strategies(&[usize::MAX; 3]), None);
    }

    proptest! {
        #[test]
        fn the_closed_form_is_the_recursion_and_the_iterator_lists_them(
            heights in prop::collection::vec(0usize..4, 0..4),
        ) {
            let count = recursion(&heights);
            prop_assert_eq!(strategies(&heights), Some(count));
            let listed: Vec<Vec<usize>> = Strategies::new(&heights).collect();
            prop_assert_eq!(listed.len() as u128, count);
            prop_assert!(listed.is_sorted());
            prop_assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len());
            for strategy in &listed {
                for (column, &height) in heights.iter().enumerate() {
                    prop_assert_eq!(strategy.iter().filter(|&&c| c == column).count(), height);
                }
            }
        }
    }
}
