//! The tests of a question, fitted to the columns they speak of.
//!
//! A test is asked of a value, of a number, of a missing value, or of a label behind which no list of values is known;
//! there the answer may stay open. Constants are read by the kind of the column. A constant that cannot be a value of the
//! column but is one of its labels, or a name that a hierarchy has for some of its values, means what stands behind it.

use privet_data::Kind;

use super::AnswerError;
use super::column::AnswerColumn;
use super::mask::{Mask, like};
use super::question::{Comparison, Literal, Order, Test};
use super::region::Values;

/// A test made ready for one column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Predicate {
    pub check: Check,
    pub negated: bool,
}

/// What is asked of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Check {
    IsNull,
    In(Vec<Member>),
    Order(Order, Constant),
    Like(String),
}

/// What a value is compared with by order.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Constant {
    Number(f64),
    Text(String),
}

/// What a value may be equal to: a constant, or what a label stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Member {
    Number(f64),
    Text(String),
    Span { from: f64, to: f64, open: bool },
    Codes(Vec<u32>),
    Label(u32),
}

impl Predicate {
    /// Fits a test to its column.
    pub fn bind(test: &Test, column: &AnswerColumn) -> Result<Self, AnswerError> {
        let check = match &test.comparison {
            Comparison::IsNull => Check::IsNull,
            Comparison::Like(form) => {
                if column.regions.iter().any(|r| matches!(r.values, Values::Range { .. })) {
                    return Err(AnswerError::LikeOnRanges { column: column.name.clone() });
                }
                Check::Like(form.clone())
            }
            Comparison::Order(order, literal) => Check::Order(*order, constant(literal, column)?),
            Comparison::In(list) => {
                Check::In(list.iter().map(|literal| member(literal, column)).collect::<Result<_, _>>()?)
            }
        };
        Ok(Self { check, negated: test.negated })
    }

    /// The test that a value is known.
    pub fn is_known() -> Self {
        Self { check: Check::IsNull, negated: true }
    }

    /// The test that a value is the one with this code.
    pub fn is_code(code: u32) -> Self {
        Self { check: Check::In(vec![Member::Codes(vec![code])]), negated: false }
    }

    pub fn on_missing(&self, code: Option<u32>) -> bool {
        match &self.check {
            Check::IsNull => !self.negated,
            // Only the lines of `group by` ask for a code.
            Check::In(list) if !self.negated => code.is_some_and(|code| {
                list.iter().any(|m| matches!(m, Member::Codes(codes) if *codes == [code]))
            }),
            _ => false,
        }
    }

    pub fn on_value(
        &self,
        column: &AnswerColumn,
        code: Option<u32>,
        text: &str,
        number: Option<f64>,
    ) -> bool {
        let as_number = || number.or_else(|| text.parse().ok());
        match &self.check {
            Check::IsNull => self.negated,
            Check::Like(form) => like(text, form) != self.negated,
            Check::Order(order, Constant::Number(constant)) => {
                as_number().and_then(|own| own.partial_cmp(constant)).is_some_and(|o| order.holds(o))
            }
            Check::Order(order, Constant::Text(constant)) => order.holds(text.cmp(constant)),
            Check::In(list) => {
                let is = |member: &Member| match member {
                    Member::Number(constant) => as_number() == Some(*constant),
                    Member::Text(constant) => equal(column.kind, text, constant),
                    Member::Span { from, to, open } => {
                        as_number().is_some_and(|own| within(own, *from, *to, *open))
                    }
                    Member::Codes(codes) => code.is_some_and(|code| codes.binary_search(&code).is_ok()),
                    Member::Label(label) => column.mask(*label).is_some_and(|mask| mask.takes(text)),
                };
                list.iter().any(is) != self.negated
            }
        }
    }

