//! Careless users, and what spreadsheets and countries make of a table: items 14 to 20 of the first hour's findings.

use std::io::Write as _;
use std::process::Stdio;

use crate::dir::{Dir, Run};
use crate::people::{self, Random};

/// A table of this many people, cells parted by semicolons as spreadsheets of half of Europe do.
fn clinic(rows: usize, line: impl Fn(&mut Random, usize) -> String) -> String {
    let mut random = Random(5);
    (0..rows).map(|row| line(&mut random, row)).collect()
}

fn run_with_input(dir: &Dir, args: &[&str], input: &[u8]) -> Run {
    let mut child = dir
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    Run::of(child.wait_with_output().unwrap(), &args.join(" "))
}

/// Item 14: the first person became the names of the columns, in a release that was verified and reported.
#[test]
fn item_14_a_first_person_is_never_published_as_a_header() {
    let dir = Dir::new();
    let cities = ["Bonn", "Ulm", "Jena"];
    let people = clinic(90, |random, row| {
        format!(
            "Person{row},{},{}\n",
            cities[random.below(3) as usize],
            people::DISEASES[random.below(6) as usize]
        )
    });
    dir.write("people.csv", &people);
    // Its cities and diseases occur again below.
    dir.expect(0, &["init", "people.csv"]).prints("column1").prints("column3");
    assert!(!dir.text("job.toml").contains("Person0") && dir.text("job.toml").contains("header = false"));
    // Every cell is new: nothing tells.
    let doubt = clinic(40, |_, row| format!("Person {row},Town{row}\n"));
    dir.write("doubt.csv", &doubt);
    for args in [&["init", "doubt.csv", "--force"][..], &["init", "doubt.csv", "--force", "--json"]] {
        let run = dir.expect(2, args).says("cannot be told whether the first line").says("--no-header");
        assert!(!run.err.contains("Person") && !run.out.contains("Person"));
    }
    dir.expect(0, &["init", "doubt.csv", "--force", "--no-header", "--quiet"]);
    dir.expect(0, &["init", "doubt.csv", "--force", "--header", "--quiet"]);
    // Names that are known tell what cells do not.
    dir.write("named.csv", format!("Surname,City\n{doubt}"));
    dir.expect(0, &["init", "named.csv", "--force"]).prints("Surname");
    // A job names its columns, so its table is in no doubt; without a header it has none of them.
    let job = "[input]\npath = \"named.csv\"\n[columns.City]\nrole = \"quasi\"\n[privacy]\nk-anonymity = 2\n";
    dir.write("named.toml", job);
    dir.expect(0, &["anonymize", "named.toml", "--quiet"]);
    dir.expect(2, &["anonymize", "named.toml", "--set", "input.path=people.csv", "--force"]).says("City");
}

/// Item 15: one file of a spreadsheet with all that it does, read by the job that `init` writes, this month and the next.
#[test]
fn item_15_what_spreadsheets_write_is_recognised_and_written_into_the_job() {
    let month = |seed: u64| -> Vec<u8> {
        let mut random = Random(seed);
        let mut text =
            b"Aufnahmen der Station f\xfcr Innere, alle Betr\xe4ge in \x80;;;;;\r\n;;;;;\r\n".to_vec();
        text.extend(b"Name;Geburtsdatum;Ort;Kosten;Anteil;Diagnose\r\n");
        for row in 0..400 {
            let birth = format!(
                "{:02}.{:02}.{}",
                1 + random.below(28),
                1 + random.below(12),
                1940 + random.below(60)
            );
            let cost = 1_000 + random.below(9_000);
            let ort = [&b"K\xf6ln"[..], b" Bonn ", b"D\xfcren"][random.below(3) as usize];
            text.extend(format!("Person {row};{birth};").bytes());
            text.extend(ort);
            text.extend(
                format!(";{}.{:03},{:02} \u{20}", cost / 1_000, cost % 1_000, random.below(100))
                    .trim_end()
                    .bytes(),
            );
            text.extend(b" \x80;");
            let disease = people::DISEASES[random.below(6) as usize];
            text.extend(format!("{},{} %;{disease}\r\n", random.below(100), random.below(10)).bytes());
        }
        text
    };
    let dir = Dir::new();
    dir.write("mai.csv", month(1)).write("juni.csv", month(2));
    dir.expect(0, &["init", "mai.csv"]);
    let job = dir.text("job.toml");
    for line in [
        "encoding = \"windows-1252\"",
        "skip = 2",
        "Kosten = \"decimal-comma\"",
        "Anteil = \"decimal-comma\"",
        "Geburtsdatum = \"day-month-year\"",
        "dates = [",
    ] {
        assert!(job.contains(line), "{line} is missing:\n{job}");
    }
    for file in ["mai.csv", "juni.csv"] {
        let set = format!("input.path={file}");
        let run =
            ["anonymize", "job.toml", "--force", "--quiet", "--set", &set, "--set", "adversary.max-risk=1"];
        dir.expect(0, &run);
        dir.expect(0, &["verify", "release", "--quiet"]);
        let data = dir.text("release/data.csv");
        assert!(data.starts_with("Geburtsdatum;Ort;Kosten;Anteil;Diagnose"), "{}", &data[..200]);
        let dates_are_plain =
            data.lines().all(|line| !line.split(';').next().unwrap_or_default().contains('.'));
        assert!(!data.contains('€') && dates_are_plain, "{}", &data[..400]);
    }
    // What is spelled otherwise is refused with its place, and no value.
    dir.write("juli.csv", [&month(3)[..], b"Person X;31/31/1999;Bonn;1,0;1,0 %;flu\r\n"].concat());
    dir.expect(2, &["anonymize", "job.toml", "--force", "--set", "input.path=juli.csv"])
        .says("`Geburtsdatum`: 1 of its")
        .says("record 401");
}

