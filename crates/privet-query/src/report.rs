//! The pages of an answer and of a ledger, from what was answered and charged.

use privet_data::date_of;
use privet_report::{
    AnswerBelief, AnswerFacts, AnswerFigure, AnswerLine, AnswerNumber, Budget, LedgerFacts, LedgerLine,
    NoiseKind,
};

use super::{Amount, Answered, LedgerEntry, Shown, visible};

fn software() -> String {
    format!("privet {}", env!("CARGO_PKG_VERSION"))
}

fn budget(name: &str, ledger: &str, total: Option<&Amount>, left: Option<&Amount>) -> Budget {
    Budget {
        name: name.to_owned(),
        ledger: ledger.to_owned(),
        total: total.map_or(0.0, Amount::real_epsilon),
        left: left.map_or(0.0, Amount::real_epsilon),
        total_delta: total.map_or(0.0, Amount::real_delta),
        left_delta: left.map_or(0.0, Amount::real_delta),
        left_words: left.map_or("not known".to_owned(), |left| match total {
            // That all of a delta is spent must be said; of an account without one there is nothing to say.
            Some(total) if total.delta != "0" && left.delta == "0" => format!("{left}, delta 0"),
            _ => left.to_string(),
        }),
    }
}

/// The page of an answer, for whoever gets the answer. It holds the question, and no exact value.
#[must_use]
pub fn answer_page(answered: &Answered, question: &str) -> String {
    let plan = &answered.plan;
    let figure = |own: &super::PlannedFigure| AnswerFigure {
        name: own.name.clone(),
        noise: own.noise.clone(),
        law: own.law.map(|law| match law.kind {
            "gaussian" => (NoiseKind::Gaussian, law.scale),
            _ => (NoiseKind::Laplace, law.scale),
        }),
        half_width_95: own.law.map(|law| law.half_width_95),
        untold: own.untold.clone(),
    };
    let number = |own: &super::Number| AnswerNumber {
        value: own.value,
        half_width_95: own.half_width_95,
        rank_error_95: own.rank_error_95,
    };
    let line = |own: &super::Line| AnswerLine {
        group: own.group.clone(),
        numbers: own.numbers.iter().map(number).collect(),
    };
    let belief = |own: &super::Belief| AnswerBelief {
        is_of_presence: own.about == "presence",
        before: own.before,
        at_most_after: own.at_most_after,
    };
    privet_report::answer_html(&AnswerFacts {
        software: software(),
        question: question.to_owned(),
        analyst: answered.analyst.clone(),
        group_by: plan.group_by.clone(),
        figures: plan.figures.iter().map(figure).collect(),
        lines: answered.lines.iter().map(line).collect(),
        remarks: plan.remarks.clone(),
        beliefs: plan.beliefs.iter().map(belief).collect(),
        epsilon: plan.cost.real_epsilon(),
        delta: plan.cost.real_delta(),
        cost: plan.cost.to_string(),
        replaced: plan.people.neighbours == "replace",
        max_records: plan.people.max_records.into(),
        per_person: plan.people.per_person.clone(),
        dropped: plan.people.dropped.clone(),
        account: budget(&plan.account, &plan.ledger, answered.budget.as_ref(), plan.remaining.as_ref()),
        entry: answered.entry,
        hash: answered.hash.clone(),
    })
}

/// The page of a ledger, for its owner.
#[must_use]
pub fn ledger_page(shown: &Shown) -> String {
    let accounts = shown.entries.iter().filter(|own| own.kind == "open").map(|opened| {
        let last = shown.entries.iter().rev().find(|own| own.account == opened.account);
        budget(&visible(&opened.account), &shown.ledger, Some(&opened.amount), last.map(|own| &own.remaining))
    });
    let line = |own: &LedgerEntry| LedgerLine {
        entry: own.entry,
        time: time_of(own.time),
        account: visible(&own.account),
        opened: own.kind == "open",
        analyst: visible(&own.analyst),
        epsilon: own.amount.real_epsilon(),
        delta: own.amount.real_delta(),
        amount: own.amount.to_string(),
        left: own.remaining.to_string(),
        question: own.question.clone(),
    };
    privet_report::ledger_html(&LedgerFacts {
        software: software(),
        ledger: shown.ledger.clone(),
        accounts: accounts.collect(),
        entries: shown.entries.iter().map(line).collect(),
        problem: shown.problem.clone(),
        signed: shown.signed,
    })
}

/// Seconds since 1970 as a date and a time of day.
#[must_use]
pub fn time_of(seconds: u64) -> String {
    let (day, rest) = (seconds / 86_400, seconds % 86_400);
    let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{} {hours:02}:{minutes:02}:{seconds:02}", date_of(i64::try_from(day).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_of_the_calendar() {
        assert_eq!(super::time_of(0), "1970-01-01 00:00:00");
        assert_eq!(super::time_of(951_868_799), "2000-02-29 23:59:59");
        assert!(!super::time_of(u64::MAX).is_empty());
    }
}
