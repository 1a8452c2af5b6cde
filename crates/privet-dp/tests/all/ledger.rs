//! The ledger under tampering, crowds and sudden death (survey PM-35).

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use privet_dp::ledger::{Act, Head, Ledger, LedgerError, Request, SqliteLedger, Terms, answer};
use privet_dp::{Count, DpError, Loss, Neighbours, People, Privacy, Rational};

fn loss(epsilon: &str, delta: &str) -> Loss {
    let exact = |text| Rational::from_str_decimal(text).unwrap();
    Loss::new(exact(epsilon), exact(delta)).unwrap()
}

fn request(epsilon: &str) -> Request {
    Request::new("patients", "ann", "count where smoker", &loss(epsilon, "0")).unwrap()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    (folder, path)
}

#[test]
fn a_budget_is_spent_exactly() {
    let (_folder, path) = folder();
    let mut ledger = SqliteLedger::open(&path).unwrap();
    assert!(matches!(ledger.charge(&request("0.1")), Err(LedgerError::NoAccount)));
    ledger.open_account("patients", &loss("1", "0.001")).unwrap();
    assert!(matches!(ledger.open_account("patients", &loss("9", "0")), Err(LedgerError::AccountExists)));
    assert!(matches!(ledger.open_account("", &loss("9", "0")), Err(LedgerError::BadAccount)));
    assert!(matches!(ledger.open_account("empty", &Loss::none()), Err(LedgerError::BadAccount)));
    // Ten tenths, not one more, and not a trillionth either.
    for left in (0..10).rev() {
        let receipt = ledger.charge(&request("0.1")).unwrap();
        assert_eq!(receipt.remaining, loss(&format!("0.{left}"), "0.001"));
    }
    assert!(matches!(ledger.charge(&request("0.000000000001")), Err(LedgerError::Insufficient { .. })));
    let delta = Request::new("patients", "ann", "q", &loss("0", "0.002")).unwrap();
    assert!(matches!(ledger.charge(&delta), Err(LedgerError::Insufficient { .. })));
    assert_eq!(ledger.remaining("patients").unwrap(), loss("0", "0.001"));
    assert_eq!(ledger.verify(None).unwrap().sequence, 11);
    assert!(Request::new("patients", "", "q", &loss("1", "0")).is_err());
    // Names that would write lines of their own, or move the cursor, when they are shown.
    for bad in ["ann\nbob", "ann\u{1b}[2J", "\u{7f}", "a\0"] {
        assert!(Request::new("patients", bad, "q", &loss("1", "0")).is_err());
        assert!(Request::new(bad, "ann", "q", &loss("1", "0")).is_err());
        assert!(matches!(ledger.open_account(bad, &loss("9", "0")), Err(LedgerError::BadAccount)));
    }
    assert!(Request::new("patients", "ann", "q", &Loss::none()).is_err());
}

/// Names that would be turned round, or look like another one, when they are shown. Letters of all scripts are names.
#[test]
fn names_are_seen() {
    let (_folder, path) = folder();
    let mut ledger = SqliteLedger::open(&path).unwrap();
    let turned = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
    let hidden = ('\u{200b}'..='\u{200f}').chain(['\u{feff}', '\u{2060}', '\u{ad}', '\u{2028}', '\u{2029}']);
    for own in turned.chain(hidden) {
        let bad = format!("ann{own}bob");
        assert!(Request::new("patients", &bad, "q", &loss("1", "0")).is_err(), "{own:?}");
        assert!(Request::new(&bad, "ann", "q", &loss("1", "0")).is_err(), "{own:?}");
        assert!(
            matches!(ledger.open_account(&bad, &loss("9", "0")), Err(LedgerError::BadAccount)),
            "{own:?}"
        );
        let terms = Terms { person: Some(bad), ..Terms::default() };
        let opened = ledger.open_account_on("patients", &terms, &loss("9", "0"));
        assert!(matches!(opened, Err(LedgerError::BadAccount)), "{own:?}");
    }
    for good in ["Zoë", "Łukasz", "Ивана", "李雷", "عمر", "a b_c-d.csv"] {
        assert!(Request::new("patients", good, "q", &loss("1", "0")).is_ok(), "{good}");
        ledger.open_account(good, &loss("9", "0")).unwrap();
    }
}

