//! The people of an attack: a table of the adversary's, or those whom the original is about.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use privet_attack::Truth;
use privet_attack::adversary::{Crowd, Points, SharedColumn};
use privet_attack::knowledge::{Knowledge, PeopleFile, Prior};
use privet_data::io::{ReadOptions, read, respell_where_it_reads};
use privet_data::{Cells, Column, Coverage, Domain, Equality, Kind, Progress, Sameness, Table};
use privet_release::published::{Meaning, Recoded, coverage, fits, kind_shown};
use privet_release::{Manifest, Published, manifest_at};

use super::known_columns;
use super::original::{HowRecoded, JobAt, Original, count, recoding, told_missing, translate};
use crate::error::{JobError, RunError};

/// Labels that exclude no value.
fn anything(labels: &Domain, values: &Domain) -> Coverage {
    let values = values.len() as u32;
    Coverage::of_runs(labels.texts().iter().map(|_| vec![(0, values.saturating_sub(1))]), values)
}

/// What a label of a column that shows points may stand for, where single values are compared: anything for a mean, a median
/// or a mode; of a table that is no release of ours, whose values are values, the same value and no other. Linking goes by
/// distance, not by this.
pub fn of_points(release: &Published, labels: &Domain, values: &Domain) -> Coverage {
    match release.manifest {
        Some(_) => anything(labels, values),
        None => equal_values(labels, values),
    }
}

/// Labels that stand for the same value and no other.
pub fn equal_values(labels: &Domain, values: &Domain) -> Coverage {
    // Numbers are the same however they are written.
    fn key(kind: Kind, domain: &Domain, code: u32) -> (Option<u64>, &str) {
        let number = match domain.is_missing(code) {
            true => None,
            // Those of one kind may be written as another: 3 and 3.0.
            false if kind == Kind::Integer => Kind::Decimal.number(domain.text(code)),
            false => kind.number(domain.text(code)),
        };
        match number {
            Some(number) => (Some((number + 0.0).to_bits()), ""),
            None => (None, domain.text(code)),
        }
    }
    let kind = values.kind();
    let mut codes: HashMap<(Option<u64>, &str), Vec<u32>> = HashMap::new();
    for code in 0..values.len() as u32 {
        codes.entry(key(kind, values, code)).or_default().push(code);
    }
    let of = |label: u32| codes.get(&key(kind, labels, label)).cloned().unwrap_or_default();
    Coverage::new((0..labels.len() as u32).map(of), values.len() as u32)
}

/// A table of people, put beside a release.
pub struct PeopleTable {
    table: Table,
    shared: Vec<Shared>,
    /// The column with names.
    name: Option<usize>,
    /// Per sensitive column of the release its position here, if it is here.
    sensitive: Vec<Option<usize>>,
    /// Names of columns of the release that are called otherwise here.
    renamed: HashMap<String, String>,
    /// Whether these are the people of the original itself, whose blank cells are blank in the data.
    is_original: bool,
}

struct Shared {
    quasi: usize,
    position: usize,
    coverage: Coverage,
    /// What the values are where the release shows means, medians or modes.
    points: Option<Kind>,
}

/// Values of a list are often written as those of the data are: in the spelling of the job where that reads all of them, and as
/// they stand where it does not.
pub fn spelled_as_in_the_data(
    table: &mut Table,
    file: &PeopleFile,
    job: Option<JobAt<'_>>,
    options: ReadOptions,
) -> Result<(), JobError> {
    let Some(job) = job else { return Ok(()) };
    let spellings = job.job.input.options()?.spelling_of;
    let theirs = |(ours, own)| (file.columns.get(&ours).cloned().unwrap_or(ours), own);
    let spelling_of = spellings.into_iter().map(theirs).collect();
    respell_where_it_reads(table, &ReadOptions { spelling_of, ..options });
    Ok(())
}

/// The column of the original that names people: the one that is called so in the table of people, or whatever the release's
/// side calls it under `columns`.
pub fn name_in_original(file: &PeopleFile) -> Option<&str> {
    let name = file.name.as_deref()?;
    let ours = file.columns.iter().find(|(_, theirs)| *theirs == name);
    Some(ours.map_or(name, |(ours, _)| ours.as_str()))
}

