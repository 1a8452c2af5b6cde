//! What is published of association rules, and whether it is k-anonymous (papers F-AL5, FX-F5).
//!
//! As a model, rules put a person's items into a class: per rule whether the antecedent is not complete, only the antecedent is, or both
//! sides are. The span of the public items is decided by, per rule, whether the public part of the antecedent is there and
//! whether the public part of the consequent is: these *states* are the keys of spans here. Two persons have the same span exactly when
//! their states are equal, because each state allows another set of outcomes.
//!
//! The support of a consequent with private items is not published. It counts people without the antecedent too, whose span may be of one
//! class and so of any size: less the support of the rule it is how many of them have the private items.
//!
//! # Guarantee
//! Every span with more than one class has at least k people (Claim 3 of the source). A release is the same whatever private items the people
//! in spans of one class have (F-TH2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::transactions::contains;
use super::{Rule, Transactions};
use crate::{MineError, RuleProblem, SpanOracle};

/// Private items beyond which classes of a span are not counted one by one.
const COUNTED: usize = 16;

/// Rules as a model over sets of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleModel {
    rules: Vec<Sides>,
    private: Vec<u32>,
}

/// The sides of a rule, split into what everybody knows and what nobody does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sides {
    antecedent: [Vec<u32>; 2],
    consequent: [Vec<u32>; 2],
}

/// The state of a rule for the public items of a person.
const ABSENT: u32 = 0;
const ANTECEDENT: u32 = 1;
const BOTH: u32 = 2;

/// Rules with the populations of their spans, as they are published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleRelease {
    /// The version of this form, 1.
    pub version: u32,
    /// The transactions.
    pub records: u64,
    /// The people of every span with more than one class.
    pub k: u64,
    /// Per item its label; an item is a position.
    pub items: Vec<String>,
    /// The items that nobody knows of anybody, ascending.
    pub private: Vec<u32>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// The spans into which transactions fall.
    pub spans: Vec<RuleSpan>,
}

/// The people of one span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSpan {
    /// Per rule 0 when its antecedent cannot be complete, 1 when its antecedent can be and its consequent cannot, 2 when both can.
    pub states: Vec<u32>,
    /// The transactions with this span.
    pub records: u64,
}

/// What verifying published rules found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleVerdict {
    /// The people of the smallest span with more than one class.
    pub reached: Option<u64>,
    /// Positions of the spans that have more than one class and too few people.
    pub violations: Vec<usize>,
    /// The people in spans of one class.
    pub silent: u64,
}

impl RuleVerdict {
    /// Whether the promise holds.
    pub fn holds(&self) -> bool {
        self.violations.is_empty()
    }
}

/// Why published rules are not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// A version that this program does not know.
    #[error("the rules are of version {version}; this program reads version 1")]
    Version {
        /// The version.
        version: u32,
    },
    /// A rule that is none, or whose supports contradict each other.
    #[error(
        "rule {rule} has wrong sides, unknown items, or supports that contradict each other or the spans"
    )]
    Rule {
        /// Its position.
        rule: usize,
    },
    /// A rule that counts people by private items beyond the spans that it tells of.
    #[error("rule {rule} has a consequent with private items and tells how many people have it")]
    PrivateConsequent {
        /// Its position.
        rule: usize,
    },
    /// Private items that are not ascending, or unknown.
    #[error("the private items are not ascending or not known")]
    Private,
    /// A span that no person can have, or that is listed twice.
    #[error("span {span} has wrong states, is listed twice or holds no record")]
    Span {
        /// Its position.
        span: usize,
    },
    /// Populations that do not add up.
    #[error("the spans hold {counted} records, the rules claim {declared}")]
    Records {
        /// What is claimed.
        declared: u64,
        /// What the spans hold.
        counted: u64,
    },
}

impl RuleModel {
    /// The model of rules over items of which some are private.
    pub fn new(rules: &[Rule], private: &[u32]) -> Self {
        let private = super::transactions::union(private, &[]);
        let split = |side: &[u32]| {
            let of = |hidden: bool| {
                let own = side.iter().filter(|item| private.binary_search(item).is_ok() == hidden);
                own.copied().collect::<Vec<u32>>()
            };
            [of(false), of(true)]
        };
        let sides =
            |rule: &Rule| Sides { antecedent: split(&rule.antecedent), consequent: split(&rule.consequent) };
        Self { rules: rules.iter().map(sides).collect(), private }
    }

