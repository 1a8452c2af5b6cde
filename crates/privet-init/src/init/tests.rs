//! Guesses on typical headers, and proposals for tables of every kind, absurd ones included.

use super::*;
use privet_criteria::Requirement;
use privet_data::hierarchy::HierarchySpec;
use privet_data::io::ReadOptions;
use privet_data::{Cells, Column, Domain};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// A column from its cells; the empty text is missing.
fn column(name: &str, cells: &[String]) -> Column {
    let mut position: HashMap<&str, usize> = HashMap::new();
    let mut values: Vec<Box<str>> = Vec::new();
    let given: Vec<usize> = cells
        .iter()
        .map(|cell| {
            *position.entry(cell).or_insert_with(|| {
                values.push(cell.as_str().into());
                values.len() - 1
            })
        })
        .collect();
    let (domain, code_of) = Domain::canonical(values, str::is_empty);
    let codes = given.into_iter().map(|p| code_of[p]).collect();
    Column { name: name.to_owned(), codes, domain, cells: Cells::Plain }
}

fn table(columns: Vec<Column>) -> Table {
    let rows = columns.first().map_or(0, |c| c.codes.len());
    Table { columns, rows }
}

fn cells(rows: usize, cell: impl Fn(usize) -> String) -> Vec<String> {
    (0..rows).map(cell).collect()
}

fn from_csv(text: &str, delimiter: char) -> Table {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(delimiter).collect();
    let mut data: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for line in lines {
        for (cells, cell) in data.iter_mut().zip(line.split(delimiter)) {
            cells.push(cell.to_owned());
        }
    }
    table(names.iter().zip(&data).map(|(name, cells)| column(name, cells)).collect())
}

fn source() -> Source {
    Source {
        path: "data.csv".into(),
        format: None,
        quote: None,
        header_given: false,
        delimiter: Some(','),
        missing: vec![String::new()],
        ..Source::default()
    }
}

fn role(proposal: &Proposal, name: &str) -> Role {
    proposal.columns.iter().find(|c| c.name == name).map(|c| c.role).unwrap()
}

/// Parses a job and checks that it has the allowed keys and nothing else.
pub(crate) fn checked(job: &str) -> toml::Table {
    let parsed: toml::Table = job.parse().unwrap_or_else(|e| panic!("{e}\n{job}"));
    let allowed = |table: &toml::Table, keys: &[&str]| {
        for key in table.keys() {
            assert!(keys.contains(&&**key), "the key `{key}` is not allowed\n{job}");
        }
    };
    allowed(&parsed, &["input", "columns", "privacy", "search", "adversary", "output"]);
    allowed(
        parsed["input"].as_table().unwrap(),
        &["path", "format", "delimiter", "quote", "header", "skip", "encoding", "missing", "spelling"],
    );
    if let Some(columns) = parsed.get("columns") {
        for column in columns.as_table().unwrap().values() {
            allowed(column.as_table().unwrap(), &["role", "hierarchy", "weight", "bounds", "keys"]);
            Role::deserialize(column["role"].clone()).unwrap();
            column.get("hierarchy").map(|h| HierarchySpec::deserialize(h.clone()).unwrap());
        }
    }
    allowed(
        parsed["search"].as_table().unwrap(),
        &["algorithm", "minimize", "suppress-at-most", "minimal-nodes", "class"],
    );
    allowed(parsed["output"].as_table().unwrap(), &["folder", "format", "name"]);
    for (key, value) in parsed["privacy"].as_table().unwrap() {
        let several = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        for one in several {
            let mut fields = match one {
                toml::Value::Table(fields) => fields,
                k if key == "k-anonymity" => toml::Table::from_iter([("k".to_owned(), k)]),
                other => panic!("{key} = {other}"),
            };
            fields.insert("criterion".into(), key.clone().into());
            Requirement::deserialize(toml::Value::Table(fields)).unwrap_or_else(|e| panic!("{key}: {e}"));
        }
    }
    // The program reads it, too; it refuses a job that has nothing to generalize.
    let quasi = |c: &toml::Value| c["role"].as_str() == Some("quasi");
    if parsed.get("columns").is_some_and(|c| c.as_table().unwrap().values().any(quasi)) {
        privet_job::Job::parse(job, &[]).unwrap_or_else(|e| panic!("{e}\n{job}"));
    }
    parsed
}