/// The identifying columns of the other releases that are known: who has the original knows them of everybody. What cannot be
/// read is told when the releases are opened.
pub fn columns_of_others(knowledge: &Knowledge) -> Vec<String> {
    let manifest = |folder: &Path| Manifest::parse(&manifest_at(folder).ok()?).ok();
    let others = knowledge.releases.iter().filter_map(|own| manifest(&knowledge.resolve(&own.folder)));
    let columns = others.flat_map(|own| own.data.columns).filter(|own| own.role == "quasi");
    columns.map(|own| own.name).collect()
}

/// Whether a column shows means, medians or modes; a table that is no release of ours shows synthetic values.
pub fn shows_points(release: &Published, position: usize) -> bool {
    if release.manifest.is_none() {
        return true;
    }
    let nodes = recoding(release, position).and_then(|recoding| recoding.nodes.as_ref());
    nodes.is_some_and(|nodes| matches!(nodes.kind.as_str(), "means" | "medians" | "modes"))
}

/// Which labels of a column may stand for the values of the original.
fn of_original(
    column: &Column,
    job: Option<JobAt<'_>>,
    release: &Published,
    position: usize,
) -> Result<Coverage, RunError> {
    let published = &release.table.columns[position];
    if shows_points(release, position) {
        return Ok(of_points(release, &published.domain, &column.domain));
    }
    if known_columns::is_as_it_was(release, position) {
        return Ok(equal_values(&published.domain, &column.domain));
    }
    let counts = count(&column.codes, column.domain.len());
    let hierarchy = match job {
        Some(job) => job.hierarchy(&published.name, &column.domain, &counts)?,
        None => None,
    };
    let meaning = Meaning { hierarchy: hierarchy.as_ref(), recoding: recoding(release, position) };
    Ok(coverage(&published.domain, &column.domain, meaning))
}

/// Which labels of a column may be those of people with these values, of each whoever the others are. Where a table is no
/// release of ours, its values are values.
fn of_people(
    values: &Domain,
    job: Option<JobAt<'_>>,
    release: &Published,
    position: usize,
) -> Result<Coverage, RunError> {
    let published = &release.table.columns[position];
    let known = match job {
        Some(job) if release.manifest.is_some() => job.recoded(&published.name, values)?,
        _ => HowRecoded::Unknown,
    };
    let is_as_it_was = release.manifest.is_none() || known_columns::is_as_it_was(release, position);
    let recoded = if is_as_it_was { Recoded::Values } else { known.as_known() };
    Ok(fits(&published.domain, values, recoded, recoding(release, position)))
}

impl PeopleTable {
    /// Reads a table of people.
    pub fn read(
        file: &PeopleFile,
        knowledge: &Knowledge,
        job: Option<JobAt<'_>>,
        release: &Published,
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        let cells = Self::cells(file, knowledge, job, release, progress)?;
        Self::of_file(cells, file, knowledge, job, release)
    }

    /// Reads the cells of a table of people, whatever they are to the release.
    pub fn cells(
        file: &PeopleFile,
        knowledge: &Knowledge,
        job: Option<JobAt<'_>>,
        release: &Published,
        progress: &dyn Progress,
    ) -> Result<Table, RunError> {
        let path = knowledge.resolve(&file.path);
        let mut missing = match job {
            Some(job) => job.job.input.options()?.missing,
            None => told_missing(release).unwrap_or_default(),
        };
        // Whatever stands for it in the data, a blank is not known.
        if !missing.iter().any(String::is_empty) {
            missing.push(String::new());
        }
        // As in the data, but under the names of this table. Names of people are no numbers.
        let mut known = release.manifest.as_ref().map(|own| own.equality()).unwrap_or_default();
        if let Some(job) = job {
            known.extend(job.job.options(job.base)?.equality_of);
        }
        let theirs =
            |(ours, own): (String, Equality)| (file.columns.get(&ours).cloned().unwrap_or(ours), own);
        let mut equality_of: BTreeMap<String, Equality> = known.into_iter().map(theirs).collect();
        if let Some(name) = &file.name {
            equality_of.insert(name.clone(), Equality::CODES);
        }
        // Columns are found by their names, so the first line has them.
        let options = ReadOptions { missing, equality_of, header: Some(true), ..ReadOptions::default() };
        let mut table = read(&path, &options, progress)?.table;
        spelled_as_in_the_data(&mut table, file, job, options)?;
        Ok(table)
    }

