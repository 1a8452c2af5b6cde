//! The composition attack as a gate (survey AT-25): what every release leaves possible, intersected.
//!
//! Whoever is in several releases is, in each of them, in the class that the person's values lead to. A sensitive value is possible when
//! every one of these classes holds it; the posteriors are multiplied. An empty intersection says that the person is not in all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::file::{Class, Recorded};

/// What several releases tell of the people of the newest one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Composed {
    /// People who may be in an earlier release as well: whose values lead to a class there.
    pub people: u64,
    /// People with fewer possible values than asked for in some sensitive column, or with a likelier one.
    pub exposed: u64,
    /// People of whom one value is left in some sensitive column.
    pub certain: u64,
    /// The fewest values that are left of anybody in any sensitive column.
    pub fewest: Option<u64>,
    /// The largest posterior of a value, all releases together, averaged over the people of whom it is known.
    pub mean_posterior: f64,
    /// The largest posterior of a value of anybody.
    pub largest_posterior: f64,
}

/// From when on a person counts as exposed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Fewer possible values.
    pub least: u64,
    /// A value with a larger posterior; no limit unless set.
    pub most_posterior: Option<f64>,
}

impl Limits {
    fn expose(&self, possible: u64, posterior: f64) -> bool {
        possible < self.least || self.most_posterior.is_some_and(|most| posterior > most + 1e-12)
    }
}

/// Why what an earlier release tells of sensitive values is not intersected with the newest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unjudged {
    /// One of them is none of classes, or names a column twice.
    Form,
    /// The earlier one has a quasi column that the newest does not have, so that nobody can be looked up.
    Columns,
    /// They have no sensitive column in common.
    Sensitive,
}

/// Why `earlier` is not judged together with `newest`; nothing where it is.
pub fn unjudged(newest: &Recorded, earlier: &Recorded) -> Option<Unjudged> {
    let (Some(newest), Some(earlier)) = (Index::of(newest), Index::of(earlier)) else {
        return Some(Unjudged::Form);
    };
    if !earlier.names().all(|own| newest.names().any(|other| own == other)) {
        return Some(Unjudged::Columns);
    }
    let is_shared = earlier.sensitive.iter().any(|own| newest.sensitive.contains(own));
    (!is_shared).then_some(Unjudged::Sensitive)
}

