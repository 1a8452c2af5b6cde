//! What a model is learned from: records of codes, with what everybody knows (public) and what nobody should learn (private).
//!
//! Friedman, Wolff and Schuster split the attributes of a database T ⊆ A × B into a public part A, which an adversary knows of every
//! person, and a private part B (papers F-PM1). The class belongs to one of the two as well.

use privet_data::{Generalization, Kind, Table};
use serde::{Deserialize, Serialize};

use crate::MineError;

/// Whether the adversary knows an attribute of every person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// Known of every person.
    Public,
    /// Known of nobody.
    Private,
}

/// An attribute and its domain. The domain is known to the adversary; a record of the table is not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Who knows it.
    pub visibility: Visibility,
    /// Its values.
    pub domain: AttributeDomain,
}

/// The values of an attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AttributeDomain {
    /// Categories, with levels of generalization above them.
    Categories {
        /// The categories; a code is a position.
        values: Vec<String>,
        /// Coarser levels, from the finest; the one that tells nothing is left out. Behind them groups of values that splits tell apart.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        levels: Vec<Level>,
    },
    /// Numbers. The distinct numbers of a table are kept beside its records and never in a model.
    Numbers,
}

/// A level of generalization.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// The labels of its nodes.
    pub labels: Vec<String>,
    /// Per value its node.
    pub node_of: Vec<u32>,
    /// Whether these are two groups of values that a split tells apart, and no level of the hierarchy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_grouping: bool,
}

/// The class that a model predicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassAttribute {
    /// Its name.
    pub name: String,
    /// Who knows it.
    pub visibility: Visibility,
    /// Its values.
    pub values: Vec<String>,
}

/// The attributes and the class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// The class.
    pub class: ClassAttribute,
}

/// A cell of a record that a model is asked about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// The position of a category.
    Code(u32),
    /// A number.
    Number(f64),
}

/// The values of one attribute in a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// One code per record.
    pub codes: Vec<u32>,
    /// Of a numeric attribute: per code its number, ascending.
    pub numbers: Vec<f64>,
}

/// Records to learn from.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    schema: Schema,
    columns: Vec<Values>,
    classes: Vec<u32>,
}

impl Attribute {
    /// A categorical attribute without levels.
    pub fn categories(name: &str, visibility: Visibility, values: &[&str]) -> Self {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        let domain = AttributeDomain::Categories { values, levels: Vec::new() };
        Self { name: name.to_owned(), visibility, domain }
    }

    /// The number of categories; 0 for numbers.
    pub fn size(&self) -> usize {
        match &self.domain {
            AttributeDomain::Categories { values, .. } => values.len(),
            AttributeDomain::Numbers => 0,
        }
    }

    /// The levels of generalization.
    pub fn levels(&self) -> &[Level] {
        match &self.domain {
            AttributeDomain::Categories { levels, .. } => levels,
            AttributeDomain::Numbers => &[],
        }
    }

    /// Whether a level is two groups of values, and no level of the hierarchy.
    pub fn is_grouping(&self, level: usize) -> bool {
        level > 0 && self.levels()[level - 1].is_grouping
    }

    /// The number of nodes at a level, 0 being the values themselves.
    pub fn nodes(&self, level: usize) -> usize {
        match level {
            0 => self.size(),
            _ => self.levels()[level - 1].labels.len(),
        }
    }

    /// The node of a code at a level.
    pub fn node(&self, level: usize, code: u32) -> u32 {
        match level {
            0 => code,
            _ => self.levels()[level - 1].node_of[code as usize],
        }
    }

    /// The label of a node.
    pub fn label(&self, level: usize, node: u32) -> &str {
        match (&self.domain, level) {
            (AttributeDomain::Categories { values, .. }, 0) => &values[node as usize],
            (AttributeDomain::Categories { levels, .. }, _) => &levels[level - 1].labels[node as usize],
            (AttributeDomain::Numbers, _) => "",
        }
    }

    fn check(&self) -> Result<(), MineError> {
        let AttributeDomain::Categories { values, levels } = &self.domain else { return Ok(()) };
        for (position, level) in levels.iter().enumerate() {
            let error = || MineError::Level { column: self.name.clone(), level: position + 1 };
            let fits = level.node_of.len() == values.len()
                && level.node_of.iter().all(|&node| (node as usize) < level.labels.len());
            if !fits {
                return Err(error());
            }
            let Some(finer) = position.checked_sub(1).map(|finer| &levels[finer]) else { continue };
            // Groups nest in nothing, and stand behind what does.
            if level.is_grouping {
                continue;
            }
            if finer.is_grouping {
                return Err(error());
            }
            let mut above = vec![None; finer.labels.len()];
            for (&below, &node) in finer.node_of.iter().zip(&level.node_of) {
                if *above[below as usize].get_or_insert(node) != node {
                    return Err(error());
                }
            }
        }
        Ok(())
    }
}