    /// Puts the cells of a table of people beside a release.
    pub fn of_file(
        table: Table,
        file: &PeopleFile,
        knowledge: &Knowledge,
        job: Option<JobAt<'_>>,
        release: &Published,
    ) -> Result<Self, RunError> {
        let path = knowledge.resolve(&file.path);
        // A name that is no column would leave the adversary with less than is meant. Other releases have columns of their own.
        let elsewhere = columns_of_others(knowledge);
        let is_column = |(ours, theirs): (&String, &String)| {
            release.table.position(ours).is_some()
                || release.sensitive.iter().any(|own| own.name == *ours)
                || elsewhere.contains(ours)
                || file.name.as_ref() == Some(theirs)
                || job.is_some_and(|job| job.job.columns.contains_key(ours))
        };
        if let Some((ours, _)) = file.columns.iter().find(|own| !is_column(*own)) {
            return Err(JobError::new(format!(
                "`columns` of a table of people: {ours}, which stands on the left, is no column of the release; write it as it is there"
            ))
            .into());
        }
        let renamed = file.columns.iter().map(|(ours, theirs)| (ours.clone(), theirs.clone())).collect();
        let people = Self::of_table(table, file.name.as_deref(), renamed, job, release, &path, false)?;
        if let Some(missing) = file.columns.values().find(|theirs| people.table.position(theirs).is_none()) {
            return Err(JobError::new(format!(
                "has no column {missing}, which `columns` of this table names in the knowledge file; name a column that it has"
            ))
            .at(&path)
            .into());
        }
        Ok(people)
    }

    /// The people whom an original is about.
    pub fn of_original(original: &Original, release: &Published) -> Self {
        let shared = original.quasi.iter().enumerate().map(|(quasi, own)| Shared {
            quasi,
            position: own.position,
            coverage: own.coverage.clone(),
            points: shows_points(release, release.quasi[quasi])
                .then(|| original.table.columns[own.position].domain.kind()),
        });
        Self {
            shared: shared.collect(),
            name: None,
            sensitive: original.sensitive.iter().map(|&position| Some(position)).collect(),
            table: original.table.clone(),
            renamed: HashMap::new(),
            is_original: true,
        }
    }

    fn of_table(
        table: Table,
        name: Option<&str>,
        renamed: HashMap<String, String>,
        job: Option<JobAt<'_>>,
        release: &Published,
        path: &Path,
        is_original: bool,
    ) -> Result<Self, RunError> {
        let theirs = |ours: &str| table.position(renamed.get(ours).map_or(ours, String::as_str));
        let mut shared = Vec::new();
        for (quasi, &own) in release.quasi.iter().enumerate() {
            let published = &release.table.columns[own];
            let Some(position) = theirs(&published.name) else { continue };
            let column = &table.columns[position];
            let points = shows_points(release, own);
            let (labels, values) = (&published.domain, &column.domain);
            let (coverage, kind) = match is_original {
                true => (of_original(column, job, release, own)?, values.kind()),
                false => (of_people(values, job, release, own)?, kind_shown(labels)),
            };
            let points = points.then_some(kind);
            shared.push(Shared { quasi, position, coverage, points });
        }
        if shared.is_empty() {
            let problem = "has no identifying column of the release; name those that are called otherwise under `columns`";
            return Err(JobError::new(problem).at(path).into());
        }
        let name = match name {
            Some(name) => match table.position(name) {
                Some(position) => Some(position),
                None => {
                    return Err(JobError::new(format!("has no column {name}, which is said to name people"))
                        .at(path)
                        .into());
                }
            },
            None => None,
        };
        let sensitive = release.sensitive.iter().map(|column| theirs(&column.name)).collect();
        Ok(Self { shared, name, sensitive, renamed, table, is_original })
    }

