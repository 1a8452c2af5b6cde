//! `privet verify` as people run it: the referee, and what only this program can say about a release of its own making: its
//! pages, the sentence in which a search speaks of itself, and what its report estimates from randomized values.
//!
//! The referee ([`privet_release::verify()`]) stays independent: it is given a way to make pages and knows nothing of them.

use std::path::Path;

use privet_release::{Check, Verdict, VerifyError, VerifyOptions};

use crate::layouts;

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
    let bytes = privet_release::manifest_at(folder).map_err(|source| VerifyError::Io { path, source })?;
    verdict.checks.push(software(&bytes));
    // A manifest that cannot be read was refused above.
    if let Ok(layout) = layouts::of(folder) {
        verdict.checks.extend(layout.verify(folder, options.progress));
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
