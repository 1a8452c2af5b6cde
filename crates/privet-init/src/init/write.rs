//! The text of a first job file: TOML with comments that say why each line stands there.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use privet_data::Role;
use privet_data::io::{Encoding, Spelling};

use super::Source;
use super::guess::Guessed;
use super::markers::Markers;
use super::propose::Proposed;

/// Where comments behind a key begin.
const COMMENT_COLUMN: usize = 36;
/// How long a line of comment may be.
const LINE: usize = 100;
/// The best of more candidates than this is not looked for.
const MANY_CANDIDATES: f64 = 1e6;
/// A value that more of the people than this have gives a group away although others are in it.
const DOMINANT: f64 = 0.5;

/// All that the job file says about a column.
#[derive(Debug)]
pub(super) struct Written<'a> {
    pub(super) name: &'a str,
    pub(super) guessed: Guessed,
    pub(super) hierarchy: Option<Proposed>,
    pub(super) distinct: usize,
    /// The share of the records that have the most frequent value.
    pub(super) most_frequent: f64,
    /// Whether hardly two records have the same value.
    pub(super) nearly_unique: bool,
}

impl Written<'_> {
    /// Whether the shares of its values must be held and not their number: of two values, or of one that most people have, a
    /// group may hold both and still give nearly everybody away.
    fn needs_closeness(&self) -> bool {
        self.guessed.role == Role::Sensitive
            && self.distinct >= 2
            && (self.distinct == 2 || self.most_frequent > DOMINANT)
    }
}

