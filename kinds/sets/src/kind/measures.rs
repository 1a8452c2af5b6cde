//! Measures of sets, on the seam.

use privet_data::Progress;
use privet_kind::{Figure, Measure, MeasureInfo, Reason, Unmade, Views};

use super::open::{
    OriginalLog, OriginalSets, PublishedClusters, PublishedCounts, PublishedLog, PublishedNodes,
};
use crate::log::{Lexicon, Log, detect};
use crate::measure::{SupportError, frequency_error, frequent_sets};

fn nothing(what: &str) -> Unmade {
    Reason::Nothing { what: what.to_owned() }.into()
}

/// Expected supports of the original's items, in a release of either form.
fn estimates(release: Views<'_>, original: &OriginalSets) -> Result<Vec<f64>, Unmade> {
    let labels = &original.data.items.labels;
    if let Some(published) = release.get::<PublishedNodes>() {
        let supports = published.sets.supports(published.labels.len());
        let number_of: foldhash::HashMap<&str, usize> =
            published.labels.iter().map(|label| &**label).zip(0..).collect();
        let share = |node: usize| supports[node] as f64 / published.covers[node].max(1) as f64;
        return Ok((0..labels.len() as u32)
            .map(|item| nodes_of(published, original, &number_of, item).map(share).sum())
            .collect());
    }
    let published = release.get::<PublishedClusters>().ok_or_else(|| nothing("table of baskets"))?;
    let number_of: foldhash::HashMap<&str, usize> =
        published.labels.iter().map(|label| &**label).zip(0..).collect();
    let bounds = published.apart.supports(published.labels.len());
    // Of what a term chunk may mean, the least: rare items are there because they are rare.
    Ok(labels
        .iter()
        .map(|label| number_of.get(&**label).map_or(0.0, |&own| bounds[own].least as f64))
        .collect())
}

/// The published nodes that may stand for an item.
fn nodes_of<'a>(
    published: &'a PublishedNodes,
    original: &'a OriginalSets,
    number_of: &foldhash::HashMap<&str, usize>,
    item: u32,
) -> impl Iterator<Item = usize> + 'a {
    let own = number_of.get(&*original.data.items.labels[item as usize]).copied();
    let mut nodes: Vec<usize> = original
        .tree
        .path(item)
        .filter_map(|node| number_of.get(original.tree.label(node)).copied())
        .collect();
    let mut at = own;
    while let Some(node) = at {
        nodes.push(node);
        let above = published.above[node] as usize;
        at = (above != node).then_some(above);
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes.into_iter()
}

fn original_sets(original: Views<'_>) -> Result<&OriginalSets, Unmade> {
    original.get::<OriginalSets>().ok_or_else(|| nothing("basket in the original"))
}

/// Normalized certainty penalty.
pub(super) struct Loss;

impl Measure for Loss {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "ncp",
            title: "Information loss",
            sentence: "The share of the catalogue that an occurrence may stand for, on average; suppressed ones count 1.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let published =
            release.get::<PublishedNodes>().ok_or_else(|| nothing("table of items and groups"))?;
        let original = original_sets(original)?;
        let number_of: foldhash::HashMap<&str, usize> =
            published.labels.iter().map(|label| &**label).zip(0..).collect();
        let counts = published.sets.supports(published.labels.len());
        let lost = |node: usize| match published.covers[node] {
            0 | 1 => 0.0,
            covers => covers as f64 / published.catalogue.max(1) as f64,
        };
        // Where an item is published as several nodes, in several parts, it shares in each as often as the node occurs; an item
        // that is not published loses everything.
        let mut loss = 0.0;
        let supports = original.data.baskets.supports(original.data.items.len());
        for (item, &count) in supports.iter().enumerate().filter(|(_, count)| **count > 0) {
            let nodes: Vec<usize> = nodes_of(published, original, &number_of, item as u32).collect();
            let all: f64 = nodes.iter().map(|&node| counts[node] as f64).sum();
            let weighted: f64 = nodes.iter().map(|&node| counts[node] as f64 * lost(node)).sum();
            loss += if all == 0.0 { 1.0 } else { weighted / all } * count as f64;
        }
        let total = original.data.baskets.total().max(1) as f64;
        Ok(vec![Figure::single(self.info(), "mean loss of an occurrence", loss / total).as_share()])
    }
}

