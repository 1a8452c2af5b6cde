//! One entry of a ledger, and the audit of all of them: what every kind of storage shares.
//!
//! Guarantee: storages differ in how they keep entries, not in what an entry says, how it is hashed or when a chain of
//! them holds. Amounts are text of exact fractions, so that no database rounds them.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use super::chain::{START, Seal};
use super::population::{Population, PopulationKey, Sketch};
use super::sealed::{opened, opened_text, sealed, sealed_text};
use super::{Act, Head, LedgerError, Marker, Opening, Receipt, Record, Related, Request, Terms, check_name};
use crate::budget::{Loss, parse_stored};

const OPEN: &str = "open";
const CHARGE: &str = "charge";
const AUDITED: &str = "audited";

/// What stands before the name of a data set whose exact answers are audited: such accounts have no budget, and no other account can have
/// such a name.
const AUDITED_ACCOUNT: &str = "audited\t";

/// Epsilon and delta as text.
pub(super) type Amount = [String; 2];

/// One line of the ledger, as it is stored.
pub(super) struct Entry {
    pub sequence: u64,
    pub kind: String,
    pub time: u64,
    pub dataset: String,
    pub asker: String,
    /// Of a charge the hash of the question; behind it, or alone, what is kept of the people.
    pub fingerprint: String,
    pub loss: Amount,
    pub remaining: Amount,
    pub hash: String,
}

impl Entry {
    /// The opening of an account, its terms (where a charge names its asker), its total, and what is kept of its people.
    fn opening(opening: &Opening<'_>, people: String) -> Result<Self, LedgerError> {
        let Opening { dataset, terms, budget, .. } = *opening;
        let is_name = |name: &str| check_name(name).is_ok();
        let is_person = terms.person.as_deref().is_none_or(is_name);
        let is_nothing = budget.epsilon().is_zero() && budget.rho().is_none_or(|rho| rho.is_zero());
        if !is_name(dataset) || !is_person || is_nothing {
            return Err(LedgerError::BadAccount);
        }
        let total = text(&budget.rounded_down());
        Ok(Self {
            sequence: 0,
            kind: OPEN.to_owned(),
            time: 0,
            dataset: dataset.to_owned(),
            asker: terms.text(),
            fingerprint: people,
            loss: total.clone(),
            remaining: total,
            hash: String::new(),
        })
    }

    /// A charge on what is left, or a refusal.
    fn charge(request: &Request, left: &Loss, people: Option<String>) -> Result<Self, LedgerError> {
        let Some((charge, after)) = left.charged(&request.loss) else {
            let (asked, left) = (request.loss.clone().into(), left.clone().into());
            return Err(LedgerError::Insufficient { asked, left });
        };
        Ok(Self {
            sequence: 0,
            kind: CHARGE.to_owned(),
            time: 0,
            dataset: request.dataset.clone(),
            asker: request.asker.clone(),
            fingerprint: match people {
                Some(people) => format!("{} {people}", request.fingerprint),
                None => request.fingerprint.clone(),
            },
            loss: text(&charge),
            remaining: text(&after),
            hash: String::new(),
        })
    }