impl Schema {
    /// Whether levels nest, names are unique and the class has at least two values.
    ///
    /// # Errors
    /// When one of them does not hold.
    pub fn check(&self) -> Result<(), MineError> {
        let names: Vec<&str> = self.attributes.iter().map(|own| own.name.as_str()).collect();
        for (position, attribute) in self.attributes.iter().enumerate() {
            if names[..position].contains(&attribute.name.as_str()) || attribute.name == self.class.name {
                return Err(MineError::DeclaredTwice { column: attribute.name.clone() });
            }
            attribute.check()?;
        }
        if self.class.values.len() < 2 {
            return Err(MineError::OneClass { column: self.class.name.clone() });
        }
        Ok(())
    }

    /// Whether records of the one schema are records of the other: the same attributes with the same values, whatever groups of them a model
    /// tells apart.
    pub fn has_values_of(&self, other: &Schema) -> bool {
        let plain = |schema: &Schema| {
            let mut own = schema.clone();
            for attribute in &mut own.attributes {
                if let AttributeDomain::Categories { levels, .. } = &mut attribute.domain {
                    levels.retain(|level| !level.is_grouping);
                }
            }
            own
        };
        plain(self) == plain(other)
    }

    /// Whether nobody knows the class.
    pub fn class_is_private(&self) -> bool {
        self.class.visibility == Visibility::Private
    }

    /// Whether everybody knows the attribute.
    pub fn is_public(&self, attribute: usize) -> bool {
        self.attributes[attribute].visibility == Visibility::Public
    }
}

impl Examples {
    /// Records from columns of codes, the attributes in the order of the schema.
    ///
    /// # Errors
    /// When columns have different lengths, hold codes outside their domains, or the schema is wrong.
    pub fn new(schema: Schema, columns: Vec<Values>, classes: Vec<u32>) -> Result<Self, MineError> {
        schema.check()?;
        if classes.is_empty() {
            return Err(MineError::Empty);
        }
        let sizes = schema.attributes.iter().zip(&columns).map(|(attribute, column)| {
            let size = match attribute.domain {
                AttributeDomain::Numbers => column.numbers.len(),
                AttributeDomain::Categories { .. } => attribute.size(),
            };
            (attribute.name.as_str(), &column.codes, size)
        });
        let class = (schema.class.name.as_str(), &classes, schema.class.values.len());
        for (name, codes, size) in sizes.chain([class]) {
            let column = || name.to_owned();
            if codes.len() != classes.len() {
                let (found, expected) = (codes.len(), classes.len());
                return Err(MineError::Ragged { column: column(), found, expected });
            }
            if codes.iter().any(|&code| code as usize >= size) {
                return Err(MineError::Code { column: column(), domain: size });
            }
        }
        for (attribute, column) in schema.attributes.iter().zip(&columns) {
            let ascending = column.numbers.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || column.numbers.iter().any(|number| !number.is_finite()) {
                return Err(MineError::Numbers { column: attribute.name.clone() });
            }
        }
        if columns.len() != schema.attributes.len() {
            let (found, expected) = (columns.len(), schema.attributes.len());
            return Err(MineError::Ragged { column: "(number of columns)".to_owned(), found, expected });
        }
        Ok(Self { schema, columns, classes })
    }

    /// Records from a table: the named columns with who knows them, hierarchies by name, and the class. A column of numbers without a
    /// hierarchy becomes a numeric attribute when no value is missing; every other column has categories.
    ///
    /// # Errors
    /// When a column is missing or declared twice, or the class has one value.
    pub fn from_table(
        table: &Table,
        attributes: &[(&str, Visibility)],
        class: (&str, Visibility),
        hierarchies: &[(&str, &Generalization)],
    ) -> Result<Self, MineError> {
        let find =
            |name: &str| table.column(name).ok_or_else(|| MineError::Column { column: name.to_owned() });
        let (mut described, mut columns) = (Vec::new(), Vec::new());
        for &(name, visibility) in attributes {
            let column = find(name)?;
            let domain = &column.domain;
            let hierarchy = hierarchies.iter().find(|(of, _)| *of == name).map(|(_, own)| *own);
            let is_number = matches!(domain.kind(), Kind::Integer | Kind::Decimal)
                && domain.missing() == 0
                && hierarchy.is_none();
            let numbers: Vec<f64> = match is_number {
                true => (0..domain.len() as u32).filter_map(|code| domain.number(code)).collect(),
                false => Vec::new(),
            };
            let ascends = numbers.windows(2).all(|pair| pair[0] < pair[1]);
            let numeric = is_number && ascends && numbers.len() == domain.len();
            let domain = match numeric {
                true => AttributeDomain::Numbers,
                false => AttributeDomain::Categories {
                    values: domain.texts().iter().map(|text| text.to_string()).collect(),
                    levels: hierarchy.map_or_else(Vec::new, levels_of),
                },
            };
            described.push(Attribute { name: name.to_owned(), visibility, domain });
            let numbers = if numeric { numbers } else { Vec::new() };
            columns.push(Values { codes: column.codes.clone(), numbers });
        }
        let column = find(class.0)?;
        let values = column.domain.texts().iter().map(|text| text.to_string()).collect();
        let class = ClassAttribute { name: class.0.to_owned(), visibility: class.1, values };
        Self::new(Schema { attributes: described, class }, columns, column.codes.clone())
    }

