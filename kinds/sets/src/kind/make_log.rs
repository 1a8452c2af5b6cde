//! From a job about a search log to a draft. Noise is drawn only after the ledger was charged.

use privet_data::Progress;
use privet_dp::ledger::{Ledger, Request, SqliteLedger};
use privet_dp::{DpError, Loss, Rational};
use privet_history::History;
use privet_kind::{JobFile, KindError, Outcome, OwnerFiles};
use privet_release::{Draft, Promised, Randomness};

use super::files::{Body, CLICKS, COVERS, LOG, QUERIES, SIGNS, SKETCHES, TableWriter, Threshold};
use super::job::{Method, Spending, zealous_kind};
use super::make::outcome;
use crate::SetsError;
use crate::log::cover::{CoverOptions, cover_sets};
use crate::log::sketch::{Signs, SketchOptions, histories, sketches};
use crate::log::{
    Korolova, Log, NONE, NoisyLog, PlannedThreshold, Splitting, TokenKey, Zealous, hash_tokens,
    people_per_query, remove_infrequent, split_sessions, tokens_of,
};

/// The history among the owner's files.
const HISTORY: &str = "history.json";

pub(super) fn of_log(
    job: &JobFile,
    log: &Log,
    method: Method,
    draft: &Draft,
    progress: &dyn Progress,
) -> Result<Outcome, KindError> {
    match method {
        Method::Threshold { people, sessions, hash } => threshold_log(log, people, sessions, hash, draft),
        Method::Korolova { spending, clicks_per_person } => {
            let asked = Korolova {
                queries_per_person: spending.queries_per_person,
                clicks_per_person,
                people: spending.people,
                epsilon: spending.epsilon.parse().map_err(SetsError::from)?,
                delta: spending.delta.parse().map_err(SetsError::from)?,
            };
            let plan = asked.plan()?;
            let loss = plan.loss();
            let ways = charge(job, &spending, "queries and clicks by Korolova's release", &loss)?;
            let noisy = plan.release(log, progress)?;
            let body = Body::Counts {
                queries: threshold(&plan.queries, spending.queries_per_person),
                fresh_scale: Some(plan.count_scale.to_string()),
                clicks: plan.clicks.as_ref().map(|own| threshold(own, clicks_per_person)),
            };
            let made = counts(log, &noisy, &body, promise("approximate", &spending), ways, draft)?;
            remembered(job, &spending, &loss, made)
        }
        Method::Zealous { spending, population } => {
            let asked = Zealous {
                queries_per_person: spending.queries_per_person,
                people: spending.people,
                epsilon: spending.epsilon.parse().map_err(SetsError::from)?,
                delta: spending.delta.parse().map_err(SetsError::from)?,
                kind: zealous_kind(population),
            };
            let plan = asked.plan()?;
            if population.is_some_and(|most| most < log.people() as u64) {
                return Err(KindError::key(
                    "sets.population",
                    "must be at least the number of persons of the log",
                ));
            }
            let ways = charge(job, &spending, "queries by ZEALOUS", &asked.loss())?;
            let noisy = asked.release(log, progress)?;
            let queries = threshold(&plan, spending.queries_per_person);
            let body = Body::Counts { queries, fresh_scale: None, clicks: None };
            let promise = match population {
                None => promise("approximate", &spending),
                Some(population) => promise("probabilistic", &spending).with("population", population),
            };
            let made = counts(log, &noisy, &body, promise, ways, draft)?;
            remembered(job, &spending, &asked.loss(), made)
        }
        Method::Sketches { delta, neighbours, components, publish_signs } => {
            let options = SketchOptions { delta, neighbours, most_components: components };
            let signs = Signs::draw(components)?;
            write_sketches(log, &signs, options, publish_signs, draft)
        }
        Method::Covers { size, people, popularity_ratio, most_similarity, dimensions } => {
            let options = CoverOptions { size, people, popularity_ratio, most_similarity, dimensions };
            write_covers(log, options, draft, progress)
        }
        _ => Err(KindError::key(
            "sets.method",
            "is about baskets; set form = \"pairs\" or \"lines\" in [input]",
        )),
    }
}

