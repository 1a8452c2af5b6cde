//! Rust sources as `cargo xtask house` looks at them: what is code, what is a text, what is a test.
//!
//! A lexer for comments, texts and braces, no parser: enough to count lines and places, and it needs no other crate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A source file. Comments and tests are blanked, so that places and lines stay where they are.
pub struct Source {
    /// Its path from the root of the repository.
    pub path: PathBuf,
    /// Its code with its texts.
    pub code: String,
    /// Its code with the inside of its texts blanked.
    pub bare: String,
    /// What its module comment holds.
    pub comment: String,
}

/// All sources of the crates and kinds, without tests.
pub fn all(root: &Path) -> Result<Vec<Source>> {
    let mut files = Vec::new();
    for place in ["crates", "kinds"] {
        for folder in folders(&root.join(place))? {
            collect(&folder.join("src"), &mut files)?;
        }
    }
    files.sort();
    let mut sources = Vec::new();
    let mut tests = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let (source, modules) = Source::read(file.strip_prefix(root).unwrap_or(&file), &text);
        tests.extend(modules);
        sources.push(source);
    }
    sources.retain(|source| !source.path.ancestors().any(|path| tests.contains(&path.with_extension(""))));
    Ok(sources)
}

/// The folders in a folder, in order.
pub fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut folders: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    Ok(folders)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

impl Source {
    /// A source, and the modules that it says are tests: their paths without an ending.
    pub(super) fn read(path: &Path, text: &str) -> (Self, Vec<PathBuf>) {
        let comment = text.lines().filter_map(|line| line.strip_prefix("//!")).collect::<Vec<_>>().join("\n");
        let (mut code, mut bare) = lex(text);
        let mut modules = Vec::new();
        while let Some(from) = bare.find("#[cfg(test)]") {
            let rest = &bare[from..];
            let open = rest.find('{').unwrap_or(rest.len());
            let end = rest.find(';').unwrap_or(rest.len());
            let to = if end < open {
                let item = rest[..end].trim();
                if let Some((_, name)) = item.rsplit_once("mod ") {
                    modules.push(children(path).join(name.trim()));
                }
                from + end + 1
            } else {
                closing(&bare, from + open).map_or(bare.len(), |end| end + 1)
            };
            blank(&mut code, from, to);
            blank(&mut bare, from, to);
        }
        (Self { path: path.to_owned(), code, bare, comment }, modules)
    }

    /// Lines that hold code.
    pub fn lines(&self) -> usize {
        self.code.lines().filter(|line| !line.trim().is_empty()).count()
    }

    /// Lines up to the last that holds code, comments included: how long the file is without its tests.
    pub fn length(&self) -> usize {
        let last = self.code.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).last();
        last.map_or(0, |(at, _)| at + 1)
    }

    /// The line of a place.
    pub fn line_of(&self, place: usize) -> usize {
        self.code[..place].matches('\n').count() + 1
    }

    /// Every function: its name, its first line, and how many lines it has.
    pub fn functions(&self) -> Vec<(&str, usize, usize)> {
        let mut found = Vec::new();
        for (at, _) in self.bare.match_indices("fn ") {
            let is_word = self.bare[..at].chars().next_back().is_none_or(|c| !is_of_word(c));
            let rest = &self.bare[at + 3..];
            let name = &rest[..rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())];
            if !is_word || name.is_empty() {
                continue;
            }
            let mut depth = 0_i32;
            let body = rest.char_indices().find(|(_, c)| {
                match c {
                    '(' | '[' => depth += 1,
                    ')' | ']' => depth -= 1,
                    _ => {}
                }
                depth == 0 && matches!(c, '{' | ';')
            });
            if let Some((open, '{')) = body
                && let Some(end) = closing(&self.bare, at + 3 + open)
            {
                let first = self.line_of(at);
                found.push((name, first, self.line_of(end) - first + 1));
            }
        }
        found
    }

    /// The texts of the code with the places of their quotation marks.
    pub fn texts(&self) -> Vec<(usize, &str)> {
        let mut found = Vec::new();
        let mut marks = self.bare.match_indices('"').map(|(at, _)| at);
        while let (Some(from), Some(to)) = (marks.next(), marks.next()) {
            found.push((from, &self.code[from + 1..to]));
        }
        found
    }
}

