//! Which texts in a table stand for a missing value.

use privet_data::{Column, Kind, Table};

/// Texts that hardly ever are a value.
const CERTAIN: [&str; 14] =
    ["?", "??", "-", "--", ".", "NA", "N/A", "#N/A", "#NULL!", "NaN", "null", "<NA>", "\\N", "(null)"];

/// Texts that often say that nobody knows, and sometimes are an answer.
const POSSIBLE: [&str; 13] = [
    "unknown",
    "none",
    "missing",
    "not available",
    "not stated",
    "undefined",
    "unbekannt",
    "keine Angabe",
    "k.A.",
    "inconnu",
    "desconocido",
    "sconosciuto",
    "onbekend",
];

/// The markers of a missing value that occur in a table.
#[derive(Debug, Clone, Default)]
pub(super) struct Markers {
    /// To be listed under `missing`.
    pub(super) certain: Vec<String>,
    /// To be mentioned.
    pub(super) possible: Vec<String>,
}

/// Finds them; those with which the table was read come first.
pub(super) fn find(table: &Table, known: &[String]) -> Markers {
    let mut markers = Markers { certain: known.to_vec(), possible: Vec::new() };
    for column in &table.columns {
        let found = |list: &[&str]| -> Vec<&str> {
            column.domain.texts().iter().map(|t| &**t).filter(|t| is_among(t, list)).collect()
        };
        let (certain, possible) = (found(&CERTAIN), found(&POSSIBLE));
        if certain.is_empty() && possible.is_empty() {
            continue;
        }
        // Without its markers a column of numbers or dates is one; then even a doubtful text is a marker.
        let typed = kind_without(column, |t| is_among(t, &CERTAIN) || is_among(t, &POSSIBLE)) != Kind::Text;
        for text in certain {
            // The country code of Namibia is a value.
            if typed || !(text == "NA" && all_two_letters(column)) {
                add(&mut markers.certain, text);
            }
        }
        for text in possible {
            add(if typed { &mut markers.certain } else { &mut markers.possible }, text);
        }
    }
    let Markers { certain, possible } = &mut markers;
    possible.retain(|text| !certain.contains(text));
    markers
}

/// Whether a text may say that nobody knows.
pub(super) fn is_marker(text: &str) -> bool {
    is_among(text, &CERTAIN) || is_among(text, &POSSIBLE)
}

fn is_among(text: &str, list: &[&str]) -> bool {
    text.len() <= 14 && list.iter().any(|marker| marker.eq_ignore_ascii_case(text))
}

fn kind_without(column: &Column, is_missing: impl Fn(&str) -> bool) -> Kind {
    let domain = &column.domain;
    let present = (domain.missing()..domain.len() as u32).map(|code| domain.text(code));
    Kind::of(present.filter(|text| !is_missing(text)).collect::<Vec<_>>().into_iter())
}

fn all_two_letters(column: &Column) -> bool {
    let domain = &column.domain;
    let mut values = (domain.missing()..domain.len() as u32).map(|code| domain.text(code));
    domain.len() >= 5 && values.all(|t| t.len() == 2 && t.bytes().all(|b| b.is_ascii_uppercase()))
}

fn add(markers: &mut Vec<String>, text: &str) {
    if !markers.iter().any(|m| m == text) {
        markers.push(text.to_owned());
    }
}
