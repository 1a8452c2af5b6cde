//! SHA-256 of a file and a checksum of each of its blocks of 64 KiB, in one pass over the bytes.
//!
//! The hash of the whole file tells that something changed; the checksums of the blocks only tell where, so they
//! need not withstand anybody, and take a tenth of the time (XXH64).

use std::io::{self, Read};
use std::path::Path;

use privet_data::io::open_plain;
use sha2::{Digest, Sha256};
use twox_hash::XxHash64;

/// The size of a block whose hash the manifest lists.
pub const BLOCK: usize = 64 * 1024;

/// How many bytes of a file are read at once: whole blocks, few enough to stay in the cache of a core.
const CHUNK: usize = 8 * BLOCK;

/// What is known of a file after all its bytes went by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hashes {
    pub bytes: u64,
    pub sha256: String,
    pub blocks: Vec<String>,
}

/// Hashes a file that is given chunk by chunk.
#[derive(Default)]
pub(crate) struct FileHasher {
    whole: Sha256,
    blocks: Vec<String>,
    bytes: u64,
}

impl FileHasher {
    /// Hashes the next chunk. Every chunk but the last must be a whole number of blocks.
    pub fn update(&mut self, chunk: &[u8]) {
        debug_assert!(self.bytes.is_multiple_of(BLOCK as u64), "only the last chunk may end inside a block");
        self.bytes += chunk.len() as u64;
        // Block by block, so that each is in the nearest cache when its checksum follows.
        for block in chunk.chunks(BLOCK) {
            self.whole.update(block);
            self.blocks.push(block_digits(block));
        }
    }

    /// The hashes of everything that went by.
    pub fn finish(self) -> Hashes {
        Hashes { bytes: self.bytes, sha256: hex(&self.whole.finalize()), blocks: self.blocks }
    }
}

fn block_digits(block: &[u8]) -> String {
    format!("{:016x}", XxHash64::oneshot(0, block))
}

/// SHA-256 of some bytes, in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-256 of a file, in hexadecimal digits; what a manifest calls the `population_sha256` of a population table.
///
/// # Errors
/// When the file cannot be read.
pub fn sha256_of_file(path: &Path) -> io::Result<String> {
    Ok(hash_file(path, &mut || Ok(()))?.sha256)
}

/// The hashes of a file. `each_chunk` is called before every chunk and may end the work with an error.
pub(crate) fn hash_file(path: &Path, each_chunk: &mut dyn FnMut() -> io::Result<()>) -> io::Result<Hashes> {
    let mut file = open_plain(path)?;
    let mut hasher = FileHasher::default();
    let mut chunk = Vec::with_capacity(CHUNK);
    loop {
        each_chunk()?;
        chunk.clear();
        file.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)?;
        hasher.update(&chunk);
        if chunk.len() < CHUNK {
            return Ok(hasher.finish());
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_one_of_the_standard() {
        // FIPS 180-4, example of one block.
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn the_checksum_is_the_one_of_its_authors() {
        // Test vectors of the reference implementation, seed 0.
        assert_eq!(block_digits(b""), "ef46db3751d8e999");
        assert_eq!(block_digits(b"abc"), "44bc2cf5ad770999");
    }

    #[test]
    fn chunks_and_one_pass_agree() {
        let bytes: Vec<u8> = (0..3 * CHUNK + 12_345).map(|i| (i * 31 % 251) as u8).collect();
        let mut hasher = FileHasher::default();
        for chunk in bytes.chunks(CHUNK) {
            hasher.update(chunk);
        }
        let hashes = hasher.finish();
        assert_eq!(hashes.bytes, bytes.len() as u64);
        assert_eq!(hashes.sha256, sha256(&bytes));
        let blocks: Vec<String> = bytes.chunks(BLOCK).map(block_digits).collect();
        assert_eq!(hashes.blocks, blocks);

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(hash_file(&path, &mut || Ok(())).unwrap(), hashes);
    }

    #[test]
    fn an_empty_file_has_no_block() {
        let hashes = FileHasher::default().finish();
        assert!(hashes.blocks.is_empty());
        assert_eq!(hashes.sha256, sha256(b""));
    }
}
