//! Attacks on swapped and synthetic records: whose records come out again, who can be found by the nearest, and what the
//! nearest tell of somebody (survey AT-01, AT-02, AT-05, AT-24, AT-31).
//!
//! Published values are values, and need not be anybody's, so people are linked to the nearest records, as to means; where a
//! column was not changed, the person's record has the person's value, and others are ruled out. Linking and record linkage
//! look for the record that came from a person: records that are synthetic in full are nobody's, and have none. Of several
//! copies these take the first, whose records stand for the same people as those of the others; everything else takes all
//! copies together, as an adversary would. Tables that somebody else made, and condensed ones, come here too (`made.rs`).
//!
//! # Guarantee
//! The original stands in for what the adversary knows of people, and scores what is concluded; it never helps to conclude.
//! An attack that has no meaning here is refused with the reason. Findings hold no value.

use std::path::Path;

use privet_attack::adversary::{Adversary, Beside, INSENSITIVE, Strangers, alone, suspects};
use privet_attack::ids;
use privet_attack::knowledge::{PeopleFile, Strength};
use privet_attack::three_risks::{OwnRecords, WORDS};
use privet_attack::{AttackError, Conclusions, Finding, Knowledge, Note};
use privet_data::io::{ReadOptions, read};
use privet_data::{Column, Progress, Table};
use privet_release::{Published, PublishedRecords};
use privet_report::{Assessment, NotMade};

use super::made::MadeRecords;
use super::original::Original;
use super::people::{PeopleTable, equal_values, name_in_original};
use super::perturbed::{Source, other_rows, refuse};
use super::sensitive_hierarchies;
use super::stacked::stacked;
use super::three_risks::{self, Sides};
use super::{AttackOptions, MOST_RECORDS, write};
use crate::adversary::AdversarySection;
use crate::error::{JobError, RunError};

/// The attacks that are made on such records.
pub(super) const ATTACKS: [&str; 12] = [
    ids::LINKING,
    INSENSITIVE,
    ids::HOMOGENEITY,
    ids::SIMILARITY,
    ids::RECORD_LINKAGE,
    ids::REPRODUCTION,
    ids::MEMBERSHIP,
    ids::SINGLING_OUT,
    ids::SINGLING_OUT_UNIVARIATE,
    ids::LINKABILITY,
    ids::INFERENCE,
    ids::CLOSEST_RECORD,
];
/// Those that look for the record that came from a person.
const OF_RECORDS: [&str; 2] = [ids::LINKING, ids::RECORD_LINKAGE];
/// Those that learn a value from the nearest records.
const OF_VALUES: [&str; 2] = [ids::HOMOGENEITY, ids::SIMILARITY];

/// Attacks a release of swapped or synthetic records.
pub(crate) fn attack(options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    let knowledge = checked(options)?;
    let published = PublishedRecords::of(&options.manifest()?, progress)?;
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
    let made = MadeRecords::of(&published);
    let assessment = assess(options, &knowledge, &made, Source::File(path), progress)?;
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
    published: &MadeRecords<'_>,
    original: Source<'_>,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    let columns = &published.columns;
    let with_role = |role: &str| -> Vec<usize> {
        (0..columns.len()).filter(|&at| columns.get(at).is_some_and(|own| own.1 == role)).collect()
    };
    let (mut quasi, mut sensitive) = (with_role("quasi"), with_role("sensitive"));
    if let Some(file) = &knowledge.people {
        // What the table of people has is known, whatever the job says of who knows it.
        let people = read(&knowledge.resolve(&file.path), &ReadOptions::default(), progress)?.table;
        let is_known = |&at: &usize| {
            let ours = columns.get(at).map_or("", |own| own.0);
            people.position(file.columns.get(ours).map_or(ours, String::as_str)).is_some()
        };
        quasi.extend(with_role("insensitive").into_iter().filter(is_known));
        let name = |at: &usize| columns.get(*at).map_or("", |own| own.0);
        if let Some(other) =
            file.known.iter().find(|own| !sensitive.iter().any(|at| name(at) == **own && is_known(at)))
        {
            let problem = format!(
                "`known` of [people] names {other}, which is no sensitive column that both the records and the table have"
            );
            return Err(JobError::new(problem).into());
        }
        let (known, secret) = sensitive.iter().partition(|at| file.known.iter().any(|own| own == name(at)));
        quasi.extend::<Vec<usize>>(known);
        sensitive = secret;
    }
    if quasi.is_empty() {
        let problem = "has no quasi column, so there is nothing to find people by";
        return Err(JobError::new(problem).at(&options.release).into());
    }
    let names: Vec<String> = columns.iter().map(|own| own.0.to_owned()).collect();
    let missing = &published.missing;
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
    let attacked = Attacked { options, knowledge, published, table, path };
    attacked.all(&quasi, &sensitive, progress)
}

