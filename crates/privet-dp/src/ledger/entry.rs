//! One entry of a ledger, and the audit of all of them: what every kind of storage shares.
//!
//! Guarantee: storages differ in how they keep entries, not in what an entry says, how it is hashed or when a chain of
//! them holds. Amounts are text of exact fractions, so that no database rounds them.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use dashu::rational::RBig;

use super::chain::{START, Seal};
use super::{Act, Head, LedgerError, Receipt, Record, Request, name};
use crate::budget::{Loss, parse};

const OPEN: &str = "open";
const CHARGE: &str = "charge";

/// Epsilon and delta as text.
pub(super) type Amount = [String; 2];

/// One line of the ledger, as it is stored.
pub(super) struct Entry {
    pub sequence: u64,
    pub kind: String,
    pub time: u64,
    pub dataset: String,
    pub asker: String,
    pub fingerprint: String,
    pub loss: Amount,
    pub remaining: Amount,
    pub hash: String,
}

impl Entry {
    /// The opening of an account, and its total.
    pub fn opening(dataset: &str, budget: &Loss) -> Result<Self, LedgerError> {
        if name(dataset).is_err() || budget.epsilon().is_zero() {
            return Err(LedgerError::BadAccount);
        }
        let total = text(&budget.rounded_down());
        Ok(Self {
            sequence: 0,
            kind: OPEN.to_owned(),
            time: 0,
            dataset: dataset.to_owned(),
            asker: String::new(),
            fingerprint: String::new(),
            loss: total.clone(),
            remaining: total,
            hash: String::new(),
        })
    }

    /// A charge on what is left, or a refusal.
    pub fn charge(request: &Request, left: &Loss) -> Result<Self, LedgerError> {
        let Some(after) = left.after(&request.loss) else {
            let (asked, left) = (request.loss.clone().into(), left.clone().into());
            return Err(LedgerError::Insufficient { asked, left });
        };
        Ok(Self {
            sequence: 0,
            kind: CHARGE.to_owned(),
            time: 0,
            dataset: request.dataset.clone(),
            asker: request.asker.clone(),
            fingerprint: request.fingerprint.clone(),
            loss: text(&request.loss),
            remaining: text(&after),
            hash: String::new(),
        })
    }

    /// Puts it behind the last entry: its number, its time and its hash.
    pub fn follow(&mut self, head: &Head, seal: &Seal) -> Result<(), LedgerError> {
        self.sequence = head.sequence + 1;
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        self.time = since.map_or(0, |since| since.as_secs());
        self.hash = self.hash_after(&head.hash, seal)?;
        Ok(())
    }

    fn hash_after(&self, previous: &str, seal: &Seal) -> Result<String, LedgerError> {
        let (sequence, time) = (self.sequence.to_string(), self.time.to_string());
        let [epsilon, delta] = &self.loss;
        let [epsilon_left, delta_left] = &self.remaining;
        seal.hash(
            previous,
            &[
                &sequence,
                &self.kind,
                &time,
                &self.dataset,
                &self.asker,
                &self.fingerprint,
                epsilon,
                delta,
                epsilon_left,
                delta_left,
            ],
        )
    }

    /// Recomputes its hash, so that an amount changed by hand is not spent, and a ledger that is signed with another
    /// key is not continued. `before` is the hash of the entry before it. The whole chain is [`Audit`]'s matter.
    pub fn must_be_genuine(&self, before: Option<&str>, seal: &Seal) -> Result<(), LedgerError> {
        if self.hash_after(before.unwrap_or(START), seal)? == self.hash {
            return Ok(());
        }
        Err(self.broken("its hash is another one, or the key is"))
    }

    /// What it leaves of its account.
    pub fn left(&self) -> Result<Loss, LedgerError> {
        loss(&self.remaining).ok_or_else(|| self.broken("its remaining budget cannot be read"))
    }

