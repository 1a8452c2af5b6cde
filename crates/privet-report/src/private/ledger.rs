//! The page of a ledger: what was spent of its accounts, what that promises, who asked, and the entries.
//!
//! Guarantee: what was spent is rounded up, and delta is told wherever some was opened or spent.

use super::{Budget, MOST_LINES, cost, file_name, pictures, times};
use crate::glossary::{self, WORDS};
use crate::page;
use crate::sections::{close_table, header, open_table};
use crate::text::{count, counted, escape, name, number};

/// A ledger.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LedgerFacts {
    /// The program and its version.
    pub software: String,
    /// Where it is.
    pub ledger: String,
    /// The accounts.
    pub accounts: Vec<Budget>,
    /// The entries in their order.
    pub entries: Vec<LedgerLine>,
    /// What is wrong with it; none where every hash and every sum holds.
    pub problem: Option<String>,
    /// Whether its entries are signed.
    pub signed: bool,
}

/// An entry of a ledger.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LedgerLine {
    /// Its number.
    pub entry: u64,
    /// When, in words.
    pub time: String,
    /// The account.
    pub account: String,
    /// Whether it opened the account.
    pub opened: bool,
    /// Who asked.
    pub analyst: String,
    /// Epsilon that was charged or opened.
    pub epsilon: f64,
    /// Delta that was charged or opened.
    pub delta: f64,
    /// The amount, in words.
    pub amount: String,
    /// What it left, in words.
    pub left: String,
    /// The SHA-256 of the question and of what was declared for it.
    pub question: String,
}

/// The page of a ledger.
#[must_use]
pub fn ledger_html(facts: &LedgerFacts) -> String {
    let mut out = String::with_capacity(32 * 1024);
    let below = format!("{} · made by {}", name(file_name(&facts.ledger)), escape(&facts.software));
    page::open(&mut out, &facts.software, "A ledger of private answers", &below);
    page::open_section(&mut out, "accounts", "Accounts");
    match &facts.problem {
        Some(problem) => put!(
            out,
            "<p><strong>The ledger was changed: {}.</strong> What was spent and what is left is not known, and is not told here; the \
             entries below are what stands in it.</p>\n</section>\n",
            escape(problem)
        ),
        None => {
            for (place, account) in facts.accounts.iter().enumerate() {
                account_of(facts, place, account, &mut out);
            }
            out.push_str(match facts.signed {
                true => "<p>The totals were decided when the accounts were opened and cannot be raised.</p>\n</section>\n",
                false => {
                    "<p>The totals were decided when the accounts were opened. The entries are not signed: whoever can write the \
                     ledger can change them, totals as well.</p>\n</section>\n"
                }
            });
        }
    }
    page::open_section(&mut out, "entries", "Entries");
    open_table(&mut out, "entries-table", "rates", "In their order");
    header(
        &mut out,
        &["#Entry", "Time (UTC)", "Account", "What", "Amount", "Left", "Analyst", "Question (SHA-256)"],
    );
    let hidden = facts.entries.len().saturating_sub(MOST_LINES);
    for line in facts.entries.iter().skip(hidden) {
        put!(
            out,
            "<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            count(line.entry),
            escape(&line.time),
            name(&line.account),
            if line.opened { "opened" } else { "charged" },
            escape(&line.amount),
            escape(&line.left),
            if line.analyst.is_empty() { "–".to_owned() } else { name(&line.analyst) },
            escape(&line.question.chars().take(12).collect::<String>())
        );
    }
    close_table(&mut out);
    if hidden > 0 {
        put!(
            out,
            "<p class=\"aside\">{} not shown.</p>\n",
            counted(hidden as u64, "earlier entry is", "earlier entries are")
        );
    }
    if facts.problem.is_none() {
        out.push_str(
            "<p>When this page was made, every hash and every sum held. That nothing was cut off the end is seen by <code>privet ledger \
             verify --since</code> and an entry that was kept elsewhere.</p>\n",
        );
    }
    out.push_str("</section>\n");
    page::open_section(&mut out, "words", WORDS);
    glossary::write_used(&glossary::PRIVATE, &mut out);
    out.push_str("</section>\n");
    page::close(
        &mut out,
        &facts.software,
        "from the entries of the ledger. It holds no question and no answer.",
    );
    out
}

/// An account: what was spent of it, what that promises, and who asked. Delta is told wherever some was opened.
fn account_of(facts: &LedgerFacts, place: usize, account: &Budget, out: &mut String) {
    let charges = || facts.entries.iter().filter(|own| !own.opened && own.account == account.name);
    // Charges add up without the rounding of a difference.
    let epsilon: f64 = charges().map(|own| own.epsilon).sum();
    let delta: f64 = charges().map(|own| own.delta).sum();
    let has_delta = account.total_delta > 0.0 || delta > 0.0;
    let drawing = pictures::budget(&format!("account-{}", place + 1), account, None);
    let spent = match has_delta {
        true => format!(
            "epsilon {} of {}, delta {} of {}",
            cost(epsilon),
            number(account.total),
            cost(delta),
            number(account.total_delta)
        ),
        false => format!("epsilon {} of {}", cost(epsilon), number(account.total)),
    };
    put!(
        out,
        "<h3>{}</h3>\n<figure>\n{drawing}\n<figcaption><ul class=\"legend\"><li><span class=\"key hatched\" \
         aria-hidden=\"true\"></span>spent: {spent}</li><li><span class=\"key\" aria-hidden=\"true\"></span>left: \
         {}</li></ul></figcaption>\n</figure>\n",
        name(&account.name),
        escape(&account.left_words)
    );
    let failing = match delta > 0.0 {
        true => {
            format!(", but with a probability of at most {}, the delta that was spent", cost(delta))
        }
        false => String::new(),
    };
    match charges().next() {
        None => out.push_str("<p>Nothing was answered yet.</p>\n"),
        Some(_) => put!(
            out,
            "<p>All answers of this account together make nothing more than {} times as likely through anybody’s records: \
                 e^epsilon, with the epsilon that was spent{failing}.</p>\n",
            times(epsilon)
        ),
    }
    let mut askers: Vec<(&str, f64, f64, u64)> = Vec::new();
    for line in charges() {
        match askers.iter_mut().find(|own| own.0 == line.analyst) {
            Some(own) => {
                (own.1, own.2, own.3) = (own.1 + line.epsilon, own.2 + line.delta, own.3 + 1);
            }
            None => askers.push((&line.analyst, line.epsilon, line.delta, 1)),
        }
    }
    if askers.is_empty() {
        return;
    }
    open_table(out, &format!("askers-{}", place + 1), "sizes", "Who asked");
    let head = ["Analyst", "#Answers", "#Epsilon", "#Delta"];
    header(out, if has_delta { &head } else { &head[..3] }); // why: there are four
    for (asker, epsilon, delta, answers) in askers {
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>",
            name(asker),
            count(answers),
            cost(epsilon)
        );
        if has_delta {
            put!(out, "<td class=\"number\">{}</td>", cost(delta));
        }
        out.push_str("</tr>\n");
    }
    close_table(out);
}
