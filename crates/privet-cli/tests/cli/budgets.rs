//! One budget for the same people: copies, growth, other tables, ledgers that are gone or locked, and full disks.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::dir::{Dir, Run};

const QUESTION: &str = "select count(*) from data";

/// People with a number, a sex, an age and a cost of many values, from one number to another.
fn table(range: std::ops::Range<u64>) -> String {
    let mut text = "id,sex,age,cost\n".to_owned();
    for i in range {
        let cost = i * 2_654_435_761 % 99_991;
        text.push_str(&format!("p{i},{},{},{cost}\n", if i % 3 == 0 { "M" } else { "F" }, 20 + i % 60));
    }
    text
}

/// A table of 600 people with an account, whose budget is spent.
fn spent() -> Dir {
    let dir = Dir::new();
    dir.write("people.csv", table(0..600));
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "1"]);
    dir.expect(0, &["query", "people.csv", QUESTION, "--epsilon", "1"]);
    dir.expect(3, &["query", "people.csv", QUESTION, "--epsilon", "1"]);
    dir
}

fn open(dir: &Dir, table: &str, more: &[&str]) -> Run {
    dir.privet(&[&["ledger", "open", table, "--epsilon", "1"], more].concat())
}

/// A copy of the file got a fresh budget silently, beside the table, in another folder, and inside the spent ledger.
#[test]
fn a_copy_gets_no_fresh_budget() {
    let dir = spent();
    let text = dir.text("people.csv");
    let mut lines: Vec<&str> = text.lines().collect();
    let reversed = {
        lines[1..].reverse();
        lines.join("\n")
    };
    let columns = |order: &[usize], quoted: bool, number: &str| -> String {
        let line = |(at, line): (usize, &str)| {
            let cells: Vec<&str> = line.split(',').collect();
            let cell = |&own: &usize| match (own, at) {
                (3, 1..) => format!("{}{number}", cells[3]),
                _ if quoted => format!("\"{}\"", cells[own]),
                _ => cells[own].to_owned(),
            };
            order.iter().map(cell).collect::<Vec<_>>().join(";") + "\n"
        };
        text.lines().enumerate().map(line).collect()
    };
    for (name, content) in [
        ("copy.csv", text.clone()),
        ("reversed.csv", reversed),
        ("columns.csv", columns(&[3, 0, 2, 1], true, ".00")),
        ("less.csv", columns(&[0, 3, 1], false, "")),
        ("renamed.csv", text.replace("id,sex,age,cost", "a,b,c,d")),
        ("grown.csv", table(0..900)),
        ("part.csv", table(100..250)),
        ("twice.csv", text.clone() + text.split_once('\n').unwrap().1),
        ("elsewhere/people.csv", text.clone()),
    ] {
        dir.write(name, content);
        let before = dir.names(".");
        open(&dir, name, &[]).expect(2).says("`people.csv` in").says("--new-population");
        open(&dir, name, &["--ledger", "people.csv.ledger", "--account", "b"])
            .expect(2)
            .says("`people.csv`: ");
        assert_eq!(dir.names("."), before, "{name} left something behind");
    }
    // The same people are asked about on their account, whatever their file is called now.
    let account = ["--ledger", "people.csv.ledger", "--account", "people.csv", "--epsilon", "1"];
    dir.expect(3, &[&["query", "copy.csv", QUESTION], &account[..]].concat());
    // Other people have a budget of their own, and a second one that is meant is given.
    dir.write("others.csv", table(5000..5600));
    open(&dir, "others.csv", &[]).expect(0);
    open(&dir, "copy.csv", &["--new-population"]).expect(0);
    dir.expect(0, &["query", "copy.csv", QUESTION, "--epsilon", "1"]);
}

/// The format makes no difference either.
#[test]
fn a_copy_in_parquet_is_a_copy() {
    let dir = spent();
    let job = "[input]\npath = \"people.csv\"\n[columns.sex]\nrole = \"quasi\"\n[columns.id]\nrole = \"insensitive\"\n\
               [columns.age]\nrole = \"insensitive\"\n[columns.cost]\nrole = \"insensitive\"\n[privacy]\nk-anonymity = 2\n\
               [output]\nfolder = \"release\"\n";
    dir.write("job.toml", job);
    dir.expect(0, &["anonymize", "job.toml", "--set", "output.format=parquet"]);
    open(&dir, "release/data.parquet", &[]).expect(2).says("all its records are the same");
}

