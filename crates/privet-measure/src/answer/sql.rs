//! From SQL, as the `sqlparser` crate reads it, to a [`Question`] or a [`PrivateQuestion`]; everything else is refused by
//! name and place.

use std::cell::RefCell;

use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    GroupByExpr, Ident, LimitClause, OrderBy, OrderByKind, OrderBySort, Query, Select, SelectItem, SetExpr,
    Spanned, Statement, TableFactor, UnaryOperator, Value,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};

use super::arithmetic::Formula;
use super::grouping;
use super::model::ModelQuestion;
use super::origin::{self, Origin};
use super::private::{Figure, PrivateOutput, PrivateQuestion, RankBy, Ranking};
use super::question::{
    Aggregate, Comparison, Condition, LONGEST, Literal, Location, Order, Output, Question, QuestionError,
    Test,
};

/// How deep parentheses and `not` may nest. An unoptimized parser needs some 40 KiB of stack for each.
const DEEPEST: usize = 24;

/// Who answers.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    /// A release, without noise.
    Release,
    /// The data, with noise.
    Private,
}

/// Reads a question to a release.
pub(super) fn read(text: &str) -> Result<Question, QuestionError> {
    let asked = parse(text, Source::Release)?;
    let release = |output: PrivateOutput| match output.figure {
        Figure::Aggregate(aggregate) => Ok(Output { aggregate, name: output.name }),
        _ => Err(refuse("a function other than count, sum and avg")),
    };
    if !asked.computed.is_empty() {
        return Err(refuse("arithmetic"));
    }
    let select = asked.select.into_iter().map(release).collect::<Result<_, _>>()?;
    Ok(Question { table: asked.table, select, filter: asked.filter, group_by: asked.group_by })
}

/// Reads a question that is answered with noise.
pub(super) fn read_private(text: &str) -> Result<PrivateQuestion, QuestionError> {
    parse(text, Source::Private)
}

/// Reads several of them, separated by semicolons.
pub(super) fn read_session(text: &str) -> Result<Vec<PrivateQuestion>, QuestionError> {
    let questions = statements(text)?.into_iter().map(|statement| match statement {
        Statement::Query(query) => read_query(&query, Source::Private),
        _ => Err(refuse("a statement that is no `select`")),
    });
    let questions = questions.collect::<Result<Vec<_>, _>>()?;
    if questions.is_empty() {
        Err(QuestionError::Syntax { place: Location::default() })
    } else {
        Ok(questions)
    }
}

fn parse(text: &str, source: Source) -> Result<PrivateQuestion, QuestionError> {
    match <[Statement; 1]>::try_from(statements(text)?) {
        Ok([Statement::Query(query)]) => read_query(&query, source),
        Ok(_) => Err(refuse("a statement that is no `select`")),
        Err(statements) if statements.is_empty() => Err(QuestionError::Syntax { place: Location::default() }),
        Err(_) => Err(refuse("several statements")),
    }
}

fn statements(text: &str) -> Result<Vec<Statement>, QuestionError> {
    if text.len() > LONGEST {
        return Err(QuestionError::TooLong);
    }
    Parser::new(&GenericDialect {})
        .with_recursion_limit(DEEPEST)
        .try_with_sql(text)
        .and_then(|mut parser| parser.parse_statements())
        .map_err(|error| match error {
            ParserError::RecursionLimitExceeded => refuse("parentheses or `not` in too many layers"),
            other => QuestionError::Syntax { place: place_of(&other) },
        })
}

pub(super) fn refuse(construct: &'static str) -> QuestionError {
    QuestionError::Unsupported { construct, place: Location::default() }
}

pub(super) fn refuse_at(construct: &'static str, what: &impl Spanned) -> QuestionError {
    let start = what.span().start;
    let place = match (start.line, start.column) {
        (0, _) | (_, 0) => Location::default(),
        (line, column) => Location::new(line, column),
    };
    QuestionError::Unsupported { construct, place }
}

/// Where the parser stopped. Its message repeats words of the question, so only the place is taken.
fn place_of(error: &ParserError) -> Location {
    let (ParserError::TokenizerError(message) | ParserError::ParserError(message)) = error else {
        return Location::default();
    };
    let number_after = |key: &str| {
        let rest = &message[message.rfind(key)? + key.len()..];
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().ok()
    };
    match (number_after("Line: "), number_after("Column: ")) {
        (Some(line), Some(column)) => Location::new(line, column),
        _ => Location::default(),
    }
}

