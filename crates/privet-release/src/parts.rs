//! A published table in several files: `data-*.parquet` stands for `data-00001.parquet` and those that follow.

use crate::manifest::File;

/// Digits of the number of a file.
const DIGITS: usize = 5;

/// The name of a file of a table, counted from 0. A name without `*` is that of the only file.
pub fn part_name(file: &str, number: usize) -> String {
    file.replacen('*', &format!("{:0DIGITS$}", number + 1), 1)
}

/// The files of a table among those of a release, in the order of their records.
pub fn parts_of<'a>(file: &'a str, files: &'a [File]) -> Vec<&'a str> {
    let Some((before, after)) = file.split_once('*') else { return vec![file] };
    let number = |name: &str| -> Option<usize> {
        let digits = name.strip_prefix(before)?.strip_suffix(after)?;
        let is_number = digits.len() >= DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok())?
    };
    let mut parts: Vec<(usize, &str)> =
        files.iter().filter_map(|own| Some((number(&own.name)?, own.name.as_str()))).collect();
    parts.sort_unstable();
    // None is missing: what is counted from the first on must be there.
    match parts.iter().enumerate().all(|(place, own)| own.0 == place + 1) && !parts.is_empty() {
        true => parts.into_iter().map(|own| own.1).collect(),
        false => vec![file],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_without_a_gap() {
        let files = |names: &[&str]| -> Vec<File> {
            let file = |name: &&str| File {
                name: (*name).to_owned(),
                bytes: 0,
                sha256: String::new(),
                blocks: Vec::new(),
            };
            names.iter().map(file).collect()
        };
        let names: Vec<String> = (0..3).map(|number| part_name("data-*.parquet", number)).collect();
        assert_eq!(names, ["data-00001.parquet", "data-00002.parquet", "data-00003.parquet"]);
        let all = files(&["report.html", "data-00002.parquet", "data-00001.parquet", "data-x.parquet"]);
        assert_eq!(parts_of("data-*.parquet", &all), ["data-00001.parquet", "data-00002.parquet"]);
        let gap = files(&["data-00001.parquet", "data-00003.parquet"]);
        assert_eq!(parts_of("data-*.parquet", &gap), ["data-*.parquet"]);
        assert_eq!(parts_of("data.csv", &all), ["data.csv"]);
        assert_eq!(part_name("data.csv", 0), "data.csv");
    }
}
