//! Paillier's cryptosystem, whose ciphertexts can be added, and the scalar product from it (papers T-AL12, FX-T10).
//!
//! With n = p·q and g = n + 1: E(m, r) = (1 + m·n)·r^n modulo n². Products of ciphertexts encrypt sums.
//!
//! # Security
//! Semi-honest parties; decisional composite residuosity with n of 2048 bits. Exponentiation by secrets and decryption take constant time
//! (`crypto-bigint`); the search for primes does not, and is made once, before anything depends on it. In the scalar product each party's
//! share is uniform modulo 2^64, but for a statistical distance below 2^-100.
//!
//! # Why this is written here
//! The big integers, their exponentiation in constant time and the primes are those of `crypto-bigint` 0.7 and `crypto-primes`; what is left to
//! write is the formula above. Of the crates for the cryptosystem, `fast-paillier` computes on `num-bigint` or GMP, whose time depends on the
//! secrets; `libpaillier` says that it was not reviewed; `sl-paillier` 1.2 computes on `crypto-bigint` 0.6 and would bring a second version of
//! the integers, the primes and the random generators. It is the one to move to when it follows. The tests hold the numbers of FX-T10, and
//! compare sums and multiples of random numbers with those of whole numbers.

use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{NonZero, Odd, RandomMod, U1024, U2048, U4096};
use crypto_primes::{Flavor, random_prime};
use getrandom::SysRng;
use getrandom::rand_core::UnwrapErr;
use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use crate::error::{PartyError, Reason};
use crate::random;
use crate::session::Session;
use crate::session::wire::{Reader, Tag};

/// Bytes of a public key.
pub const KEY_BYTES: usize = 256;
/// Bytes of a ciphertext.
pub const CIPHERTEXT_BYTES: usize = 512;

/// An encrypted number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ciphertext(U4096);

/// Who holds it can encrypt and add.
#[derive(Debug, Clone)]
pub struct PublicKey {
    n: U2048,
    wide: U4096,
    modulus: FixedMontyParams<{ U4096::LIMBS }>,
}

/// Who holds it can decrypt.
pub struct SecretKey {
    public: PublicKey,
    totient: U2048,
    inverse: U2048,
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.totient.zeroize();
        self.inverse.zeroize();
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey")
    }
}

impl PublicKey {
    fn new(n: U2048) -> Option<Self> {
        let wide: U4096 = n.resize();
        let modulus = Odd::new(wide.wrapping_mul(&wide)).into_option()?;
        Some(Self { n, wide, modulus: FixedMontyParams::new_vartime(modulus) })
    }

    fn form(&self, number: &U4096) -> FixedMontyForm<{ U4096::LIMBS }> {
        FixedMontyForm::new(number, &self.modulus)
    }

    /// E(m, r).
    fn encrypt_with(&self, m: &U2048, r: &U2048) -> Ciphertext {
        let m: U4096 = m.resize();
        let first = U4096::ONE.wrapping_add(&m.wrapping_mul(&self.wide));
        let second = self.form(&r.resize()).pow(&self.n);
        Ciphertext(self.form(&first).mul(&second).retrieve())
    }

    /// Encrypts a number.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn encrypt(&self, number: u64) -> Result<Ciphertext, PartyError> {
        self.encrypt_wide(&U2048::from_u64(number))
    }

    fn encrypt_wide(&self, number: &U2048) -> Result<Ciphertext, PartyError> {
        let n = NonZero::new(self.n).into_option().ok_or(PartyError::Random)?;
        let mut r = U2048::try_random_mod_vartime(&mut SysRng, &n).map_err(|_| PartyError::Random)?;
        let made = self.encrypt_with(number, &r);
        r.zeroize();
        Ok(made)
    }

    /// A ciphertext of the sum.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Ciphertext {
        Ciphertext(self.form(&a.0).mul(&self.form(&b.0)).retrieve())
    }

    /// A ciphertext of the multiple by a number below 2^64.
    pub fn multiply(&self, a: &Ciphertext, by: u64) -> Ciphertext {
        Ciphertext(self.form(&a.0).pow(&crypto_bigint::U64::from_u64(by)).retrieve())
    }

    /// The key as bytes.
    pub fn key_bytes(&self) -> Vec<u8> {
        self.n.to_le_bytes().as_ref().to_vec()
    }

    /// Ciphertexts as bytes.
    pub fn bytes(&self, ciphertexts: &[Ciphertext]) -> Vec<u8> {
        ciphertexts.iter().flat_map(|own| own.0.to_le_bytes().as_ref().to_vec()).collect()
    }
}

