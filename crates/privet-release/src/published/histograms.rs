//! The sensitive values of a release, counted per group.

use privet_data::Domain;

/// A sensitive column as it is published.
#[derive(Debug, Clone)]
pub struct SensitiveColumn {
    /// Its name.
    pub name: String,
    /// Its values.
    pub domain: Domain,
    /// One code per record; absent where values are counted per bucket only.
    pub codes: Option<Vec<u32>>,
    /// Per group how often each value occurs.
    pub histograms: Histograms,
}

/// Per group how often each value occurs in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histograms {
    pub(super) starts: Vec<usize>,
    pub(super) cells: Vec<(u32, u64)>,
}

impl Histograms {
    /// Counts the values of records by their group.
    pub fn count(group_of: &[u32], groups: usize, codes: &[u32]) -> Self {
        let mut pairs: Vec<u64> = group_of
            .iter()
            .zip(codes)
            .map(|(&group, &code)| u64::from(group) << 32 | u64::from(code))
            .collect();
        pairs.sort_unstable();
        let counted =
            pairs.chunk_by(|a, b| a == b).map(|run| ((run[0] >> 32) as u32, run[0] as u32, run.len() as u64));
        Self::of_cells(counted, groups)
    }

    /// Counts the values of listed tuples by their group; `weights` tells the records of each tuple.
    pub fn count_weighted(group_of: &[u32], groups: usize, codes: &[u32], weights: &[u32]) -> Self {
        let mut pairs: Vec<(u64, u32)> = group_of
            .iter()
            .zip(codes)
            .zip(weights)
            .map(|((&group, &code), &weight)| (u64::from(group) << 32 | u64::from(code), weight))
            .collect();
        pairs.sort_unstable();
        let counted = pairs.chunk_by(|a, b| a.0 == b.0).map(|run| {
            let records = run.iter().map(|own| u64::from(own.1)).sum();
            ((run[0].0 >> 32) as u32, run[0].0 as u32, records)
        });
        Self::of_cells(counted, groups)
    }

    /// All cells: the counts of each value in each group.
    pub fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        self.cells.iter().map(|own| own.1)
    }

    /// From cells (group, value, count) in ascending order of groups.
    pub fn of_cells(cells: impl Iterator<Item = (u32, u32, u64)>, groups: usize) -> Self {
        let mut histograms = Self { starts: Vec::with_capacity(groups + 1), cells: Vec::new() };
        histograms.starts.push(0);
        for (group, value, count) in cells {
            while histograms.starts.len() <= group as usize {
                histograms.starts.push(histograms.cells.len());
            }
            histograms.cells.push((value, count));
        }
        histograms.starts.resize(groups + 1, histograms.cells.len());
        histograms
    }

    /// The values of a group with their counts; nothing for a group that there is not.
    pub fn of(&self, group: u32) -> &[(u32, u64)] {
        match (self.starts.get(group as usize), self.starts.get(group as usize + 1)) {
            (Some(&from), Some(&to)) if from <= to => &self.cells[from..to],
            _ => &[],
        }
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// How often each value occurs in all groups together.
    pub fn total(&self, values: usize) -> Vec<u64> {
        let mut total = vec![0; values];
        for &(value, count) in &self.cells {
            if let Some(slot) = total.get_mut(value as usize) {
                *slot += count;
            }
        }
        total
    }
}
