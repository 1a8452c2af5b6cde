//! Writes a file, hashes what goes by and makes it durable at the end: a large one on a thread of its own, while
//! whoever makes the bytes goes on making them.

use std::fs;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

use crate::hash::{BLOCK, FileHasher, Hashes};

/// The bytes that are handed over at once: whole blocks, few enough to stay in the cache of a core.
const CHUNK: usize = 2 * BLOCK;
/// Chunks that may wait to be written.
const AHEAD: usize = 4;

/// Ends when a file is durable, or with why it is not.
pub(crate) type Syncing = JoinHandle<io::Result<()>>;

/// A file that is being written.
pub(crate) struct FileWriter {
    buffer: Vec<u8>,
    state: State,
}

enum State {
    /// A file that may turn out to be small: for less than a chunk, no thread is worth its while.
    Begun(fs::File),
    Apart(Apart),
    Failed,
}

/// The thread that writes, and what goes to it and comes back.
struct Apart {
    thread: Syncing,
    full: SyncSender<Vec<u8>>,
    /// Chunks that were written and can be filled again.
    free: Receiver<Vec<u8>>,
    hashes: Receiver<Hashes>,
}

impl FileWriter {
    /// A writer to a file that was just created.
    pub fn new(file: fs::File) -> Self {
        Self { buffer: Vec::new(), state: State::Begun(file) }
    }

    /// Waits until all is written, and tells what it came to. Making it durable goes on in the background.
    pub fn end(mut self) -> io::Result<(Hashes, Syncing)> {
        match self.state {
            State::Begun(mut file) => {
                let mut hasher = FileHasher::default();
                hasher.update(&self.buffer);
                file.write_all(&self.buffer)?;
                Ok((hasher.finish(), Builder::new().spawn(move || file.sync_all())?))
            }
            State::Apart(_) => {
                self.hand_over()?;
                match self.state {
                    State::Apart(apart) => apart.end(),
                    _ => Err(broken()),
                }
            }
            State::Failed => Err(broken()),
        }
    }

    /// Hands over what is buffered, and gives the reason when that is not possible.
    fn hand_over(&mut self) -> io::Result<()> {
        let apart = match std::mem::replace(&mut self.state, State::Failed) {
            State::Begun(file) => Apart::begin(file)?,
            State::Apart(apart) => apart,
            State::Failed => return Err(broken()),
        };
        let next = apart.free.try_recv().unwrap_or_else(|_| Vec::with_capacity(CHUNK));
        if apart.full.send(std::mem::replace(&mut self.buffer, next)).is_err() {
            return Err(join(apart.thread).err().unwrap_or_else(broken));
        }
        self.state = State::Apart(apart);
        Ok(())
    }
}

impl Write for FileWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() == CHUNK {
            self.hand_over()?;
        }
        let taken = bytes.len().min(CHUNK - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Does nothing: what is buffered belongs to a chunk that is not full yet. [`FileWriter::end`] writes it.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Apart {
    fn begin(file: fs::File) -> io::Result<Self> {
        let (full, chunks) = sync_channel(AHEAD);
        let (back, free) = channel();
        let (tell, hashes) = channel();
        let thread = Builder::new().spawn(move || write(file, &chunks, &back, &tell))?;
        Ok(Self { thread, full, free, hashes })
    }

    fn end(self) -> io::Result<(Hashes, Syncing)> {
        drop(self.full);
        match self.hashes.recv() {
            Ok(hashes) => Ok((hashes, self.thread)),
            Err(_) => Err(join(self.thread).err().unwrap_or_else(broken)),
        }
    }
}

fn broken() -> io::Error {
    io::Error::other("the file could not be written to its end")
}

/// Waits for the end.
pub(crate) fn join(thread: Syncing) -> io::Result<()> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// What the thread does.
fn write(
    mut file: fs::File,
    chunks: &Receiver<Vec<u8>>,
    back: &Sender<Vec<u8>>,
    tell: &Sender<Hashes>,
) -> io::Result<()> {
    let mut hasher = FileHasher::default();
    for mut chunk in chunks {
        hasher.update(&chunk);
        file.write_all(&chunk)?;
        chunk.clear();
        // Whoever makes the bytes may be done, or gone.
        let _ = back.send(chunk);
    }
    let _ = tell.send(hasher.finish());
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that cannot be written says why, whether it is small or large.
    #[test]
    fn why_a_file_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "").unwrap();
        for bytes in [1, CHUNK, 20 * CHUNK] {
            let mut writer = FileWriter::new(fs::File::open(&path).unwrap());
            let wrote = writer.write_all(&vec![7; bytes]);
            let told = wrote.err().or_else(|| writer.end().err()).unwrap();
            assert!(told.raw_os_error().is_some(), "{told}");
        }
    }
}