/// Intersects what `earlier` releases and the newest one tell of people. `people` holds, per distinct combination of quasi values of the
/// newest table, in the order of its columns, how many have it. Releases that cannot be judged ([`unjudged`]) are passed over.
pub fn compose(
    newest: &Recorded,
    earlier: &[&Recorded],
    people: &BTreeMap<Vec<String>, u64>,
    limits: Limits,
) -> Composed {
    let mut composed = Composed::default();
    let (mut posteriors, mut known) = (0.0, 0);
    let Some(newest) = Index::of(newest) else { return composed };
    let earlier: Vec<Index<'_>> = earlier.iter().filter_map(|own| Index::of(own)).collect();
    for (values, &count) in people {
        let named: BTreeMap<&str, &str> = newest.names().zip(values.iter().map(String::as_str)).collect();
        let Some(now) = newest.class(&named) else { continue };
        let before: Vec<(&Index<'_>, &Class)> =
            earlier.iter().filter_map(|own| Some((own, own.class(&named)?))).collect();
        if before.is_empty() {
            continue;
        }
        composed.people += count;
        let (mut fewest, mut surest): (Option<u64>, f64) = (None, 0.0);
        for (at, column) in newest.sensitive.iter().enumerate() {
            let held: Vec<&BTreeMap<String, u64>> = before
                .iter()
                .filter_map(|(index, class)| {
                    Some(&class.held[index.sensitive.iter().position(|own| own == column)?])
                })
                .collect();
            if held.is_empty() {
                continue;
            }
            let (possible, posterior) = possible(&now.held[at], &held);
            // Nothing is possible: not one person in all of them, or the value changed.
            if possible > 0 {
                fewest = Some(fewest.map_or(possible, |own: u64| own.min(possible)));
                surest = surest.max(posterior);
            }
        }
        let Some(own) = fewest else { continue };
        composed.fewest = Some(composed.fewest.map_or(own, |all| all.min(own)));
        composed.exposed += if limits.expose(own, surest) { count } else { 0 };
        composed.certain += if own == 1 { count } else { 0 };
        composed.largest_posterior = composed.largest_posterior.max(surest);
        posteriors += surest * count as f64;
        known += count;
    }
    composed.mean_posterior = if known == 0 { 0.0 } else { posteriors / known as f64 };
    composed
}

/// How many values all of them hold, and the largest posterior.
fn possible(now: &BTreeMap<String, u64>, before: &[&BTreeMap<String, u64>]) -> (u64, f64) {
    let weight = |value: &String, count: u64| {
        let share = |own: &&BTreeMap<String, u64>| {
            let all: u64 = own.values().sum();
            own.get(value).map(|&own| own as f64 / all.max(1) as f64)
        };
        before.iter().map(share).try_fold(count as f64, |all, own| Some(all * own?))
    };
    let weights: Vec<f64> = now.iter().filter_map(|(value, &count)| weight(value, count)).collect();
    let all: f64 = weights.iter().sum();
    let most = weights.iter().copied().fold(0.0, f64::max);
    (weights.len() as u64, if all > 0.0 { most / all } else { 0.0 })
}

/// A release of classes, ready to look people up.
struct Index<'a> {
    columns: Vec<(&'a str, &'a BTreeMap<String, String>)>,
    sensitive: &'a [String],
    of_labels: HashMap<Vec<&'a str>, &'a Class>,
}

impl<'a> Index<'a> {
    fn of(recorded: &'a Recorded) -> Option<Self> {
        let Recorded::Classes { columns, sensitive, classes } = recorded else { return None };
        let columns: Vec<_> = columns.iter().map(|own| (own.column.as_str(), &own.labels)).collect();
        let distinct: BTreeSet<&str> = columns.iter().map(|own| own.0).collect();
        let labels = |class: &'a Class| class.labels.iter().map(String::as_str).collect();
        let of_labels = classes.iter().map(|class| (labels(class), class)).collect();
        (distinct.len() == columns.len()).then_some(Self { columns, sensitive, of_labels })
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.columns.iter().map(|own| own.0)
    }

