//! What a law may promise, and when a number must not be called a promise.
//!
//! γ (survey PM-15, PM-16) bounds what one published value tells of its original, for readers who knew the law before and
//! the law alone. It says nothing where the law itself was made from the originals: invariant PRAM has p_kl =
//! θT_m/((K−1)T_k) (survey ME-26), so its matrix tells the counts of all values up to one factor; and a domain that was
//! taken from the data tells that each value of it occurred. There no γ is published, however small that of the
//! probabilities is.
//!
//! # Guarantee
//! Columns are drawn independently of each other, so the odds of anything about a whole record change by the product of
//! all γ at most; [`Model::new`] publishes it, and none where one column is published as it was, has noise, or is open.

use super::{Categories, CategoryLaw, Model, ModelColumn, Perturbation};

/// Why a law of categories promises no γ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// The probabilities were made from the counts of the data, and tell them.
    Counts,
    /// The values that there can be were taken from the data.
    DataDomain,
    /// An output excludes an original.
    Excludes,
}

impl Open {
    /// Why, and what to do about it.
    pub fn words(self) -> &'static str {
        match self {
            Open::Counts => {
                "its probabilities were made from the data and tell the counts of all its values, so it promises no bound; it \
                 protects single values, and only against readers who may know all counts"
            }
            Open::DataDomain => {
                "the list of its values was taken from the data, so it promises no bound; declare `values` (or a hierarchy that \
                 is written down) to have one"
            }
            Open::Excludes => {
                "some published values exclude some originals, so there is no bound on what it tells of a record"
            }
        }
    }
}

/// The word for invariant PRAM.
pub const INVARIANT_PRAM: &str = "invariant-pram";

impl Open {
    /// Whether a mechanism, or where its domain is from, leaves no promise whatever its probabilities are.
    pub fn of_origin(mechanism: &str, domain: &str) -> Option<Self> {
        if mechanism == INVARIANT_PRAM {
            Some(Open::Counts)
        } else if domain == "data" {
            Some(Open::DataDomain)
        } else {
            None
        }
    }
}

impl Categories {
    /// Why it promises nothing; `None` when it promises its γ.
    pub fn open(&self) -> Option<Open> {
        Open::of_origin(&self.mechanism, &self.domain)
            .or_else(|| self.protects.gamma.is_none().then_some(Open::Excludes))
    }

    /// Whether the probabilities have the form that the name of the mechanism stands for.
    pub fn has_its_form(&self, rounding: f64) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= rounding;
        let CategoryLaw::Matrix(rows) = &self.law else {
            return ["retention", "gamma-diagonal"].contains(&self.mechanism.as_str());
        };
        let entry = |u: usize, v: usize| rows.get(u).and_then(|row| row.get(v)).copied().unwrap_or(f64::NAN);
        let size = self.values.len();
        let pairs = || (0..size).flat_map(|u| (0..size).map(move |v| (u, v)));
        match self.mechanism.as_str() {
            "matrix" => true,
            // The truth, or any other value, each as likely.
            "warner" => {
                let other = (1.0 - entry(0, 0)) / size.saturating_sub(1).max(1) as f64;
                pairs().all(|(u, v)| near(entry(u, v), if u == v { entry(0, 0) } else { other }))
            }
            // P(yes|yes) − P(yes|no) is the probability of the truth.
            "innocuous" => size == 2 && entry(0, 0) - entry(1, 0) >= -rounding,
            // Rows of values that occur are even beside the diagonal; others stay what they are.
            INVARIANT_PRAM => {
                let occurs = |u: usize| entry(u, u) < 1.0;
                let many = (0..size).filter(|&u| occurs(u)).count();
                pairs().filter(|(u, v)| u != v).all(|(u, v)| {
                    let expected = match occurs(u) && occurs(v) {
                        true => (1.0 - entry(u, u)) / many.saturating_sub(1).max(1) as f64,
                        false => 0.0,
                    };
                    near(entry(u, v), expected)
                })
            }
            _ => false,
        }
    }
}

impl Model {
    /// The laws of columns, and what they promise together.
    pub fn new(missing: Vec<String>, columns: Vec<ModelColumn>) -> Self {
        let gamma = together(&columns);
        Self { missing, columns, gamma }
    }
}

