//! p-sensitive k-anonymity and its relatives (thesis 1.4-1.8): at least k records and p distinct values in
//! every class; with `plus`, p distinct categories; with `alpha`, a least total weight too.
//!
//! Categories run from the most sensitive to the least and weigh (i−1)/(m−1) (Eq 3.1; a single category
//! weighs 1) or what the job says. The weight of a class is the sum over its records. All parts only grow
//! under merging, so every form is absorbing. A weight may miss alpha by a relative 1e-12.

use crate::bound::{Bound, Grouping, check_k};
use crate::keep::TOLERANCE;
use crate::{Better, Class, Criterion, Histogram, Merging};

/// p-, p+-, (p,alpha)- and (p+,alpha)-sensitive k-anonymity.
pub(crate) struct PSensitivity {
    p: u64,
    k: u64,
    /// `plus`: per code its category, and how many there are.
    categories: Option<(Vec<u32>, usize)>,
    /// `alpha`: the least weight, and per code its weight.
    weight: Option<(f64, Vec<f64>)>,
    position: usize,
    column: String,
}

/// The parameters as a requirement states them.
pub(crate) struct Parameters<'a> {
    pub p: u64,
    pub k: u64,
    pub plus: bool,
    pub alpha: Option<f64>,
    pub categories: &'a [Vec<String>],
    pub weights: &'a [f64],
}

impl PSensitivity {
    pub fn new(parameters: &Parameters<'_>, rows: u64, bound: &Bound<'_>) -> Result<Self, String> {
        let &Parameters { p, k, plus, alpha, categories, weights } = parameters;
        let column = bound.column.name;
        check_k(k, rows)?;
        if p == 0 {
            return Err("p must be a whole number of at least 1".into());
        }
        let needed = plus || alpha.is_some();
        if needed && categories.is_empty() {
            return Err(
                "categories is missing; plus and alpha need lists of values, the most sensitive first".into(),
            );
        }
        if !needed && !categories.is_empty() {
            return Err("categories belongs to plus = true or alpha; add one of them or leave it out".into());
        }
        if !weights.is_empty() && alpha.is_none() {
            return Err("weights belongs to alpha; add it or leave weights out".into());
        }
        let category_of = if needed { categories_of(categories, bound)? } else { Vec::new() };
        let counted = if plus {
            let mut occurs = vec![false; categories.len()];
            for (&category, &count) in category_of.iter().zip(bound.column.counts) {
                occurs[category as usize] |= count > 0;
            }
            occurs.into_iter().filter(|&occurs| occurs).count() as u64
        } else {
            bound.distinct()
        };
        if p > counted {
            let nouns = if plus { "categories" } else { "distinct values" };
            return Err(format!(
                "p = {p} but column {column} has {counted} {nouns}; p may be at most {counted}"
            ));
        }
        let weight = match alpha {
            None => None,
            Some(alpha) => {
                if !(alpha.is_finite() && alpha >= 0.0) {
                    return Err(format!("alpha = {alpha} must be a number of at least 0"));
                }
                let weights = weights_of(weights, categories.len())?;
                let weight_of: Vec<f64> =
                    category_of.iter().map(|&category| weights[category as usize]).collect();
                let most: f64 =
                    weight_of.iter().zip(bound.column.counts).map(|(weight, &n)| weight * n as f64).sum();
                if alpha > most * (1.0 + TOLERANCE) + TOLERANCE {
                    return Err(format!(
                        "alpha = {alpha} but all records together weigh {most}; alpha may be at most that"
                    ));
                }
                Some((alpha, weight_of))
            }
        };
        let categories = plus.then_some((category_of, categories.len()));
        Ok(Self { p, k, categories, weight, position: bound.position, column: bound.name() })
    }

    /// Whether a class weighs enough.
    fn is_heavy(&self, histogram: &Histogram<'_>) -> bool {
        self.weight.as_ref().is_none_or(|(alpha, weight_of)| {
            let weigh = |&code: &u32| f64::from(histogram.counts[code as usize]) * weight_of[code as usize];
            let weight: f64 = histogram.present.iter().map(weigh).sum();
            weight >= alpha * (1.0 - TOLERANCE)
        })
    }

    /// How many distinct values or categories a class has.
    fn distinct(&self, histogram: &Histogram<'_>) -> u64 {
        let Some((category_of, number)) = &self.categories else {
            return histogram.present.len() as u64;
        };
        let (mut few, mut many);
        let seen = if *number <= 64 {
            few = [false; 64];
            &mut few[..]
        } else {
            many = vec![false; *number];
            &mut many[..]
        };
        let first = |&&code: &&u32| !std::mem::replace(&mut seen[category_of[code as usize] as usize], true);
        histogram.present.iter().filter(first).count() as u64
    }
}

