//! Tables of a PostgreSQL server that was named when the program was started.
//!
//! The server is one of this machine: the connection is not encrypted, so another one is refused. A table is named by its number in the
//! list that the server gave; what a request says never becomes a part of a statement. It is copied to the private folder as CSV, and from
//! there on is a file like any other.

use std::fs::File;
use std::io::{Read, Write};
use std::net::IpAddr;
use std::path::Path;

use postgres::config::Host;
use postgres::{Client, Config, NoTls};

/// Tables that are listed.
const MOST: i64 = 500;

/// A server.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    config: Config,
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

impl Server {
    /// From the URL of a database of this machine.
    pub fn new(url: &str) -> Result<Self, String> {
        let config: Config = url.parse().map_err(|_| {
            "--postgres takes the URL of a database, such as postgres://localhost/hospital".to_owned()
        })?;
        match !config.get_hosts().is_empty() && config.get_hosts().iter().all(is_here) {
            true => Ok(Self { config }),
            false => Err(
                "--postgres names another machine, and the connection is not encrypted; use a tunnel to it, and name localhost".to_owned()
            ),
        }
    }

    fn connect(&self) -> Result<Client, String> {
        // What the library says may quote the URL with its password.
        let mut client =
            self.config.connect(NoTls).map_err(|_| "the database cannot be reached".to_owned())?;
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

    /// Copies a table to a file of at most so many bytes.
    pub fn copy(&self, (schema, table): &(String, String), path: &Path, most: u64) -> Result<(), String> {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let statement = format!(
            "copy (select * from {}.{}) to stdout with (format csv, header true)",
            quoted(schema),
            quoted(table)
        );
        let failed = |_| "the table cannot be read".to_owned();
        let mut client = self.connect()?;
        let mut reader = client.copy_out(statement.as_str()).map_err(failed)?.take(most + 1);
        let mut file = File::create_new(path).map_err(|error| error.to_string())?;
        let size =
            std::io::copy(&mut reader, &mut file).map_err(|_| "the table cannot be read".to_owned())?;
        file.flush().map_err(|error| error.to_string())?;
        match size > most {
            true => {
                Err("the table is larger than this page takes; start it with a larger --max-upload"
                    .to_owned())
            }
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_of_this_machine_are_accepted() {
        for url in [
            "postgres://localhost/x",
            "postgres://user:pw@127.0.0.1:5433/x",
            "host=/var/run/postgresql dbname=x",
        ] {
            assert!(Server::new(url).is_ok(), "{url}");
        }
        for url in ["postgres://db.example/x", "postgres://localhost,db.example/x", "host=10.0.0.1", "x", ""]
        {
            assert!(Server::new(url).is_err(), "{url}");
        }
    }
}
