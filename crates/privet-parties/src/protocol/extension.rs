//! Oblivious transfers by the million from 128 of them: the extension of Ishai, Kilian, Nissim and Petrank, for semi-honest parties.
//!
//! Per transfer the receiver has a row t, and the sender a row q = t xor (choice times Δ), where only the sender knows Δ. A hash of the rows
//! breaks the relation: of H(q) and H(q xor Δ) the receiver knows the one it chose. A transfer costs 16 bytes.
//!
//! # Security
//! Semi-honest parties; AES as an ideal cipher, used with a fixed key as the hash π(π(x) xor i) xor π(x) (Guo, Katz, Wang, Yu), which is
//! correlation robust for every Δ, with a fresh number i per use. The receiver's choices are hidden by the output of a pseudo-random
//! generator. A receiver that sends other choices in different columns could learn bits of Δ: malicious receivers are not covered. The code
//! does not branch on choices or keys.
//!
//! # Why this is written here
//! `cryprot-ot` runs over the connections of its own crate `cryprot-net` on an asynchronous runtime (`tokio`), and its releases up to 0.2.1 rest
//! on version 4 of `curve25519-dalek`, beside the 5 that is used here; its page of 0.1.0 calls it research software that is not intended for
//! production. A session here binds every message to a job and a party, adds it to a transcript, and names the party whose message is wrong; a
//! connection of another crate would bypass all three. What is written here is the part between primitives of others: AES (`aes`), the curve,
//! and the base transfers. The tests compare the hash with its definition, block by block, and the transfers with what they should give.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use rayon::prelude::*;
use subtle::Choice;
use zeroize::{Zeroize, Zeroizing};

use super::base_transfer;
use crate::error::{PartyError, Reason};
use crate::random::{self, Generator};
use crate::session::Session;
use crate::session::wire::{Reader, Tag};

/// The security parameter: columns of the matrix.
const COLUMNS: usize = 128;
/// Transfers per message: a matrix of 4 MiB.
pub const CHUNK: usize = 1 << 18;
/// The key of the hash: digits of π, so that nobody chose it.
const HASH_KEY: [u8; 16] =
    [0x24, 0x3f, 0x6a, 0x88, 0x85, 0xa3, 0x08, 0xd3, 0x13, 0x19, 0x8a, 0x2e, 0x03, 0x70, 0x73, 0x44];

/// The side that has two values per transfer.
pub struct Sender {
    delta: u128,
    columns: Vec<Generator>,
    used: u128,
}

/// The side that chooses.
pub struct Receiver {
    columns: Vec<[Generator; 2]>,
    used: u128,
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.delta.zeroize();
    }
}

impl std::fmt::Debug for Sender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sender")
    }
}

impl std::fmt::Debug for Receiver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Receiver")
    }
}

/// Words of 128 transfers each.
fn blocks(count: usize) -> usize {
    count.div_ceil(COLUMNS)
}

impl Sender {
    /// Prepares to send to a party, which prepares to receive.
    ///
    /// # Errors
    /// When the session fails.
    pub fn new(session: &mut Session<'_>, to: usize) -> Result<Self, PartyError> {
        let delta = u128::from_le_bytes(random::array()?);
        let choices: Vec<Choice> =
            (0..COLUMNS).map(|column| Choice::from((delta >> column) as u8 & 1)).collect();
        let seeds = base_transfer::receive(session, to, &choices)?;
        Ok(Self { delta, columns: seeds.iter().map(|seed| Generator::new(*seed)).collect(), used: 0 })
    }

    /// Rows of so many transfers, at most [`CHUNK`].
    ///
    /// # Errors
    /// When the session fails.
    pub fn extend(&mut self, session: &mut Session<'_>, to: usize, count: usize) -> Result<Rows, PartyError> {
        let blocks = blocks(count);
        let message = session.receive_exactly(to, Tag::ExtensionMatrix, 16 * COLUMNS * blocks)?;
        let sent = session.parse(to, &message, |reader| parse_matrix(reader, COLUMNS * blocks))?;
        let delta = self.delta;
        let mut matrix = vec![0u128; COLUMNS * blocks];
        let columns =
            self.columns.par_iter_mut().zip(matrix.par_chunks_mut(blocks)).zip(sent.par_chunks(blocks));
        columns.enumerate().for_each(|(column, ((generator, own), sent))| {
            let mask = ((delta >> column) & 1).wrapping_neg();
            fill(generator, own);
            own.iter_mut().zip(sent).for_each(|(own, sent)| *own ^= sent & mask);
        });
        let rows = Rows { rows: transposed(&matrix, blocks, count), first: self.used };
        self.used += count as u128;
        Ok(rows)
    }

    /// The same rows for the other choice.
    pub fn other(&self, rows: &Rows) -> Rows {
        Rows { rows: rows.rows.iter().map(|row| row ^ self.delta).collect(), first: rows.first }
    }
}

