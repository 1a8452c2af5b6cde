//! Sums whose inputs carry proofs of validity: counts of parties that need not be honest, added by two that are (papers T-AL12, additive shares;
//! Prio3 of the IETF's draft on verifiable distributed aggregation, by the crate `prio`).
//!
//! Two parties are the *collectors*. Every other party splits its vector into a share for each, with a proof that all numbers lie between 0
//! and a bound; the collectors check the proof on their shares and learn nothing else of the vector. A proof says that a count is
//! possible, not that it is true.
//!
//! # Security
//! Parties other than the collectors may deviate as they like: a vector that is outside the bounds ends the session and names its party (a
//! wrong proof passes with probability below 2^-80). Collectors are semi-honest, and must not collude with each other; either may collude with
//! everybody else and learns nothing but the result. Assumption: TurboSHAKE128 as a random oracle.
//!
//! Shares of a proof are numbers modulo a prime p of 128 bits. Of two shares that are uniform modulo p and whose sum is small, the whole
//! numbers add up to the sum and p, but with probability below 2^-80 per number; so each collector turns its share into one modulo 2^64 by itself.

use prio::codec::{Encode, ParameterizedDecode};
use prio::field::{Field128, FieldElement, FieldElementWithInteger};
use prio::vdaf::prio3::{
    Prio3InputShare, Prio3PublicShare, Prio3SumVec, Prio3VerifierShare, Prio3VerifyState,
    optimal_chunk_length,
};
use prio::vdaf::{Aggregator, Client, VerifyTransition};
use rayon::prelude::*;
use zeroize::Zeroize;

use crate::error::{Abort, PartyError, Reason};
use crate::random;
use crate::session::Session;
use crate::session::wire::{Reader, Tag, u64s};

/// Numbers per proof.
const CELLS: usize = 1 << 11;
/// The largest bound of a number.
pub const MOST: u64 = 1 << 26;
/// The most bytes of a share of one proof, or of a step of its verification.
const MOST_BYTES: usize = CELLS * 28 * 16 * 5;

type Nonce = [u8; 16];
type Step = Prio3VerifierShare<Field128, 32>;
type State = Prio3VerifyState<Field128, 32>;

/// A part of a vector as a collector receives it.
struct Part {
    nonce: Nonce,
    public: Prio3PublicShare<32>,
    share: Prio3InputShare<Field128, 32>,
}

/// The proof of a part of so many numbers.
fn proof(cells: usize, most: u64) -> Result<Prio3SumVec, PartyError> {
    let bits = most.ilog2() as usize + 1;
    Prio3SumVec::new_sum_vec(2, u128::from(most), cells, optimal_chunk_length(cells * bits)).map_err(broken)
}

/// What cannot happen with parameters that were checked.
fn broken(_: impl std::error::Error) -> PartyError {
    PartyError::Resources("a proof of validity could not be computed".to_owned())
}

/// The lengths of the parts of a vector.
fn parts(cells: usize) -> Vec<usize> {
    (0..cells).step_by(CELLS).map(|start| CELLS.min(cells - start)).collect()
}

/// What a proof is bound to, so that no other party can send it again.
fn context(session: &Session<'_>, party: usize) -> Vec<u8> {
    [b"privet parties".as_slice(), &session.id(), &[party as u8]].concat()
}

