//! Multi-attribute l-diversity (papers L-PM11, Def 4.5): the table is l-diverse in one sensitive column when
//! all other sensitive columns count as quasi-identifiers of an adversary who learned them.
//!
//! A class is cut into sub-blocks by the other sensitive values, and every sub-block must satisfy the form.
//! Closed whatever the form is: merging classes merges sub-blocks of equal values and leaves the others as
//! they are. It is never absorbing, not even with distinct values, because a class can bring in a failing
//! sub-block that the other class does not have.

use std::collections::HashMap;

use crate::bound::{Bound, Grouping};
use crate::l_diversity::{Diversity, Parameters};
use crate::{Better, Class, Criterion, Histogram, Joint, Merging};

/// A form of l-diversity on the sub-blocks of one sensitive column.
pub(crate) struct MultiAttribute {
    form: Diversity,
    /// The position of the histogram over combinations.
    joint: usize,
    /// Per combination its sub-block and its value in the column.
    combinations: Vec<(u32, u32)>,
    column: String,
    others: String,
}

impl MultiAttribute {
    pub fn new(
        parameters: &Parameters<'_>,
        bound: &Bound<'_>,
        joint: &Joint,
        names: &[&str],
    ) -> Result<Self, String> {
        let form = Diversity::new(parameters, bound, bound.column.counts, "values")?;
        let mut block_of: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut combinations = Vec::with_capacity(joint.combinations.len());
        for codes in &joint.combinations {
            let mut others = codes.clone();
            if codes.len() != names.len() {
                return Err("the combinations of sensitive values do not match the sensitive columns".into());
            }
            let value = others.remove(bound.position);
            let next = block_of.len() as u32;
            combinations.push((*block_of.entry(others).or_insert(next), value));
        }
        let others: Vec<&str> = names.iter().copied().filter(|&name| name != bound.column.name).collect();
        Ok(Self { form, joint: names.len(), combinations, column: bound.name(), others: others.join(", ") })
    }

    /// The sub-blocks of a class: its combinations as (sub-block, value, count), sub-block by sub-block.
    fn sorted(&self, histogram: &Histogram<'_>) -> Vec<(u32, u32, u32)> {
        let mut sorted: Vec<(u32, u32, u32)> = histogram
            .present
            .iter()
            .map(|&combination| {
                let (block, value) = self.combinations[combination as usize];
                (block, value, histogram.counts[combination as usize])
            })
            .collect();
        sorted.sort_unstable();
        sorted
    }
}

/// Cuts sorted combinations into sub-blocks, each with its records.
fn blocks(sorted: &[(u32, u32, u32)]) -> impl Iterator<Item = (u64, &[(u32, u32, u32)])> {
    sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|block| (block.iter().map(|&(_, _, count)| u64::from(count)).sum(), block))
}

fn counts(block: &[(u32, u32, u32)]) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
    block.iter().map(|&(_, value, count)| (value, count))
}

impl Criterion for MultiAttribute {
    fn key(&self) -> &'static str {
        "l-diversity"
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        format!(
            "{} {} {}.",
            grouping.every_with_the_same(),
            self.others,
            self.form.clause(&format!("values of {}", self.column))
        )
    }

    fn merging(&self) -> Merging {
        Merging::Closed
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let sorted = self.sorted(&class.histograms[self.joint]);
        blocks(&sorted).all(|(rows, block)| self.form.holds(rows, counts(block)))
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        let sorted = self.sorted(&class.histograms[self.joint]);
        let reached = blocks(&sorted).map(|(rows, block)| self.form.reached(rows, counts(block)));
        match self.form.better() {
            Better::Higher => reached.reduce(f64::min),
            Better::Lower => reached.reduce(f64::max),
        }
        .unwrap_or(0.0)
    }

    fn better(&self) -> Better {
        self.form.better()
    }

    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        let sorted = self.sorted(&class.histograms[self.joint]);
        blocks(&sorted).map(|(rows, block)| self.form.least_suppression(rows, counts(block))).sum()
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.joint]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sample, column, holds};
    use crate::{Criterion, Joint, Merging, Requirement, build};
    use serde_json::json;

    /// The combinations (s1,v1), (s1,v2), (s2,v3), (s3,v3) of papers FX-L5.
    fn joint() -> Joint {
        Joint { combinations: vec![vec![0, 0], vec![0, 1], vec![1, 2], vec![2, 2]] }
    }

    fn criteria(requirement: serde_json::Value) -> Vec<Box<dyn Criterion>> {
        let (s, v) = (column(&["s1", "s2", "s3"], &[2, 1, 1]), column(&["v1", "v2", "v3"], &[1, 1, 2]));
        let requirement: Requirement = serde_json::from_value(requirement).unwrap();
        build(&[requirement], &[s.as_sensitive("S"), v.as_sensitive("V")], Some(&joint()), 4).unwrap()
    }

    #[test]
    fn papers_fx_l5_and_def_17() {
        let block = Sample::joint(&joint().combinations, &[3, 3], &[1, 1, 1, 1]);
        // Each column alone has counts 2,1,1: (2,3)-diversity is false under the strict inequality, true for c > 2.
        let plain = |c: f64| crate::testing::diversity("recursive", 3.0, Some(c));
        assert!(!holds(&*plain(2.0), &[2, 1, 1]) && holds(&*plain(2.1), &[2, 1, 1]));
        // By V the sub-blocks are {s1}, {s1}, {s2,s3}: not even 2-diverse; likewise by S.
        let both = criteria(json!({"criterion": "l-diversity", "l": 2, "multi-attribute": true}));
        assert_eq!(both.len(), 2, "one criterion per sensitive column");
        for criterion in &both {
            assert!(block.ask(|class| !criterion.holds(class)));
            assert_eq!(block.ask(|class| criterion.reached(class)), 1.0);
            assert_eq!(block.ask(|class| criterion.least_suppression(class)), 2);
        }
        // A class of the last two combinations alone leaves one sub-block by V, {s2,s3}.
        let last = Sample::joint(&joint().combinations, &[3, 3], &[0, 0, 1, 1]);
        assert!(last.ask(|class| both[0].holds(class)) && last.ask(|class| !both[1].holds(class)));
    }

    #[test]
    fn distinct_values_are_not_absorbing_over_sub_blocks() {
        let criterion =
            criteria(json!({"criterion": "l-diversity", "l": 2, "multi-attribute": true, "column": "S"}))
                .remove(0);
        let good = Sample::joint(&joint().combinations, &[3, 3], &[0, 0, 1, 1]);
        let bad = Sample::joint(&joint().combinations, &[3, 3], &[1, 0, 0, 0]);
        assert!(good.ask(|class| criterion.holds(class)) && bad.ask(|class| !criterion.holds(class)));
        assert!(good.merge(&bad).ask(|class| !criterion.holds(class)));
        assert_eq!(criterion.merging(), Merging::Closed);
    }
}
