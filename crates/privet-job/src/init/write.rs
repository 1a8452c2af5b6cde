//! The text of a first job file: TOML with comments that say why each line stands there.

use std::collections::HashSet;
use std::fmt::Write as _;

use privet_data::Role;
use privet_data::io::Encoding;

use super::Source;
use super::guess::Guessed;
use super::markers::Markers;
use super::propose::Proposed;

/// Where comments behind a key begin.
const COMMENT_COLUMN: usize = 36;
/// How long a line of comment may be.
const LINE: usize = 100;
/// More candidates than this take a while.
const MANY_CANDIDATES: f64 = 1e7;

/// All that the job file says about a column.
#[derive(Debug)]
pub(super) struct Written<'a> {
    pub(super) name: &'a str,
    pub(super) guessed: Guessed,
    pub(super) hierarchy: Option<Proposed>,
    pub(super) distinct: usize,
}

/// The job file.
pub(super) fn job(
    columns: &[Written<'_>],
    file_name: &str,
    source: &Source,
    markers: &Markers,
    rows: usize,
) -> String {
    let mut out = Text::default();
    head(&mut out, file_name, columns.len(), rows);
    input(&mut out, source, markers);
    let written = all_columns(&mut out, columns);
    privacy(&mut out, &written, rows);
    search(&mut out, &written);
    adversary(&mut out, &written);
    out.key("[output]", "");
    out.key("folder = \"release\"", "what is in it may be published");
    out.0
}

fn head(out: &mut Text, file_name: &str, columns: usize, rows: usize) {
    let file_name: String = file_name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    out.comment(&format!(
        "A first job for {file_name} ({rows} records, {columns} columns), written by `privet init` from what it saw. \
         Every role is a guess, with its reason above it. Read them all: the program cannot know what others know \
         about the people in the data. Then run `privet anonymize` on this file."
    ));
    out.comment("");
    for line in [
        "identifier   names a person by itself; removed",
        "quasi        known to others, linkable in combination; generalized",
        "sensitive    what nobody may learn about a person; published as it is, protected under [privacy]",
        "insensitive  neither; published as it is",
    ] {
        out.comment(line);
    }
    out.line("");
}

fn input(out: &mut Text, source: &Source, markers: &Markers) {
    out.key("[input]", "");
    out.key(&format!("path = {}", string(&source.path)), "relative to this file");
    if let Some(format) = source.format {
        out.key(&format!("format = {}", string(format.word())), "the extension does not tell");
    }
    if let Some(quote) = source.quote {
        out.key(&format!("quote = {}", string(&quote.to_string())), "");
    }
    if let Some(delimiter) = source.delimiter {
        out.key(&format!("delimiter = {}", string(&delimiter.to_string())), "");
    }
    if let Some(encoding) = source.encoding.filter(|&encoding| encoding != Encoding::Utf8) {
        out.key(&format!("encoding = {}", string(encoding.word())), "");
    }
    if source.header_given {
        out.key("header = true", "");
    }
    if source.header == Some(false) {
        out.key("header = false", "the first line is a record");
    }
    let list = |markers: &[String]| markers.iter().map(|m| string(m)).collect::<Vec<_>>().join(", ");
    if markers.certain.iter().any(|m| !source.missing.contains(m)) {
        out.comment("These cells seem to say that a value is missing. Take out of the list what is a value.");
        out.key(&format!("missing = [{}]", list(&markers.certain)), "");
    }
    if !markers.possible.is_empty() {
        out.comment(&format!(
            "Also found: {}. Add to `missing` what says that nobody knows.",
            list(&markers.possible)
        ));
    }
    out.line("");
}

/// Writes the section of every column; returns those that have one.
fn all_columns<'a, 'b>(out: &mut Text, columns: &'b [Written<'a>]) -> Vec<&'b Written<'a>> {
    let mut names = HashSet::new();
    let mut written = Vec::new();
    for column in columns {
        if names.insert(column.name) {
            section(out, column);
            written.push(column);
        } else {
            out.comment(
                "Another column has the same name as one above. Rename it in the data to give it a role.",
            );
            out.line("");
        }
    }
    written
}

fn section(out: &mut Text, column: &Written<'_>) {
    let role = column.guessed.role;
    out.comment(&format!("{}: {}.", capital(role.word()), column.guessed.reason));
    out.line(&format!("[columns.{}]", key(column.name)));
    out.line(&format!("role = \"{}\"", role.word()));
    let alternative = |out: &mut Text, role: Role, when: &str| {
        out.key(&format!("# role = \"{}\"", role.word()), when);
    };
    match role {
        Role::Identifier => alternative(out, Role::Quasi, "if it does not name people"),
        Role::Quasi => {
            alternative(out, Role::Sensitive, "if it is what must not be learned");
            if !column.guessed.understood {
                alternative(out, Role::Insensitive, "if nobody outside can know it");
            }
        }
        Role::Sensitive => alternative(out, Role::Quasi, "if others know it"),
        Role::Insensitive => alternative(out, Role::Quasi, "if it will differ between people"),
    }
    if let Some(hierarchy) = &column.hierarchy {
        out.comment(&format!("{}.", capital(hierarchy.comment)));
        if let Some(spec) = &hierarchy.spec {
            out.line(&format!("hierarchy = {spec}"));
        }
    }
    out.line("");
}

