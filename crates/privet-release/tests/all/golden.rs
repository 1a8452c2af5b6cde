//! The worked tables of the sources as releases: their promises hold, and no stronger ones do.

use crate::common;

use std::collections::BTreeMap;

use common::{Fixture, assert_broken, assert_holds};
use privet_release::manifest::Evidence;
use serde_json::{Value, json};

const MEDICAL: [(&str, &str); 5] = [
    ("age", "quasi"),
    ("gender", "quasi"),
    ("zip", "quasi"),
    ("nationality", "quasi"),
    ("condition", "sensitive"),
];

/// survey FX-1.2: classes {1-4}, {5-8}, {9-12}.
fn fx_1_2() -> Fixture {
    let class = |age, zip, nation, conditions: [&'static str; 4]| {
        conditions.map(|condition| vec![age, "Any", zip, nation, condition])
    };
    let rows: Vec<Vec<&str>> = [
        class("20-29", "130**", "Any", ["HD", "HD", "VI", "VI"]),
        class("40-59", "14***", "Asian", ["Ca", "Flu", "HD", "Flu"]),
        class("30-39", "1322*", "American", ["Ca", "Ca", "Ca", "Ca"]),
    ]
    .concat();
    Fixture::new(&MEDICAL, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// survey FX-1.3: records in the order of FX-1.1, so the classes lie scattered.
fn fx_1_3() -> Fixture {
    let f = ["20-59", "F", "1****", "Any"];
    let m = ["20-59", "M", "1****", "Asian"];
    let a = ["20-39", "M", "13***", "American"];
    let classes = [f, m, f, a, m, m, m, f, a, f, a, a];
    let conditions = ["HD", "HD", "VI", "VI", "Ca", "Flu", "HD", "Flu", "Ca", "Ca", "Ca", "Ca"];
    let rows: Vec<Vec<&str>> =
        classes.iter().zip(conditions).map(|(qi, condition)| [&qi[..], &[condition]].concat()).collect();
    Fixture::new(&MEDICAL, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn k(k: u64) -> Value {
    json!({"criterion": "k-anonymity", "k": k})
}

fn distinct(l: f64) -> Value {
    json!({"criterion": "l-diversity", "kind": "distinct", "l": l, "column": "condition"})
}

fn entropy(l: f64) -> Value {
    json!({"criterion": "l-diversity", "kind": "entropy", "l": l, "column": "condition"})
}

#[test]
fn survey_fx_1_2_is_exactly_4_anonymous_and_homogeneous() {
    let verdict =
        fx_1_2().promise(k(4), 4.0, 1).promise(distinct(1.0), 1.0, 9).promise(entropy(1.0), 1.0, 9).verdict();
    assert_holds(&verdict);
    assert_broken(&fx_1_2().promise(k(5), 4.0, 1).verdict(), "k-anonymity");
    assert_broken(&fx_1_2().promise(distinct(2.0), 1.0, 9).verdict(), "l-diversity");
}

#[test]
fn survey_fx_1_3_is_4_anonymous_with_entropy_1_7548() {
    let reached = 2f64.powf(0.811_278_124_459_132_9);
    // Its worst class is the third to appear, at record 4.
    assert_holds(&fx_1_3().promise(k(4), 4.0, 1).promise(entropy(1.75), reached, 4).verdict());
    assert_broken(&fx_1_3().promise(entropy(1.76), reached, 4).verdict(), "l-diversity");
    let alpha_k = |alpha: f64| json!({"criterion": "alpha-k", "alpha": alpha, "k": 4, "column": "condition"});
    assert_holds(&fx_1_3().promise(alpha_k(0.75), 0.75, 4).verdict());
    assert_broken(&fx_1_3().promise(alpha_k(0.74), 0.75, 4).verdict(), "alpha-k");
}

/// survey FX-2.3 and FX-2.4 in hundreds of people.
fn t_pair(classes: &[(&'static str, &'static str, usize, usize)]) -> Fixture {
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for &(age, sex, flu, cancer) in classes {
        rows.extend(vec![vec![age, sex, "Flu"]; flu]);
        rows.extend(vec![vec![age, sex, "Ca"]; cancer]);
    }
    let columns = [("age", "quasi"), ("sex", "quasi"), ("condition", "sensitive")];
    Fixture::new(&columns, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn closeness(kind: &str, t: f64) -> Value {
    json!({"criterion": "t-closeness", "kind": kind, "t": t, "column": "condition"})
}

#[test]
fn survey_fx_2_3_and_2_4_the_t_closeness_pair() {
    let same = t_pair(&[("<40", "M", 400, 200), (">=40", "M", 400, 200), (">=40", "F", 400, 200)]);
    assert_holds(&same.promise(closeness("equal", 0.0), 0.0, 1).promise(k(600), 600.0, 1).verdict());
    let apart = t_pair(&[
        ("<20", "M", 400, 0),
        ("20-40", "M", 0, 200),
        (">=40", "M", 400, 200),
        (">=40", "F", 400, 200),
    ]);
    let two_thirds = 2.0 / 3.0;
    let held =
        apart.clone().promise(closeness("variational", 0.67), two_thirds, 401).promise(k(200), 200.0, 401);
    assert_holds(&held.verdict());
    assert_broken(&apart.promise(closeness("equal", 0.6), two_thirds, 401).verdict(), "t-closeness");
}

/// papers FX-L2 and FX-L3.
fn figure(classes: [(&'static str, &'static str, [&'static str; 4]); 3]) -> Fixture {
    let rows: Vec<Vec<&str>> = classes
        .iter()
        .flat_map(|(zip, age, conditions)| conditions.map(|condition| vec![*zip, *age, "*", condition]))
        .collect();
    let columns = [("zip", "quasi"), ("age", "quasi"), ("nationality", "quasi"), ("condition", "sensitive")];
    Fixture::new(&columns, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn fx_l3() -> Fixture {
    figure([
        ("1305*", "<=40", ["HD", "VI", "Ca", "Ca"]),
        ("1485*", ">40", ["Ca", "HD", "VI", "VI"]),
        ("1306*", "<=40", ["HD", "VI", "Ca", "Ca"]),
    ])
}

#[test]
fn papers_fx_l2_figure_2() {
    let release = figure([
        ("130**", "<30", ["HD", "HD", "VI", "VI"]),
        ("1485*", ">=40", ["Ca", "HD", "VI", "VI"]),
        ("130**", "3*", ["Ca", "Ca", "Ca", "Ca"]),
    ]);
    assert_eq!(release.manifest().metrics["discernibility"], 48.0);
    let release = release
        .promise(k(4), 4.0, 1)
        .promise(entropy(1.0), 1.0, 9)
        .promise(closeness("variational", 0.6), 7.0 / 12.0, 9)
        .promise(closeness("kl", 0.9), (12f64 / 5.0).ln(), 9);
    assert_holds(&release.verdict());
}

#[test]
fn papers_fx_l3_figure_3_is_2_8_diverse() {
    let recursive = |c: f64, l: f64| json!({"criterion": "l-diversity", "kind": "recursive", "c": c, "l": l, "column": "condition"});
    let release = fx_l3()
        .promise(distinct(3.0), 3.0, 1)
        .promise(entropy(2.8), 2f64.powf(1.5), 5)
        .promise(recursive(2.1, 3.0), 2.0, 1)
        .promise(recursive(1.1, 2.0), 1.0, 1)
        .promise(closeness("variational", 0.2), 1.0 / 6.0, 5);
    assert_holds(&release.verdict());
    assert_broken(&fx_l3().promise(recursive(2.0, 3.0), 2.0, 1).verdict(), "l-diversity");
    assert_broken(&fx_l3().promise(recursive(1.0, 2.0), 1.0, 1).verdict(), "l-diversity");
    // KL .07503 in the second block.
    let kl: f64 = 0.25 * (0.25f64 / (5.0 / 12.0)).ln()
        + 0.25 * (0.25f64 / 0.25).ln()
        + 0.5 * (0.5f64 / (1.0 / 3.0)).ln();
    assert!((kl - 0.07503).abs() < 1e-5);
    assert_holds(&fx_l3().promise(closeness("kl", 0.08), kl, 5).verdict());
}

/// thesis Tables 3.2, 3.4 and 3.5.
fn thesis(classes: [([&'static str; 3], [&'static str; 4]); 3]) -> Fixture {
    let rows: Vec<Vec<&str>> =
        classes.iter().flat_map(|(qi, values)| values.map(|value| [&qi[..], &[value]].concat())).collect();
    let columns = [("age", "quasi"), ("country", "quasi"), ("zip", "quasi"), ("disease", "sensitive")];
    Fixture::new(&columns, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn p_sensitive(p: u64, plus: bool, alpha: Option<f64>) -> Value {
    let categories =
        [["HIV", "Cancer"], ["Phthisis", "Hepatitis"], ["Obesity", "Asthma"], ["Flu", "Indigestion"]];
    json!({"criterion": "p-sensitivity", "p": p, "k": 4, "plus": plus, "alpha": alpha, "categories": categories,
           "column": "disease"})
}

#[test]
fn thesis_1_4_table_3_2_is_2_sensitive_and_not_2_plus_sensitive() {
    let table = || {
        thesis([
            (["<30", "America", "142**"], ["HIV", "HIV", "Cancer", "Cancer"]),
            ([">40", "Asia", "130**"], ["Hepatitis", "Phthisis", "Asthma", "Obesity"]),
            (["3*", "America", "142**"], ["Flu", "Flu", "Flu", "Indigestion"]),
        ])
    };
    assert_holds(&table().promise(p_sensitive(2, false, None), 2.0, 1).promise(k(4), 4.0, 5).verdict());
    assert_broken(&table().promise(p_sensitive(2, true, None), 1.0, 1).verdict(), "p-sensitivity");
}

#[test]
fn thesis_1_6_table_3_4_is_2_plus_sensitive_with_weight_2() {
    let table = || {
        thesis([
            (["<40", "America", "1424*"], ["HIV", "Cancer", "Flu", "Indigestion"]),
            ([">40", "Asia", "130**"], ["Hepatitis", "Phthisis", "Asthma", "Obesity"]),
            (["<40", "America", "1420*"], ["HIV", "Cancer", "Flu", "Flu"]),
        ])
    };
    assert_holds(&table().promise(p_sensitive(2, true, Some(2.0)), 2.0, 1).verdict());
    assert_broken(&table().promise(p_sensitive(2, true, Some(2.01)), 2.0, 1).verdict(), "p-sensitivity");
}

#[test]
fn thesis_1_7_table_3_5_is_3_1_sensitive() {
    let table = || {
        thesis([
            (["<40", "America", "142**"], ["HIV", "HIV", "Cancer", "Flu"]),
            ([">40", "Asia", "130**"], ["Hepatitis", "Phthisis", "Asthma", "Obesity"]),
            (["<40", "America", "14***"], ["Cancer", "Flu", "Flu", "Indigestion"]),
        ])
    };
    assert_holds(&table().promise(p_sensitive(3, false, Some(1.0)), 3.0, 1).verdict());
    assert_broken(&table().promise(p_sensitive(3, false, Some(1.5)), 3.0, 1).verdict(), "p-sensitivity");
}

/// papers FX-T3: rows 1, 3, 6 and rows 2, 4, 5 of Table 20.1.
fn fx_t3() -> Fixture {
    let northeast = ["(20,30]", "Northeastern US"];
    let west = ["(30,40]", "Western US"];
    let rows = [
        (northeast, "HIV"),
        (west, "Hepatitis C"),
        (northeast, "HIV"),
        (west, "Hepatitis C"),
        (west, "Diabetes"),
        (northeast, "HIV"),
    ];
    let rows: Vec<Vec<&str>> = rows.iter().map(|(qi, value)| [&qi[..], &[*value]].concat()).collect();
    let columns = [("age", "quasi"), ("region", "quasi"), ("condition", "sensitive")];
    Fixture::new(&columns, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

#[test]
fn papers_fx_t3_in_every_distance() {
    let mut matrix = closeness("matrix", 0.34);
    matrix["costs"] = json!([["HIV", "Hepatitis C", 0.5]]);
    let path =
        |value: &str, branch: &str| (value.to_owned(), [value, branch, "any"].map(String::from).to_vec());
    // HIV and hepatitis C under one branch are half as far apart as the rest: the same costs.
    let tree = [path("HIV", "virus"), path("Hepatitis C", "virus"), path("Diabetes", "other")];
    let hierarchy = Evidence { ancestors: Some(BTreeMap::from(tree)), ..Evidence::default() };
    let ranks =
        [("HIV", 0), ("Hepatitis C", 1), ("Diabetes", 2)].map(|(value, rank)| (value.to_owned(), rank));
    let order = Evidence { ranks: Some(ranks.into()), domain_size: Some(3), ..Evidence::default() };
    let release = fx_t3()
        .promise(k(3), 3.0, 1)
        .promise(closeness("variational", 0.5), 0.5, 1)
        .promise(closeness("equal", 0.5), 0.5, 2)
        .promise(closeness("kl", 0.7), 2f64.ln(), 1)
        .promise(matrix, 1.0 / 3.0, 1)
        .promise_with(closeness("hierarchical", 0.4), 1.0 / 3.0, 2, hierarchy)
        // Shares 1, 0, 0 against 1/2, 1/3, 1/6: (1/2 + 1/6) / 2.
        .promise_with(closeness("ordered", 0.4), 1.0 / 3.0, 1, order);
    assert_eq!(release.manifest().metrics["discernibility"], 18.0);
    assert_holds(&release.verdict());
}

#[test]
fn survey_pm_24_concepts_are_counted_instead_of_values() {
    // FX-2.F1: ulcer 3, dyspepsia 3, gastroenteritis 4.
    let mut rows: Vec<&[&str]> = vec![&["*", "ulcer"]; 3];
    rows.extend(vec![&["*", "dyspepsia"] as &[&str]; 3]);
    rows.extend(vec![&["*", "gastroenteritis"] as &[&str]; 4]);
    let class = || Fixture::new(&[("age", "quasi"), ("condition", "sensitive")], &rows);
    assert_holds(&class().promise(distinct(3.0), 3.0, 1).verdict());
    let concepts = json!({"criterion": "concept-diversity", "l": 2, "column": "condition",
        "concepts": {"stomach": ["ulcer", "dyspepsia", "gastroenteritis"]}});
    assert_broken(&class().promise(concepts, 1.0, 1).verdict(), "concept-diversity");
}

#[test]
fn papers_fx_l5_several_sensitive_columns() {
    let rows: [&[&str]; 4] = [&["*", "s1", "v1"], &["*", "s1", "v2"], &["*", "s2", "v3"], &["*", "s3", "v3"]];
    let table = || Fixture::new(&[("age", "quasi"), ("s", "sensitive"), ("v", "sensitive")], &rows);
    let plain = |column: &str| json!({"criterion": "l-diversity", "l": 3, "column": column});
    assert_holds(&table().promise(plain("s"), 3.0, 1).promise(plain("v"), 3.0, 1).verdict());
    let multi = json!({"criterion": "l-diversity", "l": 2, "multi-attribute": true});
    assert_broken(&table().promise(multi, 1.0, 1).verdict(), "l-diversity");
}

#[test]
fn likeness_and_disclosure_against_the_whole_table() {
    // Shares 1/2, 1/4, 1/4 in the second block of FX-L3 against 5/12, 1/4, 1/3 in the table.
    let beta = |beta: f64, kind: &str| json!({"criterion": "beta-likeness", "beta": beta, "kind": kind, "column": "condition"});
    // The second block: VI 1/2 against 1/3.
    assert_holds(&fx_l3().promise(beta(0.5, "basic"), 0.5, 5).verdict());
    assert_holds(&fx_l3().promise(beta(0.9, "enhanced"), 0.5, 5).verdict());
    assert_broken(&fx_l3().promise(beta(0.4, "basic"), 0.5, 5).verdict(), "beta-likeness");
    let delta = |delta: f64| json!({"criterion": "delta-disclosure", "delta": delta, "column": "condition"});
    // The second block: Ca 1/4 against 5/12.
    let reached = (5f64 / 3.0).ln();
    assert_holds(&fx_l3().promise(delta(0.52), reached, 5).verdict());
    assert_broken(&fx_l3().promise(delta(0.5), reached, 5).verdict(), "delta-disclosure");
    assert_broken(&fx_1_2().promise(delta(5.0), 1.0, 1).verdict(), "delta-disclosure");
}

fn ck(c: f64, k: u64) -> Value {
    json!({"criterion": "c-k-safety", "c": c, "k": k, "column": "condition"})
}

/// A release of classes with these counts of conditions.
fn counted(classes: &[&[usize]]) -> Fixture {
    let mut fixture = Fixture::new(&[("zip", "quasi"), ("condition", "sensitive")], &[]);
    for (class, counts) in classes.iter().enumerate() {
        for (value, &count) in counts.iter().enumerate() {
            fixture
                .rows
                .extend((0..count).map(|_| vec![format!("zip {class}"), format!("condition {value}")]));
        }
    }
    fixture
}

/// survey PM-12: k = 0 reaches 3/4 on all of FX-1.3, and 1/2, 3/4 and 1 on its first two classes and on
/// {a,a,b,c,d},{a,b,b,c}.
#[test]
fn survey_pm_12_safety_against_implications() {
    assert_holds(&fx_1_3().promise(ck(0.76, 0), 0.75, 4).verdict());
    assert_broken(&fx_1_3().promise(ck(0.75, 0), 0.75, 4).verdict(), "c-k-safety");
    assert_broken(&fx_1_3().promise(ck(1.0, 1), 1.0, 4).verdict(), "c-k-safety");
    let letters = || counted(&[&[2, 1, 1, 1], &[1, 2, 1]]);
    assert_holds(&letters().promise(ck(0.6, 0), 0.5, 6).verdict());
    assert_holds(&letters().promise(ck(0.8, 1), 0.75, 6).verdict());
    assert_broken(&letters().promise(ck(1.0, 2), 1.0, 1).verdict(), "c-k-safety");
    assert!(!letters().promise(ck(1.0, 21), 1.0, 1).verdict().holds(), "too much to go through");
    assert!(!letters().promise(ck(f64::MAX, 0), 0.5, 6).verdict().holds());
}

/// survey TH-09: 4/5 and 15/19 alone, 25/31 together, in the second class.
#[test]
fn survey_th_09_classes_are_looked_at_together() {
    let both = || counted(&[&[4, 4, 1, 1], &[5, 3, 1, 1, 1]]);
    assert_holds(&both().promise(ck(0.81, 2), 25.0 / 31.0, 11).verdict());
    assert_broken(&both().promise(ck(0.805, 2), 25.0 / 31.0, 11).verdict(), "c-k-safety");
    // What each class reaches by itself is not what the table reaches.
    assert!(!both().promise(ck(0.81, 2), 4.0 / 5.0, 1).verdict().holds());
    assert_holds(&counted(&[&[4, 4, 1, 1]]).promise(ck(0.805, 2), 4.0 / 5.0, 1).verdict());
}

/// survey PM-14 on the buckets of PM-13: (0,0,0) reaches 1/2, (1,0,1) 6/7.
#[test]
fn survey_pm_14_every_point_and_every_value_with_its_own() {
    let buckets = || counted(&[&[1, 1, 1, 1], &[2, 1, 0, 1]]);
    let skyline = |c: f64, own: Option<f64>| {
        let mut asked = json!({"criterion": "three-d", "column": "condition",
                               "points": [{"c": c}, {"l": 1, "m": 1, "c": 0.9}]});
        if let Some(own) = own {
            asked["values"] = json!({"condition 0": {"c": own}});
        }
        asked
    };
    let share = 6.0 / 7.0 / 0.9;
    assert_holds(&buckets().promise(skyline(0.6, None), share, 5).verdict());
    assert_broken(&buckets().promise(skyline(0.5, None), 1.0, 5).verdict(), "three-d");
    // Of the other values none has more than 1/4 by itself; the first has a bound of its own.
    let own = |own: f64| {
        buckets().promise(
        json!({"criterion": "three-d", "c": 0.3, "values": {"condition 0": {"c": own}, "nowhere": {"c": 0.1}},
               "column": "condition"}),
        (0.5 / own).max(0.25 / 0.3),
        5,
    )
    };
    assert_holds(&own(0.6).verdict());
    assert_broken(&own(0.5).verdict(), "three-d");
    let only = json!({"criterion": "three-d", "values": {"condition 1": {"c": 0.26}}, "column": "condition"});
    assert_holds(&buckets().promise(only, 0.25, 5).verdict());
    let none = json!({"criterion": "three-d", "column": "condition"});
    assert!(!buckets().promise(none, 0.5, 5).verdict().holds());
}
