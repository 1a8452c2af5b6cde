//! What is counted, and how.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use super::Row;
use super::source::{self, Source, is_of_word};

/// Functions longer than this are long.
const LONG_FUNCTION: usize = 80;
/// Files longer than this, without their tests, are long.
const LONG_FILE: usize = 500;
/// The toy kind has at most so many lines.
const TOY: usize = 200;

/// How code asks which kind of release it has before it.
const KIND_QUESTIONS: [&str; 19] = [
    "\"bucketized\"",
    "\"generalized\"",
    "is_bucketized()",
    "is_on_seam(",
    "Perturbed::is_at(",
    "Records::is_at(",
    "counts::manifest(",
    "CountsManifest::is_at(",
    "seal::kind_of(",
    "Some(COUNTS)",
    "Some(PERTURBED)",
    "of_counts.is_",
    "is_perturbed",
    "Layout::Buckets",
    "Layout::Classes",
    " COUNTS =>",
    " PERTURBED =>",
    "of_counts:",
    "Assessed::Table(own) =>",
];

/// How code asks which form a release of its kind has: a property that only two forms could have is a question as well.
const FORM_QUESTIONS: [&str; 6] = [
    "separates_values()",
    "is_bucketized:",
    "if is_bucketized",
    "Form::Bucketized =>",
    "Change::Laws =>",
    "Change::Laws)",
];

/// Where a question is the answer: the one reader of the kind that a manifest names, the form's own file, and the file of what was changed.
const ANSWERS: [&str; 3] = [
    "crates/privet-release/src/manifest_file.rs",
    "crates/privet-release/src/form.rs",
    "crates/privet-release/src/perturbed/change.rs",
];

/// What looks into a text.
const LOOKS: [&str; 18] = [
    "contains",
    "ends_with",
    "find",
    "matches",
    "match_indices",
    "replace",
    "replacen",
    "rfind",
    "rsplit",
    "rsplit_once",
    "rsplitn",
    "split",
    "split_once",
    "splitn",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "trim_start_matches",
];

/// Texts with a blank that are no sentence but a part of a format that others have set or that users write.
const FORMATS: [(&str, &str); 8] = [
    (" to ", "labels of ranges, `20 to 29`"),
    (" (level ", "labels of nodes that have the name of another"),
    ("Max address space", "a line of /proc/self/limits"),
    ("rho ", "an amount of concentrated privacy in a line of a ledger"),
    ("ledger ", "a line of the file that remembers ledgers"),
    ("privet ledger, mark of its key: ", "the comment of a table in PostgreSQL"),
    ("<!DOCTYPE html>", "how a page begins, in HTML"),
    ("<meta name=\\\"generator\\\" content=\\\"privet ", "the mark of a page, in HTML"),
];

/// All rows.
pub fn rows(root: &Path) -> Result<Vec<Row>> {
    let sources = source::all(root)?;
    let mut rows = vec![toy_edits(root, &sources)?, toy_lines(&sources)];
    rows.push(places(
        "kind-questions",
        "places that ask for a kind outside its folder",
        0,
        &sources,
        kind_questions,
    ));
    let title = "places that ask for a form of a kind outside its folder";
    rows.push(places("form-questions", title, 0, &sources, form_questions));
    rows.extend(attack_files(root, &sources)?);
    rows.push(places("sentences", "places where code looks into a sentence", 0, &sources, sentences));
    rows.extend(crate_sizes(&sources));
    rows.push(places("long-functions", "functions over 80 lines", 10, &sources, long_functions));
    rows.push(places("long-files", "files over 500 lines, without their tests", 5, &sources, long_files));
    rows.extend(libraries(root, &sources)?);
    rows.push(test_binaries(root)?);
    Ok(rows)
}

/// A row of places that each source has by itself.
fn places(
    id: &'static str,
    title: &'static str,
    target: usize,
    sources: &[Source],
    found: fn(&Source) -> Vec<(usize, String)>,
) -> Row {
    let told = |source: &Source| {
        let path = source.path.display().to_string();
        found(source).into_iter().map(move |(line, what)| format!("{path}:{line}: {what}"))
    };
    let places: Vec<String> = sources.iter().flat_map(told).collect();
    Row { id, title, target, now: places.len(), places }
}

