//! Counts over all parties, opened only where they are large enough, or with noise of every party.
//!
//! # What is revealed
//! With a minimum: which counts reach it (by [`crate::protocol::compare`]), and these counts (by [`crate::protocol::sum`]); of the others,
//! nothing. With noise: noisy counts only. Of n parties, up to t may collude: every party adds a share of the noise such that the shares of
//! n − t parties are the whole noise. So the guarantee holds against any t parties together and whoever reads the result, and the variance is
//! n/(n − t) times that of one owner of all records. With t = n − 1 every party adds the whole noise.

use privet_dp::Noise;

use crate::error::PartyError;
use crate::protocol::compare::{self, Width};
use crate::protocol::extension::Transfers;
use crate::protocol::sum::Sums;
use crate::session::Session;

/// What counts are opened with.
#[derive(Debug)]
pub struct Joint {
    /// Secure sums.
    pub sums: Sums,
    transfers: Option<Transfers>,
    minimum: u64,
}

impl Joint {
    /// Prepares; counts below the minimum will not be opened.
    ///
    /// # Errors
    /// When the session fails.
    pub fn new(session: &mut Session<'_>, minimum: u64) -> Result<Self, PartyError> {
        let sums = Sums::new(session)?;
        let transfers = if minimum > 1 { Some(Transfers::new(session)?) } else { None };
        Ok(Self { sums, transfers, minimum })
    }

    /// The minimum.
    pub fn minimum(&self) -> u64 {
        self.minimum
    }

    /// Oblivious transfers with all others; prepared when they are needed first.
    ///
    /// # Errors
    /// When the session fails.
    pub fn transfers(&mut self, session: &mut Session<'_>) -> Result<&mut Transfers, PartyError> {
        let made = match self.transfers.take() {
            Some(made) => made,
            None => Transfers::new(session)?,
        };
        Ok(self.transfers.insert(made))
    }

    /// The sums of all parties' counts that reach the minimum.
    ///
    /// # Errors
    /// When the session fails.
    pub fn open(
        &mut self,
        session: &mut Session<'_>,
        counts: &[u64],
    ) -> Result<Vec<Option<u64>>, PartyError> {
        self.open_from(session, counts, self.minimum)
    }

    /// The same with another minimum.
    ///
    /// # Errors
    /// When the session fails.
    pub fn open_from(
        &mut self,
        session: &mut Session<'_>,
        counts: &[u64],
        minimum: u64,
    ) -> Result<Vec<Option<u64>>, PartyError> {
        if minimum <= 1 {
            return Ok(self.sums.sum(session, counts)?.into_iter().map(Some).collect());
        }
        let reached = self.reached(session, counts, minimum)?;
        let chosen = |(count, reached): (&u64, &bool)| reached.then_some(*count);
        let chosen: Vec<u64> = counts.iter().zip(&reached).filter_map(chosen).collect();
        let mut opened = self.sums.sum(session, &chosen)?.into_iter();
        Ok(reached.into_iter().map(|reached| if reached { opened.next() } else { None }).collect())
    }

    /// Which sums of counts reach a minimum; the sums stay hidden.
    ///
    /// # Errors
    /// When the session fails.
    pub fn reached(
        &mut self,
        session: &mut Session<'_>,
        counts: &[u64],
        minimum: u64,
    ) -> Result<Vec<bool>, PartyError> {
        let transfers = self.transfers(session)?;
        compare::at_least(session, transfers, counts, minimum, Width::Bits32)
    }

    /// Which sums of counts are above 0 and below the minimum.
    ///
    /// # Errors
    /// When the session fails.
    pub fn small(&mut self, session: &mut Session<'_>, counts: &[u64]) -> Result<Vec<bool>, PartyError> {
        let minimum = self.minimum;
        if minimum <= 1 {
            return Ok(vec![false; counts.len()]);
        }
        let transfers = self.transfers(session)?;
        compare::small(session, transfers, counts, minimum, Width::Bits32)
    }

    /// The sums of all parties' counts, each with the noise of every party: the noise of `share_of` parties is the whole.
    ///
    /// # Errors
    /// When the session fails or noise cannot be drawn.
    pub fn open_noisy(
        &mut self,
        session: &mut Session<'_>,
        counts: &[u64],
        noise: &Noise,
        share_of: u32,
    ) -> Result<Vec<i64>, PartyError> {
        // Counts may be shares, which are any numbers modulo 2^64.
        let drawn = match share_of {
            0 | 1 => noise.add_to_all(&vec![0; counts.len()])?,
            several => noise.shares(counts.len(), several)?,
        };
        let noisy: Vec<i64> =
            counts.iter().zip(drawn).map(|(count, drawn)| count.cast_signed().wrapping_add(drawn)).collect();
        self.sums.sum_signed(session, &noisy)
    }
}

