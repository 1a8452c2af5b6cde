//! What a promise asks for, in symbols and in words, and whether what was reached meets it.
//!
//! The models are those of `privet-criteria`; the page repeats their bounds and judges nothing that
//! the manifest does not let it judge.

use std::collections::BTreeMap;

use privet_criteria::{
    Better, DistanceKind, DiversityKind, LikenessKind, ProximityKind, Requirement, ThreeD,
};
use privet_release::Manifest;
use privet_release::manifest::{Form, Promise};

use crate::form::FormWords;
use crate::text::{count, counted, number, number_against};

/// How far the last bits of a computation may carry a reached value past its bound; as lenient as the
/// criteria and their verification are, so that the page does not contradict them.
const NOISE: f64 = 1e-9;

/// A requirement as the page shows it. Text here is not escaped yet.
pub(crate) struct Asked {
    /// The name of the model.
    pub model: &'static str,
    /// The parameters: `k ≥ 5`.
    pub required: String,
    /// The parameter that [`Promise::reached`] is about.
    pub symbol: &'static str,
    /// Its bound.
    bound: f64,
    /// Which side of the bound is safe.
    better: Better,
    /// Whether the bound itself breaks the promise.
    strict: bool,
    /// The least class size that it also asks for.
    k: Option<u64>,
    /// What of it the manifest does not let one judge.
    pub unseen: Option<&'static str>,
    /// The promise in plain words, with what was reached where that is a plain number.
    pub plain: String,
    /// The sensitive column it protects; `None` when it is about identifying columns only.
    pub protects: Option<Protects>,
}

/// Which sensitive columns a promise protects.
pub(crate) enum Protects {
    /// This one.
    Column(String),
    /// All of them.
    Every,
}

/// Whether a promise holds, as far as the manifest tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// What was reached meets the bound.
    Holds,
    /// It does not.
    Fails,
    /// There is no number, or it lies so near a strict bound that rounding decides.
    Open,
}

impl Asked {
    /// What this promise asks for.
    pub(crate) fn of(promise: &Promise) -> Self {
        describe(&promise.requirement, promise.reached, FormWords::of(Form::Generalized))
    }

    /// What this promise of a release asks for, in words that fit what its classes are.
    pub(crate) fn of_release(promise: &Promise, manifest: &Manifest) -> Self {
        describe(&promise.requirement, promise.reached, FormWords::of(manifest.kind))
    }

    /// Whether it holds where this was reached and the smallest class has so many records.
    pub(crate) fn judge(&self, reached: f64, smallest_class: u64) -> Judgement {
        if self.k.is_some_and(|k| smallest_class < k) {
            return Judgement::Fails;
        }
        let slack = self.bound.abs().max(1.0) * NOISE;
        let near = (reached - self.bound).abs() <= slack;
        if reached.is_nan() || self.bound.is_nan() || (self.strict && near) {
            return Judgement::Open;
        }
        let safe = match self.better {
            Better::Higher => reached >= self.bound,
            Better::Lower => reached <= self.bound,
        };
        if safe || near { Judgement::Holds } else { Judgement::Fails }
    }

    /// What was reached, rounded to the side on which it promises less.
    pub(crate) fn reached(&self, reached: f64) -> String {
        if !reached.is_finite() {
            return number(reached);
        }
        let slack = self.bound.abs().max(1.0) * NOISE;
        let shown = if (reached - self.bound).abs() <= slack { self.bound } else { reached };
        format!("{} = {}", self.symbol, number_against(shown, self.better))
    }
}

/// Starts a description: the model, the parameter that was reached, its bound.
fn asked(model: &'static str, symbol: &'static str, bound: f64, better: Better) -> Asked {
    let relation = match better {
        Better::Higher => "≥",
        Better::Lower => "≤",
    };
    Asked {
        model,
        required: format!("{symbol} {relation} {}", number(bound)),
        symbol,
        bound,
        better,
        strict: false,
        k: None,
        unseen: None,
        plain: String::new(),
        protects: None,
    }
}