    /// Per rule the state for these items, which must be ascending.
    pub fn states(&self, items: &[u32], out: &mut Vec<u32>) {
        let state = |sides: &Sides| match contains(items, &sides.antecedent[0]) {
            false => ABSENT,
            true if contains(items, &sides.consequent[0]) => BOTH,
            true => ANTECEDENT,
        };
        out.extend(self.rules.iter().map(state));
    }

    /// Whether the outcome of a rule in this state depends on private items.
    pub fn varies(&self, rule: usize, state: u32) -> bool {
        let sides = &self.rules[rule];
        match state {
            ABSENT => false,
            ANTECEDENT => !sides.antecedent[1].is_empty(),
            _ => !sides.antecedent[1].is_empty() || !sides.consequent[1].is_empty(),
        }
    }

    /// The people of each span.
    pub fn spans(&self, transactions: &Transactions) -> Vec<RuleSpan> {
        let mut found: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        let mut key = Vec::new();
        for row in transactions.rows() {
            key.clear();
            self.states(row, &mut key);
            match found.get_mut(&key) {
                Some(records) => *records += 1,
                None => drop(found.insert(key.clone(), 1)),
            }
        }
        found.into_iter().map(|(states, records)| RuleSpan { states, records }).collect()
    }

    /// The outcome of a rule in a state, for a set of private items.
    fn outcome(&self, rule: usize, state: u32, private: &[u32]) -> u32 {
        let sides = &self.rules[rule];
        match state != ABSENT && contains(private, &sides.antecedent[1]) {
            false => 0,
            true => 1 + u32::from(state == BOTH && contains(private, &sides.consequent[1])),
        }
    }

    /// The same rules as they may be published: without the supports of consequents with private items.
    pub(super) fn withheld(&self, rules: &[Rule]) -> Vec<Rule> {
        let own = |(rule, sides): (&Rule, &Sides)| {
            let mut rule = rule.clone();
            rule.consequent_support = rule.consequent_support.filter(|_| sides.consequent[1].is_empty());
            rule
        };
        rules.iter().zip(&self.rules).map(own).collect()
    }

    fn verdict(&self, spans: &[RuleSpan], k: u64) -> RuleVerdict {
        let mut verdict = RuleVerdict { reached: None, violations: Vec::new(), silent: 0 };
        for (place, span) in spans.iter().enumerate() {
            let states = span.states.iter().enumerate();
            if !states.clone().any(|(rule, &state)| self.varies(rule, state)) {
                verdict.silent += span.records;
                continue;
            }
            verdict.reached = Some(verdict.reached.map_or(span.records, |least| least.min(span.records)));
            if span.records < k {
                verdict.violations.push(place);
            }
        }
        verdict
    }
}

/// Records are ascending items.
impl SpanOracle for RuleModel {
    type Record = [u32];

    fn span(&self, record: &[u32], key: &mut Vec<u32>) {
        self.states(record, key);
    }

    /// Counted over all sets of the private items that matter; `u64::MAX` when there are more than 16 of them.
    fn classes(&self, span: &[u32]) -> u64 {
        let live = || (0..self.rules.len()).filter(|&rule| self.varies(rule, span[rule]));
        let mut private: Vec<u32> = live()
            .flat_map(|rule| {
                let sides = &self.rules[rule];
                let consequent = (span[rule] == BOTH).then_some(&sides.consequent[1]);
                sides.antecedent[1].iter().chain(consequent.into_iter().flatten()).copied()
            })
            .collect();
        private.sort_unstable();
        private.dedup();
        if private.len() > COUNTED {
            return u64::MAX;
        }
        let mut outcomes = std::collections::BTreeSet::new();
        for set in 0..1u32 << private.len() {
            let chosen = private.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
            let chosen: Vec<u32> = chosen.map(|(_, item)| *item).collect();
            outcomes.insert(live().map(|rule| self.outcome(rule, span[rule], &chosen)).collect::<Vec<u32>>());
        }
        outcomes.len() as u64
    }

