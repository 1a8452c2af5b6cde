//! Private regressions (`privet_dp::Regression`): coefficients as the figures of one line.
//!
//! Guarantee: every number is moved into its declared bounds by itself, and records in which one of them is missing are left out; so what one
//! person changes is what the noise is made for. Coefficients are computed from noisy sums alone.

use privet_dp::{Bounds, DpError, Explained, Loss, Observation, People, Privacy, Regression};
use privet_measure::answer::{ExplainedBy, ModelQuestion, PrivateQuestion};

use super::declared::problem;
use super::error::QueryError;
use super::execute::{Line, Number, Released};
use super::{NoiseOf, PlannedFigure};

/// A regression, and whose bounds its numbers have.
#[derive(Debug)]
pub(super) struct Model {
    regression: Regression,
    pub question: ModelQuestion,
    /// Of what is explained, where that is a number.
    pub explained: Option<Bounds>,
    /// Of the explaining numbers.
    pub explaining: Vec<Bounds>,
}

impl Model {
    pub fn new(
        question: &PrivateQuestion,
        model: &ModelQuestion,
        people: People,
        bounds: impl Fn(&str) -> Result<Bounds, QueryError>,
        privacy: &Privacy,
    ) -> Result<Self, QueryError> {
        if !question.group_by.is_empty() || question.order.is_some() {
            return Err(problem(
                "a regression stands alone: no other figure, no `group by` and no `order by`",
            ));
        }
        let explaining = model.explaining.iter().map(|name| bounds(name)).collect::<Result<Vec<_>, _>>()?;
        let explained = match &model.explained {
            ExplainedBy::Line(name) => Some(bounds(name)?),
            ExplainedBy::LogOdds(_) => None,
        };
        let what = explained.map_or(Explained::Holds, Explained::Number);
        let regression = Regression::new(people, what, &explaining, privacy)?;
        Ok(Self { regression, question: model.clone(), explained, explaining })
    }

    pub fn loss(&self) -> &Loss {
        self.regression.loss()
    }

    pub fn noise(&self) -> &privet_dp::Noise {
        self.regression.noise()
    }

    fn names(&self) -> impl Iterator<Item = String> + '_ {
        let slopes = self.question.explaining.iter().map(|name| format!("slope of {name}"));
        std::iter::once("constant".to_owned()).chain(slopes)
    }

    pub fn planned(&self) -> Vec<PlannedFigure> {
        let noise = self.regression.noise();
        let figure = |name: String| PlannedFigure {
            name,
            noise: format!("sums of products with {noise} in millionths"),
            law: None,
            half_width_95: None,
            half_width_95_times_records: None,
            rounding: None,
            rank_error_95: None,
            rank_error_95_if_even: None,
            rounded_to: None,
            noises: vec![NoiseOf::new("all sums of products of numbers in their bounds", noise, 1e6)],
            untold: Some("how far off a coefficient is hangs on how the columns go together".to_owned()),
        };
        self.names().map(figure).collect()
    }

    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = vec![
            "The coefficients are computed from noisy sums of products of all numbers, moved into their bounds; narrow bounds mean little noise. Records \
             in which one of the numbers is missing are left out."
                .to_owned(),
        ];
        if self.explained.is_none() {
            remarks.push(
                "Log odds are fitted by the second-order expansion of the logistic loss: slopes are too small where the condition is nearly \
                 certain, and their signs and order are as they should be."
                    .to_owned(),
            );
        }
        remarks
    }

    /// The coefficients, of records whose numbers are all known.
    pub fn release(&self, records: impl IntoIterator<Item = Observation>) -> Result<Released, DpError> {
        let found = self.regression.release(records)?;
        let number = |value: f64| Number { value, half_width_95: None, rank_error_95: None };
        let numbers = std::iter::once(found.constant).chain(found.slopes).map(number).collect();
        let remarks = match found.ridge > 0.0 {
            true => vec![format!(
                "A ridge of {:.2} % of the records keeps noise from turning the sums over; it draws slopes towards 0.",
                found.ridge * 100.0
            )],
            false => Vec::new(),
        };
        Ok(Released { lines: vec![Line { group: Vec::new(), numbers }], remarks })
    }
}
