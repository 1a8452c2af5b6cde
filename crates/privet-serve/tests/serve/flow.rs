//! The seven steps, and private answers.

use crate::client::{Server, between, people};
use privet_serve::Options;

#[test]
fn a_table_becomes_a_release() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("patients.csv", people(400).as_bytes());
    let page = |step: &str| {
        let answer = client.get(&format!("{project}/{step}"));
        assert_eq!(answer.status, 200, "{step}: {}", answer.text());
        // Texts of the data never become markup.
        assert!(!answer.text().contains("<script>alert"), "{step}");
        // Each step shows the job file.
        assert!(answer.text().contains("[input]"), "{step}");
        answer.text()
    };

    let data = page("data");
    assert!(data.contains("400 records") && data.contains("Person 0") && data.contains("x&lt;script&gt;"));
    let changed =
        client.post(&format!("{project}/data"), &[("missing", "NA\n?"), ("skip", "0"), ("delimiter", ",")]);
    assert_eq!(changed.status, 303, "{}", changed.text());
    assert!(page("data").contains("missing = [&quot;&quot;, &quot;NA&quot;, &quot;?&quot;]"));

    let roles = page("roles");
    assert!(roles.contains("Identifying power") && roles.contains("class=\"heat"));
    let wanted = ["identifier", "quasi", "quasi", "quasi", "sensitive", "identifier"];
    let fields: Vec<(String, &str)> =
        wanted.iter().enumerate().map(|(number, role)| (format!("role-{number}"), *role)).collect();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, role)| (name.as_str(), *role)).collect();
    assert_eq!(client.post(&format!("{project}/roles"), &fields).status, 303);
    let job = client.get(&format!("{project}/file/job.toml")).text();
    assert_eq!(job.matches("\nrole = \"quasi\"").count(), 3, "{job}");

    page("hierarchies");
    let check = |fields: &[(&str, &str)]| client.post(&format!("{project}/check"), fields).text();
    let good = check(&[("column", "1"), ("kind", "intervals"), ("intervals", "10, 20"), ("min", "0")]);
    assert!(good.contains("Covers every value") && good.contains("class=\"labels\""), "{good}");
    assert!(check(&[("column", "1"), ("kind", "intervals"), ("intervals", "x")]).contains("must be numbers"));
    assert!(check(&[("column", "4"), ("kind", "intervals"), ("intervals", "5")]).contains("role=\"alert\""));
    let before = client.get(&format!("{project}/file/job.toml")).text();
    assert_eq!(job, before, "checking changes nothing");
    for fields in [
        vec![("column", "1"), ("kind", "intervals"), ("intervals", "10, 20"), ("min", "0")],
        vec![("column", "2"), ("kind", "mask"), ("mask", "right")],
        vec![("column", "3"), ("kind", "file")],
    ] {
        let answer = client.post(&format!("{project}/hierarchies"), &fields);
        assert_eq!(answer.status, 303, "{}", answer.text());
    }
    let groups = client.get(&format!("{project}/hierarchies?column=3")).text();
    let of = between(&groups, "name=\"of\" value=\"", "\"").to_owned();
    let fields = [("column", "3"), ("of", &of), ("v0", "any"), ("v1", "any")];
    let answer = client.post(&format!("{project}/groups"), &fields);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let groups = client.get(&format!("{project}/hierarchies?column=3")).text();
    assert!(groups.contains("Groups") && groups.contains("value=\"any\""), "{groups}");

    let answer = client.post(
        &format!("{project}/promises"),
        &[
            ("k-anonymity", "yes"),
            ("k-anonymity.k", "5"),
            ("l-diversity", "yes"),
            ("l-diversity.l", "2"),
            ("l-diversity.kind", "distinct"),
            ("suppress", "5"),
        ],
    );
    assert_eq!(answer.status, 303, "{}", answer.text());
    client.work(&project, "try");
    let promises = page("promises");
    assert!(promises.contains("On this data, by itself:") && promises.contains("leaves out"), "{promises}");

    client.work(&project, "explore");
    let explore = client.get(&format!("{project}/explore?a=2&b=20")).text();
    assert!(explore.contains("Side by side") && explore.contains("class=\"mark"), "{explore}");
    assert_eq!(client.post(&format!("{project}/explore"), &[("k", "10")]).status, 303);
    assert!(page("explore").contains("k-anonymity = 10"));

    let result = client.work(&project, "run");
    assert!(
        result.contains("Risk before and after") && result.contains("First records of the release"),
        "{result}"
    );
    let attacked = client.work(&project, "attack");
    assert!(attacked.contains("conclusions, with the record"), "{attacked}");
    client.work(&project, "verify");
    let handover = page("handover");
    assert!(handover.contains("All promises hold."), "{handover}");

    let archive = client.get(&format!("{project}/file/release.zip"));
    assert!(archive.body.starts_with(b"PK"));
    assert_eq!(archive.header("content-disposition"), "attachment");
    let report = client.get(&format!("{project}/file/report"));
    assert!(report.header("content-security-policy").starts_with("sandbox"));
    assert!(report.text().contains("<html"));
    for (what, holds) in [("release.sh", "privet verify release"), ("release.py", "privet.Job.read")] {
        assert!(client.get(&format!("{project}/file/{what}")).text().contains(holds));
    }
    // What follows from an earlier job file says so.
    let changed = "was changed after this release was made";
    assert!(!page("result").contains(changed) && !page("explore").contains("make them again"));
    assert_eq!(client.post(&format!("{project}/explore"), &[("k", "20")]).status, 303);
    assert!(page("result").contains(changed) && page("handover").contains(changed));
    // Only what is released is in the archive.
    assert!(!String::from_utf8_lossy(&archive.body).contains("people.csv"));
}

