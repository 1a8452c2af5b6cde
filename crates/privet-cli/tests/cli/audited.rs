//! `privet query --audited`: exact answers, and who is protected from them (papers T-AL11).

use crate::dir::{Dir, Run};

/// Twelve people in three wards. The target is the only doctor of ward A who is a woman.
fn staff() -> Dir {
    let mut text = "id,ward,sex,role,salary\n".to_owned();
    for i in 0..12u32 {
        let (ward, sex) = (["A", "B", "C"][(i / 4) as usize], if i % 2 == 0 { "F" } else { "M" });
        let role = if i % 4 < 2 { "doctor" } else { "nurse" };
        text.push_str(&format!("{i},{ward},{sex},{role},{}\n", 2000 + 97 * i * i % 1000));
    }
    let dir = Dir::new();
    dir.write("staff.csv", text);
    dir
}

fn ask(dir: &Dir, analyst: &str, question: &str, more: &[&str]) -> Run {
    let question = format!("select {question}");
    dir.privet(&[&["query", "staff.csv", &question, "--audited", "--analyst", analyst][..], more].concat())
}

const PUBLIC: &[&str] = &["--public", "ward,sex,role"];
const TARGET: &str = "ward = 'A' and sex = 'F' and role = 'doctor'";

/// The general tracker (Denning, Denning, Schwartz): what is asked of one person is padded with half of everybody and without it,
/// and subtracted from all. Each single question is about many people; the last one of every tracker is denied, whoever asks it.
#[test]
fn the_tracker_fails() {
    let trackers =
        ["sex = 'F'", "role = 'doctor'", "ward = 'A'", "ward in ('A', 'B')", "role = 'nurse' or sex = 'M'"];
    for tracker in trackers {
        let dir = staff();
        let asked = [
            "sum(salary) from data".to_owned(),
            format!("sum(salary) from data where {tracker} or ({TARGET})"),
            format!("sum(salary) from data where not ({tracker}) or ({TARGET})"),
        ];
        let replies: Vec<Run> = asked
            .iter()
            .enumerate()
            .map(|(place, own)| ask(&dir, ["ann", "bob", "cy"][place], own, PUBLIC))
            .collect();
        assert!(replies.iter().any(|own| own.code == Some(3)), "{tracker}: all were answered");
        let denied = replies.into_iter().find(|own| own.code == Some(3)).unwrap();
        denied.says("answering would determine a single person's value");
        ask(&dir, "ann", &format!("sum(salary) from data where {TARGET}"), &[]).expect(3);
        ask(&dir, "bob", &format!("avg(salary) from data where not ({TARGET})"), &[]).expect(3);
    }
}

/// The log knows what was answered before, whoever asked; declared groups are audited apart.
#[test]
fn analysts_collude_unless_declared_apart() {
    let dir = staff();
    ask(&dir, "ann", "sum(salary) from data where ward = 'A'", PUBLIC)
        .expect(0)
        .prints("sum(salary) of 4 people");
    let most = format!("sum(salary) from data where ward = 'A' and not ({TARGET})");
    ask(&dir, "bob", &most, &[]).expect(3).says("entry 2:");
    let reply = ask(&dir, "bob", &most, &["--json"]).expect(3).json();
    assert_eq!(reply["reply"]["denied"], "determines");
    let shown = dir.expect(0, &["ledger", "audited", "staff.csv", "--json"]).json();
    assert_eq!(shown["analysts"]["ann"], serde_json::json!([1, 0]));
    assert_eq!(shown["analysts"]["bob"], serde_json::json!([0, 2]));
    dir.expect(0, &["ledger", "audited", "staff.csv"]).prints("denied: answering would determine");
    let apart = staff();
    let groups = &[PUBLIC, &["--group", "ann", "--group", "bob,cy"]].concat();
    ask(&apart, "ann", "sum(salary) from data where ward = 'A'", groups).expect(0);
    ask(&apart, "bob", &most, &[]).expect(0);
    ask(&apart, "cy", "sum(salary) from data where ward = 'A'", &[]).expect(3);
}

