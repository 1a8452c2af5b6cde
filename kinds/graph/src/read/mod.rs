//! Graphs from files: edge lists with an optional node table (CSV, Parquet, Arrow), and GraphML.
//!
//! Nodes stand in the order of the node table; without one, in the order of their ids (numbers by value). The same files
//! give the same graph, whatever the number of threads. Ids are compared exactly: `1` and `01` are two nodes.

mod graphml;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use foldhash::HashMap;
use privet_data::io::{self, ReadError, ReadErrorKind, ReadOptions};
use privet_data::{Column, Domain, Progress, Role};

use crate::{Attribute, Graph, GraphError, Network, Nodes};

/// How edges and nodes are to be read.
#[derive(Debug, Clone, Default)]
pub struct NetworkOptions {
    /// Whether edges have a direction. GraphML says so itself.
    pub directed: bool,
    /// The column of the one end; the first column unless given.
    pub source: Option<String>,
    /// The column of the other end; the second column unless given.
    pub target: Option<String>,
    /// The column of the node table with the ids; the first one unless given.
    pub id: Option<String>,
    /// The attributes to keep and their roles. Others are not kept.
    pub roles: BTreeMap<String, Role>,
    /// How both tables are to be read.
    pub read: ReadOptions,
}

/// Reads a graph: `.graphml` and `.xml` as GraphML, everything else as an edge list.
///
/// # Errors
/// When a file cannot be read, an edge has a missing end or one that the node table does not have, an id is missing or
/// stands twice, or GraphML holds what is no simple graph (hyperedges, graphs within nodes).
pub fn read(
    edges: &Path,
    nodes: Option<&Path>,
    options: &NetworkOptions,
    progress: &dyn Progress,
) -> Result<Network, GraphError> {
    let extension = edges.extension().and_then(|own| own.to_str()).unwrap_or_default().to_ascii_lowercase();
    if matches!(extension.as_str(), "graphml" | "xml") {
        return graphml::read(edges, options, progress);
    }
    let known = nodes.map(|path| read_nodes(path, options, progress)).transpose()?;
    read_edges(edges, known, options, progress)
}

fn exactly(options: &NetworkOptions, columns: Option<Vec<String>>) -> ReadOptions {
    ReadOptions { columns, ..options.read.clone().exactly() }
}

fn unknown_column(path: &Path, name: &str, names: &[String]) -> GraphError {
    let kind = ReadErrorKind::UnknownColumn { name: name.to_owned(), names: names.to_vec() };
    ReadError { path: Some(path.to_owned()), kind }.into()
}

/// The column with a name, or the one at a place that the others leave.
fn find<'a>(
    path: &Path,
    columns: &'a [Column],
    names: &[String],
    name: Option<&str>,
    place: usize,
    other: Option<&str>,
) -> Result<(usize, &'a Column), GraphError> {
    let found = match name {
        Some(name) => columns.iter().enumerate().find(|(_, column)| column.name == name),
        None => {
            columns.iter().enumerate().filter(|(_, column)| Some(column.name.as_str()) != other).nth(place)
        }
    };
    found.ok_or_else(|| match name {
        Some(name) => unknown_column(path, name, names),
        None => GraphError::TooFewColumns { path: path.to_owned(), columns: names.len() },
    })
}

fn read_nodes(path: &Path, options: &NetworkOptions, progress: &dyn Progress) -> Result<Nodes, GraphError> {
    let mut reading = options.read.clone();
    if let Some(id) = &options.id {
        reading.columns = Some(options.roles.keys().chain([id]).cloned().collect());
    }
    // Ids are compared exactly whichever column they are in; attributes as tables compare them.
    let input = io::read(path, &reading, progress)?;
    let (place, _) = find(path, &input.table.columns, &input.names, options.id.as_deref(), 0, None)?;
    let id = input.table.columns[place].name.clone();
    let exact = io::read(path, &exactly(options, Some(vec![id.clone()])), progress)?;
    let ids = exact.table.column(&id).ok_or_else(|| unknown_column(path, &id, &input.names))?;
    let missing = ids.codes.iter().filter(|&&code| ids.domain.is_missing(code)).count() as u64;
    if missing > 0 {
        return Err(GraphError::MissingIds { path: path.to_owned(), rows: missing });
    }
    let repeated = (ids.codes.len() - ids.domain.len()) as u64;
    if repeated > 0 {
        return Err(GraphError::RepeatedIds { path: path.to_owned(), rows: repeated });
    }
    let mut attributes = Vec::new();
    for (name, &role) in &options.roles {
        let column = input.table.column(name).ok_or_else(|| unknown_column(path, name, &input.names))?;
        attributes.push(Attribute {
            name: name.clone(),
            role,
            codes: column.codes.clone(),
            domain: column.domain.clone(),
        });
    }
    Ok(Nodes { ids: ids.codes.iter().map(|&code| ids.domain.text(code).into()).collect(), attributes })
}