/// Opens a ledger with two accounts and a charge each, and changes its file by hand.
fn changed_by_hand(statement: &str) -> (tempfile::TempDir, SqliteLedger) {
    let (folder, path) = folder();
    let key = folder.path().join("key");
    std::fs::write(&key, [7; 32]).unwrap();
    let mut ledger = SqliteLedger::open_signed(&path, &key).unwrap();
    for account in ["patients", "staff"] {
        ledger.open_account(account, &loss("1", "0")).unwrap();
        let question = Request::new(account, "ann", "q", &loss("0.9", "0")).unwrap();
        ledger.charge(&question).unwrap();
    }
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch(statement).unwrap();
    (folder, SqliteLedger::open_signed(&path, &key).unwrap())
}

#[test]
fn what_was_changed_by_hand_is_not_spent() {
    for statement in [
        "UPDATE entries SET dataset = 'staff' WHERE sequence = 2",
        "UPDATE entries SET epsilon_remaining = '1' WHERE sequence = 2",
        "UPDATE entries SET time = -time WHERE sequence = 1",
        "UPDATE accounts SET epsilon = '9' WHERE dataset = 'patients'",
        "DELETE FROM entries WHERE sequence = 2",
    ] {
        let (_folder, mut ledger) = changed_by_hand(statement);
        let refused = ledger.charge(&request("0.1"));
        assert!(matches!(refused, Err(LedgerError::Broken { .. })), "{statement}: {refused:?}");
        assert!(matches!(ledger.verify(None), Err(LedgerError::Broken { .. })), "{statement}");
    }
}

#[test]
fn a_file_that_does_otherwise_than_it_is_told_is_no_ledger() {
    for statement in [
        "CREATE TRIGGER forget AFTER INSERT ON entries BEGIN DELETE FROM entries WHERE sequence = NEW.sequence; END",
        "CREATE VIEW other AS SELECT * FROM entries",
        "CREATE TABLE other (a TEXT)",
    ] {
        let (_folder, mut ledger) = changed_by_hand(statement);
        assert!(matches!(ledger.charge(&request("0.1")), Err(LedgerError::Foreign)), "{statement}");
        assert!(matches!(ledger.verify(None), Err(LedgerError::Foreign)), "{statement}");
    }
}

#[test]
fn a_ledger_that_is_open_sees_what_others_write() {
    let (_folder, path) = folder();
    let mut own = SqliteLedger::open(&path).unwrap();
    own.open_account("patients", &loss("1", "0")).unwrap();
    let mut others = SqliteLedger::open(&path).unwrap();
    for _ in 0..3 {
        own.charge(&request("0.1")).unwrap();
        others.charge(&request("0.2")).unwrap();
    }
    assert_eq!(own.remaining("patients").unwrap(), loss("0.1", "0"));
    assert_eq!(others.remaining("patients").unwrap(), loss("0.1", "0"));
}

#[test]
fn a_question_on_other_terms_is_refused() {
    let (_folder, path) = folder();
    let mut ledger = SqliteLedger::open(&path).unwrap();
    let terms = Terms { person: Some("id".to_owned()), ..Terms::default() };
    ledger.open_account_on("patients", &terms, &loss("1", "0")).unwrap();
    assert!(matches!(ledger.charge(&request("0.1")), Err(LedgerError::OtherTerms { .. })));
    ledger.charge(&request("0.1").on(terms)).unwrap();
    assert_eq!(ledger.verify(None).unwrap().sequence, 2);
    assert_eq!(ledger.records().unwrap()[0].asker, "");
}

