//! The knowledge file: what the adversary is assumed to have.
//!
//! A TOML file. Every part may be left out; an attack that needs a part which is not there is not made, and the
//! report says so. Paths are relative to the file.

mod lines;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_data::io::read_plain_text;
use serde::{Deserialize, Deserializer};

use crate::attacks::ids;
use crate::three_risks::Risks;
pub use lines::Lines;

/// What the adversary has.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Knowledge {
    /// An identified table of people.
    pub people: Option<PeopleFile>,
    /// People who are certainly not in the data, with their sensitive values: the control group.
    pub control: Option<PeopleFile>,
    /// The job file: hierarchies, promises, the algorithm and its parameters.
    pub job: Option<PathBuf>,
    /// People whose sensitive value is known.
    pub records: Vec<KnownValue>,
    /// Values that people are known not to have.
    pub negations: Vec<Negation>,
    /// What is believed of some people before the release is seen.
    pub priors: Vec<Prior>,
    /// Statements such as `Fox = "Flu" -> Eshwar = "Flu"`, all of them true.
    pub statements: Vec<Statement>,
    /// Other releases about the same people.
    pub releases: Vec<OtherRelease>,
    /// A server that answers counts from the original.
    pub server: Option<QueryServer>,
    /// The strongest association rules of the original, for `max-entropy`.
    pub rules: Option<Rules>,
    /// How much the worst knowledge is taken to be, for `boolean` and `three-d`.
    pub strength: Strength,
    /// The records are a series in time; for perturbed releases.
    pub time: Option<TimeOrder>,
    /// How many attributes of a person are known, for the curve of re-identification.
    pub known_attributes: Option<usize>,
    /// What is known for singling out, linkability and inference, and how often they are tried.
    pub risks: Risks,
    /// The folder of the file, for its paths.
    #[serde(skip)]
    pub base: PathBuf,
    /// Where its entries stand.
    #[serde(skip)]
    pub lines: Lines,
}

/// How records follow each other in time, and what is known of them (survey AT-18).
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TimeOrder {
    /// The column by which records are ordered; as they stand in the release when left out.
    pub order: Option<String>,
    /// At how many times the true values are known.
    pub known: Option<usize>,
}

/// Association rules of the original that are known (survey AT-13): the strongest of each kind, positive and negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rules {
    /// So many of each kind.
    pub top: usize,
    /// People of whom a rule must be true for it to be one.
    #[serde(default = "three")]
    pub support: u64,
}

fn three() -> u64 {
    3
}

impl Rules {
    /// The most of each kind.
    pub const MOST: usize = 200;
}

/// How much somebody could know whose worst knowledge is looked for (survey PM-12 to PM-14, AT-04).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Strength {
    /// So many statements of the form "if this person has this value, then that person has that": k of (c,k)-safety.
    pub statements: u32,
    /// So many values that a person does not have, so many others whose value is known, and so many who would give the person away: l, k
    /// and m of the 3D criterion. Several are a skyline: whoever has one of them.
    #[serde(deserialize_with = "points")]
    pub three_d: Vec<[u32; 3]>,
    /// Sensitive values of which that is something else.
    pub values: BTreeMap<String, [u32; 3]>,
}

/// One point, or several.
fn points<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<[u32; 3]>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Points {
        One([u32; 3]),
        Several(Vec<[u32; 3]>),
    }
    Ok(match Points::deserialize(from)? {
        Points::One(own) => vec![own],
        Points::Several(all) => all,
    })
}

impl Strength {
    /// The most that is gone through.
    pub const MOST: u32 = 100;
    /// The most points of a skyline.
    pub const MOST_POINTS: usize = 20;
}

impl Default for Strength {
    fn default() -> Self {
        Self { statements: 1, three_d: vec![[1, 1, 1]], values: BTreeMap::new() }
    }
}

/// A server with query-set-size control (survey PM-32).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct QueryServer {
    /// It answers about at least so many records, and at most all but so many.
    pub smallest: u64,
}

