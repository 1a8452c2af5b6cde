//! The referee of the kind `tables`: people are counted through their pseudonyms, over the join of all published tables.
//!
//! From the files alone: whose rows are whose, that every key names one row and every reference leads to one of the same person, who shows
//! the same everywhere, how many people (or households) that are, what they hold. Where rows of a person are not linked, people of a
//! combination are bounded by its rows and the most rows that the manifest states of one person.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use privet_data::io::ReadOptions;
use privet_data::{Equality, Progress};
use privet_release::{Check, OpenError, Promised, Referee, ReleaseFolder, Trusted};
use serde::Deserialize;

/// The referee.
pub struct Tables;

/// It, for the list of all.
pub const REFEREE: &dyn Referee = &Tables;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Body {
    input_persons: u64,
    persons: u64,
    linked: bool,
    #[serde(default)]
    household: Option<String>,
    #[serde(default)]
    weight: Option<String>,
    tables: Vec<Told>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Told {
    name: String,
    file: String,
    #[serde(default)]
    person: Option<String>,
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    references: BTreeMap<String, String>,
    most_rows: u64,
    input_rows: u64,
    rows: u64,
    columns: Vec<ToldColumn>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ToldColumn {
    name: String,
    role: String,
    #[serde(default)]
    level: Option<u64>,
    #[serde(default)]
    height: Option<u64>,
}

const ROLES: [&str; 6] = ["quasi", "sensitive", "insensitive", "date", "household", "weight"];

/// A table as it is published: texts by column.
struct Read {
    columns: BTreeMap<String, Vec<String>>,
    rows: usize,
}

/// Shares are quotients of sums; rounding must not decide.
const TOLERANCE: f64 = 1e-9;

impl Referee for Tables {
    fn kind(&self) -> &'static str {
        "tables"
    }

    fn files(&self, folder: &ReleaseFolder) -> Result<Vec<String>, OpenError> {
        let body: Body = body(folder)?;
        Ok(body.tables.into_iter().map(|table| table.file).collect())
    }

    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
        let body = body(folder)?;
        let mut tables = Vec::new();
        for told in &body.tables {
            tables.push(read(folder, told, progress)?);
        }
        let mut checks = vec![form(&body, &tables)];
        if !checks[0].ok {
            return Ok(checks);
        }
        let judged = Judged::of(&body, &tables);
        checks.push(counted(&body, &tables, &judged));
        let promises = &folder.envelope().promises;
        for promised in promises {
            checks.push(match promised.id.as_str() {
                "k-anonymity" => judged.k(promised, &body),
                "l-diversity" => judged.l(promised),
                "t-closeness" => judged.t(promised),
                "keys" if body.linked => keys(&body, &tables),
                _ => Check::failed("promises", "the manifest states a promise that this kind does not have"),
            });
        }
        let has = |id: &str| promises.iter().any(|own| own.id == id);
        if !has("k-anonymity") || body.linked != has("keys") {
            checks.push(Check::failed(
                "promises",
                "the manifest does not promise what every release of tables does",
            ));
        }
        Ok(checks)
    }

    fn on_trust(&self) -> &'static [Trusted] {
        ON_TRUST
    }

    fn statement(&self, promised: &Promised) -> Option<String> {
        match promised.id.as_str() {
            "k-anonymity" => {
                let k = promised.whole("k")?;
                Some(match promised.word("units")? {
                    "people" => format!("Every person is one of at least {k} people whose rows show the same in all tables."),
                    "households" => {
                        format!("Every household is one of at least {k} households whose members' rows show the same in all tables.")
                    }
                    "people-of-rows" => format!("Every combination of known values is that of at least {k} people; their rows are not linked."),
                    _ => return None,
                })
            }
            "l-diversity" => Some(format!(
                "Of people who show the same, at most one in {} holds any one value of a sensitive column.",
                promised.number("l")?
            )),
            "t-closeness" => Some(format!(
                "What people who show the same hold differs from what all hold by at most {} (total variation).",
                promised.number("t")?
            )),
            "keys" => Some(
                "Every person and every row has one pseudonym in all tables, and every reference leads to a row of the same person.".to_owned(),
            ),
            _ => None,
        }
    }
}

