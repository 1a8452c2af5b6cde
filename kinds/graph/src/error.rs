//! What can go wrong with a graph. No message holds a value of the data.

use std::path::PathBuf;

use privet_data::io::ReadError;
use privet_dp::DpError;

/// Why a graph could not be read, judged or anonymized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A table of edges or nodes could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be opened, read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A GraphML file is not well-formed or not GraphML.
    #[error("{}, byte {at}: {problem}", .path.display())]
    GraphMl {
        /// The file.
        path: PathBuf,
        /// How many bytes were read before.
        at: u64,
        /// What is wrong and what would be accepted.
        problem: &'static str,
    },
    /// A table of edges has less than two columns.
    #[error("{}: an edge list needs two columns, one for each end of an edge; the table has {columns}", .path.display())]
    TooFewColumns {
        /// The file.
        path: PathBuf,
        /// How many columns there are.
        columns: usize,
    },
    /// Ends of edges are missing.
    #[error("{}: {rows} edges have an end that is missing; every edge needs two nodes", .path.display())]
    MissingEnds {
        /// The file.
        path: PathBuf,
        /// How many edges.
        rows: u64,
    },
    /// Nodes of the node table have no id.
    #[error("{}: {rows} nodes have no id; every row of a node table needs one", .path.display())]
    MissingIds {
        /// The file.
        path: PathBuf,
        /// How many nodes.
        rows: u64,
    },
    /// Nodes of the node table have the same id.
    #[error("{}: {rows} rows repeat the id of another row; every node stands in a node table once", .path.display())]
    RepeatedIds {
        /// The file.
        path: PathBuf,
        /// How many rows.
        rows: u64,
    },
    /// Edges lead to nodes that the node table does not have.
    #[error(
        "{}: {edges} edges have an end that is not in the node table; add these nodes, or read the edges without the table",
        .path.display()
    )]
    UnknownNodes {
        /// The file of the edges.
        path: PathBuf,
        /// How many edges.
        edges: u64,
    },
    /// An end of an edge lies beyond the number of nodes.
    #[error("an edge has an end beyond the {nodes} nodes of the graph")]
    NoSuchNode {
        /// The number of nodes.
        nodes: usize,
    },
    /// More nodes than numbers for them.
    #[error("a graph has at most {most} nodes")]
    TooManyNodes {
        /// The most there may be.
        most: u64,
    },
    /// The operation is defined for undirected graphs.
    #[error(
        "{what} needs an undirected graph; set `drop-directions = true` in [input], or publish by the method `pseudonyms`"
    )]
    Directed {
        /// The operation.
        what: &'static str,
    },
    /// A parameter is out of range.
    #[error("`{key}` must be {accepted}")]
    Parameter {
        /// The parameter.
        key: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// There are fewer nodes than a class needs.
    #[error("k = {k} cannot be reached with {nodes} nodes; use at most {nodes}")]
    Unreachable {
        /// What was asked.
        k: u64,
        /// How many nodes there are.
        nodes: u64,
    },
    /// A list has another length than the graph has nodes.
    #[error("{what} must tell one value for each of the {nodes} nodes")]
    Length {
        /// The list.
        what: &'static str,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A degree sequence is that of no simple graph.
    #[error("no simple graph has these degrees")]
    NotGraphical,
    /// The search gave up.
    #[error(
        "{what} was not found within {tries} attempts; use a smaller k or a method that may also delete edges"
    )]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// How many attempts were made.
        tries: u64,
    },
    /// An exact computation would take too long.
    #[error("{what} takes more than {most} steps on this graph; use the bound by colour refinement instead")]
    TooLarge {
        /// The computation.
        what: &'static str,
        /// The limit.
        most: u64,
    },
    /// Differential privacy refused.
    #[error(transparent)]
    Dp(#[from] DpError),
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] privet_data::Cancelled),
}

impl GraphError {
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
