//! l-diversity (survey PM-07..10, papers L-PM6..11, thesis 1.3): the sensitive values of every class are
//! well represented.
//!
//! A [`Diversity`] is one form with its parameters. It judges a *block*: a number of records and, per
//! value that occurs, a count. The same form is applied to the values of a class (here), to concepts
//! (`concept.rs`) and to the sub-blocks of several sensitive columns (`multi_attribute.rs`).

mod disclosure;
mod distinct;
mod entropy;
mod exact;
mod recursive;

pub(crate) use disclosure::{NegativePositiveDisclosure, PositiveDisclosure};
pub(crate) use distinct::Distinct;
pub(crate) use entropy::Entropy;
pub(crate) use recursive::Recursive;

use crate::bound::{Bound, Grouping, check_positive, check_whole};
use crate::{Better, Class, Criterion, DiversityKind, Histogram, Merging};

/// The values that occur in a block, each with its count.
pub(crate) trait Counts: Iterator<Item = (u32, u32)> + Clone {}
impl<I: Iterator<Item = (u32, u32)> + Clone> Counts for I {}

/// The values that occur in a class.
pub(crate) fn occurring<'a>(histogram: &Histogram<'a>) -> impl Counts + use<'a> {
    let counts = histogram.counts;
    histogram.present.iter().map(move |&code| (code, counts[code as usize]))
}

/// A form of l-diversity with its parameters.
pub(crate) enum Diversity {
    Distinct(Distinct),
    Entropy(Entropy),
    Recursive(Recursive),
    PositiveDisclosure(PositiveDisclosure),
    NegativePositiveDisclosure(NegativePositiveDisclosure),
}

/// The parameters of a form as a requirement states them.
pub(crate) struct Parameters<'a> {
    pub kind: DiversityKind,
    pub l: f64,
    pub c: Option<f64>,
    pub c2: Option<f64>,
    pub allowed: &'a [String],
    pub protected: &'a [String],
}

impl Diversity {
    /// Checks the parameters. `counts` are those of the whole input, per value or concept, and `nouns`
    /// says what is counted.
    pub fn new(
        parameters: &Parameters<'_>,
        bound: &Bound<'_>,
        counts: &[u64],
        nouns: &str,
    ) -> Result<Self, String> {
        use DiversityKind as Kind;
        let &Parameters { kind, l, c, c2, allowed, protected } = parameters;
        let recursive =
            matches!(kind, Kind::Recursive | Kind::PositiveDisclosure | Kind::NegativePositiveDisclosure);
        let disclosure = matches!(kind, Kind::PositiveDisclosure | Kind::NegativePositiveDisclosure);
        let negative = kind == Kind::NegativePositiveDisclosure;
        if c.is_some() && !recursive {
            return Err(
                "c belongs to the recursive and disclosure kinds; leave it out or choose one of them".into(),
            );
        }
        if !allowed.is_empty() && !disclosure {
            return Err("allowed belongs to kind positive-disclosure or negative-positive-disclosure".into());
        }
        if (c2.is_some() || !protected.is_empty()) && !negative {
            return Err("c2 and protected belong to kind negative-positive-disclosure".into());
        }

        let distinct = counts.iter().filter(|&&count| count > 0).count();
        let column = bound.column.name;
        let at_most = |l: f64| {
            if l > distinct as f64 {
                Err(format!(
                    "l = {l} but column {column} has {distinct} distinct {nouns}; l may be at most {distinct}"
                ))
            } else {
                Ok(())
            }
        };
        if kind == Kind::Entropy {
            if !(l.is_finite() && l >= 1.0) {
                return Err(format!("l = {l} must be a number of at least 1"));
            }
            at_most(l)?;
            return Ok(Diversity::Entropy(Entropy::new(l)));
        }
        let whole = check_whole("l", l)?;
        at_most(l)?;
        if kind == Kind::Distinct {
            return Ok(Diversity::Distinct(Distinct { l: whole }));
        }
        let Some(c) = c else {
            return Err("c is missing; this kind needs c, a number above 0".into());
        };
        check_positive("c", c)?;
        let form = Recursive { c, l: whole };
        if kind == Kind::Recursive {
            return Ok(Diversity::Recursive(form));
        }
        let form = PositiveDisclosure::new(form, bound.listed("allowed", allowed)?);
        if !negative {
            return Ok(Diversity::PositiveDisclosure(form));
        }
        let Some(c2) = c2 else {
            return Err("c2 is missing; this kind needs c2, a percentage from 0 to below 100".into());
        };
        let listed = bound.listed("protected", protected)?;
        let form = NegativePositiveDisclosure::new(form, c2, &listed)?;
        if c2 > 0.0 && protected.is_empty() {
            return Err("protected is missing; c2 is about the values that it lists, and without them protects nothing".into());
        }
        Ok(Diversity::NegativePositiveDisclosure(form))
    }