impl Receiver {
    /// Prepares to receive from a party, which prepares to send.
    ///
    /// # Errors
    /// When the session fails.
    pub fn new(session: &mut Session<'_>, from: usize) -> Result<Self, PartyError> {
        let seeds = base_transfer::send(session, from, COLUMNS)?;
        Ok(Self { columns: seeds.iter().map(|pair| pair.map(Generator::new)).collect(), used: 0 })
    }

    /// Rows of so many transfers, at most [`CHUNK`], with these choices: bits of words, the lowest first.
    ///
    /// # Errors
    /// When the session fails.
    pub fn extend(
        &mut self,
        session: &mut Session<'_>,
        from: usize,
        choices: &[u64],
        count: usize,
    ) -> Result<Rows, PartyError> {
        let blocks = blocks(count);
        let word = |place: usize| u128::from(choices.get(place).copied().unwrap_or(0));
        let mut chosen: Vec<u128> = (0..blocks).map(|own| word(2 * own) | word(2 * own + 1) << 64).collect();
        let mut matrix = vec![0u128; COLUMNS * blocks];
        let mut message = vec![0u8; 16 * COLUMNS * blocks];
        let columns = self.columns.par_iter_mut().zip(matrix.par_chunks_mut(blocks));
        columns.zip(message.par_chunks_mut(16 * blocks)).for_each(|((pair, own), message)| {
            let mut other = vec![0u128; blocks];
            fill(&mut pair[0], own);
            fill(&mut pair[1], &mut other);
            for (((own, other), chosen), bytes) in
                own.iter().zip(&other).zip(&chosen).zip(message.as_chunks_mut::<16>().0)
            {
                *bytes = (own ^ other ^ chosen).to_le_bytes();
            }
            other.zeroize();
        });
        chosen.zeroize();
        session.send(from, Tag::ExtensionMatrix, &message)?;
        let rows = Rows { rows: transposed(&matrix, blocks, count), first: self.used };
        self.used += count as u128;
        Ok(rows)
    }
}

/// Transfers in both directions with every other party.
#[derive(Debug)]
pub struct Transfers {
    senders: Vec<Option<Sender>>,
    receivers: Vec<Option<Receiver>>,
}

impl Transfers {
    /// Prepares them.
    ///
    /// # Errors
    /// When the session fails.
    pub fn new(session: &mut Session<'_>) -> Result<Self, PartyError> {
        let none = |_| None;
        let mut senders: Vec<Option<Sender>> = (0..session.parties()).map(none).collect();
        let mut receivers: Vec<Option<Receiver>> = (0..session.parties()).map(|_| None).collect();
        for other in session.others() {
            // The party with the smaller number sends first.
            if session.me() < other {
                senders[other] = Some(Sender::new(session, other)?);
                receivers[other] = Some(Receiver::new(session, other)?);
            } else {
                receivers[other] = Some(Receiver::new(session, other)?);
                senders[other] = Some(Sender::new(session, other)?);
            }
        }
        Ok(Self { senders, receivers })
    }

    /// The side that sends to a party.
    ///
    /// # Errors
    /// When the party is this one.
    pub fn sender(&mut self, to: usize) -> Result<&mut Sender, PartyError> {
        self.senders.get_mut(to).and_then(Option::as_mut).ok_or_else(crate::session::no_peer)
    }

    /// The side that receives from a party.
    ///
    /// # Errors
    /// When the party is this one.
    pub fn receiver(&mut self, from: usize) -> Result<&mut Receiver, PartyError> {
        self.receivers.get_mut(from).and_then(Option::as_mut).ok_or_else(crate::session::no_peer)
    }
}

fn fill(generator: &mut Generator, words: &mut [u128]) {
    generator.fill_blocks(words);
}

/// What a receiver sends.
pub(crate) fn parse_matrix(reader: &mut Reader<'_>, words: usize) -> Result<Vec<u128>, Reason> {
    let bytes = reader.take(words.checked_mul(16).ok_or(Reason::Malformed)?)?;
    Ok(bytes.as_chunks().0.iter().map(|bytes| u128::from_le_bytes(*bytes)).collect())
}

/// One row per transfer from one column per bit.
fn transposed(matrix: &[u128], blocks: usize, count: usize) -> Vec<u128> {
    let mut rows = vec![0u128; COLUMNS * blocks];
    rows.par_chunks_mut(COLUMNS).enumerate().for_each(|(block, rows)| {
        for (column, row) in rows.iter_mut().enumerate() {
            *row = matrix[column * blocks + block];
        }
        transpose(rows);
    });
    rows.truncate(count);
    rows
}

