//! Mutations of valid files, the same in every run: the number of an input is enough to make it again.

/// Knuth's 64-bit linear congruence, scrambled once so that neighbouring seeds differ.
pub struct Random(u64);

impl Random {
    /// The generator of an input.
    pub fn new(seed: u64) -> Self {
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(state ^ (state >> 31))
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Pieces that change what a text means.
const PIECES: &[&[u8]] = &[
    b"\"", b"\"\"", b"'", b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", b"\xff\xfe", b"[", b"]", b"{", b"}", b"(", b")", b"((((((((", b"[[", b"=", b".", b"#", b"\\",
    b"\\u0000", b"\\ud800", b"*", b"-", b"--", b"-1", b"0", b"1e309", b"1e308", b"-1e-400", b"nan", b"inf",
    b"9223372036854775808", b"99999999999999999999", b"18446744073709551615", b"true", b"null", b"\"k\"", b"\"\"",
    b"2024-02-30", b"9999-12-31", b"-9999-01-01", b"_", b"\x1b[31m", b"=cmd|'/c'!A0", b" not ", b" and ", b" or ",
    b" between ", b" in (", b" like ", b" group by ", b" order by ", b" limit ", b"count(*)", b"select ", b" from ",
    b"\xf0\x9f\x8c\xb3", b"\xe2\x80\xae", b"\xc2\x85",
];

/// Numbers that lengths and counts break at.
const NUMBERS: &[u64] = &[
    0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000, 0xffff_ffff_ffff_ffff, 1 << 40, 1 << 56,
];

/// A changed file: one to three changed bytes, or more for text.
pub fn mutate(random: &mut Random, seeds: &[Vec<u8>], is_text: bool) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(if is_text { 5 } else { 3 }) {
        match is_text {
            true => change_text(random, &mut bytes, seeds),
            false => change_binary(random, &mut bytes, seeds),
        }
    }
    bytes
}

fn change_text(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let at = random.below(bytes.len() + 1);
    let end = (at + 1 + random.below(24)).min(bytes.len()).max(at);
    match random.below(10) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
        2 => drop(bytes.drain(at..end)),
        3 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        4 | 5 => {
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len());
            let piece = other[from..(from + 1 + random.below(40)).min(other.len())].to_vec();
            bytes.splice(at..end, piece);
        }
        6 if random.below(10) == 0 => bytes.truncate(at),
        7 if random.below(50) == 0 => {
            let copy = bytes[at..end].repeat(1 + random.below(200));
            bytes.splice(at..at, copy);
        }
        _ => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].iter().copied())),
    }
}

fn change_binary(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    if bytes.is_empty() {
        return;
    }
    // Lengths and places stand at the ends of these formats more often than in the middle.
    let length = bytes.len();
    let at = match random.below(4) {
        0 => length - 1 - random.below(length.min(600)),
        1 => random.below(length.min(600)),
        _ => random.below(length),
    };
    match random.below(16) {
        0..=4 => bytes[at] ^= 1 << random.below(8),
        5..=8 => bytes[at] = random.below(256) as u8,
        9 | 10 => bytes[at] = [0, 1, 0x7f, 0x80, 0xfe, 0xff][random.below(6)],
        11 | 12 => {
            let width = [2, 4, 8][random.below(3)].min(length - at);
            let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
            bytes[at..at + width].copy_from_slice(&number[..width]);
        }
        13 => {
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len());
            let width = (1 + random.below(16)).min(other.len() - from).min(length - at);
            bytes[at..at + width].copy_from_slice(&other[from..from + width]);
        }
        14 if random.below(4) == 0 => bytes.truncate(at),
        15 if random.below(4) == 0 => drop(bytes.drain(at..(at + 1 + random.below(8)).min(length))),
        _ => bytes[at] = bytes[at].wrapping_add(1),
    }
}