/// Everything that must hold for every proposal.
fn check(table: &Table, source: &Source) -> Proposal {
    let proposal = propose(table, "data.csv", source);
    let job = checked(&proposal.job);
    assert_eq!(proposal.columns.len(), table.columns.len());
    for file in &proposal.files {
        assert!(proposal.job.contains(&format!("\"{}\"", file.0)));
    }
    for (column, guess) in table.columns.iter().zip(&proposal.columns) {
        assert_eq!(column.name, guess.name);
        assert!(!guess.reason.is_empty());
        let first = table.position(&column.name).unwrap();
        let expected = proposal.columns[first].role.word();
        assert_eq!(job["columns"][&*column.name]["role"].as_str(), Some(expected));
    }
    proposal
}

/// The table with its cells made plain, as the job says how they are spelled.
fn spelled(table: &Table, job: &toml::Table) -> Table {
    let mut table = table.clone();
    if let Some(spelling) = job["input"].get("spelling") {
        let spelling_of = BTreeMap::deserialize(spelling.clone()).unwrap();
        let options = ReadOptions { spelling_of, ..ReadOptions::default() };
        respell(&mut table, &options).unwrap();
    }
    table
}

/// Every proposed hierarchy can be built and covers its column, read with the proposed markers.
fn build_all(table: &Table, proposal: &Proposal) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("hierarchies")).unwrap();
    for (path, text) in &proposal.files {
        std::fs::write(folder.path().join(path), text).unwrap();
    }
    let job = checked(&proposal.job);
    let missing: Vec<&str> = match job["input"].get("missing") {
        Some(list) => list.as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect(),
        None => vec![""],
    };
    let table = spelled(table, &job);
    for (name, section) in job["columns"].as_table().unwrap() {
        let Some(spec) = section.get("hierarchy") else { continue };
        let spec = HierarchySpec::deserialize(spec.clone()).unwrap();
        let column = table.column(name).unwrap();
        let (domain, _) = Domain::canonical(column.domain.texts().to_vec(), |t| missing.contains(&t));
        let counts = vec![1; domain.len()];
        let hierarchy = privet_data::hierarchy::build(&spec, folder.path(), &domain, &counts)
            .unwrap_or_else(|e| panic!("{name}: {e}\n{}", proposal.job));
        hierarchy.bind(&domain).unwrap();
    }
}

