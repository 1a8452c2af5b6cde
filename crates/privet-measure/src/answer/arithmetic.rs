//! Arithmetic on columns inside a figure of a private question: `sum(price * amount)`, `avg(systolic - diastolic)`.
//!
//! Guarantee: sums, differences and products of columns and constants alone. Where each column lies within declared bounds on a
//! decimal grid, so does the result, and its bounds follow from theirs by interval arithmetic ([`Formula::bounded`]); every
//! operation is one of whole numbers of units, so nothing is rounded and no last digit of a floating-point number is left.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};

use super::question::{Literal, QuestionError};
use super::sql::{literal, refuse, refuse_at};

/// The most columns and constants of a formula.
const MOST_TERMS: usize = 16;

/// The most decimals of a result, as of a declared grid.
const MOST_DECIMALS: u32 = 15;

/// The largest number of units, as of declared bounds.
const LARGEST: i128 = 1 << 61;

/// A number that is computed from the columns of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// The number of a column.
    Column(String),
    /// `units` times 10^−`decimals`.
    Number {
        /// How many of the unit.
        units: i64,
        /// The decimals of the unit.
        decimals: u32,
    },
    /// The sum of two.
    Sum(Box<Formula>, Box<Formula>),
    /// The difference of two.
    Difference(Box<Formula>, Box<Formula>),
    /// The product of two.
    Product(Box<Formula>, Box<Formula>),
}

/// Where a number lies, in units of 10^−`decimals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Within {
    /// The least number of units.
    pub lower: i128,
    /// The greatest.
    pub upper: i128,
    /// The decimals of the unit.
    pub decimals: u32,
}

impl Formula {
    /// Reads the argument of a figure; `name` tells the name of a column.
    pub(super) fn read(
        expr: &Expr,
        name: &impl Fn(&Expr) -> Result<String, QuestionError>,
    ) -> Result<Self, QuestionError> {
        let formula = read(expr, name)?;
        match formula.terms() {
            terms if terms > MOST_TERMS => {
                Err(refuse_at("arithmetic of more than sixteen columns and numbers", expr))
            }
            _ if formula.columns().is_empty() => Err(refuse_at("a figure of a constant", expr)),
            _ => Ok(formula),
        }
    }

    /// The columns that it is computed from, each once.
    pub fn columns(&self) -> Vec<&str> {
        let mut columns = Vec::new();
        self.collect(&mut columns);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn collect<'a>(&'a self, columns: &mut Vec<&'a str>) {
        match self {
            Self::Column(name) => columns.push(name),
            Self::Number { .. } => {}
            Self::Sum(a, b) | Self::Difference(a, b) | Self::Product(a, b) => {
                a.collect(columns);
                b.collect(columns);
            }
        }
    }

    fn terms(&self) -> usize {
        match self {
            Self::Column(_) | Self::Number { .. } => 1,
            Self::Sum(a, b) | Self::Difference(a, b) | Self::Product(a, b) => a.terms() + b.terms(),
        }
    }

    /// As it is written, with a parenthesis around every part that is computed.
    pub fn text(&self) -> String {
        let part = |own: &Self| match own {
            Self::Column(_) | Self::Number { .. } => own.text(),
            _ => format!("({})", own.text()),
        };
        match self {
            Self::Column(name) => name.clone(),
            Self::Number { units, decimals } => decimal(*units, *decimals),
            Self::Sum(a, b) => format!("{} + {}", part(a), part(b)),
            Self::Difference(a, b) => format!("{} - {}", part(a), part(b)),
            Self::Product(a, b) => format!("{} * {}", part(a), part(b)),
        }
    }

    /// Where it lies, from where its columns lie; nothing when its unit or its bounds get too small or too large.
    pub fn bounded(&self, column: &impl Fn(&str) -> Option<Within>) -> Option<Within> {
        let found = match self {
            Self::Column(name) => column(name)?,
            Self::Number { units, decimals } => {
                Within { lower: i128::from(*units), upper: i128::from(*units), decimals: *decimals }
            }
            Self::Sum(a, b) => {
                let (a, b) = aligned(a.bounded(column)?, b.bounded(column)?)?;
                Within { lower: a.lower + b.lower, upper: a.upper + b.upper, ..a }
            }
            Self::Difference(a, b) => {
                let (a, b) = aligned(a.bounded(column)?, b.bounded(column)?)?;
                Within { lower: a.lower - b.upper, upper: a.upper - b.lower, ..a }
            }
            Self::Product(a, b) => {
                let (a, b) = (a.bounded(column)?, b.bounded(column)?);
                let corner = |x: i128, y: i128| x.checked_mul(y);
                let corners = [
                    corner(a.lower, b.lower)?,
                    corner(a.lower, b.upper)?,
                    corner(a.upper, b.lower)?,
                    corner(a.upper, b.upper)?,
                ];
                let (lower, upper) = corners
                    .iter()
                    .fold((i128::MAX, i128::MIN), |(low, high), own| (low.min(*own), high.max(*own)));
                Within { lower, upper, decimals: a.decimals + b.decimals }
            }
        };
        let fits = found.decimals <= MOST_DECIMALS && found.lower >= -LARGEST && found.upper <= LARGEST;
        fits.then_some(found)
    }

