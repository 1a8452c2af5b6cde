//! `privet-serve`: the page as a program of its own, for builds of the command line that leave it out.
#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use privet_serve::{Options, ServeArgs, ServeError, serve};

/// Serve the page of privet on this machine
#[derive(Debug, Parser)]
#[command(name = "privet-serve", version)]
struct Cli {
    #[command(flatten)]
    args: ServeArgs,
}

static STOP: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let cli = Cli::parse();
    // why: without a handler Ctrl-C ends the process at once; the folder is removed at the next start
    let _ = ctrlc::set_handler(|| STOP.store(true, Ordering::SeqCst));
    let outcome = serve(&Options::from(cli.args), &|| STOP.load(Ordering::SeqCst), &|line| {
        let mut out = std::io::stdout().lock();
        // why: whoever closed standard output cannot be told
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("privet-serve: {error}");
            ExitCode::from(if matches!(error, ServeError::Usage(_)) { 2 } else { 4 })
        }
    }
}