    /// Whether it asks for the number of a code of digits and for nothing else.
    pub fn is_numeric(&self, digits: usize) -> bool {
        let is_code = |m: &Member| matches!(m, Member::Text(t) if t.len() == digits && t.bytes().all(|b| b.is_ascii_digit()));
        match &self.check {
            Check::IsNull | Check::Order(_, Constant::Number(_)) => true,
            Check::In(list) => list.iter().all(is_code),
            Check::Order(..) | Check::Like(_) => false,
        }
    }

    /// Whether it compares numbers.
    pub fn asks_number(&self) -> bool {
        match &self.check {
            Check::Order(_, Constant::Number(_)) => true,
            Check::In(list) => list.iter().any(|m| !matches!(m, Member::Label(_))),
            Check::IsNull | Check::Order(..) | Check::Like(_) => false,
        }
    }

    /// Whether it looks at texts: their form, or what a label stands for.
    pub fn asks_text(&self) -> bool {
        match &self.check {
            Check::Like(_) => true,
            Check::In(list) => list.iter().any(|m| matches!(m, Member::Label(_))),
            Check::IsNull | Check::Order(..) => false,
        }
    }

    /// The share of a mask's codes that pass, where that is easily told: a form that begins with digits.
    pub fn share(&self, mask: &Mask) -> Option<f64> {
        let Check::Like(form) = &self.check else { return None };
        let share = mask.share_with_prefix(form.strip_suffix('%')?)?;
        Some(if self.negated { 1.0 - share } else { share })
    }

    /// The outcome for a number behind a label.
    pub fn on_number(&self, number: f64, label: u32) -> bool {
        match &self.check {
            Check::IsNull => self.negated,
            Check::Order(order, Constant::Number(constant)) => {
                number.partial_cmp(constant).is_some_and(|o| order.holds(o))
            }
            Check::In(list) => {
                let is = |member: &Member| match member {
                    Member::Number(constant) => number == *constant,
                    Member::Span { from, to, open } => within(number, *from, *to, *open),
                    Member::Text(constant) => constant.parse() == Ok(number),
                    // Only of columns in which no two labels share a value.
                    Member::Label(asked) => *asked == label,
                    Member::Codes(_) => false,
                };
                list.iter().any(is) != self.negated
            }
            // Refused or turned into numbers when the test was bound.
            Check::Order(_, Constant::Text(_)) | Check::Like(_) => false,
        }
    }

    /// Calls `see` with each number at which the outcome may change.
    pub fn edges(&self, see: &mut impl FnMut(f64)) {
        match &self.check {
            Check::Order(_, Constant::Number(constant)) => see(*constant),
            Check::In(list) => list.iter().for_each(|member| match member {
                Member::Number(constant) => see(*constant),
                Member::Text(constant) => constant.parse().into_iter().for_each(&mut *see),
                Member::Span { from, to, .. } => [*from, *to].into_iter().for_each(&mut *see),
                _ => {}
            }),
            _ => {}
        }
    }

    /// The outcome for a masked or unknown label whose text is none of the constants: certain, or open.
    pub fn on_opaque(&self, column: &AnswerColumn, label: u32, mask: Option<&Mask>) -> Option<bool> {
        let own = |certain: bool, possible: bool| match (certain, possible) {
            (true, _) => Some(!self.negated),
            (false, false) => Some(self.negated),
            (false, true) => None,
        };
        match &self.check {
            Check::IsNull => Some(self.negated),
            Check::Like(form) => mask.map_or(own(false, true), |mask| {
                let (certain, possible) = mask.like(form);
                own(certain, possible)
            }),
            Check::Order(order, Constant::Number(constant)) => {
                let (least, most) = mask?.span()?;
                let holds = |own: f64| own.partial_cmp(constant).is_some_and(|o| order.holds(o));
                // Orders are monotone, so both ends tell.
                if holds(least) == holds(most) { Some(holds(least)) } else { None }
            }
            Check::Order(..) => None,
            Check::In(list) => {
                let mut outcome = Some(self.negated);
                for member in list {
                    if let Member::Label(asked) = member {
                        let is = match (mask, column.mask(*asked)) {
                            _ if *asked == label => own(true, true),
                            _ if column.exclusive => own(false, false),
                            (Some(mask), Some(theirs)) => own(theirs.holds(mask), theirs.meets(mask)),
                            _ => own(false, true),
                        };
                        if is == Some(!self.negated) {
                            return is;
                        }
                        outcome = if is.is_none() { None } else { outcome };
                    }
                }
                outcome
            }
        }
    }
}

