//! What a published label may stand for, and how the tests of a question divide it (survey US-03).
//!
//! For one question, a label is cut into [`Part`]s: values for which every test on the column comes out the same. A
//! part has a share, which is how much of the label lies in it when the label's values are equally likely, and bounds
//! for the numbers in it. Shares make expectations; that a part exists makes bounds. A part of share 0 is possible
//! and not expected. Where no share can be told (an open end, a text that cannot be read), it is NaN, and so is every
//! expectation that rests on it; bounds are never affected.

use privet_data::{Domain, Kind};

use super::AnswerError;
use super::column::AnswerColumn;
use super::mask::Mask;
use super::predicate::{Check, Member, Predicate};

/// What a published label may stand for.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The values.
    pub values: Values,
    /// Whether it may also stand for a missing value that is not listed. That is possible, and not expected.
    pub or_missing: bool,
}

/// The values of a region.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// These codes of the column's values, missing ones among them.
    Listed(Vec<u32>),
    /// Numbers, or days of the calendar.
    Range {
        /// From here, infinite when there is no lower end.
        from: f64,
        /// To here, included unless `open`; infinite when there is no upper end.
        to: f64,
        /// Whether the upper end is left out.
        open: bool,
        /// Whether only whole numbers (days) are meant.
        whole: bool,
        /// Where the values are expected to lie when not everywhere in the range.
        spread: Option<(f64, f64)>,
    },
    /// Texts of which some characters are hidden.
    Mask {
        /// Whether all have as many characters as the label; otherwise it may also stand for shorter ones.
        one_length: bool,
        /// Whether all are digits.
        digits: bool,
    },
    /// Texts about which the label says nothing to us.
    Unknown {
        /// How many values the column can have, where that is known.
        size: Option<u64>,
        /// Whether the label itself is the value to expect (the most frequent one of a group).
        expect_label: bool,
    },
}

impl Region {
    /// The values with these codes.
    pub fn listed(codes: impl Into<Vec<u32>>) -> Self {
        Self { values: Values::Listed(codes.into()), or_missing: false }
    }

    /// Whole numbers or days from one to another, both included.
    pub fn whole(from: f64, to: f64) -> Self {
        Self { values: Values::Range { from, to, open: false, whole: true, spread: None }, or_missing: false }
    }
}

/// Values of a label for which every test comes out the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    /// One bit per test of the column.
    pub truth: u64,
    /// The part of the label's values, or of its weight.
    pub share: f64,
    /// The least number in it.
    pub least: f64,
    /// The largest number in it.
    pub most: f64,
    /// The number to expect.
    pub mean: f64,
}

/// Adds a part to those of a label, together with one of the same outcomes.
pub(super) fn merge(parts: &mut Vec<Part>, part: Part) {
    let Some(own) = parts.iter_mut().find(|own| own.truth == part.truth) else {
        parts.push(part);
        return;
    };
    let share = own.share + part.share;
    own.mean = if share > 0.0 {
        // A part without weight has no say, whatever its mean.
        let weighed = |p: &Part| if p.share == 0.0 { 0.0 } else { p.mean * p.share };
        (weighed(own) + weighed(&part)) / share
    } else if share == 0.0 {
        own.mean
    } else {
        f64::NAN
    };
    own.share = share;
    own.least = own.least.min(part.least);
    own.most = own.most.max(part.most);
}