/// A table of people.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PeopleFile {
    /// The file: CSV, Parquet or Arrow.
    pub path: PathBuf,
    /// The column that names a person; otherwise people are called by the number of their record, from 1.
    #[serde(default)]
    pub name: Option<String>,
    /// Columns of the release that have another name in this table.
    #[serde(default)]
    pub columns: BTreeMap<String, String>,
    /// Sensitive columns of the release whose values in this table are known to the adversary. Of others they only tell who is right.
    #[serde(default)]
    pub known: Vec<String>,
}

/// A person whose value is known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KnownValue {
    /// The person.
    pub person: String,
    /// The sensitive column; may be left out when there is one.
    #[serde(default)]
    pub column: Option<String>,
    /// The value.
    pub value: String,
}

/// Values that a person does not have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Negation {
    /// The person.
    pub person: String,
    /// The sensitive column; may be left out when there is one.
    #[serde(default)]
    pub column: Option<String>,
    /// The values.
    pub not: Vec<String>,
}

/// How probable the values of a sensitive column are for people with certain values in other columns.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Prior {
    /// The sensitive column; may be left out when there is one.
    #[serde(default)]
    pub column: Option<String>,
    /// Values in columns of the people's table that such people have; everybody when empty.
    #[serde(default, rename = "where")]
    pub of: BTreeMap<String, String>,
    /// Per value its share. Values that are not named share what is left equally.
    #[serde(default)]
    pub shares: BTreeMap<String, f64>,
    /// Per value the least share that it has; for `max-entropy` alone.
    #[serde(default)]
    pub at_least: BTreeMap<String, f64>,
    /// Per value the largest share that it has; for `max-entropy` alone.
    #[serde(default)]
    pub at_most: BTreeMap<String, f64>,
}

impl Prior {
    /// Why these shares can be nobody's.
    fn problem(&self) -> Option<&'static str> {
        let all = || self.shares.iter().chain(&self.at_least).chain(&self.at_most);
        let sum = |own: &BTreeMap<String, f64>| own.values().sum::<f64>();
        let is_bounded =
            |value: &String| self.at_least.contains_key(value) || self.at_most.contains_key(value);
        let is_crossed =
            |(value, least): (&String, &f64)| self.at_most.get(value).is_some_and(|most| most < least);
        if all().any(|(_, share)| !(0.0..=1.0).contains(share))
            || sum(&self.shares) + sum(&self.at_least) > 1.0 + 1e-9
        {
            Some(
                "`shares` must be numbers from 0 to 1 whose sum is 1 at most, with those of `at-least`; so must `at-most` be from 0 to 1",
            )
        } else if all().next().is_none() {
            Some("`shares`, `at-least` or `at-most` must name a value with a number from 0 to 1")
        } else if self.shares.keys().any(is_bounded) {
            Some("a value has its share in `shares`, or bounds in `at-least` and `at-most`, and not both")
        } else if self.at_least.iter().any(is_crossed) {
            Some("`at-least` of a value must not be above its `at-most`")
        } else {
            None
        }
    }
}

/// A Boolean statement about people and their values.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Statement {
    /// About the only sensitive column.
    Plain(String),
    /// About a named one.
    Of {
        /// The sensitive column.
        column: String,
        /// The statement.
        says: String,
    },
}

/// Another release.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OtherRelease {
    /// Its folder.
    pub folder: PathBuf,
    /// The job file that it was made with, for its hierarchies.
    #[serde(default)]
    pub job: Option<PathBuf>,
    /// Whether it was made from another table, so that who shares a person's group there has nothing to do with who does
    /// here: then what both say is multiplied.
    #[serde(default)]
    pub independent: bool,
    /// Whether it was made from the same table as this release, so that whoever is in the data is in both; true unless it is
    /// independent, or seen to be of a table with more or fewer records.
    #[serde(default)]
    pub same_table: Option<bool>,
}

impl OtherRelease {
    /// Whether it was made from the same table as this release.
    pub fn is_of_same_table(&self) -> bool {
        self.same_table.unwrap_or(!self.independent)
    }
}

/// Why a knowledge file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct KnowledgeError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: String,
}

