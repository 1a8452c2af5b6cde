//! A tree as PMML 4.4, which other programs read. It holds the tree and its populations by leaf, no spans: whoever verifies needs the
//! JSON of [`super::TreeRelease`].

use std::fmt::Write;

use super::{Test, TreeRelease};
use crate::{AttributeDomain, MineError};

/// The model as a PMML document.
///
/// # Errors
/// When the model has more than one tree.
pub fn to_pmml(release: &TreeRelease) -> Result<String, MineError> {
    let model = &release.model;
    let [root] = model.roots[..] else {
        let value = model.roots.len() as f64;
        return Err(MineError::Parameter { name: "trees", value, accepted: "1 for PMML" });
    };
    let schema = &model.schema;
    let mut out = String::new();
    out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str("<PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n");
    out.push_str("  <Header><Application name=\"privet\"/></Header>\n");
    let _ = writeln!(out, "  <DataDictionary numberOfFields=\"{}\">", schema.attributes.len() + 1);
    for attribute in &schema.attributes {
        match &attribute.domain {
            AttributeDomain::Categories { values, .. } => field(&mut out, &attribute.name, values),
            AttributeDomain::Numbers => {
                let name = escaped(&attribute.name);
                let _ = writeln!(
                    out,
                    "    <DataField name=\"{name}\" optype=\"continuous\" dataType=\"double\"/>"
                );
            }
        }
    }
    field(&mut out, &schema.class.name, &schema.class.values);
    out.push_str("  </DataDictionary>\n");
    out.push_str(
        "  <TreeModel functionName=\"classification\" missingValueStrategy=\"lastPrediction\" \
         noTrueChildStrategy=\"returnLastPrediction\" splitCharacteristic=\"multiSplit\">\n    <MiningSchema>\n",
    );
    for attribute in &schema.attributes {
        let _ = writeln!(out, "      <MiningField name=\"{}\"/>", escaped(&attribute.name));
    }
    let class = escaped(&schema.class.name);
    let _ = writeln!(out, "      <MiningField name=\"{class}\" usageType=\"target\"/>\n    </MiningSchema>");
    Writer { release, predictor: release.predictor(), counts: release.node_counts(), out: &mut out }
        .node(root, "<True/>", 2);
    out.push_str("  </TreeModel>\n</PMML>\n");
    Ok(out)
}

fn field(out: &mut String, name: &str, values: &[String]) {
    let name = escaped(name);
    let _ = writeln!(out, "    <DataField name=\"{name}\" optype=\"categorical\" dataType=\"string\">");
    for value in values {
        let _ = writeln!(out, "      <Value value=\"{}\"/>", escaped(value));
    }
    out.push_str("    </DataField>\n");
}

struct Writer<'a> {
    release: &'a TreeRelease,
    predictor: super::release::Predictor<'a>,
    counts: Vec<Vec<u64>>,
    out: &'a mut String,
}

impl Writer<'_> {
    fn node(&mut self, at: u32, predicate: &str, depth: usize) {
        let model = &self.release.model;
        let predicted = self.predictor.at(at) as usize;
        let indent = "  ".repeat(depth);
        let counts = &self.counts[at as usize];
        let score = escaped(&model.schema.class.values[predicted]);
        let records: u64 = counts.iter().sum();
        let _ = writeln!(
            self.out,
            "{indent}<Node id=\"{at}\" score=\"{score}\" recordCount=\"{records}\">{predicate}"
        );
        for (value, count) in model.schema.class.values.iter().zip(counts) {
            let value = escaped(value);
            let _ = writeln!(
                self.out,
                "{indent}  <ScoreDistribution value=\"{value}\" recordCount=\"{count}\"/>"
            );
        }
        let node = &model.nodes[at as usize];
        if let Some(test) = node.test {
            for (answer, &child) in node.children.iter().enumerate() {
                if let Some(child) = child {
                    let predicate = self.predicate(test, answer);
                    self.node(child, &predicate, depth + 1);
                }
            }
        }
        let _ = writeln!(self.out, "{indent}</Node>");
    }

    fn predicate(&self, test: Test, answer: usize) -> String {
        let attribute = &self.release.model.schema.attributes[test.attribute()];
        let name = escaped(&attribute.name);
        match test {
            Test::AtMost { number, .. } => {
                let operator = ["lessOrEqual", "greaterThan"][answer];
                format!("<SimplePredicate field=\"{name}\" operator=\"{operator}\" value=\"{number}\"/>")
            }
            Test::Category { level, .. } => {
                let values: Vec<String> = (0..attribute.size() as u32)
                    .filter(|&code| attribute.node(level, code) as usize == answer)
                    .map(|code| {
                        format!(
                            "&quot;{}&quot;",
                            escaped(attribute.label(0, code)).replace("&quot;", "\\&quot;")
                        )
                    })
                    .collect();
                format!(
                    "<SimpleSetPredicate field=\"{name}\" booleanOperator=\"isIn\"><Array n=\"{}\" \
                     type=\"string\">{}</Array></SimpleSetPredicate>",
                    values.len(),
                    values.join(" ")
                )
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
