//! Whether a promise holds of a belief: criteria judge how often values occur in a class, and a belief is how much speaks for each.
//!
//! # Guarantee
//! A belief is judged as a class in which values have these shares, of as many records as can be counted, so that nothing but the
//! shares matters. Shares that no such class has are judged by classes around them: where each of these keeps a promise that classes keep
//! together when each does (survey Def 4.3), so do the shares, which are a mixture of them. What cannot be shown
//! to hold in this way does not.

use privet_criteria::{Class, Criterion, Histogram, Merging};

use super::p_safe::reduced;

/// Whether a promise about the first sensitive column holds of a belief, given as how much speaks for each value.
pub fn holds_of_belief(criterion: &dyn Criterion, weights: &[u128]) -> bool {
    let weights = reduced(weights);
    let total = weights.iter().fold(0u128, |total, &weight| total.saturating_add(weight));
    if total == 0 {
        return false;
    }
    let most = u128::from(u32::MAX);
    if total <= most {
        let times = most / total;
        let counts: Vec<u32> = weights.iter().map(|&weight| (weight * times) as u32).collect();
        return holds_of_counts(criterion, &counts);
    }
    if criterion.merging() == Merging::Arbitrary {
        return false;
    }
    // What is cut off each count is less than 1, and less than `values` of all together: the shares are a mixture of the counts that are
    // left and of these with `values` more of one value.
    let values = weights.len() as u32;
    let cut = (u128::BITS - total.leading_zeros()).saturating_sub(31);
    let mut counts: Vec<u32> = weights.iter().map(|&weight| (weight >> cut) as u32).collect();
    let is_cut = |&weight: &u128| weight & ((1 << cut) - 1) != 0;
    holds_of_counts(criterion, &counts)
        && (0..counts.len()).filter(|&value| is_cut(&weights[value])).all(|value| {
            counts[value] += values;
            let holds = holds_of_counts(criterion, &counts);
            counts[value] -= values;
            holds
        })
}

/// Whether a promise about the first sensitive column holds of a class, by how often it has each value.
pub fn holds_of_counts(criterion: &dyn Criterion, counts: &[u32]) -> bool {
    let present: Vec<u32> =
        (0u32..).zip(counts).filter(|(_, count)| **count > 0).map(|(code, _)| code).collect();
    let total = counts.iter().map(|&count| u64::from(count)).sum();
    let histogram = Histogram { counts, present: &present, total };
    criterion.holds(&Class { rows: total, population: 0, histograms: &[histogram] })
}

#[cfg(test)]
mod tests {
    use privet_criteria::{Requirement, SensitiveColumn, build};
    use privet_data::Domain;
    use proptest::prelude::*;

    use super::*;

    fn criterion(key: &str, text: &str) -> Box<dyn Criterion> {
        let requirement = Requirement::parse(key, &serde_json::from_str(text).unwrap()).unwrap();
        let domain = Domain::canonical(["1", "2", "3"].map(Box::from).to_vec(), |_| false).0;
        let column = SensitiveColumn { name: "s", domain: &domain, counts: &[3, 2, 1], hierarchy: None };
        build(&requirement, &[column], None, 6).unwrap().remove(0)
    }

    #[test]
    fn a_belief_is_judged_by_its_shares() {
        let half = criterion("alpha-k", r#"{"alpha": 0.5, "k": 4}"#);
        assert!(holds_of_belief(&*half, &[1, 1, 0]), "k is about records");
        assert!(!holds_of_belief(&*half, &[2, 1, 0]) && !holds_of_belief(&*half, &[0, 0, 0]));
        // Equal, though too large to be counted; and a little more than half.
        let large = 3 * (1u128 << 100);
        assert!(holds_of_belief(&*half, &[large, large, 0]));
        assert!(!holds_of_belief(&*half, &[large + 2, large + 1, 0]), "more than half");
        assert!(holds_of_belief(&*half, &[large - (large >> 20) - 1, large, large >> 19]));
        let two = criterion("l-diversity", r#"{"kind": "entropy", "l": 2}"#);
        assert!(holds_of_belief(&*two, &[7, 7, 0]) && !holds_of_belief(&*two, &[8, 7, 0]));
        assert!(!holds_of_belief(&*two, &[large + 1, large, 0]));
        let distinct = criterion("l-diversity", r#"{"kind": "distinct", "l": 3}"#);
        assert!(holds_of_belief(&*distinct, &[1, 1, 1_000_000]) && !holds_of_belief(&*distinct, &[1, 1, 0]));
        // Of this promise nothing is known of mixtures, so that only what can be counted is judged.
        let near = criterion("proximity-diversity", r#"{"kind": "neighbourhood", "l": 1.5, "width": 0.5}"#);
        assert!(holds_of_belief(&*near, &[1, 1, 1]) && !holds_of_belief(&*near, &[large, large + 1, large]));
    }

    proptest! {
        /// Beliefs that must be cut are never judged more kindly than shares close by that need not be.
        #[test]
        fn cut_beliefs_are_on_the_safe_side(weights in prop::collection::vec(1u32..2000, 3), alpha in 0.34f64..0.9, odd in 1u128..1000) {
            let cap = criterion("alpha-k", &format!(r#"{{"alpha": {alpha}, "k": 1}}"#));
            let large: Vec<u128> = weights.iter().map(|&own| u128::from(own) * (1 << 80)).collect();
            prop_assert_eq!(holds_of_belief(&*cap, &large), holds_of_counts(&*cap, &weights));
            let cut = [large[0] + odd, large[1], large[2]];
            let (largest, all) = (*cut.iter().max().unwrap(), cut.iter().sum::<u128>());
            if holds_of_belief(&*cap, &cut) {
                prop_assert!(largest as f64 / all as f64 <= alpha + 1e-11);
            }
        }
    }
}
