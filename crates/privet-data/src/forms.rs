//! One form for each value: a column in which equal values are published in one way.
//!
//! Records of one class must not be told apart by how a value was typed or quoted, so columns whose values are protected
//! are published so. What stood in the file is kept for columns that are published as they were.

use std::borrow::Cow;
use std::collections::HashMap;

use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_select::take::take;
use unicode_normalization::UnicodeNormalization;

use crate::io::texts_of;
use crate::sameness::instant_key;
use crate::{Cells, Column, Domain, Equality, Kind};

impl Column {
    /// Forgets in which form the value of each record stood.
    pub fn in_one_form(&mut self) {
        self.cells = match std::mem::take(&mut self.cells) {
            // Quotation marks that a value has wherever it stands tell no record from another.
            Cells::Verbatim { codes, cells, texts: None } if self.is_one_for_each(&codes, cells.len()) => {
                Cells::Verbatim { codes, cells, texts: None }
            }
            Cells::Verbatim { .. } => Cells::Plain,
            Cells::ArrowVerbatim { codes, values } => {
                self.one_for_each(&codes, &values).map_or(Cells::Plain, Cells::Arrow)
            }
            cells => cells,
        };
    }

    /// Whether every value stands in one cell alone.
    fn is_one_for_each(&self, places: &[u32], cells: usize) -> bool {
        let mut cell_of: Vec<Option<u32>> = vec![None; self.domain.len()];
        cells <= self.domain.len()
            && self.codes.iter().zip(places).all(|(&code, &place)| {
                cell_of.get_mut(code as usize).is_some_and(|cell| *cell.get_or_insert(place) == place)
            })
    }

    /// How many values were written in more than one way.
    pub fn values_in_several_forms(&self) -> usize {
        let forms: (&[u32], Vec<String>) = match &self.cells {
            Cells::Verbatim { codes, texts: Some(texts), .. } => {
                (codes, texts.iter().map(|text| text.to_string()).collect())
            }
            Cells::ArrowVerbatim { codes, values } => match texts_of(values) {
                Some(texts) => (codes, texts),
                None => return 0,
            },
            _ => return 0,
        };
        let mut first: Vec<Option<&str>> = vec![None; self.domain.len()];
        let mut several = vec![false; self.domain.len()];
        for (&code, &place) in self.codes.iter().zip(forms.0) {
            let Some(text) = forms.1.get(place as usize) else { continue };
            let known = first[code as usize].get_or_insert(text);
            several[code as usize] |= *known != text;
        }
        several[self.domain.missing() as usize..].iter().filter(|several| **several).count()
    }

    /// Per code the value of an array that stands for it. None when an array has no such value: it is then published as a
    /// text.
    fn one_for_each(&self, places: &[u32], values: &ArrayRef) -> Option<ArrayRef> {
        let texts = texts_of(values)?;
        let mut chosen: Vec<Option<u32>> = vec![None; self.domain.len()];
        for (&code, &place) in self.codes.iter().zip(places) {
            let slot = chosen.get_mut(code as usize)?;
            let fits = texts.get(place as usize)? == self.domain.text(code);
            // A null stands for what is missing before an empty text does, whichever record comes first.
            let is_better = |old: u32| values.is_null(place as usize) && !values.is_null(old as usize);
            if fits && slot.is_none_or(is_better) {
                *slot = Some(place);
            }
        }
        let chosen: Option<Vec<u32>> = chosen.into_iter().collect();
        take(values, &UInt32Array::from(chosen?), None).ok()
    }
}

impl Domain {
    /// How many values differ from another only by letter case, by blanks, by how letters are encoded (é, or e and an accent), in how a
    /// number is written (`1,000`), or by the offset of a time. None where every character counts because somebody says so.
    pub fn look_alikes(&self) -> usize {
        if self.sameness().is_chosen(self.kind()) {
            return 0;
        }
        let number = Equality::default().of_kind(Kind::Decimal);
        let alike = |text: &str| {
            if let Some(instant) = instant_key(text) {
                return instant;
            }
            // By way of capitals, of which ß has two; and without the blanks that group digits.
            let plain: String = text.nfkc().filter(|own| !own.is_whitespace()).collect();
            let plain = plain.to_uppercase().to_lowercase();
            number.key(&without_groups(&plain)).into_owned()
        };
        let known = &self.texts()[self.missing() as usize..];
        let mut count: HashMap<String, usize> = HashMap::new();
        known.iter().for_each(|text| *count.entry(alike(text)).or_default() += 1);
        count.values().filter(|count| **count > 1).sum()
    }
}

