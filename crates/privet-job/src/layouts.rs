//! Which layout a folder has is looked up here, once per verb, and nowhere else. A manifest that names a layout and does not have it was
//! damaged, and is reported as that.

use std::path::Path;

use privet_microdata::layouts::{Layout, Reader};
use privet_release::manifest::Form;
use privet_release::{ManifestFile, PublishedError};

/// The layouts with a kind of their own.
const LAYOUTS: [Reader; 3] =
    [privet_counts::read, privet_randomized::read_changed, privet_randomized::read_noise];

/// The layout of a folder. What names no kind is taken for records, whose reader says what is wrong with it.
pub(crate) fn of(folder: &Path) -> Result<Box<dyn Layout>, PublishedError> {
    ManifestFile::read(folder).map_or_else(|_| Ok(privet_records::unread()), |file| of_manifest(&file))
}

/// The layout of a manifest.
pub(crate) fn of_manifest(file: &ManifestFile) -> Result<Box<dyn Layout>, PublishedError> {
    let Some(kind) = file.kind() else { return Ok(privet_records::unread()) };
    for read in LAYOUTS {
        if let Some(layout) = read(file)? {
            return Ok(layout);
        }
    }
    // A kind of a layout that this verb does not have is named, and never read as another.
    match Form::of(kind) {
        Some(_) => Ok(privet_records::of(file.bytes())),
        None => Err(PublishedError::Other {
            folder: file.folder().to_owned(),
            problem: "it is a release of another kind, which this does not serve; `privet kinds` lists what each kind has",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_manifest_is_reported_as_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let found = |manifest: &str| {
            std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
            of(folder.path()).err()
        };
        for kind in ["counts", "perturbed"] {
            let damaged = found(&format!("{{\"format\": 1, \"kind\": \"{kind}\"}}"));
            assert!(matches!(damaged, Some(PublishedError::Manifest { .. })), "{kind}: {damaged:?}");
        }
        let other = found("{\"format\": 1, \"kind\": \"graph\"}");
        assert!(matches!(other, Some(PublishedError::Other { .. })), "{other:?}");
        // The reader of records says what is wrong with what names no kind.
        assert!(found("{\"format\": 1}").is_none() && found("no json").is_none());
    }
}
