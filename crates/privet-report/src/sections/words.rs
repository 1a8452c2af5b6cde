//! The words of the page, explained.

use privet_release::Manifest;

use crate::Facts;
use crate::glossary::WORDS;

use super::term;

pub(crate) fn write(_manifest: &Manifest, _facts: &Facts, out: &mut String) {
    out.push_str("<dl class=\"terms\">\n");
    for (word, meaning) in WORDS {
        term(out, word, meaning);
    }
    out.push_str("</dl>\n");
}