fn privacy(out: &mut Text, columns: &[&Written<'_>], rows: usize) {
    out.key("[privacy]", "");
    if rows < 5 {
        out.comment("The data has fewer records than this, so nothing of it could be published.");
    }
    out.key("k-anonymity = 5", "nobody is told apart from fewer than 4 others");
    let sensitive = columns.iter().copied().filter(|c| c.guessed.role == Role::Sensitive);
    let (diverse, single): (Vec<&Written<'_>>, Vec<_>) = sensitive.partition(|c| c.distinct >= 2);
    let line = |column: &Written<'_>| {
        let l = column.distinct.min(3);
        format!("{{ kind = \"distinct\", l = {l}, column = {} }}", string(column.name))
    };
    if !diverse.is_empty() {
        out.comment(
            "Those who look alike have at least l different values, so that finding the group of a person does not \
             tell the value. Stricter, where the shares of values matter: kind = \"entropy\", or t-closeness \
             (kind = \"ordered\" for numbers, \"equal\" for names of things).",
        );
    }
    match &*diverse {
        [] => {}
        [one] => out.line(&format!("l-diversity = {}", line(one))),
        several => {
            out.line("l-diversity = [");
            for column in several {
                out.line(&format!("    {},", line(column)));
            }
            out.line("]");
        }
    }
    if !single.is_empty() {
        out.comment(
            "A sensitive column with fewer than two values cannot be diverse: to be in the table is to have the value. \
             Leave the column out, or use delta-presence.",
        );
    }
    if diverse.is_empty() && single.is_empty() {
        out.comment(
            "No column looks sensitive. If one is, give it that role and add: \
             l-diversity = { kind = \"distinct\", l = 3, column = \"…\" }",
        );
    }
    out.line("");
}

fn search(out: &mut Text, columns: &[&Written<'_>]) {
    let heights = columns.iter().filter_map(|c| c.hierarchy.as_ref()).map(|h| h.height as f64 + 1.0);
    let candidates: f64 = heights.product();
    out.key("[search]", "");
    if candidates > MANY_CANDIDATES {
        out.comment(
            "The quasi columns have very many combinations of levels. Fewer of them, or fewer levels, make the search \
             quick and the release more useful; algorithm = \"bottom-up\" ends in any case, with a bound for the best.",
        );
    }
    out.key("algorithm = \"optimal\"", "the best of all combinations of levels");
    out.key("minimize = \"loss\"", "detail given up, on average over the quasi columns");
    out.key("suppress-at-most = 0.02", "share of records that may be left out to save the others");
    out.line("");
}

/// The attacks before a release is handed over, as a proposal: a limit that nobody chose must not refuse anything.
fn adversary(out: &mut Text, columns: &[&Written<'_>]) {
    out.comment(
        "Before a release is handed over it is attacked, and the report tells who would be exposed. To refuse one that \
         falls, take the # away:",
    );
    let is_sensitive = columns.iter().any(|column| column.guessed.role == Role::Sensitive);
    let attacks = match is_sensitive {
        true => "attacks = [\"linking\", \"homogeneity\"]",
        false => "attacks = [\"linking\"]",
    };
    out.line("# [adversary]");
    out.line(&format!("# {attacks}"));
    out.key("# confidence = 0.9", "how sure of a value counts as having learned it");
    out.key("# max-risk = 0.05", "the share of people about whom an attack may be sure and right");
    out.key(
        "# knowledge = \"knowledge.toml\"",
        "what the adversary knows besides; see the guide, Measure and attack",
    );
    out.line("");
}

/// The text as it grows.
#[derive(Debug, Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// A line with a comment behind it.
    fn key(&mut self, code: &str, comment: &str) {
        if comment.is_empty() {
            self.line(code);
        } else {
            // Writing to a string cannot fail.
            let _ = writeln!(self.0, "{code:<width$} # {comment}", width = COMMENT_COLUMN - 1);
        }
    }

    /// Lines of comment, broken between words; runs of spaces are kept on a line that needs no break.
    fn comment(&mut self, text: &str) {
        if text.chars().count() + 2 <= LINE {
            self.line(format!("# {text}").trim_end());
            return;
        }
        let mut line = String::from("#");
        for word in text.split(' ') {
            if line.chars().count() + 1 + word.chars().count() > LINE && line.len() > 1 {
                self.line(&line);
                line = String::from("#");
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line);
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A TOML key: bare where that is allowed.
fn key(name: &str) -> String {
    let bare =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if bare { name.to_owned() } else { string(name) }
}

/// A TOML string.
fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // Invisible characters and marks of direction would let a job file say other than what it shows.
            c if c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}') =>
            {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn any_name_is_a_key_and_any_text_a_string(name: String) {
            let parsed: toml::Table = format!("[columns.{}]\nx = {}\n", key(&name), string(&name)).parse().unwrap();
            prop_assert_eq!(parsed["columns"][&*name]["x"].as_str(), Some(&*name));
        }
    }

    #[test]
    fn long_comments_are_broken_between_words() {
        let mut out = Text::default();
        out.comment(&"word ".repeat(60));
        assert!(out.0.lines().count() > 2);
        assert!(out.0.lines().all(|line| line.starts_with('#') && line.chars().count() <= LINE));
    }
}
