//! The facts of the owner's page as JSON. What is no number is `null`.

use privet_release::Manifest;
use serde_json::{Value, json};

use crate::draw::scatter::front;
use crate::json::{labels, plain, promises, tree};
use crate::sections::attacks::{among, beside};
use crate::{Assessment, Facts};

use super::attacks_of;
use super::verdict::{judge, worst_of};

/// The layout of the file.
const FORMAT: u32 = 1;

const NOTE: &str = "For the owner of the original only. Do not publish this file.";

/// Whether a text is such a file.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|own| own["note"] == NOTE)
}

pub(crate) fn json(manifest: &Manifest, facts: &Facts, assessment: &Assessment) -> Value {
    let attacks = attacks_of(facts, assessment);
    let worst = worst_of(attacks, assessment);
    let mut assessed = tree(assessment);
    put(&mut assessed, "attacks", tree(&attacks));
    columns(&mut assessed, assessment);
    candidates(&mut assessed, assessment);
    json!({
        "format": FORMAT,
        "note": NOTE,
        "title": facts.title,
        "verdict": {
            "judgement": judge(attacks, assessment),
            "attack": worst.map(|worst| worst.attack),
            "column": worst.and_then(|worst| worst.column.as_deref()),
            "risk": worst.map(|worst| worst.risk),
            "added": worst.map(|worst| worst.added()),
            "accepted": assessment.max_risk,
            "accepted_absolute": assessment.max_absolute_risk,
            "insensitive_columns": beside(manifest, attacks).map(|own| plain(&own)),
            "sensitive_columns": among(attacks).map(|own| plain(&own)),
            "promises": crate::sections::verdict::summary(manifest).heading,
        },
        "promises": promises(manifest),
        "assessment": assessed,
        "labels": labels(manifest, facts),
        "reproduce": facts.reproduce,
        "manifest": tree(manifest),
    })
}

fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

/// Beside each column the distance that the page tells.
fn columns(assessed: &mut Value, assessment: &Assessment) {
    let Some(utility) = &assessment.utility else { return };
    let Some(columns) = assessed.pointer_mut("/utility/columns").and_then(Value::as_array_mut) else {
        return;
    };
    for (own, column) in columns.iter_mut().zip(&utility.columns) {
        put(own, "total_variation", tree(&column.total_variation()));
    }
}

/// Beside each candidate whether it is on the front.
fn candidates(assessed: &mut Value, assessment: &Assessment) {
    let mut is_on_front = vec![false; assessment.candidates.len()];
    for i in front(&assessment.candidates) {
        if let Some(own) = is_on_front.get_mut(i) {
            *own = true;
        }
    }
    let Some(all) = assessed.pointer_mut("/candidates").and_then(Value::as_array_mut) else { return };
    for (own, is_on_front) in all.iter_mut().zip(is_on_front) {
        put(own, "front", Value::Bool(is_on_front));
    }
}
