//! Questions that are answered with noise: what a [`Question`](super::Question) can hold, and besides it medians and
//! other quantiles, and the order and number of the lines of a `group by`.
//!
//! `select diagnosis, count(*) from data group by diagnosis order by count(*) desc limit 5`. What is refused is refused by
//! name: whatever would show single records (`select *`, columns outside `group by`, `distinct`), or is decided by one
//! person (`min`, `max`), joins and subqueries but on a key ([`Origin`]). Order and limit are of answers that already have their noise,
//! so they tell nothing more.

use super::arithmetic::Formula;
use super::model::ModelQuestion;
use super::origin::Origin;
use super::question::{Aggregate, Condition, QuestionError};
use super::sql;

/// What is asked for with noise.
#[derive(Debug, Clone, PartialEq)]
pub struct PrivateQuestion {
    /// The name of the table, as it stands after `from`.
    pub table: String,
    /// What is joined to it, or made of it, before anything is asked.
    pub origin: Origin,
    /// The figures, in the order of the question; at least one, but where a regression is asked for.
    pub select: Vec<PrivateOutput>,
    /// What figures are computed from where that is more than a column, by the name that stands for it in the figure.
    pub computed: Vec<(String, Formula)>,
    /// A regression, which is asked for instead of figures.
    pub model: Option<ModelQuestion>,
    /// Which records they are about; all when it is empty.
    pub filter: Condition,
    /// The columns whose declared keys each get an answer of their own.
    pub group_by: Vec<String>,
    /// Several tables at once (`grouping sets`, `cube`, `rollup`), each a list of positions in `group_by`, rising; empty
    /// for a plain `group by`.
    pub grouping_sets: Vec<Vec<usize>>,
    /// How the lines are ordered; by their keys when it is empty.
    pub order: Option<Ranking>,
    /// How many lines are shown; all when it is empty.
    pub limit: Option<usize>,
}

/// One figure that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateOutput {
    /// What to compute.
    pub figure: Figure,
    /// Its name: the alias, or the figure as it is written.
    pub name: String,
}

/// A figure over records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Figure {
    /// A count, sum or average.
    Aggregate(Aggregate),
    /// `median(column)` or `quantile(column, 0.9)`: the quantile `above/below`.
    Quantile {
        /// The column.
        column: String,
        /// The numerator.
        above: u32,
        /// The denominator.
        below: u32,
    },
    /// `smooth_median(column)`: the median with noise for this table instead of the worst one.
    SmoothMedian {
        /// The column.
        column: String,
    },
    /// `count(distinct column)`: the number of different values.
    CountDistinct {
        /// The column.
        column: String,
    },
    /// `variance(column)`, and `stddev(column)`, its root; of all records, not of a sample.
    Spread {
        /// The column.
        column: String,
        /// Whether the root is meant.
        is_root: bool,
    },
}

/// What the lines are ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranking {
    /// A figure or a column of `group by`, by its position.
    pub by: RankBy,
    /// The largest first.
    pub descending: bool,
}

/// A figure or a column of `group by`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankBy {
    /// A figure of `select`.
    Figure(usize),
    /// A column of `group by`, in the order of its keys.
    Key(usize),
}

impl Figure {
    /// The column that is counted, summed, averaged or cut.
    pub fn column(&self) -> Option<&str> {
        match self {
            Figure::Aggregate(aggregate) => aggregate.column(),
            Figure::Quantile { column, .. }
            | Figure::SmoothMedian { column }
            | Figure::CountDistinct { column }
            | Figure::Spread { column, .. } => Some(column),
        }
    }
}

impl PrivateQuestion {
    /// Whether it is about one table as it stands, with figures of columns.
    pub fn is_plain(&self) -> bool {
        self.origin.is_plain() && self.computed.is_empty() && self.model.is_none()
    }

    /// Reads a question.
    ///
    /// ```
    /// use privet_measure::answer::PrivateQuestion;
    /// let text = "select sex, median(cost) from data where age < 40 group by sex order by median(cost) desc limit 1";
    /// assert_eq!(PrivateQuestion::parse(text)?.limit, Some(1));
    /// assert!(PrivateQuestion::parse("select max(cost) from data").is_err());
    /// # Ok::<(), privet_measure::answer::QuestionError>(())
    /// ```
    ///
    /// # Errors
    /// When the text is no SQL, or asks for what cannot be told with noise.
    pub fn parse(text: &str) -> Result<Self, QuestionError> {
        sql::read_private(text)
    }

