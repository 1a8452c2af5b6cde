//! Trackers (survey AT-08, PM-32; Denning): a server that answers sums and counts only over sets of records that are
//! neither small nor nearly everything, and how any answer is got out of it all the same.
//!
//! **Guarantee.** With a general tracker T (2k ≤ |T| ≤ n − 2k) every count and sum that the server refuses is computed
//! exactly from answers that it gives. An individual tracker needs less: two answers and a formula that splits the
//! target's.

use crate::attacks::{AttackWord, Role};

/// The word of the attack in files.
pub const TRACKER: &str = "tracker";

/// What it is.
pub(crate) const ABOUT_TRACKER: AttackWord = AttackWord {
    word: TRACKER,
    title: "Tracker",
    sentence: "The adversary asks questions that are allowed and computes from their answers the answer to a question about one person that is refused.",
    about: "a server that answers about many tells about one",
    needs: Some("server"),
    quick: false,
    role: Role::Informs("it is about the server, not about the release, and the same whatever is published"),
};

/// Which records are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// All records.
    All,
    /// Those with this code in this column.
    Is(usize, u32),
    /// Those with a code below this in this column.
    Below(usize, u32),
    /// Those not meant by another.
    Not(Box<Formula>),
    /// Those meant by both.
    And(Box<Formula>, Box<Formula>),
    /// Those meant by at least one.
    Or(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Those that are not meant.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Those meant by both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::And(Box::new(self), Box::new(other))
    }

    /// Those meant by at least one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::Or(Box::new(self), Box::new(other))
    }
}

/// What is asked about the records that are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// How many there are.
    Count,
    /// The sum of a column of numbers, by its position.
    Sum(usize),
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Too few or too many records.
    #[error("the server answers only about at least {k} records and at most all but {k}")]
    SetSize {
        /// The limit.
        k: u64,
    },
    /// The query names a column that there is not.
    #[error("there is no such column")]
    NoColumn,
    /// The formula is no general tracker.
    #[error("a general tracker must mean at least {least} records and at most all but {least}")]
    NoTracker {
        /// Twice the limit.
        least: u64,
    },
    /// A column has more or fewer values than there are records.
    #[error("every column must have one value for each record")]
    Rows,
}

/// A server with query-set-size control (survey PM-32).
#[derive(Debug, Clone)]
pub struct Server<'a> {
    codes: Vec<&'a [u32]>,
    numbers: Vec<&'a [i64]>,
    records: usize,
    k: u64,
}

impl<'a> Server<'a> {
    /// A server that answers only about sets of k to n − k of its n records.
    ///
    /// # Errors
    /// When columns have different lengths.
    pub fn new(codes: Vec<&'a [u32]>, numbers: Vec<&'a [i64]>, k: u64) -> Result<Self, Refused> {
        let lengths = || codes.iter().map(|c| c.len()).chain(numbers.iter().map(|c| c.len()));
        let records = lengths().next().unwrap_or(0);
        if lengths().any(|length| length != records) {
            return Err(Refused::Rows);
        }
        Ok(Self { codes, numbers, records, k })
    }

    /// The limit, which everybody knows.
    pub fn k(&self) -> u64 {
        self.k
    }

    /// Answers, or refuses.
    ///
    /// # Errors
    /// When the formula means fewer than k or more than n − k records, or a column does not exist.
    pub fn ask(&self, quantity: Quantity, formula: &Formula) -> Result<i128, Refused> {
        let meant = self.meant(formula)?;
        let size = meant.iter().filter(|&&meant| meant).count() as u64;
        if size < self.k || size.saturating_add(self.k) > self.records as u64 {
            return Err(Refused::SetSize { k: self.k });
        }
        match quantity {
            Quantity::Count => Ok(i128::from(size)),
            Quantity::Sum(column) => {
                let numbers = self.numbers.get(column).ok_or(Refused::NoColumn)?;
                Ok(numbers.iter().zip(&meant).filter(|(_, meant)| **meant).map(|(&n, _)| i128::from(n)).sum())
            }
        }
    }

    /// The formula in postfix order on a stack, so that deep formulas need no deep recursion.
    fn meant(&self, formula: &Formula) -> Result<Vec<bool>, Refused> {
        let mut order = Vec::new();
        let mut open = vec![formula];
        while let Some(part) = open.pop() {
            order.push(part);
            match part {
                Formula::Not(inner) => open.push(inner),
                Formula::And(a, b) | Formula::Or(a, b) => open.extend([&**a, &**b]),
                _ => {}
            }
        }
        let mut sets: Vec<Vec<bool>> = Vec::new();
        for part in order.into_iter().rev() {
            let column = |column: usize| self.codes.get(column).ok_or(Refused::NoColumn);
            let set = match part {
                Formula::All => vec![true; self.records],
                Formula::Is(at, code) => column(*at)?.iter().map(|other| other == code).collect(),
                Formula::Below(at, code) => column(*at)?.iter().map(|other| other < code).collect(),
                Formula::Not(_) => sets.pop().unwrap_or_default().into_iter().map(|meant| !meant).collect(),
                Formula::And(..) | Formula::Or(..) => {
                    let (a, b) = (sets.pop().unwrap_or_default(), sets.pop().unwrap_or_default());
                    let both = matches!(part, Formula::And(..));
                    a.into_iter().zip(b).map(|(a, b)| if both { a && b } else { a || b }).collect()
                }
            };
            sets.push(set);
        }
        Ok(sets.pop().unwrap_or_default())
    }
}