/// Cuts a label into the parts that the tests on its column tell apart.
pub(super) fn cut(
    column: &AnswerColumn,
    label: u32,
    predicates: &[Predicate],
) -> Result<Vec<Part>, AnswerError> {
    let truth = |outcome: &dyn Fn(&Predicate) -> bool| {
        predicates.iter().enumerate().fold(0u64, |bits, (at, p)| bits | u64::from(outcome(p)) << at)
    };
    let mut parts = Vec::new();
    let Some(region) = column.regions.get(label as usize) else { return Ok(parts) };
    match &region.values {
        Values::Listed(codes) => {
            let weight = |code: u32| column.weights.get(code as usize).copied().unwrap_or(0.0);
            let total: f64 = codes.iter().map(|&code| weight(code)).sum();
            for &code in codes {
                let share = if total > 0.0 { weight(code) / total } else { 1.0 / codes.len() as f64 };
                merge(
                    &mut parts,
                    listed(&column.values, code, share, |p| outcome_of(p, column, code), predicates),
                );
            }
        }
        Values::Range { from, to, open, whole, spread } => {
            let range = Range { from: *from, to: *to, open: *open, whole: *whole, spread: *spread };
            range.cut(predicates, &mut |number| truth(&|p| p.on_number(number, label)), &mut parts);
        }
        Values::Mask { .. } | Values::Unknown { expect_label: false, .. } if column.is_numeric() => {
            hidden_number(column, label, predicates, &mut parts)?;
        }
        // Days are compared as numbers too.
        Values::Unknown { expect_label: false, .. } if column.kind == Kind::Date => {
            hidden_number(column, label, predicates, &mut parts)?;
        }
        Values::Mask { .. } => {
            let Some(mask) = column.mask(label) else { return Ok(parts) };
            if let Some((from, to)) = mask.span()
                && predicates.iter().all(|p| p.is_numeric(mask.length()))
            {
                let range = Range { from, to, open: false, whole: true, spread: None };
                range.cut(predicates, &mut |number| truth(&|p| p.on_number(number, label)), &mut parts);
                // The numbers of codes are compared, never added up.
                parts
                    .iter_mut()
                    .for_each(|part| *part = Part { share: part.share, ..unnumbered(part.truth) });
                return Ok(whole(parts));
            }
            let each = mask.codes().map_or(f64::NAN, |codes| 1.0 / codes);
            opaque(column, label, Some(&mask), each, predicates, &mut parts)?;
        }
        Values::Unknown { size, expect_label } => {
            let each = size.map_or(f64::NAN, |size| 1.0 / size.max(1) as f64);
            opaque(column, label, None, if *expect_label { 0.0 } else { each }, predicates, &mut parts)?;
            if *expect_label {
                let text = column.labels.get(label as usize).map_or("", |text| &**text);
                parts.iter_mut().for_each(|part| part.share = 0.0);
                let own = truth(&|p| p.on_value(column, None, text, None));
                merge(&mut parts, Part { share: 1.0, ..unnumbered(own) });
            }
        }
    }
    if region.or_missing {
        let share = if parts.is_empty() { 1.0 } else { 0.0 };
        merge(&mut parts, Part { share, ..unnumbered(truth(&|p| p.on_missing(None))) });
    }
    Ok(whole(parts))
}

/// A single part is all there is, whatever is known of its share.
fn whole(mut parts: Vec<Part>) -> Vec<Part> {
    if let [only] = &mut parts[..] {
        only.share = 1.0;
    }
    parts
}

fn unnumbered(truth: u64) -> Part {
    Part { truth, share: f64::NAN, least: f64::INFINITY, most: f64::NEG_INFINITY, mean: f64::NAN }
}

fn outcome_of(predicate: &Predicate, column: &AnswerColumn, code: u32) -> bool {
    if column.values.is_missing(code) {
        predicate.on_missing(Some(code))
    } else {
        predicate.on_value(column, Some(code), column.values.text(code), column.values.number(code))
    }
}

fn listed(
    values: &Domain,
    code: u32,
    share: f64,
    outcome: impl Fn(&Predicate) -> bool,
    predicates: &[Predicate],
) -> Part {
    let truth = predicates.iter().enumerate().fold(0u64, |bits, (at, p)| bits | u64::from(outcome(p)) << at);
    match values.number(code) {
        Some(number) => Part { truth, share, least: number, most: number, mean: number },
        None => Part { share, ..unnumbered(truth) },
    }
}

/// The single part of one value, for values that are counted.
pub(super) fn cut_value(column: &AnswerColumn, code: u32, predicates: &[Predicate]) -> Part {
    listed(&column.values, code, 1.0, |p| outcome_of(p, column, code), predicates)
}

