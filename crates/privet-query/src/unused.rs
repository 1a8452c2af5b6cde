//! Flags that a question has no use for.
//!
//! Guarantee: a flag either takes part in the answer, and thereby in what it promises, or the question is refused before
//! anything is charged. Who writes `--delta` or `--bound` believes that it does something, and an answer that leaves it
//! aside would be taken for another one. What a job file declares is for all questions and may go unused.

use privet_measure::answer::{Aggregate, Figure};

use super::declared::{Flags, problem};
use super::error::QueryError;
use super::method::Method;
use super::plan::{Mechanism, Plan, Way};

/// Refuses flags that the plan does not use.
pub(super) fn refuse(plan: &Plan, flags: &Flags) -> Result<(), QueryError> {
    let has_delta = !plan.loss.delta().is_zero();
    let given = |delta: &String| delta.parse::<privet_dp::Delta>().is_ok_and(|own| !own.value().is_zero());
    // Where the noise is left open, a delta takes part in the choice.
    let has_delta = has_delta || flags.method != Some(Method::Laplace) && adds_noise(plan);
    if flags.delta.as_ref().is_some_and(given) && !has_delta {
        return Err(problem(match flags.method {
            Some(Method::Laplace) => "--mechanism laplace has no use for a --delta; leave one of them out",
            _ => {
                "nothing in this question uses a --delta, which is for count, sum and smooth_median; leave it out, and \
                 epsilon holds without exception"
            }
        }));
    }
    if flags.probabilistic && !has_delta {
        return Err(problem(
            "nothing in this question uses --probabilistic, which is about the delta of count and sum; leave it out",
        ));
    }
    if let Some(method @ (Method::Laplace | Method::Gaussian)) = flags.method
        && !adds_noise(plan)
    {
        return Err(problem(format!(
            "--mechanism {method} is about the noise of count and sum, and this question asks for neither; leave it out"
        )));
    }
    if flags.synthetic.is_some() && !matches!(plan.way, Way::Synthetic(_) | Way::Tree(_)) {
        return Err(problem(
            "--synthetic goes with --mechanism dirichlet or marginals, or without --mechanism",
        ));
    }
    if (flags.max_groups.is_some() || flags.max_per_group.is_some())
        && (plan.keys.is_empty() || plan.parts.is_empty())
    {
        return Err(problem(
            "--max-groups and --max-per-group are for figures by group, and there is no plain `group by` here; leave them out",
        ));
    }
    let (found, joined) = (&flags.unknown_keys, plan.sources.joined());
    if let Some(column) = found.iter().find(|own| !plan.keys.iter().any(|keys| keys.column == **own)) {
        return Err(problem(format!(
            "--unknown-keys names `{column}`, which is not grouped by in this question; leave the flag out"
        )));
    }
    let bounded = bounded(plan);
    let grouped: Vec<&str> = plan.keys.iter().map(|keys| keys.column.as_str()).collect();
    let lists = [
        ("--bound", &flags.bounds, &bounded, "summed, averaged or cut into quantiles"),
        ("--grid", &flags.grids, &bounded, "summed, averaged or cut into quantiles"),
        ("--keys", &flags.keys, &grouped, "grouped by"),
        ("--other", &flags.others, &grouped, "grouped by"),
        ("--table", &flags.tables, &joined, "joined"),
    ];
    for (flag, given, used, how) in lists {
        let mut seen: Vec<&str> = Vec::new();
        for text in given {
            let column = text.split_once('=').map_or(text.as_str(), |(column, _)| column).trim();
            if !used.contains(&column) {
                return Err(problem(format!(
                    "{flag} names `{column}`, which is not {how} in this question; leave the flag out"
                )));
            }
            if seen.contains(&column) {
                return Err(problem(format!("{flag} names `{column}` twice; say it once")));
            }
            seen.push(column);
        }
    }
    Ok(())
}

/// Whether anything has noise that may be of the one or the other law.
fn adds_noise(plan: &Plan) -> bool {
    let takes = |mechanism: &Mechanism| matches!(mechanism, Mechanism::Count(_) | Mechanism::Sum { .. });
    matches!(plan.way, Way::Marginals(_) | Way::Session(_) | Way::Tree(_) | Way::Model(_))
        || plan.parts.iter().any(|part| takes(&part.mechanism))
}

