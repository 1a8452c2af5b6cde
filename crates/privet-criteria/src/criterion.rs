//! The one seam: what every privacy model says of itself and of a class.

use crate::{Class, Grouping, Summaries};

/// A privacy model with its parameters, bound to the columns of a table.
pub trait Criterion: Send + Sync {
    /// The key in the `[privacy]` section of a job file, such as `l-diversity`.
    fn key(&self) -> &'static str;

    /// What it promises, in one sentence for a person, with its parameters and column.
    fn promise(&self) -> String {
        self.promise_of(Grouping::Classes)
    }

    /// The same of groups of this kind.
    fn promise_of(&self, grouping: Grouping) -> String;

    /// What merging classes does to it, so that a search knows what it may prune.
    fn merging(&self) -> Merging;

    /// Whether a class is judged by itself, whatever the other classes are (survey Def 4.4), so that
    /// partitions may be cut locally.
    fn bucket_independent(&self) -> bool {
        true
    }

    /// Whether the class satisfies it.
    fn holds(&self, class: &Class<'_>) -> bool;

    /// Whether a class without records (people of the population table only) is judged too, and
    /// records may therefore not be suppressed to satisfy it.
    fn judges_absence(&self) -> bool {
        false
    }

    /// Whether it looks at the people of the population table that generalize into the class.
    fn counts_population(&self) -> bool {
        false
    }

    /// The parameter that the class reaches: the largest k, l, p … or the smallest t, beta … for which
    /// it would still hold (at the edge for strict inequalities). The worst class decides what a release reached.
    fn reached(&self, class: &Class<'_>) -> f64;

    /// Which direction of [`reached`](Self::reached) is safer.
    fn better(&self) -> Better;

    /// Of a class that does not satisfy it: a lower bound on how many records must leave the class before what remains can be cut into
    /// classes that all satisfy the criterion. 0 is always sound; the larger the bound, the more a
    /// search may prune. It must be `class.rows` for a class of which no part can ever satisfy it.
    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        match self.merging() {
            Merging::Absorbing if !self.holds(class) => class.rows,
            // Were every part satisfied, so would be the whole: at least one part must go.
            Merging::Closed if !self.holds(class) => 1,
            _ => 0,
        }
    }

    /// How many records a class needs at least to satisfy it, whatever they hold. 1 is always sound; with more,
    /// a search can tell from the number of classes alone that too many of them are too small.
    fn least_rows(&self) -> u64 {
        1
    }

    /// For a criterion that does not judge classes by themselves: appends the numbers that a class tells when all are
    /// judged together. Empty when every class is judged by itself.
    fn summarize(&self, _class: &Class<'_>, _numbers: &mut Vec<f64>) {}

    /// For a criterion that does not judge classes by themselves: what each class reaches among the others, in their
    /// order. With fewer classes none may reach anything worse, so that what is left when classes are suppressed holds.
    fn reached_together(&self, _classes: &Summaries) -> Vec<f64> {
        Vec::new()
    }

    /// For a criterion that does not judge classes by themselves: sets of classes, by their places in order, each of which
    /// is not accepted whatever other classes there are, so that one class of each must go. At least one set when what
    /// some class [reaches together](Self::reached_together) is not accepted; the smaller the sets, the quicker it is
    /// found which classes to suppress.
    fn conflicts(&self, classes: &Summaries) -> Vec<Vec<u32>> {
        let is_accepted = self.reached_together(classes).into_iter().all(|reached| self.accepts(reached));
        if is_accepted { Vec::new() } else { vec![(0..classes.len() as u32).collect()] }
    }

    /// Whether what a class [reaches together](Self::reached_together) with others is enough.
    fn accepts(&self, _reached: f64) -> bool {
        true
    }

    /// Of a class that does not satisfy it, for methods that add one record after the other: per value of the column that
    /// it looks at whether a record with it brings the class nearer. `None` where any value does that the class lacks.
    fn wanted(&self, _class: &Class<'_>) -> Option<Vec<bool>> {
        None
    }

    /// The 3D privacy that it is, if it is: Mondrian enforces it in a way of its own.
    fn skyline(&self) -> Option<&crate::Skyline> {
        None
    }

    /// Which histograms it looks at: positions in [`Class::histograms`]; empty for counts alone.
    fn histograms(&self) -> Vec<usize> {
        Vec::new()
    }
}

/// What merging two classes does to a criterion. Of one that is not bucket-independent it is said of classes that are
/// judged together: whether a table that satisfies it still does so when some of its classes are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// If one of them satisfies it, so does their union. Then the records of failing classes only get
    /// fewer as a table is generalized, and a lattice may be pruned even with suppression.
    Absorbing,
    /// If both satisfy it, so does their union (survey Def 4.3, monotonicity).
    Closed,
    /// Nothing can be said. No search may prune by it.
    Arbitrary,
}

/// Which direction is safer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Larger values protect more (k, l).
    Higher,
    /// Smaller values protect more (t, beta).
    Lower,
}
