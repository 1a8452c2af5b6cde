//! What the page of a release of sets shows besides what the verbs add. Everything follows from the published files.

use privet_kind::page::{Axis, Cell, Chart, Series, Style, Table};
use privet_kind::{Block, PageSection};

use super::open::{
    Opened, PublishedClusters, PublishedCounts, PublishedCovers, PublishedLog, PublishedNodes,
    PublishedSketches,
};

/// How many rows a table shows.
const ROWS: usize = 20;

pub(super) fn heading(release: &Opened) -> (String, String) {
    let (title, line) = match release {
        Opened::Nodes(own) => (
            "Report on baskets",
            format!("{} baskets, {} items and groups", own.sets.len(), own.labels.len()),
        ),
        Opened::Clusters(own) => {
            let clusters = own.apart.clusters.len();
            (
                "Report on baskets taken apart",
                format!("{} baskets in {clusters} clusters", own.apart.baskets()),
            )
        }
        Opened::Log(own) => {
            let unit = if own.sessions { "sessions" } else { "people" };
            ("Report on a search log", format!("{} rows of {} {unit}", own.log.rows(), own.log.people()))
        }
        Opened::Counts(own) => {
            ("Report on queries", format!("{} queries with noisy numbers of people", own.queries.len()))
        }
        Opened::Covers(own) => ("Report on cover sets", format!("{} sets of queries", own.sets.len())),
        Opened::Sketches(own) => {
            ("Report on sketches", format!("{} sketches of histories", own.sketches.len()))
        }
    };
    (title.to_owned(), line)
}

pub(super) fn sections(release: &Opened) -> Vec<PageSection> {
    match release {
        Opened::Nodes(own) => nodes(own),
        Opened::Clusters(own) => clusters(own),
        Opened::Log(own) => log(own),
        Opened::Counts(own) => counts(own),
        Opened::Covers(own) => covers(own),
        Opened::Sketches(own) => sketches(own),
    }
}

/// Cover sets: how they are used, and the first ones.
fn covers(release: &PublishedCovers) -> Vec<PageSection> {
    let text = "In place of a query, the whole set of the query that is nearest to it is sent. Every member of a set sends the same set, its \
                members are about different things, and none is so much more popular than another that it would be believed. That \
                protects one query. Who asks ten queries about one thing has one thing in common among ten sets.";
    let rows = release.sets.iter().take(ROWS).map(|set| {
        let queries: Vec<&str> = set.iter().map(|own| &*own.0).collect();
        let all: i64 = set.iter().map(|own| own.1).sum();
        let most = set.iter().map(|own| own.1).max().unwrap_or(0);
        vec![Cell::from(queries.join(" | ")), Cell::Share { share: most as f64 / all.max(1) as f64 }]
    });
    let table = Table {
        caption: "The first sets".to_owned(),
        columns: vec!["queries".to_owned(), "the likeliest".to_owned()],
        rows: rows.collect(),
    };
    vec![PageSection::new(
        "covers",
        "Queries that are sent together",
        vec![Block::text(text), Block::Table(table)],
    )]
}

/// The lengths of baskets as bars.
fn lengths(caption: &str, lengths: impl Iterator<Item = usize>) -> Block {
    let mut counts: Vec<u64> = Vec::new();
    for length in lengths.map(|own| own.min(50)) {
        if counts.len() <= length {
            counts.resize(length + 1, 0);
        }
        counts[length] += 1;
    }
    let points = (0..).zip(&counts).map(|(length, &count)| (f64::from(length), count as f64)).collect();
    Block::Chart(Chart {
        caption: caption.to_owned(),
        x: Axis::linear("items, 50 and more together"),
        y: Axis::linear("how many"),
        style: Style::Bars,
        series: vec![Series { name: "published".to_owned(), points }],
    })
}

fn table(caption: &str, columns: &[&str], rows: Vec<Vec<Cell>>) -> Block {
    let columns = columns.iter().map(|own| (*own).to_owned()).collect();
    Block::Table(Table { caption: caption.to_owned(), columns, rows })
}

fn nodes(own: &PublishedNodes) -> Vec<PageSection> {
    let supports = own.sets.supports(own.labels.len());
    let mut order: Vec<usize> = (0..own.labels.len()).filter(|&node| supports[node] > 0).collect();
    order.sort_by(|&a, &b| supports[b].cmp(&supports[a]).then_with(|| own.labels[a].cmp(&own.labels[b])));
    let row = |&node: &usize| {
        let what = if own.covers[node] > 1 {
            format!("a group of {} items", own.covers[node])
        } else {
            "an item".to_owned()
        };
        vec![Cell::from(&*own.labels[node]), Cell::from(what), Cell::from(supports[node])]
    };
    let rows = order.iter().take(ROWS).map(row).collect();
    let groups = order.iter().filter(|&&node| own.covers[node] > 1).count();
    vec![PageSection::new(
        "baskets",
        "What was published",
        vec![
            Block::text(format!(
                "{} baskets hold {} different items and {groups} groups that stand for several items. A group in a basket means \
                 one of its items or more. Items that are not listed are in no basket.",
                own.sets.len(),
                order.len() - groups
            )),
            table("The most frequent items and groups", &["item", "what it is", "baskets"], rows),
            lengths("Items and groups per basket", own.sets.iter().map(<[u32]>::len)),
        ],
    )]
}

