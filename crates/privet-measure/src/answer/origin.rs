//! Where the records of a private question come from besides one table: tables joined on a key, and a subquery with one line for
//! each value of a key (`from (select patient, count(*) as visits from data group by patient)`).
//!
//! What is read here is only the form. Whether a key is the column that tells whose record it is, without which neither is safe, is
//! for whoever answers.

use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, Query, Select, SelectItem, SetExpr, TableFactor,
};

use super::question::{Condition, QuestionError};
use super::sql::{Columns, name_of, refuse, refuse_at, table_name};

/// Where records come from, besides the table of the question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Origin {
    /// Tables that are joined to it.
    pub joins: Vec<JoinedTable>,
    /// One line for each person instead of the records.
    pub per_person: Option<PerPerson>,
}

/// A table that is joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedTable {
    /// Its name.
    pub table: String,
    /// The column of the first table.
    pub own: String,
    /// The column of the joined one.
    pub other: String,
    /// Whether records without a partner stay (`left join`).
    pub keeps_all: bool,
}

/// A subquery with one line for each value of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct PerPerson {
    /// The column of its `group by`.
    pub person: String,
    /// Which records it is about.
    pub filter: Condition,
    /// What it tells of each, under which name.
    pub columns: Vec<(String, PersonFigure)>,
}

/// What is computed from the records of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonFigure {
    /// The number of records.
    Count,
    /// The number of those in which the column is known.
    CountOf(String),
    /// The number of different values.
    CountDistinct(String),
    /// The sum.
    Sum(String),
    /// The mean.
    Average(String),
    /// The least number.
    Least(String),
    /// The greatest number.
    Greatest(String),
}

impl Origin {
    /// Whether it is one table as it stands.
    pub fn is_plain(&self) -> bool {
        self.joins.is_empty() && self.per_person.is_none()
    }
}

impl PersonFigure {
    /// The column that it looks at.
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::Count => None,
            Self::CountOf(column)
            | Self::CountDistinct(column)
            | Self::Sum(column)
            | Self::Average(column)
            | Self::Least(column)
            | Self::Greatest(column) => Some(column),
        }
    }
}

impl PersonFigure {
    /// What it is over so many records of a person, of which these are the codes and the numbers of its column where they are known;
    /// nothing over none.
    pub fn of(&self, records: usize, known: &[u32], numbers: &[f64]) -> Option<String> {
        let sum = || numbers.iter().sum::<f64>();
        let number = match self {
            Self::Count => return Some(records.to_string()),
            Self::CountOf(_) => return Some(known.len().to_string()),
            Self::CountDistinct(_) => {
                let mut codes = known.to_vec();
                codes.sort_unstable();
                codes.dedup();
                return Some(codes.len().to_string());
            }
            Self::Sum(_) => (!numbers.is_empty()).then(sum),
            Self::Average(_) => (!numbers.is_empty()).then(|| sum() / numbers.len() as f64),
            Self::Least(_) => numbers.iter().copied().reduce(f64::min),
            Self::Greatest(_) => numbers.iter().copied().reduce(f64::max),
        };
        number.map(|own| own.to_string())
    }
}

/// The names of the tables of a `from`, the first one first, and where its records come from.
pub(super) fn read(select: &Select) -> Result<(Vec<String>, Origin), QuestionError> {
    let [from] = &select.from[..] else {
        return Err(refuse(if select.from.is_empty() {
            "no `from`"
        } else {
            "a join without `using (COLUMN)`"
        }));
    };
    if let TableFactor::Derived { lateral: false, subquery, alias, sample: None } = &from.relation {
        if !from.joins.is_empty() {
            return Err(refuse("a join with a subquery; put the join into it"));
        }
        let (mut names, origin) = per_person(subquery)?;
        names.truncate(1);
        names.extend(alias.as_ref().map(|alias| alias.name.value.clone()));
        return Ok((names, origin));
    }
    let mut names = table_name(&from.relation)?;
    let mut joins = Vec::new();
    for join in &from.joins {
        let (joined, others) = joined(join, &names)?;
        joins.push(joined);
        names.extend(others);
    }
    Ok((names, Origin { joins, per_person: None }))
}