/// Lines of existing files that had to be edited for the toy kind.
fn toy_edits(root: &Path, sources: &[Source]) -> Result<Row> {
    let mut places = Vec::new();
    let mut look = |path: &Path, text: &str, names: &[&str]| {
        for (at, line) in text.lines().enumerate() {
            if names.iter().any(|name| line.contains(name)) {
                places.push(format!("{}:{}: {}", path.display(), at + 1, line.trim()));
            }
        }
    };
    let mut manifests = vec![root.join("Cargo.toml")];
    manifests.extend(source::folders(&root.join("crates"))?.iter().map(|folder| folder.join("Cargo.toml")));
    for path in manifests {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        look(path.strip_prefix(root).unwrap_or(&path), &text, &["privet-sample", "kinds/sample"]);
    }
    for source in sources.iter().filter(|source| !source.path.starts_with("kinds/sample")) {
        look(&source.path, &source.bare, &["privet_sample", "mod sample;", "sample::Sample"]);
    }
    let title = "lines of existing files that name the toy kind";
    Ok(Row { id: "toy-edits", title, target: 2, now: places.len(), places })
}

fn toy_lines(sources: &[Source]) -> Row {
    let toy = sources.iter().filter(|source| source.path.starts_with("kinds/sample"));
    let now = toy.map(Source::length).sum();
    Row { id: "toy-lines", title: "lines of the toy kind", target: TOY, now, places: Vec::new() }
}

/// Whether a source may ask: it belongs to a kind, or answers for all others.
fn may_ask(source: &Source) -> bool {
    ["kinds", "crates/privet-referee"].iter().chain(&ANSWERS).any(|own| source.path.starts_with(own))
}

/// Where one of these questions stands in a source.
fn asked(source: &Source, questions: &[&str]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for question in questions {
        for (at, _) in source.code.match_indices(question) {
            let before = &source.code[..at];
            let is_definition = before.ends_with("fn ") || before.ends_with("use ");
            // A text within a text, such as a key of an example, asks nothing.
            if !is_definition && !before.ends_with('\\') {
                found.push((source.line_of(at), (*question).to_owned()));
            }
        }
    }
    found.sort();
    found
}

fn form_questions(source: &Source) -> Vec<(usize, String)> {
    if may_ask(source) { Vec::new() } else { asked(source, &FORM_QUESTIONS) }
}

fn kind_questions(source: &Source) -> Vec<(usize, String)> {
    if may_ask(source) {
        return Vec::new();
    }
    let mut found = asked(source, &KIND_QUESTIONS);
    // Ids of the kinds on the seam, where they are compared.
    for (at, text) in source.texts() {
        let is_kind = ["graph", "model", "ratings", "sample", "sets", "traces"].contains(&text);
        let before = source.code[..at].trim_end();
        let compared =
            before.ends_with("kind ==") || before.ends_with("kind() ==") || before.ends_with("id() ==");
        if is_kind && compared {
            found.push((source.line_of(at), format!("\"{text}\"")));
        }
    }
    found.sort();
    found
}

/// Files that hold ids of attacks: how many hold the one that the most do, and how many more than one there are over all ids. A crate
/// that does not know the crate of an attack, directly or by others, cannot mean it: there the same text is a word of its own.
fn attack_files(root: &Path, sources: &[Source]) -> Result<[Row; 2]> {
    let known = known_crates(root)?;
    let mut files: BTreeMap<&str, (BTreeSet<String>, Vec<String>)> = BTreeMap::new();
    for source in sources {
        for id in attack_ids(source) {
            files.entry(id).or_default().0.insert(crate_of(source));
        }
    }
    for source in sources {
        let mut seen: Vec<&str> = source.texts().into_iter().map(|(_, text)| text).collect();
        seen.sort_unstable();
        seen.dedup();
        let own = crate_of(source);
        let knows = |other: &String| known.get(&own).is_some_and(|known| known.contains(other));
        for text in seen {
            if let Some((homes, files)) = files.get_mut(text)
                && homes.iter().any(|home| *home == own || knows(home))
            {
                files.push(source.path.display().to_string());
            }
        }
    }
    let all = || files.iter().map(|(id, (_, files))| (id, files));
    let places = all().filter(|(_, files)| files.len() > 1);
    let places = places.map(|(id, files)| format!("{id}: {}", files.join(" "))).collect();
    Ok([
        Row {
            id: "attack-files",
            title: "files that hold the id of one attack, at most",
            target: 1,
            now: all().map(|(_, files)| files.len()).max().unwrap_or(0),
            places,
        },
        Row {
            id: "attack-files-more",
            title: "files that hold the id of an attack beyond the first, over all attacks",
            target: 0,
            now: all().map(|(_, files)| files.len().saturating_sub(1)).sum(),
            places: Vec::new(),
        },
    ])
}

