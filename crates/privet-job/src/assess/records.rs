//! Attacks on swapped and synthetic records: whose records come out again, who can be found by the nearest, and what the
//! nearest tell of somebody (survey AT-01, AT-02, AT-05, AT-24, AT-31).
//!
//! Published values are values, and need not be anybody's, so people are linked to the nearest records, as to means; where a
//! column was not changed, the person's record has the person's value, and others are ruled out. Linking and record linkage
//! look for the record that came from a person: records that are synthetic in full are nobody's, and have none. Of several
//! copies these take the first, whose records stand for the same people as those of the others; everything else takes all
//! copies together, as an adversary would.
//!
//! # Guarantee
//! The original stands in for what the adversary knows of people, and scores what is concluded; it never helps to conclude.
//! An attack that has no meaning here is refused with the reason. Findings hold no value.

use std::path::Path;

use privet_attack::adversary::{Adversary, Strangers, distances, equal_records, suspects};
use privet_attack::knowledge::{PeopleFile, Strength};
use privet_attack::reproduction::{Control, Equal, membership, reproduction};
use privet_attack::{AttackError, Conclusions, Finding, Found, Knowledge, Whom};
use privet_data::{Column, Progress, Random, Table};
use privet_release::{Published, PublishedRecords};
use privet_report::{Assessment, NotMade};

use super::original::Original;
use super::people::{PeopleTable, equal_values, name_in_original};
use super::perturbed::{Source, other_rows, refuse};
use super::run::sensitive_hierarchies;
use super::stacked::stacked;
use super::{AttackOptions, MOST_RECORDS, write};
use crate::adversary::AdversarySection;
use crate::error::{JobError, RunError};

/// The attacks that are made on such records.
pub(super) const ATTACKS: [&str; 6] =
    ["linking", "homogeneity", "similarity", "record-linkage", "reproduction", "membership"];
/// Those that look for the record that came from a person.
const OF_RECORDS: [&str; 2] = ["linking", "record-linkage"];
/// Those that learn a value from the nearest records.
const OF_VALUES: [&str; 2] = ["homogeneity", "similarity"];
/// Distances between more pairs of a person and a record than this are worked out for a random sample of people.
const MOST_DISTANCES: usize = 200_000_000;
/// The fewest people of a sample.
const FEWEST: usize = 200;

/// Attacks a release of swapped or synthetic records.
pub(super) fn attack(options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    let knowledge = checked(options)?;
    let published = PublishedRecords::open(&options.release, progress)?;
    let Some(path) = &options.original else {
        return Err(JobError::new(
            "--original is needed: swapped and synthetic records are not the people's own, and only the table that they \
             were made from tells whose they come near",
        )
        .at(&options.release)
        .into());
    };
    if options.people.is_some() && published.tables.len() > 1 {
        let problem =
            "has several copies, which are attacked in different ways; --people goes with one table";
        return Err(JobError::new(problem).at(&options.release).into());
    }
    let assessment = assess(options, &knowledge, &published, Source::File(path), progress)?;
    if let Some(path) = &options.report {
        let page = privet_report::owner_perturbed_html(&published.manifest, &assessment);
        write::whole(path, page.as_bytes())?;
    }
    Ok(assessment)
}

