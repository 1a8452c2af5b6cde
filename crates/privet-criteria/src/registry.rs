//! From what a job asks for to criteria bound to the columns of a table.
//!
//! Each criterion checks its own parameters; this file finds the columns and names the key in errors.

use privet_data::{Domain, Hierarchy};

use crate::alpha_k::AlphaK;
use crate::bound::Bound;
use crate::ck_safety::CKSafety;
use crate::concept::ConceptDiversity;
use crate::delta_disclosure::DeltaDisclosure;
use crate::k_anonymity::KAnonymity;
use crate::l_diversity::{self, LDiversity};
use crate::likeness::BetaLikeness;
use crate::multi_attribute::MultiAttribute;
use crate::p_sensitivity::{self, PSensitivity};
use crate::presence::{DeltaPresence, KMap};
use crate::proximity::Proximity;
use crate::t_closeness::{Hierarchical, KullbackLeibler, Ordered, TCloseness, Transport, Variational};
use crate::three_d::ThreeDPrivacy;
use crate::{Criterion, DistanceKind, Requirement};

/// A sensitive column as criteria see it.
#[derive(Debug, Clone, Copy)]
pub struct SensitiveColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its values.
    pub domain: &'a Domain,
    /// Per code how many records of the input have it.
    pub counts: &'a [u64],
    /// Its hierarchy, when the job gives one.
    pub hierarchy: Option<&'a Hierarchy>,
}

/// The combinations of values of all sensitive columns that occur in the input; the last histogram of
/// a class counts them.
#[derive(Debug, Clone, Default)]
pub struct Joint {
    /// Per combination the codes, one for each sensitive column.
    pub combinations: Vec<Vec<u32>>,
}

/// A requirement that cannot be met or understood. No message holds a value of the data.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("[privacy] {key}: {problem}")]
pub struct CriterionError {
    /// The key in the job file.
    pub key: String,
    /// What is wrong and what would be accepted.
    pub problem: String,
}

impl CriterionError {
    pub(crate) fn new(key: &str, problem: impl Into<String>) -> Self {
        Self { key: key.to_owned(), problem: problem.into() }
    }
}

/// Fills in the columns that requirements leave out, and makes one requirement per sensitive column of
/// multi-attribute diversity without a column. [`build`] gives one criterion for each of the result, in
/// its order.
///
/// # Errors
/// When a column is unknown, not sensitive, or left out while there is not exactly one sensitive column.
pub fn resolve(requirements: &[Requirement], sensitive: &[&str]) -> Result<Vec<Requirement>, CriterionError> {
    let mut resolved = Vec::with_capacity(requirements.len());
    for requirement in requirements {
        let error = |problem: String| CriterionError::new(requirement.key(), problem);
        if !requirement.takes_column() {
            resolved.push(requirement.clone());
            continue;
        }
        match requirement.column() {
            Some(name) if sensitive.contains(&name) => resolved.push(requirement.clone()),
            Some(name) => {
                return Err(error(format!(
                    "column {name} is not a sensitive column; {}",
                    accepted(sensitive)
                )));
            }
            None if sensitive.is_empty() => {
                return Err(error("it needs a sensitive column, and there is none".to_owned()));
            }
            None if sensitive.len() == 1 || requirement.needs_joint() => {
                resolved
                    .extend(sensitive.iter().map(|&name| requirement.clone().with_column(name.to_owned())));
            }
            None => {
                return Err(error(format!(
                    "column may be left out only when there is one sensitive column; {}",
                    accepted(sensitive)
                )));
            }
        }
    }
    Ok(resolved)
}

fn accepted(sensitive: &[&str]) -> String {
    match sensitive {
        [] => "there is no sensitive column".to_owned(),
        [one] => format!("the sensitive column is {one}"),
        many => format!("the sensitive columns are {}", many.join(", ")),
    }
}

