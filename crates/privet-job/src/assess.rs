//! Assessing a release: what it is still good for, what its records risk, and what an adversary learns from it.
//!
//! `privet measure` and `privet attack` come here with a finished folder. Everything is for the owner.

use privet_data::Progress;
use privet_microdata::assess::check_places;
use privet_microdata::assess::places::{Inputs, Written};
use privet_release::ManifestFile;
use privet_report::Assessment;

use crate::error::{JobError, RunError};
use crate::layouts;
pub use privet_attack::ATTACKS;
pub use privet_microdata::assess::{AttackOptions, MeasureOptions, untried};

/// More queries than this say nothing more.
const MOST_QUERIES: usize = 100_000;

/// Attacks a release.
///
/// # Errors
/// When the release, the original, the knowledge or an option cannot be used.
pub fn attack(options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    if options.release.is_file() {
        check_places(options)?;
        return privet_randomized::attack_made(options, progress);
    }
    match options.manifest() {
        Ok(manifest) => {
            let layout = layouts::of_manifest(&manifest)?;
            layout.attack(&AttackOptions { manifest: Some(manifest), ..options.clone() }, progress)
        }
        // Whoever reads records says what is wrong.
        Err(_) => privet_records::unread().attack(options, progress),
    }
}

/// Measures a release.
///
/// # Errors
/// When the release, the original or an option cannot be used.
pub fn measure(options: &MeasureOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    check_measure(options)?;
    layouts::of(&options.release)?.measure(options, progress)
}

/// Measures the release of a manifest that was read, which decides what kind of release it is.
///
/// # Errors
/// As [`measure`].
pub fn measure_manifest(
    manifest: &ManifestFile,
    options: &MeasureOptions,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    check_measure(options)?;
    layouts::of_manifest(manifest)?.measure(options, progress)
}

/// Refuses files that would be overwritten, and options that cannot be used.
fn check_measure(options: &MeasureOptions) -> Result<(), RunError> {
    let mut inputs = Inputs::of_release(&options.release);
    inputs.table(Some(&options.original));
    inputs.names(options.job.as_deref());
    inputs.table(options.test.as_deref());
    inputs.table(options.population.as_deref());
    inputs.table(options.workload.as_deref());
    inputs.spare(&[(&options.risk_file, Written::Risks), (&options.report, Written::Page)])?;
    if options.queries > MOST_QUERIES {
        return Err(JobError::new(format!("--queries takes a number up to {MOST_QUERIES}")).into());
    }
    if options.risk_threshold.is_some_and(|share| !(share > 0.0 && share < 1.0)) {
        return Err(JobError::new("--risk-threshold takes a share above 0 and below 1, such as 0.2").into());
    }
    for (flag, names) in [("--class", &options.class), ("--target", &options.target)] {
        let is_second = |(at, name): &(usize, &String)| names[..*at].contains(name);
        if let Some((_, name)) = names.iter().enumerate().find(is_second) {
            return Err(JobError::new(format!("{flag} names {name} twice; name each column once")).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use privet_microdata::candidate::RunOptions;
    use privet_microdata::job::Job;
    use privet_randomized::randomize::{RandomizeJob, RandomizeOptions, randomize};

    use super::*;

    const INPUT: &str = "[input]\npath = \"people.csv\"\n[output]\nfolder = \"release\"\n";

    /// A release of records, of counts, or of randomized records.
    fn release(folder: &std::path::Path, job: &str) {
        let people = "town,age,ill,smokes\nA,31,flu,yes\nA,34,cough,no\nA,38,flu,no\nB,52,cough,yes\nB,55,flu,no\nB,59,cough,no\n";
        std::fs::write(folder.join("people.csv"), people).unwrap();
        let text = format!("{INPUT}{job}");
        if job.contains("perturb") {
            std::fs::write(folder.join("job.toml"), text).unwrap();
            let job = RandomizeJob::read(&folder.join("job.toml"), &[]).unwrap();
            let options = RandomizeOptions { base: folder.to_owned(), ..RandomizeOptions::default() };
            randomize(&job, &options, &Silent).unwrap();
        } else {
            let options = RunOptions { base: folder.to_owned(), ..RunOptions::default() };
            crate::run(&Job::parse(&text, &[]).unwrap(), &options, &Silent).unwrap();
        }
    }

    /// A manifest that was read is enough for an attack: the file may be gone.
    #[test]
    fn an_attack_reads_the_manifest_once() {
        let jobs = [
            "[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10, 20] }\n[columns.ill]\nrole = \"sensitive\"\n\
             [privacy]\nk-anonymity = 3\n",
            "[columns.town]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n\
             [[count-tables]]\ncolumns = [\"town\", \"ill\"]\nthreshold = 2\n",
            "[columns.smokes]\nrole = \"sensitive\"\nperturb = { response = \"warner\", p = 0.8 }\n",
        ];
        for job in jobs {
            let folder = tempfile::tempdir().unwrap();
            release(folder.path(), job);
            let place = folder.path().join("release");
            let manifest = ManifestFile::read(&place).unwrap();
            std::fs::remove_file(place.join(privet_release::MANIFEST)).unwrap();
            let options = AttackOptions { release: place, confidence: 0.9, ..AttackOptions::default() };
            assert!(attack(&options, &Silent).is_err(), "{job}: without a manifest it is no release");
            let options = AttackOptions { manifest: Some(manifest), ..options };
            attack(&options, &Silent).unwrap();
        }
    }
}
