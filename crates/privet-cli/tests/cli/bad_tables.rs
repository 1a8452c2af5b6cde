//! Tables that cannot be read, and odd ones that can: never a panic, never a value in a message.

use crate::dir::{CANARY, Dir};

const JOB: &str = "[input]\npath = \"people.csv\"\n[columns.a]\nrole = \"quasi\"\n[columns.b]\nrole = \"sensitive\"\n\
                   [privacy]\nk-anonymity = 1\n";

/// What is wrong, the table, and what the message must hold. `S` stands for the canary.
const BROKEN: &[(&str, &[u8], &str)] = &[
    ("nothing", b"", "the file is empty"),
    ("a byte order mark alone", b"\xef\xbb\xbf", "empty"),
    ("line ends alone", b"\n\n\n", "no name to column 1"),
    ("carriage returns alone", b"\r\n\r\n", "no name to column 1"),
    ("a lone carriage return", b"\r", "privet: "),
    ("a space", b" ", "column"),
    ("a cell too many", b"a,b\nS,1\nS,1,S\n", "line 3: 3 cells where 2 are expected"),
    ("a cell too few", b"a,b\nS,1\nS\n", "line 3: 1 cells"),
    ("a header that is too short", b"a\nS,1\nS,2\n", "privet: "),
    ("a header that is too long", b"a,b,c\nS,1\nS,2\n", "line 2: 2 cells where 3"),
    ("many cells too many", b"a,b\nS,1\n,,,,,,,,,,,,,,,,,,,,,,,\n", "line 3: 24 cells"),
    ("another delimiter in the middle", b"a,b\nS,1\nS;1\n", "line 3: 1 cells"),
    ("a quotation mark that is never closed", b"a,b\nS,\"1\nS,2\n", "line 2: the quotation mark"),
    ("one in the header", b"a,\"b\nS,1\n", "quotation mark"),
    ("one at the very end", b"a,b\nS,1\n\"", "quotation mark"),
    ("one in front of the last line", b"a,b\nS,1\n\"S,2", "line 3: the quotation mark"),
    ("text behind a closing mark", b"a,b\nS,\"1\"x\n", "line 2: text after the closing quotation mark"),
    ("a space behind a closing mark", b"a,b\n\"S\" ,1\n", "line 2: text after"),
    ("a mark too many", b"a,b\n\"\"\"S,1\n", "quotation mark"),
    ("a NUL", b"a,b\nS,1\nS\0,2\n", "line 3: a NUL byte"),
    ("a NUL in the header", b"a,b\0\nS,1\n", "NUL"),
    ("a NUL in a quoted cell", b"a,b\n\"S\0\",2\n", "NUL"),
    ("nothing but NUL", b"\0\0\0\0\0\0", "privet: "),
    ("invalid UTF-8", b"a,b\nS\xff,1\n", "line 2: not valid UTF-8"),
    ("Latin-1", b"a,b\nM\xfcller S,1\n", "latin-1"),
    ("a cut sequence", b"a,b\nS,\xe2\x82", "line 2: not valid UTF-8"),
    ("an overlong sequence", b"a,b\nS,\xc0\xaf\n", "UTF-8"),
    ("a surrogate", b"a,b\nS,\xed\xa0\x80\n", "UTF-8"),
    ("invalid UTF-8 in the header", b"a,b\xff\nS,1\n", "UTF-8"),
    ("UTF-16, little end first", b"\xff\xfea\0,\0b\0\n\0", "UTF-16"),
    ("UTF-16, big end first", b"\xfe\xff\0a\0,\0b\0\n", "UTF-16"),
    ("lines that end in CR", b"a,b\rS,1\rS,2\r", "carriage return"),
    ("a CR in a cell", b"a,b\nS\rS,1\n", "line 2: a carriage return"),
    ("a CR at the end", b"a,b\nS,1\r", "carriage return"),
    ("a CR behind a quoted cell", b"a,b\nS,\"1\"\r", "carriage return"),
    ("one name twice", b"a,b,a\nS,1,2\n", "the same name to columns 1 and 3"),
    ("one name three times", b"b,a,b,b\nS,1,2,3\n", "columns 1, 3 and 4"),
    ("a column without a name", b"a,b,\nS,1,2\n", "no name to column 3"),
    ("only columns without a name", b",\nS,1\n", "privet: "),
    ("one column", b"a\nS\nS\n", "privet: "),
    ("another header", b"x,y\nS,1\n", "names columns that the input does not have"),
    ("half of the header", b"a,y\nS,1\n", "names a column that the input does not have: b"),
    ("names in another case", b"A,B\nS,1\n", "did you mean A?"),
    ("names with spaces", b"a, b\nS,1\n", "did you mean  b?"),
    ("a header and nothing else", b"a,b\n", "the table is empty"),
    ("a header without its end", b"a,b", "the table is empty"),
    ("a ZIP file", b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0S", "privet: "),
    ("a gzip file", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xffS", "privet: "),
    ("a Parquet file by another name", b"PAR1\x15\x04\x15\x10\x15\x14L\x15\x02\x15\0S", "privet: "),
    ("HTML", b"<html>\n<body>S</body>\n</html>\n", "privet: "),
    ("JSON", b"{\"a\": \"S\", \"b\": 1}\n", "privet: "),
];

/// Odd, and still tables: what is odd, the table, and what is published of it.
const ODD: &[(&str, &[u8], &[u8])] = &[
    ("blank lines", b"a,b\n\nx,1\n\n\ny,2\n\n", b"a,b\nx,1\ny,2\n"),
    ("blank lines in front", b"\n\na,b\nx,1\n", b"a,b\nx,1\n"),
    ("mixed line ends", b"a,b\nx,1\r\ny,2\n", b"a,b\nx,1\ny,2\n"),
    ("one record", b"a,b\nx,1\n", b"a,b\nx,1\n"),
    ("cells of nothing", b"a,b\n,\n,\n", b"a,b\n,\n,\n"),
    ("a quoted line of nothing", b"a,b\n\"\",\"\"\n", b"a,b\n\"\",\"\"\n"),
    ("control characters", b"a,b\nx\x01\x1b[31m,1\n", b"a,b\nx\x01\x1b[31m,1\n"),
    ("a byte order mark in the middle", b"a,b\n\xef\xbb\xbfx,1\n", b"a,b\n\xef\xbb\xbfx,1\n"),
    ("formulas", b"a,b\n=1+1,@x\n", b"a,b\n=1+1,@x\n"),
];

fn planted(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|&b| if b == b'S' { CANARY.as_bytes().to_vec() } else { vec![b] }).collect()
}

#[test]
fn broken_tables_are_refused_and_no_value_is_told() {
    let dir = Dir::new();
    dir.write("job.toml", JOB);
    for (what, bytes, fragment) in BROKEN {
        dir.write("people.csv", planted(bytes));
        let run = dir.privet(&["anonymize", "job.toml"]);
        assert_eq!(run.code, Some(2), "{what}: {run:#?}");
        assert!(run.err.contains(fragment), "{what}: {fragment:?} is not said: {}", run.err);
        assert!(run.out.is_empty() && run.err.lines().count() == 1, "{what}: {run:?}");
        assert_eq!(dir.names("."), ["job.toml", "people.csv"], "{what}");
        // `init` has no names to compare with, so it may accept some; what it writes is a job that can be read.
        let init = dir.privet(&["init", "people.csv", "--output", "first.toml", "--quiet"]);
        match init.code {
            Some(0) => {
                let run = dir.privet(&["anonymize", "first.toml", "--quiet"]);
                assert!(matches!(run.code, Some(0..=2)) && !run.err.contains("TOML"), "{what}: {run:?}");
                ["first.toml", "release", "hierarchies"].iter().for_each(|name| {
                    let _ = std::fs::remove_dir_all(dir.path(name))
                        .or_else(|_| std::fs::remove_file(dir.path(name)));
                });
            }
            code => assert_eq!(code, Some(2), "{what}: {init:?}"),
        }
    }
}

#[test]
fn odd_tables_are_read() {
    let dir = Dir::new();
    dir.write("job.toml", JOB);
    for (what, bytes, expected) in ODD {
        dir.write("people.csv", bytes);
        let run = dir.privet(&["anonymize", "job.toml", "--force", "--quiet"]);
        assert_eq!(run.code, Some(0), "{what}: {run:?}");
        let data = dir.bytes("release/data.csv");
        assert_eq!(String::from_utf8_lossy(&data), String::from_utf8_lossy(expected), "{what}");
        dir.expect(0, &["verify", "release", "--quiet"]);
        dir.expect(0, &["init", "people.csv", "--output", "first.toml", "--force", "--quiet"]);
    }
}

#[test]
fn a_very_long_line_is_read_and_stays_home() {
    let dir = Dir::new();
    let long = CANARY.repeat(5_000_000 / CANARY.len());
    dir.write("people.csv", format!("a,b,c\nx,1,{long}\nx,2,\"{long}\"\n")).write("job.toml", JOB);
    dir.expect(0, &["anonymize", "job.toml"]);
    assert_eq!(dir.text("release/data.csv"), "a,b\nx,1\nx,2\n");
    dir.expect(0, &["verify", "release"]);
    // Where it is one record too long for its header.
    dir.write("people.csv", format!("a,b\nx,1\n{long}\n"));
    dir.expect(2, &["anonymize", "job.toml", "--force"]).says("line 3: 1 cells");
    dir.write("people.csv", format!("a,b\nx,1\n\"{long}\n"));
    dir.expect(2, &["anonymize", "job.toml", "--force"]).says("line 3");
    // As a name of a column, it is not told in full.
    dir.write("people.csv", format!("a,b,{}\nx,1,2\n", "n".repeat(100_000)));
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
}

#[test]
fn ten_thousand_columns_are_read() {
    let dir = Dir::new();
    let row = |cell: &dyn Fn(usize) -> String| (0..10_000).map(cell).collect::<Vec<_>>().join(",");
    let header = row(&|i| {
        if i == 77 {
            "a".into()
        } else if i == 7_000 {
            "b".into()
        } else {
            format!("c{i}")
        }
    });
    let mut text = header + "\n";
    for r in 0..3 {
        text.push_str(&(row(&|i| format!("{}", i + r)) + "\n"));
    }
    dir.write("people.csv", &text).write("job.toml", JOB);
    dir.expect(0, &["anonymize", "job.toml"]);
    assert_eq!(dir.text("release/data.csv"), "a,b\n77,7000\n78,7001\n79,7002\n");
    dir.expect(0, &["verify", "release"]);
    dir.write("people.csv", text + "1,2\n");
    dir.expect(2, &["anonymize", "job.toml", "--force"]).says("line 5: 2 cells where 10000 are expected");
}
