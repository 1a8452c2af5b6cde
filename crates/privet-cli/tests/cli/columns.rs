//! What is published as it was: bytes and order of columns that are not recoded; and what is not published.

use crate::dir::{CANARY, Dir};
use crate::people;

/// Files of two columns, `q` and `s`, that must come out as they went in when nothing is to be recoded.
const FILES: &[(&str, &[u8])] = &[
    ("plain", b"q,s\n1,x\n2,y\n"),
    ("no last line end", b"q,s\n1,x\n2,y"),
    ("carriage returns", b"q,s\r\n1,x\r\n2,y\r\n"),
    ("carriage returns and no last line end", b"q,s\r\n1,x\r\n2,y"),
    ("byte order mark", b"\xef\xbb\xbfq,s\n1,x\n2,y\n"),
    ("semicolons", b"q;s\n1;x,x\n2;y\n"),
    ("tabs", b"q\ts\n1\tx y\n2\ty\n"),
    ("bars", b"q|s\n1|x\n2|y\n"),
    ("every cell quoted", b"\"q\",\"s\"\n\"1\",\"x\"\n\"2\",\"y\"\n"),
    ("some values quoted", b"q,s\n1,\"x\"\n2,y\n3,\"x\"\n3,y\n"),
    ("one column quoted", b"q,\"s\"\n1,\"x\"\n2,\"y\"\n"),
    ("quotation marks inside", b"q,s\n1,\"say \"\"x\"\"\"\n2,y\n"),
    ("delimiters inside", b"q,s\n1,\"x,y\"\n2,y\n"),
    ("line ends inside", b"q,s\n1,\"x\ny\"\n2,\"x\r\ny\"\n"),
    ("a quotation mark in the middle", b"q,s\n1,5\" pipe\n2,y\n"),
    ("empty cells", b"q,s\n,x\n2,\n"),
    ("quoted empty cells", b"q,s\n\"\",x\n2,\"\"\n3,\"\"\n"),
    ("zeroes in front and behind", b"q,s\n01,1.50\n02,1.60\n01,1.50\n"),
    ("UTF-8", "q,s\n1,Müller\n2,北京 🌳\n".as_bytes()),
];

/// Values that stand in several forms, and in which form they come out.
const FORMS: &[(&str, &[u8], &[u8])] = &[
    ("some cells quoted", b"q,s\n1,\"x\"\n\"2\",x\n2,\"y\"\n3,y\n", b"q,s\n1,x\n2,x\n2,y\n3,y\n"),
    ("some empty cells quoted", b"q,s\n\"\",x\n2,\"\"\n,\n", b"q,s\n,x\n2,\n,\n"),
    ("spaces", b"q,s\n 1 , x\n2,y \n", b"q,s\n1,x\n2,y\n"),
    ("numbers", b"q,s\n01,1.50\n1,1.5\n+1,015e-1\n", b"q,s\n1,1.5\n1,1.5\n1,1.5\n"),
    ("dates", b"q,s\n2020-01-31T00:00,x\n2020-01-31,y\n", b"q,s\n2020-01-31,x\n2020-01-31,y\n"),
];

const JOB: &str = "[input]\npath = \"people.csv\"\n[columns.q]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n\
                   [privacy]\nk-anonymity = 1\n";

#[test]
fn a_table_that_needs_no_recoding_comes_out_byte_for_byte() {
    let dir = Dir::new();
    dir.write("job.toml", JOB);
    for (what, bytes) in FILES {
        dir.write("people.csv", bytes);
        dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
        assert_eq!(
            String::from_utf8_lossy(&dir.bytes("release/data.csv")),
            String::from_utf8_lossy(bytes),
            "{what}"
        );
        dir.expect(0, &["verify", "release", "--quiet"]);
    }
}

