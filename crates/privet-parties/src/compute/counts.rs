//! Counts of combinations of values: opened from a minimum on, or with noise; by all parties, or by two that check the others.

use privet_dp::ledger::{Ledger, Request, SqliteLedger};
use privet_dp::{Epsilon, Histogram, Neighbours, Noise, People, Privacy};
use serde_json::{Value, json};

use super::{Context, JointTable, Outcome, Product, agree};
use crate::error::PartyError;
use crate::input::LocalTable;
use crate::job::Task;
use crate::mining::joint::{Joint, codes_of, cross_count};
use crate::protocol::valid_sum;
use crate::session::Session;

/// Cells of a table of counts at most.
const MOST_CELLS: usize = 1 << 24;
/// Where counts are checked: each is some hundred bytes then.
const MOST_CHECKED: usize = 1 << 17;

/// The values of a cell.
fn names(labels: &[Vec<String>], cell: usize) -> Vec<String> {
    let sizes: Vec<usize> = labels.iter().map(Vec::len).collect();
    let codes = codes_of(cell, &sizes).into_iter().zip(labels);
    codes.map(|(code, labels)| labels[code].clone()).collect()
}

impl Context<'_> {
    pub(super) fn counts(
        &self,
        session: &mut Session<'_>,
        table: &LocalTable,
        columns: &[String],
        most: u64,
    ) -> Result<Outcome, PartyError> {
        let (codes, labels) = self.coded(table, columns)?;
        let views: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
        let sizes: Vec<usize> = labels.iter().map(Vec::len).collect();
        let limit = if self.collectors().is_some() { MOST_CHECKED } else { MOST_CELLS };
        let cells = sizes.iter().try_fold(1usize, |all, own| all.checked_mul(*own));
        let Some(cells) = cells.filter(|own| *own <= limit) else {
            return Err(PartyError::Job(format!("the table of counts has more than {limit} cells")));
        };
        let own = cross_count(&views, &sizes);
        if let Some(epsilon) = &self.job.job.privacy.epsilon {
            let epsilon: Epsilon = epsilon.parse()?;
            let people = People::one_record_each(Neighbours::AddRemove);
            let noise = Histogram { people, cells }.noise(&Privacy::Pure(epsilon))?;
            self.charge(session, noise.loss())?;
            let opened = self.noisy(session, &own, most, &noise)?;
            let opened = opened.iter().enumerate();
            let list: Vec<Value> = opened
                .map(|(cell, count)| json!({ "values": names(&labels, cell), "count": count }))
                .collect();
            let (parties, whole) = (session.parties() as u32, self.honest(session));
            let (times, whose) = match self.collectors() {
                Some(_) => (2.0, "discrete Laplace of both collectors".to_owned()),
                None if whole == 1 => (f64::from(parties), "discrete Laplace of every party".to_owned()),
                None => (
                    f64::from(parties) / f64::from(whole),
                    format!("a share of every party; those of {whole} parties are discrete Laplace"),
                ),
            };
            let accuracy = noise.half_width_95_of_mean(1) * times.sqrt();
            let result = json!({
                "columns": columns, "counts": list, "noise": whose,
                "epsilon": self.job.job.privacy.epsilon, "half-width-95": accuracy,
            });
            return Ok(Outcome::new(result, self.revealed_by_noise()));
        }
        let minimum = self.job.job.privacy.minimum();
        let opened = self.exact(session, &own, most, minimum)?;
        let revealed = "which cells reach the minimum, and these counts";
        Ok(self.counts_outcome(columns, &labels, &opened, minimum, revealed))
    }

    /// Counts that were opened, and with a minimum the release of records that they are.
    pub(super) fn counts_outcome(
        &self,
        columns: &[String],
        labels: &[Vec<String>],
        opened: &[Option<u64>],
        minimum: u64,
        revealed: &'static str,
    ) -> Outcome {
        let shown = opened.iter().enumerate();
        let shown = shown.filter_map(|(cell, count)| Some((cell, count.filter(|count| *count > 0)?)));
        let records: Vec<(Vec<String>, u64)> =
            shown.map(|(cell, count)| (names(labels, cell), count)).collect();
        let list: Vec<Value> =
            records.iter().map(|(values, count)| json!({ "values": values, "count": count })).collect();
        let result = json!({ "columns": columns, "counts": list, "min-count": minimum });
        let mut outcome = Outcome::new(result, revealed);
        if minimum > 1 {
            let columns = columns.to_vec();
            outcome.product =
                Some(Product::Table(JointTable { columns, sensitive: None, k: minimum, records }));
        }
        outcome
    }

    /// The two parties that check the others, where the job names them.
    fn collectors(&self) -> Option<[usize; 2]> {
        let Task::Counts { collectors: Some([first, second]), .. } = &self.job.job.task else { return None };
        Some([self.job.party(first)?, self.job.party(second)?])
    }

    /// The parties whose noise must be enough: all but those that may collude.
    fn honest(&self, session: &Session<'_>) -> u32 {
        let colluding = self.job.job.privacy.colluding;
        colluding.map_or(1, |colluding| session.parties().saturating_sub(colluding).max(1) as u32)
    }

    fn revealed_by_noise(&self) -> &'static str {
        match self.collectors() {
            Some(_) => {
                "noisy counts alone; the promise holds against all other parties together but both collectors"
            }
            None if self.job.job.privacy.colluding.is_some() => {
                "noisy counts alone; the promise holds against as many parties together as the job says (`colluding`)"
            }
            None => "noisy counts alone; the promise holds against all other parties together",
        }
    }

    /// The counts that reach the minimum.
    fn exact(
        &self,
        session: &mut Session<'_>,
        own: &[u64],
        most: u64,
        minimum: u64,
    ) -> Result<Vec<Option<u64>>, PartyError> {
        let Some(collectors) = self.collectors() else {
            return Joint::new(session, minimum)?.open(session, own);
        };
        let shares = valid_sum::shares(session, collectors, own, most)?;
        let open = |shares: Vec<u64>| {
            let opened =
                session.among(&collectors, |session| Joint::new(session, minimum)?.open(session, &shares))?;
            // A count that is hidden is told as 0, one that is shown as one more than it is.
            let told = opened.into_iter().map(|own| own.map_or(0, |count| count.wrapping_add(1)));
            Ok::<Vec<u64>, PartyError>(told.collect())
        };
        let opened: Option<Vec<u64>> = shares.map(open).transpose()?;
        let told = valid_sum::tell(session, collectors, opened, own.len())?;
        Ok(told.into_iter().map(|count| count.checked_sub(1)).collect())
    }

    /// All counts with noise.
    fn noisy(
        &self,
        session: &mut Session<'_>,
        own: &[u64],
        most: u64,
        noise: &Noise,
    ) -> Result<Vec<i64>, PartyError> {
        let Some(collectors) = self.collectors() else {
            let honest = self.honest(session);
            return Joint::new(session, 0)?.open_noisy(session, own, noise, honest);
        };
        let shares = valid_sum::shares(session, collectors, own, most)?;
        let open = |shares: Vec<u64>| {
            let open =
                |session: &mut Session<'_>| Joint::new(session, 0)?.open_noisy(session, &shares, noise, 1);
            let opened: Result<Vec<i64>, PartyError> = session.among(&collectors, open);
            Ok::<_, PartyError>(opened?.into_iter().map(i64::cast_unsigned).collect())
        };
        let opened: Option<Vec<u64>> = shares.map(open).transpose()?;
        let told = valid_sum::tell(session, collectors, opened, own.len())?;
        Ok(told.into_iter().map(u64::cast_signed).collect())
    }

    /// Charges this party's ledger, after all parties have found that theirs suffice.
    fn charge(&self, session: &mut Session<'_>, loss: &privet_dp::Loss) -> Result<(), PartyError> {
        let party = &self.job.job.parties[self.me];
        let Some(path) = &party.ledger else {
            return Err(PartyError::Job(format!(
                "noise needs a ledger for every party: `ledger` of `{}`",
                party.name
            )));
        };
        let question = format!("privet party {}", crate::session::tls::hex(&self.job.hash));
        let path = self.job.base.join(path);
        let mut key = path.clone().into_os_string();
        key.push(".key");
        let key = std::path::PathBuf::from(key);
        let key = key.exists().then_some(key);
        let mut ledger = SqliteLedger::open_existing(&path, key.as_deref())?;
        let account = party.input.to_string_lossy();
        let request = Request::new(&account, "privet party", &question, loss)?;
        ledger.check(&request)?;
        agree(session, true, &[0; 32])?;
        ledger.charge(&request)?;
        Ok(())
    }
}
