//! The `[search]` section: which algorithm looks for a release, with its parameters, and what it minimizes.
//!
//! Algorithms are those of [`privet_recode::algorithm`], and a few that need more of a job than a problem: each is read, checked and run
//! by what it says of itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use privet_criteria::Requirement;
use privet_data::Progress;
use privet_measure::Metric;
pub use privet_recode::algorithm::Publish;
use privet_recode::algorithm::{ALGORITHMS, Algorithm, AlgorithmInfo, Selected};
use privet_recode::bucket::{Anatomy, GivenBuckets};
use privet_recode::cluster::Microaggregated;
use privet_recode::groups::Groups;
use privet_recode::lattice::{Options, Problem, SearchError};
use privet_release::manifest;
use serde::{Deserialize, Deserializer};

use crate::anatomy::{AnatomySection, guarantee_of};
use crate::by_purpose::ByPurpose;
use crate::chosen::{Aggregation, Chosen, Formed};
use crate::countermeasure::p_safe;
use crate::error::JobError;
use crate::job::Column;
use crate::mondrian::MondrianSection;
use crate::recoding::NoSearch;
use crate::sampling::{seed, source};

/// The algorithms that need more of a job than a problem.
const OF_JOBS: [&AlgorithmInfo; 4] =
    [&MondrianSection::INFO, &AnatomySection::INFO, &ByPurpose::INFO, &NoSearch::INFO];

/// All algorithms.
fn algorithms() -> impl Iterator<Item = &'static AlgorithmInfo> {
    ALGORITHMS.into_iter().chain(OF_JOBS)
}

/// The algorithm of this word.
fn algorithm(word: &str) -> Option<&'static AlgorithmInfo> {
    algorithms().find(|info| info.id == word)
}

/// The `[search]` section.
#[derive(Debug, Clone)]
pub struct Search {
    /// The algorithm with its parameters.
    pub algorithm: Arc<dyn Algorithm>,
    /// The metric.
    pub minimize: Metric,
    /// The largest share of records that may be suppressed.
    pub suppress_at_most: f64,
    /// Also list all minimal safe nodes in the manifest.
    pub minimal_nodes: bool,
    /// The column with class labels, for the classification metric and for searches that look at information.
    pub class: Option<String>,
    /// What groups of records show, for algorithms that form groups.
    pub publish: Option<Publish>,
    /// Algorithms that the job has parameters of and does not use.
    unused: Vec<&'static AlgorithmInfo>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            algorithm: Arc::new(Options::default()),
            minimize: Metric::default(),
            suppress_at_most: 0.0,
            minimal_nodes: false,
            class: None,
            publish: None,
            unused: Vec::new(),
        }
    }
}

/// The keys of the section that are not those of one algorithm.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Keys {
    algorithm: String,
    minimize: Metric,
    suppress_at_most: f64,
    minimal_nodes: bool,
    class: Option<String>,
    publish: Option<Publish>,
}

impl Default for Keys {
    fn default() -> Self {
        let Search { algorithm, minimize, suppress_at_most, minimal_nodes, class, publish, .. } =
            Search::default();
        let algorithm = algorithm.info().id.to_owned();
        Self { algorithm, minimize, suppress_at_most, minimal_nodes, class, publish }
    }
}

/// The keys, for messages.
const KEYS: [&str; 6] = ["algorithm", "minimize", "suppress-at-most", "minimal-nodes", "class", "publish"];

impl<'de> Deserialize<'de> for Search {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = toml::Table::deserialize(deserializer)?;
        Self::of(table).map_err(serde::de::Error::custom)
    }
}

impl Search {
    /// The section of a recoding that is applied.
    pub fn without_search(minimize: Metric, suppress_at_most: f64, class: Option<String>) -> Self {
        Self { algorithm: Arc::new(NoSearch {}), minimize, suppress_at_most, class, ..Self::default() }
    }

