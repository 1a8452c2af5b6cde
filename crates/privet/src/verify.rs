//! `verify` on the seam: the referee of the kind, and the pages made again.

use std::path::Path;

use privet_referee::REFEREES;
use privet_release::{Check, ManifestFile, ReleaseFolder, Verdict, VerifyError, VerifyOptions};

use crate::{pages, registry};

/// Verifies a release of any kind, its pages included.
///
/// # Errors
/// When there is nothing to judge, or the person asked to stop.
pub fn verify(folder: &Path, options: VerifyOptions<'_>) -> Result<Verdict, VerifyError> {
    if !ManifestFile::read(folder).is_ok_and(|manifest| is_on_seam(&manifest)) {
        return privet_job::verify(folder, options);
    }
    let options = VerifyOptions { referees: REFEREES, ..options };
    let mut verdict = privet_release::verify(folder, options)?;
    if verdict.holds() {
        verdict.checks.extend(page_checks(folder, options));
    }
    Ok(verdict)
}

/// Whether the pages are those that follow from the published files.
fn page_checks(folder: &Path, options: VerifyOptions<'_>) -> Vec<Check> {
    const NAME: &str = "pages";
    let failed = |detail: String| vec![Check::failed(NAME, detail)];
    let opened = match ReleaseFolder::open(folder, options.progress) {
        Ok(opened) => opened,
        Err(error) => return failed(error.to_string()),
    };
    let Some(kind) = registry::kind(&opened.envelope().kind) else {
        return failed("this version does not know the kind of the release".to_owned());
    };
    let release = match kind.open(&opened, options.progress) {
        Ok(release) => release,
        Err(error) => return failed(error.to_string()),
    };
    let expected = pages::files(&pages::public(kind, &*release, opened.envelope()));
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

/// Whether a manifest is that of a kind on the seam.
pub fn is_on_seam(manifest: &ManifestFile) -> bool {
    manifest.kind().is_some_and(|id| registry::kind(id).is_some())
}