#[test]
fn a_spreadsheet_is_taken_and_comes_out_again() {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (row, line) in (0..).zip(people(60).lines()) {
        for (column, cell) in (0..).zip(line.split(',')) {
            match cell.parse::<f64>() {
                Ok(number) => _ = sheet.write_number(row, column, number).unwrap(),
                Err(_) => _ = sheet.write_string(row, column, cell).unwrap(),
            }
        }
    }
    let server = Server::start();
    let client = server.client();
    let project = client.upload("patients.xlsx", &book.save_to_buffer().unwrap());
    assert!(client.get(&format!("{project}/data")).text().contains("60 records"));
    client.post(
        &format!("{project}/promises"),
        &[("k-anonymity", "yes"), ("k-anonymity.k", "2"), ("suppress", "100")],
    );
    let result = client.work(&project, "run");
    assert!(result.contains("First records of the release"), "{result}");
    client.work(&project, "verify");
    assert!(client.get(&format!("{project}/handover")).text().contains("All promises hold."));
}

#[test]
fn questions_are_planned_charged_and_remembered() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().join("kept");
    let server = Server::with(Options { keep: Some(folder), ..Options::default() });
    let client = server.client();
    let project = client.upload("patients.csv", people(300).as_bytes());
    let address = format!("{project}/answers");
    let open = client.post(&address, &[("do", "open"), ("epsilon", "1")]);
    assert_eq!(open.status, 303, "{}", open.text());
    let asked =
        [("question", "select count(*) from data"), ("epsilon", "0.25"), ("bounds", ""), ("keys", "")];
    let plan = |fields: &[(&str, &str)]| {
        let mut all = vec![("do", "plan")];
        all.extend(fields);
        client.post(&address, &all).text()
    };
    let planned = plan(&asked);
    assert!(planned.contains("It would cost ε = ") && planned.contains("Nothing was charged."), "{planned}");
    assert!(plan(&[("question", "drop table data"), ("epsilon", "1")]).contains("role=\"alert\""));
    let mut ask = vec![("do", "ask")];
    ask.extend(asked);
    assert_eq!(client.post(&address, &ask).status, 303);
    client.wait(&project);
    let page = client.get(&address).text();
    assert!(page.contains("The last answer") && page.contains("select count(*) from data"), "{page}");
    assert!(page.contains("0.75"), "what is left: {page}");
    // More than is left is refused.
    let mut more = ask.clone();
    more[2] = ("epsilon", "0.9");
    client.post(&address, &more);
    assert!(client.wait(&project).contains("task refused"));
}

#[test]
fn without_a_folder_that_is_kept_no_budget_is_opened() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("patients.csv", people(30).as_bytes());
    let answer = client.post(&format!("{project}/answers"), &[("do", "open"), ("epsilon", "1")]);
    assert_eq!(answer.status, 422);
    assert!(
        between(&client.get(&format!("{project}/answers")).text(), "<h1>", "</main>")
            .contains("--keep FOLDER")
    );
}

/// With the server that `cargo xtask test` makes, or that the environment names.
#[test]
fn a_table_of_a_database_is_taken() {
    let Some(url) = std::env::var("PRIVET_TEST_POSTGRES").ok().filter(|own| !own.is_empty()) else {
        println!("skipped: PRIVET_TEST_POSTGRES names no server");
        return;
    };
    let mut database = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    database
        .batch_execute(
            "drop table if exists \"privet \"\" serve\"; create table \"privet \"\" serve\" (age int, city text); \
             insert into \"privet \"\" serve\" select 20 + n % 50, 'c' || n % 4 from generate_series(1, 80) n",
        )
        .unwrap();
    let server = Server::with(Options { postgres: Some(url), ..Options::default() });
    let client = server.client();
    let page = client.get("/").text();
    let (before, _) = page.split_once("public.privet &quot; serve").expect("the table is listed");
    let number = before.rsplit_once("<option value=\"").unwrap().1.split('"').next().unwrap();
    assert_eq!(client.post("/tables", &[("table", "9999")]).status, 404);
    let answer = client.arrived(client.post("/tables", &[("table", number)]));
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert!(client.get(answer.header("location")).text().contains("80 records"));
    database.batch_execute("drop table \"privet \"\" serve\"").unwrap();
}