/// The attacks that were asked for, or all.
pub(super) fn assess(
    options: &AttackOptions,
    knowledge: &Knowledge,
    published: &PublishedRecords,
    original: Source<'_>,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    let columns = &published.manifest.model.columns;
    let with_role = |role: &str| -> Vec<usize> {
        (0..columns.len()).filter(|&at| columns.get(at).is_some_and(|own| own.role == role)).collect()
    };
    let (quasi, sensitive) = (with_role("quasi"), with_role("sensitive"));
    if quasi.is_empty() {
        let problem = "has no quasi column, so that there is nothing to look for people by";
        return Err(JobError::new(problem).at(&options.release).into());
    }
    let names: Vec<String> = columns.iter().map(|own| own.name.clone()).collect();
    let missing = &published.manifest.model.missing;
    let name = knowledge
        .people
        .as_ref()
        .and_then(name_in_original)
        .filter(|name| !names.iter().any(|own| own == name));
    // The name of people need not be a column of the original.
    let named = name.and_then(|name| {
        let with = [names.as_slice(), &[name.to_owned()]].concat();
        original.table(missing, &with, progress).ok()
    });
    let (table, path) = match named {
        Some(found) => found,
        None => original.table(missing, &names, progress)?,
    };
    check_original(published, &table, &path)?;
    let in_order = published.is_in_order();
    let attacked = Attacked { options, knowledge, published, table, path, in_order };
    attacked.all(&quasi, &sensitive, progress)
}

/// What the adversary knows, when everything that was asked for has a meaning here.
pub(super) fn checked(options: &AttackOptions) -> Result<Knowledge, RunError> {
    let flags = AdversarySection {
        attacks: None,
        confidence: options.confidence,
        max_risk: options.max_risk,
        ..AdversarySection::default()
    };
    flags.check_flags(false)?;
    refuse(
        &[("--job", options.job.is_some()), ("--set", !options.settings.is_empty())],
        "a release of swapped or synthetic ones says by itself which columns are quasi and which sensitive; give the job of `privet randomize` as --original",
    )?;
    if let Some(word) = options.attacks.iter().flatten().find(|word| !ATTACKS.contains(&word.as_str())) {
        let problem = match privet_attack::ATTACKS.iter().any(|own| own.word == word) {
            true => format!("--attacks asks for `{word}`, which reasons about groups of true records"),
            false => "--attacks names an unknown attack".to_owned(),
        };
        let accepted = ATTACKS.map(|word| format!("`{word}`")).join(", ");
        let problem = format!("{problem}; on swapped and synthetic records there are {accepted}");
        return Err(JobError::new(problem).into());
    }
    let Some(path) = &options.knowledge else { return Ok(Knowledge::default()) };
    let own = Knowledge::read(path).map_err(|error| JobError::new(error.problem.clone()).at(&error.path))?;
    if own.time.is_some() {
        let problem = "`[time]` is for releases whose columns have noise, and these records were swapped or made; leave it out";
        return Err(JobError::new(problem).at(path).into());
    }
    let parts = [
        ("job", own.job.is_some()),
        ("records", !own.records.is_empty()),
        ("negations", !own.negations.is_empty()),
        ("priors", !own.priors.is_empty()),
        ("statements", !own.statements.is_empty()),
        ("releases", !own.releases.is_empty()),
        ("rules", own.rules.is_some()),
        ("server", own.server.is_some()),
        ("strength", own.strength != Strength::default()),
        ("known-attributes", own.known_attributes.is_some()),
    ];
    match parts.iter().find(|part| part.1) {
        None => Ok(own),
        Some((part, _)) => Err(JobError::new(format!(
            "`{part}` goes with releases of true records; against swapped and synthetic ones [people] and [control] are used"
        ))
        .at(path)
        .into()),
    }
}

/// A release and its original.
struct Attacked<'a> {
    options: &'a AttackOptions,
    knowledge: &'a Knowledge,
    published: &'a PublishedRecords,
    table: Table,
    path: std::path::PathBuf,
    /// Whether published records stand in the order of the original.
    in_order: bool,
}

