//! The gate before a release is handed over: attacks that the job asks for, or those that cost next to nothing, and for
//! buckets deFinetti's, which is what they fall to.
//!
//! What it guarantees: nothing goes through above a limit by an attack that was made and counts; what was asked for, by name or by
//! what the knowledge file has, and cannot be made is an error; what was not tried is told, with the reason.

use privet_attack::adversary::{
    Beside, INSENSITIVE, SENSITIVE, alone, alone_by_one, alone_by_one_of, alone_of, suspects,
};
use privet_attack::homogeneity::Similar;
use privet_attack::ids;
use privet_attack::{Finding, Knowledge, Note, Topic, quick};
use privet_data::io::{ReadOptions, read};
use privet_data::{Equality, Progress, Table};
use privet_microdata::adversary::AdversarySection;
use privet_release::published::Histograms;
use privet_release::{Draft, Manifest, Published};
use privet_report::{Assessment, NotMade};

use super::Gated;
use super::known::check_job;
use super::original::{JobAt, Original};
use super::overlap::somebody_fits_several;
use super::people::{PeopleTable, columns_of_others, name_in_original};
use super::{MORE_PRIVACY, MOST_RECORDS, Settings, hold_limit, run_attacks};
use crate::chosen::Place;
use crate::engine::Weighted;
use crate::error::{JobError, RunError};
use crate::load::Sensitive;
use crate::run::Candidate;

/// Without being asked for, deFinetti's attack is made on at most so many records, in a few seconds.
const DEFAULT_RECORDS: usize = 20_000;

/// Attacks what is about to be published, and refuses it when that succeeds too often.
pub(crate) fn gate(
    draft: &Draft,
    candidate: &Candidate<'_>,
    manifest: &Manifest,
    base: &std::path::Path,
    progress: &dyn Progress,
) -> Result<Gated, RunError> {
    let section = &candidate.job.adversary;
    let by_name = section.attacks.is_some() || section.knowledge.is_some();
    // With values that were replaced, what is published is not what is true.
    let is_distorted = candidate.loaded.distorted.is_some();
    // Who looks like somebody else may stand in several buckets, which buckets alone do not tell.
    let has_buckets = candidate.chosen.buckets.is_some();
    let (max_risk, max_absolute_risk) = (section.max_risk, section.max_absolute_risk);
    let mut assessment = Assessment { max_risk, max_absolute_risk, ..Assessment::default() };
    if !is_distorted && !has_buckets {
        assessment.attacks = at_hand(candidate, manifest);
    }
    let mut public = assessment.attacks.clone();
    // Seen from the classes, where these tell; otherwise from the files.
    let may_overlap = !is_distorted
        && !has_buckets
        && may_overlap(candidate)
        && somebody_fits_several(candidate, manifest, base, progress)?.unwrap_or(true);
    if by_name || is_distorted || has_buckets || may_overlap {
        let knowledge_path = section.knowledge.as_ref().map(|path| base.join(path));
        let knowledge = knowledge_path.as_deref().map(read_knowledge).transpose()?.unwrap_or_default();
        let job = JobAt { job: candidate.job, base };
        let release =
            Published::read(draft.path(), manifest.clone(), &job.job.input.options()?.missing, progress)?;
        let mut table = candidate.loaded.true_table();
        // What names people, and what other releases know them by, is no column of this release.
        let elsewhere = columns_of_others(&knowledge);
        let name = knowledge.people.as_ref().and_then(name_in_original);
        for column in name.into_iter().chain(elsewhere.iter().map(String::as_str)) {
            add_column(&mut table, column, candidate, base, progress)?;
        }
        let original = Original::of_table(table, &base.join(&candidate.job.input.path), Some(job), &release)?;
        // Whose values fit several classes is not known to be in one of them, and classes alone do not tell that.
        let overlaps = may_overlap && fits_several(&original, &release).unwrap_or(false);
        if overlaps {
            public.clear();
        }
        // What is made by default is made besides what is asked for; of classes it is at hand already, but not its control
        // by a table of people.
        let again = has_buckets || is_distorted || overlaps || knowledge.control.is_some();
        let words = words_of(section, again, has_buckets, is_distorted);
        let is_named = |word: &str| section.attacks.iter().flatten().any(|own| own == word);
        let all_known = section.attacks.is_none() && section.knowledge.is_some();
        let settings = Settings {
            attacks: (!all_known).then_some(&words[..]),
            named: section.attacks.as_deref(),
            confidence: section.confidence,
            max_risk,
            max_absolute_risk,
            seed: section.seed,
            most_records: if is_named(ids::DEFINETTI) { MOST_RECORDS } else { DEFAULT_RECORDS },
            knowledge: knowledge_path.as_deref(),
            people: None,
        };
        let asked = match by_name || again {
            true => run_attacks(&release, Some(&original), &knowledge, Some(job), &settings, progress)?,
            false => Assessment::default(),
        };
        for finding in asked.attacks {
            merge(&mut assessment.attacks, finding, overlaps, knowledge.control.is_some());
        }
        assessment.not_made = asked.not_made;
        assessment.blocked = asked.blocked;
    }
    if let (Some(problem), Some(path)) = (assessment.not_done(), &section.knowledge) {
        return Err(JobError::new(problem).at(&base.join(path)).into());
    }
    hold_limit(section, &assessment, MORE_PRIVACY)?;
    tell_untried(&mut assessment, candidate, has_buckets);
    let public = published(public, &assessment);
    Ok(Gated { assessment, public })
}

