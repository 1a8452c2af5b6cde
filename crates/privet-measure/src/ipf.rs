//! Iterative proportional fitting: the joint table of counts behind published marginals (survey US-14).
//!
//! Starting from the same count everywhere, the table is scaled to one marginal after the other until it has them
//! all. What it comes to is the table of maximum entropy among those with these marginals: what follows from them and
//! nothing else. It is how several views are used for learning, and what an adversary believes who sees them: a cell
//! of the fitted table over the count of its person's known values is the probability of a sensitive value.
//!
//! # Guarantee
//! Marginals that contradict each other, in their totals or in what they share, are refused. Those that only
//! contradict each other in threes or more, or leave a count no cell to be in, are told by `converged: false` and the
//! distance that is left. Columns in no marginal are spread evenly. With a decomposable set of marginals in the order
//! of a junction tree one round suffices, and the result is the product over marginals divided by that over
//! separators. Deterministic.

/// The most cells of a joint table.
pub const MOST_CELLS: usize = 1 << 24;

/// A published marginal.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginal {
    /// The columns, in the order of the cells.
    pub columns: Vec<usize>,
    /// The counts; the last column changes first.
    pub counts: Vec<f64>,
}

/// When fitting ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitOptions {
    /// The most rounds over all marginals.
    pub rounds: usize,
    /// How far a count may be from its marginal, as a share of the total.
    pub tolerance: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { rounds: 1000, tolerance: 1e-10 }
    }
}

/// A fitted table.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The counts of all cells; the last column changes first.
    pub joint: Vec<f64>,
    /// The rounds that were made.
    pub rounds: usize,
    /// The largest distance of a count from its marginal.
    pub distance: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
}

/// Why no table can be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// Nothing to fit to.
    #[error("at least one marginal is needed, for without one the total is not known")]
    NoMarginal,
    /// The joint table would be too large.
    #[error("the joint table would have more than {MOST_CELLS} cells; fit fewer columns, or coarser ones")]
    TooLarge,
    /// A marginal names a column twice, or one that there is not.
    #[error("marginal {marginal} names a column twice, or one that is not in the table")]
    Column {
        /// The marginal, counted from 0.
        marginal: usize,
    },
    /// A marginal does not have as many counts as its columns give.
    #[error("marginal {marginal} has {found} counts, but its columns give {expected}")]
    Cells {
        /// The marginal, counted from 0.
        marginal: usize,
        /// Its counts.
        found: usize,
        /// What its columns give.
        expected: usize,
    },
    /// A count that is none.
    #[error("marginal {marginal} has a count that is not finite or below 0")]
    Count {
        /// The marginal, counted from 0.
        marginal: usize,
    },
    /// Two marginals do not agree.
    #[error("marginals {first} and {second} do not agree on the columns that both have, or on the total")]
    Inconsistent {
        /// One, counted from 0.
        first: usize,
        /// The other.
        second: usize,
    },
}

/// Fits a joint table of columns with so many values each to marginals. A tolerance that is not above 0 counts as
/// that of the default.
///
/// # Errors
/// When there is no marginal, the table would be larger than [`MOST_CELLS`], or marginals do not fit the columns or
/// each other.
pub fn fit(domains: &[usize], marginals: &[Marginal], options: FitOptions) -> Result<Fitted, FitError> {
    let cells =
        product(domains.iter().copied()).filter(|&cells| cells <= MOST_CELLS).ok_or(FitError::TooLarge)?;
    for (marginal, own) in marginals.iter().enumerate() {
        check(domains, marginal, own)?;
    }
    let total: f64 = marginals.first().ok_or(FitError::NoMarginal)?.counts.iter().sum();
    if cells == 0 {
        // A column without values: there is no cell for anybody to be in.
        let distance = marginals.iter().flat_map(|own| &own.counts).copied().fold(0.0, f64::max);
        return Ok(Fitted { joint: Vec::new(), rounds: 0, distance, converged: distance == 0.0 });
    }
    let tolerance = if options.tolerance > 0.0 { options.tolerance } else { FitOptions::default().tolerance };
    agree(domains, marginals)?;
    let mut joint = vec![total / cells as f64; cells];
    let views: Vec<View> = marginals.iter().map(|own| View::new(domains, &own.columns)).collect();
    let mut sums: Vec<Vec<f64>> = marginals.iter().map(|own| vec![0.0; own.counts.len()]).collect();
    let mut distance = distance_of(&views, &joint, marginals, &mut sums);
    let allowed = tolerance * total.max(1.0);
    let mut rounds = 0;
    while distance > allowed && rounds < options.rounds {
        for ((view, own), sums) in views.iter().zip(marginals).zip(&mut sums) {
            view.sum(&joint, sums);
            for (sum, count) in sums.iter_mut().zip(&own.counts) {
                // Nothing can be scaled to something; it stays nothing, and the distance tells.
                *sum = if *sum > 0.0 { count / *sum } else { 0.0 };
            }
            view.scale(&mut joint, sums);
        }
        rounds += 1;
        distance = distance_of(&views, &joint, marginals, &mut sums);
    }
    Ok(Fitted { joint, rounds, distance, converged: distance <= allowed })
}