    /// Reads several questions, separated by semicolons; at least one.
    ///
    /// # Errors
    /// As [`PrivateQuestion::parse`].
    pub fn parse_several(text: &str) -> Result<Vec<Self>, QuestionError> {
        sql::read_session(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> &'static str {
        match PrivateQuestion::parse(text) {
            Err(QuestionError::Unsupported { construct, .. }) => construct,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn quantiles_order_and_limit() {
        let asked = PrivateQuestion::parse(
            "select sex, count(*) as n, quantile(cost, 0.25) from data group by sex, age order by n desc limit 3",
        )
        .unwrap();
        assert_eq!(asked.order, Some(Ranking { by: RankBy::Figure(0), descending: true }));
        assert_eq!((asked.limit, asked.group_by.len()), (Some(3), 2));
        let quarter = Figure::Quantile { column: "cost".into(), above: 250, below: 1000 };
        assert_eq!(asked.select[1], PrivateOutput { figure: quarter, name: "quantile(cost, 0.25)".into() });
        let asked =
            PrivateQuestion::parse("select median(d.cost), age from data d group by age order by age")
                .unwrap();
        assert_eq!(asked.order, Some(Ranking { by: RankBy::Key(0), descending: false }));
        assert_eq!(asked.select[0].name, "median(cost)");
        let half = Figure::Quantile { column: "cost".into(), above: 1, below: 2 };
        assert_eq!(asked.select[0].figure, half);
        let same = "select avg(cost) from data where sex = 'F' and not (age < 3 or zip like '1%')";
        let public = super::super::Question::parse(same).unwrap();
        assert_eq!(PrivateQuestion::parse(same).unwrap().filter, public.filter);
    }

    #[test]
    fn tables_at_once() {
        let sets = |by: &str| {
            let asked = PrivateQuestion::parse(&format!("select count(*) from d group by {by}")).unwrap();
            (asked.group_by.join(" "), asked.grouping_sets)
        };
        let (by, all) = sets("grouping sets ((sex, job), (job, ill), (), (job, sex))");
        assert_eq!((by.as_str(), all), ("sex job ill", vec![vec![0, 1], vec![1, 2], vec![]]));
        assert_eq!(sets("cube (a, b)").1, [vec![0, 1], vec![0], vec![1], vec![]]);
        assert_eq!(sets("rollup (a, b, c)").1, [vec![0, 1, 2], vec![0, 1], vec![0], vec![]]);
        assert_eq!(sets("rollup ((a, b), c)").1, [vec![0, 1, 2], vec![0, 1], vec![]]);
        assert!(sets("a, b").1.is_empty());
        assert!(refused("select count(*) from d group by cube (a,b,c,d,e,f,g,h,i)").contains("eight"));
        assert!(refused("select count(*) from d group by a, cube (b)").contains("`cube`"));
        assert!(refused("select count(*) from d group by cube (a) order by a").contains("`order by`"));
        let text = "select count(*) from d; select smooth_median(a) as m from d where b = 1;";
        let several = PrivateQuestion::parse_several(text).unwrap();
        assert_eq!((several.len(), several[1].select[0].name.as_str()), (2, "m"));
        assert_eq!(several[1].select[0].figure, Figure::SmoothMedian { column: "a".into() });
        assert!(PrivateQuestion::parse_several(" ; ").is_err());
        assert!(PrivateQuestion::parse_several("select count(*) from d; drop table d").is_err());
        assert!(super::super::Question::parse("select count(*) from d group by cube (a)").is_err());
    }

    #[test]
    fn what_would_show_records_is_refused_by_name() {
        for (text, word) in [
            ("select * from data", "`*`"),
            ("select name from data", "not in `group by`"),
            ("select name from data group by name", "no count"),
            ("select distinct count(*) from data", "`distinct`"),
            ("select sum(distinct name) from data", "`distinct`"),
            ("select max(cost) from data", "one person"),
            ("select min(cost), count(*) from data", "one person"),
            ("select count(*) from a join b", "a join"),
            ("select count(*) from a, b", "a join"),
            ("select count(*) from (select * from data)", "a subquery"),
            ("select count(*) from (select sex, count(*) as n from data group by sex, age)", "a subquery"),
            ("select count(*) from data where cost in (select cost from data)", "a subquery"),
            ("select count(*) from data group by sex having count(*) > 1", "`having`"),
            ("select count(*) from data limit 3", "`limit`"),
            ("select count(*) from data group by sex limit 3", "`limit` without"),
            ("select count(*) from data group by sex order by count(*) limit 0", "`limit`"),
            ("select count(*) from data group by sex order by count(*) limit 2 offset 1", "`offset`"),
            ("select count(*) from data group by sex order by avg(cost)", "`order by`"),
            ("select sex, count(*) from data group by sex order by age", "`order by`"),
            ("select count(*) from data group by sex order by sex, count(*)", "`order by`"),
            ("select quantile(cost, 1.5) from data", "a quantile"),
            ("select quantile(cost, 0.3333) from data", "a quantile"),
            ("select quantile(cost) from data", "a quantile"),
            ("select sum(cost % 2) from data", "arithmetic"),
            ("select stddev_samp(cost) from data", "a function"),
            ("select count(*) from data where cost * 2 > 5", "arithmetic"),
            ("delete from data", "no `select`"),
            ("select count(*) from data; select count(*) from data", "several"),
            ("select count(*) from data union select count(*) from data", "`union`"),
            ("with a as (select 1) select count(*) from a", "`with`"),
            ("select count(*) over () from data", "a window"),
            ("select sex, count(*) from data group by sex, sex", "named twice in `group by`"),
            ("select count(*) from data d group by sex, age, d.sex", "named twice in `group by`"),
            ("select count(*) as n, avg(cost) as n from data", "the same name for two outputs"),
            ("select count(*) as n, count(*) as n from data", "the same name for two outputs"),
            ("select count(*), avg(cost) as \"count(*)\" from data", "the same name for two outputs"),
            ("select avg(cost) as \"count(*)\", count(*) from data", "the same name for two outputs"),
        ] {
            assert!(refused(text).contains(word), "{text}: {}", refused(text));
        }
        // A figure that is asked for twice is one number, and a set that is written twice is one table.
        for fine in [
            "select count(*), count(*) from data",
            "select count(*) as n, avg(cost) as m from data",
            "select count(*) from data group by grouping sets ((sex, sex), (sex))",
        ] {
            assert!(PrivateQuestion::parse(fine).is_ok(), "{fine}");
        }
        assert!(matches!(PrivateQuestion::parse("select"), Err(QuestionError::Syntax { .. })));
        assert!(PrivateQuestion::parse(&"(".repeat(9000)).is_err());
        // Releases have no quantiles.
        assert!(super::super::Question::parse("select median(cost) from data").is_err());
        assert!(super::super::Question::parse("select count(*) from data group by a order by a").is_err());
    }
}
