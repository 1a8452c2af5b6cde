//! Fixtures of the sources for tests.

use crate::log::{Log, NONE};

/// FX-7.1 (survey L1851-1861): eight rows of three people.
pub(crate) fn search_log() -> Log {
    let rows = [
        (0, "tax ssn 111223333", 1_199_520_600, ""),
        (1, "restaurant arlington wi", 1_199_355_600, "local.yahoo.com/"),
        (1, "restaurant arlington wi", 1_199_355_720, "www.gorestaurants.net/"),
        (1, "70 single men", 1_199_543_400, ""),
        (1, "chen family tree", 1_199_649_660, "chenfamilytree.com"),
        (1, "nude pictures", 1_200_001_320, ""),
        (2, "www.some-church.com", 1_199_788_500, "www.some-church.com"),
        (2, "tax for pastor", 1_200_264_600, "answers.yahoo.com/"),
    ];
    let distinct = |texts: Vec<&'static str>| {
        let mut texts = texts;
        texts.retain(|text| !text.is_empty());
        texts.sort_unstable();
        texts.dedup();
        texts
    };
    let texts = distinct(rows.iter().map(|row| row.1).collect());
    let addresses = distinct(rows.iter().map(|row| row.3).collect());
    let find =
        |all: &[&str], text: &str| all.iter().position(|own| *own == text).map_or(NONE, |at| at as u32);
    Log::new(
        rows.iter().map(|row| row.0).collect(),
        rows.iter().map(|row| find(&texts, row.1)).collect(),
        Some(rows.iter().map(|row| row.2).collect()),
        Some(rows.iter().map(|row| find(&addresses, row.3)).collect()),
        texts.iter().map(|text| (*text).into()).collect(),
        addresses.iter().map(|text| (*text).into()).collect(),
    )
    .unwrap()
}
