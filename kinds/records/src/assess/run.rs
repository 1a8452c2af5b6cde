//! Making attacks: the people who are looked for, what is true of them, the control, and the other releases are read and put
//! together into the adversary.

use std::path::Path;

use privet_attack::adversary::{
    Adversary, Attacked, Elsewhere, Other, Risk, Standing, Strangers, standing, suspects,
};
use privet_attack::ids;
use privet_attack::knowledge::PeopleFile;
use privet_attack::three_risks::{OwnRecords, WORDS};
use privet_attack::{AttackError, Finding, Knowledge, Note, Suspects, Truth};
use privet_data::Progress;
use privet_release::Published;
use privet_release::published::open_labels;
use privet_report::{Assessment, NotMade};

use super::minimality::{self, List, Who};
use super::original::{Given, JobAt, Original, recoding};
use super::people::{PeopleTable, name_in_original, shows_points};
use super::three_risks::{self, Sides};
use super::{known, known_columns, sensitive_hierarchies, tracker, write};
use crate::error::{JobError, RunError};

/// How attacks are to be made.
pub(crate) struct Settings<'a> {
    pub attacks: Option<&'a [String]>,
    /// Those of them that somebody asked for by name.
    pub named: Option<&'a [String]>,
    pub confidence: f64,
    pub max_risk: Option<f64>,
    pub max_absolute_risk: Option<f64>,
    pub seed: u64,
    /// deFinetti's attack is made on at most so many records.
    pub most_records: usize,
    /// The file that says what the adversary knows, to name it where it is wrong.
    pub knowledge: Option<&'a Path>,
    /// Where to write what is concluded about each person.
    pub people: Option<&'a Path>,
}