    /// The class of whoever has these values; nothing where a value is not known of, so that nobody there has it.
    fn class(&self, named: &BTreeMap<&str, &str>) -> Option<&'a Class> {
        let label = |(column, labels): &(&str, &'a BTreeMap<String, String>)| {
            labels.get(*named.get(column)?).map(String::as_str)
        };
        let labels: Option<Vec<&str>> = self.columns.iter().map(label).collect();
        self.of_labels.get(&labels?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::ColumnLabels;

    fn at_least(least: u64) -> Limits {
        Limits { least, most_posterior: None }
    }

    fn release(labels: &[(&str, &str)], classes: &[(&str, &[(&str, u64)])]) -> Recorded {
        let labels = labels.iter().map(|(value, label)| ((*value).to_owned(), (*label).to_owned())).collect();
        let classes = classes.iter().map(|(label, held)| Class {
            labels: vec![(*label).to_owned()],
            rows: held.iter().map(|own| own.1).sum(),
            held: vec![held.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect()],
        });
        Recorded::Classes {
            columns: vec![ColumnLabels { column: "age".into(), labels }],
            sensitive: vec!["ill".into()],
            classes: classes.collect(),
        }
    }

    /// Survey L2016: {Cancer, HD, Flu} and {Cancer, Hepatitis, Ulcer} leave {Cancer}.
    #[test]
    fn two_releases_that_are_diverse_alone_leave_one_value() {
        let first = release(&[("21", "20-29")], &[("20-29", &[("Cancer", 1), ("HD", 1), ("Flu", 1)])]);
        let second =
            release(&[("21", "15-24")], &[("15-24", &[("Cancer", 1), ("Hepatitis", 1), ("Ulcer", 1)])]);
        let people = BTreeMap::from([(vec!["21".to_owned()], 3)]);
        let composed = compose(&second, &[&first], &people, at_least(2));
        assert_eq!(
            (composed.people, composed.exposed, composed.certain, composed.fewest),
            (3, 3, 3, Some(1))
        );
        assert_eq!(composed.mean_posterior, 1.0);
        // FX-6.5: two values are left, and the posterior is the product.
        let third = release(&[("21", "*")], &[("*", &[("Cancer", 2), ("HD", 1), ("Ulcer", 4)])]);
        let composed = compose(&third, &[&first], &people, at_least(2));
        assert_eq!((composed.exposed, composed.fewest), (0, Some(2)));
        assert!((composed.mean_posterior - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(compose(&third, &[&first], &people, at_least(3)).exposed, 3);
    }

    /// Two values are left, and one of them is nearly sure: the number of values alone would let it pass.
    #[test]
    fn a_value_that_is_nearly_sure_exposes_though_another_is_possible() {
        let first = release(&[("21", "a")], &[("a", &[("Flu", 9), ("Gout", 1)])]);
        let second = release(&[("21", "b")], &[("b", &[("Flu", 9), ("Gout", 1)])]);
        let people = BTreeMap::from([(vec!["21".to_owned()], 10)]);
        let at_most = |most| Limits { least: 2, most_posterior: Some(most) };
        let composed = compose(&second, &[&first], &people, at_least(2));
        assert_eq!((composed.exposed, composed.fewest), (0, Some(2)));
        // By hand: 9 * 9 / (9 * 9 + 1 * 1).
        assert!((composed.largest_posterior - 81.0 / 82.0).abs() < 1e-12);
        assert_eq!(compose(&second, &[&first], &people, at_most(0.95)).exposed, 10);
        assert_eq!(compose(&second, &[&first], &people, at_most(0.99)).exposed, 0);
    }

    #[test]
    fn what_is_not_judged_is_named() {
        let first = release(&[("21", "a")], &[("a", &[("Flu", 2)])]);
        let of_column = |name: &str, sensitive: &[&str]| match first.clone() {
            Recorded::Classes { mut columns, classes, .. } => {
                columns[0].column = name.to_owned();
                let sensitive = sensitive.iter().map(|own| (*own).to_owned()).collect();
                Recorded::Classes { columns, sensitive, classes }
            }
            other => other,
        };
        assert_eq!(unjudged(&first, &first), None);
        assert_eq!(unjudged(&of_column("age", &[]), &first), Some(Unjudged::Sensitive));
        assert_eq!(unjudged(&of_column("zip", &["ill"]), &first), Some(Unjudged::Columns));
        let signatures = Recorded::Signatures { people: BTreeMap::default(), counterfeits: 0 };
        assert_eq!(unjudged(&first, &signatures), Some(Unjudged::Form));
    }

    #[test]
    fn who_is_in_no_earlier_release_is_not_counted() {
        let first = release(&[("21", "a")], &[("a", &[("Flu", 2)])]);
        let second = release(&[("21", "a"), ("30", "b")], &[("a", &[("Cold", 2)]), ("b", &[("Flu", 1)])]);
        let people = BTreeMap::from([(vec!["21".to_owned()], 2), (vec!["30".to_owned()], 1)]);
        // 30 is a value that the first table did not have, and of 21 nothing is possible.
        let composed = compose(&second, &[&first], &people, at_least(2));
        assert_eq!((composed.people, composed.exposed, composed.fewest), (2, 0, None));
    }
}
