//! Facts about people who are not published.
//!
//! A knowledge file may speak of somebody whose record was suppressed. What it says of them alone tells nothing of the release, and
//! must not keep the rest from being used. What it says of them and of others is used as far as their own values follow from what is
//! said; a fact that then still hangs on a value that nobody knows would have to be left out in part, and is refused instead.

use std::collections::BTreeMap;

use crate::finding::AttackError;
use crate::note::Note;
use crate::worlds::Statement;

/// Something that the knowledge file says, and where.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub says: Statement,
    /// Its place in the file.
    pub place: String,
}

/// What is left of facts where some people are known not to be published.
#[derive(Debug, Default)]
pub(super) struct Usable {
    pub facts: Vec<Fact>,
    /// Where those stand that are about such people alone.
    pub skipped: Vec<String>,
}

/// Facts that are left out are listed up to so many.
const MOST_LISTED: usize = 10;

impl Usable {
    /// Takes out of facts what is about people who are nowhere. `values` are those that follow from the facts alone.
    pub fn of(
        facts: Vec<Fact>,
        is_nowhere: impl Fn(u32) -> bool,
        values: &BTreeMap<u32, u32>,
    ) -> Result<Self, AttackError> {
        let mut usable = Self::default();
        for fact in facts {
            let (mut somebody, mut all) = (false, true);
            fact.says.people(&mut |person| {
                let is_nowhere = is_nowhere(person);
                (somebody, all) = (somebody || is_nowhere, all && is_nowhere);
            });
            if !somebody {
                usable.facts.push(fact);
                continue;
            }
            if all {
                usable.skipped.push(fact.place);
                continue;
            }
            match reduced(&fact.says, &is_nowhere, values) {
                Reduced::Is(true) => usable.skipped.push(fact.place),
                Reduced::Left(says) => usable.facts.push(Fact { says, ..fact }),
                Reduced::Is(false) => {
                    return Err(AttackError::Impossible(format!(
                        "{} cannot be true beside the other facts; correct it, or leave it out",
                        fact.place
                    )));
                }
                Reduced::Open => {
                    return Err(AttackError::Contradiction(format!(
                        "{} hangs on the value of somebody who is not published, which nothing tells; say it with [[records]], or \
                         leave the fact out",
                        fact.place
                    )));
                }
            }
        }
        Ok(usable)
    }

    /// What is to be told of the facts that are left out.
    pub fn note(&self) -> Option<Note> {
        let listed = self.skipped.iter().take(MOST_LISTED).cloned().collect::<Vec<_>>().join("; ");
        let more = self.skipped.len().saturating_sub(MOST_LISTED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        (!self.skipped.is_empty()).then(|| {
            Note::of_original(format!(
                "Facts that are not used, because they are about people whom no published record can be: {} ({listed}{more}).",
                self.skipped.len()
            ))
        })
    }
}

/// A statement once the values of some people are put in.
#[derive(Debug, PartialEq)]
enum Reduced {
    Is(bool),
    /// It is about others alone.
    Left(Statement),
    /// It hangs on a value that is not known.
    Open,
}

fn reduced(statement: &Statement, is_nowhere: &impl Fn(u32) -> bool, values: &BTreeMap<u32, u32>) -> Reduced {
    let of = |part: &Statement| reduced(part, is_nowhere, values);
    match statement {
        Statement::Has { person, value } if is_nowhere(*person) => match values.get(person) {
            Some(own) => Reduced::Is(own == value),
            None => Reduced::Open,
        },
        Statement::Has { .. } => Reduced::Left(statement.clone()),
        Statement::Not(part) => negated(of(part)),
        Statement::And(parts) => all(parts.iter().map(of)),
        Statement::Or(parts) => negated(all(parts.iter().map(|part| negated(of(part))))),
        Statement::Implies(when, then) => negated(all([of(when), negated(of(then))].into_iter())),
    }
}

fn negated(own: Reduced) -> Reduced {
    match own {
        Reduced::Is(own) => Reduced::Is(!own),
        Reduced::Left(Statement::Not(own)) => Reduced::Left(*own),
        Reduced::Left(own) => Reduced::Left(Statement::Not(Box::new(own))),
        Reduced::Open => Reduced::Open,
    }
}

fn all(parts: impl Iterator<Item = Reduced>) -> Reduced {
    let (mut left, mut is_open) = (Vec::new(), false);
    for part in parts {
        match part {
            Reduced::Is(false) => return Reduced::Is(false),
            Reduced::Is(true) => {}
            Reduced::Left(own) => left.push(own),
            Reduced::Open => is_open = true,
        }
    }
    match left.pop() {
        _ if is_open => Reduced::Open,
        None => Reduced::Is(true),
        Some(only) if left.is_empty() => Reduced::Left(only),
        Some(last) => {
            left.push(last);
            Reduced::Left(Statement::And(left))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PEOPLE: u32 = 3;
    const VALUES: u32 = 2;

    fn statement() -> impl Strategy<Value = Statement> {
        let has = (0..PEOPLE, 0..VALUES).prop_map(|(person, value)| Statement::Has { person, value });
        has.prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(|own| Statement::Not(Box::new(own))),
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Statement::And),
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Statement::Or),
                (inner.clone(), inner).prop_map(|(a, b)| Statement::Implies(Box::new(a), Box::new(b))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Whatever the others have, what is left says what the whole says.
        #[test]
        fn what_is_left_of_a_statement_says_the_same(says in statement(), own in 0..VALUES, a in 0..VALUES, b in 0..VALUES) {
            let known = BTreeMap::from([(0, own)]);
            let worth = says.holds(&|person| [own, a, b].get(person as usize).copied()).unwrap();
            match reduced(&says, &|person| person == 0, &known) {
                Reduced::Is(is) => prop_assert_eq!(is, worth),
                Reduced::Left(left) => {
                    left.people(&mut |person| assert_ne!(person, 0));
                    prop_assert_eq!(left.holds(&|person| [None, Some(a), Some(b)][person as usize]), Some(worth));
                }
                Reduced::Open => prop_assert!(false, "everything is known"),
            }
        }
    }

    #[test]
    fn facts_about_nobody_who_is_published_are_left_out() {
        let fact = |says: Statement, place: &str| Fact { says, place: place.to_owned() };
        let has = |person, value| Statement::Has { person, value };
        let implies = Statement::Implies(Box::new(has(0, 1)), Box::new(has(1, 0)));
        let facts = || vec![fact(has(0, 1), "one"), fact(has(1, 1), "two"), fact(implies.clone(), "three")];
        // Who is nowhere is known to have 1, so that the second has 0.
        let usable = Usable::of(facts(), |person| person == 0, &BTreeMap::from([(0, 1)])).unwrap();
        assert_eq!(usable.skipped, ["one"]);
        assert_eq!(usable.facts.len(), 2);
        assert!(usable.note().unwrap().text.contains("1 (one)"));
        let open = Usable::of(facts(), |person| person == 0, &BTreeMap::new()).unwrap_err();
        assert!(open.to_string().starts_with("three hangs on the value"), "{open}");
        let all = Usable::of(facts(), |_| false, &BTreeMap::new()).unwrap();
        assert!(all.facts.len() == 3 && all.note().is_none());
    }
}