    /// Its number in units of the result of [`Formula::bounded`], from the units and decimals of each column; nothing where a
    /// column is missing.
    pub fn units(&self, column: &impl Fn(&str) -> Option<(i64, u32)>) -> Option<(i128, u32)> {
        let both = |a: &Self, b: &Self| {
            let ((a, x), (b, y)) = (a.units(column)?, b.units(column)?);
            let decimals = x.max(y);
            Some((scaled(a, decimals - x)?, scaled(b, decimals - y)?, decimals))
        };
        match self {
            Self::Column(name) => column(name).map(|(units, decimals)| (i128::from(units), decimals)),
            Self::Number { units, decimals } => Some((i128::from(*units), *decimals)),
            Self::Sum(a, b) => both(a, b).map(|(a, b, decimals)| (a + b, decimals)),
            Self::Difference(a, b) => both(a, b).map(|(a, b, decimals)| (a - b, decimals)),
            Self::Product(a, b) => {
                let ((a, x), (b, y)) = (a.units(column)?, b.units(column)?);
                Some((a.checked_mul(b)?, x + y))
            }
        }
    }
}

fn scaled(units: i128, decimals: u32) -> Option<i128> {
    units.checked_mul(10i128.checked_pow(decimals)?)
}

fn aligned(a: Within, b: Within) -> Option<(Within, Within)> {
    let decimals = a.decimals.max(b.decimals);
    let to = |own: Within| {
        let more = decimals - own.decimals;
        Some(Within { lower: scaled(own.lower, more)?, upper: scaled(own.upper, more)?, decimals })
    };
    Some((to(a)?, to(b)?))
}

fn read(
    expr: &Expr,
    name: &impl Fn(&Expr) -> Result<String, QuestionError>,
) -> Result<Formula, QuestionError> {
    let both = |left: &Expr, right: &Expr| Ok((Box::new(read(left, name)?), Box::new(read(right, name)?)));
    match expr {
        Expr::Nested(inner) => read(inner, name),
        Expr::BinaryOp { left, op, right } => match op {
            BinaryOperator::Plus => both(left, right).map(|(a, b)| Formula::Sum(a, b)),
            BinaryOperator::Minus => both(left, right).map(|(a, b)| Formula::Difference(a, b)),
            BinaryOperator::Multiply => both(left, right).map(|(a, b)| Formula::Product(a, b)),
            BinaryOperator::Divide => Err(refuse_at("a division; multiply by a constant such as 0.01", expr)),
            _ => Err(refuse_at("arithmetic other than +, - and *", expr)),
        },
        Expr::UnaryOp { op: UnaryOperator::Plus, expr } => read(expr, name),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } if !matches!(**inner, Expr::Value(_)) => {
            let zero = Box::new(Formula::Number { units: 0, decimals: 0 });
            Ok(Formula::Difference(zero, Box::new(read(inner, name)?)))
        }
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => Ok(Formula::Column(name(expr)?)),
        _ => match literal(expr)? {
            Literal::Number(_, text) => {
                number(&text).ok_or_else(|| refuse_at("a number with an exponent or too many digits", expr))
            }
            Literal::Text(_) => Err(refuse("arithmetic with a text")),
        },
    }
}

fn number(text: &str) -> Option<Formula> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let units: i64 = format!("{whole}{fraction}").parse().ok()?;
    let decimals = u32::try_from(fraction.len()).ok().filter(|&own| own <= MOST_DECIMALS)?;
    (i128::from(units).abs() <= LARGEST).then_some(Formula::Number { units, decimals })
}

fn decimal(units: i64, decimals: u32) -> String {
    if decimals == 0 {
        return units.to_string();
    }
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = decimals as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals as usize);
    format!("{}{whole}.{fraction}", if units < 0 { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::super::PrivateQuestion;
    use super::*;

    fn formula(text: &str) -> Formula {
        let asked = PrivateQuestion::parse(&format!("select sum({text}) from d")).unwrap();
        asked.computed[0].1.clone()
    }

    #[test]
    fn results_lie_within_their_bounds() {
        let columns = [("a", -3i64, 5i64, 0u32), ("b", 10, 25, 1)];
        let within = |name: &str| {
            let own = columns.iter().find(|own| own.0 == name)?;
            Some(Within { lower: own.1.into(), upper: own.2.into(), decimals: own.3 })
        };
        for text in ["a * b", "a - b", "a + b * 0.25", "-(a - 2) * (b + a)", "a * a", "2 * a - b * b"] {
            let formula = formula(text);
            let bounds = formula.bounded(&within).unwrap();
            let (mut least, mut most) = (i128::MAX, i128::MIN);
            for a in columns[0].1..=columns[0].2 {
                for b in columns[1].1..=columns[1].2 {
                    let of = |name: &str| Some(if name == "a" { (a, 0) } else { (b, 1) });
                    let (units, decimals) = formula.units(&of).unwrap();
                    assert_eq!(decimals, bounds.decimals, "{text}");
                    (least, most) = (least.min(units), most.max(units));
                }
            }
            assert!(bounds.lower <= least && most <= bounds.upper, "{text}");
        }
        // By hand: a·b with a in −3..5 and b in 1.0..2.5 lies in −7.5..12.5.
        let product = formula("a * b").bounded(&within).unwrap();
        assert_eq!((product.lower, product.upper, product.decimals), (-75, 125, 1));
        assert_eq!(formula("a * b").units(&|_| None), None);
    }

    #[test]
    fn texts_and_limits() {
        assert_eq!(formula("a*2 - (b+0.50)").text(), "(a * 2) - (b + 0.5)");
        assert_eq!(formula("-a").text(), "0 - a");
        assert_eq!(formula("a * b + a").columns(), ["a", "b"]);
        let huge = |_: &str| Some(Within { lower: 0, upper: 1 << 40, decimals: 0 });
        assert!(formula("a * b").bounded(&huge).is_none());
        for text in ["1 + 2", "a / 2", "a + 'x'", "a % 2", "a * 1e5"] {
            assert!(PrivateQuestion::parse(&format!("select sum({text}) from d")).is_err(), "{text}");
        }
    }
}