const ON_TRUST: &[Trusted] = &[
    Trusted {
        what: "pseudonyms",
        why: "that pseudonyms were made with a key that belongs to this release alone, and that dates of a person were all shifted by one number \
              of days: both need the key, which stays with the owner",
    },
    Trusted {
        what: "input",
        why: "how many people and rows the input had, which rows were left out, and how far up their hierarchies columns went",
    },
];

fn body(folder: &ReleaseFolder) -> Result<Body, OpenError> {
    folder
        .envelope()
        .body()
        .map_err(|source| OpenError::Manifest { folder: folder.path().to_owned(), source })
}

fn read(folder: &ReleaseFolder, told: &Told, progress: &dyn Progress) -> Result<Read, OpenError> {
    let options = ReadOptions { equality: Equality::EXACT, ..ReadOptions::default() }.exactly();
    let table = folder.table(&told.file, &options, progress)?;
    let texts = |column: &privet_data::Column| {
        column.codes.iter().map(|&code| column.domain.text(code).to_owned()).collect()
    };
    let columns = table.columns.iter().map(|column| (column.name.clone(), texts(column))).collect();
    Ok(Read { columns, rows: table.rows })
}

/// Whether the tables have the columns that the manifest lists, and no others.
fn form(body: &Body, tables: &[Read]) -> Check {
    const NAME: &str = "form";
    let mut names = BTreeSet::new();
    for (told, read) in body.tables.iter().zip(tables) {
        let mut listed: Vec<&String> =
            told.columns.iter().map(|own| &own.name).chain(told.references.keys()).collect();
        listed.extend(&told.person);
        listed.extend(told.key.iter().filter(|key| Some(*key) != told.person.as_ref()));
        let as_listed: BTreeSet<&String> = listed.iter().copied().collect();
        if as_listed.len() != listed.len() || as_listed != read.columns.keys().collect() {
            return Check::failed(
                NAME,
                format!("{} does not have the columns that the manifest lists", told.file),
            );
        }
        if !names.insert(&told.name) || told.file != format!("{}.csv", told.name) {
            return Check::failed(NAME, "two tables have one name, or a file is not called after its table");
        }
        if told.person.is_some() != body.linked || (!body.linked && body.tables.len() > 1) {
            return Check::failed(NAME, "rows of a person are linked in some tables and not in others");
        }
        for column in &told.columns {
            let levels = match (column.level, column.height) {
                (Some(level), Some(height)) => column.role == "quasi" && level <= height,
                (None, None) => column.role != "quasi",
                _ => false,
            };
            if !ROLES.contains(&column.role.as_str()) || !levels {
                return Check::failed(
                    NAME,
                    format!("{} has a column whose role and level do not go together", told.file),
                );
            }
        }
        if told
            .references
            .values()
            .any(|name| !body.tables.iter().any(|own| own.name == *name && own.key.is_some()))
        {
            return Check::failed(NAME, format!("{} refers to a table that has no key", told.file));
        }
    }
    for (named, role) in [(&body.household, "household"), (&body.weight, "weight")] {
        let found: Vec<&String> = body
            .tables
            .iter()
            .flat_map(|told| &told.columns)
            .filter(|own| own.role == role)
            .map(|own| &own.name)
            .collect();
        if found != named.iter().collect::<Vec<_>>() {
            return Check::failed(
                NAME,
                format!("the column of the {role} is not the one that the manifest names"),
            );
        }
    }
    match tables.is_empty() {
        true => Check::failed(NAME, "the manifest lists no table"),
        false => {
            Check::passed(NAME, format!("{} tables have the columns that the manifest lists", tables.len()))
        }
    }
}

