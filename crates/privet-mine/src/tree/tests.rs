//! Golden values of FX-F1 and FX-F2, the two traps of F-AL2, and spans against the whole domain.

use std::collections::{BTreeMap, BTreeSet};

use privet_criteria::Requirement;
use proptest::prelude::*;
use serde_json::json;

use super::oracle::TreeOracle;
use super::*;
use crate::fixtures::{cars, examples, loans};
use crate::{
    Attribute, AttributeDomain, ClassAttribute, Examples, Level, MineError, Release, Schema, SpanOracle,
    Values, Visibility,
};

fn tree(examples: &Examples, k: u64) -> Grown {
    grow(examples, &GrowOptions::k_anonymous(k)).unwrap()
}

/// Leaf populations per span, as (leaves of the span, counts per class).
fn populations(release: &TreeRelease) -> Vec<Vec<Vec<u64>>> {
    release.spans.iter().map(|span| span.populations.iter().map(|own| own.counts.clone()).collect()).collect()
}

#[test]
fn fx_f1_grows_the_printed_tree() {
    let loans = loans();
    for k in [2, 3] {
        let grown = tree(&loans, k);
        let release = &grown.release;
        let root = release.model.nodes[0].test.unwrap();
        assert_eq!(release.model.schema.attributes[root.attribute()].name, "gender");
        // Bad comes before Good: female unmarried 1/2 and married 3/0, male old 2/1 and young 0/3.
        let mut counts: Vec<Vec<u64>> = populations(release).into_iter().flatten().collect();
        counts.sort();
        assert_eq!(counts, [vec![0, 3], vec![1, 2], vec![2, 1], vec![3, 0]]);
        assert_eq!((grown.growth.made, release.minority(), release.verify().unwrap().exposed), (3, 2, 6));
        assert_eq!(release.verify().unwrap().reached, Some(3));
        assert!((release.predictor().error(&loans) - 2.0 / 12.0).abs() < 1e-12);
    }
    assert_eq!(tree(&loans, 4).growth.made, 1);
    assert_eq!(tree(&loans, 1).growth.made, 5);
}

/// The attack of L718-731: Donna, Emily and Fiona share a span of three bad loans.
#[test]
fn fx_f1_attack_finds_three_people() {
    let loans = loans();
    let release = tree(&loans, 3).release;
    let oracle = release.model.oracle().unwrap();
    let records: Vec<Vec<Cell>> = loans.records().collect();
    let spans = Release::of(&oracle, records.iter().map(Vec::as_slice));
    let links = spans.link(&oracle, records.iter().map(Vec::as_slice));
    let donna = links.iter().find(|link| link.people.contains(&9)).unwrap();
    assert_eq!((donna.people.as_slice(), donna.populations.len(), donna.tells), (&[9, 10, 11][..], 1, true));
    assert!(spans.check(3).unwrap().holds() && !spans.check(4).unwrap().holds());
}

/// Table 2: the tree of FX-F1 as a recoding has four groups of three.
#[test]
fn fx_f1_recodes_to_table_2() {
    let loans = loans();
    let recoded = recode(&tree(&loans, 2).release.model, &loans).unwrap();
    let mut labels = recoded.labels.clone();
    labels.sort();
    let rows = |own: &[&str]| own.iter().map(|&label| label.to_owned()).collect::<Vec<_>>();
    let expected = [
        rows(&["Female", "No", "*", "*"]),
        rows(&["Female", "Yes", "*", "*"]),
        rows(&["Male", "*", "Old", "*"]),
        rows(&["Male", "*", "Young", "*"]),
    ];
    assert_eq!(labels, expected);
    assert_eq!((recoded.minority, recoded.discernibility), (2, 36));
}