impl Attacked<'_> {
    fn is_wanted(&self, word: &str) -> bool {
        self.options.attacks.as_ref().is_none_or(|words| words.iter().any(|own| own == word))
    }

    fn all(
        &self,
        quasi: &[usize],
        sensitive: &[usize],
        progress: &dyn Progress,
    ) -> Result<Assessment, RunError> {
        let mut assessment = Assessment { max_risk: self.options.max_risk, ..Assessment::default() };
        let stacked = stacked(&self.published.tables);
        let is_one = self.published.tables.len() == 1;
        let wanted = |words: &[&str]| -> Vec<String> {
            words.iter().filter(|word| self.is_wanted(word)).map(|word| (*word).to_owned()).collect()
        };
        let (records, values) = (wanted(&OF_RECORDS), wanted(&OF_VALUES));
        if !self.in_order {
            let why = "every record is synthetic and nobody's, so there is no record of a person to be found; `reproduction` \
                       tells whose values come out again";
            assessment.not_made.extend(records.iter().map(|word| not_made(word, why)));
        }
        let first = self.published.tables.first();
        let near = self.nearness(&stacked, progress)?;
        let of_records = first.filter(|_| self.in_order && !is_one);
        if let Some(table) = of_records {
            let found = self.made(table, &records, true, (quasi, sensitive), &[], progress)?;
            add(&mut assessment, found, |_| {});
        }
        let together = match is_one && self.in_order {
            true => [records.as_slice(), &values].concat(),
            false => values,
        };
        let copies = self.published.tables.len();
        let owned = is_one && self.in_order;
        let roles = (quasi, sensitive);
        let found = self.made(&stacked, &together, owned, roles, &near.conclusions, progress)?;
        add(&mut assessment, found, |own| {
            if copies > 1 {
                own.notes.push(format!("Made on all {copies} copies together."));
            }
            if own.control.is_none() {
                own.notes.push(
                    "There is no control: people who are certainly not in the data can be given as [control] in the \
                     knowledge file."
                        .to_owned(),
                );
            }
        });
        let changed = self.published.changed();
        let name_of = |at: &usize| stacked.columns.get(*at).map_or("", |own| own.name.as_str());
        if !quasi.iter().any(|at| changed.contains(&name_of(at))) {
            for own in assessment.attacks.iter_mut().filter(|own| OF_RECORDS.contains(&own.attack)) {
                own.risk = 0.0;
                own.not_counted = Some(
                    "quasi columns are published as they are: whose record it is is no secret, what it holds of other \
                     columns is"
                        .to_owned(),
                );
            }
        }
        assessment.attacks.extend(near.attacks);
        assessment.not_made.extend(near.not_made);
        if self.options.attacks.is_none() {
            let why = "they reason about groups of true records, and these were swapped or made";
            assessment.not_made.push(not_made("all other attacks", why));
        }
        Ok(assessment)
    }

    /// Attacks that link people to the records that agree with them where nothing was changed, and of these to the nearest.
    /// `owned` says whether it is known whose each record is; `near` is what else goes into the file about each person.
    fn made(
        &self,
        table: &Table,
        words: &[String],
        owned: bool,
        (quasi, sensitive): (&[usize], &[usize]),
        near: &[Conclusions],
        progress: &dyn Progress,
    ) -> Result<Assessment, RunError> {
        if words.is_empty() && (self.options.people.is_none() || near.is_empty()) {
            return Ok(Assessment::default());
        }
        let release = Published::of_table(table.clone(), quasi.to_vec(), sensitive.to_vec(), progress)?;
        let mut original = Original::of_table(self.table.clone(), &self.path, None, &release)?;
        if owned {
            original.record_of = (0..table.rows as u32).collect();
        }
        let changed = self.published.changed();
        let is_changed = |name: &str| !self.in_order || changed.contains(&name);
        let read = |file: &PeopleFile| -> Result<PeopleTable, RunError> {
            let table = PeopleTable::read(file, self.knowledge, None, &release, progress)?;
            Ok(table.exact_but(&release, &is_changed))
        };
        let linked = |people: &PeopleTable| {
            suspects(&release, &people.crowd()).map_err(|error| JobError::new(error.to_string()))
        };
        let (people, truth) = match &self.knowledge.people {
            Some(file) => {
                let people = read(file)?;
                let truth = people.found_in(&original, &release, name_in_original(file));
                (people, truth)
            }
            None => {
                let people = PeopleTable::of_original(&original, &release).exact_but(&release, &is_changed);
                let truth = people.members(&original, &release);
                (people, truth)
            }
        };
        let control = match &self.knowledge.control {
            Some(file) => {
                let control = read(file)?;
                let (suspects, truth) = (linked(&control)?, control.strangers(&release));
                Some((control, suspects, truth))
            }
            None => None,
        };
        let found = linked(&people)?;
        let hierarchies = sensitive_hierarchies(&release, None)?;
        // Nothing that is known here is about people by name.
        let nobody = |_: &str| -> Option<u32> { None };
        let adversary = Adversary {
            release: &release,
            crowd: people.crowd(),
            suspects: &found,
            own_table: self.knowledge.people.is_some(),
            truth: Some(&truth),
            control: control.as_ref().map(|(people, suspects, truth)| Strangers {
                crowd: people.crowd(),
                suspects,
                truth,
                of_prior: &[],
                others: &[],
            }),
            hierarchies: &hierarchies,
            knowledge: self.knowledge,
            person: &nobody,
            is_value: &|_, _| false,
            of_prior: &[],
            others: &[],
            minimality: None,
            disclosure: None,
            tracker: None,
            confidence: self.options.confidence,
            seed: self.options.seed,
            most_records: MOST_RECORDS,
        };
        let attacked = adversary.attack(Some(words), progress).map_err(|error| match error {
            AttackError::Cancelled => RunError::Cancelled(privet_data::Cancelled),
            other => JobError::new(other.to_string()).into(),
        })?;
        if let Some(path) = &self.options.people {
            let all = [attacked.conclusions.as_slice(), near].concat();
            write::people(path, &release, Some(&truth), &all, &|person| people.name_of(person))?;
        }
        let mut attacks = attacked.findings;
        let of_changed = |at: &&usize| table.columns.get(**at).is_some_and(|own| is_changed(&own.name));
        let (same, of) = (quasi.len() - quasi.iter().filter(of_changed).count(), quasi.len());
        if same > 0 {
            for own in attacks.iter_mut().filter(|own| own.attack == "linking") {
                own.notes.push(format!(
                    "Of {of} quasi columns {same} are published as they are: in these a record must have the person's value."
                ));
            }
        }
        Ok(Assessment {
            attacks,
            not_made: attacked.not_made.iter().map(|(attack, why)| not_made(attack, why)).collect(),
            ..Assessment::default()
        })
    }

    /// Reproduction and membership: reproduction over every published column, membership over those that the control table
    /// has too.
    fn nearness(&self, stacked: &Table, progress: &dyn Progress) -> Result<Near, RunError> {
        let mut near = Near::default();
        if !self.is_wanted("reproduction") && !self.is_wanted("membership") {
            return Ok(near);
        }
        progress.stage("attacking", None);
        progress.check()?;
        let all = (0..stacked.columns.len()).collect();
        let release = Published::of_table(stacked.clone(), all, Vec::new(), progress)?;
        let control = match &self.knowledge.control {
            Some(file) => {
                let table = PeopleTable::read(file, self.knowledge, None, &release, progress)?;
                Some((table, self.knowledge.resolve(&file.path)))
            }
            None => None,
        };
        let columns = release.quasi.len();
        let known = control.as_ref().map_or(columns, |(control, _)| control.shared().len());
        if self.is_wanted("reproduction") {
            // In fewer columns more records are equal by chance.
            let whole = control.as_ref().filter(|_| known == columns).map(|(control, _)| control);
            let mut found = self.reproduction(&release, whole, progress)?;
            if known < columns {
                found.finding.notes.push(format!(
                    "The control table has {known} of the {columns} published columns, in which more records are equal by \
                     chance, and is not compared with; give one that has all of them."
                ));
            }
            near.add(found);
        }
        progress.check()?;
        if self.is_wanted("membership") {
            let found = match &control {
                Some((control, path)) => self.membership(stacked, control, path, progress)?,
                None => None,
            };
            match found {
                Some(mut found) => {
                    if known < columns {
                        found.finding.notes.push(format!(
                            "The control table has {known} of the {columns} published columns: distances are over these, for \
                             everybody."
                        ));
                    }
                    near.add(found);
                }
                None => {
                    let why = match &control {
                        None => {
                            "it needs people who are certainly not in the data; give [control] in the knowledge file"
                        }
                        Some(_) => "there is nobody in the original, or nobody in the control table",
                    };
                    near.not_made.push(not_made("membership", why));
                }
            }
        }
        Ok(near)
    }

    /// Who the people of the original are in the file about each person: by themselves, or beside those of a table.
    fn whom(&self) -> Whom {
        match self.knowledge.people {
            Some(_) => Whom::Rows,
            None => Whom::People,
        }
    }

    /// Whose records come out again. The control has every published column.
    fn reproduction(
        &self,
        release: &Published,
        control: Option<&PeopleTable>,
        progress: &dyn Progress,
    ) -> Result<Found, RunError> {
        let equal = |release: &Published, people: &PeopleTable| {
            equal_records(release, &people.crowd()).map_err(|error| JobError::new(error.to_string()))
        };
        let original = Original::of_table(self.table.clone(), &self.path, None, release)?;
        let published = equal(release, &PeopleTable::of_original(&original, release))?;
        let positions: Vec<usize> = original.quasi.iter().map(|own| own.position).collect();
        // The original itself, to tell whose values nobody else has.
        let itself = Published::of_table(self.table.clone(), positions, Vec::new(), progress)?;
        let own = Original::of_table(self.table.clone(), &self.path, None, &itself)?;
        let alike = equal(&itself, &PeopleTable::of_original(&own, &itself))?;
        let others: Vec<u64> = alike.iter().map(|alike| alike.saturating_sub(1)).collect();
        let found = Equal { published: &published, others: &others };
        let columns = release.quasi.len();
        Ok(match control {
            Some(control) => {
                let published = equal(release, control)?;
                let others = equal(&itself, &control.beside(None, &itself, &self.path)?)?;
                let equal = Equal { published: &published, others: &others };
                let who = "people of the control table, who are not in the data";
                reproduction(found, Some(Control { equal, who }), columns, self.whom())
            }
            None if self.in_order => {
                let without = self.without_own(release, &original, &published);
                let equal = Equal { published: &without, others: &others };
                let who = "the same people, without the records that came from their own";
                reproduction(found, Some(Control { equal, who }), columns, self.whom())
            }
            None => reproduction(found, None, columns, self.whom()),
        })
    }

    /// Per person how many published records equal theirs, without those that came from their own.
    fn without_own(&self, release: &Published, original: &Original, published: &[u64]) -> Vec<u64> {
        let rows = self.table.rows;
        let is_equal = |record: usize, person: usize| {
            release.quasi.iter().zip(&original.quasi).all(|(&at, own)| {
                let label = release.table.columns.get(at).and_then(|column| column.codes.get(record));
                let value = self.table.columns.get(own.position).and_then(|column| column.codes.get(person));
                label.zip(value).is_some_and(|(&label, &value)| own.coverage.contains(label, value))
            })
        };
        let copies = self.published.tables.len();
        let own =
            |person: usize| (0..copies).filter(|copy| is_equal(copy * rows + person, person)).count() as u64;
        published.iter().enumerate().map(|(person, all)| all.saturating_sub(own(person))).collect()
    }

    /// Membership by the nearest record, of a random sample of people where there are many, over the columns that the control
    /// table has.
    fn membership(
        &self,
        stacked: &Table,
        control: &PeopleTable,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<Option<Found>, RunError> {
        let release = Published::of_table(stacked.clone(), control.shared(), Vec::new(), progress)?;
        let original = Original::of_table(self.table.clone(), &self.path, None, &release)?;
        let people = PeopleTable::of_original(&original, &release);
        let control = control.beside(None, &release, path)?;
        let most = (MOST_DISTANCES / release.groups.len().max(1)).max(FEWEST);
        let sample = |count: usize, stream: u64| {
            let mut chosen: Vec<u32> = (0..count as u32).collect();
            if count > most {
                Random::stream(self.options.seed, stream).shuffle(&mut chosen);
                chosen.truncate(most);
            }
            chosen
        };
        let (crowd, strangers) = (people.crowd(), control.crowd());
        let (members, others) = (sample(crowd.count, 11), sample(strangers.count, 12));
        let near = distances(&release, &crowd, &members);
        let found = membership(&near, &distances(&release, &strangers, &others), self.whom());
        let Some(mut found) = found else { return Ok(None) };
        for (who, made, of) in
            [("people", &members, crowd.count), ("people of the control table", &others, strangers.count)]
        {
            if made.len() < of {
                found.finding.notes.push(format!("Made on a random sample: {} of {of} {who}.", made.len()));
            }
        }
        if members.len() < crowd.count {
            // Lines are of everybody, and of most nothing was worked out.
            found.conclusions = None;
            if self.options.people.is_some() {
                let note = "The file of --people has no lines of it, as it was made on a sample.";
                found.finding.notes.push(note.to_owned());
            }
        }
        Ok(Some(found))
    }
}

