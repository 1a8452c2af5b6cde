//! Making a release: the network is read, anonymized, numbered anew and written, with what it promises.

use std::io::Write;
use std::path::Path;

use privet_data::{Progress, Random, Role};
use privet_dp::Epsilon;
use privet_dp::ledger::{Request, SqliteLedger, answer};
use privet_kind::{JobFile, KindError, Outcome, OwnerFiles};
use privet_release::{Draft, Promised, Randomness};
use serde::{Deserialize, Serialize};

use super::job::{Input, Method, Settings};
use super::label::Label;
use super::who;
use crate::{
    AnnealingOptions, Around, Attribute, Classes, Clustering, Criterion, Diversity, Graph, GraphError,
    Knowledge, LabelTree, Network, PrivateDegrees, cluster, degree_noise, delete_edges, judge, k_degree,
    k_neighbourhood, neighbourhood_classes, perturbed, private_degrees, sampled_from_degrees, write_edges,
};

/// What only this kind states in the manifest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Body {
    /// How the graph was published.
    pub method: Method,
    /// The number of nodes.
    pub nodes: u64,
    /// Whether edges have a direction.
    pub directed: bool,
    /// The attributes of nodes that are published.
    pub attributes: Vec<PublishedAttribute>,
    /// Of a release that costs privacy: whether a ledger was charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charged: Option<bool>,
}

/// An attribute of nodes that is published.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct PublishedAttribute {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
}

/// What an anonymizer made of a graph; nodes are those of the original.
pub(super) enum Anonymized {
    /// A graph, with the label of each node where one is published.
    Network(Graph, Option<Vec<u32>>),
    /// Clusters.
    Clusters(Clustering),
    /// Noisy degrees.
    Degrees(PrivateDegrees),
}

/// Anonymizes a graph. Labels are codes of a tree.
pub(super) fn anonymize(
    graph: &Graph,
    labels: Option<(&[u32], &LabelTree)>,
    settings: &Settings,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Anonymized, KindError> {
    let network = |own: crate::Edited| Anonymized::Network(own.graph, None);
    Ok(match &settings.method {
        Method::Pseudonyms => Anonymized::Network(graph.clone(), None),
        Method::Perturbation { share } => network(perturbed(graph, *share, seed)?),
        Method::KDegree { k, direction } => network(k_degree(graph, *k, *direction, seed)?),
        Method::KNeighbourhood { k, direction, .. } => {
            let found = k_neighbourhood(graph, *k, *direction, labels, seed, progress)?;
            Anonymized::Network(found.edited.graph, found.labels)
        }
        Method::Deletion { k, around } => network(delete_edges(graph, *k, *around, seed, progress)?),
        Method::Clusters { k, .. } => {
            let options =
                AnnealingOptions { moves_per_node: settings.moves, seed, ..AnnealingOptions::default() };
            Anonymized::Clusters(cluster(graph, *k, options, progress)?)
        }
        Method::PrivateDegrees { epsilon, edges, .. } => {
            let epsilon: Epsilon = epsilon.parse().map_err(GraphError::from)?;
            let noise = degree_noise(&epsilon, *edges)?;
            let Some((file, account)) = &settings.ledger else {
                return Ok(Anonymized::Degrees(private_degrees(graph, &noise)?));
            };
            let refused = |error: &dyn std::fmt::Display| {
                KindError::new(privet_kind::Fault::Budget, error.to_string()).at(file)
            };
            let mut ledger = SqliteLedger::open_existing(file, None).map_err(|error| refused(&error))?;
            let request = Request::new(account, "release", "private degree sequence", noise.loss())
                .map_err(GraphError::from)?;
            let mut made = Err(GraphError::NotGraphical);
            let charged = answer(&mut ledger, &request, || {
                made = private_degrees(graph, &noise);
                Ok(())
            });
            charged.map_err(|error| refused(&error))?;
            Anonymized::Degrees(made?)
        }
    })
}

/// Makes a release.
pub(super) fn make(job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
    let input: Input = job.required("input")?;
    let settings = Settings::read(job)?;
    let network = input.read(job, progress)?;
    if network.graph.nodes() == 0 {
        return Err(KindError::bad_input("the network has no nodes; there is nothing to publish"));
    }
    let unused = network.nodes.of_role(Role::Identifier).next();
    if unused.is_some() {
        return Err(KindError::key(
            "input.attributes",
            "has an identifier, which is never published; leave it out",
        ));
    }
    let seed = match settings.seed {
        Some(seed) => seed,
        None => getrandom::u64()
            .map_err(|_| KindError::resources("the operating system gives no random numbers"))?,
    };
    let label = Label::of(&network, &settings)?;
    let labels = label.as_ref().map(|own| (&own.codes[..], &own.tree));
    let made = anonymize(&network.graph, labels, &settings, seed, progress)?;
    let mut outcome = Outcome { randomness: randomness(&settings), ..Outcome::default() };
    summarize(&mut outcome, &network);
    let mut random = Random::stream(seed, 41);
    let publishing =
        Publishing { network: &network, settings: &settings, draft, outcome: &mut outcome, progress };
    let truth = match made {
        Anonymized::Network(graph, labels) => {
            let label = label.as_ref().zip(labels).map(|(own, codes)| own.published(&codes));
            publishing.network(&graph, label, &mut random)?
        }
        Anonymized::Clusters(found) => publishing.clusters(&found, seed)?,
        Anonymized::Degrees(found) => publishing.degrees(&found, seed)?,
    };
    if let Some(truth) = truth {
        outcome.owner = OwnerFiles::default().with(who::FILE, who::write(&network.nodes.ids, &truth));
    }
    Ok(outcome)
}

fn randomness(settings: &Settings) -> Randomness {
    match (&settings.method, settings.seed) {
        (Method::PrivateDegrees { .. }, _) | (_, None) => Randomness::System,
        _ => Randomness::Seeded,
    }
}

fn summarize(outcome: &mut Outcome, network: &Network) {
    let cleaning = network.cleaning;
    let mut say = |name: &str, count: u64| outcome.summary.push((name.to_owned(), count.to_string()));
    say("nodes", network.graph.nodes() as u64);
    say("edges", cleaning.kept);
    if cleaning.self_loops > 0 {
        say("self-loops left out", cleaning.self_loops);
    }
    if cleaning.duplicates > 0 {
        say("repeated edges left out", cleaning.duplicates);
    }
    if cleaning.directions > 0 {
        say("edges whose direction was dropped", cleaning.directions);
    }
}

struct Publishing<'a> {
    network: &'a Network,
    settings: &'a Settings,
    draft: &'a Draft,
    outcome: &'a mut Outcome,
    progress: &'a dyn Progress,
}

