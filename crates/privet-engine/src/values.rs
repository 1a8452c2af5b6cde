//! Columns by which records are not grouped: of what kind their values are, and bits that tell their values apart.
//!
//! Such a column may have as many values as the table has records, so no list of them is kept anywhere. **Guarantee.** The kind
//! is that which privet's reader finds. Two values that privet takes for one have the same 128 bits; others have different ones,
//! collisions of a hash function that is not cryptographic aside. The bits are for counting and are published nowhere.

use std::hash::{BuildHasher, Hasher};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use foldhash::quality::FixedState;
use privet_data::io::{ReadOptions, each_text};
use privet_data::{Equality, Kind, KindTest};
use privet_job::engine::EngineError;
use serde::{Deserialize, Serialize};

/// The least whole number that is too long for [`Kind::Integer`].
const LONG: u64 = 1_000_000_000_000_000;
/// What stands before a missing value and before any other.
const MISSING: u8 = 0;
const PRESENT: u8 = 1;
/// What the two halves of the bits begin from.
const SEEDS: [u64; 2] = [0x5052_4956_4554_0001, 0x5052_4956_4554_0002];

/// How the values of a column are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnReading {
    /// The name of the column.
    pub name: String,
    /// When two texts are one value.
    pub equality: Equality,
    /// The texts that are missing values, besides the empty one.
    pub missing: Vec<String>,
    /// The kind of the column, where it is known.
    pub kind: Option<Kind>,
}

impl ColumnReading {
    /// A column whose kind is not known yet.
    pub fn new(name: &str, options: &ReadOptions) -> Self {
        Self {
            name: name.to_owned(),
            equality: options.equality_in(name),
            missing: options.missing.clone(),
            kind: None,
        }
    }

    fn is_missing(&self, text: &str) -> bool {
        let is_marker = |text: &str| text.is_empty() || self.missing.iter().any(|own| own == text);
        is_marker(text) || is_marker(self.equality.trimmed(text))
    }

    /// Whether whole numbers can be looked at as numbers: none of them is a marker of a missing value.
    fn takes_numbers(&self) -> bool {
        self.missing.iter().all(|own| own.trim().parse::<i128>().is_err())
    }

    /// Looks at the values of a batch.
    ///
    /// # Errors
    /// When a value has no text.
    pub fn look(&self, values: &ArrayRef, test: &mut KindTest) -> Result<(), EngineError> {
        if test.is_settled() {
            return Ok(());
        }
        if let Some(numbers) = whole_numbers(values).filter(|_| self.takes_numbers()) {
            // Of whole numbers the longest tells everything.
            let longest = numbers.flatten().map(i128::unsigned_abs).max();
            if let Some(longest) = longest {
                test.see(if longest < u128::from(LONG) { "0" } else { "1000000000000000" });
            }
            return Ok(());
        }
        let mut last = String::new();
        self.each_text(values, |text| {
            // Neighbours are often equal.
            if text != last && !self.is_missing(text) {
                test.see(self.equality.trimmed(text));
            }
            last.clear();
            last.push_str(text);
        })
    }

    /// Adds the bits of each value to those of its record.
    ///
    /// # Errors
    /// When a value has no text.
    pub fn mix(&self, values: &ArrayRef, bits: &mut [[u64; 2]]) -> Result<(), EngineError> {
        if let Some(numbers) = whole_numbers(values).filter(|_| self.takes_numbers()) {
            for (bits, number) in bits.iter_mut().zip(numbers) {
                match number {
                    Some(number) => add(bits, PRESENT, &number.to_le_bytes()),
                    None => add(bits, MISSING, &[]),
                }
            }
            return Ok(());
        }
        let sameness = self.equality.of_kind(self.kind.unwrap_or(Kind::Text));
        let mut records = bits.iter_mut();
        self.each_text(values, |text| {
            let Some(bits) = records.next() else { return };
            match self.is_missing(text) && !sameness.is_exact() {
                // Missing is one value.
                true => add(bits, MISSING, &[]),
                false => add(bits, PRESENT, sameness.key(text).as_bytes()),
            }
        })
    }

    fn each_text(&self, values: &ArrayRef, mut visit: impl FnMut(&str)) -> Result<(), EngineError> {
        let no_text = |_| EngineError::input(format!("the column {} has values without a text", self.name));
        let Some(dictionary) = values.as_any_dictionary_opt() else {
            return each_text(&self.name, values, visit).map_err(no_text);
        };
        let mut texts = Vec::with_capacity(dictionary.values().len());
        each_text(&self.name, dictionary.values(), |text| texts.push(text.to_owned())).map_err(no_text)?;
        let keys = if texts.is_empty() { vec![0; values.len()] } else { dictionary.normalized_keys() };
        for (row, key) in keys.into_iter().enumerate() {
            let text = texts.get(key).filter(|_| !dictionary.is_null(row));
            visit(text.map_or("", String::as_str));
        }
        Ok(())
    }
}

/// What the bits of a record without values are.
pub fn no_bits() -> [u64; 2] {
    SEEDS
}

fn add(bits: &mut [u64; 2], tag: u8, value: &[u8]) {
    for half in bits {
        let mut hasher = FixedState::with_seed(*half).build_hasher();
        hasher.write(&[tag]);
        hasher.write(value);
        *half = hasher.finish();
    }
}

/// Whole numbers as they are; nothing where the values are others.
fn whole_numbers(values: &ArrayRef) -> Option<Box<dyn Iterator<Item = Option<i128>> + '_>> {
    macro_rules! numbers {
        ($kind:ty) => {
            Box::new(values.as_primitive::<$kind>().iter().map(|own| own.map(i128::from)))
        };
    }
    Some(match values.data_type() {
        DataType::Int8 => numbers!(Int8Type),
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type),
        _ => return None,
    })
}
