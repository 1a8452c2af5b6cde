//! `privet condense`: releases of synthetic records from files and pipes, and the filter for streams.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::dir::{CANARY, Dir, Run};

/// Runs the program with this on its standard input.
fn piped(dir: &Dir, text: &str, args: &[&str]) -> Run {
    let mut command = dir.command(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = text.to_owned();
    // A program that ends early leaves a broken pipe behind, which is its right.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    Run::of(output, &args.join(" "))
}

/// A table with the columns age, income and group; `count` records.
fn table(count: u32) -> String {
    let line = |n: u32| {
        format!(
            "{},{}.{:02},{}\n",
            20 + n * 37 % 60,
            1000 + n * 7919 % 5000,
            n * 31 % 100,
            ["a", "b;"][n as usize % 2]
        )
    };
    "age,income,group\n".to_owned() + &(0..count).map(line).collect::<String>()
}

fn column(csv: &str, number: usize) -> Vec<f64> {
    csv.lines().skip(1).map(|line| line.split(',').nth(number).unwrap().parse().unwrap()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// What a run says of itself beside the records, on standard error.
fn told(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.err).unwrap()
}

/// A line of the summary of a report.
fn summary<'a>(report: &'a serde_json::Value, name: &str) -> &'a str {
    let lines = report["summary"].as_array().unwrap();
    lines.iter().find(|own| own[0] == name).map(|own| own[1].as_str().unwrap()).unwrap()
}

#[test]
fn a_table_is_condensed_into_a_release() {
    let dir = Dir::new();
    dir.write("people.csv", table(100));
    let args =
        ["condense", "people.csv", "-k", "5", "--columns", "age,income", "--seed", "3", "-o", "out/new"];
    dir.expect(0, &args).prints("records published: 100").prints("smallest group: 5").prints("Promised: ");
    let (old, new) = (table(100), dir.text("out/new/records.csv"));
    assert!(new.starts_with("age,income\n"));
    assert_eq!(new.lines().count(), 101);
    // Means are kept up to rounding: whole years, two decimals of money.
    assert!((mean(&column(&old, 0)) - mean(&column(&new, 0))).abs() < 0.5);
    assert!((mean(&column(&old, 1)) - mean(&column(&new, 1))).abs() < 0.005);
    for line in new.lines().skip(1) {
        let (age, income) = line.split_once(',').unwrap();
        assert!(
            !age.contains('.') && income.split_once('.').is_some_and(|(_, cents)| cents.len() == 2),
            "{line}"
        );
    }
    assert_eq!(dir.names("out"), ["new"]);
    dir.expect(0, &["verify", "out/new"]).prints("holds");
    let manifest = dir.text("out/new/manifest.json");
    assert!(manifest.contains("privet condense people.csv -k 5 --columns age,income"), "{manifest}");
    assert!(!manifest.contains("--seed"), "seeds are secret");

    dir.expect(2, &args).says("already");
    let again = dir.expect(0, &[&args[..], &["--force", "--json"]].concat()).json();
    assert_eq!(dir.text("out/new/records.csv"), new, "the same seed gives the same bytes");
    assert_eq!(summary(&again, "records read"), "100");
    assert_eq!(summary(&again, "groups"), "20");
    let other =
        dir.expect(0, &["condense", "people.csv", "-k", "5", "--columns", "income,age", "--seed", "4", "-q"]);
    assert!(other.out.starts_with("age,income\n") && other.out != new && other.err.is_empty());
    let unseeded = || dir.expect(0, &["condense", "people.csv", "-k", "5", "--columns", "age,income"]).out;
    assert_ne!(unseeded(), unseeded());
    let threads = |count| {
        dir.expect(0, &[&args[..8], &["--threads", count]].concat()).says("records published: 100").out
    };
    assert_eq!(threads("1"), new);
    assert_eq!(threads("3"), new);
}

