//! PostgreSQL as source and as sink. Skipped, with a note, where `PRIVET_TEST_POSTGRES` names no database.

use postgres::{Client, NoTls};
use privet_job::Outcome;

use crate::{assert_same, files, job_text, left_in, people, run, write_parquet};

fn database() -> Option<(String, Client)> {
    let url = std::env::var("PRIVET_TEST_POSTGRES").ok().filter(|url| !url.is_empty());
    let Some(url) = url else {
        eprintln!("skipped: PRIVET_TEST_POSTGRES names no database");
        return None;
    };
    let client = Client::connect(&url, NoTls).unwrap();
    Some((url, client))
}

#[test]
fn a_table_of_a_database_and_back() {
    let Some((url, mut client)) = database() else { return };
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let text = people(300, 41);
    write_parquet(&base.join("people"), &text, 300);
    client
        .batch_execute(
            "DROP TABLE IF EXISTS privet_people, privet_release; CREATE TABLE privet_people (name text, age bigint, born date, \
             town text, disease text, income bigint, note text, \"row\" serial)",
        )
        .unwrap();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: &str| if cell.is_empty() { "NULL".to_owned() } else { cell.to_owned() };
        let text = |cell: &str| if cell.is_empty() { "NULL".to_owned() } else { format!("'{cell}'") };
        let values = [
            text(cells[0]),
            number(cells[1]),
            text(cells[2]),
            text(cells[3]),
            text(cells[4]),
            number(cells[5]),
            text(cells[6]),
        ];
        let columns = "name, age, born, town, disease, income, note";
        client
            .batch_execute(&format!("INSERT INTO privet_people ({columns}) VALUES ({})", values.join(", ")))
            .unwrap();
    }
    let query = "SELECT name, age, born, town, disease, income, note FROM privet_people ORDER BY \"row\"";
    let more = "[search]\nsuppress-at-most = 0.1\n[output]\nformat = \"parquet\"\n";
    run(base, &job_text("people", "k-anonymity = 3", more), &["output.folder=memory"]).unwrap();
    let job = job_text(&url, "k-anonymity = 3", more);
    let query = format!("input.query={}", serde_json::to_string(query).unwrap());
    let engine = "engine.kind=\"datafusion\"";
    let sink = [format!("output.database=\"{url}\""), "output.table=\"privet_release\"".to_owned()];
    run(base, &job, &[&query, engine, "output.folder=engine", &sink[0], &sink[1]]).unwrap();
    assert_same(&base.join("memory"), &base.join("engine"));
    run(base, &job, &[&query, "output.folder=brought"]).unwrap();
    assert_same(&base.join("memory"), &base.join("brought"));

    // What is in the database is what is in the files.
    let counted = "SELECT count(*), count(DISTINCT town), sum(income)::bigint FROM privet_release";
    let row = client.query_one(counted, &[]).unwrap();
    let manifest: serde_json::Value =
        serde_json::from_slice(&files(&base.join("engine"))["manifest.json"]).unwrap();
    assert_eq!(row.get::<_, i64>(0) as u64, manifest["data"]["rows"].as_u64().unwrap());
    assert!(row.get::<_, i64>(2) > 0);

    // A table that is there already is not touched, and no release is written.
    let error = run(base, &job, &[&query, engine, "output.folder=again", &sink[0], &sink[1]]).unwrap_err();
    assert_eq!(error.outcome(), Outcome::BadInput, "{error}");
    assert!(left_in(base, &["people", "memory", "engine", "brought"]).is_empty());
    let again = client.query_one("SELECT count(*) FROM privet_release", &[]).unwrap();
    assert_eq!(again.get::<_, i64>(0), row.get::<_, i64>(0));

    // A query that is none.
    let wrong = "input.query=\"SELECT nothing FROM nowhere\"";
    let error = run(base, &job, &[wrong, engine, "output.folder=wrong"]).unwrap_err();
    assert_eq!(error.outcome(), Outcome::BadInput, "{error}");
    client.batch_execute("DROP TABLE privet_people, privet_release").unwrap();
}

