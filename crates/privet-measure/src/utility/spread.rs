//! A release as a reader rebuilds the table from it: every published record spread evenly over the tuples of values
//! that its labels may stand for (survey section 4, p2 by uniform spread).
//!
//! A *tuple* is a combination of one value per column that occurs in the original, a *region* a combination of one label
//! per column that occurs in the release. Records are reduced to distinct tuples and distinct regions with counts;
//! nothing here ever lists the product of the domains.
//!
//! A suppressed record says nothing about itself, so it is spread over the whole domain. This is what
//! [`crate::Metric::KullbackLeibler`] does. Leaving it out instead would make the divergence infinite as soon as one
//! value occurs in suppressed records only.

use privet_data::{Coverage, Covered};

use super::grouping::{Grouping, NONE, group};
use super::{Histograms, Reconstruction, UtilityError};

/// A column before and after.
#[derive(Debug, Clone, Copy)]
pub struct SpreadColumn<'a> {
    /// Per record the code of its value.
    pub original: &'a [u32],
    /// Per record its published label. What stands here for a suppressed record does not matter.
    pub published: &'a [u32],
    /// Per label the values that it may stand for.
    pub coverage: &'a Coverage,
}

/// A table and its release, reduced to distinct tuples and regions.
#[derive(Debug, Clone)]
pub struct Spread<'a> {
    pub(super) coverages: Vec<&'a Coverage>,
    pub(super) rows: u64,
    pub(super) suppressed: u64,
    /// Codes of the distinct tuples, one after the other.
    codes: Vec<u32>,
    /// Per distinct tuple how many records have it.
    pub(super) tuple_counts: Vec<u64>,
    /// Labels of the distinct regions, one after the other.
    labels: Vec<u32>,
    /// Per distinct region how many records show it.
    pub(super) region_counts: Vec<u64>,
    /// Per distinct region how many tuples of the domain it covers.
    pub(super) volumes: Vec<Volume>,
    /// How many tuples the domain has.
    pub(super) domain: Volume,
}

/// A number of tuples, and its logarithm for when it is too large to write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Volume {
    pub tuples: f64,
    pub ln: f64,
}

impl Volume {
    fn product(sizes: impl Iterator<Item = f64> + Clone) -> Self {
        let tuples: f64 = sizes.clone().product();
        // The logarithm of a product that can be written is nearer to the truth than a sum of logarithms.
        let ln = if tuples.is_finite() { tuples.ln() } else { sizes.map(f64::ln).sum() };
        Self { tuples, ln }
    }

    /// ln of what is left without so many of them; minus infinity when nothing is.
    pub fn ln_without(self, taken: f64) -> f64 {
        if self.tuples.is_finite() { (self.tuples - taken).max(0.0).ln() } else { self.ln }
    }
}

