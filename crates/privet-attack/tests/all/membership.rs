//! Presence in a table, and how well it tells members from others.

use privet_attack::link::{People, Released, UNKNOWN};
use privet_attack::membership::{distinguishing, presence};
use privet_data::Coverage;
use proptest::prelude::*;

/// survey PM-23: records of the class / people who generalize into it.
#[test]
fn records_of_a_class_by_people_of_it() {
    // Classes 0-1, 2-3, 4-5 with 2, 1 and 2 records; the public table has 4, 1 and 0 people, and somebody elsewhere.
    let ranges = Coverage::new([vec![0, 1], vec![2, 3], vec![4, 5]], 7);
    let labels = [0, 0, 1, 2, 2];
    let released = Released { labels: vec![&labels], coverage: vec![&ranges], groups: &[9; 5] };
    let values = [0, 0, 1, 1, 2, 6, UNKNOWN];
    let people = People { values: vec![&values], count: 7 };
    let found = presence(&released, &people).unwrap();
    assert_eq!(found.everybody(), [0.5, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0]);
    assert_eq!((found.of(4), found.of(99)), (1.0, 0.0));
    assert_eq!(found.range(), Some((0.0, 1.0)));
    assert_eq!(found.overfull, 1, "nobody can be the last two records");
    // The table does not hold everybody, so the record of 2-3 may be of somebody else.
    assert!(found.incomplete && found.exact().iter().all(|exact| !exact));
    assert_eq!(found.above(0.5), [4]);
    assert_eq!(found.outside(0.25, 0.75), [4, 5, 6]);
    let members = [true, true, false, false, true, false, false];
    let how_well = distinguishing(&found.everybody(), &members).unwrap();
    // Members 0.5, 0.5, 1; others 0.5, 0.5, 0, 0: of 12 pairs 8 won and 4 drawn.
    assert!((how_well.auc - 10.0 / 12.0).abs() < 1e-12);
    assert!((how_well.advantage - 0.5).abs() < 1e-12 && how_well.threshold == 0.5);
}

#[test]
fn labels_that_overlap() {
    // One record 0-1, one record 1-2; people 0, 1, 2: each record has two who may be it.
    let ranges = Coverage::new([vec![0, 1], vec![1, 2]], 3);
    let released = Released { labels: vec![&[0, 1]], coverage: vec![&ranges], groups: &[0, 0] };
    let people = People { values: vec![&[0, 1, 2]], count: 3 };
    let found = presence(&released, &people).unwrap();
    assert_eq!(found.everybody(), [0.5, 1.0, 0.5]);
    assert!(!found.incomplete);
    // Two records, and one person who fits both: as many as people everywhere, and still somebody is not listed.
    let alone = presence(&released, &People { values: vec![&[1]], count: 1 }).unwrap();
    assert!(alone.incomplete && alone.overfull == 0 && alone.exact() == [false]);
    let short = Released { labels: vec![&[0]], ..released };
    assert!(presence(&short, &people).is_err());
    let nobody = People { values: vec![&[]], count: 0 };
    let none = Released { labels: vec![&[]], coverage: vec![&ranges], groups: &[] };
    assert_eq!(presence(&none, &nobody).unwrap().range(), None);
}

#[test]
fn without_members_or_others_nothing_is_told() {
    assert_eq!(distinguishing(&[], &[]), None);
    assert_eq!(distinguishing(&[1.0], &[true]), None);
    assert_eq!(distinguishing(&[1.0], &[false]), None);
    assert_eq!(distinguishing(&[f64::NAN, 1.0], &[false, true]), None);
    let perfect = distinguishing(&[0.1, f64::INFINITY, 0.2], &[false, true, false]).unwrap();
    assert_eq!((perfect.auc, perfect.advantage), (1.0, 1.0));
    let guessing = distinguishing(&[0.5, 0.5], &[false, true]).unwrap();
    assert_eq!((guessing.auc, guessing.advantage), (0.5, 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn areas_and_advantages_from_their_definitions(people in prop::collection::vec((0u8..6, any::<bool>()), 0..25)) {
        let scores: Vec<f64> = people.iter().map(|person| f64::from(person.0)).collect();
        let members: Vec<bool> = people.iter().map(|person| person.1).collect();
        let split = |member| people.iter().filter(|p| p.1 == member).map(|p| p.0).collect::<Vec<u8>>();
        let (inside, outside) = (split(true), split(false));
        match distinguishing(&scores, &members) {
            None => prop_assert!(inside.is_empty() || outside.is_empty()),
            Some(found) => {
                let mut won = 0.0;
                for a in &inside {
                    for b in &outside {
                        won += if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
                    }
                }
                prop_assert!((found.auc - won / (inside.len() * outside.len()) as f64).abs() < 1e-12);
                let share = |of: &[u8], at: u8| of.iter().filter(|&&s| s >= at).count() as f64 / of.len() as f64;
                let most = (0..7).map(|at| share(&inside, at) - share(&outside, at)).fold(0.0, f64::max);
                prop_assert!((found.advantage - most).abs() < 1e-12);
            }
        }
    }
}
