//! Looks through the messages of an Arrow IPC file before it is read: every length that it states must fit the file.
//!
//! The library takes lengths as they stand, and would ask for as much memory as a damaged byte says. Lengths of compressed
//! buffers after decompression cannot be held against the file; they are limited like the table itself.

use std::io::{Read, Seek, SeekFrom};

use arrow_ipc::{MessageHeader, RecordBatch, root_as_footer, root_as_message};

use super::error::ReadErrorKind;
use super::extent::Extent;
use super::lz4_extent;

/// What begins and ends a file with a footer.
pub(super) const MAGIC: &[u8; 6] = b"ARROW1";
/// The length of the footer, and the magic.
const TRAILER: u64 = 10;
/// Marks a message in streams since version 0.15.
const CONTINUATION: u32 = u32::MAX;
/// The most that a buffer grows when it is decompressed with LZ4, whose format allows no more.
const MOST_GROWTH: u64 = 256;

/// The library's codes for compression: LZ4 is the first.
const LZ4: arrow_ipc::CompressionType = arrow_ipc::CompressionType::LZ4_FRAME;

fn damaged(problem: &str) -> ReadErrorKind {
    ReadErrorKind::Damaged { format: "Arrow", problem: problem.to_owned() }
}

/// A file of known size.
struct Source<R> {
    source: R,
    size: u64,
}

/// Checks a file with a footer.
pub(super) fn check_file(source: impl Read + Seek, size: u64, extent: &Extent) -> Result<(), ReadErrorKind> {
    let mut source = Source { source, size };
    let footer_end = size.checked_sub(TRAILER).ok_or_else(|| damaged("it is cut off"))?;
    let trailer = source.bytes(footer_end, TRAILER)?;
    if trailer[4..] != MAGIC[..] {
        return Err(damaged("its end is missing"));
    }
    let length = i32::from_le_bytes([trailer[0], trailer[1], trailer[2], trailer[3]]);
    let length = u64::try_from(length).map_err(|_| damaged("its footer has no length"))?;
    let start = footer_end.checked_sub(length).ok_or_else(|| damaged("its footer does not fit the file"))?;
    let footer = source.bytes(start, length)?;
    let footer = root_as_footer(&footer).map_err(|_| damaged("its footer cannot be read"))?;
    let dictionaries = footer.dictionaries().into_iter().flatten();
    let batches = footer.recordBatches().into_iter().flatten();
    let mut records: u64 = 0;
    for block in dictionaries.chain(batches) {
        let place = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let [Ok(offset), Ok(metadata), Ok(body)] = place.map(u64::try_from) else {
            return Err(damaged("a block has a length below 0"));
        };
        let bytes = source.bytes(offset, metadata)?;
        let prefix = match bytes.get(..4) {
            Some(b"\xff\xff\xff\xff") => 8,
            Some(_) => 4,
            None => return Err(damaged("a block is too short")),
        };
        let message = bytes.get(prefix..).ok_or_else(|| damaged("a block is too short"))?;
        let start = offset.saturating_add(metadata);
        records = records.saturating_add(source.message(message, start, Some(body), extent)?.0);
    }
    extent.expect(records)
}

/// Checks a stream of messages.
pub(super) fn check_stream(
    source: impl Read + Seek,
    size: u64,
    extent: &Extent,
) -> Result<(), ReadErrorKind> {
    let mut source = Source { source, size };
    let (mut at, mut records) = (0, 0_u64);
    while at < size {
        let mut length = source.number(at)?;
        at += 4;
        if length == CONTINUATION {
            length = source.number(at)?;
            at += 4;
        }
        if length == 0 {
            break;
        }
        let message = source.bytes(at, u64::from(length))?;
        at += u64::from(length);
        let (own, body) = source.message(&message, at, None, extent)?;
        records = records.saturating_add(own);
        at += body;
    }
    extent.expect(records)
}