/// Counts of records by several columns of codes, the last column varying fastest. Codes beyond the sizes count nowhere.
pub fn cross_count(columns: &[&[u32]], sizes: &[usize]) -> Vec<u64> {
    let mut counts = vec![0; sizes.iter().product()];
    let records = columns.first().map_or(0, |column| column.len());
    'records: for record in 0..records {
        let mut cell = 0;
        for (column, &size) in columns.iter().zip(sizes) {
            let code = column[record] as usize;
            if code >= size {
                continue 'records;
            }
            cell = cell * size + code;
        }
        counts[cell] += 1;
    }
    counts
}

/// The codes of a cell.
pub fn codes_of(mut cell: usize, sizes: &[usize]) -> Vec<usize> {
    let mut codes = vec![0; sizes.len()];
    for (code, size) in codes.iter_mut().zip(sizes).rev() {
        (*code, cell) = (cell % size, cell / size);
    }
    codes
}

#[cfg(test)]
mod tests {
    use privet_dp::{Epsilon, Histogram, Neighbours, People, Privacy};
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]
        #[test]
        fn counts_are_opened_where_one_owner_would_open_them(
            counts in (2usize..4, 1usize..9).prop_flat_map(|(parties, cells)| {
                proptest::collection::vec(proptest::collection::vec(0u64..12, cells), parties)
            }),
            minimum in 0u64..20,
        ) {
            let all: Vec<u64> = (0..counts[0].len()).map(|cell| counts.iter().map(|own| own[cell]).sum()).collect();
            let expected: Vec<Option<u64>> =
                all.iter().map(|&count| (minimum <= 1 || count >= minimum).then_some(count)).collect();
            let small: Vec<bool> = all.iter().map(|&count| count > 0 && count < minimum).collect();
            let results = run_local(counts.len(), |session| {
                let mut joint = Joint::new(session, minimum)?;
                let own = &counts[session.me()];
                Ok((joint.open(session, own)?, joint.small(session, own)?))
            });
            for result in results {
                prop_assert_eq!(result.unwrap(), (expected.clone(), small.clone()));
            }
        }
    }

    #[test]
    fn only_counts_that_reach_the_minimum_are_opened() {
        let counts = [[0u64, 1, 3, 10], [0, 1, 2, 0], [0, 2, 0, 7]];
        let results = run_local(3, |session| {
            let mut joint = Joint::new(session, 5)?;
            let own = &counts[session.me()];
            Ok((joint.open(session, own)?, joint.small(session, own)?))
        });
        for result in results {
            let expected = (vec![None, None, Some(5), Some(17)], vec![false, true, false, false]);
            assert_eq!(result.unwrap(), expected);
        }
    }

    /// False alarms: the mean of 2,000 cells of variance 3·2·10² is more than 6 standard deviations off in fewer than one of 10^8 runs.
    #[test]
    fn every_party_adds_its_noise() {
        let privacy = Privacy::Pure("0.1".parse::<Epsilon>().unwrap());
        let people = People::one_record_each(Neighbours::AddRemove);
        let noise = Histogram { people, cells: 2000 }.noise(&privacy).unwrap();
        let results = run_local(3, |session| {
            Joint::new(session, 0)?.open_noisy(session, &vec![session.me() as u64; 2000], &noise, 1)
        });
        let noisy = results[0].as_ref().unwrap();
        assert!(results.iter().all(|own| own.as_ref().unwrap() == noisy));
        let mean = noisy.iter().sum::<i64>() as f64 / 2000.0;
        assert!((mean - 3.0).abs() < 6.0 * (600.0f64 / 2000.0).sqrt(), "{mean}");
        let variance = noisy.iter().map(|own| (*own as f64 - 3.0).powi(2)).sum::<f64>() / 2000.0;
        assert!((400.0..900.0).contains(&variance), "{variance}");
    }

    /// Shares of two of three parties are the whole: the variance is 3/2 of 2·10². False alarms: as above; the variance of 2,000 cells lies
    /// outside of these limits in fewer than one of 10^6 runs.
    #[test]
    fn shares_of_noise_cost_less_than_whole_noise() {
        let privacy = Privacy::Pure("0.1".parse::<Epsilon>().unwrap());
        let people = People::one_record_each(Neighbours::AddRemove);
        let noise = Histogram { people, cells: 2000 }.noise(&privacy).unwrap();
        let results = run_local(3, |session| {
            Joint::new(session, 0)?.open_noisy(session, &vec![session.me() as u64; 2000], &noise, 2)
        });
        let noisy = results[0].as_ref().unwrap();
        let variance = noisy.iter().map(|own| (*own as f64 - 3.0).powi(2)).sum::<f64>() / 2000.0;
        assert!((200.0..420.0).contains(&variance), "{variance}");
    }

    #[test]
    fn cells_are_counted_and_named() {
        let columns: [&[u32]; 2] = [&[0, 1, 1, 9], &[2, 0, 0, 0]];
        let counts = cross_count(&columns, &[2, 3]);
        assert_eq!(counts, [0, 0, 1, 2, 0, 0]);
        assert_eq!(codes_of(3, &[2, 3]), [1, 0]);
    }
}
