//! What must hold before a graph may be published: every person has enough candidates, whatever of the structure an
//! adversary knows, and the candidates differ in what is sensitive.

mod automorphism;
pub(crate) mod canonical;
mod diversity;
pub(crate) mod neighbourhood;
pub(crate) mod refine;

pub use automorphism::{USUAL_STEPS, automorphism_classes};
pub use diversity::{Diversity, diversity_of_classes};
pub use neighbourhood::{NeighbourhoodClasses, neighbourhood_classes};
pub use refine::{candidate_sets, stable_classes};

use serde::{Deserialize, Serialize};

use crate::{Attribute, Classes, Graph, GraphError};

/// What an adversary knows of the structure around a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "knowledge")]
pub enum Knowledge {
    /// H(depth): 1 is the degree, 2 the degrees of the neighbours, and so on.
    Refinement {
        /// The depth.
        depth: u32,
    },
    /// What no further depth adds to.
    Stable,
    /// The same, where it is reached within so many steps; the last step otherwise.
    Within {
        /// The steps.
        steps: u32,
    },
    /// Who the neighbours are and which of them are neighbours, up to isomorphism.
    Neighbourhood,
    /// Everything: automorphism classes, where they can be computed.
    Automorphism,
}

impl Knowledge {
    /// Who cannot be told apart, and how many nodes count as alone because that was not decided.
    ///
    /// # Errors
    /// When `visible` has not one value for each node, the knowledge is not defined for directed graphs, or
    /// automorphism classes take too long.
    pub fn classes(self, graph: &Graph, visible: Option<&[u32]>) -> Result<(Classes, u64), GraphError> {
        match self {
            Self::Refinement { depth } => {
                let mut sets = candidate_sets(graph, depth, visible)?;
                let last = sets.pop().unwrap_or_else(|| Classes::one(graph.nodes()));
                Ok((last, 0))
            }
            Self::Stable => Ok((stable_classes(graph, visible)?, 0)),
            Self::Within { steps } => Ok((refine::stable_within(graph, visible, steps)?, 0)),
            Self::Neighbourhood => {
                let found = neighbourhood_classes(graph, visible)?;
                Ok((found.classes, found.undecided))
            }
            Self::Automorphism => Ok((automorphism_classes(graph, visible, USUAL_STEPS)?, 0)),
        }
    }
}

/// What is asked of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "criterion")]
pub enum Criterion {
    /// At least `k` candidates for every person. With H1 that is k-degree anonymity (survey AP-07), with neighbourhoods
    /// k-neighbourhood anonymity (AP-06).
    KAnonymity {
        /// The number of candidates.
        k: u32,
        /// What the adversary knows.
        #[serde(flatten)]
        against: Knowledge,
    },
    /// Candidates with at least `l` values of a sensitive attribute (AP-05).
    LDiversity {
        /// The number of values.
        l: f64,
        /// How values are counted.
        kind: Diversity,
        /// What the adversary knows.
        #[serde(flatten)]
        against: Knowledge,
    },
}

/// What became of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Verdict {
    /// What was asked.
    #[serde(flatten)]
    pub criterion: Criterion,
    /// Whether it holds.
    pub holds: bool,
    /// The least that a class has: candidates, or values.
    pub least: f64,
    /// Nodes in classes that fail.
    pub failing: u64,
    /// The number of classes.
    pub classes: u64,
    /// Nodes that count as alone because deciding would take too long.
    pub undecided: u64,
}

