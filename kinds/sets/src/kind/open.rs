//! From published files to views, and from a job to the original.

use foldhash::HashMap;
use privet_data::io::ReadOptions;
use privet_data::{Column, Progress, Table};
use privet_kind::{JobFile, KindError, Original, OwnerFiles, Release, Views};
use privet_release::{OpenError, Promised, ReleaseFolder};

use super::files::{
    BASKETS, Body, CHUNKS, CLICKS, CLUSTERS, COVERS, ITEMS, LOG, PROTECTED, QUERIES, SIGNS, SKETCHES,
};
use super::job::{Data, Method, read};
use crate::criteria::{Cluster, Disassociated};
use crate::log::{Log, NONE};
use crate::{Baskets, ItemTree, SetData};

/// Baskets of items and groups.
#[derive(Debug, Clone, Default)]
pub struct PublishedNodes {
    /// The baskets, of numbers of nodes.
    pub sets: Baskets,
    /// Per node its text.
    pub labels: Vec<Box<str>>,
    /// Per node the node above; itself for a root.
    pub above: Vec<u32>,
    /// Per node the items that it stands for.
    pub covers: Vec<u64>,
    /// Per node whether it stands for a sensitive item.
    pub sensitive: Vec<bool>,
    /// The items of the catalogue.
    pub catalogue: u64,
    /// The most items that the promise assumes to be known.
    pub known: Option<usize>,
}

/// Baskets taken apart.
#[derive(Debug, Clone, Default)]
pub struct PublishedClusters {
    /// The clusters, of numbers of items.
    pub apart: Disassociated,
    /// Per item its text.
    pub labels: Vec<Box<str>>,
    /// The most items that the promise assumes to be known.
    pub known: Option<usize>,
}

/// A log of persons or sessions.
#[derive(Debug, Clone, Default)]
pub struct PublishedLog {
    /// The rows.
    pub log: Log,
    /// Whether a number stands for a session.
    pub sessions: bool,
    /// Whether words are hashes.
    pub hashed: bool,
    /// The threshold that is promised.
    pub people: u64,
}

/// Noisy counts.
#[derive(Debug, Clone, Default)]
pub struct PublishedCounts {
    /// Queries and numbers of people.
    pub queries: Vec<(Box<str>, i64)>,
    /// Queries, addresses and numbers of people.
    pub clicks: Vec<(Box<str>, Box<str>, i64)>,
}

/// Sketches, and signs where somebody published them.
#[derive(Debug, Clone, Default)]
pub struct PublishedSketches {
    /// The sketches.
    pub sketches: Vec<Vec<f64>>,
    /// The queries that signs are known for, and per component their signs.
    pub signs: Option<(Vec<Box<str>>, Vec<Vec<f64>>)>,
    /// People without a sketch.
    pub suppressed: u64,
    /// Whether vectors have length 1.
    pub unit: bool,
}

/// Queries that are sent together.
#[derive(Debug, Clone, Default)]
pub struct PublishedCovers {
    /// Per set its queries and numbers of people.
    pub sets: Vec<Vec<(Box<str>, i64)>>,
}

/// A release by its form.
#[derive(Debug, Clone)]
pub enum Opened {
    /// Baskets of items and groups.
    Nodes(PublishedNodes),
    /// Baskets taken apart.
    Clusters(PublishedClusters),
    /// A log.
    Log(PublishedLog),
    /// Noisy counts.
    Counts(PublishedCounts),
    /// Cover sets.
    Covers(PublishedCovers),
    /// Sketches.
    Sketches(PublishedSketches),
}

impl Release for Opened {
    fn views(&self) -> Views<'_> {
        match self {
            Self::Nodes(own) => Views::of(own),
            Self::Clusters(own) => Views::of(own),
            Self::Log(own) => Views::of(own),
            Self::Counts(own) => Views::of(own),
            Self::Covers(own) => Views::of(own),
            Self::Sketches(own) => Views::of(own),
        }
    }

    fn heading(&self) -> (String, String) {
        super::page::heading(self)
    }

    fn sections(&self, _: &privet_kind::Assessment) -> Vec<privet_kind::PageSection> {
        super::page::sections(self)
    }
}

