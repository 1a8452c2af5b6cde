//! Whether, and how, what goes to a PostgreSQL server is encrypted.
//!
//! Guarantee: nothing is sent, and no password, before it is decided. A server on this machine (a socket, `localhost`, a
//! loopback address) is reached as it is unless the URL demands more. Another machine is reached by TLS, with its
//! certificate and its name verified, or as it is when the URL says `sslmode=disable`; never by TLS that trusts anybody, also
//! where PostgreSQL's own client would (`sslmode=require`). Without the feature `tls` what needs TLS is refused.
//!
//! TLS is rustls (with ring), an opt-in feature because most ledgers are files.

use std::net::IpAddr;
use std::path::PathBuf;

use postgres::config::{Host, SslMode};
use postgres::{Client, Config, NoTls};

use super::LedgerError;

/// What a URL says.
pub(super) struct Address {
    pub config: Config,
    encryption: Encryption,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Encryption {
    /// What goes to the server goes as it is.
    None,
    /// By TLS, trusting the authorities of this file, or those of the system.
    Tls(Option<PathBuf>),
}

impl Address {
    /// Reads a URL, and refuses one that is none or that cannot be followed.
    pub fn parse(url: &str) -> Result<Self, LedgerError> {
        let (mut config, root) = configuration(url)?;
        let is_local = is_local(&config);
        let encryption = match config.get_ssl_mode() {
            SslMode::Disable => Encryption::None,
            SslMode::Prefer if is_local && root.is_none() => Encryption::None,
            SslMode::Prefer if cfg!(feature = "tls") => Encryption::Tls(root),
            SslMode::Prefer => return Err(LedgerError::NotEncrypted),
            _ if cfg!(feature = "tls") => Encryption::Tls(root),
            _ => return Err(LedgerError::NoEncryption),
        };
        config.ssl_mode(match &encryption {
            Encryption::None => SslMode::Disable,
            Encryption::Tls(_) => SslMode::Require,
        });
        Ok(Self { config, encryption })
    }

    /// Connects.
    pub fn connect(&self) -> Result<Client, LedgerError> {
        match &self.encryption {
            Encryption::None => Ok(self.config.connect(NoTls)?),
            #[cfg(feature = "tls")]
            Encryption::Tls(root) => {
                self.config.connect(tls::connector(root.as_deref())?).map_err(|error| match error.code() {
                    Some(_) => error.into(),
                    None => LedgerError::Storage(
                        "the PostgreSQL server cannot be reached, speaks no TLS, or shows a certificate that is not trusted; \
                         `sslrootcert=FILE` in the URL names the certificate of the authority to trust"
                            .to_owned(),
                    ),
                })
            }
            #[cfg(not(feature = "tls"))]
            Encryption::Tls(_) => Err(LedgerError::NoEncryption),
        }
    }
}

/// Whether a URL demands encryption by itself.
pub(super) fn is_demanded(url: &str) -> Result<bool, LedgerError> {
    let (config, root) = configuration(url)?;
    Ok(root.is_some() || !matches!(config.get_ssl_mode(), SslMode::Disable | SslMode::Prefer))
}

/// What the client understands of a URL, and `sslrootcert`, which it does not know. `verify-ca` and `verify-full` become
/// `require`, which is no less here.
fn configuration(url: &str) -> Result<(Config, Option<PathBuf>), LedgerError> {
    let (base, settings) = url.split_once('?').unwrap_or((url, ""));
    let (mut kept, mut root) = (Vec::new(), None);
    for own in settings.split('&').filter(|own| !own.is_empty()) {
        match own.split_once('=') {
            Some(("sslrootcert", path)) => root = Some(PathBuf::from(decoded(path)?)),
            Some(("sslmode", "verify-ca" | "verify-full")) => kept.push("sslmode=require"),
            _ => kept.push(own),
        }
    }
    let sign = if kept.is_empty() { "" } else { "?" };
    let config: Result<Config, _> = format!("{base}{sign}{}", kept.join("&")).parse();
    let config = config.map_err(|_| LedgerError::Address)?;
    // A client of the field would guess a socket; a ledger is named, not guessed.
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(LedgerError::Address);
    }
    Ok((config, root))
}

/// A part of a URL as text.
fn decoded(text: &str) -> Result<String, LedgerError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits =
                    [rest.next(), rest.next()].map(|own| own.and_then(|own| char::from(own).to_digit(16)));
                match digits {
                    [Some(high), Some(low)] => (16 * high + low) as u8,
                    _ => return Err(LedgerError::Address),
                }
            }
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| LedgerError::Address)
}