/// FX-F6: a table is judged as the model that it is equivalent to. By zip codes Ben is Mid and Laura High; by three of their digits each is
/// one of two.
#[test]
fn fx_f6_tables_are_linked_as_models() {
    let rows = ["11001,High", "11001,Low", "12033,Mid", "12045,High"];
    let table = examples(&["zip", "income"], &["zip"], Visibility::Private, &rows);
    let mut schema = table.schema().clone();
    let AttributeDomain::Categories { levels, .. } = &mut schema.attributes[0].domain else { unreachable!() };
    levels.push(Level {
        labels: vec!["110XX".into(), "120XX".into()],
        node_of: vec![0, 1, 1],
        is_grouping: false,
    });
    let links = |level: usize, answers: u32| {
        let root = Node {
            test: Some(Test::Category { attribute: 0, level }),
            children: (1..=answers).map(Some).collect(),
        };
        let nodes = [root].into_iter().chain((0..answers).map(|_| Node::default())).collect();
        let model = TreeModel { schema: schema.clone(), roots: vec![0], nodes };
        let oracle = model.oracle().unwrap();
        let records: Vec<Vec<Cell>> = table.records().collect();
        let spans = Release::of(&oracle, records.iter().map(Vec::as_slice));
        let found = spans.link(&oracle, records.iter().map(Vec::as_slice));
        // Per group of people the incomes that are possible: High 0, Low 1, Mid 2.
        let incomes = |own: &crate::Link| -> Vec<String> {
            own.populations.keys().map(|key| key.rsplit('/').next().unwrap().to_owned()).collect()
        };
        found.iter().map(|own| (own.people.clone(), incomes(own))).collect::<Vec<_>>()
    };
    let texts = |own: &[&str]| own.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let john_and_lisa = (vec![0, 1], texts(&["0", "1"]));
    assert_eq!(links(0, 3), [john_and_lisa.clone(), (vec![2], texts(&["2"])), (vec![3], texts(&["0"]))]);
    assert_eq!(links(1, 2), [john_and_lisa, (vec![2, 3], texts(&["0", "2"]))]);
}

#[test]
fn fx_f2_private_sports_car() {
    for (k, splits) in [(1, 2), (2, 2), (3, 2), (4, 1)] {
        let grown = tree(&cars(&["marital"]), k);
        assert_eq!(grown.growth.made, splits, "{k}");
        let verdict = grown.release.verify().unwrap();
        assert_eq!(verdict.reached, Some(if k < 4 { 3 } else { 6 }));
    }
    let release = tree(&cars(&["marital"]), 3).release;
    // CM is by spans (2), not by leaves (1); nobody is exposed; a leaf of one record is safe.
    assert_eq!((release.minority(), release.verify().unwrap().exposed), (2, 0));
    assert!(release.node_counts().iter().any(|counts| counts.iter().sum::<u64>() == 1));
    let oracle = TreeOracle::new(&release.model);
    assert!(release.spans.iter().all(|span| oracle.classes(&span.leaves) == 4));
}

#[test]
fn fx_f2_public_sports_car() {
    let cars = cars(&["marital", "sports_car"]);
    for (k, splits) in [(1, 2), (2, 1), (3, 1), (4, 0)] {
        assert_eq!(tree(&cars, k).growth.made, splits, "{k}");
    }
    let released = TreeRelease::of(&tree(&cars, 1).release.model, &cars, &[]).unwrap();
    let mut sizes: Vec<u64> = released.spans.iter().map(SpanCounts::records).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 2, 3]);
}

/// F-AL2, second trap: all leaves hold two records, and a span holds one.
#[test]
fn leaves_of_k_are_not_enough() {
    let table = examples(
        &["p", "a", "b", "class"],
        &["a", "b"],
        Visibility::Private,
        &["0,0,0,x", "0,0,1,y", "0,1,0,x", "0,1,0,y", "1,0,0,x", "1,1,0,y", "1,1,1,x", "1,1,1,y"],
    );
    let category = |attribute| Some(Test::Category { attribute, level: 0 });
    let node = |attribute, children: [u32; 2]| Node {
        test: category(attribute),
        children: children.map(Some).to_vec(),
    };
    let leaf = Node::default();
    let nodes = vec![
        node(0, [1, 2]),
        node(1, [3, 4]),
        node(2, [5, 6]),
        leaf.clone(),
        leaf.clone(),
        leaf.clone(),
        leaf,
    ];
    let model = TreeModel { schema: table.schema().clone(), roots: vec![0], nodes };
    let release = TreeRelease::of(&model, &table, &[Requirement::KAnonymity { k: 2 }]).unwrap();
    assert!(release.node_counts()[3..].iter().all(|counts| counts.iter().sum::<u64>() == 2));
    let verdict = release.verify().unwrap();
    assert_eq!((verdict.failing.as_deref(), verdict.reached), (Some("k-anonymity"), Some(1)));
}

