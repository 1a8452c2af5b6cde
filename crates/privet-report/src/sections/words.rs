//! The words of the page, explained.

use privet_release::Manifest;

use crate::Facts;
use crate::glossary;

use super::term;

pub(crate) fn write(manifest: &Manifest, facts: &Facts, out: &mut String) {
    list(&glossary::words(manifest, !facts.attacks.is_empty(), false), out);
}

/// Words and what they mean.
pub(crate) fn list(words: &[(&str, &str)], out: &mut String) {
    out.push_str("<dl class=\"terms\">\n");
    for (word, meaning) in words {
        term(out, word, meaning);
    }
    out.push_str("</dl>\n");
}
