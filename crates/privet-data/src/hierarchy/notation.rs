//! What may stand behind `hierarchy =` in a job file, before it is known which builder it is for.
//!
//! TOML and JSON both read into [`Notation`]. The order of keys is kept, because the order of a tree's
//! branches is the order of its leaves, and a key that occurs twice is refused.

use super::HierarchyError;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A value of a job file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Notation {
    Flag(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Notation>),
    Table(Vec<(String, Notation)>),
}

impl Notation {
    /// The text of a scalar: a value of a column may be written `5` as well as `"5"`.
    pub(super) fn into_value(self, key: &str) -> Result<String, HierarchyError> {
        match self {
            Notation::Flag(flag) => Ok(flag.to_string()),
            Notation::Integer(number) => Ok(number.to_string()),
            Notation::Number(number) => Ok(number.to_string()),
            Notation::Text(text) => Ok(text),
            other => Err(other.instead_of(key, "a value, such as \"a\" or 5")),
        }
    }

    pub(super) fn into_text(self, key: &str, accepted: &str) -> Result<String, HierarchyError> {
        match self {
            Notation::Text(text) => Ok(text),
            other => Err(other.instead_of(key, accepted)),
        }
    }

    pub(super) fn into_number(self, key: &str) -> Result<f64, HierarchyError> {
        match self {
            Notation::Integer(number) => Ok(number as f64),
            Notation::Number(number) => Ok(number),
            other => Err(other.instead_of(key, "a number")),
        }
    }

    /// A count: a whole number of at least 1.
    pub(super) fn into_count(self, key: &str) -> Result<u64, HierarchyError> {
        match self {
            Notation::Integer(number) => match u64::try_from(number) {
                Ok(count) if count > 0 => Ok(count),
                _ => Err(HierarchyError::parameter(key, "is not above 0; accepted is a whole number from 1")),
            },
            other => Err(other.instead_of(key, "a whole number from 1")),
        }
    }

    pub(super) fn into_list(self, key: &str, accepted: &str) -> Result<Vec<Notation>, HierarchyError> {
        match self {
            Notation::List(list) => Ok(list),
            other => Err(other.instead_of(key, accepted)),
        }
    }

    pub(super) fn instead_of(&self, key: &str, accepted: &str) -> HierarchyError {
        let found = match self {
            Notation::Flag(_) => "true or false",
            Notation::Integer(_) => "a whole number",
            Notation::Number(_) => "a number",
            Notation::Text(_) => "a text",
            Notation::List(_) => "a list",
            Notation::Table(_) => "a table",
        };
        HierarchyError::parameter(key, format!("is {found}; accepted is {accepted}"))
    }

    /// A number as people write it: without a fraction when it has none.
    pub(super) fn number(number: f64) -> Self {
        if number.fract() == 0.0 && number.abs() < 1e15 {
            Notation::Integer(number as i64)
        } else {
            Notation::Number(number)
        }
    }

    pub(super) fn count(count: u64) -> Self {
        i64::try_from(count).map_or(Notation::Number(count as f64), Notation::Integer)
    }
}

/// The keys of one table, taken one after the other; those left over are unknown.
pub(super) struct Keys(Vec<(String, Notation)>);

impl Keys {
    pub(super) fn new(table: Vec<(String, Notation)>) -> Self {
        Self(table)
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Notation> {
        let position = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(position).1)
    }

    /// Takes a key that the caller has seen, or says that it is needed.
    pub(super) fn need(&mut self, key: &str) -> Result<Notation, HierarchyError> {
        self.take(key).ok_or_else(|| HierarchyError::parameter(key, "is needed here and not given"))
    }

    /// Refuses keys that nobody took.
    pub(super) fn finish(self, accepted: &[&str]) -> Result<(), HierarchyError> {
        match self.0.first() {
            None => Ok(()),
            Some((key, _)) => {
                let accepted: Vec<String> = accepted.iter().map(|key| format!("`{key}`")).collect();
                let problem = format!("is not known here; accepted are {}", accepted.join(", "));
                Err(HierarchyError::parameter(key, problem))
            }
        }
    }
}

impl Serialize for Notation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Notation::Flag(flag) => serializer.serialize_bool(*flag),
            Notation::Integer(number) => serializer.serialize_i64(*number),
            Notation::Number(number) => serializer.serialize_f64(*number),
            Notation::Text(text) => serializer.serialize_str(text),
            Notation::List(list) => {
                let mut sequence = serializer.serialize_seq(Some(list.len()))?;
                for element in list {
                    sequence.serialize_element(element)?;
                }
                sequence.end()
            }
            Notation::Table(table) => {
                let mut map = serializer.serialize_map(Some(table.len()))?;
                for (key, value) in table {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Notation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Notation;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, a list or a table")
            }

            fn visit_bool<E>(self, flag: bool) -> Result<Notation, E> {
                Ok(Notation::Flag(flag))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Notation, E> {
                Ok(Notation::Integer(number))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Notation, E> {
                Ok(Notation::count(number))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Notation, E> {
                Ok(Notation::Number(number))
            }

            fn visit_str<E>(self, text: &str) -> Result<Notation, E> {
                Ok(Notation::Text(text.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Notation, A::Error> {
                let mut list = Vec::new();
                while let Some(element) = sequence.next_element()? {
                    list.push(element);
                }
                Ok(Notation::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Notation, A::Error> {
                let mut table: Vec<(String, Notation)> = Vec::new();
                let mut seen = std::collections::HashSet::new();
                while let Some((key, value)) = map.next_entry::<String, Notation>()? {
                    // TOML hands over an unquoted date as a table with this one key.
                    if key == "$__toml_private_datetime" {
                        return Ok(value);
                    }
                    if !seen.insert(key.clone()) {
                        return Err(A::Error::custom("a key occurs twice in one table; keep one of the two"));
                    }
                    table.push((key, value));
                }
                Ok(Notation::Table(table))
            }
        }

        deserializer.deserialize_any(Any)
    }
}