/// Item 15: names that stand twice were told one pair at a time.
#[test]
fn item_15_all_names_that_stand_twice_are_told_at_once() {
    let dir = Dir::new();
    dir.write("t.csv", "id,age,id,,age\n1,2,3,4,5\n");
    dir.expect(2, &["init", "t.csv"]).says("columns 1 and 3, to columns 2 and 5, and none to column 4");
}

/// Item 15: a value that a hierarchy file does not have ended next month's job.
#[test]
fn item_15_a_row_for_all_others_covers_the_values_of_next_month() {
    let dir = people::dir(200, "k-anonymity = 3", "suppress-at-most = 0.1");
    dir.write("sex.csv", "value;any\nf;*\n*;*\n");
    let job = dir.text("job.toml").replace(
        "[columns.sex]\nrole = \"quasi\"",
        "[columns.sex]\nrole = \"quasi\"\nhierarchy = \"sex.csv\"",
    );
    dir.write("job.toml", job);
    dir.expect(0, &["anonymize", "job.toml", "--home", "home", "--quiet"]);
    dir.expect(0, &["verify", "release", "--quiet"]);
    dir.expect(0, &["measure", "job.toml", "release", "--quiet"]);
    dir.expect(0, &["attack", "release", "--original", "job.toml", "--quiet"]);
    dir.expect(0, &["unfold", "release", "--leaf-sample", "--job", "job.toml", "-o", "u.csv", "--quiet"]);
}

/// Item 16: a table is a file, a folder, a pattern or standard input; what comes out is the same.
#[test]
fn item_16_folders_patterns_and_standard_input_are_tables() {
    let dir = people::dir(300, "k-anonymity = 3", "suppress-at-most = 0.1");
    let table = dir.text("people.csv");
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let whole = dir.bytes("release/data.csv");
    let lines: Vec<&str> = table.lines().collect();
    for (part, name) in [(1..120, "b/2026-01.csv"), (120..121, "b/2026-02.csv"), (121..301, "b/2026-03.csv")]
    {
        dir.write(name, format!("{}\n{}\n", lines[0], lines[part].join("\n")));
    }
    for path in ["b", "b/", "b/*.csv", "b/2026-0?.csv"] {
        let set = format!("input.path={path}");
        dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet", "--set", &set]);
        assert!(dir.bytes("release/data.csv") == whole, "{path}");
        let original = ["attack", "release", "--original", "job.toml", "--set", &set, "--quiet"];
        dir.expect(0, &original);
        dir.expect(0, &["init", path, "-o", "first.toml", "--force", "--quiet"]);
    }
    // Nor is a part of a table written over, and a release does not take its place.
    dir.expect(2, &["init", "b", "-o", "b/2026-01.csv", "--force"]).says("would be lost");
    dir.expect(2, &["anonymize", "job.toml", "--set", "input.path=b", "-o", "b", "--force"])
        .says("would be lost");
    dir.expect(2, &["anonymize", "job.toml", "--set", "input.path=c*.csv", "--force"])
        .says("stands for no table");
    dir.write("b/2026-04.csv", format!("{}\n1,2\n", lines[0]));
    dir.expect(2, &["anonymize", "job.toml", "--set", "input.path=b", "--force"])
        .says("2026-04.csv: line 2: 2 cells");

    let piped = run_with_input(
        &dir,
        &["anonymize", "job.toml", "--input", "-", "-o", "-", "--force"],
        table.as_bytes(),
    );
    let piped = piped.expect(0).says("Published");
    assert!(piped.out.as_bytes() == whole, "the table alone goes to standard output");
    assert!(dir.bytes("release/data.csv") == whole);
    let job = run_with_input(&dir, &["init", "-", "-o", "-"], table.as_bytes()).expect(0);
    assert!(job.out.contains("path = \"-\"") && job.out.contains("[columns.disease]"), "{job:?}");
    let unfolded = dir.expect(0, &["unfold", "release", "--leaf-sample", "-o", "-"]);
    assert_eq!(unfolded.out.lines().count(), String::from_utf8(whole).unwrap().lines().count());
    let refused = ["anonymize", "job.toml", "--input", "-", "--set", "input.format=parquet", "--force"];
    run_with_input(&dir, &refused, b"").expect(2).says("not from standard input");
}

