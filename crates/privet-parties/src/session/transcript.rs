//! The transcript of a session: which message went where, how long it was, and its SHA-256; one JSON object on a line.
//!
//! It holds no payload and no key. Every line carries the hash of the line before, so that lines cannot be taken out or changed later without
//! it showing; two parties compare their transcripts by the hashes of the messages between them.
//!
//! A transcript is written line by line into a draft beside its place (`.draft.jsonl`), which stays when the process is killed. The transcript
//! of a session that ends with a result takes its place; one that ends without is `.failed.jsonl`, so that the transcript of an earlier result
//! is there as long as the result is.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::tls::hex;
use super::wire::Tag;
use crate::error::PartyError;

/// A transcript that is being written.
pub struct Transcript {
    file: File,
    place: PathBuf,
    /// What could not be written first; it must not change what the protocol does.
    problem: Option<std::io::Error>,
    chain: [u8; 32],
    lines: u64,
}

impl Transcript {
    /// Begins one, whose place this is.
    ///
    /// # Errors
    /// When it cannot be written, or another process of this party is writing it.
    pub fn begin(path: &Path) -> Result<Self, PartyError> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let draft = path.with_extension("draft.jsonl");
        let failed = |error| PartyError::io(&draft, "cannot be written", error);
        let file = options.open(&draft).map_err(failed)?;
        // A party that is started twice must not take the transcript of the session that is going on. Where there are no locks, it might.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(failed(std::io::ErrorKind::ResourceBusy.into()));
        }
        file.set_len(0).map_err(failed)?;
        Ok(Self { file, place: path.to_owned(), problem: None, chain: [0; 32], lines: 0 })
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
        if let Err(error) = self.file.write_all((text + "\n").as_bytes()) {
            self.problem.get_or_insert(error);
        }
    }

    /// Ends it: in its place, or beside it when the session ended without a result.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn finish(self, is_complete: bool) -> std::io::Result<()> {
        if let Some(error) = self.problem {
            return Err(error);
        }
        self.file.sync_all()?;
        let draft = self.place.with_extension("draft.jsonl");
        match is_complete {
            true => std::fs::rename(draft, &self.place),
            false => std::fs::rename(draft, self.place.with_extension("failed.jsonl")),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A party that was started twice took the transcript of its first process, which then lost its result.
    #[test]
    fn a_transcript_that_is_being_written_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("north-result.transcript.jsonl");
        let mut first = Transcript::begin(&place).unwrap();
        first.event("begin", serde_json::json!({}));
        assert!(matches!(Transcript::begin(&place), Err(PartyError::Io { .. })));
        first.event("end", serde_json::json!({}));
        first.finish(true).unwrap();
        assert_eq!(verify_transcript(&std::fs::read_to_string(&place).unwrap()), Ok(2));
        Transcript::begin(&place).unwrap().finish(false).unwrap();
        assert_eq!(verify_transcript(&std::fs::read_to_string(&place).unwrap()), Ok(2));
    }
}
