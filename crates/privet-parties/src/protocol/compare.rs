//! Secure comparison: whether sums of all parties' shares reach a bound, and which of several is least, without showing the sums.
//!
//! Shares of bits (their exclusive or is the bit) go through the gates of an adder, as in the protocol of Goldreich, Micali and Wigderson; an
//! AND gate is one oblivious transfer per bit and ordered pair of parties. Sums of all shares are formed by adders of logarithmic depth
//! (Kogge and Stone) on 64 bits at a time; their sign is the answer.
//!
//! # Security
//! Semi-honest parties; as many as n − 1 of n may collude and learn nothing but the bits that are opened. Assumption: that of
//! [`super::extension`].

use super::extension::{CHUNK, Transfers};
use crate::error::PartyError;
use crate::session::Session;
use crate::session::wire::{Tag, u64s};

/// Words per message of AND gates.
const WORDS: usize = CHUNK / 64;

/// How wide a number is: sums must fit with their sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// 32 bits: counts below 2^31.
    Bits32,
    /// 64 bits.
    Bits64,
}

impl Width {
    fn bits(self) -> u32 {
        match self {
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }

    fn lanes(self) -> usize {
        64 / self.bits() as usize
    }

    /// The places of each number that are there after it was moved up.
    fn moved(self, by: u32) -> u64 {
        match self {
            Self::Bits32 => {
                let lane = u64::from(u32::MAX << by);
                lane | lane << 32
            }
            Self::Bits64 => u64::MAX << by,
        }
    }

    fn signs(self) -> u64 {
        match self {
            Self::Bits32 => 1 << 63 | 1 << 31,
            Self::Bits64 => 1 << 63,
        }
    }

    /// Numbers side by side.
    fn pack(self, numbers: &[u64]) -> Vec<u64> {
        match self {
            Self::Bits64 => numbers.to_vec(),
            Self::Bits32 => numbers
                .chunks(2)
                .map(|pair| (pair[0] & 0xffff_ffff) | pair.get(1).map_or(0, |high| high << 32))
                .collect(),
        }
    }
}

/// The lowest bit of each hash, as words.
fn low_bits(hashes: &[u128]) -> Vec<u64> {
    super::product::pack(hashes.iter().map(|hash| hash & 1 == 1))
}

/// Shares of x AND y from shares of x and y.
///
/// # Errors
/// When the session fails.
pub fn and(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    x: &[u64],
    y: &[u64],
) -> Result<Vec<u64>, PartyError> {
    let mut all = Vec::with_capacity(x.len());
    for (x, y) in x.chunks(WORDS).zip(y.chunks(WORDS)) {
        let mut shares: Vec<u64> = x.iter().zip(y).map(|(x, y)| x & y).collect();
        let count = 64 * x.len();
        let mut asked = Vec::new();
        for other in session.others() {
            asked.push(transfers.receiver(other)?.extend(session, other, x, count)?);
        }
        for other in session.others() {
            let sender = transfers.sender(other)?;
            let rows = sender.extend(session, other, count)?;
            let own = low_bits(&rows.hashes(1));
            let flipped = low_bits(&sender.other(&rows).hashes(1));
            let corrections: Vec<u64> =
                own.iter().zip(&flipped).zip(y).map(|((own, flipped), y)| own ^ flipped ^ y).collect();
            session.send(other, Tag::Correction, &u64s(&corrections))?;
            shares.iter_mut().zip(&own).for_each(|(share, own)| *share ^= own);
        }
        for (other, rows) in session.others().zip(asked) {
            let own = low_bits(&rows.hashes(1));
            let corrections = session.receive_u64s(other, Tag::Correction, x.len())?;
            for (((share, own), correction), x) in shares.iter_mut().zip(&own).zip(&corrections).zip(x) {
                *share ^= own ^ (correction & x);
            }
        }
        all.extend(shares);
    }
    Ok(all)
}

/// Shares of the sums of numbers side by side, modulo 2 to the width.
fn add(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    (a, b): (&[u64], &[u64]),
    width: Width,
) -> Result<Vec<u64>, PartyError> {
    let half: Vec<u64> = a.iter().zip(b).map(|(a, b)| a ^ b).collect();
    let mut carries = and(session, transfers, a, b)?;
    let mut passes = half.clone();
    let mut by = 1;
    while by < width.bits() {
        let moved =
            |words: &[u64]| -> Vec<u64> { words.iter().map(|word| (word << by) & width.moved(by)).collect() };
        let count = passes.len();
        let is_last = 2 * by >= width.bits();
        let (mut left, mut right) = (passes.clone(), moved(&carries));
        if !is_last {
            right.extend(moved(&passes));
            left.extend_from_slice(&passes);
        }
        let both = and(session, transfers, &left, &right)?;
        // A carry comes up where all below pass it on, and then none arose there: exclusive or is or.
        carries.iter_mut().zip(&both[..count]).for_each(|(carry, below)| *carry ^= below);
        if !is_last {
            passes = both[count..].to_vec();
        }
        by *= 2;
    }
    Ok(half.iter().zip(&carries).map(|(half, carry)| half ^ ((carry << 1) & width.moved(1))).collect())
}

/// Shares of the signs of sums, in the highest place of each number, from additive shares.
fn signs(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    shares: &[u64],
    width: Width,
) -> Result<Vec<u64>, PartyError> {
    let own = width.pack(shares);
    let none = vec![0; own.len()];
    let of = |party: usize, me: usize| if party == me { &own } else { &none };
    let me = session.me();
    let parties = session.taking_part().to_vec();
    let mut total = of(parties[0], me).clone();
    for &party in &parties[1..] {
        total = add(session, transfers, (&total, of(party, me)), width)?;
    }
    total.iter_mut().for_each(|word| *word &= width.signs());
    Ok(total)
}

/// Opens shares of bits: everybody learns them.
fn open(session: &mut Session<'_>, shares: &[u64]) -> Result<Vec<u64>, PartyError> {
    session.broadcast(Tag::Opening, &u64s(shares))?;
    let mut opened = shares.to_vec();
    for other in session.others() {
        let theirs = session.receive_u64s(other, Tag::Opening, shares.len())?;
        opened.iter_mut().zip(theirs).for_each(|(all, own)| *all ^= own);
    }
    Ok(opened)
}

/// Whether each sum of all parties' shares is at least the bound; sums count as signed. Everybody learns the answers.
///
/// # Errors
/// When the session fails.
pub fn at_least(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    shares: &[u64],
    bound: u64,
    width: Width,
) -> Result<Vec<bool>, PartyError> {
    let is_first = session.is_first();
    let own: Vec<u64> =
        shares.iter().map(|share| if is_first { share.wrapping_sub(bound) } else { *share }).collect();
    let signs = signs(session, transfers, &own, width)?;
    let opened = open(session, &signs)?;
    let lanes = width.lanes();
    let sign = |place: usize| {
        let up = width.bits() * (place % lanes) as u32 + width.bits() - 1;
        opened[place / lanes] >> up & 1
    };
    Ok((0..shares.len()).map(|place| sign(place) == 0).collect())
}

/// Shares of bits: which sums are above 0 and below the bound, one bit per number in the place of its sign.
fn small_shares(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    shares: &[u64],
    bound: u64,
    width: Width,
) -> Result<Vec<u64>, PartyError> {
    let is_first = session.is_first();
    let below = |bound: u64| -> Vec<u64> {
        shares.iter().map(|share| if is_first { share.wrapping_sub(bound) } else { *share }).collect()
    };
    let flip = if is_first { width.signs() } else { 0 };
    let mut above_0 = signs(session, transfers, &below(1), width)?;
    above_0.iter_mut().for_each(|word| *word ^= flip);
    let below_bound = signs(session, transfers, &below(bound), width)?;
    let mut small = and(session, transfers, &above_0, &below_bound)?;
    // What fills the last word up is no number.
    if let Some(last) = small.last_mut().filter(|_| !shares.len().is_multiple_of(width.lanes())) {
        *last &= u64::MAX >> (64 - width.bits() as usize * (shares.len() % width.lanes()));
    }
    Ok(small)
}

/// Which sums are above 0 and below the bound. Everybody learns the answers and nothing else of the sums.
///
/// # Errors
/// When the session fails.
pub fn small(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    shares: &[u64],
    bound: u64,
    width: Width,
) -> Result<Vec<bool>, PartyError> {
    let small = small_shares(session, transfers, shares, bound, width)?;
    let opened = open(session, &small)?;
    let lanes = width.lanes();
    let bit = |place: usize| {
        let up = width.bits() * (place % lanes) as u32 + width.bits() - 1;
        opened[place / lanes] >> up & 1 == 1
    };
    Ok((0..shares.len()).map(bit).collect())
}

/// Whether some sum is above 0 and below the bound: one bit, of which everybody learns nothing but itself.
///
/// # Errors
/// When the session fails.
pub fn any_small(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    shares: &[u64],
    bound: u64,
    width: Width,
) -> Result<bool, PartyError> {
    let mut words = small_shares(session, transfers, shares, bound, width)?;
    let flip = if session.is_first() { u64::MAX } else { 0 };
    // No number is small where all are not: an AND of the opposites, first of words, then of the halves of one word.
    words.iter_mut().for_each(|word| *word ^= flip);
    while words.len() > 1 {
        let half = words.len() / 2;
        let odd = words.split_off(2 * half);
        let (left, right) = words.split_at(half);
        words = [and(session, transfers, left, right)?, odd].concat();
    }
    let Some(mut word) = words.pop() else { return Ok(false) };
    for by in [32, 16, 8, 4, 2, 1] {
        word = and(session, transfers, &[word], &[word >> by])?[0];
    }
    let opened = open(session, &[word & 1])?[0];
    Ok(opened & 1 == 0)
}

/// Per column whether some sum of it is above 0 and below the bound; `rows` are shares, all of one length. Everybody learns one bit per column
/// and nothing else of the sums.
///
/// # Errors
/// When the session fails.
pub fn any_small_of(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    rows: &[Vec<u64>],
    bound: u64,
    width: Width,
) -> Result<Vec<bool>, PartyError> {
    let columns = rows.first().map_or(0, Vec::len);
    let lanes = width.lanes();
    let words = columns.div_ceil(lanes);
    if columns == 0 {
        return Ok(Vec::new());
    }
    // Every row begins at a word.
    let mut shares = Vec::with_capacity(rows.len() * words * lanes);
    for row in rows {
        shares.extend_from_slice(row);
        shares.resize(shares.len().next_multiple_of(lanes), 0);
    }
    let small = small_shares(session, transfers, &shares, bound, width)?;
    let flip = if session.is_first() { u64::MAX } else { 0 };
    let mut left: Vec<Vec<u64>> =
        small.chunks(words).map(|row| row.iter().map(|word| word ^ flip).collect()).collect();
    // No sum of a column is small where all are not.
    while left.len() > 1 {
        let half = left.len() / 2;
        let odd = left.split_off(2 * half);
        let both = and(session, transfers, &left[..half].concat(), &left[half..].concat())?;
        left = both.chunks(words).map(<[u64]>::to_vec).chain(odd).collect();
    }
    let mut own = left.pop().unwrap_or_default();
    // Of each number its sign alone is opened.
    own.iter_mut().for_each(|word| *word &= width.signs());
    let opened = open(session, &own)?;
    let bit = |place: usize| {
        let up = width.bits() * (place % lanes) as u32 + width.bits() - 1;
        opened[place / lanes] >> up & 1 == 0
    };
    Ok((0..columns).map(bit).collect())
}

/// Per record which of its sums is least, the first of equal ones; `shares[c][i]` is this party's share of candidate c of record i, whose
/// sums are below 2^63. Everybody learns the answers and nothing of the sums.
///
/// # Errors
/// When the session fails.
pub fn least(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    shares: &[Vec<u64>],
) -> Result<Vec<usize>, PartyError> {
    let (candidates, records) = (shares.len(), shares.first().map_or(0, Vec::len));
    let pairs: Vec<(usize, usize)> =
        (0..candidates).flat_map(|a| (a + 1..candidates).map(move |b| (a, b))).collect();
    // The sign of (later − earlier): set where the later one is smaller.
    let mut differences = Vec::with_capacity(pairs.len() * records);
    for &(a, b) in &pairs {
        differences.extend(shares[a].iter().zip(&shares[b]).map(|(a, b)| b.wrapping_sub(*a)));
    }
    let signs = signs(session, transfers, &differences, Width::Bits64)?;
    let words = records.div_ceil(64);
    let later: Vec<Vec<u64>> = (0..pairs.len())
        .map(|pair| {
            super::product::pack(signs[pair * records..(pair + 1) * records].iter().map(|own| own >> 63 == 1))
        })
        .collect();
    let flip = if session.is_first() { u64::MAX } else { 0 };
    let mut answers = vec![0; records];
    for candidate in 1..candidates {
        let mut wins: Option<Vec<u64>> = None;
        for (&(a, b), bits) in pairs.iter().zip(&later) {
            let condition: Vec<u64> = match (a == candidate, b == candidate) {
                (_, true) => bits.clone(),
                (true, _) => bits.iter().map(|word| word ^ flip).collect(),
                _ => continue,
            };
            wins = Some(match wins {
                None => condition,
                Some(wins) => and(session, transfers, &wins, &condition)?,
            });
        }
        let wins = open(session, &wins.unwrap_or_else(|| vec![0; words]))?;
        for (record, answer) in answers.iter_mut().enumerate() {
            if wins[record / 64] >> (record % 64) & 1 == 1 {
                *answer = candidate;
            }
        }
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::Generator;
    use crate::session::run_local;

    /// Splits numbers into shares.
    fn split(numbers: &[u64], parties: usize) -> Vec<Vec<u64>> {
        let mut generator = Generator::new([parties as u8; 16]);
        let mut shares: Vec<Vec<u64>> = (1..parties).map(|_| generator.u64s(numbers.len())).collect();
        let rest = |(place, number): (usize, &u64)| {
            shares.iter().fold(*number, |rest, own| rest.wrapping_sub(own[place]))
        };
        let first = numbers.iter().enumerate().map(rest).collect();
        shares.push(first);
        shares
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]
        #[test]
        fn comparisons_are_those_of_the_sums(
            numbers in proptest::collection::vec(prop_oneof![0u64..20, 0u64..1 << 30], 1..9),
            bound in 0u64..20,
            parties in 2usize..4,
        ) {
            let shares = split(&numbers, parties);
            for width in [Width::Bits32, Width::Bits64] {
                let results = run_local(parties, |session| {
                    let mut transfers = Transfers::new(session)?;
                    at_least(session, &mut transfers, &shares[session.me()], bound, width)
                });
                let expected: Vec<bool> = numbers.iter().map(|number| *number >= bound).collect();
                for result in results {
                    prop_assert_eq!(result.unwrap(), expected.clone());
                }
            }
        }

        #[test]
        fn small_numbers_are_found(
            numbers in proptest::collection::vec(0u64..8, 1..12),
            bound in 1u64..6,
            parties in 2usize..4,
        ) {
            let shares = split(&numbers, parties);
            let is_small = |number: &u64| *number > 0 && *number < bound;
            let expected: Vec<bool> = numbers.iter().map(is_small).collect();
            for width in [Width::Bits32, Width::Bits64] {
                let results = run_local(parties, |session| {
                    let mut transfers = Transfers::new(session)?;
                    let own = &shares[session.me()];
                    let each = small(session, &mut transfers, own, bound, width)?;
                    Ok((each, any_small(session, &mut transfers, own, bound, width)?))
                });
                for result in results {
                    prop_assert_eq!(result.unwrap(), (expected.clone(), expected.contains(&true)));
                }
            }
        }

        #[test]
        fn the_least_is_found(
            numbers in (2usize..5).prop_flat_map(|candidates| {
                proptest::collection::vec(proptest::collection::vec(0u64..6, 70), candidates)
            }),
            parties in 2usize..4,
        ) {
            let shares: Vec<Vec<Vec<u64>>> = numbers.iter().map(|own| split(own, parties)).collect();
            let results = run_local(parties, |session| {
                let mut transfers = Transfers::new(session)?;
                let own: Vec<Vec<u64>> = shares.iter().map(|own| own[session.me()].clone()).collect();
                least(session, &mut transfers, &own)
            });
            let least = |record: usize| (0..numbers.len()).min_by_key(|&own| (numbers[own][record], own)).unwrap();
            let expected: Vec<usize> = (0..70).map(least).collect();
            for result in results {
                prop_assert_eq!(result.unwrap(), expected.clone());
            }
        }
    }
}
