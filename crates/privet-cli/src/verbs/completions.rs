//! `privet completions`: shell completions and the manual page, made from the definition of the flags.

use clap::{Args, CommandFactory, ValueEnum};

use super::{Cli, print};
use crate::exit::{DONE, Failure};

/// Print shell completions, or the manual page
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet completions bash > /etc/bash_completion.d/privet
  privet completions man > privet.1")]
pub struct Completions {
    /// What to print
    what: What,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    Man,
}

impl Completions {
    /// Runs it.
    pub fn run(self) -> Result<u8, Failure> {
        use clap_complete::Shell;
        let shell = match self.what {
            What::Bash => Shell::Bash,
            What::Elvish => Shell::Elvish,
            What::Fish => Shell::Fish,
            What::Powershell => Shell::PowerShell,
            What::Zsh => Shell::Zsh,
            What::Man => {
                let mut page = Vec::new();
                clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(Failure::resources)?;
                print(&String::from_utf8_lossy(&page))?;
                return Ok(DONE);
            }
        };
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "privet", &mut text);
        print(&String::from_utf8_lossy(&text))?;
        Ok(DONE)
    }
}
