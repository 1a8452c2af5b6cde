//! `cargo xtask reference`: a page for each kind of release, with its keys, attacks and measures, as the program's registry has them.
//!
//! The pages are written by this task and by nobody else; `cargo xtask docs` fails when one of them is not what would be written.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::shell::Tally;
use crate::workspace;

/// Where the pages are.
pub const FOLDER: &str = "docs/reference";

/// Writes the pages; true when it could.
pub fn write() -> Result<bool> {
    let folder = workspace::root().join(FOLDER);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    for (name, page) in pages(&workspace::privet()?)? {
        println!("{FOLDER}/{name}");
        std::fs::write(folder.join(name), page)?;
    }
    Ok(true)
}

/// Compares the pages with the program.
pub fn check(program: &Path) -> Result<Tally> {
    let folder = workspace::root().join(FOLDER);
    let pages = pages(program)?;
    let mut there: BTreeMap<String, String> = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).with_context(|| FOLDER.to_owned())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        there.insert(name, std::fs::read_to_string(&path)?);
    }
    let other: Vec<&String> = pages
        .keys()
        .chain(there.keys().filter(|name| !pages.contains_key(*name)))
        .filter(|name| pages.get(*name) != there.get(*name))
        .collect();
    if other.is_empty() && !pages.is_empty() {
        println!("  ok       {FOLDER} has what the program knows of its {} kinds", pages.len());
        return Ok(Tally { passed: 1, ..Tally::default() });
    }
    println!("  FAILED   {FOLDER}: not what the program says: {other:?}; `cargo xtask reference` writes it");
    Ok(Tally { failed: 1, ..Tally::default() })
}

/// The pages by name.
fn pages(program: &Path) -> Result<BTreeMap<String, String>> {
    let asked = Command::new(program).args(["kinds", "--json"]).output()?;
    if !asked.status.success() {
        bail!("privet kinds --json: {}", asked.status);
    }
    let kinds: Value = serde_json::from_slice(&asked.stdout).context("privet kinds --json")?;
    let kinds = kinds.as_array().context("privet kinds --json is no list")?;
    kinds.iter().map(|kind| Ok((format!("kind-{}.md", word(kind, "id")?), page(kind)?))).collect()
}

/// The page of one kind.
fn page(kind: &Value) -> Result<String> {
    let id = word(kind, "id")?;
    let mut page = format!(
        "# Kind `{id}`: {}\n\nThis page is generated from the program by `cargo xtask reference`; `privet kinds {id}` prints the same. A job \
         of this kind begins with `kind = \"{id}\"`. [Other shapes of data](../guide/shapes.md) explains kinds, and the sections \
         `[adversary]` and `[output]`, which all kinds share.\n",
        word(kind, "title")?
    );
    for section in list(kind, "sections")? {
        page.push_str(&format!("\n## `[{}]`\n\n| key | meaning |\n| --- | --- |\n", word(section, "name")?));
        let keys = section["keys"].as_object().context("a section has no keys")?;
        let sorted: BTreeMap<&String, &Value> = keys.iter().collect();
        for (key, meaning) in sorted {
            page.push_str(&format!(
                "| `{key}` | {} |\n",
                cell(meaning.as_str().context("a key has no meaning")?)
            ));
        }
    }
    page.push_str(
        "\n## Attacks\n\n| attack | what the adversary does | needs | source |\n| --- | --- | --- | --- |\n",
    );
    for attack in list(kind, "attacks")? {
        let needs: Vec<&str> = list(attack, "needs")?.iter().filter_map(Value::as_str).collect();
        page.push_str(&format!(
            "| `{}` | {} | {} | {} |\n",
            word(attack, "id")?,
            cell(word(attack, "sentence")?),
            cell(&needs.join(", ")),
            cell(attack["source"].as_str().unwrap_or_default())
        ));
    }
    page.push_str("\n## Measures\n\n| measure | meaning |\n| --- | --- |\n");
    for measure in list(kind, "measures")? {
        page.push_str(&format!("| `{}` | {} |\n", word(measure, "id")?, cell(word(measure, "sentence")?)));
    }
    Ok(page)
}

fn word<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value[key].as_str().with_context(|| format!("`{key}` is missing"))
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>> {
    value[key].as_array().with_context(|| format!("`{key}` is missing"))
}

/// A text as the cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_keys_attacks_and_measures() {
        let kind = serde_json::json!({
            "id": "toy", "title": "Toy",
            "sections": [{ "name": "toy", "keys": { "b": "Either x|y.", "a": "First." } }],
            "attacks": [{ "id": "guess", "title": "G", "sentence": "Guesses.", "needs": ["original", "people"], "source": "x" }],
            "measures": [{ "id": "size", "title": "S", "sentence": "How many." }]
        });
        let page = page(&kind).unwrap();
        assert!(page.starts_with("# Kind `toy`: Toy\n"));
        assert!(page.contains("| `a` | First. |\n| `b` | Either x\\|y. |\n"));
        assert!(page.contains("| `guess` | Guesses. | original, people | x |\n"));
        assert!(page.contains("| `size` | How many. |\n"));
        assert!(super::page(&serde_json::json!({ "id": "toy" })).is_err());
    }
}
