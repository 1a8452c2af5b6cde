//! Every building block, watched by one of its parties with two inputs that lead to the same result.

use privet_parties::mining::joint::Joint;
use privet_parties::mining::rules::{RuleOptions, large_itemsets};
use privet_parties::protocol::compare::{Width, any_small, at_least, least, small};
use privet_parties::protocol::extension::{Receiver, Sender, Transfers};
use privet_parties::protocol::intersection::{cardinality, intersect, sum_of_first, sum_of_second};
use privet_parties::protocol::paillier::{SecretKey, scalar_product_under};
use privet_parties::protocol::product::{Side, scalar_products};
use privet_parties::protocol::sum::Sums;
use privet_parties::protocol::union::union;
use privet_parties::protocol::{base_transfer, transfer, valid_sum};

use super::views::{assert_same, items, views};

#[test]
fn sums_show_the_sum_alone() {
    let run = |inputs: [[u64; 2]; 3]| {
        views((3, 2), 600, &inputs, Sums::new, |session, sums, own| {
            sums.sum(session, own).map(|_| Vec::new())
        })
    };
    // The watcher's own input and the sums are the same.
    assert_same("sum", &run([[1000, 0], [0, 77], [5, 5]]), &run([[0, 70], [1000, 7], [5, 5]]));
}

#[test]
fn sums_with_proofs_show_the_sum_alone() {
    // The first collector watches; the third party's counts move to the fourth.
    let run = |inputs: [[u64; 2]; 4]| {
        views(
            (4, 0),
            40,
            &inputs,
            |_| Ok(()),
            |session, (), own| {
                valid_sum::shares(session, [0, 1], own, 9)?;
                Ok(Vec::new())
            },
        )
    };
    assert_same("valid sum", &run([[1, 1], [1, 1], [9, 0], [0, 9]]), &run([[1, 1], [1, 1], [0, 9], [9, 0]]));
}

#[test]
fn comparisons_show_the_answers_alone() {
    let run = |inputs: [[u64; 3]; 2], which: usize| {
        views((2, 1), 160, &inputs, Transfers::new, |session, transfers, own| {
            match which {
                0 => drop(at_least(session, transfers, own, 10, Width::Bits32)?),
                1 => drop(small(session, transfers, own, 10, Width::Bits32)?),
                2 => drop(any_small(session, transfers, own, 10, Width::Bits32)?),
                _ => drop(least(session, transfers, &[own.to_vec(), vec![5, 5, 5]])?),
            }
            Ok(Vec::new())
        })
    };
    let names = ["at least", "small", "any small", "least"];
    for (which, name) in names.iter().enumerate() {
        let (a, b) = (run([[9, 100, 0], [1, 1, 0]], which), run([[20, 900_000, 0], [1, 1, 0]], which));
        // The first sum reaches 10 in both, the second too, the third is 0 in both; so all four answers are the same.
        assert_same(name, &a, &b);
    }
}

#[test]
fn products_show_nothing() {
    let run = |inputs: [[u64; 3]; 2], watcher: usize| {
        views((2, watcher), 200, &inputs, Transfers::new, |session, transfers, own| {
            let columns = [own.to_vec()];
            let side = match session.me() {
                0 => Side::Bits { column: own, bits: 8, width: 1 },
                _ => Side::Numbers { columns: &columns, bits: 8 },
            };
            scalar_products(session, transfers, 1 - session.me(), side).map(|_| Vec::new())
        })
    };
    assert_same("product", &run([[0, 0, 0], [7, 7, 7]], 1), &run([[255, 1, 128], [7, 7, 7]], 1));
    assert_same("product", &run([[3, 2, 1], [0, 0, 0]], 0), &run([[3, 2, 1], [u64::MAX, 1 << 40, 5]], 0));
}

#[test]
fn products_by_paillier_show_nothing() {
    let secret = SecretKey::generate().unwrap();
    let run = |inputs: [[u64; 2]; 2], watcher: usize| {
        views(
            (2, watcher),
            60,
            &inputs,
            |_| Ok(()),
            |session, (), own| scalar_product_under(session, own, &secret).map(|_| Vec::new()),
        )
    };
    assert_same("first", &run([[3, 2], [0, 0]], 0), &run([[3, 2], [u64::MAX, 77]], 0));
    assert_same("second", &run([[0, 0], [3, 2]], 1), &run([[1 << 60, 77], [3, 2]], 1));
}

