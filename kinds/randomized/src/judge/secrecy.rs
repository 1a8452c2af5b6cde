//! What a view tells of a secret, for dictionaries of a few tuples: critical tuples, perfect privacy and perfect secrecy
//! (survey PM-19, PM-20, TH-05; Shannon; Miklau and Suciu).
//!
//! # Guarantee
//! Exact: all tables over the dictionary are looked at. Perfect privacy is about readers to whom tuples are independent,
//! perfect secrecy about all readers.

use std::collections::BTreeMap;

use privet_perturb::perfect::{MOST_TUPLES, Query, is_perfectly_private, shannon};
use serde::{Deserialize, Serialize};

use super::file::each_once;
use super::{JudgeOptions, Judgement, Required, failed};
use crate::error::{JobError, RunError};

/// The section `view` of a file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ViewSection {
    /// Everything that a table may hold, by name.
    pub tuples: Vec<String>,
    /// What must not be told.
    pub secret: QuerySection,
    /// What is published, all of it together.
    pub published: Vec<QuerySection>,
}

/// A query. Exactly one key.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum QuerySection {
    /// Which of these tuples the table holds.
    Holds(Vec<String>),
    /// How many of them.
    Count(Vec<String>),
    /// Whether it holds any of them.
    Any(Vec<String>),
    /// Whether it holds all of them.
    All(Vec<String>),
}

/// What a view tells of a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SecrecyJudged {
    /// Tuples whose coming or going can change the secret.
    pub critical_for_secret: Vec<String>,
    /// Tuples whose coming or going can change what is published.
    pub critical_for_view: Vec<String>,
    /// Those of both.
    pub critical_for_both: Vec<String>,
    /// Whether the view tells nothing of the secret to readers to whom tuples are independent: no tuple is of both.
    pub perfectly_private: bool,
    /// Whether it tells nothing to any reader.
    pub perfectly_secret: bool,
    /// Otherwise two tables, as the tuples they hold: who holds both for equally likely learns which it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_apart: Option<(Vec<String>, Vec<String>)>,
}

impl QuerySection {
    /// The answer for each table.
    fn answer(&self, tuples: &[String]) -> Result<Box<dyn Fn(u32) -> u64>, JobError> {
        let (Self::Holds(names) | Self::Count(names) | Self::Any(names) | Self::All(names)) = self;
        let mut mask = 0u32;
        for name in names {
            let Some(place) = tuples.iter().position(|own| own == name) else {
                return Err(JobError::key("view", "has a query about a tuple that is not under `tuples`"));
            };
            mask |= 1 << place;
        }
        Ok(match self {
            Self::Holds(_) => Box::new(move |table| u64::from(table & mask)),
            Self::Count(_) => Box::new(move |table| u64::from((table & mask).count_ones())),
            Self::Any(_) => Box::new(move |table| u64::from(table & mask != 0)),
            Self::All(_) => Box::new(move |table| u64::from(table & mask == mask)),
        })
    }
}

/// Judges a view.
pub(super) fn judge(
    section: &ViewSection,
    options: &JudgeOptions,
    found: &mut Judgement,
) -> Result<(), RunError> {
    let tuples = &section.tuples;
    if tuples.is_empty() || tuples.len() > MOST_TUPLES as usize {
        let problem = format!("takes 1 to {MOST_TUPLES} tuples: all tables over them are looked at");
        return Err(JobError::key("view.tuples", problem).into());
    }
    each_once("view.tuples", tuples)?;
    let size = tuples.len() as u32;
    let secret = Query::new(size, section.secret.answer(tuples)?).map_err(failed)?;
    let published: Vec<Box<dyn Fn(u32) -> u64>> =
        section.published.iter().map(|own| own.answer(tuples)).collect::<Result<_, _>>()?;
    // Several answers together are one: numbered as they come.
    let mut number_of: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
    let numbers: Vec<u64> = (0..1u32 << size)
        .map(|table| {
            let answers: Vec<u64> = published.iter().map(|own| own(table)).collect();
            let next = number_of.len() as u64;
            *number_of.entry(answers).or_insert(next)
        })
        .collect();
    let view = Query::new(size, |table| numbers.get(table as usize).copied().unwrap_or(0)).map_err(failed)?;
    let named = |bits: u32| -> Vec<String> {
        tuples.iter().enumerate().filter(|(at, _)| bits & 1 << at != 0).map(|(_, own)| own.clone()).collect()
    };
    let (of_secret, of_view) = (secret.critical(), view.critical());
    let told_apart = shannon(&secret, &view).map_err(failed)?;
    let perfectly_private = is_perfectly_private(&secret, &view).map_err(failed)?;
    if options.perfect {
        let both = named(of_secret & of_view);
        found.required.push(Required::new(
            "what is published tells nothing of the secret, to readers to whom tuples are independent",
            perfectly_private,
            match both.is_empty() {
                true => "no tuple is critical for both".to_owned(),
                false => format!("critical for both: {}", both.join(", ")),
            },
        ));
    }
    found.secrecy = Some(SecrecyJudged {
        critical_for_secret: named(of_secret),
        critical_for_view: named(of_view),
        critical_for_both: named(of_secret & of_view),
        perfectly_private,
        perfectly_secret: told_apart.is_none(),
        told_apart: told_apart.map(|(a, b)| (named(a), named(b))),
    });
    Ok(())
}
