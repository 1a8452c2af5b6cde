//! Mutual TLS 1.3 with pinned certificates: a peer is whoever holds the key of the certificate whose SHA-256 the job names.
//!
//! There are no authorities, names or dates to check: the job file that all parties agreed on is the authority. The proof that the peer holds
//! the key is TLS's own signature over the handshake. `privet party keys` makes key and certificate.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, PeerMisbehaved,
    ServerConfig, SignatureScheme,
};
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, Zeroizing};

use crate::error::PartyError;

/// The SHA-256 of a certificate.
pub type Fingerprint = [u8; 32];

/// The fingerprint as text.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A fingerprint from its text; colons between bytes are accepted.
pub fn parse_fingerprint(text: &str) -> Option<Fingerprint> {
    let digits: String = text.chars().filter(|own| *own != ':').collect();
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(bytes)
}

/// The fingerprint of a certificate.
pub fn fingerprint(certificate: &CertificateDer<'_>) -> Fingerprint {
    Sha256::digest(certificate.as_ref()).into()
}

/// What `make_keys` made.
#[derive(Debug)]
pub struct MadeKeys {
    /// The secret key.
    pub key: PathBuf,
    /// The certificate.
    pub certificate: PathBuf,
    /// The SHA-256 of the certificate, for the job file.
    pub fingerprint: String,
}

/// Makes NAME.key and NAME.crt; existing files are never overwritten.
///
/// # Errors
/// When one of the files exists or cannot be written.
pub fn make_keys(name: &Path) -> Result<MadeKeys, PartyError> {
    let ending = |ending: &str| {
        let mut path = name.as_os_str().to_owned();
        path.push(ending);
        PathBuf::from(path)
    };
    let (key, certificate) = (ending(".key"), ending(".crt"));
    let failed = |_| PartyError::Key("a key could not be made".to_owned());
    let pair = rcgen::KeyPair::generate().map_err(failed)?;
    let parameters = rcgen::CertificateParams::new(vec!["privet.party".to_owned()]).map_err(failed)?;
    let made = parameters.self_signed(&pair).map_err(failed)?;
    let mut secret = pair.serialize_pem();
    let written = write_new(&key, secret.as_bytes(), 0o600);
    secret.zeroize();
    written?;
    write_new(&certificate, made.pem().as_bytes(), 0o644)?;
    Ok(MadeKeys { key, certificate, fingerprint: hex(&fingerprint(made.der())) })
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<(), PartyError> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let file = options.open(path);
    let mut file = file.map_err(|error| PartyError::io(path, "cannot be made anew", error))?;
    file.write_all(bytes).map_err(|error| PartyError::io(path, "cannot be written", error))
}

/// The certificate and key of this party.
pub struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Drop for Identity {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}

impl Identity {
    /// Reads FILE.key and the certificate beside it, FILE.crt.
    ///
    /// # Errors
    /// When one of them is not there or is none.
    pub fn read(key: &Path) -> Result<Self, PartyError> {
        let certificate = key.with_extension("crt");
        let wrong = |path: &Path| {
            PartyError::Key(format!("{}: is not a PEM file that `privet party keys` made", path.display()))
        };
        let text = Zeroizing::new(std::fs::read(key).map_err(|_| wrong(key))?);
        Ok(Self {
            certificate: CertificateDer::from_pem_file(&certificate).map_err(|_| wrong(&certificate))?,
            key: PrivateKeyDer::from_pem_slice(&text).map_err(|_| wrong(key))?,
        })
    }

    /// The fingerprint of its certificate.
    pub fn fingerprint(&self) -> Fingerprint {
        fingerprint(&self.certificate)
    }
}

/// Accepts exactly the certificates that are pinned.
#[derive(Debug)]
struct Pinned {
    accepted: Vec<Fingerprint>,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn check(&self, certificate: &CertificateDer<'_>) -> Result<(), Error> {
        match self.accepted.contains(&fingerprint(certificate)) {
            true => Ok(()),
            false => Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)),
        }
    }

    fn signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }
}

/// TLS 1.2 is not offered, so its signatures are a peer's mistake.
fn no_tls12() -> Result<HandshakeSignatureValid, Error> {
    Err(PeerMisbehaved::SelectedUnofferedCipherSuite.into())
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(certificate).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        no_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(certificate).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        no_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

fn unusable(_: Error) -> PartyError {
    PartyError::Key("the key and the certificate of this party do not fit together".to_owned())
}

/// How this party dials a peer of one certificate.
pub(crate) fn client(identity: &Identity, peer: Fingerprint) -> Result<Arc<ClientConfig>, PartyError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Arc::new(Pinned { accepted: vec![peer], provider: provider.clone() });
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_client_auth_cert(vec![identity.certificate.clone()], identity.key.clone_key())
        .map_err(unusable)?;
    config.resumption = rustls::client::Resumption::disabled();
    Ok(Arc::new(config))
}

/// How this party accepts its peers.
pub(crate) fn server(identity: &Identity, peers: Vec<Fingerprint>) -> Result<Arc<ServerConfig>, PartyError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Arc::new(Pinned { accepted: peers, provider: provider.clone() });
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(unusable)?
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![identity.certificate.clone()], identity.key.clone_key())
        .map_err(unusable)?;
    // A connection carries messages one way only: whoever dials never reads, so nothing may be sent there after the handshake.
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}
