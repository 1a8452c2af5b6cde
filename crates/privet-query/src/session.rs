//! Several counting questions for one charge (`--mechanism sulq`; survey ME-32, `privet_dp::Sulq`).
//!
//! Guarantee: all answers together are private at the cost of the session. With a delta the noise of each grows with
//! the root of the number of questions, where questions that are asked one by one at the same total would need noise
//! that grows with their number. The session is asked at once, so that no open session has to be kept beside the
//! ledger: who wants to ask on later opens another one.

use privet_dp::{DpError, Loss, People, Privacy, Sulq};
use privet_measure::answer::{Aggregate, Figure, PrivateQuestion};

use super::declared::problem;
use super::error::QueryError;
use super::execute::{Line, Number, Released};
use super::{Law, NoiseOf, PlannedFigure};

/// Questions.
#[derive(Debug)]
pub(super) struct Session {
    pub questions: Vec<PrivateQuestion>,
    /// As it is before anything is asked.
    session: Sulq,
    /// How far off answers would be with the other noise, where a delta leaves the choice.
    otherwise: Option<f64>,
}

impl Session {
    pub fn new(text: &str, people: People, privacy: &Privacy) -> Result<Self, QueryError> {
        let questions = PrivateQuestion::parse_several(text)?;
        let is_count =
            |figure: &Figure| matches!(figure, Figure::Aggregate(Aggregate::Count | Aggregate::CountOf(_)));
        let counts = questions
            .iter()
            .all(|own| own.group_by.is_empty() && own.select.iter().all(|output| is_count(&output.figure)));
        if !counts {
            return Err(problem(
                "--mechanism sulq answers counts without `group by`, separated by semicolons: `select count(*) from data where \
                 …; select count(*) from data where …`",
            ));
        }
        let figures: usize = questions.iter().map(|own| own.select.len()).sum();
        let session = Sulq::new(people, figures as u64, privacy)?;
        let (session, otherwise) = match privacy {
            Privacy::Pure(_) | Privacy::Concentrated(_) => (session, None),
            Privacy::Approximate(epsilon, _) | Privacy::Probabilistic(epsilon, _) => {
                let pure = Sulq::new(people, figures as u64, &Privacy::Pure(epsilon.clone()))?;
                let widths = [&session, &pure].map(|own| own.accuracy().half_width_95);
                // The probabilistic form is asked for by name.
                match (privacy, widths) {
                    (Privacy::Approximate(..), [own, pure_width]) if pure_width <= own => (pure, Some(own)),
                    (_, [_, pure_width]) => (session, Some(pure_width)),
                }
            }
        };
        Ok(Self { questions, session, otherwise })
    }

    /// The first question; there is at least one.
    pub fn first(&self) -> &PrivateQuestion {
        &self.questions[0] // why: `parse_several` gives at least one
    }

    pub fn noise(&self) -> &privet_dp::Noise {
        self.session.noise()
    }

    pub fn loss(&self) -> &Loss {
        self.session.loss()
    }

    fn figures(&self) -> usize {
        self.questions.iter().map(|own| own.select.len()).sum()
    }

    pub fn columns(&self) -> Vec<String> {
        let mut columns = Vec::new();
        for question in &self.questions {
            columns.extend(question.select.iter().filter_map(|own| own.figure.column().map(str::to_owned)));
            question.filter.for_each_test(&mut |test| columns.push(test.column.clone()));
        }
        columns
    }

    pub fn planned(&self) -> Vec<PlannedFigure> {
        let outputs = self.questions.iter().flat_map(|own| &own.select).enumerate();
        let one = |(place, name): (usize, &str)| PlannedFigure {
            name: format!("{}. {name}", place + 1),
            noise: self.session.noise().to_string(),
            law: Some(Law::of(self.session.noise(), 1.0)),
            half_width_95: Some(self.session.accuracy().half_width_95),
            half_width_95_times_records: None,
            rounding: None,
            rank_error_95: None,
            rank_error_95_if_even: None,
            rounded_to: None,
            noises: vec![NoiseOf::new("all counts of the session", self.session.noise(), 1.0)],
            untold: None,
        };
        outputs.map(|(place, own)| one((place, own.name.as_str()))).collect()
    }

    pub fn remark(&self) -> String {
        let grows = match self.otherwise {
            Some(other) if !self.session.noise().is_gaussian() => format!(
                "their number. So few do better without the delta, with which they would be ± {other}; it is not spent"
            ),
            Some(pure) => format!("the root of their number; without the delta they would be ± {pure}"),
            None => "their number. With a --delta it grows with the root of it only, which helps where they are many"
                .to_owned(),
        };
        format!("{} counts are answered for one charge; their noise grows with {grows}.", self.figures())
    }

    /// Noisy counts, given the exact ones.
    pub fn release(&self, counts: &[u64]) -> Result<Released, DpError> {
        let mut session = self.session.again();
        let half = session.accuracy().half_width_95;
        let mut number = |&count: &u64| {
            let value = session.answer(count)? as f64;
            Ok(Number { value, half_width_95: Some(half), rank_error_95: None })
        };
        let numbers = counts.iter().map(&mut number).collect::<Result<_, DpError>>()?;
        Ok(Released { lines: vec![Line { group: Vec::new(), numbers }], remarks: Vec::new() })
    }
}
