//! Whether the people of a span satisfy what was asked: k-anonymity by counting, every other privacy model by `privet-criteria` on the
//! histogram of the class (papers F-PM10, F-AL3).

use privet_criteria::{Class, Criterion, Histogram, Merging, Requirement, SensitiveColumn, build};
use privet_data::{Domain, Kind};

use crate::error::CriterionProblem;
use crate::{MineError, Schema};

/// Requirements made ready for the spans of a model.
pub(crate) struct Judge {
    k: u64,
    others: Vec<Box<dyn Criterion>>,
}

impl Judge {
    /// # Errors
    /// When a requirement is wrong for the table or cannot be enforced by refusing splits.
    pub fn new(schema: &Schema, requirements: &[Requirement], counts: &[u64]) -> Result<Self, MineError> {
        let records: u64 = counts.iter().sum();
        let (mut k, mut others) = (1, Vec::new());
        for requirement in requirements {
            match requirement {
                Requirement::KAnonymity { k: 0 } => return Err(MineError::KTooLarge { k: 0, records }),
                Requirement::KAnonymity { k: own } => k = k.max(*own),
                other => others.push(other.clone()),
            }
        }
        if k > records {
            return Err(MineError::KTooLarge { k, records });
        }
        let texts = schema.class.values.iter().map(|value| value.as_str().into()).collect();
        let domain = Domain::from_sorted(texts, 0, Kind::Text);
        let column = SensitiveColumn { name: &schema.class.name, domain: &domain, counts, hierarchy: None };
        let others = build(&others, &[column], None, records)?;
        for own in &others {
            let refuse = |reason| Err(MineError::Criterion { criterion: own.key(), reason });
            if own.judges_absence() || own.counts_population() {
                return refuse(CriterionProblem::Population);
            }
            if !own.bucket_independent() {
                return refuse(CriterionProblem::NotIndependent);
            }
            if own.merging() == Merging::Arbitrary {
                return refuse(CriterionProblem::NotMonotone);
            }
            if !schema.class_is_private() {
                return refuse(CriterionProblem::PublicClass);
            }
        }
        Ok(Self { k, others })
    }

    /// Whether records of one span with these counts per class satisfy everything. No record satisfies it.
    pub fn holds(&self, counts: &[u32]) -> bool {
        let rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        rows == 0 || (rows >= self.k && self.failing(counts, rows).is_none())
    }

    /// The key of the first criterion that does not hold.
    pub fn first_failing(&self, counts: &[u32]) -> Option<&'static str> {
        let rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if rows == 0 {
            return None;
        }
        if rows < self.k {
            return Some("k-anonymity");
        }
        self.failing(counts, rows)
    }

    fn failing(&self, counts: &[u32], rows: u64) -> Option<&'static str> {
        if self.others.is_empty() {
            return None;
        }
        let present: Vec<u32> =
            (0..counts.len() as u32).filter(|&class| counts[class as usize] > 0).collect();
        let histograms = [Histogram { counts, present: &present, total: rows }];
        let class = Class { rows, population: 0, histograms: &histograms };
        self.others.iter().find(|own| !own.holds(&class)).map(|own| own.key())
    }
}

/// The ℓ of entropy ℓ-diversity that a limit on the confidence in a class of two values asks for: 2^H(q) (papers F-AL3). A span is
/// ℓ-diverse exactly when neither value has a share above q.
///
/// ```
/// assert!((privet_mine::tree::l_of_confidence(0.85).unwrap() - 1.526).abs() < 5e-4);
/// ```
///
/// # Errors
/// When q is not from one half to one.
pub fn l_of_confidence(q: f64) -> Result<f64, MineError> {
    if !(0.5..=1.0).contains(&q) {
        return Err(MineError::Parameter { name: "confidence", value: q, accepted: "from 0.5 to 1" });
    }
    let term = |share: f64| if share > 0.0 { -share * share.log2() } else { 0.0 };
    Ok((term(q) + term(1.0 - q)).exp2())
}

/// The requirement that no value of a class of two has a share above q in any span.
///
/// # Errors
/// When q is not from one half to one, or the class has another number of values than two.
pub fn confidence_limit(schema: &Schema, q: f64) -> Result<Requirement, MineError> {
    let values = schema.class.values.len();
    if values != 2 {
        let accepted = "2: a limit on confidence is l-diversity of a binary class only";
        return Err(MineError::Parameter { name: "class values", value: values as f64, accepted });
    }
    let l = l_of_confidence(q)?;
    // Shares of exactly q are allowed: what rounding adds to l must not refuse them.
    let kind = privet_criteria::DiversityKind::Entropy;
    Ok(Requirement::LDiversity {
        kind,
        l: (l - 1e-12).max(1.0),
        c: None,
        c2: None,
        allowed: Vec::new(),
        protected: Vec::new(),
        multi_attribute: false,
        column: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of F-AL3.
    #[test]
    fn confidence_limits_are_those_of_the_entry() {
        for (q, l) in [
            (0.99, 1.0576),
            (0.97, 1.1442),
            (0.95, 1.2196),
            (0.925, 1.3052),
            (0.90, 1.3841),
            (0.875, 1.4576),
            (0.85, 1.5261),
            (0.80, 1.6494),
            (0.751, 1.7528),
        ] {
            assert!((l_of_confidence(q).unwrap() - l).abs() < 6e-5, "{q}");
        }
        assert!(l_of_confidence(0.4).is_err() && l_of_confidence(f64::NAN).is_err());
    }
}
