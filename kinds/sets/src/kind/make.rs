//! From a job about baskets to a draft.

use privet_data::Progress;
use privet_kind::{JobFile, KindError, Outcome};
use privet_release::{Draft, Promised, Randomness};

use super::files::{BASKETS, Body, CHUNKS, CLUSTERS, ITEMS, PROTECTED, TableWriter};
use super::job::{Data, Method, read};
use super::make_log::of_log;
use crate::anonymize::{
    DisassociateOptions, Generalized, Order, Policies, apriori, constrained, count_tree, disassociate,
    horizontal, suppress_coherence, suppress_rho, vertical,
};
use crate::criteria::{Coherence, Disassociated};
use crate::{Baskets, Catalogue, ItemTree, SetData, SetsError};

pub(super) fn make(job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
    let method: Method = job.required("sets")?;
    match read(job, progress)? {
        Data::Sets(..) if method.is_about_logs() => {
            Err(KindError::key("sets.method", "is about search logs; set form = \"log\" in [input]"))
        }
        Data::Sets(data, tree) => of_sets(&data, &tree, method, draft, progress),
        Data::Log(log) => of_log(job, &log, method, draft, progress),
    }
}

fn of_sets(
    data: &SetData,
    tree: &ItemTree,
    method: Method,
    draft: &Draft,
    progress: &dyn Progress,
) -> Result<Outcome, KindError> {
    let (baskets, order) = (&data.baskets, Order::Rarest);
    let (made, promise) = match method {
        Method::Apriori { k, m } => (apriori(baskets, tree, k, m, order, progress)?, k_m(k, m)),
        Method::CountTree { k, m } => (count_tree(baskets, tree, k, m, order, progress)?, k_m(k, m)),
        Method::Vertical { k, m } => (vertical(baskets, tree, k, m, order, progress)?, k_m(k, m)),
        Method::Horizontal { k, m, part } => (horizontal(baskets, tree, k, m, part, progress)?, k_m(k, m)),
        Method::Coherence { h, k, p } => {
            let left = suppress_coherence(baskets, &data.items.sensitive, Coherence { h, k, p }, progress)?;
            let promise = Promised::new("coherence").with("h", h).with("k", k).with("p", p as u64);
            return suppressed(left.baskets, &left.items, &data.items, promise, draft);
        }
        Method::Diversity { l, m } => {
            let asked = Coherence { h: 1.0 / l, k: 1, p: m };
            crate::criteria::Criterion::LDiversity { l, m }.check()?;
            let left = suppress_coherence(baskets, &data.items.sensitive, asked, progress)?;
            let promise = Promised::new("item-diversity").with("l", l).with("m", m as u64);
            return suppressed(left.baskets, &left.items, &data.items, promise, draft);
        }
        Method::RhoUncertainty { rho, most } => {
            let left = suppress_rho(baskets, &data.items.sensitive, rho, most, progress)?;
            let promise = Promised::new("rho-uncertainty").with("rho", rho);
            let promise = match most {
                None => promise,
                Some(most) => promise.with("most", most as u64),
            };
            return suppressed(left.baskets, &left.items, &data.items, promise, draft);
        }
        Method::Disassociation { k, m, largest_cluster } => {
            let options = DisassociateOptions { k, m, largest_cluster };
            let apart = disassociate(baskets, &data.items.sensitive, options, progress)?;
            return clusters(&apart, data, k_m(k, m), draft);
        }
        Method::Policies { k, privacy, utility, most_suppressed, selection } => {
            let policies = Policies {
                k,
                privacy: codes("`privacy`", &privacy, &data.items)?,
                utility: codes("`utility`", &utility, &data.items)?,
                most_suppressed,
            };
            let made = constrained(baskets, data.items.len(), &policies, selection, progress)?;
            return under_policies(&made, &policies, &data.items, draft);
        }
        Method::Threshold { .. }
        | Method::Korolova { .. }
        | Method::Zealous { .. }
        | Method::Sketches { .. }
        | Method::Covers { .. } => {
            // cannot fail: `make` asked before
            return Err(KindError::key("sets.method", "is about search logs"));
        }
    };
    let nodes = Nodes::of_tree(tree, &made.sets, &data.items.sensitive);
    nodes.write(draft, &made.sets)?;
    let Generalized { sets, cut } = &made;
    let generalized =
        cut.as_ref().map(|cut| (0..).zip(cut.nodes()).filter(|(item, node)| *item != **node).count());
    let summary = vec![
        ("baskets".to_owned(), sets.len().to_string()),
        ("information loss".to_owned(), format!("{:.2} %", 100.0 * crate::measure::ncp(sets, baskets, tree))),
        (
            "items generalized".to_owned(),
            generalized.map_or("differs by part".to_owned(), |own| own.to_string()),
        ),
    ];
    let body = Body::Baskets { baskets: sets.len() as u64, catalogue: tree.leaves() as u64, policies: false };
    outcome(&body, vec![promise], Randomness::None, summary)
}

