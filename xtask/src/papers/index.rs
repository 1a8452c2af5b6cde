//! `docs/evidence/README.md`: every page of evidence with its claims, and whether they hold, as the pages themselves say.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

/// What the index is called.
const INDEX: &str = "README.md";

/// A page as the index tells it.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    file: String,
    title: String,
    holds: Vec<String>,
    fails: Vec<String>,
    open: Vec<String>,
}

/// Writes the index from the pages that there are.
pub fn write(evidence: &Path) -> Result<()> {
    let file = evidence.join(INDEX);
    std::fs::write(&file, text(&entries(evidence)?)).with_context(|| file.display().to_string())?;
    println!("written to {}", file.display());
    Ok(())
}

/// Whether the index tells what the pages tell.
pub fn is_up_to_date(evidence: &Path) -> Result<bool> {
    let stands = std::fs::read_to_string(evidence.join(INDEX)).unwrap_or_default();
    let is_same = stands == text(&entries(evidence)?);
    if !is_same {
        println!("docs/evidence/{INDEX} does not tell what the pages tell: `cargo xtask papers --index`");
    }
    Ok(is_same)
}

fn entries(evidence: &Path) -> Result<Vec<Entry>> {
    let files = std::fs::read_dir(evidence).with_context(|| evidence.display().to_string())?;
    let mut names: Vec<String> =
        files.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<_>>()?;
    names.retain(|name| name.ends_with(".md") && name != INDEX);
    names.sort();
    let read = |name: String| Ok(entry(&name, &std::fs::read_to_string(evidence.join(&name))?));
    names.into_iter().map(read).collect()
}

fn entry(file: &str, text: &str) -> Entry {
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(file).to_owned();
    let ending = |ending: &str| -> Vec<String> {
        let claims = text.lines().filter_map(|line| line.strip_prefix("- ")?.strip_suffix(ending));
        claims.map(str::to_owned).collect()
    };
    // An open claim says why after the word.
    let open =
        text.lines().filter_map(|line| Some(line.strip_prefix("- ")?.split_once(": **open**")?.0.to_owned()));
    Entry {
        file: file.to_owned(),
        title,
        holds: ending(": **yes**"),
        fails: ending(": **no**"),
        open: open.collect(),
    }
}

fn text(entries: &[Entry]) -> String {
    let mut text = "# Evidence\n\nWhat the sources print, made again. Each page has the printed value, ours, and why they differ; `cargo xtask \
                    papers` writes\nthe pages and this index, `cargo xtask papers --list` names the experiments. A claim that does not hold is a \
                    finding about\nthe source, or about what was used instead of data that is not public; the page says which. A claim about times \
                    that are too close\nto tell stays open.\n\n| page | claims that hold | that do not | open |\n| --- | --- | --- | --- |\n"
        .to_owned();
    for entry in entries {
        let _ = writeln!(
            text,
            "| [{}]({}) | {} | {} | {} |",
            entry.title,
            entry.file,
            entry.holds.len(),
            entry.fails.len(),
            entry.open.len()
        );
    }
    let lists: [(&str, fn(&Entry) -> &[String]); 3] = [
        ("What does not hold", |own| &own.fails),
        ("What stays open", |own| &own.open),
        ("What holds", |own| &own.holds),
    ];
    for (title, claims) in lists {
        let _ = writeln!(text, "\n## {title}");
        for entry in entries.iter().filter(|entry| !claims(entry).is_empty()) {
            let _ = writeln!(text, "\n[{}]({}):\n", entry.title, entry.file);
            for claim in claims(entry) {
                let _ = writeln!(text, "- {claim}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_from_pages() {
        let page = "# A page\n\ntext\n\n- one: **yes**\n- two: **no**\n- three: **open**, too close\n- a point of a list\n";
        let read = entry("a.md", page);
        assert_eq!(read.title, "A page");
        assert_eq!(
            (read.holds.clone(), read.fails.clone()),
            (vec!["one".to_owned()], vec!["two".to_owned()])
        );
        let index = text(&[read]);
        assert!(index.contains("| [A page](a.md) | 1 | 1 | 1 |"), "{index}");
        assert!(index.contains("## What stays open\n\n[A page](a.md):\n\n- three\n"), "{index}");
    }
}
