//! Ed25519 signatures of releases (RFC 8032): `manifest.sig` holds the 64 bytes of a signature over the bytes of
//! `manifest.json`, which holds the hashes of all other files.
//!
//! Keys stand in the files that other tools read (PKCS #8 and SPKI in PEM, RFC 8410), so that `openssl pkeyutl -verify`
//! checks the same signature. The manifest names the fingerprint of its signer: a wrong key is told from a changed manifest.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, KeypairBytes,
};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use crate::hash::sha256;

/// The name of the signature in a release folder.
pub const SIGNATURE: &str = "manifest.sig";

/// Why a key cannot be used or made. No message holds what stands in a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Something stands where a key should go.
    #[error("{} exists already, and keys are never overwritten; choose another name", .0.display())]
    Exists(PathBuf),
    /// The file is no private key.
    #[error("{} is not an Ed25519 private key; `privet keys NAME` makes one (NAME.key)", .0.display())]
    NotPrivate(PathBuf),
    /// The file is no public key.
    #[error("{} is not an Ed25519 public key; give the file NAME.pub that `privet keys NAME` made", .0.display())]
    NotPublic(PathBuf),
    /// The private key was given where the public one is meant.
    #[error("{} is a private key, which nobody but the publisher should have; give the public one (NAME.pub)", .0.display())]
    IsPrivate(PathBuf),
    /// The operating system gave no random bytes.
    #[error("the operating system gives no random numbers, so no key was made")]
    NoRandomness,
    /// The key could not be written as text.
    #[error("the key could not be encoded")]
    Encoding,
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

/// What signs releases. It is wiped from memory when it is dropped, and never printed.
#[derive(Clone)]
pub struct PrivateKey(SigningKey);

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PrivateKey")
    }
}

impl PrivateKey {
    /// A new key from the operating system's randomness.
    ///
    /// # Errors
    /// When there is none.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|_| KeyError::NoRandomness)?;
        let key = SigningKey::from_bytes(&seed);
        seed.fill(0);
        Ok(Self(key))
    }

    /// Reads a key.
    ///
    /// # Errors
    /// When the file cannot be read or is none.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let text = read(path)?;
        let key = std::str::from_utf8(&text).ok().and_then(|text| SigningKey::from_pkcs8_pem(text).ok());
        key.map(Self).ok_or_else(|| KeyError::NotPrivate(path.to_owned()))
    }

    /// The key that readers need.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs the bytes of a manifest.
    pub(crate) fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        self.0.sign(bytes).to_bytes()
    }

    /// The text of its file.
    fn pem(&self) -> Result<String, KeyError> {
        // Without the public key: the layout of version 1, which every tool reads.
        let bytes = KeypairBytes { secret_key: self.0.to_bytes(), public_key: None };
        Ok(bytes.to_pkcs8_pem(LineEnding::LF).map_err(|_| KeyError::Encoding)?.to_string())
    }
}

/// What checks signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads a key.
    ///
    /// # Errors
    /// When the file cannot be read, is none, or is a private one.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let text = read(path)?;
        let text = std::str::from_utf8(&text).map_err(|_| KeyError::NotPublic(path.to_owned()))?;
        match VerifyingKey::from_public_key_pem(text) {
            Ok(key) => Ok(Self(key)),
            Err(_) if SigningKey::from_pkcs8_pem(text).is_ok() => Err(KeyError::IsPrivate(path.to_owned())),
            Err(_) => Err(KeyError::NotPublic(path.to_owned())),
        }
    }

    /// SHA-256 of the key as it stands in its file (the DER within the PEM), in hexadecimal digits.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        // An Ed25519 key is always encoded alike.
        self.0.to_public_key_der().map_or_else(|_| String::new(), |der| sha256(der.as_bytes()))
    }

    /// Whether a signature over these bytes is by this key. Strict: keys of small order sign nothing.
    #[must_use]
    pub fn has_signed(&self, bytes: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature).is_ok_and(|own| self.0.verify_strict(bytes, &own).is_ok())
    }

    fn pem(&self) -> Result<String, KeyError> {
        self.0.to_public_key_pem(LineEnding::LF).map_err(|_| KeyError::Encoding)
    }
}

