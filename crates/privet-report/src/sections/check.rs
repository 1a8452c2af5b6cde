//! How to verify the release, and how to make it again.

use privet_release::Manifest;

use crate::Facts;
use crate::text::{escape, escape_lines, sentence};

pub(crate) fn write(manifest: &Manifest, facts: &Facts, out: &mut String) {
    out.push_str(
        "<h3>Verify</h3>\n<p>This re-checks every fingerprint and every promise from the files of the release alone, \
         with code that shares nothing with the search. Put the name of the release’s folder for <code>FOLDER</code>. \
         It ends with exit code 0 when everything holds and with 1 when something does not.</p>\n\
         <pre><code>privet verify FOLDER</code></pre>\n<h3>Reproduce</h3>\n",
    );
    if facts.reproduce.is_empty() {
        out.push_str("<p>The commands that made this release were not recorded.</p>\n");
    } else {
        // A seed that nobody has kept cannot be used again.
        let again = match manifest.unrepeatable {
            true => "makes another release with the same promises",
            false => "gets the release again",
        };
        put!(
            out,
            "<p>Whoever holds the original data and the job file {again} with these commands and {}.</p>\n<pre><code>",
            escape(&manifest.software)
        );
        for (i, command) in facts.reproduce.iter().enumerate() {
            if i > 0 {
                out.push('\n');
            }
            out.push_str(&escape_lines(command));
        }
        out.push_str("</code></pre>\n");
        if manifest.randomness == "none" {
            out.push_str(
                "<p>Nothing is random here: the same input gives the same files, byte for byte.</p>\n",
            );
        } else {
            put!(out, "<p>What was left to chance: {}</p>\n", sentence(&manifest.randomness));
        }
    }
}
