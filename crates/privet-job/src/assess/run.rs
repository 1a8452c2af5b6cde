//! Making attacks: the people who are looked for, what is true of them, the control, and the other releases are read and put
//! together into the adversary.

use std::path::Path;

use privet_attack::adversary::{Adversary, Elsewhere, Other, Strangers, suspects};
use privet_attack::knowledge::PeopleFile;
use privet_attack::{AttackError, Knowledge, Suspects, Truth};
use privet_data::{Hierarchy, Progress};
use privet_release::Published;
use privet_report::{Assessment, NotMade};

use super::original::{Given, JobAt, Original};
use super::people::{PeopleTable, name_in_original};
use super::{known, minimality, tracker, write};
use crate::error::{JobError, RunError};

/// How attacks are to be made.
pub(crate) struct Settings<'a> {
    pub attacks: Option<&'a [String]>,
    pub confidence: f64,
    pub max_risk: Option<f64>,
    pub seed: u64,
    /// deFinetti's attack is made on at most so many records.
    pub most_records: usize,
    /// The file that says what the adversary knows, to name it where it is wrong.
    pub knowledge: Option<&'a Path>,
    /// Where to write what is concluded about each person.
    pub people: Option<&'a Path>,
}

impl Settings<'_> {
    /// A mistake in the knowledge.
    fn wrong(&self, problem: impl Into<String>) -> JobError {
        let error = JobError::new(problem);
        match self.knowledge {
            Some(path) => error.at(path),
            None => error,
        }
    }
}

