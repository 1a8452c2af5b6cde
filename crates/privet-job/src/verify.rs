//! `privet verify` as people run it: the referee, and what only this program can say about a release of its own making: its
//! pages, the sentence in which a search speaks of itself, and what its report estimates from randomized values.
//!
//! The referee ([`privet_release::verify()`]) stays independent: it is given a way to make pages and knows nothing of them.

use std::path::Path;

use privet_data::Progress;
use privet_release::{Check, Manifest, PublishedPerturbed, Verdict, VerifyError, VerifyOptions};

use crate::algorithm::guarantees;
use crate::randomize::facts;

/// Verifies a release, its pages included.
///
/// # Errors
/// As [`privet_release::verify()`].
pub fn verify(folder: &Path, options: VerifyOptions<'_>) -> Result<Verdict, VerifyError> {
    let pages = |bytes: &[u8]| privet_report::pages_of(bytes).map_err(|error| error.to_string());
    let options = VerifyOptions { pages: Some(&pages), ..options };
    let mut verdict = privet_release::verify(folder, options)?;
    if !verdict.holds() {
        // What is known to be wrong is not worth more work.
        return Ok(verdict);
    }
    let path = folder.join(privet_release::MANIFEST);
    let bytes = std::fs::read(&path).map_err(|source| VerifyError::Io { path, source })?;
    verdict.checks.push(software(&bytes));
    if let Ok(manifest) = Manifest::parse(&bytes) {
        verdict.checks.push(search(&manifest));
    }
    if PublishedPerturbed::is_at(folder) {
        verdict.checks.extend(estimates(folder, options.progress));
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

/// Whether a search says of itself what it says of itself everywhere.
fn search(manifest: &Manifest) -> Check {
    let name = "search";
    let known = guarantees(&manifest.search);
    match known.contains(&manifest.search.guarantee) {
        true => Check::passed(name, "the manifest states what this search guarantees"),
        false => Check::failed(name, "what is said to be guaranteed is not what this search guarantees"),
    }
}

/// Whether the report estimates from randomized values what they allow to estimate.
fn estimates(folder: &Path, progress: &dyn Progress) -> Option<Check> {
    let name = "estimates";
    let published = match PublishedPerturbed::open(folder, progress) {
        Ok(published) => published,
        // Swapped and synthetic records have no law to estimate by.
        Err(_) => return None,
    };
    let said = &published.manifest.shown.pictures;
    Some(match facts::pictures(&published, progress) {
        Ok(pictures) if privet_report::told_of_pictures(&pictures) == *said => {
            Check::passed(name, "the report shows what can be estimated from the published values")
        }
        Ok(_) => Check::failed(name, "the report shows other estimates than the published values allow"),
        Err(_) => {
            Check::failed(name, "nothing can be estimated from the published values, and the report does")
        }
    })
}
