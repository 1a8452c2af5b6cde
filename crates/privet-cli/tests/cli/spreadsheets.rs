//! Spreadsheets as inputs and outputs of every verb: a release is written as one, verified, and then is a table like any other.

use crate::dir::{CANARY, Dir};

fn table() -> String {
    let mut csv = "name,age,zip,cost,disease\n".to_owned();
    for row in 0..60 {
        let disease = ["flu", "asthma", "gout"][row % 3];
        csv.push_str(&format!(
            "{CANARY}{row},{},0{},{}.5,{disease}\n",
            20 + row % 40,
            1300 + row % 12,
            row * 10
        ));
    }
    csv
}

const JOB: &str = "\
[input]
path = \"patients.csv\"
[columns.age]
role = \"quasi\"
hierarchy = { intervals = [10, 20], min = 0 }
[columns.zip]
role = \"quasi\"
hierarchy = { mask = \"right\" }
[columns.cost]
role = \"insensitive\"
[columns.disease]
role = \"sensitive\"
[privacy]
k-anonymity = 3
[output]
folder = \"release\"
format = \"xlsx\"
home = \"home\"
";

#[test]
fn a_release_is_a_workbook_that_every_verb_reads() {
    let dir = Dir::new();
    dir.write("patients.csv", table()).write("job.toml", JOB);
    dir.expect(0, &["anonymize", "job.toml"]);
    let first = dir.bytes("release/data.xlsx");
    assert!(first.starts_with(b"PK"));
    dir.expect(0, &["verify", "release"]);
    dir.expect(0, &["measure", "job.toml", "release", "--json"]);
    dir.expect(0, &["attack", "release", "--json"]);
    dir.expect(0, &["answer", "release", "select count(*) from data"]);

    // The same bytes every time, and the same release as one that is read from the workbook of the table.
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
    assert_eq!(dir.bytes("release/data.xlsx"), first);

    // A changed byte is noticed.
    let mut changed = first;
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    dir.write("release/data.xlsx", changed);
    dir.expect(1, &["verify", "release"]);
}

#[test]
fn a_workbook_is_an_input_like_any_other() {
    let dir = Dir::new();
    let all = "[input]\npath = \"patients.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.zip]\nrole = \"insensitive\"\n[columns.cost]\n\
               role = \"insensitive\"\n[columns.disease]\nrole = \"insensitive\"\n[privacy]\nk-anonymity = 1\n[output]\nformat = \"xlsx\"\n";
    dir.write("patients.csv", table()).write("all.toml", all).write("job.toml", JOB);
    dir.expect(0, &["anonymize", "all.toml", "--output", "workbook"]);
    let as_csv = ["--set", "output.format=csv", "--force"];
    let run = |input: &str, folder: &str| {
        let mut args = vec!["anonymize", "job.toml", "--input", input, "--output", folder];
        args.extend(as_csv);
        dir.expect(0, &args);
        dir.text(&format!("{folder}/data.csv"))
    };
    assert_eq!(run("workbook/data.xlsx", "from-workbook"), run("patients.csv", "from-csv"));

    dir.expect(0, &["init", "workbook/data.xlsx", "--output", "found.toml"]);
    let found = dir.text("found.toml");
    assert!(found.contains("path = \"workbook/data.xlsx\"") && !found.contains("delimiter"), "{found}");
    dir.expect(2, &["init", "workbook/data.xlsx", "--output", "x.toml", "--sheet", "Nowhere"])
        .says("there is no sheet `Nowhere`");
    dir.expect(0, &["ledger", "open", "workbook/data.xlsx", "--epsilon", "1"]);
    dir.expect(0, &["query", "workbook/data.xlsx", "select count(*) from data", "--epsilon", "0.5"]);
}

#[test]
fn opendocument_is_read_only_and_parts_are_refused() {
    let dir = Dir::new();
    dir.write("patients.csv", table()).write("job.toml", JOB);
    dir.expect(2, &["anonymize", "job.toml", "--set", "output.format=ods"])
        .says("\"csv\", \"parquet\", \"arrow\", \"xlsx\"");
    dir.write("both/a.xlsx", "x").write("both/b.xlsx", "y");
    dir.expect(2, &["init", "both"]).says("name one file");
    dir.write("no.xlsx", CANARY);
    dir.expect(2, &["init", "no.xlsx"]).says("no .xlsx or .ods file");
}

/// A build without the page says how to get it.
#[cfg(not(feature = "serve"))]
#[test]
fn a_build_without_the_page_says_how_to_get_it() {
    Dir::new().expect(2, &["serve", "--keep", "x"]).says("--features serve");
}