#[test]
fn nothing_is_computed_before_the_charge() {
    let (_folder, path) = folder();
    let mut ledger = SqliteLedger::open(&path).unwrap();
    ledger.open_account("patients", &loss("1", "0")).unwrap();
    let count = Count { people: People::one_record_each(Neighbours::AddRemove) };
    let noise = count.noise(&Privacy::Pure("0.75".parse().unwrap())).unwrap();
    let question = Request::new("patients", "ann", "count", noise.loss()).unwrap();
    let (receipt, _) = answer(&mut ledger, &question, || count.release(17, &noise)).unwrap();
    assert_eq!(receipt.remaining, loss("0.25", "0"));
    let mut asked = false;
    let refused = answer(&mut ledger, &question, || {
        asked = true;
        count.release(17, &noise)
    });
    assert!(matches!(refused, Err(DpError::Ledger(LedgerError::Insufficient { .. }))) && !asked);
    // An answer that fails after its charge stays charged.
    let quarter = Request::new("patients", "ann", "count", &loss("0.25", "0")).unwrap();
    assert!(answer(&mut ledger, &quarter, || Err::<(), _>(DpError::Generator)).is_err());
    assert!(ledger.remaining("patients").unwrap().is_none());
}

#[test]
fn tampering_is_found() {
    let edits = [
        "UPDATE entries SET epsilon = '1/100' WHERE sequence = 3",
        "UPDATE entries SET asker = 'bob' WHERE sequence = 2",
        "UPDATE entries SET epsilon_remaining = '5' WHERE sequence = 4",
        "UPDATE entries SET time = time + 1 WHERE sequence = 1",
        "UPDATE accounts SET epsilon = '100'",
        "DELETE FROM entries WHERE sequence = 2",
        "DELETE FROM entries WHERE sequence = 4",
        "DELETE FROM entries",
        "INSERT INTO accounts VALUES ('other', '1', '0')",
        "UPDATE entries SET epsilon = 'many' WHERE sequence = 3",
    ];
    for edit in edits {
        let (_folder, path) = folder();
        let mut ledger = SqliteLedger::open(&path).unwrap();
        ledger.open_account("patients", &loss("1", "0")).unwrap();
        (0..3).for_each(|_| drop(ledger.charge(&request("0.1")).unwrap()));
        let head = ledger.verify(None).unwrap();
        assert_eq!(ledger.verify(Some(&head)).unwrap(), head);
        rusqlite::Connection::open(&path).unwrap().execute(edit, []).unwrap();
        assert!(matches!(ledger.verify(Some(&head)), Err(LedgerError::Broken { .. })), "{edit}");
    }
}

