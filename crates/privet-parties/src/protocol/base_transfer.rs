//! Oblivious transfer, 1 of 2, from public keys: the protocol of Bellare and Micali, and of Naor and Pinkas, over Ristretto (papers T-AL12,
//! FX-T10 "DH OT").
//!
//! The receiver knows the secret key of one of two public keys whose sum is C, an element of which nobody knows the logarithm. The sender
//! derives a key from each; the receiver can derive only the one it chose.
//!
//! # Security
//! Semi-honest parties, a random oracle (SHA-256), computational Diffie-Hellman. The sender learns nothing of the choices, whatever power it
//! has: the first public key is uniform either way. The receiver learns one of the two keys. A receiver that cheats cannot know both secret
//! keys. Choices are selected in constant time.

use curve25519_dalek::ristretto::RistrettoPoint;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable};
use zeroize::{Zeroize, Zeroizing};

use super::group::{Encoded, decode, hash, parse_points, random_scalar};
use crate::error::PartyError;
use crate::random::Seed;
use crate::session::Session;
use crate::session::wire::Tag;

/// The element C of a session, for one direction.
fn constant(session: &Session<'_>, sender: usize, receiver: usize) -> RistrettoPoint {
    let parties = [sender as u8, receiver as u8];
    hash("privet base transfer", &[&session.id()[..], &parties].concat())
}

/// The key of a transfer.
fn key(shared: &RistrettoPoint, public: &Encoded, number: usize) -> Seed {
    let mut hash = Sha256::new();
    hash.update(b"privet base transfer key");
    hash.update((number as u64).to_le_bytes());
    hash.update(public);
    hash.update(shared.compress().as_bytes());
    let mut digest: [u8; 32] = hash.finalize().into();
    let mut seed = [0; 16];
    seed.copy_from_slice(&digest[..16]);
    digest.zeroize();
    seed
}

/// Sends: so many pairs of random keys, of which the receiver gets one each.
///
/// # Errors
/// When the session fails.
pub fn send(
    session: &mut Session<'_>,
    to: usize,
    count: usize,
) -> Result<Zeroizing<Vec<[Seed; 2]>>, PartyError> {
    let constant = constant(session, session.me(), to);
    let mut secret = random_scalar()?;
    let public = RistrettoPoint::mul_base(&secret).compress().to_bytes();
    session.send(to, Tag::BaseTransfer, &public)?;
    let message = session.receive_exactly(to, Tag::BaseTransfer, 32 * count)?;
    let points = session.parse(to, &message, |reader| parse_points(reader, count))?;
    let mut keys = Zeroizing::new(Vec::with_capacity(count));
    let of_constant = constant * secret;
    for (number, encoded) in points.iter().enumerate() {
        let shared = decode(encoded).map_err(|reason| session.blame(to, reason))? * secret;
        keys.push([key(&shared, &public, number), key(&(of_constant - shared), &public, number)]);
    }
    secret.zeroize();
    Ok(keys)
}

/// Receives: one key per choice.
///
/// # Errors
/// When the session fails.
pub fn receive(
    session: &mut Session<'_>,
    from: usize,
    choices: &[Choice],
) -> Result<Zeroizing<Vec<Seed>>, PartyError> {
    let constant = constant(session, from, session.me());
    let public = session.receive_exactly(from, Tag::BaseTransfer, 32)?;
    let public: Encoded = session.parse(from, &public, |reader| reader.array())?;
    let sender = decode(&public).map_err(|reason| session.blame(from, reason))?;
    let mut message = Vec::with_capacity(32 * choices.len());
    let mut keys = Zeroizing::new(Vec::with_capacity(choices.len()));
    for (number, choice) in choices.iter().enumerate() {
        let mut secret = random_scalar()?;
        let own = RistrettoPoint::mul_base(&secret);
        let first = RistrettoPoint::conditional_select(&own, &(constant - own), *choice);
        message.extend_from_slice(first.compress().as_bytes());
        keys.push(key(&(sender * secret), &public, number));
        secret.zeroize();
    }
    session.send(from, Tag::BaseTransfer, &message)?;
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn any_choices_give_the_chosen_keys(choices in proptest::collection::vec(any::<bool>(), 1..30)) {
            let results = run_local(2, |session| {
                if session.me() == 0 {
                    return send(session, 1, choices.len());
                }
                let own: Vec<Choice> = choices.iter().map(|&own| Choice::from(u8::from(own))).collect();
                Ok(Zeroizing::new(receive(session, 0, &own)?.iter().map(|key| [*key; 2]).collect()))
            });
            let [sent, received] = [&results[0], &results[1]].map(|own| own.as_ref().unwrap());
            for ((pair, got), &choice) in sent.iter().zip(received.iter()).zip(&choices) {
                prop_assert_eq!(pair[usize::from(choice)], got[0]);
                prop_assert_ne!(pair[usize::from(!choice)], got[0]);
            }
        }
    }

    #[test]
    fn the_receiver_gets_the_keys_it_chose() {
        let choices: Vec<bool> = (0..40).map(|i| i % 3 == 1).collect();
        let results = run_local(2, |session| {
            if session.me() == 0 {
                return send(session, 1, 40);
            }
            let own: Vec<Choice> = choices.iter().map(|&own| Choice::from(u8::from(own))).collect();
            Ok(Zeroizing::new(receive(session, 0, &own)?.iter().map(|key| [*key; 2]).collect()))
        });
        let [sent, received] = [&results[0], &results[1]].map(|own| own.as_ref().unwrap());
        for ((pair, got), choice) in sent.iter().zip(received.iter()).zip(choices) {
            assert_eq!(pair[usize::from(choice)], got[0]);
            assert_ne!(pair[usize::from(!choice)], got[0]);
        }
    }

    fn power(base: u64, exponent: u64, modulus: u64) -> u64 {
        (0..exponent).fold(1, |product, _| product * base % modulus)
    }

    /// FX-T10, DH OT: the same protocol in the group modulo 467, where sums are products; toy size.
    #[test]
    fn fx_t10_diffie_hellman() {
        let (p, g, c, x) = (467, 2, 189, 57);
        let inverse = |a: u64| power(a, p - 2, p);
        let first = power(g, x, p);
        let second = c * inverse(first) % p;
        assert_eq!((first, second), (313, 20));
        let sent = [(33, first, 19), (71, second, 230)]
            .map(|(r, key, m)| (power(g, r, p), m * power(key, r, p) % p));
        assert_eq!(sent, [(104, 324), (65, 143)]);
        assert_eq!(sent[0].1 * inverse(power(sent[0].0, x, p)) % p, 19);
    }

    /// FX-T10, EGL OT: the older protocol over RSA (Even, Goldreich, Lempel), which the source describes; toy size.
    #[test]
    fn fx_t10_even_goldreich_lempel() {
        let (n, e, d) = (3233, 17, 2753);
        let (x, m, chosen, k) = ([123, 321], [65, 42], 1, 99);
        let v = (x[chosen] + power(k, e, n)) % n;
        assert_eq!(v, 602);
        let keys = x.map(|own| power((n + v - own) % n, d, n));
        assert_eq!(keys, [1345, 99]);
        let sent = [(m[0] + keys[0]) % n, (m[1] + keys[1]) % n];
        assert_eq!(sent, [1410, 141]);
        assert_eq!((n + sent[chosen] - k) % n, 42);
    }
}