/// Parts of a label that hides digits of a number, or all of them: stretches of numbers on which every test of numbers comes
/// out the same, times what tests of its text may give. Both are looked at by themselves, so that what cannot be is
/// sometimes thought possible, and never the other way round.
fn hidden_number(
    column: &AnswerColumn,
    label: u32,
    predicates: &[Predicate],
    parts: &mut Vec<Part>,
) -> Result<(), AnswerError> {
    let mask = column.mask(label);
    let span = mask.as_ref().and_then(Mask::span);
    let any = || vec![(f64::NEG_INFINITY, f64::INFINITY)];
    let ranges = mask.as_ref().map_or_else(any, |mask| mask.numbers(column.kind));
    if !predicates.iter().any(Predicate::asks_number) {
        let each = mask.as_ref().and_then(Mask::codes).map_or(f64::NAN, |codes| 1.0 / codes);
        opaque(column, label, mask.as_ref(), each, predicates, parts)?;
        let least = ranges.iter().map(|own| own.0).fold(f64::INFINITY, f64::min);
        let most = ranges.iter().map(|own| own.1).fold(f64::NEG_INFINITY, f64::max);
        let mean = if span.is_some() && parts.len() == 1 { least + (most - least) / 2.0 } else { f64::NAN };
        parts.iter_mut().for_each(|part| *part = Part { least, most, mean, ..*part });
        return Ok(());
    }
    // What the text says of each test, where it says anything.
    let of_text: Vec<Option<Option<bool>>> =
        predicates.iter().map(|p| p.asks_text().then(|| p.on_opaque(column, label, mask.as_ref()))).collect();
    let open: Vec<usize> =
        of_text.iter().enumerate().filter(|(_, own)| **own == Some(None)).map(|(at, _)| at).collect();
    if open.len() > MOST_OPEN {
        return Err(AnswerError::TooManyTests { column: column.name.clone() });
    }
    let is_exact = span.is_some() && open.is_empty();
    for (from, to) in ranges {
        let is_whole = column.kind != Kind::Decimal;
        let range = Range { from, to, open: false, whole: is_whole, spread: None };
        let mut pieces = Vec::new();
        let mut of_number = |number: f64| {
            predicates.iter().zip(&of_text).enumerate().fold(0u64, |bits, (at, (p, text))| {
                // Passing as one member of a list is enough, whether by the number or by the text.
                let own = match text {
                    Some(Some(is)) if *is != p.negated || !p.asks_number() => *is,
                    _ => p.on_number(number, label),
                };
                bits | u64::from(own) << at
            })
        };
        range.cut(predicates, &mut of_number, &mut pieces);
        for piece in pieces {
            for choice in 0..1u64 << open.len() {
                let chosen = |bits: u64, (nth, at): (usize, &usize)| {
                    if choice >> nth & 1 == 1 { bits ^ (1 << at) } else { bits }
                };
                let truth = open.iter().enumerate().fold(piece.truth, chosen);
                let share = if is_exact { piece.share } else { f64::NAN };
                merge(parts, Part { truth, share, ..piece });
            }
        }
    }
    Ok(())
}

/// More tests of order and form on one unreadable label would double its parts too often.
const MOST_OPEN: usize = 10;

/// Parts of a label of which no list of values is known: each constant that it may be, and the rest.
fn opaque(
    column: &AnswerColumn,
    label: u32,
    mask: Option<&Mask>,
    each: f64,
    predicates: &[Predicate],
    parts: &mut Vec<Part>,
) -> Result<(), AnswerError> {
    let mut candidates: Vec<&str> = Vec::new();
    for predicate in predicates {
        if let Check::In(list) = &predicate.check {
            candidates.extend(list.iter().filter_map(|member| match member {
                Member::Text(text) if mask.is_none_or(|mask| mask.takes(text)) => Some(text.as_str()),
                _ => None,
            }));
        }
    }
    candidates.sort_unstable();
    candidates.dedup();
    let open: Vec<(usize, Option<bool>)> =
        predicates.iter().enumerate().map(|(at, p)| (at, p.on_opaque(column, label, mask))).collect();
    let decided = open.iter().fold(0u64, |bits, (at, is)| bits | u64::from(*is == Some(true)) << at);
    let undecided: Vec<usize> = open.iter().filter(|(_, is)| is.is_none()).map(|(at, _)| *at).collect();
    if undecided.len() > MOST_OPEN {
        return Err(AnswerError::TooManyTests { column: column.name.clone() });
    }
    // Which values an unreadable label that the question names stands for is open, for each candidate too.
    let names_label = |at: &usize| match predicates.get(*at).map(|p| &p.check) {
        Some(Check::In(list)) => mask.is_none() && list.iter().any(|m| matches!(m, Member::Label(_))),
        _ => false,
    };
    let loose: Vec<usize> = undecided.iter().copied().filter(names_label).collect();
    for text in &candidates {
        let sure = predicates.iter().zip(&open).fold(0u64, |bits, (p, (at, is))| {
            // The label itself was asked for: whatever stands behind it is in.
            let is_certain = matches!(&p.check, Check::In(_)) && *is == Some(!p.negated);
            let outcome = if is_certain { !p.negated } else { p.on_value(column, None, text, None) };
            bits | u64::from(outcome) << at
        });
        for choice in 0..1u64 << loose.len() {
            let flipped = |bits: u64, (nth, at): (usize, &usize)| bits ^ (choice >> nth & 1) << at;
            let truth = loose.iter().enumerate().fold(sure, flipped);
            let share = if loose.is_empty() { each } else { f64::NAN };
            merge(parts, Part { share, ..unnumbered(truth) });
        }
    }
    let rest = 1.0 - each * candidates.len() as f64;
    let rest = match candidates.is_empty() {
        true => 1.0,
        false if rest < 0.0 => 0.0,
        false => rest,
    };
    // The share of the one open test, when nothing else is open.
    let passing = match (&undecided[..], mask) {
        ([one], Some(mask)) if candidates.is_empty() => predicates.get(*one).and_then(|p| p.share(mask)),
        _ => None,
    };
    for choice in 0..1u64 << undecided.len() {
        let chosen = |bits: u64, (nth, at): (usize, &usize)| bits | (choice >> nth & 1) << at;
        let truth = undecided.iter().enumerate().fold(decided, chosen);
        let share = match (undecided.is_empty(), passing) {
            (true, _) => rest,
            (false, Some(passing)) => {
                if choice == 1 {
                    passing
                } else {
                    1.0 - passing
                }
            }
            (false, None) => f64::NAN,
        };
        merge(parts, Part { share, ..unnumbered(truth) });
    }
    Ok(())
}