/// The individual tracker: what the server refuses to say about the few that are A and B, as what it says about A less
/// what it says about those that are A and not B.
///
/// # Errors
/// When the server refuses one of the two.
pub fn individual_tracker(
    server: &Server<'_>,
    quantity: Quantity,
    a: &Formula,
    b: &Formula,
) -> Result<i128, Refused> {
    let tracker = a.clone().and(b.clone().negated());
    Ok(server.ask(quantity, a)? - server.ask(quantity, &tracker)?)
}

/// How many records all of these formulas mean, from an answer that the server gives or by an individual tracker: A is one of
/// them, or all but one, and B the rest. `None` when the server refuses all of these.
///
/// # Errors
/// When a column does not exist.
pub fn count_of_few(server: &Server<'_>, parts: &[Formula]) -> Result<Option<u64>, Refused> {
    let all = |chosen: &dyn Fn(usize) -> bool| {
        let own = parts.iter().enumerate().filter(|(at, _)| chosen(*at)).map(|(_, part)| part.clone());
        own.reduce(Formula::and).unwrap_or(Formula::All)
    };
    match server.ask(Quantity::Count, &all(&|_| true)) {
        Err(Refused::SetSize { .. }) => {}
        answered => return Ok(Some(answered? as u64)),
    }
    for one in 0..parts.len() {
        for alone in [true, false] {
            let (a, b) = (all(&|at| (at == one) == alone), all(&|at| (at == one) != alone));
            match individual_tracker(server, Quantity::Count, &a, &b) {
                Err(Refused::SetSize { .. }) => {}
                answered => return Ok(Some(answered? as u64)),
            }
        }
    }
    Ok(None)
}

/// A formula that means neither few nor nearly all records, with which everything can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralTracker {
    tracker: Formula,
    /// How many records there are, learned on the way.
    pub records: u64,
}

impl GeneralTracker {
    /// Takes a formula for a tracker, which two counts decide.
    ///
    /// # Errors
    /// When it means fewer than 2k or more than n − 2k records, or the server refuses.
    pub fn new(server: &Server<'_>, tracker: Formula) -> Result<Self, Refused> {
        let least = server.k().saturating_mul(2);
        let (inside, outside) = (
            server.ask(Quantity::Count, &tracker)?,
            server.ask(Quantity::Count, &tracker.clone().negated())?,
        );
        if inside.min(outside) < i128::from(least) {
            return Err(Refused::NoTracker { least });
        }
        Ok(Self { tracker, records: (inside + outside) as u64 })
    }

    /// The first formula that is a tracker; `None` when none is.
    pub fn find(server: &Server<'_>, formulas: impl IntoIterator<Item = Formula>) -> Option<Self> {
        formulas.into_iter().find_map(|formula| Self::new(server, formula).ok())
    }

    /// The answer to any query: from the server when it gives it, from the tracker otherwise.
    ///
    /// With q(C ∨ T) + q(C ∨ ¬T) all records are counted once and those of C twice. So q(C) is that sum less q(all),
    /// which is q(T) + q(¬T). The sets asked for are neither few nor nearly all when C is small; when C is nearly all, the
    /// same is asked about its negation.
    ///
    /// # Errors
    /// When a column does not exist.
    pub fn ask(&self, server: &Server<'_>, quantity: Quantity, formula: &Formula) -> Result<i128, Refused> {
        match server.ask(quantity, formula) {
            Err(Refused::SetSize { .. }) => {}
            answered => return answered,
        }
        let outside = self.tracker.clone().negated();
        let all = server.ask(quantity, &self.tracker)? + server.ask(quantity, &outside)?;
        let padded = |formula: &Formula| -> Result<i128, Refused> {
            let inside = server.ask(quantity, &formula.clone().or(self.tracker.clone()))?;
            Ok(inside + server.ask(quantity, &formula.clone().or(outside.clone()))? - all)
        };
        match padded(formula) {
            Err(Refused::SetSize { .. }) => Ok(all - padded(&formula.clone().negated())?),
            answered => answered,
        }
    }
}

/// What trackers tell about a column among the records that all of some formulas mean: its values and how many have each, from
/// answers that the server gives. Values are asked about in their order until all those records are found. Without a general
/// tracker, by individual ones; `None` where the server refuses what these would need.
///
/// # Errors
/// When a column does not exist.
pub fn values_among(
    server: &Server<'_>,
    tracker: Option<&GeneralTracker>,
    parts: &[Formula],
    column: usize,
    values: u32,
) -> Result<Option<Vec<(u32, u64)>>, Refused> {
    let ask = |parts: &[Formula]| match tracker {
        Some(tracker) => {
            let all = parts.iter().cloned().reduce(Formula::and).unwrap_or(Formula::All);
            Ok(Some(tracker.ask(server, Quantity::Count, &all)? as u64))
        }
        None => count_of_few(server, parts),
    };
    let Some(mut left) = ask(parts)? else { return Ok(None) };
    let mut found = Vec::new();
    for value in 0..values {
        if left == 0 {
            break;
        }
        let having: Vec<Formula> = parts.iter().cloned().chain([Formula::Is(column, value)]).collect();
        let Some(count) = ask(&having)? else { return Ok(None) };
        if count > 0 {
            found.push((value, count));
            left = left.saturating_sub(count);
        }
    }
    Ok(Some(found))
}
