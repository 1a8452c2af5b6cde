//! (alpha,k)-anonymity (Wong et al.; thesis 1.9 names it, survey PM-33 is its cap on one share): at least k
//! records, and no protected value in more than a share alpha of a class.
//!
//! Closed: the share of a value in a union lies between its shares in the parts. A share may exceed alpha
//! by 1e-12, so that alpha = 0.2 means 0.2.

use crate::bound::{Bound, Grouping, check_k};
use crate::keep::{TOLERANCE, largest_kept};
use crate::{Better, Class, Criterion, Histogram, Merging};

/// At least k records, and no protected value in more than a share alpha of them.
pub(crate) struct AlphaK {
    alpha: f64,
    k: u64,
    /// Per code whether the cap protects it; `None` when it protects all.
    protected: Option<Vec<bool>>,
    listed: usize,
    position: usize,
    column: String,
}

impl AlphaK {
    pub fn new(alpha: f64, k: u64, values: &[String], rows: u64, bound: &Bound<'_>) -> Result<Self, String> {
        if !(alpha > 0.0 && alpha <= 1.0) {
            return Err(format!("alpha = {alpha} must be above 0 and at most 1"));
        }
        check_k(k, rows)?;
        let distinct = bound.distinct();
        if values.is_empty() && alpha * (distinct as f64) < 1.0 - TOLERANCE {
            return Err(format!(
                "alpha = {alpha} but column {} has {distinct} distinct values, so one of them always has a share \
                 of at least {}; alpha must be at least that, or values must name the protected ones",
                bound.column.name,
                1.0 / distinct as f64
            ));
        }
        let protected = if values.is_empty() { None } else { Some(bound.listed("values", values)?) };
        Ok(Self { alpha, k, protected, listed: values.len(), position: bound.position, column: bound.name() })
    }

    fn protects(&self, code: u32) -> bool {
        self.protected.as_ref().is_none_or(|protected| protected[code as usize])
    }

    fn largest(&self, histogram: &Histogram<'_>) -> u32 {
        let counts = histogram.present.iter().filter(|&&code| self.protects(code));
        counts.map(|&code| histogram.counts[code as usize]).max().unwrap_or(0)
    }
}

impl Criterion for AlphaK {
    fn key(&self) -> &'static str {
        "alpha-k"
    }

    fn least_rows(&self) -> u64 {
        self.k
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        let values = match self.listed {
            0 => "value".to_owned(),
            n => format!("of the {n} protected values"),
        };
        format!(
            "{} has at least {} records, and no \
             {values} of {} makes up more than a share alpha = {} of it.",
            grouping.every(),
            self.k,
            self.column,
            self.alpha
        )
    }

    fn merging(&self) -> Merging {
        Merging::Closed
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        class.rows >= self.k
            && f64::from(self.largest(&class.histograms[self.position]))
                <= (self.alpha + TOLERANCE) * class.rows as f64
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        f64::from(self.largest(&class.histograms[self.position])) / class.rows.max(1) as f64
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        if class.rows < self.k {
            return class.rows;
        }
        if self.holds(class) {
            return 0;
        }
        let histogram = &class.histograms[self.position];
        let alpha = self.alpha + 2.0 * TOLERANCE;
        let parts = histogram.present.iter().map(|&code| {
            let cap = if self.protects(code) { alpha } else { f64::INFINITY };
            (f64::from(histogram.counts[code as usize]), cap)
        });
        let kept = largest_kept(class.rows, 1.0, 0.0, &parts);
        if kept < self.k { class.rows } else { class.rows - kept }
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}

#[cfg(test)]
mod tests {
    use crate::Criterion;
    use crate::testing::{Sample, build_one, column};
    use serde_json::json;

    fn alpha_k(alpha: f64, k: u64, values: &[&str]) -> Box<dyn Criterion> {
        let requirement = json!({"criterion": "alpha-k", "alpha": alpha, "k": k, "values": values});
        build_one(requirement, &column(&["HIV", "Flu", "None"], &[3, 2, 3])).unwrap()
    }

    #[test]
    fn survey_pm33_at_most_half_carries_the_value() {
        // FX-4.1: the three records suppressed to (*,*) all carry HIV; the whole table carries 3 of 8.
        let criterion = alpha_k(0.5, 2, &["HIV"]);
        assert!(!Sample::of(&[3, 0, 0]).ask(|class| criterion.holds(class)));
        assert!(Sample::of(&[0, 2, 3]).ask(|class| criterion.holds(class)));
        assert!(Sample::of(&[3, 2, 3]).ask(|class| criterion.holds(class)));
    }

    #[test]
    fn alpha_means_what_it_says_at_the_tie() {
        let criterion = alpha_k(0.6, 2, &[]);
        assert!(Sample::of(&[3, 2, 0]).ask(|class| criterion.holds(class)));
        assert!(!Sample::of(&[2, 1, 0]).ask(|class| criterion.holds(class)));
        assert!(!Sample::of(&[1, 0, 0]).ask(|class| criterion.holds(class)), "k");
    }

    #[test]
    fn least_suppression_caps_the_frequent_value() {
        let criterion = alpha_k(0.5, 2, &[]);
        assert_eq!(Sample::of(&[9, 2, 1]).ask(|class| criterion.least_suppression(class)), 6);
        assert_eq!(Sample::of(&[9, 0, 0]).ask(|class| criterion.least_suppression(class)), 9);
    }
}
