//! Hand-written models: FX-F2 and the traps of F-AL2, and rules as in FX-F5.

use serde_json::{Value, json};

use privet_data::Silent;

use super::{Promised, judged, rules, tree};

/// FX-F2: sports car, then marital status where there is one. Public is what `public` names.
fn cars(public: &[&str], spans: Value) -> Value {
    let attribute = |name: &str, values: [&str; 2]| {
        let visibility = if public.contains(&name) { "public" } else { "private" };
        json!({ "name": name, "visibility": visibility, "domain": { "categories": { "values": values } } })
    };
    json!({
        "version": 1, "records": 6, "requirements": [],
        "model": {
            "schema": {
                "attributes": [attribute("marital", ["Married", "Unmarried"]), attribute("sports_car", ["No", "Yes"])],
                "class": { "name": "loan_risk", "visibility": "private", "values": ["Bad", "Good"] }
            },
            "roots": [0],
            "nodes": [
                { "test": { "test": "category", "attribute": 1, "level": 0 }, "children": [1, 2] },
                {},
                { "test": { "test": "category", "attribute": 0, "level": 0 }, "children": [3, 4] },
                {}, {}
            ]
        },
        "spans": spans
    })
}

fn population(leaf: usize, bad: u64, good: u64) -> Value {
    json!({ "leaves": [leaf], "counts": [bad, good] })
}

/// Marital status public, sports car private: two spans of three people, whatever the leaves hold.
fn private_car() -> Value {
    cars(
        &["marital"],
        json!([
            { "leaves": [1, 3], "populations": [population(1, 2, 0), population(3, 0, 1)] },
            { "leaves": [1, 4], "populations": [population(1, 1, 0), population(4, 1, 1)] }
        ]),
    )
}

#[test]
fn fx_f2_private_car_is_3_anonymous() {
    let model = private_car();
    let spans = tree::spans(&model).unwrap();
    assert!(spans.spans.iter().all(|span| span.records == 3 && span.tells));
    let asked = |k: u64, reached: f64| {
        judged(
            &Promised::new("k-anonymous-spans").with("k", k).reaching(reached),
            &spans,
            &json!({ "model": model }),
        )
        .ok
    };
    assert!(asked(3, 3.0) && asked(1, 3.0));
    assert!(!asked(4, 3.0) && !asked(3, 2.0) && !asked(0, 3.0) && !asked(7, 3.0));
    let limit = |limit: f64, l: f64| {
        judged(&Promised::new("span-confidence").with("limit", limit).with("l", l), &spans, &model).ok
    };
    let entropy = |q: f64| (-q * q.log2() - (1.0 - q) * (1.0 - q).log2()).exp2();
    assert!(limit(0.7, entropy(0.7)) && !limit(0.6, entropy(0.6)) && !limit(0.7, 1.0));
    assert!(!judged(&Promised::new("other"), &spans, &model).ok);
}

/// Spans of two bad and one good, and of the reverse, by every privacy model that tables are judged by.
#[test]
fn privacy_models_are_judged_on_spans() {
    let mut model = private_car();
    model["spans"][1]["populations"][0] = population(1, 0, 1);
    let spans = tree::spans(&model).unwrap();
    let holds = |parameters: &[(&str, Value)]| {
        let promised = parameters
            .iter()
            .fold(Promised::new("span-criterion"), |own, (name, value)| own.with(*name, value.clone()));
        judged(&promised, &spans, &json!({ "model": model })).ok
    };
    let diversity = |kind: &str, l: f64| {
        holds(&[("criterion", json!("l-diversity")), ("kind", json!(kind)), ("l", json!(l))])
    };
    assert!(diversity("distinct", 2.0) && !diversity("distinct", 3.0));
    // Two of three have one class.
    let third: f64 = 1.0 / 3.0;
    let entropy = (-third * third.log2() - 2.0 * third * (2.0 * third).log2()).exp2();
    assert!(diversity("entropy", entropy - 1e-6) && !diversity("entropy", entropy + 1e-6));
    let recursive = |c: f64| {
        holds(&[
            ("criterion", json!("l-diversity")),
            ("kind", json!("recursive")),
            ("l", json!(2.0)),
            ("c", json!(c)),
        ])
    };
    assert!(recursive(2.1) && !recursive(1.9));
    let close = |t: f64| {
        holds(&[("criterion", json!("t-closeness")), ("kind", json!("variational")), ("t", json!(t))])
    };
    // Three of six are bad, and two or one of three in a span.
    assert!(close(0.17) && !close(0.16));
    assert!(!holds(&[("criterion", json!("unheard-of"))]) && !holds(&[]));
}

