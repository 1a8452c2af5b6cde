//! What is declared with audited questions: by the first one for all, and the same by later ones or nothing.

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
    /// Between which numbers values lie, as `LOW..HIGH`: then sums are audited for what they make likely, too.
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
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            let ends = text.split_once("..").and_then(|(low, high)| Some((number(low)?, number(high)?)));
            let (low, high) = ends.filter(|(low, high)| low < high).ok_or(DeclarationProblem::Values)?;
            terms.assumed = Some(Assumptions { low, high, ..Assumptions::default() });
        }
        Ok(terms)
    }
}