/// A connection that is cut while the table is read: no release.
#[test]
fn a_connection_that_is_cut() {
    let Some((url, mut client)) = database() else { return };
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let query = "SELECT i::bigint AS age, 'x' AS born, 'Ulm' AS town, 'flu' AS disease, 1::bigint AS income, 'n' AS note, \
                 pg_sleep(CASE WHEN i = 20000 THEN 20 ELSE 0 END)::text AS pause FROM generate_series(1, 40000) AS i";
    let job = job_text(&url, "k-anonymity = 3", "");
    let query = format!("input.query={}", serde_json::to_string(query).unwrap());
    let killer = std::thread::spawn(move || {
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'COPY (SELECT%generate_series%' \
                   AND pid <> pg_backend_pid()";
        for _ in 0..200 {
            if client.query_one(cut, &[]).unwrap().get::<_, i64>(0) > 0 {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        false
    });
    let error = run(base, &job, &[&query, "engine.kind=\"datafusion\""]).unwrap_err();
    assert!(killer.join().unwrap(), "the connection was never seen");
    assert_eq!(error.outcome(), Outcome::Resources, "{error}");
    assert!(left_in(base, &[]).is_empty());
}

/// A table that is read keeps nobody from writing to it, and what is written meanwhile is not read.
#[test]
fn who_writes_to_the_table_is_not_kept_waiting() {
    let Some((url, mut client)) = database() else { return };
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    client
        .batch_execute(
            "DROP TABLE IF EXISTS privet_busy; CREATE TABLE privet_busy AS SELECT i::bigint AS age, 'x' AS born, 'Ulm' AS town, \
             'flu' AS disease, 1::bigint AS income, 'n' AS note FROM generate_series(1, 400) AS i",
        )
        .unwrap();
    let query = "SELECT *, pg_sleep(CASE WHEN age = 200 THEN 2 ELSE 0 END)::text AS pause FROM privet_busy";
    let job = job_text(&url, "k-anonymity = 3", "");
    let query = format!("input.query={}", serde_json::to_string(query).unwrap());
    let writer = std::thread::spawn(move || {
        let reading = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY (SELECT%privet_busy%' AND pid <> pg_backend_pid()";
        let mut is_read = || client.query_one(reading, &[]).unwrap().get::<_, i64>(0) > 0;
        for _ in 0..6_000 {
            if is_read() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        client
            .batch_execute("UPDATE privet_busy SET town = 'Bonn'; DELETE FROM privet_busy WHERE age > 300")
            .unwrap();
        let is_read = client.query_one(reading, &[]).unwrap().get::<_, i64>(0) > 0;
        (is_read, client)
    });
    let summary = run(base, &job, &[&query, "engine.kind=\"datafusion\"", "output.folder=out"]).unwrap();
    let (was_read_meanwhile, mut client) = writer.join().unwrap();
    assert!(was_read_meanwhile, "the writer waited for the reader");
    assert_eq!(summary.rows, 400);
    client.batch_execute("DROP TABLE privet_busy").unwrap();
}

/// Triggers on the tables that the tests below have privet make: records go in slowly, or the `COMMIT` fails.
const TRIGGERS: &str = "
    CREATE OR REPLACE FUNCTION privet_wait() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END $$;
    CREATE OR REPLACE FUNCTION privet_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'refused'; END $$;
    CREATE OR REPLACE FUNCTION privet_watch() RETURNS event_trigger LANGUAGE plpgsql AS $$
        DECLARE made record;
        BEGIN
            FOR made IN SELECT object_identity AS name FROM pg_event_trigger_ddl_commands() LOOP
                IF made.name = 'public.privet_cut' THEN
                    CREATE TRIGGER waits BEFORE INSERT ON privet_cut FOR EACH ROW EXECUTE FUNCTION privet_wait();
                ELSIF made.name = 'public.privet_refused' THEN
                    CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON privet_refused DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW EXECUTE FUNCTION privet_refuse();
                END IF;
            END LOOP;
        END $$;
    DROP EVENT TRIGGER IF EXISTS privet_watch;
    CREATE EVENT TRIGGER privet_watch ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION privet_watch()";

/// A connection that is cut in the midst of the `COPY`, and a `COMMIT` that fails: neither a table nor a release folder.
#[test]
fn a_table_that_cannot_be_written_leaves_no_release() {
    let Some((url, mut client)) = database() else { return };
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(300, 6), 300);
    let job = job_text("people", "k-anonymity = 3", "[search]\nsuppress-at-most = 0.1\n");
    client.batch_execute(TRIGGERS).unwrap();
    client.batch_execute("DROP TABLE IF EXISTS privet_cut, privet_refused").unwrap();
    let engine = "engine.kind=\"datafusion\"";
    let sink = |table: &str| [format!("output.database=\"{url}\""), format!("output.table=\"{table}\"")];
    let [database, table] = sink("privet_refused");
    let error = run(base, &job, &[engine, &database, &table, "output.folder=refused"]).unwrap_err();
    assert!(error.to_string().contains("did not commit"), "{error}");
    assert!(left_in(base, &["people"]).is_empty());

    let mut cutter = Client::connect(&url, NoTls).unwrap();
    let killer = std::thread::spawn(move || {
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'COPY \"privet_cut\" FROM%' \
                   AND pid <> pg_backend_pid()";
        for _ in 0..3_000 {
            if cutter.query_one(cut, &[]).unwrap().get::<_, i64>(0) > 0 {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        false
    });
    let [database, table] = sink("privet_cut");
    let error = run(base, &job, &[engine, &database, &table, "output.folder=cut"]).unwrap_err();
    assert!(killer.join().unwrap(), "the connection was never seen");
    assert_eq!(error.outcome(), Outcome::Resources, "{error}");
    assert!(left_in(base, &["people"]).is_empty());

    let tables = "SELECT count(*) FROM pg_tables WHERE tablename IN ('privet_cut', 'privet_refused')";
    assert_eq!(client.query_one(tables, &[]).unwrap().get::<_, i64>(0), 0);
    client.batch_execute("DROP EVENT TRIGGER privet_watch").unwrap();
}

/// What a plan tells of a query does not run it.
#[test]
fn a_plan_runs_no_query() {
    let Some((url, _)) = database() else { return };
    let folder = tempfile::tempdir().unwrap();
    let query = "SELECT i::bigint AS age, 'x' AS born, 'Ulm' AS town, 'flu' AS disease, 1::bigint AS income, 'n' AS note, \
                 (1 / (i - i))::bigint AS never FROM generate_series(1, 1000) AS i";
    let settings = [
        format!("input.query={}", serde_json::to_string(query).unwrap()),
        "engine.kind=\"datafusion\"".to_owned(),
    ];
    let job = privet_job::Job::parse(&job_text(&url, "k-anonymity = 3", ""), &settings).unwrap();
    let options = privet_job::RunOptions { base: folder.path().to_owned(), ..Default::default() };
    let told = privet_engine::plan(&job, &options, &privet_data::Silent).unwrap();
    assert_eq!((told.records, told.is_estimate, told.is_copied), (Some(1_000), true, true));
    assert_eq!(told.grouped, ["age", "born", "town", "disease", "income"]);
    assert!(left_in(folder.path(), &[]).is_empty());
}
