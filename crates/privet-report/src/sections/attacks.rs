//! The attacks that were made: what the adversary was given, what counts as success, who falls, how often the adversary
//! is right, and what statistics alone would tell.
//!
//! The owner's page shows the same with the same words.

use std::collections::BTreeSet;

use privet_attack::adversary::{INSENSITIVE, SENSITIVE};
use privet_attack::ids;
use privet_attack::{ATTACKS, AttackWord, Finding, Rate, Topic, Unit};
use privet_release::Manifest;

use crate::draw::bins::{self, Bar};
use crate::draw::rate::{self, Fill, known};
use crate::glossary;
use crate::svg::round_up;
use crate::text::{self, count, escape, interval, name, names, number, plain_name, sentence, share};
use crate::{Facts, NotMade};

use super::{close_table, header, open_table};

/// Who reads of attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Anybody: what only the original tells is not told.
    Anybody,
    /// The owner: what is not told is not known.
    Owner,
}

/// Attacks told one by one; the table tells of all.
const MOST_TOLD: usize = 40;
/// Rows of the table.
const MOST_ROWS: usize = 200;
/// Notes of an attack.
const MOST_NOTES: usize = 12;

pub(crate) fn write(manifest: &Manifest, facts: &Facts, out: &mut String) {
    if facts.attacks.is_empty() {
        out.push_str(
            "<p>No attack was asked for. To have the release attacked before it is published, say in the job file what an \
             adversary may know:</p>\n<pre><code>[adversary]</code></pre>\n",
        );
        return;
    }
    findings(&facts.attacks, Reader::Anybody, out);
    let not_tried: Vec<String> =
        not_tried(manifest, &facts.attacks).map(|attack| titled(attack.word)).collect();
    if !not_tried.is_empty() {
        put!(
            out,
            "<h3>Not tried</h3>\n<p>These attacks were not made before it was published, and nothing is known of what they \
             would find: {}.</p>\n",
            not_tried.join(", ")
        );
    }
}

/// The attacks on a release of records that were not made. What is asked of insensitive columns is none where there is no such column,
/// what is asked of one of several sensitive ones where there are not two, and neither of buckets, in which whose record it is is no secret.
pub fn not_tried<'a>(
    manifest: &'a Manifest,
    made: &'a [Finding],
) -> impl Iterator<Item = &'static AttackWord> + 'a {
    let has_records = !manifest.kind.shows_identities();
    let has_insensitive = has_records && insensitive(manifest).next().is_some();
    let has_several =
        has_records && manifest.data.columns.iter().filter(|own| own.role == "sensitive").count() > 1;
    ATTACKS
        .iter()
        .filter(move |attack| attack.word != INSENSITIVE || has_insensitive)
        .filter(move |attack| attack.word != SENSITIVE || has_several)
        .filter(|attack| made.iter().all(|own| own.attack != attack.word))
}

/// The columns that a release calls insensitive.
pub(crate) fn insensitive(manifest: &Manifest) -> impl Iterator<Item = &str> {
    let columns = manifest.data.columns.iter().filter(|own| own.role == "insensitive");
    columns.map(|own| own.name.as_str())
}

/// What hangs on nobody knowing one of several sensitive columns, the one that tells most, as a sentence of markup without its full
/// stop.
pub(crate) fn among(made: &[Finding]) -> Option<String> {
    let found = made.iter().filter(|own| own.attack == SENSITIVE && own.exposed.hits > 0);
    let worst =
        found.reduce(|worst, next| if next.exposed.rate > worst.exposed.rate { next } else { worst })?;
    Some(format!(
        "If somebody knows {} of a person, {} of the people stand alone, and their other sensitive values are told",
        name(worst.column.as_deref()?),
        share(worst.exposed.rate)
    ))
}

/// What hangs on nobody knowing the insensitive columns, as a sentence of markup without its full stop.
pub(crate) fn beside(manifest: &Manifest, made: &[Finding]) -> Option<String> {
    let columns: Vec<&str> = insensitive(manifest).collect();
    if columns.is_empty() || manifest.kind.shows_identities() {
        return None;
    }
    let shown = names(columns.iter().copied(), 12);
    Some(match made.iter().find(|own| own.attack == INSENSITIVE) {
        Some(own) if own.exposed.hits == 0 => {
            format!("Nobody stands alone even if somebody knows {shown} too")
        }
        Some(own) => format!(
            "If somebody knows {shown} too, {} of the people stand alone, and their records are found",
            share(own.exposed.rate)
        ),
        None => format!("How many people stand alone if somebody knows {shown} too was not tried"),
    })
}