#[test]
fn classes_are_condensed_apart_and_rare_ones_withheld() {
    let dir = Dir::new();
    dir.write("people.csv", table(41) + "30,1.00,rare\n31,2.00,rare\n");
    for stream in [&[][..], &["--stream", "--decimals", "0"]] {
        let args = [&["condense", "people.csv", "-k", "4", "--class", "group"][..], stream].concat();
        let withheld = if stream.is_empty() { "records withheld: 2" } else { "Withheld 2 records" };
        let run = dir.expect(0, &args).says(withheld);
        assert!(run.out.starts_with("age,income,group\n"));
        assert_eq!(run.out.lines().filter(|line| line.ends_with(",a")).count(), 21);
        assert_eq!(run.out.lines().filter(|line| line.ends_with(",b;")).count(), 20);
        assert!(!run.out.contains("rare"));
        assert_eq!(run.out.lines().count(), 42);
    }
    dir.write("semicolons.csv", "\"the;class\";x\n\"a;b\";1\n\"a;b\";2\n");
    let run = dir.expect(0, &["condense", "semicolons.csv", "-k", "2", "--class", "the;class"]);
    assert!(run.out.starts_with("the;class,x\na;b,"), "{run:?}");
    let run = dir.expect(0, &["condense", "semicolons.csv", "-k", "2", "--class", "the;class", "--stream"]);
    assert!(run.out.starts_with("\"the;class\";x\n\"a;b\";"), "{run:?}");
}

#[test]
fn a_pipe_of_ten_lines() {
    let dir = Dir::new();
    let lines = "x,y\n1,10\n2,20\n3,30\n4,40\n5,50\n6,60\n7,70\n8,80\n9,90\n10,100\n";
    let args = ["condense", "--stream", "-k", "3", "--seed", "1"];
    let run = piped(&dir, lines, &args).expect(0).says("Condensed 10 records into 10 synthetic ones");
    assert_eq!(run.out.lines().count(), 11);
    assert!(run.out.starts_with("x,y\n") && run.out.lines().nth(1).is_some_and(|line| line.contains(".")));
    assert_eq!(piped(&dir, lines, &args).expect(0).out, run.out);
    assert_eq!(piped(&dir, lines.trim_end(), &[&args[..], &["-"]].concat()).expect(0).out, run.out);
    assert_eq!(piped(&dir, &lines.replace('\n', "\r\n"), &args).expect(0).out, run.out);
    let file = piped(&dir, lines, &[&args[..], &["-o", "new.csv", "--json"]].concat()).expect(0).json();
    assert_eq!((file["published"].as_u64(), file["smallest_group"].as_u64()), (Some(10), Some(3)));
    assert_eq!(dir.text("new.csv"), run.out);
    // Not a stream: one group of three, one of three and one with the fourth, or so.
    let whole = piped(&dir, lines, &["condense", "-k", "3", "--seed", "1", "--json"]).expect(0);
    assert_eq!(whole.out.lines().count(), 11);
    assert_eq!(summary(&told(&whole), "groups"), "3");
    for (alpha, expected) in [("0.5", 5), ("3", 30)] {
        let run = piped(&dir, lines, &[&args[..], &["--alpha", alpha]].concat()).expect(0);
        assert_eq!(run.out.lines().count(), expected + 1, "{alpha}");
    }
}

