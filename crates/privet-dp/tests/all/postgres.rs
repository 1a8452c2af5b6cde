//! The ledger in PostgreSQL, against a real server: set `PRIVET_TEST_POSTGRES` to the URL of a database that may be
//! written, such as `postgres://postgres@localhost/test`. Its tables of a ledger are emptied.

use privet_dp::ledger::{
    Access, Act, CodedColumn, Ledger, LedgerError, Opening, Population, PostgresLedger, Request, Terms,
};
use privet_dp::{Loss, Rational};

fn loss(epsilon: &str, delta: &str) -> Loss {
    let exact = |text| Rational::from_str_decimal(text).unwrap();
    Loss::new(exact(epsilon), exact(delta)).unwrap()
}

fn request(epsilon: &str) -> Request {
    Request::new("patients", "ann", "count where smoker", &loss(epsilon, "0")).unwrap()
}

/// The server that tests may use.
fn server() -> Option<String> {
    let url = std::env::var("PRIVET_TEST_POSTGRES").ok().filter(|url| !url.is_empty());
    if url.is_none() {
        println!("skipped: PRIVET_TEST_POSTGRES is not set, so there is no PostgreSQL server to test with");
    }
    url
}

fn execute(url: &str, statements: &str) {
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    client.batch_execute(statements).unwrap();
}