/// What is declared holds for all; a log or a table that was changed answers nobody, and nothing is written then.
#[test]
fn logs_and_declarations_are_kept() {
    let dir = staff();
    let total = "sum(salary) from data";
    ask(&dir, "ann", total, &[]).expect(2).says("public");
    ask(&dir, "ann", total, &["--public", "ward,height"]).expect(2).says("no column height");
    ask(&dir, "ann", "sum(salary) from data where salary > 100", PUBLIC).expect(2).says("not public");
    ask(&dir, "ann", "median(salary) from data", PUBLIC).expect(2);
    ask(&dir, "ann", total, &[PUBLIC, &["--group", "ann,bob", "--group", "bob"]].concat())
        .expect(2)
        .says("two groups");
    ask(&dir, "ann", total, &[PUBLIC, &["--per-person", "ward"]].concat()).expect(2).says("twice");
    dir.expect(2, &["ledger", "audited", "staff.csv"]).says("no audited question");
    let first =
        ask(&dir, "ann", total, &[PUBLIC, &["--per-person", "id", "--json"]].concat()).expect(0).json();
    let entry = first["entry"].as_str().unwrap();
    let log = dir.bytes("staff.csv.ledger");
    ask(&dir, "ann", total, &["--public", "ward"]).expect(2).says("declared otherwise");
    ask(&dir, "ann", total, &["--least", "2"]).expect(2).says("declared otherwise");
    ask(&dir, "ann", total, &["--epsilon", "1"]).expect(2).says("cannot be used with");
    assert!(dir.bytes("staff.csv.ledger") == log, "a refused question was written down");
    ask(&dir, "ann", "count(*) from data where ward = 'A'", &["--quiet"]).expect(0).prints("4");
    ask(&dir, "ann", total, &["--since", entry]).expect(0);
    ask(&dir, "ann", total, &["--since", &entry.replace(':', ":0")])
        .expect(1)
        .says("not in the audit log any more");
    let table = dir.text("staff.csv");
    dir.write("staff.csv", table.replace("2097", "2098"));
    ask(&dir, "ann", total, &[]).expect(2).says("the table has changed");
    dir.write("staff.csv", table);
    // Whoever reads the ledger without its key sees neither what was asked nor about whom.
    let text = String::from_utf8_lossy(&dir.bytes("staff.csv.ledger")).into_owned();
    assert!(!text.contains("people") && !text.contains("salary"));
    // The key remembers how many decisions there were: an old copy, or none, answers nobody.
    dir.expect(0, &["ledger", "verify", "staff.csv"]);
    let whole = dir.bytes("staff.csv.ledger");
    dir.write("staff.csv.ledger", log);
    ask(&dir, "ann", total, &[]).expect(1).says("old copy");
    std::fs::remove_file(dir.path("staff.csv.ledger")).unwrap();
    ask(&dir, "ann", total, PUBLIC).expect(2).says("not there any more");
    dir.write("staff.csv.ledger", whole);
    ask(&dir, "ann", total, &[]).expect(0);
}

/// Decisions are entries of the ledger beside its charges: an account with a budget keeps it, and what was changed by hand is found.
#[test]
fn decisions_stand_in_the_ledger() {
    let dir = staff();
    dir.expect(0, &["ledger", "open", "staff.csv", "--epsilon", "1", "--unsigned"]);
    let total = "sum(salary) from data";
    ask(&dir, "ann", total, PUBLIC).expect(0);
    ask(&dir, "bob", "sum(salary) from data where sex = 'F' and role = 'doctor' and ward = 'A'", &[])
        .expect(3);
    dir.expect(0, &["ledger", "show", "staff.csv", "--json"]).prints("\"open\"");
    let all = dir.expect(0, &["ledger", "show", "--ledger", "staff.csv.ledger", "--json"]).json();
    let kinds: Vec<&str> =
        all["entries"].as_array().unwrap().iter().map(|own| own["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["open", "audited", "audited", "audited"]);
    dir.expect(0, &["ledger", "verify", "staff.csv"]);
    let plain = dir.bytes("staff.csv.ledger");
    let (from, to) = (&b"[[0,11]]"[..], b"[[0,10]]");
    let at = plain.windows(from.len()).position(|own| own == from).unwrap();
    let mut changed = plain;
    changed[at..at + to.len()].copy_from_slice(to);
    dir.write("staff.csv.ledger", changed);
    ask(&dir, "ann", total, &[]).expect(1).says("does not hold");
}

/// After many questions the auditors' state is kept beside the key, sealed; a changed, an old or a missing one changes no decision.
#[test]
fn the_state_of_the_auditors_is_kept_sealed() {
    let dir = Dir::new();
    let mut text = "number,salary\n".to_owned();
    (0..90u32).for_each(|person| text.push_str(&format!("{person},{}\n", 1000 + 37 * person % 501)));
    dir.write("staff.csv", text);
    let sum = |low: u32, high: u32| format!("sum(salary) from data where number between {low} and {high}");
    for place in 0..18u32 {
        ask(&dir, "ann", &sum(place, place + 9), &["--public", "number"]).expect(0);
    }
    let path = "staff.csv.ledger.key.staff_csv.audited";
    let state = dir.bytes(path);
    assert!(!String::from_utf8_lossy(&state).contains("salary"));
    let decided = || {
        // One person more than an answered question, which with others tells of that person; and one that tells nothing of anybody.
        ask(&dir, "bob", &sum(0, 10), &[]).expect(3);
        ask(&dir, "bob", &sum(50, 80), &[]).expect(0);
    };
    decided();
    let mut changed = state.clone();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    dir.write(path, changed);
    decided();
    dir.write(path, state);
    decided();
    std::fs::remove_file(dir.path(path)).unwrap();
    decided();
}

/// What probabilistic auditing assumes can be set, is told with every answer and denial, and is shown with the log.
#[test]
fn assumptions_are_set_and_told() {
    let dir = staff();
    let total = "sum(salary) from data";
    let asked = |values: &str| ask(&dir, "ann", total, &[PUBLIC, &["--values", values]].concat());
    asked("0..9000,mu=1").expect(2).says("lambda=");
    asked("0..9000,lambda=2").expect(2).says("between 0 and 1");
    let first = asked("0..9000,lambda=0.95,questions=1,samples=20");
    assert!(matches!(first.code, Some(0 | 3)));
    let told = format!("{}{}", first.out, first.err);
    assert!(told.contains("at most 1 questions") && told.contains("lambda = 0.95"), "{told}");
    ask(&dir, "ann", total, &[]).expect(3).says("used up").says("even between 0 and 9000");
    ask(&dir, "ann", total, &["--values", "0..9000"]).expect(2).says("declared otherwise");
    dir.expect(0, &["ledger", "audited", "staff.csv"]).prints("at most 1 questions").prints("20 samples");
}
