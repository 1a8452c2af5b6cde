//! Tables of a PostgreSQL server that was named when the program was started.
//!
//! A server of another machine is reached by TLS alone; the password is in the URL, in `PGPASSWORD` or in `~/.pgpass`. A table is named by
//! its number in the list that the server gave; what a request says never becomes a part of a statement. It is copied to the private folder
//! as CSV, and from there on is a file like any other.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use postgres::{Client, NoTls};
use privet_data::Progress;
use privet_dp::ledger::{PostgresLedger, connect_to_database};

use crate::tasks::{Failure, State};

/// Bytes that are copied at once.
const PART: usize = 1 << 20;
/// How often somebody looks whether the copy is to stop.
const LOOK: Duration = Duration::from_millis(100);
/// Tables that are listed.
const MOST: i64 = 500;

/// A server.
#[derive(Clone)]
pub(crate) struct Server {
    url: String,
}

impl Server {
    /// From the URL of a database.
    pub fn new(url: &str) -> Result<Self, String> {
        // What it says names no password.
        PostgresLedger::check(url).map_err(|error| format!("--postgres: {error}"))?;
        Ok(Self { url: url.to_owned() })
    }

    fn connect(&self) -> Result<Client, String> {
        let mut client = connect_to_database(&self.url).map_err(|error| error.to_string())?;
        let read_only = client.batch_execute("set session characteristics as transaction read only");
        read_only.map_err(|_| "the database cannot be read".to_owned())?;
        Ok(client)
    }

    /// The tables and views that can be read, by schema and name.
    pub fn tables(&self) -> Result<Vec<(String, String)>, String> {
        let statement = "select table_schema::text, table_name::text from information_schema.tables where table_schema not in \
                         ('pg_catalog', 'information_schema') order by 1, 2 limit $1";
        let rows = self.connect()?.query(statement, &[&MOST]);
        let rows = rows.map_err(|_| "the tables of the database cannot be listed".to_owned())?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// Copies a table to a file of at most so many bytes, until it is asked to stop.
    pub fn copy(
        &self,
        (schema, table): &(String, String),
        path: &Path,
        most: u64,
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let statement = format!(
            "copy (select * from {}.{}) to stdout with (format csv, header true)",
            quoted(schema),
            quoted(table)
        );
        progress.stage("copying the table, bytes", None);
        let mut client = self.connect().map_err(Failure::failed)?;
        let stop = client.cancel_token();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // A server that computes sends nothing that could be looked at between two parts, so it is told to stop.
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    if progress.cancelled() {
                        // why: one that cannot be told is left when the connection is closed
                        let _ = stop.cancel_query(NoTls);
                        return;
                    }
                    std::thread::sleep(LOOK);
                }
            });
            let outcome = copy_out(&mut client, &statement, path, most, progress);
            is_over.store(true, Ordering::Relaxed);
            outcome
        })
    }
}

fn copy_out(
    client: &mut Client,
    statement: &str,
    path: &Path,
    most: u64,
    progress: &dyn Progress,
) -> Result<(), Failure> {
    let stopped =
        || progress.check().map_err(|own| Failure { state: State::Stopped, message: own.to_string() });
    // What the server says may repeat a value.
    let unreadable = || stopped().err().unwrap_or_else(|| Failure::failed("the table cannot be read"));
    let mut reader = client.copy_out(statement).map_err(|_| unreadable())?;
    let unwritable = |error: std::io::Error| Failure::failed(error.to_string());
    let mut file = File::create_new(path).map_err(unwritable)?;
    let (mut part, mut size) = (vec![0; PART], 0);
    loop {
        stopped()?;
        let read = reader.read(&mut part).map_err(|_| unreadable())?;
        if read == 0 {
            return file.flush().map_err(unwritable);
        }
        size += read as u64;
        if size > most {
            return Err(Failure::failed(
                "the table is larger than this page takes; start it with a larger --max-upload",
            ));
        }
        file.write_all(&part[..read]).map_err(unwritable)?;
        progress.at(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_machine_is_reached_by_tls_or_with_consent_alone() {
        for url in ["postgres://localhost/x", "postgres://user:pw@127.0.0.1:5433/x"] {
            assert!(Server::new(url).is_ok(), "{url}");
        }
        for url in ["x", "", "mysql://localhost/x"] {
            assert!(Server::new(url).is_err(), "{url}");
        }
        let refused = Server::new("postgres://me:secret@db.example/x?sslmode=nonsense").err().unwrap();
        assert!(!refused.contains("secret"), "{refused}");
    }
}