    /// Reads the section.
    fn of(mut table: toml::Table) -> Result<Self, String> {
        let mut sections: BTreeMap<&'static str, toml::Table> = BTreeMap::new();
        for info in algorithms() {
            match table.remove(info.id) {
                None => {}
                Some(toml::Value::Table(own)) => drop(sections.insert(info.id, own)),
                Some(_) => return Err(format!("`search.{}` must be a section with parameters", info.id)),
            }
        }
        if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let known: Vec<&str> = KEYS.into_iter().chain(algorithms().map(|info| info.id)).collect();
            return Err(unknown_word("field", unknown, &known));
        }
        let keys: Keys =
            toml::Value::Table(table).try_into().map_err(|error: toml::de::Error| error.to_string())?;
        let info = algorithm(&keys.algorithm).ok_or_else(|| {
            let known: Vec<&str> = algorithms().map(|info| info.id).collect();
            unknown_word("variant", &keys.algorithm, &known)
        })?;
        let read = |info: &AlgorithmInfo, table| {
            (info.read)(table).map_err(|error| format!("{error}\nin `search.{}`", info.id))
        };
        let chosen = read(info, sections.remove(info.id).unwrap_or_default())?;
        let mut algorithm: Arc<dyn Algorithm> = chosen.into();
        if keys.minimal_nodes && algorithm.parameters::<Options>().is_some() {
            algorithm = Arc::new(Options { minimal_nodes: true });
        }
        // What is not used must still be written as it should be.
        let mut unused = Vec::new();
        for info in algorithms() {
            if let Some(table) = sections.remove(info.id) {
                read(info, table)?.check().map_err(|error| error.to_string())?;
                unused.push(info);
            }
        }
        let Keys { minimize, suppress_at_most, minimal_nodes, class, publish, .. } = keys;
        Ok(Self { algorithm, minimize, suppress_at_most, minimal_nodes, class, publish, unused })
    }

    /// The word of the algorithm.
    pub fn word(&self) -> &'static str {
        self.algorithm.info().id
    }

    /// Whether the algorithm is of this type.
    pub fn is<T: Algorithm>(&self) -> bool {
        self.parameters::<T>().is_some()
    }

    /// The parameters, when the algorithm is of this type.
    pub fn parameters<T: Algorithm>(&self) -> Option<&T> {
        self.algorithm.parameters()
    }

    /// Whether the algorithm keeps a promise that looks at all classes together.
    pub fn judges_together(&self, requirement: &Requirement) -> bool {
        let is_three_d = matches!(requirement, Requirement::ThreeD { .. });
        self.algorithm.info().judges_together || is_three_d && self.is::<MondrianSection>()
    }

    /// Sections with parameters of an algorithm that is not the one chosen would do nothing; that is a mistake.
    pub fn check_sections(&self) -> Result<(), JobError> {
        // A job that names an algorithm and its parameters can still be asked for a release by purpose.
        let by_purpose = self.is::<ByPurpose>();
        if let Some(info) = self.unused.first().filter(|_| !by_purpose) {
            return Err(JobError::key(
                format!("search.{}", info.id),
                format!("goes with algorithm = \"{}\" only", info.id),
            ));
        }
        if self.publish.is_some() && self.published().is_none() && !by_purpose {
            return Err(JobError::key(
                "search.publish",
                "goes with algorithms that form groups of records, such as algorithm = \"mondrian\"",
            ));
        }
        self.check_metric()?;
        self.algorithm.check().map_err(|error| JobError::new(error.to_string()))?;
        if let Some(mondrian) = self.parameters::<MondrianSection>() {
            mondrian.check_keys()?;
        }
        if self.is::<AnatomySection>() && self.publish.is_some_and(|publish| publish != Publish::Buckets) {
            return Err(JobError::key(
                "search.publish",
                "must be \"buckets\" with algorithm = \"anatomy\", whose buckets hold records that are nothing alike",
            ));
        }
        if self.minimal_nodes && !self.is::<Options>() && !by_purpose {
            let problem = match self.algorithm.info().needs_monotone {
                true => "goes with algorithm = \"optimal\"; this algorithm lists its minimal nodes anyway",
                false => "goes with algorithm = \"optimal\" only",
            };
            return Err(JobError::key("search.minimal-nodes", problem));
        }
        Ok(())
    }

    /// Refuses parameters of buckets that do not go with the columns.
    pub fn check_anatomy(&self, columns: &BTreeMap<String, Column>) -> Result<(), JobError> {
        self.parameters::<AnatomySection>().map_or(Ok(()), |anatomy| anatomy.check_columns(columns))
    }

    /// Groups have no levels, and the records of one label need not lose alike: refuses metrics that ask for either.
    fn check_metric(&self) -> Result<(), JobError> {
        let Some(publish) = self.published() else { return Ok(()) };
        let is_defined = match self.minimize {
            Metric::Loss | Metric::Discernibility | Metric::AverageClassSize => true,
            Metric::Height | Metric::Precision | Metric::NonUniformEntropy => false,
            metric => publish != Publish::Buckets && (!metric.needs_class() || self.class.is_some()),
        };
        if is_defined {
            return Ok(());
        }
        let needs_class = self.minimize.needs_class() && publish != Publish::Buckets;
        let problem = match needs_class {
            true => "needs a class column: class = \"...\" in [search]",
            false => {
                "cannot be computed for groups of records; \"loss\", \"discernibility\" and \"average-class-size\" can"
            }
        };
        Err(JobError::key("search.minimize", problem))
    }

    /// What groups show, when the algorithm forms groups.
    pub fn published(&self) -> Option<Publish> {
        let usual = self.algorithm.info().publishes?;
        Some(self.publish.unwrap_or(usual))
    }

    /// The column that says who is in which bucket, when one does.
    pub fn buckets_from(&self) -> Option<&str> {
        self.parameters::<AnatomySection>()?.buckets_from.as_deref()
    }

    /// The groups that an algorithm forms, when it forms groups, with what it says of them. `given` are those of
    /// `buckets-from`.
    pub fn groups(
        &self,
        problem: &Problem<'_>,
        given: Option<&Groups>,
        progress: &dyn Progress,
    ) -> Result<Option<Formed>, SearchError> {
        if let Some(own) = self.parameters::<AnatomySection>() {
            let buckets = match given {
                Some(given) => GivenBuckets { merge: own.merge }.search(problem, given, progress)?,
                None => Anatomy { l: own.l, seed: seed(own.seed)? }.search(problem, progress)?,
            };
            let told = manifest::Anatomy {
                l: buckets.l,
                buckets_from: own.buckets_from.clone(),
                given_buckets: given.map(|given| given.count as u64),
            };
            let groups = Groups { of: buckets.of, count: buckets.count };
            return Ok(Some(Formed { groups, aggregation: None, anatomy: Some(told) }));
        }
        Ok(match self.algorithm.search(problem, progress)? {
            Selected::Groups(groups) => Some(Formed { groups, aggregation: None, anatomy: None }),
            Selected::Microaggregated(found) => {
                let Microaggregated { groups, keys, tree, sse, sst } = found;
                let method = self.parameters::<privet_recode::cluster::Microaggregation>();
                let method = method.map(|own| own.method).unwrap_or_default();
                let aggregation = Some(Aggregation { method, keys, tree, sse, sst });
                Some(Formed { groups, aggregation, anatomy: None })
            }
            _ => None,
        })
    }

    /// Looks for a release.
    pub fn choose(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Chosen, SearchError> {
        match self.algorithm.search(problem, progress)? {
            Selected::Levels(found) => Ok(Chosen::node(found)),
            Selected::Cut { found, kind, minimal } => {
                let mut chosen = Chosen::cut(problem, found, kind);
                chosen.minimal = minimal;
                Ok(chosen)
            }
            Selected::Cells(found) => Ok(Chosen::cells(problem, &found)),
            // Those that form groups are asked for them.
            Selected::Groups(_) | Selected::Microaggregated(_) => {
                Err(SearchError::NothingFound { algorithm: self.word() })
            }
        }
    }

    /// What the algorithm guarantees with these parameters and, of Anatomy, with these buckets.
    pub fn guarantee(&self, anatomy: Option<&manifest::Anatomy>) -> String {
        anatomy.map_or_else(|| self.algorithm.guarantee().to_owned(), guarantee_of)
    }

    /// Whether the published values were drawn from a seed that nobody kept.
    pub fn draws_from_unkept_seed(&self) -> bool {
        self.parameters::<AnatomySection>()
            .is_some_and(|own| own.buckets_from.is_none() && own.seed.is_none())
    }

    /// Where randomness came from, for the manifest.
    pub fn randomness(&self) -> String {
        if let Some(own) = self.parameters::<AnatomySection>() {
            return match own.buckets_from {
                Some(_) => "none".to_owned(),
                None => format!("who is in which bucket was drawn with {}", source(own.seed)),
            };
        }
        match self.algorithm.seed() {
            Some(seed) => format!(
                "the search was led by numbers from the seed {seed}; the published values do not depend on chance"
            ),
            None if self.algorithm.is_timed() => {
                "none, but how far the search came in its time depends on the machine".to_owned()
            }
            None => "none".to_owned(),
        }
    }
}

