//! Whether a release was signed, by whom, and whether its manifest is the one that was signed.

use std::io;
use std::path::Path;

use privet_data::io::read_plain;

use super::VerifyError;
use super::outcome::{Check, SIGNED};
use crate::signature::{PublicKey, SIGNATURE};

/// How many digits of a fingerprint are told: enough to compare by eye; the key itself is compared whole.
const TOLD: usize = 16;

/// A signature has 64 bytes; a few more are read to see that something else is there.
const MOST_OF_A_SIGNATURE: u64 = 4096;

/// Checks the signature over the bytes of a manifest that names this signer. Nothing is said of a release that is not
/// signed, where no key was given.
pub(super) fn check(
    folder: &Path,
    bytes: &[u8],
    signer: Option<&str>,
    key: Option<&PublicKey>,
) -> Result<Option<Check>, VerifyError> {
    const NAME: &str = SIGNED;
    let failed = |detail: &str| Ok(Some(Check::failed(NAME, detail)));
    let path = folder.join(SIGNATURE);
    let signature = match read_plain(&path, MOST_OF_A_SIGNATURE) {
        Ok(signature) => Some(signature),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // A pipe, a device, or far more than a signature has.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge) => {
            return failed("manifest.sig is not a plain file of 64 bytes, so it is no signature");
        }
        Err(source) => return Err(VerifyError::Io { path, source }),
    };
    let is_fingerprint = |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    match (signature, signer, key) {
        (None, None, None) => Ok(None),
        (None, None, Some(_)) => failed(
            "the release is not signed: it holds no manifest.sig, and its manifest names no signer. Ask its publisher for a signed one",
        ),
        (None, Some(_), _) => {
            failed("the manifest says that it was signed, and manifest.sig is missing; it was taken away")
        }
        (Some(_), None, _) => failed(
            "there is a manifest.sig, and the manifest says that it was not signed: one of the two was put here afterwards",
        ),
        (Some(_), Some(signer), _) if !is_fingerprint(signer) => {
            failed("the manifest names a signer that cannot be one")
        }
        (Some(_), Some(signer), None) => Ok(Some(Check::passed(
            NAME,
            format!(
                "not checked: the manifest says that the key {}… signed it; give that key with --key",
                signer.get(..TOLD).unwrap_or(signer)
            ),
        ))),
        (Some(signature), Some(signer), Some(key)) => {
            let own = key.fingerprint();
            let (told, given) = (signer.get(..TOLD).unwrap_or(signer), own.get(..TOLD).unwrap_or(&own));
            Ok(Some(if signer != own {
                Check::failed(
                    NAME,
                    format!(
                        "the key that was given ({given}…) is not the key of the signer ({told}…): the release was signed by somebody else"
                    ),
                )
            } else if key.has_signed(bytes, &signature) {
                Check::passed(NAME, format!("the key {given}… signed this manifest"))
            } else {
                Check::failed(
                    NAME,
                    "the signature does not fit: manifest.json or manifest.sig was changed after it was signed",
                )
            }))
        }
    }
}