/// The columns whose bounds matter.
fn bounded(plan: &Plan) -> Vec<&str> {
    let is_bounded = |figure: &Figure| {
        let counts = matches!(figure, Figure::Aggregate(Aggregate::Count | Aggregate::CountOf(_)));
        !counts && !matches!(figure, Figure::CountDistinct { .. })
    };
    let figured =
        plan.parts.iter().filter(|part| is_bounded(&part.figure)).filter_map(|part| part.figure.column());
    let computed = plan.question.computed.iter().flat_map(|(_, formula)| formula.columns());
    let model = plan.question.model.iter().flat_map(|own| own.numbers());
    figured.chain(computed).chain(model).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared::Declared;

    fn said(question: &str, flags: Flags) -> Option<String> {
        let flags = Flags { epsilon: Some("1".into()), ..flags };
        let plan = Plan::new(question, &Declared { flags: &flags, job: None }).unwrap();
        refuse(&plan, &flags).err().map(|error| error.to_string())
    }

    fn with(more: impl FnOnce(&mut Flags)) -> Flags {
        let mut flags = Flags::default();
        more(&mut flags);
        flags
    }

    const COUNT: &str = "select count(*) from d";
    const CUBE: &str = "select count(*) from d group by cube (sex)";

    fn average(more: impl FnOnce(&mut Flags)) -> (&'static str, Flags) {
        let mut flags = with(more);
        flags.bounds.push("cost=0..9".into());
        ("select avg(cost) from d", flags)
    }

    fn sexes(question: &'static str, more: impl FnOnce(&mut Flags)) -> (&'static str, Flags) {
        let mut flags = with(more);
        flags.keys.push("sex=F,M".into());
        (question, flags)
    }

    #[test]
    fn flags_without_use_are_refused() {
        let delta = |flags: &mut Flags| flags.delta = Some("1e-6".into());
        let gaussian = |flags: &mut Flags| {
            flags.delta = Some("1e-6".into());
            flags.method = Some(Method::Gaussian);
        };
        let laplace = |flags: &mut Flags| flags.method = Some(Method::Laplace);
        let groups = "select sex, count(*) from d group by sex";
        for ((question, flags), word) in [
            (average(delta), "--delta"),
            (average(laplace), "--mechanism laplace"),
            (average(gaussian), "--delta"),
            (average(|flags| (flags.probabilistic, flags.delta) = (true, Some("1e-6".into()))), "--delta"),
            (
                (
                    COUNT,
                    with(|flags| (flags.delta, flags.method) = (Some("1e-6".into()), Some(Method::Laplace))),
                ),
                "laplace",
            ),
            (
                (COUNT, with(|flags| (flags.probabilistic, flags.method) = (true, Some(Method::Laplace)))),
                "--probabilistic",
            ),
            (
                sexes(groups, |flags| (flags.synthetic, flags.delta) = (Some(5), Some("1e-6".into()))),
                "--delta",
            ),
            (
                (COUNT, with(|flags| (flags.method, flags.synthetic) = (Some(Method::Sulq), Some(5)))),
                "--synthetic",
            ),
            (sexes(COUNT, |_| ()), "--keys names `sex`"),
            ((COUNT, with(|flags| flags.others.push("sex=else".into()))), "--other names `sex`"),
            ((COUNT, with(|flags| flags.bounds.push("cost=0..9".into()))), "--bound names `cost`"),
            ((COUNT, with(|flags| flags.grids.push("cost=1".into()))), "--grid names `cost`"),
            (("select count(cost) from d", with(|flags| flags.bounds.push("cost=0..9".into()))), "--bound"),
            (average(|flags| flags.bounds.push("cost=0..10".into())), "twice"),
        ] {
            let message = said(question, flags.clone()).unwrap_or_else(|| "accepted".into());
            assert!(message.contains(word), "{question} {flags:?}: {message}");
        }
    }

    #[test]
    fn flags_that_matter_are_taken() {
        let delta = |flags: &mut Flags| flags.delta = Some("1e-6".into());
        let strict = |flags: &mut Flags| (flags.probabilistic, flags.delta) = (true, Some("1e-6".into()));
        let gaussian = |flags: &mut Flags| {
            flags.delta = Some("1e-6".into());
            flags.method = Some(Method::Gaussian);
        };
        let both = "select avg(cost), count(*) from d";
        let bound = |more: fn(&mut Flags)| {
            with(|flags| {
                more(flags);
                flags.bounds.push("cost=0..9".into());
                flags.grids.push("cost=0.1".into());
            })
        };
        for (question, flags) in [
            (COUNT, with(delta)),
            (COUNT, with(strict)),
            (COUNT, with(gaussian)),
            (COUNT, with(|flags| flags.method = Some(Method::Laplace))),
            (COUNT, with(|flags| (flags.delta, flags.method) = (Some("0".into()), Some(Method::Laplace)))),
            (both, bound(delta)),
            (both, bound(strict)),
            (both, bound(gaussian)),
            ("select smooth_median(cost) from d", bound(delta)),
            sexes(CUBE, strict),
            sexes(CUBE, gaussian),
            sexes(CUBE, |flags| flags.others.push("sex=else".into())),
        ] {
            assert_eq!(said(question, flags.clone()), None, "{question} {flags:?}");
        }
    }
}