/// A table of a release with its columns by name.
struct Published<'a> {
    folder: &'a ReleaseFolder,
    name: &'static str,
    table: Table,
}

impl<'a> Published<'a> {
    fn read(
        folder: &'a ReleaseFolder,
        name: &'static str,
        progress: &dyn Progress,
    ) -> Result<Self, OpenError> {
        let table = folder.table(name, &ReadOptions::default().exactly(), progress)?;
        Ok(Self { folder, name, table })
    }

    fn malformed(&self, problem: &str) -> OpenError {
        self.folder.malformed(self.name, problem)
    }

    fn column(&self, name: &str) -> Result<&Column, OpenError> {
        self.table.column(name).ok_or_else(|| self.malformed(&format!("the column `{name}` is missing")))
    }

    fn numbers<T: std::str::FromStr + Clone>(&self, name: &str) -> Result<Vec<T>, OpenError> {
        let column = self.column(name)?;
        let of_code: Vec<Option<T>> = column.domain.texts().iter().map(|text| text.parse().ok()).collect();
        let numbers: Option<Vec<T>> =
            column.codes.iter().map(|&code| of_code[code as usize].clone()).collect();
        numbers
            .ok_or_else(|| self.malformed(&format!("the column `{name}` holds something else than numbers")))
    }

    /// Per row the number of its text in a list.
    fn known(&self, name: &str, number_of: &HashMap<Box<str>, u32>) -> Result<Vec<u32>, OpenError> {
        let column = self.column(name)?;
        let of_code: Vec<Option<u32>> =
            column.domain.texts().iter().map(|text| number_of.get(text).copied()).collect();
        let numbers: Option<Vec<u32>> = column.codes.iter().map(|&code| of_code[code as usize]).collect();
        numbers.ok_or_else(|| self.malformed(&format!("the column `{name}` holds a text that is not listed")))
    }

    fn texts(&self, name: &str) -> Result<Vec<Box<str>>, OpenError> {
        let column = self.column(name)?;
        Ok(column.codes.iter().map(|&code| column.domain.text(code).into()).collect())
    }
}

fn numbered(labels: &[Box<str>]) -> HashMap<Box<str>, u32> {
    labels.iter().cloned().zip(0..).collect()
}

