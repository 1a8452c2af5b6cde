//! Accounts against thresholds (Adar 2007; survey AT-32): whoever suspects a query asks it from as many accounts as are missing
//! for the threshold, and learns from the release whether somebody else asked it too.
//!
//! Targets are queries of one person each, and as many that nobody asked. The adversary says "asked" when the query leaves. Against a
//! threshold without noise that is always right. The control decides by whether the query leaves without the accounts. Against
//! (eps, delta)-differential privacy no adversary can be much better than half.

use privet_data::{Progress, Random};
use serde::Serialize;

use super::Score;
use crate::SetsError;
use crate::log::{Log, people_per_query};

/// What accounts reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Injection {
    /// Right answers about whether somebody asked; half of them are right by guessing.
    pub score: Score,
    /// How many accounts were opened for each target.
    pub accounts: u64,
}

/// Opens `people − 1` accounts per target. `release` publishes a log: the texts of the queries that leave.
///
/// # Errors
/// When the release fails, or there is no query of one person.
pub fn inject(
    log: &Log,
    people: u64,
    most_targets: usize,
    seed: u64,
    release: &dyn Fn(&Log) -> Result<Vec<Box<str>>, SetsError>,
    progress: &dyn Progress,
) -> Result<Injection, SetsError> {
    let counts = people_per_query(log).queries;
    let mut single: Vec<u32> =
        (0..counts.len() as u32).filter(|&query| counts[query as usize] == 1).collect();
    Random::stream(seed, 32).shuffle(&mut single);
    single.truncate(most_targets);
    let accounts = people.saturating_sub(1);
    let asked: Vec<Box<str>> = single.iter().map(|&query| log.query_text(query).into()).collect();
    let unasked: Vec<Box<str>> =
        (0..asked.len()).map(|number| format!("a query that nobody asked {seed} {number}").into()).collect();
    let targets: Vec<&str> = asked.iter().chain(&unasked).map(|text| &**text).collect();
    progress.check()?;
    let decide = |log: &Log| -> Result<u64, SetsError> {
        let left: foldhash::HashSet<Box<str>> = release(log)?.into_iter().collect();
        let right = targets
            .iter()
            .enumerate()
            .filter(|(number, text)| left.contains(**text) == (*number < asked.len()));
        Ok(right.count() as u64)
    };
    let right = decide(&with_accounts(log, &targets, accounts)?)?;
    let control = decide(log)?;
    let of = targets.len() as u64;
    Ok(Injection { score: Score { of, sure: of, right, control, control_of: of }, accounts })
}

/// The log with so many new people, each of whom asks all targets.
fn with_accounts(log: &Log, targets: &[&str], accounts: u64) -> Result<Log, SetsError> {
    let mut texts: Vec<Box<str>> = log.texts().to_vec();
    let number: foldhash::HashMap<Box<str>, u32> = texts.iter().cloned().zip(0..).collect();
    let mut codes = Vec::new();
    for &target in targets {
        match number.get(target) {
            Some(&code) => codes.push(code),
            None => {
                codes.push(texts.len() as u32);
                texts.push(target.into());
            }
        }
    }
    let (mut users, mut queries) = (Vec::new(), Vec::new());
    for person in 0..log.people() {
        for &query in log.queries_of(person) {
            users.push(person as u32);
            queries.push(query);
        }
    }
    // One account per question and not one for all: limits on what counts of a person do not help.
    let mut next = log.people() as u32;
    for &code in &codes {
        for _ in 0..accounts {
            users.push(next);
            queries.push(code);
            next += 1;
        }
    }
    Log::new(users, queries, None, None, texts, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use crate::log::{Korolova, remove_infrequent};
    use privet_data::Silent;

    #[test]
    fn thresholds_without_noise_tell_who_asked_and_noise_does_not() {
        let log = generate::log(400, 4.0, 3000, 5);
        let threshold = |log: &Log| Ok(remove_infrequent(log, 5)?.texts().to_vec());
        let found = inject(&log, 5, 50, 1, &threshold, &Silent).unwrap();
        assert_eq!((found.accounts, found.score.of, found.score.right), (4, 100, 100));
        assert_eq!(found.score.control, 50);
        let asked = Korolova {
            queries_per_person: 3,
            clicks_per_person: 0,
            people: 5,
            epsilon: "1".parse().unwrap(),
            delta: "1e-6".parse().unwrap(),
        };
        let noisy = |log: &Log| {
            let released = asked.plan()?.release(log, &Silent)?;
            Ok(released.queries.iter().map(|own| log.query_text(own.0).into()).collect())
        };
        // A query of five people leaves with a probability below 1e-6: all 100 answers are "not asked".
        assert_eq!(inject(&log, 5, 50, 1, &noisy, &Silent).unwrap().score.right, 50);
    }
}
