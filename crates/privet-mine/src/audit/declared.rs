//! What is declared with audited questions: by the first one for all, and the same by later ones or nothing.

use std::collections::BTreeSet;

use super::table::AuditTerms;
use super::{Assumptions, Control, Groups};

/// Why a declaration makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeclarationProblem {
    /// A group without a name.
    #[error("--group names nobody; write it as ann,bob")]
    Nobody,
    /// One analyst in two groups.
    #[error("an analyst is in two groups; then both may talk to each other: make them one group")]
    TwoGroups,
    /// No two numbers.
    #[error("--values takes two numbers, the lower first, such as 0..5000")]
    Values,
    /// No assumption, or one that is named twice.
    #[error(
        "behind the two numbers --values takes lambda=, delta=, questions=, intervals= and samples=, each once and with a number, such as \
         0..5000,lambda=0.5,questions=40"
    )]
    Assumption,
}

/// What the first question agrees on. Later ones may leave it out, or must say the same.
#[derive(Debug, Clone, Default)]
pub struct AuditDeclarations {
    /// The columns that everybody knows.
    pub public: Vec<String>,
    /// The fewest people of a question.
    pub least: Option<u64>,
    /// The most people that two questions share.
    pub overlap: Option<u64>,
    /// Analysts who may talk to each other, with commas between them; one text per group.
    pub groups: Vec<String>,
    /// A condition: the analysts know the values of these people.
    pub known: Option<String>,
    /// Between which numbers values lie, as `LOW..HIGH`: then sums are audited for what they make likely, too. Behind it what else is assumed and
    /// asked for, as `LOW..HIGH,lambda=0.5,delta=0.1,questions=40,intervals=4,samples=400`.
    pub values: Option<String>,
}

impl AuditDeclarations {
    fn is_empty(&self) -> bool {
        self.public.is_empty()
            && self.least.is_none()
            && self.overlap.is_none()
            && self.groups.is_empty()
            && self.known.is_none()
            && self.values.is_none()
    }

    fn groups(&self) -> Result<Groups, DeclarationProblem> {
        let mut groups = Groups::new();
        for (place, text) in self.groups.iter().enumerate() {
            for name in text.split(',').map(str::trim) {
                if name.is_empty() {
                    return Err(DeclarationProblem::Nobody);
                }
                if groups.insert(name.to_owned(), (place + 1).to_string()).is_some() {
                    return Err(DeclarationProblem::TwoGroups);
                }
            }
        }
        Ok(groups)
    }

    /// These over what was agreed.
    ///
    /// # Errors
    /// When a declaration makes no sense.
    pub fn over(&self, agreed: Option<AuditTerms>, table: String) -> Result<AuditTerms, DeclarationProblem> {
        let mut terms = agreed.unwrap_or_default();
        terms.table = table;
        if self.is_empty() {
            return Ok(terms);
        }
        if !self.public.is_empty() {
            terms.public.clone_from(&self.public);
        }
        if self.least.is_some() || self.overlap.is_some() {
            let before = terms.control.unwrap_or(Control { least: 1, overlap: None, known: 0 });
            let least = self.least.unwrap_or(before.least);
            terms.control = Some(Control { least, overlap: self.overlap.or(before.overlap), ..before });
        }
        if !self.groups.is_empty() {
            terms.groups = self.groups()?;
        }
        if self.known.is_some() {
            terms.known.clone_from(&self.known);
        }
        if let Some(text) = &self.values {
            terms.assumed = Some(assumptions(text)?);
        }
        Ok(terms)
    }
}

/// Reads `LOW..HIGH` and what follows it. Whether a number is in its range is found out by the auditor.
fn assumptions(text: &str) -> Result<Assumptions, DeclarationProblem> {
    let mut parts = text.split(',');
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let ends = parts.next().and_then(|own| own.split_once(".."));
    let ends = ends.and_then(|(low, high)| Some((number(low)?, number(high)?)));
    let (low, high) = ends.filter(|(low, high)| low < high).ok_or(DeclarationProblem::Values)?;
    let mut assumed = Assumptions { low, high, ..Assumptions::default() };
    let mut named = BTreeSet::new();
    for part in parts {
        let (name, value) = part.split_once('=').ok_or(DeclarationProblem::Assumption)?;
        let (name, value) = (name.trim(), value.trim());
        let whole = || value.parse::<u32>().map_err(|_| DeclarationProblem::Assumption);
        match name {
            "lambda" => assumed.lambda = number(value).ok_or(DeclarationProblem::Assumption)?,
            "delta" => assumed.delta = number(value).ok_or(DeclarationProblem::Assumption)?,
            "questions" => assumed.questions = whole()?.into(),
            "intervals" => assumed.intervals = whole()? as usize,
            "samples" => assumed.samples = whole()? as usize,
            _ => return Err(DeclarationProblem::Assumption),
        }
        if !named.insert(name) {
            return Err(DeclarationProblem::Assumption);
        }
    }
    Ok(assumed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assumptions_are_read_and_named() {
        let read = |values: &str| {
            let declared =
                AuditDeclarations { values: Some(values.to_owned()), ..AuditDeclarations::default() };
            declared.over(None, "digest".to_owned()).map(|terms| terms.assumed.unwrap())
        };
        assert_eq!(read("-5..7.5").unwrap(), Assumptions { low: -5.0, high: 7.5, ..Assumptions::default() });
        let all = read("0..5000, lambda=0.5,delta=0.1,questions=40,intervals=4,samples=400").unwrap();
        let expected = Assumptions {
            low: 0.0,
            high: 5000.0,
            lambda: 0.5,
            intervals: 4,
            delta: 0.1,
            questions: 40,
            samples: 400,
        };
        assert_eq!(all, expected);
        let told = all.to_string();
        for number in ["and 5000", "= 0.5)", "0.1 (delta)", "40 questions", "Of 4 ", "400 samples"] {
            assert!(told.contains(number), "{told}");
        }
        assert_eq!(read("7..5"), Err(DeclarationProblem::Values));
        for wrong in [
            "0..1,lambda",
            "0..1,lambda=x",
            "0..1,mu=2",
            "0..1,delta=0.1,delta=0.1",
            "0..1,questions=2.5",
            "0..1,",
        ] {
            assert_eq!(read(wrong), Err(DeclarationProblem::Assumption), "{wrong}");
        }
    }
}