    /// A decision about an exact answer, which costs nothing.
    fn audited(dataset: &str, asker: &str, kept: String) -> Result<Self, LedgerError> {
        let is_asker = asker.is_empty() || check_name(asker).is_ok();
        if check_name(dataset).is_err() || !is_asker {
            return Err(LedgerError::BadAccount);
        }
        let nothing = || ["0".to_owned(), "0".to_owned()];
        Ok(Self {
            sequence: 0,
            kind: AUDITED.to_owned(),
            time: 0,
            dataset: audited_account(dataset),
            asker: asker.to_owned(),
            fingerprint: kept,
            loss: nothing(),
            remaining: nothing(),
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

    /// Recomputes its hash from that of the entry before it.
    fn must_be_genuine(&self, before: &str, seal: &Seal) -> Result<(), LedgerError> {
        if self.hash_after(before, seal)? == self.hash {
            return Ok(());
        }
        Err(self.broken("its hash is another one, or the key is"))
    }

    /// What it keeps of the people of its account.
    fn people(&self) -> Option<&str> {
        let people = match self.kind.as_str() {
            OPEN => &self.fingerprint,
            AUDITED => return None,
            _ => self.fingerprint.split_once(' ')?.1,
        };
        (!people.is_empty()).then_some(people)
    }

    /// What it leaves of its account.
    pub fn left(&self) -> Result<Loss, LedgerError> {
        loss(&self.remaining).ok_or_else(|| self.broken("its remaining budget cannot be read"))
    }

    pub fn receipt(self) -> Result<Receipt, LedgerError> {
        Ok(Receipt { sequence: self.sequence, remaining: self.left()?, hash: self.hash })
    }

    pub fn record(mut self) -> Result<Record, LedgerError> {
        if self.kind == OPEN {
            self.asker.clear();
            self.fingerprint.clear();
        }
        if self.kind == AUDITED {
            self.fingerprint.clear();
            let name = self.dataset.strip_prefix(AUDITED_ACCOUNT);
            // Apart from the account of that name, which has a budget.
            self.dataset = match name {
                Some(name) => format!("audited answers of {name}"),
                None => return Err(self.broken("its account is another one")),
            };
        }
        if let Some((question, _)) = self.fingerprint.split_once(' ') {
            self.fingerprint = question.to_owned();
        }
        let act = match self.kind.as_str() {
            OPEN => Act::Opened,
            CHARGE => Act::Charged,
            AUDITED => Act::Audited,
            _ => return Err(self.broken("it is no opening, no charge and no audited question")),
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

/// What stands before an amount in rho.
const RHO: &str = "rho ";

fn text(loss: &Loss) -> Amount {
    match loss.rho() {
        Some(rho) => [format!("{RHO}{rho}"), "0".to_owned()],
        None => [loss.epsilon().to_string(), loss.delta().to_string()],
    }
}

fn loss([epsilon, delta]: &Amount) -> Option<Loss> {
    if let Some(rho) = epsilon.strip_prefix(RHO) {
        return (delta == "0").then(|| Loss::concentrated(parse_stored(rho)?).ok())?;
    }
    Loss::new(parse_stored(epsilon)?, parse_stored(delta)?).ok()
}

/// The account of a data set whose exact answers are audited.
fn audited_account(dataset: &str) -> String {
    format!("{AUDITED_ACCOUNT}{dataset}")
}

/// The head of a ledger without entries.
pub(super) fn beginning() -> Head {
    Head { sequence: 0, hash: START.to_owned() }
}

/// A number of the ledger. None is negative, and a sign that was turned round must not go unnoticed.
pub(super) fn whole(number: i64) -> Result<u64, LedgerError> {
    let problem = "a number in it is negative";
    u64::try_from(number).map_err(|_| LedgerError::Broken { sequence: number.unsigned_abs(), problem })
}

/// Goes through all entries in order and recomputes every hash and every sum. What is spent is what it finds, never what
/// a single entry claims.
#[derive(Default)]
pub(super) struct Audit {
    accounts: HashMap<String, (Terms, Loss)>,
    totals: HashMap<String, Amount>,
    /// What is kept of the people of accounts, sealed.
    people: HashMap<String, String>,
    /// Per account of audited answers what its entries keep, sealed.
    audited: HashMap<String, Vec<String>>,
    first: Option<String>,
    last: Option<Head>,
    /// An entry that must be there, until it is passed.
    awaited: Option<Head>,
}

impl Audit {
    /// One that must pass an entry that was seen earlier.
    pub fn awaiting(head: Option<Head>) -> Self {
        Self { awaited: head, ..Self::default() }
    }

    /// The hash of the first entry, by which a ledger is known.
    pub fn id(&self) -> Option<&str> {
        self.first.as_deref()
    }

    /// The last entry that was gone through.
    pub fn last(&self) -> Head {
        self.last.clone().unwrap_or_else(beginning)
    }

    /// The next entry.
    pub fn take(&mut self, seal: &Seal, entry: Entry) -> Result<(), LedgerError> {
        let broken = |problem| LedgerError::Broken { sequence: entry.sequence, problem };
        let last = self.last();
        if entry.sequence != last.sequence + 1 {
            return Err(broken("an entry before it is missing"));
        }
        entry.must_be_genuine(&last.hash, seal)?;
        let (Some(spent), Some(left)) = (loss(&entry.loss), loss(&entry.remaining)) else {
            return Err(broken("its amounts cannot be read"));
        };
        if entry.kind == AUDITED {
            return self.take_audited(entry, &spent, &left);
        }
        let (terms, expected) = match (entry.kind.as_str(), self.accounts.remove(&entry.dataset)) {
            (OPEN, None) => {
                self.totals.insert(entry.dataset.clone(), entry.loss.clone());
                let terms = Terms::parse(&entry.asker).ok_or_else(|| broken("its terms cannot be read"))?;
                (terms, Some(spent))
            }
            (CHARGE, Some((terms, before))) => (terms, before.after(&spent)),
            _ => return Err(broken("its account is not open, or is opened again")),
        };
        if expected.as_ref() != Some(&left) {
            return Err(broken("it does not leave what it should"));
        }
        if let Some(people) = entry.people() {
            self.people.insert(entry.dataset.clone(), people.to_owned());
        }
        self.accounts.insert(entry.dataset, (terms, left));
        self.pass(Head { sequence: entry.sequence, hash: entry.hash });
        Ok(())
    }

    /// The next entry, which is about an audited answer.
    fn take_audited(&mut self, entry: Entry, spent: &Loss, left: &Loss) -> Result<(), LedgerError> {
        if !entry.dataset.starts_with(AUDITED_ACCOUNT) || !spent.is_none() || !left.is_none() {
            return Err(entry.broken("an audited question is in no account of its own, or costs something"));
        }
        self.totals.entry(entry.dataset.clone()).or_insert_with(|| entry.loss.clone());
        self.audited.entry(entry.dataset).or_default().push(entry.fingerprint);
        self.pass(Head { sequence: entry.sequence, hash: entry.hash });
        Ok(())
    }

    fn pass(&mut self, head: Head) {
        if self.awaited.as_ref() == Some(&head) {
            self.awaited = None;
        }
        self.first.get_or_insert_with(|| head.hash.clone());
        self.last = Some(head);
    }

    /// What was kept of the audited answers about a data set, in order.
    pub fn audited(&self, dataset: &str, seal: &Seal) -> Result<Vec<String>, LedgerError> {
        let kept = self.audited.get(&audited_account(dataset)).map_or(&[][..], Vec::as_slice);
        let problem = "what it keeps of an audited question cannot be read";
        let broken = || LedgerError::Broken { sequence: self.last().sequence, problem };
        kept.iter().map(|text| opened_text(text, seal)?.ok_or_else(broken)).collect()
    }

    /// The entry of a decision about an exact answer, and whether its account is new; a refusal where others were written since.
    pub fn audited_entry(
        &self,
        (dataset, asker, text): (&str, &str, &str),
        after: u64,
        seal: &Seal,
    ) -> Result<(Entry, bool), LedgerError> {
        let known = self.audited.get(&audited_account(dataset)).map_or(0, Vec::len) as u64;
        if known != after {
            return Err(LedgerError::Moved);
        }
        Ok((Entry::audited(dataset, asker, sealed_text(text, seal)?)?, known == 0))
    }

    /// Compares with the table of accounts.
    pub fn compare(&self, accounts: impl IntoIterator<Item = (String, Amount)>) -> Result<(), LedgerError> {
        let broken = |problem| LedgerError::Broken { sequence: self.last().sequence, problem };
        if self.awaited.is_some() {
            return Err(broken(
                "an entry that its key file remembers is missing behind it, as after an old copy was put back",
            ));
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
        Ok(())
    }

    /// What is left of an account.
    pub fn left(&self, dataset: &str) -> Result<Loss, LedgerError> {
        self.accounts.get(dataset).map(|(_, left)| left.clone()).ok_or(LedgerError::NoAccount)
    }

    /// The opening of an account, or a refusal where its people have one already.
    pub fn opening(&self, opening: &Opening<'_>, seal: &Seal) -> Result<Entry, LedgerError> {
        let person = opening.terms.person.as_deref();
        let Some(population) = opening.population else { return Entry::opening(opening, String::new()) };
        if !opening.is_accepted && !self.accounts.contains_key(opening.dataset) {
            self.must_be_unrelated(population, seal)?;
        }
        let people = sealed(&Sketch::of(population, person), seal)?;
        Entry::opening(opening, people.unwrap_or_default())
    }

    /// A charge on an account, or a refusal.
    pub fn charge(&self, request: &Request, seal: &Seal) -> Result<Entry, LedgerError> {
        let (terms, left) = self.accounts.get(&request.dataset).ok_or(LedgerError::NoAccount)?;
        if !request.terms.protect(terms) {
            let (account, asked) = (terms.clone().into(), request.terms.clone().into());
            return Err(LedgerError::OtherTerms { account, asked });
        }
        // A budget that does not suffice is told first.
        Entry::charge(request, left, None)?;
        let people = match &request.population {
            Some(population) => self.learnt(request, population, terms, seal)?,
            None => None,
        };
        Entry::charge(request, left, people)
    }

    /// What the account is to keep of the people of a question, where that is news; a refusal where they are not its own.
    fn learnt(
        &self,
        request: &Request,
        population: &Population,
        terms: &Terms,
        seal: &Seal,
    ) -> Result<Option<String>, LedgerError> {
        let person = terms.person.as_deref();
        let Some(known) = self.known(&request.dataset, seal)? else {
            if !request.is_accepted {
                self.must_be_unrelated(population, seal)?;
            }
            return sealed(&Sketch::of(population, person), seal);
        };
        if !request.is_accepted {
            if known.is_of_strangers(population, person) {
                return Err(LedgerError::OtherPeople { account: request.dataset.clone() });
            }
            for related in self.related(population, seal)? {
                // Accounts that were about the same people already were opened so on purpose.
                let other = self.known(&related.account, seal)?;
                if related.account != request.dataset && !other.is_some_and(|other| other.is_kin(&known)) {
                    return Err(related.into());
                }
            }
        }
        match known.must_learn(population, person) {
            true => sealed(&known.with(population, person), seal),
            false => Ok(None),
        }
    }

    /// What is kept of the people of an account.
    fn known(&self, dataset: &str, seal: &Seal) -> Result<Option<Sketch>, LedgerError> {
        let Some(text) = self.people.get(dataset) else { return Ok(None) };
        let problem = "what it keeps of the people cannot be read";
        let broken = LedgerError::Broken { sequence: self.last().sequence, problem };
        opened(text, seal)?.map(Some).ok_or(broken)
    }

    fn must_be_unrelated(&self, population: &Population, seal: &Seal) -> Result<(), LedgerError> {
        self.related(population, seal)?.into_iter().next().map_or(Ok(()), |related| Err(related.into()))
    }

    /// The accounts that are about the same people as a table.
    pub fn related(&self, population: &Population, seal: &Seal) -> Result<Vec<Related>, LedgerError> {
        let mut found = Vec::new();
        for (account, (terms, _)) in &self.accounts {
            let Some(known) = self.known(account, seal)? else { continue };
            let kinship = known.kinship(population, terms.person.as_deref());
            found.extend(kinship.map(|kinship| Related { account: account.clone(), kinship }));
        }
        found.sort_by(|one, other| one.account.cmp(&other.account));
        Ok(found)
    }

    /// By what the ledger knows people.
    pub fn marker(&self, dataset: Option<&str>, seal: &Seal) -> Result<Option<Marker>, LedgerError> {
        let Some(secret) = seal.derived("people of a privet ledger")? else { return Ok(None) };
        let key = PopulationKey::new(&secret).ok_or(LedgerError::Key)?;
        let persons = self.accounts.values().filter_map(|(terms, _)| terms.person.clone()).collect();
        let known = match dataset {
            Some(dataset) => self.known(dataset, seal)?,
            None => None,
        };
        Ok(Some(Marker { key, persons, by_person: known.is_some_and(|known| known.has_persons()) }))
    }
}

/// Whether an earlier head is among those that an audit passes.
pub(super) struct Since<'a> {
    wanted: Option<&'a Head>,
    seen: bool,
}

impl<'a> Since<'a> {
    pub fn new(wanted: Option<&'a Head>) -> Self {
        Self { wanted, seen: wanted.is_none_or(|head| *head == beginning()) }
    }

    pub fn pass(&mut self, head: &Head) {
        self.seen |= self.wanted == Some(head);
    }

    pub fn finish(self, last: Head) -> Result<Head, LedgerError> {
        let problem = "an entry that was there earlier is missing or changed";
        if self.seen { Ok(last) } else { Err(LedgerError::Broken { sequence: last.sequence, problem }) }
    }
}