impl SecretKey {
    /// A new key; takes a second or more.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn generate() -> Result<Self, PartyError> {
        random::fill(&mut [0])?;
        let mut system = UnwrapErr(SysRng);
        loop {
            let p: Zeroizing<U1024> = Zeroizing::new(random_prime(&mut system, Flavor::Any, 1024));
            let q: Zeroizing<U1024> = Zeroizing::new(random_prime(&mut system, Flavor::Any, 1024));
            // Of equal length, the product and the totient have no factor in common.
            if p != q
                && let Some(key) = Self::of_primes(&p, &q).filter(|key| key.public.n.bits_vartime() >= 2047)
            {
                return Ok(key);
            }
        }
    }

    fn of_primes(p: &U1024, q: &U1024) -> Option<Self> {
        let n: U2048 = p.concatenating_mul(q);
        let totient: U2048 = p.wrapping_sub(&U1024::ONE).concatenating_mul(&q.wrapping_sub(&U1024::ONE));
        let inverse = totient.invert_odd_mod(&Odd::new(n).into_option()?).into_option()?;
        Some(Self { public: PublicKey::new(n)?, totient, inverse })
    }

    /// The key to give away.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The number that was encrypted, modulo n.
    fn decrypt(&self, ciphertext: &Ciphertext) -> U2048 {
        let power = self.public.form(&ciphertext.0).pow(&self.totient).retrieve();
        let n: Option<NonZero<U4096>> = NonZero::new(self.public.wide).into_option();
        let narrow: Option<NonZero<U2048>> = NonZero::new(self.public.n).into_option();
        let (Some(n), Some(narrow)) = (n, narrow) else { return U2048::ZERO };
        let (quotient, _) = power.wrapping_sub(&U4096::ONE).div_rem(&n);
        let product: U4096 = quotient.resize::<{ U2048::LIMBS }>().concatenating_mul(&self.inverse);
        product.rem(&narrow)
    }

    /// The number that was encrypted, modulo 2^64.
    pub fn decrypt_u64(&self, ciphertext: &Ciphertext) -> u64 {
        low(&self.decrypt(ciphertext))
    }
}

