//! The algorithms that can look for a release: their words, what each guarantees, and how it is run.

use privet_data::Progress;
use privet_measure::Metric;
use privet_recode::bucket::{Anatomy, GivenBuckets};
use privet_recode::cell::Method;
use privet_recode::cluster::{Microaggregated, Microaggregation};
use privet_recode::cut::{AttributeSuppression, KOptimize, TopDownSpecialization};
use privet_recode::groups::Groups;
use privet_recode::lattice::{
    self, Annealing, BottomUp, Datafly, Genetic, HashTable, Options, Problem, Quasi, Samarati, SearchError,
    TopDown,
};
use privet_release::manifest;
use serde::Deserialize;

use crate::anatomy::guarantee_of;
use crate::chosen::{Aggregation, Chosen, Formed};
use crate::countermeasure::p_safe;
use crate::error::JobError;
use crate::job::{Publish, Search};
use crate::sampling::{seed, source};

/// The algorithms that can look for a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// The best full-domain generalization, exactly.
    #[default]
    Optimal,
    /// Samarati: the least height, by binary search.
    Samarati,
    /// Incognito: all minimal nodes, by subsets of columns.
    Incognito,
    /// The thesis' privacy hash table: all minimal nodes.
    HashTable,
    /// Datafly: the column with most values first.
    Datafly,
    /// Best effort from the top, with a budget.
    TopDown,
    /// Best effort from the bottom, with a budget.
    BottomUp,
    /// A genetic algorithm over levels.
    Genetic,
    /// Simulated annealing over levels.
    SimulatedAnnealing,
    /// Fung, Wang and Yu: specialize the best node of a hierarchy, again and again.
    TopDownSpecialization,
    /// Wang, Yu and Chakraborty: generalize the best node of a hierarchy, again and again.
    BottomUpGeneralization,
    /// Bayardo and Agrawal: the best ordered partitions.
    KOptimize,
    /// Whole columns published as `*`.
    AttributeSuppression,
    /// Single cells published as `*`.
    CellSuppression,
    /// Boxes, cut at medians.
    Mondrian,
    /// Clusters that lose little.
    Clustering,
    /// Groups of records that lie close together, with their means.
    Microaggregation,
    /// Buckets of different sensitive values.
    Anatomy,
    /// Top-down local recoding of the thesis.
    TopDownLocal,
    /// Local recoding that moves records until nothing gets better.
    LocalRecoding,
    /// The thesis' decomposition of a degree of anonymization, for a purpose and a requester.
    Decomposition,
    /// No search: the recoding of an earlier release.
    Recoding,
}

