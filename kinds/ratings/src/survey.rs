//! Survey rating data `(o_1..o_p | s_1..s_q)` (thesis, section 0): the issues that an adversary may know, sparse, and the
//! sensitive issues beside them, dense. A survey is what every criterion and every publication works on.

use crate::{NULL, Ratings, Scale};

/// What is judged and published: users in rows, issues in columns.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The scale of all ratings.
    pub scale: Scale,
    pub(crate) starts: Vec<usize>,
    pub(crate) issue: Vec<u32>,
    pub(crate) tick: Vec<u8>,
    /// Per issue the item of the ratings that it is.
    pub issues: Vec<u32>,
    /// The sensitive issues.
    pub sensitive: Sensitive,
    /// How many cells were filled by padding: ratings that nobody gave.
    pub padded: u64,
}

/// The ratings of the sensitive issues, user by user; [`NULL`] where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sensitive {
    /// Per sensitive issue the item that it is.
    pub items: Vec<u32>,
    pub(crate) cells: Vec<u8>,
}

impl Sensitive {
    /// The sensitive ratings of a user, one for each issue.
    pub fn row(&self, user: u32) -> &[u8] {
        let width = self.items.len();
        &self.cells[user as usize * width..][..width]
    }

    /// The rating of one sensitive issue.
    pub fn cell(&self, user: u32, issue: usize) -> u8 {
        self.cells[user as usize * self.items.len() + issue]
    }
}

impl Survey {
    /// A survey of dense rows: per user the non-sensitive and the sensitive ticks, [`NULL`] where there is none.
    ///
    /// ```
    /// use privet_ratings::{NULL, Scale, Survey};
    /// let survey = Survey::dense(Scale::whole(1, 6)?, &[(vec![5, 0, NULL], vec![5]), (vec![0, 5, NULL], vec![0])]);
    /// assert_eq!((survey.users(), survey.row(0).0), (2, &[0, 1][..]));
    /// # Ok::<(), privet_ratings::RatingsError>(())
    /// ```
    pub fn dense(scale: Scale, rows: &[(Vec<u8>, Vec<u8>)]) -> Self {
        let (columns, sensitive) = rows.first().map_or((0, 0), |(a, b)| (a.len(), b.len()));
        let (mut starts, mut issue, mut tick, mut cells) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for (open, secret) in rows {
            for (&own, column) in open.iter().zip(0u32..) {
                if own != NULL {
                    issue.push(column);
                    tick.push(own);
                }
            }
            starts.push(issue.len());
            cells.extend_from_slice(secret);
        }
        let issues = (0..columns as u32).collect();
        let items = (columns as u32..(columns + sensitive) as u32).collect();
        Self { scale, starts, issue, tick, issues, sensitive: Sensitive { items, cells }, padded: 0 }
    }

    /// The issues `issues` of ratings, ascending, with all sensitive items.
    pub(crate) fn of(ratings: &Ratings, issues: Vec<u32>) -> Self {
        let items: Vec<u32> =
            (0..ratings.items().len() as u32).filter(|&item| ratings.is_sensitive(item)).collect();
        let mut place = vec![u32::MAX; ratings.items().len()];
        issues.iter().zip(0..).for_each(|(&item, at)| place[item as usize] = at);
        let mut secret = vec![u32::MAX; ratings.items().len()];
        items.iter().zip(0..).for_each(|(&item, at)| secret[item as usize] = at);
        let users = ratings.users().len();
        let mut cells = vec![NULL; users * items.len()];
        let (mut starts, mut issue, mut tick) = (vec![0], Vec::new(), Vec::new());
        for user in 0..users as u32 {
            let row = ratings.row(user);
            for (&item, &own) in row.of.iter().zip(row.ticks) {
                if place[item as usize] != u32::MAX {
                    issue.push(place[item as usize]);
                    tick.push(own);
                } else if secret[item as usize] != u32::MAX {
                    cells[user as usize * items.len() + secret[item as usize] as usize] = own;
                }
            }
            starts.push(issue.len());
        }
        Self {
            scale: ratings.scale(),
            starts,
            issue,
            tick,
            issues,
            sensitive: Sensitive { items, cells },
            padded: 0,
        }
    }

    /// The number of users.
    pub fn users(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of ratings of issues that are not sensitive.
    pub fn len(&self) -> usize {
        self.issue.len()
    }

    /// Whether there is no such rating.
    pub fn is_empty(&self) -> bool {
        self.issue.is_empty()
    }

    /// The issues that a user rated, ascending, and the ticks.
    pub fn row(&self, user: u32) -> (&[u32], &[u8]) {
        let range = self.starts[user as usize]..self.starts[user as usize + 1];
        (&self.issue[range.clone()], &self.tick[range])
    }

    /// The row of a user with every null.
    pub fn dense_row(&self, user: u32) -> Vec<u8> {
        let mut row = vec![NULL; self.issues.len()];
        let (issues, ticks) = self.row(user);
        issues.iter().zip(ticks).for_each(|(&issue, &tick)| row[issue as usize] = tick);
        row
    }
}
