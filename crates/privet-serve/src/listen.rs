//! Connections: plain on loopback, TLS elsewhere, and never more of anything than was meant.
//!
//! A client that sends nothing is let go after ten seconds, and one that does not read after thirty; more connections than the limit wait in the
//! system's queue and take no memory here.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use crate::ServeError;
use crate::patience::Patience;

/// Connections at once.
const MOST: usize = 256;

/// How long anybody may take.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// To send the head of a request, or to agree on TLS.
    head: Duration,
    /// To take some of what is sent.
    stalled: Duration,
    /// In all: a stream of events is opened anew by the browser.
    longest: Duration,
}

const LIMITS: Limits = Limits {
    head: Duration::from_secs(10),
    stalled: Duration::from_secs(30),
    longest: Duration::from_secs(3600),
};

/// What accepts TLS with this certificate.
pub(crate) fn acceptor(cert: &Path, key: &Path) -> Result<TlsAcceptor, ServeError> {
    let unusable = |path: &Path, what: &str| ServeError::Usage(format!("{}: {what}", path.display()));
    let certs: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect)
        .map_err(|_| unusable(cert, "holds no certificates in PEM"))?;
    let key_der =
        PrivateKeyDer::from_pem_file(key).map_err(|_| unusable(key, "holds no private key in PEM"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ServeError::System(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certs, key_der)
        .map_err(|_| unusable(cert, "does not belong to the private key"))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Accepts connections for ever.
pub(crate) async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, router: Router) {
    let free = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors: those that are open must end first.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // why: a connection that is sent at once is faster, and one that is not works
        let _ = stream.set_nodelay(true);
        let (router, tls) = (router.clone(), tls.clone());
        tokio::spawn(async move {
            let _permit = permit;
            match tls {
                None => talk(stream, router, LIMITS).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(LIMITS.head, tls.accept(stream)).await {
                        talk(stream, router, LIMITS).await;
                    }
                }
            }
        });
    }
}

async fn talk(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, router: Router, limits: Limits) {
    let service = TowerToHyperService::new(router);
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(64)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(Patience::new(stream, limits.stalled)), service);
    // why: a connection that broke has nobody left to tell
    let _ = tokio::time::timeout(limits.longest, connection).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const SHORT: Limits = Limits {
        head: Duration::from_millis(100),
        stalled: Duration::from_millis(100),
        longest: Duration::from_secs(3600),
    };

    /// Long enough that a machine with other work does not cut a client that reads.
    const PATIENT: Limits = Limits {
        head: Duration::from_secs(30),
        stalled: Duration::from_secs(2),
        longest: Duration::from_secs(3600),
    };

    /// Runs a conversation over a pipe that holds a kilobyte; fails when the server does not let go.
    fn let_go<T>(limits: Limits, client: impl AsyncFnOnce(tokio::io::DuplexStream) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (own, other) = tokio::io::duplex(1 << 10);
            let router = Router::new().route("/", get(|| async { "x".repeat(1 << 20) }));
            let server = tokio::time::timeout(Duration::from_secs(60), talk(other, router, limits));
            let (ended, told) = tokio::join!(server, client(own));
            ended.expect("the connection is cut");
            told
        })
    }

    #[test]
    fn a_client_that_sends_nothing_is_let_go() {
        let_go(SHORT, async |mut stream| {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap();
            let mut rest = Vec::new();
            // It ends, with a word of the server or without one.
            let _ = stream.read_to_end(&mut rest).await;
        });
    }

    #[test]
    fn a_client_that_does_not_read_is_let_go() {
        let_go(SHORT, async |mut stream| {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
            // Held open, and not read, until the server has ended.
            stream
        });
    }

    #[test]
    fn a_client_that_reads_slowly_gets_everything() {
        let read = let_go(PATIENT, async |mut stream| {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
            let (mut all, mut part) = (0, [0; 512]);
            loop {
                match stream.read(&mut part).await.unwrap() {
                    0 => return all,
                    read => all += read,
                }
                // In all longer than a client may take that reads nothing.
                if all < 12_288 {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        });
        assert!(read > 1 << 20);
    }
}