/// Judges a graph. A graph without nodes fulfils everything.
///
/// `visible` is what is published of a node besides its edges; `sensitive` what l-diversity is about.
///
/// # Errors
/// As [`Knowledge::classes`]; also when l-diversity has no attribute, or a threshold is below 1.
pub fn judge(
    graph: &Graph,
    criterion: Criterion,
    visible: Option<&[u32]>,
    sensitive: Option<&Attribute>,
) -> Result<Verdict, GraphError> {
    let (against, needed) = match criterion {
        Criterion::KAnonymity { k, against } => (against, f64::from(k)),
        Criterion::LDiversity { l, against, .. } => (against, l),
    };
    if !(needed >= 1.0 && needed.is_finite()) {
        return Err(GraphError::Parameter { key: "k, l", accepted: "1 or more" });
    }
    let (classes, undecided) = against.classes(graph, visible)?;
    let found: Vec<f64> = match criterion {
        Criterion::KAnonymity { .. } => classes.sizes().iter().map(|&size| size.into()).collect(),
        Criterion::LDiversity { kind, .. } => {
            let attribute = sensitive.filter(|own| own.codes.len() == graph.nodes());
            let attribute = attribute
                .ok_or(GraphError::Length { what: "the sensitive attribute", nodes: graph.nodes() })?;
            diversity_of_classes(&classes, attribute, kind)
        }
    };
    let fails = |own: &f64| *own < needed - 1e-12;
    let failing = found.iter().zip(classes.sizes()).filter(|(own, _)| fails(own));
    let failing: u64 = failing.map(|(_, &size)| u64::from(size)).sum();
    let least = found.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let classes = classes.count() as u64;
    Ok(Verdict { criterion, holds: failing == 0, least, failing, classes, undecided })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::{Domain, Role};

    fn survey() -> Graph {
        Graph::undirected(6, &[(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)]).unwrap().0
    }

    fn attribute(texts: &[&str]) -> Attribute {
        let mut distinct: Vec<Box<str>> = texts.iter().map(|&text| text.into()).collect();
        distinct.sort();
        distinct.dedup();
        let (domain, _) = Domain::canonical(distinct, str::is_empty);
        let codes = texts.iter().map(|text| domain.code_of(text).unwrap()).collect();
        Attribute { name: "politics".to_owned(), role: Role::Sensitive, codes, domain }
    }

    /// survey FX-7.F1, AP-05: Bee-Chung and the other node of the class are both liberal, so the class gives it away.
    #[test]
    fn a_class_of_liberals_is_no_secret() {
        let graph = survey();
        let ask = |l, against, kind| Criterion::LDiversity { l, kind, against };
        let politics = attribute(&["liberal", "liberal", "moderate", "moderate", "liberal", "moderate"]);
        let (classes, _) = Knowledge::Automorphism.classes(&graph, None).unwrap();
        let diversity = diversity_of_classes(&classes, &politics, Diversity::Distinct);
        assert_eq!((classes.size_of(0), diversity[0]), (2, 1.0));
        let whole = Knowledge::Refinement { depth: 0 };
        let judged = |asked, politics| judge(&graph, asked, None, Some(politics)).unwrap();
        assert!(!judged(ask(2.0, Knowledge::Automorphism, Diversity::Distinct), &politics).holds);
        assert!(judged(ask(2.0, whole, Diversity::Distinct), &politics).holds);
        assert!(judged(ask(2.0, whole, Diversity::Entropy), &politics).holds);
        // A missing value protects nobody.
        let politics = attribute(&["liberal", "", "", "", "liberal", ""]);
        let judged = judged(ask(2.0, whole, Diversity::Distinct), &politics);
        assert_eq!((judged.holds, judged.least, judged.failing), (false, 1.0, 6));
        let none = judge(&graph, ask(2.0, whole, Diversity::Distinct), None, None);
        assert!(matches!(none, Err(GraphError::Length { .. })));
    }

    /// survey FX-7.F1, AP-03: Raghu and Ashwin are alone with their degrees, and with everything so is everyone but two.
    #[test]
    fn candidates_of_the_survey() {
        let graph = survey();
        let ask = |k, against| judge(&graph, Criterion::KAnonymity { k, against }, None, None).unwrap();
        let degrees = ask(2, Knowledge::Refinement { depth: 1 });
        assert_eq!((degrees.holds, degrees.least, degrees.failing, degrees.classes), (false, 1.0, 3, 4));
        assert_eq!(ask(2, Knowledge::Automorphism).failing, 4);
        assert_eq!(ask(2, Knowledge::Stable).failing, 4);
        assert!(ask(6, Knowledge::Refinement { depth: 0 }).holds);
        let empty = Graph::undirected(0, &[]).unwrap().0;
        let asked = Criterion::KAnonymity { k: 3, against: Knowledge::Stable };
        assert!(judge(&empty, asked, None, None).unwrap().holds);
        let words = serde_json::to_value(degrees).unwrap();
        assert_eq!((&words["criterion"], &words["knowledge"]), (&"k-anonymity".into(), &"refinement".into()));
        let back: Criterion = serde_json::from_value(words).unwrap();
        assert_eq!(back, degrees.criterion);
    }
}
