//! A PostgreSQL server for the tests of the ledger and of the engine, made from the programs that the machine has: in a scratch folder, on loopback, with
//! nothing in it, and gone afterwards.

use std::ffi::OsStr;
use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::workspace::Scratch;

/// The name under which tests find a server.
pub const NAME: &str = "PRIVET_TEST_POSTGRES";

/// What tests of the ledger have.
pub enum Database {
    /// The one that the environment names.
    Named,
    /// One of our own.
    Made(Server),
    /// None, and why.
    Missing(String),
}

impl Database {
    /// Finds one, or makes one.
    pub fn find() -> Self {
        if std::env::var_os(NAME).is_some_and(|url| !url.is_empty()) {
            return Self::Named;
        }
        match Server::start() {
            Ok(Some(server)) => Self::Made(server),
            Ok(None) => {
                Self::Missing("the machine has no programs of a server (initdb, postgres)".to_owned())
            }
            Err(error) => Self::Missing(format!("no server could be started: {error:#}")),
        }
    }

    /// Lets a command find it.
    pub fn tell(&self, command: &mut Command) {
        if let Self::Made(server) = self {
            command.env(NAME, &server.url);
        }
    }

    /// What was tested with, in words.
    pub fn said(&self) -> String {
        match self {
            Self::Named => format!("The ledger and the engine were tested with the PostgreSQL server of {NAME}."),
            Self::Made(_) => {
                "The ledger and the engine were tested with a PostgreSQL server that was made for them and is gone."
                    .to_owned()
            }
            Self::Missing(why) => format!(
                "The ledger and the engine on PostgreSQL: {why}. Their tests count as passed and say so. Install the package \
                 `postgresql`, or let {NAME} name a database that may be written, such as \
                 postgres://postgres@localhost/test."
            ),
        }
    }
}

/// A server that runs until this is dropped.
pub struct Server {
    programs: PathBuf,
    account: Option<String>,
    folder: Scratch,
    url: String,
    running: Option<Child>,
}

impl Server {
    /// Starts one; `None` where the machine has no programs of a server.
    fn start() -> Result<Option<Self>> {
        let Some(programs) = programs() else { return Ok(None) };
        let account = account()?;
        let folder = Scratch::new()?;
        if let Some(account) = &account {
            run(Command::new("chown").arg(account).arg(folder.path()))?;
        }
        // Whoever asks next gets another port, so that this one is free for the moment that it takes to start.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        let mut server = Self { programs, account, folder, url, running: None };
        let data = server.data();
        run(server.program("initdb").args(["--username=postgres", "--auth=trust", "--pgdata"]).arg(&data))?;
        // A child of ours, and no daemon: who interrupts the tests interrupts it as well.
        let running = server
            .program("postgres")
            .arg("-D")
            .arg(data)
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-k"])
            .arg(server.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(server.folder.path().join("log"))?)
            .spawn()
            .context("postgres")?;
        server.running = Some(running);
        // What a server writes there when it is ready to answer, which is later than it listens.
        let state = server.data().join("postmaster.pid");
        let is_ready = || {
            std::fs::read_to_string(&state).is_ok_and(|own| own.lines().any(|line| line.trim() == "ready"))
        };
        for _ in 0..600 {
            if is_ready() {
                return Ok(Some(server));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("a PostgreSQL server was made and does not answer")
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// One of its programs, by somebody who may run it.
    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = match &self.account {
            Some(account) => {
                let mut command = Command::new("runuser");
                command.args(["-u", account, "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.data();
        // why: a server that is gone already needs no end
        let _ = run(self.program("pg_ctl").args(["stop", "--mode=immediate", "--pgdata"]).arg(data));
        if let Some(mut running) = self.running.take() {
            let _ = running.wait();
        }
    }
}

/// The folder with the programs of a server: on the path, or where Debian has them, the newest.
fn programs() -> Option<PathBuf> {
    let has_all =
        |folder: &Path| ["initdb", "pg_ctl", "postgres"].iter().all(|name| folder.join(name).is_file());
    let path = std::env::var_os("PATH").unwrap_or_default();
    if let Some(folder) = std::env::split_paths(&path).find(|folder| has_all(folder)) {
        return Some(folder);
    }
    let versions =
        std::fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let number = |folder: &PathBuf| folder.file_name().and_then(OsStr::to_str)?.parse::<u32>().ok();
    versions
        .filter_map(|folder| Some((number(&folder)?, folder.join("bin"))))
        .filter(|own| has_all(&own.1))
        .max()
        .map(|own| own.1)
}

/// The account that runs the server where we are root, which it refuses to run as.
fn account() -> Result<Option<String>> {
    let id = |of: &[&str]| -> Option<String> {
        let told = Command::new("id").args(of).stderr(Stdio::null()).output().ok()?;
        told.status.success().then(|| String::from_utf8_lossy(&told.stdout).trim().to_owned())
    };
    if id(&["-u"]).as_deref() != Some("0") {
        return Ok(None);
    }
    let found = ["postgres", "nobody"].into_iter().find(|name| id(&["-u", name]).is_some());
    found.map(|name| Some(name.to_owned())).context("there is no account `postgres` to run a server as")
}

/// Runs a program to its end; what it prints is for when it fails.
fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let ended = ended.with_context(|| name.clone())?;
    if !ended.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&ended.stderr).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn a_server_answers_and_leaves_nothing_behind() {
        let Some(server) = Server::start().unwrap() else {
            println!("skipped: the machine has no programs of a PostgreSQL server");
            return;
        };
        let port: u16 = server.url.rsplit([':', '/']).nth(1).unwrap().parse().unwrap();
        let folder = server.folder.path().to_owned();
        assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
        drop(server);
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
        assert!(!folder.exists());
    }
}