fn joined(join: &Join, names: &[String]) -> Result<(JoinedTable, Vec<String>), QuestionError> {
    const FORM: &str =
        "a join other than `join TABLE using (COLUMN)` or `join TABLE on A.COLUMN = B.COLUMN`, inner or left";
    let (constraint, keeps_all) = match &join.join_operator {
        JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => (constraint, false),
        JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => (constraint, true),
        _ => return Err(refuse(FORM)),
    };
    let others = table_name(&join.relation)?;
    let table = others.first().cloned().unwrap_or_default();
    let ident = |expr: &Expr| match expr {
        Expr::CompoundIdentifier(parts) => match &parts[..] {
            [table, column] => Some((table.value.clone(), column.value.clone())),
            _ => None,
        },
        _ => None,
    };
    let (own, other) = match constraint {
        JoinConstraint::Using(list) => match &list[..] {
            [column] if column.0.len() == 1 => {
                let column =
                    column.0.last().and_then(|part| part.as_ident()).map(|own: &Ident| own.value.clone());
                let column = column.ok_or_else(|| refuse(FORM))?;
                (column.clone(), column)
            }
            _ => return Err(refuse(FORM)),
        },
        JoinConstraint::On(Expr::BinaryOp { left, op: BinaryOperator::Eq, right }) => {
            let (left, right) = ident(left).zip(ident(right)).ok_or_else(|| refuse(FORM))?;
            let is_of = |side: &(String, String), names: &[String]| {
                names.iter().any(|name| name.eq_ignore_ascii_case(&side.0))
            };
            if is_of(&left, names) && is_of(&right, &others) {
                (left.1, right.1)
            } else if is_of(&right, names) && is_of(&left, &others) {
                (right.1, left.1)
            } else {
                return Err(refuse(FORM));
            }
        }
        _ => return Err(refuse(FORM)),
    };
    Ok((JoinedTable { table, own, other, keeps_all }, others))
}

/// What a subquery must be.
const FORM: &str =
    "a subquery other than `(select PERSON, count(*) as NAME, … from data where … group by PERSON)`";

/// A figure over the records of one person.
fn person_figure(function: &Function, columns: &Columns) -> Result<PersonFigure, QuestionError> {
    let FunctionArguments::List(list) = &function.args else { return Err(refuse_at(FORM, function)) };
    let is_distinct = matches!(list.duplicate_treatment, Some(DuplicateTreatment::Distinct));
    let is_plain = list.clauses.is_empty()
        && function.over.is_none()
        && function.filter.is_none()
        && function.within_group.is_empty();
    let ([FunctionArg::Unnamed(argument)], true) = (&list.args[..], is_plain) else {
        return Err(refuse_at(FORM, function));
    };
    match (name_of(function).as_str(), argument, is_distinct) {
        ("count", FunctionArgExpr::Wildcard, false) => Ok(PersonFigure::Count),
        (word, FunctionArgExpr::Expr(expr), is_distinct) => {
            let column = columns.name(expr)?;
            match (word, is_distinct) {
                ("count", false) => Ok(PersonFigure::CountOf(column)),
                ("count", true) => Ok(PersonFigure::CountDistinct(column)),
                ("sum", false) => Ok(PersonFigure::Sum(column)),
                ("avg", false) => Ok(PersonFigure::Average(column)),
                ("min", false) => Ok(PersonFigure::Least(column)),
                ("max", false) => Ok(PersonFigure::Greatest(column)),
                _ => Err(refuse_at(FORM, function)),
            }
        }
        _ => Err(refuse_at(FORM, function)),
    }
}

