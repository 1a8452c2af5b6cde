//! What is declared about people and columns, in the job file or by flags: bounds, grids, keys, contribution limits.
//!
//! Guarantee: nothing here is read off the data, which would tell about single records. A flag overrides the job
//! file. The keys of a column that declares none are the leaves of its hierarchy when that is written down (a file,
//! groups or a tree); hierarchies that are derived from the values of the input are not used.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_data::hierarchy::{HierarchySpec, build};
use privet_data::{Domain, Kind};
use privet_dp::{Bounds, Delta, DpError, Epsilon, Grid, Neighbours, People, Privacy, Rho};
use serde::Deserialize;

use super::error::QueryError;
use super::keys::{self, Keys};
use super::method::Method;
use crate::error::JobError;
use crate::job::Job;

/// A text, or a number as text, so that no digit of it is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plain(pub String);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a number or a text")]
        enum Written {
            Whole(i64),
            Fraction(f64),
            Flag(bool),
            Text(String),
        }
        Ok(Self(match Written::deserialize(deserializer)? {
            Written::Whole(number) => number.to_string(),
            // The shortest text that reads back as this number: what was written, but for idle zeros. Where these count,
            // `written.rs` puts them back.
            Written::Fraction(number) => number.to_string(),
            Written::Flag(flag) => flag.to_string(),
            Written::Text(text) => text,
        }))
    }
}

/// The `[query]` section: who pays for answers, and whom they protect.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QuerySection {
    /// What a question costs unless it says otherwise.
    pub epsilon: Option<Plain>,
    /// The same for the probability of failure.
    pub delta: Option<Plain>,
    /// What a question costs in a concentrated loss, instead of epsilon and delta.
    pub rho: Option<Plain>,
    /// Which tables must be hard to tell apart.
    pub neighbours: Option<Neighbourhood>,
    /// The column that tells whose record it is.
    pub per_person: Option<String>,
    /// The most records of one person that count.
    pub max_records: Option<u32>,
    /// The most groups of a question that one person is in.
    pub max_groups: Option<u32>,
    /// The most records of one person in one group.
    pub max_per_group: Option<u32>,
    /// Columns whose keys are those that occur often enough.
    pub unknown_keys: Vec<String>,
    /// The files of tables that questions join, by name.
    pub tables: BTreeMap<String, PathBuf>,
    /// The ledger: a file, or the URL of a PostgreSQL database.
    pub ledger: Option<String>,
    /// The file with the key that signs the ledger's entries.
    pub signing_key: Option<PathBuf>,
    /// The account that is charged.
    pub account: Option<String>,
    /// Who asks.
    pub analyst: Option<String>,
}

/// Which tables must be hard to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbourhood {
    /// One person's records are added or taken away.
    #[default]
    AddRemove,
    /// One person's records become other records; the number of records is public.
    Replace,
}

impl Neighbourhood {
    /// As it stands in a job file.
    pub fn word(self) -> &'static str {
        match self {
            Self::AddRemove => "add-remove",
            Self::Replace => "replace",
        }
    }

    pub(super) fn meaning(self) -> Neighbours {
        match self {
            Self::AddRemove => Neighbours::AddRemove,
            Self::Replace => Neighbours::ReplaceOne,
        }
    }
}

/// What flags declare; everything else stands in the job file.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--epsilon`
    pub epsilon: Option<String>,
    /// `--delta`
    pub delta: Option<String>,
    /// `--rho`
    pub rho: Option<String>,
    /// `--neighbours`
    pub neighbours: Option<Neighbourhood>,
    /// `--per-person COLUMN`
    pub per_person: Option<String>,
    /// `--max-records N`
    pub max_records: Option<u32>,
    /// `--max-groups N`
    pub max_groups: Option<u32>,
    /// `--max-per-group N`
    pub max_per_group: Option<u32>,
    /// `--unknown-keys COLUMN`
    pub unknown_keys: Vec<String>,
    /// `--table NAME=FILE`
    pub tables: Vec<String>,
    /// `--bound COLUMN=LOWER..UPPER`
    pub bounds: Vec<String>,
    /// `--grid COLUMN=UNIT`
    pub grids: Vec<String>,
    /// `--keys COLUMN=A,B,C`
    pub keys: Vec<String>,
    /// `--other COLUMN=LABEL`
    pub others: Vec<String>,
    /// `--mechanism`
    pub method: Option<Method>,
    /// `--probabilistic`
    pub probabilistic: bool,
    /// `--synthetic N`
    pub synthetic: Option<u64>,
}

