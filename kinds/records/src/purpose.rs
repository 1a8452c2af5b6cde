//! The file of purposes and requesters: what data is wanted for, and how far those are trusted who want it
//! (thesis 2.9).
//!
//! ```toml
//! [purposes.research]
//! order = ["age", "postcode", "gender"]     # the most useful first
//! weights = { utility = 1.5 }               # or "uniform"
//! protect-useful = true
//!
//! [purposes.billing]
//! priorities = { postcode = 0.7, gender = 0.3 }
//!
//! [requesters.university]
//! trust = 0.8
//! projection = "linear"                     # or "quadratic", "one-minus-square", { power = 3 }, { points = [[0, 1], [1, 0]] }
//! ```
//!
//! Quasi columns that an order does not name come after those that it names, in the order of the table; those that
//! priorities do not name have priority 0. Priorities are numbers from 0 to 1, as an order yields them. A purpose with neither takes all columns to be equally useful.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_recode::purpose::priority::check_given;
use privet_recode::purpose::trust::check_trust;
use privet_recode::purpose::{Decomposition, OutOfRange, Priorities, Projection, Weights};
use serde::Deserialize;

use crate::error::JobError;

/// The purposes and requesters of a file, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Purposes {
    purposes: BTreeMap<String, Purpose>,
    requesters: BTreeMap<String, Requester>,
    file: Option<PathBuf>,
}

/// The file as it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    purposes: BTreeMap<String, Purpose>,
    #[serde(default)]
    requesters: BTreeMap<String, Requester>,
}

/// A `[purposes.NAME]` section.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Purpose {
    order: Option<Vec<String>>,
    priorities: Option<BTreeMap<String, f64>>,
    #[serde(default)]
    weights: Weights,
    #[serde(default)]
    protect_useful: bool,
}

/// A `[requesters.NAME]` section.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Requester {
    trust: f64,
    #[serde(default)]
    projection: Projection,
}

/// Who wants a table and what for, in terms of its quasi columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The purpose and the requester as one part of a path, such as `research@university` or `research@0.8`. No
    /// two requests of a file share one.
    pub who: String,
    /// The name of the purpose.
    pub purpose: String,
    /// The name of the requester, unless only a number was given.
    pub requester: Option<String>,
    /// How far the requester is trusted, from 0 to 1.
    pub trust: f64,
    /// The degree of anonymization that this trust asks for, from 0 to 1.
    pub degree: f64,
    /// How useful each quasi column is; columns are known by their position among the quasi columns.
    pub priorities: Priorities,
    /// How much each step of a hierarchy counts.
    pub weights: Weights,
    /// Whether useful columns are to be generalized least.
    pub protect_useful: bool,
}

impl Request {
    /// The search that answers the request. It raises levels until every promise is kept.
    pub fn decomposition(&self) -> Decomposition {
        Decomposition {
            degree: self.degree,
            priorities: self.priorities.clone(),
            weights: self.weights,
            protect_useful: self.protect_useful,
            ..Decomposition::default()
        }
    }
}