impl Publishing<'_> {
    fn write(
        &self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), KindError> {
        let mut file = self.draft.create(name)?;
        let mut sink = std::io::BufWriter::with_capacity(1 << 16, &mut file);
        let filled = fill(&mut sink).and_then(|()| sink.flush());
        drop(sink);
        filled.map_err(|error| KindError::io(Path::new(name), &error))?;
        file.finish()?;
        Ok(())
    }

    fn body(&mut self, attributes: Vec<PublishedAttribute>) -> Result<(), KindError> {
        let body = Body {
            method: self.settings.method.clone(),
            nodes: self.network.graph.nodes() as u64,
            directed: self.network.graph.is_directed(),
            attributes,
            charged: self.settings.charged(),
        };
        let written = serde_json::to_value(body);
        self.outcome.body = written.map_err(|_| KindError::bad_input("a number of the job is not finite"))?;
        Ok(())
    }

    /// A graph with new numbers, and the attributes that are no secret or protected by what is promised.
    fn network(
        mut self,
        graph: &Graph,
        label: Option<Attribute>,
        random: &mut Random,
    ) -> Result<Option<Vec<u32>>, KindError> {
        let mut truth: Vec<u32> = (0..graph.nodes() as u32).collect();
        random.shuffle(&mut truth);
        let published = graph.renumbered(&truth)?;
        let changes = crate::Changes::between(&self.network.graph, graph);
        for (name, count) in [("edges added", changes.added), ("edges deleted", changes.deleted)] {
            self.outcome.summary.push((name.to_owned(), count.to_string()));
        }
        let name = label.as_ref().map(|own| own.name.clone());
        let is_published = |own: &&Attribute| {
            matches!(own.role, Role::Sensitive | Role::Insensitive) && Some(&own.name) != name.as_ref()
        };
        let mut attributes: Vec<Attribute> =
            self.network.nodes.attributes.iter().filter(is_published).cloned().collect();
        for kept in self.network.nodes.of_role(Role::Quasi).filter(|own| Some(&own.name) != name.as_ref()) {
            let _ = kept; // the name of a column is no secret, but the summary stays short
            self.outcome.summary.push(("attributes kept back".to_owned(), kept.name.clone()));
        }
        self.promise(graph, label.as_ref())?;
        attributes.extend(label);
        self.write("edges.csv", |sink| write_edges(sink, &published))?;
        let mut node = vec![0u32; truth.len()];
        truth.iter().zip(0..).for_each(|(&own, person)| node[own as usize] = person);
        self.write("nodes.csv", |sink| write_nodes(sink, &attributes, &node))?;
        let published =
            attributes.iter().map(|own| PublishedAttribute { name: own.name.clone(), role: own.role });
        self.body(published.collect())?;
        Ok(Some(truth))
    }

    fn promise(&mut self, graph: &Graph, label: Option<&Attribute>) -> Result<(), KindError> {
        let shape = Promised::new("simple-graph")
            .with("nodes", graph.nodes() as u64)
            .with("edges", graph.edge_count());
        self.outcome.promises.push(shape);
        let visible = label.map(|own| &own.codes[..]);
        let (id, k, classes) = match &self.settings.method {
            Method::KDegree { k, .. } | Method::Deletion { k, around: Around::Degree } => {
                ("k-degree", *k, Classes::by_key(graph.degrees()))
            }
            Method::Deletion { k, around: Around::Count } => {
                let between = crate::measure::triangles(graph);
                ("k-count", *k, Classes::by_key(graph.degrees().into_iter().zip(between)))
            }
            Method::KNeighbourhood { k, .. } => {
                ("k-neighbourhood", *k, neighbourhood_classes(graph, visible)?.classes)
            }
            _ => return self.diversity(None, graph, visible),
        };
        let least = f64::from(classes.smallest());
        self.outcome.promises.push(Promised::new(id).with("k", k).reaching(least));
        self.diversity(self.settings.method.withstands(), graph, visible)
    }

    fn diversity(
        &mut self,
        against: Option<Knowledge>,
        graph: &Graph,
        visible: Option<&[u32]>,
    ) -> Result<(), KindError> {
        let Some(l) = self.settings.l else { return Ok(()) };
        let Some(against) = against else {
            let problem = "is for the methods `k-degree`, `k-neighbourhood`, and `deletion` around degrees";
            return Err(KindError::key("graph.l", problem));
        };
        let mut sensitive = self.network.nodes.of_role(Role::Sensitive).peekable();
        if sensitive.peek().is_none() {
            return Err(KindError::key("graph.l", "needs a sensitive attribute in [input.attributes]"));
        }
        for attribute in sensitive {
            let asked = Criterion::LDiversity { l, kind: Diversity::Distinct, against };
            let found = judge(graph, asked, visible, Some(attribute))?;
            if !found.holds {
                let (failing, least) = (found.failing, found.least);
                return Err(KindError::refused(format!(
                    "{failing} nodes are in classes with fewer than {l} values of a sensitive attribute (the least is \
                     {least}); raise k, lower l, or leave the attribute out"
                )));
            }
            let word = if against == Knowledge::Neighbourhood { "neighbourhood" } else { "degree" };
            let promised = Promised::new("l-diversity")
                .with("l", l)
                .with("attribute", attribute.name.clone())
                .with("against", word);
            self.outcome.promises.push(promised.reaching(found.least));
        }
        Ok(())
    }

    fn no_attributes(&mut self) -> Result<(), KindError> {
        if self.settings.l.is_some() {
            return Err(KindError::key("graph.l", "is for methods that publish attributes of nodes"));
        }
        for attribute in &self.network.nodes.attributes {
            self.outcome.summary.push(("attributes kept back".to_owned(), attribute.name.clone()));
        }
        self.body(Vec::new())
    }

    fn clusters(mut self, found: &Clustering, seed: u64) -> Result<Option<Vec<u32>>, KindError> {
        let Method::Clusters { k, samples } = self.settings.method else {
            return Err(KindError::bad_input("clusters belong to the method `clusters`"));
        };
        let summary = &found.summary;
        self.write("clusters.csv", |sink| {
            writeln!(sink, "cluster,nodes")?;
            summary.sizes.iter().enumerate().try_for_each(|(own, size)| writeln!(sink, "{own},{size}"))
        })?;
        self.write("cluster-edges.csv", |sink| {
            writeln!(sink, "source,target,edges")?;
            summary.edges.iter().try_for_each(|(a, b, count)| writeln!(sink, "{a},{b},{count}"))
        })?;
        for number in 1..=samples {
            let sample = summary.sample(seed ^ u64::from(number) << 32, self.progress)?;
            self.write(&format!("sample-{number}.csv"), |sink| write_edges(sink, &sample))?;
        }
        let least = summary.sizes.iter().copied().min().unwrap_or(0);
        let promised = Promised::new("k-clusters").with("k", k).reaching(f64::from(least));
        self.outcome.promises.push(promised);
        let clusters = summary.sizes.len().to_string();
        self.outcome.summary.push(("clusters".to_owned(), clusters));
        self.no_attributes()?;
        Ok(Some(found.of.clone()))
    }

    fn degrees(mut self, found: &PrivateDegrees, seed: u64) -> Result<Option<Vec<u32>>, KindError> {
        let Method::PrivateDegrees { epsilon, edges, samples } = &self.settings.method else {
            return Err(KindError::bad_input("noisy degrees belong to the method `private-degrees`"));
        };
        self.write("degrees.csv", |sink| {
            writeln!(sink, "noisy,degree")?;
            found
                .noisy
                .iter()
                .zip(&found.degrees)
                .try_for_each(|(noisy, own)| writeln!(sink, "{noisy},{own}"))
        })?;
        for number in 1..=*samples {
            let sample = sampled_from_degrees(&found.degrees, seed ^ u64::from(number) << 32, self.progress)?;
            self.write(&format!("sample-{number}.csv"), |sink| write_edges(sink, &sample))?;
        }
        let ledger = if self.settings.ledger.is_some() { "charged" } else { "none" };
        let promised = Promised::new("differential-privacy")
            .with("ledger", ledger)
            .with("epsilon", epsilon.as_str())
            .with("edges", *edges);
        self.outcome.promises.push(promised);
        let spent = match &self.settings.ledger {
            Some((_, account)) => format!("epsilon {epsilon}, charged to the account `{account}`"),
            None => format!("epsilon {epsilon}, charged to no ledger; several releases add up"),
        };
        self.outcome.summary.push(("privacy spent".to_owned(), spent));
        self.no_attributes()?;
        Ok(None)
    }
}

