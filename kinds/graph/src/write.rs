//! Graphs to files: edge lists as CSV, and GraphML. What is written are numbers of nodes, never ids.

use std::io::{self, Write};

use crate::Graph;

/// Writes every edge once as CSV with the head `source,target`.
///
/// # Errors
/// When the sink fails.
///
/// ```
/// use privet_graph::{Graph, write_edges};
/// let (graph, _) = Graph::undirected(3, &[(2, 0), (1, 2)])?;
/// let mut file = Vec::new();
/// write_edges(&mut file, &graph)?;
/// assert_eq!(file, b"source,target\n0,2\n1,2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_edges(sink: impl Write, graph: &Graph) -> io::Result<()> {
    let mut sink = io::BufWriter::with_capacity(1 << 16, sink);
    writeln!(sink, "source,target")?;
    for (a, b) in graph.edges() {
        writeln!(sink, "{a},{b}")?;
    }
    sink.flush()
}

/// Writes the graph as GraphML; nodes are `n0`, `n1` and so on.
///
/// # Errors
/// When the sink fails.
pub fn write_graphml(sink: impl Write, graph: &Graph) -> io::Result<()> {
    let mut sink = io::BufWriter::with_capacity(1 << 16, sink);
    let direction = if graph.is_directed() { "directed" } else { "undirected" };
    writeln!(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(sink, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    writeln!(sink, "  <graph edgedefault=\"{direction}\">")?;
    for node in 0..graph.nodes() {
        writeln!(sink, "    <node id=\"n{node}\"/>")?;
    }
    for (a, b) in graph.edges() {
        writeln!(sink, "    <edge source=\"n{a}\" target=\"n{b}\"/>")?;
    }
    writeln!(sink, "  </graph>\n</graphml>")?;
    sink.flush()
}