/// The product of γ over all columns; none where one has none.
pub(crate) fn together(columns: &[ModelColumn]) -> Option<f64> {
    let mut product = 1.0;
    for column in columns {
        product *= match &column.perturbation {
            Some(Perturbation::Categories(own)) => own.protects.gamma.filter(|_| own.open().is_none())?,
            Some(Perturbation::Items(own)) => own.protects.gamma?,
            _ => return None,
        };
    }
    Some(product).filter(|product: &f64| !columns.is_empty() && product.is_finite())
}

/// How many figures a multiplied number is rounded to: as many as make the rounding about a hundredth to a thousandth of
/// the noise, so that low digits tell nothing of how it was drawn.
pub fn figures_of(deviation: f64) -> u32 {
    let lost = (-deviation.log10()).ceil().clamp(0.0, 11.0);
    3 + lost as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perturbed::Amplification;

    fn categories(mechanism: &str, domain: &str, rows: &[&[f64]], gamma: Option<f64>) -> Categories {
        Categories {
            mechanism: mechanism.into(),
            values: (0..rows.len()).map(|value| value.to_string()).collect(),
            domain: domain.into(),
            law: CategoryLaw::Matrix(rows.iter().map(|row| row.to_vec()).collect()),
            protects: Amplification { gamma, beliefs: vec![] },
        }
    }

    #[test]
    fn laws_made_of_the_data_promise_nothing() {
        let rows: [&[f64]; 2] = [&[0.8, 0.2], &[0.2, 0.8]];
        assert_eq!(categories("warner", "declared", &rows, Some(4.0)).open(), None);
        assert_eq!(categories("warner", "data", &rows, Some(4.0)).open(), Some(Open::DataDomain));
        assert_eq!(categories(INVARIANT_PRAM, "declared", &rows, Some(4.0)).open(), Some(Open::Counts));
        assert_eq!(categories("matrix", "declared", &rows, None).open(), Some(Open::Excludes));
    }

    #[test]
    fn a_mechanism_has_its_form() {
        let even: [&[f64]; 3] = [&[0.6, 0.2, 0.2], &[0.2, 0.6, 0.2], &[0.2, 0.2, 0.6]];
        let pram: [&[f64]; 3] = [&[0.5, 0.5, 0.0], &[0.25, 0.75, 0.0], &[0.0, 0.0, 1.0]];
        let odd: [&[f64]; 3] = [&[0.6, 0.3, 0.1], &[0.2, 0.6, 0.2], &[0.2, 0.2, 0.6]];
        let other_way: [&[f64]; 2] = [&[0.3, 0.7], &[0.6, 0.4]];
        for (mechanism, rows, expected) in [
            ("warner", &even[..], true),
            ("warner", &odd, false),
            ("warner", &other_way, false),
            (INVARIANT_PRAM, &pram, true),
            (INVARIANT_PRAM, &even, true),
            (INVARIANT_PRAM, &odd, false),
            ("innocuous", &even, false),
            ("innocuous", &other_way, false),
            ("innocuous", &[&[0.85, 0.15][..], &[0.15, 0.85]], true),
            ("retention", &even, false),
            ("matrix", &odd, true),
            ("magic", &even, false),
        ] {
            let own = categories(mechanism, "declared", rows, None);
            assert_eq!(own.has_its_form(1e-9), expected, "{mechanism} {rows:?}");
        }
    }

    #[test]
    fn together_is_the_product_or_nothing() {
        let rows: [&[f64]; 2] = [&[0.8, 0.2], &[0.2, 0.8]];
        let column = |own: Option<Categories>| ModelColumn {
            name: "c".into(),
            role: "sensitive".into(),
            perturbation: own.map(Perturbation::Categories),
        };
        let well = || column(Some(categories("warner", "declared", &rows, Some(4.0))));
        let open = column(Some(categories("warner", "data", &rows, None)));
        assert_eq!(Model::new(vec![], vec![well(), well()]).gamma, Some(16.0));
        assert_eq!(Model::new(vec![], vec![well(), open]).gamma, None);
        assert_eq!(Model::new(vec![], vec![well(), column(None)]).gamma, None);
        assert_eq!(Model::new(vec![], vec![]).gamma, None);
        assert_eq!([0.2, 0.1, 1.0, 0.015].map(figures_of), [4, 4, 3, 5]);
    }
}
