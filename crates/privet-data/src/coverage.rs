//! Which values a published label may stand for.
//!
//! Whoever reads a release sees labels: `20-29`, `130**`, `[20 to 24]`, `*`. What they can conclude depends on which
//! values hide behind each. A [`Coverage`] has that as codes, whatever the labels look like, so that those who measure and
//! those who attack need not know how a column was recoded.
//!
//! Codes are kept as runs of codes that follow each other. Domains are in order, so a range or a mask is one run or two
//! however many values it has, and a release with a hundred thousand ranges of a million values fits in memory.

/// Codes from a first to a last one, both included.
pub type Run = (u32, u32);

/// Per label the values that it may stand for, as codes of some domain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Where the runs of each label begin, and at last where they end.
    starts: Vec<usize>,
    runs: Vec<Run>,
    /// Per label how many codes it has.
    lengths: Vec<u32>,
    values: u32,
}

impl Coverage {
    /// From a list of codes for each label, in a domain of so many values. Lists are sorted, and what occurs twice or
    /// lies outside the domain is left out.
    pub fn new(lists: impl IntoIterator<Item = Vec<u32>>, values: u32) -> Self {
        Self::of_runs(
            lists.into_iter().map(|list| list.into_iter().map(|code| (code, code)).collect()),
            values,
        )
    }

    /// From a list of runs for each label, in a domain of so many values. Runs may come in any order and overlap; what lies
    /// outside the domain is left out.
    pub fn of_runs(lists: impl IntoIterator<Item = Vec<Run>>, values: u32) -> Self {
        let mut coverage = Self { starts: vec![0], runs: Vec::new(), lengths: Vec::new(), values };
        for mut list in lists {
            list.retain(|&(first, last)| first <= last && first < values);
            list.sort_unstable();
            let begin = coverage.runs.len();
            for (first, last) in list {
                let last = last.min(values - 1);
                match coverage.runs[begin..].last_mut() {
                    Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                    _ => coverage.runs.push((first, last)),
                }
            }
            coverage.close(begin);
        }
        coverage.runs.shrink_to_fit();
        coverage
    }

    /// Ends the list of a label whose runs begin here.
    fn close(&mut self, begin: usize) {
        self.lengths.push(self.runs[begin..].iter().map(|run| run.1 - run.0 + 1).sum());
        self.starts.push(self.runs.len());
    }

    /// Labels that are the values themselves.
    pub fn identity(values: u32) -> Self {
        Self {
            starts: (0..=values as usize).collect(),
            runs: (0..values).map(|code| (code, code)).collect(),
            lengths: vec![1; values as usize],
            values,
        }
    }

    /// How many labels there are.
    pub fn labels(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// How many values the domain has.
    pub fn values(&self) -> u32 {
        self.values
    }

    /// The values of a label, ascending; none for a label that there is not.
    pub fn of(&self, label: u32) -> Covered<'_> {
        let label = label as usize;
        match (self.starts.get(label), self.starts.get(label + 1), self.lengths.get(label)) {
            (Some(&from), Some(&to), Some(&length)) => Covered { runs: &self.runs[from..to], length },
            _ => Covered::default(),
        }
    }

    /// Whether the label may stand for the value.
    pub fn contains(&self, label: u32, value: u32) -> bool {
        let own = self.of(label);
        own.len() == self.values as usize || own.contains(value)
    }

    /// How many pairs of a label and a value there are.
    pub fn pairs(&self) -> u64 {
        self.lengths.iter().map(|&length| u64::from(length)).sum()
    }

    /// Per value the labels that may stand for it: the same relation, read the other way. It takes as much room and time as
    /// there are [`pairs`](Self::pairs).
    pub fn inverse(&self) -> Self {
        let mut lists: Vec<Vec<Run>> = vec![Vec::new(); self.values as usize];
        for label in 0..self.labels() as u32 {
            for code in self.of(label).iter() {
                let list = &mut lists[code as usize];
                match list.last_mut() {
                    Some(run) if run.1 + 1 == label => run.1 = label,
                    _ => list.push((label, label)),
                }
            }
        }
        Self::of_runs(lists, self.labels() as u32)
    }

