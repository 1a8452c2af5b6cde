//! The order in which the guide is read: `docs/SUMMARY.md` names every page of `docs/guide` once, no page takes longer than about ten
//! minutes to read, and every picture is named by a page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell::Tally;
use crate::workspace;

/// The table of contents of the site.
pub const SUMMARY: &str = "docs/SUMMARY.md";
/// The most bytes of a page: what one reads in ten minutes, and a margin for tables.
const LONGEST: u64 = 16_000;

/// Checks the contents, the sizes and the pictures of the guide.
pub fn check(pages: &[PathBuf]) -> Result<Tally> {
    let root = workspace::root();
    let summary = std::fs::read_to_string(root.join(SUMMARY)).context(SUMMARY)?;
    let mut problems = contents(&root, &summary, pages);
    for page in pages {
        let size = std::fs::metadata(page).with_context(|| page.display().to_string())?.len();
        if size > LONGEST {
            problems.push(format!("{} has {size} bytes; split it at {LONGEST}", shown(&root, page)));
        }
    }
    problems.extend(pictures(&root, pages)?);
    if problems.is_empty() {
        println!("  ok       {SUMMARY} names all {} pages, none of them too long", pages.len());
        return Ok(Tally { passed: 1, ..Tally::default() });
    }
    println!("  FAILED   {}", problems.join("; "));
    Ok(Tally { failed: 1, ..Tally::default() })
}

/// Pages that the contents lack, name twice, or name without there being one.
fn contents(root: &Path, summary: &str, pages: &[PathBuf]) -> Vec<String> {
    let mut named: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for target in targets(summary) {
        *named.entry(normal(&root.join("docs"), target)).or_default() += 1;
    }
    let mut problems = Vec::new();
    for page in pages {
        match named.get(page) {
            Some(1) => {}
            Some(_) => problems.push(format!("{SUMMARY} names {} twice", shown(root, page))),
            None => problems.push(format!("add {} to {SUMMARY}", shown(root, page))),
        }
    }
    let absent = named.keys().filter(|page| !page.is_file());
    problems.extend(absent.map(|page| format!("{SUMMARY}: there is no {}", shown(root, page))));
    problems
}

/// Pictures beside the pages that no page shows.
fn pictures(root: &Path, pages: &[PathBuf]) -> Result<Vec<String>> {
    let mut texts = String::new();
    for page in pages {
        texts.push_str(&std::fs::read_to_string(page).with_context(|| page.display().to_string())?);
    }
    let mut problems = Vec::new();
    for folder in ["docs/guide", "docs/guide/pictures"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        for entry in entries {
            let path = entry?.path();
            let is_picture = path.extension().is_some_and(|ending| ending == "svg" || ending == "png");
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_picture && !texts.contains(&name) {
                problems.push(format!("no page shows {folder}/{name}"));
            }
        }
    }
    problems.sort();
    Ok(problems)
}

/// What stands between `](` and `)`.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// A relative target without `..`.
fn normal(folder: &Path, target: &str) -> PathBuf {
    let mut path = folder.to_owned();
    for part in target.split('/') {
        match part {
            ".." => {
                path.pop();
            }
            "." | "" => {}
            part => path.push(part),
        }
    }
    path
}

fn shown(root: &Path, page: &Path) -> String {
    page.strip_prefix(root).unwrap_or(page).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_the_contents_lack_is_found() {
        let root = Path::new("/nowhere");
        let page = |name: &str| root.join("docs/guide").join(name);
        let summary = "- [A](guide/a.md)\n- [B](guide/b.md)\n- [B](guide/b.md)\n";
        let pages = [page("a.md"), page("b.md"), page("c.md")];
        let problems = contents(root, summary, &pages);
        assert_eq!(problems[0], "docs/SUMMARY.md names docs/guide/b.md twice");
        assert_eq!(problems[1], "add docs/guide/c.md to docs/SUMMARY.md");
        assert!(problems[2].ends_with("there is no docs/guide/a.md"), "nothing of it is on this disk");
    }

    #[test]
    fn targets_are_relative_to_the_summary() {
        assert_eq!(normal(Path::new("/r/docs"), "../README.md"), Path::new("/r/README.md"));
        assert_eq!(targets("[a](x.md) and ![b](y.svg)").collect::<Vec<_>>(), ["x.md", "y.svg"]);
    }
}
