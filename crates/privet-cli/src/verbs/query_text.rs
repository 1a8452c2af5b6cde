//! What `privet query` prints: plans and answers in plain text.

use privet_query::{Answered, Planned, PlannedFigure};

use super::answer::{number as whole, table};
use super::grouped;

/// The plan as a table, and what to know about it.
pub fn describe_plan(planned: &Planned, quiet: bool) -> String {
    let mut rows = vec![["", "± 95 %", "noise"].map(str::to_owned).to_vec()];
    for figure in &planned.figures {
        rows.push(vec![figure.name.clone(), expected(figure), figure.noise.clone()]);
    }
    let mut text = left_aligned(&rows);
    if quiet {
        return text;
    }
    text.push('\n');
    if !planned.group_by.is_empty() {
        let by = planned.group_by.join(", ");
        text.push_str(&format!("One line for each of {} groups by {by}.\n", grouped(planned.groups as u64)));
    }
    planned.remarks.iter().for_each(|remark| text.push_str(&format!("{remark}\n")));
    text.push_str(&notes(planned));
    let (cost, account, ledger) = (&planned.cost, &planned.account, &planned.ledger);
    match (&planned.remaining, planned.suffices) {
        (Some(left), true) => {
            text.push_str(&format!("It would cost {cost}; `{account}` has {left} left in {ledger}.\n"));
        }
        (Some(left), false) => text.push_str(&format!(
            "It would cost {cost}, and `{account}` has only {left} left in {ledger}: it would be refused.\n"
        )),
        (None, _) => {
            text.push_str(&format!(
                "It would cost {cost}; there is no account `{account}` in {ledger} yet.\n"
            ));
        }
    }
    text.push_str("Nothing was charged, and the table was not opened.\n");
    text
}

fn expected(figure: &PlannedFigure) -> String {
    match (figure.half_width_95, figure.half_width_95_times_records, figure.rank_error_95) {
        (Some(half), _, _) => number(Some(half)),
        (_, Some(times), _) => {
            let (rounding, more) = match figure.rounding {
                Some(half) => (half, format!(" + {}", number(Some(half)))),
                None => (0.0, String::new()),
            };
            let of_thousand = number(Some(times / 1000.0 + rounding));
            format!("{} / records{more} (1,000 records: {of_thousand})", number(Some(times)))
        }
        (_, _, Some(rank)) => format!("{} ranks", number(Some(rank))),
        (None, None, None) => "–".to_owned(),
    }
}

/// The answer as a table, and what to know about it.
pub fn describe(answered: &Answered, quiet: bool) -> String {
    let plan = &answered.plan;
    let mut head = plan.group_by.clone();
    head.extend(["", "answer", "± 95 %"].map(str::to_owned));
    let mut rows = vec![head];
    for line in &answered.lines {
        for (figure, own) in plan.figures.iter().zip(&line.numbers) {
            let mut row: Vec<String> =
                line.group.iter().map(|key| key.clone().unwrap_or_else(|| "(all)".to_owned())).collect();
            row.push(figure.name.clone());
            row.push(number(Some(own.value)));
            row.push(match own.rank_error_95 {
                Some(rank) => format!("{} ranks", number(Some(rank))),
                None => own.half_width_95.map_or("–".to_owned(), |half| number(Some(half))),
            });
            rows.push(row);
        }
    }
    let mut text = table(&rows, plan.group_by.len() + 1);
    if quiet {
        return text;
    }
    text.push('\n');
    for figure in &plan.figures {
        text.push_str(&format!("{}: {}.\n", figure.name, figure.noise));
    }
    plan.remarks.iter().for_each(|remark| text.push_str(&format!("{remark}\n")));
    text.push_str(&notes(plan));
    let left = plan.remaining.as_ref().map_or_else(String::new, |left| format!("; {left} is left"));
    text.push_str(&format!(
        "Charged {} to `{}` for {}{left} (entry {} of {}).\n",
        plan.cost, plan.account, answered.analyst, answered.entry, plan.ledger
    ));
    text
}

