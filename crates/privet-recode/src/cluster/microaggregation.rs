//! Microaggregation (survey ME-11, thesis 2.13 and 2.14): records that lie close together form groups, and each
//! column of a group is published as one value, by default the mean of its numbers and the mode of its categories.
//!
//! Grouping is one file per method: [`mdav`](super::mdav), `v_mdav.rs`, `univariate.rs`, `ama.rs`. Criteria beyond
//! k-anonymity are met afterwards by merging each group that fails with the one whose centroid is nearest
//! (`mend.rs`). How much is lost is measured by SSE / SST (thesis section 3): the squared distances of the records
//! from the middle of their group over those from the middle of the table, on the scaled columns.
//!
//! The survey's first phase also allows to group each segment of similar columns by itself. It is not offered: the
//! combined table of several segments is not k-anonymous, and each promise would hold for a segment alone.
//!
//! # Guarantee
//! Every group satisfies every criterion, so does every union of groups, and no record is left out; hence the release
//! does, whichever [`Represent`](crate::groups::Represent) is published. For k-anonymity alone groups have k to 2k-1 records. With
//! means, the mean of each column without missing values stays what it is (up to rounding). SSE / SST lies between 0
//! and 1. The same input gives the same groups on any number of threads.
//!
//! Edge cases: no record, no group. Fewer than k records: an error. Fewer than 2k: one group. Without a
//! criterion, every record is a group. Constant columns, missing values and infinities: see `space.rs`.

use privet_data::Progress;
use rayon::prelude::*;
use serde::Deserialize;

use super::ama::{Approximate, approximate};
use super::dependency::DependencyTree;
use super::mdav::{Mdav, numbered, of_space};
use super::mend::{Neighbours, least_rows, mend};
use super::neighbours::Geometry;
use super::require_end;
use super::space::{Categories, Scale, Space, scaled};
use super::univariate;
use super::v_mdav::VMdav;
use crate::algorithm::{Algorithm, AlgorithmInfo, Publish, Selected, read};
use crate::groups::Groups;
use crate::jury::Jury;
use crate::lattice::{Problem, SearchError};

const ALGORITHM: &str = "microaggregation";

/// How readily a group of V-MDAV grows, when nothing is said.
pub const GAMMA: f64 = 0.2;

/// Groups records that lie close together.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Microaggregation {
    /// How groups are found.
    pub method: Method,
    /// How readily a group of `v-mdav` grows: 0 not at all; 0.2, when left out, suits scattered records, 1.1 clustered
    /// ones. No other method takes it.
    pub gamma: Option<f64>,
    /// How numbers are made comparable.
    pub scale: Scale,
    /// How far two categories are apart, `equal` when left out. Only columns that are no numbers have any.
    pub categories: Option<Categories>,
}

/// How groups are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Groups of k from the outside in.
    #[default]
    Mdav,
    /// The same with groups that grow where records lie close.
    VMdav,
    /// The optimum of one column of numbers.
    Univariate,
    /// MDAV on the key attributes.
    Ama,
}

impl Method {
    /// The word in job files and manifests.
    pub fn word(self) -> &'static str {
        match self {
            Method::Mdav => "mdav",
            Method::VMdav => "v-mdav",
            Method::Univariate => "univariate",
            Method::Ama => "ama",
        }
    }
}

/// The groups that were found, and what they cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Microaggregated {
    /// Who is with whom.
    pub groups: Groups,
    /// The quasi columns that were looked at to form the groups.
    pub keys: Vec<usize>,
    /// `ama`: how columns depend on each other, which decides what is looked at.
    pub tree: Option<DependencyTree>,
    /// The squared distances of the records from the middle of their group.
    pub sse: f64,
    /// The squared distances of the records from the middle of all.
    pub sst: f64,
}

impl Microaggregated {
    /// SSE / SST: 0 when nothing is lost, 1 when everything is; 0 where there is nothing to lose.
    pub fn loss(&self) -> f64 {
        if self.sst > 0.0 { (self.sse / self.sst).min(1.0) } else { 0.0 }
    }
}

impl Microaggregation {
    /// Whether the parameters are in range and of use; a search checks them too.
    ///
    /// # Errors
    /// When one is not; the error names it.
    pub fn check(&self) -> Result<(), SearchError> {
        if self.method == Method::Univariate && self.categories.is_some() {
            let problem =
                "does not go with method = \"univariate\", which takes a column of numbers; leave it out";
            return Err(SearchError::Parameter { key: "search.microaggregation.categories", problem });
        }
        let refused = |problem| Err(SearchError::Parameter { key: "search.microaggregation.gamma", problem });
        match self.gamma {
            Some(_) if self.method != Method::VMdav => {
                refused("goes with method = \"v-mdav\" only, whose groups alone grow; leave it out")
            }
            Some(gamma) if !(gamma.is_finite() && gamma >= 0.0) => refused("must be a number of at least 0"),
            _ => Ok(()),
        }
    }