fn low(number: &U2048) -> u64 {
    number.to_le_bytes().as_ref().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// A public key: an odd number of 2047 or 2048 bits.
pub(crate) fn parse_key(reader: &mut Reader<'_>) -> Result<PublicKey, Reason> {
    let n = U2048::from_le_slice(reader.take(KEY_BYTES)?);
    if n.bits_vartime() < 2047 {
        return Err(Reason::Invalid);
    }
    PublicKey::new(n).ok_or(Reason::Invalid)
}

/// So many ciphertexts.
pub(crate) fn parse_ciphertexts(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Ciphertext>, Reason> {
    (0..count).map(|_| Ok(Ciphertext(U4096::from_le_slice(reader.take(CIPHERTEXT_BYTES)?)))).collect()
}

/// Shares modulo 2^64 of the scalar product of the first party's vector and the second's; the first holds the key.
///
/// # Errors
/// When the session fails.
pub fn scalar_product(session: &mut Session<'_>, vector: &[u64]) -> Result<u64, PartyError> {
    match session.me() {
        0 => scalar_product_of_first(session, vector, &SecretKey::generate()?),
        _ => scalar_product_of_second(session, vector),
    }
}

/// The same with a key that the first party has already; the second does not look at it.
///
/// # Errors
/// When the session fails.
#[doc(hidden)]
pub fn scalar_product_under(
    session: &mut Session<'_>,
    vector: &[u64],
    secret: &SecretKey,
) -> Result<u64, PartyError> {
    match session.me() {
        0 => scalar_product_of_first(session, vector, secret),
        _ => scalar_product_of_second(session, vector),
    }
}

fn scalar_product_of_first(
    session: &mut Session<'_>,
    vector: &[u64],
    secret: &SecretKey,
) -> Result<u64, PartyError> {
    let public = secret.public();
    session.send(1, Tag::PaillierKey, &public.key_bytes())?;
    let ciphertexts: Result<Vec<_>, _> = vector.par_iter().map(|own| public.encrypt(*own)).collect();
    session.send(1, Tag::PaillierCiphertexts, &public.bytes(&ciphertexts?))?;
    let message = session.receive_exactly(1, Tag::PaillierCiphertexts, CIPHERTEXT_BYTES)?;
    let total = session.parse(1, &message, |reader| parse_ciphertexts(reader, 1))?;
    Ok(secret.decrypt_u64(&total[0]))
}

fn scalar_product_of_second(session: &mut Session<'_>, vector: &[u64]) -> Result<u64, PartyError> {
    let message = session.receive_exactly(0, Tag::PaillierKey, KEY_BYTES)?;
    let public = session.parse(0, &message, parse_key)?;
    let message = session.receive_exactly(0, Tag::PaillierCiphertexts, CIPHERTEXT_BYTES * vector.len())?;
    let ciphertexts = session.parse(0, &message, |reader| parse_ciphertexts(reader, vector.len()))?;
    // A product of two vectors is below 2^160; a mask of 288 bits hides it.
    let mut mask = U2048::ZERO;
    let bytes = random::array::<36>()?;
    let mut padded = [0; KEY_BYTES];
    padded[..bytes.len()].copy_from_slice(&bytes);
    mask = mask.wrapping_add(&U2048::from_le_slice(&padded));
    let terms = ciphertexts.par_iter().zip(vector).map(|(own, by)| public.multiply(own, *by));
    let total = terms.reduce_with(|a, b| public.add(&a, &b));
    let masked = public.encrypt_wide(&mask)?;
    let masked = total.map_or(masked, |total| public.add(&total, &masked));
    session.send(0, Tag::PaillierCiphertexts, &public.bytes(&[masked]))?;
    let share = low(&mask).wrapping_neg();
    mask.zeroize();
    Ok(share)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    /// FX-T10, Paillier: n = 323, X = (3, 0, 2, 5), Y = (1, 4, 2, 3), the second party's share 6; toy size.
    #[test]
    fn fx_t10_scalar_product() {
        let secret = SecretKey::of_primes(&U1024::from_u64(17), &U1024::from_u64(19)).unwrap();
        let public = secret.public();
        let number = |own: u64| U2048::from_u64(own);
        let encrypted: Vec<Ciphertext> = [(3, 5), (0, 7), (2, 11), (5, 13)]
            .iter()
            .map(|&(m, r)| public.encrypt_with(&number(m), &number(r)))
            .collect();
        let expected = [3253, 87791, 81707, 43779].map(|own| Ciphertext(U4096::from_u64(own)));
        assert_eq!(encrypted, expected);
        let start = public.encrypt_with(&number(323 - 6), &number(23));
        let total = encrypted
            .iter()
            .zip([1, 4, 2, 3])
            .fold(start, |total, (own, by)| public.add(&total, &public.multiply(own, by)));
        assert_eq!(total, Ciphertext(U4096::from_u64(21184)));
        assert_eq!(secret.decrypt_u64(&total), 16);
    }

    #[test]
    fn shares_of_real_keys_add_up() {
        let vectors = [vec![3u64, 0, 2, 5, 1 << 40], vec![1, 4, 2, 3, 1 << 30]];
        let results = run_local(2, |session| scalar_product(session, &vectors[session.me()]));
        let shares: Vec<u64> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(shares[0].wrapping_add(shares[1]), 22u64.wrapping_add((1u64 << 40).wrapping_mul(1 << 30)));
    }

    fn one_key() -> &'static SecretKey {
        static KEY: std::sync::OnceLock<SecretKey> = std::sync::OnceLock::new();
        KEY.get_or_init(|| SecretKey::generate().unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn ciphertexts_are_added_and_multiplied_as_numbers_are(a: u64, b: u64, by: u64) {
            let public = one_key().public();
            let (first, second) = (public.encrypt(a).unwrap(), public.encrypt(b).unwrap());
            let open = |own: &Ciphertext| one_key().decrypt_u64(own);
            prop_assert_eq!(open(&public.add(&first, &second)), a.wrapping_add(b));
            prop_assert_eq!(open(&public.multiply(&first, by)), a.wrapping_mul(by));
            // The same number twice is two ciphertexts.
            prop_assert!(public.encrypt(a).unwrap() != first);
        }

        #[test]
        fn scalar_products_are_the_central_ones(pairs in proptest::collection::vec(any::<(u64, u64)>(), 1..6)) {
            let vectors: [Vec<u64>; 2] = [pairs.iter().map(|own| own.0).collect(), pairs.iter().map(|own| own.1).collect()];
            let expected = pairs.iter().fold(0u64, |sum, own| sum.wrapping_add(own.0.wrapping_mul(own.1)));
            let results = run_local(2, |session| scalar_product_under(session, &vectors[session.me()], one_key()));
            let shares: Vec<u64> = results.into_iter().map(Result::unwrap).collect();
            prop_assert_eq!(shares[0].wrapping_add(shares[1]), expected);
        }
    }

    #[test]
    fn small_and_even_keys_are_refused() {
        let parse = |bytes: &[u8]| parse_key(&mut Reader::new(bytes)).err();
        assert_eq!(parse(&[1; 10]), Some(Reason::Malformed));
        assert_eq!(parse(U2048::from_u64(323).to_le_bytes().as_ref()), Some(Reason::Invalid));
        assert_eq!(parse(&[254; KEY_BYTES]), Some(Reason::Invalid));
    }
}