/// The node table: published numbers in rising order with their attributes.
fn write_nodes(sink: &mut dyn Write, attributes: &[Attribute], person_of: &[u32]) -> std::io::Result<()> {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut head = String::from("node");
    attributes.iter().for_each(|own| head.push_str(&format!(",{}", quoted(&own.name))));
    writeln!(sink, "{head}")?;
    for (node, &person) in person_of.iter().enumerate() {
        write!(sink, "{node}")?;
        for own in attributes {
            let code = own.codes[person as usize];
            match own.domain.is_missing(code) {
                true => write!(sink, ",")?,
                false => write!(sink, ",{}", quoted(own.domain.text(code)))?,
            }
        }
        writeln!(sink)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;
    use privet_dp::ledger::Ledger;

    /// A ledger that the job names is charged once per release, and refuses when its budget is spent.
    #[test]
    fn private_degrees_charge_the_ledger() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.db");
        let budget = privet_dp::Privacy::Pure("1.5".parse().unwrap()).loss();
        SqliteLedger::open(&file).unwrap().open_account("school", &budget).unwrap();
        let graph = crate::generate::growing(50, 2.0, 0.1, 1).unwrap();
        let settings = Settings {
            method: Method::PrivateDegrees { epsilon: "1".to_owned(), edges: 1, samples: 0 },
            groups: Default::default(),
            hierarchy: None,
            moves: 1,
            ledger: Some((file, "school".to_owned())),
            l: None,
            seed: Some(1),
        };
        assert_eq!(settings.charged(), Some(true));
        let made = anonymize(&graph, None, &settings, 1, &Silent).unwrap();
        assert!(matches!(made, Anonymized::Degrees(found) if found.noisy.len() == 50));
        let Err(refused) = anonymize(&graph, None, &settings, 1, &Silent) else {
            panic!("the budget is spent");
        };
        assert_eq!(refused.fault(), privet_kind::Fault::Budget);
        let free = Settings { ledger: None, ..settings };
        assert_eq!(free.charged(), Some(false));
        anonymize(&graph, None, &free, 1, &Silent).unwrap();
    }
}
