//! The part of the domain that a path through a tree allows: per attribute the categories or the interval that are left.

use super::{Node, Test, TreeModel};
use crate::{AttributeDomain, Cell, Schema};

/// What is left of an attribute's domain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Left {
    /// Everything.
    All,
    /// These categories.
    Categories(Vec<bool>),
    /// Numbers above the first and up to the second.
    Interval(f64, f64),
}

/// Per attribute what is left.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Region(pub Vec<Left>);

impl Left {
    pub fn is_empty(&self) -> bool {
        match self {
            Left::All => false,
            Left::Categories(own) => !own.contains(&true),
            Left::Interval(above, to) => above >= to,
        }
    }

    /// What is left after a test gave an answer.
    pub fn after(&self, schema: &Schema, test: &Test, answer: usize) -> Left {
        match *test {
            Test::Category { attribute, level } => {
                let attribute = &schema.attributes[attribute];
                let fits = |code: usize| {
                    let before = match self {
                        Left::Categories(own) => own[code],
                        _ => true,
                    };
                    before && attribute.node(level, code as u32) as usize == answer
                };
                Left::Categories((0..attribute.size()).map(fits).collect())
            }
            Test::AtMost { number, .. } => {
                let (above, to) = match *self {
                    Left::Interval(above, to) => (above, to),
                    _ => (f64::NEG_INFINITY, f64::INFINITY),
                };
                match answer {
                    0 => Left::Interval(above, to.min(number)),
                    _ => Left::Interval(above.max(number), to),
                }
            }
        }
    }

    pub fn and(&self, other: &Left) -> Left {
        match (self, other) {
            (Left::All, own) | (own, Left::All) => own.clone(),
            (Left::Categories(a), Left::Categories(b)) => {
                Left::Categories(a.iter().zip(b).map(|(&a, &b)| a && b).collect())
            }
            (Left::Interval(a, b), Left::Interval(c, d)) => Left::Interval(a.max(*c), b.min(*d)),
            _ => self.clone(),
        }
    }

    /// A cell inside, if there is one.
    pub fn witness(&self, domain: &AttributeDomain) -> Option<Cell> {
        match (self, domain) {
            (Left::All, AttributeDomain::Numbers) => Some(Cell::Number(0.0)),
            (Left::All, AttributeDomain::Categories { values, .. }) => {
                (!values.is_empty()).then_some(Cell::Code(0))
            }
            (Left::Categories(own), _) => {
                own.iter().position(|&left| left).map(|code| Cell::Code(code as u32))
            }
            (&Left::Interval(above, to), _) if above < to => {
                let number = match (above.is_finite(), to.is_finite()) {
                    (_, true) => to,
                    (true, false) => above.abs().mul_add(0.5, above) + 1.0,
                    (false, false) => 0.0,
                };
                Some(Cell::Number(number))
            }
            _ => None,
        }
    }
}

impl Region {
    pub fn everything(schema: &Schema) -> Self {
        Self(vec![Left::All; schema.attributes.len()])
    }

    pub fn after(&self, schema: &Schema, test: &Test, answer: usize) -> Self {
        let mut region = self.clone();
        let left = &mut region.0[test.attribute()];
        *left = left.after(schema, test, answer);
        region
    }
}

/// Per node the region of its path.
pub(crate) fn regions(model: &TreeModel) -> Vec<Region> {
    let mut regions = vec![Region::everything(&model.schema); model.nodes.len()];
    for place in 0..model.nodes.len() {
        let Node { test: Some(test), children } = &model.nodes[place] else { continue };
        for (answer, &child) in children.iter().enumerate() {
            if let Some(child) = child {
                regions[child as usize] = regions[place].after(&model.schema, test, answer);
            }
        }
    }
    regions
}
