//! Which cells an adversary is taken to compare: the null rule.
//!
//! Eq 6.1 puts a null and a rating `r` apart, so below epsilon = r only users who rated exactly the same items can be
//! proximate. With many items nearly every user has a flag row of their own, and the literal rule makes the data useless
//! (spec, E7, feasibility warning). The thesis does not say what its experiments did. Three explicit rules:
//!
//! - [`NullRule::Literal`]: every item, Eq 6.1 as printed.
//! - [`NullRule::DenseItems`] (the default): only the items that many users rated are published, with Eq 6.1 among them.
//!   Fewer items are published, and the promise holds literally for all that is published.
//! - [`NullRule::Padding`]: dense items, and every null among them becomes the item's mean rating before anything is
//!   compared. Nobody can tell who rated what, and every padded cell is a rating that nobody gave.
//!
//! Dense items are the default because they invent nothing before the data is looked at and keep the promise literal;
//! padding hides presence as well, and its release says how many cells it invented.

use serde::{Deserialize, Serialize};

use crate::{NULL, Ratings, RatingsError, Survey};

/// Which items count as dense.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DenseItems {
    /// So many of the items that most users rated; of equals those that stand first.
    Most(u32),
    /// The items that at least this share of users rated.
    Share(f64),
}

/// How cells without a rating are treated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NullRule {
    /// All items, and a null is `r` from a rating (Eq 6.1).
    Literal,
    /// Only dense items are published, and a null is `r` from a rating.
    DenseItems(DenseItems),
    /// Only dense items are published, and every null is filled with the item's mean.
    Padding(DenseItems),
}

impl Default for NullRule {
    fn default() -> Self {
        NullRule::DenseItems(DenseItems::Most(50))
    }
}

/// The survey that ratings are under a null rule. Items that are sensitive stand apart, whatever the rule.
///
/// # Errors
/// When the rule leaves no item, or its parameter is out of range.
pub fn survey(ratings: &Ratings, rule: NullRule) -> Result<Survey, RatingsError> {
    let (dense, padding) = match rule {
        NullRule::Literal => (DenseItems::Share(0.0), false),
        NullRule::DenseItems(dense) => (dense, false),
        NullRule::Padding(dense) => (dense, true),
    };
    let issues = dense_items(ratings, dense)?;
    let mut survey = Survey::of(ratings, issues);
    if survey.is_empty() {
        return Err(RatingsError::Empty { of: " of items that are not sensitive" });
    }
    if padding {
        pad(&mut survey);
    }
    Ok(survey)
}

fn dense_items(ratings: &Ratings, dense: DenseItems) -> Result<Vec<u32>, RatingsError> {
    let support = ratings.support();
    let mut open: Vec<u32> = (0..support.len() as u32)
        .filter(|&item| support[item as usize] > 0 && !ratings.is_sensitive(item))
        .collect();
    match dense {
        DenseItems::Most(0) => {
            return Err(RatingsError::Parameter { key: "items", accepted: "at least 1" });
        }
        DenseItems::Most(count) => {
            open.sort_by_key(|&item| std::cmp::Reverse(support[item as usize]));
            open.truncate(count as usize);
            open.sort_unstable();
        }
        DenseItems::Share(share) if (0.0..=1.0).contains(&share) => {
            let least = share * ratings.users().len() as f64;
            open.retain(|&item| f64::from(support[item as usize]) >= least);
        }
        DenseItems::Share(_) => {
            return Err(RatingsError::Parameter { key: "share", accepted: "between 0 and 1" });
        }
    }
    match open.is_empty() {
        true => Err(RatingsError::Empty { of: " of items as dense as asked" }),
        false => Ok(open),
    }
}

/// Every null becomes the mean of its issue, rounded to the nearest tick.
fn pad(survey: &mut Survey) {
    let columns = survey.issues.len();
    let (mut sum, mut count) = (vec![0u64; columns], vec![0u64; columns]);
    for (&issue, &tick) in survey.issue.iter().zip(&survey.tick) {
        sum[issue as usize] += u64::from(tick);
        count[issue as usize] += 1;
    }
    let middle = |(&sum, &count): (&u64, &u64)| ((sum + count / 2) / count.max(1)) as u8;
    let middle: Vec<u8> = sum.iter().zip(&count).map(middle).collect();
    let users = survey.users();
    let before = survey.len();
    let mut tick = Vec::with_capacity(users * columns);
    for user in 0..users as u32 {
        let row = survey.dense_row(user);
        tick.extend(row.iter().zip(&middle).map(|(&own, &middle)| if own == NULL { middle } else { own }));
    }
    survey.padded = (tick.len() - before) as u64;
    survey.tick = tick;
    survey.issue = (0..users).flat_map(|_| 0..columns as u32).collect();
    survey.starts = (0..=users).map(|user| user * columns).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scale, Triples};

    fn ratings() -> Ratings {
        // Item 0: all three users (1, 2, 5); item 1: two (4, 4); item 2, sensitive: one.
        let triples = Triples {
            users: vec![0, 1, 2, 0, 1, 2],
            items: vec![0, 0, 0, 1, 1, 2],
            ticks: vec![0, 1, 4, 3, 3, 2],
            days: None,
        };
        let names = || ["a", "b", "c"].map(Box::from).to_vec();
        let (mut ratings, _) =
            Ratings::from_triples(Scale::whole(1, 5).unwrap(), names(), names(), triples).unwrap();
        ratings.set_sensitive(["c"]).unwrap();
        ratings
    }

    #[test]
    fn sensitive_items_stand_apart() {
        let survey = survey(&ratings(), NullRule::Literal).unwrap();
        assert_eq!((&survey.issues[..], &survey.sensitive.items[..]), (&[0, 1][..], &[2][..]));
        assert_eq!(survey.sensitive.row(2), [2]);
        assert_eq!(survey.sensitive.row(0), [NULL]);
        assert_eq!(survey.dense_row(2), [4, NULL]);
    }

    #[test]
    fn dense_items_are_those_most_users_rated() {
        for dense in [DenseItems::Most(1), DenseItems::Share(0.9)] {
            let survey = survey(&ratings(), NullRule::DenseItems(dense)).unwrap();
            assert_eq!((survey.issues.len(), survey.len(), survey.padded), (1, 3, 0));
        }
        assert!(survey(&ratings(), NullRule::DenseItems(DenseItems::Most(0))).is_err());
        assert!(survey(&ratings(), NullRule::DenseItems(DenseItems::Share(2.0))).is_err());
    }

    #[test]
    fn padding_fills_with_the_mean_and_counts() {
        let survey = survey(&ratings(), NullRule::Padding(DenseItems::Most(2))).unwrap();
        assert_eq!((survey.padded, survey.dense_row(2)), (1, vec![4, 3]));
        assert_eq!(survey.row(0), (&[0, 1][..], &[0, 3][..]));
    }
}
