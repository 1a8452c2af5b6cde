//! What attacks and measures found, and what was not made.

use serde::{Deserialize, Serialize};

use crate::attack::{Finding, Reason};
use crate::error::KindError;
use crate::measure::Figure;

/// How far the last bits of a computation may carry a risk past a limit.
const ROUNDING: f64 = 1e-12;

/// What attacks and measures found about a release.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Assessment {
    /// What attacks found.
    pub findings: Vec<Finding>,
    /// Attacks that were not made.
    pub not_made: Vec<NotMade>,
    /// What measures found; for the owner alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
    /// Measures that were not made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_measured: Vec<NotMade>,
    /// The limit on what a release adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_risk: Option<f64>,
    /// The limit on what an attack reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_absolute_risk: Option<f64>,
}

/// An attack or a measure that was not made.
// Unknown fields are refused by the reason: where both refuse them, every reason is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotMade {
    /// Its id.
    pub id: String,
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
}

/// Which limit an attack exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// That on what the release adds.
    Added,
    /// That on what is reached in all.
    Absolute,
}

impl Limit {
    /// The key of the job, and behind two dashes the flag.
    pub fn key(self) -> &'static str {
        match self {
            Self::Added => "max-risk",
            Self::Absolute => "max-absolute-risk",
        }
    }
}

/// An attack that reaches more than a limit accepts.
#[derive(Debug, Clone, Copy)]
pub struct Exceeded<'a> {
    /// What the attack found.
    pub finding: &'a Finding,
    /// Which limit.
    pub limit: Limit,
    /// What is compared with the limit; not a number when nobody knows.
    pub reached: f64,
    /// The limit.
    pub accepted: f64,
}

impl Assessment {
    /// The assessment that an envelope holds; an empty one when it holds none.
    ///
    /// # Errors
    /// When what it holds is no assessment. Then nothing is known of attacks, which is not the same as that none was made.
    pub fn deserialized(value: &serde_json::Value) -> Result<Self, KindError> {
        if value.is_null() {
            return Ok(Self::default());
        }
        Self::deserialize(value).map_err(|_| KindError::bad_input("what attacks found cannot be read"))
    }

    /// The findings that count towards limits.
    pub fn counted(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.counts)
    }

    /// The counted finding with the largest risk; what is not known is the largest.
    pub fn worst(&self) -> Option<&Finding> {
        self.counted().max_by(|a, b| known_last(a.risk()).total_cmp(&known_last(b.risk())))
    }

    /// The attack that exceeds a limit the most. A risk that is not known keeps no limit.
    pub fn exceeded(&self) -> Option<Exceeded<'_>> {
        let limits = [(Limit::Added, self.max_risk), (Limit::Absolute, self.max_absolute_risk)];
        limits.into_iter().find_map(|(limit, accepted)| {
            let accepted = accepted?;
            let reached = |finding: &Finding| match limit {
                Limit::Added => finding.added(),
                Limit::Absolute => finding.risk(),
            };
            let worst =
                self.counted().max_by(|a, b| known_last(reached(a)).total_cmp(&known_last(reached(b))))?;
            let reached = reached(worst);
            let keeps = reached <= accepted + ROUNDING;
            (!keeps).then_some(Exceeded { finding: worst, limit, reached, accepted })
        })
    }

    /// A limit that nothing was compared with, because no attack that counts was made.
    pub fn unchecked(&self) -> Option<Limit> {
        let limits = [(Limit::Added, self.max_risk), (Limit::Absolute, self.max_absolute_risk)];
        let set = limits.into_iter().find_map(|(limit, accepted)| accepted.map(|_| limit));
        set.filter(|_| self.counted().next().is_none())
    }

    /// What everybody may read: findings with public remarks, and no figure.
    #[must_use]
    pub fn public(&self) -> Self {
        let mut public = self.clone();
        public.figures.clear();
        public.not_measured.clear();
        for finding in &mut public.findings {
            finding.notes.retain(crate::note::Note::is_public);
        }
        public
    }
}