/// Flags and job file together.
pub(super) struct Declared<'a> {
    pub flags: &'a Flags,
    pub job: Option<(&'a Job, &'a Path)>,
}

pub(super) fn problem(message: impl Into<String>) -> QueryError {
    QueryError::Declaration(message.into())
}

/// The probability with which a guarantee may fail. One person in a thousand would be given away at 0.001.
pub(super) fn probability(text: &str) -> Result<Delta, QueryError> {
    let delta: Delta = text.parse()?;
    let most: Delta = "0.001".parse()?;
    if delta.value() > most.value() {
        return Err(problem("delta must be at most 0.001; a millionth or less is usual"));
    }
    Ok(delta)
}

impl Declared<'_> {
    fn section(&self) -> Option<&QuerySection> {
        self.job.map(|(job, _)| &job.query)
    }

    /// What the question may cost.
    pub fn budget(&self) -> Result<(Epsilon, Option<Delta>), QueryError> {
        let of_job = |part: fn(&QuerySection) -> &Option<Plain>| {
            self.section().and_then(|section| part(section).as_ref()).map(|plain| plain.0.clone())
        };
        if let Some(rho) = self.rho()? {
            if self.flags.epsilon.is_some() || self.flags.delta.is_some() || self.flags.probabilistic {
                return Err(problem(
                    "--rho is the whole cost, a concentrated loss; leave --epsilon, --delta and --probabilistic out",
                ));
            }
            if self.flags.method == Some(Method::Laplace) {
                return Err(problem("--rho is for Gaussian noise; with --mechanism laplace say --epsilon"));
            }
            return Ok((rho.pure_epsilon()?, None));
        }
        let epsilon = self.flags.epsilon.clone().or_else(|| of_job(|section| &section.epsilon));
        let epsilon = epsilon.ok_or_else(|| {
            problem("the question needs its cost: --epsilon, such as 0.5, or `epsilon` in [query]")
        })?;
        let delta = self.flags.delta.clone().or_else(|| of_job(|section| &section.delta));
        let delta = delta.map(|text| probability(&text)).transpose()?;
        let delta = delta.filter(|delta| !delta.value().is_zero());
        if self.flags.method == Some(Method::Laplace) {
            return Ok((epsilon.parse()?, None));
        }
        let needs = match (self.flags.method, self.flags.probabilistic) {
            (Some(Method::Gaussian), _) => "--mechanism gaussian needs",
            (_, true) => "--probabilistic needs",
            _ => return Ok((epsilon.parse()?, delta)),
        };
        match delta {
            Some(_) => Ok((epsilon.parse()?, delta)),
            None => Err(problem(format!(
                "{needs} a --delta, the probability with which the guarantee may fail, such as 1e-6"
            ))),
        }
    }

    /// What the question may cost as a concentrated loss, where that is said. A flag comes before the job file, and one unit before the
    /// other.
    pub fn rho(&self) -> Result<Option<Rho>, QueryError> {
        let of_job = || self.section().and_then(|own| own.rho.clone()).map(|own| own.0);
        let is_other = self.flags.epsilon.is_some();
        let text = self.flags.rho.clone().or_else(|| of_job().filter(|_| !is_other));
        Ok(text.map(|text| text.parse()).transpose()?)
    }

    /// What the whole question may cost.
    pub fn privacy(&self, epsilon: &Epsilon, delta: Option<&Delta>) -> Privacy {
        // A rho that cannot be read was refused with the budget.
        if let Ok(Some(rho)) = self.rho() {
            return Privacy::Concentrated(rho);
        }
        match delta {
            None => Privacy::Pure(epsilon.clone()),
            Some(delta) if self.flags.probabilistic => Privacy::Probabilistic(epsilon.clone(), delta.clone()),
            Some(delta) => Privacy::Approximate(epsilon.clone(), delta.clone()),
        }
    }

    /// The neighbourhood.
    pub fn neighbours(&self) -> Neighbourhood {
        let of_job = || self.section().and_then(|section| section.neighbours);
        self.flags.neighbours.or_else(of_job).unwrap_or_default()
    }

    /// Whom the guarantee is for, and the column that tells whose record it is.
    pub fn people(&self) -> Result<(People, Option<String>), QueryError> {
        let section = self.section();
        let column = self.flags.per_person.clone().or_else(|| section.and_then(|own| own.per_person.clone()));
        let most = self.flags.max_records.or_else(|| section.and_then(|own| own.max_records)).unwrap_or(1);
        let groups = self.flags.max_groups.or_else(|| section.and_then(|own| own.max_groups));
        let per_group = self.flags.max_per_group.or_else(|| section.and_then(|own| own.max_per_group));
        if (groups.is_some() || per_group.is_some()) && column.is_none() {
            return Err(problem(
                "--max-groups and --max-per-group need the column that tells whose record it is: --per-person COLUMN",
            ));
        }
        Ok((People::new(self.neighbours().meaning(), most)?.in_groups(groups, per_group)?, column))
    }

    /// The file of a table that is joined.
    pub fn table(&self, name: &str) -> Result<PathBuf, QueryError> {
        let of_job = || {
            let (job, base) = self.job?;
            Some(base.join(job.query.tables.get(name)?))
        };
        let flag = flag(&self.flags.tables, name, "--table", "NAME=FILE, such as patients=patients.csv")?;
        flag.map(PathBuf::from).or_else(of_job).ok_or_else(|| {
            problem(format!(
                "the file of the table `{name}` is not named: --table {name}=FILE, or a line `{name} = \"FILE\"` in [query.tables]"
            ))
        })
    }

    /// Whether the keys of a column are those that occur often enough.
    fn is_unknown(&self, column: &str) -> bool {
        let of_job = || self.section().is_some_and(|own| own.unknown_keys.iter().any(|name| name == column));
        self.flags.unknown_keys.iter().any(|name| name == column)
            || of_job() && self.listed_keys(column).is_none()
    }

    /// The bounds of a column that is summed, averaged or cut.
    pub fn bounds(&self, column: &str) -> Result<Bounds, QueryError> {
        let of_job = self.job.and_then(|(job, _)| job.columns.get(column));
        let flag =
            flag(&self.flags.bounds, column, "--bound", "COLUMN=LOWER..UPPER, such as cost=0..100000")?;
        let given = match flag {
            Some(text) => Some(range(text)?),
            None => of_job.and_then(|own| own.bounds.clone()).map(|own| own.map(|bound| bound.0)),
        };
        let Some([lower, upper]) = given else {
            return Err(problem(format!(
                "`{column}` has no declared bounds, and they must not be read off the data; decide from what can be, not \
                 from what is there: --bound \"{column}=0..100\", or `bounds = [0, 100]` in [columns.{column}]"
            )));
        };
        let grid = match flag_of(&self.flags.grids, column, "--grid", "COLUMN=UNIT, such as cost=0.01")? {
            Some(text) => Some(text),
            None => of_job.and_then(|own| own.grid.clone()).map(|own| own.0),
        };
        bounds_of(&lower, &upper, grid.as_deref())
            .map_err(|error| problem(format!("the bounds of `{column}`: {error}")))
    }

    /// The keys of a column of `group by`.
    pub fn keys(&self, column: &str) -> Result<Keys, QueryError> {
        let of_job = self.job.and_then(|(job, _)| job.columns.get(column));
        let listed = flag(&self.flags.keys, column, "--keys", "COLUMN=A,B,C, such as sex=F,M")?;
        if self.is_unknown(column) {
            if listed.is_some() {
                return Err(problem(format!(
                    "--keys and --unknown-keys both name `{column}`; its keys are either declared or found"
                )));
            }
            return Ok(Keys { column: column.to_owned(), keys: Vec::new(), other: None, is_unknown: true });
        }
        let keys = match (listed, of_job.and_then(|own| own.keys.clone())) {
            (Some(list), _) => list.split(',').map(|key| key.trim().to_owned()).collect(),
            (None, Some(list)) => list.into_iter().map(|key| key.0).collect(),
            (None, None) => self.leaves(column)?,
        };
        let other = match flag_of(&self.flags.others, column, "--other", "COLUMN=LABEL, such as sex=other")? {
            Some(label) => Some(label),
            None => of_job.and_then(|own| own.other.clone()),
        };
        if listed.is_some() && keys.iter().any(|key| key.trim().is_empty()) {
            return Err(problem(format!(
                "--keys names an empty key for `{column}`; every key stands between commas, such as --keys sex=F,M"
            )));
        }
        keys::check(&keys, other.as_deref())
            .map_err(|what| problem(format!("the keys of `{column}` {what}")))?;
        Ok(Keys { column: column.to_owned(), keys, other, is_unknown: false })
    }

    /// The keys of a column that are listed for it, where they are.
    pub fn listed_keys(&self, column: &str) -> Option<Vec<String>> {
        let flag = flag(&self.flags.keys, column, "--keys", "COLUMN=A,B,C, such as sex=F,M").ok().flatten();
        let of_job = || self.job.and_then(|(job, _)| job.columns.get(column)?.keys.clone());
        match flag {
            Some(list) => Some(list.split(',').map(|key| key.trim().to_owned()).collect()),
            None => of_job().map(|keys| keys.into_iter().map(|key| key.0).collect()),
        }
    }

    /// The leaves of a hierarchy that is written down.
    fn leaves(&self, column: &str) -> Result<Vec<String>, QueryError> {
        let spec =
            self.job.and_then(|(job, base)| Some((job.columns.get(column)?.hierarchy.as_ref()?, base)));
        let Some((HierarchySpec::File(_) | HierarchySpec::Groups(_) | HierarchySpec::Tree(_), base)) = spec
        else {
            return Err(problem(format!(
                "`{column}` has no declared keys to group by, and they must not be read off the data: a group that is \
                 there because somebody is in it tells of that person. Use --keys \"{column}=A,B,C\", `keys = [\"A\", …]` \
                 in [columns.{column}], or a hierarchy there that lists all values; --unknown-keys {column}, with a --delta, tells \
                 the groups that have many people"
            )));
        };
        let nothing = Domain::from_sorted(Vec::new(), 0, Kind::Text);
        let Some((spec, _)) = spec else { return Ok(Vec::new()) };
        let hierarchy = build(spec, base, &nothing, &[])
            .map_err(|source| QueryError::Hierarchy { column: column.to_owned(), source })?;
        Ok(hierarchy.leaves().iter().map(|leaf| leaf.to_string()).collect())
    }
}

