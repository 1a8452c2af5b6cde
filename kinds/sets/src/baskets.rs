//! Sets of item codes in compressed rows: one basket per person, items in rising order, none twice.
//!
//! A basket takes eight bytes and an item four, so a million baskets of ten items fit into 48 MB. The codes are those of a
//! [`Catalogue`] or the nodes of an [`ItemTree`](crate::ItemTree).

use rayon::prelude::*;

use crate::SetsError;

/// Baskets of item codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baskets {
    offsets: Vec<usize>,
    items: Vec<u32>,
}

impl Default for Baskets {
    fn default() -> Self {
        Self { offsets: vec![0], items: Vec::new() }
    }
}

impl Baskets {
    /// Baskets from lists in any order. Repeated items of a basket count once.
    ///
    /// ```
    /// use privet_sets::Baskets;
    /// let baskets = Baskets::of([vec![2, 0, 2], vec![], vec![1]]);
    /// assert_eq!(baskets.basket(0), [0, 2]);
    /// assert_eq!((baskets.len(), baskets.total()), (3, 3));
    /// ```
    pub fn of<I: IntoIterator<Item = u32>>(lists: impl IntoIterator<Item = I>) -> Self {
        let mut baskets = Self::default();
        let mut list = Vec::new();
        for own in lists {
            list.clear();
            list.extend(own);
            baskets.push(&mut list);
        }
        baskets
    }

    /// Appends a basket. The list is sorted and freed of repetitions.
    pub fn push(&mut self, list: &mut Vec<u32>) {
        list.sort_unstable();
        list.dedup();
        self.items.extend_from_slice(list);
        self.offsets.push(self.items.len());
    }

    /// Baskets of persons from sorted pairs `person << 32 | item` without repetitions. Persons are numbers below `persons`.
    pub(crate) fn from_sorted_pairs(pairs: &[u64], persons: usize) -> Self {
        let mut offsets = vec![0usize; persons + 1];
        for pair in pairs {
            offsets[(pair >> 32) as usize + 1] += 1;
        }
        for person in 0..persons {
            offsets[person + 1] += offsets[person];
        }
        Self { offsets, items: pairs.iter().map(|&pair| pair as u32).collect() }
    }

    /// The number of baskets, empty ones included.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no basket.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of items in all baskets together.
    pub fn total(&self) -> usize {
        self.items.len()
    }

    /// The items of a basket, in rising order.
    #[inline]
    pub fn basket(&self, number: usize) -> &[u32] {
        &self.items[self.offsets[number]..self.offsets[number + 1]]
    }

    /// All baskets in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.offsets.windows(2).map(|ends| &self.items[ends[0]..ends[1]])
    }

    /// The items of all baskets, one after another.
    pub(crate) fn flat(&self) -> &[u32] {
        &self.items
    }

    /// The code after the largest that occurs.
    pub fn bound(&self) -> usize {
        self.items.par_iter().max().map_or(0, |&item| item as usize + 1)
    }

    /// The number of baskets that hold each code below `codes`.
    pub fn supports(&self, codes: usize) -> Vec<u64> {
        let mut supports = vec![0; codes];
        for &item in &self.items {
            supports[item as usize] += 1;
        }
        supports
    }

    /// How many baskets hold anything.
    pub fn filled(&self) -> usize {
        self.offsets.windows(2).filter(|ends| ends[0] < ends[1]).count()
    }

    /// Every item replaced, items without a replacement left out.
    pub fn map(&self, replace: impl Fn(u32) -> Option<u32> + Sync) -> Self {
        let mut mapped = Self::default();
        mapped.items.reserve(self.items.len());
        mapped.offsets.reserve(self.len());
        let mut list = Vec::new();
        for basket in self.iter() {
            list.clear();
            list.extend(basket.iter().filter_map(|&item| replace(item)));
            mapped.push(&mut list);
        }
        mapped
    }

    /// The baskets with these numbers.
    pub fn select(&self, numbers: impl IntoIterator<Item = usize>) -> Self {
        let mut selected = Self::default();
        for number in numbers {
            selected.items.extend_from_slice(self.basket(number));
            selected.offsets.push(selected.items.len());
        }
        selected
    }

    /// Sorted by content, so that the order of the baskets tells nothing of whose they are.
    pub fn sorted(&self) -> Self {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.par_sort_unstable_by(|&a, &b| self.basket(a as usize).cmp(self.basket(b as usize)));
        self.select(order.into_iter().map(|number| number as usize))
    }

    /// Whether the items of one basket all stand in another; both in rising order.
    pub fn contains_all(basket: &[u32], set: &[u32]) -> bool {
        let mut rest = basket.iter();
        set.iter().all(|item| rest.any(|own| own == item))
    }

    /// How many baskets hold all items of a set.
    pub fn support(&self, set: &[u32]) -> u64 {
        self.iter().filter(|basket| Self::contains_all(basket, set)).count() as u64
    }

    /// Refuses codes beyond a catalogue.
    pub(crate) fn check(&self, items: usize) -> Result<(), SetsError> {
        if self.bound() > items { Err(SetsError::NoSuchItem { items }) } else { Ok(()) }
    }
}

/// What the item codes stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// Per code its text.
    pub labels: Vec<Box<str>>,
    /// Per code whether the item must not be learned about a person.
    pub sensitive: Vec<bool>,
}

impl Catalogue {
    /// Items of which none is sensitive.
    pub fn public(labels: Vec<Box<str>>) -> Self {
        Self { sensitive: vec![false; labels.len()], labels }
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Marks items as sensitive.
    ///
    /// # Errors
    /// When some of the texts are no items.
    pub fn mark_sensitive<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> Result<(), SetsError> {
        let code_of: foldhash::HashMap<&str, u32> = self.labels.iter().map(|text| &**text).zip(0..).collect();
        let mut unknown = 0;
        let mut marked = Vec::new();
        for text in texts {
            match code_of.get(text) {
                Some(&code) => marked.push(code),
                None => unknown += 1,
            }
        }
        if unknown > 0 {
            return Err(SetsError::UnknownItems { what: "`sensitive`", items: unknown });
        }
        for code in marked {
            self.sensitive[code as usize] = true; // why: codes come from the labels, of the same length
        }
        Ok(())
    }
}

/// Sets of items and what the items are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetData {
    /// One basket per person.
    pub baskets: Baskets,
    /// The items.
    pub items: Catalogue,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baskets_are_sets() {
        let baskets = Baskets::of([vec![3, 1, 3], vec![], vec![1]]);
        assert_eq!(baskets.iter().collect::<Vec<_>>(), [&[1, 3][..], &[], &[1]]);
        assert_eq!((baskets.bound(), baskets.filled(), baskets.total()), (4, 2, 3));
        assert_eq!(baskets.supports(4), [0, 2, 0, 1]);
        assert_eq!((baskets.support(&[1]), baskets.support(&[1, 3]), baskets.support(&[])), (2, 1, 3));
        assert_eq!(baskets.sorted().iter().collect::<Vec<_>>(), [&[][..], &[1], &[1, 3]]);
        assert_eq!(baskets.map(|item| (item != 1).then_some(9)).basket(0), [9]);
        assert!(baskets.check(3).is_err() && baskets.check(4).is_ok());
    }

    #[test]
    fn sensitive_items_are_named() {
        let mut items = Catalogue::public(["a", "b"].map(Box::from).to_vec());
        assert!(items.mark_sensitive(["c"]).is_err());
        items.mark_sensitive(["b"]).unwrap();
        assert_eq!(items.sensitive, [false, true]);
    }
}
