//! `attack` and `measure` on a published release of a kind on the seam.

use std::path::{Path, PathBuf};

use privet_data::Progress;
use privet_kind::{Assessment, Kind, KindError, Knowledge, Original};
use privet_release::{ManifestFile, ReleaseFolder};

use crate::assess::{self, Plan};
use crate::home::private;
use crate::run::owner_files;
use crate::{pages, registry};

/// What `attack` is asked for.
#[derive(Debug, Clone)]
pub struct AttackOptions {
    /// The release.
    pub release: PathBuf,
    /// The knowledge file.
    pub knowledge: Option<PathBuf>,
    /// The job that the release was made by: it names the original, and the owner's folder where it is told who is who.
    pub job: Option<PathBuf>,
    /// Which attacks, and what they may reach.
    pub plan: Plan,
    /// How sure an adversary must be for a conclusion to count.
    pub confidence: f64,
    /// The seed of attacks that draw at random.
    pub seed: u64,
    /// Where to write the owner's page.
    pub report: Option<PathBuf>,
}

/// Attacks a release.
///
/// # Errors
/// When the release, the knowledge file or the job cannot be used, or an attack that was asked for cannot be made. A limit that is
/// exceeded is told by [`Assessment::exceeded`].
pub fn attack(options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, KindError> {
    attack_folder(&ReleaseFolder::open(&options.release, progress)?, options, progress)
}

/// Attacks the release of a manifest that was read; it is not read again.
///
/// # Errors
/// As [`attack`].
pub fn attack_manifest(
    manifest: &ManifestFile,
    options: &AttackOptions,
    progress: &dyn Progress,
) -> Result<Assessment, KindError> {
    attack_folder(&ReleaseFolder::of(manifest, progress)?, options, progress)
}

fn attack_folder(
    folder: &ReleaseFolder,
    options: &AttackOptions,
    progress: &dyn Progress,
) -> Result<Assessment, KindError> {
    let kind = registry::required(&folder.envelope().kind)?;
    let release = kind.open(folder, progress)?;
    let original = options.job.as_ref().map(|job| original(kind, job, progress)).transpose()?;
    let mut known = match &options.knowledge {
        Some(path) => Knowledge::read(path, &assess::ids(kind))?,
        None => Knowledge::default(),
    };
    (known.seed, known.confidence) = (options.seed, options.confidence);
    let views = original.as_ref().map(|own| own.views());
    let assessment = assess::attack(kind, release.views(), views, &known, &options.plan, progress)?;
    if let Some(report) = &options.report {
        write_page(report, &pages::owner(kind, &*release, folder.envelope(), &assessment))?;
    }
    Ok(assessment)
}

/// Measures a release beside the original that a job names.
///
/// # Errors
/// When the release or the job cannot be used.
pub fn measure(
    job: &Path,
    release: &Path,
    report: Option<&Path>,
    progress: &dyn Progress,
) -> Result<Assessment, KindError> {
    let folder = ReleaseFolder::open(release, progress)?;
    let kind = registry::required(&folder.envelope().kind)?;
    let release = kind.open(&folder, progress)?;
    let original = original(kind, job, progress)?;
    let mut assessment = Assessment::default();
    assess::measure(kind, release.views(), original.views(), &mut assessment, progress)?;
    if let Some(report) = report {
        write_page(report, &pages::owner(kind, &*release, folder.envelope(), &assessment))?;
    }
    Ok(assessment)
}

fn original(kind: &dyn Kind, job: &Path, progress: &dyn Progress) -> Result<Box<dyn Original>, KindError> {
    let file = registry::read_job(job, &[])?;
    if file.kind() != Some(kind.id()) {
        let problem = format!(
            "the job is not about releases of kind `{}`; give the job that made the release",
            kind.id()
        );
        return Err(KindError::bad_input(problem).at(job));
    }
    kind.original(&file, &owner_files(&file)?, progress)
}

/// Writes the owner's page; an earlier page is replaced, no other file is.
fn write_page(path: &Path, page: &privet_kind::Page) -> Result<(), KindError> {
    let is_other = path.exists()
        && !privet_data::io::read_plain(path, privet_data::io::input_limit())
            .is_ok_and(|bytes| privet_report::is_page(&String::from_utf8_lossy(&bytes)));
    if is_other {
        return Err(KindError::bad_input("exists and is not a page of privet; name another file").at(path));
    }
    let [(_, html), _] = pages::files(page);
    private(path, &html)
}