impl Purposes {
    /// Reads a file of purposes.
    ///
    /// # Errors
    /// When the file cannot be read, is not TOML, has an unknown key, or a value that is not accepted.
    pub fn read(path: &Path) -> Result<Self, JobError> {
        let text = privet_data::io::read_plain_text(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::InvalidData => {
                JobError::new("the file of purposes is not valid UTF-8; save it as UTF-8").at(path)
            }
            _ => JobError::new(format!("the file of purposes cannot be read: {source}")).at(path),
        })?;
        let purposes = Self::parse(&text).map_err(|error| error.at(path))?;
        Ok(Self { file: Some(path.to_owned()), ..purposes })
    }

    /// Reads purposes from the text of a file.
    ///
    /// # Errors
    /// As [`Purposes::read`].
    pub fn parse(text: &str) -> Result<Self, JobError> {
        let Raw { purposes, requesters } =
            toml::from_str(text).map_err(|error| JobError::toml(text, &error))?;
        if purposes.is_empty() {
            return Err(JobError::key(
                "purposes",
                "has no purpose; add a section such as [purposes.research]",
            ));
        }
        for (name, purpose) in &purposes {
            purpose.check(name)?;
        }
        for (name, requester) in &requesters {
            if name.trim().parse().is_ok_and(f64::is_finite) {
                return Err(JobError::key(
                    format!("requesters.{name}"),
                    "must have a name that is not a number; a number stands for trust itself",
                ));
            }
            at(format!("requesters.{name}.trust"), check_trust(requester.trust))?;
            at(format!("requesters.{name}.projection"), requester.projection.check())?;
        }
        distinct("purposes", purposes.keys())?;
        distinct("requesters", requesters.keys())?;
        Ok(Self { purposes, requesters, file: None })
    }

    /// The names of the purposes.
    pub fn purposes(&self) -> impl Iterator<Item = &str> {
        self.purposes.keys().map(String::as_str)
    }

    /// The names of the requesters.
    pub fn requesters(&self) -> impl Iterator<Item = &str> {
        self.requesters.keys().map(String::as_str)
    }

    /// What a purpose and a requester ask of a table with these quasi columns. `trust` is the name of a requester
    /// or a number from 0 to 1, which is projected by the default, (1 - t)².
    ///
    /// # Errors
    /// When there is no such purpose or requester, or the purpose names a column that is no quasi column.
    pub fn resolve(&self, purpose: &str, trust: &str, quasi_names: &[&str]) -> Result<Request, JobError> {
        self.request(purpose, trust, quasi_names).map_err(|error| match &self.file {
            Some(file) => error.at(file),
            None => error,
        })
    }

    fn request(&self, name: &str, trust: &str, quasi_names: &[&str]) -> Result<Request, JobError> {
        let Some(purpose) = self.purposes.get(name) else {
            let there_are = listed(self.purposes());
            return Err(JobError::key(
                "purposes",
                format!("has no section for the purpose asked for; there are: {there_are}"),
            ));
        };
        let priorities = purpose.among(name, quasi_names)?;
        let (requester, whom, trust, projection) = match self.requesters.get(trust) {
            Some(requester) => {
                (Some(trust.to_owned()), part(trust), requester.trust, requester.projection.clone())
            }
            None => {
                // Minus zero is zero, also in the name of a folder.
                let number = trust.trim().parse().ok().filter(|&trust| check_trust(trust).is_ok());
                let trust = number.ok_or_else(|| self.unknown_requester())? + 0.0;
                (None, format!("{trust:?}"), trust, Projection::default())
            }
        };
        let degree = projection.degree(trust).map_err(|problem| JobError::key("requesters", problem.0))?;
        Ok(Request {
            who: format!("{}@{whom}", part(name)),
            purpose: name.to_owned(),
            requester,
            trust,
            degree,
            priorities,
            weights: purpose.weights,
            protect_useful: purpose.protect_useful,
        })
    }

    /// The name that a release for a purpose and a requester adds to that of its folder: no two of a file share one.
    ///
    /// # Errors
    /// When there is no such purpose or requester.
    pub fn who(&self, purpose: &str, trust: &str) -> Result<String, JobError> {
        // Which columns there are decides nothing here; those that the purpose names are taken to be there.
        let section = self.purposes.get(purpose);
        let order = section.and_then(|section| section.order.as_ref()).into_iter().flatten();
        let given =
            section.and_then(|section| section.priorities.as_ref()).into_iter().flat_map(BTreeMap::keys);
        let names: Vec<&str> = order.chain(given).map(String::as_str).collect();
        Ok(self.resolve(purpose, trust, &names)?.who)
    }

    fn unknown_requester(&self) -> JobError {
        let problem = if self.requesters.is_empty() {
            "has no section for the requester asked for, nor any other; a number from 0 to 1 says how far a requester is trusted"
                .to_owned()
        } else {
            let there_are = listed(self.requesters());
            format!(
                "has no section for the requester asked for, and it is no number from 0 to 1 either; there are: {there_are}"
            )
        };
        JobError::key("requesters", problem)
    }
}

impl Purpose {
    fn check(&self, name: &str) -> Result<(), JobError> {
        if self.order.is_some() && self.priorities.is_some() {
            return Err(JobError::key(
                format!("purposes.{name}"),
                "has both an order and priorities; give one of them",
            ));
        }
        if let Some(order) = &self.order {
            let mut names: Vec<&String> = order.iter().collect();
            names.sort();
            if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(JobError::key(
                    format!("purposes.{name}.order"),
                    format!("must name each column once; it names `{}` twice", twice[0]),
                ));
            }
        }
        if let Some(priorities) = &self.priorities {
            let numbers: Vec<f64> = priorities.values().copied().collect();
            at(format!("purposes.{name}.priorities"), check_given(&numbers))?;
        }
        at(format!("purposes.{name}.weights"), self.weights.check())
    }

    /// The priorities in terms of the quasi columns.
    fn among(&self, name: &str, quasi_names: &[&str]) -> Result<Priorities, JobError> {
        let position = |key: &str, column: &str| {
            quasi_names.iter().position(|name| *name == column).ok_or_else(|| {
                JobError::key(
                    format!("purposes.{name}.{key}"),
                    format!(
                        "names `{column}`, which is not a quasi column of the job; those are: {}",
                        listed(quasi_names.iter().copied())
                    ),
                )
            })
        };
        if let Some(order) = &self.order {
            let named: Result<Vec<usize>, JobError> =
                order.iter().map(|column| position("order", column)).collect();
            return named.map(Priorities::Order);
        }
        if let Some(priorities) = &self.priorities {
            let mut numbers = vec![0.0; quasi_names.len()];
            for (column, &priority) in priorities {
                numbers[position("priorities", column)?] = priority;
            }
            return Ok(Priorities::Given(numbers));
        }
        Ok(Priorities::Equal)
    }
}

