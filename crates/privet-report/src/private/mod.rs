//! The pages of private answers: what was asked and answered, how far off it is and why, what it cost; and the account
//! of a ledger (`ledger.rs`). For whoever gets the answers, and for the lawyer who must judge them.
//!
//! Guarantee: the pages are made from noisy numbers, declarations and the ledger alone, so they cost nothing and tell
//! nothing more than those.

mod ledger;
mod pictures;

pub use ledger::{LedgerFacts, LedgerLine, ledger_html};

use crate::glossary::{self, WORDS};
use crate::page;
use crate::sections::{close_table, header, open_table, term};
use crate::text::{count, counted, escape, escape_lines, name, names, number, number_against};
use privet_criteria::Better;

/// An answer and what is to be said of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnswerFacts {
    /// The program and its version.
    pub software: String,
    /// The question.
    pub question: String,
    /// Who asked.
    pub analyst: String,
    /// The columns of `group by`.
    pub group_by: Vec<String>,
    /// What was asked for.
    pub figures: Vec<AnswerFigure>,
    /// The answers.
    pub lines: Vec<AnswerLine>,
    /// How it was answered, in sentences.
    pub remarks: Vec<String>,
    /// What the answer can make of beliefs about one person; none where there is no bound.
    pub beliefs: Vec<AnswerBelief>,
    /// Epsilon of this answer.
    pub epsilon: f64,
    /// Delta of this answer.
    pub delta: f64,
    /// What it cost, in words.
    pub cost: String,
    /// Whether the number of records counts as public.
    pub replaced: bool,
    /// The most records of one person that count.
    pub max_records: u64,
    /// The column that tells whose record it is.
    pub per_person: Option<String>,
    /// Columns whose undeclared values are in no group.
    pub dropped: Vec<String>,
    /// The account after this answer.
    pub account: Budget,
    /// The number of the ledger's entry.
    pub entry: u64,
    /// The hash of that entry.
    pub hash: String,
}

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerFigure {
    /// Its name.
    pub name: String,
    /// The law of its noise, in words.
    pub noise: String,
    /// The same as a kind and a scale in the figure's unit.
    pub law: Option<(NoiseKind, f64)>,
    /// How far off it is at most, with a probability of 95 %.
    pub half_width_95: Option<f64>,
    /// Why no error is told beside its answers, in words; for figures of which none is.
    pub untold: Option<String>,
}

/// What a belief of somebody who knows all other records can become.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerBelief {
    /// Whether it is that a person is in the table; otherwise it is about what her records say.
    pub is_of_presence: bool,
    /// How probable it is thought to be beforehand.
    pub before: f64,
    /// How probable it can be thought to be afterwards, at most.
    pub at_most_after: f64,
}

/// A well-known law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoiseKind {
    /// Two exponential tails.
    Laplace,
    /// The bell.
    Gaussian,
}

/// A line of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerLine {
    /// Its keys; none for a column that is summed over.
    pub group: Vec<Option<String>>,
    /// A number for each figure.
    pub numbers: Vec<AnswerNumber>,
}

/// A noisy number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerNumber {
    /// It.
    pub value: f64,
    /// How far off it is at most, with a probability of 95 %.
    pub half_width_95: Option<f64>,
    /// Quantiles: the same in ranks.
    pub rank_error_95: Option<f64>,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Budget {
    /// Its name.
    pub name: String,
    /// Where its ledger is.
    pub ledger: String,
    /// The total epsilon that was opened.
    pub total: f64,
    /// What is left of it.
    pub left: f64,
    /// The total delta that was opened; 0 where none was.
    pub total_delta: f64,
    /// What is left of that.
    pub left_delta: f64,
    /// What is left, in words.
    pub left_words: String,
}

/// More lines are not shown one by one.
const MOST_LINES: usize = 400;

const PRIVATE: &str =
    "from noisy numbers, what was declared, and the ledger. It holds no exact value of the data.";

/// Where it is linked from, what it is called, what is in it.
type Section = (&'static str, &'static str, fn(&AnswerFacts, &mut String));

