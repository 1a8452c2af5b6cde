//! The gate before a release is handed over: attacks that the job asks for, or those that cost next to nothing.

use privet_attack::homogeneity::Alike;
use privet_attack::{Finding, Knowledge, quick};
use privet_data::io::{ReadOptions, read};
use privet_data::{Progress, Table};
use privet_release::published::Histograms;
use privet_release::{Draft, Manifest, Published};
use privet_report::Assessment;

use super::original::{JobAt, Original};
use super::people::name_in_original;
use super::{Settings, run_attacks};
use crate::error::{JobError, RunError};
use crate::run::Candidate;

/// What came through the gate.
pub(crate) struct Gated {
    /// For the owner.
    pub assessment: Assessment,
    /// What the release's own report may say: what its readers could find out themselves.
    pub public: Vec<Finding>,
}

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
    let mut assessment = Assessment { max_risk: section.max_risk, ..Assessment::default() };
    if !is_distorted {
        assessment.attacks = at_hand(candidate);
    }
    let public = assessment.attacks.clone();
    if by_name || is_distorted {
        let knowledge = match &section.knowledge {
            Some(path) => Knowledge::read(&base.join(path))
                .map_err(|error| JobError::new(error.problem.clone()).at(&error.path))?,
            None => Knowledge::default(),
        };
        let job = JobAt { job: candidate.job, base };
        let release =
            Published::read(draft.path(), manifest.clone(), &job.job.input.options()?.missing, progress)?;
        let mut table = candidate.loaded.true_table();
        if let Some(name) = knowledge.people.as_ref().and_then(name_in_original) {
            add_names(&mut table, name, candidate, base, progress)?;
        }
        let original = Original::of_table(table, &base.join(&candidate.job.input.path), Some(job), &release)?;
        let quick: Vec<String> =
            privet_attack::ATTACKS.iter().filter(|a| a.quick).map(|a| a.word.to_owned()).collect();
        let settings = Settings {
            attacks: if by_name { section.attacks.as_deref() } else { Some(&quick) },
            confidence: section.confidence,
            max_risk: section.max_risk,
            seed: section.seed,
            people: None,
        };
        let asked = run_attacks(&release, Some(&original), &knowledge, Some(job), &settings, progress)?;
        for finding in asked.attacks {
            let same = |own: &&mut Finding| own.attack == finding.attack && own.column == finding.column;
            match assessment.attacks.iter_mut().find(same) {
                // Of two ways to make an attack the more successful one counts.
                Some(own) if own.risk >= finding.risk => {}
                Some(own) => *own = finding,
                None => assessment.attacks.push(finding),
            }
        }
        assessment.not_made = asked.not_made;
    }
    // A limit that was not tried is not kept.
    let named =
        |attack: &str| section.attacks.as_ref().is_some_and(|names| names.iter().any(|name| name == attack));
    if section.max_risk.is_some()
        && let Some(missing) = assessment.not_made.iter().find(|own| named(&own.attack))
        && !assessment.attacks.iter().any(|own| own.attack == missing.attack)
    {
        let problem = format!("asks for `{}`, which cannot be made: {}", missing.attack, missing.why);
        return Err(JobError::key("adversary.attacks", problem).into());
    }
    if let (Some(accepted), Some(worst)) = (section.max_risk, assessment.worst())
        && worst.risk > accepted
    {
        let (attack, column, risk) = (worst.attack, worst.column.clone(), worst.risk);
        return Err(RunError::Attacked { attack, column, risk, accepted });
    }
    let rest = assessment.attacks.iter().filter(|own| !public.contains(own)).map(Finding::without_truth);
    let public = public.iter().cloned().chain(rest).collect();
    Ok(Gated { assessment, public })
}

/// Adds the column that names people, which no release has and no job reads, so that people can be found by it. The
/// input need not have it.
fn add_names(
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
    let options = ReadOptions { columns: Some(vec![name.to_owned()]), ..job.input.options()? };
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

/// The attacks of somebody who knows who is in the data and in which class or bucket, from the classes at hand.
fn at_hand(candidate: &Candidate<'_>) -> Vec<Finding> {
    let partition = candidate.partition;
    let published = |class: usize| if partition.kept[class] { partition.rows[class] } else { 0 };
    let sizes: Vec<u64> = (0..partition.rows.len()).map(published).collect();
    let suppressed = partition.rows.iter().sum::<u64>() - sizes.iter().sum::<u64>();
    let table = &candidate.loaded.input.table;
    let mut findings = Vec::new();
    // Buckets show quasi columns as they are: how many records may be whose is not a question of buckets.
    if candidate.chosen.buckets.is_none() {
        findings.push(quick::linking(&sizes, suppressed));
    }
    // With the table in a file, what classes hold of sensitive values was judged in passes and is not at hand.
    let at_hand = candidate.first_of_group.is_none();
    for sensitive in candidate.loaded.sensitive.iter().filter(|_| at_hand) {
        let column = &table.columns[sensitive.position];
        let kept = |(&class, &code): (&u32, &u32)| partition.kept[class as usize].then_some((class, code));
        let (classes, codes): (Vec<u32>, Vec<u32>) =
            partition.class_of.iter().zip(&column.codes).filter_map(kept).unzip();
        let histograms = Histograms::count(&classes, sizes.len(), &codes);
        let confidence = candidate.job.adversary.confidence;
        let missing = column.domain.missing();
        findings.push(quick::homogeneity(&column.name, &histograms, missing, suppressed, confidence, None));
        let alike = match &sensitive.hierarchy {
            Some(hierarchy) => Alike::level(&column.domain, hierarchy, 1),
            None => Alike::tenths(&column.domain),
        };
        if let Some(alike) = alike {
            findings.push(quick::homogeneity(
                &column.name,
                &histograms,
                missing,
                suppressed,
                confidence,
                Some(&alike),
            ));
        }
    }
    findings
}