/// Publishes the queries of enough people, in sessions or under hashes where that is asked for.
fn threshold_log(
    log: &Log,
    people: u64,
    sessions: Option<Splitting>,
    hash: bool,
    draft: &Draft,
) -> Result<Outcome, KindError> {
    let kept = remove_infrequent(log, people)?;
    let rows = (log.rows(), kept.rows());
    let cut = sessions.map(|splitting| split_sessions(&kept, splitting)).transpose()?;
    let is_cut = cut.is_some();
    let published = cut.map_or(kept, |sessions| sessions.log);
    let (body, owner) = write_log(&published, is_cut, hash, draft)?;
    let summary = vec![
        ("rows kept".to_owned(), format!("{} of {}", rows.1, rows.0)),
        ("queries kept".to_owned(), format!("{} of {}", published.texts().len(), log.texts().len())),
    ];
    let randomness = if hash { Randomness::System } else { Randomness::None };
    let promise = Promised::new("query-threshold").with("people", people);
    Ok(Outcome { owner, ..outcome(&body, vec![promise], randomness, summary)? })
}

/// Cuts the queries of a log into cover sets and publishes them: whoever has the list sends a whole set in place of a query.
fn write_covers(
    log: &Log,
    options: CoverOptions,
    draft: &Draft,
    progress: &dyn Progress,
) -> Result<Outcome, KindError> {
    let popularity = people_per_query(log).queries;
    let made = cover_sets(log.texts(), &popularity, options, progress)?;
    let check = made.check(&popularity, options);
    if !check.holds {
        return Err(KindError::refused(
            "no cover set of queries that are about different things and equally popular was found; allow smaller sets, a larger \
             `popularity-ratio` or `most-similarity`, or fewer `people`",
        ));
    }
    let mut writer = TableWriter::begin(draft, COVERS, &["set", "query", "people"])?;
    for (number, set) in made.sets.iter().enumerate() {
        for &query in set {
            let query = query as usize;
            writer.number(number).text(&log.texts()[query]).number(popularity[query]).end()?;
        }
    }
    writer.finish()?;
    let promise = Promised::new("deniability")
        .with("size", options.size as u64)
        .with("people", options.people)
        .with("ratio", options.popularity_ratio)
        .with("similarity", options.most_similarity)
        .reaching(check.largest_posterior);
    let summary = vec![
        ("cover sets".to_owned(), check.sets.to_string()),
        ("queries without a set, which are not sent".to_owned(), check.uncovered.to_string()),
        ("largest posterior of a member".to_owned(), format!("{:.2} %", 100.0 * check.largest_posterior)),
    ];
    outcome(&Body::Covers { sets: check.sets }, vec![promise], Randomness::None, summary)
}

fn promise(kind: &str, spending: &Spending) -> Promised {
    let ledger = if spending.ledger.is_some() { "charged" } else { "none" };
    Promised::new("differential-privacy")
        .with("ledger", ledger)
        .with("kind", kind)
        .with("epsilon", spending.epsilon.as_str())
        .with("delta", spending.delta.as_str())
        .with("people", spending.people)
}

fn threshold(planned: &PlannedThreshold, per_person: u32) -> Threshold {
    let scale: &Rational = &planned.scale;
    Threshold { scale: scale.to_string(), people: planned.people, noisy: planned.noisy, per_person }
}

