//! Finds the number of a value among the distinct values of its column.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use foldhash::{HashMap, HashMapExt};

/// The distinct values of a column by their bytes.
#[derive(Debug)]
pub struct Lookup {
    kind: DataType,
    by_text: HashMap<Box<[u8]>, u32>,
    by_number: HashMap<u128, u32>,
    null: Option<u32>,
}

impl Lookup {
    /// `values` are distinct; the number of each is its place.
    pub fn new(values: &ArrayRef) -> Self {
        let mut lookup = Self {
            kind: values.data_type().clone(),
            by_text: HashMap::new(),
            by_number: HashMap::new(),
            null: None,
        };
        for row in (0..values.len()).filter(|&row| values.is_null(row)) {
            lookup.null = Some(row as u32);
        }
        match texts(values) {
            Some(texts) => texts.enumerate().for_each(|(row, text)| {
                if let Some(text) = text {
                    lookup.by_text.insert(text.into(), row as u32);
                }
            }),
            None => numbers(values).enumerate().for_each(|(row, number)| {
                if values.is_valid(row) {
                    lookup.by_number.insert(number, row as u32);
                }
            }),
        }
        lookup
    }

    /// The number of each value; nothing when one is not among the distinct values.
    pub fn numbers(&self, values: &ArrayRef) -> Option<Vec<u32>> {
        if let Some(dictionary) = values.as_any_dictionary_opt() {
            if dictionary.values().is_empty() {
                return vec![self.null; values.len()].into_iter().collect();
            }
            // Values of a dictionary need not occur.
            let places = self.each(dictionary.values());
            let keys = dictionary.normalized_keys();
            let of = |(row, key): (usize, usize)| match dictionary.is_null(row) {
                true => self.null,
                false => places.get(key).copied().flatten(),
            };
            return keys.into_iter().enumerate().map(of).collect();
        }
        if values.data_type() != &self.kind {
            return None;
        }
        self.each(values).into_iter().collect()
    }

    fn each(&self, values: &ArrayRef) -> Vec<Option<u32>> {
        match texts(values) {
            Some(texts) => {
                texts.map(|text| text.map_or(self.null, |text| self.by_text.get(text).copied())).collect()
            }
            None => {
                // Neighbours are often equal.
                let mut last: Option<(u128, Option<u32>)> = None;
                let of = |(row, number): (usize, u128)| {
                    if values.is_null(row) {
                        return self.null;
                    }
                    match last {
                        Some((known, place)) if known == number => place,
                        _ => {
                            let place = self.by_number.get(&number).copied();
                            last = Some((number, place));
                            place
                        }
                    }
                };
                numbers(values).enumerate().map(of).collect()
            }
        }
    }
}

/// The bytes of texts; nothing when the values are none.
fn texts(values: &ArrayRef) -> Option<Box<dyn Iterator<Item = Option<&[u8]>> + '_>> {
    fn bytes(text: Option<&str>) -> Option<&[u8]> {
        text.map(str::as_bytes)
    }
    Some(match values.data_type() {
        DataType::Utf8 => Box::new(values.as_string::<i32>().iter().map(bytes)),
        DataType::LargeUtf8 => Box::new(values.as_string::<i64>().iter().map(bytes)),
        DataType::Utf8View => Box::new(values.as_string_view().iter().map(bytes)),
        _ => return None,
    })
}

/// The bytes of values of a fixed width, as one number.
fn numbers(values: &ArrayRef) -> Box<dyn Iterator<Item = u128> + '_> {
    if let Some(values) = values.as_boolean_opt() {
        return Box::new((0..values.len()).map(|row| u128::from(values.value(row))));
    }
    let width = values.data_type().primitive_width().unwrap_or(1);
    let data = Arc::new(values.to_data());
    Box::new((0..values.len()).map(move |row| {
        let bytes = data.buffers().first().map_or(&[][..], |buffer| buffer.as_slice());
        let start = (data.offset() + row) * width;
        let mut number = [0; 16];
        let value = bytes.get(start..start + width.min(16)).unwrap_or_default();
        number[..value.len()].copy_from_slice(value);
        u128::from_le_bytes(number)
    }))
}
