//! The measures of graphs: each compares the release, or a sample of what fits it, with the original.

use privet_data::Progress;
use privet_kind::page::Series;
use privet_kind::{Figure, Measure, MeasureInfo, Need, Note, Reason, Unmade, Views};

use super::view::{Form, OriginalGraph, PublishedGraph, StandIn, published};
use crate::Graph;
use crate::measure::{
    clustering, communities, degree_counts, distances, distribution_distance, edges_kept, mutual_information,
    overlap, pagerank, spectrum,
};

/// All of them.
pub(super) const MEASURES: &[&dyn Measure] =
    &[&Degrees, &Distances, &Clustering, &Spectrum, &Communities, &PageRank, &Edges];

/// Samples, walks and communities are drawn with this seed.
const SEED: u64 = 1;
/// Nodes from which distances are measured.
const SOURCES: usize = 200;

/// The graph that stands for the release, and the original.
fn both<'a>(
    release: Views<'a>,
    original: Views<'a>,
    progress: &dyn Progress,
) -> Result<(&'a PublishedGraph, StandIn<'a>, &'a OriginalGraph), Unmade> {
    let release = published(release)?;
    let original = original.get::<OriginalGraph>().ok_or(Need::Original)?;
    Ok((release, release.stand_in(Some(original), SEED, progress)?, original))
}

/// A remark where figures are those of a sample.
fn remark(release: &PublishedGraph, mut figures: Vec<Figure>) -> Vec<Figure> {
    if let (Some(first), Form::Clusters(_) | Form::Degrees(_)) = (figures.first_mut(), &release.form) {
        let text = "The release holds no graph; a sample graph that fits it was measured.";
        first.notes.push(Note::of_release(text));
    }
    figures
}

struct Degrees;

static DEGREES: MeasureInfo = MeasureInfo {
    id: "degrees",
    title: "Degrees",
    sentence: "How many neighbours nodes have, and how far the distribution moved (Kolmogorov and Smirnov).",
};

impl Measure for Degrees {
    fn info(&self) -> &'static MeasureInfo {
        &DEGREES
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let (release, after, original) = both(release, original, progress)?;
        let mean = |graph: &Graph| {
            graph.degrees().iter().map(|&own| f64::from(own)).sum::<f64>() / graph.nodes().max(1) as f64
        };
        let most = |counts: &[u64]| counts.len().saturating_sub(1) as f64;
        let curve = |name: &str, counts: &[u64]| Series {
            name: name.to_owned(),
            points: (counts.iter().enumerate())
                .filter(|own| *own.1 > 0)
                .map(|(degree, &count)| (degree as f64, count as f64))
                .collect(),
        };
        let (before, now) = (degree_counts(&original.network.graph), degree_counts(&after.graph));
        let mut figures = vec![
            Figure::compared(&DEGREES, "mean degree", mean(&original.network.graph), mean(&after.graph)),
            Figure::compared(&DEGREES, "largest degree", most(&before), most(&now)),
        ];
        figures[0].curves = vec![curve("before", &before), curve("after", &now)];
        if let Some(distance) = distribution_distance(&before, &now) {
            figures.push(Figure::single(&DEGREES, "distance of the distributions", distance).as_share());
        }
        Ok(remark(release, figures))
    }
}

struct Distances;

static DISTANCES: MeasureInfo = MeasureInfo {
    id: "distances",
    title: "Distances",
    sentence: "How many steps apart nodes are that can reach each other, from some nodes drawn at random.",
};

impl Measure for Distances {
    fn info(&self) -> &'static MeasureInfo {
        &DISTANCES
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let (release, after, original) = both(release, original, progress)?;
        let before = distances(&original.network.graph, SOURCES, SEED, progress)?;
        let now = distances(&after.graph, SOURCES, SEED, progress)?;
        let (Some(mean), Some(mean_now)) = (before.mean(), now.mean()) else {
            return Err(Reason::Nothing { what: "pair of nodes that reach each other".to_owned() }.into());
        };
        let curve = |name: &str, own: &[u64]| {
            let all = own.iter().sum::<u64>().max(1) as f64;
            let points = own.iter().zip(1u32..).map(|(&count, step)| (f64::from(step), count as f64 / all));
            Series { name: name.to_owned(), points: points.collect() }
        };
        let mut figures = vec![Figure::compared(&DISTANCES, "mean distance", mean, mean_now)];
        figures[0].curves = vec![curve("before", &before.counts), curve("after", &now.counts)];
        if let (Some(own), Some(own_now)) = (before.effective_diameter(), now.effective_diameter()) {
            let name = "distance that 90 % of the pairs keep";
            figures.push(Figure::compared(&DISTANCES, name, own as f64, own_now as f64));
        }
        Ok(remark(release, figures))
    }
}

struct Clustering;

static CLUSTERING: MeasureInfo = MeasureInfo {
    id: "clustering",
    title: "Clustering",
    sentence: "How often two neighbours of a node are neighbours.",
};