/// Binds requirements to a table of `rows` records with these sensitive columns.
///
/// Criteria come in the order of the requirements; multi-attribute diversity without a column gives one
/// criterion for each sensitive column (see [`resolve`]).
///
/// # Errors
/// When a parameter is out of range, a column is missing or not unique, or the promise is impossible
/// for this table (k larger than the table, l larger than the number of distinct values).
pub fn build(
    requirements: &[Requirement],
    sensitive: &[SensitiveColumn<'_>],
    joint: Option<&Joint>,
    rows: u64,
) -> Result<Vec<Box<dyn Criterion>>, CriterionError> {
    let names: Vec<&str> = sensitive.iter().map(|column| column.name).collect();
    let resolved = resolve(requirements, &names)?;
    let bind = |requirement: &Requirement| {
        one(requirement, sensitive, &names, joint, rows)
            .map_err(|problem| CriterionError::new(requirement.key(), problem))
    };
    resolved.iter().map(bind).collect()
}

/// Binds one requirement whose column is filled in.
fn one(
    requirement: &Requirement,
    sensitive: &[SensitiveColumn<'_>],
    names: &[&str],
    joint: Option<&Joint>,
    rows: u64,
) -> Result<Box<dyn Criterion>, String> {
    let bound = || -> Result<Bound<'_>, String> {
        let position = names.iter().position(|&name| Some(name) == requirement.column());
        let position = position.ok_or("it needs a sensitive column")?;
        let column = sensitive[position];
        if column.counts.len() != column.domain.len() {
            return Err(format!("the counts of column {} do not match its values", column.name));
        }
        Ok(Bound { position, column })
    };
    Ok(match requirement {
        Requirement::KAnonymity { k } => Box::new(KAnonymity::new(*k, rows)?),
        Requirement::AlphaK { alpha, k, values, .. } => {
            Box::new(AlphaK::new(*alpha, *k, values, rows, &bound()?)?)
        }
        Requirement::LDiversity { kind, l, c, c2, allowed, protected, multi_attribute, .. } => {
            let parameters =
                l_diversity::Parameters { kind: *kind, l: *l, c: *c, c2: *c2, allowed, protected };
            if !multi_attribute || names.len() == 1 {
                // With no other sensitive column there is nothing more to learn.
                return Ok(Box::new(LDiversity::new(&parameters, &bound()?)?));
            }
            let joint = joint.ok_or("multi-attribute needs the combinations of the sensitive columns")?;
            Box::new(MultiAttribute::new(&parameters, &bound()?, joint, names)?)
        }
        Requirement::TCloseness { kind, t, costs, hierarchy, order, .. } => {
            t_closeness(*kind, *t, costs, hierarchy.is_some(), order, &bound()?)?
        }
        Requirement::PSensitivity { p, k, plus, alpha, categories, weights, .. } => {
            let parameters =
                p_sensitivity::Parameters { p: *p, k: *k, plus: *plus, alpha: *alpha, categories, weights };
            Box::new(PSensitivity::new(&parameters, rows, &bound()?)?)
        }
        Requirement::ConceptDiversity { l, kind, c, concepts, .. } => {
            let parameters =
                l_diversity::Parameters { kind: *kind, l: *l, c: *c, c2: None, allowed: &[], protected: &[] };
            Box::new(ConceptDiversity::new(&parameters, concepts, &bound()?)?)
        }
        Requirement::ProximityDiversity { kind, l, width, balance, .. } => {
            Box::new(Proximity::new(*kind, *l, *width, *balance, &bound()?)?)
        }
        Requirement::DeltaPresence { min, max, .. } => Box::new(DeltaPresence::new(*min, *max)?),
        Requirement::KMap { k, .. } => Box::new(KMap::new(*k)?),
        Requirement::BetaLikeness { beta, kind, .. } => Box::new(BetaLikeness::new(*beta, *kind, &bound()?)?),
        Requirement::ThreeD { l, k, m, c, values, .. } => {
            if c.is_none() && (*l, *k, *m) != (0, 0, 0) {
                return Err("l, k and m go with c; add it, or leave them to the points".to_owned());
            }
            Box::new(ThreeDPrivacy::new(requirement.points(), values, &bound()?)?)
        }
        Requirement::CKSafety { c, k, .. } => Box::new(CKSafety::new(*c, *k, &bound()?)?),
        Requirement::DeltaDisclosure { delta, .. } => Box::new(DeltaDisclosure::new(*delta, &bound()?)?),
    })
}

fn t_closeness(
    kind: DistanceKind,
    t: f64,
    costs: &[(String, String, f64)],
    hierarchy: bool,
    order: &[String],
    bound: &Bound<'_>,
) -> Result<Box<dyn Criterion>, String> {
    use DistanceKind as Kind;
    let unbounded = matches!(kind, Kind::Kl | Kind::Matrix);
    if !(t.is_finite() && t >= 0.0 && (unbounded || t <= 1.0)) {
        let range = if unbounded { "a number of at least 0" } else { "from 0 to 1" };
        return Err(format!("t = {t} must be {range}"));
    }
    let foreign = [
        (!costs.is_empty() && kind != Kind::Matrix, "costs", "matrix"),
        (hierarchy && kind != Kind::Hierarchical, "hierarchy", "hierarchical"),
        (!order.is_empty() && kind != Kind::Ordered, "order", "ordered"),
    ];
    if let Some((_, field, owner)) = foreign.into_iter().find(|(given, ..)| *given) {
        return Err(format!("{field} belongs to kind {owner}; leave it out or choose that kind"));
    }
    Ok(match kind {
        Kind::Variational => Box::new(TCloseness::new(Variational::new(bound), t, bound)),
        Kind::Equal => Box::new(TCloseness::new(Variational::equal(bound), t, bound)),
        Kind::Kl => Box::new(TCloseness::new(KullbackLeibler::new(bound), t, bound)),
        Kind::Ordered => Box::new(TCloseness::new(Ordered::new(order, bound)?, t, bound)),
        Kind::Hierarchical => Box::new(TCloseness::new(Hierarchical::new(bound)?, t, bound)),
        Kind::Matrix => Box::new(TCloseness::new(Transport::new(costs, bound)?, t, bound)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build_one, column};
    use serde_json::{Value, json};

    fn problem(requirement: Value) -> String {
        build_one(requirement, &column(&["secret1", "secret2", "secret3", "secret4"], &[6, 3, 2, 1]))
            .err()
            .unwrap()
            .to_string()
    }

    #[test]
    fn impossible_parameters_say_what_would_be_possible() {
        assert_eq!(
            problem(json!({"criterion": "k-anonymity", "k": 50})),
            "[privacy] k-anonymity: k = 50 but the table has 12 records; k may be at most 12"
        );
        assert_eq!(
            problem(json!({"criterion": "l-diversity", "l": 9})),
            "[privacy] l-diversity: l = 9 but column s has 4 distinct values; l may be at most 4"
        );
        // More mixed than the whole table, but not than a part of it: records may be suppressed.
        let mixed = json!({"criterion": "l-diversity", "kind": "entropy", "l": 3.9});
        let sensitive = column(&["secret1", "secret2", "secret3", "secret4"], &[6, 3, 2, 1]);
        assert!(build_one(mixed, &sensitive).is_ok());
    }

    #[test]
    fn out_of_range_parameters_are_refused_by_name() {
        for (requirement, expected) in [
            (json!({"criterion": "k-anonymity", "k": 0}), "k must be"),
            (json!({"criterion": "alpha-k", "k": 2, "alpha": 0.0}), "alpha = 0"),
            (json!({"criterion": "alpha-k", "k": 2, "alpha": 1.5}), "alpha = 1.5"),
            (json!({"criterion": "alpha-k", "k": 2, "alpha": 0.1}), "4 distinct values"),
            (
                json!({"criterion": "alpha-k", "k": 2, "alpha": 0.5, "values": ["secret5"]}),
                "values names 1 of 1",
            ),
            (json!({"criterion": "l-diversity", "l": 0.5}), "l = 0.5"),
            (json!({"criterion": "l-diversity", "l": 2.5}), "whole number"),
            (json!({"criterion": "l-diversity", "l": 2, "c": 1.0}), "c belongs"),
            (
                json!({"criterion": "l-diversity", "l": 2, "kind": "entropy", "allowed": ["secret1"]}),
                "allowed belongs",
            ),
            (json!({"criterion": "l-diversity", "l": 2, "kind": "recursive"}), "c is missing"),
            (json!({"criterion": "l-diversity", "l": 2, "kind": "recursive", "c": 0.0}), "c = 0"),
            (
                json!({"criterion": "l-diversity", "l": 2, "kind": "positive-disclosure", "c": 1.0, "allowed": ["x", "y"]}),
                "allowed names 2 of 2",
            ),
            (
                json!({"criterion": "l-diversity", "l": 2, "kind": "negative-positive-disclosure", "c": 1.0}),
                "c2 is missing",
            ),
            (
                json!({"criterion": "l-diversity", "l": 2, "kind": "negative-positive-disclosure", "c": 1.0, "c2": 100.0}),
                "c2 = 100",
            ),
            (
                json!({"criterion": "l-diversity", "l": 2, "kind": "negative-positive-disclosure", "c": 1.0, "c2": 60.0,
                    "protected": ["secret1", "secret2"]}),
                "c2 may be at most 50",
            ),
            (json!({"criterion": "t-closeness", "kind": "equal", "t": 1.1}), "from 0 to 1"),
            (json!({"criterion": "t-closeness", "kind": "kl", "t": -0.1}), "at least 0"),
            (json!({"criterion": "beta-likeness", "beta": 0.0}), "beta = 0"),
            (json!({"criterion": "delta-disclosure", "delta": -1.0}), "delta = -1"),
            (
                json!({"criterion": "delta-presence", "min": 0.6, "max": 0.5, "population": "p.csv"}),
                "min = 0.6",
            ),
            (json!({"criterion": "k-map", "k": 0, "population": "p.csv"}), "k must be"),
            (json!({"criterion": "c-k-safety", "c": 0.0, "k": 1}), "c = 0"),
            (json!({"criterion": "c-k-safety", "c": 1.5, "k": 1}), "c = 1.5"),
            (json!({"criterion": "c-k-safety", "c": 0.5, "k": 3}), "k may be at most 2"),
            (json!({"criterion": "c-k-safety", "c": 0.5, "k": 100}), "k may be at most 2"),
            (json!({"criterion": "c-k-safety", "c": 0.25, "k": 0}), "c must be above 0.25"),
            (json!({"criterion": "three-d", "c": 1.1}), "c = 1.1"),
            (json!({"criterion": "three-d"}), "c, points or values"),
            (json!({"criterion": "three-d", "l": 1, "points": [{"c": 0.5}]}), "go with c"),
            (json!({"criterion": "three-d", "points": [{"c": 0.5}, {"c": 0.0}]}), "c = 0"),
            (json!({"criterion": "three-d", "values": {"secret1": {"c": -0.5}}}), "c = -0.5"),
            (json!({"criterion": "three-d", "values": {"secret7": {"c": 0.5}}}), "values names 1 of 1"),
        ] {
            let message = problem(requirement.clone());
            assert!(message.contains(expected), "{requirement}: {message}");
            assert!(!message.contains("secret"), "no value in a message: {message}");
        }
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        let sensitive = column(&["1", "2"], &[6, 6]);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for requirement in [
                Requirement::AlphaK { alpha: bad, k: 1, values: vec![], column: None },
                Requirement::TCloseness {
                    kind: DistanceKind::Kl,
                    t: bad,
                    costs: vec![],
                    hierarchy: None,
                    order: vec![],
                    column: None,
                },
                Requirement::BetaLikeness { beta: bad, kind: Default::default(), column: None },
                Requirement::DeltaDisclosure { delta: bad, column: None },
                Requirement::DeltaPresence { min: bad, max: 0.5, population: "p".into() },
                Requirement::CKSafety { c: bad, k: 0, column: None },
                Requirement::ThreeD {
                    l: 0,
                    k: 0,
                    m: 0,
                    c: Some(bad),
                    points: vec![],
                    values: Default::default(),
                    column: None,
                },
                Requirement::DeltaPresence { min: 0.0, max: bad, population: "p".into() },
                Requirement::ProximityDiversity {
                    kind: Default::default(),
                    l: 1.0,
                    width: bad,
                    balance: 0.0,
                    column: None,
                },
            ] {
                assert!(build(&[requirement], &[sensitive.as_sensitive("s")], None, 12).is_err());
            }
            for kind in [crate::DiversityKind::Distinct, crate::DiversityKind::Entropy] {
                let requirement = Requirement::ConceptDiversity {
                    l: bad,
                    kind,
                    c: None,
                    concepts: Default::default(),
                    column: None,
                };
                assert!(build(&[requirement], &[sensitive.as_sensitive("s")], None, 12).is_err());
            }
        }
    }

    #[test]
    fn columns_are_found_or_the_choice_is_named() {
        let (a, b) = (column(&["x", "y"], &[1, 1]), column(&["u", "v"], &[1, 1]));
        let both = [a.as_sensitive("a"), b.as_sensitive("b")];
        let ask = |requirement: Value, sensitive: &[SensitiveColumn<'_>]| {
            let requirement: Requirement = serde_json::from_value(requirement).unwrap();
            build(&[requirement], sensitive, None, 2)
        };
        let left_out = ask(json!({"criterion": "l-diversity", "l": 2}), &both).err().unwrap();
        assert_eq!(
            left_out.problem,
            "column may be left out only when there is one sensitive column; the sensitive columns are a, b"
        );
        let unknown = ask(json!({"criterion": "l-diversity", "l": 2, "column": "zip"}), &both).err().unwrap();
        assert_eq!(unknown.problem, "column zip is not a sensitive column; the sensitive columns are a, b");
        assert!(
            ask(json!({"criterion": "l-diversity", "l": 2}), &[])
                .err()
                .unwrap()
                .problem
                .contains("there is none")
        );
        let second = ask(json!({"criterion": "l-diversity", "l": 2, "column": "b"}), &both).unwrap();
        assert_eq!(second[0].histograms(), [1]);
        assert!(ask(json!({"criterion": "k-anonymity", "k": 2}), &[]).is_ok());
        let multi = json!({"criterion": "l-diversity", "l": 2, "multi-attribute": true});
        assert!(ask(multi.clone(), &both).err().unwrap().problem.contains("combinations"));
        assert_eq!(ask(multi, &both[..1]).unwrap()[0].histograms(), [0], "one column is ordinary diversity");
    }

    #[test]
    fn order_is_kept_and_multi_attribute_is_spread() {
        let multi = json!({"criterion": "l-diversity", "l": 2, "multi-attribute": true});
        let requirements: Vec<Requirement> = [multi, json!({"criterion": "k-anonymity", "k": 2})]
            .map(|value| serde_json::from_value(value).unwrap())
            .to_vec();
        let resolved = resolve(&requirements, &["a", "b"]).unwrap();
        let columns: Vec<_> = resolved.iter().map(|r| (r.key(), r.column())).collect();
        assert_eq!(columns, [("l-diversity", Some("a")), ("l-diversity", Some("b")), ("k-anonymity", None)]);
    }
}
