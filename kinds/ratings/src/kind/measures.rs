//! The measures on the seam.

use privet_data::Progress;
use privet_kind::{Figure, Measure, MeasureInfo, Need, Reason, Unmade, Views};

use super::{OriginalRatings, PublishedRatings};
use crate::RatingsError;
use crate::attack::Released;
use crate::measure::{average_ratings, membership_change, prediction, statistics};

const SEED: u64 = 1;
/// The thesis does not say how many; two is what its tool, Weka, makes by default.
const CLUSTERS: u32 = 2;

fn on<'a>(release: Views<'a>, original: Views<'a>) -> Result<Released<'a>, Unmade> {
    let published =
        release.get::<PublishedRatings>().ok_or(Reason::Nothing { what: "table of ratings".to_owned() })?;
    let original = original.get::<OriginalRatings>().ok_or(Need::Original)?;
    let rows = original.row_of.as_deref().ok_or(Need::Original)?;
    Released::in_order(&original.ratings, &published.ratings, rows)
        .map_err(|error| Unmade::Failed(error.into()))
}

/// Data on which a measure is not defined is no failure of the verb.
fn undefined(error: RatingsError) -> Unmade {
    match error {
        RatingsError::Mismatch { what } => {
            Reason::Nothing { what: format!("basis for the measure ({what})") }.into()
        }
        other => Unmade::Failed(other.into()),
    }
}

pub(super) struct Queries;

impl Measure for Queries {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "average-ratings",
            title: "Average-rating queries",
            sentence: "The relative error of 100 random queries for the average rating of one item among people chosen by another.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let found = average_ratings(&on(release, original)?, 100, SEED).map_err(undefined)?;
        let info = self.info();
        Ok(vec![
            Figure::single(info, "mean relative error", found.mean).as_share(),
            Figure::single(info, "median relative error", found.median).as_share(),
            Figure::single(info, "largest relative error", found.largest).as_share(),
            Figure::single(info, "queries without an answer", f64::from(found.unanswered)),
        ])
    }
}

pub(super) struct Clusters;

impl Measure for Clusters {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "membership",
            title: "Cluster membership",
            sentence: "The share of people whose k-means cluster changes, beside other starts on the original.",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let on = on(release, original)?;
        let clusters = CLUSTERS.min(on.original.users().len() as u32);
        let found = membership_change(&on, clusters, SEED, progress).map_err(undefined)?;
        let control = found.control as f64 / found.people.max(1) as f64;
        Ok(vec![
            Figure::single(self.info(), "people in another cluster", found.ratio()).as_share(),
            Figure::single(
                self.info(),
                "people in another cluster of the original from other starts",
                control,
            )
            .as_share(),
        ])
    }
}

pub(super) struct Moments;

impl Measure for Moments {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "moments",
            title: "Centroid and spread",
            sentence: "The means and standard deviations of the published items, before and after.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let found = statistics(&on(release, original)?);
        let info = self.info();
        Ok(vec![
            Figure::compared(
                info,
                "inner product of the centroid",
                found.centroid_before,
                found.centroid_after,
            ),
            Figure::single(info, "mean shift of an item's mean", found.mean_shift),
            Figure::compared(info, "mean standard deviation of an item", found.sd_before, found.sd_after),
            Figure::compared(
                info,
                "ratings of published items",
                found.ratings_before as f64,
                found.ratings_after as f64,
            ),
            Figure::single(info, "published items that lost all ratings", f64::from(found.lost)),
        ])
    }
}

pub(super) struct Recommender;

impl Measure for Recommender {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "recommender",
            title: "Recommender trained on the release",
            sentence: "The root mean square error of an item-based neighbourhood recommender on hidden original ratings.",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let found = prediction(&on(release, original)?, SEED, progress).map_err(undefined)?;
        Ok(vec![
            Figure::compared(self.info(), "error of predictions", found.before, found.after),
            Figure::single(self.info(), "error when every item's mean is predicted", found.control),
        ])
    }
}
