//! What a job file asks for and a manifest promises: the parameters of each privacy model.
//!
//! The field names are the keys of the `[privacy]` section.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ThreeD;

/// One privacy model with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "criterion", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Requirement {
    /// Every class has at least k records (survey PM-05).
    KAnonymity {
        /// The smallest class size.
        k: u64,
    },
    /// At least k records, and no protected value in more than a share alpha of a class (Wong et al.; thesis 1.9).
    AlphaK {
        /// The largest share of a value.
        alpha: f64,
        /// The smallest class size.
        k: u64,
        /// The values that the cap protects; all of them when empty.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        values: Vec<String>,
        /// The sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
    /// l-diversity in its forms (survey PM-07..10, papers L-PM6..11).
    LDiversity {
        /// Which form.
        #[serde(default)]
        kind: DiversityKind,
        /// How many values are well represented; may be fractional for `entropy`.
        l: f64,
        /// The constant of the recursive forms.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        c: Option<f64>,
        /// `negative-positive-disclosure`: the least percentage of each protected value in a class.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        c2: Option<f64>,
        /// The disclosure forms: values whose positive disclosure is allowed (Y).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        allowed: Vec<String>,
        /// `negative-positive-disclosure`: values whose negative disclosure is not allowed (W).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        protected: Vec<String>,
        /// Multi-attribute l-diversity (papers L-PM11): the other sensitive columns count as
        /// quasi-identifiers of an adversary who learned them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        multi_attribute: bool,
        /// The sensitive column; with `multi-attribute`, left out, every sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
    /// The distribution in every class is within t of the one in the whole input (survey PM-26, papers T-PM6).
    TCloseness {
        /// Which distance.
        kind: DistanceKind,
        /// The largest distance.
        t: f64,
        /// `matrix`: per pair of values the cost of moving all mass from one to the other; symmetric, missing pairs cost 1.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        costs: Vec<(String, String, f64)>,
        /// `hierarchical`: file or tree of the sensitive column; the column's own hierarchy when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hierarchy: Option<PathBuf>,
        /// `ordered`: the values from lowest to highest; the natural order of the column when left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        order: Vec<String>,
        /// The sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
    /// p-, p+-, (p,alpha)- and (p+,alpha)-sensitive k-anonymity (thesis 1.4-1.8).
    PSensitivity {
        /// At least so many distinct values in a class; with `plus`, so many distinct categories.
        p: u64,
        /// The smallest class size.
        k: u64,
        /// Count categories instead of values.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        plus: bool,
        /// The least total weight of a class.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        alpha: Option<f64>,
        /// The values of each category, the most sensitive category first. Needed with `plus` or `alpha`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        categories: Vec<Vec<String>>,
        /// Weight per category instead of (i-1)/(m-1).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        weights: Vec<f64>,
        /// The sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
    /// l-diversity on concepts of the sensitive column instead of values (survey PM-24).
    ConceptDiversity {
        /// How many concepts.
        l: f64,
        /// The form of l-diversity.
        #[serde(default)]
        kind: DiversityKind,
        /// The constant of the recursive form.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        c: Option<f64>,
        /// Per concept its values; a value in none is a concept of its own.
        concepts: BTreeMap<String, Vec<String>>,
        /// The sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
    /// Diversity of a numeric sensitive column that close values do not add to (survey PM-25).
    ProximityDiversity {
        /// Which form.
        #[serde(default)]
        kind: ProximityKind,
        /// `ranges`: how many disjoint ranges. `neighbourhood`: at most 1/l of a class near any of its values.
        l: f64,
        /// `ranges`: a range takes every value within this distance of its lowest. `neighbourhood`: what counts as near.
        width: f64,
        /// `ranges`: the least share of a class in each counted range, as a fraction of 1/l (0 asks nothing, 1 equal shares).
        #[serde(default)]
        balance: f64,
        /// The sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
    /// The chance that a person of the population is in the table lies between two bounds (survey PM-23).
    DeltaPresence {
        /// The least chance.
        #[serde(default)]
        min: f64,
        /// The greatest chance.
        max: f64,
        /// The population table, with the quasi columns of the job.
        population: PathBuf,
    },
    /// Every class matches at least k people of the population.
    KMap {
        /// The least number of people.
        k: u64,
        /// The population table, with the quasi columns of the job.
        population: PathBuf,
    },
    /// The share of a value in a class exceeds its share in the input by at most a factor (Cao and Karras).
    BetaLikeness {
        /// The largest relative gain.
        beta: f64,
        /// Basic, or enhanced: min(beta, -ln of the share in the input).
        #[serde(default)]
        kind: LikenessKind,
        /// The sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
    /// The share of every value in a class is within a factor e^delta of its share in the input (Brickell and Shmatikov).
    DeltaDisclosure {
        /// The bound on the absolute logarithm of the ratio; strict.
        delta: f64,
        /// The sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
    /// 3D privacy (survey PM-13, PM-14): what an adversary learns who knows values that a person does not have, other
    /// people's values, and a family of people with the same value. One point, a skyline of them, or points of values.
    ThreeD {
        /// Values that the person is known not to have.
        #[serde(default)]
        l: u32,
        /// Other people whose values are known.
        #[serde(default)]
        k: u32,
        /// People of the same-value family.
        #[serde(default)]
        m: u32,
        /// The chance that must not be reached; together with l, k and m it is a point.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        c: Option<f64>,
        /// More points; all of them must hold.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        points: Vec<ThreeD>,
        /// Values with a point of their own, which takes the place of the others.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        values: BTreeMap<String, ThreeD>,
        /// The sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
    /// (c,k)-safety (survey PM-12): what an adversary learns who knows k implications between people's values.
    CKSafety {
        /// The chance that must not be reached.
        c: f64,
        /// How many implications are known.
        k: u64,
        /// The sensitive column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
    },
}

impl Requirement {
    /// The key in the `[privacy]` section.
    pub fn key(&self) -> &'static str {
        match self {
            Requirement::KAnonymity { .. } => "k-anonymity",
            Requirement::AlphaK { .. } => "alpha-k",
            Requirement::LDiversity { .. } => "l-diversity",
            Requirement::TCloseness { .. } => "t-closeness",
            Requirement::PSensitivity { .. } => "p-sensitivity",
            Requirement::ConceptDiversity { .. } => "concept-diversity",
            Requirement::ProximityDiversity { .. } => "proximity-diversity",
            Requirement::DeltaPresence { .. } => "delta-presence",
            Requirement::KMap { .. } => "k-map",
            Requirement::BetaLikeness { .. } => "beta-likeness",
            Requirement::DeltaDisclosure { .. } => "delta-disclosure",
            Requirement::ThreeD { .. } => "three-d",
            Requirement::CKSafety { .. } => "c-k-safety",
        }
    }

    /// The sensitive column it names.
    pub fn column(&self) -> Option<&str> {
        match self {
            Requirement::KAnonymity { .. } | Requirement::DeltaPresence { .. } | Requirement::KMap { .. } => {
                None
            }
            Requirement::AlphaK { column, .. }
            | Requirement::LDiversity { column, .. }
            | Requirement::TCloseness { column, .. }
            | Requirement::PSensitivity { column, .. }
            | Requirement::ConceptDiversity { column, .. }
            | Requirement::ProximityDiversity { column, .. }
            | Requirement::BetaLikeness { column, .. }
            | Requirement::DeltaDisclosure { column, .. }
            | Requirement::ThreeD { column, .. }
            | Requirement::CKSafety { column, .. } => column.as_deref(),
        }
    }

    /// The same requirement on this column; unchanged when it is about no column.
    #[must_use]
    pub fn with_column(mut self, name: String) -> Self {
        match &mut self {
            Requirement::KAnonymity { .. } | Requirement::DeltaPresence { .. } | Requirement::KMap { .. } => {
            }
            Requirement::AlphaK { column, .. }
            | Requirement::LDiversity { column, .. }
            | Requirement::TCloseness { column, .. }
            | Requirement::PSensitivity { column, .. }
            | Requirement::ConceptDiversity { column, .. }
            | Requirement::ProximityDiversity { column, .. }
            | Requirement::BetaLikeness { column, .. }
            | Requirement::DeltaDisclosure { column, .. }
            | Requirement::ThreeD { column, .. }
            | Requirement::CKSafety { column, .. } => *column = Some(name),
        }
        self
    }

    /// Whether it is about a sensitive column.
    pub fn takes_column(&self) -> bool {
        !matches!(
            self,
            Requirement::KAnonymity { .. } | Requirement::DeltaPresence { .. } | Requirement::KMap { .. }
        )
    }

    /// Whether it needs the histogram over combinations of all sensitive columns.
    pub fn needs_joint(&self) -> bool {
        matches!(self, Requirement::LDiversity { multi_attribute: true, .. })
    }

    /// Whether it speaks of the sensitive values of a class alone, and so can be kept where quasi columns are published
    /// as they are (survey ME-13).
    pub fn fits_buckets(&self) -> bool {
        match self {
            Requirement::LDiversity { multi_attribute, .. } => !multi_attribute,
            Requirement::ConceptDiversity { .. }
            | Requirement::TCloseness { .. }
            | Requirement::ProximityDiversity { .. }
            | Requirement::BetaLikeness { .. }
            | Requirement::DeltaDisclosure { .. }
            | Requirement::ThreeD { .. }
            | Requirement::CKSafety { .. } => true,
            Requirement::KAnonymity { .. }
            | Requirement::AlphaK { .. }
            | Requirement::PSensitivity { .. }
            | Requirement::DeltaPresence { .. }
            | Requirement::KMap { .. } => false,
        }
    }

    /// Whether it judges all classes of a table together, so that no class can be judged by itself (survey Def 4.4).
    pub fn judges_together(&self) -> bool {
        matches!(self, Requirement::ThreeD { .. } | Requirement::CKSafety { .. })
    }

    /// The points of 3D privacy that protect every value without one of its own; none for other models.
    pub fn points(&self) -> Vec<ThreeD> {
        match self {
            Requirement::ThreeD { l, k, m, c, points, .. } => {
                let plain = c.map(|c| ThreeD { l: *l, k: *k, m: *m, c });
                plain.into_iter().chain(points.iter().copied()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The population table it needs.
    pub fn population(&self) -> Option<&Path> {
        match self {
            Requirement::DeltaPresence { population, .. } | Requirement::KMap { population, .. } => {
                Some(population)
            }
            _ => None,
        }
    }
}

/// The forms of l-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiversityKind {
    /// At least l distinct values.
    #[default]
    Distinct,
    /// Entropy at least log l.
    Entropy,
    /// Recursive (c,l).
    Recursive,
    /// Recursive, for values not in the allowed set.
    PositiveDisclosure,
    /// Positive disclosure, and a least percentage of each protected value.
    NegativePositiveDisclosure,
}

/// The distances of t-closeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DistanceKind {
    /// Half the sum of absolute differences.
    Variational,
    /// Kullback-Leibler divergence of the class from the input, in nats.
    Kl,
    /// Earth mover's distance, all values equally far apart: the variational distance.
    Equal,
    /// Earth mover's distance along the order of the values.
    Ordered,
    /// Earth mover's distance over the levels of a hierarchy.
    Hierarchical,
    /// Earth mover's distance with a cost for each pair, solved as a transport problem.
    Matrix,
}

/// The forms of beta-likeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LikenessKind {
    /// The gain is at most beta.
    #[default]
    Basic,
    /// The gain is at most min(beta, -ln q).
    Enhanced,
}

/// The forms of proximity-aware diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProximityKind {
    /// Values from at least l disjoint ranges (survey PM-25).
    #[default]
    Ranges,
    /// (epsilon,m)-anonymity: at most 1/l of the class within `width` of any of its values (Li, Tao and Xiao).
    Neighbourhood,
}