fn k_m(k: u64, m: usize) -> Promised {
    Promised::new("k-m-anonymity").with("k", k).with("m", m as u64)
}

pub(super) fn outcome(
    body: &Body,
    promises: Vec<Promised>,
    randomness: Randomness,
    summary: Vec<(String, String)>,
) -> Result<Outcome, KindError> {
    let body = serde_json::to_value(body).map_err(|error| KindError::bad_input(error.to_string()))?;
    Ok(Outcome { body, promises, randomness, summary, ..Outcome::default() })
}

fn codes(what: &'static str, sets: &[Vec<String>], items: &Catalogue) -> Result<Vec<Vec<u32>>, SetsError> {
    let code_of: foldhash::HashMap<&str, u32> = items.labels.iter().map(|text| &**text).zip(0..).collect();
    let mut unknown = 0;
    let mut all = Vec::new();
    for set in sets {
        let mut own = Vec::new();
        for text in set {
            match code_of.get(text.as_str()) {
                Some(&code) => own.push(code),
                None => unknown += 1,
            }
        }
        all.push(own);
    }
    if unknown > 0 { Err(SetsError::UnknownItems { what, items: unknown }) } else { Ok(all) }
}

/// Published items: those that occur, and what stands above them.
struct Nodes<'a> {
    /// Label, number of the node above (itself for a root), items covered, whether it is sensitive, whether it is listed.
    rows: Vec<(&'a str, usize, u32, bool, bool)>,
}

impl<'a> Nodes<'a> {
    fn of_tree(tree: &'a ItemTree, sets: &Baskets, sensitive: &[bool]) -> Self {
        let mut listed = vec![false; tree.nodes()];
        for &node in sets.flat() {
            if !listed[node as usize] {
                tree.path(node).for_each(|up| listed[up as usize] = true);
            }
        }
        let mut is_sensitive = vec![false; tree.nodes()];
        for (item, _) in sensitive.iter().enumerate().filter(|(_, own)| **own) {
            tree.path(item as u32).for_each(|up| is_sensitive[up as usize] = true);
        }
        let row = |node: u32| {
            let at = node as usize;
            (tree.label(node), tree.parent(node) as usize, tree.covered(node), is_sensitive[at], listed[at])
        };
        Self { rows: (0..tree.nodes() as u32).map(row).collect() }
    }

    fn write(&self, draft: &Draft, sets: &Baskets) -> Result<(), KindError> {
        let mut writer = TableWriter::begin(draft, ITEMS, &["item", "above", "covers", "sensitive"])?;
        for &(label, above, covers, sensitive, _) in self.rows.iter().filter(|row| row.4) {
            writer.text(label).text(self.rows[above].0).number(covers);
            writer.text(if sensitive { "yes" } else { "no" }).end()?;
        }
        writer.finish()?;
        let mut writer = TableWriter::begin(draft, BASKETS, &["basket", "item"])?;
        for (number, basket) in sets.sorted().iter().enumerate() {
            for &node in basket {
                writer.number(number).text(self.rows[node as usize].0).end()?;
            }
        }
        writer.finish()
    }
}

fn suppressed(
    left: Baskets,
    gone: &[u32],
    items: &Catalogue,
    promise: Promised,
    draft: &Draft,
) -> Result<Outcome, KindError> {
    let tree = ItemTree::flat(items);
    Nodes::of_tree(&tree, &left, &items.sensitive).write(draft, &left)?;
    let summary = vec![
        ("baskets".to_owned(), left.len().to_string()),
        ("items suppressed".to_owned(), format!("{} of {}", gone.len(), items.len())),
    ];
    let body = Body::Baskets { baskets: left.len() as u64, catalogue: items.len() as u64, policies: false };
    outcome(&body, vec![promise], Randomness::None, summary)
}

