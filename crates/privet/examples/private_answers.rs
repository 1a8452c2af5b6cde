//! Private answers: an account with a total, a plan that costs nothing, an answer that is charged, and a question that is refused.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use privet::{Account, Budget, Fault, People};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let visits = visits(2_000)?;
    let folder = tempfile::tempdir()?;
    let account = Account::new(folder.path().join("hospital.ledger"), "visits").unsigned();
    // One person has up to four visits; all of them together are protected.
    let people = People::identified_by("patient", 4);
    account.open(&visits, &people, Budget::epsilon(1))?;

    let question = "select ward, count(*), avg(cost) from data group by ward";
    let asked = |epsilon: &str| {
        privet::query(&visits, question, &account)
            .people(&people)
            .keys("ward", ["North", "South"])
            .bound("cost", 0, 1_000)
            .spend(Budget::epsilon(epsilon))
    };
    let plan = asked("0.8").plan()?;
    println!("it would cost epsilon {}", plan.cost.epsilon);
    let answer = asked("0.8").run()?;
    for line in &answer.lines {
        let numbers: Vec<String> = line.numbers.iter().map(|own| format!("{:.1}", own.value)).collect();
        println!("{}: {}", line.group[0].as_deref().unwrap_or("all"), numbers.join(", "));
    }
    match asked("0.8").run() {
        Err(refused) if refused.fault() == Fault::Budget => println!("asked again, it is refused"),
        other => return Err(format!("what is spent twice must be refused: {other:?}").into()),
    }
    println!("{} entries in the ledger", account.show()?.entries.len());
    Ok(())
}

/// Visits of people who do not exist.
fn visits(rows: usize) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let patients: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("p{}", i / 3))));
    let wards: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|i| ["North", "South"][i * 7 % 3 % 2])));
    let costs: ArrayRef =
        Arc::new(Int64Array::from_iter_values((0..rows).map(|i| 100 + (i * 37 % 400) as i64)));
    RecordBatch::try_from_iter([("patient", patients), ("ward", wards), ("cost", costs)])
}
