//! A column of randomized sets as the referee sees it (survey ME-22, PM-15): its law is one, protects what is said, and
//! every published set can have come from it.
//!
//! γ is computed anew: of sets with m items, P(t → t′) depends on the overlap q only through
//! w(q) = p_q/C(m,q)·((1−ρ)/ρ)^q, and with at least 2m items in all every overlap occurs for one size of t′, so γ is
//! the largest w over the smallest. Leaving out the items that stand for nothing cannot raise it.

use std::collections::BTreeSet;

use super::perturbed::{ROUNDING, figures, follow, near};
use crate::perturbed::{Items, Open, SELECT_A_SIZE};

/// What holds of a law, and what is wrong with it.
pub(super) fn law(own: &Items) -> (String, Vec<String>) {
    let mut problems = Vec::new();
    let distinct: BTreeSet<&String> = own.values.iter().collect();
    if own.mechanism != SELECT_A_SIZE {
        problems.push("its mechanism is none that this version knows".to_owned());
    }
    if own.values.len() < 2 || distinct.len() != own.values.len() {
        problems.push("its domain needs at least two items, each once".to_owned());
    }
    if !["declared", "hierarchy"].contains(&own.domain.as_str()) {
        problems.push("it does not say where its items are from".to_owned());
    }
    if own.separator.is_empty()
        || own.values.iter().any(|item| item.is_empty() || item.contains(&own.separator))
    {
        problems.push("its separator does not set its items apart".to_owned());
    }
    if own.size == 0 || own.size as usize > own.values.len() {
        problems.push("its sets are filled up to no number of items that there can be".to_owned());
    }
    let is_probability = |p: &f64| (0.0..=1.0).contains(p);
    let is_law = own.keep.len() == own.size as usize + 1
        && own.keep.iter().all(is_probability)
        && (own.keep.iter().sum::<f64>() - 1.0).abs() <= ROUNDING
        && is_probability(&own.add);
    if !is_law {
        problems.push("its probabilities are no law".to_owned());
        return (String::new(), problems);
    }
    let gamma = gamma(own);
    if !own.protects.gamma.map_or(gamma.is_infinite(), |said| near(said, gamma)) {
        problems.push("the manifest says another γ than its probabilities have".to_owned());
    }
    if !follow(&own.protects, gamma) {
        problems
            .push("the manifest says other beliefs than follow from the probabilities of its law".to_owned());
    }
    let well = match gamma.is_finite() {
        true => format!(
            "this column alone changes the odds of anything about its original set by a factor of at most {}",
            figures(gamma)
        ),
        false => format!("a law; {}", Open::Excludes.words()),
    };
    (well, problems)
}

fn gamma(own: &Items) -> f64 {
    if own.add <= 0.0 || own.add >= 1.0 {
        return f64::INFINITY;
    }
    let odds = ((1.0 - own.add) / own.add).ln();
    let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
    // ln C(m, q), from one q to the next.
    let mut choose = 0.0;
    for (q, &p) in own.keep.iter().enumerate() {
        if q > 0 {
            choose += ((own.keep.len() - q) as f64 / q as f64).ln();
        }
        let log = p.ln() - choose + q as f64 * odds;
        (high, low) = (high.max(log), low.min(log));
    }
    (high - low).exp()
}

/// Whether a cell is a set of items, each once and in the order of the domain.
pub(super) fn is_set(text: &str, own: &Items, domain: &BTreeSet<&str>) -> bool {
    let items: Vec<&str> = if text.is_empty() { Vec::new() } else { text.split(&own.separator).collect() };
    let distinct: BTreeSet<&&str> = items.iter().collect();
    distinct.len() == items.len() && items.iter().all(|item| domain.contains(item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perturbed::{Amplification, Belief, PRIORS};

    fn items(keep: Vec<f64>, add: f64, gamma: Option<f64>) -> Items {
        let posterior = |prior: f64| gamma.map_or(1.0, |gamma| gamma * prior / (1.0 - prior + gamma * prior));
        Items {
            mechanism: SELECT_A_SIZE.into(),
            values: ["a", "b", "c"].map(String::from).to_vec(),
            domain: "declared".into(),
            separator: ";".into(),
            size: keep.len() as u32 - 1,
            keep,
            add,
            protects: Amplification {
                gamma,
                beliefs: PRIORS.map(|prior| Belief { prior, posterior: posterior(prior) }).to_vec(),
            },
        }
    }

    /// m = 1, ρ = 0.2, p = (0.5, 0.5): w(0) = 0.5, w(1) = 0.5·4 = 2, so γ = 4. By hand over the universe {a, x, y}:
    /// P({a}→{a}) = 0.5·0.8², P({x}→{a}) = 0.5·0.2·0.8.
    #[test]
    fn gamma_is_the_ratio_of_the_overlaps() {
        let own = items(vec![0.5, 0.5], 0.2, Some(4.0));
        assert!((gamma(&own) - 4.0).abs() < 1e-12);
        assert!(law(&own).1.is_empty(), "{:?}", law(&own));
        // The γ, and the beliefs that follow from it.
        assert_eq!(law(&items(vec![0.5, 0.5], 0.2, Some(3.0))).1.len(), 2);
        // With nothing added an output excludes originals.
        assert!(law(&items(vec![0.5, 0.5], 0.0, None)).1.is_empty());
        assert!(!law(&items(vec![0.5, 0.4], 0.2, Some(4.0))).1.is_empty());
        let mut wrong = items(vec![0.5, 0.5], 0.2, Some(4.0));
        wrong.separator = "a".into();
        assert!(!law(&wrong).1.is_empty());
    }

    #[test]
    fn cells_are_sets() {
        let own = items(vec![0.5, 0.5], 0.2, Some(4.0));
        let domain: BTreeSet<&str> = own.values.iter().map(String::as_str).collect();
        for (text, expected) in
            [("", true), ("a", true), ("a;c", true), ("a;a", false), ("a;d", false), ("a;", false)]
        {
            assert_eq!(is_set(text, &own, &domain), expected, "{text}");
        }
    }
}
