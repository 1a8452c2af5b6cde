//! The flags of `privet serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use privet_job::{ACCEPTED_SIZES, parse_size};

use crate::Options;

/// Open the page in the browser: data, roles, hierarchies, promises, result, all on this machine
#[derive(Debug, Clone, Args)]
#[command(before_help = "\
Examples:
  privet serve                        prints an address of this machine to open in the browser
  privet serve --keep projects        keeps what was done for the next time
  privet serve --port 8080            the same port every time")]
pub struct ServeArgs {
    /// The port on this machine (default: a free one)
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    port: Option<u16>,
    /// Another address, such as 192.0.2.1:8443; needs --tls-cert, --tls-key and --password-file
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// The certificate chain, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A file that holds the password, readable by you alone; asked for in place of a one-time token
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Keep projects in this folder; without it they are in a private folder that is removed at the end
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// The largest file that is taken, such as 500MB
    #[arg(long, value_name = "SIZE", default_value = "1GB", value_parser = size)]
    max_upload: u64,
    /// Offer the tables of this PostgreSQL database, such as postgres://localhost/hospital; another machine by TLS
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
}

fn size(text: &str) -> Result<u64, String> {
    parse_size(text).ok_or_else(|| format!("must be {ACCEPTED_SIZES}"))
}

impl From<ServeArgs> for Options {
    fn from(args: ServeArgs) -> Self {
        let usual = Options::default();
        let mut listen = args.listen.unwrap_or(usual.listen);
        if let Some(port) = args.port {
            listen.set_port(port);
        }
        Self {
            listen,
            tls: args.tls_cert.zip(args.tls_key),
            password_file: args.password_file,
            keep: args.keep,
            max_upload: args.max_upload,
            postgres: args.postgres,
        }
    }
}
