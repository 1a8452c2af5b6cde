//! The ratings of all users, sparse: per user the items rated, in order, with tick and day.
//!
//! Nine bytes for each rating with a day and five without, so 100 million ratings take 900 MB. Rows are brought into order by
//! two counting passes, first over items and then over users, in time linear in the number of ratings.

use crate::{RatingsError, Scale};

/// Ratings as they come in: parallel lists, one entry for each rating.
#[derive(Debug, Clone, Default)]
pub struct Triples {
    /// Who rated.
    pub users: Vec<u32>,
    /// Which item.
    pub items: Vec<u32>,
    /// The rating, as a tick of the scale.
    pub ticks: Vec<u8>,
    /// Days since 1970-01-01.
    pub days: Option<Vec<i32>>,
}

/// The ratings of all users.
#[derive(Debug, Clone)]
pub struct Ratings {
    scale: Scale,
    users: Vec<Box<str>>,
    items: Vec<Box<str>>,
    sensitive: Vec<bool>,
    starts: Vec<usize>,
    item: Vec<u32>,
    tick: Vec<u8>,
    day: Option<Vec<i32>>,
}

/// The ratings of one user, or of one item: parallel slices.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The items of a user, ascending; or the users of an item, ascending.
    pub of: &'a [u32],
    /// The ticks.
    pub ticks: &'a [u8],
    /// The days, where known.
    pub days: Option<&'a [i32]>,
}

/// The same ratings by item.
#[derive(Debug, Clone)]
pub struct ByItem {
    starts: Vec<usize>,
    user: Vec<u32>,
    tick: Vec<u8>,
    day: Option<Vec<i32>>,
}

impl Ratings {
    /// Brings ratings into order. Of several ratings of one item by one user the last one counts; returned is how many
    /// did not count.
    ///
    /// # Errors
    /// When lists have different lengths, or a number lies beyond the users, the items or the scale.
    pub fn from_triples(
        scale: Scale,
        users: Vec<Box<str>>,
        items: Vec<Box<str>>,
        triples: Triples,
    ) -> Result<(Self, u64), RatingsError> {
        let Triples { users: user, items: item, ticks, days } = triples;
        let length = user.len();
        if item.len() != length || ticks.len() != length {
            return Err(RatingsError::Length { what: "lists of users, items and ratings" });
        }
        if days.as_ref().is_some_and(|days| days.len() != length) {
            return Err(RatingsError::Length { what: "the list of days" });
        }
        let beyond = user.iter().any(|&own| own as usize >= users.len())
            || item.iter().any(|&own| own as usize >= items.len())
            || ticks.iter().any(|&own| own >= scale.levels());
        if beyond {
            return Err(RatingsError::OutOfRange);
        }
        let by_item = scatter(&item, items.len(), &user, &ticks, days.as_deref());
        drop((user, item, ticks, days));
        let sensitive = vec![false; items.len()];
        let (starts, item, tick, day) = by_item.turned(users.len());
        let mut ratings = Self { scale, users, items, sensitive, starts, item, tick, day };
        let repeated = ratings.keep_last();
        Ok((ratings, repeated))
    }

    /// Removes all but the last rating of an item in each row; entries of one item stand in the order of the input.
    fn keep_last(&mut self) -> u64 {
        let (mut kept, mut begin) = (0, 0);
        for user in 0..self.users.len() {
            let end = self.starts[user + 1];
            let start = kept;
            for at in begin..end {
                if kept > start && self.item[kept - 1] == self.item[at] {
                    kept -= 1;
                }
                self.item[kept] = self.item[at];
                self.tick[kept] = self.tick[at];
                if let Some(day) = &mut self.day {
                    day[kept] = day[at];
                }
                kept += 1;
            }
            begin = end;
            self.starts[user + 1] = kept;
        }
        let repeated = (self.item.len() - kept) as u64;
        self.item.truncate(kept);
        self.tick.truncate(kept);
        if let Some(day) = &mut self.day {
            day.truncate(kept);
        }
        repeated
    }

    /// Marks the items whose ratings are sensitive, and no others.
    ///
    /// # Errors
    /// When a name is none of an item.
    pub fn set_sensitive<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), RatingsError> {
        let wanted: foldhash::HashSet<&str> = names.into_iter().collect();
        self.sensitive = self.items.iter().map(|item| wanted.contains(&**item)).collect();
        match wanted.len() - self.sensitive.iter().filter(|own| **own).count() {
            0 => Ok(()),
            items => Err(RatingsError::UnknownItems { items }),
        }
    }

    /// The scale.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The names of the users.
    pub fn users(&self) -> &[Box<str>] {
        &self.users
    }

    /// The names of the items.
    pub fn items(&self) -> &[Box<str>] {
        &self.items
    }

    /// Whether the ratings of an item are sensitive.
    pub fn is_sensitive(&self, item: u32) -> bool {
        self.sensitive[item as usize]
    }

    /// The number of ratings.
    pub fn len(&self) -> usize {
        self.item.len()
    }

    /// Whether there is no rating.
    pub fn is_empty(&self) -> bool {
        self.item.is_empty()
    }

    /// Whether days are known.
    pub fn has_days(&self) -> bool {
        self.day.is_some()
    }

    /// The ratings of a user.
    pub fn row(&self, user: u32) -> Row<'_> {
        let range = self.starts[user as usize]..self.starts[user as usize + 1];
        Row {
            of: &self.item[range.clone()],
            ticks: &self.tick[range.clone()],
            days: self.day.as_ref().map(|day| &day[range]),
        }
    }

    /// The rating of an item by a user.
    pub fn rating(&self, user: u32, item: u32) -> Option<u8> {
        let row = self.row(user);
        row.of.binary_search(&item).ok().map(|at| row.ticks[at])
    }

    /// How many users rated each item.
    pub fn support(&self) -> Vec<u32> {
        let mut support = vec![0; self.items.len()];
        self.item.iter().for_each(|&item| support[item as usize] += 1);
        support
    }

    /// The same ratings by item.
    pub fn by_item(&self) -> ByItem {
        let mut users = Vec::with_capacity(self.len());
        for user in 0..self.users.len() {
            users.resize(self.starts[user + 1], user as u32);
        }
        scatter(&self.item, self.items.len(), &users, &self.tick, self.day.as_deref())
    }

    /// The same ratings without days.
    pub fn without_days(mut self) -> Self {
        self.day = None;
        self
    }

    /// The same ratings among `count` users, of whom those here have the numbers `numbers`, ascending; the others rated nothing.
    /// None where the numbers are not so.
    pub(crate) fn spread_users(mut self, count: u32, numbers: &[u32]) -> Option<Self> {
        let ascending = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        if numbers.len() != self.users.len()
            || !ascending
            || numbers.last().is_some_and(|&last| last >= count)
        {
            return None;
        }
        let mut starts = vec![0usize; count as usize + 1];
        for (&number, pair) in numbers.iter().zip(self.starts.windows(2)) {
            starts[number as usize + 1] = pair[1] - pair[0];
        }
        (0..count as usize).for_each(|at| starts[at + 1] += starts[at]);
        self.starts = starts;
        self.users = (0..count).map(|number| number.to_string().into()).collect();
        Some(self)
    }

    /// The first and the last day.
    pub fn days(&self) -> Option<(i32, i32)> {
        let days = self.day.as_ref()?;
        Some((*days.iter().min()?, *days.iter().max()?))
    }
}

