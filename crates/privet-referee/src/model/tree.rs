//! Trees: read, walked, and their spans checked by people who have them.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{Span, Spans, read};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    version: u32,
    records: u64,
    #[serde(rename = "requirements")]
    _requirements: Vec<Value>,
    model: Trees,
    spans: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trees {
    schema: Schema,
    roots: Vec<usize>,
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Schema {
    attributes: Vec<Attribute>,
    class: Class,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attribute {
    #[serde(rename = "name")]
    _name: String,
    visibility: Visibility,
    domain: Domain,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Class {
    #[serde(rename = "name")]
    _name: String,
    visibility: Visibility,
    values: Vec<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Visibility {
    Public,
    Private,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Domain {
    Categories {
        values: Vec<String>,
        #[serde(default)]
        levels: Vec<Level>,
    },
    Numbers,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Level {
    labels: Vec<String>,
    node_of: Vec<usize>,
    /// Said for people: groups are judged as any level is, by the values under each node.
    #[serde(default, rename = "is_grouping")]
    _is_grouping: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    #[serde(default)]
    test: Option<Test>,
    #[serde(default)]
    children: Vec<Option<usize>>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(tag = "test", rename_all = "kebab-case", deny_unknown_fields)]
enum Test {
    Category { attribute: usize, level: usize },
    AtMost { attribute: usize, number: f64 },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    leaves: Vec<usize>,
    #[serde(default)]
    class: Option<usize>,
    populations: Vec<Population>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Population {
    leaves: Vec<usize>,
    counts: Vec<u64>,
}

/// The values that are left of an attribute on a way: categories one by one, or numbers above the first and up to the second.
#[derive(Clone, PartialEq)]
enum Left {
    Categories(BTreeSet<usize>),
    Numbers(f64, f64),
}

impl Left {
    fn all(domain: &Domain) -> Self {
        match domain {
            Domain::Categories { values, .. } => Self::Categories((0..values.len()).collect()),
            Domain::Numbers => Self::Numbers(f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Categories(own) => own.is_empty(),
            Self::Numbers(above, to) => above >= to,
        }
    }

    fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Categories(a), Self::Categories(b)) => Self::Categories(a & b),
            (Self::Numbers(a, b), Self::Numbers(c, d)) => Self::Numbers(a.max(*c), b.min(*d)),
            _ => Self::Categories(BTreeSet::new()),
        }
    }
}

impl Test {
    fn attribute(self) -> usize {
        match self {
            Self::Category { attribute, .. } | Self::AtMost { attribute, .. } => attribute,
        }
    }
}

impl Trees {
    /// What a test leaves for each of its answers.
    fn answers(&self, test: Test) -> Option<Vec<Left>> {
        let attribute = self.schema.attributes.get(test.attribute())?;
        match (test, &attribute.domain) {
            (Test::AtMost { number, .. }, Domain::Numbers) if number.is_finite() => {
                Some(vec![Left::Numbers(f64::NEG_INFINITY, number), Left::Numbers(number, f64::INFINITY)])
            }
            (Test::Category { level: 0, .. }, Domain::Categories { values, .. }) => {
                Some((0..values.len()).map(|value| Left::Categories([value].into())).collect())
            }
            (Test::Category { level, .. }, Domain::Categories { levels, .. }) => {
                let level = levels.get(level - 1)?;
                let under = |node: usize| {
                    let own = level.node_of.iter().enumerate().filter(move |(_, of)| **of == node);
                    Left::Categories(own.map(|(value, _)| value).collect())
                };
                Some((0..level.labels.len()).map(under).collect())
            }
            _ => None,
        }
    }

    /// Whether the schema and the nodes are those of trees: every node but the roots has one parent, which comes before.
    fn is_well_formed(&self) -> bool {
        let levels_fit = self.schema.attributes.iter().all(|attribute| match &attribute.domain {
            Domain::Numbers => true,
            Domain::Categories { values, levels } => levels.iter().all(|level| {
                level.node_of.len() == values.len()
                    && level.node_of.iter().all(|&own| own < level.labels.len())
            }),
        });
        let mut parents = vec![0usize; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            let answers = match node.test {
                None => 0,
                Some(test) => match self.answers(test) {
                    Some(answers) => answers.len(),
                    None => return false,
                },
            };
            if node.children.len() != answers {
                return false;
            }
            for &child in node.children.iter().flatten() {
                if child <= place || child >= self.nodes.len() {
                    return false;
                }
                parents[child] += 1;
            }
        }
        let roots: BTreeSet<usize> = self.roots.iter().copied().collect();
        let is_one = |(place, &count): (usize, &usize)| count == usize::from(!roots.contains(&place));
        levels_fit
            && self.schema.class.values.len() > 1
            && !roots.is_empty()
            && roots.len() == self.roots.len()
            && roots.iter().all(|&root| root < self.nodes.len())
            && parents.iter().enumerate().all(is_one)
    }

    /// Per node what is left of every attribute on the way to it.
    fn ways(&self) -> Vec<Vec<Left>> {
        let all: Vec<Left> = self.schema.attributes.iter().map(|own| Left::all(&own.domain)).collect();
        let mut ways = vec![all; self.nodes.len()];
        for place in 0..self.nodes.len() {
            let Some(test) = self.nodes[place].test else { continue };
            let answers = self.answers(test).unwrap_or_default();
            for (answer, child) in answers.iter().zip(&self.nodes[place].children) {
                if let Some(child) = *child {
                    ways[child] = ways[place].clone();
                    let own = &mut ways[child][test.attribute()];
                    *own = own.and(answer);
                }
            }
        }
        ways
    }

    /// Whether a way leads wherever something is left: a child is missing only where nothing is.
    fn leads_everywhere(&self, ways: &[Vec<Left>]) -> bool {
        self.nodes.iter().zip(ways).all(|(node, way)| {
            let Some(test) = node.test else { return true };
            let answers = self.answers(test).unwrap_or_default();
            answers
                .iter()
                .zip(&node.children)
                .all(|(answer, child)| child.is_some() != way[test.attribute()].and(answer).is_empty())
        })
    }

    fn is_public(&self, attribute: usize) -> bool {
        self.schema.attributes[attribute].visibility == Visibility::Public
    }

    /// The leaves at which somebody may end whose public attributes are these: one child at a public test, all that the way allows at a
    /// private one.
    fn reached(&self, person: &[Left], ways: &[Vec<Left>]) -> Vec<usize> {
        let mut open = self.roots.clone();
        let mut leaves = Vec::new();
        while let Some(at) = open.pop() {
            let Some(test) = self.nodes[at].test else {
                leaves.push(at);
                continue;
            };
            let answers = self.answers(test).unwrap_or_default();
            for (answer, child) in answers.iter().zip(&self.nodes[at].children) {
                let Some(child) = *child else { continue };
                let attribute = test.attribute();
                let goes = match self.is_public(attribute) {
                    true => !person[attribute].and(answer).is_empty(),
                    false => !ways[child][attribute].is_empty(),
                };
                if goes {
                    open.push(child);
                }
            }
        }
        leaves.sort_unstable();
        leaves
    }

    /// A person with the span of these leaves: per public attribute one value that all ways allow.
    fn person(&self, leaves: &[usize], ways: &[Vec<Left>]) -> Option<Vec<Left>> {
        let one = |attribute: usize| {
            let all = Left::all(&self.schema.attributes[attribute].domain);
            if !self.is_public(attribute) {
                return Some(all);
            }
            match leaves.iter().fold(all, |left, &leaf| left.and(&ways[leaf][attribute])) {
                Left::Categories(own) => own.first().map(|&value| Left::Categories([value].into())),
                // Every test cuts outside the open end of what all ways allow, so the whole of it goes the same ways.
                own @ Left::Numbers(..) => (!own.is_empty()).then_some(own),
            }
        };
        (0..self.schema.attributes.len()).map(one).collect()
    }
}

pub(super) fn spans(value: &Value) -> Result<Spans, String> {
    let release: Release = read(value)?;
    let trees = &release.model;
    if release.version != 1 {
        return Err("the version of the tree is not known".to_owned());
    }
    if !trees.is_well_formed() {
        return Err("the nodes do not form trees over the schema".to_owned());
    }
    let ways = trees.ways();
    if !trees.leads_everywhere(&ways) {
        return Err(
            "a test has no child for an answer that is possible, or one for an answer that is not".to_owned()
        );
    }
    let classes = trees.schema.class.values.len();
    let class_is_private = trees.schema.class.visibility == Visibility::Private;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (place, span) in release.spans.iter().enumerate() {
        let wrong = |problem: &str| Err(format!("span {}: {problem}", place + 1));
        if span.leaves.iter().any(|&leaf| leaf >= trees.nodes.len())
            || !seen.insert((&span.leaves, span.class))
        {
            return wrong("it is listed twice or names nodes that do not exist");
        }
        if span.class.is_some() == class_is_private || span.class.is_some_and(|class| class >= classes) {
            return wrong("it names a class although the class is private, or none although it is public");
        }
        let Some(person) = trees.person(&span.leaves, &ways) else {
            return wrong("no person can have it");
        };
        if trees.reached(&person, &ways) != span.leaves {
            return wrong("a person who has it may reach other leaves");
        }
        let mut counts = vec![0u64; classes];
        for population in &span.populations {
            let of_tree =
                |(leaf, root): (&usize, usize)| span.leaves.contains(leaf) && trees.is_below(*leaf, root);
            let fits = population.leaves.len() == trees.roots.len()
                && population.leaves.iter().zip(trees.roots.iter().copied()).all(of_tree)
                && population.counts.len() == classes;
            if !fits {
                return wrong("a population stands outside its leaves");
            }
            counts.iter_mut().zip(&population.counts).for_each(|(sum, count)| *sum += count);
        }
        let stray = |(class, &count): (usize, &u64)| count > 0 && span.class.is_some_and(|own| own != class);
        if counts.iter().enumerate().any(stray) {
            return wrong("it holds people of another class");
        }
        let records = counts.iter().sum();
        // One leaf per tree and a public class: one equivalence class, which tells nothing of private attributes.
        let tells = class_is_private || span.leaves.len() > trees.roots.len();
        found.push(Span { records, tells, classes: class_is_private.then_some(counts) });
    }
    Ok(Spans { records: release.records, spans: found })
}

impl Trees {
    fn is_below(&self, leaf: usize, root: usize) -> bool {
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if at == leaf {
                return true;
            }
            open.extend(self.nodes[at].children.iter().flatten());
        }
        false
    }
}
