//! Frames and messages on the wire, and their strict parsers.
//!
//! A message is one or more frames; a frame has a header of 24 bytes with version, tag, length, sequence number and the first bytes of the
//! session's identifier. A parser accepts exactly what a writer makes: unknown versions, tags and flags, lengths beyond the limit and bytes
//! left over are errors, and no length is believed before it is checked.

use crate::error::Reason;

/// The version of the protocol.
pub const VERSION: u8 = 1;
/// Bytes of a header.
pub const HEADER: usize = 24;
/// The most payload bytes of a frame.
pub const MAX_FRAME: usize = 1 << 20;

macro_rules! tags {
    ($($(#[$doc:meta])* $name:ident = $number:literal),+ $(,)?) => {
        /// What a message is about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
        #[serde(rename_all = "kebab-case")]
        #[repr(u16)]
        pub enum Tag { $($(#[$doc])* $name = $number),+ }
        impl Tag {
            /// All of them.
            pub const ALL: &'static [Tag] = &[$(Tag::$name),+];
        }
    };
}

tags! {
    /// The job's hash and a fresh number: the first message of a session.
    Hello = 1,
    /// The session's identifier, for agreement.
    Confirm = 2,
    /// A sign of life.
    Heartbeat = 3,
    /// The protocol is complete.
    Goodbye = 4,
    /// The session ends without a result.
    Abort = 5,
    /// Seeds that two parties share.
    PairSeed = 10,
    /// Values under masks that cancel out.
    MaskedSum = 11,
    /// A running total under a mask.
    RingSum = 12,
    /// Public keys and ciphertexts of base oblivious transfers.
    BaseTransfer = 20,
    /// The matrix of an extension of oblivious transfers.
    ExtensionMatrix = 21,
    /// Corrections of correlated transfers.
    Correction = 22,
    /// Items under the keys of a transfer.
    TransferItems = 23,
    /// Differences that multiplications of shared bits open.
    Opening = 24,
    /// Shares of an output.
    Output = 25,
    /// Group elements of an intersection.
    BlindedSet = 30,
    /// Ciphertexts of values that come with an intersection.
    Payload = 31,
    /// Ciphertexts of a union.
    UnionSet = 40,
    /// A Paillier key.
    PaillierKey = 50,
    /// Paillier ciphertexts.
    PaillierCiphertexts = 51,
    /// Shares with a proof of validity.
    ValidShare = 60,
    /// A step of the verification of such a proof.
    ValidityStep = 61,
    /// What a party found at its gate.
    Verdict = 70,
    /// A count or a size that the protocol makes public.
    Size = 72,
}

impl Tag {
    /// The tag of a number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|tag| *tag as u16 == number)
    }
}

/// The header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What it is about.
    pub tag: Tag,
    /// Whether it ends its message.
    pub is_last: bool,
    /// How many payload bytes follow.
    pub length: usize,
    /// Its number among the frames that the sender sent to this receiver.
    pub sequence: u64,
    /// The first bytes of the session's identifier.
    pub session: [u8; 8],
}

impl Header {
    /// Its bytes.
    pub fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[0] = VERSION;
        bytes[1] = u8::from(self.is_last);
        bytes[2..4].copy_from_slice(&(self.tag as u16).to_le_bytes());
        bytes[4..8].copy_from_slice(&(self.length as u32).to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.session);
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    /// When the version, the flags, the tag or the length is none that a writer makes.
    pub fn parse(bytes: &[u8; HEADER]) -> Result<Self, Reason> {
        let mut reader = Reader::new(bytes);
        let (version, flags) = (reader.u8()?, reader.u8()?);
        let (tag, length) = (reader.u16()?, reader.u32()? as usize);
        let (sequence, session) = (reader.u64()?, reader.array()?);
        if version != VERSION || flags > 1 {
            return Err(Reason::Malformed);
        }
        if length > MAX_FRAME {
            return Err(Reason::Oversized);
        }
        let tag = Tag::from_number(tag).ok_or(Reason::Malformed)?;
        Ok(Self { tag, is_last: flags == 1, length, sequence, session })
    }
}

/// Reads a message part by part; every read checks that the bytes are there.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Begins.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// So many bytes.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Reason> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(Reason::Malformed)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// An array.
    ///
    /// # Errors
    /// When there are fewer bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Reason> {
        self.take(N)?.try_into().map_err(|_| Reason::Malformed)
    }

    /// A byte.
    ///
    /// # Errors
    /// When there is none.
    pub fn u8(&mut self) -> Result<u8, Reason> {
        Ok(self.array::<1>()?[0])
    }

    /// A number of two bytes.
    ///
    /// # Errors
    /// When there are fewer bytes.
    pub fn u16(&mut self) -> Result<u16, Reason> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// A number of four bytes.
    ///
    /// # Errors
    /// When there are fewer bytes.
    pub fn u32(&mut self) -> Result<u32, Reason> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// A number of eight bytes.
    ///
    /// # Errors
    /// When there are fewer bytes.
    pub fn u64(&mut self) -> Result<u64, Reason> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// So many numbers.
    ///
    /// # Errors
    /// When there are fewer bytes.
    pub fn u64s(&mut self, count: usize) -> Result<Vec<u64>, Reason> {
        let bytes = self.take(count.checked_mul(8).ok_or(Reason::Malformed)?)?;
        Ok(bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
    }

    /// Bytes with their length before them, at most so many.
    ///
    /// # Errors
    /// When the length is larger, or the bytes are not there.
    pub fn bytes(&mut self, at_most: usize) -> Result<&'a [u8], Reason> {
        let length = self.u32()? as usize;
        if length > at_most {
            return Err(Reason::Oversized);
        }
        self.take(length)
    }

    /// Whether all was read.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Ends.
    ///
    /// # Errors
    /// When bytes are left over.
    pub fn finish(self) -> Result<(), Reason> {
        if self.bytes.is_empty() { Ok(()) } else { Err(Reason::Malformed) }
    }
}

/// Numbers as bytes.
pub fn u64s(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Adds bytes with their length before them.
pub fn put_bytes(message: &mut Vec<u8>, bytes: &[u8]) {
    message.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    message.extend_from_slice(bytes);
}

/// Reads any bytes as every kind of message; whether a frame was accepted. For fuzzing.
pub fn parse_any(bytes: &[u8]) -> bool {
    let Some((head, body)) = bytes.split_first_chunk::<HEADER>() else { return false };
    let Ok(header) = Header::parse(head) else { return false };
    assert_eq!(Header::parse(&header.bytes()), Ok(header));
    if body.len() != header.length {
        return false;
    }
    crate::protocol::parse_body(header.tag, body).is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(last: bool, length in 0..=MAX_FRAME, sequence: u64, session: [u8; 8], tag in 0..Tag::ALL.len()) {
            let header = Header { tag: Tag::ALL[tag], is_last: last, length, sequence, session };
            prop_assert_eq!(Header::parse(&header.bytes()), Ok(header));
        }

        #[test]
        fn nothing_panics_on_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = parse_any(&bytes);
        }
    }

    #[test]
    fn a_header_that_no_writer_makes_is_refused() {
        let good = Header { tag: Tag::Hello, is_last: true, length: 4, sequence: 0, session: [0; 8] }.bytes();
        let changed = |at: usize, to: u8| {
            let mut bytes = good;
            bytes[at] = to;
            Header::parse(&bytes)
        };
        assert_eq!(changed(0, 2), Err(Reason::Malformed));
        assert_eq!(changed(1, 2), Err(Reason::Malformed));
        assert_eq!(changed(2, 0), Err(Reason::Malformed));
        assert_eq!(changed(6, 0x11), Err(Reason::Oversized));
    }

    #[test]
    fn a_reader_believes_no_length() {
        assert_eq!(Reader::new(&[255, 255, 255, 255, 0]).bytes(1 << 30), Err(Reason::Oversized));
        assert_eq!(Reader::new(&[5, 0, 0, 0, 0]).bytes(8), Err(Reason::Malformed));
        assert_eq!(Reader::new(&[1]).u64s(usize::MAX), Err(Reason::Malformed));
        assert_eq!(Reader::new(&[1]).finish(), Err(Reason::Malformed));
    }
}
