//! Whom an account protects: decided when it is opened, so that answers that protect less are not charged to it.
//!
//! Budgets add up only over answers about the same kind of neighbours. An answer that hides one record costs more when a
//! person has several; one that takes the number of records as public tells something under add/remove neighbours.

use crate::people::Neighbours;

/// Whom an account, or a question, protects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Which tables are neighbours.
    pub neighbours: Neighbours,
    /// The column that tells whose record it is; without it the number of records is taken on trust.
    pub person: Option<String>,
    /// The most records of a person that count.
    pub records: u32,
}

impl Default for Terms {
    /// One record each, which may be there or not.
    fn default() -> Self {
        Self { neighbours: Neighbours::AddRemove, person: None, records: 1 }
    }
}

impl Terms {
    /// Whether a question on these terms protects at least whom the account protects.
    pub fn protect(&self, account: &Terms) -> bool {
        let whom = match (&self.person, &account.person) {
            (own, Some(person)) => own.as_ref() == Some(person),
            // Whose records these are is said by whoever asks: by a column that is no person's, records of several people
            // push each other out of the limit, and one record then changes more than it should.
            (Some(_), None) => false,
            (None, None) => self.records >= account.records,
        };
        self.neighbours == account.neighbours && whom
    }

    /// As it stands in the ledger.
    pub(super) fn text(&self) -> String {
        let word = match self.neighbours {
            Neighbours::AddRemove => ADD_REMOVE,
            Neighbours::ReplaceOne => REPLACE,
        };
        let person = self.person.as_deref().unwrap_or_default();
        format!("{word} {} {person}", self.records)
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ' ');
        let neighbours = match parts.next()? {
            ADD_REMOVE => Neighbours::AddRemove,
            REPLACE => Neighbours::ReplaceOne,
            _ => return None,
        };
        let records = parts.next()?.parse().ok()?;
        let person = Some(parts.next()?.to_owned()).filter(|person| !person.is_empty());
        Some(Self { neighbours, person, records })
    }
}

const ADD_REMOVE: &str = "add-remove";
const REPLACE: &str = "replace";

impl std::fmt::Display for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = match self.neighbours {
            Neighbours::AddRemove => ADD_REMOVE,
            Neighbours::ReplaceOne => REPLACE,
        };
        write!(f, "{word} neighbours, ")?;
        match &self.person {
            Some(person) => write!(f, "people by column `{person}`"),
            None if self.records == 1 => f.write_str("one record a person"),
            None => write!(f, "at most {} records a person", self.records),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_must_protect_whom_the_account_protects() {
        let terms = |neighbours, person: Option<&str>, records| Terms {
            neighbours,
            person: person.map(str::to_owned),
            records,
        };
        let (add, replace) = (Neighbours::AddRemove, Neighbours::ReplaceOne);
        let one = Terms::default();
        assert!(one.protect(&one));
        assert!(terms(add, None, 2).protect(&one) && !one.protect(&terms(add, None, 2)));
        assert!(!terms(add, Some("id"), 1).protect(&terms(add, None, 2)));
        assert!(!terms(add, Some("sex"), 1).protect(&one));
        assert!(!one.protect(&terms(add, Some("id"), 1)));
        assert!(!terms(add, Some("sex"), 1).protect(&terms(add, Some("id"), 1)));
        assert!(terms(add, Some("id"), 3).protect(&terms(add, Some("id"), 1)));
        assert!(!terms(replace, None, 1).protect(&one) && !one.protect(&terms(replace, None, 1)));
    }

    #[test]
    fn terms_come_back_from_their_text() {
        for person in [None, Some("patient id")] {
            let terms =
                Terms { neighbours: Neighbours::ReplaceOne, person: person.map(str::to_owned), records: 7 };
            assert_eq!(Terms::parse(&terms.text()), Some(terms));
        }
        for text in ["", "add-remove", "add-remove 1", "both 1 ", "replace -1 "] {
            assert_eq!(Terms::parse(text), None, "{text}");
        }
    }
}
