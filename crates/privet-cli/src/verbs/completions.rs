//! `privet completions`: shell completions and manual pages, made from the definition of the flags.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory, ValueEnum};
use clap_complete::Shell;

use super::{Cli, Shared, print, print_json};
use crate::exit::{self, DONE, Failure};

/// Print or install shell completions and manual pages
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet completions bash --install           for the user, where bash looks for them
  privet completions man --install            a manual page for privet and one for every verb
  privet completions man anonymize            the page of one verb
  privet completions zsh > ~/.zfunc/_privet")]
pub struct Completions {
    /// What to print or install
    what: What,
    /// The manual page of this verb (default: that of the program)
    verb: Option<String>,
    /// Write the files where the shell, or man, looks for those of this user, and say where that is
    #[arg(long)]
    install: bool,
    /// Write the files to this folder
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    Man,
}

impl What {
    fn shell(self) -> Option<Shell> {
        match self {
            What::Bash => Some(Shell::Bash),
            What::Elvish => Some(Shell::Elvish),
            What::Fish => Some(Shell::Fish),
            What::Powershell => Some(Shell::PowerShell),
            What::Zsh => Some(Shell::Zsh),
            What::Man => None,
        }
    }

    /// Where the files of a user lie, and what is left to the user to do.
    fn place(self) -> Option<(PathBuf, &'static str)> {
        let path =
            |variable: &str| std::env::var_os(variable).filter(|own| !own.is_empty()).map(PathBuf::from);
        let home = path("HOME")?;
        let data = path("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
        let config = path("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        Some(match self {
            What::Bash => (
                data.join("bash-completion/completions"),
                "They work in the next shell that has bash-completion.",
            ),
            What::Fish => (config.join("fish/completions"), "They work in the next shell."),
            What::Zsh => (
                data.join("zsh/site-functions"),
                "Name that folder in ~/.zshrc before compinit: fpath=(~/.local/share/zsh/site-functions $fpath)",
            ),
            What::Elvish => (config.join("elvish/lib"), "Add to ~/.config/elvish/rc.elv: use privet"),
            What::Powershell => {
                (config.join("powershell"), "Add to the file of $PROFILE: . privet.ps1, with its folder")
            }
            What::Man => (data.join("man/man1"), "Read them with: man privet-anonymize"),
        })
    }
}

impl Completions {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        if self.verb.is_some() && self.what != What::Man {
            return Err(Failure::bad_input("only manual pages are of one verb; completions are of all"));
        }
        if !self.install && self.to.is_none() {
            let text = match self.what.shell() {
                Some(shell) => completions(shell),
                None => page_of(self.verb.as_deref())?,
            };
            print(&text)?;
            return Ok(DONE);
        }
        let (folder, hint) = match (self.to, self.what.place()) {
            (Some(folder), _) => (folder, ""),
            (None, Some(place)) => place,
            (None, None) => {
                return Err(Failure::bad_input(
                    "HOME is not set, so nobody knows where to install; name a folder with --to",
                ));
            }
        };
        let files = match self.what.shell() {
            Some(shell) => vec![(file_name(shell).to_owned(), completions(shell))],
            None => pages()?,
        };
        let mut written = Vec::new();
        std::fs::create_dir_all(&folder).map_err(|error| Failure::io(&folder, "cannot be made", &error))?;
        for (name, text) in files {
            let path = folder.join(name);
            save(&path, &text)?;
            written.push(path);
        }
        if shared.json {
            print_json(&serde_json::json!({ "files": written }))?;
        } else if !shared.quiet {
            let count = written.len();
            let files = if count == 1 {
                written[0].display().to_string()
            } else {
                format!("{count} pages to {}", folder.display())
            };
            print(format!("Wrote {files}.\n{hint}").trim_end())?;
        }
        Ok(DONE)
    }
}

fn save(path: &Path, text: &str) -> Result<(), Failure> {
    let draft = privet_release::PartialFile::beside(path);
    let written = std::fs::write(draft.path(), text).and_then(|()| draft.put());
    written.map_err(|error| Failure::io(path, "cannot be written", &error))
}

fn completions(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "privet", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// What a shell expects the file to be called.
fn file_name(shell: Shell) -> &'static str {
    match shell {
        Shell::Fish => "privet.fish",
        Shell::Zsh => "_privet",
        Shell::Elvish => "privet.elv",
        Shell::PowerShell => "privet.ps1",
        _ => "privet",
    }
}

/// The page of the program, or of a verb.
fn page_of(verb: Option<&str>) -> Result<String, Failure> {
    let wanted = verb.map_or_else(|| "privet.1".to_owned(), |verb| format!("privet-{verb}.1"));
    let all = pages()?;
    let names: Vec<&str> =
        all.iter().filter_map(|(name, _)| name.strip_prefix("privet-")?.strip_suffix(".1")).collect();
    let unknown = || Failure::bad_input(format!("there is no such verb; accepted are {}", names.join(", ")));
    all.iter().find(|(name, _)| *name == wanted).map(|(_, text)| text.clone()).ok_or_else(unknown)
}

/// A page for the program and one for each verb, by the names of their files.
fn pages() -> Result<Vec<(String, String)>, Failure> {
    let mut program = Cli::command();
    program.build();
    let verbs: Vec<Command> = program
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set() && verb.get_name() != "help")
        .cloned()
        .collect();
    let mut pages = vec![("privet.1".to_owned(), page(program, "privet")?)];
    for verb in verbs {
        let name = format!("privet-{}", verb.get_name());
        pages.push((format!("{name}.1"), page(verb, &name)?));
    }
    Ok(pages)
}

/// A manual page: what clap knows of a command, its examples, and what its exit codes mean.
fn page(command: Command, name: &str) -> Result<String, Failure> {
    let examples = command.get_before_help().map(|text| text.to_string()).unwrap_or_default();
    let command = command.version(env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(Failure::resources)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    let escaped = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        // A line that begins so would be a request.
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    let examples: Vec<String> = examples
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(|line| escaped(line.trim_start()))
        .collect();
    if !examples.is_empty() {
        page.push_str(&format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", examples.join("\n")));
    }
    page.push_str(".SH \"EXIT STATUS\"\n");
    for (code, meaning) in exit::ALL {
        page.push_str(&format!(".TP\n\\fB{code}\\fR\n{}\n", escaped(meaning)));
    }
    if name != "privet" {
        page.push_str(".SH \"SEE ALSO\"\n\\fBprivet\\fR(1)\n");
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_a_page_with_its_exit_codes() {
        let pages = pages().unwrap();
        assert_eq!(pages.len(), Cli::command().get_subcommands().count() + 1);
        for (name, text) in &pages {
            assert!(text.contains(".SH \"EXIT STATUS\"") && text.contains("\\fB130\\fR"), "{name}");
            assert!(text.contains(".SH EXAMPLES"), "{name} has no examples");
        }
        assert!(page_of(Some("anonymize")).unwrap().contains("privet anonymize job.toml"));
        assert!(page_of(Some("publish")).unwrap_err().message.contains("anonymize"));
    }
}