/// Persons are known by their column, in whatever table it is.
#[test]
fn persons_are_known_in_another_table() {
    let dir = Dir::new();
    dir.write("people.csv", table(0..600));
    open(&dir, "people.csv", &["--per-person", "id", "--max-records", "3"]).expect(0);
    let visits: String = (0..900).map(|i| format!("p{},{}\n", 500 + i % 450, i * 7919 % 1000)).collect();
    dir.write("visits.csv", format!("id,pressure\n{visits}"));
    open(&dir, "visits.csv", &["--per-person", "id"]).expect(2).says("by the column that tells them apart");
    open(&dir, "visits.csv", &[]).expect(2).says("by the column that tells them apart");
    let strangers: String = (0..900).map(|i| format!("x{},{}\n", i % 450, i * 7919 % 1000)).collect();
    dir.write("strangers.csv", format!("id,pressure\n{strangers}"));
    open(&dir, "strangers.csv", &["--per-person", "id"]).expect(0);
}

/// Next month's rows, appended or in place of the oldest ones, are of the same account and its budget.
#[test]
fn a_growing_table_keeps_its_account() {
    for person in [&[][..], &["--per-person", "id"]] {
        let dir = Dir::new();
        dir.write("people.csv", table(0..600));
        dir.expect(0, &[&["ledger", "open", "people.csv", "--epsilon", "10"], person].concat());
        let ask =
            || dir.privet(&[&["query", "people.csv", QUESTION, "--epsilon", "1", "--json"], person].concat());
        for (month, range) in
            [0..600, 0..700, 0..1500, 300..1800, 900..2400, 1500..3000].into_iter().enumerate()
        {
            dir.write("people.csv", table(range));
            assert_eq!(ask().expect(0).json()["remaining"]["epsilon"], (9 - month).to_string());
        }
        dir.expect(0, &["ledger", "verify", "people.csv"]).prints("7 entries");
        // It has learnt all of them: no part of what it knew has another budget.
        dir.write("first.csv", table(0..300)).write("last.csv", table(2400..3000));
        open(&dir, "first.csv", person).expect(2).says("--new-population");
        open(&dir, "last.csv", person).expect(2).says("--new-population");
    }
}

/// Another table under the same account was not noticed.
#[test]
fn another_table_is_not_answered_from_the_account() {
    for person in [&[][..], &["--per-person", "id"]] {
        let dir = Dir::new();
        dir.write("people.csv", table(0..600));
        dir.expect(0, &[&["ledger", "open", "people.csv", "--epsilon", "10"], person].concat());
        dir.write("others.csv", table(5000..5600));
        dir.expect(0, &[&["ledger", "open", "others.csv", "--epsilon", "10"], person].concat());
        let ask = |more: &[&str]| {
            dir.privet(
                &[&["query", "people.csv", QUESTION, "--epsilon", "1", "--json"], person, more].concat(),
            )
        };
        dir.write("people.csv", table(7000..7600));
        ask(&[]).expect(2).says("hardly anybody of those whom the account `people.csv` was opened for");
        assert_eq!(ask(&["--new-population"]).expect(0).json()["remaining"]["epsilon"], "9");
        assert_eq!(ask(&[]).expect(0).json()["remaining"]["epsilon"], "8");
        // Nor are people of another account of the same ledger, put among its own.
        let both = ["--ledger", "people.csv.ledger", "--account", "b", "--epsilon", "1"];
        dir.write("b.csv", table(9000..9600));
        dir.expect(0, &[&["ledger", "open", "b.csv"], &both[..], person].concat());
        dir.write(
            "people.csv",
            format!("{}{}", table(7000..7600), table(9000..9600).split_once('\n').unwrap().1),
        );
        ask(&[]).expect(2).says("`b`: ");
    }
}

