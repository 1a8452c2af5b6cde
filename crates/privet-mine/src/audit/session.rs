//! Auditors in front of one column, per group of analysts, with a durable log.
//!
//! Analysts of one group may pool their answers and are protected against together; by default everybody is one group. What one group was
//! told does not protect against another: groups are a promise of whoever declares them.
//!
//! Sums, averages and counts share one auditor. Maxima have one, minima one; a column of which one family was answered
//! answers no other to the same group, because together they could determine what neither does alone.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::log::{AuditLog, LogEntry, LogError};
use super::{
    Assumptions, Control, Decision, Denial, ExtremeAuditor, Function, ProbableAuditor, Query, SumAuditor,
};
use crate::MineError;
use crate::error::PeopleProblem;

/// The seed of random walks, which decide and protect nobody.
const SEED: u64 = 0x6175_6469;

/// People beyond which walks take too long.
const MOST_PROBABLE: usize = 400;

/// Which analysts may talk to each other: per analyst the name of a group. Analysts that are not named form one group together.
pub type Groups = BTreeMap<String, String>;

/// What a session says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// The exact answer.
    Answer(f64),
    /// No answer.
    Denied(Denial),
}

/// Auditors in front of a column.
pub struct Session {
    values: Vec<f64>,
    control: Option<Control>,
    groups: Groups,
    known: Vec<u32>,
    assumed: Option<Assumptions>,
    open: BTreeMap<String, State>,
    log: Option<AuditLog>,
}

/// What one group has been told.
struct State {
    sums: SumAuditor,
    extremes: ExtremeAuditor,
    probable: Option<ProbableAuditor>,
    family: Option<Family>,
    answered: Vec<Vec<u32>>,
    /// Whether the auditor of sums was taken up from what was kept.
    is_resumed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Sum,
    Max,
    Min,
}

impl Function {
    fn family(self) -> Family {
        match self {
            Function::Sum | Function::Average | Function::Count => Family::Sum,
            Function::Max => Family::Max,
            Function::Min => Family::Min,
        }
    }
}