impl<'a> Spread<'a> {
    /// Reduces a table and its release. `suppressed` marks the records that are not published, if there are any.
    ///
    /// A published label need not cover the original value: swapped and perturbed releases may be measured too.
    ///
    /// # Errors
    /// When lengths differ, an original code lies outside the domain, or a published label stands for nothing.
    pub fn new(columns: &[SpreadColumn<'a>], suppressed: Option<&[bool]>) -> Result<Self, UtilityError> {
        let rows =
            columns.first().map_or(suppressed.map_or(0, <[bool]>::len), |column| column.original.len());
        let originals: Vec<&[u32]> = columns.iter().map(|column| column.original).collect();
        let published: Vec<&[u32]> = columns.iter().map(|column| column.published).collect();
        let tuples = group(&originals, rows, None)?;
        let regions = group(&published, rows, suppressed)?;
        let codes = gather(&originals, &tuples);
        let labels = gather(&published, &regions);
        for (column, own) in columns.iter().enumerate() {
            let mut codes = codes.iter().skip(column).step_by(columns.len());
            if codes.any(|&code| code >= own.coverage.values()) {
                return Err(UtilityError::Code { column });
            }
            let mut labels = labels.iter().skip(column).step_by(columns.len());
            if labels.any(|&label| own.coverage.of(label).is_empty()) {
                return Err(UtilityError::Label { column });
            }
        }
        let coverages: Vec<&Coverage> = columns.iter().map(|column| column.coverage).collect();
        let volumes = (0..regions.sizes.len())
            .map(|region| {
                let own = &labels[region * columns.len()..(region + 1) * columns.len()];
                Volume::product(own.iter().zip(&coverages).map(|(&label, c)| c.of(label).len() as f64))
            })
            .collect();
        Ok(Self {
            domain: Volume::product(coverages.iter().map(|coverage| f64::from(coverage.values()))),
            coverages,
            rows: rows as u64,
            suppressed: regions.of.iter().filter(|&&own| own == NONE).count() as u64,
            codes,
            tuple_counts: tuples.sizes,
            labels,
            region_counts: regions.sizes,
            volumes,
        })
    }

    /// How many records the original has.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many of them are not published.
    pub fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// How many combinations of values occur.
    pub fn tuples(&self) -> usize {
        self.tuple_counts.len()
    }

    /// How many combinations of labels occur.
    pub fn regions(&self) -> usize {
        self.region_counts.len()
    }

    /// The distribution that a reader rebuilds, to be compared with the original one.
    pub fn reconstruct(&self) -> Reconstruction<'_> {
        Reconstruction::new(self)
    }

    /// One column's values before and after, the labels spread evenly; `None` for a column that there is not, or when
    /// there is no record.
    pub fn marginal(&self, column: usize) -> Option<Histograms> {
        let coverage = self.coverages.get(column)?;
        let values = coverage.values() as usize;
        let mut before = vec![0.0; values];
        for (tuple, &count) in self.tuple_counts.iter().enumerate() {
            before[self.codes(tuple)[column] as usize] += count as f64;
        }
        let mut after = vec![self.suppressed as f64 / values.max(1) as f64; values];
        for (label, &count) in (0..).zip(&self.label_counts(column)) {
            let own = coverage.of(label);
            own.iter().for_each(|code| after[code as usize] += count as f64 / own.len() as f64);
        }
        Histograms::new(&before, &after).ok()
    }

    /// The values of a tuple.
    pub(super) fn codes(&self, tuple: usize) -> &[u32] {
        let width = self.coverages.len();
        &self.codes[tuple * width..(tuple + 1) * width]
    }

    /// The labels of a region.
    pub(super) fn labels(&self, region: usize) -> &[u32] {
        let width = self.coverages.len();
        &self.labels[region * width..(region + 1) * width]
    }

    /// The values that a region covers in a column; at least one.
    pub(super) fn covered(&self, region: usize, column: usize) -> Covered<'_> {
        self.coverages[column].of(self.labels[region * self.coverages.len() + column])
    }

    /// ln of the share of all records that a region puts on each of its tuples.
    pub(super) fn ln_density(&self, region: usize) -> f64 {
        (self.region_counts[region] as f64).ln() - (self.rows as f64).ln() - self.volumes[region].ln
    }

    /// ln of the share of all records that suppressed ones put on each tuple of the domain.
    pub(super) fn ln_background(&self) -> f64 {
        if self.suppressed == 0 {
            return f64::NEG_INFINITY;
        }
        (self.suppressed as f64).ln() - (self.rows as f64).ln() - self.domain.ln
    }

    /// Per label of a column how many published records show it.
    pub(super) fn label_counts(&self, column: usize) -> Vec<u64> {
        let mut counts = vec![0; self.coverages[column].labels()];
        for (region, &count) in self.region_counts.iter().enumerate() {
            counts[self.labels(region)[column] as usize] += count;
        }
        counts
    }
}

/// Per group what its first record has in each column.
fn gather(columns: &[&[u32]], groups: &Grouping) -> Vec<u32> {
    groups.first.iter().flat_map(|&row| columns.iter().map(move |column| column[row])).collect()
}
