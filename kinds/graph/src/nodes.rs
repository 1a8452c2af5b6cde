//! Who the nodes are: their ids and attributes with roles.

use privet_data::{Domain, Role};

use crate::{Cleaning, Graph};

/// An attribute of nodes.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// The name of its column.
    pub name: String,
    /// What it is to the person.
    pub role: Role,
    /// One code per node.
    pub codes: Vec<u32>,
    /// What the codes stand for.
    pub domain: Domain,
}

/// The nodes of a graph by number.
#[derive(Debug, Clone, Default)]
pub struct Nodes {
    /// The id of each node. Never published: published graphs have new numbers.
    pub ids: Vec<Box<str>>,
    /// What is known of them.
    pub attributes: Vec<Attribute>,
}

impl Nodes {
    /// The attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The attributes with this role.
    pub fn of_role(&self, role: Role) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(move |attribute| attribute.role == role)
    }
}

/// A graph, who its nodes are, and what was left out to make it simple.
#[derive(Debug, Clone)]
pub struct Network {
    /// Who knows whom.
    pub graph: Graph,
    /// Who they are.
    pub nodes: Nodes,
    /// What was left out.
    pub cleaning: Cleaning,
}

impl Network {
    /// The network with its directions dropped: two edges in opposite directions become one.
    ///
    /// ```
    /// use privet_graph::{Graph, Network, Nodes};
    /// let (graph, cleaning) = Graph::directed(3, &[(0, 1), (1, 0), (1, 2)])?;
    /// let network = Network { graph, nodes: Nodes::default(), cleaning }.without_directions();
    /// assert_eq!((network.graph.edge_count(), network.cleaning.directions), (2, 3));
    /// # Ok::<(), privet_graph::GraphError>(())
    /// ```
    #[must_use]
    pub fn without_directions(mut self) -> Self {
        if self.graph.is_directed() {
            let flat = self.graph.without_directions();
            self.cleaning.directions = self.graph.edge_count();
            self.cleaning.duplicates += self.graph.edge_count() - flat.edge_count();
            self.cleaning.kept = flat.edge_count();
            self.graph = flat;
        }
        self
    }
}