/// The job file.
pub(super) fn job(
    columns: &[Written<'_>],
    file_name: &str,
    source: &Source,
    spelling: &BTreeMap<String, Spelling>,
    markers: &Markers,
    rows: usize,
) -> String {
    let mut out = Text::default();
    head(&mut out, file_name, columns.len(), rows);
    input(&mut out, source, spelling, markers);
    let written = all_columns(&mut out, columns);
    privacy(&mut out, &written, rows);
    search(&mut out, &written, rows);
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

fn input(out: &mut Text, source: &Source, spelling: &BTreeMap<String, Spelling>, markers: &Markers) {
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
    if let Some(sheet) = &source.sheet {
        out.key(&format!("sheet = {}", string(sheet)), "");
    }
    if source.skip > 0 {
        out.key(&format!("skip = {}", source.skip), "lines above the header, which are no part of the table");
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
    if !spelling.is_empty() {
        out.line("");
        out.comment(
            "How numbers and dates are spelled in the file. They are read, compared and published in plain form: 1234.5, \
             1999-12-31; a unit beside a number is left out.",
        );
        out.line("[input.spelling]");
        for (name, own) in spelling {
            out.line(&format!("{} = {}", key(name), string(own.word())));
        }
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
    // What is published as it is singles people out where hardly two are alike, whatever it is called.
    if matches!(role, Role::Sensitive | Role::Insensitive) && column.nearly_unique {
        out.comment(
            "Hardly two records are alike in it, and it is published as it is: whoever learns it elsewhere, such as an insurer or an \
             employer, finds the person by it. Where somebody may: role = \"quasi\" with a hierarchy, or \"identifier\" to leave it out.",
        );
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
    let (several, single): (Vec<&Written<'_>>, Vec<_>) = sensitive.partition(|c| c.distinct >= 2);
    let (close, diverse): (Vec<&Written<'_>>, Vec<_>) =
        several.into_iter().partition(|c| c.needs_closeness());
    if !diverse.is_empty() {
        out.comment(
            "Those who look alike have at least l different values, so that finding the group of a person does not \
             tell the value. Stricter, where the shares of values matter: kind = \"entropy\", or t-closeness \
             (kind = \"ordered\" for numbers, \"equal\" for names of things).",
        );
        let line = |column: &&Written<'_>| {
            let l = column.distinct.min(3);
            format!("{{ kind = \"distinct\", l = {l}, column = {} }}", string(column.name))
        };
        promise(out, "l-diversity", &diverse.iter().map(line).collect::<Vec<_>>());
    }
    if !close.is_empty() {
        out.comment(
            "Of two values, or of one that most people have, a group may hold both and still give nearly everybody away. \
             So the shares of the values in a group differ from those in the whole table by at most t: nobody is as good \
             as known to have a value who was not before.",
        );
        let line = |column: &&Written<'_>| {
            format!(
                "{{ kind = \"equal\", t = {:.2}, column = {} }}",
                closeness(column.most_frequent),
                string(column.name)
            )
        };
        promise(out, "t-closeness", &close.iter().map(line).collect::<Vec<_>>());
    }
    if !single.is_empty() {
        out.comment(
            "A sensitive column with fewer than two values cannot be diverse: to be in the table is to have the value. \
             Leave the column out, or use delta-presence.",
        );
    }
    if diverse.is_empty() && close.is_empty() && single.is_empty() {
        out.comment(
            "No column looks sensitive. If one is, give it that role and add: \
             l-diversity = { kind = \"distinct\", l = 3, column = \"…\" }",
        );
    }
    out.line("");
}

/// One promise for each column, on a line or on several.
fn promise(out: &mut Text, key: &str, lines: &[String]) {
    match lines {
        [one] => out.line(&format!("{key} = {one}")),
        several => {
            out.line(&format!("{key} = ["));
            several.iter().for_each(|line| out.line(&format!("    {line},")));
            out.line("]");
        }
    }
}

/// How far shares may move, so that the most frequent value is never nearly certain where it was not before: below nine of
/// ten, which is what attacks count as knowing.
fn closeness(most_frequent: f64) -> f64 {
    ((0.85 - most_frequent) * 100.0).floor().clamp(5.0, 20.0) / 100.0
}

/// The most records for which groups of those most alike are formed in seconds.
const FEW_RECORDS: usize = 50_000;

fn search(out: &mut Text, columns: &[&Written<'_>], rows: usize) {
    let heights = columns.iter().filter_map(|c| c.hierarchy.as_ref()).map(|h| h.height as f64 + 1.0);
    let candidates: f64 = heights.product();
    out.key("[search]", "");
    if candidates > MANY_CANDIDATES {
        out.comment(
            "The quasi columns have too many combinations of levels to look for the best of them. So the records are cut \
             into groups, again and again in halves, and each group shows the ranges of its values. With fewer quasi \
             columns, or fewer levels, algorithm = \"optimal\" finds the best.",
        );
        out.key("algorithm = \"mondrian\"", "groups as small as the promises allow");
        out.line("");
        return;
    }
    if rows <= FEW_RECORDS && columns.iter().any(|column| column.needs_closeness()) {
        out.comment(
            "Levels for whole columns show next to nothing where every group must have the shares of the whole table. So records \
             that are alike form groups, and each group shows as much as it can. A table that is much larger takes \
             algorithm = \"optimal\", and is less detailed.",
        );
        out.key("algorithm = \"local-recoding\"", "groups of records that are alike");
        out.line("");
        return;
    }
    out.key("algorithm = \"optimal\"", "the best of all combinations of levels");
    out.key("minimize = \"loss\"", "detail given up, on average over the quasi columns");
    out.key("suppress-at-most = 0.02", "share of records that may be left out to save the others");
    out.line("");
}

/// The attacks before a release is handed over, and the limit above which none is.
fn adversary(out: &mut Text, columns: &[&Written<'_>]) {
    out.comment(
        "Every release is attacked before it is written, and the report tells who would be exposed. No release is written when \
         it adds more people than this to those whom the attacks would expose without it.",
    );
    out.line("[adversary]");
    out.key("max-risk = 0.3", "share of the people; a first limit, to be lowered");
    if columns.iter().any(|column| column.guessed.role == Role::Sensitive) {
        out.key("confidence = 0.9", "how sure of a value counts as having learned it");
    }
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