/// The value that a repeatable flag gives to a column.
fn flag<'a>(
    given: &'a [String],
    column: &str,
    name: &str,
    form: &str,
) -> Result<Option<&'a str>, QueryError> {
    let mut found = None;
    for text in given {
        let Some((own, value)) = text.split_once('=') else {
            return Err(problem(format!("{name} takes {form}")));
        };
        if own.trim() == column {
            found = Some(value);
        }
    }
    Ok(found)
}

fn flag_of(given: &[String], column: &str, name: &str, form: &str) -> Result<Option<String>, QueryError> {
    Ok(flag(given, column, name, form)?.map(|value| value.trim().to_owned()))
}

/// The two ends of LOWER..UPPER. Of three dots nobody can tell which is the decimal point: 0...5 may be meant as 0 to 5.
fn range(text: &str) -> Result<[String; 2], QueryError> {
    let (lower, upper) = text
        .split_once("..")
        .ok_or_else(|| problem("--bound takes COLUMN=LOWER..UPPER, such as cost=0..100000"))?;
    if upper.starts_with('.') {
        return Err(problem(
            "--bound takes COLUMN=LOWER..UPPER with two dots between the numbers, and there are more; write a fraction with a \
             digit before its point, such as rate=0..0.5",
        ));
    }
    Ok([lower.trim().to_owned(), upper.trim().to_owned()])
}

