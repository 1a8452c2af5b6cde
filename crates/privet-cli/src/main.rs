//! `privet`: publish data about people safely.
//!
//! The binary is glue: flags, progress, messages and exit codes. One file per verb in `verbs/`.
// Calls of the C library in `memory.rs` and `system.rs`, the allocator there, and nothing else.
#![deny(unsafe_code)]

mod exit;
mod memory;
mod progress;
mod system;
mod terminal;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: system::OrEnd = system::OrEnd;

fn main() -> ExitCode {
    system::prepare();
    let cli = match verbs::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not failures; everything else is bad usage.
            let code = if error.use_stderr() { exit::BAD_INPUT } else { exit::DONE };
            if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
                let message = error.render().to_string();
                verbs::print_failure(&exit::Failure::bad_input(message.trim_end()));
            }
            // why: a reader that went away (a closed pipe) has seen enough
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let is_json = cli.is_json();
    let outcome = verbs::run(cli);
    progress::wait_if_ending();
    let code = match outcome {
        Ok(code) => code,
        Err(failure) => {
            progress::say_error(&failure);
            // What fails once it was asked to stop was stopped.
            let code = if progress::is_stopping() { exit::STOPPED } else { failure.code };
            if is_json {
                verbs::print_failure(&exit::Failure { code, ..failure });
            }
            code
        }
    };
    progress::log_end(code);
    ExitCode::from(code)
}
