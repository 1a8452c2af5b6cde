//! Ratings from files: wide matrices, Parquet, half stars, units of time, and what is refused.

use std::path::PathBuf;

use privet_data::Silent;
use privet_ratings::{Layout, RatingsError, RatingsInput, RatingsOptions, Scale, TimeUnit, read};

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn wide(user: Option<&str>) -> RatingsOptions {
    RatingsOptions {
        layout: Layout::Wide,
        user: user.map(str::to_owned),
        scale: Some(Scale::whole(1, 5).unwrap()),
        ..RatingsOptions::default()
    }
}

/// What users gave to items, by names.
fn cells(input: &RatingsInput) -> Vec<(String, String, f64)> {
    let ratings = &input.ratings;
    let mut all = Vec::new();
    for user in 0..ratings.users().len() as u32 {
        let row = ratings.row(user);
        for (&item, &tick) in row.of.iter().zip(row.ticks) {
            let names = (&ratings.users()[user as usize], &ratings.items()[item as usize]);
            all.push((names.0.to_string(), names.1.to_string(), ratings.scale().value(tick)));
        }
    }
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    all
}

fn expected() -> Vec<(String, String, f64)> {
    let cell = |user: &str, item: &str, rating: f64| (user.to_owned(), item.to_owned(), rating);
    vec![cell("ann", "jaws", 5.0), cell("ann", "up", 1.0), cell("bob", "up", 3.0)]
}

/// A wide matrix is the same ratings as its triples; empty cells are nulls, and who rated nothing is left out and counted.
#[test]
fn a_wide_matrix_is_its_triples() {
    let files = Files::new();
    let triples = files.write("triples.csv", "user,film,stars\nann,jaws,5\nbob,up,3\nann,up,1\n");
    let options = RatingsOptions { scale: Some(Scale::whole(1, 5).unwrap()), ..RatingsOptions::default() };
    assert_eq!(cells(&read(&triples, &options, &Silent).unwrap()), expected());
    let matrix = files.write("matrix.csv", "who,jaws,up,heat\nann,5,1,\nbob,,3,\ncid,,,\n");
    let input = read(&matrix, &wide(None), &Silent).unwrap();
    assert_eq!(cells(&input), expected());
    assert_eq!((input.repairs.empty_users, input.ratings.items().len()), (1, 2));
    // The column of the users may stand anywhere.
    let turned = files.write("turned.csv", "up,who,jaws\n1,ann,5\n3,bob,\n");
    assert_eq!(cells(&read(&turned, &wide(Some("who")), &Silent).unwrap()), expected());
}

#[test]
fn mistakes_in_a_wide_matrix_are_counted_and_not_quoted() {
    let files = Files::new();
    let refused = |text: &str| {
        let path = files.write("wrong.csv", text);
        let error = read(&path, &wide(Some("who")), &Silent).unwrap_err();
        assert!(!error.to_string().contains("ann") && !error.to_string().contains("17"), "{error}");
        error
    };
    let off = refused("who,jaws,up\nann,17,1\nbob,2.5,6\n");
    assert!(matches!(off, RatingsError::OffScale { rows: 3, .. }), "{off}");
    assert!(matches!(refused("who,jaws\nann,1\nann,2\n"), RatingsError::RepeatedUsers { rows: 1, .. }));
    assert!(matches!(refused("who,jaws\nann,1\n,2\n"), RatingsError::MissingIds { rows: 1, .. }));
    assert!(matches!(refused("who\nann\n"), RatingsError::TooFewColumns { .. }));
    assert!(matches!(refused("who,jaws\nann,\n"), RatingsError::Empty { .. }));
    assert!(matches!(refused("somebody,jaws\nann,1\n"), RatingsError::Read(_)));
}

/// Half stars are on a scale of half steps, and quarters are not.
#[test]
fn half_stars_have_their_scale() {
    let files = Files::new();
    let path = files.write("half.csv", "user,film,stars\nann,jaws,0.5\nann,up,4.5\nbob,up,5.0\n");
    let options =
        RatingsOptions { scale: Some(Scale::new(0.5, 5.0, 0.5).unwrap()), ..RatingsOptions::default() };
    let input = read(&path, &options, &Silent).unwrap();
    assert_eq!(cells(&input).iter().map(|own| own.2).collect::<Vec<_>>(), [0.5, 4.5, 5.0]);
    let path = files.write("quarter.csv", "user,film,stars\nann,jaws,0.75\n");
    assert!(matches!(read(&path, &options, &Silent), Err(RatingsError::OffScale { rows: 1, .. })));
}

/// Seconds, milliseconds, days and dates give the same days.
#[test]
fn times_of_every_unit_are_days() {
    let files = Files::new();
    for (unit, first, second) in [
        (TimeUnit::Seconds, "946684800", "946857600"),
        (TimeUnit::Milliseconds, "946684800000", "946857600000"),
        (TimeUnit::Days, "10957", "10959"),
        (TimeUnit::Days, "2000-01-01", "2000-01-03"),
    ] {
        let text = format!("user,film,stars,at\nann,jaws,5,{first}\nann,up,1,{second}\n");
        let path = files.write("times.csv", &text);
        let options = RatingsOptions {
            time: Some("at".to_owned()),
            unit,
            scale: Some(Scale::whole(1, 5).unwrap()),
            ..RatingsOptions::default()
        };
        let input = read(&path, &options, &Silent).unwrap();
        assert_eq!(input.ratings.row(0).days, Some(&[10_957, 10_959][..]), "{unit:?} {first}");
    }
}

/// The same ratings as Parquet, which the writer of tables makes.
#[test]
fn parquet_is_read() {
    use privet_data::io::{Dialect, Format, ReadOptions, View, ViewColumn, write};
    let files = Files::new();
    let triples = files.write("triples.csv", "user,film,stars\nann,jaws,5\nbob,up,3\nann,up,1\n");
    let table = privet_data::io::read(&triples, &ReadOptions::default(), &Silent).unwrap().table;
    let path = files.0.path().join("triples.parquet");
    let columns = table.columns.iter().map(ViewColumn::unchanged).collect();
    let view = View { columns, rows: table.rows, kept: None };
    let file = std::fs::File::create(&path).unwrap();
    write(file, &view, Format::Parquet, &Dialect::default(), &Silent).unwrap();
    let options = RatingsOptions { scale: Some(Scale::whole(1, 5).unwrap()), ..RatingsOptions::default() };
    assert_eq!(cells(&read(&path, &options, &Silent).unwrap()), expected());
}
