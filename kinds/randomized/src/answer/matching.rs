//! Whether a value passes a test of a question, for columns whose values are told one by one.

use privet_data::Kind;
use privet_measure::answer::{AnswerError, Comparison, Literal, Test};

/// Whether a text passes; `None` is a missing value, which passes `is null` alone.
pub(super) fn passes(test: &Test, kind: Kind, text: Option<&str>) -> Result<bool, AnswerError> {
    let Some(text) = text else { return Ok(matches!(test.comparison, Comparison::IsNull) && !test.negated) };
    let is = match &test.comparison {
        Comparison::IsNull => false,
        Comparison::Like(form) => {
            if matches!(kind, Kind::Integer | Kind::Decimal | Kind::Date) && form.is_empty() {
                return Err(AnswerError::LikeOnRanges { column: test.column.clone() });
            }
            like(text, form)
        }
        Comparison::In(list) => {
            let mut is = false;
            for literal in list {
                is |= match constant(test, literal, kind)? {
                    Constant::Number(number) => {
                        kind.number(text).or_else(|| text.parse().ok()) == Some(number)
                    }
                    Constant::Text(constant) => {
                        text == constant || kind == Kind::Boolean && text.eq_ignore_ascii_case(constant)
                    }
                };
            }
            is
        }
        Comparison::Order(order, literal) => {
            let ordering = match constant(test, literal, kind)? {
                Constant::Number(number) => kind
                    .number(text)
                    .or_else(|| text.parse().ok())
                    .and_then(|own: f64| own.partial_cmp(&number)),
                Constant::Text(constant) => Some(text.cmp(constant)),
            };
            ordering.is_some_and(|ordering| order.holds(ordering))
        }
    };
    Ok(is != test.negated)
}

enum Constant<'a> {
    Number(f64),
    Text(&'a str),
}

fn constant<'a>(test: &Test, literal: &'a Literal, kind: Kind) -> Result<Constant<'a>, AnswerError> {
    let accepted = match kind {
        Kind::Integer | Kind::Decimal => "numbers",
        Kind::Date => "dates such as '1990-12-31'",
        Kind::Boolean | Kind::Text => "texts",
    };
    let wrong = || AnswerError::Constant { column: test.column.clone(), accepted };
    match (kind, literal) {
        (Kind::Integer | Kind::Decimal, Literal::Number(number, _)) => Ok(Constant::Number(*number)),
        (Kind::Integer | Kind::Decimal | Kind::Date, Literal::Text(text)) => {
            kind.number(text).filter(|number| number.is_finite()).map(Constant::Number).ok_or_else(wrong)
        }
        (Kind::Date, Literal::Number(..)) => Err(wrong()),
        (_, Literal::Number(_, text) | Literal::Text(text)) => Ok(Constant::Text(text)),
    }
}

/// SQL's `like`: `%` for any characters, `_` for one.
fn like(text: &str, form: &str) -> bool {
    let (text, form): (Vec<char>, Vec<char>) = (text.chars().collect(), form.chars().collect());
    // Where the last `%` stood, and how much of the text it has taken so far.
    let (mut at, mut place, mut star) = (0, 0, None);
    while at < text.len() {
        match form.get(place) {
            Some('%') => {
                star = Some((place, at));
                place += 1;
            }
            Some(own) if *own == '_' || Some(own) == text.get(at) => {
                at += 1;
                place += 1;
            }
            _ => match star {
                Some((of_star, taken)) => {
                    star = Some((of_star, taken + 1));
                    at = taken + 1;
                    place = of_star + 1;
                }
                None => return false,
            },
        }
    }
    form.iter().skip(place).all(|own| *own == '%')
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_measure::answer::{Condition, Question};

    fn test_of(condition: &str) -> Test {
        let question = Question::parse(&format!("select count(*) from t where {condition}")).unwrap();
        match question.filter {
            Condition::Test(test) => test,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_pass_as_in_sql() {
        for (condition, kind, text, expected) in [
            ("a = 5", Kind::Integer, Some("5"), true),
            ("a <> 5", Kind::Integer, Some("6"), true),
            ("a <> 5", Kind::Integer, None, false),
            ("a is null", Kind::Integer, None, true),
            ("a is not null", Kind::Integer, None, false),
            ("a < 5.5", Kind::Decimal, Some("5.25"), true),
            ("a >= '2020-01-01'", Kind::Date, Some("2019-12-31"), false),
            ("a in ('x', 'y')", Kind::Text, Some("y"), true),
            ("a not in ('x', 'y')", Kind::Text, Some("y"), false),
            ("a = 'YES'", Kind::Boolean, Some("yes"), true),
            ("a like 'a%c_'", Kind::Text, Some("abbbcd"), true),
            ("a like 'a%c_'", Kind::Text, Some("abbbc"), false),
            ("a not like '%b%'", Kind::Text, Some("abc"), false),
            ("a > 'b'", Kind::Text, Some("c"), true),
        ] {
            assert_eq!(passes(&test_of(condition), kind, text), Ok(expected), "{condition} {text:?}");
        }
        assert!(passes(&test_of("a = 'x'"), Kind::Integer, Some("1")).is_err());
        assert!(passes(&test_of("a = 5"), Kind::Date, Some("2020-01-01")).is_err());
    }
}
