//! Metrics that are a sum over classes: discernibility, average class size, ambiguity,
//! Kullback-Leibler divergence, classification.
//!
//! Each gives a lower bound from the classes of a *finer* candidate: merging classes and widening them
//! never makes it smaller, and suppression never makes it smaller than that.

use crate::QuasiColumn;

/// Which metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupedKind {
    /// Sum of squared class sizes.
    Discernibility,
    /// Published records per class.
    AverageClassSize,
    /// Tuples of the domain that each record could be.
    Ambiguity,
    /// Divergence from the evenly spread distribution.
    KullbackLeibler,
    /// Records outside the majority of their class.
    Classification,
}

/// A metric over classes made ready for one table.
#[derive(Debug, Clone)]
pub struct Grouped {
    kind: GroupedKind,
    rows: u64,
    tuple_entropy: f64,
    log_domain: f64,
}

/// Running sums over the classes of one candidate.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    kept_sum: f64,
    kept_classes: u64,
    kept_rows: u64,
    all_sum: f64,
    all_classes: u64,
    suppressed: u64,
}

impl Grouped {
    pub(crate) fn new(kind: GroupedKind, columns: &[QuasiColumn<'_>], rows: u64, tuple_entropy: f64) -> Self {
        let log_domain = columns.iter().map(|c| f64::from(c.generalization.leaves).ln()).sum();
        Self { kind, rows, tuple_entropy, log_domain }
    }

    /// For a finished release of which only the classes are known; not for the Kullback-Leibler divergence, which needs
    /// the original tuples too.
    pub(crate) fn of_release(kind: GroupedKind, rows: u64, log_domain: f64) -> Self {
        Self { kind, rows, tuple_entropy: 0.0, log_domain }
    }

    /// Which metric.
    pub fn kind(&self) -> GroupedKind {
        self.kind
    }

    /// Whether a class must be given with the leaves that it covers.
    pub fn needs_volume(&self) -> bool {
        matches!(self.kind, GroupedKind::Ambiguity | GroupedKind::KullbackLeibler)
    }

    /// Adds a class. `log_volume` is the natural logarithm of the product of the leaves that it covers,
    /// `majority` the number of records with its most frequent label.
    pub fn add(&self, tally: &mut Tally, rows: u64, log_volume: f64, majority: u64, kept: bool) {
        let size = rows as f64;
        let own = match self.kind {
            GroupedKind::Discernibility => size * size,
            GroupedKind::AverageClassSize => 0.0,
            GroupedKind::Ambiguity => size * log_volume.exp(),
            GroupedKind::KullbackLeibler => size * (log_volume - size.ln()),
            GroupedKind::Classification => (rows - majority) as f64,
        };
        tally.all_sum += own;
        tally.all_classes += 1;
        if kept {
            tally.kept_sum += own;
            tally.kept_classes += 1;
            tally.kept_rows += rows;
        } else {
            tally.suppressed += rows;
        }
    }

    /// A lower bound for this candidate and for all that are coarser, with at most `limit` records
    /// suppressed.
    pub fn bound(&self, tally: &Tally, limit: u64) -> f64 {
        let n = self.rows.max(1) as f64;
        match self.kind {
            GroupedKind::Discernibility => tally.all_sum,
            GroupedKind::AverageClassSize => {
                self.rows.saturating_sub(limit) as f64 / tally.all_classes.max(1) as f64
            }
            GroupedKind::Ambiguity | GroupedKind::Classification => tally.all_sum / n,
            GroupedKind::KullbackLeibler => self.tuple_entropy + tally.all_sum / n + n.ln(),
        }
    }

    /// The value of the candidate. `kept` walks over the kept classes again as (records, ln volume); only
    /// the Kullback-Leibler divergence with suppressed records needs it.
    pub fn value(&self, tally: &Tally, kept: impl Iterator<Item = (u64, f64)>) -> f64 {
        let n = self.rows.max(1) as f64;
        let suppressed = tally.suppressed as f64;
        match self.kind {
            GroupedKind::Discernibility => tally.kept_sum + n * suppressed,
            GroupedKind::AverageClassSize => {
                if tally.kept_classes == 0 {
                    n
                } else {
                    tally.kept_rows as f64 / tally.kept_classes as f64
                }
            }
            GroupedKind::Ambiguity => (tally.kept_sum + suppressed * self.log_domain.exp()) / n,
            GroupedKind::Classification => (tally.kept_sum + suppressed) / n,
            // A divergence is never negative; a sum of logarithms may be, by its last digit.
            GroupedKind::KullbackLeibler if tally.suppressed == 0 => {
                (self.tuple_entropy + tally.all_sum / n + n.ln()).max(0.0)
            }
            GroupedKind::KullbackLeibler => {
                // A suppressed record may be any tuple of the domain, so its mass lies under every class.
                let everywhere = (suppressed / n).ln() - self.log_domain;
                let mut cross = suppressed / n * everywhere;
                for (rows, log_volume) in kept {
                    let share = rows as f64 / n;
                    let density = ((share.ln() - log_volume).exp() + everywhere.exp()).ln();
                    cross += share * density;
                }
                (self.tuple_entropy - cross).max(0.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classes of survey FX-4.3 and FX-4.4 as (records, leaves covered, records of the majority disease).
    const SINGLE: [(u64, f64, u64); 4] = [(3, 9.0, 1), (4, 9.0, 1), (3, 9.0, 1), (2, 9.0, 1)];
    const MULTI: [(u64, f64, u64); 5] = [(3, 9.0, 1), (2, 6.0, 1), (2, 3.0, 1), (3, 9.0, 1), (2, 9.0, 1)];
    // Distinct (nationality, age) tuples of FX-4.2: (French,25) twice, ten others once.
    fn tuple_entropy() -> f64 {
        let (once, twice) = (1.0 / 12.0f64, 2.0 / 12.0f64);
        10.0 * once * once.ln() + twice * twice.ln()
    }

    fn value(kind: GroupedKind, classes: &[(u64, f64, u64)]) -> f64 {
        let grouped = Grouped { kind, rows: 12, tuple_entropy: tuple_entropy(), log_domain: 36f64.ln() };
        let mut tally = Tally::default();
        for &(rows, volume, majority) in classes {
            grouped.add(&mut tally, rows, volume.ln(), majority, true);
        }
        assert!(grouped.bound(&tally, 0) <= grouped.value(&tally, std::iter::empty()) + 1e-12);
        grouped.value(&tally, std::iter::empty())
    }

    /// Survey FX-4.3/4.4, table of metric goldens.
    #[test]
    fn golden_values() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        near(value(GroupedKind::Discernibility, &SINGLE), 38.0);
        near(value(GroupedKind::Discernibility, &MULTI), 30.0);
        near(value(GroupedKind::AverageClassSize, &SINGLE), 3.0);
        near(value(GroupedKind::AverageClassSize, &MULTI), 2.4);
        near(value(GroupedKind::Ambiguity, &SINGLE), 9.0);
        near(value(GroupedKind::Ambiguity, &MULTI), 7.5);
        near(value(GroupedKind::KullbackLeibler, &SINGLE), 1.185820);
        near(value(GroupedKind::KullbackLeibler, &MULTI), 1.166190);
        near(value(GroupedKind::Classification, &SINGLE), 2.0 / 3.0);
        near(value(GroupedKind::Classification, &MULTI), 7.0 / 12.0);
    }
}