/// Whether all that is named is this machine. What goes farther can be read, and changed, on its way.
fn is_local(config: &Config) -> bool {
    let is_local = |host: &Host| match host {
        Host::Tcp(name) => {
            let bare = name.trim_start_matches('[').trim_end_matches(']');
            bare.eq_ignore_ascii_case("localhost")
                || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    // An address, where one is given, decides; the name is then for show.
    let addresses = config.get_hostaddrs();
    if !addresses.is_empty() {
        return addresses.iter().all(IpAddr::is_loopback);
    }
    config.get_hosts().iter().all(is_local)
}

#[cfg(feature = "tls")]
mod tls {
    use std::path::Path;
    use std::sync::Arc;

    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    use rustls::{ClientConfig, RootCertStore};
    use tokio_postgres_rustls::MakeRustlsConnect;

    use crate::ledger::LedgerError;

    fn wrong(problem: &str) -> LedgerError {
        LedgerError::Storage(problem.to_owned())
    }

    /// Verifies certificates by the authorities of a file, or of the system.
    pub(super) fn connector(root: Option<&Path>) -> Result<MakeRustlsConnect, LedgerError> {
        let mut roots = RootCertStore::empty();
        match root {
            Some(path) => {
                let read =
                    CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
                roots.add_parsable_certificates(read.map_err(|_| LedgerError::Certificate)?);
                if roots.is_empty() {
                    return Err(LedgerError::Certificate);
                }
            }
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|_| wrong("TLS cannot be set up"))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(url: &str) -> Result<Encryption, String> {
        Address::parse(url).map(|own| own.encryption).map_err(|error| format!("{error:?}"))
    }

    /// Nothing is sent: the servers are not there.
    #[test]
    fn no_password_travels_in_clear_unasked() {
        for url in [
            "postgres://u:p@localhost/d",
            "postgres://u:p@127.0.0.1:5433/d?sslmode=prefer",
            "postgresql://u@[::1]/d",
            "postgres:///d?host=/run/postgresql",
            "postgres://u:p@db.example.org/d?sslmode=disable",
            "postgres://u:p@db.example.org/d?connect_timeout=3&sslmode=disable",
        ] {
            assert_eq!(found(url), Ok(Encryption::None), "{url}");
        }
        let tls = |otherwise: &str| match cfg!(feature = "tls") {
            true => Ok(Encryption::Tls(None)),
            false => Err(otherwise.to_owned()),
        };
        for url in [
            "postgres://u:p@db.example.org/d",
            "postgres://u:p@db.example.org/d?sslmode=prefer",
            "postgres://u:p@localhost,db.example.org/d",
            "postgres://u:p@localhost/d?hostaddr=192.0.2.7",
        ] {
            assert_eq!(found(url), tls("NotEncrypted"), "{url}");
            assert_eq!(is_demanded(url).ok(), Some(false));
        }
        for mode in ["require", "verify-ca", "verify-full"] {
            for host in ["localhost", "db.example.org"] {
                let url = format!("postgres://u:p@{host}/d?sslmode={mode}&connect_timeout=3");
                assert_eq!(found(&url), tls("NoEncryption"), "{url}");
                assert_eq!(is_demanded(&url).ok(), Some(true));
            }
        }
        for url in [
            "postgres://u@h:port/d",
            "postgres://u@localhost/d?sslmode=maybe",
            "postgres://u@localhost/d?sslrootcert=%2",
            "postgres://u@localhost/d?sslrootcert=%ff",
        ] {
            assert_eq!(found(url), Err("Address".to_owned()), "{url}");
        }
        let named = found("postgres://u@localhost/d?sslmode=verify-full&sslrootcert=/a%20b/ca.pem");
        match cfg!(feature = "tls") {
            true => assert_eq!(named, Ok(Encryption::Tls(Some("/a b/ca.pem".into())))),
            false => assert_eq!(named, Err("NoEncryption".to_owned())),
        }
    }

    #[cfg(feature = "tls")]
    #[test]
    fn what_is_no_certificate_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert!(matches!(tls::connector(Some(&file)), Err(LedgerError::Certificate)));
        for text in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            std::fs::write(&file, text).unwrap();
            assert!(matches!(tls::connector(Some(&file)), Err(LedgerError::Certificate)), "{text}");
        }
        assert!(tls::connector(None).is_ok());
    }
}
