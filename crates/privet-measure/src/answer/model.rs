//! Private regressions as questions: `select linear_regression(cost, age, days) from data where …` and
//! `select logistic_regression(diagnosis = 'Stroke', age, days) from data`.
//!
//! What is explained comes first: a number, or a condition that a record meets or does not. The explaining numbers follow: columns, or what is
//! computed from them.

use sqlparser::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::question::{Condition, QuestionError};
use super::sql::{Columns, name_of, refuse_at};

/// A regression that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelQuestion {
    /// What is explained.
    pub explained: ExplainedBy,
    /// The explaining numbers: columns, or names of what is computed from columns.
    pub explaining: Vec<String>,
}

/// What is explained.
#[derive(Debug, Clone, PartialEq)]
pub enum ExplainedBy {
    /// A number, by a line.
    Line(String),
    /// Whether a record meets a condition, by the log odds.
    LogOdds(Condition),
}

impl ModelQuestion {
    /// Reads a function; nothing where it is no regression.
    pub(super) fn read(function: &Function, columns: &Columns) -> Result<Option<Self>, QuestionError> {
        const FORM: &str = "a regression other than linear_regression(NUMBER, COLUMN, …) or logistic_regression(CONDITION, COLUMN, …)";
        let is_line = match name_of(function).as_str() {
            "linear_regression" => true,
            "logistic_regression" => false,
            _ => return Ok(None),
        };
        let FunctionArguments::List(list) = &function.args else { return Err(refuse_at(FORM, function)) };
        let is_plain = list.clauses.is_empty()
            && list.duplicate_treatment.is_none()
            && function.over.is_none()
            && function.filter.is_none()
            && function.within_group.is_empty()
            && matches!(function.parameters, FunctionArguments::None);
        let argument = |argument: &FunctionArg| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
            _ => None,
        };
        let arguments: Option<Vec<Expr>> = list.args.iter().map(argument).collect();
        let (Some(arguments), true) = (arguments, is_plain) else { return Err(refuse_at(FORM, function)) };
        let Some((first, rest)) = arguments.split_first().filter(|own| !own.1.is_empty()) else {
            return Err(refuse_at(FORM, function));
        };
        let explained = match is_line {
            true => ExplainedBy::Line(columns.figured(first)?),
            false => ExplainedBy::LogOdds(columns.condition(first, false)?),
        };
        let explaining = rest.iter().map(|expr| columns.figured(expr)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(Self { explained, explaining }))
    }

    /// The names of the numbers that it is about.
    pub fn numbers(&self) -> Vec<&str> {
        let explained = match &self.explained {
            ExplainedBy::Line(name) => Some(name.as_str()),
            ExplainedBy::LogOdds(_) => None,
        };
        explained.into_iter().chain(self.explaining.iter().map(String::as_str)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::PrivateQuestion;
    use super::*;

    #[test]
    fn regressions_are_read() {
        let asked =
            PrivateQuestion::parse("select linear_regression(cost, age, age * age) from d where sex = 'F'")
                .unwrap();
        let model = asked.model.unwrap();
        assert_eq!(model.numbers(), ["cost", "age", "age * age"]);
        assert_eq!(asked.computed.len(), 1);
        let asked =
            PrivateQuestion::parse("select logistic_regression(ill in ('flu', 'cold'), age) from d").unwrap();
        assert!(matches!(asked.model.unwrap().explained, ExplainedBy::LogOdds(Condition::Test(_))));
        for refused in [
            "select linear_regression(cost) from d",
            "select linear_regression(cost, age), count(*) from d",
            "select linear_regression(cost, age) from d group by sex",
            "select logistic_regression(cost, age) from d",
            "select linear_regression(*, age) from d",
            "select ridge_regression(cost, age) from d",
        ] {
            assert!(PrivateQuestion::parse(refused).is_err(), "{refused}");
        }
        assert!(super::super::Question::parse("select linear_regression(cost, age) from d").is_err());
    }
}
