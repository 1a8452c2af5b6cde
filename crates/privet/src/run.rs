//! From a job to a release: make, prove, attack, and only then publish.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use privet_data::io::{formulas_of_csv, open_plain};
use privet_data::{Notice, Progress};
use privet_kind::{Assessment, JobFile, Kind, KindError, Knowledge, OutputSection, OwnerFiles};
use privet_referee::REFEREES;
use privet_release::{Draft, Envelope, ReleaseFolder};
use serde::Serialize;

use crate::assess::{self, Plan};
use crate::{home, pages, registry};

/// What a run came to.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The kind of the release.
    pub kind: &'static str,
    /// Where the release is.
    pub release: PathBuf,
    /// Where the owner's files are.
    pub home: Option<PathBuf>,
    /// The promises as sentences.
    pub promises: Vec<String>,
    /// What was done: names and values.
    pub summary: Vec<(String, String)>,
    /// What attacks and measures found.
    pub assessment: Assessment,
}

/// Makes the release that a job asks for. Nothing is published unless every promise was proven from the draft's files and no attack
/// exceeds a limit.
///
/// # Errors
/// When the job or the input is wrong, a promise cannot be kept, or an attack exceeds a limit. Nothing is left behind then.
pub fn run(job: &JobFile, reproduce: &[String], progress: &dyn Progress) -> Result<Report, KindError> {
    let kind = registry::required(job.kind().unwrap_or_default())?;
    job.check_sections(kind.sections())?;
    let output = job.output()?;
    let destination = job.resolve(&output.folder);
    let home = output.home.as_ref().map(|home| job.resolve(home));
    let inputs = kind.inputs(job)?;
    home::check(&destination, home.as_deref(), &inputs, job.path())?;
    let (known, plan) = adversary(job, kind)?;

    let draft = Draft::begin(&destination, output.replace)?.signed_with(output.key(job)?);
    let made = kind.make(job, &draft, progress)?;
    tell_formulas(&draft, progress)?;
    let mut envelope = Envelope::new(kind.id(), made.body);
    envelope.promises = made.promises;
    envelope.randomness = made.randomness;
    envelope.reproduce = reproduce.to_vec();
    let folder = ReleaseFolder::trusted(draft.path(), draft.sealed(envelope.clone())?);
    prove(kind, &folder, progress)?;

    // The attacks see what was written to the draft, not what the maker still has in memory.
    let release = kind.open(&folder, progress)?;
    let original = kind.original(job, &made.owner, progress)?;
    let views = release.views();
    let mut assessment = assess::attack(kind, views, Some(original.views()), &known, &plan, progress)?;
    if let Some(exceeded) = assessment.exceeded() {
        return Err(assess::refusal(&exceeded));
    }
    if let Some(limit) = assessment.unchecked() {
        return Err(assess::unchecked(limit));
    }
    envelope.assessment = serde_json::to_value(assessment.public())
        .map_err(|_| KindError::bad_input("what attacks found cannot be written"))?;
    let stated = draft.sealed(envelope.clone())?;
    for (name, bytes) in pages::files(&pages::public(kind, &*release, &stated)?) {
        write_to(&draft, name, &bytes)?;
    }
    if let Some(home) = &home {
        assess::measure(kind, views, original.views(), &mut assessment, progress)?;
        let page = pages::owner(kind, &*release, &stated, &assessment);
        home::keep(home, &made.owner, &page, &inputs, job.path())?;
    }
    let envelope = draft.commit(envelope)?;
    let promises = pages::promises(&envelope);
    Ok(Report { kind: kind.id(), release: destination, home, promises, summary: made.summary, assessment })
}

/// What the adversary knows and may reach, as a job says.
fn adversary(job: &JobFile, kind: &dyn Kind) -> Result<(Knowledge, Plan), KindError> {
    let section = job.adversary()?;
    let mut known = match &section.knowledge {
        Some(path) => Knowledge::read(&job.resolve(path), &assess::ids(kind))?,
        None => Knowledge::default(),
    };
    (known.seed, known.confidence) = (section.seed, section.confidence);
    let plan = Plan {
        attacks: section.attacks,
        max_risk: section.max_risk,
        max_absolute_risk: section.max_absolute_risk,
    };
    Ok((known, plan))
}

/// Tells of cells that are formulas to whoever opens a published table in a spreadsheet.
fn tell_formulas(draft: &Draft, progress: &dyn Progress) -> Result<(), KindError> {
    let mut cells: u64 = 0;
    for file in draft.finished().iter().filter(|file| file.name.ends_with(".csv")) {
        let path = draft.path().join(&file.name);
        let failed = |error: std::io::Error| KindError::io(Path::new(&file.name), &error);
        let source = BufReader::with_capacity(1 << 16, open_plain(&path).map_err(failed)?);
        cells = cells.saturating_add(formulas_of_csv(source).map_err(failed)?);
        progress.check()?;
    }
    if cells > 0 {
        progress.notice(Notice::Formulas { cells });
    }
    Ok(())
}

/// Checks every promise from the files of the draft, as whoever receives the release will.
fn prove(kind: &dyn Kind, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<(), KindError> {
    let referee = REFEREES.iter().find(|referee| referee.kind() == kind.id());
    let referee = referee.ok_or_else(|| KindError::bad_input("this kind of release has no referee"))?;
    let unknown = folder.envelope().promises.iter().any(|promised| referee.statement(promised).is_none());
    let checks = referee.verify(folder, progress)?;
    match checks.iter().find(|check| !check.ok) {
        None if !unknown => Ok(()),
        None => Err(KindError::refused(
            "the release states a promise that its kind does not have; no release was written",
        )),
        Some(check) => Err(KindError::refused(format!(
            "the release does not keep what it states ({}: {}); no release was written",
            check.name, check.detail
        ))),
    }
}

fn write_to(draft: &Draft, name: &str, bytes: &[u8]) -> Result<(), KindError> {
    use std::io::Write;
    let mut file = draft.create(name)?;
    file.write_all(bytes).map_err(|error| KindError::io(Path::new(name), &error))?;
    file.finish()?;
    Ok(())
}

/// Where the owner's files of a job are.
pub(crate) fn owner_files(job: &JobFile) -> Result<OwnerFiles, KindError> {
    let OutputSection { home, .. } = job.output()?;
    home.map_or_else(|| Ok(OwnerFiles::default()), |home| OwnerFiles::read(&job.resolve(&home)))
}
