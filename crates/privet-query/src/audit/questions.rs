//! `privet query` itself, from a question in SQL and its flags to the numbers that are shown: the same plan, the same limits
//! on one person's records, the same mechanisms, without a ledger.
//!
//! Two tables differ in one person who has as many records as may count, and one more where that must not help. Numbers
//! are coded as in `mechanisms.rs`. What is beside a number is part of the answer: from the width of an average the noisy
//! number of records follows, so it is used.

use privet_dp::DpError;
use privet_dp::audit::Finding;

use super::mechanisms::{approximate, subject, sum_and_records};
use super::{Setting, Subject};
use crate::{Flags, Method, Neighbourhood, QueryError, Trial};

pub(super) const ALL: &[Subject] = &[
    subject("query-count", "a count of people with two records at most; somebody with three comes", count),
    subject("query-groups", "counts by group; both records of somebody go to the other group", groups),
    subject("query-sum", "sums by group; somebody who has the most goes to the other group", sum),
    approximate("query-sum-gaussian", "the same with Gaussian noise", sum_gaussian),
    approximate("query-probabilistic", "counts by group in the probabilistic form", probabilistic),
    subject("query-figures", "a count and a sum, which share epsilon; one person more or less", figures),
    subject("query-average", "an average, and its width; one person more or less", average),
    subject("query-median", "the median of values from 0 to 399; one person more or less", median),
    approximate("query-smooth-median", "the smooth median of 0 and 1; one person has 0 or 1", smooth_median),
    subject("query-peeling", "the largest of ten groups and its count; one person more or less", peeling),
    subject("query-tables", "a table of counts that is made consistent; one person more or less", tables),
    subject("query-session", "two counts of one session; one person more or less", session),
    subject("query-records", "four synthetic records; one person is in the one or the other group", records),
    subject("query-set", "a set of groups (alpha-beta); one person more or less", set),
];

/// A question to two tables, at the cost of the setting.
fn trial(setting: &Setting, question: &str, flags: &Flags, tables: [&str; 2]) -> Result<Trial, DpError> {
    let delta = flags.delta.as_ref().map(|_| setting.delta.clone());
    Trial::new(question, flags, (setting.epsilon.clone(), delta), tables).map_err(|error| match error {
        QueryError::Private(error) => error,
        _ => DpError::Parameter {
            parameter: "epsilon or delta",
            accepted: "one that the question can be planned for",
        },
    })
}

/// Runs a question that claims epsilon alone; numbers are coded by `code`.
fn pure(setting: &Setting, trial: &Trial, code: impl Fn(&[f64]) -> i64) -> Result<Finding, DpError> {
    setting.run(&true, &false, |first| Ok(code(&trial.numbers(*first)?)))
}

/// The same for one that claims epsilon and delta.
fn with_delta(setting: &Setting, trial: &Trial, code: impl Fn(&[f64]) -> i64) -> Result<Finding, DpError> {
    if setting.delta.value().is_zero() {
        return Err(DpError::Parameter { parameter: "delta", accepted: "above 0" });
    }
    setting.run_approximate(&true, &false, |first| Ok(code(&trial.numbers(*first)?)))
}

fn flags(more: impl FnOnce(&mut Flags)) -> Flags {
    let mut flags =
        Flags { keys: vec!["sex=F,M".into()], bounds: vec!["cost=-1..3".into()], ..Flags::default() };
    more(&mut flags);
    flags
}

/// Whether there is a delta is all that matters of it: the setting says which.
fn delta(flags: &mut Flags) {
    flags.delta = Some(String::new());
}

fn replacing(flags: &mut Flags) {
    flags.neighbours = Some(Neighbourhood::Replace);
}

/// The smaller of the first two numbers.
fn smaller(numbers: &[f64]) -> i64 {
    first_two(numbers, f64::min)
}

/// The first less the second: both change where somebody moves.
fn difference(numbers: &[f64]) -> i64 {
    first_two(numbers, |first, second| first - second)
}

/// The smaller of the first and of what the second is short of 6: both are large at once where somebody left the second
/// group for the first.
fn moved(numbers: &[f64]) -> i64 {
    first_two(numbers, |first, second| (first - 6.0).min(-second))
}

fn first_two(numbers: &[f64], code: impl Fn(f64, f64) -> f64) -> i64 {
    match numbers {
        [first, second, ..] => code(*first, *second).round() as i64,
        _ => 0,
    }
}

fn only(numbers: &[f64]) -> i64 {
    numbers.first().map_or(0, |own| own.round() as i64)
}

fn count(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| (flags.per_person, flags.max_records) = (Some("id".into()), Some(2)));
    let tables = ["id,age\na,30\na,30\n", "id,age\na,30\na,30\nb,30\nb,30\nb,30\n"];
    pure(setting, &trial(setting, "select count(*) from data where age < 40", &flags, tables)?, only)
}

fn groups(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| {
        (flags.per_person, flags.max_records) = (Some("id".into()), Some(2));
        replacing(flags);
    });
    // With both records of b the first group has 6, the second none.
    let tables =
        ["id,sex\na,F\na,F\nc,F\nc,F\nb,F\nb,F\nb,F\n", "id,sex\na,F\na,F\nc,F\nc,F\nb,M\nb,M\nb,M\n"];
    pure(setting, &trial(setting, GROUPS, &flags, tables)?, moved)
}

