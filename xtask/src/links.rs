//! Whether the links between pages of the documentation lead somewhere: the file is there, and so is the heading.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell::Tally;
use crate::workspace;

/// Checks the links of pages. Links to the web are not followed.
pub fn check(pages: &[PathBuf]) -> Result<Tally> {
    let (mut links, mut broken) = (0, Vec::new());
    for page in pages {
        let text = read(page)?;
        for (number, line) in text.lines().enumerate() {
            for target in targets(line).filter(|target| !target.contains("://")) {
                links += 1;
                if !leads_somewhere(page, target)? {
                    let name = page.strip_prefix(workspace::root()).unwrap_or(page).display();
                    broken.push(format!("{name}:{}: {target}", number + 1));
                }
            }
        }
    }
    if broken.is_empty() {
        println!("  ok       all {links} links between pages lead somewhere");
        return Ok(Tally { passed: 1, ..Tally::default() });
    }
    println!("  FAILED   links that lead nowhere: {}", broken.join(", "));
    Ok(Tally { failed: 1, ..Tally::default() })
}

fn read(page: &Path) -> Result<String> {
    std::fs::read_to_string(page).with_context(|| page.display().to_string())
}

fn leads_somewhere(page: &Path, target: &str) -> Result<bool> {
    let (file, heading) =
        target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
    let there = match file {
        "" => page.to_owned(),
        file => page.parent().unwrap_or(page).join(file),
    };
    match heading {
        _ if !there.exists() => Ok(false),
        None => Ok(true),
        Some(heading) => Ok(headings(&read(&there)?).any(|anchor| anchor == heading)),
    }
}

/// What stands between `](` and `)` on a line.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// The anchors of the headings of a page.
fn headings(page: &str) -> impl Iterator<Item = String> {
    page.lines().filter(|line| line.starts_with('#')).map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_anchors_are_found() {
        let line = "see [a](x.md) and [b](y.md#c-d), not (z)";
        assert_eq!(targets(line).collect::<Vec<_>>(), ["x.md", "y.md#c-d"]);
        let page = "# One two\ntext\n### What the seal is `not`\n";
        assert_eq!(headings(page).collect::<Vec<_>>(), ["one-two", "what-the-seal-is-not"]);
    }
}
