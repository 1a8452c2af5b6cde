//! Oblivious transfer, 1 of N and k of N (papers T-AL12): the receiver gets the items it chose, the sender learns nothing of the choice.
//!
//! Per bit of an item's number there is one transfer, 1 of 2, of a key; an item is hidden under the keys of all bits of its number. The
//! receiver has all keys of one number only. k of N is k such transfers of the same items.
//!
//! # Security
//! That of the extension, and AES as a pseudo-random function: items whose numbers differ from the chosen one are hidden under at least one
//! key that the receiver does not have. The number of items, their length and k are public.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};

use super::extension::{Receiver, Sender};
use crate::error::{PartyError, Reason};
use crate::session::Session;
use crate::session::wire::{Reader, Tag};

/// Bits of the numbers of so many items.
fn bits(count: usize) -> usize {
    count.max(2).next_power_of_two().trailing_zeros() as usize
}

/// Hides or shows an item under one key.
fn apply(key: u128, number: usize, item: &mut [u8]) {
    let cipher = Aes128::new(&Array(key.to_le_bytes()));
    for (place, bytes) in item.chunks_mut(16).enumerate() {
        let mut block = Array(((number as u128) << 64 | place as u128).to_le_bytes());
        cipher.encrypt_block(&mut block);
        bytes.iter_mut().zip(block.iter()).for_each(|(byte, mask)| *byte ^= mask);
    }
}

/// Sends items of one length, of which the other party gets `chosen`.
///
/// # Errors
/// When the items are of different lengths, or the session fails.
pub fn send(
    session: &mut Session<'_>,
    sender: &mut Sender,
    to: usize,
    items: &[Vec<u8>],
    chosen: usize,
) -> Result<(), PartyError> {
    if items.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        return Err(PartyError::Input("items of a transfer must have one length".to_owned()));
    }
    for _ in 0..chosen {
        let rows = sender.extend(session, to, bits(items.len()))?;
        let keys = [rows.hashes(1), sender.other(&rows).hashes(1)];
        let mut message = Vec::new();
        for (number, item) in items.iter().enumerate() {
            let mut item = item.clone();
            for bit in 0..bits(items.len()) {
                apply(keys[number >> bit & 1][bit], number, &mut item);
            }
            message.extend(item);
        }
        session.send(to, Tag::TransferItems, &message)?;
    }
    Ok(())
}

/// Receives the items of these numbers, of `count` items of this length.
///
/// # Errors
/// When a number is none, or the session fails.
pub fn receive(
    session: &mut Session<'_>,
    receiver: &mut Receiver,
    from: usize,
    (count, length): (usize, usize),
    chosen: &[usize],
) -> Result<Vec<Vec<u8>>, PartyError> {
    if chosen.iter().any(|number| *number >= count) {
        return Err(PartyError::Input("there is no item of this number".to_owned()));
    }
    let mut received = Vec::with_capacity(chosen.len());
    for &number in chosen {
        let rows = receiver.extend(session, from, &[number as u64], bits(count))?;
        let keys = rows.hashes(1);
        let message = session.receive_exactly(from, Tag::TransferItems, count * length)?;
        let items = session.parse(from, &message, |reader| parse_items(reader, count, length))?;
        let mut item = items[number].to_vec();
        keys.iter().for_each(|key| apply(*key, number, &mut item));
        received.push(item);
    }
    Ok(received)
}

/// So many items of one length.
pub(crate) fn parse_items<'m>(
    reader: &mut Reader<'m>,
    count: usize,
    length: usize,
) -> Result<Vec<&'m [u8]>, Reason> {
    (0..count).map(|_| reader.take(length)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn the_chosen_items_are_those_that_were_sent(
            items in proptest::collection::vec(any::<[u8; 9]>(), 1..40),
            wishes in proptest::collection::vec(any::<proptest::sample::Index>(), 1..4),
        ) {
            let items: Vec<Vec<u8>> = items.iter().map(|own| own.to_vec()).collect();
            let chosen: Vec<usize> = wishes.iter().map(|own| own.index(items.len())).collect();
            let mut results = run_local(2, |session| {
                if session.me() == 0 {
                    let mut sender = Sender::new(session, 1)?;
                    send(session, &mut sender, 1, &items, chosen.len())?;
                    return Ok(Vec::new());
                }
                let mut receiver = Receiver::new(session, 0)?;
                receive(session, &mut receiver, 0, (items.len(), 9), &chosen)
            });
            let got = results.pop().unwrap().unwrap();
            prop_assert_eq!(got, chosen.iter().map(|&place| items[place].clone()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn exactly_the_chosen_items_can_be_read() {
        for count in [1usize, 2, 5, 16, 33] {
            let items: Vec<Vec<u8>> = (0..count).map(|own| vec![own as u8 + 1; 21]).collect();
            let chosen = [0, count / 2, count - 1];
            let results = run_local(2, |session| {
                if session.me() == 0 {
                    let mut sender = Sender::new(session, 1)?;
                    send(session, &mut sender, 1, &items, chosen.len())?;
                    return Ok(Vec::new());
                }
                let mut receiver = Receiver::new(session, 0)?;
                receive(session, &mut receiver, 0, (count, 21), &chosen)
            });
            let got = results[1].as_ref().unwrap();
            let expected: Vec<_> = chosen.iter().map(|&number| items[number].clone()).collect();
            assert_eq!(*got, expected);
        }
    }

    /// With the keys of one number, another item stays hidden.
    #[test]
    fn keys_of_one_number_do_not_open_another() {
        let keys = [[1u128, 2], [3, 4]];
        let mut item = vec![9u8; 16];
        (0..2).for_each(|bit| apply(keys[bit][0b10 >> bit & 1], 0b10, &mut item));
        let mut with_chosen = item.clone();
        (0..2).for_each(|bit| apply(keys[bit][0b11 >> bit & 1], 0b10, &mut with_chosen));
        assert_ne!(with_chosen, vec![9; 16]);
        (0..2).for_each(|bit| apply(keys[bit][0b10 >> bit & 1], 0b10, &mut item));
        assert_eq!(item, vec![9; 16]);
    }
}
