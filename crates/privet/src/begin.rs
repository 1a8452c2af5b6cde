//! First steps: recognising the shape of a file, and stories on generated data.

use std::path::{Path, PathBuf};

use privet_data::Progress;
use privet_data::io::ReadOptions;
use privet_kind::{JobFile, KindError, Proposal, Sample};

use crate::registry::KINDS;
use crate::run::{Report, run};

/// How much of a file is looked at as text.
const HEAD: u64 = 64 * 1024;

/// Below this confidence a file is a table of one row per person.
const SURE: f64 = 0.5;

/// The shape that a file has, if a kind on the seam recognises it: the id of the kind, and what it proposes. The proposed job
/// stands beside the file.
pub fn propose(path: &Path, progress: &dyn Progress) -> Option<(&'static str, Proposal)> {
    propose_as(path, Path::new(path.file_name()?), progress)
}

/// As [`propose`], for a job that stands elsewhere and so names the file by another path.
pub fn propose_as(path: &Path, named: &Path, progress: &dyn Progress) -> Option<(&'static str, Proposal)> {
    use std::io::Read;
    let mut head = Vec::new();
    privet_data::io::open_plain(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    // A character may be cut in two at the end.
    let valid = match std::str::from_utf8(&head) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    let table = privet_data::io::read(path, &ReadOptions::default(), &Quietly(progress)).ok();
    let sample = Sample { path: named, head: valid, table: table.as_ref().map(|input| &input.table) };
    let proposals = KINDS.iter().filter_map(|kind| Some((kind.id(), kind.recognise(&sample)?)));
    proposals
        .filter(|(_, own)| own.confidence > SURE)
        .max_by(|(_, a), (_, b)| a.confidence.total_cmp(&b.confidence))
}

/// Tells where a first look is, and leaves what is odd about a file to whoever reads it next.
struct Quietly<'a>(&'a dyn Progress);

impl Progress for Quietly<'_> {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.0.stage(name, total);
    }

    fn at(&self, done: u64) {
        self.0.at(done);
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// A part of a story: what a job shows, and what it came to.
pub struct Chapter {
    /// What the job shows.
    pub title: &'static str,
    /// The job file.
    pub job: PathBuf,
    /// What it came to; a refusal of the gate is a part of the story.
    pub outcome: Result<Report, KindError>,
}

/// Shapes that have a story.
pub fn shapes() -> Vec<&'static str> {
    KINDS.iter().filter(|kind| kind.demo().is_some()).map(|kind| kind.id()).collect()
}

/// Tells the story of a shape in a folder, which must be empty or hold an earlier story of the same shape.
///
/// # Errors
/// When there is no such story, or the folder holds something else.
pub fn demo(
    shape: &str,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<(&'static str, Vec<Chapter>), KindError> {
    let story = KINDS.iter().find(|kind| kind.id() == shape).and_then(|kind| kind.demo());
    let story = story
        .ok_or_else(|| KindError::bad_input(format!("--shape takes one of: {}", shapes().join(", "))))?;
    let failed = |error: std::io::Error| KindError::io(folder, &error);
    let mark = folder.join(format!(".privet-demo-{shape}"));
    let is_ours = !folder.exists()
        || mark.exists()
        || std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    if !is_ours {
        return Err(KindError::bad_input("holds files of somebody else; name an empty folder with --folder")
            .at(folder));
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    std::fs::write(&mark, "").map_err(failed)?;
    for (name, bytes) in &story.files {
        std::fs::write(folder.join(name), bytes).map_err(failed)?;
    }
    let mut chapters = Vec::new();
    for (name, title) in &story.jobs {
        let path = folder.join(name);
        let settings = ["output.replace=true".to_owned()];
        let outcome = JobFile::read(&path, &settings)
            .and_then(|job| run(&job, &[format!("privet anonymize {name}")], progress));
        if outcome.as_ref().is_err_and(|error| error.fault() != privet_kind::Fault::Refused) {
            return outcome.map(|_| ("", Vec::new()));
        }
        chapters.push(Chapter { title, job: path, outcome });
    }
    Ok((story.introduction, chapters))
}