#[test]
fn spans_that_nobody_has_are_found() {
    // With both public, a person stands in one leaf: the spans of the private car are none.
    let mut model = private_car();
    model["model"]["schema"]["attributes"][1]["visibility"] = json!("public");
    assert!(tree::spans(&model).is_err());
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut model = private_car();
        change(&mut model);
        tree::spans(&model).err().is_some()
    };
    assert!(wrong(&|own| own["spans"][0]["leaves"] = json!([1])));
    assert!(wrong(&|own| own["spans"][0]["leaves"] = json!([1, 3, 4])));
    assert!(wrong(&|own| own["spans"][1] = own["spans"][0].clone()));
    assert!(wrong(&|own| own["spans"][0]["populations"][0] = population(4, 2, 0)));
    assert!(wrong(&|own| own["spans"][0]["class"] = json!(0)));
    assert!(wrong(&|own| own["model"]["nodes"][0]["children"] = json!([1])));
    assert!(wrong(&|own| own["model"]["nodes"][2]["children"] = json!([3, 3])));
    assert!(wrong(&|own| own["model"]["nodes"][2]["children"] = json!([3, null])));
    assert!(wrong(&|own| own["version"] = json!(2)));
    assert!(wrong(&|own| own["model"]["extra"] = json!(2)));
}

/// FX-F5: spans of 888 (one class), 82 and 30.
fn fx_f5() -> Value {
    let rule = |antecedent: &[u32], consequent: u32, support: u64, count: u64| {
        json!({
            "antecedent": antecedent, "consequent": [consequent], "support": support,
            "antecedent_support": count, "consequent_support": null
        })
    };
    json!({
        "version": 1, "records": 1000, "k": 30, "items": ["candles", "cherries", "tylenol", "viagra"], "private": [2, 3],
        "rules": [rule(&[1], 3, 84, 112), rule(&[0, 1], 2, 24, 30)],
        "spans": [
            { "states": [0, 0], "records": 888 }, { "states": [2, 0], "records": 82 }, { "states": [2, 2], "records": 30 }
        ]
    })
}

#[test]
fn fx_f5_rules_are_30_anonymous() {
    let model = fx_f5();
    let spans = rules::spans(&model).unwrap();
    let told: Vec<(u64, bool)> = spans.spans.iter().map(|span| (span.records, span.tells)).collect();
    assert_eq!(told, [(888, false), (82, true), (30, true)]);
    let asked = |k: u64| {
        let promised = Promised::new("k-anonymous-spans").with("k", k).reaching(30.0);
        judged(&promised, &spans, &json!({ "model": model })).ok
    };
    assert!(asked(30) && !asked(31));
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut model = fx_f5();
        change(&mut model);
        rules::spans(&model).err().is_some()
    };
    // 200 people with viagra, 84 of them among the 112 with cherries, would tell of 116 others.
    assert!(wrong(&|own| own["rules"][0]["consequent_support"] = json!(200)));
    // Nobody has the second antecedent without the first.
    assert!(wrong(&|own| own["spans"][2]["states"] = json!([0, 2])));
    // Every person has all of a private consequent's public part.
    assert!(wrong(&|own| own["spans"][1]["states"] = json!([1, 0])));
    assert!(wrong(&|own| own["rules"][0]["antecedent_support"] = json!(113)));
    assert!(wrong(&|own| own["rules"][0]["support"] = json!(113)));
    assert!(wrong(&|own| own["private"] = json!([4])));
}

/// The supports 112 and 84 tell of 28 people with cherries and no viagra; 30 and 24 of six.
#[test]
fn patterns_of_few_are_found() {
    let promised = |k: u64| Promised::new("k-anonymous-patterns").with("k", k);
    let holds = |model: &Value, k: u64| rules::patterns(&promised(k), model, &Silent).unwrap().ok;
    let mut model = fx_f5();
    assert!(holds(&model, 6) && !holds(&model, 7) && !holds(&model, 0) && !holds(&model, 1001));
    model["rules"].as_array_mut().unwrap().pop();
    assert!(holds(&model, 28) && !holds(&model, 29));
    // The same rule again, with another support: one of both is wrong.
    let mut twice = model.clone();
    let mut other = model["rules"][0].clone();
    other["support"] = json!(80);
    twice["rules"].as_array_mut().unwrap().push(other);
    assert!(!holds(&twice, 28));
    // More people with both sides than with one.
    model["rules"][0]["support"] = json!(113);
    assert!(!holds(&model, 1));
}
