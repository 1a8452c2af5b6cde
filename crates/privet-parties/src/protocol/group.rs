//! The group of all protocols on elements: Ristretto over Curve25519, of prime order, where decisional Diffie-Hellman is assumed hard.
//!
//! Encodings are canonical: bytes that are no element, and the neutral element, are refused. Multiplication by secret scalars takes constant
//! time. Lists are worked on in parallel; the encoding of a doubled point is cheaper in batches, so keys are halved first.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use rayon::prelude::*;
use sha2::{Digest, Sha512};
use zeroize::Zeroize;

use crate::error::{PartyError, Reason};
use crate::random;
use crate::session::wire::Reader;

/// The encoding of an element.
pub type Encoded = [u8; 32];

/// Elements that are encoded together.
const BATCH: usize = 256;

/// A secret exponent; erased when dropped.
pub struct Key {
    scalar: Scalar,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl Key {
    /// A random one.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn random() -> Result<Self, PartyError> {
        Ok(Self { scalar: random_scalar()? })
    }

    /// The key that takes this one off again.
    pub fn inverse(&self) -> Self {
        Self { scalar: self.scalar.invert() }
    }

    /// Elements under this key.
    ///
    /// # Errors
    /// When one of them is not an element of the group.
    pub fn apply(&self, points: &[Encoded]) -> Result<Vec<Encoded>, Reason> {
        self.map(points, decode)
    }

    /// Items as elements under this key; `domain` keeps uses apart.
    pub fn hide<T: AsRef<[u8]> + Sync>(&self, domain: &str, items: &[T]) -> Vec<Encoded> {
        let hidden = self.map(items, |item| Ok(hash(domain, item.as_ref())));
        hidden.unwrap_or_default() // why: hashing into the group cannot fail
    }

    fn map<T: Sync>(
        &self,
        items: &[T],
        point: impl Fn(&T) -> Result<RistrettoPoint, Reason> + Sync,
    ) -> Result<Vec<Encoded>, Reason> {
        let mut half = self.scalar.div_by_2();
        let batches: Result<Vec<Vec<Encoded>>, Reason> = items
            .par_chunks(BATCH)
            .map(|items| {
                let points: Result<Vec<RistrettoPoint>, Reason> =
                    items.iter().map(|item| Ok(point(item)? * half)).collect();
                let encoded = RistrettoPoint::double_and_compress_batch(&points?);
                Ok(encoded.into_iter().map(|own| own.to_bytes()).collect())
            })
            .collect();
        half.zeroize();
        Ok(batches?.concat())
    }
}

/// A random exponent.
pub(crate) fn random_scalar() -> Result<Scalar, PartyError> {
    let mut wide = random::array::<64>()?;
    let scalar = Scalar::from_bytes_mod_order_wide(&wide);
    wide.zeroize();
    Ok(scalar)
}

/// An element of which nobody knows the logarithm.
pub fn hash(domain: &str, item: &[u8]) -> RistrettoPoint {
    let mut hash = Sha512::new();
    hash.update((domain.len() as u64).to_le_bytes());
    hash.update(domain.as_bytes());
    hash.update(item);
    RistrettoPoint::from_uniform_bytes(&hash.finalize().into())
}

/// The element of an encoding.
///
/// # Errors
/// When it is none, or the neutral one.
pub fn decode(encoded: &Encoded) -> Result<RistrettoPoint, Reason> {
    let point = CompressedRistretto(*encoded).decompress().ok_or(Reason::Invalid)?;
    if point == RistrettoPoint::identity() { Err(Reason::Invalid) } else { Ok(point) }
}

/// So many encodings; whether they are elements is seen when they are used.
pub fn parse_points(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Encoded>, Reason> {
    let bytes = reader.take(count.checked_mul(32).ok_or(Reason::Malformed)?)?;
    Ok(bytes.as_chunks::<32>().0.to_vec())
}

/// The longest item that [`embed`] takes.
pub const LONGEST_ITEM: usize = 28;

/// An element from which the item can be read again. The first encoding that is an element is taken, so the time depends on the item.
///
/// # Errors
/// When the item is too long.
pub fn embed(item: &[u8]) -> Result<Encoded, PartyError> {
    if item.len() > LONGEST_ITEM {
        return Err(PartyError::Input(format!("an item of a union has at most {LONGEST_ITEM} bytes")));
    }
    let mut bytes = [0; 32];
    bytes[1] = item.len() as u8;
    bytes[2..2 + item.len()].copy_from_slice(item);
    // Encodings are even and below 2^255 - 19; one of four candidates is an element, so 2^13 of them do not fail before the sun does.
    for high in 0..64 {
        for low in 0..128 {
            (bytes[0], bytes[31]) = (2 * low, high);
            if decode(&bytes).is_ok() {
                return Ok(bytes);
            }
        }
    }
    Err(PartyError::Resources("an item has no element".to_owned()))
}

/// The item of an element that [`embed`] made.
///
/// # Errors
/// When the element holds no item.
pub fn item(encoded: &Encoded) -> Result<&[u8], Reason> {
    let length = usize::from(encoded[1]);
    if length > LONGEST_ITEM || encoded[2 + length..31].iter().any(|byte| *byte != 0) {
        return Err(Reason::Invalid);
    }
    Ok(&encoded[2..2 + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_commute_and_come_off() {
        let (a, b) = (Key::random().unwrap(), Key::random().unwrap());
        let items: Vec<[u8; 4]> = (0u32..600).map(u32::to_le_bytes).collect();
        let ab = b.apply(&a.hide("test", &items)).unwrap();
        let ba = a.apply(&b.hide("test", &items)).unwrap();
        assert_eq!(ab, ba);
        assert_eq!(a.inverse().apply(&ab).unwrap(), b.hide("test", &items));
        assert_ne!(a.hide("test", &items[..1]), a.hide("other", &items[..1]));
    }

    #[test]
    fn what_is_no_element_is_refused() {
        assert_eq!(decode(&[0; 32]), Err(Reason::Invalid));
        assert_eq!(decode(&[255; 32]), Err(Reason::Invalid));
        assert_eq!(Key::random().unwrap().apply(&[[1; 32]]), Err(Reason::Invalid));
    }

    #[test]
    fn items_are_embedded_and_read_again() {
        for text in ["", "a", "bread", "twenty-eight bytes are here!"] {
            let element = embed(text.as_bytes()).unwrap();
            assert_eq!(item(&element), Ok(text.as_bytes()));
        }
        assert!(embed(&[1; 29]).is_err());
        assert_eq!(item(&[9; 32]), Err(Reason::Invalid));
    }
}
