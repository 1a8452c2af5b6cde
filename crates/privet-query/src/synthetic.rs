//! Records instead of figures: Dirichlet resampling (survey ME-46) and the αβ algorithm (ME-47), over declared keys.
//!
//! Guarantee. Dirichlet: the records that are drawn are epsilon-private as a whole, for a person with up to c records; the
//! bound m/(e^(epsilon/c) − 1) on the noise of each key is the exact one for one record. αβ: the published set of
//! combinations is epsilon-private; a person with c records makes up to c combinations come or go, and when she is
//! replaced, up to 2c, so each gets that part of epsilon. It tells which combinations occur, not how often. The survey
//! says of αβ "a variant of ε-DP"; charged is the plain epsilon, which holds exactly.

use std::num::NonZeroUsize;

use privet_dp::{AlphaBeta, Dirichlet, DpError, Epsilon, Neighbours, People};
use privet_measure::answer::{Aggregate, Figure, PrivateQuestion};

use super::PlannedFigure;
use super::declared::{Flags, problem};
use super::error::QueryError;
use super::execute::{Line, Number, Released};
use super::method::Method;
use super::plan::Plan;

/// The most records that are drawn.
const MOST_RECORDS: u64 = 10_000_000;

/// How records are made.
#[derive(Debug)]
pub(super) struct Synthetic {
    kind: Kind,
    groups: usize,
}

#[derive(Debug)]
enum Kind {
    Dirichlet { dirichlet: Dirichlet, records: u64 },
    AlphaBeta(AlphaBeta),
}

impl Synthetic {
    pub fn new(
        question: &PrivateQuestion,
        people: People,
        groups: NonZeroUsize,
        epsilon: &Epsilon,
        flags: &Flags,
    ) -> Result<Self, QueryError> {
        let counts =
            matches!(&question.select[..], [only] if only.figure == Figure::Aggregate(Aggregate::Count));
        if !counts || question.group_by.is_empty() || question.order.is_some() {
            return Err(problem(
                "synthetic records are made from counts by declared keys: `select COLUMN, COLUMN, count(*) from data group by \
                 COLUMN, COLUMN`, without `order by`",
            ));
        }
        let kind = match (flags.method, flags.synthetic) {
            (None | Some(Method::Dirichlet), Some(records)) if (1..=MOST_RECORDS).contains(&records) => {
                Kind::Dirichlet { dirichlet: Dirichlet::new(people, records, epsilon)?, records }
            }
            (None | Some(Method::Dirichlet), _) => {
                return Err(problem(format!(
                    "--mechanism dirichlet needs --synthetic N, the number of records to draw, from 1 to {MOST_RECORDS}"
                )));
            }
            (Some(Method::AlphaBeta), None) => {
                let one = match people.neighbours() {
                    Neighbours::AddRemove => u64::from(people.contributions()),
                    Neighbours::ReplaceOne => 2 * u64::from(people.contributions()),
                };
                Kind::AlphaBeta(AlphaBeta::for_epsilon(&epsilon.split(one)?)?)
            }
            (Some(Method::AlphaBeta), Some(_)) => {
                return Err(problem(
                    "how many combinations alpha-beta publishes is left to chance; leave --synthetic out",
                ));
            }
            (Some(other), _) => {
                return Err(problem(format!(
                    "--synthetic goes with --mechanism dirichlet, not with {other}"
                )));
            }
        };
        Ok(Self { kind, groups: groups.get() })
    }

    pub fn planned(&self) -> PlannedFigure {
        let (name, noise) = match &self.kind {
            Kind::Dirichlet { dirichlet, .. } => (
                "synthetic records",
                format!("Dirichlet resampling, {} records of noise for each combination", dirichlet.noise()),
            ),
            Kind::AlphaBeta(own) => {
                let (keep, add) = own.probabilities();
                ("published", format!("alpha-beta: kept with probability {keep:.4}, added with {add:.4}"))
            }
        };
        let untold = match &self.kind {
            Kind::Dirichlet { .. } => {
                "drawn records are no estimate of the counts in the table; their shares are drawn towards each other, by more \
                 the fewer records the table has"
            }
            Kind::AlphaBeta(_) => {
                "a combination is published or not, and how often it occurs is not answered"
            }
        };
        PlannedFigure {
            name: name.to_owned(),
            noise,
            law: None,
            half_width_95: None,
            half_width_95_times_records: None,
            rounding: None,
            rank_error_95: None,
            rank_error_95_if_even: None,
            rounded_to: None,
            noises: Vec::new(),
            untold: Some(untold.to_owned()),
        }
    }

    pub fn remarks(&self) -> Vec<String> {
        match &self.kind {
            Kind::Dirichlet { dirichlet, records } => {
                let noise = u128::from(dirichlet.noise()) * self.groups as u128;
                vec![
                    format!(
                        "{records} records are drawn as if {noise} records of noise stood beside those of the table, {} for each \
                         of {} combinations: from a table of {noise} records, half of what is drawn is noise.",
                        dirichlet.noise(),
                        self.groups
                    ),
                    "Noise is spread evenly, so shares are drawn towards each other. Fewer records, or fewer combinations, \
                     need less of it."
                        .to_owned(),
                ]
            }
            Kind::AlphaBeta(_) => vec![
                "A combination is published or not by chance, more likely so if somebody in the table has it. How often it \
                 occurs is not told, and none of the published ones can be taken for somebody's."
                    .to_owned(),
            ],
        }
    }

    /// The records, given how many of the table's are in each group.
    pub fn release(&self, counts: &[u64], plan: &Plan) -> Result<Released, DpError> {
        let line = |group: usize, value: f64| Line {
            group: plan.labels(group),
            numbers: vec![Number { value, half_width_95: None, rank_error_95: None }],
        };
        match &self.kind {
            Kind::Dirichlet { dirichlet, .. } => {
                let points = dirichlet.release(counts)?;
                let lines = points.iter().enumerate().map(|(group, &points)| line(group, points as f64));
                Ok(Released { lines: lines.collect(), remarks: Vec::new() })
            }
            Kind::AlphaBeta(own) => {
                let present: Vec<bool> = counts.iter().map(|&count| count > 0).collect();
                let published = own.release(&present)?;
                let lines: Vec<Line> = published
                    .iter()
                    .enumerate()
                    .filter(|(_, own)| **own)
                    .map(|(group, _)| line(group, 1.0))
                    .collect();
                let (keep, add) = own.probabilities();
                let estimate = own.estimate(lines.len() as u64, self.groups as u64).to_f64().value();
                // Hoeffding's bound for independent items, or Chebyshev's with their variance, which is that of the larger.
                let items = self.groups as f64;
                let variance = (keep * (1.0 - keep)).max(add * (1.0 - add));
                let half =
                    (items * 40f64.ln() / 2.0).sqrt().min((20.0 * items * variance).sqrt()) / (keep - add);
                let remark = format!(
                    "{} of {} combinations are published. From that it is estimated that {:.1} ± {half:.1} (95 %) of them occur \
                     in the table: the published ones with a property, less {add:.4} of all with it, divided by {:.4}.",
                    lines.len(),
                    self.groups,
                    estimate,
                    keep - add
                );
                Ok(Released { lines, remarks: vec![remark] })
            }
        }
    }
}