fn read_query(query: &Query, source: Source) -> Result<PrivateQuestion, QuestionError> {
    let is_set = |present: bool, construct| if present { Err(refuse(construct)) } else { Ok(()) };
    is_set(query.with.is_some(), "`with`")?;
    if source == Source::Release {
        is_set(query.order_by.is_some(), "`order by`")?;
        is_set(query.limit_clause.is_some(), "`limit`")?;
    }
    is_set(query.fetch.is_some(), "`limit`")?;
    is_set(!query.locks.is_empty() || query.for_clause.is_some(), "`for`")?;
    let others = query.settings.is_some() || query.format_clause.is_some();
    is_set(others || !query.pipe_operators.is_empty(), "a clause of another dialect")?;
    let select = match &*query.body {
        SetExpr::Select(select) => select,
        SetExpr::SetOperation { .. } => return Err(refuse("`union`, `intersect` or `except`")),
        _ => return Err(refuse("something other than one `select`")),
    };
    let (mut question, columns) = read_select(select, source)?;
    if let Some(order) = &query.order_by {
        question.order = Some(columns.ranking(order, &question)?);
    }
    if let Some(limit) = &query.limit_clause {
        question.limit = Some(read_limit(limit)?);
        is_set(question.order.is_none(), "`limit` without `group by` and `order by`")?;
    }
    is_set(question.order.is_some() && question.group_by.is_empty(), "`order by` without `group by`")?;
    let several = !question.grouping_sets.is_empty();
    is_set(several && question.order.is_some(), "`order by` with `rollup`, `cube` or `grouping sets`")?;
    Ok(question)
}

fn read_limit(limit: &LimitClause) -> Result<usize, QuestionError> {
    match limit {
        LimitClause::LimitOffset { limit: Some(limit), offset: None, limit_by } if limit_by.is_empty() => {
            match literal(limit)? {
                Literal::Number(_, text) => text.parse().ok().filter(|&lines| lines > 0),
                Literal::Text(_) => None,
            }
            .ok_or_else(|| refuse_at("`limit` with something other than a number of lines", limit))
        }
        _ => Err(refuse("`offset`, or `limit` of another dialect")),
    }
}

fn read_select(select: &Select, source: Source) -> Result<(PrivateQuestion, Columns), QuestionError> {
    let is_set = |present: bool, construct| if present { Err(refuse(construct)) } else { Ok(()) };
    is_set(select.distinct.is_some(), "`distinct`")?;
    is_set(select.having.is_some(), "`having`")?;
    is_set(select.top.is_some(), "`top`")?;
    is_set(select.into.is_some(), "`into`")?;
    is_set(select.qualify.is_some() || !select.named_window.is_empty(), "a window")?;
    let lists = select.lateral_views.len() + select.connect_by.len() + select.cluster_by.len();
    let lists = lists + select.distribute_by.len() + select.sort_by.len();
    let others = select.prewhere.is_some() || select.value_table_mode.is_some() || select.exclude.is_some();
    is_set(others || select.select_modifiers.is_some() || lists > 0, "a clause of another dialect")?;
    let (names, origin) = match source {
        Source::Private => origin::read(select)?,
        Source::Release => (table_names(select)?, Origin::default()),
    };
    let columns = Columns { names, source, computed: RefCell::default() };

    let (group_by, grouping_sets) = match &select.group_by {
        GroupByExpr::Expressions(list, modifiers) if modifiers.is_empty() => match &list[..] {
            [set @ (Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_))]
                if source == Source::Private =>
            {
                grouping::read(set, |expr| columns.name(expr))?
            }
            _ => {
                let mut names: Vec<String> = Vec::new();
                for expr in list {
                    let name = columns.name(expr)?;
                    // Every pair of keys would be a group, and those of two different keys cannot have a record.
                    if source == Source::Private && names.contains(&name) {
                        return Err(refuse_at("a column that is named twice in `group by`", expr));
                    }
                    names.push(name);
                }
                (names, Vec::new())
            }
        },
        GroupByExpr::Expressions(..) => return Err(refuse("`rollup`, `cube` or `grouping sets`")),
        GroupByExpr::All(_) => return Err(refuse("`group by all`")),
    };
    let mut outputs: Vec<PrivateOutput> = Vec::new();
    let mut aliases: Vec<&str> = Vec::new();
    let mut model = None;
    for item in &select.projection {
        let (expr, alias) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias)),
            other => return Err(refuse_at("`*` or another list of columns", other)),
        };
        match expr {
            Expr::Function(function) => {
                if source == Source::Private
                    && let Some(own) = ModelQuestion::read(function, &columns)?
                {
                    if select.projection.len() > 1 || !group_by.is_empty() {
                        return Err(refuse_at("a regression beside other figures or with `group by`", item));
                    }
                    model = Some(own);
                    continue;
                }
                let figure = columns.figure(function)?;
                let name = alias.map_or_else(|| shown(&figure, function), |alias| alias.value.clone());
                // A figure that is asked for twice is the same number twice; two figures under one name are told apart by
                // nobody, and `order by` would mean either.
                let is_taken = match alias {
                    Some(_) => outputs.iter().any(|own| own.name == name),
                    None => aliases.contains(&name.as_str()),
                };
                if source == Source::Private && is_taken {
                    return Err(refuse_at("the same name for two outputs", item));
                }
                aliases.extend(alias.map(|alias| alias.value.as_str()));
                outputs.push(PrivateOutput { figure, name });
            }
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                if !group_by.contains(&columns.name(expr)?) {
                    return Err(refuse_at("a column that is not in `group by`", expr));
                }
            }
            other => return Err(refuse_at(construct(other), other)),
        }
    }
    if outputs.is_empty() && model.is_none() {
        return Err(refuse("no count, sum or average"));
    }
    let filter = match &select.selection {
        Some(expr) => columns.condition(expr, false)?,
        None => Condition::always(),
    };
    let table = columns.names.first().cloned().unwrap_or_default();
    let question = PrivateQuestion {
        table,
        origin,
        select: outputs,
        model,
        computed: columns.computed.take(),
        filter,
        group_by,
        grouping_sets,
        order: None,
        limit: None,
    };
    Ok((question, columns))
}