    /// The same people beside another release.
    pub fn beside(&self, job: Option<JobAt<'_>>, release: &Published, path: &Path) -> Result<Self, RunError> {
        let name = self.name.map(|position| self.table.columns[position].name.clone());
        let (table, renamed) = (self.table.clone(), self.renamed.clone());
        Self::of_table(table, name.as_deref(), renamed, job, release, path, self.is_original)
    }

    /// The same people, to be linked by distance in columns that were changed alone: where nothing was changed, a person's
    /// record has the person's value. `is_changed` says so of a name of a column of the release.
    #[must_use]
    pub fn exact_but(mut self, release: &Published, is_changed: &dyn Fn(&str) -> bool) -> Self {
        for own in &mut self.shared {
            let column = release.quasi.get(own.quasi).and_then(|&at| release.table.columns.get(at));
            own.points = own.points.filter(|_| column.is_some_and(|column| is_changed(&column.name)));
        }
        self
    }

    /// A release to people of whom more of its columns are known than the quasi ones; `None` where they are not. Of the people of the
    /// original it is assumed that these are known.
    pub fn wide(&self, release: &Published, progress: &dyn Progress) -> Result<Option<Published>, RunError> {
        let renamed = self.renamed.iter().map(|(ours, theirs)| (ours.clone(), theirs.clone())).collect();
        match self.is_original {
            true => Ok(None),
            false => known_columns::wide(release, &self.table, &renamed, progress),
        }
    }

    /// How many people there are.
    pub fn count(&self) -> usize {
        self.table.rows
    }