/// Per code its category.
fn categories_of(categories: &[Vec<String>], bound: &Bound<'_>) -> Result<Vec<u32>, String> {
    let category = bound.grouped(("categories", "category"), categories.iter().map(Vec::as_slice))?;
    let without = category.iter().filter(|category| category.is_none()).count();
    if without > 0 {
        return Err(format!(
            "{without} of {} values of column {} stand in no category; every value must stand in one",
            category.len(),
            bound.column.name
        ));
    }
    Ok(category.into_iter().flatten().collect())
}

/// Per category its weight.
fn weights_of(weights: &[f64], categories: usize) -> Result<Vec<f64>, String> {
    if weights.is_empty() {
        let steps = categories.saturating_sub(1) as f64;
        return Ok((0..categories).map(|i| if categories == 1 { 1.0 } else { i as f64 / steps }).collect());
    }
    if weights.len() != categories {
        return Err(format!(
            "weights has {} numbers for {categories} categories; it needs one for each",
            weights.len()
        ));
    }
    if weights.iter().any(|weight| !(weight.is_finite() && *weight >= 0.0)) {
        return Err("every weight must be a number of at least 0".into());
    }
    Ok(weights.to_vec())
}

impl Criterion for PSensitivity {
    fn key(&self) -> &'static str {
        "p-sensitivity"
    }

    fn least_rows(&self) -> u64 {
        self.k
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        let every = grouping.every();
        let what = if self.categories.is_some() { "sensitivity categories" } else { "values" };
        let weight = match &self.weight {
            Some((alpha, _)) => format!(", with a total weight of at least alpha = {alpha}"),
            None => String::new(),
        };
        format!(
            "{every} has at least {} records and at least p = {} different {what} of {}{weight}.",
            self.k, self.p, self.column
        )
    }

    fn merging(&self) -> Merging {
        Merging::Absorbing
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let histogram = &class.histograms[self.position];
        class.rows >= self.k && self.distinct(histogram) >= self.p && self.is_heavy(histogram)
    }

    fn wanted(&self, class: &Class<'_>) -> Option<Vec<bool>> {
        let histogram = &class.histograms[self.position];
        if self.distinct(histogram) < self.p {
            let (category_of, number) = self.categories.as_ref()?;
            let mut is_seen = vec![false; *number];
            for &code in histogram.present {
                is_seen[category_of[code as usize] as usize] = true;
            }
            return Some(category_of.iter().map(|&category| !is_seen[category as usize]).collect());
        }
        let (_, weight_of) = self.weight.as_ref()?;
        Some(weight_of.iter().map(|&weight| weight > 0.0).collect())
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        self.distinct(&class.histograms[self.position]) as f64
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Column, build_one, column, holds};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// Thesis Table 3.3: categories One to Four of two diseases each.
    const DISEASES: [&str; 8] =
        ["HIV", "Cancer", "Phthisis", "Hepatitis", "Obesity", "Asthma", "Flu", "Indigestion"];

    fn diseases() -> Column {
        // Table 3.1: 12 records.
        column(&DISEASES, &[2, 2, 1, 1, 1, 1, 3, 1])
    }

    fn sensitive(p: u64, k: u64, plus: bool, alpha: Option<f64>) -> Value {
        let mut requirement = json!({"criterion": "p-sensitivity", "p": p, "k": k, "plus": plus});
        if let Some(alpha) = alpha {
            requirement["alpha"] = json!(alpha);
        }
        if plus || alpha.is_some() {
            requirement["categories"] = json!(DISEASES.chunks(2).collect::<Vec<_>>());
        }
        requirement
    }

    fn table_holds(requirement: Value, groups: &[[u32; 8]]) -> bool {
        let criterion = build_one(requirement, &diseases()).unwrap();
        groups.iter().all(|group| holds(&*criterion, group))
    }

    const TABLE_3_2: [[u32; 8]; 3] =
        [[2, 2, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 3, 1]];
    // {HIV,Cancer,Flu,Indigestion}, {Two,Two,Three,Three}, {HIV,Cancer,Flu,Flu}.
    const TABLE_3_4: [[u32; 8]; 3] =
        [[1, 1, 0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0, 2, 0]];
    const TABLE_3_5: [[u32; 8]; 3] =
        [[2, 1, 0, 0, 0, 0, 1, 0], [0, 0, 1, 1, 1, 1, 0, 0], [0, 1, 0, 0, 0, 0, 2, 1]];

    #[test]
    fn thesis_1_4_table_3_2() {
        assert!(table_holds(sensitive(2, 4, false, None), &TABLE_3_2));
        assert!(!table_holds(sensitive(2, 4, true, None), &TABLE_3_2), "similarity attack");
        assert!(!table_holds(sensitive(3, 4, false, None), &TABLE_3_2));
        assert!(!table_holds(sensitive(2, 5, false, None), &TABLE_3_2));
    }

    #[test]
    fn thesis_1_5_weights() {
        // {Cancer, Phthisis, Asthma, Flu} weighs 0 + 1/3 + 2/3 + 1 = 2.
        let group = [[0, 1, 1, 0, 0, 1, 1, 0]];
        assert!(table_holds(sensitive(1, 1, false, Some(2.0)), &group));
        assert!(!table_holds(sensitive(1, 1, false, Some(2.000_001)), &group));
        // A single category weighs 1.
        let one =
            json!({"criterion": "p-sensitivity", "p": 1, "k": 1, "alpha": 2.0, "categories": [["a", "b"]]});
        let criterion = build_one(one, &column(&["a", "b"], &[2, 2])).unwrap();
        assert!(holds(&*criterion, &[1, 1]) && !holds(&*criterion, &[1, 0]));
    }

    #[test]
    fn thesis_1_6_and_1_8_table_3_4() {
        assert!(table_holds(sensitive(2, 4, true, None), &TABLE_3_4));
        assert!(table_holds(sensitive(2, 4, true, Some(2.0)), &TABLE_3_4), "every group weighs 2");
        assert!(!table_holds(sensitive(2, 4, true, Some(2.1)), &TABLE_3_4));
        assert!(!table_holds(sensitive(3, 4, true, None), &TABLE_3_4));
    }

    #[test]
    fn thesis_1_7_table_3_5() {
        assert!(table_holds(sensitive(3, 4, false, Some(1.0)), &TABLE_3_5));
        assert!(!table_holds(sensitive(3, 4, false, Some(1.1)), &TABLE_3_5), "group 1 weighs 1");
        for (group, weight) in TABLE_3_5.iter().zip([1.0, 2.0, 3.0]) {
            assert!(table_holds(sensitive(1, 1, false, Some(weight)), &[*group]));
            assert!(!table_holds(sensitive(1, 1, false, Some(weight + 1e-6)), &[*group]));
        }
    }

    #[test]
    fn parameters_are_checked() {
        let problem = |requirement: Value| build_one(requirement, &diseases()).err().unwrap().problem;
        assert!(problem(sensitive(9, 1, false, None)).contains("p may be at most 8"));
        assert!(problem(sensitive(5, 1, true, None)).contains("p may be at most 4"));
        assert!(problem(sensitive(0, 1, false, None)).contains("at least 1"));
        assert!(problem(sensitive(1, 13, false, None)).contains("k may be at most 12"));
        assert!(problem(sensitive(1, 1, false, Some(99.0))).contains("all records together weigh"));
        let mut none = sensitive(1, 1, true, None);
        none["categories"] = json!([]);
        assert!(problem(none).contains("categories is missing"));
        let mut half = sensitive(1, 1, true, None);
        half["categories"] = json!([["HIV", "Cancer"]]);
        let half = problem(half);
        assert!(half.contains("6 of 8 values") && !half.contains("Phthisis"));
        let mut misspelt = sensitive(1, 1, true, None);
        misspelt["categories"] = json!([DISEASES, ["Phtisis"]]);
        assert!(problem(misspelt).contains("categories names 1 of 9 values that column"));
        let mut twice = sensitive(1, 1, true, None);
        twice["categories"] = json!([DISEASES, ["HIV"]]);
        assert!(problem(twice).contains("more than one category"));
        let mut weights = sensitive(1, 1, false, Some(1.0));
        weights["weights"] = json!([0.0, 1.0]);
        assert!(problem(weights.clone()).contains("2 numbers for 4 categories"));
        weights["weights"] = json!([0.0, 1.0, -1.0, 0.0]);
        assert!(problem(weights).contains("at least 0"));
    }

    proptest! {
        /// Thesis section 4: p+ implies p, (p+,alpha) implies (p,alpha) and p+, alpha = 0 is p, and p+ is p
        /// when each category has one value.
        #[test]
        fn thesis_4_implications(group in prop::collection::vec(0u32..4, 8), p in 1u64..5, k in 1u64..9, alpha in 0.0f64..6.0) {
            let holds = |requirement| holds(&*build_one(requirement, &diseases()).unwrap(), &group);
            let plain = holds(sensitive(p, k, false, None));
            let plus = holds(sensitive(p, k, true, None));
            let weighed = holds(sensitive(p, k, false, Some(alpha)));
            let both = holds(sensitive(p, k, true, Some(alpha)));
            prop_assert!(!plus || plain);
            prop_assert!(!both || (weighed && plus));
            prop_assert_eq!(holds(sensitive(p, k, false, Some(0.0))), plain);
            let mut single = sensitive(p, k, true, None);
            single["categories"] = json!(DISEASES.chunks(1).collect::<Vec<_>>());
            prop_assert_eq!(holds(single), plain);
        }
    }
}