fn within(own: f64, from: f64, to: f64, open: bool) -> bool {
    from <= own && if open { own < to } else { own <= to }
}

fn equal(kind: Kind, text: &str, constant: &str) -> bool {
    text == constant || kind == Kind::Boolean && text.eq_ignore_ascii_case(constant)
}

/// The number that a constant is for a column, when the column holds numbers or dates.
fn number(literal: &Literal, kind: Kind) -> Option<f64> {
    match (literal, kind) {
        (Literal::Number(number, _), Kind::Integer | Kind::Decimal) => Some(*number),
        (Literal::Text(text), Kind::Integer | Kind::Decimal | Kind::Date) => {
            kind.number(text).filter(|number| number.is_finite())
        }
        _ => None,
    }
}

fn constant(literal: &Literal, column: &AnswerColumn) -> Result<Constant, AnswerError> {
    let wrong = || AnswerError::Constant { column: column.name.clone(), accepted: accepted(column.kind) };
    match (column.kind, literal) {
        (Kind::Integer | Kind::Decimal | Kind::Date, _) => {
            number(literal, column.kind).map(Constant::Number).ok_or_else(wrong)
        }
        (_, Literal::Number(number, _)) => Ok(Constant::Number(*number)),
        (_, Literal::Text(text)) => Ok(Constant::Text(text.clone())),
    }
}

fn accepted(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer | Kind::Decimal => "numbers",
        Kind::Date => "dates such as '1990-12-31'",
        Kind::Boolean | Kind::Text => "texts",
    }
}

/// A constant is a value where it can be one, and otherwise a label: then what the label stands for is meant.
fn member(literal: &Literal, column: &AnswerColumn) -> Result<Member, AnswerError> {
    let text = match literal {
        Literal::Number(_, text) | Literal::Text(text) => text,
    };
    if let Some(number) = number(literal, column.kind) {
        return Ok(Member::Number(number));
    }
    // What is missing equals nothing.
    let known = |codes: &[u32]| {
        Member::Codes(codes.iter().copied().filter(|&code| !column.values.is_missing(code)).collect())
    };
    let is_number = matches!(column.kind, Kind::Integer | Kind::Decimal | Kind::Date);
    if let Some(label) = column.labels.iter().position(|label| **label == **text) {
        let named = Member::Label(label as u32);
        return Ok(match column.regions.get(label).map(|region| &region.values) {
            // A value where it is one.
            Some(Values::Listed(codes)) if column.values.code_of(text).is_none() => known(codes),
            // What is below it is below no other label.
            Some(Values::Range { .. } | Values::Mask { .. } | Values::Unknown { .. })
                if is_number && column.exclusive =>
            {
                named
            }
            Some(Values::Range { from, to, open, spread: None, .. })
                if from.is_finite() || to.is_finite() =>
            {
                Member::Span { from: *from, to: *to, open: *open }
            }
            // Nobody can tell who is meant.
            Some(Values::Range { .. } | Values::Mask { .. } | Values::Unknown { .. }) if is_number => {
                let accepted = accepted(column.kind);
                return Err(AnswerError::Constant { column: column.name.clone(), accepted });
            }
            Some(Values::Mask { .. } | Values::Unknown { expect_label: false, .. }) if !column.ambiguous => {
                named
            }
            _ => Member::Text(text.clone()),
        });
    }
    if let Some(codes) = column.named.get(&**text) {
        return Ok(known(codes));
    }
    match column.kind {
        Kind::Boolean | Kind::Text => Ok(Member::Text(text.clone())),
        kind => Err(AnswerError::Constant { column: column.name.clone(), accepted: accepted(kind) }),
    }
}