/// A risk that nobody knows comes after every risk.
fn known_last(risk: f64) -> f64 {
    if risk.is_nan() { f64::INFINITY } else { risk }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::{AttackInfo, Need, Share, Standing};
    use crate::note::Note;

    fn finding(hits: u64, of: u64) -> Finding {
        const INFO: AttackInfo =
            AttackInfo { id: "a", title: "", sentence: "", needs: &[], standing: Standing::Gate, source: "" };
        Finding::new(&INFO, Share::new(hits, of))
    }

    /// What was written is read again, with every reason, and numbers that nobody knows.
    #[test]
    fn what_attacks_found_is_read_again() {
        let reasons = [
            Reason::Missing { need: Need::Original },
            Reason::TooLarge { what: "The graph".to_owned(), most: 7 },
            Reason::Nothing { what: "sensitive attribute".to_owned() },
            Reason::Refused { of: "noise".to_owned() },
        ];
        let not_made = |reason| NotMade { id: "a".to_owned(), reason };
        let figure = Figure {
            measure: "m".to_owned(),
            name: "n".to_owned(),
            before: None,
            after: f64::NAN,
            is_share: false,
            curves: Vec::new(),
            notes: Vec::new(),
        };
        let assessment = Assessment {
            findings: vec![finding(3, 10)],
            not_made: reasons.map(not_made).to_vec(),
            figures: vec![figure],
            ..Assessment::default()
        };
        let value = serde_json::to_value(&assessment).unwrap();
        let read = Assessment::deserialized(&value).unwrap();
        assert_eq!((&read.findings, &read.not_made), (&assessment.findings, &assessment.not_made));
        assert!(read.figures[0].after.is_nan());
        assert_eq!(Assessment::deserialized(&serde_json::Value::Null).unwrap(), Assessment::default());
        assert!(Assessment::deserialized(&serde_json::json!({ "findings": 3 })).is_err());
        assert!(Assessment::deserialized(&serde_json::json!({ "not_made": [{ "id": "a" }] })).is_err());
    }

    #[test]
    fn what_nobody_knows_keeps_no_limit() {
        let mut assessment = Assessment { max_risk: Some(1.0), ..Assessment::default() };
        assessment.findings = vec![finding(3, 10), finding(0, 0)];
        let exceeded = assessment.exceeded().unwrap();
        assert!(exceeded.reached.is_nan());
        assessment.findings.pop();
        assert!(assessment.exceeded().is_none());
        assessment.max_absolute_risk = Some(0.2);
        assert_eq!(assessment.exceeded().unwrap().limit, Limit::Absolute);
    }

    /// A limit is no limit where nothing was compared with it.
    #[test]
    fn a_limit_without_an_attack_is_unchecked() {
        let mut assessment = Assessment::default();
        assert_eq!(assessment.unchecked(), None);
        assessment.max_absolute_risk = Some(0.2);
        assert_eq!(assessment.unchecked(), Some(Limit::Absolute));
        assessment.findings = vec![Finding { counts: false, ..finding(0, 10) }];
        assert_eq!(assessment.unchecked(), Some(Limit::Absolute));
        assessment.findings.push(finding(0, 10));
        assert_eq!(assessment.unchecked(), None);
    }

    #[test]
    fn remarks_that_rest_on_the_original_are_not_public() {
        let mut own = finding(1, 2);
        own.notes = vec![Note::of_release("a"), Note::of_original("b")];
        let assessment = Assessment { findings: vec![own], ..Assessment::default() };
        assert_eq!(assessment.public().findings[0].notes, [Note::of_release("a")]);
        let text = serde_json::to_value(&assessment).unwrap();
        assert_eq!(serde_json::from_value::<Assessment>(text).unwrap(), assessment);
    }
}