/// Whether a character may be in a name.
pub fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Where the modules of a file lie.
fn children(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    match path.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "main" | "mod") | None => folder.to_owned(),
        Some(stem) => folder.join(stem),
    }
}

/// The brace that closes the one at this place.
fn closing(bare: &str, open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    let found = bare[open..].char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    found.map(|(at, _)| open + at)
}

fn blank(text: &mut String, from: usize, to: usize) {
    let blanks: String = text[from..to].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    text.replace_range(from..to, &blanks);
}

/// The code without comments, with and without the inside of texts; every byte stays where it is.
fn lex(text: &str) -> (String, String) {
    let bytes = text.as_bytes();
    let (mut code, mut bare) = (text.to_owned(), text.to_owned());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let before = at.checked_sub(1).map(|before| char::from(bytes[before]));
        if rest.starts_with(b"//") {
            let end = at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            blank(&mut code, at, end);
            blank(&mut bare, at, end);
            at = end;
        } else if rest.starts_with(b"/*") {
            let end = text[at..].find("*/").map_or(bytes.len(), |end| at + end + 2);
            blank(&mut code, at, end);
            blank(&mut bare, at, end);
            at = end;
        } else if let Some(hashes) = raw(rest).filter(|_| before.is_none_or(|c| c == 'b' || !is_of_word(c))) {
            let from = at + hashes + 2;
            let mark = format!("\"{}", "#".repeat(hashes));
            let end = text[from..].find(&mark).map_or(bytes.len(), |end| from + end);
            blank(&mut bare, from, end);
            // Signs of numbers beside the quotation marks are no code either.
            at = (end + mark.len()).min(bytes.len());
        } else if rest[0] == b'"' {
            let end = quoted(bytes, at, b'"');
            blank(&mut bare, at + 1, end);
            at = end + 1;
        } else if rest[0] == b'\'' && is_character(rest) {
            let end = quoted(bytes, at, b'\'');
            blank(&mut bare, at, (end + 1).min(bytes.len()));
            at = end + 1;
        } else {
            at += 1;
        }
    }
    (code, bare)
}

/// How many `#` a raw text that begins here has.
fn raw(rest: &[u8]) -> Option<usize> {
    let after = rest.strip_prefix(b"r")?;
    let hashes = after.iter().take_while(|&&byte| byte == b'#').count();
    (after.get(hashes) == Some(&b'"')).then_some(hashes)
}

/// Whether a quotation mark begins a character and no lifetime.
fn is_character(rest: &[u8]) -> bool {
    rest.get(1) == Some(&b'\\')
        || std::str::from_utf8(&rest[1..rest.len().min(6)]).map_or_else(
            |error| rest.get(1 + error.valid_up_to().min(4)) == Some(&b'\''),
            |text| text.chars().nth(1) == Some('\''),
        )
        || rest.get(1).is_some_and(|byte| !byte.is_ascii())
}

/// Where the mark stands that ends what begins here.
fn quoted(bytes: &[u8], from: usize, mark: u8) -> usize {
    let mut at = from + 1;
    while at < bytes.len() && bytes[at] != mark {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! What it is.\n\nfn one(a: [u8; 2]) -> char {\n    // a \"comment\" {\n    let lifetime: &'static str = \"} fn no() {\";\n    \
                        let raw = r#\"a \"b\" {\"#;\n    '{'\n}\n\nfn two();\n\n#[cfg(test)]\nmod tests {\n    fn three() {}\n}\n#[cfg(test)]\nmod laws;\n";

    #[test]
    fn functions_end_where_their_braces_do() {
        let (source, tests) = Source::read(Path::new("crates/a/src/lib.rs"), TEXT);
        assert_eq!(source.functions(), [("one", 3, 6)]);
        assert_eq!(tests, [PathBuf::from("crates/a/src/laws")]);
        assert_eq!(source.comment.trim(), "What it is.");
        assert_eq!((source.lines(), source.length()), (6, 10));
    }

    #[test]
    fn texts_are_found_where_they_stand() {
        let (source, _) = Source::read(Path::new("a.rs"), TEXT);
        let texts: Vec<&str> = source.texts().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts[0], "} fn no() {");
        assert_eq!(source.line_of(source.texts()[0].0), 5);
    }
}