/// The page of an answer.
#[must_use]
pub fn answer_html(facts: &AnswerFacts) -> String {
    let mut out = String::with_capacity(64 * 1024);
    let below = format!("Account {} · made by {}", name(&facts.account.name), escape(&facts.software));
    page::open(&mut out, &facts.software, "A private answer", &below);
    verdict(facts, &mut out);
    let title = match (0..facts.figures.len()).any(|place| tells_error(facts, place)) {
        true => "The answers, and how far off they may be",
        false => "The answers",
    };
    let sections: [Section; 6] = [
        ("question", "What was asked, and of whom", question),
        ("answers", title, answers),
        ("noise", "The noise", noise),
        ("budget", "The budget", budget),
        ("conclude", "What can be concluded, and what cannot", conclude),
        ("words", WORDS, |_, out| glossary::write_used(&glossary::PRIVATE, out)),
    ];
    page::contents(&mut out, sections.iter().map(|&(id, title, _)| (id, title)));
    for (id, title, body) in sections {
        page::open_section(&mut out, id, title);
        body(facts, &mut out);
        out.push_str("</section>\n");
    }
    page::close(&mut out, &facts.software, PRIVATE);
    out
}

/// A cost is rounded up: a page never promises more than what was charged for.
fn cost(value: f64) -> String {
    number_against(value, Better::Lower)
}

/// What is left of a budget is rounded down: a page never promises more than what there is.
fn left(value: f64) -> String {
    number_against(value, Better::Higher)
}

fn times(epsilon: f64) -> String {
    let times = epsilon.exp();
    if times < 1e6 { cost(times) } else { "more than a million".to_owned() }
}

/// Whether an error stands beside any answer to this figure.
fn tells_error(facts: &AnswerFacts, place: usize) -> bool {
    let of = |line: &AnswerLine| line.numbers.get(place).copied();
    facts.lines.iter().filter_map(of).any(|own| own.half_width_95.is_some() || own.rank_error_95.is_some())
}

fn verdict(facts: &AnswerFacts, out: &mut String) {
    let weak = facts.epsilon > 4.6;
    let (class, heading) = match (weak, facts.replaced) {
        (true, _) => ("open", "Answered with noise that protects little"),
        (false, true) => ("holds", "Answered with noise that hides what every single person’s records say"),
        (false, false) => ("holds", "Answered with noise that hides every single person"),
    };
    put!(
        out,
        "<section class=\"verdict {class}\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\">{heading}</h2>\n<ul class=\"lead\">\n\
         <li class=\"{class}\">Nobody’s records make any answer more than {} times as likely as it would be {}.</li>\n",
        times(facts.epsilon),
        if facts.replaced { "with other records in their place" } else { "without them" }
    );
    if facts.delta > 0.0 {
        put!(
            out,
            "<li class=\"{class}\">That may fail with a probability of {} at most.</li>\n",
            cost(facts.delta)
        );
    }
    let trust = match &facts.per_person {
        Some(_) => "holds",
        None => "open",
    };
    put!(out, "<li class=\"{trust}\">{}</li>\n</ul>\n<dl class=\"figures\">\n", limit(facts));
    term(out, "Epsilon of this answer", &cost(facts.epsilon));
    term(out, "Epsilon left", &left(facts.account.left));
    if facts.delta > 0.0 || facts.account.total_delta > 0.0 {
        term(out, "Delta of this answer", &cost(facts.delta));
        term(out, "Delta left", &left(facts.account.left_delta));
    }
    term(out, "Lines", &count(facts.lines.len() as u64));
    term(out, "Entry of the ledger", &count(facts.entry));
    out.push_str("</dl>\n</section>\n");
}

fn limit(facts: &AnswerFacts) -> String {
    let records = counted(facts.max_records, "record", "records");
    match &facts.per_person {
        Some(column) => {
            format!("Of each person, told by {}, the first {records} count at most.", name(column))
        }
        None => format!("It is taken on trust that nobody has more than {records}; the data was not asked."),
    }
}

fn question(facts: &AnswerFacts, out: &mut String) {
    put!(out, "<pre><code>{}</code></pre>\n", escape_lines(facts.question.trim()));
    put!(
        out,
        "<p>Asked by {} of the table of account {}. {}</p>\n",
        name(&facts.analyst),
        name(&facts.account.name),
        match facts.replaced {
            true => "The answer hides what the records of a person say; the number of records is public.",
            false =>
                "The answer hides whether a person is in the table, and what the records of the person say.",
        }
    );
    if !facts.dropped.is_empty() {
        put!(
            out,
            "<p>Groups are declared, not found. Records with other values of {} are in no group.</p>\n",
            names(facts.dropped.iter().map(String::as_str), 12)
        );
    }
    out.push_str(
        "<p class=\"aside\">The ledger keeps only a fingerprint of the question. This page shows the question itself, which may \
         name somebody: pass it on with care.</p>\n",
    );
}