/// What everybody may read: what they can see from the classes, and of all other attacks what is public.
fn published(mut public: Vec<Finding>, assessment: &Assessment) -> Vec<Finding> {
    let is_told =
        |own: &&Finding| !public.iter().any(|told| (told.attack, &told.column) == (own.attack, &own.column));
    let rest: Vec<Finding> = assessment.attacks.iter().filter(is_told).map(Finding::public).collect();
    public.extend(rest);
    public
}

/// The attacks that are made: by default, where what is at hand does not do, and those that the job names.
fn words_of(section: &AdversarySection, again: bool, has_buckets: bool, is_distorted: bool) -> Vec<String> {
    let by_default = privet_attack::ATTACKS.iter().filter(|own| again && own.by_default(has_buckets));
    let mut words: Vec<String> = by_default.map(|own| own.word.to_owned()).collect();
    if is_distorted {
        words.extend([INSENSITIVE, SENSITIVE].map(str::to_owned));
    }
    words.extend(section.attacks.iter().flatten().cloned());
    words
}

/// What the adversary knows, from the file that the job names.
fn read_knowledge(path: &std::path::Path) -> Result<Knowledge, RunError> {
    let knowledge =
        Knowledge::read(path).map_err(|error| JobError::new(error.problem.clone()).at(&error.path))?;
    check_job(&knowledge, None).map_err(|error| JobError::new(format!("`job`: {error}")).at(path))?;
    Ok(knowledge)
}

/// Adds what one more way to make attacks found to what is at hand.
fn merge(attacks: &mut Vec<Finding>, finding: Finding, overlaps: bool, has_control: bool) {
    let same = |own: &&mut Finding| own.attack == finding.attack && own.column == finding.column;
    match attacks.iter_mut().find(same) {
        Some(own) if overlaps => *own = held_against(finding, own),
        // Of two ways to make an attack the more successful one counts; people who are known not to be in the data are a better
        // control than records taken out.
        Some(own) if own.risk > finding.risk => {
            if has_control && finding.control.is_some() {
                (own.control, own.control_group) = (finding.control, finding.control_group);
                own.baseline = finding.baseline;
            }
        }
        Some(own) => *own = finding,
        None => attacks.push(finding),
    }
}

/// Where people may stand in several classes, those are exposed whom every way to place people exposes. That need not be all who
/// fall, and whoever knows in which class each of them stands has no need to weigh: the limit is kept against that too.
fn held_against(mut finding: Finding, of_classes: &Finding) -> Finding {
    if finding.not_counted.is_none() && of_classes.risk > finding.risk {
        (finding.risk, finding.baseline) = (of_classes.risk, None);
        let note = Note::of_original(format!(
            "Whoever knows in which class each person stands {} {} of {}, and would be right for {} % of all; the limit is held \
             against that.",
            if finding.column.is_some() { "is as sure of" } else { "singles out" },
            of_classes.exposed.hits,
            of_classes.exposed.of,
            privet_attack::percent(of_classes.risk)
        ));
        finding.notes.push(note.about(Topic::KnownClasses));
    }
    finding
}

/// Whether equal values may be published differently, so that labels of classes may overlap. Means and the like stand for
/// nobody but those who are nearest. Of a table in a file, records are not at hand to see it.
fn may_overlap(candidate: &Candidate<'_>) -> bool {
    let is_label = |place: &Place| matches!(place, Place::Cells { kind, .. } if !matches!(*kind, "means" | "medians" | "modes"));
    candidate.first_of_group.is_none() && candidate.chosen.places.iter().any(is_label)
}

/// Whether somebody of the original fits several classes. Not known where that is too much to work out; then what those learn who
/// know the class of each stands, which is no less.
fn fits_several(original: &Original, release: &Published) -> Option<bool> {
    let people = PeopleTable::of_original(original, release);
    let found = suspects(release, &people.crowd()).ok()?;
    Some((0..found.profiles() as u32).any(|profile| found.places(profile).len() > 1))
}