/// 3D privacy: one point, or several points and values with their own.
fn three_d(points: &[ThreeD], values: &BTreeMap<String, ThreeD>, column: Option<&str>) -> Asked {
    let mut plain = Vec::new();
    for (point, learned) in points
        .iter()
        .map(|point| (point, "any value"))
        .chain(values.values().map(|point| (point, "a value named for it")))
    {
        plain.push(format!(
            "Whoever knows {} of {} that a person does not have, the values of {} other people, and {} people who \
             would have the same value, is less than {} sure of {learned}.",
            counted(u64::from(point.l), "value", "values"),
            column_words(column),
            count(u64::from(point.k)),
            count(u64::from(point.m)),
            per_cent(point.c)
        ));
    }
    let only = match (points, values.len()) {
        ([point], 0) => Some(point.c),
        ([], 1) => values.values().next().map(|point| point.c),
        _ => None,
    };
    let (model, symbol, bound) = match only {
        Some(c) => ("3D privacy", "chance", c),
        None => ("skyline 3D privacy", "share of the allowed chance", 1.0),
    };
    Asked {
        required: format!("{symbol} < {}", number(bound)),
        strict: true,
        plain: plain.join(" "),
        protects: protects(column),
        ..asked(model, symbol, bound, Better::Lower)
    }
}

fn describe(requirement: &Requirement, reached: f64, words: &FormWords) -> Asked {
    let among = words.among;
    match requirement {
        Requirement::KAnonymity { k } => {
            // A release may reach more than it promised, and a whole number of others says it best.
            let k_reached = if reached.is_finite() && reached >= *k as f64 { reached as u64 } else { *k };
            Asked {
                required: format!("k ≥ {}", count(*k)),
                plain: words.shared_by(k_reached),
                ..asked("k-anonymity", "k", *k as f64, Better::Higher)
            }
        }
        Requirement::AlphaK { alpha, k, values, column } => {
            alpha_k(*alpha, *k, values, column.as_deref(), words)
        }
        Requirement::LDiversity { kind, l, c, c2, multi_attribute, column, .. } => {
            let mut asked = diversity(*kind, *l, *c, column.as_deref(), false, words);
            if let (DiversityKind::NegativePositiveDisclosure, Some(c2)) = (kind, c2) {
                put!(asked.required, ", c₂ ≥ {}\u{a0}%", number(*c2));
            }
            if *multi_attribute {
                asked
                    .plain
                    .push_str(" This holds even against somebody who knows the other sensitive columns.");
            }
            asked
        }
        Requirement::ConceptDiversity { l, kind, c, column, .. } => {
            diversity(*kind, *l, *c, column.as_deref(), true, words)
        }
        Requirement::TCloseness { kind, t, column, .. } => closeness(*kind, *t, column.as_deref(), words),
        Requirement::PSensitivity { p, k, plus, alpha, column, .. } => {
            sensitivity(*p, *k, *plus, *alpha, column.as_deref(), words)
        }
        Requirement::ProximityDiversity { kind, l, width, balance, column } => {
            proximity(*kind, *l, *width, *balance, column.as_deref(), words)
        }
        Requirement::DeltaPresence { min, max, .. } => Asked {
            required: format!("{} ≤ δ ≤ {}", number(*min), number(*max)),
            unseen: (*min > 0.0).then_some("The manifest does not tell the least chance that was reached."),
            plain: format!(
                "Nobody can be more than {} certain{} that a given person of the population is in the table.",
                per_cent(*max),
                if *min > 0.0 { format!(", or less than {},", per_cent(*min)) } else { String::new() }
            ),
            ..asked("δ-presence", "δ", *max, Better::Lower)
        },
        Requirement::KMap { k, .. } => Asked {
            required: format!("k ≥ {}", count(*k)),
            plain: format!(
                "Every published record could belong to at least {} people of the population.",
                count(*k)
            ),
            ..asked("k-map", "k", *k as f64, Better::Higher)
        },
        Requirement::ThreeD { values, column, .. } => {
            three_d(&requirement.points(), values, column.as_deref())
        }
        Requirement::CKSafety { c, k, column } => Asked {
            required: format!("chance < {}, k = {}", number(*c), count(*k)),
            strict: true,
            plain: format!(
                "Whoever knows {} between people's values of {} (\u{201c}if this person has this value, then that person \
                 has that one\u{201d}) is less than {} sure of anybody's value.",
                counted(*k, "implication", "implications"),
                column_words(column.as_deref()),
                per_cent(*c)
            ),
            protects: protects(column.as_deref()),
            ..asked("(c,k)-safety", "chance", *c, Better::Lower)
        },
        Requirement::BetaLikeness { beta, kind, column } => likeness(*beta, *kind, column.as_deref(), words),
        Requirement::DeltaDisclosure { delta, column } => Asked {
            required: format!("δ < {}", number(*delta)),
            strict: true,
            plain: format!(
                "{among}, every value of {} is between {} and {} times as frequent as in the \
                 whole table.",
                column_words(column.as_deref()),
                number((-*delta).exp()),
                number(delta.exp())
            ),
            protects: protects(column.as_deref()),
            ..asked("δ-disclosure privacy", "δ", *delta, Better::Lower)
        },
    }
}

