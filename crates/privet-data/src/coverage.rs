//! Which values a published label may stand for.
//!
//! Whoever reads a release sees labels: `20-29`, `130**`, `[20 to 24]`, `*`. What they can conclude depends on which
//! values hide behind each. A [`Coverage`] has that as plain lists of codes, whatever the labels look like, so that
//! those who measure and those who attack need not know how a column was recoded.

/// Per label the values that it may stand for, as codes of some domain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Where the values of each label begin, and at last where they end.
    starts: Vec<usize>,
    codes: Vec<u32>,
    values: u32,
}

impl Coverage {
    /// From a list of codes for each label, in a domain of so many values. Lists are sorted, and what occurs twice or
    /// lies outside the domain is left out.
    pub fn new(lists: impl IntoIterator<Item = Vec<u32>>, values: u32) -> Self {
        let mut coverage = Self { starts: vec![0], codes: Vec::new(), values };
        for mut list in lists {
            list.retain(|&code| code < values);
            list.sort_unstable();
            list.dedup();
            coverage.codes.extend(list);
            coverage.starts.push(coverage.codes.len());
        }
        coverage
    }

    /// Labels that are the values themselves.
    pub fn identity(values: u32) -> Self {
        Self { starts: (0..=values as usize).collect(), codes: (0..values).collect(), values }
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
    pub fn of(&self, label: u32) -> &[u32] {
        match (self.starts.get(label as usize), self.starts.get(label as usize + 1)) {
            (Some(&from), Some(&to)) => &self.codes[from..to],
            _ => &[],
        }
    }

    /// Whether the label may stand for the value.
    pub fn contains(&self, label: u32, value: u32) -> bool {
        let own = self.of(label);
        own.len() == self.values as usize || own.binary_search(&value).is_ok()
    }

    /// Per value the labels that may stand for it: the same relation, read the other way.
    pub fn inverse(&self) -> Self {
        let mut count = vec![0usize; self.values as usize + 1];
        for &code in &self.codes {
            count[code as usize + 1] += 1;
        }
        for value in 0..self.values as usize {
            count[value + 1] += count[value];
        }
        let mut next = count.clone();
        let mut labels = vec![0u32; self.codes.len()];
        for label in 0..self.labels() as u32 {
            for &code in self.of(label) {
                labels[next[code as usize]] = label;
                next[code as usize] += 1;
            }
        }
        Self { starts: count, codes: labels, values: self.labels() as u32 }
    }

    /// Whether no value has more than one label: then a value tells its label.
    pub fn is_function(&self) -> bool {
        let mut seen = vec![false; self.values as usize];
        self.codes.iter().all(|&code| !std::mem::replace(&mut seen[code as usize], true))
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
            (&[0, 2][..], &[][..], &[1, 2][..], &[][..])
        );
        let inverse = coverage.inverse();
        assert_eq!((inverse.of(0), inverse.of(1), inverse.of(2)), (&[0][..], &[2][..], &[0, 2][..]));
        assert_eq!(inverse.inverse(), coverage);
        assert!(!coverage.is_function() && Coverage::identity(3).is_function());
        assert!(coverage.contains(0, 2) && !coverage.contains(0, 1));
        assert_eq!(Coverage::default().labels(), 0);
    }
}