/// Item 16: failures were no JSON, and the JSON of `anonymize` had no attacks.
#[test]
fn item_16_every_failure_is_one_json_object() {
    let dir = people::dir(60, "k-anonymity = 61", "");
    for (code, kind, args) in [
        (2, "bad-input", &["anonymize", "job.toml", "--json"][..]),
        (2, "bad-input", &["anonymize", "none.toml", "--json"]),
        (2, "bad-input", &["verify", "none", "--json"]),
        (2, "bad-input", &["measure", "job.toml", "none", "--json"]),
        (2, "bad-input", &["attack", "none", "--json"]),
        (2, "bad-input", &["answer", "none", "select count(*) from data", "--json"]),
        (2, "bad-input", &["init", "none.csv", "--json"]),
        (2, "bad-input", &["unfold", "none", "--ranges", "-o", "x.csv", "--json"]),
        (2, "bad-input", &["condense", "none.csv", "-k", "2", "--json"]),
        (2, "bad-input", &["judge", "none.json", "--json"]),
        (2, "bad-input", &["anonymize", "--no-such-flag", "--json"]),
        (4, "resources", &["init", "people.csv", "--max-input", "1kB", "--json"]),
    ] {
        let run = dir.expect(code, args);
        let json = run.json();
        assert_eq!(
            (json["error"]["code"].as_i64(), json["error"]["kind"].as_str()),
            (Some(code.into()), Some(kind))
        );
        assert!(!json["error"]["message"].as_str().unwrap().is_empty(), "{run:?}");
    }
    let dir = people::dir(60, "k-anonymity = 3", "suppress-at-most = 0.2");
    let json = dir.expect(0, &["anonymize", "job.toml", "--json"]).json();
    let attacks = json["attacks"].as_array().unwrap();
    assert!(attacks.iter().any(|attack| attack["attack"] == "linking"), "{json}");
    assert!(json["not_tried"].is_array());
    // A gate that says no tells why, once: classes of two often agree on the illness.
    let dir = people::dir(600, "k-anonymity = 2", "suppress-at-most = 0.2");
    let limited = ["anonymize", "job.toml", "--force", "--json", "--set", "adversary.max-absolute-risk=0"];
    let json = dir.expect(1, &limited).json();
    assert_eq!(json["error"]["kind"], "refused", "{json}");
}

/// Item 16: a log for jobs that nobody watches.
#[test]
fn item_16_a_log_is_one_json_object_on_a_line() {
    let dir = people::dir(300, "k-anonymity = 3", "suppress-at-most = 0.1");
    let lines = |run: &Run| -> Vec<serde_json::Value> {
        run.err.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    };
    let run = dir.expect(0, &["anonymize", "job.toml", "--log", "json", "--json"]);
    let log = lines(&run);
    assert!(log.iter().any(|line| line["event"] == "stage" && line["stage"] == "reading"), "{log:?}");
    assert!(log.iter().all(|line| line["time"].is_string() && line["seconds"].is_number()));
    assert_eq!(
        (log.last().unwrap()["event"].as_str(), log.last().unwrap()["exit"].as_u64()),
        (Some("end"), Some(0))
    );
    run.json();
    let run = dir.privet(&["anonymize", "none.toml", "--log", "json"]);
    let log = lines(&run);
    assert_eq!(
        (run.code, log[0]["level"].as_str(), log[0]["code"].as_u64()),
        (Some(2), Some("error"), Some(2))
    );
    assert_eq!(log.last().unwrap()["outcome"], "bad-input");
}

