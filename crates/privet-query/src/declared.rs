//! What is declared about people and columns, in the job file or by flags: bounds, grids, keys, contribution limits.
//!
//! Guarantee: nothing here is read off the data, which would tell about single records. A flag overrides the job
//! file. The keys of a column that declares none are the leaves of its hierarchy when that is written down (a file,
//! groups or a tree); hierarchies that are derived from the values of the input are not used.

use std::path::{Path, PathBuf};

use privet_data::hierarchy::{HierarchySpec, build};
use privet_data::{Domain, Kind};
use privet_dp::{Bounds, Delta, Epsilon, People, Privacy, Rho};

use super::error::QueryError;
use super::keys::Keys;
use super::method::Method;
use privet_job::Job;
use privet_job::declarations::{Neighbourhood, Plain, QuerySection, bounds_of, check_keys};

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
        check_keys(&keys, other.as_deref())
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(people.neighbours(), privet_dp::Neighbours::ReplaceOne);
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
}