/// Records come out while the pipe is still open.
#[test]
fn a_stream_writes_as_groups_fill_and_hears_ctrl_c() {
    let dir = Dir::new();
    let mut child = dir
        .command(&["condense", "--stream", "-k", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"x\n1\n2\n3\n4\n").unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..5 {
        out.read_line(&mut text).unwrap();
    }
    assert_eq!(text.lines().count(), 5, "a header and the four records of the group that was full: {text}");
    let begun = Instant::now();
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(said.contains("stopped on request; the records written so far are whole"), "{said}");
    drop(stdin);
}

#[test]
fn a_reader_that_goes_away_is_success() {
    let dir = Dir::new();
    dir.write("people.csv", table(20_000));
    for stream in [&[][..], &["--stream"]] {
        let args = [&["condense", "people.csv", "-k", "5", "--columns", "age,income"][..], stream].concat();
        let mut child = dir.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        Run::of(output, "condense | true").expect(0);
    }
}

#[test]
fn fewer_than_k_records_publish_nothing() {
    let dir = Dir::new();
    for (text, records) in [("x\n", 0), ("x\n1\n2\n", 2)] {
        for stream in [&[][..], &["--stream"]] {
            let args = [&["condense", "-k", "3"][..], stream].concat();
            let run = piped(&dir, text, &args).expect(1).says(&format!("has {records} records, and k is 3"));
            assert!(run.out.is_empty());
            piped(&dir, text, &[&args[..], &["-o", "new.csv"]].concat()).expect(1);
        }
    }
    let classes = "x,c\n1,a\n2,a\n3,b\n";
    for stream in [&[][..], &["--stream"]] {
        let args = [&["condense", "-k", "3", "--class", "c"][..], stream].concat();
        assert!(piped(&dir, classes, &args).expect(1).says("has 2 records").out.is_empty());
    }
    assert!(dir.names(".").is_empty(), "nothing is left behind");
}

#[test]
fn bad_cells_are_told_by_line_and_column_without_their_value() {
    let dir = Dir::new();
    for (cell, problem) in [
        (CANARY, "not a number"),
        ("", "a missing value"),
        ("  ", "a missing value"),
        ("NaN", "not a number"),
        ("inf", "not a number"),
        ("-Infinity", "not a number"),
        ("1e400", "not a number"),
        ("1e61", "not a number"),
        ("1;5", "not a number"),
        ("0x10", "not a number"),
    ] {
        let text = format!("x,y\n1,2\n\"3\",4\n\n5,{cell}\n7,8\n9,10\n");
        for stream in [&[][..], &["--stream"]] {
            let args = [&["condense", "-k", "2", "-o", "new.csv", "--delimiter", ","][..], stream].concat();
            let place = match stream.is_empty() {
                true => "column `y`, record 3",
                false => "standard input: line 5, column 2 (`y`)",
            };
            let refused = piped(&dir, &text, &args).expect(2).says(place).says(problem);
            assert!(!refused.err.contains(CANARY), "{refused:?}");
        }
    }
    dir.write("text.csv", format!("x,name\n1,{CANARY}\n2,{CANARY}\n"));
    dir.expect(2, &["condense", "text.csv", "-k", "2"]).says("text.csv").says("column `name`, record 1");
    dir.expect(0, &["condense", "text.csv", "-k", "2", "--columns", "x"]);
    assert_eq!(dir.names("."), ["text.csv"], "nothing is left behind");
}

#[test]
fn bad_tables_are_refused() {
    let dir = Dir::new();
    for (text, problem) in [
        ("", "empty"),
        ("x,y\n1,2\n3\n", "line 3: 1 cells where 2"),
        ("x,x\n1,2\n", "same name"),
        ("x,\"y\n1,2\n", "never closed"),
        ("31,7731\n1,2\n", "add a header"),
    ] {
        for stream in [&[][..], &["--stream"]] {
            let run =
                piped(&dir, text, &[&["condense", "-k", "2"][..], stream].concat()).expect(2).says(problem);
            assert!(run.out.is_empty() && !run.err.contains("7731"), "{run:?}");
        }
    }
    dir.expect(2, &["condense", "none.csv", "-k", "2"]).says("none.csv: cannot be read");
    dir.expect(2, &["condense", ".", "-k", "2"]).says("holds no table");
    dir.write("t.parquet", "x").write("file", "x").write("t.csv", "x\n1\n2\n");
    dir.expect(2, &["condense", "t.parquet", "-k", "2"]).says("t.parquet");
    assert_ne!(dir.privet(&["condense", "t.csv", "-k", "2", "-o", "file/new"]).code, Some(0));
    dir.expect(4, &["condense", "t.csv", "-k", "2", "--stream", "-o", "file/new.csv"]).says("file/new.csv");
}

#[test]
fn bad_flags_are_refused() {
    let dir = Dir::new();
    dir.write("t.csv", "x,y,c\n1,2,a\n3,4,a\n5,6,a\n");
    let refused = |args: &[&str]| dir.expect(2, &[&["condense", "t.csv"], args].concat());
    for alpha in ["0", "-1", "NaN", "inf", "1001"] {
        refused(&["-k", "2", "--class", "c", "--alpha", alpha]).says("`--alpha` must be a number above 0");
    }
    refused(&["-k", "2", "--alpha", "x"]);
    for k in ["0", "1"] {
        refused(&["-k", k]).says("`-k` must be at least 2");
    }
    refused(&[]).says("-k");
    refused(&["-k", "x"]);
    refused(&["-k", "2", "--columns", "x,z"]).says("`--columns` names the column `z`");
    refused(&["-k", "2", "--class", "z"]).says("`--class` names the column `z`");
    refused(&["-k", "2", "--columns", "x,c", "--class", "c"]).says("which is the class");
    refused(&["-k", "2", "--columns", "x,x"]).says("twice");
    refused(&["-k", "2", "--decimals", "18"]);
    refused(&["-k", "2", "--delimiter", "ü"]).says("--delimiter");
    dir.write("one.csv", "c\na\nb\n");
    dir.expect(2, &["condense", "one.csv", "-k", "2", "--class", "c"]).says("no column to condense");
    assert!(dir.expect(0, &["condense", "--help"]).out.starts_with("Examples:"));
}

#[test]
fn constant_columns_duplicates_and_a_single_column() {
    let dir = Dir::new();
    dir.write("same.csv", "x,y\n".to_owned() + &"2.50,-7\n".repeat(30));
    dir.write("one.csv", "x\n".to_owned() + &(0..30).map(|n| format!("{}\n", n % 3)).collect::<String>());
    for stream in [&[][..], &["--stream"]] {
        let run = |file: &str, more: &[&str]| {
            dir.expect(0, &[&["condense", file, "-k", "4"], stream, more].concat())
        };
        let same = run("same.csv", &["--decimals", "2"]).out;
        assert_eq!(same, "x,y\n".to_owned() + &"2.50,-7.00\n".repeat(30));
        let one = run("one.csv", &[]).out;
        assert_eq!(one.lines().count(), 31);
        assert!((mean(&column(&one, 0)) - 1.0).abs() < 0.5);
    }
    assert_eq!(
        dir.expect(0, &["condense", "same.csv", "-k", "4", "--delimiter", ","]).out,
        dir.text("same.csv")
    );
}

/// Any grouping: the ways that are built in, and a column that names the groups.
#[test]
fn the_grouping_can_be_chosen_or_given() {
    let dir = Dir::new();
    let with_clinics = |small: usize| {
        let clinic = |n: usize| if n < small { CANARY } else { ["north", "south"][n % 2] };
        let lines = table(60)
            .lines()
            .skip(1)
            .enumerate()
            .map(|(n, line)| format!("{line},{}\n", clinic(n)))
            .collect::<String>();
        "age,income,group,clinic\n".to_owned() + &lines
    };
    dir.write("people.csv", with_clinics(0)).write("small.csv", with_clinics(3));
    let condense = |file: &'static str, more: &[&'static str]| {
        [&["condense", file, "-k", "5", "--columns", "age,income", "--seed", "3", "--json"][..], more]
            .concat()
    };
    let mut outputs = Vec::new();
    for way in ["nearest", "mdav", "v-mdav", "mondrian"] {
        let run = dir.expect(0, &condense("people.csv", &["--groups", way]));
        let report = told(&run);
        let number = |name| summary(&report, name).parse::<u64>().unwrap();
        assert!(number("smallest group") >= 5 && number("groups") > 5, "{report}");
        assert_eq!(run.out.lines().count(), 61);
        // Means are kept, up to the rounding to whole years.
        assert!((mean(&column(&table(60), 0)) - mean(&column(&run.out, 0))).abs() < 0.5, "{way}");
        assert_eq!(dir.expect(0, &condense("people.csv", &["--groups", way, "--threads", "1"])).out, run.out);
        // The table is so regular that no group of V-MDAV has reason to grow: its groups are those of MDAV.
        assert_eq!(outputs.contains(&run.out), way == "v-mdav", "{way}");
        outputs.push(run.out);
    }
    assert_eq!(dir.expect(0, &condense("people.csv", &[])).out, outputs[0], "nearest unless told otherwise");
    for more in [&["--no-standardize"][..], &["--no-recentre"], &["--groups", "v-mdav", "--gamma", "50"]] {
        assert!(!outputs.contains(&dir.expect(0, &condense("people.csv", more)).out), "{more:?}");
    }

    let given = dir.expect(0, &condense("people.csv", &["--groups-from", "clinic"]));
    let report = told(&given);
    assert_eq!((summary(&report, "groups"), summary(&report, "smallest group")), ("2", "30"));
    assert!(given.out.starts_with("age,income\n"));
    // With classes, a group is parted by them: both columns alternate, so nothing is parted here.
    let parted = dir.expect(
        0,
        &["condense", "people.csv", "-k", "5", "--class", "group", "--groups-from", "clinic", "--json"],
    );
    assert_eq!(summary(&told(&parted), "groups"), "2");
    assert!(parted.out.starts_with("age,income,group\n"));

    dir.expect(2, &condense("small.csv", &["--groups-from", "clinic"]))
        .says("1 of the 3 given groups have fewer than 5 records, the smallest 3")
        .says("use a smaller k");
    let refused = |more: &[&'static str]| dir.expect(2, &condense("people.csv", more));
    refused(&["--groups-from", "clinic", "--groups", "mdav"]).says("cannot be used with");
    refused(&["--stream", "--groups", "mdav"]).says("cannot be used with");
    refused(&["--stream", "--groups-from", "clinic"]).says("cannot be used with");
    refused(&["--groups", "k-means"]).says("possible values: nearest, mdav, v-mdav, mondrian");
    refused(&["--groups-from", "ward"]).says("`--groups-from` names the column `ward`");
    refused(&["--groups-from", "age"]).says("`--columns` names `age`, which names the groups");
    refused(&["--groups-from", "group", "--class", "group"]).says("`--groups-from` names the class");
    refused(&["--gamma", "0.2"]).says("`--gamma` goes with the grouping v-mdav only");
    refused(&["--groups", "v-mdav", "--gamma", "-1"]).says("`--gamma` must be a number of at least 0");
    dir.write("gap.csv", "x,g\n1,a\n2,\n3,a\n");
    dir.expect(2, &["condense", "gap.csv", "-k", "2", "--groups-from", "g"])
        .says("column `g`, record 2: a missing value");
}

/// Numbers of any size keep their digits.
#[test]
fn small_numbers_are_not_written_as_zeros() {
    let dir = Dir::new();
    let row = |n: u32| format!("{}e-25,{}\n", 1 + n * 7 % 9, n);
    dir.write("t.csv", "tiny,n\n".to_owned() + &(0..40).map(row).collect::<String>());
    for stream in [&[][..], &["--stream"]] {
        let out = dir.expect(0, &[&["condense", "t.csv", "-k", "4", "--seed", "1"], stream].concat()).out;
        let tiny = column(&out, 0);
        assert!(tiny.iter().filter(|x| **x != 0.0).count() > 30, "{out}");
        assert!((mean(&tiny) / 5e-25 - 1.0).abs() < 0.5, "{out}");
        assert!(out.lines().all(|line| line.len() < 30), "{out}");
    }
    // Asked for, zeros are what is meant.
    let out = dir.expect(0, &["condense", "t.csv", "-k", "4", "--decimals", "2"]).out;
    assert!(column(&out, 0).iter().all(|x| *x == 0.0));
}

/// Condensed records pass the gate before anything is written, to a file or to standard output.
#[test]
fn condensed_records_are_attacked_before_they_are_written() {
    let dir = Dir::new();
    // Far from each other, so that groups of two give their people away; the others are as they are, and not in the data.
    let people = |from: u64| -> String {
        let line = |n: u64| {
            let x = (n + from) * 2_654_435_761 % 1_000_003;
            let y = (n + from) * 40_503 % 999_983;
            format!("{x},{y},{}\n", ["a", "b"][(n % 2) as usize])
        };
        "x,y,group\n".to_owned() + &(0..300).map(line).collect::<String>()
    };
    dir.write("people.csv", people(0)).write("others.csv", people(70_000));
    dir.write("knowledge.toml", "[condensed-closest-record]\ncontrol = \"others.csv\"\n");
    let condense = |k: &'static str, more: &[&'static str]| {
        let args = ["condense", "people.csv", "-k", k, "--class", "group", "--seed", "1"];
        [&args[..], &["--knowledge", "knowledge.toml"], more].concat()
    };
    let limited = ["--attacks", "condensed-closest-record", "--max-risk", "0.2"];
    let refused = |more: &[&'static str]| {
        let run = dir.expect(1, &condense("2", &[&limited[..], more].concat()));
        assert_eq!(run.out, "", "nothing is handed over");
        run
    };
    refused(&["--output", "new"]).says("`condensed-closest-record`").says("`max-risk` accepts 20 %");
    refused(&[]);
    assert_eq!(dir.names("."), ["knowledge.toml", "others.csv", "people.csv"]);
    dir.expect(0, &condense("60", &[&limited[..], &["--output", "new"]].concat()))
        .prints("condensed-closest-record");
    // Without being asked for, what is found is told, and what was not tried.
    let plain = ["condense", "people.csv", "-k", "2", "--class", "group", "--seed", "1"];
    let written = [&plain[..], &["--force", "--output", "new"]].concat();
    dir.expect(0, &written)
        .prints("condensed-class")
        .prints("condensed-reproduction")
        .prints("Not made: condensed-closest-record");
    // What is asked for and cannot be tried is an error, and nothing is written.
    std::fs::remove_dir_all(dir.path("new")).unwrap();
    for (flags, says) in [
        (&["--attacks", "condensed-closest-record"][..], "a section of its name in the knowledge file"),
        (&["--attacks", "linking"], "unknown attack `linking`"),
        (&["--max-risk", "1.5"], "must be a share from 0 to 1"),
        (&["--stream", "--max-risk", "0.1"], "cannot be used with"),
    ] {
        let plain = ["condense", "people.csv", "-k", "5", "--columns", "x,y", "--output", "new"];
        dir.expect(2, &[&plain[..], flags].concat()).says(says);
        assert!(!dir.names(".").contains(&"new".to_owned()));
    }
    let stream = ["condense", "people.csv", "-k", "5", "--columns", "x,y", "--stream", "--output", "new.csv"];
    dir.expect(0, &stream).prints("Not attacked: the records of a stream are written as groups fill");
}