#[test]
fn transfers_do_not_show_the_choice() {
    let run = |choices: Vec<bool>| {
        views(
            (2, 0),
            150,
            &[choices.clone(), choices],
            |_| Ok(()),
            |session, (), own| {
                if session.me() == 0 {
                    base_transfer::send(session, 1, own.len())?;
                } else {
                    let own: Vec<_> = own.iter().map(|&own| u8::from(own).into()).collect();
                    base_transfer::receive(session, 0, &own)?;
                }
                Ok(Vec::new())
            },
        )
    };
    assert_same("base", &run(vec![false, false, true]), &run(vec![true, true, false]));
    // 1 of 8: the sender sees no choice, and the receiver nothing of items that it did not choose.
    let run = |watcher: usize, chosen: usize, items: [u8; 8]| {
        let inputs = [(chosen, items); 2];
        views(
            (2, watcher),
            150,
            &inputs,
            |session| match session.me() {
                0 => Ok((Some(Sender::new(session, 1)?), None)),
                _ => Ok((None, Some(Receiver::new(session, 0)?))),
            },
            |session, state, (chosen, items)| {
                if let Some(sender) = &mut state.0 {
                    let items: Vec<Vec<u8>> = items.iter().map(|own| vec![*own; 16]).collect();
                    transfer::send(session, sender, 1, &items, 1)?;
                }
                if let Some(receiver) = &mut state.1 {
                    transfer::receive(session, receiver, 0, (8, 16), &[*chosen])?;
                }
                Ok(Vec::new())
            },
        )
    };
    assert_same("choice", &run(0, 0, [7; 8]), &run(0, 5, [7; 8]));
    assert_same("items", &run(1, 2, [7; 8]), &run(1, 2, [1, 2, 7, 4, 5, 6, 0, 8]));
}

#[test]
fn intersections_show_what_both_hold_alone() {
    let own = items(&["c", "d", "e"]);
    for watcher in 0..2 {
        for which in 0..2 {
            let run = |other: &[&str]| {
                let mut inputs = [items(other), own.clone()];
                if watcher == 0 {
                    inputs.reverse();
                }
                views(
                    (2, watcher),
                    120,
                    &inputs,
                    |_| Ok(()),
                    |session, (), own| {
                        match which {
                            0 => drop(cardinality(session, own)?),
                            _ => drop(intersect(session, own)?),
                        }
                        Ok(Vec::new())
                    },
                )
            };
            // The common item is the same, others and the order of the file are not.
            assert_same("intersection", &run(&["a", "b", "c"]), &run(&["c", "x", "y"]));
        }
    }
}

#[test]
fn sums_over_intersections_show_the_sum_alone() {
    let secret = SecretKey::generate().unwrap();
    let run = |watcher: usize, sets: [&[&str]; 2], values: [u64; 3]| {
        let inputs = [(items(sets[0]), values), (items(sets[1]), values)];
        views(
            (2, watcher),
            60,
            &inputs,
            |_| Ok(()),
            |session, (), (own, values)| {
                match session.me() {
                    0 => sum_of_first(session, own, 0)?,
                    _ => sum_of_second(session, own, values, &secret)?,
                };
                Ok(Vec::new())
            },
        )
    };
    let own: &[&str] = &["c", "d", "e"];
    assert_same(
        "first",
        &run(0, [own, &["c", "d", "x"]], [5, 6, 1]),
        &run(0, [own, &["y", "c", "e"]], [99, 2, 9]),
    );
    assert_same(
        "second",
        &run(1, [&["c", "x", "y"], own], [5, 6, 1]),
        &run(1, [&["p", "q", "c"], own], [5, 6, 1]),
    );
}

#[test]
fn unions_do_not_show_whose_an_item_is() {
    let run = |watcher: usize, sets: [&[&str]; 3]| {
        let inputs = sets.map(items);
        views(
            (3, watcher),
            120,
            &inputs,
            |_| Ok(()),
            |session, (), own| union(session, own, 3).map(|_| Vec::new()),
        )
    };
    // Watched by the second and the last party; the first learns how many items each pair has in common, which is 0 here.
    for watcher in [1, 2] {
        let sets: [[&[&str]; 3]; 2] = match watcher {
            1 => [[&["a", "b"], &["m"], &["c"]], [&["c"], &["m"], &["b", "a"]]],
            _ => [[&["a", "b"], &["c"], &["m"]], [&["c"], &["b", "a"], &["m"]]],
        };
        assert_same("union", &run(watcher, sets[0]), &run(watcher, sets[1]));
    }
}

#[test]
fn counts_below_the_minimum_do_not_show() {
    let run = |inputs: [[u64; 3]; 2]| {
        views(
            (2, 1),
            120,
            &inputs,
            |session| Joint::new(session, 5),
            |session, joint, own| joint.open(session, own).map(|_| Vec::new()),
        )
    };
    assert_same("minimum", &run([[0, 3, 9], [1, 1, 1]]), &run([[3, 0, 9], [1, 1, 1]]));
}

#[test]
fn rules_do_not_show_who_holds_what() {
    let options = RuleOptions { support: 4, confidence: 0.5, longest: 2, items: 4 };
    let run = |parts: [[usize; 2]; 3]| {
        // Per party so many transactions of "a b" and so many of "a".
        let parts = parts.map(|[both, one]| {
            let transaction = |own: &[&str]| own.iter().map(|own| (*own).to_owned()).collect();
            let mut all = vec![transaction(&["a", "b"]); both];
            all.extend(vec![transaction(&["a"]); one]);
            all
        });
        views(
            (3, 2),
            60,
            &parts,
            |session| Joint::new(session, 4),
            |session, joint, own| large_itemsets(session, joint, own, options).map(|_| Vec::new()),
        )
    };
    assert_same("rules", &run([[6, 1], [3, 4], [2, 2]]), &run([[3, 4], [6, 1], [2, 2]]));
}
