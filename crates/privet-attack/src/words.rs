//! Findings read back from a file: their words are those of this program, and numbers that there are not are `null` there.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, de::Error};

use crate::rate::Rate;

/// A word of this program. An alias, so that it is not taken for a text that is borrowed from a file.
pub(crate) type Word = &'static str;

/// Longer words than this are none of ours.
const LONGEST: usize = 120;
/// More different words than this are none of ours.
const MOST: usize = 1000;

/// A word that lives as long as the program, as those of findings do. Each is kept once, and no file can make it keep many.
pub(crate) fn lasting<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
    static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let text = String::deserialize(deserializer)?;
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(word) = words.get(text.as_str()) {
        return Ok(word);
    }
    if text.len() > LONGEST || words.len() >= MOST {
        return Err(D::Error::custom("no word of a finding"));
    }
    let word: &'static str = Box::leak(text.into_boxed_str());
    words.insert(word);
    Ok(word)
}

/// A number, or none where a file has `null`.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// A rate, or an unknown one where a file has `null`.
pub(crate) fn rate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Rate, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_else(Rate::unknown))
}

#[cfg(test)]
mod tests {
    use crate::{Finding, HistogramOf, Note, Rate, Unit};

    /// What is written of a finding is what is read of it, numbers that there are not included.
    #[test]
    fn findings_are_read_as_they_were_written() {
        let known = Finding {
            attack: "linking",
            column: Some("c".into()),
            assumed: "a".into(),
            success: "s".into(),
            unit: Unit::Records,
            exposed: Rate::new(1, 3),
            right: Some(Rate::everybody(4)),
            control: None,
            control_group: None,
            baseline: None,
            risk: 1.0 / 3.0,
            not_counted: None,
            histogram: vec![],
            histogram_of: HistogramOf::Candidates,
            notes: vec![Note::of_release("n")],
        };
        let unknown =
            Finding { exposed: Rate::unknown(), risk: f64::NAN, unit: Unit::People, ..known.clone() };
        for own in [known, unknown] {
            let text = serde_json::to_string(&own).unwrap();
            let read: Finding = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
            assert_eq!(format!("{read:?}"), format!("{own:?}"));
            assert!(serde_json::from_str::<Finding>(&text.replacen('{', "{\"colour\":1,", 1)).is_err());
        }
    }
}