/// Items that are still published as themselves.
pub(super) struct ItemsKept;

impl Measure for ItemsKept {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "items-kept",
            title: "Items kept",
            sentence: "How many items, and how many occurrences, are published as themselves.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let original = original_sets(original)?;
        let labels: foldhash::HashSet<&str> =
            original.data.items.labels.iter().map(|label| &**label).collect();
        let before = original.data.baskets.supports(original.data.items.len());
        let (items, occurrences) =
            (before.iter().filter(|own| **own > 0).count(), original.data.baskets.total());
        let (kept, of_kept) = if let Some(own) = release.get::<PublishedNodes>() {
            let supports = own.sets.supports(own.labels.len());
            let is_item = |node: &usize| {
                own.covers[*node] == 1 && labels.contains(&*own.labels[*node]) && supports[*node] > 0
            };
            let nodes: Vec<usize> = (0..own.labels.len()).filter(is_item).collect();
            (nodes.len() as f64, nodes.iter().map(|&node| supports[node]).sum::<u64>() as f64)
        } else {
            let own = release.get::<PublishedClusters>().ok_or_else(|| nothing("table of baskets"))?;
            let bounds = own.apart.supports(own.labels.len());
            (own.labels.len() as f64, bounds.iter().map(|own| own.least).sum::<u64>() as f64)
        };
        Ok(vec![
            Figure::compared(self.info(), "items", items as f64, kept),
            Figure::compared(self.info(), "occurrences", occurrences as f64, of_kept),
        ])
    }
}

fn error_figures(info: &MeasureInfo, what: &str, error: SupportError) -> Vec<Figure> {
    vec![
        Figure::single(info, format!("mean relative error of {what}"), error.mean_relative).as_share(),
        Figure::single(info, format!("largest relative error of {what}"), error.largest_relative).as_share(),
    ]
}

/// Frequencies of items.
pub(super) struct Frequencies;

impl Measure for Frequencies {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "item-frequencies",
            title: "Frequencies of items",
            sentence: "How far the frequencies that an analyst computes are from the true ones.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        if let Some(counts) = release.get::<PublishedCounts>() {
            let log = &original.get::<OriginalLog>().ok_or_else(|| nothing("log in the original"))?.log;
            let truth = crate::log::people_per_query(log).queries;
            let number_of: foldhash::HashMap<&str, usize> =
                log.texts().iter().map(|text| &**text).zip(0..).collect();
            let errors: Vec<f64> = counts
                .queries
                .iter()
                .filter_map(|(text, people)| {
                    let own = truth[*number_of.get(&**text)?].max(1) as f64;
                    Some((*people as f64 - own).abs() / own)
                })
                .collect();
            if errors.is_empty() {
                return Err(nothing("query"));
            }
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            return Ok(vec![
                Figure::single(self.info(), "mean relative error of published queries", mean).as_share(),
            ]);
        }
        let original = original_sets(original)?;
        let error = frequency_error(&estimates(release, original)?, &original.data.baskets);
        Ok(error_figures(self.info(), "items", error))
    }
}

/// Supports of frequent pairs.
pub(super) struct Itemsets;

