//! `privet verify` as people run it: the referee, and what only this program can say about a release of its own making: its
//! pages, the sentence in which a search speaks of itself, and what its report estimates from randomized values.
//!
//! The referee ([`privet_release::verify()`]) stays independent: it is given a way to make pages and knows nothing of them.

use std::path::Path;

use privet_release::{Check, ManifestFile, Verdict, VerifyError, VerifyOptions};

use crate::layouts;

/// Verifies a release, its pages included.
///
/// # Errors
/// As [`privet_release::verify()`].
pub fn verify(folder: &Path, options: VerifyOptions<'_>) -> Result<Verdict, VerifyError> {
    verify_manifest(&privet_release::manifest_to_judge(folder)?, options)
}

/// Verifies the release of a manifest that was read; it is not read again.
///
/// # Errors
/// As [`verify`].
pub fn verify_manifest(manifest: &ManifestFile, options: VerifyOptions<'_>) -> Result<Verdict, VerifyError> {
    let pages = |bytes: &[u8]| privet_report::pages_of(bytes).map_err(|error| error.to_string());
    let options = VerifyOptions { pages: Some(&pages), ..options };
    let mut verdict = privet_release::verify_manifest(manifest, options)?;
    if !verdict.holds() {
        // What is known to be wrong is not worth more work.
        return Ok(verdict);
    }
    verdict.checks.push(software(manifest.bytes()));
    // A manifest that cannot be read was refused above.
    if let Ok(layout) = layouts::of_manifest(manifest) {
        verdict.checks.extend(layout.verify(manifest, options.progress));
    }
    Ok(verdict)
}

/// Whether this version made it: the pages of another cannot be compared.
fn software(manifest: &[u8]) -> Check {
    #[derive(serde::Deserialize)]
    struct Head {
        software: String,
    }
    let name = "software";
    let own = format!("privet {}", env!("CARGO_PKG_VERSION"));
    match serde_json::from_slice::<Head>(manifest) {
        Ok(head) if head.software == own => Check::passed(name, format!("made by {own}")),
        _ => Check::failed(name, format!("it was not made by {own}; use the version of privet that made it")),
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use privet_microdata::candidate::RunOptions;
    use privet_microdata::job::Job;
    use privet_randomized::randomize::{RandomizeJob, RandomizeOptions, randomize};

    use super::*;

    /// What is judged is the manifest that was read: the file may change or go meanwhile.
    #[test]
    fn verify_reads_the_manifest_once() {
        let input = "[input]\npath = \"people.csv\"\n[output]\nfolder = \"release\"\n";
        let records = "[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10, 20] }\n[columns.ill]\nrole = \"sensitive\"\n\
                       [privacy]\nk-anonymity = 3\n";
        let randomized =
            "[columns.smokes]\nrole = \"sensitive\"\nperturb = { response = \"warner\", p = 0.8 }\n";
        for (job, is_records) in [(records, true), (randomized, false)] {
            let folder = tempfile::tempdir().unwrap();
            let people =
                "age,ill,smokes\n31,flu,yes\n34,cough,no\n38,flu,no\n52,cough,yes\n55,flu,no\n59,cough,no\n";
            std::fs::write(folder.path().join("people.csv"), people).unwrap();
            let text = format!("{input}{job}");
            if is_records {
                let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
                crate::run(&Job::parse(&text, &[]).unwrap(), &options, &Silent).unwrap();
            } else {
                std::fs::write(folder.path().join("job.toml"), text).unwrap();
                let job = RandomizeJob::read(&folder.path().join("job.toml"), &[]).unwrap();
                let options =
                    RandomizeOptions { base: folder.path().to_owned(), ..RandomizeOptions::default() };
                randomize(&job, &options, &Silent).unwrap();
            }
            let place = folder.path().join("release");
            let before = verify(&place, VerifyOptions::default()).unwrap();
            assert!(before.holds(), "{:?}", before.checks);
            let manifest = ManifestFile::read(&place).unwrap();
            std::fs::remove_file(place.join(privet_release::MANIFEST)).unwrap();
            let after = verify_manifest(&manifest, VerifyOptions::default()).unwrap();
            assert_eq!(format!("{:?}", after.checks), format!("{:?}", before.checks));
            assert!(verify(&place, VerifyOptions::default()).is_err());
        }
    }
}
