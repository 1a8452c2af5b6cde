//! The pages of a release from its manifest alone: `report.html` and `report.json`. Whoever publishes and whoever verifies
//! make them here, so a page that says something else than its manifest was changed.

use privet_attack::Finding;
use privet_release::counts::COUNTS;
use privet_release::manifest::File;
use privet_release::perturbed::PERTURBED;
use privet_release::{CountsManifest, Manifest, ManifestError, PAGES, PerturbedManifest, Shown};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::json::tree;
use crate::{Assessment, CountsFacts, Facts, NotMade, PerturbedFacts, PerturbedPicture};

/// Why no page can be made of a manifest. No message holds what stands in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageError {
    /// It is no manifest.
    Manifest(ManifestError),
    /// What it says of attacks or drawings is not what this program writes.
    Shown,
}

impl std::fmt::Display for PageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Manifest(error) => error.fmt(f),
            Self::Shown => {
                f.write_str("what the manifest says of attacks or drawings is not what this version writes")
            }
        }
    }
}

impl std::error::Error for PageError {}

impl From<ManifestError> for PageError {
    fn from(error: ManifestError) -> Self {
        Self::Manifest(error)
    }
}

/// Files with their names.
type Files = Vec<(String, Vec<u8>)>;

/// The pages of a release of records.
///
/// # Errors
/// When what its manifest shows is not what this program writes.
pub fn pages(manifest: &Manifest) -> Result<Files, PageError> {
    let shown = &manifest.shown;
    let facts = Facts {
        title: String::new(),
        reproduce: shown.reproduce.clone(),
        columns: shown.columns.clone(),
        boxes: shown.boxes.clone(),
        attacks: read(&shown.attacks)?,
    };
    let manifest =
        Manifest { files: tables(&manifest.files), signer: None, seal: String::new(), ..manifest.clone() };
    Ok(both(crate::html(&manifest, &facts), &crate::json(&manifest, &facts)))
}

/// The pages of a release of counts.
///
/// # Errors
/// As [`pages`].
pub fn counts_pages(manifest: &CountsManifest) -> Result<Files, PageError> {
    let shown = &manifest.shown;
    let facts = CountsFacts {
        reproduce: shown.reproduce.clone(),
        grids: shown.grids.clone(),
        assessment: assessment(shown)?,
    };
    let manifest = CountsManifest {
        files: tables(&manifest.files),
        signer: None,
        seal: String::new(),
        ..manifest.clone()
    };
    Ok(both(crate::counts_html(&manifest, &facts), &crate::counts_json(&manifest, &facts)))
}

/// The pages of a release whose values were changed by chance.
///
/// # Errors
/// As [`pages`].
pub fn perturbed_pages(manifest: &PerturbedManifest) -> Result<Files, PageError> {
    let shown = &manifest.shown;
    let facts = PerturbedFacts {
        reproduce: shown.reproduce.clone(),
        pictures: read(&shown.pictures)?,
        assessment: assessment(shown)?,
    };
    let manifest = PerturbedManifest {
        files: tables(&manifest.files),
        signer: None,
        seal: String::new(),
        ..manifest.clone()
    };
    Ok(both(crate::perturbed_html(&manifest, &facts), &crate::perturbed_json(&manifest, &facts)))
}

/// The pages of a release of any kind, from the bytes of its manifest.
///
/// # Errors
/// When it is no manifest of a kind that is known, or as [`pages`].
pub fn pages_of(bytes: &[u8]) -> Result<Files, PageError> {
    #[derive(serde::Deserialize)]
    struct Head {
        kind: String,
    }
    let kind = serde_json::from_slice(bytes).map_or_else(|_| String::new(), |Head { kind }| kind);
    match kind.as_str() {
        COUNTS => counts_pages(&CountsManifest::parse(bytes)?),
        PERTURBED => perturbed_pages(&PerturbedManifest::parse(bytes)?),
        _ => pages(&Manifest::parse(bytes)?),
    }
}

/// Findings, and attacks that were not made, as a manifest holds them.
#[must_use]
pub fn told(findings: &[Finding], not_made: &[NotMade]) -> (Vec<Value>, Vec<Value>) {
    (findings.iter().map(tree).collect(), not_made.iter().map(tree).collect())
}

/// Drawings of randomized columns as a manifest holds them.
#[must_use]
pub fn told_of_pictures(pictures: &[PerturbedPicture]) -> Vec<Value> {
    pictures.iter().map(tree).collect()
}

fn assessment(shown: &Shown) -> Result<Assessment, PageError> {
    Ok(Assessment {
        attacks: read(&shown.attacks)?,
        not_made: read(&shown.not_made)?,
        ..Assessment::default()
    })
}

fn read<T: DeserializeOwned>(values: &[Value]) -> Result<Vec<T>, PageError> {
    values.iter().map(|own| T::deserialize(own).map_err(|_| PageError::Shown)).collect()
}

/// The files that were there before the pages.
fn tables(files: &[File]) -> Vec<File> {
    files.iter().filter(|file| !PAGES.contains(&file.name.as_str())).cloned().collect()
}

fn both(html: String, json: &Value) -> Files {
    let [page, facts] = PAGES.map(str::to_owned);
    vec![(page, html.into_bytes()), (facts, format!("{json:#}\n").into_bytes())]
}
