//! What a job may say: checked before a party connects to another.

use privet_mine::cluster::STEPS;

use super::{MOST_PARTIES, ReadJob, Task};
use crate::error::PartyError;
use crate::protocol::valid_sum::MOST;
use crate::session::tls::parse_fingerprint;

impl ReadJob {
    /// Refuses what is not possible.
    pub(super) fn check(&self) -> Result<(), PartyError> {
        let wrong = |text: String| Err(PartyError::Job(text));
        let job = &self.job;
        if !(2..=MOST_PARTIES).contains(&job.parties.len()) {
            return wrong(format!("a session has 2 to {MOST_PARTIES} parties"));
        }
        for (place, party) in job.parties.iter().enumerate() {
            if party.name.is_empty()
                || !party.name.chars().all(|own| own.is_ascii_alphanumeric() || "-_.".contains(own))
            {
                return wrong("the name of a party has letters, digits, `-`, `_` and `.`".to_owned());
            }
            if job.parties[..place]
                .iter()
                .any(|other| other.name == party.name || other.certificate == party.certificate)
            {
                return wrong("two parties have the same name or certificate".to_owned());
            }
            if parse_fingerprint(&party.certificate).is_none() {
                return wrong(format!(
                    "the certificate of `{}` is no SHA-256; `privet party keys` prints it",
                    party.name
                ));
            }
        }
        let is_vertical = self.is_vertical();
        for name in job.task.columns() {
            let Some(column) = job.columns.get(name) else {
                return wrong(format!("the column `{name}` is not declared: [columns.{name}]"));
            };
            if column.party.is_some() && !column.parties.is_empty() {
                return wrong(format!(
                    "the column `{name}` names a `party` and `parties`: one of them is enough"
                ));
            }
            if !column.parties.is_empty() && !matches!(job.task, Task::Counts { .. }) {
                return wrong(format!("the column `{name}` names `parties`, which is for counts"));
            }
            if is_vertical != (column.party.is_some() || !column.parties.is_empty()) {
                let should = if is_vertical {
                    "names no party"
                } else {
                    "names a party, and the task has no identifier"
                };
                return wrong(format!("the column `{name}` {should}"));
            }
        }
        for (name, column) in &job.columns {
            if column.party.iter().chain(&column.parties).any(|party| self.party(party).is_none()) {
                return wrong(format!("the column `{name}` names a party that does not take part"));
            }
            let is_range =
                column.range.is_some_and(|(low, high)| low < high && low.is_finite() && high.is_finite());
            if column.values.is_empty() != is_range
                || column.step.is_some_and(|step| step.is_nan() || step <= 0.0)
            {
                return wrong(format!(
                    "the column `{name}` needs either values, or a range from low to high (and a step above 0)"
                ));
            }
            if column.decimals > 6 {
                return wrong(format!("the column `{name}` has more than 6 decimals"));
            }
        }
        self.check_task()
    }

    fn check_task(&self) -> Result<(), PartyError> {
        let wrong = |text: String| Err(PartyError::Job(text));
        let job = &self.job;
        if let Task::Counts { collectors: Some(collectors), most, .. } = &job.task {
            self.check_collectors(collectors, *most)?;
        }
        if matches!(job.task, Task::Counts { identifier: Some(_), .. }) {
            self.sides()?;
        }
        match &job.task {
            Task::Counts { identifier: Some(_), collectors, .. }
                if collectors.is_some() || job.privacy.epsilon.is_some() =>
            {
                wrong("counts with an `identifier` take neither `collectors` nor `epsilon`".to_owned())
            }
            Task::Rules { support: 0, .. } | Task::Table { k: 0, .. } => {
                wrong("a support and a k are at least 1".to_owned())
            }
            Task::Clusters { clusters, rounds, .. } if !(2..=64).contains(clusters) || *rounds == 0 => {
                wrong("there are 2 to 64 clusters, and at least one round".to_owned())
            }
            Task::Counts { collectors: None, most: Some(_), .. } => {
                wrong("`most` bounds what `collectors` check, and the job names none".to_owned())
            }
            Task::Clusters { columns, .. } if columns.iter().any(|own| self.has_wide_grid(own)) => wrong(
                "a column of clusters has at most 2^20 steps from its lowest to its highest value".to_owned(),
            ),
            Task::Intersection { sum: Some(_), .. } if job.parties.len() != 2 => {
                wrong("a sum over an intersection is between two parties".to_owned())
            }
            _ if job.adversary.max_risk.is_some() && !self.makes_release() => wrong(
                "`max-risk` is for results that are a release: tables, models, and counts with a `min-count`"
                    .to_owned(),
            ),
            Task::Counts { collectors, .. }
                if job.privacy.colluding.is_some_and(|own| {
                    !(1..job.parties.len()).contains(&own) || collectors.is_some() || job.privacy.epsilon.is_none()
                }) =>
            {
                wrong(
                    "`colluding` is for counts with `epsilon` and without collectors, from 1 to one less than there are parties".to_owned(),
                )
            }
            _ if job.privacy.colluding.is_some() && !matches!(job.task, Task::Counts { .. }) => {
                wrong("`colluding` is for counts with noise".to_owned())
            }
            _ if job.privacy.epsilon.is_some() && !matches!(job.task, Task::Counts { .. }) => {
                wrong("noise (`epsilon`) is for counts".to_owned())
            }
            _ if !self.makes_release() && !job.privacy.without_release => wrong(
                "the result is no release, so no gate judges it: noisy counts, counts with a `min-count` below 2, correlations, intersections \
                 and unions need `without-release = true` under [privacy]"
                    .to_owned(),
            ),
            _ if self.makes_release() && job.privacy.without_release => {
                wrong("`without-release` is for results that are none; this result is a release".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Whether the result is a release of an existing kind, which attacks of the gate are tried on.
    fn makes_release(&self) -> bool {
        let privacy = &self.job.privacy;
        match &self.job.task {
            Task::Counts { .. } => privacy.minimum() > 1 && privacy.epsilon.is_none(),
            Task::Table { .. }
            | Task::NaiveBayes { .. }
            | Task::Tree { .. }
            | Task::Clusters { .. }
            | Task::Rules { .. } => true,
            Task::Correlation { .. } | Task::Intersection { .. } | Task::Union { .. } => false,
        }
    }

    fn check_collectors(&self, collectors: &[String; 2], most: Option<u64>) -> Result<(), PartyError> {
        let wrong = |text: &str| Err(PartyError::Job(text.to_owned()));
        if collectors[0] == collectors[1] || collectors.iter().any(|own| self.party(own).is_none()) {
            return wrong("`collectors` are two of the job's parties");
        }
        if self.job.parties.len() < 3 {
            return wrong("collectors check other parties, so there are at least three");
        }
        match most {
            Some(most) if (1..=MOST).contains(&most) => Ok(()),
            Some(_) => wrong("`most` is from 1 to 2^26"),
            None => wrong("collectors need `most`: the most people that a party may have in a cell"),
        }
    }

    fn has_wide_grid(&self, column: &str) -> bool {
        self.job.columns.get(column).is_some_and(|own| crate::input::units(own) > u64::from(STEPS))
    }
}
