//! Private counts: of each person so many records count and no more, and nothing is answered that was not paid for.

use std::collections::HashMap;

use privet_data::Silent;
use privet_dp::ledger::{Ledger as _, LedgerError, SqliteLedger, Terms};
use privet_dp::{DpError, Loss, Neighbours, Rational};
use privet_engine::{CountQuestion, PrivateError, private_counts};
use privet_job::{Job, RunOptions};

use crate::{job_text, people, write_parquet};

const TOWNS: [&str; 3] = ["Ulm", "Bonn", "Trier"];

#[test]
fn counts_are_bounded_by_person_and_paid_for() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    // 40 people with about 25 records each: notes tell people here.
    let text = people(1_000, 17);
    write_parquet(&base.join("people"), &text, 130);
    let path = base.join("people.ledger");
    let loss = |epsilon: &str| {
        Loss::new(Rational::from_str_decimal(epsilon).unwrap(), Rational::from_str_decimal("0").unwrap())
            .unwrap()
    };
    let terms = Terms { neighbours: Neighbours::AddRemove, person: Some("note".to_owned()), records: 4 };
    SqliteLedger::open(&path).unwrap().open_account_on("people", &terms, &loss("1500")).unwrap();
    let more = "[columns.town]\nrole = \"quasi\"\nkeys = [\"Ulm\", \"Bonn\", \"Trier\"]\n";
    let job = job_text("people", "k-anonymity = 3", "[engine]\nkind = \"datafusion\"\n")
        .replace("[columns.town]\nrole = \"quasi\"\n", more);
    let job = Job::parse(&job, &[]).unwrap();
    let options = RunOptions { base: base.to_owned(), ..RunOptions::default() };
    let question = CountQuestion {
        by: vec!["town".to_owned()],
        person: "note".to_owned(),
        most: 4,
        epsilon: "1000".to_owned(),
        account: "people".to_owned(),
        analyst: "ann".to_owned(),
    };
    let answer = private_counts(&job, &options, &path, &question, &Silent).unwrap();

    // The first four records of each person, wherever they are.
    let (mut of_person, mut counts) = (HashMap::<&str, u32>::new(), HashMap::<&str, i64>::new());
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let seen = of_person.entry(cells[6]).or_default();
        *seen += 1;
        if *seen <= 4 {
            *counts.entry(cells[3]).or_default() += 1;
        }
    }
    // With an epsilon of 1000 noise is 0 but once in 10^100 times.
    for (town, (values, count)) in TOWNS.iter().zip(&answer.groups) {
        assert_eq!((values.as_slice(), count), (&[(*town).to_owned()][..], &counts[town]), "{town}");
    }
    assert_eq!(SqliteLedger::open(&path).unwrap().remaining("people").unwrap(), loss("500"));

    // What is not paid for, and groups that nobody declared.
    let again = private_counts(&job, &options, &path, &question, &Silent);
    assert!(matches!(again, Err(PrivateError::Dp(DpError::Ledger(LedgerError::Insufficient { .. })))));
    let undeclared = CountQuestion { by: vec!["disease".to_owned()], epsilon: "1".to_owned(), ..question };
    let error = private_counts(&job, &options, &path, &undeclared, &Silent).unwrap_err();
    assert!(error.to_string().contains("columns.disease.keys"), "{error}");
    assert_eq!(SqliteLedger::open(&path).unwrap().remaining("people").unwrap(), loss("500"));
}
