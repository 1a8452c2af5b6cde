//! Concept-level diversity (survey PM-24): l-diversity on concepts of the sensitive column instead of values.
//!
//! The histogram is recoded to concepts first; a value in no concept is a concept of its own. What merging
//! does is inherited from the form, because recoding and merging commute.

use std::collections::BTreeMap;

use crate::bound::{Bound, Grouping};
use crate::l_diversity::{Diversity, Parameters, occurring};
use crate::{Better, Class, Criterion, DiversityKind, Histogram, Merging};

/// A form of l-diversity on concepts.
pub(crate) struct ConceptDiversity {
    form: Diversity,
    /// Per code its concept.
    concept_of: Vec<u32>,
    concepts: usize,
    position: usize,
    column: String,
}

impl ConceptDiversity {
    pub fn new(
        parameters: &Parameters<'_>,
        concepts: &BTreeMap<String, Vec<String>>,
        bound: &Bound<'_>,
    ) -> Result<Self, String> {
        use DiversityKind::{Distinct, Entropy, Recursive};
        if !matches!(parameters.kind, Distinct | Entropy | Recursive) {
            return Err("kind must be distinct, entropy or recursive".into());
        }
        let group = bound.grouped(("concepts", "concept"), concepts.values().map(Vec::as_slice))?;
        let mut next = concepts.len() as u32;
        let concept_of: Vec<u32> = group
            .into_iter()
            .map(|group| {
                group.unwrap_or_else(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let mut counts = vec![0u64; next as usize];
        for (&concept, &count) in concept_of.iter().zip(bound.column.counts) {
            counts[concept as usize] += count;
        }
        let form = Diversity::new(parameters, bound, &counts, "concepts")?;
        Ok(Self { form, concept_of, concepts: next as usize, position: bound.position, column: bound.name() })
    }

    /// Gives the recoded histogram of a class to a question about it.
    fn recoded<R>(&self, class: &Class<'_>, ask: impl FnOnce(&Histogram<'_>) -> R) -> R {
        let histogram = &class.histograms[self.position];
        let (mut few_counts, mut few_present) = ([0u32; 64], [0u32; 64]);
        let (mut many_counts, mut many_present);
        let (counts, present) = if self.concepts <= few_counts.len() {
            (&mut few_counts[..self.concepts], &mut few_present[..self.concepts])
        } else {
            (many_counts, many_present) = (vec![0u32; self.concepts], vec![0u32; self.concepts]);
            (&mut many_counts[..], &mut many_present[..])
        };
        let mut number = 0;
        for (code, count) in occurring(histogram) {
            let concept = self.concept_of[code as usize];
            if counts[concept as usize] == 0 {
                present[number] = concept;
                number += 1;
            }
            counts[concept as usize] += count;
        }
        ask(&Histogram { counts, present: &present[..number], total: histogram.total })
    }
}

impl Criterion for ConceptDiversity {
    fn key(&self) -> &'static str {
        "concept-diversity"
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        let every = grouping.every();
        format!("{every} {}.", self.form.clause(&format!("concepts of {}", self.column)))
    }

    fn merging(&self) -> Merging {
        self.form.merging()
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.recoded(class, |h| self.form.holds(h.total, occurring(h)))
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        self.recoded(class, |h| self.form.reached(h.total, occurring(h)))
    }

    fn better(&self) -> Better {
        self.form.better()
    }

    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        self.recoded(class, |h| self.form.least_suppression(h.total, occurring(h)))
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{build_one, column, holds, reached};
    use serde_json::json;

    #[test]
    fn survey_pm24_fx_2_f1_the_stomach_diseases() {
        let names = ["ulcer", "dyspepsia", "gastroenteritis", "cancer", "heart", "diabetes"];
        let sensitive = column(&names, &[3, 3, 4, 5, 5, 5]);
        let class = [3, 3, 4, 0, 0, 0];
        let value_level = build_one(json!({"criterion": "l-diversity", "l": 3}), &sensitive).unwrap();
        assert!(holds(&*value_level, &class));
        for kind in ["distinct", "entropy", "recursive"] {
            let mut requirement = json!({
                "criterion": "concept-diversity", "kind": kind, "l": 2,
                "concepts": {"stomach-related": ["ulcer", "dyspepsia", "gastroenteritis"]},
            });
            if kind == "recursive" {
                requirement["c"] = json!(100.0);
            }
            let concept_level = build_one(requirement, &sensitive).unwrap();
            assert!(!holds(&*concept_level, &class), "{kind}");
            assert!(holds(&*concept_level, &[1, 1, 0, 2, 0, 0]), "{kind}");
        }
        let distinct = build_one(
            json!({"criterion": "concept-diversity", "l": 4, "concepts": {"a": ["ulcer", "dyspepsia", "gastroenteritis"]}}),
            &sensitive,
        )
        .unwrap();
        assert_eq!(reached(&*distinct, &class), 1.0);
        assert_eq!(reached(&*distinct, &[1, 1, 1, 1, 1, 1]), 4.0, "a value in no concept is its own");
    }

    #[test]
    fn l_is_limited_by_concepts_and_a_misspelt_value_is_an_error() {
        let sensitive = column(&["a", "b", "c"], &[1, 1, 1]);
        let problem = |requirement| build_one(requirement, &sensitive).err().unwrap().to_string();
        let two = json!({"criterion": "concept-diversity", "l": 3, "concepts": {"x": ["a", "b"]}});
        assert!(problem(two).contains("l may be at most 2"));
        let twice = json!({"criterion": "concept-diversity", "l": 1, "concepts": {"x": ["a"], "y": ["a"]}});
        assert!(problem(twice).contains("1 values"));
        let misspelt = json!({"criterion": "concept-diversity", "l": 2, "concepts": {"x": ["a", "bb"]}});
        let said = problem(misspelt);
        assert!(said.contains("concepts names 1 of 2 values that column s does not hold"), "{said}");
        assert!(!said.contains("bb"), "no value in a message: {said}");
        let kind =
            json!({"criterion": "concept-diversity", "l": 1, "kind": "positive-disclosure", "concepts": {}});
        assert!(problem(kind).contains("distinct, entropy or recursive"));
    }
}
