//! GraphML, the part of it that simple graphs need: keys, nodes and edges with data.
//!
//! Hyperedges, graphs within nodes, several graphs in a file and edges of both kinds are refused, because leaving them
//! out would change who knows whom. Ports, descriptions and what other programs add are passed over. Entities that the
//! file defines itself are refused, so a small file cannot grow large.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

use foldhash::HashMap;
use privet_data::io::{Formulas, ReadError, ReadErrorKind, input_limit, open_plain};
use privet_data::{Domain, Progress};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use super::{NetworkOptions, network, unknown_column};
use crate::{Attribute, GraphError, Network, Nodes};

/// How many events go by between two looks at whether to stop.
const LOOK: u64 = 1 << 16;

pub(super) fn read(
    path: &Path,
    options: &NetworkOptions,
    progress: &dyn Progress,
) -> Result<Network, GraphError> {
    if options.read.formulas != Formulas::Keep {
        return Err(GraphError::Parameter {
            key: "input.formulas",
            accepted: "\"keep\" where the graph is GraphML",
        });
    }
    let file = open_plain(path).map_err(GraphError::io(path))?;
    let too_large = |needed: u64, limit: u64| {
        GraphError::Read(ReadError {
            path: Some(path.to_owned()),
            kind: ReadErrorKind::TooLarge { needed, limit },
        })
    };
    // A single event is read whole, so the file itself is limited as well. Tags make it several times what it holds.
    let (limit, size) = (input_limit(), file.metadata().map_err(GraphError::io(path))?.len());
    if size / TAGS > limit {
        return Err(too_large(size / TAGS, limit));
    }
    progress.stage("reading the graph", None);
    let mut reader = quick_xml::Reader::from_reader(BufReader::with_capacity(1 << 16, file));
    reader.config_mut().expand_empty_elements = true;
    let (mut parser, mut buffer, mut events) = (Parser::default(), Vec::new(), 0u64);
    loop {
        buffer.clear();
        let at = reader.buffer_position();
        let wrong = |problem| GraphError::GraphMl { path: path.to_owned(), at, problem };
        let event = reader.read_event_into(&mut buffer).map_err(|_| wrong(MALFORMED))?;
        if event == Event::Eof {
            break;
        }
        parser.take(&event).map_err(wrong)?;
        if parser.bytes > limit {
            return Err(too_large(parser.bytes, limit));
        }
        events += 1;
        if events.is_multiple_of(LOOK) {
            progress.check()?;
            progress.at(at);
        }
    }
    let at = reader.buffer_position();
    let wrong = |problem| GraphError::GraphMl { path: path.to_owned(), at, problem };
    if parser.graphs != 1 || !parser.open.is_empty() {
        return Err(wrong("GraphML needs one `graph` element that is closed"));
    }
    parser.into_network(path, options)
}

/// How many times larger a file is than the names and texts in it, where it is mostly tags.
const TAGS: u64 = 8;
/// The bytes that a node takes besides its name, and an edge besides the names of its ends.
const OF_A_NODE: usize = 48;
const OF_AN_EDGE: usize = 32;

const MALFORMED: &str = "the XML is not well-formed";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Root,
    Graph,
    Node,
    Edge,
    /// Data of a node.
    Data,
    /// What is passed over with everything in it.
    Other,
}

#[derive(Debug, Default)]
struct Parser {
    open: Vec<Element>,
    graphs: usize,
    directed: bool,
    /// Per key of nodes the name of its attribute.
    keys: BTreeMap<String, String>,
    ids: Vec<Box<str>>,
    number: HashMap<Box<str>, u32>,
    /// Per key the texts of some nodes.
    data: BTreeMap<String, Vec<(u32, String)>>,
    edges: Vec<(Box<str>, Box<str>)>,
    /// How many bytes nodes, edges and texts take.
    bytes: u64,
    /// The key and the text so far of the data element that is open.
    reading: Option<(String, String)>,
}