/// What an attack is called, with the column that it is about, as markup.
pub(crate) fn title(finding: &Finding) -> String {
    let mut out = titled(finding.attack);
    if let Some(column) = &finding.column {
        put!(out, " on {}", name(column));
    }
    out
}

/// What an attack that was not made is called, with the column that it was not made on, as markup.
pub(crate) fn title_of_not_made(own: &NotMade) -> String {
    match &own.column {
        Some(column) => format!("{} on {}", titled(&own.attack), name(column)),
        None => titled(&own.attack),
    }
}

/// What an attack is called by its word, as markup.
pub(crate) fn titled(word: &str) -> String {
    match glossary::attack(word) {
        Some(explained) => explained.title.to_owned(),
        None => {
            let spaced = word.replace('-', " ");
            let mut letters = spaced.chars();
            let capital: String =
                letters.next().map_or(String::new(), |c| c.to_uppercase().chain(letters).collect());
            plain_name(&capital)
        }
    }
}

/// The attack that exposes most people, of those that count as a risk. One whose risk is not known counts as the worst of
/// all.
pub(crate) fn worst(findings: &[Finding]) -> Option<&Finding> {
    let badness = |finding: &Finding| if finding.risk.is_nan() { f64::INFINITY } else { finding.risk };
    let counted = findings.iter().filter(|finding| finding.not_counted.is_none());
    counted.reduce(|worst, next| if badness(next) > badness(worst) { next } else { worst })
}

/// The share of people from which on an attack is told of beside the promises.
const MANY: f64 = 0.05;

/// What the worst attack leaves open, where it finds many, as a sentence of markup without its full stop.
pub(crate) fn warning(findings: &[Finding]) -> Option<String> {
    let worst = worst(findings)?;
    let who = whose(worst.unit);
    let by = format!("by “{}”", titled(worst.attack));
    if worst.risk.is_nan() {
        return Some(format!("How many {who} fall, {by}, is not known without the original"));
    }
    (worst.risk > MANY).then(|| match &worst.column {
        Some(column) => format!(
            "For {} of the {who} an adversary can still be sure {} the value of {}, {by}",
            share(worst.risk),
            // Values that mean nearly the same are not one value.
            if worst.attack == ids::SIMILARITY { "of about what is" } else { "of" },
            name(column)
        ),
        None => format!("{} of the {who} still fall to an attack, {by}", share(worst.risk)),
    })
}

/// How many attacks were made on no column, as the terminal counts them: each once, whatever columns it could not be made on.
pub(crate) fn not_made_at_all(made: &[Finding], not_made: &[NotMade]) -> usize {
    let words: BTreeSet<&str> = not_made.iter().map(|own| own.attack.as_str()).collect();
    words.iter().filter(|word| made.iter().all(|own| own.attack != **word)).count()
}

/// The worst attack as a figure of a verdict: its share, whose it is, which it is, and how many attacks were not made.
pub(crate) fn figure_of_worst(findings: &[Finding], not_made: usize, out: &mut String) {
    if let Some(worst) = worst(findings) {
        let not_made = match not_made {
            0 => String::new(),
            many => format!("; {} not made", text::counted(many as u64, "attack was", "attacks were")),
        };
        let shown = format!(
            "{}<small>of {}: <a href=\"#attacks\">{}</a>{not_made}</small>",
            if worst.risk.is_nan() { "not told".to_owned() } else { share(worst.risk) },
            whose(worst.unit),
            titled(worst.attack)
        );
        super::term(out, "Worst attack", &shown);
    }
}

/// Whose share a rate is.
fn whose(unit: Unit) -> &'static str {
    match unit {
        Unit::Records => "records",
        Unit::Predicates => "predicates",
        Unit::People | Unit::Cells => "people",
    }
}

/// Where the axis of all rates ends: what can be told apart on it depends on it, so it fits the largest.
fn end(all: &[Finding]) -> f64 {
    let of = |rate: &Rate| known(rate).map_or(rate.rate, |(_, high)| high.max(rate.rate));
    let rates = all
        .iter()
        .flat_map(|finding| [of(&finding.exposed), finding.risk, finding.control.as_ref().map_or(0.0, of)]);
    let greatest = rates.filter(|rate| rate.is_finite()).fold(0.0, f64::max);
    round_up(greatest.clamp(0.01, 1.0)).min(1.0)
}