#[test]
fn typical_names_are_understood_in_several_languages() {
    use Role::{Identifier, Quasi, Sensitive};
    let expected = [
        ("name", Identifier),
        ("Full Name", Identifier),
        ("first_name", Identifier),
        ("Nachname", Identifier),
        ("Prénom", Identifier),
        ("apellidos", Identifier),
        ("patient_id", Identifier),
        ("PatientID", Identifier),
        ("customerNumber_id", Identifier),
        ("SSN", Identifier),
        ("passport_no", Identifier),
        ("e-mail", Identifier),
        ("E-Mail-Adresse", Identifier),
        ("Telefonnummer", Identifier),
        ("phone", Identifier),
        ("IBAN", Identifier),
        ("street_address", Identifier),
        ("Straße", Identifier),
        ("dirección", Identifier),
        ("ip_address", Identifier),
        ("姓名", Identifier),
        ("Фамилия", Identifier),
        ("employee_id", Identifier),
        ("date_of_birth", Quasi),
        ("DOB", Quasi),
        ("Geburtsdatum", Quasi),
        ("date de naissance", Quasi),
        ("fecha_nacimiento", Quasi),
        ("birth_place", Quasi),
        ("zip", Quasi),
        ("PLZ", Quasi),
        ("Postleitzahl", Quasi),
        ("code_postal", Quasi),
        ("sex", Quasi),
        ("Geschlecht", Quasi),
        ("sexe", Quasi),
        ("性别", Quasi),
        ("age", Quasi),
        ("Alter", Quasi),
        ("edad", Quasi),
        ("race", Quasi),
        ("Staatsangehörigkeit", Quasi),
        ("nationality", Quasi),
        ("native-country", Quasi),
        ("occupation", Quasi),
        ("Beruf", Quasi),
        ("workclass", Quasi),
        ("education", Quasi),
        ("niveau_étude", Quasi),
        ("marital-status", Quasi),
        ("Familienstand", Quasi),
        ("estado civil", Quasi),
        ("city", Quasi),
        ("Wohnort", Quasi),
        ("latitude", Quasi),
        ("diagnosis", Sensitive),
        ("ICD10_code", Sensitive),
        ("maladie", Sensitive),
        ("Krankheit", Sensitive),
        ("hiv_status", Sensitive),
        ("salary-class", Sensitive),
        ("income", Sensitive),
        ("Einkommen", Sensitive),
        ("cost", Sensitive),
        ("religion", Sensitive),
        ("Konfession", Sensitive),
        ("sexual_orientation", Sensitive),
        ("political_party", Sensitive),
        ("criminal record", Sensitive),
        ("xq7", Quasi),
    ];
    // Values that tell nothing, in several frequencies, so the names must.
    let data = cells(400, |i| format!("v{}", (i * i) % 97));
    let table = table(expected.iter().map(|(name, _)| column(name, &data)).collect());
    let proposal = check(&table, &source());
    let wrong: Vec<_> = expected
        .iter()
        .filter(|(name, expected)| role(&proposal, name) != *expected)
        .map(|(name, expected)| {
            (name, expected, &proposal.columns.iter().find(|c| c.name == *name).unwrap().reason)
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    build_all(&table, &proposal);
}

#[test]
fn values_are_understood_where_names_tell_nothing() {
    use Role::{Identifier, Insensitive, Quasi};
    let rows = 300;
    let text = |i: usize| format!("{}{}", char::from(b'a' + (i % 26) as u8), i / 26);
    let columns: Vec<(&str, Vec<String>, Role)> = vec![
        ("c01", cells(rows, |i| format!("{}@example.org", text(i))), Identifier),
        ("c02", cells(rows, |i| format!("+49 30 {:07}", i * 7919)), Identifier),
        ("c03", cells(rows, |i| format!("{:03}-{:02}-{:04}", i, i % 90 + 9, i * 13 % 9000)), Identifier),
        ("c04", cells(rows, |i| (i + 1000).to_string()), Identifier),
        ("c05", cells(rows, |i| (40_000_000 + i * 9_973).to_string()), Identifier),
        ("c06", cells(rows, text), Identifier),
        ("c07", cells(rows, |i| format!("seen again on the ward, complains about item {i}")), Identifier),
        ("c08", cells(rows, |i| format!("10.0.{}.{}", i / 250, i % 250)), Identifier),
        ("c09", cells(rows, |i| format!("2020-{:02}-{:02}", i % 12 + 1, i % 28 + 1)), Quasi),
        ("c10", cells(rows, |i| format!("{}.{}.19{:02}", i % 28 + 1, i % 12 + 1, i % 90 + 10)), Quasi),
        ("c11", cells(rows, |i| format!("SW{}A 1{}A", i % 9, char::from(b'A' + (i % 26) as u8))), Quasi),
        ("c12", cells(rows, |i| format!("{}", (i % 40) * 3)), Quasi),
        ("c13", cells(rows, |i| format!("{:.3}", (i * 7919 % 10_007) as f64 / 17.0)), Quasi),
        ("c14", cells(rows, |i| if i % 3 == 0 { "yes" } else { "no" }.into()), Quasi),
        ("c15", cells(rows, |_| "same".into()), Insensitive),
        ("c16", cells(rows, |_| String::new()), Insensitive),
        ("c17", cells(rows, |i| if i % 2 == 0 { "only".into() } else { String::new() }), Quasi),
        // Named like identifiers, but the values name groups or answer yes and no.
        ("ward_nr", cells(rows, |i| (i % 8).to_string()), Quasi),
        ("has_email", cells(rows, |i| if i % 3 == 0 { "yes" } else { "no" }.into()), Quasi),
        // Dates of what is sensitive are known to others; sentences about it name people.
        ("diagnosis_date", cells(rows, |i| format!("2020-{:02}-{:02}", i % 12 + 1, i % 28 + 1)), Quasi),
        (
            "diagnosis_text",
            cells(rows, |i| format!("the patient reports pain in the left arm since week {i}")),
            Identifier,
        ),
    ];
    let table = table(columns.iter().map(|(name, cells, _)| column(name, cells)).collect());
    let proposal = check(&table, &source());
    for (name, _, expected) in &columns {
        let guess = proposal.columns.iter().find(|c| c.name == *name).unwrap();
        assert_eq!(guess.role, *expected, "{name}: {}", guess.reason);
    }
    build_all(&table, &proposal);
    let job = checked(&proposal.job);
    let hierarchy = |name: &str| job["columns"][name].get("hierarchy").map(ToString::to_string);
    assert_eq!(hierarchy("c09").unwrap(), r#"{ dates = ["month", "quarter", "year"] }"#);
    // Dates that start with the day are read as dates, so that the calendar groups them.
    assert_eq!(job["input"]["spelling"]["c10"].as_str(), Some("day-month-year"));
    assert_eq!(hierarchy("c10").unwrap(), r#"{ dates = ["month", "year", "decade"] }"#);
    assert_eq!(hierarchy("c11").unwrap(), r#"{ mask = "right", symbol = "*" }"#);
    assert!(hierarchy("c12").unwrap().starts_with("{ intervals = [10, 20, 40]"));
    assert_eq!(hierarchy("c14"), None);
}

#[test]
fn no_value_stands_in_the_job() {
    let rows = 500;
    let values = |stem: &'static str, n: usize| move |i: usize| format!("{stem}{}", i * i % n);
    let table = table(vec![
        column("city", &cells(rows, values("Qvornhaim", 30))),
        column("diagnosis", &cells(rows, values("Zyxitis", 9))),
        column("religion", &cells(rows, values("Wuggism", 4))),
        column("unclear", &cells(rows, values("Xanthor", 3))),
        column("note", &cells(rows, |i| format!("Jabber {i} went to the market and bought some more bread"))),
        column("amount_x", &cells(rows, |i| format!("{}", 1_234_567 + i * 7_717))),
        column("visits", &cells(rows, |i| format!("{}", 3_001 + i * i % 7_919))),
        column("when", &cells(rows, |i| format!("1987-{:02}-{:02}", i % 12 + 1, i % 28 + 1))),
        column("seen", &cells(rows, |i| format!("{}.{}.1987", i % 28 + 1, i % 12 + 1))),
    ]);
    let proposal = check(&table, &source());
    assert!(!proposal.files.is_empty());
    let reasons: String = proposal.columns.iter().map(|c| &*c.reason).collect();
    for column in &table.columns {
        for text in column.domain.texts() {
            assert!(!proposal.job.contains(&**text), "{}", column.name);
            assert!(!reasons.contains(&**text), "{}", column.name);
        }
    }
}

#[test]
fn markers_of_missing_values_are_found() {
    let rows = 60;
    let mut data = table(vec![
        column("age", &cells(rows, |i| if i % 9 == 0 { "NA".into() } else { (20 + i).to_string() })),
        column("workclass", &cells(rows, |i| ["?", "Private", "State", "unknown"][i % 4].into())),
        column("visits", &cells(rows, |i| if i % 7 == 0 { "unbekannt".into() } else { (i * i).to_string() })),
    ]);
    let proposal = check(&data, &source());
    let missing = &checked(&proposal.job)["input"]["missing"];
    assert_eq!(missing.to_string(), r#"["", "NA", "?", "unbekannt"]"#);
    assert!(proposal.job.contains("# Also found: \"unknown\"."));
    assert!(proposal.job.contains("hierarchy = { intervals = [5, 10, 20], min = 0, top = 90 }"));

    // Two-letter codes of countries are values, Namibia included.
    let codes = ["DE", "FR", "NA", "ZA", "PL", "IT"];
    data = table(vec![column("country", &cells(rows, |i| codes[i % 6].into()))]);
    assert!(checked(&check(&data, &source()).job)["input"].get("missing").is_none());
}

#[test]
fn each_sensitive_column_gets_its_diversity() {
    let rows = 100;
    let data = |n: usize| cells(rows, move |i| format!("v{}", i % n));
    let privacy =
        |columns: Vec<Column>| checked(&check(&table(columns), &source()).job)["privacy"].to_string();
    assert_eq!(privacy(vec![column("sex", &data(2))]), "{ k-anonymity = 5 }");
    assert_eq!(
        privacy(vec![column("diagnosis", &data(9))]),
        r#"{ k-anonymity = 5, l-diversity = { kind = "distinct", l = 3, column = "diagnosis" } }"#
    );
    let both =
        privacy(vec![column("diagnosis", &data(9)), column("income", &data(2)), column("hiv", &data(1))]);
    assert!(both.contains("l = 3, column = \"diagnosis\"") && both.contains("column = \"income\""));
    assert!(!both.contains("hiv"), "one value cannot be diverse");
}

#[test]
fn absurd_tables_get_a_job_too() {
    check(&Table::default(), &Source::default());
    check(&table(vec![column("name", &[]), column("age", &[]), column("x", &[])]), &source());
    check(&table(vec![column("only", &cells(1, |_| "1".into()))]), &source());
    check(&table(vec![column("all missing", &cells(50, |_| String::new()))]), &source());
    let unique = |c: usize| cells(50, move |i| format!("{c}-{i}x"));
    check(&table((0..200).map(|c| column(&format!("column {c}"), &unique(c))).collect()), &source());
    let few = |c: usize| cells(50, move |i| format!("{}", (i + c) % 12));
    let wide = table((0..200).map(|c| column(&format!("c.{c}"), &few(c))).collect());
    assert!(check(&wide, &source()).job.contains("mondrian"));
    let names =
        ["", " ", "a.b", "a\"b", "a\\b", "日本", "Größe", "new\nline", "#x", "a.b", "[x]", "='", "\u{202e}x"];
    let strange = table(names.iter().map(|n| column(n, &cells(80, |i| format!("t{}", i % 12)))).collect());
    let proposal = check(&strange, &Source { path: "C:\\data\\\"x\".csv".into(), ..source() });
    assert!(proposal.job.contains("same name"));
    build_all(&strange, &proposal);
    let mut paths: Vec<String> = proposal.files.iter().map(|f| f.0.to_lowercase()).collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), proposal.files.len(), "no file twice");
    assert!(paths.iter().all(|p| p.starts_with("hierarchies/") && !p.contains("..") && p.is_ascii()));
}

#[test]
fn numbers_without_bounds_do_not_break_the_job() {
    let rows = 60;
    let extreme = |texts: &'static [&'static str]| cells(rows, |i| texts[i % texts.len()].into());
    let table = table(vec![
        column("a", &extreme(&["1e300", "-1e300", "0.5", "2.5", "3.5", "4.5", "7.5"])),
        column(
            "b",
            &extreme(&["0.0000000000001", "0.0000000000002", "0.3e-12", "4e-13", "5e-13", "6e-13", "7e-13"]),
        ),
        column("c", &extreme(&["999999999999999", "-999999999999999", "0", "1", "2", "3", "4", "5"])),
        column("d", &extreme(&["-0.5", "-0.25", "0", "0.25", "0.125", "0.75", "1.0"])),
        column("e", &extreme(&["7", "7.0", "7.00", "7.000", "7e0", "70e-1"])),
        column("age", &extreme(&["-5", "1000", "3", "7", "11", "13", "17"])),
    ]);
    build_all(&table, &check(&table, &source()));
}

#[test]
fn the_demo_is_understood() {
    use Role::{Identifier, Quasi, Sensitive};
    let csv = String::from_utf8(crate::demo::admissions(3_000, 1).csv()).unwrap();
    let table = from_csv(&csv, ',');
    let proposal = check(&table, &source());
    let roles: Vec<Role> = proposal.columns.iter().map(|c| c.role).collect();
    assert_eq!(
        roles,
        [Identifier, Identifier, Quasi, Quasi, Quasi, Quasi, Quasi, Quasi, Sensitive, Sensitive]
    );
    let job = checked(&proposal.job);
    let hierarchy = |name: &str| job["columns"][name].get("hierarchy").map(ToString::to_string);
    assert_eq!(hierarchy("birth_date").unwrap(), r#"{ dates = ["month", "year", "decade"] }"#);
    assert_eq!(hierarchy("admission_date").unwrap(), r#"{ dates = ["month", "quarter", "year"] }"#);
    assert_eq!(hierarchy("postcode").unwrap(), r#"{ mask = "right", symbol = "*" }"#);
    assert_eq!(hierarchy("sex"), None);
    assert_eq!(hierarchy("occupation").unwrap(), r#""hierarchies/occupation.csv""#);
    // Hardly two bills are alike, and they would be published as they are.
    let section = proposal.job.split("[columns.cost]").nth(1).unwrap().split("[privacy]").next().unwrap();
    assert!(section.contains("finds the person by it"), "{section}");
    let section =
        proposal.job.split("[columns.diagnosis]").nth(1).unwrap().split("[columns.cost]").next().unwrap();
    assert!(!section.contains("finds the person by it"), "{section}");
    build_all(&table, &proposal);
}

#[test]
fn adult_is_understood() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult/adult.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: the Adult data set is not there");
        return;
    };
    let table = from_csv(&text, ';');
    let proposal = check(&table, &Source { delimiter: Some(';'), ..source() });
    for guess in &proposal.columns {
        let expected = if guess.name == "salary-class" { Role::Sensitive } else { Role::Quasi };
        assert_eq!(guess.role, expected, "{}", guess.name);
    }
    build_all(&table, &proposal);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Any table gets a job that parses, and the same one every time.
    #[test]
    fn any_table_gets_a_job(
        names in prop::collection::vec("\\PC{0,12}", 1..5),
        texts in prop::collection::vec("\\PC{0,8}|[0-9]{1,6}|-?[0-9]{1,3}\\.[0-9]{1,2}|(19|20)[0-9]{2}-0[1-9]-1[0-9]|NA|\\?", 1..40),
        rows in 0_usize..60,
    ) {
        let columns = names
            .iter()
            .enumerate()
            .map(|(c, name)| column(name, &cells(rows, |i| texts[(i * (c + 3) + c) % texts.len()].clone())))
            .collect();
        let table = table(columns);
        let proposal = check(&table, &source());
        build_all(&table, &proposal);
        prop_assert_eq!(&proposal, &propose(&table, "data.csv", &source()));
    }
}
