//! What a release and its original show to attacks, measures and pages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use privet_data::io::ReadOptions;
use privet_data::{Progress, Random};
use privet_kind::{
    Assessment, JobFile, KindError, Need, Original, OwnerFiles, PageSection, Reason, Release, Unmade, Views,
};
use privet_release::ReleaseFolder;

use super::job::{Input, Method, Settings};
use super::make::Body;
use super::{page, who};
use crate::{
    Attribute, ClusterSummary, Graph, NOBODY, Network, NetworkOptions, PrivateDegrees, read,
    sampled_from_degrees,
};

/// A published graph, or what is published in its place.
#[derive(Debug, Clone)]
pub struct PublishedGraph {
    /// How it was published.
    pub method: Method,
    /// The number of nodes.
    pub nodes: u64,
    /// What stands in the files.
    pub form: Form,
    /// Of a release that costs privacy: whether a ledger was charged.
    pub charged: Option<bool>,
}

/// What is published.
#[derive(Debug, Clone)]
pub enum Form {
    /// A graph with attributes of its nodes.
    Network {
        /// The graph.
        graph: Graph,
        /// The attributes that are published.
        attributes: Vec<Attribute>,
    },
    /// Sizes of clusters and numbers of edges.
    Clusters(ClusterSummary),
    /// A noisy degree sequence.
    Degrees(PrivateDegrees),
}

/// The original of a release and who is who in it.
#[derive(Debug, Clone)]
pub struct OriginalGraph {
    /// The network.
    pub network: Network,
    /// Per node the published node or cluster, where the owner kept it.
    pub truth: Option<Vec<u32>>,
    /// What the job says, to make a release of another network in the same way.
    pub settings: Settings,
}

/// A graph that stands for a release: the published one, or a sample of what fits.
pub(super) struct StandIn<'a> {
    /// The graph.
    pub graph: Cow<'a, Graph>,
    /// Per person the node that stands for it, where nodes stand for people and the owner knows for whom.
    pub truth: Option<Vec<u32>>,
}

impl PublishedGraph {
    /// The graph that attacks and measures look at. Nodes of a cluster are interchangeable, so in a sample each stands for
    /// one of the people of its cluster by lot.
    pub(super) fn stand_in(
        &self,
        original: Option<&OriginalGraph>,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<StandIn<'_>, Unmade> {
        let known = original.and_then(|own| own.truth.as_ref());
        Ok(match &self.form {
            Form::Network { graph, .. } => StandIn { graph: Cow::Borrowed(graph), truth: known.cloned() },
            Form::Clusters(summary) => {
                let graph = summary.sample(seed, progress)?;
                let truth = known.map(|of| by_lot(summary, of, seed)).transpose()?;
                StandIn { graph: Cow::Owned(graph), truth }
            }
            Form::Degrees(found) => {
                let graph = sampled_from_degrees(&found.degrees, seed, progress)?;
                StandIn { graph: Cow::Owned(graph), truth: None }
            }
        })
    }

    /// The same with the truth, which an attack on people needs.
    pub(super) fn with_people<'a>(
        &'a self,
        original: Option<&'a OriginalGraph>,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<(Cow<'a, Graph>, Vec<u32>, &'a OriginalGraph), Unmade> {
        if let Form::Degrees(_) = self.form {
            return Err(Reason::Nothing { what: "node that stands for a person".to_owned() }.into());
        }
        let original = original.ok_or(Need::Original)?;
        let stand_in = self.stand_in(Some(original), seed, progress)?;
        let truth = stand_in.truth.ok_or(Need::Original)?;
        Ok((stand_in.graph, truth, original))
    }
}

/// Per person a node of a sample graph: those of its cluster, by lot.
fn by_lot(summary: &ClusterSummary, of: &[u32], seed: u64) -> Result<Vec<u32>, KindError> {
    let mut free: Vec<Vec<u32>> = vec![Vec::new(); summary.sizes.len()];
    for (node, cluster) in summary.clusters_of_nodes().into_iter().enumerate() {
        free[cluster as usize].push(node as u32);
    }
    let mut random = Random::stream(seed, 42);
    free.iter_mut().for_each(|own| random.shuffle(own));
    let each = of.iter().map(|&cluster| {
        if cluster == NOBODY {
            return Ok(NOBODY);
        }
        let node = free.get_mut(cluster as usize).and_then(Vec::pop);
        node.ok_or_else(|| KindError::bad_input(format!("`{}` names a cluster too often", who::FILE)))
    });
    each.collect()
}

