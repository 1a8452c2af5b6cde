//! The k largest groups, chosen one by one (`--mechanism peeling`, `privet_dp::TopK`).
//!
//! Guarantee: the choice is private at its own share of epsilon, whatever the figures beside it cost. The counts that
//! are shown have noise that the choice never saw, so the winners are not those whose noise was large.

use std::num::NonZeroUsize;

use privet_dp::{Epsilon, People, TopK};
use privet_measure::answer::{Aggregate, Figure, PrivateQuestion, RankBy, Ranking};

use super::declared::problem;
use super::error::QueryError;

/// Every turn weighs all groups: the most of both together.
const MOST_WEIGHINGS: usize = 1 << 24;

/// How groups are chosen.
#[derive(Debug)]
pub(super) struct Choice {
    pub top: TopK,
    /// The column whose missing values do not count; none for `count(*)`.
    pub column: Option<String>,
    lines: usize,
    falls_short_95: Option<f64>,
}

impl Choice {
    pub fn new(
        question: &PrivateQuestion,
        people: People,
        groups: NonZeroUsize,
        epsilon: &Epsilon,
    ) -> Result<Self, QueryError> {
        let refused = || {
            problem(
                "--mechanism peeling chooses the largest groups: `select COLUMN, count(*) from data group by COLUMN order by \
                 count(*) desc limit 5`",
            )
        };
        let (Some(Ranking { by: RankBy::Figure(place), descending: true }), Some(lines)) =
            (question.order, question.limit)
        else {
            return Err(refused());
        };
        let column = match question.select.get(place).map(|own| &own.figure) {
            Some(Figure::Aggregate(Aggregate::Count)) => None,
            Some(Figure::Aggregate(Aggregate::CountOf(column))) => Some(column.clone()),
            _ => return Err(refused()),
        };
        let lines = lines.min(groups.get());
        if lines.checked_mul(groups.get()).is_none_or(|weighings| weighings > MOST_WEIGHINGS) {
            return Err(problem(format!(
                "peeling weighs every group in each of its turns, and {MOST_WEIGHINGS} times is the most; use a smaller limit, or \
                 leave --mechanism out"
            )));
        }
        let top = TopK::new(people, lines, epsilon)?;
        let falls_short_95 = top.falls_short_95(groups.get());
        Ok(Self { top, column, lines, falls_short_95 })
    }

    pub fn remark(&self) -> String {
        let share = super::Amount::from(self.top.loss());
        let short = self.falls_short_95.map_or_else(String::new, |short| {
            format!(
                "; with a probability of 95 % none has more than {short} records fewer than the largest that was left at its \
                 turn"
            )
        });
        format!(
            "Choosing {} by peeling gets {share}, as much as each figure{short}. The counts are made afterwards, with noise of \
             their own.",
            if self.lines == 1 { "the group".to_owned() } else { format!("the {} groups", self.lines) }
        )
    }
}