/// Transposes 128 words of 128 bits by swapping ever smaller quarters.
fn transpose(rows: &mut [u128]) {
    let mut width = COLUMNS / 2;
    let mut mask = u128::MAX >> width;
    while width > 0 {
        let mut at = 0;
        while at < COLUMNS {
            for low in at..at + width {
                let swapped = (rows[low] >> width ^ rows[low + width]) & mask;
                rows[low] ^= swapped << width;
                rows[low + width] ^= swapped;
            }
            at += 2 * width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// Rows of transfers, which are secret; their hashes are what is used.
pub struct Rows {
    rows: Vec<u128>,
    first: u128,
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

impl Rows {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// So many hashes of every row, one row after the other; erased when dropped.
    pub fn hashes(&self, per_row: usize) -> Zeroizing<Vec<u128>> {
        let cipher = Aes128::new(&Array(HASH_KEY));
        let mut hashes = Zeroizing::new(vec![0u128; self.rows.len() * per_row]);
        let batch = 64;
        let rows = self.rows.par_chunks(batch).zip(hashes.par_chunks_mut(batch * per_row));
        rows.enumerate().for_each(|(chunk, (rows, hashes))| {
            let mut inner: Vec<_> = rows.iter().map(|row| Array(row.to_le_bytes())).collect();
            cipher.encrypt_blocks(&mut inner);
            let mut outer = Vec::with_capacity(hashes.len());
            let mut kept = Vec::with_capacity(hashes.len());
            for (place, block) in inner.iter().enumerate() {
                let hidden = u128::from_le_bytes(block.0);
                let number = (self.first + (chunk * batch + place) as u128) * (1 << 32);
                for own in 0..per_row {
                    kept.push(hidden);
                    outer.push(Array((hidden ^ (number + own as u128)).to_le_bytes()));
                }
            }
            cipher.encrypt_blocks(&mut outer);
            for ((hash, block), hidden) in hashes.iter_mut().zip(&outer).zip(&kept) {
                *hash = u128::from_le_bytes(block.0) ^ hidden;
            }
            kept.zeroize();
            inner.iter_mut().chain(&mut outer).for_each(|block| block.zeroize());
        });
        hashes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::run_local;

    #[test]
    fn a_matrix_is_transposed() {
        let mut generator = Generator::new([1; 16]);
        let mut rows = vec![0u128; 128];
        generator.fill_blocks(&mut rows);
        let before = rows.clone();
        transpose(&mut rows);
        for (i, row) in rows.iter().enumerate() {
            for (j, old) in before.iter().enumerate() {
                assert_eq!((row >> j) & 1, (old >> i) & 1, "{i} {j}");
            }
        }
    }

    /// π(π(x) xor i) xor π(x), one block at a time.
    #[test]
    fn hashes_are_those_of_the_definition() {
        let cipher = Aes128::new(&Array(HASH_KEY));
        let permuted = |block: u128| {
            let mut block = Array(block.to_le_bytes());
            cipher.encrypt_block(&mut block);
            u128::from_le_bytes(block.0)
        };
        let mut rows = vec![0u128; 150];
        Generator::new([4; 16]).fill_blocks(&mut rows);
        let hashes = Rows { rows: rows.clone(), first: 1000 }.hashes(3);
        assert_eq!(hashes.len(), 450);
        for (place, hash) in hashes.iter().enumerate() {
            let (row, own) = (place / 3, (place % 3) as u128);
            let number = ((1000 + row as u128) << 32) + own;
            assert_eq!(*hash, permuted(permuted(rows[row]) ^ number) ^ permuted(rows[row]), "{place}");
        }
    }

    #[test]
    fn the_receiver_knows_the_hash_it_chose_and_no_other() {
        let choices: Vec<u64> = vec![0x0123_4567_89ab_cdef, 0, u64::MAX, 0xf0f0, 5];
        let counts = [300usize, 17];
        let results = run_local(2, |session| {
            let mut all = Vec::new();
            if session.me() == 0 {
                let mut sender = Sender::new(session, 1)?;
                for count in counts {
                    let rows = sender.extend(session, 1, count)?;
                    all.push([rows.hashes(2), sender.other(&rows).hashes(2)]);
                }
            } else {
                let mut receiver = Receiver::new(session, 0)?;
                for count in counts {
                    let rows = receiver.extend(session, 0, &choices, count)?;
                    all.push([rows.hashes(2), Zeroizing::new(Vec::new())]);
                }
            }
            Ok(all)
        });
        let [sent, received] = [&results[0], &results[1]].map(|own| own.as_ref().unwrap());
        for (sent, received) in sent.iter().zip(received) {
            assert_eq!(sent[0].len(), received[0].len());
            for (place, hash) in received[0].iter().enumerate() {
                let transfer = place / 2;
                let choice = (choices[transfer / 64] >> (transfer % 64) & 1) as usize;
                assert_eq!(sent[choice][place], *hash);
                assert_ne!(sent[1 - choice][place], *hash);
            }
        }
        let all: std::collections::HashSet<u128> = sent.iter().flat_map(|own| own[0].to_vec()).collect();
        assert_eq!(all.len(), 2 * counts.iter().sum::<usize>());
    }
}