/// The names by which the one table may be called.
fn table_names(select: &Select) -> Result<Vec<String>, QuestionError> {
    let [table] = &select.from[..] else {
        return Err(refuse(if select.from.is_empty() { "no `from`" } else { "a join" }));
    };
    if !table.joins.is_empty() {
        return Err(refuse("a join"));
    }
    table_name(&table.relation)
}

/// The names by which a table may be called: its own first, then its alias.
pub(super) fn table_name(table: &TableFactor) -> Result<Vec<String>, QuestionError> {
    match table {
        TableFactor::Table {
            name,
            alias,
            args: None,
            sample: None,
            with_hints,
            version: None,
            with_ordinality: false,
            partitions,
            json_path: None,
            index_hints,
        } if name.0.len() == 1
            && with_hints.is_empty()
            && partitions.is_empty()
            && index_hints.is_empty()
            && alias.as_ref().is_none_or(|alias| alias.columns.is_empty()) =>
        {
            let mut names: Vec<String> = Vec::new();
            names.extend(name.0.last().and_then(|part| part.as_ident()).map(|own| own.value.clone()));
            names.extend(alias.as_ref().map(|alias| alias.name.value.clone()));
            Ok(names)
        }
        TableFactor::Derived { .. } => Err(refuse("a subquery")),
        _ => Err(refuse("something other than one table after `from`")),
    }
}

fn shown(figure: &Figure, function: &Function) -> String {
    match figure {
        Figure::Aggregate(Aggregate::Count) => "count(*)".to_owned(),
        Figure::Aggregate(Aggregate::CountOf(column)) => format!("count({column})"),
        Figure::Aggregate(Aggregate::Sum(column)) => format!("sum({column})"),
        Figure::Aggregate(Aggregate::Average(column)) => format!("avg({column})"),
        Figure::SmoothMedian { column } => format!("smooth_median({column})"),
        Figure::CountDistinct { column } => format!("count(distinct {column})"),
        Figure::Spread { column, is_root: false } => format!("variance({column})"),
        Figure::Spread { column, is_root: true } => format!("stddev({column})"),
        Figure::Quantile { column, .. } if name_of(function) == "median" => format!("median({column})"),
        Figure::Quantile { column, above, below } => {
            format!("quantile({column}, {})", f64::from(*above) / f64::from(*below))
        }
    }
}

