//! The main job from a program: a frame in, an anonymized frame and a release folder out.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let batch = patients(1_000)?;
    let release = privet::anonymize(&batch)
        .identifier("name")
        .quasi("age", privet::intervals([5, 10, 20]))
        .quasi("zip", privet::mask_right())
        .sensitive("diagnosis")
        .k(5)
        .l_diversity(privet::distinct(3))
        .suppress_at_most(0.02)
        .run()?;
    println!("{} of {} records are published", release.batch()?.num_rows(), batch.num_rows());
    println!("every promise holds: {}", release.verify()?.holds());
    for finding in release.attack(&privet::Knowledge::default())?.attacks {
        println!("{:<24} {:.1} %", finding.attack, 100.0 * finding.risk);
    }
    let folder = tempfile::tempdir()?;
    release.write(folder.path().join("release"))?;
    println!("written, with a report of {} bytes", release.report()?.len());
    Ok(())
}

/// People who do not exist.
fn patients(rows: usize) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let names: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("patient {i}"))));
    let ages: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|i| 20 + (i * 37 % 60) as i64)));
    let zips: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("{:05}", 80_000 + i * 71 % 900))));
    let ills = ["flu", "gastritis", "asthma", "fracture", "diabetes"];
    let ills: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(|i| ills[i * 13 % 5])));
    RecordBatch::try_from_iter([("name", names), ("age", ages), ("zip", zips), ("diagnosis", ills)])
}