/// What (α,k)-anonymity asks for.
fn alpha_k(alpha: f64, k: u64, values: &[String], column: Option<&str>, words: &FormWords) -> Asked {
    let among = words.among;
    Asked {
        required: format!("α ≤ {}, k ≥ {}", number(alpha), count(k)),
        k: Some(k),
        plain: format!(
            "{} {among}, no {} of {} makes up more than {}.",
            words.shared_by(k),
            if values.is_empty() { "value" } else { "protected value" },
            column_words(column),
            per_cent(alpha)
        ),
        protects: protects(column),
        ..asked("(α,k)-anonymity", "α", alpha, Better::Lower)
    }
}

/// What t-closeness asks for.
fn closeness(kind: DistanceKind, t: f64, column: Option<&str>, words: &FormWords) -> Asked {
    let (model, scale) = match kind {
        DistanceKind::Variational => ("t-closeness (variational distance)", SCALE),
        DistanceKind::Kl => ("t-closeness (Kullback–Leibler divergence)", "0 means the same"),
        DistanceKind::Equal => ("t-closeness (earth mover’s distance, equal)", SCALE),
        DistanceKind::Ordered => ("t-closeness (earth mover’s distance, ordered)", SCALE),
        DistanceKind::Hierarchical => ("t-closeness (earth mover’s distance, hierarchical)", SCALE),
        DistanceKind::Matrix => ("t-closeness (earth mover’s distance, given costs)", "0 means the same"),
    };
    Asked {
        plain: format!(
            "{} tells little about {}: its distribution there is at most {} away from the one in the whole table \
             ({scale}).",
            words.knowing,
            column_words(column),
            number(t)
        ),
        protects: protects(column),
        ..asked(model, "t", t, Better::Lower)
    }
}

/// What p-sensitive k-anonymity asks for.
fn sensitivity(
    p: u64,
    k: u64,
    plus: bool,
    alpha: Option<f64>,
    column: Option<&str>,
    words: &FormWords,
) -> Asked {
    let model = match (plus, alpha.is_some()) {
        (false, false) => "p-sensitive k-anonymity",
        (true, false) => "p⁺-sensitive k-anonymity",
        (false, true) => "(p,α)-sensitive k-anonymity",
        (true, true) => "(p⁺,α)-sensitive k-anonymity",
    };
    let mut required = format!("p ≥ {}, k ≥ {}", count(p), count(k));
    if let Some(alpha) = alpha {
        put!(required, ", α ≥ {}", number(alpha));
    }
    Asked {
        required,
        k: Some(k),
        unseen: alpha.map(|_| "The manifest does not tell the least weight α that was reached."),
        plain: format!(
            "{} {} have at least {} different {} of {}.",
            words.shared_by(k),
            words.members,
            count(p),
            if plus { "categories" } else { "values" },
            column_words(column)
        ),
        protects: protects(column),
        ..asked(model, "p", p as f64, Better::Higher)
    }
}

/// What proximity-aware diversity asks for.
fn proximity(
    kind: ProximityKind,
    l: f64,
    width: f64,
    balance: f64,
    column: Option<&str>,
    words: &FormWords,
) -> Asked {
    let (among, members) = (words.among, words.members);
    let column_words = column_words(column);
    let (model, plain) = match kind {
        ProximityKind::Ranges => (
            "proximity-aware diversity (ranges)",
            format!(
                "{members} have values of {column_words} from at least {} ranges that lie apart.",
                number(l)
            ),
        ),
        ProximityKind::Neighbourhood => (
            "proximity-aware diversity (neighbourhoods)",
            format!("{among}, at most one in {} is close to any one value of {column_words}.", number(l)),
        ),
    };
    let mut required = format!("ℓ ≥ {}, width {}", number(l), number(width));
    if balance != 0.0 {
        put!(required, ", balance {}", number(balance));
    }
    Asked { required, plain, protects: protects(column), ..asked(model, "ℓ", l, Better::Higher) }
}

/// What β-likeness asks for.
fn likeness(beta: f64, kind: LikenessKind, column: Option<&str>, words: &FormWords) -> Asked {
    let (model, unseen) = match kind {
        LikenessKind::Basic => ("β-likeness (basic)", None),
        LikenessKind::Enhanced => (
            "β-likeness (enhanced)",
            Some("The manifest does not tell whether frequent values keep their stricter bounds."),
        ),
    };
    Asked {
        unseen,
        plain: format!(
            "{}, no value of {} is more than {} times as frequent as in the whole table.",
            words.among,
            column_words(column),
            number(1.0 + beta)
        ),
        protects: protects(column),
        ..asked(model, "β", beta, Better::Lower)
    }
}