    /// The attributes and the class.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is no record; there always is one.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The values of an attribute.
    pub fn column(&self, attribute: usize) -> &Values {
        &self.columns[attribute]
    }

    /// The class of each record.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// Per class how many records have it.
    pub fn class_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.schema.class.values.len()];
        for &class in &self.classes {
            counts[class as usize] += 1;
        }
        counts
    }

    /// A record as a model is asked about it: one cell per attribute, then the class.
    pub fn record(&self, row: usize) -> Vec<Cell> {
        let mut record = Vec::with_capacity(self.columns.len() + 1);
        self.read(row, &mut record);
        record
    }

    /// Reads a record into a buffer, as [`record`](Self::record) gives it.
    pub(crate) fn read(&self, row: usize, record: &mut Vec<Cell>) {
        record.clear();
        for column in &self.columns {
            let code = column.codes[row];
            let number = column.numbers.get(code as usize);
            record.push(number.map_or(Cell::Code(code), |&number| Cell::Number(number)));
        }
        record.push(Cell::Code(self.classes[row]));
    }

    /// All records, in their order.
    pub fn records(&self) -> impl Iterator<Item = Vec<Cell>> + '_ {
        (0..self.len()).map(|row| self.record(row))
    }

    /// The records at these positions.
    ///
    /// # Errors
    /// When there is none.
    pub fn select(&self, rows: &[usize]) -> Result<Self, MineError> {
        let pick = |codes: &[u32]| rows.iter().map(|&row| codes[row]).collect::<Vec<u32>>();
        let columns = self
            .columns
            .iter()
            .map(|own| Values { codes: pick(&own.codes), numbers: own.numbers.clone() })
            .collect();
        Self::new(self.schema.clone(), columns, pick(&self.classes))
    }
}

/// The levels of a bound hierarchy, without those that repeat a finer one and the top that tells nothing.
fn levels_of(hierarchy: &Generalization) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for level in hierarchy.levels.iter().skip(1).filter(|level| level.labels.len() > 1) {
        let labels = level.labels.iter().map(|label| label.to_string()).collect();
        levels.push(Level { labels, node_of: level.node_of_code.clone(), is_grouping: false });
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(values: &[&str]) -> ClassAttribute {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        ClassAttribute { name: "class".into(), visibility: Visibility::Private, values }
    }

    fn schema(attribute: Attribute) -> Schema {
        Schema { attributes: vec![attribute], class: class(&["no", "yes"]) }
    }

    fn values(codes: &[u32]) -> Values {
        Values { codes: codes.to_vec(), numbers: Vec::new() }
    }

    #[test]
    fn wrong_input_is_named() {
        let own = Attribute::categories("a", Visibility::Public, &["x", "y"]);
        let twice = Schema { attributes: vec![own.clone(), own.clone()], class: class(&["no", "yes"]) };
        assert_eq!(twice.check(), Err(MineError::DeclaredTwice { column: "a".into() }));
        let one = Schema { attributes: vec![own.clone()], class: class(&["no"]) };
        assert_eq!(one.check(), Err(MineError::OneClass { column: "class".into() }));
        let code = Examples::new(schema(own.clone()), vec![values(&[2])], vec![0]);
        assert_eq!(code, Err(MineError::Code { column: "a".into(), domain: 2 }));
        let ragged = Examples::new(schema(own.clone()), vec![values(&[0, 1])], vec![0]);
        assert_eq!(ragged, Err(MineError::Ragged { column: "a".into(), found: 2, expected: 1 }));
        assert_eq!(Examples::new(schema(own), vec![values(&[])], vec![]), Err(MineError::Empty));
    }

    #[test]
    fn levels_must_nest() {
        let mut own = Attribute::categories("a", Visibility::Public, &["x", "y", "z"]);
        let level = |node_of: &[u32]| Level {
            labels: vec!["0".into(), "1".into()],
            node_of: node_of.to_vec(),
            is_grouping: false,
        };
        let AttributeDomain::Categories { levels, .. } = &mut own.domain else { unreachable!() };
        *levels = vec![level(&[0, 0, 1]), level(&[0, 1, 1])];
        assert_eq!(own.check(), Err(MineError::Level { column: "a".into(), level: 2 }));
    }
}