/// The name of a function in small letters; empty when it is a path.
pub(super) fn name_of(function: &Function) -> String {
    match &function.name.0[..] {
        [part] => part.as_ident().map(|ident| ident.value.to_ascii_lowercase()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// A number from 0 to 1 with up to three digits as a number of thousandths.
fn thousandths(expr: &Expr) -> Option<u32> {
    let Ok(Literal::Number(_, text)) = literal(expr) else { return None };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let is_short = whole.len() <= 1 && fraction.len() <= 3;
    let digits = format!("{whole}{fraction:0<3}");
    digits.parse().ok().filter(|&thousandths| is_short && thousandths <= 1000)
}

/// Reads what speaks of columns.
pub(super) struct Columns {
    /// The names of the table, which may stand before that of a column.
    names: Vec<String>,
    source: Source,
    /// What figures are computed from where that is no column.
    computed: RefCell<Vec<(String, Formula)>>,
}

impl Columns {
    /// Those of tables with these names, for a private question.
    pub(super) fn private(names: Vec<String>) -> Self {
        Self { names, source: Source::Private, computed: RefCell::default() }
    }

    /// The column that a figure is about, or the name of the formula that stands for it.
    pub(super) fn figured(&self, expr: &Expr) -> Result<String, QuestionError> {
        let mut inner = expr;
        while let Expr::Nested(own) = inner {
            inner = own;
        }
        if self.source == Source::Release || !matches!(inner, Expr::BinaryOp { .. } | Expr::UnaryOp { .. }) {
            return self.name(expr);
        }
        let formula = Formula::read(inner, &|expr| self.name(expr))?;
        let text = formula.text();
        let mut computed = self.computed.borrow_mut();
        if !computed.iter().any(|own| own.0 == text) {
            computed.push((text.clone(), formula));
        }
        Ok(text)
    }

    pub(super) fn name(&self, expr: &Expr) -> Result<String, QuestionError> {
        let own = |ident: &Ident| ident.value.clone();
        match expr {
            Expr::Identifier(ident) => Ok(own(ident)),
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [table, column] if self.names.iter().any(|n| n.eq_ignore_ascii_case(&table.value)) => {
                    Ok(own(column))
                }
                _ => Err(refuse_at("a column of another table", expr)),
            },
            Expr::Nested(inner) => self.name(inner),
            other => Err(refuse_at(construct(other), other)),
        }
    }

    fn figure(&self, function: &Function) -> Result<Figure, QuestionError> {
        let name = name_of(function);
        let refused = match (name.as_str(), self.source) {
            ("count" | "sum" | "avg", _)
            | (
                "median" | "quantile" | "smooth_median" | "variance" | "var_pop" | "stddev" | "stddev_pop",
                Source::Private,
            ) => None,
            ("min" | "max", Source::Release) => Some("`min` or `max`, which a release does not tell"),
            ("min" | "max", Source::Private) => Some(
                "`min` or `max` (one person decides it alone; quantile(COLUMN, 0.01) or 0.99 comes near)",
            ),
            (_, Source::Release) => Some("a function other than count, sum and avg"),
            (_, Source::Private) => Some(
                "a function other than count, sum, avg, variance, stddev, median, quantile and smooth_median (variance and \
                     stddev are those of all records, not of a sample)",
            ),
        };
        if let Some(construct) = refused {
            return Err(refuse_at(construct, function));
        }
        if !matches!(function.parameters, FunctionArguments::None) || function.null_treatment.is_some() {
            return Err(refuse_at("parameters of a figure", function));
        }
        if function.over.is_some() || function.filter.is_some() || !function.within_group.is_empty() {
            return Err(refuse_at("a window, or a filter of its own", function));
        }
        let FunctionArguments::List(list) = &function.args else {
            return Err(refuse_at("a figure without its column", function));
        };
        let is_distinct = matches!(list.duplicate_treatment, Some(DuplicateTreatment::Distinct));
        if is_distinct && (self.source == Source::Release || name != "count") {
            return Err(refuse_at("`distinct`", function));
        }
        let mut arguments = Vec::new();
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => arguments.push(Some(expr)),
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => arguments.push(None),
                _ => return Err(refuse_at("a figure of something other than one column", function)),
            }
        }
        match (&*name, &arguments[..]) {
            ("count", [Some(expr)]) if is_distinct && list.clauses.is_empty() => {
                Ok(Figure::CountDistinct { column: self.name(expr)? })
            }
            ("count", [None]) if !is_distinct => Ok(Figure::Aggregate(Aggregate::Count)),
            ("quantile", [Some(expr), Some(share)]) if list.clauses.is_empty() => match thousandths(share) {
                Some(above) => Ok(Figure::Quantile { column: self.figured(expr)?, above, below: 1000 }),
                None => {
                    Err(refuse_at("a quantile that is no number from 0 to 1 with up to three digits", *share))
                }
            },
            ("quantile", _) => {
                Err(refuse_at("a quantile without its number, as in quantile(COLUMN, 0.9)", function))
            }
            (_, [Some(expr)]) if list.clauses.is_empty() => {
                let column = if name == "count" { self.name(expr)? } else { self.figured(expr)? };
                Ok(match &*name {
                    "count" => Figure::Aggregate(Aggregate::CountOf(column)),
                    "sum" => Figure::Aggregate(Aggregate::Sum(column)),
                    "median" => Figure::Quantile { column, above: 1, below: 2 },
                    "smooth_median" => Figure::SmoothMedian { column },
                    "variance" | "var_pop" => Figure::Spread { column, is_root: false },
                    "stddev" | "stddev_pop" => Figure::Spread { column, is_root: true },
                    _ => Figure::Aggregate(Aggregate::Average(column)),
                })
            }
            _ => Err(refuse_at("a figure of something other than one column", function)),
        }
    }

    /// What `order by` names: a figure of `select`, its alias, or a column of `group by`.
    fn ranking(&self, order: &OrderBy, question: &PrivateQuestion) -> Result<Ranking, QuestionError> {
        let OrderByKind::Expressions(list) = &order.kind else {
            return Err(refuse("`order by all`"));
        };
        let [only] = &list[..] else {
            return Err(refuse("`order by` with several columns"));
        };
        let own =
            only.options.nulls_first.is_none() && only.with_fill.is_none() && order.interpolate.is_none();
        let descending = match &only.options.sort {
            None | Some(OrderBySort::Asc) if own => false,
            Some(OrderBySort::Desc) if own => true,
            _ => return Err(refuse_at("`order by` of another dialect", &only.expr)),
        };
        let by = match &only.expr {
            Expr::Function(function) => {
                let figure = self.figure(function)?;
                question.select.iter().position(|output| output.figure == figure).map(RankBy::Figure)
            }
            expr => {
                let name = self.name(expr)?;
                let alias = question.select.iter().position(|output| output.name == name);
                let key = question.group_by.iter().position(|column| *column == name);
                key.map(RankBy::Key).or(alias.map(RankBy::Figure))
            }
        };
        let what = "`order by` something that is neither selected nor in `group by`";
        by.map(|by| Ranking { by, descending }).ok_or_else(|| refuse_at(what, &only.expr))
    }

    pub(super) fn condition(&self, expr: &Expr, negated: bool) -> Result<Condition, QuestionError> {
        let test =
            |column: String, comparison, negated| Ok(Condition::Test(Test { column, comparison, negated }));
        match expr {
            Expr::Nested(inner) => self.condition(inner, negated),
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => self.condition(expr, !negated),
            Expr::BinaryOp { op: op @ (BinaryOperator::And | BinaryOperator::Or), .. } => {
                // A long chain leans to the left: it is walked, not descended into.
                let mut parts = Vec::new();
                let mut rest = expr;
                while let Expr::BinaryOp { left, op: own, right } = rest {
                    if own != op {
                        break;
                    }
                    parts.push(self.condition(right, negated)?);
                    rest = left;
                }
                parts.push(self.condition(rest, negated)?);
                parts.reverse();
                Ok(if (*op == BinaryOperator::And) != negated {
                    Condition::All(parts)
                } else {
                    Condition::Any(parts)
                })
            }
            Expr::BinaryOp { left, op, right } => self.comparison(left, op, right, expr, negated),
            Expr::Between { expr, negated: not, low, high } => {
                let column = self.name(expr)?;
                let side = |order: Order, literal| {
                    let order = if negated != *not { order.negated() } else { order };
                    let column = column.clone();
                    let comparison = Comparison::Order(order, literal);
                    Condition::Test(Test { column, comparison, negated: false })
                };
                let both = vec![side(Order::AtLeast, literal(low)?), side(Order::AtMost, literal(high)?)];
                Ok(if negated != *not { Condition::Any(both) } else { Condition::All(both) })
            }
            Expr::InList { expr, list, negated: not } => {
                let literals = list.iter().map(literal).collect::<Result<Vec<_>, _>>()?;
                test(self.name(expr)?, Comparison::In(literals), negated != *not)
            }
            Expr::Like { negated: not, any: false, expr, pattern, escape_char: None } => {
                match literal(pattern)? {
                    Literal::Text(form) => test(self.name(expr)?, Comparison::Like(form), negated != *not),
                    Literal::Number(..) => Err(refuse_at("`like` with a number", &**pattern)),
                }
            }
            Expr::IsNull(expr) => test(self.name(expr)?, Comparison::IsNull, negated),
            Expr::IsNotNull(expr) => test(self.name(expr)?, Comparison::IsNull, !negated),
            other => Err(refuse_at(construct(other), other)),
        }
    }

    fn comparison(
        &self,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
        whole: &Expr,
        negated: bool,
    ) -> Result<Condition, QuestionError> {
        let is_column = |expr: &Expr| matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        let turned = !is_column(left) && is_column(right);
        let (column, constant) = if turned { (right, left) } else { (left, right) };
        let order = match op {
            BinaryOperator::Eq | BinaryOperator::NotEq => None,
            BinaryOperator::Lt => Some(Order::Less),
            BinaryOperator::LtEq => Some(Order::AtMost),
            BinaryOperator::Gt => Some(Order::Greater),
            BinaryOperator::GtEq => Some(Order::AtLeast),
            _ => return Err(refuse_at("arithmetic or an operator of another kind", whole)),
        };
        if is_column(constant) {
            return Err(refuse_at("a comparison of two columns", whole));
        }
        let (column, constant) = (self.name(column)?, literal(constant)?);
        let (comparison, negated) = match order {
            None => (Comparison::In(vec![constant]), negated != (*op == BinaryOperator::NotEq)),
            Some(order) => {
                let order = if turned { order.mirrored() } else { order };
                let order = if negated { order.negated() } else { order };
                (Comparison::Order(order, constant), false)
            }
        };
        Ok(Condition::Test(Test { column, comparison, negated }))
    }
}

