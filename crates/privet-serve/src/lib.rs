//! The page: the whole way from a table to a release in the browser, on this machine.
//!
//! The crate is a door. Reading, proposing, searching, proving, attacking and measuring are calls of `privet-job` and `privet`; what is
//! decided is decided by the job file, which every step shows and changes. Pages are made on the server and work without scripts; a
//! little JavaScript adds progress, drag and drop and checks while typing. Nothing is loaded from anywhere else.
//!
//! ```
//! use std::sync::Mutex;
//!
//! // It is asked to stop at once; a program says so when somebody wants it to end.
//! let printed = Mutex::new(String::new());
//! let say = |address: &str| printed.lock().unwrap().push_str(address);
//! privet_serve::serve(&privet_serve::Options::default(), &|| true, &say)?;
//! assert!(printed.lock().unwrap().starts_with("http://127.0.0.1:"));
//! # Ok::<(), privet_serve::ServeError>(())
//! ```
//!
//! What an attacker could try is in `SECURITY.md`; what stands against it is in `guard.rs` (who may ask), `confine.rs` (which files a job
//! may name), `listen.rs` (how much anybody may take) and `desk.rs` (where data lies).
#![forbid(unsafe_code)]

mod args;
mod bundle;
mod confine;
mod desk;
mod edit;
mod guard;
mod listen;
mod pages;
mod patience;
mod picture;
mod power;
mod preview;
mod project;
mod routes;
mod shelf;
mod tables;
mod tasks;
mod tries;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use args::ServeArgs;

/// How the page is served.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Another address than loopback: the certificate chain and its key, in PEM.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Another address than loopback: a file that holds the password.
    pub password_file: Option<PathBuf>,
    /// The folder that keeps projects after the end; a private folder that is removed when left out.
    pub keep: Option<PathBuf>,
    /// The largest file that is taken, in bytes.
    pub max_upload: u64,
    /// The URL of a PostgreSQL database whose tables may be taken.
    pub postgres: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            tls: None,
            password_file: None,
            keep: None,
            max_upload: 1 << 30,
            postgres: None,
        }
    }
}

/// Why the page is not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// What was asked for is not safe or not possible.
    #[error("{0}")]
    Usage(String),
    /// The system refused.
    #[error("{0}")]
    System(String),
}

/// Serves until `stopping` says so. `say` is told the address, once it can be opened.
///
/// # Errors
/// When the options are unsafe, or the address or the folder cannot be had.
pub fn serve(
    options: &Options,
    stopping: &(dyn Fn() -> bool + Sync),
    say: &dyn Fn(&str),
) -> Result<(), ServeError> {
    let system = |error: std::io::Error| ServeError::System(error.to_string());
    let is_local = options.listen.ip().is_loopback();
    if !is_local && (options.tls.is_none() || options.password_file.is_none()) {
        return Err(ServeError::Usage(
            "another address than loopback needs --tls-cert, --tls-key and --password-file: without them anybody on the network \
             could read the data"
                .to_owned(),
        ));
    }
    let password = options.password_file.as_deref().map(guard::read_password).transpose()?;
    let tls = options.tls.as_ref().map(|(cert, key)| listen::acceptor(cert, key)).transpose()?;
    let server =
        options.postgres.as_deref().map(tables::Server::new).transpose().map_err(ServeError::Usage)?;
    let desk = desk::Desk::open(options.keep.as_deref(), options.max_upload)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .enable_all()
        .build()
        .map_err(system)?;
    let app = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(options.listen).await.map_err(system)?;
        let address = listener.local_addr().map_err(system)?;
        let guard = guard::Guard::new(address, tls.is_some(), password)?;
        let app = Arc::new(routes::App::new(desk, guard, server));
        say(&app.guard.address());
        tokio::select! {
            () = listen::accept(listener, tls, routes::router(Arc::clone(&app))) => {}
            () = async {
                while !stopping() {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            } => {}
        }
        Ok::<_, ServeError>(app)
    })?;
    app.tasks.end();
    // Requests that still run hold nothing that has to be finished.
    runtime.shutdown_timeout(Duration::from_millis(500));
    app.desk.close();
    Ok(())
}