/// The number of decimals that a number is written with; 1.5e3 has none, and 1e-2 has two.
fn decimals(text: &str) -> u32 {
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i64);
    // A power that is none is told by whoever reads the number.
    let power: i32 = power.parse().unwrap_or(0);
    u32::try_from(fraction - i64::from(power)).unwrap_or(0)
}

/// Bounds on a grid; without one, on as many decimals as the bounds are written with.
fn bounds_of(lower: &str, upper: &str, grid: Option<&str>) -> Result<Bounds, DpError> {
    let decimals = match grid {
        None => decimals(lower).max(decimals(upper)),
        Some(text) => unit(text).ok_or(DpError::Parameter {
            parameter: "the grid",
            accepted: "1, 0.1, 0.01 and so on, down to fifteen digits",
        })?,
    };
    let bounds = Bounds::parse(lower, upper, Grid::new(decimals)?)?;
    // Every record would count as this one value, and the answer would be the declaration.
    if bounds.width() == 0 {
        return Err(DpError::Parameter {
            parameter: "a pair of equal bounds",
            accepted: "a lower one, then an upper one above it",
        });
    }
    Ok(bounds)
}

/// The number of decimals of a unit such as 0.01.
fn unit(text: &str) -> Option<u32> {
    match text.split_once('.') {
        None if text == "1" => Some(0),
        Some(("0" | "", fraction)) => {
            let zeros = fraction.strip_suffix('1')?;
            zeros.bytes().all(|byte| byte == b'0').then_some(fraction.len() as u32)
        }
        _ => None,
    }
}

