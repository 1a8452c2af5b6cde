//! Hierarchy files that cannot be used: refused with the file and the place, without a value.

use crate::dir::{CANARY, Dir};

/// The file, what stands in it, and what the message must hold. `S` stands for the canary, which is a value
/// of the column beside `x` and `y`.
const BROKEN: &[(&str, &[u8], &str)] = &[
    ("h.csv", b"", "the hierarchy is empty"),
    ("h.csv", b"\n\n\n", "the hierarchy is empty"),
    ("h.csv", b";;;\n;;\n", "the hierarchy is empty"),
    ("h.csv", b"\xef\xbb\xbf", "the hierarchy is empty"),
    ("h.csv", b"S;A;*\nx;A;*\n", "does not cover 1 of the column's 3 distinct values"),
    ("h.csv", b"value;level\n", "does not cover 3 of"),
    ("h.csv", b"s;A;*\nX;A;*\nY;A;*\n", "does not cover 3 of"),
    ("h.csv", b"S;A;*\nx;A\ny;A;*\n", "line 2, column 3: 2 levels where the first line has 3"),
    ("h.csv", b"S;A\nx;A;*\ny;A\n", "line 2, column 3: 3 levels"),
    ("h.csv", b"S;A;*\nx;A;*\nS;A;*\ny;A;*\n", "line 3, column 1: the value already stands on line 1"),
    ("h.csv", b"S;A;B\nx;A;C\ny;A;B\n", "line 2, column 3: levels do not nest"),
    ("h.csv", b"S;A;*\nx;;*\ny;A;*\n", "line 2, column 2: the label is empty"),
    ("h.csv", b"S;A;*\n\"x;A;*\ny;A;*\n", "line 2, column 1"),
    ("h.csv", b"S;A;*\n\"x\"y;A;*\n", "closing quotation mark"),
    ("h.csv", b"S;A\0;*\nx;A;*\n", "line 1, column 2: a NUL"),
    ("h.csv", b"S;A;*\nx\xff;A;*\n", "line 2, column 1: not UTF-8"),
    ("h.csv", b"\xff\xfeS\0;\0A\0\n\0", "UTF-16"),
    ("h.csv", b"\xfe\xff\0S\0;\0A\0\n", "UTF-16"),
    ("h.csv", b"S;A;*\rx;A;*\ry;A;*\r", "carriage return"),
    ("h.csv", b"S,A;*\nx,A;*\ny,A;*\n", "does not cover 3 of"),
    ("h.json", b"", "line 1, column 1"),
    ("h.json", b"{\"A\": [\"S\", \"x\", \"y\"}", "line 1"),
    ("h.json", b"[\"S\", \"x\", \"y\"]", "tree"),
    ("h.json", b"{\"A\": \"S\"}", "a list of values"),
    ("h.json", b"{\"A\": [\"S\", \"S\", \"x\", \"y\"]}", "already stands"),
    ("h.json", b"{\"A\": [\"S\", null, \"y\"]}", "null"),
    ("h.json", b"{\"A\": [\"S\"], \"B\": {\"A\": [\"x\", \"y\"]}}", "tree"),
    ("h.json", b"{\"A\": [], \"B\": [\"S\", \"x\", \"y\"]}", "tree"),
    ("h.json", b"{\"A\": [\"S\"], \"A\": [\"x\", \"y\"]}", "twice"),
    ("h.json", b"\xff\xfe{\0", "UTF-8"),
    ("h.toml", b"A = [\"S\", \"x\", \"y\"\n", "line"),
    ("h.toml", b"A = [\"S\"]\nA = [\"x\", \"y\"]\n", "twice"),
    ("h.toml", b"A = 5\n", "a list of values"),
    ("h.toml", b"\"\" = [\"S\", \"x\", \"y\"]\n", "empty label"),
    ("h.toml", b"", "tree"),
];

fn dir(criterion: &str) -> Dir {
    let dir = Dir::new();
    let job = format!(
        "[input]\npath = \"people.csv\"\n[columns.q]\nrole = \"quasi\"\nhierarchy = \"QUASI\"\n\
         [columns.s]\nrole = \"sensitive\"\n[privacy]\n{criterion}\n"
    );
    dir.write("people.csv", format!("q,s\n{CANARY},{CANARY}\nx,x\ny,y\n")).write("template.toml", job);
    dir
}

fn planted(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|&b| if b == b'S' { CANARY.as_bytes().to_vec() } else { vec![b] }).collect()
}

#[test]
fn broken_hierarchies_of_quasi_columns_are_refused() {
    let dir = dir("k-anonymity = 1");
    for (file, bytes, fragment) in BROKEN {
        dir.write(file, planted(bytes)).write("job.toml", dir.text("template.toml").replace("QUASI", file));
        let run = dir.privet(&["anonymize", "job.toml"]);
        let what = String::from_utf8_lossy(bytes);
        assert_eq!(run.code, Some(2), "{what:?}: {run:#?}");
        assert!(run.err.contains("`columns.q.hierarchy`") && run.err.contains(file), "{what:?}: {}", run.err);
        assert!(run.err.contains(fragment), "{what:?}: {fragment:?} is not said: {}", run.err);
        assert!(!dir.path("release").exists());
    }
}

#[test]
fn broken_hierarchies_of_sensitive_columns_are_refused() {
    let dir = dir("t-closeness = { kind = \"hierarchical\", t = 0.5, hierarchy = \"FILE\" }");
    for (file, bytes, fragment) in BROKEN {
        let job = dir.text("template.toml").replace("hierarchy = \"QUASI\"\n", "").replace("FILE", file);
        dir.write(file, planted(bytes)).write("job.toml", job);
        let run = dir.privet(&["anonymize", "job.toml"]);
        let what = String::from_utf8_lossy(bytes);
        assert_eq!(run.code, Some(2), "{what:?}: {run:#?}");
        assert!(run.err.contains(fragment), "{what:?}: {fragment:?} is not said: {}", run.err);
    }
    // One that does not end in a single label cannot measure a distance.
    let job = dir.text("template.toml").replace("hierarchy = \"QUASI\"\n", "").replace("FILE", "two.csv");
    dir.write("two.csv", planted(b"S;A\nx;A\ny;B\n")).write("job.toml", job);
    dir.expect(2, &["anonymize", "job.toml"]).says("t-closeness");
}

#[test]
fn more_levels_than_a_hierarchy_has_are_refused() {
    let dir = dir("k-anonymity = 1");
    let row = |value: &str| format!("{value};{}\n", vec!["*"; 70].join(";"));
    dir.write("h.csv", row(CANARY) + &row("x") + &row("y"));
    dir.write("job.toml", dir.text("template.toml").replace("QUASI", "h.csv"));
    dir.expect(2, &["anonymize", "job.toml"]).says("more than 64 levels");
    let deep = format!("{}[\"x\"]{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    dir.write("h.json", deep).write("job.toml", dir.text("template.toml").replace("QUASI", "h.json"));
    dir.expect(2, &["anonymize", "job.toml"]).says("h.json");
    let deep = format!("a = {}[\"x\"]{}", "{ a = ".repeat(50_000), "}".repeat(50_000));
    dir.write("h.toml", deep).write("job.toml", dir.text("template.toml").replace("QUASI", "h.toml"));
    dir.expect(2, &["anonymize", "job.toml"]).says("h.toml");
}