/// The published graph of these views.
pub(super) fn published<'a>(views: Views<'a>) -> Result<&'a PublishedGraph, Unmade> {
    views.get::<PublishedGraph>().ok_or_else(|| Reason::Nothing { what: "graph".to_owned() }.into())
}

impl Release for PublishedGraph {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }

    fn heading(&self) -> (String, String) {
        page::heading(self)
    }

    fn sections(&self, assessment: &Assessment) -> Vec<PageSection> {
        page::sections(self, assessment)
    }
}

impl Original for OriginalGraph {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }
}

/// Reads the original that a job names.
pub(super) fn original(
    job: &JobFile,
    owner: &OwnerFiles,
    progress: &dyn Progress,
) -> Result<OriginalGraph, KindError> {
    let input: Input = job.required("input")?;
    let settings = Settings::read(job)?;
    let network = input.read(job, progress)?;
    let truth = who::read(owner, &network.nodes.ids)?;
    Ok(OriginalGraph { network, truth, settings })
}

/// Opens a release.
pub(super) fn open(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<PublishedGraph, KindError> {
    let body: Body = folder.envelope().body()?;
    let form = match body.method {
        Method::Clusters { .. } => Form::Clusters(clusters(folder, progress)?),
        Method::PrivateDegrees { .. } => {
            let columns = numbers::<i64>(folder, "degrees.csv", &["noisy", "degree"], progress)?;
            let wrong = || folder.malformed("degrees.csv", "a degree is not a whole number");
            let degrees = columns[1].iter().map(|&own| u32::try_from(own)).collect::<Result<_, _>>();
            let degrees = degrees.map_err(|_| wrong())?;
            let mut columns = columns;
            Form::Degrees(PrivateDegrees { noisy: columns.swap_remove(0), degrees })
        }
        _ => {
            let roles: BTreeMap<_, _> =
                body.attributes.iter().map(|own| (own.name.clone(), own.role)).collect();
            let options = NetworkOptions {
                directed: body.directed,
                id: Some("node".to_owned()),
                roles,
                read: ReadOptions { plain: true, header: Some(true), ..ReadOptions::default() },
                ..NetworkOptions::default()
            };
            let (edges, nodes) = (folder.file("edges.csv")?, folder.file("nodes.csv")?);
            let network = read(&edges, Some(&nodes), &options, progress)?;
            let is_number = |(place, id): (usize, &str)| id.parse() == Ok(place);
            if !network.nodes.ids.iter().map(|id| &**id).enumerate().all(is_number) {
                return Err(folder.malformed("nodes.csv", "nodes are not numbered from 0 on").into());
            }
            Form::Network { graph: network.graph, attributes: network.nodes.attributes }
        }
    };
    Ok(PublishedGraph { method: body.method, nodes: body.nodes, form, charged: body.charged })
}

fn clusters(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<ClusterSummary, KindError> {
    let sizes = numbers::<u32>(folder, "clusters.csv", &["cluster", "nodes"], progress)?;
    if sizes[0].iter().zip(0..).any(|(&own, place)| own != place) {
        return Err(folder.malformed("clusters.csv", "clusters are not numbered from 0 on").into());
    }
    let edges = numbers::<u64>(folder, "cluster-edges.csv", &["source", "target", "edges"], progress)?;
    let narrow = |own: u64| {
        u32::try_from(own)
            .map_err(|_| folder.malformed("cluster-edges.csv", "a number of a cluster is too large"))
    };
    let mut list = Vec::with_capacity(edges[0].len());
    for ((&a, &b), &count) in edges[0].iter().zip(&edges[1]).zip(&edges[2]) {
        list.push((narrow(a)?, narrow(b)?, count));
    }
    let sizes = sizes.into_iter().nth(1).unwrap_or_default();
    let summary = ClusterSummary { sizes, edges: list };
    summary.ln_graphs()?;
    Ok(summary)
}

/// Columns of whole numbers.
fn numbers<T: std::str::FromStr>(
    folder: &ReleaseFolder,
    file: &str,
    names: &[&str],
    progress: &dyn Progress,
) -> Result<Vec<Vec<T>>, KindError> {
    let table = folder.table(file, &ReadOptions::default(), progress)?;
    let mut columns = Vec::new();
    for name in names {
        let column = table.column(name);
        let column =
            column.ok_or_else(|| folder.malformed(file, format!("the column `{name}` is missing")))?;
        let value = |&code: &u32| column.domain.text(code).parse().ok();
        let values: Option<Vec<T>> = column.codes.iter().map(value).collect();
        let problem = format!("the column `{name}` holds something else than whole numbers");
        columns.push(values.ok_or_else(|| folder.malformed(file, problem))?);
    }
    Ok(columns)
}