/// Records of a class must not be told apart by how their values were typed or quoted.
#[test]
fn a_value_in_several_forms_told_records_apart() {
    let dir = Dir::new();
    for (what, bytes, expected) in FORMS {
        dir.write("people.csv", bytes);
        dir.write("job.toml", JOB);
        dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
        let data = dir.bytes("release/data.csv");
        assert_eq!(String::from_utf8_lossy(&data), String::from_utf8_lossy(expected), "{what}");
        dir.expect(0, &["verify", "release", "--quiet"]);
        // Insensitive columns are published as they stood.
        dir.write("job.toml", JOB.replace("\"sensitive\"", "\"insensitive\""));
        dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
        let second = |table: &[u8]| -> Vec<String> {
            let table = String::from_utf8_lossy(table).into_owned();
            table.lines().map(|line| line.split_once(',').unwrap().1.to_owned()).collect()
        };
        assert_eq!(second(&dir.bytes("release/data.csv")), second(bytes), "{what}");
        dir.expect(0, &["verify", "release", "--quiet"]);
    }
}

#[test]
fn latin_1_stays_latin_1() {
    let dir = Dir::new();
    let bytes = b"q,s\n1,M\xfcller\n2,\"Caf\xe9; 5\xa7\"\n";
    dir.write("job.toml", JOB.replace("[columns.q]", "encoding = \"latin-1\"\n[columns.q]"))
        .write("people.csv", bytes);
    dir.expect(0, &["anonymize", "job.toml"]);
    assert_eq!(dir.bytes("release/data.csv"), bytes);
    dir.expect(0, &["verify", "release"]);
    // A label that Latin-1 cannot hold is the hierarchy's fault, not a lack of resources.
    dir.write("q.csv", "1;≤2;*\n2;≤2;*\n");
    let set = ["--set", "columns.q.hierarchy=q.csv", "--set", "privacy.k-anonymity=2"];
    dir.expect(2, &[&["anonymize", "job.toml", "--force"][..], &set].concat()).says("Latin-1");
}

#[test]
fn apostrophes_that_quote_become_quotation_marks() {
    let dir = Dir::new();
    dir.write("job.toml", JOB).write("people.csv", "q,s\n1,'x,x'\n2,'y'\n3,'it''s'\n");
    dir.expect(0, &["anonymize", "job.toml"]);
    let data = dir.text("release/data.csv");
    assert!(data.contains("\"x,x\"") && data.contains("it's"), "{data}");
    dir.expect(0, &["verify", "release"]);
}

#[test]
fn a_table_without_a_header_gets_one() {
    let dir = Dir::new();
    dir.write(
        "job.toml",
        JOB.replace("columns.q", "columns.column1").replace("columns.s", "columns.column2"),
    );
    dir.write("people.csv", "1,5\n2,6\n");
    dir.expect(0, &["anonymize", "job.toml"]);
    assert_eq!(dir.text("release/data.csv"), "column1,column2\n1,5\n2,6\n");
    dir.expect(0, &["verify", "release"]);
}

/// Recoding one column leaves the bytes of the others alone, also when records are suppressed.
#[test]
fn other_columns_keep_their_bytes_and_their_order() {
    let dir = Dir::new();
    let mut text = String::from("note,id,q,\"s\",more\r\n");
    for i in 0..40 {
        let quoted = if i % 3 == 0 { "\"" } else { "" };
        text.push_str(&format!("{quoted}n{i}{quoted},{CANARY}-{i},{i},\"d{}\",\"a, {i}\"\r\n", i % 2));
    }
    let job = "[input]\npath = \"people.csv\"\n[columns.more]\nrole = \"insensitive\"\n[columns.s]\nrole = \"sensitive\"\n\
               [columns.q]\nrole = \"quasi\"\nhierarchy = { intervals = [7] }\n[columns.note]\nrole = \"insensitive\"\n\
               [privacy]\nk-anonymity = 6\n[search]\nsuppress-at-most = 0.2\n";
    dir.write("people.csv", &text).write("job.toml", job);
    let json = dir.expect(0, &["anonymize", "job.toml", "--json"]).json();
    assert_eq!((json["levels"]["q"].as_u64(), json["suppressed"].as_u64()), (Some(1), Some(5)));
    let expected: String = std::iter::once("note,q,\"s\",more\r\n".to_owned())
        .chain((0..35).map(|i| {
            let quoted = if i % 3 == 0 { "\"" } else { "" };
            let (from, to) = (i / 7 * 7, i / 7 * 7 + 6);
            format!("{quoted}n{i}{quoted},{from}-{to},\"d{}\",\"a, {i}\"\r\n", i % 2)
        }))
        .collect();
    assert_eq!(dir.text("release/data.csv"), expected);
    dir.expect(0, &["verify", "release"]);
}

