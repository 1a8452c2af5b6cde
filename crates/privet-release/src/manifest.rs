//! `manifest.json`: what was promised, what was reached, and how, without a single raw value.
//!
//! The manifest holds no time and no path, so the same job on the same input gives the same bytes.

use std::collections::BTreeMap;

use privet_criteria::Requirement;
use privet_data::{Comparison, Equality, Kind};
use serde::{Deserialize, Serialize};

use crate::Shown;
pub use crate::form::Form;

/// The version of the manifest's layout.
pub const FORMAT: u32 = 1;

/// What a release says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The layout of this file.
    pub format: u32,
    /// The program and its version.
    pub software: String,
    /// The form of the records.
    pub kind: Form,
    /// The published table.
    pub data: Data,
    /// What holds, and how it is known.
    pub promises: Vec<Promise>,
    /// How the candidate was chosen.
    pub search: Search,
    /// Every utility metric, by name; what was minimized among them.
    pub metrics: BTreeMap<String, f64>,
    /// The equivalence classes.
    pub classes: Classes,
    /// Where randomness came from: `none` for a deterministic mechanism.
    pub randomness: String,
    /// Whether something was drawn from a seed that nobody kept, so that the same job makes another release.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrepeatable: bool,
    /// What the pages show beside all this.
    #[serde(default)]
    pub shown: Shown,
    /// The fingerprint of the key that signed it; absent when it is not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// Every other file of the folder.
    pub files: Vec<File>,
    /// SHA-256 of this file with this field empty.
    pub seal: String,
}

impl Manifest {
    /// When two texts of a column of the input are one value, whatever a list of people holds besides: by the kind of its values,
    /// as the manifest says, and by their texts where labels are masks, which are of codes.
    pub fn equality(&self) -> BTreeMap<String, Equality> {
        let by_kind = |own: &DataColumn| {
            let kind = own.alike.as_ref()?.kind;
            let compare = if kind == Kind::Text { Comparison::Text } else { Comparison::Value };
            Some((own.name.clone(), Equality { compare, ..Equality::default() }))
        };
        let of_masks = |own: &&DataColumn| {
            own.recoding.as_ref().is_some_and(|own| own.reading == Some(LabelReading::Masks))
        };
        let masks = self.data.columns.iter().filter(of_masks).map(|own| (own.name.clone(), Equality::CODES));
        let kinds = self.data.columns.iter().filter_map(by_kind);
        kinds.chain(masks).chain(self.data.equality.clone()).collect()
    }
}

/// The published table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The file.
    pub file: String,
    /// `csv`, `parquet` or `arrow`.
    pub format: String,
    /// CSV: the delimiter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// CSV: `latin-1`, or UTF-8 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Cells that stand for a missing value; the empty one alone when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
    /// The input was a random sample of a larger table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
    /// Values of a sensitive column that were replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distorted: Option<Distorted>,
    /// Records of the input, after sampling.
    pub input_rows: u64,
    /// Records published.
    pub rows: u64,
    /// Records suppressed.
    pub suppressed: u64,
    /// The columns, in their order.
    pub columns: Vec<DataColumn>,
    /// Names of input columns that are not published.
    pub removed_columns: Vec<String>,
    /// Columns of whose texts it is not told by their kind alone which are one value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub equality: BTreeMap<String, Equality>,
    /// Bucketized releases: the tables of sensitive values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive_tables: Vec<SensitiveTable>,
}

/// A random sample (survey ME-15).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The part of the records that was to be taken.
    pub fraction: f64,
    /// `simple`: exactly that part. `bernoulli`: each record with that probability.
    pub kind: String,
    /// Records of the table it was drawn from.
    pub from_rows: u64,
}

/// Sensitive values that were replaced, so that the shape of groups tells nothing about them (survey ME-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distorted {
    /// The sensitive column.
    pub column: String,
    /// Records whose value is not the true one.
    pub records: u64,
}

/// How often each value of a sensitive column occurs in each bucket (survey ME-13): a table with the columns `bucket`,
/// that column, and `count`, in the format of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SensitiveTable {
    /// The file.
    pub file: String,
    /// The sensitive column.
    pub column: String,
    /// Its lines.
    pub rows: u64,
    /// What the values of the input have in common; absent in manifests of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<Alike>,
}