impl Parser {
    fn take(&mut self, event: &Event<'_>) -> Result<(), &'static str> {
        match event {
            Event::Start(start) => {
                let element = self.start(start)?;
                self.open.push(element);
            }
            Event::End(_) => self.end()?,
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content();
                let own = match &*name {
                    "lt" => '<',
                    "gt" => '>',
                    "amp" => '&',
                    "apos" => '\'',
                    "quot" => '"',
                    _ => reference
                        .resolve_char_ref()
                        .ok()
                        .flatten()
                        .ok_or("an entity is not defined by XML itself; write the character instead")?,
                };
                self.text(own.encode_utf8(&mut [0; 4]));
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let (Some(Element::Data), Some((_, own))) = (self.open.last(), &mut self.reading) {
            own.push_str(text);
            self.bytes += text.len() as u64;
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<Element, &'static str> {
        let name = start.local_name();
        let name: &str = name.as_ref();
        let parent = self.open.last().copied();
        Ok(match (parent, name) {
            (None, "graphml") => Element::Root,
            (None, _) => return Err("the outermost element of GraphML is `graphml`"),
            (Some(Element::Root), "key") => {
                self.key(start)?;
                Element::Other
            }
            (Some(Element::Root), "graph") => {
                self.graphs += 1;
                self.directed = match attribute(start, "edgedefault")?.as_deref() {
                    Some("directed") => true,
                    Some("undirected") => false,
                    _ => return Err("`edgedefault` of a `graph` must be \"directed\" or \"undirected\""),
                };
                Element::Graph
            }
            (Some(Element::Graph), "node") => {
                let id: Box<str> = attribute(start, "id")?.ok_or("a `node` needs an `id`")?.into();
                let number = u32::try_from(self.ids.len()).map_err(|_| "there are too many nodes")?;
                if self.number.insert(id.clone(), number).is_some() {
                    return Err("a node stands twice");
                }
                // It is kept twice: in a list, and to be found.
                self.bytes += (2 * id.len() + OF_A_NODE) as u64;
                self.ids.push(id);
                Element::Node
            }
            (Some(Element::Graph), "edge") => {
                self.edge(start)?;
                Element::Edge
            }
            (Some(Element::Graph), "hyperedge") => return Err("hyperedges are not edges of a simple graph"),
            (Some(Element::Node | Element::Edge), "graph") => {
                return Err("a graph within a node or an edge is not supported; flatten the file");
            }
            (Some(Element::Node), "data") => {
                let key = attribute(start, "key")?.ok_or("`data` needs a `key`")?;
                self.reading = Some((key, String::new()));
                Element::Data
            }
            _ => Element::Other,
        })
    }

    fn key(&mut self, start: &BytesStart<'_>) -> Result<(), &'static str> {
        let id = attribute(start, "id")?.ok_or("a `key` needs an `id`")?;
        let of = attribute(start, "for")?;
        if matches!(of.as_deref(), None | Some("node" | "all")) {
            let name = attribute(start, "attr.name")?.unwrap_or_else(|| id.clone());
            self.keys.insert(id, name);
        }
        Ok(())
    }

    fn edge(&mut self, start: &BytesStart<'_>) -> Result<(), &'static str> {
        let source = attribute(start, "source")?.ok_or("an `edge` needs a `source`")?;
        let target = attribute(start, "target")?.ok_or("an `edge` needs a `target`")?;
        let is_directed = match attribute(start, "directed")?.as_deref() {
            None => self.directed,
            Some("true" | "1") => true,
            Some("false" | "0") => false,
            Some(_) => return Err("`directed` of an `edge` must be \"true\" or \"false\""),
        };
        if is_directed != self.directed {
            return Err("all edges of a graph must be directed, or all undirected");
        }
        self.bytes += (source.len() + target.len() + OF_AN_EDGE) as u64;
        self.edges.push((source.into(), target.into()));
        Ok(())
    }

    fn end(&mut self) -> Result<(), &'static str> {
        let closed = self.open.pop().ok_or(MALFORMED)?;
        if closed == Element::Data
            && let Some((key, text)) = self.reading.take()
        {
            let node = self.ids.len() as u32 - 1; // why: data stands within a node
            self.data.entry(key).or_default().push((node, text));
        }
        Ok(())
    }

    fn into_network(mut self, path: &Path, options: &NetworkOptions) -> Result<Network, GraphError> {
        let mut attributes = Vec::new();
        for (name, &role) in &options.roles {
            let key = self.keys.iter().find(|(_, own)| *own == name).map(|(key, _)| key.clone());
            let Some(key) = key else {
                let names: Vec<String> = self.keys.values().cloned().collect();
                return Err(unknown_column(path, name, &names));
            };
            let mut texts: Vec<Box<str>> = vec![Box::from(""); self.ids.len()];
            for (node, text) in self.data.remove(&key).unwrap_or_default() {
                texts[node as usize] = text.trim().into();
            }
            let mut distinct = texts.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let places: HashMap<&str, usize> = distinct.iter().map(|own| &**own).zip(0..).collect();
            let place_of: Vec<usize> = texts.iter().map(|text| places[&**text]).collect();
            let (domain, code_of) = Domain::canonical(distinct.clone(), str::is_empty);
            let codes = place_of.into_iter().map(|place| code_of[place]).collect();
            attributes.push(Attribute { name: name.clone(), role, codes, domain });
        }
        let number = |id: &str| self.number.get(id).copied();
        let ends = self.edges.iter().filter_map(|(a, b)| Some((number(a)?, number(b)?)));
        let edges: Vec<(u32, u32)> = ends.collect();
        let unknown = (self.edges.len() - edges.len()) as u64;
        if unknown > 0 {
            return Err(GraphError::UnknownNodes { path: path.to_owned(), edges: unknown });
        }
        network(Nodes { ids: self.ids, attributes }, &edges, self.directed)
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, &'static str> {
    let found = start.try_get_attribute(name).map_err(|_| MALFORMED)?;
    let value = found.map(|own| own.normalized_value(XmlVersion::Implicit1_0).map(|text| text.into_owned()));
    value.transpose().map_err(|_| "an attribute holds an entity that XML itself does not define")
}