impl<R: Read + Seek> Source<R> {
    /// Some bytes of the file.
    fn bytes(&mut self, at: u64, length: u64) -> Result<Vec<u8>, ReadErrorKind> {
        if at.checked_add(length).is_none_or(|end| end > self.size) {
            return Err(damaged("a length in it does not fit the file"));
        }
        self.source.seek(SeekFrom::Start(at))?;
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| damaged("a part is too long"))?];
        self.source.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn number(&mut self, at: u64) -> Result<u32, ReadErrorKind> {
        let bytes = self.bytes(at, 4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Checks a message whose body begins at `start`. Returns its records and the length of its body.
    fn message(
        &mut self,
        message: &[u8],
        start: u64,
        stated: Option<u64>,
        extent: &Extent,
    ) -> Result<(u64, u64), ReadErrorKind> {
        let message = root_as_message(message).map_err(|_| damaged("a message cannot be read"))?;
        let body =
            u64::try_from(message.bodyLength()).map_err(|_| damaged("a message has a length below 0"))?;
        // The library reads as much as a block states, whatever its message says.
        let longest = stated.unwrap_or(body).max(body);
        let fits = start.checked_add(longest).is_some_and(|end| end <= self.size);
        if !fits || stated.is_some_and(|stated| stated < body) {
            return Err(damaged("a message is longer than its place in the file"));
        }
        let (batch, counts) = match message.header_type() {
            MessageHeader::RecordBatch => (message.header_as_record_batch(), true),
            MessageHeader::DictionaryBatch => {
                (message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()), false)
            }
            _ => return Ok((0, body)),
        };
        let batch = batch.ok_or_else(|| damaged("a message holds no batch"))?;
        let records = self.batch(&batch, start, body, extent)?;
        Ok((if counts { records } else { 0 }, body))
    }

    /// Checks a batch and returns how many records it has.
    fn batch(
        &mut self,
        batch: &RecordBatch<'_>,
        start: u64,
        body: u64,
        extent: &Extent,
    ) -> Result<u64, ReadErrorKind> {
        let records = u64::try_from(batch.length()).map_err(|_| damaged("a batch has a length below 0"))?;
        for node in batch.nodes().into_iter().flatten() {
            if node.length() < 0 || node.null_count() < 0 || node.null_count() > node.length() {
                return Err(damaged("a column has a length that it cannot have"));
            }
        }
        let compression = batch.compression().map(|compression| compression.codec());
        let mut decoded: u64 = 0;
        for buffer in batch.buffers().into_iter().flatten() {
            let place = [buffer.offset(), buffer.length()].map(u64::try_from);
            let [Ok(offset), Ok(length)] = place else {
                return Err(damaged("a buffer has a length below 0"));
            };
            if offset.checked_add(length).is_none_or(|end| end > body) {
                return Err(damaged("a buffer does not fit its message"));
            }
            decoded = decoded.saturating_add(match compression {
                Some(codec) if length > 0 => self.decompressed(start + offset, length, codec)?,
                _ => length,
            });
        }
        extent.part(decoded)?;
        Ok(records)
    }

    /// The length that a compressed buffer states for after decompression.
    fn decompressed(
        &mut self,
        at: u64,
        length: u64,
        codec: arrow_ipc::CompressionType,
    ) -> Result<u64, ReadErrorKind> {
        let too_short = || damaged("a compressed buffer is too short");
        let compressed = length.checked_sub(8).ok_or_else(too_short)?;
        let bytes = self.bytes(at, 8)?;
        let bytes: [u8; 8] = bytes.try_into().map_err(|_| too_short())?;
        match i64::from_le_bytes(bytes) {
            // It was not worth compressing.
            -1 => Ok(compressed),
            stated => {
                let stated = u64::try_from(stated).map_err(|_| damaged("a buffer has a length below 0"))?;
                if codec != LZ4 {
                    return Ok(stated);
                }
                if stated > compressed.saturating_mul(MOST_GROWTH) {
                    return Err(damaged("a compressed buffer states more than it can hold"));
                }
                let most = lz4_extent::most(at + 8, at + length, |at, length| self.bytes(at, length))?;
                Ok(stated.max(most))
            }
        }
    }
}
