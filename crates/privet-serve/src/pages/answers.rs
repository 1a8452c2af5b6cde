//! Private answers: the budget, a question with what it would cost and how far off it would be, and what was asked before.
//!
//! The ledger is one of a project that is kept: a budget that is gone when the program ends would be a new one every time.

use axum::response::Response;
use maud::{Markup, html};
use privet_data::Silent;
use privet_query::{
    Answered, Flags, LedgerFlags, Planned, QueryOptions, open_account, plan_query, query, show_ledger,
};

use super::{Context, alert, changed};
use crate::routes::Posted;
use crate::tasks::Failure;

const LEDGER: &str = "ledger.db";
const ANSWER: &str = "answer.json";
/// Questions by the number of their entry; the ledger holds their hashes only.
const ASKED: &str = "asked.json";
const LONGEST: usize = 4096;

fn ledger(cx: &Context) -> LedgerFlags {
    let path = cx.project.folder().join(LEDGER);
    LedgerFlags { ledger: Some(path.display().to_string()), ..LedgerFlags::default() }
}

/// What a form declares of a question.
fn options(cx: &Context, form: &Posted) -> Result<QueryOptions, String> {
    // The job declares columns; a ledger of its own would be another budget.
    if cx.project.job_table()?.get("query").is_some_and(|own| own.get("ledger").is_some()) {
        return Err("`query.ledger` is not used on this page, which has a ledger of its own; take it out of the job file".to_owned());
    }
    let question = form.get("question");
    if question.is_empty() || question.len() > LONGEST {
        return Err("type a question in SQL, such as: select sex, count(*) from data group by sex".to_owned());
    }
    let lines = |name: &str| -> Vec<String> {
        form.raw(name).lines().map(str::trim).filter(|own| !own.is_empty()).map(str::to_owned).collect()
    };
    let flags = Flags {
        epsilon: Some(form.get("epsilon").to_owned()).filter(|own| !own.is_empty()),
        bounds: lines("bounds"),
        keys: lines("keys"),
        ..Flags::default()
    };
    Ok(QueryOptions {
        data: cx.project.data(),
        question: question.to_owned(),
        job: Some(cx.project.job_path()),
        flags,
        ledger: ledger(cx),
        analyst: Some("page".to_owned()),
        since: None,
        frame: None,
    })
}

pub(crate) async fn show(cx: Context) -> Response {
    cx.show("answers", "Private answers", |cx| Ok(page(cx, None))).await
}

/// What was planned for a form, or what stands in its way.
struct Plan {
    form: [String; 4],
    outcome: Result<Planned, String>,
}

fn page(cx: &Context, plan: Option<Plan>) -> Markup {
    let answer: Option<serde_json::Value> = cx.project.json(ANSWER);
    if !cx.app.desk.is_kept() {
        return html! {
            h1 { "Private answers" }
            p { "Answers with noise, charged to a budget. The budget must outlive this program, so start it with " code { "--keep FOLDER" } " to ask questions." }
        };
    }
    let has_account = cx.project.folder().join(LEDGER).exists();
    let asked: Vec<(u64, String)> = cx.project.json(ASKED).unwrap_or_default();
    let shown = has_account.then(|| show_ledger(None, &ledger(cx), &Silent));
    let usual = ["", "0.1", "", ""].map(str::to_owned);
    let [question, epsilon, bounds, keys] = plan.as_ref().map_or(&usual, |own| &own.form);
    html! {
        h1 { "Private answers" }
        @if !has_account {
            form method="post" {
                (cx.secret()) input type="hidden" name="do" value="open";
                label { "The whole budget, ε " input type="text" inputmode="decimal" name="epsilon" value="1" size="6"; }
                button type="submit" { "Open the account" }
                p class="hint" { "With a budget of ε, no answers together are more than e^ε times as likely with a person's record as without it. It cannot be made larger later." }
            }
        } @else {
            form method="post" {
                (cx.secret())
                label { "Question, in SQL " textarea name="question" rows="3" class="code" spellcheck="false" placeholder="select sex, avg(cost) from data group by sex" { (question) } }
                label { "ε of this question " input type="text" inputmode="decimal" name="epsilon" size="6" value=(epsilon); }
                label { "Bounds of numbers, one on a line, such as cost=0..5000 " textarea name="bounds" rows="2" class="code" { (bounds) } }
                label { "Values to group by, one column on a line, such as sex=f,m " textarea name="keys" rows="2" class="code" { (keys) } }
                button type="submit" name="do" value="plan" { "What would it cost?" }
                " " button type="submit" name="do" value="ask" { "Ask" }
            }
            @match plan.map(|own| own.outcome) {
                None => {},
                Some(Err(problem)) => (alert(&problem)),
                Some(Ok(plan)) => (planned(&plan)),
            }
            @if let Some(answer) = &answer { (answered(answer)) }
            h2 { "History" }
            @match shown {
                Some(Ok(shown)) => {
                    @if let Some(problem) = &shown.problem { (alert(problem)) }
                    div class="scroll" tabindex="0" role="region" aria-label="Entries of the ledger" { table {
                        thead { tr { th scope="col" { "Entry" } th scope="col" { "What" } th scope="col" { "ε" } th scope="col" { "ε left" } } }
                        tbody { @for own in &shown.entries { tr {
                            td { (own.entry) }
                            td { @match asked.iter().find(|known| known.0 == own.entry) { Some(known) => (known.1), None => (own.kind) } }
                            td { (own.amount.words()[0]) } td { (own.remaining.words()[0]) }
                        } } }
                    } }
                },
                Some(Err(error)) => (alert(&error.to_string())),
                None => {},
            }
        }
    }
}