/// The axis over a column of bars, as markup.
pub(crate) fn scale(end: f64) -> String {
    format!("<span class=\"scale\"><span>0</span><span>{}\u{a0}%</span></span>", number(end * 100.0))
}

/// All attacks: an introduction, a table of all, and each by itself.
pub(crate) fn findings(all: &[Finding], reader: Reader, out: &mut String) {
    let scored = all.iter().any(|finding| finding.right.is_some() || finding.control.is_some());
    let (truth, exposed) = match (scored, reader) {
        (true, _) => (
            "Whether the adversary was right was judged afterwards, by the original or by what the release itself proves.",
            "exposed, the adversary is right",
        ),
        (false, Reader::Owner) => (
            "Whether the adversary was right is not known: the original was not given, or no attack is scored by it.",
            "exposed",
        ),
        (false, Reader::Anybody) => (
            "Whether the adversary was right is not told here: it would say more than the release does.",
            "exposed",
        ),
    };
    put!(
        out,
        "<p>These attacks were made on the finished release. Each takes only the release and what its adversary is \
         assumed to know. {truth} Somebody who knows more than is assumed here may learn more.</p>\n\
         <ul class=\"legend\"><li><span class=\"key solid\" aria-hidden=\"true\"></span>{exposed}</li><li><span \
         class=\"key hatched\" aria-hidden=\"true\"></span>exposed, but no risk: the adversary is wrong, or \
         the attack only informs</li><li>\
         <span class=\"key empty\" aria-hidden=\"true\"></span>what statistics alone would tell</li><li><span \
         class=\"key whiskers\" aria-hidden=\"true\"></span>95\u{a0}% interval</li></ul>\n",
    );
    let end = end(all);
    if all.len() > 1 {
        overview(all, reader, end, out);
    }
    for (i, finding) in all.iter().take(MOST_TOLD).enumerate() {
        one(i, finding, reader, end, out);
    }
    if all.len() > MOST_TOLD {
        put!(
            out,
            "<p class=\"aside\">{} more stand in the table only.</p>\n",
            count((all.len() - MOST_TOLD) as u64)
        );
    }
}

/// The worst first.
fn overview(all: &[Finding], reader: Reader, end: f64, out: &mut String) {
    let mut order: Vec<&Finding> = all.iter().collect();
    // Stable, so that equal ones keep their order; what is not known comes first.
    // What only informs is no risk, and comes last.
    let badness = |finding: &Finding| match finding.not_counted {
        Some(_) => -1.0,
        None if finding.risk.is_nan() => f64::INFINITY,
        None => finding.risk,
    };
    order.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
    let who = if all.iter().all(|own| own.unit == Unit::Records) { "records that" } else { "people who" };
    let caption = format!("Share of {who} fall to each attack, the worst first");
    open_table(out, "attacks-table", "rates", &caption);
    // Where it is not told whether the adversary is right, all who are exposed count, and are not called more than that.
    let is_told = |finding: &Finding| finding.right.is_some();
    let counts = |finding: &Finding| finding.not_counted.is_none() && finding.exposed.hits > 0;
    let scored = all.iter().any(is_told);
    header(out, &["Attack", if scored { "#Exposed and rightly so" } else { "#Exposed" }, &scale(end)]);
    for finding in order.iter().take(MOST_ROWS) {
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}{}</td><td class=\"draw\">{}</td></tr>\n",
            title(finding),
            if finding.not_counted.is_some() { "only informs".to_owned() } else { share(finding.risk) },
            match (scored && counts(finding) && !is_told(finding), reader) {
                (true, Reader::Anybody) => "<small>all exposed: whether rightly is not told</small>",
                (true, Reader::Owner) => "<small>all exposed: whether rightly is not known</small>",
                (false, _) => "",
            },
            match finding.unit {
                // The share of hidden counts is no share of people.
                Unit::Cells => rate::bar(&[(finding.risk, Fill::Solid)], None, end),
                Unit::People | Unit::Records | Unit::Predicates => exposed_bar(finding, end),
            }
        );
    }
    close_table(out);
    if all.len() > MOST_ROWS {
        put!(out, "<p class=\"aside\">and {} more</p>\n", count((all.len() - MOST_ROWS) as u64));
    }
}