impl Algorithm {
    /// The word in job files.
    pub fn word(self) -> &'static str {
        match self {
            Algorithm::Optimal => "optimal",
            Algorithm::Samarati => "samarati",
            Algorithm::Incognito => "incognito",
            Algorithm::HashTable => "hash-table",
            Algorithm::Datafly => "datafly",
            Algorithm::TopDown => "top-down",
            Algorithm::BottomUp => "bottom-up",
            Algorithm::Genetic => "genetic",
            Algorithm::SimulatedAnnealing => "simulated-annealing",
            Algorithm::TopDownSpecialization => "top-down-specialization",
            Algorithm::BottomUpGeneralization => "bottom-up-generalization",
            Algorithm::KOptimize => "k-optimize",
            Algorithm::AttributeSuppression => "attribute-suppression",
            Algorithm::CellSuppression => "cell-suppression",
            Algorithm::Mondrian => "mondrian",
            Algorithm::Clustering => "clustering",
            Algorithm::Microaggregation => "microaggregation",
            Algorithm::Anatomy => "anatomy",
            Algorithm::TopDownLocal => "top-down-local",
            Algorithm::LocalRecoding => "local-recoding",
            Algorithm::Decomposition => "decomposition",
            Algorithm::Recoding => "recoding",
        }
    }

    /// Whether it takes promises that look at all classes together.
    pub fn judges_together(self) -> bool {
        matches!(
            self,
            Algorithm::Optimal
                | Algorithm::Datafly
                | Algorithm::TopDown
                | Algorithm::BottomUp
                | Algorithm::Genetic
                | Algorithm::SimulatedAnnealing
                | Algorithm::AttributeSuppression
                | Algorithm::Recoding
        )
    }

    /// What it guarantees.
    pub fn guarantee(self) -> &'static str {
        match self {
            Algorithm::Optimal => {
                "No other choice of levels with at most this much suppression satisfies all promises and has a smaller value of the metric."
            }
            Algorithm::Samarati => {
                "No choice of levels with a smaller sum satisfies all promises; of those with this sum, none has a smaller value of the metric."
            }
            Algorithm::Incognito | Algorithm::HashTable => {
                "All minimal choices of levels were found: no column of them can go one level down. None of them has a smaller value of the metric."
            }
            Algorithm::Datafly | Algorithm::Genetic | Algorithm::SimulatedAnnealing => {
                "The promises hold. Other choices of levels may lose less."
            }
            Algorithm::TopDown | Algorithm::BottomUp => {
                "The promises hold, and no choice of levels is better than the bound that is stated. Within its budget no better one was found."
            }
            Algorithm::TopDownSpecialization => {
                "The promises hold, and no single label can be replaced by the finer ones below it without breaking one."
            }
            Algorithm::BottomUpGeneralization => "The promises hold. Other labels may lose less.",
            Algorithm::KOptimize => {
                "The promises hold. No way to cut the ordered values of the columns into ranges is better than the bound that is stated; where the bound is reached, none is better than this one."
            }
            Algorithm::AttributeSuppression => {
                "No other set of columns, published as * as a whole, satisfies all promises and has a smaller value of the metric."
            }
            Algorithm::CellSuppression => {
                "The promises hold, and at most 3k - 3 times as many cells are replaced as any such release must replace."
            }
            Algorithm::Mondrian => {
                "The promises hold in every group, and no group can be cut further at a median or along a hierarchy without breaking one."
            }
            Algorithm::Clustering => "The promises hold in every group. Other groups may lose less.",
            Algorithm::Microaggregation => {
                "The promises hold in every group; with k-anonymity alone, groups have k to 2k - 1 records."
            }
            Algorithm::Anatomy => {
                "The promises hold in every bucket. Quasi columns are published as they are: who is in the table can be told."
            }
            Algorithm::TopDownLocal => {
                "The promises hold in every group, and no group can be divided further along one column."
            }
            Algorithm::LocalRecoding => {
                "The promises hold in every group. Groups were improved until no step that the optimizer looks at (moving a record, dividing or dissolving a group, dividing two neighbours anew) lowered the loss."
            }
            Algorithm::Decomposition => {
                "The promises hold, and no column is below the level that the purpose and the trust in the requester ask for. Of all such choices of levels none has a smaller value of the metric, unless there are too many of them to look at."
            }
            Algorithm::Recoding => {
                "The promises hold. Values went where an earlier release put them; nothing was searched, so other choices may lose less."
            }
        }
    }
}

const LIMITED: &str = "The promises hold. The number of steps was limited, so finer labels may be possible.";
const EXACT: &str = "The promises hold, and no such release replaces fewer cells.";
const MEYERSON_WILLIAMS: &str = "The promises hold, and at most (2k - 1)(2k - 2)/k times the sum of 1/1 to 1/(2k - 1) as many cells are replaced as any such release must replace.";
const ONE_SIDED: &str = "The promises hold in every group. Numbers were cut above their medians alone, so a group may still be cut below one.";

/// Every sentence that a search can say of what it guarantees, from what a manifest tells of it; none of an unknown one.
pub(crate) fn guarantees(search: &manifest::Search) -> Vec<String> {
    let word = serde_json::Value::String(search.algorithm.clone());
    let Ok(algorithm) = Algorithm::deserialize(word) else { return Vec::new() };
    if search.p_safe.is_some() {
        return vec![p_safe::GUARANTEE.to_owned()];
    }
    if let Some(told) = &search.anatomy {
        return vec![guarantee_of(told)];
    }
    let others: &[&str] = match algorithm {
        Algorithm::TopDownSpecialization => &[LIMITED],
        Algorithm::CellSuppression => &[EXACT, MEYERSON_WILLIAMS],
        Algorithm::Mondrian => &[ONE_SIDED],
        _ => &[],
    };
    std::iter::once(&algorithm.guarantee()).chain(others).map(|own| (*own).to_owned()).collect()
}

