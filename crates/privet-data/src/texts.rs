//! Texts that several hold at once: the values of a column are the labels of its lowest level, too, and a column may have
//! as many values as a table has records.

use std::ops::Deref;
use std::sync::Arc;

/// A list of texts whose copies share what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts(Arc<[Box<str>]>);

impl Default for Texts {
    fn default() -> Self {
        Self(Arc::new([]))
    }
}

impl Deref for Texts {
    type Target = [Box<str>];

    fn deref(&self) -> &[Box<str>] {
        &self.0
    }
}

impl From<Vec<Box<str>>> for Texts {
    fn from(texts: Vec<Box<str>>) -> Self {
        Self(texts.into())
    }
}

impl FromIterator<Box<str>> for Texts {
    fn from_iter<I: IntoIterator<Item = Box<str>>>(texts: I) -> Self {
        Self(texts.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Texts {
    type Item = &'a Box<str>;
    type IntoIter = std::slice::Iter<'a, Box<str>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