/// A published column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataColumn {
    /// Its name.
    pub name: String,
    /// `quasi`, `sensitive`, `insensitive`, or `bucket` for the number of the bucket.
    pub role: String,
    /// Quasi columns: how it was recoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recoding: Option<Recoding>,
    /// What the values of the input have in common; absent in manifests of earlier versions, which do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<Alike>,
}

/// What all values of a column of the input have in common, those of suppressed records included. Whoever reads labels needs
/// it: `20-29` may hide 29.5 where values have decimals, `1950-1959` days or years, `13***` codes of fewer digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Alike {
    /// What they are, missing ones aside.
    pub kind: Kind,
    /// Columns of masks: all have so many characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// Columns of masks: all are digits and nothing else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub digits: bool,
    /// A missing value may stand behind a label that names values, or a marker of a missing value for values. Otherwise
    /// missing ones show a marker, or what stands for anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hides_missing: bool,
}

/// How a quasi column was recoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recoding {
    /// The level of its hierarchy, 0 for the value itself; absent when its values went to different levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// Where its values went when not to one level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Nodes>,
    /// The top level of its hierarchy.
    pub height: usize,
    /// Leaves of its domain.
    pub leaves: u64,
    /// Distinct labels at each level, from level 0 on.
    pub labels_per_level: Vec<u64>,
    /// Whether its labels hold what anyone reads in them; absent in manifests of earlier versions, which do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<LabelReading>,
    /// Mean loss of the column, a suppressed record costing 1.
    pub loss: f64,
    /// Its weight in the metric.
    pub weight: f64,
}

/// Whether labels may be read: a hierarchy that is written down may call the ages from 21 to 40 `20-39`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelReading {
    /// A label that can be read holds what it says: the program wrote it, or compared every value of the hierarchy with it.
    Literal,
    /// The same, and what can be read are stretches of the calendar, never numbers.
    Dates,
    /// The same, and labels are masks: one without a `*` is the value itself.
    Masks,
    /// Labels are names: what is below them is not told by what they look like.
    Names,
}

/// Labels that do not all lie on one level of a hierarchy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nodes {
    /// What they are: a `cut` through the hierarchy or `ranges` of values, in which equal values have equal labels;
    /// `cells`, of which each is the value or `*`; or what a group of records shows for all of them: `group-nodes` of
    /// the hierarchy, `group-ranges`, `means`, `medians` or `modes`.
    pub kind: String,
    /// How many different labels are published.
    pub labels: u64,
    /// Those of them that are names of groups of values: any other label is a value of the column, says what it holds, or
    /// is `*`. Absent where a column shows means, medians or modes, and in manifests of earlier versions, which do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
}

/// A promise and what was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// What was asked, with its column filled in.
    pub requirement: Requirement,
    /// The promise as a sentence.
    pub statement: String,
    /// What the worst class reaches.
    pub reached: f64,
    /// The worst class.
    pub worst_class: Option<WorstClass>,
    /// What `verify` must know of the sensitive column beyond the published table.
    #[serde(default)]
    pub evidence: Evidence,
}

/// A class, told by where it first appears in the published table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorstClass {
    /// The first record of the class, counted from 1 in the published table.
    pub record: u64,
    /// Its size.
    pub rows: u64,
}

/// What a promise rests on that the published table alone does not show. Only values that are
/// published appear here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// `ordered`: the rank of each published value among all values of the input, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<BTreeMap<String, u64>>,
    /// `ordered`, `delta-disclosure`: how many distinct values the input has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain_size: Option<u64>,
    /// `hierarchical`: per published value its labels from the leaf to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ancestors: Option<BTreeMap<String, Vec<String>>>,
    /// `proximity-diversity`: the published values that stand for a missing one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// SHA-256 of the population table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population_sha256: Option<String>,
    /// Per quasi column, in order, the label of every population value at the published level; needed
    /// to match the population table to the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population_labels: Option<Vec<BTreeMap<String, String>>>,
}