    /// What merging blocks does to it.
    pub fn merging(&self) -> Merging {
        match self {
            Diversity::Distinct(_) => Merging::Absorbing,
            _ => Merging::Closed,
        }
    }

    /// Which direction of `reached` is safer.
    pub fn better(&self) -> Better {
        match self {
            Diversity::Distinct(_) | Diversity::Entropy(_) => Better::Higher,
            _ => Better::Lower,
        }
    }

    /// Whether a block satisfies it.
    pub fn holds(&self, rows: u64, counts: impl Counts) -> bool {
        match self {
            Diversity::Distinct(form) => form.holds(counts),
            Diversity::Entropy(form) => form.holds(rows, counts),
            Diversity::Recursive(form) => form.holds(rows, counts),
            Diversity::PositiveDisclosure(form) => form.holds(rows, counts),
            Diversity::NegativePositiveDisclosure(form) => form.holds(rows, counts),
        }
    }

    /// The l or c at the edge for a block.
    pub fn reached(&self, rows: u64, counts: impl Counts) -> f64 {
        match self {
            Diversity::Distinct(_) => counts.count() as f64,
            Diversity::Entropy(form) => form.reached(rows, counts),
            Diversity::Recursive(form) => form.reached(rows, counts),
            Diversity::PositiveDisclosure(form) => form.reached(rows, counts),
            Diversity::NegativePositiveDisclosure(form) => form.reached(rows, counts),
        }
    }

    /// A lower bound on the records that must leave the block.
    pub fn least_suppression(&self, rows: u64, counts: impl Counts) -> u64 {
        if self.holds(rows, counts.clone()) {
            return 0;
        }
        let bound = match self {
            Diversity::Distinct(_) => rows,
            Diversity::Entropy(form) => form.least_suppression(rows, counts),
            Diversity::Recursive(form) => form.least_suppression(rows, counts),
            Diversity::PositiveDisclosure(form) => form.least_suppression(rows, counts),
            Diversity::NegativePositiveDisclosure(form) => form.least_suppression(rows, counts),
        };
        // Every form is closed under merging, so a failing block loses at least one record.
        bound.clamp(rows.min(1), rows)
    }

    /// What it asks of a group, to follow "Every group …"; `nouns` are what is counted, such as `values of diagnosis`.
    pub fn clause(&self, nouns: &str) -> String {
        match self {
            Diversity::Distinct(form) => format!("holds at least {} different {nouns}", form.l),
            Diversity::Entropy(form) => {
                let l = form.l();
                format!(
                    "holds {nouns} at least as evenly mixed as {l} equally frequent ones (entropy at least log {l})"
                )
            }
            Diversity::Recursive(form) => form.clause(nouns),
            Diversity::PositiveDisclosure(form) => form.clause(nouns),
            Diversity::NegativePositiveDisclosure(form) => form.clause(nouns),
        }
    }
}

/// A form of l-diversity on the values of one sensitive column.
pub(crate) struct LDiversity {
    form: Diversity,
    position: usize,
    column: String,
}

impl LDiversity {
    pub fn new(parameters: &Parameters<'_>, bound: &Bound<'_>) -> Result<Self, String> {
        let form = Diversity::new(parameters, bound, bound.column.counts, "values")?;
        Ok(Self { form, position: bound.position, column: bound.name() })
    }
}