impl Knowledge {
    /// Reads a knowledge file.
    ///
    /// # Errors
    /// When it cannot be read, is not TOML, has an unknown key, or shares that are none.
    pub fn read(path: &Path) -> Result<Self, KnowledgeError> {
        let failed = |problem: String| KnowledgeError { path: path.to_owned(), problem };
        let text = read_plain_text(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
        let mut knowledge = Self::parse(&text).map_err(failed)?;
        knowledge.base = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        Ok(knowledge)
    }

    /// Reads knowledge from its text.
    ///
    /// # Errors
    /// As [`Knowledge::read`], as a sentence. No sentence holds what stands in the file, which may be about people.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut knowledge: Self = toml::from_str(text).map_err(|error| {
            let line = |span: std::ops::Range<usize>| {
                let end = text.get(span.start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |own| span.start + own);
                text.get(..end)
            };
            // Up to the end of the line where the mistake begins: a missing key is told of the header of its part.
            let before = error.span().and_then(line);
            let at = before.map_or(String::new(), |own| format!("line {}: ", own.matches('\n').count() + 1));
            // What stands there is about people: where is said, what is not. Keys that are missed are ours.
            let missed = error.message().strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
            let wrong = match missed {
                Some(key) => format!("`{key}` is missing"),
                None if text.parse::<toml::Table>().is_err() => {
                    return format!("{at}is not TOML: {}", error.message().trim_end());
                }
                None => "is not what a knowledge file has there".to_owned(),
            };
            let keys = before.and_then(keys_of_part).unwrap_or_else(|| {
                "its keys are people, control, job, records, negations, priors, statements, releases, rules, server, \
                 strength, time, risks and known-attributes"
                    .to_owned()
            });
            format!("{at}{wrong}; {keys}, and the guide (measure-and-attack) shows each")
        })?;
        knowledge.lines = Lines::of(text);
        for (part, own) in [("people", &knowledge.people), ("control", &knowledge.control)] {
            let mut theirs: Vec<&String> = own.iter().flat_map(|own| own.columns.values()).collect();
            theirs.sort_unstable();
            if theirs.windows(2).any(|own| own[0] == own[1]) {
                return Err(format!(
                    "`columns` of [{part}] gives two columns of the release the same column of that table; each has one of its own"
                ));
            }
        }
        if knowledge.control.as_ref().is_some_and(|own| !own.known.is_empty()) {
            return Err("`known` stands in [people]: of the people of [control] as much is known as of them; leave it out there".to_owned());
        }
        if let Some(at) = knowledge.negations.iter().position(|own| own.not.is_empty()) {
            return Err(format!("{}: `not` names no value", knowledge.lines.place("negations", at)));
        }
        for (number, prior) in knowledge.priors.iter().enumerate() {
            if let Some(problem) = prior.problem() {
                return Err(format!("{}: {problem}", knowledge.lines.place("priors", number)));
            }
        }
        let both = |own: &OtherRelease| own.independent && own.same_table == Some(true);
        if let Some(at) = knowledge.releases.iter().position(both) {
            let problem = "is said to be of another table by `independent`, and of the same by `same-table`";
            return Err(format!("{}, {problem}", knowledge.lines.place("releases", at)));
        }
        let Strength { statements, three_d, values } = &knowledge.strength;
        let points = three_d.iter().chain(values.values()).flatten();
        if points.chain([statements]).any(|own| *own > Strength::MOST) {
            return Err(format!("`strength` must be of numbers up to {}", Strength::MOST));
        }
        if !(1..=Strength::MOST_POINTS).contains(&three_d.len()) {
            return Err(format!(
                "`three-d` under [strength] must be three numbers, or a list of up to {} times three",
                Strength::MOST_POINTS
            ));
        }
        if knowledge.rules.is_some_and(|own| !(1..=Rules::MOST).contains(&own.top)) {
            return Err(format!("`top` under [rules] must be a number from 1 to {}", Rules::MOST));
        }
        if let Some(problem) = knowledge.risks.problem() {
            return Err(format!("`[risks]`: {problem}"));
        }
        if knowledge.known_attributes == Some(0) {
            return Err("`known-attributes` must be a number of at least 1".to_owned());
        }
        Ok(knowledge)
    }

    /// Whether it has what an attack needs besides who is in the data, and so asks for it: what is known and not used would make a
    /// release look safer than it is.
    pub fn asks_for(&self, attack: &str) -> bool {
        let has_shares = self.priors.iter().any(|own| !own.shares.is_empty());
        match attack {
            ids::BACKGROUND_KNOWLEDGE => {
                !self.records.is_empty() || !self.negations.is_empty() || !self.statements.is_empty()
            }
            // `independence`, which is for groups of moderate size, weighs the same beliefs.
            ids::BAYES_OPTIMAL => has_shares,
            ids::MAX_ENTROPY => !self.priors.is_empty() || self.rules.is_some(),
            ids::COMPOSITION | ids::AVERAGING => !self.releases.is_empty(),
            ids::RECORD_LINKAGE | ids::MEMBERSHIP => self.people.is_some(),
            ids::KNOWN_ATTRIBUTES => self.known_attributes.is_some(),
            ids::WAVELET_FILTER => self.time.is_some(),
            ids::KNOWN_POINTS => self.time.as_ref().is_some_and(|own| own.known.is_some()),
            ids::TRACKER => self.server.is_some(),
            _ => false,
        }
    }

    /// A path of the file.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.base.join(path)
    }
}

