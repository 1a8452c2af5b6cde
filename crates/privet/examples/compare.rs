//! What anonymization costs, for one k after another: how far off answers are, and how many records are alone.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let batch = people(600)?;
    println!("{:>4} {:>8} {:>10} {:>14}", "k", "classes", "figures", "largest attack");
    for k in [2, 5, 20] {
        let release = privet::anonymize(&batch)
            .quasi("age", privet::intervals([5, 10, 20, 40]))
            .quasi("zip", privet::mask_right())
            .sensitive("diagnosis")
            .k(k)
            .run()?;
        let found = release.compare().queries(50).run()?;
        let utility = found.utility.ok_or("records are compared with records")?;
        let attacked = release.attack(&privet::Knowledge::default())?;
        let risk = attacked.attacks.iter().map(|own| own.risk).fold(0.0, f64::max);
        let classes = release.manifest()?.classes.count;
        println!("{k:>4} {classes:>8} {:>10} {:>12.1} %", utility.figures.len(), 100.0 * risk);
    }
    Ok(())
}

/// People who do not exist.
fn people(rows: usize) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let ages: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|i| 20 + (i * 37 % 60) as i64)));
    let zips: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("{:04}", 8_000 + i * 71 % 90))));
    let ills = ["flu", "gastritis", "asthma", "fracture", "diabetes"];
    let ills: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(|i| ills[i * 13 % 5])));
    RecordBatch::try_from_iter([("age", ages), ("zip", zips), ("diagnosis", ills)])
}
