//! Who holds a ledger that is locked, as far as the system tells: for the person who waits.

use std::path::Path;

/// The program that has locked a file of a ledger; none where that cannot be found out.
#[cfg(target_os = "linux")]
pub(super) fn holder_of(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let inode = path.metadata().ok()?.ino();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let own = std::process::id();
    let mut holders = locks.lines().filter_map(|line| {
        // 1: POSIX  ADVISORY  WRITE 3412 08:02:4456448 1073741826 1073742335, and `->` before who waits.
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, "POSIX", _, kind, process, file, ..] = fields[..] else { return None };
        let is_file = file.rsplit(':').next()?.parse::<u64>().ok()? == inode;
        let process: u32 = process.parse().ok()?;
        (is_file && process != own && process != 0).then_some((kind == "WRITE", process))
    });
    let first = holders.next()?;
    // Whoever writes is who is waited for; readers wait as well.
    let (_, process) = holders.fold(first, |found, other| if found.0 { found } else { other });
    let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    let name: String = name.trim().chars().filter(|own| !super::unseen(*own)).collect();
    Some(match name.is_empty() {
        true => format!("process {process}"),
        false => format!("process {process} ({name})"),
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn holder_of(_path: &Path) -> Option<String> {
    None
}
