//! Anonymizing frames and files from a program.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use privet::{Fault, Knowledge, distinct, intervals, mask_right, values};

fn batch() -> RecordBatch {
    let rows = 60;
    let ages: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|i| 20 + i * 7 % 40)));
    let zips: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("13{:02}", i % 20))));
    let ills = ["flu", "cancer", "asthma"];
    let ills: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows as usize).map(|i| ills[i % 3])));
    RecordBatch::try_from_iter([("age", ages), ("zip", zips), ("ill", ills)]).unwrap()
}

#[test]
fn a_frame_is_anonymized_proven_attacked_and_written() {
    let release = privet::anonymize(batch())
        .quasi("age", intervals([10, 20]))
        .quasi("zip", mask_right())
        .sensitive("ill")
        .k(5)
        .l_diversity(distinct(2))
        .run()
        .unwrap();
    assert_eq!(release.batch().unwrap().num_rows(), 60);
    assert!(release.verify().unwrap().holds());
    assert!(!release.attack(&Knowledge::default()).unwrap().attacks.is_empty());
    assert!(release.measure().unwrap().utility.is_some());
    assert!(release.report().unwrap().contains("<!DOCTYPE html>"));
    let folder = tempfile::tempdir().unwrap();
    release.write(folder.path().join("release")).unwrap();
    release.write(folder.path().join("release")).unwrap();
    let verdict = privet::verify(&folder.path().join("release"), Default::default()).unwrap();
    assert!(verdict.holds());
}

#[test]
fn frames_and_files_give_the_same_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    let mut text = String::from("age,zip,ill\n");
    for i in 0..60_usize {
        text += &format!("{},13{:02},{}\n", 20 + i * 7 % 40, i % 20, ["flu", "cancer", "asthma"][i % 3]);
    }
    std::fs::write(&path, text).unwrap();
    let run = |job: privet::Anonymize| {
        let job = job.quasi("age", intervals([10, 20])).quasi("zip", mask_right()).sensitive("ill").k(4);
        job.run().unwrap().batch().unwrap()
    };
    let (frame, file) = (run(privet::anonymize(batch())), run(privet::anonymize(path)));
    let texts = |batch: &RecordBatch| -> Vec<Vec<String>> {
        let text = |at: usize, row: usize| {
            arrow_cast::display::array_value_to_string(batch.column(at), row).unwrap()
        };
        (0..batch.num_rows()).map(|row| (0..batch.num_columns()).map(|at| text(at, row)).collect()).collect()
    };
    assert_eq!(texts(&frame), texts(&file));
}

/// Everybody in a town has the same illness, which the towns of the release tell.
fn exposed() -> privet::Anonymize {
    let towns: ArrayRef = Arc::new(StringArray::from_iter_values((0..40).map(|i| format!("town {}", i % 4))));
    let ills: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..40).map(|i| format!("illness {}", i % 4))));
    let batch = RecordBatch::try_from_iter([("town", towns), ("ill", ills)]).unwrap();
    privet::anonymize(&batch)
        .quasi("town", values())
        .sensitive("ill")
        .k(3)
        .set("adversary.max-absolute-risk", 0.1)
}

#[test]
fn what_is_wrong_is_told_by_whose_turn_it_is() {
    let job = || privet::anonymize(batch()).quasi("age", values()).sensitive("ill");
    assert_eq!(job().k(1_000).run().unwrap_err().fault(), Fault::BadInput, "more people than there are");
    assert_eq!(exposed().run().unwrap_err().fault(), Fault::Refused);
    assert_eq!(job().quasi("nobody", values()).k(2).run().unwrap_err().fault(), Fault::BadInput);
    assert_eq!(
        job().k(2).set("search.algorithm.x", 1).set("search.algorithm", "magic").run().unwrap_err().fault(),
        Fault::BadInput
    );
    assert_eq!(job().run().unwrap_err().fault(), Fault::BadInput, "a job that promises nothing");
    assert_eq!(privet::anonymize("missing.csv").k(2).run().unwrap_err().fault(), Fault::BadInput);
}
