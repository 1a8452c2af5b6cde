//! A job about one table that names no kind, and says with `input.person` that a person may have several rows. It is read as a job about
//! tables, so that k, l and t count people. What such a job cannot say is refused with what it can.

use privet_kind::{JobFile, KindError};
use toml::{Table, Value};

/// The name of the only table, and so of its file.
const NAME: &str = "data";

/// Per section the keys that are taken over.
const INPUT: [&str; 3] = ["path", "person", "at-most"];
const COLUMN: [&str; 2] = ["role", "hierarchy"];
const PRIVACY: [&str; 3] = ["k-anonymity", "l-diversity", "t-closeness"];
const SEARCH: [&str; 1] = ["suppress-at-most"];
const SECTIONS: [&str; 7] = ["input", "columns", "privacy", "search", "people", "adversary", "output"];

/// The job in the words of this kind; `None` when it names a kind, or no person.
pub fn adopt(job: &JobFile) -> Result<Option<JobFile>, KindError> {
    let own = job.table();
    let Some(input) = own.get("input").and_then(Value::as_table).filter(|_| job.kind().is_none()) else {
        return Ok(None);
    };
    let Some(person) = input.get("person") else { return Ok(None) };
    let adopted = translated(own, input, person).map_err(|error| error.at(job.path()))?;
    Ok(Some(job.in_other_words(adopted)))
}

fn translated(own: &Table, input: &Table, person: &Value) -> Result<Table, KindError> {
    only(own, "", &SECTIONS)?;
    only(input, "input.", &INPUT)?;
    let section = |name: &str| -> Result<Table, KindError> {
        match own.get(name) {
            None => Ok(Table::new()),
            Some(value) => value.as_table().cloned().ok_or_else(|| KindError::key(name, "must be a section")),
        }
    };
    let mut columns = Table::new();
    for (name, column) in section("columns")? {
        let key = format!("columns.{name}");
        let column = column.as_table().ok_or_else(|| KindError::key(&key, "must be a section"))?;
        only(column, &format!("{key}."), &COLUMN)?;
        // Identifiers are not published, as a column that is not mentioned is not; the person's becomes a pseudonym.
        if column.get("role").and_then(Value::as_str) != Some("identifier") {
            columns.insert(name, Value::Table(column.clone()));
        }
    }
    let privacy = section("privacy")?;
    only(&privacy, "privacy.", &PRIVACY)?;
    for key in ["l-diversity", "t-closeness"] {
        if privacy.get(key).is_some_and(|value| value.as_float().is_none() && value.as_integer().is_none()) {
            let problem =
                "counts people where `input.person` is given, and takes a number: for every sensitive column";
            return Err(KindError::key(format!("privacy.{key}"), problem));
        }
    }
    let search = section("search")?;
    only(&search, "search.", &SEARCH)?;
    let mut people = section("people")?;
    for (key, value) in search {
        if people.insert(key.clone(), value).is_some() {
            return Err(KindError::key(
                format!("search.{key}"),
                "is given twice, here and in the section `people`",
            ));
        }
    }
    let mut table = Table::new();
    table.insert("name".to_owned(), Value::from(NAME));
    table.insert("person".to_owned(), person.clone());
    for key in ["path", "at-most"] {
        table.extend(input.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    table.insert("columns".to_owned(), Value::Table(columns));
    let mut adopted = Table::new();
    adopted.insert("kind".to_owned(), Value::from("tables"));
    adopted.insert("tables".to_owned(), Value::Array(vec![Value::Table(table)]));
    adopted.insert("people".to_owned(), Value::Table(people));
    adopted.insert("privacy".to_owned(), Value::Table(privacy));
    for key in ["adversary", "output"] {
        adopted.extend(own.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    Ok(adopted)
}

/// Refuses what a job about people with several rows cannot say.
fn only(table: &Table, path: &str, accepted: &[&str]) -> Result<(), KindError> {
    match table.keys().find(|key| !accepted.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(KindError::key(
            format!("{path}{key}"),
            format!(
                "does not go with `input.person`, which counts people; accepted: `{}`",
                accepted.join("`, `")
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::job::Job;

    fn adopted(text: &str) -> Result<Option<JobFile>, KindError> {
        adopt(&JobFile::in_folder(Path::new("."), text.parse().unwrap()))
    }

    const JOB: &str = "[input]\npath = \"visits.csv\"\nperson = \"patient_id\"\nat-most = 3\n\
        [columns.patient_id]\nrole = \"identifier\"\n\
        [columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10], min = 0 }\n\
        [columns.diagnosis]\nrole = \"sensitive\"\n\
        [privacy]\nk-anonymity = 5\nl-diversity = 2\n[search]\nsuppress-at-most = 0.1\n[output]\nfolder = \"release\"\n";

    #[test]
    fn a_job_that_names_a_person_becomes_one_about_tables() {
        let file = adopted(JOB).unwrap().unwrap();
        assert_eq!(file.kind(), Some("tables"));
        let job = Job::read(&file).unwrap();
        assert_eq!((job.tables.len(), job.tables[0].person.as_str()), (1, "patient_id"));
        assert_eq!((job.tables[0].at_most, job.tables[0].columns.len()), (Some(3), 2));
        assert_eq!((job.people.suppress_at_most, job.privacy.k_anonymity), (0.1, 5));
        // A job of another kind, and one where nobody has several rows, stay what they are.
        assert!(adopted(&format!("kind = \"sets\"\n{JOB}")).unwrap().is_none());
        assert!(adopted(&JOB.replace("person = \"patient_id\"\n", "")).unwrap().is_none());
    }

    #[test]
    fn what_it_cannot_say_is_refused_with_what_it_can() {
        for (from, to, key) in [
            ("[search]\n", "[search]\nalgorithm = \"mondrian\"\n", "search.algorithm"),
            ("l-diversity = 2", "l-diversity = { kind = \"distinct\", l = 2 }", "privacy.l-diversity"),
            ("k-anonymity = 5", "k-anonymity = 5\nbeta-likeness = 1", "privacy.beta-likeness"),
            ("role = \"sensitive\"", "role = \"sensitive\"\nweight = 2", "columns.diagnosis.weight"),
            ("path = ", "delimiter = \";\"\npath = ", "input.delimiter"),
            ("[search]", "[sampling]\nfraction = 0.1\n[search]", "sampling"),
        ] {
            let message = adopted(&JOB.replace(from, to)).unwrap_err().to_string();
            assert!(message.contains(key), "{message}");
        }
    }
}
