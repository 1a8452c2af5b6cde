//! How many bytes an LZ4 frame can become, from the headers of its blocks: decompressing it is not held to what a file states.

/// What begins a frame, and one that is skipped (its last four bits are free).
const FRAME: u32 = 0x184d_2204;
const SKIPPABLE: u32 = 0x184d_2a50;
/// The most that a byte of a block becomes.
const MOST_GROWTH: u64 = 255;

/// The most bytes that the frames in a part of a file become. `bytes` gives some bytes at a place, or an error when there are
/// none. Where frames are damaged, what lies behind is not counted, since it is not decompressed.
pub(super) fn most<E>(
    mut at: u64,
    end: u64,
    mut bytes: impl FnMut(u64, u64) -> Result<Vec<u8>, E>,
) -> Result<u64, E> {
    let mut number = |at: u64| -> Result<Option<u32>, E> {
        if at.saturating_add(4) > end {
            return Ok(None);
        }
        Ok(bytes(at, 4)?.try_into().ok().map(u32::from_le_bytes))
    };
    let mut total: u64 = 0;
    while let Some(magic) = number(at)? {
        if magic & !0xf == SKIPPABLE {
            let Some(length) = number(at + 4)? else { break };
            at += 8 + u64::from(length);
            continue;
        }
        let Some(descriptor) = number(at + 4)?.filter(|_| magic == FRAME) else { break };
        let [flags, block, ..] = descriptor.to_le_bytes();
        let largest: u64 = match (block >> 4) & 7 {
            4 => 64 << 10,
            5 => 256 << 10,
            6 => 1 << 20,
            7 => 4 << 20,
            _ => break,
        };
        let has = |flag: u8, length: u64| if flags & flag != 0 { length } else { 0 };
        // The magic, the flags, the size of the content, the dictionary's id, a checksum.
        at += 4 + 2 + has(0x08, 8) + has(0x01, 4) + 1;
        loop {
            let Some(size) = number(at)? else { return Ok(total) };
            at += 4;
            if size == 0 {
                at += has(0x04, 4);
                break;
            }
            let length = u64::from(size & 0x7fff_ffff);
            let is_plain = size >> 31 == 1;
            total = total.saturating_add(if is_plain { length } else { largest.min(length * MOST_GROWTH) });
            at += length + has(0x10, 4);
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn most_of(bytes: &[u8]) -> u64 {
        let part = |at: u64, length: u64| Ok::<_, ()>(bytes[at as usize..(at + length) as usize].to_vec());
        most(0, bytes.len() as u64, part).unwrap()
    }

    /// The layout of the LZ4 frame format: a frame of 64 kB blocks, one of 10 bytes and one of 3 plain ones.
    #[test]
    fn blocks_are_counted_by_what_they_can_hold() {
        let mut frame = FRAME.to_le_bytes().to_vec();
        frame.extend([0x40, 0x40, 0]);
        frame.extend(10_u32.to_le_bytes());
        frame.extend([0; 10]);
        frame.extend((3_u32 | 1 << 31).to_le_bytes());
        frame.extend([0; 3]);
        frame.extend(0_u32.to_le_bytes());
        assert_eq!(most_of(&frame), 10 * 255 + 3);
        let mut large = frame[..7].to_vec();
        large.extend(1000_u32.to_le_bytes());
        large.extend([0; 1000]);
        assert_eq!(most_of(&large), 64 << 10, "no block holds more");
        let twice = [frame.clone(), frame.clone()].concat();
        assert_eq!(most_of(&twice), 2 * most_of(&frame));
        for cut in 0..frame.len() {
            assert!(most_of(&frame[..cut]) <= most_of(&frame));
        }
    }
}