/// What reproduction and membership found.
#[derive(Default)]
struct Near {
    attacks: Vec<Finding>,
    conclusions: Vec<Conclusions>,
    not_made: Vec<NotMade>,
}

impl Near {
    fn add(&mut self, found: Found) {
        self.attacks.push(found.finding);
        self.conclusions.extend(found.conclusions);
    }
}

/// Refuses a table that cannot be the original: one without records and, where records stand in its order, one that has not a
/// record for each, with the same values wherever nothing was changed.
pub(super) fn check_original(
    published: &PublishedRecords,
    original: &Table,
    path: &Path,
) -> Result<(), RunError> {
    if original.rows == 0 {
        let problem = "has no record to compare with; give the table that the release was made from";
        return Err(JobError::new(problem).at(path).into());
    }
    if !published.is_in_order() {
        return Ok(());
    }
    let changed = published.changed();
    for table in &published.tables {
        if table.rows != original.rows {
            return Err(other_rows(original.rows, table.rows, path));
        }
        for own in table.columns.iter().filter(|own| !changed.contains(&own.name.as_str())) {
            let Some(theirs) = original.column(&own.name) else { continue };
            must_be_same(own, theirs, path)?;
        }
    }
    Ok(())
}

/// Refuses an original that differs from a column that was published as it was.
pub(super) fn must_be_same(own: &Column, theirs: &Column, path: &Path) -> Result<(), RunError> {
    if is_same(own, theirs) {
        return Ok(());
    }
    let problem = format!(
        "is not the original of this release, or its records stand in another order: column {} was not changed, and a \
         published record differs in it; give the table that the release was made from, as it was",
        own.name
    );
    Err(JobError::new(problem).at(path).into())
}

/// Whether two columns have the same value in every record.
pub(super) fn is_same(own: &Column, theirs: &Column) -> bool {
    let same = equal_values(&own.domain, &theirs.domain);
    own.codes.iter().zip(&theirs.codes).all(|(&label, &value)| {
        same.contains(label, value) || (own.domain.is_missing(label) && theirs.domain.is_missing(value))
    })
}

fn not_made(word: &str, why: &str) -> NotMade {
    NotMade { attack: word.to_owned(), why: why.to_owned() }
}

fn add(assessment: &mut Assessment, found: Assessment, change: impl Fn(&mut Finding)) {
    assessment.attacks.extend(found.attacks.into_iter().map(|mut own| {
        change(&mut own);
        own
    }));
    assessment.not_made.extend(found.not_made);
}