/// Checks what a job file declares, so that mistakes are found when it is read.
pub(crate) fn check(job: &Job) -> Result<(), JobError> {
    let section = &job.query;
    let number = |key: &str, problem: &DpError| JobError::new(format!("`query.{key}`: {problem}"));
    if let Some(Plain(text)) = &section.epsilon {
        text.parse::<Epsilon>().map_err(|error| number("epsilon", &error))?;
    }
    if let Some(Plain(text)) = &section.rho {
        text.parse::<Rho>().map_err(|error| number("rho", &error))?;
        if section.epsilon.is_some() || section.delta.is_some() {
            return Err(JobError::key(
                "query.rho",
                "is the whole cost of a question; leave `epsilon` and `delta` out",
            ));
        }
    }
    if let Some(Plain(text)) = &section.delta {
        text.parse::<Delta>().map_err(|error| number("delta", &error))?;
    }
    for (key, value) in [
        ("query.max-records", section.max_records),
        ("query.max-groups", section.max_groups),
        ("query.max-per-group", section.max_per_group),
    ] {
        if value == Some(0) {
            return Err(JobError::key(key, "must be 1 or more"));
        }
    }
    for (name, column) in &job.columns {
        let key = |what: &str| format!("columns.{name}.{what}");
        match (&column.bounds, &column.grid) {
            (Some([lower, upper]), grid) => {
                bounds_of(&lower.0, &upper.0, grid.as_ref().map(|grid| grid.0.as_str()))
                    .map_err(|error| JobError::new(format!("`{}`: {error}", key("bounds"))))?;
            }
            (None, Some(_)) => return Err(JobError::key(key("grid"), "goes with `bounds` only")),
            (None, None) => {}
        }
        if let Some(keys) = &column.keys {
            let keys: Vec<String> = keys.iter().map(|key| key.0.clone()).collect();
            keys::check(&keys, column.other.as_deref()).map_err(|what| JobError::key(key("keys"), what))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_powers_of_ten() {
        let units = ["1", "0.1", "0.01", ".001", "0.02", "10", "0", "x", "0.", "1.0"].map(unit);
        assert_eq!(units, [Some(0), Some(1), Some(2), Some(3), None, None, None, None, None, None]);
        let cents = bounds_of("0", "99.95", None).unwrap();
        assert_eq!((cents.upper(), cents.grid().units_per_one()), (9995, 100));
        assert!(bounds_of("0", "99.95", Some("1")).is_err() && bounds_of("1", "0", None).is_err());
        assert!(bounds_of("5", "5", None).is_err() && bounds_of("5", "5.0", None).is_err());
        // As they are written, idle zeros included.
        let places = [("0.00", "1.00"), ("0", "1"), ("0", "1.5e3"), ("0", "1e-2"), ("0", "2.5e1")]
            .map(|(lower, upper)| bounds_of(lower, upper, None).unwrap().grid().units_per_one());
        assert_eq!(places, [100, 1, 1, 100, 1]);
        assert!(bounds_of("0", "inf", None).is_err() && bounds_of("NaN", "1", None).is_err());
    }

    #[test]
    fn flags_override_the_job() {
        let job = Job::parse_declarations(
            "[input]\npath = \"a.csv\"\n[columns.cost]\nrole = \"insensitive\"\nbounds = [0, 99.5]\n\
             [columns.sex]\nrole = \"quasi\"\nkeys = [\"F\", \"M\", 3]\nother = \"?\"\n\
             [query]\nepsilon = 0.1\nmax-records = 4\nper-person = \"id\"\nneighbours = \"replace\"\n",
        )
        .unwrap();
        let mut flags = Flags::default();
        let base = Path::new(".");
        let of = |flags: &Flags, column: &str| {
            let declared = Declared { flags, job: Some((&job, base)) };
            (declared.bounds(column).map(|own| own.upper()).ok(), declared.keys(column).ok())
        };
        assert_eq!(of(&flags, "cost"), (Some(995), None));
        let keys = of(&flags, "sex").1.unwrap();
        assert_eq!((keys.keys.join(" "), keys.len(), keys.label(3)), ("F M 3".to_owned(), 4, "?"));
        flags.bounds = vec!["cost=-5..7".into(), "other=1..2".into()];
        flags.keys = vec!["cost=1, 2".into()];
        flags.max_records = Some(2);
        let declared = Declared { flags: &flags, job: Some((&job, base)) };
        assert_eq!(of(&flags, "cost").0, Some(7));
        assert_eq!(declared.keys("cost").unwrap().keys, ["1", "2"]);
        let (people, column) = declared.people().unwrap();
        assert_eq!((people.contributions(), column.as_deref()), (2, Some("id")));
        assert_eq!(people.neighbours(), Neighbours::ReplaceOne);
        assert_eq!(declared.budget().unwrap().0, "0.1".parse().unwrap());
        for bad in ["cost", "cost=1", "cost=2..1", "cost=a..b", "cost=0...5", "cost=0.5...9", "cost=0....5"] {
            flags.bounds = vec![bad.to_owned()];
            assert!(of(&flags, "cost").0.is_none(), "{bad}");
        }
    }

    /// The grid is as the bounds are written, wherever they are.
    #[test]
    fn job_and_flag_mean_the_same_grid() {
        let base = Path::new(".");
        for (lower, upper, units) in
            [("0.00", "1.00", 100), ("0", "1", 1), ("-1.5", "2", 10), ("0", "1e-2", 100)]
        {
            let text = format!(
                "[input]\npath = \"a.csv\"\n[columns.rate]\nrole = \"insensitive\"\nbounds = [{lower}, {upper}]\n"
            );
            let job = Job::parse_declarations(&text).unwrap();
            let none = Flags::default();
            let of_job = Declared { flags: &none, job: Some((&job, base)) }.bounds("rate").unwrap();
            let flags = Flags { bounds: vec![format!("rate={lower}..{upper}")], ..Flags::default() };
            let of_flag = Declared { flags: &flags, job: None }.bounds("rate").unwrap();
            assert_eq!((of_job, of_job.grid().units_per_one()), (of_flag, units), "{lower} {upper}");
        }
    }

    #[test]
    fn a_job_that_declares_nonsense_is_refused() {
        for (more, key) in [
            ("[query]\nepsilon = 0", "query.epsilon"),
            ("[query]\nepsilon = -1", "query.epsilon"),
            ("[query]\nepsilon = inf", "query.epsilon"),
            ("[query]\ndelta = 1", "query.delta"),
            ("[query]\nmax-records = 0", "query.max-records"),
            ("[columns.a]\nrole = \"quasi\"\nbounds = [2, 1]", "columns.a.bounds"),
            ("[columns.a]\nrole = \"quasi\"\nbounds = [5, 5]", "columns.a.bounds"),
            ("[columns.a]\nrole = \"quasi\"\ngrid = 0.1", "columns.a.grid"),
            ("[columns.a]\nrole = \"quasi\"\nkeys = []", "columns.a.keys"),
            ("[columns.a]\nrole = \"quasi\"\nkeys = [1, 1]", "columns.a.keys"),
            ("[columns.a]\nrole = \"quasi\"\nkeys = [1, 1.0]", "columns.a.keys"),
            ("[query]\nneighbours = \"all\"", "add-remove"),
        ] {
            let error = Job::parse_declarations(&format!("input.path = \"a.csv\"\n{more}\n")).unwrap_err();
            assert!(error.to_string().contains(key), "{more}: {error}");
        }
    }
}