fn planned(plan: &Planned) -> Markup {
    html! {
        section class="plan" aria-label="What it would cost" {
            h2 { "It would cost ε = " (plan.cost.words()[0]) }
            @if let Some(left) = &plan.remaining { p class=(if plan.suffices { "good" } else { "problem" }) { "ε = " (left.words()[0]) " is left" @if !plan.suffices { ", which does not suffice" } "." } }
            table {
                thead { tr { th scope="col" { "Figure" } th scope="col" { "Off by at most, in 95 of 100 cases" } th scope="col" { "Noise" } } }
                tbody { @for own in &plan.figures { tr {
                    th scope="row" { (own.name) }
                    td { @match (own.half_width_95, own.half_width_95_times_records, own.rank_error_95) {
                        (Some(half), _, _) => (format!("{half:.3}")),
                        (_, Some(times), _) => { (format!("{times:.1}")) " divided by the number of records" },
                        (_, _, Some(rank)) => { (format!("{rank:.0}")) " ranks" },
                        _ => "not told",
                    } }
                    td { (own.noise) }
                } } }
            }
            @for remark in &plan.remarks { p class="hint" { (remark) } }
            p { "Nothing was charged." }
        }
    }
}

/// The group of a line, in words.
fn group_of(line: &serde_json::Value) -> String {
    let names = line["group"].as_array().into_iter().flatten().map(|own| own.as_str().unwrap_or("all"));
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "all".to_owned() } else { names.join(", ") }
}

fn answered(answer: &serde_json::Value) -> Markup {
    let names: Vec<&str> =
        answer["figures"].as_array().into_iter().flatten().filter_map(|own| own["name"].as_str()).collect();
    html! {
        section aria-label="The last answer" {
            h2 { "The last answer" }
            table {
                thead { tr { th scope="col" { "Group" } @for name in &names { th scope="col" { (name) } } } }
                tbody { @for line in answer["lines"].as_array().into_iter().flatten() { tr {
                    th scope="row" { (group_of(line)) }
                    @for own in line["numbers"].as_array().into_iter().flatten() {
                        td { (own["value"].as_f64().map_or_else(|| "–".to_owned(), |own| format!("{own:.2}")))
                            @if let Some(half) = own["half_width_95"].as_f64() { " ± " (format!("{half:.2}")) } }
                    }
                } } }
            }
        }
    }
}

pub(crate) async fn change(cx: Context, form: Posted) -> Response {
    if !cx.app.desk.is_kept() {
        return changed(
            &cx,
            "answers",
            Err("Private answers need a folder that is kept; start with --keep.".to_owned()),
        );
    }
    match form.get("do") {
        "open" => {
            let outcome = cx
                .blocking(move |cx| {
                    let epsilon = form.get("epsilon");
                    let flags = Flags::default();
                    open_account(Some(&cx.project.data()), &ledger(cx), &flags, epsilon, None, &Silent)
                        .map(|_| ())
                        .map_err(|error| crate::project::plain(&error.to_string(), cx.project.folder()))
                })
                .await;
            changed(&cx, "answers", outcome)
        }
        "ask" => {
            let own = cx.clone();
            let begun = cx
                .blocking(move |cx| {
                    let options = options(cx, &form)?;
                    let project = std::sync::Arc::clone(&own.project);
                    own.app.tasks.begin(&own.id, "Asking", move |task| {
                        let answered: Answered = query(&options, task).map_err(|error| {
                            let message = crate::project::plain(&error.to_string(), project.folder());
                            Failure::of(error.outcome(), message)
                        })?;
                        project.save_json(ANSWER, &answered).map_err(Failure::failed)?;
                        let mut asked: Vec<(u64, String)> = project.json(ASKED).unwrap_or_default();
                        asked.push((answered.entry, options.question));
                        project.save_json(ASKED, &asked).map_err(Failure::failed)?;
                        Ok("The question was charged and answered.".to_owned())
                    })
                })
                .await;
            changed(&cx, "answers", begun.map(|_| ()))
        }
        _ => {
            let fields = ["question", "epsilon", "bounds", "keys"].map(|name| form.raw(name).to_owned());
            cx.show("answers", "Private answers", move |cx| {
                let outcome = options(cx, &form).and_then(|options| {
                    let planned = plan_query(&options, &Silent)
                        .map_err(|error| crate::project::plain(&error.to_string(), cx.project.folder()))?;
                    Ok(planned.0)
                });
                Ok(page(cx, Some(Plan { form: fields, outcome })))
            })
            .await
        }
    }
}