const GROUPS: &str = "select sex, count(*) from data group by sex";
const SUMS: &str = "select sex, sum(cost) from data group by sex";
/// The second person moves with the largest number from the first group, whose sum was 6, to the second.
const MOVING: [&str; 2] = ["sex,cost\nF,3\nF,99\n", "sex,cost\nF,3\nM,99\n"];

fn sum(setting: &Setting) -> Result<Finding, DpError> {
    pure(setting, &trial(setting, SUMS, &flags(replacing), MOVING)?, moved)
}

fn sum_gaussian(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| {
        replacing(flags);
        delta(flags);
    });
    with_delta(setting, &trial(setting, SUMS, &flags, MOVING)?, difference)
}

fn probabilistic(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| {
        replacing(flags);
        delta(flags);
        flags.probabilistic = true;
    });
    with_delta(
        &setting.longer(),
        &trial(setting, GROUPS, &flags, ["sex\nF\nF\n", "sex\nF\nM\n"])?,
        difference,
    )
}

fn figures(setting: &Setting) -> Result<Finding, DpError> {
    let trial = trial(
        setting,
        "select count(*), sum(cost) from data",
        &flags(|_| ()),
        ["cost\n2\n", "cost\n2\n3\n"],
    )?;
    // One more record, and 3 more in sum.
    pure(setting, &trial, |numbers| first_two(numbers, |count, sum| (3.0 * (count - 2.0)).min(sum - 5.0)))
}

fn average(setting: &Setting) -> Result<Finding, DpError> {
    let fewer = format!("cost\n{}", "1\n".repeat(40));
    let more = format!("{fewer}3\n");
    let trial = trial(setting, "select avg(cost) from data", &flags(|_| ()), [&fewer, &more])?;
    let (noise, rounding) = trial.width_of_average().unwrap_or((0.0, 0.0));
    let both = |first: &bool| {
        let lines = trial.ask(*first)?;
        let number = lines.first().and_then(|line| line.numbers.first());
        let width = number.and_then(|own| own.half_width_95);
        let records = width.map_or(0.0, |own| (noise / (own - rounding)).round());
        Ok(number.map_or(0, |own| sum_and_records(own.value, records)))
    };
    setting.run(&true, &false, both)
}

fn median(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| flags.bounds = vec!["cost=0..399".into()]);
    let tables = ["cost\n100\n", "cost\n100\n399\n"];
    pure(setting, &trial(setting, "select median(cost) from data", &flags, tables)?, only)
}

fn smooth_median(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| {
        flags.bounds = vec!["cost=0..1".into()];
        replacing(flags);
        delta(flags);
    });
    let tables = ["cost\n0\n0\n0\n1\n1\n", "cost\n0\n0\n1\n1\n1\n"];
    with_delta(setting, &trial(setting, "select smooth_median(cost) from data", &flags, tables)?, only)
}

fn peeling(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| {
        flags.keys = vec!["sex=F,a,b,c,d,e,f,g,h,i".into()];
        flags.method = Some(Method::Peeling);
    });
    let question = "select sex, count(*) from data group by sex order by count(*) desc limit 1";
    let trial = trial(setting, question, &flags, ["sex\n-\n", "sex\n-\nF\n"])?;
    // Both the choice and the count are likelier when somebody is in the group.
    let shown = |first: &bool| {
        let lines = trial.ask(*first)?;
        let is_first = |line: &&crate::Line| line.group.iter().flatten().any(|key| key == "F");
        let number = lines.first().filter(is_first).and_then(|line| line.numbers.first());
        Ok(number.map_or(i64::MIN, |own| own.value as i64))
    };
    setting.run(&true, &false, shown)
}

fn tables(setting: &Setting) -> Result<Finding, DpError> {
    let both = "F\nM\n".repeat(20);
    let tables = [format!("sex\n{both}"), format!("sex\n{both}F\n")];
    let [fewer, more] = &tables;
    let question = "select sex, count(*) from data group by grouping sets ((sex))";
    let trial = trial(setting, question, &flags(|_| ()), [fewer, more])?;
    // Both coefficients, the sum and the difference of the cells, are larger by 1.
    pure(setting, &trial, |cells| {
        first_two(cells, |first, second| (first + second - 41.0).min(first - second - 1.0))
    })
}

fn session(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| {
        flags.keys.clear();
        flags.method = Some(Method::Sulq);
    });
    let question = "select count(*) from data where cost > 0; select count(*) from data where cost < 9";
    pure(setting, &trial(setting, question, &flags, ["cost\n1\n", "cost\n1\n1\n"])?, smaller)
}

fn records(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| {
        replacing(flags);
        flags.synthetic = Some(4);
    });
    pure(setting, &trial(setting, GROUPS, &flags, ["sex\nF\n", "sex\nM\n"])?, only)
}

fn set(setting: &Setting) -> Result<Finding, DpError> {
    let flags = flags(|flags| {
        flags.keys = vec!["sex=F".into()];
        flags.method = Some(Method::AlphaBeta);
    });
    pure(setting, &trial(setting, GROUPS, &flags, ["sex\n-\n", "sex\nF\n"])?, |shown| shown.len() as i64)
}