/// What the adversary knows, when everything that was asked for has a meaning here.
pub(super) fn checked(options: &AttackOptions) -> Result<Knowledge, RunError> {
    let flags = AdversarySection {
        attacks: None,
        confidence: options.confidence,
        max_risk: options.max_risk,
        max_absolute_risk: options.max_absolute_risk,
        ..AdversarySection::default()
    };
    flags.check_flags(false)?;
    refuse(
        &[("--job", options.job.is_some()), ("--set", !options.settings.is_empty())],
        "a release of swapped or synthetic ones says by itself which columns are quasi and which sensitive; give the job of `privet randomize` as --original",
    )?;
    check_words(options)?;
    knowledge(options, false)
}

/// Refuses attacks that are not made on such records.
pub(super) fn check_words(options: &AttackOptions) -> Result<(), RunError> {
    if let Some(word) = options.attacks.iter().flatten().find(|word| !ATTACKS.contains(&word.as_str())) {
        let problem = match privet_attack::ATTACKS.iter().any(|own| own.word == word) {
            true => format!("--attacks asks for `{word}`, which reasons about groups of true records"),
            false => "--attacks names an unknown attack".to_owned(),
        };
        let accepted = ATTACKS.map(|word| format!("`{word}`")).join(", ");
        let problem = format!("{problem}; on swapped and synthetic records there are {accepted}");
        return Err(JobError::new(problem).into());
    }
    Ok(())
}

/// What the adversary knows, when all of it has a meaning here. With `has_job` it may name the job, which says what columns are.
pub(super) fn knowledge(options: &AttackOptions, has_job: bool) -> Result<Knowledge, RunError> {
    let Some(path) = &options.knowledge else { return Ok(Knowledge::default()) };
    let own = Knowledge::read(path).map_err(|error| JobError::new(error.problem.clone()).at(&error.path))?;
    if own.time.is_some() {
        let problem = "`[time]` is for releases whose columns have noise, and these records were swapped or made; leave it out";
        return Err(JobError::new(problem).at(path).into());
    }
    let parts = [
        ("job", own.job.is_some() && !has_job),
        ("records", !own.records.is_empty()),
        ("negations", !own.negations.is_empty()),
        ("priors", !own.priors.is_empty()),
        ("statements", !own.statements.is_empty()),
        ("releases", !own.releases.is_empty()),
        ("rules", own.rules.is_some()),
        ("server", own.server.is_some()),
        ("strength", own.strength != Strength::default()),
        (ids::KNOWN_ATTRIBUTES, own.known_attributes.is_some()),
    ];
    match parts.iter().find(|part| part.1) {
        None => Ok(own),
        Some((part, _)) => Err(JobError::new(format!(
            "`{part}` goes with releases of true records; against swapped and synthetic ones [people], [control] and [risks] are used"
        ))
        .at(path)
        .into()),
    }
}

/// A release and its original.
pub(super) struct Attacked<'a> {
    pub(super) options: &'a AttackOptions,
    pub(super) knowledge: &'a Knowledge,
    pub(super) published: &'a MadeRecords<'a>,
    pub(super) table: Table,
    pub(super) path: std::path::PathBuf,
}

