//! Perfect secrecy and perfect privacy of views of a table, for tiny domains (survey PM-19, PM-20, TH-05; Shannon;
//! Miklau and Suciu).
//!
//! A dictionary is a list of tuples that a table may hold; a table is a set of them, written as bits; a query gives
//! each table an answer. Everything is looked at table by table, so dictionaries of at most 16 tuples are possible.
//!
//! # Guarantee
//! Exact. [`shannon`] decides secrecy over *all* priors: it is violated whenever neither query is constant, by a prior
//! of two tables that differ in both answers, and that pair is given. (There is one: let S differ between a and b; if V
//! does not, take c with another V: S(c) differs from S(a) or from S(b).) [`is_perfectly_private`] decides privacy over
//! all tuple-independent priors, by theorem 2.3: no tuple is critical for both queries.

use std::collections::BTreeMap;

use crate::PerturbError;
use crate::error::check_probability;
use crate::matrix::check_length;

/// The most tuples of a dictionary.
pub const MOST_TUPLES: u32 = 16;

/// A query, as the table of its answers: one for each set of tuples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    tuples: u32,
    answers: Vec<u64>,
}

impl Query {
    /// The query that answers so for each table; bit t of a table says whether it holds tuple t.
    ///
    /// # Errors
    /// When there are more than [`MOST_TUPLES`] tuples.
    pub fn new(tuples: u32, answer: impl Fn(u32) -> u64) -> Result<Self, PerturbError> {
        if tuples > MOST_TUPLES {
            return Err(PerturbError::TooLarge {
                what: "the number of tuples",
                found: tuples as usize,
                most: MOST_TUPLES as usize,
            });
        }
        Ok(Self { tuples, answers: (0..1 << tuples).map(answer).collect() })
    }

    /// The answer for a table; `None` when it holds tuples that are not in the dictionary.
    pub fn answer(&self, table: u32) -> Option<u64> {
        self.answers.get(table as usize).copied()
    }

    /// The critical tuples, as bits: those whose coming or going changes the answer for some table.
    pub fn critical(&self) -> u32 {
        let is_critical = |tuple: &u32| {
            (0..1 << self.tuples).any(|table| self.answer(table) != self.answer(table | 1 << tuple))
        };
        (0..self.tuples).filter(is_critical).fold(0, |critical, tuple| critical | 1 << tuple)
    }
}

/// Two tables such that who holds both for equally possible learns from the view which of them it is, and with it the
/// secret; `None` when the secret or the view is constant, and only then is the secret perfectly secret.
///
/// # Errors
/// When the queries are over different dictionaries.
pub fn shannon(secret: &Query, view: &Query) -> Result<Option<(u32, u32)>, PerturbError> {
    check_length("answers", view.answers.len(), secret.answers.len())?;
    let pairs = || (0..).zip(secret.answers.iter().zip(&view.answers));
    // Compared with the first table alone, a pair may hide: then one that differs in the secret only and one that
    // differs in the view only make a pair together.
    let Some((_, (first_secret, first_view))) = pairs().next() else { return Ok(None) };
    let (mut other_secret, mut other_view) = (None, None);
    for (table, (secret, view)) in pairs() {
        match (secret != first_secret, view != first_view) {
            (true, true) => return Ok(Some((0, table))),
            (true, false) => other_secret = other_secret.or(Some(table)),
            (false, true) => other_view = other_view.or(Some(table)),
            (false, false) => {}
        }
    }
    Ok(other_secret.zip(other_view))
}

/// Whether the view tells nothing of the secret, under any prior in which tuples are independent (theorem 2.3).
///
/// # Errors
/// When the queries are over different dictionaries.
pub fn is_perfectly_private(secret: &Query, view: &Query) -> Result<bool, PerturbError> {
    check_length("answers", view.answers.len(), secret.answers.len())?;
    Ok(secret.critical() & view.critical() == 0)
}

/// How far secret and view are from independence under a prior over tables: max |P(s, v) − P(s)·P(v)|. They are
/// independent, and the view tells nothing to who has this prior, when it is 0.
///
/// # Errors
/// When the queries are over different dictionaries, or the prior is not one probability per table with the sum 1.
pub fn dependence(secret: &Query, view: &Query, prior: &[f64]) -> Result<f64, PerturbError> {
    check_length("answers", view.answers.len(), secret.answers.len())?;
    check_length("probabilities", prior.len(), secret.answers.len())?;
    let is_distribution =
        prior.iter().all(|p| (0.0..=1.0).contains(p)) && (prior.iter().sum::<f64>() - 1.0).abs() < 1e-9;
    if !is_distribution {
        return Err(PerturbError::Parameter { name: "the prior", accepted: "probabilities with the sum 1" });
    }
    let mut secrets: BTreeMap<u64, f64> = BTreeMap::new();
    let mut views: BTreeMap<u64, f64> = BTreeMap::new();
    let mut joint: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    for ((&s, &v), p) in secret.answers.iter().zip(&view.answers).zip(prior) {
        *secrets.entry(s).or_default() += p;
        *views.entry(v).or_default() += p;
        *joint.entry((s, v)).or_default() += p;
    }
    let mut most = 0.0f64;
    for (&s, p) in &secrets {
        for (&v, q) in &views {
            most = most.max((joint.get(&(s, v)).copied().unwrap_or(0.0) - p * q).abs());
        }
    }
    Ok(most)
}

