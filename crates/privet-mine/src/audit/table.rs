//! Auditors in front of a table that is asked in SQL, with one log for all its columns (papers T-AL11).
//!
//! The first question agrees on the terms: which columns everybody knows, which limits hold, who may talk to whom. The log begins with them
//! and with the digest of the table; whoever comes later with other terms, or with a table that has changed, is refused.
//!
//! # Guarantee
//! That of the auditors, per audited column and group of analysts: under full disclosure no set of answers determines the value of one
//! person, and no denial depends on values that were not told. A decision comes as [`Pending`] lines, whose answer is given out only when
//! whoever keeps the log has them. Records are people: every record counts as one person, which a column of ids proves when one is named.

use std::collections::BTreeMap;

use privet_data::{Progress, Table};
use serde::{Deserialize, Serialize};

use super::log::{Chain, LogEntry, LogError, TermProblem};
use super::question::taken;
use super::state::{AuditState, Space};
use super::{
    Assumptions, AuditQuestion, AuditQuestionError, Control, Decision, DeclarationProblem, Function, Groups,
    Query, Reply, Session,
};
use crate::MineError;

/// What is agreed when a log begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AuditTerms {
    /// The digest of the table's file.
    pub table: String,
    /// The columns that everybody knows; conditions look at no others.
    pub public: Vec<String>,
    /// Limits of sizes and overlaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Which analysts may talk to each other.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: Groups,
    /// A condition on public columns: the analysts know the values of these people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// What is assumed of values, when sums are audited probabilistically as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumed: Option<Assumptions>,
}

/// A decision about a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audited {
    /// The figure.
    pub function: Function,
    /// The column; nothing for `count(*)`.
    pub column: Option<String>,
    /// How many people the question is about, which everybody could count.
    pub people: u64,
    /// The answer, or why there is none.
    pub reply: Reply,
    /// What is assumed of values, when that decided as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<Assumptions>,
    /// The last entry of the log, to be asked for later.
    pub entry: String,
}

