//! A promise as a sentence, from its requirement alone: what a manifest says beside it, and what whoever reads the
//! manifest can derive again. No table is needed, so nobody can say more in words than in numbers.

use crate::bound::Grouping;
use crate::k_anonymity::look_alikes;
use crate::three_d::Skyline;
use crate::{DistanceKind, DiversityKind, LikenessKind, ProximityKind, Requirement};

/// The sentence of a requirement whose column is filled in. `sensitive` are all sensitive columns, in their order:
/// multi-attribute diversity names the others.
#[must_use]
pub fn statement(requirement: &Requirement, sensitive: &[&str]) -> String {
    statement_of(requirement, sensitive, Grouping::Classes)
}

/// The same of groups of this kind.
#[must_use]
pub fn statement_of(requirement: &Requirement, sensitive: &[&str], grouping: Grouping) -> String {
    let every = grouping.every();
    let column = requirement.column().unwrap_or_default();
    match requirement {
        Requirement::KAnonymity { k } => look_alikes(*k, grouping),
        Requirement::AlphaK { alpha, k, values, .. } => {
            let values = match values.len() {
                0 => "value".to_owned(),
                n => format!("of the {n} protected values"),
            };
            format!(
                "{every} has at least {k} records, and no {values} of {column} makes up more than a share alpha = {alpha} of \
                 it."
            )
        }
        Requirement::LDiversity { kind, l, c, c2, allowed, protected, multi_attribute, .. } => {
            let lists = Lists { allowed: allowed.len(), protected: protected.len() };
            let clause = diversity(*kind, *l, *c, *c2, lists, &format!("values of {column}"));
            let others: Vec<&str> = sensitive.iter().copied().filter(|&name| name != column).collect();
            match *multi_attribute && !others.is_empty() {
                true => format!("{} {} {clause}.", grouping.every_with_the_same(), others.join(", ")),
                false => format!("{every} {clause}."),
            }
        }
        Requirement::TCloseness { kind, t, order, .. } => format!(
            "{}, {column} is distributed as in the whole table \
             up to a distance of t = {t} ({}).",
            grouping.in_every(),
            distance(*kind, !order.is_empty())
        ),
        Requirement::PSensitivity { p, k, plus, alpha, .. } => {
            let what = if *plus { "sensitivity categories" } else { "values" };
            let weight = match alpha {
                Some(alpha) => format!(", with a total weight of at least alpha = {alpha}"),
                None => String::new(),
            };
            format!(
                "{every} has at least {k} records and at least p = {p} different {what} of {column}{weight}."
            )
        }
        Requirement::ConceptDiversity { l, kind, c, .. } => {
            let lists = Lists { allowed: 0, protected: 0 };
            format!("{every} {}.", diversity(*kind, *l, *c, None, lists, &format!("concepts of {column}")))
        }
        Requirement::ProximityDiversity { kind, l, width, balance, .. } => {
            proximity(*kind, (*l, *width, *balance), column, grouping)
        }
        Requirement::DeltaPresence { min, max, .. } => {
            let below = if *min > 0.0 { format!("below {min} or ") } else { String::new() };
            format!(
                "Whoever knows the population table can tell of none of its people that they are in the release with a chance \
                 {below}above {max}."
            )
        }
        Requirement::KMap { k, .. } => format!(
            "The quasi-identifiers of every published record fit at least k = {k} people of the population table."
        ),
        Requirement::BetaLikeness { beta, kind, .. } => {
            let bound = match kind {
                LikenessKind::Basic => String::new(),
                LikenessKind::Enhanced => " and the negative logarithm of the latter".to_owned(),
            };
            format!(
                "{every} holds each value of {column} with a share that exceeds its share in the whole table by a relative \
                 gain of at most beta = {beta}{bound}."
            )
        }
        Requirement::DeltaDisclosure { delta, .. } => format!(
            "{every} holds every value of {column} with a share that differs from its share in the whole table by less than a \
             factor e^delta, delta = {delta}."
        ),
        Requirement::ThreeD { values, .. } => {
            let own = (0..).zip(values.values().copied()).collect();
            format!("{} This is about {column}.", Skyline::new(requirement.points(), own).promise())
        }
        Requirement::CKSafety { c, k, .. } => {
            let known = match k {
                1 => "1 implication".to_owned(),
                k => format!("{k} implications"),
            };
            format!(
                "Whoever knows {known} about people of the table, of the kind \"if this person has this value, then that person has \
                 that one\", learns no value of {column} with a chance of {c} or more."
            )
        }
    }
}