fn answers(facts: &AnswerFacts, out: &mut String) {
    let shown = facts.lines.get(..MOST_LINES).unwrap_or(&facts.lines);
    for (place, figure) in facts.figures.iter().enumerate() {
        let of = |line: &AnswerLine| line.numbers.get(place).copied();
        let axis = pictures::Axis::new(shown.iter().filter_map(of));
        open_table(out, &format!("answers-{}", place + 1), "rates", &name(&figure.name));
        let heads: Vec<String> = facts.group_by.iter().map(|column| name(column)).collect();
        let mut head: Vec<&str> = heads.iter().map(String::as_str).collect();
        if head.is_empty() {
            head.push("Records");
        }
        let tells = tells_error(facts, place);
        head.push("#Answer");
        if tells {
            head.push("#±\u{a0}95\u{a0}%");
        }
        head.push("");
        header(out, &head);
        for line in shown {
            let Some(own) = of(line) else { continue };
            out.push_str("<tr>");
            if facts.group_by.is_empty() {
                out.push_str("<th scope=\"row\">all that the question is about</th>");
            }
            for (column, key) in line.group.iter().enumerate() {
                let label = key.as_ref().map_or("<em>all</em>".to_owned(), |key| name(key));
                match column {
                    0 => put!(out, "<th scope=\"row\">{label}</th>"),
                    _ => put!(out, "<td>{label}</td>"),
                }
            }
            let error = match (own.half_width_95, own.rank_error_95) {
                (Some(half), _) => number(half),
                (None, Some(ranks)) => format!("{}\u{a0}ranks", number(ranks)),
                (None, None) => "not told".to_owned(),
            };
            put!(out, "<td class=\"number\">{}</td>", number(own.value));
            if tells {
                put!(out, "<td class=\"number\">{error}</td>");
            }
            put!(out, "<td class=\"draw\">{}</td></tr>\n", axis.bar(&own));
        }
        close_table(out);
        if !tells {
            let why = figure.untold.as_deref().map_or(String::new(), |why| format!(": {}", escape(why)));
            put!(out, "<p>How far off these are is not told{why}.</p>\n");
        }
    }
    if facts.lines.len() > shown.len() {
        let more = (facts.lines.len() - shown.len()) as u64;
        put!(
            out,
            "<p class=\"aside\">{} not shown.</p>\n",
            counted(more, "further line is", "further lines are")
        );
    }
    out.push_str(
        "<ul class=\"legend\"><li><span class=\"key solid\" aria-hidden=\"true\"></span>answer, with its noise</li>",
    );
    // Whiskers are drawn in the figure's own unit only, not in ranks.
    if shown.iter().flat_map(|line| &line.numbers).any(|own| own.half_width_95.is_some()) {
        out.push_str(
            "<li><span class=\"key whiskers\" aria-hidden=\"true\"></span>the true number is within, in at least 95 of 100 \
             answers</li>",
        );
    }
    out.push_str("</ul>\n");
}

fn noise(facts: &AnswerFacts, out: &mut String) {
    let mut drawn: Vec<(NoiseKind, f64)> = Vec::new();
    out.push_str("<div class=\"pair\">\n");
    for (place, figure) in facts.figures.iter().enumerate() {
        put!(out, "<div>\n<h3>{}</h3>\n<p>{}.</p>\n", name(&figure.name), escape(&figure.noise));
        if let Some(law) = figure.law
            && !drawn.contains(&law)
        {
            pictures::law(out, &format!("law-{}", place + 1), law, figure.half_width_95);
            drawn.push(law);
        }
        out.push_str("</div>\n");
    }
    out.push_str("</div>\n");
    if !facts.remarks.is_empty() {
        out.push_str("<ul>\n");
        for remark in &facts.remarks {
            put!(out, "<li>{}</li>\n", escape(remark));
        }
        out.push_str("</ul>\n");
    }
    out.push_str(
        "<p>The law of the noise is no secret, and was decided before the data was looked at. Asking again gives other noise, \
         and costs again.</p>\n",
    );
}