/// Deleting the ledger and opening another beside the old key worked, and so did putting an old copy back.
#[test]
fn a_ledger_that_is_gone_is_missed() {
    let dir = spent();
    let full = dir.bytes("people.csv.ledger");
    std::fs::remove_file(dir.path("people.csv.ledger")).unwrap();
    open(&dir, "people.csv", &[]).expect(2).says("remembers a ledger of 2 entries");
    open(&dir, "people.csv", &["--unsigned"]).expect(2);
    // Nor under another name, beside the old key.
    let elsewhere = ["--ledger", "other.ledger", "--account", "b"];
    open(&dir, "people.csv", &elsewhere).expect(2).says("remembers a ledger of 2 entries");
    dir.write("copy.csv", dir.bytes("people.csv"));
    open(&dir, "copy.csv", &[]).expect(2).says("remembers a ledger of 2 entries");
    std::fs::create_dir(dir.path("away")).unwrap();
    dir.write("away/copy.csv", dir.bytes("people.csv"));
    let told = open(&dir, "away/copy.csv", &[]).expect(0);
    assert!((told.out + &told.err).contains("people.csv.ledger"), "which could not be compared");
    std::fs::remove_dir_all(dir.path("away")).unwrap();
    dir.write("people.csv.ledger", "");
    open(&dir, "people.csv", &[]).expect(2).says("remembers a ledger of 2 entries");
    dir.write("people.csv.ledger", &full);
    dir.expect(0, &["ledger", "verify", "people.csv"]).prints("2 entries");
    std::fs::remove_file(dir.path("people.csv.ledger")).unwrap();
    open(&dir, "people.csv", &["--new-population"]).expect(0);
    // The one of before, whose last entry the key remembers too, holds by itself; one that was set back does not.
    dir.expect(0, &["query", "people.csv", QUESTION, "--epsilon", "1/2"]);
    let old = dir.bytes("people.csv.ledger");
    dir.expect(0, &["query", "people.csv", QUESTION, "--epsilon", "1/2"]);
    dir.write("people.csv.ledger", old);
    dir.expect(1, &["query", "people.csv", QUESTION, "--epsilon", "1/2"]).says("old copy was put back");
    dir.expect(1, &["ledger", "verify", "people.csv"]).says("old copy was put back");
}

/// The ledger tells nothing of people, and as much of few as of many.
#[test]
fn a_ledger_tells_nobody_who_is_in_it() {
    let sizes = [20, 600].map(|people| {
        let dir = Dir::new();
        dir.write("people.csv", table(0..people));
        open(&dir, "people.csv", &[]).expect(0);
        let bytes = dir.bytes("people.csv.ledger");
        assert!(!bytes.windows(4).any(|own| own == b"p17," || own == b"cost"));
        bytes.len()
    });
    assert_eq!(sizes[0], sizes[1]);
}

/// A locked ledger was waited for in silence, for a minute.
#[test]
fn a_locked_ledger_is_waited_for_aloud_and_ctrl_c_ends_it() {
    let dir = Dir::new();
    dir.write("people.csv", table(0..600));
    open(&dir, "people.csv", &[]).expect(0);
    let before = dir.bytes("people.csv.ledger");
    let lock = rusqlite::Connection::open(dir.path("people.csv.ledger")).unwrap();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    for args in [
        &["query", "people.csv", QUESTION, "--epsilon", "1"][..],
        &["query", "people.csv", QUESTION, "--epsilon", "1", "--dry-run"],
        &["ledger", "verify", "people.csv"],
        &["ledger", "show", "people.csv"],
        &["ledger", "open", "people.csv", "--epsilon", "1"],
    ] {
        let begun = Instant::now();
        let mut child = dir.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(3));
        assert!(child.try_wait().unwrap().is_none(), "{args:?} did not wait");
        let ended =
            std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(ended.success());
        let run = Run::of(child.wait_with_output().unwrap(), &args.join(" ")).expect(130);
        run.says("waiting for").says("has locked").says("Ctrl-C stops").says("nothing was charged");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
    lock.execute_batch("ROLLBACK").unwrap();
    drop(lock);
    assert!(dir.bytes("people.csv.ledger") == before, "something was written");
    dir.expect(0, &["query", "people.csv", QUESTION, "--epsilon", "1"]);
}

/// No room for the charge: exit code 4, nothing answered, and nothing charged twice afterwards.
#[cfg(unix)]
#[test]
fn a_full_disk_charges_nothing() {
    let dir = Dir::new();
    dir.write("people.csv", table(0..600));
    open(&dir, "people.csv", &["--unsigned"]).expect(0);
    let program = env!("CARGO_BIN_EXE_privet");
    // Files may have no more than some blocks, which a journal or the ledger needs: as on a full disk, writing fails.
    for blocks in [0, 1, 8] {
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec {program} query people.csv '{QUESTION}' --epsilon 1 --unsigned"
        );
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).current_dir(dir.path(".")).stdin(Stdio::null());
        let run = Run::of(command.output().unwrap(), &script).expect(4);
        assert!(run.out.is_empty(), "{run:?}");
    }
    dir.expect(0, &["ledger", "verify", "people.csv", "--unsigned"]).prints("1 entry");
    dir.expect(0, &["query", "people.csv", QUESTION, "--epsilon", "1", "--unsigned"])
        .prints("epsilon 0 is left");
    dir.expect(0, &["ledger", "verify", "people.csv", "--unsigned"]).prints("2 entries");
}