impl Attacked<'_> {
    pub(super) fn is_wanted(&self, word: &str) -> bool {
        self.options.attacks.as_ref().is_none_or(|words| words.iter().any(|own| own == word))
    }

    fn all(
        &self,
        quasi: &[usize],
        sensitive: &[usize],
        progress: &dyn Progress,
    ) -> Result<Assessment, RunError> {
        let mut assessment = Assessment {
            max_risk: self.options.max_risk,
            max_absolute_risk: self.options.max_absolute_risk,
            ..Assessment::default()
        };
        let stacked = stacked(self.published.tables);
        let is_one = self.published.tables.len() == 1;
        let wanted = |words: &[&str]| -> Vec<String> {
            words.iter().filter(|word| self.is_wanted(word)).map(|word| (*word).to_owned()).collect()
        };
        let (records, mut values) = (wanted(&OF_RECORDS), wanted(&OF_VALUES));
        if sensitive.is_empty() {
            let why = "no published column is sensitive";
            assessment.not_made.extend(values.drain(..).map(|word| not_made(&word, why)));
        }
        if !self.published.in_order {
            let why = self.published.nobody;
            assessment.not_made.extend(records.iter().map(|word| not_made(word, why)));
        }
        let first = self.published.tables.first();
        let near = self.nearness(&stacked, progress)?;
        let of_records = first.filter(|_| self.published.in_order && !is_one);
        if let Some(table) = of_records {
            let found = self.made(table, &records, true, (quasi, sensitive), &[], progress)?;
            add(&mut assessment, found, |_| {});
        }
        let together = match is_one && self.published.in_order {
            true => [records.as_slice(), &values].concat(),
            false => values,
        };
        let copies = self.published.tables.len();
        let owned = is_one && self.published.in_order;
        let roles = (quasi, sensitive);
        let found = self.made(&stacked, &together, owned, roles, &near.conclusions, progress)?;
        add(&mut assessment, found, |own| {
            if copies > 1 {
                own.notes.push(Note::of_original(format!("Made on all {copies} copies together.")));
            }
            if own.control.is_none() {
                own.notes.push(
                    Note::no_control("There is no control: people who are certainly not in the data can be given as [control] in the \
                     knowledge file."
                        .to_owned()));
            }
        });
        self.insensitive(&mut assessment, progress)?;
        let changed = &self.published.changed;
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
        // A control table asks for what takes one.
        if self.knowledge.control.is_some() && self.options.attacks.is_none() {
            assessment.blocked.extend(near.not_made.iter().cloned());
        }
        assessment.not_made.extend(near.not_made);
        self.three_risks(&stacked, roles, &mut assessment, progress)?;
        if self.options.attacks.is_none() {
            let why = "they reason about groups of true records, and these were swapped or made";
            assessment.not_made.push(not_made("all other attacks", why));
        }
        Ok(assessment)
    }

    /// Who stands alone once the insensitive columns that were not changed are known, besides the quasi columns that were not. Of all copies
    /// the first tells it: they have these columns in common.
    fn insensitive(&self, assessment: &mut Assessment, progress: &dyn Progress) -> Result<(), RunError> {
        let Some(table) = self.published.tables.first().filter(|_| self.is_wanted(INSENSITIVE)) else {
            return Ok(());
        };
        let same = |role: &str| -> Vec<usize> {
            let columns = self.published.columns.iter().enumerate();
            let is_same = |name: &str| self.published.in_order && !self.published.changed.contains(&name);
            columns.filter(|(_, own)| own.1 == role && is_same(own.0)).map(|(at, _)| at).collect()
        };
        let columns = same("insensitive").into_iter().filter_map(|at| table.columns.get(at));
        let columns: Vec<Beside<'_>> = columns
            .map(|own| Beside { name: &own.name, codes: &own.codes, values: own.domain.len() })
            .collect();
        if columns.is_empty() {
            // Where it asks for nothing, nobody need be told that it was not asked.
            if self.options.attacks.is_some() {
                assessment
                    .not_made
                    .push(not_made(INSENSITIVE, "no insensitive column is published as it was"));
            }
            return Ok(());
        }
        let release = Published::of_table(table.clone(), same("quasi"), Vec::new(), progress)?;
        assessment.attacks.push(alone(&release.group_of, &columns, 0));
        Ok(())
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
        let changed = &self.published.changed;
        let is_changed = |name: &str| !self.published.in_order || changed.contains(&name);
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
        let hierarchies = sensitive_hierarchies(&release, self.published.job)?;
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
            risks: None,
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
            for own in attacks.iter_mut().filter(|own| own.attack == ids::LINKING) {
                own.notes.push(Note::of_original(format!(
                    "Of {of} quasi columns {same} are published as they are: in these a record must have the person's value."
                )));
            }
        }
        Ok(Assessment {
            attacks,
            not_made: attacked.not_made.iter().map(|(attack, why)| not_made(attack, why)).collect(),
            blocked: {
                let is_asked = |word: &str| match &self.options.attacks {
                    Some(names) => names.iter().any(|own| own == word),
                    None => self.knowledge.asks_for(word),
                };
                let blocked = attacked.blocked.iter().filter(|own| is_asked(own.attack));
                blocked.map(|own| not_made(own.attack, &own.why)).collect()
            },
            ..Assessment::default()
        })
    }

    /// Singling out, linkability, inference and the closest record, on all copies together.
    fn three_risks(
        &self,
        stacked: &Table,
        (quasi, sensitive): (&[usize], &[usize]),
        assessment: &mut Assessment,
        progress: &dyn Progress,
    ) -> Result<(), RunError> {
        let words: Vec<&str> = WORDS.into_iter().filter(|word| self.is_wanted(word)).collect();
        if words.is_empty() {
            return Ok(());
        }
        let release = Published::of_table(stacked.clone(), quasi.to_vec(), sensitive.to_vec(), progress)?;
        let (rows, copies) = (self.table.rows as u32, self.published.tables.len() as u32);
        let own = |person: u32| -> Vec<u32> { (0..copies).map(|copy| copy * rows + person).collect() };
        let given = three_risks::Given {
            release: &release,
            original: &self.table,
            job: None,
            knowledge: self.knowledge,
            missing: self.published.missing.clone(),
            own: self.published.in_order.then_some(&own as &OwnRecords<'_>),
        };
        let sides = Sides::new(given, progress)?;
        for word in words {
            progress.stage("attacking", None);
            let by_name = self.options.attacks.is_some();
            match sides.asked(self.options.seed, by_name).attack(word, progress) {
                Ok(found) => assessment.attacks.extend(found.into_iter().map(|own| own.finding)),
                Err(AttackError::Cancelled) => return Err(RunError::Cancelled(privet_data::Cancelled)),
                Err(why) => assessment.not_made.push(not_made(word, &why.to_string())),
            }
        }
        Ok(())
    }
}

/// Refuses a table that cannot be the original: one without records and, where records stand in its order, one that has not a
/// record for each, with the same values wherever nothing was changed.
pub(super) fn check_original(
    published: &MadeRecords<'_>,
    original: &Table,
    path: &Path,
) -> Result<(), RunError> {
    if original.rows == 0 {
        let problem = "has no record to compare with; give the table that the release was made from";
        return Err(JobError::new(problem).at(path).into());
    }
    if !published.in_order {
        return Ok(());
    }
    let changed = &published.changed;
    for table in published.tables {
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

pub(super) fn not_made(word: &str, why: &str) -> NotMade {
    NotMade::new(word, why.to_owned())
}

fn add(assessment: &mut Assessment, found: Assessment, change: impl Fn(&mut Finding)) {
    assessment.attacks.extend(found.attacks.into_iter().map(|mut own| {
        change(&mut own);
        own
    }));
    assessment.not_made.extend(found.not_made);
    assessment.blocked.extend(found.blocked);
}
