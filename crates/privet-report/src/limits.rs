//! Whether what attacks reach keeps the limits that the owner set.
//!
//! There are two. `max-risk` bounds what a release adds: the share of people about whom an attack is sure and right, less the share
//! about whom it would be without their records, where a control counts that ([`Finding::added`]); without such a control it bounds
//! the share itself. `max-absolute-risk` bounds the share itself in any case. What is not known keeps no limit.

use privet_attack::{Finding, percent};

use crate::{Assessment, above};

/// How far the last bits of a computation may carry a risk past what is accepted.
const NOISE: f64 = 1e-12;

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// On what the release adds.
    Added,
    /// On what is reached, whatever is reached without the release.
    Absolute,
}

impl Limit {
    /// The word for it in files and, behind two dashes, on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "max-risk",
            Self::Absolute => "max-absolute-risk",
        }
    }
}

/// An attack that reaches more than is accepted.
#[derive(Debug, Clone, Copy)]
pub struct Exceeded<'a> {
    /// The attack.
    pub finding: &'a Finding,
    /// Which limit.
    pub limit: Limit,
    /// What is compared with it.
    pub reached: f64,
    /// What is accepted.
    pub accepted: f64,
}

impl Exceeded<'_> {
    /// Against how many the attack succeeds, as the end of a sentence.
    #[must_use]
    pub fn reaches(&self) -> String {
        if self.reached.is_nan() {
            return "succeeds against nobody knows how many of the people".to_owned();
        }
        match self.finding.baseline.filter(|_| self.limit == Limit::Added) {
            Some(control) => format!(
                "succeeds against {} % of the people, and against {} % without their records (at least {} %, with 95 % confidence): the \
                 release adds up to {} %",
                percent(self.finding.risk),
                percent(control.rate),
                percent(control.low),
                above(self.reached, self.accepted)
            ),
            None => format!("succeeds against {} % of the people", above(self.reached, self.accepted)),
        }
    }
}

impl Assessment {
    /// The attack that exceeds a limit the most, that on what is added first.
    #[must_use]
    pub fn exceeded(&self) -> Option<Exceeded<'_>> {
        self.exceeded_by(&self.attacks)
    }

    /// The same of other attacks than its own.
    pub(crate) fn exceeded_by<'a>(&self, attacks: &'a [Finding]) -> Option<Exceeded<'a>> {
        let added = self.max_risk.map(|accepted| (Limit::Added, accepted));
        let absolute = self.max_absolute_risk.map(|accepted| (Limit::Absolute, accepted));
        [added, absolute].into_iter().flatten().find_map(|(limit, accepted)| {
            let reached = |own: &Finding| match limit {
                Limit::Added => own.added(),
                Limit::Absolute => own.risk,
            };
            let worst = worst_by(attacks, reached)?;
            let reached = reached(worst);
            let is_kept = reached <= accepted + NOISE;
            (!is_kept).then_some(Exceeded { finding: worst, limit, reached, accepted })
        })
    }

    /// Whether a limit was set.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.max_risk.is_some() || self.max_absolute_risk.is_some()
    }

    /// Of the attacks that count towards limits the one with the largest risk, the first among equals; what is not known is the
    /// largest.
    #[must_use]
    pub fn worst(&self) -> Option<&Finding> {
        worst_by(&self.attacks, |own| own.risk)
    }

    /// What is wrong when an attack succeeds against more people than is accepted.
    #[must_use]
    pub fn beyond_limit(&self) -> Option<String> {
        let own = self.exceeded()?;
        Some(format!(
            "the attack `{}` {}; accepted are {} % (--{})",
            own.finding.attack,
            own.reaches(),
            percent(own.accepted),
            own.limit.word()
        ))
    }

    /// What was asked for, by name or by what the adversary knows, and not done: the first of it, as a sentence.
    #[must_use]
    pub fn not_done(&self) -> Option<String> {
        let own = self.blocked.first()?;
        let (attack, why) = (own.label(), &own.why);
        Some(format!(
            "`{attack}` cannot be made with what is known: {why}. So nothing shows that a limit is kept; correct it, or name the attacks \
             that are to count"
        ))
    }
}

fn worst_by(attacks: &[Finding], reached: impl Fn(&Finding) -> f64) -> Option<&Finding> {
    let badness = |own: &Finding| if reached(own).is_nan() { f64::INFINITY } else { reached(own) };
    let counted = attacks.iter().filter(|own| own.not_counted.is_none());
    counted.reduce(|worst, own| if badness(own) > badness(worst) { own } else { worst })
}

#[cfg(test)]
mod tests {
    use privet_attack::{HistogramOf, Rate, Unit};

    use super::*;

    fn finding(risk: f64, baseline: Option<Rate>) -> Finding {
        Finding {
            attack: "homogeneity",
            column: None,
            assumed: String::new(),
            success: String::new(),
            unit: Unit::People,
            exposed: Rate::new(706, 1000),
            right: None,
            control: baseline,
            control_group: None,
            baseline,
            risk,
            not_counted: None,
            histogram: Vec::new(),
            histogram_of: HistogramOf::Nothing,
            notes: Vec::new(),
        }
    }

    fn assessed(attacks: Vec<Finding>, added: Option<f64>, absolute: Option<f64>) -> Assessment {
        Assessment { attacks, max_risk: added, max_absolute_risk: absolute, ..Assessment::default() }
    }

    /// 70.6 % against a control of 70.5 %: what statistics tell anyone is not held against the release, but for what chance may have
    /// added to the control, and not where the owner bounds it by itself.
    #[test]
    fn what_a_control_reaches_too_does_not_exceed_a_limit_on_what_is_added() {
        let own = || vec![finding(0.706, Some(Rate::new(7050, 10_000)))];
        assert!(assessed(own(), Some(0.02), None).exceeded().is_none());
        let beyond = assessed(own(), Some(0.005), None);
        let beyond = beyond.exceeded().unwrap();
        assert!(
            beyond.limit == Limit::Added && beyond.reached > 0.005 && beyond.reached < 0.02,
            "{beyond:?}"
        );
        assert!(
            beyond.reaches().contains("70.6 %") && beyond.reaches().contains("70.5 %"),
            "{}",
            beyond.reaches()
        );
        let both = assessed(own(), Some(0.02), Some(0.5));
        assert_eq!(both.exceeded().map(|own| own.limit), Some(Limit::Absolute));
        // A small control may be large by chance: little of it is taken off.
        assert!(assessed(vec![finding(0.7, Some(Rate::new(7, 10)))], Some(0.25), None).exceeded().is_some());
        // Nobody in the control, or none at all: the share itself.
        for baseline in [None, Some(Rate::new(0, 0))] {
            assert!(assessed(vec![finding(0.706, baseline)], Some(0.7), None).exceeded().is_some());
        }
    }

    /// What is not known keeps no limit.
    #[test]
    fn a_risk_that_is_not_known_keeps_no_limit() {
        for (added, absolute) in [(Some(1.0), None), (None, Some(1.0))] {
            let own = assessed(vec![finding(0.1, None), finding(f64::NAN, None)], added, absolute);
            assert!(own.exceeded().is_some() && own.beyond_limit().unwrap().contains("nobody knows"));
        }
        assert!(assessed(vec![finding(0.3, None)], Some(0.3), Some(0.3)).exceeded().is_none());
    }
}