/// How a distance between distributions is read.
const SCALE: &str = "0 means the same, 1 as different as can be";

/// The forms of l-diversity, on values or on concepts. The recursive forms reach a c, the others an l.
fn diversity(
    kind: DiversityKind,
    l: f64,
    c: Option<f64>,
    column: Option<&str>,
    concepts: bool,
    words: &FormWords,
) -> Asked {
    let model = diversity_name(kind, concepts);
    let things = if concepts { "concepts" } else { "values" };
    let plain = diversity_words(kind, l, c, &column_words(column), things, words);
    let asked = match kind {
        DiversityKind::Distinct | DiversityKind::Entropy => asked(model, "ℓ", l, Better::Higher),
        _ => {
            let c = c.unwrap_or(f64::NAN);
            Asked {
                required: format!("ℓ = {}, c < {}", number(l), number(c)),
                strict: true,
                ..asked(model, "c", c, Better::Lower)
            }
        }
    };
    Asked { plain, protects: protects(column), ..asked }
}

fn column_words(column: Option<&str>) -> String {
    match column {
        // Long names are cut here as everywhere; the sentence is escaped as a whole later.
        Some(name) => {
            let mut shown: String = name.chars().take(60).collect();
            if shown.len() < name.len() {
                shown.push('…');
            }
            format!("“{shown}”")
        }
        None => "every sensitive column".to_owned(),
    }
}

fn protects(column: Option<&str>) -> Option<Protects> {
    Some(column.map_or(Protects::Every, |name| Protects::Column(name.to_owned())))
}

fn per_cent(share: f64) -> String {
    if share.is_finite() { format!("{}\u{a0}%", number(share * 100.0)) } else { number(share) }
}

fn diversity_name(kind: DiversityKind, concepts: bool) -> &'static str {
    match (kind, concepts) {
        (DiversityKind::Distinct, false) => "ℓ-diversity (distinct)",
        (DiversityKind::Entropy, false) => "ℓ-diversity (entropy)",
        (DiversityKind::Recursive, false) => "ℓ-diversity (recursive)",
        (DiversityKind::PositiveDisclosure, false) => "ℓ-diversity (positive disclosure)",
        (DiversityKind::NegativePositiveDisclosure, false) => "ℓ-diversity (negative/positive disclosure)",
        (DiversityKind::Distinct, true) => "ℓ-diversity of concepts (distinct)",
        (DiversityKind::Entropy, true) => "ℓ-diversity of concepts (entropy)",
        (DiversityKind::Recursive, true) => "ℓ-diversity of concepts (recursive)",
        (DiversityKind::PositiveDisclosure, true) => "ℓ-diversity of concepts (positive disclosure)",
        (DiversityKind::NegativePositiveDisclosure, true) => {
            "ℓ-diversity of concepts (negative/positive disclosure)"
        }
    }
}

