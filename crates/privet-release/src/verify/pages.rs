//! The pages of a release against its manifest: each is made again from the manifest alone and compared, byte by byte.
//!
//! This crate cannot make pages; whoever can gives [`Pages`]. Without it, pages are on trust.

use std::fs;
use std::path::Path;

use privet_data::io::{input_limit, read_plain};

use super::VerifyError;
use super::outcome::Check;
use crate::manifest::File;

/// Makes the pages of a release, with their names, from the bytes of its manifest. The error is a sentence.
pub type Pages = dyn Fn(&[u8]) -> Result<Vec<(String, Vec<u8>)>, String> + Sync;

/// The names that pages have.
pub const PAGES: [&str; 2] = ["report.html", "report.json"];

/// Compares the pages of a folder with what its manifest makes of them.
pub(super) fn check(
    folder: &Path,
    bytes: &[u8],
    files: &[File],
    pages: Option<&Pages>,
) -> Result<Vec<Check>, VerifyError> {
    let Some(pages) = pages else { return Ok(Vec::new()) };
    let made = match pages(bytes) {
        Ok(made) => made,
        Err(problem) => return Ok(vec![Check::failed("pages", problem)]),
    };
    let mut checks = Vec::new();
    for (name, expected) in made {
        let path = folder.join(&name);
        let listed = files.iter().any(|file| file.name == name);
        let found = match listed && fs::symlink_metadata(&path).is_ok_and(|own| own.is_file()) {
            true => Some(read_plain(&path, input_limit()).map_err(VerifyError::io(&path))?),
            false => None,
        };
        let check = format!("page {name}");
        checks.push(match found {
            None => Check::failed(check, "the release does not hold it"),
            Some(found) if found == expected => {
                Check::passed(check, "agrees with the manifest")
            }
            Some(_) => Check::failed(
                check,
                "is not the page that follows from the manifest: it was changed, or another version of privet made it",
            ),
        });
    }
    Ok(checks)
}
