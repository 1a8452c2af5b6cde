//! beta-likeness (Cao and Karras): the share p of a value in a class exceeds its share q in the input by a
//! relative gain (p − q)/q of at most beta; *enhanced*, of at most min(beta, −ln q).
//!
//! Only gains are bounded: that a value is rarer in a class than in the input is allowed. Closed, because
//! each share of a union lies between those of its parts. A share may exceed its cap by a relative 1e-12.

use crate::bound::{Bound, Grouping, check_positive};
use crate::keep::{TOLERANCE, largest_kept};
use crate::{Better, Class, Criterion, LikenessKind, Merging};

/// The share of a value exceeds its share in the input by at most a factor.
pub(crate) struct BetaLikeness {
    beta: f64,
    kind: LikenessKind,
    shares: Vec<f64>,
    /// Per code the largest share in a class.
    caps: Vec<f64>,
    position: usize,
    column: String,
}

impl BetaLikeness {
    pub fn new(beta: f64, kind: LikenessKind, bound: &Bound<'_>) -> Result<Self, String> {
        check_positive("beta", beta)?;
        let shares = bound.shares();
        let gain = |&share: &f64| match kind {
            LikenessKind::Basic => beta,
            LikenessKind::Enhanced => beta.min(-share.ln()),
        };
        let cap =
            |share: &f64| if *share > 0.0 { (1.0 + gain(share)) * share * (1.0 + TOLERANCE) } else { 0.0 };
        let caps = shares.iter().map(cap).collect();
        Ok(Self { beta, kind, shares, caps, position: bound.position, column: bound.name() })
    }
}

impl Criterion for BetaLikeness {
    fn key(&self) -> &'static str {
        "beta-likeness"
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        let every = grouping.every();
        let at_most = match self.kind {
            LikenessKind::Basic => format!("beta = {}", self.beta),
            LikenessKind::Enhanced => {
                format!("beta = {} and the negative logarithm of the latter", self.beta)
            }
        };
        format!(
            "{every} holds each value of {} with a share that exceeds its share in the whole table by a relative \
             gain of at most {at_most}.",
            self.column
        )
    }

    fn merging(&self) -> Merging {
        Merging::Closed
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let histogram = &class.histograms[self.position];
        let rows = histogram.total as f64;
        let capped =
            |&code: &u32| f64::from(histogram.counts[code as usize]) <= self.caps[code as usize] * rows;
        histogram.present.iter().all(capped)
    }

    /// The largest gain; no beta suffices when a gain exceeds what the enhanced form allows.
    fn reached(&self, class: &Class<'_>) -> f64 {
        let histogram = &class.histograms[self.position];
        let rows = histogram.total as f64;
        let gain = |&code: &u32| {
            let share = self.shares[code as usize];
            let gain = f64::from(histogram.counts[code as usize]) / rows / share - 1.0;
            let allowed =
                self.kind == LikenessKind::Basic || gain <= -share.ln() * (1.0 + TOLERANCE) + TOLERANCE;
            if allowed && gain.is_finite() { gain } else { f64::INFINITY }
        };
        histogram.present.iter().map(gain).fold(0.0, f64::max)
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        if self.holds(class) {
            return 0;
        }
        let histogram = &class.histograms[self.position];
        let part = |&code: &u32| {
            (f64::from(histogram.counts[code as usize]), self.caps[code as usize] * (1.0 + TOLERANCE))
        };
        let kept = largest_kept(histogram.total, 1.0, 0.0, &histogram.present.iter().map(part));
        histogram.total - kept.min(histogram.total - 1)
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}

#[cfg(test)]
mod tests {
    use crate::Criterion;
    use crate::testing::{Sample, build_one, column, holds, reached};
    use serde_json::json;

    fn likeness(kind: &str, beta: f64) -> Box<dyn Criterion> {
        let requirement = json!({"criterion": "beta-likeness", "kind": kind, "beta": beta});
        build_one(requirement, &column(&["HIV", "Flu"], &[10, 90])).unwrap()
    }

    #[test]
    fn the_gain_of_a_rare_value_is_capped() {
        let basic = likeness("basic", 2.0);
        assert!(holds(&*basic, &[3, 7]), "0.3 is 0.1 and a gain of 2");
        assert!(!holds(&*basic, &[31, 69]));
        assert!(holds(&*basic, &[0, 7]), "losses are allowed");
        assert!((reached(&*basic, &[3, 7]) - 2.0).abs() < 1e-9);
        assert_eq!(Sample::of(&[30, 7]).ask(|class| basic.least_suppression(class)), 27);
    }

    #[test]
    fn the_enhanced_form_caps_frequent_values_harder() {
        // −ln 0.9 = 0.105: flu may make up at most 0.9·1.105 = 0.9948 of a class, whatever beta is.
        assert!(holds(&*likeness("basic", 5.0), &[0, 10]));
        assert!(!holds(&*likeness("enhanced", 5.0), &[0, 10]));
        assert_eq!(reached(&*likeness("enhanced", 5.0), &[0, 10]), f64::INFINITY);
        // −ln 0.1 = 2.303: HIV may make up at most 0.3303 of a class.
        assert!(
            holds(&*likeness("enhanced", 5.0), &[33, 67]) && !holds(&*likeness("enhanced", 5.0), &[34, 66])
        );
        assert!(
            holds(&*likeness("enhanced", 2.0), &[3, 7]) && !holds(&*likeness("enhanced", 2.0), &[31, 69])
        );
    }
}
