//! Where the entries of a knowledge file stand, so that whoever wrote it finds the one that is meant. Of an entry its place is told and
//! nothing else: what stands there is about people.

use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

/// The line of each entry, part by part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines(Vec<(&'static str, Vec<usize>)>);

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entries {
    records: Vec<Spanned<IgnoredAny>>,
    negations: Vec<Spanned<IgnoredAny>>,
    statements: Vec<Spanned<IgnoredAny>>,
    priors: Vec<Spanned<IgnoredAny>>,
    releases: Vec<Spanned<IgnoredAny>>,
}

impl Lines {
    /// Of the text of a file; of one that is not what it should be, none.
    pub(super) fn of(text: &str) -> Self {
        let entries: Entries = toml::from_str(text).unwrap_or_default();
        let line = |own: &Spanned<IgnoredAny>| {
            let before = text.get(..own.span().start).unwrap_or_default();
            before.matches('\n').count() + 1
        };
        let part = |name: &'static str, all: &[Spanned<IgnoredAny>]| (name, all.iter().map(line).collect());
        Self(vec![
            part("records", &entries.records),
            part("negations", &entries.negations),
            part("statements", &entries.statements),
            part("priors", &entries.priors),
            part("releases", &entries.releases),
        ])
    }

    /// Which entry of a part is meant, from 0: "`records`, the 2. of them (line 7)".
    pub fn place(&self, part: &str, number: usize) -> String {
        let lines = self.0.iter().find(|own| own.0 == part).map_or(&[][..], |own| &own.1);
        let line = lines.get(number).map_or(String::new(), |line| format!(" (line {line})"));
        format!("`{part}`, the {}. of them{line}", number + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_told_by_their_lines() {
        let text = "statements = [\n  'A = \"x\"',\n  'B = \"y\"',\n]\n\n[people]\npath = \"p\"\n[[records]]\nperson = \"A\"\nvalue = \"x\"\n\n\
                    [[records]]\nperson = \"B\"\nvalue = \"y\"\n";
        let lines = Lines::of(text);
        assert_eq!(lines.place("statements", 1), "`statements`, the 2. of them (line 3)");
        assert_eq!(lines.place("records", 0), "`records`, the 1. of them (line 8)");
        assert_eq!(lines.place("records", 1), "`records`, the 2. of them (line 12)");
        assert_eq!(lines.place("records", 2), "`records`, the 3. of them");
        assert_eq!(Lines::of("no toml [").place("priors", 0), "`priors`, the 1. of them");
    }
}
