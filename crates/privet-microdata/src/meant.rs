//! Which table a question is about. A question names one after `from`, and who names another one than is there asks
//! something else than would be answered.

use std::path::Path;

/// Whether all names after `from` mean the table: one of these words, or the name of one of these files or folders, with or
/// without what follows its dot. Upper and lower case are the same, as elsewhere in SQL.
pub fn is_meant<'a>(tables: &[&str], words: &[&str], paths: impl IntoIterator<Item = &'a Path>) -> bool {
    let mut names: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    for path in paths {
        let parts = [path.file_name(), path.file_stem()].into_iter().flatten();
        names.extend(parts.map(|part| part.to_string_lossy().to_lowercase()));
    }
    tables.iter().all(|table| names.contains(&table.to_lowercase()))
}

/// What is said of a question about another table, given what may stand there.
pub fn other_table(accepted: &str) -> String {
    format!("the question is about a table of another name; after `from` stands {accepted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files_and_words() {
        let paths = [Path::new("a/People.csv"), Path::new("b/out.v2")];
        let meant = |table: &str| is_meant(&[table], &["data"], paths);
        for table in ["data", "DATA", "people", "People.csv", "out", "out.v2", "OUT"] {
            assert!(meant(table), "{table}");
        }
        for table in ["", "a", "csv", "release", "people.tsv", "dat"] {
            assert!(!meant(table), "{table}");
        }
        assert!(!is_meant(&["data", "other"], &["data"], paths));
        assert!(!is_meant(&["out"], &["data"], [Path::new("/"), Path::new(".")]));
    }
}