/// Charges the ledger that a job names, before anything is drawn.
fn charge(
    job: &JobFile,
    spending: &Spending,
    question: &str,
    loss: &Loss,
) -> Result<Vec<(String, String)>, KindError> {
    let mut lines = vec![("privacy".to_owned(), loss.to_string())];
    match (&spending.ledger, &spending.account) {
        (None, None) => {
            lines.push(("ledger".to_owned(), privet_kind::NO_LEDGER.to_owned()));
        }
        (Some(path), Some(account)) => {
            let failed = |error: DpError| KindError::from(SetsError::from(error));
            // A history that cannot be read is told before anything is charged.
            history(job)?;
            let mut ledger =
                SqliteLedger::open_existing(&job.resolve(path), None).map_err(|own| failed(own.into()))?;
            let request = Request::new(account, "privet", question, loss).map_err(failed)?;
            let receipt = ledger.charge(&request).map_err(|own| failed(own.into()))?;
            lines.push(("left in the account".to_owned(), receipt.remaining.to_string()));
        }
        _ => return Err(KindError::key("sets.ledger", "needs `account` beside it, and the other way round")),
    }
    Ok(lines)
}

/// What the owner's folder remembers; nothing where the job names no such folder.
fn history(job: &JobFile) -> Result<Option<History>, KindError> {
    let Some(home) = job.output()?.home else { return Ok(None) };
    let path = job.resolve(&home).join(HISTORY);
    let read = History::read(&path).map_err(|error| KindError::bad_input(error.to_string()).at(&path))?;
    Ok(Some(read))
}

/// Puts a release that was charged into the history of the owner's folder, so that one list shows it beside all others.
fn remembered(
    job: &JobFile,
    spending: &Spending,
    loss: &Loss,
    mut made: Outcome,
) -> Result<Outcome, KindError> {
    let (Some(ledger), Some(account)) = (&spending.ledger, &spending.account) else { return Ok(made) };
    let Some(mut history) = history(job)? else { return Ok(made) };
    history.charged("sets", &job.resolve(ledger), account, loss.to_string());
    made.owner = made.owner.with(HISTORY, history.to_json().into_bytes());
    Ok(made)
}

fn counts(
    log: &Log,
    noisy: &NoisyLog,
    body: &Body,
    promise: Promised,
    mut summary: Vec<(String, String)>,
    draft: &Draft,
) -> Result<Outcome, KindError> {
    let mut writer = TableWriter::begin(draft, QUERIES, &["query", "people"])?;
    for &(query, people) in &noisy.queries {
        writer.text(log.query_text(query)).number(people).end()?;
    }
    writer.finish()?;
    if matches!(body, Body::Counts { clicks: Some(_), .. }) {
        let mut writer = TableWriter::begin(draft, CLICKS, &["query", "address", "people"])?;
        for &(query, address, people) in &noisy.clicks {
            writer
                .text(log.query_text(query))
                .text(&log.addresses()[address as usize])
                .number(people)
                .end()?;
        }
        writer.finish()?;
    }
    summary.push(("queries published".to_owned(), noisy.queries.len().to_string()));
    outcome(body, vec![promise], Randomness::System, summary)
}

/// Writes a log under new numbers of persons; for the owner alone, which hash is which word.
fn write_log(log: &Log, sessions: bool, hash: bool, draft: &Draft) -> Result<(Body, OwnerFiles), KindError> {
    let mut owner = OwnerFiles::default();
    let hashed = if hash { Some(hash_tokens(log, &TokenKey::draw()?)) } else { None };
    if let Some(hashed) = &hashed {
        let mut text = String::from("hash,word\n");
        for (hash, word) in hashed.hashes.iter().zip(&hashed.words) {
            text.push_str(&format!("{hash},{word}\n"));
        }
        owner = owner.with("words.csv", text.into_bytes());
    }
    let word_of: foldhash::HashMap<&str, &str> = hashed
        .iter()
        .flat_map(|own| own.words.iter().zip(&own.hashes))
        .map(|(word, hash)| (&**word, &**hash))
        .collect();
    let query = |query: u32| -> String {
        let text = log.query_text(query);
        match hash {
            false => text.to_owned(),
            true => {
                let words: Vec<&str> =
                    tokens_of(text).filter_map(|word| word_of.get(word).copied()).collect();
                words.join(" ")
            }
        }
    };
    let texts: Vec<String> = (0..log.texts().len() as u32).map(query).collect();
    let has_clicks = log.clicks().is_some() && !hash;
    // People are numbered by what they did, so that no order of the input is kept.
    let mut people: Vec<usize> =
        (0..log.people()).filter(|&person| !log.rows_of(person).is_empty()).collect();
    let content = |person: usize| -> Vec<&str> {
        log.queries_of(person).iter().map(|&own| &*texts[own as usize]).collect()
    };
    people.sort_by_cached_key(|&person| content(person));
    let mut writer = TableWriter::begin(draft, LOG, &["person", "query", "address"])?;
    for (number, &person) in people.iter().enumerate() {
        for row in log.rows_of(person) {
            writer.number(number).text(&texts[log.queries()[row] as usize]);
            let click = log.clicks().map(|clicks| clicks[row]).filter(|&click| click != NONE && has_clicks);
            match click {
                Some(click) => writer.text(&log.addresses()[click as usize]),
                None => writer.nothing(),
            };
            writer.end()?;
        }
    }
    writer.finish()?;
    Ok((Body::Log { sessions, hashed: hash, clicks: has_clicks }, owner))
}

