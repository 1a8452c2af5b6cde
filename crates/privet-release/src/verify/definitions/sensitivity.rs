//! p-sensitive k-anonymity and its extensions (thesis 1.4-1.8), and (alpha,k)-anonymity (thesis 1.9).

use std::collections::{BTreeSet, HashMap};

use super::{Judged, Reach, TOLERANCE, Worst};
use crate::verify::table::Released;

/// (alpha,k): at least k records, and no protected value in more than a share alpha. Reached is the largest share.
pub(super) fn alpha_k(alpha: f64, k: u64, values: &[String], column: usize, released: &Released) -> Judged {
    let texts = &released.table.columns[column].texts;
    let protects = |code: u32| values.is_empty() || values.contains(&texts[code as usize]);
    let histograms = released.histograms(column);
    let classes = released.classes.iter().zip(&histograms).map(|(class, histogram)| {
        let protected = histogram.iter().filter(|(code, _)| protects(**code));
        let share = protected.map(|(_, count)| *count).max().unwrap_or(0) as f64 / class.rows as f64;
        Reach::exactly(share, class.rows >= k && share <= alpha + TOLERANCE)
    });
    Judged::new(Worst::Largest, classes.collect())
}

/// Categories of values, the most sensitive first, and their weights.
pub(super) struct Categories<'a> {
    category_of: HashMap<&'a str, usize>,
    weights: Vec<f64>,
}

impl<'a> Categories<'a> {
    pub fn new(categories: &'a [Vec<String>], weights: &[f64]) -> Result<Self, String> {
        let mut category_of = HashMap::new();
        for (number, values) in categories.iter().enumerate() {
            for value in values {
                if category_of.insert(value.as_str(), number).is_some_and(|other| other != number) {
                    return Err("a value stands in two categories".to_owned());
                }
            }
        }
        if !weights.is_empty() && weights.len() != categories.len() {
            return Err("there must be one weight for each category".to_owned());
        }
        let weights = if weights.is_empty() { ordinal_weights(categories.len()) } else { weights.to_vec() };
        Ok(Self { category_of, weights })
    }
}

/// Eq 3.1: category i of m weighs (i-1)/(m-1); a single category weighs 1.
fn ordinal_weights(categories: usize) -> Vec<f64> {
    if categories == 1 {
        return vec![1.0];
    }
    (0..categories).map(|i| i as f64 / (categories - 1) as f64).collect()
}

/// At least k records and p distinct values (`plus`: categories), and with `alpha` at least that weight in
/// total, counted over records. Reached is the number of values or categories.
pub(super) fn p_sensitivity(
    p: u64,
    k: u64,
    plus: bool,
    alpha: Option<f64>,
    categories: &Categories<'_>,
    column: usize,
    released: &Released,
) -> Result<Judged, String> {
    let texts = &released.table.columns[column].texts;
    let category_of: Vec<Option<usize>> =
        texts.iter().map(|text| categories.category_of.get(text.as_str()).copied()).collect();
    if (plus || alpha.is_some()) && category_of.contains(&None) {
        let count = category_of.iter().filter(|category| category.is_none()).count();
        return Err(format!("{count} published values stand in no category"));
    }
    let histograms = released.histograms(column);
    let classes = released.classes.iter().zip(&histograms).map(|(class, histogram)| {
        let present = || histogram.iter().map(|(&code, &count)| (category_of[code as usize], count));
        let distinct = if plus {
            present().map(|(category, _)| category).collect::<BTreeSet<_>>().len()
        } else {
            histogram.len()
        };
        let weight: f64 = present()
            .map(|(category, count)| category.map_or(0.0, |c| categories.weights[c]) * count as f64)
            .sum();
        let heavy = alpha.is_none_or(|alpha| weight >= alpha - TOLERANCE);
        Reach::exactly(distinct as f64, class.rows >= k && distinct as u64 >= p && heavy)
    });
    Ok(Judged::new(Worst::Smallest, classes.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thesis_1_5_weights() {
        assert_eq!(ordinal_weights(4), [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
        assert_eq!(ordinal_weights(1), [1.0]);
    }
}
