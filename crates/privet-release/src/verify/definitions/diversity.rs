//! l-diversity in its forms (survey PM-07..10, PM-24, papers L-PM6..11), from the counts of a class.

use std::collections::{BTreeMap, HashMap, HashSet};

use privet_criteria::DiversityKind;

use super::{Judged, Reach, TOLERANCE, Worst};
use crate::verify::table::{Histogram, Released};

/// A form of l-diversity with its parameters.
pub(super) struct Form<'a> {
    kind: DiversityKind,
    l: f64,
    c: f64,
    /// Values whose positive disclosure is allowed.
    allowed: HashSet<&'a str>,
    /// Values whose negative disclosure is not allowed, and their least share.
    protected: (&'a [String], f64),
}

impl<'a> Form<'a> {
    pub fn new(kind: DiversityKind, l: f64, c: Option<f64>) -> Result<Self, String> {
        let counts_values = kind != DiversityKind::Entropy;
        if !l.is_finite() || l < 1.0 || (counts_values && l.fract() != 0.0) {
            return Err("l must be at least 1, and a whole number unless the kind is entropy".to_owned());
        }
        let c = match (kind, c) {
            (DiversityKind::Distinct | DiversityKind::Entropy, _) => 0.0,
            (_, Some(c)) if c.is_finite() && c > 0.0 => c,
            _ => return Err("the recursive forms need a constant c above 0".to_owned()),
        };
        Ok(Self { kind, l, c, allowed: HashSet::new(), protected: (&[], 0.0) })
    }

    pub fn allowing(mut self, allowed: &'a [String]) -> Self {
        if matches!(self.kind, DiversityKind::PositiveDisclosure | DiversityKind::NegativePositiveDisclosure)
        {
            self.allowed = allowed.iter().map(String::as_str).collect();
        }
        self
    }

    pub fn protecting(mut self, percent: Option<f64>, protected: &'a [String]) -> Result<Self, String> {
        if self.kind == DiversityKind::NegativePositiveDisclosure {
            let percent = percent.filter(|p| (0.0..100.0).contains(p));
            let percent = percent.ok_or("the least percentage c2 must be from 0 to below 100")?;
            self.protected = (protected, percent / 100.0);
        }
        Ok(self)
    }

    pub fn judge(&self, column: usize, released: &Released) -> Judged {
        let texts = &released.table.columns[column].texts;
        let classes = released.histograms(column).iter().map(|h| self.reach(h, texts)).collect();
        Judged::new(self.worst(), classes)
    }

    /// Every column for itself, with the other sensitive columns known to the adversary (L-PM11): a class
    /// falls into blocks that agree on them, and its worst block counts.
    pub fn judge_multi_attribute(&self, columns: &[usize], released: &Released) -> Judged {
        let mut classes: Vec<Option<Reach>> = vec![None; released.classes.len()];
        for &column in columns {
            let others: Vec<usize> = released.sensitive.iter().copied().filter(|&c| c != column).collect();
            let mut blocks: HashMap<Vec<u32>, Histogram> = HashMap::new();
            for row in 0..released.table.rows {
                let mut key = vec![released.class_of[row]];
                key.extend(others.iter().map(|&other| released.table.columns[other].codes[row]));
                let code = released.table.columns[column].codes[row];
                *blocks.entry(key).or_default().entry(code).or_default() += 1;
            }
            let texts = &released.table.columns[column].texts;
            for (key, block) in &blocks {
                let reach = self.reach(block, texts);
                let class = &mut classes[key[0] as usize];
                *class = Some(class.map_or(reach, |so_far| self.worse(so_far, reach)));
            }
        }
        // A class always has a block: it has a record.
        Judged::new(self.worst(), classes.into_iter().flatten().collect())
    }

    /// On concepts instead of values (survey PM-24): a value in no concept is a concept of its own.
    pub fn judge_concepts(
        &self,
        concepts: &BTreeMap<String, Vec<String>>,
        column: usize,
        released: &Released,
    ) -> Judged {
        let texts = &released.table.columns[column].texts;
        let number_of = |text: &String| concepts.values().position(|values| values.contains(text));
        let concept_of: Vec<u32> = texts
            .iter()
            .enumerate()
            .map(|(code, text)| number_of(text).unwrap_or(concepts.len() + code) as u32)
            .collect();
        let recode = |histogram: &Histogram| {
            let mut recoded = Histogram::new();
            for (&code, count) in histogram {
                *recoded.entry(concept_of[code as usize]).or_default() += count;
            }
            recoded
        };
        let classes = released.histograms(column).iter().map(|h| self.reach(&recode(h), &[])).collect();
        Judged::new(self.worst(), classes)
    }

    fn worst(&self) -> Worst {
        match self.kind {
            DiversityKind::Distinct | DiversityKind::Entropy => Worst::Smallest,
            _ => Worst::Largest,
        }
    }

    fn worse(&self, a: Reach, b: Reach) -> Reach {
        let pick = if self.worst() == Worst::Smallest { f64::min } else { f64::max };
        Reach::exactly(pick(a.low, b.low), !(a.broken || b.broken))
    }

