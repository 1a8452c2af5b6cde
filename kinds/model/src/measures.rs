//! What a published model is good for.

use privet_data::Progress;
use privet_kind::{Figure, Measure, MeasureInfo, Note, Reason, Unmade, Views};
use privet_mine::tree::{GrowOptions, grow};

use crate::{OriginalModel, PublishedModel};

pub(crate) const MEASURES: &[&dyn Measure] = &[&Error, &Spans, &Spread];

fn nothing(what: &str) -> Unmade {
    Reason::Nothing { what: what.to_owned() }.into()
}

/// How often the class is predicted wrongly, beside a tree without protection.
struct Error;

const ERROR: MeasureInfo = MeasureInfo {
    id: "error",
    title: "Classification error",
    sentence: "How many records get a wrong class, beside a tree over the same records without protection.",
};

impl Measure for Error {
    fn info(&self) -> &'static MeasureInfo {
        &ERROR
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (Some(PublishedModel::Tree(own)), Some(OriginalModel::Tree(records))) =
            (release.get(), original.get())
        else {
            return Err(nothing("decision tree"));
        };
        let free = grow(records, &GrowOptions::k_anonymous(1)).map_err(crate::error::told)?;
        let before = free.release.predictor().error(records);
        let mut figure = Figure::compared(&ERROR, "error", before, own.predictor().error(records)).as_share();
        let text = "Both errors are on the records that the trees were learned from; the tree without protection fits them too closely.";
        figure.notes.push(Note::of_original(text));
        let counts = records.class_counts();
        let most = counts.iter().max().copied().unwrap_or(0);
        let majority = 1.0 - most as f64 / records.len() as f64;
        let trivial = Figure::single(&ERROR, "error of always taking the most frequent class", majority);
        Ok(vec![figure, trivial.as_share()])
    }
}

/// Metrics over spans: people exposed, CM, discernibility.
struct Spans;

const SPANS: MeasureInfo = MeasureInfo {
    id: "spans",
    title: "Spans",
    sentence: "The people in spans of one class, the classification metric CM and discernibility over spans.",
};

impl Measure for Spans {
    fn info(&self) -> &'static MeasureInfo {
        &SPANS
    }

    fn run(&self, release: Views<'_>, _: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let model: &PublishedModel = release.get().ok_or_else(|| nothing("model"))?;
        let sizes: Vec<u64> = match model {
            PublishedModel::Tree(own) => own.spans.iter().map(|span| span.records()).collect(),
            PublishedModel::Clusters(own) => own.spans.iter().map(|span| span.records()).collect(),
            PublishedModel::Rules(own) => own.spans.iter().map(|span| span.records).collect(),
            PublishedModel::Bayes(_) => return Err(nothing("span")),
        };
        let discernibility = sizes.iter().map(|&size| (size as f64).powi(2)).sum();
        let mut figures = vec![
            Figure::single(&SPANS, "spans", sizes.len() as f64),
            Figure::single(&SPANS, "discernibility", discernibility),
        ];
        if let PublishedModel::Tree(own) = model {
            let verdict =
                own.verify().map_err(|error| privet_kind::KindError::bad_input(error.to_string()))?;
            let exposed = verdict.exposed as f64 / own.records as f64;
            figures.push(Figure::single(&SPANS, "exposed", exposed).as_share());
            figures.push(Figure::single(&SPANS, "classification metric CM", own.minority() as f64));
        }
        Ok(figures)
    }
}

/// How near points are to their centroids.
struct Spread;

const SPREAD: MeasureInfo = MeasureInfo {
    id: "spread",
    title: "Spread",
    sentence: "The distances of points to their centroids, as a share of those to a single centroid.",
};

impl Measure for Spread {
    fn info(&self) -> &'static MeasureInfo {
        &SPREAD
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (Some(PublishedModel::Clusters(own)), Some(OriginalModel::Clusters(points))) =
            (release.get(), original.get())
        else {
            return Err(nothing("clustering"));
        };
        let many = own.spread(points, &own.centroids);
        let one = own.spread(points, &own.single_centroid(points));
        if one == 0.0 {
            return Err(nothing("difference between points"));
        }
        Ok(vec![Figure::single(&SPREAD, "spread that is left", many / one).as_share()])
    }
}
