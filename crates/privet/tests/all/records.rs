//! Anonymizing frames and files from a program.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use privet::{Fault, Knowledge, Recoding, distinct, intervals, mask_right, read_table, table_names, values};
use privet_data::Silent;

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

/// Other records look like a class of the release, or like nobody.
#[test]
fn a_recoding_is_used_again() {
    let job = privet::anonymize(batch()).quasi("age", intervals([10, 20])).quasi("zip", mask_right());
    let release = job.sensitive("ill").k(5).run().unwrap();
    let recoding = Recoding::of(&release.folder(), &release.job(), &Silent).unwrap();
    assert_eq!(recoding.columns(), ["age", "zip", "ill"]);
    let text = |batch: &RecordBatch, at: usize| batch.column(at).as_string::<i32>().clone();
    let (again, first) = (recoding.apply(&(&batch()).into(), &Silent).unwrap(), release.batch().unwrap());
    assert_eq!([text(&again, 0), text(&again, 1)], [text(&first, 0), text(&first, 1)]);
    let ages: ArrayRef = Arc::new(Int64Array::from(vec![21, 99]));
    let zips: ArrayRef = Arc::new(StringArray::from(vec!["1307", "1307"]));
    let ills: ArrayRef = Arc::new(StringArray::from(vec!["flu", "flu"]));
    let others = RecordBatch::try_from_iter([("age", ages), ("zip", zips), ("ill", ills)]).unwrap();
    let others = recoding.apply(&(&others).into(), &Silent).unwrap();
    assert_eq!(text(&others, 0).value(1), "*");
    assert_ne!(text(&others, 0).value(0), "*");
    let groups = privet::anonymize(batch()).quasi("age", intervals([10])).sensitive("ill").k(5);
    let groups = groups.algorithm("mondrian").run().unwrap();
    assert!(Recoding::of(&groups.folder(), &groups.job(), &Silent).is_err());
    assert_eq!(table_names(&release.folder()).unwrap(), ["data.arrow"]);
    assert_eq!(read_table(&release.folder(), None).unwrap(), first);
    assert!(read_table(&release.folder(), Some("job.toml")).is_err());
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
