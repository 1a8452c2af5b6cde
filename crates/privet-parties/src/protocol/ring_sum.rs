//! Secure sum around a ring: the weak form that textbooks print (papers T-AL12).
//!
//! The first party adds a random mask to its value and passes the total on; every party adds its own; the first takes the mask off again.
//!
//! # Security
//! Semi-honest parties, **none of which collude**: the neighbours of a party see the total before and after it, and their difference is its
//! value (a test shows the attack). Use [`super::sum`] instead; nothing in this crate uses this form. It is here to be compared with.

use crate::error::PartyError;
use crate::random;
use crate::session::Session;
use crate::session::wire::Tag;

/// What a party saw in a ring: what it received and what it passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What came from the party before.
    pub received: Vec<u64>,
    /// What went to the party after.
    pub passed: Vec<u64>,
    /// The sums.
    pub sums: Vec<u64>,
}

/// The sums of all parties' vectors, modulo 2^64, and what this party saw.
///
/// # Errors
/// When the session fails.
pub fn ring_sum(session: &mut Session<'_>, values: &[u64]) -> Result<Seen, PartyError> {
    let parties = session.parties();
    let (before, after) = ((session.me() + parties - 1) % parties, (session.me() + 1) % parties);
    let add =
        |a: &[u64], b: &[u64]| -> Vec<u64> { a.iter().zip(b).map(|(a, b)| a.wrapping_add(*b)).collect() };
    let pass = |session: &mut Session<'_>, to: usize, total: &[u64]| {
        session.send(to, Tag::RingSum, &crate::session::wire::u64s(total))
    };
    if session.me() == 0 {
        let mask = random::Generator::system()?.u64s(values.len());
        let passed = add(values, &mask);
        pass(session, after, &passed)?;
        let received = session.receive_u64s(before, Tag::RingSum, values.len())?;
        let sums: Vec<u64> = received.iter().zip(&mask).map(|(a, b)| a.wrapping_sub(*b)).collect();
        session.broadcast(Tag::Output, &crate::session::wire::u64s(&sums))?;
        return Ok(Seen { received, passed, sums });
    }
    let received = session.receive_u64s(before, Tag::RingSum, values.len())?;
    let passed = add(&received, values);
    pass(session, after, &passed)?;
    let sums = session.receive_u64s(0, Tag::Output, values.len())?;
    Ok(Seen { received, passed, sums })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    /// FX-T10, secure sum: modulus 100, mask 77, inputs 12, 7, 30; toy size.
    #[test]
    fn fx_t10_ring() {
        let passed = [12u64, 7, 30].iter().scan(77, |total, own| {
            *total = (*total + own) % 100;
            Some(*total)
        });
        let passed: Vec<u64> = passed.collect();
        assert_eq!(passed, [89, 96, 26]);
        assert_eq!((100 + passed[2] - 77) % 100, 49);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn the_ring_gives_the_central_sums(
            values in (3usize..6, 0usize..5).prop_flat_map(|(parties, cells)| {
                proptest::collection::vec(proptest::collection::vec(any::<u64>(), cells), parties)
            }),
        ) {
            let expected: Vec<u64> = (0..values[0].len())
                .map(|cell| values.iter().fold(0u64, |sum, own| sum.wrapping_add(own[cell])))
                .collect();
            for result in run_local(values.len(), |session| ring_sum(session, &values[session.me()])) {
                prop_assert_eq!(&result.unwrap().sums, &expected);
            }
        }
    }

    /// The attack: the neighbours of party 2 put together what they saw.
    #[test]
    fn neighbours_that_collude_learn_a_value() {
        let inputs = [12, 7, 30, 1000];
        let seen = run_local(4, |session| ring_sum(session, &[inputs[session.me()]]));
        let seen: Vec<Seen> = seen.into_iter().map(Result::unwrap).collect();
        assert!(seen.iter().all(|own| own.sums == [1049]));
        assert_eq!(seen[3].received[0].wrapping_sub(seen[1].passed[0]), 30);
    }
}