impl Measure for Itemsets {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "itemset-supports",
            title: "Supports of frequent sets",
            sentence: "How far the supports of the most frequent sets of two and three items are from the true ones.",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let published =
            release.get::<PublishedNodes>().ok_or_else(|| nothing("table of items and groups"))?;
        let original = original_sets(original)?;
        let data = &original.data;
        let least = (data.baskets.len() as u64 / 1000).max(2);
        let sets = frequent_sets(&data.baskets, 3, least, 100, progress)?;
        if sets.is_empty() {
            return Err(nothing("frequent set"));
        }
        let number_of: foldhash::HashMap<&str, usize> =
            published.labels.iter().map(|label| &**label).zip(0..).collect();
        let of_item: Vec<Vec<usize>> = (0..data.items.len() as u32)
            .map(|item| nodes_of(published, original, &number_of, item).collect())
            .collect();
        let share = |basket: &[u32], item: u32| -> f64 {
            let nodes =
                of_item[item as usize].iter().filter(|node| basket.binary_search(&(**node as u32)).is_ok());
            nodes.map(|&node| 1.0 / published.covers[node].max(1) as f64).fold(0.0, f64::max)
        };
        let (mut sum, mut largest) = (0.0, 0f64);
        for (set, truth) in &sets {
            progress.check()?;
            let baskets = published.sets.iter();
            let estimate: f64 =
                baskets.map(|basket| set.iter().map(|&item| share(basket, item)).product::<f64>()).sum();
            let error = (estimate - *truth as f64).abs() / *truth as f64;
            sum += error;
            largest = largest.max(error);
        }
        let error = SupportError {
            sets: sets.len() as u64,
            mean_relative: sum / sets.len() as f64,
            largest_relative: largest,
        };
        Ok(error_figures(self.info(), "the most frequent sets", error))
    }
}

/// Rows and queries of a log that are kept.
pub(super) struct RowsKept;

impl Measure for RowsKept {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "rows-kept",
            title: "What is left of a log",
            sentence: "How many rows and how many distinct queries are published.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let log = &original.get::<OriginalLog>().ok_or_else(|| nothing("log in the original"))?.log;
        if let Some(own) = release.get::<PublishedLog>() {
            return Ok(vec![
                Figure::compared(self.info(), "rows", log.rows() as f64, own.log.rows() as f64),
                Figure::compared(
                    self.info(),
                    "distinct queries",
                    log.texts().len() as f64,
                    own.log.texts().len() as f64,
                ),
            ]);
        }
        let own = release.get::<PublishedCounts>().ok_or_else(|| nothing("query"))?;
        let figure = Figure::compared(
            self.info(),
            "distinct queries",
            log.texts().len() as f64,
            own.queries.len() as f64,
        );
        Ok(vec![figure])
    }
}

/// What gives people away, as counts.
pub(super) struct Threats;

impl Measure for Threats {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "threats",
            title: "What gives people away",
            sentence: "People, or published queries, with numbers that look like identifiers, names, places and the like; only counted.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let log = &original.get::<OriginalLog>().ok_or_else(|| nothing("log in the original"))?.log;
        let lexicon = Lexicon::default();
        let before = detect(log, &lexicon);
        let (after, unit) = match (release.get::<PublishedLog>(), release.get::<PublishedCounts>()) {
            (Some(own), _) if own.hashed => return Err(nothing("readable query")),
            (Some(own), _) => (detect(&own.log, &lexicon), if own.sessions { "sessions" } else { "people" }),
            (None, Some(own)) => {
                // Nobody is told who asked: every query stands for itself, and visitors of a site cannot be counted.
                let texts: Vec<Box<str>> = own.queries.iter().map(|query| query.0.clone()).collect();
                let numbers: Vec<u32> = (0..texts.len() as u32).collect();
                let log = Log::new(numbers.clone(), numbers, None, None, texts, Vec::new())?;
                (detect(&log, &Lexicon { few_people: 0, ..Lexicon::default() }), "queries")
            }
            (None, None) => return Err(nothing("query")),
        };
        let both = before.found.iter().zip(&after.found);
        let figures = both.map(|(own, other)| {
            let name = format!("{}: people before, {unit} after", own.threat.title());
            Figure::compared(self.info(), name, own.people as f64, other.people as f64)
        });
        Ok(figures.collect())
    }
}