    fn reach(&self, histogram: &Histogram, texts: &[String]) -> Reach {
        let text = |code: u32| texts.get(code as usize).map_or("", String::as_str);
        match self.kind {
            DiversityKind::Distinct => {
                let distinct = histogram.len() as f64;
                Reach::exactly(distinct, distinct >= self.l)
            }
            DiversityKind::Entropy => {
                let entropy = entropy(histogram);
                Reach::exactly(entropy.exp(), entropy >= self.l.ln() - TOLERANCE)
            }
            DiversityKind::Recursive => self.disclosure(histogram, |_| false),
            DiversityKind::PositiveDisclosure => {
                self.disclosure(histogram, |code| self.allowed.contains(text(code)))
            }
            DiversityKind::NegativePositiveDisclosure => {
                let positive = self.disclosure(histogram, |code| self.allowed.contains(text(code)));
                let (protected, share) = self.protected;
                let total: u64 = histogram.values().sum();
                let enough = |value: &String| {
                    let count: u64 =
                        histogram.iter().filter(|(code, _)| text(**code) == value).map(|(_, n)| n).sum();
                    count as f64 >= share * total as f64 - TOLERANCE
                };
                Reach { broken: positive.broken || !protected.iter().all(enough), ..positive }
            }
        }
    }

    /// Recursive (c,l)-diversity of the values that are not allowed to be disclosed (L-PM8, L-PM9): each of
    /// them must occur less than c times the sum of the other counts without the l-2 largest of those.
    /// Reached is the c at the edge, the largest quotient of the two.
    fn disclosure(&self, histogram: &Histogram, is_allowed: impl Fn(u32) -> bool) -> Reach {
        // 1-diversity always holds.
        if self.l < 2.0 {
            return Reach::exactly(0.0, true);
        }
        let mut edge: f64 = 0.0;
        let mut holds = true;
        for (&code, &count) in histogram {
            if is_allowed(code) {
                continue;
            }
            let mut others: Vec<u64> =
                histogram.iter().filter(|(c, _)| **c != code).map(|(_, n)| *n).collect();
            others.sort_unstable_by(|a, b| b.cmp(a));
            let tail: u64 = others.iter().skip(self.l as usize - 2).sum();
            holds &= (count as f64) < self.c * tail as f64;
            edge = edge.max(count as f64 / tail as f64);
        }
        Reach::exactly(edge, holds)
    }
}

/// Entropy in nats.
fn entropy(histogram: &Histogram) -> f64 {
    let total: u64 = histogram.values().sum();
    let share = |count: &u64| *count as f64 / total as f64;
    histogram.values().map(share).map(|p| -p * p.ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use DiversityKind::{Entropy, PositiveDisclosure, Recursive};

    fn counts(counts: &[u64]) -> Histogram {
        (0..).zip(counts.iter().copied()).collect()
    }

    fn recursive(c: f64, l: f64, of: &[u64]) -> bool {
        !Form::new(Recursive, l, Some(c)).unwrap().reach(&counts(of), &[]).broken
    }

    #[test]
    fn survey_pm09_recursive() {
        assert!(recursive(2.0, 2.0, &[2, 1, 1]));
        assert!(!recursive(2.0, 3.0, &[2, 1, 1]));
        assert!(recursive(2.5, 3.0, &[2, 1, 1]));
        assert!(!recursive(3.0, 2.0, &[3, 1]));
        assert!(recursive(4.0, 2.0, &[3, 1]));
        assert!(!recursive(1e9, 3.0, &[3, 1]));
        assert!(recursive(2.0, 3.0, &[1, 1, 1, 1]));
        assert!(recursive(1.0, 3.0, &[1, 1, 1, 1]));
        assert!(recursive(0.1, 1.0, &[5]));
        let reach = Form::new(Recursive, 3.0, Some(5.0)).unwrap().reach(&counts(&[2, 1, 1]), &[]);
        assert_eq!(reach.low, 2.0, "FX-L3: (c,3) holds for c above 2");
    }

    #[test]
    fn survey_pm08_entropy_ties_hold() {
        let form = Form::new(Entropy, 2.0, None).unwrap();
        assert!(!form.reach(&counts(&[2, 2]), &[]).broken);
        assert!((form.reach(&counts(&[2, 1, 1]), &[]).low - 2f64.powf(1.5)).abs() < 1e-12);
    }

    #[test]
    fn papers_fx_l6_positive_and_negative_disclosure() {
        let texts = ["HD", "flu", "cancer", "HIV"].map(String::from);
        let of = counts(&[10, 6, 3, 1]);
        assert!(!recursive(2.0, 3.0, &[10, 6, 3, 1]));
        let with = |allowed: &[&str], c2: f64| {
            let allowed: Vec<String> = allowed.iter().map(|a| (*a).to_owned()).collect();
            let protected = ["HIV".to_owned()];
            let form = Form::new(DiversityKind::NegativePositiveDisclosure, 3.0, Some(2.0)).unwrap();
            let form = form.allowing(&allowed).protecting(Some(c2), &protected).unwrap();
            !form.reach(&of, &texts).broken
        };
        assert!(with(&["HD"], 5.0) && with(&["HD", "flu"], 5.0));
        assert!(!with(&["HD"], 6.0));
        assert!(!with(&[], 5.0));

        let texts = ["Healthy", "AIDS"].map(String::from);
        let healthy = ["Healthy".to_owned()];
        let form = Form::new(PositiveDisclosure, 2.0, Some(3.0)).unwrap().allowing(&healthy);
        assert!(!form.reach(&counts(&[49, 1]), &texts).broken);
        assert!(form.reach(&counts(&[1, 49]), &texts).broken);
        assert!(!form.reach(&counts(&[7]), &texts).broken, "only allowed values");
    }
}