/// Why a question to a table got neither an answer nor a denial.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The text is no audited question.
    #[error(transparent)]
    Question(#[from] AuditQuestionError),
    /// A column that the table does not have.
    #[error("the table has no column {column}")]
    Column {
        /// Its name.
        column: String,
    },
    /// A condition on a column that not everybody knows.
    #[error(
        "the condition looks at {column}, which is not public: conditions may look at public columns only, because choosing people by a \
         protected value tells of it"
    )]
    NotPublic {
        /// The column.
        column: String,
    },
    /// A figure of a public column.
    #[error("column {column} is public, and audited figures are about columns that are not")]
    IsPublic {
        /// The column.
        column: String,
    },
    /// No column is public.
    #[error("no column is declared public; name at least one by which people are chosen")]
    NoPublic,
    /// A cell that is no number.
    #[error("column {column} must hold a finite number for every record")]
    NotNumbers {
        /// The column.
        column: String,
    },
    /// A property of yes and no without limits of sizes.
    #[error(
        "column {column} has two values, so sums of it count people, and counts of none or of all tell of everybody; \
         declare how many people a question must be about at least"
    )]
    Flag {
        /// The column.
        column: String,
    },
    /// The question is about nobody.
    #[error("the condition takes nobody; nothing was asked")]
    Nobody,
    /// Several records of one person.
    #[error("column {column} names somebody twice, or nobody; audited answers need one record per person")]
    Repeated {
        /// The column of ids.
        column: String,
    },
    /// A declaration makes no sense.
    #[error(transparent)]
    Declared(#[from] DeclarationProblem),
    /// The question is wrong.
    #[error(transparent)]
    Query(#[from] MineError),
    /// The log cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Auditors in front of a table.
pub struct AuditedTable<'a> {
    table: &'a Table,
    terms: AuditTerms,
    known: Vec<u32>,
    sessions: BTreeMap<String, Session>,
    chain: Chain,
    /// Answered sums that were taken from the log, and from no state.
    eliminated: u64,
}

/// A decision that must be kept before anybody is told.
#[must_use]
pub struct Pending {
    lines: Vec<String>,
    audited: Audited,
}

impl Pending {
    /// Keeps the lines of the decision, one after the other, and gives the decision when all are kept.
    ///
    /// # Errors
    /// When one cannot be kept: then nothing may be answered.
    pub fn kept<E>(self, keep: impl FnMut(String) -> Result<(), E>) -> Result<Audited, E> {
        self.lines.into_iter().try_for_each(keep)?;
        Ok(self.audited)
    }
}

/// What the lines of a table's log say.
#[derive(Debug)]
pub struct AuditedLog {
    /// What was agreed; nothing before the first question.
    pub terms: Option<AuditTerms>,
    /// The decisions.
    pub entries: Vec<LogEntry>,
    /// The number and digest of the last entry.
    pub last: String,
}

impl AuditedLog {
    /// Reads lines, in their order.
    ///
    /// # Errors
    /// When one does not follow from those before it, or they do not begin with the terms of a table.
    pub fn read(lines: &[String]) -> Result<Self, LogError> {
        Self::chained(lines).map(|(own, _)| own)
    }

    /// Per analyst how many questions were answered and denied.
    pub fn analysts(&self) -> BTreeMap<String, (u64, u64)> {
        let mut analysts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for entry in &self.entries {
            let own = analysts.entry(entry.analyst.clone()).or_default();
            match entry.decision {
                Decision::Answer => own.0 += 1,
                Decision::Deny(_) => own.1 += 1,
            }
        }
        analysts
    }

    fn chained(lines: &[String]) -> Result<(Self, Chain), LogError> {
        let mut chain = Chain::default();
        let mut entries = Vec::new();
        for line in lines {
            entries.extend(chain.take(line.as_bytes())?);
        }
        let no_terms = || LogError::Terms { term: TermProblem::None };
        let terms = match chain.terms() {
            Some(terms) => Some(serde_json::from_value(terms.clone()).map_err(|_| no_terms())?),
            None if entries.is_empty() => None,
            None => return Err(no_terms()),
        };
        Ok((Self { terms, entries, last: chain.last() }, chain))
    }
}

impl AuditTerms {
    /// Which term differs from those of a log, if one does.
    fn problem(&self, agreed: &Self) -> Option<TermProblem> {
        let checks = [
            (self.table == agreed.table, TermProblem::Table),
            (self.public == agreed.public, TermProblem::Public),
            (self.control == agreed.control, TermProblem::Control),
            (self.groups == agreed.groups, TermProblem::Groups),
            (self.known == agreed.known, TermProblem::Known),
            (self.assumed == agreed.assumed, TermProblem::Assumptions),
        ];
        checks.into_iter().find(|(is_same, _)| !is_same).map(|(_, problem)| problem)
    }
}

impl<'a> AuditedTable<'a> {
    /// Auditors that know everything that was answered before, which is what the lines say. Without lines the log begins with these terms
    /// when the first question is decided. `person` is the column that must name each person once; `since` is an entry that must still be
    /// in the log.
    ///
    /// # Errors
    /// When the terms do not fit the table or the log, or the log was changed.
    pub fn open(
        table: &'a Table,
        terms: AuditTerms,
        person: Option<&str>,
        lines: &[String],
        since: Option<&str>,
        progress: &dyn Progress,
    ) -> Result<Self, AuditError> {
        Self::resume(table, terms, person, lines, since, None, progress)
    }

    /// The same, with what was kept of earlier questions. A state of another log is left aside.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn resume(
        table: &'a Table,
        mut terms: AuditTerms,
        person: Option<&str>,
        lines: &[String],
        since: Option<&str>,
        state: Option<&AuditState>,
        progress: &dyn Progress,
    ) -> Result<Self, AuditError> {
        terms.public.sort_unstable();
        terms.public.dedup();
        for column in terms.public.iter().map(String::as_str).chain(person) {
            if table.column(column).is_none() {
                return Err(AuditError::Column { column: column.to_owned() });
            }
        }
        if let Some(person) = person.filter(|person| !names_each_once(table, person)) {
            return Err(AuditError::Repeated { column: person.to_owned() });
        }
        if terms.public.is_empty() {
            return Err(AuditError::NoPublic);
        }
        terms.control.iter().try_for_each(Control::check)?;
        let known = match &terms.known {
            None => Vec::new(),
            Some(condition) => {
                let asked = AuditQuestion::parse(&format!("select count(*) from data where {condition}"))?;
                people(table, &terms, &asked)?
            }
        };
        let (AuditedLog { terms: agreed, entries, .. }, chain) = AuditedLog::chained(lines)?;
        let mut own = Self { table, terms, known, sessions: BTreeMap::new(), chain, eliminated: 0 };
        if let Some(term) = agreed.and_then(|agreed| own.terms.problem(&agreed)) {
            return Err(LogError::Terms { term }.into());
        }
        let is_there =
            |since: &str| entries.iter().any(|own| format!("{}:{}", own.number, own.digest) == since);
        if since.is_some_and(|since| !is_there(since)) {
            return Err(LogError::Since.into());
        }
        let is_of_log = |state: &&AuditState| is_there(&state.entry);
        let covered = match state.filter(is_of_log) {
            Some(state) if own.take_up(state)? => entries
                .iter()
                .find(|own| format!("{}:{}", own.number, own.digest) == state.entry)
                .map_or(0, |own| own.number),
            _ => 0,
        };
        progress.stage("replaying the audit log", Some(entries.len() as u64));
        for entry in &entries {
            progress.check().map_err(MineError::from)?;
            progress.at(entry.number);
            let is_eliminated = own.session(&entry.column)?.replay(entry, entry.number <= covered)?;
            own.eliminated += u64::from(is_eliminated);
        }
        Ok(own)
    }

    /// Takes up a state of this log, all of it or nothing.
    fn take_up(&mut self, state: &AuditState) -> Result<bool, AuditError> {
        for space in &state.spaces {
            if !self.session(&space.column)?.resume(&space.group, &space.words) {
                self.sessions.clear();
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many answered sums were taken from the log one by one, because no state covers them.
    pub fn eliminated(&self) -> u64 {
        self.eliminated
    }

    /// What the auditors know now, to be kept for the next question; nothing where that is quickly found again.
    pub fn state(&mut self) -> Option<AuditState> {
        let mut spaces = Vec::new();
        for (column, session) in &mut self.sessions {
            let own = session.frozen().into_iter();
            spaces.extend(own.map(|(group, words)| Space { column: column.clone(), group, words }));
        }
        (!spaces.is_empty()).then(|| AuditState { entry: self.chain.last(), spaces })
    }

    /// The line that an empty log begins with, so that a question that is refused agrees on nothing.
    fn agree(&mut self, lines: &mut Vec<String>) -> Result<(), LogError> {
        if self.chain.terms().is_none() {
            let terms = serde_json::to_value(&self.terms).map_err(|error| LogError::Io(error.into()))?;
            lines.push(self.chain.agree(terms)?);
        }
        Ok(())
    }

    /// Decides about a question. What was decided counts for nobody before it is kept, so these auditors are used up.
    ///
    /// # Errors
    /// When the question cannot be asked.
    pub fn ask(mut self, analyst: &str, question: &AuditQuestion) -> Result<Pending, AuditError> {
        let people = people(self.table, &self.terms, question)?;
        let (count, mut lines) = (people.len() as u64, Vec::new());
        let Some(column) = &question.column else {
            // It tells of public columns, and of nothing else; but whoever comes later must declare the same ones.
            self.agree(&mut lines)?;
            let audited = self.audited(question, count, Reply::Answer(count as f64));
            return Ok(Pending { lines, audited });
        };
        if people.is_empty() {
            return Err(AuditError::Nobody);
        }
        let query = Query { function: question.function, people };
        let (decision, answer, logged) = self.session(column)?.settle(analyst, &query)?;
        self.agree(&mut lines)?;
        let entry = self.chain.entry((analyst, column), &query, decision, logged);
        lines.push(serde_json::to_string(&entry).map_err(|error| LogError::Io(error.into()))?);
        self.chain.written(entry);
        let reply = match decision {
            Decision::Deny(denial) => Reply::Denied(denial),
            Decision::Answer => Reply::Answer(answer),
        };
        let audited = self.audited(question, count, reply);
        Ok(Pending { lines, audited })
    }

    fn audited(&self, question: &AuditQuestion, people: u64, reply: Reply) -> Audited {
        let (function, column) = (question.function, question.column.clone());
        // Extremes and counts by public columns are decided without them.
        let is_sum =
            matches!(function, Function::Sum | Function::Average | Function::Count) && column.is_some();
        let assumed = self.terms.assumed.filter(|_| is_sum);
        Audited { function, column, people, reply, assumed, entry: self.chain.last() }
    }

    /// The auditors of a column.
    fn session(&mut self, column: &str) -> Result<&mut Session, AuditError> {
        if !self.sessions.contains_key(column) {
            let session = self.begun(column)?;
            self.sessions.insert(column.to_owned(), session);
        }
        // It was put there if it was not.
        self.sessions.get_mut(column).ok_or_else(|| AuditError::Column { column: column.to_owned() })
    }

    fn begun(&self, name: &str) -> Result<Session, AuditError> {
        let missing = || AuditError::Column { column: name.to_owned() };
        let column = self.table.column(name).ok_or_else(missing)?;
        if self.terms.public.binary_search_by(|own| own.as_str().cmp(name)).is_ok() {
            return Err(AuditError::IsPublic { column: name.to_owned() });
        }
        let number = |code: u32| -> Option<f64> {
            let text = (!column.domain.is_missing(code)).then(|| column.domain.text(code))?;
            text.trim().parse().ok().filter(|number: &f64| number.is_finite())
        };
        let numbers: Option<Vec<f64>> = (0..column.domain.len() as u32).map(number).collect();
        let numbers = numbers.ok_or_else(|| AuditError::NotNumbers { column: name.to_owned() })?;
        if numbers.len() <= 2 && self.terms.control.is_none() {
            return Err(AuditError::Flag { column: name.to_owned() });
        }
        let values = column.codes.iter().map(|&code| numbers[code as usize]).collect();
        let session = Session::new(values, self.terms.control, self.terms.groups.clone(), &self.known)?;
        Ok(match self.terms.assumed {
            Some(assumed) => session.assuming(assumed)?,
            None => session,
        })
    }
}

/// Whom a question is about, by public columns alone.
fn people(table: &Table, terms: &AuditTerms, question: &AuditQuestion) -> Result<Vec<u32>, AuditError> {
    for column in question.tested() {
        if table.column(column).is_none() {
            return Err(AuditError::Column { column: column.to_owned() });
        }
        if !terms.public.iter().any(|own| own == column) {
            return Err(AuditError::NotPublic { column: column.to_owned() });
        }
    }
    let rows = taken(&question.filter, table);
    Ok((0..table.rows as u32).filter(|&row| rows[row as usize]).collect())
}

fn names_each_once(table: &Table, person: &str) -> bool {
    let Some(column) = table.column(person) else { return false };
    let mut seen = vec![false; column.domain.len()];
    column
        .codes
        .iter()
        .all(|&code| !column.domain.is_missing(code) && !std::mem::replace(&mut seen[code as usize], true))
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use privet_data::io::{ReadOptions, read_csv_bytes};

    use super::super::Denial;
    use super::*;

    const STAFF: &str = "id,ward,sex,salary,ill\n1,A,F,100,0\n2,A,M,200,1\n3,A,F,400,0\n4,B,M,800,0\n5,B,F,1600,1\n6,C,M,3200,0\n";

    fn table() -> Table {
        let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
        read_csv_bytes(STAFF.as_bytes(), &options).unwrap().table
    }

    fn terms() -> AuditTerms {
        let public = vec!["ward".to_owned(), "sex".to_owned(), "id".to_owned()];
        AuditTerms { table: "digest".into(), public, ..AuditTerms::default() }
    }

    struct Desk {
        table: Table,
        lines: std::cell::RefCell<Vec<String>>,
    }

    impl Desk {
        fn new() -> Self {
            Self { table: table(), lines: Default::default() }
        }

        fn open(&self, terms: AuditTerms) -> Result<AuditedTable<'_>, AuditError> {
            AuditedTable::open(&self.table, terms, Some("id"), &self.lines.borrow(), None, &Silent)
        }

        fn asked(&self, terms: AuditTerms, analyst: &str, text: &str) -> Result<Audited, AuditError> {
            let pending = self.open(terms)?.ask(analyst, &AuditQuestion::parse(text).unwrap())?;
            let keep = |line| -> Result<(), AuditError> {
                self.lines.borrow_mut().push(line);
                Ok(())
            };
            pending.kept(keep)
        }

        fn ask(&self, analyst: &str, text: &str) -> Result<Reply, AuditError> {
            self.asked(terms(), analyst, text).map(|own| own.reply)
        }
    }

    /// Every question is a run of its own, and the log alone carries what was answered. The individual tracker of Denning, Denning and
    /// Schwartz: the group, then the group without the one person.
    #[test]
    fn the_tracker_fails_across_runs() {
        let desk = Desk::new();
        let all = desk.ask("ann", "select sum(salary) from data where ward = 'A'").unwrap();
        assert_eq!(all, Reply::Answer(700.0));
        // Who colludes is one group by default, so bob is denied what ann's answer would complete.
        let without = "select sum(salary) from data where ward = 'A' and not sex = 'M'";
        assert_eq!(desk.ask("bob", without).unwrap(), Reply::Denied(Denial::Determines));
        let average = desk.ask("bob", "select avg(salary) from data where id = 2").unwrap();
        assert_eq!(average, Reply::Denied(Denial::Determines));
        // What follows from earlier answers is answered again.
        assert_eq!(
            desk.ask("eve", "select avg(salary) from data where ward in ('A')").unwrap(),
            Reply::Answer(700.0 / 3.0)
        );
        let count = desk.ask("bob", "select count(*) from data where ward = 'A' and sex = 'M'").unwrap();
        assert_eq!(count, Reply::Answer(1.0));
    }

    #[test]
    fn people_are_chosen_by_public_columns_alone() {
        let desk = Desk::new();
        let refused = |text: &str| desk.ask("ann", text).unwrap_err().to_string();
        assert!(refused("select sum(salary) from data where salary > 300").contains("not public"));
        assert!(refused("select sum(salary) from data where ill = 1").contains("not public"));
        assert!(refused("select sum(ward) from data").contains("public"));
        assert!(refused("select sum(height) from data").contains("no column"));
        assert!(refused("select sum(salary) from data where ward = 'Z'").contains("nobody"));
        assert!(refused("select sum(ill) from data").contains("two values"));
        assert!(desk.lines.borrow().is_empty(), "nothing was decided, so nothing is agreed");
    }

    #[test]
    fn terms_are_those_that_the_log_began_with() {
        let desk = Desk::new();
        desk.ask("ann", "select sum(salary) from data").unwrap();
        let refused = |terms: AuditTerms| match desk.open(terms) {
            Err(AuditError::Log(LogError::Terms { term })) => term,
            other => panic!("{:?}", other.map(drop).map_err(|error| error.to_string())),
        };
        assert_eq!(refused(AuditTerms { table: "another".into(), ..terms() }), TermProblem::Table);
        let groups = Groups::from([("ann".to_owned(), "1".to_owned())]);
        assert_eq!(refused(AuditTerms { groups, ..terms() }), TermProblem::Groups);
        let public = vec!["ward".to_owned()];
        assert_eq!(refused(AuditTerms { public, ..terms() }), TermProblem::Public);
        let control = Some(Control { least: 2, overlap: None, known: 0 });
        assert_eq!(refused(AuditTerms { control, ..terms() }), TermProblem::Control);
        let known = Some("id = 1".to_owned());
        assert_eq!(refused(AuditTerms { known, ..terms() }), TermProblem::Known);
        let log = AuditedLog::read(&desk.lines.borrow()).unwrap();
        assert_eq!((log.terms.unwrap().table.as_str(), log.entries.len()), ("digest", 1));
        // The terms are covered by the digests.
        let changed = desk.lines.borrow()[0].replace("\"ward\"", "\"word\"");
        desk.lines.borrow_mut()[0] = changed;
        assert!(matches!(desk.open(terms()), Err(AuditError::Log(LogError::Digest { line: 1 }))));
    }

    #[test]
    fn an_entry_that_is_gone_is_missed() {
        let desk = Desk::new();
        let entry = desk.asked(terms(), "ann", "select sum(salary) from data").unwrap().entry;
        let open = |since: &str| {
            AuditedTable::open(&desk.table, terms(), None, &desk.lines.borrow(), Some(since), &Silent)
                .map(drop)
        };
        open(&entry).unwrap();
        desk.lines.borrow_mut().clear();
        assert!(matches!(open(&entry), Err(AuditError::Log(LogError::Since))));
    }

    /// What could not be kept is not given out.
    #[test]
    fn a_decision_that_is_not_kept_is_not_told() {
        let desk = Desk::new();
        let asked = AuditQuestion::parse("select sum(salary) from data").unwrap();
        let pending = desk.open(terms()).unwrap().ask("ann", &asked).unwrap();
        let mut kept = Vec::new();
        let failed = pending.kept(|line| {
            kept.push(line);
            if kept.len() == 2 { Err("disk full") } else { Ok(()) }
        });
        assert_eq!((failed.unwrap_err(), kept.len()), ("disk full", 2));
    }

    /// Analysts in declared groups are audited apart; whoever is known protects nobody; a person twice is refused.
    #[test]
    fn groups_known_people_and_ids() {
        let desk = Desk::new();
        let of = |group: &str| group.to_owned();
        let groups = Groups::from([(of("ann"), of("1")), (of("bob"), of("2"))]);
        let terms = AuditTerms { groups, known: Some("id = 4".into()), ..terms() };
        let ask = |analyst: &str, text: &str| desk.asked(terms.clone(), analyst, text).unwrap().reply;
        assert_eq!(
            ask("ann", "select sum(salary) from data where ward = 'B'"),
            Reply::Denied(Denial::Determines)
        );
        assert_eq!(ask("ann", "select sum(salary) from data where ward = 'A'"), Reply::Answer(700.0));
        let pair = "select sum(salary) from data where ward = 'A' and sex = 'F'";
        assert_eq!(ask("ann", pair), Reply::Denied(Denial::Determines));
        assert_eq!(ask("bob", pair), Reply::Answer(500.0));
        let refused = AuditedTable::open(&desk.table, self::terms(), Some("ward"), &[], None, &Silent);
        assert!(matches!(refused.map(drop), Err(AuditError::Repeated { .. })));
    }

    /// Probabilistic auditing denies a sum at the edge of what values may be, which full disclosure does not see.
    #[test]
    fn assumptions_deny_more_and_are_replayed() {
        let desk = Desk::new();
        let assumed = Assumptions { high: 3200.0, lambda: 0.5, ..Assumptions::default() };
        let terms = AuditTerms { assumed: Some(assumed), ..terms() };
        let ask = |text: &str| desk.asked(terms.clone(), "ann", text);
        assert_eq!(
            ask("select sum(salary) from data where ward = 'B'").unwrap().reply,
            Reply::Denied(Denial::Shifts)
        );
        for _ in 0..9 {
            ask("select sum(salary) from data where ward = 'B'").unwrap();
        }
        assert_eq!(
            ask("select sum(salary) from data where ward = 'B'").unwrap().reply,
            Reply::Denied(Denial::Exhausted)
        );
    }
}