fn product(mut domains: impl Iterator<Item = usize>) -> Option<usize> {
    domains.try_fold(1usize, |product, domain| product.checked_mul(domain))
}

fn check(domains: &[usize], marginal: usize, own: &Marginal) -> Result<(), FitError> {
    for (place, column) in own.columns.iter().enumerate() {
        if *column >= domains.len() || own.columns[..place].contains(column) {
            return Err(FitError::Column { marginal });
        }
    }
    let expected = product(own.columns.iter().map(|&column| domains[column])).unwrap_or(usize::MAX);
    if own.counts.len() != expected {
        return Err(FitError::Cells { marginal, found: own.counts.len(), expected });
    }
    // The sum as well, for everything is scaled by it.
    let sum: f64 = own.counts.iter().sum();
    if !own.counts.iter().all(|&count| count >= 0.0) || !sum.is_finite() {
        return Err(FitError::Count { marginal });
    }
    Ok(())
}

/// Whether marginals have the same counts in the columns that they share.
fn agree(domains: &[usize], marginals: &[Marginal]) -> Result<(), FitError> {
    for (second, b) in marginals.iter().enumerate() {
        for (first, a) in marginals[..second].iter().enumerate() {
            let shared: Vec<usize> = a.columns.iter().copied().filter(|c| b.columns.contains(c)).collect();
            let (of_a, of_b) = (onto(domains, a, &shared), onto(domains, b, &shared));
            let total: f64 = a.counts.iter().sum();
            // What sums of published decimals may be off by, and no more.
            let allowed = 1e-9 * total.max(1.0);
            if of_a.iter().zip(&of_b).any(|(a, b)| (a - b).abs() > allowed) {
                return Err(FitError::Inconsistent { first, second });
            }
        }
    }
    Ok(())
}

/// A marginal of a marginal.
fn onto(domains: &[usize], marginal: &Marginal, columns: &[usize]) -> Vec<f64> {
    let own: Vec<usize> = marginal.columns.iter().map(|&column| domains[column]).collect();
    let places: Vec<usize> =
        columns.iter().filter_map(|column| marginal.columns.iter().position(|c| c == column)).collect();
    let mut sums = vec![0.0; places.iter().map(|&place| own[place]).product()];
    View::new(&own, &places).sum(&marginal.counts, &mut sums);
    sums
}

fn distance_of(views: &[View], joint: &[f64], marginals: &[Marginal], sums: &mut [Vec<f64>]) -> f64 {
    let mut most = 0f64;
    for ((view, own), sums) in views.iter().zip(marginals).zip(sums) {
        view.sum(joint, sums);
        let away = sums.iter().zip(&own.counts).map(|(sum, count)| (sum - count).abs());
        most = away.fold(most, f64::max);
    }
    most
}

/// Where the cells of a table are in a marginal of it.
struct View {
    /// All columns but the last.
    outer: Vec<usize>,
    /// The values of the last column; 1 when there is no column.
    inner: usize,
    /// Per outer column how far a step of it goes in the marginal.
    strides: Vec<usize>,
    stride: usize,
}

impl View {
    fn new(domains: &[usize], columns: &[usize]) -> Self {
        let mut strides = vec![0; domains.len()];
        let mut size = 1;
        for &column in columns.iter().rev() {
            strides[column] = size;
            size *= domains[column];
        }
        let stride = strides.pop().unwrap_or(0);
        let (inner, outer) = domains.split_last().map_or((1, &[][..]), |(&last, outer)| (last, outer));
        Self { outer: outer.to_vec(), inner, strides, stride }
    }

