//! `privet`: publish data about people safely.
//!
//! The binary is glue: flags, progress, messages and exit codes. One file per verb in `verbs/`.
// One call of the C library in `memory.rs`, and nothing else.
#![deny(unsafe_code)]

mod exit;
mod memory;
mod progress;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = match verbs::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not failures; everything else is bad usage.
            let code = if error.use_stderr() { exit::BAD_INPUT } else { exit::DONE };
            // why: a reader that went away (a closed pipe) has seen enough
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match verbs::run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            progress::say_error(&failure);
            ExitCode::from(failure.code)
        }
    }
}