/// Item 17: one page for all verbs, without exit codes, and completions that everybody had to place by hand.
#[test]
fn item_17_pages_of_all_verbs_and_completions_install_themselves() {
    let dir = Dir::new();
    dir.expect(0, &["completions", "man", "verify"]).prints(".TH privet-verify").prints("EXIT STATUS");
    dir.expect(2, &["completions", "man", "publish"]).says("anonymize");
    dir.expect(2, &["completions", "bash", "verify"]).says("manual pages");
    for (what, file) in [
        ("bash", "data/bash-completion/completions/privet"),
        ("fish", "config/fish/completions/privet.fish"),
        ("zsh", "data/zsh/site-functions/_privet"),
        ("man", "data/man/man1/privet-anonymize.1"),
    ] {
        let mut command = dir.command(&["completions", what, "--install"]);
        command
            .env("HOME", dir.path(""))
            .env("XDG_DATA_HOME", dir.path("data"))
            .env("XDG_CONFIG_HOME", dir.path("config"));
        Run::of(command.output().unwrap(), what).expect(0).prints("Wrote");
        assert!(dir.text(file).contains("anonymize"), "{file}");
    }
    dir.expect(0, &["completions", "man", "--to", "pages"]).prints("pages to pages");
    let pages = dir.names("pages");
    assert!(pages.contains(&"privet.1".to_owned()) && pages.len() > 15, "{pages:?}");
    // Both flags of every verb.
    for page in pages.iter().filter_map(|page| page.strip_prefix("privet-")?.strip_suffix(".1")) {
        for flag in ["-h", "--help"] {
            dir.expect(0, &[page, flag]).prints("Usage:");
        }
    }
}

/// Item 18: codes lost their leading zeros, and dates became texts, in what was written for learners.
#[test]
fn item_18_unfold_keeps_codes_and_dates() {
    let dir = Dir::new();
    let lines =
        clinic(60, |_, row| format!("0{}067,19{}-05-0{},d{}\n", row % 2, 80 + row % 3, 1 + row % 2, row % 4));
    dir.write("t.csv", format!("zip,born,disease\n{lines}"));
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.zip]\nrole = \"quasi\"\nhierarchy = { mask = \"right\" }\n[columns.born]\nrole = \"quasi\"\n\
         [columns.disease]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    for file in ["u.csv", "u.parquet"] {
        dir.expect(0, &["unfold", "release", "--leaf-sample", "--job", "job.toml", "-o", file, "--quiet"]);
        let options = privet_data::io::ReadOptions::default();
        let table = privet_data::io::read(&dir.path(file), &options, &privet_data::Silent).unwrap().table;
        let texts = |name: &str| {
            let column = table.column(name).unwrap();
            column.codes.iter().map(|&code| column.domain.text(code).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(texts("zip").len(), 60);
        assert!(
            texts("zip").iter().all(|zip| ["00067", "01067"].contains(&zip.as_str())),
            "{file}: {:?}",
            texts("zip")
        );
        assert!(
            texts("born").iter().all(|day| day.len() == 10 && day.starts_with("198")),
            "{file}: {:?}",
            texts("born")
        );
    }
}

/// Items 18 and 20: errors about hierarchies came one at a time in no order, and did not say where the values are.
#[test]
fn items_18_and_20_hierarchies_are_told_at_once_and_where_their_values_stand() {
    let dir = Dir::new();
    let rows = "a,b,c\n1,x,p\n\n2,y,p\n3,\"z\nz\",q\n3,w,r\n";
    dir.write("t.csv", rows)
        .write("a.csv", "1;*\n2;*\n")
        .write("b.csv", "x;*\ny;*\n")
        .write("c.csv", "p;*\nq;*\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.a]\nrole = \"quasi\"\nhierarchy = \"a.csv\"\n[columns.b]\nrole = \"quasi\"\n\
         hierarchy = \"b.csv\"\n[columns.c]\nrole = \"sensitive\"\nhierarchy = \"c.csv\"\n[privacy]\nk-anonymity = 2\n",
    );
    for _ in 0..5 {
        let run = dir.expect(2, &["anonymize", "job.toml"]);
        let lines: Vec<&str> = run.err.lines().collect();
        assert_eq!(lines.len(), 3, "{run:?}");
        assert!(lines[0].contains("columns.a") && lines[0].ends_with("in line 5"), "{run:?}");
        assert!(
            lines[1].contains("columns.b") && lines[1].contains("2 of") && lines[1].ends_with("in line 5")
        );
        assert!(lines[2].contains("columns.c") && lines[2].ends_with("in line 7"));
        assert!(!run.err.contains("\n  w"), "{run:?}");
    }
    dir.expect(2, &["anonymize", "job.toml", "--show-values"]).says("\n  w").says("\n  3");
    // Read in passes, the values are told all the same.
    let passes = [
        "anonymize",
        "job.toml",
        "--show-values",
        "--set",
        "search.algorithm=mondrian",
        "--set",
        "search.mondrian.memory-limit=2",
    ];
    dir.expect(2, &passes).says("columns.b").says("\n  w");
}