/// One test: they share the tables of one database.
#[test]
fn a_ledger_in_postgresql() {
    let Some(url) = server() else { return };
    execute(&url, "DROP TABLE IF EXISTS privet_entries; DROP TABLE IF EXISTS privet_accounts");
    let mut bare = PostgresLedger::open_existing(&url, None).unwrap();
    assert!(matches!(bare.remaining("patients"), Err(LedgerError::NoLedger)));
    assert!(matches!(bare.charge(&request("1")), Err(LedgerError::NoLedger)));

    // Made by several at the same time.
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| PostgresLedger::open(&url, None).unwrap())));
    });
    let mut ledger = PostgresLedger::open(&url, None).unwrap();
    assert!(matches!(ledger.charge(&request("0.1")), Err(LedgerError::NoAccount)));
    ledger.open_account("patients", &loss("2", "0.001")).unwrap();
    assert!(matches!(ledger.open_account("patients", &loss("9", "0")), Err(LedgerError::AccountExists)));
    assert!(matches!(ledger.open_account("", &loss("9", "0")), Err(LedgerError::BadAccount)));

    // A crowd with its own connections, also where the server's default is another isolation.
    let name = url.rsplit('/').next().unwrap().split('?').next().unwrap();
    execute(&url, &format!("ALTER DATABASE \"{name}\" SET default_transaction_isolation = 'serializable'"));
    let granted: usize = std::thread::scope(|scope| {
        let asker = || {
            let mut ledger = PostgresLedger::open_existing(&url, None).unwrap();
            let mut granted = 0;
            for _ in 0..10 {
                match ledger.charge(&request("0.1")) {
                    Ok(_) => granted += 1,
                    Err(LedgerError::Insufficient { .. }) => {}
                    Err(other) => panic!("{other}"),
                }
            }
            granted
        };
        let askers: Vec<_> = (0..8).map(|_| scope.spawn(asker)).collect();
        askers.into_iter().map(|asker| asker.join().unwrap()).sum()
    });
    execute(&url, &format!("ALTER DATABASE \"{name}\" RESET default_transaction_isolation"));
    assert_eq!(granted, 20);
    assert_eq!(ledger.remaining("patients").unwrap(), loss("0", "0.001"));
    let head = ledger.verify(None).unwrap();
    assert_eq!(head.sequence, 21);
    let records = ledger.records().unwrap();
    assert_eq!((records.len(), records[0].act, records[20].act), (21, Act::Opened, Act::Charged));
    assert_eq!((records[20].asker.as_str(), &records[20].loss), ("ann", &loss("0.1", "0")));
    println!("20 of 80 charges by 8 askers were granted, as the budget says");

    // Decisions about exact answers stand behind the charges.
    ledger.keep_audited("patients", "ann", "{}", 0).unwrap();
    assert!(matches!(ledger.keep_audited("patients", "bob", "{}", 0), Err(LedgerError::Moved)));
    assert_eq!(ledger.audited("patients").unwrap(), ["{}"]);
    assert_eq!(ledger.remaining("patients").unwrap(), loss("0", "0.001"));
    execute(
        &url,
        "DELETE FROM privet_entries WHERE sequence = 22; DELETE FROM privet_accounts WHERE dataset LIKE 'audited%'",
    );

    // Tables that do otherwise than they are told are no ledger.
    execute(
        &url,
        "CREATE OR REPLACE FUNCTION privet_forget() RETURNS trigger AS 'BEGIN RETURN NULL; END' LANGUAGE plpgsql;
         CREATE TRIGGER forget BEFORE INSERT ON privet_entries FOR EACH ROW EXECUTE FUNCTION privet_forget()",
    );
    assert!(matches!(ledger.charge(&request("0.1")), Err(LedgerError::Foreign)));
    assert!(matches!(ledger.verify(None), Err(LedgerError::Foreign)));
    execute(&url, "DROP TRIGGER forget ON privet_entries; DROP FUNCTION privet_forget");

    // Entries are found when they were changed by hand.
    for (edit, back) in [
        (
            "UPDATE privet_entries SET asker = 'bob' WHERE sequence = 7",
            "UPDATE privet_entries SET asker = 'ann' WHERE sequence = 7",
        ),
        ("UPDATE privet_accounts SET epsilon = '9'", "UPDATE privet_accounts SET epsilon = '2'"),
        ("DELETE FROM privet_entries WHERE sequence = 21", ""),
    ] {
        assert_eq!(ledger.verify(Some(&head)).unwrap(), head);
        execute(&url, edit);
        assert!(matches!(ledger.verify(Some(&head)), Err(LedgerError::Broken { .. })), "{edit}");
        execute(&url, back);
    }
    execute(&url, "UPDATE privet_entries SET epsilon_remaining = '5' WHERE sequence = 20");
    assert!(
        matches!(ledger.charge(&request("0.1")), Err(LedgerError::Broken { .. })),
        "spent a forged budget"
    );

    // A key that others do not have.
    execute(&url, "DROP TABLE privet_entries; DROP TABLE privet_accounts");
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, [3; 32]).unwrap();
    let mut sealed = PostgresLedger::open(&url, Some(&key)).unwrap();
    sealed.open_account("patients", &loss("1", "0")).unwrap();
    sealed.charge(&request("0.5")).unwrap();
    sealed.verify(None).unwrap();
    assert!(ledger.verify(None).is_err() && ledger.charge(&request("0.1")).is_err());

    // A forgotten or another key is a mistake, and no sign that somebody changed the ledger.
    let other = folder.path().join("other");
    std::fs::write(&other, [4; 32]).unwrap();
    assert!(matches!(PostgresLedger::open_existing(&url, None), Err(LedgerError::KeyMissing)));
    assert!(matches!(PostgresLedger::open(&url, None), Err(LedgerError::KeyMissing)));
    assert!(matches!(PostgresLedger::open_existing(&url, Some(&other)), Err(LedgerError::OtherKey)));
    assert!(matches!(PostgresLedger::open(&url, Some(&other)), Err(LedgerError::OtherKey)));
    PostgresLedger::open_existing(&url, Some(&key)).unwrap().charge(&request("0.1")).unwrap();
    PostgresLedger::open(&url, Some(&key)).unwrap().verify(None).unwrap();

    // Who may do no more than ask needs no further right to be told so.
    execute(
        &url,
        "DROP ROLE IF EXISTS privet_asker; CREATE ROLE privet_asker LOGIN;
         GRANT SELECT, INSERT ON privet_entries, privet_accounts TO privet_asker",
    );
    let asker = with_user(&url, "privet_asker");
    assert!(matches!(PostgresLedger::open_existing(&asker, None), Err(LedgerError::KeyMissing)));
    PostgresLedger::open_existing(&asker, Some(&key)).unwrap().charge(&request("0.1")).unwrap();

    // A ledger of an earlier version keeps nothing of its key, and opens as before.
    execute(&url, "COMMENT ON TABLE privet_entries IS NULL");
    PostgresLedger::open(&url, Some(&key)).unwrap().verify(None).unwrap();
    let mut without = PostgresLedger::open_existing(&url, None).unwrap();
    assert!(matches!(without.verify(None), Err(LedgerError::Broken { .. })));
    execute(&url, "DROP TABLE privet_entries; DROP TABLE privet_accounts; DROP ROLE privet_asker");

    // The key remembers the ledger that is gone.
    assert!(matches!(PostgresLedger::open(&url, Some(&key)), Err(LedgerError::Gone { entries: 4, .. })));
    let meant = Access { is_accepted: true, ..Access::with(Some(&key)) };
    people_are_known(&mut PostgresLedger::make(&url, &meant).unwrap());
    execute(&url, "DROP TABLE privet_entries; DROP TABLE privet_accounts");
    std::fs::remove_file(folder.path().join("key.seen")).unwrap();

    // As long as nothing is signed, the key may still be another one.
    PostgresLedger::open(&url, Some(&other)).unwrap();
    PostgresLedger::open(&url, Some(&key)).unwrap().open_account("patients", &loss("1", "0")).unwrap();
    assert!(matches!(PostgresLedger::open_existing(&url, Some(&other)), Err(LedgerError::OtherKey)));
    execute(&url, "DROP TABLE privet_entries; DROP TABLE privet_accounts");
}