/// Sets of columns as nodes of the lattice, the columns of a set being at their top, when every column has one label
/// there.
fn tops(problem: &Problem<'_>, sets: &[Vec<usize>]) -> Option<Vec<Vec<usize>>> {
    let single = |quasi: &Quasi<'_>| {
        quasi.generalization.height() > 0
            && quasi.generalization.levels.last().is_some_and(|top| top.labels.len() == 1)
    };
    let level = |set: &[usize], column: usize| match set.contains(&column) {
        true => problem.quasi[column].generalization.height(),
        false => 0,
    };
    problem.quasi.iter().all(single).then(|| {
        sets.iter().map(|set| (0..problem.quasi.len()).map(|column| level(set, column)).collect()).collect()
    })
}

impl Search {
    /// Sections with parameters of an algorithm that is not the one chosen would do nothing; that is a mistake.
    pub(crate) fn check_sections(&self) -> Result<(), JobError> {
        // Per section of an algorithm's own parameters whether it is there, and the algorithm.
        let sections = [
            ("incognito", self.incognito.is_some(), Algorithm::Incognito),
            ("top-down", self.top_down.is_some(), Algorithm::TopDown),
            ("bottom-up", self.bottom_up.is_some(), Algorithm::BottomUp),
            ("genetic", self.genetic.is_some(), Algorithm::Genetic),
            ("simulated-annealing", self.simulated_annealing.is_some(), Algorithm::SimulatedAnnealing),
            (
                "top-down-specialization",
                self.top_down_specialization.is_some(),
                Algorithm::TopDownSpecialization,
            ),
            (
                "bottom-up-generalization",
                self.bottom_up_generalization.is_some(),
                Algorithm::BottomUpGeneralization,
            ),
            ("k-optimize", self.k_optimize.is_some(), Algorithm::KOptimize),
            ("cell-suppression", self.cell_suppression.is_some(), Algorithm::CellSuppression),
            ("mondrian", self.mondrian.is_some(), Algorithm::Mondrian),
            ("clustering", self.clustering.is_some(), Algorithm::Clustering),
            ("microaggregation", self.microaggregation.is_some(), Algorithm::Microaggregation),
            ("anatomy", self.anatomy.is_some(), Algorithm::Anatomy),
            ("top-down-local", self.top_down_local.is_some(), Algorithm::TopDownLocal),
            ("local-recoding", self.local_recoding.is_some(), Algorithm::LocalRecoding),
        ];
        // A job that names an algorithm and its parameters can still be asked for a release by purpose.
        let by_purpose = self.algorithm == Algorithm::Decomposition;
        for (key, is_there, algorithm) in sections {
            if is_there && self.algorithm != algorithm && !by_purpose {
                return Err(JobError::key(
                    format!("search.{key}"),
                    format!("goes with algorithm = \"{}\" only", algorithm.word()),
                ));
            }
        }
        if self.publish.is_some() && self.published().is_none() && !by_purpose {
            return Err(JobError::key(
                "search.publish",
                "goes with algorithms that form groups of records, such as algorithm = \"mondrian\"",
            ));
        }
        self.check_metric()?;
        let parameters = [
            self.top_down.as_ref().map(TopDown::check),
            self.bottom_up.as_ref().map(BottomUp::check),
            self.genetic.as_ref().map(Genetic::check),
            self.simulated_annealing.as_ref().map(Annealing::check),
            self.top_down_specialization.as_ref().map(TopDownSpecialization::check),
            self.k_optimize.as_ref().map(KOptimize::check),
            self.microaggregation.as_ref().map(Microaggregation::check),
        ];
        for checked in parameters.into_iter().flatten() {
            checked.map_err(|error| JobError::new(error.to_string()))?;
        }
        if self.algorithm == Algorithm::Anatomy
            && self.publish.is_some_and(|publish| publish != Publish::Buckets)
        {
            return Err(JobError::key(
                "search.publish",
                "must be \"buckets\" with algorithm = \"anatomy\", whose buckets hold records that are nothing alike",
            ));
        }
        if self.minimal_nodes && self.algorithm != Algorithm::Optimal && !by_purpose {
            let problem = match self.algorithm {
                Algorithm::Incognito | Algorithm::HashTable | Algorithm::Samarati => {
                    "goes with algorithm = \"optimal\"; this algorithm lists its minimal nodes anyway"
                }
                _ => "goes with algorithm = \"optimal\" only",
            };
            return Err(JobError::key("search.minimal-nodes", problem));
        }
        Ok(())
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
    pub(crate) fn published(&self) -> Option<Publish> {
        let usual = match self.algorithm {
            Algorithm::Mondrian => Publish::Ranges,
            Algorithm::TopDownLocal | Algorithm::LocalRecoding | Algorithm::Clustering => Publish::Nodes,
            Algorithm::Microaggregation => Publish::Means,
            Algorithm::Anatomy => Publish::Buckets,
            _ => return None,
        };
        Some(self.publish.unwrap_or(usual))
    }

    /// The column that says who is in which bucket, when one does.
    pub(crate) fn buckets_from(&self) -> Option<&str> {
        match self.algorithm {
            Algorithm::Anatomy => self.anatomy.as_ref()?.buckets_from.as_deref(),
            _ => None,
        }
    }

    /// The groups that an algorithm forms, when it forms groups, with what it says of them. `given` are those of
    /// `buckets-from`.
    pub(crate) fn groups(
        &self,
        problem: &Problem<'_>,
        given: Option<&Groups>,
        progress: &dyn Progress,
    ) -> Result<Option<Formed>, SearchError> {
        let groups = match self.algorithm {
            Algorithm::TopDownLocal => {
                self.top_down_local.unwrap_or_default().search(problem, progress)?.groups
            }
            Algorithm::LocalRecoding => {
                self.local_recoding.unwrap_or_default().search(problem, progress)?.groups
            }
            Algorithm::Clustering => self.clustering.unwrap_or_default().search(problem, progress)?.groups,
            Algorithm::Microaggregation => {
                let search = self.microaggregation.clone().unwrap_or_default();
                let Microaggregated { groups, keys, tree, sse, sst } = search.search(problem, progress)?;
                let aggregation = Some(Aggregation { method: search.method, keys, tree, sse, sst });
                return Ok(Some(Formed { groups, aggregation, anatomy: None }));
            }
            Algorithm::Anatomy => {
                let own = self.anatomy.clone().unwrap_or_default();
                let buckets = match given {
                    Some(given) => GivenBuckets { merge: own.merge }.search(problem, given, progress)?,
                    None => Anatomy { l: own.l, seed: seed(own.seed)? }.search(problem, progress)?,
                };
                let told = manifest::Anatomy {
                    l: buckets.l,
                    buckets_from: own.buckets_from,
                    given_buckets: given.map(|given| given.count as u64),
                };
                let groups = Groups { of: buckets.of, count: buckets.count };
                return Ok(Some(Formed { groups, aggregation: None, anatomy: Some(told) }));
            }
            _ => return Ok(None),
        };
        Ok(Some(Formed { groups, aggregation: None, anatomy: None }))
    }

    /// Looks for a release.
    pub(crate) fn choose(
        &self,
        problem: &Problem<'_>,
        progress: &dyn Progress,
    ) -> Result<Chosen, SearchError> {
        let node = |found| Ok(Chosen::node(found));
        match self.algorithm {
            Algorithm::Optimal => {
                node(lattice::optimal(problem, Options { minimal_nodes: self.minimal_nodes }, progress)?)
            }
            Algorithm::Samarati => node(lattice::run(problem, &Samarati {}, progress)?),
            Algorithm::Incognito => {
                node(lattice::run(problem, &self.incognito.unwrap_or_default(), progress)?)
            }
            Algorithm::HashTable => node(lattice::run(problem, &HashTable {}, progress)?),
            Algorithm::Datafly => node(lattice::run(problem, &Datafly {}, progress)?),
            Algorithm::TopDown => {
                node(lattice::run(problem, &self.top_down.clone().unwrap_or_default(), progress)?)
            }
            Algorithm::BottomUp => {
                node(lattice::run(problem, &self.bottom_up.clone().unwrap_or_default(), progress)?)
            }
            Algorithm::Genetic => {
                node(lattice::run(problem, &self.genetic.clone().unwrap_or_default(), progress)?)
            }
            Algorithm::SimulatedAnnealing => {
                node(lattice::run(problem, &self.simulated_annealing.clone().unwrap_or_default(), progress)?)
            }
            Algorithm::TopDownSpecialization => {
                let search = self.top_down_specialization.clone().unwrap_or_default();
                Ok(Chosen::cut(problem, search.search(problem, progress)?, "cut"))
            }
            Algorithm::BottomUpGeneralization => {
                let search = self.bottom_up_generalization.clone().unwrap_or_default();
                Ok(Chosen::cut(problem, search.search(problem, progress)?, "cut"))
            }
            Algorithm::KOptimize => {
                let search = self.k_optimize.clone().unwrap_or_default();
                Ok(Chosen::cut(problem, search.search(problem, progress)?, "ranges"))
            }
            Algorithm::AttributeSuppression => {
                if matches!(problem.metric, Metric::Height | Metric::Precision) {
                    // A column that is published as `*` is at no level of its hierarchy, or at any that looks like it.
                    return Err(SearchError::NotForMetric {
                        algorithm: "attribute-suppression",
                        accepts: "metrics that need no levels, such as loss",
                    });
                }
                let suppressed = AttributeSuppression {}.search(problem, progress)?;
                let mut chosen = Chosen::cut(problem, suppressed.found, "cut");
                chosen.minimal = tops(problem, &suppressed.minimal);
                Ok(chosen)
            }
            Algorithm::CellSuppression => {
                let search = self.cell_suppression.unwrap_or_default();
                Ok(Chosen::cells(problem, &search.search(problem, progress)?))
            }
            // Those that form groups are above.
            Algorithm::Mondrian
            | Algorithm::TopDownLocal
            | Algorithm::LocalRecoding
            | Algorithm::Clustering
            | Algorithm::Microaggregation
            | Algorithm::Anatomy
            // An applied recoding chooses nothing.
            | Algorithm::Recoding => Err(SearchError::NothingFound { algorithm: self.algorithm.word() }),
            // A decomposition is told by its purpose, which is no part of this section.
            Algorithm::Decomposition => Err(SearchError::Parameter { key: "purpose", problem: "is needed" }),
        }
    }

    /// What the algorithm guarantees with these parameters and, of Anatomy, with these buckets.
    pub(crate) fn guarantee(&self, anatomy: Option<&manifest::Anatomy>) -> String {
        let limited = self.top_down_specialization.as_ref().is_some_and(|search| search.max_steps.is_some());
        if let Some(told) = anatomy {
            return guarantee_of(told);
        }
        let text = match (self.algorithm, self.cell_suppression.unwrap_or_default().method) {
            (Algorithm::TopDownSpecialization, _) if limited => LIMITED,
            (Algorithm::CellSuppression, Method::Exact) => EXACT,
            (Algorithm::CellSuppression, Method::MeyersonWilliams) => MEYERSON_WILLIAMS,
            (Algorithm::Mondrian, _) if self.mondrian.as_ref().is_some_and(|mondrian| mondrian.one_sided) => {
                ONE_SIDED
            }
            (algorithm, _) => algorithm.guarantee(),
        };
        text.to_owned()
    }

    /// Whether the published values were drawn from a seed that nobody kept.
    pub(crate) fn draws_from_unkept_seed(&self) -> bool {
        self.algorithm == Algorithm::Anatomy
            && self.buckets_from().is_none()
            && self.anatomy.as_ref().is_none_or(|anatomy| anatomy.seed.is_none())
    }

    /// Where randomness came from, for the manifest.
    pub(crate) fn randomness(&self) -> String {
        let time_limit = match self.algorithm {
            Algorithm::TopDown => self.top_down.as_ref().and_then(|search| search.time_limit),
            Algorithm::BottomUp => self.bottom_up.as_ref().and_then(|search| search.time_limit),
            Algorithm::KOptimize => self.k_optimize.as_ref().and_then(|search| search.time_limit),
            _ => None,
        };
        let seed = match self.algorithm {
            Algorithm::Genetic => self.genetic.clone().unwrap_or_default().seed,
            Algorithm::SimulatedAnnealing => self.simulated_annealing.clone().unwrap_or_default().seed,
            Algorithm::Anatomy => {
                let given = self.anatomy.as_ref().and_then(|anatomy| anatomy.seed);
                if self.buckets_from().is_some() {
                    return "none".to_owned();
                }
                return format!("who is in which bucket was drawn with {}", source(given));
            }
            _ if time_limit.is_some() => {
                return "none, but how far the search came in its time depends on the machine".to_owned();
            }
            _ => return "none".to_owned(),
        };
        format!(
            "the search was led by numbers from the seed {seed}; the published values do not depend on chance"
        )
    }
}