impl Criterion for LDiversity {
    fn key(&self) -> &'static str {
        "l-diversity"
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        let every = grouping.every();
        format!("{every} {}.", self.form.clause(&format!("values of {}", self.column)))
    }

    fn merging(&self) -> Merging {
        self.form.merging()
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let histogram = &class.histograms[self.position];
        self.form.holds(histogram.total, occurring(histogram))
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        let histogram = &class.histograms[self.position];
        self.form.reached(histogram.total, occurring(histogram))
    }

    fn better(&self) -> Better {
        self.form.better()
    }

    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        let histogram = &class.histograms[self.position];
        self.form.least_suppression(histogram.total, occurring(histogram))
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{diversity, holds, reached};
    use proptest::prelude::*;

    #[test]
    fn survey_pm07_distinct_goldens() {
        // ERR-3: the printed labels of Table 2.2 give the classes of FX-1.3, and those are not 3-diverse.
        let three = diversity("distinct", 3.0, None);
        assert!(holds(&*three, &[1, 1, 1, 1]) && holds(&*three, &[1, 1, 2]));
        assert!(!holds(&*three, &[3, 1]));
        // FX-2.2, read by its row order: every class has at least 3 distinct values.
        for counts in [&[1, 1, 1, 1][..], &[2, 1, 1], &[2, 1, 1]] {
            assert!(holds(&*three, counts));
        }
        // Thesis 1.3: 1 positive and 99 negative are distinct 2-diverse.
        assert!(holds(&*diversity("distinct", 2.0, None), &[1, 99]));
    }

    #[test]
    fn thesis_1_2_diversity_of_the_lattice_nodes() {
        // Groups of [1,1], [0,2] and [1,2] as (counts, distinct, entropy in bits).
        let groups: [(&[u32], f64, f64); 5] = [
            (&[2, 1, 1], 3.0, 1.5),
            (&[1, 1], 2.0, 1.0),
            (&[3], 1.0, 0.0),
            (&[1, 1, 1], 3.0, 1.585),
            (&[3, 1, 1, 1], 4.0, 1.7925),
        ];
        for (counts, distinct, bits) in groups {
            assert_eq!(reached(&*diversity("distinct", 1.0, None), counts), distinct);
            assert!((reached(&*diversity("entropy", 1.0, None), counts).log2() - bits).abs() < 1e-4);
        }
        // Minimal nodes: entropy 2-diverse [1,1], entropy 3-diverse [1,2], entropy 4-diverse none.
        let entropy = |l: f64, counts: &[u32]| holds(&*diversity("entropy", l, None), counts);
        assert!(entropy(2.0, &[2, 1, 1]) && entropy(2.0, &[1, 1]) && !entropy(2.0, &[3]));
        assert!(entropy(3.0, &[3, 1, 1, 1]) && !entropy(3.0, &[2, 1, 1]) && !entropy(4.0, &[3, 1, 1, 1]));
    }

    #[test]
    fn papers_fx_l4_verdicts_on_the_blocks_of_figure_3_and_the_whole_table() {
        let (block, whole): (&[u32], &[u32]) = (&[2, 1, 1], &[5, 4, 3]);
        for (kind, l, c) in [
            ("distinct", 2.0, None),
            ("distinct", 3.0, None),
            ("entropy", 1.5, None),
            ("entropy", 2.0, None),
            ("entropy", 2.5, None),
            ("entropy", 2.8, None),
            ("recursive", 2.0, Some(2.0)),
            ("recursive", 3.0, Some(2.5)),
            ("recursive", 3.0, Some(3.0)),
        ] {
            assert!(holds(&*diversity(kind, l, c), block), "{kind} {l} {c:?}");
        }
        for (kind, l, c) in
            [("entropy", 2.9, None), ("recursive", 2.0, Some(1.0)), ("recursive", 3.0, Some(2.0))]
        {
            assert!(!holds(&*diversity(kind, l, c), block), "{kind} {l} {c:?}");
            assert!(holds(&*diversity(kind, l, c), whole), "{kind} {l} {c:?}");
        }
    }

    proptest! {
        /// Papers T-TH5, L-TH4 and L-TH8: entropy and recursive l-diverse blocks have at least l distinct
        /// values, and so at least l records.
        #[test]
        fn papers_t_th5_every_form_implies_distinct(
            counts in prop::collection::vec(1u32..9, 1..7), l in 1u32..6, c in 0.5f64..4.0,
        ) {
            let l = f64::from(l);
            for form in [diversity("entropy", l, None), diversity("recursive", l, Some(c))] {
                if holds(&*form, &counts) {
                    prop_assert!(counts.len() as f64 >= l && counts.iter().sum::<u32>() as f64 >= l);
                }
            }
        }

        /// Papers T-TH6, L-TH3: the entropy of a union is at least the least entropy of its parts.
        #[test]
        fn papers_t_th6_entropy_of_a_union(
            a in prop::collection::vec(1u32..9, 4), b in prop::collection::vec(1u32..9, 4),
        ) {
            let form = diversity("entropy", 1.0, None);
            let union: Vec<u32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            let least = reached(&*form, &a).min(reached(&*form, &b));
            prop_assert!(reached(&*form, &union) >= least - 1e-9);
        }
    }
}