impl ByItem {
    /// The ratings of an item.
    pub fn row(&self, item: u32) -> Row<'_> {
        let range = self.starts[item as usize]..self.starts[item as usize + 1];
        Row {
            of: &self.user[range.clone()],
            ticks: &self.tick[range.clone()],
            days: self.day.as_ref().map(|day| &day[range]),
        }
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.starts.len() - 1
    }

    fn turned(self, users: usize) -> (Vec<usize>, Vec<u32>, Vec<u8>, Option<Vec<i32>>) {
        let mut items = Vec::with_capacity(self.user.len());
        for item in 0..self.items() {
            items.resize(self.starts[item + 1], item as u32);
        }
        let turned = scatter(&self.user, users, &items, &self.tick, self.day.as_deref());
        (turned.starts, turned.user, turned.tick, turned.day)
    }
}

/// A stable counting sort by `key`.
fn scatter(key: &[u32], keys: usize, other: &[u32], ticks: &[u8], days: Option<&[i32]>) -> ByItem {
    let mut starts = vec![0usize; keys + 1];
    key.iter().for_each(|&key| starts[key as usize + 1] += 1);
    for at in 0..keys {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut user = vec![0u32; key.len()];
    let mut tick = vec![0u8; key.len()];
    let mut day = days.map(|days| vec![0i32; days.len()]);
    for (at, &key) in key.iter().enumerate() {
        let to = next[key as usize];
        next[key as usize] += 1;
        user[to] = other[at];
        tick[to] = ticks[at];
        if let (Some(day), Some(days)) = (&mut day, days) {
            day[to] = days[at];
        }
    }
    ByItem { starts, user, tick, day }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<Box<str>> {
        (0..count).map(|number| number.to_string().into()).collect()
    }

    #[test]
    fn rows_are_in_order_and_the_last_rating_counts() {
        let triples = Triples {
            users: vec![1, 0, 1, 1, 0],
            items: vec![2, 1, 0, 2, 0],
            ticks: vec![4, 3, 2, 1, 0],
            days: Some(vec![10, 11, 12, 13, 14]),
        };
        let scale = Scale::whole(1, 5).unwrap();
        let (ratings, repeated) = Ratings::from_triples(scale, names(3), names(3), triples).unwrap();
        assert_eq!((repeated, ratings.len()), (1, 4));
        assert_eq!((ratings.row(0).of, ratings.row(0).ticks), (&[0, 1][..], &[0, 3][..]));
        assert_eq!((ratings.row(1).of, ratings.row(1).ticks), (&[0, 2][..], &[2, 1][..]));
        assert_eq!(ratings.row(1).days, Some(&[12, 13][..]));
        assert!(ratings.row(2).of.is_empty());
        assert_eq!((ratings.rating(1, 2), ratings.rating(0, 2)), (Some(1), None));
        assert_eq!(ratings.support(), [2, 1, 1]);
        let by_item = ratings.by_item();
        assert_eq!((by_item.row(0).of, by_item.row(0).ticks), (&[0, 1][..], &[0, 2][..]));
        assert_eq!(by_item.row(0).days, Some(&[14, 12][..]));
        assert_eq!(ratings.days(), Some((11, 14)));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let scale = Scale::whole(1, 5).unwrap();
        let triples = |users: &[u32], items: &[u32], ticks: &[u8]| Triples {
            users: users.to_vec(),
            items: items.to_vec(),
            ticks: ticks.to_vec(),
            days: None,
        };
        let make = |triples| Ratings::from_triples(scale, names(1), names(1), triples).map(|_| ());
        assert!(make(triples(&[0], &[0], &[4])).is_ok());
        assert!(matches!(make(triples(&[1], &[0], &[4])), Err(RatingsError::OutOfRange)));
        assert!(matches!(make(triples(&[0], &[1], &[4])), Err(RatingsError::OutOfRange)));
        assert!(matches!(make(triples(&[0], &[0], &[5])), Err(RatingsError::OutOfRange)));
        assert!(matches!(make(triples(&[0, 0], &[0], &[4])), Err(RatingsError::Length { .. })));
    }
}