fn clusters(own: &PublishedClusters) -> Vec<PageSection> {
    let chunks: usize = own.apart.clusters.iter().map(|cluster| cluster.chunks.len()).sum();
    let terms: usize = own.apart.clusters.iter().map(|cluster| cluster.terms.len()).sum();
    let bounds = own.apart.supports(own.labels.len());
    let mut order: Vec<usize> = (0..own.labels.len()).collect();
    order.sort_by(|&a, &b| {
        bounds[b].least.cmp(&bounds[a].least).then_with(|| own.labels[a].cmp(&own.labels[b]))
    });
    let row = |&item: &usize| {
        vec![Cell::from(&*own.labels[item]), Cell::from(bounds[item].least), Cell::from(bounds[item].most)]
    };
    let rows = order.iter().take(ROWS).map(row).collect();
    vec![PageSection::new(
        "clusters",
        "What was published",
        vec![
            Block::text(format!(
                "{} baskets were cut into {} clusters with {chunks} record chunks. The parts of a basket in different chunks \
                 cannot be joined. {terms} items stand in term chunks: some basket of the cluster holds each of them, and nobody \
                 is told how many.",
                own.apart.baskets(),
                own.apart.clusters.len()
            )),
            table("What the supports of items lie between", &["item", "at least", "at most"], rows),
        ],
    )]
}

fn log(own: &PublishedLog) -> Vec<PageSection> {
    let unit = if own.sessions { "session" } else { "person" };
    let mut blocks = vec![Block::text(format!(
        "{} rows of {} {unit}s with {} different queries. Times are not published.",
        own.log.rows(),
        own.log.people(),
        own.log.texts().len()
    ))];
    let mut weaknesses = vec![
        "What is frequent is not therefore harmless: two frequent queries can be one person's alone."
            .to_owned(),
        "Whoever opens accounts can lift a query over the threshold.".to_owned(),
    ];
    if own.hashed {
        weaknesses.push("Hashes hide words only from somebody who knows no similar log: frequency and company give words away.".to_owned());
    }
    blocks.push(Block::List { items: weaknesses });
    blocks.push(lengths(
        &format!("Rows per {unit}"),
        (0..own.log.people()).map(|person| own.log.rows_of(person).len()),
    ));
    vec![PageSection::new("log", "What was published", blocks)]
}

fn counts(own: &PublishedCounts) -> Vec<PageSection> {
    let mut order: Vec<&(Box<str>, i64)> = own.queries.iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let rows =
        order.iter().take(ROWS).map(|row| vec![Cell::from(&*row.0), Cell::from(row.1 as f64)]).collect();
    let points =
        (1..).zip(&order).map(|(rank, row)| (f64::from(rank), row.1.max(1) as f64)).take(10_000).collect();
    vec![PageSection::new(
        "queries",
        "What was published",
        vec![
            Block::text(format!(
                "{} queries and {} pairs of query and address, with noisy numbers of people. Nothing tells who asked.",
                own.queries.len(),
                own.clicks.len()
            )),
            table("The most frequent queries", &["query", "people, noisy"], rows),
            Block::Chart(Chart {
                caption: "Noisy numbers of people by rank".to_owned(),
                x: Axis::logarithmic("rank"),
                y: Axis::logarithmic("people"),
                style: Style::Lines,
                series: vec![Series { name: "published".to_owned(), points }],
            }),
        ],
    )]
}

fn sketches(own: &PublishedSketches) -> Vec<PageSection> {
    let components: usize = own.sketches.iter().map(Vec::len).sum();
    let signs = match own.signs {
        None => "The signs are secret: without them a component tells nothing of a single query.",
        Some(_) => "The signs are published with the sketches. Whoever has both can solve for the histories.",
    };
    vec![PageSection::new(
        "sketches",
        "What was published",
        vec![
            Block::text(format!(
                "{} sketches with {components} components in all; {} people were suppressed. The product of two sketches, divided \
                 by the number of their common components, estimates how alike two histories are.",
                own.sketches.len(),
                own.suppressed
            )),
            Block::text(signs),
            lengths("Components per sketch", own.sketches.iter().map(Vec::len)),
        ],
    )]
}