#[test]
fn a_key_is_needed_to_continue_and_to_verify() {
    let (folder, path) = folder();
    let (key, other, short) =
        (folder.path().join("key"), folder.path().join("other"), folder.path().join("short"));
    std::fs::write(&key, [1; 32]).unwrap();
    std::fs::write(&other, [2; 32]).unwrap();
    std::fs::write(&short, [1; 5]).unwrap();
    let mut ledger = SqliteLedger::open_signed(&path, &key).unwrap();
    ledger.open_account("patients", &loss("1", "0")).unwrap();
    let head = ledger.verify(None).unwrap();
    assert_eq!(head, ledger.head().unwrap());
    // Another key, or none, is told from a changed entry, and does not get as far as the entries.
    assert!(matches!(SqliteLedger::open(&path), Err(LedgerError::KeyMissing)));
    assert!(matches!(SqliteLedger::open_existing(&path, None), Err(LedgerError::KeyMissing)));
    assert!(matches!(SqliteLedger::open_signed(&path, &other), Err(LedgerError::OtherKey)));
    assert!(matches!(SqliteLedger::open_existing(&path, Some(&other)), Err(LedgerError::OtherKey)));
    // A ledger of an earlier version, or one whose mark was wiped: the entries do not hold.
    let copy = folder.path().join("old");
    std::fs::copy(&path, &copy).unwrap();
    rusqlite::Connection::open(&copy).unwrap().pragma_update(None, "user_version", 0).unwrap();
    assert!(SqliteLedger::open_signed(&copy, &key).unwrap().verify(None).is_ok());
    for mut stranger in
        [SqliteLedger::open(&copy).unwrap(), SqliteLedger::open_signed(&copy, &other).unwrap()]
    {
        assert!(stranger.verify(None).is_err());
        assert!(matches!(stranger.charge(&request("0.1")), Err(LedgerError::Broken { .. })));
        assert!(stranger.open_account("other", &loss("1", "0")).is_err());
    }
    assert!(matches!(SqliteLedger::open_signed(&path, &short), Err(LedgerError::Key)));
    assert!(matches!(SqliteLedger::open_signed(&path, &folder.path().join("none")), Err(LedgerError::Key)));
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute("UPDATE entries SET epsilon_remaining = '9'", [])
        .unwrap();
    assert!(
        matches!(ledger.charge(&request("0.1")), Err(LedgerError::Broken { .. })),
        "spent a forged budget"
    );
    assert!(SqliteLedger::open(Path::new(":memory:")).is_err());
    let elsewhere = Head { sequence: 1, hash: "00".repeat(32) };
    assert!(ledger.verify(Some(&elsewhere)).is_err());
    std::fs::write(folder.path().join("text"), "not a database, but long enough to be looked at").unwrap();
    assert!(SqliteLedger::open(&folder.path().join("text")).is_err());
    assert!(SqliteLedger::open(&folder.path().join("no/such/folder")).is_err());
}

#[test]
fn a_crowd_of_threads_never_overspends() {
    let (_folder, path) = folder();
    SqliteLedger::open(&path).unwrap().open_account("patients", &loss("2", "0")).unwrap();
    let granted: usize = std::thread::scope(|scope| {
        let asker = || {
            let mut ledger = SqliteLedger::open(&path).unwrap();
            (0..10).filter(|_| ledger.charge(&request("0.1")).is_ok()).count()
        };
        let askers: Vec<_> = (0..8).map(|_| scope.spawn(asker)).collect();
        askers.into_iter().map(|asker| asker.join().unwrap()).sum()
    });
    assert_eq!(granted, 20);
    let mut ledger = SqliteLedger::open(&path).unwrap();
    assert!(ledger.remaining("patients").unwrap().is_none());
    assert_eq!(ledger.verify(None).unwrap().sequence, 21);
}

const FILE: &str = "PRIVET_TEST_LEDGER";

/// Not a test: what the child processes of the tests below run.
#[test]
#[ignore = "run by other tests as a process of its own"]
fn child_that_charges() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let mut ledger = SqliteLedger::open(Path::new(&path)).unwrap();
    let mut out = std::io::stdout();
    while let Ok((receipt, number)) = answer(&mut ledger, &request("0.001"), || Ok(42)) {
        writeln!(out, "answer {} {number}", receipt.hash).unwrap();
        out.flush().unwrap();
    }
}