#[test]
fn published_models_are_read_back_and_tampering_is_found() {
    let release = tree(&cars(&["marital"]), 3).release;
    let text = serde_json::to_string(&release).unwrap();
    let read: TreeRelease = serde_json::from_str(&text).unwrap();
    assert_eq!(read, release);
    assert!(read.verify().unwrap().holds());
    let change = |change: &dyn Fn(&mut TreeRelease)| {
        let mut own = release.clone();
        change(&mut own);
        own.verify()
    };
    assert_eq!(change(&|own| own.version = 2), Err(TreeError::Version { version: 2 }));
    assert_eq!(change(&|own| own.records = 7), Err(TreeError::Records { declared: 7, counted: 6 }));
    assert!(matches!(change(&|own| own.spans[0].leaves.truncate(1)), Err(TreeError::Span { span: 0 })));
    assert!(matches!(change(&|own| own.spans[1] = own.spans[0].clone()), Err(TreeError::Span { span: 1 })));
    assert!(matches!(change(&|own| own.model.nodes[0].children[0] = None), Err(TreeError::Node { .. })));
    assert!(matches!(change(&|own| own.model.nodes[0].children[0] = Some(0)), Err(TreeError::Node { .. })));
    let weaker = change(&|own| own.requirements = vec![Requirement::KAnonymity { k: 4 }]).unwrap();
    assert_eq!(weaker.failing.as_deref(), Some("k-anonymity"));
    assert!(matches!(
        change(&|own| own.requirements = vec![Requirement::KAnonymity { k: 9 }]),
        Err(TreeError::Schema(MineError::KTooLarge { k: 9, records: 6 }))
    ));
}

#[test]
fn pmml_has_every_node() {
    let release = tree(&loans(), 3).release;
    let text = to_pmml(&release).unwrap();
    assert_eq!(text.matches("<Node ").count(), release.model.nodes.len());
    assert_eq!(text.matches("</Node>").count(), release.model.nodes.len());
    assert!(text.contains("<Array n=\"1\" type=\"string\">&quot;Female&quot;</Array>"));
}

#[test]
fn requirements_that_no_model_meets_are_refused() {
    let loans = loans();
    let asked = |requirement: serde_json::Value| {
        let requirements = vec![serde_json::from_value(requirement).unwrap()];
        grow(&loans, &GrowOptions { requirements, ..GrowOptions::default() }).map(drop)
    };
    let k = |k: u64| asked(json!({"criterion": "k-anonymity", "k": k}));
    assert_eq!(k(13), Err(MineError::KTooLarge { k: 13, records: 12 }));
    assert_eq!(k(0), Err(MineError::KTooLarge { k: 0, records: 12 }));
    assert!(matches!(
        asked(json!({"criterion": "k-map", "k": 2, "population": "p.csv"})),
        Err(MineError::Criterion { reason: crate::error::CriterionProblem::Population, .. })
    ));
    assert!(matches!(
        asked(json!({"criterion": "l-diversity", "l": 3, "kind": "entropy"})),
        Err(MineError::Requirement(_))
    ));
    let same = loans.select(&[9, 10, 11]).unwrap();
    assert!(matches!(
        grow(&same, &GrowOptions::default()),
        Err(MineError::OneClass { column }) if column == "loan_risk"
    ));
}

/// F-AL3: no span of a tree with a confidence limit is more certain than the limit.
#[test]
fn diverse_trees_keep_the_confidence_limit() {
    let loans = loans();
    for limit in [0.95, 0.8, 0.7, 0.6] {
        let requirements = vec![confidence_limit(loans.schema(), limit).unwrap()];
        let release = grow(&loans, &GrowOptions { requirements, ..GrowOptions::default() }).unwrap().release;
        for span in &release.spans {
            let counts: Vec<u64> = span.populations[0].counts.clone();
            let share = *counts.iter().max().unwrap() as f64 / counts.iter().sum::<u64>() as f64;
            assert!(share <= limit + 1e-9, "{limit} {counts:?}");
        }
    }
}