/// The canary stands in an identifier column and in one that the job does not mention.
#[test]
fn identifiers_and_unmentioned_columns_are_in_no_file_of_the_release() {
    let dir = people::dir(200, "k-anonymity = 3", "suppress-at-most = 0.1");
    let job = dir.text("job.toml");
    let unmentioned = job.replace("[columns.name]\nrole = \"identifier\"\n", "");
    let note = "[columns.note]\nrole = \"insensitive\"\n";
    for (job, header) in [
        (job.clone(), "age,zip,sex,disease,income,note"),
        (unmentioned, "age,zip,sex,disease,income,note"),
        (job.replace(note, ""), "age,zip,sex,disease,income"),
    ] {
        for format in ["csv", "parquet", "arrow"] {
            dir.write("job.toml", &job);
            dir.expect(0, &["anonymize", "job.toml", "--force", "--set", &format!("output.format={format}")]);
            for (name, bytes) in dir.files("release") {
                assert!(!String::from_utf8_lossy(&bytes).contains(CANARY), "{name} tells an identifier");
            }
            if format == "csv" {
                assert_eq!(dir.text("release/data.csv").lines().next(), Some(header));
            }
            let manifest = dir.json("release/manifest.json");
            assert!(
                manifest["data"]["removed_columns"].as_array().unwrap().iter().any(|name| name == "name")
            );
        }
    }
}

/// A value that only suppressed records hold is in no file of the release.
#[test]
fn suppressed_values_are_in_no_file_of_the_release() {
    for criterion in [
        "k-anonymity = 5",
        "k-anonymity = 5\nt-closeness = { kind = \"ordered\", t = 0.9, column = \"n\" }",
        "k-anonymity = 5\nt-closeness = { kind = \"hierarchical\", t = 0.9, column = \"s\" }",
        "k-anonymity = 5\nbeta-likeness = { beta = 50, column = \"s\" }",
        "k-anonymity = 5\nproximity-diversity = { l = 2, width = 0.5, column = \"n\" }",
    ] {
        let dir = Dir::new();
        let mut text = String::from("q,s,n\n");
        (0..20).for_each(|i| text.push_str(&format!("a,d{},{}\n", i % 4, i % 4)));
        text.push_str(&format!("{CANARY},{CANARY},77317731\n"));
        let job = format!(
            "[input]\npath = \"people.csv\"\n[columns.q]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n\
             hierarchy = {{ tree = {{ x = [\"d0\", \"d1\"], y = [\"d2\", \"d3\", \"{CANARY}\"] }} }}\n\
             [columns.n]\nrole = \"sensitive\"\n[privacy]\n{criterion}\n[search]\nsuppress-at-most = 0.05\n"
        );
        dir.write("people.csv", text).write("job.toml", job);
        let json = dir.expect(0, &["anonymize", "job.toml", "--json"]).json();
        assert_eq!(json["suppressed"].as_u64(), Some(1), "{criterion}: {json}");
        for (name, bytes) in dir.files("release") {
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(CANARY) && !text.contains("77317731"), "{criterion}: {name}");
        }
        dir.expect(0, &["verify", "release"]);
    }
}

/// `verify` took a Latin-1 release whose bytes are also valid UTF-8 for UTF-8, and did not find the values
/// that the manifest speaks of.
#[test]
fn latin_1_that_could_be_utf_8_is_verified_as_latin_1() {
    let dir = Dir::new();
    dir.write("people.csv", "q,s\n1,ä\n1,ö\n2,ä\n2,ö\n".as_bytes());
    let job = JOB.replace("[columns.q]", "encoding = \"latin-1\"\n[columns.q]");
    dir.write(
        "job.toml",
        format!("{job}t-closeness = {{ kind = \"ordered\", order = [\"Ã¤\", \"Ã¶\"], t = 0.5 }}\n"),
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.expect(0, &["verify", "release"]);
}
