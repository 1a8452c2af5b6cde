//! Secure sum: everybody learns the sum of all parties' vectors, and nobody more (papers T-AL12, the share-splitting form).
//!
//! Each pair of parties shares a seed. A party adds the stream of every seed that it shares with a later party and subtracts those that it
//! shares with an earlier one; in the sum all streams cancel out.
//!
//! # Security
//! Semi-honest parties; AES as a pseudo-random permutation. Of n parties, up to n − 2 may collude and learn nothing of the other two but the
//! sum of their vectors, which follows from the result and their own input anyway. With two parties the sum tells each the other's vector:
//! no protocol can prevent that. Everybody gets the same result; a party that leaves before its message ends the session without one.

use zeroize::{Zeroize, Zeroizing};

use crate::error::PartyError;
use crate::random::{self, Generator};
use crate::session::Session;
use crate::session::wire::Tag;

/// The seeds that this party shares with every other.
pub struct Sums {
    streams: Vec<Option<Generator>>,
}

impl std::fmt::Debug for Sums {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sums")
    }
}

impl Sums {
    /// Agrees on seeds.
    ///
    /// # Errors
    /// When the session fails.
    pub fn new(session: &mut Session<'_>) -> Result<Self, PartyError> {
        let mut streams: Vec<Option<Generator>> = (0..session.parties()).map(|_| None).collect();
        for other in session.others() {
            if session.me() < other {
                let mut seed: random::Seed = random::array()?;
                session.send(other, Tag::PairSeed, &seed)?;
                streams[other] = Some(Generator::new(seed));
                seed.zeroize();
            }
        }
        for other in session.others().filter(|&other| other < session.me()).collect::<Vec<usize>>() {
            let message = Zeroizing::new(session.receive_exactly(other, Tag::PairSeed, 16)?);
            let mut seed: random::Seed = session.parse(other, &message, |reader| reader.array())?;
            streams[other] = Some(Generator::new(seed));
            seed.zeroize();
        }
        Ok(Self { streams })
    }

    /// This party's vector under its masks.
    fn masked(&mut self, me: usize, values: &[u64]) -> Vec<u64> {
        let mut masked = values.to_vec();
        for (other, stream) in self.streams.iter_mut().enumerate() {
            let Some(stream) = stream else { continue };
            let mut mask = stream.u64s(values.len());
            let add = |value: &mut u64, mask: &u64| {
                *value = if me < other { value.wrapping_add(*mask) } else { value.wrapping_sub(*mask) };
            };
            masked.iter_mut().zip(&mask).for_each(|(value, mask)| add(value, mask));
            mask.zeroize();
        }
        masked
    }

    /// The sums of all parties' vectors, modulo 2^64.
    ///
    /// # Errors
    /// When the session fails.
    pub fn sum(&mut self, session: &mut Session<'_>, values: &[u64]) -> Result<Vec<u64>, PartyError> {
        let mut total = self.masked(session.me(), values);
        session.broadcast(Tag::MaskedSum, &crate::session::wire::u64s(&total))?;
        for other in session.others() {
            let theirs = session.receive_u64s(other, Tag::MaskedSum, values.len())?;
            total.iter_mut().zip(theirs).for_each(|(sum, own)| *sum = sum.wrapping_add(own));
        }
        Ok(total)
    }

    /// The same of numbers that may be negative.
    ///
    /// # Errors
    /// When the session fails.
    pub fn sum_signed(&mut self, session: &mut Session<'_>, values: &[i64]) -> Result<Vec<i64>, PartyError> {
        let values: Vec<u64> = values.iter().map(|value| value.cast_unsigned()).collect();
        Ok(self.sum(session, &values)?.into_iter().map(u64::cast_signed).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn the_sum_is_that_of_all_vectors(
            vectors in (2usize..5).prop_flat_map(|parties| {
                proptest::collection::vec(proptest::collection::vec(any::<i64>(), 7), parties)
            }),
        ) {
            let results = run_local(vectors.len(), |session| {
                let mut sums = Sums::new(session)?;
                let own = &vectors[session.me()];
                Ok([sums.sum_signed(session, own)?, sums.sum_signed(session, own)?])
            });
            let expected: Vec<i64> =
                (0..7).map(|place| vectors.iter().fold(0i64, |sum, own| sum.wrapping_add(own[place]))).collect();
            for result in results {
                prop_assert_eq!(result.unwrap(), [expected.clone(), expected.clone()]);
            }
        }
    }

    /// FX-T10, secure sum: the inputs 12, 7 and 30 come to 49.
    #[test]
    fn fx_t10_sum() {
        let inputs = [12, 7, 30];
        let results = run_local(3, |session| {
            let mut sums = Sums::new(session)?;
            sums.sum(session, &[inputs[session.me()]])
        });
        assert!(results.into_iter().all(|own| own.unwrap() == [49]));
    }

    /// n − 2 colluding parties of four know all masks but those between the other two: what these sent is uniform but for its sum.
    #[test]
    fn colluding_parties_see_a_mask_that_they_do_not_know() {
        let seeds = |a: usize, b: usize| [(a.min(b) * 16 + a.max(b)) as u8; 16];
        let party = |me: usize| Sums {
            streams: (0..4).map(|other| (other != me).then(|| Generator::new(seeds(me, other)))).collect(),
        };
        let sent: Vec<u64> = (0..4).map(|me| party(me).masked(me, &[10 * me as u64])[0]).collect();
        // Parties 2 and 3 take off their own masks from what party 0 sent; the one that it shares with party 1 stays.
        let stream = |a: usize, b: usize| Generator::new(seeds(a, b)).u64s(1)[0];
        let left = [0, 1].map(|me: usize| sent[me].wrapping_sub(stream(me, 2)).wrapping_sub(stream(me, 3)));
        assert_eq!(left[0], stream(0, 1));
        assert_eq!(left[0].wrapping_add(left[1]), 10);
    }
}
