//! Model-based anonymization: the spans of a model as a multi-dimensional recoding of the records (papers F-AL6).
//!
//! Public attributes that the way to a span's leaves asks keep the value that was tested, the others become `*`; private attributes
//! and the class stay as they are. No record is suppressed.
//!
//! # Guarantee
//! The records of one span look alike on public attributes, and a span of a k-anonymous model with a private class holds at least k
//! records, so the table is k-anonymous.

use foldhash::{HashMap, HashMapExt};

use super::oracle::TreeOracle;
use super::{Test, TreeModel};
use crate::{Attribute, Examples, MineError};

/// Records recoded by spans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recoded {
    /// The positions of the public attributes, in the order of the labels.
    pub attributes: Vec<usize>,
    /// Per group the label of each public attribute.
    pub labels: Vec<Vec<String>>,
    /// Per record its group.
    pub group_of: Vec<u32>,
    /// The classification metric: records that are not of the majority class of their group.
    pub minority: u64,
    /// Discernibility: the squares of the sizes of groups, summed.
    pub discernibility: u64,
}

/// Recodes records by the spans of a model.
///
/// # Errors
/// When the model is not over the attributes of the records.
pub fn recode(model: &TreeModel, examples: &Examples) -> Result<Recoded, MineError> {
    if !model.schema.has_values_of(examples.schema()) {
        return Err(MineError::Column { column: "(schema of the model)".to_owned() });
    }
    let schema = &model.schema;
    let attributes: Vec<usize> =
        (0..schema.attributes.len()).filter(|&attribute| schema.is_public(attribute)).collect();
    let oracle = TreeOracle::new(model);
    let parents = model.parents();
    let mut group: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut labels = Vec::new();
    let mut counts: Vec<Vec<u64>> = Vec::new();
    let mut group_of = Vec::with_capacity(examples.len());
    let (mut record, mut key) = (Vec::new(), Vec::new());
    for (row, &class) in examples.classes().iter().enumerate() {
        examples.read(row, &mut record);
        key.clear();
        oracle.leaves(&record, &mut key);
        let number = match group.get(&key) {
            Some(&number) => number,
            None => {
                labels.push(labels_of(model, &parents, &attributes, &key));
                counts.push(vec![0; schema.class.values.len()]);
                group.insert(key.clone(), labels.len() as u32 - 1);
                labels.len() as u32 - 1
            }
        };
        counts[number as usize][class as usize] += 1;
        group_of.push(number);
    }
    let size = |own: &Vec<u64>| own.iter().sum::<u64>();
    let minority = counts.iter().map(|own| size(own) - own.iter().copied().max().unwrap_or(0)).sum();
    let discernibility = counts.iter().map(|own| size(own).pow(2)).sum();
    Ok(Recoded { attributes, labels, group_of, minority, discernibility })
}

/// Per span, given by its leaves, what people who have it share: per public attribute that is asked on the way its name and what is left of
/// it.
pub fn described(model: &TreeModel, spans: &[&[u32]]) -> Vec<Vec<(String, String)>> {
    let schema = &model.schema;
    let attributes: Vec<usize> =
        (0..schema.attributes.len()).filter(|&attribute| schema.is_public(attribute)).collect();
    let parents = model.parents();
    let describe = |leaves: &&[u32]| {
        let labels = labels_of(model, &parents, &attributes, leaves).into_iter();
        let named = attributes.iter().map(|&attribute| schema.attributes[attribute].name.clone()).zip(labels);
        named.filter(|(_, label)| label != "*").collect()
    };
    spans.iter().map(describe).collect()
}

/// What is left of an attribute on the ways to the leaves of a span.
#[derive(Clone)]
enum Shown {
    Nothing,
    /// The values that are left where groups were told apart.
    Values(Vec<bool>),
    Node {
        level: usize,
        node: usize,
    },
    Interval(f64, f64),
}

fn labels_of(
    model: &TreeModel,
    parents: &[Option<u32>],
    attributes: &[usize],
    leaves: &[u32],
) -> Vec<String> {
    let mut shown = vec![Shown::Nothing; model.schema.attributes.len()];
    for &leaf in leaves {
        let mut at = leaf;
        while let Some(parent) = parents[at as usize] {
            let node = &model.nodes[parent as usize];
            let answer = node.children.iter().position(|&child| child == Some(at));
            if let (Some(test), Some(answer)) = (node.test, answer) {
                let own = &mut shown[test.attribute()];
                *own = narrowed(&model.schema.attributes[test.attribute()], own, test, answer);
            }
            at = parent;
        }
    }
    let label = |&attribute: &usize| match &shown[attribute] {
        Shown::Nothing => "*".to_owned(),
        &Shown::Node { level, node } => {
            model.schema.attributes[attribute].label(level, node as u32).to_owned()
        }
        Shown::Values(left) => {
            let own = (0u32..).zip(left).filter(|(_, left)| **left);
            let labels = own.map(|(code, _)| model.schema.attributes[attribute].label(0, code));
            labels.collect::<Vec<_>>().join(" | ")
        }
        &Shown::Interval(above, to) => match (above.is_finite(), to.is_finite()) {
            (true, true) => format!("({above}, {to}]"),
            (true, false) => format!(">{above}"),
            _ => format!("<={to}"),
        },
    };
    attributes.iter().map(label).collect()
}

fn narrowed(attribute: &Attribute, shown: &Shown, test: Test, answer: usize) -> Shown {
    match (shown, test) {
        // The finest level says what the coarser ones do.
        (&Shown::Node { level: known, .. }, Test::Category { level, .. })
            if known <= level && !attribute.is_grouping(level) =>
        {
            shown.clone()
        }
        (_, Test::Category { level, .. }) => {
            let is_under =
                |level: usize, node: usize, code: u32| attribute.node(level, code) as usize == node;
            let is_left = |code: u32| match shown {
                &Shown::Node { level, node } => is_under(level, node, code),
                Shown::Values(left) => left[code as usize],
                _ => true,
            };
            match (shown, attribute.is_grouping(level)) {
                (Shown::Nothing | Shown::Node { .. }, false) => Shown::Node { level, node: answer },
                _ => {
                    let codes = 0..attribute.size() as u32;
                    Shown::Values(codes.map(|code| is_left(code) && is_under(level, answer, code)).collect())
                }
            }
        }
        (_, Test::AtMost { number, .. }) => {
            let (above, to) = match *shown {
                Shown::Interval(above, to) => (above, to),
                _ => (f64::NEG_INFINITY, f64::INFINITY),
            };
            match answer {
                0 => Shown::Interval(above, to.min(number)),
                _ => Shown::Interval(above.max(number), to),
            }
        }
    }
}