/// Makes attacks on a release, and scores them by the original where it is at hand.
pub(crate) fn run_attacks(
    release: &Published,
    original: Option<&Original>,
    knowledge: &Knowledge,
    job: Option<JobAt<'_>>,
    settings: &Settings<'_>,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    if knowledge.time.is_some() {
        let problem =
            "`[time]` is for perturbed releases (`privet randomize`), and this is none; leave it out";
        return Err(settings.wrong(problem).into());
    }
    known::check_values(knowledge, release, original).map_err(|problem| settings.wrong(problem))?;
    let name = knowledge.people.as_ref().and_then(name_in_original);
    // Whom the adversary looks for: a table, those of the original, or, knowing nobody, the records themselves.
    let table = match (&knowledge.people, original) {
        (Some(file), _) => Some(PeopleTable::read(file, knowledge, job, release, progress)?),
        (None, Some(original)) => Some(PeopleTable::of_original(original, release)),
        (None, None) => None,
    };
    let truth: Option<Truth> = match (&table, original, &knowledge.people) {
        (Some(table), Some(original), Some(_)) => Some(table.found_in(original, release, name)),
        (Some(table), Some(original), None) => Some(table.members(original, release)),
        (None, _, _) => records_as_people(release),
        _ => None,
    };
    let linked = |release: &Published, table: &PeopleTable| {
        suspects(release, &table.crowd()).map_err(|error| JobError::new(error.to_string()))
    };
    let people: Suspects = match &table {
        Some(table) => linked(release, table)?,
        None => Suspects::in_groups(release.group_of.iter().map(|&group| Some(group)), &release.groups),
    };
    let names = table.as_ref().map(PeopleTable::by_name).unwrap_or_default();
    let person = |name: &str| names.get(name).copied().flatten();
    let of_prior: Vec<Vec<bool>> = knowledge
        .priors
        .iter()
        .map(|prior| match &table {
            Some(table) => table.of_prior(prior),
            None => Ok(vec![prior.of.is_empty(); people.people()]),
        })
        .collect::<Result<_, _>>()?;
    let control = match &knowledge.control {
        Some(file) => Some(ControlTable::read(file, knowledge, job, release, progress)?),
        None => None,
    };
    if let (Some(control), Some(people), Some(truth)) = (&control, &table, &truth) {
        control.must_be_strangers(people, truth).map_err(|problem| settings.wrong(problem))?;
    }
    let (releases, of_control) = other_releases(knowledge, table.as_ref(), control.as_ref(), progress)?;
    let others: Vec<Other<'_>> = releases
        .iter()
        .zip(&knowledge.releases)
        .map(|((release, suspects), own)| Other {
            release,
            suspects: suspects.clone(),
            independent: own.independent,
        })
        .collect();
    let hierarchies = sensitive_hierarchies(release, job)?;
    let small = original.is_some_and(|own| own.table.rows <= minimality::QUICK);
    let asked_for = |word: &str| settings.attacks.is_some_and(|words| words.iter().any(|own| own == word));
    let again = job.filter(|_| original.is_some());
    let worlds = again.map(|job| minimality::Again::new(job, release, settings, knowledge.people.is_none()));
    let minimal = |column: usize| worlds.as_ref().map_or(Ok(None), |own| own.minimality(column, progress));
    let disclosed = |column: usize| worlds.as_ref().map_or(Ok(None), |own| own.disclosure(column, progress));
    let offered = |word: &str| worlds.is_some() && (small || asked_for(word));
    let server = knowledge.server.as_ref().zip(original);
    let tracked = |column: usize| match server {
        Some((server, original)) => tracker::attack(server, original, release, column, settings, progress),
        None => Ok(None),
    };
    let adversary = Adversary {
        minimality: offered("minimality").then_some(&minimal as &Elsewhere<'_>),
        disclosure: offered("disclosure-sets").then_some(&disclosed as &Elsewhere<'_>),
        tracker: server.map(|_| &tracked as &Elsewhere<'_>),
        release,
        crowd: table.as_ref().map(PeopleTable::crowd).unwrap_or_default(),
        suspects: &people,
        own_table: knowledge.people.is_some(),
        truth: truth.as_ref(),
        control: control.as_ref().map(|own| own.strangers(&of_control)),
        hierarchies: &hierarchies,
        knowledge,
        person: &person,
        of_prior: &of_prior,
        others: &others,
        confidence: settings.confidence,
        seed: settings.seed,
        most_records: settings.most_records,
    };
    let attacked = adversary.attack(settings.attacks, progress).map_err(|error| match error {
        AttackError::Cancelled => RunError::Cancelled(privet_data::Cancelled),
        AttackError::Knowledge(problem) => settings.wrong(problem).into(),
        other => JobError::new(other.to_string()).into(),
    })?;
    if let Some(path) = settings.people {
        let name_of = |person: u32| {
            table.as_ref().map_or_else(|| (person + 1).to_string(), |table| table.name_of(person))
        };
        write::people(path, release, truth.as_ref(), &attacked.conclusions, &name_of)?;
    }
    Ok(Assessment {
        attacks: attacked.findings,
        not_made: attacked
            .not_made
            .into_iter()
            .map(|(attack, why)| NotMade { attack: attack.to_owned(), why })
            .collect(),
        max_risk: settings.max_risk,
        ..Assessment::default()
    })
}

/// Knowing nobody, the adversary looks at records: what is true of a record is what is published with it.
fn records_as_people(release: &Published) -> Option<Truth> {
    if release.sensitive.iter().any(|column| column.codes.is_none()) {
        return None;
    }
    let value = |column: &privet_release::published::SensitiveColumn| {
        column.codes.iter().flatten().map(|&code| Some(code)).collect()
    };
    Some(Truth {
        record_of: (0..release.table.rows as u32).map(Some).collect(),
        values: release.sensitive.iter().map(value).collect(),
        member: vec![Some(true); release.table.rows],
    })
}

/// A table of people who are certainly not in the data.
struct ControlTable {
    table: PeopleTable,
    suspects: Suspects,
    truth: Truth,
    of_prior: Vec<Vec<bool>>,
}

impl ControlTable {
    fn read(
        file: &PeopleFile,
        knowledge: &Knowledge,
        job: Option<JobAt<'_>>,
        release: &Published,
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        let table = PeopleTable::read(file, knowledge, job, release, progress)?;
        let suspects = suspects(release, &table.crowd()).map_err(|error| JobError::new(error.to_string()))?;
        let of_prior = knowledge.priors.iter().map(|prior| table.of_prior_where_known(prior)).collect();
        Ok(Self { truth: table.strangers(release), table, suspects, of_prior })
    }

    /// Who has the name of somebody in the data is no stranger to it, and would make the control look like the attack.
    fn must_be_strangers(&self, people: &PeopleTable, truth: &Truth) -> Result<(), String> {
        let is_there = |person: u32| truth.record_of.get(person as usize).copied().flatten().is_some();
        // Without names people are called by the numbers of their records, which say nothing.
        if !self.table.has_names() || !people.has_names() {
            return Ok(());
        }
        let (own, names) = (self.table.by_name(), people.by_name());
        let same = own.keys().filter(|name| names.get(*name).copied().flatten().is_some_and(is_there));
        match same.count() {
            0 => Ok(()),
            1 => {
                Err("`control`: one of its people has the name of somebody in the data; take them out"
                    .to_owned())
            }
            several => Err(format!(
                "`control`: {several} of its people have names of people in the data; take them out"
            )),
        }
    }

    fn strangers<'a>(&'a self, others: &'a [Suspects]) -> Strangers<'a> {
        let Self { table, suspects, truth, of_prior } = self;
        Strangers { crowd: table.crowd(), suspects, truth, of_prior, others }
    }
}

/// Other releases, and where the same people may stand in each.
type OtherReleases = Vec<(Published, Suspects)>;

/// Other releases with the people, and where those of the control table may stand.
fn other_releases(
    knowledge: &Knowledge,
    people: Option<&PeopleTable>,
    control: Option<&ControlTable>,
    progress: &dyn Progress,
) -> Result<(OtherReleases, Vec<Suspects>), RunError> {
    let (mut others, mut of_control) = (Vec::new(), Vec::new());
    for other in &knowledge.releases {
        let folder = knowledge.resolve(&other.folder);
        let release = Published::open(&folder, progress)?;
        let given = match &other.job {
            Some(path) => Some(Given::of_job(&knowledge.resolve(path))?),
            None => None,
        };
        let job = given.as_ref().and_then(Given::job);
        let Some(people) = people else {
            return Err(JobError::new(
                "`releases` need people to be put together by: give [people] or the original",
            )
            .into());
        };
        let linked = |table: &PeopleTable| -> Result<Suspects, RunError> {
            let table = table.beside(job, &release, &folder)?;
            Ok(suspects(&release, &table.crowd()).map_err(|error| JobError::new(error.to_string()))?)
        };
        let own = linked(people)?;
        if let Some(control) = control {
            of_control.push(linked(&control.table)?);
        }
        others.push((release, own));
    }
    Ok((others, of_control))
}

/// The hierarchies of the sensitive columns.
pub(super) fn sensitive_hierarchies(
    release: &Published,
    job: Option<JobAt<'_>>,
) -> Result<Vec<Option<Hierarchy>>, RunError> {
    let Some(job) = job else { return Ok(vec![None; release.sensitive.len()]) };
    let of = |column: &privet_release::published::SensitiveColumn| {
        let counts = column.histograms.total(column.domain.len());
        job.hierarchy(&column.name, &column.domain, &counts)
    };
    release.sensitive.iter().map(of).collect()
}