fn child(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ledger::child_that_charges", "--ignored", "--nocapture"])
        .env(FILE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The hashes that a child gave out, complete lines only.
fn answers(child: &mut Child) -> Vec<String> {
    let mut hashes = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let Ok(line) = line else { break };
        // The test harness prints on the same line as the first answer.
        if let Some((_, rest)) = line.split_once("answer ")
            && let Some(hash) = rest.strip_suffix(" 42")
        {
            hashes.push(hash.to_owned());
        }
    }
    hashes
}

fn hashes(path: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(path).unwrap();
    let mut statement = connection.prepare("SELECT hash FROM entries WHERE kind = 'charge'").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_crowd_of_processes_never_overspends() {
    let (_folder, path) = folder();
    SqliteLedger::open(&path).unwrap().open_account("patients", &loss("0.1", "0")).unwrap();
    let mut children: Vec<Child> = (0..4).map(|_| child(&path)).collect();
    let mut given: Vec<String> = children.iter_mut().flat_map(answers).collect();
    children.iter_mut().for_each(|child| assert!(child.wait().unwrap().success()));
    let mut charged = hashes(&path);
    given.sort_unstable();
    charged.sort_unstable();
    assert_eq!((given.len(), given == charged), (100, true));
    SqliteLedger::open(&path).unwrap().verify(None).unwrap();
}

fn kill_at_random_moments(times: u32) {
    let (_folder, path) = folder();
    SqliteLedger::open(&path).unwrap().open_account("patients", &loss("1000", "0")).unwrap();
    let mut given = 0;
    let mut head = SqliteLedger::open(&path).unwrap().head().unwrap();
    for _ in 0..times {
        let mut child = child(&path);
        let mut wait = [0u8; 2];
        getrandom::fill(&mut wait).unwrap();
        // Up to 66 milliseconds: from before the first charge to many charges later.
        std::thread::sleep(Duration::from_micros(u16::from_le_bytes(wait).into()));
        child.kill().unwrap();
        let answered = answers(&mut child);
        child.wait().unwrap();
        let mut ledger = SqliteLedger::open(&path).unwrap();
        head = ledger.verify(Some(&head)).unwrap();
        let charged: std::collections::HashSet<String> = hashes(&path).into_iter().collect();
        assert!(answered.iter().all(|hash| charged.contains(hash)), "an answer without its charge");
        given += answered.len();
        // At most one charge per life was made and not answered.
        assert!(charged.len() >= given);
    }
    let charged = hashes(&path).len();
    assert!(charged <= given + times as usize, "{charged} charges for {given} answers");
    println!("{times} kills, {given} answers, {charged} charges");
    assert!(given > 0, "no child lived long enough to answer");
}

#[test]
fn sixty_kills_lose_no_charge() {
    kill_at_random_moments(60);
}

#[test]
#[ignore = "takes minutes; run by `cargo xtask kill` and `soak`"]
fn thousand_kills_lose_no_charge() {
    kill_at_random_moments(1000);
}

/// Decisions about exact answers are entries of the chain: written behind those that were known, readable with the key alone, and found when
/// they were changed.
#[test]
fn audited_decisions_are_entries() {
    let (_folder, path) = folder();
    let key = path.with_extension("key");
    std::fs::write(&key, [7u8; 32]).unwrap();
    let mut ledger = SqliteLedger::open_signed(&path, &key).unwrap();
    ledger.open_account("staff", &loss("1", "0")).unwrap();
    assert_eq!(ledger.audited("staff").unwrap(), Vec::<String>::new());
    ledger.keep_audited("staff", "", "{\"terms\":1}", 0).unwrap();
    ledger.keep_audited("staff", "ann", "{\"number\":1}", 1).unwrap();
    let moved = ledger.keep_audited("staff", "bob", "{\"number\":1}", 1);
    assert!(matches!(moved, Err(LedgerError::Moved)));
    ledger.keep_audited("others", "bob", "{}", 0).unwrap();
    let mut again = SqliteLedger::open_signed(&path, &key).unwrap();
    assert_eq!(again.audited("staff").unwrap(), ["{\"terms\":1}", "{\"number\":1}"]);
    // The account with a budget is another one, and a charge goes on behind them.
    assert_eq!(again.remaining("staff").unwrap(), loss("1", "0"));
    assert!(matches!(again.remaining("others"), Err(LedgerError::NoAccount)));
    again.charge(&Request::new("staff", "ann", "count", &loss("0.5", "0")).unwrap()).unwrap();
    assert_eq!(again.verify(None).unwrap().sequence, 5);
    assert_eq!(again.records().unwrap()[1].act, Act::Audited);
    drop((ledger, again));
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE entries SET asker = 'eve' WHERE sequence = 3", []).unwrap();
    let mut changed = SqliteLedger::open_signed(&path, &key).unwrap();
    assert!(matches!(changed.audited("staff"), Err(LedgerError::Broken { sequence: 3, .. })));
}