/// How many values the disclosure forms list.
#[derive(Clone, Copy)]
struct Lists {
    allowed: usize,
    protected: usize,
}

fn diversity(
    kind: DiversityKind,
    l: f64,
    c: Option<f64>,
    c2: Option<f64>,
    lists: Lists,
    nouns: &str,
) -> String {
    let c = c.unwrap_or_default();
    let Lists { allowed, protected } = lists;
    let disclosure = || {
        format!(
            "holds {nouns} of which each, but for {allowed} that may be disclosed, occurs less than c = {c} times as often as the \
             others do when the l - 2 = {} most frequent others are ruled out",
            (l - 2.0).max(0.0)
        )
    };
    match kind {
        DiversityKind::Distinct => format!("holds at least {l} different {nouns}"),
        DiversityKind::Entropy => format!(
            "holds {nouns} at least as evenly mixed as {l} equally frequent ones (entropy at least log {l})"
        ),
        DiversityKind::Recursive => format!(
            "holds {nouns} of which the most frequent occurs less than c = {c} times as often as all from rank l = {l} on taken \
             together"
        ),
        DiversityKind::PositiveDisclosure => disclosure(),
        DiversityKind::NegativePositiveDisclosure => format!(
            "{}, and each of {protected} protected ones makes up at least {} percent of the group",
            disclosure(),
            c2.unwrap_or_default()
        ),
    }
}

/// `in_order` tells whether the promise names the values in their order.
fn distance(kind: DistanceKind, in_order: bool) -> &'static str {
    match kind {
        DistanceKind::Variational => "variational distance",
        DistanceKind::Kl => "Kullback-Leibler divergence in nats",
        DistanceKind::Equal => "earth mover's distance, all values equally far apart",
        DistanceKind::Ordered if in_order => "earth mover's distance along the given order",
        DistanceKind::Ordered => {
            "earth mover's distance along the order of the values, missing values below the lowest"
        }
        DistanceKind::Hierarchical => "earth mover's distance over the hierarchy",
        DistanceKind::Matrix => "earth mover's distance with the given costs, cheapest way",
    }
}

fn proximity(
    kind: ProximityKind,
    (l, width, balance): (f64, f64, f64),
    column: &str,
    grouping: Grouping,
) -> String {
    let every = grouping.every();
    match kind {
        ProximityKind::Ranges if balance > 0.0 => format!(
            "{every} holds values of {column} from at least {l} ranges of width {width}, each with at least a share of {} of \
             the group.",
            balance / l
        ),
        ProximityKind::Ranges => format!(
            "{every} holds at least {l} values of {column} that are pairwise more than {width} apart."
        ),
        ProximityKind::Neighbourhood => format!(
            "{}, at most 1 in {l} records lies within {width} of any value of {column} in the group.",
            grouping.in_every()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a promise says of classes, it does not say of buckets that their records look alike.
    #[test]
    fn promises_of_buckets_speak_of_buckets() {
        let said = |k: u64| statement_of(&Requirement::KAnonymity { k }, &[], Grouping::Buckets);
        assert_eq!(said(3), "Every published record shares its bucket with at least 2 others (k = 3).");
        assert_eq!(said(1), "Published records may be alone in their bucket (k = 1).");
        let every = [
            Grouping::Buckets.every(),
            Grouping::Buckets.in_every(),
            Grouping::Buckets.every_with_the_same(),
        ];
        assert!(every.iter().all(|words| words.contains("bucket") && !words.contains("quasi")));
    }
}
