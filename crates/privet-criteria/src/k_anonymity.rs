//! k-anonymity (survey PM-05, papers T-PM1 and L-PM1, thesis 1.1): every class has at least k records.
//!
//! Judged on the quasi-identifier, not on all attributes (papers DEF-1). Absorbing: a class only grows
//! when another is merged into it.

use crate::bound::{Grouping, check_k};
use crate::{Better, Class, Criterion, Merging};

/// Every class has at least k records.
pub(crate) struct KAnonymity {
    k: u64,
}

impl KAnonymity {
    pub fn new(k: u64, rows: u64) -> Result<Self, String> {
        check_k(k, rows)?;
        Ok(Self { k })
    }
}

/// The sentence that promises a smallest group.
pub(crate) fn look_alikes(k: u64, grouping: Grouping) -> String {
    let (alone, shares) = match grouping {
        Grouping::Classes => ("unique in their quasi-identifiers", "its quasi-identifiers"),
        Grouping::Buckets => ("alone in their bucket", "its bucket"),
        Grouping::Spans => ("alone in their span", "its span"),
    };
    match k {
        0 | 1 => format!("Published records may be {alone} (k = 1)."),
        2 => format!("Every published record shares {shares} with at least 1 other (k = 2)."),
        _ => format!("Every published record shares {shares} with at least {} others (k = {k}).", k - 1),
    }
}

impl Criterion for KAnonymity {
    fn key(&self) -> &'static str {
        "k-anonymity"
    }

    fn least_rows(&self) -> u64 {
        self.k
    }

    fn promise_of(&self, grouping: Grouping) -> String {
        look_alikes(self.k, grouping)
    }

    fn merging(&self) -> Merging {
        Merging::Absorbing
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        class.rows >= self.k
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        class.rows as f64
    }

    fn better(&self) -> Better {
        Better::Higher
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sample, build_one, column};
    use serde_json::json;

    /// The k that a table with classes of these sizes reaches, and that it holds at k and not at k + 1.
    fn level(sizes: &[u32]) -> u64 {
        let rows = sizes.iter().sum::<u32>();
        let sensitive = column(&["x"], &[rows]);
        let k = *sizes.iter().min().unwrap() as u64;
        let at = |k: u64| {
            let criterion = build_one(json!({"criterion": "k-anonymity", "k": k}), &sensitive).unwrap();
            sizes.iter().all(|&size| Sample::of(&[size]).ask(|class| criterion.holds(class)))
        };
        assert!(at(k) && (k == rows as u64 || !at(k + 1)));
        k
    }

    #[test]
    fn survey_pm05_goldens() {
        assert_eq!(level(&[4, 4, 4]), 4, "FX-1.2 and FX-1.3");
        assert_eq!(level(&[3, 5]), 3, "FX-4.1");
        assert_eq!(level(&[3, 4, 3, 2]), 2, "FX-4.3");
        assert_eq!(level(&[3, 2, 2, 3, 2]), 2, "FX-4.4");
        assert_eq!(level(&[400, 200, 600, 600]), 200, "FX-2.4");
        assert_eq!(level(&[3, 3]), 3, "papers FX-T3");
    }

    #[test]
    fn thesis_1_1_and_1_2_goldens() {
        assert_eq!(level(&[2, 1, 2, 1]), 1, "Table 2.1; nodes [0,0], [0,1], [1,0]");
        assert_eq!(level(&[3, 3]), 3, "Table 2.2; node [0,2]");
        assert_eq!(level(&[4, 2]), 2, "node [1,1]");
        assert_eq!(level(&[6]), 6, "node [1,2]");
        assert_eq!(level(&[2, 1, 1, 2]), 1, "Table 4.1(a)");
        assert_eq!(level(&[2, 2, 2]), 2, "Table 4.1(b) and (c)");
    }

    #[test]
    fn the_promise_counts_the_others() {
        let sensitive = column(&["x"], &[9]);
        let promise =
            |k: u64| build_one(json!({"criterion": "k-anonymity", "k": k}), &sensitive).unwrap().promise();
        assert!(promise(5).contains("at least 4 others"));
        assert!(promise(2).contains("at least 1 other "));
    }
}
