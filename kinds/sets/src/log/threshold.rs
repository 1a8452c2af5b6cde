//! Threshold removal (Adar 2007; survey AP-09): queries of few people do not leave, nor addresses that few people followed.
//!
//! *Guarantee*: none beyond what it says. What is frequent is not therefore harmless: a town and a frequent habit are each asked by
//! many, and together by one (survey L1870). Accounts that one person opens count as persons (AT-32).

use serde::Serialize;

use super::{Log, NONE, first_distinct};
use crate::SetsError;
use crate::error::require;

/// Per query and per address the number of people.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct QueryCounts {
    /// Per query the people who asked it.
    pub queries: Vec<u64>,
    /// Per address the people who followed it.
    pub addresses: Vec<u64>,
}

/// Counts people, not rows: who asks a query a hundred times is one.
pub fn people_per_query(log: &Log) -> QueryCounts {
    let spread = |size: usize, key_of: &dyn Fn(usize) -> Option<u64>| {
        let mut people = vec![0; size];
        let counts = first_distinct(log, u32::MAX, key_of);
        for (&key, &count) in counts.keys.iter().zip(&counts.people) {
            people[key as usize] = count;
        }
        people
    };
    let queries = spread(log.texts().len(), &|row| Some(u64::from(log.queries()[row])));
    let addresses = match log.clicks() {
        None => vec![0; log.addresses().len()],
        Some(clicks) => {
            spread(log.addresses().len(), &|row| (clicks[row] != NONE).then(|| u64::from(clicks[row])))
        }
    };
    QueryCounts { queries, addresses }
}

/// The rows whose query at least so many people asked; of these, addresses that fewer followed are dropped. Texts that no row
/// needs are gone.
///
/// # Errors
/// When `people` is 0.
pub fn remove_infrequent(log: &Log, people: u64) -> Result<Log, SetsError> {
    require(people >= 1, "people", "1 or more")?;
    let counts = people_per_query(log);
    let mut kept = log.retain(|row| counts.queries[log.queries()[row] as usize] >= people);
    kept.drop_clicks(|address| counts.addresses[address as usize] < people);
    Ok(kept.compacted())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::planted_log;
    use proptest::prelude::*;

    #[test]
    fn people_count_and_not_rows() {
        let texts = ["a", "b"].map(Box::from).to_vec();
        let log = Log::new(vec![0, 0, 0, 1], vec![0, 0, 1, 1], None, None, texts, Vec::new()).unwrap();
        assert_eq!(people_per_query(&log).queries, [1, 2]);
        let kept = remove_infrequent(&log, 2).unwrap();
        assert_eq!((kept.rows(), kept.texts().len(), kept.people()), (2, 1, 2));
        assert_eq!(kept.query_text(kept.queries()[0]), "b");
        assert!(remove_infrequent(&log, 0).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// Whatever the log: no query and no address of fewer people is in what is kept.
        #[test]
        fn nothing_rare_is_kept(
            rows in proptest::collection::vec((0u32..12, 0u32..8, 0u32..6), 0..80), people in 1u64..6,
        ) {
            let texts = |count: u32| (0..count).map(|own| own.to_string().into()).collect::<Vec<Box<str>>>();
            let column = |which: fn(&(u32, u32, u32)) -> u32| rows.iter().map(which).collect::<Vec<u32>>();
            let clicks = column(|row| if row.2 == 5 { NONE } else { row.2 });
            let log = Log::new(
                column(|row| row.0), column(|row| row.1), None, Some(clicks), texts(8), texts(5),
            ).unwrap();
            let kept = remove_infrequent(&log, people).unwrap();
            let askers = |text: &str| {
                let mut askers: Vec<u32> =
                    rows.iter().filter(|row| row.1.to_string() == text).map(|row| row.0).collect();
                askers.sort_unstable();
                askers.dedup();
                askers.len() as u64
            };
            prop_assert!(kept.texts().iter().all(|text| askers(text) >= people));
            let after = people_per_query(&kept);
            prop_assert!(after.queries.iter().all(|&count| count >= people));
            let before = people_per_query(&log);
            prop_assert_eq!(kept.rows() as u64, log.queries().iter()
                .filter(|&&query| before.queries[query as usize] >= people).count() as u64);
            for address in kept.addresses() {
                let place: usize = address.parse().unwrap();
                prop_assert!(before.addresses[place] >= people);
            }
        }
    }

    #[test]
    fn planted_queries_are_gone() {
        let (log, planted, frequent) = planted_log(500, 5);
        let kept = remove_infrequent(&log, 5).unwrap();
        let text = |query: &u32| &log.texts()[*query as usize];
        assert!(planted.iter().all(|query| !kept.texts().contains(text(query))));
        assert!(frequent.iter().all(|query| kept.texts().contains(text(query))));
    }
}