fn put(bytes: &mut Vec<u8>, item: &impl Encode) -> Result<(), PartyError> {
    let encoded = item.get_encoded().map_err(broken)?;
    bytes.extend_from_slice(&(encoded.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&encoded);
    Ok(())
}

/// What a party sends to the two collectors.
fn messages(context: &[u8], values: &[u64], most: u64) -> Result<[Vec<u8>; 2], PartyError> {
    let part = |values: &[u64]| -> Result<[Vec<u8>; 2], PartyError> {
        let nonce: Nonce = random::array()?;
        let mut wide: Vec<u128> = values.iter().map(|&own| u128::from(own)).collect();
        let shards = proof(values.len(), most)?.shard(context, &wide, &nonce);
        wide.zeroize();
        let (public, shares) = shards.map_err(broken)?;
        let mut both = [nonce.to_vec(), nonce.to_vec()];
        for (bytes, share) in both.iter_mut().zip(&shares) {
            put(bytes, &public)?;
            put(bytes, share)?;
        }
        Ok(both)
    };
    let made: Result<Vec<[Vec<u8>; 2]>, PartyError> = values.par_chunks(CELLS).map(part).collect();
    let mut all = [Vec::new(), Vec::new()];
    for part in made? {
        all.iter_mut().zip(part).for_each(|(all, own)| all.extend(own));
    }
    Ok(all)
}

/// Reads the parts of a vector that go to a collector, with lengths that both know.
fn parse_parts(
    reader: &mut Reader<'_>,
    lengths: &[usize],
    most: u64,
    collector: usize,
) -> Result<Vec<Part>, Reason> {
    let part = |&cells: &usize| {
        let vdaf = proof(cells, most).map_err(|_| Reason::Invalid)?;
        let nonce = reader.array()?;
        let public = Prio3PublicShare::<32>::get_decoded_with_param(&vdaf, reader.bytes(MOST_BYTES)?);
        let share = Prio3InputShare::<Field128, 32>::get_decoded_with_param(
            &(&vdaf, collector),
            reader.bytes(MOST_BYTES)?,
        );
        let (public, share) = (public.map_err(malformed)?, share.map_err(malformed)?);
        Ok(Part { nonce, public, share })
    };
    lengths.iter().map(part).collect()
}

fn malformed(_: prio::codec::CodecError) -> Reason {
    Reason::Malformed
}

/// Reads a collector's share of one number and begins to verify it, for fuzzing; the first byte tells which collector it is.
pub(crate) fn parse_share(reader: &mut Reader<'_>) -> Result<(), Reason> {
    let collector = usize::from(reader.u8()? & 1);
    let parts = parse_parts(reader, &[1], 3, collector)?;
    begin(&parts[0], collector).map(|_| ())
}

/// Reads a step of verifying one number, for fuzzing.
pub(crate) fn parse_step(reader: &mut Reader<'_>) -> Result<(), Reason> {
    let [share, _] = messages(&[], &[1], 3).map_err(|_| Reason::Resources)?;
    let parts = parse_parts(&mut Reader::new(&share), &[1], 3, 0)?;
    let (state, _) = begin(&parts[0], 0)?;
    Step::get_decoded_with_param(&state, reader.bytes(MOST_BYTES)?).map(|_| ()).map_err(malformed)
}

/// Begins to verify one number of an example.
fn begin(part: &Part, collector: usize) -> Result<(State, Step), Reason> {
    let vdaf = proof(1, 3).map_err(|_| Reason::Resources)?;
    vdaf.verify_init(&[0; 32], &[], collector, &(), &part.nonce, &part.public, &part.share)
        .map_err(|_| Reason::Invalid)
}

/// What is read by the two above, as a party writes it: a share of each collector, and a step.
///
/// # Errors
/// When the system gives no random numbers.
#[doc(hidden)]
pub fn examples() -> Result<[Vec<u8>; 3], PartyError> {
    let both = messages(&[], &[1], 3)?;
    let parts = parse_parts(&mut Reader::new(&both[0]), &[1], 3, 0);
    let part = parts.ok().and_then(|mut own| own.pop());
    let (_, step) = part.and_then(|part| begin(&part, 0).ok()).ok_or_else(|| broken(std::fmt::Error))?;
    let mut third = Vec::new();
    put(&mut third, &step)?;
    let [first, second] = both;
    Ok([[&[0], &first[..]].concat(), [&[1], &second[..]].concat(), third])
}

/// Shares, modulo 2^64, of the sums of all parties' vectors, for the two collectors; the others get none. Numbers of parties that are no
/// collectors are proven to be at most `most`.
///
/// # Errors
/// When a number of this party is too large, a party sends what is not valid, or the session fails.
pub fn shares(
    session: &mut Session<'_>,
    collectors: [usize; 2],
    values: &[u64],
    most: u64,
) -> Result<Option<Vec<u64>>, PartyError> {
    let me = session.me();
    let Some(role) = collectors.iter().position(|&own| own == me) else {
        if values.iter().any(|&own| own > most) {
            return Err(PartyError::Input("a count is larger than the job's `most`".to_owned()));
        }
        let mut both = messages(&context(session, me), values, most)?;
        for (&collector, message) in collectors.iter().zip(&mut both) {
            session.send(collector, Tag::ValidShare, message)?;
            message.zeroize();
        }
        return Ok(None);
    };
    let contributors: Vec<usize> = session.others().filter(|own| !collectors.contains(own)).collect();
    let lengths = parts(values.len());
    let mut received = Vec::new();
    for &party in &contributors {
        let message = session.receive(party, Tag::ValidShare, lengths.len() * 2 * MOST_BYTES)?;
        received.push(session.parse(party, &message, |reader| parse_parts(reader, &lengths, most, role))?);
    }
    let other = collectors[1 - role];
    let key = agree_on_key(session, role, other)?;
    let mut total = vec![Field128::zero(); values.len()];
    for (&party, own) in contributors.iter().zip(&received) {
        let vector = verify(session, (role, party, other), &key, own, (&lengths, most))?;
        total.iter_mut().zip(vector).for_each(|(total, own)| *total += own);
    }
    let offset = if role == 1 { Field128::modulus() as u64 } else { 0 };
    let share =
        |(total, own): (&Field128, &u64)| (u128::from(*total) as u64).wrapping_sub(offset).wrapping_add(*own);
    // Without a contributor both shares are 0, and there is nothing to take off.
    Ok(Some(match contributors.is_empty() {
        true => values.to_vec(),
        false => total.iter().zip(values).map(share).collect(),
    }))
}

/// What decides where proofs are looked at; no contributor knows it before its shares are here.
fn agree_on_key(session: &mut Session<'_>, role: usize, other: usize) -> Result<[u8; 32], PartyError> {
    if role == 0 {
        let key: [u8; 32] = random::array()?;
        session.send(other, Tag::ValidityStep, &key)?;
        return Ok(key);
    }
    let message = session.receive_exactly(other, Tag::ValidityStep, 32)?;
    session.parse(other, &message, |reader| reader.array())
}

/// A collector's share of a party's vector, after both have checked the proof.
fn verify(
    session: &mut Session<'_>,
    (role, party, other): (usize, usize, usize),
    key: &[u8; 32],
    received: &[Part],
    (lengths, most): (&[usize], u64),
) -> Result<Vec<Field128>, PartyError> {
    let context = context(session, party);
    let name = session.name(party).to_owned();
    let invalid =
        || PartyError::Abort(Abort { party: name.clone(), reason: Reason::Invalid, reported_by: None });
    let begin = |(part, &cells): (&Part, &usize)| {
        let vdaf = proof(cells, most)?;
        vdaf.verify_init(key, &context, role, &(), &part.nonce, &part.public, &part.share)
            .map_err(|_| invalid())
    };
    let begun: Result<Vec<_>, PartyError> = received.par_iter().zip(lengths).map(begin).collect();
    let begun = begun?;
    let mut bytes = Vec::new();
    for (_, step) in &begun {
        put(&mut bytes, step)?;
    }
    session.send(other, Tag::ValidityStep, &bytes)?;
    let message = session.receive(other, Tag::ValidityStep, lengths.len() * MOST_BYTES)?;
    let steps: Vec<Step> = session.parse(other, &message, |reader| {
        let step = |(state, _): &(State, Step)| {
            Step::get_decoded_with_param(state, reader.bytes(MOST_BYTES)?).map_err(malformed)
        };
        begun.iter().map(step).collect()
    })?;
    let finish = |(((state, own), theirs), &cells): (((State, Step), Step), &usize)| {
        let vdaf = proof(cells, most)?;
        let both = if role == 0 { [own, theirs] } else { [theirs, own] };
        let message = vdaf.verifier_shares_to_message(&context, &(), both).map_err(|_| invalid())?;
        match vdaf.verify_next(&context, state, message).map_err(|_| invalid())? {
            VerifyTransition::Finish(share) => Ok(share.as_ref().to_vec()),
            VerifyTransition::Continue(..) => Err(invalid()),
        }
    };
    let vectors: Result<Vec<Vec<Field128>>, PartyError> =
        begun.into_par_iter().zip(steps).zip(lengths).map(finish).collect();
    Ok(vectors?.concat())
}

/// What the collectors opened, for everybody: a party that is none hears it from both, and both must say the same.
///
/// # Errors
/// When they do not, or the session fails.
pub fn tell(
    session: &mut Session<'_>,
    collectors: [usize; 2],
    opened: Option<Vec<u64>>,
    count: usize,
) -> Result<Vec<u64>, PartyError> {
    if let Some(opened) = opened {
        for party in session.others().filter(|own| !collectors.contains(own)) {
            session.send(party, Tag::Output, &u64s(&opened))?;
        }
        return Ok(opened);
    }
    let [first, second] = collectors;
    let opened = session.receive_u64s(first, Tag::Output, count)?;
    match session.receive_u64s(second, Tag::Output, count)? == opened {
        true => Ok(opened),
        false => Err(session.blame(second, Reason::Invalid)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mining::joint::Joint;
    use crate::session::run_local;

    const COLLECTORS: [usize; 2] = [2, 0];

    /// The whole way: shares with proofs, opened between the collectors, told to all.
    fn sum(session: &mut Session<'_>, values: &[u64], most: u64) -> Result<Vec<u64>, PartyError> {
        let shares = shares(session, COLLECTORS, values, most)?;
        let opened = match shares {
            Some(shares) => Some(
                session.among(&COLLECTORS, |session| Joint::new(session, 0)?.sums.sum(session, &shares))?,
            ),
            None => None,
        };
        tell(session, COLLECTORS, opened, values.len())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4))]
        #[test]
        fn valid_sums_are_the_central_ones(
            vectors in (3usize..5).prop_flat_map(|parties| {
                proptest::collection::vec(proptest::collection::vec(0u64..=1000, 9), parties)
            }),
        ) {
            let expected: Vec<u64> = (0..9).map(|cell| vectors.iter().map(|own| own[cell]).sum()).collect();
            for result in run_local(vectors.len(), |session| sum(session, &vectors[session.me()], 1000)) {
                prop_assert_eq!(result.unwrap(), expected.clone());
            }
        }
    }

    #[test]
    fn examples_can_be_read() {
        for (place, example) in examples().unwrap().iter().enumerate() {
            let mut reader = Reader::new(example);
            let read = if place < 2 { parse_share(&mut reader) } else { parse_step(&mut reader) };
            assert!(read.is_ok() && reader.finish().is_ok(), "{place}");
        }
    }

    #[test]
    fn vectors_of_several_proofs_are_put_together() {
        let cells = CELLS + 5;
        let results = run_local(3, |session| sum(session, &vec![session.me() as u64 + 1; cells], 3));
        assert!(results.into_iter().all(|own| own.unwrap() == vec![6; cells]));
    }

    #[test]
    fn counts_above_the_bound_are_not_even_sent() {
        let results = run_local(3, |session| match session.me() {
            1 => shares(session, COLLECTORS, &[8], 7).map(|_| ()),
            _ => Ok(()),
        });
        assert!(matches!(results[1], Err(PartyError::Input(_))));
    }

    /// Party 1 proves a count of 3 and then changes its share: to 4 in the lowest place, or so that the sum goes down.
    #[test]
    fn a_party_that_changes_what_it_proved_is_named() {
        for added in [1u8, 255] {
            let results = run_local(3, |session| {
                if session.me() != 1 {
                    return sum(session, &[5, 5], 7);
                }
                let [mut first, second] = messages(&context(session, 1), &[3, 0], 7)?;
                // A nonce, the length and the two seeds of the public share, a length, and then the first number.
                let place = 16 + 4 + 64 + 4;
                first[place] = first[place].wrapping_add(added);
                session.send(COLLECTORS[0], Tag::ValidShare, &first)?;
                session.send(COLLECTORS[1], Tag::ValidShare, &second)?;
                Ok(Vec::new())
            });
            for collector in COLLECTORS {
                match &results[collector] {
                    Err(PartyError::Abort(abort)) => {
                        assert_eq!((abort.party.as_str(), abort.reason), ("party-1", Reason::Invalid));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    /// A share that another party sent is worth nothing to a third: the proof is bound to its party.
    #[test]
    fn a_proof_of_another_party_does_not_pass() {
        let results = run_local(3, |session| {
            if session.me() != 1 {
                return sum(session, &[1], 7);
            }
            let both = messages(&context(session, 3), &[3], 7)?;
            COLLECTORS.iter().zip(both).try_for_each(|(&to, own)| session.send(to, Tag::ValidShare, &own))?;
            Ok(Vec::new())
        });
        assert!(matches!(&results[0], Err(PartyError::Abort(abort)) if abort.reason == Reason::Invalid));
    }
}
