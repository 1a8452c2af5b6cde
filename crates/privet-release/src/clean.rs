//! Finds what killed runs left in a folder, for any destination, and removes it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::draft_folder::{discard, is_abandoned, is_ours};

/// What happened to a leftover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// A draft, or a release that was replaced: it was removed.
    Removed,
    /// A release that had been moved aside and never replaced: it has its name again.
    Restored,
    /// The process that made it is running, or may be.
    InUse,
    /// It has the name of a draft, and nothing in it tells that it is one.
    Foreign,
    /// It could not be removed.
    Failed,
}

/// Kinds of names beside a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A draft.
    Draft,
    /// A release that moved aside for a moment.
    Aside,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Draft => "partial",
            Kind::Aside => "replaced",
        }
    }
}

/// Takes `.NAME.partial-<pid>-<n>` or `.NAME.replaced-<pid>-<n>` apart: the name, the kind and the process.
pub(crate) fn parse(name: &OsStr) -> Option<(OsString, Kind, u32)> {
    let text = name.to_str()?;
    let rest = text.strip_prefix('.')?;
    let (of, ending) = rest.rsplit_once('.')?;
    let (word, numbers) = ending.split_once('-')?;
    let kind = [Kind::Draft, Kind::Aside].into_iter().find(|kind| kind.word() == word)?;
    let (pid, number) = numbers.split_once('-')?;
    number.parse::<u64>().ok()?;
    (!of.is_empty()).then_some(())?;
    Some((of.into(), kind, pid.parse().ok()?))
}

/// Looks after one leftover. With `dry` nothing is changed, and the fate is the one that it would have.
pub(crate) fn settle(path: &Path, destination: &Path, kind: Kind, pid: u32, dry: bool) -> Fate {
    // An old release is not locked by whoever moved it aside.
    if !is_abandoned(pid, path, kind == Kind::Draft) {
        return Fate::InUse;
    }
    if !is_ours(path) {
        return Fate::Foreign;
    }
    if kind == Kind::Aside && fs::symlink_metadata(destination).is_err() {
        // When this fails the release stays aside, where nothing is lost.
        return match dry || fs::rename(path, destination).is_ok() {
            true => Fate::Restored,
            false => Fate::Failed,
        };
    }
    if !dry {
        discard(path);
    }
    match dry || fs::symlink_metadata(path).is_err() {
        true => Fate::Removed,
        false => Fate::Failed,
    }
}

/// Removes every draft in a folder whose process is gone, and gives releases back that were moved aside. What is not
/// certainly a draft of privet stays. With `dry` nothing is changed. Returns what was found, sorted by name.
///
/// # Errors
/// When the folder cannot be read.
pub fn clean(folder: &Path, dry: bool) -> io::Result<Vec<(PathBuf, Fate)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            continue;
        }
        let Some((name, kind, pid)) = parse(&entry.file_name()) else { continue };
        let path = folder.join(entry.file_name());
        let fate = settle(&path, &folder.join(name), kind, pid, dry);
        found.push((path, fate));
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft_folder::DraftFolder;

    #[test]
    fn leftovers_are_told_from_other_hidden_files() {
        let parsed = |name: &str| {
            parse(OsStr::new(name)).map(|(of, kind, pid)| (of.into_string().unwrap(), kind, pid))
        };
        assert_eq!(parsed(".a.b.partial-12-3"), Some(("a.b".into(), Kind::Draft, 12)));
        assert_eq!(parsed(".a.replaced-12-0"), Some(("a".into(), Kind::Aside, 12)));
        for other in [
            "",
            ".a.partial",
            ".a.partial-x-1",
            ".a.partial-1-x",
            ".a.backup-1-2",
            "a.partial-1-2",
            "..partial-1-2",
        ] {
            assert_eq!(parsed(other), None, "{other}");
        }
    }

    /// No process has this number: it is above the largest that Linux gives out.
    const NOBODY: &str = "4194999";

    #[test]
    fn drafts_of_killed_processes_go_and_nothing_else() {
        if !Path::new("/proc/self").exists() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        drop(DraftFolder::make(at(&format!(".a.partial-{NOBODY}-0"))).unwrap());
        fs::write(at(&format!(".a.partial-{NOBODY}-0/data.csv")), "x").unwrap();
        let held = DraftFolder::make(at(&format!(".b.partial-{NOBODY}-0"))).unwrap();
        for name in ["films", ".films.partial-4194999-0", ".c.replaced-4194999-0"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(&format!("{name}/film.part")), "x").unwrap();
        }
        fs::write(at(&format!(".d.partial-{NOBODY}-0")), "a file").unwrap();
        let fates = [
            (at(&format!(".a.partial-{NOBODY}-0")), Fate::Removed),
            (at(&format!(".b.partial-{NOBODY}-0")), Fate::InUse),
            (at(".c.replaced-4194999-0"), Fate::Foreign),
            (at(".films.partial-4194999-0"), Fate::Foreign),
        ];
        assert_eq!(clean(folder.path(), true).unwrap(), fates);
        assert!(at(&format!(".a.partial-{NOBODY}-0")).exists(), "only told");
        assert_eq!(clean(folder.path(), false).unwrap(), fates);
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(
            left,
            [
                ".b.partial-4194999-0",
                ".c.replaced-4194999-0",
                ".d.partial-4194999-0",
                ".films.partial-4194999-0",
                "films"
            ]
        );
        drop(held);
    }
}