pub(super) fn literal(expr: &Expr) -> Result<Literal, QuestionError> {
    let number = |text: &str, sign: &str, at: &Expr| match text.parse::<f64>() {
        Ok(number) if number.is_finite() => {
            let signed = if sign == "-" { -number } else { number };
            Ok(Literal::Number(signed, format!("{sign}{text}")))
        }
        _ => Err(refuse_at("a number that cannot be read", at)),
    };
    match expr {
        Expr::Nested(inner) => literal(inner),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => match &**inner {
            Expr::Value(value) => match &value.value {
                Value::Number(text, _) => number(text, "-", expr),
                _ => Err(refuse_at("arithmetic", expr)),
            },
            _ => Err(refuse_at("arithmetic", expr)),
        },
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => number(text, "", expr),
            Value::SingleQuotedString(text) => Ok(Literal::Text(text.clone())),
            Value::Boolean(flag) => Ok(Literal::Text(flag.to_string())),
            Value::Null => Err(refuse_at("a comparison with null, where `is null` is meant", expr)),
            _ => Err(refuse_at("a constant of another kind", expr)),
        },
        Expr::TypedString(typed) => match &typed.value.value {
            Value::SingleQuotedString(text) => Ok(Literal::Text(text.clone())),
            _ => Err(refuse_at("a constant of another kind", expr)),
        },
        Expr::Identifier(ident) if ident.quote_style.is_some() => {
            Err(refuse_at("a column (in double quotes) as a constant, where single quotes are meant", expr))
        }
        other => Err(refuse_at(construct(other), other)),
    }
}

/// What an expression is, for the person who wrote it.
fn construct(expr: &Expr) -> &'static str {
    match expr {
        Expr::Subquery(_) | Expr::InSubquery { .. } | Expr::Exists { .. } => "a subquery",
        Expr::Function(_) => "a function where a column or constant must stand",
        Expr::BinaryOp { .. } | Expr::UnaryOp { .. } => "arithmetic or an operator of another kind",
        Expr::Case { .. } => "`case`",
        Expr::Cast { .. } => "`cast`",
        Expr::ILike { .. } | Expr::SimilarTo { .. } | Expr::RLike { .. } => "a match other than `like`",
        Expr::Like { .. } => "`like` with `any` or `escape`",
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
            "a column where a comparison or constant must stand"
        }
        Expr::Value(_) => "a constant where a column or comparison must stand",
        Expr::Rollup(_) | Expr::Cube(_) | Expr::GroupingSets(_) => "`rollup`, `cube` or `grouping sets`",
        _ => "an expression of another kind",
    }
}