    fn class(&self, record: &[u32], key: &mut Vec<u32>) {
        let is_private = |item: &&u32| self.private.binary_search(item).is_ok();
        let private: Vec<u32> = record.iter().filter(is_private).copied().collect();
        let mut states = Vec::new();
        self.states(record, &mut states);
        key.extend((0..states.len()).map(|rule| self.outcome(rule, states[rule], &private)));
    }
}

impl RuleRelease {
    /// The release of rules on the transactions that they were mined from. Supports of consequents with private items are left out.
    ///
    /// # Errors
    /// When k is 0 or above the number of transactions, or a rule is wrong or absent from the data.
    pub fn of(
        transactions: &Transactions,
        labels: &[String],
        rules: &[Rule],
        private: &[u32],
        k: u64,
    ) -> Result<Self, MineError> {
        let records = transactions.len() as u64;
        if k == 0 || k > records {
            return Err(MineError::KTooLarge { k, records });
        }
        for (place, rule) in rules.iter().enumerate() {
            let same = Rule::of(transactions, &rule.antecedent, &rule.consequent);
            let problem = match same {
                Ok(own) if own == *rule => continue,
                Ok(_) => RuleProblem::Supports,
                Err(problem) => problem,
            };
            return Err(MineError::Rule { position: place + 1, problem });
        }
        let model = RuleModel::new(rules, private);
        Ok(Self {
            version: 1,
            records,
            k,
            items: labels.to_vec(),
            private: model.private.clone(),
            rules: model.withheld(rules),
            spans: model.spans(transactions),
        })
    }

    /// The rules as a model.
    pub fn model(&self) -> RuleModel {
        RuleModel::new(&self.rules, &self.private)
    }

    /// Verifies the rules from what is published alone: supports fit each other and the spans, populations add up, and every span with
    /// more than one class has k people.
    ///
    /// # Errors
    /// When what is published contradicts itself.
    pub fn verify(&self) -> Result<RuleVerdict, RuleError> {
        if self.version != 1 {
            return Err(RuleError::Version { version: self.version });
        }
        let ascends = |own: &[u32]| own.windows(2).all(|pair| pair[0] < pair[1]);
        let known = |own: &[u32]| ascends(own) && own.iter().all(|&item| (item as usize) < self.items.len());
        if !known(&self.private) {
            return Err(RuleError::Private);
        }
        for (place, rule) in self.rules.iter().enumerate() {
            let counts = [Some(rule.antecedent_support), rule.consequent_support];
            let fits = rule.check_sides().is_ok()
                && known(&rule.antecedent)
                && known(&rule.consequent)
                && rule.support > 0
                && counts.iter().flatten().all(|&count| rule.support <= count && count <= self.records);
            if !fits {
                return Err(RuleError::Rule { rule: place });
            }
        }
        let mut seen = std::collections::HashSet::new();
        for (place, span) in self.spans.iter().enumerate() {
            let fits = span.states.len() == self.rules.len()
                && span.states.iter().all(|&state| state <= BOTH)
                && span.records > 0
                && seen.insert(&span.states);
            if !fits {
                return Err(RuleError::Span { span: place });
            }
        }
        let counted = self.spans.iter().map(|span| span.records).sum();
        if counted != self.records {
            return Err(RuleError::Records { declared: self.records, counted });
        }
        let model = self.model();
        for (place, sides) in model.rules.iter().enumerate() {
            if self.rules[place].consequent_support.is_some() && !sides.consequent[1].is_empty() {
                return Err(RuleError::PrivateConsequent { rule: place });
            }
            if !self.supports_fit(place, sides) {
                return Err(RuleError::Rule { rule: place });
            }
        }
        Ok(model.verdict(&self.spans, self.k))
    }