impl Measure for Clustering {
    fn info(&self) -> &'static MeasureInfo {
        &CLUSTERING
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let (release, after, original) = both(release, original, progress)?;
        let (before, now) = (clustering(&original.network.graph), clustering(&after.graph));
        let figures = vec![
            Figure::compared(&CLUSTERING, "mean local clustering", before.local, now.local).as_share(),
            Figure::compared(&CLUSTERING, "transitivity", before.transitivity, now.transitivity).as_share(),
            Figure::compared(&CLUSTERING, "triangles", before.triangles as f64, now.triangles as f64),
        ];
        Ok(remark(release, figures))
    }
}

struct Spectrum;

static SPECTRUM: MeasureInfo = MeasureInfo {
    id: "spectrum",
    title: "Spectrum",
    sentence: "The largest eigenvalues of the adjacency matrix.",
};

impl Measure for Spectrum {
    fn info(&self) -> &'static MeasureInfo {
        &SPECTRUM
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        const COUNT: usize = 10;
        let (release, after, original) = both(release, original, progress)?;
        let before = spectrum(&original.network.graph, COUNT, progress)?;
        let now = spectrum(&after.graph, COUNT, progress)?;
        let (Some(&first), Some(&first_now)) = (before.first(), now.first()) else {
            return Err(Reason::Nothing { what: "eigenvalue".to_owned() }.into());
        };
        let curve = |name: &str, own: &[f64]| {
            let points = own.iter().zip(1u32..).map(|(&value, place)| (f64::from(place), value)).collect();
            Series { name: name.to_owned(), points }
        };
        let mut figures = vec![Figure::compared(&SPECTRUM, "largest eigenvalue", first, first_now)];
        figures[0].curves = vec![curve("before", &before), curve("after", &now)];
        if let (Some(&second), Some(&second_now)) = (before.get(1), now.get(1)) {
            figures.push(Figure::compared(&SPECTRUM, "second eigenvalue", second, second_now));
        }
        Ok(remark(release, figures))
    }
}

struct Communities;

static COMMUNITIES: MeasureInfo = MeasureInfo {
    id: "communities",
    title: "Communities",
    sentence: "Whether an algorithm (Louvain) finds the same communities: 100 % where it does (normalized mutual information).",
};

impl Measure for Communities {
    fn info(&self) -> &'static MeasureInfo {
        &COMMUNITIES
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let (release, after, original) = both(release, original, progress)?;
        let truth = after.truth.ok_or(Need::View)?;
        let before = communities(&original.network.graph, SEED, progress)?;
        let now = communities(&after.graph, SEED, progress)?;
        let pairs =
            before.iter().zip(&truth).filter_map(|(&own, &node)| Some((own, *now.get(node as usize)?)));
        let (one, other): (Vec<u32>, Vec<u32>) = pairs.unzip();
        let count = |own: &[u32]| own.iter().max().map_or(0.0, |&last| f64::from(last) + 1.0);
        let figures = vec![
            Figure::single(&COMMUNITIES, "mutual information", mutual_information(&one, &other)).as_share(),
            Figure::compared(&COMMUNITIES, "communities", count(&before), count(&now)),
        ];
        Ok(remark(release, figures))
    }
}

struct PageRank;

static PAGERANK: MeasureInfo = MeasureInfo {
    id: "pagerank",
    title: "Important nodes",
    sentence: "How many of the one per cent of nodes with the highest PageRank, at least ten, are the same people.",
};

impl Measure for PageRank {
    fn info(&self) -> &'static MeasureInfo {
        &PAGERANK
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let (release, after, original) = both(release, original, progress)?;
        let truth = after.truth.ok_or(Need::View)?;
        let before = pagerank(&original.network.graph, progress)?;
        let now = pagerank(&after.graph, progress)?;
        let count = (before.len() / 100).max(10);
        let shared = overlap(&before, &now, &truth, count);
        let figures =
            vec![Figure::single(&PAGERANK, format!("same among the first {count}"), shared).as_share()];
        Ok(remark(release, figures))
    }
}

struct Edges;

static EDGES: MeasureInfo = MeasureInfo {
    id: "edges",
    title: "Edges",
    sentence: "How many edges there are, and how many of the original's are published.",
};

impl Measure for Edges {
    fn info(&self) -> &'static MeasureInfo {
        &EDGES
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let (release, after, original) = both(release, original, progress)?;
        let before = &original.network.graph;
        let (all, now) = (before.edge_count() as f64, after.graph.edge_count() as f64);
        let mut figures = vec![Figure::compared(&EDGES, "edges", all, now)];
        if let (Some(truth), true) = (&after.truth, all > 0.0) {
            let kept = edges_kept(before, &after.graph, truth) as f64 / all;
            figures.push(Figure::single(&EDGES, "edges kept", kept).as_share());
        }
        Ok(remark(release, figures))
    }
}
