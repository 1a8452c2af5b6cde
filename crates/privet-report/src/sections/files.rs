//! The files of the release and their fingerprints.

use privet_release::Manifest;
use privet_release::manifest::File;

use crate::Facts;
use crate::text::{count, escape, name};

use super::{close_table, header, open_table, term};

pub(crate) fn write(manifest: &Manifest, _facts: &Facts, out: &mut String) {
    list(manifest, out);
    if !manifest.files.iter().any(|f| f.name == "report.html") {
        out.push_str(
            "<p class=\"aside\"><code>report.json</code> holds the facts of this page for programs. Neither can hold its own \
             fingerprint; both stand in <code>manifest.json</code>.</p>\n",
        );
    }
}

/// Files with their sizes and fingerprints.
pub(crate) fn table(files: &[File], out: &mut String) {
    open_table(out, "files-table", "files", "Sizes and fingerprints of files");
    header(out, &["File", "#Bytes", "SHA-256"]);
    for file in files {
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}</td></tr>\n",
            name(&file.name),
            count(file.bytes),
            hash(&file.sha256)
        );
    }
    close_table(out);
}

/// The files and the seal of the manifest.
pub(crate) fn list(manifest: &Manifest, out: &mut String) {
    if manifest.files.is_empty() {
        out.push_str("<p>No other file belongs to the release.</p>\n");
    } else {
        table(&manifest.files, out);
    }
    out.push_str("<dl class=\"terms\">\n");
    let data = &manifest.data;
    let mut table = format!("{} as {}", name(&data.file), escape(&data.format));
    if let Some(delimiter) = data.delimiter {
        let shown = match delimiter {
            '\t' => "tab".to_owned(),
            c => format!("<code>{}</code>", escape(&c.to_string())),
        };
        put!(table, ", separated by {shown}");
    }
    term(out, "Published table", &table);
    if !manifest.seal.is_empty() {
        term(out, "Seal of the manifest", &hash(&manifest.seal));
    }
    out.push_str("</dl>\n");
}

/// A fingerprint that a narrow page may break after every sixteenth figure and nowhere else.
pub(crate) fn hash(text: &str) -> String {
    let figures: Vec<char> = text.chars().collect();
    let parts: Vec<String> =
        figures.chunks(16).map(|part| escape(&part.iter().collect::<String>())).collect();
    format!("<code class=\"hash\">{}</code>", parts.join("<wbr>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_fit_a_phone() {
        let shown = hash(&"0123456789abcdef".repeat(4));
        assert_eq!(shown.matches("0123456789abcdef").count(), 4);
        assert_eq!(shown.matches("<wbr>").count(), 3, "{shown}");
        assert_eq!(hash("é<"), "<code class=\"hash\">é&lt;</code>");
    }
}
