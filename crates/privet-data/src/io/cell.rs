//! One cell of a CSV: where it ends, when it is quoted, and what it says.
//!
//! A cell that begins with the quotation mark is quoted and ends at its closing mark; a doubled mark
//! inside stands for one. Anywhere else the mark is ordinary text. Delimiter and mark are ASCII, so all of
//! this works on bytes whatever the encoding.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memchr3};

/// How many bytes must follow the text that [`Marks`] looks at.
pub(super) const PADDING: usize = 64;

/// Finds delimiters and line feeds, 64 bytes at a time.
pub(super) struct Marks<'a> {
    text: &'a [u8],
    delimiter: u8,
    base: usize,
    /// Bit `i` is set when byte `base + i` is a mark that was not yet given out.
    bits: u64,
}

impl<'a> Marks<'a> {
    /// Begins at a position of a padded text.
    #[inline]
    pub(super) fn new(text: &'a [u8], position: usize, delimiter: u8) -> Self {
        let bits = marks_of(text, position, delimiter).unwrap_or(0);
        Self { text, delimiter, base: position, bits }
    }

    /// The position of the next mark.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.base += 64;
            self.bits = marks_of(self.text, self.base, self.delimiter)?;
        }
        let position = self.base + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(position)
    }

    /// Goes on at a later position.
    #[inline]
    pub(super) fn seek(&mut self, position: usize) {
        let ahead = position - self.base;
        if ahead < 64 {
            self.bits &= u64::MAX << ahead;
        } else {
            *self = Self::new(self.text, position, self.delimiter);
        }
    }
}

#[inline(always)]
fn marks_of(text: &[u8], base: usize, delimiter: u8) -> Option<u64> {
    let chunk = text.get(base..)?.first_chunk::<64>()?;
    // Byte comparisons that become vector instructions, then eight flags at a time into eight bits.
    let mut flags = [0_u8; 64];
    for (flag, &byte) in flags.iter_mut().zip(chunk) {
        *flag = u8::from(byte == delimiter) | u8::from(byte == b'\n');
    }
    let mut bits = 0;
    for (i, eight) in flags.as_chunks::<8>().0.iter().enumerate() {
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= gathered << (8 * i);
    }
    Some(bits)
}

/// The position after the closing mark of the cell whose opening mark stands at `open`.
#[inline]
pub(super) fn after_closing(text: &[u8], open: usize, quote: u8) -> Option<usize> {
    let mut position = open + 1;
    loop {
        position += memchr(quote, text.get(position..)?)? + 1;
        if text.get(position) != Some(&quote) {
            return Some(position);
        }
        position += 1;
    }
}

/// Finds the cells of the record that begins at `position`, as they stand, and where the next begins.
/// Malformed cells are taken as far as the next delimiter. `None` when the record does not end in this
/// text and the text is not all there is.
pub(super) fn record(
    text: &[u8],
    mut position: usize,
    delimiter: u8,
    quote: u8,
    is_all: bool,
    cells: &mut Vec<Range<usize>>,
) -> Option<usize> {
    cells.clear();
    loop {
        let start = position;
        if text.get(position) == Some(&quote) {
            position = match after_closing(text, position, quote) {
                Some(after) => after,
                None if is_all => text.len(),
                None => return None,
            };
        }
        let Some(found) = memchr2(delimiter, b'\n', &text[position..]) else {
            cells.push(start..text.len());
            return is_all.then_some(text.len());
        };
        let end = position + found;
        position = end + 1;
        if text[end] == b'\n' {
            let returned = end > start && text[end - 1] == b'\r';
            cells.push(start..end - usize::from(returned));
            return Some(position);
        }
        cells.push(start..end);
    }
}

/// Whether a text must be quoted to be read back as one cell.
pub(super) fn needs_quotes(text: &[u8], delimiter: u8, quote: u8) -> bool {
    memchr3(delimiter, quote, b'\n', text).is_some() || memchr(b'\r', text).is_some()
}

/// Adds a text in quotation marks.
pub(super) fn push_quoted(text: &[u8], quote: u8, out: &mut Vec<u8>) {
    out.push(quote);
    let mut from = 0;
    for mark in memchr_iter(quote, text) {
        out.extend_from_slice(&text[from..=mark]);
        out.push(quote);
        from = mark + 1;
    }
    out.extend_from_slice(&text[from..]);
    out.push(quote);
}

/// The text that a cell stands for; `None` when it opens with a mark and does not end with its closing one.
pub(super) fn unquote(cell: &[u8], quote: u8) -> Option<Cow<'_, [u8]>> {
    if cell.first() != Some(&quote) {
        return Some(Cow::Borrowed(cell));
    }
    if after_closing(cell, 0, quote)? != cell.len() {
        return None;
    }
    let inner = &cell[1..cell.len() - 1];
    if memchr(quote, inner).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut from = 0;
    while let Some(mark) = memchr(quote, &inner[from..]) {
        text.extend_from_slice(&inner[from..=from + mark]);
        from += mark + 2;
    }
    text.extend_from_slice(&inner[from.min(inner.len())..]);
    Some(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_at_every_distance() {
        for gap in 0..200 {
            let mut text = vec![b'x'; gap];
            text.extend_from_slice(b",\n");
            text.resize(text.len() + 2 * PADDING, 0);
            let mut marks = Marks::new(&text, 0, b',');
            assert_eq!(marks.next(), Some(gap));
            assert_eq!(marks.next(), Some(gap + 1));
            assert_eq!(marks.next(), None);
            let mut marks = Marks::new(&text, 0, b',');
            marks.seek(gap + 1);
            assert_eq!(marks.next(), Some(gap + 1));
        }
    }

    #[test]
    fn quoting_and_unquoting_are_inverse() {
        for text in ["", "a", "\"", "\"\"", "a\"b", "a,b\r\n\"c\"", "\"x"] {
            let mut cell = Vec::new();
            push_quoted(text.as_bytes(), b'"', &mut cell);
            assert_eq!(unquote(&cell, b'"').as_deref(), Some(text.as_bytes()), "{text:?}");
        }
        assert_eq!(unquote(b"a\"b\"", b'"').as_deref(), Some(&b"a\"b\""[..]));
        assert_eq!(unquote(b"\"a\"b", b'"'), None);
        assert_eq!(unquote(b"\"a", b'"'), None);
        assert_eq!(unquote(b"\"", b'"'), None);
    }

    #[test]
    fn a_record_is_cut_into_cells() {
        let mut cells = Vec::new();
        let text = b"a,\"b,\n\"\"\",\r\nnext";
        let end = record(text, 0, b',', b'"', true, &mut cells);
        assert_eq!(end, Some(12));
        let found: Vec<&[u8]> = cells.iter().map(|c| &text[c.clone()]).collect();
        assert_eq!(found, [&b"a"[..], b"\"b,\n\"\"\"", b""]);
        assert_eq!(record(text, 12, b',', b'"', false, &mut cells), None);
        assert_eq!(record(text, 12, b',', b'"', true, &mut cells), Some(text.len()));
    }
}
