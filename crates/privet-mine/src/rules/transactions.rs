//! Transactions: sets of items, kept as sorted numbers one after the other.

use crate::MineError;

/// Sets of items.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transactions {
    starts: Vec<usize>,
    items: Vec<u32>,
    domain: u32,
}

impl Transactions {
    /// Sets from lists in any order; items that are listed twice count once.
    pub fn new(rows: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let mut own = Self { starts: vec![0], items: Vec::new(), domain: 0 };
        for mut row in rows {
            row.sort_unstable();
            row.dedup();
            own.domain = own.domain.max(row.last().map_or(0, |&last| last.saturating_add(1)));
            own.items.extend(row);
            own.starts.push(own.items.len());
        }
        own
    }

    /// Sets from text: one per line, items as whole numbers with blanks between them. Empty lines are empty sets.
    ///
    /// # Errors
    /// When something is no whole number below 2³² − 1.
    pub fn parse(text: &str) -> Result<Self, MineError> {
        let mut rows = Vec::new();
        for (line, row) in text.lines().enumerate() {
            let item = |text: &str| text.parse::<u32>().ok().filter(|&item| item < u32::MAX);
            let items: Option<Vec<u32>> = row.split_ascii_whitespace().map(item).collect();
            rows.push(items.ok_or(MineError::Transaction { line: line + 1 })?);
        }
        Ok(Self::new(rows))
    }

    /// The number of transactions.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more than the largest item.
    pub fn domain(&self) -> u32 {
        self.domain
    }

    /// The items of a transaction, ascending.
    pub fn row(&self, place: usize) -> &[u32] {
        &self.items[self.starts[place]..self.starts[place + 1]]
    }

    /// All transactions, in their order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.items[pair[0]..pair[1]])
    }

    /// Per item how many transactions hold it.
    pub fn item_supports(&self) -> Vec<u32> {
        let mut supports = vec![0; self.domain as usize];
        for &item in &self.items {
            // The one number that no domain covers is no item.
            if let Some(own) = supports.get_mut(item as usize) {
                *own += 1;
            }
        }
        supports
    }

    /// The positions of the transactions that hold all of some items, which must be ascending.
    pub fn holding(&self, itemset: &[u32]) -> Vec<u32> {
        let holds = |(_, row): &(usize, &[u32])| contains(row, itemset);
        self.rows().enumerate().filter(holds).map(|(place, _)| place as u32).collect()
    }

    /// How many transactions hold all of some items, which must be ascending.
    pub fn support(&self, itemset: &[u32]) -> u64 {
        self.rows().filter(|row| contains(row, itemset)).count() as u64
    }
}

/// Whether an ascending set holds all of another.
pub(crate) fn contains(row: &[u32], itemset: &[u32]) -> bool {
    let mut rest = row.iter();
    itemset.iter().all(|item| rest.by_ref().find(|own| *own >= item) == Some(item))
}

/// The union of two ascending sets.
pub(crate) fn union(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_searched() {
        let own = Transactions::parse("3 1 1\n\n2\n").unwrap();
        assert_eq!(own.rows().collect::<Vec<_>>(), [&[1, 3][..], &[], &[2]]);
        assert_eq!((own.domain(), own.support(&[1, 3]), own.support(&[])), (4, 1, 3));
        assert_eq!(own.holding(&[2]), [2]);
        assert_eq!(Transactions::parse("1\n2 x"), Err(MineError::Transaction { line: 2 }));
        assert_eq!(Transactions::parse("4294967295"), Err(MineError::Transaction { line: 1 }));
        assert_eq!(Transactions::new([vec![u32::MAX]]).support(&[u32::MAX]), 1);
        assert!(contains(&[1, 4, 9], &[1, 9]) && !contains(&[1, 4, 9], &[1, 5]));
    }
}