/// Whether people, rows, and rows of a person are as many as stated.
fn counted(body: &Body, tables: &[Read], judged: &Judged) -> Check {
    const NAME: &str = "counts";
    for ((told, read), person_of) in body.tables.iter().zip(tables).zip(&judged.person_of) {
        if read.rows as u64 != told.rows || told.rows > told.input_rows {
            return Check::failed(
                NAME,
                format!("{} does not have as many rows as the manifest states", told.file),
            );
        }
        if !body.linked {
            continue;
        }
        let mut rows = HashMap::new();
        person_of.iter().for_each(|person| *rows.entry(*person).or_insert(0_u64) += 1);
        if rows.values().max().copied().unwrap_or(0) != told.most_rows {
            return Check::failed(
                NAME,
                format!(
                    "somebody has more rows in {} than the manifest states, or nobody as many",
                    told.file
                ),
            );
        }
    }
    let people = judged.people as u64;
    if body.linked && people != body.persons || body.persons > body.input_persons {
        return Check::failed(NAME, "there are not as many people as the manifest states");
    }
    match body.linked {
        true => {
            Check::passed(NAME, format!("{people} people, counted by their pseudonyms, and rows as stated"))
        }
        false => {
            Check::passed(NAME, "rows as stated; people cannot be counted, as their rows are not linked")
        }
    }
}

