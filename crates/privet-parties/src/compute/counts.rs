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
        let names = |cell: usize| -> Vec<String> {
            let codes = codes_of(cell, &sizes).into_iter().zip(&labels);
            codes.map(|(code, labels)| labels[code].clone()).collect()
        };
        let list = |opened: &[(usize, i64)]| -> Vec<Value> {
            opened.iter().map(|&(cell, count)| json!({ "values": names(cell), "count": count })).collect()
        };
        if let Some(epsilon) = &self.job.job.privacy.epsilon {
            let epsilon: Epsilon = epsilon.parse()?;
            let people = People::one_record_each(Neighbours::AddRemove);
            let noise = Histogram { people, cells }.noise(&Privacy::Pure(epsilon))?;
            self.charge(session, noise.loss())?;
            let opened = self.noisy(session, &own, most, &noise)?;
            let opened: Vec<(usize, i64)> = opened.into_iter().enumerate().collect();
            let (adding, whose) = match self.collectors() {
                Some(_) => (2, "discrete Laplace of both collectors"),
                None => (session.parties(), "discrete Laplace of every party"),
            };
            let accuracy = noise.half_width_95_of_mean(1) * (adding as f64).sqrt();
            let result = json!({
                "columns": columns, "counts": list(&opened), "noise": whose,
                "epsilon": self.job.job.privacy.epsilon, "half-width-95": accuracy,
            });
            return Ok(Outcome::new(result, self.revealed_by_noise()));
        }
        let minimum = self.job.job.privacy.min_count;
        let opened = self.exact(session, &own, most, minimum)?;
        let shown: Vec<(usize, i64)> = opened
            .iter()
            .enumerate()
            .filter_map(|(cell, count)| Some((cell, count.filter(|count| *count > 0)?.cast_signed())))
            .collect();
        let result = json!({ "columns": columns, "counts": list(&shown), "min-count": minimum });
        let mut outcome = Outcome::new(result, "which cells reach the minimum, and these counts");
        if minimum > 1 {
            let records = shown.iter().map(|&(cell, count)| (names(cell), count.cast_unsigned())).collect();
            let columns = columns.to_vec();
            outcome.product =
                Some(Product::Table(JointTable { columns, sensitive: None, k: minimum, records }));
        }
        Ok(outcome)
    }

    /// The two parties that check the others, where the job names them.
    fn collectors(&self) -> Option<[usize; 2]> {
        let Task::Counts { collectors: Some([first, second]), .. } = &self.job.job.task else { return None };
        Some([self.job.party(first)?, self.job.party(second)?])
    }

    fn revealed_by_noise(&self) -> &'static str {
        match self.collectors() {
            Some(_) => {
                "noisy counts alone; the promise holds against all other parties together but both collectors"
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
            return Joint::new(session, 0)?.open_noisy(session, own, noise);
        };
        let shares = valid_sum::shares(session, collectors, own, most)?;
        let open = |shares: Vec<u64>| {
            let open =
                |session: &mut Session<'_>| Joint::new(session, 0)?.open_noisy(session, &shares, noise);
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