fn read_edges(
    path: &Path,
    known: Option<Nodes>,
    options: &NetworkOptions,
    progress: &dyn Progress,
) -> Result<Network, GraphError> {
    let columns = match (&options.source, &options.target) {
        (Some(source), Some(target)) => Some(vec![source.clone(), target.clone()]),
        _ => None,
    };
    // Which columns hold the ends is known only when the names of the columns are.
    let mut entries: Vec<Vec<u32>> = Vec::new();
    let input = io::stream(path, &exactly(options, columns), progress, &mut |_, columns| {
        entries.resize_with(columns.len(), Vec::new);
        for (all, own) in entries.iter_mut().zip(columns) {
            all.extend_from_slice(own);
        }
        ControlFlow::Continue(())
    })?;
    let table = &input.table;
    let other = options.target.as_deref().filter(|_| options.source.is_none());
    let (from, source) = find(path, &table.columns, &input.names, options.source.as_deref(), 0, other)?;
    let (to, target) =
        find(path, &table.columns, &input.names, options.target.as_deref(), 0, Some(source.name.as_str()))?;
    entries.resize_with(table.columns.len(), Vec::new);
    let (sources, targets) = (std::mem::take(&mut entries[from]), std::mem::take(&mut entries[to]));
    drop(entries);
    let is_missing = |column: &Column, entry: u32| column.domain.is_missing(column.codes[entry as usize]);
    let missing =
        sources.iter().zip(&targets).filter(|&(&a, &b)| is_missing(source, a) || is_missing(target, b));
    let missing = missing.count() as u64;
    if missing > 0 {
        return Err(GraphError::MissingEnds { path: path.to_owned(), rows: missing });
    }
    let nodes = known.map_or_else(|| by_id(source, target), Ok)?;
    let number: HashMap<&str, u32> = nodes.ids.iter().map(|id| &**id).zip(0..).collect();
    let node_of_entry = |column: &Column| -> Vec<Option<u32>> {
        column.codes.iter().map(|&code| number.get(column.domain.text(code)).copied()).collect()
    };
    let (node_of_source, node_of_target) = (node_of_entry(source), node_of_entry(target));
    let mut edges = Vec::with_capacity(sources.len());
    for (&a, &b) in sources.iter().zip(&targets) {
        if let (Some(a), Some(b)) = (node_of_source[a as usize], node_of_target[b as usize]) {
            edges.push((a, b));
        }
    }
    let unknown = (sources.len() - edges.len()) as u64;
    if unknown > 0 {
        return Err(GraphError::UnknownNodes { path: path.to_owned(), edges: unknown });
    }
    drop((sources, targets));
    network(nodes, &edges, options.directed)
}

fn network(nodes: Nodes, edges: &[(u32, u32)], directed: bool) -> Result<Network, GraphError> {
    let build = if directed { Graph::directed } else { Graph::undirected };
    let (graph, cleaning) = build(nodes.ids.len(), edges)?;
    Ok(Network { graph, nodes, cleaning })
}

/// The nodes that edges name, in the order of their ids.
fn by_id(source: &Column, target: &Column) -> Result<Nodes, GraphError> {
    let mut used: Vec<Box<str>> = Vec::with_capacity(source.domain.len().max(target.domain.len()));
    for column in [source, target] {
        let present = (column.domain.texts().iter())
            .filter(|text| !column.domain.markers().any(|marker| *marker == ***text));
        used.extend(present.cloned());
    }
    used.sort_unstable();
    used.dedup();
    if used.len() as u64 > crate::MOST_NODES {
        return Err(GraphError::TooManyNodes { most: crate::MOST_NODES });
    }
    let (domain, _) = Domain::canonical(used, |_| false);
    Ok(Nodes { ids: domain.texts().to_vec(), attributes: Vec::new() })
}