/// Item 19: families of columns, coded categories, names that were not known, and a job that runs.
#[test]
fn item_19_the_first_job_of_a_wide_table_runs() {
    let mut random = Random(3);
    let months = |stem: &str| (1..=6).map(|month| format!("{stem}{month}")).collect::<Vec<_>>().join(",");
    let mut text = format!(
        "LIMIT_BAL,SEX,EDUCATION,MARRIAGE,AGE,{},{},{},married,default\n",
        months("PAY_"),
        months("BILL_AMT"),
        months("PAY_AMT")
    );
    for row in 0..600 {
        let mut cells: Vec<String> = vec![
            (10_000 * (1 + random.below(50))).to_string(),
            (1 + random.below(2)).to_string(),
            random.below(9).to_string(),
            random.below(4).to_string(),
            (21 + random.below(50)).to_string(),
        ];
        cells.extend((0..6).map(|_| random.below(9).to_string()));
        // The first of them tells every record apart.
        cells.extend(
            (0..6).map(|month| if month == 0 { 100_000 + row } else { 100 * random.below(900) }.to_string()),
        );
        cells.extend((0..6).map(|_| (10 * random.below(300)).to_string()));
        cells.extend([
            ["yes", "no"][random.below(2) as usize].to_owned(),
            u64::from(random.below(10) < 2).to_string(),
        ]);
        text.push_str(&(cells.join(",") + "\n"));
    }
    let dir = Dir::new();
    dir.write("cards.csv", text);
    let json = dir.expect(0, &["init", "cards.csv", "--json"]).json();
    let role = |name: &str| {
        let columns = json["columns"].as_array().unwrap();
        let own = columns.iter().find(|column| column["name"] == name).unwrap_or_else(|| panic!("{name}"));
        (own["role"].as_str().unwrap().to_owned(), own["reason"].as_str().unwrap().to_owned())
    };
    for stem in ["PAY_", "BILL_AMT", "PAY_AMT"] {
        let roles: std::collections::BTreeSet<String> =
            (1..=6).map(|month| role(&format!("{stem}{month}")).0).collect();
        assert_eq!(roles.len(), 1, "{stem}: {roles:?}");
    }
    for name in ["MARRIAGE", "married"] {
        assert!(role(name).1.contains("family"), "{:?}", role(name));
    }
    let job = dir.text("job.toml");
    let education = job.split("[columns.EDUCATION]").nth(1).unwrap().split("[columns").next().unwrap();
    assert!(!education.contains("intervals ="), "{education}");
    assert!(job.contains("\nmax-risk = ") && job.contains("algorithm = \"mondrian\""), "{job}");
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.expect(0, &["verify", "release", "--quiet"]);
}

/// Item 19: the default job on a table whose sensitive column has two values exposed four of ten people, with exit code 0.
#[test]
fn item_19_two_sensitive_values_get_a_promise_that_attacks_do_not_break() {
    let mut random = Random(9);
    let mut text = String::from("age,city,salary\n");
    for _ in 0..3_000 {
        let age = 18 + random.below(60);
        let rich = random.below(100) < if age > 50 { 45 } else { 12 };
        text.push_str(&format!("{age},c{},{}\n", random.below(8), if rich { ">50K" } else { "<=50K" }));
    }
    let dir = Dir::new();
    dir.write("adults.csv", text);
    dir.expect(0, &["init", "adults.csv", "--quiet"]);
    let job = dir.text("job.toml");
    assert!(job.contains("t-closeness = { kind = \"equal\"") && job.contains("max-risk = 0.3"), "{job}");
    let json = dir.expect(0, &["anonymize", "job.toml", "--json"]).json();
    let homogeneity =
        json["attacks"].as_array().unwrap().iter().find(|own| own["attack"] == "homogeneity").unwrap();
    assert!(homogeneity["rate"].as_f64().unwrap_or(0.0) <= 0.05, "{homogeneity}");
}