    /// Forms the groups.
    ///
    /// # Errors
    /// When gamma is out of range, `categories` is given and there are none, `univariate` is asked of anything but one column of known numbers, a criterion
    /// cannot be met by merging groups, even all records in one group fail, or the person asked to stop.
    pub fn search(
        &self,
        problem: &Problem<'_>,
        progress: &dyn Progress,
    ) -> Result<Microaggregated, SearchError> {
        self.check()?;
        let k = least_rows(problem, ALGORITHM)?;
        let numbers = match self.method {
            Method::Univariate => Some(one_column(problem)?),
            _ => None,
        };
        let mut jury = Jury::new(problem);
        jury.require_whole(problem.rows)?;
        if self.categories.is_some() && problem.quasi.iter().all(|quasi| quasi.numbers.is_some()) {
            return Err(SearchError::Parameter {
                key: "search.microaggregation.categories",
                problem: "is given, and no quasi column has categories: all are numbers or dates; leave it out",
            });
        }
        let categories = self.categories.unwrap_or_default();
        let whole = Space::new(&problem.quasi, problem.rows, self.scale, categories);
        // Numbers are looked up in a tree; categories are compared one by one.
        if let (Space::Mixed(_), Method::Mdav | Method::VMdav) = (&whole, self.method) {
            require_end(ALGORITHM, problem.rows, k)?;
        }
        let mut keys: Vec<usize> = (0..problem.quasi.len()).collect();
        let (mut projected, mut tree) = (None, None);
        let groups = if k == 1 {
            (0..problem.rows as u32).map(|record| vec![record]).collect()
        } else {
            match (numbers, self.method) {
                (Some(numbers), _) => {
                    let codes = problem.quasi[0].codes;
                    let numbers = scaled(numbers, codes, self.scale);
                    let values: Vec<f64> = codes.iter().map(|&code| numbers[code as usize]).collect();
                    univariate::optimal(&values, k, progress)?
                }
                (None, Method::Ama) => {
                    let found = approximate(problem, k, self.scale, categories, progress)?;
                    let Approximate { groups, keys: found_keys, tree: found_tree, space } = found;
                    (keys, tree) = (found_keys, Some(found_tree));
                    projected = Some(space);
                    groups
                }
                (None, Method::VMdav) => {
                    of_space(&whole, &VMdav { k, gamma: self.gamma.unwrap_or(GAMMA) }, progress)?
                }
                (None, _) => of_space(&whole, &Mdav { k }, progress)?,
            }
        };
        let space = projected.as_ref().unwrap_or(&whole);
        let groups = match space {
            Space::Points(points) => mend_by(points, groups, &mut jury, progress)?,
            Space::Mixed(mixed) => mend_by(mixed, groups, &mut jury, progress)?,
        };
        if groups.iter().any(|group| !jury.holds_for(group)) {
            return Err(SearchError::Unsafe { algorithm: ALGORITHM });
        }
        let (sse, sst) = match &whole {
            Space::Points(points) => squares(points, &groups),
            Space::Mixed(mixed) => squares(mixed, &groups),
        };
        Ok(Microaggregated { groups: numbered(problem.rows, &groups), keys, tree, sse, sst })
    }
}

/// The numbers of the one column that `univariate` takes.
fn one_column<'a>(problem: &Problem<'a>) -> Result<&'a [f64], SearchError> {
    let numbers = match &problem.quasi[..] {
        [quasi] => quasi.numbers.filter(|numbers| {
            let missing = |&code: &u32| numbers[code as usize].is_nan();
            !quasi.codes.iter().any(missing)
        }),
        _ => None,
    };
    numbers.ok_or(SearchError::Parameter {
        key: "search.microaggregation.method",
        problem: "is `univariate`, which must be given exactly one quasi column, of numbers or dates, in which no \
                  value is missing; use `mdav` for others",
    })
}

/// SSE and SST.
fn squares<G: Geometry>(geometry: &G, groups: &[Vec<u32>]) -> (f64, f64) {
    let all: Vec<u32> = (0..geometry.rows() as u32).collect();
    (groups.iter().map(|group| geometry.spread(group)).sum(), geometry.spread(&all))
}

fn mend_by<G: Geometry>(
    geometry: &G,
    groups: Vec<Vec<u32>>,
    jury: &mut Jury<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, SearchError> {
    let centers = |groups: &[Vec<u32>]| Centers {
        geometry,
        centers: groups.iter().map(|group| Some(geometry.center(group))).collect(),
    };
    Ok(mend(groups, jury, centers, progress)?)
}

/// The centroids of groups; none for a group that went up in another.
struct Centers<'g, G: Geometry> {
    geometry: &'g G,
    centers: Vec<Option<G::Center>>,
}

impl<G: Geometry> Neighbours for Centers<'_, G> {
    fn nearest(&self, of: usize) -> Option<usize> {
        let own = self.centers[of].as_ref()?;
        let distance = |(number, center): (usize, &Option<G::Center>)| match center {
            Some(center) if number != of => Some((self.geometry.between(own, center), number)),
            _ => None,
        };
        let nearer = |a: (f64, usize), b: (f64, usize)| if b < a { b } else { a };
        let others = self.centers.par_iter().with_min_len(4096).enumerate().filter_map(distance);
        others.reduce_with(nearer).map(|(_, number)| number)
    }

    fn merged(&mut self, groups: &[Vec<u32>], into: usize, from: usize) {
        self.centers[from] = None;
        self.centers[into] = Some(self.geometry.center(&groups[into]));
    }
}

impl Microaggregation {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "microaggregation",
        summary: "Groups of records that lie close together, with their means.",
        guarantees: &[
            "The promises hold in every group; with k-anonymity alone, groups have k to 2k - 1 records.",
        ],
        judges_together: false,
        needs_monotone: false,
        publishes: Some(Publish::Means),
        read: read::<Microaggregation>,
    };
}

impl Algorithm for Microaggregation {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn check(&self) -> Result<(), SearchError> {
        Self::check(self)
    }

    fn depends_on_order(&self) -> bool {
        true
    }

    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError> {
        self.search(problem, progress).map(Selected::Microaggregated)
    }
}