/// The first whole number above another. From 2^53 on numbers lie more than 1 apart, and adding 1 need not change them.
fn whole_above(number: f64) -> f64 {
    (number.floor() + 1.0).max(number.next_up())
}

/// The last whole number below another.
pub(super) fn whole_below(number: f64) -> f64 {
    (number.ceil() - 1.0).min(number.next_down())
}

struct Range {
    from: f64,
    to: f64,
    open: bool,
    whole: bool,
    spread: Option<(f64, f64)>,
}

impl Range {
    /// Cuts the range where a test may change its outcome, and evaluates every piece.
    fn cut(&self, predicates: &[Predicate], truth: &mut dyn FnMut(f64) -> u64, parts: &mut Vec<Part>) {
        let mut edges: Vec<f64> = Vec::new();
        predicates.iter().for_each(|p| p.edges(&mut |edge| edges.push(edge)));
        edges.retain(|edge| edge.is_finite());
        edges.sort_unstable_by(f64::total_cmp);
        edges.dedup();
        if self.whole {
            let to = if self.open { whole_below(self.to) } else { self.to.floor() };
            // Where a run of whole numbers begins on which nothing changes.
            let mut begins = vec![self.from.ceil()];
            for edge in edges {
                begins.extend([edge.ceil(), whole_above(edge)]);
            }
            begins.retain(|&begin| self.from.ceil() <= begin && begin <= to);
            begins.sort_unstable_by(f64::total_cmp);
            begins.dedup();
            for (at, &first) in begins.iter().enumerate() {
                let last = begins.get(at + 1).map_or(to, |&next| whole_below(next));
                let inside = if first.is_finite() {
                    first
                } else if last.is_finite() {
                    last
                } else if first < last {
                    0.0
                } else {
                    first
                };
                self.piece(first, last, truth(inside), parts);
            }
        } else {
            let mut ends = vec![self.from, self.to];
            ends.extend(edges.into_iter().filter(|&edge| self.from < edge && edge < self.to));
            ends.sort_unstable_by(f64::total_cmp);
            ends.dedup();
            for (at, &end) in ends.iter().enumerate() {
                let is_in = end.is_finite() && (!self.open || end < self.to || self.from == self.to);
                if is_in {
                    self.piece(end, end, truth(end), parts);
                }
                if let Some(&next) = ends.get(at + 1) {
                    let inside = match (end.is_finite(), next.is_finite()) {
                        // Nothing lies between neighbours; what a label spreads there counts for the lower one.
                        (true, true) if end.next_up() == next => end,
                        (true, true) => end.midpoint(next),
                        (true, false) => end.next_up(),
                        (false, true) => next.next_down(),
                        (false, false) => 0.0,
                    };
                    self.piece(end, next, truth(inside), parts);
                }
            }
        }
    }

    fn piece(&self, first: f64, last: f64, truth: u64, parts: &mut Vec<Part>) {
        let (low, high) = self.spread.unwrap_or((self.from, self.to));
        let high_end =
            if self.whole && self.open && self.spread.is_none() { whole_below(high) } else { high };
        // Only shares are told: a length beyond the largest number is taken by halves.
        let unit = if (high_end - low).is_finite() { 1.0 } else { 0.5 };
        let measure = |a: f64, b: f64| match (a <= b, self.whole) {
            (false, _) => 0.0,
            (true, true) => (b.floor() * unit - a.ceil() * unit) + unit,
            (true, false) => b * unit - a * unit,
        };
        let (a, b) = (first.max(low), last.min(high_end));
        let total = measure(low, high_end);
        let share = if !total.is_finite() {
            f64::NAN
        } else if total > 0.0 {
            measure(a, b) / total
        } else if low == high && a == b && (first == last || first < low && low < last) {
            // A single point: it lies in one piece.
            1.0
        } else {
            0.0
        };
        let mean = a.midpoint(b);
        let mean = if mean.is_finite() { mean } else { f64::NAN };
        merge(parts, Part { truth, share, least: first, most: last, mean });
    }
}