impl Session {
    /// A session without a log, for one sitting. Known are the people whose values the analysts know.
    ///
    /// # Errors
    /// When there is no value, one is not finite, or the control makes no sense.
    pub fn new(
        values: Vec<f64>,
        control: Option<Control>,
        groups: Groups,
        known: &[u32],
    ) -> Result<Self, MineError> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return Err(MineError::People { reason: PeopleProblem::Values });
        }
        control.iter().try_for_each(Control::check)?;
        if known.iter().any(|&person| person as usize >= values.len()) {
            return Err(MineError::People { reason: PeopleProblem::Unknown });
        }
        let (known, open) = (known.to_vec(), BTreeMap::new());
        Ok(Self { values, control, groups, known, assumed: None, open, log: None })
    }

    /// The same session with a log: everything that was answered before counts.
    ///
    /// # Errors
    /// When the log cannot be used, or does not fit these people.
    pub fn with_log(mut self, path: &Path) -> Result<Self, LogError> {
        let (log, entries) = AuditLog::open(path)?;
        entries.iter().try_for_each(|entry| self.replay(entry, false).map(drop))?;
        self.log = Some(log);
        Ok(self)
    }

    /// The same session with probabilistic auditing of sums behind the exact one.
    ///
    /// # Errors
    /// When an assumption is out of its range, a value outside the bounds, or there are too many people for it.
    pub fn assuming(mut self, assumed: Assumptions) -> Result<Self, MineError> {
        if self.values.len() > MOST_PROBABLE {
            let accepted = "at most 400 for probabilistic auditing";
            return Err(MineError::Parameter { name: "people", value: self.values.len() as f64, accepted });
        }
        if self.values.iter().any(|&value| value < assumed.low || value > assumed.high) {
            return Err(MineError::People { reason: PeopleProblem::Bounds });
        }
        // Found out now rather than at the first question.
        ProbableAuditor::new(self.values.len(), assumed, SEED)?;
        self.assumed = Some(assumed);
        Ok(self)
    }

    /// Per group what its answered sums span, where it has that.
    pub(super) fn frozen(&mut self) -> Vec<(String, Vec<u32>)> {
        let open = self.open.iter_mut();
        open.filter_map(|(group, state)| Some((group.clone(), state.sums.frozen()?))).collect()
    }

    /// Takes up what the answered sums of a group span.
    pub(super) fn resume(&mut self, group: &str, words: &[u32]) -> bool {
        let state = self.state_of(group.to_owned());
        state.is_resumed = state.sums.resume(words);
        state.is_resumed
    }

    /// Counts what a log says was decided. What is covered by a state that was taken up is not eliminated again. Says whether a sum was.
    pub(super) fn replay(&mut self, entry: &LogEntry, is_covered: bool) -> Result<bool, LogError> {
        let mismatch = || LogError::Mismatch { line: entry.number };
        let query = entry.query().filter(|query| query.check(self.values.len()).is_ok());
        let query = query.ok_or_else(mismatch)?;
        if entry.decision != Decision::Answer {
            if let (Family::Sum, Some(probable)) =
                (query.function.family(), &mut self.state(&entry.analyst).probable)
            {
                probable.count_question();
            }
            return Ok(false);
        }
        // Nothing is decided anew: what was told was told, under whatever control.
        let is_sum = query.function.family() == Family::Sum;
        let state = self.state(&entry.analyst);
        let is_known = is_sum && is_covered && state.is_resumed;
        if is_known {
            state.sums.count_answered(&query.people);
        } else if self.decide_exactly(&entry.analyst, &query, false) != Decision::Answer {
            return Err(mismatch());
        }
        let exact = self.exact(&query);
        let is_logged = self.logs_answer(&query);
        match entry.answer {
            Some(answer) if answer == exact => self.record(&entry.analyst, &query, exact),
            None if !is_logged => self.record(&entry.analyst, &query, exact),
            _ => return Err(mismatch()),
        }
        if let (Family::Sum, Some(probable)) =
            (query.function.family(), &mut self.state(&entry.analyst).probable)
        {
            probable.count_question();
        }
        Ok(is_sum && !is_known)
    }

    /// Whether later decisions need the answer.
    fn logs_answer(&self, query: &Query) -> bool {
        query.function.family() != Family::Sum || self.assumed.is_some()
    }

    /// Decides about a question: the decision, the exact answer, and what of it belongs into a log.
    ///
    /// # Errors
    /// When the question names nobody or people that there are not.
    pub(super) fn settle(
        &mut self,
        analyst: &str,
        query: &Query,
    ) -> Result<(Decision, f64, Option<f64>), MineError> {
        query.check(self.values.len())?;
        let decision = self.decide(analyst, query)?;
        let answer = self.exact(query);
        let logged = (self.logs_answer(query) && decision == Decision::Answer).then_some(answer);
        Ok((decision, answer, logged))
    }

    /// Asks a question.
    ///
    /// # Errors
    /// When the question names nobody or people that there are not, or the decision cannot be logged: then nothing is answered.
    pub fn ask(&mut self, analyst: &str, query: &Query) -> Result<Reply, SessionError> {
        let (decision, answer, logged) = self.settle(analyst, query)?;
        if let Some(log) = &mut self.log {
            log.append(analyst, query, decision, logged)?;
        }
        match decision {
            Decision::Deny(denial) => Ok(Reply::Denied(denial)),
            Decision::Answer => {
                self.record(analyst, query, answer);
                Ok(Reply::Answer(answer))
            }
        }
    }

    fn state(&mut self, analyst: &str) -> &mut State {
        self.state_of(self.groups.get(analyst).cloned().unwrap_or_default())
    }

    fn state_of(&mut self, group: String) -> &mut State {
        let (people, known, assumed) = (self.values.len(), &self.known, self.assumed);
        self.open.entry(group).or_insert_with(|| State {
            sums: SumAuditor::new(people, known),
            extremes: ExtremeAuditor::maxima(people),
            // The assumptions were checked when they were taken.
            probable: assumed.and_then(|own| ProbableAuditor::new(people, own, SEED).ok()),
            family: None,
            answered: Vec::new(),
            is_resumed: false,
        })
    }

    /// Decides by every auditor that there is. The probabilistic one is asked first, because the exact one counts what it lets pass.
    fn decide(&mut self, analyst: &str, query: &Query) -> Result<Decision, MineError> {
        if let (Family::Sum, Some(probable)) = (query.function.family(), &mut self.state(analyst).probable)
            && let Decision::Deny(denial) = probable.decide(&query.people)?
        {
            return Ok(Decision::Deny(denial));
        }
        Ok(self.decide_exactly(analyst, query, true))
    }

    fn decide_exactly(&mut self, analyst: &str, query: &Query, is_controlled: bool) -> Decision {
        let (people, control) = (self.values.len(), self.control.filter(|_| is_controlled));
        let is_known_used = !self.known.is_empty();
        let state = self.state(analyst);
        let family = query.function.family();
        if state.family.is_some_and(|own| own != family) {
            return Decision::Deny(Denial::OtherFunction);
        }
        if let Some(denial) = control.and_then(|own| own.denial(&query.people, people, &state.answered)) {
            return Decision::Deny(denial);
        }
        match family {
            Family::Sum => state.sums.ask(&query.people),
            // What analysts know of values is not part of the model of extremes.
            Family::Max | Family::Min if is_known_used => Decision::Deny(Denial::OtherFunction),
            Family::Max | Family::Min => {
                if state.family.is_none() && family == Family::Min {
                    state.extremes = ExtremeAuditor::minima(people);
                } else if state.family.is_none() {
                    state.extremes = ExtremeAuditor::maxima(people);
                }
                state.extremes.decide(&query.people)
            }
        }
    }

    pub(super) fn record(&mut self, analyst: &str, query: &Query, answer: f64) {
        let family = query.function.family();
        let keeps = self.control.is_some();
        let state = self.state(analyst);
        state.family = Some(family);
        match family {
            Family::Max | Family::Min => state.extremes.record(&query.people, answer),
            Family::Sum => {
                if let Some(probable) = &mut state.probable {
                    let people = query.people.len() as f64;
                    let sum = if query.function == Function::Average { answer * people } else { answer };
                    probable.record(&query.people, sum);
                }
            }
        }
        if keeps && !state.answered.contains(&query.people) {
            state.answered.push(query.people.clone());
        }
    }

    fn exact(&self, query: &Query) -> f64 {
        let own = query.people.iter().map(|&person| self.values[person as usize]);
        match query.function {
            Function::Sum | Function::Count => own.sum(),
            Function::Average => own.sum::<f64>() / query.people.len() as f64,
            Function::Max => own.fold(f64::NEG_INFINITY, f64::max),
            Function::Min => own.fold(f64::INFINITY, f64::min),
        }
    }
}