/// How the candidate was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The algorithm.
    pub algorithm: String,
    /// What it guarantees, in a sentence.
    pub guarantee: String,
    /// The metric it minimizes.
    pub minimize: String,
    /// The largest share of records that may be suppressed.
    pub suppress_at_most: f64,
    /// Candidates in the lattice of levels; absent for a search among other candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice_nodes: Option<u64>,
    /// How often the classes of a candidate were formed; more than there are in the lattice where a search asks twice, or
    /// goes through subsets of the columns (Incognito).
    pub nodes_checked: u64,
    /// No safe candidate of the space that was searched has a smaller value of the metric than this, where the search
    /// can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// For whom and what for it was made, where that decided how much was coarsened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// All minimal safe nodes, as levels per quasi column, when they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimal_nodes: Option<Vec<Vec<usize>>>,
    /// Microaggregation: what the groups were formed by, and how much of the spread they hide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microaggregation: Option<Microaggregation>,
    /// Anatomy: how its buckets came about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anatomy: Option<Anatomy>,
    /// A p-safe search: whose values it also protects against those who know the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_safe: Option<PSafe>,
}

/// A p-safe search (survey ME-17, PM-34): the promises hold also of what is left to believe of each person over the originals for
/// which just this would have been published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PSafe {
    /// The sensitive column.
    pub column: String,
    /// How many such originals there are, told by who has which value; 2^53 stands for more as well.
    pub originals: u64,
}

/// How buckets came about (survey ME-13): formed of different values, with an `l`; or given by a column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anatomy {
    /// No value of the first sensitive column, nor of one that no promise is about, is in more than 1/l of a bucket. What
    /// the job asks for or its promises need; 1 when they need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l: Option<u64>,
    /// The column of the input, not published, that said who is in which bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buckets_from: Option<String>,
    /// How many buckets that column gave; more than there are when some were merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_buckets: Option<u64>,
}

/// Groups of records that lie close together (thesis 2.11 to 2.14). Distances are those by which the groups were formed:
/// of all quasi columns, texts included, made comparable and weighted as the job says. The metric `sse-sst` is of
/// columns of numbers alone, by their standard deviations and without weights, as `privet measure` works it out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Microaggregation {
    /// `mdav`, `v-mdav`, `univariate` or `ama`.
    pub method: String,
    /// Squared distances of the records from the middle of their group, summed (SSE).
    pub sse: f64,
    /// Squared distances of the records from the middle of all, summed (SST).
    pub sst: f64,
    /// The quasi columns that were looked at: all of them, or the key attributes of `ama`.
    pub key_columns: Vec<String>,
    /// `ama`: the dependency tree of the quasi columns, the closest links first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependency_tree: Vec<DependencyLink>,
}

/// Two columns that tell much about each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DependencyLink {
    /// Their names.
    pub columns: [String; 2],
    /// How far apart they are: 2H(A,B) - H(A) - H(B) in bits, 0 when each tells the other.
    pub variation_of_information: f64,
}

impl Microaggregation {
    /// The share of the distances that lies within groups: 0 when nothing is lost, 1 when everything is; 0 where there is
    /// nothing to lose.
    pub fn ratio(&self) -> f64 {
        if self.sst > 0.0 { (self.sse / self.sst).min(1.0) } else { 0.0 }
    }
}

/// The purpose of a release and how far its requester is trusted (thesis 2.9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Purpose {
    /// What it is for.
    pub purpose: String,
    /// Who asked, when named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester: Option<String>,
    /// How far that person is trusted, from 0 to 1.
    pub trust: f64,
    /// The degree of anonymization that follows from the trust.
    pub degree: f64,
    /// Per quasi column its priority.
    pub priorities: Vec<f64>,
    /// The levels that the degree asks for, before any were raised to keep the promises.
    pub levels: Vec<usize>,
}

/// The equivalence classes of the published table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Classes {
    /// How many.
    pub count: u64,
    /// The smallest.
    pub min: u64,
    /// The largest.
    pub max: u64,
    /// Their mean size.
    pub mean: f64,
    /// A histogram of sizes: classes and records whose class size is from `from` to `to`.
    pub sizes: Vec<SizeBin>,
}

/// A bin of the histogram of class sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeBin {
    /// Smallest size in the bin.
    pub from: u64,
    /// Largest size in the bin.
    pub to: u64,
    /// Classes in it.
    pub classes: u64,
    /// Records in them.
    pub rows: u64,
}

/// A file of the release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its name in the folder.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of the whole file.
    pub sha256: String,
    /// A checksum (XXH64) of each block of 64 KiB in 16 hexadecimal digits, so that a change can be located.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<String>,
}
