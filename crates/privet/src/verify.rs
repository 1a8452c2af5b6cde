//! `verify` on the seam: the referee of the kind, and the pages made again.

use std::path::Path;

use privet_kind::Kind;
use privet_referee::REFEREES;
use privet_release::{Check, ManifestFile, ReleaseFolder, Verdict, VerifyError, VerifyOptions};

use crate::folder::on_seam;
use crate::pages;

/// Verifies a release of any kind, its pages included.
///
/// # Errors
/// When there is nothing to judge, or the person asked to stop.
pub fn verify(folder: &Path, options: VerifyOptions<'_>) -> Result<Verdict, VerifyError> {
    let manifest = privet_release::manifest_to_judge(folder)?;
    let Some(kind) = on_seam(&manifest) else { return privet_job::verify_manifest(&manifest, options) };
    let options = VerifyOptions { referees: REFEREES, ..options };
    let mut verdict = privet_release::verify_manifest(&manifest, options)?;
    if verdict.holds() {
        verdict.checks.extend(page_checks(kind, &manifest, options));
    }
    Ok(verdict)
}

/// Whether the pages are those that follow from the published files.
fn page_checks(kind: &dyn Kind, manifest: &ManifestFile, options: VerifyOptions<'_>) -> Vec<Check> {
    const NAME: &str = "pages";
    let failed = |detail: String| vec![Check::failed(NAME, detail)];
    let opened = match ReleaseFolder::of(manifest, options.progress) {
        Ok(opened) => opened,
        Err(error) => return failed(error.to_string()),
    };
    let release = match kind.open(&opened, options.progress) {
        Ok(release) => release,
        Err(error) => return failed(error.to_string()),
    };
    let expected = match pages::public(kind, &*release, opened.envelope()) {
        Ok(page) => pages::files(&page),
        Err(error) => return failed(error.to_string()),
    };
    let is_right = |(name, bytes): &(&str, Vec<u8>)| opened.read(name).is_ok_and(|found| found == *bytes);
    let check = |own: &(&str, Vec<u8>)| {
        let name = format!("page {}", own.0);
        match is_right(own) {
            true => Check::passed(name, "says what the published files say, and nothing else"),
            false => Check::failed(
                name,
                "is not the page that follows from the published files: it was changed, or another version of privet made it",
            ),
        }
    };
    expected.iter().map(check).collect()
}