fn at(key: String, checked: Result<(), OutOfRange>) -> Result<(), JobError> {
    checked.map_err(|problem| JobError::key(key, problem.0))
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// A name as part of a path on every system.
fn part(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

/// Refuses names that would make the same folder, on systems that do not tell case apart either.
fn distinct<'a>(section: &str, names: impl Iterator<Item = &'a String>) -> Result<(), JobError> {
    let mut seen: BTreeMap<String, &String> = BTreeMap::new();
    for name in names {
        if let Some(other) = seen.insert(part(name).to_lowercase(), name) {
            return Err(JobError::key(
                section,
                format!("has `{other}` and `{name}`, which would share a release folder; rename one"),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
[purposes.research]
order = ["age", "postcode"]
weights = { utility = 1.5 }
protect-useful = true

[purposes.billing]
priorities = { postcode = 0.7, gender = 0.3 }

[purposes."any thing/.."]

[requesters.university]
trust = 0.75

[requesters.press]
trust = 0
projection = "linear"

[requesters.office]
trust = 0.5
projection = { power = 3 }

[requesters.partner]
trust = 0.25
projection = { points = [[0, 1], [0.5, 0.2], [1, 0]] }

[requesters.auditor]
trust = 0.5
projection = "one-minus-square"
"#;
    const QUASI: [&str; 3] = ["gender", "age", "postcode"];

    fn resolve(purpose: &str, trust: &str) -> Result<Request, JobError> {
        Purposes::parse(FILE).unwrap().resolve(purpose, trust, &QUASI)
    }

    fn refused(text: &str) -> String {
        Purposes::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_request_becomes_a_decomposition() {
        let request = resolve("research", "university").unwrap();
        let expected = Decomposition {
            degree: 0.0625,
            priorities: Priorities::Order(vec![1, 2]),
            weights: Weights::Utility(1.5),
            protect_useful: true,
            until_safe: true,
        };
        assert_eq!(request.decomposition(), expected);
        assert_eq!((&*request.who, request.trust), ("research@university", 0.75));
        assert_eq!(request.requester.as_deref(), Some("university"));

        let billing = resolve("billing", "press").unwrap();
        assert_eq!(billing.priorities, Priorities::Given(vec![0.3, 0.0, 0.7]));
        assert_eq!((billing.weights, billing.protect_useful), (Weights::Uniform, false));
        let any = resolve("any thing/..", "press").unwrap();
        assert_eq!((any.priorities, &*any.who), (Priorities::Equal, "any-thing---@press"));
    }

    #[test]
    fn projections() {
        for (requester, degree) in [("press", 1.0), ("office", 0.125), ("partner", 0.6), ("auditor", 0.75)] {
            let request = resolve("research", requester).unwrap();
            assert!((request.degree - degree).abs() < 1e-12, "{requester}");
        }
    }

    #[test]
    fn trust_as_a_number() {
        for (text, who, degree) in [
            ("0.5", "research@0.5", 0.25),
            ("1", "research@1.0", 0.0),
            (" 0 ", "research@0.0", 1.0),
            ("-0", "research@0.0", 1.0),
        ] {
            let request = resolve("research", text).unwrap();
            assert_eq!((&*request.who, request.degree, request.requester), (who, degree, None));
        }
        for text in ["1.1", "-0.1", "nan", "inf", "", "nobody"] {
            let error = resolve("research", text).unwrap_err().to_string();
            assert!(error.starts_with("`requesters` has no section"), "{error}");
            assert!(error.ends_with("there are: auditor, office, partner, press, university"), "{error}");
        }
        let none = Purposes::parse("[purposes.a]").unwrap();
        assert!(none.resolve("a", "nobody", &QUASI).unwrap_err().to_string().contains("number from 0 to 1"));
        assert!(none.resolve("a", "0.3", &QUASI).is_ok());
    }

    #[test]
    fn what_there_is_not() {
        let error = resolve("fun", "press").unwrap_err().to_string();
        assert_eq!(
            error,
            "`purposes` has no section for the purpose asked for; there are: any thing/.., billing, research"
        );
        let purposes = Purposes::parse(FILE).unwrap();
        let error = purposes.resolve("research", "press", &["gender", "age"]).unwrap_err().to_string();
        assert_eq!(
            error,
            "`purposes.research.order` names `postcode`, which is not a quasi column of the job; those are: gender, age"
        );
        let error = purposes.resolve("billing", "press", &["age"]).unwrap_err().to_string();
        assert!(error.starts_with("`purposes.billing.priorities` names `gender`"), "{error}");
    }

    #[test]
    fn values_out_of_range() {
        for (text, message) in [
            (
                "[purposes.a]\npriorities = { x = 0 }",
                "`purposes.a.priorities` must give a column a number above 0",
            ),
            ("[purposes.a]\npriorities = {}", "`purposes.a.priorities` must give a column a number above 0"),
            ("[purposes.a]\npriorities = { x = 2, y = -1 }", "`purposes.a.priorities` must be numbers"),
            ("[purposes.a]\npriorities = { x = nan }", "`purposes.a.priorities` must be numbers"),
            ("[purposes.a]\norder = ['x', 'y', 'x']", "`purposes.a.order` must name each column once"),
            ("[purposes.a]\norder = ['x']\npriorities = { x = 1 }", "`purposes.a` has both"),
            ("[purposes.a]\nweights = { utility = 0.5 }", "`purposes.a.weights` must be"),
            ("[purposes.a]\nweights = { utility = inf }", "`purposes.a.weights` must be"),
            ("[purposes]", "`purposes` has no purpose"),
            (
                "[purposes.a]\n[requesters.u]\ntrust = 1.5",
                "`requesters.u.trust` must be a number from 0 to 1",
            ),
            (
                "[purposes.a]\n[requesters.u]\ntrust = nan",
                "`requesters.u.trust` must be a number from 0 to 1",
            ),
            (
                "[purposes.a]\n[requesters.u]\ntrust = 1\nprojection = { power = 0 }",
                "`requesters.u.projection` must have a power above 0",
            ),
            (
                "[purposes.a]\n[requesters.u]\ntrust = 1\nprojection = { points = [[0, 0], [1, 1]] }",
                "`requesters.u.projection` must have points",
            ),
            ("[purposes.a]\n[requesters.1e-7]\ntrust = 1", "`requesters.1e-7` must have a name"),
            ("[purposes.a-b]\n[purposes.'A b']", "`purposes` has `A b` and `a-b`"),
        ] {
            let error = refused(text);
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }

    #[test]
    fn unknown_keys_and_other_forms() {
        for (text, part) in [
            ("", "purposes"),
            ("[purposes.a]\nordre = ['x']", "ordre"),
            ("[purposes.a]\nweights = 'other'", "other"),
            ("[purposes.a]\nweights = { utilty = 1 }", "utilty"),
            ("[purposes.a]\n[requesters.u]", "trust"),
            ("[purposes.a]\n[requesters.u]\ntrust = 'all'", "trust"),
            ("[purposes.a]\n[requesters.u]\ntrust = 1\nprojection = 'cubic'", "cubic"),
            ("[purposes.a]\n[requestors.u]\ntrust = 1", "requestors"),
            ("[purposes.a", "1"),
        ] {
            let error = refused(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn errors_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("purposes.toml");
        let missing = Purposes::read(&path).unwrap_err().to_string();
        assert!(missing.contains("purposes.toml: the file of purposes cannot be read"), "{missing}");
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(Purposes::read(&path).unwrap_err().to_string().contains("not valid UTF-8"));
        std::fs::write(&path, FILE).unwrap();
        let purposes = Purposes::read(&path).unwrap();
        assert_eq!(purposes.purposes().collect::<Vec<_>>(), ["any thing/..", "billing", "research"]);
        let unknown = purposes.resolve("fun", "1", &QUASI).unwrap_err().to_string();
        assert!(unknown.contains("purposes.toml: `purposes` has no section"), "{unknown}");
        std::fs::write(&path, "[purposes.a]\nweights = { utility = 0 }").unwrap();
        let wrong = Purposes::read(&path).unwrap_err().to_string();
        assert!(wrong.contains("purposes.toml: `purposes.a.weights`"), "{wrong}");
    }
}