fn per_person(query: &Query) -> Result<(Vec<String>, Origin), QuestionError> {
    let SetExpr::Select(select) = &*query.body else { return Err(refuse(FORM)) };
    let is_more = query.with.is_some()
        || query.order_by.is_some()
        || query.limit_clause.is_some()
        || query.fetch.is_some()
        || !query.locks.is_empty()
        || select.distinct.is_some()
        || select.having.is_some()
        || select.top.is_some()
        || select.into.is_some()
        || select.qualify.is_some()
        || !select.named_window.is_empty();
    if is_more {
        return Err(refuse(FORM));
    }
    let (names, origin) = read(select)?;
    if origin.per_person.is_some() {
        return Err(refuse("a subquery in a subquery"));
    }
    let columns = Columns::private(names.clone());
    let GroupByExpr::Expressions(list, modifiers) = &select.group_by else { return Err(refuse(FORM)) };
    let ([person], true) = (&list[..], modifiers.is_empty()) else { return Err(refuse(FORM)) };
    let person = columns.name(person)?;
    let mut told: Vec<(String, PersonFigure)> = Vec::new();
    for item in &select.projection {
        let (expr, alias) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.value.clone())),
            other => return Err(refuse_at(FORM, other)),
        };
        match (expr, alias) {
            (Expr::Function(function), Some(alias)) => {
                let figure = person_figure(function, &columns)?;
                if alias == person || told.iter().any(|own| own.0 == alias) {
                    return Err(refuse_at("the same name for two outputs", item));
                }
                told.push((alias, figure));
            }
            (Expr::Function(function), None) => {
                return Err(refuse_at("a figure of a subquery without a name (`as NAME`)", function));
            }
            (expr, None) if columns.name(expr)? == person => {}
            (other, _) => return Err(refuse_at(FORM, other)),
        }
    }
    let filter = match &select.selection {
        Some(expr) => columns.condition(expr, false)?,
        None => Condition::always(),
    };
    if told.is_empty() {
        return Err(refuse("a subquery without a figure"));
    }
    Ok((names, Origin { per_person: Some(PerPerson { person, filter, columns: told }), ..origin }))
}

#[cfg(test)]
mod tests {
    use super::super::PrivateQuestion;
    use super::*;

    #[test]
    fn joins_and_subqueries_are_read() {
        let asked = PrivateQuestion::parse(
            "select p.sex, count(*) from visits v left join patients p on p.id = v.patient group by p.sex",
        )
        .unwrap();
        let join = JoinedTable {
            table: "patients".into(),
            own: "patient".into(),
            other: "id".into(),
            keeps_all: true,
        };
        assert_eq!((asked.table.as_str(), &asked.origin.joins[..]), ("visits", &[join][..]));
        let asked = PrivateQuestion::parse(
            "select avg(visits) from (select patient, count(*) as visits, max(cost) as most from data where cost > 0 \
             group by patient) x where x.most < 100",
        )
        .unwrap();
        let inner = asked.origin.per_person.unwrap();
        assert_eq!(
            (asked.table.as_str(), inner.person.as_str(), inner.columns.len()),
            ("data", "patient", 2)
        );
        assert_eq!(inner.columns[1], ("most".into(), PersonFigure::Greatest("cost".into())));
        let asked = PrivateQuestion::parse("select count(*) from a join b using (id)").unwrap();
        assert_eq!(asked.origin.joins[0].own, asked.origin.joins[0].other);
        for refused in [
            "select count(*) from a join b",
            "select count(*) from a cross join b",
            "select count(*) from a join b on a.x > b.y",
            "select count(*) from a join b on a.x = a.y",
            "select count(*) from a full join b using (id)",
            "select count(*) from (select * from a)",
            "select count(*) from (select sex, count(*) from a group by sex)",
            "select count(*) from (select id, age, count(*) as n from a group by id, age)",
            "select count(*) from (select id, count(*) as n from a group by id having count(*) > 2)",
            "select count(*) from (select id, count(*) as n from a group by id limit 3)",
        ] {
            assert!(PrivateQuestion::parse(refused).is_err(), "{refused}");
        }
        assert!(super::super::Question::parse("select count(*) from a join b using (id)").is_err());
    }
}