fn budget(facts: &AnswerFacts, out: &mut String) {
    let account = &facts.account;
    let drawing = pictures::budget("budget-bar", account, Some((facts.epsilon, facts.delta)));
    put!(
        out,
        "<figure>\n{drawing}\n<figcaption><ul class=\"legend\"><li><span class=\"key hatched\" aria-hidden=\"true\"></span>spent \
         before</li><li><span class=\"key solid\" aria-hidden=\"true\"></span>this answer: {}</li><li><span class=\"key\" \
         aria-hidden=\"true\"></span>left: {}</li></ul></figcaption>\n</figure>\n",
        escape(&facts.cost),
        escape(&account.left_words)
    );
    put!(
        out,
        "<p>Charged before the answer was drawn, as entry {} of {}. Its hash, which covers all entries before it:</p>\n<pre>\
         <code>{}</code></pre>\n",
        count(facts.entry),
        name(file_name(&account.ledger)),
        escape(&facts.hash)
    );
}

/// What beliefs can become, in sentences.
fn beliefs(beliefs: &[AnswerBelief]) -> String {
    let percent = |share: f64| format!("{}\u{a0}%", cost(share * 100.0));
    let mut said = String::new();
    for is_of_presence in [true, false] {
        let own: Vec<&AnswerBelief> =
            beliefs.iter().filter(|own| own.is_of_presence == is_of_presence).collect();
        if own.is_empty() {
            continue;
        }
        let what =
            if is_of_presence { "that a person is in the table" } else { "of something about her records" };
        let sure: Vec<String> = own
            .iter()
            .map(|own| format!("{} becomes {}", percent(own.before), percent(own.at_most_after)))
            .collect();
        put!(said, " How sure anybody can be {what}: {} at most.", sure.join(", "));
    }
    said
}

/// What a ledger is called, without where it lies: that is the keeper's business. A database is told whole.
fn file_name(place: &str) -> &str {
    match place.contains("://") {
        true => place,
        false => place.rsplit(['/', '\\']).next().unwrap_or(place),
    }
}

fn conclude(facts: &AnswerFacts, out: &mut String) {
    let (one, two) = (times(facts.epsilon), times(2.0 * facts.epsilon));
    let odds = match facts.replaced {
        true => format!(
            "the odds of anything about what a person’s records say change by a factor of {one} at most"
        ),
        false => format!(
            "the odds that a person is in the table change by a factor of {one} at most, and those of anything about what her \
             records say by {two}"
        ),
    };
    let delta = if facts.delta > 0.0 { ", but for the probability stated above" } else { "" };
    let tells = (0..facts.figures.len()).any(|place| tells_error(facts, place));
    out.push_str("<h3>Can</h3>\n<ul>\n");
    if tells {
        out.push_str(
            "<li>What is true of many: differences between groups that are larger than their errors.</li>\n",
        );
    }
    put!(
        out,
        "<li>A limit to what this answer adds, also for somebody who knows all other records: {odds}{delta}.{}</li>\n</ul>\n\
         <h3>Cannot</h3>\n<ul>\n",
        beliefs(&facts.beliefs)
    );
    out.push_str(match facts.replaced {
        true => {
            "<li>What a given person’s record says.</li>\n<li>That it is hidden who is in the table: only what records say is \
             protected here, and how many there are counts as public.</li>\n"
        }
        false => "<li>Whether a given person is counted, or what her record says.</li>\n",
    });
    out.push_str(match tells {
        true => {
            "<li>Small numbers: an answer that is smaller than its error says little, and a negative count is a small one \
             with noise.</li>\n"
        }
        false => "<li>How near to the truth the answers are: that is not told.</li>\n",
    });
    out.push_str(
        "<li>That nothing is learned about a person at all: what holds for everybody like her holds for her, with or without \
         her record.</li>\n",
    );
    out.push_str("<li>That other answers, releases or tables about the same people add nothing: ");
    out.push_str("costs add up, and this page knows of one account only.</li>\n");
    if facts.per_person.is_none() {
        out.push_str(
            "<li>That a person with more records than assumed is hidden as well: with twice the records, the factor counts \
             twice.</li>\n",
        );
    }
    out.push_str("</ul>\n");
}

#[cfg(test)]
mod tests;