/// Per crate, by its folder, the crates of this repository that it depends on, directly or by others.
fn known_crates(root: &Path) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut folder_of = BTreeMap::new();
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for place in ["crates", "kinds"] {
        for folder in source::folders(&root.join(place))? {
            let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
            let path = folder.strip_prefix(root).unwrap_or(&folder).display().to_string();
            let name = text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
            folder_of.insert(name.unwrap_or_default().to_owned(), path.clone());
            let used = text.split_once("[dependencies]").map_or("", |(_, rest)| rest);
            let used = used.split("[dev-dependencies]").next().unwrap_or_default();
            let names = used.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
            named.insert(path, names.map(str::to_owned).collect());
        }
    }
    let direct: BTreeMap<String, BTreeSet<String>> = named
        .into_iter()
        .map(|(own, names)| (own, names.iter().filter_map(|name| folder_of.get(name).cloned()).collect()))
        .collect();
    let mut known = direct.clone();
    loop {
        let before: usize = known.values().map(BTreeSet::len).sum();
        for own in known.values_mut() {
            let more: Vec<String> =
                own.iter().filter_map(|other| direct.get(other)).flatten().cloned().collect();
            own.extend(more);
        }
        if known.values().map(BTreeSet::len).sum::<usize>() == before {
            return Ok(known);
        }
    }
}

/// The ids that are stated as those of attacks: the `id` of an `AttackInfo`, or a constant `X` beside a constant `ABOUT_X`.
fn attack_ids(source: &Source) -> Vec<&str> {
    let texts = source.texts();
    let is_id = |(at, _): &&(usize, &str)| {
        let before = source.bare[..*at].trim_end();
        let of_info = before.strip_suffix("id:").is_some_and(|before| {
            before
                .trim_end()
                .strip_suffix('{')
                .is_some_and(|before| before.trim_end().ends_with("AttackInfo"))
        });
        let constant = before.strip_suffix(": &str =").map(|before| {
            let name = &before[before.trim_end_matches(is_of_word).len()..];
            source.bare.contains(&format!("const ABOUT_{name}: AttackWord"))
        });
        of_info || constant == Some(true)
    };
    texts.iter().filter(is_id).map(|(_, text)| *text).collect()
}

fn sentences(source: &Source) -> Vec<(usize, String)> {
    let texts: BTreeMap<usize, &str> = source.texts().into_iter().collect();
    let prose = prose_constants(source, &texts);
    let mut found = Vec::new();
    for (at, _) in source.bare.match_indices('(') {
        let before = &source.bare[..at];
        let name = &before[before.trim_end_matches(is_of_word).len()..];
        if !LOOKS.contains(&name) || !before[..before.len() - name.len()].ends_with('.') {
            continue;
        }
        let argument = source.bare[at + 1..].trim_start().trim_start_matches(['&', '*']);
        let place = source.bare.len() - argument.len();
        let looked = match texts.get(&place) {
            Some(text) => is_sentence(text).then(|| (*text).to_owned()),
            None => {
                let word = &argument[..argument.find(|c| !is_of_word(c)).unwrap_or(argument.len())];
                let is_prose = prose.contains(&word) || (!word.is_empty() && is_one_of(before, &prose));
                is_prose.then(|| word.to_owned())
            }
        };
        if let Some(text) = looked {
            found.push((source.line_of(at), format!(".{name}({text})")));
        }
    }
    for name in looking_closures(&source.bare) {
        for (at, _) in source.bare.match_indices(&format!("{name}(\"")) {
            let text = texts.get(&(at + name.len() + 1)).copied().unwrap_or_default();
            let is_call = source.bare[..at].chars().next_back().is_none_or(|c| !is_of_word(c) && c != '.');
            if is_call && is_sentence(text) {
                found.push((source.line_of(at), format!("{name}({text})")));
            }
        }
    }
    found
}