/// Above this epsilon a guarantee says little: odds may change more than a hundredfold.
const LITTLE: f64 = 4.6;

/// Whom the answer protects, and what it leaves out.
fn notes(plan: &Planned) -> String {
    let people = &plan.people;
    let records = match people.max_records {
        1 => "1 record".to_owned(),
        most => format!("{most} records"),
    };
    let limit = match &people.per_person {
        Some(column) => format!("Of each person (column {column}), at most the first {records} count."),
        None => format!("Assumed: no person has more than {records} (otherwise use --per-person)."),
    };
    let hidden = match people.neighbours {
        "replace" => "The answer hides what the records of a person say; the number of records is public.",
        _ => "The answer hides whether a person is in the table, and what the records of the person say.",
    };
    let dropped = match people.dropped.is_empty() {
        true => String::new(),
        false => format!("Undeclared values of {} are in no group.\n", people.dropped.join(", ")),
    };
    let epsilon = plan.cost.real_epsilon();
    let times = times(epsilon);
    let little = if epsilon > LITTLE { ", which protects little" } else { "" };
    let failing = match plan.cost.delta.as_str() {
        "0" => String::new(),
        delta => format!(", but with a probability of at most delta = {delta}"),
    };
    let factor = format!(
        "The records of one person make no answer more than e^epsilon = {times} times as probable{failing}{little}."
    );
    format!("{hidden}\n{factor}\n{}{limit}\n{dropped}", beliefs(plan))
}

/// What somebody who is 10 % sure can become.
fn beliefs(plan: &Planned) -> String {
    let after = |about: &str| {
        let own = plan.beliefs.iter().find(|own| own.about == about && own.before == 0.1);
        // Rounded up: it must still hold.
        own.map(|own| format!("{} %", (own.at_most_after * 1000.0).ceil() / 10.0))
    };
    match (after("presence"), after("records")) {
        (Some(presence), Some(records)) => format!(
            "A belief of 10 % that a person is in the table becomes at most {presence}; about what the records of a person say, \
             at most {records}.\n"
        ),
        (None, Some(records)) => {
            format!("A belief of 10 % about what the records of a person say becomes at most {records}.\n")
        }
        _ => String::new(),
    }
}

/// e^epsilon. What no such number holds is a power of ten.
fn times(epsilon: f64) -> String {
    match epsilon.exp() {
        times if times < 1e6 => format!("{times:.3}"),
        times if times.is_finite() => format!("{times:.0e}"),
        _ => {
            let digits = epsilon / std::f64::consts::LN_10;
            format!("{:.1}·10^{:.0}", 10f64.powf(digits.fract()), digits.floor())
        }
    }
}

/// A number for people: what is below 1 to three digits, and not as 0.
fn number(value: Option<f64>) -> String {
    match value {
        Some(small) if small != 0.0 && small.abs() < 1.0 => {
            let decimals = (2.0 - small.abs().log10().floor()).clamp(0.0, 20.0) as usize;
            let text = format!("{small:.decimals$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        other => whole(other),
    }
}

/// Columns in line, all to the left.
pub fn left_aligned(rows: &[Vec<String>]) -> String {
    table(rows, rows.first().map_or(0, Vec::len))
}

#[cfg(test)]
mod tests {
    use super::{number, times};

    /// e^950 = 10^(950/ln 10) = 10^412.58.
    #[test]
    fn large_factors_are_powers_of_ten() {
        assert_eq!([0.0, 5.0, 20.0, 950.0].map(times), ["1.000", "148.413", "5e8", "3.8·10^412"]);
    }

    #[test]
    fn small_numbers_are_not_zero() {
        let shown = [0.0, 0.5, -0.0123456, 0.000001, 0.9999, 12.345, -3000.0].map(|n| number(Some(n)));
        assert_eq!(shown, ["0", "0.5", "-0.0123", "0.000001", "1", "12.35", "-3,000"]);
    }
}