fn under_policies(
    made: &crate::anonymize::Constrained,
    policies: &Policies,
    items: &Catalogue,
    draft: &Draft,
) -> Result<Outcome, KindError> {
    // Groups of several items stand above them; everything stands below one root.
    let mut labels = items.labels.clone();
    let root = items.len() + made.groups.iter().filter(|group| group.len() > 1).count();
    let mut parent = vec![root as u32; root + 1];
    let mut node_of = Vec::new();
    let mut used: foldhash::HashSet<Box<str>> = labels.iter().cloned().collect();
    let mut free = |label: String| {
        let mut own: Box<str> = label.into();
        while !used.insert(own.clone()) {
            own = format!("{own} (any)").into();
        }
        own
    };
    for group in &made.groups {
        if let [item] = group[..] {
            node_of.push(item);
            continue;
        }
        let node = labels.len() as u32;
        group.iter().for_each(|&item| parent[item as usize] = node);
        let names: Vec<&str> = group.iter().map(|&item| &*items.labels[item as usize]).collect();
        labels.push(free(names.join(" or ")));
        node_of.push(node);
    }
    labels.push(free("*".to_owned()));
    let tree = ItemTree::from_parents(labels, parent, items.len() as u32)?;
    let sets = made.baskets.map(|group| node_of.get(group as usize).copied());
    let mut nodes = Nodes::of_tree(&tree, &sets, &items.sensitive);
    for (group, members) in made.groups.iter().enumerate() {
        // What a group stands for is known of hierarchies; of groups that policies made the release has to say it.
        let is_listed = nodes.rows[node_of[group] as usize].4;
        members.iter().for_each(|&item| nodes.rows[item as usize].4 |= is_listed);
    }
    nodes.write(draft, &sets)?;
    // Protected sets as they are published; those with a suppressed item are known of no basket, and are not listed.
    let mut group_of: foldhash::HashMap<u32, u32> = foldhash::HashMap::default();
    for (group, members) in made.groups.iter().enumerate() {
        members.iter().for_each(|&item| _ = group_of.insert(item, node_of[group]));
    }
    let supports = sets.supports(tree.nodes());
    let mut protected: Vec<Vec<u32>> = policies
        .privacy
        .iter()
        .filter_map(|set| set.iter().map(|item| group_of.get(item).copied()).collect::<Option<Vec<u32>>>())
        .filter(|set| !set.is_empty() && set.iter().all(|&node| supports[node as usize] > 0))
        .collect();
    protected.iter_mut().for_each(|set| {
        set.sort_unstable();
        set.dedup();
    });
    protected.sort();
    protected.dedup();
    let mut writer = TableWriter::begin(draft, PROTECTED, &["set", "item"])?;
    for (number, set) in protected.iter().enumerate() {
        for &node in set {
            writer.number(number).text(tree.label(node)).end()?;
        }
    }
    writer.finish()?;
    let summary = vec![
        ("baskets".to_owned(), sets.len().to_string()),
        ("items suppressed".to_owned(), format!("{} of {}", made.suppressed.len(), items.len())),
        ("groups of items".to_owned(), made.groups.iter().filter(|own| own.len() > 1).count().to_string()),
    ];
    let body = Body::Baskets { baskets: sets.len() as u64, catalogue: items.len() as u64, policies: true };
    outcome(&body, vec![Promised::new("protected-sets").with("k", policies.k)], Randomness::None, summary)
}

fn clusters(
    apart: &Disassociated,
    data: &SetData,
    promise: Promised,
    draft: &Draft,
) -> Result<Outcome, KindError> {
    let mut writer = TableWriter::begin(draft, CLUSTERS, &["cluster", "baskets"])?;
    for (number, cluster) in apart.clusters.iter().enumerate() {
        writer.number(number).number(cluster.baskets).end()?;
    }
    writer.finish()?;
    let label = |item: u32| &*data.items.labels[item as usize];
    let mut writer = TableWriter::begin(draft, CHUNKS, &["cluster", "chunk", "record", "item"])?;
    for (number, cluster) in apart.clusters.iter().enumerate() {
        for &item in &cluster.terms {
            writer.number(number).number(0).number(0).text(label(item)).end()?;
        }
        for (chunk, records) in cluster.chunks.iter().enumerate() {
            for (record, items) in records.iter().enumerate() {
                for &item in items {
                    writer.number(number).number(chunk + 1).number(record).text(label(item)).end()?;
                }
            }
        }
    }
    writer.finish()?;
    let terms: usize = apart.clusters.iter().map(|cluster| cluster.terms.len()).sum();
    let summary = vec![
        ("clusters".to_owned(), apart.clusters.len().to_string()),
        ("items in term chunks".to_owned(), terms.to_string()),
    ];
    outcome(&Body::Clusters { baskets: apart.baskets() }, vec![promise], Randomness::None, summary)
}