/// The files of a pair of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFiles {
    /// The private key: only its owner may read it.
    pub private: PathBuf,
    /// The public key.
    pub public: PathBuf,
    /// The fingerprint of the public key.
    pub fingerprint: String,
}

/// Makes a pair of keys as `<name>.key` and `<name>.pub`. Neither may exist.
///
/// # Errors
/// When one exists or the file system refuses. Then neither was made.
pub fn make_keys(name: &Path) -> Result<KeyFiles, KeyError> {
    let with = |ending: &str| {
        let mut path = name.as_os_str().to_owned();
        path.push(ending);
        PathBuf::from(path)
    };
    let (private, public) = (with(".key"), with(".pub"));
    if let Some(taken) = [&private, &public].into_iter().find(|path| fs::symlink_metadata(path).is_ok()) {
        return Err(KeyError::Exists(taken.clone()));
    }
    let key = PrivateKey::generate()?;
    write_new(&private, &key.pem()?, true)?;
    if let Err(error) = key.public().pem().and_then(|text| write_new(&public, &text, false)) {
        // Half a pair is of no use; it was made just now, by this call.
        let _ = fs::remove_file(&private);
        return Err(error);
    }
    Ok(KeyFiles { private, public, fingerprint: key.public().fingerprint() })
}

/// The most bytes that are read of a key: one in PEM has less than 200.
const MOST_OF_A_KEY: u64 = 64 << 10;

fn read(path: &Path) -> Result<Vec<u8>, KeyError> {
    let mut bytes = Vec::new();
    // A key may come from a pipe, so that it need not lie on a disk.
    let read = fs::File::open(path).and_then(|file| file.take(MOST_OF_A_KEY).read_to_end(&mut bytes));
    read.map_err(|source| KeyError::Io { path: path.to_owned(), source })?;
    Ok(bytes)
}

/// Writes a file that does not exist yet, for its owner's eyes alone where it is secret.
fn write_new(path: &Path, text: &str, is_secret: bool) -> Result<(), KeyError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if is_secret { 0o600 } else { 0o644 });
    }
    #[cfg(not(unix))]
    let _ = is_secret;
    let io = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => KeyError::Exists(path.to_owned()),
        _ => KeyError::Io { path: path.to_owned(), source },
    };
    let mut file = options.open(path).map_err(io)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unhex(text: &str) -> Vec<u8> {
        (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
    }

    /// RFC 8032, 7.1, test 2.
    #[test]
    fn a_signature_is_that_of_the_standard() {
        let secret = unhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
        let key = PrivateKey(SigningKey::from_bytes(&secret.try_into().unwrap()));
        let expected = unhex(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        );
        assert_eq!(key.sign(&[0x72]).to_vec(), expected);
        assert!(key.public().has_signed(&[0x72], &expected));
        assert!(!key.public().has_signed(&[0x73], &expected));
        assert!(!key.public().has_signed(&[0x72], &expected[1..]));
        assert_eq!(format!("{key:?}"), "PrivateKey");
    }

    #[test]
    fn keys_are_written_once_and_read_back() {
        let home = tempfile::tempdir().unwrap();
        let name = home.path().join("publisher");
        let files = make_keys(&name).unwrap();
        let (private, public) =
            (PrivateKey::read(&files.private).unwrap(), PublicKey::read(&files.public).unwrap());
        assert_eq!((private.public(), public.fingerprint()), (public, files.fingerprint.clone()));
        assert_eq!(files.fingerprint.len(), 64);
        assert!(matches!(make_keys(&name), Err(KeyError::Exists(_))));
        // The public half alone is not made again beside a private one that is there, nor the other way round.
        fs::remove_file(&files.private).unwrap();
        assert!(matches!(make_keys(&name), Err(KeyError::Exists(_))));
        assert!(matches!(PrivateKey::read(&files.public), Err(KeyError::NotPrivate(_))));
        fs::write(&files.private, private.pem().unwrap()).unwrap();
        assert!(matches!(PublicKey::read(&files.private), Err(KeyError::IsPrivate(_))));
        fs::write(&files.public, "-----BEGIN PUBLIC KEY-----").unwrap();
        assert!(matches!(PublicKey::read(&files.public), Err(KeyError::NotPublic(_))));
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_reads_a_private_key() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let files = make_keys(&home.path().join("k")).unwrap();
        assert_eq!(fs::metadata(files.private).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