/// Opens a release.
pub(super) fn open(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Opened, KindError> {
    let promises = &folder.envelope().promises;
    let known =
        promises.iter().find_map(|own| own.whole("m").or_else(|| own.whole("p"))).map(|own| own as usize);
    match folder.envelope().body::<Body>()? {
        Body::Baskets { baskets, catalogue, policies } => {
            let mut nodes = open_nodes(folder, baskets, progress)?;
            (nodes.catalogue, nodes.known) = (catalogue, known);
            if policies {
                // Listed by the manifest; only the referee looks into it.
                Published::read(folder, PROTECTED, progress)?;
            }
            Ok(Opened::Nodes(nodes))
        }
        Body::Clusters { .. } => {
            Ok(Opened::Clusters(PublishedClusters { known, ..open_clusters(folder, progress)? }))
        }
        Body::Log { sessions, hashed, .. } => open_log(folder, sessions, hashed, promises, progress),
        Body::Counts { clicks, .. } => open_counts(folder, clicks.is_some(), progress),
        Body::Covers { sets } => open_covers(folder, sets, progress),
        Body::Sketches { suppressed, unit, signs, .. } => {
            let (sketches, signs) = open_sketches(folder, signs, progress)?;
            Ok(Opened::Sketches(PublishedSketches { sketches, signs, suppressed, unit }))
        }
    }
}

fn open_covers(folder: &ReleaseFolder, sets: u64, progress: &dyn Progress) -> Result<Opened, KindError> {
    let table = Published::read(folder, COVERS, progress)?;
    let query = table.column("query")?;
    let (numbers, people): (Vec<u64>, Vec<u64>) = (table.numbers("set")?, table.numbers("people")?);
    let mut all: Vec<Vec<(Box<str>, i64)>> = Vec::new();
    for ((&number, &count), &code) in numbers.iter().zip(&people).zip(&query.codes) {
        if number == all.len() as u64 {
            all.push(Vec::new());
        }
        match all.last_mut() {
            Some(own) => own.push((query.domain.text(code).into(), i64::try_from(count).unwrap_or(i64::MAX))),
            None => return Err(table.malformed("sets are not numbered in order").into()),
        }
    }
    match all.len() as u64 == sets {
        true => Ok(Opened::Covers(PublishedCovers { sets: all })),
        false => Err(table.malformed("there are not as many sets as the manifest states").into()),
    }
}

fn open_nodes(
    folder: &ReleaseFolder,
    baskets: u64,
    progress: &dyn Progress,
) -> Result<PublishedNodes, KindError> {
    let items = Published::read(folder, ITEMS, progress)?;
    let labels = items.texts("item")?;
    let number_of = numbered(&labels);
    if number_of.len() != labels.len() {
        return Err(items.malformed("an item is listed twice").into());
    }
    let above = items.known("above", &number_of)?;
    let covers = items.numbers("covers")?;
    let sensitive = items.texts("sensitive")?.iter().map(|text| &**text == "yes").collect();
    let pairs = Published::read(folder, BASKETS, progress)?;
    let numbers: Vec<u64> = pairs.numbers("basket")?;
    let nodes = pairs.known("item", &number_of)?;
    if numbers.iter().any(|&number| number >= baskets) || baskets > u64::from(u32::MAX) {
        return Err(pairs.malformed("a basket has a number beyond those of the manifest").into());
    }
    let mut sorted: Vec<u64> =
        numbers.iter().zip(&nodes).map(|(&number, &node)| number << 32 | u64::from(node)).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let sets = Baskets::from_sorted_pairs(&sorted, baskets as usize);
    Ok(PublishedNodes { sets, labels, above, covers, sensitive, catalogue: 0, known: None })
}

fn open_clusters(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<PublishedClusters, KindError> {
    let list = Published::read(folder, CLUSTERS, progress)?;
    let sizes: Vec<u64> = list.numbers("baskets")?;
    if list.numbers::<u64>("cluster")? != (0..sizes.len() as u64).collect::<Vec<_>>() {
        return Err(list.malformed("clusters are not numbered from 0 on").into());
    }
    let rows = Published::read(folder, CHUNKS, progress)?;
    let column = rows.column("item")?;
    let labels = column.domain.texts().to_vec();
    let (of_cluster, of_chunk, of_record) = (
        rows.numbers::<usize>("cluster")?,
        rows.numbers::<usize>("chunk")?,
        rows.numbers::<usize>("record")?,
    );
    let mut clusters: Vec<Cluster> =
        sizes.into_iter().map(|baskets| Cluster { baskets, ..Cluster::default() }).collect();
    let mut order: Vec<usize> = (0..rows.table.rows).collect();
    order.sort_by_key(|&row| (of_cluster[row], of_chunk[row], of_record[row], column.codes[row]));
    for run in order.chunk_by(|&a, &b| (of_cluster[a], of_chunk[a]) == (of_cluster[b], of_chunk[b])) {
        let cluster = clusters.get_mut(of_cluster[run[0]]);
        let cluster =
            cluster.ok_or_else(|| rows.malformed("a chunk belongs to a cluster that is not listed"))?;
        match of_chunk[run[0]] {
            0 => cluster.terms = run.iter().map(|&row| column.codes[row]).collect(),
            _ => {
                let records = run.chunk_by(|&a, &b| of_record[a] == of_record[b]);
                let records = records.map(|own| own.iter().map(|&row| column.codes[row]).collect::<Vec<_>>());
                cluster.chunks.push(Baskets::of(records));
            }
        }
    }
    Ok(PublishedClusters { apart: Disassociated { clusters }, labels, known: None })
}

fn open_log(
    folder: &ReleaseFolder,
    sessions: bool,
    hashed: bool,
    promises: &[Promised],
    progress: &dyn Progress,
) -> Result<Opened, KindError> {
    let rows = Published::read(folder, LOG, progress)?;
    let (query, address) = (rows.column("query")?, rows.column("address")?);
    let missing = address.domain.missing();
    let clicks = address.codes.iter().map(|&code| code.checked_sub(missing).unwrap_or(NONE)).collect();
    let log = Log::new(
        rows.numbers("person")?,
        query.codes.clone(),
        None,
        Some(clicks),
        query.domain.texts().to_vec(),
        address.domain.texts()[missing as usize..].to_vec(),
    )?;
    let people = promises.iter().find_map(|own| own.whole("people")).unwrap_or(0);
    Ok(Opened::Log(PublishedLog { log, sessions, hashed, people }))
}

fn open_counts(folder: &ReleaseFolder, clicks: bool, progress: &dyn Progress) -> Result<Opened, KindError> {
    let rows = Published::read(folder, QUERIES, progress)?;
    let queries = rows.texts("query")?.into_iter().zip(rows.numbers("people")?).collect();
    let clicks = match clicks {
        false => Vec::new(),
        true => {
            let rows = Published::read(folder, CLICKS, progress)?;
            let both = rows.texts("query")?.into_iter().zip(rows.texts("address")?);
            both.zip(rows.numbers("people")?)
                .map(|((query, address), people)| (query, address, people))
                .collect()
        }
    };
    Ok(Opened::Counts(PublishedCounts { queries, clicks }))
}

type SignTable = Option<(Vec<Box<str>>, Vec<Vec<f64>>)>;

fn open_sketches(
    folder: &ReleaseFolder,
    signs: bool,
    progress: &dyn Progress,
) -> Result<(Vec<Vec<f64>>, SignTable), KindError> {
    let rows = Published::read(folder, SKETCHES, progress)?;
    let (numbers, components): (Vec<usize>, Vec<usize>) =
        (rows.numbers("sketch")?, rows.numbers("component")?);
    let values: Vec<f64> = rows.numbers("value")?;
    let mut sketches: Vec<Vec<f64>> = Vec::new();
    for ((number, component), value) in numbers.into_iter().zip(components).zip(values) {
        if number == sketches.len() {
            sketches.push(Vec::new());
        }
        match sketches.last_mut().filter(|own| own.len() == component) {
            Some(sketch) if value.is_finite() => sketch.push(value),
            _ => {
                return Err(rows
                    .malformed("components are not numbered from 0 on, or a value is no number")
                    .into());
            }
        }
    }
    if !signs {
        return Ok((sketches, None));
    }
    let rows = Published::read(folder, SIGNS, progress)?;
    let query = rows.column("query")?;
    let (components, values): (Vec<usize>, Vec<f64>) = (rows.numbers("component")?, rows.numbers("sign")?);
    let count = components.iter().max().map_or(0, |own| own + 1);
    let mut table = vec![vec![0.0; query.domain.len()]; count.min(rows.table.rows)];
    for ((component, &code), value) in components.into_iter().zip(&query.codes).zip(values) {
        if let Some(own) = table.get_mut(component) {
            own[code as usize] = value;
        }
    }
    Ok((sketches, Some((query.domain.texts().to_vec(), table))))
}

/// The original of baskets.
pub struct OriginalSets {
    /// The baskets and their items.
    pub data: SetData,
    /// The hierarchy of the items.
    pub tree: ItemTree,
}

/// The original of a log.
pub struct OriginalLog {
    /// The log.
    pub log: Log,
    /// Per hash its word, where words were hashed.
    pub words: HashMap<Box<str>, Box<str>>,
    /// The method of the job.
    pub method: Method,
}

impl Original for OriginalSets {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }
}

impl Original for OriginalLog {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }
}

/// Reads the original that a job names.
pub(super) fn original(
    job: &JobFile,
    owner: &OwnerFiles,
    progress: &dyn Progress,
) -> Result<Box<dyn Original>, KindError> {
    match read(job, progress)? {
        Data::Sets(data, tree) => Ok(Box::new(OriginalSets { data, tree })),
        Data::Log(log) => {
            let text = owner.get("words.csv").map(String::from_utf8_lossy).unwrap_or_default();
            let words = text.lines().skip(1).filter_map(|line| line.split_once(','));
            let words = words.map(|(hash, word)| (hash.into(), word.into())).collect();
            Ok(Box::new(OriginalLog { log, words, method: job.required("sets")? }))
        }
    }
}