/// Whether a variable of the statement that begins before goes through one of these lists of sentences.
fn is_one_of(before: &str, lists: &[&str]) -> bool {
    let statement = &before[before.rfind([';', '{']).map_or(0, |at| at + 1)..];
    let header = &before[..before.len() - statement.len()];
    // The head of a loop is the line before its first statement.
    let header = &header[header.rfind('\n').map_or(0, |at| at + 1)..];
    let goes_through = |list: &&str| {
        [format!("{list}.iter()"), format!("{list}.into_iter()")].iter().any(|own| statement.contains(own))
            || [format!("in {list}"), format!("in &{list}")].iter().any(|own| header.contains(own))
    };
    lists.iter().any(goes_through)
}

/// The names of closures that look into a text for what they are given.
fn looking_closures(bare: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in bare.match_indices("let ") {
        let statement = &bare[at + 4..];
        let statement = &statement[..statement.find(";\n").unwrap_or(statement.len())];
        let Some((name, closure)) = statement.split_once(" = |") else { continue };
        let Some((parameter, body)) = closure.split_once('|') else { continue };
        let parameter = parameter.split(':').next().unwrap_or_default().trim();
        let looks = |look: &&str| body.contains(&format!(".{look}({parameter})"));
        if !parameter.is_empty() && name.chars().all(is_of_word) && LOOKS.iter().any(looks) {
            found.push(name.to_owned());
        }
    }
    found
}

/// Whether a text is a part of a sentence: words with a blank between or beside them.
fn is_sentence(text: &str) -> bool {
    text.contains(' ')
        && text.chars().any(char::is_alphabetic)
        && !FORMATS.iter().any(|(format, _)| *format == text)
}

/// Constants of a source that hold sentences, and variables that are lists of them.
fn prose_constants<'a>(source: &'a Source, texts: &BTreeMap<usize, &str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (word, is_list) in [("const ", false), ("let ", true)] {
        for (at, _) in source.bare.match_indices(word) {
            let rest = &source.bare[at + word.len()..];
            let name = &rest[..rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())];
            let end = at + word.len() + rest.find(";\n").unwrap_or(rest.len());
            let is_wanted = !is_list || rest[name.len()..].starts_with(" = [");
            if !name.is_empty() && is_wanted && texts.range(at..end).any(|(_, text)| is_sentence(text)) {
                found.push(name);
            }
        }
    }
    found
}