/// Adds the attacks that nobody asked for, so that silence does not look like safety.
fn tell_untried(assessment: &mut Assessment, candidate: &Candidate<'_>, has_buckets: bool) {
    let names = candidate.job.adversary.attacks.is_some();
    let knowledge = candidate.job.adversary.knowledge.is_some();
    for attack in &privet_attack::ATTACKS {
        let is_told = assessment.attacks.iter().any(|own| own.attack == attack.word)
            || assessment.not_made.iter().any(|own| own.attack == attack.word);
        if is_told {
            continue;
        }
        let why = match (attack.needs, attack.not_counted(has_buckets)) {
            _ if [INSENSITIVE, SENSITIVE].contains(&attack.word) && lacks_records(candidate, attack.word) => {
                "it looks at records, which are not in memory; `privet attack` makes it".to_owned()
            }
            _ if attack.by_default(has_buckets) || [INSENSITIVE, SENSITIVE].contains(&attack.word) => {
                "there is no column that it could be made on".to_owned()
            }
            _ if names && knowledge => {
                "it was not asked for under `adversary.attacks`, whatever the knowledge file has for it"
                    .to_owned()
            }
            (Some(needs), _) if needs != "job" => {
                format!("it was not asked for, and needs {needs} in the knowledge file")
            }
            (_, Some(why)) => format!("it was not asked for, and only informs: {why}"),
            (_, None) => "it was not asked for under `adversary.attacks`".to_owned(),
        };
        assessment.not_made.push(NotMade::new(attack.word, why));
    }
}

/// Whether an attack that looks at other columns than the quasi columns lacks the records for it.
fn lacks_records(candidate: &Candidate<'_>, attack: &str) -> bool {
    let is_insensitive =
        |own: &crate::job::Column| own.role == privet_data::Role::Insensitive && attack == INSENSITIVE;
    candidate.first_of_group.is_some()
        || candidate.weighted.as_ref().is_some_and(|own| own.alike.is_none())
            && candidate.job.columns.values().any(is_insensitive)
}

/// Adds a column that the job does not read, so that people can be found by it. The input need not have it.
fn add_column(
    table: &mut Table,
    name: &str,
    candidate: &Candidate<'_>,
    base: &std::path::Path,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    if table.position(name).is_some() || !candidate.loaded.input.names.iter().any(|own| own == name) {
        return Ok(());
    }
    let job = candidate.job;
    let mut options = ReadOptions { columns: Some(vec![name.to_owned()]), ..job.options(base)? };
    // What names people is no number: `007` is not the person `7`.
    options.equality_of.entry(name.to_owned()).or_insert(Equality::CODES);
    let named = read(&base.join(&job.input.path), &options, progress)?.table;
    let named = match &candidate.loaded.drawn {
        Some(drawn) => named.select(drawn),
        None => named,
    };
    if named.rows != table.rows {
        return Err(JobError::new("the input has changed while it was anonymized").into());
    }
    table.columns.extend(named.columns);
    Ok(())
}

/// The attacks of somebody who knows who is in the data and in which class, from the classes at hand.
fn at_hand(candidate: &Candidate<'_>, manifest: &Manifest) -> Vec<Finding> {
    let partition = candidate.partition;
    let published = |class: usize| if partition.kept[class] { partition.rows[class] } else { 0 };
    let sizes: Vec<u64> = (0..partition.rows.len()).map(published).collect();
    let suppressed = partition.rows.iter().sum::<u64>() - sizes.iter().sum::<u64>();
    let table = &candidate.loaded.input.table;
    let mut findings = Vec::new();
    findings.push(quick::linking(&sizes, suppressed));
    if let Some(weighted) = &candidate.weighted {
        findings.extend(of_tuples(candidate, weighted, manifest, suppressed));
        return findings;
    }
    // With the table in a file, what classes hold of sensitive values was judged in passes and is not at hand.
    let at_hand = candidate.first_of_group.is_none();
    findings.extend(insensitive(candidate, manifest, suppressed).filter(|_| at_hand));
    findings.extend(sensitive(candidate, suppressed).into_iter().filter(|_| at_hand));
    for sensitive in candidate.loaded.sensitive.iter().filter(|_| at_hand) {
        let column = &table.columns[sensitive.position];
        let kept = |(&class, &code): (&u32, &u32)| partition.kept[class as usize].then_some((class, code));
        let (classes, codes): (Vec<u32>, Vec<u32>) =
            partition.class_of.iter().zip(&column.codes).filter_map(kept).unzip();
        let histograms = Histograms::count(&classes, sizes.len(), &codes);
        findings.extend(by_histograms(candidate, sensitive, &histograms, suppressed));
    }
    findings
}