    /// Calls for each run of the last column with where it begins in the marginal.
    fn runs(&self, mut call: impl FnMut(usize, usize)) {
        let runs: usize = self.outer.iter().product();
        let mut digits = vec![0usize; self.outer.len()];
        let mut at = 0;
        for run in 0..runs {
            call(run * self.inner, at);
            for column in (0..self.outer.len()).rev() {
                digits[column] += 1;
                at += self.strides[column];
                if digits[column] < self.outer[column] {
                    break;
                }
                at -= self.strides[column] * digits[column];
                digits[column] = 0;
            }
        }
    }

    fn sum(&self, joint: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        self.runs(|cell, at| {
            for (step, count) in joint[cell..cell + self.inner].iter().enumerate() {
                sums[at + step * self.stride] += count;
            }
        });
    }

    fn scale(&self, joint: &mut [f64], factors: &[f64]) {
        self.runs(|cell, at| {
            for (step, count) in joint[cell..cell + self.inner].iter_mut().enumerate() {
                *count *= factors[at + step * self.stride];
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marginal(columns: &[usize], counts: &[f64]) -> Marginal {
        Marginal { columns: columns.to_vec(), counts: counts.to_vec() }
    }

    /// The marginal of a joint table, cell by cell from its definition.
    fn margin(joint: &[f64], domains: &[usize], columns: &[usize]) -> Marginal {
        let mut counts = vec![0.0; columns.iter().map(|&c| domains[c]).product()];
        for (cell, count) in joint.iter().enumerate() {
            let digit = |c: usize| cell / domains[c + 1..].iter().product::<usize>() % domains[c];
            counts[columns.iter().fold(0, |at, &c| at * domains[c] + digit(c))] += count;
        }
        marginal(columns, &counts)
    }

    #[test]
    fn the_golden_of_the_survey() {
        // Survey US-14 on FX-1.6: gender F, M; nationality Russian, Japanese, Korean, American, Chinese, Indian;
        // condition heart disease, viral infection, flu, cancer.
        let nationality = marginal(&[0, 1], &[1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 4.0, 2.0, 1.0]);
        let condition = marginal(&[0, 2], &[1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 4.0]);
        let fitted = fit(&[2, 6, 4], &[nationality, condition], FitOptions::default()).unwrap();
        let cell = |gender: usize, nationality: usize, condition: usize| {
            fitted.joint[(gender * 6 + nationality) * 4 + condition]
        };
        assert!(fitted.converged && fitted.rounds == 1, "{}", fitted.rounds);
        for (found, expected) in
            [(cell(1, 3, 3), 2.0), (cell(1, 4, 3), 1.0), (cell(1, 5, 3), 0.5), (cell(0, 0, 0), 0.25)]
        {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        for condition in 0..4 {
            assert!((0..4).all(|nationality| (cell(0, nationality, condition) - 0.25).abs() < 1e-12));
            assert_eq!(cell(0, 5, condition), 0.0);
        }
    }

    #[test]
    fn contradictions() {
        let options = FitOptions::default();
        let inconsistent = Err(FitError::Inconsistent { first: 0, second: 1 });
        // Other totals, other counts of a shared column.
        let (a, b) = (marginal(&[0], &[1.0, 2.0]), marginal(&[1], &[2.0, 2.0]));
        assert_eq!(fit(&[2, 2], &[a, b], options), inconsistent);
        let (a, b) = (marginal(&[0, 1], &[1.0, 0.0, 0.0, 2.0]), marginal(&[1, 2], &[2.0, 0.0, 1.0, 0.0]));
        assert_eq!(fit(&[2, 2, 2], &[a, b], options), inconsistent);
        // Any two agree, all three cannot: a equals b, b equals c, c is not a.
        let same = [5.0, 0.0, 0.0, 5.0];
        let views =
            [marginal(&[0, 1], &same), marginal(&[1, 2], &same), marginal(&[2, 0], &[0.0, 5.0, 5.0, 0.0])];
        let fitted = fit(&[2, 2, 2], &views, FitOptions { rounds: 50, ..options }).unwrap();
        assert!(!fitted.converged && fitted.distance > 1.0, "{fitted:?}");
        assert!(fitted.joint.iter().all(|count| count.is_finite()));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let options = FitOptions::default();
        assert_eq!(fit(&[2], &[], options), Err(FitError::NoMarginal));
        assert_eq!(fit(&[1 << 13, 1 << 13], &[], options), Err(FitError::TooLarge));
        assert_eq!(fit(&[usize::MAX, 2], &[], options), Err(FitError::TooLarge));
        for columns in [&[1][..], &[0, 0]] {
            let found = fit(&[2], &[marginal(columns, &[1.0, 1.0])], options);
            assert_eq!(found, Err(FitError::Column { marginal: 0 }));
        }
        let found = fit(&[2], &[marginal(&[0], &[1.0])], options);
        assert_eq!(found, Err(FitError::Cells { marginal: 0, found: 1, expected: 2 }));
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let found = fit(&[2], &[marginal(&[0], &[1.0, bad])], options);
            assert_eq!(found, Err(FitError::Count { marginal: 0 }));
        }
    }

    #[test]
    fn edges() {
        let options = FitOptions { tolerance: f64::NAN, ..FitOptions::default() };
        // A column that no marginal has; the total alone; no column at all; no value; nobody.
        let fitted = fit(&[2, 3], &[marginal(&[0], &[3.0, 6.0])], options).unwrap();
        assert_eq!(fitted.joint, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        assert_eq!(fit(&[4], &[marginal(&[], &[2.0])], options).unwrap().joint, [0.5; 4]);
        assert_eq!(fit(&[], &[marginal(&[], &[2.0])], options).unwrap().joint, [2.0]);
        assert!(fit(&[0, 3], &[marginal(&[0], &[])], options).unwrap().joint.is_empty());
        // Three people, and no cell for them.
        let impossible = fit(&[0, 3], &[marginal(&[1], &[1.0, 1.0, 1.0])], options).unwrap();
        assert!(!impossible.converged && impossible.joint.is_empty());
        let huge = 1usize << 40;
        assert!(fit(&[0, huge, huge], &[marginal(&[0, 1, 2], &[])], options).is_ok());
        let nobody = fit(&[2, 2], &[marginal(&[0], &[0.0, 0.0])], options).unwrap();
        assert!(nobody.converged && nobody.joint == [0.0; 4]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Survey US-14, theorem of decomposable models: n(a,b) n(b,c) / n(b).
        #[test]
        fn decomposable_marginals_have_a_closed_form(counts in prop::collection::vec(0u32..9, 24)) {
            let joint: Vec<f64> = counts.iter().copied().map(f64::from).collect();
            let domains = [2, 3, 4];
            let views = [margin(&joint, &domains, &[0, 1]), margin(&joint, &domains, &[2, 1])];
            let middle = margin(&joint, &domains, &[1]);
            let fitted = fit(&domains, &views, FitOptions::default()).unwrap();
            prop_assert!(fitted.converged);
            for (cell, found) in fitted.joint.iter().enumerate() {
                let (a, b, c) = (cell / 12, cell / 4 % 3, cell % 4);
                let own = middle.counts[b];
                let product = views[0].counts[a * 3 + b] * views[1].counts[c * 3 + b];
                let expected = if own > 0.0 { product / own } else { 0.0 };
                prop_assert!((found - expected).abs() < 1e-9, "{} {}", found, expected);
            }
        }

        /// A cycle of marginals has no closed form; what is fitted has them, and no interaction of all three columns:
        /// the odds ratio is the same at both values of the third.
        #[test]
        fn cycles_are_fitted_too(counts in prop::collection::vec(1u32..9, 8)) {
            let joint: Vec<f64> = counts.iter().copied().map(f64::from).collect();
            let views = [[0, 1], [1, 2], [2, 0]].map(|columns| margin(&joint, &[2, 2, 2], &columns));
            let fitted = fit(&[2, 2, 2], &views, FitOptions::default()).unwrap();
            prop_assert!(fitted.converged);
            for view in &views {
                let found = margin(&fitted.joint, &[2, 2, 2], &view.columns);
                prop_assert!(found.counts.iter().zip(&view.counts).all(|(a, b)| (a - b).abs() < 1e-6));
            }
            let odds = |c: usize| {
                let n = |a: usize, b: usize| fitted.joint[(a * 2 + b) * 2 + c];
                n(0, 0) * n(1, 1) / (n(0, 1) * n(1, 0))
            };
            prop_assert!((odds(0) / odds(1) - 1.0).abs() < 1e-6);
        }
    }
}
