//! Building blocks: one file each, with what it computes, what it reveals, and under which assumption.

pub mod base_transfer;
pub mod compare;
pub mod extension;
pub mod group;
pub mod intersection;
pub mod paillier;
pub mod product;
pub mod ring_sum;
pub mod sum;
pub mod transfer;
pub mod union;
pub mod valid_sum;

use crate::error::Reason;
use crate::session::wire::{Reader, Tag};

/// Reads the body of a message as every shape that its tag may have; for fuzzing the parsers.
///
/// # Errors
/// When no writer makes such a body.
pub fn parse_body(tag: Tag, body: &[u8]) -> Result<(), Reason> {
    let mut reader = Reader::new(body);
    match tag {
        Tag::Abort => return crate::session::parse_abort(body).map(|_| ()),
        Tag::Hello => {
            crate::session::parse_hello(&mut reader)?;
        }
        Tag::Confirm | Tag::PairSeed => {
            reader.take(if tag == Tag::Confirm { 32 } else { 16 })?;
        }
        Tag::Heartbeat | Tag::Goodbye => {}
        Tag::MaskedSum | Tag::RingSum | Tag::Correction | Tag::Opening | Tag::Output | Tag::Size => {
            reader.u64s(body.len() / 8)?;
        }
        Tag::BaseTransfer | Tag::BlindedSet | Tag::UnionSet => {
            group::parse_points(&mut reader, body.len() / 32)?;
        }
        Tag::ExtensionMatrix => {
            extension::parse_matrix(&mut reader, body.len() / 16)?;
        }
        Tag::TransferItems => {
            transfer::parse_items(&mut reader, body.len() / 16, 16)?;
        }
        Tag::Payload => {
            intersection::parse_payload(&mut reader, body.len() / intersection::PAYLOAD_BYTES)?;
        }
        Tag::PaillierKey => {
            paillier::parse_key(&mut reader)?;
        }
        Tag::PaillierCiphertexts => {
            paillier::parse_ciphertexts(&mut reader, body.len() / paillier::CIPHERTEXT_BYTES)?;
        }
        Tag::ValidShare => valid_sum::parse_share(&mut reader)?,
        // A key, or a step.
        Tag::ValidityStep if body.len() == 32 => {
            reader.take(32)?;
        }
        Tag::ValidityStep => valid_sum::parse_step(&mut reader)?,
        Tag::Verdict => {
            crate::mining::parse_verdict(&mut reader)?;
        }
    }
    reader.finish()
}