/// A number without the marks that group its digits by three.
fn without_groups(text: &str) -> Cow<'_, str> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let mut groups = digits.split([',', '\'', '’', '_']);
    let are_digits = |own: &str| !own.is_empty() && own.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().is_some_and(|own| are_digits(own) && own.len() <= 3);
    let mut rest = groups.peekable();
    let is_grouped = first && rest.peek().is_some() && rest.all(|own| are_digits(own) && own.len() == 3);
    if !is_grouped || !fraction.is_none_or(are_digits) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|own| own.is_ascii_digit() || matches!(own, '-' | '+' | '.')).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Float64Array, StringArray};

    use super::*;

    fn column(texts: &[&str], values: ArrayRef) -> Column {
        let all = texts.iter().map(|&text| text.into()).collect();
        let (domain, codes) = Domain::by_value(all, str::is_empty, Equality::default());
        let places = (0..texts.len() as u32).collect();
        Column { name: "n".into(), codes, domain, cells: Cells::ArrowVerbatim { codes: places, values } }
    }

    #[test]
    fn equal_values_are_published_in_one_form() {
        let values = Arc::new(Float64Array::from(vec![Some(-0.0), Some(0.0), None, Some(2.5)]));
        let mut own = column(&["-0.0", "0.0", "", "2.5"], values);
        own.in_one_form();
        let Cells::Arrow(values) = &own.cells else { panic!("the type was lost") };
        let expected: ArrayRef = Arc::new(Float64Array::from(vec![None, Some(0.0), Some(2.5)]));
        assert_eq!(values, &expected);
        let values = Arc::new(StringArray::from(vec![Some(" a"), Some("a  "), None, Some("")]));
        let mut own = column(&[" a", "a  ", "", ""], values);
        own.in_one_form();
        assert!(matches!(own.cells, Cells::Plain), "no form of the array is the text of the value");
    }

    #[test]
    fn texts_that_may_be_one_value_are_counted() {
        let count = |texts: &[&str], equality: Equality| {
            let all = texts.iter().map(|&text| text.into()).collect();
            Domain::by_value(all, str::is_empty, equality).0.look_alikes()
        };
        let texts = ["Flu", "flu", "type  2", "type 2", "100", "100.0", "gout"];
        assert_eq!(count(&texts, Equality::default()), 6);
        assert_eq!(count(&texts, Equality { fold_case: true, ..Equality::default() }), 4);
        assert_eq!(count(&["1", "2", "01"], Equality::default()), 0);
        for alike in [
            ["1 000", "1000"],
            ["1,000", "1000.0"],
            ["1'234'567", "1234567"],
            ["caf\u{e9}", "cafe\u{301}"],
            ["Straße", "STRASSE"],
            ["heart  attack", "heart\u{a0}attack"],
            ["2020-01-31T00:00Z", "2020-01-31T01:00+01:00"],
            ["2020-01-31T23:30:05-0100", "2020-02-01 00:30:05Z"],
        ] {
            assert_eq!(count(&[&alike[..], &["x"]].concat(), Equality::default()), 2, "{alike:?}");
        }
        assert_eq!(count(&["2020-01-31T00:00Z", "2020-01-31T01:00+01:00"], Equality::default()), 2);
        for other in [
            ["1,5", "15"],
            ["1,00", "100"],
            ["2020-01-31T00:00Z", "2020-01-31T00:00+01:00"],
            ["a,000", "a000"],
        ] {
            assert_eq!(count(&[&other[..], &["x"]].concat(), Equality::default()), 0, "{other:?}");
        }
        assert_eq!(count(&["01234", "1234"], Equality::CODES), 0, "the job says that these are codes");
    }

    #[test]
    fn quotation_marks_of_single_records_are_forgotten() {
        let cells =
            Cells::Verbatim { codes: vec![0, 1], cells: ["a".into(), "\"a\"".into()].to_vec(), texts: None };
        let (domain, codes) =
            Domain::by_value(["a".into(), "a".into()].to_vec(), str::is_empty, Equality::default());
        let mut own = Column { name: "n".into(), codes, domain, cells };
        own.in_one_form();
        assert!(matches!(own.cells, Cells::Plain));
    }
}