    /// Whether no value has more than one label: then a value tells its label.
    pub fn is_function(&self) -> bool {
        // Runs of different labels that share no value, in order, begin after those before them end.
        let mut runs = self.runs.clone();
        runs.sort_unstable();
        runs.windows(2).all(|pair| pair[0].1 < pair[1].0)
    }
}

/// The values of a label, ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Covered<'a> {
    runs: &'a [Run],
    length: u32,
}

impl<'a> Covered<'a> {
    /// How many they are.
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// The least.
    pub fn first(self) -> Option<u32> {
        self.runs.first().map(|run| run.0)
    }

    /// The largest.
    pub fn last(self) -> Option<u32> {
        self.runs.last().map(|run| run.1)
    }

    /// The runs of values that follow each other, ascending; between two of them lies at least one other value.
    pub fn runs(self) -> &'a [Run] {
        self.runs
    }

    /// The run that they are, when it is one.
    pub fn stretch(self) -> Option<Run> {
        if let [run] = self.runs { Some(*run) } else { None }
    }

    /// Whether a value is among them.
    #[inline]
    pub fn contains(self, value: u32) -> bool {
        let at = self.runs.partition_point(|run| run.1 < value);
        self.runs.get(at).is_some_and(|run| run.0 <= value)
    }

    /// One by one.
    pub fn iter(self) -> impl Iterator<Item = u32> + Clone + 'a {
        self.runs.iter().flat_map(|&(first, last)| first..=last)
    }

    /// All of them.
    pub fn to_vec(self) -> Vec<u32> {
        self.iter().collect()
    }
}

impl PartialEq<[u32]> for Covered<'_> {
    fn eq(&self, other: &[u32]) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter().copied())
    }
}

impl<const N: usize> PartialEq<[u32; N]> for Covered<'_> {
    fn eq(&self, other: &[u32; N]) -> bool {
        *self == other[..]
    }
}

impl PartialEq<&[u32]> for Covered<'_> {
    fn eq(&self, other: &&[u32]) -> bool {
        *self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_the_other_way_and_back() {
        let coverage = Coverage::new([vec![2, 0, 2, 9], vec![], vec![1, 2]], 3);
        assert_eq!(
            (coverage.of(0), coverage.of(1), coverage.of(2), coverage.of(7)),
            (
                Covered { runs: &[(0, 0), (2, 2)], length: 2 },
                Covered::default(),
                Covered { runs: &[(1, 2)], length: 2 },
                Covered::default()
            )
        );
        let inverse = coverage.inverse();
        assert_eq!(inverse.of(0), [0]);
        assert_eq!(inverse.of(1), [2]);
        assert_eq!(inverse.of(2), [0, 2]);
        assert_eq!(inverse.inverse(), coverage);
        assert!(!coverage.is_function() && Coverage::identity(3).is_function());
        assert!(coverage.contains(0, 2) && !coverage.contains(0, 1));
        assert_eq!((coverage.pairs(), Coverage::default().labels()), (4, 0));
    }

    #[test]
    fn runs_in_any_order_are_put_together() {
        let coverage =
            Coverage::of_runs([vec![(4, 9), (0, 1), (2, 2), (5, 6), (7, 3)], vec![(8, 20), (30, 40)]], 12);
        assert_eq!((coverage.of(0).runs(), coverage.of(0).len()), (&[(0, 2), (4, 9)][..], 9));
        assert_eq!((coverage.of(1).runs(), coverage.of(1).stretch()), (&[(8, 11)][..], Some((8, 11))));
        assert!(coverage.of(0).contains(4) && !coverage.of(0).contains(3) && !coverage.of(0).contains(10));
        assert_eq!(coverage, Coverage::new([vec![9, 8, 7, 6, 5, 4, 2, 1, 0], vec![8, 9, 10, 11, 11]], 12));
        assert!(!coverage.is_function());
        assert!(Coverage::of_runs([vec![(4, 9)], vec![(0, 3), (10, 11)]], 12).is_function());
    }
}
