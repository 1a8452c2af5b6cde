//! Connections: plain on loopback, TLS elsewhere, and never more of anything than was meant.
//!
//! A client that sends nothing is let go after a while, and so is one that does not read; more connections than the limit wait in the
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

/// Connections at once.
const MOST: usize = 256;
/// How long a client may take to send the head of a request, or to agree on TLS.
const HEAD: Duration = Duration::from_secs(10);
/// How long a connection may stay: a stream of events is opened anew by the browser.
const LONGEST: Duration = Duration::from_secs(3600);

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
                None => talk(stream, router).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HEAD, tls.accept(stream)).await {
                        talk(stream, router).await;
                    }
                }
            }
        });
    }
}

async fn talk(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, router: Router) {
    let service = TowerToHyperService::new(router);
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_headers(64)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(stream), service);
    // why: a connection that broke has nobody left to tell
    let _ = tokio::time::timeout(LONGEST, connection).await;
}
