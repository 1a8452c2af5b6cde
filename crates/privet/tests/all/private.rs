//! Private answers from a program: an account, plans, answers, and what is refused.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use privet::{Account, Budget, Fault, People, Query};

fn visits() -> RecordBatch {
    let rows = 300_usize;
    let patients: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("p{}", i / 2))));
    let wards: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|i| ["North", "South"][i % 2])));
    let costs: ArrayRef =
        Arc::new(Int64Array::from_iter_values((0..rows).map(|i| 100 + (i * 37 % 400) as i64)));
    RecordBatch::try_from_iter([("patient", patients), ("ward", wards), ("cost", costs)]).unwrap()
}

#[test]
fn a_question_is_planned_answered_charged_and_then_refused() {
    let folder = tempfile::tempdir().unwrap();
    let account = Account::new(folder.path().join("visits.ledger"), "visits").unsigned();
    let people = People::identified_by("patient", 2);
    let opened = account.open(visits(), &people, Budget::epsilon(1)).unwrap();
    assert_eq!(opened.account, "visits");
    let asked = |epsilon: &str| -> Query {
        let question = "select ward, count(*), sum(cost) from data group by ward";
        privet::query(visits(), question, &account)
            .people(&people)
            .keys("ward", ["North", "South"])
            .bound("cost", 0, 1_000)
            .analyst("tester")
            .spend(Budget::epsilon(epsilon))
    };
    let planned = asked("3/4").plan().unwrap();
    assert!(planned.suffices && planned.groups == 2, "{planned:?}");
    assert_eq!(account.show().unwrap().entries.len(), 1, "a plan is not charged");
    let answered = asked("3/4").run().unwrap();
    assert_eq!((answered.lines.len(), answered.lines[0].numbers.len()), (2, 2));
    assert_eq!(answered.analyst, "tester");
    assert_eq!(asked("1/2").run().unwrap_err().fault(), Fault::Budget);
    assert_eq!(account.show().unwrap().entries.len(), 2, "a refused question is not charged");
}

#[test]
fn what_is_not_declared_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let account = Account::new(folder.path().join("visits.ledger"), "visits").unsigned();
    account.open(visits(), &People::default(), Budget::epsilon(1)).unwrap();
    let sum = privet::query(visits(), "select sum(cost) from data", &account).spend(Budget::epsilon(1));
    assert_eq!(sum.run().unwrap_err().fault(), Fault::BadInput, "no bounds");
    let unknown = privet::query(visits(), "select count(*) from data", &account).set("query.colour", "red");
    assert_eq!(unknown.spend(Budget::epsilon(1)).run().unwrap_err().fault(), Fault::BadInput);
    assert_eq!(account.show().unwrap().entries.len(), 1);
}