/// The crate that a source is in.
fn crate_of(source: &Source) -> String {
    source
        .path
        .components()
        .take(2)
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

fn crate_sizes(sources: &[Source]) -> [Row; 2] {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for source in sources {
        *sizes.entry(crate_of(source)).or_default() += source.lines();
    }
    let mut order: Vec<(&String, &usize)> = sizes.iter().collect();
    order.sort_by(|a, b| b.1.cmp(a.1));
    let places = order.iter().map(|(name, lines)| format!("{name}: {lines}")).collect();
    let job = sizes.get("crates/privet-job").copied().unwrap_or(0);
    let largest = order.first().map_or(0, |(_, lines)| **lines);
    [
        Row {
            id: "largest-crate",
            title: "lines of the largest crate, without tests and comments",
            target: 20_000,
            now: largest,
            places,
        },
        Row {
            id: "privet-job",
            title: "lines of privet-job, the same",
            target: 4_000,
            now: job,
            places: Vec::new(),
        },
    ]
}

fn long_functions(source: &Source) -> Vec<(usize, String)> {
    let functions = source.functions().into_iter().filter(|(_, _, lines)| *lines > LONG_FUNCTION);
    functions.map(|(name, first, lines)| (first, format!("{name}: {lines} lines"))).collect()
}

fn long_files(source: &Source) -> Vec<(usize, String)> {
    let lines = source.length();
    if lines > LONG_FILE { vec![(lines, format!("{lines} lines"))] } else { Vec::new() }
}

/// Library crates whose root has no example that is run, and those without a README.
fn libraries(root: &Path, sources: &[Source]) -> Result<[Row; 2]> {
    let (mut without_example, mut without_readme) = (Vec::new(), Vec::new());
    for source in sources.iter().filter(|source| source.path.ends_with("src/lib.rs")) {
        let name = crate_of(source);
        // What is a library for another language has no root that Rust could call.
        let manifest = std::fs::read_to_string(root.join(&name).join("Cargo.toml")).unwrap_or_default();
        let is_rust = !manifest.lines().any(|line| line.trim() == "crate-type = [\"cdylib\"]");
        // What comes after a fence decides whether it is run; a plain one is.
        let mut fences = source.comment.lines().map(str::trim).filter(|line| line.starts_with("```"));
        if is_rust && !fences.any(|fence| fence == "```") {
            without_example.push(name.clone());
        }
        if !root.join(&name).join("README.md").is_file() {
            without_readme.push(name);
        }
    }
    Ok([
        Row {
            id: "without-example",
            title: "library roots without an example that is run",
            target: 0,
            now: without_example.len(),
            places: without_example,
        },
        Row {
            id: "without-readme",
            title: "library crates without a README",
            target: 0,
            now: without_readme.len(),
            places: without_readme,
        },
    ])
}

/// Integration-test binaries beyond one per crate.
fn test_binaries(root: &Path) -> Result<Row> {
    let mut folders = source::folders(&root.join("crates"))?;
    folders.extend(source::folders(&root.join("kinds"))?);
    let mut places = Vec::new();
    let mut now = 0;
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder.join("tests")) else { continue };
        let mut tests = 0_usize;
        for entry in entries {
            let path = entry?.path();
            tests += usize::from(
                path.extension().is_some_and(|ending| ending == "rs") || path.join("main.rs").is_file(),
            );
        }
        now += tests.saturating_sub(1);
        if tests > 1 {
            places.push(format!("{}: {tests}", folder.strip_prefix(root).unwrap_or(&folder).display()));
        }
    }
    Ok(Row {
        id: "test-binaries",
        title: "integration-test binaries beyond one per crate",
        target: 0,
        now,
        places,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_knows_what_it_is_made_of() {
        let known = known_crates(&crate::workspace::root()).unwrap();
        assert!(known["crates/privet-cli"].contains("crates/privet-data"));
        assert!(known["kinds/records"].contains("crates/privet-attack"));
        assert!(!known["crates/privet-attack"].contains("kinds/records"));
    }

    #[test]
    fn sentences_behind_variables_are_seen() {
        let looked = |text: &str| {
            let (source, _) = Source::read(Path::new("crates/a/src/lib.rs"), text);
            sentences(&source).into_iter().map(|(line, _)| line).collect::<Vec<_>>()
        };
        let list = "fn a(note: &str) -> bool {\n    let told = [\"was not\", \"b\"];\n    told.iter().any(|own| note.contains(own))\n}\n";
        assert_eq!(looked(list), [3]);
        let fold = "const WORDS: [(&str, &str); 1] = [(\"a class\", \"a bucket\")];\nfn b(text: String) -> String {\n    \
                    WORDS.iter().fold(text, |text, (one, other)| text.replace(one, other))\n}\n";
        assert_eq!(looked(fold), [3]);
        let closure = "fn c(model: &str) -> bool {\n    let has = |part: &str| model.contains(part);\n    has(\"k anonymity\") || has(\"k-map\")\n}\n";
        assert_eq!(looked(closure), [3]);
        let plain = "fn d(names: &[String], wanted: &String) -> bool {\n    let told = [\"was not\"];\n    drop(told);\n    names.contains(wanted)\n}\n";
        assert!(looked(plain).is_empty());
    }

    #[test]
    fn sentences_are_words_with_blanks() {
        for text in ["Not made: ", " of ", "no control"] {
            assert!(is_sentence(text), "{text:?}");
        }
        for text in [", ", "postgresql://", "bucketized", " to "] {
            assert!(!is_sentence(text), "{text:?}");
        }
    }
}
