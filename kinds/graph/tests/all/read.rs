//! Graphs from files and back.

use std::path::{Path, PathBuf};

use privet_data::{Role, Silent};
use privet_graph::{GraphError, NetworkOptions, read, write_edges, write_graphml};

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn roles(names: &[(&str, Role)]) -> NetworkOptions {
    NetworkOptions {
        roles: names.iter().map(|(name, role)| ((*name).to_owned(), *role)).collect(),
        ..Default::default()
    }
}

#[test]
fn an_edge_list_is_cleaned_and_says_so() {
    let files = Files::new();
    let edges = files.write("edges.csv", "source,target\n10,9\n9,10\n9,9\n2,10\n2,10\n");
    let network = read(&edges, None, &NetworkOptions::default(), &Silent).unwrap();
    // Ids that are numbers stand in the order of the numbers.
    let ids: Vec<&str> = network.nodes.ids.iter().map(|id| &**id).collect();
    assert_eq!(ids, ["2", "9", "10"]);
    assert_eq!(network.graph.edges().collect::<Vec<_>>(), [(0, 2), (1, 2)]);
    let cleaning = network.cleaning;
    assert_eq!((cleaning.given, cleaning.self_loops, cleaning.duplicates, cleaning.kept), (5, 1, 2, 2));
    let options = NetworkOptions { directed: true, ..Default::default() };
    let directed = read(&edges, None, &options, &Silent).unwrap();
    assert_eq!((directed.cleaning.kept, directed.cleaning.duplicates), (3, 1));
    assert_eq!(serde_json::to_value(cleaning).unwrap()["self-loops"], 1);
}

#[test]
fn columns_are_found_by_name() {
    let files = Files::new();
    let edges = files.write("edges.csv", "weight,to,from\n3,b,a\n4,c,a\n");
    let options = NetworkOptions {
        source: Some("from".to_owned()),
        target: Some("to".to_owned()),
        directed: true,
        ..Default::default()
    };
    let network = read(&edges, None, &options, &Silent).unwrap();
    assert_eq!(network.graph.neighbours(0), [1, 2]);
    let options = NetworkOptions { source: Some("from".to_owned()), ..Default::default() };
    let network = read(&edges, None, &options, &Silent);
    // The second of the other columns.
    assert_eq!(network.unwrap().nodes.ids.len(), 3);
    let options = NetworkOptions { source: Some("nowhere".to_owned()), ..Default::default() };
    assert!(matches!(read(&edges, None, &options, &Silent), Err(GraphError::Read(_))));
}

#[test]
fn ids_are_compared_exactly() {
    let files = Files::new();
    let edges = files.write("edges.csv", "a,b\n1,01\n1.0,2\n");
    let network = read(&edges, None, &NetworkOptions::default(), &Silent).unwrap();
    assert_eq!((network.nodes.ids.len(), network.cleaning.self_loops), (4, 0));
}

#[test]
fn a_node_table_gives_order_attributes_and_isolated_nodes() {
    let files = Files::new();
    let edges = files.write("edges.csv", "a,b\nx,y\n");
    let nodes = files.write("nodes.csv", "name,id,party\nX,x,left\nZ,z,right\nY,y,left\n");
    let options = NetworkOptions { id: Some("id".to_owned()), ..roles(&[("party", Role::Sensitive)]) };
    let network = read(&edges, Some(&nodes), &options, &Silent).unwrap();
    let ids: Vec<&str> = network.nodes.ids.iter().map(|id| &**id).collect();
    assert_eq!(ids, ["x", "z", "y"]);
    assert_eq!((network.graph.neighbours(0), network.cleaning.isolated), (&[2u32][..], 1));
    let party = network.nodes.attribute("party").unwrap();
    assert_eq!((party.role, &party.codes[..]), (Role::Sensitive, &[0, 1, 0][..]));
    assert!(network.nodes.attribute("name").is_none());

    let unknown = files.write("more.csv", "a,b\nx,w\n");
    let refused = read(&unknown, Some(&nodes), &options, &Silent);
    assert!(matches!(refused, Err(GraphError::UnknownNodes { edges: 1, .. })));
    let twice = files.write("twice.csv", "id\nx\nx\ny\n");
    let plain =
        privet_data::io::ReadOptions { header: Some(true), ..privet_data::io::ReadOptions::default() };
    let named = NetworkOptions { read: plain, ..NetworkOptions::default() };
    let refused = read(&edges, Some(&twice), &named, &Silent);
    assert!(matches!(refused, Err(GraphError::RepeatedIds { rows: 1, .. })));
    let missing = files.write("missing.csv", "id,n\nx,1\n,2\ny,3\n");
    let refused = read(&edges, Some(&missing), &named, &Silent);
    assert!(matches!(refused, Err(GraphError::MissingIds { rows: 1, .. })));
}

#[test]
fn bad_edge_lists_are_refused_without_telling_values() {
    let files = Files::new();
    let edges = files.write("edges.csv", "a,b\nsecret,\nsecret,x\n");
    let refused = read(&edges, None, &NetworkOptions::default(), &Silent).unwrap_err();
    assert!(matches!(refused, GraphError::MissingEnds { rows: 1, .. }));
    assert!(!refused.to_string().contains("secret"));
    let edges = files.write("one.csv", "a\n1\n2\n");
    let refused = read(&edges, None, &NetworkOptions::default(), &Silent);
    assert!(matches!(refused, Err(GraphError::TooFewColumns { columns: 1, .. })));
    assert!(read(&files.0.path().join("none.csv"), None, &NetworkOptions::default(), &Silent).is_err());
}