/// Keys name one row, references lead to one of the same person, and pseudonyms look like pseudonyms.
fn keys(body: &Body, tables: &[Read]) -> Check {
    const NAME: &str = "keys";
    let is_pseudonym = |text: &String| {
        text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    let of_people = body.tables.iter().position(|told| told.key.is_some() && told.key == told.person);
    let owners: Vec<HashMap<&String, &String>> = body
        .tables
        .iter()
        .zip(tables)
        .map(|(told, read)| match (&told.key, &told.person) {
            (Some(key), Some(person)) => read.columns[key].iter().zip(&read.columns[person]).collect(),
            _ => HashMap::new(),
        })
        .collect();
    for (at, (told, read)) in body.tables.iter().zip(tables).enumerate() {
        let Some(person) = &told.person else { return Check::failed(NAME, "a table names no people") };
        let people = &read.columns[person];
        let named = std::iter::once(person).chain(&told.key);
        if named.into_iter().any(|column| !read.columns[column].iter().all(is_pseudonym)) {
            return Check::failed(
                NAME,
                format!("{} names people or rows by something that is no pseudonym", told.file),
            );
        }
        if told.key.is_some() && owners[at].len() != read.rows {
            return Check::failed(NAME, format!("two rows of {} have one key", told.file));
        }
        if let Some(own) = of_people.filter(|own| *own != at)
            && people.iter().any(|person| !owners[own].contains_key(person))
        {
            return Check::failed(
                NAME,
                format!("{} has rows about people who are not in the table of people", told.file),
            );
        }
        for (column, parent) in &told.references {
            let parent = body.tables.iter().position(|own| own.name == *parent).unwrap_or(at);
            let leads = |(to, person): (&String, &String)| {
                to.is_empty() || owners[parent].get(to).is_some_and(|own| *own == person)
            };
            if !read.columns[column].iter().zip(people).all(leads) {
                return Check::failed(
                    NAME,
                    format!("a reference of {} leads to no row of the same person", told.file),
                );
            }
        }
        let households = told.columns.iter().filter(|own| own.role == "household");
        if households.flat_map(|own| &read.columns[&own.name]).any(|text| !is_pseudonym(text)) {
            return Check::failed(
                NAME,
                format!("{} names households by something that is no pseudonym", told.file),
            );
        }
    }
    Check::passed(NAME, "every key names one row, and every reference leads to a row of the same person")
}

/// Who shows the same, and what they hold.
struct Judged {
    people: usize,
    /// Per table and row the person (where rows are not linked: the row).
    person_of: Vec<Vec<usize>>,
    /// Classes: their people and their households.
    classes: Vec<(Vec<usize>, HashSet<String>)>,
    /// Per sensitive column, and person, the values.
    held: Vec<(String, Vec<Vec<String>>)>,
    /// The most rows of one person, where people cannot be counted.
    most_rows: u64,
}

impl Judged {
    fn of(body: &Body, tables: &[Read]) -> Self {
        let mut number: HashMap<String, usize> = HashMap::new();
        let mut person_of = Vec::new();
        for (told, read) in body.tables.iter().zip(tables) {
            let name = |row: usize| {
                told.person
                    .as_ref()
                    .map_or_else(|| row.to_string(), |column| read.columns[column][row].clone())
            };
            let of = |row: usize| {
                let next = number.len();
                *number.entry(name(row)).or_insert(next)
            };
            person_of.push((0..read.rows).map(of).collect::<Vec<usize>>());
        }
        let people = number.len();
        // What each person shows: per table the sorted tuples of the person's rows.
        let mut shown: Vec<Vec<Vec<Vec<&String>>>> = vec![vec![Vec::new(); tables.len()]; people];
        let mut household = vec![String::new(); people];
        let mut held = Vec::new();
        for (at, (told, read)) in body.tables.iter().zip(tables).enumerate() {
            let with = |role: &'static str| told.columns.iter().filter(move |own| own.role == role);
            let quasi: Vec<&Vec<String>> = with("quasi").map(|own| &read.columns[&own.name]).collect();
            for (row, &person) in person_of[at].iter().enumerate().filter(|_| !quasi.is_empty()) {
                shown[person][at].push(quasi.iter().map(|column| &column[row]).collect());
            }
            for own in with("household") {
                (person_of[at].iter().zip(&read.columns[&own.name]))
                    .for_each(|(&person, text)| household[person].clone_from(text));
            }
            for own in with("sensitive") {
                let mut of = vec![Vec::new(); people];
                let cells =
                    person_of[at].iter().zip(&read.columns[&own.name]).filter(|own| !own.1.is_empty());
                cells.for_each(|(&person, text)| of[person].push(text.clone()));
                held.push((format!("{}.{}", told.name, own.name), of));
            }
        }
        shown.iter_mut().flatten().for_each(|rows| rows.sort_unstable());
        let mut members: BTreeMap<&String, Vec<&Vec<Vec<Vec<&String>>>>> = BTreeMap::new();
        if body.household.is_some() {
            (0..people).for_each(|own| members.entry(&household[own]).or_default().push(&shown[own]));
            members.values_mut().for_each(|own| own.sort_unstable());
        }
        let mut classes: BTreeMap<_, (Vec<usize>, HashSet<String>)> = BTreeMap::new();
        for own in 0..people {
            let class = classes.entry((&shown[own], members.get(&household[own]))).or_default();
            class.0.push(own);
            class.1.insert(household[own].clone());
        }
        let classes = classes.into_values().collect();
        let most_rows = body.tables.iter().map(|told| told.most_rows).max().unwrap_or(0);
        Self { people, person_of, classes, held, most_rows }
    }

    fn k(&self, promised: &Promised, body: &Body) -> Check {
        const NAME: &str = "k-anonymity";
        let Some(k) = promised.whole("k") else { return Check::failed(NAME, "k is not stated") };
        let units = promised.word("units").unwrap_or_default();
        let expected = match (body.linked, &body.household) {
            (_, Some(_)) => "households",
            (true, None) => "people",
            (false, None) => "people-of-rows",
        };
        if units != expected {
            return Check::failed(NAME, "what is counted is not what the manifest says elsewhere");
        }
        let size = |own: &(Vec<usize>, HashSet<String>)| match &body.household {
            Some(_) => own.1.len() as u64,
            None => own.0.len() as u64,
        };
        let smallest = self.classes.iter().map(size).min().unwrap_or(0);
        if smallest < k {
            return Check::failed(
                NAME,
                format!("a class has {smallest} of the {k} {units} that are promised"),
            );
        }
        if !body.linked {
            let sure = smallest.div_ceil(self.most_rows.max(1));
            return Check::passed(
                NAME,
                format!(
                    "the smallest combination has {smallest} rows; as nobody has more than {} rows and rows are not linked, that is proof of \
                     {sure} people, and for {k} the word of the maker is needed",
                    self.most_rows
                ),
            );
        }
        let people = self.classes.iter().map(|own| own.0.len()).min().unwrap_or(0);
        if promised.reached.is_some_and(|reached| reached != people as f64) {
            return Check::failed(NAME, "the smallest class is not as large as the manifest states");
        }
        Check::passed(
            NAME,
            format!("{} classes, each of at least {smallest} {units}, over all tables", self.classes.len()),
        )
    }

    fn l(&self, promised: &Promised) -> Check {
        const NAME: &str = "l-diversity";
        let Some(l) = promised.number("l").filter(|l| *l >= 1.0) else {
            return Check::failed(NAME, "l is not stated");
        };
        for (name, held) in &self.held {
            for (people, _) in &self.classes {
                let mut holders: HashMap<&String, u64> = HashMap::new();
                for &person in people {
                    let own: HashSet<&String> = held[person].iter().collect();
                    own.into_iter().for_each(|value| *holders.entry(value).or_default() += 1);
                }
                let most = holders.into_values().max().unwrap_or(0);
                if most as f64 * l > people.len() as f64 * (1.0 + TOLERANCE) {
                    return Check::failed(
                        NAME,
                        format!("{most} of {} people of a class hold one value of {name}", people.len()),
                    );
                }
            }
        }
        match self.held.is_empty() {
            true => Check::failed(NAME, "there is no sensitive column"),
            false => Check::passed(
                NAME,
                format!("at most one in {l} of a class holds any value, in {} columns", self.held.len()),
            ),
        }
    }

    fn t(&self, promised: &Promised) -> Check {
        const NAME: &str = "t-closeness";
        let Some(t) = promised.number("t") else { return Check::failed(NAME, "t is not stated") };
        let mut worst: f64 = 0.0;
        for (_, held) in &self.held {
            let everybody: Vec<usize> = (0..self.people).collect();
            let all = spread(held, &everybody);
            for (people, _) in &self.classes {
                let own = spread(held, people);
                let values: HashSet<_> = own.keys().chain(all.keys()).collect();
                let of =
                    |from: &HashMap<Option<&String>, f64>, value| from.get(value).copied().unwrap_or(0.0);
                let far: f64 =
                    values.into_iter().map(|value| (of(&own, value) - of(&all, value)).abs()).sum();
                worst = worst.max(far / 2.0);
            }
        }
        match self.held.is_empty() {
            true => Check::failed(NAME, "there is no sensitive column"),
            false if worst > t + TOLERANCE => {
                Check::failed(NAME, format!("a class is {worst:.4} away, and {t} is promised"))
            }
            false => Check::passed(NAME, format!("the class that differs most is {worst:.4} away")),
        }
    }
}

/// The shares of values when everybody spreads weight 1 evenly over the values held, or holds none.
fn spread<'a>(held: &'a [Vec<String>], people: &[usize]) -> HashMap<Option<&'a String>, f64> {
    let mut shares = HashMap::new();
    for &person in people {
        let values = &held[person];
        if values.is_empty() {
            *shares.entry(None).or_insert(0.0) += 1.0 / people.len() as f64;
        }
        for value in values {
            *shares.entry(Some(value)).or_insert(0.0) += 1.0 / (people.len() * values.len()) as f64;
        }
    }
    shares
}