impl Settings<'_> {
    fn is_limited(&self) -> bool {
        self.max_risk.is_some() || self.max_absolute_risk.is_some()
    }

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
    // Whoever knows insensitive columns too goes by them; what was published for others is as it was.
    let (narrow, narrow_original) = (release, original);
    let cells = match &knowledge.people {
        Some(file) => Some((file, PeopleTable::cells(file, knowledge, job, release, progress)?)),
        None => None,
    };
    let wide = match &cells {
        Some((file, cells)) => known_columns::wide_to(release, cells, file, progress)?,
        None => None,
    };
    let wide_original = wide.as_ref().zip(original).map(|(wide, own)| own.knowing(wide)).transpose()?;
    let release = wide.as_ref().unwrap_or(release);
    let original = wide_original.as_ref().or(original);
    // Whom the adversary looks for: a table, those of the original, or, knowing nobody, the records themselves.
    let table = match (&cells, original) {
        (Some((file, cells)), _) => Some(PeopleTable::of_file(cells.clone(), file, knowledge, job, release)?),
        (None, Some(original)) => Some(PeopleTable::of_original(original, release)),
        (None, None) => None,
    };
    let truth: Option<Truth> = match (&table, original, &knowledge.people) {
        (Some(table), Some(original), Some(_)) => Some(table.found_in(original, release, name)),
        (Some(table), Some(original), None) => Some(table.members(original, release)),
        (None, _, _) => records_as_people(release),
        _ => None,
    };
    if knowledge.people.is_some() {
        let problem = "`people`: the list holds nobody; give a table with a row for each person";
        if table.as_ref().is_some_and(|own| own.count() == 0) {
            return Err(settings.wrong(problem).into());
        }
        let problem = "`people`: nobody of the list is found in the original, so that there is nobody to judge; write their columns as \
                       in the data, or give the list as [control] if it is of people who are not in the data";
        if truth.as_ref().is_some_and(|own| own.member.iter().all(|member| *member == Some(false))) {
            return Err(settings.wrong(problem).into());
        }
    }
    let linked = |release: &Published, table: &PeopleTable| {
        suspects(release, &table.crowd()).map_err(|error| JobError::new(error.to_string()))
    };
    let people: Suspects = match &table {
        Some(table) => linked(release, table)?,
        None => Suspects::in_groups(release.group_of.iter().map(|&group| Some(group)), &release.groups),
    };
    let names = table.as_ref().map(PeopleTable::by_name).unwrap_or_default();
    let person = |name: &str| names.get(name).copied().flatten();
    // What was suppressed is known from the original, or from a list that says what people have.
    let is_value = |column: usize, text: &str| {
        let in_original =
            original.and_then(|own| Some(&own.table.columns[*own.sensitive.get(column)?].domain));
        in_original.is_some_and(|own| own.code_of(text).is_some())
            || table.as_ref().is_some_and(|own| own.has_value(column, text))
    };
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
    let target = release;
    let others: Vec<Other<'_>> = releases
        .iter()
        .zip(&knowledge.releases)
        .map(|((release, suspects, standing, leaves_nobody_out), own)| Other {
            release,
            suspects: suspects.clone(),
            standing: standing.clone(),
            independent: own.independent,
            is_whole: is_whole(release),
            holds_all: *leaves_nobody_out
                && (own.same_table == Some(true) || (own.is_of_same_table() && has_as_many(target, release))),
        })
        .collect();
    let hierarchies = sensitive_hierarchies(release, job)?;
    let small = table.as_ref().is_some_and(|own| own.count() <= minimality::QUICK);
    let asked_for = |word: &str| settings.attacks.is_some_and(|words| words.iter().any(|own| own == word));
    let is_offered = |word: &str| small || asked_for(word);
    // The search knew nothing of who would be known by which columns: its worlds are those of the quasi columns alone.
    let narrow_list = match (&wide, &cells) {
        (Some(_), Some((file, cells)))
            if [ids::MINIMALITY, ids::DISCLOSURE_SETS].into_iter().any(is_offered) =>
        {
            let list = PeopleTable::of_file(cells.clone(), file, knowledge, job, narrow)?;
            let suspects = linked(narrow, &list)?;
            Some((list, suspects))
        }
        _ => None,
    };
    // A list is all that is known of who is in the data; what the original says besides is for scoring.
    let who = match (&table, narrow_original, &knowledge.people) {
        (Some(list), _, Some(_)) => {
            let (people, suspects) =
                narrow_list.as_ref().map_or((list, &people), |(list, suspects)| (list, suspects));
            Some(Who::List(List { people, suspects, truth: truth.as_ref() }))
        }
        (_, Some(original), None) => Some(Who::Original(original)),
        _ => None,
    };
    // The searches that it runs again know nothing of values that are known.
    let knows_values = knowledge.people.as_ref().is_some_and(|file| !file.known.is_empty());
    let refused = |_: usize| {
        let why = "the search that it runs again knows nothing of values that are known; leave `known` out of [people]";
        Err(AttackError::Needs(why.to_owned()))
    };
    let worlds = job.zip(who).map(|(job, who)| minimality::Again::new(job, narrow, who, settings));
    let minimal = |column: usize| worlds.as_ref().map_or(Ok(None), |own| own.minimality(column, progress));
    let disclosed = |column: usize| worlds.as_ref().map_or(Ok(None), |own| own.disclosure(column, progress));
    let offered = |word: &str| worlds.is_some() && is_offered(word);
    let server = knowledge.server.as_ref().zip(original);
    let tracked = |column: usize| match server {
        Some((server, original)) => tracker::attack(server, original, release, column, settings, progress),
        None => Ok(None),
    };
    let came_from = original.map(|own| three_risks::inverted(&own.record_of, own.table.rows));
    let own_record = |person: u32| -> Vec<u32> {
        let record = came_from.as_ref().and_then(|own| own.get(person as usize).copied().flatten());
        record.into_iter().collect()
    };
    let is_known = original.is_some_and(|own| !own.record_of.is_empty());
    let wants_risks = settings.attacks.is_none() || WORDS.into_iter().any(asked_for);
    let not_made = three_risks::not_of_buckets(release);
    let sides = match original.filter(|_| wants_risks && not_made.is_none()) {
        Some(original) => {
            let (job, missing) = (job, three_risks::missing_of(release, job)?);
            let own = is_known.then_some(&own_record as &OwnRecords<'_>);
            let given =
                three_risks::Given { release, original: &original.table, job, knowledge, missing, own };
            Some(Sides::new(given, progress)?)
        }
        None => None,
    };
    let risks = |word: &str| match (&sides, not_made) {
        (Some(sides), _) => sides.asked(settings.seed, asked_for(word)).attack(word, progress),
        (None, Some(why)) => Err(AttackError::Needs(why.to_owned())),
        (None, None) => Ok(Vec::new()),
    };
    let adversary = Adversary {
        risks: original.is_some().then_some(&risks as &Risk<'_>),
        minimality: match knows_values {
            true => Some(&refused as &Elsewhere<'_>),
            false => offered(ids::MINIMALITY).then_some(&minimal as &Elsewhere<'_>),
        },
        disclosure: match knows_values {
            true => Some(&refused as &Elsewhere<'_>),
            false => offered(ids::DISCLOSURE_SETS).then_some(&disclosed as &Elsewhere<'_>),
        },
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
        is_value: &is_value,
        of_prior: &of_prior,
        others: &others,
        confidence: settings.confidence,
        seed: settings.seed,
        most_records: settings.most_records,
    };
    let mut attacked = adversary.attack(settings.attacks, progress).map_err(|error| match error {
        AttackError::Cancelled => RunError::Cancelled(privet_data::Cancelled),
        AttackError::Knowledge(problem) => settings.wrong(problem).into(),
        other => JobError::new(other.to_string()).into(),
    })?;
    check_limit(&attacked, settings)?;
    // What excludes nobody makes a release look safer than it is to somebody who knows the hierarchy.
    if let (None, Some(_), Some(first)) = (job, &table, attacked.findings.first_mut()) {
        let named = names_alone(release, original.filter(|_| knowledge.people.is_none()));
        if !named.is_empty() {
            first.notes.push(Note::of_original(format!(
                "Some labels of `{}` are names that exclude nobody here; whoever knows the hierarchy does better: give the job with --job.",
                named.join("`, `")
            )));
        }
    }
    if let (Some((file, cells)), Some(first)) = (&cells, attacked.findings.first_mut()) {
        first.notes.extend(known_columns::notes(narrow, wide.as_ref(), cells, file));
    }
    let fits_nobody = (0..people.people() as u32).all(|person| people.places_of(person).is_empty());
    let must_fit = settings.is_limited() || original.is_none() && release.table.rows > 0;
    if must_fit && knowledge.people.is_some() && fits_nobody {
        let problem = "no published record fits anybody of the people, so that nothing shows what an attack would find: are their \
                       columns written as in the data?";
        return Err(settings.wrong(problem).into());
    }
    if let Some(path) = settings.people {
        let name_of = |person: u32| {
            table.as_ref().map_or_else(|| (person + 1).to_string(), |table| table.name_of(person))
        };
        write::people(path, release, truth.as_ref(), &attacked.conclusions, &name_of)?;
    }
    // What is asked for by name counts; without names what the knowledge has is asked for.
    let is_asked = |word: &str| match settings.named {
        Some(names) => names.iter().any(|own| own == word),
        None => knowledge.asks_for(word),
    };
    let blocked = attacked.blocked.into_iter().filter(|own| is_asked(own.attack));
    let blocked = blocked.map(|own| NotMade::new(own.attack, own.why).on(own.column));
    Ok(Assessment {
        blocked: blocked.collect(),
        attacks: attacked.findings,
        not_made: attacked.not_made.into_iter().map(|(attack, why)| NotMade::new(attack, why)).collect(),
        max_risk: settings.max_risk,
        max_absolute_risk: settings.max_absolute_risk,
        ..Assessment::default()
    })
}

/// The quasi columns with labels that exclude nobody to whoever has not the hierarchy. Beside the original, labels that are
/// values are known for that.
fn names_alone<'a>(release: &'a Published, beside: Option<&Original>) -> Vec<&'a str> {
    let is_open = |&own: &usize| {
        let published = &release.table.columns[own];
        match beside {
            None => !shows_points(release, own) && open_labels(&published.domain, recoding(release, own)) > 0,
            Some(original) => original.unread.contains(&published.name),
        }
    };
    let quasi = release.quasi.iter().copied().filter(|_| release.manifest.is_some());
    quasi.filter(is_open).map(|own| release.table.columns[own].name.as_str()).collect()
}

/// A limit is kept only where the attacks that count were made on somebody.
fn check_limit(attacked: &Attacked, settings: &Settings<'_>) -> Result<(), RunError> {
    if !settings.is_limited() {
        return Ok(());
    }
    let judges_nobody = |own: &&Finding| own.not_counted.is_none() && own.exposed.of == 0;
    if let Some(finding) = attacked.findings.iter().find(judges_nobody) {
        return Err(settings
            .wrong(format!(
                "`{}` has nobody to judge, so that nothing shows that the limit is kept: nobody of the people is found in the data, or \
                 of all of them everything is known beforehand; are they called as they are there?",
                finding.attack
            ))
            .into());
    }
    Ok(())
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
        if self.table.is_same(people) {
            return Err("`control`: it is the table of the people who are attacked; give people who are not in the data".to_owned());
        }
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

/// Other releases, where the same people may stand in each, and whether it leaves out nobody who fits it.
type OtherReleases = Vec<(Published, Suspects, Standing, bool)>;

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
            Some(path) => Some(Given::of_job(&knowledge.resolve(path), &[])?),
            None => None,
        };
        let job = given.as_ref().and_then(Given::job);
        let Some(people) = people else {
            return Err(JobError::new(
                "`releases` need people to be put together by: give [people] or the original",
            )
            .into());
        };
        let wide = people.wide(&release, progress)?;
        let release = wide.unwrap_or(release);
        let linked = |table: &PeopleTable| -> Result<(Suspects, PeopleTable), RunError> {
            let table = table.beside(job, &release, &folder)?;
            let own = suspects(&release, &table.crowd()).map_err(|error| JobError::new(error.to_string()))?;
            Ok((own, table))
        };
        let (own, table) = linked(people)?;
        if let Some(control) = control {
            of_control.push(linked(&control.table)?.0);
        }
        let leaves_nobody_out = leaves_nobody_out(&release, job.is_some() && table.knows_all(&release));
        let standing = standing(&release, &table.crowd(), &own);
        others.push((release, own, standing, leaves_nobody_out));
    }
    Ok((others, of_control))
}

/// Whether nobody of its table was left out: it was not drawn from the table, and nothing was suppressed.
fn is_whole(release: &Published) -> bool {
    release.manifest.as_ref().is_some_and(|own| own.data.sample.is_none() && own.data.suppressed == 0)
}

/// Whether both may be of the same table: it has as many records. What a sample was drawn from may have any number.
fn has_as_many(release: &Published, other: &Published) -> bool {
    let data = |own: &Published| {
        own.manifest.as_ref().map(|manifest| (manifest.data.input_rows, manifest.data.sample.is_some()))
    };
    match (data(release), data(other)) {
        (Some((rows, is_sample)), Some((others, _))) => is_sample || rows == others,
        _ => true,
    }
}

/// Whether everybody of the table who fits a published group has a record in the release: it was not drawn from the table, and
/// nothing was suppressed. Where something was, whose record it is fits no label when records with equal values are published alike
/// and all these values and hierarchies are known.
fn leaves_nobody_out(release: &Published, knows_all: bool) -> bool {
    let Some(data) = release.manifest.as_ref().map(|manifest| &manifest.data) else { return false };
    let mut recodings = data.columns.iter().filter_map(|column| column.recoding.as_ref());
    let alike = recodings.all(|own| match &own.nodes {
        Some(nodes) => matches!(nodes.kind.as_str(), "cut" | "ranges"),
        None => own.level.is_some(),
    });
    data.sample.is_none() && (data.suppressed == 0 || (alike && !release.shows_identities() && knows_all))
}
