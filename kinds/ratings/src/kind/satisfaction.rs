//! The measure `satisfaction`: which k, epsilon and l the ratings have as they are, and which the release has (thesis 2.19 to 2.23).

use privet_data::Progress;
use privet_kind::{Figure, Measure, MeasureInfo, Need, Note, Reason, Unmade, Views};

use super::folder::Stated;
use super::{OriginalRatings, PublishedRatings};
use crate::{
    Model, NullRule, RatingsError, Search, Semantics, Survey, largest_k, smallest_epsilon,
    smallest_epsilon_for_l, survey,
};

/// Above so many users a search over all epsilons takes too long.
const MOST_USERS: u64 = 5_000;
/// The k and the epsilon, in steps of the scale, that are asked about where nothing is promised: those of a job that states none.
const USUAL: (u64, f64) = (10, 1.0);

pub(super) struct Satisfaction;

impl Measure for Satisfaction {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "satisfaction",
            title: "What the ratings satisfy",
            sentence: "The largest k for the promised epsilon, the smallest epsilon for the promised k, and the smallest epsilon for the promised l, of the published items before and after.",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Views<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Figure>, Unmade> {
        let nothing = || Reason::Nothing { what: "table of ratings".to_owned() };
        let published = release.get::<PublishedRatings>().ok_or_else(nothing)?;
        let original = &original.get::<OriginalRatings>().ok_or(Need::Original)?.ratings;
        let users = original.users().len() as u64;
        if users > MOST_USERS {
            return Err(Reason::TooLarge { what: "The number of users".to_owned(), most: MOST_USERS }.into());
        }
        let rule = match published.body.publication {
            Stated::Proximity { null_rule, .. } => null_rule,
            Stated::Pseudonyms {} => NullRule::Literal,
        };
        let usual = Model::new(USUAL.0.min(users), USUAL.1 * original.scale().step());
        let asked = published.model.unwrap_or(usual);
        let before = survey(original, rule).map_err(undefined)?;
        let after = survey(&published.ratings, NullRule::Literal).map_err(undefined)?;
        let mut figures = Vec::new();
        for (semantics, word) in
            [(Semantics::Partition, "groups"), (Semantics::Neighbourhood, "neighbourhoods")]
        {
            let of = |own: &Survey| largest_k(own, asked.epsilon, semantics, progress).map_err(undefined);
            let name = format!("largest k for epsilon {}, {word}", asked.epsilon);
            let (before, after) = (of(&before)?.k as f64, of(&after)?.k as f64);
            figures.push(Figure::compared(self.info(), name, before, after));
        }
        let epsilon = |own: &Survey| smallest_epsilon(own, asked.k, asked.semantics, Search::Scan, progress);
        let name = format!("smallest epsilon for k = {}", asked.k);
        self.compare(&mut figures, name, [&before, &after], &epsilon)?;
        if asked.l > 0.0 {
            let epsilon =
                |own: &Survey| smallest_epsilon_for_l(own, asked.l, asked.semantics, Search::Scan, progress);
            let name = format!("smallest epsilon for l = {}", asked.l);
            self.compare(&mut figures, name, [&before, &after], &epsilon)?;
        }
        if published.model.is_none() {
            let text = "The release promises neither k nor epsilon; those of a job that states none were asked about.";
            figures[0].notes.push(Note::of_release(text));
        }
        Ok(figures)
    }
}

type Found = Result<Option<crate::Answer>, RatingsError>;

impl Satisfaction {
    /// The epsilon before and after. Where no epsilon of the scale is enough, nothing is compared and a remark says so.
    fn compare(
        &self,
        figures: &mut Vec<Figure>,
        name: String,
        [before, after]: [&Survey; 2],
        search: &dyn Fn(&Survey) -> Found,
    ) -> Result<(), Unmade> {
        let of = |own: &Survey| search(own).map(|own| own.map(|own| own.epsilon)).map_err(undefined);
        match (of(before)?, of(after)?) {
            (Some(before), Some(after)) => figures.push(Figure::compared(self.info(), name, before, after)),
            (None, Some(after)) => {
                let mut figure = Figure::single(self.info(), name, after);
                figure.notes.push(Note::of_original("No epsilon of the scale is enough for the original."));
                figures.push(figure);
            }
            // Only a release without the promise: there is no figure to show.
            (_, None) => {}
        }
        Ok(())
    }
}

/// Ratings on which a question is not defined are no failure of the verb.
fn undefined(error: RatingsError) -> Unmade {
    match error {
        RatingsError::Cancelled(stopped) => stopped.into(),
        _ => Reason::Nothing { what: "basis for judging the ratings".to_owned() }.into(),
    }
}