    /// Whether the supports of a rule fit the spans: exactly where a side is public, as a bound where it is not.
    fn supports_fit(&self, place: usize, sides: &Sides) -> bool {
        let from = |state: u32| -> u64 {
            let own = self.spans.iter().filter(|span| span.states[place] >= state);
            own.map(|span| span.records).sum()
        };
        let rule = &self.rules[place];
        let fits =
            |count: u64, bound: u64, is_public: bool| if is_public { count == bound } else { count <= bound };
        let antecedent_is_public = sides.antecedent[1].is_empty();
        let all_public = antecedent_is_public && sides.consequent[1].is_empty();
        fits(rule.antecedent_support, from(ANTECEDENT), antecedent_is_public)
            && fits(rule.support, from(BOTH), all_public)
    }
}

/// The spans of published rules whose public antecedents are nested, from their supports and the number of transactions alone, as the
/// source computes them: from the fewest antecedents to the most.
///
/// # Errors
/// When antecedents hold private items or are not nested: then the supports do not decide the populations.
pub fn spans_of_nested(rules: &[Rule], private: &[u32], records: u64) -> Result<Vec<RuleSpan>, MineError> {
    let model = RuleModel::new(rules, private);
    let mut order: Vec<usize> = (0..rules.len()).collect();
    order.sort_by_key(|&rule| (rules[rule].antecedent.len(), rule));
    for (position, pair) in order.windows(2).enumerate() {
        if !contains(&rules[pair[1]].antecedent, &rules[pair[0]].antecedent) {
            return Err(MineError::Rule { position: position + 2, problem: RuleProblem::NotNested });
        }
    }
    let is_simple = |sides: &Sides| sides.antecedent[1].is_empty() && sides.consequent[0].is_empty();
    if let Some(position) = model.rules.iter().position(|sides| !is_simple(sides)) {
        return Err(MineError::Rule { position: position + 1, problem: RuleProblem::NotNested });
    }
    let mut spans = Vec::new();
    let mut states = vec![ABSENT; rules.len()];
    let mut before = records;
    for (place, &rule) in order.iter().enumerate() {
        let count = rules[rule].antecedent_support;
        if count > before {
            return Err(MineError::Rule { position: rule + 1, problem: RuleProblem::Supports });
        }
        let is_same = place > 0 && rules[rule].antecedent == rules[order[place - 1]].antecedent;
        if !is_same && before > count {
            spans.push(RuleSpan { states: states.clone(), records: before - count });
        }
        states[rule] = BOTH;
        before = count;
    }
    spans.push(RuleSpan { states, records: before });
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Release;

    const CHERRIES: u32 = 0;
    const CANDLES: u32 = 1;
    const VIAGRA: u32 = 2;
    const TYLENOL: u32 = 3;

    fn fx_f5() -> [Rule; 2] {
        let rule = |antecedent: &[u32], consequent: u32, support, antecedent_support| Rule {
            antecedent: antecedent.to_vec(),
            consequent: vec![consequent],
            support,
            antecedent_support,
            consequent_support: Some(200),
        };
        // 0.084 · 1000 / 0.75 and 0.024 · 1000 / 0.80.
        [rule(&[CHERRIES], VIAGRA, 84, 112), rule(&[CHERRIES, CANDLES], TYLENOL, 24, 30)]
    }

    #[test]
    fn fx_f5_spans_and_classes() {
        let rules = fx_f5();
        let spans = spans_of_nested(&rules, &[VIAGRA, TYLENOL], 1000).unwrap();
        let model = RuleModel::new(&rules, &[VIAGRA, TYLENOL]);
        let found: Vec<(u64, u64)> =
            spans.iter().map(|span| (span.records, model.classes(&span.states))).collect();
        assert_eq!(found, [(888, 1), (82, 2), (30, 4)]);
        let verdict = model.verdict(&spans, 30);
        assert!(verdict.holds() && verdict.reached == Some(30) && verdict.silent == 888);
        assert!(!model.verdict(&spans, 31).holds());
        // Rule 1 alone is safe for k up to 112, rule 2 alone up to 30.
        for (rule, k) in [(0, 112), (1, 30)] {
            let alone = [rules[rule].clone()];
            let spans = spans_of_nested(&alone, &[VIAGRA, TYLENOL], 1000).unwrap();
            assert_eq!(RuleModel::new(&alone, &[VIAGRA, TYLENOL]).verdict(&spans, 1).reached, Some(k));
        }
    }

    /// 1,000 transactions with the supports of FX-F5: published, verified, tampered with.
    #[test]
    fn fx_f5_as_a_release() {
        let mut rows = vec![vec![9]; 888];
        for place in 0..112u32 {
            let mut row = vec![CHERRIES];
            row.extend((place < 30).then_some(CANDLES));
            row.extend((place % 4 != 0).then_some(VIAGRA));
            row.extend((place < 24).then_some(TYLENOL));
            rows.push(row);
        }
        let data = Transactions::new(rows);
        let rules: Vec<Rule> = [(vec![CHERRIES], VIAGRA), (vec![CHERRIES, CANDLES], TYLENOL)]
            .iter()
            .map(|(antecedent, consequent)| Rule::of(&data, antecedent, &[*consequent]).unwrap())
            .collect();
        assert!((rules[0].confidence() - 0.75).abs() < 1e-12 && (rules[1].confidence() - 0.8).abs() < 1e-12);
        let labels: Vec<String> = (0..10).map(|item| format!("item {item}")).collect();
        let release = RuleRelease::of(&data, &labels, &rules, &[VIAGRA, TYLENOL], 30).unwrap();
        let read: RuleRelease = serde_json::from_str(&serde_json::to_string(&release).unwrap()).unwrap();
        assert_eq!(read, release);
        assert_eq!(read.verify().unwrap().reached, Some(30));
        let mut tampered = release;
        tampered.spans[1].records += 1;
        assert_eq!(tampered.verify(), Err(RuleError::Records { declared: 1000, counted: 1001 }));
        tampered.spans[0].records -= 1;
        assert_eq!(tampered.verify(), Err(RuleError::Rule { rule: 0 }));
        let mut wrong = rules.clone();
        wrong[0].support += 1;
        let error = RuleRelease::of(&data, &labels, &wrong, &[VIAGRA], 30).unwrap_err();
        assert_eq!(error, MineError::Rule { position: 1, problem: RuleProblem::Supports });
        assert!(RuleRelease::of(&data, &labels, &rules, &[VIAGRA], 1001).is_err());
    }

    /// 100 baskets hold cherries, 60 of them pills; one person holds pills and no cherries, in a silent span of one. The support of
    /// the consequent alone, 61, would tell of that person.
    #[test]
    fn supports_of_private_consequents_are_not_published() {
        let mut rows = vec![vec![CHERRIES, VIAGRA]; 60];
        rows.extend(vec![vec![CHERRIES]; 40]);
        rows.push(vec![VIAGRA]);
        let data = Transactions::new(rows);
        let rules = [Rule::of(&data, &[CHERRIES], &[VIAGRA]).unwrap()];
        let labels: Vec<String> = (0..3).map(|item| format!("item {item}")).collect();
        let release = RuleRelease::of(&data, &labels, &rules, &[VIAGRA], 30).unwrap();
        assert!(release.verify().unwrap().holds());
        let mut value = serde_json::to_value(&release).unwrap();
        assert!(value["rules"][0]["consequent_support"].is_null());
        value["rules"][0]["consequent_support"] = serde_json::json!(61);
        let told: RuleRelease = serde_json::from_value(value).unwrap();
        assert_eq!(told.verify(), Err(RuleError::PrivateConsequent { rule: 0 }));
    }

    /// F-TH6: two overlapping rules have seven classes, not nine.
    #[test]
    fn overlapping_rules_have_seven_classes() {
        let rules = fx_f5();
        let model = RuleModel::new(&rules, &[VIAGRA, TYLENOL]);
        let mut classes = std::collections::BTreeSet::new();
        for set in 0..16u32 {
            let items: Vec<u32> = (0..4).filter(|item| set >> item & 1 == 1).collect();
            let mut key = Vec::new();
            model.class(&items, &mut key);
            classes.insert(key);
        }
        assert_eq!(classes.len(), 7);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Spans and numbers of classes against Definition 5, over all sets of private items.
        #[test]
        fn spans_are_those_of_the_definition(
            sides in prop::collection::vec((1u32..32, 1u32..32), 1..4), hidden in 0u32..32
        ) {
            let set = |bits: u32| (0..5).filter(|item| bits >> item & 1 == 1).collect::<Vec<u32>>();
            let rules: Vec<Rule> = sides.iter().map(|&(antecedent, consequent)| Rule {
                antecedent: set(antecedent),
                consequent: set(consequent & !antecedent),
                support: 1, antecedent_support: 1, consequent_support: None,
            }).filter(|rule| !rule.consequent.is_empty()).collect();
            let model = RuleModel::new(&rules, &set(hidden));
            let mut spans = BTreeMap::new();
            for public in (0..32u32).filter(|own| own & hidden == 0) {
                let mut classes = std::collections::BTreeSet::new();
                for private in (0..32u32).filter(|own| own & !hidden == 0) {
                    let mut key = Vec::new();
                    model.class(&set(public | private), &mut key);
                    classes.insert(key);
                }
                let mut key = Vec::new();
                model.span(&set(public), &mut key);
                prop_assert_eq!(model.classes(&key), classes.len() as u64);
                // Equal keys exactly for equal spans.
                let known = spans.entry(key).or_insert_with(|| classes.clone());
                prop_assert_eq!(&*known, &classes);
            }
            let distinct: std::collections::BTreeSet<_> = spans.values().collect();
            prop_assert_eq!(distinct.len(), spans.len());
        }

        /// F-TH2: two tables that differ in the private items of people in spans of one class give the same release.
        #[test]
        fn silent_spans_tell_nothing_of_private_items(
            rows in prop::collection::vec(prop::collection::vec(0u32..5, 0..5), 3..20),
            others in prop::collection::vec(0u32..32, 20), hidden in 1u32..31
        ) {
            let data = Transactions::new(rows);
            let items = |bits: u32| (0..5).filter(|item| bits >> item & 1 == 1).collect::<Vec<u32>>();
            let private = items(hidden);
            let pairs = (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|(a, b)| a != b);
            let sides: Vec<(u32, u32)> =
                pairs.filter(|(a, b)| Rule::of(&data, &[*a], &[*b]).is_ok()).take(4).collect();
            let labels: Vec<String> = (0..5).map(|item| item.to_string()).collect();
            let release = |data: &Transactions| {
                let own = |&(a, b): &(u32, u32)| Rule::of(data, &[a], &[b]).unwrap();
                RuleRelease::of(data, &labels, &sides.iter().map(own).collect::<Vec<Rule>>(), &private, 1)
            };
            let before = release(&data).unwrap();
            let model = before.model();
            let changed = data.rows().zip(&others).map(|(row, &other)| {
                let mut states = Vec::new();
                model.states(row, &mut states);
                let is_silent = !(0..states.len()).any(|rule| model.varies(rule, states[rule]));
                let public = row.iter().copied().filter(|item| !private.contains(item));
                match is_silent {
                    true => public.chain(items(other & hidden)).collect(),
                    false => row.to_vec(),
                }
            });
            let changed = Transactions::new(changed.collect::<Vec<Vec<u32>>>());
            prop_assert_eq!(release(&changed).unwrap(), before);
        }

        /// The verdict of a release equals Claim 3 through the oracle.
        #[test]
        fn verdicts_are_those_of_claim_3(
            rows in prop::collection::vec(prop::collection::vec(0u32..5, 1..5), 3..20), hidden in 0u32..32, k in 1u64..4
        ) {
            let data = Transactions::new(rows);
            let pairs = (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|(a, b)| a != b);
            let rules: Vec<Rule> =
                pairs.filter_map(|(a, b)| Rule::of(&data, &[a], &[b]).ok()).take(3).collect();
            let private: Vec<u32> = (0..5).filter(|item| hidden >> item & 1 == 1).collect();
            let labels: Vec<String> = (0..5).map(|item| item.to_string()).collect();
            let release = RuleRelease::of(&data, &labels, &rules, &private, k).unwrap();
            let defined = Release::of(&release.model(), data.rows());
            let verdict = release.verify().unwrap();
            prop_assert_eq!(verdict.holds(), defined.check(k).unwrap().holds());
            prop_assert_eq!(verdict.reached, defined.check(k).unwrap().reached);
        }
    }
}