/// The same from distinct tuples, which stand where records stood.
fn of_tuples(
    candidate: &Candidate<'_>,
    weighted: &Weighted<'_>,
    manifest: &Manifest,
    suppressed: u64,
) -> Vec<Finding> {
    let table = &candidate.loaded.input.table;
    let partition = candidate.partition;
    let mut findings = Vec::new();
    let names = manifest.data.columns.iter().filter(|own| own.role == "insensitive");
    let names: Vec<&str> = names.map(|own| own.name.as_str()).collect();
    if let Some(alike) = &weighted.alike {
        findings.push(alone_of(&names, alike.iter().copied(), suppressed));
    }
    let is_kept: Vec<bool> = partition.class_of.iter().map(|&class| partition.kept[class as usize]).collect();
    let published = |codes: &[u32]| -> Vec<u32> {
        codes.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(&code, _)| code).collect()
    };
    let (classes, weights) = (published(&partition.class_of), published(weighted.weights));
    let histograms: Vec<Histograms> = (candidate.loaded.sensitive.iter())
        .map(|own| {
            let codes = published(&table.columns[own.position].codes);
            Histograms::count_weighted(&classes, partition.rows.len(), &codes, &weights)
        })
        .collect();
    if histograms.len() > 1 {
        findings.extend(candidate.loaded.sensitive.iter().zip(&histograms).map(|(own, histograms)| {
            let name = &table.columns[own.position].name;
            alone_by_one_of(name, histograms.counts().map(|size| (size, 1)), suppressed)
        }));
    }
    for (sensitive, histograms) in candidate.loaded.sensitive.iter().zip(&histograms) {
        findings.extend(by_histograms(candidate, sensitive, histograms, suppressed));
    }
    findings
}

/// What classes tell of a sensitive column.
fn by_histograms(
    candidate: &Candidate<'_>,
    sensitive: &Sensitive,
    histograms: &Histograms,
    suppressed: u64,
) -> impl Iterator<Item = Finding> {
    let column = &candidate.loaded.input.table.columns[sensitive.position];
    let confidence = candidate.job.adversary.confidence;
    let missing = column.domain.missing();
    let homogeneity = quick::homogeneity(&column.name, histograms, missing, suppressed, confidence, None);
    // Of the values that are published, as whoever reads the release sees them.
    let occurs = histograms.total(column.domain.len());
    let occurs = |code: u32| occurs.get(code as usize).is_some_and(|&count| count > 0);
    let similar = Similar::new(&column.domain, sensitive.hierarchy.as_ref(), occurs);
    let similarity = similar.map(|similar| {
        quick::similarity(&column.name, histograms, missing, suppressed, confidence, &similar)
    });
    std::iter::once(homogeneity).chain(similarity)
}

/// The codes of published records.
fn kept(candidate: &Candidate<'_>, codes: &[u32]) -> Vec<u32> {
    let partition = candidate.partition;
    let published =
        partition.class_of.iter().zip(codes).filter(|(class, _)| partition.kept[**class as usize]);
    published.map(|(_, &code)| code).collect()
}

/// What if one of several sensitive columns were known?
fn sensitive(candidate: &Candidate<'_>, suppressed: u64) -> Vec<Finding> {
    let sensitive = &candidate.loaded.sensitive;
    if sensitive.len() < 2 {
        return Vec::new();
    }
    let group_of = kept(candidate, &candidate.partition.class_of);
    let one = |position: usize| {
        let column = &candidate.loaded.input.table.columns[position];
        let codes = kept(candidate, &column.codes);
        alone_by_one(
            &group_of,
            Beside { name: &column.name, codes: &codes, values: column.domain.len() },
            suppressed,
        )
    };
    sensitive.iter().map(|own| one(own.position)).collect()
}

/// What if the insensitive columns were known too?
fn insensitive(candidate: &Candidate<'_>, manifest: &Manifest, suppressed: u64) -> Option<Finding> {
    let table = &candidate.loaded.input.table;
    let kept = |codes: &[u32]| kept(candidate, codes);
    let columns = manifest.data.columns.iter().filter(|own| own.role == "insensitive");
    let columns = columns.filter_map(|own| table.column(&own.name));
    let known: Vec<(&str, Vec<u32>, usize)> =
        columns.map(|own| (own.name.as_str(), kept(&own.codes), own.domain.len())).collect();
    let columns: Vec<Beside<'_>> =
        known.iter().map(|(name, codes, values)| Beside { name, codes, values: *values }).collect();
    (!columns.is_empty()).then(|| alone(&kept(&candidate.partition.class_of), &columns, suppressed))
}