    /// The quasi columns of the release that the table lacks.
    pub fn lacks<'r>(&self, release: &'r Published) -> Vec<&'r str> {
        let is_here = |quasi: usize| self.shared.iter().any(|own| own.quasi == quasi);
        let lacking = release.quasi.iter().enumerate().filter(|(quasi, _)| !is_here(*quasi));
        lacking.map(|(_, &at)| release.table.columns[at].name.as_str()).collect()
    }

    /// The quasi columns of the release that the table has, by their place among them.
    pub fn shared(&self) -> Vec<usize> {
        self.shared.iter().map(|own| own.quasi).collect()
    }

    /// Whether it has every quasi column of the release, of everybody.
    pub fn knows_all(&self, release: &Published) -> bool {
        let is_known = |own: &Shared| {
            let column = &self.table.columns[own.position];
            self.is_original || !column.codes.iter().any(|&code| column.domain.is_missing(code))
        };
        self.shared.len() == release.quasi.len() && self.shared.iter().all(is_known)
    }

    /// The quasi columns of the release that the table has, called as they are there and in its order.
    pub fn quasi(&self, release: &Published) -> Table {
        let column = |own: &Shared| Column {
            name: release.table.columns[release.quasi[own.quasi]].name.clone(),
            cells: Cells::Plain,
            ..self.table.columns[own.position].clone()
        };
        Table { columns: self.shared.iter().map(column).collect(), rows: self.table.rows }
    }

    /// The people as attacks see them.
    pub fn crowd(&self) -> Crowd<'_> {
        let shared = self.shared.iter().map(|own| SharedColumn {
            quasi: own.quasi,
            values: &self.table.columns[own.position].codes,
            coverage: &own.coverage,
            points: own.points.map(|kind| Points { domain: &self.table.columns[own.position].domain, kind }),
        });
        Crowd { count: self.table.rows, shared: shared.collect() }
    }

    /// What a person is called: a name, or the number of the record from 1.
    pub fn name_of(&self, person: u32) -> String {
        match self.name {
            Some(position) => {
                let column = &self.table.columns[position];
                column.domain.text(column.codes[person as usize]).to_owned()
            }
            None => (person + 1).to_string(),
        }
    }

    /// Whether two tables say the same, line by line, in all columns that both have.
    pub fn is_same(&self, other: &Self) -> bool {
        let mut columns = 0;
        let same =
            self.table.columns.iter().filter_map(|own| Some((own, other.table.column(&own.name)?))).all(
                |(own, theirs)| {
                    columns += 1;
                    let of_theirs = translate(&theirs.domain, &own.domain);
                    own.codes.iter().zip(&theirs.codes).all(|(&a, &b)| Some(a) == of_theirs[b as usize])
                },
            );
        same && columns > 0 && self.table.rows == other.table.rows && self.table.rows > 0
    }

    /// Whether people have names.
    pub fn has_names(&self) -> bool {
        self.name.is_some()
    }

    /// People by name; a name that several have is nobody's.
    pub fn by_name(&self) -> HashMap<String, Option<u32>> {
        let mut people = HashMap::with_capacity(self.table.rows);
        for person in 0..self.table.rows as u32 {
            people.entry(self.name_of(person)).and_modify(|own| *own = None).or_insert(Some(person));
        }
        people
    }

    /// Whom a prior is about.
    pub fn of_prior(&self, prior: &Prior) -> Result<Vec<bool>, JobError> {
        let mut among = vec![true; self.table.rows];
        for (name, value) in &prior.of {
            let name = self.renamed.get(name).unwrap_or(name);
            let Some(column) = self.table.column(name) else {
                return Err(JobError::new(format!("`priors`: the table of people has no column {name}")));
            };
            let code = column.domain.code_of(value);
            if code.is_none() {
                let problem = format!(
                    "`priors`: nobody in the table of people has the value that `where` names for {name}"
                );
                return Err(JobError::new(problem));
            }
            for (own, &other) in among.iter_mut().zip(&column.codes) {
                *own &= Some(other) == code;
            }
        }
        Ok(among)
    }

    /// Whether somebody has this value of a sensitive column of the release, by its position there.
    pub fn has_value(&self, column: usize, text: &str) -> bool {
        let position = self.sensitive.get(column).copied().flatten();
        position.is_some_and(|position| self.table.columns[position].domain.code_of(text).is_some())
    }

    /// What is true of people who are in no release: their values where the table has them.
    pub fn strangers(&self, release: &Published) -> Truth {
        Truth {
            record_of: vec![None; self.table.rows],
            values: self.values(release),
            member: vec![Some(false); self.table.rows],
        }
    }

    /// What is true of the people of the original themselves.
    pub fn members(&self, original: &Original, release: &Published) -> Truth {
        let mut record_of = vec![None; self.table.rows];
        for (published, &record) in (0..).zip(&original.record_of) {
            record_of[record as usize] = Some(published);
        }
        Truth { record_of, values: self.values(release), member: vec![Some(true); self.table.rows] }
    }

    fn values(&self, release: &Published) -> Vec<Vec<Option<u32>>> {
        let of =
            |(own, position): (&privet_release::published::SensitiveColumn, &Option<usize>)| match position {
                Some(position) => {
                    let column = &self.table.columns[*position];
                    let code_of = translate(&column.domain, &own.domain);
                    // A value that is not published is known, and is none of those that are.
                    let outside = own.domain.len() as u32;
                    column.codes.iter().map(|&code| Some(code_of[code as usize].unwrap_or(outside))).collect()
                }
                None => vec![None; self.table.rows],
            };
        release.sensitive.iter().zip(&self.sensitive).map(of).collect()
    }

    /// Whom of these people a prior is about: nobody where this table has not the columns that it goes by.
    pub fn of_prior_where_known(&self, prior: &Prior) -> Vec<bool> {
        self.of_prior(prior).unwrap_or_else(|_| vec![false; self.table.rows])
    }

    /// What is true of people who are found in the original by their name, or, without names, by their values in the shared
    /// columns. A record is somebody's when one person and one record have that name or these values; of several with one name, those
    /// are taken whose values in the shared columns are theirs, and who is alike in all of it has one of the records each. Somebody is in the
    /// data when as many records as people have them, and is not when none has; when some have, but fewer than people, who
    /// of them it is cannot be told, as in a sample of which nobody knows whom it holds.
    pub fn found_in(&self, original: &Original, release: &Published, name: Option<&str>) -> Truth {
        // Values are the same however they are written, by the columns of the original.
        let key = |table: &Table, columns: &[usize], row: usize, same: &[Sameness]| -> Vec<String> {
            let text = |(&position, same): (&usize, &Sameness)| {
                let column: &Column = &table.columns[position];
                match column.domain.is_missing(column.codes[row]) {
                    true => String::new(),
                    false => same.key(column.domain.text(column.codes[row])).into_owned(),
                }
            };
            columns.iter().zip(same).map(text).collect()
        };
        let by_name = match (name.and_then(|name| original.table.position(name)), self.name) {
            (Some(original_name), Some(own_name)) => Some((original_name, own_name)),
            _ => None,
        };
        let shared = || self.shared.iter().map(|own| (original.quasi[own.quasi].position, own.position));
        // Of several with the same name, each is found by the other columns that both tables have.
        let (ours, theirs): (Vec<usize>, Vec<usize>) = by_name.into_iter().chain(shared()).unzip();
        let first = if by_name.is_some() { 1 } else { ours.len() };
        let same: Vec<Sameness> =
            ours.iter().map(|&at| original.table.columns[at].domain.sameness()).collect();
        // Who has no name cannot be found by it.
        let is_named = |table: &Table, columns: &[usize], row: usize| {
            by_name.is_none() || {
                let column = &table.columns[columns[0]];
                !column.domain.is_missing(column.codes[row])
            }
        };
        let mut records: HashMap<Vec<String>, Vec<u32>> = HashMap::new();
        for record in (0..original.table.rows).filter(|&record| is_named(&original.table, &ours, record)) {
            let full = key(&original.table, &ours, record, &same);
            if first < full.len() {
                records.entry(full[..first].to_vec()).or_default().push(record as u32);
            }
            records.entry(full).or_default().push(record as u32);
        }
        let keys: Vec<Option<Vec<String>>> = (0..self.table.rows)
            .map(|person| {
                is_named(&self.table, &theirs, person).then(|| key(&self.table, &theirs, person, &same))
            })
            .collect();
        let mut people: HashMap<&[String], Vec<usize>> = HashMap::new();
        for (person, key) in keys.iter().enumerate() {
            let Some(key) = key else { continue };
            people.entry(key).or_default().push(person);
            if first < key.len() {
                people.entry(&key[..first]).or_default().push(person);
            }
        }
        let found: Vec<(Option<bool>, Option<u32>)> = keys
            .iter()
            .enumerate()
            .map(|(person, key)| {
                let Some(key) = key else { return (None, None) };
                let Some(namesakes) = records.get(&key[..first]) else { return (Some(false), None) };
                let people_of = |key: &[String]| people.get(key).map_or(&[][..], Vec::as_slice);
                if let ([_], [record]) = (people_of(&key[..first]), &namesakes[..]) {
                    return (Some(true), Some(*record));
                }
                // Who is alike in everything that is known of them may be either: one of the records each.
                let alike = people_of(key);
                let own = records.get(key).filter(|own| by_name.is_some() && alike.len() <= own.len());
                let place = alike.iter().position(|own| *own == person);
                match own.zip(place).and_then(|(own, place)| own.get(place)) {
                    Some(record) => (Some(true), Some(*record)),
                    None => ((people_of(&key[..first]).len() <= namesakes.len()).then_some(true), None),
                }
            })
            .collect();
        let mut published_of = vec![None; original.table.rows];
        for (published, &record) in (0..).zip(&original.record_of) {
            published_of[record as usize] = Some(published);
        }
        let values = release
            .sensitive
            .iter()
            .zip(&original.sensitive)
            .map(|(own, &position)| {
                let column = &original.table.columns[position];
                let code_of = translate(&column.domain, &own.domain);
                let outside = own.domain.len() as u32;
                let value = |record: u32| code_of[column.codes[record as usize] as usize].unwrap_or(outside);
                found.iter().map(|(_, record)| record.map(value)).collect()
            })
            .collect();
        Truth {
            record_of: found.iter().map(|(_, record)| published_of[(*record)? as usize]).collect(),
            values,
            member: found.iter().map(|own| own.0).collect(),
        }
    }
}
