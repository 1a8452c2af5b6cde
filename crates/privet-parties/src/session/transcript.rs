//! The transcript of a session: which message went where, how long it was, and its SHA-256; one JSON object on a line.
//!
//! It holds no payload and no key. Every line carries the hash of the line before, so that lines cannot be taken out or changed later without
//! it showing; two parties compare their transcripts by the hashes of the messages between them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::tls::hex;
use super::wire::Tag;
use crate::error::PartyError;

/// A transcript that is being written.
pub struct Transcript {
    file: BufWriter<File>,
    chain: [u8; 32],
    lines: u64,
}

impl Transcript {
    /// Begins one; an existing file is replaced.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(path: &Path) -> Result<Self, PartyError> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| PartyError::io(path, "cannot be written", error))?;
        Ok(Self { file: BufWriter::new(file), chain: [0; 32], lines: 0 })
    }

    /// Adds an event.
    pub fn event(&mut self, name: &str, detail: serde_json::Value) {
        self.line(serde_json::json!({ "event": name, "detail": detail }));
    }

    /// Adds a message.
    pub fn message(&mut self, is_sent: bool, peer: &str, tag: Tag, payload: &[u8]) {
        let direction = if is_sent { "sent" } else { "received" };
        self.line(serde_json::json!({
            "message": direction, "peer": peer, "tag": tag, "bytes": payload.len(), "sha256": hex(&Sha256::digest(payload)),
        }));
    }

    fn line(&mut self, mut event: serde_json::Value) {
        if let Some(object) = event.as_object_mut() {
            object.insert("line".to_owned(), self.lines.into());
            object.insert("before".to_owned(), hex(&self.chain).into());
        }
        let text = event.to_string();
        self.chain = Sha256::digest(text.as_bytes()).into();
        self.lines += 1;
        // why: a transcript that cannot be written must not change what the protocol does; `finish` reports it
        let _ = writeln!(self.file, "{text}");
    }

    /// Ends it.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn finish(&mut self) -> std::io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }
}

/// Checks that no line of a transcript was changed or taken out; the number of lines.
///
/// # Errors
/// The first line that does not follow the one before.
pub fn verify_transcript(text: &str) -> Result<u64, u64> {
    let mut chain = [0u8; 32];
    let mut count = 0;
    for (place, line) in text.lines().enumerate() {
        let place = place as u64;
        let value: serde_json::Value = serde_json::from_str(line).map_err(|_| place)?;
        if value["before"].as_str() != Some(&hex(&chain)) || value["line"].as_u64() != Some(place) {
            return Err(place);
        }
        chain = Sha256::digest(line.as_bytes()).into();
        count += 1;
    }
    Ok(count)
}
