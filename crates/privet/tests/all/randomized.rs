//! Randomized records from a program: a law for each column, verified, attacked, compared, written.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use privet::{Fault, Knowledge, Randomize, gaussian_noise, retention};

fn batch() -> RecordBatch {
    let rows = 400_usize;
    let ages: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|i| 20 + (i * 7 % 40) as i64)));
    let ills: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|i| ["flu", "cancer", "asthma"][i % 3])));
    RecordBatch::try_from_iter([("age", ages), ("ill", ills)]).unwrap()
}

fn job() -> Randomize {
    privet::randomize(batch())
        .quasi("age")
        .law("age", gaussian_noise(8.0).with("step", 1.0))
        .sensitive("ill")
        .values("ill", ["flu", "cancer", "asthma"])
        .law("ill", retention(0.5))
        .seed(1)
}

#[test]
fn records_are_randomized_verified_attacked_compared_and_written() {
    let release = job().run().unwrap();
    let published = release.batch().unwrap();
    assert_eq!((published.num_rows(), published.num_columns()), (400, 2));
    assert!(release.verify().unwrap().holds());
    assert!(!release.attack(&Knowledge::default()).unwrap().attacks.is_empty());
    assert!(release.compare().run().unwrap().utility.is_some());
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("release");
    release.write(&written).unwrap();
    assert!(privet::verify(&written, Default::default()).unwrap().holds());
}

#[test]
fn the_same_seed_gives_the_same_records() {
    assert_eq!(job().run().unwrap().batch().unwrap(), job().run().unwrap().batch().unwrap());
}

#[test]
fn every_key_of_the_job_can_be_set() {
    let swapped = privet::randomize(batch())
        .quasi("age")
        .sensitive("ill")
        .set("randomize.method", "swap")
        .set("randomize.columns", vec!["age"])
        .set("randomize.swap", "rank")
        .set("randomize.percent", 10.0)
        .run();
    assert_eq!(swapped.unwrap().manifest().unwrap().change.method(), "swap");
    let unknown = job().set("randomize.colour", "red").run();
    assert_eq!(unknown.unwrap_err().fault(), Fault::BadInput);
}