/// A release of a kind on the seam answers questions itself: condensed records with expectations, and no bounds that need not hold.
#[test]
fn condensed_records_answer_questions_without_bounds() {
    let dir = Dir::new();
    dir.write("people.csv", table(100));
    let made =
        ["condense", "people.csv", "-k", "10", "--columns", "age,income", "--seed", "1", "--output", "out"];
    dir.expect(0, &made);
    let records = dir.text("out/records.csv");
    let asked = dir.expect(0, &["answer", "out", "select count(*), avg(age) from data", "--json"]).json();
    let estimates = &asked["lines"][0]["estimates"];
    assert_eq!(estimates[0]["expected"], records.lines().count() as f64 - 1.0);
    let expected = estimates[1]["expected"].as_f64().unwrap();
    assert!((expected - mean(&column(&records, 0))).abs() < 1e-9, "{expected}");
    for estimate in estimates.as_array().unwrap() {
        assert!(estimate["at_least"].is_null() && estimate["at_most"].is_null(), "{estimate}");
    }
    assert_eq!(asked["synthetic"], true);
    dir.expect(0, &["answer", "out", "select count(*) from data where age < 40"]).prints("synthetic records");
    dir.expect(2, &["answer", "out", "select count(*) from data where height < 40"]).says("column");
    dir.expect(2, &["answer", "out", "select count(*) from other"]).says("data");
}

/// Kinds without records say that they answer nothing, with the exit code of bad input; measures refuse what only records have.
#[test]
fn kinds_without_answers_refuse_questions() {
    let dir = Dir::new();
    dir.write("towns.csv", "name,town\na,Ulm\nb,Ulm\nc,Bonn\nd,Kiel\ne,Kiel\n");
    let job = "kind = \"sample\"\n[input]\npath = \"towns.csv\"\ncolumn = \"town\"\n[sample]\nleast = 2\n[output]\nfolder = \"out\"\n";
    dir.write("job.toml", job);
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(2, &["answer", "out", "select count(*) from data"]).says("answer no questions");
    dir.expect(2, &["measure", "job.toml", "out", "--class", "town"])
        .says("--class is for releases of records");
    dir.expect(0, &["measure", "job.toml", "out"]);
}