/// A table with hierarchies, numbers, public and private attributes.
fn any_table() -> impl Strategy<Value = Examples> {
    let attribute = (2usize..5, any::<bool>(), 0u8..3);
    let class_is_private = prop::bool::weighted(0.7);
    (prop::collection::vec(attribute, 2..5), class_is_private, 4usize..40, any::<u64>()).prop_map(
        |(attributes, class_is_private, rows, seed)| {
            let mut random = privet_data::Random::new(seed);
            let (mut described, mut columns) = (Vec::new(), Vec::new());
            for (place, (size, is_public, kind)) in attributes.into_iter().enumerate() {
                let visibility = if is_public { Visibility::Public } else { Visibility::Private };
                let names: Vec<String> = (0..size).map(|value| value.to_string()).collect();
                let mut own = Attribute::categories(
                    &format!("a{place}"),
                    visibility,
                    &names.iter().map(String::as_str).collect::<Vec<_>>(),
                );
                let mut numbers = Vec::new();
                match (kind, &mut own.domain) {
                    (1, AttributeDomain::Categories { levels, .. }) if size > 2 => {
                        let node_of = (0..size as u32).map(|code| code / 2).collect::<Vec<_>>();
                        let nodes = node_of.iter().max().unwrap() + 1;
                        levels.push(Level {
                            labels: (0..nodes).map(|node| format!("n{node}")).collect(),
                            node_of,
                            is_grouping: false,
                        });
                    }
                    (2, domain) => {
                        *domain = AttributeDomain::Numbers;
                        numbers = (0..size).map(|value| value as f64).collect();
                    }
                    _ => {}
                }
                described.push(own);
                columns
                    .push(Values { codes: (0..rows).map(|_| random.below(size) as u32).collect(), numbers });
            }
            let visibility = if class_is_private { Visibility::Private } else { Visibility::Public };
            let class = ClassAttribute {
                name: "class".into(),
                visibility,
                values: vec!["x".into(), "y".into(), "z".into()],
            };
            let mut classes: Vec<u32> = (0..rows).map(|_| random.below(3) as u32).collect();
            (classes[0], classes[1]) = (0, 1);
            Examples::new(Schema { attributes: described, class }, columns, classes).unwrap()
        },
    )
}

/// Every record of the domain.
fn domain(examples: &Examples) -> Vec<Vec<Cell>> {
    let schema = examples.schema();
    let mut records: Vec<Vec<Cell>> = vec![Vec::new()];
    for (place, attribute) in schema.attributes.iter().enumerate() {
        let cells: Vec<Cell> = match attribute.domain {
            AttributeDomain::Numbers => {
                examples.column(place).numbers.iter().map(|&number| Cell::Number(number)).collect()
            }
            AttributeDomain::Categories { .. } => (0..attribute.size() as u32).map(Cell::Code).collect(),
        };
        records = records
            .iter()
            .flat_map(|record| cells.iter().map(|&cell| record.iter().copied().chain([cell]).collect()))
            .collect();
    }
    let classes = schema.class.values.len() as u32;
    let with = |record: &Vec<Cell>, class| record.iter().copied().chain([Cell::Code(class)]).collect();
    records
        .iter()
        .flat_map(|record| (0..classes).map(|class| with(record, class)).collect::<Vec<_>>())
        .collect()
}

/// What everybody knows of a record, as a key.
fn public_part(schema: &Schema, record: &[Cell]) -> String {
    let known = |(place, cell): (usize, &Cell)| {
        let is_known = match schema.attributes.get(place) {
            Some(own) => own.visibility == Visibility::Public,
            None => !schema.class_is_private(),
        };
        if is_known { format!("{cell:?}") } else { String::new() }
    };
    record.iter().enumerate().map(known).collect::<Vec<_>>().join(";")
}

/// Definition 5 word by word: per public part the classes of all records of the domain that have it.
fn spans_by_definition(model: &TreeModel, examples: &Examples) -> BTreeMap<String, BTreeSet<Vec<u32>>> {
    let mut spans: BTreeMap<String, BTreeSet<Vec<u32>>> = BTreeMap::new();
    for record in domain(examples) {
        let mut class = model.ends(&record);
        if let Some(Cell::Code(own)) = record.last() {
            class.push(*own);
        }
        spans.entry(public_part(&model.schema, &record)).or_default().insert(class);
    }
    spans
}