/// Those exposed, those of them rightly so solid.
fn exposed_bar(finding: &Finding, end: f64) -> String {
    let parts = [(finding.exposed.rate, Fill::Hatched), (finding.risk, Fill::Solid)];
    rate::bar(&parts, known(&finding.exposed), end)
}

fn one(i: usize, finding: &Finding, reader: Reader, end: f64, out: &mut String) {
    put!(
        out,
        "<article class=\"attack\" aria-labelledby=\"attack-{i}\">\n<h3 id=\"attack-{i}\">{}</h3>\n",
        title(finding)
    );
    if let Some(explained) = glossary::attack(finding.attack) {
        put!(out, "<p>{}</p>\n", explained.meaning);
    }
    put!(
        out,
        "<dl class=\"terms\">\n<div><dt>The adversary knows</dt><dd>{}</dd></div>\n<div><dt>Counts as success</dt><dd>{}\
         </dd></div>\n</dl>\n",
        sentence(&finding.assumed),
        sentence(&finding.success)
    );
    // Where nothing is hidden, nothing is counted; a note says so.
    if finding.unit != Unit::Cells || finding.exposed.of > 0 {
        out.push_str("<div class=\"pair uneven\">\n<div>\n");
        rates(i, finding, reader, end, out);
        out.push_str("</div>\n");
        histogram(i, finding, out);
        out.push_str("</div>\n");
    }
    if !finding.notes.is_empty() {
        out.push_str("<ul class=\"notes\">\n");
        for note in finding.notes.iter().take(MOST_NOTES) {
            put!(out, "<li>{}</li>\n", text::note(&note.text));
        }
        if finding.notes.len() > MOST_NOTES {
            put!(out, "<li>and {} more notes</li>\n", count((finding.notes.len() - MOST_NOTES) as u64));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</article>\n");
}

fn rates(i: usize, finding: &Finding, reader: Reader, end: f64, out: &mut String) {
    let caption = format!("Rates of {}", title(finding));
    open_table(out, &format!("attack-{i}-table"), "rates", &caption);
    header(out, &["Who", "#Share", &scale(end)]);
    if finding.unit == Unit::Cells {
        cells(finding, end, out);
    } else {
        people(finding, reader, end, out);
    }
    close_table(out);
    // What a note is about is not published, and the page must follow from what is.
    let is_told =
        matches!(reader, Reader::Owner) && finding.notes.iter().any(|note| note.topic == Topic::NoControl);
    if finding.control.is_none() && !is_told {
        put!(
            out,
            "<p class=\"aside\">{}</p>\n",
            match reader {
                Reader::Anybody =>
                    "No control is told here: how much of this statistics alone would tell is for the owner to know, where it \
                     is known.",
                Reader::Owner =>
                    "There is no control: how much of this statistics alone would tell is not known.",
            }
        );
    }
}

/// Hidden counts: all of a table are gone through, so that no interval is to be told, and what is computed back is right.
fn cells(finding: &Finding, end: f64, out: &mut String) {
    let Rate { hits, of, rate, .. } = finding.exposed;
    put!(
        out,
        "<tr><th scope=\"row\">Hidden counts that can be computed back</th><td class=\"number\">{}<small>{} of \
         {}</small></td><td class=\"draw\">{}</td></tr>\n<tr class=\"strong\"><th scope=\"row\">Risk: people who are counted \
         in them</th><td class=\"number\">{}</td><td class=\"draw\">{}</td></tr>\n",
        share(rate),
        count(hits),
        count(of),
        rate::bar(&[(rate, Fill::Hatched)], None, end),
        share(finding.risk),
        rate::bar(&[(finding.risk, Fill::Solid)], None, end)
    );
}

/// People, or records, who are exposed.
fn people(finding: &Finding, reader: Reader, end: f64, out: &mut String) {
    let unknown = match reader {
        Reader::Anybody => {
            "Whether the adversary is right is not told here, so all of them count as the risk."
        }
        Reader::Owner => "Whether the adversary is right is not known, so all of them count as the risk.",
    };
    let more = match finding {
        own if own.right.is_some() || own.exposed.hits == 0 || own.not_counted.is_some() => "",
        _ => unknown,
    };
    let who =
        if finding.unit == Unit::Records { "Records that are exposed" } else { "People who are exposed" };
    rate_row(out, who, more, &finding.exposed, &exposed_bar(finding, end));
    if let Some(right) = &finding.right {
        rate_row(out, "Of those, the adversary is right about", "", right, "");
    }
    if let Some(why) = &finding.not_counted {
        put!(
            out,
            "<tr class=\"strong\"><th scope=\"row\">It only informs<small>{}</small></th><td class=\"number\">–</td><td \
             class=\"draw\"></td></tr>\n",
            sentence(why)
        );
    } else if finding.right.is_some() {
        put!(
            out,
            "<tr class=\"strong\"><th scope=\"row\">Risk: exposed, and rightly so</th><td class=\"number\">{}</td><td \
             class=\"draw\">{}</td></tr>\n",
            share(finding.risk),
            rate::bar(&[(finding.risk, Fill::Solid)], None, end)
        );
    }
    if let Some(control) = &finding.control {
        let who = finding.control_group.as_deref().map_or(String::new(), sentence);
        row(out, "What statistics alone would tell", &who, control, Fill::Empty, end);
    }
}

/// A rate in a table, with its bar. `what` is plain text, `more` markup.
pub(crate) fn row(out: &mut String, what: &str, more: &str, rate: &Rate, fill: Fill, end: f64) {
    rate_row(out, what, more, rate, &rate::draw(rate, fill, end));
}

fn rate_row(out: &mut String, what: &str, more: &str, rate: &Rate, drawing: &str) {
    let more = if more.is_empty() { String::new() } else { format!("<small>{more}</small>") };
    if !rate.is_known() {
        put!(
            out,
            "<tr><th scope=\"row\">{}{more}</th><td class=\"number\">not known</td><td class=\"draw\"></td></tr>\n",
            escape(what)
        );
        return;
    }
    // Where nothing was drawn by chance there is no interval to be told.
    let interval = match known(rate) {
        None if rate.of > 0 => String::new(),
        _ => format!("<small>{}</small>", interval(rate)),
    };
    put!(
        out,
        "<tr><th scope=\"row\">{}{more}</th><td class=\"number\">{}<small>{} of {}</small>{interval}</td><td \
         class=\"draw\">{drawing}</td></tr>\n",
        escape(what),
        if rate.of == 0 { "–".to_owned() } else { share(rate.rate) },
        count(rate.hits),
        count(rate.of)
    );
}

fn histogram(i: usize, finding: &Finding, out: &mut String) {
    let bars: Vec<Bar> =
        finding.histogram.iter().map(|bin| Bar { from: bin.from, to: bin.to, many: bin.people }).collect();
    if bars.is_empty() {
        return;
    }
    let what = sentence(finding.histogram_of.title());
    let what = what.trim_end_matches('.');
    put!(out, "<figure>\n<figcaption>{what}</figcaption>\n");
    let things = if finding.unit == Unit::Records { "records" } else { "people" };
    out.push_str(&bins::draw(
        &format!("attack-{i}-chart"),
        (what, finding.histogram_of.across()),
        &bars,
        things,
        false,
    ));
    out.push_str("\n</figure>\n");
}

#[cfg(test)]
mod tests {
    use privet_attack::HistogramOf;

    use super::*;

    fn finding(risk: f64) -> Finding {
        Finding {
            attack: "odd-one",
            column: None,
            assumed: String::new(),
            success: String::new(),
            unit: Unit::People,
            exposed: Rate::new(1, 2),
            right: None,
            control: None,
            control_group: None,
            baseline: None,
            risk,
            not_counted: None,
            histogram: vec![],
            histogram_of: HistogramOf::Nothing,
            notes: vec![],
        }
    }

    #[test]
    fn what_is_not_known_is_the_worst() {
        let all = [finding(0.2), finding(f64::NAN), finding(0.9)];
        assert!(worst(&all).is_some_and(|worst| worst.risk.is_nan()));
        assert_eq!(worst(&all[..1]).map(|worst| worst.risk), Some(0.2));
        assert!(worst(&[]).is_none());
        // What only informs is no risk, however many it exposes.
        let informs = Finding { not_counted: Some("it is about the server".into()), ..finding(0.0) };
        assert!(worst(std::slice::from_ref(&informs)).is_none());
        let mut page = String::new();
        findings(&[informs, finding(0.5)], Reader::Anybody, &mut page);
        assert!(page.contains("It only informs") && page.contains("It is about the server."), "{page}");
        assert_eq!(page.matches("only informs</td>").count(), 1, "{page}");
        assert!(!page.contains("Risk: exposed, and rightly so"), "{page}");
        // Whether the adversary is right is told of none, then of one.
        assert!(page.contains(">Exposed</th>") && !page.contains("rightly so"), "{page}");
        let mut page = String::new();
        let scored = [Finding { right: Some(Rate::new(1, 1)), ..finding(0.5) }, finding(0.5)];
        findings(&scored, Reader::Anybody, &mut page);
        assert!(page.contains(">Exposed and rightly so</th>"), "{page}");
        assert_eq!(page.matches("whether rightly is not told</small>").count(), 1, "{page}");
        assert_eq!(title(&all[0]), "Odd one");
    }

    /// By an expected error all count or nobody, and without the original nobody knows who: no rate, and no interval.
    #[test]
    fn what_nobody_counted_has_no_rate() {
        let blind = Finding {
            unit: Unit::Records,
            exposed: Rate::unknown(),
            risk: f64::NAN,
            not_counted: Some("only the original shows it".into()),
            ..finding(0.0)
        };
        assert!(worst(std::slice::from_ref(&blind)).is_none());
        let mut page = String::new();
        findings(&[blind.clone(), finding(0.001)], Reader::Anybody, &mut page);
        assert!(page.contains("Records that are exposed</th><td class=\"number\">not known</td>"), "{page}");
        let rates = &page[page.find("attack-0-table").unwrap()..page.find("attack-1").unwrap()];
        assert!(!rates.contains(" of 0") && !rates.contains(">0\u{a0}%<"), "{rates}");
        let told = crate::json::tree(&blind);
        assert!(told["exposed"].is_null() && told["risk"].is_null(), "{told}");
        let everybody = Finding { exposed: Rate::everybody(5_000), risk: 1.0, ..finding(1.0) };
        let mut page = String::new();
        findings(&[everybody], Reader::Anybody, &mut page);
        assert!(page.contains("<small>5,000 of 5,000</small></td>"), "no interval: {page}");
    }

    #[test]
    fn many_are_warned_of() {
        let of = |risk: f64, column: Option<&str>| {
            warning(&[Finding { column: column.map(str::to_owned), ..finding(risk) }])
        };
        assert_eq!(of(0.05, None), None);
        assert_eq!(
            of(0.4036, None).unwrap(),
            "40.4\u{a0}% of the people still fall to an attack, by “Odd one”"
        );
        assert!(
            of(0.4036, Some("<pay>"))
                .unwrap()
                .contains("sure of the value of <bdi class=\"name\">&lt;pay&gt;</bdi>")
        );
        assert!(of(f64::NAN, None).unwrap().contains("is not known"));
    }

    #[test]
    fn hidden_counts_are_no_people() {
        let of = |exposed: Rate, risk: f64| {
            let right = (exposed.hits > 0).then(|| Rate::new(exposed.hits, exposed.hits));
            let own = Finding { unit: Unit::Cells, exposed, right, ..finding(risk) };
            let mut page = String::new();
            findings(&[own], Reader::Anybody, &mut page);
            page
        };
        let page = of(Rate::new(3, 12), 0.01);
        assert!(
            page.contains("Hidden counts that can be computed back") && page.contains("3 of 12"),
            "{page}"
        );
        assert!(
            page.contains("people who are counted in them</th><td class=\"number\">1.0\u{a0}%"),
            "{page}"
        );
        let rates = &page[page.find("Rates of").unwrap()..];
        assert!(!rates.contains("People who are exposed") && !rates.contains("class=\"whisker\""), "{page}");
        assert!(!rates.contains("–") && !rates.contains("is not told here, so all"), "no interval: {page}");
        // Nothing is hidden.
        let page = of(Rate::new(0, 0), 0.0);
        assert!(!page.contains("0 of 0") && !page.contains("not known"), "{page}");
    }

    /// What is kept from readers of the release is not kept from its owner.
    #[test]
    fn the_owner_is_not_told_what_is_for_the_owner_to_know() {
        let page = |reader: Reader| {
            let mut out = String::new();
            findings(&[finding(0.5)], reader, &mut out);
            out
        };
        assert!(page(Reader::Anybody).contains("is for the owner to know"));
        let own = page(Reader::Owner);
        assert!(!own.contains("for the owner") && !own.contains("not told here"), "{own}");
        assert!(own.contains("There is no control") && own.contains("is not known"), "{own}");
        let not_made = NotMade::new("filters", "").on(Some("<age>".to_owned()));
        assert_eq!(title_of_not_made(&not_made), "Filters of noise on <bdi class=\"name\">&lt;age&gt;</bdi>");
        assert_eq!(titled("proof of work"), "Proof of work");
    }
}