/// The prior in which each tuple is in the table with its own probability, independently of the others.
///
/// # Errors
/// When there are more than [`MOST_TUPLES`] tuples, or one is no probability.
pub fn independent_prior(tuples: &[f64]) -> Result<Vec<f64>, PerturbError> {
    if tuples.len() > MOST_TUPLES as usize {
        let (found, most) = (tuples.len(), MOST_TUPLES as usize);
        return Err(PerturbError::TooLarge { what: "the number of tuples", found, most });
    }
    let mut prior = vec![1.0];
    for &tuple in tuples {
        check_probability("the probability of a tuple", tuple)?;
        let with: Vec<f64> = prior.iter().map(|p| p * tuple).collect();
        prior.iter_mut().for_each(|p| *p *= 1.0 - tuple);
        prior.extend(with);
    }
    Ok(prior)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BRUCE: u32 = 1;
    const CARY: u32 = 2;

    /// survey PM-20: Bruce's flu, Cary's flu, and the number of flus.
    #[test]
    fn bruce_and_cary() {
        let secret = Query::new(2, |table| u64::from(table & BRUCE > 0)).unwrap();
        let cary = Query::new(2, |table| u64::from(table & CARY > 0)).unwrap();
        let count = Query::new(2, |table| u64::from(table.count_ones())).unwrap();
        assert_eq!((secret.critical(), cary.critical(), count.critical()), (BRUCE, CARY, BRUCE | CARY));
        assert_eq!(is_perfectly_private(&secret, &cary), Ok(true));
        assert_eq!(is_perfectly_private(&secret, &count), Ok(false));
        // survey PM-19: with a correlated prior (both ill or none) even Cary's flu tells Bruce's.
        let (a, b) = shannon(&secret, &cary).unwrap().unwrap();
        let mut prior = vec![0.0; 4];
        (prior[a as usize], prior[b as usize]) = (0.5, 0.5);
        assert!(dependence(&secret, &cary, &prior).unwrap() > 0.2);
        assert!(dependence(&secret, &cary, &independent_prior(&[0.3, 0.6]).unwrap()).unwrap() < 1e-12);
        assert!(dependence(&secret, &count, &independent_prior(&[0.3, 0.6]).unwrap()).unwrap() > 0.01);
        // A constant view, or a constant secret, tells nothing under any prior.
        let constant = Query::new(2, |_| 7).unwrap();
        assert_eq!((shannon(&secret, &constant), shannon(&constant, &secret)), (Ok(None), Ok(None)));
    }

    /// Any query that looks at the tuples in a mask only.
    fn query(mask: u32, answers: &[u64]) -> Query {
        Query::new(4, |table| answers[(table & mask) as usize]).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// survey TH-05: disjoint critical tuples exactly when independent under tuple-independent priors; and the pair
        /// that violates secrecy does.
        #[test]
        fn theorem_2_3(
            masks in (0u32..16, 0u32..16),
            answers in prop::collection::vec(0u64..3, 32),
            priors in prop::collection::vec(prop::collection::vec(0.2f64..0.8, 4), 6),
        ) {
            let (secret, view) = (query(masks.0, &answers[..16]), query(masks.1, &answers[16..]));
            let dependent = |tuples: &Vec<f64>| dependence(&secret, &view, &independent_prior(tuples).unwrap()).unwrap();
            let most = priors.iter().map(dependent).fold(0.0, f64::max);
            prop_assert_eq!(is_perfectly_private(&secret, &view).unwrap(), most < 1e-12, "{}", most);
            let is_constant = |query: &Query| query.answers.iter().all(|own| *own == query.answers[0]);
            match shannon(&secret, &view).unwrap() {
                Some((a, b)) => {
                    prop_assert!(secret.answer(a) != secret.answer(b) && view.answer(a) != view.answer(b));
                }
                None => prop_assert!(is_constant(&secret) || is_constant(&view)),
            }
        }
    }

    #[test]
    fn edges() {
        assert!(Query::new(17, |_| 0).is_err());
        let none = Query::new(0, |_| 1).unwrap();
        assert_eq!((none.critical(), shannon(&none, &none), none.answer(1)), (0, Ok(None), None));
        let one = Query::new(1, u64::from).unwrap();
        assert!(shannon(&none, &one).is_err() && is_perfectly_private(&none, &one).is_err());
        assert!(dependence(&one, &one, &[0.5]).is_err() && dependence(&one, &one, &[0.5, 0.6]).is_err());
        assert!(dependence(&one, &one, &[f64::NAN, 0.5]).is_err());
        assert!(independent_prior(&[1.5]).is_err() && independent_prior(&[0.5; 17]).is_err());
        assert_eq!(independent_prior(&[]), Ok(vec![1.0]));
        assert_eq!(independent_prior(&[0.25]), Ok(vec![0.75, 0.25]));
    }
}