/// An unknown word, with those that are known.
fn unknown_word(what: &str, word: &str, known: &[&str]) -> String {
    format!("unknown {what} `{word}`, expected one of `{}`", known.join("`, `"))
}

/// Every sentence that a search can say of what it guarantees, from what a manifest tells of it; none of an unknown one.
pub fn guarantees(search: &manifest::Search) -> Vec<String> {
    let Some(info) = algorithm(&search.algorithm) else { return Vec::new() };
    if search.p_safe.is_some() {
        return vec![p_safe::GUARANTEE.to_owned()];
    }
    match &search.anatomy {
        Some(told) => vec![guarantee_of(told)],
        None => info.guarantees.iter().map(|own| (*own).to_owned()).collect(),
    }
}

/// An algorithm that needs more of a job than a problem cannot be run by itself.
pub fn by_the_job(info: &AlgorithmInfo) -> Result<Selected, SearchError> {
    Err(SearchError::NothingFound { algorithm: info.id })
}

impl Search {
    /// Whether the algorithm chooses levels of the hierarchies, so that distinct tuples are all it looks at.
    pub fn is_of_levels(&self) -> bool {
        self.algorithm.is_of_levels()
    }

    /// Looks for a release among levels, in a problem that lists distinct tuples; `weights` tells the records of each.
    pub fn choose_weighted(
        &self,
        problem: &Problem<'_>,
        weights: &[u32],
        progress: &dyn Progress,
    ) -> Result<Chosen, SearchError> {
        let found = self.algorithm.search_weighted(problem, weights, progress);
        found.unwrap_or(Err(SearchError::NothingFound { algorithm: self.word() })).map(Chosen::node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_a_word_of_its_own() {
        let mut words: Vec<&str> = algorithms().map(|info| info.id).collect();
        let all = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), all);
        for info in algorithms() {
            let read = (info.read)(toml::Table::new()).unwrap();
            assert_eq!(read.info().id, info.id);
            assert!(!KEYS.contains(&info.id));
        }
    }

    #[test]
    fn parameters_are_those_of_the_algorithm() {
        let read = |text: &str| toml::from_str::<Search>(text).map_err(|error| error.message().to_owned());
        let genetic = read("algorithm = \"genetic\"\n[genetic]\nseed = 5").unwrap();
        assert_eq!((genetic.word(), genetic.algorithm.seed()), ("genetic", Some(5)));
        assert!(genetic.check_sections().is_ok());
        let unused = read("[genetic]\nseed = 5").unwrap();
        assert!(
            unused.check_sections().unwrap_err().to_string().contains("goes with algorithm = \"genetic\"")
        );
        assert!(read("[genetic]\nnowhere = 5").unwrap_err().contains("unknown field `nowhere`"));
        assert!(read("nowhere = 5").unwrap_err().contains("expected one of `algorithm`"));
        assert!(read("algorithm = \"nowhere\"").unwrap_err().contains("`samarati`"));
    }
}
