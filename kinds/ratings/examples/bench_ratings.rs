//! Growth on a generated matrix: read from a file, decided for (k, epsilon), attacked by the scoreboard.
//!
//! ```sh
//! cargo run --release -p privet-ratings --example bench_ratings            # doubling from 1/64 to 1/8 of Netflix
//! cargo run --release -p privet-ratings --example bench_ratings -- 1      # Netflix: 480,000 users, 17,770 items, 100 million
//! ```
//!
//! Arguments are denominators: `8` is an eighth of the users and of the ratings, with all items. Under `ulimit -v 9000000` the
//! whole of it fits. Beside each time stands that of a floor measured in the same run: one pass over all ratings.

use std::io::{BufWriter, Write};
use std::time::Instant;

use privet_data::Silent;
use privet_ratings::attack::{Knowledge, Released, scoreboard};
use privet_ratings::generate::{Size, ratings};
use privet_ratings::{DenseItems, Model, NullRule, RatingsOptions, Scale, Semantics, judge, read, survey};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked: Result<Vec<u32>, _> = std::env::args().skip(1).map(|own| own.parse()).collect();
    let asked = match asked? {
        none if none.is_empty() => vec![64, 32, 16, 8],
        some => some,
    };
    println!(
        "   users  items     ratings   file MB   read s  floor s   (10,1) on 10 items s  holds  failing  (2,1) literal s  1,000 targets s  found  peak MB"
    );
    for part in asked {
        run(part)?;
    }
    Ok(())
}

fn run(part: u32) -> Result<(), Box<dyn std::error::Error>> {
    let size =
        Size { users: 480_000 / part, items: 17_770, ratings: 100_000_000 / u64::from(part), days: 2_200 };
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("ratings.csv");
    write(size, &path)?;
    let bytes = std::fs::metadata(&path)?.len();

    let options = RatingsOptions {
        user: Some("user".into()),
        item: Some("item".into()),
        rating: Some("rating".into()),
        time: Some("day".into()),
        scale: Some(Scale::whole(1, 5)?),
        ..RatingsOptions::default()
    };
    let (input, reading) = timed(|| read(&path, &options, &Silent));
    let ratings = input?.ratings;
    drop(folder);
    let (sum, floor) = timed(|| {
        let ticks = (0..ratings.users().len() as u32)
            .map(|user| ratings.row(user).ticks.iter().map(|&tick| u64::from(tick)).sum::<u64>());
        ticks.sum::<u64>()
    });
    assert!(sum > 0);

    let (verdict, deciding) = timed(|| {
        let survey = survey(&ratings, NullRule::DenseItems(DenseItems::Most(10)))?;
        judge(&survey, &Model::new(10, 1.0).with(Semantics::Neighbourhood), &Silent)
    });
    let verdict = verdict?;
    let (literal, deciding_literally) = timed(|| {
        let survey = survey(&ratings, NullRule::Literal)?;
        judge(&survey, &Model::new(2, 1.0).with(Semantics::Neighbourhood), &Silent)
    });
    literal?;
    let rows: Vec<u32> = (0..ratings.users().len() as u32).collect();
    let on = Released::in_order(&ratings, &ratings, &rows)?;
    let (found, attacking) = timed(|| scoreboard(&on, &Knowledge::default(), 1_000, 1, &Silent));
    println!(
        "{:>8}  {:>5}  {:>10}  {:>8.0}  {reading:>7.1}  {floor:>7.2}  {deciding:>21.1}  {:?}  {:>7}  {deciding_literally:>15.1}  {attacking:>15.1}  {:>4.1}%  {:>7}",
        ratings.users().len(),
        ratings.items().len(),
        ratings.len(),
        bytes as f64 / 1e6,
        verdict.outcome,
        verdict.failing,
        100.0 * found?.rate(),
        peak(),
    );
    Ok(())
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed().as_secs_f64())
}

/// The ratings as a file; those in memory are given back before anything is measured.
fn write(size: Size, path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let made = ratings(size, 1)?;
    let mut file = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    writeln!(file, "user,item,rating,day")?;
    let dates: Vec<String> = (12_000..12_000 + size.days as i64).map(privet_data::date_of).collect();
    for (name, user) in made.users().iter().zip(0..) {
        let row = made.row(user);
        let days = row.days.unwrap_or_default();
        for ((&item, &tick), &day) in row.of.iter().zip(row.ticks).zip(days) {
            let date = &dates[(day - 12_000) as usize];
            writeln!(file, "{name},{},{},{date}", made.items()[item as usize], tick + 1)?;
        }
    }
    file.flush()?;
    Ok(())
}

/// The largest resident set of this process so far.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or("unknown".to_owned(), |kilobytes| (kilobytes / 1000).to_string())
}