fn diversity_words(
    kind: DiversityKind,
    l: f64,
    c: Option<f64>,
    column: &str,
    things: &str,
    words: &FormWords,
) -> String {
    let (among, members) = (words.among, words.members);
    // (c,l): the most frequent one against the others without the l-2 most frequent of them (papers L-PM8).
    let recursive = || {
        let excluded = (l - 2.0).max(0.0);
        format!(
            "less than {} times as frequent as the others together{}",
            c.map_or("c".to_owned(), number),
            match excluded > 0.0 {
                true => format!(", even for somebody who can rule out {} of those", number(excluded)),
                false => String::new(),
            }
        )
    };
    match kind {
        DiversityKind::Distinct => {
            format!("{members} have at least {} different {things} of {column}.", number(l))
        }
        DiversityKind::Entropy => format!(
            "{among}, the {things} of {column} are at least as mixed as {} equally frequent ones.",
            number(l)
        ),
        DiversityKind::Recursive => {
            format!("{among}, the most frequent of the {things} of {column} is {}.", recursive())
        }
        DiversityKind::PositiveDisclosure => format!(
            "{among}, the most frequent of the {things} of {column} that must not be revealed is {}.",
            recursive()
        ),
        DiversityKind::NegativePositiveDisclosure => format!(
            "{among}, the most frequent of the {things} of {column} that must not be revealed is \
             {}; and those whose absence must not be revealed occur everywhere.",
            recursive()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn said_of_buckets() {
        let plain = |requirement| describe(&requirement, 3.0, FormWords::of(Form::Bucketized)).plain;
        assert_eq!(
            plain(Requirement::KAnonymity { k: 3 }),
            "Every published record shares its bucket with at least 2 others."
        );
        let diverse =
            diversity(DiversityKind::Distinct, 3.0, None, Some("d"), false, FormWords::of(Form::Bucketized));
        assert_eq!(diverse.plain, "The records of a bucket have at least 3 different values of “d”.");
    }

    fn judge(requirement: &Requirement, reached: f64, smallest_class: u64) -> Judgement {
        describe(requirement, reached, FormWords::of(Form::Generalized)).judge(reached, smallest_class)
    }

    #[test]
    fn k_anonymity_says_how_many_others() {
        let plain = |k, reached| {
            describe(&Requirement::KAnonymity { k }, reached, FormWords::of(Form::Generalized)).plain
        };
        assert_eq!(plain(5, 5.0), "Every published record looks like at least 4 others.");
        assert_eq!(plain(2, 2.0), "Every published record looks like at least 1 other.");
        assert_eq!(plain(2, 1_001.0), "Every published record looks like at least 1,000 others.");
        // What was not reached is not claimed to be; the verdict says that it does not hold.
        assert_eq!(plain(5, 3.0), "Every published record looks like at least 4 others.");
        assert_eq!(judge(&Requirement::KAnonymity { k: 5 }, 3.0, 3), Judgement::Fails);
    }

    #[test]
    fn a_class_that_is_too_small_breaks_the_joint_models() {
        let requirement = Requirement::AlphaK { alpha: 0.5, k: 4, values: vec![], column: None };
        assert_eq!(judge(&requirement, 0.5, 4), Judgement::Holds);
        assert_eq!(judge(&requirement, 0.5, 3), Judgement::Fails);
        assert_eq!(judge(&requirement, 0.51, 4), Judgement::Fails);
    }

    /// Papers L-PM8: r1 < c (r_l + … + r_m); what is reached is the c at the edge.
    #[test]
    fn the_recursive_form_is_strict_in_c() {
        let (column, words) = (Some("diagnosis"), FormWords::of(Form::Generalized));
        let recursive = diversity(DiversityKind::Recursive, 3.0, Some(2.0), column, false, words);
        assert_eq!(recursive.required, "ℓ = 3, c < 2");
        assert_eq!(recursive.reached(1.75), "c = 1.75");
        assert_eq!(recursive.judge(1.75, 9), Judgement::Holds);
        assert_eq!(recursive.judge(2.0, 9), Judgement::Open);
        assert_eq!(recursive.judge(2.5, 9), Judgement::Fails);
        assert_eq!(recursive.judge(f64::INFINITY, 9), Judgement::Fails);
        assert!(
            recursive.plain.contains("less than 2 times") && recursive.plain.contains("rule out 1 of those")
        );
        let without_c = diversity(DiversityKind::Recursive, 3.0, None, column, false, words);
        assert_eq!(without_c.judge(1.0, 9), Judgement::Open);
    }

    /// survey PM-12 and PM-14: both are strict, and several points are measured by what each of them allows.
    #[test]
    fn models_of_what_an_adversary_knows_are_strict() {
        let safety = describe(
            &Requirement::CKSafety { c: 0.8, k: 2, column: Some("diagnosis".into()) },
            0.75,
            FormWords::of(Form::Generalized),
        );
        assert_eq!(safety.required, "chance < 0.8, k = 2");
        assert!(
            safety.plain.contains("implications") && safety.plain.contains("less than 80"),
            "{}",
            safety.plain
        );
        assert_eq!((safety.judge(0.75, 9), safety.judge(0.81, 9)), (Judgement::Holds, Judgement::Fails));
        let point = |l, m, c| ThreeD { l, k: 0, m, c };
        let one = three_d(&[point(1, 0, 0.9)], &BTreeMap::new(), None);
        assert_eq!((one.model, &*one.required), ("3D privacy", "chance < 0.9"));
        let several = three_d(&[point(0, 0, 0.9)], &[("secret".to_owned(), point(0, 1, 0.5))].into(), None);
        assert_eq!(
            (several.model, &*several.required),
            ("skyline 3D privacy", "share of the allowed chance < 1")
        );
        assert!(
            !several.plain.contains("secret") && several.plain.contains("less than 50"),
            "{}",
            several.plain
        );
        assert_eq!((several.judge(0.99, 9), several.judge(1.2, 9)), (Judgement::Holds, Judgement::Fails));
    }

    #[test]
    fn long_column_names_are_cut_in_sentences() {
        assert!(column_words(Some(&"x".repeat(1_000))).chars().count() < 70);
    }
}