/// Which keys the part of the file has that is open at the end of this text; none outside of all parts.
fn keys_of_part(before: &str) -> Option<String> {
    const KEYS: [(&str, &str); 11] = [
        ("people", "path, name, columns and known"),
        ("control", "path, name and columns"),
        ("records", "person, column and value"),
        ("negations", "person, column and not"),
        ("priors", "column, where, shares, at-least and at-most"),
        ("releases", "folder, job, independent and same-table"),
        ("risks", "attacks, predicate-columns, first, second, neighbours, known and secrets"),
        ("rules", "top and support"),
        ("server", "smallest"),
        ("strength", "statements, three-d and values"),
        ("time", "order and known"),
    ];
    let header = before.lines().rev().map(str::trim).find(|line| line.starts_with('['))?;
    let name = header.trim_start_matches('[').split([']', '.']).next()?.trim();
    let (name, keys) = KEYS.iter().find(|own| own.0 == name)?;
    Some(format!("in `{name}` the keys are {keys}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file_is_read() {
        let knowledge = Knowledge::parse(
            r#"
            job = "job.toml"
            statements = ['Fox = "Flu" -> Eshwar = "Flu"', { column = "condition", says = 'not Fox = "Flu"' }]
            known-attributes = 3
            [people]
            path = "voters.csv"
            name = "name"
            columns = { zip = "postcode" }
            [[records]]
            person = "Fox"
            value = "Flu"
            [[negations]]
            person = "Eshwar"
            not = ["Heart disease"]
            [[priors]]
            where = { nationality = "Japanese" }
            shares = { "Heart disease" = 0.05 }
            [[releases]]
            folder = "other"
            [server]
            smallest = 5
            "#,
        )
        .unwrap();
        assert_eq!(knowledge.people.as_ref().and_then(|p| p.name.as_deref()), Some("name"));
        assert_eq!((knowledge.statements.len(), knowledge.releases.len()), (2, 1));
        assert_eq!(knowledge.server.map(|server| server.smallest), Some(5));
        assert!(knowledge.releases[0].is_of_same_table());
    }

    #[test]
    fn shares_may_be_bounded() {
        let text = "[[priors]]\nshares = { Flu = 0.2 }\nat-least = { Cold = 0.1 }\nat-most = { Cold = 0.5, Cough = 0.9 }";
        let prior = Knowledge::parse(text).unwrap().priors.remove(0);
        assert_eq!((prior.shares.len(), prior.at_least["Cold"], prior.at_most["Cough"]), (1, 0.1, 0.9));
    }

    #[test]
    fn how_much_the_worst_knowledge_is() {
        let of =
            |text: &str| Knowledge::parse(text).map(|own| (own.strength.statements, own.strength.three_d));
        assert_eq!(of(""), Ok((1, vec![[1, 1, 1]])));
        assert_eq!(of("[strength]\nstatements = 3"), Ok((3, vec![[1, 1, 1]])));
        assert_eq!(of("[strength]\nthree-d = [2, 0, 1]"), Ok((1, vec![[2, 0, 1]])));
        assert_eq!(of("[strength]\nthree-d = [[2, 0, 1], [0, 3, 0]]"), Ok((1, vec![[2, 0, 1], [0, 3, 0]])));
        assert!(of("[strength]\nthree-d = [2, 0]").unwrap_err().contains("statements, three-d and values"));
        assert!(of("[strength]\nthree-d = []").unwrap_err().contains("a list of up to 20"));
        assert!(of("[strength]\nvalues = { Flu = [1, 0, 200] }").unwrap_err().contains("numbers up to 100"));
        assert!(of("[strength]\nstatements = 101").unwrap_err().contains("numbers up to 100"));
    }

    #[test]
    fn how_many_rules_are_known() {
        let of = |text: &str| Knowledge::parse(text).map(|own| own.rules.map(|own| (own.top, own.support)));
        assert_eq!(of("[rules]\ntop = 5"), Ok(Some((5, 3))));
        assert_eq!(of("[rules]\ntop = 5\nsupport = 10"), Ok(Some((5, 10))));
        assert!(of("[rules]\ntop = 0").unwrap_err().contains("from 1 to 200"));
        assert!(of("[rules]\nsupport = 2").unwrap_err().contains("`top` is missing; in `rules`"));
    }

    #[test]
    fn releases_of_one_table_or_of_several() {
        let of = |more: &str| Knowledge::parse(&format!("[[releases]]\nfolder = 'other'\n{more}"));
        assert!(!of("same-table = false").unwrap().releases[0].is_of_same_table());
        assert!(!of("independent = true").unwrap().releases[0].is_of_same_table());
        assert!(of("independent = true\nsame-table = true").unwrap_err().contains("the 1. of them"));
    }

    #[test]
    fn mistakes_are_told_with_the_keys_that_are_accepted_there() {
        let told = |text: &str| Knowledge::parse(text).unwrap_err();
        assert!(told("[time]\nsort = 'hour'").starts_with("line 2: "));
        assert!(told("[time]\nsort = 'hour'").contains("in `time` the keys are order and known"));
        assert!(told("job = 'a'\n[[records]]\nwho = 'x'\nvalue = 'y'").contains("person, column and value"));
        let missed = told("[time]\nknown = 5\n[people]\nname = 'x'");
        assert!(missed.contains("`path` is missing; in `people` the keys are"), "{missed}");
        assert!(told("[[records]]\nperson = 'x'").contains("`value` is missing; in `records`"));
        assert!(told("[[negations]]\nperson = 'x'\nnot = []").contains("names no value"));
        assert!(told("[people]\npath = 'a'\n[peeple]\npath = 'b'").contains("its keys are people, control"));
    }

    #[test]
    fn mistakes_are_told_without_telling_what_stands_there() {
        let secret = "Eshwar";
        for text in [
            "peeple = 1",
            "[[records]]\nperson = 'Eshwar'",
            "[[negations]]\nperson = 'Eshwar'\nnot = 'Flu'",
            "[[priors]]\nshares = { Flu = 1.5 }",
            "[[priors]]\nshares = { Flu = 0.7, Cold = 0.7 }",
            "[[priors]]\nshares = {}",
            "[[priors]]\nat-least = { Eshwar = 0.6, Flu = 0.6 }",
            "[[priors]]\nat-least = { Eshwar = 0.6 }\nat-most = { Eshwar = 0.5 }",
            "[[priors]]\nshares = { Eshwar = 0.1 }\nat-most = { Eshwar = 0.5 }",
            "[[priors]]\nat-most = { Eshwar = 1.5 }",
            "known-attributes = 0",
            "known-attributes = -1",
            "[server]\nsmallest = 'Eshwar'",
            "records = 'Eshwar has HIV'",
            "Eshwar = 1",
            "[[negations]]\nperson = 'x'\nnot = 'Eshwar'",
            "[people]\nname = 'Eshwar'",
        ] {
            let error = Knowledge::parse(text).unwrap_err();
            assert!(!error.contains(secret) && error.len() > 10, "{text}: {error}");
        }
    }
}