    pub fn receipt(self) -> Result<Receipt, LedgerError> {
        Ok(Receipt { sequence: self.sequence, remaining: self.left()?, hash: self.hash })
    }

    pub fn record(self) -> Result<Record, LedgerError> {
        let act = match self.kind.as_str() {
            OPEN => Act::Opened,
            CHARGE => Act::Charged,
            _ => return Err(self.broken("it is neither an opening nor a charge")),
        };
        let amount = loss(&self.loss).ok_or_else(|| self.broken("its amounts cannot be read"))?;
        Ok(Record {
            sequence: self.sequence,
            act,
            time: self.time,
            remaining: self.left()?,
            dataset: self.dataset,
            asker: self.asker,
            fingerprint: self.fingerprint,
            loss: amount,
            hash: self.hash,
        })
    }

    fn broken(&self, problem: &'static str) -> LedgerError {
        LedgerError::Broken { sequence: self.sequence, problem }
    }
}

fn text(loss: &Loss) -> Amount {
    [loss.epsilon().to_string(), loss.delta().to_string()]
}

fn loss([epsilon, delta]: &Amount) -> Option<Loss> {
    let part = |text: &str| -> Option<RBig> { parse(text) };
    Loss::new(part(epsilon)?, part(delta)?).ok()
}

/// The head of a ledger without entries.
pub(super) fn beginning() -> Head {
    Head { sequence: 0, hash: START.to_owned() }
}

/// Goes through all entries in order and recomputes every hash and every sum.
pub(super) struct Audit<'a> {
    seal: &'a Seal,
    since: Option<&'a Head>,
    accounts: HashMap<String, Loss>,
    totals: HashMap<String, Amount>,
    last: Head,
    seen: bool,
}

impl<'a> Audit<'a> {
    pub fn new(seal: &'a Seal, since: Option<&'a Head>) -> Self {
        let last = beginning();
        let seen = since.is_none_or(|head| *head == last);
        Self { seal, since, accounts: HashMap::new(), totals: HashMap::new(), last, seen }
    }

    /// The next entry.
    pub fn take(&mut self, entry: Entry) -> Result<(), LedgerError> {
        let broken = |problem| LedgerError::Broken { sequence: entry.sequence, problem };
        if entry.sequence != self.last.sequence + 1 {
            return Err(broken("an entry before it is missing"));
        }
        entry.must_be_genuine(Some(&self.last.hash), self.seal)?;
        let (Some(spent), Some(left)) = (loss(&entry.loss), loss(&entry.remaining)) else {
            return Err(broken("its amounts cannot be read"));
        };
        let expected = match (entry.kind.as_str(), self.accounts.get(&entry.dataset)) {
            (OPEN, None) => {
                self.totals.insert(entry.dataset.clone(), entry.loss.clone());
                Some(spent)
            }
            (CHARGE, Some(before)) => before.after(&spent),
            _ => return Err(broken("its account is not open, or is opened again")),
        };
        if expected.as_ref() != Some(&left) {
            return Err(broken("it does not leave what it should"));
        }
        self.accounts.insert(entry.dataset, left);
        self.last = Head { sequence: entry.sequence, hash: entry.hash };
        self.seen |= self.since == Some(&self.last);
        Ok(())
    }

    /// Compares with the table of accounts.
    pub fn finish(self, accounts: impl IntoIterator<Item = (String, Amount)>) -> Result<Head, LedgerError> {
        let broken = |problem| LedgerError::Broken { sequence: self.last.sequence, problem };
        if !self.seen {
            return Err(broken("an entry that was there earlier is missing or changed"));
        }
        let mut count = 0;
        for (dataset, total) in accounts {
            count += 1;
            if self.totals.get(&dataset) != Some(&total) {
                return Err(broken("the table of accounts has another budget than was opened"));
            }
        }
        if count != self.totals.len() {
            return Err(broken("the table of accounts lacks one that was opened"));
        }
        Ok(self.last)
    }
}
