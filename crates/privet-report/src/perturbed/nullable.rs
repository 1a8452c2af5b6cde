//! Numbers that there may not be, which JSON writes as `null`, read back.

use serde::{Deserialize, Deserializer};

fn known(number: Option<f64>) -> f64 {
    number.unwrap_or(f64::NAN)
}

pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Option::deserialize(deserializer).map(known)
}

pub(super) fn pairs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(f64, f64)>, D::Error> {
    let read: Vec<(Option<f64>, Option<f64>)> = Vec::deserialize(deserializer)?;
    Ok(read.into_iter().map(|(a, b)| (known(a), known(b))).collect())
}

type Labelled<N> = Vec<(String, N, N, N)>;

pub(super) fn labelled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Labelled<f64>, D::Error> {
    let read: Labelled<Option<f64>> = Vec::deserialize(deserializer)?;
    Ok(read.into_iter().map(|(text, a, b, c)| (text, known(a), known(b), known(c))).collect())
}
