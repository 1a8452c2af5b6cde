//! Simulatable auditing of maxima (Kenthapadi, Mishra, Nissim 2005, full disclosure), and of minima by turning signs.
//!
//! Every answered maximum bounds its people from above; those who stand at the bound are its *extreme* people. A person's value is
//! determined exactly when somebody is the only extreme person of a question (values may repeat). For a new question the auditor goes through
//! every answer that is possible given the earlier ones, from the largest down, and denies when one of them would determine somebody:
//! so the data never enters the decision.
//!
//! Growth: the people of the question, and the questions that these are extreme for.

use std::collections::HashMap;

use super::{Decision, Denial};

/// An auditor of maxima, or of minima.
#[derive(Debug, Clone)]
pub struct ExtremeAuditor {
    is_minimum: bool,
    /// Per person the least answer that bounds it, and the questions that it is extreme for.
    bounds: Vec<f64>,
    extreme_for: Vec<Vec<u32>>,
    /// Per question how many people are extreme.
    extremes: Vec<u32>,
}

impl ExtremeAuditor {
    /// An auditor of the maxima of this many people's values.
    pub fn maxima(people: usize) -> Self {
        Self {
            is_minimum: false,
            bounds: vec![f64::INFINITY; people],
            extreme_for: vec![Vec::new(); people],
            extremes: Vec::new(),
        }
    }

    /// An auditor of minima.
    pub fn minima(people: usize) -> Self {
        Self { is_minimum: true, ..Self::maxima(people) }
    }

    /// Decides about a question; people must be ascending and exist.
    pub fn decide(&self, people: &[u32]) -> Decision {
        let mut order: Vec<u32> = people.to_vec();
        let bound = |person: u32| self.bounds[person as usize];
        order.sort_unstable_by(|&a, &b| bound(b).total_cmp(&bound(a)));
        // Extreme people that earlier questions would lose, by question.
        let mut lost: HashMap<u32, u32> = HashMap::new();
        let mut has_single = false;
        let mut reached = 0;
        while reached < order.len() {
            let level = bound(order[reached]);
            let end = order.partition_point(|&person| bound(person) >= level);
            // The answer is this bound: its people become or stay extreme, and those above it were lost before.
            if level.is_finite() && (end == 1 || has_single) {
                return Decision::Deny(Denial::CouldDetermine);
            }
            // The answer is below this bound: its people are lost to their questions.
            for &person in &order[reached..end] {
                for &query in &self.extreme_for[person as usize] {
                    let lost = lost.entry(query).or_default();
                    *lost += 1;
                    match self.extremes[query as usize] - *lost {
                        // Nobody would be left for an earlier answer: so low the answer cannot be.
                        0 => return Decision::Answer,
                        1 => has_single = true,
                        _ => {}
                    }
                }
            }
            if end == 1 || has_single {
                return Decision::Deny(Denial::CouldDetermine);
            }
            reached = end;
        }
        Decision::Answer
    }

    /// Counts a question that was answered.
    pub fn record(&mut self, people: &[u32], answer: f64) {
        let answer = if self.is_minimum { -answer } else { answer };
        let query = self.extremes.len() as u32;
        let mut count = 0;
        for &person in people {
            let bound = &mut self.bounds[person as usize];
            let own = &mut self.extreme_for[person as usize];
            if *bound > answer {
                *bound = answer;
                for query in own.drain(..) {
                    self.extremes[query as usize] -= 1;
                }
            }
            if *bound == answer {
                own.push(query);
                count += 1;
            }
        }
        self.extremes.push(count);
    }

    /// The answer to a question on values.
    pub fn answer(&self, people: &[u32], values: &[f64]) -> f64 {
        let own = people.iter().map(|&person| values[person as usize]);
        match self.is_minimum {
            true => own.fold(f64::INFINITY, f64::min),
            false => own.fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_extreme_person_is_never_left() {
        let mut auditor = ExtremeAuditor::maxima(6);
        assert_eq!(auditor.decide(&[0]), Decision::Deny(Denial::CouldDetermine));
        assert_eq!(auditor.decide(&[0, 1, 2]), Decision::Answer);
        auditor.record(&[0, 1, 2], 10.0);
        // A maximum below 10 would tell that person 2 has 10.
        assert_eq!(auditor.decide(&[0, 1]), Decision::Deny(Denial::CouldDetermine));
        assert_eq!(auditor.decide(&[3, 4]), Decision::Answer);
        // Asked again, nothing new is told.
        assert_eq!(auditor.decide(&[0, 1, 2]), Decision::Answer);
    }

    /// Whether some person has one value only, over all tables of small numbers that give these answers; a value is determined among
    /// real numbers when it is among these, because numbers between and below the answers are there.
    fn determines(tables: &[Vec<i32>], asked: &[(Vec<u32>, i32)]) -> Option<bool> {
        let fits = |table: &&Vec<i32>| {
            asked.iter().all(|(people, answer)| {
                people.iter().map(|&person| table[person as usize]).max() == Some(*answer)
            })
        };
        let fitting: Vec<&Vec<i32>> = tables.iter().filter(fits).collect();
        let first = fitting.first()?;
        Some((0..first.len()).any(|person| fitting.iter().all(|table| table[person] == first[person])))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Decisions are those of going through all tables: denied exactly when an answer that is possible determines somebody. Answers are even
        /// numbers and tables hold all numbers from below the lowest, so that between and below answers there always is one.
        #[test]
        fn decisions_are_those_of_all_tables(
            stream in prop::collection::vec(prop::collection::btree_set(0u32..4, 1..5), 1..4),
            values in prop::collection::vec(1i32..4, 4), is_minimum: bool
        ) {
            let sign = if is_minimum { -1 } else { 1 };
            let mut tables = vec![Vec::new()];
            for _ in 0..4 {
                tables = tables.into_iter().flat_map(|table: Vec<i32>| (0..9).map(move |own| {
                    let mut table = table.clone();
                    table.push(own);
                    table
                })).collect();
            }
            let mut auditor = if is_minimum { ExtremeAuditor::minima(4) } else { ExtremeAuditor::maxima(4) };
            let mut asked: Vec<(Vec<u32>, i32)> = Vec::new();
            for people in stream {
                let people: Vec<u32> = people.into_iter().collect();
                // Possible answers: every number, of which 0 stands for "lower than all" and is none itself.
                let determined = (1..8).any(|answer| {
                    let mut more = asked.clone();
                    more.push((people.clone(), answer));
                    determines(&tables, &more) == Some(true)
                });
                let decision = auditor.decide(&people);
                prop_assert_eq!(decision == Decision::Answer, !determined, "{:?} {:?}", asked, people);
                if decision == Decision::Answer {
                    let answer = people.iter().map(|&person| 2 * values[person as usize]).max().unwrap();
                    auditor.record(&people, f64::from(sign * answer));
                    asked.push((people, answer));
                }
            }
        }
    }
}