fn write_sketches(
    log: &Log,
    signs: &Signs,
    options: SketchOptions,
    publish_signs: bool,
    draft: &Draft,
) -> Result<Outcome, KindError> {
    let histories = histories(log);
    let made = sketches(&histories, signs, options)?;
    let mut writer = TableWriter::begin(draft, SKETCHES, &["sketch", "component", "value"])?;
    for (number, sketch) in made.sketches.iter().enumerate() {
        for (component, value) in sketch.iter().enumerate() {
            writer.number(number).number(component).number(value).end()?;
        }
    }
    writer.finish()?;
    if publish_signs {
        let mut writer = TableWriter::begin(draft, SIGNS, &["component", "query", "sign"])?;
        for component in 0..signs.len() {
            for query in 0..log.texts().len() as u32 {
                writer
                    .number(component)
                    .text(log.query_text(query))
                    .number(signs.sign(component, query))
                    .end()?;
            }
        }
        writer.finish()?;
    }
    let mut promises = Vec::new();
    promises.extend(options.delta.map(|delta| Promised::new("delta-anonymity").with("delta", delta)));
    promises.extend(options.neighbours.map(|own| Promised::new("k-variance").with("neighbours", own as u64)));
    let summary = vec![
        ("sketches".to_owned(), made.sketches.len().to_string()),
        ("people suppressed".to_owned(), made.suppressed.to_string()),
    ];
    let body = Body::Sketches {
        components: options.most_components as u64,
        suppressed: made.suppressed,
        unit: options.neighbours.is_some(),
        signs: publish_signs,
    };
    outcome(&body, promises, Randomness::System, summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_is_charged_before_anything_is_drawn() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = SqliteLedger::open(&folder.path().join("ledger.db")).unwrap();
        let budget = |epsilon: &str| {
            privet_dp::Privacy::Approximate(epsilon.parse().unwrap(), "1e-6".parse().unwrap()).loss()
        };
        ledger.open_account("searches", &budget("1.5")).unwrap();
        let file = folder.path().join("job.toml");
        std::fs::write(&file, "kind = \"sets\"\n[output]\nfolder = \"out\"\n").unwrap();
        let job = JobFile::read(&file, &[]).unwrap();
        let mut spending = Spending {
            epsilon: "1".into(),
            delta: "1e-6".into(),
            people: 5,
            queries_per_person: 1,
            ledger: Some("ledger.db".into()),
            account: Some("searches".into()),
        };
        let lines = charge(&job, &spending, "queries", &budget("1")).unwrap();
        assert!(lines.iter().any(|line| line.1.contains("epsilon 0.5")), "{lines:?}");
        let refused = charge(&job, &spending, "queries", &budget("1")).unwrap_err();
        assert_eq!(refused.fault(), privet_kind::Fault::Budget);
        spending.account = None;
        assert!(charge(&job, &spending, "queries", &budget("1")).is_err());
    }
}
