//! The words of the page, explained.

use privet_release::Manifest;

use crate::Facts;
use crate::glossary;
use crate::text::of_buckets;

use super::term;

pub(crate) fn write(manifest: &Manifest, facts: &Facts, out: &mut String) {
    list(manifest, &glossary::words(manifest, !facts.attacks.is_empty(), false), out);
}

/// Words and what they mean.
pub(crate) fn list(manifest: &Manifest, words: &[(&str, &str)], out: &mut String) {
    let is_bucketized = manifest.kind == "bucketized";
    out.push_str("<dl class=\"terms\">\n");
    for (word, meaning) in words {
        if is_bucketized { term(out, word, &of_buckets(meaning)) } else { term(out, word, meaning) }
    }
    out.push_str("</dl>\n");
}