const GRAPHML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- made up -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="party" attr.type="string"/>
  <key id="d1" for="edge" attr.name="weight" attr.type="double"/>
  <graph id="G" edgedefault="undirected">
    <desc>three people</desc>
    <node id="a&amp;b"><data key="d0">left &amp; up</data></node>
    <node id="c"><port name="p"/><data key="d0"><![CDATA[right]]></data></node>
    <node id="e"/>
    <edge source="a&amp;b" target="c"><data key="d1">1.5</data></edge>
    <edge source="c" target="a&#38;b"/>
  </graph>
</graphml>"#;

#[test]
fn graphml_is_read() {
    let files = Files::new();
    let path = files.write("g.graphml", GRAPHML);
    let network = read(&path, None, &roles(&[("party", Role::Quasi)]), &Silent).unwrap();
    assert_eq!(&*network.nodes.ids[0], "a&b");
    assert_eq!((network.graph.edge_count(), network.cleaning.duplicates), (1, 1));
    let party = network.nodes.attribute("party").unwrap();
    let texts: Vec<&str> = party.codes.iter().map(|&code| party.domain.text(code)).collect();
    assert_eq!(texts, ["left & up", "right", ""]);
    assert!(party.domain.is_missing(party.codes[2]));
    assert!(read(&path, None, &roles(&[("other", Role::Quasi)]), &Silent).is_err());
}

#[test]
fn graphml_that_is_no_simple_graph_is_refused() {
    let files = Files::new();
    for (name, from, to) in [
        ("hyperedge", "<node id=\"e\"/>", "<node id=\"e\"/><hyperedge/>"),
        ("nested", "<port name=\"p\"/>", "<graph edgedefault=\"directed\"/>"),
        ("mixed", "target=\"c\">", "target=\"c\" directed=\"true\">"),
        ("unknown", "target=\"c\">", "target=\"nobody\">"),
        ("twice", "<node id=\"e\"/>", "<node id=\"c\"/>"),
        ("open", "</graphml>", ""),
        ("mismatch", "</graph>\n", "</grape>\n"),
        ("second", "</graphml>", "<graph edgedefault=\"undirected\"/></graphml>"),
        ("default", "edgedefault=\"undirected\"", ""),
        ("entity", "left &amp; up", "left &bomb; up"),
        ("root", "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">", "<x/><graphml>"),
    ] {
        assert!(GRAPHML.contains(from), "{name}");
        let path = files.write(&format!("{name}.graphml"), &GRAPHML.replace(from, to));
        let refused = read(&path, None, &NetworkOptions::default(), &Silent);
        assert!(
            matches!(refused, Err(GraphError::GraphMl { .. } | GraphError::UnknownNodes { .. })),
            "{name}: {refused:?}"
        );
    }
}

#[test]
fn what_is_written_is_read_again() {
    let graph = privet_graph::generate::uniform(30, 60, 7).unwrap();
    let files = Files::new();
    let mut text = Vec::new();
    write_graphml(&mut text, &graph).unwrap();
    let path = files.write("g.graphml", std::str::from_utf8(&text).unwrap());
    assert_eq!(read(&path, None, &NetworkOptions::default(), &Silent).unwrap().graph, graph);
    let mut text = Vec::new();
    write_edges(&mut text, &graph).unwrap();
    let path = files.write("g.csv", std::str::from_utf8(&text).unwrap());
    let network = read(&path, None, &NetworkOptions::default(), &Silent).unwrap();
    assert_eq!(network.graph.edge_count(), 60);
}

/// The same edges as Parquet, which the writer of tables makes.
#[test]
fn parquet_is_read() {
    use privet_data::io::{Dialect, Format, ReadOptions, View, ViewColumn, read as read_table, write};
    let files = Files::new();
    let csv = files.write("edges.csv", "source,target\n1,2\n2,3\n3,3\n");
    let table = read_table(&csv, &ReadOptions::default(), &Silent).unwrap().table;
    let columns = table.columns.iter().map(ViewColumn::unchanged).collect();
    let view = View { columns, rows: table.rows, kept: None };
    let path = files.0.path().join("edges.parquet");
    let file = std::fs::File::create(&path).unwrap();
    write(file, &view, Format::Parquet, &Dialect::default(), &Silent).unwrap();
    let network = read(&path, None, &NetworkOptions::default(), &Silent).unwrap();
    assert_eq!((network.graph.nodes(), network.graph.edge_count(), network.cleaning.self_loops), (3, 2, 1));
}

fn shared() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !root.is_dir() {
        eprintln!("skipped: ../shared/data is not there");
        return None;
    }
    Some(root)
}

/// The sizes that the data's description gives.
#[test]
fn public_networks_are_read_whole() {
    let Some(root) = shared() else { return };
    let options = NetworkOptions { id: Some("id".to_owned()), ..roles(&[("target", Role::Sensitive)]) };
    let folder = root.join("graph-lastfm-asia");
    let network =
        read(&folder.join("edges.csv"), Some(&folder.join("nodes.csv")), &options, &Silent).unwrap();
    assert_eq!((network.graph.nodes(), network.graph.edge_count()), (7624, 27806));
    assert_eq!(network.nodes.attribute("target").unwrap().domain.len(), 18);
    let folder = root.join("graph-facebook-pages");
    let options = NetworkOptions { id: Some("id".to_owned()), ..roles(&[("page_type", Role::Sensitive)]) };
    let network =
        read(&folder.join("edges.csv"), Some(&folder.join("nodes.csv")), &options, &Silent).unwrap();
    assert_eq!((network.graph.nodes(), network.cleaning.given), (22470, 170_823));
}