/// Copies get no second account, and other people no part of one.
fn people_are_known(ledger: &mut PostgresLedger) {
    let marker = ledger.marker(None).unwrap().unwrap();
    let population = |first: u32| {
        let names: Vec<String> = (first..first + 700).map(|person| format!("p{person}")).collect();
        let codes: Vec<u32> = (0..700).rev().collect();
        let texts = names.iter().map(|name| Some(name.as_str())).collect();
        Population::of(&[CodedColumn { name: "id", texts, codes: &codes }], None, &[], &marker.key)
    };
    let (terms, budget) = (Terms::default(), loss("1", "0"));
    let mut open = |dataset, people: &Population, is_accepted| {
        let population = Some(people);
        let opening = Opening { dataset, terms: &terms, budget: &budget, population, is_accepted };
        ledger.open_account_for(&opening).map(|_| ())
    };
    open("patients", &population(0), false).unwrap();
    assert!(matches!(open("copy", &population(0), false), Err(LedgerError::SamePeople { .. })));
    assert!(matches!(open("grown", &population(300), false), Err(LedgerError::SamePeople { .. })));
    open("others", &population(5000), false).unwrap();
    open("copy", &population(0), true).unwrap();
    let others = request("0.1").about(population(9000), false);
    assert!(matches!(ledger.charge(&others), Err(LedgerError::OtherPeople { .. })));
    ledger.charge(&request("0.1").about(population(300), false)).unwrap();
    assert_eq!(ledger.records().unwrap()[3].fingerprint.len(), 64);
    ledger.verify(None).unwrap();
}

/// The same database for another user.
fn with_user(url: &str, user: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap();
    let place = rest.split_once('@').map_or(rest, |(_, place)| place);
    format!("{scheme}://{user}@{place}")
}

#[test]
fn a_server_that_is_not_there_is_told_without_its_password() {
    for url in ["postgres://ann:hidden@127.0.0.1:1/none", "postgres://ann:hidden@", "mysql://hidden"] {
        let error = PostgresLedger::open(url, None).err().unwrap();
        assert!(matches!(error, LedgerError::Storage(_) | LedgerError::Address), "{error}");
        assert!(!error.to_string().contains("hidden"), "{error}");
    }
}

/// By TLS, to a server that takes nothing else (`hostssl` alone in its pg_hba.conf): set `PRIVET_TEST_POSTGRES_TLS` to a URL with
/// `sslrootcert`, the certificate of the authority that signed the server's.
#[cfg(feature = "tls")]
#[test]
fn a_ledger_over_tls() {
    let Some(url) = std::env::var("PRIVET_TEST_POSTGRES_TLS").ok().filter(|url| !url.is_empty()) else {
        println!("skipped: PRIVET_TEST_POSTGRES_TLS is not set, so there is no server with TLS to test with");
        return;
    };
    assert!(PostgresLedger::demands_encryption(&url).unwrap());
    let mut ledger = PostgresLedger::open(&url, None).unwrap();
    ledger.verify(None).unwrap();
    // Nobody whom the system does not know is trusted, also where `require` would make other clients do so.
    let (base, _) = url.split_once('?').unwrap();
    for settings in ["sslmode=require", "sslmode=verify-full"] {
        let refused = PostgresLedger::open_existing(&format!("{base}?{settings}"), None);
        assert!(matches!(refused, Err(LedgerError::Storage(_))), "{settings}");
    }
    // The test is one: in clear the server does not speak.
    assert!(PostgresLedger::open_existing(&PostgresLedger::unencrypted(base), None).is_err());
}