/// Why a question got neither an answer nor a denial.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The question is wrong.
    #[error(transparent)]
    Query(#[from] MineError),
    /// The decision could not be logged.
    #[error(transparent)]
    Log(#[from] LogError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(people: &[u32]) -> Query {
        Query::new(Function::Sum, people.to_vec())
    }

    fn session(control: Option<Control>, groups: Groups) -> Session {
        Session::new(vec![1.0, 2.0, 4.0, 8.0], control, groups, &[]).unwrap()
    }

    #[test]
    fn sums_averages_and_counts_are_one_family() {
        let mut own = session(None, Groups::new());
        let average = Query::new(Function::Average, vec![0, 1]);
        assert_eq!(own.ask("a", &average).unwrap(), Reply::Answer(1.5));
        assert_eq!(own.ask("b", &sum(&[1, 2])).unwrap(), Reply::Answer(6.0));
        assert_eq!(own.ask("c", &sum(&[0, 2])).unwrap(), Reply::Denied(Denial::Determines));
        let max = Query::new(Function::Max, vec![0, 1, 2]);
        assert_eq!(own.ask("a", &max).unwrap(), Reply::Denied(Denial::OtherFunction));
        assert!(own.ask("a", &sum(&[4])).is_err() && own.ask("a", &sum(&[])).is_err());
    }

    /// Analysts who are declared not to talk to each other are audited apart.
    #[test]
    fn groups_are_audited_apart() {
        let groups = Groups::from([("a".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())]);
        let mut own = session(None, groups);
        own.ask("a", &sum(&[0, 1])).unwrap();
        own.ask("a", &sum(&[1, 2])).unwrap();
        assert_eq!(own.ask("b", &sum(&[0, 2])).unwrap(), Reply::Answer(5.0));
        assert_eq!(own.ask("a", &sum(&[0, 2])).unwrap(), Reply::Denied(Denial::Determines));
    }

    #[test]
    fn logs_are_replayed_and_tampering_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let open = || session(None, Groups::new()).with_log(&path);
        {
            let mut own = open().unwrap();
            own.ask("a", &sum(&[0, 1])).unwrap();
            own.ask("a", &sum(&[1, 2])).unwrap();
            assert!(matches!(open(), Err(LogError::Locked)));
        }
        {
            let mut again = open().unwrap();
            assert_eq!(again.ask("b", &sum(&[0, 2])).unwrap(), Reply::Denied(Denial::Determines));
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        assert!(!text.contains("answer\":6"), "sums are logged without answers");
        // A last line that is cut off was never answered.
        std::fs::write(&path, &text[..text.len() - 5]).unwrap();
        drop(open().unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
        // A line that is taken away is missed.
        let second = text.lines().nth(1).unwrap().to_owned() + "\n";
        std::fs::write(&path, second).unwrap();
        assert!(matches!(open(), Err(LogError::Digest { line: 1 })));
        std::fs::write(&path, "{}\n").unwrap();
        assert!(matches!(open(), Err(LogError::Line { line: 1 })));
    }

    #[test]
    fn extremes_are_replayed_with_their_answers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let max = |people: &[u32]| Query::new(Function::Max, people.to_vec());
        {
            let mut own = session(None, Groups::new()).with_log(&path).unwrap();
            assert_eq!(own.ask("a", &max(&[0, 1, 2])).unwrap(), Reply::Answer(4.0));
        }
        {
            let mut again = session(None, Groups::new()).with_log(&path).unwrap();
            assert_eq!(again.ask("a", &max(&[0, 1])).unwrap(), Reply::Denied(Denial::CouldDetermine));
        }
        let other = Session::new(vec![9.0, 2.0, 4.0, 8.0], None, Groups::new(), &[]).unwrap();
        assert!(matches!(other.with_log(&path), Err(LogError::Mismatch { line: 1 })));
    }

    #[test]
    fn control_comes_first() {
        let control = Control { least: 2, overlap: Some(1), known: 0 };
        let mut own = session(Some(control), Groups::new());
        assert_eq!(own.ask("a", &sum(&[0])).unwrap(), Reply::Denied(Denial::TooFew));
        assert_eq!(own.ask("a", &sum(&[0, 1])).unwrap(), Reply::Answer(3.0));
        assert_eq!(own.ask("a", &sum(&[0, 1, 2])).unwrap(), Reply::Denied(Denial::TooMany));
    }
}