fn check_against_definition(model: &TreeModel, examples: &Examples, k: Option<u64>) {
    let by_definition = spans_by_definition(model, examples);
    let oracle = TreeOracle::new(model);
    let mut groups: BTreeMap<BTreeSet<Vec<u32>>, Vec<usize>> = BTreeMap::new();
    let mut keys: BTreeMap<BTreeSet<Vec<u32>>, Vec<u32>> = BTreeMap::new();
    for (row, record) in examples.records().enumerate() {
        let span = &by_definition[&public_part(&model.schema, &record)];
        let mut key = Vec::new();
        oracle.span(&record, &mut key);
        assert_eq!(oracle.classes(&key) == 1, span.len() == 1);
        if model.roots.len() == 1 {
            assert_eq!(oracle.classes(&key), span.len() as u64);
        }
        assert_eq!(keys.entry(span.clone()).or_insert_with(|| key.clone()), &key, "one span, two keys");
        groups.entry(span.clone()).or_default().push(row);
    }
    let distinct: BTreeSet<&Vec<u32>> = keys.values().collect();
    assert_eq!(distinct.len(), keys.len(), "two spans, one key");
    let release = TreeRelease::of(model, examples, &[]).unwrap();
    let mut sizes: Vec<u64> = release.spans.iter().map(SpanCounts::records).collect();
    let mut expected: Vec<u64> = groups.values().map(|rows| rows.len() as u64).collect();
    sizes.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sizes, expected);
    if let Some(k) = k {
        let broken = groups.iter().find(|(span, rows)| span.len() > 1 && (rows.len() as u64) < k);
        assert!(broken.is_none(), "{broken:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// F-AL2: what growing promises holds by Definition 5 on the whole domain, and the release verifies alone.
    #[test]
    fn grown_trees_are_k_anonymous_by_definition(
        table in any_table(), k in 1u64..5, levels in 0u8..3, gini in any::<bool>(), weighted in any::<bool>()
    ) {
        let options = GrowOptions {
            levels: [Levels::All, Levels::LowestFirst, Levels::Pairs][usize::from(levels)],
            gain: if gini { Gain::Gini } else { Gain::Information },
            weighted,
            ..GrowOptions::k_anonymous(k.min(table.len() as u64))
        };
        let grown = grow(&table, &options).unwrap();
        check_against_definition(&grown.release.model, &table, Some(k.min(table.len() as u64)));
        prop_assert!(grown.release.verify().unwrap().holds());
    }

    /// A forest keeps k by its joint spans; every tree may ask everything.
    #[test]
    fn forests_are_k_anonymous_by_definition(table in any_table(), k in 1u64..5) {
        let k = k.min(table.len() as u64);
        let attributes = table.schema().attributes.len();
        let trees = vec![(0..attributes).collect(), (0..attributes).rev().take(1).collect(), vec![0]];
        let grown = grow(&table, &GrowOptions { trees, ..GrowOptions::k_anonymous(k) }).unwrap();
        prop_assert_eq!(grown.release.model.roots.len(), 3);
        check_against_definition(&grown.release.model, &table, Some(k));
        prop_assert!(grown.release.verify().unwrap().holds());
    }

    /// Spans stay groups of at least k when subtrees are cut off.
    #[test]
    fn pruned_trees_are_k_anonymous_by_definition(table in any_table(), k in 1u64..5, z in 0.0f64..2.0) {
        let k = k.min(table.len() as u64);
        let pruning = Pruning::Pessimistic { z };
        let grown = grow(&table, &GrowOptions { pruning, ..GrowOptions::k_anonymous(k) }).unwrap();
        check_against_definition(&grown.release.model, &table, Some(k));
        prop_assert!(grown.release.verify().unwrap().holds());
    }

    /// F-TH4: what was refused at the end is illegal: no split of a finished tree with gain would keep k. All public, class private:
    /// every leaf has no record or at least k (F-PM9), and every cut of a leaf's records that gains leaves fewer.
    #[test]
    fn finished_trees_have_no_legal_split_left(table in any_table(), k in 1u64..5) {
        let mut schema = table.schema().clone();
        schema.attributes.iter_mut().for_each(|own| own.visibility = Visibility::Public);
        schema.class.visibility = Visibility::Private;
        let columns = (0..schema.attributes.len()).map(|own| table.column(own).clone()).collect();
        let table = Examples::new(schema, columns, table.classes().to_vec()).unwrap();
        let k = k.min(table.len() as u64);
        let release = grow(&table, &GrowOptions::k_anonymous(k)).unwrap().release;
        let model = &release.model;
        for leaf in model.leaves() {
            let rows: Vec<usize> =
                (0..table.len()).filter(|&row| model.ends(&table.record(row))[0] == leaf).collect();
            prop_assert!(rows.is_empty() || rows.len() as u64 >= k);
            for (place, attribute) in model.schema.attributes.iter().enumerate() {
                let column = table.column(place);
                let splits: Vec<Vec<u32>> = match attribute.domain {
                    AttributeDomain::Numbers => (0..column.numbers.len() as u32)
                        .map(|cut| rows.iter().map(|&row| u32::from(column.codes[row] > cut)).collect())
                        .collect(),
                    AttributeDomain::Categories { .. } => (0..=attribute.levels().len())
                        .map(|level| rows.iter().map(|&row| attribute.node(level, column.codes[row])).collect())
                        .collect(),
                };
                for answers in splits {
                    let mut counts = vec![0u32; 3 * 5];
                    let mut total = vec![0u32; 3];
                    for (&row, &answer) in rows.iter().zip(&answers) {
                        counts[answer as usize * 3 + table.classes()[row] as usize] += 1;
                        total[table.classes()[row] as usize] += 1;
                    }
                    let gains = Gain::Information.of(&total, &counts) > 1e-9;
                    let is_legal = counts.chunks(3).map(|own| u64::from(own.iter().sum::<u32>()))
                        .all(|size| size == 0 || size >= k);
                    prop_assert!(!(gains && is_legal));
                }
            }
        }
    }

    /// F-TH2: private values of people in spans of one class may change without changing the release.
    #[test]
    fn silent_spans_tell_nothing_of_private_values(table in any_table(), seed in any::<u64>()) {
        let mut schema = table.schema().clone();
        schema.class.visibility = Visibility::Public;
        let columns: Vec<Values> = (0..schema.attributes.len()).map(|own| table.column(own).clone()).collect();
        let table = Examples::new(schema.clone(), columns.clone(), table.classes().to_vec()).unwrap();
        let release = grow(&table, &GrowOptions { max_depth: 2, ..GrowOptions::k_anonymous(1) }).unwrap().release;
        let oracle = TreeOracle::new(&release.model);
        let mut random = privet_data::Random::new(seed);
        let mut changed = columns;
        for row in 0..table.len() {
            let mut key = Vec::new();
            oracle.span(&table.record(row), &mut key);
            for (place, column) in changed.iter_mut().enumerate() {
                if oracle.classes(&key) == 1 && !schema.is_public(place) {
                    let size = schema.attributes[place].size().max(column.numbers.len());
                    column.codes[row] = random.below(size) as u32;
                }
            }
        }
        let changed = Examples::new(schema, changed, table.classes().to_vec()).unwrap();
        prop_assert_eq!(TreeRelease::of(&release.model, &changed, &release.requirements).unwrap(), release);
    }

    /// F-AL6: the recoded records of a tree with public attributes and a private class are k-anonymous.
    #[test]
    fn recoded_records_are_k_anonymous(table in any_table(), k in 1u64..5, pairs: bool) {
        prop_assume!(table.schema().class_is_private());
        let k = k.min(table.len() as u64);
        let options = GrowOptions { levels: if pairs { Levels::Pairs } else { Levels::All }, ..GrowOptions::k_anonymous(k) };
        let recoded = recode(&grow(&table, &options).unwrap().release.model, &table).unwrap();
        let mut sizes: BTreeMap<&Vec<String>, u64> = BTreeMap::new();
        for &group in &recoded.group_of {
            *sizes.entry(&recoded.labels[group as usize]).or_default() += 1;
        }
        prop_assert!(sizes.values().all(|&size| size >= k));
    }
}
