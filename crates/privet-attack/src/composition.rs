//! Several releases about the same people (survey AT-25, TH-34): each by itself is safe, together they are not.
//!
//! Per person the sensitive values that every release leaves are possible, and their probabilities multiply. That is
//! Bayes' rule when, given the person's value, the releases have nothing to do with each other: with P(s | D_i) from
//! random worlds and a prior P(s), P(s | all) is proportional to P(s) Π P(s | D_i)/P(s). Without a given prior all values
//! are equally likely beforehand, which is what random worlds assumes. Releases that share many people are not
//! independent, and then the product overstates; the set of possible values does not.
//!
//! A release in which a person has no candidate says nothing about that person.

/// What is believed about somebody's sensitive value: the values that are possible, ascending, with their probabilities.
pub type Belief = Vec<(u32, f64)>;

/// Beliefs from independent releases as one. Empty beliefs say nothing and are passed over. The result is empty when
/// nothing is believed, or the beliefs contradict each other: then somebody is not whom they are taken for, or the value
/// has changed.
///
/// `prior` has the probability of each value before any release; values that it gives none are impossible. Without it
/// all are equally likely. Beliefs have each value at most once; they need not be in order, nor add up to 1.
pub fn compose<'b>(beliefs: impl IntoIterator<Item = &'b [(u32, f64)]>, prior: Option<&[f64]>) -> Belief {
    let before = |value: u32| match prior {
        None => 1.0,
        Some(prior) => prior.get(value as usize).copied().unwrap_or(0.0),
    };
    let possible = |p: f64| p > 0.0 && p.is_finite();
    let mut together: Option<Belief> = None;
    for belief in beliefs.into_iter().filter(|belief| !belief.is_empty()) {
        let mut sorted: Belief = belief
            .iter()
            .filter(|(value, p)| possible(*p) && possible(before(*value)))
            .map(|&(value, p)| (value, p / before(value)))
            .collect();
        sorted.sort_by_key(|&(value, _)| value);
        let next = match together.take() {
            None => sorted.into_iter().map(|(value, ratio)| (value, before(value) * ratio)).collect(),
            Some(so_far) => intersect(&so_far, &sorted),
        };
        together = Some(normalized(next));
    }
    together.unwrap_or_default()
}

fn intersect(a: &[(u32, f64)], b: &[(u32, f64)]) -> Belief {
    let find = |value: u32| b.binary_search_by_key(&value, |&(value, _)| value).ok();
    a.iter().filter_map(|&(value, p)| find(value).map(|at| (value, p * b[at].1))).collect()
}

/// Adding up to 1. Divided by the largest first, so that long products do not vanish.
fn normalized(mut belief: Belief) -> Belief {
    let largest = belief.iter().map(|&(_, p)| p).fold(0.0, f64::max);
    if largest > 0.0 {
        belief.iter_mut().for_each(|(_, p)| *p /= largest);
        let total: f64 = belief.iter().map(|&(_, p)| p).sum();
        belief.iter_mut().for_each(|(_, p)| *p /= total);
    }
    belief
}
